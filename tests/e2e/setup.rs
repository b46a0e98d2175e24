//! `clean` and `uninstall` undo `init` and `install` to the byte, in whatever state
//! people's files are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use aictx_tests::TestEnv;

mod asked;
mod configurations;
mod doctor;
mod fired;
mod mcp;
mod permissions;
mod portable;
mod stealth;

/// A file: its bytes, or where it leads, and its mode.
type Shape = (String, Vec<u8>, u32);

/// Everything below a directory that is not git's or ours, and git's exclude file.
fn tree(root: &Path) -> BTreeMap<String, Shape> {
    fn walk(root: &Path, directory: &Path, into: &mut BTreeMap<String, Shape>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let git = name == ".git" || name.ends_with("/.git");
            if git {
                let exclude = path.join("info/exclude");
                let bytes = fs::read(&exclude).unwrap_or_default();
                into.insert(format!("{name}/info/exclude"), ("git".into(), bytes, 0));
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let mode = meta.permissions().mode();
            let shape = if meta.is_symlink() {
                let to = fs::read_link(&path).unwrap();
                ("link".into(), to.to_str().unwrap().into(), mode)
            } else if meta.is_dir() {
                walk(root, &path, into);
                ("directory".into(), Vec::new(), mode)
            } else {
                ("file".into(), fs::read(&path).unwrap(), mode)
            };
            into.insert(name, shape);
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const HOOKS_OF_THE_ANCESTOR: &str = r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command",
      "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/aictx_session_start.py", "timeout": 20}]}]
  }
}
"#;

/// A home in which every agent has been used, with files of the user's own.
fn home_of_many_agents(home: &Path) {
    write(
        home,
        ".claude/settings.json",
        "{\n  // mine\n  \"model\": \"x\",\n}\n",
    );
    write(
        home,
        ".claude.json",
        "{\"numStartups\": 3, \"mcpServers\": {\"a\": {\"command\": \"b\"}}}",
    );
    write(
        home,
        ".codex/config.toml",
        "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"",
    );
    write(home, ".codex/hooks.json", "{\"hooks\": {\"Stop\": []}}\r\n");
    write(
        home,
        ".gemini/settings.json",
        "\u{feff}{\r\n\t\"theme\": \"x\"\r\n}",
    );
    write(home, ".cursor/hooks.json", "{\"version\": 1}");
    write(home, ".copilot/config.json", "{}");
    write(
        home,
        ".config/opencode/opencode.json",
        "{\n  \"$schema\": \"x\"\n}\n",
    );
    write(home, ".codeium/windsurf/mcp_config.json", "");
    write(home, ".cline/x", "");
    write(home, "dotfiles/AGENTS.md", "mine\n");
}

#[test]
fn install_then_uninstall_is_nothing() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    home_of_many_agents(&home);
    // A user who keeps settings elsewhere in the home.
    fs::rename(
        home.join(".gemini/settings.json"),
        home.join("dotfiles/gemini.json"),
    )
    .unwrap();
    symlink(
        home.join("dotfiles/gemini.json"),
        home.join(".gemini/settings.json"),
    )
    .unwrap();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "claude"]).ok();
    let initialised = tree(&repo);
    assert!(initialised.contains_key(".claude/settings.local.json"));
    let before = tree(&home);
    let dry = env
        .aictx(&repo, &["install", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(tree(&home), before, "a dry run writes nothing");
    let diffs = dry["files"].as_array().unwrap();
    assert!(
        diffs
            .iter()
            .any(|f| f["diff"].as_str().unwrap_or("").contains("+ "))
    );

    let installed = env.aictx(&repo, &["install", "--json"]).ok().json();
    let agents: Vec<&str> = installed["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["agent"].as_str().unwrap())
        .collect();
    for agent in [
        "claude", "codex", "gemini", "cursor", "copilot", "opencode", "cline", "windsurf",
    ] {
        assert!(agents.contains(&agent), "{agents:?}");
    }
    let changed = tree(&home);
    assert_ne!(changed, before);
    let settings = fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    assert!(
        settings.contains("// mine") && settings.contains("SessionStart"),
        "{settings}"
    );
    assert!(
        fs::symlink_metadata(home.join(".gemini/settings.json"))
            .unwrap()
            .is_symlink(),
        "a link stays a link"
    );
    // The user's registration serves all repositories: nothing is told twice.
    assert!(!repo.join(".claude/settings.local.json").exists());
    env.aictx(&repo, &["install"]).ok();
    assert_eq!(tree(&home), changed, "twice is once");
    env.aictx(&repo, &["init"]).ok();
    assert!(!repo.join(".claude/settings.local.json").exists());

    let removed = env
        .aictx(&repo, &["uninstall", "--verify", "--json"])
        .ok()
        .json();
    for file in removed["verified"].as_array().unwrap() {
        assert_eq!(file["identical"], true, "{removed}");
    }
    assert_eq!(tree(&home), before, "{removed}");
    assert!(repo.join(".aictx").is_dir(), "memory stays");
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn what_a_user_adds_afterwards_stays() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    write(&home, ".claude/settings.json", "{\n  \"a\": 1\n}\n");
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["install", "--agents", "claude,codex"])
        .ok();
    let settings = home.join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(
        &settings,
        text.replacen("\"a\": 1", "\"a\": 2, // changed", 1),
    )
    .unwrap();
    let hooks = home.join(".codex/hooks.json");
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replacen('{', "{\n  \"mine\": true,", 1)).unwrap();
    let run = env.aictx(&repo, &["uninstall", "--verify", "--json"]);
    assert_eq!(run.status, 3, "{run:?}");
    assert!(
        run.stdout.contains("somebody has changed it since"),
        "{run:?}"
    );
    let left = fs::read_to_string(&settings).unwrap();
    assert!(
        left.contains("\"a\": 2") && left.contains("// changed") && !left.contains("aictx"),
        "{left}"
    );
    let left = fs::read_to_string(&hooks).unwrap();
    assert!(
        left.contains("\"mine\": true") && !left.contains("aictx"),
        "{left}"
    );
}

#[test]
fn memory_with_facts_is_moved_and_purging_deletes_it() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.aictx(
        &repo,
        &["finalize", "--status", "success", "--summary", "made it"],
    )
    .ok();
    let dry = env
        .aictx(&repo, &["clean", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(dry["dry_run"], true);
    assert!(repo.join(".aictx").is_dir());
    let reply = env.aictx(&repo, &["clean", "--json"]).ok().json();
    assert!(!repo.join(".aictx").exists());
    let archive = reply["archived"][0].as_str().unwrap();
    let log = fs::read_to_string(Path::new(archive).join("metrics/agent_execution_log.jsonl"))
        .or_else(|_| fs::read_to_string(Path::new(archive).join("continuity/handoffs.jsonl")))
        .unwrap();
    assert!(log.contains("made it"), "{log}");
    assert_eq!(
        env.aictx(&repo, &["clean"]).status,
        1,
        "there is nothing left to do"
    );

    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.aictx(
        &repo,
        &["finalize", "--status", "success", "--summary", "again"],
    )
    .ok();
    let refused = env.aictx(&repo, &["uninstall", "--purge"]);
    assert_eq!(refused.status, 2, "nobody can be asked: {refused:?}");
    assert!(repo.join(".aictx").is_dir());
    env.aictx(&repo, &["uninstall", "--purge", "--yes"]).ok();
    assert!(!repo.join(".aictx").exists());
    assert!(!env.path().join("state/aictx").exists());
    assert!(!env.path().join("cache/aictx").exists());
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn memory_that_git_tracks_is_not_taken_away() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.git(&repo, &["add", "-f", ".aictx/format.json"]);
    env.git(&repo, &["commit", "-qm", "shared"]);
    let run = env.aictx(&repo, &["clean"]);
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stderr.contains("--yes"), "{run:?}");
    assert!(repo.join(".aictx/format.json").exists());
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.aictx(&repo, &["clean", "--yes"]).ok();
    assert!(!repo.join(".aictx").exists());
}

#[test]
fn the_ancestors_entries_are_replaced_when_asked_for() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    write(&repo, ".claude/settings.json", HOOKS_OF_THE_ANCESTOR);
    write(&repo, ".claude/hooks/aictx_session_start.py", "# aictx\n");
    write(
        &repo,
        "AGENTS.md",
        "mine\n\n<!-- AICTX:START -->\nold\n<!-- AICTX:END -->\n",
    );
    write(
        &repo,
        ".vscode/mcp.json",
        r#"{"servers":{"aictx":{"command":"aictx","_aictx_managed":true}}}"#,
    );
    write(&repo, ".github/prompts/aictx-resume.prompt.md", "aictx\n");
    write(&repo, ".github/prompts/aictx-finalize.prompt.md", "aictx\n");
    write(
        &repo,
        ".gitignore",
        "\n.DS_Store\n# AICTX:START gitignore\n.aictx/\n# AICTX:END gitignore\n",
    );
    env.aictx(&repo, &["init", "--replace-ancestor", "--dry-run"])
        .ok();
    assert!(
        repo.join(".vscode/mcp.json").exists(),
        "a dry run removes nothing"
    );
    env.aictx(&repo, &["init", "--replace-ancestor", "--agents", "none"])
        .ok();
    for left in [".claude/hooks", ".vscode", ".github", ".gitignore"] {
        assert!(!repo.join(left).exists(), "{left} is left");
    }
    assert!(!repo.join(".claude/hooks/aictx_session_start.py").exists());
    let settings = fs::read_to_string(repo.join(".claude/settings.json")).unwrap_or_default();
    assert!(!settings.contains("aictx_session_start"), "{settings}");
    let text = fs::read_to_string(repo.join("AGENTS.md")).unwrap();
    assert!(
        text.starts_with("mine\n") && !text.contains("AICTX"),
        "{text}"
    );
}

#[test]
fn install_takes_the_options_of_the_python_program() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    let plan = |arguments: &[&str]| {
        let line = [&["install", "--dry-run", "--json"], arguments].concat();
        let plan = env.aictx(env.path(), &line).ok().json();
        let agents = plan["agents"].as_array().unwrap().iter();
        let mut names: Vec<String> = agents
            .filter_map(|agent| agent["agent"].as_str().map(str::to_owned))
            .collect();
        names.sort();
        names
    };
    assert_eq!(plan(&[]), ["claude"]);
    let both = [
        "--install-codex-global",
        "--with-repomap",
        "--manual",
        "--yes",
    ];
    assert_eq!(plan(&both), ["claude", "codex"]);
    assert_eq!(
        plan(&["--agents", "gemini", "--install-codex-global"]),
        ["codex", "gemini"]
    );
    assert_eq!(plan(&["--agents", "auto,gemini"]), ["claude", "gemini"]);
    assert!(plan(&["--agents", "none"]).is_empty());
    let repo = env.plain_repository("demo");
    let options = [
        "init",
        "--no-gitignore",
        "--no-mcp",
        "--mcp-profile",
        "full",
        "--no-banner",
    ];
    env.aictx(&repo, &options).ok();
    assert!(!repo.join(".gitignore").exists() && !repo.join(".mcp.json").exists());
}

#[test]
fn worktrees_are_cleaned_with_their_repository() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let tree_of = env.path().join("second");
    env.git(&repo, &["worktree", "add", "-q", tree_of.to_str().unwrap()]);
    let before = tree(&tree_of);
    env.aictx(&repo, &["init", "--agents", "claude"]).ok();
    env.aictx(&tree_of, &["init", "--agents", "claude"]).ok();
    assert!(tree_of.join(".claude/settings.local.json").exists());
    assert_eq!(env.git(&tree_of, &["status", "--porcelain"]), "");
    env.aictx(&repo, &["clean", "--verify"]).ok();
    assert_eq!(
        tree(&tree_of).keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}
