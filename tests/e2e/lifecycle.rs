//! One daemon, started without races, that stops cleanly and is replaced once.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;

use aictx_tests::session::{edited, end, prompt, start};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::json;

#[test]
fn thirty_two_first_clients_start_exactly_one_daemon() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    // Debris of all kinds must not matter.
    let runtime = env.path().join("run/aictx/v1");
    fs::create_dir_all(&runtime).unwrap();
    for directory in [env.path().join("run/aictx"), runtime.clone()] {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
    }
    drop(UnixListener::bind(runtime.join("sock")).unwrap());
    fs::write(runtime.join("lock"), "99999999 garbage").unwrap();
    let payload = start(&repo, "s", "startup").to_string();
    let clients: Vec<_> = (0..32)
        .map(|_| {
            let mut child = env
                .command(program("aictx"))
                .args(["hook", "claude"])
                .current_dir(&repo)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes())
                .unwrap();
            child
        })
        .collect();
    for client in clients {
        let output = client.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(!output.stdout.is_empty(), "every client got its answer");
    }
    let logs: Vec<_> = fs::read_dir(env.path().join("state/aictx/logs"))
        .unwrap()
        .collect();
    let text: String = logs
        .iter()
        .map(|e| fs::read_to_string(e.as_ref().unwrap().path()).unwrap())
        .collect();
    assert_eq!(text.matches("serving").count(), 1, "{text}");
}

#[test]
fn a_second_daemon_steps_back() {
    let env = TestEnv::new();
    let daemon = env.daemon();
    let run = env
        .command(program("aictxd"))
        .args(["run", "--detach"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "busy");
    let run = env.command(program("aictxd")).arg("run").output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("another daemon"));
    assert_eq!(env.status().pid, daemon.pid());
}

#[test]
fn the_socket_is_the_users_alone() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    assert_eq!(fs::metadata(env.socket()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(
        fs::metadata(env.socket().parent().unwrap()).unwrap().mode() & 0o777,
        0o700
    );
}

#[test]
fn an_open_or_foreign_directory_is_refused_with_advice() {
    let env = TestEnv::new();
    let runtime = env.path().join("run/aictx/v1");
    fs::create_dir_all(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o777)).unwrap();
    let run = env
        .command(program("aictxd"))
        .args(["run", "--detach"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stdout).contains("open to other users"));
    assert_eq!(
        fs::metadata(&runtime).unwrap().mode() & 0o777,
        0o777,
        "never repaired behind the user's back"
    );
}

#[test]
fn without_a_runtime_directory_it_works_and_says_where() {
    let mut env = TestEnv::new();
    env.unset("XDG_RUNTIME_DIR");
    let socket = env.path().join("s/sock");
    env.set("AICTX_SOCKET", &socket.to_string_lossy());
    let daemon = env
        .command(program("aictxd"))
        .args(["run", "--detach"])
        .stdout(Stdio::piped())
        .spawn();
    let mut daemon = daemon.unwrap();
    wait_until("it serves", || UnixStream::connect(&socket).is_ok());
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let long = env.path().join("x".repeat(120)).join("sock");
    env.set("AICTX_SOCKET", &long.to_string_lossy());
    let run = env
        .command(program("aictxd"))
        .args(["run", "--detach"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&run.stdout).contains("too long"),
        "{run:?}"
    );
}

#[test]
fn a_read_only_home_costs_the_log_and_is_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    // A file where the state directory should be: as unwritable as it gets, also for root.
    let state = env.path().join("state/aictx");
    fs::rename(&state, env.path().join("aside")).unwrap();
    fs::write(&state, "").unwrap();
    let _daemon = env.daemon();
    let status = env.status();
    assert_eq!(status.log, "");
    assert!(
        status.warnings.iter().any(|w| w.contains("no log file")),
        "{:?}",
        status.warnings
    );
    assert_eq!(
        env.hook(&repo, &start(&repo, "s", "startup")).ok().stdout,
        "",
        "unregistered: silent"
    );
}

#[test]
fn sigterm_drains_and_the_next_daemon_knows_why() {
    let env = TestEnv::new();
    let mut daemon = env.daemon();
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(daemon.child.wait().unwrap().success());
    assert!(!env.socket().exists());
    let _next = env.daemon();
    assert_eq!(env.status().previous_stop, "signal");
}

#[test]
fn a_replaced_program_makes_room_once() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let installed = env.path().join("aictxd");
    fs::copy(program("aictxd"), &installed).unwrap();
    env.set("AICTX_DAEMON", &installed.to_string_lossy());
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    let before = env.status();
    // A new build of the same file, and a client of another version that talks to the old daemon.
    let newer = env.path().join("newer");
    fs::copy(program("aictxd"), &newer).unwrap();
    fs::rename(&newer, &installed).unwrap();
    let line = r#"{"jsonrpc":"2.0","id":1,"aictx":{"proto":1,"client":"99.0.0"},"method":"hello"}"#;
    let answer = aictx_tests::exchange(UnixStream::connect(env.socket()).unwrap(), line).unwrap();
    assert!(answer.contains("\"build\""), "it still answers: {answer}");
    wait_until("the old daemon is gone", || {
        UnixStream::connect(env.socket()).is_err()
    });
    env.hook(&repo, &start(&repo, "s", "resume")).ok();
    let after = env.status();
    assert_ne!((before.pid, &before.build), (after.pid, &after.build));
    assert_eq!(after.previous_stop, "upgrade");
    // The same foreign client again: nothing was replaced since, so nothing happens.
    aictx_tests::exchange(UnixStream::connect(env.socket()).unwrap(), line).unwrap();
    assert_eq!(env.status().pid, after.pid);
}

#[test]
fn another_protocol_version_gets_a_clear_answer() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let line = r#"{"jsonrpc":"2.0","id":1,"aictx":{"proto":2,"client":"9"},"method":"hello"}"#;
    let answer = aictx_tests::exchange(UnixStream::connect(env.socket()).unwrap(), line).unwrap();
    assert!(
        answer.contains("-32001") && answer.contains("protocol_mismatch"),
        "{answer}"
    );
    assert!(
        UnixStream::connect(env.socket()).is_ok(),
        "and nothing else happens"
    );
}

#[test]
fn without_a_daemon_observations_wait_and_boundaries_are_answered() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    env.set("AICTX_NO_DAEMON", "1");
    let first = env.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert!(first.stdout.contains("session #1"), "{first:?}");
    env.hook(&repo, &prompt(&repo, "s", "fix add")).ok();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    assert!(
        UnixStream::connect(env.socket()).is_err(),
        "nobody started a daemon"
    );
    assert_eq!(env.spooled(), 1, "the edit waits");
    env.hook(&repo, &end(&repo, "s")).ok();
    assert_eq!(env.spooled(), 0, "taken in, in order, before the end");
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows[0]["files_edited"], json!(["calc.py"]));
    let next = env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    assert!(next.stdout.contains("Last handoff"), "{next:?}");
}

#[test]
fn a_daemon_takes_in_what_was_spooled_while_it_was_away() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    env.set("AICTX_NO_DAEMON", "1");
    for file in ["a.py", "b.py", "c.py"] {
        env.hook(&repo, &edited(&repo, "s", file)).ok();
    }
    env.unset("AICTX_NO_DAEMON");
    let _daemon = env.daemon();
    wait_until("the spool is empty", || env.status().spool_waiting == 0);
    let rows = env.rows(&repo, "sessions/s.jsonl");
    let files: Vec<_> = rows
        .iter()
        .filter(|r| r["kind"] == "edit")
        .map(|r| r["paths"][0].clone())
        .collect();
    assert_eq!(json!(files), json!(["a.py", "b.py", "c.py"]));
}

#[test]
fn an_event_that_nobody_takes_waits_and_one_without_any_place_is_counted() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    env.set("AICTX_DAEMON", "/nowhere/aictxd");
    let run = env.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    assert_eq!(env.spooled(), 1);
    env.unset("AICTX_DAEMON");
    env.once("spool.drain", &json!({})).ok();
    assert_eq!(env.spooled(), 0);
    let rows = env.rows(&repo, "sessions/s.jsonl");
    assert_eq!(rows[0]["kind"], "session_start", "{rows:?}");

    // A file in the place of a directory takes nothing, whoever runs the test.
    env.set("AICTX_DAEMON", "/nowhere/aictxd");
    let spool = env.path().join("state/aictx/spool");
    fs::remove_dir_all(&spool).unwrap();
    fs::write(&spool, "").unwrap();
    fs::write(repo.join(".aictx/spool"), "").unwrap();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    let beside_socket = env.path().join("run/aictx/v1/sock.spool");
    let events = fs::read_dir(&beside_socket).unwrap().count();
    assert!(events > 0, "it waits beside the socket");
    fs::remove_dir_all(&beside_socket).unwrap();
    fs::write(&beside_socket, "").unwrap();
    fs::remove_file(repo.join(".aictx/spool")).unwrap();
    fs::create_dir(repo.join(".aictx/spool")).unwrap();
    // Only a count fits where no event can be sealed.
    fs::write(env.path().join("state/aictx/key"), "no key").unwrap();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    env.unset("AICTX_DAEMON");
    let _daemon = env.daemon();
    assert_eq!(env.status().hooks_lost, 1);
}

#[test]
fn a_hung_daemon_costs_the_deadline_and_nothing_else() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    env.set("AICTX_HOOK_TIMEOUT_MS", "100");
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let run = env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    wait_until("the event was taken all the same", || {
        env.rows(&repo, "sessions/s.jsonl")
            .iter()
            .any(|r| r["kind"] == "edit")
    });
}

#[test]
fn a_liar_on_the_socket_is_not_believed() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let runtime = env.path().join("run/aictx/v1");
    fs::create_dir_all(&runtime).unwrap();
    let listener = UnixListener::bind(runtime.join("sock")).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = std::io::Write::write_all(
                &mut stream.unwrap(),
                b"HTTP/1.1 200 OK\r\n\r\n{\"decision\":\"block\"}\n",
            );
        }
    });
    // Silence, or the answer of a process of our own.
    let run = env.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert!(!run.stdout.contains("decision"), "{run:?}");
    assert!(
        run.stdout.is_empty() || run.stdout.contains("session #1"),
        "{run:?}"
    );
}

#[test]
fn a_resume_without_a_task_lets_an_idle_agent_go_on() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let ask = || {
        let line = [
            "guard",
            "--action",
            "continue_after_idle",
            "--session-id",
            "mine",
            "--json",
        ];
        env.aictx(&repo, &line).ok().json()
    };
    assert_eq!(ask()["decision"], "re_ground");
    env.aictx(&repo, &["resume", "--session-id", "mine"]).ok();
    let after = ask();
    assert_eq!(after["decision"], "allow", "{after}");
}
