//! `flow`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use aictx_proto::flow::{CommitBy, Conversation, FlowStatus};
use aictx_proto::methods::{
    FLOW_COST, FLOW_DIFF, FLOW_INBOX, FLOW_LOG, FLOW_PAUSE, FLOW_PREFLIGHT, FLOW_RECOVER,
    FLOW_REPLY, FLOW_RESTORE, FLOW_RESUME, FLOW_RETIRE, FLOW_SAY, FLOW_START, FLOW_STATUS,
    FLOW_STOP, FlowLimits, FlowParams, FlowReply, FlowStartParams,
};
use serde::Serialize;

use super::memory::read_text;
use super::{absolute, caller, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{
    CallerOptions, FlowAnswer, FlowAt, FlowCommand, FlowLog, FlowResume, FlowStart, RepoOption,
};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::{CliError, Kind};
use crate::cli::render::flow as render;
use crate::cli::terminal_text::{Meter, Paint};

/// Pause between two looks of `watch`.
const WATCH: Duration = Duration::from_millis(500);
/// Variable that every process of a turn has.
const TURN_DIR: &str = "AICTX_TURN_DIR";
/// Exit status of a flow that a person has to look after.
const PAUSED_STATUS: i32 = 3;
/// Variables that agents get, by name.
const VARIABLES: [&str; 23] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TMPDIR",
    "TZ",
    "SSH_AUTH_SOCK",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
/// And by the beginning of the name.
const PREFIXES: [&str; 17] = [
    "LC_",
    "XDG_",
    "ANTHROPIC_",
    "CLAUDE_CONFIG",
    "CLAUDE_CODE_USE_",
    "OPENAI_",
    "CODEX_HOME",
    "GEMINI_",
    "GOOGLE_",
    "OPENCODE_",
    "COPILOT_",
    "AWS_",
    "AZURE_",
    "AICTX_SOCKET",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_CONFIG_GLOBAL",
];

/// `aictx flow`.
pub(super) fn flow(
    backend: &Backend,
    command: FlowCommand,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    // Agents of a flow neither answer its questions nor approve its checks.
    use FlowCommand::{Cost, Diff, Inbox, Log, Preflight, Status, Watch};
    let only_looks = match &command {
        Status { .. } | Watch { .. } | Log(_) | Diff { .. } | Cost(_) | Preflight(_) => true,
        Inbox { dismiss, .. } => dismiss.is_empty(),
        _ => false,
    };
    if !only_looks && std::env::var_os(TURN_DIR).is_some() {
        let text = "an agent of a flow cannot steer flows";
        return Err(CliError::new(Kind::Usage, text).hint("ask the person by DISPATCH.md"));
    }
    carry_out(backend, command, json, paint).map_err(CliError::of_work)
}

fn carry_out(
    backend: &Backend,
    command: FlowCommand,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    let ask = |method: &str, params: &FlowParams| call(backend, method, params, paint);
    match command {
        FlowCommand::Preflight(options) => {
            let mut answer = call(backend, FLOW_PREFLIGHT, &start(options)?, paint)?;
            let has_problems = answer.value.get("problems").is_some();
            answer.status = i32::from(has_problems);
            Ok(answer)
        }
        FlowCommand::Start(options) => call(backend, FLOW_START, &start(options)?, paint),
        FlowCommand::Status { all, at } => {
            let mut params = params(at)?;
            params.all = all;
            let mut answer = ask(FLOW_STATUS, &params)?;
            if all {
                let reply: FlowReply = parse(answer.value.clone())?;
                answer.text = render::flows(&reply, paint);
            }
            Ok(answer)
        }
        FlowCommand::Watch { until_rest, at } => {
            watch(backend, params(at)?, until_rest, json, paint)
        }
        FlowCommand::Pause { now, at } => {
            let mut params = params(at)?;
            params.force = now;
            ask(FLOW_PAUSE, &params)
        }
        FlowCommand::Stop { now, at } => {
            let mut params = params(at)?;
            params.force = now;
            ask(FLOW_STOP, &params)
        }
        FlowCommand::Resume(options) => ask(FLOW_RESUME, &resume(options)?),
        FlowCommand::Say { text, at } => {
            let mut params = params(at)?;
            params.text = text;
            ask(FLOW_SAY, &params)
        }
        FlowCommand::Reply(options) => ask(FLOW_REPLY, &reply(options)?),
        FlowCommand::Inbox {
            all,
            dismiss,
            reason,
        } => ask(
            FLOW_INBOX,
            &FlowParams {
                repo: working_directory(),
                all,
                dismiss,
                reason,
                ..FlowParams::default()
            },
        ),
        FlowCommand::Log(options) => ask(FLOW_LOG, &log(options)?),
        FlowCommand::Diff { turn, at } => {
            let mut params = params(at)?;
            params.turn = turn;
            ask(FLOW_DIFF, &params)
        }
        FlowCommand::Restore { turn, branch, at } => {
            let mut params = params(at)?;
            (params.turn, params.branch) = (turn, branch);
            ask(FLOW_RESTORE, &params)
        }
        FlowCommand::Recover(at) => {
            let flow = String::new();
            ask(FLOW_RECOVER, &params(FlowAt { flow, at })?)
        }
        FlowCommand::Retire { dry_run, at } => {
            let mut params = params(at)?;
            params.dry_run = dry_run;
            ask(FLOW_RETIRE, &params)
        }
        FlowCommand::Cost(at) => ask(FLOW_COST, &params(at)?),
    }
}

fn call(
    backend: &Backend,
    method: &str,
    params: &impl Serialize,
    paint: Paint,
) -> Result<Answer, CliError> {
    let value = backend.call(method, params)?;
    let reply: FlowReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::reply(method, &reply, paint),
        ..Answer::default()
    })
}

fn params(at: FlowAt) -> Result<FlowParams, CliError> {
    Ok(FlowParams {
        repo: repo(&at.at)?,
        flow: at.flow,
        ..FlowParams::default()
    })
}

fn repo(at: &RepoOption) -> Result<String, CliError> {
    absolute(&at.repo)
}

fn start(options: FlowStart) -> Result<FlowStartParams, CliError> {
    let exec = match options.exec.as_str() {
        "" => Vec::new(),
        line => vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()],
    };
    Ok(FlowStartParams {
        repo: repo(&options.at)?,
        new: options.new,
        driver: match (options.driver.is_empty(), exec.is_empty()) {
            (true, false) => "command".to_owned(),
            _ => options.driver,
        },
        exec,
        commit: CommitBy::parse(&options.commit),
        conversation: options.fresh.then_some(Conversation::Fresh),
        full_access: options.full_access,
        verify: options.verify,
        trust_verify: options.trust_verify,
        unverified: options.unverified,
        strict: options.strict,
        strict_commit: options.strict_commit,
        until: options.until,
        lanes: options.lanes,
        prompt_bytes: options.prompt_bytes,
        webhook: options.webhook,
        notify: options.notify,
        limits: FlowLimits {
            turns: options.max_turns,
            ticket_turns: options.max_ticket_turns,
            tokens: options.max_tokens,
            cost_usd: options.max_cost,
            seconds: options.max_time,
            turn_seconds: options.turn_time,
            stall_seconds: options.stall_time,
        },
        environment: environment(&options.variables),
        caller: caller(CallerOptions::default()),
    })
}

/// The variables that agents get: those of the user's account and of the agents, and those that are named.
fn environment(named: &[String]) -> BTreeMap<String, String> {
    let is_wanted = |name: &str| {
        VARIABLES.contains(&name)
            || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || named.iter().any(|wanted| wanted == name)
    };
    let all = std::env::vars_os();
    let text =
        all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    text.filter(|(name, _)| is_wanted(name)).collect()
}

fn resume(options: FlowResume) -> Result<FlowParams, CliError> {
    let mut params = params(options.at)?;
    params.force = options.force;
    params.accept_branch = options.accept_branch;
    params.trust_verify = options.trust_verify;
    params.raise = FlowLimits {
        turns: options.turns,
        tokens: options.tokens,
        cost_usd: options.cost,
        seconds: options.time,
        ..FlowLimits::default()
    };
    params.environment = environment(&options.variables);
    Ok(params)
}

fn reply(options: FlowAnswer) -> Result<FlowParams, CliError> {
    let mut params = params(options.at)?;
    if !options.to.is_empty() {
        params.flow = options.to;
    }
    params.text = match &options.file {
        Some(file) => read_text(file)?,
        None => options.text,
    };
    params.key = options.key;
    params.no_resume = options.no_resume;
    params.decision = options.decision;
    params.caller = caller(options.caller);
    params.environment = environment(&[]);
    Ok(params)
}

fn log(options: FlowLog) -> Result<FlowParams, CliError> {
    let mut params = params(options.at)?;
    params.turn = options.turn;
    let parts = [
        (options.events, "events"),
        (options.prompt, "prompt"),
        (options.stdout, "stdout"),
        (options.stderr, "stderr"),
        (options.verify, "verify"),
    ];
    let part = parts.iter().find(|(is_wanted, _)| *is_wanted);
    params.part = part.map_or("", |(_, name)| name).to_owned();
    Ok(params)
}

/// Follows a flow: events as lines, and the state as a line that is drawn over.
fn watch(
    backend: &Backend,
    mut params: FlowParams,
    until_rest: bool,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    // Also where the worktree gets another flow meanwhile.
    let first: FlowReply = parse(backend.call(FLOW_STATUS, &params)?)?;
    let first = first.flows.into_iter().next();
    params.flow = first.map(|flow| flow.flow_id).unwrap_or_default();
    params.part = "events".to_owned();
    let mut meter = Meter::on_stderr("flow");
    loop {
        let value = backend.call(FLOW_LOG, &params)?;
        let reply: FlowReply = parse(value.clone())?;
        let Some(flow) = reply.flows.first() else {
            return Err(CliError::new(Kind::NoAnswer, "the daemon names no flow"));
        };
        meter.clear();
        let mut out = io::stdout().lock();
        for event in &reply.events {
            params.since = params.since.max(event.seq);
            let line = match json {
                true => serde_json::to_string(event).unwrap_or_default(),
                false => render::event(event, paint),
            };
            writeln!(out, "{line}").map_err(|e| CliError::io("standard output", &e))?;
        }
        drop(out);
        use FlowStatus::{Completed, Failed, Paused, Stopped, Superseded, Waiting};
        let has_ended = matches!(flow.status, Completed | Failed | Stopped | Superseded);
        let rests = matches!(flow.status, Paused | Waiting);
        if has_ended || (until_rest && rests) {
            return Ok(Answer {
                text: match json {
                    true => String::new(),
                    false => render::flow(flow, paint),
                },
                value,
                status: if flow.status == Completed {
                    0
                } else {
                    PAUSED_STATUS
                },
                ..Answer::default()
            });
        }
        meter.lines(&render::flow(flow, Paint::off()));
        sleep(WATCH);
    }
}
