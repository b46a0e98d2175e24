//! Bytes of hook events that both sides handle without parsing.

/// Deadline for connecting to the daemon, in milliseconds.
pub const CONNECT_DEADLINE_MS: u64 = 25;
/// Deadline for an answer, in milliseconds, where no event has its own.
pub const ANSWER_DEADLINE_MS: u64 = 150;
/// Environment variable that overrides the answer deadline of every event; with `_<EVENT>` behind
/// it (upper case) that of one event. Milliseconds.
pub const DEADLINE_VARIABLE: &str = "AICTX_HOOK_TIMEOUT_MS";

/// Start of an answer that is no text for standard output: the process ends with 2 and the text
/// behind this, up to [`EXIT_TAIL`], goes to standard error. Some agents take a refusal in no other
/// way. The text holds nothing that JSON escapes.
pub const EXIT_HEAD: &str = r#"{"aictx_exit":2,"aictx_stderr":""#;
/// End of such an answer.
pub const EXIT_TAIL: &str = r#""}"#;

/// Events that only tell: they may wait in the spool. A daemon that takes one at once may still have
/// something to say about it (a failure that was met before).
/// Names of all agents, as they spell them.
pub const OBSERVATIONS: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PostCompact",
    "Notification",
    "SubagentStart",
    "InstructionsLoaded",
    "MessageDisplay",
    "CwdChanged",
    "FileChanged",
    "TaskCreated",
    "TaskCompleted",
    "AfterTool",
    "postToolUse",
    "postToolUseFailure",
    "tool.execute.after",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "post_write_code",
    "post_run_command",
    "post_read_code",
    "post_mcp_tool_use",
    "after_tool",
    "tool_failed",
];

/// Returns true if an event only tells. Unknown and missing names count as asking, which is the safe side:
/// they are handled at once or not at all.
pub fn is_observation(event: &str) -> bool {
    OBSERVATIONS.contains(&event)
}

/// Events that ask before a tool is used. Names of all agents, as they spell them.
pub const GATES: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "BeforeTool",
    "preToolUse",
    "permissionRequest",
    "tool.execute.before",
    "tool_call",
    "before_tool",
    "beforeShellExecution",
    "beforeMCPExecution",
    "pre_write_code",
    "pre_run_command",
    "pre_mcp_tool_use",
];

/// Returns true if an event asks before a tool is used: silence would let it pass.
pub fn is_gate(event: &str) -> bool {
    GATES.contains(&event)
}

/// Deadlines of one hook, in milliseconds since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For the daemon's answer.
    pub answer: u64,
    /// For the whole hook: standard input, the daemon's start, its answer and what stands in for
    /// it. The process ends then, whatever it waits for.
    pub total: u64,
}

/// Deadlines of an event where the environment sets none. Session boundaries do real work and
/// happen once, so they may take longer; all are below what the agents themselves allow (1.5 s at
/// Claude Code's SessionEnd).
pub fn deadlines(event: &[u8]) -> Deadlines {
    match event {
        b"SessionStart" | b"SessionEnd" | b"sessionStart" | b"sessionEnd" | b"session_start"
        | b"session_end" | b"session.created" | b"session.start" | b"session.deleted"
        | b"dispose" | b"TaskStart" | b"TaskResume" => Deadlines {
            answer: 1_000,
            total: 1_400,
        },
        _ => Deadlines {
            answer: ANSWER_DEADLINE_MS,
            total: 1_000,
        },
    }
}

impl Deadlines {
    /// Deadlines with another one for the answer, as [`DEADLINE_VARIABLE`] sets it; the rest grows
    /// with it.
    #[must_use]
    pub fn with_answer(self, answer: u64) -> Self {
        let answer = answer.clamp(1, 600_000);
        Self {
            answer,
            total: self.total.max(answer * 3),
        }
    }
}
