//! Goals of sessions whose user says more than one thing.

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use aictx_tests::session::{edited, end, payload, prompt, start};
use serde_json::json;

#[test]
fn a_handoff_tells_what_was_asked_for_and_not_what_was_said_first() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let say = |session: &str, messages: &[&str]| {
        for message in messages {
            env.hook(&repo, &prompt(&repo, session, message)).ok();
        }
    };
    env.hook(&repo, &start(&repo, "s1", "startup")).ok();
    say(
        "s1",
        &[
            "hi",
            "What does add return for strings?",
            "Now make add refuse strings.",
            "yes",
            "run the tests",
            "document it in the README, too",
            "thanks",
        ],
    );
    env.hook(&repo, &edited(&repo, "s1", "calc.py")).ok();

    // After a compaction the agent has both again, and nothing of the small talk.
    let compacted = env.hook(&repo, &start(&repo, "s1", "compact")).ok();
    for line in [
        r#"Request: \"Now make add refuse strings.\""#,
        r#"Asked for last: \"document it in the README, too\""#,
    ] {
        assert!(compacted.stdout.contains(line), "{}", compacted.stdout);
    }

    env.hook(&repo, &end(&repo, "s1")).ok();
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(
        handoff["reason"],
        "Now make add refuse strings. (then: document it in the README, too)"
    );
    let listed = env.aictx(&repo, &["session", "list"]);
    assert!(
        listed.stdout.contains("Now make add refuse strings."),
        "{}",
        listed.stdout
    );
}

#[test]
fn who_only_asks_is_in_the_log_and_displaces_no_handoff() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "work", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "work", "Fix add")).ok();
    env.hook(&repo, &edited(&repo, "work", "calc.py")).ok();
    env.hook(&repo, &end(&repo, "work")).ok();

    env.hook(&repo, &start(&repo, "asks", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "asks", "Is add commutative?"))
        .ok();
    let said = json!({ "last_assistant_message": "Yes, for numbers." });
    env.hook(&repo, &payload(&repo, "asks", "Stop", said)).ok();
    env.hook(&repo, &end(&repo, "asks")).ok();

    let log = env.aictx(&repo, &["log"]).stdout;
    for text in ["Is add commutative?", "Yes, for numbers.", "Fix add"] {
        assert!(log.contains(text), "{text}: {log}");
    }
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(handoff["reason"], "Fix add");

    // Who only says hello leaves nothing at all.
    let before = env.rows(&repo, "metrics/execution_logs.jsonl").len();
    env.hook(&repo, &start(&repo, "greets", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "greets", "hello")).ok();
    env.hook(&repo, &end(&repo, "greets")).ok();
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl").len(),
        before
    );
}

#[test]
fn the_work_of_this_branch_comes_first_and_that_of_a_deleted_one_last() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let work = |id: &str, branch: &[&str], request: &str, step: &str| {
        let checkout: Vec<&str> = ["checkout", "-q"].iter().chain(branch).copied().collect();
        env.git(&repo, &checkout);
        let who = Play::claude(&env, &repo, id);
        who.start("startup");
        who.prompt(request);
        who.edit("calc.py", &format!("# {id}\n"));
        who.says(&format!("A part of it is there. Next step: {step}."));
        who.end();
        env.git(&repo, &["commit", "-q", "-a", "-m", id]);
    };
    let told = |id: &str| {
        let who = Play::claude(&env, &repo, id);
        let told = who.start_and_continue();
        who.end();
        told
    };
    work(
        "a",
        &["main"],
        "Round the sums in calc.py",
        "round the taxes",
    );
    work(
        "b",
        &["-b", "kept"],
        "Export the sums as CSV",
        "write the header",
    );
    work(
        "c",
        &["-b", "lost"],
        "Draw the sums as a chart",
        "draw the axes",
    );
    env.git(&repo, &["checkout", "-q", "main"]);
    let own = told("d");
    let place = |part: &str| own.find(part).unwrap_or_else(|| panic!("{part}: {own}"));
    assert!(place("round the taxes") < place("draw the axes"), "{own}");
    assert!(own.contains("on branch lost)"), "{own}");
    env.git(&repo, &["branch", "-q", "-D", "lost"]);
    assert!(told("e").contains("on branch lost, deleted since)"));
    // Without work of its own: of a branch that exists.
    env.git(&repo, &["checkout", "-q", "-b", "new", "kept"]);
    let other = told("f");
    assert!(
        other.contains("Last handoff (claude, unresolved, just now, on branch kept)"),
        "{other}"
    );
    assert!(other.contains("write the header"), "{other}");
    // What memory holds on a request says so, too.
    let who = Play::claude(&env, &repo, "g");
    who.start("startup");
    let found = who.told_at("Go on with the chart of the sums, please");
    assert!(found.contains("on branch lost, deleted since"), "{found}");
}

#[test]
fn who_goes_on_with_a_branch_goes_on_with_its_work() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let work = |session: &str, request: &str, file: &str| {
        let start = env.hook(&repo, &start(&repo, session, "startup")).ok();
        let asked = env.hook(&repo, &prompt(&repo, session, request)).ok();
        env.hook(&repo, &edited(&repo, session, file)).ok();
        env.hook(&repo, &end(&repo, session)).ok();
        start.stdout + &asked.stdout
    };
    env.aictx(&repo, &["task", "start", "Add for numbers only"])
        .ok();
    env.git(&repo, &["checkout", "--quiet", "-b", "topic"]);
    work("s1", "Make add refuse strings", "calc.py");
    env.git(&repo, &["checkout", "--quiet", "main"]);
    let told = work("s2", "Describe the release in the README", "README.md");
    assert!(told.contains("on branch topic"), "the last of all: {told}");

    env.git(&repo, &["checkout", "--quiet", "topic"]);
    let told = work("s3", "continue", "calc.py");
    let at = |part: &str| {
        told.find(part)
            .unwrap_or_else(|| unreachable!("{part}: {told}"))
    };
    assert!(at("Request then: ") < at("Since then"), "{told}");
    assert!(told.contains("Make add refuse strings"), "{told}");
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(handoff["reason"], "Make add refuse strings");
    assert_eq!(handoff["session_id"], "s3");
    let task = env.aictx(&repo, &["task", "status", "--json"]).json();
    let files = task["active_files"].to_string();
    assert!(files.contains("calc.py"), "{task}");
    assert!(!files.contains("README.md"), "not of this task: {task}");
}

#[test]
fn who_goes_on_has_the_request_of_the_unfinished_work() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let left = json!({
        "repo": repo, "status": "success", "task": "Migrate the schema", "summary": "Half of it is written.",
        "next_steps": ["write the backfill"], "files_edited": ["calc.py"], "caller": { "session_id": "s0" },
    });
    assert!(env.rpc("finalize", &left)["result"].is_object());
    let work = |session: &str, request: &str, file: &str| {
        env.hook(&repo, &start(&repo, session, "startup")).ok();
        env.hook(&repo, &prompt(&repo, session, request)).ok();
        env.hook(&repo, &edited(&repo, session, file)).ok();
        env.hook(&repo, &end(&repo, session)).ok();
    };
    work("s1", "Describe the release in the README", "README.md");
    work("s2", "continue", "calc.py");
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(handoff["session_id"], "s2");
    assert_eq!(handoff["reason"], "Migrate the schema");
}

#[test]
fn what_its_user_wants_to_be_remembered_is_and_what_was_done_is_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let said = |text: &str| json!({ "last_assistant_message": text });
    let stop = |text: &str| env.hook(&repo, &payload(&repo, "s1", "Stop", said(text)));
    env.hook(&repo, &start(&repo, "s1", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "s1", "Make add refuse strings"))
        .ok();
    env.hook(&repo, &edited(&repo, "s1", "calc.py")).ok();
    stop("add raises TypeError for anything but numbers.").ok();
    let rule = "Good. Remember: errors are raised, never returned, in this package.";
    env.hook(&repo, &prompt(&repo, "s1", rule)).ok();
    stop("Noted, I will keep to that.").ok();
    env.hook(&repo, &end(&repo, "s1")).ok();

    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(
        handoff["summary"],
        "add raises TypeError for anything but numbers."
    );
    env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    let told = env
        .hook(&repo, &prompt(&repo, "s2", "continue"))
        .ok()
        .stdout;
    let decided = "Decided (just now): \\\"Errors are raised, never returned, in this package\\\"";
    assert!(told.contains(decided), "{told}");
}

#[test]
fn a_request_that_sets_a_limit_too_is_what_the_session_is_about() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for (n, request) in [
        "Decide how tokens look",
        "Make login ignore case. Do not touch README.md.",
        "Convert tokens to strings; never change README.md",
        "Speed up add, but leave README.md alone.",
        "Stelle die Token auf UUID um, aber lass die README.md in Ruhe.",
        "Corrige le login sans toucher au README.md.",
        "修复登录，但不要修改 README.md。",
    ]
    .into_iter()
    .enumerate()
    {
        let session = format!("s{n}");
        env.hook(&repo, &start(&repo, &session, "startup")).ok();
        env.hook(&repo, &prompt(&repo, &session, request)).ok();
        env.hook(&repo, &edited(&repo, &session, "calc.py")).ok();
        env.hook(&repo, &end(&repo, &session)).ok();
        let handoff = env.file(&repo, "continuity/handoff.json");
        assert_eq!(handoff["reason"], request);
    }
}
