//! Reach of rules and limits: files that cannot be read, programs, other worktrees, other directories.

use std::fs;

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::{Value, json};

use crate::rules::{before_command, before_edit};

#[test]
fn what_could_be_read_last_holds_after_a_restart() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let of_user = env.path().join("home").join(".config/aictx/policy.toml");
    let of_repository = repo.join(".aictx/policy.toml");
    fs::create_dir_all(of_user.parent().unwrap()).unwrap();
    fs::write(&of_user, "[commands]\n\"npm install*\" = \"deny\"\n").unwrap();
    fs::write(&of_repository, "[paths]\n\"calc.py\" = \"deny\"\n").unwrap();
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    assert_eq!(before_command(&ann, "npm install left-pad"), "deny");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");
    drop(daemon);
    fs::write(&of_user, "[commands\n").unwrap();
    fs::write(&of_repository, "paths = 1\n").unwrap();
    let daemon = env.daemon();
    assert_eq!(before_command(&ann, "npm install left-pad"), "deny");
    let (decision, _, note) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "deny", "{note}");
    let (decision, _, note) = before_edit(&ann, &repo, "README.md");
    assert!(
        decision.is_empty() && note.is_empty(),
        "said already: {note}"
    );

    // What is gone says nothing any more, and what is broken from the start is not known.
    fs::remove_file(&of_user).unwrap();
    fs::remove_file(&of_repository).unwrap();
    assert_eq!(before_command(&ann, "npm install left-pad"), Value::Null);
    assert_eq!(before_command(&ann, "git rebase main"), Value::Null);
    drop(daemon);
    fs::write(&of_repository, "paths = 1\n").unwrap();
    let _daemon = env.daemon();
    assert_eq!(before_command(&ann, "git rebase main"), "ask");
    assert_eq!(before_command(&ann, "git status"), Value::Null);
    let (decision, _, note) = before_edit(&ann, &repo, "README.md");
    assert!(
        decision.is_empty() && note.contains("cannot be read"),
        "{note}"
    );
    assert_eq!(before_edit(&ann, &repo, "README.md").2, "");
}

#[test]
fn programs_and_recipes_are_no_way_around() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let policy = env.path().join("home").join(".config/aictx/policy.toml");
    fs::create_dir_all(policy.parent().unwrap()).unwrap();
    let said = "[effects]\ndelete = \"deny\"\ncredentials = \"deny\"\nprivilege = \"ask\"\n\
                [paths]\n\"*.lock\" = \"deny\"\n\
                [commands]\n\"terraform apply*\" = \"deny\"\n\"git commit*\" = \"ask\"\n";
    fs::write(policy, said).unwrap();
    fs::write(repo.join("Makefile"), "deploy:\n\tterraform apply\n").unwrap();
    let scripts = json!({ "scripts": { "deploy": "terraform apply" } });
    fs::write(repo.join("package.json"), scripts.to_string()).unwrap();
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    for (command, want) in [
        ("/usr/bin/terraform apply", "deny"),
        ("make deploy", "deny"),
        ("npm run deploy", "deny"),
        ("docker exec x terraform apply", "deny"),
        ("git -C . commit -m x", "ask"),
        ("rm calc.py", "deny"),
        ("cat ~/.ssh/id_rsa", "deny"),
        ("sudo apt-get install x", "ask"),
        ("sed -i s/a/b/ sub/Cargo.lock", "deny"),
        (
            "python3 -c \"open('.aictx/policy.toml','w').write('x')\"",
            "deny",
        ),
        (
            "python3 -c \"open('.git/hooks/pre-commit','w').write('x')\"",
            "ask",
        ),
        (
            "node -e \"require('fs').writeFileSync('/etc/hosts','x')\"",
            "ask",
        ),
    ] {
        assert_eq!(before_command(&ann, command), want, "{command}");
    }
    for command in [
        "terraform plan",
        "rm /tmp/x",
        "python3 -c \"open('new.py','w').write('x')\"",
        "python3 -c \"open('/tmp/x','w').write('x')\"",
    ] {
        assert_eq!(before_command(&ann, command), Value::Null, "{command}");
    }
    assert_eq!(before_edit(&ann, &repo, "sub/yarn.lock").0, "deny");
}

#[test]
fn what_a_command_writes_is_held_against_the_scope_as_an_edit_is() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::write(repo.join(".gitignore"), "*.out\n/gen/\n").unwrap();
    fs::write(repo.join("other.py"), "a = 1\n").unwrap();
    fs::create_dir(repo.join("gen")).unwrap();
    fs::write(repo.join("gen/other.py"), "a = 2\n").unwrap();
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-qm", "more"]);
    let _daemon = env.daemon();
    let task = "Fix add in calc.py";
    let start = ["task", "start", task];
    env.aictx(&repo, &start).ok();
    let files = json!({ "active_files": ["calc.py"] }).to_string();
    env.aictx(&repo, &["task", "update", "--json-patch", &files])
        .ok();
    env.aictx(
        &repo,
        &["resume", "--task", task, "--session-id", "c1", "--json"],
    )
    .ok();
    let codes = |more: &[&str]| {
        let mut all = vec!["guard", "--json", "--session-id", "c1"];
        all.extend(more);
        let reply = env.aictx(&repo, &all).ok().json();
        reply["warnings"].to_string()
    };
    let outside = |codes: String| codes.contains("outside_expected_scope");
    let command = |line: &str| outside(codes(&["--action", "risky_command", "--command", line]));
    assert!(outside(codes(&["--action", "edit", "--paths", "other.py"])));
    assert!(outside(codes(&[
        "--action",
        "risky_command",
        "--paths",
        "other.py"
    ])));
    assert!(!outside(codes(&[
        "--action",
        "risky_command",
        "--paths",
        "calc.py"
    ])));
    for line in [
        "sed -i s/a/b/ other.py",
        "echo x > other.py",
        "cp calc.py other.py",
        "black other.py",
        "python3 -c \"open('other.py','w').write('x')\"",
        "rm other.py",
    ] {
        assert!(command(line), "{line}");
    }
    for line in [
        "sed -i s/a/b/ calc.py",
        "cat other.py > /tmp/x",
        "grep -rn a other.py > found.out",
        "mkdir -p gen && cp other.py gen/other.py",
        "python3 -c \"print(open('other.py').read())\" > /dev/null",
        "python3 -c \"open('calc.py','w').write(open('other.py').read())\"",
        "pytest -q > run.log",
        "git status",
        "mkdir -p build/x && touch build/x/y",
    ] {
        assert!(!command(line), "{line}");
    }
}

#[test]
fn a_limit_holds_in_every_worktree_of_the_repository() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    env.git(&repo, &["worktree", "add", "--quiet", "../other"]);
    env.git(&repo, &["worktree", "add", "--quiet", "trees/inner"]);
    let other = repo.parent().unwrap().join("other");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Please fix add, but don't touch calc.py");
    let there = other.to_string_lossy();
    for command in [
        format!("cd {there} && sed -i s/a/b/ calc.py"),
        "cd ../other && sed -i s/a/b/ ./calc.py".to_owned(),
        format!("sed -i s/a/b/ {there}/calc.py"),
        format!("echo x > {there}/calc.py"),
        format!("python3 -c \"open('{there}/calc.py','w').write('x')\""),
        format!("find {there} -name '*.py' -exec sed -i s/a/b/ {{}} +"),
        "sed -i s/a/b/ trees/inner/calc.py".to_owned(),
        "cd trees/inner && echo x > calc.py".to_owned(),
    ] {
        assert_eq!(before_command(&ann, &command), "deny", "{command}");
    }
    for command in [
        format!("cd {there} && cat calc.py"),
        format!("cd {there} && sed -i s/a/b/ README.md"),
        "cd trees/inner && sed -i s/a/b/ README.md".to_owned(),
    ] {
        assert_ne!(before_command(&ann, &command), "deny", "{command}");
    }
    for (root, file, want) in [
        (&repo, "trees/inner/calc.py", "deny"),
        (&other, "calc.py", "deny"),
        (&repo, "trees/inner/README.md", ""),
    ] {
        assert_eq!(before_edit(&ann, root, file).0, want, "{file}");
    }
    ann.prompt("Only edit calc.py.");
    assert_eq!(before_edit(&ann, &repo, "trees/inner/calc.py").0, "");
    let command = "sed -i s/a/b/ trees/inner/calc.py";
    assert_ne!(before_command(&ann, command), "deny");
}

#[test]
fn a_command_runs_where_its_call_says() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::create_dir(repo.join("src")).unwrap();
    fs::write(repo.join("src/auth.py"), "a = 1\n").unwrap();
    let _daemon = env.daemon();
    let cwd = repo.to_string_lossy();
    let said = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "g", "cwd": cwd, "hook_event_name": event });
        let members = payload.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let mut hook = env.command(aictx_tests::program("aictx"));
        hook.current_dir(&repo).args(["hook", "gemini", event]);
        let run = env.with_input(&mut hook, payload.to_string().as_bytes());
        run.ok().stdout
    };
    said(
        "BeforeAgent",
        json!({ "prompt": "Do not touch src/auth.py" }),
    );
    let before = |input: Value| {
        let call = json!({ "tool_name": "run_shell_command", "tool_input": input });
        said("BeforeTool", call)
    };
    let command = "sed -i s/a/b/ auth.py";
    for input in [
        json!({ "command": command, "dir_path": "src" }),
        json!({ "command": command, "directory": "./src" }),
        json!({ "command": command, "dir_path": repo.join("src") }),
        json!({ "command": "sed -i s/a/b/ ../src/auth.py", "dir_path": "src" }),
        json!({ "command": "sed -i s/a/b/ src/auth.py" }),
    ] {
        let answer = before(input.clone());
        assert!(answer.contains("deny"), "{input}: {answer}");
    }
    for input in [
        json!({ "command": command }),
        json!({ "command": "sed -i s/a/b/ src/auth.py", "dir_path": "src" }),
        json!({ "command": "cat auth.py", "dir_path": "src" }),
    ] {
        let answer = before(input.clone());
        assert!(!answer.contains("deny"), "{input}: {answer}");
    }
}
