//! `doctor`: every check is made to fail, and what it says mends it where that is safe.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_proto::Timestamp;
use aictx_tests::TestEnv;
use serde_json::{Value, json};

use super::{HOOKS_OF_THE_ANCESTOR, write};

#[test]
fn doctor_finds_what_is_wrong_and_mends_what_is_safe() {
    let env = TestEnv::new();
    let home = env.path().join("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    let repo = env.plain_repository("demo");
    let look = |arguments: &[&str]| {
        let all = [&["doctor", "--json"], arguments].concat();
        let run = env.aictx(&repo, &all);
        (run.status, run.json())
    };
    let status = |reply: &Value, name: &str| {
        let checks = reply["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["name"] == name);
        check.unwrap_or_else(|| panic!("{name}: {reply}"))["status"].clone()
    };
    let (code, reply) = look(&["--exit-code"]);
    assert_eq!((code, &reply["status"]), (20, &json!("error")));
    assert_eq!(status(&reply, "repo_initialized"), "error");
    assert!(!repo.join(".aictx").exists(), "looking writes nothing");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    env.aictx(&repo, &["repo", "remove"]).ok();
    let (code, reply) = look(&[]);
    assert_eq!(code, 0);
    assert_eq!(status(&reply, "repo_registered"), "error");
    assert_eq!(status(&reply, "hooks_claude"), "warning");
    let settings = home.join(".claude/settings.json");
    let unasked = env.aictx(&repo, &["doctor", "--fix"]).ok();
    assert!(unasked.stderr.contains("add --yes"), "{unasked:?}");
    assert!(!settings.exists(), "nobody was asked");
    let (_, reply) = look(&["--fix", "--yes"]);
    for name in [
        "repo_registered",
        "hooks_claude",
        "daemon",
        "state_readable",
        "git_hides_memory",
    ] {
        assert_eq!(status(&reply, name), "ok", "{name}: {reply}");
    }
    fs::write(repo.join(".aictx/continuity/handoff.json"), "{").unwrap_or_else(|_| {
        fs::create_dir_all(repo.join(".aictx/continuity")).unwrap();
        fs::write(repo.join(".aictx/continuity/handoff.json"), "{").unwrap();
    });
    fs::write(home.join(".claude/settings.json"), "{ \"a\" 1 }").unwrap();
    let (_, reply) = look(&[]);
    assert_eq!(status(&reply, "state_readable"), "warning", "{reply}");
    assert_eq!(status(&reply, "hooks_claude"), "error", "{reply}");
}

/// A user with a repository in which every agent's hooks are registered, and no daemon to wait for.
struct Patient {
    env: TestEnv,
    repo: PathBuf,
}

impl Patient {
    fn new() -> Self {
        let mut env = TestEnv::new();
        for directory in [".claude", ".codex", ".gemini"] {
            fs::create_dir_all(env.path().join("home").join(directory)).unwrap();
        }
        env.set("AICTX_NO_DAEMON", "1");
        let repo = env.plain_repository("demo");
        env.aictx(&repo, &["install", "--yes"]).ok();
        env.aictx(&repo, &["init"]).ok();
        Self { env, repo }
    }

    fn home(&self, file: &str) -> PathBuf {
        self.env.path().join("home").join(file)
    }

    fn memory(&self, file: &str, text: &str) {
        write(&self.repo, &format!(".aictx/{file}"), text);
    }

    fn rows(&self, file: &str, row: &Value) {
        self.memory(file, &format!("{row}\n").repeat(5));
    }

    /// Returns the result of one check; null when it is not made.
    fn check(&self, name: &str) -> Value {
        let reply = self
            .env
            .aictx(&self.repo, &["doctor", "--json"])
            .ok()
            .json();
        let checks = reply["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["name"] == name);
        found.cloned().unwrap_or(Value::Null)
    }

    #[track_caller]
    fn is(&self, name: &str, status: &str) -> Value {
        let check = self.check(name);
        assert_eq!(check["status"], status, "{name}: {check}");
        check
    }

    fn fix(&self) {
        self.env
            .aictx(&self.repo, &["doctor", "--fix", "--yes"])
            .ok();
    }
}

#[test]
fn what_stands_in_agents_files_is_understood() {
    let patient = Patient::new();
    // Codex says what it approved.
    let check = patient.is("trust_codex", "warning");
    assert_eq!(check["command"], json!(["aictx", "hook", "probe", "codex"]));
    let hooks = patient.home(".codex/hooks.json");
    let key = format!("{}:session_start:0:0", hooks.display());
    let approved = format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"x\"\n");
    fs::write(patient.home(".codex/config.toml"), &approved).unwrap();
    patient.is("trust_codex", "ok");
    let off = format!("[features]\nhooks = false\n\n{approved}");
    fs::write(patient.home(".codex/config.toml"), off).unwrap();
    let check = patient.is("trust_codex", "error");
    assert!(
        check["summary"]
            .as_str()
            .unwrap()
            .contains("features.hooks"),
        "{check}"
    );
    fs::write(patient.home(".codex/config.toml"), "not = [toml").unwrap();
    patient.is("trust_codex", "unknown");

    // Claude Code says which folders are trusted, and a setting turns all hooks off.
    patient.is("trust_claude", "unknown");
    let state =
        json!({"projects": {patient.repo.to_str().unwrap(): {"hasTrustDialogAccepted": true}}});
    fs::write(patient.home(".claude.json"), state.to_string()).unwrap();
    patient.is("trust_claude", "ok");
    let again = patient.env.aictx(&patient.repo, &["init", "--json"]).ok();
    let steps = again.json()["steps"].to_string();
    assert!(
        !steps.contains("\"claude\"") && steps.contains("codex"),
        "what is done is not asked for: {steps}"
    );
    let local = patient.repo.join(".claude/settings.local.json");
    fs::create_dir_all(local.parent().unwrap()).unwrap();
    fs::write(&local, "{ // for now\n  \"disableAllHooks\": true,\n}\n").unwrap();
    let check = patient.is("trust_claude", "error");
    assert!(
        check["summary"]
            .as_str()
            .unwrap()
            .contains("disableAllHooks"),
        "{check}"
    );

    // Gemini CLI says which folders it distrusts.
    let folders = json!({patient.repo.to_str().unwrap(): "DO_NOT_TRUST"});
    fs::write(
        patient.home(".gemini/trustedFolders.json"),
        folders.to_string(),
    )
    .unwrap();
    patient.is("trust_gemini", "warning");

    // Another program of the same name.
    assert_eq!(patient.check("ancestor"), Value::Null);
    fs::remove_file(&local).unwrap();
    write(
        &patient.repo,
        ".claude/settings.json",
        HOOKS_OF_THE_ANCESTOR,
    );
    let check = patient.is("ancestor", "warning");
    let command: Vec<&str> = check["command"].as_array().unwrap()[1..]
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    patient.env.aictx(&patient.repo, &command).ok();
    assert_eq!(patient.check("ancestor"), Value::Null);
}

#[test]
fn what_is_wrong_with_a_memory_is_found() {
    let patient = Patient::new();
    for name in [
        "git_hides_memory",
        "journal",
        "memory_size",
        "policy",
        "lifecycle_status",
        "stale_duplicate_memory",
        "continuity_quality",
        "hooks_delivered",
    ] {
        patient.is(name, "ok");
    }
    for name in ["capture_quality", "contract_compliance_health"] {
        patient.is(name, "unknown");
    }
    assert_eq!(patient.check("portable_continuity"), Value::Null);

    patient.rows(
        "metrics/execution_logs.jsonl",
        &json!({"task_id": "t", "capture_provenance": {"files_edited": "explicit"}}),
    );
    patient.is("capture_quality", "warning");
    patient.rows(
        "metrics/contract_compliance.jsonl",
        &json!({"status": "violated"}),
    );
    patient.is("contract_compliance_health", "warning");
    let strategy = |id: &str| {
        json!({"task_id": id, "task_text": "do it", "task_type": "feature",
               "files_edited": ["calc.py"], "success": true})
    };
    patient.rows("strategy_memory/strategies.jsonl", &strategy("t"));
    // Rows of one execution are one strategy.
    patient.is("stale_duplicate_memory", "ok");
    let twice = format!("{}\n{}\n", strategy("t"), strategy("u"));
    patient.memory("strategy_memory/strategies.jsonl", &twice);
    patient.is("stale_duplicate_memory", "warning");
    patient.memory(
        "continuity/handoff.json",
        &json!({
            "summary": "s", "status": "resolved", "updated_at": "2020-01-01T00:00:00Z",
            "recommended_starting_points": ["gone.py"], "next_steps": ["go on"],
        })
        .to_string(),
    );
    patient.is("continuity_quality", "warning");
    patient.memory("quarantine/x", "bad");
    patient.is("journal", "warning");
    write(&patient.repo, ".aictx/archive/large", "");
    let large = fs::File::options()
        .write(true)
        .open(patient.repo.join(".aictx/archive/large"))
        .unwrap();
    large.set_len(300 << 20).unwrap();
    patient.is("memory_size", "warning");
    let spool = patient.env.path().join("state/aictx/spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("lost"), "xx").unwrap();
    patient.is("hooks_delivered", "warning");

    // A policy that cannot be read is named, wherever one is.
    write(&patient.home(""), ".config/aictx/policy.toml", "rules = [");
    let check = patient.is("policy", "error");
    assert!(
        check["details"].to_string().contains("policy.toml"),
        "{check}"
    );
    let elsewhere = patient.env.aictx(patient.env.path(), &["doctor"]).ok();
    let told = elsewhere.stdout;
    assert!(told.contains("a policy cannot be read"), "{told}");
    fs::remove_file(patient.home(".config/aictx/policy.toml")).unwrap();
    patient.memory("policy.toml", "rules = [");
    patient.is("policy", "error");

    fs::write(patient.repo.join(".git/info/exclude"), "").unwrap();
    patient.is("git_hides_memory", "warning");
    patient.fix();
    patient.is("git_hides_memory", "ok");
}

#[test]
fn a_session_that_never_ended_is_found() {
    let patient = Patient::new();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let ago = Timestamp::from_unix(i64::try_from(now).unwrap() - 5 * 3_600);
    let event = json!({
        "event_type": "resume_called", "timestamp": ago.to_string(), "session_id": "s",
        "agent_id": "claude", "task": "fix add",
    });
    patient.rows("continuity/lifecycle_events.jsonl", &event);
    patient.is("lifecycle_status", "warning");
}

#[test]
fn what_git_sees_of_a_memory_is_found() {
    let patient = Patient::new();
    let repo = &patient.repo;
    patient.env.git(repo, &["add", "-f", ".aictx/format.json"]);
    let check = patient.is("portable_continuity", "warning");
    assert!(
        check["summary"].as_str().unwrap().contains("not chosen"),
        "{check}"
    );
    patient
        .env
        .aictx(repo, &["init", "--portable-continuity"])
        .ok();
    let check = patient.is("portable_continuity", "warning");
    assert!(
        check["details"].to_string().contains("format.json"),
        "{check}"
    );
    patient
        .env
        .git(repo, &["rm", "-q", "--cached", ".aictx/format.json"]);
    patient.is("portable_continuity", "ok");
    fs::remove_file(repo.join(".gitattributes")).unwrap();
    patient.is("portable_continuity", "warning");
    patient.fix();
    patient.is("portable_continuity", "ok");
    assert!(repo.join(".gitattributes").exists());
}

#[test]
fn programs_and_places_that_do_not_fit_are_found() {
    let mut patient = Patient::new();
    patient.is("install", "ok");
    patient.is("daemon", "warning");
    let run = patient.env.path().join("run/aictx/v1");
    fs::create_dir_all(&run).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    let check = patient.is("socket", "error");
    assert_eq!(check["command"], json!(["chmod", "700", run]));
    fs::remove_dir(&run).unwrap();
    patient.is("socket", "ok");

    let _polling = patient.env.daemon_with(&[("AICTXD_MAX_WATCHES", "1")]);
    patient.is("daemon", "ok");
    aictx_tests::wait_until("the repository is polled", || {
        patient.check("watch")["status"] == "warning"
    });
    // Another daemon than the one that runs.
    let old = patient.env.path().join("aictxd-old");
    fs::write(&old, "#!/bin/sh\necho aictxd 0.0.1\n").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    patient.env.set("AICTX_DAEMON", old.to_str().unwrap());
    patient.is("install", "warning");
    fs::write(&old, "#!/bin/sh\nexit 1\n").unwrap();
    patient.is("install", "error");
}
