//! After an update: few segments, fresh import edges, a cache on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Indexer, Moves, Report};
use crate::index_view::{FileId, View};
use crate::manifest::sort_of;
use crate::segment::{Segment, merge};
use crate::tree::{Place, Row, Tree};

/// Segments of more bytes than this together stay apart.
const MAX_MERGED: usize = 3 << 30;
/// More segments than this are merged.
const MAX_SEGMENTS: usize = 8;
/// A merge takes in the largest segment only when the others have at least this share of its
/// documents, in percent.
const WHOLE_MERGE: usize = 10;

impl Indexer {
    /// `before` is the tree that the update started from.
    pub(super) fn tidy(&self, before: &Tree, report: &mut Report, stop: &AtomicBool) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let tree = self.tree();
        let whole = whole_merge_due(&tree);
        let bytes: usize = tree.segments().iter().map(|s| s.bytes().len()).sum();
        if bytes > MAX_MERGED {
            // Offsets in a segment have 32 bits.
        } else if whole || tree.segments().len() > MAX_SEGMENTS {
            let merged = self.merged(&tree, whole);
            drop(tree);
            self.publish(merged);
            (self.options.release)();
        }
        if self.links_changed(before, report) {
            self.link(stop);
        }
    }

    /// Returns true if the import graph may be another one now. Most edits leave a file's imports alone.
    fn links_changed(&self, before: &Tree, report: &Report) -> bool {
        let now = self.tree.load();
        if !now.graph().is_made() {
            return true;
        }
        if report.parsed + report.reused == 0 && report.removed == 0 {
            return false;
        }
        if !Arc::ptr_eq(before.paths(), now.paths()) {
            return true;
        }
        let rows = before.rows().iter().zip(now.rows()).enumerate();
        let mut changed = rows.filter(|(_, (old, new))| old.id != new.id);
        changed.any(|(file, _)| {
            let file = FileId(file as u32);
            // What imports mean may have changed in a manifest.
            sort_of(now.path(file)).is_some() || !before.import_list(file).eq(now.import_list(file))
        })
    }

    /// Finds out anew who imports whom.
    pub(super) fn link(&self, stop: &AtomicBool) {
        let tree = self.tree();
        if tree.files() == 0 {
            return;
        }
        let manifests = self.manifests(&tree, stop);
        let graph = crate::links::build(&tree, &manifests, stop);
        self.publish(tree.with_graph(Arc::new(graph)));
    }

    /// The same tree in fewer segments: one, or the largest and one for the rest.
    fn merged(&self, tree: &Tree, whole: bool) -> Tree {
        let segments = tree.segments();
        let largest = segments
            .iter()
            .enumerate()
            .max_by_key(|(_, s)| s.docs())
            .map_or(0, |(n, _)| n);
        let live: usize = tree.rows().len();
        // Contents that no file holds are kept for the way back (a branch, a revert) until they
        // outnumber the files.
        let keep_dead = tree.dead_docs() <= live;
        let parts: Vec<usize> = (0..segments.len())
            .filter(|n| whole || *n != largest)
            .collect();
        let part = |n: usize| parts.get(n).copied().unwrap_or(0);
        let keep = |n: usize, doc: u32| {
            keep_dead
                || tree.is_live(Place {
                    segment: part(n) as u32,
                    doc,
                })
        };
        let inputs: Vec<&Segment> = parts
            .iter()
            .filter_map(|n| segments.get(*n).map(Arc::as_ref))
            .collect();
        let bytes = merge(&inputs, self.options.threads > 1, &keep);
        if tree.is_damaged() {
            // Zeros may have been merged; the damage is dropped before the next update.
            return tree.with_graph(Arc::clone(tree.graph()));
        }
        let mut kept = Vec::new();
        let target = if whole {
            0
        } else {
            kept.extend(segments.get(largest).cloned());
            1
        };
        let mut moves: Moves = segments
            .iter()
            .map(|s| vec![None; s.docs() as usize])
            .collect();
        if !whole && let Some(places) = moves.get_mut(largest) {
            for (doc, place) in places.iter_mut().enumerate() {
                *place = Some(Place {
                    segment: 0,
                    doc: doc as u32,
                });
            }
        }
        let mut next = 0;
        for (n, input) in inputs.iter().enumerate() {
            let Some(places) = moves.get_mut(part(n)) else {
                continue;
            };
            for doc in 0..input.docs() {
                if keep(n, doc)
                    && let Some(place) = places.get_mut(doc as usize)
                {
                    *place = Some(Place {
                        segment: target,
                        doc: next,
                    });
                    next += 1;
                }
            }
        }
        let merged = match &self.cache {
            Some(cache) => cache.store(bytes),
            None => Segment::from_bytes(bytes).ok(),
        };
        let Some(merged) = merged else {
            // Cannot be read back: better many segments than none.
            return tree.with_graph(Arc::clone(tree.graph()));
        };
        kept.push(Arc::new(merged));
        Tree::new(
            Arc::clone(tree.paths()),
            moved(tree.rows(), &moves),
            kept,
            Arc::clone(tree.graph()),
        )
    }
}

fn whole_merge_due(tree: &Tree) -> bool {
    let docs = tree.segments().iter().map(|s| s.docs() as usize);
    let (sum, largest) = docs.fold((0, 0), |(sum, most), n| (sum + n, most.max(n)));
    let small = sum - largest;
    tree.segments().len() > 1 && small * 100 > largest * WHOLE_MERGE && small > 64
        || tree.dead_docs() > tree.rows().len() + 64
}

fn moved(rows: &[Row], moves: &Moves) -> Vec<Row> {
    let new_place = |place: Place| {
        moves
            .get(place.segment as usize)?
            .get(place.doc as usize)
            .copied()
            .flatten()
    };
    rows.iter()
        .map(|row| Row {
            place: row.place.and_then(new_place),
            ..*row
        })
        .collect()
}
