//! Names of PowerShell and `cmd`. Names and options know no case there.

use std::borrow::Cow;
use std::sync::LazyLock;

use aictx_shell::{Dialect, Names, Script, Word};

use super::delete::recursive;
use super::table::{REGENERABLE_FILES, Traits};
use super::{Call, Judge, Kind, Level, Tier, inline_code};

mod names;

pub(super) use names::names;
use names::{CLOUD_NOUNS, FETCHERS, HARMLESS_REMOVALS, KNOWN, VERBS, WITH_WORD};

/// Names of lower-case letters that may tell that a script is written for these shells: what
/// [`is_spoken`] looks at.
static TELLING: LazyLock<Names> = LazyLock::new(|| {
    let names = [
        "iex", "iwr", "irm", "gci", "ri", "gi", "clc", "del", "erase", "rd", "rmdir", "format",
        "for", "foreach", "copy", "type", "start", "forfiles",
    ];
    names.into_iter().collect()
});

/// Returns true if a script is written for these shells.
pub(super) fn is_spoken(script: &Script) -> bool {
    script.commands.iter().any(|command| {
        let first = command.words.first().map_or("", |word| word.text.as_str());
        // Most names are others.
        if first.bytes().all(|byte| byte.is_ascii_lowercase()) && !TELLING.contains(first) {
            return false;
        }
        let name = command.name();
        let shown = |word: &str| matches!(word, "@del" | "@erase" | "@rd" | "@rmdir");
        let loop_body = first == "DO"
            && command
                .arguments()
                .first()
                .is_some_and(|word| shown(&word.text));
        if loop_body || shown(first) {
            return true;
        }
        if first.starts_with('[') && first.contains("]::") || matches!(first, "$null" | "%" | "?") {
            return true;
        }
        if name.starts_with(|first: char| first.is_ascii_uppercase()) {
            let (verb, noun) = name.split_once('-').unwrap_or_default();
            if noun.is_empty() {
                return name == "FOR" && loops(command);
            }
            return noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
        }
        let says = |wanted: &[&str]| {
            let arguments = command.arguments().iter();
            let mut words = arguments.take(8).map(|word| word.text.as_str());
            words.any(|text| wanted.iter().any(|said| text.eq_ignore_ascii_case(said)))
        };
        match name {
            // In Elixir it takes options.
            "iex" => !command
                .arguments()
                .first()
                .is_some_and(|word| word.text.starts_with('-')),
            "iwr" | "irm" | "gci" | "ri" | "gi" | "clc" | "remove-item" | "echo." => true,
            "del" | "erase" | "rd" | "rmdir" | "format" => {
                command.arguments().iter().any(|word| is_switch(&word.text))
            }
            "for" => loops(command),
            "foreach" => true,
            "copy" | "type" => says(&["nul"]),
            "start" => says(&["cmd", "powershell", "/wait", "/b"]),
            "forfiles" => true,
            _ => false,
        }
    })
}

/// Returns true if an option is given, as far as PowerShell needs it: the letters that only it begins with.
fn says_start(command: &aictx_shell::SimpleCommand, option: &str, least: usize) -> bool {
    command.arguments().iter().take(8).any(|word| {
        let text = word.text.to_ascii_lowercase();
        text.len() >= least && option.starts_with(&text)
    })
}

/// `for %f in (…) do …`
fn loops(command: &aictx_shell::SimpleCommand) -> bool {
    let mut words = command.arguments().iter().take(3);
    words.any(|word| word.text.len() <= 3 && word.text.starts_with('%'))
}

/// `/s`, `/s/q` and the like.
pub(super) fn is_switch(text: &str) -> bool {
    text.len() <= 8
        && text.strip_prefix('/').is_some_and(|rest| {
            rest.split('/').all(|switch| {
                switch.len() == 1 && switch.bytes().all(|byte| byte.is_ascii_alphabetic())
            })
        })
}

/// Judges one call.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let given = call.name;
    let lower = if given.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(given.to_ascii_lowercase())
    } else {
        Cow::Borrowed(given)
    };
    let name = lower.as_ref();
    // `@del` says it without showing it.
    let name = name.strip_prefix('@').unwrap_or(name);
    match name {
        "remove-item" | "ri" | "del" | "erase" | "rd" => remove(judge, call, name),
        "rmdir"
            if call.arguments().iter().any(|word| is_switch(&word.text))
                || says_start(call.command, "-recurse", 4) =>
        {
            remove(judge, call, name);
        }
        "rm" if judge.dialect == Dialect::Windows && goes_on(call) => remove(judge, call, name),
        "iex" | "invoke-expression" => expression(judge, call),
        "powershell" | "pwsh" => {
            let coded = call.arguments().iter().any(|word| {
                let text = word.text.to_ascii_lowercase();
                text.len() > 2 && "-encodedcommand".starts_with(&text)
                    || text == "-ec"
                    || text == "-e"
            });
            if coded {
                judge.undecidable(Level::Destructive, name, &[]);
            }
        }
        "set-content" | "sc" | "out-file" | "new-item" | "ni" | "copy" | "set-item" => {
            emptied(judge, call, name);
            named(judge, call, name);
        }
        "start" | "start-process" | "saps" | "forfiles" => {
            started(judge, call, name);
            named(judge, call, name);
        }
        "%" | "foreach" | "foreach-object" => {
            let deletes = |word: &Word| word.text.eq_ignore_ascii_case("delete");
            if call.arguments().first().is_some_and(deletes) && call.command.piped_from.is_some() {
                let shown = ["what is found"];
                judge.hit(Some(call), Kind::Delete, Tier::Destructive, "delete", shown);
            }
        }
        "for" if loops(call.command) => {
            let words = call.arguments();
            let at = words
                .iter()
                .position(|word| word.text.eq_ignore_ascii_case("do"));
            let body = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
            let body: Vec<&str> = body.iter().map(|word| word.text.as_str()).collect();
            windows_script(judge, &body.join(" "), true);
        }
        "stop-process" | "spps" if call.command.piped_from.is_some() => {
            let filtered = call.feeder().is_some_and(|feeder| {
                !feeder.name().eq_ignore_ascii_case("get-process") || !feeder.arguments().is_empty()
            });
            let tier = if filtered {
                Tier::Risky
            } else {
                Tier::Destructive
            };
            judge.hit(Some(call), Kind::ProcessKill, tier, name, ["what is found"]);
        }
        "shutdown"
            if call
                .arguments()
                .iter()
                .any(|word| matches!(word.text.as_str(), "/a" | "/?")) => {}
        _ => named(judge, call, name),
    }
}

/// Returns true if a call works on what a loop or a pipe brings.
fn goes_on(call: Call) -> bool {
    call.arguments()
        .iter()
        .any(|word| is_loop_value(&word.text))
}

fn is_loop_value(text: &str) -> bool {
    text.starts_with("$_")
        || text.starts_with("$PSItem")
        || (text.starts_with('%') && text.len() <= 4 && !text.ends_with('%'))
        || text == "@file"
        || text == "@path"
        || (text.starts_with('$')
            && [".FullName", ".PSPath", ".Name", ".Path"]
                .iter()
                .any(|end| text.ends_with(end)))
}

/// `Set-Content x ''`, `'' | Out-File x`, `copy nul x`, `New-Item x -Force`: a file loses its content.
fn emptied(judge: &mut Judge, call: Call, name: &str) {
    let words = call.arguments();
    let is = |word: &Word, said: &str| word.text.eq_ignore_ascii_case(said);
    let nothing = |word: &Word| word.text.is_empty() || is(word, "$null");
    let fed_nothing = || {
        call.feeder()
            .is_some_and(|feeder| matches!(feeder.words.as_slice(), [only] if nothing(only)))
    };
    let empties = match name {
        "copy" => words.iter().any(|word| is(word, "nul")),
        "new-item" | "ni" => {
            words.iter().any(|word| is(word, "-force"))
                && !words
                    .iter()
                    .any(|word| is(word, "directory") || is(word, "-value") || is(word, "dir"))
        }
        _ => words.iter().any(nothing) || fed_nothing(),
    };
    if !empties {
        return;
    }
    let mut skip = false;
    let file = words.iter().find(|word| {
        let value = std::mem::take(&mut skip);
        let option = word.text.starts_with(['-', '/']);
        skip = option
            && !is(word, "-path")
            && !is(word, "-filepath")
            && !is(word, "-literalpath")
            && !is(word, "-force")
            && !is(word, "/y");
        !option && !value && !nothing(word) && !is(word, "nul")
    });
    if let Some(file) = file {
        let plain = Word::plain(file.text.replace('\\', "/"));
        let tier = judge.emptying(call, &plain);
        let shown = [file.text.as_str()];
        judge.hit(Some(call), Kind::Overwrite, tier, name, shown);
    }
}

/// `start cmd /c …`, `Start-Process cmd -ArgumentList '…'`, `forfiles /c "cmd /c del @file"`.
fn started(judge: &mut Judge, call: Call, name: &str) {
    let words = call.arguments();
    let program = words.iter().position(|word| {
        let lower = word.text.to_ascii_lowercase();
        let base = lower.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(
            base.trim_end_matches(".exe"),
            "cmd" | "powershell" | "pwsh" | "wsl" | "bash"
        ) || (name == "forfiles" && lower.starts_with("cmd "))
    });
    // `start /b rd /s /q x`: any program, behind switches and a title.
    let any = || {
        let ahead = |word: &Word| word.text.is_empty() || word.text.starts_with('/');
        (name == "start")
            .then(|| words.iter().position(|word| !ahead(word)))
            .flatten()
    };
    let Some(at) = program.or_else(any) else {
        return;
    };
    let rest = words.get(at..).unwrap_or_default();
    let mut text = String::new();
    for word in rest {
        let option = [
            "-argumentlist",
            "-verb",
            "runas",
            "-wait",
            "-nonewwindow",
            "-args",
            "-windowstyle",
            "hidden",
        ];
        if option
            .iter()
            .any(|option| word.text.eq_ignore_ascii_case(option))
        {
            continue;
        }
        text.push_str(&word.text.replace(',', " "));
        text.push(' ');
    }
    windows_script(judge, &text, name == "forfiles");
}

/// Returns true if these shells run a file of this name.
pub(super) fn is_script(file: &str) -> bool {
    let (_, suffix) = file.rsplit_once('.').unwrap_or_default();
    ["ps1", "bat", "cmd"]
        .iter()
        .any(|it| suffix.eq_ignore_ascii_case(it))
}

/// The script that these shells are handed: `pwsh -NoProfile -File x.ps1`, `cmd /c x.bat`.
pub(super) fn file_run<'c>(call: Call<'c>) -> Option<&'c Word<'c>> {
    let name = call.name;
    let shell = |known: &str| {
        let rest = match name.split_at_checked(known.len()) {
            Some((start, rest)) if start.eq_ignore_ascii_case(known) => rest,
            _ => return false,
        };
        rest.is_empty() || rest.eq_ignore_ascii_case(".exe")
    };
    let words = call.arguments();
    (shell("powershell") || shell("pwsh") || shell("cmd"))
        .then(|| words.iter().find(|word| is_script(&word.text)))
        .flatten()
}

/// Judges text of a file that these shells run.
pub(super) fn script(judge: &mut Judge, text: &str) {
    windows_script(judge, text, false);
    judge_net(judge, text, true);
}

/// Judges text that becomes a script of its own in these shells.
fn windows_script(judge: &mut Judge, text: &str, fed: bool) {
    if judge.inner >= super::MAX_INNER {
        judge.undecidable(Level::Destructive, "", &[]);
        return;
    }
    judge.inner += 1;
    let mut script = aictx_shell::analyse(text, Dialect::Windows);
    for command in &mut script.commands {
        command.fed |= fed;
    }
    judge.script(&script);
    judge.inner -= 1;
}

/// `[IO.File]::Delete(…)`, `(gi x).Delete()`, `[IO.File]::WriteAllText(x, '')`, and scripts made of
/// what is fetched: no POSIX shell has words for them.
pub(super) fn judge_net(judge: &mut Judge, text: &str, spoken: bool) {
    let parts = || text.split(['\n', ';', '{', '|']);
    let deletes = |part: &str| {
        part.trim_start().starts_with('[') && part.contains("]::Delete")
            || spoken && part.trim_start().starts_with('(') && part.contains(").Delete(")
    };
    if text.contains("Delete") && parts().any(deletes) {
        judge.hit(None, Kind::Delete, Tier::Destructive, "a .NET deletion", []);
    }
    if text.contains("]::WriteAll") {
        for part in parts().filter(|part| part.contains("]::WriteAll")) {
            let tight: String = part.split_whitespace().collect();
            if tight.ends_with(",'')") || tight.ends_with(",\"\")") {
                let file = inline_code::literals(part)
                    .into_iter()
                    .next()
                    .unwrap_or_default();
                let shown = [file.as_str()];
                let verb = "a .NET write of nothing";
                judge.hit(None, Kind::Overwrite, Tier::Destructive, verb, shown);
            }
        }
    }
    if text.contains("]::Delete(") || text.contains("]::delete(") {
        let tight: String = text.to_ascii_lowercase().split_whitespace().collect();
        // The shell around it keeps `$` by a backslash.
        let tight = tight.replace("\\$", "$");
        let tree = tight.contains("io.directory]::delete(") && tight.contains(",$true)");
        if tree {
            let verb = "[IO.Directory]::Delete";
            judge.hit(None, Kind::Delete, Tier::Destructive, verb, []);
        }
    }
    if text.contains("]::Create") || text.contains("]::create") {
        let lower = text.to_ascii_lowercase();
        let fetches = FETCHERS
            .iter()
            .any(|name| lower.contains(&format!("{name} ")))
            || lower.contains("downloadstring");
        if lower.contains("[scriptblock]::create") && fetches {
            let verb = "run a download";
            judge.hit(
                None,
                Kind::NetworkExec,
                Tier::Catastrophic,
                verb,
                ["scriptblock"],
            );
        }
    }
}

fn named(judge: &mut Judge, call: Call, name: &str) {
    if !call.program_named(name).traits.has(Traits::WINDOWS)
        && !name.starts_with("remove-")
        && !name.starts_with("uninstall-")
    {
        return;
    }
    if call
        .arguments()
        .iter()
        .any(|word| word.text.eq_ignore_ascii_case("-WhatIf"))
    {
        return;
    }
    let shown = || {
        call.arguments()
            .iter()
            .filter(|word| !word.text.starts_with(['-', '/']))
            .map(|word| word.text.as_str())
    };
    if let Some((_, tier, kind)) = KNOWN.iter().find(|(known, ..)| *known == name) {
        judge.hit(Some(call), *kind, *tier, name, shown());
        return;
    }
    for (known, words, tier, kind) in WITH_WORD {
        let said = *known == name
            && call.arguments().iter().any(|word| {
                words.iter().any(|said| {
                    let text = word.text.as_str();
                    text.eq_ignore_ascii_case(said)
                        || text.len() > said.len()
                            && text.get(..said.len() + 1).is_some_and(|start| {
                                start.eq_ignore_ascii_case(&format!("{said}:"))
                            })
                })
            });
        // It only lists what it would do.
        let lists = name == "robocopy"
            && call
                .arguments()
                .iter()
                .any(|word| word.text.eq_ignore_ascii_case("/l"));
        if said && !lists {
            judge.hit(Some(call), *kind, *tier, name, shown());
            return;
        }
    }
    if let Some(noun) = name.strip_prefix("remove-") {
        if !HARMLESS_REMOVALS.contains(&noun) {
            let cloud = CLOUD_NOUNS.iter().any(|start| noun.starts_with(start));
            let (tier, kind) = if cloud {
                (Tier::Destructive, Kind::RemoteDelete)
            } else {
                (Tier::Risky, Kind::Delete)
            };
            judge.hit(Some(call), kind, tier, name, shown());
        }
    } else if name.starts_with("uninstall-") {
        judge.hit(Some(call), Kind::Delete, Tier::Risky, name, shown());
    }
}

fn remove(judge: &mut Judge, call: Call, name: &str) {
    let arguments = call.arguments();
    let option = |wanted: &[&str]| {
        arguments.iter().any(|word| {
            wanted
                .iter()
                .any(|start| word.text.to_ascii_lowercase().starts_with(start))
        })
    };
    if option(&["-whatif"]) {
        return;
    }
    judge.risk.deletes = true;
    let cmd = matches!(name, "del" | "erase" | "rd" | "rmdir");
    let recurses = option(&["-r"])
        || (cmd
            && arguments.iter().any(|word| {
                is_switch(&word.text) && word.text.to_ascii_lowercase().contains("/s")
            }));
    // `a,b` are two.
    let targets: Vec<Word> = arguments
        .iter()
        .filter(|word| !word.text.starts_with('-') && !is_switch(&word.text))
        .take(256)
        .flat_map(|word| {
            let texts = word.text.split(',').filter(|text| !text.is_empty());
            texts.map(|text| Word {
                text: text.replace('\\', "/").into(),
                ..word.clone()
            })
        })
        .collect();
    let each: Vec<&Word> = targets.iter().collect();
    let registry = |word: &&Word| {
        let text = word.text.to_ascii_lowercase();
        ["hklm:", "hkcu:", "hkcr:", "registry:", "cert:"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    if let Some(word) = each.iter().find(|word| registry(word)) {
        let shown = [word.text.as_str()];
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, name, shown);
    } else if call.command.piped_from.is_some()
        || call.command.fed
        || each.iter().any(|word| is_loop_value(&word.text))
    {
        judge.hit(
            Some(call),
            Kind::Delete,
            Tier::Destructive,
            name,
            ["what is found"],
        );
    } else if recurses {
        recursive(judge, call, name, &each);
    } else {
        for word in each.iter().filter(|word| word.text.contains('*')).take(16) {
            let pattern = word.text.rsplit('/').next().unwrap_or_default();
            let tier = if REGENERABLE_FILES.contains(&pattern) {
                Tier::Risky
            } else {
                Tier::Destructive
            };
            judge.hit(Some(call), Kind::Delete, tier, name, [word.text.as_str()]);
        }
    }
}

/// `iex`: text that is run.
fn expression(judge: &mut Judge, call: Call) {
    let first = call
        .arguments()
        .first()
        .map_or("", |word| word.text.as_str());
    if first.starts_with('-') && !first.eq_ignore_ascii_case("-command") {
        return;
    }
    let fetches = |command: &aictx_shell::SimpleCommand| {
        let name = command.name().to_ascii_lowercase();
        let says = |word: &Word| word.text.to_ascii_lowercase().contains("downloadstring");
        FETCHERS.contains(&name.as_str()) || command.words.iter().any(says)
    };
    let inner = call.arguments().iter().any(|word| {
        let commands = call.script.commands.get(word.range()).unwrap_or_default();
        commands.iter().any(fetches)
    });
    if inner || call.feeder().is_some_and(fetches) || fetches(call.command) {
        let tier = Tier::Catastrophic;
        judge.hit(
            Some(call),
            Kind::NetworkExec,
            tier,
            "run a download",
            ["iex"],
        );
        return;
    }
    let text: Vec<&str> = call
        .arguments()
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    if call.arguments().iter().any(|word| word.unknown) {
        judge.undecidable(Level::Destructive, "iex", call.arguments());
    } else {
        windows_script(judge, &text.join(" "), false);
    }
}
