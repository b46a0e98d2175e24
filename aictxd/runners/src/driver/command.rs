//! Any program as an agent: the bridge for agents that have no driver.
//!
//! The program runs in the worktree and gets the prompt on standard input. What else it may want to know is in
//! its environment: `AICTX_MODEL`, `AICTX_REASONING`, `AICTX_RESUME` (conversation to continue, empty for a new
//! one), `AICTX_NEW_SESSION` (UUID for a new one) and `AICTX_APPROVAL` (`workspace` or `full`).
//!
//! A program that says nothing special reports by its end: status 0 is a success, any other an error with the
//! last lines of standard error, and its answer is the end of standard output. To report more, it prints lines
//! that are a JSON object with the one member `aictx`, whose members are all optional:
//!
//! ```json
//! {"aictx": {"session": "id to continue by", "text": "answer", "notice": "a line for a person",
//!            "usage": {"input": 100, "cached": 80, "output": 20, "cost_usd": 0.01, "tool_calls": 3},
//!            "error": {"class": "quota", "text": "Limit reached.", "resets_at": 1796000000}}}
//! ```
//!
//! - `usage` adds up over the lines of a turn; `session`, `text` and `error` replace what was said before.
//! - With an `error` the turn has failed whatever the status; `"error": null` takes it back, such as after a
//!   retry. `class` is one of `quota`, `network`, `auth`, `context_overflow`, `session_missing`, `config`,
//!   `agent_bug` and `unknown`; `resets_at` is in seconds since the Unix epoch or ISO 8601.
//! - Members of another name or type are ignored. A line that is anything else is part of the answer.

use std::collections::VecDeque;

use aictx_proto::flow::{AgentError, ErrorClass, TurnOutcome, TurnReport, Usage};
use aictx_proto::shown;
use aictx_proto::time::Timestamp;
use serde::Deserialize;

use super::json_lines::{Draft, crash, fraction, last_lines, report, tokens};
use super::{
    Approval, Capabilities, Driver, Exit, Launch, MAX_ERROR, MAX_LINE, Probe, Progress, Reader,
    TurnSettings, Version, cut,
};
use crate::payload::{Members, text_of};

/// Lines at the end of standard output that are the answer, and their bytes.
const MAX_LINES: usize = 200;
const MAX_TAIL: usize = 16 * 1024;

/// Driver.
pub(super) struct Command;

impl Driver for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            new_session: true,
            usage: true,
            usage_of_conversation: false,
            cost: true,
            model_select: true,
            effort_select: true,
        }
    }

    fn probe(&self) -> Probe {
        Probe::new("", Version(0, 0, 0), Version(0, 0, 0))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let approval = match settings.approval {
            Approval::Workspace => "workspace",
            Approval::Full => "full",
        };
        let env = [
            ("AICTX_MODEL", settings.model),
            ("AICTX_REASONING", settings.reasoning),
            ("AICTX_RESUME", settings.resume),
            ("AICTX_NEW_SESSION", settings.new_session),
            ("AICTX_APPROVAL", approval),
        ];
        let (program, args) = match settings.exec {
            [program, args @ ..] => (program.as_str(), args),
            [] => ("", [].as_slice()),
        };
        Launch {
            args: args.to_vec(),
            ..Launch::new(program, &[], &env)
        }
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        Box::<CommandReader>::default()
    }
}

#[derive(Default)]
struct CommandReader {
    draft: Draft,
    tail: VecDeque<String>,
    tail_bytes: usize,
}

impl CommandReader {
    fn message(&mut self, message: &Members<'_>) -> Option<Progress> {
        let draft = &mut self.draft;
        draft.set_session(&message.text(&["session"]));
        draft.set_text(&message.text(&["text"]));
        if let Some(error) = message.raw("error") {
            draft.error = (error.get() != "null").then(|| error_of(&Members::of(error)));
        }
        if message.raw("usage").is_some() {
            let usage = message.object(&["usage"]);
            draft.usage.add(Usage {
                input: tokens(&usage, "input"),
                cached: tokens(&usage, "cached"),
                output: tokens(&usage, "output"),
                cost_usd: fraction(&usage, "cost_usd"),
                tool_calls: tokens(&usage, "tool_calls"),
            });
            return Some(Progress::Usage(draft.usage));
        }
        Progress::notice(&message.text(&["notice"]))
    }

    fn keep(&mut self, line: &str) {
        let line = cut(line, MAX_TAIL);
        self.tail_bytes += line.len();
        self.tail.push_back(line.to_owned());
        while self.tail.len() > MAX_LINES || self.tail_bytes > MAX_TAIL {
            self.tail_bytes -= self.tail.pop_front().map_or(0, |line| line.len());
        }
    }
}

fn error_of(error: &Members<'_>) -> AgentError {
    let class = error
        .raw("class")
        .and_then(|class| ErrorClass::deserialize(class).ok());
    let resets_at = error.whole(&["resets_at"]).or_else(|| {
        let text = text_of(error.raw("resets_at")?);
        Some(Timestamp::parse(&text)?.unix())
    });
    let text = match error.text(&["text"]) {
        text if text.trim().is_empty() => "the command reported an error".into(),
        text => text,
    };
    AgentError {
        class: class.unwrap_or(ErrorClass::Unknown),
        text: shown::line(cut(&text, 8 * MAX_ERROR), MAX_ERROR),
        resets_at,
    }
}

impl Reader for CommandReader {
    fn line(&mut self, line: &str, _now: i64) -> Option<Progress> {
        let line = cut(line, MAX_LINE).trim_end();
        // Output of other programs is not parsed.
        if line.trim_start().starts_with('{') {
            let object = Members::parse(line).unwrap_or_default();
            if let (1, Some(message)) = (object.names().count(), object.raw("aictx")) {
                return self.message(&Members::of(message));
            }
        }
        if line.is_empty() {
            return None;
        }
        self.keep(line);
        Progress::message(line)
    }

    fn finish(
        self: Box<Self>,
        exit: Exit,
        stderr_tail: &str,
        interrupted: bool,
        _now: i64,
    ) -> TurnReport {
        let Self {
            mut draft, tail, ..
        } = *self;
        if draft.text.is_empty() {
            draft.set_text(&Vec::from(tail).join("\n"));
        }
        let outcome = match exit {
            _ if interrupted => TurnOutcome::Interrupted,
            _ if draft.error.is_some() => TurnOutcome::Error,
            Exit { code: Some(0), .. } => TurnOutcome::Ok,
            // Beyond, a shell tells the signal that ended what it ran.
            Exit {
                code: Some(code @ ..=128),
                ..
            } => {
                let text = match last_lines(stderr_tail) {
                    lines if lines.is_empty() => format!("the command ended with status {code}"),
                    lines => lines,
                };
                draft.error = Some(AgentError {
                    class: ErrorClass::Unknown,
                    text: shown::line(&text, MAX_ERROR),
                    resets_at: None,
                });
                TurnOutcome::Error
            }
            _ => {
                draft.error = Some(crash("the command", exit, stderr_tail));
                TurnOutcome::Crashed
            }
        };
        report(draft, outcome)
    }
}
