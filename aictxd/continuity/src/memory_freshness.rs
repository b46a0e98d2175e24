//! Freshness and verifiability of the memory for a request. Advice, not a
//! verdict. One entry a kind of issue, with a count and a few examples.

use aictx_proto::Timestamp;
use aictx_proto::record::Origin;
use serde_json::{Map, Value, json};

use crate::file_anchors::missing;
use crate::origin::with_origin;
use crate::relevance::Context;

/// Days up to which an item is fresh, possibly stale, and demoted.
const FRESH: u64 = 7;
const POSSIBLY_STALE: u64 = 30;
const DEMOTED: u64 = 90;
/// Examples of one issue.
const MAX_EXAMPLES: usize = 3;

/// Returns the age of an item, in the words of the format.
pub(crate) fn staleness(timestamp: &str, now: Timestamp) -> &'static str {
    match Timestamp::parse(timestamp).map(|at| now.since(at) / 86_400) {
        None => "unknown",
        Some(0..=FRESH) => "fresh",
        Some(8..=POSSIBLY_STALE) => "recent",
        Some(31..=DEMOTED) => "old",
        Some(_) => "stale",
    }
}

struct Issue {
    code: &'static str,
    severity: &'static str,
    source: &'static str,
    summary: String,
    recommendation: &'static str,
    examples: Vec<String>,
    count: usize,
}

/// Collects issues, one a code.
#[derive(Default)]
struct Issues(Vec<Issue>);

impl Issues {
    fn add(
        &mut self,
        (code, severity, source): (&'static str, &'static str, &'static str),
        summary: &str,
        recommendation: &'static str,
        example: String,
    ) {
        if let Some(known) = self.0.iter_mut().find(|i| i.code == code) {
            known.count += 1;
            if known.examples.len() < MAX_EXAMPLES {
                known.examples.push(example);
            }
            return;
        }
        self.0.push(Issue {
            code,
            severity,
            source,
            summary: summary.to_owned(),
            recommendation,
            examples: if example.is_empty() {
                Vec::new()
            } else {
                vec![example]
            },
            count: 1,
        });
    }
}

/// The compact report of a context. `contract` says whether a contract with a check was made,
/// `validated` whether something is known to hold.
pub(crate) fn report(context: &Context, gaps: &[Value], contract: bool, validated: bool) -> Value {
    let issues = issues(context, gaps, contract, validated);
    let mut off = Map::new();
    let mut penalties = Vec::new();
    for issue in &issues.0 {
        let each = match issue.severity {
            "error" => 22,
            "warning" => 10,
            _ => 2,
        };
        let raw = each * issue.count.min(2) as i64;
        let category = issue.code.split('_').next().unwrap_or_default();
        let cap = match category {
            "missing" => 24,
            "stale" | "obsolete" | "unverified" => 20,
            "demoted" => 6,
            _ => 30,
        };
        let before = off.get(category).and_then(Value::as_i64).unwrap_or(0);
        let points = raw.min(cap - before).max(0);
        off.insert(category.to_owned(), json!(before + points));
        penalties.push(json!({
            "code": issue.code, "severity": issue.severity, "category": category,
            "raw_points": raw, "points": points, "capped": points < raw,
        }));
    }
    let total: i64 = off.values().filter_map(Value::as_i64).sum();
    let score = (100 - total).max(0);
    let any = |severity: &str| issues.0.iter().any(|i| i.severity == severity);
    let status = if score < 50 || any("error") {
        "error"
    } else if score < 80 || any("warning") {
        "warning"
    } else {
        "ok"
    };
    let list: Vec<Value> = issues
        .0
        .iter()
        .map(|i| {
            json!({
                "code": i.code, "severity": i.severity, "source": i.source, "summary": i.summary,
                "count": i.count, "related_paths": i.examples, "recommendation": i.recommendation,
            })
        })
        .collect();
    json!({
        "schema_version": "1.0", "generated_at": context.now, "score": score, "status": status,
        "request": context.request, "task_type": context.task.name, "advisory_only": true,
        "scoring_breakdown": {
            "base_score": 100, "final_score": score, "total_penalty": total,
            "penalties": penalties, "category_totals": off,
        },
        "issues": list,
        "thresholds": {
            "fresh_max_days": FRESH, "possibly_stale_max_days": POSSIBLY_STALE,
            "demoted_max_days": DEMOTED,
        },
    })
}

fn issues(context: &Context, gaps: &[Value], contract: bool, validated: bool) -> Issues {
    let mut issues = Issues::default();
    for reason in &context.handoff_stale {
        issues.add(
            ("stale_handoff", "warning", ".aictx/continuity/handoff.json"),
            "the last handoff says little about the present",
            "trust the code; finalize writes a new one",
            with_origin(
                reason.clone(),
                context.handoff.map(|h| h.origin).unwrap_or_default(),
            ),
        );
    }
    let presents = &context.project.presents;
    // Only what is told counts: decisions that do not concern the request say nothing about it.
    for found in context.decisions.iter().take(8) {
        let origin = found.decision.origin;
        let paths = &found.decision.related_paths;
        for path in missing(paths, presents) {
            issues.add(
                (
                    "missing_linked_file",
                    "warning",
                    ".aictx/continuity/decisions.jsonl",
                ),
                "memory speaks of files that are gone",
                "aictx wrong ID, or a decision that supersedes it",
                with_origin(path.clone(), origin),
            );
        }
        for dirt in context.dirt(&found.decision.anchors) {
            issues.add(
                (
                    "demoted_loaded_context",
                    "info",
                    ".aictx/continuity/decisions.jsonl",
                ),
                "the code that an item speaks of changed since",
                "check that it still holds",
                with_origin(dirt, origin),
            );
        }
        if staleness(&found.decision.timestamp, context.now) == "stale" {
            issues.add(
                (
                    "obsolete_loaded_context",
                    "warning",
                    ".aictx/continuity/decisions.jsonl",
                ),
                "an item is older than 90 days",
                "check that it still holds, then pin or supersede it",
                with_origin(found.id().to_owned(), origin),
            );
        }
    }
    if !context.project.has_map() {
        issues.add(
            ("missing_repomap", "info", ".aictx/repo_map"),
            "the map knows no file",
            "aictx map status",
            String::new(),
        );
    }
    match context
        .active
        .thread
        .as_ref()
        .or(context.active.recent.as_ref())
    {
        None => issues.add(
            (
                "missing_active_work_state",
                "info",
                ".aictx/tasks/active.json",
            ),
            "no task is active here",
            "aictx task start GOAL, for work of several sessions",
            String::new(),
        ),
        Some(thread) => {
            for line in &thread.unverified {
                issues.add(
                    ("unverified_work_state", "warning", ".aictx/tasks"),
                    "the task holds what nobody has checked",
                    "check it, then aictx task update",
                    with_origin(line.clone(), thread.origin),
                );
            }
        }
    }
    let unproven: Vec<&Value> = gaps
        .iter()
        .filter(|g| g["kind"] == "missing_validation")
        .collect();
    for gap in &unproven {
        issues.add(
            (
                "missing_validation_evidence",
                "warning",
                ".aictx/continuity/handoff.json",
            ),
            "earlier work was not checked",
            "run the named command first",
            with_origin(
                gap["recommended_command"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                Origin::of(gap),
            ),
        );
    }
    if contract && !validated && unproven.is_empty() {
        issues.add(
            (
                "pending_validation_for_new_contract",
                "info",
                ".aictx/continuity/contracts",
            ),
            "nothing has been checked yet",
            "run the check before finalize",
            String::new(),
        );
    }
    issues
}
