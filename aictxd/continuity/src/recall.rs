//! Everything that memory holds, as items that can be searched, whatever their age.

use aictx_proto::methods::{RecallItem, RecallParams};
use aictx_proto::record::{Decision, FailurePattern, HandoffRow, Origin, Strategy};
use aictx_proto::snapshot::{Snapshot, shared};
use aictx_proto::text::clean;
use serde_json::{Map, Value};

use crate::decisions::superseded;
use crate::ids::{decision_id, handoff_id, strategy_id, subsystem_id, thread_id};
use crate::marks;
use crate::matching::{asked_terms, hashed_terms, in_common, sentences};

/// Longest text of an item, in characters, and longest of its details.
const MAX_TEXT: usize = 400;
const MAX_DETAIL: usize = 280;
/// Most details of an item, and most of its files.
const MAX_DETAILS: usize = 16;
const MAX_FILES: usize = 12;

/// Rows of whole histories, oldest first: a [`Snapshot`] has the newest only.
#[derive(Debug, Default)]
pub struct Histories {
    /// All handoffs.
    pub handoffs: Vec<HandoffRow>,
    /// All decisions.
    pub decisions: Vec<Decision>,
    /// Failures that made room for others.
    pub evicted_failures: Vec<FailurePattern>,
    /// Strategies that made room for others.
    pub evicted_strategies: Vec<Strategy>,
}

/// An item, and all that it says as one text to search in.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The item without the sentence that fits and without a score.
    pub item: RecallItem,
    /// Its words.
    pub text: String,
}

/// All that memory holds, each item once. Linear in what it holds.
pub fn remembered(snapshot: &Snapshot, all: &Histories) -> Vec<Remembered> {
    let mut found = Found::default();
    found.handoffs(&all.handoffs);
    found.decisions(&all.decisions);
    found.failures(snapshot, &all.evicted_failures);
    found.strategies(snapshot, &all.evicted_strategies);
    found.tasks(snapshot);
    found.subsystems(snapshot);
    found.0
}

#[derive(Default)]
struct Found(Vec<Remembered>);

/// What an item is made of.
struct Parts<'a> {
    id: String,
    kind: &'static str,
    request: &'a str,
    timestamp: &'a str,
    agent: &'a str,
    branch: &'a str,
    status: &'a str,
    files: &'a [String],
    extra: &'a Map<String, Value>,
    origin: Origin,
}

impl<'a> Parts<'a> {
    /// An item of which nothing else is known.
    fn new(kind: &'static str, id: String, extra: &'a Map<String, Value>, origin: Origin) -> Self {
        Self {
            id,
            kind,
            request: "",
            timestamp: "",
            agent: "",
            branch: "",
            status: "",
            files: &[],
            extra,
            origin,
        }
    }
}

impl Found {
    fn add(&mut self, parts: &Parts, details: Vec<(&str, &str)>) {
        let named = |(name, text): (&str, &str)| {
            let text = clean(text, MAX_DETAIL);
            match (name, text.is_empty()) {
                (_, true) => None,
                ("", false) => Some(text),
                (name, false) => Some(format!("{name}: {text}")),
            }
        };
        let mut lines: Vec<String> = Vec::new();
        for line in details.into_iter().filter_map(named) {
            if lines.len() < MAX_DETAILS && !lines.contains(&line) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            return;
        }
        let files: Vec<String> = parts.files.iter().take(MAX_FILES).cloned().collect();
        let request = clean(parts.request, MAX_DETAIL);
        let text = format!("{request}\n{}\n{}", lines.join("\n"), files.join("\n"));
        let wrong = marks::is_wrong(parts.extra);
        let item = RecallItem {
            id: parts.id.clone(),
            kind: parts.kind.to_owned(),
            request,
            details: lines,
            timestamp: parts.timestamp.to_owned(),
            agent: parts.agent.to_owned(),
            branch: parts.branch.to_owned(),
            files,
            status: if wrong { "wrong" } else { parts.status }.to_owned(),
            origin: parts.origin,
            ..RecallItem::default()
        };
        self.0.push(Remembered { item, text });
    }

    fn handoffs(&mut self, rows: &[HandoffRow]) {
        for row in rows {
            let mut details = vec![("", row.summary.as_str())];
            details.extend(each("done", &row.completed));
            details.extend(each("next", &row.next_steps));
            details.extend(each("blocked", &row.blocked));
            details.extend(each("risk", &row.risks));
            let parts = Parts {
                request: &row.reason,
                timestamp: &row.timestamp,
                agent: &row.agent_id,
                branch: &row.branch,
                status: &row.status,
                files: &row.recommended_starting_points,
                ..Parts::new("handoff", handoff_id(row), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }

    fn decisions(&mut self, rows: &[Decision]) {
        let gone = superseded(&shared(rows.iter().cloned()));
        for (row, gone) in rows.iter().zip(gone) {
            let mut details = vec![("", row.decision.as_str()), ("why", row.rationale.as_str())];
            details.extend(each("instead of", &row.alternatives));
            details.extend(each("as long as", &row.constraints));
            details.extend(each("risk", &row.risks));
            let parts = Parts {
                request: &row.subsystem,
                timestamp: &row.timestamp,
                status: if gone { "superseded" } else { "" },
                files: &row.related_paths,
                ..Parts::new("decision", decision_id(row), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }

    fn failures(&mut self, snapshot: &Snapshot, evicted: &[FailurePattern]) {
        let live = snapshot.failures.iter().map(|row| &**row);
        for row in evicted.iter().chain(live) {
            let mut details: Vec<(&str, &str)> = each("", &row.symptoms).collect();
            details.push(("", &row.error_text));
            details.push(("command", &row.failed_command));
            details.push(("fixed by", &row.resolution_summary));
            details.push(("hint", &row.resolution_hint));
            details.extend(each("tried", &row.failed_attempts));
            let parts = Parts {
                timestamp: &row.timestamp,
                status: if row.status.is_empty() {
                    "open"
                } else {
                    &row.status
                },
                files: &row.related_paths,
                ..Parts::new("failure", row.failure_id.clone(), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }

    fn strategies(&mut self, snapshot: &Snapshot, evicted: &[Strategy]) {
        let live = snapshot.strategies.iter().map(|row| &**row);
        for row in evicted.iter().chain(live) {
            let mut details = vec![
                ("", row.task_text.as_str()),
                ("worked because", row.why_it_worked.as_str()),
                ("again when", row.reuse_when.as_str()),
                ("not when", row.avoid_when.as_str()),
            ];
            details.extend(each("ran", &row.tests_executed).take(3));
            details.extend(each("met", &row.notable_errors).take(3));
            let parts = Parts {
                request: &row.task_text,
                timestamp: &row.timestamp,
                status: if row.is_failure { "failed" } else { "" },
                files: &row.files_used,
                ..Parts::new("strategy", strategy_id(row), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }

    fn tasks(&mut self, snapshot: &Snapshot) {
        for row in snapshot.threads.iter() {
            let mut details = vec![
                ("", row.goal.as_str()),
                ("next", row.next_action.as_str()),
                ("believed", row.current_hypothesis.as_str()),
            ];
            details.extend(each("holds", &row.verified));
            details.extend(each("not sure", &row.unverified));
            details.extend(each("risk", &row.risks));
            let parts = Parts {
                request: &row.goal,
                timestamp: &row.updated_at,
                status: &row.status,
                files: &row.active_files,
                ..Parts::new("task", thread_id(row), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }

    fn subsystems(&mut self, snapshot: &Snapshot) {
        for row in &snapshot.semantic.subsystems {
            let mut details = vec![("", row.description.as_str())];
            details.extend(each("fragile", &row.fragile_areas));
            let parts = Parts {
                request: &row.name,
                timestamp: &row.updated_at,
                files: &row.key_paths,
                ..Parts::new("note", subsystem_id(row), &row.extra, row.origin)
            };
            self.add(&parts, details);
        }
    }
}

fn each<'a>(name: &'a str, texts: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    texts.iter().map(move |text| (name, text.as_str()))
}

/// Tells the items that are asked for from others. `file` is relative to the repository.
pub fn is_wanted(item: &RecallItem, params: &RecallParams, file: &str) -> bool {
    let same = |wanted: &str, has: &str| wanted.is_empty() || wanted.eq_ignore_ascii_case(has);
    (params.kinds.is_empty() || params.kinds.contains(&item.kind))
        // Times of one format compare as texts; a date is before all times of its day.
        && (params.since.is_empty() || *item.timestamp >= *params.since)
        && (file.is_empty() || item.files.iter().any(|has| has == file))
        && same(&params.branch, &item.branch)
        && same(&params.agent, &item.agent)
}

/// An item as an answer: the sentence that has most of the query's words comes first.
pub fn told(item: &Remembered, query: &str, score: f64) -> RecallItem {
    let mut item = item.item.clone();
    let words = asked_terms(query);
    let fits = |text: &str| in_common(&words, &hashed_terms(text));
    let lines = item.details.iter().flat_map(|line| sentences(line));
    let mut best = ("", 0);
    for line in lines {
        let count = fits(line);
        if best.0.is_empty() || count > best.1 {
            best = (line, count);
        }
    }
    item.text = clean(best.0, MAX_TEXT);
    item.details.retain(|line| *line != item.text);
    item.score = (score * 1_000.0).round() / 1_000.0;
    let label = item.origin.label();
    let texts = [&mut item.text, &mut item.request].into_iter();
    for text in texts
        .chain(&mut item.details)
        .filter(|text| !text.is_empty())
    {
        text.push_str(label);
    }
    item
}
