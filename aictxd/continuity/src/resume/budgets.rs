//! Every form of an answer keeps its budget, whatever is in it.

use std::sync::Arc;

use aictx_proto::identity::{Identity, SessionSource};
use aictx_proto::methods::{MapHit, ResumeParams, ResumeReply};
use aictx_proto::snapshot::{Snapshot, shared};
use aictx_proto::{Timestamp, tokens};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::project::Project;

fn made<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A memory that has `items` of everything, each with `text` for its texts.
fn full_of(text: &str, name: &str, items: usize) -> Snapshot {
    let texts = vec![text; items];
    let paths: Vec<String> = (0..items)
        .map(|n| format!("src/{name}/{name}_{n}.rs"))
        .collect();
    let gap = |n| json!({ "kind": format!("k{n}"), "severity": "caution", "summary": text, "expected": text, "next_action": text });
    let gaps: Vec<Value> = (0..items).map(gap).collect();
    let handoff = json!({
        "summary": text, "reason": text, "status": "unresolved", "next_steps": texts, "blocked": texts,
        "risks": texts, "completed": texts, "contract_gaps": gaps, "source_execution_id": "e1",
        "recommended_starting_points": paths,
    });
    let wrong = json!({ "hypothesis": text, "reason": text });
    let thread = json!({
        "task_id": "t", "goal": text, "status": "in_progress", "next_action": text, "risks": texts,
        "discarded_hypotheses": vec![wrong; items], "active_files": paths,
    });
    let decision = |n| {
        made(
            json!({ "decision": format!("{n} {text}"), "rationale": text, "risks": texts, "related_paths": paths }),
        )
    };
    let failure = |n| {
        made(json!({
            "failure_id": format!("f{n}"), "status": "open", "symptoms": [text], "error_text": text,
            "failed_command": text, "related_paths": paths,
        }))
    };
    let thread = Arc::new(made(thread));
    Snapshot {
        handoff: Some(Arc::new(made(handoff))),
        active_task: (items % 2 == 1).then(|| Arc::clone(&thread)),
        threads: Arc::new(vec![thread]),
        decisions: shared((0..items).map(decision)),
        failures: shared((0..items).map(failure)),
        preferences: Arc::new(json!({ "style": text, "tone": text })),
        ..Snapshot::default()
    }
}

fn ask(snapshot: &Snapshot, params: &ResumeParams, name: &str, items: usize) -> ResumeReply {
    let identity = Identity {
        agent_id: "claude".into(),
        adapter_id: "claude".into(),
        session_id: "0b1c0de5-7d2a-4f7e-9c1b-3f1f2a1d9e77".into(),
        session_source: SessionSource::Explicit,
    };
    let hit = |n| MapHit {
        path: format!("src/some/longer/path/to/{name}/{name}_{n}.rs"),
        confidence: 0.5,
        ..MapHit::default()
    };
    let project = Project {
        manifests: vec!["Cargo.toml".into()],
        root: format!("/home/somebody/projects/{name}"),
        ci_commands: vec![format!("cargo test --workspace --features {name}")],
        map: (0..items).map(hit).collect(),
        ..Project::default()
    };
    let at = Timestamp::from_unix(0);
    let (told, _) = super::resume(snapshot, params, &identity, &project, at);
    assert_eq!(told.reply, serde_json::from_str(&told.json).unwrap());
    told.reply
}

/// The size of the answer without its text, in tokens; checks the text, too.
fn size(params: &ResumeParams, reply: &ResumeReply) -> (u64, u64) {
    let mut bare = reply.clone();
    bare.text = String::new();
    let of = |name: &str| reply.budget[name].as_u64().unwrap();
    assert!(of("text_tokens") <= of("text_target_tokens"), "{params:?}");
    assert!(
        params.task.trim().is_empty() || reply.text.contains("Current request"),
        "{}",
        reply.text
    );
    let whole = tokens::estimate(&serde_json::to_string(&bare).unwrap());
    (u64::from(whole), of("target_tokens"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn every_budget_holds(
        word in "[a-z]{1,12} |[A-Z0-9_]{3,9}|[а-я]{2,12} |[漢字依頼修复登录]{1,6}|[ก-ฮ]{1,6}|[😀-😏]{1,4}|[\"\\\\/{}]{1,6}|[ا-ي]{2,9} |.{1,6}",
        length in prop_oneof![Just(0_usize), 1..40_usize, 100..900_usize],
        asked in prop_oneof![Just(0_usize), 1..40_usize, 100..2000_usize],
        items in prop_oneof![Just(0_usize), 1..4_usize, 8..30_usize],
        named in "[a-z_]{1,12}|[а-я]{2,12}|[漢字依頼修复登录]{1,6}|[😀-😏]{1,4}",
        long in prop_oneof![Just(1_usize), 2..12_usize, 12..80_usize],
    ) {
        // As long as file systems let a name be.
        let room = 240 / named.len().max(1);
        let name = named.repeat(long.min(room).max(1));
        let snapshot = full_of(&word.repeat(length), &name, items);
        for (full, brief) in [(false, true), (false, false), (true, false)] {
            let params = ResumeParams { task: word.repeat(asked), full, brief, ..ResumeParams::default() };
            let reply = ask(&snapshot, &params, &name, items);
            let (whole, target) = size(&params, &reply);
            prop_assert!(whole <= target, "{whole} > {target}, full {full}, brief {brief}: {}", serde_json::to_string(&reply).unwrap());
        }
    }
}

#[test]
fn paths_that_take_a_token_a_byte_leave_no_room_for_what_is_always_the_same() {
    for (name, text, asked) in [("_a_a_a", "", 0), ("_a_a", "\\", 16)] {
        let name = name.repeat(240 / name.len());
        let params = ResumeParams {
            task: text.repeat(asked),
            brief: true,
            ..ResumeParams::default()
        };
        let reply = ask(&full_of(&text.repeat(100), &name, 1), &params, &name, 1);
        let (whole, target) = size(&params, &reply);
        assert!(whole <= target, "{whole}");
        assert!(reply.guard_triggers.is_empty());
        let command = reply.execution_contract["test_command"]["command"].as_str();
        assert!(command.is_some_and(|it| it.ends_with(&name)), "{command:?}");
    }
}

#[test]
fn a_long_request_is_cut_with_a_mark() {
    let params = ResumeParams {
        task: "長い依頼".repeat(300),
        brief: true,
        ..ResumeParams::default()
    };
    let reply = ask(
        &full_of(&"漢字".repeat(200), "file", 8),
        &params,
        "module",
        8,
    );
    let (whole, target) = size(&params, &reply);
    assert!(whole <= target, "{whole}");
    assert!(reply.request.starts_with("長い依頼") && reply.request.ends_with('…'));
    // What is acted on is whole.
    let contract = &reply.execution_contract;
    let check = "cargo test --workspace --features module";
    assert_eq!(contract["test_command"]["command"], check);
    assert_eq!(reply.capsule["first_action"], contract["first_action"]);
}

#[test]
fn what_is_acted_on_is_whole_where_paths_are_long() {
    let params = ResumeParams {
        task: "continue".to_owned(),
        brief: true,
        ..ResumeParams::default()
    };
    let name = "a_a___".repeat(30);
    let reply = ask(&full_of("a ", &name, 9), &params, &name, 9);
    let (whole, target) = size(&params, &reply);
    assert!(whole <= target, "{whole}");
    let path = reply.execution_contract.pointer("/first_action/path");
    let path = path.and_then(Value::as_str).unwrap_or_default();
    assert!(path.ends_with(".rs"), "{path}");
    let scope = &reply.execution_contract["edit_scope"]["secondary_if_needed"];
    let scope: Vec<&str> = scope
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        scope
            .iter()
            .all(|p| p.ends_with(".rs") || p.ends_with("/**")),
        "{scope:?}"
    );
    assert!(scope.contains(&"tests/**"), "{scope:?}");
    assert!(reply.warnings.contains(&"budget_trimmed".to_owned()));
}

#[test]
fn an_answer_that_was_cut_sends_nobody_to_itself() {
    let snapshot = full_of(&"依頼".repeat(400), &"名前".repeat(25), 30);
    for (full, brief) in [(false, true), (false, false), (true, false)] {
        let params = ResumeParams {
            task: "依頼".repeat(400),
            full,
            brief,
            ..ResumeParams::default()
        };
        let text = ask(&snapshot, &params, &"名前".repeat(25), 30).text;
        assert!(text.contains(" more line"), "{text}");
        assert_eq!(text.contains("`aictx resume --full`"), !full, "{text}");
    }
}
