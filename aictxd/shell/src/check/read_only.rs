//! Recognises command lines that only read: nobody has to run a search or a `git status` again.

use crate::{RedirectKind, SimpleCommand, Word};

/// Programs that read and print, or only say where things happen.
const LOOKERS: &[&str] = &[
    "[",
    "ack",
    "ag",
    "awk",
    "basename",
    "bat",
    "cat",
    "cd",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "false",
    "fd",
    "fdfind",
    "fgrep",
    "file",
    "find",
    "gawk",
    "grep",
    "head",
    "hexdump",
    "hostname",
    "id",
    "jq",
    "less",
    "locate",
    "ls",
    "lsof",
    "md5sum",
    "more",
    "nl",
    "od",
    "pgrep",
    "popd",
    "printenv",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sed",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "type",
    "uname",
    "uniq",
    "wc",
    "whereis",
    "which",
    "whoami",
    "xargs",
    "xxd",
    "yq",
];
/// Subcommands of git that only read.
const GIT_LOOKS: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "whatchanged",
];

/// Returns true if what a simple command prints goes into a file.
pub(super) fn writes(command: &SimpleCommand) -> bool {
    command.redirects.iter().any(|redirect| {
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
            && redirect.target.text != "/dev/null"
    })
}

/// Returns true if a simple command changes nothing and checks nothing.
pub(super) fn looks(command: &SimpleCommand) -> bool {
    let has = |wanted: fn(&str) -> bool| command.arguments().iter().any(|w| wanted(&w.text));
    !writes(command)
        && match command.name() {
            "" => true,
            "git" => git_looks(command.arguments()),
            "sed" => !has(|w| w.starts_with("-i") || w.starts_with("--in-place")),
            // What it runs stands beside it as a command of its own.
            "find" => !has(|w| w == "-delete" || w.starts_with("-fprint") || w.starts_with("-ok")),
            "yq" => !has(|w| w == "-i" || w == "--inplace"),
            "awk" | "gawk" => !has(|w| w.contains('>') || w.contains("system(") || w == "-i"),
            name => LOOKERS.contains(&name),
        }
}

fn git_looks(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => return GIT_LOOKS.contains(&verb),
        }
    }
    true
}
