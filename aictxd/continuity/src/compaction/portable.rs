//! `aictx portability compact`: what two sides of a merge have both
//! written, and what is too old to travel.

use std::collections::{BTreeSet, HashSet};

use aictx_proto::record::{Decision, files};
use serde::Deserialize;
use serde_json::Value;

use super::{Fate, is_pinned, newest_first, text};
use crate::ids::decision_id;

/// Newest rows of a history that travel.
const MOST: usize = 500;
const MOST_HANDOFFS: usize = 200;

/// Returns the fate of each row of a shared history: of equal rows the first stays, and of
/// the others the newest; so does what is pinned, an open failure, a decision in force.
pub fn portable_fates(file: &str, rows: &[Value]) -> Vec<Fate> {
    let most = if file == files::HANDOFFS {
        MOST_HANDOFFS
    } else {
        MOST
    };
    let replaced: BTreeSet<String> = if file == files::DECISIONS {
        rows.iter().flat_map(|row| record(row).supersedes).collect()
    } else {
        BTreeSet::new()
    };
    let is_needed = |row: &Value| match file {
        _ if is_pinned(row) => true,
        // What has no state is open.
        files::FAILURE_PATTERNS => text(row, "status") != "resolved",
        files::DECISIONS => !replaced.contains(&decision_id(&record(row))),
        _ => false,
    };
    let mut seen = HashSet::new();
    let mut fates: Vec<Fate> = rows
        .iter()
        .map(|row| {
            if seen.insert(row.to_string()) {
                Fate::Keep
            } else {
                Fate::Duplicate
            }
        })
        .collect();
    let single = newest_first(rows)
        .into_iter()
        .filter(|at| fates.get(*at) == Some(&Fate::Keep));
    let old: Vec<usize> = single.skip(most).collect();
    for at in old {
        if let (Some(row), Some(fate)) = (rows.get(at), fates.get_mut(at))
            && !is_needed(row)
        {
            *fate = Fate::Archive;
        }
    }
    fates
}

fn record(row: &Value) -> Decision {
    Decision::deserialize(row).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn kept(file: &str, rows: &[Value]) -> usize {
        let fates = portable_fates(file, rows);
        fates.iter().filter(|fate| **fate == Fate::Keep).count()
    }

    #[test]
    fn what_is_open_or_pinned_or_in_force_stays_however_old() {
        let row = |n: usize, status: &str| json!({ "signature": n, "status": status, "timestamp": "2026-01-01T00:00:00Z" });
        let mut rows: Vec<Value> = (0..600).map(|n| row(n, "resolved")).collect();
        assert_eq!(kept(files::FAILURE_PATTERNS, &rows), MOST);
        assert_eq!(kept(files::HANDOFFS, &rows), MOST_HANDOFFS);
        let fates = portable_fates(files::FAILURE_PATTERNS, &rows);
        assert!(
            fates.iter().take(100).all(|fate| *fate == Fate::Archive),
            "oldest first"
        );
        rows[0] = row(0, "open");
        rows[1] = json!({ "signature": 1, "status": "resolved", "pinned": true });
        assert_eq!(kept(files::FAILURE_PATTERNS, &rows), MOST + 2);
        let decisions: Vec<Value> = (0..600)
            .map(|n| json!({ "decision": n.to_string() }))
            .collect();
        assert_eq!(kept(files::DECISIONS, &decisions), 600);
    }

    #[test]
    fn of_equal_rows_the_first_stays() {
        let rows = [json!({"a": 1}), json!({"a": 2}), json!({"a": 1})];
        let fates = portable_fates(files::STRATEGIES, &rows);
        assert_eq!(fates, [Fate::Keep, Fate::Keep, Fate::Duplicate]);
    }

    proptest! {
        #[test]
        fn twice_is_once(numbers in prop::collection::vec(0..40_u8, 0..300)) {
            let rows: Vec<Value> = numbers.iter().map(|n| json!({"n": n})).collect();
            let fates = portable_fates(files::HANDOFFS, &rows);
            let left = rows.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Keep);
            let left: Vec<Value> = left.map(|(row, _)| row.clone()).collect();
            prop_assert_eq!(kept(files::HANDOFFS, &left), left.len());
        }
    }
}
