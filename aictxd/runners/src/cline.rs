//! Cline: the VS Code extension's hook files, and the hooks of its command line with names of
//! their own. Shapes from the vendor's documentation.
//!
//! Arguments and results stand one level down, in a member named after the event. A refusal is
//! `cancel`; context reaches the model with the next request.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat};
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools};
use crate::payload::Members;
use crate::plan::{Agent, Edit, Signs, Site, instructions};
use crate::{Answer, Dialect, DialectError, HookEvent, Moment, Output, Status, ToolCall};

/// Cline's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Cline;

pub(crate) const EVENTS: &[Event] = &[
    Event::hook("TaskStart", Kind::Start).with_context(),
    Event::hook("TaskResume", Kind::Start).with_context(),
    Event::hook("UserPromptSubmit", Kind::Prompt).with_context(),
    Event::hook("PreToolUse", Kind::Gate).with_context(),
    Event::hook("PostToolUse", Kind::Done).with_context(),
    Event::hook("PreCompact", Kind::Compact),
    Event::hook("TaskComplete", Kind::Stop),
    Event::hook("TaskCancel", Kind::Stop),
    Event::known("SessionShutdown", Kind::End),
    Event::known("TaskError", Kind::Note),
    Event::known("Notification", Kind::Note),
    Event::known("agent_start", Kind::Start).with_context(),
    Event::known("agent_resume", Kind::Start).with_context(),
    Event::known("prompt_submit", Kind::Prompt).with_context(),
    Event::known("tool_call", Kind::Gate).with_context(),
    Event::known("tool_result", Kind::Done).with_context(),
    Event::known("agent_end", Kind::Stop),
    Event::known("agent_abort", Kind::Stop),
    Event::known("agent_error", Kind::Note),
    Event::known("session_shutdown", Kind::End),
];

const TOOLS: &Tools = &[
    ("execute_command", Does::Shell),
    ("read_file", Does::Read),
    ("write_to_file", Does::Edit),
    ("replace_in_file", Does::Edit),
    ("new_rule", Does::Edit),
    ("apply_patch", Does::Patch),
    ("bash", Does::Shell),
    ("run_commands", Does::Shell),
    ("read_files", Does::Read),
    ("editor", Does::Edit),
];

/// What stands one level down, whichever event it is.
fn detail<'a>(payload: &Members<'a>) -> Members<'a> {
    payload.object(&[
        "preToolUse",
        "postToolUse",
        "userPromptSubmit",
        "preCompact",
        "taskStart",
        "taskResume",
        "taskComplete",
        "taskCancel",
        "tool_call",
        "tool_result",
        "prompt_submit",
    ])
}

fn call<'a>(detail: &Members<'a>) -> ToolCall<'a> {
    let tool = detail.text(&["toolName", "tool", "name"]);
    let arguments = detail.raw("parameters").or_else(|| detail.raw("input"));
    ToolCall {
        action: event_and_tool_tables::action(TOOLS, &tool, arguments),
        call_id: detail.text(&["id", "toolCallId"]),
        tool,
    }
}

fn moment<'a>(kind: Kind, name: &str, payload: &Members<'a>) -> Moment<'a> {
    let detail = detail(payload);
    let duration_ms = detail.duration(&["executionTimeMs", "durationMs"]);
    let failed = detail
        .raw("success")
        .is_some_and(|raw| raw.get() == "false");
    match kind {
        Kind::Start => Moment::SessionStart {
            source: Cow::Borrowed(match name {
                "TaskResume" | "agent_resume" => "resume",
                _ => "startup",
            }),
        },
        Kind::Prompt => Moment::Prompt {
            text: match detail.text(&["prompt"]) {
                text if text.is_empty() => payload.text(&["prompt"]),
                text => text,
            },
        },
        Kind::Done if failed => Moment::ToolFailed {
            call: call(&detail),
            error: detail.text(&["result", "error", "output"]),
            interrupted: false,
            duration_ms,
        },
        Kind::Done => Moment::ToolDone {
            call: call(&detail),
            output: Output {
                stdout: detail.text(&["result", "output"]),
                // Success is that of the tool; a command's own status is not told.
                status: Status::Unknown,
                ..Output::default()
            },
            duration_ms,
        },
        Kind::Compact => Moment::Compact {
            trigger: Cow::Borrowed("auto"),
        },
        kind => {
            event_and_tool_tables::moment(kind, &detail, || call(&detail), |_| Output::default())
        }
    }
}

impl Dialect for Cline {
    fn name(&self) -> &'static str {
        "cline"
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
            event_and_tool_tables::open(self, payload, &["hookName"], event)?;
        Ok(HookEvent {
            session_id: payload.text(&["taskId", "sessionId"]),
            cwd: match payload.first("workspaceRoots") {
                root if root.is_empty() => payload.text(&["cwd"]),
                root => root,
            },
            transcript: Cow::Borrowed(""),
            agent_id: Cow::Borrowed(""),
            moment: moment(kind, &name, &payload),
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        let known = event_and_tool_tables::find(EVENTS, event);
        let gate = known.is_some_and(|known| known.kind == Kind::Gate);
        let refusal = answer.decision.refusal().filter(|_| gate);
        let context = context(known, answer);
        if refusal.is_some() || context.is_some() {
            members.insert("cancel".into(), json!(refusal.is_some()));
        }
        if let Some(reason) = refusal {
            members.insert("errorMessage".into(), json!(reason));
        }
        if let Some(context) = context {
            members.insert("contextModification".into(), json!(context));
        }
        flat(members)
    }
}

impl Agent for Cline {
    fn title(&self) -> &'static str {
        "Cline"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[".cline", "Documents/Cline"],
            programs: &["cline"],
            repository: &[".clinerules", ".cline"],
        }
    }

    /// Cline has been seen not to heed what hooks answer, so it gets rules and tools, and hooks only
    /// when asked for: one executable file an event.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let mut edits = Vec::new();
        if site.options.hooks && site.options.undependable && site.is_user() {
            let registered = EVENTS.iter().filter(|event| event.registered);
            edits.extend(registered.map(|event| {
                let text = format!(
                    "#!/bin/sh\n{SCRIPT_MARK}\n{}\n",
                    site.command_line(event.name)
                );
                let file = site.home(&format!("Documents/Cline/Hooks/{}", event.name));
                site.edit(
                    file,
                    site.whole(text, SCRIPT_MARK, true),
                    "hands the event over",
                )
            }));
        }
        if site.options.mcp && site.is_user() {
            let file = site.home(".cline/data/settings/cline_mcp_settings.json");
            let content = site.server("mcpServers", &[]);
            edits.push(site.edit(file, content, "offers the tools of aictx"));
        }
        if site.options.instructions {
            let file = if site.is_user() {
                Some(site.home("Documents/Cline/Rules/aictx.md"))
            } else {
                site.is_shared()
                    .then(|| site.repository(".clinerules/aictx.md"))
            };
            if let Some(file) = file {
                let text = format!("{RULE_MARK}\n{}", instructions::WITHOUT_HOOKS);
                let content = site.whole(text, RULE_MARK, false);
                edits.push(site.edit(file, content, "tells what no hook can"));
            }
        }
        edits
    }
}

/// By this a hook file is known as ours.
const SCRIPT_MARK: &str = "# written by aictx";
/// By this a rule file is known as ours.
const RULE_MARK: &str = "<!-- written by aictx -->";
