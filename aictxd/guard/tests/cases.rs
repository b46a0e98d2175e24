//! The recorded cases of the guard: what a careful reviewer would answer.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use aictx_continuity::{Present, Presents};
use aictx_guard::{GuardError, Held, NoFacts, choose_guard_contract, guard, guard_with};
use aictx_proto::identity::Caller;
use aictx_proto::methods::guard::{GuardParams, GuardReply};
use aictx_proto::record::{
    ActivePointer, ComplianceRow, ContractIndex, ContractRecord, ContractRef, Decision,
    FailurePattern, Handoff, LifecycleEvent, Thread,
};
use aictx_proto::snapshot::{ReadIssue, Snapshot, shared};
use aictx_proto::time::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ROOT: &str = "/home/dev/app";

fn cases() -> Vec<Value> {
    include_str!("guard-cases.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn ask(params: &GuardParams) -> Result<GuardReply, GuardError> {
    guard(&Snapshot::default(), params, ROOT, Timestamp::default())
}

fn params(call: &Value) -> Option<GuardParams> {
    if call.get("argv").is_some() {
        return None;
    }
    let text = |name: &str| {
        call.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some(GuardParams {
        repo: ROOT.to_owned(),
        action: text("action"),
        command: text("command"),
        intent: text("intent"),
        caller: Caller {
            session_id: text("session_id"),
            ..Caller::default()
        },
        risk: text("risk"),
        paths: call
            .get("paths")
            .and_then(Value::as_array)
            .map(|paths| {
                paths
                    .iter()
                    .map(|path| path.as_str().unwrap().to_owned())
                    .collect()
            })
            .unwrap_or_default(),
        ..GuardParams::default()
    })
}

/// Time at which the cases are asked.
const NOW: i64 = 1_790_000_000;

fn hours_ago(value: &Value, name: &str, default: f64) -> String {
    let hours = value.get(name).and_then(Value::as_f64).unwrap_or(default);
    Timestamp::from_unix(NOW - (hours * 3600.0) as i64).to_string()
}

/// A record of a case's state: its members, with its age as a time.
fn record<T: DeserializeOwned + Default>(value: &Value, age: &str, time: &str) -> T {
    let mut value = value.clone();
    if value.get(age).is_some() && value.get(time).is_none() {
        value[time] = json!(hours_ago(&value, age, 0.0));
    }
    // Members of the wrong type count as absent, as whoever reads the files has it.
    let members = value.as_object().cloned().unwrap_or_default();
    let mut good = serde_json::Map::new();
    for (name, member) in members {
        let alone = json!({ name.clone(): member });
        if serde_json::from_value::<T>(alone).is_ok() {
            good.insert(name, member);
        }
    }
    serde_json::from_value(Value::Object(good)).unwrap_or_default()
}

fn list<T: DeserializeOwned + Default>(state: &Value, name: &str, age: &str, time: &str) -> Vec<T> {
    let rows = state.get(name).and_then(Value::as_array);
    rows.into_iter()
        .flatten()
        .map(|row| record(row, age, time))
        .collect()
}

/// A case's state as memory, its contracts, and the files that memory speaks of.
fn memory(state: &Value) -> (Snapshot, Vec<ContractRecord>, Presents) {
    let age = ("timestamp_hours_ago", "timestamp");
    let mut snapshot = Snapshot {
        lifecycle: shared(list::<LifecycleEvent>(
            state,
            "lifecycle_events",
            age.0,
            age.1,
        )),
        compliance: shared(list::<ComplianceRow>(state, "compliance", age.0, age.1)),
        decisions: shared(list::<Decision>(state, "decisions", age.0, age.1)),
        failures: shared(list::<FailurePattern>(state, "failures", age.0, age.1)),
        handoff: state
            .get("handoff")
            .map(|h| Arc::new(record::<Handoff>(h, "updated_at_hours_ago", "updated_at"))),
        ..Snapshot::default()
    };
    if let Some(task) = state.get("work_state") {
        let mut thread: Thread = record(task, "updated_at_hours_ago", "updated_at");
        if thread.status.is_empty() {
            thread.status = "in_progress".into();
        }
        let id = thread.task_id.clone();
        snapshot.threads = Arc::new(vec![Arc::new(thread.clone())]);
        if thread.status == "in_progress" {
            snapshot.active_task = Some(Arc::new(thread));
        }
        snapshot.pointer = Arc::new(ActivePointer {
            active_task_id: id,
            ..ActivePointer::default()
        });
    }
    if let Some(pointer) = state.get("active_pointer").and_then(Value::as_str) {
        snapshot.pointer = Arc::new(ActivePointer {
            active_task_id: pointer.to_owned(),
            ..ActivePointer::default()
        });
    }
    let one = state.get("contract").into_iter();
    let several = state
        .get("contracts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let records: Vec<ContractRecord> = one.chain(several).map(contract).collect();
    let reference = |c: &ContractRecord| ContractRef {
        contract_id: c.contract_id.clone(),
        session_id: c.session_id.clone(),
        task_goal: c.task_goal.clone(),
        generated_at: c.generated_at.clone(),
        ..ContractRef::default()
    };
    let mut index = ContractIndex {
        contracts: records.iter().map(reference).collect(),
        ..ContractIndex::default()
    };
    let mut issues = Vec::new();
    let raw = state.get("raw_files").and_then(Value::as_object);
    for (file, text) in raw.into_iter().flatten() {
        let text = text.as_str().unwrap_or_default();
        let file = file.trim_start_matches(".aictx/").to_owned();
        if file.ends_with("contracts/index.json")
            && let Ok(read) = serde_json::from_str::<ContractIndex>(text)
        {
            index = read;
        } else if file.ends_with(".jsonl") {
            let code = "invalid_jsonl_lines";
            // The cases hold bytes that are no UTF-8 as characters of Latin-1.
            let detail = if text.is_ascii() {
                "not JSON"
            } else {
                "not UTF-8"
            }
            .to_owned();
            let json = |l: &str| serde_json::from_str::<Value>(l).is_ok();
            if !text.is_ascii() || !text.lines().all(json) {
                issues.push(ReadIssue {
                    file,
                    code,
                    detail,
                    lines: 1,
                });
            }
        } else if !file.ends_with("evil.json") {
            let code = "state_unreadable";
            issues.push(ReadIssue {
                file,
                code,
                detail: String::new(),
                lines: 0,
            });
        }
    }
    snapshot.contracts = Arc::new(index);
    snapshot.issues = Arc::new(issues);
    let mut presents = Presents::new();
    let paths = snapshot.decisions.iter().flat_map(|d| &d.related_paths);
    let starts = snapshot
        .handoff
        .iter()
        .flat_map(|h| &h.recommended_starting_points);
    for path in paths.chain(starts) {
        let blob = if path.contains("gone") { "" } else { "there" };
        presents.insert(
            path.clone(),
            Arc::new(Present {
                blob: blob.into(),
                ..Present::default()
            }),
        );
    }
    (snapshot, records, presents)
}

/// A contract is written flat in the cases; what is no member of the record is the contract itself.
fn contract(value: &Value) -> ContractRecord {
    let text = |name: &str, default: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or(default)
            .to_owned()
    };
    let session = text("session_id", "");
    ContractRecord {
        contract_id: text("contract_id", &session),
        generated_at: hours_ago(value, "generated_at_hours_ago", 1.0),
        task_goal: text("task_goal", ""),
        session_id: session,
        execution_contract: value.clone(),
        ..ContractRecord::default()
    }
}

/// Asks with a case's state.
fn ask_with(state: &Value, params: &GuardParams) -> Result<GuardReply, GuardError> {
    let (snapshot, records, presents) = memory(state);
    let choice = choose_guard_contract(&snapshot, params);
    let contract = choice.as_ref().and_then(|choice| {
        let id = &choice.contract.contract_id;
        let record = records.iter().find(|r| r.contract_id == *id)?;
        Some((record, choice.source))
    });
    let held = Held {
        contract,
        presents: Some(&presents),
        uninitialised: state.get("initialized") == Some(&json!(false)),
        ..Held::default()
    };
    let now = Timestamp::from_unix(NOW);
    guard_with(&snapshot, params, ROOT, now, &held, &NoFacts)
}

fn agrees(case: &Value, answer: &Result<GuardReply, GuardError>) -> bool {
    let wanted = case["better"]["decision"].as_str().unwrap();
    match answer {
        Err(_) => wanted == "error",
        Ok(reply) => {
            let has = |code: &Value| reply.warnings.iter().any(|w| *code == w.code.as_str());
            let codes = case["better"]["codes"].as_array();
            reply.decision == wanted && codes.is_none_or(|codes| codes.iter().all(has))
        }
    }
}

/// Cases that are about the command line or the disk, not about the decision: a repository that does
/// not exist is refused before anything is decided.
const ELSEWHERE: &[&str] = &["G178"];

#[test]
fn recorded_cases() {
    let (mut right, mut total, mut wrong) = (0, 0, Vec::new());
    for case in &cases() {
        let Some(params) = params(&case["call"]) else {
            continue;
        };
        let id = case["id"].as_str().unwrap();
        if ELSEWHERE.contains(&id) {
            continue;
        }
        total += 1;
        let answer = ask_with(&case["state"], &params);
        if agrees(case, &answer) {
            right += 1;
        } else {
            let got = answer.map(|r| {
                let codes: Vec<String> = r.warnings.into_iter().map(|w| w.code).collect();
                (r.decision, codes)
            });
            wrong.push(format!(
                "{id} {}: wants {}, got {got:?}",
                case["note"], case["better"]
            ));
        }
    }
    println!("{right} of {total}\n{wrong:#?}");
    assert!(
        right as f64 / f64::from(total) >= 0.98,
        "{right} of {total}\n{wrong:#?}"
    );
}

#[test]
fn the_answer_has_its_shape() {
    let ask = |action: &str, paths: &[&str], command: &str| {
        ask(&GuardParams {
            action: action.to_owned(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            command: command.to_owned(),
            ..GuardParams::default()
        })
        .unwrap()
    };
    let reply = ask("risky_command", &["src/a.rs"], "ls");
    assert_eq!(
        (
            reply.status.as_str(),
            reply.decision.as_str(),
            reply.suggested_next.as_str()
        ),
        ("ok", "allow", "continue")
    );
    assert!(reply.suggested_actions.is_empty());

    let reply = ask("continue_after_idle", &[], "");
    assert_eq!(reply.decision, "re_ground");
    assert_eq!(reply.checks.work_state, "warning");
    assert_eq!(
        reply.suggested_next,
        "run resume or prepare before continuing"
    );
    assert_eq!(reply.suggested_actions[0].kind, "run_resume");
    assert_eq!(ask("agent_switch", &[], "").decision, "caution");

    let reply = ask(
        "edit",
        &[
            ".env",
            ".github/workflows/x.yml",
            "../a",
            "../b",
            "../c",
            "../d",
            ".git/x",
            ".aictx/y",
        ],
        "rm -rf / $X; rm $Y z",
    );
    assert_eq!(reply.decision, "block");
    assert_eq!(reply.status, "error");
    let codes: Vec<_> = reply
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert_eq!(
        codes,
        [
            "path_outside_repo",
            "generated_state_path",
            "vcs_internals_path",
            "destructive_command",
            "missing_execution_contract",
            "sensitive_path",
            "ci_config_path",
            "command_not_decidable"
        ]
    );
    assert_eq!(reply.warnings[0].evidence, ["../a", "../b", "../c"]);
    assert_eq!(reply.warnings_total, 8);
    assert_eq!(reply.checks.contract_alignment, "error");
    assert_eq!(
        reply.suggested_next,
        "stop and get explicit confirmation before continuing"
    );

    // An active thread makes an idle agent welcome.
    let snapshot = Snapshot {
        active_task: Some(std::sync::Arc::default()),
        ..Snapshot::default()
    };
    let params = GuardParams {
        action: "continue_after_idle".to_owned(),
        ..GuardParams::default()
    };
    assert_eq!(
        guard(&snapshot, &params, ROOT, Timestamp::default())
            .unwrap()
            .decision,
        "allow"
    );
}

#[test]
fn a_resume_without_a_task_makes_an_idle_agent_welcome() {
    let event = |at: &str, session: &str| aictx_proto::record::LifecycleEvent {
        event_type: "resume_called".to_owned(),
        timestamp: at.to_owned(),
        session_id: session.to_owned(),
        ..aictx_proto::record::LifecycleEvent::default()
    };
    let params = GuardParams {
        action: "continue_after_idle".to_owned(),
        caller: aictx_proto::identity::Caller {
            session_id: "mine".to_owned(),
            ..aictx_proto::identity::Caller::default()
        },
        ..GuardParams::default()
    };
    let now = Timestamp::parse("2026-01-01T12:00:00Z").unwrap();
    for (at, session, decision) in [
        ("2026-01-01T11:59:00Z", "mine", "allow"),
        ("2026-01-01T11:59:00Z", "", "allow"),
        ("2026-01-01T11:59:00Z", "another", "re_ground"),
        ("2026-01-01T11:00:00Z", "mine", "re_ground"),
        ("soon", "mine", "re_ground"),
    ] {
        let snapshot = Snapshot {
            lifecycle: vec![std::sync::Arc::new(event(at, session))].into(),
            ..Snapshot::default()
        };
        let reply = guard(&snapshot, &params, ROOT, now).unwrap();
        assert_eq!(reply.decision, decision, "{at} {session}");
    }
}

#[test]
fn questions_that_make_no_sense() {
    let error = ask(&GuardParams {
        action: "deploy".to_owned(),
        ..GuardParams::default()
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown action; allowed: agent_switch, before_first_edit, continue_after_idle, edit, final_answer, finalize, risky_command, scope_change"
    );
    let error = ask(&GuardParams {
        action: "edit".to_owned(),
        risk: "extreme".to_owned(),
        ..GuardParams::default()
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown risk; allowed: high, low, normal"
    );
}

proptest::proptest! {
    /// No risk level weakens a finding, and nothing foreign gets into the fixed sentences.
    #[test]
    fn safety_does_not_depend_on_risk(path in "[a-z./~-]{1,20}", command in "(rm|git|sudo|;| |-rf|/|x){0,8}") {
        let base = GuardParams { action: "edit".to_owned(), paths: vec![path], command, ..GuardParams::default() };
        let normal = ask(&base).unwrap();
        for risk in ["low", "high"] {
            let other = ask(&GuardParams { risk: risk.to_owned(), ..base.clone() }).unwrap();
            proptest::prop_assert_eq!(&normal, &other);
        }
        for warning in &normal.warnings {
            proptest::prop_assert!(warning.message.chars().count() <= 220);
        }
    }
}
