//! Programs that run other programs: the command inside is what counts.

use super::{Frame, MAX_COMMANDS, Script, SimpleCommand, Word, lex};

/// A prefix that runs the rest of its words as a command.
struct Prefix {
    name: &'static str,
    /// First operand that must follow (`run` of `uv run`); empty for none.
    verb: &'static [&'static str],
    /// Options that take the next word as their value.
    valued: &'static [&'static str],
    /// Operands of its own before the command (`timeout 5`).
    operands: usize,
}

const fn prefix(name: &'static str, valued: &'static [&'static str], operands: usize) -> Prefix {
    Prefix {
        name,
        verb: &[],
        valued,
        operands,
    }
}

const fn runner(name: &'static str, verb: &'static [&'static str]) -> Prefix {
    Prefix {
        name,
        verb,
        valued: &[
            "--with",
            "--extra",
            "--group",
            "--python",
            "-p",
            "--package",
            "--directory",
            "--project",
        ],
        operands: 0,
    }
}

static PREFIXES: &[Prefix] = &[
    prefix(
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
            "--host", "--chdir",
        ],
        0,
    ),
    prefix("doas", &["-u", "-C"], 0),
    prefix("env", &["-u", "--unset", "-C", "--chdir"], 0),
    prefix("nohup", &[], 0),
    prefix("setsid", &[], 0),
    prefix("time", &["-o", "-f", "--output", "--format"], 0),
    prefix("nice", &["-n", "--adjustment"], 0),
    prefix("ionice", &["-c", "-n", "-p"], 0),
    prefix("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    prefix("gtimeout", &["-s", "-k"], 1),
    prefix("command", &[], 0),
    prefix("builtin", &[], 0),
    prefix("exec", &["-a"], 0),
    prefix("stdbuf", &["-i", "-o", "-e"], 0),
    prefix("unbuffer", &[], 0),
    prefix("caffeinate", &["-t", "-w"], 0),
    prefix("xvfb-run", &["-n", "-s", "-e", "-f"], 0),
    prefix(
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
            "--replace",
        ],
        0,
    ),
    prefix("npx", &["-p", "--package"], 0),
    prefix("bunx", &[], 0),
    runner("uv", &["run"]),
    runner("uvx", &[]),
    runner("poetry", &["run"]),
    runner("pipenv", &["run"]),
    runner("pdm", &["run"]),
    runner("rye", &["run"]),
    runner("hatch", &["run"]),
    runner("bundle", &["exec"]),
    runner("pnpm", &["exec", "dlx"]),
    runner("npm", &["exec"]),
    runner("yarn", &["exec", "dlx"]),
];

const SSH_VALUED: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
    "-R", "-S", "-W", "-w",
];

/// Whether `name` is a shell that reads commands from `-c` or its standard input.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "busybox" | "powershell" | "pwsh"
    )
}

/// Takes the wrappers off command `index` and appends what it runs besides.
pub(super) fn follow(script: &mut Script, index: usize, frame: &Frame) {
    let Some(command) = script.commands.get_mut(index) else {
        return;
    };
    strip(command);
    let frame = Frame {
        remote: command.remote,
        fed: command.fed,
        dir: command.dir.clone(),
        depth: frame.depth,
    };
    let arguments = command.arguments();
    match command.name() {
        name if is_shell(name) => {
            let text = match shell_script(arguments) {
                Source::Text(text) => Some(text),
                Source::Stdin => command.stdin_text().map(str::to_owned),
                Source::File => None,
            };
            run_text(script, text, &frame);
        }
        "eval" => {
            let text = join(arguments);
            run_text(script, Some(text), &frame);
        }
        "trap" => {
            let text = arguments.first().map(|word| word.text.clone());
            run_text(script, text, &frame);
        }
        "su" => {
            let text = after(arguments, &["-c", "--command"]).map(|word| word.text.clone());
            run_text(script, text, &frame);
        }
        "env" => {
            // Only `env -S 'command'` is left here; other forms were taken off.
            let text = after(arguments, &["-S", "--split-string"]).map(|word| word.text.clone());
            run_text(script, text, &frame);
        }
        "ssh" => {
            let operands = skip_options(arguments, SSH_VALUED);
            let rest = arguments.get(operands + 1..).unwrap_or_default();
            let text = if rest.is_empty() {
                command.stdin_text().map(str::to_owned)
            } else {
                Some(join(rest))
            };
            let frame = Frame {
                remote: true,
                dir: None,
                ..frame
            };
            run_text(script, text, &frame);
        }
        "find" | "fd" => {
            let inner = executed(command, &frame);
            for words in inner {
                push(script, words, &frame);
            }
        }
        _ => {}
    }
}

/// Removes leading wrappers in place, in one move.
fn strip(command: &mut SimpleCommand) {
    let mut at = 0;
    let mut fed = command.fed;
    while let Some(words) = command.words.get(at..) {
        let Some(length) = wrapper_length(words) else {
            break;
        };
        fed |= words.first().is_some_and(|word| base(word) == "xargs");
        at += length;
    }
    if at > 0 {
        command.words.drain(..at);
        command.fed = fed;
    }
}

fn base(word: &Word) -> &str {
    word.text.rsplit('/').next().unwrap_or_default()
}

/// Words to take off at the start of `words`, when they are a wrapper with a command behind it.
fn wrapper_length(words: &[Word]) -> Option<usize> {
    let name = base(words.first()?);
    let known = PREFIXES.iter().find(|prefix| prefix.name == name)?;
    let arguments = words.get(1..)?;
    let mut at = skip_options(arguments, known.valued);
    if !known.verb.is_empty() {
        let verb = arguments.get(at)?;
        if !known.verb.contains(&verb.text.as_str()) {
            return None;
        }
        at += 1;
        at += skip_options(arguments.get(at..)?, known.valued);
    }
    at += known.operands;
    if name == "env" {
        if arguments
            .iter()
            .take(at)
            .any(|word| word.text.starts_with("-S") || word.text.starts_with("--split"))
        {
            return None;
        }
        while arguments.get(at).is_some_and(|word| {
            word.text
                .split_once('=')
                .is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'))
        }) {
            at += 1;
        }
    }
    // `command -v rm` and `time` alone ask or measure; nothing runs inside.
    if name == "command"
        && arguments
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"))
    {
        return None;
    }
    (at < arguments.len()).then_some(at + 1)
}

/// Number of leading words that are options or values of options.
fn skip_options(words: &[Word], valued: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text == "--" {
            return at + 1;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            break;
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    at.min(words.len())
}

fn after<'w>(words: &'w [Word], flags: &[&str]) -> Option<&'w Word> {
    let at = words
        .iter()
        .position(|word| flags.contains(&word.text.as_str()))?;
    words.get(at + 1)
}

fn join(words: &[Word]) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.text);
    }
    out
}

enum Source {
    Text(String),
    Stdin,
    File,
}

fn shell_script(arguments: &[Word]) -> Source {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if matches!(text, "--command" | "-Command") || is_cluster_with(text, 'c') {
            // `bash -c -e 'text'`: options may still follow.
            let rest = arguments.get(at + 1..).unwrap_or_default();
            let script = rest.get(skip_options(rest, &["-o", "-O"]));
            return Source::Text(script.map(|word| word.text.clone()).unwrap_or_default());
        }
        if matches!(text, "-o" | "-O" | "--rcfile" | "--init-file") {
            at += 2;
            continue;
        }
        if is_cluster_with(text, 's') || text == "-" {
            return Source::Stdin;
        }
        if matches!(text, "sh" | "ash") && at == 0 {
            // `busybox sh -c …`
            at += 1;
            continue;
        }
        if !text.starts_with(['-', '+']) {
            return if text == "/dev/stdin" {
                Source::Stdin
            } else {
                Source::File
            };
        }
        at += 1;
    }
    Source::Stdin
}

fn is_cluster_with(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

fn run_text(script: &mut Script, text: Option<String>, frame: &Frame) {
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        lex::run(script, &text, frame, false);
    }
}

/// Commands behind `-exec` and its sisters.
fn executed(command: &SimpleCommand, frame: &Frame) -> Vec<Vec<Word>> {
    let mut out: Vec<Vec<Word>> = Vec::new();
    let mut open: Option<Vec<Word>> = None;
    for word in command.arguments() {
        match (open.as_mut(), word.text.as_str()) {
            (
                None,
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch",
            ) => open = Some(Vec::new()),
            (None, _) => {}
            (Some(_), ";" | "+") => out.extend(open.take()),
            (Some(words), text) => words.push(Word {
                unknown: word.unknown || text.contains("{}"),
                ..word.clone()
            }),
        }
    }
    out.extend(open);
    out.retain(|words| !words.is_empty() && frame.depth <= super::MAX_DEPTH);
    out
}

fn push(script: &mut Script, words: Vec<Word>, frame: &Frame) {
    if script.commands.len() >= MAX_COMMANDS || frame.depth > super::MAX_DEPTH {
        script.undecided = true;
        return;
    }
    let index = script.commands.len();
    script.commands.push(SimpleCommand {
        words,
        dir: frame.dir.clone(),
        remote: frame.remote,
        fed: true,
        depth: frame.depth,
        ..SimpleCommand::default()
    });
    let inner = Frame {
        depth: frame.depth + 1,
        ..frame.clone()
    };
    follow(script, index, &inner);
}
