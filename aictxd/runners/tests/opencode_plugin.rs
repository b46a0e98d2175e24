//! The OpenCode module, run by node against a socket: what it sends is what the dialect reads, and
//! what it is told is done.

#![allow(clippy::disallowed_methods)]
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::{fs, thread};

use aictx_runners::{Answer, Decision, Moment, dialect, opencode};
use serde_json::{Value, json};

/// Runs `script` with the module loaded as `hooks`; what it prints. `None` without node.
fn run(dir: &Path, program: &str, script: &str) -> Option<String> {
    let module = dir.join("aictx.mjs");
    fs::write(&module, opencode::plugin(program)).unwrap();
    let main = dir.join("main.mjs");
    let text = format!(
        "import * as plugin from './aictx.mjs';\n\
         const exported = Object.keys(plugin);\n\
         const hooks = await plugin.Aictx({{ directory: '/repo', worktree: '/repo' }});\n{script}"
    );
    fs::write(&main, text).unwrap();
    let node = Command::new("node")
        .arg(&main)
        .env("AICTX_SOCKET", dir.join("sock"))
        .output();
    let Ok(output) = node else {
        eprintln!("skipped: there is no node here");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

const SESSION: &str = r#"
const call = { tool: 'bash', sessionID: 'ses_1', callID: 'c1' };
await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_1', directory: '/repo' } } } });
await hooks['chat.message']({ sessionID: 'ses_1' }, { message: {}, parts: [{ type: 'text', text: 'fix it' }] });
const system = { system: ['own'] };
await hooks['experimental.chat.system.transform']({ sessionID: 'ses_1' }, system);
let refused = '';
try { await hooks['tool.execute.before'](call, { args: { command: 'git reset --hard' } }); } catch (e) { refused = e.message; }
await hooks['tool.execute.before']({ ...call, tool: 'write', callID: 'c2' }, { args: { filePath: '/repo/a', content: 'x'.repeat(1e6) } });
const after = { title: '', output: 'E', metadata: { exit: 1 } };
await hooks['tool.execute.after']({ ...call, args: { command: 'make' } }, after);
await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_2', parentID: 'ses_1' } } } });
await hooks['tool.execute.before']({ ...call, sessionID: 'ses_2' }, { args: { command: 'ls' } });
await hooks.event({ event: { type: 'session.deleted', properties: { sessionID: 'ses_2', info: { id: 'ses_2', parentID: 'ses_1' } } } });
const message = (id, role) => hooks.event({ event: { type: 'message.updated', properties: { info: { id, role, sessionID: 'ses_1' } } } });
const part = (messageID, id, text) => hooks.event({ event: { type: 'message.part.updated', properties: { part: { type: 'text', sessionID: 'ses_1', messageID, id, text } } } });
await message('m1', 'user');
await part('m1', 'p1', 'fix it');
await message('m2', 'assistant');
await part('m2', 'p2', 'I look.');
await message('m3', 'assistant');
await part('m3', 'p3', 'Fix');
await part('m3', 'p3', 'Fixed.');
await part('m3', 'p4', 'Next: ship it.');
await message('m3', 'assistant');
await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
const compacting = { context: [] };
await hooks['experimental.session.compacting']({ sessionID: 'ses_1' }, compacting);
await hooks.dispose();
console.log(JSON.stringify({ exported, system: system.system, refused, output: after.output, compacting }));
"#;

/// Answers like the daemon: says `facts` wherever context is taken and refuses `git reset`.
fn answer(request: &Value) -> Value {
    let params = &request["params"];
    let payload = params["payload"].to_string();
    let opencode = dialect("opencode").unwrap();
    let event = opencode.parse(&payload, params["event"].as_str()).unwrap();
    let refuse = payload.contains("git reset");
    let answer = Answer {
        context: format!("facts of {}", event.name),
        decision: if refuse {
            Decision::Deny("not that".into())
        } else {
            Decision::Pass
        },
    };
    json!({ "jsonrpc": "2.0", "id": 1, "result": opencode.render(&event.name, &answer) })
}

#[test]
fn a_session_goes_over_the_socket() {
    let dir = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(dir.path().join("sock")).unwrap();
    let (send, received) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            let request: Value = serde_json::from_str(&line).unwrap();
            let answer = answer(&request);
            // Before the answer: whoever has it may end the test.
            send.send(request).unwrap();
            writeln!(stream, "{answer}").unwrap();
        }
    });
    let Some(out) = run(dir.path(), "/nowhere/aictx", SESSION) else {
        return;
    };
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        out["exported"],
        json!(["Aictx"]),
        "each export is loaded as a plug-in"
    );
    assert_eq!(
        out["system"],
        json!(["own", "facts of session.start", "facts of chat.message"])
    );
    assert_eq!(out["refused"], "not that");
    assert_eq!(out["output"], "E\n\nfacts of tool.execute.after");
    let compacting = json!({ "context": ["facts of experimental.session.compacting"] });
    assert_eq!(out["compacting"], compacting);

    let opencode = dialect("opencode").unwrap();
    let mut told = Vec::new();
    for request in received.try_iter() {
        assert_eq!(request["method"], "hook");
        assert_eq!(request["aictx"]["proto"], aictx_proto::PROTOCOL_VERSION);
        let params = &request["params"];
        let payload = params["payload"].to_string();
        assert!(payload.len() < 1_000, "contents stay where they are");
        let event = opencode.parse(&payload, params["event"].as_str()).unwrap();
        assert_eq!(
            (event.session_id.as_ref(), event.cwd.as_ref()),
            ("ses_1", "/repo")
        );
        let what = match &event.moment {
            Moment::SessionStart { source } => format!("start {source}"),
            Moment::Prompt { text } => format!("prompt {text}"),
            Moment::ToolIntent(call) => format!("intent {:?}", call.action),
            Moment::ToolDone { output, .. } => format!("done {:?}", output.status),
            Moment::Subagent { phase, .. } => format!("subagent {phase}"),
            Moment::Stop { last_message, .. } => format!("stop {last_message}"),
            Moment::Compact { .. } => "compact".into(),
            Moment::SessionEnd { reason } => format!("end {reason}"),
            other => panic!("{other:?}"),
        };
        told.push(format!(
            "{}{what}",
            if event.agent_id.is_empty() {
                ""
            } else {
                "sub: "
            }
        ));
    }
    assert_eq!(
        told,
        [
            "start startup",
            "prompt fix it",
            "intent Command { command: \"git reset --hard\", background: false, dir: \"\" }",
            "intent Edit(\"/repo/a\")",
            "done Code(1)",
            "sub: subagent start",
            "sub: intent Command { command: \"ls\", background: false, dir: \"\" }",
            "stop Fixed.\nNext: ship it.",
            "compact",
            "end exit",
        ]
    );
}

#[test]
fn a_daemon_that_never_answers_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // Connections wait in the listener's queue for good.
    let _listener = UnixListener::bind(dir.path().join("sock")).unwrap();
    let Some(out) = run(dir.path(), "/nowhere/aictx", SESSION) else {
        return;
    };
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&out["refused"], &out["output"]), (&json!(""), &json!("E")));
}

#[test]
fn while_the_daemon_hangs_the_program_decides() {
    let dir = tempfile::tempdir().unwrap();
    let _listener = UnixListener::bind(dir.path().join("sock")).unwrap();
    let program = dir.path().join("aictx");
    let decides = "#!/bin/sh\n\
        case \"$3 $(cat)\" in\n\
        tool.execute.before*'git reset'*) echo '{\"decision\":\"deny\",\"reason\":\"not that\"}';;\n\
        esac\n";
    fs::write(&program, decides).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let Some(out) = run(dir.path(), program.to_str().unwrap(), SESSION) else {
        return;
    };
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&out["refused"], &out["output"]),
        (&json!("not that"), &json!("E"))
    );
}

const NESTED: &str = r#"
const call = { tool: 'run', sessionID: 'ses_1', callID: 'c1' };
await hooks['tool.execute.before'](call, { args: { task: { command: 'rm', args: ['-rf', 'x'] } } });
await hooks['tool.execute.before'](call, { args: { path: 'a', content: 'x'.repeat(1e6), prompt: 'p' } });
"#;

#[test]
fn arguments_keep_their_shape_without_their_texts() {
    let dir = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(dir.path().join("sock")).unwrap();
    let (send, received) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            send.send(line).unwrap();
            writeln!(
                stream,
                "{}",
                json!({ "jsonrpc": "2.0", "id": 1, "result": null })
            )
            .unwrap();
        }
    });
    if run(dir.path(), "/nowhere/aictx", NESTED).is_none() {
        return;
    }
    let opencode = dialect("opencode").unwrap();
    let actions: Vec<String> = received
        .try_iter()
        .map(|line| {
            assert!(line.len() < 1_000, "contents stay where they are");
            let request: Value = serde_json::from_str(&line).unwrap();
            let params = &request["params"];
            let payload = params["payload"].to_string();
            let event = opencode.parse(&payload, params["event"].as_str()).unwrap();
            match event.moment {
                Moment::ToolIntent(call) => format!("{:?}", call.action),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(
        actions,
        [
            "Command { command: \"rm -rf x\", background: false, dir: \"\" }",
            "Edit(\"a\")",
        ]
    );
}

#[test]
fn without_a_daemon_and_without_a_program_nothing_happens() {
    let dir = tempfile::tempdir().unwrap();
    let odd = "\nawait hooks.event({ event: null }); await hooks['tool.execute.before'](null, null);\n\
        await hooks['tool.execute.after'](null, null); await hooks['chat.message']({}, {});";
    let Some(out) = run(dir.path(), "/nowhere/aictx", &format!("{SESSION}{odd}")) else {
        return;
    };
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&out["refused"], &out["output"]), (&json!(""), &json!("E")));
}

#[test]
fn without_a_daemon_the_program_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("it's aictx");
    let script = "#!/bin/sh\ncat >> \"$(dirname \"$0\")/got\"\necho \"$@\" >> \"$(dirname \"$0\")/args\"\n\
        echo '{\"decision\":\"deny\",\"reason\":\"no\"}'\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let ask = "let refused = ''; try { await hooks['tool.execute.before']({ tool: 'bash', sessionID: 's' }, \
        { args: { command: 'ls' } }); } catch (e) { refused = e.message; } console.log(refused);";
    let Some(_) = run(dir.path(), program.to_str().unwrap(), ask) else {
        return;
    };
    // Whether it answered in time is the machine's affair; that it was asked is ours.
    let args = fs::read_to_string(dir.path().join("args")).unwrap();
    assert_eq!(args, "hook opencode tool.execute.before\n");
    let got = fs::read_to_string(dir.path().join("got")).unwrap();
    let event = dialect("opencode").unwrap().parse(&got, None).unwrap();
    assert!(matches!(event.moment, Moment::ToolIntent(_)));
}
