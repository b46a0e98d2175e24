//! `init`, `repo` and `session`.

use std::path::Path;

use aictx_proto::methods::{
    INIT, InitParams, InitReply, REPO_ADD, REPO_LIST, REPO_REMOVE, RepoEntry, RepoList, RepoParams,
    SESSION_LIST, SESSION_SHOW, SessionList, SessionListParams, SessionReport, SessionShowParams,
};

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::{Init, Repo, Runner, Session};
use crate::cli::call::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render;
use crate::cli::text::{Paint, clean};

/// `aictx init`.
pub(super) fn init(backend: &Backend, options: &Init) -> Result<Answer, CliError> {
    let given = options.path.as_deref().or(options.repo.as_deref());
    let params = InitParams {
        repo: absolute(given.unwrap_or(Path::new(".")))?,
        runners: runners(&options.runner),
        program: program()?,
        no_register: options.no_register,
        force: options.force,
    };
    let value = backend.call(INIT, &params)?;
    let reply: InitReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::init(&reply),
        notes: render::warnings(&reply.warnings),
        status: 0,
    })
}

/// Names for the wire, each once; `none` adds nothing.
fn runners(given: &[Runner]) -> Vec<String> {
    if given.contains(&Runner::Claude) {
        vec!["claude".to_owned()]
    } else {
        Vec::new()
    }
}

/// What hooks shall call: this very program, by a path that needs no shell and no PATH.
fn program() -> Result<String, CliError> {
    let failed = |e| CliError::io("the path of this program", &e);
    let path = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .map_err(failed)?;
    path.into_os_string()
        .into_string()
        .map_err(|_| CliError::usage("the path of this program is not valid UTF-8"))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_named_once() {
        assert_eq!(runners(&[Runner::Claude, Runner::Claude]), ["claude"]);
        assert!(runners(&[Runner::None]).is_empty());
    }

    #[test]
    fn hooks_call_an_absolute_path() {
        assert!(Path::new(&program().unwrap()).is_absolute());
    }
}
