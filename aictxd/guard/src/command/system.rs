//! Processes, and calls whose meaning hangs on a value: `kill -9 -1`, `curl -X DELETE`.

use aictx_signals::shell::{RedirectKind, Word};

use super::options::{has_option, value_of};
use super::{Call, Judge, Kind, Level, Tier, code};

/// Returns whether the program is one of these and there is nothing more to know about it.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    match call.command.name() {
        "kill" => kill(judge, call),
        "curl" | "wget" | "xh" | "http" | "https" | "gh" | "glab" => {
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
        "vi" | "vim" | "nvim" | "ex" => editor(judge, call),
        "ansible" => {
            let absent =
                |word: &Word| word.text.contains("state=absent") && word.text.contains("path=");
            if call.arguments().iter().any(absent) {
                let verb = "ansible state=absent";
                judge.hit(Some(call), Kind::RemoteDelete, Tier::Destructive, verb, []);
            }
            return false;
        }
        "lftp" | "sftp" | "ftp" => transfers(judge, call),
        // What is typed into another terminal, or run on many machines.
        "tmux" | "pssh" | "parallel-ssh" | "pdsh" | "clush" => {
            for word in call
                .arguments()
                .iter()
                .filter(|word| word.text.contains(' '))
            {
                judge.inner_script(&word.text, call.command.remote);
            }
            return false;
        }
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

/// `vim -c '%d' -c wq file`: an editor that runs a script.
fn editor(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let all = ["%d", "1,$d", "g/^/d", "g/./d"];
    let says = |word: &Word| {
        let text = word.text.trim_start_matches(['+', ':']);
        text.split('|').any(|order| all.contains(&order.trim()))
    };
    if words.iter().any(says) {
        let shown = words.last().map(|word| word.text.as_str());
        let name = call.command.name();
        judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, name, shown);
    }
    for word in words {
        if let Some(text) = word
            .text
            .strip_prefix(":!")
            .or_else(|| word.text.strip_prefix("+!"))
        {
            judge.inner_script(text, call.command.remote);
        }
    }
}

/// Orders for a file transfer.
fn transfers(judge: &mut Judge, call: Call) {
    let orders = |text: &str| {
        text.split([';', '\n']).any(|order| {
            let mut words = order.split_whitespace();
            match words.next() {
                Some("rm" | "mrm" | "rmdir" | "mdelete" | "delete") => true,
                Some("glob") => matches!(words.next(), Some("rm" | "mrm")),
                Some("mirror") => {
                    words.any(|word| word.starts_with("--delete") || word.starts_with("--Remove"))
                }
                _ => false,
            }
        })
    };
    let texts = super::data::piped_texts(call);
    if texts.iter().any(|text| orders(text))
        || call.arguments().iter().any(|word| orders(&word.text))
    {
        let name = call.command.name();
        judge.hit(Some(call), Kind::RemoteDelete, Tier::Destructive, name, []);
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
            // Behind options, whose values look the same.
            let mut first = words
                .iter()
                .filter(|word| !word.text.starts_with('-'))
                .take(3);
            let method = first.find(|word| word.text.eq_ignore_ascii_case("delete"))?;
            matches!(name, "xh" | "http" | "https").then_some(method.text.as_str())
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
    if call.feeder().is_some_and(super::writes::prints_nothing) {
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
    for text in super::data::piped_texts(call) {
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
        judge.hit(Some(call), Kind::Overwrite, Tier::Risky, "crontab", []);
    }
}
