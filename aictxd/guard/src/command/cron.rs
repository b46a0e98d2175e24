//! Tables of commands that run by the clock.

use aictx_shell::RedirectKind;

use super::options::has_option;
use super::{Call, Judge, Kind, Tier, stdin_source};

/// A new table takes the place of the old one.
pub(super) fn crontab(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    if has_option(words, &["-l", "-r", "-e", "-V"]) {
        return;
    }
    let given = words
        .iter()
        .any(|word| !word.text.starts_with('-') || word.text == "-");
    let read = call
        .command
        .redirects
        .iter()
        .any(|redirect| matches!(redirect.kind, RedirectKind::Read | RedirectKind::Heredoc));
    if words.iter().any(|word| word.text == "/dev/null") {
        judge.hit(
            Some(call),
            Kind::Delete,
            Tier::Destructive,
            "crontab",
            ["/dev/null"],
        );
        return;
    }
    if super::truncation::is_fed_nothing(call) {
        judge.hit(
            Some(call),
            Kind::Delete,
            Tier::Destructive,
            "crontab",
            ["nothing"],
        );
        return;
    }
    // Behind five fields, or one word with an `@`, stands a command.
    for text in stdin_source::piped_texts(call) {
        for line in text.lines().take(64) {
            let fields = if line.trim_start().starts_with('@') {
                1
            } else {
                5
            };
            let words: Vec<&str> = line.split_whitespace().skip(fields).collect();
            if !words.is_empty() {
                judge.inner_script(&words.join(" "), call.command.remote);
            }
        }
    }
    if given || read || call.command.piped_from.is_some() {
        // The old table is taken over, or kept in a file.
        let before = call.script.commands.get(..call.segment).unwrap_or_default();
        let mut commands = before.iter().rev().take(64);
        let kept = commands
            .any(|command| command.name() == "crontab" && has_option(command.arguments(), &["-l"]));
        let typed = call.command.piped_from.is_some() && !kept;
        let tier = if typed {
            Tier::Destructive
        } else {
            Tier::Risky
        };
        judge.hit(Some(call), Kind::Overwrite, tier, "crontab", []);
    }
}
