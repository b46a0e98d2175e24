//! The intent of a commit, durable before the first file is touched.
//!
//! At most one intent exists at a time, because it is written and removed under the lock and every
//! holder of the lock first finishes what it finds. An intent whose checksum does not hold was
//! never complete, so nothing of it was applied: it is set aside.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use aictx_proto::record::files::JOURNAL_DIR;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::commit::{self, Step, digest};
use crate::error::StoreError;
use crate::fs::Root;

const VERSION: u32 = 1;
/// An intent holds at most whole bounded files, twice as long for escapes.
const MAX_INTENT: u64 = 256 * 1024 * 1024;
/// More entries than this are looked at in the next recovery.
const MAX_ENTRIES: usize = 256;

#[derive(Deserialize)]
struct In {
    version: u32,
    sha256: String,
    steps: Box<RawValue>,
}

/// Digits of a digest.
const DIGITS: usize = 64;
/// Bytes of a step beside its content, and of the escapes in it, as a rule.
const ROOM: usize = 256;

/// As one line. Written out once, into room for it as a rule: this is the most that a commit writes.
fn encode<'s>(steps: &[Step], shown: impl Iterator<Item = &'s str>) -> serde_json::Result<Vec<u8>> {
    let shown = shown.map(|file| {
        let file = file.to_owned();
        Cow::Owned(Step::Remove { file })
    });
    let steps: Vec<_> = steps.iter().map(Step::intended).chain(shown).collect();
    let room = |step: &Cow<Step>| ROOM + step.size() + step.size() / 8;
    let room = steps.iter().map(room).sum::<usize>() + ROOM;
    let mut bytes = Vec::with_capacity(room);
    // The digest is of what follows it.
    bytes.extend_from_slice(format!(r#"{{"version":{VERSION},"sha256":""#).as_bytes());
    let at = bytes.len();
    bytes.resize(at + DIGITS, b'0');
    bytes.extend_from_slice(br#"","steps":"#);
    let from = bytes.len();
    serde_json::to_writer(&mut bytes, &steps)?;
    let digest = digest(bytes.get(from..).unwrap_or_default());
    let place = bytes.iter_mut().skip(at).take(DIGITS);
    place
        .zip(digest.bytes())
        .for_each(|(digit, known)| *digit = known);
    bytes.extend_from_slice(b"}\n");
    Ok(bytes)
}

/// The steps of an intact intent.
fn decode(bytes: &[u8]) -> Option<Vec<Step>> {
    let intent: In = serde_json::from_slice(bytes).ok()?;
    let whole = intent.version == VERSION && digest(intent.steps.get().as_bytes()) == intent.sha256;
    let steps: Vec<Step> = serde_json::from_str(intent.steps.get()).ok()?;
    let safe = |s: &Step| {
        let file = s.file();
        crate::fs::check(file).is_ok() && !file.starts_with('.')
    };
    (whole && steps.iter().all(safe)).then_some(steps)
}

/// A written intent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intent(String);

/// Makes an intent durable. On failure nothing is left of it, or, when not even that could be
/// arranged, [`StoreError::Deferred`] says that it may yet come true. Files that will be `shown` behind the
/// steps are to be removed by whoever finds it.
pub(crate) fn write<'s>(
    root: &Root,
    steps: &[Step],
    shown: impl Iterator<Item = &'s str>,
) -> Result<Intent, StoreError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Processes of two containers may have one number.
    static SELF: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    let name = format!(
        "{JOURNAL_DIR}/{}-{:08x}-{}.json",
        std::process::id(),
        *SELF & 0xffff_ffff,
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let fail = |e| root.error(&name, e);
    let bytes = encode(steps, shown).map_err(|e| fail(e.into()))?;
    root.make_dirs(JOURNAL_DIR).map_err(fail)?;
    let written = root
        .create_new(&name, &bytes)
        .and_then(|()| root.sync_parent(&name));
    if let Err(e) = written {
        let error = root.error(&name, e);
        return match root.unlink(&name) {
            Ok(()) => Err(error),
            Err(_) => Err(deferred(error)),
        };
    }
    Ok(Intent(name))
}

/// Removes an intent whose steps are durable. Failing is harmless: the next recovery finds
/// everything done.
pub(crate) fn remove(root: &Root, intent: &Intent) {
    let _ = root
        .unlink(&intent.0)
        .and_then(|()| root.sync_parent(&intent.0));
}

/// Removes an intent whose steps are in the files; the disk need not know at once.
pub(crate) fn forgo(root: &Root, intent: &Intent) {
    let _ = root.unlink(&intent.0);
}

/// The error of a commit that is in the journal.
pub(crate) fn deferred(error: StoreError) -> StoreError {
    match error {
        StoreError::NotWritable { path, source } => StoreError::Deferred { path, source },
        StoreError::UnsafePath { path, why } => StoreError::Deferred {
            path,
            source: Arc::new(io::Error::other(why)),
        },
        other => other,
    }
}

/// The error of a commit that was not begun because an earlier one could not be made durable.
pub(crate) fn not_written(error: StoreError) -> StoreError {
    match error {
        StoreError::Deferred { path, source } => StoreError::NotWritable { path, source },
        other => other,
    }
}

/// Finishes or sets aside what interrupted commits left, but for one that is `done` and only waits for
/// the disk. Needs the lock.
pub(crate) fn recover(
    root: &Root,
    done: Option<&Intent>,
    aside: &dyn Fn(&str) -> Result<(), StoreError>,
    quarantine_name: &dyn Fn(&str) -> String,
) -> Result<u64, StoreError> {
    let fail = |e| root.error(JOURNAL_DIR, e);
    // One call in the usual case; the directory may not exist yet.
    let names = root.list(JOURNAL_DIR, MAX_ENTRIES).map_err(fail)?;
    let mut finished = 0;
    for name in names {
        let file = format!("{JOURNAL_DIR}/{name}");
        if done.is_some_and(|intent| intent.0 == file) {
            continue;
        }
        let steps = match root.read_if_there(&file) {
            Ok(Some(open)) if crate::fs::len(&open).map_err(fail)? > MAX_INTENT => None,
            Ok(Some(open)) => crate::fs::read_range(&open, 0, MAX_INTENT)
                .map_err(fail)
                .map(|bytes| decode(&bytes))?,
            // A directory or the like is not ours.
            _ => continue,
        };
        match steps {
            Some(steps) if finish(root, &steps, aside)? => {
                root.unlink(&file).map_err(fail)?;
                finished += 1;
            }
            _ => root.rename(&file, &quarantine_name(&file)).map_err(fail)?,
        }
        root.sync_parent(&file).map_err(fail)?;
    }
    Ok(finished)
}

/// Applies an intent. Where a file can no longer be one (a directory or a link is in its place by
/// now), the other steps are done and the answer is false: one such file must not stop every later
/// commit.
fn finish(
    root: &Root,
    steps: &[Step],
    aside: &dyn Fn(&str) -> Result<(), StoreError>,
) -> Result<bool, StoreError> {
    match commit::apply(root, steps, aside) {
        Ok(_) => return Ok(true),
        Err(StoreError::UnsafePath { .. }) => {}
        Err(e) => return Err(e),
    }
    for step in steps {
        match commit::apply(root, std::slice::from_ref(step), aside) {
            Ok(_) | Err(StoreError::UnsafePath { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_what_was_written_or_none() {
        let steps: Vec<Step> = serde_json::from_str(
            r#"[
                {"step": "append", "file": "a/b.jsonl", "offset": 7, "bytes": {"text": "{\"x\":\"ä\"}\n"}},
                {"step": "replace", "file": "c.json", "bytes": {"hex": "ff00"}, "rows": false, "before": null}
            ]"#,
        )
        .unwrap();
        let bytes = encode(&steps, ["shown.md"].into_iter()).unwrap();
        let mut all = steps;
        let file = "shown.md".to_owned();
        all.push(Step::Remove { file });
        assert_eq!(decode(&bytes), Some(all));
        assert!(bytes.ends_with(b"}\n"));
        for at in 0..bytes.len() - 1 {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(decode(&other), None, "byte {at}");
            assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
        }
    }
}
