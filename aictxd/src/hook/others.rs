//! Notes about other sessions, the user's limits and unchecked work.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use aictx_artifacts::root;
use aictx_continuity::{Ground as _, provisional, unchecked_edits};
use aictx_files::mounts;
use aictx_guard::{
    CommandRisk, HookVerdict, Rules, Say, Spent, Step, TurnEnd, lifted_note, limits_note,
    parallel_note, turn_end,
};
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_TEXT};
use aictx_proto::methods::{SteerParams, SteerReply};
use aictx_proto::path::Located;
use aictx_proto::text::truncate_chars;
use aictx_proto::{RepoPath, Timestamp};
use aictx_runners::{Action, Answer, Decision, ToolCall};
use aictx_steer::{Names, SteerState};

use super::{PATIENCE, Session};
use crate::audit::{self, Verdict};
use crate::check_for_file::Checks;
use crate::hosts::Place;
use crate::path_lookup::WorktreeNames;
use crate::{git, guard_env};

/// Notes on one call.
const MAX_NOTES: usize = 3;

/// Returns true if a file was written in a later second than this one.
fn is_written_after(file: &Path, at: Timestamp) -> bool {
    let modified = std::fs::symlink_metadata(file).and_then(|m| m.modified());
    let since = modified
        .ok()
        .and_then(|m| m.duration_since(UNIX_EPOCH).ok());
    since.is_some_and(|since| {
        i64::try_from(since.as_secs()).is_ok_and(|s| Timestamp::from_unix(s) > at)
    })
}

/// Returns true if a message of a session under way can be about other files than those before it: who corrects,
/// agrees or asks for a test run speaks of what is at hand.
pub(super) fn names_work(meant: &SteerReply) -> bool {
    !matches!(
        meant.classification.as_str(),
        "agent_correction"
            | "approval"
            | "cancellation"
            | "continuation"
            | "side_comment"
            | "validation_change"
    )
}

impl Session {
    /// Classifies a request of the user; `None` for an empty one, and for text of the agent's own program.
    pub(super) fn meant(&self, message: &str, names: &WorktreeNames) -> Option<SteerReply> {
        let start = message.trim_start();
        let of_program = [
            "<task-notification",
            "<local-command",
            "<system-",
            "/compact",
            "/clear",
        ];
        if of_program.iter().any(|begin| start.starts_with(begin)) {
            return None;
        }
        let params = SteerParams {
            // Its start and its end are read, however much was pasted between them.
            message: message.to_owned(),
            repo: self.live.worktree.to_string_lossy().into_owned(),
            ..SteerParams::default()
        };
        let exists = |word: &str| names.at_root().iter().any(|name| name == word);
        aictx_steer::steer_in(&params, &exists).ok()
    }

    /// Keeps for the session what a request of the user puts off limits. The agent is reminded when that
    /// changes.
    pub(super) fn limit(
        &self,
        meant: &SteerReply,
        names: &WorktreeNames,
        agent_id: &str,
    ) -> Option<Answer> {
        let before = self.app.presence.limits(self.host(), &self.id);
        let mut limits = (*before).clone();
        if !limits.apply(meant, self.now, Some(names)) {
            return None;
        }
        self.record(&[LedgerRow {
            limits: serde_json::to_value(&limits).ok(),
            ..self.row(LedgerKind::Steered, agent_id)
        }]);
        let notes = [lifted_note(&before, &limits), limits_note(&limits)];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        self.app.presence.set_limits(&self.id, limits);
        Some(Answer {
            context: notes.join("\n"),
            decision: Decision::Pass,
        })
    }

    /// Asks when the session's ledger cannot be read and its limits are unknown,
    /// once.
    pub(super) fn unknown_limits(&self, action: &Action<'_>, limits: &SteerState) -> HookVerdict {
        let writes = match action {
            Action::Edit(_) | Action::Patch(_) => true,
            Action::Command { command, .. } => limits.lost && !aictx_shell::only_checks(command),
            Action::Read(_) | Action::Discard | Action::Other => false,
        };
        if !limits.lost || !writes {
            return HookVerdict::Pass;
        }
        let known = SteerState {
            lost: false,
            ..limits.clone()
        };
        self.app.presence.set_limits(&self.id, known);
        HookVerdict::Ask(
            "aictx: the record of this session cannot be read any more, so what was put off limits in it is \
             not known (`aictx doctor` says more). Say it again, or go on."
                .to_owned(),
        )
    }

    /// Notes what a tool call that happened did.
    pub(super) fn note(&self, row: &LedgerRow, action: &Action<'_>, took_ms: Option<u64>) {
        let touched = |raw: &str, edited: bool| {
            let Located::Inside(path) = root::locate(&self.live.worktree, &self.cwd, raw) else {
                return;
            };
            let full: PathBuf = self.live.worktree.join(path.as_str());
            let presence = &self.app.presence;
            presence.touched(&self.id, &self.live.runner, full, edited, row.at);
        };
        let rules = self.app.policy(&self.host().root);
        self.spend(action, &rules);
        match action {
            Action::Read(path) => touched(path, false),
            Action::Edit(path) => touched(path, true),
            Action::Patch(paths) => paths.iter().for_each(|path| touched(path, true)),
            Action::Command { command, .. } => {
                if !aictx_shell::only_looks(command) {
                    let (presence, worktree) = (&self.app.presence, &self.live.worktree);
                    presence.ran(&self.id, worktree, row.at, took_ms);
                }
                row.paths.iter().for_each(|path| {
                    touched(&self.live.worktree.join(path).to_string_lossy(), true);
                });
                self.spend_files(&row.paths, &rules);
                let is_file = |file: &String| {
                    let full = self.cwd.join(file);
                    mounts::check(&full).is_ok() && full.is_file()
                };
                let viewed = aictx_shell::viewed(command).into_iter();
                viewed
                    .filter(|file| !row.paths.contains(file) && is_file(file))
                    .for_each(|file| touched(&file, false));
            }
            Action::Discard | Action::Other => {}
        }
    }

    /// Judges a step by the policy's budgets.
    pub(super) fn budgeted(&self, action: &Action<'_>, rules: &Rules) -> HookVerdict {
        let budgets = &rules.policy.budgets;
        if budgets.is_empty() {
            return HookVerdict::Pass;
        }
        let spent = self.app.presence.spent(&self.id, || {
            let rows = self.host().store.read_ledger(&self.id).rows;
            Spent::of(&rows, |command| self.deletes(command))
        });
        self.step(action, rules, |step| budgets.verdict(&spent, step))
            .unwrap_or(HookVerdict::Pass)
    }

    /// Counts a step that was taken, if anybody counts.
    pub(super) fn spend(&self, action: &Action<'_>, rules: &Rules) {
        if !rules.policy.budgets.is_empty() {
            self.step(action, rules, |step| {
                self.app.presence.spend(&self.id, step);
            });
        }
    }

    /// Counts files that a command wrote, if anybody counts.
    fn spend_files(&self, paths: &[String], rules: &Rules) {
        if !paths.is_empty() && !rules.policy.budgets.is_empty() {
            self.app.presence.spend(&self.id, Step::Edit(paths));
        }
    }

    /// A tool call as a step that budgets count.
    fn step<T>(
        &self,
        action: &Action<'_>,
        rules: &Rules,
        take: impl FnOnce(Step) -> T,
    ) -> Option<T> {
        let inside = |raw: &str| match root::locate(&self.live.worktree, &self.cwd, raw) {
            Located::Inside(path) => Some(path.as_str().to_owned()),
            Located::Outside(_) => None,
        };
        let paths: Vec<String> = match action {
            Action::Edit(path) => inside(path).into_iter().collect(),
            Action::Patch(paths) => paths.iter().filter_map(|path| inside(path)).collect(),
            Action::Command { command, .. } => {
                let deletes = rules.policy.budgets.deletions.is_some() && self.deletes(command);
                return Some(take(Step::Command { deletes }));
            }
            Action::Read(_) | Action::Discard | Action::Other => return None,
        };
        Some(take(Step::Edit(&paths)))
    }

    fn deletes(&self, command: &str) -> bool {
        let worktree = self.live.worktree.to_string_lossy();
        guard_env::deletes(command, &worktree, &self.cwd.to_string_lossy())
    }

    /// Returns the reason to look before a file is edited, by its location: a note, or the policy's verdict.
    pub(super) fn parallel(&self, located: &Located, rules: &Rules) -> (String, HookVerdict) {
        let none = || (String::new(), HookVerdict::Pass);
        let Located::Inside(path) = located else {
            return none();
        };
        let full = self.live.worktree.join(path.as_str());
        let live = |id: &str| self.app.sessions.get(id).is_some();
        let Some(found) = self.app.presence.before_edit(&self.id, &full, live) else {
            return none();
        };
        let note = parallel_note(path.as_str(), &found, self.now);
        match rules.policy.parallel_edits {
            Some(Say::Allow) => none(),
            Some(Say::Ask) if found.is_at_work() => (String::new(), HookVerdict::Ask(note)),
            Some(Say::Deny) if found.is_at_work() => (String::new(), HookVerdict::Deny(note)),
            Some(_) => (note, HookVerdict::Pass),
            None if found.old_news => none(),
            None => (note, HookVerdict::Pass),
        }
    }

    /// The same of several files: the worst verdict, and the first notes.
    pub(super) fn parallels<L: Borrow<Located>>(
        &self,
        located: impl Iterator<Item = L>,
        rules: &Rules,
    ) -> (String, HookVerdict) {
        let mut worst = HookVerdict::Pass;
        let mut notes = Vec::new();
        for located in located {
            let (note, verdict) = self.parallel(located.borrow(), rules);
            if !note.is_empty() && notes.len() < MAX_NOTES {
                notes.push(note);
            }
            worst = super::pre_tool_use::worse(worst, verdict);
        }
        (notes.join("\n"), worst)
    }

    /// Files that other live sessions edited in this worktree, if a command may take them along; also what they
    /// claimed, if it may put it aside.
    pub(super) fn of_others(&self, command: &str) -> Vec<RepoPath> {
        let presence = &self.app.presence;
        if !guard_env::may_take_along(command) || !presence.others_at_work(&self.id) {
            return Vec::new();
        }
        let live = |id: &str| self.app.sessions.get(id).is_some();
        let claimed = guard_env::may_put_aside(command);
        presence.edited_by_others(&self.id, &self.live.worktree, claimed, live)
    }

    /// Judges a command that takes up changes which are not its session's: a note, or what the policy
    /// wants of edits `beside` each other.
    pub(super) fn taken_along(
        &self,
        command: &str,
        risk: &CommandRisk,
        rules: &Rules,
        beside: bool,
    ) -> (String, HookVerdict) {
        let Some((note, asks)) = rules.on_taking_along(command, risk) else {
            return (String::new(), HookVerdict::Pass);
        };
        match rules.policy.parallel_edits.filter(|_| beside) {
            Some(Say::Ask) => (String::new(), HookVerdict::Ask(note)),
            Some(Say::Deny) => (String::new(), HookVerdict::Deny(note)),
            Some(Say::Allow) => (String::new(), HookVerdict::Pass),
            None if asks => (String::new(), HookVerdict::Ask(note)),
            None => (note, HookVerdict::Pass),
        }
    }

    /// Writes a verdict above allow into the audit log, after the answer. `note` is what the agent is
    /// told where nothing stops it.
    pub(super) fn audit(
        &self,
        call: &ToolCall<'_>,
        verdict: &HookVerdict,
        note: &str,
        risk: Option<CommandRisk>,
    ) {
        let (decision, reason) = match verdict {
            HookVerdict::Pass if note.is_empty() => return,
            HookVerdict::Pass => ("note", note.to_owned()),
            HookVerdict::Ask(reason) => ("ask", reason.clone()),
            HookVerdict::Deny(reason) => ("deny", reason.clone()),
        };
        let (session, call) = (self.clone(), call.detach());
        audit::record(&self.app, self.host(), move || Verdict {
            at: session.now,
            decision: decision.to_owned(),
            runner: session.live.runner.clone(),
            tool: call.tool.into_owned(),
            subject: match &call.action {
                Action::Command { command, .. } => command.to_string(),
                Action::Edit(path) | Action::Read(path) => path.to_string(),
                Action::Patch(paths) => paths.join(", "),
                Action::Discard | Action::Other => String::new(),
            },
            cwd: session.cwd.to_string_lossy().into_owned(),
            session_id: session.id,
            reason,
            findings: risk.as_ref().map(audit::found).unwrap_or_default(),
        });
    }

    /// At the end of a turn: asks the agent back, once, when files were edited and the repository's
    /// check was not seen to pass since.
    pub(super) async fn ask_back(&self, asked_before: bool) -> Option<Answer> {
        let session = self.clone();
        let git = git::state(&self.app, &self.live.worktree);
        let git = tokio::time::timeout(PATIENCE.map, git).await.ok();
        let looked = tokio::task::spawn_blocking(move || {
            let host = session.host();
            let rows = host.store.read_ledger(&session.id).rows;
            let place = Place {
                root: host.root.clone(),
                worktree: session.live.worktree.clone(),
            };
            let snapshot = host.store.latest();
            let checks = Checks::of(&session.app, &place, &snapshot);
            let mut open = unchecked_edits(&rows, &checks);
            // Edited and taken back: nothing is left to be checked.
            if let Some(git) = git.filter(|git| git.available && !git.truncated) {
                let worktree = &session.live.worktree;
                open.files.retain(|file| {
                    let path = RepoPath::parse(file);
                    let is_clean = path.is_ok_and(|path| !guard_env::differs(&git, &path));
                    let full = worktree.join(file);
                    // By a command, by somebody who wrote the file since, or it was made and is gone.
                    let given_up = open.given_up.contains(file);
                    let undone = || is_written_after(&full, open.since) || !full.exists();
                    !(is_clean && (given_up || !open.committed && undone()))
                });
            }
            if open.files.is_empty() || asked_before || open.asked_back {
                return None;
            }
            // Of files with several checks, the one of the last that has one.
            let code = open.files.iter().rev();
            let check = code
                .filter(|file| !aictx_shell::language_of(file).is_empty())
                .chain(open.files.iter().rev())
                .find_map(|file| checks.check(file))
                .map(|check| check.command);
            let paths = open.files.iter().map(String::as_str);
            let task = provisional("", &open.request, paths);
            turn_end(&TurnEnd {
                edited: &open.files,
                check: check.as_deref().unwrap_or_default(),
                partly: &open.partly,
                task_type: &task.name,
                asked_before: false,
                enabled: session.app.policy(&host.root).stop_gate()
                    && !session.app.presence.limits(host, &session.id).skips_checks,
            })
        });
        let reason = tokio::time::timeout(PATIENCE.map, looked)
            .await
            .ok()?
            .ok()??;
        let question = truncate_chars(&reason, MAX_TEXT);
        self.app.presence.asked_back(&self.id, &question);
        self.record(&[LedgerRow {
            text: question,
            ..self.row(LedgerKind::AskedBack, "")
        }]);
        let (session, told) = (self.clone(), reason.clone());
        audit::record(&self.app, self.host(), move || Verdict {
            at: session.now,
            decision: "ask".to_owned(),
            runner: session.live.runner.clone(),
            tool: "end of turn".to_owned(),
            subject: String::new(),
            cwd: session.cwd.to_string_lossy().into_owned(),
            session_id: session.id,
            reason: told,
            findings: Vec::new(),
        });
        Some(Answer {
            context: String::new(),
            decision: Decision::Ask(reason),
        })
    }
}

/// Two answers as one: both texts, and the decision of the first.
pub(super) fn together(first: Option<Answer>, second: Option<Answer>) -> Option<Answer> {
    match (first, second) {
        (Some(a), Some(b)) => Some(Answer {
            context: match a.context.is_empty() {
                true => b.context,
                false => format!("{}\n{}", a.context, b.context),
            },
            decision: a.decision,
        }),
        (a, b) => a.or(b),
    }
}
