//! OpenCode. Plug-in hooks and bus events recorded from release 1.18.33.
//!
//! OpenCode runs no hook programs; it loads a module of ours ([`PLUGIN`]) into its own process. The
//! module hands each call over as `{"hook_event_name", "session_id", "agent_id", "cwd", "input",
//! "output"}` and each bus event with its `type` and `properties`, and does what the answer says:
//! `{"decision": "deny", "reason"}` becomes an exception, `{"context"}` is put before the model.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat};
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools, moment};
use crate::payload::Members;
use crate::plan::{Agent, Edit, Signs, Site};
use crate::{Action, Answer, Dialect, DialectError, HookEvent, Moment, Output, Status, ToolCall};

/// The module that OpenCode loads; see [`plugin`].
pub const PLUGIN: &str = include_str!("../assets/opencode.js");
/// By this the module is known as ours.
const PLUGIN_MARK: &str = "// aictx for OpenCode.";
/// Placeholder in [`PLUGIN`] for the absolute path of the client.
const PROGRAM_MARK: &str = "\"@AICTX_PROGRAM@\"";

/// The module with the absolute path of the `aictx` program in it.
pub fn plugin(program: &str) -> String {
    PLUGIN.replace(PROGRAM_MARK, &json!(program).to_string())
}

/// OpenCode's dialect.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

/// `session.start` is the module's own: a session that goes on is not created again.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("session.created", Kind::Start).with_context(),
    Event::hook("session.start", Kind::Start).with_context(),
    Event::hook("chat.message", Kind::Prompt).with_context(),
    Event::hook("tool.execute.before", Kind::Gate),
    Event::hook("tool.execute.after", Kind::Done).with_context(),
    Event::hook("experimental.session.compacting", Kind::Compact).with_context(),
    Event::hook("session.idle", Kind::Stop),
    Event::hook("session.deleted", Kind::End),
    Event::hook("dispose", Kind::End),
    Event::known("session.error", Kind::Note),
    Event::known("session.compacted", Kind::Note),
    Event::known("file.edited", Kind::Note),
    Event::known("todo.updated", Kind::Note),
];

pub(crate) const TOOLS: &Tools = &[
    ("bash", Does::Shell),
    ("read", Does::Read),
    ("edit", Does::Edit),
    ("write", Does::Edit),
    ("multiedit", Does::Edit),
    ("patch", Does::Patch),
    ("apply_patch", Does::Patch),
];

fn call<'a>(input: &Members<'a>, output: &Members<'a>) -> ToolCall<'a> {
    let tool = input.text(&["tool"]);
    let arguments = output.raw("args").or_else(|| input.raw("args"));
    ToolCall {
        action: event_and_tool_tables::action(TOOLS, &tool, arguments),
        call_id: input.text(&["callID", "callId"]),
        tool,
    }
}

fn printed<'a>(output: &Members<'a>, call: &ToolCall<'a>) -> Output<'a> {
    let metadata = output.object(&["metadata"]);
    let code = metadata.whole(&["exit", "exitCode"]);
    let status = match (&call.action, code.and_then(|code| i32::try_from(code).ok())) {
        (_, Some(code)) => Status::Code(code),
        (Action::Command { .. }, None) => Status::Unknown,
        _ => Status::Success,
    };
    let stdout = match output.text(&["output"]) {
        text if text.is_empty() => metadata.text(&["output"]),
        text => text,
    };
    Output {
        stdout,
        status,
        ..Output::default()
    }
}

/// The text of a message. The command line hands a request over in quotes.
fn prompt<'a>(output: &Members<'a>) -> Cow<'a, str> {
    let parts = output.elements("parts").into_iter().map(Members::of);
    let mut texts: Vec<_> = parts
        .filter(|part| part.text(&["type"]) == "text" && !part.flag(&["synthetic"]))
        .map(|part| part.text(&["text"]))
        .collect();
    let text = match (texts.pop(), texts.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            texts.push(last);
            Cow::Owned(texts.join("\n"))
        }
        (None, _) => Cow::Borrowed(""),
    };
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.is_empty() && !inner.contains('"') => Cow::Owned(inner.to_owned()),
        _ => text,
    }
}

impl Dialect for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        // A bus event is registered as `event` and says itself which it is.
        let (payload, name, kind) =
            event_and_tool_tables::open(self, payload, &["hook_event_name", "type"], event)?;
        let (input, output) = (payload.object(&["input"]), payload.object(&["output"]));
        let properties = payload.object(&["properties"]);
        let info = properties.object(&["info"]);
        let own = |members: &Members<'a>| members.text(&["sessionID", "sessionId"]);
        let mut session = payload.text(&["session_id"]);
        let mut agent = payload.text(&["agent_id"]);
        if session.is_empty() {
            session = [own(&input), own(&properties), info.text(&["id"])]
                .into_iter()
                .find(|id| !id.is_empty())
                .unwrap_or_default();
        }
        // A sub-agent is a session of its own that knows its parent.
        let parent = info.text(&["parentID", "parentId"]);
        if agent.is_empty() && !parent.is_empty() {
            agent = std::mem::replace(&mut session, parent);
        }
        let kind = match (kind, agent.is_empty()) {
            (Kind::Start, false) => Kind::SubagentStart,
            (Kind::Stop, false) => Kind::SubagentStop,
            // A sub-agent's session goes with that of its parent, or before it.
            (Kind::End, false) => Kind::Note,
            (kind, _) => kind,
        };
        let moment = match kind {
            Kind::Prompt => Moment::Prompt {
                text: prompt(&output),
            },
            kind => moment(
                kind,
                &payload,
                || call(&input, &output),
                |call| printed(&output, call),
            ),
        };
        let cwd = match payload.text(&["cwd", "directory"]) {
            cwd if cwd.is_empty() => info.text(&["directory"]),
            cwd => cwd,
        };
        Ok(HookEvent {
            session_id: session,
            cwd,
            transcript: Cow::Borrowed(""),
            agent_id: agent,
            moment,
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        let known = event_and_tool_tables::find(EVENTS, event);
        if known.is_some_and(|known| known.kind == Kind::Gate)
            && let Some(reason) = answer.decision.refusal()
        {
            members.insert("decision".into(), json!("deny"));
            members.insert("reason".into(), json!(reason));
        }
        if let Some(context) = context(known, answer) {
            members.insert("context".into(), json!(context));
        }
        flat(members)
    }
}

/// OpenCode's configuration files in its directory. It reads all of them, a later one counts more.
pub const CONFIGURATIONS: [&str; 2] = ["opencode.json", "opencode.jsonc"];

impl Agent for OpenCode {
    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[".config/opencode", ".opencode"],
            programs: &["opencode"],
            repository: &[".opencode", "opencode.json", "opencode.jsonc"],
        }
    }

    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let (file, program) = if site.is_user() {
            let file = format!("{}/opencode/plugins/aictx.js", site.paths.config);
            (Some(file), site.paths.program.as_str())
        } else {
            let file = || site.repository(".opencode/plugins/aictx.js");
            (site.is_shared().then(file), "aictx")
        };
        let mut edits = Vec::new();
        if let Some(file) = file.filter(|_| site.options.hooks) {
            let content = site.whole(plugin(program), PLUGIN_MARK, false);
            edits.push(site.edit(file, content, "the plug-in that hands events over"));
        }
        if site.options.mcp && site.is_user() {
            let mut command = vec![site.server_program().to_owned()];
            command.extend(site.server_arguments());
            let mut value = json!({ "type": "local", "command": command, "enabled": true });
            if let (Some(entry), Some((name, variables))) =
                (value.as_object_mut(), site.server_variables("environment"))
            {
                entry.insert(name.to_owned(), variables);
            }
            let content = site.server_value("mcp", value);
            let file = site.paths.opencode.clone();
            edits.push(site.edit(file, content, "offers the tools of aictx"));
        }
        edits
    }
}
