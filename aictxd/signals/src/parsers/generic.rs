//! Nothing recognised and the command failed: its last telling line.
//!
//! Yields exactly one event. Samples: 72, 91, 94, 102, 104, 107, 109.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use aictx_proto::event::ErrorEvent;

use super::{Context, Lines};
use crate::ansi_text::CUT;

/// Lower-case words that make a line telling.
const TELLING: &[&str] = &[
    "error",
    "fatal",
    "failed",
    "exception",
    "denied",
    "refused",
    "not found",
    "cannot",
];

/// The one event for a failed run in which no recogniser found anything.
pub(crate) fn fallback(context: &Context, streams: &[Lines], status: i32) -> ErrorEvent {
    let program = context.program().unwrap_or("Command");
    // Nothing else ends so, but for `xargs`, whose command ended with 255.
    if status == 124 && !context.run.command.contains("xargs") {
        let message = format!("{program} timed out (exit code 124)");
        let mut event = context.event("unknown", "runtime", &message);
        "timeout".clone_into(&mut event.code);
        return event;
    }
    // What was not understood comes before the help text.
    let line = complaint(context, streams)
        .or_else(|| missing(streams))
        .or_else(|| last_telling(streams));
    let signal = signal_name(status);
    let toolchain = if signal.is_some() {
        "unknown"
    } else {
        toolchain(context)
    };
    let line = match signal {
        // A shell puts its own number and the command around the word. What was printed last before it
        // is no reason.
        Some(_) => line.and_then(|line| signal_word(line).or_else(|| tells(line).then_some(line))),
        None => line,
    };
    let message = match (line, signal, status) {
        (Some(line), _, _) => line.to_owned(),
        (None, Some(signal), _) => format!("{program} was ended by {signal} (exit code {status})"),
        (None, None, 126) => format!("{program} is not executable (exit code 126)"),
        (None, None, 127) => format!("{program}: command not found (exit code 127)"),
        (None, None, _) => format!("Command failed with exit code {status}"),
    };
    let mut event = context.event(toolchain, "runtime", &message);
    let code = match (line, status) {
        (None, 126) => Some("not-executable"),
        (None, 127) => Some("not-found"),
        _ => signal,
    };
    code.unwrap_or_default().clone_into(&mut event.code);
    event
}

fn complaint<'t>(context: &Context, streams: &[Lines<'t>]) -> Option<&'t str> {
    let mut streams = streams.iter();
    streams.find_map(|lines| crate::usage_error::line_of(lines.all(), context.run.command))
}

/// Finds a missing file or command among the last lines.
fn missing<'t>(streams: &[Lines<'t>]) -> Option<&'t str> {
    let lines = streams
        .iter()
        .flat_map(|lines| lines.all().iter().rev().take(20));
    let mut lines = lines.map(|line| line.trim());
    lines.find(|line| line.len() < 300 && crate::check_not_started::is_missing(line))
}

/// The one event for a run whose program did not understand what it was called with, where the recognisers read
/// something else into it.
pub(crate) fn slipped(context: &Context, streams: &[Lines]) -> Option<ErrorEvent> {
    let line = complaint(context, streams)?;
    Some(context.event(toolchain(context), "runtime", line))
}

/// Recognises an end by a signal without an exit status: the last line is the shell's report.
pub(crate) fn died(context: &Context, streams: &[Lines]) -> Option<ErrorEvent> {
    const CODES: &[(&str, &str)] = &[
        ("Segmentation fault", "SIGSEGV"),
        ("Aborted", "SIGABRT"),
        ("Killed", "SIGKILL"),
        ("Bus error", "SIGBUS"),
        ("Floating point exception", "SIGFPE"),
        ("Illegal instruction", "SIGILL"),
    ];
    let last = streams.iter().find_map(|lines| {
        lines
            .all()
            .iter()
            .rev()
            .find(|line| !line.trim().is_empty())
    })?;
    let text = last.trim().trim_end_matches(" (core dumped)");
    let report = last.starts_with("bash: ") || last.contains(": line ");
    let (word, code) = CODES
        .iter()
        .find(|(word, _)| text == *word || (report && last.contains(word)))?;
    let mut event = context.event("unknown", "runtime", word);
    (*code).clone_into(&mut event.code);
    Some(event)
}

/// Returns true if a line has one of the telling words, in any case of letters.
fn tells(line: &str) -> bool {
    static BUILT: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind(Some(AhoCorasickKind::DFA))
                .build(TELLING)
                .ok()
        })
        .as_ref()
        .is_none_or(|words| words.is_match(line))
}

/// Finds a shell's word for the end by a signal, anywhere in the line.
fn signal_word(line: &str) -> Option<&'static str> {
    const WORDS: &[&str] = &[
        "Segmentation fault",
        "Aborted",
        "Killed",
        "Terminated",
        "Bus error",
        "Floating point exception",
        "Illegal instruction",
    ];
    let shell = line.starts_with("bash: ") || line.contains(": line ") || line.len() < 40;
    WORDS
        .iter()
        .find(|word| shell && line.contains(**word))
        .copied()
}

fn last_telling<'t>(streams: &[Lines<'t>]) -> Option<&'t str> {
    let mut last: Option<&str> = None;
    for lines in streams {
        // What ended the program stands near the end.
        for line in lines.all().iter().rev().take(4_000) {
            let text = line.trim();
            // The cheaper question first: most lines tell nothing, and one of them is enough.
            let tells = tells(text);
            if (!tells && last.is_some()) || text.is_empty() || text == CUT || is_noise(text) {
                continue;
            }
            last = last.or(Some(text));
            if tells && !is_benign(&text.to_lowercase()) {
                return Some(text);
            }
        }
    }
    last
}

/// Banners, separators, tips, addresses and log paths.
fn is_noise(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
        || text.starts_with("http://")
        || text.starts_with("https://")
        || text.starts_with("hint:")
        || text.starts_with("note:")
        || text.starts_with("exit status ")
        || text.starts_with("Error: Process completed with exit code")
        || text.starts_with("error: script \"")
        || text.starts_with("> ")
        || text.starts_with("npm warn")
        || text.starts_with("npm notice")
        || text.starts_with("Running `")
        || text.starts_with("Finished `")
        || text.starts_with("Compiling ")
        || text.starts_with("npm WARN")
        || text.contains("complete log of this run")
        || text.starts_with("Shell cwd was reset to")
        || (text.ends_with(".log") && !text.contains(' '))
}

/// Totals that say that nothing failed.
fn is_benign(lower: &str) -> bool {
    lower.split([',', ';', '|']).all(|part| {
        let part = part.trim();
        ["0 error", "0 failed", "0 failure", "no error", "0 warning"]
            .iter()
            .any(|good| part.starts_with(good))
            || !TELLING.iter().any(|word| part.contains(word))
    })
}

/// Name of the signal that a shell reports as `128 + n`.
fn signal_name(status: i32) -> Option<&'static str> {
    // A negative status is how some programs write the same.
    let number = if status < 0 {
        status.checked_neg()?
    } else {
        status.checked_sub(128)?
    };
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

/// Language family by the programs of the command.
fn toolchain(context: &Context) -> &'static str {
    const FAMILIES: &[(&[&str], &str)] = &[
        (&["pytest"], "pytest"),
        (
            &[
                "python",
                "py",
                "coverage",
                "tox",
                "nox",
                "poetry",
                "uv",
                "pip",
                "gunicorn",
                "uvicorn",
                "flask",
                "django-admin",
                "celery",
                "alembic",
            ],
            "python",
        ),
        (&["cargo", "rustc", "rustfmt", "rustup"], "rust"),
        (&["go"], "go"),
        (&["npm", "pnpm", "yarn", "node", "npx", "bun"], "javascript"),
        (&["java", "javac", "mvn", "gradle", "gradlew"], "java"),
        (&["dotnet"], "dotnet"),
        (&["gcc", "clang", "g++", "cmake"], "c_cpp"),
        (&["ruby", "bundle", "rake"], "ruby"),
        (&["php", "composer"], "php"),
        (&["perl", "prove"], "perl"),
        (&["lua", "luajit"], "lua"),
        (&["swift", "swiftc"], "swift"),
        (&["mix", "elixir", "elixirc"], "elixir"),
        (&["terraform", "tofu"], "terraform"),
        (&["docker", "docker-compose"], "docker"),
        (&["kotlinc", "kotlin"], "kotlin"),
    ];
    FAMILIES
        .iter()
        .find(|(programs, _)| context.runs(programs))
        .map_or("unknown", |(_, family)| family)
}

#[cfg(test)]
mod tests {
    use crate::{Run, events};

    /// Code, message and exit status of the one event.
    fn ended(command: &str, status: i32, output: &str) -> (String, String, i64) {
        let run = Run {
            command,
            exit_status: Some(status),
            stdout: output.as_bytes(),
            stderr: b"",
            root: "/r",
            cwd: "/r",
        };
        let mut events = events(&run);
        assert_eq!(events.len(), 1, "{command}: {events:?}");
        let event = events.remove(0);
        assert_eq!(event.command, command);
        (event.code, event.message, event.exit_code)
    }

    #[test]
    fn how_a_command_ended_is_told_when_it_says_nothing_of_it() {
        for (command, status, output, code, message) in [
            (
                "./run",
                137,
                "",
                "SIGKILL",
                "run was ended by SIGKILL (exit code 137)",
            ),
            (
                "./run",
                137,
                "step 1\nstep 2\n",
                "SIGKILL",
                "run was ended by SIGKILL (exit code 137)",
            ),
            (
                "./run",
                139,
                "Segmentation fault (core dumped)\n",
                "SIGSEGV",
                "Segmentation fault",
            ),
            (
                "./run",
                134,
                "fatal: no more memory\n",
                "SIGABRT",
                "fatal: no more memory",
            ),
            (
                "sleep 60",
                124,
                "",
                "timeout",
                "sleep timed out (exit code 124)",
            ),
            (
                "timeout 1 sleep 60",
                124,
                "going\n",
                "timeout",
                "sleep timed out (exit code 124)",
            ),
            (
                "/no/such -x",
                127,
                "",
                "not-found",
                "such: command not found (exit code 127)",
            ),
            (
                "./data.txt",
                126,
                "",
                "not-executable",
                "data.txt is not executable (exit code 126)",
            ),
            (
                "ls | xargs check",
                124,
                "",
                "",
                "Command failed with exit code 124",
            ),
            (
                "a && b",
                143,
                "",
                "SIGTERM",
                "Command was ended by SIGTERM (exit code 143)",
            ),
        ] {
            let expected = (code.to_owned(), message.to_owned(), i64::from(status));
            assert_eq!(
                ended(command, status, output),
                expected,
                "{command}: {output}"
            );
        }
    }
}
