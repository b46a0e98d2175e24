use aictx_proto::identity::SessionSource;
use aictx_proto::methods::MapHit;
use aictx_proto::record::{Decision, FailurePattern, Handoff, Thread};
use aictx_proto::snapshot::shared;

use super::*;
use std::sync::Arc;

fn ask(snapshot: &Snapshot, task: &str) -> ResumeReply {
    let project = Project {
        manifests: vec!["Cargo.toml".into()],
        root: "/r".into(),
        ..Project::default()
    };
    ask_in(&project, snapshot, task)
}

fn ask_in(project: &Project, snapshot: &Snapshot, task: &str) -> ResumeReply {
    let identity = Identity {
        agent_id: "claude".into(),
        adapter_id: "claude".into(),
        session_id: "s".into(),
        session_source: SessionSource::Explicit,
    };
    let params = ResumeParams {
        task: task.into(),
        ..ResumeParams::default()
    };
    let at = Timestamp::from_unix(0);
    let (told, _) = super::resume(snapshot, &params, &identity, project, at);
    let written = serde_json::from_str(&told.json).unwrap();
    assert_eq!(told.reply, written, "one answer, as JSON or not");
    told.reply
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
fn w34_the_file_that_a_request_names_comes_first() {
    let handoff = Handoff {
        summary: "Only changed the README so far".into(),
        status: "unresolved".into(),
        reason: "Fix f7 in src/app/m7.py".into(),
        recommended_starting_points: vec!["README.md".into(), "src/app/m18.py".into()],
        ..Handoff::default()
    };
    let snapshot = Snapshot {
        handoff: Some(Arc::new(handoff)),
        ..Snapshot::default()
    };
    let mapped = ["src/app/auth.py", "src/app/m6.py", "src/app/m7.py"];
    let map = mapped.map(|path| MapHit {
        path: path.into(),
        confidence: 0.5,
        ..MapHit::default()
    });
    let project = Project {
        map: map.into(),
        ..Project::default()
    };
    for (task, first) in [
        ("Fix f7 in src/app/m7.py", "src/app/m7.py"),
        ("continue, but in m18.py", "src/app/m18.py"),
        ("continue", "README.md"),
    ] {
        let reply = ask_in(&project, &snapshot, task);
        let contract = &reply.execution_contract;
        assert_eq!(contract["first_action"]["path"], first, "{task}");
        assert_eq!(contract["edit_scope"]["primary"], json!([first]), "{task}");
    }
}

#[test]
fn who_asks_for_something_else_is_not_told_all_that_is_open() {
    let failure = FailurePattern {
        failure_id: "failure::1".into(),
        status: "open".into(),
        error_text: "assert refresh(1) == 2".into(),
        failed_command: "pytest tests/test_auth.py".into(),
        related_paths: vec!["tests/test_auth.py".into()],
        task_type: "documentation".into(),
        timestamp: Timestamp::from_unix(0).to_string(),
        ..FailurePattern::default()
    };
    let decision = |n: usize, text: &str| Decision {
        decision: text.into(),
        timestamp: Timestamp::from_unix(n as i64).to_string(),
        ..Decision::default()
    };
    let snapshot = Snapshot {
        failures: shared([failure]),
        decisions: shared([
            decision(1, "The quickstart stays on one page"),
            decision(2, "Tokens are strings"),
            decision(3, "No floats for money"),
            decision(4, "One module for each provider"),
        ]),
        ..Snapshot::default()
    };
    let reply = ask(&snapshot, "write a quickstart for newcomers");
    assert_eq!(reply.capsule["failures"], json!([]));
    let decisions = reply.capsule["decisions"].as_array().unwrap();
    assert_eq!(decisions[0], "The quickstart stays on one page (just now)");
    assert_eq!(decisions.len(), 3, "and the two newest");
    for part in ["(1 more open, about something else", "Recent decisions"] {
        assert!(reply.text.contains(part), "{part}: {}", reply.text);
    }
    assert!(!reply.text.contains("refresh(1)"), "{}", reply.text);
    for task in [
        "fix the refresh of tokens in test_auth.py",
        "make the tests pass",
        "continue",
    ] {
        let reply = ask(&snapshot, task);
        assert!(reply.text.contains("refresh(1)"), "{}", reply.text);
    }
}

#[test]
fn what_an_unrelated_task_is_about_says_nothing_of_the_request() {
    let thread = Thread {
        task_id: "t".into(),
        status: "in_progress".into(),
        goal: "Round the totals of carts".into(),
        next_action: "round in total()".into(),
        active_files: vec!["lib/cart.js".into()],
        recommended_commands: vec!["npm run lint".into()],
        risks: vec!["floats".into()],
        discarded_hypotheses: vec![json!({ "hypothesis": "the tax", "reason": "no" })],
        ..Thread::default()
    };
    let failure = FailurePattern {
        failure_id: "failure::1".into(),
        status: "open".into(),
        error_text: "expected 3 to be 4".into(),
        related_paths: vec!["lib/cart.js".into()],
        timestamp: Timestamp::from_unix(0).to_string(),
        ..FailurePattern::default()
    };
    let decision = Decision {
        decision: "Money is kept in cents".into(),
        related_paths: vec!["lib/cart.js".into()],
        timestamp: Timestamp::from_unix(0).to_string(),
        ..Decision::default()
    };
    let snapshot = Snapshot {
        threads: Arc::new(vec![Arc::new(thread)]),
        failures: shared([failure]),
        decisions: shared([decision]),
        ..Snapshot::default()
    };
    let own = ["expected 3", "total()", "the tax", "lib/cart.js", "floats"];
    let project = Project::default();
    let next = |request| {
        let hand = crate::inspect::AtHand {
            request,
            ..Default::default()
        };
        crate::inspect::next(&snapshot, &project, &hand, Timestamp::from_unix(0)).1
    };
    let other = "send mails with a subject";
    for told in [ask(&snapshot, other).text, next(other)] {
        for part in own {
            assert!(!told.contains(part), "{part}: {told}");
        }
        assert!(told.contains("Round the totals of carts"), "{told}");
    }
    let reply = ask(&snapshot, other);
    let roles = reply.loaded_context.iter().map(|item| &item["role"]);
    assert!(roles.into_iter().all(|role| role == "background"));
    let goes_on = next("round the totals of carts");
    for part in ["expected 3", "total()", "lib/cart.js", "floats"] {
        assert!(goes_on.contains(part), "{part}: {goes_on}");
    }
    let told = ask(&snapshot, "round the totals of carts").text;
    for part in ["expected 3", "total()", "the tax", "lib/cart.js"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_handoff_sends_nobody_out_of_the_repository() {
    let recorded = json!({
        "summary": "Looked at the hosts", "status": "unresolved",
        "recommended_starting_points": ["/etc/shadow", "../../secrets.py", "./src//hosts.py"],
    });
    let handoff: Handoff = serde_json::from_value(recorded).unwrap();
    let snapshot = Snapshot {
        handoff: Some(Arc::new(handoff)),
        ..Snapshot::default()
    };
    let reply = ask(&snapshot, "continue with the hosts");
    let told = serde_json::to_string(&reply).unwrap() + &reply.text;
    assert!(told.contains("src/hosts.py"), "{told}");
    assert!(
        !told.contains("shadow") && !told.contains("secrets"),
        "{told}"
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

#[test]
fn what_somebody_prefers_is_told_and_what_was_seeded_is_not() {
    let preferences = json!({ "preferred_language": "es", "coding": { "style": "no macros" } });
    let snapshot = Snapshot {
        preferences: Arc::new(preferences),
        ..Snapshot::default()
    };
    let reply = ask(&snapshot, "fix the login");
    assert_eq!(
        reply.effective_preferences,
        json!({ "coding.style": "no macros" })
    );
    let line = "Preference noted here: coding.style: \"no macros\"";
    assert!(reply.text.lines().any(|l| l == line), "{}", reply.text);
    let without = ask(&Snapshot::default(), "fix the login");
    assert!(without.effective_preferences.is_null() && !without.text.contains("Preference noted"));
}
