//! Anchors of memory items in files, then and now: an item whose code changed is shown as dirty, with
//! what changed, never silently as fresh.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aictx_proto::path::inside;
use aictx_proto::record::{Anchor, MAX_ANCHOR_SYMBOLS, MAX_ANCHORS, SymbolAnchor};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
