//! Latency of `steer` for a prompt: `cargo run --release -p aictx-steer --example latency`.

use std::time::Instant;

use aictx_proto::methods::SteerParams;
use aictx_steer::steer;

fn main() {
    let long = "Please look at the handler and make it return 404. ".repeat(300);
    let quotes = "“".repeat(5_000);
    let noes = "no, not a.rs, ".repeat(1_100);
    for (name, message) in [
        ("open quotes", quotes.as_str()),
        ("corrections", noes.as_str()),
        (
            "short",
            "don't touch src/auth.py but do update src/login.py",
        ),
        (
            "prompt",
            "The login form throws when the password is empty. Please fix it in src/login.py, add a test, and \
             don't touch anything under src/auth. Run only the unit tests when you are done.",
        ),
        (
            "japanese",
            "src/auth.pyは触らないでください。まず移行を終わらせてから、テストを実行してください。",
        ),
        ("longest", long.as_str()),
    ] {
        let params = SteerParams {
            message: message.to_owned(),
            ..SteerParams::default()
        };
        let mut times: Vec<u128> = (0..200)
            .map(|_| {
                let start = Instant::now();
                let reply = steer(&params);
                let spent = start.elapsed().as_nanos();
                assert!(reply.is_ok(), "a message that is not empty has an answer");
                spent
            })
            .collect();
        let first = times.first().copied().unwrap_or(0);
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(0) / 1_000;
        println!(
            "{name} ({} bytes): first {} µs, p50 {} µs, p95 {} µs, p99 {} µs",
            message.len(),
            first / 1_000,
            at(50),
            at(95),
            at(99)
        );
    }
}
