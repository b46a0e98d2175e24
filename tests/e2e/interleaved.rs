//! Sessions side by side in one worktree: each has its own contract, banner, finalize and handoff;
//! nothing is lost and nothing is crossed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Barrier;

use aictx_tests::memory::{assert_sound, executions, history};
use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn log(env: &TestEnv, repo: &Path, session: &str) -> Vec<Value> {
    let arguments = ["log", "--json", "--session", session];
    let reply = env.aictx(repo, &arguments).ok().json();
    reply["executions"].as_array().unwrap().clone()
}

#[test]
fn w7_two_agents_taking_turns_keep_apart() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let bob = Play::codex(&env, &repo, "bob");
    assert!(ann.start("startup").contains("claude@demo · session #1"));
    assert!(bob.start("startup").contains("codex@demo · session #2"));
    ann.prompt("Fix subtraction in calc.py");
    bob.prompt("Write the user guide");
    let contract = |who: &Play, task: &str| {
        let reply = who.aictx(&["resume", "--json", "--task", task]).json();
        assert_eq!(reply["startup_banner_text"], "", "the hook has shown it");
        assert_eq!(reply["agent_identity"]["session_id"], who.id);
        reply["contract_ref"].clone()
    };
    let of_ann = contract(&ann, "Fix subtraction in calc.py");
    let of_bob = contract(&bob, "Write the user guide");
    assert_ne!(of_ann["contract_id"], of_bob["contract_id"]);
    ann.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    bob.edit("docs/guide.md", "# Guide\n");
    ann.passes("python -m pytest -q test_calc.py", "1 passed in 0.01s");
    // A person finalizes something else meanwhile: it is nobody's work here.
    let by_hand = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Wrote to the customer",
    ];
    env.aictx(&repo, &by_hand).ok();
    let mine = |who: &Play, summary: &str| {
        who.aictx(&[
            "finalize",
            "--json",
            "--status",
            "success",
            "--summary",
            summary,
        ])
        .json()
    };
    let reply = mine(&ann, "Subtraction works");
    assert_eq!(reply["session_id"], "ann");
    assert_eq!(
        reply["contract_compliance"]["task_goal"],
        "Fix subtraction in calc.py"
    );
    bob.edit("docs/more.md", "# More\n");
    let reply = mine(&bob, "The guide is there");
    assert_eq!(reply["session_id"], "bob");
    assert_eq!(
        reply["contract_compliance"]["task_goal"],
        "Write the user guide"
    );
    let kept = env.rows(&repo, "metrics/contract_compliance.jsonl");
    let kept = kept.iter().filter(|row| row["contract_present"] == true);
    let ids: Vec<&Value> = kept.map(|row| &row["contract_id"]).collect();
    assert_eq!(ids, [&of_ann["contract_id"], &of_bob["contract_id"]]);
    ann.end();
    bob.end();
    assert_eq!(executions(&repo).len(), 3, "each once, and the person's");
    let [entry] = &log(&env, &repo, "ann")[..] else {
        panic!("one execution")
    };
    assert_eq!(entry["files_edited"], json!(["calc.py"]));
    assert_eq!(entry["request"], "Fix subtraction in calc.py");
    let [entry] = &log(&env, &repo, "bob")[..] else {
        panic!("one execution")
    };
    assert_eq!(
        entry["files_edited"],
        json!(["docs/more.md", "docs/guide.md"])
    );
    assert_eq!(entry["request"], "Write the user guide");
    let by_hand = env.rows(&repo, "metrics/execution_logs.jsonl");
    let by_hand = by_hand
        .iter()
        .find(|row| row["session_id"] != "ann" && row["session_id"] != "bob");
    assert_eq!(by_hand.unwrap()["files_edited"], json!([]));
}

/// Number of sessions at once.
const MANY: usize = 20;

/// Does the work of one of many; `wait` lets all others come as far first. Gives what it was told and the id
/// of its contract.
fn work(env: &TestEnv, repo: &Path, n: usize, wait: &dyn Fn()) -> (String, Value) {
    let id = format!("session-{n:02}");
    let request = format!("Give module m{n} its own colour number {n}");
    let file = format!("src/m{n}.py");
    let test = format!("python -m pytest -q tests/test_m{n}.py");
    let who = if n.is_multiple_of(2) {
        Play::claude(env, repo, &id)
    } else {
        Play::codex(env, repo, &id)
    };
    wait();
    let told = who.start("startup");
    wait();
    who.prompt(&request);
    let mut contract = Value::Null;
    if !n.is_multiple_of(3) {
        let reply = who.aictx(&["resume", "--json", "--task", &request]).json();
        assert_eq!(reply["contract_ref"]["session_id"], id.as_str());
        assert_eq!(reply["startup_banner_text"], "");
        contract = reply["contract_ref"]["contract_id"].clone();
    }
    wait();
    who.edit(&file, &format!("COLOUR = {n}\n"));
    wait();
    if n.is_multiple_of(5) {
        let output = format!(
            "FAILED tests/test_m{n}.py::test_colour_{n} - assert {n} == 0\n1 failed in 0.01s"
        );
        who.fails(&test, &output);
    } else {
        who.passes(&test, "1 passed in 0.01s");
    }
    wait();
    if n % 4 == 1 {
        let status = if n.is_multiple_of(5) {
            "failure"
        } else {
            "success"
        };
        let summary = format!("Reported by {n}");
        who.aictx(&["finalize", "--status", status, "--summary", &summary]);
    } else {
        who.says(&format!("Reported by {n}"));
    }
    wait();
    who.end();
    (told, contract)
}

#[test]
fn twenty_sessions_at_once_lose_nothing_and_cross_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let barrier = Barrier::new(MANY);
    let told: Vec<(String, Value)> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..MANY)
            .map(|n| {
                let (env, repo, barrier) = (&env, &repo, &barrier);
                scope.spawn(move || {
                    work(env, repo, n, &|| {
                        barrier.wait();
                    })
                })
            })
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let numbers: BTreeSet<usize> = (1..=MANY)
        .filter(|n| {
            told.iter()
                .any(|(text, _)| text.contains(&format!("session #{n} ")))
        })
        .collect();
    assert_eq!(numbers.len(), MANY, "each has a number of its own");

    // Rows and ledgers go to the archive behind the answers.
    env.stop_daemon();
    let counts = executions(&repo);
    assert_eq!(counts.len(), MANY);
    assert!(counts.values().all(|times| *times == 1), "{counts:?}");
    let rows = |file: &str| -> Vec<Value> {
        let text = history(&repo, file);
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let by_session = |rows: Vec<Value>| -> BTreeMap<String, Vec<Value>> {
        let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for row in rows {
            let id = row["session_id"].as_str().unwrap().to_owned();
            all.entry(id).or_default().push(row);
        }
        all
    };
    let handoffs = by_session(rows("continuity/handoffs.jsonl"));
    let logs = by_session(rows("metrics/execution_logs.jsonl"));
    let kept = by_session(rows("metrics/contract_compliance.jsonl"));
    let events = rows("continuity/lifecycle_events.jsonl");
    let finalized = events
        .iter()
        .filter(|e| e["event_type"] == "finalize_called")
        .count();
    let _daemon = env.daemon();
    for (n, (_, contract)) in told.iter().enumerate() {
        let id = format!("session-{n:02}");
        let request = format!("Give module m{n} its own colour number {n}");
        let [handoff] = &handoffs[&id][..] else {
            panic!("{id}: {:?}", handoffs[&id])
        };
        assert_eq!(handoff["reason"], request.as_str());
        assert_eq!(handoff["summary"], format!("Reported by {n}"));
        assert_eq!(
            handoff["recommended_starting_points"],
            json!([format!("src/m{n}.py")])
        );
        assert_eq!(
            handoff["status"],
            if n.is_multiple_of(5) {
                "failed"
            } else {
                "resolved"
            },
            "{id}"
        );
        let [row] = &logs[&id][..] else {
            panic!("{id}")
        };
        assert_eq!(row["files_edited"], json!([format!("src/m{n}.py")]));
        let [entry] = &log(&env, &repo, &id)[..] else {
            panic!("{id}")
        };
        assert_eq!(entry["request"], request.as_str());
        match kept.get(&id).map(Vec::as_slice) {
            Some([row]) if row["contract_present"] == false => {
                assert!(n.is_multiple_of(3), "{id} had a contract");
            }
            Some([row]) => {
                assert_eq!(row["task_goal"], request.as_str());
                assert_eq!(row["contract_id"], *contract);
            }
            many => panic!("{id}: {many:?}"),
        }
        let session = env.aictx(&repo, &["session", "show", &id, "--rows", "--json"]);
        let session = session.ok().json();
        let ledger = session["rows"].as_array().unwrap();
        let of = |kind: &str| ledger.iter().filter(|r| r["kind"] == kind).count();
        assert_eq!((of("edit"), of("finalized")), (1, 1), "{id}");
    }
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), MANY.div_ceil(5));
    assert!(
        patterns.iter().all(|p| p["status"] == "open"),
        "nobody ran those tests again"
    );
    assert_eq!(finalized, MANY);
    let next = Play::claude(&env, &repo, "next").start("startup");
    assert!(next.contains(&format!("session #{} ", MANY + 1)), "{next}");
    assert_sound(&repo);
}

#[test]
fn a_session_that_begins_hears_who_else_is_at_work() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let bob = Play::codex(&env, &repo, "bob");
    ann.start("startup");
    bob.start("startup");
    ann.prompt("Fix subtraction in calc.py");
    bob.prompt("Where is add defined?");
    ann.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    let told = Play::claude(&env, &repo, "eve").start("startup");
    let line = "Also at work here (claude, session ann, heard of just now): \
                \"Fix subtraction in calc.py\"; edited calc.py";
    assert!(told.contains(line), "{told}");
    assert!(!told.contains("session bob"), "who only reads: {told}");
    ann.end();
    let told = Play::claude(&env, &repo, "zoe").start("startup");
    assert!(!told.contains("Also at work"), "{told}");
}

#[test]
fn what_a_session_did_whose_turn_has_ended_is_told_to_the_next() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::codex(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Fix subtraction in calc.py");
    ann.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    ann.passes("pytest -q calc.py", "1 passed in 0.01s");
    ann.says("sub() takes its arguments in order now. Next step: document sub().");
    // No end is sent, and the process that called is still there.
    let bob = Play::codex(&env, &repo, "bob");
    let told = bob.start_and_continue();
    assert!(told.contains("document sub()"), "{told}");
    // She goes on: what she did before is not handed over again.
    ann.prompt("Now fix mul in calc.py");
    ann.edit("calc.py", "def mul(a, b):\n    return a * b\n");
    ann.passes("pytest -q calc.py", "1 passed in 0.01s");
    ann.says("mul() multiplies now.");
    ann.end();
    let rows = env.rows(&repo, "continuity/handoffs.jsonl");
    let said: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["summary"].as_str())
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("sub()") && said[1].contains("mul()"),
        "{said:?}"
    );
    assert!(!said[1].contains("sub()"), "{said:?}");
}

#[test]
fn a_session_that_was_silent_after_its_turn_is_over() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon_with(&[("AICTXD_SESSION_QUIET_SECONDS", "0")]);
    let sessions = ["ann", "bob", "cid"];
    for id in sessions {
        let one = Play::codex(&env, &repo, id);
        let told = one.start("startup");
        assert!(!told.contains("Also at work"), "{id}: {told}");
        one.prompt(&format!("Add the function {id} to calc.py"));
        one.edit("calc.py", &format!("def {id}(): pass\n"));
        one.passes("pytest -q calc.py", "1 passed in 0.01s");
        one.says(&format!("Added {id}()."));
    }
    // In the middle of a turn nobody is over.
    let works = Play::codex(&env, &repo, "dan");
    works.start("startup");
    works.prompt("Add the function dan to calc.py");
    works.edit("calc.py", "def dan(): pass\n");
    let told = Play::codex(&env, &repo, "eve").start("startup");
    assert_eq!(told.matches("Also at work").count(), 1, "{told}");
    assert!(told.contains("session dan"), "{told}");
    assert_eq!(
        env.rows(&repo, "continuity/handoffs.jsonl").len(),
        sessions.len()
    );
}

#[test]
fn an_id_that_begins_in_another_repository_is_a_session_of_that_one() {
    let env = TestEnv::new();
    let [here, there] = ["here", "there"].map(|name| env.repository(name));
    let _daemon = env.daemon();
    for (repo, request) in [
        (&here, "Migrate the alpha tokens"),
        (&there, "Rewrite beta"),
    ] {
        let id = format!("before-{request}");
        let before = Play::claude(&env, repo, &id);
        before.start("startup");
        before.prompt(request);
        before.edit("calc.py", "a = 1\n");
        before.end();
    }
    let one = Play::claude(&env, &here, "same");
    assert!(one.start("startup").contains("alpha"));
    one.prompt("Count the tokens");
    one.edit("calc.py", "a = 2\n");
    let other = Play::claude(&env, &there, "same");
    let told = other.start("startup");
    assert!(told.contains("beta") && !told.contains("alpha"), "{told}");
    other.prompt("Count the betas");
    other.edit("calc.py", "a = 3\n");
    other.end();
    let request = |repo| env.file(repo, "continuity/handoff.json")["reason"].clone();
    wait_until("it is finalized where it was left", || {
        request(&here) == "Count the tokens"
    });
    assert_eq!(request(&there), "Count the betas");
}
