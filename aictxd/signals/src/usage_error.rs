//! Slips of whoever typed a command: an option or a word that its program does not know.

use aictx_shell::is_test_command;

/// Complaints of programs about their arguments.
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
    "invalid argument",
    "requires an argument",
    "missing value for",
    "required argument missing",
    "could not find an option named",
    "bad command line option",
    "option does not exist",
    "unrecognized '",
    "expected type ",
    "unknown lifecycle phase",
    "not a valid command",
    "not a valid key",
    "is not a task",
    "don't know how to build task",
    "does not contain recipe",
    "no step named",
    "no test target named",
    "no such package",
    "could not find the selected project",
    "unable to invoke subcommand",
    "could not read xml from file",
    "did not match any directory/file",
    "failed to change working directory",
    "not found. check your '-",
    "wrong expression passed to '-",
    "expects option=value style",
    "error importing plugin",
    "invalid action: ",
    "option requires a",
    "provided path to resolve: ",
    "in the rootdir option was not found",
    "cannot resolve entry module",
    "unknown environment '",
    "sessions not found: ",
];
/// Complaints of programs about a pattern.
const NO_PATTERN: &[&str] = &["invalid regexp", "invalid regular expression"];
const LACKING: &[&str] = &[
    "command \"",
    "project '",
    "test '",
    "task '",
    "the task \"",
    "test file \"",
];
/// Ends of complaints that begin with what was typed: `Task 'tset' not found in root project`.
const LACKS: &[&str] = &[
    "not found",
    "could not be found",
    "is not defined",
    "not defined",
];
/// Tools that name what they did not understand on a line of its own, and how that line begins.
const NAMED_APART: &[&str] = &["switch: ", "not found: ", "cannot load such file -- "];
/// Lines among which a program says that it was called wrongly: the first ones, before a help text, and the last
/// ones, behind what it had begun to do.
const FIRST: usize = 60;
const LAST: usize = 20;
/// Programs that run a program of the project.
const INTERPRETERS: &[&str] = &[
    "python", "python3", "py", "node", "deno", "bun", "ruby", "php", "perl", "bash", "sh",
];
/// Their verbs, of programs that do so only then.
const RUNNERS: &[(&str, &[&str])] = &[
    ("cargo", &["run", "r"]),
    ("go", &["run"]),
    ("dotnet", &["run"]),
    ("swift", &["run"]),
    ("stack", &["run", "exec"]),
    ("cabal", &["run", "exec"]),
    ("mix", &["run"]),
    ("dart", &["run"]),
    ("zig", &["run"]),
];
const QUOTES: &[char] = &['\'', '"', '`'];
/// Lines longer than this are no complaint, in bytes.
const MAX_LINE: usize = 300;

/// Returns true if a line may be such a complaint.
pub(crate) fn complains(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    let line = line.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    has(COMPLAINTS)
        || has(NO_PATTERN)
        // Mocha: `Unable to read/parse nosuch.js: Error: Cannot find module`; a file that is there is the project's.
        || line.contains("unable to read/parse ") && has(&["cannot find module", "enoent"])
        // Yarn: `Command "tset" not found.`
        || line.contains("command \"") && line.trim_end_matches('.').ends_with("\" not found")
        || line.contains("command-line option '")
        || has(LACKING) && has(LACKS)
        || NAMED_APART.iter().any(|start| {
            let line = line.trim_start();
            line.strip_prefix("error: ").unwrap_or(line).starts_with(start)
        })
        || line.contains("does not exist") && line.contains("a .net program")
        || line.contains(": directory not found") && line.starts_with("stat ")
        || line.starts_with("pattern ") && line.contains(": lstat ")
}

/// The first line of a text in which its program complains of what it was called with.
pub(crate) fn line_of<'t>(lines: &[&'t str], command: &str) -> Option<&'t str> {
    let first = lines.iter().take(FIRST);
    let rest = lines.get(FIRST..).unwrap_or_default();
    let last = rest.iter().skip(rest.len().saturating_sub(LAST));
    let mut lines = first.chain(last).map(|line| line.trim());
    lines.find(|line| is_slip(line, command))
}

/// Returns true if a message complains of a word that stands in the command line itself. What stands elsewhere, in
/// a recipe or in a file of settings, is the project's, and so are the options of its own programs.
pub(crate) fn is_slip(message: &str, command: &str) -> bool {
    if !complains(message) {
        return false;
    }
    let script = aictx_shell::parse(command);
    let own = |part: &aictx_shell::SimpleCommand| {
        let file = match part.words.split_first() {
            Some((_, rest)) if INTERPRETERS.contains(&part.name()) => {
                rest.first().filter(|word| !word.text.starts_with('-'))
            }
            words => (words.map(|(first, _)| first)).filter(|word| word.text.starts_with("./")),
        };
        let runs = RUNNERS.iter().any(|(program, verbs)| {
            let verb = part.arguments().first().map(|word| word.text.as_str());
            *program == part.name() && verb.is_some_and(|verb| verbs.contains(&verb))
        });
        let wrapper = |file: &str| ["manage.py", "gradlew", "mvnw", "artisan"].contains(&file);
        // `deno test` and `bun test` are no programs of the project.
        let tests = is_test_command(
            &part
                .words
                .iter()
                .map(|word| word.text.as_str())
                .collect::<Vec<_>>()
                .join(" "),
        ) && matches!(part.name(), "deno" | "bun");
        runs || !tests && file.is_some_and(|file| !wrapper(file.program()))
    };
    let mut typed = (script.commands.iter())
        .filter(|part| !own(part))
        .flat_map(|part| part.arguments());
    if typed.any(|word| is_bad_pattern(message, &word.text)) {
        return true;
    }
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    // The word is an option, or quoted, or a path, or the last one.
    let last = message.trim_end_matches('.').split_whitespace().next_back();
    let told = |word: &&str| word.contains(['-', '/']);
    let told = message.split_whitespace().filter(told);
    // Which of two quotes ends a name is not known where one of them is an apostrophe.
    let quoted = QUOTES
        .iter()
        .flat_map(|quote| message.split(*quote).skip(1));
    let quoted = quoted.chain(message.split(QUOTES).skip(1));
    // `go tset: unknown command`, `Not a valid command: tset (similar: set)`, `in the reactor: nosuch @`
    let mut parts = message.split(": ");
    let first = parts
        .next()
        .filter(|_| message.ends_with("unknown command"));
    let before = first.and_then(|part| part.split_whitespace().next_back());
    let behind = parts.filter_map(|part| {
        let mut words = part.split_whitespace();
        let word = words.next()?;
        words
            .next()
            .is_none_or(|next| next.starts_with(['(', '@', '[']))
            .then_some(word)
    });
    // Jest: `Directory nosuch in the rootDir option`
    let place = message.strip_prefix("Directory ");
    let place = place.and_then(|rest| rest.split_whitespace().next());
    let named: Vec<String> = told
        .chain(quoted)
        .chain(last)
        .chain(before)
        .chain(behind)
        .chain(place)
        .map(bare)
        .filter(|word| !word.is_empty())
        .collect();
    let names = |typed: &str| {
        named.iter().any(|name| {
            // With the directory that it stands for: `/r/spec/a_spec.rb`, `/usr/bin/swift-tset`.
            let longer = |with: char| {
                let front = name
                    .strip_suffix(typed)
                    .and_then(|rest| rest.chars().next_back());
                front == Some(with) && typed.len() > 1
            };
            name == typed || longer('/') || longer('-')
        })
    };
    script
        .commands
        .iter()
        .filter(|part| !own(part))
        .any(|part| {
            part.arguments().iter().any(|word| {
                let mut parts = word
                    .text
                    .split(['=', ':'])
                    .chain([word.text.as_str()])
                    .map(bare);
                parts.any(|part| !part.is_empty() && names(&part))
            })
        })
}

/// Returns true if a message complains of the pattern that was typed, or of a part of it: patterns are signs more
/// than words, so all of it counts.
fn is_bad_pattern(message: &str, typed: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    let value = match typed.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => typed,
    };
    // Go reads the parts between slashes one by one.
    NO_PATTERN.iter().any(|words| lower.contains(words))
        && value
            .split('/')
            .chain([value])
            .filter(|part| !part.is_empty())
            .any(|part| {
                [("(\"", "\")"), ("/", "/")].iter().any(|(open, close)| {
                    message.split_once(open).is_some_and(|(_, rest)| {
                        let escaped = part.replace('\\', r"\\");
                        let rest = rest
                            .strip_prefix(part)
                            .or_else(|| rest.strip_prefix(&escaped));
                        rest.is_some_and(|rest| rest.starts_with(close))
                    })
                })
            })
}

#[cfg(test)]
#[path = "usage_error_pattern_tests.rs"]
mod pattern_tests;
#[cfg(test)]
#[path = "usage_error_tests.rs"]
mod tests;
