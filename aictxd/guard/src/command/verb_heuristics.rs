//! Heuristics for programs that no table knows: they are named by people, too, and `destroy`
//! means the same everywhere.

use std::borrow::Cow;
use std::sync::LazyLock;

use aictx_proto::text::lower;
use aictx_shell::{ByName, Word};

use super::options::{has_option, is_harmless, operands_of};
use super::table::Traits;
use super::{Call, Judge, Kind, Tier};

/// Verbs that nobody gives to something that can be had again.
pub(super) const STRONG: &[&str] = &[
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
pub(super) const WEAK: &[&str] = &[
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
/// Those of them that take away what is named behind them, in whatever program.
const TAKING: &[&str] = &["remove", "rm", "del", "unregister", "prune", "yank", "zap"];
/// Options that say it by themselves; all that start so.
const OPTIONS: &[&str] = &[
    "--delete-all",
    "--delete-app",
    "--delete-data",
    "--remove-all",
    "--removetarget",
    "--erase",
    "--mass-erase",
    "--wipe",
    "--destroy",
    "--purge-all",
    "--purge-data",
    "--purge-objects",
    "--drop-all",
    "--nuke",
    "--force-delete",
    "--factory-reset",
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
pub(super) const READING: &[&str] = &[
    "get", "list", "ls", "show", "view", "describe", "explain", "help", "search", "find", "can-i",
    "logs", "log", "test", "run", "create", "new", "generate", "g", "add", "build", "check",
    "lint", "info", "status", "open", "edit", "start", "watch", "exec", "install", "diff", "plan",
    "docs", "init", "set", "config", "t", "r", "x", "man", "which", "print", "cat", "read",
    "query", "compile", "serve", "render", "preview", "validate", "verify", "inspect", "fmt",
    "parse", "bench", "trigger", "image",
];
/// In which of these lists a word stands.
#[derive(Debug, Clone, Copy, Default)]
struct Said(u8);

impl Said {
    const STRONG: Self = Self(1);
    const WEAK: Self = Self(2);
    const TAKING: Self = Self(4);
    const READING: Self = Self(8);

    fn by(word: &str) -> Self {
        SAID.get(word).copied().unwrap_or_default()
    }

    fn has(self, list: Self) -> bool {
        self.0 & list.0 != 0
    }
}

/// The lists of each word, to be asked about every call that nothing is known of.
static SAID: LazyLock<ByName<Said>> = LazyLock::new(|| {
    let mut map: ByName<Said> = ByName::default();
    for (words, list) in [
        (STRONG, Said::STRONG),
        (WEAK, Said::WEAK),
        (TAKING, Said::TAKING),
        (READING, Said::READING),
    ] {
        for word in words {
            map.entry(word).or_default().0 |= list.0;
        }
    }
    map
});
/// Options behind which people write names, texts and patterns of their own.
const NAMING: &[&str] = &[
    "--name",
    "-n",
    "--message",
    "-m",
    "--title",
    "-t",
    "--description",
    "--body",
    "-b",
    "--comment",
    "--label",
    "-l",
    "--tag",
    "--branch",
    "--filter",
    "--grep",
    "-g",
    "--pattern",
    "--match",
    "--search",
    "--query",
    "-q",
    "--only",
    "--test",
    "-k",
    "--keyword",
    "--group",
    "--topic",
    "--file",
    "--out",
    "--output",
    "-o",
    "--format",
    "--template",
    "--scope",
    "--exclude",
    "--include",
    "--ignore",
    "--skip",
    "--event",
    "--user",
    "-u",
    "--profile",
    "--context",
    "--project",
    "-p",
    "--workspace",
    "-w",
    "--package",
    "--bin",
    "--example",
    "--features",
    "--target",
    "--env",
    "-e",
    "--role",
    "--reason",
    "--note",
    "--key",
    "--field",
];
/// Programs whose operands are files, tests or names of people's own.
pub(super) const NAMES: &[&str] = &[
    "cp",
    "mv",
    "ln",
    "touch",
    "mkdir",
    "rm",
    "unlink",
    "rimraf",
    "del-cli",
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
    "findstr",
    "where",
    "ack",
    "ag",
    "ugrep",
    "batgrep",
    "comby",
    "semgrep",
    "ast-grep",
    "sg",
    "spell",
    "aspell",
    "codespell",
    "vale",
    "markdownlint",
    "difft",
    "delta",
    "bat",
    "batcat",
    "glow",
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
    let name = call.name;
    let arguments = call.arguments();
    if arguments.is_empty()
        || call.program.traits.has(Traits::NAMES)
        || call.command.words.first().is_none_or(is_script)
    {
        return;
    }
    let operands = operands_of(call.program.valued, arguments);
    // What the table excuses is not accused by its verb.
    if call
        .program
        .rules
        .iter()
        .any(|rule| rule.excuses(&operands, arguments))
    {
        return;
    }
    let insists = || has_option(arguments, INSISTENT);
    let cloud = call
        .program
        .rules
        .iter()
        .any(|rule| rule.kind == Kind::RemoteDelete);
    let says = |word: &&Word| {
        let text = word.text.as_str();
        text.starts_with("--")
            && OPTIONS.iter().any(|option| text.starts_with(option))
            && !text.contains("cache")
    };
    if let Some(option) = arguments.iter().take(64).find(says)
        && !is_harmless(arguments)
        && !has_option(arguments, &["-n"])
        && !operands
            .words
            .iter()
            .take(2)
            .any(|word| READING.contains(word))
    {
        let verb = format!("{name} {}", option.text);
        let shown = operands.words.iter().copied();
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, shown);
        return;
    }
    // A verb stands first, or behind the thing it is for; of programs that the table knows, only
    // what stands before the first option is certainly no value.
    let reach = if cloud { operands.leading.min(3) } else { 3 };
    for (at, word) in operands.words.iter().take(reach).enumerate() {
        let word_only = lower(word);
        let said = Said::by(&word_only);
        let reads = |part: &str| Said::by(part).has(Said::READING);
        // `migrate:make drop_users`
        let topic = || word_only.split(':').skip(1);
        if said.has(Said::READING)
            || (word_only.contains(':') && topic().any(|part| reads(part) || part == "make"))
        {
            return;
        }
        // `pgrep -fl delete`: a value or a pattern.
        let behind = |word: &Word| word.text.starts_with('-');
        let alone = at == 0 && operands.words.len() == 1 && arguments.first().is_some_and(behind);
        if alone && !insists() {
            return;
        }
        let (first, last) = ends(word);
        // `deletetable`, `del-br`, `user-del`: verb and thing in one word.
        let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
        let joined = word.strip_prefix("delete").is_some_and(|thing| {
            letters(thing) && !matches!(thing, "" | "d" | "r" | "s") && thing.len() < 16
        }) || (first != last && (first == "del" || last == "del"));
        // `test_delete` is a test.
        if first != last && matches!(first.as_ref(), "test" | "check" | "bench" | "lint") {
            continue;
        }
        let (begins, closes) = (Said::by(&first), Said::by(&last));
        let is = |list: Said| begins.has(list) || closes.has(list);
        let tier = if is(Said::STRONG) || joined || (cloud && is(Said::WEAK) && insists()) {
            Tier::Destructive
        } else if (is(Said::WEAK) && insists())
            || (!cloud && said.has(Said::TAKING) && operands.words.len() > at + 1)
        {
            Tier::Risky
        } else {
            continue;
        };
        if is_harmless(arguments) {
            return;
        }
        // `--name drop_legacy`: somebody's own word.
        let named = |pair: &[Word]| matches!(pair, [option, value] if value.text == *word && is_naming(&option.text));
        if arguments.windows(2).any(named) {
            continue;
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

/// `./tool` and `dir/tool` are the project's own; what they do is read, not guessed.
pub(super) fn is_script(program: &Word) -> bool {
    program.text.contains('/') && !program.text.starts_with('/')
}

/// Returns true if people write something of their own behind an option.
pub(super) fn is_naming(option: &str) -> bool {
    NAMING.contains(&option)
        || (option.starts_with('-') && (option.ends_with("-name") || option.ends_with("-id")))
}

/// Returns true if a name in one of the usual spellings says that something goes: `delete-asset`, `DeleteUser`.
pub(super) fn is_strong(name: &str) -> bool {
    let mut letters = name.chars();
    let Some(initial) = letters.next() else {
        return false;
    };
    let name = format!("{}{}", initial.to_ascii_lowercase(), letters.as_str());
    let (first, _) = ends(&name);
    Said::by(&first).has(Said::STRONG)
}

/// The first and last part of `delete-asset`, `database:remove`, `deleteSite`.
fn ends(word: &str) -> (Cow<'_, str>, Cow<'_, str>) {
    let no_verb = |byte| matches!(byte, b'/' | b'.' | b'=' | b' ');
    if word.len() > 40 || word.bytes().any(no_verb) {
        return Default::default();
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
    (lower(first), lower(last))
}
