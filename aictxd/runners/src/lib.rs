//! Coding agents: what they tell us, and how they want to be answered.
//!
//! One agent is one module: bytes to [`HookEvent`] on the way in, [`Answer`] to that agent's JSON
//! on the way out, and the files in which its hooks are registered. Nothing here decides anything
//! and nothing here does I/O; what an agent cannot express is degraded here and nowhere else.

use std::borrow::Cow;

use serde_json::Value;

pub mod claude;

/// Longest context handed to an agent, in characters. Claude Code spills more than 10 000 into a
/// file that the model sees only a preview of; half of that is a good guest.
pub const MAX_CONTEXT: usize = 5_000;

/// One hook event, in our words. Text is borrowed from the payload where JSON allows it.
#[derive(Debug, Clone, PartialEq)]
pub struct HookEvent<'a> {
    /// The agent's name of the event.
    pub name: Cow<'a, str>,
    /// Session id; may be empty when the agent did not say.
    pub session_id: Cow<'a, str>,
    /// Directory the agent works in now; absolute.
    pub cwd: Cow<'a, str>,
    /// The agent's transcript file, absolute; empty when unknown.
    pub transcript: Cow<'a, str>,
    /// Sub-agent that caused it; empty for the main one.
    pub agent_id: Cow<'a, str>,
    /// What happened.
    pub moment: Moment<'a>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment<'a> {
    /// A session began; the source is `startup`, `resume`, `clear`, `compact` or `fork`.
    SessionStart {
        /// How it began.
        source: Cow<'a, str>,
    },
    /// The user asked for something.
    Prompt {
        /// In these words.
        text: Cow<'a, str>,
    },
    /// A tool is about to run.
    ToolIntent(ToolCall<'a>),
    /// A tool ran and the agent calls it a success.
    ToolDone {
        /// Which.
        call: ToolCall<'a>,
        /// What it printed.
        output: Output<'a>,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// A tool failed.
    ToolFailed {
        /// Which.
        call: ToolCall<'a>,
        /// What the agent says about it; a shell's exit status stands in its first line.
        error: Cow<'a, str>,
        /// The user stopped it.
        interrupted: bool,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// Context is about to be compacted.
    Compact {
        /// `manual` or `auto`.
        trigger: Cow<'a, str>,
    },
    /// A turn of the main agent ended.
    Stop {
        /// What it said last.
        last_message: Cow<'a, str>,
    },
    /// A sub-agent started or stopped.
    Subagent {
        /// `start` or `stop`.
        phase: &'static str,
        /// What it said last.
        last_message: Cow<'a, str>,
    },
    /// The session ended.
    SessionEnd {
        /// Why.
        reason: Cow<'a, str>,
    },
    /// Something we only take note of.
    Other,
}

/// A call of one of the agent's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall<'a> {
    /// The agent's name of the tool.
    pub tool: Cow<'a, str>,
    /// The agent's id of the call; may be empty.
    pub call_id: Cow<'a, str>,
    /// What it does.
    pub action: Action<'a>,
}

impl ToolCall<'_> {
    /// The same call, independent of the payload it was read from.
    pub fn detach(&self) -> ToolCall<'static> {
        let owned = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
        ToolCall {
            tool: owned(&self.tool),
            call_id: owned(&self.call_id),
            action: match &self.action {
                Action::Read(path) => Action::Read(owned(path)),
                Action::Edit(path) => Action::Edit(owned(path)),
                Action::Command {
                    command,
                    background,
                } => Action::Command {
                    command: owned(command),
                    background: *background,
                },
                Action::Other => Action::Other,
            },
        }
    }
}

/// What a tool call does, as far as we care.
#[derive(Debug, Clone, PartialEq)]
pub enum Action<'a> {
    /// Reads a file.
    Read(Cow<'a, str>),
    /// Writes, creates or edits a file.
    Edit(Cow<'a, str>),
    /// Runs a shell command.
    Command {
        /// The command line.
        command: Cow<'a, str>,
        /// It goes to the background: its end is not seen.
        background: bool,
    },
    /// Anything else.
    Other,
}

/// Output of a tool that was called a success.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output<'a> {
    /// Standard output.
    pub stdout: Cow<'a, str>,
    /// Standard error.
    pub stderr: Cow<'a, str>,
    /// The user stopped it.
    pub interrupted: bool,
}

/// What we have to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Facts for the model; cut to [`MAX_CONTEXT`].
    pub context: String,
    /// Whether the tool may run; only meaningful for [`Moment::ToolIntent`].
    pub decision: Decision,
}

/// Whether a tool may run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Decision {
    /// We have no objection; the agent's own rules decide.
    #[default]
    Pass,
    /// The user should be asked, for this reason.
    Ask(String),
    /// It must not run, for this reason.
    Deny(String),
}

/// Why a payload is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// Not the JSON this agent sends.
    #[error("the payload is not an event of {runner}: {cause}")]
    Payload {
        /// Agent.
        runner: &'static str,
        /// What the parser says.
        cause: String,
    },
    /// Nobody we know.
    #[error("unknown runner `{0}`; known: claude")]
    UnknownRunner(String),
}

/// A coding agent's dialect.
pub trait Dialect: Sync {
    /// Name on the command line and in the ledger.
    fn name(&self) -> &'static str;

    /// Understands a payload. Unknown events become [`Moment::Other`]; unknown members are
    /// ignored; members of the wrong type count as absent.
    ///
    /// # Errors
    /// When the payload is not a JSON object.
    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError>;

    /// Says an answer in the agent's words: `None` is silence.
    fn render(&self, event: &str, answer: &Answer) -> Option<Value>;
}

/// Finds a dialect by name.
///
/// # Errors
/// [`DialectError::UnknownRunner`].
pub fn dialect(runner: &str) -> Result<&'static dyn Dialect, DialectError> {
    match runner {
        "claude" => Ok(&claude::Claude),
        other => Err(DialectError::UnknownRunner(other.to_owned())),
    }
}
