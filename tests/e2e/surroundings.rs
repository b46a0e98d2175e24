//! Hostile surroundings: no space, no permission, no home, another clock, other users.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aictx_tests::memory::{assert_sound, executions};
use aictx_tests::session::{before_command, edited, end, prompt, start};
use aictx_tests::{TestEnv, exchange, program, wait_until};
use rustix::process::getuid;
use serde_json::{Value, json};

use crate::bad_input::{big_write, decision, edits};

/// A user that is not us; `nobody` on most systems, and it need not exist.
const SOMEBODY_ELSE: u32 = 65_534;

fn finalize(env: &TestEnv, repo: &Path, id: &str) -> Value {
    let params = json!({
        "repo": repo, "status": "success", "summary": "did it", "execution_id": id,
        "caller": { "session_id": "by-hand" },
    });
    env.rpc("finalize", &params)
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
    let names: Vec<String> = (0..1_000).map(|n| format!("f{n}.py")).collect();
    for (n, name) in names.iter().enumerate() {
        let params = json!({
            "runner": "claude", "spooled_at": n + 1, "payload": edited(&repo, "s", name),
        });
        env.spool(n as u64, &params);
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
    let recorded = edits(&env, &repo, "s");
    let lacking: Vec<&String> = names.iter().filter(|n| !recorded.contains(n)).collect();
    assert_eq!(lacking, Vec::<&String>::new(), "lost");
    assert!(recorded == names, "in another order, or twice");
}

/// Only Linux limits another process.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_does_not_end_the_daemon() {
    use rustix::process::{Pid, Resource, Rlimit};
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
        status.spool_waiting, 4,
        "events wait until the repository can be written"
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
    // By their names: the far future first, then before the epoch's first second, then the end of
    // time.
    for (n, at) in [(1, 7_258_118_400_000_u64), (2, 0), (3, u64::MAX)] {
        let params = json!({
            "runner": "claude", "spooled_at": at, "payload": edited(&repo, "s", &format!("f{n}.py")),
        });
        env.spool(n, &params);
    }
    // Written by a clock far ahead of ours; what comes now comes after it all the same.
    let params = json!({ "runner": "claude", "payload": edited(&repo, "s", "f4.py") });
    env.spool(9_000_000_000_000_000_000, &params);
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
