//! `aictx resume`: everything that concerns a request, as a document with the fields of the format.

use std::collections::BTreeSet;

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::identity::{Identity, SessionSource};
use aictx_proto::json;
use aictx_proto::ledger::{LedgerKind, LedgerRow, Receipt};
use aictx_proto::methods::{ResumeParams, ResumeReply};
use aictx_proto::record::{ContractRecord, ContractRef, LifecycleEvent, files};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use serde_json::{Value, json};

use self::banner::{banner_lines, canonical_banner};
use self::contract::{continuity_match, execution_contract, guard_triggers, runner_contract};
use self::json_budget::fit;
use self::render_text::render;
use crate::contracts::{contract_file, next_id, with_new};
use crate::preferences::{self, is_muted};
use crate::project::Project;
use crate::record_json::record_value as value;
use crate::relevance::{Context, Hand};
use crate::session::touch;
use crate::session_brief::banner;
use crate::{memory_freshness, stale_sessions, strategies};

pub(crate) use self::contract::{entry_points, validation_policy};
pub(crate) use self::sections::{
    carryover_gaps, decision_text, dirty_text, discarded_hypotheses, failure_text, other_work,
    recalled, task_state,
};

mod area_notes;
mod banner;
#[cfg(test)]
mod budgets;
mod contract;
mod json_budget;
mod pieces;
mod render_text;
mod sections;
mod static_sections;
#[cfg(test)]
mod tests;
mod whole_values;

/// An answer, and the same as JSON: what is measured, kept and sent is written out once.
#[derive(Debug)]
pub struct Resumed {
    /// The answer.
    pub reply: ResumeReply,
    /// As serde_json writes it.
    pub json: String,
}

/// Answers a resume: counts the session, makes its contract and keeps a receipt of what was told.
pub fn resume(
    snapshot: &Snapshot,
    params: &ResumeParams,
    identity: &Identity,
    project: &Project,
    now: Timestamp,
) -> (Resumed, Effects) {
    let mut touched = touch(snapshot, identity, now);
    // A person at a shell only looks: a session begins with an agent, or with work.
    let is_anonymous = identity.session_source == SessionSource::Process;
    let only_looks = touched.is_new && is_anonymous && params.caller.source() != "mcp";
    let muted = is_muted(&snapshot.preferences);
    let already_shown = touched.banner_shown;
    if !muted {
        touched.mark_banner(now);
    }
    let context = Context::load(
        snapshot,
        project,
        &params.task,
        &params.task_type,
        Hand::default(),
        now,
    );
    let limit = if params.full { 8 } else { 3 };
    let fits = context.task_fits;
    let (points, fallback) = entry_points(&context, fits, params.full);
    // What came with the repository binds nobody.
    let own = points.iter().filter(|point| point.origin.is_own());
    let own: Vec<_> = own.cloned().collect();
    let matched = continuity_match(&context, &own, fits);
    let test = project.canonical_check(snapshot);
    let contract = execution_contract(&context, &matched, &own, test.as_ref());
    let strength = json::member(&matched, "contract_strength")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let gaps = carryover_gaps(&context);
    let state = task_state(&context, fits, &points, &gaps);
    let mut parts = sections::Parts::of(&context, &contract, &points, &fallback, limit);
    let validated = parts.validated();
    let expected_test = test.as_ref().map_or("", |(c, _)| c.as_str());
    let quality = memory_freshness::report(&context, &gaps, !expected_test.is_empty(), validated);
    let asked = stale_sessions::Asked {
        session_id: &identity.session_id,
        request: &context.request,
        now,
    };
    let lifecycle_status = stale_sessions::status(snapshot, asked);
    let lifecycle_gaps = stale_sessions::gaps(&lifecycle_status, 5);
    let header = banner(&touched, "");
    let lines = banner_lines(&context);
    // The banner that an agent shows begins with the agent's name, as the format has it.
    let shown = header.as_str().trim_start_matches("aictx · ").to_owned();
    let canonical = canonical_banner(&shown, &lines);
    let contract_id = next_id(&snapshot.contracts, &identity.session_id);
    let reference = ContractRef {
        path: format!(".aictx/{}", contract_file(&contract_id)),
        contract_id: contract_id.clone(),
        session_id: identity.session_id.clone(),
        agent_id: identity.agent_id.clone(),
        generated_at: now.to_string(),
        task_goal: clean(&context.request, 240),
        status: "active".to_owned(),
        ..ContractRef::default()
    };
    let checks = json!({
        "expected_first_action": contract.pointer("/first_action/path"),
        "expected_test_command": expected_test,
        "expected_final_command": json::member(&contract, "finalize_command"),
        "violations_to_report": ["edit_outside_scope", "edited_avoided_path", "missing_first_action", "canonical_test_missing", "missing_finalize"],
    });
    let mut warnings: Vec<String> = snapshot.issues.iter().map(|i| i.warning()).collect();
    warnings.extend(parts.warnings(&context));
    warnings.extend(
        lifecycle_gaps
            .iter()
            .filter_map(|g| Some(g["code"].as_str()?.to_owned())),
    );
    let mut known = BTreeSet::new();
    warnings.retain(|warning| known.insert(warning.clone()));
    warnings.truncate(12);
    let optional = |value: Value| if params.brief { Value::Null } else { value };
    let mut reply = ResumeReply {
        schema_version: "1.0".to_owned(),
        generated_at: now.to_string(),
        mode: match (params.brief, params.full) {
            (true, _) => "brief",
            (_, true) => "full",
            _ => "agent_brief",
        }
        .to_owned(),
        repo: project.root.clone(),
        request: context.request.clone(),
        agent_id: identity.agent_id.clone(),
        adapter_id: identity.adapter_id.clone(),
        agent_identity: json!({
            "agent_id": identity.agent_id, "adapter_id": identity.adapter_id,
            "agent_label": touched.agent_label, "session_id": identity.session_id,
        }),
        startup_banner_text: if already_shown || muted {
            String::new()
        } else {
            canonical.clone()
        },
        startup_banner_render_payload: json!({
            "header": { "agent_label": touched.agent_label, "session_count": touched.number, "canonical_text": shown },
            "lines": lines, "canonical_text": if params.brief { "" } else { canonical.as_str() },
        }),
        startup_banner_policy: json!({
            "source": "resume", "show_in_first_user_visible_response": !already_shown && !muted,
            "already_shown": already_shown, "muted": muted,
        }),
        communication_policy: json!({ "layer": "disabled", "mode": "disabled" }),
        effective_preferences: preferences::as_json(&snapshot.preferences),
        startup_guard: optional(json!({
            "resume_is_self_contained": true,
            "allowed_aictx_commands_before_first_task_action": ["resume"],
            "allowed_aictx_commands_after_task_action": ["finalize"],
        })),
        structural_context: optional(static_sections::structural_context(project)),
        structural_entry_points: if params.brief {
            Vec::new()
        } else {
            static_sections::structural(project)
        },
        continuity_match: matched,
        execution_contract: contract.clone(),
        runner_contract: runner_contract(),
        guard_triggers: guard_triggers(&strength, &context.task.name),
        contract_checks: optional(checks.clone()),
        previous_contract_result: optional(static_sections::previous_contract(snapshot)),
        budget: Value::Null,
        task_state: state,
        strongest_carryover_gap: sections::strongest(&gaps),
        carryover_gaps: gaps,
        discarded_hypotheses: discarded_hypotheses(&context, if params.full { 5 } else { 3 }),
        strategy_hint: context
            .strategy
            .as_ref()
            .map_or_else(|| json!({}), strategies::hint),
        notes: static_sections::notes(&context),
        capsule: parts.capsule(),
        sources: static_sections::sources(&context),
        continuity_quality: if params.brief {
            static_sections::brief_quality(&quality)
        } else {
            quality
        },
        lifecycle_status: optional(lifecycle_status),
        lifecycle_gaps,
        written_files: json!({
            "markdown": format!(".aictx/{}", files::RESUME_CAPSULE_MD),
            "json": format!(".aictx/{}", files::RESUME_CAPSULE_JSON),
        }),
        loaded_context: parts.loaded(&context),
        warnings,
        contract_ref: json!({
            "contract_id": reference.contract_id, "path": reference.path,
            "session_id": reference.session_id, "execution_id": "",
            "generated_at": reference.generated_at, "task_goal": reference.task_goal,
        }),
        active_task: only_brief(params, || static_sections::active_task(&context)),
        handoff: only_brief(params, || static_sections::handoff(&context)),
        skipped_work_state: context.active.skipped.clone().unwrap_or(Value::Null),
        text: String::new(),
    };
    let text_receipt = render(&mut reply, &context, params, &header, &points);
    let body = fit(&mut reply, params);
    let budget = reply.budget.to_string();
    let stored = json::with_member(&body, "budget", &budget);
    let record = ContractRecord {
        version: 1,
        contract_id: contract_id.clone(),
        path: reference.path.clone(),
        generated_at: reference.generated_at.clone(),
        request: clean(&params.task, 2_000),
        task_goal: reference.task_goal.clone(),
        session_id: identity.session_id.clone(),
        agent_id: identity.agent_id.clone(),
        status: "active".to_owned(),
        execution_contract: contract,
        contract_checks: checks,
        ..ContractRecord::default()
    };
    let event = LifecycleEvent {
        schema_version: "1.0".to_owned(),
        event_type: "resume_called".to_owned(),
        timestamp: now.to_string(),
        source: params.caller.source().to_owned(),
        agent_id: identity.agent_id.clone(),
        adapter_id: identity.adapter_id.clone(),
        session_id: identity.session_id.clone(),
        task: clean(&params.task, stale_sessions::MAX_TASK),
        task_type: context.task.name.clone(),
        contract_id,
        ..LifecycleEvent::default()
    };
    let json = match reply.text.is_empty() {
        true => stored.clone(),
        false => json::with_member(&stored, "text", &value(&reply.text).to_string()),
    };
    let mut effects = vec![
        Effect::ReplaceText {
            file: files::RESUME_CAPSULE_MD.to_owned(),
            text: reply.text.clone(),
        },
        // The text stands in the file beside it.
        Effect::ReplaceWritten {
            file: files::RESUME_CAPSULE_JSON.to_owned(),
            json: stored,
        },
    ];
    effects.extend(contract_effects(snapshot, &record, reference));
    if !only_looks {
        effects.push(touched.effect());
        effects.extend(session_effects(&event, text_receipt));
    }
    (Resumed { reply, json }, effects)
}

/// A member that only the brief form has, whose capsule is short.
fn only_brief(params: &ResumeParams, member: impl FnOnce() -> Value) -> Value {
    match params.brief {
        true => member(),
        false => Value::Null,
    }
}

/// Writes of the contract.
fn contract_effects(
    snapshot: &Snapshot,
    record: &ContractRecord,
    reference: ContractRef,
) -> Effects {
    let replace = |file: String, value: Value| Effect::ReplaceJson {
        file,
        value,
        order: KeyOrder::Sorted,
    };
    let (index, gone) = with_new(&snapshot.contracts, reference);
    let mut effects = vec![
        replace(contract_file(&record.contract_id), value(record)),
        replace(files::CONTRACT_INDEX.to_owned(), value(&index)),
    ];
    effects.extend(gone.iter().map(|id| Effect::Remove {
        file: contract_file(id),
    }));
    effects
}

/// Writes of what a session asked and was told.
fn session_effects(event: &LifecycleEvent, receipt: Receipt) -> [Effect; 2] {
    [
        Effect::AppendRows {
            file: files::LIFECYCLE_EVENTS.to_owned(),
            rows: vec![stale_sessions::row(event)],
            order: KeyOrder::Sorted,
        },
        Effect::Ledger {
            session_id: event.session_id.clone(),
            row: Box::new(LedgerRow {
                session_id: event.session_id.clone(),
                receipt: Some(Box::new(receipt)),
                ..LedgerRow::observed(
                    Timestamp::parse(&event.timestamp).unwrap_or_default(),
                    LedgerKind::Told,
                )
            }),
        },
    ]
}
