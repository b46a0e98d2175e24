//! `aictx internal compact`: which rows of memory have become history.
//!
//! One rule a file, each a pure function of its rows. What a rule lets go is archived, duplicates
//! too; what is open, pinned, still in force or not dated stays.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use aictx_proto::Timestamp;
use aictx_proto::record::{Decision, files};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::ids::decision_id;
use crate::item_flags;

mod portable;
mod staleness;

pub use portable::portable_fates;
pub use staleness::staleness;

/// Fate of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays.
    Keep,
    /// It goes to the archive.
    Archive,
    /// It says what another row says, and goes to the archive.
    Duplicate,
}

/// Facts for the rules beside the rows.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    /// Returns true if a repository-relative path is known to be gone.
    pub is_gone: &'k dyn Fn(&str) -> bool,
    /// Now.
    pub now: Timestamp,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// The rule of one file.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Below `.aictx/`.
    pub file: &'static str,
    /// The kind of its rows, as the report calls it.
    pub kind: &'static str,
    /// The rule in words.
    pub words: &'static str,
    fates: fn(&[Value], &Known) -> Vec<Fate>,
}

impl Rule {
    /// Returns the fate of each row, in their order.
    pub fn fates(&self, rows: &[Value], known: &Known) -> Vec<Fate> {
        (self.fates)(rows, known)
    }
}

const DAY: u64 = 86_400;
/// Days that executions and what was said of them stay.
const EXECUTION_DAYS: u64 = 60;
/// Days that a strategy stays whatever it is worth.
const STRATEGY_DAYS: u64 = 30;
/// Days that a resolved failure stays.
const FAILURE_DAYS: u64 = 90;
/// Days that a decision stays though everything it governs is gone.
const DECISION_DAYS: u64 = 180;
/// Strategies that stay of every task type, and of every area, whatever their age.
const PER_TYPE: usize = 20;
const PER_AREA: usize = 10;
/// Older rows of one resolved failure that stay.
const PER_SIGNATURE: usize = 3;
/// Newest rows that stay whatever their age: what readers look at.
const NEWEST_EXECUTIONS: usize = 500;
const NEWEST_HANDOFFS: usize = 50;
const NEWEST_ROWS: usize = 100;

/// Every rule.
pub const RULES: &[Rule] = &[
    Rule {
        file: files::EXECUTION_LOGS,
        kind: "execution_logs",
        words: "at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, 0),
    },
    Rule {
        file: files::EXECUTION_FEEDBACK,
        kind: "execution_feedback",
        words: "at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, 0),
    },
    Rule {
        file: files::AGENT_EXECUTION_LOG,
        kind: "agent_execution_log",
        words: "the newest 500; at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, NEWEST_EXECUTIONS),
    },
    Rule {
        file: files::CONTRACT_COMPLIANCE,
        kind: "contract_compliance",
        words: "the newest 100; at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, NEWEST_ROWS),
    },
    Rule {
        file: files::HANDOFFS,
        kind: "handoffs",
        words: "the newest 50; at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, NEWEST_HANDOFFS),
    },
    Rule {
        file: files::LIFECYCLE_EVENTS,
        kind: "lifecycle_events",
        words: "the newest 100; at most 60 days old, undated or pinned",
        fates: |rows, known| newest(rows, known, NEWEST_ROWS),
    },
    Rule {
        file: files::STRATEGIES,
        kind: "strategies",
        words: "at most 30 days old, undated or pinned; of older ones the newest 20 of each task type and the newest 10 of each area; of those of the same execution the last",
        fates: strategies,
    },
    Rule {
        file: files::FAILURE_PATTERNS,
        kind: "failure_patterns",
        words: "open ones; resolved ones at most 90 days old, undated or pinned; of older ones the newest 3 of each signature",
        fates: failures,
    },
    Rule {
        file: files::DECISIONS,
        kind: "decisions",
        words: "all but those that another one names as superseded, and those older than 180 days whose paths are all gone; pinned ones always; of the same decision the newest row",
        fates: decisions,
    },
    Rule {
        file: "memory/workflow_learnings.jsonl",
        kind: "workflow_learnings",
        words: "the newest 100 and pinned ones; of those with the same summary, type and mode the newest",
        fates: learnings,
    },
];

/// All rules in words, by file.
pub fn rules() -> Value {
    let words = RULES.iter().map(|r| {
        (
            r.file.to_owned(),
            json!({ "kind": r.kind, "keeps": r.words }),
        )
    });
    Value::Object(words.collect::<Map<String, Value>>())
}

fn text<'r>(row: &'r Value, member: &str) -> &'r str {
    row.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the time of a row, if it has one.
fn written(row: &Value) -> Option<Timestamp> {
    let named = ["timestamp", "recorded_at", "created_at"];
    named
        .iter()
        .find_map(|member| Timestamp::parse(text(row, member)))
}

fn is_old(row: &Value, known: &Known, days: u64) -> bool {
    written(row).is_some_and(|at| known.now.since(at) > days * DAY)
}

fn is_pinned(row: &Value) -> bool {
    row.as_object().is_some_and(item_flags::is_pinned)
}

/// Places of rows, newest first; undated ones count as old, and of equal ones the later is newer.
fn newest_first(rows: &[Value]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|at| {
        let when = rows.get(*at).and_then(written).map(Timestamp::unix);
        std::cmp::Reverse((when, *at))
    });
    order
}

fn newest(rows: &[Value], known: &Known, count: usize) -> Vec<Fate> {
    let first = rows.len().saturating_sub(count);
    let fate = |(at, row): (usize, &Value)| {
        let stays = at >= first || is_pinned(row) || !is_old(row, known, EXECUTION_DAYS);
        if stays { Fate::Keep } else { Fate::Archive }
    };
    rows.iter().enumerate().map(fate).collect()
}

fn strategies(rows: &[Value], known: &Known) -> Vec<Fate> {
    let mut fates = vec![Fate::Keep; rows.len()];
    // A later row of an execution stands for the earlier ones.
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        last.insert(text(row, "task_id"), at);
    }
    let mut types: HashMap<&str, usize> = HashMap::new();
    let mut areas: HashMap<&str, usize> = HashMap::new();
    for at in newest_first(rows) {
        let (Some(row), Some(fate)) = (rows.get(at), fates.get_mut(at)) else {
            continue;
        };
        if is_pinned(row) {
            continue;
        }
        let id = text(row, "task_id");
        if !id.is_empty() && last.get(id) != Some(&at) {
            *fate = Fate::Duplicate;
            continue;
        }
        if !is_old(row, known, STRATEGY_DAYS) {
            continue;
        }
        let of_type = types.entry(text(row, "task_type")).or_default();
        let of_area = areas.entry(text(row, "area_id")).or_default();
        let stays = *of_type < PER_TYPE || *of_area < PER_AREA;
        *of_type += 1;
        *of_area += 1;
        if !stays {
            *fate = Fate::Archive;
        }
    }
    fates
}

fn failures(rows: &[Value], known: &Known) -> Vec<Fate> {
    let mut fates = vec![Fate::Keep; rows.len()];
    let mut older: HashMap<&str, usize> = HashMap::new();
    for at in newest_first(rows) {
        let (Some(row), Some(fate)) = (rows.get(at), fates.get_mut(at)) else {
            continue;
        };
        // What has no state is open.
        let resolved = text(row, "status") == "resolved";
        if !resolved || is_pinned(row) || !is_old(row, known, FAILURE_DAYS) {
            continue;
        }
        let count = older.entry(text(row, "signature")).or_default();
        *count += 1;
        if *count > PER_SIGNATURE {
            *fate = Fate::Archive;
        }
    }
    fates
}

fn decisions(rows: &[Value], known: &Known) -> Vec<Fate> {
    let records: Vec<Decision> = rows
        .iter()
        .map(|row| Decision::deserialize(row).unwrap_or_default())
        .collect();
    let replaced: BTreeSet<&str> = records
        .iter()
        .flat_map(|d| d.supersedes.iter().map(String::as_str))
        .collect();
    let mut seen: BTreeMap<(&str, &str, &[String]), ()> = BTreeMap::new();
    let mut fates = vec![Fate::Keep; rows.len()];
    for (row, (record, fate)) in rows.iter().zip(records.iter().zip(&mut fates)).rev() {
        if item_flags::is_pinned(&record.extra) || record.decision.trim().is_empty() {
            continue;
        }
        let key = (
            record.decision.trim(),
            record.rationale.trim(),
            record.related_paths.as_slice(),
        );
        if seen.insert(key, ()).is_some() {
            *fate = Fate::Duplicate;
            continue;
        }
        let paths = &record.related_paths;
        let lost = !paths.is_empty() && paths.iter().all(|path| (known.is_gone)(path));
        let outlived = lost && is_old(row, known, DECISION_DAYS);
        if replaced.contains(decision_id(record).as_str()) || outlived {
            *fate = Fate::Archive;
        }
    }
    fates
}

fn learnings(rows: &[Value], _known: &Known) -> Vec<Fate> {
    let mut seen = HashSet::new();
    let mut kept = 0;
    let mut fates: Vec<Fate> = rows
        .iter()
        .rev()
        .map(|row| {
            let key = ["summary", "task_type", "execution_mode"].map(|m| text(row, m));
            if is_pinned(row) {
                return Fate::Keep;
            }
            if !seen.insert(key) {
                return Fate::Duplicate;
            }
            kept += 1;
            if kept <= NEWEST_ROWS {
                Fate::Keep
            } else {
                Fate::Archive
            }
        })
        .collect();
    fates.reverse();
    fates
}

#[cfg(test)]
mod tests;
