//! Windsurf (Cascade). Shapes from the vendor's documentation.
//!
//! There is no way to tell the model anything, and a call is stopped by exit status 2 with the
//! reason on standard error and by nothing else: see [`exit_with`]. No event says in which
//! directory the agent works; a command's own directory or a file's folder stands in for it.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Value, json};

use crate::answer_json::exit_with;
use crate::event_and_tool_tables::{self, Event, Kind};
use crate::merge::Content;
use crate::payload::Members;
use crate::plan::{Agent, Edit, Signs, Site, instructions};
use crate::{Action, Answer, Dialect, DialectError, HookEvent, Moment, Output, Status, ToolCall};

/// Windsurf's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Windsurf;

/// Reading is not registered: nothing is decided about it and there are many.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("pre_user_prompt", Kind::Prompt),
    Event::hook("pre_write_code", Kind::Gate),
    Event::hook("pre_run_command", Kind::Gate),
    Event::hook("pre_mcp_tool_use", Kind::Gate),
    Event::hook("post_write_code", Kind::Done),
    Event::hook("post_run_command", Kind::Done),
    Event::hook("post_cascade_response", Kind::Stop),
    Event::known("pre_read_code", Kind::Gate),
    Event::known("post_read_code", Kind::Done),
    Event::known("post_mcp_tool_use", Kind::Done),
    Event::known("post_cascade_response_with_transcript", Kind::Stop),
    Event::known("post_setup_worktree", Kind::Note),
];

fn call<'a>(event: &str, info: &Members<'a>) -> ToolCall<'a> {
    let file = || info.text(&["file_path"]);
    let (tool, action) = match event {
        "pre_read_code" | "post_read_code" => (Cow::Borrowed("read_code"), Action::Read(file())),
        "pre_write_code" | "post_write_code" => (Cow::Borrowed("write_code"), Action::Edit(file())),
        "pre_run_command" | "post_run_command" => {
            let command = Action::Command {
                command: info.text(&["command_line", "command"]),
                background: false,
                // That of the event.
                dir: Cow::Borrowed(""),
            };
            (Cow::Borrowed("run_command"), command)
        }
        _ => {
            let server = info.text(&["mcp_server_name"]);
            let tool = format!("mcp__{server}__{}", info.text(&["mcp_tool_name"]));
            let action = event_and_tool_tables::action(&[], &tool, info.raw("mcp_tool_arguments"));
            (Cow::Owned(tool), action)
        }
    };
    ToolCall {
        tool,
        call_id: Cow::Borrowed(""),
        action,
    }
}

/// The folder of an absolute path.
fn folder(path: Cow<'_, str>) -> Cow<'_, str> {
    let parent = |path: &str| {
        let path = Path::new(path);
        let parent = path.is_absolute().then(|| path.parent()).flatten();
        parent.and_then(Path::to_str).map_or(0, str::len)
    };
    let end = parent(&path);
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(path.get(..end).unwrap_or_default()),
        Cow::Owned(path) => Cow::Owned(path.get(..end).unwrap_or_default().to_owned()),
    }
}

impl Dialect for Windsurf {
    fn name(&self) -> &'static str {
        "windsurf"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) = event_and_tool_tables::open(
            self,
            payload,
            &["agent_action_name", "hook_event_name"],
            event,
        )?;
        let info = payload.object(&["tool_info"]);
        let moment = match kind {
            Kind::Prompt => Moment::Prompt {
                text: info.text(&["user_prompt"]),
            },
            Kind::Stop => Moment::Stop {
                last_message: info.text(&["response"]),
                asked_back: false,
            },
            Kind::Gate => Moment::ToolIntent(call(&name, &info)),
            Kind::Done => Moment::ToolDone {
                call: call(&name, &info),
                output: Output {
                    stdout: info.text(&["mcp_result"]),
                    // A command's output and status are not told.
                    status: Status::Unknown,
                    ..Output::default()
                },
                duration_ms: None,
            },
            _ => Moment::Other,
        };
        let cwd = match payload.text(&["cwd"]) {
            cwd if cwd.is_empty() => info.text(&["cwd"]),
            cwd => cwd,
        };
        Ok(HookEvent {
            session_id: payload.text(&["trajectory_id"]),
            cwd: if cwd.is_empty() {
                folder(info.text(&["file_path"]))
            } else {
                cwd
            },
            transcript: Cow::Borrowed(""),
            agent_id: Cow::Borrowed(""),
            moment,
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let gate = event_and_tool_tables::find(EVENTS, event)
            .is_some_and(|event| event.kind == Kind::Gate);
        let reason = answer.decision.refusal().filter(|_| gate)?;
        Some(exit_with(&reason))
    }
}

impl Agent for Windsurf {
    fn title(&self) -> &'static str {
        "Windsurf"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[".codeium/windsurf"],
            programs: &["windsurf"],
            repository: &[".windsurf", ".windsurfrules"],
        }
    }

    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let place = |user: &str, shared: &str| {
            if site.is_user() {
                Some(site.home(&format!(".codeium/windsurf/{user}")))
            } else {
                site.is_shared()
                    .then(|| site.repository(&format!(".windsurf/{shared}")))
            }
        };
        let mut edits = Vec::new();
        if let Some(file) = place("hooks.json", "hooks.json").filter(|_| site.options.hooks) {
            let items = site.listed(EVENTS, |event| {
                // A refusal is an exit status here and must come through.
                let command = if site.is_shared() {
                    let name = site.agent;
                    format!("aictx hook {name} {event}; [ $? -eq 2 ] && exit 2; exit 0")
                } else {
                    site.command_line(event)
                };
                json!({ "command": command, "show_output": false })
            });
            edits.push(site.edit(file, Content::Json(items), "registers the hooks"));
        }
        if site.options.mcp && site.is_user() {
            let file = site.home(".codeium/windsurf/mcp_config.json");
            let content = site.server("mcpServers", &[]);
            edits.push(site.edit(file, content, "offers the tools of aictx"));
        }
        // The user's own file of rules is shared with what they wrote; the repository's is ours.
        if site.options.instructions && site.is_user() {
            let file = site.home(".codeium/windsurf/memories/global_rules.md");
            let content = site.instructions("windsurf", instructions::WITHOUT_HOOKS);
            edits.push(site.edit(file, content, "hooks cannot tell the model anything"));
        } else if site.options.instructions && site.is_shared() {
            let mark = "<!-- written by aictx -->";
            let text = format!(
                "---\ntrigger: always_on\n---\n\n{mark}\n{}",
                instructions::WITHOUT_HOOKS
            );
            let file = site.repository(".windsurf/rules/aictx.md");
            let content = site.whole(text, mark, false);
            edits.push(site.edit(file, content, "hooks cannot tell the model anything"));
        }
        edits
    }
}
