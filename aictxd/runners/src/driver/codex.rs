//! Codex: `codex exec --json` with one event a line.
//!
//! Tokens are those of the conversation so far. Approval and sandbox are set as configuration, because
//! `codex exec resume` has no options for them.

use super::json_lines::{Agent, Draft, End, JsonLines, summary, tokens};
use super::{
    Approval, Capabilities, Driver, Launch, Probe, Progress, Reader, TurnSettings, Version,
    plain_id,
};
use crate::payload::{Members, elements_of};

/// Driver.
pub(super) struct Codex;

impl Driver for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            new_session: false,
            usage: true,
            usage_of_conversation: true,
            cost: false,
            model_select: true,
            effort_select: true,
        }
    }

    fn probe(&self) -> Probe {
        Probe::new("codex", Version(0, 145, 0), Version(0, 171, 0))
    }

    fn launch(&self, settings: &TurnSettings<'_>) -> Launch {
        let resume = plain_id(settings.resume);
        let command = if resume.is_some() {
            ["exec", "resume"].as_slice()
        } else {
            &["exec"]
        };
        let approval = match settings.approval {
            Approval::Workspace => [
                "--config=sandbox_mode=\"workspace-write\"",
                "--config=approval_policy=\"never\"",
            ]
            .as_slice(),
            Approval::Full => &["--dangerously-bypass-approvals-and-sandbox"],
        };
        // A directory without git is the caller's decision.
        let common = [
            "--json",
            "--skip-git-repo-check",
            "--config=analytics.enabled=false",
        ];
        let mut launch = Launch::new("codex", &[command, &common, approval].concat(), &[])
            .option("--model", settings.model)
            .option("--config=model_reasoning_effort", settings.reasoning);
        launch.args.extend(resume.map(str::to_owned));
        launch.args.push("-".to_owned());
        launch
    }

    fn allow_commits(&self, launch: &mut Launch, git_dirs: &[&str]) {
        // Its sandbox keeps these read-only, though they are in the workspace. JSON's strings are TOML's.
        let roots = serde_json::json!(git_dirs);
        let option = format!("--config=sandbox_workspace_write.writable_roots={roots}");
        // Before the argument that stands for standard input.
        launch
            .args
            .insert(launch.args.len().saturating_sub(1), option);
    }

    fn reader(&self) -> Box<dyn Reader + Send> {
        JsonLines::boxed(&AGENT)
    }
}

static AGENT: Agent = Agent {
    name: "codex",
    event,
    exit_class: |_| None,
    stderr_error: |_| None,
};

fn event(draft: &mut Draft, event: &Members<'_>) -> Option<Progress> {
    match &*event.text(&["type"]) {
        "thread.started" => {
            draft.set_session(&event.text(&["thread_id"]));
            None
        }
        "item.started" => started(draft, &event.object(&["item"])),
        "item.completed" => completed(draft, &event.object(&["item"])),
        "turn.completed" => {
            let usage = event.object(&["usage"]);
            draft.usage.cached = tokens(&usage, "cached_input_tokens");
            draft.usage.input = tokens(&usage, "input_tokens").saturating_sub(draft.usage.cached);
            draft.usage.output = tokens(&usage, "output_tokens");
            draft.end = Some(End::Success);
            Some(Progress::Usage(draft.usage))
        }
        "turn.failed" => {
            draft.end_with(&event.object(&["error"]).text(&["message"]), None, None);
            None
        }
        "error" => {
            let message = event.text(&["message"]);
            // Retries are told as errors.
            if !message.starts_with("Reconnecting") {
                draft.fail(&message, None, None);
            }
            Progress::notice(&message)
        }
        _ => None,
    }
}

fn started(draft: &mut Draft, item: &Members<'_>) -> Option<Progress> {
    match &*item.text(&["type"]) {
        "command_execution" => draft.tool("command", &summary(item)),
        "mcp_tool_call" => draft.tool(&item.text(&["tool"]), &item.text(&["server"])),
        _ => None,
    }
}

fn completed(draft: &mut Draft, item: &Members<'_>) -> Option<Progress> {
    match &*item.text(&["type"]) {
        "agent_message" => {
            let text = item.text(&["text"]);
            draft.set_text(&text);
            Progress::message(&text)
        }
        "file_change" => {
            let mut changes = item.raw("changes").into_iter().flat_map(elements_of);
            let first = changes.next().map(Members::of).unwrap_or_default();
            draft.tool("edit", &first.text(&["path"]))
        }
        "web_search" => draft.tool("web search", &summary(item)),
        "error" => Progress::notice(&item.text(&["message"])),
        _ => None,
    }
}
