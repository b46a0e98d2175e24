//! Coding agents: what they tell us, and how they want to be answered.
//!
//! One agent is one module: bytes to [`HookEvent`] on the way in, [`Answer`] to that agent's JSON
//! on the way out, and the files in which its hooks are registered. Nothing here decides anything
//! and nothing here does I/O; what an agent cannot express is degraded here and nowhere else.
//! Adding an agent is one module and one line in [`registry`].

#![cfg_attr(test, allow(clippy::disallowed_methods))]

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use aictx_proto::shown;
use serde_json::Value;

mod answer_json;
mod event_and_tool_tables;
mod payload;
mod tool_shape;

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod driver;
pub mod gemini;
pub mod generic;
pub mod merge;
pub mod opencode;
pub mod plan;
pub mod python_aictx;
pub mod registry;
pub mod transcript;
pub mod windsurf;

pub use answer_json::exit_with;
pub use event_and_tool_tables::{Event, Kind};
pub use registry::{dialect, names};

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
    /// Event.
    pub moment: Moment<'a>,
}

impl HookEvent<'_> {
    /// Identity of the tool call that this tells of, and how far that is; `None` where the agent gives calls
    /// no ids. Two reports in a row with the same step are one happening, told by two registrations.
    pub fn call_key(&self) -> Option<(u64, CallStep)> {
        let (call, step) = match &self.moment {
            Moment::ToolIntent(call) => (call, CallStep::Intent),
            Moment::ToolDone { call, .. } => (call, CallStep::Done),
            Moment::ToolFailed { call, .. } => (call, CallStep::Failed),
            _ => return None,
        };
        if call.call_id.is_empty() {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        (&self.session_id, &self.agent_id, &call.tool, &call.call_id).hash(&mut hasher);
        call.action.hash(&mut hasher);
        Some((hasher.finish(), step))
    }

    /// The same number for two reports of one happening: an agent that reads the user's and the
    /// repository's registration, or another agent's files, calls us once for each. `None` for
    /// what carries nothing to tell one from the next. Who keeps these for a few seconds can
    /// answer the second report like the first and record it once. Only good within one process.
    pub fn repeat_key(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        (&self.session_id, &self.agent_id).hash(&mut hasher);
        let mut call = |phase: u8, call: &ToolCall| {
            (phase, &call.tool, &call.call_id).hash(&mut hasher);
            call.action.hash(&mut hasher);
        };
        match &self.moment {
            // Without an id two equal calls in a row look like one call told twice.
            Moment::ToolIntent(c) if !c.call_id.is_empty() => call(0, c),
            Moment::ToolDone { call: c, .. } if !c.call_id.is_empty() => call(1, c),
            Moment::ToolFailed { call: c, .. } if !c.call_id.is_empty() => call(2, c),
            Moment::SessionStart { source } => (3_u8, source).hash(&mut hasher),
            Moment::Prompt { text } => (4_u8, text).hash(&mut hasher),
            Moment::Stop { last_message, .. } => (5_u8, last_message).hash(&mut hasher),
            Moment::Subagent {
                phase,
                last_message,
            } if !self.agent_id.is_empty() => (6_u8, phase, last_message).hash(&mut hasher),
            Moment::SessionEnd { reason } => (7_u8, reason).hash(&mut hasher),
            Moment::Compact { trigger } => (8_u8, trigger).hash(&mut hasher),
            _ => return None,
        }
        Some(hasher.finish())
    }
}

/// Progress of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStep {
    /// It is about to run.
    Intent,
    /// It ran.
    Done,
    /// It failed.
    Failed,
}

/// Event.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment<'a> {
    /// A session began; the source is `startup`, `resume`, `clear`, `compact` or `fork`.
    SessionStart {
        /// Source of the start.
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
        /// Output.
        output: Output<'a>,
        /// Duration.
        duration_ms: Option<u64>,
    },
    /// A tool failed.
    ToolFailed {
        /// Which.
        call: ToolCall<'a>,
        /// Error text of the agent; a shell's exit status stands in its first line.
        error: Cow<'a, str>,
        /// The user stopped it.
        interrupted: bool,
        /// Duration.
        duration_ms: Option<u64>,
    },
    /// Context is about to be compacted.
    Compact {
        /// `manual` or `auto`.
        trigger: Cow<'a, str>,
    },
    /// A turn of the main agent ended.
    Stop {
        /// Last message.
        last_message: Cow<'a, str>,
        /// It goes on because a hook asked it back before, or it was interrupted: it must not be asked.
        asked_back: bool,
    },
    /// A sub-agent started or stopped.
    Subagent {
        /// `start` or `stop`.
        phase: &'static str,
        /// Last message.
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

impl Moment<'_> {
    /// The directory that the command of a call says it runs in.
    pub fn runs_in(&self) -> Option<&str> {
        let (Self::ToolIntent(call) | Self::ToolDone { call, .. } | Self::ToolFailed { call, .. }) =
            self
        else {
            return None;
        };
        match &call.action {
            Action::Command { dir, .. } if !dir.is_empty() => Some(dir),
            _ => None,
        }
    }
}

/// A call of one of the agent's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall<'a> {
    /// The agent's name of the tool.
    pub tool: Cow<'a, str>,
    /// The agent's id of the call; may be empty.
    pub call_id: Cow<'a, str>,
    /// Effect.
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
                    dir,
                } => Action::Command {
                    command: owned(command),
                    background: *background,
                    dir: owned(dir),
                },
                Action::Patch(paths) => Action::Patch(paths.iter().map(owned).collect()),
                Action::Discard => Action::Discard,
                Action::Other => Action::Other,
            },
        }
    }
}

/// Most files named by one [`Action::Patch`]; what is beyond is not looked at.
pub const MAX_PATCHED: usize = 200;

/// Action of a tool call, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action<'a> {
    /// Reads a file.
    Read(Cow<'a, str>),
    /// Writes, creates or edits a file.
    Edit(Cow<'a, str>),
    /// Writes, creates, moves or deletes several files at once; at most [`MAX_PATCHED`].
    Patch(Vec<Cow<'a, str>>),
    /// Runs a shell command.
    Command {
        /// The command line.
        command: Cow<'a, str>,
        /// It goes to the background: its end is not seen.
        background: bool,
        /// Directory it runs in, when the call says so; relative to the directory of the event, or absolute.
        dir: Cow<'a, str>,
    },
    /// Throws away what was not committed, such as a worktree with changes.
    Discard,
    /// Anything else.
    Other,
}

impl Action<'_> {
    /// Returns true where nothing is named that is read, edited or run.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Read(what) | Self::Edit(what) | Self::Command { command: what, .. } => {
                what.is_empty()
            }
            Self::Patch(paths) => paths.is_empty(),
            Self::Discard => false,
            Self::Other => true,
        }
    }
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
    /// The agent moved it to the background: its end was not seen.
    pub background: bool,
    /// End of the command, as the agent says.
    pub status: Status,
}

/// End of a command, as far as its agent says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// The agent reports failures apart, so this is none; a pipe may hide one.
    #[default]
    Success,
    /// With this exit status.
    Code(i32),
    /// It does not say: only the text can tell.
    Unknown,
}

/// Answer to an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Facts for the model; cut to [`MAX_CONTEXT`].
    pub context: String,
    /// Decision; only meaningful for [`Moment::ToolIntent`].
    pub decision: Decision,
}

/// Decision about a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Decision {
    /// We have no objection; the agent's own rules decide.
    #[default]
    Pass,
    /// It may run without a question to the user, for this reason; where an agent has no word for it, its own
    /// rules decide.
    Allow(String),
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
        /// Error of the parser.
        cause: String,
    },
    /// Nobody we know.
    #[error("unknown runner `{name}`; known: {known}", known = names().collect::<Vec<_>>().join(", "))]
    UnknownRunner {
        /// The name that was given.
        name: String,
    },
}

/// A coding agent's dialect.
pub trait Dialect: Sync {
    /// Name on the command line and in the ledger.
    fn name(&self) -> &'static str;

    /// The events this agent has that mean something to us.
    fn events(&self) -> &'static [Event];

    /// Returns true where context that is told at a prompt reaches the model.
    fn hears_at_prompts(&self) -> bool {
        let mut events = self.events().iter();
        events.any(|event| event.registered && event.kind == Kind::Prompt && event.takes_context)
    }

    /// Returns true if context in the answer to an event reaches the model.
    fn takes_context(&self, event: &str) -> bool {
        let mut events = self.events().iter();
        events.any(|known| known.takes_context && known.name == event)
    }

    /// Returns true where the context of some session starts does not reach the model.
    fn drops_starts(&self) -> bool {
        let mut events = self.events().iter();
        events.any(|known| known.kind == Kind::Start && !known.takes_context)
    }

    /// Returns true where an agent writes its last messages into a transcript that [`Self::last_message_of`] reads.
    fn writes_last_messages(&self) -> bool {
        false
    }

    /// The message with which the newest turn ended, from the end of a transcript whose first line may be cut. `None`
    /// while it is not there.
    fn last_message_of(&self, _transcript: &str) -> Option<String> {
        None
    }

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

    /// Says an answer in the agent's words, made safe for the model that reads it.
    fn answer(&self, event: &str, answer: &Answer) -> Option<Value> {
        let shown = |text: &String| shown::lines(text).into_owned();
        let answer = Answer {
            context: shown(&answer.context),
            decision: match &answer.decision {
                Decision::Pass => Decision::Pass,
                Decision::Allow(reason) => Decision::Allow(shown(reason)),
                Decision::Ask(reason) => Decision::Ask(shown(reason)),
                Decision::Deny(reason) => Decision::Deny(shown(reason)),
            },
        };
        self.render(event, &answer)
    }

    /// [`answer`](Self::answer) for texts that are safe already: `None` is silence, which every agent takes for "no
    /// objection". The value is printed as it stands and the hook exits 0, unless it is one of
    /// [`exit_with`].
    fn render(&self, event: &str, answer: &Answer) -> Option<Value>;
}
