//! The MCP server, spoken to line by line: what it offers, what it refuses, and that nothing ends it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use aictx_tests::mcp::Mcp;
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

/// Bytes of a result as a model may get them.
fn size(result: &Value) -> usize {
    let text = result["content"][0]["text"].as_str().unwrap();
    text.len() + result["structuredContent"].to_string().len()
}

/// A repository with something to tell.
fn with_history(env: &TestEnv) -> std::path::PathBuf {
    let root = env.repository("demo");
    env.aictx(&root, &["task", "start", "Repair the calculator"])
        .ok();
    let said = [
        "finalize",
        "--status",
        "failure",
        "--summary",
        "add() subtracts",
        "--files-edited",
        "calc.py",
        "--tests-executed",
        "pytest -q",
        "--notable-errors",
        "AssertionError: assert -1 == 3",
        "--decision-json",
        r#"{"decision":"keep the signature","rationale":"callers"}"#,
    ];
    env.aictx(&root, &said).ok();
    root
}

/// Arguments with which each tool has something to do, in an order that makes sense.
fn one_call_each() -> Vec<(&'static str, Value)> {
    vec![
        (
            "aictx_resume",
            json!({"task": "Repair the calculator in calc.py"}),
        ),
        (
            "aictx_next",
            json!({"request": "Repair add", "files_opened": ["calc.py"]}),
        ),
        (
            "aictx_prepare_task_context",
            json!({"goal": "Repair add in calc.py"}),
        ),
        ("aictx_lifecycle_status", json!({})),
        ("aictx_continuity_quality", json!({"task": "Repair add"})),
        (
            "aictx_continuity_guard",
            json!({"action": "risky_command", "command": "git push --force", "risk": "high"}),
        ),
        (
            "aictx_steer_guard",
            json!({"message": "do not touch calc.py", "current_action": "edit"}),
        ),
        (
            "aictx_map_query",
            json!({"query": "add in calc.py", "limit": 5}),
        ),
        ("aictx_map_status", json!({})),
        ("aictx_map_refresh", json!({"mode": "full"})),
        ("aictx_strategy_suggest", json!({"request": "Repair add"})),
        ("aictx_intake", json!({"request": "Repair add"})),
        (
            "aictx_run_start",
            json!({"request": "Why does add subtract", "run_id": "r1"}),
        ),
        (
            "aictx_run_note",
            json!({"kind": "hypothesis", "text": "a typo", "confidence": "high"}),
        ),
        (
            "aictx_run_close",
            json!({"summary": "it does not", "verification": ["pytest -q"]}),
        ),
        ("aictx_task_list", json!({})),
        (
            "aictx_task_show",
            json!({"task_id": "repair-the-calculator"}),
        ),
        (
            "aictx_task_start",
            json!({"goal": "Write docs", "files": ["README.md"], "hypothesis": "h"}),
        ),
        (
            "aictx_task_update",
            json!({"risks": ["none"], "verification": ["read it"]}),
        ),
        (
            "aictx_task_close",
            json!({"summary": "done", "status": "resolved"}),
        ),
        (
            "aictx_finalize",
            json!({"status": "success", "summary": "add() adds", "files_edited": ["calc.py"]}),
        ),
        (
            "aictx_record_handoff",
            json!({"summary": "half of it is written", "next_action": "write the other half"}),
        ),
        (
            "aictx_record_failure",
            json!({"error": "AssertionError: 5 != 7", "command": "pytest -q", "resolution": "rounded"}),
        ),
        ("aictx_view", json!({})),
        ("aictx_continuity_view_generate", json!({})),
        ("aictx_messages_set", json!({"mode": "muted"})),
        ("aictx_messages_status", json!({})),
        (
            "aictx_record_decision",
            json!({"title": "signatures", "decision": "no keywords", "files": ["calc.py", "/etc/passwd"], "scope": "core"}),
        ),
        (
            "aictx_recall",
            json!({"query": "add in calc.py", "kinds": ["handoff"]}),
        ),
        ("aictx_report_real_usage", json!({})),
        ("aictx_portability_status", json!({})),
        ("aictx_portability_compact", json!({"apply": true})),
        ("aictx_doctor", json!({})),
        (
            "aictx_ticket_new",
            json!({"title": "Write more docs", "verify": ["pytest -q"]}),
        ),
        ("aictx_ticket_list", json!({"filter": "ready"})),
        ("aictx_ticket_show", json!({"ticket": "1"})),
        (
            "aictx_ticket_update",
            json!({"ticket": "1", "fields": ["goal=Others understand it"]}),
        ),
        ("aictx_ticket_claim", json!({})),
        ("aictx_ticket_done", json!({"evidence": "read it"})),
    ]
}

#[test]
fn every_tool_answers_and_each_profile_has_its_own() {
    let env = TestEnv::new();
    let root = with_history(&env);
    let mut full = Mcp::start(&env, &root, "claude-code", &["--profile", "full"]);
    let offered = full.tools();
    assert!(offered.is_sorted());
    let mut answers = BTreeMap::new();
    for (tool, arguments) in one_call_each() {
        answers.insert(tool, full.facts(tool, &arguments));
    }
    let called: Vec<&str> = answers.keys().copied().collect();
    assert_eq!(called, offered, "each is called once");
    assert_eq!(answers["aictx_continuity_guard"]["decision"], "block");
    assert_eq!(
        answers["aictx_steer_guard"]["suggested_updates"]["forbidden_paths"],
        json!(["calc.py"])
    );
    assert_eq!(answers["aictx_map_query"]["results"][0]["path"], "calc.py");
    let started = &answers["aictx_task_start"]["task"];
    assert_eq!(
        (&started["active_files"], &started["current_hypothesis"]),
        (&json!(["README.md"]), &json!("h"))
    );
    let closed = &answers["aictx_task_close"]["task"];
    assert_eq!(closed["verified"], json!(["read it", "done"]));
    assert_eq!(
        answers["aictx_messages_status"]["messages"]["mode"],
        "muted"
    );
    assert_eq!(answers["aictx_resume"]["relevant_files"][0], "calc.py");
    let decided = &answers["aictx_record_decision"];
    assert_eq!(
        decided["decision"]["related_paths"],
        json!(["calc.py"]),
        "{decided}"
    );
    assert_eq!(decided["warnings"].as_array().unwrap().len(), 1);
    let again = full.facts(
        "aictx_record_decision",
        &json!({"title": "signatures", "decision": "no keywords", "files": ["calc.py"]}),
    );
    assert_eq!(again["changed"], json!(false), "{again}");
    let why = full.refused(
        "aictx_record_decision",
        &json!({"title": "y", "decision": "x"}),
    );
    assert_eq!(why, "invalid_request");
    let rows = env.rows(&root, "continuity/decisions.jsonl");
    assert_eq!(rows.len(), 2, "{rows:?}");
    let handoffs = env.rows(&root, "continuity/handoffs.jsonl");
    let half = handoffs
        .iter()
        .find(|row| row["summary"] == "half of it is written");
    let half = half.unwrap();
    assert_eq!(half["status"], "unresolved", "{half}");
    assert_eq!(half["next_steps"], json!(["write the other half"]));
    let failures = env.rows(&root, "failure_memory/failure_patterns.jsonl");
    let failed = failures
        .iter()
        .find(|row| row["error_text"].to_string().contains("5 != 7"));
    let failed = failed.unwrap();
    assert_eq!(
        (&failed["failed_command"], &failed["status"]),
        (&json!("pytest -q"), &json!("open"))
    );
    assert_eq!(failed["attempted_fix_summary"], "rounded");
    let page = fs::read_to_string(root.join(".aictx/reports/continuity-view.md")).unwrap();
    assert!(
        page.contains("write the other half") || page.contains("half of it is written"),
        "{page}"
    );
    // The client's name says which agent it is, and memory says how it came.
    let events = env.rows(&root, "continuity/lifecycle_events.jsonl");
    let ours: Vec<&Value> = events.iter().filter(|row| row["source"] == "mcp").collect();
    let kinds: Vec<&str> = ours
        .iter()
        .map(|row| row["event_type"].as_str().unwrap())
        .collect();
    let finalized = "finalize_called";
    assert_eq!(kinds, ["resume_called", finalized, finalized, finalized]);
    assert!(ours.iter().all(|row| row["agent_id"] == "claude"));
    assert_eq!(full.end(), 0);

    for (profile, count) in [("readonly", 5), ("standard", 10)] {
        let mut other = Mcp::start(&env, &root, "x", &["--profile", profile]);
        let tools = other.tools();
        assert_eq!(tools.len(), count);
        for (tool, arguments) in one_call_each() {
            if !tools.iter().any(|name| name == tool) {
                assert_eq!(
                    other.refused(tool, &arguments),
                    "permission_denied",
                    "{tool}"
                );
            }
        }
    }
    let mut default = Mcp::start(&env, &root, "x", &[]);
    assert_eq!(default.tools().len(), 10);
}

/// Every file of a repository's memory.
fn memory(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(directory: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, into);
            } else {
                into.insert(
                    path.to_string_lossy().into_owned(),
                    fs::read(&path).unwrap(),
                );
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(root, &mut files);
    files
}

#[test]
fn readonly_writes_nothing() {
    let env = TestEnv::new();
    let root = with_history(&env);
    let before = memory(&root);
    let mut mcp = Mcp::start(&env, &root, "x", &["--profile", "readonly"]);
    let listed = mcp.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(
        tools
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == json!(true))
    );
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    for (tool, arguments) in one_call_each() {
        if names.contains(&tool) {
            mcp.facts(tool, &arguments);
        }
    }
    let mut members = |arguments: &Value| {
        let facts = mcp.facts("aictx_resume", arguments);
        facts
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let brief = members(&json!({"task": "x", "brief": true}));
    assert_eq!(brief, members(&json!({"task": "x", "mode": "brief"})));
    let resumed = mcp.facts("aictx_resume", &json!({"task": "x", "mode": "full"}));
    assert_eq!(resumed["persisted"], json!(false));
    assert_eq!(resumed["contract_ref"], Value::Null);
    read_all(&mut mcp);
    assert_eq!(mcp.end(), 0);
    assert_eq!(memory(&root), before);
}

fn read_all(mcp: &mut Mcp) -> BTreeMap<String, Value> {
    let listed = mcp.request("resources/list", &json!({}));
    let mut found = BTreeMap::new();
    for resource in listed["result"]["resources"].as_array().unwrap() {
        let uri = resource["uri"].as_str().unwrap();
        let answer = mcp.request("resources/read", &json!({ "uri": uri }));
        let content = &answer["result"]["contents"][0];
        assert_eq!(
            (&content["uri"], &content["mimeType"]),
            (&json!(uri), &json!("application/json"))
        );
        let text = content["text"].as_str().unwrap();
        let name = uri.strip_prefix("aictx://repo/current/").unwrap();
        found.insert(name.to_owned(), serde_json::from_str(text).unwrap());
    }
    found
}

#[test]
fn resources_and_prompts() {
    let env = TestEnv::new();
    let root = with_history(&env);
    let mut mcp = Mcp::start(&env, &root, "x", &[]);
    let read = read_all(&mut mcp);
    let names: Vec<&str> = read.keys().map(String::as_str).collect();
    let wanted = [
        "continuity-map",
        "continuity-quality",
        "continuity-view",
        "decisions",
        "doctor",
        "failure-memory",
        "handoffs",
        "lifecycle-status",
        "repomap-status",
        "resume-capsule",
        "work-state",
    ];
    assert_eq!(names, wanted);
    assert_eq!(
        read["decisions"]["records"][0]["text"],
        "keep the signature"
    );
    assert_eq!(read["handoffs"]["records"][0]["text"], "add() subtracts");
    assert!(
        read["continuity-view"]
            .to_string()
            .contains("keep the signature")
    );
    assert!(read["continuity-map"].to_string().contains("flowchart TD"));
    assert_eq!(read["failure-memory"]["records"][0]["status"], "open");
    assert_eq!(
        read["work-state"]["active"]["task_id"],
        "repair-the-calculator"
    );
    assert_eq!(read["repomap-status"]["enabled"], json!(true));
    let home = env.path().to_string_lossy().into_owned();
    assert!(
        !read["resume-capsule"].to_string().contains(&home),
        "no path of this machine"
    );
    let unknown = mcp.request("resources/read", &json!({"uri": "aictx://repo/current/.."}));
    assert_eq!(unknown["error"]["code"], json!(-32602));
    let templates = mcp.request("resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"], json!([]));
    let prompts = mcp.request("prompts/list", &json!({}));
    let prompts = prompts["result"]["prompts"].as_array().unwrap().clone();
    assert_eq!(prompts.len(), 5);
    for prompt in prompts {
        let one = mcp.request("prompts/get", &json!({ "name": prompt["name"] }));
        assert_eq!(one["result"]["messages"][0]["role"], "user");
    }
    let unknown = mcp.request("prompts/get", &json!({"name": "x"}));
    assert_eq!(unknown["error"]["code"], json!(-32602));
}

#[test]
fn answers_stay_within_their_budgets() {
    let env = TestEnv::new();
    let root = with_history(&env);
    // Much to say: long names, many files, long errors.
    for n in 0..40 {
        let name = format!("calculator_part_{n}_{}.py", "x".repeat(60));
        fs::write(
            root.join(&name),
            "def add_calculator(a, b):\n    return a\n".repeat(20),
        )
        .unwrap();
        let errors = format!("AssertionError: {} {n}", "long ".repeat(150));
        let file = ["--files-edited", &name];
        let said = [
            "finalize",
            "--status",
            "failure",
            "--summary",
            &"word ".repeat(300),
        ];
        let more = [
            "--notable-errors",
            &errors,
            "--next-step",
            &"step ".repeat(200),
        ];
        env.aictx(&root, &[&said[..], &file, &more].concat()).ok();
    }
    let _ = env.aictx(&root, &["map", "refresh"]).ok();
    let mut mcp = Mcp::start(&env, &root, "x", &["--profile", "full"]);
    let limits = [
        (
            "aictx_resume",
            json!({"task": "Repair calculator", "mode": "brief"}),
            2048,
        ),
        ("aictx_resume", json!({"task": "Repair calculator"}), 6144),
        (
            "aictx_map_query",
            json!({"query": "calculator add", "limit": 50}),
            6144,
        ),
        (
            "aictx_prepare_task_context",
            json!({"goal": "Repair calculator"}),
            6144,
        ),
        ("aictx_next", json!({"request": "Repair calculator"}), 6144),
        (
            "aictx_finalize",
            json!({"status": "failure", "summary": "word ".repeat(2000), "raw_output": "E   AssertionError: assert 1 == 2\n".repeat(300)}),
            4096,
        ),
    ];
    for (tool, arguments, limit) in limits {
        let result = mcp.call(tool, &arguments);
        assert_eq!(result["isError"], json!(false), "{result}");
        assert!(
            size(&result) <= limit,
            "{tool}: {} of {limit}",
            size(&result)
        );
        assert!(
            size(&result) > limit / 4,
            "{tool} says too little: {result}"
        );
    }
}

#[test]
fn calls_are_checked_before_anything_is_asked() {
    let env = TestEnv::new();
    let root = env.repository("demo");
    let other = env.repository("other");
    std::os::unix::fs::symlink(&other, root.join("way-out")).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    let mut mcp = Mcp::start(&env, &root, "x", &["--profile", "full"]);
    for (tool, arguments) in [
        ("aictx_finalize", json!({})),
        ("aictx_finalize", json!({"status": "done", "summary": "x"})),
        (
            "aictx_finalize",
            json!({"status": "success", "summary": " "}),
        ),
        (
            "aictx_finalize",
            json!({"status": "success", "summary": "x", "files": ["a"]}),
        ),
        ("aictx_task_show", json!({"task_id": 7})),
        ("aictx_map_query", json!({"query": "x", "limit": 51})),
        ("aictx_resume", json!({"mode": "long"})),
        ("aictx_resume", json!({"task": "x".repeat(12_001)})),
        ("aictx_next", json!({"files_opened": "a"})),
        ("aictx_prepare_task_context", json!({"goal": ""})),
    ] {
        assert_eq!(
            mcp.refused(tool, &arguments),
            "invalid_request",
            "{arguments}"
        );
    }
    for tool in [
        "aictx_nothing",
        "",
        "tool_specs",
        "find",
        "aictx_resume ",
        "../aictx_resume",
    ] {
        assert_eq!(mcp.refused(tool, &json!({})), "unknown_tool", "{tool}");
    }
    let elsewhere = other.to_str().unwrap();
    for repo in [
        elsewhere, "..", "../other", "way-out", "/", "missing", "calc.py",
    ] {
        let said = mcp.refused("aictx_resume", &json!({ "repo": repo }));
        assert_eq!(said, "permission_denied", "{repo}");
    }
    assert_eq!(
        mcp.facts("aictx_task_list", &json!({"repo": "sub"}))["tasks"],
        json!([])
    );
    let missing = mcp.call("aictx_task_show", &json!({"task_id": "none"}));
    assert_eq!(missing["structuredContent"]["error"]["code"], "tool_error");
    assert_eq!(
        missing["structuredContent"]["error"]["details"]["kind"],
        "not_found"
    );
    assert!(
        env.rows(&other, "continuity/lifecycle_events.jsonl")
            .is_empty()
    );
    mcp.end();

    let mut allowed = Mcp::start(&env, &root, "x", &["--allow-root", elsewhere]);
    allowed.facts("aictx_task_list", &json!({ "repo": elsewhere }));
    assert_eq!(
        allowed.refused("aictx_task_list", &json!({"repo": "/"})),
        "permission_denied"
    );
}

#[test]
fn lines_that_are_no_messages_end_nothing() {
    let env = TestEnv::new();
    let root = env.repository("demo");
    let mut mcp = Mcp::silent(&env, &root, &[]);
    // Before anything else was said.
    mcp.send("");
    mcp.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    mcp.send(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    assert_eq!(mcp.request("ping", &json!({}))["result"], json!({}));
    let early = mcp.request("tools/list", &json!({}));
    assert_eq!(early["error"]["code"], json!(-32602), "{early}");
    let hello = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let welcome = mcp.request("initialize", &hello);
    assert_eq!(welcome["result"]["protocolVersion"], "2025-11-25");
    for (line, code) in [
        ("nonsense", -32700),
        ("{\"jsonrpc\":\"2.0\",", -32700),
        ("Content-Length: 10", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        ("7", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
    ] {
        mcp.send(line);
        let answer = mcp.receive();
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(code), &Value::Null),
            "{line}"
        );
    }
    // Neither a blank line nor a notification is answered.
    for line in [
        "",
        "   \r",
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    ] {
        mcp.send(line);
    }
    assert_eq!(mcp.request("ping", &json!({}))["result"], json!({}));
    let long = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
        "name": "aictx_resume", "arguments": {"task": "x".repeat(4 * 1024 * 1024)}}});
    mcp.send(&long.to_string());
    let answer = mcp.receive();
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(-32600), &Value::Null)
    );
    let below = mcp.refused("aictx_resume", &json!({"task": "x".repeat(4_000_000)}));
    assert_eq!(below, "invalid_request");
    assert_eq!(
        mcp.request("logging/setLevel", &json!({"level": "debug"}))["result"],
        json!({})
    );
    assert_eq!(
        mcp.request("tools/call", &json!({"name": 7}))["error"]["code"],
        json!(-32602)
    );
    assert_eq!(
        mcp.request("no/such", &json!({}))["error"]["code"],
        json!(-32601)
    );
    assert_eq!(mcp.tools().len(), 10);
    assert_eq!(mcp.end(), 0);
}

#[test]
fn the_daemon_is_started_when_there_is_none_and_done_without_when_it_must() {
    let mut env = TestEnv::new();
    let root = env.repository("demo");
    let mut mcp = Mcp::start(&env, &root, "x", &[]);
    // It starts nothing before it is asked something.
    assert!(!env.socket().exists());
    mcp.facts("aictx_task_start", &json!({"goal": "one"}));
    let first = env.status().pid;
    env.stop_daemon();
    // While it still holds its lock no other can begin, and the server answers by itself.
    let process = rustix::process::Pid::from_raw(first.cast_signed()).unwrap();
    wait_until("its process is gone", || {
        rustix::process::test_kill_process(process).is_err()
    });
    // Another daemon, or none, makes no difference to a server that lives on.
    assert_eq!(
        mcp.facts("aictx_task_list", &json!({}))["tasks"][0]["task_id"],
        "one"
    );
    assert_ne!(env.status().pid, first);
    env.stop_daemon();
    mcp.end();
    env.set("AICTX_NO_DAEMON", "1");
    let mut alone = Mcp::of(&env, &root, program("aictxd"), &[]);
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    alone.request("initialize", &hello);
    assert_eq!(
        alone.facts("aictx_task_list", &json!({}))["tasks"][0]["task_id"],
        "one"
    );
    alone.facts(
        "aictx_finalize",
        &json!({"status": "success", "summary": "done"}),
    );
    assert!(!env.socket().exists());
    assert_eq!(alone.end(), 0);
    assert_eq!(env.rows(&root, "continuity/handoffs.jsonl").len(), 1);
}

#[test]
fn where_there_is_nothing_to_serve_it_says_so() {
    let env = TestEnv::new();
    let plain = env.plain_repository("plain");
    let mut mcp = Mcp::start(&env, &plain, "x", &[]);
    let said = mcp.call("aictx_resume", &json!({}));
    assert_eq!(
        said["structuredContent"]["error"]["details"]["kind"],
        "no_repository"
    );
    assert!(!plain.join(".aictx").exists());
    mcp.end();
    let wrong = env.aictx(&plain, &["mcp", "--repo", "missing"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    let wrong = env.aictx(&plain, &["mcp", "--profile", "all"]);
    assert_eq!(wrong.status, 2);
}

#[test]
fn a_client_with_hooks_is_asked_for_nothing_and_listing_begins_no_session() {
    let env = TestEnv::new();
    let root = env.repository("demo");
    let _daemon = env.daemon();
    let instructions = |client: &str| -> String {
        let mut mcp = Mcp::silent(&env, &root, &[]);
        let answer = mcp.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": client, "version": "1" },
            }),
        );
        mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        for method in ["tools/list", "prompts/list", "resources/list"] {
            assert!(mcp.request(method, &json!({}))["result"].is_object());
        }
        assert_eq!(mcp.end(), 0);
        answer["result"]["instructions"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let asks = |text: &str| text.contains("aictx_resume") || text.contains("aictx_finalize");
    env.aictx(&root, &["install", "--agents", "gemini"]).ok();
    assert!(asks(&instructions("somebody")));
    assert!(asks(&instructions("codex-mcp-client")));
    let beside = instructions("gemini-cli-mcp-client");
    assert!(
        !asks(&beside) && beside.contains("aictx_recall"),
        "{beside}"
    );
    let sessions = env.aictx(&root, &["session", "list", "--json"]).ok().json();
    assert_eq!(sessions["sessions"], json!([]), "{sessions}");
}

#[test]
fn a_run_is_kept_from_start_to_closeout_by_tools() {
    let env = TestEnv::new();
    let root = with_history(&env);
    let mut mcp = Mcp::start(&env, &root, "claude-code", &["--profile", "full"]);
    let started = mcp.facts(
        "aictx_run_start",
        &json!({"request": "why does add subtract", "run_id": "r1"}),
    );
    assert_eq!(
        (&started["active"], &started["path"]),
        (&json!(true), &json!(".agents/runs/r1"))
    );
    let mut note = |arguments: Value| mcp.facts("aictx_run_note", &arguments)["row"].clone();
    assert_eq!(
        note(json!({"kind": "hypothesis", "text": "a typo"}))["id"],
        "H001"
    );
    let seen = note(
        json!({"kind": "evidence", "text": "line 2", "hypothesis": "H001", "path": "calc.py:2"}),
    );
    assert_eq!(
        (&seen["id"], &seen["file"]),
        (&json!("E001"), &json!("calc.py:2"))
    );
    assert_eq!(
        note(json!({"kind": "command", "text": "pytest -q", "status": "pass"}))["id"],
        "C001"
    );
    let learning = json!({
        "kind": "learning", "text": "test signs", "learning": "test-gap", "repo_action": "test", "path": "calc.py",
    });
    assert_eq!(note(learning)["id"], "L001");
    assert_eq!(
        note(json!({"kind": "note", "text": "nearly"}))["event"],
        "note"
    );
    let closing = json!({"summary": "it was a typo", "verification": ["C001"], "no_risks": true});
    let open = mcp.facts("aictx_run_close", &closing);
    assert_eq!(
        (&open["closed"], &open["missing"][0]["gate"]),
        (&json!(false), &json!("hypotheses"))
    );
    let resolve =
        json!({"kind": "resolve", "text": "fixed", "hypothesis": "H001", "status": "accepted"});
    mcp.facts("aictx_run_note", &resolve);
    assert_eq!(mcp.facts("aictx_run_close", &closing)["closed"], true);
    let late = mcp.refused("aictx_run_note", &json!({"kind": "note", "text": "late"}));
    assert_eq!(late, "tool_error", "no run is active");
}
