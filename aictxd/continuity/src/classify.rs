//! Task types: the one classifier of requests.
//!
//! Whole words, stems and phrases with weights; what the sentence begins with weighs most, for a
//! request says first what is to be done. Then what was seen of the work.

mod observed;
mod paths;

use std::collections::BTreeMap;

use aictx_steer::TaskScores;
use serde::Serialize;

pub use observed::{Observed, effective, observed};

use paths::Kind;

/// Most signals of a result.
const MAX_SIGNALS: usize = 8;
/// Below this a provisional type is ambiguous.
const SURE: f64 = 0.55;

/// A task type and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskType {
    /// `bug_fixing`, `refactoring`, `testing`, `performance`, `architecture`, `feature_work`,
    /// `documentation`, `analysis`, `investigation`, `qa`; `unknown` without evidence; or whatever
    /// was said explicitly.
    #[serde(rename = "task_type")]
    pub name: String,
    /// `explicit_task_type`, `heuristic`, `unknown_fallback`, `observed_signals` or
    /// `observed_unknown`.
    pub source: &'static str,
    /// True if the type is only the absence of one.
    pub fallback: bool,
    /// 0.35 for unknown, up to 0.95.
    pub confidence: f64,
    /// `text:<type>:<word>` and `path:<type>:<path>`, at most 8.
    pub signals: Vec<String>,
    /// Evidence in the work, at most 12.
    pub evidence: Vec<String>,
    /// True if another type is nearly as likely.
    pub ambiguous: bool,
    /// After the work, what speaks for each type; those with nothing left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub score_breakdown: BTreeMap<&'static str, u32>,
    /// `observed` for the type after the work.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub phase: &'static str,
}

impl TaskType {
    fn explicit(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            source: "explicit_task_type",
            fallback: false,
            confidence: 1.0,
            signals: vec![format!("explicit:{name}")],
            evidence: Vec::new(),
            ambiguous: false,
            score_breakdown: BTreeMap::new(),
            phase: "",
        }
    }
}

/// [`provisional`] without paths.
pub fn classify(explicit: &str, text: &str) -> TaskType {
    provisional(explicit, text, [])
}

/// The type of a request before the work: `explicit` when given, else what the text says, else what
/// the touched paths say.
pub fn provisional<'p>(
    explicit: &str,
    request: &str,
    touched: impl IntoIterator<Item = &'p str>,
) -> TaskType {
    let explicit = explicit.trim();
    if !explicit.is_empty() {
        return TaskType::explicit(explicit);
    }
    let mut scores = TaskScores::default();
    scores.read(request, 1);
    let mut signals = scores.signals();
    let said = scores.best().is_some();
    for path in touched.into_iter().take(64) {
        let name = match paths::kind(path) {
            Kind::Test => "testing",
            Kind::Docs => "documentation",
            Kind::Performance => "performance",
            Kind::Architecture => "architecture",
            Kind::Code | Kind::Other => continue,
        };
        if !said {
            scores.add(name, 2);
        }
        signals.push(format!("path:{name}:{path}"));
    }
    signals.truncate(MAX_SIGNALS);
    let Some((name, best, second)) = scores.best() else {
        return TaskType {
            name: "unknown".to_owned(),
            source: "unknown_fallback",
            fallback: true,
            confidence: 0.35,
            signals,
            evidence: Vec::new(),
            ambiguous: true,
            score_breakdown: BTreeMap::new(),
            phase: "",
        };
    };
    let confidence = if said {
        0.45 + 0.03 * f64::from(best.min(10)) + 0.03 * f64::from((best - second).min(6))
    } else {
        0.45
    };
    let confidence = round(confidence.min(0.95));
    TaskType {
        name: name.to_owned(),
        source: "heuristic",
        fallback: false,
        confidence,
        signals,
        evidence: Vec::new(),
        ambiguous: confidence < SURE || best < second + 2,
        score_breakdown: BTreeMap::new(),
        phase: "",
    }
}

/// Two decimals.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
