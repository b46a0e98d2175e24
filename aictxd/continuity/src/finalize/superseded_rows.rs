//! Histories of failures and strategies in which newer rows supersede older ones.

use std::sync::Arc;

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{FailurePattern, Strategy, files};
use aictx_proto::snapshot::Snapshot;
use serde_json::Value;

use crate::failures;
use crate::record_json::row_value;
use crate::strategies::{self, StrategyChange};

/// Up to so many failure patterns or strategies are written anew each time: a row for each.
const FEW: usize = 16;
/// With more of them, rows that newer ones have superseded stay until they are this share of the rest:
/// then each row costs the writing of four others.
const SUPERSEDED_SHARE: usize = 4;

/// The file has a row for each pattern. Where there are many, what changed goes behind what is there (a
/// reader takes the newest row of a pattern), and all rows are written anew only when enough of them are
/// superseded, or a pattern had to go.
pub(super) fn failure_rows(
    there: u64,
    patterns: &[Arc<FailurePattern>],
    change: &failures::Change,
) -> Effect {
    let file = files::FAILURE_PATTERNS.to_owned();
    let order = KeyOrder::Sorted;
    let there = usize::try_from(there).unwrap_or(usize::MAX);
    let after = there.saturating_add(change.changed.len());
    let few = patterns.len() <= FEW;
    if few || !change.evicted.is_empty() || is_crowded(after, patterns.len()) {
        let rows = patterns.iter().map(|p| row_value(&**p)).collect();
        return Effect::ReplaceRows { file, rows, order };
    }
    let changed = patterns
        .iter()
        .filter(|p| change.changed.contains(&p.signature));
    let rows = changed.map(|p| row_value(&**p)).collect();
    Effect::AppendRows { file, rows, order }
}

/// Returns true if too many of a file's rows are superseded for one more to go behind them.
fn is_crowded(rows: usize, current: usize) -> bool {
    let superseded = rows.saturating_sub(current);
    let may_be = if current <= FEW {
        0
    } else {
        current / SUPERSEDED_SHARE
    };
    superseded > may_be
}

/// A new row goes behind what is there; so does a renewed one where there are many (a reader takes the
/// last row of an execution), and all are written anew only when enough of them are superseded, or
/// some have to go.
pub(super) fn strategy_effects(
    strategy: &StrategyChange,
    snapshot: &Snapshot,
    effects: &mut Effects,
) {
    let append = |file: &str, rows: Vec<Value>| Effect::AppendRows {
        file: file.to_owned(),
        rows,
        order: KeyOrder::Sorted,
    };
    let (StrategyChange::Append(row) | StrategyChange::Renew(row)) = strategy else {
        return;
    };
    let is_other = |known: &&Arc<Strategy>| known.task_id != row.task_id;
    let others = snapshot.strategies.iter().filter(is_other);
    let after = others.clone().count() + 1;
    let there = usize::try_from(snapshot.strategy_rows).unwrap_or(usize::MAX);
    if after <= strategies::MAX_ROWS && !is_crowded(there.saturating_add(1), after) {
        effects.push(append(files::STRATEGIES, vec![row_value(&**row)]));
        return;
    }
    let mut all: Vec<Arc<Strategy>> = others.cloned().collect();
    all.push(Arc::new(Strategy::clone(row)));
    let gone = strategies::overflow(&mut all);
    if !gone.is_empty() {
        let rows = gone.iter().map(|row| row_value(&**row)).collect();
        effects.push(append("archive/strategy_memory/evicted.jsonl", rows));
    }
    effects.push(Effect::ReplaceRows {
        file: files::STRATEGIES.to_owned(),
        rows: all.iter().map(|row| row_value(&**row)).collect(),
        order: KeyOrder::Sorted,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::snapshot::shared;

    #[test]
    fn failure_rows_are_appended_where_there_are_many_and_rewritten_in_time() {
        let patterns = |n: usize| {
            shared((0..n).map(|i| FailurePattern {
                signature: format!("s{i}"),
                ..FailurePattern::default()
            }))
        };
        let change = |evicted: usize| failures::Change {
            changed: ["s1".to_owned()].into(),
            evicted: patterns(evicted).to_vec(),
            ..failures::Change::default()
        };
        let rows = |there: usize, n: usize, evicted: usize| match failure_rows(
            there as u64,
            &patterns(n),
            &change(evicted),
        ) {
            Effect::AppendRows { rows, .. } => ("append", rows.len()),
            Effect::ReplaceRows { rows, .. } => ("replace", rows.len()),
            _ => ("", 0),
        };
        assert_eq!(rows(2, 2, 0), ("replace", 2), "a row for each");
        assert_eq!(rows(100, 100, 0), ("append", 1));
        assert_eq!(rows(124, 100, 0), ("append", 1));
        assert_eq!(rows(125, 100, 0), ("replace", 100), "enough superseded");
        assert_eq!(rows(100, 100, 1), ("replace", 100), "one had to go");
    }

    #[test]
    fn a_renewed_strategy_is_appended_where_there_are_many_and_rewritten_in_time() {
        let strategy = |id: String| Strategy {
            task_id: id,
            success: true,
            ..Strategy::default()
        };
        let written = |rows: usize, strategies: usize, change: StrategyChange| {
            let snapshot = Snapshot {
                strategies: shared((0..strategies).map(|n| strategy(format!("s{n}")))),
                strategy_rows: rows as u64,
                ..Snapshot::default()
            };
            let mut effects = Effects::new();
            strategy_effects(&change, &snapshot, &mut effects);
            let count = |effect: &Effect| match effect {
                Effect::AppendRows { file, rows, .. } => (format!("append {file}"), rows.len()),
                Effect::ReplaceRows { rows, .. } => ("replace".to_owned(), rows.len()),
                _ => (String::new(), 0),
            };
            effects.iter().map(count).collect::<Vec<_>>()
        };
        let append = |n| (format!("append {}", files::STRATEGIES), n);
        let replace = |n| ("replace".to_owned(), n);
        let new = || StrategyChange::Append(Box::new(strategy("new".to_owned())));
        let again = || StrategyChange::Renew(Box::new(strategy("s1".to_owned())));
        assert_eq!(written(3, 3, new()), [append(1)]);
        assert_eq!(written(3, 3, again()), [replace(3)], "a row for each");
        assert_eq!(written(100, 100, again()), [append(1)]);
        assert_eq!(written(124, 100, again()), [append(1)]);
        assert_eq!(written(125, 100, again()), [replace(100)]);
        let most = strategies::MAX_ROWS;
        let kept = strategies::MAX_STRATEGIES;
        let evicted = "append archive/strategy_memory/evicted.jsonl".to_owned();
        assert_eq!(
            written(most, most, new()),
            [(evicted, most + 1 - kept), replace(kept)]
        );
        assert_eq!(written(0, 0, StrategyChange::None), []);
    }
}
