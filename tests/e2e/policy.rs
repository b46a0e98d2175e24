//! Whose word counts: policies, who may trust them, contracts, and the log of what was decided.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

use crate::rules::{before_command, before_edit};

/// Resumes a task as the session `c1`, and the file of the contract that this made.
fn contract_of_a_resume(env: &TestEnv, repo: &Path) -> PathBuf {
    let task = "Fix add in calc.py";
    let resumed = ["resume", "--task", task, "--session-id", "c1", "--json"];
    env.aictx(repo, &resumed).ok();
    fs::read_dir(repo.join(".aictx/continuity/contracts"))
        .unwrap()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name != "index.json"))
        .unwrap()
}

#[test]
fn files_elsewhere_are_asked_about_until_a_policy_says_what_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let elsewhere = std::path::Path::new("/opt/other/a.py");
    let (decision, reason, _) = before_edit(&ann, elsewhere, "");
    assert_eq!(decision, "ask");
    assert!(reason.contains("outside"), "{reason}");
    assert_eq!(before_command(&ann, "echo x > /etc/hosts"), "ask");
    assert_eq!(before_edit(&ann, &repo.join("calc.py"), "").0, "");
    // Another worktree of the same repository is no other place.
    env.git(&repo, &["worktree", "add", "--quiet", "../other"]);
    let linked = repo.parent().unwrap().join("other");
    assert_eq!(before_edit(&ann, &linked, "calc.py").0, "");
    assert_eq!(
        before_edit(&ann, &linked, ".aictx/continuity/handoff.json").0,
        "deny"
    );

    // A repository cannot allow it; its user can, and either can forbid it.
    let of_repository = repo.join(".aictx/policy.toml");
    let of_user = env.path().join("home/.config/aictx/policy.toml");
    let write = |file: &std::path::Path, say: &str| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("[effects]\noutside_repository = \"{say}\"\n")).unwrap();
    };
    write(&of_user, "deny");
    assert_eq!(before_edit(&ann, elsewhere, "").0, "deny");
    write(&of_repository, "allow");
    write(&of_user, "ask");
    assert_eq!(before_edit(&ann, elsewhere, "").0, "ask");
    write(&of_user, "allow");
    fs::remove_file(&of_repository).unwrap();
    assert!(before_edit(&ann, elsewhere, "").0.is_empty());
}

#[test]
fn a_budget_asks_when_it_is_spent_and_starts_anew_with_a_request() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::write(
        repo.join(".aictx/policy.toml"),
        "[budgets]\nfiles = 2\ndeletions = 1\nover = \"allow\"\n",
    )
    .unwrap();
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Split calc");
    // A repository cannot say that its own budgets do not count.
    assert_eq!(before_edit(&ann, &repo, "a.py").0, "");
    ann.edit("a.py", "a");
    ann.edit("b.py", "b");
    assert_eq!(before_edit(&ann, &repo, "a.py").0, "", "no new file");
    let (decision, reason, _) = before_edit(&ann, &repo, "c.py");
    assert_eq!(decision, "ask");
    assert!(reason.contains("budget of 2 files edited"), "{reason}");
    // The user agreed: it goes on for as much again.
    ann.edit("c.py", "c");
    assert_eq!(before_edit(&ann, &repo, "d.py").0, "");

    assert_eq!(before_command(&ann, "rm -rf build"), Value::Null);
    ann.passes("rm -rf build", "");
    assert_eq!(before_command(&ann, "ls"), Value::Null);
    assert_eq!(before_command(&ann, "rm -rf dist"), "ask");
    assert_eq!(before_command(&ann, "rm test_calc.py"), "ask");
    ann.prompt("And now the docs");
    assert_eq!(before_command(&ann, "rm -rf dist"), Value::Null);
    let answer = env.aictx(&repo, &["trust", "--json"]).ok().json();
    assert_eq!(answer["effective"]["budgets"]["files"], 2);
}

#[test]
fn a_repository_makes_rules_stricter_and_never_laxer_unless_it_is_trusted() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Clean up");
    assert_eq!(before_command(&ann, "git reset --hard"), "ask");
    assert_eq!(before_command(&ann, "npm install left-pad"), Value::Null);
    fs::write(
        repo.join(".aictx/policy.toml"),
        "[commands]\n\"git reset --hard\" = \"allow\"\n\"npm install*\" = \"deny\"\n[paths]\n\"calc.py\" = \"ask\"\n",
    )
    .unwrap();
    assert_eq!(before_command(&ann, "npm install left-pad"), "deny");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "ask");
    assert_eq!(before_command(&ann, "git reset --hard"), "ask");

    let shown = env.aictx(&repo, &["trust", "--json"]).ok().json();
    assert_eq!(shown["trusted"], false);
    assert_eq!(shown["diff"][1], "+\"git reset --hard\" = \"allow\"");
    let changes = json!(["commands.\"git reset --hard\": \"allow\""]);
    assert_eq!(shown["would_change"], changes);
    let hash = shown["hash"].as_str().unwrap();
    env.aictx(&repo, &["trust", "--hash", hash]).ok();
    assert!(before_command(&ann, "git reset --hard").is_null());
    // What destroys everything is nobody's to allow.
    assert_eq!(before_command(&ann, "rm -rf /"), "deny");

    wait_until("verdicts are recorded", || {
        let rows = env.rows(&repo, "metrics/verdicts.jsonl");
        rows.len() >= 5 && rows.iter().any(|row| row["subject"] == "rm -rf /")
    });
    let list = env
        .aictx(&repo, &["why", "--verdicts", "--json"])
        .ok()
        .json();
    let newest = &list["verdicts"][0];
    assert_eq!(
        (&newest["decision"], &newest["subject"]),
        (&json!("deny"), &json!("rm -rf /"))
    );
}

#[test]
fn a_slip_in_the_users_policy_is_told_and_drops_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let policy = env.path().join("home").join(".config/aictx/policy.toml");
    fs::create_dir_all(policy.parent().unwrap()).unwrap();
    fs::write(&policy, "[commands]\n\"npm install*\" = \"deny\"\n").unwrap();
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    assert_eq!(before_command(&ann, "npm install left-pad"), "deny");
    fs::write(&policy, "[commands]\n\"npm install*\" = deny\n").unwrap();
    let shown = env.aictx(&repo, &["trust", "--json"]).ok().json();
    assert!(shown["problem"].as_str().unwrap().contains("policy.toml"));
    // What was read last goes on.
    assert_eq!(before_command(&ann, "npm install left-pad"), "deny");
    let bob = Play::claude(&env, &repo, "bob");
    let told = bob.start("startup");
    assert!(told.contains("their guard policy cannot be read"), "{told}");
    let status = env.aictx(&repo, &["status", "--json"]).ok().json();
    let warnings = status["repositories"][0]["warnings"].to_string();
    assert!(warnings.contains("policy.toml"), "{warnings}");
}

#[test]
fn an_agent_cannot_speak_for_the_user() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    for command in [
        "aictx trust --yes",
        "aictx trust --hash 0123",
        "aictx steer --message 'go on' --apply",
        "aictx clean --delete-memory --yes",
        "aictx uninstall --purge -y",
    ] {
        assert_eq!(before_command(&ann, command), "ask", "{command}");
    }
    for command in ["aictx trust", "aictx next", "aictx clean --dry-run"] {
        assert_eq!(before_command(&ann, command), Value::Null, "{command}");
    }
}

#[test]
fn the_command_line_obeys_the_policy_that_hooks_obey() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let file = repo.join(".aictx/policy.toml");
    fs::write(
        &file,
        "[commands]\n\"npm test\" = \"deny\"\n[effects]\npublish = \"deny\"\n[paths]\n\"docs/**\" = \"deny\"\n\"README.md\" = \"ask\"\n",
    )
    .unwrap();
    let _daemon = env.daemon();
    let asked = |arguments: &[&str]| {
        let all = [&["guard", "--json"], arguments].concat();
        let answer = env.aictx(&repo, &all).ok().json();
        let codes: Vec<String> = answer["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|w| w["code"].as_str().unwrap().to_owned())
            .collect();
        (answer["decision"].as_str().unwrap().to_owned(), codes)
    };
    let command = |line: &str| asked(&["--action", "risky_command", "--command", line]);
    let edit = |path: &str| asked(&["--action", "edit", "--paths", path]);
    for (decision, codes) in [
        command("npm test"),
        command("npm publish"),
        command("sed -i s/a/b/ docs/guide.md"),
        edit("docs/guide.md"),
    ] {
        assert_eq!(decision, "block");
        assert!(codes.contains(&"policy_denies".to_owned()), "{codes:?}");
    }
    let (decision, codes) = edit("README.md");
    assert!(decision != "allow" && codes.contains(&"policy_asks".to_owned()));
    let shown = env.aictx(
        &repo,
        &[
            "guard",
            "--json",
            "--action",
            "edit",
            "--paths",
            "docs/a.md",
        ],
    );
    let shown = shown.ok().json()["warnings"].to_string();
    assert!(
        shown.contains("this repository's policy says so (docs/**)"),
        "{shown}"
    );

    // A file that is broken meanwhile forbids what it forbade, and is said to be unreadable.
    fs::write(&file, "[[[x").unwrap();
    assert!(
        edit("docs/guide.md")
            .1
            .contains(&"state_unreadable".to_owned())
    );
    assert_eq!(edit("docs/guide.md").0, "block");
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    assert_eq!(before_edit(&ann, &repo, "docs/guide.md").0, "deny");
    fs::remove_file(&file).unwrap();
    assert_ne!(edit("docs/guide.md").0, "block");
}

#[test]
fn a_contract_or_a_ledger_that_cannot_be_read_is_said_and_allows_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let contract = contract_of_a_resume(&env, &repo);
    let asked = || {
        let all = [
            "guard",
            "--json",
            "--action",
            "finalize",
            "--session-id",
            "c1",
        ];
        let answer = env.aictx(&repo, &all).ok().json();
        let warnings = answer["warnings"].to_string();
        (answer["decision"].as_str().unwrap().to_owned(), warnings)
    };
    assert!(!asked().1.contains("state_unreadable"));
    let sound = fs::read(&contract).unwrap();
    for broken in [&b"{"[..], b"", b"\xff\xfe\x00"] {
        fs::write(&contract, broken).unwrap();
        let (decision, warnings) = asked();
        assert_ne!(decision, "allow");
        assert!(warnings.contains("state_unreadable"), "{warnings}");
        assert!(warnings.contains("continuity/contracts/"), "{warnings}");
    }
    fs::write(&contract, &sound).unwrap();
    assert!(!asked().1.contains("state_unreadable"));
    fs::write(repo.join(".aictx/sessions/c1.jsonl"), "garbage\n").unwrap();
    let (_, warnings) = asked();
    assert!(warnings.contains("sessions/c1.jsonl"), "{warnings}");
}

#[test]
fn a_contract_that_came_with_the_repository_decides_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let contract = contract_of_a_resume(&env, &repo);
    let mut record: Value = serde_json::from_slice(&fs::read(&contract).unwrap()).unwrap();
    record["execution_contract"]["edit_scope"] = json!({ "avoid": ["calc.py"] });
    fs::write(&contract, record.to_string()).unwrap();
    let edit = [
        "guard",
        "--json",
        "--action",
        "edit",
        "--paths",
        "calc.py",
        "--risk",
        "high",
        "--session-id",
        "c1",
    ];
    let decided = || env.aictx(&repo, &edit).ok().json()["decision"].clone();
    assert_eq!(decided(), "block");
    // A command that writes there is told of, too.
    let command = [
        "guard",
        "--json",
        "--action",
        "risky_command",
        "--session-id",
        "c1",
        "--command",
    ];
    let said = |line: &str| {
        let all = [&command[..], &[line]].concat();
        let answer = env.aictx(&repo, &all).ok().json();
        answer["warnings"]
            .to_string()
            .contains("conflicts_with_avoid_scope")
    };
    assert!(said("sed -i s/a/b/ calc.py") && !said("cat calc.py"));
    for version in ["2", "4"] {
        env.git(&repo, &["update-index", "--index-version", version]);
        env.git(&repo, &["add", "--force", ".aictx/continuity"]);
        // While the verdict before is written down, the memory is judged as it was read for that.
        wait_until("it is somebody's word", || decided() != "block");
        env.git(
            &repo,
            &["rm", "--quiet", "-r", "--cached", ".aictx/continuity"],
        );
        wait_until("it is the user's again", || decided() == "block");
    }
}

#[test]
fn every_verdict_above_allow_is_logged_and_can_be_explained() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let guard = |more: &[&str]| {
        let mut all = vec!["guard", "--json", "--action", "risky_command", "--command"];
        all.extend(more);
        env.aictx(&repo, &all).ok().json()
    };
    assert_eq!(guard(&["ls"])["verdict_id"], Value::Null);
    let blocked = guard(&["cd sub; git status; rm -rf ../*.py", "--explain"]);
    assert_eq!(blocked["decision"], "block");
    let found = &blocked["explanation"]["findings"][0];
    assert_eq!(
        (&found["kind"], &found["part"]),
        (&json!("delete"), &json!(3))
    );
    let id = blocked["verdict_id"].as_str().unwrap();
    let why = env.aictx(&repo, &["why", "--verdict", id]).ok().stdout;
    for told in ["block", "rm -rf ../*.py", "destructive_command", "delete"] {
        assert!(why.contains(told), "{told}: {why}");
    }

    // What an agent's hook stops, and what it is only told.
    assert_eq!(before_command(&ann, "git checkout -- ."), "ask");
    let bob = Play::claude(&env, &repo, "bob");
    bob.start("startup");
    bob.edit("calc.py", "x = 1\n");
    let (decision, _, note) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "");
    assert!(note.contains("calc.py"), "{note}");
    let listed = env
        .aictx(&repo, &["why", "--verdicts", "--json"])
        .ok()
        .json();
    let decisions: Vec<&str> = listed["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["decision"].as_str().unwrap())
        .collect();
    assert_eq!(decisions, ["note", "ask", "block"]);
    let asked = &listed["verdicts"][1];
    assert_eq!(asked["session_id"], "ann");
    assert_eq!(asked["findings"][0]["verb"], "git checkout --");
}

#[test]
fn a_policy_is_compared_with_the_one_that_was_trusted_and_has_no_unknown_effects() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let file = repo.join(".aictx/policy.toml");
    let _daemon = env.daemon();
    let show = || env.aictx(&repo, &["trust", "--json"]).ok().json();
    fs::write(&file, "stop_gate = false\n[effects]\npublish = \"deny\"\n").unwrap();
    let shown = show();
    assert_eq!(shown["would_change"], json!(["stop_gate: false"]));
    env.aictx(&repo, &["trust", "--hash", shown["hash"].as_str().unwrap()])
        .ok();
    assert_eq!(show()["would_change"], json!([]));

    fs::write(&file, "stop_gate = false\n[effects]\npublish = \"allow\"\n").unwrap();
    let shown = show();
    assert_eq!(shown["trusted"], false);
    let diff = json!([
        " stop_gate = false",
        " [effects]",
        "-publish = \"deny\"",
        "+publish = \"allow\"",
    ]);
    assert_eq!(shown["diff"], diff);
    let text = env.aictx(&repo, &["trust"]).ok().stdout;
    assert!(
        text.contains("\n-publish") && text.contains("effects.\"publish\": \"allow\""),
        "{text}"
    );

    fs::write(&file, "[effects]\npublsh = \"deny\"\n").unwrap();
    let problem = show()["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("publsh") && problem.contains("publish"));
}

#[test]
fn a_task_and_a_handoff_that_came_with_the_repository_decide_nothing_and_are_told_as_such() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let task = ["task", "start", "Rewrite the payments"];
    env.aictx(&repo, &task).ok();
    let risk = r#"{"risks":["everything"]}"#;
    env.aictx(&repo, &["task", "update", "--json-patch", risk])
        .ok();
    let told = [
        "finalize",
        "--status",
        "failure",
        "--summary",
        "Left payments half done",
    ];
    env.aictx(&repo, &told).ok();
    let codes = || {
        let guard = ["guard", "--action", "continue_after_idle", "--json"];
        let reply = env.aictx(&repo, &guard).json();
        let warnings = reply["warnings"].as_array().cloned().unwrap_or_default();
        let codes = warnings
            .iter()
            .map(|w| w["code"].as_str().unwrap().to_owned());
        codes.collect::<Vec<_>>()
    };
    let risky = "work_state_risks_present".to_owned();
    assert!(codes().contains(&risky), "{:?}", codes());
    let ann = Play::claude(&env, &repo, "ann");
    assert!(!ann.start("startup").contains("came with the repository"));

    env.git(&repo, &["add", "-f", ".aictx/tasks", ".aictx/continuity"]);
    env.git(&repo, &["commit", "-qm", "memory"]);
    // A reader does not wait for the writer that still works on the start of the session.
    wait_until("what git tracks is known to be another's", || {
        !codes().contains(&risky)
    });
    let bob = Play::claude(&env, &repo, "bob");
    let context = bob.start("startup");
    assert!(
        context.contains("Active task: \"Rewrite the payments\" (came with the repository)"),
        "{context}"
    );
    assert!(
        context.contains("\"Left payments half done\" (came with the repository)"),
        "{context}"
    );
}

#[test]
fn what_only_reads_is_allowed_where_the_user_says_so() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let of_user = env.path().join("home/.config/aictx/policy.toml");
    let of_repository = repo.join(".aictx/policy.toml");
    let write = |file: &Path, say: &str| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("[effects]\nread_only = \"{say}\"\n")).unwrap();
    };
    assert!(
        before_command(&ann, "git status").is_null(),
        "off by default"
    );
    write(&of_repository, "allow");
    assert!(
        before_command(&ann, "git status").is_null(),
        "no repository allows it"
    );
    fs::remove_file(&of_repository).unwrap();
    write(&of_user, "allow");
    assert_eq!(
        before_command(&ann, "git status --short | head -3"),
        "allow"
    );
    assert_eq!(before_command(&ann, "cat calc.py"), "allow");
    for other in [
        "cat .env",
        "python3 calc.py",
        "cat calc.py > x",
        "ls $(rm x)",
    ] {
        assert!(before_command(&ann, other).is_null(), "{other}");
    }
    assert_eq!(before_command(&ann, "git reset --hard"), "ask");
    write(&of_user, "deny");
    let doctor = env.aictx(&repo, &["doctor", "--json"]).json().to_string();
    assert!(doctor.contains("can only be"), "{doctor}");
}
