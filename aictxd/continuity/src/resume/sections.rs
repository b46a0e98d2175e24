//! The members of a resume's answer, each from the one context.

use aictx_proto::methods::MapHit;
use aictx_proto::record::{Handoff, Origin, files};
use aictx_proto::shown::{self, Line, Quoted};
use aictx_proto::told;
use serde_json::{Map, Value, json};

use super::area_notes;
use super::contract::EntryPoint;
use crate::contracts::still_open;
use crate::memory_freshness::staleness;
use crate::origin::{self, labelled, with_origin};
use crate::recall::Recollection;
use crate::relevance::{Context, Relevance, wrong_handoff};
use crate::session_brief::{age, came_back, next_action};
use crate::strategies::StrategyMatch;
use crate::tasks::severity_rank;

/// Earlier decisions told.
const MAX_EARLIER: usize = 2;
/// Gaps told.
const MAX_GAPS: usize = 8;
/// Items of `loaded_context`.
const MAX_LOADED: usize = 12;

/// Returns open points of earlier contracts: of the active task, of the recent one, of the last handoff.
/// Whatever a later execution was seen to do is not wanted any more (W3b).
pub(crate) fn carryover_gaps(context: &Context) -> Vec<Value> {
    let mut gaps: Vec<Value> = Vec::new();
    let threads = [&context.active.thread, &context.active.recent];
    let of_threads = threads.into_iter().flatten();
    let of_threads = of_threads.flat_map(|t| t.contract_gaps.iter().map(|gap| (gap, t.origin)));
    let of_handoff = context.handoff.into_iter();
    let of_handoff = of_handoff.flat_map(|h| h.contract_gaps.iter().map(|gap| (gap, h.origin)));
    for (gap, origin) in of_threads.chain(of_handoff) {
        let same = |g: &Value| g["kind"] == gap["kind"] && g["expected"] == gap["expected"];
        // Work is finalized before it is committed: files of the ancestor call that a gap.
        let counts = gap["kind"] != "uncommitted_changes";
        if counts && gaps.len() < MAX_GAPS && !gaps.iter().any(same) {
            let origin = Origin::of(gap).and(origin);
            gaps.push(labelled(gap, origin, &["summary", "next_action"]));
        }
    }
    let passed: Vec<String> = context
        .snapshot
        .executions
        .iter()
        .rev()
        .take(1)
        .filter_map(|e| {
            Some(
                e.extra
                    .get(crate::project::PASSED_CHECK)?
                    .as_str()?
                    .to_owned(),
            )
        })
        .collect();
    still_open(&gaps, &[], &passed)
}

pub(super) fn strongest(gaps: &[Value]) -> Value {
    gaps.iter()
        .max_by_key(|g| severity_rank(g["severity"].as_str().unwrap_or_default()))
        .map_or(Value::Null, |g| {
            let mut gap =
                json!({ "kind": g["kind"], "severity": g["severity"], "summary": g["summary"] });
            Origin::of(g).mark(&mut gap);
            gap
        })
}

/// From the one handoff record; a missing outcome is unknown, never success. A task that is
/// active here but not what the request is about is said to be so.
pub(crate) fn task_state(
    context: &Context,
    fits: bool,
    points: &[EntryPoint],
    gaps: &[Value],
) -> Value {
    let (status, mut reason, origin) = if let Some(thread) = &context.active.thread {
        let text = if fits {
            "a task is in progress".to_owned()
        } else {
            format!(
                "a task is in progress, but the request is not about it: {}",
                shown::line(&thread.goal, 80)
            )
        };
        ("active", text, thread.origin)
    } else if let Some(thread) =
        (context.active.recent.as_ref()).filter(|_| fits || context.continues)
    {
        // What stands in the way was put down last.
        let why = thread
            .risks
            .last()
            .map_or_else(String::new, |risk| format!(": {}", shown::line(risk, 120)));
        (
            "blocked",
            format!("the task was left {}{why}", shown::line(&thread.status, 24)),
            thread.origin,
        )
    } else {
        let blocked = context.handoff.is_some_and(|h| !h.blocked.is_empty());
        let wrong = wrong_handoff(context.snapshot).is_some();
        let (status, text) = match context.handoff.map(|h| h.status.as_str()) {
            Some("resolved" | "completed" | "success") => {
                ("completed", "the last handoff is resolved")
            }
            Some("failed" | "blocked") => ("blocked", "the last handoff is not resolved"),
            Some("unresolved") if blocked => ("blocked", "the last handoff has open items"),
            // Nobody checked: nothing stands in the way for all that is known.
            Some("unresolved") => ("unknown", "the outcome of the last handoff is not known"),
            Some(_) => ("unknown", "the last handoff has no outcome"),
            None if wrong => ("unknown", "every handoff was marked as wrong"),
            None => ("unknown", "nothing is recorded yet"),
        };
        let text = match wrong {
            true => text.replace(
                "the last handoff",
                "the handoff before the one marked as wrong",
            ),
            false => text.to_owned(),
        };
        let origin = context.handoff.map(|h| h.origin).unwrap_or_default();
        (status, text, origin)
    };
    if status == "blocked" && context.active.recent.is_none() && other_work(context) {
        reason.push_str(", but the request is about other work");
    }
    if status == "completed" && !context.continues {
        reason.push_str("; the request is what counts now");
    }
    if let Some(severity) = aictx_proto::json::member(&strongest(gaps), "severity").as_str() {
        reason.push_str(&format!("; strongest open gap: {severity}"));
    }
    let next = context
        .active
        .thread
        .as_ref()
        .is_some_and(|t| !t.next_action.is_empty());
    let confidence = if fits && next && !points.is_empty() {
        "high"
    } else if !points.is_empty() {
        "medium"
    } else {
        "low"
    };
    json!({
        "status": status, "confidence": confidence, "reason": with_origin(reason, origin),
    })
}

/// Returns the discarded hypotheses of the task at hand, newest first.
pub(crate) fn discarded_hypotheses(context: &Context, limit: usize) -> Vec<Value> {
    context
        .threads_at_hand()
        .flat_map(|t| {
            let all = t.discarded_hypotheses.iter().rev();
            all.map(|discarded| labelled(discarded, t.origin, &["hypothesis"]))
        })
        .take(limit)
        .collect()
}

/// The capsule and what it is made of.
pub(super) struct Parts {
    capsule: Map<String, Value>,
    missing: Vec<String>,
}

impl Parts {
    pub(super) fn of(
        context: &Context,
        contract: &Value,
        points: &[EntryPoint],
        fallback: &[EntryPoint],
        limit: usize,
    ) -> Self {
        let strategy = context.strategy.as_ref().map(|s| strategy_text(s));
        let not_as_left = context.handoff.map(|h| context.handoff_dirt(h));
        let not_as_left = not_as_left.unwrap_or_default();
        let mut capsule = Map::new();
        for (name, value) in [
            ("current_request", json!(context.request)),
            (
                "first_action",
                contract.get("first_action").cloned().unwrap_or_default(),
            ),
            ("resuming", json!(resuming(context))),
            (
                "last_progress",
                json!(context.handoff.map(last_progress).unwrap_or_default()),
            ),
            (
                "not_as_left",
                json!(origin::line(
                    &not_as_left.join("; "),
                    240,
                    context.handoff.map(|h| h.origin).unwrap_or_default()
                )),
            ),
            ("next_action", json!(next_step(context, points))),
            (
                "entry_points",
                json!(points.iter().map(EntryPoint::to_json).collect::<Vec<_>>()),
            ),
            (
                "fallback_entry_points",
                json!(
                    fallback
                        .iter()
                        .take(4)
                        .map(EntryPoint::to_json)
                        .collect::<Vec<_>>()
                ),
            ),
            ("repo_map", repo_map(context)),
            ("validated", json!(validated(context, limit))),
            (
                "failures",
                json!(
                    context
                        .failures
                        .iter()
                        .take(limit)
                        .map(|(_, p)| failure_text(p, context))
                        .collect::<Vec<_>>()
                ),
            ),
            (
                "decisions",
                json!(
                    context
                        .decisions
                        .iter()
                        .take(limit)
                        .map(|d| decision_text(d.decision, context))
                        .collect::<Vec<_>>()
                ),
            ),
            (
                "earlier_decisions",
                json!(
                    context
                        .earlier_decisions
                        .iter()
                        .take(MAX_EARLIER)
                        .map(|d| format!(
                            "earlier decision: {}",
                            decision_text(d.decision, context)
                        ))
                        .collect::<Vec<_>>()
                ),
            ),
            ("recalled", json!(recalled(context))),
            ("risks", json!(area_notes::risks(context))),
            (
                "known",
                json!(
                    area_notes::parts(context)
                        .into_iter()
                        .map(|(_, line)| line)
                        .collect::<Vec<_>>()
                ),
            ),
            ("strategy", json!(strategy.unwrap_or_default())),
            ("avoid", json!([".aictx/**"])),
        ] {
            capsule.insert(name.to_owned(), value);
        }
        let gone = context.handoff.map(|h| {
            crate::file_anchors::missing(&h.recommended_starting_points, &context.project.presents)
                .into_iter()
                .cloned()
                .collect()
        });
        Self {
            capsule,
            missing: gone.unwrap_or_default(),
        }
    }

    /// Something is known to hold.
    pub(super) fn validated(&self) -> bool {
        self.capsule
            .get("validated")
            .and_then(Value::as_array)
            .is_some_and(|v| !v.is_empty())
    }

    pub(super) fn warnings(&self, context: &Context) -> Vec<String> {
        let label = context
            .handoff
            .map(|h| h.origin.label())
            .unwrap_or_default();
        let gone = self
            .missing
            .iter()
            .map(|p| format!("missing_entry_point:{}{label}", shown::line(p, 200)));
        let stale = context
            .handoff_stale
            .iter()
            .map(|r| format!("stale_handoff:{r}{label}"));
        gone.chain(stale).collect()
    }

    pub(super) fn capsule(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.capsule)
    }

    /// `{kind, source, source_id, summary, match_reasons, selection_reason, confidence, staleness,
    /// role, related_paths, dirty, rank}`.
    pub(super) fn loaded(&self, context: &Context) -> Vec<Value> {
        let mut list: Vec<Value> = Vec::new();
        let mut add = |(kind, origin): (&str, Origin),
                       source: &str,
                       id: &str,
                       text: &str,
                       when: &str,
                       paths: &[String],
                       dirty: Vec<String>| {
            let found = context
                .ranked()
                .iter()
                .find(|r| r.kind == kind && r.id == id);
            let mut reasons = found.map(|r| r.reasons.clone()).unwrap_or_default();
            let left = kind == "work_state" && context.active.thread.is_none();
            if left {
                let gaps = context.active.recent.iter().flat_map(|t| &t.contract_gaps);
                let gaps = gaps.filter_map(|gap| gap["severity"].as_str());
                reasons.extend(gaps.map(|severity| format!("contract_gap:{severity}")));
            }
            let selected = match left {
                true => Some("put aside with something left to do"),
                false => reasons.first().map(String::as_str),
            };
            let role = match kind {
                "failure" => "caution",
                "work_state" if context.threads_at_hand().next().is_none() => "background",
                // Put aside with something still to do.
                "work_state" if context.active.thread.is_none() => "carryover",
                "work_state" => "primary",
                "handoff" if context.relevance <= Relevance::Low => "background",
                "decision" if reasons.iter().all(|r| r == "recent_decision") => "background",
                _ => "carryover",
            };
            let item = json!({
                "kind": kind, "source": format!(".aictx/{source}"), "source_id": id,
                "summary": shown::line(text, 160), "match_reasons": reasons,
                "selection_reason": selected,
                "confidence": if dirty.is_empty() { "medium" } else { "low" },
                "staleness": staleness(when, context.now), "role": role,
                "related_paths": paths.iter().take(6).collect::<Vec<_>>(), "dirty": dirty,
            });
            list.push(labelled(&item, origin, &["summary"]));
        };
        if let Some(t) = context
            .active
            .thread
            .as_ref()
            .or(context.active.recent.as_ref())
        {
            add(
                ("work_state", t.origin),
                files::ACTIVE_TASK,
                &t.task_id,
                &t.goal,
                &t.updated_at,
                &t.active_files,
                Vec::new(),
            );
        }
        if let Some(h) = context.handoff {
            add(
                ("handoff", h.origin),
                files::HANDOFF,
                &h.source_execution_id,
                &h.summary,
                &h.updated_at,
                &h.recommended_starting_points,
                Vec::new(),
            );
        }
        for (_, p) in context.failures.iter().take(4) {
            let dirty = context.dirt(&p.anchors);
            add(
                ("failure", p.origin),
                files::FAILURE_PATTERNS,
                &p.failure_id,
                &p.error_text,
                &p.timestamp,
                &p.related_paths,
                dirty,
            );
        }
        if let Some(found) = &context.strategy {
            let s = found.strategy;
            add(
                ("strategy", s.origin),
                files::STRATEGIES,
                &s.task_id,
                &s.task_text,
                &s.timestamp,
                &s.entry_points,
                found.changed.clone(),
            );
        }
        for found in context.decisions.iter().take(4) {
            let d = found.decision;
            add(
                ("decision", d.origin),
                files::DECISIONS,
                found.id(),
                &d.decision,
                &d.timestamp,
                &d.related_paths,
                context.dirt(&d.anchors),
            );
        }
        let strategy = list.iter_mut().find(|item| item["kind"] == "strategy");
        if let Some((item, found)) = strategy.zip(context.strategy.as_ref()) {
            item["confidence"] = json!(found.confidence);
        }
        list.sort_by_key(|item| item["role"] == "background");
        list.truncate(MAX_LOADED);
        for (rank, entry) in list.iter_mut().enumerate() {
            entry["rank"] = json!(rank + 1);
        }
        list
    }
}

/// A failure in one line, with what changed since.
pub(crate) fn failure_text(p: &aictx_proto::record::FailurePattern, context: &Context) -> String {
    let what = p.symptoms.first().unwrap_or(&p.error_text);
    let mut line = format!(
        "{} (seen {}x, {})",
        shown::line(what, 200),
        p.occurrences.max(1),
        age(&p.timestamp, context.now),
    );
    if !p.failed_command.is_empty() {
        line.push_str(&format!(" [{}]", shown::line(&p.failed_command, 100)));
    }
    line.push_str(came_back(p).as_str());
    line.push_str(dirty_text(&context.dirt(&p.anchors)).as_str());
    with_origin(line, p.origin)
}

/// A decision in one line, with its age and what changed since.
pub(crate) fn decision_text(d: &aictx_proto::record::Decision, context: &Context) -> String {
    let when = age(&d.timestamp, context.now);
    let text = shown::line(&d.decision, 200);
    let text = format!("{text} ({when})") + dirty_text(&context.dirt(&d.anchors)).as_str();
    with_origin(text, d.origin)
}

/// ` (dirty: parse in src/a.rs changed)`, or nothing.
pub(crate) fn dirty_text(dirt: &[String]) -> Line {
    if dirt.is_empty() {
        return Line::default();
    }
    told!(" (dirty: {})", Quoted::new(&dirt.join("; "), 200))
}

/// The executions that memory holds on the request, a text for each.
pub(crate) fn recalled(context: &Context) -> Vec<String> {
    let all = context.project.recalled.iter();
    let text = |one: &Recollection| {
        let lines = one.lines.iter().map(Line::as_str);
        let lines = lines.map(|line| with_origin(line.to_owned(), one.origin));
        lines.collect::<Vec<_>>().join("\n")
    };
    all.map(text).collect()
}

/// Renders a strategy in one line.
fn strategy_text(found: &StrategyMatch) -> String {
    let strategy = found.strategy;
    let mut line = format!(
        "\"{}\" went well before",
        shown::line(&strategy.task_text, 120).replace('"', "'")
    );
    let from: Vec<String> = strategy
        .entry_points
        .iter()
        .take(3)
        .map(|path| shown::line(path, 120))
        .collect();
    if !from.is_empty() {
        line.push_str(&format!(": start from {}", from.join(", ")));
    }
    if let Some(check) = strategy.tests_executed.last() {
        line.push_str(&format!("; checked with {}", shown::line(check, 100)));
    }
    let sure = format!("{line} ({} confidence)", found.confidence);
    with_origin(sure + dirty_text(&found.changed).as_str(), strategy.origin)
}

/// Returns true if the request is about something else than the last handoff. Without a request the handoff
/// is all there is to go on.
pub(crate) fn other_work(context: &Context) -> bool {
    !context.request.is_empty() && !context.continues && context.relevance <= Relevance::Low
}

/// Renders the work that the session continues; empty where the request is about something else.
fn resuming(context: &Context) -> String {
    match (context.threads_at_hand().next(), context.handoff) {
        (Some(thread), _) => origin::line(&thread.goal, 200, thread.origin),
        (None, Some(h)) if !other_work(context) => origin::line(&h.summary, 200, h.origin),
        _ => String::new(),
    }
}

fn last_progress(handoff: &Handoff) -> String {
    let text = if handoff.completed.is_empty() {
        handoff.summary.clone()
    } else {
        handoff
            .completed
            .iter()
            .take(3)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ")
    };
    origin::line(&text, 240, handoff.origin)
}

/// Returns the next step: of the task, of the handoff where it fits, the first entry point.
fn next_step(context: &Context, points: &[EntryPoint]) -> String {
    let of_task = context
        .threads_at_hand()
        .map(|t| (t.next_action.as_str(), t.origin))
        .find(|(next, _)| !next.trim().is_empty());
    if let Some((next, origin)) = of_task {
        return origin::line(next, 240, origin);
    }
    let fits = context.relevance >= Relevance::Medium;
    let handoff = context.handoff.filter(|_| fits);
    let of_handoff = handoff.and_then(|h| Some((next_action(h)?, h.origin)));
    if let Some((next, origin)) = of_handoff {
        return with_origin(next.to_string(), origin);
    }
    points
        .first()
        .map(|p| with_origin(format!("start from {}", p.path), p.origin))
        .unwrap_or_default()
}

/// Returns the validated statements: only what succeeded counts.
fn validated(context: &Context, limit: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let verified = context
        .threads_at_hand()
        .flat_map(|t| t.verified.iter().rev().map(|text| (text, t.origin)));
    let handoff = context
        .handoff
        .filter(|h| h.status == "resolved")
        .into_iter();
    let completed = handoff.flat_map(|h| h.completed.iter().map(|text| (text, h.origin)));
    for (text, origin) in verified.chain(completed) {
        let text = origin::line(text, 240, origin);
        if out.len() < limit && !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

fn repo_map(context: &Context) -> Value {
    let entry = |hit: &MapHit| json!({ "path": hit.path, "score": hit.score, "reasons": hit.reasons.iter().take(3).collect::<Vec<_>>() });
    let hits: Vec<Value> = context.project.map.iter().take(4).map(entry).collect();
    let (primary, secondary) = hits.split_at(hits.len().min(1));
    json!({ "primary": primary, "secondary": secondary, "avoid": [] })
}
