//! The caller's surroundings: which agents are there, and where their files are.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use aictx_proto::locations::unusual;
use aictx_proto::methods::{AgentChosen, PersonStep, Surroundings};
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_runners::merge::{After, json_value, uninstall};
use aictx_runners::opencode;
use aictx_runners::plan::{
    Allowed, Detected, Edit, Facts, Options, Paths, Scope, VSCODE, allowed, detect, plan, trust,
};
use aictx_runners::registry;

use super::files::{self, Bounds};

/// A disk, seen from one repository or from none.
#[derive(Debug, Clone)]
pub struct Around {
    /// Places for plans.
    pub paths: Paths,
    search: String,
}

impl Around {
    /// From what a caller tells; `repository` may be empty.
    ///
    /// # Errors
    /// When home or the program are no absolute paths.
    pub fn new(told: &Surroundings, repository: &str) -> Result<Self, RpcError> {
        let absolute = |name: &str, path: &str| {
            if Path::new(path).is_absolute() {
                Ok(path.trim_end_matches('/').to_owned())
            } else {
                let text = format!("`surroundings.{name}` must be an absolute path, not `{path}`");
                Err(RpcError::new(INVALID_PARAMS, text))
            }
        };
        let optional = |name, path: &str| match path {
            "" => Ok(None),
            path => absolute(name, path).map(Some),
        };
        let home = absolute("home", &told.home)?;
        let mut around = Self {
            paths: Paths {
                config: optional("config", &told.config)?.unwrap_or(format!("{home}/.config")),
                home,
                repository: repository.trim_end_matches('/').to_owned(),
                program: absolute("program", &told.program)?,
                daemon: optional("daemon", &told.daemon)?.unwrap_or_default(),
                claude: optional("claude", &told.claude)?,
                codex: optional("codex", &told.codex)?,
                copilot: optional("copilot", &told.copilot)?,
                opencode: String::new(),
                variables: told.variables.clone(),
            },
            search: told.path.clone(),
        };
        around.paths.opencode = around.opencode_configuration();
        Ok(around)
    }

    /// Returns the candidates for OpenCode's configuration, by precedence.
    fn opencode_configurations(&self) -> Vec<String> {
        let config = &self.paths.config;
        let names = opencode::CONFIGURATIONS.iter().rev();
        names
            .map(|name| format!("{config}/opencode/{name}"))
            .collect()
    }

    /// The configuration of OpenCode that an entry belongs in: the one that has it, else the one that
    /// is there, else the usual one.
    fn opencode_configuration(&self) -> String {
        let bounds = self.user_bounds();
        let files = self.opencode_configurations();
        let text = |file: &String| files::read(Path::new(file), &bounds).ok()?.text;
        let has_entry = |file: &&String| {
            let value = text(file).and_then(|text| json_value(&text));
            value.is_some_and(|value| value.pointer("/mcp/aictx").is_some())
        };
        let there = |file: &&String| Path::new(file).exists();
        let chosen = files.iter().find(has_entry);
        let chosen = chosen.or_else(|| files.iter().find(there));
        chosen.or(files.last()).cloned().unwrap_or_default()
    }

    /// From what a caller tells, in a worktree or in none.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn at(told: &Surroundings, worktree: Option<&Path>) -> Result<Self, RpcError> {
        let worktree = worktree.map(Path::to_string_lossy);
        Self::new(told, worktree.as_deref().unwrap_or_default())
    }

    /// Directories in which agents keep the user's files.
    pub fn user_bounds(&self) -> Bounds {
        let paths = &self.paths;
        let more = [&paths.claude, &paths.codex, &paths.copilot];
        let all = [&paths.home, &paths.config].into_iter();
        Bounds::new(all.chain(more.into_iter().flatten()))
    }

    /// The agents asked for; with an empty list those that are there, which `auto` adds to others.
    /// `none` names nobody.
    ///
    /// # Errors
    /// When one is not known.
    pub fn choose(&self, asked: &[String]) -> Result<Vec<Detected>, RpcError> {
        let found = detect(self);
        if asked.is_empty() {
            return Ok(found);
        }
        let mut chosen: Vec<Detected> = Vec::new();
        if asked.iter().any(|name| name == "auto") {
            chosen.clone_from(&found);
        }
        let named = |name: &&String| !matches!(name.as_str(), "auto" | "none" | "");
        for name in asked.iter().filter(named) {
            let agent =
                registry::agent(name).map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
            if chosen.iter().any(|there| there.agent == agent.name()) {
                continue;
            }
            let there = found.iter().find(|there| there.agent == agent.name());
            chosen.push(there.cloned().unwrap_or_else(|| Detected {
                agent: agent.name(),
                title: agent.title(),
                evidence: "asked for".to_owned(),
                only_repository: false,
            }));
        }
        Ok(chosen)
    }

    /// Returns the default options of an installation here.
    pub fn options(&self, mcp: bool, profile: &str) -> Options {
        Options {
            mcp: mcp && !self.paths.daemon.is_empty(),
            mcp_profile: (!profile.is_empty()).then(|| profile.to_owned()),
            vscode: VSCODE.iter().any(|name| self.on_path(name)),
            one_instruction_file: self.one_instruction_file(),
            ..Options::default()
        }
    }

    /// Returns true if `CLAUDE.md` and `AGENTS.md` of the repository are one file.
    fn one_instruction_file(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |name: &str| {
            let meta = std::fs::metadata(self.in_root(name)?).ok()?;
            Some((meta.dev(), meta.ino()))
        };
        let claude = identity("CLAUDE.md");
        claude.is_some() && claude == identity("AGENTS.md")
    }

    fn in_root(&self, path: &str) -> Option<PathBuf> {
        let root = &self.paths.repository;
        (!root.is_empty()).then(|| Path::new(root).join(path))
    }

    /// Returns true if the user's own registration of an agent holds hooks of ours.
    pub fn user_has_hooks(&self, agent: &str) -> bool {
        let bounds = self.user_bounds();
        self.hook_files(agent, Scope::User)
            .iter()
            .any(|edit| holds_ours(edit, &bounds))
    }

    /// Returns true if an agent's files in the repository hold hooks of ours, for everybody or for this user.
    pub fn repository_has_hooks(&self, agent: &str) -> bool {
        let root = &self.paths.repository;
        if root.is_empty() {
            return false;
        }
        let bounds = Bounds::new([root]);
        let scopes = [true, false].map(|shared| Scope::Repository { shared });
        let mut edits = scopes
            .into_iter()
            .flat_map(|scope| self.hook_files(agent, scope));
        edits.any(|edit| holds_ours(&edit, &bounds))
    }

    /// The files that an agent's hooks stand in.
    pub fn hook_files(&self, agent: &str, scope: Scope) -> Vec<Edit> {
        let options = Options {
            mcp: false,
            instructions: false,
            vscode: self.options(false, "").vscode,
            ..Options::default()
        };
        plan(agent, scope, &self.paths, &options).unwrap_or_default()
    }

    /// The files that an agent's entry for the MCP server stands in.
    pub fn server_files(&self, agent: &str, scope: Scope) -> Vec<Edit> {
        let options = Options {
            hooks: false,
            instructions: false,
            ..Options::default()
        };
        plan(agent, scope, &self.paths, &options).unwrap_or_default()
    }

    /// Returns true if a word of an entry, a path or a name, can be run.
    pub fn is_program(&self, word: &str) -> bool {
        if word.contains('/') {
            is_executable(Path::new(word))
        } else {
            self.on_path(word)
        }
    }

    /// Agents for people and programs.
    pub fn told(&self, agents: &[Detected]) -> Vec<AgentChosen> {
        let told = agents.iter().map(|agent| AgentChosen {
            agent: agent.agent.to_owned(),
            title: agent.title.to_owned(),
            evidence: agent.evidence.clone(),
            user_hooks: self.user_has_hooks(agent.agent),
        });
        told.collect()
    }

    /// Returns the steps of a person for these agents.
    pub fn steps(&self, agents: &[Detected], scope: Scope, options: &Options) -> Vec<PersonStep> {
        let steps = agents
            .iter()
            .flat_map(|agent| trust(agent.agent, scope, &self.paths, options).unwrap_or_default());
        let told = steps.map(|step| PersonStep {
            agent: step.agent.to_owned(),
            without: step.without.to_owned(),
            how: step.how,
            check: step.check.to_owned(),
        });
        told.collect()
    }

    /// Tells from an agent's own files if it runs our hooks.
    pub fn allowed(&self, agent: &str) -> Allowed {
        let bounds = self.user_bounds().and(Path::new(&self.paths.repository));
        let read = |file: &str| files::read(Path::new(file), &bounds).ok()?.text;
        allowed(agent, Scope::User, &self.paths, &read).unwrap_or_default()
    }

    /// Returns the steps by which an agent runs our hooks.
    pub fn approval(&self, agent: &str) -> Vec<String> {
        let steps = trust(agent, Scope::User, &self.paths, &self.options(false, ""));
        let steps = steps.unwrap_or_default().into_iter();
        steps.flat_map(|step| step.how).collect()
    }

    /// Every file that may hold something of ours.
    pub fn everything(&self, scope: Scope) -> Vec<Edit> {
        let options = Options {
            undependable: true,
            vscode: true,
            ..Options::default()
        };
        let names: Vec<&str> = registry::names().collect();
        let mut edits =
            aictx_runners::plan::plan_all(&names, scope, &self.paths, &options).unwrap_or_default();
        // An entry may have been written before the user changed to the other file.
        for opencode in self.opencode_configurations() {
            if opencode != self.paths.opencode {
                let paths = Paths {
                    opencode: opencode.clone(),
                    ..self.paths.clone()
                };
                let other = plan("opencode", scope, &paths, &options).unwrap_or_default();
                edits.extend(other.into_iter().filter(|edit| edit.file == opencode));
            }
        }
        edits
    }
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The surroundings of this process, as the client tells those of its own: for servers that an agent
/// has started.
pub fn surroundings_here() -> Surroundings {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let place = |name: &str| Some(set(name)).filter(|value| Path::new(value).is_absolute());
    let text = |path: PathBuf| path.into_os_string().into_string().ok();
    let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let beside = own.as_ref().map(|own| own.with_file_name("aictx"));
    let path = set("PATH");
    // A link on PATH outlives the next version of what it leads to.
    let link = std::env::split_paths(&path)
        .map(|directory| directory.join("aictx"))
        .find(|link| link.is_absolute() && link.exists())
        .filter(|link| std::fs::canonicalize(link).ok() == beside);
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    Surroundings {
        home: home.and_then(text).unwrap_or_default(),
        config: place("XDG_CONFIG_HOME").unwrap_or_default(),
        claude: place("CLAUDE_CONFIG_DIR").unwrap_or_default(),
        codex: place("CODEX_HOME").unwrap_or_default(),
        copilot: place("COPILOT_HOME").unwrap_or_default(),
        gemini: place("GEMINI_CLI_HOME").unwrap_or_default(),
        data: place("XDG_DATA_HOME").unwrap_or_default(),
        program: link.or(beside).and_then(text).unwrap_or_default(),
        daemon: own.and_then(text).unwrap_or_default(),
        variables: unusual(|name| std::env::var(name).ok(), crate::process::user_id()),
        path,
    }
}

/// Returns true if a file holds what an edit would put there, in whatever version.
pub fn holds_ours(edit: &Edit, bounds: &Bounds) -> bool {
    let Ok(found) = files::read(Path::new(&edit.file), bounds) else {
        return false;
    };
    found.text.is_some_and(|text| {
        uninstall(&edit.file, Some(&text), &edit.content, None)
            .is_ok_and(|outcome| outcome.after != After::Unchanged)
    })
}

impl Facts for Around {
    fn in_home(&self, path: &str) -> bool {
        Path::new(&self.paths.home).join(path).exists()
    }

    fn at_variable(&self, variable: &str) -> bool {
        let directory = match variable {
            "CLAUDE_CONFIG_DIR" => &self.paths.claude,
            "CODEX_HOME" => &self.paths.codex,
            "COPILOT_HOME" => &self.paths.copilot,
            _ => &None,
        };
        directory
            .as_deref()
            .is_some_and(|directory| Path::new(directory).is_dir())
    }

    fn on_path(&self, program: &str) -> bool {
        std::env::split_paths(&self.search)
            .filter(|directory| directory.is_absolute())
            .any(|directory| is_executable(&directory.join(program)))
    }

    fn in_repository(&self, path: &str) -> bool {
        self.in_root(path).is_some_and(|path| path.exists())
    }
}
