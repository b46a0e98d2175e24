//! A dialect for anybody's agent: plain JSON in, plain JSON out.
//!
//! In, on standard input of `aictx hook generic [event]`; every member is a string and may be left
//! out unless said otherwise:
//!
//! ```json
//! {
//!   "event": "before_tool",
//!   "session": "an id that stays the same for the session",
//!   "cwd": "/absolute/directory",
//!   "agent": "id of a sub-agent, absent for the main one",
//!   "tool": "name", "call": "id of the call",
//!   "command": "a command line", "path": "a file", "paths": ["several files"], "reads": true,
//!   "output": "standard output", "error": "what failed", "exit": 0, "duration_ms": 12,
//!   "background": false, "interrupted": false,
//!   "prompt": "the request", "message": "what the agent said last",
//!   "source": "startup", "reason": "exit", "trigger": "auto"
//! }
//! ```
//!
//! Events: `session_start` (with `source`: `startup`, `resume`, `clear`, `compact`), `prompt`,
//! `before_tool`, `after_tool`, `tool_failed`, `compact`, `subagent_start`, `subagent_stop`,
//! `turn_end`, `session_end`. A call with `command` is a command, one with `path` or `paths` an edit,
//! or with `"reads": true` a look at a file. `exit` tells how a command ended.
//!
//! Out, on standard output, nothing at all when there is nothing to say, always with exit status 0:
//! `{"decision": "ask" | "deny", "reason": "..."}` before a tool and `{"context": "..."}`
//! with facts for the model. No decision means no objection.

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat, question};
use crate::event_and_tool_tables::{self, Event, Kind};
use crate::payload::{Members, text_of};
use crate::plan::{Agent, Edit, Signs, Site, instructions};
use crate::{
    Action, Answer, Dialect, DialectError, HookEvent, MAX_PATCHED, Moment, Output, Status, ToolCall,
};

/// The dialect of agents without one of their own.
#[derive(Debug, Clone, Copy)]
pub struct Generic;

pub(crate) const EVENTS: &[Event] = &[
    Event::known("session_start", Kind::Start).with_context(),
    Event::known("prompt", Kind::Prompt).with_context(),
    Event::known("before_tool", Kind::Gate).with_context(),
    Event::known("after_tool", Kind::Done).with_context(),
    Event::known("tool_failed", Kind::Failed).with_context(),
    Event::known("compact", Kind::Compact).with_context(),
    Event::known("subagent_start", Kind::SubagentStart).with_context(),
    Event::known("subagent_stop", Kind::SubagentStop),
    Event::known("turn_end", Kind::Stop).asking_back(),
    Event::known("session_end", Kind::End),
];

fn call<'a>(payload: &Members<'a>) -> ToolCall<'a> {
    let command = payload.text(&["command"]);
    let path = payload.text(&["path"]);
    let mut paths: Vec<_> = payload
        .elements("paths")
        .into_iter()
        .map(text_of)
        .filter(|path| !path.is_empty())
        .collect();
    paths.truncate(MAX_PATCHED);
    let action = if !command.is_empty() {
        Action::Command {
            command,
            background: payload.flag(&["background"]),
            dir: std::borrow::Cow::Borrowed(""),
        }
    } else if !path.is_empty() && payload.flag(&["reads"]) {
        Action::Read(path)
    } else if !path.is_empty() {
        Action::Edit(path)
    } else if !paths.is_empty() && !payload.flag(&["reads"]) {
        Action::Patch(paths)
    } else {
        Action::Other
    };
    ToolCall {
        tool: payload.text(&["tool"]),
        call_id: payload.text(&["call"]),
        action,
    }
}

impl Dialect for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) = event_and_tool_tables::open(self, payload, &["event"], event)?;
        let output = || Output {
            stdout: payload.text(&["output", "stdout"]),
            stderr: payload.text(&["stderr"]),
            interrupted: payload.flag(&["interrupted"]),
            background: payload.flag(&["background"]),
            status: payload
                .whole(&["exit"])
                .and_then(|code| i32::try_from(code).ok())
                .map_or(Status::Unknown, Status::Code),
        };
        let moment = match kind {
            Kind::Stop => Moment::Stop {
                last_message: payload.text(&["message"]),
                asked_back: false,
            },
            Kind::SubagentStop => Moment::Subagent {
                phase: "stop",
                last_message: payload.text(&["message"]),
            },
            kind => event_and_tool_tables::moment(kind, &payload, || call(&payload), |_| output()),
        };
        Ok(HookEvent {
            session_id: payload.text(&["session"]),
            cwd: payload.text(&["cwd"]),
            transcript: payload.text(&["transcript"]),
            agent_id: payload.text(&["agent"]),
            moment,
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        let known = event_and_tool_tables::find(EVENTS, event);
        if known.is_some_and(|known| known.asks_back) {
            return question(answer, "ask");
        }
        if known.is_some_and(|known| known.kind == Kind::Gate)
            && let Some((word, reason)) = answer.decision.word()
        {
            members.insert("decision".into(), json!(word));
            members.insert("reason".into(), json!(reason));
        }
        if let Some(context) = context(known, answer) {
            members.insert("context".into(), json!(context));
        }
        flat(members)
    }
}

impl Agent for Generic {
    fn title(&self) -> &'static str {
        "any other agent"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[],
            programs: &[],
            repository: &[],
        }
    }

    /// An agent's author registers its hooks; the repository's instructions are for all.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        if !(site.options.instructions && site.is_shared()) {
            return Vec::new();
        }
        let content = site.instructions("agents", instructions::WITHOUT_HOOKS);
        let reason = "for agents without hooks";
        vec![site.edit(site.repository("AGENTS.md"), content, reason)]
    }
}
