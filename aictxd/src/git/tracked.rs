//! What of memory came with the repository.
//!
//! Contracts and tasks are what sessions on this machine were asked to do. One that git tracks is the word of
//! whoever committed it: nobody's verdict follows from it, neither a milder nor a stricter one, and where it
//! is told, that is said.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::root::find_repository;
use aictx_continuity::{Committed, contract_file, thread_file};
use aictx_proto::record::{ContractIndex, files};
use aictx_proto::snapshot::Snapshot;
use aictx_repomap::discover::{Look, git_index, look_at};

use crate::homes::MEMORY;

/// Repositories that are remembered.
const MAX_ROOTS: usize = 64;

/// What git's index says of memory, by repository, read again when the index changed.
#[derive(Debug, Default)]
pub struct TrackedMemory(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug, Clone)]
struct Known {
    index: PathBuf,
    look: Option<Look>,
    /// Relative to the memory, in lower case: some file systems make no difference.
    files: Arc<BTreeSet<Vec<u8>>>,
}

impl TrackedMemory {
    /// The contracts of the repository at `root` that git does not track. One look at git's index where it
    /// did not change.
    pub fn own(&self, root: &Path, index: &Arc<ContractIndex>) -> Arc<ContractIndex> {
        match index.contracts.is_empty() {
            true => Arc::clone(index),
            false => untracked(&self.files(root), index),
        }
    }

    /// Takes out of a snapshot what a verdict may not follow from. One look at git's index where it did not
    /// change and names nothing of memory.
    pub fn take_from(&self, root: &Path, snapshot: &mut Arc<Snapshot>) {
        let files = self.files(root);
        if files.is_empty() {
            return;
        }
        let own = untracked(&files, &snapshot.contracts);
        if !Arc::ptr_eq(&own, &snapshot.contracts) {
            Arc::make_mut(snapshot).contracts = own;
        }
        let pointed = holds(&files, files::ACTIVE_TASK);
        let is_theirs = |id: &str| holds(&files, &thread_file(id));
        let committed = self.committed(root, snapshot);
        if committed.task || snapshot.threads.iter().any(|t| is_theirs(&t.task_id)) {
            let snapshot = Arc::make_mut(snapshot);
            Arc::make_mut(&mut snapshot.threads).retain(|t| !is_theirs(&t.task_id));
            let active = snapshot.active_task.take();
            snapshot.active_task = active.filter(|t| !pointed && !is_theirs(&t.task_id));
            if pointed || is_theirs(&snapshot.pointer.active_task_id) {
                snapshot.pointer = Arc::default();
            }
        }
        if committed.handoff {
            Arc::make_mut(snapshot).handoff = None;
        }
    }

    /// What of the things that a session is told first is not of this machine's making.
    pub fn committed(&self, root: &Path, snapshot: &Snapshot) -> Committed {
        let files = self.files(root);
        let active = snapshot.active_task.as_ref();
        Committed {
            handoff: holds(&files, files::HANDOFF)
                // A clone has the history alone.
                || holds(&files, files::HANDOFFS) && !root.join(MEMORY).join(files::HANDOFF).exists(),
            task: holds(&files, files::ACTIVE_TASK)
                || active.is_some_and(|task| holds(&files, &thread_file(&task.task_id))),
        }
    }

    fn files(&self, root: &Path) -> Arc<BTreeSet<Vec<u8>>> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all().get(root).cloned();
        if let Some(known) = known
            && look_at(&known.index) == known.look
        {
            return known.files;
        }
        let git = find_repository(root).ok().and_then(|found| found.git_dir);
        // Where there is no repository, one may be made.
        let index = git.unwrap_or_else(|| root.join(".git")).join("index");
        // What is read after a look follows from what was looked at.
        let look = look_at(&index);
        let read = git_index::load(&index);
        let files = Arc::new(read.map_or_else(|_| BTreeSet::new(), |(bytes, _)| tracked(bytes)));
        let known = Known {
            index,
            look,
            files: Arc::clone(&files),
        };
        let mut all = all();
        if all.len() >= MAX_ROOTS {
            all.clear();
        }
        all.insert(root.to_owned(), known);
        files
    }
}

/// The contracts that are not among the files that git tracks.
fn untracked(files: &BTreeSet<Vec<u8>>, index: &Arc<ContractIndex>) -> Arc<ContractIndex> {
    let is_tracked = |id: &str| holds(files, &contract_file(id));
    if files.is_empty() || !index.contracts.iter().any(|c| is_tracked(&c.contract_id)) {
        return Arc::clone(index);
    }
    let mut own = (**index).clone();
    own.contracts.retain(|c| !is_tracked(&c.contract_id));
    if is_tracked(&own.latest_contract_id) {
        let latest = own.contracts.last().map(|c| c.contract_id.clone());
        own.latest_contract_id = latest.unwrap_or_default();
    }
    Arc::new(own)
}

/// Whether a file of the memory is among those that git tracks.
fn holds(files: &BTreeSet<Vec<u8>>, file: &str) -> bool {
    !files.is_empty() && files.contains(file.to_ascii_lowercase().as_bytes())
}

/// Files of the memory among what an index names.
fn tracked(index: Vec<u8>) -> BTreeSet<Vec<u8>> {
    const BELOW: &[u8] = b".aictx/";
    // Most repositories track none, and their index need not be taken apart. Version 4 leaves out what a
    // path shares with the one before.
    let whole = index.get(7).is_some_and(|version| *version < 4);
    let named = || {
        let mut dots = memchr::memchr_iter(b'.', &index);
        dots.any(|at| {
            let name = index.get(at..at + BELOW.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(BELOW))
        })
    };
    if whole && !named() {
        return BTreeSet::new();
    }
    // With the wrong one of both hashes there is nothing that looks like these paths.
    let parsed = [20, 32].map(|hash| git_index::parse(&index, hash));
    parsed
        .into_iter()
        .flat_map(|parsed| parsed.entries)
        .map(|entry| entry.path.to_ascii_lowercase())
        .filter_map(|path| Some(path.strip_prefix(BELOW)?.to_vec()))
        .collect()
}
