//! Latency of the hot path. Run with `cargo test --release --test latency -- --ignored --nocapture`.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aictx_guard::{NoFacts, Place, command_risk};

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

#[test]
#[ignore = "a measurement, for release builds"]
fn an_ordinary_command() {
    for command in [
        "git status",
        "python -m pytest -q tests/test_a.py 2>&1 | tail -n 5",
        "cd web && npm run build && git add -A && git commit -m 'feat: a thing' && git push origin topic",
        "rm -rf node_modules && npm ci",
        "find . -name '*.py' | xargs grep -n \"def main\" | head -20",
        "bash -c 'set -e; for f in *.rs; do rustfmt \"$f\"; done'",
        "cat > notes.md <<'EOF'\n# Notes\nsome text\nEOF",
    ] {
        let time = (0..50)
            .map(|_| {
                let started = Instant::now();
                for _ in 0..20 {
                    black_box(command_risk(black_box(command), PLACE, &NoFacts));
                }
                started.elapsed() / 20
            })
            .min()
            .unwrap();
        println!("{time:>10.2?} {command:?}");
        assert!(time < Duration::from_micros(20), "{command}: {time:?}");
    }
}
