//! `import` with the real programs: transcripts of every agent, beside hostile ones.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Directory that the sessions of the fixtures ran in.
const DIRECTORY: &str = "/home/dev/shop";
const ROWS: &str = ".aictx/continuity/imported.jsonl";

fn hash(text: &str) -> String {
    aictx_proto::text::hex(&Sha256::digest(text.as_bytes()))
}

/// A transcript of the readers' own tests, as if it were of a repository.
fn fixture(name: &str, repo: &Path) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aictxd/runners/tests");
    let text = fs::read_to_string(folder.join("fixtures/transcripts").join(name)).unwrap();
    let repo = repo.to_str().unwrap();
    text.replace(&hash(DIRECTORY), &hash(repo))
        .replace(DIRECTORY, repo)
}

fn put(path: PathBuf, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// OpenCode's storage, from a session as it exports one.
fn store_opencode(storage: &Path, text: &str) {
    let session: Value = serde_json::from_str(text).unwrap();
    put(
        storage.join("session/p/s-opencode.json"),
        session["info"].to_string(),
    );
    for message in session["messages"].as_array().unwrap() {
        let id = message["info"]["id"].as_str().unwrap();
        // Ids grow with time.
        let id = format!("{:0>8}", id.trim_start_matches("msg"));
        put(
            storage.join(format!("message/s-opencode/{id}.json")),
            message["info"].to_string(),
        );
        for (n, part) in message["parts"].as_array().unwrap().iter().enumerate() {
            put(
                storage.join(format!("part/{id}/{n}.json")),
                part.to_string(),
            );
        }
    }
}

fn transcripts(env: &TestEnv, repo: &Path) {
    let home = env.path().join("home");
    put(
        home.join(".claude/projects/shop/s-claude.jsonl"),
        fixture("claude.jsonl", repo),
    );
    put(
        home.join("codex/sessions/2026/03/01/rollout-1.jsonl"),
        fixture("codex.jsonl", repo),
    );
    put(
        home.join(".gemini/tmp/shop/chats/session-1.jsonl"),
        fixture("gemini.jsonl", repo),
    );
    put(
        home.join(".copilot/session-state/s/events.jsonl"),
        fixture("copilot.jsonl", repo),
    );
    store_opencode(
        &home.join(".local/share/opencode/storage"),
        &fixture("opencode.json", repo),
    );
}

fn claude_session(session: &str, cwd: &Path, turns: &[(&str, &str)]) -> String {
    let line = |kind: &str, n: usize, text: &str| {
        json!({"type": kind, "sessionId": session, "cwd": cwd, "timestamp": format!("2026-02-0{}T00:00:00Z", n + 1),
               "message": {"role": kind, "content": text}})
            .to_string()
            + "\n"
    };
    let lines = turns.iter().enumerate();
    lines
        .map(|(n, (asked, said))| line("user", n, asked) + &line("assistant", n, said))
        .collect()
}

#[test]
fn sessions_of_every_agent_are_imported_once_and_found() {
    let mut env = TestEnv::new();
    let home = env.path().join("home");
    env.set("CODEX_HOME", home.join("codex").to_str().unwrap());
    let repo = env.plain_repository("shop");
    let other = env.repository("other");
    transcripts(&env, &repo);
    let projects = home.join(".claude/projects");
    let elsewhere = claude_session("s-other", &other, &[("Paint the zeppelin", "Painted it.")]);
    // The name of its folder says nothing.
    put(projects.join("shop/s-other.jsonl"), elsewhere);
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let secret = format!("The deploy token is {token}, use it");
    let turns = [
        (secret.as_str(), "Deployed to the lighthouse cluster."),
        ("From now on use pnpm instead of npm", "Noted."),
    ];
    put(
        projects.join("elsewhere/s-secret.jsonl"),
        claude_session("s-secret", &repo.join("web"), &turns),
    );

    let init = env.aictx(&repo, &["init", "--agents", "none"]).ok();
    assert!(
        init.stdout
            .contains("earlier sessions of Claude Code, Codex CLI"),
        "{init:?}"
    );
    env.stop_daemon();
    let daemon = env.daemon();
    let import = |arguments: &[&str]| {
        let all = [&["import"], arguments, &["--json"]].concat();
        env.aictx(&repo, &all).ok().json()
    };
    let count = |reply: &Value, member: &str| -> u64 {
        let sources = reply["sources"].as_array().unwrap().iter();
        sources.map(|source| source[member].as_u64().unwrap()).sum()
    };
    let dry = import(&["--dry-run"]);
    assert_eq!(count(&dry, "added"), 6, "{dry}");
    assert!(!repo.join(ROWS).exists());
    let done = import(&[]);
    assert_eq!(count(&done, "added"), 6, "{done}");
    let claude = &done["sources"][0];
    assert_eq!(claude["skipped"]["of other repositories"], 1, "{done}");
    assert_eq!(claude["not_understood"], 1, "{done}");
    let before = fs::read_to_string(repo.join(ROWS)).unwrap();
    assert!(
        !before.contains(token) && !before.contains("zeppelin"),
        "{before}"
    );
    assert_eq!(before.matches("vouchers.py").count(), 5, "{before}");
    assert!(
        !before.contains(repo.to_str().unwrap()),
        "paths are of the repository: {before}"
    );
    assert!(!repo.join(".aictx/continuity/handoffs.jsonl").exists());
    let again = import(&[]);
    assert_eq!(
        (count(&again, "known"), count(&again, "added")),
        (6, 0),
        "{again}"
    );
    assert_eq!(fs::read_to_string(repo.join(ROWS)).unwrap(), before);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");

    let recall = |arguments: &[&str]| {
        let all = [&["recall"], arguments, &["--json"]].concat();
        env.aictx(&repo, &all).ok().json()
    };
    let found = recall(&["which cluster was deployed to?"]);
    let best = &found["items"][0];
    assert_eq!(best["kind"], "imported", "{found}");
    assert_eq!(best["text"], "said: Deployed to the lighthouse cluster.");
    assert!(
        best["details"]
            .to_string()
            .contains("decided: From now on use pnpm"),
        "{found}"
    );
    let of = |arguments: &[&str]| recall(arguments)["items"].as_array().unwrap().len();
    assert_eq!(of(&["--kind", "imported", "--agent", "codex"]), 1);
    assert_eq!(of(&["--kind", "imported", "--since", "2026-03-01"]), 5);
    assert_eq!(of(&["--kind", "imported", "--branch", "vouchers"]), 3);
    assert_eq!(of(&["--file", "vouchers.py"]), 5);

    let who = Play::claude(&env, &repo, "a");
    who.start("startup");
    let told = who.told_at("Redeploy to the lighthouse cluster");
    assert!(
        told.contains("claude, imported")
            && told.contains("\"Deployed to the lighthouse cluster.\""),
        "{told}"
    );
    assert_eq!(
        Play::claude(&env, &repo, "b").told_at("Draft a blog post"),
        ""
    );

    // A session that went on replaces its row; what people said of it stays.
    let id = best["id"].as_str().unwrap();
    let wrong = env.aictx(&repo, &["wrong", id, "--reason", "another cluster"]);
    assert_eq!(wrong.status, 0, "{wrong:?}");
    let longer = [turns[0], turns[1], ("Scale it up", "Three replicas now.")];
    put(
        projects.join("elsewhere/s-secret.jsonl"),
        claude_session("s-secret", &repo, &longer),
    );
    let grown = import(&["--from", "claude"]);
    assert_eq!(
        (count(&grown, "changed"), count(&grown, "known")),
        (1, 1),
        "{grown}"
    );
    let item = recall(&["Three replicas"])["items"][0].clone();
    assert_eq!(
        (&item["id"], &item["status"]),
        (&best["id"], &json!("wrong")),
        "{item}"
    );

    assert_eq!(daemon.stop(), 0);
    let params = json!({ "repo": repo, "query": "voucher discount cap" });
    let once = env.once("memory.recall", &params).ok().json();
    assert_eq!(once["items"][0]["kind"], "imported", "{once}");
    let removed = env.aictx(&repo, &["import", "--remove"]).ok();
    assert!(
        removed.stdout.contains("removed 6 imported items"),
        "{removed:?}"
    );
    assert!(!repo.join(ROWS).exists());
    assert_eq!(of(&["--kind", "imported"]), 0);
}

#[test]
fn hostile_transcripts_harm_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("shop");
    let _daemon = env.daemon();
    let folder = env.path().join("home/.claude/projects/shop");
    let good = claude_session("s", &repo, &[("Raise the ceiling", "Raised it.")]);
    let deep = "[".repeat(200_000);
    let long = format!("{{\"type\":\"user\",\"x\":\"{}\"}}", "y".repeat(5_000_000));
    let mut spoiled = good.clone().into_bytes();
    for line in [
        deep.as_bytes(),
        long.as_bytes(),
        b"\xff\xfe\x00",
        b"{}",
        b"null",
    ] {
        spoiled.extend_from_slice(line);
        spoiled.push(b'\n');
    }
    put(folder.join("good.jsonl"), &spoiled);
    put(folder.join("bytes.jsonl"), [0xff_u8; 4_096]);
    put(folder.join("empty.jsonl"), "");
    put(
        folder.join("outside.jsonl"),
        claude_session("s-outside", &repo.join("../../etc"), &[("x", "y")]),
    );
    let pipe = Command::new("mkfifo")
        .arg(folder.join("pipe.jsonl"))
        .status();
    assert!(pipe.unwrap().success());
    symlink(&folder, folder.join("loop")).unwrap();
    symlink("/dev/zero", folder.join("zero.jsonl")).unwrap();
    let reply = env.aictx(&repo, &["import", "--json"]).ok().json();
    let source = &reply["sources"][0];
    assert_eq!(
        (&source["added"], &source["files"]),
        (&json!(1), &json!(4)),
        "{reply}"
    );
    assert!(source["not_understood"].as_u64().unwrap() >= 3, "{reply}");
    let named = env.aictx(
        &repo,
        &[
            "import",
            "--path",
            folder.join("pipe.jsonl").to_str().unwrap(),
        ],
    );
    assert!(named.stdout.contains("unreadable"), "{named:?}");
    let nothing = env.aictx(&repo, &["import", "--path", "/nowhere/at/all"]);
    assert_ne!(nothing.status, 0);
    assert_eq!(env.status().repositories.len(), 1, "the daemon lives");
}

#[test]
fn markdown_and_issues_are_imported_when_they_are_named() {
    let env = TestEnv::new();
    let repo = env.repository("shop");
    let session = claude_session("s", &repo, &[("Hello", "Hello.")]);
    let project = env.path().join("home/.claude/projects/shop");
    put(project.join("s.jsonl"), session);
    put(
        project.join("memory/queue.md"),
        "# Queue\n\nRetries back off up to a minute.\n\n## Empty\n",
    );
    put(
        repo.join("memory-bank/context.md"),
        "# Stack\n\nPostgres and a water wheel.\n",
    );
    put(
        repo.join(".beads/issues.jsonl"),
        "{\"id\":\"bd-1\",\"title\":\"Ceiling leaks\",\"description\":\"Water in the attic\",\"status\":\"closed\",\"close_reason\":\"Sealed the roof\",\"created_at\":\"2026-01-01T00:00:00Z\",\"closed_at\":\"2026-01-02T00:00:00Z\"}\n{\"id\":\"bd-2\",\"title\":\"x\",\"status\":\"tombstone\"}\nnonsense\n",
    );
    let notes = env.path().join("notes");
    put(
        notes.join("deep/a.md"),
        "# Attic\n\nThe key hangs behind the door.\n",
    );
    let import = |arguments: &[&str]| {
        let all = [&["import"], arguments, &["--json"]].concat();
        env.aictx(&repo, &all).ok().json()
    };
    let memories = import(&["--from", "markdown", "--from", "beads"]);
    let added = |source: usize| memories["sources"][source]["added"].clone();
    assert_eq!((added(0), added(1)), (json!(1), json!(2)), "{memories}");
    assert_eq!(memories["sources"][0]["skipped"]["empty"], 1, "{memories}");
    import(&["--path", notes.to_str().unwrap()]);
    let best = |query: &str| {
        let all = ["recall", query, "--json"];
        env.aictx(&repo, &all).ok().json()["items"][0].clone()
    };
    assert_eq!(best("where is the key of the attic?")["request"], "Attic");
    assert_eq!(best("backoff of retries in the queue")["agent"], "markdown");
    let issue = best("who sealed the roof?");
    assert_eq!(
        (&issue["request"], &issue["status"]),
        (&json!("Ceiling leaks"), &json!("closed"))
    );
    assert_eq!(issue["text"], "said: Sealed the roof");
    let bad = env.aictx(&repo, &["import", "--since", "yesterday"]);
    assert!(bad.stderr.contains("is no date"), "{bad:?}");
}
