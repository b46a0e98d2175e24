//! The type of a task after the work: the request, and what was seen of it.

use aictx_steer::TaskScores;

use super::paths::{self, Kind};
use super::{TaskType, provisional, round};

/// Most pieces of evidence.
const MAX_EVIDENCE: usize = 12;
/// Most files, commands and errors that are looked at.
const MAX_ITEMS: usize = 256;
/// Below this an observed type is ambiguous.
const SURE: f64 = 0.65;

/// What a type is called that was found after the work.
const PHASE: &str = "observed";

/// What is known at the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Observed<'o> {
    /// Type given by the caller; wins when not empty.
    pub explicit: &'o str,
    /// The request.
    pub request: &'o str,
    /// What the agent says it did.
    pub summary: &'o str,
    /// Errors that were seen.
    pub errors: &'o [String],
    /// Commands that were run.
    pub commands: &'o [String],
    /// Files that were edited.
    pub files_edited: &'o [String],
    /// Files that were only read.
    pub files_opened: &'o [String],
}

/// The final type. The request counts whole, the summary half; what was seen decides where words do
/// not, and never against a clear request: whoever adds a feature also meets errors and edits tests.
/// Without any sign it is the provisional type.
pub fn observed(seen: &Observed<'_>) -> TaskType {
    let edited = || seen.files_edited.iter().take(MAX_ITEMS).map(String::as_str);
    let prepared = provisional(seen.explicit, seen.request, edited());
    if prepared.source == "explicit_task_type" {
        return TaskType {
            phase: PHASE,
            ..prepared
        };
    }
    let mut scores = TaskScores::default();
    scores.read(seen.request, 1);
    scores.read(seen.summary, 2);
    let mut evidence: Vec<String> = Vec::new();
    let mut note = |scores: &mut TaskScores, name: &'static str, by: u32, why: String| {
        scores.add(name, by);
        evidence.push(why);
    };
    if let Some(error) = seen.errors.first() {
        let kind: String = error.chars().take(80).collect();
        note(&mut scores, "bug_fixing", 2, format!("error:{kind}"));
    }
    let benchmarked = |c: &&String| {
        c.split(|c: char| !c.is_alphanumeric()).any(|w| {
            matches!(
                w,
                "bench" | "benchmark" | "hyperfine" | "perf" | "wrk" | "flamegraph"
            )
        })
    };
    if let Some(command) = seen.commands.iter().take(MAX_ITEMS).find(benchmarked) {
        let command: String = command.chars().take(80).collect();
        note(&mut scores, "performance", 2, format!("command:{command}"));
    }
    let kinds: Vec<Kind> = edited().map(paths::kind).collect();
    let all =
        |kind: Kind| kinds.contains(&kind) && kinds.iter().all(|k| *k == kind || *k == Kind::Other);
    for (kind, name, by) in [
        (Kind::Test, "testing", 3),
        (Kind::Docs, "documentation", 4),
        (Kind::Performance, "performance", 3),
        (Kind::Architecture, "architecture", 3),
    ] {
        if all(kind) {
            note(&mut scores, name, by, format!("files:only_{name}"));
        }
    }
    evidence.truncate(MAX_EVIDENCE);
    let Some((name, best, second)) = scores.best() else {
        return TaskType {
            source: "observed_unknown",
            evidence,
            phase: PHASE,
            ..prepared
        };
    };
    let confidence =
        0.55 + (0.03 * f64::from(best)).min(0.35) + (0.02 * f64::from(best - second)).min(0.1);
    let mut confidence = round(confidence.min(0.95));
    if prepared.name == name {
        confidence = confidence.max(prepared.confidence);
    }
    TaskType {
        name: name.to_owned(),
        source: "observed_signals",
        fallback: false,
        confidence,
        signals: scores.signals(),
        evidence,
        ambiguous: confidence < SURE || best < second + 2,
        score_breakdown: scores.breakdown(),
        phase: PHASE,
    }
}

/// Which of the two counts: the final one unless it is unknown.
pub fn effective<'t>(prepared: &'t TaskType, last: &'t TaskType) -> &'t TaskType {
    if last.name == "unknown" {
        prepared
    } else {
        last
    }
}
