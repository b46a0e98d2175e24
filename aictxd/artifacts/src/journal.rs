//! The intent of a commit, durable before the first file is touched.
//!
//! At most one intent exists at a time, because it is written and removed under the lock and every
//! holder of the lock first finishes what it finds. An intent carries a tag of the
//! [user's key](crate::trust) over its steps and the inode of its file: one that was never complete
//! has none, and neither has one that came with the repository or was copied. The names of intents
//! begin with digits that nobody else can predict, so that what others put into the directory costs
//! no more than being listed.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use aictx_proto::record::files::JOURNAL_DIR;
use aictx_proto::snapshot::ReadIssue;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::commit::{self, Step};
use crate::error::StoreError;
use crate::fs::Root;
use crate::read;
use crate::trust::{Tagged, Trust};

/// Version 1 had a checksum in the place of the tag.
const VERSION: u32 = 2;
/// An intent holds at most whole bounded files, twice as long for escapes.
const MAX_INTENT: u64 = 256 * 1024 * 1024;
/// Intents finished in one recovery; more wait for the next one.
const MAX_ENTRIES: usize = 256;
/// Most names of one directory that are listed.
const MAX_LISTED: usize = 65_536;
/// Intents of others that are reported by name.
const MAX_REPORTED: usize = 8;

#[derive(Deserialize)]
pub(crate) struct In {
    version: u32,
    proof: String,
    pub(crate) steps: Box<RawValue>,
}

/// Bytes of a step beside its content, and of the escapes in it, as a rule.
const ROOM: usize = 256;

/// The steps as they stand in an intent. Written out once, into room for them as a rule: this is the
/// most that a commit writes.
fn steps_text<'s>(
    steps: &[Step],
    shown: impl Iterator<Item = &'s str>,
) -> serde_json::Result<Vec<u8>> {
    let shown = shown.map(|file| {
        let file = file.to_owned();
        Cow::Owned(Step::Remove { file })
    });
    let steps: Vec<_> = steps.iter().map(Step::intended).chain(shown).collect();
    let room = |step: &Cow<Step>| ROOM + step.size() + step.size() / 8;
    let mut bytes = Vec::with_capacity(steps.iter().map(room).sum());
    serde_json::to_writer(&mut bytes, &steps)?;
    Ok(bytes)
}

/// An intent as one line, for the file of this inode.
pub(crate) fn encode(trust: &Trust, inode: u64, steps: &[u8]) -> Vec<u8> {
    let proof = trust.tag(Tagged::Intent, &[&inode.to_le_bytes(), steps]);
    let head = format!(r#"{{"version":{VERSION},"proof":"{proof}","steps":"#);
    [head.as_bytes(), steps, b"}\n"].concat()
}

/// The steps of an intent that this user wrote into the file of this inode.
fn decode(trust: &Trust, inode: u64, bytes: &[u8]) -> Option<Vec<Step>> {
    let intent: In = serde_json::from_slice(bytes).ok()?;
    let parts = [&inode.to_le_bytes(), intent.steps.get().as_bytes()];
    if intent.version != VERSION || !trust.verifies(Tagged::Intent, &parts, &intent.proof) {
        return None;
    }
    let steps: Vec<Step> = serde_json::from_str(intent.steps.get()).ok()?;
    let is_safe = |s: &Step| {
        let file = s.file();
        crate::fs::check(file).is_ok() && !file.starts_with('.')
    };
    steps.iter().all(is_safe).then_some(steps)
}

/// Beginning of the names of this user's intents.
pub(crate) fn prefix(trust: &Trust) -> String {
    format!("{}-", trust.digits("journal"))
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
    let trust = root.trust();
    let name = format!(
        "{JOURNAL_DIR}/{}{}-{:08x}-{}.json",
        prefix(trust),
        std::process::id(),
        *SELF & 0xffff_ffff,
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let fail = |e| root.error(&name, e);
    let steps = steps_text(steps, shown).map_err(|e| fail(e.into()))?;
    root.make_dirs(JOURNAL_DIR).map_err(fail)?;
    let written = root
        .create_with(&name, &|inode| Cow::Owned(encode(trust, inode, &steps)))
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

/// Names in the journal.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// Of intents of this user.
    pub(crate) own: Vec<String>,
    /// Entries that are not this user's.
    pub(crate) foreign: Vec<ReadIssue>,
}

/// Lists the journal, whose directory may not exist yet; one call in the usual case.
pub(crate) fn list(root: &Root) -> io::Result<Listed> {
    let names = root.list(JOURNAL_DIR, MAX_LISTED)?;
    if names.is_empty() {
        return Ok(Listed::default());
    }
    let prefix = prefix(root.trust());
    let (own, foreign): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|name| name.starts_with(&prefix));
    let foreign = foreign.iter().take(MAX_REPORTED);
    let foreign = foreign.map(|name| format!("{JOURNAL_DIR}/{name}"));
    Ok(Listed {
        own,
        foreign: foreign
            .map(|file| read::unproven(&file, "not carried out"))
            .collect(),
    })
}

/// Finishes or sets aside what interrupted commits of this user left, but for one that is `done` and
/// only waits for the disk; gives how many were finished. What others put there is reported and otherwise
/// left alone. Needs the lock.
pub(crate) fn recover(
    root: &Root,
    done: Option<&Intent>,
    aside: &dyn Fn(&str) -> Result<(), StoreError>,
    quarantine_name: &dyn Fn(&str) -> String,
) -> Result<(u64, Vec<ReadIssue>), StoreError> {
    let fail = |e| root.error(JOURNAL_DIR, e);
    let Listed { own, foreign } = list(root).map_err(fail)?;
    let (trust, mut finished) = (root.trust(), 0);
    for name in own.into_iter().take(MAX_ENTRIES) {
        let file = format!("{JOURNAL_DIR}/{name}");
        if done.is_some_and(|intent| intent.0 == file) {
            continue;
        }
        let steps = match root.open_if_there(&file) {
            Ok(Some(open)) if open.len() > MAX_INTENT => None,
            Ok(Some(open)) => {
                let bytes = open.read(MAX_INTENT).map_err(fail)?;
                decode(trust, open.inode(), &bytes)
            }
            // A directory or the like is not ours.
            _ => continue,
        };
        match steps {
            Some(steps) if finish(root, &steps, aside)? => {
                root.unlink(&file).map_err(fail)?;
                finished += 1;
            }
            // What git tracks stays where it is.
            _ if root.names().tracked.holds(&file) => continue,
            _ => root.rename(&file, &quarantine_name(&file)).map_err(fail)?,
        }
        root.sync_parent(&file).map_err(fail)?;
    }
    Ok((finished, foreign))
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
    use aictx_files::key::UserKey;

    #[test]
    fn an_intent_is_what_this_user_wrote_into_this_file_or_none() {
        let steps: Vec<Step> = serde_json::from_str(
            r#"[
                {"step": "append", "file": "a/b.jsonl", "offset": 7, "bytes": {"text": "{\"x\":\"ä\"}\n"}},
                {"step": "replace", "file": "c.json", "bytes": {"hex": "ff00"}, "rows": false, "before": null}
            ]"#,
        )
        .unwrap();
        let trust = Trust::new(UserKey::ephemeral().unwrap());
        let text = steps_text(&steps, ["shown.md"].into_iter()).unwrap();
        let bytes = encode(&trust, 7, &text);
        let mut all = steps;
        let file = "shown.md".to_owned();
        all.push(Step::Remove { file });
        assert_eq!(decode(&trust, 7, &bytes), Some(all));
        assert_eq!(decode(&trust, 8, &bytes), None, "another file");
        let other = Trust::new(UserKey::ephemeral().unwrap());
        assert_eq!(decode(&other, 7, &bytes), None, "another user");
        assert!(bytes.ends_with(b"}\n"));
        for at in 0..bytes.len() - 1 {
            let mut bent = bytes.clone();
            bent[at] ^= 1;
            assert_eq!(decode(&trust, 7, &bent), None, "byte {at}");
            assert_eq!(decode(&trust, 7, &bytes[..at]), None, "cut at {at}");
        }
    }
}
