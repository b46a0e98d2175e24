//! Gemini CLI. Payloads recorded from release 0.61.0, answers measured there.
//!
//! A question (`ask`) exists but ends a headless run without a word, and nothing in a payload says
//! whether somebody is there to answer, so it is a refusal with its reason. Calls carry no id.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::answer_json::{context, flat, question};
use crate::event_and_tool_tables::{self, Does, Event, Kind, Tools, moment};
use crate::merge::{Content, Item, Rule};
use crate::payload::{Members, elements_of, text_of};
use crate::plan::{
    Agent, Allowed, Edit, Reader, Signs, Site, TIMEOUT_SECONDS, TrustStep, instructions, switched,
};
use crate::{Action, Answer, Dialect, DialectError, HookEvent, Moment, Output, Status, ToolCall};

/// Gemini CLI's dialect.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

/// `PreCompress` comes before every request to the model, compaction or not: it says nothing.
/// The events around the model carry whole conversations and are never ours.
pub(crate) const EVENTS: &[Event] = &[
    Event::hook("SessionStart", Kind::Start).with_context(),
    Event::hook("BeforeAgent", Kind::Prompt).with_context(),
    Event::hook("BeforeTool", Kind::Gate),
    Event::hook("AfterTool", Kind::Done).with_context(),
    Event::hook("AfterAgent", Kind::Stop).asking_back(),
    Event::hook("SessionEnd", Kind::End),
    Event::known("PreCompress", Kind::Note),
    Event::known("Notification", Kind::Note),
    Event::known("BeforeModel", Kind::Note),
    Event::known("AfterModel", Kind::Note),
    Event::known("BeforeToolSelection", Kind::Note),
];

pub(crate) const TOOLS: &Tools = &[
    ("run_shell_command", Does::Shell),
    ("read_file", Does::Read),
    ("replace", Does::Edit),
    ("write_file", Does::Edit),
    ("edit", Does::Edit),
];

fn call<'a>(payload: &Members<'a>) -> ToolCall<'a> {
    let tool = payload.text(&["tool_name"]);
    ToolCall {
        action: event_and_tool_tables::action(TOOLS, &tool, payload.raw("tool_input")),
        call_id: Cow::Borrowed(""),
        tool,
    }
}

/// The text meant for the model: a string, or a list of parts.
fn said<'a>(response: &Members<'a>) -> Cow<'a, str> {
    let Some(raw) = response.raw("llmContent") else {
        return Cow::Borrowed("");
    };
    if raw.get().starts_with('"') {
        return text_of(raw);
    }
    let parts = elements_of(raw);
    let texts: Vec<_> = parts
        .into_iter()
        .map(|part| Members::of(part).text(&["text"]))
        .collect();
    Cow::Owned(texts.join("\n"))
}

/// The output of a shell command without what the agent wraps around it, and how it ended. The
/// status stands in a line of its own behind the output, and only when it is not zero.
fn shell(text: &str) -> (&str, Status) {
    const LABELS: &[&str] = &[
        "Error: ",
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
    ];
    let inner = text.trim();
    let inner = inner.strip_prefix("<untrusted_context>").unwrap_or(inner);
    let inner = inner.strip_suffix("</untrusted_context>").unwrap_or(inner);
    let inner = inner.trim_matches('\n');
    if inner.starts_with("Command moved to background") {
        return (inner, Status::Unknown);
    }
    let mut rest = inner;
    let mut status = Status::Success;
    // Only the lines at the end are the agent's, each at most once and in this order; the same
    // words further up are the command's.
    let mut labels = LABELS;
    loop {
        let (before, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
        let found = labels.iter().position(|label| last.starts_with(label));
        let Some((before_it, label)) =
            found.and_then(|at| Some((labels.get(..at)?, labels.get(at)?)))
        else {
            break;
        };
        labels = before_it;
        let value = last.get(label.len()..).unwrap_or_default().trim();
        match *label {
            "Exit Code: " => status = value.parse().map_or(status, Status::Code),
            "Signal: " if status == Status::Success && !value.is_empty() => {
                status = Status::Unknown;
            }
            _ => {}
        }
        rest = before;
        if rest.is_empty() {
            break;
        }
    }
    (rest.strip_prefix("Output: ").unwrap_or(rest), status)
}

fn output<'a>(payload: &Members<'a>, call: &ToolCall<'a>) -> Output<'a> {
    let text = said(&payload.object(&["tool_response"]));
    if !matches!(call.action, Action::Command { .. }) {
        return Output {
            stdout: text,
            ..Output::default()
        };
    }
    let (stdout, status) = match text {
        Cow::Borrowed(text) => {
            let (stdout, status) = shell(text);
            (Cow::Borrowed(stdout), status)
        }
        Cow::Owned(text) => {
            let (stdout, status) = shell(&text);
            (Cow::Owned(stdout.to_owned()), status)
        }
    };
    Output {
        stdout,
        status,
        ..Output::default()
    }
}

/// A prompt without the context that hooks told at the start: the agent puts it before the user's first words.
fn of_the_user(prompt: &str) -> &str {
    let mut rest = prompt;
    while let Some(told) = rest.trim_start().strip_prefix("<hook_context>") {
        let Some((_, behind)) = told.split_once("</hook_context>") else {
            break;
        };
        rest = behind.trim_start();
    }
    rest
}

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
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
        let problem = payload
            .object(&["tool_response"])
            .object(&["error"])
            .text(&["message"]);
        let moment = if kind == Kind::Done && !problem.is_empty() {
            Moment::ToolFailed {
                call: call(&payload),
                error: problem,
                interrupted: false,
                duration_ms: None,
            }
        } else {
            moment(
                kind,
                &payload,
                || call(&payload),
                |call| output(&payload, call),
            )
        };
        let moment = match moment {
            Moment::Prompt { text } => Moment::Prompt {
                text: match text {
                    Cow::Borrowed(text) => Cow::Borrowed(of_the_user(text)),
                    Cow::Owned(text) => Cow::Owned(of_the_user(&text).to_owned()),
                },
            },
            other => other,
        };
        Ok(HookEvent {
            session_id: payload.text(&["session_id"]),
            cwd: payload.text(&["cwd"]),
            transcript: payload.text(&["transcript_path"]),
            agent_id: Cow::Borrowed(""),
            moment,
            name,
        })
    }

    fn render(&self, event: &str, answer: &Answer) -> Option<Value> {
        if event == "AfterAgent" {
            // The answer is refused, and the reason is the next prompt.
            return question(answer, "deny");
        }
        let mut members = Map::new();
        if event == "BeforeTool"
            && let Some(reason) = answer.decision.refusal()
        {
            members.insert("decision".into(), json!("deny"));
            members.insert("reason".into(), json!(reason));
        }
        if let Some(context) = context(event_and_tool_tables::find(EVENTS, event), answer) {
            let said = json!({ "hookEventName": event, "additionalContext": context });
            members.insert("hookSpecificOutput".into(), said);
        }
        flat(members)
    }
}

impl Agent for Gemini {
    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn signs(&self) -> Signs {
        Signs {
            variable: None,
            home: &[".gemini/settings.json", ".gemini"],
            programs: &["gemini"],
            repository: &[".gemini", "GEMINI.md"],
        }
    }

    fn edits(&self, site: &Site<'_>) -> Vec<Edit> {
        let file = if site.is_user() {
            site.home(".gemini/settings.json")
        } else if site.is_shared() {
            site.repository(".gemini/settings.json")
        } else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        if site.options.hooks {
            let items = site.grouped(EVENTS, |event| {
                // Milliseconds, here and nowhere else.
                let timeout = TIMEOUT_SECONDS * 1000;
                let command = site.command_line(event);
                json!({ "type": "command", "name": "aictx", "command": command, "timeout": timeout })
            });
            edits.push(site.edit(file.clone(), Content::Json(items), "registers the hooks"));
        }
        if site.options.mcp {
            let content = site.server("mcpServers", &[]);
            edits.push(site.edit(file, content, "offers the tools of aictx"));
        }
        if site.options.instructions && site.is_shared() {
            let content = site.instructions("gemini", instructions::WITH_HOOKS);
            let reason = "asks for what only the agent knows";
            edits.push(site.edit(site.repository("GEMINI.md"), content, reason));
        }
        edits
    }

    fn trust(&self, site: &Site<'_>) -> Vec<TrustStep> {
        if site.paths.repository.is_empty() {
            return Vec::new();
        }
        let folder = Content::Json(vec![Item {
            path: vec![site.paths.repository.clone()],
            value: json!("TRUST_FOLDER"),
            rule: Rule::Default,
        }]);
        let file = site.home(".gemini/trustedFolders.json");
        vec![TrustStep {
            agent: site.agent,
            without: "in a folder that is not trusted a headless run stops before any hook, and \
                the repository's own settings are not read",
            how: vec!["start `gemini` in the repository and trust the folder when asked".into()],
            check: "`gemini` lists the hooks at `/hooks`",
            write: Some(Edit {
                shared: false,
                ..site.edit(file, folder, "trusts the folder")
            }),
        }]
    }

    /// The user's own hooks need no approval; a folder that is distrusted stops a headless run.
    fn allowed(&self, site: &Site<'_>, read: Reader<'_>) -> Allowed {
        let settings = [
            site.home(".gemini/settings.json"),
            site.repository(".gemini/settings.json"),
        ];
        let file = site.home(".gemini/trustedFolders.json");
        let folders = read(&file).and_then(|text| crate::merge::json_value(&text));
        let word = folders.as_ref().and_then(|folders| {
            let word = folders.get(&site.paths.repository)?.as_str()?;
            Some(word == "TRUST_FOLDER")
        });
        Allowed {
            trusted: word,
            off: switched(read, &settings, &["hooksConfig", "enabled"], &json!(false)),
            evidence: file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hooks_told_is_no_part_of_the_prompt() {
        for (prompt, said) in [
            ("fix it", "fix it"),
            (
                "<hook_context>told &lt;x&gt;</hook_context>\n\nfix it",
                "fix it",
            ),
            (
                "<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n fix it",
                "fix it",
            ),
            ("<hook_context>never closed", "<hook_context>never closed"),
            (
                "explain <hook_context>a</hook_context>",
                "explain <hook_context>a</hook_context>",
            ),
        ] {
            assert_eq!(of_the_user(prompt), said, "{prompt}");
        }
    }

    #[test]
    fn the_wrapping_of_shell_output_comes_off() {
        let failed = "<untrusted_context>\nOutput: E\nExit Code: 9 in the text\nError: (none)\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>";
        assert_eq!(
            shell(failed),
            ("E\nExit Code: 9 in the text", Status::Code(1))
        );
        assert_eq!(
            shell("Output: one\nProcess Group PGID: 3"),
            ("one", Status::Success)
        );
        assert_eq!(
            shell("Output: (empty)\nSignal: 9"),
            ("(empty)", Status::Unknown)
        );
        assert_eq!(shell("Exit Code: 2"), ("", Status::Code(2)));
        assert_eq!(shell(""), ("", Status::Success));
    }
}
