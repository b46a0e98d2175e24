//! Real and neutralised tool output, compared event by event with what a careful reader sees.

#![allow(clippy::disallowed_methods)]
// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aictx_proto::event::MAX_EVENTS;
use aictx_proto::ledger::Outcome;
use aictx_signals::{Run, events, exit_status_from_text, outcome};

mod samples;

use samples::{ROOT, Sample, differences, run};

fn samples() -> Vec<Sample> {
    samples::samples("corpus")
}

#[test]
fn every_sample_gives_the_expected_events() {
    let all = samples();
    assert!(all.len() >= 146, "the corpus lost samples: {}", all.len());
    let found = differences(&all);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn benign_samples_give_nothing() {
    let benign: Vec<_> = samples()
        .into_iter()
        .filter(|sample| sample.expected.is_empty())
        .collect();
    assert!(benign.len() >= 6);
    for sample in &benign {
        assert_eq!(events(&run(sample, Some(0))), [], "{}", sample.file);
        // A program that went on after its traceback did not fail because of it.
        assert_eq!(
            events(&run(sample, None)),
            [],
            "{} without status",
            sample.file
        );
    }
}

#[test]
fn outcomes_from_text() {
    for sample in samples() {
        let got = outcome(&run(&sample, None));
        if sample.expected.is_empty() {
            assert_ne!(got, Outcome::Failed, "{}", sample.file);
        } else {
            assert_ne!(got, Outcome::Passed, "{}", sample.file);
        }
        let got = outcome(&run(&sample, Some(sample.exit)));
        assert_eq!(got == Outcome::Passed, sample.exit == 0);
    }
    let text = |text: &'static str| {
        outcome(&Run {
            command: "x | tail",
            exit_status: None,
            stdout: text.as_bytes(),
            stderr: b"",
            root: ROOT,
            cwd: ROOT,
        })
    };
    assert_eq!(text("1 failed, 3 passed in 0.1s"), Outcome::Failed);
    assert_eq!(text("160 passed in 0.12s"), Outcome::Passed);
    assert_eq!(
        text("test result: ok. 3 passed\ntest result: FAILED. 1 passed"),
        Outcome::Failed
    );
    // A run of no test proves nothing, whatever its status.
    let ran = |command: &str, stdout: &str| {
        outcome(&Run {
            command,
            exit_status: Some(0),
            stdout: stdout.as_bytes(),
            stderr: b"",
            root: "",
            cwd: "",
        })
    };
    let none = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s";
    let one = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s";
    assert_eq!(ran("cargo test nosuch", none), Outcome::Unknown);
    assert_eq!(
        ran("cargo test x", &format!("{none}\n{one}")),
        Outcome::Passed
    );
    assert_eq!(
        ran("pytest", "1 skipped, 3 deselected in 0.01s"),
        Outcome::Unknown
    );
    assert_eq!(ran("go test ./...", "ok  \tpkg\t0.01s"), Outcome::Passed);
    assert_eq!(ran("pytest", ""), Outcome::Passed);
    assert_eq!(ran("cat log", none), Outcome::Passed);
    assert_eq!(text("hello"), Outcome::Unknown);
    assert_eq!(text(""), Outcome::Unknown);
}

#[test]
fn a_failure_cut_in_the_middle() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let text = std::fs::read_to_string(format!("{dir}/cut-pytest.txt")).unwrap();
    let (status, rest) = exit_status_from_text(&text).unwrap();
    assert_eq!(status, 1);
    let got = events(&Run {
        command: "python -m pytest -q",
        exit_status: Some(status),
        stdout: rest.as_bytes(),
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    });
    let tests: Vec<_> = got.iter().map(|event| event.test.as_str()).collect();
    assert_eq!(
        tests,
        ["0", "1", "2", "77", "78", "79"].map(|n| format!("test_calc.py::test_add[{n}]"))
    );
    for event in &got {
        assert_eq!(
            (event.file.as_str(), event.line.as_str()),
            ("test_calc.py", "6")
        );
        assert_eq!(event.code, "AssertionError");
        assert!(event.message.starts_with("addition is wrong for "));
    }
}

#[test]
fn summary_lines_behind_a_pipe() {
    let text = "FAILED test_calc.py::test_add[158] - AssertionError: addition is wrong for 158\n\
                FAILED test_calc.py::test_add[159] - AssertionError: addition is wrong for 159\n\
                160 failed in 0.45s";
    let run = Run {
        command: "python -m pytest -q | tail -n 3",
        exit_status: None,
        stdout: text.as_bytes(),
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    };
    assert_eq!(outcome(&run), Outcome::Failed);
    let got = events(&run);
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].test, "test_calc.py::test_add[158]");
    assert_eq!(got[0].message, "addition is wrong for 158");
    assert_eq!(got[0].file, "test_calc.py");
}

#[test]
fn python_one_liner() {
    let text = "/usr/bin/python3: No module named pytest\nTraceback (most recent call last):\n  \
                File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'nosuch'";
    let got = events(&Run {
        command: "python3 -m pytest -q test_calc.py || python3 -c 'import nosuch'",
        exit_status: Some(1),
        stdout: text.as_bytes(),
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    });
    assert_eq!(got.len(), 2, "{got:?}");
    assert_eq!(got[0].message, "No module named pytest");
    assert_eq!(got[1].code, "ModuleNotFoundError");
    assert_eq!((got[1].file.as_str(), got[1].line.as_str()), ("", ""));
}

#[test]
fn leading_exit_code() {
    assert_eq!(exit_status_from_text("Exit code 1\nx"), Some((1, "x")));
    assert_eq!(exit_status_from_text("Exit code 143"), Some((143, "")));
    assert_eq!(exit_status_from_text("Exit code one"), None);
    assert_eq!(exit_status_from_text("Exit codes 1\n"), None);
    assert_eq!(exit_status_from_text("File does not exist."), None);
}

#[test]
fn hostile_output_is_bounded_and_quick() {
    let parts = [
        "____ a ____\n",
        "E   x: y\n",
        "a.py:1: X\n",
        "Traceback (most recent call last):\n",
        "  File \"a.py\", line 1, in f\n",
        "error: x\n",
        "  --> a:1:1\n",
        "thread 'x' panicked at a.rs:1:1:\n",
        "FAILED a.py::b - c\n",
        "= FAILURES =\n",
        "=== FAILURES ===\n",
        "---- a stdout ----\n",
        "\u{1b}[",
        "\r",
        "[",
        "  | ",
        "  + Exception Group Traceback (most recent call last):\n",
        "test a ... FAILED\n",
        "error: linking with `x`\n  = note: a: error: b\n",
        "During handling of the above exception, another exception occurred:\n",
        "a:1:",
        ":",
        " ",
        "_ ",
        "… [1 characters truncated] …\n",
    ];
    let started = std::time::Instant::now();
    for part in parts {
        for command in ["pytest", "cargo test", "python x"] {
            for text in [
                part.repeat(200_000 / part.len()),
                format!("=== FAILURES ===\n{}", part.repeat(100_000 / part.len())),
            ] {
                let got = events(&Run {
                    command,
                    exit_status: Some(1),
                    stdout: text.as_bytes(),
                    stderr: text.as_bytes(),
                    root: ROOT,
                    cwd: ROOT,
                });
                assert!(!got.is_empty() && got.len() <= MAX_EVENTS);
            }
        }
    }
    // 150 runs of up to 400 KB; the bound is generous because debug builds are slow.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

proptest::proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400), status in -1..300i32) {
        let run = Run { command: "pytest", exit_status: Some(status), stdout: &bytes, stderr: b"", root: ROOT, cwd: ROOT };
        events(&run);
        outcome(&Run { exit_status: None, ..run });
    }

    /// Lines of real samples, shuffled: nothing panics, bounds hold.
    #[test]
    fn shuffled_lines(picks in proptest::collection::vec((0usize..64, 0usize..64), 0..80)) {
        let all = samples();
        let mut text = String::new();
        for (sample, line) in picks {
            let sample = &all[sample % all.len()];
            let body = String::from_utf8_lossy(&sample.bytes);
            if let Some(line) = body.lines().nth(line) {
                text.push_str(line);
                text.push('\n');
            }
        }
        for status in [Some(1), None] {
            let run = Run { command: "make", exit_status: status, stdout: text.as_bytes(), stderr: b"", root: ROOT, cwd: ROOT };
            for event in events(&run) {
                proptest::prop_assert!(event.message.chars().count() <= 500 && !event.message.is_empty());
                proptest::prop_assert!(event.fingerprint.len() <= 93);
            }
        }
    }
}

/// pytest ends with 5 when it found no test: that is no failure of the code, and no success.
#[test]
fn a_run_that_found_no_test_says_nothing() {
    for (command, status, output, want) in [
        (
            "pytest -k nothing",
            5,
            "collected 3 items / 3 deselected / 0 selected\n\n===== 3 deselected in 0.01s =====",
            Outcome::Unknown,
        ),
        (
            "python -m pytest tests",
            5,
            "===== no tests ran in 0.00s =====",
            Outcome::Unknown,
        ),
        (
            "pytest",
            1,
            "===== no tests ran in 0.00s =====",
            Outcome::Failed,
        ),
        (
            "pytest",
            5,
            "===== 1 failed in 0.10s =====",
            Outcome::Failed,
        ),
        ("./deploy", 5, "no tests ran", Outcome::Failed),
        (
            "pytest && ./deploy",
            5,
            "===== 3 passed in 0.10s =====",
            Outcome::Failed,
        ),
    ] {
        let run = Run {
            command,
            exit_status: Some(status),
            stdout: output.as_bytes(),
            stderr: b"",
            root: "",
            cwd: "",
        };
        assert_eq!(outcome(&run), want, "{command} {output}");
    }
}
