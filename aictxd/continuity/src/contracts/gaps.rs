//! Gaps: demands of a contract that are open after an execution, until evidence closes them.

use aictx_proto::record::ContractRecord;
use aictx_shell::same_check;
use serde_json::{Map, Value, json};

use super::Compliance;

/// Gaps of one execution.
const MAX_GAPS: usize = 8;

/// The gaps of a verdict: `{kind, severity, policy, blocking, source_code, summary, expected,
/// next_action, recommended_command, related_paths, source_execution_id}`; blank members are left
/// out. Uncommitted files are no gap: work is finalized before it is committed.
pub(crate) fn gaps(
    compliance: &Compliance,
    record: Option<&ContractRecord>,
    execution_id: &str,
) -> Vec<Value> {
    let Some(record) = record else {
        return Vec::new();
    };
    let contract = &record.execution_contract;
    let text = |path: &str| {
        contract
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut out: Vec<Value> = Vec::new();
    for issue in compliance.issues() {
        let code = issue["code"].as_str().unwrap_or_default();
        let evidence = issue["evidence"].as_str().unwrap_or_default();
        let gap = match code {
            "canonical_test_missing" | "canonical_test_not_observed" => json!({
                "kind": "missing_validation", "severity": "needs-validation",
                "policy": "prioritize_before_new_work",
                "summary": issue["detail"],
                "expected": text("/test_command/command"),
                "recommended_command": text("/test_command/command"),
                "next_action": match text("/test_command/command") {
                    "" => "check the last change".to_owned(),
                    command => format!("run `{command}`"),
                },
            }),
            "missing_first_action" if issue["severity"] == "violation" => json!({
                "kind": "missing_first_action", "severity": "caution",
                "policy": "surface_before_continuing",
                "summary": "the file to begin with was not looked at",
                "expected": text("/first_action/path"),
                "related_paths": [text("/first_action/path")],
            }),
            "edit_outside_scope" | "edited_avoided_path" => json!({
                "kind": "edit_outside_scope", "severity": "needs-review",
                "policy": "surface_before_continuing",
                "summary": "files outside the agreed scope were edited",
                "related_paths": evidence.split(", ").take(8).collect::<Vec<_>>(),
            }),
            _ => continue,
        };
        let mut gap: Map<String, Value> = match gap {
            Value::Object(map) => map,
            _ => continue,
        };
        gap.insert("blocking".to_owned(), json!(false));
        gap.insert("source_code".to_owned(), json!(code));
        gap.insert("source_execution_id".to_owned(), json!(execution_id));
        gap.retain(|_, v| v.as_str() != Some("") && !v.is_null());
        let gap = Value::Object(gap);
        if out.len() < MAX_GAPS && !out.iter().any(|g| g.get("kind") == gap.get("kind")) {
            out.push(gap);
        }
    }
    out
}

/// Kinds of gaps that an execution closes, whatever it was asked to do: its check passed, its scope
/// was kept, its first file was looked at.
pub(crate) fn closed_kinds(compliance: &Compliance, validated: bool) -> Vec<&'static str> {
    let mut closed = Vec::new();
    if validated || (compliance.evaluated() && compliance.kept("canonical_test_used")) {
        closed.push("missing_validation");
    }
    if compliance.evaluated() && compliance.kept("followed_first_action") {
        closed.push("missing_first_action");
    }
    if compliance.evaluated() && compliance.kept("edited_within_scope") {
        closed.push("edit_outside_scope");
    }
    closed
}

/// Which of some gaps are still open after an execution that saw `passed` commands end well.
pub(crate) fn still_open(gaps: &[Value], closed: &[&str], passed: &[String]) -> Vec<Value> {
    gaps.iter()
        .filter(|gap| {
            let kind = gap["kind"].as_str().unwrap_or_default();
            let command = gap["recommended_command"].as_str().unwrap_or_default();
            let done = !command.is_empty() && passed.iter().any(|c| same_check(c, command));
            !done && !closed.contains(&kind)
        })
        .take(MAX_GAPS)
        .cloned()
        .collect()
}
