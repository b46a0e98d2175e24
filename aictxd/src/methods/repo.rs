//! `repo.add`, `repo.list`, `repo.remove`.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_proto::methods::{RepoEntry, RepoList, RepoParams};
use aictx_proto::rpc::{NOT_FOUND, NOT_WRITABLE, RpcError};

use super::place;
use crate::app::App;

pub(super) fn add(app: &App, params: &RepoParams) -> Result<RepoEntry, RpcError> {
    let place = place(app, &params.repo)?;
    app.follow_move(&place.root);
    app.hosts.open(&place.root)?;
    let entry = app
        .registry
        .add(&place.root, app.now())
        .map_err(|e| unwritable(&e))?;
    app.registry_changed.notify_one();
    Ok(entry)
}

pub(super) fn list(app: &App) -> RepoList {
    app.registry.refresh();
    RepoList {
        repositories: app.registry.list(),
    }
}

/// Also works for a repository that is gone: then the path must be the registered one.
pub(super) fn remove(app: &App, params: &RepoParams) -> Result<RepoEntry, RpcError> {
    app.registry.refresh();
    let given = PathBuf::from(&params.repo);
    let candidates = [
        place(app, &params.repo).ok().map(|p| p.root),
        fs::canonicalize(&given).ok(),
        Some(given),
    ];
    let root = candidates
        .into_iter()
        .flatten()
        .find(|root| app.registry.contains(root));
    let missing = || {
        RpcError::new(NOT_FOUND, format!("{} is not registered", params.repo))
            .hint("`aictx repo list` shows what is")
    };
    let root = root.ok_or_else(missing)?;
    let removed = app
        .registry
        .remove(&root)
        .map_err(|e| unwritable(&e))?
        .ok_or_else(missing)?;
    app.hosts.close(&root);
    app.registry_changed.notify_one();
    Ok(RepoEntry {
        exists: Path::new(&removed.repo_path).is_dir(),
        ..removed
    })
}

fn unwritable(error: &std::io::Error) -> RpcError {
    RpcError::new(
        NOT_WRITABLE,
        format!("the registry cannot be changed: {error}"),
    )
    .hint("set XDG_STATE_HOME to a directory that can be written")
}
