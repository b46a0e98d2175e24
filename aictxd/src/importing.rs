//! Finds and reads what other programs keep of earlier work: transcripts of agents, memories in Markdown, issues.
//!
//! Everything is only read, within bounds, and no link below a folder is followed.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aictx_files::untrusted::{self, Regular};
use aictx_proto::Timestamp;
use aictx_proto::methods::Surroundings;
use aictx_proto::record::ImportedRow;
use aictx_runners::transcript::sqlite::{Database, Stored};
use aictx_runners::transcript::{AGENTS, Session, Transcript, beads, directory_hash, markdown};
use rustix::fs::FileType;

use crate::app::App;
use crate::hosts::Place;

/// Files that are looked at, and folders.
pub const MAX_FILES: usize = 20_000;
const MAX_FOLDERS: usize = 20_000;
/// Deepest folder below a named one.
const MAX_DEPTH: usize = 6;
/// Longest line of a transcript, in bytes; longer ones are passed over.
const MAX_LINE: usize = 4 * 1024 * 1024;
/// Bytes read of each end of a transcript that is longer than both.
const MAX_END: u64 = 32 * 1024 * 1024;
/// Longest document that is read as one.
const MAX_DOCUMENT: u64 = 32 * 1024 * 1024;
/// Longest Markdown file.
const MAX_MARKDOWN: u64 = 1024 * 1024;
/// Beginning of a transcript in which its directory has to stand.
const MAX_HEAD: u64 = 1024 * 1024;
/// Longest write-ahead log of a database.
const MAX_LOG: u64 = 64 * 1024 * 1024;
/// Messages of one session in OpenCode's storage, and parts of one message.
const MAX_MESSAGES: usize = 5_000;
const MAX_PARTS: usize = 256;
/// Directories whose repository is remembered.
const MAX_KNOWN: usize = 10_000;

/// A source beside agents.
pub const MARKDOWN: &str = "markdown";
/// Issues of beads.
pub const BEADS: &str = "beads";

/// A file that may hold something.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its source; `None` where the content tells.
    pub source: Option<&'static str>,
    /// The file.
    pub path: PathBuf,
    /// Folder that it was found in, which names of sections begin at.
    base: PathBuf,
    /// A person named this very file: it is read wherever its session ran.
    named: bool,
    modified: i64,
}

/// Reason why something was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// It ran elsewhere.
    OtherRepository,
    /// It does not say where it ran.
    NoDirectory,
    /// Another session ran it.
    Subagent,
    /// Nobody said anything.
    Empty,
    /// It is older than what is wanted.
    TooOld,
    /// It cannot be read.
    Unreadable,
    /// Its format is not known.
    UnknownFormat,
    /// It is larger than what is read of it.
    TooLarge,
}

impl Skipped {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OtherRepository => "of other repositories",
            Self::NoDirectory => "without a working directory",
            Self::Subagent => "of sub-agents",
            Self::Empty => "empty",
            Self::TooOld => "too old",
            Self::Unreadable => "unreadable",
            Self::UnknownFormat => "of an unknown format",
            Self::TooLarge => "in part: too large",
        }
    }
}

/// Content of a file.
#[derive(Debug, Default)]
pub struct Found {
    /// Its source.
    pub source: &'static str,
    /// Rows as they were written, with the worktree that their paths belong to.
    pub rows: Vec<(ImportedRow, PathBuf)>,
    /// Omissions.
    pub skipped: Vec<Skipped>,
    /// Lines that are no records.
    pub not_understood: u64,
}

/// Tells which sessions belong to a repository.
#[derive(Debug)]
pub struct Finder<'a> {
    app: &'a App,
    place: &'a Place,
    /// Worktrees of directories that belong to the repository.
    known: HashMap<String, Option<PathBuf>>,
    /// SHA-256 of the roots, where only that is recorded.
    hashes: Vec<(String, PathBuf)>,
}

/// Folders of the agents' transcripts, by agent.
fn homes(around: &Surroundings) -> Vec<(&'static str, PathBuf)> {
    let home = |own: &str, usual: &str| match own {
        "" if around.home.is_empty() => None,
        "" => Some(Path::new(&around.home).join(usual)),
        own => Some(PathBuf::from(own)),
    };
    let folders = [
        ("claude", home(&around.claude, ".claude"), "projects"),
        ("codex", home(&around.codex, ".codex"), "sessions"),
        ("codex", home(&around.codex, ".codex"), "archived_sessions"),
        ("gemini", home(&around.gemini, ""), ".gemini/tmp"),
        (
            "opencode",
            home(&around.data, ".local/share"),
            "opencode/storage/session",
        ),
        (
            "copilot",
            home(&around.copilot, ".copilot"),
            "session-state",
        ),
    ];
    let there = folders.into_iter().filter_map(|(agent, home, below)| {
        let folder = home?.join(below);
        folder.is_absolute().then_some((agent, folder))
    });
    there.collect()
}

/// OpenCode's database, where there is one.
fn opencode_database(around: &Surroundings) -> Option<Candidate> {
    let mut folders = homes(around).into_iter();
    let (_, storage) = folders.find(|(agent, _)| *agent == "opencode")?;
    let base = storage.ancestors().nth(2)?.to_owned();
    let path = base.join("opencode.db");
    let times = [path.clone(), log_of(&path)].map(|file| rustix::fs::stat(&file));
    if times.first()?.is_err() {
        return None;
    }
    let times = times.iter().flatten().map(|stat| stat.st_mtime);
    Some(Candidate {
        source: Some("opencode"),
        path,
        base,
        named: false,
        modified: times.max().unwrap_or(0),
    })
}

/// The write-ahead log of a database.
fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Returns true for a file of an agent's folder that is a transcript.
fn is_transcript(agent: &str, folder: &Path, path: &Path) -> bool {
    let ends = |end: &str| path.extension() == Some(OsStr::new(end));
    let name = path
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    let below = path
        .strip_prefix(folder)
        .map_or(0, |rest| rest.components().count());
    match agent {
        // Deeper ones are of sub-agents.
        "claude" => ends("jsonl") && below == 2,
        "codex" => ends("jsonl") && name.starts_with("rollout-"),
        "gemini" => (ends("json") || ends("jsonl")) && name.starts_with("session-") && below == 3,
        "opencode" => ends("json"),
        _ => ends("jsonl") && (name == "events.jsonl" || below == 1),
    }
}

/// Transcripts of these agents, newest first.
pub fn transcripts(around: &Surroundings, agents: &[&str]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (agent, folder) in homes(around) {
        if agents.contains(&agent) {
            let source = AGENTS.iter().find(|known| **known == agent).copied();
            let take = |path: &Path| is_transcript(agent, &folder, path).then_some(source);
            walk(&folder, &folder, 0, &mut 0, &take, &mut found);
        }
    }
    if agents.contains(&"opencode") {
        found.extend(opencode_database(around));
    }
    newest_first(found)
}

/// Memories in Markdown: those that Claude Code keeps of this repository, and its memory bank. `sessions` are
/// transcripts of Claude Code.
pub fn memories(sessions: &[Candidate], finder: &mut Finder<'_>) -> Vec<Candidate> {
    let mut folders = vec![finder.place.worktree.join("memory-bank")];
    let mut seen: Vec<&Path> = Vec::new();
    for one in sessions {
        let Some(folder) = one.path.parent().filter(|folder| !seen.contains(folder)) else {
            continue;
        };
        if finder.is_here(one) {
            seen.push(folder);
            folders.push(folder.join("memory"));
        }
    }
    let mut found = Vec::new();
    let take = |path: &Path| (path.extension() == Some(OsStr::new("md"))).then_some(Some(MARKDOWN));
    for folder in &folders {
        walk(folder, folder, 0, &mut 0, &take, &mut found);
    }
    newest_first(found)
}

/// The issues of a repository.
pub fn issues(place: &Place) -> Vec<Candidate> {
    let folder = place.root.join(".beads");
    let mut found = Vec::new();
    let take =
        |path: &Path| (path.file_name() == Some(OsStr::new("issues.jsonl"))).then_some(Some(BEADS));
    walk(&folder, &folder, 0, &mut 0, &take, &mut found);
    found
}

/// The file or the files of a folder that a person named.
///
/// # Errors
/// Nothing is there.
pub fn named(path: &Path, sources: &[String]) -> io::Result<Vec<Candidate>> {
    let source = |path: &Path| -> Option<Option<&'static str>> {
        let end = path.extension()?.to_str()?;
        let is_beads = path.parent().and_then(Path::file_name) == Some(OsStr::new(".beads"));
        let only = match sources {
            [only] => Some(only.as_str()),
            _ => None,
        };
        match end {
            "md" | "markdown" | "mdc" => Some(Some(MARKDOWN)),
            "jsonl" if is_beads || only == Some(BEADS) => Some(Some(BEADS)),
            "jsonl" | "json" => Some(AGENTS.iter().find(|agent| Some(**agent) == only).copied()),
            "db" if path.file_name() == Some(OsStr::new("opencode.db")) => Some(Some("opencode")),
            _ => None,
        }
    };
    let stat = rustix::fs::stat(path)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        let base = path.parent().unwrap_or(path).to_owned();
        return Ok(vec![Candidate {
            source: source(path).flatten(),
            path: path.to_owned(),
            base,
            named: true,
            modified: stat.st_mtime,
        }]);
    }
    let mut found = Vec::new();
    walk(path, path, 0, &mut 0, &source, &mut found);
    Ok(newest_first(found))
}

fn newest_first(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    found
}

/// Adds the files below a folder that `take` wants. Links are passed over.
fn walk(
    base: &Path,
    folder: &Path,
    depth: usize,
    folders: &mut usize,
    take: &dyn Fn(&Path) -> Option<Option<&'static str>>,
    found: &mut Vec<Candidate>,
) {
    *folders += 1;
    if depth > MAX_DEPTH || *folders > MAX_FOLDERS {
        return;
    }
    let Ok(entries) = untrusted::entries(folder) else {
        return;
    };
    for entry in entries {
        if found.len() >= MAX_FILES {
            return;
        }
        let path = folder.join(&entry.name);
        match entry.kind {
            FileType::Directory if entry.name != ".git" && entry.name != "node_modules" => {
                walk(base, &path, depth + 1, folders, take, found);
            }
            FileType::RegularFile => {
                if let Some(source) = take(&path) {
                    let modified = rustix::fs::lstat(&path).map_or(0, |stat| stat.st_mtime);
                    found.push(Candidate {
                        source,
                        path,
                        base: base.to_owned(),
                        named: false,
                        modified,
                    });
                }
            }
            _ => {}
        }
    }
}

impl<'a> Finder<'a> {
    /// For the repository at a place.
    pub fn new(app: &'a App, place: &'a Place) -> Self {
        let roots = [&place.root, &place.worktree].into_iter();
        let hashes = roots.map(|root| {
            let hash = directory_hash(&root.to_string_lossy());
            (hash, root.clone())
        });
        Self {
            app,
            place,
            known: HashMap::new(),
            hashes: hashes.collect(),
        }
    }

    /// The worktree of this repository that a directory lies in.
    fn worktree_of(&mut self, cwd: &str) -> Option<PathBuf> {
        if let Some(known) = self.known.get(cwd) {
            return known.clone();
        }
        let found = self.look_for(Path::new(cwd));
        if self.known.len() < MAX_KNOWN {
            self.known.insert(cwd.to_owned(), found.clone());
        }
        found
    }

    fn look_for(&self, cwd: &Path) -> Option<PathBuf> {
        if !cwd.is_absolute() {
            return None;
        }
        // A file system that can hang is only asked where the repository lies on it.
        let is_near = cwd.starts_with(&self.place.root) || cwd.starts_with(&self.place.worktree);
        if !is_near && self.app.lanes.of(cwd).is_some() {
            return None;
        }
        match cwd.canonicalize() {
            Ok(cwd) => {
                let place = self.app.hosts.place(&cwd).ok()?;
                (place.root == self.place.root).then_some(place.worktree)
            }
            // It was removed since.
            Err(_) => {
                let plain = cwd
                    .components()
                    .all(|part| part != std::path::Component::ParentDir);
                (is_near && plain).then(|| self.place.worktree.clone())
            }
        }
    }

    /// The worktree of a session; `None` where it is of another repository or does not say.
    fn worktree(&mut self, session: &Session, path: &Path) -> Result<PathBuf, Skipped> {
        let mut cwd = session.cwd.clone();
        if cwd.is_empty() && !session.cwd_hash.is_empty() {
            // Gemini CLI: the hash of the directory, and its path in a file beside the transcripts.
            let known = self
                .hashes
                .iter()
                .find(|(hash, _)| *hash == session.cwd_hash);
            if let Some((_, root)) = known {
                return Ok(root.clone());
            }
            let folder = path.ancestors().nth(2);
            let root = folder.map(|folder| folder.join(".project_root"));
            let root = root.and_then(|file| untrusted::read_text(&file, 4_096).ok());
            let root = root.map(|text| text.trim().to_owned()).unwrap_or_default();
            if directory_hash(&root) == session.cwd_hash {
                cwd = root;
            }
        }
        if cwd.is_empty() {
            return Err(Skipped::NoDirectory);
        }
        self.worktree_of(&cwd).ok_or(Skipped::OtherRepository)
    }

    /// Tells by its beginning whether a transcript belongs to the repository.
    pub fn is_here(&mut self, candidate: &Candidate) -> bool {
        let Some(mut reader) = candidate.source.and_then(Transcript::new) else {
            return false;
        };
        let Ok(file) = untrusted::open_itself(&candidate.path) else {
            return false;
        };
        if is_document(candidate) {
            match file.read(MAX_HEAD) {
                Ok(text) => reader.line(&text),
                Err(_) => return false,
            }
        } else {
            let head = file.into_file().take(MAX_HEAD);
            let _ = lines(BufReader::new(head), &mut reader, &mut |reader| {
                reader.cwd().is_empty()
            });
        }
        let session = reader.finish();
        !session.is_subagent && self.worktree(&session, &candidate.path).is_ok()
    }

    /// Reads a file.
    pub fn read(&mut self, candidate: &Candidate, since: &str) -> Found {
        let mut found = Found {
            source: candidate.source.unwrap_or_default(),
            ..Found::default()
        };
        let modified = Timestamp::from_unix(candidate.modified).to_string();
        if !since.is_empty() && *modified < *since && !candidate.named {
            found.skipped.push(Skipped::TooOld);
            return found;
        }
        let Ok(file) = untrusted::open(&candidate.path) else {
            found.skipped.push(Skipped::Unreadable);
            return found;
        };
        match candidate.source {
            Some(MARKDOWN) => self.read_markdown(candidate, &file, &modified, &mut found),
            Some(BEADS) => self.read_issues(file, since, &mut found),
            Some(_) if is_database(candidate) => {
                self.read_database(&candidate.path, file, since, &mut found);
            }
            _ => self.read_session(candidate, file, since, &mut found),
        }
        found
    }

    fn read_markdown(
        &self,
        candidate: &Candidate,
        file: &Regular,
        modified: &str,
        found: &mut Found,
    ) {
        let Ok(text) = file.read(MAX_MARKDOWN) else {
            found.skipped.push(Skipped::Unreadable);
            return;
        };
        let text = String::from_utf8_lossy(&text);
        let name = candidate.path.strip_prefix(&candidate.base);
        let name = name.unwrap_or(&candidate.path).to_string_lossy();
        let rows = markdown::sections(&name, &text);
        if rows.is_empty() {
            found.skipped.push(Skipped::Empty);
        }
        for mut row in rows {
            modified.clone_into(&mut row.started_at);
            modified.clone_into(&mut row.timestamp);
            found.rows.push((row, self.place.worktree.clone()));
        }
    }

    fn read_issues(&self, file: Regular, since: &str, found: &mut Found) {
        let worktree = self.place.worktree.clone();
        let read = each_line(BufReader::new(file.into_file().take(MAX_END)), |line| {
            let issue = line.and_then(|line| std::str::from_utf8(line).ok());
            match issue.map(beads::issue) {
                Some(Ok(Some(row))) if !since.is_empty() && *row.timestamp < *since => {
                    found.skipped.push(Skipped::TooOld);
                }
                Some(Ok(Some(row))) => found.rows.push((row, worktree.clone())),
                Some(Ok(None)) => found.skipped.push(Skipped::Empty),
                Some(Err(_)) | None => found.not_understood += 1,
            }
            true
        });
        if read.is_err() {
            found.skipped.push(Skipped::Unreadable);
        }
    }

    /// Gives the sessions of OpenCode's database; with `only_count` nothing of what was said.
    fn stored(&mut self, path: &Path, file: Regular, only_count: bool) -> Option<Stored> {
        let log = untrusted::open_itself(&log_of(path)).and_then(|log| log.read(MAX_LOG));
        let file = file.into_file();
        let mut read = |at: u64, into: &mut [u8]| file.read_exact_at(into, at).is_ok();
        let mut database = Database::open(&mut read, log.unwrap_or_default())?;
        let mut wants = |directory: &str| self.worktree_of(directory).is_some();
        Some(database.opencode_sessions(&mut wants, only_count))
    }

    fn read_database(&mut self, path: &Path, file: Regular, since: &str, found: &mut Found) {
        let Some(stored) = self.stored(path, file, false) else {
            found.skipped.push(Skipped::Unreadable);
            return;
        };
        let left_out = [
            (stored.elsewhere, Skipped::OtherRepository),
            (stored.of_subagents, Skipped::Subagent),
        ];
        for (count, why) in left_out {
            found.skipped.extend((0..count).map(|_| why));
        }
        if stored.is_partial {
            found.skipped.push(Skipped::TooLarge);
        }
        for session in stored.sessions {
            self.take_session(session, path, since, found);
        }
    }

    fn read_session(
        &mut self,
        candidate: &Candidate,
        file: Regular,
        since: &str,
        found: &mut Found,
    ) {
        let source = candidate.source.or_else(|| recognise(&candidate.path));
        let Some((source, mut reader)) = source.and_then(|s| Some((s, Transcript::new(s)?))) else {
            found.skipped.push(Skipped::UnknownFormat);
            return;
        };
        found.source = source;
        let mut is_elsewhere = false;
        let read = if source == "opencode" && is_in_storage(&candidate.path) {
            read_storage(&candidate.path, &file, &mut reader)
        } else if is_document(candidate) {
            file.read(MAX_DOCUMENT)
                .map_err(io::Error::other)
                .map(|text| {
                    reader.line(&text);
                })
        } else {
            // Most transcripts are of other repositories: those are not read to the end.
            let mut is_known = candidate.named;
            whole(file, &mut reader, &mut |reader| {
                if !is_known && !reader.cwd().is_empty() {
                    is_known = true;
                    is_elsewhere = self.worktree_of(reader.cwd()).is_none();
                }
                !is_elsewhere
            })
        };
        if read.is_err() {
            found.skipped.push(Skipped::Unreadable);
            return;
        }
        let mut session = reader.finish();
        if candidate.named && self.worktree(&session, &candidate.path).is_err() {
            session.cwd = self.place.worktree.to_string_lossy().into_owned();
        }
        if session.row.session_id.is_empty() {
            let name = candidate.path.file_stem().unwrap_or_default();
            session.row.session_id = name.to_string_lossy().into_owned();
        }
        if session.row.timestamp.is_empty() {
            session.row.timestamp = Timestamp::from_unix(candidate.modified).to_string();
        }
        self.take_session(session, &candidate.path, since, found);
    }

    fn take_session(&mut self, session: Session, path: &Path, since: &str, found: &mut Found) {
        let worktree = self.worktree(&session, path);
        found.not_understood += session.not_understood;
        match worktree {
            Err(why) => {
                // What is not ours is not counted against us.
                found.not_understood = 0;
                found.skipped.push(why);
            }
            Ok(_) if session.is_subagent => found.skipped.push(Skipped::Subagent),
            Ok(_) if session.row.turns.is_empty() => found.skipped.push(Skipped::Empty),
            Ok(_) if !since.is_empty() && *session.row.timestamp < *since => {
                found.skipped.push(Skipped::TooOld);
            }
            Ok(worktree) => found.rows.push((session.row, worktree)),
        }
    }
}

/// Counts the sessions of a repository by agent, as many as are found within the time. One transcript of a folder of
/// Claude Code answers for the others in it.
pub fn count(
    finder: &mut Finder<'_>,
    around: &Surroundings,
    time: Duration,
) -> Vec<(&'static str, u64)> {
    let end = Instant::now() + time;
    let mut counts: Vec<(&'static str, u64)> = AGENTS.iter().map(|agent| (*agent, 0)).collect();
    let mut folders: HashMap<PathBuf, bool> = HashMap::new();
    for candidate in transcripts(around, AGENTS) {
        if Instant::now() > end {
            break;
        }
        if is_database(&candidate) {
            let file = untrusted::open_itself(&candidate.path).ok();
            let stored = file.and_then(|file| finder.stored(&candidate.path, file, true));
            let sessions = stored.map_or(0, |stored| stored.sessions.len() as u64);
            let mut slots = counts.iter_mut();
            if let Some((_, count)) = slots.find(|(agent, _)| Some(*agent) == candidate.source) {
                *count += sessions;
            }
            continue;
        }
        let folder = candidate
            .path
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default();
        let is_shared = candidate.source == Some("claude");
        let known = folders.get(&folder).copied().filter(|_| is_shared);
        let is_here = known.unwrap_or_else(|| finder.is_here(&candidate));
        folders.insert(folder, is_here);
        let slot = counts
            .iter_mut()
            .find(|(agent, _)| Some(*agent) == candidate.source);
        if let Some((_, count)) = slot.filter(|_| is_here) {
            *count += 1;
        }
    }
    counts.retain(|(_, count)| *count > 0);
    counts
}

/// Returns true for a file that is one JSON document.
fn is_document(candidate: &Candidate) -> bool {
    candidate.path.extension() == Some(OsStr::new("json"))
}

/// Returns true for OpenCode's database.
fn is_database(candidate: &Candidate) -> bool {
    candidate.path.extension() == Some(OsStr::new("db"))
}

/// The agent whose transcript a file is, by its first lines.
fn recognise(path: &Path) -> Option<&'static str> {
    let file = untrusted::open(path).ok()?;
    if path.extension() == Some(OsStr::new("json")) {
        let text = file.read(MAX_DOCUMENT).ok()?;
        return Transcript::recognise(&String::from_utf8_lossy(&text));
    }
    let mut found = None;
    let head = BufReader::new(file.into_file().take(MAX_HEAD));
    let mut left = 50;
    let _ = each_line(head, |line| {
        let text = line.and_then(|line| std::str::from_utf8(line).ok());
        found = text.and_then(Transcript::recognise);
        left -= 1;
        found.is_none() && left > 0
    });
    found
}

/// Feeds a transcript to a reader as long as `goes_on`: all of it, or both ends of a very long one.
fn whole(
    file: Regular,
    reader: &mut Transcript,
    goes_on: &mut dyn FnMut(&Transcript) -> bool,
) -> io::Result<()> {
    let len = file.len();
    let mut file = file.into_file();
    if len <= 2 * MAX_END {
        return lines(BufReader::new(file.take(len)), reader, goes_on);
    }
    lines(BufReader::new((&mut file).take(MAX_END)), reader, goes_on)?;
    if !goes_on(reader) {
        return Ok(());
    }
    file.seek(SeekFrom::End(-i64::try_from(MAX_END).unwrap_or(i64::MAX)))?;
    // It begins and the first end ended in the middle of a line.
    lines(BufReader::new(file.take(MAX_END)), reader, goes_on)
}

fn lines(
    from: impl BufRead,
    reader: &mut Transcript,
    goes_on: &mut dyn FnMut(&Transcript) -> bool,
) -> io::Result<()> {
    each_line(from, |line| {
        match line {
            Some(line) => reader.line(line),
            None => reader.passed_over(),
        }
        goes_on(reader)
    })
}

/// Gives each line, `None` for one that is too long, until `take` wants no more.
fn each_line(
    mut from: impl BufRead,
    mut take: impl FnMut(Option<&[u8]>) -> bool,
) -> io::Result<()> {
    let mut line = Vec::new();
    let mut is_long = false;
    loop {
        let part = from.fill_buf()?;
        if part.is_empty() {
            if !line.is_empty() {
                take((!is_long).then_some(&line));
            }
            return Ok(());
        }
        let end = memchr::memchr(b'\n', part);
        let piece = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
        is_long |= line.len() + piece.len() > MAX_LINE;
        if !is_long {
            line.extend_from_slice(piece);
        }
        let used = piece.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            if !take((!is_long).then_some(&line)) {
                return Ok(());
            }
            line.clear();
            is_long = false;
        }
    }
}

/// Returns true for the record of a session in OpenCode's storage.
fn is_in_storage(path: &Path) -> bool {
    path.ancestors().nth(3).and_then(Path::file_name) == Some(OsStr::new("storage"))
}

/// Reads a session of OpenCode's storage: its record, `message/<session>/*.json`, `part/<message>/*.json`. Ids grow
/// with time.
fn read_storage(path: &Path, file: &Regular, reader: &mut Transcript) -> io::Result<()> {
    let text = file.read(MAX_HEAD).map_err(io::Error::other)?;
    reader.opencode_session(&String::from_utf8_lossy(&text));
    let storage = path.ancestors().nth(3).unwrap_or(path);
    let session = path.file_stem().unwrap_or_default();
    for message in listed(&storage.join("message").join(session), MAX_MESSAGES) {
        let Ok(info) = untrusted::open_itself(&message).and_then(|file| file.read(MAX_HEAD)) else {
            reader.passed_over();
            continue;
        };
        let parts = storage
            .join("part")
            .join(message.file_stem().unwrap_or_default());
        let parts = listed(&parts, MAX_PARTS);
        let parts = parts.iter().filter_map(|part| {
            let read = untrusted::open_itself(part).and_then(|file| file.read(MAX_HEAD));
            read.ok()
                .map(|text| String::from_utf8_lossy(&text).into_owned())
        });
        let parts: Vec<String> = parts.collect();
        reader.opencode_message(&String::from_utf8_lossy(&info), &parts);
    }
    Ok(())
}

/// The JSON files of a folder, by name.
fn listed(folder: &Path, most: usize) -> Vec<PathBuf> {
    let entries = untrusted::entries(folder).into_iter().flatten();
    let files = entries.filter(|entry| entry.kind == FileType::RegularFile);
    let mut files: Vec<PathBuf> = files.map(|entry| folder.join(entry.name)).collect();
    files.retain(|file| file.extension() == Some(OsStr::new("json")));
    files.sort();
    files.truncate(most);
    files
}
