//! Output of any content gives bounded events that agree with the outcome.
#![no_main]

use aictx_proto::event::MAX_EVENTS;
use aictx_proto::ledger::Outcome;
use aictx_shell::{is_test_command};
use aictx_signals::{Run, events, exit_status_from_text, outcome};
use libfuzzer_sys::fuzz_target;

const COMMANDS: &[&str] = &[
    "pytest -q",
    "cargo test",
    "python a.py",
    "tsc --noEmit",
    "mypy .",
    "ruff check",
    "go test ./...",
    "npm test",
    "make",
];

fuzz_target!(|input: (Option<i8>, u8, &[u8], &[u8])| {
    let (status, command, stdout, stderr) = input;
    let run = Run {
        command: COMMANDS[usize::from(command) % COMMANDS.len()],
        exit_status: status.map(i32::from),
        stdout,
        stderr,
        root: "/home/u/repo",
        cwd: "/home/u/repo/src",
    };
    let found = events(&run);
    assert!(found.len() <= MAX_EVENTS);
    assert!(found.iter().all(|event| !event.fingerprint.is_empty()));
    match outcome(&run) {
        Outcome::Passed => assert!(found.is_empty()),
        // Tests say themselves that they failed, or that there were none, whatever the status is.
        Outcome::Failed => assert!(status != Some(0) || is_test_command(run.command)),
        Outcome::Unknown => match status {
            None => {}
            Some(status) => assert!(matches!(status, 0 | 5) && is_test_command(run.command)),
        },
    }
    let _ = exit_status_from_text(&String::from_utf8_lossy(stdout));
});
