//! Payloads in every agent's dialect.

use std::path::Path;

use serde_json::{Value, json};

/// One event of one agent, as it is registered and as it comes.
#[derive(Debug, Clone)]
pub struct Told {
    /// Runner.
    pub runner: &'static str,
    /// Name of the event on the hook's command line.
    pub event: &'static str,
    /// Standard input.
    pub payload: Value,
}

fn told(runner: &'static str, event: &'static str, payload: Value) -> Told {
    Told {
        runner,
        event,
        payload,
    }
}

/// A session begins, in every dialect that says so.
pub fn starts(repository: &Path, session: &str) -> Vec<Told> {
    let id = |runner: &str| format!("{session}-{runner}");
    let named = |runner: &str| {
        json!({"session_id": id(runner), "cwd": repository, "hook_event_name": "SessionStart",
               "source": "startup", "transcript_path": null})
    };
    vec![
        told("claude", "SessionStart", named("claude")),
        told("codex", "SessionStart", named("codex")),
        told("gemini", "SessionStart", named("gemini")),
        told(
            "cursor",
            "sessionStart",
            json!({"conversation_id": id("cursor"), "workspace_roots": [repository],
                   "hook_event_name": "sessionStart", "is_background_agent": false}),
        ),
        told(
            "copilot",
            "sessionStart",
            json!({"sessionId": id("copilot"), "cwd": repository, "source": "startup", "timestamp": 1}),
        ),
        told(
            "opencode",
            "session.created",
            json!({"type": "session.created", "properties": {"sessionID": id("opencode"),
                   "info": {"id": id("opencode"), "directory": repository}}}),
        ),
        told(
            "cline",
            "TaskStart",
            json!({"hookName": "TaskStart", "taskId": id("cline"), "workspaceRoots": [repository],
                   "taskStart": {"taskMetadata": {}}}),
        ),
        told(
            "generic",
            "session_start",
            json!({"session": id("generic"), "cwd": repository, "source": "startup"}),
        ),
    ]
}

/// A command printed something, in the dialects of agents that can be asked back at the end of a turn.
pub fn after_command(repository: &Path, session: &str, command: &str, output: &str) -> Vec<Told> {
    let id = |runner: &str| format!("{session}-{runner}");
    let named = |runner: &str, event: &str, tool: &str, response: Value| {
        json!({"session_id": id(runner), "cwd": repository, "hook_event_name": event,
               "transcript_path": null, "tool_name": tool, "tool_input": {"command": command},
               "tool_response": response, "tool_use_id": "call-1"})
    };
    let streams = json!({"stdout": output, "stderr": "", "interrupted": false});
    vec![
        told(
            "claude",
            "PostToolUse",
            named("claude", "PostToolUse", "Bash", streams),
        ),
        told(
            "codex",
            "PostToolUse",
            named("codex", "PostToolUse", "Bash", json!(output)),
        ),
        told(
            "gemini",
            "AfterTool",
            named(
                "gemini",
                "AfterTool",
                "run_shell_command",
                json!({"llmContent": format!("Output: {output}\nExit Code: 0")}),
            ),
        ),
        told(
            "cursor",
            "postToolUse",
            json!({"conversation_id": id("cursor"), "workspace_roots": [repository], "cwd": "",
                   "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_use_id": "call-1",
                   "tool_input": {"command": command},
                   "tool_output": json!({"exitCode": 0, "stdout": output}).to_string()}),
        ),
        told(
            "copilot",
            "postToolUse",
            json!({"sessionId": id("copilot"), "cwd": repository, "timestamp": 1, "toolName": "bash",
                   "toolArgs": json!({"command": command}).to_string(),
                   "toolResult": {"resultType": "success", "textResultForLlm": output}}),
        ),
    ]
}

/// A turn ends, in the same dialects.
pub fn turn_ends(repository: &Path, session: &str) -> Vec<Told> {
    let id = |runner: &str| format!("{session}-{runner}");
    let named = |runner: &str, event: &str| {
        json!({"session_id": id(runner), "cwd": repository, "hook_event_name": event,
               "transcript_path": null, "stop_hook_active": false})
    };
    vec![
        told("claude", "Stop", named("claude", "Stop")),
        told("codex", "Stop", named("codex", "Stop")),
        told("gemini", "AfterAgent", named("gemini", "AfterAgent")),
        told(
            "cursor",
            "stop",
            json!({"conversation_id": id("cursor"), "workspace_roots": [repository],
                   "hook_event_name": "stop", "status": "completed", "loop_count": 0}),
        ),
        told(
            "copilot",
            "agentStop",
            json!({"sessionId": id("copilot"), "cwd": repository, "timestamp": 1,
                   "stopReason": "end_turn"}),
        ),
    ]
}

/// A command is about to run, in every dialect.
pub fn before_command(repository: &Path, session: &str, command: &str) -> Vec<Told> {
    let id = |runner: &str| format!("{session}-{runner}");
    let named = |runner: &str, event: &str, tool: &str| {
        json!({"session_id": id(runner), "cwd": repository, "hook_event_name": event,
               "transcript_path": null, "tool_name": tool, "tool_input": {"command": command},
               "tool_use_id": "call-1"})
    };
    vec![
        told(
            "claude",
            "PreToolUse",
            named("claude", "PreToolUse", "Bash"),
        ),
        told("codex", "PreToolUse", named("codex", "PreToolUse", "Bash")),
        told(
            "gemini",
            "BeforeTool",
            named("gemini", "BeforeTool", "run_shell_command"),
        ),
        told(
            "cursor",
            "preToolUse",
            json!({"conversation_id": id("cursor"), "workspace_roots": [repository], "cwd": "",
                   "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_use_id": "call-1",
                   "tool_input": {"command": command}}),
        ),
        told(
            "copilot",
            "preToolUse",
            json!({"sessionId": id("copilot"), "cwd": repository, "timestamp": 1, "toolName": "bash",
                   "toolArgs": json!({"command": command}).to_string()}),
        ),
        told(
            "opencode",
            "tool.execute.before",
            json!({"session_id": id("opencode"), "cwd": repository,
                   "hook_event_name": "tool.execute.before",
                   "input": {"tool": "bash", "callID": "call-1"}, "output": {"args": {"command": command}}}),
        ),
        told(
            "cline",
            "PreToolUse",
            json!({"hookName": "PreToolUse", "taskId": id("cline"), "workspaceRoots": [repository],
                   "preToolUse": {"toolName": "execute_command", "parameters": {"command": command}}}),
        ),
        told(
            "windsurf",
            "pre_run_command",
            json!({"agent_action_name": "pre_run_command", "trajectory_id": id("windsurf"),
                   "tool_info": {"command_line": command, "cwd": repository}}),
        ),
        told(
            "generic",
            "before_tool",
            json!({"session": id("generic"), "cwd": repository, "tool": "sh", "call": "call-1",
                   "command": command}),
        ),
    ]
}
