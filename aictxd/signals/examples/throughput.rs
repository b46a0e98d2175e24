//! Benchmark of reading output: clean logs, dense errors, and the output of one hook.
//!
//! `cargo run --release -p aictx-signals --example throughput`

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aictx_signals::{Ring, Run, events, parse, parse_run};

/// Best of several runs, so that a busy machine does not decide.
fn best(runs: u32, mut work: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn of_size(part: &[u8], size: usize) -> Vec<u8> {
    part.iter().copied().cycle().take(size).collect()
}

fn run<'a>(command: &'a str, text: &'a [u8], exit_status: Option<i32>) -> Run<'a> {
    Run {
        command,
        exit_status,
        stdout: text,
        stderr: b"",
        root: "/home/dev/app",
        cwd: "/home/dev/app",
    }
}

#[allow(clippy::cast_precision_loss)]
fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e6
}

const CLEAN: &[u8] = b"[ 12%] Building CXX object src/CMakeFiles/core.dir/parser.cpp.o\n\
[INFO] Copying 14 resources from src/main/resources to target/classes\n\
2026-03-04 09:41:12 worker-3 handled request 8841 for /api/orders in 12 ms\n\
   downloading package thing v1.2.3 (registry)\n";

/// Logs of runs in which nothing is wrong, as tools that say much print them.
const CLEAN_LOGS: &[(&str, &str, &[u8])] = &[
    ("make", "make all", CLEAN),
    ("three runners named", "pytest; cargo test; npm test", CLEAN),
    (
        "pytest -v",
        "python -m pytest -v",
        b"tests/unit/test_orders.py::TestTotals::test_sum_of_lines[eur-2] PASSED [ 12%]\n\
tests/unit/test_orders.py::test_rounding_is_half_even PASSED             [ 13%]\n",
    ),
    (
        "cargo test",
        "cargo test --workspace",
        b"test parser::tests::a_line_that_is_folded ... ok\n\
test store::journal::tests::torn_tail_is_dropped ... ok\n\
   Compiling regex-automata v0.4.9\n",
    ),
    (
        "go test -v",
        "go test -v ./...",
        b"=== RUN   TestOrderTotals/rounding\n\
    --- PASS: TestOrderTotals/rounding (0.00s)\n\
ok  \texample.com/shop/orders\t0.412s\n",
    ),
    (
        "jest",
        "npm test",
        b"PASS src/orders/__tests__/totals.test.ts (5.12 s)\n\
    \xe2\x9c\x93 adds the lines of an order (12 ms)\n\
    \xe2\x9c\x93 rounds half to even (1 ms)\n",
    ),
    (
        "mvn",
        "mvn -B verify",
        b"[INFO] Downloading from central: https://repo.example.org/maven2/org/a/b/1.2/b-1.2.pom\n\
[INFO] Downloaded from central: https://repo.example.org/maven2/org/a/b/1.2/b-1.2.pom (4.1 kB at 88 kB/s)\n\
[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.3 s -- in org.a.OrderTest\n",
    ),
    (
        "coloured service log",
        "docker compose up",
        b"\x1b[36mapi-1  |\x1b[0m 2026-03-04T09:41:12.123Z INFO handled GET /api/orders status=200 in 12ms\n\
\x1b[33mweb-1  |\x1b[0m 10.0.0.7 - - [04/Mar/2026:09:41:12 +0000] \"GET / HTTP/1.1\" 200 612\n",
    ),
];

/// Measures how fast this machine finds line ends in the same text now: other figures are to be
/// compared with when others use the machine.
fn baseline(text: &[u8]) -> Duration {
    best(20, || {
        black_box(text.iter().filter(|byte| **byte == b'\n').count());
    })
}

fn main() {
    // What is kept of a stream is what is read of it.
    let size = 1_000_000;
    for (name, command, part) in CLEAN_LOGS {
        let text = of_size(part, size);
        for (what, status) in [("failed", Some(1)), ("unknown", None)] {
            let floor = baseline(&text);
            let run = run(command, &text, status);
            let time = best(30, || {
                black_box(events(&run));
            });
            let all = best(30, || {
                black_box(parse_run(&run));
            });
            println!(
                "clean, {name}, {what}: events {:.0} MB/s, with tests {:.0} MB/s, counting lines {:.0} MB/s",
                rate(size, time),
                rate(size, all),
                rate(size, floor)
            );
        }
    }
    if std::env::args().nth(1).as_deref() == Some("clean") {
        return;
    }
    let huge = of_size(CLEAN, 100_000_000);
    let time = best(2, || {
        let mut ring = Ring::new();
        for part in huge.chunks(65_536) {
            ring.push(part);
        }
        black_box(events(&run("make all", &ring.kept(), Some(1))));
    });
    println!(
        "clean, 100 MB through the ring: {:.0} MB/s",
        rate(huge.len(), time)
    );

    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    let mut all = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    let mut slowest_rate = (f64::MAX, String::new());
    for path in files {
        let Ok(part) = std::fs::read(&path) else {
            continue;
        };
        if part.is_empty() || path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = of_size(&part, 10_000);
        let time = best(20, || {
            black_box(parse("make ci", Some(1), &text));
        });
        if time > slowest.0 {
            slowest = (time, name.clone());
        }
        let text = of_size(&part, size);
        let time = best(2, || {
            black_box(events(&run("make ci", &text, Some(1))));
        });
        let speed = rate(size, time);
        if speed < slowest_rate.0 {
            slowest_rate = (speed, name.clone());
        }
        if speed < 100.0 {
            println!("  {name}: {speed:.0} MB/s");
        }
        all.extend_from_slice(&part);
    }
    let dense = of_size(&all, size);
    let time = best(5, || {
        black_box(events(&run("make ci", &dense, Some(1))));
    });
    println!("dense, whole corpus: {:.0} MB/s", rate(size, time));
    println!(
        "dense, slowest file: {:.0} MB/s ({})",
        slowest_rate.0, slowest_rate.1
    );
    println!(
        "10 000 characters, slowest file: {:?} ({})",
        slowest.0, slowest.1
    );
}
