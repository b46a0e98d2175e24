//! Claude Code: `claude -p` with one JSON object a line.
//!
//! Costs of the whole conversation stand in `total_cost_usd`; those of this process, with sub-agents, in
//! `model_usage_since_last_result`. Older versions have only the first.

use aictx_proto::flow::{ErrorClass, Usage};

use super::json_lines::{Agent, Draft, End, JsonLines, fraction, summary, tokens};
use super::{
    Approval, Capabilities, Driver, Launch, Probe, Progress, Reader, TurnSettings, Version,
};
use crate::payload::{Members, elements_of, text_of};

/// Bash runs in Claude Code's sandbox, and unasked only there. Where the sandbox cannot be set up, the user's
/// permission rules decide.
const SANDBOX: &str = r#"{"sandbox":{"enabled":true,"autoAllowBashIfSandboxed":true,"allowUnsandboxedCommands":false}}"#;

/// Driver.
pub(super) struct Claude;

impl Driver for Claude {
    fn name(&self) -> &'static str {
        "claude"
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
        Probe::new("claude", Version(2, 1, 100), Version(2, 1, 332))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let approval = match settings.approval {
            Approval::Workspace => {
                ["--permission-mode=acceptEdits", "--settings", SANDBOX].as_slice()
            }
            Approval::Full => &["--permission-mode=bypassPermissions"],
        };
        let args = [
            ["-p", "--output-format=stream-json", "--verbose"].as_slice(),
            approval,
        ]
        .concat();
        let env = [
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ];
        Launch::new("claude", &args, &env)
            .option("--model", settings.model)
            .option("--effort", settings.reasoning)
            .session(settings, "--resume", "--session-id")
    }

    fn allow_commits(&self, launch: &mut Launch, _git_dirs: &[&str]) {
        // Outside of its sandbox they would be asked for.
        let rules = "--allowedTools=Bash(git add *),Bash(git commit *)";
        launch.args.push(rules.to_owned());
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        JsonLines::boxed(&AGENT)
    }
}

static AGENT: Agent = Agent {
    name: "claude",
    event,
    exit_class: |_| None,
    stderr_error: |_| None,
};

fn event(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    draft.set_session(&event.text(&["session_id"]));
    match &*event.text(&["type"]) {
        "system" => system(event),
        "assistant" => assistant(draft, event),
        "rate_limit_event" => {
            let limit = event.object(&["rate_limit_info"]);
            if limit.text(&["status"]) == "rejected" {
                draft.resets_at = limit.whole(&["resetsAt"]);
            }
            None
        }
        "result" => result(draft, event),
        _ => None,
    }
}

fn system(event: &Members<'_>) -> Option<Progress> {
    match &*event.text(&["subtype"]) {
        "api_retry" => {
            let error = event.text(&["error"]);
            let attempt = event.whole(&["attempt"]).unwrap_or_default();
            Progress::notice(&format!("attempt {attempt} failed: {error}"))
        }
        "permission_denied" => Progress::notice(&event.text(&["message"])),
        _ => None,
    }
}

fn assistant(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    let message = event.object(&["message"]);
    if event.flag(&["is_api_error_message"]) {
        let status = event.whole(&["api_error_status"]);
        let text = text_parts(&message);
        draft.fail(&text, class_of(&event.text(&["error"])), status);
        return Progress::notice(&text);
    }
    let is_main = event.text(&["parent_tool_use_id"]).is_empty();
    let mut progress = None;
    for part in message.raw("content").into_iter().flat_map(elements_of) {
        let part = Members::of(part);
        match &*part.text(&["type"]) {
            "tool_use" => {
                let input = summary(&part.object(&["input"]));
                progress = draft.tool(&part.text(&["name"]), &input);
            }
            "text" if is_main => {
                let text = part.text(&["text"]);
                draft.set_text(&text);
                progress = progress.or_else(|| Progress::message(&text));
            }
            _ => {}
        }
    }
    progress
}

fn text_parts(message: &Members<'_>) -> String {
    let parts = message.raw("content").into_iter().flat_map(elements_of);
    let texts = parts.map(|part| Members::of(part).text(&["text"]).into_owned());
    texts.collect::<Vec<_>>().join(" ")
}

/// Class of the word that goes with an error of the service; its text is looked at for the others.
fn class_of(word: &str) -> Option<ErrorClass> {
    match word {
        "authentication_failed" | "oauth_org_not_allowed" => Some(ErrorClass::Auth),
        "billing_error" => Some(ErrorClass::Quota),
        "model_not_found" => Some(ErrorClass::Config),
        "server_error" | "overloaded" => Some(ErrorClass::Network),
        _ => None,
    }
}

fn result(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    add_usage(draft, event);
    let text = event.text(&["result"]);
    if !event.flag(&["is_error"]) {
        draft.end = Some(End::Success);
        draft.set_text(&text);
        return Some(Progress::Usage(draft.usage));
    }
    let errors = event
        .raw("errors")
        .into_iter()
        .flat_map(elements_of)
        .map(text_of);
    let said = match errors.collect::<Vec<_>>().join(" ") {
        errors if errors.is_empty() && text.is_empty() => event.text(&["subtype"]).into_owned(),
        errors if errors.is_empty() => text.into_owned(),
        errors => errors,
    };
    let class = match (
        &*event.text(&["terminal_reason"]),
        &*event.text(&["api_error"]),
    ) {
        ("prompt_too_long", _) => Some(ErrorClass::ContextOverflow),
        (_, "usage_limit_reached") => Some(ErrorClass::Quota),
        // The message before it named the cause.
        _ => draft
            .error
            .take()
            .map(|e| e.class)
            .filter(|class| *class != ErrorClass::Unknown),
    };
    draft.end_with(&said, class, event.whole(&["api_error_status"]));
    None
}

/// Adds the usage of a result; a process prints several where work in the background wakes it up again.
fn add_usage(draft: &mut Draft, event: &Members<'_>) {
    let models = event.object(&["model_usage_since_last_result"]);
    let mut used = Usage::default();
    for model in models.values().map(Members::of) {
        used.add(Usage {
            input: tokens(&model, "inputTokens")
                .saturating_add(tokens(&model, "cacheCreationInputTokens")),
            cached: tokens(&model, "cacheReadInputTokens"),
            output: tokens(&model, "outputTokens"),
            cost_usd: fraction(&model, "costUSD"),
            tool_calls: 0,
        });
    }
    if event.raw("model_usage_since_last_result").is_none() {
        let usage = event.object(&["usage"]);
        used = Usage {
            input: tokens(&usage, "input_tokens")
                .saturating_add(tokens(&usage, "cache_creation_input_tokens")),
            cached: tokens(&usage, "cache_read_input_tokens"),
            output: tokens(&usage, "output_tokens"),
            cost_usd: fraction(event, "total_cost_usd"),
            tool_calls: 0,
        };
    }
    draft.usage.add(used);
}
