//! Settings of git that a line changes.

use aictx_shell::Word;

use super::super::{Call, Judge, Kind, MAX_BACK, Tier, has_option};
use super::{operands, says};

/// Judges one call of `git config`.
pub(super) fn judge(judge: &mut Judge, call: Call, words: &[Word]) {
    alias(judge, call, words);
    forced_pushes(judge, call, words);
    user_settings(judge, call, words);
}

/// `git config remote.origin.push '+refs/heads/*:refs/heads/*' && git push`: pushed by force from now on.
fn forced_pushes(judge: &mut Judge, call: Call, words: &[Word]) {
    let set = words
        .iter()
        .any(|word| word.text.starts_with("remote.") && word.text.ends_with(".push"));
    let forced = words
        .iter()
        .any(|word| word.text.starts_with("+refs/heads"));
    let behind = call
        .script
        .commands
        .get(call.segment + 1..)
        .unwrap_or_default();
    let pushed = behind.iter().take(MAX_BACK).any(|command| {
        command.name() == "git"
            && command
                .arguments()
                .first()
                .is_some_and(|verb| verb.text == "push")
    });
    if set && forced {
        let tier = if pushed {
            Tier::Destructive
        } else {
            Tier::Risky
        };
        judge.hit(
            Some(call),
            Kind::RewriteHistory,
            tier,
            "git push by force",
            [],
        );
    }
}

/// Settings that say who somebody is and what they like to see; others say what is run, and where.
const PREFERENCES: &[&str] = &[
    "user.",
    "init.",
    "color.",
    "column.",
    "advice.",
    "pull.",
    "push.",
    "fetch.",
    "rebase.",
    "log.",
    "status.",
    "help.",
    "core.autocrlf",
    "core.editor",
    "core.eol",
    "core.longpaths",
    "core.pager",
    "core.quotepath",
];

/// `git config --global name value`: settings of the user or of the machine, for every repository.
fn user_settings(judge: &mut Judge, call: Call, words: &[Word]) {
    let wide = ["--global", "--system"];
    let Some(scope) = wide.into_iter().find(|scope| says(words, scope)) else {
        return;
    };
    let mut named = operands(words).peekable();
    let verb = named.next_if(|verb| {
        matches!(
            *verb,
            "get" | "list" | "set" | "unset" | "rename-section" | "edit"
        )
    });
    let asks = matches!(verb, Some("get" | "list"))
        || has_option(words, &["-l", "--list", "--get*"])
        // A name alone is looked up.
        || (verb.is_none()
            && named.count() < 2
            && !has_option(words, &["--unset*", "--remove-section", "-e", "--edit"]));
    let preferred = |word: &Word| {
        let key = word.text.to_ascii_lowercase();
        PREFERENCES.iter().any(|start| key.starts_with(start))
    };
    if !asks && !call.command.remote && !words.iter().any(preferred) {
        let (kind, verb) = (Kind::OutsideRepository, format!("git config {scope}"));
        judge.hit(Some(call), kind, Tier::Risky, &verb, operands(words));
    }
}

/// An alias that the same line uses afterwards.
fn alias(judge: &mut Judge, call: Call, words: &[Word]) {
    let mut words = words.iter();
    let Some(name) = words.find_map(|word| word.text.strip_prefix("alias.")) else {
        return;
    };
    let Some(value) = words.next() else {
        return;
    };
    let later = call
        .script
        .commands
        .get(call.segment + 1..)
        .unwrap_or_default();
    let used = later.iter().take(256).any(|command| {
        command.name() == "git"
            && command
                .arguments()
                .first()
                .is_some_and(|word| word.text == name)
    });
    if used {
        let text = match value.text.strip_prefix('!') {
            Some(script) => script.to_owned(),
            None => format!("git {}", value.text),
        };
        judge.inner_script(&text, call.command.remote);
    }
}
