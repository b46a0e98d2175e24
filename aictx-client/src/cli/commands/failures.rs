//! `failures`.

use aictx_proto::methods::{
    FAILURES_FORGET, FAILURES_LIST, FAILURES_REOPEN, FAILURES_RESOLVE, FAILURES_SHOW, FailureList,
    FailureListParams, FailureParams, FailureReply,
};

use super::{absolute, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Failures, RepoOption};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::failures as render;
use crate::cli::terminal_text::Paint;

/// `aictx failures`.
pub(super) fn failures(
    backend: &Backend,
    command: Failures,
    paint: Paint,
) -> Result<Answer, CliError> {
    let (method, id, summary, at) = match command {
        Failures::List {
            status,
            all,
            task,
            paths,
            command,
            limit,
            at,
        } => {
            let params = FailureListParams {
                repo: absolute(&at.repo)?,
                cwd: working_directory(),
                status: match all {
                    true => "all".to_owned(),
                    false => status.unwrap_or_default(),
                },
                task,
                paths,
                command,
                limit,
            };
            let value = backend.call(FAILURES_LIST, &params)?;
            let list: FailureList = parse(value.clone())?;
            return Ok(Answer {
                value,
                text: render::list(&list, paint),
                ..Answer::default()
            });
        }
        Failures::Show { id, at } => (FAILURES_SHOW, id, String::new(), at),
        Failures::Resolve { id, summary, at } => (FAILURES_RESOLVE, id, summary, at),
        Failures::Reopen { id, at } => (FAILURES_REOPEN, id, String::new(), at),
        Failures::Forget { id, at } => (FAILURES_FORGET, id, String::new(), at),
    };
    one(backend, method, id, summary, &at, paint)
}

fn one(
    backend: &Backend,
    method: &str,
    failure_id: String,
    summary: String,
    at: &RepoOption,
    paint: Paint,
) -> Result<Answer, CliError> {
    let params = FailureParams {
        repo: absolute(&at.repo)?,
        failure_id,
        summary,
    };
    let value = backend.call(method, &params)?;
    let reply: FailureReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::one(&reply, paint),
        ..Answer::default()
    })
}
