//! A client of the MCP server, by hand: lines in, lines out.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{TestEnv, program};

/// A server and the conversation with it.
#[derive(Debug)]
pub struct Mcp {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Mcp {
    /// Starts one in a directory and introduces itself as `client`.
    pub fn start(env: &TestEnv, directory: &Path, client: &str, arguments: &[&str]) -> Self {
        let mut mcp = Self::silent(env, directory, arguments);
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": client, "version": "1" },
        });
        let answer = mcp.request("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "aictx", "{answer}");
        mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        mcp
    }

    /// Starts one and says nothing.
    pub fn silent(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Self {
        Self::of(env, directory, program("aictx"), arguments)
    }

    /// As [`Self::silent`], with `aictx` or `aictxd`.
    pub fn of(
        env: &TestEnv,
        directory: &Path,
        program: impl AsRef<OsStr>,
        arguments: &[&str],
    ) -> Self {
        let mut command = env.command(program);
        command.arg("mcp").args(arguments).current_dir(directory);
        Self::run(&mut command)
    }

    /// Starts a command that is a server.
    pub fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            last: 0,
        }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next line.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// A request and its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&line.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer
    }

    /// Calls a tool and gives its result, whatever it says.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed and gives its facts.
    #[track_caller]
    pub fn facts(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
        assert_eq!(result["structuredContent"]["ok"], json!(true), "{result}");
        assert_ne!(result["content"][0]["text"], "", "{tool}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must refuse and gives the code.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        let error = &result["structuredContent"]["error"];
        error["code"].as_str().unwrap().to_owned()
    }

    /// Names of the tools.
    pub fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    }

    /// Says nothing more, and waits for its end; gives its exit status.
    pub fn end(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
