//! Applying steps to the files, so that doing it again changes nothing.
//!
//! The same code runs in a commit and in the recovery of one that was interrupted: every step
//! first looks at what is there.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use aictx_proto::record::files;
use aictx_proto::text::hex;
use rustix::fs::Mode;
use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::effect_encoding::{Delta, Kind};
use crate::error::StoreError;
use crate::fs::{self, Opened, Root, Stamp};
use crate::ledger_file::{is_ledger, lacking};
use crate::read::{self, Line, MAX_FILE};
use crate::snapshot::Cache;

/// Bytes as they are kept in an intent: text where they are text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bytes {
    /// UTF-8.
    Text(String),
    /// Anything else (lines that another program damaged), two digits a byte.
    Hex(String),
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|e| Self::Hex(hex(e.as_bytes())), Self::Text)
    }

    pub(crate) fn get(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_bytes()),
            Self::Hex(digits) => {
                let pairs = digits.as_bytes().chunks(2);
                let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
                pairs.filter_map(byte).collect()
            }
        }
    }
}

/// Content of a file when its replacement was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Before {
    len: u64,
    sha256: String,
}

/// One write, complete in itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(crate) enum Step {
    /// Whole lines behind `offset`.
    Append {
        file: String,
        offset: u64,
        bytes: Bytes,
    },
    /// New content. Of row files, what others put behind the old content meanwhile stays.
    Replace {
        file: String,
        bytes: Bytes,
        rows: bool,
        before: Option<Before>,
    },
    /// No file any more.
    Remove { file: String },
}

impl Step {
    pub(crate) fn file(&self) -> &str {
        match self {
            Self::Append { file, .. } | Self::Replace { file, .. } | Self::Remove { file } => file,
        }
    }

    /// Bytes of its content.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Append { bytes, .. } | Self::Replace { bytes, .. } => match bytes {
                Bytes::Text(text) | Bytes::Hex(text) => text.len(),
            },
            Self::Remove { .. } => 0,
        }
    }

    /// Returns its journal entry. A file that only shows what others hold is not worth being
    /// written twice: whoever finishes an interrupted commit takes it away.
    pub(crate) fn intended(&self) -> Cow<'_, Self> {
        match self {
            Self::Replace { file, .. } if is_shown(file) => {
                Cow::Owned(Self::Remove { file: file.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }
}

/// The writes of a group of operations, merged by file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    order: Vec<String>,
    files: BTreeMap<String, (Kind, Vec<u8>)>,
}

/// A plan as steps, and the files whose present content has to be copied aside first.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) rescue: Vec<String>,
    /// Length each file has after the commit if nobody else writes; none if that is unsure.
    pub(crate) lengths: Vec<(String, Option<u64>)>,
}

impl Plan {
    pub(crate) fn add(&mut self, delta: Delta) {
        match self.files.get_mut(&delta.file) {
            // What is removed and then written to begins anew.
            Some((kind, bytes)) if delta.kind == Kind::Append && *kind != Kind::Remove => {
                bytes.extend(delta.bytes);
            }
            Some(there) if delta.kind == Kind::Append => *there = (Kind::Text, delta.bytes),
            Some(there) => *there = (delta.kind, delta.bytes),
            None => {
                self.order.push(delta.file.clone());
                self.files.insert(delta.file, (delta.kind, delta.bytes));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Files of the plan in the order of writing, each with kind and bytes.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (&str, Kind, &[u8])> {
        let writes = self.order.iter();
        writes.filter_map(|file| {
            let (kind, bytes) = self.files.get(file)?;
            Some((file.as_str(), *kind, bytes.as_slice()))
        })
    }

    /// Looks at the files and fixes offsets and what has to be kept.
    pub(crate) fn steps(mut self, root: &Root, cache: &Cache) -> Result<Steps, StoreError> {
        let mut out = Steps::default();
        for file in self.order {
            let Some((kind, bytes)) = self.files.remove(&file) else {
                continue;
            };
            let there = || root.open_if_there(&file);
            let (step, len) = match kind {
                Kind::Remove => root.is_there(&file).map(|_| {
                    let step = Step::Remove { file: file.clone() };
                    (step, None)
                }),
                Kind::Append => there().and_then(|there| append_step(&file, bytes, there)),
                // Whatever it is that lies there.
                _ if is_shown(&file) => {
                    let there = root.is_there(&file);
                    there.map(|_| replacement(&file, bytes, false, None, true))
                }
                _ => there().and_then(|there| {
                    replace_step(&file, kind, bytes, there, cache, &mut out.rescue)
                }),
            }
            .map_err(|e| root.error(&file, e))?;
            out.steps.push(step);
            out.lengths.push((file, len));
        }
        Ok(out)
    }
}

fn append_step(
    file: &str,
    bytes: Vec<u8>,
    there: Option<Opened>,
) -> io::Result<(Step, Option<u64>)> {
    let (mut offset, mut torn) = (0, false);
    if let Some(open) = there {
        offset = open.len();
        torn = !open.ends_a_line()?;
    }
    let len = (!torn).then_some(offset + bytes.len() as u64);
    let step = Step::Append {
        file: file.to_owned(),
        offset,
        bytes: Bytes::new(bytes),
    };
    Ok((step, len))
}

fn replace_step(
    file: &str,
    kind: Kind,
    mut bytes: Vec<u8>,
    there: Option<Opened>,
    cache: &Cache,
    rescue: &mut Vec<String>,
) -> io::Result<(Step, Option<u64>)> {
    let mut before = None;
    let mut sure = true;
    if let Some(open) = there {
        let mut old = open.read(MAX_FILE + 1)?;
        let most = usize::try_from(MAX_FILE).unwrap_or(usize::MAX);
        let too_long = old.len() > most;
        old.truncate(most);
        let broken = match kind {
            Kind::Rows => too_long || cache.is_bent(file),
            Kind::Json => {
                let bad = !old.is_empty() && !read::is_object(&old);
                bad || too_long || cache.is_bent(file)
            }
            _ => false,
        };
        if broken {
            rescue.push(file.to_owned());
        }
        if kind == Kind::Rows {
            let kept = kept_lines(&old, cache.len_read(file));
            sure = kept.is_empty();
            bytes.extend(kept);
        }
        before = Some(Before {
            len: old.len() as u64,
            sha256: digest(&old),
        });
    }
    Ok(replacement(file, bytes, kind == Kind::Rows, before, sure))
}

/// A step, and the length that the file has then where that is `sure`.
fn replacement(
    file: &str,
    bytes: Vec<u8>,
    rows: bool,
    before: Option<Before>,
    sure: bool,
) -> (Step, Option<u64>) {
    let len = sure.then_some(bytes.len() as u64);
    let step = Step::Replace {
        file: file.to_owned(),
        bytes: Bytes::new(bytes),
        rows,
        before,
    };
    (step, len)
}

/// Returns the lines that new rows do not replace: unreadable ones, and rows added after the file was read.
fn kept_lines(old: &[u8], read: Option<u64>) -> Vec<u8> {
    let read = read.map_or(old.len(), |n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut kept = Vec::new();
    for (at, line) in read::lines(old) {
        if at.start >= read || matches!(line, Line::Bad(_)) {
            kept.extend_from_slice(old.get(at).unwrap_or_default());
            if kept.last() != Some(&b'\n') {
                kept.push(b'\n');
            }
        }
    }
    kept
}

fn ends_a_line(file: &File, len: u64) -> io::Result<bool> {
    Ok(len == 0 || fs::is_line_end(file, len - 1)?)
}

/// Does all steps and makes them durable. Harmless to repeat after any interruption.
pub(crate) fn apply(
    root: &Root,
    steps: &[Step],
    aside: &dyn Fn(&str) -> Result<(), StoreError>,
) -> Result<BTreeMap<String, Stamp>, StoreError> {
    let mut appended: Vec<(&str, File)> = Vec::new();
    let mut renamed: BTreeSet<&str> = BTreeSet::new();
    for step in steps {
        let file = step.file();
        match step {
            Step::Remove { .. } => {
                match root.unlink(file) {
                    // Its directory is not there either.
                    Err(e) if fs::is_missing(&e) => continue,
                    done => done.map_err(|e| root.error(file, e))?,
                }
                renamed.insert(file);
            }
            Step::Append { offset, bytes, .. } => {
                let (open, new) =
                    append(root, file, *offset, &bytes.get()).map_err(|e| root.error(file, e))?;
                if new {
                    renamed.insert(file);
                }
                appended.push((file, open));
            }
            Step::Replace {
                bytes,
                rows,
                before,
                ..
            } => {
                let bytes = bytes.get();
                if is_shown(file) {
                    show(root, file, &bytes).map_err(|e| root.error(file, e))?;
                    continue;
                }
                let there = current(root, file, &bytes, *rows, before.as_ref())
                    .map_err(|e| root.error(file, e))?;
                match there {
                    Current::New => {
                        root.remove_temp(file).map_err(|e| root.error(file, e))?;
                    }
                    Current::Old(mode) if !rows => {
                        root.replace_seen(file, &bytes, mode)
                            .map_err(|e| root.error(file, e))?;
                    }
                    there => {
                        if matches!(there, Current::Foreign) {
                            aside(file)?;
                        }
                        replace(root, file, &bytes, *rows, before.as_ref())
                            .map_err(|e| root.error(file, e))?;
                    }
                }
                renamed.insert(file);
            }
        }
    }
    let mut stamps = BTreeMap::new();
    for (file, open) in appended {
        fs::sync(open, file).map_err(|e| root.error(file, e))?;
    }
    let mut parents = BTreeSet::new();
    for file in renamed {
        if parents.insert(file.rsplit_once('/').map_or("", |(dir, _)| dir)) {
            root.sync_parent(file).map_err(|e| root.error(file, e))?;
        }
    }
    for step in steps {
        if let Ok(Some(stamp)) = root.stamp(step.file()) {
            stamps.insert(step.file().to_owned(), stamp);
        }
    }
    Ok(stamps)
}

/// Returns true if a file only shows what others hold, for whoever wants to look. It is written anew each
/// time, and nothing is worth keeping of it: so it is written in place, which spares the file system
/// a file made and one removed.
pub(crate) fn is_shown(file: &str) -> bool {
    matches!(file, files::RESUME_CAPSULE_JSON | files::RESUME_CAPSULE_MD)
}

/// Writes such a file and makes it durable.
pub(crate) fn show(root: &Root, file: &str, bytes: &[u8]) -> io::Result<()> {
    if root.overwrite(file, bytes)? {
        return Ok(());
    }
    root.replace(file, bytes)?;
    root.sync_parent(file)
}

/// Appends those of the lines that are not there yet, with one write.
fn append(root: &Root, file: &str, offset: u64, bytes: &[u8]) -> io::Result<(File, bool)> {
    let (mut open, len, new) = root.append_handle(file)?;
    let mut out = Vec::new();
    if is_ledger(file) {
        // It may have become somebody else's since this was decided.
        let proof = lacking(root, file, &open)?;
        out = proof.ok_or(io::ErrorKind::InvalidInput)?;
    }
    if !out.is_empty() {
        // No whole line of it is there.
        out.extend_from_slice(bytes);
    } else if len == offset {
        if !ends_a_line(&open, len)? {
            out.push(b'\n');
        }
        out.extend_from_slice(bytes);
    } else {
        // Interrupted before, or another program wrote meanwhile (or made the file anew).
        let from = if len < offset { 0 } else { offset };
        // Who wrote more than a file may hold did not leave ours before it.
        let from = from.max(len.saturating_sub(MAX_FILE));
        let mid_line = from > 0 && !fs::is_line_end(&open, from - 1)?;
        let since = fs::read_range(&open, from, MAX_FILE)?;
        out.extend(missing(&since, mid_line, bytes));
    }
    if !out.is_empty() {
        fs::write(&mut open, &out, file)?;
    }
    Ok((open, new))
}

/// Returns the text to write so that every line of `want` is there, given what was written `since`
/// and whether that began in the middle of somebody else's line.
fn missing(since: &[u8], mid_line: bool, want: &[u8]) -> Vec<u8> {
    let mut pieces: Vec<&[u8]> = since.split_inclusive(|b| *b == b'\n').collect();
    if mid_line && !pieces.is_empty() {
        pieces.remove(0);
    }
    let fragment = match pieces.last() {
        Some(last) if !last.ends_with(b"\n") => pieces.pop().unwrap_or_default(),
        _ => b"",
    };
    let mut lacking: Vec<&[u8]> = Vec::new();
    for line in want.split_inclusive(|b| *b == b'\n') {
        match pieces.iter().position(|p| *p == line) {
            Some(at) => {
                pieces.swap_remove(at);
            }
            None => lacking.push(line),
        }
    }
    let mut out = Vec::new();
    let Some(first) = lacking.first() else {
        return out;
    };
    // Half a line of ours at the very end is completed, anything else gets its own end.
    let done = if !fragment.is_empty() && first.starts_with(fragment) {
        fragment.len()
    } else {
        if since.last().is_some_and(|b| *b != b'\n') || (since.is_empty() && mid_line) {
            out.push(b'\n');
        }
        0
    };
    out.extend_from_slice(first.get(done..).unwrap_or_default());
    lacking
        .iter()
        .skip(1)
        .for_each(|l| out.extend_from_slice(l));
    out
}

/// Present file in the place of new content.
enum Current {
    /// The new content already (others may have added to it).
    New,
    /// The old content, with the file's mode, or nothing where there was nothing.
    Old(Option<Mode>),
    /// Something else: somebody wrote after the commit was decided.
    Foreign,
}

fn current(
    root: &Root,
    file: &str,
    new: &[u8],
    rows: bool,
    before: Option<&Before>,
) -> io::Result<Current> {
    let Some(open) = root.open_if_there(file)? else {
        return Ok(Current::Old(None));
    };
    let there = open.read(MAX_FILE * 2)?;
    if there == new {
        return Ok(Current::New);
    }
    let same = before.is_some_and(|b| {
        usize::try_from(b.len)
            .ok()
            .and_then(|n| there.get(..n))
            .is_some_and(|prefix| digest(prefix) == b.sha256)
    });
    // Rows taken from the end leave a beginning of what was there: that is the old content still.
    let shrinks = same && before.is_some_and(|b| (new.len() as u64) < b.len);
    if rows && !shrinks && !new.is_empty() && there.starts_with(new) {
        return Ok(Current::New);
    }
    Ok(if same {
        Current::Old(Some(open.mode()))
    } else {
        Current::Foreign
    })
}

/// Replaces a file. Rows that a program without the lock puts behind the old ones while this
/// happens are carried over.
fn replace(
    root: &Root,
    file: &str,
    bytes: &[u8],
    rows: bool,
    before: Option<&Before>,
) -> io::Result<()> {
    if !rows {
        return root.replace(file, bytes);
    }
    let mut seen = before.map_or(0, |b| b.len);
    if seen >= MAX_FILE
        && let Some(old) = root.read_if_there(file)?
    {
        seen = seen.max(fs::len(&old)?);
    }
    replace_rows(root, file, bytes.to_vec(), seen)
}

/// Replaces the first `seen` bytes of a row file by `bytes`.
pub(crate) fn replace_rows(
    root: &Root,
    file: &str,
    mut bytes: Vec<u8>,
    mut seen: u64,
) -> io::Result<()> {
    let Some(old) = root.read_if_there(file)? else {
        return root.replace(file, &bytes);
    };
    let more = fs::read_range(&old, seen, MAX_FILE)?;
    seen += more.len() as u64;
    bytes.extend(more);
    root.replace(file, &bytes)?;
    let late = fs::read_range(&old, seen, MAX_FILE)?;
    if !late.is_empty() {
        let (mut open, ..) = root.append_handle(file)?;
        fs::write(&mut open, &late, file)?;
        fs::sync(open, file)?;
    }
    Ok(())
}
