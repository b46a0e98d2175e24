//! `steer`, `who`, `trust`, and the audit log of verdicts.

use std::io::{IsTerminal, Read, Write};

use aictx_proto::methods::{
    CLAIM, ClaimParams, ClaimReply, InRepo, STEER, SteerParams, SteerReply, TRUST, TrustParams,
    TrustReply, VERDICTS, VerdictList, VerdictParams, WHO, WhoReply,
};
use aictx_proto::rpc::MAX_LINE_BYTES;

use super::{absolute, caller, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Claim, RepoOption, Steer, Trust};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::guard as render;
use crate::cli::terminal_text::Paint;

/// `aictx steer`.
pub(super) fn steer(backend: &Backend, options: Steer, paint: Paint) -> Result<Answer, CliError> {
    let message = if options.message_stdin {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(MAX_LINE_BYTES as u64 / 4)
            .read_to_end(&mut bytes)
            .map_err(|e| CliError::io("standard input", &e))?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        options.message.unwrap_or_default()
    };
    let params = SteerParams {
        repo: absolute(&options.at.repo)?,
        message,
        current_action: options.current_action,
        paths: options.paths,
        edited_paths: options.edited_paths,
        apply: options.apply,
        caller: caller(options.caller),
        ..SteerParams::default()
    };
    let value = backend.call(STEER, &params)?;
    let reply: SteerReply = parse(value.clone())?;
    let status = match reply.decision.as_str() {
        _ if !options.exit_code => 0,
        "continue" => 0,
        "pause" | "stop" => 20,
        _ => 10,
    };
    Ok(Answer {
        value,
        text: render::steer(&reply, paint),
        status,
        ..Answer::default()
    })
}

/// `aictx who`.
pub(super) fn who(backend: &Backend, at: &RepoOption, paint: Paint) -> Result<Answer, CliError> {
    let params = InRepo {
        repo: absolute(&at.repo)?,
    };
    let value = backend.ask_running(WHO, &params)?;
    let reply: WhoReply = match &value {
        Some(value) => parse(value.clone())?,
        // Without a daemon nobody is known to be at work.
        None => WhoReply::default(),
    };
    let value = value.unwrap_or_else(|| serde_json::json!({ "sessions": [] }));
    Ok(Answer {
        value,
        text: render::who(&reply, paint),
        ..Answer::default()
    })
}

/// `aictx claim`.
pub(super) fn claim(backend: &Backend, options: Claim, paint: Paint) -> Result<Answer, CliError> {
    let params = ClaimParams {
        repo: absolute(&options.at.repo)?,
        paths: options.paths,
        cwd: working_directory(),
        release: options.release,
        caller: caller(options.caller),
    };
    let Some(value) = backend.ask_running(CLAIM, &params)? else {
        let text = "nobody can be told: no daemon is running";
        return Err(CliError::usage(text).hint("`aictx daemon start` starts one"));
    };
    let reply: ClaimReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::claim(&reply, paint),
        ..Answer::default()
    })
}

/// `aictx trust`.
pub(super) fn trust(
    backend: &Backend,
    options: Trust,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    let repo = absolute(&options.at.repo)?;
    let ask = |action: &str, hash: &str| -> Result<(serde_json::Value, TrustReply), CliError> {
        let params = TrustParams {
            repo: repo.clone(),
            action: action.to_owned(),
            hash: hash.to_owned(),
        };
        let value = backend.call(TRUST, &params)?;
        Ok((value.clone(), parse(value)?))
    };
    if options.revoke {
        let (value, reply) = ask("revoke", "")?;
        return Ok(Answer {
            value,
            text: render::trust(&reply, paint),
            ..Answer::default()
        });
    }
    if let Some(hash) = options.hash {
        let (value, reply) = ask("trust", &hash)?;
        return Ok(Answer {
            value,
            text: render::trust(&reply, paint),
            ..Answer::default()
        });
    }
    let (value, reply) = ask("show", "")?;
    let open = !reply.trusted && !reply.policy.is_empty() && reply.problem.is_empty();
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let text = render::trust(&reply, paint);
    let agreed = options.yes || (open && terminal && !json && confirm(&paint.shown(&text)));
    if !(open && agreed) {
        return Ok(Answer {
            value,
            text,
            ..Answer::default()
        });
    }
    let (value, reply) = ask("trust", &reply.hash)?;
    Ok(Answer {
        value,
        text: render::trust(&reply, paint),
        ..Answer::default()
    })
}

/// Shows a text and asks whether to trust it.
fn confirm(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    let asked = write!(out, "{text}\nTrust this policy? [y/N] ").and_then(|()| out.flush());
    let mut line = String::new();
    asked.is_ok()
        && std::io::stdin().read_line(&mut line).is_ok()
        && matches!(line.trim(), "y" | "Y" | "yes")
}

/// `aictx why --verdict` and `--verdicts`.
pub(super) fn verdicts(
    backend: &Backend,
    at: &RepoOption,
    id: String,
    paint: Paint,
) -> Result<Answer, CliError> {
    let params = VerdictParams {
        repo: absolute(&at.repo)?,
        id,
        limit: 0,
    };
    let value = backend.call(VERDICTS, &params)?;
    let list: VerdictList = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::verdicts(&list, paint),
        ..Answer::default()
    })
}
