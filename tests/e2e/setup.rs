//! What `init` and `install` write, `clean` and `uninstall` take out to the byte, in whatever state
//! people's files are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

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

/// What somebody's files look like: a name, and how they come to be.
type Configuration = (&'static str, fn(&Path));

/// Configurations that people have.
fn configurations() -> Vec<Configuration> {
    vec![
        ("nothing", |_| {}),
        ("AGENTS.md with three blank lines at its end", |r| {
            write(r, "AGENTS.md", "# Rules\n\nBe kind.\n\n\n\n");
        }),
        ("AGENTS.md without a final newline", |r| {
            write(r, "AGENTS.md", "# Rules");
        }),
        ("CLAUDE.md with CRLF", |r| {
            write(r, "CLAUDE.md", "# Rules\r\n\r\nBe kind.\r\n");
        }),
        ("CLAUDE.md with a byte order mark", |r| {
            write(r, "CLAUDE.md", "\u{feff}# Rules\n");
        }),
        ("settings with permissions", |r| {
            let text = "{\n  \"permissions\": {\"deny\": [\"Bash(rm:*)\"]},\n  \"env\": {\"A\": \"1\"}\n}\n";
            write(r, ".claude/settings.json", text);
            write(r, ".claude/settings.local.json", text);
        }),
        ("settings with comments", |r| {
            let text = "{ // mine\n  \"env\": {}, /* and */\n}\n";
            write(r, ".claude/settings.json", text);
            write(r, ".claude/settings.local.json", text);
        }),
        ("settings in one line without a newline", |r| {
            write(r, ".claude/settings.local.json", "{\"a\":1}");
            write(r, ".claude/settings.json", "{}");
        }),
        ("settings with tabs and CRLF", |r| {
            let text = "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {}\r\n}\r\n";
            write(r, ".claude/settings.json", text);
            write(r, ".claude/settings.local.json", text);
        }),
        ("settings with a byte order mark", |r| {
            write(
                r,
                ".claude/settings.local.json",
                "\u{feff}{\n  \"a\": 1\n}\n",
            );
        }),
        ("settings that do not parse", |r| {
            write(r, ".claude/settings.json", "{ \"a\" 1 }");
            write(r, ".claude/settings.local.json", "not json at all");
        }),
        ("settings with a name twice", |r| {
            write(
                r,
                ".claude/settings.local.json",
                "{\"hooks\": {}, \"hooks\": {}}",
            );
        }),
        ("hooks of another type", |r| {
            write(r, ".claude/settings.local.json", "{\"hooks\": []}");
        }),
        ("own hooks before a tool", |r| {
            let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}],"Stop":[]}}"#;
            write(r, ".claude/settings.json", text);
            write(r, ".claude/settings.local.json", text);
        }),
        ("empty settings", |r| {
            write(r, ".claude/settings.local.json", "")
        }),
        ("another MCP server, names unsorted", |r| {
            write(
                r,
                ".mcp.json",
                "{\n  \"z\": 1,\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } },\n  \"a\": 2\n}\n",
            );
        }),
        ("an MCP server of the user called aictx", |r| {
            write(
                r,
                ".mcp.json",
                "{\"mcpServers\": {\"aictx\": {\"command\": \"mine\"}}}\n",
            );
        }),
        ("VS Code's servers with comments", |r| {
            write(
                r,
                ".vscode/mcp.json",
                "{\n  // servers\n  \"servers\": {},\n}\n",
            );
        }),
        ("an own line in .gitignore without a newline", |r| {
            write(r, ".gitignore", "target\n.aictx/");
        }),
        ("own lines in the exclude file, no newline", |r| {
            fs::write(r.join(".git/info/exclude"), "# mine\n*.o").unwrap();
        }),
        ("the exclude file has our line", |r| {
            fs::write(r.join(".git/info/exclude"), "/.aictx/\n").unwrap();
        }),
        ("no info directory", |r| {
            fs::remove_dir_all(r.join(".git/info")).unwrap();
        }),
        ("Copilot's instructions with notes", |r| {
            write(r, ".github/copilot-instructions.md", "Notes\n");
        }),
        ("instructions with other front matter", |r| {
            let text = "---\napplyTo: \"src/**\"\n---\nmine\n";
            write(r, ".github/instructions/aictx.instructions.md", text);
        }),
        ("markers in the wrong order", |r| {
            write(
                r,
                "AGENTS.md",
                "a\n<!-- AICTX:END agents -->\nb\n<!-- AICTX:START agents -->\nc\n",
            );
        }),
        ("CLAUDE.md is a link to AGENTS.md", |r| {
            write(r, "AGENTS.md", "# One\n");
            symlink("AGENTS.md", r.join("CLAUDE.md")).unwrap();
        }),
        ("settings are a link out of the repository", |r| {
            let outside = r.parent().unwrap().join("outside.json");
            fs::write(&outside, "{\"mine\": true}\n").unwrap();
            fs::create_dir_all(r.join(".claude")).unwrap();
            symlink(&outside, r.join(".claude/settings.local.json")).unwrap();
        }),
        ("the settings' directory is a link inside", |r| {
            write(r, "config/claude/settings.local.json", "{\n}\n");
            symlink("config/claude", r.join(".claude")).unwrap();
        }),
        ("settings are a link to nothing", |r| {
            fs::create_dir_all(r.join(".claude")).unwrap();
            symlink("nowhere.json", r.join(".claude/settings.local.json")).unwrap();
        }),
        ("read-only files", |r| {
            write(r, "AGENTS.md", "# Rules\n");
            write(r, ".claude/settings.local.json", "{}\n");
            for file in ["AGENTS.md", ".claude/settings.local.json"] {
                fs::set_permissions(r.join(file), fs::Permissions::from_mode(0o444)).unwrap();
            }
        }),
        ("private settings", |r| {
            write(r, ".claude/settings.local.json", "{}\n");
            let mode = fs::Permissions::from_mode(0o600);
            fs::set_permissions(r.join(".claude/settings.local.json"), mode).unwrap();
        }),
        ("a file with two names", |r| {
            write(r, ".claude/settings.local.json", "{\n}\n");
            fs::hard_link(r.join(".claude/settings.local.json"), r.join("other.json")).unwrap();
        }),
        ("hooks and blocks of the ancestor", |r| {
            write(r, ".claude/settings.json", HOOKS_OF_THE_ANCESTOR);
            write(r, ".claude/hooks/aictx_session_start.py", "# aictx\n");
            write(
                r,
                "CLAUDE.md",
                "mine\n\n<!-- AICTX:START -->\nold\n<!-- AICTX:END -->\n",
            );
            write(
                r,
                ".gitignore",
                "# AICTX:START gitignore\n.aictx/\n# AICTX:END gitignore\n",
            );
        }),
        ("a directory in the place of a file", |r| {
            fs::create_dir_all(r.join(".claude/settings.local.json")).unwrap();
        }),
        ("a file that is not UTF-8", |r| {
            write(r, ".claude/keep", "");
            fs::write(r.join(".claude/settings.local.json"), b"{\"a\": \"\xff\"}").unwrap();
        }),
        ("a large file", |r| {
            let text = format!(
                "{{\n  \"a\": [{}1]\n}}\n",
                "\"xxxxxxxxxxxxxxxx\",\n".repeat(100_000)
            );
            write(r, ".claude/settings.local.json", &text);
        }),
    ]
}

#[test]
fn init_then_clean_is_nothing_in_any_configuration() {
    let env = TestEnv::new();
    for shared in [false, true] {
        for (number, (name, configure)) in configurations().into_iter().enumerate() {
            let repo = env.plain_repository(&format!("r{shared}{number}"));
            configure(&repo);
            let before = tree(&repo);
            let status = env.git(&repo, &["status", "--porcelain", "--ignored"]);
            let mut init = vec![
                "init",
                "--agents",
                "claude,codex,copilot,cursor,gemini",
                "--json",
            ];
            if shared {
                init.push("--shared");
            }
            let first = env.aictx(&repo, &init).ok();
            let made = tree(&repo);
            assert!(
                made != before || name.contains("has our line"),
                "{name}: something was written: {}",
                first.stdout
            );
            if !shared {
                let now = env.git(&repo, &["status", "--porcelain"]);
                let plain = env.git(&repo, &["status", "--porcelain"]);
                assert_eq!(now, plain);
                assert!(!now.contains(".aictx"), "{name}: {now}");
            }
            env.aictx(&repo, &init).ok();
            let again = tree(&repo);
            let without = |tree: &BTreeMap<String, Shape>| {
                let mut tree = tree.clone();
                tree.retain(|file, _| !file.starts_with(".aictx"));
                tree
            };
            assert_eq!(without(&made), without(&again), "{name}: twice is once");
            let clean = env.aictx(&repo, &["clean", "--repo", "--verify", "--json"]);
            assert!([0, 3].contains(&clean.status), "{name}: {clean:?}");
            let after = tree(&repo);
            assert_eq!(before, after, "{name}: {}", clean.stdout);
            assert_eq!(
                status,
                env.git(&repo, &["status", "--porcelain", "--ignored"]),
                "{name}"
            );
            let reply = clean.json();
            for file in reply["verified"].as_array().into_iter().flatten() {
                assert_eq!(file["identical"], true, "{name}: {reply}");
            }
        }
    }
}

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
    env.aictx(&repo, &["init", "--replace-ancestor"]).ok();
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

#[test]
fn doctor_finds_what_is_wrong_and_mends_what_is_safe() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    let repo = env.plain_repository("demo");
    let look = |arguments: &[&str]| {
        let all = [&["doctor", "--json"], arguments].concat();
        let run = env.aictx(&repo, &all);
        (run.status, run.json())
    };
    let status = |reply: &Value, name: &str| {
        let checks = reply["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["name"] == name);
        check.unwrap_or_else(|| panic!("{name}: {reply}"))["status"].clone()
    };
    let (code, reply) = look(&["--exit-code"]);
    assert_eq!((code, &reply["status"]), (20, &json!("error")));
    assert_eq!(status(&reply, "repo_initialized"), "error");
    assert!(!repo.join(".aictx").exists(), "looking writes nothing");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.aictx(&repo, &["repo", "remove"]).ok();
    let (code, reply) = look(&[]);
    assert_eq!(code, 0);
    assert_eq!(status(&reply, "repo_registered"), "error");
    assert_eq!(status(&reply, "hooks_claude"), "warning");
    let (_, reply) = look(&["--fix"]);
    for name in [
        "repo_registered",
        "hooks_claude",
        "daemon",
        "state_readable",
        "git_hides_memory",
    ] {
        assert_eq!(status(&reply, name), "ok", "{name}: {reply}");
    }
    fs::write(repo.join(".aictx/continuity/handoff.json"), "{").unwrap_or_else(|_| {
        fs::create_dir_all(repo.join(".aictx/continuity")).unwrap();
        fs::write(repo.join(".aictx/continuity/handoff.json"), "{").unwrap();
    });
    fs::write(home.join(".claude/settings.json"), "{ \"a\" 1 }").unwrap();
    let (_, reply) = look(&[]);
    assert_eq!(status(&reply, "state_readable"), "warning", "{reply}");
    assert_eq!(status(&reply, "hooks_claude"), "error", "{reply}");
}

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
    assert!(first.contains("deny") && second.is_empty(), "{second}");
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
