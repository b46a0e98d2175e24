//! Memory by every way in, its corrections, and its views.

use std::fs;
use std::path::Path;

use aictx_tests::memory::assert_sound;
use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn ask(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
    env.aictx(repo, &[arguments, &["--json"]].concat())
        .ok()
        .json()
}

fn items(env: &TestEnv, repo: &Path, kind: &str) -> Vec<Value> {
    let list = ask(env, repo, &["memory", "list", "--kind", kind]);
    list["items"].as_array().unwrap().clone()
}

/// Returns the stored records of a report that says the same in each way.
fn stored(env: &TestEnv, repo: &Path) -> Value {
    let plain = |mut value: Value, names: &[&str]| {
        for name in names {
            value.as_object_mut().unwrap().remove(*name);
        }
        value
    };
    let handoff = env.file(repo, "continuity/handoff.json");
    let decisions = env.rows(repo, "continuity/decisions.jsonl");
    let semantic = env.file(repo, "continuity/semantic_repo.json");
    let thread = env.file(repo, "tasks/threads/t.json");
    let pick = |value: &Value, names: &[&str]| -> Value {
        names
            .iter()
            .map(|n| ((*n).to_owned(), value[*n].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "handoff": pick(&handoff, &["summary", "reason", "status", "next_steps", "blocked", "risks", "recommended_starting_points"]),
        "decisions": decisions.into_iter().map(|d| plain(d, &["timestamp", "execution_id", "anchors"])).collect::<Vec<_>>(),
        "semantic": pick(&semantic["subsystems"][0], &["name", "description", "key_paths", "fragile_areas"]),
        "thread": pick(&thread, &["next_action", "verified", "active_files"]),
    })
}

#[test]
fn w4_flags_a_file_and_the_wire_store_the_same() {
    let decision = json!({ "decision": "one module", "rationale": "simple", "related_paths": ["./calc.py"], "subsystem": "calc" });
    let semantic = json!({ "name": "calc", "description": "sums", "key_paths": ["./calc.py"], "fragile_areas": ["overflow"] });
    let document = json!({
        "status": "success", "summary": "Sums work", "task": "Fix sums", "files_edited": ["./calc.py"],
        "tests_executed": ["python -m pytest -q"], "next_steps": ["do products", "do roots"],
        "blocked": ["needs a review"], "risks": ["overflow"], "decisions": [decision],
        "semantic_updates": [semantic], "work_state": { "next_action": "products" },
    });
    let results: Vec<Value> = ["flags", "file", "wire"]
        .into_iter()
        .map(|way| {
            let env = TestEnv::new();
            let repo = env.repository("demo");
            let _daemon = env.daemon();
            env.aictx(&repo, &["task", "start", "Arithmetic", "--task-id", "t"])
                .ok();
            match way {
                "flags" => {
                    env.aictx(
                        &repo,
                        &[
                            "finalize",
                            "--status",
                            "success",
                            "--summary",
                            "Sums work",
                            "--task",
                            "Fix sums",
                            "--files-edited",
                            "./calc.py",
                            "--tests-executed",
                            "python -m pytest -q",
                            "--next-step",
                            "do products",
                            "do roots",
                            "--blocked",
                            "needs a review",
                            "--risk",
                            "overflow",
                            "--decision-json",
                            &decision.to_string(),
                            "--semantic-json",
                            &semantic.to_string(),
                            "--work-state-json",
                            r#"{"next_action": "products"}"#,
                        ],
                    )
                    .ok();
                }
                "file" => {
                    fs::write(env.path().join("report.json"), document.to_string()).unwrap();
                    let file = env.path().join("report.json");
                    env.aictx(&repo, &["finalize", "--from-file", &file.to_string_lossy()])
                        .ok();
                }
                _ => {
                    let mut params = document.clone();
                    params["repo"] = json!(repo);
                    params["cwd"] = json!(repo);
                    let reply = env.rpc("finalize", &params);
                    assert_eq!(reply["result"]["recorded"], true, "{reply}");
                }
            }
            assert_sound(&repo);
            stored(&env, &repo)
        })
        .collect();
    let flags = &results[0];
    assert_eq!(
        flags["handoff"]["next_steps"],
        json!(["do products", "do roots"])
    );
    assert_eq!(flags["decisions"][0]["related_paths"], json!(["calc.py"]));
    assert_eq!(
        flags["semantic"]["key_paths"],
        json!(["calc.py"]),
        "w9: one path, one name"
    );
    assert_eq!(flags["thread"]["next_action"], "products");
    assert_eq!(flags["thread"]["active_files"], json!(["calc.py"]));
    assert_eq!(flags, &results[1]);
    assert_eq!(flags, &results[2]);
}

#[test]
fn w4_w28_the_summary_says_what_was_saved_and_what_is_next() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let run = env
        .aictx(
            &repo,
            &[
                "finalize",
                "--status",
                "success",
                "--summary",
                "Sums work",
                "--files-edited",
                "calc.py",
                "--tests-executed",
                "python -m pytest -q",
                "--next-step",
                "do products.",
                "--decision-json",
                r#"{"decision": "one module", "rationale": "simple"}"#,
                "--semantic-json",
                r#"{"name": "calc", "description": "sums"}"#,
            ],
        )
        .ok();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[1], "AICTX summary");
    let line = |label: &str| {
        lines
            .iter()
            .find(|l| l.starts_with(label))
            .copied()
            .unwrap_or_default()
    };
    for word in ["handoff", "decision", "strategy", "semantic"] {
        assert!(line("Saved: ").contains(word), "{word}: {}", run.stdout);
    }
    assert!(
        line("Next: ").contains("do products") && !line("Next: ").contains(".."),
        "{}",
        run.stdout
    );
    assert!(line("Details: ").contains("last_execution_summary.md"));
    let details =
        fs::read_to_string(repo.join(".aictx/continuity/last_execution_summary.md")).unwrap();
    assert!(
        details.starts_with("# AICTX Execution Summary"),
        "{details}"
    );
    assert!(details.contains("- effective task type: ") && !run.stdout.contains("task type"));
    // Nothing that is not English, nothing of a failure that was none (w23, wm7).
    assert!(
        !run.stdout.contains("fallo") && !line("Context: ").contains("failure"),
        "{}",
        run.stdout
    );
}

#[test]
fn pin_wrong_and_forget_change_what_is_told() {
    let rule = |n: usize| {
        [
            "",
            "use tabs",
            "use cents",
            "use pnpm",
            "use hooks",
            "use https",
        ][n]
    };
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for n in 1..=5 {
        let decision = json!({ "decision": rule(n), "rationale": "r" }).to_string();
        env.aictx(
            &repo,
            &[
                "finalize",
                "--status",
                "success",
                "--summary",
                &format!("s{n}"),
                "--decision-json",
                &decision,
            ],
        )
        .ok();
    }
    let id = |n: usize| {
        let all = items(&env, &repo, "decision");
        let item = all.iter().find(|i| i["text"] == rule(n)).cloned();
        item.map(|i| i["id"].as_str().unwrap().to_owned())
    };
    let told = |session: &str| {
        let text = Play::claude(&env, &repo, session).start_and_continue();
        text.lines()
            .filter_map(|l| l.strip_prefix("Decided (just now): "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told("a"),
        ["\"use https\"", "\"use hooks\"", "\"use pnpm\""]
    );
    let pinned = env.aictx(&repo, &["pin", &id(1).unwrap()]).ok();
    assert!(pinned.stdout.contains("pinned: use tabs"), "{pinned:?}");
    // By the beginning of the bare id as well.
    let five = id(5).unwrap();
    let short = five.strip_prefix("decision::").unwrap().get(..6).unwrap();
    env.aictx(&repo, &["wrong", short, "--reason", "nobody wants it"])
        .ok();
    assert_eq!(told("b"), ["\"use tabs\"", "\"use hooks\"", "\"use pnpm\""]);
    let why = ask(&env, &repo, &["why", "--session", "b"]);
    let left = why["told"][0]["receipt"]["left_out"].as_array().unwrap();
    let left = left.iter().find(|l| l["id"] == five.as_str());
    assert_eq!(left.unwrap()["why"], "marked_wrong");
    env.aictx(&repo, &["forget", &id(4).unwrap()]).ok();
    env.aictx(&repo, &["wrong", &five, "--undo"]).ok();
    env.aictx(&repo, &["pin", &id(1).unwrap(), "--undo"]).ok();
    assert_eq!(
        told("c"),
        ["\"use https\"", "\"use pnpm\"", "\"use cents\""]
    );
    assert_eq!(id(4), None);
    let archive = env.rows(&repo, "archive/forgotten.jsonl");
    assert_eq!(
        archive[0]["item"]["text"], "use hooks",
        "forgotten is not destroyed"
    );
    for (wrong, reason) in [
        ("decision::", "items begin with"),
        ("nothing", "nothing remembered has the id"),
        ("", "the id is empty"),
    ] {
        let run = env.aictx(&repo, &["forget", wrong]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.stderr.contains(reason), "{run:?}");
    }
    // Every kind can be taken out.
    env.aictx(&repo, &["task", "start", "A task"]).ok();
    env.aictx(
        &repo,
        &[
            "finalize",
            "--status",
            "failure",
            "--summary",
            "Broke",
            "--commands-executed",
            "make",
            "--error",
            "make: *** [all] Error 2",
            "--semantic-json",
            r#"{"name": "n", "description": "d"}"#,
        ],
    )
    .ok();
    for kind in ["task", "failure", "strategy", "handoff", "note", "decision"] {
        let all = items(&env, &repo, kind);
        assert!(!all.is_empty(), "{kind}");
        for item in all {
            env.aictx(&repo, &["forget", item["id"].as_str().unwrap()])
                .ok();
        }
        assert_eq!(items(&env, &repo, kind), Vec::<Value>::new(), "{kind}");
    }
    assert_eq!(ask(&env, &repo, &["task", "status"])["active"], false);
    assert_sound(&repo);
}

#[test]
fn w25_muted_messages_leave_the_facts() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    fs::create_dir_all(repo.join(".aictx/memory")).unwrap();
    fs::write(
        repo.join(".aictx/memory/user_preferences.json"),
        r#"{"mine": {"kept": true}}"#,
    )
    .unwrap();
    assert_eq!(
        env.aictx(&repo, &["messages", "mute"]).ok().stdout,
        "AICTX messages: muted\n"
    );
    let finalized = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Done",
        "--files-edited",
        "calc.py",
    ];
    assert_eq!(env.aictx(&repo, &finalized).ok().stdout, "");
    let told = Play::claude(&env, &repo, "s").start("startup");
    assert!(
        !told.contains("session #") && told.contains("\"Done\""),
        "{told}"
    );
    let resume = ask(&env, &repo, &["resume", "--task", "x"]);
    assert_eq!(resume["startup_banner_text"], "");
    assert_eq!(
        resume["startup_banner_policy"]["show_in_first_user_visible_response"],
        false
    );
    assert_eq!(
        env.aictx(&repo, &["messages"]).ok().stdout,
        "AICTX messages: muted\n"
    );
    env.aictx(&repo, &["messages", "unmute"]).ok();
    assert!(!env.aictx(&repo, &finalized).ok().stdout.is_empty());
    assert_eq!(
        env.file(&repo, "memory/user_preferences.json")["mine"]["kept"],
        true
    );
    // W2: what cannot be read is kept, and muting says so instead of replacing everything.
    fs::write(repo.join(".aictx/memory/user_preferences.json"), "{bad").unwrap();
    let muted = env.aictx(&repo, &["messages", "mute"]);
    let kept = aictx_tests::memory::facts(&repo.join(".aictx"));
    let kept = kept
        .iter()
        .any(|f| fs::read_to_string(repo.join(".aictx").join(f)).is_ok_and(|t| t == "{bad"));
    assert!(kept, "{muted:?}");
    env.aictx(&repo, &["resume", "--task", "x"]).ok();
    env.aictx(&repo, &finalized).ok();
}

#[test]
fn looking_at_memory_changes_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let empty = ask(&env, &repo, &["suggest", "--request", "Fix the sums"]);
    assert_eq!(empty["source"], "none");
    let who = Play::claude(&env, &repo, "s");
    who.start("startup");
    who.prompt("Fix the sums in calc");
    for _ in 0..3 {
        who.read("README.md");
        who.read("pyproject.toml");
        who.read("test_calc.py");
    }
    who.edit("calc.py", "def add(a, b):\n    return a + b\n");
    who.passes("python -m pytest -q", "1 passed in 0.01s");
    who.says("add() adds.");
    who.end();
    let before: Vec<(std::path::PathBuf, Vec<u8>)> =
        aictx_tests::memory::facts(&repo.join(".aictx"))
            .into_iter()
            .map(|f| {
                let bytes = fs::read(repo.join(".aictx").join(&f)).unwrap();
                (f, bytes)
            })
            .collect();
    let suggest = ask(
        &env,
        &repo,
        &[
            "suggest",
            "--request",
            "Fix the sums again",
            "--files-opened",
            "./calc.py",
        ],
    );
    assert_eq!(suggest["source"], "strategy_memory");
    assert_eq!(suggest["suggested_entry_points"][0], "calc.py");
    let points = suggest["suggested_entry_points"].as_array().unwrap();
    assert!(
        points
            .iter()
            .all(|p| repo.join(p.as_str().unwrap()).is_file()),
        "w11: no commands among the paths"
    );
    let reuse = ask(&env, &repo, &["reuse", "Fix the sums again"]);
    assert_eq!(reuse["source"], "previous_successful_execution");
    let none = ask(
        &env,
        &repo,
        &[
            "reuse",
            "--request",
            "write the quarterly marketing newsletter copy",
        ],
    );
    assert_eq!(
        none["source"], "none",
        "wt2: nothing in common is not offered"
    );
    let reflect = ask(&env, &repo, &["reflect"]);
    assert_eq!(
        reflect["possible_issue"], "looping_on_same_files",
        "{reflect}"
    );
    let report = ask(&env, &repo, &["report", "real-usage"]);
    assert_eq!(
        (&report["total_executions"], &report["packet_usage"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(report["capture_coverage"]["tests_executed"], 1);
    let prepare = ask(&env, &repo, &["prepare", "Fix the sums again"]);
    assert_eq!(prepare["goal"]["raw"], "Fix the sums again");
    let next = ask(&env, &repo, &["next"]);
    assert!(
        next["continuity_brief"]["probable_paths"]
            .as_array()
            .unwrap()
            .contains(&json!("calc.py"))
    );
    ask(&env, &repo, &["log"]);
    ask(&env, &repo, &["why", "--session", "s"]);
    ask(&env, &repo, &["task", "list"]);
    for (file, bytes) in before {
        assert_eq!(
            fs::read(repo.join(".aictx").join(&file)).unwrap(),
            bytes,
            "wg5: {}",
            file.display()
        );
    }
}

#[test]
fn w40_where_nothing_was_initialised_nothing_is_made() {
    let env = TestEnv::new();
    let repo = env.plain_repository("plain");
    let bare = env.path().join("no-git");
    fs::create_dir(&bare).unwrap();
    for directory in [&repo, &bare] {
        for arguments in [
            &["resume", "--task", "x"][..],
            &["finalize", "--status", "success", "--summary", "s"],
            &["task", "start", "g"],
            &["next"],
            &["messages", "mute"],
            &["report", "real-usage"],
        ] {
            let run = env.aictx(directory, arguments);
            assert_ne!(run.status, 0, "{arguments:?}");
            assert!(run.stderr.starts_with("aictx: "), "{run:?}");
            assert!(!directory.join(".aictx").exists(), "{arguments:?}");
        }
    }
}

#[test]
fn what_memory_says_of_a_file_follows_it_where_it_moved() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let decided = json!({
        "title": "Signatures", "decision": "add() takes two numbers", "related_paths": ["calc.py"],
    });
    let decided = decided.to_string();
    let finalize = [
        "finalize",
        "--session-id",
        "s1",
        "--status",
        "success",
        "--summary",
        "Settled add",
        "--decision-json",
        &decided,
    ];
    env.aictx(&repo, &finalize).ok();
    env.git(&repo, &["mv", "calc.py", "numbers.py"]);
    env.git(&repo, &["commit", "--quiet", "-m", "rename"]);
    wait_until("the new place is known", || {
        let asked = ["resume", "--task", "change the signature of add", "--json"];
        let answer = env.aictx(&repo, &asked).ok().stdout;
        answer.contains("calc.py is now numbers.py")
    });

    // Who is gone has no new place, its own least of all, though the map may still know its content.
    env.git(&repo, &["rm", "--quiet", "numbers.py"]);
    wait_until("it is known to be gone", || {
        let asked = ["resume", "--task", "change the signature of add", "--json"];
        let answer = env.aictx(&repo, &asked).ok().stdout;
        assert!(!answer.contains("is now calc.py"), "{answer}");
        !answer.contains("is now")
    });
}
