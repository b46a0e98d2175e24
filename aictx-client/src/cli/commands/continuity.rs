//! `resume` and `guard`.

use std::io::Read;

use aictx_proto::methods::{GUARD, GuardParams, GuardReply, RESUME, ResumeParams};
use aictx_proto::rpc::MAX_LINE_BYTES;
use serde_json::Value;

use super::{absolute, caller, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Guard, Resume, Risk};
use crate::cli::backend::{Backend, parse};
use crate::cli::compatibility;
use crate::cli::error::CliError;
use crate::cli::render;
use crate::cli::terminal_text::{Paint, clean};

/// `aictx resume`.
pub(super) fn resume(backend: &Backend, options: Resume) -> Result<Answer, CliError> {
    let params = ResumeParams {
        repo: absolute(&options.at.repo)?,
        task: options.task,
        task_type: options.task_type,
        full: options.full,
        brief: options.brief,
        look_only: false,
        caller: caller(options.caller),
    };
    let mut value = backend.call(RESUME, &params)?;
    compatibility::resume(&mut value, params.brief);
    // Programs have the members; the text of them would be the same once more.
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

/// `aictx guard`.
pub(super) fn guard(backend: &Backend, options: Guard, paint: Paint) -> Result<Answer, CliError> {
    let command = if options.command_stdin {
        command_from(std::io::stdin().lock())?
    } else {
        options.command.unwrap_or_default()
    };
    let risk = match options.risk {
        Risk::Low => "low",
        Risk::Normal => "normal",
        Risk::High => "high",
    };
    let params = GuardParams {
        repo: absolute(&options.at.repo)?,
        cwd: working_directory(),
        action: options.action,
        paths: options.paths,
        command,
        intent: options.intent,
        risk: risk.to_owned(),
        explain: options.explain,
        look_only: false,
        caller: caller(options.caller),
    };
    let value = backend.call(GUARD, &params)?;
    let reply: GuardReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::guard(&reply, paint),
        status: if options.exit_code {
            decision_status(&reply.decision)
        } else {
            0
        },
        ..Answer::default()
    })
}

/// Exit status of a decision under `--exit-code`. A decision we do not know is no permission.
fn decision_status(decision: &str) -> i32 {
    match decision {
        "allow" | "caution" => 0,
        "re_ground" => 10,
        "block" => 20,
        _ => 1,
    }
}

/// A command of any bytes; the newline that `echo` adds is not part of it.
fn command_from(input: impl Read) -> Result<String, CliError> {
    let limit = MAX_LINE_BYTES as u64;
    let mut bytes = Vec::new();
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|e| CliError::io("standard input", &e))?;
    if bytes.len() as u64 == limit {
        return Err(CliError::usage("the command is longer than 16 MiB"));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_map_to_exit_statuses() {
        let statuses = ["allow", "caution", "re_ground", "block", "new"].map(decision_status);
        assert_eq!(statuses, [0, 0, 10, 20, 1]);
    }

    #[test]
    fn commands_on_standard_input() {
        assert_eq!(command_from(&b"a\nb\n"[..]).unwrap(), "a\nb");
        assert_eq!(command_from(&b"\xff"[..]).unwrap(), "\u{fffd}");
        let long = std::io::repeat(b'x');
        assert_eq!(command_from(long).unwrap_err().code(), "usage");
    }
}
