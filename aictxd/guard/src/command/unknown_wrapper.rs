//! Programs behind programs that no table of wrappers knows: what a tool runs elsewhere, or lends a place to.

use aictx_shell::Word;

use super::options::is_harmless;
use super::table::Traits;
use super::verb_heuristics::READING;
use super::{Call, Judge, Kind, table, verb_heuristics};

/// Returns true if a word is a verb behind which another program stands, for programs that lend a place or secrets.
fn is_lending(word: &str) -> bool {
    matches!(
        word,
        "exec" | "run" | "shell" | "ssh" | "enter" | "env" | "with" | "local"
    )
}

/// Programs whose words behind `--` are for the project's own program.
pub(super) const OWN: &[&str] = &[
    "cargo", "npm", "pnpm", "yarn", "bun", "go", "dotnet", "make", "gradle", "gradlew", "mvn",
    "swift", "node", "deno", "git", "bazel", "nx", "turbo", "mix", "sbt", "stack", "cabal", "zig",
    "docker", "podman", "kubectl", "oc", "k",
];

/// Services that run a script on machines: `aws ssm send-command`, `az vm run-command`.
pub(super) fn sent(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let sends = arguments.iter().take(6).any(|word| {
        matches!(
            word.text.as_str(),
            "send-command" | "run-command" | "execute-command"
        )
    });
    if !sends {
        return;
    }
    for word in arguments
        .iter()
        .filter(|word| word.text.contains(' '))
        .take(16)
    {
        let texts = super::inline_code::literals(&word.text);
        if texts.is_empty() {
            judge.inner_script(&word.text, true);
        }
        for text in texts {
            judge.inner_script(&text, true);
        }
    }
}

/// `tool exec box -- rm -rf /srv`, `heroku run rails db:drop`: judges what is run inside.
pub(super) fn lent(judge: &mut Judge, call: Call) {
    let name = call.name;
    let arguments = call.arguments();
    behind(judge, call);
    lines(judge, call);
    if arguments.len() < 2 || call.program.traits.has(Traits::OWN) {
        return;
    }
    let lends = matches!(
        name,
        "heroku"
            | "railway"
            | "adb"
            | "lima"
            | "toolbox"
            | "devbox"
            | "ddev"
            | "lando"
            | "warden"
            | "sail"
    );
    if !lends && !arguments.iter().any(|word| word.text == "--") {
        return;
    }
    let verb = arguments
        .iter()
        .take(4)
        .position(|word| is_lending(&word.text));
    let dashes = arguments
        .iter()
        .position(|word| word.text == "--")
        .filter(|at| verb.is_some_and(|verb| verb < *at) || call.program.rules.is_empty());
    let rest = match (dashes, verb) {
        (Some(at), _) if !call.program.traits.has(Traits::NAMES) => arguments.get(at + 1..),
        (None, Some(at)) if lends => arguments.get(at + 1..),
        _ => None,
    };
    let Some(mut rest) = rest else {
        return;
    };
    // `heroku run -a app rails …`
    while let [option, behind @ ..] = rest
        && lends
        && option.text.starts_with('-')
    {
        let valued = matches!(
            option.text.as_str(),
            "-a" | "--app" | "-r" | "--remote" | "-s" | "--size" | "-e" | "--env" | "-t" | "--type"
        );
        rest = behind.get(usize::from(valued)..).unwrap_or_default();
    }
    if rest.is_empty() {
        return;
    }
    let remote = !arguments
        .iter()
        .take(4)
        .any(|word| matches!(word.text.as_str(), "with" | "env"));
    // Several words are a call; one word may be a whole script.
    let text = match rest {
        [word, ..] if word.text.contains(' ') => word.text.to_string(),
        [word] => word.text.to_string(),
        words if name == "adb" => words
            .iter()
            .map(|word| word.text.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        words => words
            .iter()
            .map(|word| quoted(&word.text))
            .collect::<Vec<_>>()
            .join(" "),
    };
    judge.inner_script(&text, remote || call.command.remote);
}

/// The words behind a program that only it takes and that mean harm; none for most programs.
pub(super) fn telling(program: &str) -> &'static [&'static str] {
    match program {
        "rm" => &["-rf", "-fr", "-r", "-R", "-Rf", "-f"],
        "git" => &[
            "reset",
            "clean",
            "push",
            "checkout",
            "restore",
            "filter-branch",
            "branch",
            "stash",
        ],
        "sh" => &["-c", "-lc"],
        "bash" => &["-c", "-lc", "-ec"],
        "find" => &["."],
        "psql" => &["-c"],
        "mysql" => &["-e"],
        "terraform" => &["destroy"],
        "kubectl" => &["delete"],
        "shred" => &["-u"],
        "truncate" => &["-s"],
        _ => &[],
    }
}

/// `anything --of-its-own rm -rf src`: a program that no table knows, and behind it one that is known
/// with words that only belong to it.
fn behind(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    if !arguments.iter().take(13).any(is_program) {
        return;
    }
    let name = call.name;
    let known = call.program.traits.any() || !call.program.rules.is_empty();
    // Of programs that are known, only what stands behind a verb that runs another.
    if known
        && (call.program.traits.has(Traits::SQL)
            || ELSEWHERE.contains(&name)
            || (name != "just" && !arguments.iter().take(8).any(runs_others)))
    {
        return;
    }
    let remote = call.command.remote || call.program.rules.iter().any(is_about_others);
    let found = arguments.windows(2).take(12).position(|pair| {
        let [program, next] = pair else {
            return false;
        };
        telling(program.program()).contains(&next.text.as_str())
    });
    let Some(at) = found else {
        return;
    };
    let before = arguments.get(..at).unwrap_or_default();
    if before
        .iter()
        .any(|word| READING.contains(&word.text.as_str()) && !runs_others(word))
    {
        return;
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let text: Vec<String> = rest.iter().map(|word| quoted(&word.text)).collect();
    judge.inner_script(&text.join(" "), remote);
}

/// Returns true if a word may name a program with [`telling`] words.
fn is_program(word: &Word) -> bool {
    let text = word.text.as_str();
    text.contains('/') || !telling(text).is_empty()
}

/// Returns true if another program stands behind a word.
fn runs_others(word: &Word) -> bool {
    let text = word.text.as_str();
    is_lending(text) || is_repeating(text)
}

/// Returns true if what a program does happens on other machines.
fn is_about_others(rule: &table::Rule) -> bool {
    matches!(rule.kind, Kind::RemoteDelete | Kind::RemoteChange)
}

/// Returns true if a word is a verb behind which a program runs in many places, or again and again.
fn is_repeating(word: &str) -> bool {
    matches!(
        word,
        "foreach"
            | "forall"
            | "watch"
            | "dlx"
            | "enter"
            | "debug"
            | "attach"
            | "--command"
            | "--exec"
    )
}

/// Programs whose inner ones are judged elsewhere.
const ELSEWHERE: &[&str] = &[
    "docker",
    "podman",
    "nerdctl",
    "docker-compose",
    "podman-compose",
    "kubectl",
    "oc",
    "k",
    "git",
    "ssh",
    "npx",
    "trap",
    "env",
    "eval",
    "su",
    "script",
    "flock",
    "curl",
    "wget",
];
/// Options behind which any program takes a command line.
const LINES_BEHIND: &[&str] = &[
    "--command",
    "--cmd",
    "--exec",
    "--wrap",
    "--run_under",
    "--run-command",
    "--firstboot-command",
    "--run",
    "--prepare",
    "--setup",
    "--cleanup",
    "--conclude",
    "--scripts",
    "--script",
    "--shell-command",
    "--on-change",
    "--pre",
    "--post",
    "--hook",
    "--pre-hook",
    "--post-hook",
    "--deploy-hook",
    "--entrypoint",
    "--to-command",
    "--parameters",
    "command",
    "--content",
];
/// Options that take command lines of some programs, and other things of others.
const PERHAPS_BEHIND: &[&str] = &["-c", "-x", "-e", "-s", "-C", "-r", "-pc", "-ex", "-X", "-a"];
/// Programs that only repeat, look up or send on what they are told.
const TALKING: &[&str] = &[
    "notify-send",
    "say",
    "cowsay",
    "figlet",
    "tldr",
    "llm",
    "claude",
    "codex",
    "gemini",
    "aider",
    "ollama",
    "sgpt",
    "aichat",
    "slack",
    "jira",
    "linear",
    "gh",
    "glab",
    "git",
    "explainshell",
    "shfmt",
    "shellcheck",
    "pbcopy",
    "xclip",
    "wl-copy",
    "logger",
    "wall",
    "write",
    "aictx",
    "bd",
    "espeak",
    "toilet",
    "lolcat",
    "whiptail",
    "dialog",
    "gum",
    "zenity",
    "osascript",
    "mail",
    "sendmail",
    "mutt",
    "todo",
    "task",
    "howdoi",
    "cheat",
    "ccze",
    "hub",
    "tea",
    "commitizen",
    "cz",
    "gcalcli",
    "obsidian",
    "nb",
    "jrnl",
    "goose",
    "amp",
    "cursor-agent",
    "opencode",
    "q",
    "crush",
    "qwen",
    "qrencode",
    "complete",
    "bind",
    "banner",
    "lpr",
    "tee",
    "xdotool",
];

/// Returns true if a text holds a line that does harm, `rm -rf src` or `cd x && sudo git reset --hard`: where a
/// command would stand, not in the middle of a sentence.
fn is_telling(text: &str) -> bool {
    text.split([';', '&', '|', '\n', '[', '('])
        .take(MAX_PIECES)
        .any(|piece| {
            let mut words = piece
                .split([' ', '\t', '"', '\'', ',', ']', ')'])
                .filter(|word| !word.is_empty() && !matches!(*word, "sudo" | "exec" | "spawn"));
            let program = words.next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            let told = telling(program);
            !told.is_empty() && words.next().is_some_and(|next| told.contains(&next))
        })
}

/// Returns true if the word in a program's place is a whole line.
pub(super) fn is_line(word: &Word) -> bool {
    word.text.len() <= MAX_LINE && word.text.contains(' ') && is_telling(&word.text)
}

/// Command lines that programs nobody knows are given as one word: behind an option that says so, or
/// with words that only belong to programs that do harm.
pub(super) fn lines(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    // Almost no call has a word with a blank in it.
    let mut before = "";
    let mut found: Vec<(&str, &str, bool)> = Vec::new();
    for word in arguments.iter().take(64) {
        let option = std::mem::replace(&mut before, word.text.as_str());
        if !word.text.contains(' ') {
            continue;
        }
        let (option, value) = match word.text.split_once('=') {
            // `watch "X='rm -rf src'"`: a line that only sets a variable.
            Some((name, value)) if !name.starts_with('-') && value.starts_with(['\'', '"']) => {
                continue;
            }
            Some((name, value)) if !name.contains(' ') => (name, value),
            _ => (option, word.text.as_str()),
        };
        if !value.contains(' ') || value.len() > MAX_LINE {
            continue;
        }
        let told = is_telling(value);
        if told || LINES_BEHIND.contains(&option) {
            found.push((option, value, told));
        }
    }
    if found.is_empty() {
        return;
    }
    let name = call.name;
    let of = |traits| call.program.traits.has(traits);
    if of(Traits::DATA)
        || of(Traits::SQL)
        || TALKING.contains(&name)
        || ELSEWHERE.contains(&name)
        || of(Traits::SHELL)
        || call.program.interpreter.is_some()
        || is_harmless(arguments)
    {
        return;
    }
    let rules = call.program.rules;
    let remote = call.command.remote || rules.iter().any(is_about_others);
    // Of programs that are known, only what stands behind an option that says so, or a verb.
    let known = call.program.traits.any() || !rules.is_empty();
    // `cargo run -- check 'rm -rf src'`: what its own program is told is a text.
    let own = |word: &Word| of(Traits::OWN) && word.text == "run";
    let lends = arguments
        .iter()
        .take(8)
        .any(|word| runs_others(word) && !own(word));
    let script = call
        .command
        .words
        .first()
        .is_some_and(verb_heuristics::is_script);
    for (option, value, told) in found {
        let given = if LINES_BEHIND.contains(&option) {
            told || !of(Traits::NAMES)
        } else if PERHAPS_BEHIND.contains(&option) {
            !of(Traits::NAMES) || lends
        } else {
            (!known || lends) && !script && !verb_heuristics::is_naming(option)
        };
        if !given {
            continue;
        }
        if value.starts_with(['[', '{']) {
            for text in super::inline_code::literals(value).into_iter().take(16) {
                judge.inner_script(&text, remote);
            }
        } else {
            judge.inner_script(value, remote);
        }
    }
}

/// Pieces of a text in which a command is looked for.
const MAX_PIECES: usize = 256;
/// Bytes of a line that is given as one word.
const MAX_LINE: usize = 16 * 1024;

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
