//! Time that reading takes. Run with `cargo test --release --test throughput -- --ignored --nocapture`.

#![allow(clippy::disallowed_methods)]
// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use aictx_signals::{Run, events, outcome};

/// Best of several runs, so that a busy machine does not decide.
fn best(mut work: impl FnMut()) -> Duration {
    (0..20)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .min()
        .unwrap()
}

fn sample(file: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/tests/corpus/{file}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

fn of_size(part: &[u8], size: usize) -> Vec<u8> {
    part.iter().copied().cycle().take(size).collect()
}

#[test]
#[ignore = "a measurement, for release builds"]
fn ten_thousand_characters_and_a_megabyte() {
    let mut slow = Vec::new();
    for (file, command) in [
        ("01-pytest-assert.txt", "pytest -q"),
        ("141-pytest-xdist.txt", "pytest -n 4"),
        ("48-cargo-clippy.txt", "cargo clippy"),
        ("47-cargo-test.txt", "cargo test"),
        ("07-python-chained.txt", "python job.py"),
        ("111-cargo-warning-ok.txt", "make"),
        ("109-git-hook.txt", "git commit -m x"),
    ] {
        let part = sample(file);
        for (size, limit) in [
            (10_000, Duration::from_micros(200)),
            (1_000_000, Duration::from_millis(8)),
        ] {
            let text = of_size(&part, size);
            let run = Run {
                command,
                exit_status: Some(1),
                stdout: &text,
                stderr: b"",
                root: "/home/dev/app",
                cwd: "/home/dev/app",
            };
            let time = best(|| {
                assert!(!events(&run).is_empty());
            });
            let unknown = best(|| {
                outcome(&Run {
                    exit_status: None,
                    ..run
                });
            });
            println!("{size:>8} bytes of {file}: events {time:?}, outcome {unknown:?}");
            if time > limit {
                slow.push(format!("{file} {size}: {time:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
#[ignore = "a measurement, for release builds"]
fn twice_the_text_takes_twice_the_time() {
    for part in [
        "E   x: y\n",
        "____ a ____\n",
        "FAILED a.py::b - c\n",
        "Traceback (most recent call last):\n",
        "thread 'x' panicked at a.rs:1:1:\n",
        "error: x\n",
        "  File \"a.py\", line 1, in f\n",
        "=== FAILURES ===\n",
        "---- a stdout ----\n",
        "test a ... FAILED\n",
        "a.py:1: X\n",
        "\u{1b}[",
        "a:1:",
    ] {
        let times = [250_000, 1_000_000].map(|size| {
            let text = of_size(part.as_bytes(), size);
            best(|| {
                events(&Run {
                    command: "pytest; cargo test; python x",
                    exit_status: Some(1),
                    stdout: &text,
                    stderr: b"",
                    root: "/r",
                    cwd: "/r",
                });
            })
        });
        println!("{part:?}: {times:?}");
        assert!(
            times[1] < times[0] * 8 + Duration::from_millis(5),
            "{part:?} {times:?}"
        );
    }
}
