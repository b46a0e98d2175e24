//! Ledger rows: what is kept of an event, of a tool call and of what it printed.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aictx_artifacts::root;
use aictx_guard::Facts;
use aictx_proto::ledger::{BACKGROUND, LedgerKind, LedgerRow, MAX_COMMAND, Outcome};
use aictx_proto::path::{Located, RepoPath};
use aictx_runners::{Action, HookEvent, Output, Status, ToolCall};
use aictx_signals::Run;

use super::{PATIENCE, Session};
use crate::git;
use crate::guard_env::{self, Swept, WorktreeFacts, is_record};
use crate::intake;

/// A file that a command wrote was changed at most so long before we hear of it, where the agent does not say
/// how long the command ran.
const JUST_NOW: Duration = Duration::from_secs(10);
/// Upper bound of the lag of file systems' clocks.
const COARSE: Duration = Duration::from_millis(20);

/// Paths of one command that are kept.
const MAX_PATHS: usize = 64;

/// Paths that a command writes by its words, with the map's view of them as ignored; and all of a kind.
struct Said {
    named: Vec<(RepoPath, bool)>,
    swept: Swept,
}

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
            tool: intake::cut(&call.tool, 80),
            call_id: intake::cut(&call.call_id, 120),
            ..self.row(kind, agent_id)
        };
        match &call.action {
            Action::Read(path) | Action::Edit(path) => row.paths = self.paths(path),
            Action::Patch(paths) => {
                row.paths = paths.iter().flat_map(|path| self.paths(path)).collect();
            }
            Action::Command { command, .. } => {
                let root = self.live.worktree.to_string_lossy();
                let command = aictx_shell::at_root(command, &root);
                row.command = intake::cut(command, MAX_COMMAND);
                row.test = aictx_shell::is_test_command(command);
                row.cwd = self.cwd_in_repository();
            }
            Action::Discard | Action::Other => {}
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

    /// Collects the writes of a command and of the scripts it calls, by their words.
    fn followed(&self, command: &str, tool: &str) -> WorktreeFacts {
        let worktree = &self.live.worktree;
        let facts = WorktreeFacts::of(&self.app, worktree, Arc::default(), Arc::default());
        let facts = facts.watching(true);
        let (root, cwd) = (worktree.to_string_lossy(), self.cwd.to_string_lossy());
        facts.judge(command, tool, &root, &cwd);
        facts
    }

    /// Files that a command has just written or deleted: those that its words say, one by one or as all of a kind,
    /// and that have changed just now. What git ignores was built, not edited.
    async fn written(&self, said: Said, duration_ms: Option<u64>) -> Vec<String> {
        let worktree = &self.live.worktree;
        let ran = duration_ms.map_or(JUST_NOW, Duration::from_millis) + COARSE;
        let since = SystemTime::now().checked_sub(ran);
        let is_new = |path: &str| {
            let there = std::fs::symlink_metadata(worktree.join(path)).ok()?;
            let changed = there.modified().ok()?;
            Some((there.is_dir(), since.is_none_or(|since| changed >= since)))
        };
        let is_new_file =
            |path: &RepoPath| is_new(path.as_str()).map(|(directory, new)| new && !directory);
        let is_here = |path: &RepoPath| worktree.join(path.as_str()).symlink_metadata().is_ok();
        // What was deleted has left its time with the directory that it was in.
        let is_gone = |path: &RepoPath| {
            let parent = path
                .as_str()
                .rsplit_once('/')
                .map_or("", |(parent, _)| parent);
            !is_here(path) && is_new(parent).is_none_or(|(_, new)| new)
        };
        let (known, unsure): (Vec<_>, Vec<_>) = said
            .named
            .into_iter()
            .filter(|(path, _)| is_new_file(path).unwrap_or_else(|| is_gone(path)))
            .partition(|(path, ignored)| !ignored && is_here(path));
        let mut written: Vec<RepoPath> = known.into_iter().map(|(path, _)| path).collect();
        if !unsure.is_empty() || !said.swept.is_empty() {
            // The map may not have seen yet what was made just now; git knows what is none of its business.
            let git = git::state(&self.app, worktree);
            let git = tokio::time::timeout(PATIENCE.map, git).await.ok();
            if let Some(git) = git.filter(|git| git.available && !git.truncated) {
                let unsure = unsure.into_iter().map(|(path, _)| path);
                written.extend(unsure.filter(|path| guard_env::differs(&git, path)));
                let swept = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
                let swept = swept.filter_map(|path| RepoPath::parse(path).ok());
                let swept = swept.filter(|path| {
                    said.swept.holds(path) && is_new_file(path).unwrap_or_else(|| is_gone(path))
                });
                written.extend(swept);
            }
        }
        let mut ours: Vec<String> = Vec::new();
        // Nor is what was only kept of an output.
        for path in written.iter().filter(|path| !is_record(path)) {
            let risk = aictx_guard::path_risk(&Located::Inside(path.clone()));
            let code = risk.map(|risk| risk.code).unwrap_or_default();
            let internal = matches!(code.as_str(), "generated_state_path" | "vcs_internals_path");
            if !internal && ours.len() < MAX_PATHS && !ours.iter().any(|p| p == path.as_str()) {
                ours.push(path.as_str().to_owned());
            }
        }
        ours
    }

    pub(super) fn cwd_in_repository(&self) -> String {
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
            Action::Discard | Action::Other => LedgerKind::Tool,
        };
        let mut row = self.call_row(kind, call, &event.agent_id);
        if let Action::Command {
            command,
            background,
            ..
        } = &call.action
        {
            // Its end was not seen.
            if *background || output.background || output.interrupted {
                if !output.interrupted {
                    BACKGROUND.clone_into(&mut row.source);
                }
                return row;
            }
            self.look_behind(&mut row, command, &call.tool, duration_ms)
                .await;
            // The agent reports a failing pipeline as a success when its last command succeeds,
            // so the status of a success is known only without a pipe; then the text decides.
            let exit = match output.status {
                Status::Success => (!aictx_shell::hides_status(command)).then_some(0),
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
        duration_ms: Option<u64>,
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
            self.look_behind(&mut row, command, &call.tool, duration_ms)
                .await;
            self.read_output(&mut row, command, exit, text, "").await;
            // Called a failure by the agent: that is known even when the status is not. One whose status says
            // that nothing was tested is none.
            if exit.is_none() || row.outcome != Outcome::Unknown {
                row.outcome = Outcome::Failed;
            }
        } else {
            row.outcome = Outcome::Failed;
            row.text = intake::cut(error, 300);
        }
        row
    }

    /// Fills a command's row with what it wrote and which tests it ran.
    async fn look_behind(
        &self,
        row: &mut LedgerRow,
        command: &str,
        tool: &str,
        duration_ms: Option<u64>,
    ) {
        if aictx_shell::only_looks(command) {
            return;
        }
        // What is known of the worktree does not leave this thread.
        let said = {
            let facts = self.followed(command, tool);
            row.ran = facts.tests_behind(&row.command, &row.cwd);
            row.test |= !row.ran.is_empty();
            let named = facts.written().into_iter();
            Said {
                named: named
                    .map(|path| {
                        let ignored = facts.is_ignored(&path);
                        (path, ignored)
                    })
                    .collect(),
                swept: facts.swept(),
            }
        };
        row.paths = self.written(said, duration_ms).await;
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
        let ran = match aictx_shell::is_test_command(command) {
            true => String::new(),
            false => row.ran.clone(),
        };
        let read = move |command: &str, stdout: &str, stderr: &str, root: &str, cwd: &str| {
            let hidden = !ran.is_empty() && aictx_shell::hides_status(command);
            let run = Run {
                command: if ran.is_empty() { command } else { &ran },
                exit_status: exit.filter(|status| !hidden || *status != 0),
                stdout: stdout.as_bytes(),
                stderr: stderr.as_bytes(),
                root,
                cwd,
            };
            let (outcome, mut errors) = intake::judged(&run);
            for error in errors.iter_mut().filter(|_| !ran.is_empty()) {
                error.command = intake::cut(command, MAX_COMMAND);
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
