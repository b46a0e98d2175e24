//! Which contracts came with the repository.
//!
//! A contract is what a session on this machine was asked to keep to. One that git tracks is the word of
//! whoever committed it: nobody's verdict follows from it, neither a milder nor a stricter one.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::root::find_repository;
use aictx_continuity::contract_file;
use aictx_proto::record::{ContractIndex, files::CONTRACTS_DIR};
use aictx_repomap::discover::{Look, git_index, look_at};

/// Repositories that are remembered.
const MAX_ROOTS: usize = 64;

/// What git's index says of contracts, by repository, read again when the index changed.
#[derive(Debug, Default)]
pub struct TrackedContracts(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug, Clone)]
struct Known {
    index: PathBuf,
    look: Option<Look>,
    /// Relative to the memory, in lower case: some file systems make no difference.
    files: Arc<BTreeSet<Vec<u8>>>,
}

impl TrackedContracts {
    /// The contracts of the repository at `root` that git does not track. One look at git's index where it
    /// did not change.
    pub fn own(&self, root: &Path, index: &Arc<ContractIndex>) -> Arc<ContractIndex> {
        if index.contracts.is_empty() {
            return Arc::clone(index);
        }
        let files = self.files(root);
        let is_tracked = |id: &str| {
            let file = contract_file(id).to_ascii_lowercase();
            files.contains(file.as_bytes())
        };
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
        let files = Arc::new(std::fs::read(&index).map_or_else(|_| BTreeSet::new(), tracked));
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

/// Contracts among what an index names.
fn tracked(index: Vec<u8>) -> BTreeSet<Vec<u8>> {
    // Most repositories track none, and their index need not be taken apart. Version 4 leaves out what a
    // path shares with the one before.
    let named = |text: &[u8]| memchr::memmem::find(&index, text).is_some();
    let whole = index.get(7).is_some_and(|version| *version < 4);
    if whole
        && ![&b"contracts/"[..], b"CONTRACTS/", b"Contracts/"]
            .into_iter()
            .any(named)
    {
        return BTreeSet::new();
    }
    let below = format!(".aictx/{CONTRACTS_DIR}/");
    // With the wrong one of both hashes there is nothing that looks like these paths.
    let parsed = [20, 32].map(|hash| git_index::parse(&index, hash));
    parsed
        .into_iter()
        .flat_map(|parsed| parsed.entries)
        .map(|entry| entry.path.to_ascii_lowercase())
        .filter(|path| path.starts_with(below.as_bytes()))
        .filter_map(|path| Some(path.get(b".aictx/".len()..)?.to_vec()))
        .collect()
}
