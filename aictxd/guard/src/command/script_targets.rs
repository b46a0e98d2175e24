//! Commands that live in files: targets of `make`, scripts of `package.json`, shell scripts.
//!
//! A text of the repository may be anybody's. It is only read, and it can only make the verdict on
//! the command that calls it worse: what it does is told as something that the call does, and
//! nothing of it is shown.

mod packages;
mod recipes;

use std::collections::HashMap;

use aictx_proto::path::Located;
use aictx_shell::{Dialect, RedirectKind, Script, SimpleCommand, Word};

use super::options::value_of;
use super::stdin_source::printed;
use super::table::Traits;
use super::{
    Call, Judge, Kind, Level, MAX_BACK, MAX_TEXT, Place, Tier, What, destructive_names,
    inline_code, interpreter_argv,
};

/// Files looked into for one command line.
const MAX_FILES: u8 = 8;
/// Files that call files.
const MAX_LEVELS: u8 = 3;

/// State of looking into files.
#[derive(Debug, Default)]
pub(super) struct Called {
    files: u8,
    pub(super) levels: u8,
    /// The call on the command line that leads to the text being judged.
    pub(super) by: Option<String>,
}

impl Called {
    /// Lets findings speak as the call `shown`, unless they speak as another already. Gives what was
    /// so before, for [`Called::restore`].
    pub(super) fn speak_for(&mut self, shown: String) -> Option<String> {
        let before = self.by.clone();
        self.by.get_or_insert(shown);
        before
    }

    /// Ends what [`Called::speak_for`] began.
    pub(super) fn restore(&mut self, before: Option<String>) {
        self.by = before;
    }

    /// Rewrites a finding from a file in the words of the call.
    pub(super) fn outward(
        &self,
        mut what: What,
        verb: &str,
        targets: Vec<String>,
    ) -> Option<(What, String, Vec<String>)> {
        let Some(by) = &self.by else {
            return Some((what, verb.to_owned(), targets));
        };
        // Scripts are full of variables, and of paths that are theirs to write.
        if what.kind == Kind::Undecidable {
            what.level = Level::Caution;
        }
        what.tier = what.tier.min(Tier::Destructive);
        Some((what, by.clone(), Vec::new()))
    }
}

/// Follows a call into the file it takes its commands from.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    if call.command.remote || call.command.dir.is_none() {
        return;
    }
    let name = call.name;
    let words = call.arguments();
    match name {
        "make" | "gmake" => {
            // `make -n` only prints, but for what is made in order to be read.
            let only = [
                "-n",
                "--just-print",
                "--dry-run",
                "--recon",
                "-q",
                "--question",
            ];
            if super::has_option(words, &only) {
                return;
            }
            let targets: Vec<&str> =
                operands(words, &["-C", "-f", "-j", "-o", "-W", "-I"]).collect();
            made(judge, call, words, &targets);
            for target in targets.iter().take(8) {
                promised(judge, call, target, false);
            }
            let dir = set(words, "-C", &["--directory"]);
            let names = match set(words, "-f", &["--file", "--makefile"]) {
                Some(name) => vec![name],
                None => vec!["GNUmakefile", "makefile", "Makefile"],
            };
            let below = dir.unwrap_or_default();
            let cwd = judge.place.absolute(call.command.dir.as_deref(), below);
            let (place, facts) = (judge.place, judge.facts);
            let included = |name: &str| {
                let located = place.locate(cwd.as_deref(), name)?;
                let Located::Inside(file) = located else {
                    return None;
                };
                facts.text(&file).filter(|text| text.len() <= MAX_TEXT)
            };
            follow(judge, call, dir, &names, "make", |text| {
                let text = recipes::with_includes(text, included);
                recipes::make(&text, &targets)
            });
        }
        "just" => {
            let targets: Vec<&str> = operands(words, &["-f", "-d"]).collect();
            if let Some(target) = targets.first()
                && !super::has_option(words, &["-n", "--show", "-s", "--list", "-l", "--summary"])
            {
                promised(judge, call, target, false);
            }
            let names = ["justfile", "Justfile", ".justfile"];
            follow(judge, call, None, &names, "just", |text| {
                recipes::just(text, &targets)
            });
        }
        "npm" | "pnpm" | "yarn" | "bun" => packages::judge(judge, call),
        "npm-run-all" | "run-s" | "run-p" => packages::several(judge, call),
        "node" if packages::of_node(judge, call) => {}
        "composer" | "deno" | "turbo" | "lerna" | "nx" if packages::of_others(judge, call) => {}
        "cargo" => {
            if let Some(alias) = operands(words, &[]).next() {
                follow(
                    judge,
                    call,
                    None,
                    &[".cargo/config.toml"],
                    "cargo",
                    |text| recipes::cargo_alias(text, alias),
                );
            }
        }
        "task" | "mage" | "inv" | "invoke" | "poe" | "doit" | "lage" | "grunt" | "gulp" => {
            if let Some(target) = operands(words, &["-d", "-t", "-f"]).next() {
                promised(judge, call, target, false);
            }
        }
        _ => script(judge, call),
    }
}

/// A `Makefile` that the line itself writes, or gives on standard input.
fn made(judge: &mut Judge, call: Call, words: &[Word], targets: &[&str]) {
    let dash = Word::plain("-");
    let given = value_of(words, &["-f", "--file"])
        .or_else(|| words.iter().any(|word| word.text == "-f-").then_some(&dash));
    for word in words.iter().take(16) {
        let Some(text) = word.text.strip_prefix("--eval=") else {
            continue;
        };
        if let Some(commands) = recipes::make(text, targets) {
            judge.inner_script(&commands, false);
        }
    }
    let printed_by = |file: &Word| match call.script.commands.get(file.range()) {
        Some([one]) if matches!(one.name(), "echo" | "printf") => Some(printed(one)),
        _ => None,
    };
    let text = match given {
        Some(file) if file.inner.is_some() => printed_by(file),
        Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdin") => {
            super::stdin_source::piped_texts(call).into_iter().next()
        }
        Some(file) => written(call, file),
        None => written(call, &Word::plain("Makefile")),
    };
    if let Some(commands) = text.and_then(|text| recipes::make(&text, targets)) {
        judge.inner_script(&commands, false);
    }
}

/// The value of an option: in the next word, or in its own (`-fx`, `--file=x`).
fn set<'w>(words: &'w [Word], short: &str, long: &[&str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.text.as_str();
        if text == short || long.contains(&text) {
            return words.get(at + 1).map(|word| word.text.as_str());
        }
        match text.split_once('=') {
            Some((option, value)) if long.contains(&option) => Some(value),
            _ => text.strip_prefix(short),
        }
    })
}

/// Words that are no options, values of `valued` or settings.
fn operands<'w>(words: &'w [Word], valued: &[&str]) -> impl Iterator<Item = &'w str> {
    let mut skip = false;
    words
        .iter()
        .map(|word| word.text.as_str())
        .filter(move |text| {
            if std::mem::take(&mut skip) {
                return false;
            }
            let option = text.starts_with('-');
            skip = option && valued.contains(text);
            !option && !text.contains('=')
        })
}

/// `bin/check` of the project, where its first line says that a shell reads it.
fn is_shell_script(judge: &Judge, call: Call, program: &Word) -> bool {
    let name = program.text.as_str();
    if !name.contains('/') || name.starts_with(['/', '~']) {
        return false;
    }
    let Some(Located::Inside(file)) = judge.place.locate(call.command.dir.as_deref(), name) else {
        return false;
    };
    let text = judge.facts.text(&file);
    text.is_some_and(|text| {
        let first = text.lines().next().unwrap_or_default();
        first.starts_with("#!") && first.trim_end().ends_with("sh")
    })
}

/// `sh file`, `./file`, `. file`, `python file`, `pwsh -File file`.
fn script(judge: &mut Judge, call: Call) {
    let name = call.name;
    let Some(program) = call.command.words.first() else {
        return;
    };
    compiled(judge, call);
    let by_windows = super::windows::file_run(call);
    let file = if matches!(name, "go" | "deno" | "bun" | "dart" | "crystal") {
        // `go run x.go`
        let mut words = call.arguments().iter();
        words
            .next()
            .filter(|verb| verb.text == "run")
            .and_then(|_| words.find(|word| !word.text.starts_with('-')))
    } else if call.program.traits.has(Traits::SHELL)
        || matches!(name, "source" | ".")
        || call.program.interpreter.is_some()
    {
        interpreter_argv::script_behind(name, call.program.interpreter, call.arguments())
    } else if matches!(name, "sbatch" | "qsub" | "bsub") {
        let mut words = call.arguments().iter();
        words.find(|word| word.text.contains('.') && !word.text.starts_with('-'))
    } else if by_windows.is_some() {
        by_windows
    } else if program.text.starts_with("./")
        || program.text.ends_with(".sh")
        || is_shell_script(judge, call, program)
        || (program.text.contains('/') && is_downloaded(call, program))
    {
        Some(program)
    } else {
        None
    };
    let Some(file) = file.filter(|word| !word.unknown) else {
        return;
    };
    let language = call.program.interpreter.map(|known| known.name);
    let told = match file.text.as_str() {
        "/dev/stdin" => super::stdin_source::piped_texts(call).into_iter().next(),
        _ => written(call, file),
    };
    if let Some(text) = told {
        match language {
            Some(language) => inline_code::judge(judge, call, language, &text),
            None if super::windows::is_script(&file.text) => super::windows::script(judge, &text),
            None => judge.inner_script(&text, false),
        }
        return;
    }
    if is_downloaded(call, file) {
        let verb = "run a download";
        let shown = [file.text.as_str()];
        judge.hit(
            Some(call),
            Kind::NetworkExec,
            Tier::Destructive,
            verb,
            shown,
        );
        return;
    }
    // What `-File` hands to PowerShell, and `/c` to `cmd`, is not followed into the repository: such
    // files clean up by variables, with `-Recurse -Force` whatever it is.
    if language.is_none() && by_windows.is_none() {
        read(judge, call, copied_from(call, file).unwrap_or(file));
    }
    promised(judge, call, &file.text, true);
}

/// `rustc x.rs && ./x`: a program that the line writes, and makes one of.
fn compiled(judge: &mut Judge, call: Call) {
    let language = match call.name {
        "rustc" => "rust-script",
        "gcc" | "cc" | "clang" | "g++" | "c++" | "clang++" | "tcc" => "c",
        "javac" => "java",
        "kotlinc" => "kotlin",
        "ghc" => "ghc",
        "swiftc" => "swift",
        _ => return,
    };
    let later = call.script.commands.len() > call.segment + 1;
    for word in call.arguments().iter().take(16).filter(|_| later) {
        if let Some(text) = written(call, word) {
            inline_code::judge(judge, call, language, &text);
        }
    }
}

/// Follows a shell script of the repository.
fn read(judge: &mut Judge, call: Call, file: &Word) -> bool {
    let names = [file.text.as_str()];
    follow(judge, call, None, &names, call.name, |text| {
        let python =
            text.starts_with("#!") && text.lines().next().is_some_and(|line| !line.contains("sh"));
        (!python).then(|| text.to_owned())
    })
}

/// `cat x.sh | sh`, `sh < x.sh`: like `sh x.sh`, but it is told that the text is not known.
pub(super) fn piped(judge: &mut Judge, call: Call, file: &Word) {
    if file.text == "/dev/null" || file.text == "-" {
        return;
    }
    if let Some(text) = written(call, file) {
        judge.inner_script(&text, call.command.remote);
        return;
    }
    let known = !call.command.remote && call.command.dir.is_some() && read(judge, call, file);
    promised(judge, call, &file.text, true);
    if !known {
        let shown = [file];
        judge.undecidable(Level::Caution, "a script from a file", shown);
    }
}

/// Judges the name of a script, a target or a recipe, whatever its text says.
fn promised(judge: &mut Judge, call: Call, name: &str, of_file: bool) {
    let asks = |word: &Word| {
        let text = word.text.as_str();
        text.starts_with("--dry")
            || matches!(text, "--help" | "-h" | "--list" | "--check" | "--test-only")
    };
    if judge.called.levels > 0 || call.arguments().iter().any(asks) {
        return;
    }
    // A target is looked up more often than it is meant: only what is wide is told.
    if let Some(tier) = destructive_names::promised_by_name(name)
        .filter(|tier| of_file || *tier >= Tier::Destructive)
    {
        let verb = format!("{} of a script", call.name);
        judge.hit(Some(call), Kind::Undecidable, tier, &verb, [name]);
    }
}

/// Which commands of a script write which files: by name, where the script is read once for all of its
/// calls.
#[derive(Debug, Default)]
pub(super) struct Writers(HashMap<String, Vec<usize>>);

/// Writers of one file that are looked through for the last before a call.
const MAX_WRITERS: usize = 64;

impl Writers {
    pub(super) fn of(script: &Script) -> Self {
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, command) in script.commands.iter().enumerate() {
            let redirected = command.redirects.iter().filter(|redirect| {
                matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
            });
            let redirected = redirected.map(|redirect| &redirect.target);
            let teed: &[Word] = match command.name() {
                "tee" => command.arguments(),
                _ => &[],
            };
            for word in redirected.chain(teed) {
                found
                    .entry(plain(&word.text).to_owned())
                    .or_default()
                    .push(at);
            }
        }
        Self(found)
    }

    /// The last before a call that writes the file where the call finds it.
    fn last<'s>(&self, call: Call<'s>, file: &str) -> Option<&'s SimpleCommand<'s>> {
        let all = self.0.get(plain(file))?;
        let before = all.partition_point(|at| *at < call.segment);
        let before = all.get(..before)?.iter().rev().take(MAX_WRITERS);
        before
            .filter_map(|at| call.script.commands.get(*at))
            .find(|command| command.dir == call.command.dir)
    }
}

/// Text that an earlier command of the same line writes to the file.
pub(super) fn written(call: Call, file: &Word) -> Option<String> {
    let writer = call.notes.writers(call.script).last(call, &file.text)?;
    if let Some(text) = writer.stdin_text() {
        return Some(text.to_owned());
    }
    if writer.name() == "tee" {
        let from = call.script.commands.get(writer.piped_from?)?;
        if let Some(text) = from.stdin_text() {
            return Some(text.to_owned());
        }
        return matches!(from.name(), "echo" | "printf").then(|| printed(from));
    }
    matches!(writer.name(), "echo" | "printf").then(|| printed(writer))
}

/// Which commands of a script put files somewhere, in order: asked of each call that runs one.
#[derive(Debug, Default)]
pub(super) struct Bringers {
    copies: Vec<usize>,
    downloads: Vec<usize>,
}

impl Bringers {
    pub(super) fn of(script: &Script) -> Self {
        let mut found = Self::default();
        for (at, command) in script.commands.iter().enumerate() {
            match command.name() {
                "cp" | "mv" | "ln" | "install" => found.copies.push(at),
                "curl" | "wget" => found.downloads.push(at),
                _ => {}
            }
        }
        found
    }
}

/// Those of some commands that stand before a call and not too far from it, the last first.
fn before<'s>(call: Call<'s>, all: &'s [usize]) -> impl Iterator<Item = &'s SimpleCommand<'s>> {
    let end = all.partition_point(|at| *at < call.segment);
    let near = all.get(..end).unwrap_or_default().iter().rev();
    near.take_while(move |at| **at + MAX_BACK >= call.segment)
        .filter_map(move |at| call.script.commands.get(*at))
}

/// The file that an earlier command of the same line copies or moves to where this one is.
fn copied_from<'s>(call: Call<'s>, file: &Word) -> Option<&'s Word<'s>> {
    before(call, &call.notes.bringers(call.script).copies).find_map(|command| {
        let operands = command.arguments().iter();
        let mut operands = operands.filter(|word| !word.text.starts_with('-'));
        let to = operands.next_back()?;
        let from = operands.next_back()?;
        (plain(&to.text) == plain(&file.text) && command.dir == call.command.dir).then_some(from)
    })
}

/// Returns true if an earlier command of the same line fetches the file.
fn is_downloaded(call: Call, file: &Word) -> bool {
    let base = plain(&file.text).rsplit('/').next();
    before(call, &call.notes.bringers(call.script).downloads).any(|command| {
        // Alone, or at the end of a cluster: `-fsSLo file`.
        let names_it = |option: &str| {
            let cluster = option.starts_with('-') && !option.starts_with("--");
            matches!(option, "--output" | "--output-document")
                || (cluster && option.ends_with(['o', 'O']))
        };
        let told = command.arguments().windows(2).find_map(|pair| match pair {
            [option, file] => names_it(&option.text).then_some(file),
            _ => None,
        });
        let redirected = command
            .redirects
            .iter()
            .any(|redirect| plain(&redirect.target.text) == plain(&file.text));
        let named = command
            .arguments()
            .iter()
            .any(|word| word.text.contains("://") && word.text.rsplit('/').next() == base);
        redirected || named || told.is_some_and(|word| plain(&word.text) == plain(&file.text))
    })
}

fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Judges what the first known file of `names` makes the call do.
fn follow(
    judge: &mut Judge,
    call: Call,
    dir: Option<&str>,
    names: &[&str],
    program: &str,
    commands: impl Fn(&str) -> Option<String>,
) -> bool {
    if !judge.facts.has_texts()
        || judge.called.files >= MAX_FILES
        || judge.called.levels >= MAX_LEVELS
    {
        return false;
    }
    let below = dir.unwrap_or_default();
    let from = call.command.dir.as_deref();
    for name in names {
        let path = if below.is_empty() {
            (*name).to_owned()
        } else {
            format!("{below}/{name}")
        };
        let Some(Located::Inside(file)) = judge.place.locate(from, &path) else {
            continue;
        };
        let Some(text) = judge
            .facts
            .text(&file)
            .filter(|text| text.len() <= MAX_TEXT)
        else {
            continue;
        };
        judge.called.files += 1;
        let Some(commands) = commands(&text) else {
            return false;
        };
        let cwd = judge.place.absolute(from, below).unwrap_or_default();
        if let Some(Located::Inside(dir)) = judge.place.locate(None, &cwd) {
            let dir = if dir.is_root() { "" } else { dir.as_str() };
            judge.facts.follows(dir, &commands);
        }
        let by = match &judge.called.by {
            Some(by) => by.clone(),
            None => shown(call, program),
        };
        run(judge, &commands, &cwd, by);
        return true;
    }
    false
}

/// The call in a few of its own words.
fn shown(call: Call, program: &str) -> String {
    let mut out = program.to_owned();
    for word in call.arguments().iter().take(3) {
        out.push(' ');
        out.push_str(&word.text);
    }
    out
}

fn run(judge: &mut Judge, commands: &str, cwd: &str, by: String) {
    let script = aictx_shell::analyse(commands, Dialect::Posix);
    let risk = std::mem::replace(&mut judge.risk, super::CommandRisk::empty());
    let place = Place {
        root: judge.place.root,
        cwd,
    };
    let mut inside = Judge {
        place,
        base: place.base(),
        facts: judge.facts,
        quick: judge.quick,
        acquits: judge.quick && super::fast_path::may_be(place, judge.facts, judge.minded),
        minded: judge.minded,
        risk,
        inner: judge.inner,
        segment: judge.segment,
        dialect: judge.dialect,
        windows: judge.windows,
        called: Called {
            files: judge.called.files,
            levels: judge.called.levels + 1,
            by: Some(by),
        },
        aliases: Vec::new(),
        alias_uses: judge.alias_uses,
        brings: judge.brings,
        from_files: 0,
        programs: judge.programs,
        passed_over: judge.passed_over,
        scripts: judge.scripts,
        asked: judge.asked.clone(),
        straight: judge.straight.clone(),
        ways: std::cell::RefCell::default(),
    };
    let parsed = inside.risk.parsed;
    inside.script(&script);
    // Whether a file could be read is not what the reply is asked.
    inside.risk.parsed = parsed;
    judge.called.files = inside.called.files;
    judge.programs = inside.programs;
    judge.passed_over = inside.passed_over;
    judge.scripts = inside.scripts;
    judge.asked = inside.asked;
    judge.risk = inside.risk;
}
