//! GitHub Copilot: CLI, cloud agent and VS Code. Shapes from the vendors' documentation.
//!
//! One agent, two dialects: an event registered as `preToolUse` comes in camel case with the CLI's
//! own tool names and is answered flat; one registered as `PreToolUse`, and every event of VS Code,
//! comes and is answered in Claude Code's shape. The spelling of the event tells them apart. The
//! CLI refuses a tool when its hook fails in any way, so the hook must exit 0 whatever happens.

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat, question, specific};
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools, moment};
use crate::merge::{Content, Item, Rule};
use crate::payload::Members;
use crate::plan::{Agent, Edit, Signs, Site, TIMEOUT_SECONDS, instructions};
use crate::{Answer, Decision, Dialect, DialectError, HookEvent, ToolCall};

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
    Event::hook("agentStop", Kind::Stop).asking_back(),
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
    Event::known("Stop", Kind::Stop).asking_back(),
    Event::known("SessionEnd", Kind::End),
    Event::known("PermissionRequest", Kind::Gate),
];

/// The CLI's tools; Claude Code's and VS Code's names come from Claude's table.
pub(crate) const TOOLS: &Tools = &[
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
        action: event_and_tool_tables::action(tools, &tool, input),
        call_id: payload.text(&["toolCallId", "tool_use_id", "toolUseId"]),
        tool,
    }
}

impl Dialect for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn writes_last_messages(&self) -> bool {
        true
    }

    /// `events.jsonl` of release 1.0.102: an object a line, `{"type", "data"}`. A message with requests for tools is
    /// none that a turn ends with, and those of sub-agents name the call that started them.
    fn last_message_of(&self, transcript: &str) -> Option<String> {
        for line in transcript.lines().rev() {
            let Ok(event) = Members::parse(line) else {
                continue;
            };
            let data = event.object(&["data"]);
            match event.text(&["type"]).as_ref() {
                _ if !data.text(&["parentToolCallId", "agentId"]).is_empty() => {}
                "assistant.message" => {
                    let text = data.text(&["content"]);
                    let is_last =
                        data.elements("toolRequests").is_empty() && !text.trim().is_empty();
                    return is_last.then(|| text.into_owned());
                }
                "user.message" => return None,
                kind if kind.starts_with("tool.") => return None,
                _ => {}
            }
        }
        None
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) = event_and_tool_tables::open(
            self,
            payload,
            &["hookEventName", "hook_event_name"],
            event,
        )?;
        // The result says whether the tool worked; how a command ended stands in its text, if at all.
        let mut has_failed = false;
        let call = || call(&payload);
        let mut moment = moment(kind, &payload, call, |_| {
            let result = event_and_tool_tables::result(&payload);
            has_failed = result.failed;
            result.output
        });
        if has_failed {
            moment = event_and_tool_tables::failed(moment);
        }
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
            "agentStop" | "Stop" => return question(answer, "block"),
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
        if let Some(context) = context(event_and_tool_tables::find(EVENTS, event), answer) {
            members.insert("additionalContext".into(), json!(context));
        }
        if event.starts_with(|first: char| first.is_ascii_uppercase()) {
            specific(event, members)
        } else {
            flat(members)
        }
    }
}

impl Agent for Copilot {
    fn title(&self) -> &'static str {
        "GitHub Copilot"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: Some("COPILOT_HOME"),
            home: &[".copilot"],
            programs: &["copilot"],
            repository: &[".github/copilot-instructions.md", ".github/hooks"],
        }
    }

    /// A file of our own in the directory of hooks. VS Code does not read that of the user, but it
    /// reads Claude Code's settings.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let home = |file: &str| match &site.paths.copilot {
            Some(dir) => format!("{dir}/{file}"),
            None => site.home(&format!(".copilot/{file}")),
        };
        let file = if site.is_user() {
            Some(home("hooks/aictx.json"))
        } else {
            site.is_shared()
                .then(|| site.repository(".github/hooks/aictx.json"))
        };
        let mut edits = Vec::new();
        if let Some(file) = file.filter(|_| site.options.hooks) {
            let mut items = vec![Item {
                path: vec!["version".into()],
                value: json!(1),
                rule: Rule::Default,
            }];
            items.extend(site.listed(EVENTS, |event| handler(site, event)));
            edits.push(site.edit(file, Content::Json(items), "registers the hooks"));
        }
        if site.options.hooks && site.options.vscode && site.is_user() {
            edits.push(crate::claude::for_readers(site));
        }
        if site.options.mcp && site.is_user() {
            let more = [("type", json!("local")), ("tools", json!(["*"]))];
            let content = site.server("mcpServers", &more);
            edits.push(site.edit(
                home("mcp-config.json"),
                content,
                "offers the tools of aictx",
            ));
        }
        if site.is_shared() {
            if site.options.mcp {
                let content = site.server("servers", &[("type", json!("stdio"))]);
                let file = site.repository(".vscode/mcp.json");
                edits.push(site.edit(file, content, "offers the tools of aictx in VS Code"));
            }
            if site.options.instructions {
                let content = site.instructions("copilot", instructions::WITHOUT_HOOKS);
                let file = site.repository(".github/copilot-instructions.md");
                edits.push(site.edit(file, content, "a prompt's context is not taken from hooks"));
            }
        }
        edits
    }
}

/// A handler that never fails: a hook that fails stops the tool. The shared one is for all systems.
fn handler(site: &Site<'_>, event: &str) -> Value {
    let shell = site.command_line(event);
    let mut handler = json!({ "type": "command", "bash": shell });
    if site.is_shared()
        && let Some(handler) = handler.as_object_mut()
    {
        let name = site.agent;
        let windows = format!(
            "aictx hook {name} {event}; if (-not $?) {{ $global:LASTEXITCODE = 0 }}; exit 0"
        );
        handler.insert("powershell".into(), json!(windows));
    }
    if let Some(handler) = handler.as_object_mut() {
        handler.insert("timeoutSec".into(), json!(TIMEOUT_SECONDS));
    }
    handler
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_of_a_transcript_is_that_of_the_turn_that_ended() {
        let said = |text: &str, tools: &str| {
            let data = format!(r#"{{"content":{},"toolRequests":[{tools}]}}"#, json!(text));
            format!(r#"{{"type":"assistant.message","data":{data}}}"#)
        };
        let user = r#"{"type":"user.message","data":{"content":"next"}}"#;
        let tool = r#"{"type":"tool.execution_complete","data":{"toolCallId":"c"}}"#;
        let end = r#"{"type":"assistant.turn_end","data":{"turnId":"1"}}"#;
        let of_agent =
            r#"{"type":"assistant.message","data":{"content":"sub","parentToolCallId":"c"}}"#;
        let call = said("I run the tests.", r#"{"name":"bash"}"#);
        let done = said("Done: \"ü\".", "");
        let read = |lines: &[&str]| Copilot.last_message_of(&lines.join("\n"));
        let last = Some("Done: \"ü\".".to_owned());
        assert_eq!(read(&[user, &call, tool, &done, end]), last);
        assert_eq!(
            read(&["cut\":1}", &done, of_agent, "", end, "{\"type\":"]),
            last
        );
        for waiting in [
            vec![done.as_str(), user],
            vec![&done, user, &call],
            vec![&call, tool, end],
            vec![of_agent],
            vec!["[]", "null", ""],
        ] {
            assert_eq!(read(&waiting), None, "{waiting:?}");
        }
    }
}
