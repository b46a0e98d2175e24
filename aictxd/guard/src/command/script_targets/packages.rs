//! Scripts of `package.json` and its kin behind the calls of package managers.

use aictx_shell::Word;

use super::super::options::value_of;
use super::super::unknown_wrapper::quoted;
use super::super::{Call, Judge};
use super::{follow, operands, promised, recipes};

/// Options of package managers that take the next word.
const VALUED: &[&str] = &[
    "--prefix",
    "-C",
    "--cwd",
    "--dir",
    "-w",
    "--filter",
    "-F",
    "--workspace",
];
/// Verbs behind which the name of a script stands.
const RUN: &[&str] = &["run", "run-script", "rum", "urn"];
/// Verbs that run scripts of names of their own, whoever the package manager is.
const BY_VERB: &[(&[&str], &[&str])] = &[
    (&["test", "tst", "t"], &["test"]),
    (&["start"], &["start"]),
    (&["stop"], &["stop"]),
    (&["restart"], &["stop", "restart", "start"]),
    (
        &["install-test", "it"],
        &["install", "prepublish", "prepare", "test"],
    ),
    (&["version"], &["version"]),
    (
        &["pack", "publish"],
        &["prepublish", "prepare", "prepublishOnly", "pack", "publish"],
    ),
];
/// Verbs that install what the package itself names, when no other package is given.
const INSTALL: &[&str] = &["install", "i", "ci", "clean-install"];
/// Scripts run by an installation.
const ON_INSTALL: &[&str] = &["install", "prepublish", "prepare"];

/// `npm run x`, `yarn x`, `pnpm test`, `bun run x`.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let (name, words) = (call.name, call.arguments());
    let dir = value_of(words, &["--prefix", "-C", "--cwd", "--dir"]);
    let dir = dir.map(|word| word.text.as_str());
    let mut named = operands(words, VALUED);
    let verb = named.next();
    let by_verb = verb.and_then(|verb| BY_VERB.iter().find(|(verbs, _)| verbs.contains(&verb)));
    let one;
    let (script, scripts): (Option<&str>, &[&str]) = match (verb, by_verb) {
        (Some(verb), _) if RUN.contains(&verb) => {
            let script = named.next();
            if let Some(script) = script {
                promised(judge, call, script, false);
            }
            one = script;
            (script, one.as_slice())
        }
        (_, Some((_, scripts))) => (scripts.first().copied(), *scripts),
        (Some(verb), _) if INSTALL.contains(&verb) => {
            let scripts = match named.next() {
                None => ON_INSTALL,
                Some(_) => &[],
            };
            (None, scripts)
        }
        // `yarn` alone installs.
        (None, _) if name == "yarn" && words.is_empty() => (None, ON_INSTALL),
        (Some(other), _) if name != "npm" => {
            if other.contains(':') {
                promised(judge, call, other, false);
            }
            one = Some(other);
            (one, one.as_slice())
        }
        _ => return,
    };
    let rest = script.map_or(&[] as &[Word], |script| behind(words, script));
    // `yarn prisma …` runs a program of the project.
    if let Some(program) = script.filter(|_| name != "npm") {
        judge.rules(call, program, rest);
    }
    // Programs that only delete or run others, under the name of a script.
    if let Some(program) = script
        && matches!(
            program,
            "rimraf" | "del-cli" | "shx" | "cross-env" | "tsx" | "ts-node" | "node"
        )
    {
        let text = format!("{program}{}", handed_on(rest.iter()));
        judge.inner_script(&text, false);
    }
    // What npm hands on stands behind `--`, or is no option.
    let own = |word: &&Word| name == "npm" && word.text.starts_with('-');
    let dashes = rest.iter().position(|word| word.text == "--");
    let given = || match dashes {
        Some(at) => handed_on(rest.iter().skip(at + 1)),
        None => handed_on(rest.iter().filter(|word| !own(word))),
    };
    run(judge, call, dir, scripts, given);
}

/// `run-s lint build:*`, `npm-run-all --parallel a b`: one script after the other, by names and patterns.
pub(super) fn several(judge: &mut Judge, call: Call) {
    // `'build -- --watch'` hands words on.
    let names = operands(call.arguments(), &["--max-parallel", "-l"]);
    let names: Vec<&str> = names
        .filter_map(|name| name.split_whitespace().next())
        .collect();
    run(judge, call, None, &names, String::new);
}

/// `node --run x`. Returns whether it is such a call.
pub(super) fn of_node(judge: &mut Judge, call: Call) -> bool {
    let words = call.arguments();
    let script = value_of(words, &["--run"]).map(|word| word.text.as_str());
    let script = script.or_else(|| {
        let mut words = words.iter();
        words.find_map(|word| word.text.strip_prefix("--run="))
    });
    if let Some(script) = script {
        promised(judge, call, script, false);
        run(judge, call, None, &[script], String::new);
    }
    script.is_some()
}

/// `composer x`, `deno task x`, `turbo run x`. Returns whether it is such a call.
pub(super) fn of_others(judge: &mut Judge, call: Call) -> bool {
    let mut named = operands(call.arguments(), &["-d", "--cwd", "--config", "-c"]);
    let (verb, next) = (named.next(), named.next());
    let script = match (call.name, verb) {
        ("deno", Some("task")) | ("turbo" | "lerna" | "nx", Some("run")) => next,
        ("composer", Some("run" | "run-script")) => next,
        ("composer", other) => other,
        _ => return false,
    };
    if let Some(script) = script {
        promised(judge, call, script, false);
        run(judge, call, None, &[script], String::new);
    }
    true
}

/// Follows some scripts, which are handed what is `given`.
fn run(
    judge: &mut Judge,
    call: Call,
    dir: Option<&str>,
    scripts: &[&str],
    given: impl Fn() -> String,
) {
    if scripts.is_empty() {
        return;
    }
    let files: &[&str] = match call.name {
        "composer" => &["composer.json"],
        "deno" => &["deno.json", "deno.jsonc", "package.json"],
        _ => &["package.json"],
    };
    follow(judge, call, dir, files, call.name, |text| {
        recipes::package(text, scripts, &given())
    });
}

/// The words behind the name of a script.
fn behind<'w>(words: &'w [Word<'w>], script: &str) -> &'w [Word<'w>] {
    let at = words.iter().position(|word| word.text == script);
    at.and_then(|at| words.get(at + 1..)).unwrap_or_default()
}

fn handed_on<'w>(words: impl Iterator<Item = &'w Word<'w>>) -> String {
    words.fold(String::new(), |mut text, word| {
        text.push(' ');
        text.push_str(&quoted(&word.text));
        text
    })
}
