//! The ancestor beside this program, in one run and in turns: a machine that is slow in some hours is so for both.
//!
//! The ancestor works twice in a repository, and the rows that it writes are repeated, each about other work and under
//! names of its own, until they are those of a long history. This program works in a copy of it. The ancestor is a
//! process for each call, as its users have it; this program is called on a connection.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use aictx_tests::memory::{files, replace_tree};
use aictx_tests::{TestEnv, program};
use serde_json::{Value, json};

use super::times::Times;
use super::work::{Dice, Work, fill, long_command, ordinary_command};
use super::{Agents, Client};

/// Number of turns of both, and of calls in each of ours.
const ROUNDS: usize = 11;
const PIECES: usize = 40;
/// Length of the ancestor's history where the goals were set.
const EXECUTIONS: usize = 20_000;
const PATTERNS: usize = 5_000;
/// The files with a row for each of them, and how many rows.
const ROWS: [(&str, usize); 6] = [
    ("continuity/handoffs.jsonl", EXECUTIONS),
    ("continuity/lifecycle_events.jsonl", EXECUTIONS),
    ("metrics/agent_execution_log.jsonl", EXECUTIONS),
    ("metrics/execution_logs.jsonl", EXECUTIONS),
    ("failure_memory/failure_patterns.jsonl", PATTERNS),
    ("strategy_memory/strategies.jsonl", PATTERNS),
];
/// Comparison, time of the ancestor there (seconds), and the goal (milliseconds).
const GOALS: [(&str, f64, f64); 4] = [
    ("resume", 0.73, 3.0),
    ("finalize", 3.2, 10.0),
    ("guard of a command", 0.73, 0.2),
    ("guard of 4 KB", 0.73, 0.2),
];

/// The program of the ancestor.
struct Ancestor<'e> {
    env: &'e TestEnv,
    program: PathBuf,
    repo: PathBuf,
}

impl Ancestor<'_> {
    fn run(&self, arguments: &[&str]) -> Duration {
        let mut command = self.env.command(&self.program);
        command.args(arguments).args(["--repo", "."]);
        command.current_dir(&self.repo);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        let status = command.stderr(Stdio::null()).status().unwrap();
        let took = started.elapsed();
        assert!(status.success(), "the ancestor: {arguments:?}: {status}");
        took
    }

    fn resume(&self, work: &Work) -> Duration {
        self.run(&["resume", "--task", &work.task])
    }

    fn finalize(&self, work: &Work) -> Duration {
        let status = if work.success { "success" } else { "failure" };
        let error = format!(
            "FAILED {}::test_it - AssertionError: {}",
            work.edited, work.next
        );
        let mut arguments = vec!["finalize", "--status", status, "--summary", &work.summary];
        arguments.extend(["--task", &work.task, "--files-opened", &work.edited]);
        arguments.extend(["--files-edited", &work.edited]);
        arguments.extend(["--commands-executed", &work.test]);
        arguments.extend(["--tests-executed", &work.test]);
        if !work.success {
            arguments.extend(["--notable-errors", &error]);
        }
        self.run(&arguments)
    }

    fn guard(&self, command: &str) -> Duration {
        self.run(&["guard", "--action", "risky_command", "--command", command])
    }
}

/// A row of the ancestor about `old` as one about `new`, under names of its own. It keeps strategies of successes only
/// where it saw the work itself: here every other one is made such.
fn about(row: &str, old: &Work, new: &Work, nth: usize) -> String {
    let row = row
        .replace(&old.task, &new.task)
        .replace(&old.summary, &new.summary)
        .replace(&old.edited, &new.edited)
        .replace(&old.next, &new.next);
    let mut row: Value = serde_json::from_str(&row).unwrap();
    if nth.is_multiple_of(2) && row["is_failure"].is_boolean() {
        (row["is_failure"], row["success"]) = (false.into(), true.into());
    }
    for (name, value) in row.as_object_mut().unwrap() {
        let is_name = name.ends_with("_id") || name.ends_with("signature");
        let is_shared = matches!(name.as_str(), "agent_id" | "adapter_id" | "area_id");
        if let Value::String(text) = value
            && is_name
            && !is_shared
            && !text.is_empty()
        {
            text.push_str(&format!("-{nth}"));
        }
    }
    row.to_string()
}

/// A history as the ancestor writes it.
fn history(theirs: &Ancestor, dice: &mut Dice) {
    let mut seeds = Vec::new();
    for success in [true, false] {
        let mut all = (0..).map(|n| Work::new(n, dice));
        let work = all.find(|work| work.success == success).unwrap();
        theirs.resume(&work);
        theirs.finalize(&work);
        seeds.push(work);
    }
    for (file, count) in ROWS {
        let path = theirs.repo.join(".aictx").join(file);
        let text = fs::read_to_string(&path).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        let mut out = String::new();
        for nth in 0..count {
            let row = rows[nth % rows.len()];
            let new = Work::new(nth, dice);
            // A failure is told by its error, everything else by the task.
            let names = |seed: &&Work| row.contains(&seed.task) || row.contains(&seed.next);
            let seed = seeds.iter().find(names).unwrap();
            out.push_str(&about(row, seed, &new, nth));
            out.push('\n');
        }
        fs::write(&path, out).unwrap();
    }
}

/// Times both, and prints how much faster this program is: in the middle, and in the worst and best of the
/// rounds.
pub(crate) fn side_by_side(env: &TestEnv, python: &Path, mut dice: Dice) {
    let theirs = Ancestor {
        env,
        program: python.with_file_name("aictx"),
        repo: env.plain_repository("theirs"),
    };
    fill(env, &theirs.repo);
    theirs.run(&["init", "--yes", "--no-mcp"]);
    history(&theirs, &mut dice);
    let bytes: u64 = files(&theirs.repo.join(".aictx"))
        .iter()
        .filter_map(|file| fs::metadata(theirs.repo.join(".aictx").join(file)).ok())
        .map(|metadata| metadata.len())
        .sum();
    let ours = env.path().join("ours");
    replace_tree(&theirs.repo, &ours);
    let params = json!({ "repo": ours, "runners": ["claude"], "program": program("aictx") });
    let mut agents = Agents {
        client: Client::connect(&env.socket()),
        repo: ours,
        dice,
        done: EXECUTIONS,
        probes: false,
        best: None,
    };
    agents.client.call("init", &params);
    // What the ancestor left is taken in first.
    agents.work(PIECES, &mut Times::default());
    agents.at_rest();
    let mut rounds: Vec<[(f64, f64); 4]> = Vec::new();
    for round in 0..ROUNDS {
        let mut times = Times::default();
        agents.work(PIECES, &mut times);
        agents.guards(PIECES, &mut times);
        // What is done behind the answers is done by then.
        agents.at_rest();
        let work = Work::new(agents.done, &mut agents.dice);
        let took = [
            theirs.resume(&work),
            theirs.finalize(&work),
            theirs.guard(&ordinary_command(round)),
            theirs.guard(&long_command()),
        ];
        let took = took.map(|took| took.as_secs_f64() * 1e3);
        let mine = GOALS.map(|(name, ..)| times.ms(name, 0.5));
        rounds.push(std::array::from_fn(|at| (mine[at], took[at])));
    }
    println!(
        "\nBeside the ancestor, {EXECUTIONS} executions, {PATTERNS} failures and strategies as it writes them, \
         {} MB; the middle of {ROUNDS} rounds, each the p50 of {PIECES} calls beside one process of the ancestor:\n",
        bytes / 1_000_000
    );
    println!(
        "| | this program, ms | the ancestor, ms | times faster, in the middle (worst to best round) | \
         the goal |"
    );
    println!("|---|---:|---:|---:|---:|");
    for (at, (name, seconds, goal)) in GOALS.into_iter().enumerate() {
        let sorted = |of: fn(&(f64, f64)) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(|round| of(&round[at])).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let middle = |all: &[f64]| all[all.len() / 2];
        let (mine, took) = (sorted(|(mine, _)| *mine), sorted(|(_, took)| *took));
        let faster = sorted(|(mine, took)| took / mine);
        println!(
            "| {name} | {:.2} | {:.0} | {:.0} ({:.0} to {:.0}) | {:.0} |",
            middle(&mine),
            middle(&took),
            middle(&faster),
            faster[0],
            faster[faster.len() - 1],
            seconds * 1e3 / goal,
        );
    }
}
