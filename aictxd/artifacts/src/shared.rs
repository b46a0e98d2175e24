//! Records that go through git: each commit that makes some writes one new file of them
//! (docs/format.md#shared-records), and what others wrote is taken into the histories once.
//!
//! No file is changed after it was written, so that neither a checkout nor a rebase finds anything in
//! its way. Records of others keep their origin in the histories, which belong to this machine.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{ORIGIN, Origin, files};
use aictx_proto::snapshot::ReadIssue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::cached_file::Applied;
use crate::digest::digest;
use crate::fs::{Root, Stamp};
use crate::read::{self, Line, MAX_FILE};

/// Files that are looked at, the newest ones by name.
pub const MAX_SHARED_FILES: usize = 20_000;
/// Names that are looked at to find these.
const MAX_LISTED: usize = 10 * MAX_SHARED_FILES;
/// Bytes that are taken in at once; of more, the files that come last by name.
const MAX_RECEIVED: u64 = 32 * 1024 * 1024;
/// Entries of a list of a merged document.
const MAX_ENTRIES: usize = 64;
/// Digests in one row of [`files::RECEIVED`].
const MAX_DIGESTS: usize = 1_000;
/// Digits of a record's digest.
const DIGITS: usize = 16;
/// Size of [`files::RECEIVED`] above which it is written anew, without what is of little use.
const MAX_RECEIPTS: u64 = 512 * 1024;
/// Names that it keeps then besides those of files that are there.
const KEPT_RECEIPTS: usize = 1_000;
/// Issues of shared files that are reported by name.
const MAX_REPORTED: usize = 8;

/// Content of a record.
pub(crate) type Members = Map<String, Value>;

/// A document, behind the digest of the one that it follows.
type Following = (String, Members);

/// A line of a shared file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// File of the memory that it belongs to.
    pub(crate) file: String,
    /// Row of a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) row: Option<Members>,
    /// Whole document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<Members>,
    /// Digest of the document that this one follows; empty for the first one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) after: String,
    /// File that it was written to first, where files were put together.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) from: String,
}

/// The digest of a record, whoever's word it is.
pub(crate) fn digest_of(record: &Members) -> String {
    let mut record = Value::Object(record.clone());
    record.as_object_mut().map(|members| members.remove(ORIGIN));
    record.sort_all_objects();
    let mut digits = digest(record.to_string().as_bytes());
    digits.truncate(DIGITS);
    digits
}

/// A row of [`files::RECEIVED`].
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Receipt {
    /// The file; empty where only the choice is noted.
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
    /// Its state, where it may change.
    #[serde(skip_serializing_if = "String::is_empty")]
    stamp: String,
    /// Digests of its records, where more may come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<String>,
    /// Shared files are to be taken in again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
    /// Lines that could not be used.
    #[serde(skip_serializing_if = "is_zero")]
    skipped: u64,
    /// The user's choice whether memory goes through git.
    #[serde(skip_serializing_if = "Option::is_none")]
    portable: Option<bool>,
}

impl Receipt {
    /// Of a file that was taken in whole.
    pub(crate) fn of(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            ..Self::default()
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Shared files and records that were taken in already.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Shared files, and tracked histories with their states.
    files: BTreeMap<String, String>,
    /// Digests of records in tracked histories.
    records: HashSet<String>,
    /// The user's last choice whether memory goes through git.
    pub(crate) portable: Option<bool>,
    skipped: Vec<(String, u64)>,
}

impl Known {
    /// Receipts that are still of use. A file whose receipt is gone is taken in again when it is seen again,
    /// and its records are known by their digests as long as they are in the histories.
    fn needed(&self, root: &Root) -> Vec<Receipt> {
        let (there, _) = shared_files(root);
        let there: HashSet<String> = there.into_iter().collect();
        let old = self.files.len().saturating_sub(KEPT_RECEIPTS);
        let files =
            self.files.iter().enumerate().filter(|(at, (file, _))| {
                *at >= old || there.contains(*file) || files::travels(file)
            });
        let skipped = |file: &str| {
            let mut all = self.skipped.iter();
            all.find(|(skipped, _)| skipped == file)
                .map_or(0, |found| found.1)
        };
        let mut receipts: Vec<Receipt> = files
            .map(|(_, (file, stamp))| Receipt {
                skipped: skipped(file),
                file: file.clone(),
                stamp: stamp.clone(),
                ..Receipt::default()
            })
            .collect();
        let records: Vec<String> = self.records.iter().cloned().collect();
        receipts.extend(records.chunks(MAX_DIGESTS).map(|records| Receipt {
            records: records.to_vec(),
            ..Receipt::default()
        }));
        receipts.push(Receipt {
            portable: self.portable,
            ..Receipt::default()
        });
        receipts
    }

    fn add(&mut self, receipts: Vec<Receipt>) {
        for receipt in receipts {
            self.portable = receipt.portable.or(self.portable);
            if receipt.again {
                self.files.retain(|file, _| files::travels(file));
            }
            self.records.extend(receipt.records);
            if receipt.file.is_empty() {
                continue;
            }
            if receipt.skipped > 0 {
                self.skipped.push((receipt.file.clone(), receipt.skipped));
            }
            self.files.insert(receipt.file, receipt.stamp);
        }
    }
}

/// The write that notes files as part of the memory.
pub(crate) fn receipts_effect(root: &Root, known: &Known, new: Vec<Receipt>) -> Effect {
    let file = files::RECEIVED.to_owned();
    let order = KeyOrder::Sorted;
    let values = |receipts: Vec<Receipt>| {
        let values = receipts.iter().map(serde_json::to_value);
        values.filter_map(Result::ok).collect::<Vec<Value>>()
    };
    let len = root
        .stamp(&file)
        .ok()
        .flatten()
        .map_or(0, |stamp| stamp.len);
    if len > MAX_RECEIPTS {
        let mut kept = known.needed(root);
        // What is there may be as long.
        if kept.len() < known.files.len() / 2 {
            kept.extend(new);
            let rows = values(kept);
            return Effect::ReplaceRows { file, rows, order };
        }
    }
    let rows = values(new);
    Effect::AppendRows { file, rows, order }
}

/// [`files::RECEIVED`] as parsed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Received {
    pub(crate) stamp: Option<Option<Stamp>>,
    pub(crate) pending: bool,
    pub(crate) known: Arc<Known>,
}

impl Received {
    pub(crate) fn refresh(&mut self, root: &Root) {
        let now = root.stamp(files::RECEIVED).unwrap_or_default();
        if self.pending || self.stamp == Some(now) {
            return;
        }
        let mut known = Known::default();
        if let Ok(Some(open)) = root.open_if_there(files::RECEIVED)
            && let Ok((_, bytes)) = open.tail(MAX_FILE)
        {
            known.add(read::rows(&bytes, usize::MAX, Origin::Own).rows);
        }
        (self.known, self.stamp) = (Arc::new(known), Some(now));
    }

    pub(crate) fn apply(&mut self, change: Applied<'_>) {
        (self.stamp, self.pending) = (None, true);
        let bytes = match change {
            Applied::Append(bytes) => bytes,
            Applied::Replace(bytes) => {
                self.known = Arc::default();
                bytes
            }
            Applied::Document(_) | Applied::Remove => return,
        };
        let rows = read::rows(bytes, usize::MAX, Origin::Own).rows;
        Arc::make_mut(&mut self.known).add(rows);
    }

    pub(crate) fn issues(&self) -> impl Iterator<Item = ReadIssue> {
        let skipped = self.known.skipped.iter().rev().take(MAX_REPORTED);
        skipped.filter_map(|(file, lines)| {
            read::bad_lines(file, "no record that goes through git", *lines)
        })
    }
}

/// The row of [`files::RECEIVED`] that notes the user's choice.
pub fn choice_row(portable: bool) -> Value {
    json!({ "portable": portable })
}

/// Files with records that may be new.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inbox {
    /// State of the directory when it was listed, where no change of it can be missed.
    listed: Option<Stamp>,
    /// Receipts that the listing was compared with.
    known: Arc<Known>,
    /// Shared files that were not.
    shared: Vec<String>,
    /// Histories and documents that git tracks, and the names that they were found under.
    tracked: Arc<Vec<String>>,
    edition: u64,
    /// Of all these, those that are not known.
    new: Vec<String>,
    /// Own files that are to be moved to where git does not reach them.
    pub(crate) misplaced: Vec<String>,
    /// Files that are not looked at.
    omitted: usize,
}

impl Inbox {
    /// Returns true where something is to be taken in.
    pub(crate) fn has_news(&self) -> bool {
        !self.new.is_empty() || !self.misplaced.is_empty()
    }

    pub(crate) fn refresh(&mut self, root: &Root, known: &Arc<Known>) {
        let now = root
            .stamp_directory(files::SHARED_DIR)
            .unwrap_or_default()
            .filter(|stamp| !stamp.is_file);
        let names = root.names();
        if self.edition != names.edition {
            let tracked = names.tracked.iter().filter(|file| files::travels(file));
            self.tracked = Arc::new(tracked.map(str::to_owned).collect());
            self.edition = names.edition;
            self.misplaced = root.misplaced();
        }
        if now.is_none() && self.tracked.is_empty() {
            (self.listed, self.omitted) = (None, 0);
            self.shared.clear();
            self.new.clear();
            return;
        }
        if now.is_none() || self.listed != now || !Arc::ptr_eq(&self.known, known) {
            (self.shared, self.omitted) = shared_files(root);
            self.shared.retain(|file| !known.files.contains_key(file));
            self.listed = now.filter(crate::document_dir::is_settled);
            self.known = Arc::clone(known);
        }
        let tracked = self.tracked.iter().filter(|file| {
            let stamp = root.stamp_foreign(file).ok().flatten();
            let known = known.files.get(file.as_str());
            stamp.is_some_and(|stamp| stamp.is_file && known != Some(&stamp_text(&stamp)))
        });
        self.new = self.shared.iter().chain(tracked).cloned().collect();
    }

    pub(crate) fn issue(&self) -> Option<ReadIssue> {
        (self.omitted > 0).then(|| {
            let detail = format!(
                "{} files are not read; `aictx portability compact --apply` puts them together",
                self.omitted
            );
            read::unreadable(files::SHARED_DIR, detail)
        })
    }

    /// The writes that make new records part of this memory.
    ///
    /// As long as the user has chosen nothing, that the repository wants to go through git counts on
    /// branches that do not say so.
    pub(crate) fn effects(&self, root: &Root, known: &Known, is_portable: bool) -> Effects {
        let mut taken = Taken::default();
        if is_portable && known.portable.is_none() {
            taken.receipts.push(Receipt {
                portable: Some(true),
                ..Receipt::default()
            });
        }
        let mut bytes = 0;
        for file in &self.new {
            match files::travels(file) {
                true => taken.tracked(root, file, known),
                false => taken.shared(root, file, known, &mut bytes),
            }
        }
        taken.into_effects(root, known)
    }
}

/// Names of shared files, oldest first, and how many more there are.
pub(crate) fn shared_files(root: &Root) -> (Vec<String>, usize) {
    let listed = root.list(files::SHARED_DIR, MAX_LISTED).unwrap_or_default();
    let names = listed.into_iter().filter(|name| !name.starts_with('.'));
    let names = names.map(|name| format!("{}/{name}", files::SHARED_DIR));
    let mut names: Vec<String> = names.filter(|file| files::is_shared(file)).collect();
    let omitted = names.len().saturating_sub(MAX_SHARED_FILES);
    (names.split_off(omitted), omitted)
}

fn stamp_text(stamp: &Stamp) -> String {
    let (seconds, nanos) = stamp.modified;
    format!("{}-{seconds}.{nanos:09}", stamp.len)
}

/// Records by the file that they belong to.
#[derive(Debug, Default)]
struct Taken {
    rows: BTreeMap<String, Vec<Members>>,
    documents: BTreeMap<String, Vec<Following>>,
    receipts: Vec<Receipt>,
}

impl Taken {
    fn shared(&mut self, root: &Root, file: &str, known: &Known, bytes: &mut u64) {
        let (records, skipped) = match root.open_if_there(file) {
            Ok(Some(open)) if open.len() <= MAX_FILE && *bytes <= MAX_RECEIVED => {
                *bytes += open.len();
                records(&open.read(MAX_FILE).unwrap_or_default())
            }
            _ => (Vec::new(), 1),
        };
        for record in records {
            if !known.files.contains_key(&record.from) {
                self.add(record, known);
            }
        }
        self.receipts.push(Receipt {
            skipped,
            ..Receipt::of(file)
        });
    }

    /// Takes what is new in a history or document that git tracks.
    fn tracked(&mut self, root: &Root, file: &str, known: &Known) {
        let open = match root.open_foreign(file) {
            Ok(Some(open)) => open,
            Ok(None) => return,
            // It is tried again when it is another one.
            Err(_) => {
                let stamp = root.stamp_foreign(file).ok().flatten();
                self.receipts.push(Receipt {
                    stamp: stamp.as_ref().map(stamp_text).unwrap_or_default(),
                    skipped: 1,
                    ..Receipt::of(file)
                });
                return;
            }
        };
        let stamp = stamp_text(&open.stamp());
        // Git may have put this one in the place of this machine's own, whose records are in shared files.
        if !known.files.contains_key(file) && !root.is_there(file).unwrap_or(true) {
            self.receipts.push(Receipt {
                again: true,
                ..Receipt::default()
            });
        }
        let bytes = match open.len() {
            len if len <= MAX_FILE || file.ends_with(".jsonl") => {
                open.tail(MAX_FILE).map(|(_, tail)| tail)
            }
            _ => Ok(Vec::new()),
        };
        let bytes = bytes.unwrap_or_default();
        let mut digests = Vec::new();
        for record in tracked_records(file, &bytes) {
            let content = record.row.as_ref().or(record.document.as_ref());
            let digest = content.map(digest_of).unwrap_or_default();
            if !known.records.contains(&digest) {
                digests.push(digest);
            }
            self.add(record, known);
        }
        let mut rest = digests.as_slice();
        loop {
            let (now, later) = rest.split_at(rest.len().min(MAX_DIGESTS));
            self.receipts.push(Receipt {
                file: file.to_owned(),
                stamp: stamp.clone(),
                records: now.to_vec(),
                ..Receipt::default()
            });
            rest = later;
            if rest.is_empty() {
                return;
            }
        }
    }

    fn add(&mut self, record: Record, known: &Known) {
        let mark = |mut content: Members| {
            read::mark(&mut content, Origin::Repository);
            content
        };
        let content = record.row.as_ref().or(record.document.as_ref());
        if content.is_none_or(|content| known.records.contains(&digest_of(content))) {
            return;
        }
        if let Some(row) = record.row {
            self.rows.entry(record.file).or_default().push(mark(row));
        } else if let Some(document) = record.document {
            let documents = self.documents.entry(record.file).or_default();
            documents.push((record.after, mark(document)));
        }
    }

    fn into_effects(self, root: &Root, known: &Known) -> Effects {
        let histories = self.rows.into_iter();
        let mut effects: Effects = histories
            .filter_map(|(file, rows)| into_history(root, file, rows))
            .collect();
        effects.extend(self.documents.into_iter().filter_map(|(file, documents)| {
            let own = own_document(root, &file);
            let merged = all_merged(own.clone(), documents);
            let value = Value::Object(merged.filter(|merged| own.as_ref() != Some(merged))?);
            let order = KeyOrder::Sorted;
            Some(Effect::ReplaceJson { file, value, order })
        }));
        effects.push(receipts_effect(root, known, self.receipts));
        effects
    }
}

/// Records of a shared file that can be used, and how many lines cannot.
pub(crate) fn records(bytes: &[u8]) -> (Vec<Record>, u64) {
    let mut skipped = 0;
    let lines = read::lines(bytes).filter_map(|(_, line)| {
        let record = match line {
            Line::Row(members) => Record::deserialize(Value::Object(members)).ok(),
            Line::Bad(_) => None,
        };
        let record = record.filter(|record| {
            let is_history = record.file.ends_with(".jsonl");
            let is_whole = record.row.is_some() == is_history;
            let is_one = record.row.is_some() != record.document.is_some();
            files::travels(&record.file) && is_whole && is_one
        });
        skipped += u64::from(record.is_none());
        record
    });
    let records = lines.collect();
    (records, skipped)
}

/// The records of a history or document, as those of a shared file.
pub(crate) fn tracked_records(file: &str, bytes: &[u8]) -> Vec<Record> {
    let record = |row, document| Record {
        file: file.to_owned(),
        row,
        document,
        after: String::new(),
        from: String::new(),
    };
    if !file.ends_with(".jsonl") {
        let document = read::object(bytes).ok();
        return document
            .map(|d| record(None, Some(d)))
            .into_iter()
            .collect();
    }
    let rows = read::lines(bytes).filter_map(|(_, line)| match line {
        Line::Row(row) => Some(record(Some(row), None)),
        Line::Bad(_) => None,
    });
    rows.collect()
}

/// This machine's document of a name.
pub(crate) fn own_document(root: &Root, file: &str) -> Option<Members> {
    let open = root.open_if_there(file).ok()??;
    read::object(&open.read(MAX_FILE).ok()?).ok()
}

/// Returns the time of a record, as it says itself; empty where it does not say.
fn written(record: &Members) -> &str {
    let named = ["timestamp", "updated_at", "recorded_at", "created_at"];
    let texts = named.iter().filter_map(|name| record.get(*name)?.as_str());
    texts.into_iter().next().unwrap_or_default()
}

/// Puts rows of others among those of a history, in the order of time; nothing where none is new.
fn into_history(root: &Root, file: String, mut rows: Vec<Members>) -> Option<Effect> {
    let bytes = match root.open_if_there(&file) {
        Ok(Some(open)) if open.len() <= MAX_FILE => open.read(MAX_FILE).ok()?,
        _ => Vec::new(),
    };
    let own: Vec<Members> = read::lines(&bytes)
        .filter_map(|(_, line)| match line {
            Line::Row(row) => Some(row),
            Line::Bad(_) => None,
        })
        .collect();
    let mut seen: HashSet<String> = own.iter().map(digest_of).collect();
    rows.retain(|row| seen.insert(digest_of(row)));
    let first = rows.iter().map(written).min()?.to_owned();
    let order = KeyOrder::Sorted;
    let size: usize = rows.iter().map(|row| row.len() * 64).sum();
    let is_behind = own
        .last()
        .is_none_or(|last| written(last) <= first.as_str());
    // What would be too long to be written anew is added to.
    if is_behind || (bytes.len() + size) as u64 > MAX_FILE / 2 {
        rows.sort_by(|a, b| written(a).cmp(written(b)));
        let rows = rows.into_iter().map(Value::Object).collect();
        return Some(Effect::AppendRows { file, rows, order });
    }
    // Own rows keep their order: each has the latest time of those before it.
    let mut latest = String::new();
    let mut all: Vec<(String, Members)> = Vec::with_capacity(own.len() + rows.len());
    for row in own {
        if written(&row) > latest.as_str() {
            written(&row).clone_into(&mut latest);
        }
        all.push((latest.clone(), row));
    }
    all.extend(rows.into_iter().map(|row| (written(&row).to_owned(), row)));
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let rows = all.into_iter().map(|(_, row)| Value::Object(row)).collect();
    Some(Effect::ReplaceRows { file, rows, order })
}

/// A document with what others made of it: where theirs followed it, theirs; what was changed independently
/// is [merged].
fn all_merged(own: Option<Members>, mut theirs: Vec<Following>) -> Option<Members> {
    let mut current = own;
    loop {
        let digest = current.as_ref().map(digest_of).unwrap_or_default();
        let Some(at) = theirs.iter().position(|(after, _)| *after == digest) else {
            break;
        };
        current = Some(theirs.remove(at).1);
    }
    let followed: HashSet<String> = theirs.iter().map(|(after, _)| after.clone()).collect();
    let last = theirs
        .into_iter()
        .filter(|(_, document)| !followed.contains(&digest_of(document)));
    last.fold(current, |current, (_, theirs)| match current {
        None => Some(theirs),
        Some(current) => Some(merged(current, theirs)),
    })
}

/// One document of two that were changed independently: the newer one, with what only the other one has. The
/// same on both sides.
fn merged(a: Members, b: Members) -> Members {
    if digest_of(&a) == digest_of(&b) {
        return a;
    }
    let place = |record: &Members| (written(record).to_owned(), digest_of(record));
    let (older, mut newer) = if place(&a) <= place(&b) {
        (a, b)
    } else {
        (b, a)
    };
    for (name, value) in older {
        match (newer.get_mut(&name), value) {
            (None | Some(Value::Null), value) => drop(newer.insert(name, value)),
            (Some(Value::String(text)), value) if text.is_empty() => {
                newer.insert(name, value);
            }
            (Some(Value::Array(list)), Value::Array(old)) => {
                let mut all: Vec<Value> = old.into_iter().filter(|e| !list.contains(e)).collect();
                all.append(list);
                let over = all.len().saturating_sub(MAX_ENTRIES);
                *list = all.split_off(over);
            }
            _ => {}
        }
    }
    // What the newer one has checked is no longer open.
    if let Some(Value::Array(verified)) = newer.get("verified").cloned()
        && let Some(Value::Array(open)) = newer.get_mut("unverified")
    {
        open.retain(|entry| !verified.contains(entry));
    }
    read::mark(&mut newer, Origin::Repository);
    newer
}

/// Lines of a shared file for what a commit writes to `file`.
pub(crate) fn outgoing_rows(file: &str, bytes: &[u8], before: &[u8]) -> Vec<Record> {
    let before: BTreeSet<&[u8]> = before.split(|b| *b == b'\n').collect();
    let lines = bytes.split(|b| *b == b'\n');
    let new = lines.filter(|line| !line.is_empty() && !before.contains(line));
    new.flat_map(|line| tracked_records(file, line))
        .map(without_origin)
        .collect()
}

pub(crate) fn without_origin(mut record: Record) -> Record {
    for content in [&mut record.row, &mut record.document]
        .into_iter()
        .flatten()
    {
        content.remove(ORIGIN);
    }
    record
}

/// Records as the lines of a shared file.
pub(crate) fn lines(records: &[Record]) -> Vec<u8> {
    let mut out = Vec::new();
    for record in records {
        if let Ok(line) = serde_json::to_string(record) {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
    }
    out
}
