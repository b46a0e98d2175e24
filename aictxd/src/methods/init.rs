//! `init`: the store, git's exclude file, the agents' hooks, the registry.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use aictx_artifacts::root::find_repository;
use aictx_proto::methods::{FileChange, InitParams, InitReply};
use aictx_proto::rpc::{INVALID_PARAMS, NO_REPOSITORY, NOT_WRITABLE, RpcError};
use aictx_runners::claude::settings;

use crate::app::App;

/// What git must not see. Written to `.git/info/exclude`, which is personal and never committed.
const EXCLUDED: &str = "/.aictx/";

pub(super) fn init(app: &App, params: &InitParams) -> Result<InitReply, RpcError> {
    if let Some(unknown) = params.runners.iter().find(|r| r.as_str() != "claude") {
        return Err(RpcError::new(
            INVALID_PARAMS,
            format!("unknown runner `{unknown}`; known: claude"),
        ));
    }
    let path = Path::new(&params.repo);
    if !path.is_absolute() || !path.is_dir() {
        return Err(RpcError::new(
            NO_REPOSITORY,
            format!("{} is not a directory", params.repo),
        ));
    }
    let (root, worktree, exclude) = match find_repository(path) {
        Ok(found) => {
            let exclude = found
                .common_dir
                .as_ref()
                .map(|dir| dir.join("info/exclude"));
            (found.root, found.worktree, exclude)
        }
        Err(_) if params.force => {
            let root = fs::canonicalize(path).map_err(|e| broken(path, &e))?;
            (root.clone(), root, None)
        }
        Err(e) => {
            return Err(RpcError::new(NO_REPOSITORY, e.to_string())
                .hint("give the path of a git repository, or use --force in a plain folder"));
        }
    };
    let had_store = root.join(".aictx").exists();
    app.hosts.create(&root)?;
    let mut files = vec![change(
        ".aictx/",
        if had_store { "unchanged" } else { "created" },
    )];
    let mut warnings = Vec::new();
    let mut hidden = vec![EXCLUDED];
    for runner in &params.runners {
        debug_assert_eq!(runner, "claude");
        let (report, created) = register_claude(&worktree, &params.program);
        if report.action == "skipped" {
            warnings.push(format!("{}: {}", report.path, report.reason));
        }
        if created {
            hidden.push("/.claude/settings.local.json");
        }
        files.push(report);
    }
    if let Some(exclude) = exclude {
        match hide(&exclude, &hidden) {
            Ok(changed) => {
                files.push(change(
                    ".git/info/exclude",
                    if changed { "updated" } else { "unchanged" },
                ));
            }
            Err(e) => warnings.push(format!(
                "{}: {e}; git will show .aictx as untracked",
                exclude.display()
            )),
        }
    }
    let mut registered = false;
    if !params.no_register {
        match app.registry.add(&root, app.now()) {
            Ok(_) => {
                registered = true;
                app.registry_changed.notify_one();
            }
            Err(e) => warnings.push(format!("the repository was not registered: {e}")),
        }
    }
    Ok(InitReply {
        repo: root.to_string_lossy().into_owned(),
        files,
        registered,
        warnings,
    })
}

fn change(path: &str, action: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        action: action.to_owned(),
        reason: String::new(),
    }
}

fn broken(path: &Path, error: &io::Error) -> RpcError {
    RpcError::new(NOT_WRITABLE, format!("{}: {error}", path.display()))
}

/// Registers our hooks; gives what happened and whether the file is a new one of ours.
fn register_claude(worktree: &Path, program: &str) -> (FileChange, bool) {
    let skipped = |reason: String| {
        (
            FileChange {
                path: settings::FILE.to_owned(),
                action: "skipped".to_owned(),
                reason,
            },
            false,
        )
    };
    if !Path::new(program).is_absolute() {
        return skipped("the path of the aictx program is not absolute".to_owned());
    }
    let path = worktree.join(settings::FILE);
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
    if path.parent().is_some_and(is_link) {
        return skipped("its directory is a symbolic link".to_owned());
    }
    let current = match fs::symlink_metadata(&path) {
        Ok(meta) if !meta.is_file() => return skipped("it is not a plain file".to_owned()),
        Ok(_) => match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(e) => return skipped(e.to_string()),
        },
        Err(_) => None,
    };
    let new = match settings::register(current.as_deref(), program) {
        Ok(Some(new)) => new,
        Ok(None) => return (change(settings::FILE, "unchanged"), false),
        Err(e) => return skipped(e.problem.to_string()),
    };
    match replace(&path, new.as_bytes()) {
        Ok(()) if current.is_some() => (change(settings::FILE, "updated"), false),
        Ok(()) => (change(settings::FILE, "created"), true),
        Err(e) => skipped(e.to_string()),
    }
}

/// Writes beside and renames; keeps the mode of a file that was there.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    if fs::symlink_metadata(parent)?.file_type().is_symlink() {
        return Err(io::Error::other(format!(
            "{} is a symbolic link",
            parent.display()
        )));
    }
    let draft = path.with_extension(format!("tmp{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(&draft)?;
    let written = file
        .write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| {
            if let Ok(meta) = fs::metadata(path) {
                fs::set_permissions(&draft, meta.permissions())?;
            }
            fs::rename(&draft, path)
        });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Adds the lines that are missing; gives whether any was.
fn hide(exclude: &Path, lines: &[&str]) -> io::Result<bool> {
    let current = match fs::symlink_metadata(exclude) {
        Ok(meta) if !meta.is_file() => return Err(io::Error::other("it is not a plain file")),
        _ => fs::read_to_string(exclude),
    };
    let current = match current {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e),
    };
    let missing: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| !current.lines().any(|have| have.trim() == *line))
        .collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let mut new = current;
    if !new.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    for line in missing {
        new.push_str(line);
        new.push('\n');
    }
    replace(exclude, new.as_bytes())?;
    Ok(true)
}
