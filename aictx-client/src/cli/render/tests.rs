use aictx_proto::methods::{RunList, TicketList, TicketReply};
use serde_json::{Value, json};

use super::*;

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[test]
fn guard_lines() {
    let reply = read(json!({
        "status": "error", "decision": "block",
        "warnings": [{"code": "c1", "severity": "error", "message": "m1", "check": "validation"}],
        "checks": {"work_state": "ok", "contract_alignment": "ok", "continuity_quality": "ok",
                   "lifecycle": "ok", "validation": "error"},
        "suggested_next": "stop",
    }));
    assert_eq!(
        guard(&reply, Paint::off()),
        "AICTX guard: block (error)\n- c1: m1\nnext: stop\n"
    );
}

fn finalized() -> FinalizeReply {
    read(json!({
        "schema_version": "1.0", "execution_id": "e1", "session_id": "s1", "recorded": true,
        "execution_mode": "plain", "prepared_task_type": "", "final_task_type": "",
        "effective_task_type": "", "effective_area_id": "", "telemetry_entry": {},
        "handoff_persisted": null, "failure_persisted": null, "resolved_failures": [],
        "decisions_persisted": [], "aictx_feedback": {}, "capture_quality": {}, "git_state": {},
        "execution_observation": {}, "agent_summary": {},
        "agent_summary_text": "AICTX summary\n\nContext: x", "agent_summary_render_payload": {},
        "redacted": {"aws_key": 2}, "finalized_at": "", "warnings": ["w1"],
    }))
}

#[test]
fn finalize_lines() {
    let mut reply = finalized();
    assert_eq!(finalize(&reply), "AICTX summary\n\nContext: x\n");
    assert_eq!(finalize_notes(&reply), "warning: w1\nredacted: 2 aws_key\n");
    reply.recorded = false;
    assert!(finalize_notes(&reply).contains("e1 was recorded before"));
}

#[test]
fn init_lines() {
    let reply = read(json!({
        "repo": "/r", "registered": true, "warnings": [],
        "files": [{"path": ".aictx/", "action": "created"},
                  {"path": ".claude/settings.local.json", "action": "unchanged"}],
    }));
    assert_eq!(
        setup::init(&reply),
        "/r\n  created    .aictx/\n  unchanged  .claude/settings.local.json\n  registered with the daemon\n"
    );
}

#[test]
fn repository_lines() {
    let list = read(json!({"repositories": [
        {"repo_path": "/a", "last_seen": "2026-01-01T00:00:00Z", "exists": true},
        {"repo_path": "/bcd", "last_seen": "", "exists": false},
    ]}));
    assert_eq!(
        repositories(&list),
        "/a    2026-01-01T00:00:00Z\n/bcd                        missing\n"
    );
    assert!(repositories(&RepoList::default()).contains("aictx init"));
}

#[test]
fn session_lines() {
    let list: SessionList = read(json!({"truncated": true, "sessions": [
        {"session_id": "s1", "runner": "claude", "state": "ended", "last_seen_at": "T",
         "files_edited": 1, "commands": 3, "commands_failed": 2, "request": "fix\nit"},
    ]}));
    insta::assert_snapshot!(sessions(&list));
    assert_eq!(
        sessions(&SessionList::default()),
        "no sessions are recorded\n"
    );
}

#[test]
fn session_report_lines() {
    let report: SessionReport = read(json!({
        "session": {"session_id": "s1", "request": "do \u{1b}[2J"},
        "files_edited": ["a.rs"],
        "commands": [{"command": "cargo test", "outcome": "failed", "exit_status": 101}],
        "errors": [{"toolchain": "rust", "phase": "test", "message": "boom"}],
    }));
    insta::assert_snapshot!(session(&report, Paint::off()));
}

#[test]
fn status_lines() {
    let report: DaemonStatus = read(json!({
        "version": "1.0.0", "pid": 7, "socket": "/s", "uptime_seconds": 61, "rss_bytes": 1048576,
        "cpu_ms": 5, "connections": 1,
        "repositories": [{"repo": "/r", "state": "open", "commits": 2,
                          "watch": {"mode": "polling", "reason": "no watches"},
                          "warnings": ["bad row"]}],
        "sessions": [{"session_id": "s", "runner": "claude", "repo": "/r", "last_seen_at": "T"}],
        "methods": [{"method": "guard", "calls": 3, "p50_us": 64, "p99_us": 128}],
    }));
    insta::assert_snapshot!(status(&report, Paint::off()));
}

#[test]
fn task_lines() {
    let tasks = json!({
        "tasks": [
            {"task_id": "ship-1-2", "goal": "Ship 1.2", "status": "in_progress", "active": true,
             "next_action": "write the notes"},
            {"task_id": "old", "goal": "Two\nlines", "status": "resolved", "active": false},
        ],
        "warnings": ["threads/x.json: not JSON"],
    });
    let texts = [memory::tasks(&tasks, Paint::off()), memory::threads(&tasks)];
    insta::assert_snapshot!(texts.join("\n----\n"));
}

#[test]
fn ticket_lines() {
    let rows = json!([
        {"number": 1, "state": "ready", "title": "Set the table", "agent": "codex",
         "file": ".aictx/tickets/TICKET-001.md"},
        {"number": 2, "state": "claimed", "title": "Cook", "claimed_by": "ann"},
        {"number": 13, "state": "blocked", "title": "Eat", "blocked_by": ["TICKET-002-cook"]},
        {"number": 14, "state": "done", "title": "Shop", "agent": "claude"},
        {"number": 15, "state": "invalid"},
    ]);
    let finding = json!({"file": "TICKET-015.md", "line": 5, "column": 12, "severity": "error",
        "code": "T003", "message": "not YAML", "fix": "title: \"a: b\""});
    let list: TicketList = read(
        json!({"directory": ".aictx/tickets", "count": 5, "tickets": rows,
        "findings": [finding]}),
    );
    let one: TicketReply = read(json!({"tickets": [rows[0]], "text": "# Set the table"}));
    let (ready, waiting) = list.tickets.split_at(1);
    let texts = [
        ticket::list(&list, Paint::off()),
        ticket::ready(ready, waiting, Paint::off()),
        ticket::one(&one, Paint::off()),
        ticket::lint(&list, Paint::off()),
    ];
    insta::assert_snapshot!(texts.join("\n----\n"));
}

#[test]
fn run_lines() {
    let list: RunList = read(json!({"truncated": true, "runs": [
        {"id": "20260101-slow-export", "status": "open", "active": true,
         "created_at": "", "open_hypotheses": 1, "evidence_count": 3, "updated_at": "2026-01-02T03:04:05Z", "request": "find why the export is slow"},
        {"id": "20251231-login", "status": "closed", "active": false,
         "created_at": "", "open_hypotheses": 1, "evidence_count": 3, "updated_at": "2026-01-01T00:00:00Z", "request": "fix the login"},
    ]}));
    let status = json!({
        "id": "20260101-slow-export", "status": "open", "active": true, "intent": "fix",
        "request": "find why the export is slow", "hypotheses": [{}, {}],
        "open_hypotheses": [{"id": "H2", "text": "the index is missing"}],
        "evidence_count": 3, "learning": [{}], "failing_commands": ["make bench"],
        "unresolved_learning": [{"why": "no document names the index"}],
    });
    let texts = [run::list(&list, Paint::off()), run::status(&status)];
    insta::assert_snapshot!(texts.join("\n----\n"));
}

#[test]
fn warning_lines() {
    assert_eq!(
        warnings(&["a".into(), "b".into()]),
        "warning: a\nwarning: b\n"
    );
}

#[test]
fn an_install_without_agents_shows_no_empty_headings() {
    let reply: aictx_proto::methods::InstallReply =
        read(json!({ "agents": [], "files": [], "steps": [] }));
    assert_eq!(setup::install(&reply), "");
}

#[test]
fn members_of_an_answer_are_lines_for_people() {
    let answer = json!({ "suggested_files": ["a.py", "b.py"], "source": "none", "reason": "",
        "rates": { "strategy_usage": 2, "none": {} } });
    let mut lines: Vec<String> = memory::members(&answer)
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    let expected = [
        "  strategy usage: 2",
        "rates",
        "source: none",
        "suggested files: a.py, b.py",
    ];
    assert_eq!(lines, expected);
}
