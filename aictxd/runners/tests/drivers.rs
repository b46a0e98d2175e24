//! Turns of real agents, as their drivers read them.
//!
//! `driver/<agent>/<case>.jsonl` is what an agent printed when it was driven with the driver's arguments against a
//! scripted model (tests/runners/record.mjs), shortened; what stands under `command` was written by hand.
//! `driver/index.jsonl` says how each ended and what its report must be. `UPDATE_GOLDEN=1` writes the reports anew;
//! read the difference before keeping it.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::{env, fs};

use aictx_proto::flow::{ErrorClass, TurnOutcome, TurnReport};
use aictx_runners::driver::{
    Exit, MAX_ERROR, MAX_LINE, MAX_PROGRESS, MAX_TEXT, Progress, driver, drivers,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
struct Turn {
    agent: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "is_false")]
    interrupted: bool,
    /// Written by hand, not recorded.
    #[serde(skip_serializing_if = "is_false")]
    written: bool,
    now: i64,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<TurnReport>,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            agent: String::new(),
            file: String::new(),
            exit: None,
            signal: None,
            interrupted: false,
            written: false,
            now: 1_795_971_600,
            stderr: String::new(),
            report: None,
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/driver")
}

fn zones(name: &str) -> Option<TimeZone> {
    if name.is_empty() {
        return TimeZone::try_system().ok();
    }
    TimeZone::get(name).ok()
}

fn read(turn: &Turn) -> TurnReport {
    let mut reader = driver(&turn.agent).unwrap().reader();
    reader.set_zones(zones);
    let lines = fs::read_to_string(folder().join(&turn.agent).join(&turn.file)).unwrap();
    for line in lines.lines() {
        reader.line(line, turn.now);
    }
    let exit = Exit {
        code: turn.exit,
        signal: turn.signal,
    };
    reader.finish(exit, &turn.stderr, turn.interrupted, turn.now)
}

/// Codex tells the end of a limit by the clock of its machine, which was UTC.
fn by_local_clock(report: &TurnReport) -> TurnReport {
    let mut report = report.clone();
    if let Some(error) = &mut report.error
        && let Some(at) = &mut error.resets_at
        && error.text.contains("try again at")
    {
        let there = Timestamp::from_second(*at)
            .unwrap()
            .to_zoned(TimeZone::UTC)
            .datetime();
        *at = there
            .to_zoned(TimeZone::try_system().unwrap_or(TimeZone::UTC))
            .unwrap()
            .timestamp()
            .as_second();
    }
    report
}

#[test]
fn recorded_turns_are_read_as_they_ended() {
    let path = folder().join("index.jsonl");
    let index = fs::read_to_string(&path).unwrap();
    let mut turns: Vec<Turn> = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        let mut text = String::new();
        for turn in &mut turns {
            turn.report = Some(read(turn));
            text += &(serde_json::to_string(turn).unwrap() + "\n");
        }
        fs::write(path, text).unwrap();
        return;
    }
    assert!(turns.len() >= 50);
    for turn in &turns {
        let report = turn.report.as_ref().map(by_local_clock);
        assert_eq!(Some(read(turn)), report, "{} {}", turn.agent, turn.file);
    }
}

#[test]
fn every_recording_is_in_the_index() {
    let index = fs::read_to_string(folder().join("index.jsonl")).unwrap();
    let mut files = 0;
    for driver in drivers() {
        files += fs::read_dir(folder().join(driver.name())).unwrap().count();
    }
    assert_eq!(index.lines().count(), files);
}

/// Texts that would be errors if an agent said them of itself.
const BAIT: &str =
    "5-hour limit reached, resets 3pm; 401 unauthorized; overloaded; prompt is too long";

#[test]
fn words_of_tools_and_models_are_no_errors() {
    let said = |driver: &str, lines: &[String]| {
        let mut reader = aictx_runners::driver::driver(driver).unwrap().reader();
        lines.iter().for_each(|line| drop(reader.line(line, 0)));
        reader.finish(
            Exit {
                code: Some(0),
                signal: None,
            },
            BAIT,
            false,
            0,
        )
    };
    let turns = [
        (
            "claude",
            vec![
                format!(
                    r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{BAIT}"}}]}}}}"#
                ),
                format!(
                    r#"{{"type":"result","subtype":"success","is_error":false,"result":"{BAIT}"}}"#
                ),
            ],
        ),
        (
            "codex",
            vec![
                format!(
                    r#"{{"type":"item.completed","item":{{"type":"command_execution","aggregated_output":"{BAIT}","exit_code":1}}}}"#
                ),
                format!(
                    r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{BAIT}"}}}}"#
                ),
                r#"{"type":"turn.completed","usage":{}}"#.to_owned(),
            ],
        ),
        (
            "gemini",
            vec![
                format!(
                    r#"{{"type":"tool_result","status":"error","output":"{BAIT}","error":{{"message":"{BAIT}"}}}}"#
                ),
                format!(
                    r#"{{"type":"message","role":"assistant","content":"{BAIT}","delta":true}}"#
                ),
                r#"{"type":"result","status":"success"}"#.to_owned(),
            ],
        ),
        (
            "opencode",
            vec![
                format!(
                    r#"{{"type":"tool_use","part":{{"tool":"bash","state":{{"status":"error","error":"{BAIT}"}}}}}}"#
                ),
                format!(r#"{{"type":"text","part":{{"text":"{BAIT}"}}}}"#),
                r#"{"type":"step_finish","part":{"reason":"stop"}}"#.to_owned(),
            ],
        ),
        (
            "copilot",
            vec![
                format!(
                    r#"{{"type":"tool.execution_complete","data":{{"success":false,"error":{{"message":"{BAIT}"}}}}}}"#
                ),
                format!(r#"{{"type":"assistant.message","data":{{"content":"{BAIT}"}}}}"#),
                r#"{"type":"result","exitCode":0}"#.to_owned(),
            ],
        ),
        ("command", vec![BAIT.to_owned()]),
    ];
    for (agent, lines) in turns {
        let report = said(agent, &lines);
        assert_eq!(
            (report.outcome, report.error),
            (TurnOutcome::Ok, None),
            "{agent}"
        );
        assert_eq!(report.text, BAIT, "{agent}");
        // Without the end nothing more than a crash is known.
        if agent != "command" {
            let report = said(agent, lines.split_last().unwrap().1);
            assert_eq!(report.outcome, TurnOutcome::Crashed, "{agent}");
            assert_eq!(report.error.unwrap().class, ErrorClass::AgentBug, "{agent}");
        }
    }
}

#[test]
fn an_end_that_was_printed_counts_more_than_the_exit_status_and_an_interruption() {
    for (line, code, interrupted, outcome) in [
        (
            r#"{"type":"turn.completed","usage":{}}"#,
            1,
            false,
            TurnOutcome::Ok,
        ),
        (
            r#"{"type":"turn.completed","usage":{}}"#,
            130,
            true,
            TurnOutcome::Ok,
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"x"}}"#,
            0,
            false,
            TurnOutcome::Error,
        ),
        (
            r#"{"type":"turn.started"}"#,
            130,
            true,
            TurnOutcome::Interrupted,
        ),
        (r#"{"type":"turn.started"}"#, 0, false, TurnOutcome::Crashed),
    ] {
        let mut reader = driver("codex").unwrap().reader();
        reader.line(line, 0);
        let exit = Exit {
            code: Some(code),
            signal: None,
        };
        assert_eq!(
            reader.finish(exit, "", interrupted, 0).outcome,
            outcome,
            "{line} {code}"
        );
    }
}

#[test]
fn a_line_over_the_limit_is_cut_and_the_next_is_read() {
    let mut reader = driver("claude").unwrap().reader();
    let long = format!(r#"{{"type":"user","content":"{}"}}"#, "é".repeat(MAX_LINE));
    assert!(matches!(reader.line(&long, 0), Some(Progress::Notice(_))));
    reader.line(r#"{"type":"result","is_error":false,"result":"Done."}"#, 0);
    assert_eq!(reader.finish(Exit::default(), "", false, 0).text, "Done.");
}

/// Lines that look like events, made of the members and words that readers know.
fn line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "type",
        "assistant",
        "message",
        "content",
        "text",
        "tool_use",
        "result",
        "is_error",
        "item.completed",
        "item",
        "agent_message",
        "turn.failed",
        "error",
        "part",
        "step_finish",
        "reason",
        "stop",
        "data",
        "session.error",
        "statusCode",
        "exitCode",
        "aictx",
        "usage",
        "input_tokens",
        "resets_at",
        "session",
        "role",
        "5-hour limit · resets 3pm",
    ]);
    let leaf = prop_oneof![
        word.clone().prop_map(|word| format!("{word:?}")),
        any::<i64>().prop_map(|number| number.to_string()),
        Just("true".to_owned()),
        Just("1e999".to_owned()),
        "\\PC{0,12}".prop_map(|text| format!("{text:?}")),
    ];
    let value = leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!("[{}]", list.join(","))),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|list| {
                let members = list.iter().map(|(name, value)| format!("{name:?}:{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    });
    prop_oneof![3 => value, 1 => "\\PC{0,40}", 1 => Just(BAIT.to_owned())]
}

proptest! {
    #[test]
    fn no_lines_make_a_reader_panic_or_grow(
        lines in prop::collection::vec(line(), 0..12),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        stderr in "\\PC{0,80}", code: Option<i32>, interrupted: bool, now: i64,
    ) {
        for driver in drivers() {
            let mut reader = driver.reader();
            let noise = String::from_utf8_lossy(&bytes);
            for line in lines.iter().map(String::as_str).chain(noise.lines()) {
                match reader.line(line, now) {
                    Some(Progress::Message(text) | Progress::Notice(text)) => {
                        prop_assert!(text.chars().count() <= MAX_PROGRESS);
                    }
                    Some(Progress::Tool { name, summary }) => {
                        prop_assert!(name.chars().count().max(summary.chars().count()) <= MAX_PROGRESS);
                    }
                    _ => {}
                }
            }
            let report = reader.finish(Exit { code, signal: None }, &stderr, interrupted, now);
            prop_assert!(report.error.is_none_or(|error| error.text.chars().count() <= MAX_ERROR));
            prop_assert_eq!(report.outcome == TurnOutcome::Interrupted && !interrupted, false);
        }
    }
}

#[test]
fn an_endless_answer_is_cut() {
    let delta = r#"{"type":"message","role":"assistant","content":"0123456789012345678901234567890123456789"}"#;
    for (agent, line) in [
        ("gemini", delta),
        ("command", "0123456789012345678901234567890123456789"),
    ] {
        let mut reader = driver(agent).unwrap().reader();
        for _ in 0..10_000 {
            reader.line(line, 0);
        }
        let report = reader.finish(Exit::default(), "", true, 0);
        assert!((8_000..=MAX_TEXT).contains(&report.text.len()), "{agent}");
    }
}
