//! `aictx resume`: the capsule as a document, with the fields of the format.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::identity::Identity;
use aictx_proto::methods::{ResumeParams, ResumeReply};
use aictx_proto::record::{Handoff, files};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, printable};
use serde_json::{Map, Value, json};

use self::banner::{banner_lines, canonical_banner};
use self::contract::{continuity_match, entry_points, execution_contract};
use self::text::{fit, render};
use crate::capsule::{age, banner, next_action};
use crate::classify::classify;
use crate::failures;
use crate::project::Project;
use crate::session::touch;

mod banner;
mod contract;
mod text;

/// Answers a resume and counts the session.
pub fn resume(
    snapshot: &Snapshot,
    params: &ResumeParams,
    identity: &Identity,
    project: &Project,
    now: Timestamp,
) -> (ResumeReply, Effects) {
    let mut touched = touch(snapshot, identity, now);
    let already_shown = touched.banner_shown;
    touched.mark_banner(now);
    let limit = if params.full { 8 } else { 3 };
    let request = clean(&params.task, 500);
    let task = classify(&params.task_type, &params.task);
    let handoff = snapshot.handoff.as_deref();
    let header = banner(&touched, "");
    let lines = banner_lines(handoff, snapshot);
    let canonical = canonical_banner(&header, &lines);
    let state = task_state(snapshot, handoff);
    let matched = continuity_match(&request, handoff, snapshot);
    let entry_points = entry_points(handoff, &matched, &project.map);
    let test = project.canonical_check(snapshot);
    let contract = execution_contract(&request, &matched, &entry_points, test.as_ref(), &task.name);
    let capsule = capsule(snapshot, &request, &contract, &entry_points, limit, now);
    let sources = json!({
        "handoff": if handoff.is_some() { format!(".aictx/{}", files::HANDOFF) } else { String::new() },
        "last_execution_summary": if snapshot.executions_total > 0 { format!(".aictx/{}", files::LAST_SUMMARY) } else { String::new() },
        "work_state": if snapshot.active_task.is_some() { format!(".aictx/{}", files::ACTIVE_TASK) } else { String::new() },
        "repo_map": if project.map.is_empty() { "" } else { ".aictx/repo_map/manifest.json" },
    });
    let warnings: Vec<String> = snapshot
        .issues
        .iter()
        .map(|i| i.warning())
        .take(12)
        .collect();
    let mut reply = ResumeReply {
        schema_version: "1.0".to_owned(),
        generated_at: now.to_string(),
        mode: if params.brief { "brief" } else { "agent_brief" }.to_owned(),
        repo: project.root.clone(),
        request,
        agent_id: identity.agent_id.clone(),
        adapter_id: identity.adapter_id.clone(),
        agent_identity: json!({
            "agent_id": identity.agent_id, "adapter_id": identity.adapter_id,
            "agent_label": touched.agent_label, "session_id": identity.session_id,
        }),
        startup_banner_text: if already_shown {
            String::new()
        } else {
            canonical.clone()
        },
        startup_banner_render_payload: json!({
            "header": { "agent_label": touched.agent_label, "session_count": touched.number, "canonical_text": header },
            "lines": lines, "canonical_text": canonical,
        }),
        startup_banner_policy: json!({
            "source": "resume", "show_in_first_user_visible_response": !already_shown, "already_shown": already_shown,
        }),
        continuity_match: matched,
        execution_contract: contract,
        task_state: state,
        capsule,
        sources,
        loaded_context: loaded_context(snapshot, handoff, now),
        contract_ref: json!({
            "contract_id": "", "path": "", "session_id": identity.session_id, "execution_id": "",
            "generated_at": now, "task_goal": clean(&params.task, 240),
        }),
        budget: json!({}),
        warnings,
        text: String::new(),
    };
    reply.text = render(&reply, &task.name);
    fit(&mut reply, params);
    let effects = vec![
        touched.effect(),
        Effect::ReplaceText {
            file: files::RESUME_CAPSULE_MD.to_owned(),
            text: reply.text.clone(),
        },
        Effect::ReplaceJson {
            file: files::RESUME_CAPSULE_JSON.to_owned(),
            value: serde_json::to_value(&reply).unwrap_or_default(),
            order: KeyOrder::AsBuilt,
        },
        Effect::AppendRows {
            file: files::LIFECYCLE_EVENTS.to_owned(),
            rows: vec![json!({
                "schema_version": "1.0", "event_type": "resume_called", "timestamp": now, "source": "cli",
                "agent_id": identity.agent_id, "adapter_id": identity.adapter_id,
                "session_id": identity.session_id, "task": clean(&params.task, 500), "task_type": task.name,
                "files_opened_count": 0, "files_edited_count": 0, "commands_count": 0, "tests_count": 0,
            })],
            order: KeyOrder::Sorted,
        },
    ];
    (reply, effects)
}

/// What is remembered, by name: at most `limit` failures and decisions.
fn capsule(
    snapshot: &Snapshot,
    request: &str,
    contract: &Value,
    entry_points: &[Value],
    limit: usize,
    now: Timestamp,
) -> Map<String, Value> {
    let handoff = snapshot.handoff.as_deref();
    let open = failures::open(&snapshot.failures);
    let failure_texts: Vec<String> = open
        .iter()
        .take(limit)
        .map(|p| {
            let what = p.symptoms.first().unwrap_or(&p.error_text);
            format!(
                "{} (seen {}x, {}) [{}]",
                clean(&printable(what), 200),
                p.occurrences.max(1),
                age(&p.timestamp, now),
                clean(&printable(&p.failed_command), 100)
            )
        })
        .collect();
    let decisions: Vec<String> = snapshot
        .decisions
        .iter()
        .rev()
        .take(limit)
        .map(|d| clean(&printable(&d.decision), 200))
        .collect();
    let next = next_step(snapshot, handoff, entry_points);
    let mut capsule = Map::new();
    for (name, value) in [
        ("current_request", json!(request)),
        (
            "first_action",
            contract.get("first_action").cloned().unwrap_or_default(),
        ),
        (
            "resuming",
            json!(
                handoff
                    .map(|h| clean(&printable(&h.summary), 200))
                    .unwrap_or_default()
            ),
        ),
        (
            "last_progress",
            json!(handoff.map(last_progress).unwrap_or_default()),
        ),
        ("next_action", json!(next)),
        ("entry_points", json!(entry_points)),
        ("fallback_entry_points", json!([])),
        (
            "repo_map",
            json!({ "primary": [], "secondary": [], "avoid": [] }),
        ),
        // Only what succeeded counts as validated (W3).
        (
            "validated",
            json!(
                handoff
                    .filter(|h| h.status == "resolved")
                    .map(|h| h.completed.clone())
                    .unwrap_or_default()
            ),
        ),
        ("failures", json!(failure_texts)),
        ("decisions", json!(decisions)),
        ("strategy", json!("")),
        ("avoid", json!([".aictx/**"])),
    ] {
        capsule.insert(name.to_owned(), value);
    }
    capsule
}

/// From the one handoff record; a missing outcome is unknown, never success (W3).
fn task_state(snapshot: &Snapshot, handoff: Option<&Handoff>) -> Value {
    let (status, reason) = if snapshot.active_task.is_some() {
        ("active", "a task is in progress")
    } else {
        match handoff.map(|h| h.status.as_str()) {
            Some("resolved" | "completed" | "success") => {
                ("completed", "the last handoff is resolved")
            }
            Some("failed" | "blocked") => ("blocked", "the last handoff is not resolved"),
            Some("unresolved") => ("blocked", "the outcome of the last handoff is not known"),
            Some(_) => ("unknown", "the last handoff has no outcome"),
            None => ("unknown", "nothing is recorded yet"),
        }
    };
    let confidence = match handoff {
        Some(h) if !h.recommended_starting_points.is_empty() => "medium",
        _ => "low",
    };
    json!({ "status": status, "confidence": confidence, "reason": reason })
}

fn last_progress(handoff: &Handoff) -> String {
    let text = if handoff.completed.is_empty() {
        handoff.summary.clone()
    } else {
        handoff
            .completed
            .iter()
            .take(3)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ")
    };
    clean(&printable(&text), 240)
}

fn next_step(snapshot: &Snapshot, handoff: Option<&Handoff>, entry_points: &[Value]) -> String {
    let active = snapshot
        .active_task
        .as_ref()
        .map(|t| t.next_action.as_str());
    if let Some(next) = active.filter(|n| !n.trim().is_empty()) {
        return clean(&printable(next), 240);
    }
    if let Some(next) = handoff.and_then(next_action) {
        return next;
    }
    match entry_points.first().and_then(|e| e["path"].as_str()) {
        Some(path) => format!("start from {path}"),
        None => String::new(),
    }
}

fn loaded_context(snapshot: &Snapshot, handoff: Option<&Handoff>, now: Timestamp) -> Vec<Value> {
    let item = |kind: &str, source: &str, id: &str, summary: &str, when: &str, paths: &[String]| {
        let days = Timestamp::parse(when).map(|t| now.since(t) / 86_400);
        let staleness = match days {
            None => "unknown",
            Some(0..=7) => "fresh",
            Some(8..=30) => "recent",
            Some(31..=90) => "old",
            Some(_) => "stale",
        };
        json!({
            "kind": kind, "source": format!(".aictx/{source}"), "source_id": id,
            "summary": clean(&printable(summary), 160), "staleness": staleness, "role": "carryover",
            "related_paths": paths.iter().take(6).collect::<Vec<_>>(),
        })
    };
    let mut list = Vec::new();
    if let Some(h) = handoff {
        list.push(item(
            "handoff",
            files::HANDOFF,
            &h.source_execution_id,
            &h.summary,
            &h.updated_at,
            &h.recommended_starting_points,
        ));
    }
    for p in failures::open(&snapshot.failures).into_iter().take(3) {
        list.push(item(
            "failure",
            files::FAILURE_PATTERNS,
            &p.failure_id,
            &p.error_text,
            &p.timestamp,
            &p.related_paths,
        ));
    }
    for d in snapshot.decisions.iter().rev().take(3) {
        list.push(item(
            "decision",
            files::DECISIONS,
            &d.execution_id,
            &d.decision,
            &d.timestamp,
            &d.related_paths,
        ));
    }
    for (rank, entry) in list.iter_mut().enumerate() {
        entry["rank"] = json!(rank + 1);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::identity::SessionSource;
    use std::sync::Arc;

    fn ask(snapshot: &Snapshot, task: &str) -> ResumeReply {
        let identity = Identity {
            agent_id: "claude".into(),
            adapter_id: "claude".into(),
            session_id: "s".into(),
            session_source: SessionSource::Explicit,
        };
        let project = Project {
            manifests: vec!["Cargo.toml".into()],
            root: "/r".into(),
            ..Project::default()
        };
        let params = ResumeParams {
            task: task.into(),
            ..ResumeParams::default()
        };
        resume(
            snapshot,
            &params,
            &identity,
            &project,
            Timestamp::from_unix(0),
        )
        .0
    }

    fn after(status: &str) -> Snapshot {
        Snapshot {
            handoff: Some(Arc::new(Handoff {
                summary: "Fixed token refresh in the auth module".into(),
                status: status.into(),
                completed: if status == "resolved" {
                    vec!["Fixed".into()]
                } else {
                    vec![]
                },
                recommended_starting_points: vec!["src/app/auth.py".into()],
                ..Handoff::default()
            })),
            ..Snapshot::default()
        }
    }

    #[test]
    fn w3_outcomes_are_told_apart() {
        assert_eq!(
            ask(&after("resolved"), "x").task_state["status"],
            "completed"
        );
        let failed = ask(&after("failed"), "x");
        assert_eq!(failed.task_state["status"], "blocked");
        assert_eq!(failed.capsule["validated"], json!([]));
        assert!(failed.startup_banner_text.contains("Blocked: "));
        assert_eq!(ask(&after(""), "x").task_state["status"], "unknown");
    }

    #[test]
    fn w34_unrelated_requests_are_not_bound() {
        let reply = ask(
            &after("resolved"),
            "write a quickstart section in the README",
        );
        assert_eq!(reply.execution_contract["contract_strength"], "exploratory");
        assert_eq!(reply.execution_contract["first_action"]["path"], "");
        let related = ask(&after("resolved"), "continue the auth token refresh");
        assert_eq!(
            related.execution_contract["first_action"]["path"],
            "src/app/auth.py"
        );
    }

    #[test]
    fn w8_the_test_command_is_the_repositorys_own() {
        assert_eq!(
            ask(&Snapshot::default(), "x").execution_contract["test_command"]["command"],
            "cargo test"
        );
    }

    #[test]
    fn text_and_json_agree() {
        let reply = ask(&after("failed"), "continue the auth work");
        for part in [
            &reply.capsule["next_action"],
            &reply.execution_contract["test_command"]["command"],
        ] {
            assert!(reply.text.contains(part.as_str().unwrap()), "{part}");
        }
    }
}
