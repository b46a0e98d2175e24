//! Programs that run other programs: the command inside is what counts.

mod input;
mod table;
mod texts;

pub(super) use input::Input;
pub use table::SHELLS;
pub(super) use table::known;
use table::{
    FETCHING, FOLLOWED, IS_SHELL, LINE_RUNNERS, LINE_SOURCES, LINES, PREFIX_OF, REMOTE_TEXTS,
    SSH_VALUED, TEXTS,
};

use texts::{
    Source, after, git_text, is_cluster_with, is_powershell, join, powershell_script, shell_script,
    skip_options, with_input,
};

use super::program_traits::Heeded;
use super::variables::Context;
use super::{Dialect, Frame, MAX_COMMANDS, Script, SimpleCommand, Text, Word, lex};

/// Lines that one command is given to run.
const MAX_LINES: usize = 16;

/// Returns true if `name` is a shell that reads commands from `-c` or its standard input.
pub fn is_shell(name: &str) -> bool {
    IS_SHELL.contains(name)
}

/// Takes the wrappers off command `index` and appends what it runs besides.
pub(super) fn follow<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    index: usize,
    depth: u8,
) {
    let first = script.commands.len();
    let Some(command) = script.commands.get_mut(index) else {
        return;
    };
    if !Heeded::of(command).has(Heeded::FOLLOWED) {
        return;
    }
    let (lines, is_detached) = strip(command);
    script.detached |= is_detached;
    if lines && follow_lines(script, context, index, depth) {
        return;
    }
    let Some(command) = script.commands.get_mut(index) else {
        return;
    };
    let name = command.name();
    let known = FOLLOWED.contains(name)
        || (name.bytes().any(|byte| byte.is_ascii_uppercase())
            && FOLLOWED.contains(name.to_ascii_lowercase().as_str()));
    if !known {
        return;
    }
    let frame = Frame {
        remote: command.remote,
        fed: command.fed,
        elevated: command.elevated,
        dir: command.dir.clone(),
        depth,
    };
    let arguments = command.arguments();
    let input = Input::of(command);
    match command.name() {
        "eval" => {
            let text = join(arguments);
            run_text(script, context, Some(text), &frame);
            input.hand_on(script, first);
        }
        "trap" => {
            let text = arguments.first().map(|word| word.text.clone());
            let text = text.and_then(|text| context.defer(text, frame.clone()));
            run_text(script, context, text, &frame);
        }
        "alias" => {
            let texts: Vec<Text<'t>> = arguments
                .iter()
                .filter_map(|word| Some(word.text.part(word.text.find('=')? + 1..)))
                .collect();
            for text in texts {
                run_shell(script, context, Some(text), &frame);
            }
        }
        "git" => {
            let text = git_text(arguments);
            run_shell(script, context, text, &frame);
        }
        "ssh" => {
            let operands = skip_options(arguments, SSH_VALUED);
            let rest = arguments.get(operands + 1..).unwrap_or_default();
            let text = match rest {
                [] => stdin_of(command),
                rest => Some(with_input(join(rest), command)),
            };
            let frame = Frame {
                remote: true,
                dir: None,
                ..frame
            };
            run_shell(script, context, text, &frame);
            input.hand_on(script, first);
        }
        // `sudo -s` and `su -` alone are shells, too.
        "sudo" | "doas" | "su" if command.stdin_text().is_some() => {
            let text = stdin_of(command);
            let frame = Frame {
                elevated: true,
                ..frame
            };
            run_shell(script, context, text, &frame);
        }
        "find" | "fd" | "fdfind" => {
            let inner = executed(command, &frame);
            for words in inner {
                push(script, context, words, &frame, true);
            }
        }
        name if is_shell(name) => {
            let (text, words) = match shell_script(arguments) {
                Source::Text(text, words) => (Some(with_input(text, command)), words.to_vec()),
                Source::Stdin => (stdin_of(command), Vec::new()),
                Source::File => (None, Vec::new()),
            };
            let before = context.set_positional(&words);
            run_shell(script, context, text, &frame);
            context.restore_positional(before);
            input.hand_on(script, first);
        }
        name if is_powershell(name) => {
            let text = powershell_script(arguments).or_else(|| stdin_of(command));
            run_windows(script, context, text, &frame);
        }
        name if name.eq_ignore_ascii_case("cmd") => {
            let at = arguments.iter().position(|word| {
                matches!(
                    word.text.as_str(),
                    "/c" | "/C" | "/k" | "/K" | "//c" | "//C"
                )
            });
            let text = at.map(|at| join(arguments.get(at + 1..).unwrap_or_default()));
            run_windows(script, context, text, &frame);
        }
        name if LINES.contains(&name) => {
            let at = skip_options(
                arguments,
                &["-n", "-i", "-w", "-r", "--interval", "--names", "--runs"],
            );
            let operands = arguments.get(at..).unwrap_or_default();
            let texts = if name == "watch" {
                vec![join(operands)]
            } else {
                operands.iter().map(|word| word.text.clone()).collect()
            };
            for text in texts {
                run_shell(script, context, Some(text), &frame);
            }
        }
        name => {
            let known = |table: &[(&str, &[&str])]| {
                table
                    .iter()
                    .find(|(program, _)| *program == name)
                    .and_then(|(_, options)| after(arguments, options))
                    .map(|word| word.text.clone())
            };
            if let Some(text) = known(TEXTS) {
                run_shell(script, context, Some(text), &frame);
                input.hand_on(script, first);
            } else if let Some(text) = known(REMOTE_TEXTS) {
                let frame = Frame {
                    remote: true,
                    dir: None,
                    ..frame
                };
                run_shell(script, context, Some(text), &frame);
            }
        }
    }
}

fn run_windows<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    text: Option<Text<'t>>,
    frame: &Frame,
) {
    let before = std::mem::replace(&mut context.dialect, Dialect::Windows);
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        lex::run(script, context, text, frame, false);
    }
    context.dialect = before;
}

/// `parallel 'rm -rf {}' ::: a b`, `parallel ::: 'rm -rf a' 'ls'`: what is run is a line for a shell,
/// put together with words from elsewhere. Returns whether it is one.
fn follow_lines<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    index: usize,
    depth: u8,
) -> bool {
    let Some(command) = script.commands.get(index) else {
        return false;
    };
    let sources = |word: &Word| LINE_SOURCES.contains(&word.text.as_str());
    let at = command.words.iter().position(sources);
    let (line, given) = command
        .words
        .split_at_checked(at.unwrap_or(command.words.len()))
        .unwrap_or_default();
    let texts: Vec<Text<'t>> = if line.is_empty() {
        let words = given.iter().filter(|word| !sources(word)).take(MAX_LINES);
        words.map(|word| word.text.clone()).collect()
    } else if line.first().is_some_and(|word| word.text.contains(' ')) {
        vec![join(line)]
    } else {
        let calls = filled(line, given);
        let frame = Frame {
            remote: command.remote,
            fed: false,
            elevated: command.elevated,
            dir: command.dir.clone(),
            depth,
        };
        for words in calls {
            push(script, context, words, &frame, false);
        }
        return false;
    };
    let frame = Frame {
        remote: command.remote,
        fed: command.fed,
        elevated: command.elevated,
        dir: command.dir.clone(),
        depth,
    };
    for text in texts {
        run_shell(script, context, Some(text), &frame);
    }
    true
}

/// The calls of `parallel bash -c ::: 'rm a' 'rm b'`: the words with each that is given, in the place of `{}` or behind.
/// Only of programs that run what they are given; of others the words are operands like any.
fn filled<'t>(line: &[Word<'t>], given: &[Word<'t>]) -> Vec<Vec<Word<'t>>> {
    let runs = line
        .first()
        .is_some_and(|word| is_shell(base(word)) || base(word) == "eval");
    if !runs || given.first().is_none_or(|word| word.text != ":::") {
        return Vec::new();
    }
    let words = given.iter().filter(|word| word.text != ":::");
    let call = |one: &Word<'t>| {
        let is_place = |word: &Word| word.text == "{}";
        let mut call: Vec<Word<'t>> = Vec::with_capacity(line.len() + 1);
        for word in line {
            call.push(match is_place(word) {
                true => one.clone(),
                false => word.clone(),
            });
        }
        if !line.iter().any(is_place) {
            call.push(one.clone());
        }
        call
    };
    words.take(MAX_LINES).map(call).collect()
}

/// Removes leading wrappers in place, in one move. Returns whether the last of them hands a line to a
/// shell, and whether one ends before what it runs does.
fn strip(command: &mut SimpleCommand) -> (bool, bool) {
    let mut at = 0;
    let mut is_detached = false;
    let mut fed = command.fed;
    let mut lines = false;
    let mut fetches = false;
    while let Some(words) = command.words.get(at..) {
        let Some(length) = wrapper_length(words) else {
            break;
        };
        let first = words.first().map_or("", base);
        lines = LINE_RUNNERS.contains(&first);
        fetches = FETCHING.contains(&first);
        is_detached |= detaches(first, words.get(1..length).unwrap_or_default());
        fed |= first == "xargs" || (lines && first != "sem");
        command.elevated |= matches!(first, "sudo" | "doas" | "pkexec");
        at += length;
    }
    if at > 0 {
        command.words.drain(..at);
        command.fed = fed;
        // `npx rimraf@5`: which one is fetched says nothing of what it does.
        if fetches
            && let Some(program) = command.words.first_mut()
            && let Some(version) = program.text.rfind('@').filter(|at| *at > 0)
        {
            program.text = program.text.part(..version);
        }
    }
    (lines, is_detached)
}

/// Returns true for wrappers that end before what they run does.
fn detaches(name: &str, options: &[Word]) -> bool {
    let has = |wanted: &[&str]| {
        options
            .iter()
            .any(|word| wanted.contains(&word.text.as_str()))
    };
    match name {
        "setsid" => has(&["-f", "--fork"]),
        "systemd-run" => !has(&["--wait", "--scope", "-P", "--pipe", "-t", "--pty"]),
        _ => false,
    }
}

fn base<'w>(word: &'w Word) -> &'w str {
    let name = word.text.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Words to take off at the start of `words`, when they are a wrapper with a command behind it.
fn wrapper_length(words: &[Word]) -> Option<usize> {
    let name = base(words.first()?);
    let known = *PREFIX_OF.get(name)?;
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
    if known.operands > 0 && arguments.get(at).is_some_and(|word| word.text == "--") {
        at += 1;
    }
    if matches!(name, "env" | "cross-env") {
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
    // What stands behind `-s` is a line for a shell.
    if name == "entr"
        && arguments
            .first()
            .is_some_and(|word| is_cluster_with(&word.text, 's'))
    {
        return None;
    }
    if name == "flock" && arguments.iter().any(|word| word.text == "-c") {
        return None;
    }
    if name == "wsl"
        && arguments
            .first()
            .is_some_and(|word| word.text.starts_with("--") && word.text != "--")
    {
        return None;
    }
    if LINE_RUNNERS.contains(&name)
        && arguments
            .iter()
            .any(|word| matches!(word.text.as_str(), "--dry-run" | "--dryrun"))
    {
        return None;
    }
    if matches!(name, "npx" | "npm")
        && arguments
            .iter()
            .take_while(|word| word.text != "--")
            .any(|word| matches!(word.text.as_str(), "-c" | "--call"))
    {
        return None;
    }
    if name == "command"
        && arguments
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"))
    {
        return None;
    }
    (at < arguments.len()).then_some(at + 1)
}

/// The text of another shell, which knows no function of this one.
fn run_shell<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    text: Option<Text<'t>>,
    frame: &Frame,
) {
    if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
        return;
    }
    let names = context.functions.take_names();
    // Nor all of its variables.
    let child = std::mem::replace(&mut context.child, true);
    let outer = context.enter_scope();
    let deferred = context.take_deferred();
    run_text(script, context, text, frame);
    lex::run_deferred(script, context);
    context.put_deferred(deferred);
    context.leave_scope(outer);
    context.child = child;
    context.functions.give_names(names);
}

fn run_text<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    text: Option<Text<'t>>,
    frame: &Frame,
) {
    let before = std::mem::replace(&mut context.dialect, Dialect::Posix);
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        lex::run(script, context, text, frame, false);
    }
    context.dialect = before;
}

/// Commands behind `-exec` and its sisters.
fn executed<'t>(command: &SimpleCommand<'t>, frame: &Frame) -> Vec<Vec<Word<'t>>> {
    let mut out: Vec<Vec<Word<'t>>> = Vec::new();
    let mut open: Option<Vec<Word<'t>>> = None;
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

fn push<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    words: Vec<Word<'t>>,
    frame: &Frame,
    fed: bool,
) {
    if script.commands.len() >= MAX_COMMANDS || frame.depth > super::MAX_DEPTH {
        script.undecided = true;
        return;
    }
    let index = script.commands.len();
    script.commands.push(SimpleCommand {
        words,
        dir: frame.dir.clone(),
        remote: frame.remote,
        fed,
        elevated: frame.elevated,
        depth: frame.depth,
        ..SimpleCommand::default()
    });
    follow(script, context, index, frame.depth + 1);
}

/// Returns a command's input, if the line itself holds it.
fn stdin_of<'t>(command: &SimpleCommand) -> Option<Text<'t>> {
    command.stdin_text().map(|text| text.to_owned().into())
}
