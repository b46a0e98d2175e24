//! Relevance of memory to a request: computed once, and shown in many forms
//! (resume, next, prepare, the session's capsule).
//!
//! Every item says why it was loaded; what was not loaded says why not.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use aictx_proto::Timestamp;
use aictx_proto::methods::MapHit;
use aictx_proto::record::{FailurePattern, Handoff, Origin, Subsystem, Thread};
use aictx_proto::shown;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_steer::{asks_what_fails, only_goes_on};
use serde_json::{Map, Value, json};

use crate::classify::{TaskType, provisional};
use crate::decision_memory::{self, RankedDecision, later_on_the_subject};
use crate::failures::{self, FailureQuery, find_failures};
use crate::file_anchors::{dirt, found_at, missing};
use crate::handoff::on_other_branch;
use crate::item_flags;
use crate::origin::labelled;
use crate::project::{Note, Project};
use crate::strategies::{StrategyMatch, StrategyQuery, find_strategies};
use crate::subsystem_memory;
use crate::tasks::{Active, active_thread};
use crate::text_similarity::{self, goals, shared, terms};

/// Ranked items.
const MAX_RANKED: usize = 12;
/// Of these, files of the map.
const MAX_RANKED_MAP: usize = 3;
/// Score of what fits the request best, above everything that is not compared with it.
const BEST: i64 = 120;
/// Items that are compared with the request, each a point below the one before.
const RECALLED: i64 = 10;
/// A handoff says little about the present from this age on, in seconds.
const STALE_HANDOFF: u64 = 30 * 86_400;
/// Points of a strategy in the ranking, so that it cannot drown everything else.
const MAX_STRATEGY_POINTS: i64 = 30;
/// Characters of a path that is told; longer ones are left out.
const MAX_PATH: usize = 400;

/// Files of the map that a request is likely to be about.
const LIKELY: f64 = 0.1;

/// Decisions that are compared with later ones.
const MAX_COMPARED: usize = 8;
/// Decisions that a request is not about and that are told all the same, for being the newest.
const MAX_BACKGROUND: usize = 2;
/// Of failures and decisions that it is not about, how many a receipt names.
const MAX_NAMED_OTHERS: usize = 8;

/// Telling words of a request that says little.
const MAX_TERSE: usize = 3;

/// Relevance of the last handoff to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relevance {
    /// Nothing.
    Unrelated,
    /// One word in common.
    Low,
    /// Several, or a file.
    Medium,
    /// It is the same work, or the request says to go on.
    High,
}

impl Relevance {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unrelated => "unrelated",
            Self::Low => "low_relevance",
            Self::Medium => "medium_relevance",
            Self::High => "high_relevance",
        }
    }
}

/// One item of memory in the order in which it matters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) kind: &'static str,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) score: i64,
    pub(crate) reasons: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) origin: Origin,
}

impl Ranked {
    /// Returns true for what memory holds on the request, whatever its age.
    pub(crate) fn fits_the_request(&self) -> bool {
        self.score > BEST - RECALLED
    }

    /// `{kind, id, title, score, reasons, paths, metadata}`.
    pub(crate) fn to_json(&self) -> Value {
        let item = json!({
            "kind": self.kind, "id": self.id, "title": self.title, "score": self.score,
            "reasons": self.reasons, "paths": self.paths, "metadata": {},
        });
        labelled(&item, self.origin, &["title"])
    }
}

/// Everything that concerns a request.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) project: &'a Project,
    pub(crate) request: String,
    pub(crate) task: TaskType,
    /// The request only says to go on, or nothing.
    pub(crate) continues: bool,
    pub(crate) active: Active,
    /// The task is what the request is about.
    pub(crate) task_fits: bool,
    /// The last handoff (of this branch, where there is one), unless somebody said that it is wrong.
    pub(crate) handoff: Option<&'a Handoff>,
    /// Why it says little about the present: `missing_paths:…`, `age_days:…`.
    pub(crate) handoff_stale: Vec<String>,
    pub(crate) relevance: Relevance,
    pub(crate) decisions: Vec<RankedDecision<'a>>,
    /// Decisions among the best with a later one on their subject, which may have replaced them.
    pub(crate) earlier_decisions: Vec<RankedDecision<'a>>,
    /// Open failures that the request is about, the most relevant first; where it only says to go on, all.
    pub(crate) failures: Vec<(f64, &'a FailurePattern)>,
    /// Number of open failures it is not about.
    pub(crate) other_failures: usize,
    pub(crate) subsystems: Vec<&'a Subsystem>,
    pub(crate) strategy: Option<StrategyMatch<'a>>,
    pub(crate) notes: Vec<&'a Note>,
    pub(crate) left_out: Vec<(&'static str, String, &'static str)>,
    pub(crate) now: Timestamp,
    /// See [`Self::ranked`].
    ranked: OnceCell<Vec<Ranked>>,
}

/// Context of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hand<'h> {
    pub(crate) files: &'h [String],
    pub(crate) commands: &'h [String],
    pub(crate) tests: &'h [String],
    pub(crate) errors: &'h [String],
}

impl<'a> Context<'a> {
    pub(crate) fn load(
        snapshot: &'a Snapshot,
        project: &'a Project,
        request: &str,
        task_type: &str,
        hand: Hand,
        now: Timestamp,
    ) -> Self {
        let request = clean(request, 500);
        let task = provisional(task_type, &request, hand.files.iter().map(String::as_str));
        let continues = request.is_empty() || only_goes_on(&request);
        let active = active_thread(snapshot, &project.checkout);
        let task_fits = task_fits(&active, &request, continues);
        let mut left_out = Vec::new();
        let handoff = project.handoff.as_deref().or(snapshot.handoff.as_deref());
        let handoff = handoff.filter(|h| !item_flags::is_wrong(&h.extra));
        if let Some(wrong) = wrong_handoff(snapshot) {
            left_out.push(("handoff", wrong.source_execution_id.clone(), "marked_wrong"));
        }
        let fit = |h: &Handoff| relevance(h, &request, continues, project);
        // Earlier work on the same takes the place of the last work, which is on something else.
        let last = handoff.map_or(Relevance::Unrelated, fit);
        let matched = project.matched.iter().map(|h| (fit(h), &**h));
        let matched = matched.rev().max_by_key(|(fit, _)| *fit);
        let goes_on = continues && !request.is_empty();
        let matched =
            matched.filter(|(fit, _)| *fit >= Relevance::Medium && (*fit > last || goes_on));
        let (relevance, handoff) = match matched {
            Some((fit, matched)) => (fit, Some(matched)),
            None => (last, handoff),
        };
        let handoff_stale = handoff
            .map(|h| stale_handoff(h, project, now))
            .unwrap_or_default();
        let mut at_hand: Vec<String> = hand.files.to_vec();
        let mut add = |paths: &[String], most: usize| {
            for path in paths.iter().take(most) {
                if !at_hand.contains(path) && at_hand.len() < 20 {
                    at_hand.push(path.clone());
                }
            }
        };
        // What somebody is at work on says nothing of another request.
        if let Some(thread) = active.thread.as_ref().filter(|_| task_fits) {
            // The newest stand last there, and first here: the first one counts most.
            let newest: Vec<String> = thread.active_files.iter().rev().cloned().collect();
            add(&newest, 12);
        }
        if let Some(h) = handoff.filter(|_| relevance >= Relevance::Medium) {
            add(&h.recommended_starting_points, 5);
        }
        // A guess of the map that it does not believe itself says nothing of what the request is about.
        let hits = project
            .map
            .iter()
            .take(5)
            .filter(|h| h.confidence >= LIKELY);
        let hits: Vec<String> = hits.map(|h| h.path.clone()).collect();
        if !request.is_empty() {
            add(&hits, 5);
        }
        let paths: BTreeSet<String> = at_hand.iter().cloned().collect();
        let (mut decisions, gone) = decision_memory::ranked(snapshot, &request, &paths);
        left_out.extend(gone.into_iter().map(|(id, why)| ("decision", id, why)));
        let area = crate::area_of_paths::derive_area(at_hand.iter().map(String::as_str));
        let mut failures = open_failures(
            snapshot,
            &request,
            &task.name,
            &area,
            &at_hand,
            hand.commands,
            now,
        );
        let mut other_failures = 0;
        let asks_what_fails = asks_what_fails(&request);
        if !continues {
            // What is open is no news to who asks for something else; that it is, is.
            let about = match asks_what_fails {
                true => failures.len(),
                false => failures.partition_point(|(score, _)| *score > 0.0),
            };
            let others = failures.split_off(about);
            other_failures = others.len();
            for (_, pattern) in others.iter().take(MAX_NAMED_OTHERS) {
                left_out.push(("failure", pattern.failure_id.clone(), "not_about_it"));
            }
            let about = |found: &RankedDecision| found.is_about();
            let mut background = 0;
            decisions.retain(|found| {
                background += usize::from(!about(found));
                let told = about(found) || background <= MAX_BACKGROUND;
                if !told && background <= MAX_BACKGROUND + MAX_NAMED_OTHERS {
                    left_out.push(("decision", found.id().to_owned(), "not_about_it"));
                }
                told
            });
            decisions.sort_by_key(|found| !about(found));
        }
        let rest = decisions.split_off(decisions.len().min(MAX_COMPARED));
        let is_earlier = |found: &mut RankedDecision| {
            later_on_the_subject(&snapshot.decisions, found.decision).is_some()
        };
        let earlier_decisions = decisions.extract_if(.., is_earlier).collect();
        decisions.extend(rest);
        let errors: Vec<String> = hand.errors.to_vec();
        let query = StrategyQuery {
            request: &request,
            task_type: &task.name,
            area: &area,
            files: &at_hand,
            commands: hand.commands,
            tests: hand.tests,
            errors: &errors,
        };
        let strategy = find_strategies(&snapshot.strategies, &query, now)
            .find(|s| {
                let paths = &s.strategy.files_used;
                paths.is_empty() || missing(paths, &project.presents).len() < paths.len()
            })
            .map(|found| found.told_now(&project.presents));
        let subsystems = subsystem_memory::relevant(&snapshot.semantic, &request, &at_hand, &area);
        let notes = relevant_notes(&project.notes, &request);
        Self {
            snapshot,
            project,
            request,
            task,
            continues,
            active,
            task_fits,
            handoff,
            handoff_stale,
            relevance,
            decisions,
            earlier_decisions,
            failures,
            other_failures,
            subsystems,
            strategy,
            notes,
            left_out,
            now,
            ranked: OnceCell::new(),
        }
    }

    /// Returns true if the request has nothing to do with the last handoff.
    pub(crate) fn asks_for_something_else(&self) -> bool {
        !self.continues && self.relevance == Relevance::Unrelated
    }

    /// The tasks that the request goes on with: a task is not what is resumed by whoever asks for something else.
    pub(crate) fn threads_at_hand(&self) -> impl Iterator<Item = &Thread> {
        let fits = self.continues || self.task_fits;
        let threads = [&self.active.thread, &self.active.recent];
        let threads = threads.into_iter().filter(move |_| fits);
        threads.flatten().map(|thread| &**thread)
    }

    /// Ranked items, best first.
    pub(crate) fn ranked(&self) -> &[Ranked] {
        self.ranked.get_or_init(|| self.rank())
    }

    fn rank(&self) -> Vec<Ranked> {
        let mut items = Vec::new();
        let asked = terms(&self.request);
        let text_bonus = |text: &str| (4 * shared(&asked, &terms(text)) as i64).min(20);
        if let Some(h) = self.handoff {
            let live = self.live(&h.recommended_starting_points);
            let stale = !self.handoff_stale.is_empty();
            let mut reasons = vec!["handoff_loaded".to_owned()];
            if !live.is_empty() {
                reasons.push("live_starting_points".to_owned());
            }
            if stale {
                reasons.push("stale_penalty".to_owned());
            }
            if wrong_handoff(self.snapshot).is_some() {
                reasons.push("before_the_one_marked_wrong".to_owned());
            }
            let elsewhere = self.asks_for_something_else();
            if elsewhere {
                reasons.push("unrelated_penalty".to_owned());
            }
            items.push(Ranked {
                kind: "handoff",
                id: h.source_execution_id.clone(),
                title: short(&h.summary),
                score: 35 + 3 * live.len() as i64
                    - if stale { 40 } else { 0 }
                    - if elsewhere { 30 } else { 0 },
                reasons,
                paths: live,
                origin: h.origin,
            });
        }
        for found in self.decisions.iter().take(8) {
            let d = found.decision;
            let live = self.live(&d.related_paths);
            let lost = live.is_empty() && !d.related_paths.is_empty();
            items.push(Ranked {
                kind: "decision",
                id: found.id().to_owned(),
                title: short(&d.decision),
                score: 25 + found.score.min(60) + if live.is_empty() { 0 } else { 10 }
                    - if lost { 15 } else { 0 },
                reasons: found.reasons(),
                paths: live,
                origin: d.origin,
            });
        }
        for (score, pattern) in self.failures.iter().take(8) {
            let live = self.live(&pattern.related_paths);
            items.push(Ranked {
                kind: "failure",
                id: pattern.failure_id.clone(),
                title: short(pattern.symptoms.first().unwrap_or(&pattern.error_text)),
                score: 30 + (*score as i64).min(20) + if live.is_empty() { 0 } else { 8 },
                reasons: vec!["relevant_failure".to_owned()],
                paths: live,
                origin: pattern.origin,
            });
        }
        for subsystem in &self.subsystems {
            let live = self.live(&subsystem.key_paths);
            let text = format!("{} {}", subsystem.name, subsystem.description);
            items.push(Ranked {
                kind: "semantic_repo",
                id: subsystem.name.clone(),
                title: short(&text),
                score: 20 + text_bonus(&text) + if live.is_empty() { -20 } else { 8 },
                reasons: vec!["semantic_repo_match".to_owned()],
                paths: live,
                origin: subsystem.origin,
            });
        }
        if let Some(found) = &self.strategy {
            let base = match found.confidence {
                "high" => 50,
                "medium" => 35,
                _ => 20,
            };
            items.push(Ranked {
                kind: "strategy",
                id: found.strategy.task_id.clone(),
                title: short(&found.strategy.task_text),
                score: base + (found.score / 100).min(MAX_STRATEGY_POINTS),
                reasons: {
                    let mut reasons = vec![
                        "procedural_reuse".to_owned(),
                        format!("confidence:{}", found.confidence),
                    ];
                    if !found.changed.is_empty() {
                        reasons.push("changed_since".to_owned());
                    }
                    reasons
                },
                paths: self.live(&found.strategy.entry_points),
                origin: found.strategy.origin,
            });
        }
        let likely = |(at, hit): &(usize, &MapHit)| *at == 0 || hit.confidence >= LIKELY;
        let hits = self.project.map.iter().take(MAX_RANKED_MAP).enumerate();
        for (_, hit) in hits.filter(likely) {
            items.push(Ranked {
                kind: "repo_map",
                id: hit.path.clone(),
                title: map_title(hit),
                score: 10 + (hit.confidence * 24.0).round() as i64,
                reasons: hit.reasons.iter().take(8).cloned().collect(),
                paths: vec![hit.path.clone()],
                origin: Origin::Own,
            });
        }
        self.rank_recalled(&mut items);
        items.retain(|item| item.score > 0);
        items.sort_by(|a, b| {
            b.score
                .cmp(&a.score)
                .then_with(|| a.kind.cmp(b.kind))
                .then_with(|| a.id.cmp(&b.id))
        });
        items.truncate(MAX_RANKED);
        items
    }

    /// Puts what memory holds on the request, whatever its age, before what is only new.
    fn rank_recalled(&self, items: &mut Vec<Ranked>) {
        const KINDS: [&str; 5] = ["handoff", "decision", "failure", "strategy", "task"];
        for (one, score) in self
            .project
            .recalled
            .iter()
            .zip((BEST - RECALLED + 1..=BEST).rev())
        {
            let Some(kind) = KINDS.into_iter().find(|kind| *kind == one.kind) else {
                continue;
            };
            let reason = one.why.replace(' ', "_");
            let is_it = |item: &&mut Ranked| {
                let head = one.id.strip_suffix(item.id.as_str());
                item.kind == kind && head.is_some_and(|h| h.is_empty() || h.ends_with("::"))
            };
            if let Some(item) = items.iter_mut().find(is_it) {
                item.score = score;
                item.reasons.insert(0, reason);
                continue;
            }
            let handoff = self.project.matched.iter();
            let mut handoff = handoff.filter(|h| h.source_execution_id == one.execution);
            let points = handoff.next().map(|h| &h.recommended_starting_points);
            let said = one.lines.get(1).or(one.lines.first());
            items.push(Ranked {
                kind,
                id: one.id.clone(),
                title: short(said.map_or("", |line| line.as_str().trim())),
                score,
                reasons: vec![reason],
                paths: points.map_or_else(Vec::new, |points| self.live(points)),
                origin: one.origin,
            });
        }
    }

    /// Why each kind was loaded, in the words of the format; `not_loaded` where it was not.
    pub(crate) fn why_loaded(&self, ranked: &[Ranked]) -> Value {
        let mut out = Map::new();
        for (name, kind) in [
            ("handoff", "handoff"),
            ("decisions", "decision"),
            ("failures", "failure"),
            ("semantic_repo", "semantic_repo"),
            ("procedural_reuse", "strategy"),
            ("repo_map", "repo_map"),
        ] {
            let mut reasons: Vec<&String> = Vec::new();
            for reason in ranked
                .iter()
                .filter(|i| i.kind == kind)
                .flat_map(|i| &i.reasons)
            {
                if !reasons.contains(&reason) && reasons.len() < 8 {
                    reasons.push(reason);
                }
            }
            let told = if !reasons.is_empty() {
                json!(reasons)
            } else if kind == "handoff" && !self.handoff_stale.is_empty() {
                json!(["stale_excluded"])
            } else {
                json!(["not_loaded"])
            };
            out.insert(name.to_owned(), told);
        }
        Value::Object(out)
    }

    /// Paths in the repository that are not known to be gone, at most 8.
    pub(crate) fn live(&self, paths: &[String]) -> Vec<String> {
        paths
            .iter()
            .filter_map(|path| found_at(path, &self.project.presents))
            // A part of a path is another one.
            .filter(|p| p.chars().count() <= MAX_PATH)
            .map(|p| shown::line(p, MAX_PATH))
            .take(8)
            .collect()
    }

    /// Returns the changes since the last handoff, if that was left on the branch checked out: taken back, or
    /// worked on since.
    pub(crate) fn handoff_dirt(&self, handoff: &Handoff) -> Vec<String> {
        let checkout = &self.project.checkout;
        if on_other_branch(&handoff.branch, &checkout.branch, &checkout.gone).is_some() {
            return Vec::new();
        }
        self.dirt(&handoff.anchors)
    }

    /// Describes changes of the anchors of a decision, strategy or failure.
    pub(crate) fn dirt(&self, anchors: &[aictx_proto::record::Anchor]) -> Vec<String> {
        dirt(anchors, &self.project.presents)
    }
}

/// Returns true where there is a last handoff and nobody said that it is wrong.
pub fn has_handoff(snapshot: &Snapshot) -> bool {
    snapshot.handoff.is_some() && wrong_handoff(snapshot).is_none()
}

/// The last handoff, when somebody said that it is wrong.
pub(crate) fn wrong_handoff(snapshot: &Snapshot) -> Option<&Handoff> {
    let last = snapshot.handoff.as_deref();
    last.filter(|handoff| item_flags::is_wrong(&handoff.extra))
}

/// Returns the short form of an item in a list.
fn short(text: &str) -> String {
    shown::line(text, 160)
}

fn map_title(hit: &MapHit) -> String {
    match hit.symbols.first() {
        Some(s) => shown::line(&format!("{}: {}", hit.path, s.name), 160),
        None => shown::line(&hit.path, 160),
    }
}

/// Why a handoff says little about the present, computed when it is read.
fn stale_handoff(handoff: &Handoff, project: &Project, now: Timestamp) -> Vec<String> {
    let mut reasons = Vec::new();
    let points = &handoff.recommended_starting_points;
    let gone = missing(points, &project.presents);
    if !gone.is_empty() && gone.len() == points.len() {
        let names: Vec<&str> = gone.iter().take(5).map(|p| p.as_str()).collect();
        reasons.push(format!("missing_paths:{}", names.join(",")));
    }
    if let Some(at) = Timestamp::parse(&handoff.updated_at) {
        let age = now.since(at);
        if age > STALE_HANDOFF {
            reasons.push(format!("age_days:{}", age / 86_400));
        }
    }
    reasons
}

/// By words and files in common; a request that says to go on means the last handoff. Sharing a kind
/// of file is no relevance.
fn relevance(handoff: &Handoff, request: &str, continues: bool, project: &Project) -> Relevance {
    if continues {
        return Relevance::High;
    }
    if text_similarity::goals(request, &handoff.reason).yes {
        return Relevance::High;
    }
    let asked = terms(request);
    let text = format!(
        "{} {} {}",
        handoff.summary,
        handoff.reason,
        handoff.next_steps.join(" ")
    );
    let paths = handoff.recommended_starting_points.join(" ");
    let in_text = shared(&asked, &terms(&text));
    let in_paths = shared(&asked, &terms(&paths));
    let named = handoff
        .recommended_starting_points
        .iter()
        .any(|p| p.len() > 3 && request.contains(p.as_str()));
    let mapped = handoff.recommended_starting_points.iter().any(|p| {
        project
            .map
            .iter()
            .take(3)
            .any(|hit| hit.path == *p && hit.confidence >= LIKELY)
    });
    // Of a request of a word or two, that is all it says.
    let all = in_text > 0 && 3 * in_text >= 2 * asked.len();
    let score = 2 * in_text.min(3)
        + 3 * usize::from(all && asked.len() <= MAX_TERSE)
        + 2 * in_paths.min(2)
        + 6 * usize::from(named)
        + 2 * usize::from(mapped && in_text + in_paths > 0);
    match score {
        7.. => Relevance::High,
        4.. => Relevance::Medium,
        1.. => Relevance::Low,
        _ => Relevance::Unrelated,
    }
}

/// Open failures: those that have to do with the request first, then the ones seen last.
fn open_failures<'a>(
    snapshot: &'a Snapshot,
    request: &str,
    task_type: &str,
    area: &str,
    paths: &[String],
    commands: &[String],
    now: Timestamp,
) -> Vec<(f64, &'a FailurePattern)> {
    let query = FailureQuery {
        task: request,
        task_type,
        area,
        paths,
        command: commands.last().map_or("", String::as_str),
    };
    let usable = |p: &&FailurePattern| p.status != "resolved" && !item_flags::is_wrong(&p.extra);
    let mut found: Vec<(f64, &FailurePattern)> = Vec::new();
    if !(request.is_empty() && paths.is_empty()) {
        found.extend(
            find_failures(&snapshot.failures, &query, now)
                .into_iter()
                .filter(|(_, p)| usable(p)),
        );
    }
    let mut matched: Vec<*const FailurePattern> =
        found.iter().map(|(_, p)| std::ptr::from_ref(*p)).collect();
    matched.sort_unstable();
    let is_new = |p: &&FailurePattern| matched.binary_search(&std::ptr::from_ref(*p)).is_err();
    let others = failures::open(&snapshot.failures)
        .into_iter()
        .filter(is_new);
    found.extend(others.map(|pattern| (0.0, pattern)));
    found
}

/// Notes that share words with a request; without a request, none. At most 2.
fn relevant_notes<'a>(notes: &'a [Note], request: &str) -> Vec<&'a Note> {
    let asked = terms(request);
    let mut scored: Vec<(usize, &Note)> = notes
        .iter()
        .map(|note| {
            let in_title = shared(&asked, &terms(&format!("{} {}", note.title, note.tags)));
            (3 * in_title + shared(&asked, &terms(&note.text)), note)
        })
        .filter(|(score, _)| *score >= 2)
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    scored.into_iter().take(2).map(|(_, note)| note).collect()
}

/// Returns true if the active task is what the request is about: it says to go on, or names its goal or its
/// files. An active task alone binds nothing.
fn task_fits(active: &Active, request: &str, continues: bool) -> bool {
    let Some(thread) = active.thread.as_ref().or(active.recent.as_ref()) else {
        return false;
    };
    if continues {
        return active.thread.is_some();
    }
    let asked = terms(request);
    let files = thread.active_files.join(" ");
    let of_task = terms(&format!("{} {}", thread.goal, thread.next_action));
    let in_task = shared(&asked, &of_task);
    goals(request, &thread.goal).yes
        || in_task >= 2
        // All that a request of a word or two says.
        || (in_task == 1 && asked.len() == 1)
        || shared(&asked, &terms(&files)) >= 2
        || thread
            .active_files
            .iter()
            .any(|f| f.len() > 3 && request.contains(f.as_str()))
}
