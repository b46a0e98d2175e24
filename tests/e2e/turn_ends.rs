//! The question at the end of a turn: what was edited, and did a check that covers it pass since?

use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::json;

/// Returns the question at the end of a turn; empty when there is none.
fn asked(who: &Play) -> String {
    let run = who.hook("Stop", json!({ "stop_hook_active": false }));
    if run.stdout.trim().is_empty() {
        return String::new();
    }
    run.json()["reason"].as_str().unwrap_or_default().to_owned()
}

/// A repository with these files, committed.
fn with(env: &TestEnv, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let repo = env.repository(name);
    for (file, text) in files {
        write(&repo, file, text);
    }
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "more"]);
    repo
}

fn write(repo: &Path, file: &str, text: &str) {
    let path = repo.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// All faults of a test.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn unless(&mut self, right: bool, what: &str, said: &str) {
        if !right {
            self.0.push(format!("{what}: {said:?}"));
        }
    }
}

impl Drop for Wrong {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{:#?}", self.0);
        }
    }
}

/// A session that edits a file of a repository and does what it is told then.
fn turn(env: &TestEnv, repo: &Path, id: &str, files: &[&str], then: impl Fn(&Play)) -> String {
    let who = Play::claude(env, repo, id);
    who.start("startup");
    who.prompt("Fix the bug in the sums");
    for file in files {
        who.edit(file, &format!("# {id}\n"));
    }
    then(&who);
    let said = asked(&who);
    who.end();
    env.git(repo, &["reset", "-q", "--hard"]);
    env.git(repo, &["clean", "-fdq"]);
    said
}

const PASS: &str = "3 passed in 0.01s";
const JEST: &str = "Tests:       3 passed, 3 total";

#[test]
fn only_a_run_that_covers_what_was_edited_quiets_the_question() {
    let env = TestEnv::new();
    let files = [
        ("tests/test_calc.py", "from calc import add\n"),
        ("tests/test_other.py", "import store\n"),
        ("tests/test_issue_12.py", "import calc\n"),
        ("store.py", "x = 1\n"),
        ("billing/tax.py", "x = 1\n"),
        (
            "ci.sh",
            "#!/bin/sh\n# All of it.\nset -e\npytest -q\nruff check .\n",
        ),
        ("bin/check", "#!/usr/bin/env bash\npytest -q\n"),
        ("loose.sh", "#!/bin/sh\npytest -q\necho done\n"),
    ];
    let repo = with(&env, "demo", &files);
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    let quiet: &[(&[&str], &str)] = &[
        (&["calc.py"], "pytest -q"),
        (&["calc.py"], "python -m pytest"),
        (&["calc.py"], "pytest -q tests"),
        (&["calc.py"], "pytest -q tests/test_calc.py"),
        (&["calc.py"], "pytest -q tests/test_calc.py::test_add -x"),
        (&["calc.py"], "pytest -q tests/test_issue_12.py"),
        (&["calc.py"], "cd tests && pytest -q test_calc.py"),
        (&["calc.py"], "make test"),
        (
            &["calc.py", "tests/test_calc.py"],
            "pytest tests/test_calc.py",
        ),
        (
            &["calc.py", "tests/test_new.py"],
            "pytest tests/test_new.py",
        ),
        (&["billing/tax.py"], "pytest -q -k tax"),
        (&["billing/tax.py"], "tox -e py312"),
        (&["calc.py"], "./ci.sh"),
        (&["calc.py"], "bash -e ci.sh"),
        (&["calc.py"], "bin/check"),
        (&["config.yaml"], "pytest -q tests/test_calc.py"),
    ];
    for (n, (edited, run)) in quiet.iter().enumerate() {
        let said = turn(&env, &repo, &format!("q{n}"), edited, |who| {
            who.passes(run, PASS)
        });
        wrong.unless(said.is_empty(), &format!("{edited:?} {run}"), &said);
    }
    let loud: &[(&[&str], &str)] = &[
        (&["calc.py"], "pytest -q tests/test_other.py"),
        (&["calc.py", "store.py"], "pytest -q tests/test_calc.py"),
        (&["tests/test_calc.py"], "pytest -q tests/test_other.py"),
        (&["billing/tax.py"], "pytest -q -k calc"),
        (&["calc.py"], "npx jest"),
        (&["calc.py"], "cargo test"),
        (&["calc.py"], "pytest --collect-only -q"),
        (&["calc.py"], "ls tests"),
        (&["calc.py"], "./loose.sh"),
    ];
    for (n, (edited, run)) in loud.iter().enumerate() {
        let said = turn(&env, &repo, &format!("l{n}"), edited, |who| {
            who.passes(run, PASS);
        });
        wrong.unless(
            said.contains("has not been seen to pass"),
            &format!("{} {edited:?} {run}", line!()),
            &said,
        );
    }
    // Before the edit; and behind the run on one line.
    let said = turn(&env, &repo, "b1", &[], |who| {
        who.passes("pytest -q", PASS);
        who.edit("calc.py", "x = 1\n");
    });
    wrong.unless(
        said.contains("calc.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
    let said = turn(&env, &repo, "b2", &[], |who| {
        write(&repo, "calc.py", "def add(a, b):\n    return a - b\n");
        who.passes("pytest -q && sed -i 's/+/-/' calc.py", PASS);
    });
    wrong.unless(
        said.contains("calc.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
    let said = turn(&env, &repo, "b3", &[], |who| {
        write(&repo, "calc.py", "def add(a, b):\n    return a / b\n");
        who.passes("sed -i 's/+/-/' calc.py && pytest -q", PASS);
    });
    wrong.unless(said.is_empty(), &line!().to_string(), &said);
    // Only what was not covered is named.
    let said = turn(&env, &repo, "b4", &["calc.py", "store.py"], |who| {
        who.passes("pytest -q tests/test_calc.py", PASS);
    });
    wrong.unless(
        said.contains("store.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
    // What failed before and passes now is what was worked on.
    let said = turn(&env, &repo, "b5", &[], |who| {
        who.fails("pytest -q tests/test_other.py", "1 failed in 0.1s");
        who.edit("calc.py", "x = 2\n");
        who.passes("pytest -q tests/test_other.py", PASS);
    });
    wrong.unless(said.is_empty(), &line!().to_string(), &said);
}

#[test]
fn what_was_tested_may_be_laid_out_anew() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    let after = |id: &str, tested: bool, command: &str| {
        turn(&env, &repo, id, &["calc.py"], |who| {
            if tested {
                who.passes("pytest -q", PASS);
            }
            write(&repo, "calc.py", &format!("x = '{id}'\n"));
            who.passes(command, "");
        })
    };
    for (n, command) in [
        "black calc.py",
        "poetry run black calc.py && git add calc.py",
        "ruff format calc.py",
    ]
    .iter()
    .enumerate()
    {
        let said = after(&format!("f{n}"), true, command);
        wrong.unless(said.is_empty(), command, &said);
        let said = after(&format!("u{n}"), false, command);
        wrong.unless(said.contains("calc.py was edited"), command, &said);
    }
    for (n, command) in [
        "sed -i 's/a/b/' calc.py",
        "black calc.py && sed -i 's/a/b/' calc.py",
    ]
    .iter()
    .enumerate()
    {
        let said = after(&format!("s{n}"), true, command);
        wrong.unless(said.contains("calc.py was edited"), command, &said);
    }
}

#[test]
fn nothing_is_asked_of_what_was_taken_back() {
    let env = TestEnv::new();
    let repo = with(&env, "demo", &[("store.py", "x = 1\n")]);
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    let done = |git: &'static [&'static str]| {
        let (env, repo) = (&env, &repo);
        move |who: &Play| {
            env.git(repo, git);
            who.passes(&format!("git {}", git.join(" ")), "");
        }
    };
    for (n, git) in [
        &["stash", "-q"][..],
        &["stash", "push", "-q", "--", "calc.py", "store.py"],
        &["checkout", "--", "calc.py", "store.py"],
        &["checkout", "-q", "."],
        &["checkout", "-q", "-f"],
        &["restore", "calc.py", "store.py"],
        &["restore", "."],
        &["reset", "-q", "--hard"],
        &["reset", "-q", "--hard", "HEAD"],
    ]
    .iter()
    .enumerate()
    {
        let said = turn(
            &env,
            &repo,
            &format!("t{n}"),
            &["calc.py", "store.py"],
            done(git),
        );
        wrong.unless(said.is_empty(), &format!("{git:?}"), &said);
    }
    let said = turn(&env, &repo, "new", &["fresh.py"], |who| {
        fs::remove_file(repo.join("fresh.py")).unwrap();
        who.passes("rm fresh.py", "");
    });
    wrong.unless(said.is_empty(), "it was made and is gone", &said);
    let said = turn(&env, &repo, "clean", &["fresh.py"], |who| {
        fs::remove_file(repo.join("fresh.py")).unwrap();
        who.passes("git clean -fdq", "");
    });
    wrong.unless(said.is_empty(), &line!().to_string(), &said);
    // One of two; brought back; committed.
    let said = turn(
        &env,
        &repo,
        "half",
        &["calc.py", "store.py"],
        done(&["checkout", "--", "calc.py"]),
    );
    wrong.unless(
        said.contains("store.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
    let said = turn(&env, &repo, "pop", &["calc.py"], |who| {
        done(&["stash", "-q"])(who);
        done(&["stash", "pop", "-q"])(who);
    });
    wrong.unless(
        said.contains("calc.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
    let said = turn(
        &env,
        &repo,
        "gone",
        &["fresh.py", "calc.py"],
        done(&["stash", "-q"]),
    );
    wrong.unless(
        said.contains("fresh.py was edited"),
        &format!("{} not stashed", line!()),
        &said,
    );
    let said = turn(&env, &repo, "done", &["calc.py"], |who| {
        done(&["commit", "-q", "-a", "-m", "x"])(who);
        done(&["checkout", "-q", "."])(who);
    });
    wrong.unless(
        said.contains("calc.py was edited"),
        &format!("{} ", line!()),
        &said,
    );
}

#[test]
fn the_check_is_the_one_of_the_files_that_were_edited() {
    let env = TestEnv::new();
    let package = r#"{"scripts": {"test": "jest", "unit": "jest --ci", "lint": "eslint ."}}"#;
    let mixed = env.repository("mixed");
    fs::remove_file(mixed.join("pyproject.toml")).unwrap();
    write(&mixed, "package.json", package);
    write(&mixed, "Makefile", "test:\n\tpytest -q\n");
    write(&mixed, "src/a.js", "1\n");
    write(&mixed, "api/pyproject.toml", "[project]\nname = \"api\"\n");
    write(&mixed, "api/app.py", "1\n");
    write(&mixed, "svc/go.mod", "module x\n");
    write(&mixed, "svc/a.go", "package a\n");
    env.git(&mixed, &["add", "-A"]);
    env.git(&mixed, &["commit", "-q", "-m", "mixed"]);
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    for (n, (file, want)) in [
        ("calc.py", "`make test`"),
        ("src/a.js", "`npm test`"),
        ("api/app.py", "`cd api && python -m pytest`"),
        ("svc/a.go", "`cd svc && go test ./...`"),
    ]
    .iter()
    .enumerate()
    {
        let said = turn(&env, &mixed, &format!("m{n}"), &[file], |_| {});
        wrong.unless(said.contains(want), &format!("{} {file}", line!()), &said);
    }
    for (n, (file, run, output)) in [
        ("calc.py", "make test", PASS),
        ("calc.py", "pytest -q", PASS),
        ("api/app.py", "cd api && pytest -q", PASS),
        ("api/app.py", "pytest -q", PASS),
        ("src/a.js", "npm test", JEST),
        ("src/a.js", "npm run unit", JEST),
        ("src/a.js", "npx jest", JEST),
        ("svc/a.go", "cd svc && go test ./...", "ok  \tx\t0.1s"),
    ]
    .iter()
    .enumerate()
    {
        let said = turn(&env, &mixed, &format!("q{n}"), &[file], |who| {
            who.passes(run, output)
        });
        wrong.unless(said.is_empty(), &format!("{file} {run}"), &said);
    }
    for (n, (file, run, output)) in [
        ("calc.py", "npm test", JEST),
        ("calc.py", "npm run unit", JEST),
        ("src/a.js", "make test", PASS),
        ("src/a.js", "npm run lint", "ok"),
        ("calc.py", "cd api && pytest -q", PASS),
        ("svc/a.go", "npm test", JEST),
    ]
    .iter()
    .enumerate()
    {
        let said = turn(&env, &mixed, &format!("l{n}"), &[file], |who| {
            who.passes(run, output)
        });
        wrong.unless(
            said.contains("has not been seen to pass"),
            &format!("{} {file} {run}", line!()),
            &said,
        );
    }
}

#[test]
fn what_shows_neither_status_nor_output_is_unknown() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    for (n, run) in [
        "pytest >/dev/null 2>&1; true",
        "pytest | tail -0 || true",
        "pytest -q > /dev/null 2>&1 || echo done",
        "(pytest -q || true) > log.txt 2>&1",
    ]
    .iter()
    .enumerate()
    {
        let said = turn(&env, &repo, &format!("h{n}"), &["calc.py"], |who| {
            who.passes(run, "")
        });
        wrong.unless(
            said.contains("calc.py was edited"),
            &format!("{} {run}", line!()),
            &said,
        );
    }
    for who in [
        Play::claude(&env, &repo, "c"),
        Play::codex(&env, &repo, "x"),
    ] {
        who.start("startup");
        who.prompt("Fix the bug in the sums");
        who.edit("calc.py", "x = 7\n");
        who.passes(
            "pytest -q | tail -3",
            "FAILED test_calc.py::test_a - assert 0\n2 failed in 0.1s",
        );
        let said = asked(&who);
        wrong.unless(said.contains("calc.py was edited"), who.runner, &said);
        let rows = env.rows(&repo, &format!("sessions/{}.jsonl", who.id));
        let row = rows.iter().rfind(|row| row["kind"] == "command").unwrap();
        assert_eq!(row["outcome"], "failed", "{row}");
        who.prompt("Go on");
        who.edit("calc.py", "x = 8\n");
        who.passes("pytest -q | tail -3", "2 passed in 0.1s");
        assert_eq!(asked(&who), "");
    }
}

#[test]
fn a_contract_names_the_check_of_what_its_task_is_about() {
    let env = TestEnv::new();
    let repo = env.repository("mixed");
    fs::remove_file(repo.join("pyproject.toml")).unwrap();
    let package = r#"{"scripts": {"test": "jest --ci", "unit": "jest --ci"}}"#;
    write(&repo, "package.json", package);
    write(&repo, "web/cart.js", "export function total() {}\n");
    write(&repo, "api/pyproject.toml", "[project]\nname = \"api\"\n");
    write(&repo, "api/billing.py", "def invoice():\n    pass\n");
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "mixed"]);
    let _daemon = env.daemon();
    let resume = |task: &str| {
        let reply = env.aictx(&repo, &["resume", "--task", task, "--json"]).ok();
        reply.json()["execution_contract"]["test_command"].clone()
    };
    env.aictx(&repo, &["map", "refresh"]).ok();
    let check = resume("Fix invoice() in api/billing.py");
    assert_eq!(check["command"], "cd api && python -m pytest", "{check}");
    let check = resume("Fix total() in web/cart.js");
    assert_eq!(check["command"], "npm test", "{check}");
    assert_eq!(check["runs"], "jest --ci", "{check}");
    // What its script runs is the check, whatever it is called.
    let who = Play::claude(&env, &repo, "s1");
    who.start("startup");
    who.prompt("Fix total() in web/cart.js");
    let task = ["resume", "--task", "Fix total() in web/cart.js", "--json"];
    who.aictx(&task);
    who.edit("web/cart.js", "export function total() { return 1 }\n");
    who.passes("npm run unit", JEST);
    let told = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Sums",
        "--json",
    ];
    let reply = who.aictx(&told).json();
    let used = &reply["contract_compliance"]["checks"]["canonical_test_used"];
    assert_eq!(*used, true, "{reply}");
}

/// Edits that no word of the command names: patterns, lists that another program makes, whole directories.
#[test]
fn what_a_command_wrote_or_deleted_is_asked_about_whoever_named_it() {
    let env = TestEnv::new();
    let files = [
        ("src/auth.py", "def one():\n    return 1\n"),
        ("src/main.py", "print(1)\n"),
        ("tests/test_auth.py", "def test_one():\n    assert 1\n"),
    ];
    let repo = with(&env, "demo", &files);
    let _daemon = env.daemon();
    let mut wrong = Wrong::default();
    let mut session = 0;
    let mut asks = |command: &str, output: &str, right: bool| {
        session += 1;
        let id = format!("s{session}");
        let said = turn(&env, &repo, &id, &[], |who| {
            let input = json!({ "command": command });
            let before = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": aictx_tests::call_id() });
            who.hook("PreToolUse", before);
            let ran = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(&repo)
                .status();
            assert!(ran.is_ok_and(|status| status.success()), "{command}");
            who.passes(command, output);
        });
        wrong.unless(said.is_empty() != right, command, &said);
    };
    for command in [
        "sed -i 's/return 1/return 3/' src/auth.py",
        "sed -i 's/return 1/return 3/' src/*.py",
        "git ls-files src | xargs sed -i 's/return 1/return 3/'",
        "find src -name '*.py' -exec sed -i 's/return 1/return 3/' {} +",
        "rm src/auth.py",
        "rm -r src",
        "cat > src/new.py <<'EOF'\nx = 1\nEOF",
        "echo 'x = 2' | tee src/other.py",
    ] {
        asks(command, "", true);
    }
    for command in [
        "grep -rn return src | xargs -0 echo",
        "rm -f src/nothing.py",
        "mkdir -p build && echo built > build/note.log",
    ] {
        asks(command, "", false);
    }
}

#[test]
fn what_is_asked_at_the_end_of_a_turn_is_in_the_audit_log() {
    let env = TestEnv::new();
    let repo = with(
        &env,
        "demo",
        &[("test_calc.py", "def test_a():\n    pass\n")],
    );
    let _daemon = env.daemon();
    let said = turn(&env, &repo, "s", &["calc.py"], |_| {});
    assert!(said.contains("calc.py"), "{said}");
    aictx_tests::wait_until("the question is in the log", || {
        let rows = env.aictx(&repo, &["why", "--verdicts", "--json"]).ok();
        rows.stdout.contains("end of turn")
    });
}
