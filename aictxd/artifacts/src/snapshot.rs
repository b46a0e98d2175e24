//! Files to memory: a cache of parsed parts, and the snapshot made of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use aictx_proto::record::{
    AgentExecutionRow, Decision, FailurePattern, Handoff, HandoffRow, SessionFile, files,
};
use aictx_proto::snapshot::{DECISION_TAIL, EXECUTION_TAIL, HANDOFF_TAIL, ReadIssue, Snapshot};
use serde_json::Value;

use crate::fold;
use crate::fs::{Root, Stamp};
pub(crate) use crate::part::Applied;
use crate::part::{Doc, History};
use crate::read::MAX_FILE;

/// Newest bytes of a history that are parsed.
const TAIL_BYTES: u64 = 1024 * 1024;
/// Failure patterns read before folding; the file is bounded to 500 by its writer.
const FAILURE_ROWS: usize = 5_000;
/// Most Work State threads looked at when no pointer says which one is active.
const THREADS: usize = 512;
const THREADS_DIR: &str = "tasks/threads";

/// Everything that snapshots are made of.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    session: Doc<SessionFile>,
    handoff: Doc<Handoff>,
    handoffs: History<HandoffRow>,
    decisions: History<Decision>,
    failures: History<FailurePattern>,
    executions: History<AgentExecutionRow>,
    /// The failure rows folded, and the rows they were folded from.
    folded: Arc<Vec<FailurePattern>>,
    folded_from: Arc<Vec<FailurePattern>>,
    state: Doc<Value>,
    active: Doc<Value>,
    threads: BTreeMap<String, Doc<Value>>,
}

/// Does one thing with whichever part holds a file.
macro_rules! part {
    ($cache:expr, $file:expr, $part:ident => $do:expr, $otherwise:expr) => {
        match $file {
            files::SESSION => {
                let $part = &mut $cache.session;
                $do
            }
            files::HANDOFF => {
                let $part = &mut $cache.handoff;
                $do
            }
            files::HANDOFFS => {
                let $part = &mut $cache.handoffs;
                $do
            }
            files::DECISIONS => {
                let $part = &mut $cache.decisions;
                $do
            }
            files::FAILURE_PATTERNS => {
                let $part = &mut $cache.failures;
                $do
            }
            files::AGENT_EXECUTION_LOG => {
                let $part = &mut $cache.executions;
                $do
            }
            files::STATE => {
                let $part = &mut $cache.state;
                $do
            }
            files::ACTIVE_TASK => {
                let $part = &mut $cache.active;
                $do
            }
            other => match thread_name(other) {
                Some(name) => {
                    let $part = $cache
                        .threads
                        .entry(name.to_owned())
                        .or_insert_with(|| Doc::new(other));
                    $do
                }
                None => $otherwise,
            },
        }
    };
}

fn thread_name(file: &str) -> Option<&str> {
    file.strip_prefix(THREADS_DIR)?
        .strip_prefix('/')
        .filter(|n| n.ends_with(".json") && !n.starts_with('.') && !n.contains('/'))
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            session: Doc::new(files::SESSION),
            handoff: Doc::new(files::HANDOFF),
            handoffs: History::new(files::HANDOFFS, HANDOFF_TAIL, TAIL_BYTES),
            decisions: History::new(files::DECISIONS, DECISION_TAIL, TAIL_BYTES),
            failures: History::new(files::FAILURE_PATTERNS, FAILURE_ROWS, MAX_FILE),
            executions: History::new(files::AGENT_EXECUTION_LOG, EXECUTION_TAIL, TAIL_BYTES),
            folded: Arc::default(),
            folded_from: Arc::default(),
            state: Doc::new(files::STATE),
            active: Doc::new(files::ACTIVE_TASK),
            threads: BTreeMap::new(),
        }
    }

    /// Reads what changed on disk.
    pub(crate) fn refresh(&mut self, root: &Root) {
        self.session.refresh(root);
        self.handoff.refresh(root);
        self.handoffs.refresh(root);
        self.decisions.refresh(root);
        self.failures.refresh(root);
        self.fold();
        self.executions.refresh(root);
        self.state.refresh(root);
        self.active.refresh(root);
        self.refresh_threads(root);
    }

    fn fold(&mut self) {
        if !Arc::ptr_eq(&self.folded_from, &self.failures.rows) {
            self.folded = keep(fold::failures(&self.failures.rows), &self.folded);
            self.folded_from = self.failures.rows.clone();
        }
    }

    fn refresh_threads(&mut self, root: &Root) {
        // The pointer decides, and while it holds no other thread is looked at.
        if let Some(name) = self.pointed() {
            self.threads.retain(|n, t| *n == name || t.pending);
            let doc = self
                .threads
                .entry(name)
                .or_insert_with_key(|n| Doc::new(format!("{THREADS_DIR}/{n}")));
            doc.refresh(root);
            if doc.value.as_deref().is_some_and(in_progress) {
                return;
            }
        }
        let mut names = root.list(THREADS_DIR, THREADS).unwrap_or_default();
        names.retain(|n| n.ends_with(".json") && !n.starts_with('.'));
        self.threads
            .retain(|n, t| t.pending || names.binary_search(n).is_ok());
        for name in names {
            self.threads
                .entry(name)
                .or_insert_with_key(|n| Doc::new(format!("{THREADS_DIR}/{n}")))
                .refresh(root);
        }
    }

    /// Applies what a commit is about to do, so that the next decision of its group sees it.
    pub(crate) fn apply(&mut self, root: &Root, file: &str, change: Applied<'_>) {
        part!(self, file, p => p.apply(change), ());
        match file {
            files::ACTIVE_TASK => self.refresh_threads(root),
            files::FAILURE_PATTERNS => self.fold(),
            _ => {}
        }
    }

    /// Ends what [`apply`](Self::apply) began: with the state of the file that memory is known to
    /// equal, or with none, and then it is read again.
    pub(crate) fn settle(&mut self, file: &str, stamp: Option<Stamp>) {
        part!(self, file, p => (p.stamp, p.pending) = (stamp.map(Some), false), ());
    }

    /// How long a history was when its rows were read, if they were.
    pub(crate) fn len_read(&self, file: &str) -> Option<u64> {
        match file {
            files::HANDOFFS => self.handoffs.len_read(),
            files::DECISIONS => self.decisions.len_read(),
            files::FAILURE_PATTERNS => self.failures.len_read(),
            files::AGENT_EXECUTION_LOG => self.executions.len_read(),
            _ => None,
        }
    }

    /// Whether rewriting a file from its records would lose members that could not be read.
    pub(crate) fn is_bent(&self, file: &str) -> bool {
        match file {
            files::SESSION => self.session.issue.is_some(),
            files::HANDOFF => self.handoff.issue.is_some(),
            files::HANDOFFS => self.handoffs.bent > 0,
            files::DECISIONS => self.decisions.bent > 0,
            files::FAILURE_PATTERNS => self.failures.bent > 0,
            files::AGENT_EXECUTION_LOG => self.executions.bent > 0,
            _ => false,
        }
    }

    /// File name of the thread that the pointer names.
    fn pointed(&self) -> Option<String> {
        let id = self
            .active
            .value
            .as_ref()?
            .get("active_task_id")?
            .as_str()?;
        let name = format!("{id}.json");
        (!id.is_empty() && thread_name(&format!("{THREADS_DIR}/{name}")).is_some()).then_some(name)
    }

    fn active_task(&self) -> Option<Arc<Value>> {
        let pointed = self
            .pointed()
            .and_then(|name| self.threads.get(&name)?.value.clone());
        if pointed.as_deref().is_some_and(in_progress) {
            return pointed;
        }
        let updated = |v: &Value| {
            v.get("updated_at")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        self.threads
            .values()
            .filter_map(|d| d.value.as_ref())
            .filter(|v| in_progress(v))
            .max_by_key(|v| updated(v))
            .cloned()
    }

    /// Identity of the repository (spec/lifecycle.md §3.2).
    fn repo_id(&self, repo: &Path) -> String {
        let said = |key: &str| {
            let text = self.state.value.as_ref()?.get(key)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        said("repo_id")
            .or_else(|| Some(repo.file_name()?.to_string_lossy().into_owned()))
            .or_else(|| said("project"))
            .or_else(|| said("engine_name"))
            .unwrap_or_else(|| "repo".to_owned())
    }

    /// The snapshot of this cache: `last` itself when nothing changed.
    pub(crate) fn snapshot(
        &self,
        repo: &Path,
        last: &Arc<Snapshot>,
        generation: impl FnOnce() -> u64,
    ) -> Arc<Snapshot> {
        let issues: Vec<ReadIssue> = [
            &self.session.issue,
            &self.handoff.issue,
            &self.handoffs.issue,
            &self.decisions.issue,
            &self.failures.issue,
            &self.executions.issue,
            &self.state.issue,
            &self.active.issue,
        ]
        .into_iter()
        .chain(self.threads.values().map(|t| &t.issue))
        .flatten()
        .cloned()
        .collect();
        let told = |handoff| fold::with_outcome(handoff, &self.handoffs.rows);
        let handoff = self.handoff.value.as_ref().map(told).or_else(|| {
            let row = self.handoffs.rows.last()?;
            Some(Arc::new(fold::handoff_of(row)))
        });
        let next = Snapshot {
            generation: last.generation,
            root: repo.to_string_lossy().into_owned(),
            repo_id: self.repo_id(repo),
            session: self.session.value.clone().unwrap_or_default(),
            handoff: share(handoff, last.handoff.as_ref()),
            handoffs: self.handoffs.rows.clone(),
            decisions: self.decisions.rows.clone(),
            failures: self.folded.clone(),
            executions: self.executions.rows.clone(),
            executions_total: self.executions.lines,
            active_task: share(self.active_task(), last.active_task.as_ref()),
            issues: keep(issues, &last.issues),
        };
        let unchanged = last.generation > 0
            && next.root == last.root
            && next.repo_id == last.repo_id
            && same(&next.session, &last.session)
            && same_option(next.handoff.as_ref(), last.handoff.as_ref())
            && same(&next.handoffs, &last.handoffs)
            && same(&next.decisions, &last.decisions)
            && same(&next.failures, &last.failures)
            && same(&next.executions, &last.executions)
            && next.executions_total == last.executions_total
            && same_option(next.active_task.as_ref(), last.active_task.as_ref())
            && Arc::ptr_eq(&next.issues, &last.issues);
        if unchanged {
            return last.clone();
        }
        Arc::new(Snapshot {
            generation: generation(),
            ..next
        })
    }
}

fn in_progress(thread: &Value) -> bool {
    thread.get("status").and_then(Value::as_str) == Some("in_progress")
}

/// The old shared value when it is equal.
fn keep<T: PartialEq>(new: T, old: &Arc<T>) -> Arc<T> {
    if new == **old {
        old.clone()
    } else {
        Arc::new(new)
    }
}

fn share<T: PartialEq>(new: Option<Arc<T>>, old: Option<&Arc<T>>) -> Option<Arc<T>> {
    match (new, old) {
        (Some(new), Some(old)) if same(&new, old) => Some(old.clone()),
        (new, _) => new,
    }
}

/// Equality that looks at the content only where it is not shared.
fn same<T: PartialEq>(a: &Arc<T>, b: &Arc<T>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

fn same_option<T: PartialEq>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}
