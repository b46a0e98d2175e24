//! Memory commands: tasks, next, prepare, log, why, forget, pin, wrong, messages, reports.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::Path;

use aictx_proto::json::member;
use aictx_proto::methods::{
    COMPACT, CompactParams, HandParams, InRepo, LOG, LogParams, LogReply, MEMORY_FORGET,
    MEMORY_LIST, MEMORY_PIN, MEMORY_RIGHT, MEMORY_UNPIN, MEMORY_WRONG, MESSAGES, MemoryList,
    MemoryListParams, MemoryParams, MemoryReply, MessagesParams, NEXT, PREPARE, PrepareParams,
    REFLECT, REPORT, RESUME, REUSE, ResumeParams, SUGGEST, TASK_CLOSE, TASK_LIST, TASK_RESUME,
    TASK_SHOW, TASK_START, TASK_STATUS, TASK_UPDATE, TaskParams, WHY, WhyParams, WhyReply,
};
use aictx_proto::rpc::MAX_LINE_BYTES;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{absolute, caller, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{
    CallerOptions, Hand, Item, Left, Log, Memory, Messages, PatchOptions, Pin, Prepare, RepoOption,
    Report, Task, Why, Wrong,
};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::memory as render;
use crate::cli::terminal_text::{Paint, clean};

/// Calls a method whose result has its text for people in a member.
fn with_text(backend: &Backend, method: &str, params: &impl Serialize) -> Result<Answer, CliError> {
    let mut value = backend.call(method, params)?;
    let text = value.as_object_mut().and_then(|v| v.remove("text"));
    let mut text = clean(text.as_ref().and_then(Value::as_str).unwrap_or_default());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}

/// Calls a method whose result is read by programs: they get one line of JSON, as from the Python package
/// with or without `--json`, and people at a terminal its members.
fn plain(backend: &Backend, method: &str, params: &impl Serialize) -> Result<Answer, CliError> {
    let value = backend.call(method, params)?;
    let text = if std::io::stdout().is_terminal() {
        render::members(&value)
    } else {
        format!("{value}\n")
    };
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}

/// `aictx task`.
pub(super) fn task(backend: &Backend, command: Task, paint: Paint) -> Result<Answer, CliError> {
    let params =
        |at: &RepoOption, task_id: String, by: CallerOptions| -> Result<TaskParams, CliError> {
            Ok(TaskParams {
                repo: absolute(&at.repo)?,
                cwd: working_directory(),
                task_id,
                caller: caller(by),
                ..TaskParams::default()
            })
        };
    match command {
        Task::Start {
            goal,
            task_id,
            initial_json,
            force,
            at,
            caller,
        } => {
            let patch = match initial_json {
                Some(text) => object("--initial-json", &text)?,
                None => Map::new(),
            };
            let params = TaskParams {
                goal,
                patch,
                force,
                ..params(&at, task_id, caller)?
            };
            with_text(backend, TASK_START, &params)
        }
        Task::Status { all, at } => {
            let base = params(&at, String::new(), CallerOptions::default())?;
            let value = TaskParams { all, ..base };
            if !all {
                return with_text(backend, TASK_STATUS, &value);
            }
            let value = backend.call(TASK_STATUS, &value)?;
            let text = render::threads(&value);
            Ok(Answer {
                value,
                text,
                ..Answer::default()
            })
        }
        Task::List { at } => {
            let params = params(&at, String::new(), CallerOptions::default())?;
            let value = backend.call(TASK_LIST, &params)?;
            let text = render::tasks(&value, paint);
            Ok(Answer {
                value,
                text,
                ..Answer::default()
            })
        }
        Task::Show { id, at } => with_text(
            backend,
            TASK_SHOW,
            &params(&at, id, CallerOptions::default())?,
        ),
        Task::Update {
            task_id,
            patch,
            at,
            caller,
        } => {
            let patch = read_patch(patch)?;
            if patch.is_empty() {
                return Err(CliError::usage(
                    "--json-patch or --from-file must say what to change",
                ));
            }
            let params = TaskParams {
                patch,
                ..params(&at, task_id, caller)?
            };
            let mut answer = with_text(backend, TASK_UPDATE, &params)?;
            answer.text = format!("{}{}", render::changed(&answer.value), answer.text);
            Ok(answer)
        }
        Task::Resume { id, at, caller } => {
            with_text(backend, TASK_RESUME, &params(&at, id, caller)?)
        }
        Task::Close {
            task_id,
            status,
            patch,
            at,
            caller,
        } => {
            let status = match status {
                Left::Resolved => "resolved",
                Left::Abandoned => "abandoned",
                Left::Blocked => "blocked",
                Left::Paused => "paused",
            };
            let base = params(&at, task_id, caller)?;
            let patch = read_patch(patch)?;
            let params = TaskParams {
                status: status.to_owned(),
                patch,
                ..base
            };
            with_text(backend, TASK_CLOSE, &params)
        }
    }
}

/// The file first, the option over it.
fn read_patch(options: PatchOptions) -> Result<Map<String, Value>, CliError> {
    let mut patch = match &options.from_file {
        Some(file) => {
            let name = file.display().to_string();
            let text = read_text(file)?;
            object(&name, &text)?
        }
        None => Map::new(),
    };
    if let Some(text) = &options.json_patch {
        patch.extend(object("--json-patch", text)?);
    }
    Ok(patch)
}

pub(super) fn read_text(file: &Path) -> Result<String, CliError> {
    let limit = MAX_LINE_BYTES as u64;
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(limit)
            .read_to_string(&mut text)
    } else {
        File::open(file).and_then(|f| f.take(limit).read_to_string(&mut text))
    };
    read.map_err(|e| CliError::io(file.display(), &e))?;
    Ok(text)
}

/// Reads a JSON object; `name` is where it came from.
fn object(name: &str, text: &str) -> Result<Map<String, Value>, CliError> {
    serde_json::from_str(text)
        .map_err(|e| CliError::usage(format!("{name} is not the JSON object it must be: {e}")))
}

fn hand(options: Hand) -> Result<HandParams, CliError> {
    Ok(HandParams {
        repo: absolute(&options.at.repo)?,
        cwd: working_directory(),
        request: options.asked.unwrap_or(options.request),
        task_type: options.task_type,
        files_opened: options.files_opened,
        commands_executed: options.commands_executed,
        tests_executed: options.tests_executed,
        notable_errors: options.notable_errors,
    })
}

/// `aictx next`.
pub(super) fn next(backend: &Backend, options: Hand) -> Result<Answer, CliError> {
    with_text(backend, NEXT, &hand(options)?)
}

/// `aictx suggest`.
pub(super) fn suggest(backend: &Backend, options: Hand) -> Result<Answer, CliError> {
    plain(backend, SUGGEST, &hand(options)?)
}

/// `aictx reuse`.
pub(super) fn reuse(backend: &Backend, options: Hand) -> Result<Answer, CliError> {
    plain(backend, REUSE, &hand(options)?)
}

/// `aictx reflect`.
pub(super) fn reflect(backend: &Backend, at: &RepoOption) -> Result<Answer, CliError> {
    plain(
        backend,
        REFLECT,
        &InRepo {
            repo: absolute(&at.repo)?,
        },
    )
}

/// `aictx report`.
pub(super) fn report(backend: &Backend, command: &Report) -> Result<Answer, CliError> {
    let Report::RealUsage { at } = command;
    plain(
        backend,
        REPORT,
        &InRepo {
            repo: absolute(&at.repo)?,
        },
    )
}

/// `aictx internal compact`.
pub(super) fn compact(backend: &Backend, at: &RepoOption, apply: bool) -> Result<Answer, CliError> {
    let params = CompactParams {
        repo: absolute(&at.repo)?,
        apply,
    };
    plain(backend, COMPACT, &params)
}

/// `aictx prepare`.
pub(super) fn prepare(backend: &Backend, options: Prepare) -> Result<Answer, CliError> {
    if options.goal.trim().is_empty() {
        return Err(CliError::usage("the goal is empty"));
    }
    let params = PrepareParams {
        repo: absolute(&options.at.repo)?,
        goal: options.goal,
        task_type: options.task_type,
    };
    with_text(backend, PREPARE, &params)
}

/// `aictx internal packet`.
pub(super) fn packet(
    backend: &Backend,
    at: &RepoOption,
    goal: String,
    task_type: String,
) -> Result<Answer, CliError> {
    let repo = absolute(&at.repo)?;
    let params = PrepareParams {
        repo,
        goal,
        task_type,
    };
    let mut answer = with_text(backend, PREPARE, &params)?;
    answer.text = format!("{}\n", answer.value);
    Ok(answer)
}

/// `aictx internal boot`.
pub(super) fn boot(backend: &Backend, at: &RepoOption) -> Result<Answer, CliError> {
    let params = ResumeParams {
        repo: absolute(&at.repo)?,
        brief: true,
        look_only: true,
        caller: caller(CallerOptions::default()),
        ..ResumeParams::default()
    };
    let resumed = backend.call(RESUME, &params)?;
    let root = member(&resumed, "repo").as_str().unwrap_or_default();
    let exists = Path::new(root).join(".aictx").is_dir();
    let value = json!({
        "repo_bootstrap": {
            "exists": exists, "repo": root,
            "status": if exists { "initialized" } else { "not_initialized" },
        },
        "communication_policy": member(&resumed, "communication_policy"),
        "effective_preferences": member(&resumed, "effective_preferences"),
        "startup_banner_text": member(&resumed, "startup_banner_text"),
        "startup_banner_render_payload": member(&resumed, "startup_banner_render_payload"),
    });
    Ok(Answer {
        text: format!("{value}\n"),
        value,
        ..Answer::default()
    })
}

/// `aictx log`.
pub(super) fn log(backend: &Backend, options: Log, paint: Paint) -> Result<Answer, CliError> {
    let params = LogParams {
        repo: absolute(&options.at.repo)?,
        cwd: working_directory(),
        session: options.session,
        path: options.file,
        failure: options.failure,
        limit: options.limit,
    };
    let value = backend.call(LOG, &params)?;
    let reply: LogReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::log(&reply, paint),
        ..Answer::default()
    })
}

/// `aictx why`.
pub(super) fn why(backend: &Backend, options: Why, paint: Paint) -> Result<Answer, CliError> {
    let params = WhyParams {
        repo: absolute(&options.at.repo)?,
        session_id: options.session,
        caller: caller(CallerOptions::default()),
    };
    let value = backend.call(WHY, &params)?;
    let reply: WhyReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::why(&reply, paint),
        ..Answer::default()
    })
}

/// `aictx memory`.
pub(super) fn memory(backend: &Backend, command: Memory, paint: Paint) -> Result<Answer, CliError> {
    let Memory::List { kind, limit, at } = command;
    let params = MemoryListParams {
        repo: absolute(&at.repo)?,
        kind,
        limit,
    };
    let value = backend.call(MEMORY_LIST, &params)?;
    let list: MemoryList = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::items(&list, paint),
        ..Answer::default()
    })
}

fn edit(
    backend: &Backend,
    method: &str,
    at: &RepoOption,
    id: String,
    reason: String,
) -> Result<Answer, CliError> {
    let params = MemoryParams {
        repo: absolute(&at.repo)?,
        id,
        reason,
    };
    let value = backend.call(method, &params)?;
    let reply: MemoryReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::edited(&reply),
        ..Answer::default()
    })
}

/// `aictx forget`.
pub(super) fn forget(backend: &Backend, item: Item) -> Result<Answer, CliError> {
    edit(backend, MEMORY_FORGET, &item.at, item.id, String::new())
}

/// `aictx pin`.
pub(super) fn pin(backend: &Backend, pin: Pin) -> Result<Answer, CliError> {
    let method = if pin.undo { MEMORY_UNPIN } else { MEMORY_PIN };
    edit(backend, method, &pin.at, pin.id, String::new())
}

/// `aictx wrong`.
pub(super) fn wrong(backend: &Backend, wrong: Wrong) -> Result<Answer, CliError> {
    let method = if wrong.undo {
        MEMORY_RIGHT
    } else {
        MEMORY_WRONG
    };
    edit(backend, method, &wrong.at, wrong.id, wrong.reason)
}

/// `aictx messages`.
pub(super) fn messages(backend: &Backend, options: Messages) -> Result<Answer, CliError> {
    let params = MessagesParams {
        repo: absolute(&options.at.repo)?,
        action: options.action,
    };
    let value = backend.call(MESSAGES, &params)?;
    let mode = value
        .pointer("/messages/mode")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = format!("AICTX messages: {}\n", clean(mode));
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}
