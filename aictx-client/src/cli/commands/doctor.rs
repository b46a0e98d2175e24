//! `doctor`: what the daemon's side finds, and what only a client can see.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aictx_proto::methods::{
    Check, CheckStatus, DOCTOR, DaemonStatus, DoctorParams, DoctorReply, Empty, MAP_STATUS,
    MapRepoParams, MapStatus, PlanStep, STATUS,
};
use aictx_proto::{PROTOCOL_VERSION, VERSION};
use serde_json::{Value, json};

use super::{absolute, setup};
use crate::cli::Answer;
use crate::cli::arguments::Doctor;
use crate::cli::backend::{Backend, parse};
use crate::cli::error::{CliError, Kind};
use crate::cli::render::setup as show;
use crate::cli::terminal_text::Paint;
use crate::paths;

/// A hook whose handling takes longer than this at its 99th percentile is felt: microseconds.
const SLOW_HOOK_US: u64 = 50_000;
/// Time limit for the first answer of the MCP server.
const SERVER_DEADLINE: Duration = Duration::from_secs(5);
/// Calls below which a percentile says nothing.
const FEW_CALLS: u64 = 20;

/// `aictx doctor`.
pub(super) fn doctor(
    backend: &Backend,
    options: &Doctor,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    let params = DoctorParams {
        repo: absolute(&options.at.repo)?,
        surroundings: setup::surroundings(backend)?,
    };
    let mut reply = examine(backend, &params)?;
    let mut notes = String::new();
    if options.fix {
        notes = fix(&reply, |step| {
            let question = format!("{} (`{}`)?", step.action, step.command.join(" "));
            options.yes || setup::can_ask(json) && setup::ask(&question, false)
        });
        reply = examine(backend, &params)?;
    }
    let status = match reply.status {
        CheckStatus::Warning if options.exit_code => 10,
        CheckStatus::Error if options.exit_code => 20,
        _ => 0,
    };
    Ok(Answer {
        text: show::doctor(&reply, paint),
        value: serde_json::to_value(&reply).unwrap_or(Value::Null),
        notes,
        status,
    })
}

fn examine(backend: &Backend, params: &DoctorParams) -> Result<DoctorReply, CliError> {
    let mut reply: DoctorReply = parse(backend.call(DOCTOR, params)?)?;
    let running = backend.ask_running(STATUS, &Empty {})?;
    let running: Option<DaemonStatus> = running.map(parse).transpose()?;
    reply.checks.push(programs(backend));
    reply.checks.push(server(backend));
    reply.checks.push(socket(backend));
    reply.checks.push(daemon(backend, running.as_ref()));
    if let Some(status) = &running {
        reply.checks.push(watching(status, &reply.repo));
        reply.checks.push(latency(status));
        if !reply.repo.is_empty() {
            reply.checks.push(map(backend, &reply.repo)?);
        }
    }
    reply.conclude();
    Ok(reply)
}

/// Returns true for commands that write into the settings of agents, which are other people's files.
fn edits_settings(command: &[String]) -> bool {
    let verb = command.get(1).map_or("", String::as_str);
    matches!(verb, "install" | "mcp")
}

/// Runs the commands that are safe, each once, and those that edit settings where that is allowed; gives what to tell.
fn fix(reply: &DoctorReply, may_edit: impl Fn(&PlanStep) -> bool) -> String {
    let mut told = String::new();
    for step in reply.action_plan.iter().filter(|step| step.safe) {
        let [program, arguments @ ..] = step.command.as_slice() else {
            continue;
        };
        if program != "aictx" {
            continue;
        }
        let shown = step.command.join(" ");
        if edits_settings(&step.command) && !may_edit(step) {
            told.push_str(&format!(
                "not fixed: {shown}: it changes an agent's settings; confirm on a terminal or add --yes\n"
            ));
            continue;
        }
        let done = std::env::current_exe().and_then(|own| {
            Command::new(own)
                .args(arguments)
                .stdin(Stdio::null())
                .output()
        });
        told.push_str(&match done {
            Ok(output) if output.status.success() => format!("fixed: {shown}\n"),
            Ok(output) => format!(
                "not fixed: {shown}: {}\n",
                String::from_utf8_lossy(&output.stderr).trim()
            ),
            Err(e) => format!("not fixed: {shown}: {e}\n"),
        });
    }
    told
}

/// Checks that the two programs belong together.
fn programs(backend: &Backend) -> Check {
    let daemon = backend.places.daemon.as_deref();
    let said = daemon.and_then(|daemon| {
        let output = Command::new(daemon).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(text.split_whitespace().last()?.to_owned())
    });
    let check = |status, summary: String, action: &str| Check {
        name: "install".to_owned(),
        status,
        summary,
        details: json!({
            "client": std::env::current_exe().ok(), "daemon": daemon, "version": said,
        }),
        recommended_action: action.to_owned(),
        ..Check::default()
    };
    let again = "install both programs of one version into one directory";
    match (daemon, said.as_deref()) {
        (None, _) => check(CheckStatus::Error, "aictxd is not found".to_owned(), again),
        (Some(path), None) => {
            let summary = format!("{} does not run", path.display());
            check(CheckStatus::Error, summary, again)
        }
        (Some(_), Some(version)) if version == VERSION => {
            check(CheckStatus::Ok, "both programs are there".to_owned(), "")
        }
        (Some(path), Some(version)) => {
            let summary = format!("{} is of version {version}, not {VERSION}", path.display());
            check(CheckStatus::Warning, summary, again)
        }
    }
}

/// Checks that the MCP server answers `initialize`.
fn server(backend: &Backend) -> Check {
    let check = |status, summary: String, action: &str| Check {
        name: "mcp_server".to_owned(),
        status,
        summary,
        details: json!({ "program": backend.places.daemon }),
        recommended_action: action.to_owned(),
        ..Check::default()
    };
    match first_words(backend) {
        Ok(version) => {
            let summary = format!("the MCP server answers (protocol {version})");
            check(CheckStatus::Ok, summary, "")
        }
        Err(why) => check(
            CheckStatus::Error,
            format!("the MCP server does not answer: {}", why.message),
            "install both programs of one version into one directory",
        ),
    }
}

fn first_words(backend: &Backend) -> Result<String, CliError> {
    let silent = |why: &str| CliError::new(Kind::NoAnswer, why);
    let program = backend.places.daemon.as_deref();
    let program = program.ok_or_else(|| silent("aictxd is not found"))?;
    let mut child = Command::new(program)
        .args(["mcp", "--profile", "readonly", "--repo", "/"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| CliError::io(program.display(), &e))?;
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "aictx-doctor", "version": VERSION },
        },
    });
    if let Some(mut input) = child.stdin.take() {
        // It answers, and ends because we say no more.
        let _ = writeln!(input, "{hello}");
    }
    let (sender, receiver) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = output.map(|output| BufReader::new(output).read_line(&mut line));
        let _ = sender.send(line);
    });
    let line = receiver.recv_timeout(SERVER_DEADLINE);
    if line.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    let line = line.map_err(|_| silent("it took too long"))?;
    let answer: Value = serde_json::from_str(&line).map_err(|_| silent("it said nothing"))?;
    let version = answer.pointer("/result/protocolVersion");
    let version = version.and_then(Value::as_str).map(str::to_owned);
    version.ok_or_else(|| silent("its answer is none of the protocol's"))
}

/// Checks that the socket's directory is the user's alone: neither side uses it otherwise.
fn socket(backend: &Backend) -> Check {
    let locations = &backend.places.locations;
    let directory = locations.runtime_dir();
    let complaint = match std::fs::symlink_metadata(directory) {
        Ok(found) if !found.is_dir() => "is not a directory",
        Ok(found) if found.uid() != paths::user_id() => "belongs to another user",
        Ok(found) if found.mode() & 0o077 != 0 => "is open to other users",
        _ => "",
    };
    let check = Check {
        name: "socket".to_owned(),
        details: json!({
            "path": locations.socket, "note": locations.socket_note,
        }),
        ..Check::default()
    };
    if complaint.is_empty() {
        let why = locations.socket_note;
        return Check {
            summary: match why {
                "" => "in a directory of yours alone".to_owned(),
                why => format!("in a directory of yours alone; {why}"),
            },
            ..check
        };
    }
    Check {
        status: CheckStatus::Error,
        summary: format!("{} {complaint}", directory.display()),
        recommended_action: "give the directory to yourself alone".to_owned(),
        command: ["chmod", "700", &directory.to_string_lossy()]
            .map(str::to_owned)
            .to_vec(),
        ..check
    }
}

fn daemon(backend: &Backend, running: Option<&DaemonStatus>) -> Check {
    let check = |status, summary: String| Check {
        name: "daemon".to_owned(),
        status,
        summary,
        details: json!({
            "socket": backend.places.locations.socket,
            "client": VERSION,
            "daemon": running.map(|daemon| &daemon.version),
            "pid": running.map(|daemon| daemon.pid),
            "uptime_seconds": running.map(|daemon| daemon.uptime_seconds),
        }),
        ..Check::default()
    };
    let restart = |word: &str| ["aictx", "daemon", word].map(str::to_owned).to_vec();
    match running {
        Some(daemon) if daemon.proto != PROTOCOL_VERSION || daemon.version != VERSION => Check {
            recommended_action: "replace the running daemon".to_owned(),
            command: restart("restart"),
            safe: true,
            ..check(
                CheckStatus::Warning,
                format!("the daemon is of version {}, not {VERSION}", daemon.version),
            )
        },
        Some(daemon) => check(CheckStatus::Ok, format!("runs, pid {}", daemon.pid)),
        None if !backend.places.may_start() => Check {
            recommended_action: "unset AICTX_NO_DAEMON; every hook is slow without a daemon"
                .to_owned(),
            ..check(
                CheckStatus::Warning,
                "no daemon runs, and none may be started".to_owned(),
            )
        },
        None => Check {
            recommended_action: "start it; `aictx daemon logs` says why it ended".to_owned(),
            command: restart("start"),
            safe: true,
            ..check(CheckStatus::Error, "no daemon runs".to_owned())
        },
    }
}

fn watching(status: &DaemonStatus, repo: &str) -> Check {
    let host = status.repositories.iter().find(|host| host.repo == repo);
    let check = |status, summary: String| Check {
        name: "watch".to_owned(),
        status,
        summary,
        details: json!(host.map(|host| &host.watch)),
        ..Check::default()
    };
    match host.map(|host| host.watch.mode.as_str()) {
        Some("native") => check(CheckStatus::Ok, "changes are seen at once".to_owned()),
        Some("polling") => Check {
            recommended_action: "raise the system's limit of watches".to_owned(),
            ..check(
                CheckStatus::Warning,
                "changes are seen once a minute".to_owned(),
            )
        },
        _ => check(
            CheckStatus::Unknown,
            "this repository is not watched now".to_owned(),
        ),
    }
}

fn latency(status: &DaemonStatus) -> Check {
    let of = |head: &'static str| {
        let all = status.methods.iter();
        all.filter(move |m| m.method.starts_with(head))
    };
    let agents: Vec<_> = of("agent.").collect();
    let hooks = of("hook.");
    let hooks: Vec<_> = hooks.collect();
    let slow = hooks
        .iter()
        .chain(&agents)
        .filter(|m| m.calls >= FEW_CALLS && m.p99_us > SLOW_HOOK_US);
    let slow: Vec<String> = slow
        .map(|m| format!("{}: p99 {} ms", m.method, m.p99_us / 1000))
        .collect();
    let check = Check {
        name: "hook_latency".to_owned(),
        details: json!({ "agents": agents, "hooks": hooks, "examples": slow }),
        ..Check::default()
    };
    if hooks.is_empty() {
        return Check {
            status: CheckStatus::Unknown,
            summary: "no hook has fired since the daemon began".to_owned(),
            ..check
        };
    }
    if slow.is_empty() {
        let calls: u64 = hooks.iter().map(|m| m.calls).sum();
        return Check {
            summary: format!("{calls} hooks were answered in time"),
            ..check
        };
    }
    Check {
        status: CheckStatus::Warning,
        summary: format!("{} kinds of hooks or agents are slow", slow.len()),
        recommended_action: "see `aictx status` and the daemon's log".to_owned(),
        ..check
    }
}

fn map(backend: &Backend, repo: &str) -> Result<Check, CliError> {
    let params = MapRepoParams {
        repo: repo.to_owned(),
        wait_ms: 0,
    };
    let check = |status, summary: String, details: Value| Check {
        name: "repomap_status".to_owned(),
        status,
        summary,
        details,
        ..Check::default()
    };
    let value = match backend.ask_running(MAP_STATUS, &params) {
        Ok(Some(value)) => value,
        Ok(None) => {
            return Ok(check(
                CheckStatus::Unknown,
                "no daemon".to_owned(),
                json!({}),
            ));
        }
        Err(error) => {
            let summary = format!("the map does not answer: {}", error.message);
            return Ok(check(CheckStatus::Warning, summary, json!({})));
        }
    };
    let status: MapStatus = parse(value.clone())?;
    let state = status.freshness.state.clone();
    Ok(check(CheckStatus::Ok, format!("the map is {state}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::CommandLine;
    use aictx_proto::methods::MethodStats;
    use clap::Parser;

    /// The sources of everything that doctor says.
    const SOURCES: [&str; 6] = [
        include_str!("doctor.rs"),
        include_str!("../../../../aictxd/src/methods/doctor.rs"),
        include_str!("../../../../aictxd/src/methods/doctor/agents.rs"),
        include_str!("../../../../aictxd/src/methods/doctor/memory.rs"),
        include_str!("../../../../aictxd/src/methods/doctor/repository.rs"),
        include_str!("../../../../aictxd/src/methods/doctor/system.rs"),
    ];

    /// The command lines in a text: what stands in backticks, and lists of words. A word that is worked out gets each
    /// of its values.
    fn command_lines(source: &str) -> Vec<Vec<String>> {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim().starts_with("//"));
        let code: String = code.collect::<Vec<_>>().join("\n");
        let quoted = code.split('`').skip(1).step_by(2);
        let quoted = quoted.filter(|text| text.starts_with("aictx "));
        let mut found: Vec<Vec<String>> = quoted
            .map(|text| text.split_whitespace().map(str::to_owned).collect())
            .collect();
        for list in code.split("[\"aictx\", ").skip(1) {
            let words = list.split(']').next().unwrap_or_default();
            let mut lines = vec![vec!["aictx".to_owned()]];
            for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
                let values: Vec<&str> = match word {
                    "verb" => vec!["init", "install"],
                    "word" => vec!["start", "restart"],
                    "agent.agent" => vec!["claude"],
                    literal if literal.starts_with('"') => vec![literal.trim_matches('"')],
                    _ => vec!["x"],
                };
                let more = lines.iter().flat_map(|line| {
                    let one = |value: &&str| [line.clone(), vec![(*value).to_owned()]].concat();
                    values.iter().map(one).collect::<Vec<_>>()
                });
                lines = more.collect();
            }
            found.extend(lines);
        }
        found
    }

    #[test]
    fn every_command_that_is_advised_exists() {
        let all = SOURCES.iter().flat_map(|source| command_lines(source));
        let all: Vec<Vec<String>> = all.collect();
        for line in &all {
            let parsed = CommandLine::try_parse_from(line);
            assert!(parsed.is_ok(), "{line:?}: {}", parsed.unwrap_err());
        }
        let named = |words: &str| all.iter().any(|line| line.join(" ").starts_with(words));
        for words in [
            "aictx daemon logs",
            "aictx daemon restart",
            "aictx install --agents claude",
            "aictx init --replace-ancestor",
            "aictx forget",
            "aictx wrong",
        ] {
            assert!(named(words), "{words} is not found in {all:?}");
        }
    }

    #[test]
    fn settings_of_agents_are_changed_only_by_consent() {
        let step = |words: &[&str]| PlanStep {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            safe: true,
            ..PlanStep::default()
        };
        let reply = DoctorReply {
            action_plan: vec![
                step(&["aictx", "install", "--agents", "claude", "--yes"]),
                step(&["aictx", "mcp", "install"]),
            ],
            ..DoctorReply::default()
        };
        let told = fix(&reply, |_| false);
        assert_eq!(told.matches("add --yes").count(), 2, "{told}");
        let ours = ["aictx", "daemon", "start"].map(str::to_owned);
        assert!(!edits_settings(&ours));
    }

    #[test]
    fn an_agent_that_is_answered_late_is_named() {
        let of = |method: &str, calls, p99_us| MethodStats {
            method: method.into(),
            calls,
            p99_us,
            ..MethodStats::default()
        };
        let status = |methods| DaemonStatus {
            methods,
            ..DaemonStatus::default()
        };
        let none = latency(&status(vec![]));
        assert_eq!(none.status, CheckStatus::Unknown);
        let quick = [
            of("hook.PreToolUse", 100, 900),
            of("agent.codex", 3, 90_000),
        ];
        let quick = latency(&status(quick.to_vec()));
        assert_eq!(quick.status, CheckStatus::Ok, "three calls say nothing");
        let slow = [
            of("hook.PreToolUse", 100, 900),
            of("agent.codex", 30, 90_000),
        ];
        let slow = latency(&status(slow.to_vec()));
        assert_eq!(slow.status, CheckStatus::Warning);
        assert_eq!(slow.details["examples"], json!(["agent.codex: p99 90 ms"]));
    }
}
