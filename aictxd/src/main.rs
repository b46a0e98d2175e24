//! `aictxd`, the daemon of aictx. Everything is in the library; see `aictxd::cli`.

fn main() -> std::process::ExitCode {
    aictxd::cli::main()
}
