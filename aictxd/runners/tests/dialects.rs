//! Every event of every agent: how its payload is read and how it is answered.
//!
//! `fixtures/<agent>.jsonl` holds payloads (those of Claude Code, Codex, Gemini CLI and OpenCode
//! mostly recorded, the rest written after the vendors' documentation), `golden/<agent>.jsonl` what
//! became of them. `UPDATE_GOLDEN=1` writes the latter anew; read the difference before keeping it.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

use aictx_runners::registry::AGENTS;
use aictx_runners::{Answer, Decision, Dialect, Kind, Moment, dialect};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

fn file(kind: &str, agent: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.join(format!("tests/{kind}/{agent}.jsonl"))
}

struct Fixture {
    event: Option<String>,
    payload: String,
}

fn fixtures(agent: &str) -> Vec<Fixture> {
    #[derive(serde::Deserialize)]
    struct Line {
        event: Option<String>,
        payload: Box<RawValue>,
    }
    let text = fs::read_to_string(file("fixtures", agent)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Line>(line).unwrap())
        .map(|line| Fixture {
            event: line.event,
            payload: line.payload.get().to_owned(),
        })
        .collect()
}

fn answers() -> [(&'static str, Answer); 5] {
    let answer = |context: &str, decision| Answer {
        context: context.to_owned(),
        decision,
    };
    [
        ("deny", answer("", Decision::Deny("why not".into()))),
        ("ask", answer("", Decision::Ask("why ask".into()))),
        ("context", answer("facts", Decision::Pass)),
        ("both", answer("facts", Decision::Deny("why not".into()))),
        ("silence", Answer::default()),
    ]
}

/// One line of the golden file.
fn outcome(dialect: &dyn Dialect, fixture: &Fixture) -> Value {
    let event = dialect
        .parse(&fixture.payload, fixture.event.as_deref())
        .unwrap();
    let mut line = Map::new();
    for (name, value) in [
        ("event", &event.name),
        ("session", &event.session_id),
        ("cwd", &event.cwd),
        ("transcript", &event.transcript),
        ("agent", &event.agent_id),
    ] {
        if !value.is_empty() {
            line.insert(name.into(), json!(value));
        }
    }
    line.insert("moment".into(), json!(format!("{:?}", event.moment)));
    for (name, answer) in answers() {
        if let Some(said) = dialect.render(&event.name, &answer) {
            line.insert(name.into(), said);
        }
    }
    Value::Object(line)
}

#[test]
fn payloads_are_read_and_answered_as_recorded() {
    for dialect in AGENTS {
        let name = dialect.name();
        let lines: Vec<String> = fixtures(name)
            .iter()
            .map(|fixture| outcome(*dialect, fixture).to_string())
            .collect();
        let path = file("golden", name);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, lines.join("\n") + "\n").unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap();
        let golden: Vec<&str> = golden.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            assert_eq!(
                golden.get(at),
                Some(&line.as_str()),
                "{name}, line {}",
                at + 1
            );
        }
        assert_eq!(golden.len(), lines.len(), "{name}");
    }
}

#[test]
fn every_event_of_every_agent_has_a_fixture() {
    for dialect in AGENTS {
        let seen: BTreeSet<String> = fixtures(dialect.name())
            .iter()
            .map(|f| dialect.parse(&f.payload, f.event.as_deref()).unwrap())
            .map(|event| event.name.into_owned())
            .collect();
        for event in dialect.events() {
            // Of two spellings one is enough.
            let found = seen
                .iter()
                .any(|name| name.eq_ignore_ascii_case(event.name));
            let spared = ["UserPromptSubmitted", "StopFailure"].contains(&event.name);
            assert!(found || spared, "{}: {}", dialect.name(), event.name);
        }
    }
}

#[test]
fn only_gates_refuse_and_only_where_asked() {
    for dialect in AGENTS {
        for event in dialect.events() {
            let gate = event.kind == Kind::Gate;
            let deny = Answer {
                decision: Decision::Deny("no".into()),
                ..Answer::default()
            };
            let said = dialect.render(event.name, &deny);
            assert_eq!(said.is_some(), gate, "{}: {}", dialect.name(), event.name);
            let silent = dialect.render(event.name, &Answer::default());
            assert_eq!(silent, None, "{}: {}", dialect.name(), event.name);
        }
    }
}

#[test]
fn the_end_of_a_turn_takes_a_question_where_the_agent_goes_on_for_it() {
    let question = Answer {
        decision: Decision::Ask("why".into()),
        ..Answer::default()
    };
    let mut asked = BTreeSet::new();
    for dialect in AGENTS {
        for event in dialect.events().iter().filter(|e| e.kind == Kind::Stop) {
            let said = dialect.render(event.name, &question);
            assert_eq!(said.is_some(), event.asks_back, "{}", dialect.name());
            asked.extend(said.map(|said| (dialect.name(), said.to_string())));
        }
    }
    let block = r#"{"decision":"block","reason":"why"}"#;
    let expected = [
        ("claude", block),
        ("codex", block),
        ("copilot", block),
        ("cursor", r#"{"followup_message":"why"}"#),
        ("gemini", r#"{"decision":"deny","reason":"why"}"#),
        ("generic", r#"{"decision":"ask","reason":"why"}"#),
    ];
    let expected = expected.map(|(name, said)| (name, said.to_owned()));
    assert_eq!(asked, BTreeSet::from(expected));

    // Once, and never of a turn that was not ended by the agent.
    let cursor = dialect("cursor").unwrap();
    for (more, not_again) in [
        (json!({ "status": "completed", "loop_count": 0 }), false),
        (json!({ "status": "completed", "loop_count": 1 }), true),
        (json!({ "status": "aborted" }), true),
        (json!({ "status": "error", "loop_count": 0 }), true),
    ] {
        let payload = more.to_string();
        let event = cursor.parse(&payload, Some("stop")).unwrap();
        let Moment::Stop { asked_back, .. } = event.moment else {
            panic!("{payload}");
        };
        assert_eq!(asked_back, not_again, "{payload}");
    }
}

/// Codex drops an answer for one member it does not know, or for a question.
#[test]
fn codex_is_told_only_what_its_schema_knows() {
    let codex = dialect("codex").unwrap();
    let known = |event: &str, path: &str| match path {
        "hookSpecificOutput"
        | "hookSpecificOutput.hookEventName"
        | "hookSpecificOutput.additionalContext" => event != "Stop",
        "hookSpecificOutput.permissionDecision" | "hookSpecificOutput.permissionDecisionReason" => {
            event == "PreToolUse"
        }
        "hookSpecificOutput.decision"
        | "hookSpecificOutput.decision.behavior"
        | "hookSpecificOutput.decision.message" => event == "PermissionRequest",
        "decision" | "reason" => event == "Stop",
        _ => false,
    };
    fn walk(prefix: &str, value: &Value, each: &mut dyn FnMut(&str, &Value)) {
        let Value::Object(members) = value else {
            return;
        };
        for (name, value) in members {
            let path = format!("{prefix}{name}");
            each(&path, value);
            walk(&format!("{path}."), value, each);
        }
    }
    for event in codex.events() {
        for (_, answer) in answers() {
            let Some(said) = codex.render(event.name, &answer) else {
                continue;
            };
            walk("", &said, &mut |path, value| {
                assert!(known(event.name, path), "{}: {path}", event.name);
                assert_ne!(value, "ask");
            });
        }
    }
}

#[test]
fn a_call_told_twice_has_one_key_and_two_calls_have_two() {
    let key = |agent: &str, payload: Value| {
        let payload = payload.to_string();
        let event = dialect(agent).unwrap().parse(&payload, None).unwrap();
        event.repeat_key()
    };
    let call = |id: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
               "tool_input": {"command": "make"}, "tool_use_id": id})
    };
    assert_eq!(key("claude", call("1")), key("claude", call("1")));
    assert_eq!(key("claude", call("1")), key("codex", call("1")));
    assert_ne!(key("claude", call("1")), key("claude", call("2")));
    assert_eq!(
        key("claude", call("")),
        None,
        "nothing tells it from the next"
    );
}

#[test]
fn everything_an_agent_may_send_is_survived() {
    let odd = [
        "{}",
        r#"{"hook_event_name":null,"tool_input":{"command":{}},"tool_response":[[]]}"#,
        r#"{"tool_info":{},"agent_action_name":"pre_run_command"}"#,
        r#"{"hookName":"PreToolUse","preToolUse":{"parameters":"x"}}"#,
        r#"{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}"#,
        r#"{"input":null,"output":null,"properties":{"info":[]}}"#,
    ];
    for dialect in AGENTS {
        for event in dialect.events() {
            for payload in odd {
                let read = dialect.parse(payload, Some(event.name)).unwrap();
                read.repeat_key();
            }
        }
        for payload in ["", "[]", "null", "{", "\"x\"", "{}{}"] {
            assert!(dialect.parse(payload, None).is_err(), "{payload}");
        }
    }
}

/// Unread members are not copied: a large file content costs a scan and no memory.
#[test]
fn large_members_are_skipped() {
    let content = "x".repeat(4 << 20);
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write",
        "tool_input": {"file_path": "/repo/a", "content": content}})
    .to_string();
    let event = dialect("claude").unwrap().parse(&payload, None).unwrap();
    let Moment::ToolIntent(call) = event.moment else {
        panic!()
    };
    assert_eq!(call.action, aictx_runners::Action::Edit("/repo/a".into()));
    assert!(matches!(call.tool, std::borrow::Cow::Borrowed("Write")));
}

proptest! {
    /// Any JSON under the names that adapters look at.
    #[test]
    fn any_payload_is_survived(
        agent in 0..AGENTS.len(),
        event in 0..40_usize,
        names in proptest::collection::vec(prop::sample::select(vec![
            "tool_name", "toolName", "tool_input", "toolArgs", "tool_response", "toolResult", "input",
            "output", "properties", "preToolUse", "postToolUse", "tool_info", "prompt", "cwd",
            "workspaceRoots", "session_id", "duration_ms", "error", "paths", "command",
        ]), 0..8),
        text in "\\PC{0,30}",
        number in any::<f64>(),
    ) {
        let dialect = AGENTS.get(agent).unwrap();
        let events = dialect.events();
        let event = events.get(event % events.len()).unwrap();
        let shapes = [
            json!(text), json!(number), json!([text, number]), json!({"command": text, "path": [text]}),
            json!({"args": {"filePath": text}, "llmContent": [{"text": text}], "error": {"message": text}}),
            json!(json!({"command": text}).to_string()), Value::Null,
        ];
        let members: Map<String, Value> = names
            .iter()
            .enumerate()
            .map(|(at, name)| ((*name).to_owned(), shapes.get((at + text.len()) % shapes.len()).unwrap().clone()))
            .collect();
        let payload = Value::Object(members).to_string();
        let read = dialect.parse(&payload, Some(event.name)).unwrap();
        prop_assert!(read.name == event.name);
        let long = Answer { context: text.repeat(400), decision: Decision::Ask(text) };
        dialect.render(event.name, &long);
    }
}
