//! `.aictx/flows/<id>` of a worktree: what agents and people leave for each other, and `flow.json`.
//!
//! ```text
//! flow.json                  the state, as settled last
//! DISPATCH.md, dispatch/     message of the agent and its attachments, until the end of its turn
//! dispatch_history/NNNN/     archived messages, each with meta.json
//! USER_REPLY.md, reply/      reply of the person, until the next turn
//! reply_history/NNNN/        archived replies
//! ticket/                    copy of the ticket at hand, where the tickets lie outside of the worktree
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aictx_artifacts::{RunDirectory, StoreError};
use aictx_files::untrusted;
use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::flow::DispatchMode;
use aictx_proto::text::hex;
use aictx_redact::{Report, scrub_text};
use aictx_work::flow::dispatch::{
    self, ArchivedFile, AttachmentError, DISPATCH_DIR, DISPATCH_FILE, Dispatch, DispatchError,
    Kind, Listed, MAX_ATTACHMENT, MAX_DISPATCH, MAX_ENTRIES, MAX_REPLY, META_FILE, Meta, Origin,
    Reply,
};
use aictx_work::flow::state::{Dispatched, Flow, Turn};
use sha2::{Digest, Sha256};

use super::hold::{self, Point};
use crate::hosts::Hosts;

/// Directory of all flows of a worktree.
pub const DIRECTORY: &str = ".aictx/flows";
/// Directory of the copy of a ticket, where the tickets lie outside of the worktree.
pub const TICKET_COPY: &str = "ticket";
/// The state of a flow.
const STATE: &str = "flow.json";
const DISPATCHES: &str = "dispatch_history";
const REPLIES: &str = "reply_history";
const REPLY_FILE: &str = "USER_REPLY.md";
const REPLY_DIR: &str = "reply";
/// Key of a reply, hashed; attachments do not begin with a dot.
const REPLY_KEY: &str = ".key";
/// Longest `flow.json`, in bytes.
const MAX_STATE: u64 = 16 * 1024 * 1024;
/// Archived messages of a kind that are looked through.
const MAX_ARCHIVED: usize = 10_000;
/// Deepest directory of attachments.
const MAX_DEPTH: usize = 16;

/// Failed operations on the files of a flow.
#[derive(Debug, thiserror::Error)]
pub enum FlowFilesError {
    /// They cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read or moved.
    #[error("{}: {source}", path.display())]
    File {
        /// File.
        path: PathBuf,
        /// Error.
        source: io::Error,
    },
    /// A dispatch is not one.
    #[error("{}: {source}", path.display())]
    Dispatch {
        /// File.
        path: PathBuf,
        /// Error.
        source: DispatchError,
    },
    /// Attachments are not what they may be.
    #[error("{}: {source}", path.display())]
    Attachments {
        /// Directory.
        path: PathBuf,
        /// Error.
        source: AttachmentError,
    },
    /// There is no key of the user to open the files with.
    #[error("{0}")]
    Trust(String),
}

/// The files of a flow.
#[derive(Debug)]
pub struct FlowFiles {
    directory: RunDirectory,
    path: PathBuf,
}

impl FlowFiles {
    /// Opens the files of a flow, and makes their directory where it is missing.
    ///
    /// # Errors
    /// A link or a file is in its place, or it cannot be made.
    pub fn create(hosts: &Hosts, worktree: &Path, flow_id: &str) -> Result<Self, FlowFilesError> {
        let name = format!("{DIRECTORY}/{flow_id}");
        let trust = hosts.plain_trust();
        let trust = trust.map_err(|e| FlowFilesError::Trust(e.message))?;
        Ok(Self {
            directory: RunDirectory::create(worktree, &name, trust)?,
            path: worktree.join(name),
        })
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, name: &str, source: io::Error) -> FlowFilesError {
        FlowFilesError::File {
            path: self.path.join(name),
            source,
        }
    }

    /// Makes what agents expect to be there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn prepare(&self) -> Result<(), FlowFilesError> {
        for name in [DISPATCH_DIR, DISPATCHES, REPLY_DIR, REPLIES] {
            self.make(name)?;
        }
        Ok(())
    }

    fn make(&self, name: &str) -> Result<PathBuf, FlowFilesError> {
        let path = self.path.join(name);
        match fs::create_dir(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let is_directory = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
                let error = || self.error(name, io::Error::other("is not a directory"));
                is_directory.then_some(path).ok_or_else(error)
            }
            made => made.map(|()| path).map_err(|e| self.error(name, e)),
        }
    }

    /// Writes `flow.json`, which is for people and programs to read.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_state(&self, flow: &Flow) -> Result<(), FlowFilesError> {
        let value =
            serde_json::to_value(flow).map_err(|e| self.error(STATE, io::Error::other(e)))?;
        let effect = Effect::ReplaceJson {
            file: STATE.to_owned(),
            value,
            order: KeyOrder::AsBuilt,
        };
        self.directory.transact(|_| ((), vec![effect]))?;
        Ok(())
    }

    /// Writes the copy of a ticket for an agent that may not write outside of the worktree.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_ticket(&self, file: &str, text: &str) -> Result<(), FlowFilesError> {
        let effect = Effect::ReplaceText {
            file: format!("{TICKET_COPY}/{file}"),
            text: text.to_owned(),
        };
        self.directory.transact(|_| ((), vec![effect]))?;
        Ok(())
    }

    /// Archives what the agent left, and returns what it wants. A crash at any point leaves a draft that the next
    /// call completes, or an archive that it finds by the number of the turn.
    ///
    /// # Errors
    /// The dispatch cannot be read or is not one; nothing was moved then.
    pub fn archive_dispatch(
        &self,
        turn: &Turn,
        last: u32,
        now: Timestamp,
    ) -> Result<Option<Dispatched>, FlowFilesError> {
        self.make(DISPATCHES)?;
        let names = self.directory.list(DISPATCHES, MAX_ARCHIVED)?;
        let done = names.iter().rev().filter(|name| !name.ends_with(".tmp"));
        for name in done.take(2) {
            let meta = self.read_meta(name).filter(|meta| meta.turn == turn.n);
            if let Some(meta) = meta {
                return Ok(Some(dispatched(&meta)));
            }
        }
        let draft = names.iter().find(|name| name.ends_with(".tmp"));
        let seq = match draft.and_then(|name| name.trim_end_matches(".tmp").parse().ok()) {
            Some(seq) => seq,
            None => dispatch::next_seq(last, names.iter().map(String::as_str)),
        };
        let draft = format!("{DISPATCHES}/{seq:04}.tmp");
        let source = self.path.join(DISPATCH_FILE);
        let moved = self.path.join(&draft).join(DISPATCH_FILE);
        let path = if moved.exists() { &moved } else { &source };
        let bytes =
            untrusted::open_itself(path).and_then(|file| file.read(MAX_DISPATCH as u64 + 1));
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(self.error(DISPATCH_FILE, io::Error::other(error))),
        };
        let dispatch = Dispatch::read(&bytes).map_err(|source| FlowFilesError::Dispatch {
            path: path.clone(),
            source,
        })?;
        let listing = self.top_attachments(DISPATCH_DIR)?;
        self.make(&draft)?;
        for name in &listing {
            self.move_into(DISPATCH_DIR, &draft, name)?;
            hold::at(Point::Moved, turn.n);
        }
        // Of the draft: an earlier try may have moved some of them.
        let files = self.attachments(&draft)?;
        let files = files.iter().map(|name| self.archived_file(&draft, name));
        let files = files.collect::<Result<_, _>>()?;
        let title = match dispatch.title.is_empty() {
            true => dispatch.body.lines().next().unwrap_or_default().to_owned(),
            false => dispatch.title,
        };
        let meta = Meta {
            seq,
            mode: dispatch.mode,
            title: scrub_text(&title, &mut Report::default()).into_owned(),
            ticket_id: turn.ticket_id.clone(),
            turn: turn.n,
            agent: turn.agent.clone(),
            origin: Origin::Agent,
            created_at: now,
            files,
        };
        self.write_meta(&draft, &meta)?;
        if !moved.exists() {
            fs::rename(&source, &moved).map_err(|e| self.error(DISPATCH_FILE, e))?;
        }
        let place = format!("{DISPATCHES}/{seq:04}");
        fs::rename(self.path.join(&draft), self.path.join(&place))
            .map_err(|e| self.error(&draft, e))?;
        Ok(Some(dispatched(&meta)))
    }

    fn write_meta(&self, directory: &str, meta: &Meta) -> Result<(), FlowFilesError> {
        let value =
            serde_json::to_value(meta).map_err(|e| self.error(META_FILE, io::Error::other(e)))?;
        let effect = Effect::ReplaceJson {
            file: format!("{directory}/{META_FILE}"),
            value,
            order: KeyOrder::AsBuilt,
        };
        self.directory.transact(|_| ((), vec![effect]))?;
        Ok(())
    }

    fn read_meta(&self, name: &str) -> Option<Meta> {
        let file = format!("{DISPATCHES}/{name}/{META_FILE}");
        serde_json::from_slice(&self.directory.read(&file).ok()??).ok()
    }

    /// Text of an archived dispatch.
    pub fn dispatch_text(&self, seq: u32) -> Option<String> {
        let file = format!("{DISPATCHES}/{seq:04}/{DISPATCH_FILE}");
        let bytes = self.directory.read(&file).ok()??;
        Some(Dispatch::read(&bytes).map_or_else(
            |_| String::from_utf8_lossy(&bytes).into_owned(),
            |dispatch| dispatch.body,
        ))
    }

    /// Files below a directory that are attachments; what belongs to the archive itself is none.
    fn attachments(&self, directory: &str) -> Result<Vec<String>, FlowFilesError> {
        let mut listing = Vec::new();
        self.list(directory, "", 0, &mut listing)?;
        if directory != DISPATCH_DIR {
            let own = [DISPATCH_FILE, META_FILE];
            listing.retain(|entry| !own.contains(&entry.path.as_str()));
        }
        let wanted = dispatch::attachments(&listing);
        let wanted = wanted.map_err(|source| FlowFilesError::Attachments {
            path: self.path.join(directory),
            source,
        })?;
        let paths = wanted.iter().map(|entry| entry.path.clone());
        Ok(paths.collect())
    }

    /// Entries at the top of a directory of attachments.
    fn top_attachments(&self, directory: &str) -> Result<BTreeSet<String>, FlowFilesError> {
        let top = |path: &String| path.split('/').next().unwrap_or_default().to_owned();
        Ok(self.attachments(directory)?.iter().map(top).collect())
    }

    fn list(
        &self,
        directory: &str,
        below: &str,
        depth: usize,
        listing: &mut Vec<Listed>,
    ) -> Result<(), FlowFilesError> {
        let at = self.path.join(directory).join(below);
        let entries = match untrusted::entries(&at) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(self.error(directory, e)),
        };
        for entry in entries {
            // One more is reported as too many.
            if listing.len() > MAX_ENTRIES || depth > MAX_DEPTH {
                return Ok(());
            }
            let name = entry.name.to_string_lossy();
            let path = match below {
                "" => name.into_owned(),
                below => format!("{below}/{name}"),
            };
            let meta = fs::symlink_metadata(self.path.join(directory).join(&path));
            let meta = meta.map_err(|e| self.error(directory, e))?;
            let kind = match meta.file_type() {
                kind if kind.is_dir() => Kind::Directory,
                kind if kind.is_symlink() => Kind::Link,
                kind if kind.is_file() => Kind::File { size: meta.len() },
                _ => Kind::Special,
            };
            listing.push(Listed {
                path: path.clone(),
                kind,
            });
            if kind == Kind::Directory {
                self.list(directory, &path, depth + 1, listing)?;
            }
        }
        Ok(())
    }

    fn move_into(&self, from: &str, to: &str, name: &str) -> Result<(), FlowFilesError> {
        let source = self.path.join(from).join(name);
        fs::rename(&source, self.path.join(to).join(name)).map_err(|e| self.error(from, e))
    }

    fn archived_file(&self, directory: &str, name: &str) -> Result<ArchivedFile, FlowFilesError> {
        let path = self.path.join(directory).join(name);
        let bytes = untrusted::read(&path, MAX_ATTACHMENT + 1);
        let bytes = bytes.map_err(|e| self.error(name, io::Error::other(e)))?;
        Ok(ArchivedFile {
            name: name.to_owned(),
            sha256: hex(&Sha256::digest(&bytes)),
            size: bytes.len() as u64,
        })
    }

    /// Archives a reply that was left as a file; returns the number of the newest reply.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn take_reply(&self, last: u32) -> Result<u32, FlowFilesError> {
        self.make(REPLIES)?;
        // With the lock in hand: a reply by command takes the next number, too.
        let (taken, _) = self
            .directory
            .transact(|_| (self.archive_reply(last), Vec::new()))?;
        taken
    }

    fn archive_reply(&self, last: u32) -> Result<u32, FlowFilesError> {
        let names = self.directory.list(REPLIES, MAX_ARCHIVED)?;
        let newest = dispatch::next_seq(last, names.iter().map(String::as_str)) - 1;
        let source = self.path.join(REPLY_FILE);
        // An earlier try may have left a draft, with everything or with some of its attachments.
        let draft = names.iter().find_map(|name| name.strip_suffix(".tmp"));
        let draft = draft.and_then(|number| number.parse().ok());
        if draft.is_none() && !source.exists() {
            return Ok(newest);
        }
        let seq = draft.unwrap_or(newest + 1);
        let place = format!("{REPLIES}/{seq:04}");
        let draft = format!("{place}.tmp");
        let listing = self.top_attachments(REPLY_DIR)?;
        self.make(&draft)?;
        if source.exists() {
            for name in &listing {
                self.move_into(REPLY_DIR, &draft, name)?;
                hold::at(Point::Replied, seq);
            }
            let target = self.path.join(&draft).join(REPLY_FILE);
            fs::rename(&source, target).map_err(|e| self.error(REPLY_FILE, e))?;
        }
        fs::rename(self.path.join(&draft), self.path.join(&place))
            .map_err(|e| self.error(&draft, e))?;
        Ok(newest.max(seq))
    }

    /// Writes a reply into the archive, unless the newest one has the same key; returns its number. The key lies
    /// beside the reply: a daemon that dies behind this call has noted it nowhere else.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn reply(&self, last: u32, text: &str, key: &str) -> Result<u32, FlowFilesError> {
        let digest = Sha256::digest(key);
        let key = (!key.is_empty()).then(|| hex(digest.get(..8).unwrap_or_default()));
        let write = |file: String, text: &str| Effect::ReplaceText {
            file,
            text: text.to_owned(),
        };
        let (seq, _) = self.directory.transact(|directory| {
            let names = directory.list(REPLIES, MAX_ARCHIVED).unwrap_or_default();
            let next = dispatch::next_seq(last, names.iter().map(String::as_str));
            let file = |seq: u32, name: &str| format!("{REPLIES}/{seq:04}/{name}");
            let is_there = |seq: u32, name: &str| directory.read(&file(seq, name)).ok().flatten();
            let Some(key) = &key else {
                return (next, vec![write(file(next, REPLY_FILE), text)]);
            };
            match is_there(next - 1, REPLY_KEY) {
                Some(there) if there == key.as_bytes() => match is_there(next - 1, REPLY_FILE) {
                    Some(_) => (next - 1, Vec::new()),
                    None => (next - 1, vec![write(file(next - 1, REPLY_FILE), text)]),
                },
                _ => {
                    let noted = write(file(next, REPLY_KEY), key);
                    (next, vec![noted, write(file(next, REPLY_FILE), text)])
                }
            }
        })?;
        Ok(seq)
    }

    /// Reads the replies behind a number, up to another one.
    pub fn replies(&self, behind: u32, up_to: u32) -> Vec<Reply> {
        let read = |seq: u32| {
            let directory = format!("{REPLIES}/{seq:04}");
            let bytes = self
                .directory
                .read(&format!("{directory}/{REPLY_FILE}"))
                .ok()??;
            let bytes = bytes.get(..bytes.len().min(MAX_REPLY)).unwrap_or_default();
            let names = self
                .directory
                .list(&directory, MAX_ENTRIES)
                .unwrap_or_default();
            let others = names
                .into_iter()
                .filter(|name| name != REPLY_FILE && !name.starts_with('.'));
            let paths = others.map(|name| format!("{DIRECTORY}/{}/{directory}/{name}", self.id()));
            Some(Reply::read(seq, bytes, paths.collect()))
        };
        (behind + 1..=up_to).filter_map(read).collect()
    }

    fn id(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Reads the number of the state that `flow.json` of a worktree holds.
pub fn read_revision(worktree: &Path, flow_id: &str) -> Option<u64> {
    let file = worktree.join(DIRECTORY).join(flow_id).join(STATE);
    let bytes = untrusted::read(&file, MAX_STATE).ok()?;
    let state: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    state.get("state_rev")?.as_u64()
}

fn dispatched(meta: &Meta) -> Dispatched {
    Dispatched {
        seq: meta.seq,
        pauses: meta.mode == DispatchMode::Pause,
        title: meta.title.clone(),
    }
}
