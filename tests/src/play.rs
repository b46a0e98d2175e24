//! An agent at work, told as a story: each step changes the repository's files and is reported by the
//! agent's own hooks, as Claude Code and Codex do it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::{Value, json};

use crate::session::payload;
use crate::{Run, TestEnv, program};

/// A session of one agent.
#[derive(Debug)]
pub struct Play<'e> {
    env: &'e TestEnv,
    root: &'e Path,
    /// `claude` or `codex`.
    pub runner: &'static str,
    /// Session id.
    pub id: &'e str,
}

impl<'e> Play<'e> {
    /// A session of Claude Code.
    pub fn claude(env: &'e TestEnv, root: &'e Path, id: &'e str) -> Self {
        Self {
            env,
            root,
            runner: "claude",
            id,
        }
    }

    /// A session of Codex.
    pub fn codex(env: &'e TestEnv, root: &'e Path, id: &'e str) -> Self {
        Self {
            env,
            root,
            runner: "codex",
            id,
        }
    }

    /// One event through the real hook program.
    #[track_caller]
    pub fn hook(&self, event: &str, more: Value) -> Run {
        let payload = payload(self.root, self.id, event, more);
        let run = self.env.with_input(
            self.env
                .command(program("aictx"))
                .args(["hook", self.runner, event])
                .current_dir(self.root),
            payload.to_string().as_bytes(),
        );
        assert_eq!(run.stderr, "", "a hook never speaks on standard error");
        run.ok()
    }

    /// The session begins (`startup`, `resume`, `compact`): what the agent is told.
    #[track_caller]
    pub fn start(&self, source: &str) -> String {
        let run = self.hook("SessionStart", json!({ "source": source }));
        run.json()["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The user asks.
    #[track_caller]
    pub fn prompt(&self, text: &str) {
        self.told_at(text);
    }

    /// The user asks: what the agent is told; empty where nothing is.
    #[track_caller]
    pub fn told_at(&self, text: &str) -> String {
        let run = self.hook("UserPromptSubmit", json!({ "prompt": text }));
        if run.stdout.is_empty() {
            return String::new();
        }
        let told = &run.json()["hookSpecificOutput"]["additionalContext"];
        told.as_str().unwrap_or_default().to_owned()
    }

    /// The session begins and its user says to go on: what the agent is told.
    #[track_caller]
    pub fn start_and_continue(&self) -> String {
        let start = self.start("startup");
        format!("{start}\n\n{}", self.told_at("continue"))
    }

    /// The agent reads a file.
    #[track_caller]
    pub fn read(&self, file: &str) {
        if self.runner == "codex" {
            let command = format!("cat {file}");
            let text = fs::read_to_string(self.root.join(file)).unwrap();
            self.after("Bash", &json!({ "command": command }), &json!(text));
            return;
        }
        let path = self.root.join(file);
        self.after(
            "Read",
            &json!({ "file_path": path }),
            &json!({ "type": "text" }),
        );
    }

    /// The agent writes a file.
    #[track_caller]
    pub fn edit(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if self.runner == "codex" {
            let patch =
                format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch\n");
            let said = format!(
                "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM {file}\n"
            );
            self.after("apply_patch", &json!({ "command": patch }), &json!(said));
            return;
        }
        self.after(
            "Edit",
            &json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
            &json!({ "filePath": path }),
        );
    }

    /// A command that worked.
    #[track_caller]
    pub fn passes(&self, command: &str, output: &str) {
        let response = if self.runner == "codex" {
            json!(output)
        } else {
            json!({ "stdout": output, "stderr": "", "interrupted": false })
        };
        self.after("Bash", &json!({ "command": command }), &response);
    }

    /// A command that failed. Codex does not say so: what was printed must show it.
    #[track_caller]
    pub fn fails(&self, command: &str, output: &str) -> Run {
        if self.runner == "codex" {
            return self.after("Bash", &json!({ "command": command }), &json!(output));
        }
        self.hook(
            "PostToolUseFailure",
            json!({
                "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": crate::call_id(),
                "error": format!("Exit code 1\n{output}"), "is_interrupt": false,
            }),
        )
    }

    #[track_caller]
    fn after(&self, tool: &str, input: &Value, response: &Value) -> Run {
        self.hook(
            "PostToolUse",
            json!({
                "tool_name": tool, "tool_input": input, "tool_use_id": crate::call_id(),
                "tool_response": response,
            }),
        )
    }

    /// The agent is done with the request and says so.
    #[track_caller]
    pub fn says(&self, text: &str) {
        self.hook(
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": text }),
        );
    }

    /// The session ends.
    #[track_caller]
    pub fn end(&self) {
        self.hook("SessionEnd", json!({ "reason": "other" }));
    }

    /// The agent calls `aictx` in its shell.
    #[track_caller]
    pub fn aictx(&self, arguments: &[&str]) -> Run {
        let mut command = self.env.command(program("aictx"));
        let variable = if self.runner == "codex" {
            "CODEX_THREAD_ID"
        } else {
            "CLAUDE_CODE_SESSION_ID"
        };
        command
            .args(arguments)
            .current_dir(self.root)
            .env(variable, self.id);
        self.env.with_input(&mut command, b"").ok()
    }
}

/// An agent's process: it runs a hook of Claude Code for each line it is given, and can be killed.
#[derive(Debug)]
pub struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Agent {
    /// Starts it in a repository.
    pub fn new(env: &TestEnv, repo: &Path) -> Self {
        let script = r#"import subprocess, sys
for line in sys.stdin:
    subprocess.run([sys.argv[1], "hook", "claude"], input=line.encode(), stdout=subprocess.DEVNULL)
    print("done", flush=True)
"#;
        let mut command: Command = env.command("python3");
        let mut child = command
            .args(["-c", script])
            .arg(program("aictx"))
            .current_dir(repo)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        Self { child, stdin }
    }

    /// One event through the hook.
    pub fn say(&mut self, payload: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{payload}").unwrap();
        let mut word = [0; 5];
        std::io::Read::read_exact(self.child.stdout.as_mut().unwrap(), &mut word).unwrap();
    }

    /// Dies without a word.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
