//! The line protocol, spoken by hand.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use aictx_tests::session::start;
use aictx_tests::{PATIENCE, TestEnv, drain, exchange, program};
use serde_json::{Value, json};

fn connect(env: &TestEnv) -> UnixStream {
    let stream = UnixStream::connect(env.socket()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn ask(env: &TestEnv, line: &str) -> Value {
    serde_json::from_str(&exchange(connect(env), line).unwrap()).unwrap()
}

#[test]
fn errors_have_stable_codes() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    for (line, code, kind) in [
        ("{", -32700, "parse_error"),
        ("nonsense", -32700, "parse_error"),
        ("{}", -32600, "invalid_request"),
        ("[]", -32600, "invalid_request"),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"hello"}"#,
            -32600,
            "invalid_request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#,
            -32601,
            "method_not_found",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resume","params":{"repo":7}}"#,
            -32602,
            "invalid_params",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resume","params":{"repo":"/nowhere"}}"#,
            -32010,
            "no_repository",
        ),
    ] {
        let answer = ask(&env, line);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer["error"]["data"]["kind"], kind, "{line}: {answer}");
    }
}

#[test]
fn any_split_of_the_bytes_gives_the_same_answers() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let text = "\n  {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"repo.list\"}\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nope\"}\r\n";
    let whole = {
        let mut stream = connect(&env);
        stream.write_all(text.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        drain(stream)
    };
    assert_eq!(whole.lines().count(), 2);
    for at in (1..text.len()).step_by(7) {
        let mut stream = connect(&env);
        let (head, tail) = text.as_bytes().split_at(at);
        stream.write_all(head).unwrap();
        stream.write_all(tail).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(drain(stream), whole, "split at {at}");
    }
}

#[test]
fn batches_notifications_and_a_last_line_without_newline() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let batch = ask(
        &env,
        r#"[{"jsonrpc":"2.0","id":1,"method":"repo.list"},{"jsonrpc":"2.0","method":"repo.list"},{"jsonrpc":"2.0","id":3,"method":"nope"}]"#,
    );
    let ids: Vec<&Value> = batch.as_array().unwrap().iter().map(|a| &a["id"]).collect();
    assert_eq!(
        ids,
        [&json!(1), &json!(3)],
        "a notification is executed and not answered"
    );
    let mut stream = connect(&env);
    stream
        .write_all(br#"{"jsonrpc":"2.0","id":9,"method":"repo.list"}"#)
        .unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(drain(stream).contains("\"id\":9"));
    let too_many = format!("[{}]", vec!["1"; 65].join(","));
    assert_eq!(ask(&env, &too_many)["error"]["code"], -32600);
}

#[test]
fn a_payload_cannot_smuggle_in_another_method() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    for payload in [
        r#"{}},"method":"daemon.stop","params":{"x":{"#,
        r#"null}, "method":"daemon.stop","id":2,"x":{"y":1"#,
        "{}}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"daemon.stop\"}\n",
    ] {
        assert_eq!(env.hook_bytes(&repo, payload.as_bytes()).ok().stdout, "");
    }
    assert_eq!(env.status().pid, daemon.pid(), "it lives");
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_daemon_lives() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let mut stream = connect(&env);
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..17 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    let mut answer = String::new();
    let _ = BufReader::new(stream).read_line(&mut answer);
    // The refusal may be lost when we were still writing; the daemon must not be.
    assert!(answer.is_empty() || answer.contains("-32007"), "{answer}");
    assert_eq!(env.status().proto, 1);
}

#[test]
fn bytes_that_are_no_text_are_survived() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let mut stream = connect(&env);
    stream
        .write_all(b"\xff\xfe\x00{\"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"repo.list\"}\n")
        .unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let text = drain(stream);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].contains("-32700") && lines[1].contains("\"result\""),
        "{text}"
    );
}

#[test]
fn the_document_is_served_and_printed_alike() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let served = ask(&env, r#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)["result"].clone();
    let output = env
        .command(program("aictxd"))
        .arg("openrpc")
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(served, printed);
    let methods: Vec<&str> = served["methods"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|m| m["name"].as_str())
        .collect();
    let hello =
        ask(&env, r#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#)["result"]["methods"].clone();
    assert_eq!(
        json!(methods),
        hello,
        "what is served is what is documented"
    );
}

#[test]
fn status_tells_latencies_per_event() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    let status = env.status();
    let hook = status
        .methods
        .iter()
        .find(|m| m.method == "hook.SessionStart")
        .unwrap();
    assert_eq!(hook.calls, 1);
    assert!(hook.p50_us > 0 && hook.p99_us >= hook.p50_us);
    assert_eq!(status.sessions[0].session_id, "s");
    assert_eq!(status.repositories[0].repo, repo.to_string_lossy());
    assert!(status.rss_bytes > 1_000_000);
}
