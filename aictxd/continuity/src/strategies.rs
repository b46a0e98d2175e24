//! Strategy memory: how a task like this one was done before.
//!
//! Only what succeeded with evidence is offered again, only where there is overlap beyond words,
//! and the older the less.

use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::record::{Anchor, ORIGIN, Strategy};
use aictx_proto::text::clean;
use aictx_shell::only_looks;
use serde_json::{Map, Value, json};

use crate::item_flags;
use crate::lru_cache::same_check;
use crate::origin::{labelled, with_origin};
use crate::text_similarity::{similarity, terms};

pub(crate) use self::query::best_strategies;
pub(crate) use self::query::evidence_quality;
use self::query::quality;
pub use self::query::{StrategyMatch, StrategyQuery, find_strategies};
pub(crate) use self::query::{anchored_to, warm};

mod query;

/// Files, commands and tests kept of an execution.
const MAX_KEPT: usize = 12;
/// Rows that are kept; beyond it the ones used least and longest ago go to the archive.
pub(crate) const MAX_STRATEGIES: usize = 500;
/// Rows above which they are brought down to [`MAX_STRATEGIES`]: all have to be written for it, so not
/// for every new one.
pub(crate) const MAX_ROWS: usize = 600;
/// Share of common words from which two successes are one.
const SAME_REQUEST: f64 = 0.8;

/// An execution, as far as strategies care.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done<'a> {
    pub(crate) execution_id: &'a str,
    pub(crate) request: &'a str,
    pub(crate) task_type: &'a str,
    pub(crate) area: &'a str,
    pub(crate) opened: &'a [String],
    pub(crate) edited: &'a [String],
    pub(crate) commands: &'a [String],
    pub(crate) tests: &'a [String],
    pub(crate) errors: &'a [String],
    pub(crate) success: bool,
    /// The test that was observed to pass after the last edit.
    pub(crate) proof: Option<&'a str>,
    /// An edit was observed.
    pub(crate) edits_seen: bool,
    /// It was, or somebody reports it, or somebody says that it is proven.
    pub(crate) validated: bool,
    pub(crate) discarded: &'a [Value],
    pub(crate) anchors: &'a [Anchor],
    pub(crate) now: Timestamp,
}

/// Change of strategy memory by an execution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StrategyChange {
    /// Nothing worth keeping.
    None,
    /// A new row.
    Append(Box<Strategy>),
    /// The same was done before: its row, counted and renewed.
    Renew(Box<Strategy>),
}

/// Keeps what worked with evidence; a failure is kept as history, and never offered. What was done
/// the same way before is counted, not repeated.
pub(crate) fn learn(strategies: &[Arc<Strategy>], done: &Done) -> StrategyChange {
    if strategies.iter().any(|s| s.task_id == done.execution_id) {
        return StrategyChange::None;
    }
    // A run that nobody saw is as good as any other command, and so is one of edits that nobody saw.
    let quality = evidence_quality(
        done.proof.is_some() && done.edits_seen,
        !done.commands.is_empty() || !done.tests.is_empty(),
        !done.edited.is_empty(),
        !done.errors.is_empty(),
    );
    let worth = if done.success {
        // Evidence that it works: a check, or the word of whoever reports it.
        done.validated && quality != "unknown"
    } else {
        !done.edited.is_empty() || !done.commands.is_empty()
    };
    if !worth {
        return StrategyChange::None;
    }
    let row = row(done, quality);
    let request = terms(done.request);
    let same = |s: &&Arc<Strategy>| {
        s.success == done.success
            && s.primary_entry_point == row.primary_entry_point
            && s.task_type == row.task_type
            && similarity(&request, &terms(&s.task_text)) >= SAME_REQUEST
            && match (s.tests_executed.last(), row.tests_executed.last()) {
                (Some(a), Some(b)) => same_check(a, b),
                (None, None) => true,
                _ => false,
            }
    };
    let Some(known) = strategies.iter().rev().find(same) else {
        return StrategyChange::Append(Box::new(row));
    };
    let mut known = Strategy::clone(known);
    known.uses += 1;
    known.timestamp = done.now.to_string();
    known.anchors = row.anchors;
    StrategyChange::Renew(Box::new(known))
}

fn row(done: &Done, quality: &'static str) -> Strategy {
    let newest = |list: &[String]| -> Vec<String> {
        list.iter()
            .rev()
            .take(MAX_KEPT)
            .map(|t| clean(t, 400))
            .collect()
    };
    // Commands are no paths.
    let mut files = newest(done.edited);
    for path in newest(done.opened) {
        if !files.contains(&path) && files.len() < MAX_KEPT {
            files.push(path);
        }
    }
    let entry_points: Vec<String> = files.iter().take(3).cloned().collect();
    let mut doing = done.commands.to_vec();
    // Nor is a check said twice.
    doing.retain(|command| !only_looks(command) && !done.tests.contains(command));
    let mut strategy = Strategy {
        task_id: done.execution_id.to_owned(),
        task_text: clean(done.request, 500),
        task_type: done.task_type.to_owned(),
        area_id: done.area.to_owned(),
        primary_entry_point: entry_points.first().cloned(),
        entry_points,
        files_used: files,
        files_edited: newest(done.edited),
        // How it was found is not how it is done.
        commands_executed: newest(&doing),
        tests_executed: newest(done.tests),
        notable_errors: done.errors.iter().take(5).map(|e| clean(e, 300)).collect(),
        success: done.success,
        is_failure: !done.success,
        timestamp: done.now.to_string(),
        anchors: done.anchors.to_vec(),
        ..Strategy::default()
    };
    if done.success {
        strategy.why_it_worked = match done.proof.map(|test| clean(test, 120)) {
            Some(test) => format!("`{test}` passed after the last edit."),
            None => "It was reported as proven.".to_owned(),
        };
        strategy.evidence_quality = quality.to_owned();
        strategy.reuse_when = reuse_when(&strategy);
        strategy.avoid_when = avoid_when(&strategy);
        strategy.discarded_hypotheses = done.discarded.iter().rev().take(3).cloned().collect();
    }
    strategy
}

/// Returns the cases for reuse, as they follow from type and area.
fn reuse_when(s: &Strategy) -> String {
    format!("A {} task in {}.", s.task_type, s.area_id)
}

/// Returns the cases against reuse, as they follow from the entry point.
fn avoid_when(s: &Strategy) -> String {
    match s.primary_entry_point.as_deref() {
        None | Some("") => "The task is in another area.".to_owned(),
        Some(first) => format!("It is not about {first}."),
    }
}

/// Returns the reported cases for and against reuse; empty for derived ones.
pub(crate) fn said_of_use(s: &Strategy) -> (&str, &str) {
    let reuse = Some(s.reuse_when.as_str()).filter(|text| *text != reuse_when(s));
    let avoid = Some(s.avoid_when.as_str()).filter(|text| *text != avoid_when(s));
    (reuse.unwrap_or_default(), avoid.unwrap_or_default())
}

/// A stored text, or what stands for it in rows without one.
fn or_derived(stored: &str, derived: impl FnOnce() -> String) -> String {
    match stored {
        "" => derived(),
        stored => clean(stored, 240),
    }
}

/// `strategy_hint` of resume and brief.
pub(crate) fn hint(found: &StrategyMatch) -> Value {
    let s = found.strategy;
    let mut hint = json!({
        "task_id": s.task_id, "why_it_worked": clean(&s.why_it_worked, 280),
        "reuse_when": or_derived(&s.reuse_when, || reuse_when(s)),
        "avoid_when": or_derived(&s.avoid_when, || avoid_when(s)),
        "evidence_quality": quality(s), "reuse_confidence": found.confidence,
        "selection_reason": clean(&found.reason(), 240),
    });
    if !found.changed.is_empty() {
        aictx_proto::json::set(&mut hint, "changed_since", json!(found.changed));
    }
    labelled(
        &hint,
        s.origin,
        &["why_it_worked", "reuse_when", "avoid_when"],
    )
}

/// The members that `suggest` and `reuse` share.
pub(crate) fn details(found: Option<&StrategyMatch>) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put(
        "selection_reason",
        json!(found.map(StrategyMatch::reason).unwrap_or_default()),
    );
    put(
        "matched_signals",
        json!(found.map(|f| f.signals.clone()).unwrap_or_default()),
    );
    put(
        "similarity_breakdown",
        json!(found.map(|f| f.breakdown.clone()).unwrap_or_default()),
    );
    put(
        "overlapping_files",
        json!(
            found
                .map(|f| f.overlapping_files.clone())
                .unwrap_or_default()
        ),
    );
    let list = |pick: fn(&Strategy) -> &Vec<String>| {
        json!(found.map(|f| pick(f.strategy).clone()).unwrap_or_default())
    };
    put("related_commands", list(|s| &s.commands_executed));
    put("related_tests", list(|s| &s.tests_executed));
    if let Some(found) = found {
        put("reuse_confidence", json!(found.confidence));
    }
    let changed = found.map_or(&[][..], |f| &f.changed);
    if !changed.is_empty() {
        put("changed_since", json!(changed));
    }
    if let Some(found) = found.filter(|found| !found.strategy.origin.is_own()) {
        put(ORIGIN, json!(found.strategy.origin));
        put(
            "selection_reason",
            json!(with_origin(found.reason(), found.strategy.origin)),
        );
    }
    out
}

/// Takes out the rows that have to make room, oldest and least used first; pinned ones stay.
pub(crate) fn overflow(rows: &mut Vec<Arc<Strategy>>) -> Vec<Arc<Strategy>> {
    let mut gone = Vec::new();
    while rows.len() > MAX_STRATEGIES {
        let worst = rows
            .iter()
            .enumerate()
            .filter(|(_, s)| !item_flags::is_pinned(&s.extra))
            .min_by(|(_, a), (_, b)| {
                (a.success, a.uses, &a.timestamp).cmp(&(b.success, b.uses, &b.timestamp))
            })
            .map(|(at, _)| at);
        let Some(at) = worst else { break };
        gone.push(rows.remove(at));
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::snapshot::shared;

    fn strategy(text: &str, file: &str) -> Strategy {
        Strategy {
            task_id: text.to_owned(),
            task_text: text.to_owned(),
            task_type: "bug_fixing".into(),
            area_id: "src/app".into(),
            entry_points: vec![file.into()],
            primary_entry_point: Some(file.into()),
            files_used: vec![file.into()],
            files_edited: vec![file.into()],
            tests_executed: vec!["pytest -q".into()],
            success: true,
            timestamp: "2026-01-01T00:00:00Z".into(),
            ..Strategy::default()
        }
    }

    fn now() -> Timestamp {
        Timestamp::parse("2026-01-02T00:00:00Z").unwrap()
    }

    fn done<'a>(
        id: &'a str,
        request: &'a str,
        edited: &'a [String],
        tests: &'a [String],
    ) -> Done<'a> {
        Done {
            execution_id: id,
            request,
            task_type: "bug_fixing",
            area: "src",
            opened: &[],
            edited,
            commands: tests,
            tests,
            errors: &[],
            success: true,
            proof: tests.last().map(String::as_str),
            edits_seen: true,
            validated: true,
            discarded: &[],
            anchors: &[],
            now: now(),
        }
    }

    #[test]
    fn wt2_what_has_nothing_in_common_is_not_offered() {
        let rows = shared([strategy("fix widget render bug", "src/app/core.py")]);
        let ask = |request: &str, task_type: &str| {
            let query = StrategyQuery {
                request,
                task_type,
                ..StrategyQuery::default()
            };
            find_strategies(&rows, &query, now())
                .next()
                .map(|m| m.confidence)
        };
        assert_eq!(
            ask("write the quarterly marketing newsletter copy", ""),
            None
        );
        assert_eq!(
            ask("fix the kubernetes ingress timeout", "bug_fixing"),
            None
        );
        assert_eq!(
            ask("fix widget render regression", "bug_fixing"),
            Some("low")
        );
    }

    #[test]
    fn wt3_words_are_compared_by_their_parts_and_stems() {
        let rows = shared([strategy("fix widget render bug", "src/app/core.py")]);
        let found = |request: &str| {
            let query = StrategyQuery {
                request,
                ..StrategyQuery::default()
            };
            find_strategies(&rows, &query, now()).next().is_some()
        };
        assert!(found("the widgets are rendered twice"));
        assert!(found("rename WidgetRender to WidgetView"));
        assert!(!found("the one that is in it and of the other"));
    }

    #[test]
    fn what_was_learned_of_code_that_changed_is_less_sure() {
        let mut row = strategy("fix widget render bug", "src/app/core.py");
        row.anchors = vec![Anchor {
            path: "src/app/core.py".into(),
            blob: "then".into(),
            ..Anchor::default()
        }];
        let rows = shared([row]);
        let files = ["src/app/core.py".to_owned()];
        let query = StrategyQuery {
            request: "fix widget render regression",
            files: &files,
            ..StrategyQuery::default()
        };
        let as_of = |blob: &str| {
            let found = find_strategies(&rows, &query, now()).next().unwrap();
            let present = crate::file_anchors::Present {
                blob: blob.into(),
                ..Default::default()
            };
            found.told_now(&[("src/app/core.py".to_owned(), Arc::new(present))].into())
        };
        let fresh = as_of("then");
        assert_eq!((fresh.confidence, fresh.changed.len()), ("high", 0));
        assert_eq!(hint(&fresh)["changed_since"], Value::Null);
        let stale = as_of("now");
        assert_eq!(stale.confidence, "medium");
        let told = json!(["src/app/core.py changed"]);
        assert_eq!(hint(&stale)["changed_since"], told);
        assert_eq!(details(Some(&stale))["reuse_confidence"], "medium");
        assert!(stale.reason().contains("changed_since:src/app/core.py"));
    }

    #[test]
    fn w18_the_type_is_a_hint_and_overlap_makes_confidence() {
        let rows = shared([strategy("fix widget render bug", "src/app/core.py")]);
        let files = ["src/app/core.py".to_owned()];
        let query = StrategyQuery {
            request: "fix widget render regression",
            task_type: "performance",
            area: "src/app",
            files: &files,
            ..StrategyQuery::default()
        };
        let found = find_strategies(&rows, &query, now()).next().unwrap();
        assert_eq!(found.confidence, "high");
        assert!(found.score > 8_000, "{}", found.score);
        let later = Timestamp::parse("2027-01-01T00:00:00Z").unwrap();
        let aged = find_strategies(&rows, &query, later).next().unwrap();
        assert!(aged.score < found.score / 8);
    }

    #[test]
    fn wt1_a_success_with_a_passing_check_is_learned_and_a_repetition_counted() {
        let (edited, tests) = (["src/a.py".to_owned()], ["pytest -q".to_owned()]);
        let first = done("e1", "fix the token refresh", &edited, &tests);
        let StrategyChange::Append(row) = learn(&[], &first) else {
            panic!()
        };
        assert_eq!(row.evidence_quality, "high");
        assert_eq!(
            row.entry_points,
            ["src/a.py"],
            "W11: commands are no entry points"
        );
        assert!(row.reuse_when.contains(&row.area_id));
        assert_eq!(row.avoid_when, "It is not about src/a.py.");
        assert_eq!(said_of_use(&row), ("", ""), "nobody said so");
        let said = Strategy {
            avoid_when: "Without the key.".to_owned(),
            ..Strategy::clone(&row)
        };
        assert_eq!(said_of_use(&said), ("", "Without the key."));
        let again = done("e2", "fix the token refresh again", &edited, &tests);
        let StrategyChange::Renew(again) = learn(&[Arc::new(*row.clone())], &again) else {
            panic!()
        };
        assert_eq!((again.uses, again.task_id.as_str()), (1, "e1"));
        for (proof, edits_seen) in [(None, true), (first.proof, false)] {
            let said = Done {
                proof,
                edits_seen,
                ..first
            };
            let StrategyChange::Append(row) = learn(&[], &said) else {
                panic!()
            };
            assert_eq!(row.evidence_quality, "medium", "observed beats said");
            let why = row.why_it_worked.contains("passed after the last edit");
            assert_eq!(why, proof.is_some(), "{}", row.why_it_worked);
        }
        let unproven = Done {
            proof: None,
            validated: false,
            ..first
        };
        assert_eq!(learn(&[], &unproven), StrategyChange::None, "W-T5");
        let failed = Done {
            success: false,
            execution_id: "e3",
            ..first
        };
        let StrategyChange::Append(row) = learn(&[], &failed) else {
            panic!()
        };
        let query = StrategyQuery {
            files: &edited,
            ..StrategyQuery::default()
        };
        assert!(
            find_strategies(&shared([*row]), &query, now())
                .next()
                .is_none()
        );
    }
}
