//! `aictxd`, the daemon of aictx. Everything is in the library; see `aictxd::cli`.

/// A request makes and frees some ten thousand small blocks; the system's allocator takes a quarter of
/// its time for them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    aictxd::cli::main()
}
