//! Whatever comes in and whatever is missing: a clear message or silence, and nothing lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aictx_tests::memory::{assert_sound, executions};
use aictx_tests::session::{
    after_command, before_command, edited, end, failed_command, payload, prompt, start,
};
use aictx_tests::{Run, TestEnv, drain, exchange, program, wait_until};
use rustix::process::{Pid, Resource, Rlimit, getuid};
use serde_json::{Value, json};

/// A user that is not us; `nobody` on most systems, and it need not exist.
const SOMEBODY_ELSE: u32 = 65_534;

fn finalize(env: &TestEnv, repo: &Path, id: &str) -> Value {
    let params = json!({
        "repo": repo, "status": "success", "summary": "did it", "execution_id": id,
        "caller": { "session_id": "by-hand" },
    });
    env.rpc("finalize", &params)
}

fn edits(env: &TestEnv, repo: &Path, session: &str) -> Vec<String> {
    env.rows(repo, &format!("sessions/{session}.jsonl"))
        .iter()
        .filter(|r| r["kind"] == "edit")
        .map(|r| r["paths"][0].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn decision(run: &Run) -> String {
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer = run.json();
    answer["hookSpecificOutput"]["permissionDecision"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A file write of `size` bytes that the agent is about to do.
fn big_write(repo: &Path, event: &str, path: &str, size: usize) -> Value {
    payload(
        repo,
        "s",
        event,
        json!({
            "tool_name": "Write", "tool_use_id": "t",
            "tool_input": { "file_path": repo.join(path), "content": "line\n".repeat(size / 5) },
        }),
    )
}

#[test]
fn garbage_is_met_with_silence_with_and_without_a_daemon() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let garbage: &[&[u8]] = &[
        b"",
        b"\n\n  \n",
        b"{",
        b"[]",
        b"null",
        b"\"text\"",
        b"\0\0\0\0",
        b"\xff\xfe\xfd{\"hook_event_name\":\"SessionStart\"}",
        b"{\"hook_event_name\":\"SessionStart\",\"hook_event_name\":\"Stop\"",
        b"{}}}}}",
        b"<html><body>502</body></html>",
        &[b'['; 60_000],
        &[b'{'; 60_000],
    ];
    let daemon = env.daemon();
    let silent = |env: &TestEnv, bytes: &[u8]| {
        let run = env.hook_bytes(&repo, bytes).ok();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    };
    garbage.iter().for_each(|bytes| silent(&env, bytes));
    assert_eq!(env.status().pid, daemon.pid(), "it lives");
    assert_eq!(daemon.stop(), 0);
    env.set("AICTX_NO_DAEMON", "1");
    garbage.iter().for_each(|bytes| silent(&env, bytes));
    assert!(!repo.join(".aictx/sessions").exists(), "nothing came of it");
    assert_sound(&repo);
}

#[test]
fn a_payload_of_fifty_megabytes_is_judged_and_recorded() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let size = 50_000_000;
    let run = env
        .hook(&repo, &big_write(&repo, "PreToolUse", ".aictx/x", size))
        .ok();
    assert_eq!(decision(&run), "deny");
    let run = env
        .hook(&repo, &big_write(&repo, "PreToolUse", "big.txt", size))
        .ok();
    assert_eq!(decision(&run), "");
    let run = env
        .hook(&repo, &big_write(&repo, "PostToolUse", "big.txt", size))
        .ok();
    assert_eq!(run.stdout, "");
    wait_until("the edit is in the ledger", || {
        edits(&env, &repo, "s") == ["big.txt"]
    });
    // One that just fits into a line takes the ordinary way.
    let run = env
        .hook(
            &repo,
            &big_write(&repo, "PreToolUse", ".aictx/x", 12_000_000),
        )
        .ok();
    assert_eq!(decision(&run), "deny");
    let status = env.status();
    assert_eq!((status.pid, status.hooks_lost), (daemon.pid(), 0));
}

#[test]
fn with_the_real_deadline_a_huge_payload_costs_little_and_harms_nothing() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    env.unset("AICTX_HOOK_TIMEOUT_MS");
    let garbage: Vec<u8> = br#"{"hook_event_name":"SessionStart","x":""#
        .iter()
        .copied()
        .chain(std::iter::repeat_n(b'z', 20_000_000))
        .collect();
    let large = big_write(&repo, "PreToolUse", ".aictx/x", 50_000_000).to_string();
    for bytes in [garbage.as_slice(), large.as_bytes()] {
        let begun = Instant::now();
        let run = env.hook_bytes(&repo, bytes).ok();
        // The deadline for large input is 600 to 1 000 ms and 350 for a process; the rest is the
        // reading of the input on a busy machine.
        assert!(
            begun.elapsed() < Duration::from_secs(6),
            "{:?}",
            begun.elapsed()
        );
        assert!(run.stdout.is_empty() || decision(&run) == "deny", "{run:?}");
        assert_eq!(run.stderr, "");
    }
    assert_eq!(env.status().pid, daemon.pid());
    let run = env
        .hook(&repo, &before_command(&repo, "s", "rm -rf /"))
        .ok();
    assert!(run.stdout.is_empty() || decision(&run) == "deny");
}

#[test]
fn unknown_events_members_and_types_are_taken_for_what_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    for odd in [
        payload(&repo, "s", "FutureEvent", json!({ "answer": 42 })),
        payload(&repo, "s", "", json!({})),
        payload(
            &repo,
            "s",
            "PreToolUse",
            json!({ "tool_name": 7, "tool_input": "x" }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": null, "tool_response": [1] }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": { "file_path": { "a": 1 } } }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": { "file_path": "a.py", "future": {} }, "duration_ms": "soon" }),
        ),
        payload(&repo, "s", "UserPromptSubmit", json!({ "prompt": [1, 2] })),
        json!({ "hook_event_name": "PostToolUse", "session_id": ["s"], "cwd": repo }),
        json!({ "hook_event_name": { "a": "Stop" }, "cwd": repo }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s2", "cwd": 5 }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s3", "cwd": "relative" }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s4", "cwd": "/nowhere" }),
    ] {
        let run = env.hook(&repo, &odd).ok();
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("", ""),
            "{odd}"
        );
    }
    let rows = env.rows(&repo, "sessions/s.jsonl");
    let kinds: Vec<&str> = rows.iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "session_start",
            "other",
            "other",
            "tool_intent",
            "command",
            "edit",
            "edit",
            "prompt"
        ]
    );
    assert_eq!(rows[1]["tool"], "FutureEvent");
    assert_eq!(edits(&env, &repo, "s"), ["", "a.py"]);
    assert_eq!(env.status().pid, daemon.pid());
    // An unknown runner is nobody's event.
    let run = env
        .command(program("aictx"))
        .args(["hook", "future-agent"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(run.status.success() && run.stdout.is_empty());
}

#[test]
fn a_repository_deleted_while_registered_is_missing_and_can_be_forgotten() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let other = env.repository("other");
    let daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    fs::remove_dir_all(&repo).unwrap();
    for event in [
        edited(&repo, "s", "calc.py"),
        before_command(&repo, "s", "cargo test"),
        end(&repo, "s"),
        start(&repo, "new", "startup"),
    ] {
        let run = env.hook(env.path(), &event).ok();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
    assert!(!repo.exists(), "nothing of it comes back by itself");
    let find = |repo: &Path| {
        let list = env.status().repositories;
        let path = repo.to_string_lossy();
        list.into_iter().find(|r| r.repo == path)
    };
    assert_eq!(find(&repo).unwrap().state, "missing");
    assert_eq!(find(&other).unwrap().state, "open");
    let listed = env.rpc("repo.list", &json!({}))["result"]["repositories"].clone();
    let exists = |listed: &Value, repo: &Path| {
        let list = listed.as_array().unwrap();
        let entry = list.iter().find(|e| e["repo_path"] == json!(repo));
        entry.map(|e| e["exists"].clone())
    };
    assert_eq!(exists(&listed, &repo), Some(json!(false)));
    let error = finalize(&env, &repo, "x")["error"].clone();
    assert_eq!(error["data"]["kind"], "no_repository", "{error}");
    let removed = env.rpc("repo.remove", &json!({ "repo": repo }));
    assert_eq!(removed["result"]["exists"], false, "{removed}");
    assert!(find(&repo).is_none());
    let again = env.rpc("repo.remove", &json!({ "repo": repo }));
    assert_eq!(again["error"]["data"]["kind"], "not_found", "{again}");
    // Made again in the same place it is a new repository, and works like one.
    let repo = env.repository("demo");
    let run = env.hook(&repo, &start(&repo, "s9", "startup")).ok();
    assert!(run.stdout.contains("session #1"), "{run:?}");
    assert_eq!(env.status().pid, daemon.pid());
}

/// A small file system of its own below the environment, when we may mount one.
struct Mount(PathBuf);

impl Mount {
    fn new(at: PathBuf, arguments: &[&str]) -> Option<Self> {
        fs::create_dir_all(&at).unwrap();
        let done = Command::new("mount").args(arguments).arg(&at).output();
        match done {
            Ok(output) if output.status.success() => Some(Self(at)),
            why => {
                println!("skipped: nothing may be mounted here ({why:?})");
                None
            }
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_is_told_and_costs_nothing_that_was_there_or_is_to_come() {
    let env = TestEnv::new();
    let Some(_disk) = Mount::new(
        env.path().join("disk"),
        &["-t", "tmpfs", "-o", "size=4m", "tmpfs"],
    ) else {
        return;
    };
    let repo = env.repository("disk/demo");
    let daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &edited(&repo, "s", "before.py")).ok();
    assert_eq!(finalize(&env, &repo, "before")["result"]["recorded"], true);

    let ballast = env.path().join("disk/ballast");
    fill(&ballast);
    // A new ledger needs a new page; an old one might still have room in its last.
    env.hook(&repo, &edited(&repo, "during", "during.py")).ok();
    let error = finalize(&env, &repo, "during")["error"].clone();
    assert_eq!(error["data"]["kind"], "not_writable", "{error}");
    let text = error["message"].as_str().unwrap();
    assert!(
        text.contains("No space left") && text.contains(".aictx"),
        "{text}"
    );
    assert!(
        error["data"]["hint"]
            .as_str()
            .unwrap()
            .contains("free space")
    );
    let run = env
        .hook(&repo, &before_command(&repo, "s", "rm -rf /"))
        .ok();
    assert_eq!(decision(&run), "deny", "what needs no space goes on");
    env.hook(&repo, &prompt(&repo, "during", "fix add")).ok();
    env.hook(&repo, &end(&repo, "during")).ok();
    let status = env.status();
    assert_eq!((status.pid, status.hooks_lost), (daemon.pid(), 0));
    assert!(status.spool_waiting > 0, "events wait where there is space");
    assert!(
        status.repositories[0]
            .warnings
            .iter()
            .any(|w| w.contains("No space left")),
        "{:?}",
        status.repositories[0]
    );
    assert_eq!(executions(&repo).len(), 1, "what was there is there");
    assert_eq!(edits(&env, &repo, "s"), ["before.py"]);

    fs::remove_file(&ballast).unwrap();
    wait_until("what waited is taken in", || {
        env.rpc("spool.drain", &json!({}));
        env.status().spool_waiting == 0
    });
    assert_eq!(edits(&env, &repo, "during"), ["during.py"]);
    finalize(&env, &repo, "during");
    assert_eq!(finalize(&env, &repo, "after")["result"]["recorded"], true);
    // The session that ended meanwhile is finalized on its own time: all of it or nothing is
    // there once no commit is under way.
    wait_until("the session that ended meanwhile is in the logs", || {
        let journal = fs::read_dir(repo.join(".aictx/journal"));
        env.rows(&repo, "continuity/handoffs.jsonl").len() == 4
            && journal.map_or(0, Iterator::count) == 0
    });
    let found = executions(&repo);
    for id in ["before", "during", "after"] {
        assert_eq!(found.get(id), Some(&1), "{found:?}");
    }
    assert_eq!(found.len(), 4, "and the session that ended meanwhile");
    assert_sound(&repo);
}

/// Fills a file system.
fn fill(ballast: &Path) {
    let mut filler = fs::File::create(ballast).unwrap();
    while std::io::Write::write_all(&mut filler, &[0; 4096]).is_ok() {}
}

#[test]
fn what_comes_behind_an_event_that_found_no_space_waits_with_it() {
    let env = TestEnv::new();
    let Some(_disk) = Mount::new(
        env.path().join("disk"),
        &["-t", "tmpfs", "-o", "size=4m", "tmpfs"],
    ) else {
        return;
    };
    let repo = env.repository("disk/demo");
    let _daemon = env.daemon();
    let ballast = env.path().join("disk/ballast");
    fill(&ballast);
    let spool = env.path().join("state/aictx/spool");
    fs::create_dir_all(&spool).unwrap();
    let names: Vec<String> = (0..1_000).map(|n| format!("f{n}.py")).collect();
    for (n, name) in names.iter().enumerate() {
        let params = json!({
            "runner": "claude", "spooled_at": n + 1, "payload": edited(&repo, "s", name),
        });
        let line = json!({ "params": params }).to_string();
        fs::write(spool.join(format!("{n:020}-7.json")), line).unwrap();
    }
    // Space comes back while they are taken in.
    std::thread::scope(|scope| {
        let drained = scope.spawn(|| env.rpc("spool.drain", &json!({})));
        wait_until("some had their turn", || {
            let at = fs::read_to_string(spool.join(".lock")).unwrap_or_default();
            let event = at.split(' ').nth(1).and_then(|name| name.split('-').next());
            let taken = event.and_then(|n| n.parse::<u64>().ok());
            taken > Some(50) || drained.is_finished()
        });
        fs::remove_file(&ballast).unwrap();
    });
    wait_until("what waited is taken in", || {
        env.rpc("spool.drain", &json!({}));
        env.status().spool_waiting == 0
    });
    assert_eq!(edits(&env, &repo, "s"), names);
}

#[test]
fn a_limit_on_file_sizes_does_not_end_the_daemon() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    assert_eq!(finalize(&env, &repo, "before")["result"]["recorded"], true);
    let pid = Pid::from_raw(i32::try_from(daemon.pid()).unwrap());
    let limit = |current: Option<u64>| {
        let maximum = rustix::process::getrlimit(Resource::Fsize).maximum;
        rustix::process::prlimit(pid, Resource::Fsize, Rlimit { current, maximum }).unwrap();
    };
    limit(Some(0));
    let error = finalize(&env, &repo, "during")["error"].clone();
    assert_eq!(error["data"]["kind"], "not_writable", "{error}");
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    let status = env.status();
    assert_eq!(status.pid, daemon.pid(), "it lives");
    assert!(
        status.repositories[0]
            .warnings
            .iter()
            .any(|w| w.contains("not recorded")),
        "{:?}",
        status.repositories[0]
    );
    limit(rustix::process::getrlimit(Resource::Fsize).maximum);
    finalize(&env, &repo, "during");
    assert_eq!(finalize(&env, &repo, "after")["result"]["recorded"], true);
    let found = executions(&repo);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.values().all(|n| *n == 1), "{found:?}");
    assert_sound(&repo);
}

#[test]
fn a_read_only_repository_is_guarded_and_said_to_be_read_only() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    env.once(
        "finalize",
        &json!({ "repo": repo, "status": "success", "summary": "did it" }),
    )
    .ok();
    let before = fs::read(repo.join(".aictx/metrics/execution_logs.jsonl")).unwrap();
    let path = repo.to_string_lossy().into_owned();
    let read_only = |mode: u32| {
        for directory in ["", "metrics", "continuity", "sessions"] {
            let directory = repo.join(".aictx").join(directory);
            fs::set_permissions(directory, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let _mount = if getuid().is_root() {
        let Some(mount) = Mount::new(repo.clone(), &["--bind", &path]) else {
            return;
        };
        let done = Command::new("mount")
            .args(["-o", "remount,ro,bind", &path])
            .status()
            .unwrap();
        assert!(done.success());
        Some(mount)
    } else {
        read_only(0o555);
        None
    };
    let daemon = env.daemon();
    for event in [
        start(&repo, "s", "startup"),
        edited(&repo, "s", "calc.py"),
        prompt(&repo, "s", "fix add"),
        end(&repo, "s"),
    ] {
        let run = env.hook(&repo, &event).ok();
        // What is remembered is told although nothing can be added to it.
        let begins = event["hook_event_name"] == "SessionStart";
        assert_eq!(run.stdout.contains("Last handoff"), begins, "{run:?}");
        assert!(begins || run.stdout.is_empty(), "{run:?}");
        assert_eq!(run.stderr, "");
    }
    let run = env
        .hook(&repo, &before_command(&repo, "s", "rm -rf /"))
        .ok();
    assert_eq!(decision(&run), "deny");
    let error = finalize(&env, &repo, "x")["error"].clone();
    assert_eq!(error["data"]["kind"], "not_writable", "{error}");
    let status = env.status();
    assert_eq!(status.pid, daemon.pid());
    assert_eq!(status.repositories[0].state, "read_only");
    assert_eq!(
        status.spool_waiting, 0,
        "nobody waits for what will not change"
    );
    let listed = env.rpc("session.list", &json!({ "repo": repo }));
    assert!(
        listed["result"]["sessions"].is_array(),
        "reading works: {listed}"
    );
    assert_eq!(
        fs::read(repo.join(".aictx/metrics/execution_logs.jsonl")).unwrap(),
        before
    );
    if !getuid().is_root() {
        read_only(0o755);
    }
}

#[test]
fn a_clock_that_jumps_changes_neither_order_nor_sense() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let spool = env.path().join("state/aictx/spool");
    fs::create_dir_all(&spool).unwrap();
    for directory in [spool.parent().unwrap(), &spool] {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // By their names: the far future first, then before the epoch's first second, then the end of
    // time.
    for (n, at) in [(1, 7_258_118_400_000_u64), (2, 0), (3, u64::MAX)] {
        let params = json!({
            "runner": "claude", "spooled_at": at, "payload": edited(&repo, "s", &format!("f{n}.py")),
        });
        fs::write(
            spool.join(format!("{n:020}-7.json")),
            json!({ "params": params }).to_string(),
        )
        .unwrap();
    }
    // Written by a clock far ahead of ours; what comes now comes after it all the same.
    let params = json!({ "runner": "claude", "payload": edited(&repo, "s", "f4.py") });
    fs::write(
        spool.join("09000000000000000000-7.json"),
        json!({ "params": params }).to_string(),
    )
    .unwrap();
    env.set("AICTX_NO_DAEMON", "1");
    env.hook(&repo, &edited(&repo, "s", "f5.py")).ok();
    env.hook(&repo, &edited(&repo, "s", "f6.py")).ok();
    env.unset("AICTX_NO_DAEMON");
    let daemon = env.daemon();
    wait_until("the spool is empty", || env.status().spool_waiting == 0);
    let order = ["f1.py", "f2.py", "f3.py", "f4.py", "f5.py", "f6.py"];
    assert_eq!(edits(&env, &repo, "s"), order);

    // A memory from the future: the newest row is the last one, whatever the dates say.
    finalize(&env, &repo, "future");
    for file in [
        "continuity/handoff.json",
        "continuity/handoffs.jsonl",
        "continuity/session.json",
    ] {
        let path = repo.join(".aictx").join(file);
        let text = fs::read_to_string(&path).unwrap();
        let year = text
            .find("20")
            .map(|at| text[at..at + 4].to_owned())
            .unwrap();
        fs::write(&path, text.replace(&format!("{year}-"), "2190-")).unwrap();
    }
    let context = |session: &str| {
        let run = env.hook(&repo, &start(&repo, session, "startup")).ok();
        run.json()["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let text = context("s2");
    assert!(
        text.contains("Last handoff (generic, resolved, just now): \"did it\""),
        "no negative age: {text}"
    );
    let params = json!({ "repo": repo, "status": "success", "summary": "later by sequence", "execution_id": "past" });
    assert_eq!(env.rpc("finalize", &params)["result"]["recorded"], true);
    let text = context("s3");
    assert!(text.contains("later by sequence"), "{text}");
    let resumed = env.rpc("resume", &json!({ "repo": repo, "task": "go on" }));
    assert!(resumed["result"].is_object(), "{resumed}");
    env.hook(&repo, &end(&repo, "s")).ok();
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2]["files_edited"], json!(order));
    assert!(
        rows.iter()
            .all(|r| r["execution_time_ms"].as_i64().unwrap_or(0) >= 0)
    );
    assert_eq!(env.status().pid, daemon.pid());
    assert_sound(&repo);
}

/// Lets other users get through to `path`, which nobody does by accident.
fn open_up(env: &TestEnv, path: &Path) {
    for directory in path.ancestors().take_while(|p| p.starts_with(env.path())) {
        let mode = if directory.is_dir() { 0o777 } else { 0o666 };
        fs::set_permissions(directory, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[test]
fn another_user_gets_nothing_from_our_daemon_and_we_nothing_from_theirs() {
    if !getuid().is_root() {
        println!("skipped: only root can be two users");
        return;
    }
    let mut ours = TestEnv::new();
    let repo = ours.repository("demo");
    let _daemon = ours.daemon();
    let mut theirs = TestEnv::new();
    // The programs, where that user can reach them.
    for name in ["aictx", "aictxd"] {
        fs::copy(program(name), theirs.path().join(name)).unwrap();
    }
    for name in ["", "home", "run", "state", "cache"] {
        chown(theirs.path().join(name), Some(SOMEBODY_ELSE), None).unwrap();
    }
    theirs.set(
        "AICTX_DAEMON",
        &theirs.path().join("aictxd").to_string_lossy(),
    );
    let hook_as_them = |theirs: &TestEnv| {
        let mut command = theirs.command(theirs.path().join("aictx"));
        command.args(["hook", "claude"]).uid(SOMEBODY_ELSE);
        let payload = start(&repo, "intruder", "startup").to_string();
        let run = theirs.with_input(&mut command, payload.as_bytes()).ok();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    };
    let seen = |ours: &TestEnv| {
        let calls = ours.status().methods;
        calls.iter().any(|m| m.method.starts_with("hook"))
    };
    // As it is: they cannot even reach the socket.
    theirs.set("AICTX_SOCKET", &ours.socket().to_string_lossy());
    hook_as_them(&theirs);
    assert!(!seen(&ours));
    // With every door opened: the daemon looks at who is there, and so does their client.
    open_up(&ours, &ours.socket());
    hook_as_them(&theirs);
    assert!(!seen(&ours));
    let script = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
                  try:\n s.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"repo.list\"}\\n')\n print(s.recv(100))\nexcept OSError: print(b'')";
    let output = theirs
        .command("/usr/bin/python3")
        .args(["-c", script])
        .arg(ours.socket())
        .uid(SOMEBODY_ELSE)
        .output();
    match output {
        Ok(output) if output.status.success() => {
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "b''");
        }
        why => println!("not asked without a client of ours: {why:?}"),
    }
    assert!(
        !ours
            .status()
            .methods
            .iter()
            .any(|m| m.method == "repo.list")
    );

    // The other way round: their daemon, our client.
    theirs.unset("AICTX_SOCKET");
    let mut daemon = theirs
        .command(theirs.path().join("aictxd"))
        .args(["run", "--detach"])
        .uid(SOMEBODY_ELSE)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("it serves", || UnixStream::connect(theirs.socket()).is_ok());
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"repo.list"}"#;
    let answer = exchange(UnixStream::connect(theirs.socket()).unwrap(), line);
    assert!(
        answer.as_ref().map_or(true, String::is_empty),
        "root is another user, too: {answer:?}"
    );
    ours.set("AICTX_SOCKET", &theirs.socket().to_string_lossy());
    ours.set("AICTX_DAEMON", "/nowhere/aictxd");
    let run = ours.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert_eq!(run.stdout, "", "nobody else answers for our daemon");
    ours.unset("AICTX_SOCKET");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

#[test]
fn streams_that_are_closed_are_no_ones_problem() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let payload = start(&repo, "s", "startup").to_string();
    let file = env.path().join("payload");
    fs::write(&file, &payload).unwrap();
    let large = big_write(&repo, "PreToolUse", ".aictx/x", 1_000_000).to_string();
    fs::write(env.path().join("large"), large).unwrap();
    for script in [
        "\"$0\" hook claude <&-",
        "\"$0\" hook claude < /dev/null",
        "\"$0\" hook claude < payload >&-",
        "\"$0\" hook claude < payload > /dev/full",
        "\"$0\" hook claude < large > /dev/full",
        "\"$0\" hook claude < payload 2>&-",
        "\"$0\" hook claude < payload >&- 2>&- ",
        // Both ends of a pipe that nobody reads: the writer must not die of it either.
        "{ \"$0\" hook claude < payload; echo $? > status; } | true; test \"$(cat status)\" = 0",
        "\"$0\" hook claude < .",
    ] {
        let output = env
            .command("sh")
            .args(["-c", script])
            .arg(program("aictx"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{script}");
    }
    // A daemon whose client leaves before the answer.
    for _ in 0..20 {
        let mut stream = UnixStream::connect(env.socket()).unwrap();
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "rpc.discover" }).to_string();
        std::io::Write::write_all(&mut stream, line.as_bytes()).unwrap();
        std::io::Write::write_all(&mut stream, b"\n").unwrap();
    }
    assert_eq!(env.status().pid, daemon.pid());
}

#[test]
fn without_home_or_working_directory_hooks_still_work() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let gone = env.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let payload = start(&repo, "s", "startup").to_string();
    let script = "cd gone && rmdir ../gone && printf %s \"$1\" | \"$0\" hook claude";
    let output = env
        .command("sh")
        .args(["-c", script])
        .arg(program("aictx"))
        .arg(&payload)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("session #1"), "{output:?}");
    env.stop_daemon();
    // Only the socket and the state are named; there is no home to derive anything from.
    env.unset("HOME");
    let run = env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    assert!(run.stdout.contains("session #2"), "{run:?}");
    env.stop_daemon();
    env.unset("PATH");
    let run = env.hook(&repo, &start(&repo, "s3", "startup")).ok();
    assert!(run.stdout.contains("session #3"), "{run:?}");
}

#[test]
fn bytes_that_are_no_text_are_recorded_as_far_as_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let event = after_command(&repo, "s", "cat BYTES", "BYTES").to_string();
    let (head, tail) = event.split_once("BYTES").unwrap();
    let mut bytes = head.as_bytes().to_vec();
    bytes.extend(b"caf\xe9 \xc3\x28 \xf0\x9f");
    bytes.extend(tail.as_bytes());
    env.hook_bytes(&repo, &bytes).ok();
    let rows = env.rows(&repo, "sessions/s.jsonl");
    let command = rows[1]["command"].as_str().unwrap();
    assert!(command.starts_with("cat caf"), "{command}");
    assert_sound(&repo);
}

#[test]
fn two_copies_of_every_hook_at_once_count_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for event in [
        start(&repo, "s", "startup"),
        prompt(&repo, "s", "fix add"),
        before_command(&repo, "s", "make check"),
        failed_command(&repo, "s", "make check", "Exit code 2\nerror: no"),
        edited(&repo, "s", "calc.py"),
        end(&repo, "s"),
    ] {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| env.hook(&repo, &event).ok());
            }
        });
    }
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows.len(), 1, "finalized once");
    assert_eq!(rows[0]["files_edited"], json!(["calc.py"]));
    assert_eq!(rows[0]["commands_executed"], json!(["make check"]));
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), 1);
    let next = env.hook(&repo, &start(&repo, "next", "startup")).ok();
    assert!(next.stdout.contains("session #2"), "counted once: {next:?}");
}

#[test]
fn no_session_id_leads_out_of_the_ledgers_or_into_another_ones() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let long = "x".repeat(10_000);
    let ids = [
        "../../../escaped",
        "/etc/passwd",
        "a/b",
        "a:b",
        "..",
        ".",
        ".hidden",
        "con\u{0}trol\nline",
        "ünï",
        long.as_str(),
        &format!("{long}y"),
        "plain",
    ];
    for (n, id) in ids.iter().enumerate() {
        env.hook(&repo, &edited(&repo, id, &format!("f{n}.py")))
            .ok();
        env.hook(&repo, &prompt(&repo, id, "go on")).ok();
    }
    // No id at all: the agent's process is the session.
    env.hook(&repo, &edited(&repo, "", "nameless.py")).ok();
    let names: Vec<String> = fs::read_dir(repo.join(".aictx/sessions"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), ids.len() + 1, "a ledger each: {names:?}");
    let mut edited_files = Vec::new();
    for name in &names {
        assert!(name.len() <= 110 && !name.starts_with('.'), "{name}");
        let rows = env.rows(&repo, &format!("sessions/{name}"));
        let kinds = rows.iter().filter(|r| r["kind"] == "edit").count();
        assert_eq!(kinds, 1, "{name} is one session's");
        edited_files.extend(
            rows.iter()
                .filter_map(|r| r["paths"][0].as_str())
                .map(str::to_owned),
        );
    }
    edited_files.sort();
    edited_files.dedup();
    assert_eq!(edited_files.len(), ids.len() + 1);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    // They end like any other.
    for id in ids {
        env.hook(&repo, &end(&repo, id)).ok();
    }
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl").len(),
        ids.len()
    );
    assert_sound(&repo);
}

#[test]
fn a_request_without_end_is_refused_and_others_are_served_meanwhile() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let idle: Vec<UnixStream> = (0..50)
        .map(|_| {
            let mut stream = UnixStream::connect(env.socket()).unwrap();
            std::io::Write::write_all(&mut stream, b"{\"jsonrpc\":\"2.0\",\"id\":").unwrap();
            stream
        })
        .collect();
    let run = env.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert!(run.stdout.contains("session #1"));
    for stream in idle {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(drain(stream).contains("-32700"));
    }
}
