//! Which files of a memory are this user's, and which came with the repository.
//!
//! - Recovery state and ledgers carry a tag under the [user's key](UserKey): without it they are
//!   never carried out, read or added to.
//! - Of other files, what git tracks came with the repository. Kinds that a repository may share
//!   ([`files::is_shared`]) are read with that origin. All others belong to one machine, also those whose
//!   records [travel](files::travels): where git
//!   tracks a file of that name, or something of the repository lies in its way, this machine's own
//!   lies below a directory whose name nobody can predict ([`Names`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aictx_files::key::UserKey;
use aictx_proto::record::files;
use aictx_proto::snapshot::ReadIssue;
use aictx_proto::text::hex;

/// Most tracked files of one memory that are told apart; with more, all of it counts as tracked.
pub const MAX_TRACKED: usize = 50_000;

/// Files of a memory that git tracks, by name in lower case (some file systems make no difference).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracked {
    /// True for a regular file, false for a link or a submodule.
    files: BTreeMap<String, bool>,
    /// Git's answer is not known, so that no file counts as this machine's.
    all: bool,
}

impl Tracked {
    /// Of files relative to the memory, each with whether it is a regular one.
    pub fn new(tracked: impl IntoIterator<Item = (String, bool)>) -> Self {
        let tracked = tracked.into_iter().take(MAX_TRACKED + 1);
        let files: BTreeMap<String, bool> = tracked
            .map(|(name, is_regular)| (name.to_ascii_lowercase(), is_regular))
            .collect();
        Self {
            all: files.len() > MAX_TRACKED,
            files,
        }
    }

    /// For when git's answer is not known.
    pub fn unknown() -> Self {
        Self {
            all: true,
            ..Self::default()
        }
    }

    /// Returns true if git tracks nothing of the memory.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.all
    }

    /// Returns true if git tracks a file.
    pub fn holds(&self, file: &str) -> bool {
        self.all || !self.files.is_empty() && self.files.contains_key(&file.to_ascii_lowercase())
    }

    /// Returns true if something that git tracks lies in the place of a directory or of one above it.
    fn blocks_directory(&self, directory: &str) -> bool {
        let directory = directory.to_ascii_lowercase();
        let above = directory.match_indices('/').map(|(at, _)| at);
        above
            .chain([directory.len()])
            .filter_map(|end| directory.get(..end))
            .any(|name| self.files.contains_key(name))
    }

    /// Returns true if git tracks something else than a regular file in the place of a file.
    fn blocks(&self, file: &str) -> bool {
        let name = file.to_ascii_lowercase();
        let is_regular = self.files.get(&name).copied().unwrap_or(true);
        !is_regular || self.blocks_directory(parent(file)) || self.has_below(&name)
    }

    /// Returns true if git tracks a file below a directory (in lower case).
    fn has_below(&self, directory: &str) -> bool {
        let below = format!("{directory}/");
        let from = Bound::Excluded(below.as_str());
        let mut behind = self.files.range::<str, _>((from, Bound::Unbounded));
        behind
            .next()
            .is_some_and(|(name, _)| name.starts_with(&below))
    }

    /// Tracked files, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

/// The directory of a file.
fn parent(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Asks git which files of a memory it tracks; cheap when nothing changed since it was asked last,
/// and then the same value again.
pub type AskTracked = Arc<dyn Fn() -> Arc<Tracked> + Send + Sync>;

/// The key of the user, and what git tracks.
#[derive(Clone)]
pub struct Trust {
    key: UserKey,
    tracked: Option<AskTracked>,
}

impl std::fmt::Debug for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trust").finish_non_exhaustive()
    }
}

/// Things that are tagged; each has tags of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tagged {
    /// An intent of the journal, bound to its file.
    Intent,
    /// A ledger, bound to its file and its name.
    Ledger,
    /// A ledger in the archive, bound to the directory of the memory.
    ArchivedLedger,
    /// A name that nobody else can predict.
    Name,
}

impl Tagged {
    fn purpose(self) -> &'static str {
        match self {
            Self::Intent => "aictx journal",
            Self::Ledger => "aictx ledger",
            Self::ArchivedLedger => "aictx archived ledger",
            Self::Name => "aictx name",
        }
    }
}

impl Trust {
    /// With a key, for a memory of which git tracks nothing.
    pub fn new(key: UserKey) -> Self {
        Self { key, tracked: None }
    }

    /// Asks `tracked` what of the memory git tracks.
    #[must_use]
    pub fn asking(mut self, tracked: AskTracked) -> Self {
        self.tracked = Some(tracked);
        self
    }

    /// The tag of some parts, in hexadecimal.
    pub(crate) fn tag(&self, what: Tagged, parts: &[&[u8]]) -> String {
        hex(&self.key.tag(what.purpose(), parts))
    }

    /// Returns true if a tag in hexadecimal is that of these parts.
    pub(crate) fn verifies(&self, what: Tagged, parts: &[&[u8]], tag: &str) -> bool {
        let digits = tag.as_bytes().chunks(2);
        let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.map(byte).collect();
        bytes.is_some_and(|bytes| self.key.verifies(what.purpose(), parts, &bytes))
    }

    /// Eight digits that belong in a name which nobody else can predict.
    pub(crate) fn digits(&self, of: &str) -> String {
        let mut digits = self.tag(Tagged::Name, &[of.as_bytes()]);
        digits.truncate(8);
        digits
    }

    fn ask(&self) -> Arc<Tracked> {
        self.tracked.as_ref().map(|ask| ask()).unwrap_or_default()
    }
}

/// Beginning of the name of the directory for files whose usual place is taken.
pub(crate) const LOCAL: &str = "local-";

/// Names for it that are tried, should git track one.
const MAX_LOCAL: u32 = 16;

/// The names that files of a memory have, as far as they depend on what git tracks.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) tracked: Arc<Tracked>,
    /// Files that lie in the directory for them already, and stay there when git stops tracking
    /// what was in their place.
    kept: BTreeSet<String>,
    /// Git tracks or tracked a history here, on this branch or another one: this machine's own lie all in the
    /// directory, where no checkout collides with them or replaces them.
    pub(crate) histories_elsewhere: bool,
    /// That directory.
    pub(crate) local: String,
    /// Tells these names from any others of this process.
    pub(crate) edition: u64,
    /// Tracked files that are ignored, once somebody asked.
    pub(crate) ignored: OnceLock<Vec<ReadIssue>>,
}

impl Names {
    /// Before git was asked.
    pub(crate) fn new(trust: &Trust) -> Self {
        Self {
            tracked: Arc::default(),
            kept: BTreeSet::new(),
            histories_elsewhere: false,
            local: format!("{LOCAL}{}", trust.digits("local 0")),
            edition: 0,
            ignored: OnceLock::new(),
        }
    }

    /// As git has it now; nothing when that is what is known. `list` gives the files below the
    /// directory of their own.
    pub(crate) fn renewed(
        &self,
        trust: &Trust,
        list: impl FnOnce(&str) -> BTreeSet<String>,
    ) -> Option<Self> {
        static EDITIONS: AtomicU64 = AtomicU64::new(1);
        let tracked = trust.ask();
        let same = Arc::ptr_eq(&tracked, &self.tracked) || tracked == self.tracked;
        if same && self.edition > 0 {
            return None;
        }
        // A directory of this name that git tracks is no better than any other that it tracks.
        let local =
            (0..MAX_LOCAL).map(|n| format!("{LOCAL}{}", trust.digits(&format!("local {n}"))));
        let is_own = |name: &String| !tracked.holds(name) && !tracked.has_below(name);
        let local = local
            .into_iter()
            .find(is_own)
            .unwrap_or_else(|| self.local.clone());
        let kept = list(&local);
        let histories_elsewhere =
            kept.iter().any(|file| files::travels(file)) || tracked.iter().any(files::travels);
        Some(Self {
            histories_elsewhere,
            kept,
            local,
            tracked,
            edition: EDITIONS.fetch_add(1, Ordering::Relaxed),
            ignored: OnceLock::new(),
        })
    }

    /// Returns true if every file has its usual name.
    pub(crate) fn are_usual(&self) -> bool {
        self.kept.is_empty() && self.tracked.is_empty()
    }

    /// Returns the name of this machine's own file.
    pub(crate) fn file<'n>(&self, file: &'n str) -> Cow<'n, str> {
        let is_elsewhere = || match is_proven(file) {
            true => self.tracked.blocks_directory(parent(file)),
            false => {
                self.histories_elsewhere && files::travels(file)
                    || self.kept.contains(file)
                    || self.is_foreign(file)
                    || self.tracked.blocks(file)
            }
        };
        if self.are_usual() || file.starts_with(LOCAL) || !is_elsewhere() {
            return Cow::Borrowed(file);
        }
        Cow::Owned(format!("{}/{file}", self.local))
    }

    /// Returns the name of this machine's own directory.
    pub(crate) fn directory<'n>(&self, directory: &'n str) -> Cow<'n, str> {
        let is_moved = || {
            let holds_histories = matches!(directory, files::THREADS_DIR | files::SEMANTIC_DIR);
            self.histories_elsewhere && holds_histories || self.tracked.blocks_directory(directory)
        };
        let is_usual =
            self.are_usual() || directory.is_empty() || directory.starts_with(LOCAL) || !is_moved();
        if is_usual {
            return Cow::Borrowed(directory);
        }
        Cow::Owned(format!("{}/{directory}", self.local))
    }

    /// Returns true if git tracks a file that belongs to one machine. The lock holds nothing, and all have to
    /// take the same one.
    pub(crate) fn is_foreign(&self, file: &str) -> bool {
        self.tracked.holds(file)
            && !self.may_be_shared(file)
            && !is_proven(file)
            && file != files::LOCK
    }

    /// Returns true if git tracks a file that a repository may share.
    pub(crate) fn is_shared(&self, file: &str) -> bool {
        self.tracked.holds(file) && self.may_be_shared(file)
    }

    /// Histories keep their place while git does not answer: what is written elsewhere meanwhile would hide
    /// them afterwards.
    fn may_be_shared(&self, file: &str) -> bool {
        files::is_shared(file) || self.tracked.all && files::travels(file)
    }
}

/// Returns true if a file is told from others by more than its name: ledgers and intents by their tags,
/// segments of the archive and what was set aside by names that are not used twice.
fn is_proven(file: &str) -> bool {
    let places = [
        files::SESSIONS_DIR,
        files::JOURNAL_DIR,
        files::ARCHIVE_DIR,
        files::QUARANTINE_DIR,
    ];
    let inside = |place: &str| file.strip_prefix(place).is_some_and(|r| r.starts_with('/'));
    places.into_iter().any(inside)
}

/// Files whose proof is remembered.
const MAX_KNOWN: usize = 1_024;

/// Which files were found to be ledgers of this user, by name and inode.
#[derive(Debug, Default)]
pub(crate) struct Proofs(Mutex<HashMap<String, (u64, bool)>>);

impl Proofs {
    pub(crate) fn known(&self, file: &str, inode: u64) -> Option<bool> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, is_proven) = known.get(file)?;
        (*of == inode).then_some(*is_proven)
    }

    pub(crate) fn note(&self, file: &str, inode: u64, is_proven: bool) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(file.to_owned(), (inode, is_proven));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tracked: &[(&str, bool)]) -> Names {
        let key = UserKey::ephemeral().unwrap();
        let tracked = tracked
            .iter()
            .map(|(name, regular)| ((*name).to_owned(), *regular));
        let tracked = Arc::new(Tracked::new(tracked));
        let trust = Trust::new(key).asking(Arc::new(move || Arc::clone(&tracked)));
        Names::new(&trust)
            .renewed(&trust, |_| BTreeSet::new())
            .unwrap()
    }

    #[test]
    fn a_machines_own_files_make_way_for_those_of_the_repository() {
        let names = names(&[
            ("continuity/session.json", true),
            ("Continuity/Decisions.jsonl", true),
            ("continuity/handoffs.jsonl/x", true),
            ("metrics", false),
            ("tasks/threads/a.json", false),
            ("sessions/s.jsonl", true),
            (".lock", false),
            ("shared/20260101T000000Z-1.jsonl", true),
        ]);
        for moved in [
            "continuity/session.json",
            "CONTINUITY/session.json",
            "continuity/handoffs.jsonl",
            "continuity/decisions.jsonl",
            "strategy_memory/strategies.jsonl",
            "tasks/threads/b.json",
            "metrics/verdicts.jsonl",
            "tasks/threads/a.json",
            ".lock",
        ] {
            let own = names.file(moved);
            assert_eq!(own, format!("{}/{moved}", names.local));
            assert_eq!(names.file(&own), own, "once is enough");
        }
        for usual in [
            "shared/20260101T000000Z-1.jsonl",
            "continuity/handoff.json",
            "sessions/s.jsonl",
            "archive/sessions-000001.jsonl.gz",
        ] {
            assert_eq!(names.file(usual), usual);
        }
        assert_eq!(
            names.directory("metrics"),
            format!("{}/metrics", names.local)
        );
        assert_eq!(names.directory("continuity"), "continuity");
        assert!(names.is_shared("shared/20260101T000000Z-1.jsonl"));
        assert!(!names.is_shared("continuity/decisions.jsonl"));
    }

    #[test]
    fn where_git_cannot_be_asked_nothing_is_this_machines_own_without_proof() {
        let tracked = Arc::new(Tracked::unknown());
        let trust = Trust::new(UserKey::ephemeral().unwrap());
        let trust = trust.asking(Arc::new(move || Arc::clone(&tracked)));
        let names = Names::new(&trust)
            .renewed(&trust, |_| BTreeSet::new())
            .unwrap();
        assert!(names.is_shared("continuity/decisions.jsonl"));
        assert!(names.is_foreign("continuity/handoff.json"));
        assert_eq!(names.file("sessions/s.jsonl"), "sessions/s.jsonl");
    }
}
