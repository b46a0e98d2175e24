//! Claude Code. Facts recorded from release 2.1.197 unless said otherwise.

use std::borrow::Cow;

use aictx_proto::text::truncate_chars;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{
    Action, Answer, Decision, Dialect, DialectError, HookEvent, MAX_CONTEXT, Moment, Output,
    ToolCall,
};

pub mod settings;

/// Claude Code's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

/// Events whose answers may carry `additionalContext` without side effects. Stop and SubagentStop
/// are not among them: context there forces another turn.
const TAKES_CONTEXT: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
];

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    session_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    transcript_path: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    cwd: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    agent_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    source: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    reason: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    trigger: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    prompt: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    last_assistant_message: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_use_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient_bool")]
    is_interrupt: bool,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    duration_ms: Option<&'a RawValue>,
}

/// The members of all file and shell tools' inputs that matter. A Write of a large file is
/// skipped over, not copied.
#[derive(Deserialize, Default)]
struct ToolInput<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    file_path: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    notebook_path: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    command: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient_bool")]
    run_in_background: bool,
}

#[derive(Deserialize, Default)]
struct ShellResponse<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    stdout: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    stderr: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient_bool")]
    interrupted: bool,
}

/// A string borrowed where JSON allows it; empty when the member is anything but a string.
fn lenient<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(text_of(raw))
}

fn text_of(raw: &RawValue) -> Cow<'_, str> {
    let text = raw.get();
    if !text.starts_with('"') {
        return Cow::Borrowed("");
    }
    match serde_json::from_str::<&str>(text) {
        Ok(plain) => Cow::Borrowed(plain),
        Err(_) => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
    }
}

fn lenient_bool<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(<&RawValue>::deserialize(deserializer)?.get() == "true")
}

impl<'a> Payload<'a> {
    fn call(&self) -> ToolCall<'a> {
        let input: ToolInput<'a> = self
            .tool_input
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let action = match self.tool_name.as_ref() {
            "Read" => Action::Read(input.file_path),
            "Write" | "Edit" | "MultiEdit" => Action::Edit(input.file_path),
            "NotebookEdit" => Action::Edit(input.notebook_path),
            "Bash" | "PowerShell" => Action::Command {
                command: input.command,
                background: input.run_in_background,
            },
            _ => Action::Other,
        };
        ToolCall {
            tool: self.tool_name.clone(),
            call_id: self.tool_use_id.clone(),
            action,
        }
    }

    fn duration(&self) -> Option<u64> {
        self.duration_ms.and_then(|raw| raw.get().parse().ok())
    }

    fn output(&self) -> Output<'a> {
        let Some(raw) = self.tool_response else {
            return Output::default();
        };
        if raw.get().starts_with('"') {
            return Output {
                stdout: text_of(raw),
                ..Output::default()
            };
        }
        let shell: ShellResponse<'a> = serde_json::from_str(raw.get()).unwrap_or_default();
        Output {
            stdout: shell.stdout,
            stderr: shell.stderr,
            interrupted: shell.interrupted,
        }
    }

    fn moment(&self, name: &str) -> Moment<'a> {
        match name {
            "SessionStart" => Moment::SessionStart {
                source: self.source.clone(),
            },
            "UserPromptSubmit" => Moment::Prompt {
                text: self.prompt.clone(),
            },
            "PreToolUse" => Moment::ToolIntent(self.call()),
            "PostToolUse" => Moment::ToolDone {
                call: self.call(),
                output: self.output(),
                duration_ms: self.duration(),
            },
            "PostToolUseFailure" => Moment::ToolFailed {
                call: self.call(),
                error: self.error.clone(),
                interrupted: self.is_interrupt,
                duration_ms: self.duration(),
            },
            "PreCompact" => Moment::Compact {
                trigger: self.trigger.clone(),
            },
            "Stop" => Moment::Stop {
                last_message: self.last_assistant_message.clone(),
            },
            "SubagentStart" => Moment::Subagent {
                phase: "start",
                last_message: Cow::Borrowed(""),
            },
            "SubagentStop" => Moment::Subagent {
                phase: "stop",
                last_message: self.last_assistant_message.clone(),
            },
            "SessionEnd" => Moment::SessionEnd {
                reason: self.reason.clone(),
            },
            _ => Moment::Other,
        }
    }
}

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        // serde would also take an array for a struct.
        if !payload.trim_start().starts_with('{') {
            return Err(DialectError::Payload {
                runner: "claude",
                cause: "not an object".into(),
            });
        }
        let payload: Payload<'a> =
            serde_json::from_str(payload).map_err(|e| DialectError::Payload {
                runner: "claude",
                cause: e.to_string(),
            })?;
        // What the agent says about itself beats what stood in its settings file.
        let name = match (payload.hook_event_name.is_empty(), event) {
            (true, Some(event)) => Cow::Borrowed(event),
            _ => payload.hook_event_name.clone(),
        };
        let moment = payload.moment(&name);
        Ok(HookEvent {
            name,
            session_id: payload.session_id,
            cwd: payload.cwd,
            transcript: payload.transcript_path,
            agent_id: payload.agent_id,
            moment,
        })
    }

    /// JSON, never exit codes: exit 2 would show the model our whole command line. The
    /// `hookEventName` must be the event's own, or the whole answer is dropped.
    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut specific = serde_json::Map::new();
        if event == "PreToolUse" {
            let (decision, reason) = match &answer.decision {
                Decision::Pass => (None, None),
                Decision::Ask(reason) => (Some("ask"), Some(reason)),
                Decision::Deny(reason) => (Some("deny"), Some(reason)),
            };
            if let (Some(decision), Some(reason)) = (decision, reason) {
                specific.insert("permissionDecision".into(), json!(decision));
                specific.insert("permissionDecisionReason".into(), json!(reason));
            }
        }
        if !answer.context.is_empty() && TAKES_CONTEXT.contains(&event) {
            let context = truncate_chars(&answer.context, MAX_CONTEXT);
            specific.insert("additionalContext".into(), json!(context));
        }
        if specific.is_empty() {
            return None;
        }
        let mut output = serde_json::Map::new();
        output.insert("hookEventName".into(), json!(event));
        output.append(&mut specific);
        Some(json!({ "hookSpecificOutput": output }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                background: false
            }
        );
        assert_eq!(
            (error.as_ref(), interrupted, duration_ms),
            ("Exit code 2\nno", false, Some(12))
        );
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
