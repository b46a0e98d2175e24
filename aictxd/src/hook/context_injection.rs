//! Context injected into a session: the capsule at its start, known failures, files that a request is
//! about.

use std::sync::Arc;
use std::time::Instant;

use aictx_artifacts::root;
use aictx_continuity::Suggestion;
use aictx_proto::effect::{Effect, Effects};
use aictx_proto::identity::{Caller, Identity};
use aictx_proto::ledger::{LedgerKind, LedgerRow, Outcome, Receipt};
use aictx_proto::methods::{AtWork, MapHit, Preview, PreviewParams};
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_proto::shown::Code;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::told;
use aictx_proto::{RepoPath, Timestamp};
use aictx_runners::{Answer, Decision, Dialect, HookEvent, Moment};

use aictx_work::run::operation::Actor;

use super::others::together;
use super::{PATIENCE, Recording, Session};
use crate::app::App;
use crate::hosts::Place;
use crate::index_service::{At, MIN_FILES};
use crate::methods::place;
use crate::process::AgentProcess;
use crate::sessions::Live;
use crate::worktree_facts;

/// Longest command that is told, in characters.
const MAX_COMMAND: usize = 200;

impl Session {
    /// The capsule. A new visible session is counted and its number is in the text, so the answer
    /// waits for the commit, within limits: memory that cannot be written is still told.
    pub(super) async fn start(&self, source: &str, event: &HookEvent<'_>) -> Option<Answer> {
        if goes_on(source) {
            // What the session itself did, if it has gone to the archive.
            let session = self.clone();
            let back = tokio::task::spawn_blocking(move || {
                if let Err(error) = session.host().store.bring_back(&session.id) {
                    tracing::warn!(session = session.id, %error, "a ledger stays in the archive");
                }
            });
            let _ = tokio::time::timeout(PATIENCE.map, back).await;
        }
        self.record_event(self.start_row(source, event));
        if !goes_on(source) {
            self.take_over().await;
        }
        self.warm_recall();
        let mut map = Vec::new();
        if self.tells_entry_points(source) {
            let session = self.clone();
            let looked = tokio::task::spawn_blocking(move || session.entry_points());
            // No answer in time: the index is being opened.
            if let Ok(Ok(found)) = tokio::time::timeout(PATIENCE.map, looked).await {
                map = found;
            }
        }
        let session = self.clone();
        let source = source.to_owned();
        // Files of the repository are read on the pool: nobody knows how slow its disk is.
        let seen = tokio::task::spawn_blocking(move || session.opening(source, map))
            .await
            .ok()?;
        let seen = Arc::new(seen);
        let for_commit = Arc::clone(&seen);
        let commit = self
            .host()
            .write(move |snapshot| for_commit.decide(snapshot));
        let context = match tokio::time::timeout(PATIENCE.start, commit).await {
            Ok(Ok((context, _))) => context,
            Ok(Err(error)) => {
                tracing::warn!(repo = %self.host().root.display(), %error, "a session start was not recorded");
                seen.decide(&self.host().store.latest()).0
            }
            // The commit goes on.
            Err(_) => seen.decide(&self.host().store.latest()).0,
        };
        let problems = self.app.policy_problems(&self.host().root);
        // It begins anew, and may have forgotten that it was told.
        let _ = self.app.policies.news(&self.id, &problems);
        let notice = problems.notice();
        let context = match notice.as_str() {
            "" => context,
            notice => format!("{context}\n\n{notice}"),
        };
        Some(Answer {
            context,
            decision: Decision::Pass,
        })
    }

    /// Holds the capsule back where the agent drops the context of a start, and tells it with the
    /// session's next event that takes context.
    pub(super) fn deliver(
        &self,
        dialect: &dyn Dialect,
        event: &HookEvent<'_>,
        answer: Option<Answer>,
    ) -> Option<Answer> {
        if !dialect.drops_starts() {
            return answer;
        }
        let takes_context = dialect.takes_context(&event.name);
        if !takes_context && matches!(event.moment, Moment::SessionStart { .. }) {
            self.app.presence.hold_back(&self.id, answer?.context);
            return None;
        }
        let held = match takes_context {
            true => self.app.presence.held_back(&self.id),
            false => String::new(),
        };
        if held.is_empty() {
            return answer;
        }
        let answer = answer.unwrap_or_default();
        let capsule = Answer {
            context: held,
            decision: answer.decision.clone(),
        };
        together(Some(capsule), Some(answer))
    }

    /// Tells known failures with the errors that a command just ended with: once a session for each.
    pub(super) async fn known_failure(&self, row: &LedgerRow, agent_id: &str) -> Option<Answer> {
        if row.errors.is_empty() || row.outcome != Outcome::Failed {
            return None;
        }
        let snapshot = self.host().store.latest();
        let known = aictx_continuity::known_failure;
        known(&snapshot.failures, &row.errors, &[], self.now)?;
        let (session, errors) = (self.clone(), row.errors.clone());
        let told = tokio::task::spawn_blocking(move || {
            let rows = session.host().store.read_ledger(&session.id).rows;
            let mut before = rows.iter().flat_map(|row| &row.errors);
            let is_old =
                before.any(|old| errors.iter().any(|new| new.fingerprint == old.fingerprint));
            match is_old {
                true => None,
                false => known(&snapshot.failures, &errors, &rows, session.now),
            }
        });
        // The event itself is recorded after this; it must not wait for a slow disk.
        let told = tokio::time::timeout(PATIENCE.map, told).await;
        let (context, receipt) = told.ok()?.ok()??;
        let (answer, row) = self.tell(context, receipt, agent_id);
        self.record(&[row]);
        Some(answer)
    }

    /// Tells, before a command runs, of the open failure that it showed last time, where nothing that the failure
    /// is about changed since: once a session.
    pub(super) async fn failed_last_time(
        &self,
        command: &str,
        event: &HookEvent<'_>,
    ) -> Option<Answer> {
        let snapshot = self.host().store.latest();
        aictx_continuity::failed_last_time(&snapshot.failures, command)?;
        let dialect = aictx_runners::dialect(&self.live.runner).ok()?;
        if !dialect.takes_context(&event.name) {
            return None;
        }
        let (session, command) = (self.clone(), command.to_owned());
        let told = tokio::task::spawn_blocking(move || {
            let pattern = aictx_continuity::failed_last_time(&snapshot.failures, &command)?;
            let anchors = pattern.anchors.iter();
            let wanted = anchors.map(|anchor| (anchor.path.clone(), !anchor.symbols.is_empty()));
            let presents = session.app.facts.presents(
                &session.live.worktree,
                &wanted.collect(),
                Instant::now(),
            );
            let rows = session.host().store.read_ledger(&session.id).rows;
            aictx_continuity::tell_failed_last_time(pattern, &presents, &rows, session.now)
        });
        let told = tokio::time::timeout(PATIENCE.map, told).await;
        let (context, receipt) = told.ok()?.ok()??;
        let (answer, row) = self.tell(context, receipt, &event.agent_id);
        self.record(&[row]);
        Some(answer)
    }

    /// Adds a command to the active run of the worktree, behind the answer.
    pub(super) fn add_to_run(&self, row: &LedgerRow) {
        if row.kind != LedgerKind::Command || row.outcome == Outcome::Unknown {
            return;
        }
        let (session, row) = (self.clone(), row.clone());
        self.app.after_reply(async move {
            let added = tokio::task::spawn_blocking(move || {
                let actor = Actor {
                    agent: session.live.runner.clone(),
                    session: session.id.clone(),
                };
                crate::runs::observe(&session.app.hosts, &session.live.worktree, &row, &actor);
            });
            let _ = added.await;
        });
    }

    /// Tells of a command that ended alike several times in a row.
    pub(super) fn ran_again(&self, row: &LedgerRow, printed: (&str, &str)) -> Option<Answer> {
        if row.kind != LedgerKind::Command {
            return None;
        }
        let times = self.app.presence.ended_alike(&self.id, row, printed)?;
        Some(Answer {
            context: told!(
                "{} ended the same way {} times in a row, and this session edited nothing in between.",
                Code::new(&row.command, MAX_COMMAND),
                times
            )
            .to_string(),
            decision: Decision::Pass,
        })
    }

    /// The question before a check runs that failed alike several times in a row.
    pub(super) fn failed_alike(&self, command: &str) -> Option<String> {
        let command = aictx_shell::at_root(command, &self.live.worktree.to_string_lossy());
        let presence = &self.app.presence;
        let times = presence.failed_alike(&self.id, command, &self.cwd_in_repository())?;
        let question = told!(
            "{} failed the same way {} times in a row, and this session edited nothing in between. Run it again?",
            Code::new(command, MAX_COMMAND),
            times
        );
        Some(question.to_string())
    }

    /// A text of memory as an answer, and the row to record.
    fn tell(&self, context: String, receipt: Receipt, agent_id: &str) -> (Answer, LedgerRow) {
        let row = LedgerRow {
            receipt: Some(Box::new(receipt)),
            ..self.row(LedgerKind::Told, agent_id)
        };
        let answer = Answer {
            context,
            decision: Decision::Pass,
        };
        (answer, row)
    }

    /// Names the files that a request is about, where that is clear and news to the session, and the row to record.
    pub(super) async fn suggest(
        &self,
        request: &str,
        agent_id: &str,
    ) -> Option<(Answer, LedgerRow)> {
        let (session, request) = (self.clone(), request.to_owned());
        let looked = tokio::task::spawn_blocking(move || session.suggestion(&request));
        let looked = tokio::time::timeout(PATIENCE.map, looked).await;
        let told = looked.ok()?.ok()??;
        let row = LedgerRow {
            paths: told.paths,
            receipt: Some(Box::new(told.receipt)),
            ..self.row(LedgerKind::Suggested, agent_id)
        };
        let answer = Answer {
            context: told.text,
            decision: Decision::Pass,
        };
        Some((answer, row))
    }

    /// Prepares the index of memory, which the first prompt will ask.
    fn warm_recall(&self) {
        let session = self.clone();
        tokio::task::spawn_blocking(move || {
            let host = session.host();
            host.recalled.ask(&host.store, &host.store.latest(), |_| ());
        });
    }

    /// Tells what memory holds on a request, and the row to record.
    pub(super) async fn recall(
        &self,
        request: &str,
        agent_id: &str,
    ) -> Option<(Answer, LedgerRow)> {
        let (session, request) = (self.clone(), request.to_owned());
        let looked = tokio::task::spawn_blocking(move || session.recalled(&request));
        let looked = tokio::time::timeout(PATIENCE.map, looked).await;
        let (context, receipt) = looked.ok()?.ok()??;
        Some(self.tell(context, receipt, agent_id))
    }

    /// Files that a request is about, where that is clear and news to the session.
    fn suggestion(&self, request: &str) -> Option<Suggestion> {
        let live = &self.live;
        let at = At {
            root: &live.host.root,
            worktree: &live.worktree,
            head: None,
        };
        let mut hits = self.app.maps.suggestions(&at, request, &[], MIN_FILES);
        // What its user put off limits is no place to start.
        let limits = self.app.presence.limits(&live.host, &self.id);
        let permitted =
            |path: &str| RepoPath::parse(path).map_or(true, |path| limits.verdict(&path).is_none());
        hits.retain(|hit| permitted(&hit.path));
        if hits.is_empty() {
            return None;
        }
        let rows = live.host.store.read_ledger(&self.id).rows;
        let seen = aictx_continuity::seen_paths(&rows);
        aictx_continuity::suggest(request, &hits, &seen)
    }

    /// Returns what memory holds on a request.
    fn recalled(&self, request: &str) -> Option<(String, Receipt)> {
        if aictx_steer::only_goes_on(request) {
            return self.where_it_stands();
        }
        let host = self.host();
        let snapshot = host.store.latest();
        let branch = root::head(&self.live.worktree).branch;
        let gone = worktree_facts::deleted_branches(&self.live.worktree, &branch, &snapshot);
        host.recalled.ask(&host.store, &snapshot, |all| {
            aictx_continuity::tell_prompt(&aictx_continuity::PromptMemory {
                snapshot: &snapshot,
                memory: &all.memory,
                found: &all.search(request, |_| true),
                request,
                branch: &branch,
                gone: &gone,
                rows: &host.store.read_ledger(&self.id).rows,
                now: self.now,
            })
        })
    }

    /// Returns where the newest unfinished work stands.
    fn where_it_stands(&self) -> Option<(String, Receipt)> {
        let mut opening = self.opening(String::new(), Vec::new());
        let snapshot = self.host().store.latest();
        let checkout = &opening.project.checkout;
        if let Some(left) = aictx_continuity::unfinished(&snapshot, checkout, &self.id) {
            opening.project.handoff = Some(Arc::new(left));
        }
        opening.rows = self.host().store.read_ledger(&self.id).rows;
        aictx_continuity::tell_where_it_stands(&snapshot, &opening.start())
    }

    fn opening(&self, source: String, map: Vec<MapHit>) -> Opening {
        let caller = Caller {
            agent_id: self.live.runner.clone(),
            session_id: self.id.clone(),
            ..Caller::default()
        };
        // Only these are told what the session itself did.
        let goes_on = goes_on(&source);
        let place = Place {
            root: self.host().root.clone(),
            worktree: self.live.worktree.clone(),
        };
        let snapshot = self.host().store.latest();
        let mut project = worktree_facts::gather(&self.app, &place, &snapshot);
        project.map = map;
        Opening {
            identity: caller.identify(|_| None),
            project,
            rows: if goes_on {
                self.host().store.read_ledger(&self.id).rows
            } else {
                Vec::new()
            },
            branch: root::head(&self.live.worktree).branch,
            others: if goes_on { Vec::new() } else { self.at_work() },
            told_at_prompts: self.is_told_at_prompts(),
            source,
            now: self.now,
        }
    }

    fn is_told_at_prompts(&self) -> bool {
        aictx_runners::dialect(&self.live.runner).is_ok_and(|dialect| dialect.hears_at_prompts())
    }

    /// Returns true where a session's start names files: one that will be told of its work at its prompts gets them
    /// there.
    fn tells_entry_points(&self, source: &str) -> bool {
        let snapshot = self.host().store.latest();
        let is_brief = self.is_told_at_prompts() && aictx_continuity::has_handoff(&snapshot);
        !goes_on(source) && !is_brief
    }

    /// Other sessions of the repository that are open and have done something, newest first.
    fn at_work(&self) -> Vec<AtWork> {
        let gone = |id: &str| {
            let live = self.app.sessions.get(id);
            live.is_none_or(|live| live.is_over(self.now))
        };
        let mut others = self.app.at_work(&self.host().root);
        others.retain(|other| {
            other.session_id != self.id && !other.files.is_empty() && !gone(&other.session_id)
        });
        others
    }

    /// Returns probable starting points of a new session: what the last one left to do, else the files that explain
    /// the repository.
    fn entry_points(&self) -> Vec<MapHit> {
        let snapshot = self.host().store.latest();
        let live = &self.live;
        let head = root::head(&live.worktree);
        let gone = worktree_facts::deleted_branches(&live.worktree, &head.branch, &snapshot);
        let (request, near) = aictx_continuity::left_to_do(&snapshot, &head.branch, &gone);
        let at = At {
            root: &live.host.root,
            worktree: &live.worktree,
            head: Some(&head.head),
        };
        self.app.maps.suggestions(&at, &request, &near, MIN_FILES)
    }
}

/// Previews what the next session of a runner would be told, and why; records nothing.
///
/// # Errors
/// When the repository is none of ours, or the runner is unknown.
pub fn preview(app: &Arc<App>, params: &PreviewParams) -> Result<Preview, RpcError> {
    let runner = match params.runner.as_str() {
        "" => "claude",
        runner => runner,
    };
    let dialect = aictx_runners::dialect(runner)
        .map_err(|error| RpcError::new(INVALID_PARAMS, error.to_string()))?;
    let place = place(app, &params.repo)?;
    let now = app.now();
    let session = Session {
        app: Arc::clone(app),
        id: PREVIEWED.to_owned(),
        live: Live {
            host: app.hosts.open(&place.root)?,
            runner: dialect.name().to_owned(),
            worktree: place.worktree.clone(),
            process: AgentProcess::default(),
            last_seen: now,
            at_rest: false,
            events: 0,
        },
        cwd: place.worktree,
        now,
        event: String::new(),
        recording: Recording::Done,
        trouble: Arc::default(),
    };
    let map = match session.tells_entry_points("startup") {
        true => session.entry_points(),
        false => Vec::new(),
    };
    let opening = session.opening("startup".to_owned(), map);
    let (start, effects) = opening.decide(&session.host().store.latest());
    let mut receipts: Vec<Receipt> = Vec::new();
    receipts.extend(effects.into_iter().filter_map(|effect| match effect {
        Effect::Ledger { row, .. } => row.receipt.map(|receipt| *receipt),
        _ => None,
    }));
    let mut texts: Vec<String> = Vec::new();
    if !params.prompt.trim().is_empty() {
        if let Some((text, receipt)) = session.recalled(&params.prompt) {
            texts.push(text);
            receipts.push(receipt);
        }
        if let Some(suggestion) = session.suggestion(&params.prompt) {
            texts.push(suggestion.text);
            receipts.push(suggestion.receipt);
        }
    }
    Ok(Preview {
        runner: runner.to_owned(),
        start,
        prompt: texts.join("\n"),
        receipts,
    })
}

/// Id of a session that is only previewed.
const PREVIEWED: &str = "preview";

/// Returns true for the start of a session that was there before.
fn goes_on(source: &str) -> bool {
    matches!(source, "resume" | "compact")
}

/// Everything a session's start is decided on, besides memory.
struct Opening {
    identity: Identity,
    project: aictx_continuity::Project,
    rows: Vec<LedgerRow>,
    branch: String,
    others: Vec<AtWork>,
    told_at_prompts: bool,
    source: String,
    now: Timestamp,
}

impl Opening {
    fn decide(&self, snapshot: &Snapshot) -> (String, Effects) {
        aictx_continuity::session_start(snapshot, &self.start())
    }

    fn start(&self) -> aictx_continuity::SessionStart<'_> {
        aictx_continuity::SessionStart {
            identity: &self.identity,
            project: &self.project,
            source: &self.source,
            branch: &self.branch,
            rows: &self.rows,
            others: &self.others,
            told_at_prompts: self.told_at_prompts,
            now: self.now,
        }
    }
}
