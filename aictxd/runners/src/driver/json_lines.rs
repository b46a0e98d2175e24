//! Reader of an agent that prints one JSON object a line, up to the judgement of its turn.

use aictx_proto::flow::{AgentError, ErrorClass, TurnOutcome, TurnReport, Usage};
use aictx_proto::shown;

use super::{
    Exit, MAX_ERROR, MAX_LINE, MAX_TEXT, Progress, Reader, Zones, cut, error_class, plain_id,
    reset_time,
};
use crate::payload::Members;

/// Part of a reader that knows one agent.
pub(super) struct Agent {
    /// Name, for the text of a crash.
    pub(super) name: &'static str,
    /// Takes an event.
    pub(super) event: fn(&mut Draft, &Members<'_>) -> Option<Progress>,
    /// Error that the exit status alone stands for.
    pub(super) exit_class: fn(i32) -> Option<ErrorClass>,
    /// Finds an error of the agent itself in a line of standard error after the agent has begun; tools may write there, too.
    pub(super) stderr_error: fn(&str) -> Option<&str>,
}

/// End of a turn as the agent prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It ended as it should.
    Success,
    /// With an error.
    Failure,
}

/// Report in the making.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Conversation.
    pub(super) session: String,
    /// Last answer.
    pub(super) text: String,
    /// Usage so far.
    pub(super) usage: Usage,
    /// End, as far as one was printed.
    pub(super) end: Option<End>,
    /// Last error.
    pub(super) error: Option<AgentError>,
    /// Time at which a limit ends, from an event of its own.
    pub(super) resets_at: Option<i64>,
    /// Time of the line.
    pub(super) now: i64,
    /// Time zones that agents name.
    zones: Option<Zones>,
    /// An event was read.
    began: bool,
}

impl Draft {
    /// Keeps the conversation's id.
    pub(super) fn set_session(&mut self, id: &str) {
        if let Some(id) = plain_id(id) {
            id.clone_into(&mut self.session);
        }
    }

    /// Replaces the answer, unless by a blank one.
    pub(super) fn set_text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.text.clear();
            self.push_text(text);
        }
    }

    /// Adds to the answer, up to [`MAX_TEXT`].
    pub(super) fn push_text(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.text.len());
        self.text.push_str(cut(text, room));
    }

    /// Keeps an error of the class that the event names, or else that of its status and words.
    pub(super) fn fail(&mut self, text: &str, class: Option<ErrorClass>, status: Option<i64>) {
        let text = cut(text, 8 * MAX_ERROR);
        let mut class = class.unwrap_or_else(|| error_class::of(text, status));
        let resets_at = self.resets_at.or_else(|| self.reset_time(text));
        // A rate that is known to be limited until then is not tried again before.
        if class == ErrorClass::Network && status == Some(429) && resets_at.is_some() {
            class = ErrorClass::Quota;
        }
        self.error = Some(AgentError {
            class,
            text: shown::line(text, MAX_ERROR),
            resets_at: resets_at.filter(|_| class == ErrorClass::Quota),
        });
    }

    /// Finds the end of a limit in a text.
    pub(super) fn reset_time(&self, text: &str) -> Option<i64> {
        reset_time::find(text, self.now, self.zones.unwrap_or(|_| None))
    }

    /// Keeps an error with which the turn ends.
    pub(super) fn end_with(&mut self, text: &str, class: Option<ErrorClass>, status: Option<i64>) {
        self.end = Some(End::Failure);
        self.fail(text, class, status);
    }

    /// Counts a call of a tool and says so.
    pub(super) fn tool(&mut self, name: &str, summary: &str) -> Option<Progress> {
        self.usage.tool_calls = self.usage.tool_calls.saturating_add(1);
        Progress::tool(name, summary)
    }
}

/// Command, path or the like of a tool's input.
pub(super) fn summary(input: &Members<'_>) -> String {
    const TELLING: &[&str] = &[
        "command",
        "cmd",
        "file_path",
        "filePath",
        "path",
        "pattern",
        "query",
        "url",
        "description",
    ];
    input.text(TELLING).into_owned()
}

/// Text of a line in which a program says why it gives up.
pub(super) fn error_line(line: &str) -> Option<&str> {
    line.strip_prefix("Error: ")
        .or_else(|| line.strip_prefix("error: "))
}

/// Number of tokens.
pub(super) fn tokens(members: &Members<'_>, name: &str) -> u64 {
    members.duration(&[name]).unwrap_or_default()
}

/// Number with a fraction, such as a cost.
pub(super) fn fraction(members: &Members<'_>, name: &str) -> Option<f64> {
    let number: f64 = members.raw(name)?.get().parse().ok()?;
    number.is_finite().then_some(number)
}

/// Reader of an agent's lines.
pub(super) struct JsonLines {
    agent: &'static Agent,
    draft: Draft,
}

impl JsonLines {
    pub(super) fn boxed(agent: &'static Agent) -> Box<dyn Reader + Send> {
        Box::new(Self {
            agent,
            draft: Draft::default(),
        })
    }
}

impl Reader for JsonLines {
    fn set_zones(&mut self, zones: Zones) {
        self.draft.zones = Some(zones);
    }

    fn line(&mut self, line: &str, now: i64) -> Option<Progress> {
        let line = cut(line, MAX_LINE).trim();
        self.draft.now = now;
        match Members::parse(line) {
            Ok(event) => {
                self.draft.began = true;
                (self.agent.event)(&mut self.draft, &event)
            }
            Err(_) => Progress::notice(line),
        }
    }

    fn finish(
        self: Box<Self>,
        exit: Exit,
        stderr_tail: &str,
        interrupted: bool,
        now: i64,
    ) -> TurnReport {
        let Self { agent, mut draft } = *self;
        draft.now = now;
        let said = |line: &&str| (agent.stderr_error)(line).is_some();
        let vague = draft
            .error
            .as_ref()
            .is_none_or(|e| e.class == ErrorClass::Unknown);
        if draft.end != Some(End::Success) && vague {
            // Standard error knows more than an event without a cause.
            if let Some(line) = stderr_tail.lines().rev().find(said) {
                draft.fail((agent.stderr_error)(line).unwrap_or(line), None, None);
            } else if draft.error.is_none() && !draft.began {
                let text = last_lines(stderr_tail);
                let class = exit.code.and_then(agent.exit_class);
                let class = class.unwrap_or_else(|| error_class::of(stderr_tail, None));
                if class != ErrorClass::Unknown || exit.code.is_some_and(|code| code != 0) {
                    draft.fail(&text, Some(class), None);
                }
            }
        }
        let outcome = if draft.end == Some(End::Success) {
            draft.error = None;
            TurnOutcome::Ok
        } else if interrupted {
            TurnOutcome::Interrupted
        } else if draft.end.is_some() || draft.error.is_some() {
            TurnOutcome::Error
        } else {
            draft.error = Some(crash(agent.name, exit, stderr_tail));
            TurnOutcome::Crashed
        };
        report(draft, outcome)
    }
}

/// Report of a draft.
pub(super) fn report(mut draft: Draft, outcome: TurnOutcome) -> TurnReport {
    // Some agents name the conversation that they could not find.
    if draft
        .error
        .as_ref()
        .is_some_and(|e| e.class == ErrorClass::SessionMissing)
    {
        draft.session.clear();
    }
    TurnReport {
        outcome,
        error: draft.error,
        text: draft.text.trim().to_owned(),
        session: draft.session,
        usage: draft.usage,
    }
}

/// Error of a process that ended without a report.
pub(super) fn crash(name: &str, exit: Exit, stderr_tail: &str) -> AgentError {
    let how = match (exit.signal, exit.code) {
        (Some(signal), _) => format!("{name} was ended by signal {signal}"),
        (None, Some(code)) => format!("{name} ended with status {code} and no result"),
        (None, None) => format!("{name} ended without a result"),
    };
    let text = match last_lines(stderr_tail) {
        lines if lines.is_empty() => how,
        lines => format!("{how}: {lines}"),
    };
    AgentError {
        class: ErrorClass::AgentBug,
        text: shown::line(&text, MAX_ERROR),
        resets_at: None,
    }
}

/// Five lines of standard error on one line: from the first that begins with `error`, or the last ones.
pub(super) fn last_lines(stderr_tail: &str) -> String {
    let lines = stderr_tail.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let is_error = |line: &&str| cut(line, 5).eq_ignore_ascii_case("error");
    let first = lines
        .iter()
        .position(is_error)
        .unwrap_or(lines.len().saturating_sub(5));
    let shown: Vec<&str> = lines.into_iter().skip(first).take(5).collect();
    shown.join(" / ")
}
