use serde_json::value::RawValue;

use super::*;
use crate::event_and_tool_tables;

fn said(tool: &str, input: &str) -> String {
    let raw = RawValue::from_string(input.to_owned()).unwrap();
    match event_and_tool_tables::action(crate::claude::TOOLS, tool, Some(&raw)) {
        Action::Command {
            command,
            background,
            ..
        } => format!("{}{command}", if background { "& " } else { "$ " }),
        Action::Edit(path) => format!("edit {path}"),
        Action::Patch(paths) => format!("edit {}", paths.join(" ")),
        Action::Read(path) => format!("read {path}"),
        Action::Discard => "discard".to_owned(),
        Action::Other => String::new(),
    }
}

#[test]
fn command_lines_are_found_under_any_name() {
    for (tool, input, line) in [
        (
            "Monitor",
            r#"{"command":"rm -rf ~","description":"watch","timeout_ms":1}"#,
            "$ rm -rf ~",
        ),
        (
            "execute/runInTerminal",
            r#"{"command":"rm -rf ~"}"#,
            "$ rm -rf ~",
        ),
        (
            "send_to_terminal",
            r#"{"id":"1","command":"rm -rf ~"}"#,
            "$ rm -rf ~",
        ),
        (
            "create_and_run_task",
            r#"{"task":{"type":"shell","command":"rm -rf ~"}}"#,
            "$ rm -rf ~",
        ),
        (
            "create_and_run_task",
            r#"{"task":{"command":"rm","args":["-rf","a b"]}}"#,
            "$ rm -rf 'a b'",
        ),
        (
            "run",
            r#"{"program":"rm","arguments":["-rf","x"]}"#,
            "$ rm -rf x",
        ),
        ("run", r#"{"argv":["bash","-lc","rm -rf x"]}"#, "$ rm -rf x"),
        (
            "run",
            r#"{"tasks":[{"cmd":"ls"},{"cmd":"rm -rf x"}]}"#,
            "$ ls\nrm -rf x",
        ),
        (
            "write_stdin",
            r#"{"session_id":1,"chars":"rm -rf ~\n"}"#,
            "& rm -rf ~",
        ),
        ("write_bash", r#"{"input":"rm -rf ~{enter}"}"#, "& rm -rf ~"),
        ("write_bash", r#"{"shellId":"1","input":"y"}"#, "& y"),
        (
            "type",
            r#"{"terminalId":3,"text":"git clean -fdx"}"#,
            "& git clean -fdx",
        ),
        ("sendSequence", r#"{"text":"rm -rf ~\r"}"#, "$ rm -rf ~"),
        ("tmux", r#"{"keys":"rm -rf ~ Enter"}"#, "& rm -rf ~"),
        (
            "run",
            r#"{"input":"git reset --hard"}"#,
            "$ git reset --hard",
        ),
        (
            "run",
            r##"{"script":"#!/bin/bash\nset -e\nrm -rf ~\n"}"##,
            "$ #!/bin/bash\nset -e\nrm -rf ~",
        ),
        (
            "execute_code",
            r#"{"language":"python","code":"print(1)"}"#,
            "$ python3 -c 'print(1)'",
        ),
        (
            "execute_code",
            r#"{"language":"bash","code":"rm -rf x"}"#,
            "$ rm -rf x",
        ),
        ("MCP:run", r#"{"command":"rm -rf ~"}"#, "$ rm -rf ~"),
        (
            "mcp__shell__go",
            r#"{"params":{"cmd":"rm -rf ~"}}"#,
            "$ rm -rf ~",
        ),
        (
            "ExitWorktree",
            r#"{"action":"remove","discard_changes":true}"#,
            "discard",
        ),
    ] {
        assert_eq!(said(tool, input), line, "{tool} {input}");
    }
}

#[test]
fn edits_are_found_under_any_name() {
    for (tool, input, edit) in [
        ("put", r#"{"path":"a","content":""}"#, "edit a"),
        (
            "patchIt",
            r#"{"filePath":"a","old_str":"x","new_str":"y"}"#,
            "edit a",
        ),
        (
            "edit/createFile",
            r#"{"filePath":"a","content":"rm -rf ~"}"#,
            "edit a",
        ),
        (
            "insert",
            r#"{"path":"a","insert_line":1,"text":"x"}"#,
            "edit a",
        ),
        (
            "many",
            r#"{"edits":[{"path":"a","newText":"x"},{"path":"b","newText":"y"}]}"#,
            "edit a b",
        ),
        ("editor", r#"{"command":"delete","path":"a"}"#, "edit a"),
        (
            "editor",
            r#"{"command":"rename","old_path":"a","new_path":"b"}"#,
            "edit a b",
        ),
        (
            "git_apply",
            r#"{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}"#,
            "edit x",
        ),
        (
            "change",
            r#"{"input":"*** Begin Patch\n*** Update File: a\n@@\n-x\n*** End Patch"}"#,
            "edit a",
        ),
    ] {
        assert_eq!(said(tool, input), edit, "{tool} {input}");
    }
}

#[test]
fn prose_and_looks_are_neither() {
    for (tool, input) in [
        ("WebSearch", r#"{"query":"rm -rf ~"}"#),
        (
            "WebFetch",
            r#"{"url":"https://x.example/rm","prompt":"rm -rf ~"}"#,
        ),
        (
            "Task",
            r#"{"description":"clean","prompt":"rm -rf ~","subagent_type":"x"}"#,
        ),
        (
            "TodoWrite",
            r#"{"todos":[{"content":"rm -rf ~","status":"pending","activeForm":"rm"}]}"#,
        ),
        (
            "Grep",
            r#"{"pattern":"rm -rf","path":"migrations","output_mode":"content"}"#,
        ),
        ("Glob", r#"{"pattern":"**/*.rs","path":"src"}"#),
        (
            "AskUserQuestion",
            r#"{"questions":[{"question":"rm -rf ~?","header":"x","options":[{"label":"rm -rf ~","description":"y"}]}]}"#,
        ),
        ("SendMessage", r#"{"to":"lead","message":"rm -rf ~"}"#),
        ("mcp__slack__post", r#"{"channel":"c","text":"rm -rf ~\n"}"#),
        (
            "mcp__browser__type",
            r#"{"element":"search","ref":"e1","text":"rm -rf ~","pretty":true}"#,
        ),
        (
            "think",
            r#"{"input":"rm -rf ~ would delete the home directory"}"#,
        ),
        ("ask", r#"{"input":"Explain: rm -rf ~"}"#),
        ("mcp__db__query", r#"{"sql":"DELETE FROM t"}"#),
        ("mcp__web__evaluate", r#"{"script":"() => document.body"}"#),
        ("mcp__web__evaluate", r#"{"script":"const x = 1;\nx > y"}"#),
        (
            "mcp__github__push",
            r#"{"owner":"o","repo":"r","path":"a","content":"x"}"#,
        ),
        ("SlashCommand", r#"{"command":"/review 12"}"#),
        ("BashOutput", r#"{"bash_id":"1","filter":"rm -rf ~"}"#),
        ("KillShell", r#"{"shell_id":"1"}"#),
        (
            "ExitWorktree",
            r#"{"action":"keep","discard_changes":false}"#,
        ),
        (
            "LSP",
            r#"{"operation":"hover","filePath":"a","line":1,"character":2}"#,
        ),
        ("memory", r#"{"command":"view","path":"a"}"#),
        (
            "odd",
            r#"{"command":7,"input":null,"chars":[1],"task":"x","edits":{}}"#,
        ),
    ] {
        let found = said(tool, input);
        // A lone word of a file editor is run by nobody.
        assert!(
            found.is_empty() || found == "$ view",
            "{tool} {input}: {found}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn any_input_is_survived(
        name in "command|chars|input|text|path|edits|patch|task|args|language|code",
        text in "\\PC{0,60}",
    ) {
        let inner = serde_json::json!({ name.as_str(): text.as_str(), "content": text.as_str() });
        let outer = serde_json::json!({ "task": [inner.clone(), [inner]], name.as_str(): text });
        said("any", &outer.to_string());
    }
}
