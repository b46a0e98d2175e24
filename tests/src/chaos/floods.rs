//! Connections without end, and lines without one.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Load, Outcome, Size};
use crate::TestEnv;
use crate::session::before_command;

/// Hooks under this take no notice of a flood, on a busy machine and with debug builds.
const UNNOTICED: Duration = Duration::from_secs(2);

/// More idle connections than are served, opened again as they are closed.
pub fn idle_connections(size: Size) -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let _daemon = env.daemon();
    let load = Load::new(&env, &repository);
    let mut held: Vec<UnixStream> = Vec::new();
    let times = load.under(size, |random| {
        if held.len() > 600 {
            held.drain(..300);
        }
        held.extend(UnixStream::connect(env.socket()));
        if random.below(50) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    });
    let mut outcome = load.compare(times);
    if outcome.slowest > UNNOTICED {
        let slowest = outcome.slowest;
        outcome.faults.push(format!("a hook took {slowest:?}"));
    }
    outcome
}

/// Many connections that each hold almost the longest line: memory stays bounded, and hooks are
/// answered.
pub fn half_lines(connections: usize) -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let _daemon = env.daemon();
    let before = env.status().rss_bytes;
    let line = vec![b' '; 15 * 1024 * 1024];
    let mut held = Vec::new();
    for _ in 0..connections {
        let mut stream = UnixStream::connect(env.socket()).unwrap();
        stream
            .set_write_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        // It may be closed to make room.
        let _ = stream.write_all(&line);
        held.push(stream);
    }
    let started = Instant::now();
    let verdict = env.hook(&repository, &before_command(&repository, "s", "rm -rf ~"));
    let took = started.elapsed();
    let grown = env.status().rss_bytes.saturating_sub(before);
    let mut outcome = Outcome {
        harm: connections as u64,
        slowest: took,
        notes: format!("grew by {} MiB", grown / (1024 * 1024)),
        ..Outcome::default()
    };
    if !verdict.stdout.contains("deny") {
        outcome.faults.push(format!("no verdict: {verdict:?}"));
    }
    if took > UNNOTICED {
        outcome.faults.push(format!("a hook took {took:?}"));
    }
    if grown > 256 * 1024 * 1024 {
        outcome.faults.push(outcome.notes.clone());
    }
    drop(held);
    env.rpc("hello", &json!({}));
    outcome
}
