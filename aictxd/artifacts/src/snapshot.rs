//! Files to memory: a cache of parsed parts, and the snapshot made of them.

use std::path::Path;
use std::sync::Arc;

use aictx_proto::record::{
    ActivePointer, AgentExecutionRow, Area, AreaMemory, ComplianceRow, ContractIndex, Decision,
    FailurePattern, Handoff, HandoffRow, LifecycleEvent, Origin, SemanticRepo, SessionFile,
    Strategy, Subsystem, Thread, files,
};
use aictx_proto::snapshot::{
    COMPLIANCE_TAIL, DECISION_TAIL, EXECUTION_TAIL, HANDOFF_TAIL, LIFECYCLE_TAIL, ReadIssue, Rows,
    STRATEGY_TAIL, Snapshot,
};
use serde_json::Value;

pub(crate) use crate::cached_file::Applied;
use crate::cached_file::{Doc, History, Watched};
use crate::derived_records;
use crate::document_dir::Shelf;
use crate::fs::{Root, Stamp};
use crate::read::MAX_FILE;
use crate::shared::{Inbox, Received};

/// Newest bytes of a history that are parsed.
const TAIL_BYTES: u64 = 1024 * 1024;
/// Newest bytes of the lifecycle events and compliance rows that are parsed.
const SHORT_TAIL_BYTES: u64 = 256 * 1024;
/// Failure patterns read before folding; the file is bounded to 500 by its writer.
const FAILURE_ROWS: usize = 5_000;

/// Directories that snapshots are read from, parents first.
pub(crate) const DIRECTORIES: &[&str] = &[
    "",
    "continuity",
    "continuity/contracts",
    "continuity/semantic_repo",
    files::SHARED_DIR,
    "failure_memory",
    "strategy_memory",
    "area_memory",
    "area_memory/areas",
    "memory",
    "metrics",
    "tasks",
    "tasks/threads",
];

/// Everything that snapshots are made of.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    session: Doc<SessionFile>,
    handoff: Doc<Handoff>,
    handoffs: History<HandoffRow>,
    decisions: History<Decision>,
    failures: History<FailurePattern>,
    executions: History<AgentExecutionRow>,
    strategies: History<Strategy>,
    compliance: History<ComplianceRow>,
    lifecycle: History<LifecycleEvent>,
    state: Doc<Value>,
    preferences: Doc<Value>,
    metrics: Doc<Value>,
    status: Doc<Value>,
    semantic: Doc<SemanticRepo>,
    areas: Doc<AreaMemory>,
    contracts: Doc<ContractIndex>,
    active: Doc<ActivePointer>,
    imported: Watched,
    pub(crate) received: Received,
    pub(crate) inbox: Inbox,
    threads: Shelf<Thread>,
    subsystems: Shelf<Subsystem>,
    area_shards: Shelf<Area>,
    /// The failure rows folded.
    folded: derived_records::Failures,
    /// The strategy rows folded, and the rows they were folded from.
    learned: Rows<Strategy>,
    learned_from: Rows<Strategy>,
    /// Union of several files, and the editions it was built from.
    together: Together,
}

/// Records spread over a directory of files, as one.
#[derive(Debug, Clone, Default)]
struct Together {
    threads: Arc<Vec<Arc<Thread>>>,
    semantic: Arc<SemanticRepo>,
    areas: Arc<AreaMemory>,
    editions: Option<(u64, u64, u64)>,
    origins: Option<(Origin, Origin)>,
    semantic_from: Option<Arc<SemanticRepo>>,
    areas_from: Option<Arc<AreaMemory>>,
}

/// Does one thing with whichever part holds a file.
macro_rules! part {
    ($cache:expr, $file:expr, $part:ident => $do:expr, $otherwise:expr) => {
        part!(@ $cache, $file, $part => $do, $otherwise;
            SESSION session, HANDOFF handoff, HANDOFFS handoffs, DECISIONS decisions,
            FAILURE_PATTERNS failures, AGENT_EXECUTION_LOG executions, STRATEGIES strategies,
            CONTRACT_COMPLIANCE compliance, LIFECYCLE_EVENTS lifecycle, STATE state,
            PREFERENCES preferences, CONTINUITY_METRICS metrics,
            AGENT_EXECUTION_STATUS status, SEMANTIC_REPO semantic, AREAS areas,
            CONTRACT_INDEX contracts, ACTIVE_TASK active, IMPORTED imported, RECEIVED received;
            threads, subsystems, area_shards)
    };
    (@ $cache:expr, $file:expr, $part:ident => $do:expr, $otherwise:expr;
        $($name:ident $field:ident),*; $($shelf:ident),*) => {
        match $file {
            $(files::$name => {
                let $part = &mut $cache.$field;
                $do
            })*
            other => {
                $(if let Some(name) = $cache.$shelf.name_of(other) {
                    let $part = $cache.$shelf.doc(name);
                    $do
                } else)* {
                    $otherwise
                }
            }
        }
    };
}

/// Does one thing with every history, in turn.
macro_rules! histories {
    ($cache:expr, $history:ident => $do:expr) => {
        histories!(@ $cache, $history => $do; handoffs, decisions, failures, executions, strategies,
            compliance, lifecycle)
    };
    (@ $cache:expr, $history:ident => $do:expr; $($field:ident),*) => {
        $({
            let $history = &$cache.$field;
            $do
        })*
    };
}

impl Cache {
    pub(crate) fn new() -> Self {
        let short = SHORT_TAIL_BYTES;
        Self {
            session: Doc::new(files::SESSION),
            handoff: Doc::new(files::HANDOFF),
            handoffs: History::new(files::HANDOFFS, HANDOFF_TAIL, TAIL_BYTES),
            decisions: History::new(files::DECISIONS, DECISION_TAIL, TAIL_BYTES),
            failures: History::new(files::FAILURE_PATTERNS, FAILURE_ROWS, MAX_FILE),
            executions: History::new(files::AGENT_EXECUTION_LOG, EXECUTION_TAIL, TAIL_BYTES),
            strategies: History::new(files::STRATEGIES, STRATEGY_TAIL, MAX_FILE),
            compliance: History::new(files::CONTRACT_COMPLIANCE, COMPLIANCE_TAIL, short),
            lifecycle: History::new(files::LIFECYCLE_EVENTS, LIFECYCLE_TAIL, short),
            state: Doc::new(files::STATE),
            preferences: Doc::new(files::PREFERENCES),
            metrics: Doc::new(files::CONTINUITY_METRICS),
            status: Doc::new(files::AGENT_EXECUTION_STATUS),
            semantic: Doc::new(files::SEMANTIC_REPO),
            areas: Doc::new(files::AREAS),
            contracts: Doc::new(files::CONTRACT_INDEX),
            active: Doc::new(files::ACTIVE_TASK),
            imported: Watched::new(files::IMPORTED),
            received: Received::default(),
            inbox: Inbox::default(),
            threads: Shelf::new(files::THREADS_DIR),
            subsystems: Shelf::new(files::SEMANTIC_DIR),
            area_shards: Shelf::new(files::AREAS_DIR),
            folded: derived_records::Failures::default(),
            learned: Arc::default(),
            learned_from: Arc::default(),
            together: Together::default(),
        }
    }

    /// Reads what changed on disk.
    pub(crate) fn refresh(&mut self, root: &Root) {
        self.session.refresh(root);
        self.handoff.refresh(root);
        self.handoffs.refresh(root);
        self.decisions.refresh(root);
        self.failures.refresh(root);
        self.executions.refresh(root);
        self.strategies.refresh(root);
        self.fold();
        self.compliance.refresh(root);
        self.lifecycle.refresh(root);
        self.state.refresh(root);
        self.preferences.refresh(root);
        self.metrics.refresh(root);
        self.status.refresh(root);
        self.semantic.refresh(root);
        self.areas.refresh(root);
        self.contracts.refresh(root);
        self.active.refresh(root);
        self.imported.refresh(root);
        self.received.refresh(root);
        self.inbox.refresh(root, &self.received.known);
        self.threads.refresh(root);
        self.subsystems.refresh(root);
        self.area_shards.refresh(root);
        self.gather();
    }

    /// Puts together what is spread over directories, when any of it changed.
    fn gather(&mut self) {
        let editions = Some((
            self.threads.edition,
            self.subsystems.edition,
            self.area_shards.edition,
        ));
        let unchanged = editions == self.together.editions
            && same_option(
                self.semantic.value.as_ref(),
                self.together.semantic_from.as_ref(),
            )
            && same_option(self.areas.value.as_ref(), self.together.areas_from.as_ref())
            && self.together.origins == Some((self.semantic.origin, self.areas.origin));
        if unchanged {
            return;
        }
        self.together = Together {
            threads: keep(
                self.threads.values().cloned().collect(),
                &self.together.threads,
            ),
            semantic: keep(self.whole_semantic(), &self.together.semantic),
            areas: keep(self.whole_areas(), &self.together.areas),
            editions,
            origins: Some((self.semantic.origin, self.areas.origin)),
            semantic_from: self.semantic.value.clone(),
            areas_from: self.areas.value.clone(),
        };
    }

    fn fold(&mut self) {
        self.folded.update(&self.failures.rows);
        if !Arc::ptr_eq(&self.learned_from, &self.strategies.rows) {
            self.learned = derived_records::strategies(&self.strategies.rows);
            self.learned_from = self.strategies.rows.clone();
        }
    }

    /// Applies what a commit is about to do, so that the next decision of its group sees it.
    pub(crate) fn apply(&mut self, file: &str, change: Applied<'_>) {
        let shelf = [
            self.threads
                .name_of(file)
                .map(|_| &mut self.threads.edition),
            self.subsystems
                .name_of(file)
                .map(|_| &mut self.subsystems.edition),
            self.area_shards
                .name_of(file)
                .map(|_| &mut self.area_shards.edition),
        ];
        shelf
            .into_iter()
            .flatten()
            .for_each(|edition| *edition += 1);
        part!(self, file, p => p.apply(change), ());
        self.fold();
        self.gather();
    }

    /// Ends what [`apply`](Self::apply) began, for each file with the state that memory is known to
    /// equal, or with none, and then it is read again. Other files are looked at when they are asked
    /// for.
    pub(crate) fn settle<'f>(
        &mut self,
        root: &Root,
        files: impl Iterator<Item = (&'f str, Option<Stamp>)>,
    ) {
        let mut read = false;
        for (file, stamp) in files {
            part!(self, file, p => {
                (p.stamp, p.pending) = (stamp.map(Some), false);
                if stamp.is_none() {
                    p.refresh(root);
                    read = true;
                }
            }, ());
        }
        if read {
            self.fold();
            self.gather();
        }
    }

    /// Returns the length of a history when its rows were read, if they were.
    pub(crate) fn len_read(&self, file: &str) -> Option<u64> {
        histories!(self, history => if history.is(file) {
            return history.len_read();
        });
        None
    }

    /// Returns true if rewriting a file from its records would lose members that could not be read.
    pub(crate) fn is_bent(&self, file: &str) -> bool {
        histories!(self, history => if history.is(file) {
            return history.bent > 0;
        });
        let shelved = |name: Option<&str>, bent: &dyn Fn(&str) -> bool| name.is_some_and(bent);
        match file {
            files::SESSION => self.session.issue.is_some(),
            files::HANDOFF => self.handoff.issue.is_some(),
            files::PREFERENCES => self.preferences.issue.is_some(),
            files::SEMANTIC_REPO => self.semantic.issue.is_some(),
            files::AREAS => self.areas.issue.is_some(),
            files::CONTRACT_INDEX => self.contracts.issue.is_some(),
            files::ACTIVE_TASK => self.active.issue.is_some(),
            other => {
                shelved(self.threads.name_of(other), &|n| self.threads.is_bent(n))
                    || shelved(self.subsystems.name_of(other), &|n| {
                        self.subsystems.is_bent(n)
                    })
                    || shelved(self.area_shards.name_of(other), &|n| {
                        self.area_shards.is_bent(n)
                    })
            }
        }
    }

    /// The thread that the pointer names, if it is in progress; else the newest that is.
    fn active_task(&self) -> Option<Arc<Thread>> {
        let in_progress = |thread: &&Arc<Thread>| thread.status == "in_progress";
        let pointed = self.active.value.as_ref().and_then(|pointer| {
            self.threads
                .get(&format!("{}.json", pointer.active_task_id))
        });
        pointed
            .filter(in_progress)
            .or_else(|| {
                self.threads
                    .values()
                    .filter(in_progress)
                    .max_by(|a, b| a.updated_at.cmp(&b.updated_at))
            })
            .cloned()
    }

    /// Sub-systems of the one file, each replaced by its own file where there is one.
    fn whole_semantic(&self) -> SemanticRepo {
        let mut all = self.semantic.value.as_deref().cloned().unwrap_or_default();
        for subsystem in &mut all.subsystems {
            subsystem.origin = subsystem.origin.and(self.semantic.origin);
        }
        for shard in self.subsystems.values().filter(|s| !s.name.is_empty()) {
            match all.subsystems.iter_mut().find(|s| s.name == shard.name) {
                Some(known) => known.clone_from(shard),
                None => all.subsystems.push((**shard).clone()),
            }
        }
        all
    }

    /// The same for areas.
    fn whole_areas(&self) -> AreaMemory {
        let mut all = self.areas.value.as_deref().cloned().unwrap_or_default();
        for area in all.areas.values_mut() {
            area.origin = area.origin.and(self.areas.origin);
        }
        for shard in self.area_shards.values().filter(|a| !a.area_id.is_empty()) {
            all.areas.insert(shard.area_id.clone(), (**shard).clone());
        }
        all
    }

    /// Identity of the repository.
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

    /// Executions so far. The log knows those that it still holds, the status all that were counted.
    fn executions_total(&self) -> u64 {
        let counted = self.status.value.as_ref();
        let counted = counted.and_then(|s| s.get("executions_total")?.as_u64());
        self.executions.lines.max(counted.unwrap_or(0))
    }

    fn issues(&self, foreign: Vec<ReadIssue>) -> Vec<ReadIssue> {
        let documents = [
            &self.session.issue,
            &self.handoff.issue,
            &self.state.issue,
            &self.preferences.issue,
            &self.metrics.issue,
            &self.semantic.issue,
            &self.areas.issue,
            &self.contracts.issue,
            &self.active.issue,
        ];
        let mut issues: Vec<ReadIssue> = documents.into_iter().flatten().cloned().collect();
        histories!(self, history => issues.extend(history.issue.clone()));
        issues.extend(self.threads.issues().cloned());
        issues.extend(self.subsystems.issues().cloned());
        issues.extend(self.area_shards.issues().cloned());
        issues.extend(self.received.issues());
        issues.extend(self.inbox.issue());
        issues.extend(foreign);
        issues
    }

    /// The snapshot of this cache: `last` itself when nothing changed. `foreign`: what is ignored
    /// because it is not this user's.
    pub(crate) fn snapshot(
        &self,
        repo: &Path,
        foreign: Vec<ReadIssue>,
        last: &Arc<Snapshot>,
        generation: impl FnOnce() -> u64,
    ) -> Arc<Snapshot> {
        let told = |handoff| derived_records::with_outcome(handoff, &self.handoffs.rows);
        let handoff = self.handoff.value.as_ref().map(told).or_else(|| {
            let row = self.handoffs.rows.last()?;
            Some(Arc::new(derived_records::handoff_of(row)))
        });
        let next = Snapshot {
            generation: last.generation,
            root: repo.to_string_lossy().into_owned(),
            repo_id: self.repo_id(repo),
            session: self.session.value.clone().unwrap_or_default(),
            handoff: share(handoff, last.handoff.as_ref()),
            handoffs: self.handoffs.rows.clone(),
            decisions: self.decisions.rows.clone(),
            failures: Arc::clone(&self.folded.patterns),
            failure_rows: self.failures.lines,
            executions: self.executions.rows.clone(),
            executions_total: self.executions_total(),
            active_task: share(self.active_task(), last.active_task.as_ref()),
            threads: self.together.threads.clone(),
            pointer: self.active.value.clone().unwrap_or_default(),
            strategies: self.learned.clone(),
            strategy_rows: self.strategies.lines,
            semantic: self.together.semantic.clone(),
            areas: self.together.areas.clone(),
            area_files: self.area_shards.values().next().is_some(),
            preferences: self.preferences.value.clone().unwrap_or_default(),
            contracts: self.contracts.value.clone().unwrap_or_default(),
            metrics: self.metrics.value.clone().unwrap_or_default(),
            compliance: self.compliance.rows.clone(),
            lifecycle: self.lifecycle.rows.clone(),
            imported: self.imported.state(),
            issues: keep(self.issues(foreign), &last.issues),
        };
        let unchanged = last.generation > 0
            && next.root == last.root
            && next.repo_id == last.repo_id
            && same(&next.session, &last.session)
            && same_option(next.handoff.as_ref(), last.handoff.as_ref())
            && same(&next.handoffs, &last.handoffs)
            && same(&next.decisions, &last.decisions)
            && same(&next.failures, &last.failures)
            && next.failure_rows == last.failure_rows
            && next.strategy_rows == last.strategy_rows
            && same(&next.executions, &last.executions)
            && next.executions_total == last.executions_total
            && same_option(next.active_task.as_ref(), last.active_task.as_ref())
            && same(&next.threads, &last.threads)
            && same(&next.pointer, &last.pointer)
            && same(&next.strategies, &last.strategies)
            && same(&next.semantic, &last.semantic)
            && same(&next.areas, &last.areas)
            && next.area_files == last.area_files
            && same(&next.preferences, &last.preferences)
            && same(&next.contracts, &last.contracts)
            && same(&next.metrics, &last.metrics)
            && same(&next.compliance, &last.compliance)
            && same(&next.lifecycle, &last.lifecycle)
            && next.imported == last.imported
            && same(&next.issues, &last.issues);
        if unchanged {
            return last.clone();
        }
        Arc::new(Snapshot {
            generation: generation(),
            ..next
        })
    }
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
