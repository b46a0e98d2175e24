//! A daemon that does not answer, and places that cannot be used: what must not happen is stopped all the same.

use std::fs;

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::{Value, json};

/// The decision before a command.
fn before(who: &Play<'_>, command: &str) -> String {
    let input = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": aictx_tests::call_id() });
    decision(&who.hook("PreToolUse", input).stdout)
}

fn decision(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let decision = &answer["hookSpecificOutput"]["permissionDecision"];
    decision.as_str().unwrap_or_default().to_owned()
}

fn signal(pid: u32, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([&format!("-{name}"), &pid.to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
fn a_daemon_that_hangs_lets_nothing_through_that_it_would_have_stopped() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let asked = |env: &TestEnv| {
        let ann = Play::claude(env, &repo, "ann");
        let edit = super::rules::before_edit(&ann, &repo, "calc.py").0;
        [before(&ann, "rm -rf ~"), edit, before(&ann, "ls")]
    };
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Add paging. Don't touch calc.py.");
    let answered = asked(&env);
    assert_eq!(answered, ["deny", "deny", ""]);
    // Long enough for a process to start on a busy machine.
    env.set("AICTX_HOOK_TIMEOUT_MS", "1500");
    signal(daemon.pid(), "STOP");
    let hung = asked(&env);
    signal(daemon.pid(), "CONT");
    assert_eq!(hung, answered);
}

#[test]
fn without_a_place_for_the_daemon_the_call_itself_is_judged() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let ann = "ann";
    {
        let ann = Play::claude(&env, &repo, ann);
        ann.start("startup");
        assert_eq!(before(&ann, "rm -rf ~"), "deny");
    }
    env.stop_daemon();
    let file = env.path().join("no-directory");
    fs::write(&file, "").unwrap();
    env.set("XDG_STATE_HOME", &file.to_string_lossy());
    let ann = Play::claude(&env, &repo, ann);
    assert_eq!(before(&ann, "rm -rf ~"), "deny");
    assert_eq!(before(&ann, "cargo test"), "");
}

#[test]
fn a_repository_whose_memory_was_replaced_is_guarded() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    daemon.stop();
    fs::remove_dir_all(repo.join(".aictx")).unwrap();
    fs::write(repo.join(".aictx"), "").unwrap();
    let _daemon = env.daemon();
    assert_eq!(before(&ann, "rm -rf ~"), "deny");
    assert_eq!(before(&ann, "git status"), "");
}
