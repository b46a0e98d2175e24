//! Claude Code. Facts recorded from release 2.1.197 unless said otherwise.
//!
//! Other agents read Claude Code's settings and run its hooks: VS Code (`sessionId`,
//! `hookEventName`, tool names of its own), Copilot CLI and Cursor. Their spellings are understood
//! here, so that one registration serves all of them.

use serde_json::{Map, Value, json};

use crate::answer_json::{context, question, specific};
use crate::event_and_tool_tables::{self, Does, Event, Kind, ToolResult, Tools, moment};
use crate::merge::{self, Content, Item};
use crate::payload::Members;
use crate::plan::{
    Agent, Allowed, Edit, Reader, Signs, Site, TIMEOUT_SECONDS, TrustStep, instructions, switched,
};
use crate::{Answer, Decision, Dialect, DialectError, HookEvent, Status, ToolCall};

pub mod settings;

/// Claude Code's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

/// Not here: `WorktreeCreate`, whose empty answer breaks the creation of a worktree. Stop and
/// SubagentStop take no context: it would force another turn. `PermissionRequest` repeats a call
/// that `PreToolUse` has judged.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("SessionStart", Kind::Start).with_context(),
    Event::hook("UserPromptSubmit", Kind::Prompt).with_context(),
    Event::hook("PreToolUse", Kind::Gate).with_context(),
    Event::hook("PostToolUse", Kind::Done).with_context(),
    Event::hook("PostToolUseFailure", Kind::Failed).with_context(),
    Event::hook("PreCompact", Kind::Compact),
    Event::hook("SubagentStop", Kind::SubagentStop),
    Event::hook("Stop", Kind::Stop).asking_back(),
    Event::hook("SessionEnd", Kind::End),
    Event::known("SubagentStart", Kind::SubagentStart).with_context(),
    Event::known("PermissionRequest", Kind::Gate),
    Event::known("StopFailure", Kind::Stop),
    Event::known("PostToolBatch", Kind::Note),
    Event::known("PermissionDenied", Kind::Note),
    Event::known("Notification", Kind::Note),
    Event::known("PostCompact", Kind::Note),
    Event::known("UserPromptExpansion", Kind::Note),
    Event::known("InstructionsLoaded", Kind::Note),
    Event::known("MessageDisplay", Kind::Note),
    Event::known("TaskCreated", Kind::Note),
    Event::known("TaskCompleted", Kind::Note),
    Event::known("CwdChanged", Kind::Note),
    Event::known("FileChanged", Kind::Note),
    Event::known("ConfigChange", Kind::Note),
];

/// Claude Code's tools, then VS Code's.
pub(crate) const TOOLS: &Tools = &[
    ("Bash", Does::Shell),
    ("Read", Does::Read),
    ("Edit", Does::Edit),
    ("Write", Does::Edit),
    ("MultiEdit", Does::Edit),
    ("NotebookEdit", Does::Edit),
    ("PowerShell", Does::Shell),
    ("runTerminalCommand", Does::Shell),
    ("runInTerminal", Does::Shell),
    ("run_in_terminal", Does::Shell),
    ("readFile", Does::Read),
    ("read_file", Does::Read),
    ("editFiles", Does::Edit),
    ("editNotebook", Does::Edit),
    ("edit_notebook_file", Does::Edit),
    ("createFile", Does::Edit),
    ("create_file", Does::Edit),
    ("replace_string_in_file", Does::Edit),
    ("insert_edit_into_file", Does::Edit),
    ("apply_patch", Does::Patch),
];

/// The call in a payload of Claude's shape.
pub(crate) fn call<'a>(payload: &Members<'a>, tools: &Tools) -> ToolCall<'a> {
    let tool = payload.text(&["tool_name", "toolName"]);
    ToolCall {
        action: event_and_tool_tables::action(tools, &tool, payload.raw("tool_input")),
        call_id: payload.text(&["tool_use_id", "toolUseId", "tool_call_id"]),
        tool,
    }
}

/// The result of a tool. Claude Code reports failures apart: what it gives back in its own shape has succeeded.
fn output<'a>(payload: &Members<'a>) -> ToolResult<'a> {
    let mut result = event_and_tool_tables::result(payload);
    let response = payload.object(&["tool_response"]);
    let is_own = response.raw("stdout").is_some() && response.raw("interrupted").is_some();
    if is_own && result.output.status == Status::Unknown {
        result.output.status = Status::Success;
    }
    result
}

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) = event_and_tool_tables::open(
            self,
            payload,
            &["hook_event_name", "hookEventName"],
            event,
        )?;
        let mut has_failed = false;
        let call = || call(&payload, TOOLS);
        let mut moment = moment(kind, &payload, call, |_| {
            let result = output(&payload);
            has_failed = result.failed;
            result.output
        });
        if has_failed {
            moment = event_and_tool_tables::failed(moment);
        }
        Ok(HookEvent {
            session_id: payload.text(&["session_id", "sessionId"]),
            cwd: payload.text(&["cwd"]),
            transcript: payload.text(&["transcript_path", "transcriptPath"]),
            agent_id: payload.text(&["agent_id", "agentId"]),
            moment,
            name,
        })
    }

    /// JSON, never exit codes: exit 2 would show the model our whole command line. The
    /// `hookEventName` must be the event's own, or the whole answer is dropped.
    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        match (event, &answer.decision) {
            ("PreToolUse", decision) => {
                if let Some((word, reason)) = decision.word() {
                    members.insert("permissionDecision".into(), json!(word));
                    members.insert("permissionDecisionReason".into(), json!(reason));
                }
            }
            ("Stop", Decision::Ask(_)) => return question(answer, "block"),
            // The user is being asked already; only a refusal adds something.
            ("PermissionRequest", Decision::Deny(_)) => {
                let message = answer.decision.refusal();
                let decision = json!({ "behavior": "deny", "message": message });
                members.insert("decision".into(), decision);
            }
            _ => {}
        }
        if let Some(context) = context(event_and_tool_tables::find(EVENTS, event), answer) {
            members.insert("additionalContext".into(), json!(context));
        }
        specific(event, members)
    }
}

impl Agent for Claude {
    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: Some("CLAUDE_CONFIG_DIR"),
            home: &[".claude", ".claude.json"],
            programs: &["claude"],
            repository: &[".claude", "CLAUDE.md"],
        }
    }

    /// VS Code reads the user's settings of Claude Code, too: they serve both.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let settings = if site.is_user() {
            Some(user_settings(site))
        } else if site.is_shared() {
            Some(site.repository(".claude/settings.json"))
        } else {
            let local = || site.repository(settings::FILE);
            site.is_local().then(local)
        };
        let mut edits = Vec::new();
        if let Some(file) = settings.filter(|_| site.options.hooks) {
            let reason = "registers the hooks; Claude Code and VS Code read it";
            edits.push(site.edit(file, Content::Json(hooks(site)), reason));
        }
        if site.options.mcp && site.is_user() {
            let file = match &site.paths.claude {
                Some(dir) => format!("{dir}/.claude.json"),
                None => site.home(".claude.json"),
            };
            let content = site.server("mcpServers", &[("type", json!("stdio"))]);
            edits.push(Edit {
                caution: "Claude Code rewrites this file while it runs; if the entry is gone \
                    afterwards, run this again or `claude mcp add`",
                ..site.edit(file, content, "offers the tools of aictx")
            });
        }
        if site.is_shared() {
            if site.options.mcp {
                let content = site.server("mcpServers", &[("type", json!("stdio"))]);
                let file = site.repository(".mcp.json");
                edits.push(site.edit(file, content, "offers the tools of aictx"));
            }
            if site.options.instructions && !site.options.one_instruction_file {
                let content = site.instructions("claude", instructions::WITH_HOOKS);
                let reason = "asks for what only the agent knows";
                edits.push(site.edit(site.repository("CLAUDE.md"), content, reason));
            }
        }
        edits
    }

    fn trust(&self, site: &Site<'_>) -> Vec<TrustStep> {
        let mut how =
            vec!["start `claude` in the repository and trust the folder when asked".into()];
        if site.is_shared() {
            how.push("approve the MCP server `aictx` when asked".into());
        }
        vec![TrustStep {
            agent: site.agent,
            without: "interactive sessions hold back all hooks in folders that are not trusted",
            how,
            check: "`/hooks` in Claude Code lists them",
            write: None,
        }]
    }

    /// Hooks of folders that are not trusted are held back in interactive sessions; a headless run
    /// does not ask, so a folder that was never opened says nothing.
    fn allowed(&self, site: &Site<'_>, read: Reader<'_>) -> Allowed {
        let settings = [
            user_settings(site),
            site.repository(".claude/settings.json"),
            site.repository(".claude/settings.local.json"),
        ];
        let state = match &site.paths.claude {
            Some(dir) => format!("{dir}/.claude.json"),
            None => site.home(".claude.json"),
        };
        let projects = read(&state).and_then(|text| merge::json_value(&text));
        let trusted = projects.as_ref().and_then(|state| {
            let project = state.get("projects")?.get(&site.paths.repository)?;
            project.get("hasTrustDialogAccepted")?.as_bool()
        });
        Allowed {
            trusted: trusted.filter(|trusted| *trusted),
            off: switched(read, &settings, &["disableAllHooks"], &json!(true)),
            evidence: state,
        }
    }
}

/// The user's settings file.
fn user_settings(site: &Site<'_>) -> String {
    match &site.paths.claude {
        Some(dir) => format!("{dir}/settings.json"),
        None => site.home(".claude/settings.json"),
    }
}

/// The user's hooks, for another agent that reads this file; the same entries, so that whoever is
/// installed for first, they stand there once.
pub(crate) fn for_readers(site: &Site<'_>) -> Edit {
    let own = Site {
        agent: "claude",
        ..*site
    };
    let reason = "registers the hooks; VS Code reads Claude Code's settings";
    own.edit(user_settings(site), Content::Json(hooks(&own)), reason)
}

fn hooks(site: &Site<'_>) -> Vec<Item> {
    site.grouped(EVENTS, |event| {
        match site.is_shared() {
            // The shell finds the program.
            true => json!({
                "type": "command",
                "command": site.command_line(event),
                "timeout": TIMEOUT_SECONDS,
            }),
            // No shell is in the way, and a program that is not there is passed over.
            false => json!({
                "type": "command",
                "command": site.paths.program,
                "args": ["hook", site.agent, event],
                "timeout": TIMEOUT_SECONDS,
            }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Moment};
    use proptest::prelude::*;

    fn parse(payload: &str) -> HookEvent<'_> {
        Claude.parse(payload, None).unwrap()
    }

    #[test]
    fn a_failing_shell_is_a_failure_with_its_text() {
        let event = parse(
            r#"{"session_id":"s","cwd":"/r","hook_event_name":"PostToolUseFailure","tool_name":"Bash",
                "tool_input":{"command":"make","description":"x"},"tool_use_id":"t","error":"Exit code 2\nno",
                "is_interrupt":false,"duration_ms":12}"#,
        );
        let Moment::ToolFailed {
            call,
            error,
            interrupted,
            duration_ms,
        } = event.moment
        else {
            panic!()
        };
        assert_eq!(
            call.action,
            Action::Command {
                command: "make".into(),
                background: false,
                dir: "".into()
            }
        );
        assert_eq!(
            (error.as_ref(), interrupted, duration_ms),
            ("Exit code 2\nno", false, Some(12))
        );
    }

    #[test]
    fn a_result_of_an_unknown_shape_has_not_passed() {
        let ran = |result: &str| {
            let payload = format!(
                r#"{{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"make check"}}{result}}}"#
            );
            match parse(&payload).moment {
                Moment::ToolDone { output, .. } if output.background => "background".to_owned(),
                Moment::ToolDone { output, .. } => format!("{:?}", output.status),
                Moment::ToolFailed { error, .. } => format!("failed: {error}"),
                other => format!("{other:?}"),
            }
        };
        for (result, how) in [
            (
                r#","tool_response":{"stdout":"ok","stderr":"","interrupted":false}"#,
                "Success",
            ),
            (
                r#","tool_response":{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"b1"}"#,
                "background",
            ),
            (
                r#","tool_response":{"stdout":"","stderr":"","exitCode":1}"#,
                "Code(1)",
            ),
            (
                r#","tool_response":{"stdout":"","stderr":"","exitCode":0}"#,
                "Code(0)",
            ),
            (r#","tool_response":{"stdout":"built"}"#, "Unknown"),
            (
                r#","tool_response":"no rule\n\nCommand exited with code 2""#,
                "Code(2)",
            ),
            (
                r#","tool_response":"api-1 exited with code 0\n\nCommand exited with code 0""#,
                "Unknown",
            ),
            (
                r#","tool_response":"it exited with code 2, and went on""#,
                "Unknown",
            ),
            (
                r#","tool_response":[{"type":"text","text":"done\n<exited with exit code 3>"}]"#,
                "Code(3)",
            ),
            (
                r#","tool_response":{"content":[{"type":"text","text":"1 failed"}],"is_error":true}"#,
                "failed: 1 failed",
            ),
            (
                r#","tool_result":{"result_type":"failure","text_result_for_llm":"1 failed"}"#,
                "failed: 1 failed",
            ),
            (
                r#","tool_response":{"success":false,"output":"no"}"#,
                "failed: no",
            ),
            (r#","tool_response":7"#, "Unknown"),
            ("", "Unknown"),
        ] {
            assert_eq!(ran(result), how, "{result}");
        }
    }

    #[test]
    fn unknown_events_wrong_types_and_missing_members_are_no_errors() {
        let event = parse(
            r#"{"hook_event_name":"FutureEvent","session_id":7,"cwd":null,"tool_input":[1]}"#,
        );
        assert_eq!(event.moment, Moment::Other);
        assert_eq!(event.session_id, "");
        let event =
            parse(r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"rm"}"#);
        assert!(matches!(event.moment, Moment::ToolIntent(_)));
        assert_eq!(Claude.parse("{}", Some("Stop")).unwrap().name, "Stop");
        assert!(Claude.parse("[1]", None).is_err());
        assert!(Claude.parse("null", None).is_err());
    }

    #[test]
    fn answers_carry_the_events_own_name() {
        let deny = Answer {
            context: String::new(),
            decision: Decision::Deny("because".into()),
        };
        assert_eq!(
            Claude.render("PreToolUse", &deny).unwrap(),
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": "because"}})
        );
        assert_eq!(
            Claude.render("PostToolUse", &deny),
            None,
            "a decision means nothing there"
        );
        let say = Answer {
            context: "facts".into(),
            decision: Decision::Pass,
        };
        assert_eq!(
            Claude.render("SessionStart", &say).unwrap()["hookSpecificOutput"]["hookEventName"],
            "SessionStart"
        );
        assert_eq!(
            Claude.render("Stop", &say),
            None,
            "context at Stop would force another turn"
        );
        assert_eq!(Claude.render("PreToolUse", &Answer::default()), None);
    }

    proptest! {
        #[test]
        fn any_json_is_survived(text in ".{0,80}", name in "[A-Za-z]{0,20}") {
            let payload = json!({"hook_event_name": name, "tool_name": text, "tool_input": {"command": text},
                                 "tool_response": text, "prompt": text}).to_string();
            let _ = Claude.parse(&payload, None);
            let _ = Claude.parse(&text, None);
        }
    }
}
