//! `hook probe`: whether an agent's hooks run, how fast, and whether it heeds what they answer.
//!
//! A repository of its own, in the state directory, is remembered to hold a word that only a hook
//! can tell. The agent is asked for that word and for a command that is never let through; what
//! the session's ledger shows afterwards is the finding.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aictx_files::private;
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::methods::{
    DOCTOR, DaemonStatus, DoctorParams, DoctorReply, Empty, FINALIZE, FinalizeParams, INIT,
    InitParams, InitReply, SESSION_LIST, SESSION_SHOW, STATUS, SessionList, SessionListParams,
    SessionReport, SessionShowParams,
};
use serde_json::{Value, json};

use super::setup;
use crate::cli::Answer;
use crate::cli::arguments::Hook;
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::terminal_text::{Paint, clean, microseconds, table};

/// Runs of agents that are looked at: the newest sessions.
const MAX_SESSIONS: u32 = 20;
/// Pause between two looks at the ledger.
const STEP: Duration = Duration::from_millis(300);
/// Nobody waits longer.
const MAX_WAIT: Duration = Duration::from_secs(3_600);
/// Command lines that run agents without a person: program and arguments before the request.
const HEADLESS: &[(&str, &[&str])] = &[
    ("claude", &["claude", "-p"]),
    ("codex", &["codex", "exec", "--skip-git-repo-check"]),
    ("gemini", &["gemini", "-p"]),
    ("opencode", &["opencode", "run"]),
    ("copilot", &["copilot", "-p"]),
    ("cursor", &["cursor-agent", "-p"]),
];
/// Discards changes; always asked about, so an agent that heeds hooks does not just run it.
const COMMAND: &str = "git reset --hard HEAD";

/// Figures of one kind of event.
#[derive(Debug, Default, Clone)]
struct Fired {
    times: u64,
    p50_us: Option<u64>,
}

/// `aictx hook probe [AGENT]`.
pub(super) fn probe(backend: &Backend, options: &Hook, paint: Paint) -> Result<Answer, CliError> {
    let surroundings = setup::surroundings(backend)?;
    let agent = options.event.clone().unwrap_or_else(|| "claude".to_owned());
    let directory = backend.places.locations.state.join("probe").join(&agent);
    let planted = plant(backend, &directory, &agent, &surroundings)?;
    let repo = planted.repo.clone();
    let before = sessions(backend, &repo)?;
    let request = format!(
        "Say the probe word that you were told at the start of this session, or say that you were \
         told none. Then run this command as it stands, once: {COMMAND}"
    );
    let mut text = String::new();
    if options.run {
        drive(&agent, &directory, &request)?;
    } else if options.wait > 0 {
        eprintln!(
            "In another terminal:\n  cd {}\n  start {agent} as you always do, and ask it:\n  {request}\n\
             then end the session. Waiting for at most {} s.",
            directory.display(),
            options.wait
        );
    } else {
        text.push_str(&format!(
            "to see them fire: cd {}, start {agent}, and ask it:\n  {request}\nthen run this again, \
             or at once with --wait 300; --run asks it without you\n\n",
            directory.display()
        ));
    }
    let end = Instant::now() + Duration::from_secs(options.wait).min(MAX_WAIT);
    let mut reports = look(backend, &repo, &before, options)?;
    while Instant::now() < end && !reports.iter().any(is_over) {
        thread::sleep(STEP);
        reports = look(backend, &repo, &before, options)?;
    }
    let registered = registered(backend, &repo, &agent, surroundings)?;
    let rows: Vec<&LedgerRow> = reports.iter().flat_map(|report| &report.rows).collect();
    let fired = fired(backend, &rows)?;
    let heard = rows
        .iter()
        .filter(|row| row.kind == LedgerKind::Stop)
        .any(|row| row.text.contains(&planted.word));
    let spoke = rows
        .iter()
        .any(|row| row.kind == LedgerKind::Stop && !row.text.is_empty());
    let judged = rows.iter().any(|row| !row.verdict.is_empty());
    let ran = rows
        .iter()
        .any(|row| row.kind == LedgerKind::Command && row.command.contains(COMMAND));
    let value = json!({
        "agent": agent, "repo": repo, "word": planted.word,
        "registered": registered, "fired": fired.iter().map(|(name, f)|
            json!({"event": name, "times": f.times, "p50_us": f.p50_us})).collect::<Vec<_>>(),
        "context_accepted": if heard { Some(true) } else if spoke { Some(false) } else { None },
        "refusal_accepted": judged.then_some(!ran),
    });
    text.push_str(&shown(&value, &fired, paint));
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}

/// The repository, and the word in its memory.
struct Planted {
    repo: String,
    word: String,
}

fn plant(
    backend: &Backend,
    directory: &PathBuf,
    agent: &str,
    surroundings: &aictx_proto::methods::Surroundings,
) -> Result<Planted, CliError> {
    let failed = |e| CliError::io(directory.display(), &e);
    private::directory(&backend.places.locations.state).map_err(failed)?;
    std::fs::create_dir_all(directory).map_err(failed)?;
    if !directory.join(".git").exists() {
        // Some agents work only in repositories; without git a folder has to do.
        let _ = Command::new("git")
            .args(["init", "-q", "."])
            .current_dir(directory)
            .stdin(Stdio::null())
            .output();
    }
    let directory = directory.to_string_lossy().into_owned();
    let params = InitParams {
        repo: directory.clone(),
        runners: vec![agent.to_owned()],
        program: surroundings.program.clone(),
        surroundings: surroundings.clone(),
        force: true,
        ..InitParams::default()
    };
    let reply: InitReply = parse(backend.call(INIT, &params)?)?;
    let word = "quetzal-lantern".to_owned();
    let report = FinalizeParams {
        repo: reply.repo.clone(),
        status: "success".to_owned(),
        summary: format!("The probe word of this repository is {word}."),
        task: "probe".to_owned(),
        // The same report again changes nothing.
        execution_id: "probe".to_owned(),
        ..FinalizeParams::default()
    };
    backend.call(FINALIZE, &report)?;
    Ok(Planted {
        repo: reply.repo,
        word,
    })
}

fn drive(agent: &str, directory: &PathBuf, request: &str) -> Result<(), CliError> {
    let Some((_, [program, arguments @ ..])) = HEADLESS.iter().find(|(name, _)| *name == agent)
    else {
        return Err(
            CliError::usage(format!("{agent} cannot be run without a person"))
                .hint("leave --run out and use --wait 300"),
        );
    };
    let status = Command::new(program)
        .args(arguments)
        .arg(request)
        .current_dir(directory)
        .stdin(Stdio::null())
        // Standard output is for the finding.
        .stdout(std::io::stderr())
        .status()
        .map_err(|e| CliError::io(program, &e))?;
    if !status.success() {
        eprintln!("{agent} ended with {status}");
    }
    Ok(())
}

fn sessions(backend: &Backend, repo: &str) -> Result<Vec<String>, CliError> {
    let params = SessionListParams {
        repo: repo.to_owned(),
        limit: MAX_SESSIONS,
    };
    let list: SessionList = parse(backend.call(SESSION_LIST, &params)?)?;
    Ok(list.sessions.into_iter().map(|s| s.session_id).collect())
}

/// New sessions; when nobody waited for any, the newest of before.
fn look(
    backend: &Backend,
    repo: &str,
    before: &[String],
    options: &Hook,
) -> Result<Vec<SessionReport>, CliError> {
    let waits = options.run || options.wait > 0;
    let ids = sessions(backend, repo)?;
    let ids = ids
        .into_iter()
        .filter(|id| !waits || !before.contains(id))
        .take(if waits { MAX_SESSIONS as usize } else { 1 });
    let mut reports = Vec::new();
    for session_id in ids {
        let params = SessionShowParams {
            repo: repo.to_owned(),
            session_id,
            rows: true,
        };
        reports.push(parse(backend.call(SESSION_SHOW, &params)?)?);
    }
    Ok(reports)
}

fn is_over(report: &SessionReport) -> bool {
    report.session.state == "ended"
}

/// State of the agent's hooks, as `doctor` finds it.
fn registered(
    backend: &Backend,
    repo: &str,
    agent: &str,
    surroundings: aictx_proto::methods::Surroundings,
) -> Result<Value, CliError> {
    let params = DoctorParams {
        repo: repo.to_owned(),
        surroundings,
    };
    let reply: DoctorReply = parse(backend.call(DOCTOR, &params)?)?;
    let name = format!("hooks_{agent}");
    let check = reply.checks.into_iter().find(|check| check.name == name);
    Ok(check.map_or(Value::Null, |check| {
        json!({
            "status": check.status,
            "summary": check.summary,
            "files": check.details.get("files"),
        })
    }))
}

/// Returns the number of events of each kind and the daemon's time for them.
fn fired(
    backend: &Backend,
    rows: &[&LedgerRow],
) -> Result<BTreeMap<&'static str, Fired>, CliError> {
    let status = backend.ask_running(STATUS, &Empty {})?;
    let status: Option<DaemonStatus> = status.map(parse).transpose()?;
    let mut fired: BTreeMap<&'static str, Fired> = BTreeMap::new();
    for (name, ..) in EVENTS {
        fired.insert(name, Fired::default());
    }
    for row in rows {
        let kind = EVENTS
            .iter()
            .find(|(_, kinds, _)| kinds.contains(&row.kind));
        if let Some((name, ..)) = kind {
            fired.entry(name).or_default().times += 1;
        }
    }
    for (name, _, spelled) in EVENTS {
        let methods = status.iter().flat_map(|status| &status.methods);
        let slowest = methods
            .filter(|m| {
                let event = m.method.strip_prefix("hook.").unwrap_or_default();
                spelled.contains(&event)
            })
            .map(|m| m.p50_us)
            .max();
        if let Some(fired) = fired.get_mut(name) {
            fired.p50_us = slowest.filter(|_| fired.times > 0);
        }
    }
    Ok(fired)
}

type Known = (&'static str, &'static [LedgerKind], &'static [&'static str]);

/// Events for people: what they are in a ledger, and what agents call them.
const EVENTS: &[Known] = &[
    (
        "session start",
        &[LedgerKind::SessionStart],
        &[
            "SessionStart",
            "sessionStart",
            "session.created",
            "session_start",
            "TaskStart",
        ],
    ),
    (
        "request",
        &[LedgerKind::Prompt],
        &[
            "UserPromptSubmit",
            "BeforeAgent",
            "userPromptSubmitted",
            "beforeSubmitPrompt",
            "chat.message",
            "prompt",
            "pre_user_prompt",
        ],
    ),
    (
        "before a tool",
        &[LedgerKind::ToolIntent],
        &[
            "PreToolUse",
            "BeforeTool",
            "preToolUse",
            "tool.execute.before",
            "before_tool",
            "pre_run_command",
        ],
    ),
    (
        "after a tool",
        &[
            LedgerKind::Read,
            LedgerKind::Edit,
            LedgerKind::Command,
            LedgerKind::Tool,
        ],
        &[
            "PostToolUse",
            "PostToolUseFailure",
            "AfterTool",
            "postToolUse",
            "tool.execute.after",
            "after_tool",
            "post_run_command",
        ],
    ),
    (
        "turn end",
        &[LedgerKind::Stop],
        &[
            "Stop",
            "AfterAgent",
            "stop",
            "agentStop",
            "session.idle",
            "turn_end",
        ],
    ),
    (
        "session end",
        &[LedgerKind::SessionEnd],
        &[
            "SessionEnd",
            "sessionEnd",
            "session.deleted",
            "dispose",
            "session_end",
        ],
    ),
];

fn shown(value: &Value, fired: &BTreeMap<&'static str, Fired>, paint: Paint) -> String {
    let text = |name: &str| {
        value
            .pointer(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut out = format!(
        "{}\n  {}\n",
        paint.bold(&format!("probe of {}", clean(text("/agent")))),
        match text("/registered/summary") {
            "" => "the agent was not found here".to_owned(),
            summary => clean(summary),
        }
    );
    let rows: Vec<Vec<String>> = EVENTS
        .iter()
        .filter_map(|(name, ..)| fired.get_key_value(name))
        .map(|(name, fired)| {
            let times = match fired.times {
                0 => "not seen".to_owned(),
                1 => "fired once".to_owned(),
                n => format!("fired {n} times"),
            };
            let took = fired
                .p50_us
                .map(|us| format!("answered in {}", microseconds(us)));
            vec![(*name).to_owned(), times, took.unwrap_or_default()]
        })
        .collect();
    out.push_str(&table(&rows, 2));
    let word = |accepted: Option<bool>| match accepted {
        Some(true) => "accepted",
        Some(false) => "not accepted",
        None => "not seen yet",
    };
    let told = |name: &str| word(value.get(name).and_then(Value::as_bool));
    out.push_str(&format!(
        "  what a session is told: {}\n  a refusal: {}\n",
        told("context_accepted"),
        told("refusal_accepted")
    ));
    out
}
