//! One repository's `.aictx/`: snapshots out, commits in.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use aictx_proto::effect::{Effect, Effects};
use aictx_proto::record::{ContractRecord, ORIGIN, files};
use aictx_proto::snapshot::{ReadIssue, Snapshot};
use aictx_proto::time::Timestamp;
use aictx_redact::Report;

use crate::archive;
use crate::commit::{self, Plan};
use crate::effect_encoding::{self, Delta, Kind};
use crate::error::StoreError;
use crate::fs::{self, Root, Stamp};
use crate::journal;
use crate::lock::{self, DEADLINE, Gate};
use crate::read;
use crate::snapshot::{Applied, Cache};
use crate::trust::Trust;

mod cache_refresh;
mod derived_files;
mod foreign;
mod pending_sync;
mod quarantine;
mod sharing;

use cache_refresh::Fresh;
use derived_files::Shown;
use pending_sync::{MAX_OWED, Owed};

pub use sharing::Folded;

/// Version in `format.json`.
pub const FORMAT_VERSION: u64 = 1;

/// An operation of a group: decides on a snapshot what is answered and written.
pub type Op<'a, T> = Box<dyn FnOnce(&Snapshot) -> (T, Effects) + Send + 'a>;

/// A name in a directory, with its content where that was asked for.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Name.
    pub name: String,
    /// Content, or why it was not read.
    pub content: Option<Result<Vec<u8>, StoreError>>,
}

/// Result of a commit.
#[derive(Debug, Clone)]
pub struct Committed<T> {
    /// Reply of the operation.
    pub reply: T,
    /// The memory with the operation (and its group) in it.
    pub snapshot: Arc<Snapshot>,
    /// Redactions in its writes.
    pub report: Report,
}

/// A contract by its file, as it was when it was read.
pub(crate) type KnownContract = (String, Stamp, Arc<ContractRecord>);

/// One repository's `.aictx/`. Cheap to keep open, shared between threads.
#[derive(Debug)]
pub struct Store {
    repo: PathBuf,
    /// Directory that `.aictx` lies in.
    home: PathBuf,
    root: RwLock<Arc<Root>>,
    trust: Arc<Trust>,
    /// Ignored files that are not this user's, by where they were found.
    foreign: Mutex<BTreeMap<&'static str, Vec<ReadIssue>>>,
    gate: Gate,
    cache: Mutex<Fresh>,
    pub(crate) contracts: Mutex<Vec<KnownContract>>,
    /// The ledger that was found to be readable last, as it was then: a guard asks of one session again and again.
    pub(crate) sound: Mutex<Option<(String, fs::Stamp)>>,
    published: RwLock<Arc<Snapshot>>,
    /// A commit of this process is on its way into the files, or stuck on it: readers keep what is
    /// published.
    applying: AtomicBool,
    generation: AtomicU64,
    owed: Mutex<Owed>,
    /// Held while what is owed is given to the disk: whoever wants it there waits for it.
    settling: Mutex<()>,
    clock: fn() -> Timestamp,
    /// Longest wait of a commit for others.
    patience: Duration,
}

impl Store {
    /// Opens the store of the repository at `root`, which must have an `.aictx` directory, and
    /// finishes what an interrupted commit left if the lock is free and the disk writable.
    ///
    /// # Errors
    /// Not initialised, a link or file in the place of the directory, a newer format.
    pub fn open(root: &Path, trust: Trust) -> Result<Self, StoreError> {
        Self::open_at(root, root, trust)
    }

    /// As [`open`](Self::open), with `.aictx` in another directory than the repository's root.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_at(root: &Path, home: &Path, trust: Trust) -> Result<Self, StoreError> {
        let (repo, home, trust) = (canonical(root)?, canonical(home)?, Arc::new(trust));
        let dir = Root::open(&home, &trust)?;
        let store = Self::new(repo, home, dir, trust)?;
        // Whoever holds the lock recovers, and reading works without.
        let _ = store.recover_by(Instant::now());
        Ok(store)
    }

    /// As [`open`](Self::open), of another directory than `.aictx`, whose files belong to another program that we work
    /// along with: nothing is added to it but the lock, and the journal while something is written.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_directory(root: &Path, name: &str, trust: Trust) -> Result<Self, StoreError> {
        let (repo, trust) = (canonical(root)?, Arc::new(trust));
        let dir = Root::open_below(&repo, name, &trust)?;
        let store = Self::new(repo.clone(), repo, dir, trust)?;
        let _ = store.recover_by(Instant::now());
        Ok(store)
    }

    /// Makes `.aictx` with its `format.json` where missing and opens it. What is there already is
    /// not touched.
    ///
    /// # Errors
    /// As [`open`](Self::open), or not writable.
    pub fn create(root: &Path, trust: Trust) -> Result<Self, StoreError> {
        Self::create_at(root, root, trust)
    }

    /// As [`create`](Self::create), with `.aictx` in another directory than the repository's root.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_at(root: &Path, home: &Path, trust: Trust) -> Result<Self, StoreError> {
        let (repo, home, trust) = (canonical(root)?, canonical(home)?, Arc::new(trust));
        let dir = Root::create(&home, &trust)?;
        let store = Self::new(repo, home, dir, trust)?;
        let dir = store.root();
        let fail = |e| dir.error(files::FORMAT, e);
        if dir.stamp(files::FORMAT).map_err(fail)?.is_none() {
            let _lock = lock::take(&dir, Instant::now() + DEADLINE)?;
            if dir.stamp(files::FORMAT).map_err(fail)?.is_none() {
                let format = serde_json::json!({
                    "version": FORMAT_VERSION,
                    "written_by": format!("aictx {}", aictx_proto::VERSION),
                });
                let text = serde_json::to_string_pretty(&format).unwrap_or_default() + "\n";
                dir.replace(files::FORMAT, text.as_bytes()).map_err(fail)?;
                dir.sync_parent(files::FORMAT).map_err(fail)?;
            }
        }
        let _ = store.recover_by(Instant::now());
        Ok(store)
    }

    fn new(
        repo: PathBuf,
        home: PathBuf,
        root: Root,
        trust: Arc<Trust>,
    ) -> Result<Self, StoreError> {
        let found = root
            .read_if_there(files::FORMAT)
            .ok()
            .flatten()
            .and_then(|f| fs::read_range(&f, 0, read::MAX_FILE).ok())
            .and_then(|bytes| read::object(&bytes).ok()?.get("version")?.as_u64());
        if let Some(found) = found.filter(|v| *v > FORMAT_VERSION) {
            return Err(StoreError::NewerFormat {
                found,
                supported: FORMAT_VERSION,
            });
        }
        Ok(Self {
            repo,
            home,
            root: RwLock::new(Arc::new(root)),
            trust,
            foreign: Mutex::default(),
            gate: Gate::default(),
            cache: Mutex::new(Fresh::default()),
            contracts: Mutex::default(),
            sound: Mutex::default(),
            published: RwLock::default(),
            applying: AtomicBool::new(false),
            generation: AtomicU64::new(0),
            owed: Mutex::default(),
            settling: Mutex::default(),
            clock: now,
            patience: DEADLINE,
        })
    }

    /// Looks at files again only when something changed in their directories, where the system tells of that:
    /// for whoever asks again and again.
    #[must_use]
    pub fn listening(self) -> Self {
        self.cache().listen();
        self
    }

    /// Takes the time in names of set-aside files from `clock`; nothing else here asks for it.
    #[must_use]
    pub fn with_clock(mut self, clock: fn() -> Timestamp) -> Self {
        self.clock = clock;
        self
    }

    /// Waits less long for other writers.
    #[cfg(test)]
    pub(crate) fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The names in a directory as they are on the disk, at most `limit`, with the contents of those that are
    /// `wanted`, each up to `max_bytes`. An error in the place of a content says why that one was not read. A missing
    /// directory is empty.
    ///
    /// # Errors
    /// The directory is a link or cannot be listed, or it has more entries.
    pub fn read_files(
        &self,
        directory: &str,
        limit: usize,
        max_bytes: u64,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<FoundFile>, StoreError> {
        let root = self.root();
        let names = root.list(directory, limit + 1);
        let names = names.map_err(|e| root.error(directory, e))?;
        if names.len() > limit {
            return Err(StoreError::TooMany {
                directory: directory.to_owned(),
                limit,
            });
        }
        let read = |name: String| {
            if !wanted(&name) {
                return Some(FoundFile {
                    name,
                    content: None,
                });
            }
            let file = format!("{directory}/{name}");
            let content = match root.open_if_there(&file) {
                // Removed since it was listed.
                Ok(None) => return None,
                Ok(Some(opened)) if opened.len() > max_bytes => Err(StoreError::TooLarge {
                    bytes: usize::try_from(opened.len()).unwrap_or(usize::MAX),
                    limit: usize::try_from(max_bytes).unwrap_or(usize::MAX),
                    file,
                }),
                Ok(Some(opened)) => opened.read(max_bytes).map_err(|e| root.error(&file, e)),
                Err(e) => Err(root.error(&file, e)),
            };
            Some(FoundFile {
                name,
                content: Some(content),
            })
        };
        // Drafts of replacements that were interrupted are nobody's files.
        let names = names.into_iter().filter(|name| !fs::is_draft(name));
        Ok(names.filter_map(read).collect())
    }

    /// Root of the repository, canonical.
    pub fn repository(&self) -> &Path {
        &self.repo
    }

    /// The memory as of now: looks at the stamps of its files (a few microseconds) and reads what
    /// changed. Never fails and never waits for a commit of others; what came with the repository since it was
    /// asked last is taken in, where nobody writes.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        if self.applying.load(Ordering::Acquire) {
            return self.latest();
        }
        let root = self.root();
        let mut cache = self.cache();
        // Asked again inside: a commit publishes before it lets the cache go.
        if self.applying.load(Ordering::Acquire) {
            return self.latest();
        }
        cache.refresh(&root);
        if cache.has_news() {
            drop(cache);
            self.take_in_unless_busy(&root);
            cache = self.cache();
        }
        self.publish(&root, &cache.parts)
    }

    /// The memory as last published, without looking at the disk. It always holds whole commits.
    pub fn latest(&self) -> Arc<Snapshot> {
        let published = self
            .published
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if published.generation > 0 {
            return published.clone();
        }
        drop(published);
        let root = self.root();
        let mut cache = self.cache();
        cache.refresh(&root);
        self.publish(&root, &cache.parts)
    }

    /// Decides on the newest snapshot under the lock and makes the effects durable, all or
    /// nothing. No effects: nothing is written.
    ///
    /// # Errors
    /// Nothing was written, except with [`StoreError::Deferred`].
    pub fn transact<T>(
        &self,
        op: impl FnOnce(&Snapshot) -> (T, Effects),
    ) -> Result<Committed<T>, StoreError> {
        let mut done = self.run(vec![op], false, None);
        done.pop().unwrap_or(Err(StoreError::Panicked))
    }

    /// Commits a group with one lock, one journal and one set of syncs. Each operation decides on
    /// a snapshot in which the earlier ones have happened. An operation whose effects cannot be
    /// encoded, or that panics, fails alone; when the commit fails, all that write fail with it.
    pub fn transact_many<T>(&self, ops: Vec<Op<'_, T>>) -> Vec<Result<Committed<T>, StoreError>> {
        self.run(ops, true, None)
    }

    /// As [`transact_many`](Self::transact_many) for writes that are derived from others: `seen` is
    /// called as soon as they are in the files and in the snapshot, before the disk has confirmed
    /// them; it does so in [`settle`](Self::settle), which is to follow soon. The end of the process
    /// loses nothing from then on; a power failure may lose the group or some of its files. Not called
    /// when the group fails. Files that only show what others hold are written behind that, before this returns.
    pub fn transact_soon<T>(
        &self,
        ops: Vec<Op<'_, T>>,
        seen: &mut dyn FnMut(),
    ) -> Vec<Result<Committed<T>, StoreError>> {
        self.run(ops, true, Some(seen))
    }

    fn run<T, F>(
        &self,
        ops: Vec<F>,
        catch: bool,
        seen: Option<&mut dyn FnMut()>,
    ) -> Vec<Result<Committed<T>, StoreError>>
    where
        F: FnOnce(&Snapshot) -> (T, Effects),
    {
        let count = ops.len();
        let all = |e: StoreError| (0..count).map(|_| Err(e.clone())).collect();
        // Whoever waits for the lock need not wait for the tables too.
        aictx_redact::prepare();
        let deadline = Instant::now() + self.patience;
        let Some(_inside) = self.gate.enter(deadline) else {
            let path = self.root().path(files::LOCK);
            return all(StoreError::Locked {
                path,
                waited: DEADLINE,
            });
        };
        let root = self.root();
        root.renew_names();
        let _lock = match lock::take(&root, deadline) {
            Ok(lock) => lock,
            Err(e) => return all(e),
        };
        if let Err(e) = self.recover_locked(&root).and_then(|_| self.take_in(&root)) {
            return all(e);
        }
        let (base, mut last) = {
            let mut cache = self.cache();
            cache.refresh(&root);
            let last = self.publish(&root, &cache.parts);
            (cache.parts.clone(), last)
        };
        let mut overlay = base.clone();
        let mut plan = Plan::default();
        let mut shown = Shown::default();
        let mut decided = Vec::with_capacity(count);
        for op in ops {
            let answer = if catch {
                catch_unwind(AssertUnwindSafe(|| op(&last))).map_err(|_| StoreError::Panicked)
            } else {
                Ok(op(&last))
            };
            decided.push(answer.and_then(|(reply, effects)| {
                let mut report = Report::default();
                let (shows, effects) = match seen {
                    Some(_) => Shown::part_from(effects),
                    None => (Shown::default(), effects),
                };
                let deltas = effects
                    .into_iter()
                    .map(|effect| self.encoded(&root, effect, &mut report))
                    .collect::<Result<Vec<Delta>, _>>()?;
                shown.add(shows);
                let writes = !deltas.is_empty();
                for delta in deltas {
                    stage(&mut overlay, &mut plan, delta);
                }
                if writes && catch {
                    let foreign = self.foreign_issues(&root);
                    last = overlay.snapshot(&self.repo, foreign, &last, || self.next_generation());
                }
                Ok((reply, report, writes))
            }));
        }
        let outcome = if plan.is_empty() {
            Ok(last)
        } else {
            // The snapshots of the group are not needed any more; without them the overlay's
            // rows are its own.
            drop(last);
            if let Err(e) = self.share(&root, &mut overlay, &mut plan) {
                return all(e);
            }
            fs::kept_open(|| {
                self.commit(&root, plan, &base, overlay, seen.map(|seen| (seen, shown)))
            })
        };
        decided
            .into_iter()
            .map(|d| {
                let (reply, report, writes) = d?;
                let snapshot = match &outcome {
                    Ok(snapshot) => snapshot.clone(),
                    Err(e) if writes => return Err(e.clone()),
                    Err(_) => self.latest(),
                };
                Ok(Committed {
                    reply,
                    snapshot,
                    report,
                })
            })
            .collect()
    }

    fn commit(
        &self,
        root: &Arc<Root>,
        plan: Plan,
        base: &Cache,
        overlay: Cache,
        soon: Option<(&mut dyn FnMut(), Shown)>,
    ) -> Result<Arc<Snapshot>, StoreError> {
        let steps = plan.steps(root, base)?;
        for file in &steps.rescue {
            self.set_aside(root, file)?;
        }
        // The intent of the last one has done its duty where this one's takes its place; what is
        // answered as durable rests on nothing that is not.
        match soon {
            Some(_) => {
                if let Some(done) = self.owed().intent.take() {
                    journal::forgo(root, &done);
                }
            }
            None => self.settle().map_err(journal::not_written)?,
        }
        let Some((seen, shown)) = soon else {
            let (snapshot, intent) = self.carry_out(root, &steps, &Shown::default(), overlay)?;
            journal::remove(root, &intent);
            return Ok(snapshot);
        };
        let (done, syncs, gone) = fs::put_off(|| self.carry_out(root, &steps, &shown, overlay));
        let (snapshot, intent) = done?;
        seen();
        drop(gone);
        let (shown, later, _) = fs::put_off(|| self.show(root, shown));
        let many = {
            let mut owed = self.owed();
            owed.intent = Some(intent);
            // What is added last comes first, and the intent before all that it tells of.
            owed.syncs.add(later);
            owed.syncs.add(syncs);
            owed.syncs.len() > MAX_OWED
        };
        if many {
            self.settle()?;
        }
        shown.map(|()| snapshot)
    }

    /// Makes the files ahead that the next commit will need, so that it does not wait for that.
    pub fn stock(&self) {
        self.root().stock();
    }

    /// Lets go of what [`stock`](Self::stock) made: each is an open file.
    pub fn unstock(&self) {
        self.root().unstock();
    }

    /// Writes the intent, then the files, then publishes the snapshot.
    fn carry_out(
        &self,
        root: &Arc<Root>,
        steps: &commit::Steps,
        shown: &Shown,
        mut overlay: Cache,
    ) -> Result<(Arc<Snapshot>, journal::Intent), StoreError> {
        let intent = journal::write(root, &steps.steps, shown.files())?;
        {
            // With the cache in hand no reader is in the middle of the files.
            let _cache = self.cache();
            self.applying.store(true, Ordering::Release);
        }
        // On failure the flag stays until a recovery has finished the commit.
        let stamps = commit::apply(root, &steps.steps, &|file| self.set_aside(root, file))
            .map_err(journal::deferred)?;
        let settled = steps.lengths.iter().map(|(file, len)| {
            let stamp = stamps.get(file).copied();
            (file.as_str(), stamp.filter(|s| Some(s.len) == *len))
        });
        overlay.settle(root, settled);
        let mut cache = self.cache();
        cache.replace(overlay);
        let snapshot = self.publish(root, &cache.parts);
        self.applying.store(false, Ordering::Release);
        Ok((snapshot, intent))
    }

    /// Encodes one effect, for the file that it goes to here.
    fn encoded(
        &self,
        root: &Root,
        mut effect: Effect,
        report: &mut Report,
    ) -> Result<Delta, StoreError> {
        let ledger = match &effect {
            Effect::Ledger { session_id, .. } => {
                let usual = effect_encoding::ledger_file(session_id);
                let file = self.ledger_file(root, session_id);
                Some(file.map_err(|e| root.error(&usual, e))?)
            }
            _ => None,
        };
        match &mut effect {
            // Whose word a shared file is follows from who tracks it, on each machine.
            Effect::ReplaceJson { file, value, .. } if root.names().is_shared(file) => {
                value.as_object_mut().map(|members| members.remove(ORIGIN));
            }
            _ => {}
        }
        let mut delta = effect_encoding::effect(effect, report)?;
        if let Some(file) = ledger {
            delta.file = file;
        }
        Ok(delta)
    }

    /// Finishes what interrupted commits left, and removes drafts of the archive, now.
    ///
    /// # Errors
    /// Locked by another process, or not writable.
    pub fn recover(&self) -> Result<u64, StoreError> {
        self.recover_by(Instant::now() + self.patience)
    }

    fn recover_by(&self, deadline: Instant) -> Result<u64, StoreError> {
        let root = self.root();
        // Usual case: nothing there, and then the lock is not needed.
        let waits = journal::list(&root).map_or(true, |listed| {
            self.report_foreign(files::JOURNAL_DIR, listed.foreign);
            !listed.own.is_empty()
        });
        if !waits && archive::drafts(&root).is_empty() {
            return Ok(0);
        }
        self.locked(deadline, |root, finished| {
            // One that cannot be removed does no harm, and what was recovered is.
            for draft in archive::drafts(root) {
                let _ = root.unlink(&draft);
            }
            Ok(finished)
        })
    }

    /// Does something with the lock in hand, after finishing what interrupted commits left (whose
    /// number it is given).
    pub(crate) fn locked<T>(
        &self,
        deadline: Instant,
        work: impl FnOnce(&Arc<Root>, u64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let root = self.root();
        let Some(_inside) = self.gate.enter(deadline) else {
            return Err(StoreError::Locked {
                path: root.path(files::LOCK),
                waited: DEADLINE,
            });
        };
        root.renew_names();
        let _lock = lock::take(&root, deadline)?;
        self.settle().map_err(journal::not_written)?;
        let finished = self.recover_locked(&root)?;
        work(&root, finished)
    }

    fn recover_locked(&self, root: &Arc<Root>) -> Result<u64, StoreError> {
        // What this process has done is not to be done again.
        let done = self.owed().intent.clone();
        let (finished, foreign) = journal::recover(
            root,
            done.as_ref(),
            &|file| self.set_aside(root, file),
            &|file| self.quarantine_name(root, file),
        )?;
        self.report_foreign(files::JOURNAL_DIR, foreign);
        self.applying.store(false, Ordering::Release);
        Ok(finished)
    }

    /// The open directory; opened anew when it was removed and made again.
    pub(crate) fn root(&self) -> Arc<Root> {
        let root = self
            .root
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if root.is_current() {
            return root;
        }
        match root.reopened(&self.home, &self.trust) {
            Ok(new) => {
                let new = Arc::new(new);
                let mut slot = self.root.write().unwrap_or_else(PoisonError::into_inner);
                *slot = new.clone();
                new
            }
            // Gone: every access by the old descriptor says so in its own way.
            Err(_) => root,
        }
    }

    fn cache(&self) -> MutexGuard<'_, Fresh> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_generation(&self) -> u64 {
        self.generation.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Makes the snapshot of the cache the published one. The cache is held meanwhile, so that
    /// snapshots are published in the order in which they were read.
    fn publish(&self, root: &Root, cache: &Cache) -> Arc<Snapshot> {
        let last = self
            .published
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let foreign = self.foreign_issues(root);
        let next = cache.snapshot(&self.repo, foreign, &last, || self.next_generation());
        if !Arc::ptr_eq(&next, &last) {
            let mut slot = self
                .published
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            *slot = next.clone();
        }
        next
    }
}

/// Adds a write to what a commit does, and to the memory as it will be then.
fn stage(overlay: &mut Cache, plan: &mut Plan, mut delta: Delta) {
    let members = delta.members.take();
    let change = match (delta.kind, members) {
        (Kind::Append, _) => Applied::Append(&delta.bytes),
        (Kind::Remove, _) => Applied::Remove,
        (_, Some(members)) => Applied::Document(members),
        (_, None) => Applied::Replace(&delta.bytes),
    };
    overlay.apply(&delta.file, change);
    plan.add(delta);
}

fn canonical(root: &Path) -> Result<PathBuf, StoreError> {
    std::fs::canonicalize(root).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => StoreError::NotInitialised {
            path: root.to_owned(),
        },
        _ => StoreError::at(root, e),
    })
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Timestamp::from_unix(since.map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(0)))
}
