//! Records that leave for other machines, and those that came from them.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aictx_proto::record::files;
use aictx_redact::Report;
use serde_json::{Map, Value};

use super::{Store, stage};
use crate::commit::Plan;
use crate::effect_encoding::{self, Delta, Kind};
use crate::error::StoreError;
use crate::fs::Root;
use crate::read::MAX_FILE;
use crate::shared::{self, Receipt, Record};
use crate::snapshot::Cache;

/// After it failed, taking in is tried again by readers no sooner.
const RETRY: Duration = Duration::from_secs(5);

impl Store {
    /// Takes in what came with the repository, unless somebody writes.
    pub(super) fn take_in_unless_busy(&self, root: &Arc<Root>) {
        let taken = self.locked(Instant::now(), |root, _| self.take_in(root));
        if taken.is_err() {
            let mut cache = self.cache();
            cache.later = Instant::now().checked_add(RETRY);
            cache.refresh(root);
        }
    }

    /// Makes records that came with the repository part of the memory. Needs the lock.
    ///
    /// # Errors
    /// Only where the next commit may not begin either: what cannot be taken in now waits.
    pub(super) fn take_in(&self, root: &Arc<Root>) -> Result<(), StoreError> {
        let base = {
            let mut cache = self.cache();
            cache.refresh(root);
            if !cache.parts.inbox.has_news() {
                return Ok(());
            }
            // One that cannot be moved is found again when what git tracks changes.
            let misplaced = std::mem::take(&mut cache.parts.inbox.misplaced);
            let moved = misplaced.iter().filter(|file| root.move_own(file).is_ok());
            if moved.count() > 0 {
                cache.look_again(root);
            }
            cache.parts.clone()
        };
        if !base.inbox.has_news() {
            return Ok(());
        }
        let (mut overlay, mut plan) = (base.clone(), Plan::default());
        for effect in base
            .inbox
            .effects(root, &base.received.known, self.is_portable())
        {
            match effect_encoding::effect(effect, &mut Report::default()) {
                Ok(delta) => stage(&mut overlay, &mut plan, delta),
                Err(_) => return Ok(()),
            }
        }
        match self.commit(root, plan, &base, overlay, None) {
            Err(error @ StoreError::Deferred { .. }) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Adds a shared file to a commit that writes records which go through git, where memory does.
    pub(super) fn share(
        &self,
        root: &Arc<Root>,
        overlay: &mut Cache,
        plan: &mut Plan,
    ) -> Result<(), StoreError> {
        let travels = |(file, ..): (&str, Kind, &[u8])| files::travels(file);
        if !plan.writes().any(travels) || !self.is_portable() {
            return Ok(());
        }
        let mut records = Vec::new();
        for (file, kind, bytes) in plan.writes().filter(|(file, ..)| files::travels(file)) {
            records.extend(outgoing(root, file, kind, bytes).map_err(|e| root.error(file, e))?);
        }
        self.add_shared(root, &records, overlay, plan)
    }

    /// Adds a new shared file with these records.
    fn add_shared(
        &self,
        root: &Root,
        records: &[Record],
        overlay: &mut Cache,
        plan: &mut Plan,
    ) -> Result<(), StoreError> {
        if records.is_empty() {
            return Ok(());
        }
        let id = RandomState::new().hash_one(records.len());
        let time = (self.clock)().compact();
        // Names of one machine are in the order of its commits.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanos = since.unwrap_or_default().subsec_nanos();
        let file = format!("{}/{time}-{nanos:09}-{id:016x}.jsonl", files::SHARED_DIR);
        let receipts = vec![Receipt::of(&file)];
        let receipts = shared::receipts_effect(root, &overlay.received.known, receipts);
        let receipts = effect_encoding::effect(receipts, &mut Report::default())?;
        let delta = Delta {
            file,
            kind: Kind::Append,
            bytes: shared::lines(records),
            members: None,
        };
        stage(overlay, plan, delta);
        stage(overlay, plan, receipts);
        Ok(())
    }

    /// The user's last choice whether memory goes through git.
    pub fn portable_choice(&self) -> Option<bool> {
        let mut cache = self.cache();
        cache.parts.received.refresh(&self.root());
        cache.parts.received.known.portable
    }

    /// Returns true where what this machine records goes through git: where the user chose so, as long as
    /// the repository does not say otherwise, or where the repository says so and the user nothing.
    fn is_portable(&self) -> bool {
        let said = || {
            let document: Map<String, Value> = self.document(files::PORTABILITY)?;
            document.get("enabled")?.as_bool()
        };
        match self.portable_choice() {
            Some(false) => false,
            Some(true) => said().unwrap_or(true),
            None => said().unwrap_or(false),
        }
    }

    /// Writes the records of histories and documents that git tracks into a shared file, for who takes those
    /// out of git.
    ///
    /// # Errors
    /// Locked, or not writable.
    pub fn share_tracked(&self) -> Result<(), StoreError> {
        self.locked(Instant::now() + self.patience, |root, _| {
            self.take_in(root)?;
            let names = root.names();
            let mut records = Vec::new();
            for file in names.tracked.iter().filter(|file| files::travels(file)) {
                let open = root.open_foreign(file).map_err(|e| root.error(file, e))?;
                let bytes = open.map(|open| open.read(MAX_FILE)).transpose();
                let bytes = bytes.map_err(|e| root.error(file, e))?.unwrap_or_default();
                records.extend(shared::tracked_records(file, &bytes));
            }
            let records: Vec<Record> = records.into_iter().map(scrubbed).collect();
            let base = self.cache().parts.clone();
            let (mut overlay, mut plan) = (base.clone(), Plan::default());
            self.add_shared(root, &records, &mut overlay, &mut plan)?;
            if !plan.is_empty() {
                self.commit(root, plan, &base, overlay, None)?;
            }
            Ok(())
        })
    }

    /// Puts all shared files together in one, without what `keeps` does not keep of the rows of a history; gives
    /// how many files and records there were, and how many records stay. Nothing for fewer than two files.
    ///
    /// # Errors
    /// Locked, or not writable.
    pub fn fold_shared(
        &self,
        apply: bool,
        keeps: &dyn Fn(&str, &[Value]) -> Vec<bool>,
    ) -> Result<Option<Folded>, StoreError> {
        let fold = |root: &Root| -> Result<(Folded, Vec<String>, Vec<Record>), StoreError> {
            let (names, _) = shared::shared_files(root);
            let mut all = Vec::new();
            let (mut scrubbed_records, mut names_read) = (0, Vec::new());
            for name in names {
                let fail = |e| root.error(&name, e);
                let Some(open) = root.open_if_there(&name).map_err(fail)? else {
                    continue;
                };
                // One that is not understood as a whole stays.
                if open.len() > MAX_FILE {
                    continue;
                }
                let (records, skipped) = shared::records(&open.read(MAX_FILE).map_err(fail)?);
                if skipped > 0 {
                    continue;
                }
                all.extend(records.into_iter().map(|mut record| {
                    if record.from.is_empty() {
                        record.from.clone_from(&name);
                    }
                    let clean = scrubbed(record.clone());
                    scrubbed_records += usize::from(clean != record);
                    clean
                }));
                names_read.push(name);
            }
            let before_records = all.len();
            let records = once(all);
            let duplicates = before_records - records.len();
            let records = kept(records, keeps);
            let done = Folded {
                files: names_read.len(),
                before_records,
                kept_records: records.len(),
                duplicates,
                scrubbed_records,
            };
            Ok((done, names_read, records))
        };
        if !apply {
            let (done, ..) = fold(&self.root())?;
            return Ok((done.files > 1).then_some(done));
        }
        self.locked(Instant::now() + self.patience, |root, _| {
            self.take_in(root)?;
            let (done, names, records) = fold(root)?;
            if done.files < 2 {
                return Ok(None);
            }
            let base = self.cache().parts.clone();
            let (mut overlay, mut plan) = (base.clone(), Plan::default());
            self.add_shared(root, &records, &mut overlay, &mut plan)?;
            for file in names {
                plan.add(Delta {
                    file,
                    kind: Kind::Remove,
                    bytes: Vec::new(),
                    members: None,
                });
            }
            self.commit(root, plan, &base, overlay, None)?;
            Ok(Some(done))
        })
    }
}

/// Result of putting shared files together, or of trying it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// Files there were.
    pub files: usize,
    /// Records there were.
    pub before_records: usize,
    /// Records that stay.
    pub kept_records: usize,
    /// Records that were there twice, or that another document followed.
    pub duplicates: usize,
    /// Records that lost a secret.
    pub scrubbed_records: usize,
}

/// Records of what a commit writes to a file, as far as they are new.
fn outgoing(root: &Root, file: &str, kind: Kind, bytes: &[u8]) -> std::io::Result<Vec<Record>> {
    match kind {
        Kind::Append => Ok(shared::outgoing_rows(file, bytes, &[])),
        Kind::Rows => {
            let before = root.open_if_there(file)?;
            let before = before.map(|open| open.read(MAX_FILE)).transpose()?;
            Ok(shared::outgoing_rows(
                file,
                bytes,
                &before.unwrap_or_default(),
            ))
        }
        Kind::Json => {
            let before = shared::own_document(root, file);
            let after = before.map(|before| shared::digest_of(&before));
            let after = after.unwrap_or_default();
            let documents = shared::tracked_records(file, bytes).into_iter();
            let changed = documents.filter_map(|mut record| {
                let digest = shared::digest_of(record.document.as_ref()?);
                record.after.clone_from(&after);
                (digest != after).then(|| shared::without_origin(record))
            });
            Ok(changed.collect())
        }
        Kind::Text | Kind::Remove => Ok(Vec::new()),
    }
}

/// A record without secrets and origin.
fn scrubbed(mut record: Record) -> Record {
    for content in [&mut record.row, &mut record.document]
        .into_iter()
        .flatten()
    {
        let mut value = Value::Object(std::mem::take(content));
        aictx_redact::scrub_value(&mut value, &mut Report::default());
        if let Value::Object(members) = value {
            *content = members;
        }
    }
    shared::without_origin(record)
}

/// Records without those that are there twice or that another document follows.
fn once(records: Vec<Record>) -> Vec<Record> {
    let followed: HashSet<String> = records.iter().map(|r| r.after.clone()).collect();
    let mut seen = HashSet::new();
    let is_new = |record: &Record| {
        let content = record.row.as_ref().or(record.document.as_ref());
        let digest = content.map(shared::digest_of).unwrap_or_default();
        let is_followed = record.document.is_some() && followed.contains(&digest);
        !is_followed && seen.insert((record.file.clone(), digest))
    };
    records.into_iter().filter(is_new).collect()
}

/// Records without rows that are not kept.
fn kept(mut records: Vec<Record>, keeps: &dyn Fn(&str, &[Value]) -> Vec<bool>) -> Vec<Record> {
    let mut histories: Vec<String> = records.iter().map(|r| r.file.clone()).collect();
    histories.sort_unstable();
    histories.dedup();
    for history in histories {
        let is_of = |record: &Record| record.file == history && record.row.is_some();
        let rows: Vec<Value> = records
            .iter()
            .filter(|record| is_of(record))
            .filter_map(|record| Some(Value::Object(record.row.clone()?)))
            .collect();
        let mut kept = keeps(&history, &rows).into_iter();
        records.retain(|record| !is_of(record) || kept.next().unwrap_or(true));
    }
    records
}
