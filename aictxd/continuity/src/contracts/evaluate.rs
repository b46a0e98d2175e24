//! How a contract was kept.

use aictx_proto::path::RepoPath;
use aictx_proto::pattern::PathPattern;
use aictx_proto::record::{ComplianceRow, ContractRecord, Origin};
use aictx_proto::text::clean;
use aictx_shell::{Coverage, is_untested};
use serde_json::{Map, Value, json};

use crate::lru_cache::check;

/// Status where nothing could be compared with a contract, and of a row without one.
pub(crate) const NOT_EVALUATED: &str = "not_evaluated";

/// Issues kept of each severity.
const MAX_ISSUES: usize = 8;
/// Files shown of each list.
const MAX_FILES: usize = 12;
/// Points that each issue costs.
const FIRST_ACTION: f64 = 0.30;
const OUTSIDE_SCOPE: f64 = 0.30;
const AVOIDED: f64 = 0.30;
const TEST_MISSING: f64 = 0.25;
const TEST_NOT_OBSERVED: f64 = 0.10;
const TEST_FOCUSED: f64 = 0.05;
const ADVICE: f64 = 0.10;

/// What was observed of an execution.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Observed<'a> {
    pub(crate) opened: &'a [String],
    pub(crate) edited: &'a [String],
    pub(crate) commands: &'a [String],
    /// Commands that were test runs, however they ended.
    pub(crate) tests: &'a [String],
    /// Commands that ended well since code was last edited, from the root, by their names and by what they run.
    pub(crate) passed: &'a [String],
    /// A test among them says something of what was edited.
    pub(crate) validated: bool,
    pub(crate) success: Option<bool>,
    /// Files that git shows as changed; `None` when it was not asked.
    pub(crate) changed: Option<&'a [String]>,
}

/// The verdict.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compliance {
    /// `followed`, `partial`, `violated` or `not_evaluated`.
    pub(crate) status: &'static str,
    /// 0 to 1; none when not evaluated.
    pub(crate) score: Option<f64>,
    /// Code of what weighs most.
    pub(crate) main_issue: String,
    /// Check → kept.
    pub(crate) checks: Map<String, Value>,
    /// `{code, severity, detail, evidence}`.
    pub(crate) violations: Vec<Value>,
    /// The same.
    pub(crate) warnings: Vec<Value>,
    /// `Contract: followed.` and the like.
    pub(crate) compact_summary: String,
    /// The whole object of the format.
    pub(crate) object: Value,
}

impl Compliance {
    /// Returns true if there was something to compare.
    pub(crate) fn evaluated(&self) -> bool {
        self.status != NOT_EVALUATED
    }

    fn has(&self, code: &str) -> bool {
        self.violations
            .iter()
            .chain(&self.warnings)
            .any(|issue| issue["code"] == code)
    }

    /// Codes of everything that was found.
    pub(crate) fn issues(&self) -> impl Iterator<Item = &Value> {
        self.violations.iter().chain(&self.warnings)
    }

    /// Returns true if the first action, the scope and the test were kept: what closes older gaps.
    pub(crate) fn kept(&self, check: &str) -> bool {
        self.checks.get(check).and_then(Value::as_bool) == Some(true)
    }
}

#[derive(Default)]
struct Issues {
    violations: Vec<Value>,
    warnings: Vec<Value>,
    off: f64,
}

impl Issues {
    fn add(&mut self, violation: bool, code: &str, detail: String, evidence: String, off: f64) {
        let list = if violation {
            &mut self.violations
        } else {
            &mut self.warnings
        };
        if list.len() < MAX_ISSUES {
            list.push(json!({
                "code": code, "severity": if violation { "violation" } else { "warning" },
                "detail": detail, "evidence": clean(&evidence, 400),
            }));
        }
        self.off += off;
    }
}

/// Compares an execution with its contract. A strict contract that was not kept is violated; a soft
/// one is advice, and not taking it is a warning; an exploratory one wants only that something was
/// looked at.
pub(crate) fn evaluate(contract: Option<&ContractRecord>, seen: &Observed) -> Compliance {
    let Some(record) = contract else {
        return not_evaluated("no_resume_contract", None);
    };
    let nothing = seen.opened.is_empty()
        && seen.edited.is_empty()
        && seen.commands.is_empty()
        && seen.tests.is_empty();
    if nothing {
        return not_evaluated("no_execution_observation", Some(record));
    }
    let contract = &record.execution_contract;
    let text = |path: &str| {
        contract
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let strength = text("/contract_strength");
    let task_type = text("/validation_policy/task_type");
    let advisory = strength != "strict"
        || matches!(
            task_type,
            "analysis" | "investigation" | "documentation" | "qa"
        );
    let mut issues = Issues::default();

    let first = text("/first_action/path");
    let touched = |path: &str| {
        seen.opened
            .iter()
            .chain(seen.edited)
            .any(|p| same_path(p, path))
    };
    let followed_first = if strength == "exploratory" || first.is_empty() {
        // Nothing was asked for but to look.
        true
    } else {
        touched(first)
    };
    if !followed_first {
        let off = if advisory { ADVICE } else { FIRST_ACTION };
        let detail = "the file to begin with was neither read nor edited".to_owned();
        issues.add(
            !advisory,
            "missing_first_action",
            detail,
            first.to_owned(),
            off,
        );
    }

    let scope = patterns(
        contract,
        &["/edit_scope/primary", "/edit_scope/secondary_if_needed"],
    );
    let avoid = patterns(contract, &["/edit_scope/avoid"]);
    let outside: Vec<&String> = seen
        .edited
        .iter()
        .filter(|path| !scope.is_empty() && !matches_any(&scope, path))
        .collect();
    let avoided: Vec<&String> = seen
        .edited
        .iter()
        .filter(|path| {
            matches_any(&avoid, path) && !scope.iter().any(|p| p.as_str() == path.as_str())
        })
        .collect();
    let within = outside.is_empty();
    // The scope of any other contract is advice: that it was left is told, and is no fault.
    let binding = strength == "strict";
    if binding && !within {
        let evidence = listed(&outside);
        issues.add(
            true,
            "edit_outside_scope",
            "files outside the scope were edited".to_owned(),
            evidence,
            OUTSIDE_SCOPE,
        );
    }
    if !avoided.is_empty() {
        let evidence = listed(&avoided);
        issues.add(
            true,
            "edited_avoided_path",
            "files that were to be left alone were edited".to_owned(),
            evidence,
            AVOIDED,
        );
    }

    let expected = text("/test_command/command");
    let required = contract
        .pointer("/validation_policy/required")
        .and_then(Value::as_bool)
        .unwrap_or(true);
    let coverage = test_seen(expected, text("/test_command/runs"), seen.passed);
    let test_used = coverage == Coverage::Whole;
    let focused = coverage == Coverage::Part;
    let untested = !seen.validated
        && seen.tests.is_empty()
        && seen.edited.iter().any(|path| !is_untested(path));
    if !test_used && required && !seen.edited.is_empty() || untested {
        let failed = seen.success == Some(false);
        let (code, off) = match (focused && seen.validated, failed) {
            // It speaks of what was edited.
            (true, false) => ("canonical_test_focused", TEST_FOCUSED),
            (_, true) => ("canonical_test_missing", TEST_MISSING),
            (false, false) => ("canonical_test_not_observed", TEST_NOT_OBSERVED),
        };
        let detail = match focused {
            true => "only a part of the repository's check was seen to pass",
            false => "the repository's check was not seen to pass",
        };
        issues.add(
            failed && !advisory,
            code,
            detail.to_owned(),
            expected.to_owned(),
            off,
        );
    }
    let reported: Vec<&String> = seen
        .changed
        .into_iter()
        .flatten()
        .filter(|p| !seen.edited.contains(p))
        .take(MAX_FILES)
        .collect();

    let first_files: Vec<&str> = contract
        .pointer("/expected_first_files")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let matched: Vec<&&str> = first_files.iter().filter(|f| touched(f)).collect();
    let alignment = if first_files.is_empty() {
        NOT_EVALUATED
    } else if matched.is_empty() {
        "ignored"
    } else {
        "followed"
    };
    let mut checks = Map::new();
    checks.insert("followed_first_action".to_owned(), json!(followed_first));
    checks.insert(
        "edited_within_scope".to_owned(),
        json!(within && avoided.is_empty()),
    );
    checks.insert("canonical_test_used".to_owned(), json!(test_used));
    checks.insert("finalize_used".to_owned(), json!(true));
    if alignment != NOT_EVALUATED {
        checks.insert("structural_alignment".to_owned(), json!(alignment));
    }
    let score = ((1.0 - issues.off).clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0;
    let status = if !issues.violations.is_empty() {
        "violated"
    } else if !issues.warnings.is_empty() || score < 0.95 {
        "partial"
    } else {
        "followed"
    };
    let main_issue = issues
        .violations
        .first()
        .or(issues.warnings.first())
        .and_then(|i| i["code"].as_str())
        .unwrap_or_default()
        .to_owned();
    let compact_summary = summary(status, &main_issue, alignment);
    let observed: Vec<&String> = seen
        .opened
        .iter()
        .chain(seen.edited)
        .take(MAX_FILES)
        .collect();
    let object = json!({
        "version": 1, "contract_present": true, "status": status, "score": score,
        "task_goal": record.task_goal, "main_issue": main_issue, "structural_alignment": alignment,
        "checks": checks,
        "structural_entry_points": {
            "status": alignment, "expected_first_files": first_files,
            "observed_files": observed, "matched_files": matched,
        },
        "first_action": { "expected": first, "observed": followed_first },
        "edit_scope": {
            "primary": contract.pointer("/edit_scope/primary"),
            "secondary_if_needed": contract.pointer("/edit_scope/secondary_if_needed"),
            "edited_files": seen.edited.iter().take(MAX_FILES).collect::<Vec<_>>(),
            "binding": binding,
            "outside_scope": outside.iter().take(MAX_ISSUES).collect::<Vec<_>>(),
        },
        "test_command": { "expected": expected, "observed": test_used, "focused": focused },
        "unreported_edits": reported,
        "violations": issues.violations, "warnings": issues.warnings,
        "compact_summary": compact_summary,
    });
    Compliance {
        status,
        score: Some(score),
        main_issue,
        checks,
        violations: issues.violations,
        warnings: issues.warnings,
        compact_summary,
        object,
    }
}

fn not_evaluated(issue: &str, record: Option<&ContractRecord>) -> Compliance {
    let compact_summary = summary(NOT_EVALUATED, issue, NOT_EVALUATED);
    Compliance {
        status: NOT_EVALUATED,
        score: None,
        main_issue: issue.to_owned(),
        checks: Map::new(),
        violations: Vec::new(),
        warnings: Vec::new(),
        object: json!({
            "version": 1, "contract_present": record.is_some(), "status": NOT_EVALUATED,
            "score": null, "task_goal": record.map(|r| r.task_goal.clone()).unwrap_or_default(),
            "main_issue": issue, "structural_alignment": NOT_EVALUATED, "checks": {},
            "violations": [], "warnings": [], "compact_summary": compact_summary,
        }),
        compact_summary,
    }
}

/// How much of the expected check was seen to pass, by its name or by what its script runs.
fn test_seen(expected: &str, runs: &str, passed: &[String]) -> Coverage {
    if expected.is_empty() {
        return Coverage::Whole;
    }
    let passed: Vec<_> = passed.iter().map(|one| check(one)).collect();
    let of = |wanted: &str| check(wanted).coverage(passed.iter().map(AsRef::as_ref));
    match runs {
        "" => of(expected),
        runs => of(expected).max(of(runs)),
    }
}

fn patterns(contract: &Value, members: &[&str]) -> Vec<PathPattern> {
    members
        .iter()
        .filter_map(|m| contract.pointer(m)?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .map(PathPattern::new)
        .collect()
}

fn matches_any(patterns: &[PathPattern], path: &str) -> bool {
    RepoPath::parse(path).is_ok_and(|path| {
        // An entry covers what lies below it.
        patterns.iter().any(|p| p.matches(&path))
            || patterns.iter().any(|p| {
                RepoPath::parse(p.as_str())
                    .is_ok_and(|dir| !dir.is_root() && path.starts_with(&dir))
            })
    })
}

fn same_path(a: &str, b: &str) -> bool {
    a == b
        || match (RepoPath::parse(a), RepoPath::parse(b)) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
}

fn listed(paths: &[&String]) -> String {
    let names: Vec<&str> = paths.iter().take(MAX_ISSUES).map(|p| p.as_str()).collect();
    names.join(", ")
}

/// `Contract: partial — canonical test was not observed.`, at most 120 characters.
fn summary(status: &str, issue: &str, alignment: &str) -> String {
    let status_words = if status == NOT_EVALUATED {
        "not evaluated"
    } else {
        status
    };
    let phrase = match issue {
        "missing_first_action" => "first action was not observed",
        "edit_outside_scope" => "edited outside contract scope",
        "edited_avoided_path" => "edited a path to be left alone",
        "canonical_test_missing" | "canonical_test_not_observed" => {
            "canonical test was not observed"
        }
        "canonical_test_focused" => "only a part of the canonical test was observed",
        "no_resume_contract" => "no matching resume contract",
        "no_execution_observation" => "no execution observation",
        _ => "",
    };
    let mut line = format!("Contract: {status_words}");
    if !phrase.is_empty() {
        line.push_str(&format!(" — {phrase}"));
    }
    line.push('.');
    if alignment != NOT_EVALUATED {
        line.push_str(&format!(" Structural alignment: {alignment}."));
    }
    clean(&line, 120)
}

/// The row of `contract_compliance.jsonl`.
pub(crate) fn compliance_row(
    compliance: &Compliance,
    record: Option<&ContractRecord>,
    execution_id: &str,
    session_id: &str,
    timestamp: &str,
) -> ComplianceRow {
    ComplianceRow {
        timestamp: timestamp.to_owned(),
        execution_id: execution_id.to_owned(),
        task_goal: record.map(|r| r.task_goal.clone()).unwrap_or_default(),
        contract_id: record.map(|r| r.contract_id.clone()).unwrap_or_default(),
        session_id: session_id.to_owned(),
        contract_present: record.is_some(),
        status: compliance.status.to_owned(),
        score: compliance.score,
        main_issue: compliance.main_issue.clone(),
        checks: compliance.checks.clone(),
        violations: compliance.violations.clone(),
        warnings: compliance.warnings.clone(),
        compact_summary: compliance.compact_summary.clone(),
        origin: Origin::Own,
        extra: Map::new(),
    }
}

/// `contract_adherence` of the format, filled from the one verdict.
pub(crate) fn adherence(compliance: &Compliance, record: Option<&ContractRecord>) -> Value {
    let Some(record) = record.filter(|_| compliance.evaluated()) else {
        return json!({ "contract_available": record.is_some(), "skipped_reason": compliance.main_issue });
    };
    let contract = &record.execution_contract;
    json!({
        "contract_available": true, "task_goal": record.task_goal,
        "contract_generated_at": record.generated_at,
        "first_action_path": contract.pointer("/first_action/path"),
        "opened_first_action": compliance.kept("followed_first_action"),
        "edited_within_scope": compliance.kept("edited_within_scope"),
        "canonical_test_command": contract.pointer("/test_command/command"),
        "canonical_test_used": compliance.kept("canonical_test_used"),
        "validation_required": contract.pointer("/validation_policy/required"),
        "first_action_enforced": contract.pointer("/contract_strength") == Some(&json!("strict")),
        "finalize_called": true,
        "violations": compliance.violations.iter().map(|v| v["code"].clone()).collect::<Vec<_>>(),
        "sequence_observable": !compliance.has("first_action_not_observable"),
    })
}
