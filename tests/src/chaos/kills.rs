//! Processes that are killed or stopped while events are under way.

use std::time::Duration;

use rustix::process::Signal;

use super::{Load, Outcome, Size};
use crate::TestEnv;

/// Kills the daemon again and again; clients start the next one.
pub fn daemon(size: Size) -> Outcome {
    let mut env = TestEnv::new();
    env.set("AICTX_HOOK_TIMEOUT_MS", "2000");
    let repository = env.repository("demo");
    let load = Load::new(&env, &repository);
    let kills = load.under(size, |random| {
        std::thread::sleep(random.pause(120));
        env.signal_daemon(Signal::KILL)
    });
    load.compare(kills)
}

/// Stops the daemon and lets it go on, again and again: it is late, and does not know.
pub fn stops(size: Size) -> Outcome {
    let mut env = TestEnv::new();
    env.set("AICTX_HOOK_TIMEOUT_MS", "150");
    let repository = env.repository("demo");
    let _daemon = env.daemon();
    let load = Load::new(&env, &repository);
    let stops = load.under(size, |random| {
        let stopped = env.signal_daemon(Signal::STOP);
        std::thread::sleep(random.pause(400));
        env.signal_daemon(Signal::CONT);
        std::thread::sleep(random.pause(200));
        stopped
    });
    let mut outcome = load.compare(stops);
    // The answer's deadline, a process that judges instead, and what a busy machine adds.
    if outcome.slowest > Duration::from_secs(3) {
        let slowest = outcome.slowest;
        outcome.faults.push(format!("a hook took {slowest:?}"));
    }
    outcome
}

/// Kills clients: what they acknowledged is there, what they did not is there at most once.
pub fn clients(size: Size) -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let _daemon = env.daemon();
    kill_clients(&env, &repository, size)
}

/// The same without a daemon: processes that serve one call do the work.
pub fn clients_without_daemon(size: Size) -> Outcome {
    let mut env = TestEnv::new();
    let repository = env.repository("demo");
    env.set("AICTX_NO_DAEMON", "1");
    kill_clients(&env, &repository, size)
}

fn kill_clients(env: &TestEnv, repository: &std::path::Path, size: Size) -> Outcome {
    let load = Load::new(env, repository);
    let kills = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for agent in 0..size.agents {
            let (load, kills) = (&load, &kills);
            scope.spawn(move || {
                let mut random = super::Random(size.seed + agent as u64);
                let session = format!("agent{agent}");
                for n in 0..size.events {
                    let (payload, mark) = load.event(&session, n);
                    let mut hook = env.hook_process(repository, &payload);
                    if n % 2 == 0 {
                        std::thread::sleep(random.pause(8));
                        let _ = hook.kill();
                        kills.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                    if hook.wait().is_ok_and(|status| status.success()) {
                        load.acknowledge(&session, mark);
                    }
                }
            });
        }
    });
    load.compare(kills.into_inner())
}
