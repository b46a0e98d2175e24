//! A session that meets a restart, a kill, a second process, a read-only disk: nothing observed is
//! lost, nothing is finalized twice.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use aictx_tests::play::Agent;
use aictx_tests::session::{after_command, edited, end, failed_command, payload, prompt, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn executions(env: &TestEnv, repo: &Path) -> Vec<Value> {
    env.rows(repo, "metrics/execution_logs.jsonl")
}

fn count(env: &TestEnv, repo: &Path, session: &str, kind: &str) -> usize {
    let rows = env.rows(repo, &format!("sessions/{session}.jsonl"));
    rows.iter().filter(|r| r["kind"] == kind).count()
}

#[test]
fn a_live_session_survives_a_restart_and_is_finalized_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let first = env.daemon();
    let mut agent = Agent::new(&env, &repo);
    agent.say(&start(&repo, "s", "startup"));
    agent.say(&prompt(&repo, "s", "fix add"));
    agent.say(&edited(&repo, "s", "a.py"));
    assert_eq!(first.stop(), 0);
    let _next = env.daemon();
    agent.say(&edited(&repo, "s", "b.py"));
    assert!(executions(&env, &repo).is_empty(), "it lives");
    agent.say(&end(&repo, "s"));
    wait_until("it is finalized", || !executions(&env, &repo).is_empty());
    assert_eq!(
        executions(&env, &repo)[0]["files_edited"],
        json!(["a.py", "b.py"])
    );
    agent.kill();
    wait_until("the ledger says so", || {
        count(&env, &repo, "s", "finalized") > 0
    });
    assert_eq!(executions(&env, &repo).len(), 1);
    assert_eq!(count(&env, &repo, "s", "session_start"), 1);
}

#[test]
fn an_agent_that_is_started_again_at_once_keeps_its_session() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon_with(&[("AICTXD_SESSION_GRACE_MS", "2000")]);
    let mut agent = Agent::new(&env, &repo);
    agent.say(&start(&repo, "s", "startup"));
    agent.say(&prompt(&repo, "s", "fix add"));
    agent.say(&edited(&repo, "s", "a.py"));
    agent.kill();
    let mut agent = Agent::new(&env, &repo);
    agent.say(&start(&repo, "s", "resume"));
    // Longer than the grace period, which leaves a busy machine time to start an agent: it thinks.
    std::thread::park_timeout(std::time::Duration::from_millis(2600));
    assert!(executions(&env, &repo).is_empty(), "its agent is there");
    agent.say(&edited(&repo, "s", "b.py"));
    agent.kill();
    wait_until("it is finalized", || !executions(&env, &repo).is_empty());
    assert_eq!(
        executions(&env, &repo)[0]["files_edited"],
        json!(["a.py", "b.py"])
    );
}

#[test]
fn what_waits_in_the_spool_belongs_to_the_session_that_ends() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "s", "fix add")).ok();
    env.set("AICTX_NO_DAEMON", "1");
    env.set("AICTX_SOCKET", "/nowhere/sock");
    for n in 0..20 {
        env.hook(&repo, &edited(&repo, "s", &format!("f{n}.py")))
            .ok();
    }
    env.unset("AICTX_SOCKET");
    env.unset("AICTX_NO_DAEMON");
    env.hook(&repo, &end(&repo, "s")).ok();
    let rows = executions(&env, &repo);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["files_edited"].as_array().unwrap().len(), 20);
}

#[test]
fn two_drains_at_once_do_not_stop_the_daemon() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.set("AICTX_NO_DAEMON", "1");
    env.set("AICTX_SOCKET", "/nowhere/sock");
    for n in 0..30 {
        let session = format!("s{n}");
        env.hook(&repo, &edited(&repo, &session, "a.py")).ok();
    }
    // Ends in the spool as well: taking them in waits for commits.
    for n in 0..30 {
        let params = json!({
            "runner": "claude", "pid": 1, "spooled_at": 1, "payload": end(&repo, &format!("s{n}")),
        });
        env.spool(u64::MAX - 100 + n, &params);
    }
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| env.rpc("spool.drain", &json!({})));
        }
    });
    wait_until("all is taken in", || env.status().spool_waiting == 0);
    assert_eq!(aictx_tests::memory::executions(&repo).len(), 30);
}

#[test]
fn an_event_in_the_hands_of_a_dying_daemon_is_handed_over_again() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let runtime = env.path().join("run/aictx/v1");
    fs::create_dir_all(&runtime).unwrap();
    for dir in [runtime.parent().unwrap(), &runtime] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let listener = UnixListener::bind(runtime.join("sock")).unwrap();
    let dying = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut some = [0; 10];
        let _ = std::io::Read::read(&mut stream, &mut some);
    });
    env.set("AICTX_NO_DAEMON", "1");
    env.hook(&repo, &edited(&repo, "s", "a.py")).ok();
    dying.join().unwrap();
    env.once("spool.drain", &json!({})).ok();
    assert_eq!(count(&env, &repo, "s", "edit"), 1);
}

#[test]
fn a_repository_that_cannot_be_written_still_tells_what_it_remembers() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for event in [
        prompt(&repo, "s", "fix add"),
        edited(&repo, "s", "a.py"),
        end(&repo, "s"),
    ] {
        env.hook(&repo, &event).ok();
    }
    // A file in the place of the directory that every commit needs first.
    let journal = repo.join(".aictx/journal");
    let _ = fs::remove_dir_all(&journal);
    fs::write(&journal, "").unwrap();
    let next = env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    assert!(next.stdout.contains("Last handoff"), "{next:?}");
}

#[test]
fn sessions_side_by_side_in_worktrees_and_directories_stay_apart() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let linked = env.path().join("linked");
    env.git(&repo, &["worktree", "add", "-q", &linked.to_string_lossy()]);
    let linked = fs::canonicalize(linked).unwrap();
    fs::create_dir(repo.join("src")).unwrap();
    let below = |session: &str, event: &str, more: Value| {
        let mut payload = payload(&repo, session, event, more);
        payload["cwd"] = json!(repo.join("src"));
        payload
    };
    env.hook(
        &repo,
        &below("a", "SessionStart", json!({ "source": "startup" })),
    )
    .ok();
    env.hook(&linked, &start(&linked, "b", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "a", "one")).ok();
    env.hook(&linked, &prompt(&linked, "b", "two")).ok();
    let edit = json!({ "tool_name": "Edit", "tool_use_id": aictx_tests::call_id(),
        "tool_input": { "file_path": "inner.py" }, "tool_response": {} });
    env.hook(&repo, &below("a", "PostToolUse", edit)).ok();
    env.hook(&linked, &edited(&linked, "b", "other.py")).ok();
    env.hook(&repo, &end(&repo, "a")).ok();
    env.hook(&linked, &end(&linked, "b")).ok();
    let rows = executions(&env, &repo);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["files_edited"], json!(["src/inner.py"]));
    assert_eq!(rows[1]["files_edited"], json!(["other.py"]));
    let next = env.hook(&repo, &start(&repo, "c", "startup")).ok();
    assert!(next.stdout.contains("session #3"), "{next:?}");
    let next = env.hook(&repo, &prompt(&repo, "c", "continue")).ok();
    assert!(next.stdout.contains("Since then"), "{next:?}");
}

#[test]
fn a_narrower_test_run_does_not_clear_a_wider_failure() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let passed = "test result: ok. 3 passed; 0 failed; 0 ignored";
    let error = "Exit code 101\ntest a::b ... FAILED\n\nthread 'a::b' panicked at src/a.rs:1:1:\nboom\n\ntest result: FAILED. 2 passed; 1 failed";
    for event in [
        prompt(&repo, "s", "make it green"),
        failed_command(&repo, "s", "cargo test", error),
        after_command(&repo, "s", "cargo test -p x", passed),
        end(&repo, "s"),
    ] {
        env.hook(&repo, &event).ok();
    }
    assert_eq!(
        env.file(&repo, "continuity/handoff.json")["status"],
        "failed"
    );
    for event in [
        prompt(&repo, "s2", "again"),
        after_command(&repo, "s2", "cargo test", passed),
        end(&repo, "s2"),
    ] {
        env.hook(&repo, &event).ok();
    }
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert!(
        patterns.iter().all(|p| p["status"] == "resolved"),
        "{patterns:?}"
    );
}

#[test]
fn a_session_that_goes_to_another_worktree_is_followed() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let linked = env.path().join("linked");
    env.git(&repo, &["worktree", "add", "-q", &linked.to_string_lossy()]);
    let linked = fs::canonicalize(linked).unwrap();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "s", "one")).ok();
    env.hook(&repo, &edited(&repo, "s", "a.py")).ok();
    env.hook(&linked, &edited(&linked, "s", "b.py")).ok();
    env.hook(&linked, &end(&linked, "s")).ok();
    assert_eq!(
        executions(&env, &repo)[0]["files_edited"],
        json!(["a.py", "b.py"])
    );
}

#[test]
fn of_several_sessions_left_open_the_newest_is_the_last_handoff() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let mut agent = Agent::new(&env, &repo);
    for (session, file) in [("old", "old.py"), ("new", "new.py")] {
        agent.say(&prompt(&repo, session, "work"));
        agent.say(&edited(&repo, session, file));
        // Times in ledgers are whole seconds.
        std::thread::park_timeout(std::time::Duration::from_millis(1_100));
    }
    daemon.kill();
    agent.kill();
    let _next = env.daemon();
    wait_until("both are finalized", || {
        count(&env, &repo, "old", "finalized") + count(&env, &repo, "new", "finalized") == 2
    });
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(handoff["recommended_starting_points"], json!(["new.py"]));
}
