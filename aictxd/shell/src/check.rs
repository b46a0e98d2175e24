//! Command lines compared: is it a test run, is it the same command, does it cover that one.

mod compare;
mod coverage;
mod dry_run;
mod exit_status_flow;
mod formatter;
mod options;
mod read_only;
mod read_or_check;
mod script_tests;
mod scripts;
mod stash_state;
mod test_launchers;
mod test_names;
mod test_run;
mod test_scope;
mod untestable_files;
mod viewed_files;

pub use coverage::Coverage;
pub use script_tests::{
    calls_a_file, calls_a_script, calls_tests_by_name, ends_as_its_tests, tests_behind,
};
pub use stash_state::{Aside, edits_behind, gives_up, records, sets_aside};
pub use test_scope::{Place, Reach, is_narrowed, language_of, reaches};
pub use untestable_files::is_untested;
pub use viewed_files::viewed;

use std::fmt::Write as _;

use compare::{class, covers};
use test_run::{TestRun, test_run};

use crate::{Joined, RedirectKind, SimpleCommand, Word};

/// Programs at the end of a pipe that only shorten or copy what comes in.
const FILTERS: &[&str] = &["tail", "head", "cat", "tee", "less", "more", "grep", "rg"];

/// The command without what does not change what it does: extra blanks, leading assignments,
/// wrappers (`sudo`, `timeout 60` …), `2>&1` and output thrown away, filters at the end of the
/// pipe. A leading `cd x &&` stays, because it says where. Commands with substitutions, groups or
/// here-documents only get their blanks collapsed.
pub fn normalise_command(command: &str) -> String {
    let script = crate::parse(command);
    let complex = script.undecided
        || script.commands.iter().any(|part| {
            part.depth > 0
                || part.words.is_empty()
                || part.stdin_text().is_some()
                || part.words.iter().any(|word| word.inner.is_some())
        })
        || command.contains(['(', '{', '\n']);
    if complex {
        return command.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut out = String::new();
    for part in without_filters(&script.commands) {
        out.push_str(match part.joined {
            Joined::First => "",
            Joined::Sequence => "; ",
            Joined::And => " && ",
            Joined::Or => " || ",
            Joined::Pipe => " | ",
            Joined::Background => " & ",
        });
        render(&mut out, part);
    }
    out
}

/// Commands without those at the end of a pipe that only shorten or copy what comes in.
fn without_filters<'c, 't>(mut commands: &'c [SimpleCommand<'t>]) -> &'c [SimpleCommand<'t>] {
    while let [before @ .., last] = commands {
        if last.joined != Joined::Pipe || !FILTERS.contains(&last.name()) || before.is_empty() {
            break;
        }
        commands = before;
    }
    commands
}

fn render_words(out: &mut String, command: &SimpleCommand) {
    for (nth, word) in command.words.iter().enumerate() {
        if nth > 0 {
            out.push(' ');
        }
        render_word(out, word);
    }
}

fn render(out: &mut String, command: &SimpleCommand) {
    render_words(out, command);
    for redirect in &command.redirects {
        let sign = match redirect.kind {
            RedirectKind::Read => "<",
            RedirectKind::Write if redirect.target.text != "/dev/null" => ">",
            RedirectKind::Append => ">>",
            _ => continue,
        };
        let _ = write!(out, " {sign} ");
        render_word(out, &redirect.target);
    }
}

fn render_word(out: &mut String, word: &Word) {
    let plain = !word.text.is_empty()
        && word
            .text
            .chars()
            .all(|c| c.is_alphanumeric() || "@%+=:,./-_~*?[]$".contains(c));
    if plain {
        out.push_str(&word.text);
    } else {
        out.push('\'');
        out.push_str(&word.text.replace('\'', "'\\''"));
        out.push('\'');
    }
}

/// A text as one word of a command line.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    render_word(&mut out, &Word::plain(text));
    out
}

/// Returns true if the command line runs tests, judged by the programs it runs. Listing
/// them or compiling them is not running them.
pub fn is_test_command(command: &str) -> bool {
    crate::parse(command)
        .commands
        .iter()
        .any(|part| test_run(part).is_some_and(|run| !run.dry))
}

/// Returns true if the command line changes nothing and checks nothing: searches, listings, `git status`. What
/// cannot be read in full does more than that.
pub fn only_looks(command: &str) -> bool {
    let script = crate::parse(command);
    !script.undecided && script.commands.iter().all(read_only::looks)
}

/// Returns true if the command line finds out how things stand and changes nothing that people made: it runs
/// tests, builds, lints, or looks. What cannot be read in full may do more than that.
pub fn only_checks(command: &str) -> bool {
    let script = crate::parse(command);
    !script.undecided && !script.unclosed && script.commands.iter().all(read_or_check::checks)
}

/// Returns true if the command line lays code out anew (`black a.py`, `cargo fmt && git commit …`) and changes
/// nothing that the code does. What cannot be read in full may do more than that.
pub fn only_formats(command: &str) -> bool {
    let script = crate::parse(command);
    !script.undecided && !script.unclosed && formatter::only_formats(&script.commands)
}

/// Name of the program whose exit status is the command line's: the last one. Empty when there is
/// none.
pub fn command_word(command: &str) -> String {
    let script = crate::parse(command);
    let last = script.commands.iter().rev().find(|part| part.depth == 0);
    last.map(|part| part.name().to_owned()).unwrap_or_default()
}

/// Returns the test program however it is called: `pytest` of `pytest -q` and of `python -m pytest`. Else the
/// [word](command_word).
pub fn tester(command: &str) -> String {
    let script = crate::parse(command);
    let last = script.commands.iter().rev().find(|part| part.depth == 0);
    let run = last.and_then(test_run::test_run);
    match run.filter(|run| run.tool == "pytest") {
        Some(run) => run.tool.to_owned(),
        None => last.map(|part| part.name().to_owned()).unwrap_or_default(),
    }
}

/// The command line without a `cd` to the root in front of it, for what runs at the root anyway.
pub fn at_root<'c>(command: &'c str, root: &str) -> &'c str {
    let behind = || {
        let (target, rest) = match command.trim_start().strip_prefix("cd ")?.trim_start() {
            quoted if quoted.starts_with(['"', '\'']) => {
                let (quote, text) = quoted.split_at(1);
                text.split_once(quote)?
            }
            plain => plain.split_at(plain.find([' ', ';', '&'])?),
        };
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("&&").or_else(|| rest.strip_prefix(';'))?;
        let rest = rest.trim_start();
        let there = target == "." || target.trim_end_matches('/') == root.trim_end_matches('/');
        (there && !rest.is_empty()).then_some(rest)
    };
    behind().unwrap_or(command)
}

/// Returns true if the command line can succeed although a part of it failed: a pipe, a sequence, an
/// alternative or the background swallow the status of what stands before them, wherever a test run
/// stands (`sh -c 'pytest; true'`), what is put into a word has no status at all, and a maker may be told
/// to ignore it. What only prepares the shell for the rest (`cd api; pytest`) may fail unseen.
///
/// Of a line that runs tests their status alone is asked for: what stands before them (`make; pytest`) may fail.
pub fn hides_status(command: &str) -> bool {
    let script = crate::parse(command);
    if script.detached || script.commands.iter().any(runs_detached) {
        return true;
    }
    if !script.undecided
        && script
            .commands
            .iter()
            .any(|part| test_run(part).is_some_and(|run| !run.dry))
        && let Some(shown) = exit_status_flow::shows_tests(command)
    {
        return !shown;
    }
    let swallows = |part: &SimpleCommand| {
        let joined = matches!(part.joined, Joined::Pipe | Joined::Sequence | Joined::Or);
        joined || ignores_errors(part)
    };
    let prelude = prelude(&script, command);
    let own = |(at, part): (usize, &SimpleCommand)| {
        // It comes right behind what prepares for it, so that nothing is lost by the `;`.
        let prepared = at == prelude && part.joined == Joined::Sequence;
        let lost = ignores_errors(part) || (swallows(part) && !prepared);
        part.depth == 0 && at >= prelude && lost
    };
    let mut all = script.commands.iter().enumerate();
    script.undecided || script.background || all.any(own) || {
        let inside = |part: &&SimpleCommand| part.depth > 0;
        let tests = |part: &SimpleCommand| part.depth > 0 && test_run(part).is_some();
        script.commands.iter().any(tests)
            && (script
                .commands
                .iter()
                .filter(inside)
                .any(|part| swallows(part) || part.joined == Joined::Background)
                || put_into_words(&script).any(tests)
                || script.commands.iter().any(runs_each))
    }
}

/// Returns the number of leading commands that only prepare the shell for what follows
/// (`cd api; export CI=1; pytest`): nobody asks for their status. None where the line may loop or
/// branch, for then what follows may come before it, too.
fn prelude(script: &crate::Script, command: &str) -> usize {
    const COMPOUND: &[&str] = &[
        "for", "while", "until", "if", "case", "select", "function", "{",
    ];
    const PREPARES: &[&str] = &[
        "", "cd", "pushd", "popd", "export", "set", "unset", "alias", "shopt", "ulimit", "umask",
        "echo", "printf",
    ];
    let ends = |byte: char| byte.is_whitespace() || matches!(byte, ';' | '&' | '|' | '(' | ')');
    if command.split(ends).any(|word| COMPOUND.contains(&word)) {
        return 0;
    }
    let prepares = |part: &SimpleCommand| match part.name() {
        // A script that is read in may as well do the work; one that sets up is called so.
        "source" | "." => part.arguments().first().is_some_and(|file| {
            let name = file.text.rsplit('/').next().unwrap_or_default();
            let name = name.to_ascii_lowercase();
            ["activate", "env", "profile"]
                .iter()
                .any(|w| name.contains(w))
                || name.ends_with("rc")
        }),
        // Where it is taken nothing follows, so that the line has to say that it went wrong.
        "exit" => {
            let code = part.arguments().first().map(|word| word.text.as_str());
            part.joined == Joined::Or && code != Some("0")
        }
        name => PREPARES.contains(&name) && test_run(part).is_none(),
    };
    let head = script.commands.iter();
    head.take_while(|part| part.depth == 0 && prepares(part))
        .count()
}

/// Commands whose output becomes part of a word: `echo $(pytest)`.
fn put_into_words<'c, 't>(
    script: &'c crate::Script<'t>,
) -> impl Iterator<Item = &'c SimpleCommand<'t>> {
    let words = script.commands.iter().flat_map(|part| &part.words);
    words.flat_map(|word| script.commands.get(word.range()).unwrap_or_default())
}

/// `find -exec` and a terminal's recorder end well whatever becomes of what they run.
fn runs_each(command: &SimpleCommand) -> bool {
    let has =
        |wanted: &[&str]| (command.arguments().iter()).any(|w| wanted.contains(&w.text.as_str()));
    match command.name() {
        "find" | "gfind" => has(&["-exec", "-execdir"]),
        "script" => !has(&["-e", "--return", "-qe", "-eq"]),
        _ => false,
    }
}

/// A container that goes on when its client has ended: `docker run -d`, `docker compose exec --detach`.
fn runs_detached(command: &SimpleCommand) -> bool {
    const CLIENTS: &[&str] = &[
        "docker",
        "podman",
        "nerdctl",
        "docker-compose",
        "podman-compose",
    ];
    if !CLIENTS.contains(&command.name()) {
        return false;
    }
    let words = command.arguments().iter().map(|word| word.text.as_str());
    let options = words.skip_while(|word| !matches!(*word, "run" | "exec"));
    let mut options = options.skip(1).take_while(|word| word.starts_with('-'));
    let is_cluster = |option: &str| !option.starts_with("--") && option.contains('d');
    options.any(|option| matches!(option, "--detach" | "--detach=true") || is_cluster(option))
}

/// `make -i`, alone or among other letters (`-ki`).
fn ignores_errors(command: &SimpleCommand) -> bool {
    let mut words = command.arguments().iter().map(|word| word.text.as_str());
    matches!(command.name(), "make" | "gmake")
        && words.any(|text| {
            let letters = text.trim_start_matches('-');
            text == "--ignore-errors"
                || (text.starts_with('-')
                    && !text.starts_with("--")
                    && !letters.starts_with(['C', 'f', 'I', 'j', 'l', 'o', 'W', 'O', 'E'])
                    && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
                    && letters.contains('i'))
        })
}

/// Returns true if the command line as a whole succeeds exactly when what it checks fails: `! pytest`.
pub fn inverts_status(command: &str) -> bool {
    if !command.contains('!') {
        return false;
    }
    let script = crate::parse(command);
    let mut own = script.commands.iter().filter(|part| part.depth == 0);
    // Of a sequence (`if ! a; then b; fi`), something else decides.
    own.clone().any(|part| part.denied)
        && own.all(|part| !matches!(part.joined, Joined::Sequence | Joined::Or))
}

/// The tools of the test runs of a command line.
pub fn test_tools(command: &str) -> Vec<&'static str> {
    let script = crate::parse(command);
    let runs = script.commands.iter().filter_map(test_run);
    runs.filter(|run| !run.dry).map(|run| run.tool).collect()
}

/// Returns true if a script of a package may be missing without a word: `npm test --if-present`.
pub fn ignores_absence(command: &str) -> bool {
    command
        .split_whitespace()
        .any(|word| word == "--if-present")
}

/// Name of the class of test commands that run the same tests: `pytest -q`, `python -m pytest` and
/// `uv run pytest 2>&1 | tail` have one name. `None` for what is no test run.
pub fn check_class(command: &str) -> Option<String> {
    let script = crate::parse(command);
    let mut names: Vec<String> = script
        .commands
        .iter()
        .filter_map(test_run)
        .filter(|run| !run.dry)
        .map(|run| class(&run))
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| names.join(" + "))
}

/// Formatters and linters, some behind the program that runs them.
const LINTERS: &[&str] = &[
    "biome",
    "black",
    "cargo",
    "eslint",
    "gofmt",
    "isort",
    "prettier",
    "rubocop",
    "ruff",
    "rustfmt",
    "standard",
    "stylelint",
];
/// Words that say whether what is found is mended.
const MENDING: &[&str] = &[
    "--fix",
    "--fix-only",
    "--unsafe-fixes",
    "--write",
    "--check",
    "--check-only",
    "--diff",
    "--allow-dirty",
    "--allow-staged",
    "-a",
    "-A",
    "--autocorrect",
];

/// Returns the rules that the linter of a command line checks, mending or not; empty for other lines.
fn looked_for(script: &crate::Script) -> String {
    let [only] = script.commands.as_slice() else {
        return String::new();
    };
    let name = only.name();
    let lints = match name {
        "cargo" => only
            .arguments()
            .first()
            .is_some_and(|verb| matches!(verb.text.as_str(), "fmt" | "clippy")),
        _ => LINTERS.contains(&name),
    };
    if !lints {
        return String::new();
    }
    let words = only.arguments().iter().map(|word| word.text.as_str());
    let words: Vec<&str> = words.filter(|word| !MENDING.contains(word)).collect();
    format!("{name} {}", words.join(" "))
}

/// A command line as far as it checks something, read once to be compared with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    normalised: String,
    /// Of a formatter or linter: the command without the words that say whether it mends what it finds.
    looked_for: String,
    runs: Vec<TestRun<'static>>,
    /// Of a line that only calls scripts of the project: which, and with which words.
    scripts: Vec<String>,
}

impl Check {
    /// Of a command line.
    pub fn of(command: &str) -> Self {
        let script = crate::parse(command);
        let runs = script.commands.iter().filter_map(test_run);
        Self {
            normalised: normalise_command(command),
            looked_for: looked_for(&script),
            runs: runs.map(TestRun::into_owned).collect(),
            scripts: scripts::called(&script),
        }
    }

    /// The check of one failed test of this test run: whoever runs that test again without the others
    /// proves this. `None` when this is no single test run, or nothing tells the test apart.
    pub fn of_one(&self, test: &str, file: &str) -> Option<Self> {
        let [run] = self.runs.as_slice() else {
            return None;
        };
        Some(Self {
            // The whole proves its part.
            normalised: self.normalised.clone(),
            looked_for: String::new(),
            runs: vec![run.one(test, file)?],
            scripts: Vec::new(),
        })
    }

    /// Returns true if a pass of this one proves that `failed` would pass now: the same command, or a test
    /// run of the same tool in the same directory that includes it.
    pub fn proves(&self, failed: &Self) -> bool {
        let covered = |want: &TestRun| self.runs.iter().any(|run| covers(run, want));
        self.normalised == failed.normalised
            || (!failed.looked_for.is_empty() && self.looked_for == failed.looked_for)
            || (!failed.runs.is_empty() && failed.runs.iter().all(covered))
            || (!failed.scripts.is_empty()
                && failed.scripts.iter().all(|one| self.scripts.contains(one)))
    }
}

/// Returns true if a pass of one command line proves that another would pass now; see [`Check::proves`].
pub fn same_check(passed: &str, failed: &str) -> bool {
    Check::of(passed).proves(&Check::of(failed))
}

#[cfg(test)]
mod tests;
