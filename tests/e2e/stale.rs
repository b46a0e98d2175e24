//! A file is not as a session knows it: who changed it, and when; and what is no news.

use std::fs;
use std::process::Command;

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::json;

use crate::rules::before_edit;

#[test]
fn a_file_that_somebody_else_edited_is_said_once_and_stops_nobody() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let bob = Play::claude(&env, &repo, "bob");
    ann.start("startup");
    bob.start("startup");
    ann.prompt("Fix add");
    ann.read("calc.py");
    bob.read("calc.py");
    bob.edit("calc.py", "def add(a, b):\n    return a + b\n");
    let (decision, _, note) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "");
    assert!(
        note.contains("another live session (claude, bob)"),
        "{note}"
    );
    // Its own edits are nothing to warn of.
    let (_, _, note) = before_edit(&bob, &repo, "calc.py");
    assert_eq!(note, "");

    let who = env.aictx(&repo, &["who", "--json"]).ok().json();
    let at_work = who["sessions"].as_array().unwrap();
    let ann = at_work.iter().find(|s| s["session_id"] == "ann").unwrap();
    assert_eq!(ann["request"], "Fix add");
    let bob = at_work.iter().find(|s| s["session_id"] == "bob").unwrap();
    assert_eq!(bob["files"], json!(["calc.py"]));
}

#[test]
fn a_file_that_changed_since_it_was_read_is_said_on_the_command_line_too() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Fix add");
    ann.read("calc.py");
    let asked = [
        "guard",
        "--action",
        "edit",
        "--paths",
        "calc.py",
        "--session-id",
        "ann",
        "--json",
    ];
    let told = || env.aictx(&repo, &asked).ok().json()["warnings"].to_string();
    assert!(!told().contains("changed_since_read"));
    fs::write(
        repo.join("calc.py"),
        "def add(a, b):\n    return a + b + 0\n",
    )
    .unwrap();
    let warnings = told();
    assert!(warnings.contains("changed_since_read"), "{warnings}");
    ann.read("calc.py");
    assert!(!told().contains("changed_since_read"));
}

fn note(play: &Play<'_>, repo: &std::path::Path, file: &str) -> String {
    before_edit(play, repo, file).2
}

/// A command of a session, for real, with both hooks.
fn runs(who: &Play<'_>, repo: &std::path::Path, command: &str) {
    let before = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": aictx_tests::call_id() });
    who.hook("PreToolUse", before);
    let ran = Command::new("sh")
        .args(["-c", command])
        .current_dir(repo)
        .status();
    match ran.unwrap().success() {
        true => who.passes(command, ""),
        false => drop(who.fails(command, "")),
    }
}

#[test]
fn who_changed_a_file_is_known_when_its_session_has_ended_and_when_a_command_did_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let (ann, bob) = (
        Play::claude(&env, &repo, "ann"),
        Play::claude(&env, &repo, "bob"),
    );
    for who in [&ann, &bob] {
        who.start("startup");
        who.prompt("Fix add");
        who.read("calc.py");
    }
    bob.edit("calc.py", "def add(a, b):\n    return b + a\n");
    bob.end();
    let said = note(&ann, &repo, "calc.py");
    assert!(
        said.contains("by a session that has ended (claude, bob)"),
        "{said}"
    );
    assert!(said.contains("just now"), "{said}");

    let cid = Play::claude(&env, &repo, "cid");
    cid.start("startup");
    ann.read("calc.py");
    assert_eq!(note(&ann, &repo, "calc.py"), "");
    runs(&cid, &repo, "sed -i 's/b + a/a + b/' *.py");
    let said = note(&ann, &repo, "calc.py");
    assert!(said.contains("(claude, cid)"), "{said}");
    // Whoever has read it again and goes on editing is not told again.
    ann.read("calc.py");
    assert_eq!(note(&ann, &repo, "calc.py"), "");
    ann.edit("calc.py", "def add(a, b):\n    return sum((a, b))\n");
    assert_eq!(note(&ann, &repo, "calc.py"), "");
}

#[test]
fn what_the_session_did_itself_and_what_is_the_same_again_is_no_news() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Fix add");
    ann.read("calc.py");
    // A formatter that says by its status that it changed something.
    runs(&ann, &repo, "sed -i 's/a + b/b + a/' calc.py; false");
    assert_eq!(note(&ann, &repo, "calc.py"), "");
    let text = fs::read(repo.join("calc.py")).unwrap();
    ann.read("calc.py");
    fs::write(repo.join("calc.py"), "x").unwrap();
    fs::write(repo.join("calc.py"), text).unwrap();
    assert_eq!(note(&ann, &repo, "calc.py"), "");
    // Read in the shell, and changed by somebody's editor.
    runs(&ann, &repo, "cat calc.py");
    fs::write(
        repo.join("calc.py"),
        "def add(*all):\n    return sum(all)\n",
    )
    .unwrap();
    let said = note(&ann, &repo, "calc.py");
    assert!(said.contains("outside of recorded sessions"), "{said}");
}

#[test]
fn a_policy_about_edits_beside_each_other_stops_nobody_who_is_alone() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let policy = env.path().join("home/.config/aictx/policy.toml");
    fs::create_dir_all(policy.parent().unwrap()).unwrap();
    fs::write(&policy, "parallel_edits = \"deny\"\n").unwrap();
    let (ann, bob) = (
        Play::claude(&env, &repo, "ann"),
        Play::claude(&env, &repo, "bob"),
    );
    ann.start("startup");
    ann.prompt("Fix add");
    ann.read("calc.py");
    fs::write(
        repo.join("calc.py"),
        "def add(*all):\n    return sum(all)\n",
    )
    .unwrap();
    let (decision, _, said) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "", "{said}");
    assert!(said.contains("outside of recorded sessions"), "{said}");
    bob.start("startup");
    bob.edit("calc.py", "def add(a, b):\n    return a + b\n");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");
    bob.end();
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "");
}
