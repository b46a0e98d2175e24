//! Prints the estimated tokens of files: `cargo run -p aictx-proto --example tokens -- FILE…`, a line
//! each with bytes, tokens and name, to be compared with what a tokenizer says.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        match std::fs::read_to_string(&file) {
            Ok(text) => println!(
                "{}\t{}\t{file}",
                text.len(),
                aictx_proto::tokens::estimate(&text)
            ),
            Err(error) => {
                eprintln!("{file}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
