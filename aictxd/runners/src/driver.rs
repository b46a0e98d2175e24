//! Drivers: start an agent for one turn of a flow and read its report.
//!
//! A driver says with which program and arguments an agent works through one prompt without a person,
//! and reads its standard output line by line. Nothing here starts a process: the caller does, puts the
//! prompt on standard input, passes the lines on and says how the process ended.
//!
//! - A turn is judged by the structured end that the agent prints. The exit status counts only where
//!   there is none.
//! - The class of an error is told from the agent's own error channel: its error events, and its standard
//!   error before it has begun. Texts of tools and of the model are never looked at.
//! - Values of tickets never become options: they are joined to their option (`--model=VALUE`), and
//!   conversations are continued by an id of plain characters.

mod claude;
mod codex;
mod command;
mod copilot;
mod error_class;
mod gemini;
mod json_lines;
mod opencode;
mod reset_time;

use std::fmt;

use aictx_proto::flow::{TurnReport, Usage};
use aictx_proto::shown;
use jiff::tz::TimeZone;

/// Longest line that is read, in bytes; the rest of a longer one is dropped.
pub const MAX_LINE: usize = 4 * 1024 * 1024;
/// Longest answer in a report, in bytes.
pub const MAX_TEXT: usize = 64 * 1024;
/// Longest text of an error, in characters.
pub const MAX_ERROR: usize = 320;
/// Longest line of progress, in characters.
pub const MAX_PROGRESS: usize = 160;
/// Longest id of a conversation, in bytes.
pub const MAX_SESSION: usize = 128;

/// Settings of one turn; an empty text is the agent's own default.
#[derive(Debug, Clone, Copy, Default)]
pub struct TurnSettings<'a> {
    /// Model, in the agent's words.
    pub model: &'a str,
    /// Reasoning effort, in the agent's words.
    pub reasoning: &'a str,
    /// Conversation to continue; empty for a new one.
    pub resume: &'a str,
    /// UUID for a new conversation, where the agent lets its caller choose.
    pub new_session: &'a str,
    /// Permissions of the agent.
    pub approval: Approval,
    /// Program and arguments of the `command` driver.
    pub exec: &'a [String],
}

/// Permissions of an agent that works without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approval {
    /// It edits files of the workspace and runs what its sandbox or the user's own rules allow.
    #[default]
    Workspace,
    /// Nothing is asked or confined.
    Full,
}

/// Process to start in the worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// Program, looked up in `PATH`; empty where the `command` driver has none.
    pub program: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Variables set in addition to those the process inherits.
    pub env: Vec<(String, String)>,
    /// The prompt goes to standard input, which is then closed.
    pub stdin: bool,
}

impl Launch {
    fn new(program: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: env.iter().map(owned).collect(),
            stdin: true,
        }
    }

    /// Adds `--option=value` unless the value is empty. Joined, a value that begins with a dash stays a value.
    fn option(mut self, option: &str, value: &str) -> Self {
        if !value.is_empty() {
            self.args.push(format!("{option}={value}"));
        }
        self
    }

    /// Adds the option that continues a conversation, or else the one that names a new one.
    fn session(self, settings: &TurnSettings<'_>, resume: &str, new_session: &str) -> Self {
        match (plain_id(settings.resume), plain_id(settings.new_session)) {
            (Some(id), _) => self.option(resume, id),
            (None, Some(id)) if !new_session.is_empty() => self.option(new_session, id),
            _ => self,
        }
    }
}

/// The id, if it holds only characters that no shell and no argument parser acts on.
fn plain_id(id: &str) -> Option<&str> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.:".contains(&b);
    let fits = (1..=MAX_SESSION).contains(&id.len()) && !id.starts_with('-');
    (fits && id.bytes().all(is_plain)).then_some(id)
}

/// Abilities of an agent that not every one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// It continues a conversation by id.
    pub resume: bool,
    /// A new conversation gets the id that the caller chooses.
    pub new_session: bool,
    /// It reports tokens.
    pub usage: bool,
    /// Its tokens are those of the conversation so far: what earlier turns of the same conversation reported has to
    /// be subtracted.
    pub usage_of_conversation: bool,
    /// It reports its cost.
    pub cost: bool,
    /// The model can be chosen.
    pub model_select: bool,
    /// The reasoning effort can be chosen.
    pub effort_select: bool,
}

/// Version of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Finds the first `MAJOR.MINOR.PATCH` in a text.
    pub fn parse(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .find_map(|word| {
                let mut parts = word.split('.').map(str::parse);
                let mut part = || parts.next()?.ok();
                Some(Self(part()?, part()?, part()?))
            })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Command that prints an agent's version, and the versions whose arguments and output are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Program; empty where there is nothing to probe.
    pub program: &'static str,
    /// Arguments.
    pub args: &'static [&'static str],
    /// Oldest version that takes the arguments.
    pub oldest: Version,
    /// Newest version that was driven.
    pub tested: Version,
}

/// Relation of an installed version to the known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Its arguments and output are known.
    Known,
    /// Newer than what was driven; most likely it works.
    Newer,
    /// It does not take the arguments.
    TooOld,
}

impl Probe {
    const fn new(program: &'static str, oldest: Version, tested: Version) -> Self {
        Self {
            program,
            args: &["--version"],
            oldest,
            tested,
        }
    }

    /// Finds the version in the output of the command.
    pub fn version(&self, output: &str) -> Option<Version> {
        Version::parse(output)
    }

    /// Compares an installed version with the known ones.
    pub fn fit(&self, version: Version) -> Fit {
        if version < self.oldest {
            Fit::TooOld
        } else if version > self.tested {
            Fit::Newer
        } else {
            Fit::Known
        }
    }
}

/// Agent that works through one prompt without a person.
pub trait Driver: Send + Sync {
    /// Name in tickets and settings.
    fn name(&self) -> &'static str;

    /// Abilities.
    fn capabilities(&self) -> Capabilities;

    /// Command that prints the version.
    fn probe(&self) -> Probe;

    /// Process for one turn.
    fn launch(&self, settings: &TurnSettings<'_>) -> Launch;

    /// Lets a confined agent commit: git's directory of the worktree and the one shared by all worktrees, absolute.
    /// Where these have to be opened to it, it can change the repository's hooks, too. Nothing to do where commits are
    /// allowed anyway.
    fn allow_commits(&self, _launch: &mut Launch, _git_dirs: &[&str]) {}

    /// Reader of that process's standard output.
    fn reader(&self) -> Box<dyn Reader + Send>;
}

/// Rules of a time zone by its name (`Europe/Berlin`), or of this machine's by the empty name.
pub type Zones = fn(name: &str) -> Option<TimeZone>;

/// Reader of one turn; its memory is bounded whatever it reads.
pub trait Reader {
    /// Sets the time zones in which agents say when a limit ends; without them only UTC and absolute times are known.
    fn set_zones(&mut self, _zones: Zones) {}

    /// Takes a line of standard output at a time in seconds since the Unix epoch.
    fn line(&mut self, line: &str, now: i64) -> Option<Progress>;

    /// Judges the turn by what was read and by the end of the process. `interrupted` says that the caller ended it.
    fn finish(
        self: Box<Self>,
        exit: Exit,
        stderr_tail: &str,
        interrupted: bool,
        now: i64,
    ) -> TurnReport;
}

/// End of a process; both are absent where it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exit {
    /// Exit status.
    pub code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
}

/// Sign of life of an agent: one short line, safe to show.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The agent said something.
    Message(String),
    /// A tool was called.
    Tool {
        /// The agent's name of the tool.
        name: String,
        /// Command, path or the like; may be empty.
        summary: String,
    },
    /// Tokens so far.
    Usage(Usage),
    /// Anything else for a person, such as a retry or a line that is no event.
    Notice(String),
}

impl Progress {
    /// A message; nothing where it is blank.
    fn message(text: &str) -> Option<Self> {
        short(text).map(Self::Message)
    }

    /// A call of a tool.
    fn tool(name: &str, summary: &str) -> Option<Self> {
        let summary = short(summary).unwrap_or_default();
        short(name).map(|name| Self::Tool { name, summary })
    }

    /// A notice; nothing where it is blank.
    fn notice(text: &str) -> Option<Self> {
        short(text).map(Self::Notice)
    }
}

/// One line of at most [`MAX_PROGRESS`] characters; nothing where the text is blank.
fn short(text: &str) -> Option<String> {
    // Four bytes are the longest character; twice that leaves room for white space that collapses.
    let line = shown::line(cut(text, 8 * MAX_PROGRESS), MAX_PROGRESS);
    (!line.is_empty()).then_some(line)
}

/// The first `limit` bytes of a text, less what is left of a character there.
fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

static DRIVERS: &[&dyn Driver] = &[
    &claude::Claude,
    &codex::Codex,
    &gemini::Gemini,
    &opencode::OpenCode,
    &copilot::Copilot,
    &command::Command,
];

/// Every driver.
pub fn drivers() -> impl Iterator<Item = &'static dyn Driver> {
    DRIVERS.iter().copied()
}

/// Finds a driver by name.
pub fn driver(name: &str) -> Option<&'static dyn Driver> {
    drivers().find(|driver| driver.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "11111111-1111-4111-8111-111111111111";

    #[test]
    fn approving_everything_is_asked_for_only_with_full_approval() {
        let flags = ["dangerously", "bypass", "yolo", "--auto", "allow-all"];
        let approves = |driver: &dyn Driver, approval| {
            let settings = TurnSettings {
                approval,
                ..TurnSettings::default()
            };
            let launch = driver.launch(&settings);
            let said = launch.args.join(" ");
            flags.iter().any(|flag| said.contains(flag))
        };
        for driver in drivers().filter(|driver| driver.name() != "command") {
            assert!(!approves(driver, Approval::Workspace), "{}", driver.name());
            assert!(approves(driver, Approval::Full), "{}", driver.name());
        }
    }

    #[test]
    fn commits_are_allowed_and_nothing_else() {
        let added = |driver: &dyn Driver| {
            let before = driver.launch(&TurnSettings::default());
            let mut launch = before.clone();
            driver.allow_commits(&mut launch, &["/r/.git", "/r/.git/worktrees/w"]);
            assert_eq!(
                launch.args.last() == before.args.last(),
                !["claude", "gemini", "copilot"].contains(&driver.name())
            );
            launch.args.retain(|arg| !before.args.contains(arg));
            launch.args
        };
        let table: &[(&str, &[&str])] = &[
            (
                "claude",
                &["--allowedTools=Bash(git add *),Bash(git commit *)"],
            ),
            (
                "codex",
                &[
                    r#"--config=sandbox_workspace_write.writable_roots=["/r/.git","/r/.git/worktrees/w"]"#,
                ],
            ),
            (
                "gemini",
                &[
                    "--allowed-tools=run_shell_command(git add)",
                    "--allowed-tools=run_shell_command(git commit)",
                ],
            ),
            ("opencode", &[]),
            (
                "copilot",
                &[
                    "--allow-tool=shell(git add)",
                    "--allow-tool=shell(git commit)",
                ],
            ),
            ("command", &[]),
        ];
        for (name, args) in table {
            assert_eq!(added(driver(name).unwrap()), *args, "{name}");
        }
    }

    #[test]
    fn values_of_tickets_never_become_options() {
        let settings = TurnSettings {
            model: "--yolo",
            reasoning: "--yolo",
            resume: "--yolo",
            new_session: "--yolo",
            ..TurnSettings::default()
        };
        for driver in drivers() {
            let launch = driver.launch(&settings);
            assert!(
                !launch.args.iter().any(|arg| arg == "--yolo"),
                "{:?}",
                launch.args
            );
        }
    }

    #[test]
    fn a_conversation_is_continued_by_its_id_or_begun_with_the_chosen_one() {
        for driver in drivers().filter(|driver| driver.name() != "command") {
            let has_id = |resume, new_session| {
                let launch = driver.launch(&TurnSettings {
                    resume,
                    new_session,
                    ..TurnSettings::default()
                });
                launch.args.iter().any(|arg| arg.ends_with(UUID))
            };
            assert!(has_id(UUID, ""), "{}", driver.name());
            assert_eq!(has_id("", UUID), driver.capabilities().new_session);
        }
    }

    #[test]
    fn versions_are_found_in_the_output_of_every_agent() {
        let found = [
            ("2.1.332 (Claude Code)", Version(2, 1, 332)),
            ("WARNING: no PATH\ncodex-cli 0.171.0", Version(0, 171, 0)),
            (
                "GitHub Copilot CLI 1.0.102.\nRun 'copilot",
                Version(1, 0, 102),
            ),
            ("0.61.0-nightly.20260925", Version(0, 61, 0)),
        ];
        for (output, version) in found {
            assert_eq!(Version::parse(output), Some(version));
        }
        assert_eq!(Version::parse("no version 1.2"), None);
        let probe = driver("codex").unwrap().probe();
        assert_eq!(probe.fit(Version(0, 1, 0)), Fit::TooOld);
        assert_eq!(probe.fit(probe.tested), Fit::Known);
        assert_eq!(probe.fit(Version(9, 0, 0)), Fit::Newer);
    }
}
