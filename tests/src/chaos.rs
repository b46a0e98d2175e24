//! Chaos: what is promised, while processes are killed, stopped and starved.
//!
//! Every scenario sends events through the real hook program, does harm meanwhile, lets a healthy
//! daemon take in what waits, and compares what was sent with what the ledgers hold. The tests in
//! `tests/chaos` run them in a short form; the program `chaos` runs them for long and prints a table.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::session::payload;
use crate::{TestEnv, program, wait_long_until};

pub mod floods;
pub mod flows;
pub mod kills;
pub mod limits;
pub mod skew;
pub mod soak;

/// Amount of work.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Agents at work at once.
    pub agents: usize,
    /// Events of each.
    pub events: usize,
    /// Seed of what is random.
    pub seed: u64,
}

impl Size {
    /// Some seconds a scenario.
    pub const SHORT: Self = Self {
        agents: 4,
        events: 12,
        seed: 1,
    };
}

/// Result of a scenario.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    /// Times that harm was done: kills, stops, floods.
    pub harm: u64,
    /// Events that were handed over and acknowledged.
    pub sent: u64,
    /// Acknowledged events that no ledger holds.
    pub lost: u64,
    /// Events that ledgers hold more than once.
    pub twice: u64,
    /// Longest time that a hook took.
    pub slowest: Duration,
    /// Other faults.
    pub faults: Vec<String>,
    /// Figures of this scenario.
    pub notes: String,
}

impl Outcome {
    /// Fails the test when a promise was broken.
    #[track_caller]
    pub fn holds(&self) {
        assert!(self.is_good(), "{self:#?}");
    }

    /// Returns true if all promises were kept.
    pub fn is_good(&self) -> bool {
        self.lost == 0 && self.twice == 0 && self.faults.is_empty()
    }
}

/// A generator of numbers that are the same for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next_u64() % end
    }

    /// A time of up to so many milliseconds.
    pub fn pause(&mut self, most_ms: u64) -> Duration {
        Duration::from_micros(self.below(most_ms * 1_000 + 1))
    }
}

/// Agents that send events and note which were acknowledged.
#[derive(Debug)]
pub struct Load<'e> {
    env: &'e TestEnv,
    repository: PathBuf,
    /// Marks of acknowledged events, by session.
    acknowledged: std::sync::Mutex<BTreeMap<String, Vec<String>>>,
    slowest_us: AtomicU64,
}

impl<'e> Load<'e> {
    /// No event yet.
    pub fn new(env: &'e TestEnv, repository: &Path) -> Self {
        Self {
            env,
            repository: repository.to_owned(),
            acknowledged: std::sync::Mutex::default(),
            slowest_us: AtomicU64::new(0),
        }
    }

    /// The event number `n` of a session, and the mark by which its row is found: prompts, edits,
    /// commands and ends of turns take turns.
    pub fn event(&self, session: &str, n: usize) -> (Value, String) {
        let mark = format!("mark-{session}-{n}-end");
        let of = |event: &str, more: Value| payload(&self.repository, session, event, more);
        let payload = match n % 4 {
            0 => of(
                "UserPromptSubmit",
                json!({ "prompt": format!("fix {mark}") }),
            ),
            1 => of(
                "PostToolUse",
                json!({
                    "tool_name": "Write", "tool_use_id": mark, "tool_response": {},
                    "tool_input": { "file_path": self.repository.join("calc.py"), "content": "x" },
                }),
            ),
            2 => of(
                "PostToolUse",
                json!({
                    "tool_name": "Bash", "tool_use_id": mark, "tool_input": { "command": "ls" },
                    "tool_response": { "stdout": "", "stderr": "", "interrupted": false },
                }),
            ),
            _ => of(
                "Stop",
                json!({ "last_assistant_message": format!("did {mark}") }),
            ),
        };
        (payload, mark)
    }

    /// Sends an event and waits for the hook's end; whether it ended well.
    pub fn send(&self, payload: &Value) -> bool {
        let started = Instant::now();
        let run = self.env.hook(&self.repository, payload);
        let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.slowest_us.fetch_max(took, Ordering::Relaxed);
        run.status == 0
    }

    /// Sends all events of a session, one after another.
    pub fn session(&self, session: &str, events: usize) {
        for n in 0..events {
            let (payload, mark) = self.event(session, n);
            if self.send(&payload) {
                self.acknowledge(session, mark);
            }
        }
    }

    /// Notes that an event was acknowledged.
    pub fn acknowledge(&self, session: &str, mark: String) {
        let mut all = self.acknowledged.lock().unwrap();
        all.entry(session.to_owned()).or_default().push(mark);
    }

    /// All agents at once, while `harm` is done again and again until they are ready; how often it was.
    pub fn under(&self, size: Size, mut harm: impl FnMut(&mut Random) -> bool) -> u64 {
        let done = AtomicBool::new(false);
        let mut random = Random(size.seed);
        std::thread::scope(|scope| {
            let agents: Vec<_> = (0..size.agents)
                .map(|agent| {
                    scope.spawn(move || self.session(&format!("agent{agent}"), size.events))
                })
                .collect();
            let done = &done;
            scope.spawn(move || {
                for agent in agents {
                    agent.join().unwrap();
                }
                done.store(true, Ordering::Relaxed);
            });
            let mut times = 0;
            while !done.load(Ordering::Relaxed) {
                times += u64::from(harm(&mut random));
            }
            times
        })
    }

    /// Lets a daemon take in what waits, and compares.
    pub fn compare(&self, harm: u64) -> Outcome {
        let mut outcome = Outcome {
            harm,
            slowest: Duration::from_micros(self.slowest_us.load(Ordering::Relaxed)),
            ..Outcome::default()
        };
        let _daemon = (!self.env.is_served()).then(|| self.env.daemon());
        wait_long_until("what waits is taken in", || {
            self.env.rpc("spool.drain", &json!({}));
            self.env.status().spool_waiting == 0
        });
        for (session, marks) in self.acknowledged.lock().unwrap().iter() {
            let ledger = self.ledger(session);
            for mark in marks {
                outcome.sent += 1;
                match ledger.matches(mark.as_str()).count() {
                    0 => outcome.lost += 1,
                    1 => {}
                    _ => outcome.twice += 1,
                }
            }
        }
        let lost = self.env.status().hooks_lost;
        if lost > 0 {
            outcome
                .faults
                .push(format!("{lost} hooks are said to be lost"));
        }
        outcome
    }

    /// Rows of a session that record events, wherever they are.
    fn ledger(&self, session: &str) -> String {
        let file = self
            .repository
            .join(format!(".aictx/sessions/{session}.jsonl"));
        let text = fs::read_to_string(file).unwrap_or_default();
        let records = |line: &&str| {
            let row: Value = serde_json::from_str(line).unwrap_or_default();
            let kinds = ["prompt", "edit", "command", "stop"];
            kinds.iter().any(|kind| row["kind"] == *kind)
        };
        text.lines().filter(records).collect::<Vec<_>>().join("\n")
    }
}

impl TestEnv {
    /// Returns true if a daemon answers on the socket.
    pub fn is_served(&self) -> bool {
        self.aictx(self.path(), &["daemon", "status"]).status == 0
    }

    /// Process of the daemon that holds the lock now.
    pub fn daemon_pid(&self) -> Option<Pid> {
        let text = fs::read_to_string(self.socket().with_extension("lock")).ok()?;
        Pid::from_raw(text.split(' ').next()?.parse().ok()?)
    }

    /// Sends a signal to the daemon, if there is one.
    pub fn signal_daemon(&self, signal: Signal) -> bool {
        self.daemon_pid()
            .is_some_and(|pid| kill_process(pid, signal).is_ok())
    }

    /// Starts a hook with this payload and gives the process.
    pub fn hook_process(&self, directory: &Path, payload: &Value) -> std::process::Child {
        use std::io::Write;
        let mut child = self
            .command(program("aictx"))
            .args(["hook", "claude"])
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(payload.to_string().as_bytes());
        child
    }
}
