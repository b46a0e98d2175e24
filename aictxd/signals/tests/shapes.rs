//! Shapes of the tools' output that the corpus does not hold.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aictx_proto::event::ErrorEvent;
use aictx_signals::{Run, events};

fn found(command: &str, text: &str) -> Vec<ErrorEvent> {
    events(&Run {
        command,
        exit_status: Some(1),
        stdout: text.as_bytes(),
        stderr: b"",
        root: "/r/app",
        cwd: "/r/app",
    })
}

fn brief(event: &ErrorEvent) -> String {
    format!(
        "{} {}:{} [{}] {} ({})",
        event.code, event.file, event.line, event.test, event.message, event.role
    )
}

fn check(command: &str, text: &str, want: &[&str]) {
    let got: Vec<_> = found(command, text).iter().map(brief).collect();
    assert_eq!(got, want, "{text}");
}

#[test]
fn pytest_without_summary_or_with_other_tracebacks() {
    check(
        "pytest --tb=short -r N",
        "=================================== FAILURES ===================================\n\
         _ TestLong.test_a_name_that_is_wider_than_the_screen_and_leaves_one_underscore[a.b - c] _\n\
         tests/test_a.py:4: in test_a\n    f()\nlib/core.py:9: in f\n    raise KeyError('k')\nE   KeyError: 'k'\n\
         ----------------------------- Captured stdout call -----------------------------\n\
         other.py:7: ValueError: not this\n\
         1 failed in 0.01s\n",
        &[
            "KeyError lib/core.py:9 [tests/test_a.py::TestLong::test_a_name_that_is_wider_than_the_screen_and_leaves_one_underscore[a.b - c]] 'k' ()",
        ],
    );
    check(
        "pytest --tb=native",
        "=================================== FAILURES ===================================\n\
         ____________________________________ test_n ____________________________________\n\
         Traceback (most recent call last):\n  File \"/r/app/test_n.py\", line 2, in test_n\n    assert 1 == 2\n\
         AssertionError: assert 1 == 2\n\
         =========================== short test summary info ============================\n\
         FAILED test_n.py::test_n - AssertionError: assert 1 == 2\n1 failed in 0.01s\n",
        &["AssertionError test_n.py:2 [test_n.py::test_n] assert 1 == 2 ()"],
    );
    check(
        "pytest --tb=no -v",
        "test_v.py::test_a PASSED   [ 50%]\ntest_v.py::test_b FAILED   [100%]\n\n1 failed, 1 passed in 0.01s\n",
        &[" test_v.py: [test_v.py::test_b] failed ()"],
    );
    check(
        "pytest -q",
        "FAILED t.py::test_x[a - b] - Failed: DID NOT RAISE\nERROR conf/test_y.py - ImportError: no\n",
        &[
            "Failed t.py: [t.py::test_x[a - b]] DID NOT RAISE ()",
            "ImportError conf/test_y.py: [conf/test_y.py] no ()",
        ],
    );
}

#[test]
fn pytest_syntax_errors_chains_and_usage() {
    check(
        "pytest",
        "==================================== ERRORS ====================================\n\
         ______________________ ERROR collecting tests/test_s.py ______________________\n\
         /usr/lib/python3/_pytest/python.py:617: in _importtestmodule\n    mod = import_path(\n\
         E     File \"/r/app/tests/test_s.py\", line 3\nE       def f(\nE            ^\nE   SyntaxError: '(' was never closed\n\
         =========================== short test summary info ============================\n\
         ERROR tests/test_s.py\n!!!!! Interrupted: 1 error during collection !!!!!\n1 error in 0.1s\n",
        &["SyntaxError tests/test_s.py:3 [tests/test_s.py] '(' was never closed ()"],
    );
    check(
        "pytest",
        "=================================== FAILURES ===================================\n\
         ____________________________________ test_c ____________________________________\n\n\
         >       int('x')\nE       ValueError: invalid literal\n\ntest_c.py:3: ValueError\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         >       raise ConfigError('bad') from e\nE       app.ConfigError: bad\n\ntest_c.py:5: ConfigError\n\
         =========================== short test summary info ============================\n\
         FAILED test_c.py::test_c - app.ConfigError: bad\n",
        &["ConfigError test_c.py:5 [test_c.py::test_c] bad ()"],
    );
    check(
        "pytest tests/nope.py",
        "no tests ran in 0.00s\nERROR: file or directory not found: tests/nope.py\n",
        &[" : [] file or directory not found: tests/nope.py ()"],
    );
}

#[test]
fn python_from_a_sub_directory_and_in_a_virtual_environment() {
    let text = "Traceback (most recent call last):\n  File \"run.py\", line 2, in <module>\n    main()\n  \
                File \"/r/app/.venv/lib/python3.12/site-packages/x/y.py\", line 9, in z\n    boom()\nx.Boom: it is\nmore text\n";
    check(
        "cd tool && python run.py",
        text,
        &["Boom tool/run.py:2 [] it is ()"],
    );
    check(
        "python -m unittest",
        "E\n======================================================================\nFAIL: test_a (pkg.test_m.Case.test_a)\n\
         ----------------------------------------------------------------------\nTraceback (most recent call last):\n  \
         File \"/r/app/pkg/test_m.py\", line 5, in test_a\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\nFAILED (failures=1)\n",
        &["AssertionError pkg/test_m.py:5 [pkg.test_m.Case.test_a] 1 != 2 ()"],
    );
}

#[test]
fn rust_shapes() {
    check(
        "cargo build",
        "error: could not compile `x` (bin \"x\") due to 1 previous error\n",
        &[" : [] could not compile `x` (bin \"x\") due to 1 previous error ()"],
    );
    check(
        "cd crates/a && cargo test",
        "running 2 tests\ntest a ... FAILED\ntest b ... FAILED\n\nfailures:\n\n---- a stdout ----\nError: NotFound\n\n---- b stdout ----\n\n\
         thread 'b' panicked at /rustc/0000/library/core/src/option.rs:1:1:\nno value\nstack backtrace:\n   0: x\n             at /rustc/0000/y.rs:1:1\n   \
         1: b\n             at ./src/lib.rs:7:3\ntest result: FAILED. 0 passed; 2 failed\n",
        &[
            " : [a] NotFound ()",
            "panic crates/a/src/lib.rs:7 [b] no value ()",
        ],
    );
    check(
        "cd crates/a && cargo check",
        "warning: unused import: `x`\n --> crates/a/src/lib.rs:1:5\n  |\n\nerror: literal out of range for `u8`\n --> crates/a/src/lib.rs:2:5\n  |\n  = note: `#[deny(overflowing_literals)]` on by default\n\n",
        &["overflowing_literals crates/a/src/lib.rs:2 [] literal out of range for `u8` ()"],
    );
    check(
        "cargo nextest run",
        "        FAIL [   0.004s] (1/3) tally tests::doubles\n  stdout ───\n\n    running 1 test\n    test tests::doubles ... FAILED\n  stderr ───\n\n    \
         thread 'tests::doubles' (12) panicked at src/lib.rs:11:9:\n    not equal\n\n     Summary [   0.010s] 3 tests run: 2 passed, 1 failed\n\
         error: test run failed\n",
        &["panic src/lib.rs:11 [tests::doubles] not equal ()"],
    );
    check(
        "cargo test",
        "running 1 test\ntest it::silent ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed\n",
        &[" : [it::silent] test it::silent failed ()"],
    );
}

#[test]
fn other_tools_are_not_mistaken() {
    let got = found(
        "./build.sh",
        "error: something of another tool\nwarning: x\n",
    );
    assert_eq!((got.len(), got[0].toolchain.as_str()), (1, "unknown"));
    let got = found(
        "go test ./...",
        "--- FAIL: TestX (0.00s)\nFAIL\tpkg\t0.1s\n",
    );
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].toolchain, "go");
}
