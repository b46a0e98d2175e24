//! `recall` and `remember` with the real programs.

use std::fs;
use std::io::Write as _;

use aictx_proto::tokens;
use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn finalized(env: &TestEnv, repo: &std::path::Path, n: usize, what: &Value) {
    let mut report = json!({
        "repo": repo, "status": "success", "task": format!("chore {n}"),
        "summary": format!("Renamed helper {n}."), "caller": { "session_id": format!("s{n}") },
    });
    let members = report.as_object_mut().unwrap();
    members.extend(what.as_object().unwrap().clone());
    assert!(env.rpc("finalize", &report)["result"].is_object());
}

#[test]
fn what_was_left_long_ago_is_found_with_and_without_the_daemon() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let migration = json!({
        "task": "migrate database schema v2", "summary": "Wrote the first half of the migration.",
        "next_steps": ["run backfill_accounts on staging"], "blocked": ["the DBA must grant rights"],
        "files_edited": ["calc.py"],
    });
    finalized(&env, &repo, 0, &migration);
    for n in 1..40 {
        finalized(&env, &repo, n, &json!({}));
    }
    // A long history, so that the first handoff goes to the archive.
    let handoffs = repo.join(".aictx/continuity/handoffs.jsonl");
    let filler = |n| {
        format!(
            "{}\n",
            json!({ "execution_id": format!("f{n}"), "summary": "z".repeat(1_000) })
        )
    };
    let fillers: String = (0..1_500).map(filler).collect();
    let mut file = fs::OpenOptions::new().append(true).open(&handoffs).unwrap();
    file.write_all(fillers.as_bytes()).unwrap();
    finalized(&env, &repo, 40, &json!({}));
    wait_until("the first handoff is archived", || {
        !fs::read_to_string(&handoffs)
            .unwrap()
            .contains("migrate database")
    });
    let asked = env.aictx(
        &repo,
        &[
            "remember",
            "Amounts are Decimal, never float",
            "--file",
            "calc.py",
        ],
    );
    assert!(asked.ok().stdout.contains("remembered"));
    let recall = |arguments: &[&str]| {
        let all = [&["recall"], arguments, &["--json"]].concat();
        env.aictx(&repo, &all).ok().json()
    };
    let found = recall(&["continue the migration of the database schema"]);
    let best = &found["items"][0];
    let of_first = |item: &&Value| {
        item["kind"] == "handoff" && item["request"] == "migrate database schema v2"
    };
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.iter().filter(of_first).count(), 1, "{found}");
    assert_eq!(best["kind"], "handoff", "{found}");
    assert_eq!(best["request"], "migrate database schema v2");
    let details = best["details"].to_string();
    assert!(
        details.contains("next: run backfill_accounts on staging"),
        "{details}"
    );
    assert!(
        details.contains("blocked: the DBA must grant rights"),
        "{details}"
    );
    assert_eq!(
        recall(&["may amounts be a float?"])["items"][0]["kind"],
        "decision"
    );
    assert_eq!(recall(&["zeppelin quarantine"])["items"], json!([]));
    let of_file = recall(&["--file", "calc.py", "--kind", "decision"]);
    assert_eq!(of_file["items"].as_array().unwrap().len(), 1);
    assert_eq!(recall(&["--since", "2999-01-01"])["items"], json!([]));
    let no_date = env.aictx(&repo, &["recall", "--since", "yesterday"]);
    assert!(no_date.stderr.contains("is no date"), "{no_date:?}");
    let bad = env.aictx(&repo, &["recall", "x", "--kind", "dream"]);
    assert_eq!(bad.status, 2, "{bad:?}");
    let before = fs::read(repo.join(".aictx/continuity/handoffs.jsonl")).unwrap();
    let params = json!({ "repo": repo, "query": "schema migration" });
    let told = env.rpc("memory.recall", &params)["result"].clone();
    let text = env
        .aictx(&repo, &["recall", "schema migration"])
        .ok()
        .stdout
        .clone();
    assert!(
        text.contains("handoff · resolved") && text.contains("blocked: the DBA"),
        "{text}"
    );
    assert_eq!(daemon.stop(), 0);
    assert_eq!(env.once("memory.recall", &params).ok().json(), told);
    let after = fs::read(repo.join(".aictx/continuity/handoffs.jsonl")).unwrap();
    assert_eq!(before, after, "whoever searches changes nothing");
}

#[test]
fn a_prompt_brings_the_work_that_it_is_about_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    fs::create_dir(repo.join("db")).unwrap();
    fs::write(repo.join("db/migrate.py"), "def migrate():\n    pass\n").unwrap();
    let migration = json!({
        "task": "migrate database schema v2", "summary": "Wrote the first half of the migration.",
        "next_steps": ["run backfill_accounts on staging"], "blocked": ["the DBA must grant rights"],
        "files_edited": ["db/migrate.py"],
    });
    finalized(&env, &repo, 0, &migration);
    for n in 1..12 {
        finalized(&env, &repo, n, &json!({}));
    }
    let toggle = json!({ "task": "dark mode toggle", "summary": "The toggle keeps its state.",
        "files_edited": ["ui/theme.py"] });
    finalized(&env, &repo, 12, &toggle);

    let who = Play::claude(&env, &repo, "a");
    let start = who.start("startup");
    assert!(!start.contains("backfill_accounts"), "{start}");
    assert!(tokens::estimate(&start) < 200, "{start}");
    assert_eq!(who.told_at("Draft a blog post in a friendly tone"), "");
    let task = "continue the migration of the database schema v2";
    let told = who.told_at(task);
    assert!(
        told.contains("then next: \"run backfill_accounts"),
        "{told}"
    );
    assert!(
        told.contains("blocked: \"the DBA must grant rights\""),
        "{told}"
    );
    assert!(!told.contains("theme.py"), "{told}");
    assert!(
        !who.told_at(task).contains("backfill_accounts"),
        "told before"
    );
    who.end();

    let resumed = env.aictx(&repo, &["resume", "--task", task, "--json"]).ok();
    let resumed = resumed.json();
    assert_eq!(
        resumed["execution_contract"]["first_action"]["path"],
        "db/migrate.py"
    );
    let next = resumed["capsule"]["next_action"].to_string();
    assert!(next.contains("backfill_accounts"), "{next}");
    let params = json!({ "repo": repo, "task": task });
    assert_eq!(daemon.stop(), 0);
    let without = env.once("resume", &params).ok().json();
    assert_eq!(
        without["capsule"]["recalled"],
        resumed["capsule"]["recalled"]
    );
}

#[test]
fn what_failed_and_was_fixed_in_one_session_is_told_when_it_fails_again() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let output = "E   assert 2.67 == 2.68\nFAILED test_calc.py::test_round - assert 2.67 == 2.68\n1 failed in 0.02s";
    let first = Play::claude(&env, &repo, "a");
    first.start("startup");
    first.prompt("Round half up");
    first.fails("python -m pytest -q", output);
    first.edit("calc.py", "def add(a, b):\n    return a + b\n");
    first.passes("python -m pytest -q", "1 passed in 0.01s");
    first.says("Prices are quantized with ROUND_HALF_UP now.");
    first.end();
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns[0]["status"], "resolved", "{patterns:?}");

    let second = Play::claude(&env, &repo, "b");
    second.start("startup");
    second.prompt("Add a method that subtracts");
    let told = second.fails("python -m pytest -q", output).stdout;
    assert!(told.contains("ROUND_HALF_UP"), "{told}");
}

#[test]
fn a_preview_says_what_would_be_told_and_why_and_records_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let vouchers = json!({
        "task": "voucher limits", "summary": "At most three vouchers a basket.",
        "files_edited": ["calc.py"],
    });
    finalized(&env, &repo, 0, &vouchers);
    env.aictx(&repo, &["map", "query", "add", "--wait", "20"])
        .ok();
    let rows = || env.rows(&repo, "continuity/lifecycle_events.jsonl").len();
    let before = (rows(), env.file(&repo, "continuity/session.json"));
    let prompt = "may a basket hold several vouchers?";
    let shown = env
        .aictx(&repo, &["preview", "--prompt", prompt])
        .ok()
        .stdout;
    for part in [
        "At the start\naictx · claude@demo",
        "With the prompt\nEarlier work on this:",
        "At most three vouchers",
        "+ handoff handoff::",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let nothing = env.aictx(&repo, &["preview", "--prompt", "translate the readme"]);
    assert!(nothing.ok().stdout.contains("(nothing: no memory fits it)"));
    let unknown = env.aictx(&repo, &["preview", "--agent", "nobody"]);
    assert!(
        unknown.status != 0 && unknown.stderr.contains("nobody"),
        "{unknown:?}"
    );
    assert_eq!(before, (rows(), env.file(&repo, "continuity/session.json")));

    // The real session is told the same.
    let who = Play::claude(&env, &repo, "a");
    let start = who.start("startup");
    let told = who.told_at(prompt);
    assert!(shown.contains(&start), "{start}: {shown}");
    assert!(
        shown.contains(told.lines().nth(1).unwrap()),
        "{told}: {shown}"
    );
    assert_eq!(daemon.stop(), 0);
    let params = json!({ "repo": repo, "prompt": prompt });
    let once = env.once("memory.preview", &params).ok().json();
    assert!(
        once["prompt"]
            .as_str()
            .unwrap()
            .contains("At most three vouchers"),
        "{once}"
    );
}

#[test]
fn what_fails_is_told_before_it_runs_again_and_asked_about_after_three_equal_ends() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let output = "E   assert 2.67 == 2.68\nFAILED test_calc.py::test_round - assert 2.67 == 2.68\n1 failed in 0.02s";
    let check = "python -m pytest -q";
    fs::write(repo.join("test_calc.py"), "def test_round():\n    pass\n").unwrap();
    let first = Play::claude(&env, &repo, "a");
    first.start("startup");
    first.prompt("Round half up");
    first.edit("calc.py", "def add(a, b):\n    return a - b\n");
    first.fails(check, output);
    first.end();
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns[0]["status"], "open", "{patterns:?}");

    let second = Play::claude(&env, &repo, "b");
    second.start("startup");
    let intent = |who: &Play, command: &str| {
        let call = json!({ "tool_name": "Bash", "tool_use_id": aictx_tests::call_id(), "tool_input": { "command": command } });
        who.hook("PreToolUse", call).stdout
    };
    let told = intent(&second, check);
    assert!(
        told.contains("This failed") && told.contains("2.67"),
        "{told}"
    );
    assert!(!told.contains("permissionDecision"), "{told}");
    // Once a session, whichever way.
    let again = second.fails(check, output).stdout;
    assert!(!again.contains("2.67"), "{again}");
    assert!(!intent(&second, check).contains("This failed"));

    second.fails(check, &output.replace("0.02", "0.03"));
    let third = second.fails(check, output).stdout;
    assert!(third.contains("3 times in a row"), "{third}");
    let asked = intent(&second, check);
    assert!(
        asked.contains("\"ask\"") && asked.contains("Run it again?"),
        "{asked}"
    );
    assert!(!intent(&second, "git status").contains("\"ask\""));
    second.edit("test_calc.py", "def test_round():\n    assert True\n");
    assert!(!intent(&second, check).contains("\"ask\""));
    second.end();

    // Its files are not as they were.
    let third = Play::claude(&env, &repo, "c");
    third.start("startup");
    fs::write(repo.join("test_calc.py"), "# rewritten\n").unwrap();
    fs::write(repo.join("calc.py"), "# rewritten\n").unwrap();
    let told = intent(&third, check);
    assert!(!told.contains("This failed"), "{told}");
}

#[test]
fn a_secret_that_others_wrote_into_memory_is_not_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    finalized(&env, &repo, 0, &json!({}));
    assert_eq!(daemon.stop(), 0);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let row = json!({
        "execution_id": "by-hand", "timestamp": "2026-01-01T00:00:00Z", "status": "resolved",
        "reason": "vouchers of the basket", "agent_id": "codex",
        "summary": format!("At most three vouchers a basket, asked with {secret}."),
    });
    let handoffs = repo.join(".aictx/continuity/handoffs.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(handoffs).unwrap();
    writeln!(file, "{row}").unwrap();
    let _daemon = env.daemon();
    let asked = "how many vouchers may a basket hold?";
    let who = Play::claude(&env, &repo, "a");
    who.start("startup");
    let answers = [
        who.told_at(asked),
        env.aictx(&repo, &["recall", asked, "--json"]).ok().stdout,
        env.aictx(&repo, &["resume", "--task", asked, "--json"])
            .ok()
            .stdout,
        env.aictx(&repo, &["preview", "--prompt", asked])
            .ok()
            .stdout,
    ];
    for answer in answers {
        assert!(answer.contains("three vouchers"), "{answer}");
        assert!(!answer.contains(&secret), "{answer}");
    }
}

#[test]
fn later_work_that_only_runs_the_check_is_not_told_as_the_fix() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let output = "FAILED test_calc.py::test_round - assert 2.67 == 2.68\n1 failed in 0.02s";
    let first = Play::claude(&env, &repo, "a");
    first.start("startup");
    first.prompt("Round half up");
    first.fails("python -m pytest -q", output);
    first.says("It still fails.");
    first.end();
    let second = Play::claude(&env, &repo, "b");
    second.start("startup");
    second.prompt("Improve the README");
    second.edit("README.md", "# Better\n");
    second.passes("python -m pytest -q", "1 passed in 0.01s");
    second.says("The README reads better now.");
    second.end();
    let pattern = || {
        env.rows(&repo, "failure_memory/failure_patterns.jsonl")
            .remove(0)
    };
    wait_until("the pass resolves it", || pattern()["status"] == "resolved");
    assert!(
        !pattern().to_string().contains("reads better"),
        "{}",
        pattern()
    );
    let found = env.aictx(&repo, &["recall", "round half up assert 2.67", "--json"]);
    let found = found.ok().json();
    assert!(!found.to_string().contains("fixed by"), "{found}");
    let third = Play::claude(&env, &repo, "c");
    third.start("startup");
    third.prompt("Add a method that subtracts");
    let told = third.fails("python -m pytest -q", output).stdout;
    assert!(
        told.contains("Seen before") && !told.contains("README"),
        "{told}"
    );
}

#[test]
fn next_and_prepare_begin_with_the_work_that_was_asked_for() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    fs::create_dir(repo.join("db")).unwrap();
    fs::write(repo.join("db/migrate.py"), "def migrate():\n    pass\n").unwrap();
    let migration = json!({
        "task": "migrate database schema v2", "summary": "Wrote the first half of the migration.",
        "next_steps": ["run backfill_accounts on staging"], "blocked": ["the DBA must grant rights"],
        "files_edited": ["db/migrate.py"],
    });
    finalized(&env, &repo, 0, &migration);
    for n in 1..8 {
        finalized(&env, &repo, n, &json!({}));
    }
    let toggle = json!({ "task": "dark mode toggle", "summary": "The toggle keeps its state.",
        "files_edited": ["calc.py"] });
    finalized(&env, &repo, 8, &toggle);
    let task = "continue the migration of the database schema v2";
    let params = json!({ "repo": repo, "request": task });
    let next = env.rpc("next", &params)["result"].clone();
    let best = &next["ranked_items"][0];
    assert_eq!(best["kind"], "handoff", "{next}");
    assert_eq!(best["paths"], json!(["db/migrate.py"]));
    let scores = next["ranked_items"].as_array().unwrap().iter();
    let scores: Vec<i64> = scores.map(|item| item["score"].as_i64().unwrap()).collect();
    assert!(
        scores.iter().skip(1).all(|score| *score < scores[0]),
        "{scores:?}"
    );
    let go_on = &next["continuity_brief"]["where_to_continue"];
    assert_eq!(go_on[0], "run backfill_accounts on staging", "{next}");
    let prepared = env.rpc("prepare", &json!({ "repo": repo, "goal": task }))["result"].clone();
    assert_eq!(prepared["relevant_files"][0]["path"], "db/migrate.py");
    for told in [&next["text"], &prepared["text"]] {
        let told = told.as_str().unwrap();
        assert!(
            told.contains("blocked: \"the DBA must grant rights\""),
            "{told}"
        );
        assert!(!told.contains("toggle"), "{told}");
    }
    assert_eq!(daemon.stop(), 0);
    let without = env.once("next", &params).ok().json();
    assert_eq!(without["ranked_items"][0], *best);
}

#[test]
fn hits_whose_files_changed_or_went_say_so() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for (text, file) in [
        ("Amounts are Decimal, never float", "calc.py"),
        ("The manual names every amount", "README.md"),
    ] {
        env.aictx(&repo, &["remember", text, "--file", file]).ok();
    }
    let stale = |query: &str| {
        let found = env.aictx(&repo, &["recall", query, "--json"]).ok().json();
        found["items"][0]["stale"].clone()
    };
    assert_eq!(stale("amounts decimal float"), Value::Null);
    fs::write(repo.join("calc.py"), "def add(a, b):\n    return a + b\n").unwrap();
    fs::remove_file(repo.join("README.md")).unwrap();
    assert_eq!(
        stale("amounts decimal float"),
        json!(["file changed since: calc.py changed"])
    );
    assert_eq!(
        stale("the manual names every amount"),
        json!(["file gone: README.md"])
    );
    let text = env.aictx(&repo, &["recall", "manual"]).ok().stdout;
    assert!(text.contains("file gone: README.md"), "{text}");
}

#[test]
fn a_rule_given_by_hand_is_told_at_the_next_start_until_it_is_taken_back() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let rule = "Never commit generated files";
    env.aictx(&repo, &["remember", "--rule", rule]).ok();
    let again = env.aictx(&repo, &["remember", rule, "--rule"]).ok();
    assert!(again.stdout.contains("remembered already"), "{again:?}");
    let rows = env.rows(&repo, "continuity/decisions.jsonl");
    assert_eq!((rows.len(), &rows[0]["decision"]), (1, &json!(rule)));
    let both = env.aictx(&repo, &["remember", "--rule", rule, "--why", "x"]);
    assert_eq!(both.status, 2, "{both:?}");
    let first = Play::claude(&env, &repo, "a");
    let start = first.start("startup");
    assert!(
        start.contains("session #1") && start.contains(rule),
        "{start}"
    );
    first.prompt("Forget the rule about generated files");
    first.says("All right.");
    first.end();
    let start = Play::claude(&env, &repo, "b").start("startup");
    assert!(start.contains(&format!("No longer: {rule}")), "{start}");
    // A decision needs no reason, either.
    env.aictx(&repo, &["remember", "Amounts are Decimal"]).ok();
}

#[test]
fn an_answer_without_any_work_is_found_and_is_nobodys_last_work() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let worker = Play::claude(&env, &repo, "a");
    worker.start("startup");
    worker.prompt("Round the sums in calc.py");
    worker.edit("calc.py", "# rounded\n");
    worker.says("Sums are rounded to cents now. Next step: round the taxes, too.");
    worker.end();
    let talker = Play::claude(&env, &repo, "b");
    talker.start("startup");
    talker.prompt("Which store should the cache of thumbnails use?");
    talker.says(
        "LMDB fits thumbnails best, because reads dominate; SQLite would block on its writers.",
    );
    talker.end();
    let greeter = Play::claude(&env, &repo, "c");
    greeter.start("startup");
    greeter.prompt("hello, are you there?");
    greeter.says("Hello! What can I do?");
    greeter.end();
    let told = Play::claude(&env, &repo, "d").start_and_continue();
    assert!(
        told.contains("round the taxes") && !told.contains("LMDB"),
        "{told}"
    );
    let found = env.aictx(&repo, &["recall", "thumbnails cache store", "--json"]);
    let best = found.json()["items"][0].clone();
    assert!(best["text"].as_str().unwrap().contains("LMDB"), "{best}");
    assert_eq!(best["status"], "answered", "{best}");
    let all = env.rows(&repo, "continuity/handoffs.jsonl");
    assert_eq!(all.len(), 2, "a greeting is not kept: {all:?}");
}

#[test]
fn commits_and_areas_fill_the_places_that_memory_leaves() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::write(repo.join("upload.py"), "def send(): pass\n").unwrap();
    env.git(&repo, &["add", "-A"]);
    let message = "Retry uploads with backoff\n\nThe gateway drops every tenth request.";
    env.git(&repo, &["commit", "-q", "-m", message]);
    let _daemon = env.daemon();
    env.aictx(&repo, &["remember", "Amounts are Decimal, never float"])
        .ok();
    env.aictx(&repo, &["map", "refresh"]).ok();
    let found = |arguments: &[&str]| -> Vec<String> {
        let all: Vec<&str> = ["recall"]
            .iter()
            .chain(arguments)
            .chain(&["--json"])
            .copied()
            .collect();
        let answer = env.aictx(&repo, &all).json();
        let items = answer["items"].as_array().unwrap().clone();
        let name = |item: &Value| {
            format!(
                "{}: {}",
                item["kind"].as_str().unwrap(),
                item["text"].as_str().unwrap()
            )
        };
        items.iter().map(name).collect()
    };
    let commit = "commit: Retry uploads with backoff".to_owned();
    for arguments in [
        &["why does the gateway retry uploads"][..],
        &["gateway", "--kind", "commit"],
        &["--kind", "commit", "--file", "upload.py"],
    ] {
        assert_eq!(found(arguments).last(), Some(&commit), "{arguments:?}");
    }
    for arguments in [
        &["gateway", "--kind", "decision"][..],
        &["gateway", "--agent", "claude"],
        &["gateway", "--kind", "commit", "--file", "calc.py"],
    ] {
        assert!(!found(arguments).contains(&commit), "{arguments:?}");
    }
    fs::create_dir_all(repo.join("src/gateway")).unwrap();
    fs::write(repo.join("src/gateway/retry.py"), "LIMIT = 3\n").unwrap();
    let work = "finalize --status success --summary done --files-edited src/gateway/retry.py";
    env.aictx(&repo, &work.split(' ').collect::<Vec<_>>()).ok();
    let area = "area: src/gateway: 1 execution".to_owned();
    assert_eq!(found(&["gateway", "--kind", "area"]), [area.as_str()]);
    assert!(found(&["src/gateway"]).contains(&area));
    assert!(!found(&["invoices"]).contains(&area));
    let first = found(&["amounts decimal float"]);
    assert!(first[0].starts_with("decision"), "{first:?}");
}
