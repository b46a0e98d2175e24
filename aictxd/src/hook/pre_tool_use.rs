//! The verdict on a tool call before it happens.

use std::sync::Arc;

use aictx_artifacts::root;
use aictx_guard::{CommandRisk, Facts, HookVerdict};
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::path::Located;
use aictx_proto::snapshot::GitState;
use aictx_runners::{Action, Answer, Decision, HookEvent, Moment, ToolCall};

use super::{AFTER_ANSWER, Session};
use crate::guard_env::{self, WorktreeFacts};

/// Why a command line that only reads needs no question.
const READS: &str = "it only reads; your policy allows that (read_only)";

impl Session {
    /// Locates a path.
    fn located(&self, raw: &str) -> Located {
        root::locate(&self.live.worktree, &self.cwd, raw)
    }

    /// Locates a path in any worktree: in another worktree of the same repository it is inside as well.
    fn in_any_worktree(&self, raw: &str, here: Located) -> Located {
        match here {
            Located::Inside(_) => here,
            Located::Outside(_) => self.in_another_worktree(raw).unwrap_or(here),
        }
    }

    /// Locates a path in another worktree of the same repository, which may lie in this one.
    fn in_another_worktree(&self, raw: &str) -> Option<Located> {
        let path = self.cwd.join(raw);
        // Directories on the way may still have to be made.
        let mut directories = path.ancestors().skip(1);
        let other = directories
            .find(|directory| directory.is_dir())
            .and_then(|directory| self.app.hosts.place(directory).ok())?;
        let is_another = other.root == self.host().root && other.worktree != self.live.worktree;
        is_another.then(|| root::locate(&other.worktree, &self.cwd, raw))
    }

    /// The verdict on a tool call, recorded after the answer.
    pub(super) fn judge(
        &self,
        call: &ToolCall,
        event: &HookEvent,
        git: Option<GitState>,
    ) -> Answer {
        let (verdict, context, risk) = self.verdict(call, git);
        let risk_free = risk
            .as_ref()
            .is_some_and(|risk| risk.parsed && risk.findings.is_empty() && !risk.deletes);
        self.audit(call, &verdict, &context, risk);
        let (mut answer, verdict_name) = answer(verdict, context);
        if answer.decision == Decision::Pass && self.only_reads(call, risk_free) {
            answer.decision = Decision::Allow(READS.to_owned());
        }
        let (session, call) = (self.clone(), call.detach());
        let agent_id = event.agent_id.clone().into_owned();
        let verdict = verdict_name.to_owned();
        let first = self.host().observe_later(move || {
            let row = session.call_row(LedgerKind::ToolIntent, &call, &agent_id);
            let event = session.event;
            (
                session.id,
                LedgerRow {
                    verdict,
                    event,
                    ..row
                },
            )
        });
        if first {
            let host = Arc::clone(self.host());
            self.app.after_reply(async move {
                tokio::time::sleep(AFTER_ANSWER).await;
                host.flush();
            });
        }
        answer
    }

    /// The verdict on a call that was told of before: nothing is recorded, and what else there is to tell was told.
    pub(super) async fn verdict_again(&self, event: &HookEvent<'_>) -> Option<Answer> {
        let Moment::ToolIntent(call) = &event.moment else {
            return None;
        };
        let git = match &call.action {
            Action::Command { command, .. } => {
                let others = self.app.presence.others_at_work(&self.id);
                guard_env::state_for(&self.app, &self.live.worktree, command, others).await
            }
            _ => None,
        };
        let (verdict, _, _) = self.verdict(call, git);
        Some(answer(verdict, String::new()).0)
    }

    /// Returns true if the user lets command lines that only read run without a question, and this is one, of a shell
    /// in this worktree.
    fn only_reads(&self, call: &ToolCall, risk_free: bool) -> bool {
        let Action::Command { command, dir, .. } = &call.action else {
            return false;
        };
        risk_free
            && dir.is_empty()
            && !call.tool.to_lowercase().contains("powershell")
            && aictx_guard::only_reads(command)
            && self.app.policy(&self.host().root).allows_reading()
            // A repository within has a configuration of its own.
            && self.app.hosts.place(&self.cwd).is_ok_and(|place| place.worktree == self.live.worktree)
    }

    /// The verdict on a tool call, a note for the agent and what a command would do. Pure apart from looking at
    /// what lies at paths.
    pub(super) fn verdict(
        &self,
        call: &ToolCall,
        git: Option<GitState>,
    ) -> (HookVerdict, String, Option<CommandRisk>) {
        let worktree = self.live.worktree.to_string_lossy();
        let cwd = self.cwd.to_string_lossy();
        let limits = self.app.presence.limits(self.host(), &self.id);
        let (rules, problems) = self.app.policy_and_problems(&self.host().root);
        let said = !limits.is_empty() || rules.has_paths();
        let mut context = String::new();
        let mut risk = None;
        let on_path = |path: &str, here: Located| {
            let located = self.in_any_worktree(path, here);
            let written = aictx_proto::path::locate(&worktree, &cwd, path);
            // What is said of a file holds in every worktree, also in one that lies in this one.
            let below =
                matches!(&located, Located::Inside(inside) if inside.as_str().contains('/'));
            let nested = match said && below {
                true => self.in_another_worktree(path),
                false => None,
            };
            let (located, written) = match nested {
                Some(nested) => (nested.clone(), nested),
                None => (located, written),
            };
            let led_out = matches!(
                (&written, &located),
                (Located::Inside(_), Located::Outside(_))
            );
            // What a link of the repository leads to is nobody's own.
            let absolute = match led_out {
                true => String::new(),
                false => self.cwd.join(path).to_string_lossy().into_owned(),
            };
            let own = aictx_guard::hook_edit(&located, &absolute);
            let ruled = match &located {
                Located::Inside(inside) => rules.apply(own, rules.on_path(inside)),
                Located::Outside(_) if own == HookVerdict::Pass => own,
                Located::Outside(_) => rules.apply(own, rules.on_outside()),
            };
            let limited = aictx_guard::hook_limits(&limits, &located, path);
            // The user may have named the link.
            let named = aictx_guard::hook_limits(&limits, &written, path);
            worse(ruled, worse(limited, named))
        };
        let verdict = match &call.action {
            Action::Edit(path) => {
                let here = self.located(path);
                let (note, verdict) = self.parallel(&here, &rules);
                context = note;
                worse(on_path(path, here), verdict)
            }
            // The worst of its files decides.
            Action::Patch(paths) => {
                let here: Vec<Located> = paths.iter().map(|path| self.located(path)).collect();
                let (note, verdict) = self.parallels(here.iter(), &rules);
                context = note;
                let on_paths = paths.iter().zip(here);
                let on_paths = on_paths.map(|(path, here)| on_path(path, here));
                on_paths.fold(verdict, |worst, next| worse(next, worst))
            }
            Action::Command { command, .. } => {
                let others = self.of_others(command);
                let beside = !others.is_empty();
                let facts = WorktreeFacts::of(
                    &self.app,
                    &self.live.worktree,
                    Arc::clone(&limits),
                    Arc::clone(&rules),
                )
                .one_of(&self.app, &self.host().root)
                .knowing(git)
                .watching(self.app.presence.others_at_work(&self.id))
                .beside(others);
                let judged =
                    facts.judge(command, &call.tool, &worktree, &self.cwd.to_string_lossy());
                let written = facts.written();
                let written = written
                    .iter()
                    .map(|path| self.live.worktree.join(path.as_str()));
                let written = written.map(|path| self.located(&path.to_string_lossy()));
                let (note, verdict) = self.parallels(written, &rules);
                let (along, taken) = self.taken_along(command, &judged.1, &rules, beside);
                risk = Some(judged.1);
                context = [note, along]
                    .into_iter()
                    .filter(|n| !n.is_empty())
                    .collect::<Vec<_>>()
                    .join("\n");
                let again = match self.failed_alike(command) {
                    Some(question) => HookVerdict::Ask(question),
                    None => HookVerdict::Pass,
                };
                worse(judged.0, worse(verdict, worse(taken, again)))
            }
            Action::Discard => aictx_guard::hook_discard(),
            Action::Read(_) | Action::Other => HookVerdict::Pass,
        };
        if matches!(call.action, Action::Edit(_) | Action::Patch(_)) {
            let news = self.app.policies.news(&self.id, &problems);
            let both = [context, news].into_iter().filter(|n| !n.is_empty());
            context = both.collect::<Vec<_>>().join("\n");
        }
        let verdict = worse(verdict, self.budgeted(&call.action, &rules));
        let verdict = worse(verdict, self.unknown_limits(&call.action, &limits));
        (verdict, context, risk)
    }
}

/// A verdict as it is answered, and its name.
pub(super) fn answer(verdict: HookVerdict, context: String) -> (Answer, &'static str) {
    let (decision, name) = match verdict {
        HookVerdict::Pass => (Decision::Pass, ""),
        HookVerdict::Ask(reason) => (Decision::Ask(reason), "ask"),
        HookVerdict::Deny(reason) => (Decision::Deny(reason), "deny"),
    };
    (Answer { context, decision }, name)
}

/// The worse of two verdicts; of equal ones the first.
pub(super) fn worse(a: HookVerdict, b: HookVerdict) -> HookVerdict {
    match (&a, &b) {
        (HookVerdict::Deny(_), _) | (HookVerdict::Ask(_), HookVerdict::Ask(_)) => a,
        (_, HookVerdict::Pass) => a,
        _ => b,
    }
}
