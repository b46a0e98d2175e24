//! Notices: what an agent has to know or to do before anything else.

use std::borrow::Cow;

use aictx_proto::shown::{self, Code};
use aictx_proto::text::truncate_chars;

use super::{MAX_NAMED, more};
use crate::flow::state::CheckResult;

/// Notice of the program to the agent. `attempts` are the turns that are left, this one included.
#[derive(Debug, Clone, Copy)]
pub enum Notice<'a> {
    /// The ticket's frontmatter cannot be read.
    Findings {
        /// Findings with their places, each a line.
        findings: &'a [String],
        /// Turns left.
        attempts: u32,
    },
    /// The ticket is done and its changes are not committed.
    Commit {
        /// Paths as `git status` names them.
        paths: &'a [String],
        /// Output of the hook that refused a commit; empty where none did.
        hook: &'a str,
        /// Turns left.
        attempts: u32,
    },
    /// A command under `verify` failed.
    Verify {
        /// The command and its result.
        check: &'a CheckResult,
        /// Turns left.
        attempts: u32,
    },
    /// Turns changed nothing.
    Idle {
        /// Turns in a row.
        turns: u32,
    },
}

impl Notice<'_> {
    /// The notice in our words.
    pub(super) fn sentence(&self) -> String {
        let left = |attempts| match attempts {
            0 | 1 => "This is the last attempt.".to_owned(),
            attempts => format!("{attempts} attempts are left."),
        };
        match self {
            Self::Findings { attempts, .. } => {
                format!("The ticket's frontmatter has errors. {}", left(*attempts))
            }
            Self::Commit { attempts, .. } => {
                format!("Changes are not committed. {}", left(*attempts))
            }
            Self::Verify { attempts, .. } => {
                format!("A check of the ticket failed. {}", left(*attempts))
            }
            Self::Idle { turns } => format!(
                "No file, ticket or check changed in {turns} {} of this ticket. Try another way, or ask \
                 the person: if this turn changes nothing either, the flow stops.",
                if *turns == 1 { "turn" } else { "turns" }
            ),
        }
    }

    /// Output of programs, with at most `limit` bytes of the end of an output.
    pub(super) fn output(&self, limit: usize) -> String {
        match self {
            Self::Findings { findings, .. } => named(findings),
            Self::Commit { paths, hook, .. } => match hook.trim() {
                "" => named(paths),
                hook => format!(
                    "{}Output of the hook:\n{}",
                    named(paths),
                    end_of(hook, limit)
                ),
            },
            Self::Verify { check, .. } => {
                let end = match check.exit {
                    _ if check.timed_out => "ran out of time".to_owned(),
                    Some(status) => format!("ended with status {status}"),
                    None => "was ended by a signal".to_owned(),
                };
                let command = Code::new(&check.command, 400);
                format!(
                    "{command} {end}. It printed:\n{}",
                    end_of(&check.tail, limit)
                )
            }
            Self::Idle { .. } => String::new(),
        }
    }
}

/// The first lines; blanks at their beginning are columns of `git status`.
fn named(lines: &[String]) -> String {
    let shown = lines.iter().take(MAX_NAMED);
    let shown = shown.map(|line| truncate_chars(&shown::lines(line), 240) + "\n");
    shown.collect::<String>() + &more(lines.len())
}

/// The last bytes of an output, with a mark where it is longer.
fn end_of(output: &str, limit: usize) -> Cow<'_, str> {
    let output = shown::lines(output.trim_end());
    let start = output.ceil_char_boundary(output.len().saturating_sub(limit));
    match output.get(start..) {
        Some(end) if start > 0 => Cow::Owned(format!("[…]{end}")),
        _ => output,
    }
}
