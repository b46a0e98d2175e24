//! Processes, and calls whose meaning hangs on a value: `kill -9 -1`, `curl -X DELETE`.

use aictx_signals::shell::{RedirectKind, Word};

use super::options::{has_option, value_of};
use super::{Call, Judge, Kind, Level, Tier, code};

/// Returns whether the program is one of these and there is nothing more to know about it.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    match call.command.name() {
        "kill" => kill(judge, call),
        "curl" | "xh" | "http" | "https" | "gh" | "glab" => {
            request(judge, call);
            return false;
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            for word in call
                .arguments()
                .iter()
                .filter(|word| word.text.contains("system("))
            {
                code::judge(judge, call, "awk", &word.text);
            }
        }
        "crontab" => crontab(judge, call),
        "osascript" => {
            let told = |word: &Word| {
                let text = word.text.to_ascii_lowercase();
                text.contains("delete") || text.contains("empty trash") || text.contains("erase")
            };
            if call.arguments().iter().any(told) {
                judge.hit(Some(call), Kind::Delete, Tier::Destructive, "osascript", []);
            }
        }
        "eval" => unknown_text(judge, call, call.arguments().first()),
        "sh" | "bash" | "zsh" | "dash" => {
            let text = value_of(call.arguments(), &["-c", "-lc", "-ic"]);
            unknown_text(judge, call, text);
            return false;
        }
        _ => return false,
    }
    true
}

/// A script that is only known when it runs. Programs that print settings for the shell are usual.
fn unknown_text(judge: &mut Judge, call: Call, text: Option<&Word>) {
    if let Some(word) = text.filter(|word| word.unknown && word.inner.is_none())
        && word.text.starts_with('$')
        && call.arguments().len() == 1 + usize::from(call.command.name() != "eval")
    {
        let words = std::slice::from_ref(word);
        judge.undecidable(Level::Caution, call.command.name(), words);
    }
}

fn kill(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let signal = words
        .first()
        .map(|word| word.text.as_str())
        .filter(|text| text.starts_with('-') && text.len() > 1);
    if matches!(signal, Some("-l" | "-L" | "-0" | "--list")) {
        return;
    }
    let rest = words
        .get(usize::from(signal.is_some())..)
        .unwrap_or_default();
    // `kill -1` alone is a signal; a process id of -1 means all of them.
    let everything = rest
        .iter()
        .any(|word| matches!(word.text.as_str(), "-1" | "1" | "0"));
    if everything {
        let tier = Tier::Destructive;
        judge.hit(
            Some(call),
            Kind::ProcessKill,
            tier,
            "kill",
            ["every process"],
        );
    } else if matches!(signal, Some("-9" | "-KILL" | "-SIGKILL" | "-s" | "-STOP")) {
        let shown = rest.iter().map(|word| word.text.as_str());
        judge.hit(Some(call), Kind::ProcessKill, Tier::Risky, "kill -9", shown);
    }
}

/// `-X DELETE` and its spellings.
fn request(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    let words = call.arguments();
    if matches!(name, "gh" | "glab") && words.first().is_none_or(|word| word.text != "api") {
        return;
    }
    let method = value_of(words, &["-X", "--request", "--method"])
        .map(|word| word.text.as_str())
        .or_else(|| {
            words.iter().find_map(|word| {
                let text = word.text.as_str();
                ["-X", "--request=", "--method="]
                    .iter()
                    .find_map(|start| text.strip_prefix(start).filter(|rest| !rest.is_empty()))
            })
        })
        .or_else(|| {
            let first = words.iter().find(|word| !word.text.starts_with('-'))?;
            matches!(name, "xh" | "http" | "https").then_some(first.text.as_str())
        });
    if !method.is_some_and(|method| method.eq_ignore_ascii_case("DELETE")) {
        return;
    }
    let local = |word: &Word| {
        ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"]
            .iter()
            .any(|host| word.text.contains(host))
            || word.text.starts_with(':')
    };
    // `…/_all` and `…/*` are everything that a server holds.
    let everything = |word: &Word| {
        let path = word.text.split('?').next().unwrap_or_default();
        path.ends_with("/_all") || path.ends_with("/*")
    };
    let tier = if words.iter().any(local) && !words.iter().any(everything) {
        Tier::Risky
    } else {
        Tier::Destructive
    };
    let shown = words
        .iter()
        .filter(|word| word.text.contains('/'))
        .map(|word| word.text.as_str());
    let verb = format!("{name} DELETE");
    judge.hit(Some(call), Kind::RemoteDelete, tier, &verb, shown);
}

/// A new table takes the place of the old one.
fn crontab(judge: &mut Judge, call: Call) {
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
    if given || read || call.command.piped_from.is_some() {
        judge.hit(Some(call), Kind::Overwrite, Tier::Risky, "crontab", []);
    }
}
