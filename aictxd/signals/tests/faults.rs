//! Faults of the ancestor, by their numbers in the list of weaknesses.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aictx_proto::event::ErrorEvent;
use aictx_signals::{Run, events};

mod samples;

use samples::{ROOT, run, samples};

fn of(file: &str) -> Vec<ErrorEvent> {
    let all = samples("corpus");
    let sample = all
        .iter()
        .find(|sample| sample.file.starts_with(file))
        .unwrap();
    events(&run(sample, Some(sample.exit)))
}

fn text(command: &str, status: i32, text: &str) -> Vec<ErrorEvent> {
    events(&Run {
        command,
        exit_status: Some(status),
        stdout: text.as_bytes(),
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    })
}

#[test]
fn w_f1_dead_recognisers_live() {
    assert_eq!(of("25-jest")[0].toolchain, "jest");
    assert_eq!(of("28-vitest")[0].toolchain, "vitest");
    assert_eq!(of("118-npm-old-err")[0].code, "ELIFECYCLE");
    let warnings = text(
        "cargo clippy -- -D warnings",
        101,
        "error: unused variable: `x`\n --> src/lib.rs:1:5\n  |\n  = note: `-D unused-variables` implied by `-D warnings`\n\n",
    );
    assert_eq!(warnings[0].phase, "lint");
}

#[test]
fn w_f2_different_test_failures_have_different_identities() {
    let mut prints: Vec<_> = ["01-", "04-", "25-", "41-", "47-", "81-"]
        .iter()
        .flat_map(|file| of(file))
        .map(|event| event.fingerprint)
        .collect();
    let all = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), all);
}

#[test]
fn w_f3_locations_of_multi_line_tools() {
    for file in [
        "01-", "12-", "19-", "23-", "35-", "36-", "46-", "62-", "75-",
    ] {
        assert!(
            of(file)
                .iter()
                .all(|event| !event.file.is_empty() && !event.line.is_empty()),
            "{file}"
        );
    }
}

#[test]
fn w_f4_labels_of_the_right_tool() {
    for (file, toolchain) in [
        ("29-", "mocha"),
        ("98-", "lua"),
        ("15-", "flake8"),
        ("138-", "typescript"),
        ("137-", "swift"),
    ] {
        assert!(
            of(file).iter().all(|event| event.toolchain == toolchain),
            "{file}"
        );
    }
}

#[test]
fn w_f5_success_is_no_failure() {
    for sample in samples("corpus").iter().chain(&samples("own")) {
        assert_eq!(events(&run(sample, Some(0))), [], "{}", sample.file);
    }
}

#[test]
fn w_f6_summaries_tips_and_frames_are_no_events() {
    for (file, count) in [("07-", 2), ("58-", 2), ("59b-", 2), ("75-", 2), ("140-", 1)] {
        assert_eq!(of(file).len(), count, "{file}");
    }
}

#[test]
fn w_f7_long_paths_do_not_merge_errors() {
    let path = format!("src/{}/a.ts", "deep/".repeat(30));
    let found = text(
        "tsc",
        2,
        &format!(
            "{path}(1,1): error TS2322: Type 'a' is not assignable to type 'b'.\n{path}(2,1): error TS2322: Type 'c' is not assignable to type 'd'.\n"
        ),
    );
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].fingerprint, found[1].fingerprint);
}

#[test]
fn w_f8_the_same_in_another_clone() {
    let all = samples("corpus");
    for sample in all.iter().filter(|sample| !sample.expected.is_empty()) {
        let Ok(plain) = std::str::from_utf8(&sample.bytes) else {
            continue;
        };
        let moved = plain.replace(ROOT, "/srv/ci/build/42");
        let there = events(&Run {
            root: "/srv/ci/build/42",
            cwd: "/srv/ci/build/42",
            stdout: moved.as_bytes(),
            ..run(sample, Some(sample.exit))
        });
        let prints = |events: &[ErrorEvent]| -> Vec<String> {
            events
                .iter()
                .map(|event| event.fingerprint.clone())
                .collect()
        };
        let here = events(&run(sample, Some(sample.exit)));
        assert_eq!(prints(&here), prints(&there), "{}", sample.file);
    }
}

#[test]
fn w_f9_colours_line_ends_and_drives() {
    assert_eq!(of("101-")[0].code, "KeyError");
    assert_eq!(of("22-").len(), of("21-").len());
    assert_eq!(of("117-")[0].file, "C:/work/Shop/Cart/Cart.cs");
}

#[test]
fn w_f10_phase_of_the_tool() {
    let phases: Vec<_> = of("106-").iter().map(|event| event.phase.clone()).collect();
    assert_eq!(phases, ["lint", "typecheck", "test"]);
    assert!(of("53-").iter().all(|event| event.phase == "build"));
    assert_eq!(of("34-")[0].phase, "typecheck");
}

#[test]
fn w_f12_bytes_that_are_no_text() {
    assert_eq!(of("102-").len(), 1);
    assert_eq!(of("72-")[0].code, "SIGSEGV");
}
