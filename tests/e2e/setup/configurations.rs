//! `init` and `clean` in whatever state people's files are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use aictx_tests::TestEnv;

use super::{HOOKS_OF_THE_ANCESTOR, Shape, tree, write};

/// Layout of somebody's files: a name, and how they come to be.
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
