//! Everything that memory holds, as items that can be searched, whatever their age.

mod tell;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aictx_proto::methods::{RecallItem, RecallParams};
use aictx_proto::record::{Decision, FailurePattern, Handoff, HandoffRow, Origin, Strategy};
use aictx_proto::snapshot::{Snapshot, shared};
use aictx_proto::text::clean;
use serde_json::{Map, Value};

pub(crate) use self::tell::{PROMPT_MEMORY, told_before};
pub use self::tell::{PromptMemory, Recollection, recollect, tell_prompt};
use crate::decisions::{are_on_one_subject, superseded};
use crate::handoff::Settled;
use crate::ids::{decision_id, handoff_id, strategy_id, subsystem_id, thread_id};
use crate::marks;
use crate::matching::{asked_terms, hashed_terms, in_common, sentences};

/// Longest text of an item, in characters, and longest of its details.
const MAX_TEXT: usize = 400;
const MAX_DETAIL: usize = 2_000;
/// Most details of an item, and most of its files.
const MAX_DETAILS: usize = 16;
const MAX_FILES: usize = 12;

/// Status of a decision that a later one on the same subject may have replaced.
const EARLIER: &str = "earlier decision";

/// Before what fixed a failure.
const FIXED_BY: &str = "fixed by";

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

/// An item of memory.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The item without the sentence that fits and without a score.
    pub item: RecallItem,
    /// The execution that it is of; empty where there is none.
    pub execution: String,
}

impl Remembered {
    /// Whether it holds: nothing later replaced it and nobody marked it as wrong.
    pub fn holds(&self) -> bool {
        !matches!(self.item.status.as_str(), "superseded" | "wrong")
    }

    /// All that it says, as one text to search in.
    pub fn text(&self) -> String {
        let item = &self.item;
        let (details, files) = (item.details.join("\n"), item.files.join("\n"));
        format!("{}\n{details}\n{files}", item.request)
    }

    /// Whether it says the same as another one.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.item, &other.item);
        a.request == b.request && a.details == b.details && a.files == b.files
    }

    /// The parts of its text that may fit a question by themselves.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        let lines = self.item.details.iter();
        lines.flat_map(|line| sentences(line))
    }
}

/// All that memory holds.
#[derive(Debug, Default)]
pub struct Memory {
    items: Vec<Remembered>,
    /// Places of the items of each execution.
    executions: HashMap<String, Vec<usize>>,
    /// Places of the decisions, oldest first, with the terms of what was decided.
    subjects: Vec<(usize, Box<[u64]>)>,
}

impl Memory {
    /// Each item once. Linear in what memory holds.
    pub fn of(snapshot: &Snapshot, all: &Histories) -> Self {
        let items = remembered(snapshot, all);
        let mut executions: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            if !item.execution.is_empty() {
                executions
                    .entry(item.execution.clone())
                    .or_default()
                    .push(at);
            }
        }
        let decisions = items.iter().enumerate();
        let decisions = decisions.filter(|(_, one)| one.item.kind == "decision");
        let subject = |one: &Remembered| hashed_terms(one.item.details.first().map_or("", |d| d));
        let subjects = decisions.map(|(at, one)| (at, subject(one))).collect();
        Self {
            items,
            executions,
            subjects,
        }
    }

    /// The newest decision on the subject of an earlier one, where there is one that was made by another execution.
    fn newer_on_the_subject<'m>(&'m self, one: &Remembered) -> Option<&'m Remembered> {
        if one.item.kind != "decision" {
            return None;
        }
        let is_own = |(at, _): &&(usize, Box<[u64]>)| {
            self.items
                .get(*at)
                .is_some_and(|other| other.item.id == one.item.id)
        };
        let (own_at, own) = self.subjects.iter().rfind(is_own)?;
        let later = self.subjects.iter().rev().take_while(|(at, _)| at > own_at);
        let found = later.filter_map(|(at, terms)| Some((self.items.get(*at)?, terms)));
        let mut found = found.filter(|(other, terms)| {
            let mut files = other.item.files.iter();
            let same_file = files.any(|file| one.item.files.contains(file));
            other.holds()
                && other.execution != one.execution
                && are_on_one_subject(in_common(own, terms), same_file)
        });
        found.next().map(|(other, _)| other)
    }

    /// The items, those of each kind oldest first.
    pub fn items(&self) -> &[Remembered] {
        &self.items
    }

    /// The handoff of an execution, in the shape of the newest one.
    pub fn handoff(&self, execution: &str) -> Option<Handoff> {
        let one = self.handoff_item(execution).filter(|one| one.holds())?;
        let item = &one.item;
        let lines = item.details.iter();
        let named = |name: &'static str| -> Vec<String> {
            let lines = lines.clone().filter_map(|line| line.strip_prefix(name));
            lines.map(str::to_owned).collect()
        };
        let blocked = named("blocked: ");
        Some(Handoff {
            summary: item.details.first().cloned().unwrap_or_default(),
            status: item.status.clone(),
            reason: item.request.clone(),
            next_steps: named("next: "),
            open_items: blocked.clone(),
            blocked,
            risks: named("risk: "),
            recommended_starting_points: item.files.clone(),
            updated_at: item.timestamp.clone(),
            source_execution_id: execution.to_owned(),
            agent_id: item.agent.clone(),
            branch: item.branch.clone(),
            origin: item.origin,
            ..Handoff::default()
        })
    }

    pub(crate) fn handoff_item(&self, execution: &str) -> Option<&Remembered> {
        let mut all = self.of_execution(execution);
        all.find(|one| one.item.kind == "handoff")
    }

    /// All items of an execution.
    pub(crate) fn of_execution(&self, execution: &str) -> impl Iterator<Item = &Remembered> {
        let places = self.executions.get(execution).into_iter().flatten();
        places.filter_map(|at| self.items.get(*at))
    }
}

/// An item that fits a question.
#[derive(Debug, Clone, Copy)]
pub struct Found<'m> {
    /// The item.
    pub item: &'m Remembered,
    /// How well it fits, beside the others.
    pub score: f32,
    /// How much speaks for it by itself, from 0 for nothing but common words; above 1 for several rare ones.
    pub evidence: f32,
}

/// What an item counts that does not hold any more, beside one that does.
const REPLACED: f32 = 0.7;

/// Orders what fits, best first: one item for each execution, and what holds before what was replaced.
pub fn best_of_each(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    for one in found.iter_mut().filter(|one| !one.item.holds()) {
        one.score *= REPLACED;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut known = HashSet::new();
    let is_first = |one: &Found<'_>| {
        let execution = one.item.execution.as_str();
        execution.is_empty() || known.insert(execution.to_owned())
    };
    found.retain(is_first);
    found
}

fn remembered(snapshot: &Snapshot, all: &Histories) -> Vec<Remembered> {
    let mut found = Items::default();
    found.handoffs(&all.handoffs, &snapshot.failures);
    found.decisions(&all.decisions);
    found.failures(snapshot, &all.evicted_failures);
    found.strategies(snapshot, &all.evicted_strategies);
    found.tasks(snapshot);
    found.subsystems(snapshot);
    found.0
}

#[derive(Default)]
struct Items(Vec<Remembered>);

/// What an item is made of.
struct Parts<'a> {
    id: String,
    kind: &'static str,
    execution: &'a str,
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
            execution: "",
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

impl Items {
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
        let execution = parts.execution.to_owned();
        self.0.push(Remembered { item, execution });
    }

    fn handoffs(&mut self, rows: &[HandoffRow], failures: &[Arc<FailurePattern>]) {
        let settled = Settled::of(failures);
        for row in rows {
            let mut details = vec![(
                "",
                match row.message.as_str() {
                    "" => row.summary.as_str(),
                    message => message,
                },
            )];
            details.extend(each("asked", &row.requests));
            details.extend(each("done", &row.completed).filter(|(_, done)| *done != row.summary));
            details.extend(each("next", &row.next_steps));
            let holds = |item: &&String| settled.leaves_open(item, &row.timestamp);
            let blocked = row.blocked.iter().filter(holds);
            details.extend(blocked.map(|item| ("blocked", item.as_str())));
            details.extend(each("risk", &row.risks));
            let parts = Parts {
                execution: &row.execution_id,
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
                execution: &row.execution_id,
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
            details.push((FIXED_BY, &row.resolution_summary));
            details.push(("hint", &row.resolution_hint));
            details.extend(each("tried", &row.failed_attempts));
            let parts = Parts {
                execution: match row.resolved_by_execution_id.as_str() {
                    "" => &row.last_execution_id,
                    resolved_by => resolved_by,
                },
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
                execution: &row.task_id,
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

/// An item as an answer: the sentence that has most of the query's words comes first, and what else is known of
/// its execution stands among the details.
pub fn told(memory: &Memory, found: &Found, query: &str) -> RecallItem {
    let mut item = found.item.item.clone();
    for other in memory.of_execution(&found.item.execution) {
        let is_other = other.item.id != item.id && other.item.kind != "strategy";
        if is_other && let Some(line) = other.item.details.first() {
            let status = match other.item.status.as_str() {
                "superseded" | "wrong" => format!("{} ", other.item.status),
                _ => String::new(),
            };
            let line = format!("{status}{}: {line}", other.item.kind);
            if !item
                .details
                .iter()
                .any(|known| line.ends_with(known.as_str()))
            {
                item.details.push(line);
            }
            let fixed = other
                .item
                .details
                .iter()
                .find(|line| line.starts_with(FIXED_BY));
            item.details.extend(fixed.cloned());
        }
    }
    item.details.truncate(MAX_DETAILS);
    if found.item.holds()
        && let Some(newer) = memory.newer_on_the_subject(found.item)
    {
        EARLIER.clone_into(&mut item.status);
        let newer = newer.item.details.first().map_or("", String::as_str);
        item.details.insert(0, format!("since then: {newer}"));
    }
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
    item.score = (f64::from(found.score) * 1_000.0).round() / 1_000.0;
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
