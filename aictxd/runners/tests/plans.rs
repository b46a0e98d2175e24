//! Plans are carried out on text, in all scopes, for all agents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use aictx_runners::merge::{After, Content, Record, install, remove_everything, uninstall};
use aictx_runners::names;
use aictx_runners::plan::{
    Facts, Options, Paths, Scope, detect, instructions, plan, plan_all, trust,
};
use aictx_runners::registry::AGENTS;
use serde_json::Value;

const SCOPES: [Scope; 3] = [
    Scope::User,
    Scope::Repository { shared: false },
    Scope::Repository { shared: true },
];

fn paths() -> Paths {
    Paths {
        home: "/home/u".into(),
        config: "/home/u/.config".into(),
        repository: "/repo".into(),
        program: "/opt/my tools/aictx".into(),
        daemon: "/opt/my tools/aictxd".into(),
        claude: None,
        codex: None,
        copilot: None,
        opencode: "/home/u/.config/opencode/opencode.json".into(),
        variables: BTreeMap::new(),
    }
}

fn everything() -> Options {
    Options {
        undependable: true,
        vscode: true,
        ..Options::default()
    }
}

fn text_of(content: &Content) -> String {
    match install("f", None, content, false).unwrap().after {
        After::Write(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_plan_comes_and_goes() {
    let agents: Vec<&str> = names().collect();
    for scope in SCOPES {
        let mut disk: BTreeMap<String, String> = BTreeMap::new();
        disk.insert(
            "/home/u/.claude/settings.json".into(),
            "{\n\t// mine\n}".into(),
        );
        disk.insert(
            "/home/u/.codex/config.toml".into(),
            "model = \"x\"\r\n".into(),
        );
        disk.insert("/repo/AGENTS.md".into(), "# Mine\n\n\n".into());
        let before = disk.clone();
        let edits = plan_all(&agents, scope, &paths(), &everything()).unwrap();
        let mut records: Vec<(usize, Record)> = Vec::new();
        for (at, edit) in edits.iter().enumerate() {
            let there = disk.get(&edit.file).map(String::as_str);
            let outcome = install(&edit.file, there, &edit.content, false).unwrap();
            let After::Write(text) = outcome.after else {
                panic!("{}", edit.file)
            };
            disk.insert(edit.file.clone(), text);
            records.push((at, outcome.record.unwrap()));
        }
        for edit in &edits {
            let there = disk.get(&edit.file).map(String::as_str);
            let again = install(&edit.file, there, &edit.content, false).unwrap();
            assert_eq!(again.after, After::Unchanged, "{}", edit.file);
        }
        for (at, record) in records.iter().rev() {
            let edit = &edits[*at];
            let there = disk.get(&edit.file).map(String::as_str);
            let back = uninstall(&edit.file, there, &edit.content, Some(record)).unwrap();
            match back.after {
                After::Write(text) => drop(disk.insert(edit.file.clone(), text)),
                After::Delete => drop(disk.remove(&edit.file)),
                After::Unchanged => {}
            }
        }
        assert_eq!(disk, before, "{scope:?}");
    }
}

/// Without the plan and without the ledger.
#[test]
fn everything_of_ours_can_be_found_by_itself() {
    for agent in AGENTS {
        for scope in SCOPES {
            for edit in plan(agent.name(), scope, &paths(), &everything()).unwrap() {
                if matches!(edit.content, Content::Whole(_)) {
                    continue;
                }
                let text = text_of(&edit.content);
                let After::Write(left) = remove_everything(&edit.file, &text).unwrap().after else {
                    panic!("{}", edit.file)
                };
                assert!(
                    !left.to_lowercase().contains("aictx"),
                    "{}: {left}",
                    edit.file
                );
            }
        }
    }
}

#[test]
fn without_hooks_servers_and_blocks_nothing_is_planned() {
    let nothing = Options {
        hooks: false,
        mcp: false,
        instructions: false,
        ..everything()
    };
    for agent in AGENTS {
        for scope in SCOPES {
            let edits = plan(agent.name(), scope, &paths(), &nothing).unwrap();
            assert_eq!(edits, [], "{}", agent.name());
        }
    }
}

#[test]
fn a_clean_checkout_stays_clean() {
    for agent in AGENTS {
        let name = agent.name();
        let of = |scope, options: &Options| plan(name, scope, &paths(), options).unwrap();
        for edit in of(Scope::User, &everything()) {
            assert!(
                edit.file.starts_with("/home/u/") && !edit.shared,
                "{}",
                edit.file
            );
        }
        let local = of(Scope::Repository { shared: false }, &everything());
        for edit in &local {
            assert_eq!(
                (name, edit.file.as_str()),
                ("claude", "/repo/.claude/settings.local.json")
            );
        }
        // What the user has already is not registered once more.
        let registered = Options {
            user_has_hooks: true,
            ..everything()
        };
        assert_eq!(of(Scope::Repository { shared: false }, &registered), []);
        for edit in of(Scope::Repository { shared: true }, &everything()) {
            assert!(
                edit.file.starts_with("/repo/") && edit.shared,
                "{}",
                edit.file
            );
            let text = text_of(&edit.content);
            assert!(
                !text.contains("/opt/") && !text.contains("/home/"),
                "{}: {text}",
                edit.file
            );
        }
    }
}

/// Every event an adapter registers is in its plan, calls the program itself and is recognised.
#[test]
fn hooks_are_registered_for_every_event() {
    for agent in AGENTS {
        let only = Options {
            mcp: false,
            instructions: false,
            ..everything()
        };
        let edits = plan(agent.name(), Scope::User, &paths(), &only).unwrap();
        let all: String = edits
            .iter()
            .map(|e| format!("{}\n{}", e.file, text_of(&e.content)))
            .collect();
        for event in agent.events().iter().filter(|event| event.registered) {
            let known = all.contains(event.name) || event.name.starts_with("session.");
            assert!(known, "{}: {}", agent.name(), event.name);
        }
        if !edits.is_empty() {
            assert!(all.contains("/opt/my tools/aictx"), "{all}");
        }
        for edit in &edits {
            let text = text_of(&edit.content);
            let gone = uninstall(&edit.file, Some(&text), &edit.content, None).unwrap();
            let left = match gone.after {
                After::Write(left) => left,
                _ => String::new(),
            };
            assert!(!left.contains("aictx"), "{left}");
        }
    }
}

#[test]
fn no_shell_stands_in_the_way_where_there_need_be_none() {
    let options = Options {
        mcp: false,
        ..everything()
    };
    let edits = plan("claude", Scope::User, &paths(), &options).unwrap();
    let value: Value = serde_json::from_str(&text_of(&edits[0].content)).unwrap();
    for (event, list) in value["hooks"].as_object().unwrap() {
        let handler = &list[0]["hooks"][0];
        assert_eq!(handler["command"], "/opt/my tools/aictx");
        assert_eq!(
            handler["args"],
            serde_json::json!(["hook", "claude", event])
        );
    }
    let gemini = plan("gemini", Scope::User, &paths(), &options).unwrap();
    let text = text_of(&gemini[0].content);
    assert!(
        text.contains("'/opt/my tools/aictx' hook gemini BeforeTool"),
        "{text}"
    );
    assert!(text.contains("\"timeout\": 5000"), "milliseconds");
}

/// Command lines that shells run for an agent, wherever they stand in its files.
fn command_lines(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) if !members.contains_key("args") => {
            let own = ["command", "bash"].iter();
            let own = own.filter_map(|name| Some(members.get(*name)?.as_str()?.to_owned()));
            own.chain(members.values().flat_map(command_lines))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(command_lines).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_hook_does_nothing_where_the_program_is_not_there() {
    let run = |line: &str| {
        let shell = std::process::Command::new("sh").args(["-c", line]).output();
        let ran = shell.unwrap();
        (ran.status.code(), ran.stdout.len())
    };
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("my tools");
    let gone = Paths {
        program: program.to_str().unwrap().into(),
        ..paths()
    };
    let options = Options {
        mcp: false,
        instructions: false,
        ..everything()
    };
    let mut seen = 0;
    for agent in names() {
        let edits = plan(agent, Scope::User, &gone, &options).unwrap();
        let hooks = edits.iter().filter(|edit| !edit.file.ends_with(".js"));
        for edit in hooks {
            let text = text_of(&edit.content);
            let lines = match serde_json::from_str(&text) {
                Ok(value) => command_lines(&value),
                Err(_) => vec![text],
            };
            for line in lines.iter().filter(|line| line.contains(" hook ")) {
                assert_eq!(run(line), (Some(0), 0), "{agent}: {line}");
                // Where it is, its answer and its exit status are the hook's.
                std::fs::write(&program, "#!/bin/sh\necho \"$2\"\nexit 2\n").unwrap();
                let all = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(&program, all).unwrap();
                assert_eq!(run(line), (Some(2), agent.len() + 1), "{agent}: {line}");
                std::fs::remove_file(&program).unwrap();
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

/// Copilot stops a tool when its hook fails, Codex refuses a file with members it does not know.
#[test]
fn files_have_the_members_their_agents_want() {
    let shared = Scope::Repository { shared: true };
    let edits = plan("copilot", shared, &paths(), &everything()).unwrap();
    let hooks = edits
        .iter()
        .find(|edit| edit.file.ends_with("hooks/aictx.json"))
        .unwrap();
    let value: Value = serde_json::from_str(&text_of(&hooks.content)).unwrap();
    assert_eq!(value["version"], 1);
    let bash = value["hooks"]["preToolUse"][0]["bash"].as_str().unwrap();
    assert!(bash.ends_with("|| true"), "{bash}");
    let codex = plan("codex", Scope::User, &paths(), &everything()).unwrap();
    let value: Value = serde_json::from_str(&text_of(&codex[0].content)).unwrap();
    assert_eq!(
        value.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["hooks"]
    );
    assert_eq!(value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
    let toml = text_of(&codex[1].content);
    assert!(
        toml.contains("[mcp_servers.aictx]\ncommand = \"/opt/my tools/aictxd\"\nargs = [\"mcp\"]"),
        "{toml}"
    );
    let profile = Options {
        mcp_profile: Some("readonly".into()),
        ..everything()
    };
    let opencode = plan("opencode", Scope::User, &paths(), &profile).unwrap();
    let text = text_of(&opencode[1].content);
    assert!(
        text.contains(r#"["/opt/my tools/aictxd", "mcp", "--profile", "readonly"]"#),
        "{text}"
    );
}

#[test]
fn what_two_agents_read_is_written_once() {
    let both = plan_all(&["claude", "copilot"], Scope::User, &paths(), &everything()).unwrap();
    let alone = plan("claude", Scope::User, &paths(), &everything()).unwrap();
    let settings = |edits: &[aictx_runners::plan::Edit]| {
        let mut of = edits
            .iter()
            .filter(|edit| edit.file.ends_with("/.claude/settings.json"));
        let first = text_of(&of.next().unwrap().content);
        assert!(of.next().is_none());
        first
    };
    assert_eq!(settings(&both), settings(&alone));
    let copilot = plan("copilot", Scope::User, &paths(), &everything()).unwrap();
    assert_eq!(settings(&copilot), settings(&alone));
}

#[test]
fn instruction_blocks_are_short() {
    for text in [instructions::WITH_HOOKS, instructions::WITHOUT_HOOKS] {
        // Four characters a token is what most tokenizers need for English; words and marks count
        // more in shell lines.
        let tokens = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .count()
            + text.chars().filter(|c| c.is_ascii_punctuation()).count();
        assert!(tokens <= 400, "{tokens}");
        assert!(text.len() <= 1_600 && text.lines().count() <= 40);
    }
}

#[test]
fn agents_are_detected_by_what_is_there() {
    struct Home(
        &'static [&'static str],
        &'static [&'static str],
        &'static [&'static str],
        &'static [&'static str],
    );
    impl Facts for Home {
        fn at_variable(&self, variable: &str) -> bool {
            self.3.contains(&variable)
        }
        fn in_home(&self, path: &str) -> bool {
            self.0.contains(&path)
        }
        fn on_path(&self, program: &str) -> bool {
            self.1.contains(&program)
        }
        fn in_repository(&self, path: &str) -> bool {
            self.2.contains(&path)
        }
    }
    assert_eq!(detect(&Home(&[], &[], &[], &[])), []);
    let found = detect(&Home(&[".codex"], &["claude"], &["GEMINI.md"], &[]));
    let names: Vec<_> = found.iter().map(|d| (d.agent, d.only_repository)).collect();
    assert_eq!(
        names,
        [("claude", false), ("codex", false), ("gemini", true)]
    );
    assert_eq!(found[0].evidence, "`claude` is on the search path");
    let variables = &["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"];
    let found = detect(&Home(&[], &[], &[], variables));
    let names: Vec<_> = found.iter().map(|d| (d.agent, d.only_repository)).collect();
    assert_eq!(
        names,
        [("claude", false), ("codex", false), ("copilot", false)]
    );
    assert_eq!(found[1].evidence, "the directory in $CODEX_HOME exists");
}

#[test]
fn trust_is_explained_and_never_taken() {
    let steps = |agent| trust(agent, Scope::User, &paths(), &everything()).unwrap();
    assert!(
        steps("codex")[0]
            .how
            .iter()
            .any(|step| step.contains("/hooks"))
    );
    let gemini = &steps("gemini")[0];
    let write = gemini.write.as_ref().unwrap();
    assert_eq!(
        text_of(&write.content).trim(),
        "{\n  \"/repo\": \"TRUST_FOLDER\"\n}"
    );
    // A decision that the user has taken stays.
    let said = "{\"/repo\": \"DO_NOT_TRUST\"}";
    let outcome = install(&write.file, Some(said), &write.content, false).unwrap();
    assert_eq!(outcome.after, After::Unchanged);
    let key = "/home/u/.codex/hooks.json:pre_tool_use:0:0".to_owned();
    let edits = aictx_runners::plan::codex_trust(
        "/home/u/.codex/config.toml",
        &[(key.clone(), "sha256:1".into())],
    );
    let text = text_of(&edits[0].content);
    assert!(
        text.contains(&format!(
            "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:1\""
        )),
        "{text}"
    );
    for agent in AGENTS {
        for edit in plan(agent.name(), Scope::User, &paths(), &everything()).unwrap() {
            assert!(!text_of(&edit.content).contains("trust"), "{}", edit.file);
        }
    }
}
