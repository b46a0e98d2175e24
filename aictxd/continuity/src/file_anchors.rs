//! Anchors of memory items in files, then and now: an item whose code changed is shown as dirty, with
//! what changed, never silently as fresh.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::path::inside;
use aictx_proto::record::{Anchor, MAX_ANCHOR_SYMBOLS, MAX_ANCHORS, SymbolAnchor};
use aictx_proto::snapshot::Snapshot;

use crate::area_of_paths::derive_area;
use crate::decision_memory;
use crate::failures::{self, FailureQuery, open_failures};
use crate::handoff::ANSWERED;
use crate::strategies::{self, StrategyQuery, best_strategies};

/// Most paths whose present state is asked for.
const MAX_ASKED: usize = 400;
/// Digits of a commit that are written: as many as git shows of one in a repository of any size.
const SHORT_COMMIT: usize = 12;
/// Shortest name that counts as naming a definition; shorter ones are words.
const MIN_NAME: usize = 3;

/// A file as it is now, gathered by whoever has a disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Present {
    /// Git's blob id of its content; empty when there is no such file.
    pub blob: String,
    /// Its definitions, by name, with a hash of their text; empty when they are not known.
    pub definitions: BTreeMap<String, String>,
    /// New path of its content, after a move; empty when not known.
    pub moved_to: String,
}

/// Files as they are now, by path. A path that is not here was not looked at.
pub type Presents = BTreeMap<String, Arc<Present>>;

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

/// Decisions, failures and strategies whose files are looked at because they are the newest, and
/// because a request is about them: a multiple of what is told.
/// Handoffs that are looked through for the last ones of so many branches.
const RECENT_HANDOFFS: usize = 32;
const MAX_BRANCHES: usize = 4;
const NEWEST: (usize, usize, usize) = (40, 24, 12);
const RELEVANT: (usize, usize, usize) = (24, 12, 6);

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

pub(crate) fn is_plain(path: &str) -> bool {
    aictx_proto::RepoPath::parse(path).is_ok_and(|p| !p.is_root()) && !path.starts_with(".aictx/")
}

/// Anchors of an item that speaks of `paths` in `text`: the definitions that the text names are kept
/// by their own hash, so that changes elsewhere in the file do not matter.
pub(crate) fn anchor(
    paths: &[String],
    text: &str,
    presents: &Presents,
    commit: &str,
) -> Vec<Anchor> {
    let words: BTreeSet<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|w| w.len() >= MIN_NAME)
        .collect();
    paths
        .iter()
        .filter_map(|path| Some((path, presents.get(path)?)))
        .filter(|(_, present)| !present.blob.is_empty())
        .take(MAX_ANCHORS)
        .map(|(path, present)| Anchor {
            path: path.clone(),
            blob: present.blob.clone(),
            commit: commit.get(..SHORT_COMMIT).unwrap_or(commit).to_owned(),
            symbols: present
                .definitions
                .iter()
                .filter(|(name, _)| words.contains(name.as_str()))
                .take(MAX_ANCHOR_SYMBOLS)
                .map(|(name, hash)| SymbolAnchor {
                    name: name.clone(),
                    hash: hash.clone(),
                })
                .collect(),
        })
        .collect()
}

/// Describes changes of an item's anchors, at most three; empty for a fresh one. What
/// was not looked at says nothing.
pub(crate) fn dirt(anchors: &[Anchor], presents: &Presents) -> Vec<String> {
    let mut out = Vec::new();
    for anchor in anchors {
        let Some(now) = presents.get(&anchor.path) else {
            continue;
        };
        if now.blob == anchor.blob {
            continue;
        }
        let path = &anchor.path;
        if now.blob.is_empty() && !now.moved_to.is_empty() {
            out.push(format!("{path} is now {}", now.moved_to));
        } else if now.blob.is_empty() {
            // It may be on another branch: nobody removed it for all we know.
            out.push(format!("{path} is not in this checkout"));
        } else if anchor.symbols.is_empty() || now.definitions.is_empty() {
            out.push(format!("{path} changed"));
        } else {
            for symbol in &anchor.symbols {
                match now.definitions.get(&symbol.name) {
                    Some(hash) if *hash == symbol.hash => {}
                    Some(_) => out.push(format!("{} in {path} changed", symbol.name)),
                    None => out.push(format!("{} in {path} is gone", symbol.name)),
                }
            }
        }
    }
    out.truncate(3);
    out
}

/// Paths of an item that are known to be gone.
pub(crate) fn missing<'p>(
    paths: impl IntoIterator<Item = &'p String>,
    presents: &Presents,
) -> Vec<&'p String> {
    paths
        .into_iter()
        .filter(|path| {
            let present = presents.get(*path);
            present.is_some_and(|p| p.blob.is_empty() && p.moved_to.is_empty())
        })
        .collect()
}

/// Returns the present path of a file, following known moves.
pub(crate) fn now_at<'p>(path: &'p str, presents: &'p Presents) -> &'p str {
    match presents.get(path) {
        Some(present) if present.blob.is_empty() && !present.moved_to.is_empty() => {
            &present.moved_to
        }
        _ => path,
    }
}

/// Returns the present path of a file as [`now_at`], if it is in the repository, not our own and not known to be gone.
pub(crate) fn found_at<'p>(path: &'p str, presents: &'p Presents) -> Option<&'p str> {
    let is_there = |path: &&str| inside(path).is_some_and(|path| !path.starts_with(".aictx"));
    match presents.get(path) {
        Some(present) if present.blob.is_empty() => Some(path)
            .filter(|_| !present.moved_to.is_empty())
            .filter(is_there)
            .map(|_| present.moved_to.as_str()),
        _ => Some(path).filter(is_there),
    }
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
    use super::*;
    use aictx_proto::record::FailurePattern;

    fn present(blob: &str, definitions: &[(&str, &str)]) -> Arc<Present> {
        Arc::new(Present {
            blob: blob.into(),
            definitions: definitions
                .iter()
                .map(|(n, h)| ((*n).into(), (*h).into()))
                .collect(),
            ..Present::default()
        })
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

    #[test]
    fn only_what_is_named_makes_an_item_dirty() {
        let paths = ["src/a.rs".to_owned()];
        let then = Presents::from([(
            "src/a.rs".into(),
            present("1", &[("parse", "p"), ("render", "r")]),
        )]);
        let anchors = anchor(&paths, "keep `parse` free of I/O", &then, "c");
        assert_eq!(anchors[0].symbols.len(), 1);
        let at = |blob: &str, defs: &[(&str, &str)]| {
            dirt(
                &anchors,
                &Presents::from([("src/a.rs".into(), present(blob, defs))]),
            )
        };
        assert!(at("1", &[]).is_empty());
        assert!(
            at("2", &[("parse", "p"), ("render", "x")]).is_empty(),
            "changed elsewhere"
        );
        assert_eq!(at("2", &[("parse", "q")]), ["parse in src/a.rs changed"]);
        assert_eq!(at("2", &[("render", "r")]), ["parse in src/a.rs is gone"]);
        assert_eq!(at("", &[]), ["src/a.rs is not in this checkout"]);
        assert!(dirt(&anchors, &Presents::new()).is_empty(), "not looked at");
        let whole = anchor(&paths, "one module", &then, "c");
        assert_eq!(
            dirt(
                &whole,
                &Presents::from([("src/a.rs".into(), present("2", &[]))])
            ),
            ["src/a.rs changed"]
        );
    }

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
}
