//! Finalize: one execution becomes durable, exactly once.

use std::collections::BTreeSet;
use std::sync::Arc;

use aictx_proto::effect::Effects;
use aictx_proto::ledger::{LedgerRow, Outcome};
use aictx_proto::methods::{FinalizeParams, FinalizeReply};
use aictx_proto::record::{Decision, Handoff, Thread};
use aictx_proto::snapshot::Snapshot;
use aictx_shell::is_untested;
use aictx_steer::{is_continuation, only_goes_on};
use serde_json::{Value, json};

use self::decided::Decided;
use self::derive_memory::{Facts, anchor_failure, learn};
use self::execution_summary::Summary;
use self::follow_up::{Before, recorded_by_ancestor};
pub use self::input::{ExplicitReport, Finalize};
use self::records::Records;
pub(crate) use self::reply::{CAPTURED, is_captured};
use self::reply::{handoff_git_state, repeated, reply};
use self::report::{differences, execution_id, merge_report, sent_before};
pub use self::report::{executions_asked, request_nonce};
use crate::area_of_paths::derive_area;
use crate::classify::{Observed, effective, observed, provisional};
use crate::decision_intake::decided;
use crate::decision_memory::{NO_LONGER, SAID_BY_USER, user_rules};
use crate::error::ReportError;
use crate::failures;
use crate::file_anchors::{self, Presents};
use crate::handoff::{
    self, ANSWERED, INTERRUPTED, MIN_ANSWER, ONLY_REPORTED, PARTLY_SEEN, SEEN_TO_FAIL,
};
use crate::ids::decision_id;
use crate::item_flags;
use crate::ledger_facts::{Failure, Observation, open_rows};
use crate::project::Project;
use crate::record_json::record_value as value;
use crate::session::touch;
use crate::tasks::active_thread;
use crate::text_similarity::most_alike;

mod decided;
mod derive_memory;
mod execution_summary;
mod follow_up;
mod input;
mod records;
mod rejected_fields;
mod reply;
mod report;
mod superseded_rows;

/// Files that are only said to have been edited, and are not there: nobody can start from them.
fn absent(
    seen: &Observation,
    params: Option<&FinalizeParams>,
    presents: &Presents,
) -> BTreeSet<String> {
    let is_absent = |path: &&String| {
        let now = presents.get(*path);
        let gone = now.is_some_and(|now| now.blob.is_empty() && now.moved_to.is_empty());
        gone && !seen.files_edited.contains(path)
    };
    let said = params.into_iter().flat_map(|params| &params.files_edited);
    said.filter(is_absent).cloned().collect()
}

/// The last test that was observed to pass after the last edit, where that proves what was done.
fn proof(seen: &Observation) -> Option<String> {
    let mut passed = seen.since_edit.iter().rev();
    let passed = passed.find(|fresh| seen.validated && seen.tests.contains(&fresh.command))?;
    Some(passed.command.clone())
}

/// Paths whose definitions a finalize wants to know: what was edited and what decisions govern.
pub fn touched_paths(rows: &[LedgerRow], report: Option<&ExplicitReport>) -> Vec<String> {
    let seen = Observation::of(open_rows(rows));
    let failing = seen.open_failures.iter().flat_map(|f| &f.events);
    let mut paths: Vec<String> = failing
        .map(|event| event.file.clone())
        .filter(|file| !file.is_empty())
        .collect();
    paths.extend(seen.files_edited);
    if let Some(params) = report.map(|r| &r.params) {
        paths.extend(params.files_edited.iter().cloned());
        let governed = params
            .decisions
            .iter()
            .filter_map(|d| d.get("related_paths")?.as_array());
        let governed = governed.flatten().filter_map(Value::as_str);
        paths.extend(governed.map(str::to_owned));
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Branches on which something failed that may have passed since on another one, of this session and of
/// those before; none where nothing passed.
pub fn failed_branches(
    snapshot: &Snapshot,
    rows: &[LedgerRow],
    report: Option<&ExplicitReport>,
) -> BTreeSet<String> {
    let rows = open_rows(rows);
    let passed = rows.iter().any(|row| row.outcome == Outcome::Passed)
        || report.is_some_and(|report| report.params.status == "success");
    if !passed {
        return BTreeSet::new();
    }
    let failed = rows.iter().filter(|row| row.outcome == Outcome::Failed);
    let open = snapshot.failures.iter().filter(|p| p.status != "resolved");
    let branches = open
        .flat_map(|pattern| &pattern.branches)
        .chain(failed.map(|row| &row.branch));
    branches
        .filter(|branch| !branch.is_empty())
        .cloned()
        .collect()
}

/// Refuses a report whose structured parts are not what they should be, before anything is decided.
///
/// # Errors
/// Which part, and what is wrong with it.
pub fn check_report(params: &FinalizeParams) -> Result<(), ReportError> {
    crate::subsystem_memory::parse(&params.semantic_updates)?;
    crate::tasks::apply_patch(&mut Thread::default(), &params.work_state)
        .map_err(ReportError::WorkState)?;
    let wrong = params.decisions.iter().position(|d| !d.is_object());
    match wrong {
        Some(at) => Err(ReportError::NotAnObject(at + 1)),
        None => Ok(()),
    }
}

/// Decides. Without a report, an execution that did nothing gives `None` and no effects; so does
/// one that was finalized already.
pub fn finalize(input: &Finalize) -> (Option<FinalizeReply>, Effects) {
    let snapshot = input.snapshot;
    let params = input.params();
    if let Some(known) = params.and_then(|p| sent_before(input, p)) {
        return (Some(repeated(input, &known)), Vec::new());
    }
    let open = open_rows(input.rows);
    let seen = Observation::of(open);
    if params.is_none() && seen.is_empty() {
        return (None, Vec::new());
    }
    let before = Before::of(input);
    if let (Some(before), Some(told)) = (&before, params)
        && open.is_empty()
        && before.says_all_of(told)
    {
        return (Some(repeated(input, &before.row)), Vec::new());
    }
    let recorded = recorded_by_ancestor(input, open);
    let mut decided = decide(snapshot, input, seen, before.as_ref(), recorded);
    let summary = Summary::of(&decided);
    let records = Records::of(&decided);
    let effects = records.effects(&mut decided, &summary);
    (Some(reply(decided, &records, summary)), effects)
}

/// Returns true if an execution changed and checked nothing.
fn only_looked(seen: &Observation) -> bool {
    seen.files_edited.is_empty()
        && seen.tests.is_empty()
        && !seen.open_failures.iter().any(Failure::is_check)
}

/// Returns true if the last handoff leaves something to do.
fn leaves_unfinished(snapshot: &Snapshot, project: &Project) -> bool {
    let handoff = project.handoff.as_deref().or(snapshot.handoff.as_deref());
    handoff
        .filter(|h| !item_flags::is_wrong(&h.extra) && h.origin.is_own())
        .is_some_and(|h| h.status != "resolved" || !h.next_steps.is_empty())
}

/// A decision in the place of each rule that the user took back.
fn taken_back(snapshot: &Snapshot, seen: &Observation) -> Vec<Value> {
    if seen.taken_back.is_empty() {
        return Vec::new();
    }
    let rules: Vec<&Decision> = user_rules(&snapshot.decisions).collect();
    let meant = |which: &String| {
        let at = most_alike(which, rules.iter().map(|d| d.decision.as_str()))?;
        let rule = rules.get(at)?;
        let mut taken_back = json!({
            "decision": format!("{NO_LONGER}{}", rule.decision), "rationale": SAID_BY_USER,
            "supersedes": [decision_id(rule)],
        });
        rule.origin.mark(&mut taken_back);
        Some(taken_back)
    };
    seen.taken_back.iter().filter_map(meant).collect()
}

/// Returns what a session is about whose user only said to go on: what it was told is unfinished, else what this
/// machine's last handoff was about, else its task at hand. What came with the repository would become the session's
/// own words.
fn goes_on(input: &Finalize) -> String {
    let (snapshot, project) = (input.snapshot, input.project);
    let left = handoff::unfinished(snapshot, &project.checkout, &input.identity.session_id);
    let last = project.handoff.as_deref().or(snapshot.handoff.as_deref());
    let is_told =
        |h: &&Handoff| !item_flags::is_wrong(&h.extra) && !h.reason.is_empty() && h.origin.is_own();
    if let Some(handoff) = left.as_ref().filter(is_told).or(last.filter(is_told)) {
        return handoff.reason.clone();
    }
    let task = active_thread(snapshot, &project.checkout).thread;
    let task = task.filter(|task| task.origin.is_own());
    task.map(|task| task.goal.clone()).unwrap_or_default()
}

/// Returns the caveats of an outcome for the next session: what was only reported is not told as
/// what was seen. `checked`: a check was seen to pass after the last edit; `tested`: some test was.
fn caveats(
    seen: &Observation,
    params: Option<&FinalizeParams>,
    (checked, tested): (bool, bool),
    failing: bool,
) -> Vec<String> {
    let caveat = match params.map(|p| p.status == "success") {
        Some(true) if failing => Some(SEEN_TO_FAIL),
        // A summary may say that all tests pass; where nothing was edited, there is nothing to check.
        Some(true) if !checked && !seen.files_edited.is_empty() => match tested {
            true => Some(PARTLY_SEEN),
            false => Some(ONLY_REPORTED),
        },
        None if seen.interrupted => Some(INTERRUPTED),
        _ => None,
    };
    caveat.map(str::to_owned).into_iter().collect()
}

fn decide<'a>(
    snapshot: &'a Snapshot,
    input: &'a Finalize<'a>,
    mut seen: Observation,
    before: Option<&Before>,
    recorded: Option<String>,
) -> Decided<'a> {
    let params = input.params();
    if let Some(before) = before {
        before.ask(&mut seen, input);
    }
    seen.settle(&input.project.checkout);
    let checked = (seen.validated, seen.tested);
    let edits_seen = !seen.files_edited.is_empty();
    let code_seen = seen.files_edited.iter().any(|file| !is_untested(file));
    let proof = proof(&seen);
    let differences = differences(&seen, params);
    let absent = absent(&seen, params, &input.project.presents);
    let provenance = merge_report(&mut seen, params, &input.project.checkout.branch);
    // Observed beats said: a check that was seen to fail and never to pass makes no success.
    let failing = seen.open_failures.iter().any(Failure::is_check);
    let success = match params {
        Some(p) if p.status == "unknown" => seen.success(),
        Some(p) => Some(p.status == "success" && !failing),
        // What was said of the turn holds until something else is seen, or code is edited that nobody checked.
        None => {
            let said = before.and_then(|b| b.row.success);
            let said = said.filter(|success| !(*success && code_seen));
            let success = seen.success().or(said);
            success.filter(|success| !(*success && seen.interrupted))
        }
    };
    let mut risks = caveats(&seen, params, checked, failing);
    risks.extend(params.iter().flat_map(|p| p.risks.iter().cloned()));
    if success == Some(true) {
        // What failed on the way to a success is no news.
        seen.open_failures.clear();
    }
    let summary = match params {
        Some(p) if !p.summary.trim().is_empty() => p.summary.clone(),
        _ => {
            let seen = handoff::describe(&seen);
            before.map_or_else(|| seen.clone(), |before| before.summary(&seen))
        }
    };
    // "Go on" is no goal; what goes on is.
    let goal = seen.asked.goal();
    let goes = seen.asked.is_empty()
        && seen.kept.is_empty()
        && !goal.is_empty()
        && (only_goes_on(goal) || is_continuation(goal));
    let went_on = match goes {
        true => goes_on(input),
        false => String::new(),
    };
    let request = [
        params.map_or("", |p| p.task.as_str()),
        &went_on,
        seen.asked.goal(),
        &summary,
    ]
    .into_iter()
    .find(|t| !t.trim().is_empty())
    .unwrap_or_default()
    .to_owned();
    let explicit_type = params.map_or("", |p| p.task_type.as_str());
    let touched = seen.files_edited.iter().map(String::as_str);
    let prepared = provisional(explicit_type, &request, touched);
    let errors: Vec<String> = seen.open_failures.iter().map(Failure::line).collect();
    let last = observed(&Observed {
        explicit: explicit_type,
        request: &request,
        summary: &summary,
        errors: &errors,
        commands: &seen.commands,
        files_edited: &seen.files_edited,
        files_opened: &seen.files_opened,
    });
    let task_type = effective(&prepared, &last).name.clone();
    let area = derive_area(
        seen.files_edited
            .iter()
            .chain(&seen.files_opened)
            .map(String::as_str),
    );
    let is_recorded = recorded.is_some();
    let execution_id = recorded.unwrap_or_else(|| execution_id(params, input));
    let session = touch(snapshot, input.identity, input.now);

    let mut change = failures::apply(
        &snapshot.failures,
        &seen,
        &failures::Context {
            execution_id: &execution_id,
            task_type: &task_type,
            area_id: &area,
            summary: &summary,
            session: session.number,
            now: input.now,
            checkout: &input.project.checkout,
            claimed: params.map_or(&[], |p| p.resolved_failures.as_slice()),
            says_tested: success == Some(true)
                && params.is_some_and(|p| !p.tests_executed.is_empty()),
            failed: success == Some(false),
            reported: params.map_or(&[], |p| p.notable_errors.as_slice()),
        },
    );
    let recorded = change.patterns.iter_mut().flatten();
    recorded
        .filter(|p| p.last_execution_id == execution_id)
        .for_each(|p| anchor_failure(Arc::make_mut(p), input));
    let worth_a_handoff = match params {
        // Who only looked around leaves what is unfinished to whoever goes on with it.
        None if only_looked(&seen) && leaves_unfinished(snapshot, input.project) => false,
        None => seen.tools > 0 || change.persisted.is_some(),
        Some(p) => seen.tools > 0 || !p.summary.trim().is_empty() || change.persisted.is_some(),
    };
    let learned = learn(
        input,
        &Facts {
            seen: &seen,
            proof: proof.as_deref(),
            edits_seen,
            absent: &absent,
            success,
            request: &request,
            task_type: &task_type,
            area: &area,
            execution_id: &execution_id,
            session: session.number,
            change: &change,
        },
    );
    let left = seen.said.left();
    let (mut handoff, mut handoff_row) = handoff::build(
        &handoff::Input {
            execution_id: &execution_id,
            timestamp: input.now.to_string(),
            summary: &summary,
            success,
            failure_recorded: change.persisted.is_some(),
            request: &request,
            latest: seen.asked.latest(),
            task_type: &task_type,
            next_steps: match params {
                Some(params) if !params.next_steps.is_empty() => &params.next_steps,
                _ => &left,
            },
            blocked: params.map_or(&[], |p| p.blocked.as_slice()),
            risks: &risks,
            agent_id: &input.identity.agent_id,
            adapter_id: &input.identity.adapter_id,
            session_id: &input.identity.session_id,
            session_number: session.number,
            branch: &input.git.branch,
        },
        &seen,
    );
    let is_answer = !worth_a_handoff && seen.said.summary().chars().count() >= MIN_ANSWER;
    if is_answer {
        ANSWERED.clone_into(&mut handoff_row.status);
    }
    if let Some(before) = before {
        before.carry(success, &mut handoff, &mut handoff_row);
    }
    (handoff.recommended_starting_points).retain(|path| !absent.contains(path));
    (handoff_row.recommended_starting_points).retain(|path| !absent.contains(path));
    handoff.contract_gaps.clone_from(&learned.gaps);
    let head = input.git.head.as_str();
    let left: Vec<String> = seen.files_edited.iter().rev().cloned().collect();
    handoff.git_state = handoff_git_state(input.git, &left);
    handoff.anchors = file_anchors::anchor(&left, "", &input.project.presents, head);
    let mut told = params.map_or_else(Vec::new, |params| params.decisions.clone());
    let said = seen.kept.iter();
    told.extend(said.map(|rule| json!({ "decision": rule, "rationale": SAID_BY_USER })));
    let reported = seen.decided.iter().filter(|one| !seen.kept.contains(one));
    told.extend(
        reported.map(|one| json!({ "decision": one, "rationale": "the agent reported it" })),
    );
    told.extend(taken_back(snapshot, &seen));
    let whose = (execution_id.as_str(), session.number);
    let decisions = decided(snapshot, &told, whose, input.project, head, input.now);
    let elapsed_ms = params
        .and_then(|p| p.execution_time_ms)
        .or_else(|| Some(input.now.since(input.begun(&seen)?) * 1000));
    Decided {
        snapshot,
        input,
        seen,
        provenance,
        success,
        summary,
        request,
        prepared_type: prepared.name,
        final_resolution: value(&last),
        final_type: last.name,
        task_type,
        area,
        execution_id,
        is_recorded,
        session,
        change,
        handoff,
        handoff_row,
        worth_a_handoff,
        is_answer,
        decisions,
        differences,
        learned,
        elapsed_ms,
    }
}
