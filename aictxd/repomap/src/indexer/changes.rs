//! Bringing the index up to a batch of changed paths.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{Indexer, Plan, Report, Waiting, finish_plan, row_for};
use crate::discover::{Found, Stamp, would_list};
use crate::index_view::FileId;
use crate::tree::{Paths, Row, Tree};

/// Larger batches are cheaper to reconcile as a whole.
const MAX_BATCH: usize = 2_000;
/// More new paths than this are told from ignored ones by a walk of the whole tree.
const MAX_NEW: usize = 32;
/// Files whose change may change which files belong to the tree.
const RULES: [&str; 4] = [".gitignore", ".ignore", ".aictxignore", ".gitmodules"];

impl Indexer {
    /// Takes in changed paths, relative to the root. Falls back to [`Indexer::reconcile`] when a
    /// directory or an ignore file is among them, or when there are very many.
    pub fn changed(&self, paths: &[Vec<u8>], stop: &AtomicBool) -> Report {
        let started = Instant::now();
        let one = self
            .updating
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let base = self.tree();
        let Some(plan) = self.plan_changes(&base, paths) else {
            drop(one);
            return self.reconcile(stop);
        };
        let mut report = self.carry_out(&base, plan, stop);
        report.took = started.elapsed();
        report
    }

    /// Nothing when the whole tree must be looked at.
    fn plan_changes(&self, base: &Tree, paths: &[Vec<u8>]) -> Option<Plan> {
        if paths.len() > MAX_BATCH || base.rows().is_empty() {
            return None;
        }
        let mut found: BTreeMap<&[u8], Option<Found>> = BTreeMap::new();
        let mut new = 0;
        for path in paths {
            let relative = Path::new(OsStr::from_bytes(path));
            let name = relative.file_name().unwrap_or_default();
            if RULES.iter().any(|rule| OsStr::new(rule) == name) {
                return None;
            }
            let known = base.paths().find(path).is_some();
            match std::fs::symlink_metadata(self.root.join(relative)) {
                Ok(meta) if meta.is_file() => {
                    if !known {
                        new += 1;
                        if new > MAX_NEW {
                            return None;
                        }
                        if !would_list(&self.root, relative, &|d| base.paths().any_below(d)) {
                            continue;
                        }
                    }
                    let file = Found {
                        path: path.clone(),
                        stamp: Stamp::of(&meta),
                        id: None,
                    };
                    found.insert(path, Some(file));
                }
                Ok(meta) if meta.is_dir() => return None,
                _ if known => {
                    found.insert(path, None);
                }
                // A directory that is gone takes its files along.
                _ if base.paths().any_below(path) => return None,
                _ => {}
            }
        }
        Some(apply(base, &found))
    }
}

/// The plan for files that look like `found` now; `None` is a file that is gone.
pub(super) fn apply(base: &Tree, found: &BTreeMap<&[u8], Option<Found>>) -> Plan {
    let mut rows: Vec<Row> = Vec::with_capacity(base.rows().len() + found.len());
    let mut paths: Vec<&[u8]> = Vec::with_capacity(rows.capacity());
    let mut waiting = Vec::new();
    let (mut removed, mut changed, mut same_paths) = (0, false, true);
    let mut take = |rows: &mut Vec<Row>, file: &Found, before: Option<&Row>| {
        let (row, _) = row_for(base, file, before);
        if row.place.is_none() {
            waiting.push(Waiting {
                file: FileId(rows.len() as u32),
                id: None,
            });
        }
        rows.push(row);
    };
    let mut news = found.iter().peekable();
    for (path, row) in base.paths().iter().zip(base.rows()) {
        while let Some((new, file)) = news.next_if(|(new, _)| **new < path) {
            if let Some(file) = file {
                (same_paths, changed) = (false, true);
                paths.push(new);
                take(&mut rows, file, None);
            }
        }
        match news.next_if(|(new, _)| **new == path) {
            None => {
                paths.push(path);
                rows.push(*row);
            }
            Some((_, Some(file))) => {
                paths.push(path);
                take(&mut rows, file, Some(row));
                changed |= rows.last() != Some(row);
            }
            Some((_, None)) => {
                (same_paths, changed) = (false, true);
                removed += 1;
            }
        }
    }
    for (new, file) in news {
        if let Some(file) = file {
            (same_paths, changed) = (false, true);
            paths.push(new);
            take(&mut rows, file, None);
        }
    }
    let paths = if same_paths {
        Arc::clone(base.paths())
    } else {
        Arc::new(Paths::new(paths.into_iter()))
    };
    finish_plan(base, paths, rows, waiting, (removed, 0, changed))
}
