//! Command lines that programs are given as values: of options (`tar --to-command=…`), of settings
//! (`git -c core.pager=…`), of variables (`PAGER=… git log`).

use aictx_shell::Word;

use super::table::Traits;
use super::{Call, Judge};

/// Programs and the options whose value they run as a command line.
static RUN_BY: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--to-command",
            "--checkpoint-action=exec",
            "--use-compress-program",
            "-I",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
        ],
    ),
    ("rsync", &["-e", "--rsh"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("man", &["-P", "--pager"]),
    ("mysql", &["--pager"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("borg", &["--rsh"]),
    ("tcpdump", &["-z"]),
    ("xterm", &["-e"]),
    ("gnome-terminal", &["-e", "--command"]),
    ("konsole", &["-e"]),
    ("alacritty", &["-e"]),
    ("fzf", &["--preview"]),
    (
        "git",
        &[
            "--upload-pack",
            "--receive-pack",
            "--extcmd",
            "--tree-filter",
            "--index-filter",
        ],
    ),
];
/// Settings of `ssh` and its sisters that are command lines.
const SSH_SETTINGS: &[&str] = &["proxycommand", "localcommand", "knownhostscommand"];
/// Settings of git that are command lines.
const GIT_SETTINGS: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.askpass",
    "core.gitproxy",
    "sequence.editor",
    "diff.external",
    "gpg.program",
    "credential.helper",
    "uploadpack.packobjectshook",
    "interactive.difffilter",
];
/// Sections of git's settings whose command lines have names of their own.
const GIT_SECTIONS: &[&str] = &[
    "pager.",
    "filter.",
    "difftool.",
    "mergetool.",
    "merge.",
    "diff.",
    "trailer.",
    "browser.",
];
/// Variables that programs run as a command line.
const VARIABLES: &[&str] = &[
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH_COMMAND",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "RSYNC_RSH",
    "LESSOPEN",
    "LESSCLOSE",
    "PROMPT_COMMAND",
    "BROWSER",
    "FZF_DEFAULT_COMMAND",
    "MAKEFLAGS",
];

/// The programs that are handed command lines.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let by_settings = [
        "ssh", "scp", "sftp", "rsync", "sshfs", "less", "more", "most", "npm", "pnpm",
    ];
    RUN_BY.iter().map(|(name, _)| *name).chain(by_settings)
}

/// Returns true if git runs what a setting says.
pub(super) fn is_run_by_git(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    GIT_SETTINGS.contains(&name.as_str())
        || GIT_SECTIONS.iter().any(|section| name.starts_with(section))
}

/// Judges the command lines that a call hands to its program.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    settings(judge, call, &call.command.assignments);
    if call.program.traits.has(Traits::HANDED) {
        values_of(judge, call);
    }
}

/// Those among the words of a program that takes some.
fn values_of(judge: &mut Judge, call: Call) {
    let remote = call.command.remote;
    let name = call.name;
    let arguments = call.arguments();
    match name {
        "ssh" | "scp" | "sftp" | "rsync" | "sshfs" => {
            for word in arguments.iter().take(64) {
                let text = word.text.strip_prefix("-o").unwrap_or(&word.text);
                let Some((setting, value)) = text.split_once(['=', ' ']) else {
                    continue;
                };
                let setting = setting.trim();
                if SSH_SETTINGS
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(setting))
                {
                    judge.inner_script(value, remote);
                }
            }
        }
        "npm" | "pnpm" => scripts(judge, call),
        "less" | "more" | "most" => {
            for word in arguments {
                if let Some(text) = word.text.strip_prefix("+!") {
                    judge.inner_script(text, remote);
                }
            }
        }
        _ => {}
    }
    let Some((_, options)) = RUN_BY.iter().find(|(known, _)| *known == name) else {
        return;
    };
    for text in values(arguments, options) {
        if text.contains(' ') {
            judge.fed_script(text, remote);
        }
    }
}

/// `npm pkg set scripts.x='…' && npm run x`: a script that the same line gives and runs.
fn scripts(judge: &mut Judge, call: Call) {
    let mut words = call.arguments().iter().take(64);
    if words.next().is_none_or(|word| word.text != "pkg") {
        return;
    }
    let later = call.script.commands.get(call.segment + 1..);
    let later = later.unwrap_or_default();
    for word in words {
        let given = word.text.strip_prefix("scripts.");
        let Some((name, script)) = given.and_then(|given| given.split_once('=')) else {
            continue;
        };
        let runs = later.iter().take(64).any(|command| {
            matches!(command.name(), "npm" | "pnpm" | "yarn" | "bun")
                && command.arguments().iter().any(|word| word.text == name)
        });
        if runs {
            judge.inner_script(script, call.command.remote);
        }
    }
}

/// `PROMPT_COMMAND='…'`, on its own, before a command or behind `export`.
pub(super) fn settings(judge: &mut Judge, call: Call, words: &[Word]) {
    for word in words.iter().take(64) {
        let Some((name, value)) = word.text.split_once('=') else {
            continue;
        };
        if VARIABLES.contains(&name) && value.contains(' ') {
            judge.fed_script(value, call.command.remote);
        }
    }
}

/// The values of some options: in the word itself, or the next one.
fn values<'w>(arguments: &'w [Word], options: &[&str]) -> Vec<&'w str> {
    let mut out = Vec::new();
    let mut words = arguments.iter().take(256);
    while let Some(word) = words.next() {
        for option in options {
            if word.text == *option {
                out.extend(words.next().map(|value| value.text.as_str()));
                break;
            }
            let value = word.text.strip_prefix(option);
            let value = value.and_then(|rest| {
                rest.strip_prefix('=')
                    .or_else(|| Some(rest).filter(|_| !option.starts_with("--")))
            });
            if let Some(value) = value {
                out.push(value);
                break;
            }
        }
    }
    out
}
