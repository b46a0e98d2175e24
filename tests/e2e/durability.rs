//! Acknowledged records are there, once, whatever dies and however many write at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use aictx_tests::memory::{assert_sound, executions, replace_tree};
use aictx_tests::session::{edited, end, failed_command, prompt, start};
use aictx_tests::{PATIENCE, TestEnv, exchange, program, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const MANY: usize = 64;

/// A report with something in it for every file that a finalize can write.
fn report(repo: &Path, id: &str) -> Value {
    json!({
        "repo": repo, "status": "failure", "summary": format!("Tried {id}"), "task": "fix add",
        "execution_id": id, "files_edited": ["calc.py"], "commands_executed": ["make check"],
        "notable_errors": ["make check: error 1"],
        "error_events": [{ "toolchain": "make", "phase": "build", "message": "error 1", "command": "make check" }],
        "decisions": [{ "decision": format!("keep {id}"), "rationale": "it is shorter" }],
        "caller": { "session_id": format!("session-{id}") },
    })
}

/// `aictxd once finalize`, started and not waited for.
fn spawn_once(env: &TestEnv, params: &Value, variables: &[(&str, &str)]) -> Child {
    let mut child = env
        .command(program("aictxd"))
        .args(["once", "finalize"])
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(params.to_string().as_bytes()).unwrap();
    child
}

#[track_caller]
fn recorded_by(child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}{errors}");
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reply["recorded"], true, "{reply}");
}

/// All that must be so after `wanted` executions, each finalized once.
#[track_caller]
fn assert_exactly(repo: &Path, wanted: usize) {
    assert_sound(repo);
    let found = executions(repo);
    assert_eq!(found.len(), wanted, "{found:?}");
    assert!(found.values().all(|n| *n == 1), "{found:?}");
    let path = repo.join(".aictx/metrics/agent_execution_status.json");
    let status: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(status["executions_total"], wanted);
    assert!(
        found.contains_key(status["last_execution_id"].as_str().unwrap()),
        "{status}"
    );
    let handoff = repo.join(".aictx/continuity/handoff.json");
    let handoff: Value = serde_json::from_str(&fs::read_to_string(handoff).unwrap()).unwrap();
    assert_eq!(
        handoff["source_execution_id"], status["last_execution_id"],
        "the handoff is the last one's"
    );
}

/// Ids are made by the product here: they must be distinct by themselves.
fn without_id(repo: &Path, n: usize) -> Value {
    let mut params = report(repo, &n.to_string());
    params["execution_id"] = json!("");
    params
}

#[test]
fn sixty_four_processes_at_once_leave_sixty_four_rows() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let children: Vec<Child> = (0..MANY)
        .map(|n| spawn_once(&env, &without_id(&repo, n), &[]))
        .collect();
    children.into_iter().for_each(recorded_by);
    env.stop_daemon();
    assert_exactly(&repo, MANY);
}

#[test]
fn sixty_four_clients_of_the_daemon_at_once_leave_sixty_four_rows() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    thread::scope(|scope| {
        for n in 0..MANY {
            let (env, repo) = (&env, &repo);
            scope.spawn(move || {
                let reply = env.rpc("finalize", &without_id(repo, n));
                assert_eq!(reply["result"]["recorded"], true, "{reply}");
            });
        }
    });
    let status = env.status();
    assert!(
        status.repositories[0].commits < MANY as u64,
        "those that waited went together: {} commits",
        status.repositories[0].commits
    );
    // Rows go to the archive behind the answers.
    env.stop_daemon();
    assert_exactly(&repo, MANY);
}

#[test]
fn processes_and_clients_of_the_daemon_never_interleave() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let children: Vec<Child> = (0..MANY / 2)
        .map(|n| spawn_once(&env, &without_id(&repo, n), &[]))
        .collect();
    thread::scope(|scope| {
        for n in MANY / 2..MANY {
            let (env, repo) = (&env, &repo);
            scope.spawn(move || {
                let reply = env.rpc("finalize", &without_id(repo, n));
                assert_eq!(reply["result"]["recorded"], true, "{reply}");
            });
        }
    });
    children.into_iter().for_each(recorded_by);
    env.stop_daemon();
    assert_exactly(&repo, MANY);
}

#[test]
fn the_same_execution_twice_is_one_row_whoever_writes_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    // As long and as odd as ids of other tools get.
    let ids = [
        "mine".to_owned(),
        format!("pipeline/{}", "build-and-test/".repeat(12)),
        format!("pipeline/{}2", "build-and-test/".repeat(12)),
        "two  blanks\tand a tab".to_owned(),
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        "0b7c1f0e-5a51-4a5c-9d8e-3b1f6c7a2e11".to_owned(),
    ];
    let daemon = env.daemon();
    let first: Vec<Value> = ids
        .iter()
        .map(|id| env.rpc("finalize", &report(&repo, id))["result"].clone())
        .collect();
    assert!(first.iter().all(|r| r["recorded"] == true));
    let same = |again: &Value, first: &Value| {
        assert_eq!(again["recorded"], false, "{first}");
        assert_eq!(again["execution_id"], first["execution_id"]);
        assert_eq!(again["finalized_at"], first["finalized_at"]);
    };
    for (id, first) in ids.iter().zip(&first) {
        same(&env.rpc("finalize", &report(&repo, id))["result"], first);
        same(&env.once("finalize", &report(&repo, id)).ok().json(), first);
    }
    daemon.kill();
    let _next = env.daemon();
    for (id, first) in ids.iter().zip(&first) {
        same(&env.rpc("finalize", &report(&repo, id))["result"], first);
    }
    // At the same moment: one of them records it.
    let together: Vec<Value> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| env.rpc("finalize", &report(&repo, "together"))))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let recorded = together
        .iter()
        .filter(|r| r["result"]["recorded"] == true)
        .count();
    assert_eq!(recorded, 1, "{together:?}");
    env.stop_daemon();
    assert_exactly(&repo, ids.len() + 1);
}

/// A repository with two acknowledged executions and a session that is still open.
fn with_a_past(env: &TestEnv) -> PathBuf {
    let repo = env.repository("demo");
    for id in ["first", "second"] {
        env.once("finalize", &report(&repo, id)).ok();
    }
    repo
}

/// Kills the process that `attempt` starts at every point at which it changes the disk, and has
/// `check` look at what is left. Gives how many points there were.
fn crash_everywhere(
    repo: &Path,
    attempt: impl Fn(&[(&str, &str)]) -> Child,
    torn: bool,
    mut check: impl FnMut(u64, bool),
) -> u64 {
    let memory = repo.join(".aictx");
    let before = repo.with_extension("before");
    replace_tree(&memory, &before);
    for point in 1.. {
        replace_tree(&before, &memory);
        let at = point.to_string();
        let variables = [
            ("AICTX_CRASH_AT", at.as_str()),
            ("AICTX_CRASH_TORN", if torn { "1" } else { "0" }),
        ];
        let output = attempt(&variables).wait_with_output().unwrap();
        let crashed = output.status.signal() == Some(6);
        assert!(crashed || output.status.success(), "{point}: {output:?}");
        check(point, !crashed);
        if !crashed {
            return point - 1;
        }
    }
    unreachable!("there is an end to every commit");
}

fn crash_a_finalize(torn: bool) {
    let env = TestEnv::new();
    let repo = with_a_past(&env);
    let mut rolled_forward = 0;
    let points = crash_everywhere(
        &repo,
        |variables| spawn_once(&env, &report(&repo, "third"), variables),
        torn,
        |point, acknowledged| {
            env.once("finalize", &report(&repo, "fourth")).ok();
            assert_sound(&repo);
            let found = executions(&repo);
            assert!(found.values().all(|n| *n == 1), "{point}: {found:?}");
            for id in ["first", "second", "fourth"] {
                assert!(found.contains_key(id), "{point}: {id} is gone: {found:?}");
            }
            let third = found.contains_key("third");
            assert_eq!(found.len(), 3 + usize::from(third), "{point}: {found:?}");
            assert!(third || !acknowledged, "{point}: acknowledged and gone");
            assert!(
                third || rolled_forward == 0,
                "{point}: no way back after the intent"
            );
            rolled_forward += u32::from(third);
            let rows = env.rows(&repo, "sessions/session-third.jsonl");
            assert_eq!(rows.len(), usize::from(third), "{point}: its ledger agrees");
            let decided = env.rows(&repo, "continuity/decisions.jsonl");
            assert_eq!(decided.len(), found.len(), "{point}: and its decisions");
            let status = env.file(&repo, "metrics/agent_execution_status.json");
            assert_eq!(status["executions_total"], found.len(), "{point}");
        },
    );
    println!("{points} crash points, torn: {torn}; {rolled_forward} rolled forward");
    assert!(
        points >= 30,
        "{points} points: does this build have fail points?"
    );
}

#[test]
fn a_crash_at_any_point_of_a_finalize_leaves_all_or_nothing() {
    crash_a_finalize(false);
}

#[test]
fn a_crash_in_the_middle_of_any_write_of_a_finalize_leaves_all_or_nothing() {
    crash_a_finalize(true);
}

#[test]
fn a_crash_at_any_point_of_a_sessions_end_is_made_good_by_the_next_daemon() {
    let env = TestEnv::new();
    let repo = with_a_past(&env);
    // The agent's process: gone by the time anybody looks.
    let mut gone = env.command("true").spawn().unwrap();
    let agent = gone.id().to_string();
    let session = |event: &Value| {
        let mut command = env.command(program("aictxd"));
        command.args(["once", "hook", "--runner", "claude", "--pid", &agent]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(event.to_string().as_bytes()).unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
    };
    for event in [
        start(&repo, "s", "startup"),
        prompt(&repo, "s", "fix add"),
        edited(&repo, "s", "calc.py"),
        failed_command(&repo, "s", "make check", "Exit code 2\nerror: no"),
    ] {
        session(&event);
    }
    gone.wait().unwrap();
    let points = crash_everywhere(
        &repo,
        |variables| {
            let mut command = env.command(program("aictxd"));
            command.args(["once", "hook", "--runner", "claude", "--pid", &agent]);
            let mut child = command
                .envs(variables.iter().copied())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let payload = end(&repo, "s").to_string();
            stdin.write_all(payload.as_bytes()).unwrap();
            child
        },
        false,
        |point, _| {
            let daemon = env.daemon();
            wait_until("the session is finalized", || {
                env.rows(&repo, "sessions/s.jsonl")
                    .iter()
                    .any(|r| r["kind"] == "finalized")
            });
            assert_eq!(daemon.stop(), 0);
            assert_sound(&repo);
            let found = executions(&repo);
            assert_eq!(found.len(), 3, "{point}: {found:?}");
            assert!(found.values().all(|n| *n == 1), "{point}: {found:?}");
            let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
            assert_eq!(rows[2]["files_edited"], json!(["calc.py"]), "{point}");
            let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
            let made = patterns
                .iter()
                .filter(|p| p["failed_command"] == "make check" && p["status"] == "open");
            assert!(made.count() >= 1, "{point}: {patterns:?}");
        },
    );
    println!("{points} crash points of a session's end");
    assert!(points >= 30, "{points} points");
}

/// Records that one run of the killing has to account for.
#[derive(Default)]
struct Book {
    /// Executions that were answered.
    finalized: Mutex<BTreeSet<String>>,
    /// Files whose edit was answered, over the socket.
    observed: Mutex<BTreeSet<String>>,
    /// Files whose edit was given to a hook process that exited with 0.
    hooked: Mutex<BTreeSet<String>>,
    kills: AtomicUsize,
    /// Requests whose daemon died before it answered.
    interrupted: AtomicUsize,
    done: AtomicBool,
}

/// The result of one request, if anybody answered it.
fn try_rpc(env: &TestEnv, method: &str, params: &Value) -> Option<Value> {
    let stream = UnixStream::connect(env.socket()).ok()?;
    let line = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = exchange(stream, &line.to_string()).ok()?;
    let mut answer: Value = serde_json::from_str(&answer).ok()?;
    Some(answer["result"].take()).filter(|r| !r.is_null() || answer["error"].is_null())
}

/// An agent at work until the killing is over. It repeats what was not answered, as a careful
/// caller would, under the same id.
fn work(env: &TestEnv, repo: &Path, book: &Book, thread: usize) {
    let session = format!("agent-{thread}");
    for n in 0.. {
        if book.done.load(Ordering::Relaxed) {
            return;
        }
        let id = format!("e{thread}-{n}");
        let params = report(repo, &id);
        while try_rpc(env, "finalize", &params).is_none() {
            book.interrupted.fetch_add(1, Ordering::Relaxed);
            // No daemon: the hook of the next tool call starts one.
            let file = format!(
                "h{thread}-{n}-{}.py",
                book.interrupted.load(Ordering::Relaxed)
            );
            env.hook(repo, &edited(repo, &session, &file)).ok();
            book.hooked.lock().unwrap().insert(file);
        }
        book.finalized.lock().unwrap().insert(id);
        let file = format!("o{thread}-{n}.py");
        let params = json!({
            "runner": "claude", "pid": std::process::id(), "payload": edited(repo, &session, &file),
        });
        if try_rpc(env, "hook", &params).is_some() {
            book.observed.lock().unwrap().insert(file);
        }
        let file = format!("p{thread}-{n}.py");
        env.hook(repo, &edited(repo, &session, &file)).ok();
        book.hooked.lock().unwrap().insert(file);
    }
}

/// Kills daemon after daemon, each some time after it began to serve.
fn kill_daemons(env: &TestEnv, rounds: usize, book: &Book) {
    let mut random = std::process::id();
    let mut last = 0;
    while book.kills.load(Ordering::Relaxed) < rounds {
        let end = Instant::now() + PATIENCE;
        let pid = loop {
            let hello = try_rpc(env, "hello", &json!({}));
            let pid = hello.and_then(|h| h["pid"].as_i64()).unwrap_or(0);
            if pid != 0 && pid != last {
                break pid;
            }
            assert!(Instant::now() < end, "no daemon came back");
            thread::park_timeout(Duration::from_millis(1));
        };
        // A moment that nothing in the daemon is in step with.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        thread::park_timeout(Duration::from_micros(u64::from(random >> 8) % 120_000));
        let pid_of = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        if kill_process(pid_of, Signal::KILL).is_ok() {
            book.kills.fetch_add(1, Ordering::Relaxed);
        }
        last = pid;
    }
}

fn kill_under_load(rounds: usize) {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let book = Book::default();
    let threads = 4;
    let begun = Instant::now();
    thread::scope(|scope| {
        for thread in 0..threads {
            let (env, repo, book) = (&env, &repo, &book);
            scope.spawn(move || work(env, repo, book, thread));
        }
        kill_daemons(&env, rounds, &book);
        book.done.store(true, Ordering::Relaxed);
    });
    let took = begun.elapsed();
    env.hook(&repo, &edited(&repo, "agent-0", "last.py")).ok();
    wait_until("the spool is empty", || env.status().spool_waiting == 0);
    assert_eq!(env.status().hooks_lost, 0, "nothing was given up");
    env.stop_daemon();

    let finalized = book.finalized.into_inner().unwrap();
    assert_sound(&repo);
    let found = executions(&repo);
    let reported: BTreeMap<&String, &usize> =
        found.iter().filter(|(id, _)| id.starts_with('e')).collect();
    for id in &finalized {
        assert_eq!(reported.get(id), Some(&&1), "{id} was acknowledged");
    }
    assert_eq!(reported.len(), finalized.len(), "and nothing else is there");
    let mut edits: BTreeMap<String, usize> = BTreeMap::new();
    for thread in 0..threads {
        for row in env.rows(&repo, &format!("sessions/agent-{thread}.jsonl")) {
            if row["kind"] == "edit" {
                *edits
                    .entry(row["paths"][0].as_str().unwrap().to_owned())
                    .or_default() += 1;
            }
        }
    }
    let observed = book.observed.into_inner().unwrap();
    for file in &observed {
        assert_eq!(edits.get(file), Some(&1), "{file} was acknowledged");
    }
    let hooked = book.hooked.into_inner().unwrap();
    let missing: Vec<&String> = hooked.iter().filter(|f| !edits.contains_key(*f)).collect();
    assert!(missing.is_empty(), "given to a hook and gone: {missing:?}");
    let repeated = edits.values().filter(|n| **n > 1).count();
    println!(
        "{} kills in {took:.1?}: {} executions, {} observations over the socket, {} by hooks acknowledged; \
         {} requests interrupted, {repeated} observations there more than once",
        book.kills.into_inner(),
        finalized.len(),
        observed.len(),
        hooked.len(),
        book.interrupted.into_inner(),
    );
}

#[test]
fn killing_the_daemon_under_load_loses_nothing_acknowledged() {
    kill_under_load(40);
}

/// Takes minutes: `cargo nextest run -p aictx-tests --run-ignored all a_thousand`.
#[test]
#[ignore = "takes minutes"]
fn a_thousand_kills_of_the_daemon_under_load_lose_nothing_acknowledged() {
    kill_under_load(1_000);
}
