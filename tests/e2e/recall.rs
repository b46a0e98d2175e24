//! `recall` and `remember` with the real programs.

use std::fs;
use std::io::Write as _;

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
