//! Entries for the MCP server: written where agents look, working, and gone without a trace.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use aictx_tests::mcp::Mcp;
use aictx_tests::{TestEnv, program};
use serde_json::{Value, json};

use super::{home_of_many_agents, tree, write};

/// Place of each agent's entry in a home, and how to find it there.
const PLACES: &[(&str, &str, &str)] = &[
    ("claude", ".claude.json", "/mcpServers/aictx"),
    ("codex", ".codex/config.toml", ""),
    ("gemini", ".gemini/settings.json", "/mcpServers/aictx"),
    ("cursor", ".cursor/mcp.json", "/mcpServers/aictx"),
    ("copilot", ".copilot/mcp-config.json", "/mcpServers/aictx"),
    ("opencode", ".config/opencode/opencode.json", "/mcp/aictx"),
    (
        "cline",
        ".cline/data/settings/cline_mcp_settings.json",
        "/mcpServers/aictx",
    ),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "/mcpServers/aictx",
    ),
];

fn states(status: &Value) -> Vec<(&str, &str)> {
    let files = status["global"]["files"].as_array().unwrap();
    files
        .iter()
        .map(|file| {
            (
                file["agent"].as_str().unwrap(),
                file["state"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn entries_lead_to_a_server_that_works() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    home_of_many_agents(&home);
    let repo = env.repository("demo");
    let status = |arguments: &[&str]| env.aictx(&repo, arguments).ok().json();
    let before = tree(&home);
    assert_eq!(
        status(&["mcp", "status", "--json"])["global"]["enabled"],
        json!(false)
    );

    env.aictx(&repo, &["install", "--no-mcp"]).ok();
    let without = status(&["mcp", "status", "--json"]);
    assert!(
        states(&without)
            .iter()
            .all(|(_, state)| *state == "missing"),
        "{without}"
    );
    let hooks = tree(&home);

    let dry = status(&["mcp", "install", "--dry-run", "--json"]);
    assert_eq!(
        (&dry["dry_run"], &dry["changed"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(tree(&home), hooks, "a dry run writes nothing");
    let installed = status(&["mcp", "install", "--profile", "readonly", "--json"]);
    assert_eq!(installed["profile"], "readonly", "{installed}");
    let settings = |tree: &std::collections::BTreeMap<String, super::Shape>| {
        tree[".claude/settings.json"].clone()
    };
    assert_eq!(settings(&tree(&home)), settings(&hooks), "and nothing else");
    env.aictx(&repo, &["install"]).ok();
    let changed = tree(&home);
    env.aictx(&repo, &["install"]).ok();
    assert_eq!(tree(&home), changed, "twice is once");

    let registered = status(&["mcp", "status", "--json"]);
    let daemon = program("aictxd");
    for (agent, file, pointer) in PLACES {
        assert!(
            states(&registered).contains(&(agent, "registered")),
            "{agent}: {registered}"
        );
        let text = fs::read_to_string(home.join(file)).unwrap();
        if pointer.is_empty() {
            let command = format!("[mcp_servers.aictx]\ncommand = {daemon:?}\nargs = [\"mcp\"]\n");
            assert!(text.contains(&command), "{text}");
            continue;
        }
        let entry: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        let entry = entry.pointer(pointer).unwrap();
        let words = match &entry["command"] {
            Value::Array(words) => words.clone(),
            word => vec![word.clone(), entry["args"][0].clone()],
        };
        assert_eq!(words, [json!(daemon), json!("mcp")], "{agent}: {entry}");
    }
    let command = &registered["global"]["files"][0]["command"];
    let words: Vec<&str> = command
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w.as_str().unwrap())
        .collect();
    // An agent that keeps its environment to itself: the entry says where the daemon is.
    let text = fs::read_to_string(home.join(".claude.json")).unwrap();
    let entry: Value = serde_json::from_str(&text).unwrap();
    let told = entry["mcpServers"]["aictx"]["env"]
        .as_object()
        .unwrap()
        .clone();
    let told = told
        .into_iter()
        .map(|(name, value)| (name, value.as_str().unwrap().to_owned()));
    let mut command = std::process::Command::new(words[0]);
    command
        .args(&words[1..])
        .env_clear()
        .env("HOME", &home)
        .envs(told);
    let mut mcp = Mcp::run(command.current_dir(&repo));
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    mcp.request("initialize", &hello);
    mcp.facts("aictx_task_list", &json!({}));
    mcp.end();
    let methods = env.status().methods;
    assert!(methods.iter().any(|method| method.method == "task.list"));
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");

    // Without the server again: its entries go, hooks stay.
    env.aictx(&repo, &["install", "--no-mcp"]).ok();
    let without = status(&["mcp", "status", "--json"]);
    assert_eq!(without["global"]["enabled"], json!(false), "{without}");
    assert_eq!(tree(&home), hooks);
    env.aictx(&repo, &["install", "--no-mcp"]).ok();
    assert_eq!(tree(&home), hooks);
    env.aictx(&repo, &["mcp", "install"]).ok();

    let removed = status(&["uninstall", "--verify", "--json"]);
    for file in removed["verified"].as_array().unwrap() {
        assert_eq!(file["identical"], true, "{removed}");
    }
    assert_eq!(tree(&home), before, "{removed}");
}

#[test]
fn doctor_sees_entries_that_lead_nowhere() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    write(&home, ".claude/settings.json", "{}");
    let repo = env.repository("demo");
    let check = |name: &str| -> Value {
        let report = env.aictx(&repo, &["doctor", "--json"]).ok().json();
        let checks = report["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(check("mcp")["status"], "unknown");
    assert_eq!(check("mcp_server")["status"], "ok");
    env.aictx(&repo, &["mcp", "install"]).ok();
    assert_eq!(check("mcp")["status"], "ok");
    let file = home.join(".claude.json");
    let text = fs::read_to_string(&file).unwrap();
    let daemon = program("aictxd").to_string_lossy().into_owned();
    fs::write(&file, text.replace(&daemon, "/nowhere/aictxd")).unwrap();
    let broken = check("mcp");
    assert_eq!(broken["status"], "error", "{broken}");
    assert_eq!(broken["details"]["global"]["files"][0]["state"], "broken");
    env.aictx(&repo, &["doctor", "--fix", "--yes"]).ok();
    assert_eq!(check("mcp")["status"], "ok");
    fs::write(&file, "{\"mcpServers\": {").unwrap();
    assert_eq!(check("mcp")["status"], "warning");
    fs::write(&file, r#"{"mcpServers": {"aictx": {"command": "mine"}}}"#).unwrap();
    let own = check("mcp");
    assert_eq!(
        own["details"]["global"]["files"][0]["state"], "yours",
        "{own}"
    );
}

/// Layout of somebody's file for MCP servers; true if ours can be added.
type Configuration = (&'static str, &'static str, &'static str, bool);

const CONFIGURATIONS: &[Configuration] = &[
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"b\"}}, \"z\": 1}",
        true,
    ),
    (
        "claude",
        ".claude.json",
        "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}\r\n",
        true,
    ),
    (
        "claude",
        ".claude.json",
        "\u{feff}{ // mine\n  \"mcpServers\": {\n    \"a\": {}, /* last */\n  },\n}",
        true,
    ),
    ("claude", ".claude.json", "", true),
    ("claude", ".claude.json", "{\"mcpServers\": []}", false),
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": \"none\"}",
        false,
    ),
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        false,
    ),
    ("claude", ".claude.json", "{\"mcpServers\": {", false),
    ("claude", ".claude.json", "[]", false),
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {\"aictx\": {\"command\": \"mine\"}}}",
        false,
    ),
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {\"AICTX\": {\"command\": \"aictxd\", \"args\": [\"mcp\"]}}}",
        true,
    ),
    (
        "codex",
        ".codex/config.toml",
        "model = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\"",
        true,
    ),
    (
        "codex",
        ".codex/config.toml",
        "\n\n# only a comment\n\n\n",
        true,
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers]\nother = { command = \"y\" }\n",
        true,
    ),
    (
        "codex",
        ".codex/config.toml",
        "mcp_servers = { other = { command = \"y\" } }\n",
        false,
    ),
    (
        "codex",
        ".codex/config.toml",
        "mcp_servers.aictx.command = \"mine\"\n",
        false,
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.aictx]\ncommand = \"mine\"\n",
        false,
    ),
    (
        "codex",
        ".codex/config.toml",
        "[[mcp_servers]]\nname = \"x\"\n",
        false,
    ),
    ("codex", ".codex/config.toml", "model = \n", false),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  \"theme\": \"x\", // dark\n  \"hooks\": {}\n}",
        true,
    ),
    ("cursor", ".cursor/mcp.json", "{\"mcpServers\":{}}", true),
    (
        "copilot",
        ".copilot/mcp-config.json",
        "{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}\n",
        true,
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\n  \"$schema\": \"x\",\n  \"mcp\": {\"a\": {\"type\": \"local\"}}\n}",
        true,
    ),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\"}, // last\n  },\n}\n",
        true,
    ),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "{}", true),
    (
        "cline",
        ".cline/data/settings/cline_mcp_settings.json",
        "{\n\t\"mcpServers\": {\n\t}\n}",
        true,
    ),
];

#[test]
fn opencode_is_given_the_entry_in_the_file_that_it_reads_last() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    let repo = env.repository("demo");
    let files = |home: &Path| -> Vec<String> {
        let names = fs::read_dir(home.join(".config/opencode")).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("opencode"))
            .collect();
        names.sort();
        names
    };
    write(
        &home,
        ".config/opencode/opencode.jsonc",
        "{\n  // mine\n  \"model\": \"x\",\n}\n",
    );
    env.aictx(&repo, &["install", "--agents", "opencode"]).ok();
    assert_eq!(files(&home), ["opencode.jsonc"]);
    let text = fs::read_to_string(home.join(".config/opencode/opencode.jsonc")).unwrap();
    assert!(
        text.contains("// mine") && text.contains("aictxd"),
        "{text}"
    );
    // An entry that stands in the other file is kept up there, and goes from there.
    fs::remove_file(home.join(".config/opencode/opencode.jsonc")).unwrap();
    env.aictx(&repo, &["install", "--agents", "opencode"]).ok();
    write(&home, ".config/opencode/opencode.jsonc", "{}\n");
    let again = env
        .aictx(&repo, &["install", "--agents", "opencode", "--json"])
        .ok();
    let files_written = again.json()["files"].to_string();
    assert!(!files_written.contains("\"updated\""), "{files_written}");
    env.aictx(&repo, &["uninstall", "--yes"]).ok();
    assert_eq!(files(&home), ["opencode.jsonc"]);
}

/// Entries by our name that a user has switched off, one a dialect.
const SWITCHED_OFF: &[(&str, &str, &str)] = &[
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  // mine\n  \"mcp\": {\"aictx\": {\"type\":\"local\",\"command\":[\"/old/aictxd\",\"mcp\"],\"enabled\":false}}\n}\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\"mcp\": {\"aictx\": {\"enabled\": false}}}",
    ),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "{\"mcpServers\": {\"aictx\": {\"command\": \"mine\", \"disabled\": true}}}",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.aictx]\ncommand = \"/old/aictxd\"\nargs = [\"mcp\"]\nenabled = false\n",
    ),
];

#[test]
fn an_entry_that_is_switched_off_stays_and_is_reported() {
    for (agent, file, text) in SWITCHED_OFF {
        let env = TestEnv::new();
        let home = env.path().join("home");
        write(&home, file, text);
        let repo = env.repository("demo");
        let installed = env.aictx(&repo, &["install", "--agents", agent, "--json"]);
        let warnings = installed.json()["warnings"].to_string();
        assert!(warnings.contains("switched off"), "{agent}: {warnings}");
        assert_eq!(fs::read_to_string(home.join(file)).unwrap(), *text);
        let status = env.aictx(&repo, &["mcp", "status", "--json"]).ok().json();
        assert!(states(&status).contains(&(agent, "off")), "{status}");
        let shown = env.aictx(&repo, &["mcp", "status"]).ok().stdout;
        assert!(shown.contains("switched off"), "{shown}");
        env.aictx(&repo, &["uninstall", "--yes"]).ok();
        assert_eq!(fs::read_to_string(home.join(file)).unwrap(), *text);
    }
}

#[test]
fn agents_are_found_by_the_directories_that_their_variables_name() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let places = [
        ("CLAUDE_CONFIG_DIR", "cc", "claude"),
        ("CODEX_HOME", "cx", "codex"),
        ("COPILOT_HOME", "cp", "copilot"),
    ];
    for (variable, name, _) in places {
        let directory = env.path().join(name);
        env.set(variable, directory.to_str().unwrap());
    }
    let nothing = env.aictx(&repo, &["install", "--dry-run", "--json"]).json();
    assert_eq!(
        nothing["agents"],
        json!([]),
        "a directory that is not there"
    );
    for (_, name, _) in places {
        fs::create_dir(env.path().join(name)).unwrap();
    }
    let installed = env.aictx(&repo, &["install", "--json"]).ok().json();
    for (at, (_, name, agent)) in places.iter().enumerate() {
        assert_eq!(installed["agents"][at]["agent"], *agent, "{installed}");
        assert!(fs::read_dir(env.path().join(name)).unwrap().count() > 0);
    }
    let doctor = env.aictx(&repo, &["doctor", "--json"]).json().to_string();
    assert!(doctor.contains("Claude Code"), "{doctor}");
    env.aictx(&repo, &["uninstall", "--yes"]).ok();
    for (_, name, _) in places {
        let left = tree(&env.path().join(name));
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn entries_come_and_go_in_any_configuration() {
    for (number, (agent, file, text, fits)) in CONFIGURATIONS.iter().enumerate() {
        let env = TestEnv::new();
        let home = env.path().join("home");
        write(&home, file, text);
        let path = home.join(file);
        // Every other file lies elsewhere and is only linked, or is the user's alone.
        match number % 3 {
            0 => {
                fs::create_dir_all(home.join("dotfiles")).unwrap();
                fs::rename(&path, home.join("dotfiles/real")).unwrap();
                symlink(home.join("dotfiles/real"), &path).unwrap();
            }
            1 => fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap(),
            _ => {}
        }
        round_trip(
            &env,
            &home,
            agent,
            file,
            *fits,
            &["mcp", "install", "--agents", agent],
        );
        round_trip(
            &env,
            &home,
            agent,
            file,
            *fits,
            &["install", "--agents", agent],
        );
    }
}

fn round_trip(env: &TestEnv, home: &Path, agent: &str, file: &str, fits: bool, install: &[&str]) {
    let before = tree(home);
    let text = fs::read_to_string(home.join(file)).unwrap();
    let first = env.aictx(home, install);
    let after = fs::read_to_string(home.join(file)).unwrap();
    let entry = after != text && after.contains(program("aictxd").to_str().unwrap());
    assert_eq!(entry, fits, "{agent}: {text}\n{first:?}\n{after}");
    if !fits && !text.contains("mine") {
        assert!(first.status == 3 || agent == "gemini", "{text}: {first:?}");
    }
    let made = tree(home);
    let _ = env.aictx(home, install);
    assert_eq!(tree(home), made, "{text}: twice is once");
    let other = ["mcp", "install", "--agents", agent, "--profile", "full"];
    let _ = env.aictx(home, &other);
    let removed = env.aictx(home, &["uninstall", "--verify", "--json"]);
    assert_eq!(tree(home), before, "{text}\n{removed:?}");
}

#[test]
fn a_file_that_may_not_be_written_is_left_and_named() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    write(&home, ".cursor/mcp.json", "{}");
    symlink("/etc/hostname", home.join(".claude.json")).unwrap();
    let before = tree(&home);
    let run = env.aictx(&home, &["mcp", "install", "--agents", "claude", "--json"]);
    assert_eq!(run.status, 3, "{run:?}");
    assert_eq!(run.json()["ok"], json!(false));
    assert!(run.stdout.contains(".claude.json"), "{run:?}");
    assert_eq!(tree(&home), before);
}

#[test]
fn shared_entries_hold_no_path_of_this_machine() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    write(
        &repo,
        ".vscode/mcp.json",
        "{\n  // ours\n  \"servers\": {},\n}\n",
    );
    let before = tree(&repo);
    let init = [
        "init",
        "--shared",
        "--agents",
        "claude,copilot,cursor,gemini",
    ];
    let plain = env.plain_repository("plain");
    env.aictx(
        &plain,
        &["init", "--agents", "claude,copilot,cursor,gemini"],
    )
    .ok();
    assert!(!plain.join(".mcp.json").exists() && !plain.join(".vscode").exists());
    assert_eq!(env.git(&plain, &["status", "--porcelain"]), "");

    env.aictx(&repo, &init).ok();
    let places = [
        (".mcp.json", "/mcpServers/aictx"),
        (".cursor/mcp.json", "/mcpServers/aictx"),
        (".gemini/settings.json", "/mcpServers/aictx"),
    ];
    for (file, pointer) in places {
        let text = fs::read_to_string(repo.join(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let entry = value.pointer(pointer).unwrap();
        assert_eq!(
            (&entry["command"], &entry["args"]),
            (&json!("aictxd"), &json!(["mcp"]))
        );
    }
    let text = fs::read_to_string(repo.join(".vscode/mcp.json")).unwrap();
    assert!(
        text.contains("// ours") && text.contains("\"aictxd\""),
        "{text}"
    );
    // The program is found by its name, where it is on PATH.
    let own = program("aictxd");
    let own = own.parent().unwrap().to_str().unwrap();
    for (path, enabled) in [("/usr/bin:/bin", false), (own, true)] {
        let mut status = env.command(program("aictx"));
        let status = status.args(["mcp", "status", "--json"]).env("PATH", path);
        let status = env.with_input(status.current_dir(&repo), b"").ok().json();
        assert_eq!(status["repo"]["enabled"], json!(enabled), "{status}");
    }
    env.aictx(&repo, &["clean", "--repo", "--verify"]).ok();
    assert_eq!(tree(&repo), before);

    let none = env.plain_repository("none");
    let without = [&init[..], &["--no-mcp"]].concat();
    env.aictx(&none, &without).ok();
    assert!(!none.join(".mcp.json").exists() && !none.join(".cursor/mcp.json").exists());
}
