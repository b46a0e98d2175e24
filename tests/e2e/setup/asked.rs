//! Questions to a person at a terminal, and the effect of each answer.

use std::path::Path;

use aictx_tests::terminal::Terminal;
use aictx_tests::{TestEnv, program};

use super::{tree, write};

fn run(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Terminal {
    let mut command = env.command(program("aictx"));
    Terminal::run(command.args(arguments).current_dir(directory))
}

/// One question, one answer: the exit status and what was shown.
fn answered(
    env: &TestEnv,
    at: &Path,
    arguments: &[&str],
    question: &str,
    keys: &str,
) -> (i32, String) {
    let mut terminal = run(env, at, arguments);
    terminal.until(question);
    terminal.types(keys);
    terminal.end()
}

#[test]
fn install_shows_what_it_writes_and_asks() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    write(&home, ".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    write(&home, ".codex/config.toml", "model = \"x\"\n");
    let before = tree(&home);
    let question = "Write these files? [Y/n] ";
    // No, nonsense and the end of input are not yes.
    for keys in ["n\n", "what\n", "\u{4}"] {
        let (status, shown) = answered(&env, &home, &["install"], question, keys);
        assert_eq!(status, 0, "{shown}");
        assert!(
            shown.contains(".claude/settings.json") && shown.contains(".codex/config.toml"),
            "{shown}"
        );
        assert!(shown.contains("nothing was written"), "{shown}");
        assert_eq!(tree(&home), before, "{keys:?}");
    }
    let (status, shown) = answered(
        &env,
        &home,
        &["install", "--agents", "claude"],
        question,
        "\n",
    );
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("next: `aictx init`"), "{shown}");
    assert_ne!(tree(&home), before);
    // Nothing is left to write: nobody is asked.
    let (status, shown) = run(&env, &home, &["install", "--agents", "claude"]).end();
    assert!(status == 0 && !shown.contains("[Y/n]"), "{shown}");
    // With --yes and with --json neither, and a dry run shows lines and asks nothing.
    for more in [&["--yes"][..], &["--json"], &["--dry-run"]] {
        env.aictx(&home, &["uninstall"]).ok();
        assert_eq!(tree(&home), before);
        let arguments = [&["install", "--agents", "claude"][..], more].concat();
        let (status, shown) = run(&env, &home, &arguments).end();
        assert!(status == 0 && !shown.contains("[Y/n]"), "{shown}");
        assert_eq!(
            tree(&home) == before,
            more == ["--dry-run"],
            "{more:?}: {shown}"
        );
    }
}

#[test]
fn init_asks_nothing_and_shows_its_summary_before_the_map() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let (status, shown) = run(&env, &repo, &["init", "--agents", "none"]).end();
    assert_eq!(status, 0, "{shown}");
    assert!(
        shown.contains(".aictx/") && !shown.contains("[Y/n]"),
        "{shown}"
    );
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    let (status, shown) = run(&env, &repo, &["init", "--agents", "none"]).end();
    assert_eq!(status, 0, "{shown}");
}

#[test]
fn memory_is_deleted_only_when_a_person_says_so() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let said = ["finalize", "--status", "success", "--summary", "done"];
    env.aictx(&repo, &said).ok();
    let delete = ["clean", "--delete-memory"];
    for keys in ["\n", "n\n", "\u{4}"] {
        let (status, shown) = answered(&env, &repo, &delete, "[y/N] ", keys);
        assert_eq!(status, 2, "{shown}");
        assert!(shown.contains("nothing was done"), "{shown}");
    }
    let (status, shown) = answered(&env, &repo, &["uninstall", "--purge"], "[y/N] ", "no\n");
    assert_eq!(status, 2, "{shown}");
    assert!(repo.join(".aictx/continuity/handoff.json").exists());
    let (status, shown) = answered(&env, &repo, &delete, "[y/N] ", "y\n");
    assert_eq!(status, 0, "{shown}");
    assert!(!repo.join(".aictx").exists());
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let (status, shown) = answered(&env, &repo, &["uninstall", "--purge"], "[y/N] ", "yes\n");
    assert_eq!(status, 0, "{shown}");
    assert!(!repo.join(".aictx").exists() && !env.path().join("state/aictx").exists());
}
