//! `.agents/runs/` of a worktree: the ledgers of agent runs, outside of `.aictx/` because other programs read and
//! write them there.
//!
//! It has a lock of its own, so that a run in one worktree never waits for the memory of all of them. Writes are
//! scrubbed, bounded and durable as those of the [`Store`](crate::Store), one after the other: operations order
//! them so that the last one is what counts.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use aictx_proto::effect::{Effect, Effects};
use aictx_redact::Report;
use flate2::Compression;
use flate2::read::{GzEncoder, MultiGzDecoder};

use crate::effect_encoding::{self, Delta, Kind};
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::lock::{self, DEADLINE};
use crate::read::MAX_FILE;
use crate::trust::Trust;

/// Keeps git from seeing the directory, itself included.
const IGNORE: &str = ".gitignore";
const IGNORE_TEXT: &[u8] = b"*\n";
/// End of the name of a file that what was torn is moved to.
const TORN: &str = ".bad";
/// End of the name of a compressed file.
const PACKED: &str = ".gz";

/// The directory of runs of one worktree.
#[derive(Debug)]
pub struct RunDirectory {
    root: Root,
}

impl RunDirectory {
    /// Opens `directory` below a worktree; nothing where it is not there.
    ///
    /// # Errors
    /// A link or a file is in its place, or on the way to it.
    pub fn open(
        worktree: &Path,
        directory: &str,
        trust: Trust,
    ) -> Result<Option<Self>, StoreError> {
        match Root::open_below(worktree, directory, &Arc::new(trust)) {
            Ok(root) => Ok(Some(Self { root })),
            Err(StoreError::NotInitialised { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens `directory` below a worktree and makes it where it is not there, hidden from git.
    ///
    /// # Errors
    /// As [`open`](Self::open), or not writable.
    pub fn create(worktree: &Path, directory: &str, trust: Trust) -> Result<Self, StoreError> {
        let trust = Arc::new(trust);
        let above = Root::open_below(worktree, "", &trust)?;
        above
            .make_dirs(directory)
            .map_err(|e| StoreError::at(worktree.join(directory), e))?;
        let root = Root::open_below(worktree, directory, &trust)?;
        let fail = |e| root.error(IGNORE, e);
        if root.stamp(IGNORE).map_err(fail)?.is_none() {
            // A draft has one name: who begins at the same time would take it away.
            let _lock = lock::take(&root, Instant::now() + DEADLINE)?;
            root.replace(IGNORE, IGNORE_TEXT).map_err(fail)?;
            root.sync_parent(IGNORE).map_err(fail)?;
        }
        Ok(Self { root })
    }

    /// Reads a file; nothing where neither it nor a compressed one is there.
    ///
    /// # Errors
    /// It is a link or no plain file, too long, or the system refuses.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let whole = |file: &str| {
            let opened = self.root.open_if_there(file);
            let opened = opened.map_err(|e| self.root.error(file, e))?;
            let Some(opened) = opened else {
                return Ok(None);
            };
            let bytes = opened.read(MAX_FILE + 1);
            let bytes = bytes.map_err(|e| self.root.error(file, e))?;
            self.bounded(file, bytes.len())?;
            Ok(Some(bytes))
        };
        if let Some(bytes) = whole(file)? {
            return Ok(Some(bytes));
        }
        let file = format!("{file}{PACKED}");
        let Some(packed) = whole(&file)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        MultiGzDecoder::new(packed.as_slice())
            .take(MAX_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| self.root.error(&file, e))?;
        self.bounded(&file, bytes.len())?;
        Ok(Some(bytes))
    }

    fn bounded(&self, file: &str, bytes: usize) -> Result<(), StoreError> {
        let limit = usize::try_from(MAX_FILE).unwrap_or(usize::MAX);
        match bytes > limit {
            true => Err(StoreError::TooLarge {
                file: file.to_owned(),
                bytes,
                limit,
            }),
            false => Ok(()),
        }
    }

    /// Names in the directory or one below it, sorted, at most `limit`.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn list(&self, directory: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let listed = self.root.list(directory, limit);
        listed.map_err(|e| self.root.error(directory, e))
    }

    /// Decides with the lock in hand, and makes the effects durable in their order. An error means that those
    /// before the failed one have happened.
    ///
    /// # Errors
    /// Locked for too long, or a file cannot be read or written.
    pub fn transact<T>(
        &self,
        decide: impl FnOnce(&Self) -> (T, Effects),
    ) -> Result<(T, Report), StoreError> {
        self.transact_by(Instant::now() + DEADLINE, decide)
    }

    /// [`transact`](Self::transact) that waits for others until then at most.
    ///
    /// # Errors
    /// As [`transact`](Self::transact).
    pub fn transact_by<T>(
        &self,
        deadline: Instant,
        decide: impl FnOnce(&Self) -> (T, Effects),
    ) -> Result<(T, Report), StoreError> {
        aictx_redact::prepare();
        let _lock = lock::take(&self.root, deadline)?;
        let mut report = Report::default();
        let (reply, effects) = decide(self);
        let deltas: Vec<Delta> = effects
            .into_iter()
            .map(|effect: Effect| effect_encoding::effect(effect, &mut report))
            .collect::<Result<_, _>>()?;
        for delta in &deltas {
            self.apply(delta)?;
        }
        Ok((reply, report))
    }

    fn apply(&self, delta: &Delta) -> Result<(), StoreError> {
        let file = delta.file.as_str();
        match delta.kind {
            Kind::Append => self.append(file, &delta.bytes),
            Kind::Remove => self.root.unlink(file).map_err(|e| self.root.error(file, e)),
            Kind::Rows | Kind::Json | Kind::Text => {
                let replaced = self.root.replace(file, &delta.bytes);
                let synced = replaced.and_then(|()| self.root.sync_parent(file));
                synced.map_err(|e| self.root.error(file, e))
            }
        }
    }

    fn append(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let fail = |e| self.root.error(file, e);
        let (mut open, len, is_new) = self.root.append_handle(file).map_err(fail)?;
        let old = fs::read_of(&open, len, 0, MAX_FILE).map_err(fail)?;
        self.bounded(file, old.len() + bytes.len())?;
        let whole = old.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let tail = old.get(whole..).unwrap_or_default();
        let mut out = Vec::new();
        if !tail.is_empty() && serde_json::from_slice::<serde_json::Value>(tail).is_ok() {
            out.push(b'\n');
        } else if !tail.is_empty() {
            self.set_aside(file, tail, &open, whole)?;
        }
        out.extend_from_slice(bytes);
        fs::write(&mut open, &out, file).map_err(fail)?;
        fs::sync(open, file).map_err(fail)?;
        if is_new {
            self.root.sync_parent(file).map_err(fail)?;
        }
        Ok(())
    }

    /// Moves the torn end of a ledger to a file beside it: appended to it, it would spoil the next row.
    fn set_aside(
        &self,
        file: &str,
        tail: &[u8],
        open: &File,
        whole: usize,
    ) -> Result<(), StoreError> {
        let aside = format!("{file}{TORN}");
        let fail = |e| self.root.error(&aside, e);
        let (mut bad, _, is_new) = self.root.append_handle(&aside).map_err(fail)?;
        let mut line = tail.to_vec();
        line.push(b'\n');
        fs::write(&mut bad, &line, &aside).map_err(fail)?;
        fs::sync(bad, &aside).map_err(fail)?;
        if is_new {
            self.root.sync_parent(&aside).map_err(fail)?;
        }
        open.set_len(whole as u64).map_err(fail)
    }

    /// Compresses a file in place of itself; nothing to do where it is not there. The caller holds the lock by
    /// [`transact`](Self::transact).
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn compress(&self, file: &str) -> Result<(), StoreError> {
        let fail = |e| self.root.error(file, e);
        let Some(opened) = self.root.open_if_there(file).map_err(fail)? else {
            return Ok(());
        };
        let bytes = opened.read(MAX_FILE + 1).map_err(fail)?;
        // What was not read would be lost with the file.
        self.bounded(file, bytes.len())?;
        let packed = packed(&bytes).map_err(fail)?;
        let to = format!("{file}{PACKED}");
        self.root.replace(&to, &packed).map_err(fail)?;
        self.root.sync_parent(&to).map_err(fail)?;
        self.root.unlink(file).map_err(fail)
    }

    /// Puts a compressed file back, so that it can be appended to.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn decompress(&self, file: &str) -> Result<(), StoreError> {
        let fail = |e| self.root.error(file, e);
        if self.root.is_there(file).map_err(fail)? {
            return Ok(());
        }
        let Some(bytes) = self.read(file)? else {
            return Ok(());
        };
        self.root.replace(file, &bytes).map_err(fail)?;
        self.root.sync_parent(file).map_err(fail)?;
        self.root.unlink(&format!("{file}{PACKED}")).map_err(fail)
    }
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, Compression::default()).read_to_end(&mut packed)?;
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_files::key::UserKey;
    use aictx_proto::effect::KeyOrder;
    use serde_json::json;

    const RUNS: &str = ".agents/runs";

    fn trust() -> Trust {
        Trust::new(UserKey::ephemeral().unwrap())
    }

    fn row(text: &str) -> Effects {
        vec![Effect::AppendRows {
            file: "r/evidence.jsonl".to_owned(),
            rows: vec![json!({ "text": text, "id": "E001" })],
            order: KeyOrder::Sorted,
        }]
    }

    fn ledger(worktree: &Path) -> String {
        std::fs::read_to_string(worktree.join(RUNS).join("r/evidence.jsonl")).unwrap()
    }

    #[test]
    fn rows_are_appended_scrubbed_and_hidden_from_git() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            RunDirectory::open(dir.path(), RUNS, trust())
                .unwrap()
                .is_none()
        );
        let runs = RunDirectory::create(dir.path(), RUNS, trust()).unwrap();
        let secret = format!("token ghp_{}", "a1B2".repeat(9));
        runs.transact(|_| ((), row(&secret))).unwrap();
        let text = ledger(dir.path());
        assert!(
            text.starts_with(r#"{"id":"E001","text":"token [redacted"#),
            "{text}"
        );
        let ignore = dir.path().join(RUNS).join(".gitignore");
        assert_eq!(std::fs::read_to_string(ignore).unwrap(), "*\n");
        assert_eq!(runs.read("r/none").unwrap(), None);
    }

    #[test]
    fn a_torn_end_is_set_aside_and_a_whole_one_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let runs = RunDirectory::create(dir.path(), RUNS, trust()).unwrap();
        let file = dir.path().join(RUNS).join("r/evidence.jsonl");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "{\"id\":\"E001\"}\n{\"id\":\"E00").unwrap();
        runs.transact(|_| ((), row("x"))).unwrap();
        assert_eq!(
            ledger(dir.path()),
            "{\"id\":\"E001\"}\n{\"id\":\"E001\",\"text\":\"x\"}\n"
        );
        let bad = std::fs::read_to_string(file.with_extension("jsonl.bad")).unwrap();
        assert_eq!(bad, "{\"id\":\"E00\n");
        std::fs::write(&file, "{\"id\":\"E001\"}").unwrap();
        runs.transact(|_| ((), row("x"))).unwrap();
        assert_eq!(ledger(dir.path()).lines().count(), 2);
    }

    #[test]
    fn compressed_files_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let runs = RunDirectory::create(dir.path(), RUNS, trust()).unwrap();
        runs.transact(|_| ((), row("x"))).unwrap();
        let before = runs.read("r/evidence.jsonl").unwrap();
        runs.compress("r/evidence.jsonl").unwrap();
        assert!(!dir.path().join(RUNS).join("r/evidence.jsonl").exists());
        assert_eq!(runs.read("r/evidence.jsonl").unwrap(), before);
        runs.decompress("r/evidence.jsonl").unwrap();
        assert_eq!(ledger(dir.path()).into_bytes(), before.unwrap());
    }

    #[test]
    fn a_file_that_is_too_long_to_be_read_is_not_compressed() {
        let dir = tempfile::tempdir().unwrap();
        let runs = RunDirectory::create(dir.path(), RUNS, trust()).unwrap();
        runs.transact(|_| ((), row("x"))).unwrap();
        let path = dir.path().join(RUNS).join("r/evidence.jsonl");
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(MAX_FILE + 1).unwrap();
        let refused = runs.compress("r/evidence.jsonl").unwrap_err();
        assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused}");
        assert_eq!(path.metadata().unwrap().len(), MAX_FILE + 1);
    }

    #[test]
    fn nothing_leads_out_of_the_directory() {
        use std::os::unix::fs::symlink;
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(outside.path(), dir.path().join(".agents")).unwrap();
        assert!(RunDirectory::open(dir.path(), RUNS, trust()).is_err());
        assert!(RunDirectory::create(dir.path(), RUNS, trust()).is_err());
        std::fs::remove_file(dir.path().join(".agents")).unwrap();
        let runs = RunDirectory::create(dir.path(), RUNS, trust()).unwrap();
        symlink(outside.path(), dir.path().join(RUNS).join("r")).unwrap();
        assert!(runs.transact(|_| ((), row("x"))).is_err());
        let climbing = Effect::ReplaceText {
            file: "../../x".to_owned(),
            text: String::new(),
        };
        assert!(runs.transact(|_| ((), vec![climbing])).is_err());
        assert!(runs.read("../../x").is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
