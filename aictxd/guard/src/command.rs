//! What a command line would do to things that do not come back (spec/guard.md §4).
//!
//! Works on the structure of [`aictx_signals::shell`]; what programs mean is data in [`table`].

mod data;
mod delete;
mod git;
mod table;
mod target;

use aictx_proto::methods::guard::GuardWarning;
use aictx_signals::shell::{self, RedirectKind, Script, SimpleCommand, Word};

use crate::codes::{COMMAND_NOT_DECIDABLE, Code, DESTRUCTIVE_COMMAND, ERROR, WARNING};

/// Findings of one command line.
const MAX_FINDINGS: usize = 32;
/// Targets named in one finding.
const MAX_TARGETS: usize = 8;
/// Scripts inside scripts (text piped into a shell, commands for a container).
const MAX_INNER: u8 = 4;

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
    /// How bad.
    pub tier: Tier,
    /// Program and options that decide, such as `git reset --hard`.
    pub verb: String,
    /// What it would hit, as written, at most 8.
    pub targets: Vec<String>,
    /// Index of the simple command.
    pub segment: usize,
}

/// Judgement of a whole command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandRisk {
    /// The worst of all findings.
    pub tier: Tier,
    /// In order of the commands, at most 32.
    pub findings: Vec<CommandFinding>,
}

/// Judges a command line that would run in `cwd` (absolute) of the repository at `root` (absolute).
/// Pure and linear in the length of the command.
pub fn command_risk(command: &str, root: &str, cwd: &str) -> CommandRisk {
    let script = shell::parse(command);
    let mut judge = Judge {
        place: target::Place { root, cwd },
        risk: CommandRisk::default(),
        inner: 0,
    };
    judge.script(&script);
    if is_fork_bomb(command) {
        judge.destructive(0, Tier::Catastrophic, "fork bomb", []);
    }
    judge.risk
}

fn is_fork_bomb(command: &str) -> bool {
    command.contains("|:&") || command.contains("| : &") || command.contains("|: &")
}

/// The judge at work on one command line.
struct Judge<'a> {
    place: target::Place<'a>,
    risk: CommandRisk,
    inner: u8,
}

/// A command with its place in the script.
#[derive(Clone, Copy)]
struct Call<'s> {
    script: &'s Script,
    command: &'s SimpleCommand,
    segment: usize,
}

impl<'s> Call<'s> {
    fn arguments(&self) -> &'s [Word] {
        self.command.arguments()
    }

    /// The command whose output it reads.
    fn feeder(&self) -> Option<&'s SimpleCommand> {
        self.script.commands.get(self.command.piped_from?)
    }

    /// Whether one of the commands before it in the pipe is among `names`.
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

    /// Whether a word is made of the output of one of `names`.
    fn holds_output_of(&self, word: &Word, names: &[&str]) -> bool {
        let (from, to) = word.inner.unwrap_or_default();
        self.script
            .commands
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .any(|command| names.contains(&command.name()))
    }
}

impl Judge<'_> {
    fn script(&mut self, script: &Script) {
        if script.undecided {
            self.add(0, &COMMAND_NOT_DECIDABLE, Tier::Risky, "", []);
        }
        for (segment, command) in script.commands.iter().enumerate() {
            if self.risk.findings.len() >= MAX_FINDINGS && self.risk.tier >= Tier::Destructive {
                return;
            }
            self.call(Call {
                script,
                command,
                segment,
            });
        }
    }

    fn call(&mut self, call: Call) {
        self.redirects(call);
        let Some(first) = call.command.words.first() else {
            return;
        };
        if first.unknown {
            self.unknown_program(call);
            return;
        }
        let name = call.command.name();
        if data::runs_download(call) {
            self.destructive(
                call.segment,
                Tier::Catastrophic,
                "run a download",
                [first.text.as_str()],
            );
            return;
        }
        if table::DATA.contains(&name) {
            return;
        }
        if name == "git" {
            git::judge(self, call);
        } else if !delete::judge(self, call) && !target::judge_writes(self, call) {
            data::judge(self, call);
        }
        self.rules(call, name, call.arguments());
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
            self.undecidable(call.segment, "", call.arguments());
        }
    }

    fn redirects(&mut self, call: Call) {
        let command = call.command;
        for redirect in &command.redirects {
            if !matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
                || command.remote
            {
                continue;
            }
            let sign = if redirect.kind == RedirectKind::Write {
                ">"
            } else {
                ">>"
            };
            if target::is_disk(&redirect.target.text) {
                self.destructive(
                    call.segment,
                    Tier::Catastrophic,
                    sign,
                    [redirect.target.text.as_str()],
                );
                continue;
            }
            let before = self.risk.findings.len();
            self.write_target(call, &redirect.target, sign, target::Touch::Alter);
            // `> file` alone is there to empty it.
            let silent = command.words.is_empty() || matches!(command.name(), ":" | "true");
            let emptied = silent
                || (command.name() == "cat"
                    && command
                        .arguments()
                        .iter()
                        .any(|word| word.text == "/dev/null"));
            if emptied
                && redirect.kind == RedirectKind::Write
                && before == self.risk.findings.len()
                && !redirect.target.text.starts_with("/dev/")
                && command.assignments.is_empty()
            {
                self.destructive(
                    call.segment,
                    Tier::Risky,
                    sign,
                    [redirect.target.text.as_str()],
                );
            }
        }
    }

    /// The table of calls that are known by verbs and options.
    fn rules(&mut self, call: Call, name: &str, arguments: &[Word]) {
        let mut worst: Option<&table::Rule> = None;
        let mut operands: Option<Vec<&str>> = None;
        for rule in table::rules_of(name) {
            let operands = operands.get_or_insert_with(|| operands_of(name, arguments));
            let verbs = rule.verbs.iter().enumerate().all(|(at, verb)| {
                operands
                    .get(at)
                    .is_some_and(|operand| alternative(verb, operand))
            });
            if verbs
                && (rule.with.is_empty() || has_option(arguments, rule.with))
                && !has_option(arguments, rule.unless)
                && worst.is_none_or(|worst| worst.tier < rule.tier)
            {
                worst = Some(rule);
            }
        }
        let Some(rule) = worst.filter(|rule| rule.tier > Tier::Plain) else {
            return;
        };
        let operands = operands.unwrap_or_default();
        let mut verb = name.to_owned();
        for operand in operands.iter().take(rule.verbs.len()) {
            verb.push(' ');
            verb.push_str(operand);
        }
        if let Some(option) = arguments
            .iter()
            .find(|word| has_option(std::slice::from_ref(word), rule.with))
        {
            verb.push(' ');
            verb.push_str(&option.text);
        }
        let targets: Vec<&str> = operands.iter().skip(rule.verbs.len()).copied().collect();
        self.destructive(call.segment, rule.tier, &verb, targets);
    }

    fn destructive<'t>(
        &mut self,
        segment: usize,
        tier: Tier,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        self.add(segment, &DESTRUCTIVE_COMMAND, tier, verb, targets);
    }

    fn undecidable(&mut self, segment: usize, verb: &str, words: &[Word]) {
        let unknown = words
            .iter()
            .filter(|word| word.unknown)
            .map(|word| word.text.as_str());
        self.add(segment, &COMMAND_NOT_DECIDABLE, Tier::Risky, verb, unknown);
    }

    fn add<'t>(
        &mut self,
        segment: usize,
        code: &Code,
        tier: Tier,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        self.risk.tier = self.risk.tier.max(tier);
        let severity = if tier >= Tier::Destructive {
            ERROR
        } else {
            WARNING
        };
        let targets: Vec<String> = targets
            .into_iter()
            .take(MAX_TARGETS)
            .map(str::to_owned)
            .collect();
        let evidence = std::iter::once(verb).chain(targets.iter().map(String::as_str));
        let finding = CommandFinding {
            warning: code.warning(severity, evidence),
            tier,
            verb: verb.to_owned(),
            targets,
            segment,
        };
        if self.risk.findings.len() < MAX_FINDINGS {
            self.risk.findings.push(finding);
        } else if tier >= Tier::Destructive
            && let Some(place) = self
                .risk
                .findings
                .iter_mut()
                .rev()
                .find(|known| known.tier < tier)
        {
            // A full list must not hide the worst.
            *place = finding;
        }
    }

    /// Judges text that becomes a script of its own.
    fn inner_script(&mut self, text: &str, remote: bool) {
        if self.inner >= MAX_INNER {
            self.add(0, &COMMAND_NOT_DECIDABLE, Tier::Risky, "", []);
            return;
        }
        self.inner += 1;
        let mut script = shell::parse(text);
        if remote {
            for command in &mut script.commands {
                command.remote = true;
            }
        }
        self.script(&script);
        self.inner -= 1;
    }
}

/// `a|b*|c` against a word.
fn alternative(pattern: &str, word: &str) -> bool {
    pattern.split('|').any(|one| {
        if let Some(start) = one.strip_suffix('*') {
            word.starts_with(start)
        } else if let Some(end) = one.strip_prefix('*') {
            word.ends_with(end)
        } else {
            one == word
        }
    })
}

/// Words that are neither options nor values of global options.
fn operands_of<'w>(name: &str, arguments: &'w [Word]) -> Vec<&'w str> {
    let valued = table::VALUED
        .iter()
        .find(|(program, _)| *program == name)
        .map_or(&[] as &[&str], |(_, options)| options);
    let mut out = Vec::new();
    let mut skip = false;
    for word in arguments {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.text.starts_with('-') && word.text.len() > 1 {
            // Only options before the verb are global ones.
            skip = out.is_empty() && valued.contains(&word.text.as_str());
            continue;
        }
        out.push(word.text.as_str());
    }
    out
}

/// Whether one of `options` is given. `-f` is found in clusters such as `-xdf`, `--force` also as
/// `--force=x`; words after `--` are no options.
fn has_option(arguments: &[Word], options: &[&str]) -> bool {
    if options.is_empty() {
        return false;
    }
    arguments
        .iter()
        .take_while(|word| word.text != "--")
        .filter(|word| word.text.len() > 1 && word.text.starts_with('-'))
        .any(|word| options.iter().any(|option| is_option(&word.text, option)))
}

fn is_option(text: &str, option: &str) -> bool {
    if text == option {
        return true;
    }
    let mut letters = option.chars();
    if let (Some('-'), Some(letter), None) = (letters.next(), letters.next(), letters.next()) {
        let cluster = text.strip_prefix('-').unwrap_or_default();
        return cluster.len() <= 8
            && cluster.bytes().all(|byte| byte.is_ascii_alphabetic())
            && cluster.contains(letter);
    }
    text.strip_prefix(option)
        .is_some_and(|rest| rest.starts_with('='))
}

#[cfg(test)]
#[path = "command/tests.rs"]
mod tests;
