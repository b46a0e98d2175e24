//! Cursor. Shapes from the vendor's documentation and from runs of 3.9.16 reported by others.
//!
//! Answers are flat. A question is accepted before a tool and not acted on, so it is a refusal; the
//! model is shown `user_message`. Generic and special events both fire for one call: only the
//! generic ones are registered, the others are understood.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat};
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools, moment};
use crate::merge::{Content, Item, Rule};
use crate::payload::{Members, text_of};
use crate::plan::{Agent, Edit, Signs, Site, TIMEOUT_SECONDS, instructions};
use crate::{Action, Answer, Decision, Dialect, DialectError, HookEvent, Output, Status, ToolCall};

/// Cursor's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Cursor;

/// Context before a prompt is undocumented, before a tool it has no channel.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("sessionStart", Kind::Start).with_context(),
    Event::hook("beforeSubmitPrompt", Kind::Prompt),
    Event::hook("preToolUse", Kind::Gate),
    Event::hook("postToolUse", Kind::Done).with_context(),
    Event::hook("postToolUseFailure", Kind::Failed),
    Event::hook("preCompact", Kind::Compact),
    Event::hook("subagentStop", Kind::SubagentStop),
    Event::hook("stop", Kind::Stop).asking_back(),
    Event::hook("sessionEnd", Kind::End),
    Event::known("subagentStart", Kind::SubagentStart),
    Event::known("beforeShellExecution", Kind::Gate),
    Event::known("afterShellExecution", Kind::Done),
    Event::known("beforeMCPExecution", Kind::Gate),
    Event::known("afterMCPExecution", Kind::Done),
    Event::known("beforeReadFile", Kind::Gate),
    Event::known("beforeTabFileRead", Kind::Note),
    Event::known("afterFileEdit", Kind::Done),
    Event::known("afterTabFileEdit", Kind::Note),
    Event::known("afterAgentResponse", Kind::Note),
    Event::known("afterAgentThought", Kind::Note),
    Event::known("workspaceOpen", Kind::Note),
];

const TOOLS: &Tools = &[
    ("Shell", Does::Shell),
    ("Read", Does::Read),
    ("Write", Does::Edit),
    ("Edit", Does::Edit),
    ("StrReplace", Does::Edit),
    ("Delete", Does::Edit),
    ("EditNotebook", Does::Edit),
    ("ApplyPatch", Does::Patch),
];

/// The call of an event. The special events have its arguments on their first level.
fn call<'a>(payload: &Members<'a>, event: &str) -> ToolCall<'a> {
    let file = || payload.text(&["file_path"]);
    let (tool, action) = match event {
        "beforeShellExecution" | "afterShellExecution" => {
            let command = Action::Command {
                command: payload.text(&["command"]),
                background: false,
                // That of the event.
                dir: Cow::Borrowed(""),
            };
            (Cow::Borrowed("Shell"), command)
        }
        "beforeReadFile" => (Cow::Borrowed("Read"), Action::Read(file())),
        "afterFileEdit" => (Cow::Borrowed("Write"), Action::Edit(file())),
        _ => {
            let tool = payload.text(&["tool_name"]);
            let action = event_and_tool_tables::action(TOOLS, &tool, payload.raw("tool_input"));
            (tool, action)
        }
    };
    ToolCall {
        tool,
        call_id: payload.text(&["tool_use_id"]),
        action,
    }
}

/// Returns a tool's output: `tool_output` is JSON in a string, `output` the bare text of a shell. Whether
/// a status stands in it differs by version; without one nothing is known.
fn output<'a>(payload: &Members<'a>, event: &str) -> Output<'a> {
    if event == "afterShellExecution" {
        return Output {
            stdout: payload.text(&["output"]),
            status: Status::Unknown,
            ..Output::default()
        };
    }
    let text = payload.raw("tool_output").map(text_of).unwrap_or_default();
    let (stdout, stderr, code) = match Members::parse(&text) {
        Ok(members) => (
            members.text(&["stdout", "output", "contents"]).into_owned(),
            members.text(&["stderr"]).into_owned(),
            members.whole(&["exitCode", "exit_code"]),
        ),
        Err(_) => (text.clone().into_owned(), String::new(), None),
    };
    let code = code.and_then(|code| i32::try_from(code).ok());
    Output {
        stdout: Cow::Owned(stdout),
        stderr: Cow::Owned(stderr),
        interrupted: false,
        background: false,
        status: code.map_or(Status::Unknown, Status::Code),
    }
}

impl Dialect for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) =
            event_and_tool_tables::open(self, payload, &["hook_event_name"], event)?;
        // Often empty; the first root is where the agent works then.
        let cwd = match payload.text(&["cwd"]) {
            cwd if cwd.is_empty() => payload.first("workspace_roots"),
            cwd => cwd,
        };
        Ok(HookEvent {
            session_id: payload.text(&["conversation_id", "session_id"]),
            cwd,
            transcript: payload.text(&["transcript_path"]),
            agent_id: payload.text(&["subagent_id"]),
            moment: moment(
                kind,
                &payload,
                || call(&payload, &name),
                |_| output(&payload, &name),
            ),
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        if let ("stop", Decision::Ask(reason)) = (event, &answer.decision) {
            members.insert("followup_message".into(), json!(reason));
            return flat(members);
        }
        let gate = event_and_tool_tables::find(EVENTS, event)
            .is_some_and(|event| event.kind == Kind::Gate);
        let decision = match event {
            // The one place where a question is documented to be asked.
            "beforeShellExecution" => answer.decision.word(),
            _ if gate => answer.decision.refusal().map(|reason| ("deny", reason)),
            _ => None,
        };
        if let Some((word, reason)) = decision {
            members.insert("permission".into(), json!(word));
            members.insert("user_message".into(), json!(reason));
        }
        if let Some(context) = context(event_and_tool_tables::find(EVENTS, event), answer) {
            members.insert("additional_context".into(), json!(context));
        }
        flat(members)
    }
}

impl Agent for Cursor {
    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[".cursor"],
            programs: &["cursor", "cursor-agent"],
            repository: &[".cursor", ".cursorrules"],
        }
    }

    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let place = |file: &str| {
            if site.is_user() {
                Some(site.home(&format!(".cursor/{file}")))
            } else {
                site.is_shared()
                    .then(|| site.repository(&format!(".cursor/{file}")))
            }
        };
        let mut edits = Vec::new();
        if let Some(file) = place("hooks.json").filter(|_| site.options.hooks) {
            let mut items = vec![Item {
                path: vec!["version".into()],
                value: json!(1),
                rule: Rule::Default,
            }];
            items.extend(site.listed(
                EVENTS,
                |event| json!({ "command": site.command_line(event), "timeout": TIMEOUT_SECONDS }),
            ));
            edits.push(site.edit(file, Content::Json(items), "registers the hooks"));
        }
        if let Some(file) = place("mcp.json").filter(|_| site.options.mcp) {
            let content = site.server("mcpServers", &[]);
            edits.push(site.edit(file, content, "offers the tools of aictx"));
        }
        if site.options.instructions && site.is_shared() {
            // What the start of a session tells can get lost in the editor.
            let rule = format!(
                "---\ndescription: Continuity between sessions\nalwaysApply: true\n---\n\n\
                 <!-- written by aictx -->\n{}",
                instructions::WITHOUT_HOOKS
            );
            let content = site.whole(rule, "<!-- written by aictx -->", false);
            let file = site.repository(".cursor/rules/aictx.mdc");
            edits.push(site.edit(file, content, "holds where a hook's context is lost"));
        }
        edits
    }
}
