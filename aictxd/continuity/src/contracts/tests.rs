use aictx_proto::record::ContractRecord;
use serde_json::json;

use super::*;

fn record(strength: &str, first: &str, test: &str) -> ContractRecord {
    ContractRecord {
        contract_id: "s-1".into(),
        task_goal: "fix the token refresh".into(),
        execution_contract: json!({
            "contract_strength": strength,
            "first_action": { "path": first },
            "edit_scope": { "primary": [first], "secondary_if_needed": ["tests"], "avoid": [".aictx/**", "secrets/**"] },
            "test_command": { "command": test },
            "validation_policy": { "task_type": "bug_fixing", "required": true },
        }),
        ..ContractRecord::default()
    }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

fn verdict(record: &ContractRecord, edited: &[&str], passed: &[&str], success: bool) -> Compliance {
    let (edited, passed) = (strings(edited), strings(passed));
    let seen = Observed {
        edited: &edited,
        commands: &passed,
        tests: &passed,
        passed: &passed,
        validated: !passed.is_empty(),
        success: Some(success),
        ..Observed::default()
    };
    evaluate(Some(record), &seen)
}

#[test]
fn w8_equivalent_test_runs_count_and_exploratory_contracts_can_be_followed() {
    let strict = record("strict", "src/a.py", "pytest -q");
    for command in ["python -m pytest -q", "pytest", "uv run pytest tests"] {
        let found = verdict(&strict, &["src/a.py"], &[command], true);
        assert_eq!(found.status, "followed", "{command}: {:?}", found.warnings);
    }
    let echo = verdict(&strict, &["src/a.py"], &["echo skipping pytest -q"], true);
    assert_eq!(
        (echo.status, echo.main_issue.as_str()),
        ("partial", "canonical_test_not_observed")
    );
    let exploratory = record("exploratory", "", "pytest -q");
    assert_eq!(
        verdict(&exploratory, &["x.py"], &["pytest -q"], true).status,
        "followed"
    );
    let none = record("exploratory", "", "");
    assert_eq!(verdict(&none, &["x.md"], &[], true).status, "followed");
    // Code that nobody tested never is.
    for contract in [&none, &exploratory] {
        let untested = verdict(contract, &["x.py"], &[], true);
        assert_eq!(
            untested.compact_summary,
            "Contract: partial — canonical test was not observed."
        );
    }
}

#[test]
fn a_narrower_run_keeps_a_contract_in_part() {
    let strict = record("strict", "src/a.py", "pytest -q");
    let run = |passed: &str, validated: bool| {
        let (edited, passed) = (strings(&["src/a.py"]), strings(&[passed]));
        let seen = Observed {
            edited: &edited,
            passed: &passed,
            validated,
            success: Some(true),
            ..Observed::default()
        };
        evaluate(Some(&strict), &seen)
    };
    let part = run("pytest tests/test_a.py::test_x", true);
    assert_eq!((part.status, part.score), ("partial", Some(0.95)));
    assert_eq!(part.main_issue, "canonical_test_focused");
    assert_eq!(part.object["test_command"]["observed"], false);
    assert_eq!(part.object["test_command"]["focused"], true);
    assert!(
        part.compact_summary
            .contains("only a part of the canonical test")
    );
    // It is what the policy asks for, and leaves nothing to be done.
    assert!(gaps(&part, Some(&strict), "e").is_empty());
    // Of something else.
    let other = run("pytest tests/test_b.py", false);
    assert_eq!((other.status, other.score), ("partial", Some(0.9)));
    assert_eq!(other.main_issue, "canonical_test_not_observed");
    let open = gaps(&other, Some(&strict), "e");
    assert_eq!(
        open[0]["summary"],
        "only a part of the repository's check was seen to pass"
    );
    // No part at all.
    let none = run("cargo test", false);
    assert_eq!(none.object["test_command"]["focused"], false);
    // The other way round, the whole is more than was asked for.
    let narrow = record("strict", "src/a.py", "pytest tests/test_a.py::test_x");
    assert_eq!(
        verdict(&narrow, &["src/a.py"], &["pytest"], true).status,
        "followed"
    );
    let script = record("strict", "src/a.py", "./ci.sh");
    assert_eq!(
        verdict(&script, &["src/a.py"], &["bash ci.sh"], true).status,
        "followed"
    );
}

#[test]
fn w9_t12_paths_are_compared_as_paths_and_directories_cover_what_is_below() {
    let strict = record("strict", "./src/a.py", "pytest -q");
    assert_eq!(
        verdict(
            &strict,
            &["src/a.py", "tests/unit/test_a.py"],
            &["pytest -q"],
            true
        )
        .status,
        "followed"
    );
    let outside = verdict(&strict, &["src/a.py", "docs/x.md"], &["pytest -q"], true);
    assert_eq!((outside.status, outside.score), ("violated", Some(0.7)));
    let avoided = verdict(&strict, &["src/a.py", "secrets/key"], &["pytest -q"], true);
    assert!(
        avoided
            .violations
            .iter()
            .any(|v| v["code"] == "edited_avoided_path")
    );
    let soft = record("soft", "src/a.py", "pytest -q");
    assert_eq!(
        verdict(&soft, &["docs/x.md"], &["pytest -q"], true).status,
        "partial"
    );
}

#[test]
fn nothing_to_compare_is_not_evaluated() {
    let found = evaluate(None, &Observed::default());
    assert_eq!(
        found.compact_summary,
        "Contract: not evaluated — no matching resume contract."
    );
    let found = evaluate(Some(&record("strict", "a", "b")), &Observed::default());
    assert_eq!(found.main_issue, "no_execution_observation");
    assert!(gaps(&found, Some(&record("strict", "a", "b")), "e").is_empty());
}

#[test]
fn w3b_gaps_heal_when_their_check_passes() {
    let strict = record("strict", "src/a.py", "pytest -q");
    let first = verdict(&strict, &["src/a.py"], &[], true);
    let open = gaps(&first, Some(&strict), "e1");
    assert_eq!(open[0]["kind"], "missing_validation");
    assert_eq!(open[0]["next_action"], "run `pytest -q`");
    assert_eq!(
        still_open(&open, &[], &strings(&["python -m pytest"])),
        Vec::<serde_json::Value>::new()
    );
    assert_eq!(still_open(&open, &[], &strings(&["cargo test"])).len(), 1);
    let second = verdict(&strict, &["src/a.py"], &["pytest -q"], true);
    assert!(still_open(&open, &closed_kinds(&second, true), &[]).is_empty());
}

fn entry(id: &str, session: &str, goal: &str) -> ContractRef {
    ContractRef {
        contract_id: id.into(),
        session_id: session.into(),
        agent_id: "claude".into(),
        task_goal: goal.into(),
        status: "active".into(),
        ..ContractRef::default()
    }
}

#[test]
fn w7_each_session_finds_its_own_contract() {
    let (index, _) = with_new(
        &ContractIndex::default(),
        entry("a-1", "a", "fix the parser"),
    );
    let (index, _) = with_new(&index, entry("b-1", "b", "write the docs"));
    let of = |session: &str, goal: &str| {
        choose_contract(&index, session, "claude", goal).map(|c| c.contract.contract_id)
    };
    assert_eq!(of("a", "something else"), Some("a-1".into()));
    assert_eq!(of("b", "fix the parser"), Some("b-1".into()));
    assert_eq!(of("c", "fix the parser"), Some("a-1".into()));
    assert_eq!(of("c", "deploy the service"), None, "never just the newest");
    let (index, _) = with_evaluated(&index, "a-1", "e1");
    assert_eq!(choose_contract(&index, "a", "claude", "deploy"), None);
}

#[test]
fn one_record_a_resume_and_few_are_kept() {
    let mut index = ContractIndex::default();
    let mut dropped = Vec::new();
    for _ in 0..10 {
        let id = next_id(&index, "s");
        let (next, gone) = with_new(&index, entry(&id, "s", "g"));
        index = next;
        dropped.extend(gone);
    }
    assert_eq!(index.latest_contract_id, "s-10");
    assert_eq!(index.contracts.len(), 1 + MAX_DONE);
    assert_eq!(dropped.len(), 5);
    for n in 0..40 {
        index = with_new(&index, entry(&format!("t{n}-1"), &format!("t{n}"), "g")).0;
    }
    assert!(index.contracts.len() <= MAX_CONTRACTS);
}

#[test]
fn the_scope_that_was_left_is_told_as_left_whatever_the_contract_binds() {
    for (strength, status) in [("soft", "followed"), ("strict", "violated")] {
        let record = record(strength, "src/a.py", "pytest -q");
        let found = verdict(&record, &["src/a.py", "docs/b.md"], &["pytest -q"], true);
        assert_eq!(found.status, status, "{:?}", found.warnings);
        assert!(!found.kept("edited_within_scope"), "{strength}");
        let scope = &found.object["edit_scope"];
        assert_eq!(scope["outside_scope"], json!(["docs/b.md"]));
        assert_eq!(scope["binding"], strength == "strict");
        assert_eq!(
            adherence(&found, Some(&record))["edited_within_scope"],
            false
        );
    }
}
