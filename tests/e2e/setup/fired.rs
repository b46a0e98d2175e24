//! Hooks that fire: the probe, and events that are told at two levels.

use std::path::Path;

use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

use super::tree;

#[test]
fn the_probe_says_what_fired_and_what_was_heeded() {
    let env = TestEnv::new();
    let dir = env.path().to_owned();
    let first = env
        .aictx(&dir, &["hook", "probe", "claude", "--json"])
        .ok()
        .json();
    assert_eq!(first["context_accepted"], Value::Null);
    let repo = Path::new(first["repo"].as_str().unwrap()).to_owned();
    let word = first["word"].as_str().unwrap();
    // An agent that listens, played by hand.
    let say = |event: &str, more: Value| {
        use aictx_tests::session::payload;
        env.hook(&repo, &payload(&repo, "probe-1", event, more))
            .ok()
            .stdout
    };
    let told = say("SessionStart", json!({ "source": "startup" }));
    assert!(told.contains(word), "{told}");
    let asked = say(
        "PreToolUse",
        json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "git reset --hard HEAD"}}),
    );
    assert!(
        asked.contains("\"ask\"") || asked.contains("\"deny\""),
        "{asked}"
    );
    say(
        "Stop",
        json!({ "last_assistant_message": format!("It is {word}.") }),
    );
    say("SessionEnd", json!({ "reason": "other" }));
    let mut found = Value::Null;
    wait_until("the verdict is recorded", || {
        found = env
            .aictx(&dir, &["hook", "probe", "claude", "--json"])
            .ok()
            .json();
        found["refusal_accepted"] == true
    });
    assert_eq!(found["context_accepted"], true, "{found}");
    let fired = found["fired"].as_array().unwrap();
    let of = |name: &str| fired.iter().find(|f| f["event"] == name).unwrap()["times"].clone();
    assert_eq!(
        (of("session start"), of("session end")),
        (json!(1), json!(1)),
        "{found}"
    );
    assert_eq!(of("after a tool"), 0);
}

#[test]
fn a_dry_run_of_init_writes_nothing() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let before = tree(&repo);
    let reply = env
        .aictx(
            &repo,
            &["init", "--agents", "claude", "--dry-run", "--json"],
        )
        .ok()
        .json();
    assert_eq!(reply["dry_run"], true);
    assert_eq!(reply["registered"], false);
    assert_eq!(tree(&repo), before);
    assert!(!repo.join(".aictx").exists());
    let path = program("aictx");
    let files = reply["files"].as_array().unwrap();
    let diff = files
        .iter()
        .filter_map(|f| f["diff"].as_str())
        .collect::<String>();
    assert!(diff.contains(path.to_str().unwrap()), "{reply}");
}

#[test]
fn hooks_for_the_user_and_for_everybody_tell_one_happening_once() {
    use aictx_tests::session::{before_command, payload, prompt, start};
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "claude", "--shared"])
        .ok();
    // It was started by `init`.
    assert!(env.status().pid > 0);
    let twice = |event: Value| {
        (
            env.hook(&repo, &event).ok().stdout,
            env.hook(&repo, &event).ok().stdout,
        )
    };
    let (first, second) = twice(start(&repo, "s", "startup"));
    assert!(!first.is_empty() && second.is_empty(), "{second}");
    twice(prompt(&repo, "s", "do it"));
    let (first, second) = twice(before_command(&repo, "s", "rm -rf /"));
    // Neither is silent about a danger; one of them is recorded.
    assert!(
        first.contains("deny") && second.contains("deny"),
        "{second}"
    );
    let done = payload(
        &repo,
        "s",
        "Stop",
        json!({ "last_assistant_message": "done" }),
    );
    twice(done);
    wait_until("the verdict is recorded", || {
        env.rows(&repo, "sessions/s.jsonl")
            .iter()
            .any(|row| row["verdict"] == "deny")
    });
    let rows = env.rows(&repo, "sessions/s.jsonl");
    for kind in ["session_start", "prompt", "tool_intent", "stop"] {
        let of_kind = rows.iter().filter(|row| row["kind"] == kind).count();
        assert_eq!(of_kind, 1, "{kind}: {rows:?}");
    }
    // Without shared hooks two equal events are two.
    let other = env.repository("other");
    for _ in 0..2 {
        let answer = env
            .hook(&other, &before_command(&other, "o", "rm -rf /"))
            .ok()
            .stdout;
        assert!(answer.contains("deny"));
    }
}

/// A container and its host, or a home that was lost: what one of them has set up stays hidden when the other does it.
#[test]
fn another_home_sets_up_the_same_repository_and_git_sees_nothing() {
    let (host, container) = (TestEnv::new(), TestEnv::new());
    let repo = host.plain_repository("demo");
    for env in [&host, &container, &host] {
        env.aictx(&repo, &["init"]).ok();
        assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    }
    // What is gone is not hidden for ever.
    std::fs::remove_file(repo.join(".claude/settings.local.json")).unwrap();
    container.aictx(&repo, &["init", "--agents", "none"]).ok();
    let hidden = std::fs::read_to_string(repo.join(".git/info/exclude")).unwrap();
    assert!(!hidden.contains("settings.local.json"), "{hidden}");
}
