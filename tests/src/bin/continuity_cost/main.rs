//! `continuity_cost`: what resume, finalize and guard cost as a repository's history grows, and what
//! an execution adds to the files.
//!
//! One repository is worked in by one agent after the other through the daemon's socket: a resume
//! and a finalize with two files read, one edited and one test run, each in a session of its own; one
//! in six fails and one in eight decides something.
//! At every size the methods are timed, and guard besides as often in a row in one session, over an
//! ordinary command, over commands of 60 bytes to 4 KB (each twice as long as the one before) and over one of
//! 4 KB; the last column tells the hour (`hour.rs`); at the largest, 5 000 failure rows as the ancestor writes
//! them are put in front, the daemon notices that, and they are timed again: once with the rows put
//! there once, and once with the rows put there every 40 executions, since a finalize that records a
//! failure folds them. On one processor, what had the core to itself is shown besides. Where its interpreter is named, the
//! ancestor is timed beside it (`ancestor.rs`). With `--kinds N`, lines of fifteen kinds are guarded N
//! times each (`kinds.rs`). Prints tables; judges nothing.
//!
//! ```text
//! cargo build --release --workspace
//! TMPDIR=/dev/shm cargo run --release -p aictx-tests --bin continuity_cost -- \
//!     [--sizes 100,1000,5000,20000] [--samples 400] [--failures 5000] [--hooks 0] [--kinds 0] [--keep DIR] \
//!     [--processor 0] [--ancestor-python <venv with `pip install aictx==7.0.1`>/bin/python]
//! ```
//!
//! Without syncs in a memory file system, with them on a disk: `TMPDIR` says where.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aictx_tests::TestEnv;
use aictx_tests::memory::files;
use serde_json::{Value, json};

use self::hour::Ring;
use self::times::Times;
use self::work::{
    Dice, Work, ancestor_failures, fill, growing_commands, long_command, ordinary_command,
};

mod ancestor;
mod hour;
mod kinds;
mod times;
mod work;

/// Executions after which rows of the ancestor are put in front again.
const AGAIN: usize = 40;

struct Options {
    sizes: Vec<usize>,
    samples: usize,
    failures: usize,
    hooks: usize,
    kinds: usize,
    keep: Option<PathBuf>,
    ancestor: Option<PathBuf>,
    processor: Option<usize>,
}

fn options() -> Options {
    let mut args = std::env::args().skip(1);
    let mut options = Options {
        sizes: vec![100, 1_000, 5_000, 20_000],
        samples: 400,
        failures: 5_000,
        hooks: 0,
        kinds: 0,
        keep: None,
        ancestor: None,
        processor: None,
    };
    while let Some(name) = args.next() {
        let value = args
            .next()
            .unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--sizes" => {
                options.sizes = value.split(',').map(|n| n.parse().unwrap()).collect();
            }
            "--samples" => options.samples = value.parse().unwrap(),
            "--failures" => options.failures = value.parse().unwrap(),
            "--kinds" => options.kinds = value.parse().unwrap(),
            "--hooks" => options.hooks = value.parse().unwrap(),
            "--keep" => options.keep = Some(PathBuf::from(value)),
            "--ancestor-python" => options.ancestor = Some(PathBuf::from(value)),
            "--processor" => options.processor = Some(value.parse().unwrap()),
            other => panic!("unknown option {other}"),
        }
    }
    options
}

/// A connection to the daemon.
struct Client {
    stream: BufReader<UnixStream>,
}

impl Client {
    fn connect(socket: &Path) -> Self {
        Self {
            stream: BufReader::new(UnixStream::connect(socket).unwrap()),
        }
    }

    /// A call's result and how long it took, from the first byte sent to the last one read.
    fn call(&mut self, method: &str, params: &Value) -> (Value, Duration) {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let line = format!("{request}\n");
        let mut answer = String::new();
        let started = Instant::now();
        self.stream.get_mut().write_all(line.as_bytes()).unwrap();
        self.stream.read_line(&mut answer).unwrap();
        let took = started.elapsed();
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].is_null(), "{method}: {answer}");
        (answer["result"].take(), took)
    }
}

/// Bytes and files below `.aictx`, by their first directories.
fn sizes(repo: &Path) -> BTreeMap<String, (u64, usize)> {
    let memory = repo.join(".aictx");
    let mut sizes: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for file in files(&memory) {
        let Ok(metadata) = fs::metadata(memory.join(&file)) else {
            continue;
        };
        let name = file.to_string_lossy().into_owned();
        let key = match name.as_str() {
            n if n.starts_with("sessions/") => "sessions/*".to_owned(),
            n if n.starts_with("archive/") => "archive/**".to_owned(),
            n if n.starts_with("continuity/contracts/") && !n.ends_with("index.json") => {
                "continuity/contracts/*".to_owned()
            }
            _ => name,
        };
        let entry = sizes.entry(key).or_default();
        entry.0 += metadata.len();
        entry.1 += 1;
    }
    sizes
}

fn total(sizes: &BTreeMap<String, (u64, usize)>) -> u64 {
    sizes.values().map(|(bytes, _)| bytes).sum()
}

fn main() {
    let options = options();
    if let Some(processor) = options.processor {
        hour::stay_on(processor);
    }
    let mut env = TestEnv::new();
    env.unset("AICTX_HOOK_TIMEOUT_MS");
    let repo = env.repository("demo");
    fill(&env, &repo);
    let daemon = env.daemon();
    let mut agents = Agents {
        client: Client::connect(&env.socket()),
        repo: repo.clone(),
        dice: Dice(0x2545_f491_4f6c_dd1d),
        done: 0,
        probes: options.processor.is_some(),
        best: None,
    };
    let mut bytes_before = total(&sizes(&repo));
    let mut growth = Vec::new();
    let mut lines: Vec<(String, Times)> = Vec::new();
    Times::head();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let ring = Ring::new(|below| dice.below(below));
    for &size in &options.sizes {
        let began = agents.done;
        agents.work(size.saturating_sub(began), &mut Times::default());
        let mut times = Times::default();
        agents.work(options.samples, &mut times);
        agents.guards(options.samples, &mut times);
        times.line(&size.to_string(), Some(ring.read_ns()));
        lines.push((size.to_string(), times));
        let now = agents.size_at_rest();
        growth.push((
            size,
            now,
            (now as f64 - bytes_before as f64) / (agents.done - began) as f64,
        ));
        bytes_before = now;
    }
    if options.failures > 0 {
        let rows = ancestor_failures(options.failures, &mut agents.dice);
        for (how, every) in [
            ("once", options.samples),
            ("again every 40 executions", AGAIN),
        ] {
            let mut times = Times::default();
            for n in 0..options.samples {
                if n % every == 0 {
                    agents.put_in_front(&rows);
                }
                agents.work(1, &mut times);
            }
            agents.guards(options.samples, &mut times);
            let name = format!("the same and {} failure rows, {how}", options.failures);
            times.line(&name, Some(ring.read_ns()));
            lines.push((name, times));
        }
    }
    if let Some(best) = agents.best {
        println!("\nOf these the calls beside which nobody used the other half of the core:\n");
        Times::head();
        for (name, times) in &lines {
            let (alone, share) = times.alone(best);
            alone.line(&format!("{name}: {:.0} %", share * 100.0), None);
        }
    }
    if options.kinds > 0 {
        kinds::print(&mut agents, options.kinds);
    }
    if options.hooks > 0 {
        let before = total(&sizes(&repo));
        for n in 0..options.hooks {
            let work = Work::new(agents.done + n, &mut agents.dice);
            for event in work.events(&repo) {
                agents
                    .client
                    .call("hook", &json!({ "runner": "claude", "payload": event }));
            }
        }
        let after = total(&sizes(&repo));
        let each = (after as f64 - before as f64) / options.hooks as f64;
        println!(
            "\n{} sessions seen by hooks: {each:.0} bytes each",
            options.hooks
        );
    }
    println!("\n| executions | .aictx, bytes | bytes an execution since the line before |");
    println!("|---|---:|---:|");
    for (size, bytes, each) in growth {
        println!("| {size} | {bytes} | {each:.0} |");
    }
    println!("\nWhat is there in the end, {} executions:", agents.done);
    for (name, (bytes, files)) in sizes(&repo) {
        println!("{bytes:>12}  {files:>6}  {name}");
    }
    if let Some(python) = &options.ancestor {
        ancestor::side_by_side(&env, python, agents.dice);
    }
    daemon.stop();
    if let Some(to) = options.keep {
        aictx_tests::memory::replace_tree(&repo, &to);
    }
}

/// One agent after the other.
struct Agents {
    client: Client,
    repo: PathBuf,
    dice: Dice,
    /// Executions so far.
    done: usize,
    /// Every call is probed.
    probes: bool,
    /// The shortest probe so far.
    best: Option<Duration>,
}

impl Agents {
    /// Batches of changes that the daemon has taken in.
    fn batches(&mut self) -> Value {
        let (status, _) = self.client.call("status", &json!({}));
        let repos = status["repositories"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        Value::Array(
            repos
                .iter()
                .map(|r| r["watch"]["batches"].clone())
                .collect(),
        )
    }

    /// As [`Self::batches`], once no more come.
    fn at_rest(&mut self) -> Value {
        loop {
            let batches = self.batches();
            std::thread::sleep(Duration::from_millis(200));
            if self.batches() == batches {
                return batches;
            }
        }
    }

    /// Bytes of `.aictx` once the daemon has put away what it puts away when nobody writes.
    fn size_at_rest(&mut self) -> u64 {
        loop {
            let before = total(&sizes(&self.repo));
            std::thread::sleep(Duration::from_secs(1));
            self.at_rest();
            if total(&sizes(&self.repo)) == before {
                return before;
            }
        }
    }

    /// Writes failures as another program would, and waits until the daemon has seen that.
    fn put_in_front(&mut self, rows: &str) {
        let file = self
            .repo
            .join(".aictx/failure_memory/failure_patterns.jsonl");
        let before = self.at_rest();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, rows).unwrap();
        while self.batches() == before {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// So many pieces of work, each in a session of its own.
    fn work(&mut self, pieces: usize, times: &mut Times) {
        for _ in 0..pieces {
            let work = Work::new(self.done, &mut self.dice);
            self.timed("resume", "resume", &work.resume(&self.repo), times);
            self.timed("guard", "guard", &work.guard(&self.repo), times);
            self.timed("finalize", "finalize", &work.finalize(&self.repo), times);
            self.done += 1;
        }
    }

    /// Runs an agent's commands between a resume and a finalize, one after the other.
    fn guards(&mut self, commands: usize, times: &mut Times) {
        let work = Work::new(self.done, &mut self.dice);
        self.client.call("resume", &work.resume(&self.repo));
        let (long, lengths) = (long_command(), growing_commands());
        let repo = self.repo.clone();
        let guard = |command: &str| {
            json!({
                "repo": repo, "action": "risky_command", "command": command,
                "caller": { "session_id": work.session },
            })
        };
        for n in 0..commands {
            let ordinary = ordinary_command(n);
            self.timed("guard of a command", "guard", &guard(&ordinary), times);
            self.timed("guard of 4 KB", "guard", &guard(&long), times);
            let any = lengths.get(n % 7).unwrap_or(&ordinary);
            self.timed("guard of any length", "guard", &guard(any), times);
        }
        self.client.call("finalize", &work.finalize(&self.repo));
        self.done += 1;
    }

    fn timed(&mut self, name: &'static str, method: &str, params: &Value, times: &mut Times) {
        let before = self.probes.then(hour::probe);
        let took = self.client.call(method, params).1;
        let behind = self.probes.then(hour::probe);
        let known = [self.best, before, behind].into_iter().flatten();
        self.best = known.min();
        times.add(name, took, before.max(behind));
    }
}
