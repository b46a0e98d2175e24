//! `flow_cost`: what flows cost while nothing happens, while many are listed, and while agents print much.
//!
//! ```text
//! cargo run --release -p aictx-tests --bin flow_cost -- [--only wait|list|output]
//! ```
//!
//! The programs are those of the same profile. Prints figures; judges nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use aictx_tests::session::before_command;
use aictx_tests::{Daemon, TestEnv, program, wait_long_until};

/// An agent that reports a limit of use far in the future.
const WAITS: &str = r#"sh -c 'echo "{\"aictx\":{\"error\":{\"class\":\"quota\",\"text\":\"limit\",\"resets_at\":4102444800}}}"; exit 1'"#;
/// An agent that prints 1 MB ten times a second, for twenty seconds.
const PRINTS: &str = r#"sh -c 'line=$(head -c 999 /dev/zero | tr "\0" x); i=0; while [ $i -lt 1000 ]; do echo $line; i=$((i+1)); done > ../block; i=0; while [ $i -lt 200 ]; do cat ../block; sleep 0.1; i=$((i+1)); done'"#;

fn ticket(repo: &Path, number: usize) {
    let directory = repo.join(".aictx/tickets");
    fs::create_dir_all(&directory).unwrap();
    let text = format!(
        "---\nticket_id: tkt_{number:06}\nagent: codex\ndone: false\ntitle: Number {number}\n---\n\nDo it\n"
    );
    fs::write(directory.join(format!("TICKET-{number:03}.md")), text).unwrap();
}

fn start(env: &TestEnv, worktree: &Path, exec: &str) {
    let arguments = ["flow", "start", "--exec", exec, "--unverified"];
    env.aictx(worktree, &arguments).ok();
}

/// CPU time of a process in ticks (10 ms), and its memory in KiB: now and at most.
fn usage(daemon: &Daemon) -> (u64, u64, u64) {
    let process = format!("/proc/{}", daemon.pid());
    let stat = fs::read_to_string(format!("{process}/stat")).unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    let status = fs::read_to_string(format!("{process}/status")).unwrap();
    let memory = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let text = line
            .unwrap()
            .trim_start_matches(':')
            .trim_end_matches(" kB");
        text.trim().parse::<u64>().unwrap()
    };
    let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    (ticks, memory("VmRSS"), memory("VmHWM"))
}

fn rest(time: Duration) {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}

/// Median and 95th percentile.
fn figures(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

fn waiting() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    ticket(&repo, 1);
    let daemon = env.daemon();
    start(&env, &repo, WAITS);
    let _ = env.aictx(&repo, &["flow", "watch", "--until-rest"]);
    rest(Duration::from_secs(15));
    let before = usage(&daemon).0;
    rest(Duration::from_secs(60));
    let ticks = usage(&daemon).0 - before;
    println!("| a flow that waits, CPU in 60 s | {ticks} ticks |");
}

fn listing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    (1..=500).for_each(|number| ticket(&repo, number));
    let daemon = env.daemon();
    for number in 0..100 {
        let name = format!("../tree-{number}");
        env.git(&repo, &["worktree", "add", "-q", "-b", &name[3..], &name]);
        let worktree = fs::canonicalize(repo.join(&name)).unwrap();
        start(&env, &worktree, WAITS);
    }
    wait_long_until("all of them wait", || {
        let text = env
            .aictx(&repo, &["flow", "status", "--all", "--json"])
            .stdout;
        text.matches("\"quota_wait\"").count() >= 100
    });
    let run = |arguments: &[&str]| {
        let mut command = env.command(program("aictx"));
        command
            .args(arguments)
            .current_dir(&repo)
            .stdout(Stdio::null());
        let started = Instant::now();
        assert!(command.status().unwrap().success());
        started.elapsed()
    };
    let (mut version, mut status) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        version.push(run(&["version"]));
        status.push(run(&["flow", "status", "--all"]));
    }
    for (name, times) in [("version", version), ("flow status --all", status)] {
        let (median, high) = figures(times);
        println!(
            "| `aictx {name}`, 100 flows, 500 tickets: median; p95 | {median:.2?}; {high:.2?} |"
        );
    }
    drop(daemon);
}

fn printing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    ticket(&repo, 1);
    let daemon = env.daemon();
    let hooks = |time: Duration| {
        let (end, mut times) = (Instant::now() + time, Vec::new());
        while Instant::now() < end {
            let payload = before_command(&repo, "s", "ls -la");
            let started = Instant::now();
            env.hook(&repo, &payload).ok();
            times.push(started.elapsed());
            rest(Duration::from_millis(20));
        }
        times
    };
    let idle = figures(hooks(Duration::from_secs(5)));
    let before = usage(&daemon);
    start(&env, &repo, PRINTS);
    let busy = figures(hooks(Duration::from_secs(18)));
    let after = usage(&daemon);
    println!(
        "| a hook, nothing else: median; p95 | {:.2?}; {:.2?} |",
        idle.0, idle.1
    );
    println!(
        "| the same, 10 MB/s from an agent | {:.2?}; {:.2?} |",
        busy.0, busy.1
    );
    println!(
        "| memory of the daemon before; at most | {}; {} KiB |",
        before.1, after.2
    );
    println!(
        "| CPU of the daemon in 18 s | {} ticks |",
        after.0 - before.0
    );
    env.aictx(&repo, &["flow", "stop", "--now"]).ok();
}

fn main() {
    let only = std::env::args().nth(2);
    let is_wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    println!("| | measured |\n|---|---:|");
    for (name, run) in [
        ("wait", waiting as fn()),
        ("list", listing),
        ("output", printing),
    ] {
        if is_wanted(name) {
            run();
        }
    }
}
