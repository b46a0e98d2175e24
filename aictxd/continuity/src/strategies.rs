//! Strategy memory: how a task like this one was done before (spec/memory-repomap-setup.md §6).
//!
//! Only what succeeded with evidence is offered again, only where there is overlap beyond words,
//! and the older the less (W18, W-T1, W-T2).

use std::collections::BTreeSet;

use aictx_proto::Timestamp;
use aictx_proto::record::{Anchor, Strategy};
use aictx_proto::text::clean;
use serde_json::{Map, Value, json};

use crate::marks;
use crate::matching::{similarity, terms};
use crate::memo::same_check;

/// Files, commands and tests kept of an execution.
const MAX_KEPT: usize = 12;
/// Rows that are kept; beyond it the ones used least and longest ago go to the archive.
pub(crate) const MAX_STRATEGIES: usize = 400;
/// Rows above which they are brought down to [`MAX_STRATEGIES`]: all have to be written for it, so not
/// for every new one.
pub(crate) const MAX_ROWS: usize = 450;
/// Half of a strategy's score is gone after this many days.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Evidence counts half from this age on.
const OLD_EVIDENCE: u64 = 30 * 86_400;
/// Share of common words from which two successes are one.
const SAME_REQUEST: f64 = 0.8;
/// Least share of common words, of requests and of errors, that makes a candidate.
const LIKE_REQUEST: f64 = 0.25;
const LIKE_ERROR: f64 = 0.3;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct StrategyQuery<'a> {
    /// The request.
    pub request: &'a str,
    /// Task type; empty or `unknown` says nothing.
    pub task_type: &'a str,
    /// Area; the same.
    pub area: &'a str,
    /// Files at hand, the first one first.
    pub files: &'a [String],
    /// Commands at hand.
    pub commands: &'a [String],
    /// Test runs at hand.
    pub tests: &'a [String],
    /// Errors at hand.
    pub errors: &'a [String],
}

/// A strategy that fits, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyMatch<'a> {
    /// The row.
    pub strategy: &'a Strategy,
    /// Score after decay.
    pub score: i64,
    /// `signal:value`, in the order of the weights.
    pub signals: Vec<String>,
    /// Points by signal, and `total` and `recency`.
    pub breakdown: Map<String, Value>,
    /// Files in common.
    pub overlapping_files: Vec<String>,
    /// `high`, `medium` or `low`.
    pub confidence: &'static str,
}

impl StrategyMatch<'_> {
    /// The signals in one text.
    pub fn reason(&self) -> String {
        self.signals.join("; ")
    }
}

/// Points of the spec, and which of them are evidence beyond words.
struct Points {
    signals: Vec<String>,
    breakdown: Map<String, Value>,
    total: f64,
    overlap: bool,
    strong: usize,
}

impl Points {
    fn add(&mut self, name: &str, points: f64, value: String, strong: bool) {
        if points <= 0.0 {
            return;
        }
        self.total += points;
        self.breakdown
            .insert(name.to_owned(), json!(points.round() as i64));
        self.signals.push(if value.is_empty() {
            name.to_owned()
        } else {
            format!("{name}:{value}")
        });
        self.strong += usize::from(strong);
    }
}

/// The best strategies for a question, best first: successes only, each with at least one of file,
/// area, command or test overlap, a like error or a like request.
pub fn find_strategies<'a>(
    strategies: &'a [Strategy],
    query: &StrategyQuery,
    now: Timestamp,
) -> Vec<StrategyMatch<'a>> {
    let request = terms(query.request);
    let errors = terms(&query.errors.join(" "));
    let usable = |s: &&Strategy| s.success && !s.is_failure && !marks::is_wrong(&s.extra);
    let mut found: Vec<StrategyMatch> = strategies
        .iter()
        .enumerate()
        .filter(|(_, s)| usable(s))
        .filter_map(|(index, strategy)| judge(strategy, index, query, &request, &errors, now))
        .collect();
    found.sort_by(|a, b| {
        b.score
            .cmp(&a.score)
            .then_with(|| b.strategy.timestamp.cmp(&a.strategy.timestamp))
            .then_with(|| a.strategy.task_id.cmp(&b.strategy.task_id))
    });
    found
}

fn judge<'a>(
    strategy: &'a Strategy,
    index: usize,
    query: &StrategyQuery,
    request: &BTreeSet<String>,
    errors: &BTreeSet<String>,
    now: Timestamp,
) -> Option<StrategyMatch<'a>> {
    let mut points = Points {
        signals: Vec::new(),
        breakdown: Map::new(),
        total: 0.0,
        overlap: false,
        strong: 0,
    };
    let primary = strategy.primary_entry_point.as_deref().unwrap_or_default();
    if !primary.is_empty() && query.files.first().is_some_and(|f| f == primary) {
        points.add("primary_entry_point", 5000.0, primary.to_owned(), true);
        points.overlap = true;
    }
    let mut files: Vec<String> = Vec::new();
    for file in query.files {
        let has = strategy.files_used.contains(file) || strategy.entry_points.contains(file);
        if has && !files.contains(file) {
            files.push(file.clone());
        }
    }
    if !files.is_empty() {
        let named = files.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        points.add(
            "file_overlap",
            3000.0 + 100.0 * files.len() as f64,
            named,
            true,
        );
        points.overlap = true;
    }
    let like = similarity(request, &terms(&strategy.task_text));
    points.add(
        "prompt_similarity",
        like * 2500.0,
        format!("{like:.4}"),
        false,
    );
    let common = |theirs: &[String], ours: &[String]| -> Vec<String> {
        ours.iter()
            .filter(|o| theirs.iter().any(|t| same_check(t, o)))
            .take(3)
            .map(|c| clean(c, 80))
            .collect()
    };
    let tests = common(&strategy.tests_executed, query.tests);
    if !tests.is_empty() {
        let n = tests.len() as f64;
        points.add("test_overlap", 1100.0 + 100.0 * n, tests.join(", "), true);
    }
    let known = |value: &str| !value.is_empty() && value != "unknown";
    if known(query.task_type) && query.task_type == strategy.task_type {
        points.add("task_type", 1000.0, query.task_type.to_owned(), false);
    }
    let commands = common(&strategy.commands_executed, query.commands);
    if !commands.is_empty() {
        let n = commands.len() as f64;
        points.add(
            "command_overlap",
            900.0 + 100.0 * n,
            commands.join(", "),
            true,
        );
    }
    let alike = similarity(errors, &terms(&strategy.notable_errors.join(" ")));
    points.add(
        "error_similarity",
        alike * 1200.0,
        format!("{alike:.4}"),
        alike >= LIKE_ERROR,
    );
    let same_area = known(query.area) && query.area == strategy.area_id;
    let subsystem = |area: &str| area.split('/').take(2).collect::<Vec<_>>().join("/");
    if same_area {
        points.add("area", 800.0, query.area.to_owned(), true);
        points.overlap = true;
    } else if known(query.area) && subsystem(query.area) == subsystem(&strategy.area_id) {
        points.add("subsystem", 600.0, subsystem(query.area), true);
    }
    // A strategy is only offered on evidence (W-T2); type and general activity are none.
    let evident = points.strong > 0 || like >= LIKE_REQUEST;
    if !evident {
        return None;
    }
    let age = Timestamp::parse(&strategy.timestamp).map_or(0, |t| now.since(t));
    let ran = 12 * strategy.commands_executed.len()
        + 18 * strategy.tests_executed.len()
        + 16 * strategy.files_edited.len();
    let mut evidence = ran.min(80);
    if age > OLD_EVIDENCE {
        evidence = (evidence / 2).max(usize::from(evidence > 0));
    }
    points.add(
        "execution_evidence",
        evidence as f64,
        evidence.to_string(),
        false,
    );
    let decay = 0.5_f64.powf(age as f64 / 86_400.0 / HALF_LIFE_DAYS);
    let score = (points.total * decay).round() as i64;
    points.breakdown.insert("recency".to_owned(), json!(index));
    points.breakdown.insert("total".to_owned(), json!(score));
    let good = matches!(quality(strategy), "high" | "medium");
    let confidence = if points.overlap && points.strong >= 2 && good {
        "high"
    } else if points.overlap || points.strong >= 1 {
        "medium"
    } else {
        "low"
    };
    Some(StrategyMatch {
        strategy,
        score,
        signals: points.signals,
        breakdown: points.breakdown,
        overlapping_files: files,
        confidence,
    })
}

fn quality(strategy: &Strategy) -> &str {
    if strategy.evidence_quality.is_empty() {
        evidence_quality(
            !strategy.tests_executed.is_empty(),
            !strategy.commands_executed.is_empty(),
            !strategy.files_edited.is_empty(),
            !strategy.notable_errors.is_empty(),
        )
    } else {
        &strategy.evidence_quality
    }
}

/// Spec §6.2.
pub(crate) fn evidence_quality(
    tests: bool,
    commands: bool,
    edits: bool,
    errors: bool,
) -> &'static str {
    if tests && edits {
        "high"
    } else if (tests || commands) && edits {
        "medium"
    } else if commands || edits || errors {
        "low"
    } else {
        "unknown"
    }
}

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
    /// A check was seen to pass after the last edit, or somebody says that it is proven.
    pub(crate) validated: bool,
    pub(crate) discarded: &'a [Value],
    pub(crate) anchors: &'a [Anchor],
    pub(crate) now: Timestamp,
}

/// What an execution does to strategy memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StrategyChange {
    /// Nothing worth keeping.
    None,
    /// A new row.
    Append(Box<Strategy>),
    /// The same was done before: all rows, with that one counted and renewed.
    Renew(Vec<Strategy>, String),
}

/// Keeps what worked with evidence; a failure is kept as history, and never offered. What was done
/// the same way before is counted, not repeated.
pub(crate) fn learn(strategies: &[Strategy], done: &Done) -> StrategyChange {
    if strategies.iter().any(|s| s.task_id == done.execution_id) {
        return StrategyChange::None;
    }
    let quality = evidence_quality(
        !done.tests.is_empty(),
        !done.commands.is_empty(),
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
    let same = |s: &&Strategy| {
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
    let id = known.task_id.clone();
    let mut rows = strategies.to_vec();
    if let Some(known) = rows.iter_mut().find(|s| s.task_id == id) {
        known.uses += 1;
        known.timestamp = done.now.to_string();
        known.anchors = row.anchors;
    }
    StrategyChange::Renew(rows, id)
}

fn row(done: &Done, quality: &'static str) -> Strategy {
    let newest = |list: &[String]| -> Vec<String> {
        list.iter()
            .rev()
            .take(MAX_KEPT)
            .map(|t| clean(t, 400))
            .collect()
    };
    // Commands are no paths (W11).
    let mut files = newest(done.edited);
    for path in newest(done.opened) {
        if !files.contains(&path) && files.len() < MAX_KEPT {
            files.push(path);
        }
    }
    let entry_points: Vec<String> = files.iter().take(3).cloned().collect();
    let mut strategy = Strategy {
        task_id: done.execution_id.to_owned(),
        task_text: clean(done.request, 500),
        task_type: done.task_type.to_owned(),
        area_id: done.area.to_owned(),
        primary_entry_point: entry_points.first().cloned(),
        entry_points,
        files_used: files,
        files_edited: newest(done.edited),
        commands_executed: newest(done.commands),
        tests_executed: newest(done.tests),
        notable_errors: done.errors.iter().take(5).map(|e| clean(e, 300)).collect(),
        success: done.success,
        is_failure: !done.success,
        timestamp: done.now.to_string(),
        anchors: done.anchors.to_vec(),
        ..Strategy::default()
    };
    if done.success {
        let test = done.tests.last().map(|t| clean(t, 120));
        strategy.why_it_worked = match &test {
            Some(test) => format!("`{test}` passed after the last edit."),
            None => "It was reported as proven.".to_owned(),
        };
        strategy.reuse_when = format!("A {} task in {}.", done.task_type, done.area);
        let first = strategy.primary_entry_point.clone().unwrap_or_default();
        strategy.avoid_when = if first.is_empty() {
            "The task is in another area.".to_owned()
        } else {
            format!("The task does not touch {first} or what lies beside it.")
        };
        strategy.evidence_quality = quality.to_owned();
        strategy.discarded_hypotheses = done.discarded.iter().rev().take(3).cloned().collect();
    }
    strategy
}

/// `strategy_hint` of resume and brief (spec/lifecycle.md §9).
pub(crate) fn hint(found: &StrategyMatch) -> Value {
    let s = found.strategy;
    json!({
        "task_id": s.task_id, "why_it_worked": clean(&s.why_it_worked, 280),
        "reuse_when": clean(&s.reuse_when, 240), "avoid_when": clean(&s.avoid_when, 240),
        "evidence_quality": quality(s), "reuse_confidence": found.confidence,
        "selection_reason": clean(&found.reason(), 240),
    })
}

/// The members that `suggest` and `reuse` share (spec §6.10).
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
    put(
        "reuse_confidence",
        json!(found.map_or("low", |f| f.confidence)),
    );
    out
}

/// Takes out the rows that have to make room, oldest and least used first; pinned ones stay.
pub(crate) fn overflow(rows: &mut Vec<Strategy>) -> Vec<Strategy> {
    let mut gone = Vec::new();
    while rows.len() > MAX_STRATEGIES {
        let worst = rows
            .iter()
            .enumerate()
            .filter(|(_, s)| !marks::is_pinned(&s.extra))
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
            validated: true,
            discarded: &[],
            anchors: &[],
            now: now(),
        }
    }

    #[test]
    fn wt2_what_has_nothing_in_common_is_not_offered() {
        let rows = [strategy("fix widget render bug", "src/app/core.py")];
        let ask = |request: &str, task_type: &str| {
            let query = StrategyQuery {
                request,
                task_type,
                ..StrategyQuery::default()
            };
            find_strategies(&rows, &query, now())
                .first()
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
    fn w18_the_type_is_a_hint_and_overlap_makes_confidence() {
        let rows = [strategy("fix widget render bug", "src/app/core.py")];
        let files = ["src/app/core.py".to_owned()];
        let query = StrategyQuery {
            request: "fix widget render regression",
            task_type: "performance",
            area: "src/app",
            files: &files,
            ..StrategyQuery::default()
        };
        let found = find_strategies(&rows, &query, now());
        assert_eq!(found[0].confidence, "high");
        assert!(found[0].score > 8_000, "{}", found[0].score);
        let later = Timestamp::parse("2027-01-01T00:00:00Z").unwrap();
        assert!(find_strategies(&rows, &query, later)[0].score < found[0].score / 8);
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
        let again = done("e2", "fix the token refresh again", &edited, &tests);
        let StrategyChange::Renew(rows, id) = learn(&[*row.clone()], &again) else {
            panic!()
        };
        assert_eq!((rows[0].uses, id.as_str()), (1, "e1"));
        let unproven = Done {
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
        assert!(
            find_strategies(
                &[*row],
                &StrategyQuery {
                    files: &edited,
                    ..Default::default()
                },
                now()
            )
            .is_empty()
        );
    }
}
