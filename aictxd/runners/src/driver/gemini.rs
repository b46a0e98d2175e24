//! Gemini CLI: `gemini --output-format stream-json`.
//!
//! Without a person only `auto_edit` is left between asking and approving everything: it edits files, and
//! runs commands only where the user's own policies allow them.

use aictx_proto::flow::{ErrorClass, Usage};

use super::json_lines::{Agent, Draft, End, JsonLines, summary, tokens};
use super::{
    Approval, Capabilities, Driver, Launch, Probe, Progress, Reader, TurnSettings, Version,
};
use crate::payload::Members;

/// Driver.
pub(super) struct Gemini;

impl Driver for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            new_session: true,
            usage: true,
            usage_of_conversation: false,
            cost: false,
            model_select: true,
            effort_select: false,
        }
    }

    fn probe(&self) -> Probe {
        Probe::new("gemini", Version(0, 51, 0), Version(0, 61, 0))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let approval = match settings.approval {
            Approval::Workspace => "--approval-mode=auto_edit",
            Approval::Full => "--approval-mode=yolo",
        };
        let env = [("GEMINI_TELEMETRY_ENABLED", "false")];
        Launch::new("gemini", &["--output-format=stream-json", approval], &env)
            .option("--model", settings.model)
            .session(settings, "--resume", "--session-id")
    }

    fn allow_commits(&self, launch: &mut Launch, _git_dirs: &[&str]) {
        let rules = [
            "--allowed-tools=run_shell_command(git add)",
            "--allowed-tools=run_shell_command(git commit)",
        ];
        launch.args.extend(rules.map(str::to_owned));
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        JsonLines::boxed(&AGENT)
    }
}

static AGENT: Agent = Agent {
    name: "gemini",
    event,
    exit_class: |code| match code {
        41 => Some(ErrorClass::Auth),
        // The configuration, and a folder that the user does not trust.
        52 | 55 => Some(ErrorClass::Config),
        _ => None,
    },
    stderr_error: |_| None,
};

fn event(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    match &*event.text(&["type"]) {
        "init" => {
            draft.set_session(&event.text(&["session_id"]));
            None
        }
        "message" if event.text(&["role"]) == "assistant" => {
            let text = event.text(&["content"]);
            draft.push_text(&text);
            Progress::message(&text)
        }
        "tool_use" => {
            // The answer is what is said after the last call.
            draft.text.clear();
            draft.tool(
                &event.text(&["tool_name"]),
                &summary(&event.object(&["parameters"])),
            )
        }
        "error" => Progress::notice(&event.text(&["message"])),
        "result" => result(draft, event),
        _ => None,
    }
}

fn result(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    let stats = event.object(&["stats"]);
    let input = tokens(&stats, "input_tokens");
    let cached = tokens(&stats, "cached");
    draft.usage = Usage {
        input: input.saturating_sub(cached),
        cached,
        // Thoughts stand only in the total.
        output: tokens(&stats, "total_tokens")
            .saturating_sub(input)
            .max(tokens(&stats, "output_tokens")),
        cost_usd: None,
        tool_calls: tokens(&stats, "tool_calls").max(draft.usage.tool_calls),
    };
    if event.text(&["status"]) == "success" {
        draft.end = Some(End::Success);
        return Some(Progress::Usage(draft.usage));
    }
    draft.end_with(&event.object(&["error"]).text(&["message"]), None, None);
    None
}
