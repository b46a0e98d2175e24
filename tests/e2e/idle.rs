//! A daemon with nothing to do does nothing.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use aictx_tests::session::{edited, end, start};
use aictx_tests::{Daemon, TestEnv, wait_until};

/// Activity of a process so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Activity {
    /// CPU time in clock ticks (10 ms).
    ticks: u64,
    /// Times that one of its threads went to sleep by itself: each is a wake-up before.
    wakeups: u64,
}

fn activity(daemon: &Daemon) -> Activity {
    let process = format!("/proc/{}", daemon.pid());
    let stat = fs::read_to_string(format!("{process}/stat")).unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    let wakeups = fs::read_dir(format!("{process}/task"))
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.unwrap().path().join("status")).ok())
        .map(|status| {
            let line = status
                .lines()
                .find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
            line.unwrap().trim().parse::<u64>().unwrap()
        })
        .sum();
    Activity { ticks, wakeups }
}

/// A daemon that has had some work and has come to rest after it.
fn at_rest(env: &TestEnv) -> Daemon {
    let repo = env.repository("demo");
    let daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    env.hook(&repo, &end(&repo, "s")).ok();
    wait_until("the repository is watched", || {
        env.status().repositories[0].watch.mode == "native"
    });
    // Threads that were needed once are given back after five seconds; then nothing is left to
    // end.
    wait_until("threads that were lent are given back", || {
        fs::read_dir(format!("/proc/{}/task", daemon.pid()))
            .unwrap()
            .filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok())
            .all(|name| !name.starts_with("tokio"))
    });
    daemon
}

/// Watches the daemon do nothing for `time`; gives what it did.
fn rest(daemon: &Daemon, time: Duration) -> Activity {
    let before = activity(daemon);
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        thread::park_timeout(left);
    }
    let after = activity(daemon);
    Activity {
        ticks: after.ticks - before.ticks,
        wakeups: after.wakeups - before.wakeups,
    }
}

#[test]
fn twenty_idle_seconds_cost_nothing() {
    let env = TestEnv::new();
    let daemon = at_rest(&env);
    let did = rest(&daemon, Duration::from_secs(20));
    println!("{did:?} in 20 s");
    // The look around once a minute may fall into these seconds: it wakes the two or three threads
    // that it needs. Anything periodic would be there twenty times.
    assert!(did.wakeups <= 12, "{did:?}");
    assert!(did.ticks <= 3, "{did:?}");
}

/// The bar itself, in a development build: `cargo nextest run -p aictx-tests --run-ignored all idle`.
#[test]
#[ignore = "takes ten minutes"]
fn ten_idle_minutes_cost_less_than_fifty_milliseconds() {
    let env = TestEnv::new();
    let daemon = at_rest(&env);
    let did = rest(&daemon, Duration::from_secs(600));
    println!("{did:?} in 600 s");
    assert!(did.ticks <= 5, "{did:?}");
    assert!(did.wakeups <= 10 * 12, "{did:?}");
}
