//! Records made of other records: failure patterns of rows, a handoff of its history row.

use std::sync::Arc;

use std::collections::HashMap;
use std::collections::HashSet;

use aictx_proto::record::{FailurePattern, Handoff, HandoffRow, Origin, Strategy};
use aictx_proto::snapshot::Rows;

/// Failure patterns, and what they were folded from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failures {
    pub(crate) patterns: Rows<FailurePattern>,
    from: Rows<FailurePattern>,
    /// The rows of each pattern that is not one of them as it stands, by its signature.
    groups: Arc<HashMap<String, Group>>,
}

#[derive(Debug)]
struct Group {
    rows: Vec<Arc<FailurePattern>>,
    pattern: Arc<FailurePattern>,
}

impl Failures {
    /// Folds rows; those that were folded before are the same patterns as before, so that whoever
    /// prepares patterns need not do it again.
    pub(crate) fn update(&mut self, rows: &Rows<FailurePattern>) {
        if Arc::ptr_eq(&self.from, rows) {
            return;
        }
        let mut groups = HashMap::new();
        let patterns = failures(rows, |key, group| {
            let same = |known: &&Group| {
                let each = || known.rows.iter().zip(group);
                known.rows.len() == group.len() && each().all(|(a, b)| Arc::ptr_eq(a, b))
            };
            let known = self.groups.get(key).filter(same);
            let pattern = match known {
                Some(known) => Arc::clone(&known.pattern),
                None => fold(group.to_vec())?,
            };
            if !group.iter().any(|row| Arc::ptr_eq(row, &pattern)) {
                let rows = group.iter().map(|row| Arc::clone(row)).collect();
                let pattern = Arc::clone(&pattern);
                groups.insert(key.to_owned(), Group { rows, pattern });
            }
            Some(pattern)
        });
        *self = Self {
            patterns: Arc::new(patterns),
            from: Arc::clone(rows),
            groups: Arc::new(groups),
        };
    }
}

/// One pattern per signature, in the order of their last rows: the newest row
/// decides, lists are merged newest first, occurrences are at least the executions that saw it.
fn failures(
    rows: &[Arc<FailurePattern>],
    mut fold: impl FnMut(&str, &[&Arc<FailurePattern>]) -> Option<Arc<FailurePattern>>,
) -> Vec<Arc<FailurePattern>> {
    // The rows of a pattern, and where the last of them stands.
    let mut groups: Vec<(usize, &str, Vec<&Arc<FailurePattern>>)> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let key = signature(row);
        match index.get(key).and_then(|&i| groups.get_mut(i)) {
            Some((last, _, group)) if !key.is_empty() => {
                *last = at;
                group.push(row);
            }
            _ => {
                index.insert(key, groups.len());
                groups.push((at, key, vec![row]));
            }
        }
    }
    groups.sort_by_key(|(last, ..)| *last);
    let folded = groups.iter().filter_map(|(_, key, group)| fold(key, group));
    folded.collect()
}

/// One strategy per execution, in the order of their last rows: what was done again is counted in a
/// later row, which stands for the earlier ones.
pub(crate) fn strategies(rows: &Rows<Strategy>) -> Rows<Strategy> {
    let mut seen: HashSet<&str> = HashSet::with_capacity(rows.len());
    let mut newest: Vec<Arc<Strategy>> = Vec::with_capacity(rows.len());
    for row in rows.iter().rev() {
        if row.task_id.is_empty() || seen.insert(&row.task_id) {
            newest.push(Arc::clone(row));
        }
    }
    if newest.len() == rows.len() {
        return Arc::clone(rows);
    }
    newest.reverse();
    Arc::new(newest)
}

fn signature(row: &FailurePattern) -> &str {
    [&row.signature, &row.failure_signature]
        .into_iter()
        .find(|s| !s.is_empty())
        .map_or_else(
            || {
                row.failure_id
                    .strip_prefix("failure::")
                    .unwrap_or(&row.failure_id)
            },
            String::as_str,
        )
}

fn fold(mut group: Vec<&Arc<FailurePattern>>) -> Option<Arc<FailurePattern>> {
    if let [only] = group.as_slice()
        && is_folded(only)
    {
        return Some(Arc::clone(only));
    }
    // Stable: of equal times the later line is the newer one.
    group.sort_by(|a, b| a.timestamp.cmp(&b.timestamp));
    let (newest, older) = group.split_last()?;
    let mut out = FailurePattern::clone(newest);
    if out.signature.is_empty() {
        out.signature = signature(newest).to_owned();
    }
    if out.failure_signature.is_empty() {
        out.failure_signature.clone_from(&out.signature);
    }
    if out.failure_id.is_empty() && !out.signature.is_empty() {
        out.failure_id = format!("failure::{}", out.signature);
    }
    if older.is_empty() {
        out.occurrences = out.occurrences.max(1);
        return Some(Arc::new(out));
    }
    let executions: HashSet<&str> = group.iter().map(|r| r.last_execution_id.as_str()).collect();
    let counted = group.iter().map(|r| r.occurrences).max().unwrap_or(0);
    out.occurrences = counted.max(executions.len() as u64).max(1);
    // Texts of all of them are in it.
    let origins = group.iter().map(|row| row.origin);
    out.origin = origins.fold(Origin::Own, Origin::and);
    out.reopened = group.iter().map(|r| r.reopened).max().unwrap_or(0);
    out.first_seen = group
        .iter()
        .flat_map(|r| [&r.first_seen, &r.timestamp])
        .filter(|t| !t.is_empty())
        .min()
        .cloned()
        .unwrap_or_default();
    for row in older.iter().rev() {
        merge(&mut out.files_involved, &row.files_involved, 8);
        merge(&mut out.related_paths, &row.related_paths, 8);
        merge(&mut out.failed_attempts, &row.failed_attempts, 3);
        merge(&mut out.symptoms, &row.symptoms, 3);
        merge(&mut out.ineffective_commands, &row.ineffective_commands, 5);
        merge(&mut out.error_events, &row.error_events, 5);
        merge(&mut out.toolchains, &row.toolchains, 5);
        merge(&mut out.phases, &row.phases, 5);
        merge(&mut out.error_codes, &row.error_codes, 5);
        merge(&mut out.error_fingerprints, &row.error_fingerprints, 5);
        for (mine, theirs) in [
            (&mut out.error_text, &row.error_text),
            (&mut out.failed_command, &row.failed_command),
            (&mut out.attempted_fix_summary, &row.attempted_fix_summary),
            (&mut out.resolution_hint, &row.resolution_hint),
        ] {
            if mine.is_empty() {
                mine.clone_from(theirs);
            }
        }
        for (key, value) in &row.extra {
            if !out.extra.contains_key(key) {
                out.extra.insert(key.clone(), value.clone());
            }
        }
    }
    Some(Arc::new(out))
}

/// Returns true if a row alone is a pattern as it stands, as all that this program writes are.
fn is_folded(row: &FailurePattern) -> bool {
    let named = [&row.signature, &row.failure_signature, &row.failure_id];
    row.occurrences > 0 && named.iter().all(|name| !name.is_empty())
}

fn merge<T: Clone + PartialEq>(into: &mut Vec<T>, from: &[T], limit: usize) {
    for item in from {
        if into.len() >= limit {
            break;
        }
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// The newest handoff of a repository that has only its history (a fresh clone).
pub(crate) fn handoff_of(row: &HandoffRow) -> Handoff {
    Handoff {
        summary: row.summary.clone(),
        status: row.status.clone(),
        reason: row.reason.clone(),
        task_type: row.task_type.clone(),
        completed: row.completed.clone(),
        next_steps: row.next_steps.clone(),
        blocked: row.blocked.clone(),
        open_items: row.blocked.clone(),
        risks: row.risks.clone(),
        recommended_starting_points: row.recommended_starting_points.clone(),
        updated_at: row.timestamp.clone(),
        source_session: 0,
        source_execution_id: row.execution_id.clone(),
        agent_id: row.agent_id.clone(),
        adapter_id: row.adapter_id.clone(),
        session_id: row.session_id.clone(),
        branch: row.branch.clone(),
        evidence_quality: row.evidence_quality.clone(),
        contract_gaps: Vec::new(),
        git_state: serde_json::Value::Null,
        anchors: Vec::new(),
        origin: row.origin,
        extra: row.extra.clone(),
    }
}

/// The newest handoff with the outcome that the ancestor writes only to the history. What it calls
/// completed counts only when the work was resolved: it puts the summary there on failure, too.
pub(crate) fn with_outcome(handoff: &Arc<Handoff>, rows: &[Arc<HandoffRow>]) -> Arc<Handoff> {
    if !handoff.status.is_empty() || handoff.source_execution_id.is_empty() {
        return Arc::clone(handoff);
    }
    let same = |row: &&Arc<HandoffRow>| row.execution_id == handoff.source_execution_id;
    let Some(row) = rows.iter().rev().find(same) else {
        return Arc::clone(handoff);
    };
    let mut told = Handoff::clone(handoff);
    told.status.clone_from(&row.status);
    told.reason.clone_from(&row.reason);
    told.task_type.clone_from(&row.task_type);
    told.origin = told.origin.and(row.origin);
    if row.status != "resolved" {
        told.completed.clear();
    }
    Arc::new(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_of_an_execution_is_its_strategy() {
        let row = |id: &str, uses| Strategy {
            task_id: id.to_owned(),
            uses,
            ..Strategy::default()
        };
        let rows = [
            row("a", 0),
            row("", 0),
            row("b", 0),
            row("a", 1),
            row("", 2),
        ];
        let folded = strategies(&aictx_proto::snapshot::shared(rows));
        let told: Vec<_> = folded.iter().map(|s| (&*s.task_id, s.uses)).collect();
        assert_eq!(told, [("", 0), ("b", 0), ("a", 1), ("", 2)]);
        assert!(Arc::ptr_eq(&strategies(&folded), &folded));
    }

    #[test]
    fn what_was_folded_before_is_the_same_pattern() {
        let row = |signature: &str, execution: &str| FailurePattern {
            signature: signature.to_owned(),
            last_execution_id: execution.to_owned(),
            ..FailurePattern::default()
        };
        let mut rows = aictx_proto::snapshot::shared([row("a", "1"), row("b", "1"), row("a", "2")]);
        let mut folded = Failures::default();
        folded.update(&rows);
        let counts = |folded: &Failures| -> Vec<(String, u64)> {
            let patterns = folded.patterns.iter();
            patterns
                .map(|p| (p.signature.clone(), p.occurrences))
                .collect()
        };
        assert_eq!(counts(&folded), [("b".into(), 1), ("a".into(), 2)]);
        let a = Arc::clone(&folded.patterns[1]);
        Arc::make_mut(&mut rows).push(Arc::new(row("b", "2")));
        folded.update(&rows);
        assert_eq!(counts(&folded), [("a".into(), 2), ("b".into(), 2)]);
        assert!(Arc::ptr_eq(&folded.patterns[0], &a));
        Arc::make_mut(&mut rows)[0] = Arc::new(row("a", "0"));
        Arc::make_mut(&mut rows).push(Arc::new(row("a", "3")));
        folded.update(&rows);
        assert_eq!(counts(&folded), [("b".into(), 2), ("a".into(), 3)]);
    }

    #[test]
    fn w3_the_outcome_comes_from_the_history_of_the_same_execution() {
        let handoff = Arc::new(Handoff {
            source_execution_id: "e2".into(),
            completed: vec!["tried".into()],
            ..Handoff::default()
        });
        let row = |id: &str, status: &str| HandoffRow {
            execution_id: id.into(),
            status: status.into(),
            ..HandoffRow::default()
        };
        let told = with_outcome(
            &handoff,
            &aictx_proto::snapshot::shared([row("e1", "resolved"), row("e2", "failed")]),
        );
        assert_eq!((told.status.as_str(), told.completed.len()), ("failed", 0));
        let unknown = with_outcome(
            &handoff,
            &aictx_proto::snapshot::shared([row("e1", "resolved")]),
        );
        assert_eq!((unknown.status.as_str(), unknown.completed.len()), ("", 1));
    }
}
