//! Other people's files survive us: whatever stands in them, however it is written.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use aictx_runners::merge::{
    After, Block, Comment, Content, Entry, Item, MergeError, Note, Outcome, Problem, Record, Rule,
    Table, Whole, install, remove_ancestor, uninstall,
};
use jsonc_parser::ast::Value as Ast;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn hooks(program: &str) -> Content {
    let element = |event: &str| Item {
        path: vec!["hooks".into(), event.into()],
        value: json!({"hooks": [{"type": "command", "command": program,
            "args": ["hook", "claude", event], "timeout": 5}]}),
        rule: Rule::Element,
    };
    Content::Json(vec![
        Item {
            path: vec!["version".into()],
            value: json!(1),
            rule: Rule::Default,
        },
        element("SessionStart"),
        element("PreToolUse"),
        Item {
            path: vec!["mcpServers".into(), "aictx".into()],
            value: json!({"command": "/opt/aictxd", "args": ["mcp"]}),
            rule: Rule::Server,
        },
    ])
}

fn put(text: Option<&str>, content: &Content) -> Result<Outcome, MergeError> {
    install("settings.json", text, content, false)
}

fn written(outcome: &Outcome) -> String {
    match &outcome.after {
        After::Write(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// Returns the meaning of a file, apart from its layout.
fn meaning(text: &str) -> Value {
    fn value(ast: &Ast<'_>) -> Value {
        match ast {
            Ast::StringLit(text) => json!(text.value),
            Ast::NumberLit(number) => json!({ "number": number.value }),
            Ast::BooleanLit(flag) => json!(flag.value),
            Ast::NullKeyword(_) => Value::Null,
            Ast::Array(list) => list.elements.iter().map(value).collect(),
            // A list, so that order and repetition count.
            Ast::Object(object) => object
                .properties
                .iter()
                .map(|prop| json!({ "member": prop.name.as_str(), "value": value(&prop.value) }))
                .collect(),
        }
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default());
    parsed.unwrap().value.as_ref().map_or(Value::Null, value)
}

/// Everything in `before` stands in `after`, in the same order.
fn kept(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            let mut rest = after.iter();
            before.iter().all(|b| rest.any(|a| kept(b, a)))
        }
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .all(|(name, value)| after.get(name).is_some_and(|now| kept(value, now))),
        _ => before == after,
    }
}

/// A source of choices, so that how a value is written is as random as the value.
struct Choices<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Choices<'_> {
    fn next(&mut self, of: u8) -> u8 {
        self.at += 1;
        self.bytes[self.at % self.bytes.len()].wrapping_add(self.at as u8) % of
    }

    fn blank(&mut self, newline: &str) -> String {
        let next = self.next(12);
        match next {
            0 => " ".into(),
            1 => format!("{newline}  "),
            2 => newline.into(),
            3 => format!("{newline}\t"),
            4 => format!(" // it's \"odd\" {{[,{newline}"),
            5 => " /* a, \"b\": [ */ ".into(),
            6 => format!("/* over{newline}lines */"),
            7 => format!("{newline}{newline}    "),
            _ => String::new(),
        }
    }
}

fn write(out: &mut String, value: &Value, c: &mut Choices<'_>, newline: &str) {
    let (open, close, parts): (_, _, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(map) => ('{', '}', map.iter().map(|(k, v)| (Some(k), v)).collect()),
        Value::Array(list) => ('[', ']', list.iter().map(|v| (None, v)).collect()),
        scalar => return out.push_str(&scalar.to_string()),
    };
    out.push(open);
    let count = parts.len();
    for (at, (name, value)) in parts.into_iter().enumerate() {
        out.push_str(&c.blank(newline));
        if let Some(name) = name {
            out.push_str(&json!(name).to_string());
            out.push_str(&c.blank(newline));
            out.push(':');
            out.push_str(&c.blank(newline));
        }
        write(out, value, c, newline);
        if at + 1 < count || c.next(3) == 0 {
            out.push_str(&c.blank(newline));
            out.push(',');
        }
    }
    out.push_str(&c.blank(newline));
    out.push(close);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/{}\\[\\],é]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z]{1,3}", inner), 0..4)
                .prop_map(|list| Value::Object(list.into_iter().collect())),
        ]
    })
}

/// Settings with groups and handlers of the user's own, on our way and beside it.
fn any_settings() -> impl Strategy<Value = Value> {
    let group = prop_oneof![
        Just(json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]})),
        Just(json!({"hooks": []})),
        any_value(),
    ];
    let groups = proptest::collection::vec(group, 0..3);
    let events = proptest::collection::vec(
        (
            prop::sample::select(vec!["PreToolUse", "Stop", "Other"]),
            groups,
        ),
        0..3,
    );
    (
        any_value(),
        proptest::option::of(events),
        any::<bool>(),
        any_value(),
    )
        .prop_map(|(first, events, servers, last)| {
            let mut root = Map::new();
            root.insert("first".into(), first);
            if let Some(events) = events {
                let lists = events.into_iter();
                let lists = lists.map(|(name, list)| (name.to_owned(), Value::from(list)));
                root.insert("hooks".into(), Value::Object(lists.collect()));
            }
            if servers {
                root.insert("mcpServers".into(), json!({"other": {"command": "npx"}}));
            }
            root.insert("last".into(), last);
            Value::Object(root)
        })
}

fn any_text() -> impl Strategy<Value = String> {
    let seed = proptest::collection::vec(any::<u8>(), 8..40);
    (any_settings(), seed, any::<bool>(), any::<bool>(), 0..4_u8).prop_map(
        |(value, seed, crlf, mark, style)| {
            let newline = if crlf { "\r\n" } else { "\n" };
            let mut c = Choices {
                bytes: &seed,
                at: 0,
            };
            let mut text = String::new();
            if mark {
                text.push('\u{feff}');
            }
            match style {
                0 => text.push_str(&value.to_string()),
                1 => text.push_str(
                    &serde_json::to_string_pretty(&value)
                        .unwrap()
                        .replace('\n', newline),
                ),
                _ => {
                    text.push_str(&c.blank(newline));
                    write(&mut text, &value, &mut c, newline);
                }
            }
            text.push_str(&c.blank(newline));
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn install_then_uninstall_is_the_identity(text in any_text()) {
        let content = hooks("/opt/aictx");
        let installed = put(Some(&text), &content).unwrap();
        let now = written(&installed);
        prop_assert!(kept(&meaning(&text), &meaning(&now)), "{now}");
        prop_assert_eq!(put(Some(&now), &content).unwrap().after, After::Unchanged);
        let back = uninstall("settings.json", Some(&now), &content, installed.record.as_ref()).unwrap();
        prop_assert_eq!(back.after, After::Write(text));
    }

    /// Without anything remembered what was there stays, and nothing of ours does.
    #[test]
    fn entries_are_found_without_a_record(text in any_text()) {
        let content = hooks("/opt/aictx");
        let now = written(&put(Some(&text), &content).unwrap());
        let back = written(&uninstall("settings.json", Some(&now), &content, None).unwrap());
        prop_assert!(!back.contains("/opt/aictx"), "{back}");
        let before = meaning(&text);
        let mut after = meaning(&back);
        // Empty lists and objects on our way cannot be told from ours.
        fn without_empty(value: &Value, names: &[&str]) -> Value {
            let Some(members) = value.as_array() else { return value.clone() };
            let kept = members.iter().filter_map(|member| {
                let name = member.get("member").and_then(Value::as_str);
                if !name.is_some_and(|name| names.contains(&name)) {
                    return Some(member.clone());
                }
                let inner = without_empty(&member["value"], &["PreToolUse", "SessionStart"]);
                (inner != json!([])).then(|| json!({"member": name, "value": inner}))
            });
            kept.collect()
        }
        // The version that was put in for the agent's sake stays.
        if let Some(list) = after.as_array_mut() {
            list.retain(|member| member["member"] != "version");
        }
        let names = ["hooks", "mcpServers"];
        prop_assert_eq!(without_empty(&before, &names), without_empty(&after, &names));
    }

    /// Somebody goes on editing the file before we are removed: their edit stays, ours goes.
    #[test]
    fn later_edits_survive_removal(text in any_text()) {
        let content = hooks("/opt/aictx");
        let installed = put(Some(&text), &content).unwrap();
        let now = written(&installed);
        let theirs = Content::Json(vec![Item {
            path: vec!["mcpServers".into(), "later".into()],
            value: json!({"command": "later"}),
            rule: Rule::Server,
        }]);
        let edited = written(&put(Some(&now), &theirs).unwrap());
        let back = uninstall("settings.json", Some(&edited), &content, installed.record.as_ref());
        let back = written(&back.unwrap());
        prop_assert!(!back.contains("/opt/aictx"), "{back}");
        let after = meaning(&back);
        prop_assert!(kept(&meaning(&text), &after), "{back}");
        prop_assert!(back.contains("later"));
    }

    /// Another version puts in other entries; both go at once.
    #[test]
    fn an_upgrade_replaces_and_can_be_undone(text in any_text()) {
        let first = put(Some(&text), &hooks("/opt/old/aictx")).unwrap();
        let old = written(&first);
        let second = put(Some(&old), &hooks("/opt/new/aictx")).unwrap();
        let new = written(&second);
        prop_assert!(!new.contains("/opt/old/"), "{new}");
        let record = second.record.unwrap().following(&first.record.unwrap());
        let back = uninstall("settings.json", Some(&new), &hooks("/opt/new/aictx"), Some(&record)).unwrap();
        prop_assert_eq!(back.after, After::Write(text));
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}|[\\[\\]{}\",:/*a\\n]{0,40}") {
        if let Ok(outcome) = put(Some(&text), &hooks("/opt/aictx")) {
            let now = written(&outcome);
            let back = uninstall("f", Some(&now), &hooks("/opt/aictx"), outcome.record.as_ref()).unwrap();
            prop_assert_eq!(back.after, After::Write(text.clone()));
        }
        let _ = uninstall("f", Some(&text), &hooks("/opt/aictx"), None);
        let _ = remove_ancestor("f.json", &text);
        let _ = remove_ancestor("f.md", &text);
    }

    #[test]
    fn blocks_come_and_go(text in "(\u{feff})?([a-z# `>-]{0,6}(\n|\r\n|\r)){0,6}[a-z]{0,3}", html in any::<bool>()) {
        let block = Content::Block(Block {
            comment: if html { Comment::Html } else { Comment::Hash },
            id: "test".into(),
            body: "one\n\ntwo\n".into(),
        });
        let installed = put(Some(&text), &block).unwrap();
        let now = written(&installed);
        prop_assert!(now.starts_with(&text));
        prop_assert_eq!(put(Some(&now), &block).unwrap().after, After::Unchanged);
        let back = uninstall("f", Some(&now), &block, installed.record.as_ref()).unwrap();
        prop_assert_eq!(back.after, After::Write(text.clone()));
        let unremembered = uninstall("f", Some(&now), &block, None).unwrap();
        prop_assert_eq!(unremembered.after, After::Write(text));
    }

    #[test]
    fn toml_tables_come_and_go(
        names in proptest::collection::vec("[a-z]{1,4}", 0..5),
        crlf in any::<bool>(), mark in any::<bool>(), end in any::<bool>(),
    ) {
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut text = String::from(if mark { "\u{feff}" } else { "" });
        for (at, name) in names.iter().enumerate() {
            let line = match at % 4 {
                0 => format!("# note {name}"),
                1 => format!("  {name}{at} = [1, 2, ] # x"),
                2 => format!("[table.{name}{at}]"),
                _ => format!("text{at} = '''{newline}# AICTX:START{newline}'''"),
            };
            text.push_str(&line);
            text.push_str(newline);
        }
        if !end && !names.is_empty() {
            text.truncate(text.len() - newline.len());
        }
        let table = Content::Toml(Table {
            path: vec!["mcp_servers".into(), "aictx".into()],
            members: "command = \"/opt/aictxd\"\nargs = [\"mcp\"]\n".into(),
        });
        let installed = put(Some(&text), &table).unwrap();
        let now = written(&installed);
        prop_assert_eq!(put(Some(&now), &table).unwrap().after, After::Unchanged);
        let back = uninstall("f", Some(&now), &table, None).unwrap();
        prop_assert_eq!(back.after, After::Write(text));
    }
}

#[test]
fn a_fresh_file_is_readable_and_goes_again() {
    for text in [
        None,
        Some(""),
        Some("{}"),
        Some("{}\n"),
        Some(" \n"),
        Some("// mine"),
    ] {
        let content = hooks("/opt/aictx");
        let installed = put(text, &content).unwrap();
        let now = written(&installed);
        assert!(
            now.contains("\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n"),
            "{now}"
        );
        let back = uninstall("f", Some(&now), &content, installed.record.as_ref()).unwrap();
        let expected = text.map_or(After::Delete, |text| After::Write(text.to_owned()));
        assert_eq!(back.after, expected);
    }
}

#[test]
fn our_file_with_somebody_elses_entry_stays() {
    let content = hooks("/opt/aictx");
    let installed = put(None, &content).unwrap();
    let theirs = written(&installed).replacen('{', "{\n  \"theirs\": 1,", 1);
    let back = uninstall("f", Some(&theirs), &content, installed.record.as_ref()).unwrap();
    assert_eq!(
        meaning(&written(&back)),
        json!([{"member": "theirs", "value": {"number": "1"}}])
    );
    // The same when we come back after their edit: the file is no longer ours alone.
    let again = put(Some(&theirs), &hooks("/new/aictx")).unwrap();
    let record = again
        .record
        .clone()
        .unwrap()
        .following(&installed.record.unwrap());
    let back = uninstall("f", Some(&written(&again)), &content, Some(&record)).unwrap();
    assert!(written(&back).contains("theirs"));
}

#[test]
fn comments_and_styles_stay() {
    let text = "{\r\n\t// first\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [ {\"hooks\": []}, ] // mine\r\n\t}, /* end */\r\n}";
    let now = written(&put(Some(text), &hooks("/opt/aictx")).unwrap());
    for comment in ["// first\r\n", "// mine\r\n", "/* end */"] {
        assert!(now.contains(comment), "{now}");
    }
    assert!(
        now.contains("[ {\"hooks\": []}, {\"hooks\": [{"),
        "one line stays one line: {now}"
    );
    assert!(!now.replace("\r\n", "").contains('\n'), "no bare line ends");
    assert!(!now.contains("\r\n  "), "tabs stay tabs");
}

#[test]
fn hooks_among_somebody_elses_are_found() {
    let mixed = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"mine"},
        {"type":"command","command":"/old/aictx","args":["hook","claude","PreToolUse"],"timeout":5}]}]}}"#;
    let content = hooks("/opt/aictx");
    let now = written(&put(Some(mixed), &content).unwrap());
    assert_eq!(
        now.matches("\"PreToolUse\"]").count(),
        1,
        "replaced in its place: {now}"
    );
    assert!(!now.contains("/old/"));
    let back = written(&uninstall("f", Some(&now), &content, None).unwrap());
    assert!(back.contains("mine") && !back.contains("aictx\""), "{back}");
    let twice = r#"{"hooks":{"Stop":[{"hooks":[{"command":"/a/aictx hook claude Stop"}]},{"x":1},
        {"hooks":[{"command":"/b/aictx hook claude Stop"}]}]}}"#;
    let one = Content::Json(vec![Item {
        path: vec!["hooks".into(), "Stop".into()],
        value: json!({"hooks": [{"command": "/c/aictx hook claude Stop"}]}),
        rule: Rule::Element,
    }]);
    let now = written(&put(Some(twice), &one).unwrap());
    assert_eq!(now.matches("aictx hook").count(), 1, "{now}");
    assert!(now.contains("{\"x\":1}"));
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    let problem = |text: &str| put(Some(text), &hooks("/a/aictx")).unwrap_err();
    let error = problem("{\n  \"a\": 1\n  \"b\": 2\n}");
    assert!(
        matches!(error.problem, Problem::Syntax { line: 2 | 3, .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .starts_with("settings.json was left as it is: line "),
        "{error}"
    );
    for text in ["[]", "1", "\"x\"", "null"] {
        assert!(
            matches!(problem(text).problem, Problem::Unexpected { .. }),
            "{text}"
        );
    }
    for text in [
        r#"{"hooks":[]}"#,
        r#"{"hooks":null}"#,
        r#"{"hooks":{"PreToolUse":{}}}"#,
    ] {
        assert!(
            matches!(problem(text).problem, Problem::Unexpected { .. }),
            "{text}"
        );
    }
    for text in [
        r#"{"hooks":{},"hooks":{"Stop":[]}}"#,
        r#"{"hooks":{"PreToolUse":[],"PreToolUse":[1]}}"#,
    ] {
        assert!(
            matches!(problem(text).problem, Problem::Duplicate { .. }),
            "{text}"
        );
    }
    // Elsewhere a name may stand twice; both stay.
    let now = written(&put(Some(r#"{"a":1,"a":2}"#), &hooks("/a/aictx")).unwrap());
    assert!(now.starts_with(r#"{"a":1,"a":2,"#));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        problem(&format!("{{\"a\":{deep}}}")).problem,
        Problem::Syntax { .. }
    ));
    let broken = install(
        "c.toml",
        Some("a = [1\nb ="),
        &Content::Toml(Table {
            path: vec!["x".into()],
            members: String::new(),
        }),
        false,
    );
    assert!(matches!(
        broken.unwrap_err().problem,
        Problem::Syntax { .. }
    ));
}

#[test]
fn two_megabytes_are_no_matter() {
    let rows: Vec<Value> = (0..20_000)
        .map(|row| json!({"id": row, "text": "x".repeat(70), "list": [row, {"a": null}]}))
        .collect();
    let text = serde_json::to_string_pretty(&json!({"rows": rows, "hooks": {}})).unwrap();
    assert!(text.len() > 2 << 20);
    let content = hooks("/opt/aictx");
    let installed = put(Some(&text), &content).unwrap();
    let back = uninstall(
        "f",
        Some(&written(&installed)),
        &content,
        installed.record.as_ref(),
    );
    assert_eq!(back.unwrap().after, After::Write(text));
}

#[test]
fn a_users_own_server_stays() {
    let text = r#"{"mcpServers":{"aictx":{"command":"npx","args":["my-aictx"]}}}"#;
    let server = Content::Json(vec![Item {
        path: vec!["mcpServers".into(), "aictx".into()],
        value: json!({"command": "/opt/aictxd", "args": ["mcp"]}),
        rule: Rule::Server,
    }]);
    let outcome = put(Some(text), &server).unwrap();
    assert_eq!(outcome.after, After::Unchanged);
    assert_eq!(outcome.notes, [Note::UserEntry("mcpServers.aictx".into())]);
    let back = uninstall("f", Some(text), &server, None).unwrap();
    assert_eq!(back.after, After::Unchanged);
    let table = Content::Toml(Table {
        path: vec!["mcp_servers".into(), "aictx".into()],
        members: "command = \"/opt/aictxd\"\n".into(),
    });
    let own = put(Some("[mcp_servers.aictx]\ncommand = \"mine\"\n"), &table).unwrap();
    assert_eq!((own.after, own.notes.len()), (After::Unchanged, 1));
    let inline = put(
        Some("mcp_servers = { other = { command = \"x\" } }\n"),
        &table,
    );
    assert!(matches!(
        inline.unwrap_err().problem,
        Problem::Conflict { .. }
    ));
}

/// The pre-states of the setup matrix that concern the ancestor.
#[test]
fn the_ancestor_is_recognised_and_goes_when_asked() {
    let old = r#"{
  "permissions": {"deny": ["Bash(rm:*)"]},
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/aictx_session_start.py", "timeout": 20}]}],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/aictx_pre_tool_use.py"}]}
    ]
  }
}
"#;
    let kept_beside = put(Some(old), &hooks("/opt/aictx")).unwrap();
    assert!(
        kept_beside
            .notes
            .contains(&Note::Ancestor("hooks.PreToolUse".into()))
    );
    let replaced = install("s.json", Some(old), &hooks("/opt/aictx"), true).unwrap();
    let now = written(&replaced);
    assert!(
        !now.contains(".py") && now.contains("mine") && now.contains("/opt/aictx"),
        "{now}"
    );
    let back = uninstall(
        "s.json",
        Some(&now),
        &hooks("/opt/aictx"),
        replaced.record.as_ref(),
    );
    assert_eq!(back.unwrap().after, After::Write(old.into()));

    let gone = written(&remove_ancestor("s.json", old).unwrap());
    assert!(
        !gone.contains("aictx") && gone.contains("mine") && gone.contains("Bash(rm:*)"),
        "{gone}"
    );
    let only = r#"{"mcpServers":{"aictx":{"command":"aictx","_aictx_managed":true}},"_aictx":{"managed":true}}"#;
    assert_eq!(
        remove_ancestor(".mcp.json", only).unwrap().after,
        After::Delete
    );

    let markdown = "# Mine\n\n\n\n<!-- AICTX:START -->\nold\n<!-- AICTX:END -->\n";
    let gone = remove_ancestor("AGENTS.md", markdown).unwrap();
    assert_eq!(gone.after, After::Write("# Mine\n\n\n".into()));
    let head = "---\r\napplyTo: \"**/*\"\r\n---\r\n";
    let only = format!("{head}\r\n<!-- AICTX:START -->\r\nx\r\n<!-- AICTX:END -->\r\n");
    assert_eq!(remove_ancestor("a.md", &only).unwrap().after, After::Delete);
    let ignore = "target\n\n# AICTX:START gitignore\n.aictx/\n# AICTX:END gitignore\n# AICTX managed Claude repo integration\n.claude/\nCLAUDE.md\n.claude/\n";
    let gone = remove_ancestor(".gitignore", ignore).unwrap();
    assert_eq!(gone.after, After::Write("target\n.claude/\n".into()));
    let codex = "model_instructions_file = \"/home/u/.codex/AICTX_Codex.md\"\nmodel_instructions_file_2 = 1\n";
    let gone = remove_ancestor("config.toml", codex).unwrap();
    assert_eq!(
        gone.after,
        After::Write("model_instructions_file_2 = 1\n".into())
    );
    let only = "\n.DS_Store\n# AICTX:START gitignore\n.aictx/\n# AICTX:END gitignore\n\n# AICTX managed Claude repo integration\n.claude/\nCLAUDE.md\n";
    let gone = remove_ancestor(".gitignore", only).unwrap();
    assert_eq!(gone.after, After::Delete);
    let mine = remove_ancestor(".gitignore", ".DS_Store\n").unwrap();
    assert_eq!(mine.after, After::Unchanged);
    let codex = "model = \"x\"\n\n# AICTX managed fallback docs for stronger repo instruction loading\nproject_doc_fallback_filenames = [\"CLAUDE.md\"]\n\n# AICTX managed mandatory Codex developer instructions\nmodel_instructions_file = \"/home/u/.codex/AICTX_Codex.md\"\n\n[mine]\nproject_doc_fallback_filenames = [\"CLAUDE.md\"]\n";
    let gone = remove_ancestor("config.toml", codex).unwrap();
    assert_eq!(
        gone.after,
        After::Write(
            "model = \"x\"\n\n[mine]\nproject_doc_fallback_filenames = [\"CLAUDE.md\"]\n".into()
        )
    );
    let codex = "model = \"x\"\n\n# <AICTX:START mcp>\n[mcp_servers.aictx]\ncommand = \"aictx\"\n# <AICTX:END mcp>\n";
    let gone = remove_ancestor("config.toml", codex).unwrap();
    assert_eq!(gone.after, After::Write("model = \"x\"\n".into()));
}

#[test]
fn odd_markers_leave_foreign_text() {
    let block = Content::Block(Block {
        comment: Comment::Html,
        id: "x".into(),
        body: "new\n".into(),
    });
    let text = "<!-- AICTX:END x -->\nmine\n<!-- AICTX:START x -->\ntext of mine\n<!-- AICTX:START x -->\nold\n<!-- AICTX:END x -->\nend\n";
    let outcome = put(Some(text), &block).unwrap();
    let now = written(&outcome);
    assert!(now.contains("mine\n") && now.contains("text of mine\n") && now.contains("end\n"));
    assert!(now.contains("new") && !now.contains("old"));
    assert!(matches!(outcome.notes.as_slice(), [Note::Repaired(_)]));
    assert_eq!(put(Some(&now), &block).unwrap().after, After::Unchanged);
}

#[test]
fn yaml_entries_come_and_go() {
    let entry = Content::Yaml(Entry {
        parent: "extensions".into(),
        name: "aictx".into(),
        body: "type: stdio\ncmd: /opt/aictxd\nargs:\n  - mcp\n".into(),
    });
    for text in [
        "",
        "a: 1\n",
        "a: 1",
        "# c\nextensions:\n    other: # x\n        type: y\n\n# end\nlast: [1]\n",
        "extensions:   # none yet\r\nb: 2\r\n",
        "extensions:",
        "---\na:\n  b: |\n    extensions:\n",
    ] {
        let installed = put(Some(text), &entry).unwrap();
        let now = written(&installed);
        assert!(now.contains("aictx:"), "{now}");
        assert_eq!(
            put(Some(&now), &entry).unwrap().after,
            After::Unchanged,
            "{now}"
        );
        let back = uninstall("f", Some(&now), &entry, None).unwrap();
        assert_eq!(back.after, After::Write(text.into()));
    }
    let now = written(&put(Some("extensions:\n    other: 1\n"), &entry).unwrap());
    assert!(now.contains("\n    aictx:\n      type: stdio\n"), "{now}");
    for text in [
        "extensions: {}\n",
        "[a]\n",
        "extensions:\n- a\n",
        "extensions:\n\textra: 1\n",
        "---\na: 1\n---\nb: 2\n",
    ] {
        assert!(put(Some(text), &entry).is_err(), "{text}");
    }
    let own = put(Some("extensions:\n  aictx:\n    cmd: mine\n"), &entry).unwrap();
    assert_eq!(own.after, After::Unchanged);
}

#[test]
fn files_of_our_own_replace_only_their_like() {
    let whole = Content::Whole(Whole {
        text: "// aictx plug-in v2\n".into(),
        mark: "aictx plug-in".into(),
        executable: false,
    });
    assert!(matches!(
        put(Some("// mine\n"), &whole).unwrap_err().problem,
        Problem::NotOurs
    ));
    let old = put(Some("// aictx plug-in v1\n"), &whole).unwrap();
    assert_eq!(written(&old), "// aictx plug-in v2\n");
    let fresh = put(None, &whole).unwrap();
    let record: Option<&Record> = fresh.record.as_ref();
    assert_eq!(
        uninstall("f", Some(&written(&fresh)), &whole, record)
            .unwrap()
            .after,
        After::Delete
    );
    let changed = uninstall("f", Some("// aictx plug-in v2\nmore\n"), &whole, record).unwrap();
    assert_eq!(changed.after, After::Unchanged);
    assert_eq!(
        uninstall("f", Some("// mine\n"), &whole, None)
            .unwrap()
            .after,
        After::Unchanged
    );
}

#[test]
fn a_record_goes_through_json() {
    let record = put(Some("{ }"), &hooks("/opt/aictx"))
        .unwrap()
        .record
        .unwrap();
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    assert!(record.undo("{ }").is_none());
}
