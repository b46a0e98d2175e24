//! OpenCode: `opencode run --format json`.
//!
//! It asks for nothing that its configuration allows. What it would ask is rejected without a person, and would end
//! the turn unless told otherwise. An error of the service is tried again in silence for a minute or longer; only its
//! log, which therefore goes to standard error, names the cause until then.

use aictx_proto::flow::{ErrorClass, Usage};

use super::json_lines::{Agent, Draft, End, JsonLines, fraction, summary, tokens};
use super::{
    Approval, Capabilities, Driver, Launch, Probe, Progress, Reader, TurnSettings, Version,
};
use crate::payload::Members;

/// Driver.
pub(super) struct OpenCode;

impl Driver for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            new_session: false,
            usage: true,
            usage_of_conversation: false,
            cost: true,
            model_select: true,
            effort_select: true,
        }
    }

    fn probe(&self) -> Probe {
        Probe::new("opencode", Version(1, 18, 3), Version(1, 18, 33))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let mut args = vec!["run", "--format=json", "--print-logs", "--log-level=ERROR"];
        if settings.approval == Approval::Full {
            args.push("--auto");
        }
        let env = [
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"experimental":{"continue_loop_on_deny":true}}"#,
            ),
        ];
        Launch::new("opencode", &args, &env)
            .option("--model", settings.model)
            .option("--variant", settings.reasoning)
            .session(settings, "--session", "")
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        JsonLines::boxed(&AGENT)
    }
}

static AGENT: Agent = Agent {
    name: "opencode",
    event,
    exit_class: |_| None,
    stderr_error: logged_error,
};

/// Error in a line of the log: `… level=ERROR … error="Name: text" …`, quotes escaped.
fn logged_error(line: &str) -> Option<&str> {
    let (_, fields) = line
        .strip_prefix("timestamp=")?
        .split_once(" level=ERROR ")?;
    let (_, text) = fields.split_once("error=\"")?;
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    text.get(..end?)
}

fn event(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    draft.set_session(&event.text(&["sessionID"]));
    let part = event.object(&["part"]);
    match &*event.text(&["type"]) {
        "step_start" => {
            draft.text.clear();
            draft.end = None;
            None
        }
        "text" if !part.flag(&["synthetic"]) => {
            let text = part.text(&["text"]);
            draft.push_text(&text);
            Progress::message(&text)
        }
        "tool_use" => {
            let input = part.object(&["state"]).object(&["input"]);
            draft.tool(&part.text(&["tool"]), &summary(&input))
        }
        "step_finish" => step_finish(draft, &part),
        "error" => {
            let error = event.object(&["error"]);
            let (name, data) = (error.text(&["name"]), error.object(&["data"]));
            let text = format!("{name}: {}", data.text(&["message"]));
            // The cause of such an error stands only in the log.
            let class = (name == "UnknownError").then_some(ErrorClass::Unknown);
            draft.resets_at = draft.reset_time(&data.text(&["responseBody"]));
            draft.end_with(&text, class, data.whole(&["statusCode"]));
            Progress::notice(&text)
        }
        _ => None,
    }
}

fn step_finish(draft: &mut Draft, part: &Members<'_>) -> Option<Progress> {
    let used = part.object(&["tokens"]);
    let cache = used.object(&["cache"]);
    draft.usage.add(Usage {
        input: tokens(&used, "input").saturating_add(tokens(&cache, "write")),
        cached: tokens(&cache, "read"),
        output: tokens(&used, "output").saturating_add(tokens(&used, "reasoning")),
        cost_usd: fraction(part, "cost"),
        tool_calls: 0,
    });
    if part.text(&["reason"]) != "tool-calls" {
        draft.end = Some(End::Success);
    }
    Some(Progress::Usage(draft.usage))
}
