//! Cline: the VS Code extension's hook files, and the hooks of its command line with names of
//! their own. Shapes from the vendor's documentation.
//!
//! Arguments and results stand one level down, in a member named after the event. Context reaches
//! the model with the next request. A refusal is `cancel` in VS Code. The command line (seen with
//! 3.0.65) ends the whole run at `cancel`, so there a refusal replaces the call's input with one that
//! no tool accepts: the model sees the call fail, with our reason beside it, and works on.

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
    Event::hook("SessionShutdown", Kind::End),
    Event::known("TaskError", Kind::Note),
    Event::known("Notification", Kind::Note),
    // The command line drops the context of a start.
    Event::known("agent_start", Kind::Start),
    Event::known("agent_resume", Kind::Start),
    Event::known("prompt_submit", Kind::Prompt).with_context(),
    Event::known(CALL_OF_COMMAND_LINE, Kind::Gate).with_context(),
    Event::known("tool_result", Kind::Done).with_context(),
    Event::known("agent_end", Kind::Stop),
    Event::known("agent_abort", Kind::Stop),
    Event::known("agent_error", Kind::Note),
    Event::known("session_shutdown", Kind::End),
];

/// The command line's name of the event before a tool runs.
const CALL_OF_COMMAND_LINE: &str = "tool_call";

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

/// Returns the object one level down, whichever event it is.
fn detail<'a>(payload: &Members<'a>) -> Members<'a> {
    payload.object(&[
        // The command line sends both; the other one has its arguments as text.
        CALL_OF_COMMAND_LINE,
        "tool_result",
        "preToolUse",
        "postToolUse",
        "userPromptSubmit",
        "preCompact",
        "taskStart",
        "taskResume",
        "taskComplete",
        "taskCancel",
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

/// A tool's text for the model, and true if it failed. The command line lists an entry for each
/// command, with `result`, `success` and `error`, or says only `{"error": …}`.
fn result<'a>(detail: &Members<'a>) -> (Cow<'a, str>, Option<bool>) {
    let failed = |of: &Members<'_>| of.raw("success").map(|raw| raw.get() == "false");
    let error = detail.object(&["output"]).text(&["error"]);
    if !error.is_empty() {
        return (error, Some(true));
    }
    let entries = detail.elements("output").into_iter().map(Members::of);
    let (mut texts, mut one_failed) = (Vec::new(), None);
    for entry in entries {
        texts.push(entry.text(&["result", "error"]));
        one_failed = one_failed.max(failed(&entry));
    }
    match one_failed {
        Some(_) => (Cow::Owned(texts.join("\n")), one_failed),
        None => (detail.text(&["result", "error", "output"]), failed(detail)),
    }
}

fn moment<'a>(kind: Kind, name: &str, payload: &Members<'a>) -> Moment<'a> {
    let detail = detail(payload);
    let duration_ms = detail.duration(&["executionTimeMs", "durationMs"]);
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
        // The end of a call that was refused: it did not happen.
        Kind::Done
            if detail
                .raw("input")
                .is_some_and(|input| input.get() == NO_INPUT.to_string()) =>
        {
            Moment::Other
        }
        Kind::Done => match result(&detail) {
            (error, Some(true)) => Moment::ToolFailed {
                call: call(&detail),
                error,
                interrupted: false,
                duration_ms,
            },
            (stdout, _) => Moment::ToolDone {
                call: call(&detail),
                output: Output {
                    stdout,
                    // In VS Code success is that of the tool; a command's own status is not told.
                    status: match name {
                        "tool_result" => Status::Success,
                        _ => Status::Unknown,
                    },
                    ..Output::default()
                },
                duration_ms,
            },
        },
        Kind::Stop => Moment::Stop {
            last_message: payload.object(&["turn"]).text(&["outputText"]),
            asked_back: false,
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
        let goes_on = refusal.is_none() || event == CALL_OF_COMMAND_LINE;
        if refusal.is_some() || context.is_some() {
            members.insert("cancel".into(), json!(!goes_on));
        }
        let context = match refusal {
            Some(reason) if goes_on => {
                members.insert("overrideInput".into(), json!(NO_INPUT));
                Some(match context {
                    Some(context) => format!("{reason}\n\n{context}"),
                    None => reason,
                })
            }
            Some(reason) => {
                members.insert("errorMessage".into(), json!(reason));
                context
            }
            None => context,
        };
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

    /// The command line heeds hooks. VS Code has been seen not to, so its directory, which the command
    /// line reads as well, is written to only when asked for. One executable file an event.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let directories: &[&str] = match site.options.undependable {
            true => &[".cline/hooks", "Documents/Cline/Hooks"],
            false => &[".cline/hooks"],
        };
        if site.options.hooks && site.is_user() {
            for directory in directories {
                for event in EVENTS.iter().filter(|event| event.registered) {
                    let text = format!(
                        "#!/bin/sh\n{SCRIPT_MARK}\n{}\n",
                        site.command_line(event.name)
                    );
                    let file = site.home(&format!("{directory}/{}", event.name));
                    edits.push(site.edit(
                        file,
                        site.whole(text, SCRIPT_MARK, true),
                        "hands the event over",
                    ));
                }
            }
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

/// Input that every tool refuses: built-in ones take objects, lists or text, those of MCP servers
/// objects.
const NO_INPUT: u8 = 0;
/// By this a hook file is known as ours.
const SCRIPT_MARK: &str = "# written by aictx";
/// By this a rule file is known as ours.
const RULE_MARK: &str = "<!-- written by aictx -->";
