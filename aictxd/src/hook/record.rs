//! Ledger rows: what is kept of an event, of a tool call and of what it printed.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aictx_artifacts::root;
use aictx_guard::Facts;
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_COMMAND, Outcome};
use aictx_proto::path::{Located, RepoPath};
use aictx_proto::text::truncate_chars;
use aictx_runners::{Action, HookEvent, Output, Status, ToolCall};
use aictx_signals::Run;

use super::Session;
use crate::guarding::{WorktreeFacts, is_record};

/// A file that a command wrote was changed at most so long before we hear of it, where the agent does not say
/// how long the command ran.
const JUST_NOW: Duration = Duration::from_secs(10);
/// What clocks of file systems are behind.
const COARSE: Duration = Duration::from_millis(20);

/// Output up to this size is read for errors on the request thread; more goes to the pool.
const INLINE_OUTPUT: usize = 64 * 1024;

impl Session {
    pub(super) fn row(&self, kind: LedgerKind, agent_id: &str) -> LedgerRow {
        LedgerRow {
            agent_id: agent_id.to_owned(),
            ..LedgerRow::observed(self.now, kind)
        }
    }

    pub(super) fn start_row(&self, source: &str, event: &HookEvent) -> LedgerRow {
        let branch = root::head(&self.live.worktree).branch;
        LedgerRow {
            session_id: self.id.clone(),
            runner: self.live.runner.clone(),
            source: source.to_owned(),
            worktree: self.live.worktree.to_string_lossy().into_owned(),
            branch,
            transcript: event.transcript.clone().into_owned(),
            pid: self.live.process.pid,
            pid_start: self.live.process.start,
            ..self.row(LedgerKind::SessionStart, &event.agent_id)
        }
    }

    /// Tool, call, paths and command of a row.
    pub(super) fn call_row(&self, kind: LedgerKind, call: &ToolCall, agent_id: &str) -> LedgerRow {
        let mut row = LedgerRow {
            tool: truncate_chars(&call.tool, 80),
            call_id: truncate_chars(&call.call_id, 120),
            ..self.row(kind, agent_id)
        };
        match &call.action {
            Action::Read(path) | Action::Edit(path) => row.paths = self.paths(path),
            Action::Patch(paths) => {
                row.paths = paths.iter().flat_map(|path| self.paths(path)).collect();
            }
            Action::Command { command, .. } => {
                let root = self.live.worktree.to_string_lossy();
                let command = aictx_signals::at_root(command, &root);
                row.command = truncate_chars(command, MAX_COMMAND);
                row.test = aictx_signals::is_test_command(command);
                row.cwd = self.cwd_in_repository();
            }
            Action::Other => {}
        }
        row
    }

    /// A path as it is recorded: relative inside the repository, nothing outside of it.
    fn paths(&self, raw: &str) -> Vec<String> {
        match root::locate(&self.live.worktree, &self.cwd, raw) {
            Located::Inside(path) if !path.is_root() => vec![path.as_str().to_owned()],
            Located::Inside(_) | Located::Outside(_) => Vec::new(),
        }
    }

    /// What a command writes and which scripts it calls, by its words and theirs.
    fn followed(&self, command: &str, tool: &str) -> WorktreeFacts {
        let worktree = &self.live.worktree;
        let facts = WorktreeFacts::of(&self.app, worktree, Arc::default(), Arc::default());
        let facts = facts.watching(true);
        let (root, cwd) = (worktree.to_string_lossy(), self.cwd.to_string_lossy());
        facts.judge(command, tool, &root, &cwd);
        facts
    }

    /// Files that a command has just written: those that its words say and whose time of change says so, too.
    /// What git ignores was built, not edited.
    fn written(&self, facts: &WorktreeFacts, duration_ms: Option<u64>) -> Vec<String> {
        let worktree = &self.live.worktree;
        let ran = duration_ms.map_or(JUST_NOW, Duration::from_millis) + COARSE;
        let since = SystemTime::now().checked_sub(ran);
        let is_new = |path: &RepoPath| {
            let there = std::fs::symlink_metadata(worktree.join(path.as_str()));
            let changed = there
                .ok()
                .filter(|m| m.is_file())
                .and_then(|m| m.modified().ok());
            changed.is_some_and(|at| since.is_none_or(|since| at >= since))
        };
        let written = facts.written().into_iter();
        let written = written.filter(|path| is_new(path) && !facts.is_ignored(path));
        // Nor is what was only kept of an output.
        let ours = written.filter(|path| !is_record(path)).filter(|path| {
            let risk = aictx_guard::path_risk(&Located::Inside(path.clone()));
            let code = risk.map(|risk| risk.code).unwrap_or_default();
            !matches!(code.as_str(), "generated_state_path" | "vcs_internals_path")
        });
        ours.map(|path| path.as_str().to_owned()).collect()
    }

    fn cwd_in_repository(&self) -> String {
        match root::locate(
            &self.live.worktree,
            Path::new(""),
            &self.cwd.to_string_lossy(),
        ) {
            Located::Inside(path) if !path.is_root() => path.as_str().to_owned(),
            _ => String::new(),
        }
    }

    pub(super) async fn done(
        &self,
        call: &ToolCall<'_>,
        output: &Output<'_>,
        duration_ms: Option<u64>,
        event: &HookEvent<'_>,
    ) -> LedgerRow {
        let kind = match &call.action {
            Action::Read(_) => LedgerKind::Read,
            Action::Edit(_) | Action::Patch(_) => LedgerKind::Edit,
            Action::Command { .. } => LedgerKind::Command,
            Action::Other => LedgerKind::Tool,
        };
        let mut row = self.call_row(kind, call, &event.agent_id);
        if let Action::Command {
            command,
            background,
            ..
        } = &call.action
        {
            if *background || output.interrupted {
                row.outcome = Outcome::Unknown;
                return row;
            }
            if !aictx_signals::only_looks(command) {
                let facts = self.followed(command, &call.tool);
                row.paths = self.written(&facts, duration_ms);
                row.ran = facts.tests_behind(&row.command, &row.cwd);
                row.test |= !row.ran.is_empty();
            }
            // The agent reports a failing pipeline as a success when its last command succeeds,
            // so the status of a success is known only without a pipe; then the text decides.
            let exit = match output.status {
                Status::Success => (!aictx_signals::hides_status(command)).then_some(0),
                Status::Code(code) => Some(code),
                Status::Unknown => None,
            };
            self.read_output(&mut row, command, exit, &output.stdout, &output.stderr)
                .await;
        }
        row
    }

    pub(super) async fn failed(
        &self,
        call: &ToolCall<'_>,
        error: &str,
        interrupted: bool,
        event: &HookEvent<'_>,
    ) -> LedgerRow {
        let mut row = self.call_row(LedgerKind::Tool, call, &event.agent_id);
        if let Action::Command { command, .. } = &call.action {
            row.kind = LedgerKind::Command;
            if interrupted {
                return row;
            }
            let (exit, text) = match aictx_signals::exit_status_from_text(error) {
                Some((exit, rest)) => (Some(exit), rest),
                None => (None, error),
            };
            if row.test || aictx_signals::calls_a_script(command) {
                let facts = self.followed(command, &call.tool);
                row.ran = facts.tests_behind(&row.command, &row.cwd);
                row.test |= !row.ran.is_empty();
            }
            self.read_output(&mut row, command, exit, text, "").await;
            // Called a failure by the agent: that is known even when the status is not. One whose status says
            // that nothing was tested is none.
            if exit.is_none() || row.outcome != Outcome::Unknown {
                row.outcome = Outcome::Failed;
            }
        } else {
            row.outcome = Outcome::Failed;
            row.text = truncate_chars(error, 300);
        }
        row
    }

    /// Fills outcome and errors of a command's row from what it printed.
    async fn read_output(
        &self,
        row: &mut LedgerRow,
        command: &str,
        exit: Option<i32>,
        stdout: &str,
        stderr: &str,
    ) {
        row.exit_status = exit;
        let root = self.live.worktree.to_string_lossy().into_owned();
        let cwd = self.cwd.to_string_lossy().into_owned();
        // What a script is called says less than what it runs.
        let ran = match aictx_signals::is_test_command(command) {
            true => String::new(),
            false => row.ran.clone(),
        };
        let read = move |command: &str, stdout: &str, stderr: &str, root: &str, cwd: &str| {
            let hidden = !ran.is_empty() && aictx_signals::hides_status(command);
            let run = Run {
                command: if ran.is_empty() { command } else { &ran },
                exit_status: exit.filter(|status| !hidden || *status != 0),
                stdout: stdout.as_bytes(),
                stderr: stderr.as_bytes(),
                root,
                cwd,
            };
            let (outcome, mut errors) = aictx_signals::judged(&run);
            for error in errors.iter_mut().filter(|_| !ran.is_empty()) {
                error.command = truncate_chars(command, MAX_COMMAND);
            }
            (outcome, errors)
        };
        let (outcome, errors) = if stdout.len() + stderr.len() <= INLINE_OUTPUT {
            read(command, stdout, stderr, &root, &cwd)
        } else {
            let (command, stdout, stderr) =
                (command.to_owned(), stdout.to_owned(), stderr.to_owned());
            tokio::task::spawn_blocking(move || read(&command, &stdout, &stderr, &root, &cwd))
                .await
                .unwrap_or_default()
        };
        row.outcome = outcome;
        row.errors = errors;
        row.branch = root::branch(&self.live.worktree);
    }
}
