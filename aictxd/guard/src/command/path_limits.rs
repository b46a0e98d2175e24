//! Limits in commands whose files no other rule follows: formatters, git, moves of
//! whole directories, lists that another program makes, patches, programs for interpreters.
//!
//! A command counts when it writes what it is given. Which do is a table; whatever is not in it only
//! reads, as tests and compilers do.

use std::sync::LazyLock;

use aictx_proto::path::Located;
use aictx_shell::{ByName, SimpleCommand, Word};

use super::environment::Limit;
use super::options::{has_option, operands_of, value_of};
use super::report::What;
use super::symlinks::{Last, Way};
use super::{Call, Judge, Kind, Level, Tier, in_place_edit, table};
use crate::finding_codes::{self, Code};
use crate::policy::Say;

mod packages;
mod texts;
mod whole;

pub(super) use texts::program;
use texts::{patched, scripted};

/// Words of one command, or literals of one program, that are looked at.
const MAX_WORDS: usize = 256;

/// Programs that write the files they are given; all of them when told so by one of these options or
/// verbs, where there are some.
const WRITERS: &[(&str, &[&str])] = &[
    ("autoflake", &["-i", "--in-place"]),
    ("autopep8", &["-i", "--in-place"]),
    ("biome", &["--write", "--apply", "--fix"]),
    ("black", &[]),
    ("chmod", &[]),
    ("chown", &[]),
    ("clang-format", &["-i"]),
    ("clang-tidy", &["--fix", "-fix"]),
    ("codemod", &[]),
    ("dart", &["format", "fix"]),
    ("ed", &[]),
    ("eslint", &["--fix"]),
    ("ex", &[]),
    ("gofmt", &["-w"]),
    ("gofumpt", &["-w"]),
    ("goimports", &["-w"]),
    ("gsed", &["-i", "--in-place"]),
    ("install", &[]),
    ("isort", &[]),
    ("jscodeshift", &[]),
    ("ktlint", &["-F", "--format"]),
    ("mix", &["format"]),
    ("mv", &[]),
    ("nixfmt", &[]),
    ("nixpkgs-fmt", &[]),
    ("patch", &[]),
    ("perl", &["-i*", "-pi*", "-ni*"]),
    ("php-cs-fixer", &["fix"]),
    ("phpcbf", &[]),
    ("prettier", &["--write", "-w"]),
    ("pyupgrade", &[]),
    ("rename", &[]),
    ("rm", &[]),
    ("rmdir", &[]),
    (
        "rubocop",
        &["-a", "-A", "-x", "--autocorrect*", "--auto-correct*"],
    ),
    ("ruby", &["-i*", "-pi*"]),
    ("ruff", &["format", "--fix", "--fix-only"]),
    ("rustfmt", &[]),
    ("sd", &[]),
    ("sed", &["-i*", "--in-place*"]),
    ("shfmt", &["-w"]),
    ("shred", &[]),
    ("sort", &["-o*", "--output*"]),
    ("sponge", &[]),
    ("standardrb", &["--fix"]),
    ("stylelint", &["--fix"]),
    ("swiftformat", &[]),
    ("swiftlint", &["--fix"]),
    ("tar", &["x*", "-x*", "--extract", "--get"]),
    ("terraform", &["fmt"]),
    ("touch", &[]),
    ("truncate", &[]),
    ("unlink", &[]),
    ("unzip", &[]),
    ("vim", &["-es", "-e", "-c"]),
    ("yapf", &["-i", "--in-place"]),
];

/// The same by name: every call is looked up.
static OPTIONS_OF: LazyLock<ByName<&'static [&'static str]>> =
    LazyLock::new(|| WRITERS.iter().copied().collect());

/// Subcommands of git that write the paths they are given.
const GIT_WRITES: &[&str] = &["checkout", "restore", "rm", "mv", "stash"];

/// Runs what a command writes through what must be left alone.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    if !judge.facts.has_limits() || call.command.remote {
        return;
    }
    let (name, arguments) = (call.name, call.arguments());
    // `python -m black x` is `black x`.
    let python = call
        .program
        .interpreter
        .is_some_and(|known| known.name == "python");
    let mut options = arguments
        .iter()
        .take_while(|word| word.text.starts_with('-'));
    if python && let Some(at) = options.position(|word| word.text == "-m") {
        let command = SimpleCommand {
            words: arguments.get(at + 1..).unwrap_or_default().to_vec(),
            ..call.command.clone()
        };
        // A module of the table is no interpreter, so this ends here.
        let name = command.name();
        let program = table::program(name);
        if program.interpreter.is_none() {
            let module = Call {
                command: &command,
                name,
                program,
                ..call
            };
            self::judge(judge, module);
        }
        return;
    }
    if matches!(name, "sed" | "gsed" | "awk" | "gawk" | "mawk" | "nawk") {
        scripted(judge, call);
    }
    packages::judge(judge, call);
    whole::judge(judge, call);
    match name {
        "find" | "fd" | "fdfind" => found(judge, call),
        "cp" | "rsync" => contents_into(judge, call),
        "apply_patch" | "applypatch" => patched(judge, call),
        "git" => in_git(judge, call),
        _ if writes(name, arguments) => {
            // The script of `sed` is no file.
            let script = match name {
                "sed" | "gsed" => in_place_edit::script_at(arguments),
                _ => None,
            };
            let (before, behind) = match script {
                Some(at) => (arguments.get(..at), arguments.get(at + 1..)),
                None => (Some(arguments), None),
            };
            touched(judge, call, before.unwrap_or_default(), name);
            touched(judge, call, behind.unwrap_or_default(), name);
            if name == "patch" {
                patched(judge, call);
            }
            listed(judge, call);
        }
        _ => {}
    }
}

/// Checks paths that git writes, in the directory that it is told to work in.
fn in_git(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let verb = operands_of(call.program.valued, arguments)
        .words
        .first()
        .copied();
    let verb = verb.unwrap_or_default();
    let index_only =
        has_option(arguments, &["--staged"]) && !has_option(arguments, &["--worktree"]);
    if GIT_WRITES.contains(&verb) && !index_only {
        match value_of(arguments, &["-C"]).filter(|dir| !dir.unknown) {
            Some(dir) => {
                let words = arguments.iter().take(MAX_WORDS);
                let below = words.map(|word| match word.text.starts_with(['-', '/', '~']) {
                    true => word.clone(),
                    false => Word {
                        text: format!("{}/{}", dir.text, word.text).into(),
                        ..word.clone()
                    },
                });
                let words: Vec<Word> = below.collect();
                touched(judge, call, &words, call.name);
            }
            None => touched(judge, call, arguments, call.name),
        }
    }
    if matches!(verb, "apply" | "am") {
        patched(judge, call);
    }
}

/// Options that let a formatter tell what it would change.
const TELLS: &[&str] = &[
    "--check",
    "--check-only",
    "--check-formatted",
    "--diff",
    "--dry-run",
    "--dryrun",
    "--lint",
    "--list-different",
    "--help",
    "--version",
    "-check",
    "-d",
    "-l",
];

/// Formatters, for which [`TELLS`] holds; of `-d` and `-l` those that know them.
const FORMATTERS: &[&str] = &[
    "autopep8",
    "black",
    "clang-format",
    "gofmt",
    "gofumpt",
    "goimports",
    "isort",
    "mix",
    "nixfmt",
    "nixpkgs-fmt",
    "patch",
    "php-cs-fixer",
    "prettier",
    "ruff",
    "rustfmt",
    "shfmt",
    "swiftformat",
    "terraform",
    "yapf",
];

fn only_tells(name: &str, arguments: &[Word]) -> bool {
    let short = matches!(name, "gofmt" | "gofumpt" | "goimports" | "shfmt" | "yapf");
    let mut given = arguments.iter().take(MAX_WORDS);
    FORMATTERS.contains(&name)
        && given.any(|word| {
            TELLS.contains(&word.text.as_str()) && (short || !matches!(&*word.text, "-d" | "-l"))
        })
}

/// Returns true if a program writes the files it is given.
fn writes(name: &str, arguments: &[Word]) -> bool {
    let Some(told) = OPTIONS_OF.get(name).copied() else {
        return false;
    };
    if only_tells(name, arguments) {
        // Told to tell and to write, they do both; one of them does not.
        return name != "clang-format" && has_option(arguments, told);
    }
    let says = |word: &Word| {
        told.iter().any(|way| match way.strip_suffix('*') {
            Some(start) => word.text.starts_with(start),
            None => word.text == *way,
        })
    };
    told.is_empty() || arguments.iter().take(MAX_WORDS).any(says) || has_option(arguments, told)
}

/// Every word that names something which must be left alone, or holds it.
fn touched(judge: &mut Judge, call: Call, words: &[Word], verb: &str) {
    for word in words.iter().take(MAX_WORDS) {
        // `--output=FILE`
        let text = match word.text.strip_prefix('-') {
            Some(option) => option.split_once('=').map_or("", |(_, value)| value),
            None => word.text.as_str(),
        };
        let text = if word.unknown { known_part(text) } else { text };
        if let Some(limit) = limit_on(judge, call, text) {
            judge.off_limits(&limit, verb, text);
        }
    }
}

/// The directory in which something is written whose name only a variable tells: `src/` of `src/$f`.
pub(super) fn known_part(text: &str) -> &str {
    let known = text.split(['$', '`']).next().unwrap_or_default();
    let end = known.rfind('/').unwrap_or(0);
    known.get(..end).unwrap_or_default()
}

/// Returns the limit on writing the path of a word, if it names anything of the repository; by the name
/// that it has there and by where links lead from it. A file that is there is taken as written.
pub(super) fn limit_on(judge: &Judge, call: Call, text: &str) -> Option<Limit> {
    if text.is_empty() {
        return None;
    }
    let dir = call.command.dir.as_deref();
    if let Some(Located::Inside(path)) = judge.way(dir, text, Last::Followed).located()
        && judge.facts.path(path).directory == Some(false)
    {
        judge.facts.edits(path);
    }
    limit_of(judge, call, text)
}

/// The same of what may only be read.
fn limit_of(judge: &Judge, call: Call, text: &str) -> Option<Limit> {
    if text.is_empty() {
        return None;
    }
    let last = match call.name {
        "rm" | "rmdir" | "unlink" | "mv" => Last::Itself,
        _ => Last::Followed,
    };
    let dir = call.command.dir.as_deref();
    let way = judge.way(dir, text, last);
    let found = limit_at(judge, way.located(), way.text()).or_else(|| limit_there(judge, &way));
    // By the name that it has there, and by the one that was given.
    let named = || limit_at(judge, judge.place.locate(dir, text).as_ref(), text);
    match way.led() {
        Some(_) => found.or_else(named),
        None => found,
    }
}

/// The same of what lies in another worktree.
fn limit_there(judge: &Judge, way: &Way) -> Option<Limit> {
    match way.located() {
        Some(Located::Outside(_)) => judge.limit_elsewhere(way.absolute(judge.place)),
        _ => None,
    }
}

fn limit_at(judge: &Judge, located: Option<&Located>, text: &str) -> Option<Limit> {
    let Some(Located::Inside(path)) = located else {
        return None;
    };
    let facts = judge.facts;
    if let Some(limit) = facts.limit(path) {
        // Outside of what is allowed lies every word: one that is no path is none.
        let there = limit != Limit::Outside || facts.path(path).exists == Some(true);
        if there {
            return Some(limit);
        }
    }
    let pattern = text.contains(['*', '?', '[']);
    facts
        .limit_below(path)
        .or_else(|| pattern.then(|| facts.limit_like(path.as_str())).flatten())
}

/// `find src -name '*.py' -exec sed -i … {} +`
fn found(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let runs = arguments.iter().enumerate().any(|(at, word)| {
        let rest = arguments.get(at + 1..).unwrap_or_default();
        match word.text.as_str() {
            "-exec" | "-execdir" | "-ok" | "-x" | "-X" | "--exec" | "--exec-batch" => rest
                .first()
                .is_some_and(|program| writes(program.program(), rest)),
            _ => false,
        }
    });
    if !runs && !super::find_predicates::deletes(arguments) {
        return;
    }
    let name = arguments.windows(2).find_map(|pair| match pair {
        [option, name] if matches!(option.text.as_str(), "-name" | "-iname") => {
            Some(name.text.as_str())
        }
        _ => None,
    });
    let mut roots: Vec<&str> = arguments
        .iter()
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
        .map(|word| word.text.as_str())
        .collect();
    if roots.is_empty() {
        roots.push(".");
    }
    for root in roots.into_iter().take(MAX_WORDS) {
        let dir = call.command.dir.as_deref();
        let way = judge.way(dir, root, Last::Followed);
        let Some(Located::Inside(path)) = way.located() else {
            if let Some(limit) = limit_there(judge, &way) {
                judge.off_limits(&limit, call.name, root);
            }
            continue;
        };
        let facts = judge.facts;
        let inside = || match name {
            None => facts.limit_below(path),
            Some(name) if path.is_root() => facts.limit_like(&format!("**/{name}")),
            Some(name) => facts.limit_like(&format!("{path}/**/{name}")),
        };
        if let Some(limit) = facts.limit(path).or_else(inside) {
            judge.off_limits(&limit, call.name, root);
        }
    }
}

/// `grep -rl x migrations | xargs sed -i …`: what the programs before it were given.
fn listed(judge: &mut Judge, call: Call) {
    let commands = &call.script.commands;
    // `sed -i … $(git ls-files src)`
    let words = call.arguments().iter().take(MAX_WORDS);
    let inner = words.filter_map(|word| word.inner).flat_map(|(from, to)| {
        commands
            .get(from as usize..to as usize)
            .unwrap_or_default()
            .iter()
            .take(4)
    });
    let before = match call.command.fed {
        true => commands.get(..call.segment).unwrap_or_default(),
        false => &[],
    };
    for command in before.iter().rev().take(4).chain(inner) {
        let (skipped, lists) = match command.name() {
            "printf" | "echo" => (0, false),
            "ls" | "find" => (0, true),
            "grep" | "rg" | "ag" | "ack" | "fd" => (1, true),
            "git" => {
                let mut words = command.arguments().iter();
                let verb = words.find(|word| !word.text.starts_with('-'));
                match verb.map_or("", |verb| verb.text.as_str()) {
                    "ls-files" => (1, true),
                    // The pattern is no path.
                    "grep" => (2, true),
                    _ => (1, false),
                }
            }
            _ => continue,
        };
        let read = Call { command, ..call };
        touched(judge, read, command.arguments(), "xargs");
        let operands = command.arguments().iter();
        let mut named = operands
            .filter(|word| !word.text.starts_with('-'))
            .skip(skipped);
        if !lists {
            continue;
        }
        // Where no place is named it is the directory that it runs in; patterns of git reach below it.
        match named.next() {
            None => touched(judge, read, &[Word::plain(".")], "xargs"),
            Some(first) if command.name() == "git" => {
                let patterns = std::iter::once(first).chain(named).take(MAX_WORDS);
                let below: Vec<Word> = patterns
                    .filter(|word| word.text.starts_with('*'))
                    .map(|word| Word::plain(format!("**/{}", word.text)))
                    .collect();
                touched(judge, read, &below, "xargs");
            }
            Some(_) => {}
        }
    }
}

/// `rsync -a x/ src/`, `cp -r x/. src`: what is in a directory is written over what is in another.
fn contents_into(judge: &mut Judge, call: Call) {
    let operands = call.arguments().iter();
    let operands: Vec<&Word> = operands
        .filter(|word| !word.text.starts_with('-'))
        .take(MAX_WORDS)
        .collect();
    let Some((into, sources)) = operands.split_last() else {
        return;
    };
    let contents = |word: &&Word| {
        let ends = ["/.", "/*"].iter().any(|end| word.text.ends_with(end));
        ends || (call.name == "rsync" && word.text.ends_with('/'))
    };
    let dry = has_option(call.arguments(), &["-n", "--dry-run"]) && call.name == "rsync";
    if !dry && sources.iter().any(contents) {
        touched(judge, call, std::slice::from_ref(*into), call.name);
    }
}

impl Judge<'_> {
    /// Reports a write to a protected path.
    pub(super) fn off_limits(&mut self, limit: &Limit, verb: &str, target: &str) {
        let (code, tier): (&'static Code, Tier) = match limit {
            Limit::Forbidden | Limit::Outside => {
                (&finding_codes::FORBIDDEN_BY_USER, Tier::Destructive)
            }
            Limit::Policy(Say::Deny, _) => (&finding_codes::POLICY_DENIES, Tier::Destructive),
            Limit::Policy(..) => (&finding_codes::POLICY_ASKS, Tier::Risky),
        };
        let said = self.risk.findings.iter().any(|known| {
            known.warning.code == code.code && known.targets.iter().any(|have| have == target)
        });
        if said {
            return;
        }
        let what = What {
            asks: false,
            code,
            kind: Kind::Overwrite,
            tier,
            level: Level::Destructive,
            reversible: false,
        };
        let whose = match limit {
            Limit::Policy(_, whose) => Some(whose.clone()),
            Limit::Forbidden | Limit::Outside => self.facts.limit_words(),
        };
        let whose = whose.as_deref();
        self.add(what, verb, [target].into_iter().chain(whose));
    }
}
