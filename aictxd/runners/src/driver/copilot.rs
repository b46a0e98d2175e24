//! GitHub Copilot CLI: `copilot --output-format json` with the prompt on standard input.
//!
//! Without a person it edits files of the workspace and runs commands that only read; what the user's own
//! permissions do not allow beyond that is denied.

use aictx_proto::flow::ErrorClass;

use super::json_lines::{Agent, Draft, End, JsonLines, error_line, summary};
use super::{
    Approval, Capabilities, Driver, Launch, Probe, Progress, Reader, TurnSettings, Version,
};
use crate::payload::Members;

/// Driver.
pub(super) struct Copilot;

impl Driver for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            new_session: true,
            usage: false,
            usage_of_conversation: false,
            cost: false,
            model_select: true,
            effort_select: true,
        }
    }

    fn probe(&self) -> Probe {
        Probe::new("copilot", Version(1, 0, 60), Version(1, 0, 102))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let approval = match settings.approval {
            Approval::Workspace => "--allow-tool=write",
            Approval::Full => "--allow-all",
        };
        let args = [
            "--output-format=json",
            "--no-auto-update",
            "--no-ask-user",
            approval,
        ];
        Launch::new("copilot", &args, &[("COPILOT_AUTO_UPDATE", "false")])
            .option("--model", settings.model)
            .option("--reasoning-effort", settings.reasoning)
            .session(settings, "--resume", "--session-id")
    }

    fn allow_commits(&self, launch: &mut Launch, _git_dirs: &[&str]) {
        let rules = [
            "--allow-tool=shell(git add)",
            "--allow-tool=shell(git commit)",
        ];
        launch.args.extend(rules.map(str::to_owned));
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        JsonLines::boxed(&AGENT)
    }
}

static AGENT: Agent = Agent {
    name: "copilot",
    event,
    exit_class: |_| None,
    stderr_error: error_line,
};

fn event(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    let data = event.object(&["data"]);
    match &*event.text(&["type"]) {
        "assistant.message" if data.text(&["parentToolCallId"]).is_empty() => {
            let text = data.text(&["content"]);
            draft.set_text(&text);
            Progress::message(&text)
        }
        "tool.execution_start" => draft.tool(
            &data.text(&["toolName"]),
            &summary(&data.object(&["arguments"])),
        ),
        "model.call_failure" => {
            let text = data.text(&["errorMessage"]);
            draft.resets_at = draft.reset_time(&text);
            None
        }
        "session.info" => Progress::notice(&data.text(&["message"])),
        "session.error" => {
            let text = data.text(&["message"]);
            let class = match &*data.text(&["errorType"]) {
                "authentication" | "authorization" => Some(ErrorClass::Auth),
                "quota" => Some(ErrorClass::Quota),
                "context_limit" => Some(ErrorClass::ContextOverflow),
                _ => None,
            };
            draft.fail(&text, class, data.whole(&["statusCode"]));
            Progress::notice(&text)
        }
        "result" => {
            draft.set_session(&event.text(&["sessionId"]));
            let is_success = event.whole(&["exitCode"]) == Some(0);
            draft.end = Some(if is_success {
                End::Success
            } else {
                End::Failure
            });
            None
        }
        _ => None,
    }
}
