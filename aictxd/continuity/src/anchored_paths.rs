//! Paths that memory speaks of, whose present state decides whether it is fresh, and their known contents.

use std::collections::{BTreeMap, HashMap, HashSet};

use aictx_proto::Timestamp;
use aictx_proto::record::Anchor;
use aictx_proto::snapshot::Snapshot;

use crate::area_of_paths::derive_area;
use crate::decision_memory;
use crate::failures::{self, FailureQuery, open_failures};
use crate::file_anchors::is_plain;
use crate::handoff::ANSWERED;
use crate::strategies::{self, StrategyQuery, best_strategies};

/// Most paths whose present state is asked for.
const MAX_ASKED: usize = 400;
/// Handoffs that are looked through for the last ones of so many branches.
const RECENT_HANDOFFS: usize = 32;
const MAX_BRANCHES: usize = 4;
/// Decisions, failures and strategies whose files are looked at because they are the newest, and
/// because a request is about them: a multiple of what is told.
const NEWEST: (usize, usize, usize) = (40, 24, 12);
const RELEVANT: (usize, usize, usize) = (24, 12, 6);

/// Returns the starting points of the last handoffs of recent branches: one of them may be checked
/// out next.
fn starts_of_branches(snapshot: &Snapshot) -> impl Iterator<Item = &String> {
    let mut seen: Vec<&str> = Vec::new();
    let newest = snapshot.handoffs.iter().rev();
    let newest = newest
        .filter(|row| row.status != ANSWERED)
        .take(RECENT_HANDOFFS);
    let last = newest.filter(move |row| {
        let new = seen.len() < MAX_BRANCHES && !seen.contains(&row.branch.as_str());
        if new {
            seen.push(&row.branch);
        }
        new
    });
    last.flat_map(|row| &row.recommended_starting_points)
}

/// Paths whose present state decides whether memory is fresh, and which of them have definitions
/// that matter.
pub fn anchored_paths(snapshot: &Snapshot) -> BTreeMap<String, bool> {
    // Most files are named again and again.
    let mut paths: BTreeMap<&str, bool> = BTreeMap::new();
    let decisions = snapshot
        .decisions
        .iter()
        .rev()
        .map(|d| (&d.anchors, &d.related_paths));
    let failures = snapshot
        .failures
        .iter()
        .rev()
        .map(|f| (&f.anchors, &f.related_paths));
    let strategies = snapshot
        .strategies
        .iter()
        .rev()
        .map(|s| (&s.anchors, &s.entry_points));
    let last = snapshot.handoff.iter();
    let last = last.flat_map(|h| &h.recommended_starting_points);
    for path in last.chain(starts_of_branches(snapshot)) {
        paths.entry(path).or_insert(false);
    }
    for (anchors, related) in decisions
        .take(NEWEST.0)
        .chain(failures.take(NEWEST.1))
        .chain(strategies.take(NEWEST.2))
    {
        for anchor in anchors {
            *paths.entry(&anchor.path).or_insert(false) |= !anchor.symbols.is_empty();
        }
        for path in related {
            paths.entry(path).or_insert(false);
        }
        if paths.len() >= MAX_ASKED {
            break;
        }
    }
    let plain = paths.into_iter().filter(|(path, _)| is_plain(path));
    plain
        .map(|(path, definitions)| (path.to_owned(), definitions))
        .collect()
}

/// The same for what a request, and the files (relative) that it is likely about, bring up of the rest of memory,
/// however old it is.
pub fn relevant_paths<'s>(
    snapshot: &'s Snapshot,
    request: &str,
    files: &[String],
    now: Timestamp,
) -> BTreeMap<String, bool> {
    let mut named: Vec<(&str, bool)> = Vec::new();
    let mut add = |anchors: &'s [Anchor], related: &'s [String]| {
        let anchored = anchors.iter();
        named.extend(anchored.map(|anchor| (anchor.path.as_str(), !anchor.symbols.is_empty())));
        named.extend(related.iter().map(|path| (path.as_str(), false)));
    };
    for decision in decision_memory::about(&snapshot.decisions, request, RELEVANT.0) {
        add(&decision.anchors, &decision.related_paths);
    }
    let query = FailureQuery {
        task: request,
        paths: files,
        ..FailureQuery::default()
    };
    for (_, failure) in open_failures(&snapshot.failures, &query, now, RELEVANT.1) {
        add(&failure.anchors, &failure.related_paths);
    }
    let area = derive_area(files.iter().map(String::as_str));
    let query = StrategyQuery {
        request,
        files,
        area: &area,
        ..StrategyQuery::default()
    };
    for strategy in best_strategies(&snapshot.strategies, &query, now).take(RELEVANT.2) {
        add(&strategy.anchors, &strategy.files_used);
    }
    // Most files are named again and again; whoever wants one's definitions comes first.
    named.sort_unstable_by(|(a, some), (b, others)| a.cmp(b).then(others.cmp(some)));
    named.dedup_by_key(|(path, _)| *path);
    let plain = named.into_iter().filter(|(path, _)| is_plain(path));
    plain
        .map(|(path, definitions)| (path.to_owned(), definitions))
        .collect()
}

/// Contents of one path that are remembered.
const MAX_CONTENTS: usize = 8;

/// Contents that memory knows of some paths.
#[derive(Debug, Default)]
pub struct Contents(HashMap<String, Vec<String>>);

impl Contents {
    /// Those of the `wanted` paths: looks at the rows of memory that speak of one of them alone.
    pub fn of(snapshot: &Snapshot, wanted: &HashSet<String>) -> Self {
        let contents = |path: &String| {
            let decisions = decision_memory::anchored_to(&snapshot.decisions, path);
            let strategies = strategies::anchored_to(&snapshot.strategies, path);
            let failures = failures::anchored_to(&snapshot.failures, path);
            let anchors = (decisions.into_iter().map(|d| &d.anchors))
                .chain(strategies.into_iter().map(|s| &s.anchors))
                .chain(failures.into_iter().map(|f| &f.anchors))
                .flatten();
            let mut known: Vec<String> = Vec::new();
            for anchor in anchors.filter(|anchor| anchor.path == *path) {
                if known.len() >= MAX_CONTENTS {
                    break;
                }
                if !anchor.blob.is_empty() && !known.contains(&anchor.blob) {
                    known.push(anchor.blob.clone());
                }
            }
            (!known.is_empty()).then(|| (path.clone(), known))
        };
        Self(wanted.iter().filter_map(contents).collect())
    }

    /// Those of one path, the newest first.
    pub fn of_path(&self, path: &str) -> &[String] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aictx_proto::record::FailurePattern;

    use super::*;

    #[test]
    fn what_a_request_brings_up_is_looked_at_however_old_it_is() {
        let failures = (0..200).map(|at| FailurePattern {
            signature: format!("s{at}"),
            error_text: match at {
                3 => "KeyError: session_token missing in cache".into(),
                _ => format!("boom {at}"),
            },
            related_paths: vec![format!("src/f{at}.py"), "../outside".into()],
            status: "open".into(),
            ..FailurePattern::default()
        });
        let snapshot = Snapshot {
            failures: aictx_proto::snapshot::shared(failures),
            ..Snapshot::default()
        };
        let newest = anchored_paths(&snapshot);
        assert!(newest.contains_key("src/f199.py") && !newest.contains_key("src/f3.py"));
        let request = "the session token is missing from the cache";
        let found = relevant_paths(&snapshot, request, &[], Timestamp::from_unix(0));
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["src/f3.py"]);
    }

    #[test]
    fn contents_of_a_path_are_known_once_each_the_newest_first() {
        let pattern = |blobs: &[(&str, &str)]| {
            let anchors = blobs.iter().map(|(path, blob)| Anchor {
                path: (*path).into(),
                blob: (*blob).into(),
                ..Anchor::default()
            });
            Arc::new(FailurePattern {
                anchors: anchors.collect(),
                ..FailurePattern::default()
            })
        };
        let failures = vec![
            pattern(&[("a.rs", "1"), ("never.rs", "")]),
            pattern(&[("a.rs", "2")]),
            pattern(&[("a.rs", "1"), ("b.rs", "3")]),
        ];
        let snapshot = Snapshot {
            failures: Arc::new(failures),
            ..Snapshot::default()
        };
        let wanted = ["a.rs", "never.rs", "b.rs"].map(str::to_owned);
        let contents = Contents::of(&snapshot, &HashSet::from(wanted));
        assert_eq!(contents.of_path("a.rs"), ["1", "2"]);
        assert_eq!(contents.of_path("b.rs"), ["3"]);
        assert!(contents.of_path("never.rs").is_empty());
        let none = Contents::of(&snapshot, &HashSet::new());
        assert!(none.of_path("a.rs").is_empty());
    }
}
