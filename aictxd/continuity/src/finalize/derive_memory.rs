//! What an execution teaches: how its contract was kept, which strategy and area memory it makes,
//! what it adds to the task at hand. Each is decided by its own module; this is where they meet.

use std::collections::BTreeSet;
use std::sync::Arc;

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::ledger::{LedgerRow, ToldItem};
use aictx_proto::record::{ContractIndex, FailurePattern, Thread, files};
use serde_json::{Map, Value, json};

use super::input::Finalize;
use super::superseded_rows::strategy_effects;
use crate::area_memory::{self, Worked};
use crate::contracts::{
    self, Compliance, Observed, closed_kinds, compliance_row, contract_file, gaps, still_open,
};
use crate::failures;
use crate::file_anchors;
use crate::item_flags;
use crate::ledger_facts::Observation;
use crate::lru_cache::{Passed, is_test_command};
use crate::record_json::record_value as value;
use crate::record_json::row_value;
use crate::relevance::{Context, Hand};
use crate::strategies::{
    self, Done, StrategyChange, StrategyMatch, StrategyQuery, find_strategies,
};
use crate::subsystem_memory;
use crate::tasks::{
    Evidence, active_thread, apply_patch, changed_members, lifecycle_event, merge_execution,
    thread_effects,
};

/// Files that a failure is tied to.
const MAX_FAILURE_ANCHORS: usize = 3;

/// What was decided so far.
pub(super) struct Facts<'f> {
    pub(super) seen: &'f Observation,
    /// The test that was observed to pass after the last edit, whatever is reported.
    pub(super) proof: Option<&'f str>,
    /// An edit was observed.
    pub(super) edits_seen: bool,
    /// Files that are only said to have been edited, and are not there.
    pub(super) absent: &'f BTreeSet<String>,
    pub(super) success: Option<bool>,
    pub(super) request: &'f str,
    pub(super) task_type: &'f str,
    pub(super) area: &'f str,
    pub(super) execution_id: &'f str,
    pub(super) session: u64,
    pub(super) change: &'f failures::Change,
}

/// All that was learned.
pub(super) struct Learned {
    pub(super) compliance: Compliance,
    pub(super) adherence: Value,
    /// Gaps of this execution, then older ones that are still open.
    pub(super) gaps: Vec<Value>,
    pub(super) strategy: StrategyChange,
    pub(super) semantic: Option<Value>,
    pub(super) thread: Option<Thread>,
    pub(super) thread_fields: Vec<String>,
    pub(super) metrics: Value,
    /// The strategy that fitted, and whether its first file was really used.
    pub(super) offered: Option<(Value, &'static str, bool)>,
    /// What was loaded, by kind.
    pub(super) loaded: Vec<&'static str>,
    pub(super) ranked: (usize, String),
    pub(super) effects: Effects,
}

pub(super) fn learn(input: &Finalize, facts: &Facts) -> Learned {
    let snapshot = facts.snapshot(input);
    let seen = facts.seen;
    let changed = input.project.checkout.changed_files.as_deref();
    let standing = seen.standing(changed);
    let fresh = seen.since_edit.iter().flat_map(|fresh| &fresh.lines);
    let fresh: Vec<String> = fresh.cloned().collect();
    let observed = Observed {
        opened: &seen.files_opened,
        edited: &standing,
        commands: &seen.commands,
        tests: &seen.tests,
        passed: &fresh,
        validated: seen.validated,
        success: facts.success,
        changed,
    };
    let compliance = contracts::evaluate(input.contract, &observed);
    let adherence = contracts::adherence(&compliance, input.contract);
    let closed = closed_kinds(&compliance, seen.validated);
    let mut open = gaps(&compliance, input.contract, facts.execution_id);
    let active = active_thread(snapshot, &input.project.checkout);
    let right = snapshot.handoff.iter();
    // What came with the repository is wanted by whoever committed it.
    let right = right.filter(|h| !item_flags::is_wrong(&h.extra) && h.origin.is_own());
    let own_task = || active.thread.iter().filter(|task| task.origin.is_own());
    let older = own_task()
        .flat_map(|t| t.contract_gaps.iter())
        .chain(right.flat_map(|h| h.contract_gaps.iter()));
    let older: Vec<Value> = older
        .filter(|g| g["kind"] != "uncommitted_changes")
        .cloned()
        .collect();
    for gap in still_open(&older, &closed, &seen.passed) {
        if open.len() < 8 && !open.iter().any(|g| g.get("kind") == gap.get("kind")) {
            open.push(gap);
        }
    }

    let context = Context::load(
        snapshot,
        input.project,
        facts.request,
        facts.task_type,
        Hand {
            files: &seen.files_edited,
            commands: &seen.commands,
            tests: &seen.tests,
            errors: &[],
        },
        input.now,
    );
    let told = told(input.rows);
    let offered = offered(&context, &told, facts).map(|found| {
        let first = found
            .strategy
            .primary_entry_point
            .as_deref()
            .unwrap_or_default();
        let used = !first.is_empty()
            && (seen.files_opened.iter().any(|f| f == first)
                || seen.files_edited.iter().any(|f| f == first));
        (strategies::hint(&found), found.confidence, used)
    });
    let ranked = context.ranked();
    let loaded = loaded(&told);

    let params = input.params();
    let errors: Vec<String> = seen
        .error_events
        .iter()
        .take(5)
        .map(|e| e.render())
        .collect();
    let discarded: Vec<Value> = own_task()
        .flat_map(|t| t.discarded_hypotheses.iter().cloned())
        .collect();
    let is_there = |path: &&String| !facts.absent.contains(*path);
    let edited = seen.files_edited.iter().filter(is_there);
    let edited: Vec<String> = edited.cloned().collect();
    let files: Vec<String> = edited.iter().rev().take(3).cloned().collect();
    let anchors = file_anchors::anchor(
        &files,
        &format!("{} {}", facts.request, params.map_or("", |p| &p.summary)),
        &input.project.presents,
        &input.git.head,
    );
    let strategy = match facts.success {
        None => StrategyChange::None,
        Some(success) => strategies::learn(
            &snapshot.strategies,
            &Done {
                execution_id: facts.execution_id,
                request: facts.request,
                task_type: facts.task_type,
                area: facts.area,
                opened: &seen.files_opened,
                edited: &edited,
                commands: &seen.commands,
                tests: &seen.tests,
                errors: &errors,
                success,
                proof: facts.proof,
                edits_seen: facts.edits_seen,
                validated: seen.validated || params.is_some_and(|p| p.validated_learning),
                discarded: &discarded,
                anchors: &anchors,
                now: input.now,
            },
        ),
    };
    let touched: Vec<String> = seen
        .files_edited
        .iter()
        .chain(&seen.files_opened)
        .cloned()
        .collect();
    let areas = area_memory::count(
        &snapshot.areas,
        &Worked {
            area: facts.area,
            files: &touched,
            tests: &seen.tests,
            learned: facts.success == Some(true) && strategy != StrategyChange::None,
            failed: facts.change.persisted.is_some(),
        },
    );
    let mut effects = Effects::new();
    strategy_effects(&strategy, snapshot, &mut effects);
    if let Some(areas) = &areas {
        effects.push(replace(files::AREAS.to_owned(), value(areas)));
        if snapshot.area_files
            && let Some(area) = areas.areas.get(facts.area)
        {
            effects.push(area_memory::shard(area));
        }
    }
    let updates = params
        .map(|p| subsystem_memory::parse(&p.semantic_updates).unwrap_or_default())
        .unwrap_or_default();
    let semantic = subsystem_memory::update(
        &snapshot.semantic,
        &updates,
        (&touched, &seen.tests),
        (&snapshot.repo_id, facts.session),
        input.now,
    )
    .map(|(_, writes)| {
        effects.extend(writes);
        json!({
            "path": format!(".aictx/{}", files::SEMANTIC_REPO),
            "subsystems_updated": updates.iter().map(|u| &u.name).collect::<Vec<_>>(),
        })
    });

    let (thread, thread_fields) = thread(
        input,
        facts,
        (active.thread.as_ref()).filter(|thread| concerns(thread, input, &context)),
        &open,
        &closed,
        &mut effects,
    );
    contract_effects(input, facts, &compliance, &snapshot.contracts, &mut effects);
    let avoided = avoided(&snapshot.failures, facts);
    let metrics = metrics(
        &snapshot.metrics,
        &loaded,
        offered.as_ref().is_some_and(|o| o.2),
        avoided,
        input,
    );
    effects.push(replace(
        files::CONTINUITY_METRICS.to_owned(),
        metrics.clone(),
    ));
    Learned {
        compliance,
        adherence,
        gaps: open,
        strategy,
        semantic,
        thread,
        thread_fields,
        metrics,
        offered,
        loaded,
        ranked: (
            ranked.len(),
            ranked
                .first()
                .map(|r| r.kind.to_owned())
                .unwrap_or_default(),
        ),
        effects,
    }
}

impl Facts<'_> {
    fn snapshot<'s>(&self, input: &Finalize<'s>) -> &'s aictx_proto::snapshot::Snapshot {
        input.snapshot
    }
}

fn replace(file: String, value: Value) -> Effect {
    Effect::ReplaceJson {
        file,
        value,
        order: KeyOrder::Sorted,
    }
}

/// Returns true if an execution adds to the active thread: on the branch where it was worked on last, whatever was
/// asked for; on another one, what comes first (a branch may have been made for it), and what is about the
/// task or says so.
fn concerns(thread: &Thread, input: &Finalize, context: &Context) -> bool {
    let saved = thread
        .git_context
        .as_ref()
        .and_then(|git| git.get("branch"));
    let saved = saved.and_then(Value::as_str).unwrap_or_default();
    saved.is_empty()
        || thread.source_execution_ids.is_empty()
        || saved == input.project.checkout.branch
        || input.params().is_some_and(|p| !p.work_state.is_empty())
        || context.task_fits
}

/// The thread with what the execution adds to it: the active one, with the caller's own patch first.
fn thread(
    input: &Finalize,
    facts: &Facts,
    active: Option<&Arc<Thread>>,
    gaps: &[Value],
    closed: &[&str],
    effects: &mut Effects,
) -> (Option<Thread>, Vec<String>) {
    let Some(before) = active else {
        return (None, Vec::new());
    };
    let mut next = (**before).clone();
    let patch = input
        .params()
        .map(|p| p.work_state.clone())
        .unwrap_or_default();
    if !patch.is_empty() {
        // A patch that is not one was refused before anything was decided.
        let _ = apply_patch(&mut next, &patch);
    }
    let seen = facts.seen;
    let is_check = |c: &&String| {
        is_test_command(c)
            || matches!(
                aictx_shell::command_word(c).as_str(),
                "ruff" | "mypy" | "pyright" | "eslint" | "tsc" | "clippy"
            )
    };
    let checks: Vec<String> = seen
        .commands
        .iter()
        .chain(&seen.tests)
        .filter(is_check)
        .cloned()
        .collect();
    let passed: Vec<String> = seen.passed.iter().filter(is_check).cloned().collect();
    let errors: Vec<String> = seen.open_failures.iter().map(|f| f.line()).collect();
    let touched: Vec<String> = seen
        .files_opened
        .iter()
        .chain(&seen.files_edited)
        .filter(|path| !facts.absent.contains(*path))
        .cloned()
        .collect();
    // What was said of this very task wins over the next step of the execution.
    let said = patch.contains_key("next_action") || patch.contains_key("next");
    let next_step = input
        .params()
        .and_then(|p| p.next_steps.first())
        .map(String::as_str)
        .filter(|_| !said);
    let evidence = Evidence {
        execution_id: facts.execution_id,
        files: &touched,
        passed_checks: &passed,
        checks: &checks,
        errors: &errors,
        success: facts.success,
        next_step,
        gaps,
        closed,
    };
    let mut next = merge_execution(&next, &evidence);
    let fields = changed_members(before, &next);
    next.version = 1;
    next.updated_at = input.now.to_string();
    next.git_context = Some(input.project.checkout.context(&next.updated_at));
    let patch = json!({ "execution": facts.execution_id, "patch": patch });
    effects.extend(thread_effects(
        &next,
        "updated",
        "finalize_execution",
        &patch,
        input.now,
    ));
    if next.status != before.status {
        let who = (
            input.identity.agent_id.as_str(),
            input.identity.adapter_id.as_str(),
            input.identity.session_id.as_str(),
        );
        effects.push(lifecycle_event(
            "work_state_updated",
            &next,
            who,
            "cli",
            input.now,
        ));
    }
    (Some(next), fields)
}

fn contract_effects(
    input: &Finalize,
    facts: &Facts,
    compliance: &Compliance,
    index: &ContractIndex,
    effects: &mut Effects,
) {
    let session = &input.identity.session_id;
    let now = input.now.to_string();
    let row = compliance_row(
        compliance,
        input.contract,
        facts.execution_id,
        session,
        &now,
    );
    effects.push(Effect::AppendRows {
        file: files::CONTRACT_COMPLIANCE.to_owned(),
        rows: vec![row_value(&row)],
        order: KeyOrder::Sorted,
    });
    let Some(record) = input.contract else {
        return;
    };
    let (index, gone) = contracts::with_evaluated(index, &record.contract_id, facts.execution_id);
    effects.push(replace(files::CONTRACT_INDEX.to_owned(), value(&index)));
    effects.extend(gone.iter().map(|id| Effect::Remove {
        file: contract_file(id),
    }));
}

/// Open patterns whose command was run and passed: a failure that was known and did not come back.
fn avoided(patterns: &[Arc<FailurePattern>], facts: &Facts) -> bool {
    let mut passed = Passed::new(&facts.seen.passes);
    facts.success == Some(true)
        && patterns
            .iter()
            .any(|p| p.status != "resolved" && !passed.prove(&p.failed_command).is_empty())
}

/// What of memory concerned the execution, by kind.
/// What of memory this session was told, as the receipts in its ledger say: nothing else was loaded, and nothing
/// else can have been followed.
fn told(rows: &[LedgerRow]) -> Vec<&ToldItem> {
    let receipts = rows.iter().filter_map(|row| row.receipt.as_ref());
    receipts.flat_map(|receipt| &receipt.items).collect()
}

/// Of the strategies that the session was told of, the one that fits best what was done: one that fits better,
/// and that nobody told it, does not take its place.
fn offered<'a>(
    context: &Context<'a>,
    told: &[&ToldItem],
    facts: &Facts,
) -> Option<StrategyMatch<'a>> {
    let strategies = told.iter().filter(|item| item.kind == "strategy");
    let told: Vec<&str> = strategies
        .filter_map(|item| item.id.strip_prefix("strategy::"))
        .collect();
    if told.is_empty() {
        return None;
    }
    let seen = facts.seen;
    let query = StrategyQuery {
        request: facts.request,
        task_type: facts.task_type,
        area: facts.area,
        files: &seen.files_edited,
        commands: &seen.commands,
        tests: &seen.tests,
        errors: &[],
    };
    find_strategies(&context.snapshot.strategies, &query, context.now)
        .find(|found| told.contains(&found.strategy.task_id.as_str()))
        .map(|found| found.told_now(&context.project.presents))
}

fn loaded(told: &[&ToldItem]) -> Vec<&'static str> {
    [
        ("handoff", "handoff"),
        ("decisions", "decision"),
        ("failures", "failure"),
        ("preferences", "preference"),
        ("semantic_repo", "semantic"),
        ("procedural_reuse", "strategy"),
        ("work_state", "task"),
    ]
    .into_iter()
    .filter(|(_, kind)| told.iter().any(|item| item.kind == *kind))
    .map(|(name, _)| name)
    .collect()
}

/// Counters, each raised by what was observed.
fn metrics(
    before: &Value,
    loaded: &[&str],
    reused: bool,
    avoided: bool,
    input: &Finalize,
) -> Value {
    let mut all: Map<String, Value> = before.as_object().cloned().unwrap_or_default();
    let has = |name: &str| loaded.contains(&name);
    for (name, more) in [
        ("strategy_reuse_count", reused),
        ("non_reuse_count", !reused),
        ("handoff_load_count", has("handoff")),
        ("decision_load_count", has("decisions")),
        ("failure_match_count", has("failures")),
        ("semantic_memory_load_count", has("semantic_repo")),
        ("repeated_failure_avoidance_count", avoided),
    ] {
        let count = all.get(name).and_then(Value::as_u64).unwrap_or(0) + u64::from(more);
        all.insert(name.to_owned(), json!(count));
    }
    all.insert("updated_at".to_owned(), json!(input.now));
    Value::Object(all)
}

/// Ties a failure to the code it was seen in, as that is now: once the code changed, what is known of
/// the failure may not hold any more.
pub(super) fn anchor_failure(pattern: &mut FailurePattern, input: &Finalize) {
    let text = format!("{} {}", pattern.error_text, pattern.symptoms.join(" "));
    let paths = &pattern.related_paths;
    pattern.anchors = file_anchors::anchor(
        // The files of its events come first.
        paths.get(..MAX_FAILURE_ANCHORS).unwrap_or(paths),
        &text,
        &input.project.presents,
        &input.git.head,
    );
}
