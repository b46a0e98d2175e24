//! `init --portable-continuity`: what is worth sharing goes through git, nothing else does, and both
//! sides of a merge are remembered.

use std::fs;
use std::path::Path;

use aictx_tests::session::{edited, end, failed_command, prompt, start};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::json;

use super::{tree, write};

fn one_session(env: &TestEnv, at: &Path, id: &str, request: &str, file: &str, error: &str) {
    let rows = || env.rows(at, "metrics/execution_logs.jsonl").len();
    let before = rows();
    for event in [
        start(at, id, "startup"),
        prompt(at, id, request),
        edited(at, id, file),
        failed_command(at, id, &format!("python3 -m pytest -q {error}.py"), error),
        end(at, id),
    ] {
        env.hook(at, &event).ok();
    }
    wait_until("the session is finalized", || rows() > before);
}

fn failure(name: &str) -> String {
    format!("FAILED test_{name}.py::test_{name} - AssertionError: {name}\n1 failed in 0.02s")
}

#[test]
fn a_clone_knows_and_a_merge_forgets_nothing() {
    let env = TestEnv::new();
    let one = env.plain_repository("one");
    let _daemon = env.daemon();
    let made = env
        .aictx(
            &one,
            &["init", "--agents", "claude", "--portable-continuity"],
        )
        .ok();
    assert!(made.stdout.contains(".gitattributes"), "{}", made.stdout);
    one_session(
        &env,
        &one,
        "a",
        "fix the add function",
        "src/calc.py",
        &failure("add"),
    );
    env.git(&one, &["add", "-A"]);
    env.git(&one, &["commit", "-q", "-m", "remember"]);
    let tracked = env.git(&one, &["ls-files", ".aictx"]);
    for file in [
        "continuity/handoffs.jsonl",
        "continuity/portability.json",
        "failure_memory/failure_patterns.jsonl",
    ] {
        assert!(tracked.contains(file), "{tracked}");
    }
    for private in [
        "sessions/",
        "metrics/",
        "handoff.json",
        "area_memory",
        ".lock",
        "format.json",
    ] {
        let shared = tracked.lines().any(|line| line.contains(private));
        assert!(!shared, "{private}: {tracked}");
    }
    assert_eq!(env.git(&one, &["status", "--porcelain"]), "");

    let two = env.path().join("two");
    env.git(&one, &["clone", "-q", ".", two.to_str().unwrap()]);
    let two = fs::canonicalize(two).unwrap();
    let params = json!({"repo": two, "runners": ["claude"], "program": program("aictx")});
    let reply = env.rpc("init", &params);
    assert_eq!(reply["result"]["portable"], true, "{reply}");
    let status = env.git(&two, &["status", "--porcelain"]);
    assert_eq!(status, "", "what was chosen is not chosen again");
    let told = env.hook(&two, &start(&two, "b0", "startup")).ok().stdout;
    assert!(told.contains("Last handoff"), "{told}");
    assert!(told.contains("fix the add function"), "{told}");
    let told = env.hook(&two, &prompt(&two, "b0", "continue")).ok().stdout;
    assert!(told.contains("Open failure"), "{told}");

    // Both go on, and one takes in what the other did.
    one_session(
        &env,
        &one,
        "c",
        "round the result",
        "src/round.py",
        &failure("round"),
    );
    one_session(
        &env,
        &two,
        "d",
        "print the result",
        "src/print.py",
        &failure("print"),
    );
    for repo in [&one, &two] {
        env.git(repo, &["add", "-A"]);
        env.git(repo, &["commit", "-q", "-m", "more"]);
    }
    env.git(
        &one,
        &[
            "pull",
            "-q",
            "--no-rebase",
            "--no-edit",
            two.to_str().unwrap(),
            "main",
        ],
    );
    let requests: Vec<String> = env
        .rows(&one, "continuity/handoffs.jsonl")
        .iter()
        .map(|row| row.to_string())
        .collect();
    let failures = env.rows(&one, "failure_memory/failure_patterns.jsonl");
    for word in ["round", "print"] {
        assert!(
            requests.iter().any(|row| row.contains(word)),
            "{requests:?}"
        );
        let known = failures
            .iter()
            .any(|row| row.to_string().contains(&format!("test_{word}")));
        assert!(known, "{failures:?}");
    }
    let listed = env.aictx(&one, &["failures", "list", "--json"]).ok().stdout;
    for word in ["add", "round", "print"] {
        assert!(listed.contains(&format!("test_{word}")), "{listed}");
    }
    let doctor = env.aictx(&one, &["doctor", "--json"]).ok().json();
    let checks = doctor["checks"].as_array().unwrap();
    let state = checks
        .iter()
        .find(|check| check["name"] == "state_readable");
    assert_eq!(state.unwrap()["status"], "ok", "{doctor}");
}

#[test]
fn choosing_and_choosing_otherwise_leaves_git_s_files_as_they_were() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    write(&repo, ".gitattributes", "*.bin binary\r\n*.png binary");
    write(&repo, ".gitignore", "target\n.aictx/");
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "rules"]);
    let before = tree(&repo);
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let local = tree(&repo);
    let portable = ["init", "--agents", "none", "--portable-continuity"];
    env.aictx(&repo, &portable).ok();
    let shared = tree(&repo);
    let status = env.git(&repo, &["status", "--porcelain", "-uall"]);
    assert!(
        status.contains("?? .aictx/continuity/portability.json"),
        "{status}"
    );
    assert!(!status.contains("format.json"), "{status}");
    env.aictx(&repo, &portable).ok();
    assert_eq!(tree(&repo), shared, "twice is once");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    assert_eq!(tree(&repo), shared, "the choice stays");
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--no-portable-continuity"],
    )
    .ok();
    let mut back = tree(&repo);
    let said = back.remove(".aictx/continuity/portability.json").unwrap();
    assert!(
        String::from_utf8(said.1)
            .unwrap()
            .contains("\"enabled\": false")
    );
    let own = |tree: &std::collections::BTreeMap<String, super::Shape>| {
        let mut tree = tree.clone();
        tree.retain(|file, _| !file.starts_with(".aictx"));
        tree
    };
    assert_eq!(own(&back), own(&local));
    env.aictx(&repo, &portable).ok();
    let clean = env
        .aictx(&repo, &["clean", "--verify", "--json"])
        .ok()
        .json();
    for file in clean["verified"].as_array().unwrap() {
        assert_eq!(file["identical"], true, "{clean}");
    }
    assert_eq!(tree(&repo), before);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn memory_that_git_tracks_keeps_its_rules() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "remember"]);
    let refused = env.aictx(&repo, &["clean"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(repo.join(".aictx/continuity/portability.json").exists());
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    env.aictx(&repo, &["clean", "--yes"]).ok();
    assert!(!repo.join(".aictx").exists());
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let both = env.aictx(&repo, &["init", "--stealth", "--portable-continuity"]);
    assert_eq!(both.status, 2);
    env.aictx(&repo, &["init", "--stealth"]).ok();
    assert_ne!(
        env.aictx(&repo, &["init", "--portable-continuity"]).status,
        0
    );
    let plain = env.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let without_git = env.aictx(&plain, &["init", "--force", "--portable-continuity"]);
    assert_ne!(without_git.status, 0);
    assert!(!plain.join(".aictx").exists());
}

#[test]
fn files_of_single_areas_are_kept_up_where_the_ancestor_made_them() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let file = "area_memory/areas/src--25a66342.json";
    let area = json!({"area_id": "src", "executions": 7, "files": {"src/calc.py": 7}});
    write(&repo, &format!(".aictx/{file}"), &area.to_string());
    one_session(&env, &repo, "a", "fix add", "src/calc.py", &failure("add"));
    assert_eq!(env.file(&repo, file)["executions"], 8);
    assert_eq!(
        env.file(&repo, "area_memory/areas.json")["areas"]["src"]["executions"],
        8
    );
}

#[test]
fn what_a_merge_wrote_twice_and_somebody_leaked_is_found_and_taken_out() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let status = || {
        env.aictx(&repo, &["portability", "status", "--json"])
            .ok()
            .json()
    };
    let local = status();
    assert_eq!(
        (&local["mode"], &local["status"]),
        (&json!("local-only"), &json!("ok"))
    );
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    for summary in ["one", "two"] {
        let said = [
            "finalize",
            "--status",
            "failure",
            "--summary",
            summary,
            "--error",
            summary,
        ];
        env.aictx(&repo, &said).ok();
    }
    let fine = status();
    assert_eq!(
        (&fine["mode"], &fine["status"]),
        (&json!("portable-continuity"), &json!("ok")),
        "{fine}"
    );
    assert_eq!(fine["sync"]["drift"], json!([]));
    assert!(
        fine["portable_patterns"]
            .as_array()
            .unwrap()
            .contains(&json!("continuity/handoffs.jsonl"))
    );

    // Both sides of a merge wrote the same row, and a program of somebody else's a token.
    let file = repo.join(".aictx/continuity/handoffs.jsonl");
    let rows = fs::read_to_string(&file).unwrap();
    let token = format!("ghp_{}", "0aB1".repeat(9));
    let leaked = format!("{{\"summary\":\"used {token}\"}}\n");
    fs::write(&file, format!("{rows}{rows}{leaked}<<<<<<<\n")).unwrap();
    fs::write(repo.join(".gitattributes"), "# mine\n").unwrap();
    let warned = status();
    assert_eq!(warned["status"], "warning");
    assert_eq!(
        warned["secret_scan"]["files"],
        json!([".aictx/continuity/handoffs.jsonl"])
    );
    assert_eq!(warned["sync"]["gitattributes_in_sync"], json!(false));
    assert!(
        !warned.to_string().contains(&token),
        "a value is never told"
    );
    let text = env.aictx(&repo, &["portability", "status"]).ok().stdout;
    assert!(
        text.contains("what looks like a secret") && text.contains("--apply"),
        "{text}"
    );

    let compact = |more: &[&str]| {
        let arguments = [&["portability", "compact", "--json"][..], more].concat();
        env.aictx(&repo, &arguments).ok().json()
    };
    let would = compact(&[]);
    assert_eq!(
        (&would["would_change"], &would["changed"]),
        (&json!(true), &json!(false))
    );
    let done = compact(&["--apply"]);
    let totals = &done["totals"];
    assert_eq!(
        (&totals["duplicates_removed"], &totals["secret_redactions"]),
        (&json!(2), &json!(1)),
        "{done}"
    );
    assert_eq!(totals["invalid_rows"], json!(1));
    let left = fs::read_to_string(&file).unwrap();
    assert!(
        left.starts_with(&rows) && !left.contains(&token) && left.contains("<<<<<<<"),
        "{left}"
    );
    assert_eq!(
        compact(&["--apply"])["changed"],
        json!(false),
        "twice is once"
    );
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    assert_eq!(status()["status"], "ok", "{}", status());
}

#[test]
fn private_files_are_hidden_on_branches_from_before() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let _daemon = env.daemon();
    env.git(&repo, &["branch", "old"]);
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    write(&repo, "calc.py", "def add(a, b): return a + b\n");
    one_session(&env, &repo, "s1", "private words", "calc.py", &failure("a"));
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "memory"]);
    env.git(&repo, &["checkout", "-q", "old"]);
    assert!(repo.join(".aictx/sessions").is_dir());
    write(&repo, "new.py", "x = 1\n");
    env.git(&repo, &["add", "-A"]);
    assert_eq!(
        env.git(&repo, &["diff", "--cached", "--name-only"]).trim(),
        "new.py"
    );
}
