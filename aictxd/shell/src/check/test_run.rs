//! Test runs: which program runs them, and what they were narrowed to.

use std::borrow::Cow;

use super::dry_run::runs_nothing;
use super::options::{is_valued, narrows};
use super::test_launchers::{STARTERS, Starter};
use super::test_names::{
    contained, expression_run, is_test_program, is_test_script, is_test_target,
};
use crate::{SimpleCommand, Word};

/// A test run: what runs it and what it was narrowed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestRun<'c> {
    pub(super) tool: &'static str,
    pub(super) dir: Cow<'c, str>,
    /// Operands: files, node ids, packages, name filters.
    pub(super) chosen: Vec<Cow<'c, str>>,
    /// Options that narrow the run, with their values.
    pub(super) narrowed: Vec<(Cow<'c, str>, Cow<'c, str>)>,
    /// It runs no tests: it lists them, compiles them or prints a help text. How it ends says nothing
    /// about them.
    pub(super) dry: bool,
}

impl TestRun<'_> {
    /// Its operands, in order, without a slash at their end.
    pub(super) fn operands(&self) -> impl Iterator<Item = &str> {
        self.chosen.iter().map(AsRef::as_ref)
    }

    /// The run by itself.
    pub(super) fn into_owned(self) -> TestRun<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        TestRun {
            tool: self.tool,
            dir: own(self.dir),
            chosen: self.chosen.into_iter().map(own).collect(),
            narrowed: self
                .narrowed
                .into_iter()
                .map(|(name, value)| (own(name), own(value)))
                .collect(),
            dry: self.dry,
        }
    }
}

/// The test run that a command is, if it is one.
pub(super) fn test_run<'c>(command: &'c SimpleCommand) -> Option<TestRun<'c>> {
    let mut run = runner(command)?;
    if run.dir.split('/').any(|part| part == ".") {
        let parts: Vec<&str> = run.dir.split('/').filter(|part| *part != ".").collect();
        run.dir = parts.join("/").into();
    }
    run.dry = runs_nothing(run.tool, command.arguments());
    Some(run)
}

fn runner<'c>(command: &'c SimpleCommand) -> Option<TestRun<'c>> {
    let dir = command.dir.as_deref()?;
    let name = command.name();
    let arguments = command.arguments();
    let whole = |tool, rest| Some(chosen(tool, dir, rest));
    if let Some(words) = contained(name, arguments) {
        return within(command, words);
    }
    if is_python(name) {
        return python_run(arguments, dir);
    }
    if name == "coverage" && arguments.first().is_some_and(|word| word.text == "run") {
        return python_run(arguments.get(1..)?, dir);
    }
    if name == "node" && arguments.iter().any(|word| word.text == "--test") {
        return whole("node", arguments);
    }
    if matches!(name, "make" | "gmake" | "ninja") {
        let target = arguments.iter().find(|word| is_test_target(&word.text))?;
        return whole("make", std::slice::from_ref(target));
    }
    if name == "cmake" {
        return cmake_run(arguments, dir);
    }
    if let Some(tool) = expression_run(name, arguments) {
        return whole(tool, &[]);
    }
    let called = command.words.first().map_or("", |word| &word.text);
    // `/usr/bin/test` compares things.
    let by_path = called.contains('/') && !(called.starts_with('/') && name == "test");
    if by_path && (is_test_script(name) || is_test_program(called)) {
        return whole("script", &command.words);
    }
    let artisan = name == "php" && arguments.first().is_some_and(|word| word.text == "artisan");
    if !artisan && matches!(name, "ruby" | "bash" | "sh" | "php" | "perl" | "node") {
        let script = arguments.iter().find(|word| !word.text.starts_with('-'))?;
        let file = script.text.rsplit('/').next()?;
        let tests = is_test_script(file) || is_test_program(&script.text);
        return (tests || file.contains("_test.") || file.contains("_spec."))
            .then(|| chosen("script", dir, arguments));
    }
    if let Some(tool) = ["turbo", "lerna", "nx"]
        .into_iter()
        .find(|tool| *tool == name)
    {
        let tests = |word: &&Word| {
            let target = word.text.rsplit(['=', ':']).next().unwrap_or_default();
            target == "test" || word.text.starts_with("test:")
        };
        let verb = arguments.iter().find(tests)?;
        return whole(tool, std::slice::from_ref(verb));
    }
    if artisan {
        let verb = arguments.get(1).filter(|word| word.text == "test");
        return verb.and_then(|_| whole("artisan", arguments.get(2..).unwrap_or_default()));
    }
    started(name, arguments, dir).or_else(|| {
        // `pnpm vitest run`, `yarn jest`: programs of the project by their names.
        let packages = matches!(name, "pnpm" | "yarn" | "bun");
        let at = arguments.iter().position(|word| {
            !word.text.starts_with('-') && !matches!(word.text.as_str(), "exec" | "run" | "x")
        });
        let (program, rest) = arguments.get(at.filter(|_| packages)?..)?.split_first()?;
        let own = matches!(program.text.as_str(), "npm" | "pnpm" | "yarn" | "bun");
        started(&program.text, rest, dir).filter(|_| !own)
    })
}

/// The test run in a container, by its words there. Containers have the project where they work, so it
/// counts as a run at the place where they are told to.
fn within<'c>(command: &'c SimpleCommand, words: &[Word]) -> Option<TestRun<'c>> {
    let (program, rest) = words.split_first()?;
    let shell = matches!(
        program.text.as_str(),
        "sh" | "bash" | "ash" | "zsh" | "dash"
    );
    let script = rest.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
    });
    if let Some(at) = script.filter(|_| shell) {
        let script = crate::parse(&rest.get(at + 1)?.text);
        let mut runs = script.commands.iter().filter_map(test_run);
        return runs.next().map(TestRun::into_owned);
    }
    let inner = SimpleCommand {
        words: words.to_vec(),
        ..command.clone()
    };
    // No container in a container.
    let is_one = contained(inner.name(), inner.arguments()).is_some();
    runner(&inner).filter(|_| !is_one).map(TestRun::into_owned)
}

/// A run by one of the programs that are known.
fn started<'c>(name: &str, arguments: &'c [Word], dir: &'c str) -> Option<TestRun<'c>> {
    let starter = STARTERS.iter().find(|starter| starter.program == name)?;
    if starter.verbs.is_empty() {
        return Some(chosen(starter.tool, dir, arguments));
    }
    let rest = after_verb(starter, arguments)?;
    let verb = arguments.len().checked_sub(rest.len() + 1);
    let verb = verb
        .and_then(|at| arguments.get(at))
        .map_or("", |word| &word.text);
    // `bun run test` is the script of that name, whoever runs it.
    let scripted = name == "bun" && arguments.iter().any(|word| word.text == "run");
    let tool = if scripted { "npm" } else { starter.tool };
    let mut run = chosen(tool, dir, rest);
    if tool == "npm" && verb.starts_with("test:") {
        // A script of its own, of which the whole is called `test`.
        run.narrowed.push(("script".into(), verb.into()));
    }
    Some(run)
}

/// Words behind the verb that makes it a test run. Build tools take several goals in any order.
fn after_verb<'w, 't>(starter: &Starter, arguments: &'w [Word<'t>]) -> Option<&'w [Word<'t>]> {
    let package_script = matches!(starter.tool, "npm") || starter.program == "bun";
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if text.starts_with(['-', '+']) {
            at += if is_valued(starter.tool, text) { 2 } else { 1 };
            continue;
        }
        let goal = text.rsplit(':').next().unwrap_or(text);
        if starter.verbs.contains(&text)
            || (matches!(starter.tool, "gradle" | "npm" | "rake" | "just")
                && starter.verbs.contains(&goal))
            || (package_script && text.starts_with("test:"))
        {
            return arguments.get(at + 1..);
        }
        if starter.tool == "cargo" && text == "llvm-cov" {
            let rest = arguments.get(at + 1..)?;
            let told = rest.iter().find(|word| !word.text.starts_with('-'));
            let reports = |word: &Word| matches!(&*word.text, "report" | "clean" | "show-env");
            return (!told.is_some_and(reports)).then_some(rest);
        }
        if package_script && text == "workspace" {
            at += 2;
            continue;
        }
        let in_front = match starter.tool {
            "cargo" => &["hack", "miri", "careful"][..],
            "zig" => &["build"],
            _ => &[],
        };
        let goes_on = in_front.contains(&text)
            || matches!(starter.tool, "maven" | "gradle" | "rake" | "sbt")
            || (package_script && matches!(text, "run" | "run-script"));
        if !goes_on {
            return None;
        }
        at += 1;
    }
    None
}

fn python_run<'c>(arguments: &'c [Word], dir: &'c str) -> Option<TestRun<'c>> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        match word.text.as_str() {
            "-m" => {
                let module = arguments.get(at + 1)?.text.as_str();
                let rest = arguments.get(at + 2..).unwrap_or_default();
                return match module {
                    "pytest" | "py.test" => Some(chosen("pytest", dir, rest)),
                    "unittest" => Some(chosen("unittest", dir, rest)),
                    "tox" | "nox" | "doctest" => Some(chosen("script", dir, rest)),
                    "coverage" if rest.first().is_some_and(|word| word.text == "run") => {
                        python_run(rest.get(1..)?, dir)
                    }
                    _ => None,
                };
            }
            "-c" => return None,
            "-W" | "-X" => at += 2,
            text if text.starts_with('-') => at += 1,
            text => {
                let file = text.rsplit('/').next()?;
                let managed = file == "manage.py"
                    && arguments
                        .get(at + 1)
                        .is_some_and(|word| word.text == "test");
                return (managed || is_test_script(file) || file.ends_with("_test.py"))
                    .then(|| chosen("script", dir, arguments.get(at..).unwrap_or_default()));
            }
        }
    }
    None
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"))
        .is_some_and(|rest| {
            rest.bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
        || name == "py"
}

/// `cmake --build build --target test`.
fn cmake_run<'c>(arguments: &'c [Word], dir: &'c str) -> Option<TestRun<'c>> {
    let builds = arguments.iter().any(|word| word.text == "--build");
    let target = arguments
        .iter()
        .position(|word| matches!(&*word.text, "--target" | "-t"))?;
    let tests = arguments
        .get(target + 1)
        .is_some_and(|word| is_test_target(&word.text));
    (builds && tests).then(|| chosen("ctest", dir, &[]))
}

fn chosen<'c>(tool: &'static str, dir: &'c str, words: &'c [Word]) -> TestRun<'c> {
    let mut run = TestRun {
        tool,
        dir: dir.into(),
        chosen: Vec::new(),
        narrowed: Vec::new(),
        dry: false,
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if text == "--" {
            // What follows goes to the test binary or script; its words filter as well.
            continue;
        }
        if !text.starts_with('-') {
            let verb = matches!(
                (tool, text),
                ("cargo", "run" | "r") | ("jest" | "vitest", "run")
            );
            if !verb || !run.chosen.is_empty() {
                run.chosen.push(text.trim_end_matches('/').into());
            }
            continue;
        }
        let (name, inline) = text
            .split_once('=')
            .map_or((text, None), |(n, v)| (n, Some(v)));
        let mut value = inline.unwrap_or_default();
        if inline.is_none() && is_valued(tool, name) {
            value = words.get(at).map_or("", |word| word.text.as_str());
            at += 1;
        }
        if narrows(tool, name) {
            run.narrowed.push((name.into(), value.into()));
        }
    }
    run
}

impl TestRun<'static> {
    /// The part of this run that is one failed test of it, in this file (either may be unknown): the
    /// test by its name where the runner takes one, else the file or its directory. `None` when nothing
    /// tells the part apart.
    pub(super) fn one(&self, test: &str, file: &str) -> Option<Self> {
        let target = match self.tool {
            "cargo" => test.to_owned(),
            "go" => match file.rsplit_once('/') {
                Some((dir, _)) => format!("./{dir}"),
                None if file.is_empty() => String::new(),
                None => ".".to_owned(),
            },
            "pytest" if test.contains("::") => test.to_owned(),
            "pytest" if !test.is_empty() && !file.is_empty() => format!("{file}::{test}"),
            _ => file.to_owned(),
        };
        if target.is_empty() {
            return None;
        }
        let mut one = self.clone();
        one.chosen = vec![target.into()];
        // Its last part is what people filter by.
        let leaf = test.rsplit("::").next().unwrap_or(test);
        let leaf = leaf.rsplit(" > ").next().unwrap_or(leaf);
        let names = [leaf.to_owned(), format!("^{leaf}$"), test.to_owned()];
        for name in names.into_iter().filter(|_| !leaf.is_empty()) {
            let choices = ["-k", "-t", "-run", "--testNamePattern"];
            let choices = choices.map(|option| (Cow::from(option), Cow::from(name.clone())));
            one.narrowed.extend(choices);
        }
        Some(one)
    }
}
