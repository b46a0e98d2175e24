//! Slips of whoever typed a command: an option or a word that its program does not know.

use crate::shell;

/// How programs complain of what they were called with.
const COMPLAINTS: &[&str] = &[
    "unexpected argument",
    "unrecognized argument",
    "unrecognized option",
    "unrecognised option",
    "unknown option",
    "unknown argument",
    "unknown flag",
    "unknown switch",
    "unknown compiler option",
    "unknown command",
    "no such command",
    "no such option",
    "invalid option",
    "invalid choice",
    "invalid value",
    "bad option",
    "expected one argument",
    "expected at least one argument",
    "requires a value",
    "flag provided but not defined",
    "flag needs an argument",
];
/// Programs that run a program of the project.
const INTERPRETERS: &[&str] = &[
    "python", "python3", "py", "node", "deno", "bun", "ruby", "php", "perl", "bash", "sh",
];
const QUOTES: &[char] = &['\'', '"', '`'];
/// Lines longer than this are no complaint, in bytes.
const MAX_LINE: usize = 300;

/// Whether a line may be such a complaint.
pub(crate) fn complains(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    let line = line.to_ascii_lowercase();
    COMPLAINTS.iter().any(|complaint| line.contains(complaint))
        // Yarn: `Command "tset" not found.`
        || line.contains("command \"") && line.trim_end_matches('.').ends_with("\" not found")
        || line.contains("command-line option '")
}

/// Whether a message complains of a word that stands in the command line itself. What stands elsewhere, in a recipe
/// or in a file of settings, is the project's, and so are the options of its own programs.
pub(crate) fn is_slip(message: &str, command: &str) -> bool {
    if !complains(message) {
        return false;
    }
    let script = shell::parse(command);
    let own = |part: &shell::SimpleCommand| {
        let file = match part.words.split_first() {
            Some((_, rest)) if INTERPRETERS.contains(&part.name()) => {
                rest.first().filter(|word| !word.text.starts_with('-'))
            }
            words => (words.map(|(first, _)| first)).filter(|word| word.text.starts_with("./")),
        };
        let wrapper = |file: &str| ["manage.py", "gradlew", "mvnw", "artisan"].contains(&file);
        file.is_some_and(|file| !wrapper(file.program()))
    };
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    // The word is an option, or quoted, or the last one.
    let last = message.trim_end_matches('.').split_whitespace().next_back();
    let options = message
        .split_whitespace()
        .filter(|word| word.trim_start_matches(QUOTES).starts_with('-'));
    let quoted = message.split(QUOTES).skip(1).step_by(2);
    let named: Vec<String> = (options.chain(quoted).chain(last))
        .map(bare)
        .filter(|word| !word.is_empty())
        .collect();
    script
        .commands
        .iter()
        .filter(|part| !own(part))
        .any(|part| {
            part.arguments().iter().any(|word| {
                let mut parts = word.text.split('=').map(bare);
                parts.any(|part| named.contains(&part))
            })
        })
}

#[cfg(test)]
mod tests {
    use crate::{never_began, parse};

    #[test]
    fn what_was_typed_wrong_says_nothing_of_the_code() {
        for (command, exit, output) in [
            (
                "pytest --tb=shrt",
                4,
                "ERROR: usage: pytest [options] [file_or_dir] [...]\npytest: error: argument --tb: invalid choice: 'shrt' (choose from auto, long)\n  inifile: None\n  rootdir: /r\n",
            ),
            (
                "pytest -k",
                4,
                "ERROR: usage: pytest [options] [file_or_dir]\npytest: error: argument -k: expected one argument\n",
            ),
            (
                "cargo test --bogus",
                1,
                "error: unexpected argument '--bogus' found\n\n  tip: to pass '--bogus' as a value, use '-- --bogus'\n\nUsage: cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]\n\nFor more information, try '--help'.\n",
            ),
            (
                "npx jest --nope",
                1,
                "● Unrecognized CLI Parameter:\n\n  Unrecognized option \"nope\".\n\n  CLI Options Documentation:\n  https://jestjs.io/docs/cli\n\n",
            ),
            (
                "npx vitest run --nope",
                1,
                "CACError: Unknown option `--nope`\n",
            ),
            (
                "go test -bogus ./...",
                2,
                "flag provided but not defined: -bogus\nusage: go test [build/test flags] [packages]\nRun 'go help test' and 'go help testflag' for details.\n",
            ),
            ("node --bogus --test", 9, "node: bad option: --bogus\n"),
            (
                "make -Z test",
                2,
                "make: invalid option -- 'Z'\nUsage: make [options] [target] ...\nOptions:\n  -b, -m                      Ignored for compatibility.\n",
            ),
            (
                "vendor/bin/phpunit --bogus",
                1,
                "PHPUnit 10.1 by Sebastian Bergmann and contributors.\n\nUnknown option \"--bogus\"\n",
            ),
            (
                "bundle exec rspec --bogus",
                1,
                "invalid option: --bogus\n\nPlease use --help for a listing of valid options\n",
            ),
            (
                "./gradlew test --bogus",
                1,
                "FAILURE: Build failed with an exception.\n\n* What went wrong:\nProblem configuring task :test from command line.\n> Unknown command-line option '--bogus'.\n",
            ),
            ("cargo tset", 101, "error: no such command: `tset`\n"),
            ("yarn tset", 1, "error Command \"tset\" not found.\n"),
            (
                "mypy --bogus .",
                2,
                "usage: mypy [-h] [-v] [-V]\nmypy: error: unrecognized arguments: --bogus\n",
            ),
            (
                "python manage.py test --bogus",
                2,
                "usage: manage.py test [-h]\nmanage.py test: error: unrecognized arguments: --bogus\n",
            ),
        ] {
            let events = parse(command, Some(exit), output.as_bytes()).events;
            assert!(
                !events.is_empty() && events.iter().all(never_began),
                "{command}: {events:?}"
            );
        }
        for (command, exit, output) in [
            // The recipe's fault, the program's own, a test's.
            (
                "make test",
                2,
                "error: unexpected argument '--bogus' found\nmake: *** [Makefile:2: test] Error 2\n",
            ),
            ("npm test", 1, "CACError: Unknown option `--nope`\n"),
            (
                "python tools/gen.py --dry",
                2,
                "usage: gen.py [-h]\ngen.py: error: argument --dry: expected one argument\n",
            ),
            (
                "./cli --dry",
                2,
                "error: unexpected argument '--dry' found\n",
            ),
            (
                "pytest -q --x",
                1,
                "FAILED tests/test_cli.py::test_x - SystemExit: unrecognized option --x\n1 failed in 0.01s\n",
            ),
        ] {
            let events = parse(command, Some(exit), output.as_bytes()).events;
            assert!(
                !events.is_empty() && !events.iter().all(never_began),
                "{command}: {events:?}"
            );
        }
    }
}
