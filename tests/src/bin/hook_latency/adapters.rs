//! Every agent's dialect, one after the other in one run: what reading its payload and answering in
//! its words costs beside Claude Code's.

use std::fs;
use std::path::Path;
use std::time::Duration;

use aictx_tests::TestEnv;
use serde_json::{Value, json};

use super::{Candidate, GUARDED, quantile, us};

/// Each agent's event before a command, and where its payload holds the command.
const GUARDS: &[(&str, &str, &str)] = &[
    ("claude", "PreToolUse", "/tool_input/command"),
    ("codex", "PreToolUse", "/tool_input/command"),
    ("gemini", "BeforeTool", "/tool_input/command"),
    ("cursor", "preToolUse", "/tool_input/command"),
    ("copilot", "preToolUse", "/toolArgs"),
    ("opencode", "tool.execute.before", "/output/args/command"),
    ("cline", "PreToolUse", "/preToolUse/parameters/command"),
    ("windsurf", "pre_run_command", "/tool_info/command_line"),
    ("generic", "before_tool", "/command"),
];

/// The payload of the fixture tests, in this repository and with the command that all are asked
/// about: what differs is the dialect alone.
fn payload(agent: &str, event: &str, place: &str, repository: &Path) -> Value {
    let file = format!("../aictxd/runners/tests/fixtures/{agent}.jsonl");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("\"/repo\"", &format!("\"{}\"", repository.display()));
    let fits = |row: &Value| {
        let payload = &row["payload"];
        // What a plug-in sends says where it is; what the agent told the plug-in does not.
        let placed = agent != "opencode" || payload["cwd"].is_string();
        let shell = ["tool_name", "toolName"].iter().all(|name| {
            let tool = payload[name].as_str().unwrap_or("Bash").to_lowercase();
            tool.contains("bash") || tool.contains("shell")
        });
        row["event"] == event && placed && shell && payload.pointer(place).is_some()
    };
    let mut rows = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let row = rows.find(fits);
    let mut payload = row.unwrap_or_else(|| panic!("{agent}: no fixture"))["payload"].clone();
    let command = match agent {
        "copilot" => json!(json!({ "command": GUARDED }).to_string()),
        _ => json!(GUARDED),
    };
    *payload.pointer_mut(place).unwrap() = command;
    payload
}

/// Times all of them and prints the table.
pub(super) fn measure(env: &TestEnv, aictx: &Path, repository: &Path, runs: usize) {
    let mut candidates: Vec<Candidate> = GUARDS
        .iter()
        .map(|(agent, event, place)| {
            let input = env.path().join(format!("{agent}.json"));
            let text = payload(agent, event, place, repository).to_string();
            fs::write(&input, text).unwrap();
            Candidate {
                name: agent,
                program: aictx.to_owned(),
                args: ["hook", agent, event].map(str::to_owned).to_vec(),
                input,
                every: 1,
                socket: None,
                times: Vec::new(),
            }
        })
        .collect();
    let count = candidates.len();
    // Whoever comes after a slow one finds colder caches: each turn begins with another agent, and
    // every second one goes the other way round.
    let order = |turn: usize, at: usize| {
        let step = if turn.is_multiple_of(2) {
            at
        } else {
            count - 1 - at
        };
        (turn + step) % count
    };
    for turn in 0..runs + 20 {
        for at in 0..count {
            candidates[order(turn, at)].run(env, repository);
        }
        if turn == 19 {
            candidates.iter_mut().for_each(|c| c.times.clear());
        }
    }
    let status = env.status();
    let inside = |agent: &str| {
        let name = format!("agent.{agent}");
        let mut methods = status.methods.iter();
        methods
            .find(|m| m.method == name)
            .map_or(0, |method| method.p50_us)
    };
    println!(
        "whole process, wall time, {runs} interleaved runs of each agent's event before a command"
    );
    println!(
        "{:<12}{:>10}{:>10}{:>10}{:>12}{:>18}",
        "", "p50 us", "p90 us", "p99 us", "x claude", "in the daemon us"
    );
    let at = |times: &[Duration], q| us(quantile(&mut times.to_vec(), q));
    let claude = at(&candidates[0].times, 0.5);
    for candidate in &candidates {
        let p50 = at(&candidate.times, 0.5);
        println!(
            "{:<12}{p50:>10.1}{:>10.1}{:>10.1}{:>12.3}{:>18}",
            candidate.name,
            at(&candidate.times, 0.9),
            at(&candidate.times, 0.99),
            p50 / claude,
            inside(candidate.name)
        );
    }
}
