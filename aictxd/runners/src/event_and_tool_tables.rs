//! The tables adapters are made of: which event means what, which tool does what.

use std::borrow::Cow;

use serde_json::value::RawValue;

use aictx_proto::text::shell_word;

use crate::payload::{Members, elements_of, text_of};
use crate::{
    Action, Dialect, DialectError, MAX_PATCHED, Moment, Output, Status, ToolCall, tool_shape,
};

/// Meaning of an agent's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A session begins.
    Start,
    /// The user asks for something.
    Prompt,
    /// A tool is about to run and can be stopped.
    Gate,
    /// A tool ran.
    Done,
    /// A tool failed.
    Failed,
    /// Context is about to be compacted.
    Compact,
    /// A turn ended.
    Stop,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent stopped.
    SubagentStop,
    /// The session ends.
    End,
    /// Only worth a note.
    Note,
}

/// One event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The agent's name of it.
    pub name: &'static str,
    /// Meaning.
    pub kind: Kind,
    /// Context in the answer reaches the model and does nothing else.
    pub takes_context: bool,
    /// A question in the answer goes to the model, which takes it up before its turn ends.
    pub asks_back: bool,
    /// We register a hook for it.
    pub registered: bool,
}

impl Event {
    /// An event we register.
    pub(crate) const fn hook(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            takes_context: false,
            asks_back: false,
            registered: true,
        }
    }

    /// An event that is understood when it comes and that we do not ask for.
    pub(crate) const fn known(name: &'static str, kind: Kind) -> Self {
        Self {
            registered: false,
            ..Self::hook(name, kind)
        }
    }

    /// The same, with room for context in the answer.
    pub(crate) const fn with_context(self) -> Self {
        Self {
            takes_context: true,
            ..self
        }
    }

    /// The same, with a way to ask the agent back.
    pub(crate) const fn asking_back(self) -> Self {
        Self {
            asks_back: true,
            ..self
        }
    }
}

/// A payload's members, what the event is called (by one of its `names`, else as it was registered)
/// and what kind of event that is. What a dialect does not know is noted.
pub(crate) fn open<'a>(
    dialect: &dyn Dialect,
    payload: &'a str,
    names: &[&str],
    registered: Option<&'a str>,
) -> Result<(Members<'a>, Cow<'a, str>, Kind), DialectError> {
    let payload = Members::open(dialect.name(), payload)?;
    let name = payload.event(names, registered);
    let kind = find(dialect.events(), &name).map_or(Kind::Note, |event| event.kind);
    Ok((payload, name, kind))
}

/// The entry of an event, whether an agent writes `preToolUse` or `PreToolUse`.
pub(crate) fn find<'t>(events: &'t [Event], name: &str) -> Option<&'t Event> {
    let mut alike = events.iter();
    events
        .iter()
        .find(|event| event.name == name)
        .or_else(|| alike.find(|event| event.name.eq_ignore_ascii_case(name)))
}

/// Effect of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// Reads a file.
    Read,
    /// Changes a file.
    Edit,
    /// Runs a command line.
    Shell,
    /// Applies a patch in the `*** Begin Patch` format.
    Patch,
}

/// Tools of an agent by name.
pub(crate) type Tools = [(&'static str, Does)];

/// Members under which agents name the file of a tool call.
pub(crate) const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "targetFile",
    "relative_path",
    "uri",
];
/// Members under which they hand over a command line.
pub(crate) const COMMANDS: &[&str] = &["command", "command_line", "commandLine", "cmd", "script"];
/// The member under which they hand over several, one after the other.
const LINES: &str = "commands";
/// Members that say that a command goes to the background.
pub(crate) const BACKGROUND: &[&str] = &[
    "run_in_background",
    "is_background",
    "isBackground",
    "background",
];
/// Members that say where a command runs.
pub(crate) const DIRECTORIES: &[&str] = &[
    "dir_path",
    "directory",
    "workdir",
    "work_dir",
    "workingDirectory",
    "working_directory",
    "workingDir",
    "working_dir",
    "cwd",
];
/// Members that hold a patch.
pub(crate) const PATCHES: &[&str] = &[
    "command",
    "patch",
    "input",
    "patchText",
    "patch_text",
    "diff",
];
/// Names of edits in tools of file servers, behind the server's name.
const SERVER_EDITS: &[&str] = &[
    "write_file",
    "edit_file",
    "create_file",
    "create_new_file",
    "append_file",
    "append_to_file",
    "delete_file",
    "remove_file",
    "move_file",
    "rename_file",
    "copy_file",
    "save_file",
    "update_file",
    "patch_file",
    "put_file",
    "replace_in_file",
    "create_text_file",
    "write_text_file",
    "str_replace",
    "str_replace_editor",
    "multi_edit",
    "edit_block",
    "insert_at_line",
    "insert_lines",
    "delete_lines",
    "replace_lines",
    "replace_regex",
    "replace_content",
    "replace_symbol_body",
    "insert_after_symbol",
    "insert_before_symbol",
    "rename_symbol",
    "write",
    "edit",
];
/// Names of shells in tools of servers.
const SERVER_SHELLS: &[&str] = &[
    "execute_command",
    "run_command",
    "execute_shell_command",
    "run_shell_command",
    "shell_command",
    "run_terminal_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "start_process",
    "shell_exec",
    "shell_execute",
    "run_shell",
    "run_bash",
    "execute_bash",
    "bash",
    "shell",
    "terminal",
];
/// Members beside [`PATHS`] under which tools of file servers name files.
pub(crate) const SERVER_PATHS: &[&str] = &[
    "source",
    "destination",
    "filename",
    "fileName",
    "file",
    "filepath",
    "pathInProject",
    "old_path",
    "new_path",
];

/// Returns the action of a call. `input` is its arguments: an object, or a string that holds one, or a patch. A tool that no table
/// names is known by the shape of its input.
pub(crate) fn action<'a>(tools: &Tools, tool: &str, input: Option<&'a RawValue>) -> Action<'a> {
    let does = does(tools, tool);
    let Some(input) = input else {
        return does.map_or(Action::Other, |does| of_members(does, &Members::default()));
    };
    if input.get().starts_with('[') && does == Some(Some(Does::Shell)) {
        return line(program_of(&elements_of(input)));
    }
    if !input.get().starts_with('"') {
        return of_input(does, tool, &Members::of(input));
    }
    // Some agents hand over arguments as JSON within a string.
    let text = text_of(input);
    match (Members::parse(&text), does) {
        (Ok(members), _) => detached(of_input(does, tool, &members)),
        (Err(_), Some(Some(Does::Patch))) => detached(patched(&text)),
        // Nothing else stands there where a command line is expected.
        (Err(_), Some(Some(Does::Shell))) => line(text),
        (Err(_), Some(does)) => of_members(does, &Members::default()),
        (Err(_), None) => Action::Other,
    }
}

fn line(command: Cow<'_, str>) -> Action<'_> {
    Action::Command {
        command,
        background: false,
        dir: Cow::Borrowed(""),
    }
}

fn of_input<'a>(does: Option<Option<Does>>, tool: &str, input: &Members<'a>) -> Action<'a> {
    let named = does.map(|does| of_members(does, input));
    match named {
        Some(action) if !action.is_empty() || does == Some(Some(Does::Patch)) => action,
        // A name that only resembles that of a shell says less than what there is.
        named => match tool_shape::action(tool, input) {
            Action::Other => named.unwrap_or(Action::Other),
            action => action,
        },
    }
}

/// Looks a tool up in the table, else by the name of another server's tool; `Some(None)` for its edits.
#[allow(clippy::option_option)]
fn does(tools: &Tools, tool: &str) -> Option<Option<Does>> {
    // `execute/runInTerminal`: a group stands before the name.
    let base = tool.rsplit('/').next().unwrap_or(tool);
    let known = |name: &str| tools.iter().find(|(known, _)| *known == name);
    if let Some((_, does)) = known(tool).or_else(|| known(base)) {
        return Some(Some(*does));
    }
    let foreign = ["mcp__", "mcp_", "MCP:", "mcp:"];
    if !foreign.iter().any(|prefix| tool.starts_with(prefix)) {
        return None;
    }
    let named = |name: &&str| {
        tool.strip_suffix(*name)
            .is_some_and(|rest| rest.ends_with(['_', ':', '/', '.']))
    };
    if SERVER_SHELLS.iter().any(named) {
        return Some(Some(Does::Shell));
    }
    SERVER_EDITS.iter().any(named).then_some(None)
}

fn of_members<'a>(does: Option<Does>, input: &Members<'a>) -> Action<'a> {
    match does {
        Some(Does::Read) => Action::Read(input.text(PATHS)),
        Some(Does::Edit) => {
            let mut paths: Vec<_> = input
                .elements("files")
                .into_iter()
                .map(|raw| match text_of(raw) {
                    path if path.is_empty() => Members::of(raw).text(PATHS),
                    path => path,
                })
                .filter(|path| !path.is_empty())
                .collect();
            paths.truncate(MAX_PATCHED);
            if paths.is_empty() {
                Action::Edit(input.text(PATHS))
            } else {
                Action::Patch(paths)
            }
        }
        Some(Does::Shell) => Action::Command {
            command: command(input),
            background: input.flag(BACKGROUND),
            dir: input.text(DIRECTORIES),
        },
        Some(Does::Patch) => match input.text(PATCHES) {
            Cow::Borrowed(text) => patched(text),
            Cow::Owned(text) => detached(patched(&text)),
        },
        None => {
            let names = PATHS.iter().chain(SERVER_PATHS);
            let paths = names.map(|name| without_scheme(input.text(&[name])));
            let paths: Vec<_> = paths.filter(|path| !path.is_empty()).collect();
            match <[_; 1]>::try_from(paths) {
                Ok([path]) => Action::Edit(path),
                Err(paths) => Action::Patch(paths),
            }
        }
    }
}

/// The path of a `file://` address; other texts as they are.
pub(crate) fn without_scheme(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.strip_prefix("file://") {
        // A host may stand before the path.
        Some(rest) => Cow::Owned(
            rest.find('/')
                .and_then(|at| rest.get(at..))
                .unwrap_or_default()
                .to_owned(),
        ),
        None => text,
    }
}

/// The command line of a call: a text, the words of one program, or several lines.
fn command<'a>(input: &Members<'a>) -> Cow<'a, str> {
    let text = input.text(COMMANDS);
    if !text.is_empty() {
        return text;
    }
    let words = COMMANDS.iter().map(|name| words_of(input, name));
    if let Some(line) = words.into_iter().find(|line| !line.is_empty()) {
        return line;
    }
    let lines: Vec<Cow<'a, str>> = input
        .elements(LINES)
        .into_iter()
        .map(|raw| match text_of(raw) {
            line if line.is_empty() => Members::of(raw).text(COMMANDS),
            line => line,
        })
        .collect();
    Cow::Owned(lines.join("\n"))
}

/// The command line of a member that lists the words of one program; a text as it is.
pub(crate) fn words_of<'a>(input: &Members<'a>, name: &str) -> Cow<'a, str> {
    match input.elements(name) {
        words if words.is_empty() => input.text(&[name]),
        words => program_of(&words),
    }
}

/// The command line of a program's words.
fn program_of<'a>(words: &[&'a RawValue]) -> Cow<'a, str> {
    let words: Vec<Cow<'a, str>> = words.iter().map(|raw| text_of(raw)).collect();
    match words.as_slice() {
        // What a shell is handed is the line itself.
        [shell, option, line] if is_shell(shell) && is_script_option(option) => line.clone(),
        _ => {
            let quoted: Vec<String> = words.iter().map(|w| shell_word(w)).collect();
            Cow::Owned(quoted.join(" "))
        }
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash")
}

/// `-c` and `-lc`: what follows is a script.
fn is_script_option(option: &str) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    letters.ends_with('c') && letters.chars().all(|c| c.is_ascii_lowercase())
}

/// The files named in the head lines of a patch.
pub(crate) fn patched(patch: &str) -> Action<'_> {
    const HEADS: &[&str] = &[
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    let named = |line| HEADS.iter().find_map(|head| str::strip_prefix(line, head));
    let mut paths: Vec<Cow<'_, str>> = Vec::new();
    for path in patch.lines().filter_map(named).map(str::trim) {
        if paths.len() < MAX_PATCHED && !path.is_empty() {
            paths.push(Cow::Borrowed(path));
        }
    }
    Action::Patch(paths)
}

pub(crate) fn detached(action: Action<'_>) -> Action<'static> {
    let call = ToolCall {
        tool: Cow::Borrowed(""),
        call_id: Cow::Borrowed(""),
        action,
    };
    call.detach().action
}

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct ToolResult<'a> {
    pub(crate) output: Output<'a>,
    /// The agent calls it a failure.
    pub(crate) failed: bool,
}

/// The result of a tool, however an agent writes it. How a command ended is known where a member says it, or the last
/// line of its text.
pub(crate) fn result<'a>(payload: &Members<'a>) -> ToolResult<'a> {
    const RESULTS: &[&str] = &["tool_response", "toolResult", "tool_result"];
    const TEXTS: &[&str] = &[
        "stdout",
        "output",
        "textResultForLlm",
        "text_result_for_llm",
        "text",
    ];
    const CODES: &[&str] = &["exitCode", "exit_code", "exitStatus", "exit_status"];
    const ERRORS: &[&str] = &["is_error", "isError"];
    const KINDS: &[&str] = &["resultType", "result_type", "status"];
    // Claude Code moves a command to the background by itself, and says so only here.
    const MOVED: &[&str] = &["assistantAutoBackgrounded", "backgroundedByUser"];
    const TASKS: &[&str] = &["backgroundTaskId", "background_task_id"];
    let raw = RESULTS.iter().find_map(|name| payload.raw(name));
    let object = raw.map(Members::of).unwrap_or_default();
    let stdout = match object.text(TEXTS) {
        text if text.is_empty() => raw.map(said_in).unwrap_or_default(),
        text => text,
    };
    let code = object
        .whole(CODES)
        .and_then(|code| i32::try_from(code).ok());
    let code = code.or_else(|| exit_in_words(&stdout));
    let kind = object.text(KINDS);
    ToolResult {
        failed: object.flag(ERRORS)
            || matches!(
                kind.as_ref(),
                "failure" | "failed" | "error" | "rejected" | "denied"
            )
            || object
                .raw("success")
                .is_some_and(|raw| raw.get() == "false"),
        output: Output {
            stdout,
            stderr: object.text(&["stderr"]),
            interrupted: object.flag(&["interrupted"]),
            background: object.flag(MOVED) || !object.text(TASKS).is_empty(),
            status: code.map_or(Status::Unknown, Status::Code),
        },
    }
}

/// The moment of a tool that ran and that the agent calls a failure.
pub(crate) fn failed(done: Moment<'_>) -> Moment<'_> {
    match done {
        Moment::ToolDone {
            call,
            output,
            duration_ms,
        } => Moment::ToolFailed {
            call,
            error: output.stdout,
            interrupted: output.interrupted,
            duration_ms,
        },
        other => other,
    }
}

/// Most texts of a list that are read.
const MAX_TEXTS: usize = 64;

/// The text of a result: itself, or the texts of its parts (`[{"type": "text", "text": …}]`, also as its `content`).
fn said_in(raw: &RawValue) -> Cow<'_, str> {
    if raw.get().starts_with('{') {
        let object = Members::of(raw);
        return object.raw("content").map(said_in_parts).unwrap_or_default();
    }
    said_in_parts(raw)
}

fn said_in_parts(raw: &RawValue) -> Cow<'_, str> {
    if !raw.get().starts_with('[') {
        return text_of(raw);
    }
    let parts = elements_of(raw).into_iter().take(MAX_TEXTS);
    let texts = parts.map(|part| match text_of(part) {
        text if text.is_empty() => Members::of(part).text(&["text"]),
        text => text,
    });
    Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
}

/// The exit status that an agent put behind a command's output: "Command exited with code 2", "<exited with exit code
/// 2>". A success counts in the second form only: programs print the first of others that they started.
fn exit_in_words(text: &str) -> Option<i32> {
    let line = text.trim_end().lines().next_back()?.trim();
    let is_own = line.starts_with('<') && line.ends_with('>');
    let last = line.trim_matches(['<', '>', '.']);
    let (before, code) = last.rsplit_once("exited with ")?;
    let code = code.strip_prefix("exit ").unwrap_or(code);
    let is_plain = matches!(
        before.trim().to_ascii_lowercase().as_str(),
        "" | "command" | "process"
    );
    let code = code.strip_prefix("code ").filter(|_| is_plain)?;
    let code: i32 = code.trim().parse().ok()?;
    (code != 0 || is_own).then_some(code)
}

/// Builds the moment for agents whose payloads keep all members on one level.
pub(crate) fn moment<'a>(
    kind: Kind,
    payload: &Members<'a>,
    call: impl FnOnce() -> ToolCall<'a>,
    output: impl FnOnce(&ToolCall<'a>) -> Output<'a>,
) -> Moment<'a> {
    const LAST: &[&str] = &[
        "last_assistant_message",
        "prompt_response",
        "summary",
        "response",
    ];
    const ERROR: &[&str] = &["error", "error_message"];
    const DURATION: &[&str] = &["duration_ms", "duration", "durationMs"];
    match kind {
        Kind::Start => Moment::SessionStart {
            // Some say nothing, some call a session that was never seen before `new`.
            source: match payload.text(&["source"]) {
                source if source.is_empty() || source == "new" => Cow::Borrowed("startup"),
                source => source,
            },
        },
        Kind::Prompt => Moment::Prompt {
            text: payload.text(&["prompt"]),
        },
        Kind::Gate => Moment::ToolIntent(call()),
        Kind::Done => {
            let call = call();
            Moment::ToolDone {
                output: output(&call),
                call,
                duration_ms: payload.duration(DURATION),
            }
        }
        Kind::Failed => Moment::ToolFailed {
            call: call(),
            error: match payload.text(ERROR) {
                text if text.is_empty() => payload.object(ERROR).text(&["message"]),
                text => text,
            },
            interrupted: payload.flag(&["is_interrupt", "interrupted"]),
            duration_ms: payload.duration(DURATION),
        },
        Kind::Compact => Moment::Compact {
            trigger: payload.text(&["trigger"]),
        },
        Kind::Stop => Moment::Stop {
            last_message: payload.text(LAST),
            // What was interrupted or went wrong is not to be gone on with.
            asked_back: payload.flag(&["stop_hook_active"])
                || payload
                    .whole(&["loop_count"])
                    .is_some_and(|times| times > 0)
                || matches!(&*payload.text(&["status"]), "aborted" | "error"),
        },
        Kind::SubagentStart => Moment::Subagent {
            phase: "start",
            last_message: Cow::Borrowed(""),
        },
        Kind::SubagentStop => Moment::Subagent {
            phase: "stop",
            last_message: payload.text(LAST),
        },
        Kind::End => Moment::SessionEnd {
            reason: payload.text(&["reason", "final_status"]),
        },
        Kind::Note => Moment::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOOLS: &Tools = &[
        ("sh", Does::Shell),
        ("patch", Does::Patch),
        ("edit", Does::Edit),
    ];

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn arguments_may_be_json_in_a_string() {
        let input = raw(r#""{\"command\":\"rm -rf dist\"}""#);
        let command = Action::Command {
            command: "rm -rf dist".into(),
            background: false,
            dir: "".into(),
        };
        assert_eq!(action(TOOLS, "sh", Some(&input)), command);
        for member in ["dir_path", "workdir", "cwd"] {
            let input = raw(&format!(r#"{{"command":"ls","{member}":"src"}}"#));
            let Action::Command { dir, .. } = action(TOOLS, "sh", Some(&input)) else {
                panic!("{member}");
            };
            assert_eq!(dir, "src", "{member}");
        }
        for (input, line) in [
            (
                r#"{"command":["bash","-lc","rm -rf src && ls"]}"#,
                "rm -rf src && ls",
            ),
            (r#"{"command":["rm","-rf","a b"]}"#, "rm -rf 'a b'"),
            (r#"{"cmd":["/bin/sh","-c"]}"#, "/bin/sh -c"),
            (r#""rm -rf src""#, "rm -rf src"),
            (r#"["rm","-rf","a b"]"#, "rm -rf 'a b'"),
            (
                r#"{"commands":["ls",{"command":"rm -rf src"}]}"#,
                "ls\nrm -rf src",
            ),
            (r#"{"command":[1,{}]}"#, "'' ''"),
            (r#"{"command":7}"#, ""),
        ] {
            let input = raw(input);
            let Action::Command { command, .. } = action(TOOLS, "sh", Some(&input)) else {
                panic!("{line}");
            };
            assert_eq!(command, line);
        }
        let input =
            raw(r#""*** Begin Patch\n*** Add File: a b.py\n+x\n*** Move to: c\n*** End Patch""#);
        let files = Action::Patch(vec!["a b.py".into(), "c".into()]);
        assert_eq!(action(TOOLS, "patch", Some(&input)), files);
    }

    #[test]
    fn file_servers_edit_too() {
        let input = raw(r#"{"source":"a","destination":"b"}"#);
        let both = Action::Patch(vec!["a".into(), "b".into()]);
        assert_eq!(action(TOOLS, "mcp__fs__move_file", Some(&input)), both);
        let input = raw(r#"{"path":"a","content":"x"}"#);
        assert_eq!(
            action(TOOLS, "mcp_fs_write_file", Some(&input)),
            Action::Edit("a".into())
        );
        for members in [
            r#"{"relative_path":"a"}"#,
            r#"{"filename":"a"}"#,
            r#"{"uri":"file://host/a"}"#,
        ] {
            let input = raw(members);
            let path = if members.contains("uri") { "/a" } else { "a" };
            let edit = Action::Edit(path.into());
            assert_eq!(action(TOOLS, "mcp__ide__replace_lines", Some(&input)), edit);
        }
        for members in [r#"{"cmd":"rm -rf x"}"#, r#"{"command":"rm -rf x"}"#] {
            let input = raw(members);
            let Action::Command { command, .. } =
                action(TOOLS, "mcp__desktop__execute_command", Some(&input))
            else {
                unreachable!("{members}");
            };
            assert_eq!(command, "rm -rf x");
        }
        let input = raw(r#"{"path":"a"}"#);
        for tool in ["mcp__db__rewrite", "write_file"] {
            assert_eq!(action(TOOLS, tool, Some(&input)), Action::Other, "{tool}");
        }
    }

    /// The client tells by the name alone where silence would let a tool pass.
    #[test]
    fn every_gate_is_known_to_the_client() {
        for dialect in crate::registry::names().filter_map(|n| crate::registry::dialect(n).ok()) {
            let gates = dialect.events().iter().filter(|e| e.kind == Kind::Gate);
            // Reading harms nothing.
            for gate in gates.filter(|e| !e.name.to_lowercase().contains("read")) {
                let (runner, name) = (dialect.name(), gate.name);
                assert!(aictx_proto::hook::is_gate(name), "{runner}: {name}");
            }
        }
    }

    #[test]
    fn several_files_of_one_edit() {
        let input = raw(r#"{"files":["a",{"filePath":"b"},7]}"#);
        let both = Action::Patch(vec!["a".into(), "b".into()]);
        assert_eq!(action(TOOLS, "edit", Some(&input)), both);
    }

    proptest! {
        #[test]
        fn any_arguments_are_survived(tool in "sh|patch|edit|mcp__x__edit|other", text in "\\PC{0,60}") {
            let string = raw(&serde_json::to_string(&text).unwrap());
            action(TOOLS, &tool, Some(&string));
            if let Ok(value) = serde_json::from_str::<Box<RawValue>>(&text) {
                action(TOOLS, &tool, Some(&value));
            }
        }
    }
}
