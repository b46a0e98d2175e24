//! The files that memory speaks of: how they are, and where they went.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Instant;

use aictx_continuity::{Contents, Present, Presents, anchored_paths};
use aictx_proto::record::{Decision, FailurePattern, Handoff, Strategy};
use aictx_proto::snapshot::Snapshot;

use super::stamp::Stamp;
use super::stat_cache::Version;
use super::{Facts, MAX_REMEMBERED, MAX_WORKTREES};
use crate::app::App;
use crate::hosts::Place;

/// The files that memory spoke of when it was asked about last.
#[derive(Debug, Clone)]
pub(super) struct Anchored {
    sources: Sources,
    seen: Seen,
}

/// Files as they were seen.
#[derive(Debug, Clone)]
struct Seen {
    wanted: Arc<BTreeMap<String, bool>>,
    /// Of each of the files.
    stamps: Arc<Vec<Option<Stamp>>>,
    /// The state that they are of, where that can be told from others.
    version: Option<Version>,
    /// All of them, and no others.
    presents: Arc<Presents>,
}

/// Sources of the list of files, held weakly.
#[derive(Debug, Clone)]
struct Sources {
    decisions: Weak<Vec<Arc<Decision>>>,
    failures: Weak<Vec<Arc<FailurePattern>>>,
    strategies: Weak<Vec<Arc<Strategy>>>,
    handoff: Option<Weak<Handoff>>,
}

impl Sources {
    fn of(snapshot: &Snapshot) -> Self {
        Self {
            decisions: Arc::downgrade(&snapshot.decisions),
            failures: Arc::downgrade(&snapshot.failures),
            strategies: Arc::downgrade(&snapshot.strategies),
            handoff: snapshot.handoff.as_ref().map(Arc::downgrade),
        }
    }

    fn are_of(&self, snapshot: &Snapshot) -> bool {
        fn same<T>(known: &Weak<T>, now: &Arc<T>) -> bool {
            std::ptr::eq(known.as_ptr(), Arc::as_ptr(now))
        }
        same(&self.decisions, &snapshot.decisions)
            && same(&self.failures, &snapshot.failures)
            && same(&self.strategies, &snapshot.strategies)
            && match (&self.handoff, &snapshot.handoff) {
                (Some(known), Some(now)) => same(known, now),
                (known, now) => known.is_none() && now.is_none(),
            }
    }
}

/// Content of files, as memory knows it.
#[derive(Debug)]
pub(super) struct Held {
    sources: Sources,
    /// Of which files that is.
    asked: HashSet<String>,
    contents: Arc<Contents>,
}

/// The files that are not there and of which it is not known where they went.
pub(super) fn gone(presents: &Presents) -> Vec<&String> {
    let is_gone = |present: &Present| present.blob.is_empty() && present.moved_to.is_empty();
    let gone = presents.iter().filter(|(_, present)| is_gone(present));
    gone.map(|(path, _)| path).collect()
}

impl Facts {
    /// As [`Self::presents`], of the files that memory speaks of. Which they are is worked out anew
    /// when memory changed, and what is known of them is put together anew when one of them did.
    pub(super) fn anchored(
        &self,
        worktree: &Path,
        snapshot: &Snapshot,
        asked_at: Instant,
    ) -> Arc<Presents> {
        let known = {
            let all = self.anchored.lock().unwrap_or_else(PoisonError::into_inner);
            all.get(worktree).cloned()
        };
        let before = known.as_ref().map(|known| &known.seen);
        let remembered = known.as_ref().filter(|k| k.sources.are_of(snapshot));
        // No file changed since, where that is known.
        let still = before.filter(|before| {
            let now = || self.looks.version(worktree, asked_at);
            before.version.is_some() && before.version == now()
        });
        if let (Some(known), Some(_)) = (remembered, still) {
            return Arc::clone(&known.seen.presents);
        }
        let wanted = match remembered {
            Some(known) => Arc::clone(&known.seen.wanted),
            None => Arc::new(anchored_paths(snapshot)),
        };
        let seen = match still {
            Some(before) => self.look_at_new(worktree, before, wanted, asked_at),
            None => self.look_at_all(worktree, before, wanted, asked_at),
        };
        let presents = Arc::clone(&seen.presents);
        let sources = Sources::of(snapshot);
        let mut all = self.anchored.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_WORKTREES && !all.contains_key(worktree) {
            all.clear();
        }
        all.insert(worktree.to_owned(), Anchored { sources, seen });
        presents
    }

    /// Looks at all of the `wanted` files.
    fn look_at_all(
        &self,
        worktree: &Path,
        before: Option<&Seen>,
        wanted: Arc<BTreeMap<String, bool>>,
        asked_at: Instant,
    ) -> Seen {
        let (stamps, version) = self.looks.look(worktree, wanted.keys(), asked_at);
        let same = before.filter(|b| Arc::ptr_eq(&b.wanted, &wanted) && *b.stamps == stamps);
        let presents = match same {
            Some(before) => Arc::clone(&before.presents),
            None => Arc::new(self.presents_at(worktree, &wanted, &stamps)),
        };
        Seen {
            wanted,
            stamps: Arc::new(stamps),
            version,
            presents,
        }
    }

    /// Looks at those of the `wanted` files that were not seen `before`, since when no file changed.
    fn look_at_new(
        &self,
        worktree: &Path,
        before: &Seen,
        wanted: Arc<BTreeMap<String, bool>>,
        asked_at: Instant,
    ) -> Seen {
        if wanted == before.wanted {
            return Seen {
                wanted,
                ..before.clone()
            };
        }
        let seen = before.wanted.iter().zip(before.stamps.iter());
        let mut seen = seen.zip(before.presents.values()).peekable();
        let mut find = |path: &String, definitions: bool| {
            while seen.next_if(|(((known, _), _), _)| *known < path).is_some() {}
            let ((_, stamp), present) =
                seen.next_if(|(((known, all), _), _)| *known == path && (**all || !definitions))?;
            Some((*stamp, Arc::clone(present)))
        };
        let known: Vec<_> = wanted.iter().map(|(p, d)| find(p, *d)).collect();
        let new = wanted
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none());
        let new: BTreeMap<String, bool> = new.map(|((p, d), _)| (p.clone(), *d)).collect();
        let (stamps, now) = match new.is_empty() {
            true => (Vec::new(), before.version),
            false => self.looks.look(worktree, new.keys(), asked_at),
        };
        let looked = self.presents_at(worktree, &new, &stamps);
        let mut looked = stamps.into_iter().zip(looked.into_values());
        let all = wanted.keys().zip(known);
        let all = all.filter_map(|(p, known)| Some((p.clone(), known.or_else(|| looked.next())?)));
        let all: BTreeMap<String, _> = all.collect();
        Seen {
            stamps: Arc::new(all.values().map(|(stamp, _)| *stamp).collect()),
            presents: Arc::new(
                all.into_iter()
                    .map(|(p, (_, present))| (p, present))
                    .collect(),
            ),
            version: before.version.filter(|before| now == Some(*before)),
            wanted,
        }
    }

    /// Returns the known content of files that are `gone`. Computed anew when memory changed, or another one
    /// is gone.
    pub(super) fn contents(
        &self,
        worktree: &Path,
        snapshot: &Snapshot,
        gone: &[&String],
    ) -> Arc<Contents> {
        let all = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = HashSet::new();
        if let Some(held) = all().get(worktree)
            && held.sources.are_of(snapshot)
        {
            if gone.iter().all(|path| held.asked.contains(*path)) {
                return Arc::clone(&held.contents);
            }
            // Of the same memory several requests ask for other files.
            if held.asked.len() < MAX_REMEMBERED {
                wanted.clone_from(&held.asked);
            }
        }
        wanted.extend(gone.iter().map(|path| (*path).clone()));
        let contents = Arc::new(Contents::of(snapshot, &wanted));
        let held = Held {
            sources: Sources::of(snapshot),
            asked: wanted,
            contents: Arc::clone(&contents),
        };
        let mut all = all();
        if all.len() >= MAX_WORKTREES && !all.contains_key(worktree) {
            all.clear();
        }
        all.insert(worktree.to_owned(), held);
        contents
    }
}

/// Files of which one that moved is looked for.
const MAX_MOVED: usize = 16;

/// Says of files that memory speaks of and that are gone where their content is now.
pub(super) fn follow_moves(
    app: &App,
    place: &Place,
    snapshot: &Snapshot,
    presents: &mut Arc<Presents>,
) {
    let gone = gone(presents);
    if gone.is_empty() {
        return;
    }
    let contents = app.facts.contents(&place.worktree, snapshot, &gone);
    // Of what was never there, nothing is known that could be elsewhere.
    let gone = gone.into_iter();
    let gone = gone.filter(|path| !contents.of_path(path).is_empty());
    let gone: Vec<String> = gone.take(MAX_MOVED).cloned().collect();
    if gone.is_empty() {
        return;
    }
    let Some(tree) = app.maps.complete_tree(&place.worktree) else {
        return;
    };
    for path in gone {
        // What the map knows may be older than the worktree.
        let blobs = contents.of_path(&path).iter();
        let others = blobs.flat_map(|blob| tree.others_with(&path, blob));
        let mut others = others.take(MAX_MOVED);
        let Some(other) = others.find(|other| place.worktree.join(other).exists()) else {
            continue;
        };
        let presents = Arc::make_mut(presents);
        if let Some(present) = presents.get_mut(&path) {
            other.clone_into(&mut Arc::make_mut(present).moved_to);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
