//! GitHub Copilot: CLI, cloud agent and VS Code. Shapes from the vendors' documentation.
//!
//! One agent, two dialects: an event registered as `preToolUse` comes in camel case with the CLI's
//! own tool names and is answered flat; one registered as `PreToolUse`, and every event of VS Code,
//! comes and is answered in Claude Code's shape. The spelling of the event tells them apart. The
//! CLI refuses a tool when its hook fails in any way, so the hook must exit 0 whatever happens.

use serde_json::{Map, Value, json};

use crate::members::Members;
use crate::say::{context, flat, specific};
use crate::table::{self, Does, Event, Kind, Tools, moment};
use crate::{Answer, Decision, Dialect, DialectError, HookEvent, Moment, Output, Status, ToolCall};

/// Copilot's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Copilot;

/// The CLI's spelling is registered; VS Code reads it too. Context of a prompt is dropped by hooks
/// from files, before a tool there is no channel for it.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("sessionStart", Kind::Start).with_context(),
    Event::hook("userPromptSubmitted", Kind::Prompt),
    Event::hook("preToolUse", Kind::Gate),
    Event::hook("postToolUse", Kind::Done).with_context(),
    Event::hook("postToolUseFailure", Kind::Failed).with_context(),
    Event::hook("preCompact", Kind::Compact),
    Event::hook("subagentStop", Kind::SubagentStop),
    Event::hook("agentStop", Kind::Stop),
    Event::hook("sessionEnd", Kind::End),
    Event::known("subagentStart", Kind::SubagentStart).with_context(),
    Event::known("permissionRequest", Kind::Gate),
    Event::known("notification", Kind::Note),
    Event::known("errorOccurred", Kind::Note),
    Event::known("SessionStart", Kind::Start).with_context(),
    Event::known("UserPromptSubmit", Kind::Prompt),
    Event::known("UserPromptSubmitted", Kind::Prompt),
    Event::known("PreToolUse", Kind::Gate).with_context(),
    Event::known("PostToolUse", Kind::Done).with_context(),
    Event::known("PostToolUseFailure", Kind::Failed).with_context(),
    Event::known("PreCompact", Kind::Compact),
    Event::known("SubagentStart", Kind::SubagentStart).with_context(),
    Event::known("SubagentStop", Kind::SubagentStop),
    Event::known("Stop", Kind::Stop),
    Event::known("SessionEnd", Kind::End),
    Event::known("PermissionRequest", Kind::Gate),
];

/// The CLI's tools; Claude Code's and VS Code's names come from Claude's table.
const TOOLS: &Tools = &[
    ("bash", Does::Shell),
    ("powershell", Does::Shell),
    ("view", Does::Read),
    ("create", Does::Edit),
    ("edit", Does::Edit),
    ("str_replace", Does::Edit),
    ("str_replace_editor", Does::Edit),
    ("insert", Does::Edit),
    ("apply_patch", Does::Patch),
];

fn call<'a>(payload: &Members<'a>) -> ToolCall<'a> {
    let tool = payload.text(&["toolName", "tool_name"]);
    let input = payload
        .raw("toolArgs")
        .or_else(|| payload.raw("tool_input"));
    let tools = if TOOLS.iter().any(|(name, _)| *name == tool) {
        TOOLS
    } else {
        crate::claude::TOOLS
    };
    ToolCall {
        action: table::action(tools, &tool, input),
        call_id: payload.text(&["toolCallId", "tool_use_id", "toolUseId"]),
        tool,
    }
}

fn result<'a>(payload: &Members<'a>) -> (Members<'a>, Output<'a>) {
    let result = payload.object(&["toolResult", "tool_response", "tool_result"]);
    let stdout = match result.text(&["textResultForLlm", "text_result_for_llm", "stdout"]) {
        text if text.is_empty() => payload.text(&["tool_response", "toolResult"]),
        text => text,
    };
    let output = Output {
        // The result says whether the tool worked; how a command ended stands in its text, if at all.
        status: exit_line(&stdout).map_or(Status::Unknown, Status::Code),
        stdout,
        stderr: result.text(&["stderr"]),
        interrupted: false,
    };
    (result, output)
}

/// The status in the last line that the CLI puts behind a command's output.
fn exit_line(text: &str) -> Option<i32> {
    let last = text.trim_end().lines().next_back()?;
    let code = last.strip_prefix("<exited with exit code ")?;
    code.strip_suffix('>')?.parse().ok()
}

impl Dialect for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let payload = Members::open(self.name(), payload)?;
        let name = payload.event(&["hookEventName", "hook_event_name"], event);
        let kind = table::find(EVENTS, &name).map_or(Kind::Note, |event| event.kind);
        let (said, output) = if kind == Kind::Done {
            result(&payload)
        } else {
            <_>::default()
        };
        let kind_of_result = said.text(&["resultType", "result_type"]);
        let moment = match kind_of_result.as_ref() {
            "failure" | "rejected" | "denied" => Moment::ToolFailed {
                call: call(&payload),
                error: output.stdout,
                interrupted: false,
                duration_ms: None,
            },
            _ => moment(kind, &payload, || call(&payload), |_| output),
        };
        let agent = if matches!(kind, Kind::SubagentStart | Kind::SubagentStop) {
            payload.text(&["agentId", "agent_id", "agentName", "agent_name"])
        } else {
            payload.text(&["agentId", "agent_id"])
        };
        Ok(HookEvent {
            session_id: payload.text(&["sessionId", "session_id"]),
            cwd: payload.text(&["cwd"]),
            transcript: payload.text(&["transcriptPath", "transcript_path"]),
            agent_id: agent,
            moment,
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        match event {
            "preToolUse" | "PreToolUse" => {
                if let Some((word, reason)) = answer.decision.word() {
                    members.insert("permissionDecision".into(), json!(word));
                    members.insert("permissionDecisionReason".into(), json!(reason));
                }
            }
            "permissionRequest" if matches!(answer.decision, Decision::Deny(_)) => {
                members.insert("behavior".into(), json!("deny"));
                members.insert("message".into(), json!(answer.decision.refusal()));
            }
            "PermissionRequest" if matches!(answer.decision, Decision::Deny(_)) => {
                let message = answer.decision.refusal();
                let decision = json!({ "behavior": "deny", "message": message });
                members.insert("decision".into(), decision);
            }
            _ => {}
        }
        if let Some(context) = context(table::find(EVENTS, event), answer) {
            members.insert("additionalContext".into(), json!(context));
        }
        if event.starts_with(|first: char| first.is_ascii_uppercase()) {
            specific(event, members)
        } else {
            flat(members)
        }
    }
}
