//! Everything that memory holds, as items that can be searched, whatever their age.

mod stale;
mod tell;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aictx_proto::methods::{RecallItem, RecallParams};
use aictx_proto::record::{
    Decision, FailurePattern, Handoff, HandoffRow, ImportedRow, ImportedTurn, Origin, SemanticRepo,
    Strategy, Subsystem, Thread,
};
use aictx_proto::snapshot::{Rows, Snapshot};
use aictx_proto::text::clean;
use aictx_proto::text::sentences;
use serde_json::{Map, Value};

pub use self::stale::{mark_stale, recalled_paths};
pub(crate) use self::tell::{PROMPT_MEMORY, told_before};
pub use self::tell::{PromptMemory, Recollection, recollect, tell_prompt};
use crate::decision_memory::are_on_one_subject;
use crate::handoff::still_blocks;
use crate::ids::{decision_id, handoff_id, strategy_id, subsystem_id, thread_id};
use crate::item_flags;
use crate::row_cache::hash;
use crate::strategies::said_of_use;
use crate::text_similarity::{asked_terms, hashed_terms, in_common};

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
    /// Imported sessions.
    pub imported: Vec<ImportedRow>,
}

/// An item of memory.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The item without the sentence that fits and without a score.
    pub item: RecallItem,
    /// The execution that it is of; empty where there is none.
    pub execution: String,
    /// The session that it stands for, where it was imported.
    pub imported: Option<Arc<ImportedSession>>,
    /// Its row was changed or removed: another item stands for it, or none.
    pub is_gone: bool,
}

impl Remembered {
    /// Returns true while nothing later replaced it and nobody marked it as wrong.
    pub fn holds(&self) -> bool {
        !matches!(self.item.status.as_str(), "superseded" | "wrong")
    }

    /// Its request and the sentences of its details, each of which may fit a question by itself.
    pub fn parts(&self) -> Vec<&str> {
        let lines = self.item.details.iter();
        let sentences = lines.flat_map(|line| sentences(line));
        let request = std::iter::once(self.item.request.as_str());
        let turns = self.imported.iter().flat_map(|one| &one.turns);
        let said = turns.flat_map(|turn| [turn.asked.as_str(), &turn.said]);
        request.chain(sentences).chain(said).collect()
    }
}

/// An imported session, ready to be asked.
#[derive(Debug)]
pub struct ImportedSession {
    turns: Vec<ImportedTurn>,
    /// Hashes of the terms of each turn.
    terms: Vec<Box<[u64]>>,
}

impl ImportedSession {
    fn new(row: &ImportedRow) -> Self {
        let terms = |turn: &ImportedTurn| hashed_terms(&format!("{}\n{}", turn.asked, turn.said));
        Self {
            turns: row.turns.clone(),
            terms: row.turns.iter().map(terms).collect(),
        }
    }

    /// The turn that shares most words with a question, by their hashes.
    fn best_turn(&self, words: &[u64]) -> Option<&ImportedTurn> {
        let fits = self.terms.iter().map(|terms| in_common(words, terms));
        // Of equals the first.
        let turns = self.turns.iter().zip(fits).rev();
        let best = turns
            .filter(|(_, fit)| *fit > 0)
            .max_by_key(|(_, fit)| *fit);
        best.map(|(turn, _)| turn)
    }

    /// Share of those words of a question that the session has which stand together in one of its turns: a long
    /// session has words of any question.
    fn togetherness(&self, words: &[u64]) -> f32 {
        let best = self.terms.iter().map(|terms| in_common(words, terms)).max();
        let is_there = |word: &&u64| self.terms.iter().any(|all| all.binary_search(word).is_ok());
        let all = words.iter().filter(is_there).count();
        best.unwrap_or(0) as f32 / all.max(1) as f32
    }
}

/// All that memory holds. Items keep their numbers while it follows the snapshots of one store.
#[derive(Debug, Default)]
pub struct Memory {
    items: Vec<Remembered>,
    /// Numbers of the items of each execution.
    executions: HashMap<String, Vec<usize>>,
    /// Number of the newest item of an id.
    ids: HashMap<String, usize>,
    /// Numbers of the decisions, oldest first, with the terms of what was decided.
    subjects: Vec<(usize, Box<[u64]>)>,
    /// Numbers of the decisions that hold, by the hash of their words.
    words: HashMap<u64, Vec<usize>>,
    /// Items that are gone.
    gone: usize,
    /// The newest snapshot's.
    generation: u64,
    of: Parts,
}

/// The parts of a snapshot that items are made of: snapshots share what did not change.
#[derive(Debug, Clone, Default)]
struct Parts {
    handoffs: Rows<HandoffRow>,
    decisions: Rows<Decision>,
    failures: Rows<FailurePattern>,
    strategies: Rows<Strategy>,
    threads: Rows<Thread>,
    semantic: Arc<SemanticRepo>,
    imported: u64,
}

impl Parts {
    fn of(snapshot: &Snapshot) -> Self {
        Self {
            handoffs: Arc::clone(&snapshot.handoffs),
            decisions: Arc::clone(&snapshot.decisions),
            failures: Arc::clone(&snapshot.failures),
            strategies: Arc::clone(&snapshot.strategies),
            threads: Arc::clone(&snapshot.threads),
            semantic: Arc::clone(&snapshot.semantic),
            imported: snapshot.imported,
        }
    }

    fn are_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.handoffs, &other.handoffs)
            && Arc::ptr_eq(&self.decisions, &other.decisions)
            && Arc::ptr_eq(&self.failures, &other.failures)
            && Arc::ptr_eq(&self.strategies, &other.strategies)
            && Arc::ptr_eq(&self.threads, &other.threads)
            && Arc::ptr_eq(&self.semantic, &other.semantic)
            && self.imported == other.imported
    }
}

/// Items looked at of one execution, and newest decisions that others are compared with.
const MAX_OF_EXECUTION: usize = 24;
const MAX_COMPARED: usize = 500;
/// Items that may be gone before all is made anew.
const MAX_GONE: usize = 1_000;

/// The rows of a history's end that are new since an earlier end of it; `None` where more than that changed.
fn added<'r, T: PartialEq>(before: &[Arc<T>], now: &'r [Arc<T>]) -> Option<&'r [Arc<T>]> {
    let Some(last) = before.last() else {
        // What stands before the first rows is not known.
        return now.is_empty().then_some(now);
    };
    // Rows go from the front, so none stands further back than it stood.
    let reach = now.get(..before.len()).unwrap_or(now);
    let at = reach.iter().rposition(|row| is_same(row, last))?;
    let (kept, added) = now.split_at_checked(at + 1)?;
    let mut same = kept.iter().rev().zip(before.iter().rev());
    same.all(|(a, b)| is_same(a, b)).then_some(added)
}

/// Compares rows that may have been read again.
fn is_same<T: PartialEq>(a: &Arc<T>, b: &Arc<T>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

/// Rows that are new or other ones than before.
fn changed<'r, T: PartialEq>(
    before: &[Arc<T>],
    now: &'r [Arc<T>],
    id: impl Fn(&T) -> &str,
) -> Vec<&'r T> {
    if std::ptr::eq(before, now) {
        return Vec::new();
    }
    let known: HashMap<&str, &Arc<T>> = before.iter().map(|row| (id(row), row)).collect();
    let is_known = |row: &Arc<T>| known.get(id(row)).is_some_and(|known| is_same(known, row));
    let new = now.iter().filter(|row| !is_known(row));
    new.map(|row| &**row).collect()
}

impl Memory {
    /// Each item once. Linear in what memory holds.
    pub fn of(snapshot: &Snapshot, all: &Histories) -> Self {
        let mut made = Self {
            generation: snapshot.generation,
            of: Parts::of(snapshot),
            ..Self::default()
        };
        // A session that was also observed is told once.
        let observed = all.handoffs.iter().filter(|row| !row.session_id.is_empty());
        let observed: HashMap<&str, &str> = observed
            .map(|row| (row.session_id.as_str(), row.execution_id.as_str()))
            .collect();
        for row in &all.imported {
            let execution = observed.get(row.session_id.as_str()).copied();
            made.imported_row(row, execution.unwrap_or(&row.id));
        }
        all.handoffs.iter().for_each(|row| made.handoff_row(row));
        all.decisions.iter().for_each(|row| made.decision(row));
        all.evicted_failures
            .iter()
            .for_each(|row| made.failure(row));
        snapshot.failures.iter().for_each(|row| made.failure(row));
        snapshot
            .strategies
            .iter()
            .for_each(|row| made.strategy(row));
        snapshot.threads.iter().for_each(|row| made.task(row));
        let subsystems = snapshot.semantic.subsystems.iter();
        subsystems.for_each(|row| made.subsystem(row));
        made
    }

    /// Returns true for the memory of a snapshot or of a newer one.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        self.generation > snapshot.generation || self.of.are_same(&Parts::of(snapshot))
    }

    /// Takes in what changed since the snapshot that it is of. `false` where whole histories have to be read again;
    /// then nothing changed. Linear in what changed and in the rows of failures, strategies and tasks.
    pub fn follow(&mut self, snapshot: &Snapshot) -> bool {
        let now = Parts::of(snapshot);
        let handoffs = added(&self.of.handoffs, &now.handoffs);
        let decisions = added(&self.of.decisions, &now.decisions);
        let (Some(handoffs), Some(decisions)) = (handoffs, decisions) else {
            return false;
        };
        if self.gone > MAX_GONE || self.of.imported != now.imported {
            return false;
        }
        handoffs.iter().for_each(|row| self.handoff_row(row));
        decisions.iter().for_each(|row| self.decision(row));
        self.generation = snapshot.generation;
        let before = std::mem::replace(&mut self.of, now.clone());
        // Those that made room for others are still found.
        let failures = changed(&before.failures, &now.failures, |row| &row.failure_id);
        failures.into_iter().for_each(|row| self.failure(row));
        let strategies = changed(&before.strategies, &now.strategies, |row| &row.task_id);
        strategies.into_iter().for_each(|row| self.strategy(row));
        if !Arc::ptr_eq(&before.threads, &now.threads) {
            let there: HashSet<&str> = now.threads.iter().map(|row| &*row.task_id).collect();
            let gone = before.threads.iter();
            for row in gone.filter(|row| !there.contains(&*row.task_id)) {
                self.drop_item(&thread_id(row));
            }
        }
        let tasks = changed(&before.threads, &now.threads, |row| &row.task_id);
        tasks.into_iter().for_each(|row| self.task(row));
        if !Arc::ptr_eq(&before.semantic, &now.semantic) {
            for row in &before.semantic.subsystems {
                self.drop_item(&subsystem_id(row));
            }
            now.semantic
                .subsystems
                .iter()
                .for_each(|row| self.subsystem(row));
        }
        true
    }

    fn drop_item(&mut self, id: &str) {
        let item = self.ids.remove(id).and_then(|at| self.items.get_mut(at));
        if let Some(item) = item {
            item.is_gone = true;
            self.gone += 1;
        }
    }

    /// The newest decision on the subject of an earlier one, where there is one that was made by another execution.
    fn newer_on_the_subject<'m>(&'m self, one: &Remembered) -> Option<&'m Remembered> {
        if one.item.kind != "decision" {
            return None;
        }
        let own_at = self.ids.get(&one.item.id)?;
        let own = self.subjects.binary_search_by_key(own_at, |(at, _)| *at);
        let (_, own) = self.subjects.get(own.ok()?)?;
        let newest = self.subjects.iter().rev().take(MAX_COMPARED);
        let later = newest.take_while(|(at, _)| at > own_at);
        let found = later.filter_map(|(at, terms)| Some((self.items.get(*at)?, terms)));
        let mut found = found.filter(|(other, terms)| {
            let mut files = other.item.files.iter();
            let same_file = files.any(|file| one.item.files.contains(file));
            other.holds()
                && !other.is_gone
                && other.execution != one.execution
                && are_on_one_subject(in_common(own, terms), same_file)
        });
        found.next().map(|(other, _)| other)
    }

    /// The items by number, those that are gone among them.
    pub fn items(&self) -> &[Remembered] {
        &self.items
    }

    /// The item of an id.
    pub(crate) fn item(&self, id: &str) -> Option<&Remembered> {
        self.ids.get(id).and_then(|at| self.items.get(*at))
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
        let mut blocked = named("blocked: ");
        blocked.retain(|block| still_blocks(block, &item.timestamp, &self.of.failures));
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

    /// Returns false for a block whose command was seen to pass since.
    fn still_holds(&self, line: &str, since: &str) -> bool {
        let block = line.strip_prefix("blocked: ");
        block.is_none_or(|block| still_blocks(block, since, &self.of.failures))
    }

    /// The items of an execution, the first ones where there are very many.
    pub(crate) fn of_execution(&self, execution: &str) -> impl Iterator<Item = &Remembered> {
        let places = self.executions.get(execution).into_iter().flatten();
        let items = places.filter_map(|at| self.items.get(*at));
        let live = items.filter(|item| !item.is_gone);
        live.take(MAX_OF_EXECUTION)
    }
}

/// An item that fits a question.
#[derive(Debug, Clone, Copy)]
pub struct Found<'m> {
    /// The item.
    pub item: &'m Remembered,
    /// Fit beside the others.
    pub score: f32,
    /// Evidence for it by itself: 0 for nothing but common words, above 1 for several rare ones.
    pub evidence: f32,
}

/// Factor of the score of an item that does not hold any more.
const REPLACED: f32 = 0.7;
/// Factor of the score and the evidence of what was imported: what was observed tells more.
const IMPORTED: f32 = 0.7;
/// Best items whose evidence is looked at closely: prompts are told of fewer.
const MAX_WEIGHED: usize = 32;

/// Orders what fits, best first: one item for each execution, and what holds before what was replaced.
pub fn best_of_each<'m>(mut found: Vec<Found<'m>>, question: &str) -> Vec<Found<'m>> {
    for one in found.iter_mut().filter(|one| !one.item.holds()) {
        one.score *= REPLACED;
    }
    for one in found.iter_mut().filter(|one| one.item.imported.is_some()) {
        one.score *= IMPORTED;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut known = HashSet::new();
    let is_first = |one: &Found<'_>| {
        let execution = one.item.execution.as_str();
        execution.is_empty() || known.insert(execution.to_owned())
    };
    found.retain(is_first);
    let words = asked_terms(question);
    for one in found.iter_mut().take(MAX_WEIGHED) {
        if let Some(session) = &one.item.imported {
            one.evidence *= IMPORTED * session.togetherness(&words);
        }
    }
    found
}

/// Sources of an item.
struct Source<'a> {
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

impl<'a> Source<'a> {
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

impl Memory {
    fn add(&mut self, source: &Source, details: Vec<(&str, &str)>) {
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
        let files: Vec<String> = source.files.iter().take(MAX_FILES).cloned().collect();
        let request = clean(source.request, MAX_DETAIL);
        let wrong = item_flags::is_wrong(source.extra);
        let item = RecallItem {
            id: source.id.clone(),
            kind: source.kind.to_owned(),
            request,
            details: lines,
            timestamp: source.timestamp.to_owned(),
            agent: source.agent.to_owned(),
            branch: source.branch.to_owned(),
            files,
            status: if wrong { "wrong" } else { source.status }.to_owned(),
            origin: source.origin,
            ..RecallItem::default()
        };
        self.drop_item(&source.id);
        let number = self.items.len();
        self.ids.insert(source.id.clone(), number);
        let execution = source.execution.to_owned();
        if !execution.is_empty() {
            self.executions
                .entry(execution.clone())
                .or_default()
                .push(number);
        }
        self.items.push(Remembered {
            item,
            execution,
            imported: None,
            is_gone: false,
        });
    }

    fn imported_row(&mut self, row: &ImportedRow, execution: &str) {
        let failed = row.failed.iter().rev().take(3).map(|failed| {
            let first = failed.error.lines().next().unwrap_or_default();
            format!("`{}`: {first}", failed.command)
        });
        let failed: Vec<String> = failed.collect();
        let last = row.turns.last().map_or("", |turn| turn.said.as_str());
        let mut details = vec![("", last)];
        details.extend(each("decided", &row.decisions));
        details.extend(each("next", &row.next_steps));
        details.extend(each("failed", &failed));
        if last.is_empty() {
            details.push(("", &row.title));
        }
        let source = Source {
            execution,
            request: &row.title,
            timestamp: &row.timestamp,
            agent: match row.agent_id.as_str() {
                "" => &row.source,
                agent => agent,
            },
            branch: &row.branch,
            status: &row.status,
            files: &row.files_edited,
            ..Source::new("imported", row.id.clone(), &row.extra, Origin::Own)
        };
        let number = self.items.len();
        self.add(&source, details);
        if let Some(item) = self.items.get_mut(number) {
            item.imported = Some(Arc::new(ImportedSession::new(row)));
        }
    }

    fn handoff_row(&mut self, row: &HandoffRow) {
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
        details.extend(each("blocked", &row.blocked));
        details.extend(each("risk", &row.risks));
        let source = Source {
            execution: &row.execution_id,
            request: &row.reason,
            timestamp: &row.timestamp,
            agent: &row.agent_id,
            branch: &row.branch,
            status: &row.status,
            files: &row.recommended_starting_points,
            ..Source::new("handoff", handoff_id(row), &row.extra, row.origin)
        };
        self.add(&source, details);
    }

    fn decision(&mut self, row: &Decision) {
        self.supersede(&row.supersedes);
        let mut details = vec![("", row.decision.as_str()), ("why", row.rationale.as_str())];
        details.extend(each("instead of", &row.alternatives));
        details.extend(each("as long as", &row.constraints));
        details.extend(each("risk", &row.risks));
        let source = Source {
            execution: &row.execution_id,
            request: &row.subsystem,
            timestamp: &row.timestamp,
            files: &row.related_paths,
            ..Source::new("decision", decision_id(row), &row.extra, row.origin)
        };
        let number = self.items.len();
        self.add(&source, details);
        if self.items.len() > number {
            let what = clean(&row.decision, MAX_TEXT);
            self.subjects.push((number, hashed_terms(&what)));
            let same = self.words.entry(hash(row.decision.trim())).or_default();
            same.push(number);
        }
    }

    /// Marks the decisions that a later one names, by their id or their very words.
    fn supersede(&mut self, named: &[String]) {
        for name in named.iter().map(|name| name.trim()) {
            let by_words = self.words.remove(&hash(name)).unwrap_or_default();
            let by_id = self.ids.get(name).copied();
            for at in by_words.into_iter().chain(by_id) {
                let one = self.items.get_mut(at);
                let one = one.filter(|one| one.item.kind == "decision");
                if let Some(one) = one.filter(|one| one.item.status.is_empty()) {
                    "superseded".clone_into(&mut one.item.status);
                }
            }
        }
    }

    fn failure(&mut self, row: &FailurePattern) {
        let mut details: Vec<(&str, &str)> = each("", &row.symptoms).collect();
        details.push(("", &row.error_text));
        details.push(("command", &row.failed_command));
        details.push((FIXED_BY, &row.resolution_summary));
        details.push(("hint", &row.resolution_hint));
        details.extend(each("tried", &row.failed_attempts));
        let source = Source {
            // Of the execution that fixed it, where that is known.
            execution: match row.resolved_by_execution_id.as_str() {
                resolved_by if !row.resolution_summary.is_empty() => resolved_by,
                _ => &row.last_execution_id,
            },
            timestamp: &row.timestamp,
            status: if row.status.is_empty() {
                "open"
            } else {
                &row.status
            },
            files: &row.related_paths,
            ..Source::new("failure", row.failure_id.clone(), &row.extra, row.origin)
        };
        self.add(&source, details);
    }

    fn strategy(&mut self, row: &Strategy) {
        let (reuse_when, avoid_when) = said_of_use(row);
        let mut details = vec![
            ("", row.task_text.as_str()),
            ("worked because", row.why_it_worked.as_str()),
            ("again when", reuse_when),
            ("not when", avoid_when),
        ];
        details.extend(each("ran", &row.tests_executed).take(3));
        details.extend(each("met", &row.notable_errors).take(3));
        let source = Source {
            execution: &row.task_id,
            request: &row.task_text,
            timestamp: &row.timestamp,
            status: if row.is_failure { "failed" } else { "" },
            files: &row.files_used,
            ..Source::new("strategy", strategy_id(row), &row.extra, row.origin)
        };
        self.add(&source, details);
    }

    fn task(&mut self, row: &Thread) {
        let mut details = vec![
            ("", row.goal.as_str()),
            ("next", row.next_action.as_str()),
            ("believed", row.current_hypothesis.as_str()),
        ];
        details.extend(each("holds", &row.verified));
        details.extend(each("not sure", &row.unverified));
        details.extend(each("risk", &row.risks));
        // Those of a task at hand are told with it.
        let is_over = row.status != "in_progress";
        for (label, name) in [("rejected", "hypothesis"), ("because", "reason")] {
            let discarded = row.discarded_hypotheses.iter().filter(|_| is_over);
            details.extend(discarded.filter_map(|h| Some((label, h.get(name)?.as_str()?))));
        }
        let source = Source {
            request: &row.goal,
            timestamp: &row.updated_at,
            status: &row.status,
            files: &row.active_files,
            ..Source::new("task", thread_id(row), &row.extra, row.origin)
        };
        self.add(&source, details);
    }

    fn subsystem(&mut self, row: &Subsystem) {
        let mut details = vec![("", row.description.as_str())];
        details.extend(each("fragile", &row.fragile_areas));
        let source = Source {
            request: &row.name,
            timestamp: &row.updated_at,
            files: &row.key_paths,
            ..Source::new("note", subsystem_id(row), &row.extra, row.origin)
        };
        self.add(&source, details);
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
    item.details
        .retain(|line| memory.still_holds(line, &item.timestamp));
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
    let imported = found.item.imported.as_ref();
    if let Some(turn) = imported.and_then(|session| session.best_turn(&words)) {
        let lines = [("asked", &turn.asked), ("said", &turn.said)];
        let lines = lines.into_iter().filter(|(_, text)| !text.is_empty());
        let lines = lines.map(|(name, text)| (name, clean(text, MAX_DETAIL)));
        let lines: Vec<(&str, String)> = lines.collect();
        item.details
            .retain(|line| !lines.iter().any(|(_, text)| text == line));
        let lines = lines
            .into_iter()
            .map(|(name, text)| format!("{name}: {text}"));
        item.details.splice(0..0, lines);
        item.details.truncate(MAX_DETAILS);
    }
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

#[cfg(test)]
mod tests {
    use aictx_proto::record::{Decision, FailurePattern, HandoffRow, Thread};
    use proptest::prelude::*;

    use super::{
        Arc, Found, Histories, ImportedRow, ImportedTurn, Memory, Rows, Snapshot, best_of_each,
    };

    /// Rows that are added to a memory or changed in it, by number.
    #[derive(Debug, Clone)]
    enum Step {
        Handoff(u8),
        Decision(u8, Option<u8>),
        Failure(u8, bool),
        Task(u8),
        NoTask,
    }

    fn step() -> BoxedStrategy<Step> {
        prop_oneof![
            any::<u8>().prop_map(Step::Handoff),
            (any::<u8>(), prop::option::of(any::<u8>()))
                .prop_map(|(n, old)| Step::Decision(n, old)),
            (0..4_u8, any::<bool>()).prop_map(|(n, resolved)| Step::Failure(n, resolved)),
            (0..3_u8).prop_map(Step::Task),
            Just(Step::NoTask),
        ]
        .boxed()
    }

    fn push<T>(rows: &mut Rows<T>, row: T) {
        let mut all = rows.to_vec();
        all.push(Arc::new(row));
        *rows = Arc::new(all);
    }

    fn replace<T>(rows: &mut Rows<T>, is_it: impl Fn(&T) -> bool, row: T) {
        let mut all = rows.to_vec();
        all.retain(|known| !is_it(known));
        all.push(Arc::new(row));
        *rows = Arc::new(all);
    }

    fn take(snapshot: &mut Snapshot, step: &Step) {
        match step {
            Step::Handoff(n) => {
                let row = HandoffRow {
                    execution_id: format!("e{n}"),
                    summary: format!("did {n}"),
                    ..HandoffRow::default()
                };
                push(&mut snapshot.handoffs, row);
            }
            Step::Decision(n, old) => {
                let row = Decision {
                    decision: format!("decided {n}"),
                    execution_id: format!("e{n}"),
                    supersedes: old.iter().map(|old| format!("decided {old}")).collect(),
                    ..Decision::default()
                };
                push(&mut snapshot.decisions, row);
            }
            Step::Failure(n, resolved) => {
                let row = FailurePattern {
                    failure_id: format!("failure::{n}"),
                    error_text: format!("broke {n}"),
                    status: if *resolved { "resolved" } else { "open" }.to_owned(),
                    ..FailurePattern::default()
                };
                let id = row.failure_id.clone();
                replace(&mut snapshot.failures, |known| known.failure_id == id, row);
            }
            Step::Task(n) => {
                let row = Thread {
                    task_id: format!("t{n}"),
                    goal: format!("goal {n}"),
                    ..Thread::default()
                };
                let id = row.task_id.clone();
                replace(&mut snapshot.threads, |known| known.task_id == id, row);
            }
            Step::NoTask => snapshot.threads = Rows::default(),
        }
    }

    fn histories(snapshot: &Snapshot) -> Histories {
        Histories {
            handoffs: snapshot
                .handoffs
                .iter()
                .map(|row| (**row).clone())
                .collect(),
            decisions: snapshot
                .decisions
                .iter()
                .map(|row| (**row).clone())
                .collect(),
            ..Histories::default()
        }
    }

    /// Ids of the items with their statuses, sorted.
    fn live(memory: &Memory) -> Vec<(String, String)> {
        let items = memory.items().iter().filter(|one| !one.is_gone);
        let mut all: Vec<_> = items
            .map(|one| (one.item.id.clone(), one.item.status.clone()))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn an_imported_session_that_was_observed_is_found_once() {
        let imported = |id: &str, session: &str| ImportedRow {
            id: id.into(),
            session_id: session.into(),
            title: "paint the heron".into(),
            turns: vec![ImportedTurn {
                asked: "paint the heron".into(),
                ..ImportedTurn::default()
            }],
            ..ImportedRow::default()
        };
        let all = Histories {
            handoffs: vec![HandoffRow {
                execution_id: "e1".into(),
                session_id: "s1".into(),
                summary: "painted the heron".into(),
                ..HandoffRow::default()
            }],
            imported: vec![imported("i1", "s1"), imported("i2", "s2")],
            ..Histories::default()
        };
        let memory = Memory::of(&Snapshot::default(), &all);
        let found = memory.items().iter().map(|item| Found {
            item,
            score: 1.0,
            evidence: 1.0,
        });
        let best = best_of_each(found.collect(), "the heron");
        let ids: Vec<&str> = best.iter().map(|one| one.item.item.id.as_str()).collect();
        assert_eq!(ids, ["handoff::e1", "i2"]);
    }

    proptest! {
        #[test]
        fn a_memory_that_follows_is_as_one_made_anew(steps in prop::collection::vec(step(), 1..24), asked in prop::collection::vec(any::<bool>(), 24)) {
            let mut snapshot = Snapshot::default();
            let mut memory = Memory::default();
            for (step, asked) in steps.iter().zip(asked) {
                take(&mut snapshot, step);
                if !asked {
                    continue;
                }
                let anew = Memory::of(&snapshot, &histories(&snapshot));
                if !memory.follow(&snapshot) {
                    memory = Memory::of(&snapshot, &histories(&snapshot));
                }
                prop_assert!(memory.is_of(&snapshot));
                prop_assert_eq!(live(&memory), live(&anew));
            }
        }
    }
}
