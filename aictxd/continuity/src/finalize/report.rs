//! What was reported, merged into what was observed; for each list it is said how it is known.

use std::sync::Arc;

use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::{LedgerRow, Provenance};
use aictx_proto::methods::FinalizeParams;
use aictx_proto::record::AgentExecutionRow;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, file_stem, slug};
use aictx_shell::is_untested;
use serde_json::{Map, Value, json};

use super::input::{ExplicitReport, Finalize};
use crate::ledger_facts::{MAX_LIST, Observation, push, told_in_turn};
use crate::lru_cache::{Pass, is_test_command, same_check};

/// Longest execution id taken as it is given.
const MAX_ID: usize = 120;

/// The nonce of a call that carries an id: the same for each time that it is sent (FNV-1a, 64 bits).
pub fn request_nonce(request_id: &str) -> u64 {
    request_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// How the ids of executions end that were made with this nonce.
fn id_end(nonce: u64) -> String {
    format!("-{:012x}", nonce & 0xffff_ffff_ffff)
}

/// Returns true for the id of an execution that this program named.
pub(super) fn is_made_here(execution_id: &str) -> bool {
    let end = execution_id.rsplit('-').next().unwrap_or_default();
    execution_id.starts_with("exec-")
        && end.len() == 12
        && end.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The execution that was recorded under this id.
pub(super) fn known_execution(
    input: &Finalize,
    execution_id: &str,
) -> Option<Arc<AgentExecutionRow>> {
    let wanted = given_id(execution_id)?;
    recorded(input, |id| id == wanted)
}

/// The execution of a report that was sent before: under its id, or by the same call.
pub(super) fn sent_before(
    input: &Finalize,
    report: &FinalizeParams,
) -> Option<Arc<AgentExecutionRow>> {
    if !report.execution_id.trim().is_empty() || report.request_id.is_empty() {
        return known_execution(input, &report.execution_id);
    }
    let end = id_end(input.nonce);
    recorded(input, |id| id.ends_with(&end))
}

/// The newest recorded execution with such an id.
fn recorded(input: &Finalize, is_it: impl Fn(&str) -> bool) -> Option<Arc<AgentExecutionRow>> {
    let rows = input.snapshot.executions.iter().rev();
    let mut rows = rows.chain(input.earlier);
    rows.find(|e| is_it(&e.execution_id)).cloned()
}

/// The executions that a finalize asks about and that the rows in memory do not hold: the one that is
/// reported, and the one with which the agent closed this turn before.
pub fn executions_asked(
    snapshot: &Snapshot,
    rows: &[LedgerRow],
    report: Option<&ExplicitReport>,
) -> Vec<String> {
    let reported = report.map(|r| r.params.execution_id.as_str());
    let told = told_in_turn(rows).map(|row| row.execution_id.as_str());
    let ids = reported.into_iter().chain(told).filter_map(given_id);
    let is_held = |id: &String| {
        let mut rows = snapshot.executions.iter().rev();
        rows.any(|e| e.execution_id == *id)
    };
    ids.filter(|id| !is_held(id)).collect()
}

/// An execution id from outside as it is stored: as given when it is one short line, else made a
/// name that no other id shares. Looking an id up and storing it must agree.
fn given_id(raw: &str) -> Option<String> {
    let id = raw.trim();
    let short = clean(id, MAX_ID);
    match id {
        "" => None,
        id if id == short => Some(short),
        id => Some(file_stem(id)),
    }
}

pub(super) fn execution_id(params: Option<&FinalizeParams>, input: &Finalize) -> String {
    match params.and_then(|p| given_id(&p.execution_id)) {
        Some(id) => id,
        None => {
            let agent = slug(&input.identity.agent_id, 24, "agent");
            format!(
                "exec-{agent}-{}{}",
                input.now.compact(),
                id_end(input.nonce)
            )
        }
    }
}

/// Adds what was reported to what was observed, the report's entries last (they are the newest
/// word), and says for each list how it is known. What it says passed did so on the branch checked out.
pub(super) fn merge_report(
    seen: &mut Observation,
    params: Option<&FinalizeParams>,
    branch: &str,
) -> Map<String, Value> {
    let default = FinalizeParams::default();
    let told = params.unwrap_or(&default);
    let tests: Vec<String> = told.tests_executed.clone();
    let inferred: Vec<String> = told
        .commands_executed
        .iter()
        .filter(|c| tests.is_empty() && is_test_command(c))
        .cloned()
        .collect();
    let heuristic_tests = tests.is_empty() && !inferred.is_empty();
    let mut map = Map::new();
    let mut merge = |name: &str, list: &mut Vec<String>, told: &[String], heuristic: bool| {
        let observed = !list.is_empty();
        for item in told.iter().map(|t| t.trim()).filter(|t| !t.is_empty()) {
            push(list, item);
        }
        let how = match (told.is_empty(), observed) {
            (false, _) if heuristic => Provenance::Heuristic,
            (false, _) => Provenance::Explicit,
            (true, true) => Provenance::RuntimeObserved,
            (true, false) => Provenance::Unknown,
        };
        map.insert(name.to_owned(), json!(how));
    };
    merge(
        "files_opened",
        &mut seen.files_opened,
        &told.files_opened,
        false,
    );
    let unseen = told.files_edited.iter();
    let unseen = unseen.filter(|path| !seen.files_edited.contains(path));
    let unseen: Vec<String> = unseen.cloned().collect();
    let observed = seen.files_edited.clone();
    merge(
        "files_edited",
        &mut seen.files_edited,
        &told.files_edited,
        false,
    );
    // The newest stand last, and what was seen comes before what is only said.
    for path in &observed {
        push(&mut seen.files_edited, path);
    }
    merge(
        "files_reopened",
        &mut seen.files_reopened,
        &told.files_reopened,
        false,
    );
    merge(
        "commands_executed",
        &mut seen.commands,
        &told.commands_executed,
        false,
    );
    merge(
        "tests_executed",
        &mut seen.tests,
        if heuristic_tests { &inferred } else { &tests },
        heuristic_tests,
    );
    let observed_errors = !seen.error_events.is_empty();
    for event in &told.error_events {
        let mut event = event.clone();
        event.message = clean(&event.message, 500);
        if event.message.is_empty() {
            continue;
        }
        if event.fingerprint.is_empty() {
            event.fingerprint = aictx_signals::fingerprint(&event, "");
        }
        seen.told_errors.push(event.clone());
        if !seen
            .error_events
            .iter()
            .any(|e| e.fingerprint == event.fingerprint)
            && seen.error_events.len() < aictx_proto::event::MAX_EVENTS
        {
            seen.error_events.push(event);
        }
    }
    let events = match (told.error_events.is_empty(), observed_errors) {
        (false, _) => Provenance::Explicit,
        (true, true) => Provenance::RuntimeObserved,
        (true, false) => Provenance::Unknown,
    };
    let errors = if !told.notable_errors.is_empty() {
        Provenance::Explicit
    } else if !seen.error_events.is_empty() {
        Provenance::DerivedFromErrorEvents
    } else {
        Provenance::Unknown
    };
    map.insert("notable_errors".to_owned(), json!(errors));
    map.insert("error_events".to_owned(), json!(events));
    // What was seen to pass may have passed before or after what only was told of.
    seen.unproven.extend(
        unseen
            .into_iter()
            .filter(|path| !seen.validated && !is_untested(path)),
    );
    if told.status == "success" {
        // The report says that what it ran worked; checks it names count as passed.
        // Observed beats said: a command that was seen to fail last did not pass.
        let failing = |c: &String| {
            let open = &seen.open_failures;
            open.iter().any(|f| same_check(&f.command, c))
        };
        let told_passed = told.tests_executed.iter().chain(&told.commands_executed);
        let told_passed: Vec<&String> = told_passed.filter(|c| !failing(c)).collect();
        let told_passed: Vec<String> = told_passed.into_iter().cloned().collect();
        for command in told_passed {
            let test = told.tests_executed.contains(&command) || is_test_command(&command);
            seen.told_passed(&command, test);
            seen.pass(Pass {
                command,
                branch: branch.to_owned(),
            });
        }
    }
    seen.tools += usize::from(params.is_some_and(|p| {
        !(p.files_edited.is_empty()
            && p.commands_executed.is_empty()
            && p.tests_executed.is_empty())
    }));
    map
}

pub(super) fn notable_errors(params: Option<&FinalizeParams>, seen: &Observation) -> Vec<String> {
    let told = params.map_or(&[][..], |p| p.notable_errors.as_slice());
    let mut list: Vec<String> = Vec::new();
    let derived: Vec<String> = seen
        .error_events
        .iter()
        .take(3)
        .map(ErrorEvent::render)
        .collect();
    let source = if told.is_empty() {
        derived.as_slice()
    } else {
        told
    };
    for item in source {
        let item = clean(item, 500);
        if !item.is_empty() && !list.contains(&item) && list.len() < MAX_LIST {
            list.push(item);
        }
    }
    list
}

/// Where a report and what was observed differ. Without observations there is nothing to compare.
pub(super) fn differences(seen: &Observation, params: Option<&FinalizeParams>) -> Vec<Value> {
    let Some(told) = params.filter(|_| seen.tools > 0) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut compare =
        |field: &str, told: &[String], seen: &[String], same: &dyn Fn(&str, &str) -> bool| {
            if told.is_empty() {
                return;
            }
            let only = |a: &[String], b: &[String]| -> Vec<String> {
                let missing = a.iter().filter(|x| !b.iter().any(|y| same(x, y)));
                missing.take(8).map(|x| clean(x, 200)).collect()
            };
            let (reported, observed) = (only(told, seen), only(seen, told));
            if !reported.is_empty() || !observed.is_empty() {
                out.push(
                    json!({ "field": field, "reported_only": reported, "observed_only": observed }),
                );
            }
        };
    let equal = |a: &str, b: &str| a == b;
    compare(
        "files_edited",
        &told.files_edited,
        &seen.files_edited,
        &equal,
    );
    compare(
        "tests_executed",
        &told.tests_executed,
        &seen.tests,
        &same_check,
    );
    let failing = seen.open_failures.iter().filter(|f| f.is_check());
    let failing: Vec<String> = failing.take(8).map(|f| clean(&f.command, 200)).collect();
    if told.status == "success" && !failing.is_empty() {
        out.push(
            json!({ "field": "status", "reported_only": ["success"], "observed_only": failing }),
        );
    }
    out
}
