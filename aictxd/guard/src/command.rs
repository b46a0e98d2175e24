//! What a command line would do to things that do not come back.
//!
//! Works on the structure of [`aictx_shell`]; what programs mean is data in [`table`].

mod command_valued_options;
mod containers;
mod cron;
mod delete;
mod destructive_names;
mod effect;
mod embedded_programs;
mod environment;
mod fast_path;
mod file_writers;
mod find_predicates;
mod git;
mod http_request;
mod in_place_edit;
mod inline_code;
mod interactive_input;
mod interpreter_argv;
mod irreplaceable_files;
mod long_option_prefix;
mod minor_effects;
mod options;
mod outside_repo;
mod path_limits;
mod path_target;
mod policy_match;
mod process_and_http;
mod redirects;
mod report;
mod rule_match;
mod scratch_dir;
mod script_targets;
mod secrets;
mod sql;
mod stdin_source;
mod symlinks;
mod table;
mod truncation;
mod unknown_wrapper;
mod verb_heuristics;
mod windows;

use std::cell::{Cell, OnceCell, RefCell};

use aictx_proto::methods::guard::GuardWarning;
use aictx_shell::{Dialect, Role, Script, SimpleCommand, Word};

pub use effect::{Kind, Kinds, Level};
pub use environment::{Facts, Known, Limit, MAX_TEXT, MemoryFacts, NoFacts};
pub use irreplaceable_files::is_precious;
use options::has_option;
pub(crate) use outside_repo::is_agents_own;
pub use path_target::{Place, is_made_again};
use report::What;

/// Findings of one command line.
const MAX_FINDINGS: usize = 32;
/// Targets named in one finding.
const MAX_TARGETS: usize = 8;
/// Other values of variables that are judged in one script, of commands of so many bytes; fewer of longer
/// ones.
const MAX_VARIANTS: usize = 1024;
const MIN_VARIANT: usize = 64;
/// Aliases of one line that are remembered.
const MAX_ALIASES: usize = 16;
/// Bytes of an alias that is followed, and how often one line is: both keep the time linear.
const MAX_ALIAS: usize = 1024;
const MAX_ALIAS_USES: u8 = 32;
/// Commands before or behind a call that are looked at for what it means: enough for what people write,
/// and all stays linear.
const MAX_BACK: usize = 64;
/// Scripts inside scripts (text piped into a shell, commands for a container).
const MAX_INNER: u8 = 4;
/// How many of them one line may have; of more, nobody can tell in time.
const MAX_SCRIPTS: u16 = 256;

/// How bad it can get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Tier {
    /// Nothing to say.
    #[default]
    Plain,
    /// Worth a thought; can be repaired.
    Risky,
    /// Loses data, rewrites what others share, or touches what is off limits.
    Destructive,
    /// Loses the repository, the home or the machine, or runs foreign code.
    Catastrophic,
}

/// One thing a command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFinding {
    /// Code, severity, sentence, and verb and targets as evidence.
    pub warning: GuardWarning,
    /// How bad, as far as the text tells.
    pub tier: Tier,
    /// How bad it may be.
    pub level: Level,
    /// What happens.
    pub kind: Kind,
    /// It can be taken back with what is on this machine.
    pub reversible: bool,
    /// A hook asks the user about it, however mild it is.
    pub asks: bool,
    /// Program and options that decide, such as `git reset --hard`.
    pub verb: String,
    /// What it would hit, as written, at most 8.
    pub targets: Vec<String>,
    /// Which simple command of the line, as a POSIX shell reads it, brings it about; also for what a
    /// script it runs would do. `None` when no single one does.
    pub segment: Option<usize>,
}

/// Judgement of a whole command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRisk {
    /// The worst of all findings.
    pub tier: Tier,
    /// In order of the commands, at most 32.
    pub findings: Vec<CommandFinding>,
    /// The whole text could be read.
    pub parsed: bool,
    /// Something is deleted, be it worth a finding or not.
    pub deletes: bool,
    /// Every command that would run, also those of files and inside others, in the forms that a policy may name it
    /// by; where [`Facts::minds_commands`].
    pub runs: Vec<String>,
    /// What it does that is worth no finding, and which simple command of the line does it; of the kinds that
    /// [`Facts::minded`].
    pub quiet: Vec<(Kind, Option<usize>)>,
}

/// Returns true if a path names a file of secrets.
pub(crate) fn is_secret_path(path: &str) -> bool {
    secrets::is_secret(path)
}

impl CommandRisk {
    fn empty() -> Self {
        Self {
            tier: Tier::Plain,
            findings: Vec::new(),
            parsed: true,
            deletes: false,
            runs: Vec::new(),
            quiet: Vec::new(),
        }
    }
}

/// Judges a command line. Pure and linear in the length of the command.
pub fn command_risk(command: &str, place: Place, facts: &dyn Facts) -> CommandRisk {
    command_risk_in(command, Dialect::Posix, place, facts)
}

/// [`command_risk`] of a line whose shell is known. A line for PowerShell or `cmd` is read as one of a
/// POSIX shell, too: agents write both into either.
pub fn command_risk_in(
    command: &str,
    dialect: Dialect,
    place: Place,
    facts: &dyn Facts,
) -> CommandRisk {
    judged(command, dialect, place, facts, true)
}

/// The same, where most of the rules are passed over for what is plainly harmless, as is usual, or asked all the same.
fn judged(
    command: &str,
    dialect: Dialect,
    place: Place,
    facts: &dyn Facts,
    quick: bool,
) -> CommandRisk {
    let mut judge = Judge::new(place, facts, quick);
    let script = aictx_shell::analyse(command, Dialect::Posix);
    judge.windows = dialect == Dialect::Windows || windows::is_spoken(&script);
    judge.script(&script);
    if judge.windows {
        let script = aictx_shell::analyse(command, Dialect::Windows);
        judge.dialect = Dialect::Windows;
        judge.script(&script);
    }
    judge.segment = None;
    let spoken = judge.windows;
    windows::judge_net(&mut judge, command, spoken);
    if is_fork_bomb(command, &script) {
        judge.hit(None, Kind::ProcessKill, Tier::Catastrophic, "fork bomb", []);
    }
    judge.risk
}

/// The judge at work on one command line.
struct Judge<'a> {
    place: Place<'a>,
    /// Where in the repository the line starts.
    base: Option<&'a str>,
    facts: &'a dyn Facts,
    /// What is plainly harmless is passed over.
    quick: bool,
    /// So are ordinary calls.
    acquits: bool,
    /// Kinds of effects that are kept however mild they are.
    minded: Kinds,
    risk: CommandRisk,
    inner: u8,
    /// The simple command of the line itself that is being judged.
    segment: Option<usize>,
    /// How the line itself is read.
    dialect: Dialect,
    /// It is read in both ways.
    windows: bool,
    /// How many of the findings are what files say that were followed.
    from_files: usize,
    /// Texts from the repository that are being judged.
    called: script_targets::Called,
    /// Names that the line gives to other commands.
    aliases: Vec<(String, String)>,
    /// How often one of them was used.
    alias_uses: u8,
    /// It puts something of value where it makes a new directory.
    brings: bool,
    /// How many programs were looked at closely, bytes of those that were not, and scripts inside scripts.
    programs: u16,
    passed_over: usize,
    scripts: u16,
    /// How many places were looked at for links, and the last directory that no link leads to.
    asked: Cell<u16>,
    straight: RefCell<String>,
    ways: RefCell<symlinks::Ways>,
}

/// A command with its place in the script.
#[derive(Clone, Copy)]
struct Call<'s> {
    script: &'s Script<'s>,
    command: &'s SimpleCommand<'s>,
    /// Name of its program.
    name: &'s str,
    segment: usize,
    /// What the tables know of its program.
    program: &'static table::Program,
    notes: &'s Notes,
}

/// What the calls of one script want to know of its other commands, worked out once somebody asks: each
/// looking by itself would take the square of their number.
#[derive(Default)]
struct Notes {
    writers: OnceCell<script_targets::Writers>,
    bringers: OnceCell<script_targets::Bringers>,
    packed: OnceCell<secrets::Packed>,
}

impl Notes {
    fn writers(&self, script: &Script) -> &script_targets::Writers {
        self.writers
            .get_or_init(|| script_targets::Writers::of(script))
    }

    fn bringers(&self, script: &Script) -> &script_targets::Bringers {
        self.bringers
            .get_or_init(|| script_targets::Bringers::of(script))
    }

    fn packed(&self, script: &Script) -> &secrets::Packed {
        self.packed.get_or_init(|| secrets::Packed::of(script))
    }
}

impl<'s> Call<'s> {
    fn arguments(self) -> &'s [Word<'s>] {
        self.command.arguments()
    }

    /// What the tables know of a program, which almost always is its own.
    fn program_named(self, name: &str) -> &'static table::Program {
        match name == self.name {
            true => self.program,
            false => table::program(name),
        }
    }

    /// The command whose output it reads.
    fn feeder(&self) -> Option<&'s SimpleCommand<'s>> {
        self.script.commands.get(self.command.piped_from?)
    }

    /// Returns true if one of the commands before it in the pipe is among `names`.
    fn fed_by(&self, names: &[&str]) -> bool {
        let mut from = self.command.piped_from;
        for _ in 0..64 {
            let Some(command) = from.and_then(|at| self.script.commands.get(at)) else {
                return false;
            };
            if names.contains(&command.name()) {
                return true;
            }
            from = command.piped_from;
        }
        false
    }

    /// Returns true if a word is made of the output of one of `names`.
    fn holds_output_of(&self, word: &Word, names: &[&str]) -> bool {
        self.script
            .commands
            .get(word.range())
            .unwrap_or_default()
            .iter()
            .any(|command| names.contains(&command.name()))
    }
}

impl<'a> Judge<'a> {
    fn new(place: Place<'a>, facts: &'a dyn Facts, quick: bool) -> Self {
        Self {
            place,
            base: place.base(),
            facts,
            quick,
            acquits: quick && fast_path::may_be(place, facts, facts.minded()),
            minded: facts.minded(),
            risk: CommandRisk::empty(),
            inner: 0,
            segment: None,
            dialect: Dialect::Posix,
            windows: false,
            called: script_targets::Called::default(),
            aliases: Vec::new(),
            alias_uses: 0,
            brings: false,
            from_files: 0,
            programs: 0,
            passed_over: 0,
            scripts: 0,
            asked: Cell::new(0),
            straight: RefCell::default(),
            ways: RefCell::default(),
        }
    }
}

impl Judge<'_> {
    fn script(&mut self, script: &Script) {
        self.risk.parsed &= !script.undecided && !script.unclosed;
        self.brings |= scratch_dir::brings_something(script);
        if script.undecided {
            self.undecidable(Level::Destructive, "", &[]);
        }
        let mut left = MAX_VARIANTS * MIN_VARIANT;
        let notes = Notes::default();
        for (segment, command) in script.commands.iter().enumerate() {
            if self.risk.findings.len() >= MAX_FINDINGS && self.risk.tier == Tier::Catastrophic {
                return;
            }
            if self.inner == 0 && self.called.levels == 0 {
                self.segment = (self.dialect == Dialect::Posix).then_some(segment);
            }
            let words = command.split();
            let read = words.as_ref().unwrap_or(command);
            let spelled = long_option_prefix::written_out(read);
            let read = spelled.as_ref().unwrap_or(read);
            let call = Call {
                script,
                command: read,
                name: read.name(),
                segment,
                program: table::nobody(),
                notes: &notes,
            };
            self.call(call);
            // A variable with several values: each is judged.
            let count = command.variants();
            let size = if count > 0 { command.variant_size() } else { 0 };
            for nth in 0..count {
                let cost = size.max(MIN_VARIANT);
                if cost > left {
                    self.risk.parsed = false;
                    break;
                }
                left -= cost;
                let command = &command.variant(nth);
                let name = command.name();
                self.call(Call {
                    command,
                    name,
                    ..call
                });
            }
        }
    }

    fn call(&mut self, call: Call) {
        if call.command.role == Role::Idle {
            return;
        }
        self.redirects(call);
        // What it does follows.
        if call.command.role == Role::Call {
            return;
        }
        let Some(first) = call.command.words.first() else {
            command_valued_options::settings(self, call, &call.command.assignments);
            return;
        };
        if first.unknown {
            self.unknown_program(call);
            return;
        }
        // `xargs -I{} sh -c '{}'`: what is listed is run.
        if first.text == "{}" && call.command.fed {
            self.undecidable(Level::Destructive, "{}", &[]);
            return;
        }
        // `lerna exec 'rm -rf src'`: one word that holds a whole line.
        if unknown_wrapper::is_line(first) {
            self.inner_script(&first.text, call.command.remote);
            return;
        }
        let name = call.name;
        let call = Call {
            program: table::program(name),
            ..call
        };
        if fast_path::judge(self, call) {
            return;
        }
        if self.facts.minds_commands() {
            policy_match::keep(self, call);
        }
        if !self.minded.is_empty() {
            minor_effects::judge(self, call);
        }
        path_limits::judge(self, call);
        inline_code::printed_to(self, call);
        // Almost no command has any.
        let hands =
            call.program.traits.has(table::Traits::HANDED) || !call.command.assignments.is_empty();
        if call.program.traits.has(table::Traits::DATA) {
            if hands {
                command_valued_options::judge(self, call);
            }
            if matches!(name, "export" | "declare" | "local") {
                command_valued_options::settings(self, call, call.arguments());
            }
            if name == "sort" {
                truncation::sorted(self, call);
            }
            if name == "for" && self.dialect == Dialect::Windows {
                windows::judge(self, call);
            }
            if name == "alias" {
                let given = call
                    .arguments()
                    .iter()
                    .filter_map(|word| word.text.split_once('='));
                let given = given.map(|(name, text)| (name.to_owned(), text.to_owned()));
                self.aliases.extend(given);
                self.aliases.truncate(MAX_ALIASES);
            }
            return;
        }
        let before = self.risk.findings.len();
        let from_files = self.from_files;
        secrets::judge(self, call);
        if embedded_programs::runs_download(call) {
            self.hit(
                Some(call),
                Kind::NetworkExec,
                Tier::Catastrophic,
                "run a download",
                [first.text.as_str()],
            );
            return;
        }
        if name == "git" {
            git::judge(self, call);
        } else if !delete::judge(self, call)
            && !in_place_edit::judge(self, call)
            && !file_writers::judge(self, call)
            && !process_and_http::judge(self, call)
        {
            embedded_programs::judge(self, call);
        }
        // What the line says itself is judged when it is read as those shells read it.
        let again = self.windows && self.dialect == Dialect::Posix && call.command.depth == 0;
        if !again || self.inner > 0 {
            windows::judge(self, call);
        }
        let (others, files) = (self.risk.findings.len(), self.from_files);
        script_targets::judge(self, call);
        // However deep they were followed, they are these.
        self.from_files = files + self.risk.findings.len().saturating_sub(others);
        self.rules(call, name, call.arguments());
        embedded_programs::judge_statements(self, call);
        if hands {
            command_valued_options::judge(self, call);
        }
        unknown_wrapper::lent(self, call);
        unknown_wrapper::sent(self, call);
        self.aliased(call);
        // What a file says of itself takes nothing from what the line says.
        let followed = self.from_files.saturating_sub(from_files);
        let said = self.risk.findings.len().saturating_sub(followed);
        if before == said && before < MAX_FINDINGS {
            verb_heuristics::judge(self, call);
        }
    }

    /// `alias x='rm -rf'; x src`: the words behind an alias belong to its text.
    fn aliased(&mut self, call: Call) {
        let name = call.name;
        let Some((_, text)) = self.aliases.iter().find(|(known, _)| known == name) else {
            return;
        };
        if text.len() > MAX_ALIAS || self.alias_uses >= MAX_ALIAS_USES {
            self.undecidable(Level::Caution, "alias", &[]);
            return;
        }
        let mut text = text.clone();
        self.alias_uses += 1;
        for word in call.arguments() {
            text.push(' ');
            text.push_str(&unknown_wrapper::quoted(&word.text));
        }
        // An alias of its own name would be found again and again.
        let aliases = std::mem::take(&mut self.aliases);
        self.inner_script(&text, call.command.remote);
        self.aliases = aliases;
    }

    /// Judges text that becomes a script of its own.
    fn inner_script(&mut self, text: &str, remote: bool) {
        self.script_within(text, remote, false);
    }

    /// The same when what it works on comes from elsewhere.
    fn fed_script(&mut self, text: &str, remote: bool) {
        self.script_within(text, remote, true);
    }

    fn script_within(&mut self, text: &str, remote: bool, fed: bool) {
        if self.inner >= MAX_INNER || self.scripts >= MAX_SCRIPTS {
            self.undecidable(Level::Destructive, "", &[]);
            return;
        }
        self.inner += 1;
        self.scripts += 1;
        let mut script = aictx_shell::analyse(text, Dialect::Posix);
        if is_fork_bomb(text, &script) {
            self.hit(None, Kind::ProcessKill, Tier::Catastrophic, "fork bomb", []);
        }
        if remote || fed {
            for command in &mut script.commands {
                command.remote |= remote;
                command.fed |= fed;
            }
        }
        self.script(&script);
        self.inner -= 1;
    }

    /// A program that is only known when it runs, with options that only deleting programs take.
    fn unknown_program(&mut self, call: Call) {
        let telling = |word: &Word| {
            matches!(
                word.text.as_str(),
                "-rf" | "-fr" | "-Rf" | "--hard" | "--force"
            )
        };
        if call.arguments().iter().any(telling) {
            self.undecidable(Level::Destructive, "", call.arguments());
        }
    }
}

/// A function that calls itself twice, piped.
fn is_fork_bomb(text: &str, script: &Script) -> bool {
    let head = text.get(..256).unwrap_or(text);
    // Said in a text of another program it is only said.
    let runs = |command: &SimpleCommand| {
        let name = command.name();
        aictx_shell::is_shell(name) || matches!(name, ":" | "eval" | "ssh" | "docker" | "kubectl")
    };
    let said = head.contains("|:&") || head.contains("| : &") || head.contains("|: &");
    if said && script.commands.iter().take(16).any(runs) {
        return true;
    }
    script.commands.iter().take(16).any(|command| {
        let name = command.name();
        let from = command.piped_from.and_then(|at| script.commands.get(at));
        command.words.len() == 1
            && !name.is_empty()
            && from.is_some_and(|from| from.words.len() == 1 && from.name() == name)
            && (head.contains(&format!("{name}()")) || head.contains(&format!("{name} ()")))
    })
}

#[cfg(test)]
#[path = "command/tests.rs"]
mod tests;
