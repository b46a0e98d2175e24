//! What both sides must agree on about hook events before anybody parses them.

/// Deadline for connecting to the daemon, in milliseconds.
pub const CONNECT_DEADLINE_MS: u64 = 25;
/// Deadline for an answer, in milliseconds, where no event has its own.
pub const ANSWER_DEADLINE_MS: u64 = 150;
/// Environment variable that overrides the answer deadline of every event; with `_<EVENT>` behind
/// it (upper case) that of one event. Milliseconds.
pub const DEADLINE_VARIABLE: &str = "AICTX_HOOK_TIMEOUT_MS";

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
];

/// Whether an event only tells. Unknown and missing names count as asking, which is the safe side:
/// they are handled at once or not at all.
pub fn is_observation(event: &str) -> bool {
    OBSERVATIONS.contains(&event)
}

/// Answer deadline of an event in milliseconds. Session boundaries do real work and happen once,
/// so they may take longer; all are far below what the agents themselves allow (1.5 s at Claude
/// Code's SessionEnd).
pub fn answer_deadline_ms(event: &[u8]) -> u64 {
    match event {
        b"SessionStart" | b"SessionEnd" | b"sessionStart" | b"sessionEnd" => 1_000,
        _ => ANSWER_DEADLINE_MS,
    }
}
