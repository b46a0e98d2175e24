//! The recorded cases of the guard: what a careful reviewer would answer.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aictx_guard::{GuardError, guard};
use aictx_proto::methods::guard::{GuardParams, GuardReply};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::time::Timestamp;
use serde_json::Value;

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

/// Cases in scope whose answer needs a contract (G001, G006, G050, G151, G161), whether the
/// repository exists and holds state (G178, G179) or what could not be read (G180 to G186), which
/// the guard does not read yet.
const NEED_STATE: &[&str] = &[
    "G001", "G006", "G050", "G151", "G161", "G178", "G179", "G180", "G182", "G184", "G186",
];

const SAFETY: &[&str] = &[
    "path_outside_repo",
    "generated_state_path",
    "vcs_internals_path",
    "sensitive_path",
    "ci_config_path",
    "missing_paths",
    "destructive_command",
    "command_not_decidable",
];

fn in_scope(case: &Value) -> bool {
    let group = case["group"].as_str().unwrap();
    matches!(
        group,
        "risky_command_high"
            | "risk_and_action"
            | "bare_state"
            | "invalid_input"
            | "untrusted_repo_content"
    ) || case["better"]["codes"].as_array().is_some_and(|codes| {
        codes
            .iter()
            .any(|code| SAFETY.contains(&code.as_str().unwrap()))
    })
}

fn agrees(case: &Value, answer: &Result<GuardReply, GuardError>) -> bool {
    let wanted = case["better"]["decision"].as_str().unwrap();
    match answer {
        Err(_) => wanted == "error",
        Ok(reply) => {
            let has = |code: &Value| {
                let code = code.as_str().unwrap();
                !SAFETY.contains(&code) || reply.warnings.iter().any(|warning| warning.code == code)
            };
            reply.decision == wanted
                && case["better"]["codes"]
                    .as_array()
                    .is_none_or(|codes| codes.iter().all(has))
        }
    }
}

#[test]
fn recorded_cases() {
    let (mut right, mut commands, mut total) = (Vec::new(), 0, 0);
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| in_scope(case)) {
        let Some(params) = params(&case["call"]) else {
            continue;
        };
        let id = case["id"].as_str().unwrap().to_owned();
        let answer = ask(&params);
        total += 1;
        if agrees(case, &answer) {
            if case["group"] == "risky_command_high" {
                commands += 1;
            }
            right.push(id);
        } else {
            wrong.push(format!(
                "{id} {} wants {}, got {:?}",
                case["call"],
                case["better"],
                answer.map(|reply| (reply.decision, reply.warnings))
            ));
        }
    }
    let missing: Vec<&String> = wrong
        .iter()
        .filter(|line| !NEED_STATE.iter().any(|id| line.starts_with(id)))
        .collect();
    assert!(
        missing.is_empty(),
        "{} of {total} right\n{missing:#?}",
        right.len()
    );
    let by_luck: Vec<&String> = right
        .iter()
        .filter(|id| NEED_STATE.contains(&id.as_str()))
        .collect();
    assert!(
        by_luck.is_empty(),
        "now right, take off the list: {by_luck:?}"
    );
    assert_eq!(
        (right.len(), total, commands),
        (RIGHT, RIGHT + NEED_STATE.len(), 50)
    );
}

/// Cases in scope that agree.
const RIGHT: usize = 88;

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
    let reply = ask("edit", &["src/a.rs"], "");
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
            "sensitive_path",
            "ci_config_path",
            "command_not_decidable"
        ]
    );
    assert_eq!(reply.warnings[0].evidence, ["../a", "../b", "../c"]);
    assert_eq!(reply.warnings_total, 7);
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

/// Groups whose cases are about contracts, threads, logs or time.
const STATE_GROUPS: &[&str] = &[
    "aligned_state",
    "contract_alignment",
    "work_state",
    "validation",
    "lifecycle",
    "continuity_quality",
    "contract_selection",
];

/// What nothing stored decides agrees with the reviewer; all of it.
#[test]
fn every_case_without_state() {
    let (mut stateless, mut right, mut with_state, mut lucky) = (0, 0, 0, 0);
    for case in &cases() {
        let Some(params) = params(&case["call"]) else {
            continue;
        };
        let id = case["id"].as_str().unwrap();
        let group = case["group"].as_str().unwrap();
        let agrees = agrees(case, &ask(&params));
        let needs = NEED_STATE.contains(&id) || (STATE_GROUPS.contains(&group) && !in_scope(case));
        if needs {
            with_state += 1;
            lucky += usize::from(agrees);
        } else {
            stateless += 1;
            right += usize::from(agrees);
        }
    }
    println!("{right} of {stateless} without state; {lucky} of {with_state} that need it");
    assert_eq!((right, stateless), (RIGHT, RIGHT));
}
