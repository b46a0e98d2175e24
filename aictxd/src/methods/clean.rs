//! `clean` and `uninstall`: every file as it was before, outside of our entries.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use aictx_artifacts::root::find_repository;
use aictx_files::untrusted::{self, Entry, Links, ReadError, Regular};
use aictx_proto::methods::{CleanParams, FileChange, MemoryFate, RemovalReply, UninstallParams};
use aictx_proto::rpc::{NO_REPOSITORY, NOT_WRITABLE, RpcError};
use aictx_runners::plan::Scope;
use aictx_runners::python_aictx;
use rustix::fs::FileType;

use super::init::{Site, exclude_edit, hide, portable, tracks_tickets};
use crate::app::App;
use crate::git;
use crate::setup::agent_detection::Around;
use crate::setup::ledger::{self, Ledger};
use crate::setup::{Carrier, USER};

/// Most files of a memory that are looked at to see whether there is anything in it.
const MAX_LOOKED_AT: usize = 10_000;
/// Longest file of a memory that is copied to another disk, in bytes.
const MAX_COPIED: u64 = 256 * 1024 * 1024;
/// Deepest directory of a memory.
const MAX_DEPTH: usize = 16;

pub(super) fn clean(app: &App, params: &CleanParams) -> Result<RemovalReply, RpcError> {
    let mut site = Site::find(app, &params.repo, false)?;
    if !params.dry_run && app.follow_move(&site.root) {
        site = Site::find(app, &params.repo, false)?;
    }
    let around = Around::new(&params.surroundings, &site.worktree.to_string_lossy())?;
    let mut ledger = open(app, params.dry_run)?;
    if !site.memory().exists()
        && ledger.of(&site.scope()).is_empty()
        && !app.registry.contains(&site.root)
    {
        let text = format!("{} was not initialised", site.root.display());
        return Err(RpcError::new(NO_REPOSITORY, text).hint("there is nothing to take out"));
    }
    let mut reply = RemovalReply {
        dry_run: params.dry_run,
        ..RemovalReply::default()
    };
    remove_from(app, &mut ledger, &site, &around, params, &mut reply);
    finish(params.verify, &mut reply);
    Ok(reply)
}

pub(super) fn uninstall(app: &App, params: &UninstallParams) -> Result<RemovalReply, RpcError> {
    let around = Around::new(&params.surroundings, "")?;
    let mut ledger = open(app, params.dry_run)?;
    let mut reply = RemovalReply {
        dry_run: params.dry_run,
        ..RemovalReply::default()
    };
    let bounds = around.user_bounds();
    let mut carrier = Carrier::new(&mut ledger, bounds, Path::new(""), params.dry_run);
    let (changes, verified) = carrier.take_all(USER, &around.everything(Scope::User));
    reply.warnings.append(&mut carrier.warnings);
    drop(carrier);
    reply.files.extend(changes);
    reply.verified.extend(verified);
    app.registry.refresh();
    let registered = app.registry.list().into_iter().map(|entry| entry.repo_path);
    let mut roots: Vec<String> = registered.chain(ledger.repositories()).collect();
    roots.sort_unstable();
    roots.dedup();
    for root in roots {
        let Ok(site) = Site::find(app, &root, true) else {
            // It is gone, and everything in it.
            continue;
        };
        let mut around = around.clone();
        around.paths.repository = site.worktree.to_string_lossy().into_owned();
        let params = CleanParams {
            repo: root,
            memory: if params.purge {
                MemoryFate::Delete
            } else {
                MemoryFate::Keep
            },
            dry_run: params.dry_run,
            ..CleanParams::default()
        };
        let (files, verified) = (reply.files.len(), reply.verified.len());
        remove_from(app, &mut ledger, &site, &around, &params, &mut reply);
        // Of many repositories each file needs its whole name.
        let paths = reply
            .files
            .iter_mut()
            .skip(files)
            .map(|file| &mut file.path);
        let more = reply.verified.iter_mut().skip(verified);
        for path in paths.chain(more.map(|file| &mut file.path)) {
            if !path.starts_with('/') {
                *path = format!("{}/{path}", params.repo);
            }
        }
    }
    drop(ledger);
    if params.purge {
        for directory in [&app.locations.state, &app.locations.cache] {
            purge(directory, params.dry_run, &mut reply);
        }
    }
    finish(params.verify, &mut reply);
    Ok(reply)
}

fn open(app: &App, dry_run: bool) -> Result<Ledger, RpcError> {
    Ledger::open(&app.locations.state, !dry_run)
        .map_err(|e| RpcError::new(NOT_WRITABLE, format!("the install ledger: {e}")))
}

fn finish(verify: bool, reply: &mut RemovalReply) {
    if !verify {
        reply.verified.clear();
    }
    reply
        .files
        .retain(|change| !change.path.is_empty() && change.action != "unchanged");
    let skipped = reply.files.iter().filter(|file| file.action == "skipped");
    let skipped: Vec<String> = skipped
        .map(|file| format!("{}: {}", file.path, file.reason))
        .collect();
    reply.partial |= !skipped.is_empty();
    reply.warnings.splice(0..0, skipped);
}

/// Takes everything out of one repository.
fn remove_from(
    app: &App,
    ledger: &mut Ledger,
    site: &Site,
    around: &Around,
    params: &CleanParams,
    reply: &mut RemovalReply,
) {
    if !params.dry_run
        && let Err(error) = app.flows.leave(app, &site.root)
    {
        reply.warnings.push(format!("flows: {error}"));
    }
    reply.repos.push(site.scope());
    let mut entries = ledger.of(&site.scope());
    let more = other_worktrees(site, entries.iter().map(|entry| &entry.record.file));
    let exclude = site.exclude();
    let asked = params.memory == MemoryFate::Keep && site.memory().exists();
    let tracked = match asked || params.force || site.is_outside() {
        true => Some(Vec::new()),
        false => git::tracked_memory(&site.root),
    };
    let refusal = match tracked {
        Some(files) if files.is_empty() => None,
        Some(_) => Some("git tracks files in it; --yes takes it out of the worktree all the same"),
        None => {
            Some("git did not say whether it tracks files in it; --yes takes it out all the same")
        }
    };
    let keeps = asked || refusal.is_some();
    let mut plan = around.everything(Scope::Repository { shared: true });
    plan.extend(around.everything(Scope::Repository { shared: false }));
    let is_exclude = |file: &str| exclude.as_deref() == Some(Path::new(file));
    let portable = portable::edits(site);
    let is_portable =
        |entry: &ledger::Entry| portable.iter().any(|edit| edit.file == entry.record.file);
    if keeps {
        // The rules that say what git sees of it stay with it.
        entries.retain(|entry| !is_exclude(&entry.record.file) && !is_portable(entry));
    } else if let Some(exclude) = &exclude {
        plan.push(exclude_edit(exclude, &[]));
        plan.extend(portable);
    }
    let bounds = site.bounds(&more);
    let mut carrier = Carrier::new(ledger, bounds, &site.root, params.dry_run);
    let (mut changes, verified) = carrier.take(&entries, &plan);
    if params.ancestor {
        for scope in [true, false].map(|shared| Scope::Repository { shared }) {
            for place in python_aictx::places(scope, &around.paths) {
                changes.extend(carrier.take_ancestor(&place));
            }
        }
    }
    if keeps && !site.is_outside() {
        let tickets = tracks_tickets(site, None, &carrier.bounds);
        hide(
            &mut carrier,
            site,
            (portable::is_chosen(site, None), tickets),
            &mut changes,
        );
    }
    reply.warnings.append(&mut carrier.warnings);
    drop(carrier);
    reply.files.extend(changes);
    reply.verified.extend(verified);
    if asked {
        return;
    }
    if !params.dry_run && app.registry.contains(&site.root) {
        if let Err(e) = app.registry.remove(&site.root) {
            reply.warnings.push(format!("the registry: {e}"));
            reply.partial = true;
        }
        app.hosts.close(&site.root);
        app.maps.close(&site.worktree);
        app.registry_changed.notify_one();
    }
    let outcome = match refusal {
        Some(why) => Err(why.to_owned()),
        None => put_away(app, site, params),
    };
    if site.is_outside() && !params.dry_run {
        app.homes.remove_outside(&site.root);
    }
    match outcome {
        Ok(Some((change, place))) => {
            reply.files.push(change);
            reply.archived.extend(place);
        }
        Ok(None) => {}
        Err(why) => {
            reply.files.push(FileChange {
                path: site.shown_memory(),
                action: "skipped".to_owned(),
                reason: why,
                ..FileChange::default()
            });
        }
    }
}

/// Worktrees of the same repository in which files of ours lie.
fn other_worktrees<'a>(site: &Site, files: impl Iterator<Item = &'a String>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in files {
        let near = Path::new(file).ancestors().skip(1).find(|dir| dir.is_dir());
        let repository = near.and_then(|dir| find_repository(dir).ok());
        if let Some(repository) = repository
            && repository.root == site.root
            && !found.contains(&repository.worktree)
        {
            found.push(repository.worktree);
        }
    }
    found
}

/// Moves or deletes the memory; says what was done, and where it is now.
fn put_away(
    app: &App,
    site: &Site,
    params: &CleanParams,
) -> Result<Option<(FileChange, Option<String>)>, String> {
    let memory = site.memory();
    match fs::symlink_metadata(&memory) {
        Err(_) => return Ok(None),
        Ok(meta) if !meta.is_dir() => return Err("it is not a directory of ours".to_owned()),
        Ok(_) => {}
    }
    let done = |action: &str| FileChange {
        path: site.shown_memory(),
        action: action.to_owned(),
        ..FileChange::default()
    };
    if params.memory == MemoryFate::Delete || holds_nothing(&memory) {
        if !params.dry_run {
            fs::remove_dir_all(&memory).map_err(|e| e.to_string())?;
        }
        return Ok(Some((done("removed"), None)));
    }
    let name = site.root.file_name().unwrap_or_default().to_string_lossy();
    let time = app.now().to_string().replace(':', "-");
    let place = app
        .locations
        .state
        .join("archive")
        .join(format!("{name}-{time}"));
    if !params.dry_run {
        move_directory(&memory, &place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    let place = place.to_string_lossy().into_owned();
    Ok(Some((done("moved"), Some(place))))
}

/// Returns true if nobody has put a fact in there: only what `init` makes, and what is made of the tree.
fn holds_nothing(memory: &Path) -> bool {
    const MADE: &[&str] = &["format.json", ".lock", "repo_map"];
    let mut left = MAX_LOOKED_AT;
    let Ok(mut entries) = untrusted::entries(memory) else {
        return false;
    };
    entries.all(|entry| {
        let is_made = MADE.iter().any(|made| entry.name == *made);
        is_made || is_empty(&memory.join(entry.name), MAX_DEPTH, &mut left)
    })
}

fn is_empty(path: &Path, depth: usize, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    let Ok(meta) = fs::symlink_metadata(path) else {
        return true;
    };
    if meta.is_file() {
        return meta.len() == 0;
    }
    if !meta.is_dir() || depth == 0 || *left == 0 {
        return false;
    }
    untrusted::entries(path)
        .is_ok_and(|mut entries| entries.all(|e| is_empty(&path.join(e.name), depth - 1, left)))
}

/// Renames, or copies and removes where the place is on another disk. Links are not followed and
/// not taken along.
fn move_directory(from: &Path, to: &Path) -> io::Result<()> {
    let parent = to.parent().unwrap_or(Path::new("/"));
    aictx_files::private::directory(parent)?;
    match fs::rename(from, to) {
        Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
            copy(from, to, MAX_DEPTH)?;
            fs::remove_dir_all(from)
        }
        other => other,
    }
}

fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other("directories are nested too deeply"));
    }
    fs::create_dir(to)?;
    let directory = untrusted::Directory::open(from)?;
    for entry in directory.entries(".")? {
        let Entry { name, kind } = entry?;
        let target = to.join(&name);
        match kind {
            FileType::Directory => copy(&from.join(name), &target, depth - 1)?,
            FileType::RegularFile => {
                let file = directory.file(&name, Links::Refused)?;
                if file.len() > MAX_COPIED {
                    return Err(ReadError::TooLong { limit: MAX_COPIED }.into());
                }
                copy_file(file, &target)?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "makes a file in the state directory"
)]
fn copy_file(file: Regular, target: &Path) -> io::Result<()> {
    // Some systems have smaller modes.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    let mode = file.stat().st_mode as u32 & 0o777;
    let length = file.len();
    let mut made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(target)?;
    io::copy(&mut file.into_file().take(length), &mut made)?;
    Ok(())
}

fn purge(directory: &Path, dry_run: bool, reply: &mut RemovalReply) {
    if !directory.exists() {
        return;
    }
    let outcome = if dry_run {
        Ok(())
    } else {
        fs::remove_dir_all(directory)
    };
    reply.files.push(FileChange {
        path: directory.to_string_lossy().into_owned(),
        action: if outcome.is_ok() {
            "removed"
        } else {
            "skipped"
        }
        .to_owned(),
        reason: outcome.err().map(|e| e.to_string()).unwrap_or_default(),
        ..FileChange::default()
    });
}
