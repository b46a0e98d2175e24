//! Every environment variable of both programs, in one place, for the reference pages.

use aictx_proto::hook::DEADLINE_VARIABLE;
use aictx_proto::locations::{DAEMON_VARIABLE, NO_DAEMON_VARIABLE, SOCKET_VARIABLE};

/// One variable.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Name.
    pub name: &'static str,
    /// Effect, in one sentence.
    pub meaning: &'static str,
}

const fn variable(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning }
}

/// The variables, by subject.
pub const VARIABLES: &[Variable] = &[
    variable(
        SOCKET_VARIABLE,
        "Path of the daemon's socket, for both programs; at most 107 bytes on Linux, 103 elsewhere.",
    ),
    variable(
        DAEMON_VARIABLE,
        "Path of the daemon program, when `aictxd` is not beside `aictx`.",
    ),
    variable(
        NO_DAEMON_VARIABLE,
        "Set and not `0`: start no daemon; commands answer by `aictxd once`, observations wait in the spool.",
    ),
    variable(
        DEADLINE_VARIABLE,
        "Milliseconds that a hook waits for an answer; with `_<EVENT>` behind it (upper case) those of one event. Default: 150, and 1000 at the start and the end of a session. The whole hook ends after 1000 ms (1400 at those), or three times the value set here, whatever it waits for. The daemon's own limits grow with it.",
    ),
    variable(
        "AICTX_AGENT_ID",
        "Which agent is working, when it leaves no mark of its own.",
    ),
    variable(
        "AICTX_ADAPTER_ID",
        "Which adapter speaks for the agent; the agent's id by default.",
    ),
    variable("AICTX_SESSION_ID", "The session that commands belong to."),
    variable(
        "AICTX_LOG",
        "Filter of the daemon's log in the syntax of `tracing` (`debug`, `aictxd=trace`); `info` by default.",
    ),
    variable(
        "AICTXD_SESSION_GRACE_MS",
        "Milliseconds that the daemon waits before it closes a session whose process is gone.",
    ),
    variable(
        "AICTXD_SESSION_QUIET_SECONDS",
        "Seconds of silence after its last turn after which a session is over, whether its process is still there or \
         not. Default: 1800; at most 60 once another session begins in the worktree.",
    ),
    variable(
        "AICTXD_MAX_WATCHES",
        "Most directories the daemon watches in one repository before it polls.",
    ),
    variable(
        "AICTXD_MAX_MEMORY_MB",
        "Megabytes below which a repository's `.aictx/` stays; its archive forgets its oldest rows then. 256 by default.",
    ),
    variable(
        "XDG_RUNTIME_DIR",
        "Where the socket lies (`aictx/v1/sock`); `/tmp/aictx-<uid>` without it.",
    ),
    variable(
        "XDG_STATE_HOME",
        "Where the registry, the spool and the logs lie (`aictx/`).",
    ),
    variable(
        "XDG_CACHE_HOME",
        "Where rebuildable indexes lie (`aictx/`).",
    ),
    variable("NO_COLOR", "Set and not empty: print without colours."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_explained() {
        let mut names: Vec<_> = VARIABLES.iter().map(|v| v.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
        assert!(VARIABLES.iter().all(|v| v.meaning.ends_with('.')));
    }
}
