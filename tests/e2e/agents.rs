//! Every agent is heard and answered in its own dialect, through the real client and daemon.

use std::fs;
use std::path::Path;

use aictx_tests::agents::{Told, after_command, before_command, starts, turn_ends};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

/// Returns the output of an event's hook. A refusal by exit status is given like the others.
fn said(env: &TestEnv, repo: &Path, told: &Told) -> Option<Value> {
    let run = env.with_input(
        env.command(program("aictx"))
            .args(["hook", told.runner, told.event])
            .current_dir(repo),
        told.payload.to_string().as_bytes(),
    );
    if told.runner == "windsurf" && run.status == 2 {
        assert_eq!(run.stdout, "");
        return Some(json!({ "status": 2, "reason": run.stderr }));
    }
    let run = run.ok();
    (!run.stdout.is_empty()).then(|| run.json())
}

/// Returns each dialect's word for a refusal, and its reason.
fn refusal(runner: &str, said: &Value) -> (String, String) {
    let (word, reason) = match runner {
        "claude" | "codex" => (
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
        ),
        "copilot" => ("/permissionDecision", "/permissionDecisionReason"),
        "cursor" => ("/permission", "/user_message"),
        "cline" => ("/cancel", "/errorMessage"),
        "windsurf" => ("/status", "/reason"),
        _ => ("/decision", "/reason"),
    };
    let at = |pointer| said.pointer(pointer).unwrap_or_else(|| panic!("{said}"));
    (
        at(word).to_string(),
        at(reason).as_str().unwrap().to_owned(),
    )
}

#[test]
fn what_must_not_run_is_refused_in_every_dialect() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for told in before_command(&repo, "deny", "rm -rf /") {
        let said = said(&env, &repo, &told).unwrap();
        let (word, reason) = refusal(told.runner, &said);
        assert!(["\"deny\"", "true", "2"].contains(&word.as_str()), "{said}");
        assert!(!reason.is_empty());
    }
    for told in before_command(&repo, "ask", "git reset --hard HEAD~1") {
        let said = said(&env, &repo, &told).unwrap();
        let (word, reason) = refusal(told.runner, &said);
        if ["claude", "copilot", "generic"].contains(&told.runner) {
            assert_eq!(word, "\"ask\"", "{said}");
        } else {
            assert!(["\"deny\"", "true", "2"].contains(&word.as_str()), "{said}");
            assert!(reason.contains("no way to ask"), "{reason}");
        }
    }
    for told in before_command(&repo, "pass", "cargo test") {
        assert_eq!(said(&env, &repo, &told), None, "{}", told.runner);
    }
}

#[test]
fn a_session_start_is_told_what_is_known_in_every_dialect() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for told in starts(&repo, "start") {
        let said = said(&env, &repo, &told).unwrap_or_else(|| panic!("{}", told.runner));
        let text = match told.runner {
            "claude" | "codex" | "gemini" => &said["hookSpecificOutput"]["additionalContext"],
            "cursor" => &said["additional_context"],
            "copilot" => &said["additionalContext"],
            "cline" => &said["contextModification"],
            _ => &said["context"],
        };
        assert!(
            !text.as_str().unwrap().is_empty(),
            "{}: {said}",
            told.runner
        );
    }
    let sessions = env
        .once("session.list", &serde_json::json!({ "repo": repo }))
        .ok();
    for told in starts(&repo, "start") {
        let id = format!("start-{}", told.runner);
        assert!(sessions.stdout.contains(&id), "{id}: {}", sessions.stdout);
    }
}

/// Cline's command line drops the context of a start, and ends its run when a call is cancelled.
#[test]
fn a_capsule_that_is_dropped_at_the_start_comes_with_the_next_answer_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let event = |event: &'static str, name: &str, members: Value| {
        let mut payload = json!({
            "taskId": "conv_1", "hookName": name, "workspaceRoots": [&repo], "iteration": 1
        });
        let all = payload.as_object_mut().unwrap();
        all.extend(members.as_object().unwrap().clone());
        Told {
            runner: "cline",
            event,
            payload,
        }
    };
    let call = |id: &str, command: &str| {
        let call = json!({ "id": id, "name": "run_commands", "input": { "commands": [command] } });
        event("PreToolUse", "tool_call", json!({ "tool_call": call }))
    };
    let start = event("TaskStart", "agent_start", json!({ "taskStart": {} }));
    assert_eq!(said(&env, &repo, &start), None);
    let refused = said(&env, &repo, &call("c1", "rm -rf /")).unwrap();
    assert_eq!(refused["cancel"], json!(false), "{refused}");
    assert_eq!(refused["overrideInput"], json!(0), "{refused}");
    let text = refused["contextModification"].as_str().unwrap();
    assert!(text.contains("deletes files for good"), "{text}");
    assert!(text.contains("session #1"), "{text}");
    assert_eq!(said(&env, &repo, &call("c2", "ls")), None);
}

#[test]
fn an_edit_that_was_not_checked_is_asked_about_where_the_agent_goes_on_for_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    std::fs::write(
        repo.join("calc.py"),
        "def add(*all):\n    return sum(all)\n",
    )
    .unwrap();
    let edit = "sed -i 's/a + b/sum(all)/' calc.py";
    for (edited, end) in after_command(&repo, "open", edit, "")
        .iter()
        .zip(turn_ends(&repo, "open"))
    {
        said(&env, &repo, edited);
        let question = said(&env, &repo, &end).unwrap_or_else(|| panic!("{}", end.runner));
        let asked = match end.runner {
            "cursor" => &question["followup_message"],
            _ => &question["reason"],
        };
        let asked = asked.as_str().unwrap();
        assert!(asked.contains("calc.py was edited"), "{asked}");
        assert_eq!(said(&env, &repo, &end), None, "{}: once", end.runner);
    }
    // Checked: nothing is asked.
    let check = ("python -m pytest -q", "1 passed in 0.01s\n");
    let checked = after_command(&repo, "checked", check.0, check.1);
    for ((edited, checked), end) in after_command(&repo, "checked", edit, "")
        .iter()
        .zip(checked)
        .zip(turn_ends(&repo, "checked"))
    {
        said(&env, &repo, edited);
        said(&env, &repo, &checked);
        assert_eq!(said(&env, &repo, &end), None, "{}", end.runner);
    }
}

#[test]
fn what_we_said_ourselves_is_nobodys_request() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    std::fs::write(
        repo.join("calc.py"),
        "def add(*all):\n    return sum(all)\n",
    )
    .unwrap();
    let hook = |event: &'static str, more: Value| {
        let mut payload = json!({ "session_id": "own", "cwd": repo, "hook_event_name": event });
        let members = payload.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        said(
            &env,
            &repo,
            &Told {
                runner: "gemini",
                event,
                payload,
            },
        )
    };
    hook("SessionStart", json!({ "source": "startup" }));
    let asked = "<hook_context>aictx, awake</hook_context>\n\nMake add sum all numbers";
    hook("BeforeAgent", json!({ "prompt": asked }));
    let edit = json!({ "command": "sed -i 's/a + b/sum(all)/' calc.py" });
    let done = json!({ "tool_name": "run_shell_command", "tool_input": edit, "tool_response": { "llmContent": "" } });
    hook("AfterTool", done);
    let said = json!({ "prompt_response": "add sums all numbers." });
    let question = hook("AfterAgent", said.clone()).unwrap();
    hook("BeforeAgent", json!({ "prompt": question["reason"] }));
    assert_eq!(hook("AfterAgent", said), None, "asked once");
    hook("SessionEnd", json!({ "reason": "exit" }));
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(handoff["reason"], "Make add sum all numbers");
    let row = env
        .rows(&repo, "continuity/handoffs.jsonl")
        .remove(0)
        .to_string();
    assert!(
        !row.contains("was edited") && !row.contains("hook_context"),
        "{row}"
    );
}

#[test]
fn a_refusal_by_exit_status_needs_no_daemon() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    env.set("AICTX_NO_DAEMON", "1");
    let told = before_command(&repo, "deny", "rm -rf /");
    let told = told.iter().find(|told| told.runner == "windsurf").unwrap();
    let said = said(&env, &repo, told).unwrap();
    assert_eq!(said["status"], 2);
    assert!(!said["reason"].as_str().unwrap().is_empty());
}

/// Agents that do not know `args` start the program alone.
#[test]
fn the_bare_program_is_claudes_hook_unless_a_person_calls_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let told = before_command(&repo, "bare", "rm -rf /").remove(0);
    let run = env.with_input(
        env.command(program("aictx")).current_dir(&repo),
        told.payload.to_string().as_bytes(),
    );
    let (word, _) = refusal("claude", &run.ok().json());
    assert_eq!(word, "\"deny\"");
    let run = env.with_input(&mut env.command(program("aictx")), b"not json");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
}

fn handoff_summary(env: &TestEnv, repo: &Path) -> String {
    wait_until("the session is handed over", || {
        repo.join(".aictx/continuity/handoff.json").exists()
    });
    env.file(repo, "continuity/handoff.json")["summary"].to_string()
}

/// Copilot writes its transcript in batches, a moment behind its hooks.
#[test]
fn the_last_message_of_copilot_is_read_from_its_transcript() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let transcript = env.path().join("events.jsonl");
    let event = |kind: &str, data: Value| format!("{}\n", json!({ "type": kind, "data": data }));
    let mut text = event(
        "assistant.message",
        json!({"content": "Of the turn before.", "toolRequests": []}),
    );
    text += &event("user.message", json!({"content": "paint it"}));
    text += &event(
        "assistant.message",
        json!({"content": "I begin.", "toolRequests": [{"name": "bash"}]}),
    );
    text += &event("tool.execution_start", json!({"toolCallId": "c"}));
    fs::write(&transcript, &text).unwrap();
    let tell = |name: &'static str, more: Value| {
        let mut payload = json!({ "sessionId": "cop", "cwd": repo, "timestamp": 1 });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        said(
            &env,
            &repo,
            &Told {
                runner: "copilot",
                event: name,
                payload,
            },
        )
    };
    tell("sessionStart", json!({ "source": "new" }));
    tell("userPromptSubmitted", json!({ "prompt": "paint it" }));
    for told in after_command(&repo, "x", "make", "") {
        if told.runner == "copilot" {
            let mut told = told;
            told.payload["sessionId"] = json!("cop");
            said(&env, &repo, &told);
        }
    }
    tell(
        "agentStop",
        json!({ "transcriptPath": transcript, "stopReason": "end_turn" }),
    );
    text += &event(
        "assistant.message",
        json!({"content": "The lighthouse is painted. token ghp_0123456789abcdefghijABCDEFGHIJ012345", "toolRequests": []}),
    );
    fs::write(&transcript, &text).unwrap();
    tell("sessionEnd", json!({ "reason": "complete" }));
    let summary = handoff_summary(&env, &repo);
    assert!(summary.contains("The lighthouse is painted."), "{summary}");
    assert!(!summary.contains("ghp_0123"), "{summary}");
}

#[test]
fn the_last_message_of_opencode_is_handed_over() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let tell = |name: &'static str, more: Value| {
        let mut payload = json!({ "hook_event_name": name, "session_id": "ses", "cwd": repo });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        said(
            &env,
            &repo,
            &Told {
                runner: "opencode",
                event: name,
                payload,
            },
        )
    };
    tell("session.start", json!({ "source": "startup" }));
    let parts = json!([{ "type": "text", "text": "paint it" }]);
    tell("chat.message", json!({ "output": { "parts": parts } }));
    let call = json!({ "tool": "bash", "callID": "c", "args": { "command": "make" } });
    let output = json!({ "output": "", "metadata": { "exit": 0 } });
    tell(
        "tool.execute.after",
        json!({ "input": call, "output": output }),
    );
    tell(
        "session.idle",
        json!({ "last_assistant_message": "The lighthouse is painted." }),
    );
    tell("dispose", json!({ "reason": "exit" }));
    let summary = handoff_summary(&env, &repo);
    assert!(summary.contains("The lighthouse is painted."), "{summary}");
}
