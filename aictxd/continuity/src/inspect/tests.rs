use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::record::{
    AgentExecutionRow, Decision, ExecutionFeedbackRow, ExecutionLogRow, HandoffRow, LifecycleEvent,
    Thread,
};
use aictx_proto::snapshot::Snapshot;
use serde_json::{Value, json};

use super::*;
use crate::project::Project;

fn snapshot() -> Snapshot {
    let decision = |n: u32| Decision {
        decision: format!("rule {n}"),
        rationale: "r".into(),
        timestamp: format!("2026-01-{n:02}T00:00:00Z"),
        ..Decision::default()
    };
    Snapshot {
        decisions: aictx_proto::snapshot::shared((1..=7).map(decision)),
        threads: Arc::new(vec![Arc::new(Thread {
            task_id: "t".into(),
            status: "in_progress".into(),
            goal: "fix the parser".into(),
            next_action: "write a test".into(),
            ..Thread::default()
        })]),
        ..Snapshot::default()
    }
}

#[test]
fn next_names_the_task_and_the_newest_decisions() {
    let now = Timestamp::parse("2026-02-01T00:00:00Z").unwrap();
    let (value, text) = next(&snapshot(), &Project::default(), &AtHand::default(), now);
    assert!(
        text.contains("Goal: \"fix the parser\"") && text.contains("- \"write a test\""),
        "{text}"
    );
    assert!(
        text.contains("rule 7") && !text.contains("rule 3"),
        "W5: {text}"
    );
    assert_eq!(value["continuity_brief"]["version"], 2);
    let (_, empty) = next(
        &Snapshot::default(),
        &Project::default(),
        &AtHand::default(),
        now,
    );
    assert!(empty.contains("Nothing is recorded"), "{empty}");
}

#[test]
fn w40_prepare_reads_and_says_what_is_missing() {
    let now = Timestamp::parse("2026-02-01T00:00:00Z").unwrap();
    let (pack, text) = prepare(&snapshot(), &Project::default(), "fix the parser", "", now);
    assert_eq!(pack["work_state"]["active"], true);
    assert_eq!(pack["suggested_first_action"], "write a test");
    assert!(
        pack["warnings"]
            .as_array()
            .unwrap()
            .contains(&json!("repo_map_empty"))
    );
    assert!(text.contains("Suggested first action"));
    // A map with nothing to add is a map.
    let project = Project {
        mapped: true,
        ..Project::default()
    };
    let (pack, _) = prepare(&snapshot(), &project, "fix the parser", "", now);
    let warnings = pack["warnings"].as_array().unwrap();
    assert!(!warnings.contains(&json!("repo_map_empty")), "{warnings:?}");
}

#[test]
fn the_log_is_filtered_and_newest_first() {
    let row = |id: &str, session: &str, file: &str| ExecutionLogRow {
        task_id: id.into(),
        session_id: session.into(),
        files_edited: vec![file.into()],
        success: Some(true),
        ..ExecutionLogRow::default()
    };
    let rows = [
        row("a", "s1", "src/a.rs"),
        row("b", "s2", "src/sub/b.rs"),
        row("c", "s1", "docs/c.md"),
    ];
    let handoffs = [HandoffRow {
        execution_id: "b".into(),
        status: "failed".into(),
        ..HandoffRow::default()
    }];
    let telemetry = [AgentExecutionRow {
        execution_id: "a".into(),
        agent_id: "codex".into(),
        result_summary: "Yes".into(),
        ..AgentExecutionRow::default()
    }];
    let events = [LifecycleEvent {
        execution_id: "a".into(),
        task: "Is it?".into(),
        ..LifecycleEvent::default()
    }];
    let happened = Happened {
        executions: &rows,
        handoffs: &handoffs,
        compliance: &[],
        telemetry: &telemetry,
        events: &events,
    };
    let ids = |query: LogQuery| -> Vec<String> {
        let (found, _) = log(&happened, &query);
        found
            .iter()
            .map(|e| e["execution_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = LogQuery {
        limit: 10,
        ..LogQuery::default()
    };
    assert_eq!(ids(all), ["c", "b", "a"]);
    assert_eq!(
        ids(LogQuery {
            session: "s1",
            ..all
        }),
        ["c", "a"]
    );
    assert_eq!(ids(LogQuery { path: "src", ..all }), ["b", "a"]);
    assert_eq!(ids(LogQuery { path: "sr", ..all }), Vec::<String>::new());
    let (found, more) = log(
        &happened,
        &LogQuery {
            limit: 2,
            ..LogQuery::default()
        },
    );
    assert!(more && found[1]["outcome"] == "failed");
    // What only was asked and answered has no handoff, and is told all the same.
    let (found, _) = log(&happened, &all);
    assert_eq!(found[2]["agent_id"], "codex");
    assert_eq!(found[2]["request"], "Is it?");
    assert_eq!(found[2]["summary"], "Yes");
}

#[test]
fn reflect_says_what_stands_out() {
    let files = |n: usize| (0..n).map(|i| format!("f{i}")).collect::<Vec<_>>();
    let looping = ExecutionLogRow {
        files_reopened: files(3),
        ..ExecutionLogRow::default()
    };
    assert_eq!(
        reflect(Some(&looping))["possible_issue"],
        "looping_on_same_files"
    );
    let exploring = ExecutionLogRow {
        files_opened: files(9),
        ..ExecutionLogRow::default()
    };
    assert_eq!(
        reflect(Some(&exploring))["possible_issue"],
        "too_much_exploration"
    );
    assert_eq!(reflect(None)["possible_issue"], "none");
}

#[test]
fn executions_of_one_id_are_told_each() {
    let at = |second: u8| format!("2026-03-01T10:00:{second:02}Z");
    let rows = [5, 20, 40].map(|second| ExecutionLogRow {
        task_id: "S1".into(),
        timestamp: at(second),
        ..ExecutionLogRow::default()
    });
    // The second one handed nothing over.
    let handoffs = [(6, "failed"), (39, "resolved")].map(|(second, status)| HandoffRow {
        execution_id: "S1".into(),
        timestamp: at(second),
        status: status.into(),
        summary: format!("at {second}"),
        ..HandoffRow::default()
    });
    let telemetry = [5, 21, 40].map(|second| AgentExecutionRow {
        execution_id: "S1".into(),
        recorded_at: at(second),
        result_summary: format!("seen at {second}"),
        ..AgentExecutionRow::default()
    });
    let happened = Happened {
        executions: &rows,
        handoffs: &handoffs,
        telemetry: &telemetry,
        ..Happened::default()
    };
    let query = LogQuery {
        limit: 10,
        ..LogQuery::default()
    };
    let (found, _) = log(&happened, &query);
    let told: Vec<_> = found
        .iter()
        .map(|e| (&e["outcome"], &e["summary"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("resolved"), &json!("at 39")),
            (&json!("unresolved"), &json!("seen at 21")),
            (&json!("failed"), &json!("at 6")),
        ]
    );
}

#[test]
fn the_report_counts_only_what_the_logs_show() {
    let rows = [ExecutionLogRow {
        success: Some(false),
        files_opened: vec!["a".into()],
        ..ExecutionLogRow::default()
    }];
    let runs = [0, 1, 2, 3].map(|at| AgentExecutionRow {
        execution_id: at.to_string(),
        used_strategy: at == 0,
        ..AgentExecutionRow::default()
    });
    // Rows of the Python program: the log of agents' executions does not know the first.
    let feedback = ["of its own", "0"].map(|id| ExecutionFeedbackRow {
        task_id: id.to_owned(),
        aictx_feedback: [("used_strategy".to_owned(), json!(true))]
            .into_iter()
            .collect(),
        ..ExecutionFeedbackRow::default()
    });
    let read = Reported {
        executions: &rows,
        runs: &runs,
        feedback: &feedback,
        compliance: &[],
        staleness: json!({ "decisions": [] }),
        dedupe: Value::Null,
        total: 7,
        map: json!({ "files_indexed": 3 }),
    };
    let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
    let found = report(&snapshot(), &Project::default(), &read, now);
    assert_eq!(found["strategy_usage"], 2, "each execution once");
    assert_eq!(found["strategy_reuse_rate"], 0.4);
    assert!(found["memory_hygiene"]["staleness"]["decisions"].is_array());
    assert_eq!(found["total_executions"], 7);
    assert_eq!(
        found["error_capture"]["failed_executions_without_failure_pattern"],
        1
    );
    assert_eq!(found["contract_compliance"]["evaluated"], 0);
    // What readers of the older format look for is there.
    for member in [
        "/error_capture/toolchains_seen",
        "/error_capture/failure_patterns_with_error_events",
        "/memory_hygiene/duplicate_strategy_candidates",
        "/memory_hygiene/duplicate_failure_candidates",
        "/work_state/last_updated_at",
        "/contract_compliance/not_evaluated",
        "/agent_summaries",
        "/repo_map/files_indexed",
        "/continuity_health/stale_memory_excluded",
        "/continuity_health/packet_context_usefulness/packet_usage_rate",
        "/continuity_health/handoff_freshness/stale",
    ] {
        assert!(found.pointer(member).is_some(), "{member}");
    }
    // Nothing says how the lists of that execution came about.
    let health = &found["continuity_health"];
    assert_eq!(health["capture_coverage_gaps"]["files_opened"], 1);
    assert_eq!(health["avg_capture_quality"], 0.0);
    assert_eq!(health["redundant_exploration_avoided"], Value::Null);
    assert!(reflect(None)["reopened_files"].is_array());
}
