//! Notifications of pauses and ends, where the person asked for them.

use std::process::Command;
use std::time::Duration;

use aictx_files::child::{self, Limits};
use aictx_proto::flow::FlowStatus;
use aictx_work::flow::state::Flow;
use serde_json::json;

/// Time for a notification.
const TIME: Duration = Duration::from_secs(10);

/// Tells of a flow that has paused or ended, beside the caller's work.
pub(super) fn tell(flow: &Flow) {
    let is_news = matches!(
        flow.status,
        FlowStatus::Paused | FlowStatus::Completed | FlowStatus::Failed
    );
    let commands = if is_news { commands(flow) } else { Vec::new() };
    if commands.is_empty() {
        return;
    }
    let flow_id = flow.flow_id.clone();
    let tell = move || {
        for mut command in commands {
            let told = child::output(&mut command, Limits::new(TIME, 64 * 1024));
            if !told.is_ok_and(|output| output.is_success()) {
                // Its arguments may hold a token.
                tracing::warn!(flow = flow_id, program = ?command.get_program(), "did not notify");
            }
        }
    };
    // One that cannot be started notifies nobody.
    let _ = std::thread::Builder::new()
        .name("notify".into())
        .spawn(tell);
}

fn commands(flow: &Flow) -> Vec<Command> {
    let mut commands = Vec::new();
    let title = format!("aictx: flow {}", flow.status);
    let text = match flow.reason.as_str() {
        "" => flow.worktree.as_str(),
        reason => reason,
    };
    if flow.options.notify {
        let mut command;
        if cfg!(target_os = "macos") {
            command = Command::new("osascript");
            let script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
            command.args(["-e", script, "--", &title, text]);
        } else {
            command = Command::new("notify-send");
            command.args(["--app-name=aictx", "--", &title, text]);
        }
        commands.push(command);
    }
    if !flow.options.webhook.is_empty() {
        let body = json!({
            "flow_id": flow.flow_id, "status": flow.status, "reason_code": flow.reason_code, "reason": flow.reason,
            "worktree": flow.worktree,
        });
        let mut command = Command::new("curl");
        command.args(["--fail", "--silent", "--max-time", "10", "--header"]);
        command.args([
            "content-type: application/json",
            "--data",
            &body.to_string(),
        ]);
        command.args(["--", &flow.options.webhook]);
        commands.push(command);
    }
    commands
}
