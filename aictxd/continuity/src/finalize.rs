//! Finalize: one execution becomes durable, exactly once.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::event::ErrorEvent;
use aictx_proto::identity::Identity;
use aictx_proto::ledger::{LedgerKind, LedgerRow, Provenance};
use aictx_proto::methods::{FinalizeParams, FinalizeReply};
use aictx_proto::record::{AgentExecutionRow, ExecutionLogRow, files};
use aictx_proto::snapshot::{GitState, Snapshot};
use aictx_proto::text::{clean, file_stem, slug};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::area::derive_area;
use crate::classify::classify;
use crate::failures;
use crate::handoff;
use crate::observe::{Failure, MAX_LIST, Observation, open_rows, push};
use crate::project::Project;
use crate::session::touch;
use crate::summary;

/// Longest execution id taken as it is given.
const MAX_ID: usize = 120;

/// What an agent or a person reported, with paths already relative.
#[derive(Debug, Clone, Default)]
pub struct ExplicitReport {
    /// The report.
    pub params: FinalizeParams,
    /// Paths that lie outside the repository; reported back, never stored.
    pub outside: Vec<String>,
}

/// Everything a finalize decides on.
#[derive(Debug, Clone, Copy)]
pub struct Finalize<'a> {
    /// Whose execution it is.
    pub identity: &'a Identity,
    /// What was reported; `None` when the session ended by itself.
    pub report: Option<&'a ExplicitReport>,
    /// The session's ledger, oldest first.
    pub rows: &'a [LedgerRow],
    /// The worktree's state.
    pub git: &'a GitState,
    /// The repository.
    pub project: &'a Project,
    /// Makes execution ids unique within one second.
    pub nonce: u64,
    /// Now.
    pub now: Timestamp,
}

/// Decides. Without a report, an execution that did nothing gives `None` and no effects; so does
/// one that was finalized already.
pub fn finalize(snapshot: &Snapshot, input: &Finalize) -> (Option<FinalizeReply>, Effects) {
    let params = input.report.map(|r| &r.params);
    if let Some(known) = params.and_then(|p| known_execution(snapshot, &p.execution_id)) {
        return (Some(repeated(input, &known)), Vec::new());
    }
    let open = open_rows(input.rows);
    let mut seen = Observation::of(open);
    if params.is_none() && seen.is_empty() {
        return (None, Vec::new());
    }
    let provenance = merge_report(&mut seen, params);
    let success = match params {
        Some(p) => Some(p.status == "success"),
        None => seen.success(),
    };
    if success == Some(true) {
        // Observed beats said: a check that was seen to fail and never to pass stays open. Other
        // commands that failed on the way to a success are no news.
        seen.open_failures.retain(Failure::is_check);
    }
    let summary_text = match params {
        Some(p) if !p.summary.trim().is_empty() => p.summary.clone(),
        _ => handoff::describe(&seen),
    };
    let request = [
        params.map_or("", |p| p.task.as_str()),
        &seen.request,
        &summary_text,
    ]
    .into_iter()
    .find(|t| !t.trim().is_empty())
    .unwrap_or_default()
    .to_owned();
    let explicit_type = params.map_or("", |p| p.task_type.as_str());
    let prepared = classify(explicit_type, &request);
    let observed_text = format!("{request} {summary_text}");
    let last = classify(explicit_type, &observed_text);
    let effective = if last.name == "unknown" {
        prepared.name.clone()
    } else {
        last.name.clone()
    };
    let area = derive_area(
        seen.files_edited
            .iter()
            .chain(&seen.files_opened)
            .map(String::as_str),
    );
    let execution_id = execution_id(params, input);
    let touched = touch(snapshot, input.identity, input.now);

    let change = failures::apply(
        &snapshot.failures,
        &seen,
        &failures::Context {
            execution_id: &execution_id,
            task_type: &effective,
            area_id: &area,
            summary: &summary_text,
            session: touched.number,
            now: input.now,
            claimed: params.map_or(&[], |p| p.resolved_failures.as_slice()),
            failed: success == Some(false),
            reported: params.map_or(&[], |p| p.notable_errors.as_slice()),
        },
    );
    let worth_a_handoff = seen.tools > 0
        || params.is_some_and(|p| !p.summary.trim().is_empty())
        || change.persisted.is_some();
    let (handoff, row) = handoff::build(
        &handoff::Input {
            execution_id: &execution_id,
            timestamp: input.now.to_string(),
            summary: &summary_text,
            success,
            failure_recorded: change.persisted.is_some(),
            request: &request,
            task_type: &effective,
            next_steps: params.map_or(&[], |p| p.next_steps.as_slice()),
            blocked: params.map_or(&[], |p| p.blocked.as_slice()),
            risks: params.map_or(&[], |p| p.risks.as_slice()),
            agent_id: &input.identity.agent_id,
            adapter_id: &input.identity.adapter_id,
            session_id: &input.identity.session_id,
            session_number: touched.number,
        },
        &seen,
    );
    let decisions = decision_rows(params, &execution_id, touched.number, input.now);
    let elapsed = match (seen.first_at, seen.last_at) {
        (Some(first), Some(_)) => Some(input.now.since(first) * 1000),
        _ => None,
    };
    let log = ExecutionLogRow {
        task_id: execution_id.clone(),
        timestamp: input.now.to_string(),
        task_type: effective.clone(),
        prepared_task_type: prepared.name.clone(),
        final_task_type: last.name.clone(),
        files_opened: seen.files_opened.clone(),
        files_edited: seen.files_edited.clone(),
        files_reopened: seen.files_reopened.clone(),
        commands_executed: seen.commands.iter().map(|c| clean(c, 400)).collect(),
        tests_executed: seen.tests.iter().map(|c| clean(c, 400)).collect(),
        notable_errors: notable_errors(params, &seen),
        error_events: seen.error_events.clone(),
        capture_provenance: provenance.clone(),
        area_id: area.clone(),
        prepared_area_id: area.clone(),
        final_area_id: area.clone(),
        execution_time_ms: elapsed,
        success,
        used_packet: false,
        session_id: input.identity.session_id.clone(),
        finalized_from: if params.is_some() {
            "explicit"
        } else {
            "observed"
        }
        .to_owned(),
        extra: Map::new(),
    };
    let fingerprint = slug(
        &format!("{}:{effective}:{request}", input.project.name),
        80,
        "item",
    );
    let telemetry = AgentExecutionRow {
        execution_id: execution_id.clone(),
        agent_id: input.identity.agent_id.clone(),
        execution_mode: "plain".to_owned(),
        resolved_task_type: effective.clone(),
        prepared_task_type: prepared.name.clone(),
        final_task_type: last.name.clone(),
        repeated_context_request: snapshot
            .executions
            .iter()
            .any(|e| e.task_fingerprint == fingerprint),
        task_fingerprint: fingerprint,
        success,
        validated_learning: success == Some(true) && seen.validated,
        result_summary: clean(&summary_text, 240),
        execution_time_ms: elapsed,
        used_strategy: false,
        used_packet: false,
        recorded_at: input.now.to_string(),
        extra: Map::new(),
    };

    let failure = change.persisted.as_ref().map(|p| {
        let first = |name: &str| {
            p[name]
                .get(0)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let words = [first("toolchains"), first("phases"), first("error_codes")];
        let words: Vec<String> = words.into_iter().filter(|w| !w.is_empty()).collect();
        (p["existing"].as_bool().unwrap_or(false), words.join(" "))
    });
    let mut saved = Vec::new();
    if worth_a_handoff {
        saved.push("handoff");
    }
    if !decisions.is_empty() {
        saved.push("decision memory");
    }
    if failure.is_some() {
        saved.push("failure pattern");
    }
    let mut loaded = Vec::new();
    for (name, there) in [
        ("handoff", snapshot.handoff.is_some()),
        ("decisions", !snapshot.decisions.is_empty()),
        ("failures", !snapshot.failures.is_empty()),
    ] {
        if there {
            loaded.push(name);
        }
    }
    let next: Vec<String> = handoff
        .next_steps
        .iter()
        .chain(&handoff.blocked)
        .cloned()
        .collect();
    let (text, payload, polished) = summary::render(&summary::Facts {
        loaded: loaded.clone(),
        failure: failure.clone(),
        resolved: change.resolved.len(),
        saved,
        next: next.clone(),
        entry_points: handoff.recommended_starting_points.clone(),
        observed: seen.tools > 0,
    });
    let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
    let markdown = summary::markdown(
        &[
            ("prepared task type", prepared.name.clone()),
            ("final task type", last.name.clone()),
            ("effective task type", effective.clone()),
            ("effective area", area.clone()),
            ("outcome", handoff.status.clone()),
            ("handoff stored", yes(worth_a_handoff)),
            ("decision stored", yes(!decisions.is_empty())),
            ("failure recorded", yes(failure.is_some())),
            ("failures resolved", change.resolved.len().to_string()),
        ],
        &[
            ("files opened", seen.files_opened.len()),
            ("files edited", seen.files_edited.len()),
            ("commands", seen.commands.len()),
            ("tests", seen.tests.len()),
            ("errors", seen.error_events.len()),
        ],
        &next,
        &handoff.recommended_starting_points,
    );
    let feedback = json!({
        "files_opened": seen.files_opened.len(),
        "reopened_files": seen.files_reopened.len(),
        "used_strategy": false,
        "used_packet": false,
        "possible_redundant_exploration": seen.files_reopened.len() > 2 && seen.files_edited.is_empty(),
        "previous_strategy_reused": false,
        "commands_observed": seen.commands.len(),
        "tests_observed": seen.tests.len(),
    });

    let mut effects: Effects = Vec::new();
    let append = |file: &str, rows: Vec<Value>, order| Effect::AppendRows {
        file: file.to_owned(),
        rows,
        order,
    };
    effects.push(append(
        files::EXECUTION_LOGS,
        vec![value(&log)],
        KeyOrder::AsBuilt,
    ));
    effects.push(append(
        files::AGENT_EXECUTION_LOG,
        vec![value(&telemetry)],
        KeyOrder::AsBuilt,
    ));
    if worth_a_handoff {
        effects.push(append(files::HANDOFFS, vec![value(&row)], KeyOrder::Sorted));
        effects.push(Effect::ReplaceJson {
            file: files::HANDOFF.to_owned(),
            value: value(&handoff),
            order: KeyOrder::Sorted,
        });
    }
    if !decisions.is_empty() {
        effects.push(append(
            files::DECISIONS,
            decisions.clone(),
            KeyOrder::Sorted,
        ));
    }
    if let Some(patterns) = &change.patterns {
        effects.push(Effect::ReplaceRows {
            file: files::FAILURE_PATTERNS.to_owned(),
            rows: patterns.iter().map(value).collect(),
            order: KeyOrder::Sorted,
        });
        effects.push(Effect::ReplaceJson {
            file: files::FAILURE_INDEX.to_owned(),
            value: failures::index(patterns),
            order: KeyOrder::Sorted,
        });
    }
    if !change.evicted.is_empty() {
        let rows = change.evicted.iter().map(value).collect();
        effects.push(append(
            "archive/failure_memory/evicted.jsonl",
            rows,
            KeyOrder::Sorted,
        ));
    }
    effects.push(append(
        files::LIFECYCLE_EVENTS,
        vec![lifecycle_event(
            input,
            &execution_id,
            &request,
            &effective,
            success,
            &seen,
        )],
        KeyOrder::Sorted,
    ));
    effects.push(Effect::ReplaceJson {
        file: files::AGENT_EXECUTION_STATUS.to_owned(),
        value: json!({
            "version": 2,
            "executions_total": snapshot.executions_total + 1,
            "last_execution_id": execution_id,
            "last_execution_mode": "plain",
            "last_success": success,
            "last_recorded_at": input.now,
            "last_execution_time_ms": elapsed,
        }),
        order: KeyOrder::Sorted,
    });
    effects.push(Effect::ReplaceText {
        file: files::LAST_SUMMARY.to_owned(),
        text: markdown,
    });
    let mut session_file = touched.file.clone();
    session_file.last_execution_at = input.now.to_string();
    effects.push(Effect::ReplaceJson {
        file: files::SESSION.to_owned(),
        value: value(&session_file),
        order: KeyOrder::Sorted,
    });
    effects.push(Effect::Ledger {
        session_id: input.identity.session_id.clone(),
        row: Box::new(LedgerRow {
            provenance: if params.is_some() {
                Provenance::Explicit
            } else {
                Provenance::RuntimeObserved
            },
            session_id: input.identity.session_id.clone(),
            execution_id: execution_id.clone(),
            ..LedgerRow::observed(input.now, LedgerKind::Finalized)
        }),
    });

    let mut agent_summary = Map::new();
    for (name, member) in [
        ("prepared_task_type", json!(prepared.name)),
        ("final_task_type", json!(last.name)),
        ("effective_task_type", json!(effective)),
        ("effective_area_id", json!(area)),
        ("handoff_stored", json!(worth_a_handoff)),
        ("decision_stored", json!(!decisions.is_empty())),
        ("failure_recorded", json!(failure.is_some())),
        ("resolved_failures", json!(change.resolved)),
        ("continuity_loaded", json!(loaded)),
        ("files_opened", json!(seen.files_opened.len())),
        ("files_edited", json!(seen.files_edited.len())),
        ("commands_observed", json!(seen.commands)),
        ("tests_observed", json!(seen.tests)),
        ("polished_summary", polished),
    ] {
        agent_summary.insert(name.to_owned(), member);
    }
    let mut warnings: Vec<String> = snapshot
        .issues
        .iter()
        .map(|i| i.warning())
        .take(12)
        .collect();
    if params.is_some() && success == Some(true) {
        let failing = seen.open_failures.iter().take(3);
        warnings.extend(
            failing.map(|f| format!("reported as success, but seen failing: {}", f.line())),
        );
    }
    if let Some(report) = input.report
        && !report.outside.is_empty()
    {
        warnings.push(format!(
            "{} paths outside the repository were not recorded",
            report.outside.len()
        ));
    }
    let reply = FinalizeReply {
        schema_version: "1.0".to_owned(),
        execution_id,
        session_id: input.identity.session_id.clone(),
        recorded: true,
        execution_mode: "plain".to_owned(),
        prepared_task_type: prepared.name,
        final_task_type: last.name,
        effective_task_type: effective,
        effective_area_id: area,
        telemetry_entry: value(&telemetry),
        handoff_persisted: worth_a_handoff.then(|| {
            json!({
                "path": format!(".aictx/{}", files::HANDOFF),
                "handoff": value(&handoff),
                "history": { "path": format!(".aictx/{}", files::HANDOFFS), "count": (snapshot.handoffs.len() + 1).min(10) },
            })
        }),
        failure_persisted: change.persisted,
        resolved_failures: change.resolved,
        decisions_persisted: decisions,
        aictx_feedback: feedback,
        capture_quality: capture_quality(&provenance),
        git_state: git_state(input.git, &log.files_edited),
        execution_observation: value(&log),
        agent_summary,
        agent_summary_text: text,
        agent_summary_render_payload: payload,
        redacted: Map::new(),
        finalized_at: input.now.to_string(),
        warnings,
    };
    (Some(reply), effects)
}

fn value(record: &impl Serialize) -> Value {
    // Records are plain data with string keys: they always serialise.
    serde_json::to_value(record).unwrap_or(Value::Null)
}

fn known_execution(snapshot: &Snapshot, execution_id: &str) -> Option<AgentExecutionRow> {
    let wanted = given_id(execution_id)?;
    snapshot
        .executions
        .iter()
        .rev()
        .find(|e| e.execution_id == wanted)
        .cloned()
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

fn execution_id(params: Option<&FinalizeParams>, input: &Finalize) -> String {
    match params.and_then(|p| given_id(&p.execution_id)) {
        Some(id) => id,
        None => {
            let agent = slug(&input.identity.agent_id, 24, "agent");
            format!(
                "exec-{agent}-{}-{:012x}",
                input.now.compact(),
                input.nonce & 0xffff_ffff_ffff
            )
        }
    }
}

/// Adds what was reported to what was observed, the report's entries last (they are the newest
/// word), and says for each list how it is known.
fn merge_report(seen: &mut Observation, params: Option<&FinalizeParams>) -> Map<String, Value> {
    let default = FinalizeParams::default();
    let told = params.unwrap_or(&default);
    let tests: Vec<String> = told.tests_executed.clone();
    let inferred: Vec<String> = told
        .commands_executed
        .iter()
        .filter(|c| tests.is_empty() && aictx_signals::is_test_command(c))
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
    merge(
        "files_edited",
        &mut seen.files_edited,
        &told.files_edited,
        false,
    );
    merge("files_reopened", &mut seen.files_reopened, &[], false);
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
    if told.status == "success" {
        // The report says that what it ran worked; checks it names count as passed.
        for command in told.tests_executed.iter().chain(&told.commands_executed) {
            push(&mut seen.passed, command);
        }
        seen.validated |= !told.tests_executed.is_empty() || heuristic_tests;
    }
    seen.tools += usize::from(params.is_some_and(|p| {
        !(p.files_edited.is_empty()
            && p.commands_executed.is_empty()
            && p.tests_executed.is_empty())
    }));
    map
}

fn notable_errors(params: Option<&FinalizeParams>, seen: &Observation) -> Vec<String> {
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

/// Rows of decisions that say what and why (or what else was weighed).
fn decision_rows(
    params: Option<&FinalizeParams>,
    execution_id: &str,
    session: u64,
    now: Timestamp,
) -> Vec<Value> {
    const MAX_DECISIONS: usize = 20;
    let Some(params) = params else {
        return Vec::new();
    };
    let texts = |v: Option<&Value>| -> Vec<String> {
        let list = v.and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter()
            .filter_map(Value::as_str)
            .map(|s| clean(s, 400))
            .filter(|s| !s.is_empty())
            .take(8)
            .collect()
    };
    let text = |v: Option<&Value>| clean(v.and_then(Value::as_str).unwrap_or_default(), 1_000);
    params
        .decisions
        .iter()
        .filter_map(|given| {
            let decision = text(given.get("decision"));
            let rationale = text(given.get("rationale"));
            let lists: Vec<Vec<String>> = ["alternatives", "constraints", "risks", "related_paths"]
                .iter()
                .map(|name| texts(given.get(*name)))
                .collect();
            let [alternatives, constraints, risks, related_paths] = lists.as_slice() else {
                return None;
            };
            let reasoned = !rationale.is_empty() || lists.iter().any(|l| !l.is_empty());
            (!decision.is_empty() && reasoned).then(|| {
                json!({
                    "decision": decision, "rationale": rationale, "alternatives": alternatives,
                    "constraints": constraints, "risks": risks, "related_paths": related_paths,
                    "subsystem": text(given.get("subsystem")), "timestamp": now, "session": session,
                    "execution_id": execution_id,
                })
            })
        })
        .take(MAX_DECISIONS)
        .collect()
}

fn lifecycle_event(
    input: &Finalize,
    execution_id: &str,
    request: &str,
    task_type: &str,
    success: Option<bool>,
    seen: &Observation,
) -> Value {
    json!({
        "schema_version": "1.0",
        "event_type": "finalize_called",
        "timestamp": input.now,
        "source": if input.report.is_some() { "cli" } else { "hook" },
        "agent_id": input.identity.agent_id,
        "adapter_id": input.identity.adapter_id,
        "session_id": input.identity.session_id,
        "execution_id": execution_id,
        "task": clean(request, 500),
        "task_type": task_type,
        "status": match success { Some(true) => "success", Some(false) => "failure", None => "unknown" },
        "files_opened_count": seen.files_opened.len(),
        "files_edited_count": seen.files_edited.len(),
        "commands_count": seen.commands.len(),
        "tests_count": seen.tests.len(),
    })
}

/// Which of the six fields are known (spec §12.6).
fn capture_quality(provenance: &Map<String, Value>) -> Value {
    const FIELDS: [&str; 6] = [
        "files_opened",
        "files_edited",
        "commands_executed",
        "tests_executed",
        "notable_errors",
        "error_events",
    ];
    let known = |f: &&&str| {
        provenance
            .get(**f)
            .and_then(Value::as_str)
            .is_some_and(|p| p != "unknown")
    };
    let covered: Vec<&&str> = FIELDS.iter().filter(known).collect();
    let unknown: Vec<&&str> = FIELDS.iter().filter(|f| !known(f)).collect();
    let ratio = (covered.len() as f64 / FIELDS.len() as f64 * 10_000.0).round() / 10_000.0;
    json!({
        "covered_fields": covered, "unknown_fields": unknown, "coverage_ratio": ratio,
        "provenance": provenance,
    })
}

fn git_state(git: &GitState, edited: &[String]) -> Value {
    if !git.available {
        let reason = if git.reason.is_empty() {
            "not_git_repo"
        } else {
            &git.reason
        };
        return json!({ "available": false, "reason": reason });
    }
    let mut changed: Vec<&String> = Vec::new();
    for path in git.staged.iter().chain(&git.unstaged).chain(&git.untracked) {
        if !changed.contains(&path) {
            changed.push(path);
        }
    }
    let uncommitted: Vec<&&String> = changed.iter().filter(|p| edited.contains(p)).collect();
    json!({
        "available": true,
        "branch": git.branch,
        "commit": git.head.get(..7).unwrap_or(&git.head),
        "dirty": !changed.is_empty(),
        "changed_count": changed.len(),
        "changed_files": changed,
        "staged_files": git.staged,
        "unstaged_files": git.unstaged,
        "untracked_files": git.untracked,
        "files_edited_uncommitted": uncommitted,
        "truncated": git.truncated,
    })
}

/// Answer for an execution that is recorded already.
fn repeated(input: &Finalize, known: &AgentExecutionRow) -> FinalizeReply {
    FinalizeReply {
        schema_version: "1.0".to_owned(),
        execution_id: known.execution_id.clone(),
        session_id: input.identity.session_id.clone(),
        recorded: false,
        execution_mode: known.execution_mode.clone(),
        prepared_task_type: known.prepared_task_type.clone(),
        final_task_type: known.final_task_type.clone(),
        effective_task_type: known.resolved_task_type.clone(),
        effective_area_id: String::new(),
        telemetry_entry: value(known),
        handoff_persisted: None,
        failure_persisted: None,
        resolved_failures: Vec::new(),
        decisions_persisted: Vec::new(),
        aictx_feedback: json!({}),
        capture_quality: json!({}),
        git_state: git_state(input.git, &[]),
        execution_observation: json!({}),
        agent_summary: Map::new(),
        agent_summary_text: "This execution was recorded before; nothing was changed.".to_owned(),
        agent_summary_render_payload: json!({}),
        redacted: Map::new(),
        finalized_at: known.recorded_at.clone(),
        warnings: vec!["already_finalized".to_owned()],
    }
}
