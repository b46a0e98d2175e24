//! A repository that was moved is the same one: its memory, its live sessions, and what was installed
//! in it.

use std::fs;

use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

#[test]
fn a_moved_repository_is_the_same_one() {
    let env = TestEnv::new();
    let here = env.repository("demo");
    let there = here.with_file_name("elsewhere");
    if fs::metadata(&here).unwrap().created().is_err() {
        // This file system does not say by what a directory could be known again.
        return;
    }
    let daemon = env.daemon();
    let done = Play::claude(&env, &here, "done");
    done.start("startup");
    done.prompt("Add a subtraction to calc");
    done.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    done.hook("SessionEnd", json!({ "reason": "exit" }));
    let open = Play::claude(&env, &here, "open");
    open.start("startup");
    open.prompt("Add a multiplication to calc");

    fs::rename(&here, &there).unwrap();
    // A session goes on where its repository is now.
    let open = Play::claude(&env, &there, "open");
    open.edit("calc.py", "def mul(a, b):\n    return a * b\n");
    open.hook("SessionEnd", json!({ "reason": "exit" }));
    assert!(!here.exists(), "nothing is left behind");
    let log = || env.aictx(&there, &["log"]).ok().stdout;
    wait_until("both are in the log", || {
        log().contains("multiplication") && log().contains("subtraction")
    });
    let listed = || {
        let list = env.aictx(&there, &["repo", "list", "--json"]).ok().json();
        list["repositories"].clone()
    };
    assert_eq!(listed()[0]["repo_path"], json!(there));
    assert_eq!(listed()[1], Value::Null);

    // So it is when nobody ran while it was moved.
    drop(daemon);
    let third = there.with_file_name("third");
    fs::rename(&there, &third).unwrap();
    let _daemon = env.daemon();
    let next = Play::claude(&env, &third, "next");
    assert!(next.start("startup").contains("multiplication"));
    next.hook("SessionEnd", json!({ "reason": "exit" }));
    let reply = env.aictx(&third, &["clean", "--verify", "--json"]).ok();
    assert_eq!(reply.json()["warnings"], json!([]), "{}", reply.stdout);
    assert!(!third.join(".claude").exists(), "as it was before");
    let exclude = fs::read_to_string(third.join(".git/info/exclude")).unwrap();
    assert!(!exclude.contains("aictx"), "{exclude}");
}

#[test]
fn a_memory_outside_moves_with_its_repository() {
    let env = TestEnv::new();
    let here = env.plain_repository("demo");
    let there = here.with_file_name("elsewhere");
    if fs::metadata(&here).unwrap().created().is_err() {
        return;
    }
    let _daemon = env.daemon();
    env.aictx(&here, &["init", "--stealth"]).ok();
    let done = Play::claude(&env, &here, "done");
    done.start("startup");
    done.prompt("Add a subtraction to calc");
    done.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    done.hook("SessionEnd", json!({ "reason": "exit" }));
    fs::rename(&here, &there).unwrap();
    let next = Play::claude(&env, &there, "next");
    assert!(next.start("startup").contains("subtraction"));
    assert!(!there.join(".aictx").exists() && !here.exists());
}
