//! Plans of installations: files, their content, and reasons.
//!
//! A plan is data. Whoever carries it out reads each file, hands its text to [`crate::merge`],
//! writes the result and keeps the records; the same plan takes everything out again.
//!
//! Hooks are registered for the user where an agent can do that: an agent that is started in a
//! subdirectory or in a worktree does not read the repository's own settings, and a hook of ours
//! does nothing in repositories that are not registered. Only [`Scope::Repository`] with `shared`
//! writes files that are meant for a commit. An agent that finds both runs both: Claude Code drops
//! the second of two equal commands, the others do not, and a shared entry cannot be equal because
//! it must not hold this machine's paths. [`crate::HookEvent::repeat_key`] tells such a pair.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event_and_tool_tables::Event;
use crate::merge::{Block, Comment, Content, Item, Rule, Table, Whole};
use crate::{Dialect, registry};

mod detect;
mod hook_approval;
pub mod instructions;

pub use self::detect::{Detected, Facts, Signs, detect};
pub(crate) use self::hook_approval::switched;
pub use self::hook_approval::{Allowed, Reader, TrustStep, codex_trust};

/// Seconds that agents grant a hook. Ours end far sooner by themselves; this holds when the machine
/// is in trouble.
pub const TIMEOUT_SECONDS: u32 = 5;

/// Audience of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This user, in all repositories.
    User,
    /// One repository.
    Repository {
        /// Everybody who clones it: files meant for a commit, without paths of this machine. Else
        /// this user only, in files that git does not see.
        shared: bool,
    },
}

/// Paths of the surroundings. All are absolute and without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Home directory.
    pub home: String,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    pub config: String,
    /// Root of the repository's worktree; empty where there is none.
    pub repository: String,
    /// The `aictx` program.
    pub program: String,
    /// The `aictxd` program.
    pub daemon: String,
    /// `$CLAUDE_CONFIG_DIR`, when set.
    pub claude: Option<String>,
    /// `$CODEX_HOME`, when set.
    pub codex: Option<String>,
    /// `$COPILOT_HOME`, when set.
    pub copilot: Option<String>,
    /// OpenCode's configuration file of the user: `opencode.json` or `opencode.jsonc`.
    pub opencode: String,
    /// Variables that put our own things elsewhere than usual.
    pub variables: BTreeMap<String, String>,
}

/// Options of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Hooks.
    pub hooks: bool,
    /// An entry for the MCP server.
    pub mcp: bool,
    /// The server's profile; its default when `None`.
    pub mcp_profile: Option<String>,
    /// Blocks in instruction files, where hooks do not reach or files are shared.
    pub instructions: bool,
    /// The user's own registration is there: the repository needs none for this user.
    pub user_has_hooks: bool,
    /// `CLAUDE.md` and `AGENTS.md` are one file: one block is enough.
    pub one_instruction_file: bool,
    /// Hooks of agents that are known not to heed them dependably (Cline).
    pub undependable: bool,
    /// VS Code is there (see [`VSCODE`]): it runs the hooks in Claude Code's user settings, which
    /// are then written for Copilot, too.
    pub vscode: bool,
}

/// Programs of VS Code and its kin.
pub const VSCODE: &[&str] = &["code", "code-insiders", "codium"];

impl Default for Options {
    fn default() -> Self {
        Self {
            hooks: true,
            mcp: true,
            mcp_profile: None,
            instructions: true,
            user_has_hooks: false,
            one_instruction_file: false,
            undependable: false,
            vscode: false,
        }
    }
}

/// One file of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Runner it is for.
    pub agent: &'static str,
    /// The file, absolute.
    pub file: String,
    /// Planned content.
    pub content: Content,
    /// Why, for people.
    pub reason: &'static str,
    /// It is meant for a commit; else git must not see it when it lies in the repository.
    pub shared: bool,
    /// Caution; empty for none.
    pub caution: &'static str,
}

/// An agent that we can be installed for.
pub trait Agent: Dialect {
    /// Its name for people.
    fn title(&self) -> &'static str;

    /// Returns the signs by which it is found.
    fn signs(&self) -> Signs;

    /// The files to edit.
    fn edits(&self, site: &Site<'_>) -> Vec<Edit>;

    /// Returns the steps of a person before hooks run.
    fn trust(&self, _site: &Site<'_>) -> Vec<TrustStep> {
        Vec::new()
    }

    /// Tells from its own files if hooks run.
    fn allowed(&self, _site: &Site<'_>, _read: Reader<'_>) -> Allowed {
        Allowed::default()
    }
}

/// Context of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// Runner.
    pub agent: &'static str,
    /// For whom.
    pub scope: Scope,
    /// Paths of this process.
    pub paths: &'a Paths,
    /// Options.
    pub options: &'a Options,
}

/// The plan for one agent; empty when there is nothing to do for it in this scope. For the user's
/// removal the plan with every option switched on names every file that may hold something of ours.
///
/// # Errors
/// When no such agent is known.
pub fn plan(
    agent: &str,
    scope: Scope,
    paths: &Paths,
    options: &Options,
) -> Result<Vec<Edit>, crate::DialectError> {
    let agent = registry::agent(agent)?;
    let site = Site {
        agent: agent.name(),
        scope,
        paths,
        options,
    };
    Ok(one_a_file(agent.edits(&site)))
}

/// The plan for several agents: each file once, whoever needs it.
///
/// # Errors
/// When one of the agents is not known.
pub fn plan_all(
    agents: &[&str],
    scope: Scope,
    paths: &Paths,
    options: &Options,
) -> Result<Vec<Edit>, crate::DialectError> {
    let mut edits = Vec::new();
    for agent in agents {
        edits.extend(plan(agent, scope, paths, options)?);
    }
    Ok(one_a_file(edits))
}

/// Puts the edits of one file together, so that each file is written once and has one record.
/// Different blocks of one text file stay apart: each is a record of its own.
fn one_a_file(edits: Vec<Edit>) -> Vec<Edit> {
    let mut together: Vec<Edit> = Vec::new();
    for edit in edits {
        let earlier = together.iter_mut().find(|there| there.file == edit.file);
        match (earlier.map(|there| &mut there.content), edit.content) {
            (Some(Content::Json(there)), Content::Json(items)) => {
                for item in items {
                    if !there.contains(&item) {
                        there.push(item);
                    }
                }
            }
            (Some(there), content) if *there == content => {}
            (_, content) => together.push(Edit { content, ..edit }),
        }
    }
    together
}

/// Step for a person before an agent runs our hooks.
///
/// # Errors
/// When no such agent is known.
pub fn trust(
    agent: &str,
    scope: Scope,
    paths: &Paths,
    options: &Options,
) -> Result<Vec<TrustStep>, crate::DialectError> {
    let agent = registry::agent(agent)?;
    let site = Site {
        agent: agent.name(),
        scope,
        paths,
        options,
    };
    Ok(agent.trust(&site))
}

/// Tells from an agent's own files if it runs our hooks.
///
/// # Errors
/// When no such agent is known.
pub fn allowed(
    agent: &str,
    scope: Scope,
    paths: &Paths,
    read: Reader<'_>,
) -> Result<Allowed, crate::DialectError> {
    let agent = registry::agent(agent)?;
    let site = Site {
        agent: agent.name(),
        scope,
        paths,
        options: &Options::default(),
    };
    Ok(agent.allowed(&site, read))
}

impl Site<'_> {
    /// For this user in all repositories.
    pub(crate) fn is_user(&self) -> bool {
        self.scope == Scope::User
    }

    /// For everybody who clones the repository.
    pub(crate) fn is_shared(&self) -> bool {
        self.scope == Scope::Repository { shared: true }
    }

    /// For this user in one repository, where the user has no registration of their own.
    pub(crate) fn is_local(&self) -> bool {
        self.scope == Scope::Repository { shared: false } && !self.options.user_has_hooks
    }

    /// A file below the home directory.
    pub(crate) fn home(&self, path: &str) -> String {
        format!("{}/{path}", self.paths.home)
    }

    /// A file below the repository's root.
    pub(crate) fn repository(&self, path: &str) -> String {
        format!("{}/{path}", self.paths.repository)
    }

    /// An edit in this scope.
    pub(crate) fn edit(&self, file: String, content: Content, reason: &'static str) -> Edit {
        Edit {
            agent: self.agent,
            file,
            content,
            reason,
            shared: self.is_shared(),
            caution: "",
        }
    }

    /// The client as a word of a command line: its path for this user, its name for everybody.
    fn program_word(&self) -> String {
        if self.is_shared() {
            "aictx".to_owned()
        } else {
            shell_word(&self.paths.program)
        }
    }

    /// The command line of a hook, for agents that go through a shell. Does nothing where aictx is not installed, or not
    /// any more: Gemini CLI, Copilot and Cline stop the request or the tool when its hook fails. Shared ones are silent
    /// and always succeed.
    pub(crate) fn command_line(&self, event: &str) -> String {
        let program = self.program_word();
        let call = format!("{program} hook {} {event}", self.agent);
        match self.is_shared() {
            true => format!("{call} 2>/dev/null || true"),
            // The shell becomes the program, whose exit status is the hook's.
            false => format!("[ -x {program} ] && exec {call}; exit 0"),
        }
    }

    /// `hooks.<event>`: groups with a list of handlers each, as Claude Code has them.
    pub(crate) fn grouped(&self, events: &[Event], handler: impl Fn(&str) -> Value) -> Vec<Item> {
        self.listed(events, |event| json!({ "hooks": [handler(event)] }))
    }

    /// `hooks.<event>`: a list of handlers.
    pub(crate) fn listed(&self, events: &[Event], handler: impl Fn(&str) -> Value) -> Vec<Item> {
        let registered = events.iter().filter(|event| event.registered);
        registered
            .map(|event| Item {
                path: vec!["hooks".into(), event.name.into()],
                value: handler(event.name),
                rule: Rule::Element,
            })
            .collect()
    }

    /// Arguments of the MCP server.
    pub(crate) fn server_arguments(&self) -> Vec<String> {
        let mut arguments = vec!["mcp".to_owned()];
        if let Some(profile) = &self.options.mcp_profile {
            arguments.extend(["--profile".to_owned(), profile.clone()]);
        }
        arguments
    }

    /// Returns the environment of the MCP server, under the agent's name for it: some agents
    /// start it without most of theirs.
    pub(crate) fn server_variables(&self, name: &'static str) -> Option<(&'static str, Value)> {
        let variables = &self.paths.variables;
        (!self.is_shared() && !variables.is_empty()).then(|| (name, json!(variables)))
    }

    /// The program of the MCP server.
    pub(crate) fn server_program(&self) -> &str {
        if self.is_shared() {
            "aictxd"
        } else {
            &self.paths.daemon
        }
    }

    /// `<container>.aictx`: the MCP server as most agents have it, with members of theirs.
    pub(crate) fn server(&self, container: &str, more: &[(&str, Value)]) -> Content {
        let mut value = json!({
            "command": self.server_program(),
            "args": self.server_arguments(),
        });
        if let Some(object) = value.as_object_mut() {
            for (name, member) in more {
                object.insert((*name).to_owned(), member.clone());
            }
            if let Some((name, variables)) = self.server_variables("env") {
                object.insert(name.to_owned(), variables);
            }
        }
        self.server_value(container, value)
    }

    /// `<container>.aictx` with this value.
    pub(crate) fn server_value(&self, container: &str, value: Value) -> Content {
        Content::Json(vec![Item {
            path: vec![container.into(), "aictx".into()],
            value,
            rule: Rule::Server,
        }])
    }

    /// `[mcp_servers.aictx]`.
    pub(crate) fn server_table(&self) -> Content {
        let arguments = self.server_arguments();
        let arguments: Vec<_> = arguments.iter().map(|a| toml_text(a)).collect();
        let mut members = format!(
            "command = {}\nargs = [{}]\n",
            toml_text(self.server_program()),
            arguments.join(", ")
        );
        if self.server_variables("env").is_some() {
            let variables = self.paths.variables.iter();
            let variables = variables.map(|(name, value)| format!("{name} = {}", toml_text(value)));
            let variables: Vec<_> = variables.collect();
            members.push_str(&format!("env = {{ {} }}\n", variables.join(", ")));
        }
        Content::Toml(Table {
            path: vec!["mcp_servers".into(), "aictx".into()],
            members,
        })
    }

    /// A block of an instruction file.
    pub(crate) fn instructions(&self, id: &str, text: &str) -> Content {
        Content::Block(Block {
            comment: Comment::Html,
            id: id.to_owned(),
            body: text.to_owned(),
        })
    }

    /// A file of our own.
    pub(crate) fn whole(&self, text: String, mark: &str, executable: bool) -> Content {
        Content::Whole(Whole {
            text,
            mark: mark.to_owned(),
            executable,
        })
    }
}

pub(crate) use crate::merge::toml_text;

/// A word of a shell's command line.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
