//! `ticket`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

use aictx_proto::methods::{
    Severity, TICKET_CLAIM, TICKET_DONE, TICKET_EDIT, TICKET_IMPORT, TICKET_INSERT, TICKET_LINT,
    TICKET_LIST, TICKET_MOVE, TICKET_NEW, TICKET_NEXT, TICKET_RELEASE, TICKET_REMOVE,
    TICKET_REOPEN, TICKET_SET, TICKET_SHOW, TicketList, TicketParams, TicketRange, TicketReply,
    TicketState,
};
use serde_json::json;

use super::memory::read_text;
use super::{absolute, caller, request_id, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{CallerOptions, RepoOption, Ticket, TicketDraft, TicketHolder};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::ticket as render;
use crate::cli::terminal_text::Paint;

/// Exit status of findings, and of a queue that is not as it should be.
const FINDINGS_STATUS: i32 = 1;

/// `aictx ticket`.
pub(super) fn ticket(backend: &Backend, command: Ticket, paint: Paint) -> Result<Answer, CliError> {
    run(backend, command, paint).map_err(CliError::of_work)
}

fn run(backend: &Backend, command: Ticket, paint: Paint) -> Result<Answer, CliError> {
    match command {
        Ticket::List {
            open,
            done,
            ready,
            at,
        } => {
            let filter = match (open, done, ready) {
                (true, ..) => "open",
                (_, true, _) => "done",
                (.., true) => "ready",
                _ => "",
            };
            let params = TicketParams {
                filter: filter.to_owned(),
                ..place(&at)?
            };
            let value = backend.call(TICKET_LIST, &params)?;
            let list: TicketList = parse(value.clone())?;
            Ok(Answer {
                value,
                text: render::list(&list, paint),
                notes: render::findings(&list.findings, paint),
                status: if list.findings.is_empty() {
                    0
                } else {
                    FINDINGS_STATUS
                },
            })
        }
        Ticket::Ready { at } => {
            let params = TicketParams {
                filter: "open".to_owned(),
                ..place(&at)?
            };
            let list: TicketList = parse(backend.call(TICKET_LIST, &params)?)?;
            let (ready, waiting): (Vec<_>, Vec<_>) = list
                .tickets
                .into_iter()
                .partition(|row| row.state == TicketState::Ready);
            Ok(Answer {
                text: render::ready(&ready, &waiting, paint),
                value: json!({ "directory": list.directory, "ready": ready, "waiting": waiting }),
                ..Answer::default()
            })
        }
        Ticket::Show { ticket, raw, at } => {
            let params = TicketParams {
                ticket,
                ..place(&at)?
            };
            let value = backend.call(TICKET_SHOW, &params)?;
            let reply: TicketReply = parse(value.clone())?;
            let text = match raw {
                true => reply.text.unwrap_or_default(),
                false => render::one(&reply, paint),
            };
            Ok(Answer {
                value,
                text,
                notes: render::findings(&reply.findings, paint),
                status: 0,
            })
        }
        Ticket::Lint { gate, fix, at } => {
            let params = TicketParams {
                gate,
                fix,
                ..place(&at)?
            };
            let value = backend.call(TICKET_LINT, &params)?;
            let list: TicketList = parse(value.clone())?;
            let is_wrong = list
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error);
            Ok(Answer {
                value,
                text: render::lint(&list, paint),
                notes: String::new(),
                status: if is_wrong || list.count == 0 {
                    FINDINGS_STATUS
                } else {
                    0
                },
            })
        }
        Ticket::Fmt { check, at } => {
            let params = TicketParams {
                fix: true,
                dry_run: check,
                ..place(&at)?
            };
            let value = backend.call(TICKET_LINT, &params)?;
            let list: TicketList = parse(value)?;
            Ok(Answer {
                text: render::formatted(&list.repaired, check),
                status: if check && !list.repaired.is_empty() {
                    FINDINGS_STATUS
                } else {
                    0
                },
                value: json!({ "changed": !list.repaired.is_empty() && !check, "files": list.repaired }),
                ..Answer::default()
            })
        }
        Ticket::Edit {
            ticket,
            from_file,
            body_file,
            at,
        } => {
            let mut params = TicketParams {
                ticket,
                ..place(&at)?
            };
            match (from_file, body_file) {
                (Some(file), _) => params.text = Some(read_text(&file)?),
                (None, Some(file)) => params.body = Some(read_text(&file)?),
                (None, None) => {
                    let shown: TicketReply = parse(backend.call(TICKET_SHOW, &params)?)?;
                    params.text = Some(in_editor(&shown.text.unwrap_or_default())?);
                    params.digest = shown.digest;
                }
            }
            change(backend, TICKET_EDIT, &params, paint)
        }
        other => {
            let (method, params) = request(other)?;
            change(backend, method, &params, paint)
        }
    }
}

/// The method of a command that is one call, and its parameters.
fn request(command: Ticket) -> Result<(&'static str, TicketParams), CliError> {
    Ok(match command {
        Ticket::New {
            title,
            number,
            draft,
            at,
        } => {
            let TicketDraft {
                agent,
                goal,
                after,
                verify,
                scope,
                body_file,
            } = draft;
            let params = TicketParams {
                title,
                number,
                agent,
                goal,
                after,
                verify,
                scope,
                body: body_file.as_deref().map(read_text).transpose()?,
                ..place(&at)?
            };
            (TICKET_NEW, params)
        }
        Ticket::Insert {
            before,
            after,
            count,
            title,
            agent,
            at,
        } => {
            let params = TicketParams {
                insert_before: before,
                insert_after: after,
                count,
                title,
                agent,
                ..place(&at)?
            };
            (TICKET_INSERT, params)
        }
        Ticket::Move {
            start,
            end,
            to,
            keep_gaps,
            at,
        } => {
            let range = TicketRange {
                first: start,
                last: end,
                to,
                keep_gaps,
            };
            let params = TicketParams {
                range: Some(range),
                ..place(&at)?
            };
            (TICKET_MOVE, params)
        }
        Ticket::Set { ticket, values, at } => {
            let params = TicketParams {
                ticket,
                values,
                ..place(&at)?
            };
            (TICKET_SET, params)
        }
        Ticket::Done {
            ticket,
            evidence,
            holder,
            at,
            caller,
        } => {
            let params = TicketParams {
                evidence,
                ..held(ticket, holder, &at, caller)?
            };
            (TICKET_DONE, params)
        }
        Ticket::Release {
            ticket,
            holder,
            at,
            caller,
        } => (TICKET_RELEASE, held(ticket, holder, &at, caller)?),
        Ticket::Claim {
            ticket,
            holder,
            force,
            at,
            caller,
        } => {
            let holder = TicketHolder {
                holder,
                claim: String::new(),
                force,
            };
            (TICKET_CLAIM, held(ticket, holder, &at, caller)?)
        }
        Ticket::Reopen { ticket, at } => {
            let params = TicketParams {
                ticket,
                ..place(&at)?
            };
            (TICKET_REOPEN, params)
        }
        Ticket::Rm { ticket, force, at } => {
            let params = TicketParams {
                ticket,
                force,
                ..place(&at)?
            };
            (TICKET_REMOVE, params)
        }
        Ticket::Import {
            path,
            agent,
            dry_run,
            at,
        } => {
            let params = TicketParams {
                path: absolute(&path)?,
                agent,
                dry_run,
                ..place(&at)?
            };
            (TICKET_IMPORT, params)
        }
        Ticket::Next { at }
        | Ticket::List { at, .. }
        | Ticket::Ready { at }
        | Ticket::Show { at, .. }
        | Ticket::Lint { at, .. }
        | Ticket::Fmt { at, .. }
        | Ticket::Edit { at, .. } => (TICKET_NEXT, place(&at)?),
    })
}

fn place(at: &RepoOption) -> Result<TicketParams, CliError> {
    Ok(TicketParams {
        repo: absolute(&at.repo)?,
        cwd: working_directory(),
        caller: caller(CallerOptions::default()),
        ..TicketParams::default()
    })
}

fn held(
    ticket: String,
    holder: TicketHolder,
    at: &RepoOption,
    by: CallerOptions,
) -> Result<TicketParams, CliError> {
    Ok(TicketParams {
        ticket,
        holder: holder.holder,
        claim: holder.claim,
        force: holder.force,
        caller: caller(by),
        ..place(at)?
    })
}

fn change(
    backend: &Backend,
    method: &str,
    params: &TicketParams,
    paint: Paint,
) -> Result<Answer, CliError> {
    let value = backend.call(method, params)?;
    let reply: TicketReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::changed(&reply),
        notes: render::notes(&reply, paint),
        status: 0,
    })
}

/// Has the user edit a text, in a file that is removed afterwards.
fn in_editor(text: &str) -> Result<String, CliError> {
    let named = ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(|name| std::env::var(name).ok());
    let editor = named.into_iter().find(|editor| !editor.trim().is_empty());
    let editor = editor.ok_or_else(|| {
        CliError::usage("neither $VISUAL nor $EDITOR names an editor")
            .hint("set one, or use --from-file or --body-file")
    })?;
    let file = std::env::temp_dir().join(format!("aictx-{}.md", request_id()));
    let shown = file.display().to_string();
    let fail = |e: std::io::Error| CliError::io(&shown, &e);
    let options = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&file);
    options
        .and_then(|mut f| f.write_all(text.as_bytes()))
        .map_err(fail)?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let ended = Command::new(program).args(words).arg(&file).status();
    let edited = fs::read_to_string(&file);
    let _ = fs::remove_file(&file);
    match ended.map_err(|e| CliError::io(program, &e))?.success() {
        true => edited.map_err(fail),
        false => Err(CliError::usage(format!(
            "{program} failed, so nothing was changed"
        ))),
    }
}
