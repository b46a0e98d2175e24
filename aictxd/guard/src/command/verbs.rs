//! What is said of programs that no table knows: they are named by people, too, and `destroy`
//! means the same everywhere.

use aictx_signals::shell::Word;

use super::options::{has_option, is_harmless, operands_of};
use super::table::Traits;
use super::{Call, Judge, Kind, Tier, table};

/// Verbs that nobody gives to something that can be had again.
const STRONG: &[&str] = &[
    "delete",
    "destroy",
    "purge",
    "erase",
    "wipe",
    "nuke",
    "obliterate",
    "teardown",
    "drop",
    "terminate",
    "flushall",
    "flushdb",
    "dropdb",
];
/// Verbs that are harmless as often as not; telling when the question is taken away.
const WEAK: &[&str] = &[
    "remove",
    "rm",
    "del",
    "uninstall",
    "unregister",
    "unregistervm",
    "prune",
    "reset",
    "clear",
    "flush",
    "truncate",
    "revoke",
    "cleanup",
    "wipeout",
    "rollback",
    "expire",
];
/// Options that take the question away, or mean everything.
const INSISTENT: &[&str] = &[
    "-y",
    "--yes",
    "-f",
    "--force",
    "--all",
    "--confirm",
    "--no-prompt",
    "--no-confirm",
    "--assume-yes",
    "--non-interactive",
    "--delete",
    "--purge",
    "--approve",
    "--auto-approve",
];
/// Verbs before which a telling word is a name or a topic.
const READING: &[&str] = &[
    "get", "list", "ls", "show", "view", "describe", "explain", "help", "search", "find", "can-i",
    "logs", "log", "test", "run", "create", "new", "generate", "g", "add", "build", "check",
    "lint", "info", "status", "open", "edit", "start", "watch", "exec", "install", "diff", "plan",
    "docs", "init", "set", "config", "t", "r", "x", "man", "which", "print", "cat", "read",
    "query",
];
/// Programs whose operands are files, tests or names of people's own.
pub(super) const NAMES: &[&str] = &[
    "cp",
    "mv",
    "ln",
    "touch",
    "mkdir",
    "rmdir",
    "stat",
    "file",
    "du",
    "tree",
    "vim",
    "vi",
    "nvim",
    "nano",
    "pgrep",
    "pidof",
    "lsof",
    "redis-cli",
    "valkey-cli",
    "keydb-cli",
    "command",
    "hash",
    "builtin",
    "emacs",
    "code",
    "open",
    "xdg-open",
    "sed",
    "gsed",
    "awk",
    "gawk",
    "perl",
    "python",
    "python3",
    "node",
    "ruby",
    "deno",
    "bun",
    "php",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "phpunit",
    "ctest",
    "tox",
    "nox",
    "go",
    "cargo",
    "make",
    "gmake",
    "ninja",
    "just",
    "task",
    "npm",
    "pnpm",
    "yarn",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "dotnet",
    "mix",
    "swift",
    "bazel",
    "git",
    "hg",
    "svn",
    "tee",
    "xargs",
    "find",
    "fd",
    "install",
    "rsync",
    "scp",
    "tar",
    "zip",
    "unzip",
    "chmod",
    "chown",
    "kill",
    "sh",
    "bash",
    "zsh",
    "fish",
    "dash",
    "source",
    ".",
    "eval",
    "exit",
    "return",
    "set",
    "unset",
    "read",
    "column",
    "comm",
    "paste",
    "md5sum",
    "sha256sum",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "date",
    "logger",
    "notify-send",
    "say",
    "tput",
    "stty",
    "seq",
    "expr",
    "let",
    "if",
    "while",
    "until",
    "function",
    "fzf",
    "tmux",
    "screen",
    "shellcheck",
    "rustc",
    "gcc",
    "cc",
    "clang",
    "javac",
    "java",
    "tsc",
    "eslint",
    "prettier",
    "rubocop",
    "ruff",
    "black",
    "mypy",
    "apropos",
    "whatis",
    "info",
    "tldr",
    "whereis",
    "strings",
    "nm",
    "objdump",
    "hexdump",
    "xxd",
    "od",
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "ssh",
    "sftp",
    "k6",
    "wrk",
    "ab",
    "hey",
    "hyperfine",
    "write-host",
    "write-output",
    "get-content",
    "select-string",
    "wsl",
    "rg",
    "composer",
    "bundle",
    "rails",
    "rake",
    "manage.py",
    "artisan",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "conda",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "snap",
    "docker",
    "podman",
];

/// Judges a call about which nothing else was said.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    let arguments = call.arguments();
    if arguments.is_empty()
        || call.traits.has(Traits::NAMES)
        || call.command.words.first().is_none_or(is_script)
    {
        return;
    }
    let operands = operands_of(name, arguments);
    // What the table excuses is not accused by its verb.
    if table::rules_of(name)
        .iter()
        .any(|rule| rule.excuses(&operands, arguments))
    {
        return;
    }
    let insists = has_option(arguments, INSISTENT);
    let cloud = table::rules_of(name)
        .iter()
        .any(|rule| rule.kind == Kind::RemoteDelete);
    // A verb stands first, or behind the thing it is for; of programs that the table knows, only
    // what stands before the first option is certainly no value.
    let reach = if cloud { operands.leading.min(3) } else { 3 };
    for (at, word) in operands.words.iter().take(reach).enumerate() {
        if READING.contains(&word.to_ascii_lowercase().as_str()) {
            return;
        }
        // `pgrep -fl delete`: a value or a pattern.
        let alone = at == 0 && operands.words.len() == 1 && !insists;
        if alone
            && arguments
                .first()
                .is_some_and(|word| word.text.starts_with('-'))
        {
            return;
        }
        let (first, last) = ends(word);
        let is = |verbs: &[&str]| verbs.contains(&first.as_str()) || verbs.contains(&last.as_str());
        let tier = if is(STRONG) || (cloud && insists && is(WEAK)) {
            Tier::Destructive
        } else if is(WEAK) && insists {
            Tier::Risky
        } else {
            continue;
        };
        if is_harmless(arguments) {
            return;
        }
        let verb = format!("{name} {word}");
        let kind = if cloud {
            Kind::RemoteDelete
        } else {
            Kind::Delete
        };
        let shown = operands.words.iter().skip(at + 1).copied();
        judge.hit(Some(call), kind, tier, &verb, shown);
        return;
    }
}

/// What the name of a script that nothing else is known of promises: `drop_all.sql`, `wipe.sh`.
pub(super) fn promised_by_file(path: &str) -> Option<Tier> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if stem.len() > 64 {
        return None;
    }
    let mut parts = stem.split(['-', '_', ':', ' ']);
    if parts
        .clone()
        .any(|part| READING.contains(&part) && part != "set")
    {
        return None;
    }
    let says = |verbs: &[&str], part: &str| verbs.contains(&part);
    if parts
        .clone()
        .any(|part| says(STRONG, part) || says(&["truncate", "flush"], part))
    {
        Some(Tier::Destructive)
    } else if parts.any(|part| says(WEAK, part)) {
        Some(Tier::Risky)
    } else {
        None
    }
}

/// `./tool` and `dir/tool` are the project's own; what they do is read, not guessed.
fn is_script(program: &Word) -> bool {
    program.text.contains('/') && !program.text.starts_with('/')
}

/// The first and last part of `delete-asset`, `database:remove`, `deleteSite`.
fn ends(word: &str) -> (String, String) {
    if word.len() > 40 || word.contains(['/', '.', '=', ' ']) {
        return (String::new(), String::new());
    }
    let separators = ['-', ':', '_'];
    let camel = word
        .find(|c: char| c.is_ascii_uppercase())
        .filter(|at| *at > 0);
    let first = match camel {
        Some(at) => word.get(..at).unwrap_or_default(),
        None => word.split(separators).next().unwrap_or_default(),
    };
    let last = word.rsplit(separators).next().unwrap_or_default();
    (first.to_ascii_lowercase(), last.to_ascii_lowercase())
}

/// Verbs behind which another program stands, for programs that lend a place or secrets.
const LENDING: &[&str] = &[
    "exec", "run", "shell", "ssh", "enter", "env", "with", "local",
];
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
        let texts = super::code::literals(&word.text);
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
    let name = call.command.name();
    let arguments = call.arguments();
    if arguments.len() < 2 || call.traits.has(Traits::OWN) {
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
    behind(judge, call);
    if !lends && !arguments.iter().any(|word| word.text == "--") {
        return;
    }
    let verb = arguments
        .iter()
        .take(4)
        .position(|word| LENDING.contains(&word.text.as_str()));
    let dashes = arguments
        .iter()
        .position(|word| word.text == "--")
        .filter(|at| verb.is_some_and(|verb| verb < *at) || table::rules_of(name).is_empty());
    let rest = match (dashes, verb) {
        (Some(at), _) if !call.traits.has(Traits::NAMES) => arguments.get(at + 1..),
        (None, Some(at)) if lends => arguments.get(at + 1..),
        _ => None,
    };
    let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
        return;
    };
    let remote = !arguments
        .iter()
        .take(4)
        .any(|word| matches!(word.text.as_str(), "with" | "env"));
    // Several words are a call; one word may be a whole script.
    let text = match rest {
        [word] => word.text.clone(),
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

/// Programs that mean harm with options only they take.
const TELLING: &[(&str, &[&str])] = &[
    ("rm", &["-rf", "-fr", "-r", "-R", "-Rf", "-f"]),
    (
        "git",
        &[
            "reset",
            "clean",
            "push",
            "checkout",
            "restore",
            "filter-branch",
            "branch",
            "stash",
        ],
    ),
    ("sh", &["-c", "-lc"]),
    ("bash", &["-c", "-lc", "-ec"]),
    ("find", &["."]),
    ("psql", &["-c"]),
    ("mysql", &["-e"]),
    ("terraform", &["destroy"]),
    ("kubectl", &["delete"]),
    ("shred", &["-u"]),
    ("truncate", &["-s"]),
];

/// `anything --of-its-own rm -rf src`: a program that no table knows, and behind it one that is known
/// with words that only belong to it.
fn behind(judge: &mut Judge, call: Call) {
    if call.traits.any() || !table::rules_of(call.command.name()).is_empty() {
        return;
    }
    let arguments = call.arguments();
    let found = arguments.windows(2).take(12).position(|pair| {
        let [program, next] = pair else {
            return false;
        };
        let known = TELLING.iter().find(|(name, _)| *name == program.program());
        known.is_some_and(|(_, words)| words.contains(&next.text.as_str()))
    });
    let Some(at) = found else {
        return;
    };
    let before = arguments.get(..at).unwrap_or_default();
    if before
        .iter()
        .any(|word| READING.contains(&word.text.as_str()) && !LENDING.contains(&word.text.as_str()))
    {
        return;
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let text: Vec<String> = rest.iter().map(|word| quoted(&word.text)).collect();
    judge.inner_script(&text.join(" "), call.command.remote);
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
