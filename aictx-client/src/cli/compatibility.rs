//! Members of JSON answers that programs written for the Python package read, beside our own. They say again
//! what the answer says, or never change, so that no packet for an agent carries them
//! (docs/compatibility.md).

use std::path::Path;

use aictx_proto::json::{member, set};
use aictx_proto::methods::FinalizeParams;
use aictx_proto::record::files;
use serde_json::{Value, json};

/// Adds the members of `resume --json`.
pub(super) fn resume(value: &mut Value, brief: bool) {
    if brief {
        let decisions = value.pointer("/capsule/decisions").cloned();
        set(value, "decisions", decisions.unwrap_or_else(|| json!([])));
        if let Some(members) = value.as_object_mut() {
            members.remove("loaded_context");
        }
        return;
    }
    set(value, "public_json_contract", resume_contract());
    let policy = member(value, "communication_policy").clone();
    set(
        value,
        "runtime_text_policy",
        json!({ "communication": policy }),
    );
    let written = value.pointer("/written_files/json");
    let memory = memory(written, files::RESUME_CAPSULE_JSON);
    let view = view(&memory, member(value, "repo").as_str().unwrap_or_default());
    set(value, "continuity_view", view);
    extend(
        value,
        "startup_banner_policy",
        json!({
            "render_payload_field": "startup_banner_render_payload",
            "data_source": "load_continuity_context",
            "does_not_replace_prepare_execution": true,
            "instruction": "Begin the first answer to the user with the banner, once, in the user's language. \
                Keep names, paths and numbers as they are.",
        }),
    );
    extend(
        value,
        "sources",
        json!({
            "startup_banner": "load_continuity_context.startup_banner_text",
            "final_summary": "finalize_execution.agent_summary_text",
        }),
    );
    extend(
        value,
        "startup_guard",
        json!({
            "do_not_read_runtime_files": true,
            "do_not_inspect_aictx_installation": true,
            "forbidden_normal_flow": [
                "aictx internal execution prepare", "aictx internal execution finalize",
            ],
            "forbidden_before_first_task_action": [
                format!("{memory}agent_runtime.md"), format!("{memory}**"),
                "local/global AICTX installation files",
            ],
        }),
    );
}

/// Adds the members of `finalize --json`.
pub(super) fn finalize(value: &mut Value, repo: &str) {
    set(value, "public_json_contract", finalize_contract());
    let written = value.pointer("/continuity_metrics_persisted/path");
    let view = view(&memory(written, files::CONTINUITY_METRICS), repo);
    set(value, "continuity_view", view);
    let id = member(value, "execution_id").clone();
    let feedback = json!({
        "task_id": id, "execution_id": id, "timestamp": member(value, "finalized_at"),
        "aictx_feedback": member(value, "aictx_feedback"),
        "agent_summary": member(value, "agent_summary"),
    });
    let recorded = member(value, "recorded") == &json!(true);
    let feedback = if recorded { feedback } else { Value::Null };
    set(value, "feedback_persisted", feedback);
    let learned = match member(value, "strategy_persisted") {
        Value::Object(strategy) => json!({
            "path": strategy.get("path"),
            "record_id": format!("execution_learning::{}", id.as_str().unwrap_or_default()),
        }),
        _ => Value::Null,
    };
    set(value, "learning_persisted", learned);
    let muted = value.pointer("/agent_summary_policy/muted") == Some(&json!(true));
    set(
        value,
        "message_visibility",
        json!({
            "mode": if muted { "muted" } else { "unmuted" },
            "startup_banner_suppressed": muted, "agent_summary_suppressed": muted,
        }),
    );
}

/// The member `prepared` of a command that was run under observation, from its finalize.
pub(super) fn prepared(finalized: &Value, report: &FinalizeParams) -> Value {
    let agent = finalized.pointer("/telemetry_entry/agent_id");
    let adapter = match report.caller.adapter_id.as_str() {
        "" => agent.cloned().unwrap_or_default(),
        adapter => adapter.into(),
    };
    json!({
        "envelope": {
            "repo_root": report.repo, "user_request": report.task, "agent_id": agent,
            "adapter_id": adapter, "execution_id": member(finalized, "execution_id"),
            "session_id": member(finalized, "session_id"),
        },
        "execution_mode": member(finalized, "execution_mode"),
        "prepared_task_type": member(finalized, "prepared_task_type"),
        "prepared_area_id": member(finalized, "prepared_area_id"),
        "execution_observation": member(finalized, "execution_observation"),
        "adapter_profile": { "adapter_id": adapter },
        "message_visibility": member(finalized, "message_visibility"),
    })
}

/// Directory of the memory as answers name it, `.aictx/` or one outside of the repository, from a file in it.
fn memory(written: Option<&Value>, file: &str) -> String {
    let written = written.and_then(Value::as_str).unwrap_or_default();
    written.strip_suffix(file).unwrap_or(".aictx/").to_owned()
}

/// Paths of the page and the diagram that `aictx view` writes, and whether the page is there.
fn view(memory: &str, repo: &str) -> Value {
    let [markdown, mermaid] = [files::VIEW, files::VIEW_MAP].map(|file| format!("{memory}{file}"));
    json!({
        "exists": !repo.is_empty() && Path::new(repo).join(&markdown).is_file(),
        "markdown_path": markdown, "mermaid_path": mermaid,
    })
}

fn extend(value: &mut Value, name: &str, more: Value) {
    let object = value.as_object_mut().and_then(|members| {
        let object = members.entry(name).or_insert_with(|| json!({}));
        object.as_object_mut()
    });
    if let (Some(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

fn resume_contract() -> Value {
    json!({
        "schema_version": "1.0",
        "stable_fields": [
            "schema_version", "generated_at", "mode", "repo", "request", "agent_id", "adapter_id",
            "agent_identity", "startup_banner_text", "startup_banner_render_payload",
            "startup_banner_policy", "continuity_match", "execution_contract", "runner_contract",
            "guard_triggers", "contract_checks", "previous_contract_result", "task_state",
            "carryover_gaps", "discarded_hypotheses", "strategy_hint", "capsule", "sources",
            "continuity_view", "loaded_context", "warnings", "contract_ref",
        ],
        "diagnostic_fields": [
            "budget", "continuity_quality", "lifecycle_status", "lifecycle_gaps", "structural_context", "notes",
        ],
        "compatibility": "members are added, never renamed",
    })
}

fn finalize_contract() -> Value {
    json!({
        "schema_version": "1.0",
        "stable_fields": [
            "execution_id", "public_json_contract", "execution_mode", "prepared_task_type",
            "final_task_type", "effective_task_type", "final_task_resolution", "aictx_feedback",
            "contract_adherence", "contract_compliance", "contract_gaps", "handoff_persisted",
            "agent_summary", "agent_summary_text", "agent_summary_render_payload",
            "agent_summary_policy", "value_evidence", "capture_quality", "finalized_at",
            "continuity_view",
        ],
        "diagnostic_fields": [
            "telemetry_entry", "feedback_persisted", "continuity_metrics_persisted", "git_state",
            "work_state_updated", "semantic_repo_persisted",
        ],
        "compatibility": "members are added, never renamed",
    })
}
