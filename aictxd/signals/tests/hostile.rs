//! Arbitrary and mutated output: nothing panics, bounds hold, time grows with the text only.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use aictx_proto::event::MAX_EVENTS;
use aictx_signals::{Run, events, outcome, parse};
use proptest::prelude::*;

mod samples;

use samples::{ROOT, Sample, samples};

fn corpus() -> &'static [Sample] {
    static ALL: std::sync::OnceLock<Vec<Sample>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = samples("corpus");
        all.extend(samples("own"));
        all
    })
}

fn check(command: &str, text: &[u8], status: Option<i32>) -> Result<(), TestCaseError> {
    let run = Run {
        command,
        exit_status: status,
        stdout: text,
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    };
    let found = events(&run);
    prop_assert!(found.len() <= MAX_EVENTS);
    if status == Some(0) {
        prop_assert!(found.is_empty());
    } else if status.is_some() {
        prop_assert!(!found.is_empty());
    }
    for event in found {
        prop_assert!(!event.message.is_empty() && event.message.chars().count() <= 500);
        prop_assert!(event.code.chars().count() <= 80 && event.test.chars().count() <= 300);
        prop_assert!(event.file.chars().count() <= 400 && event.fingerprint.len() <= 93);
        prop_assert!(
            ["test", "lint", "typecheck", "build", "runtime"].contains(&event.phase.as_str())
        );
        prop_assert!(["error", "warning"].contains(&event.severity.as_str()));
    }
    outcome(&Run {
        exit_status: None,
        ..run
    });
    parse(command, status, text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Bytes of real output cut, doubled, swapped and overwritten.
    #[test]
    fn mutated_samples(
        which in 0usize..1_000,
        edits in proptest::collection::vec((any::<u16>(), any::<u16>(), any::<u8>(), 0u8..4), 1..12),
        status in prop_oneof![Just(Some(1)), Just(Some(0)), Just(None), Just(Some(139))],
    ) {
        let all = corpus();
        let sample = &all[which % all.len()];
        let mut text = sample.bytes.clone();
        for (from, length, byte, kind) in edits {
            if text.is_empty() {
                break;
            }
            let from = usize::from(from) % text.len();
            let to = (from + usize::from(length) % 200).min(text.len());
            match kind {
                0 => text[from] = byte,
                1 => drop(text.drain(from..to)),
                2 => {
                    let part = text[from..to].to_vec();
                    text.splice(from..from, part);
                }
                _ => text.truncate(from.max(1)),
            }
        }
        check(&sample.command, &text, status)?;
    }

    /// Lines of all tools, shuffled together.
    #[test]
    fn mixed_lines(picks in proptest::collection::vec((any::<u16>(), any::<u16>()), 0..120), status in prop_oneof![Just(Some(1)), Just(None)]) {
        let all = corpus();
        let mut text = Vec::new();
        for (sample, line) in picks {
            let bytes = &all[usize::from(sample) % all.len()].bytes;
            let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
            text.extend_from_slice(lines[usize::from(line) % lines.len()]);
            text.push(b'\n');
        }
        check("make ci", &text, status)?;
    }

    /// A cut in the middle never makes an event out of half a line's halves.
    #[test]
    fn cut_in_the_middle(which in 0usize..1_000, from in any::<u16>(), length in 1u16..400) {
        let all = corpus();
        let sample = &all[which % all.len()];
        let from = usize::from(from) % (sample.bytes.len() + 1);
        let to = (from + usize::from(length)).min(sample.bytes.len());
        let mut text = sample.bytes[..from].to_vec();
        text.extend_from_slice(format!("\n\n… [{} characters truncated] …\n\n", to - from).as_bytes());
        text.extend_from_slice(&sample.bytes[to..]);
        check(&sample.command, &text, Some(1))?;
    }
}

/// Dressing of terminals and services changes nothing.
#[test]
fn dressed_samples_give_the_same() {
    for sample in corpus() {
        let Ok(text) = std::str::from_utf8(&sample.bytes) else {
            continue;
        };
        let of = |bytes: &[u8]| {
            let run = Run {
                command: &sample.command,
                exit_status: Some(sample.exit),
                stdout: bytes,
                stderr: b"",
                root: ROOT,
                cwd: ROOT,
            };
            events(&run)
        };
        let plain = of(text.as_bytes());
        assert_eq!(
            of(text.replace('\n', "\r\n").as_bytes()),
            plain,
            "{} with CRLF",
            sample.file
        );
        let coloured = text
            .lines()
            .map(|line| format!("\u{1b}[31m{line}\u{1b}[0m\n"))
            .collect::<String>();
        assert_eq!(of(coloured.as_bytes()), plain, "{} in colour", sample.file);
        let dated = text
            .lines()
            .map(|line| format!("2026-03-04T09:41:12.1234567Z {line}\n"))
            .collect::<String>();
        assert_eq!(of(dated.as_bytes()), plain, "{} dated", sample.file);
        assert_eq!(
            of(format!("10%\r50%\r100%\r\n{text}").as_bytes()).len(),
            plain.len(),
            "{}",
            sample.file
        );
    }
}

/// Every ninth line of the corpora, repeated: four times the text takes about four times the time.
#[test]
fn time_is_linear_in_the_text() {
    let mut lines: Vec<&[u8]> = corpus()
        .iter()
        .flat_map(|sample| sample.bytes.split(|byte| *byte == b'\n'))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let commands =
        "pytest; cargo test; go test; npm test; mvn test; dotnet test; make; ruby x.rb; php x.php";
    let timed = |part: &[u8], size: usize| {
        let text: Vec<u8> = part
            .iter()
            .chain(b"\n")
            .copied()
            .cycle()
            .take(size)
            .collect();
        let run = Run {
            command: commands,
            exit_status: Some(1),
            stdout: &text,
            stderr: b"",
            root: ROOT,
            cwd: ROOT,
        };
        let started = Instant::now();
        events(&run);
        started.elapsed()
    };
    let mut slow = Vec::new();
    for line in lines.iter().step_by(9) {
        let small = timed(line, 20_000);
        // Busy machines: only what is far beyond linear and slow in itself is looked at again.
        if timed(line, 80_000) > small * 12 + Duration::from_millis(40) {
            let (small, large) = (timed(line, 50_000), timed(line, 400_000));
            if large > small * 24 + Duration::from_millis(100) {
                slow.push(format!(
                    "{small:?} {large:?} {}",
                    String::from_utf8_lossy(line)
                ));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
