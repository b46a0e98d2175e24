//! Facts of a worktree for decisions, beside its memory: what is checked out, how the files
//! are that memory speaks of, what people wrote down.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use aictx_artifacts::{Store, root};
use aictx_continuity::{
    Checkout, Ground as _, Note, Present, Presents, Project, PromptMemory, active_thread,
    recollect, relevant_paths, unfinished,
};
use aictx_files::untrusted;
use aictx_proto::record::Origin;
use aictx_proto::record::files::{REPO_MAP_MANIFEST, REPO_MAP_STATUS};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_repomap::file_state::Looker;
use aictx_steer::only_goes_on;
use rustix::fs::FileType;
use serde_json::Value;

mod anchor_files;
mod branches;

pub use branches::deleted as deleted_branches;
mod project_cache;
mod stamp;
mod stat_cache;
mod subscription;

use self::anchor_files::{Anchored, Held, follow_moves, gone};
use self::project_cache::{Directories, Projects};
use self::stamp::Stamp;
use self::stat_cache::Looks;
pub use self::subscription::{get_ready, listen};
use crate::app::App;
use crate::check_for_file::Checks;
use crate::hosts::Place;
use crate::index_service::At;
use crate::intake;
use crate::project;
use crate::storage_location::MEMORY;

/// Answers about files that are remembered.
const MAX_REMEMBERED: usize = 8_192;
/// Worktrees whose files are remembered.
const MAX_WORKTREES: usize = 64;
/// Directory of notes, below the memory.
const NOTES: &str = "memory/source";
/// Notes read, and bytes of each.
const MAX_NOTES: usize = 64;
const MAX_NOTE: u64 = 16 * 1024;

/// Caches kept between questions: derived from files and stamped with what they were derived
/// from.
#[derive(Debug, Default)]
pub struct Facts {
    files: Mutex<HashMap<PathBuf, HashMap<String, Known>>>,
    /// Cache of their metadata.
    looks: Looks,
    /// Project facts of worktrees.
    projects: Projects,
    directories: Directories,
    /// Files that memory refers to, by worktree.
    anchored: Mutex<HashMap<PathBuf, Anchored>>,
    /// Known content of deleted files, by worktree.
    held: Mutex<HashMap<PathBuf, Held>>,
    /// Cached answers: is the first commit an ancestor of the second?
    merged: Mutex<HashMap<(String, String), bool>>,
}

/// A file as it was read last.
#[derive(Debug, Clone)]
struct Known {
    stamp: Option<Stamp>,
    with_definitions: bool,
    present: Arc<Present>,
}

impl Facts {
    /// Returns true if a directory has anything that makes a project of it.
    pub fn is_project(&self, directory: &Path) -> bool {
        self.directories.is_project(directory)
    }

    /// Makes facts of a worktree's files as of now, the returned time, or later. The watcher hears of
    /// what was done before while something else is looked at.
    pub fn ask_ahead(&self, worktree: &Path) -> Instant {
        self.looks.ask_ahead(worktree)
    }

    /// Files as they are now, links not followed. A file that did not change since it was read last costs
    /// one `stat`, and nothing where the watcher would have told of what was done before `asked_at`.
    pub fn presents(
        &self,
        worktree: &Path,
        wanted: &BTreeMap<String, bool>,
        asked_at: Instant,
    ) -> Presents {
        let (stamps, _) = self.looks.look(worktree, wanted.keys(), asked_at);
        self.presents_at(worktree, wanted, &stamps)
    }

    /// The files with their stamps at hand, in the order of their paths.
    fn presents_at(
        &self,
        worktree: &Path,
        wanted: &BTreeMap<String, bool>,
        stamps: &[Option<Stamp>],
    ) -> Presents {
        let known: Vec<Option<Arc<Present>>> = {
            let files = self.files();
            let files = files.get(worktree);
            let known = wanted.iter().zip(stamps);
            let known = known.map(|((path, definitions), stamp)| {
                let known = files?.get(path)?;
                let fits = known.stamp == *stamp && (known.with_definitions || !definitions);
                fits.then(|| Arc::clone(&known.present))
            });
            known.collect()
        };
        let mut out = Presents::new();
        let mut looker = None;
        let wanted = wanted.iter().zip(stamps.iter().copied()).zip(known);
        for (((path, definitions), stamp), known) in wanted {
            if let Some(present) = known {
                out.insert(path.clone(), present);
                continue;
            }
            let mut present = Present::default();
            if stamp.is_some() {
                let looker = looker.get_or_insert_with(|| Looker::open(worktree).ok());
                let state = looker.as_mut().and_then(|l| l.file(path, *definitions));
                // A directory, a link or a huge file is there, whatever it holds.
                present.blob = "present".to_owned();
                if let Some(state) = state.filter(|s| !s.blob.is_empty()) {
                    present.blob = state.blob;
                    present.definitions = state.definitions;
                }
            }
            let present = Arc::new(present);
            let known = Known {
                stamp,
                with_definitions: *definitions,
                present: Arc::clone(&present),
            };
            let mut files = self.files();
            if files.values().map(HashMap::len).sum::<usize>() >= MAX_REMEMBERED {
                files.clear();
            }
            files
                .entry(worktree.to_owned())
                .or_default()
                .insert(path.clone(), known);
            drop(files);
            out.insert(path.clone(), present);
        }
        out
    }

    fn files(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, HashMap<String, Known>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the checkout, with the threads of memory in mind.
pub fn checkout(app: &App, place: &Place, snapshot: &Snapshot) -> Checkout {
    let head = root::head(&place.worktree);
    let other: BTreeSet<String> = snapshot
        .threads
        .iter()
        .filter(|t| matches!(t.status.as_str(), "in_progress" | "paused" | "blocked"))
        .filter_map(|t| {
            let saved = t.git_context.as_ref()?;
            let branch = saved.get("branch")?.as_str()?;
            let commit = saved.get("head")?.as_str()?;
            (branch != head.branch && commit != head.head && !commit.is_empty())
                .then(|| commit.to_owned())
        })
        .collect();
    let ancestors = if other.is_empty() || head.head.is_empty() {
        BTreeSet::new()
    } else {
        app.facts.ancestors(&place.worktree, &head.head, other)
    };
    Checkout {
        worktree: relative(&place.root, &place.worktree),
        gone: branches::deleted(&place.worktree, &head.branch, snapshot),
        branch: head.branch,
        head: head.head,
        ancestors,
        ..Checkout::default()
    }
}

/// A linked worktree as seen from the main one.
fn relative(root: &Path, worktree: &Path) -> String {
    if root == worktree {
        return ".".to_owned();
    }
    let (mut a, mut b) = (
        root.components().peekable(),
        worktree.components().peekable(),
    );
    while a.peek().is_some() && a.peek() == b.peek() {
        a.next();
        b.next();
    }
    let up = a.map(|_| "..".to_owned());
    let down = b.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The project with everything that decisions on memory want: reads files, so it runs on the pool.
pub fn gather(app: &App, place: &Place, snapshot: &Snapshot) -> Project {
    gather_at(app, place, snapshot, Instant::now())
}

fn gather_at(app: &App, place: &Place, snapshot: &Snapshot, asked_at: Instant) -> Project {
    let mut project = app.facts.projects.look(&place.worktree, MAX_WORKTREES);
    project.presents = app.facts.anchored(&place.worktree, snapshot, asked_at);
    project.checkout = checkout(app, place, snapshot);
    project.notes = notes(&app.homes.of(&place.root));
    let tracked = app.hosts.tracked(&place.root);
    for note in &mut project.notes {
        if tracked.holds(&format!("{NOTES}/{}", note.path)) {
            note.origin = Origin::Repository;
        }
    }
    let branch = &project.checkout.branch;
    let of_branch = aictx_continuity::handoff_of_branch(snapshot, branch, &project.checkout.gone);
    let last = of_branch.as_ref().or(snapshot.handoff.as_deref());
    let now = last.and_then(|last| aictx_continuity::handoff_as_of_now(last, &snapshot.failures));
    project.handoff = now.or(of_branch).map(Arc::new);
    project.run = crate::runs::active_run(&app.hosts, &place.worktree);
    follow_moves(app, place, snapshot, &mut project.presents);
    project
}

/// Works out what the next session will ask of a repository's memory, while nobody waits.
pub fn warm(app: &App, place: &Place, snapshot: &Snapshot) {
    aictx_continuity::warm(snapshot);
    let presents = app
        .facts
        .anchored(&place.worktree, snapshot, Instant::now());
    app.facts
        .contents(&place.worktree, snapshot, &gone(&presents));
}

/// Words of a request that are looked at as paths.
const MAX_WORDS: usize = 64;

/// Files of code that a request names by their paths.
fn named_files<'r>(worktree: &'r Path, request: &'r str) -> impl Iterator<Item = &'r str> {
    let words = request.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | ':' | '(' | ')')
    });
    let words = words
        .map(|word| word.trim_start_matches("./").trim_end_matches('.'))
        .take(MAX_WORDS);
    words.filter(|word| {
        let known = !aictx_shell::language_of(word).is_empty()
            && aictx_proto::RepoPath::parse(word).is_ok();
        known && worktree.join(word).is_file()
    })
}

/// Files of each kind that a request is likely about and that memory is asked of.
const MAX_ABOUT: usize = 8;

/// Files that a request is likely about, the likeliest first: those at hand (relative), those that it names, those
/// that the map ranks highest, those of the task and of the last handoff.
fn files_about(
    snapshot: &Snapshot,
    project: &Project,
    at_hand: &[String],
    of_task: &[String],
    named: impl Iterator<Item = String>,
) -> Vec<String> {
    let mapped = project.map.iter().map(|hit| hit.path.clone());
    let handoff = project.handoff.as_deref().or(snapshot.handoff.as_deref());
    let of_handoff = handoff.into_iter();
    let of_handoff = of_handoff.flat_map(|handoff| &handoff.recommended_starting_points);
    let mut about: Vec<String> = Vec::new();
    let all = (at_hand.iter().take(MAX_ABOUT).cloned())
        .chain(named.take(MAX_ABOUT))
        .chain(mapped.take(MAX_ABOUT))
        .chain(of_task.iter().cloned())
        .chain(of_handoff.take(MAX_ABOUT).cloned());
    for path in all {
        if !about.contains(&path) {
            about.push(path);
        }
    }
    about
}

/// Handoffs of earlier work that a request is compared with.
const MAX_MATCHED: usize = 3;

/// Adds what memory holds on a request to a project.
fn recall(app: &App, place: &Place, snapshot: &Snapshot, request: &str, project: &mut Project) {
    if request.trim().is_empty() {
        return;
    }
    let branch = project.checkout.branch.as_str();
    if only_goes_on(request) {
        project.matched = unfinished(snapshot, &project.checkout, "")
            .map(Arc::new)
            .into_iter()
            .collect();
        return;
    }
    let Ok(host) = app.hosts.open(&place.root) else {
        return;
    };
    let now = app.now();
    let (recalled, matched) = host.recalled.ask(&host.store, snapshot, |all| {
        let recalled = recollect(&PromptMemory {
            snapshot,
            memory: &all.memory,
            found: &all.search(request, |_| true),
            request,
            branch,
            gone: &project.checkout.gone,
            rows: &[],
            now,
        });
        let executions = recalled.iter().map(|one| one.execution.as_str());
        let matched = executions.filter_map(|execution| all.memory.handoff(execution));
        let matched = matched.take(MAX_MATCHED).map(Arc::new).collect();
        (recalled, matched)
    });
    project.recalled = recalled;
    project.matched = matched;
}

/// As [`gather`] for a request, with the files that it is about as the map ranks them. `at_hand`: files (relative)
/// that the caller names beside it. `asked_at`: as [`Facts::ask_ahead`] gives it.
pub fn gather_for(
    app: &App,
    place: &Place,
    snapshot: &Snapshot,
    request: &str,
    at_hand: &[String],
    asked_at: Instant,
) -> Project {
    let mut project = gather_at(app, place, snapshot, asked_at);
    // Nobody is sent to files of a task that are not there.
    let task = active_thread(snapshot, &project.checkout).thread;
    let of_task = task.iter().flat_map(|task| task.active_files.iter().rev());
    let of_task: Vec<String> = of_task.take(MAX_ABOUT).cloned().collect();
    if !of_task.is_empty() {
        let more = with_definitions(&of_task);
        look_at(app, place, &mut project, &more, asked_at, Some(snapshot));
    }
    recall(app, place, snapshot, request, &mut project);
    if !request.trim().is_empty() {
        let at = At {
            root: &place.root,
            worktree: &place.worktree,
            head: Some(&project.checkout.head),
        };
        project.map = app.maps.suggestions(&at, request, &[], 1);
        let named = named_files(&place.worktree, request).map(str::to_owned);
        let about = files_about(snapshot, &project, at_hand, &of_task, named);
        let mut more = relevant_paths(snapshot, request, &about, app.now());
        more.retain(|path, _| !project.presents.contains_key(path));
        look_at(app, place, &mut project, &more, asked_at, Some(snapshot));
        let ranked = project.map.iter().map(|hit| hit.path.as_str());
        let mut code = named_files(&place.worktree, request).chain(ranked);
        let first = code.find(|path| !aictx_shell::language_of(path).is_empty());
        project.at_hand = first.and_then(|path| {
            let checks = Checks::with(app, place, snapshot, Cow::Borrowed(&project));
            checks.check(path)
        });
    }
    project.mapped = app.maps.knows_files(&place.root, &place.worktree);
    let memory = app.homes.of(&place.root).join(MEMORY);
    project.map_file = memory.join(REPO_MAP_MANIFEST).is_file();
    project
}

/// Looks at further paths (relative) of a project, with their definitions.
pub fn gather_more(app: &App, place: &Place, project: &mut Project, more: &[String]) {
    let more = with_definitions(more);
    look_at(app, place, project, &more, Instant::now(), None);
}

/// Paths (relative) to look at, with their definitions.
fn with_definitions(paths: &[String]) -> BTreeMap<String, bool> {
    let plain = |path: &&String| aictx_proto::RepoPath::parse(path).is_ok_and(|p| !p.is_root());
    let paths = paths.iter().take(64).filter(plain);
    paths.map(|path| (path.clone(), true)).collect()
}

/// Looks at further paths of a project, and where those went that are gone and that a memory speaks of.
fn look_at(
    app: &App,
    place: &Place,
    project: &mut Project,
    more: &BTreeMap<String, bool>,
    asked_at: Instant,
    memory: Option<&Snapshot>,
) {
    if more.is_empty() {
        return;
    }
    let mut more = Arc::new(app.facts.presents(&place.worktree, more, asked_at));
    if let Some(snapshot) = memory {
        follow_moves(app, place, snapshot, &mut more);
    }
    Arc::make_mut(&mut project.presents).extend(Arc::unwrap_or_clone(more));
}

/// Returns the map's last refresh and its result, as `quick ok`; empty when its status does not say.
pub fn map_state(store: &Store) -> String {
    let status: Option<Value> = store.document(REPO_MAP_STATUS);
    let word = |name: &str| {
        let text = status.as_ref()?.get(name)?.as_str()?;
        let plain = text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        (plain && (1..=24).contains(&text.len())).then(|| text.to_owned())
    };
    match (word("last_refresh_mode"), word("last_refresh_status")) {
        (Some(mode), Some(status)) => format!("{mode} {status}"),
        _ => String::new(),
    }
}

/// Notes below `.aictx/memory/source/`, by path.
fn notes(home: &Path) -> Vec<Note> {
    let base = home.join(MEMORY).join(NOTES);
    let mut pending = vec![base.clone()];
    let mut files = Vec::new();
    while let Some(directory) = pending.pop() {
        let entries = untrusted::entries(&directory).into_iter().flatten();
        for entry in entries.take(200) {
            let path = directory.join(entry.name);
            match entry.kind {
                FileType::Directory if pending.len() < MAX_NOTES => pending.push(path),
                FileType::RegularFile if path.extension().is_some_and(|e| e == "md") => {
                    files.push(path);
                }
                _ => {}
            }
        }
        if files.len() >= MAX_NOTES {
            break;
        }
    }
    files.sort_unstable();
    files.truncate(MAX_NOTES);
    files
        .iter()
        .filter_map(|path| {
            let text =
                project::beginning(&base, path.strip_prefix(&base).ok()?.to_str()?, MAX_NOTE)?;
            Some(note(
                path.strip_prefix(&base)
                    .ok()?
                    .to_string_lossy()
                    .into_owned(),
                &intake::text(&text),
            ))
        })
        .collect()
}

fn note(path: String, text: &str) -> Note {
    let mut tags = String::new();
    let mut body = text;
    if let Some(rest) = text.strip_prefix("---\n")
        && let Some((front, after)) = rest.split_once("\n---")
    {
        for line in front.lines() {
            if let Some((key, value)) = line.split_once(':')
                && matches!(key.trim(), "tags" | "task_type" | "area")
            {
                tags.push_str(value);
                tags.push(' ');
            }
        }
        body = after.trim_start_matches('-');
    }
    let heading = body.lines().find_map(|l| l.strip_prefix('#'));
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or(&path)
        .trim_end_matches(".md");
    let title = heading
        .map_or(name, |h| h.trim_start_matches('#').trim())
        .to_owned();
    let body: String = body
        .lines()
        .filter(|l| !l.starts_with('#'))
        .collect::<Vec<_>>()
        .join(" ");
    Note {
        title: clean(&title, 120),
        tags: clean(&tags, 200),
        text: clean(&body, 2_000),
        origin: Origin::Own,
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_titles_and_tags() {
        let found = note(
            "a/b.md".into(),
            "---\ntags: [auth, login]\nx: 1\n---\n# How login works\nTokens live an hour.\n",
        );
        assert_eq!(
            (found.title.as_str(), found.text.as_str()),
            ("How login works", "Tokens live an hour.")
        );
        assert!(found.tags.contains("auth"));
        assert_eq!(note("a/b.md".into(), "plain").title, "b");
    }

    #[test]
    fn worktrees_are_named_from_the_main_one() {
        let of = |a: &str, b: &str| relative(Path::new(a), Path::new(b));
        assert_eq!(of("/r/main", "/r/main"), ".");
        assert_eq!(of("/r/main", "/r/linked"), "../linked");
        assert_eq!(of("/r/main", "/r/main/wt/x"), "wt/x");
    }

    #[test]
    fn unchanged_files_are_not_read_twice() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rs"), "fn one() {}\n").unwrap();
        let facts = Facts::default();
        let wanted = BTreeMap::from([("a.rs".to_owned(), true), ("gone.rs".to_owned(), false)]);
        let first = facts.presents(dir.path(), &wanted, Instant::now());
        assert!(first["a.rs"].definitions.contains_key("one") && first["gone.rs"].blob.is_empty());
        assert_eq!(facts.presents(dir.path(), &wanted, Instant::now()), first);
        std::fs::write(dir.path().join("a.rs"), "fn two() {}\n").unwrap();
        assert!(
            facts.presents(dir.path(), &wanted, Instant::now())["a.rs"]
                .definitions
                .contains_key("two")
        );
    }
}
