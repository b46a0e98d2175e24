//! Shows what is read out of an output: `show COMMAND EXIT_STATUS < output`, `-` for unknown.

use std::io::Read as _;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let status = arguments.next().and_then(|status| status.parse().ok());
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let parsed = aictx_signals::parse(&command, status, &text);
    for event in &parsed.events {
        println!(
            "{} {} {} [{}] {}:{} test={:?} tool={} role={} x{}\n    {}",
            event.toolchain,
            event.phase,
            event.severity,
            event.code,
            event.file,
            event.line,
            event.test,
            event.tool,
            event.role,
            event.count.max(1),
            event.message
        );
    }
    println!("{:?} truncated={}", parsed.tests, parsed.truncated);
    Ok(())
}
