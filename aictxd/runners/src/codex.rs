//! Codex CLI. Payloads recorded from release 0.169.0, answers measured there.
//!
//! Codex validates an answer against a closed schema: one member too many, a question, or a bare
//! `allow`, and the whole answer is lost and the tool runs. Only shapes that were seen to work are
//! written.

use serde_json::{Map, Value, json};

use crate::answer_json::{context, question, specific};
use crate::claude::call;
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools, moment};
use crate::merge::Content;
use crate::payload::{Members, text_of};
use crate::plan::{
    Agent, Allowed, Edit, Reader, Signs, Site, TIMEOUT_SECONDS, TrustStep, instructions,
};
use crate::{Action, Answer, Decision, Dialect, DialectError, HookEvent, Output, Status, ToolCall};

/// Codex CLI's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

/// Stop takes no context, which counts as a failed hook there, but a reason to go on.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("SessionStart", Kind::Start).with_context(),
    Event::hook("UserPromptSubmit", Kind::Prompt).with_context(),
    Event::hook("PreToolUse", Kind::Gate).with_context(),
    Event::hook("PostToolUse", Kind::Done).with_context(),
    Event::hook("PreCompact", Kind::Compact),
    Event::hook("SubagentStop", Kind::SubagentStop),
    Event::hook("Stop", Kind::Stop).asking_back(),
    Event::hook("SessionEnd", Kind::End),
    Event::known("SubagentStart", Kind::SubagentStart).with_context(),
    Event::known("PermissionRequest", Kind::Gate),
    Event::known("PostCompact", Kind::Note),
    Event::known("Interrupt", Kind::Note),
];

pub(crate) const TOOLS: &Tools = &[
    ("Bash", Does::Shell),
    ("apply_patch", Does::Patch),
    ("view_image", Does::Read),
    ("shell", Does::Shell),
    ("exec_command", Does::Shell),
    ("local_shell", Does::Shell),
    ("shell_command", Does::Shell),
    ("container.exec", Does::Shell),
];

/// Returns a tool's output. A shell command's response is the bare text, without its exit status;
/// a patch's begins with its status.
fn output<'a>(payload: &Members<'a>, call: &ToolCall<'a>) -> Output<'a> {
    let stdout = payload
        .raw("tool_response")
        .map(text_of)
        .unwrap_or_default();
    let code = match call.action {
        Action::Patch(_) => stdout
            .strip_prefix("Exit code: ")
            .and_then(|rest| rest.lines().next()?.trim().parse().ok()),
        _ => None,
    };
    Output {
        status: code.map_or(Status::Unknown, Status::Code),
        stdout,
        ..Output::default()
    }
}

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn events(&self) -> &'static [Event] {
        EVENTS
    }

    fn parse<'a>(
        &self,
        payload: &'a str,
        event: Option<&'a str>,
    ) -> Result<HookEvent<'a>, DialectError> {
        let (payload, name, kind) =
            event_and_tool_tables::open(self, payload, &["hook_event_name"], event)?;
        Ok(HookEvent {
            session_id: payload.text(&["session_id"]),
            cwd: payload.text(&["cwd"]),
            transcript: payload.text(&["transcript_path"]),
            agent_id: payload.text(&["agent_id"]),
            moment: moment(
                kind,
                &payload,
                || call(&payload, TOOLS),
                |call| output(&payload, call),
            ),
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        let mut members = Map::new();
        let context = context(event_and_tool_tables::find(EVENTS, event), answer);
        match event {
            "PreToolUse" => {
                if let Some(mut reason) = answer.decision.refusal() {
                    // Only seen to work apart, so the context goes with the reason.
                    if let Some(context) = context {
                        reason = format!("{reason}\n{context}");
                    }
                    members.insert("permissionDecision".into(), json!("deny"));
                    members.insert("permissionDecisionReason".into(), json!(reason));
                    return specific(event, members);
                }
            }
            "Stop" => return question(answer, "block"),
            "PermissionRequest" if matches!(answer.decision, Decision::Deny(_)) => {
                let message = answer.decision.refusal();
                let decision = json!({ "behavior": "deny", "message": message });
                members.insert("decision".into(), decision);
            }
            _ => {}
        }
        if let Some(context) = context {
            members.insert("additionalContext".into(), json!(context));
        }
        specific(event, members)
    }
}

impl Agent for Codex {
    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: Some("CODEX_HOME"),
            home: &[".codex"],
            programs: &["codex"],
            repository: &[".codex"],
        }
    }

    /// Hooks always go into `hooks.json`: a mistake in `config.toml` would keep Codex from starting.
    /// Commands hold nothing that changes with a version, for approval is by their hash.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let file = if site.is_user() {
            Some(home(site, "hooks.json"))
        } else {
            site.is_shared()
                .then(|| site.repository(".codex/hooks.json"))
        };
        if let Some(file) = file.filter(|_| site.options.hooks) {
            let items = site.grouped(EVENTS, |event| {
                // Codex allows the end of a session no more than three seconds.
                let timeout = if event == "SessionEnd" { 3 } else { TIMEOUT_SECONDS };
                json!({ "type": "command", "command": site.command_line(event), "timeout": timeout })
            });
            edits.push(Edit {
                caution: "Codex runs a hook only after you have approved it",
                ..site.edit(file, Content::Json(items), "registers the hooks")
            });
        }
        if site.options.mcp && site.is_user() {
            let reason = "offers the tools of aictx";
            edits.push(site.edit(home(site, "config.toml"), site.server_table(), reason));
        }
        if site.options.instructions && site.is_shared() {
            let content = site.instructions("agents", instructions::WITHOUT_HOOKS);
            let reason = "for agents without hooks, and where they are not approved";
            edits.push(site.edit(site.repository("AGENTS.md"), content, reason));
        }
        edits
    }

    fn trust(&self, site: &Site<'_>) -> Vec<TrustStep> {
        let mut how = Vec::new();
        if site.is_shared() {
            how.push("start `codex` in the repository and trust the folder when asked".into());
        }
        how.push(
            "start `codex`, enter `/hooks`, and approve each hook whose command is aictx".into(),
        );
        how.push("do so again when `aictx install` says that it changed a hook".into());
        vec![TrustStep {
            agent: site.agent,
            without: "Codex skips hooks that were not approved, without a word",
            how,
            check: "`codex app-server`, method `hooks/list`: `trustStatus` of each hook is `trusted`",
            // The hashes are known only to Codex; see `plan::codex_trust`.
            write: None,
        }]
    }

    /// Tells if any hook of the user's file is approved. Whether the hash is still right is known only
    /// to Codex.
    fn allowed(&self, site: &Site<'_>, read: Reader<'_>) -> Allowed {
        let file = home(site, "config.toml");
        let text = read(&file).unwrap_or_default();
        let Ok(config) = text.parse::<toml_edit::DocumentMut>() else {
            return Allowed {
                evidence: format!("{file} cannot be read"),
                ..Allowed::default()
            };
        };
        let table = |name: &str| config.get(name).and_then(toml_edit::Item::as_table_like);
        let on = table("features").and_then(|features| features.get("hooks")?.as_bool());
        let state = table("hooks").and_then(|hooks| hooks.get("state")?.as_table_like());
        let prefix = format!("{}:", home(site, "hooks.json"));
        let approved = state.map_or(0, |state| {
            let keys = state.iter().filter(|(key, _)| key.starts_with(&prefix));
            keys.count()
        });
        Allowed {
            trusted: Some(approved > 0),
            off: (on == Some(false)).then(|| format!("`features.hooks` in {file}")),
            evidence: format!("{approved} approved hooks in {file}"),
        }
    }
}

fn home(site: &Site<'_>, file: &str) -> String {
    match &site.paths.codex {
        Some(dir) => format!("{dir}/{file}"),
        None => site.home(&format!(".codex/{file}")),
    }
}
