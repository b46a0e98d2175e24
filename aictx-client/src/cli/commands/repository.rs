//! `repo` and `session`.

use aictx_proto::methods::{
    REPO_ADD, REPO_LIST, REPO_REMOVE, RepoEntry, RepoList, RepoParams, SESSION_LIST, SESSION_SHOW,
    SessionList, SessionListParams, SessionReport, SessionShowParams,
};

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::{Repo, Session};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render;
use crate::cli::terminal_text::{Paint, clean};

/// `aictx repo`.
pub(super) fn repo(backend: &Backend, command: &Repo) -> Result<Answer, CliError> {
    let (method, path, verb) = match command {
        Repo::List => {
            let value = backend.call(REPO_LIST, &aictx_proto::methods::Empty {})?;
            let list: RepoList = parse(value.clone())?;
            return Ok(Answer {
                value,
                text: render::repositories(&list),
                ..Answer::default()
            });
        }
        Repo::Add { path } => (REPO_ADD, path, "registered"),
        Repo::Remove { path } => (REPO_REMOVE, path, "forgot"),
    };
    let params = RepoParams {
        repo: absolute(path)?,
    };
    let value = backend.call(method, &params)?;
    let entry: RepoEntry = parse(value.clone())?;
    Ok(Answer {
        value,
        text: format!("{verb} {}\n", clean(&entry.repo_path)),
        ..Answer::default()
    })
}

/// `aictx session`.
pub(super) fn session(
    backend: &Backend,
    command: &Session,
    paint: Paint,
) -> Result<Answer, CliError> {
    let (value, text) = match command {
        Session::List { at, limit } => {
            let params = SessionListParams {
                repo: absolute(&at.repo)?,
                limit: *limit,
            };
            let value = backend.call(SESSION_LIST, &params)?;
            let list: SessionList = parse(value.clone())?;
            (value, render::sessions(&list))
        }
        Session::Show { id, at, rows } => {
            let params = SessionShowParams {
                repo: absolute(&at.repo)?,
                session_id: id.clone(),
                rows: *rows,
            };
            let value = backend.call(SESSION_SHOW, &params)?;
            let report: SessionReport = parse(value.clone())?;
            (value, render::session(&report, paint))
        }
    };
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}
