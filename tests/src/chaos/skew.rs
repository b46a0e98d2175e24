//! Programs and memories of different versions.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Outcome;
use crate::session::{before_command, prompt};
use crate::{TestEnv, program, wait_until};

/// Copies of both programs; the client speaks another protocol.
fn other_client(env: &TestEnv) -> Option<PathBuf> {
    let bin = env.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::copy(program("aictxd"), bin.join("aictxd")).unwrap();
    let mut bytes = fs::read(program("aictx")).unwrap();
    let own: &[u8] = br#""aictx":{"proto":1,"#;
    let mut found = 0;
    for at in 0..bytes.len().saturating_sub(own.len()) {
        if bytes[at..].starts_with(own) {
            bytes[at + own.len() - 2] = b'2';
            found += 1;
        }
    }
    let client = bin.join("aictx");
    fs::write(&client, bytes).unwrap();
    fs::set_permissions(
        &client,
        fs::metadata(program("aictx")).unwrap().permissions(),
    )
    .unwrap();
    (found > 0).then_some(client)
}

fn hook(
    env: &TestEnv,
    client: &Path,
    repository: &Path,
    payload: &serde_json::Value,
) -> crate::Run {
    let mut command = env.command(client);
    command.args(["hook", "claude"]).current_dir(repository);
    env.with_input(&mut command, payload.to_string().as_bytes())
}

/// A client of another protocol than the daemon's: a verdict all the same, and nothing lost.
pub fn protocol() -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let client = other_client(&env).unwrap();
    let _daemon = env.daemon();
    let mut outcome = Outcome::default();
    let verdict = hook(
        &env,
        &client,
        &repository,
        &before_command(&repository, "s", "rm -rf ~"),
    );
    if !verdict.stdout.contains("deny") {
        outcome.faults.push(format!("no verdict: {verdict:?}"));
    }
    hook(
        &env,
        &client,
        &repository,
        &prompt(&repository, "s", "fix mark-1-end"),
    );
    outcome.sent = 1;
    wait_until("the event is recorded", || {
        env.rpc("spool.drain", &json!({}));
        env.status().spool_waiting == 0
    });
    let ledger = fs::read_to_string(repository.join(".aictx/sessions/s.jsonl"));
    match ledger.unwrap_or_default().matches("mark-1-end").count() {
        0 => outcome.lost = 1,
        1 => {}
        _ => outcome.twice = 1,
    }
    outcome
}

/// A memory of a newer format: a verdict, and the events wait for the program that knows it.
pub fn format() -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let format = repository.join(".aictx/format.json");
    let known = fs::read_to_string(&format).unwrap();
    fs::write(&format, known.replace("\"version\": 1", "\"version\": 99")).unwrap();
    assert!(fs::read_to_string(&format).unwrap().contains("99"));
    let daemon = env.daemon();
    let mut outcome = Outcome::default();
    let verdict = env.hook(&repository, &before_command(&repository, "s", "rm -rf ~"));
    if !verdict.stdout.contains("deny") {
        outcome.faults.push(format!("no verdict: {verdict:?}"));
    }
    let _ = env.hook(&repository, &prompt(&repository, "s", "fix mark-1-end"));
    outcome.sent = 1;
    if env.status().spool_waiting == 0 {
        outcome.faults.push("the event does not wait".to_owned());
    }
    drop(daemon);
    // The program that knows the format comes.
    fs::write(&format, known).unwrap();
    let _daemon = env.daemon();
    wait_until("the event is recorded", || {
        env.rpc("spool.drain", &json!({}));
        env.status().spool_waiting == 0
    });
    let ledger = fs::read_to_string(repository.join(".aictx/sessions/s.jsonl"));
    outcome.lost = u64::from(!ledger.unwrap_or_default().contains("mark-1-end"));
    outcome
}

/// A daemon whose program was replaced makes room for the next one at the first contact.
pub fn replaced_program() -> Outcome {
    let mut env = TestEnv::new();
    let repository = env.repository("demo");
    let bin = env.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["aictx", "aictxd"] {
        fs::copy(program(name), bin.join(name)).unwrap();
    }
    env.set("AICTX_DAEMON", &bin.join("aictxd").to_string_lossy());
    env.aictx(&repository, &["daemon", "start"]).ok();
    let before = env.daemon_pid();
    fs::copy(program("aictxd"), bin.join("next")).unwrap();
    fs::rename(bin.join("next"), bin.join("aictxd")).unwrap();
    let _ = env.hook(&repository, &prompt(&repository, "s", "fix mark-1-end"));
    wait_until("another daemon serves", || {
        let _ = env.hook(&repository, &prompt(&repository, "s", "go on"));
        env.is_served() && env.daemon_pid() != before
    });
    let ledger = fs::read_to_string(repository.join(".aictx/sessions/s.jsonl"));
    let outcome = Outcome {
        harm: 1,
        sent: 1,
        lost: u64::from(!ledger.unwrap_or_default().contains("mark-1-end")),
        ..Outcome::default()
    };
    env.stop_daemon();
    outcome
}
