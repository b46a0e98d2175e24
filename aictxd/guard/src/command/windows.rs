//! What PowerShell and `cmd` call things. Names and options know no case there.

use std::borrow::Cow;

use aictx_signals::shell::{self, Dialect, Script, Word};

use super::delete::recursive;
use super::table::{self, REGENERABLE_FILES, Traits};
use super::{Call, Judge, Kind, Level, Tier};

/// First halves of the names of PowerShell's commands.
const VERBS: &[&str] = &[
    "add",
    "clear",
    "copy",
    "disable",
    "enable",
    "export",
    "format",
    "get",
    "import",
    "initialize",
    "install",
    "invoke",
    "measure",
    "move",
    "new",
    "out",
    "read",
    "remove",
    "rename",
    "reset",
    "restart",
    "select",
    "set",
    "sort",
    "start",
    "stop",
    "test",
    "uninstall",
    "update",
    "where",
    "write",
    "foreach",
];

/// Things that PowerShell removes and that are only its own.
const HARMLESS_REMOVALS: &[&str] = &[
    "variable",
    "module",
    "psdrive",
    "job",
    "alias",
    "pssession",
    "typedata",
    "event",
    "psbreakpoint",
    "wmiobject",
    "psreadlinekeyhandler",
];

/// Commands by name: tier, kind.
static KNOWN: &[(&str, Tier, Kind)] = &[
    ("clear-content", Tier::Destructive, Kind::Overwrite),
    ("clear-item", Tier::Destructive, Kind::Overwrite),
    ("clear-recyclebin", Tier::Destructive, Kind::Delete),
    ("clear-eventlog", Tier::Destructive, Kind::Delete),
    ("format-volume", Tier::Catastrophic, Kind::Disk),
    ("clear-disk", Tier::Catastrophic, Kind::Disk),
    ("initialize-disk", Tier::Catastrophic, Kind::Disk),
    ("remove-partition", Tier::Catastrophic, Kind::Disk),
    ("diskpart", Tier::Catastrophic, Kind::Disk),
    ("bcdedit", Tier::Destructive, Kind::Disk),
    ("stop-computer", Tier::Destructive, Kind::ProcessKill),
    ("restart-computer", Tier::Destructive, Kind::ProcessKill),
    ("stop-process", Tier::Risky, Kind::ProcessKill),
    ("spps", Tier::Risky, Kind::ProcessKill),
    ("taskkill", Tier::Risky, Kind::ProcessKill),
    ("stop-service", Tier::Risky, Kind::ProcessKill),
    ("restart-service", Tier::Risky, Kind::ProcessKill),
    ("set-executionpolicy", Tier::Risky, Kind::Permission),
    ("takeown", Tier::Risky, Kind::Permission),
    ("icacls", Tier::Risky, Kind::Permission),
    ("remove-itemproperty", Tier::Destructive, Kind::Delete),
    ("remove-vm", Tier::Destructive, Kind::Delete),
    ("remove-localuser", Tier::Destructive, Kind::Permission),
];

/// Programs with a word that makes them dangerous.
static WITH_WORD: &[(&str, &[&str], Tier, Kind)] = &[
    ("reg", &["delete"], Tier::Destructive, Kind::Delete),
    ("schtasks", &["/delete"], Tier::Destructive, Kind::Delete),
    ("sc", &["delete"], Tier::Destructive, Kind::Delete),
    ("net", &["/delete"], Tier::Destructive, Kind::Permission),
    ("net", &["stop"], Tier::Risky, Kind::ProcessKill),
    (
        "vssadmin",
        &["delete", "resize"],
        Tier::Destructive,
        Kind::Disk,
    ),
    ("wbadmin", &["delete"], Tier::Destructive, Kind::Disk),
    ("wmic", &["delete"], Tier::Destructive, Kind::Delete),
    (
        "wevtutil",
        &["cl", "clear-log"],
        Tier::Destructive,
        Kind::Delete,
    ),
    ("cipher", &["/w"], Tier::Destructive, Kind::Disk),
    ("wsl", &["--unregister"], Tier::Destructive, Kind::Delete),
    (
        "robocopy",
        &["/mir", "/purge", "/move"],
        Tier::Destructive,
        Kind::Delete,
    ),
    (
        "netsh",
        &["off", "reset", "delete"],
        Tier::Destructive,
        Kind::Permission,
    ),
    (
        "format",
        &[
            "a:", "b:", "c:", "d:", "e:", "f:", "g:", "h:", "i:", "j:", "k:", "l:", "m:", "n:",
            "o:", "p:", "q:", "r:", "s:", "t:", "u:", "v:", "w:", "x:", "y:", "z:",
        ],
        Tier::Catastrophic,
        Kind::Disk,
    ),
    ("start-process", &["runas"], Tier::Risky, Kind::Privilege),
];

/// The programs of both tables.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let known = KNOWN.iter().map(|(name, ..)| *name);
    known.chain(WITH_WORD.iter().map(|(name, ..)| *name))
}

/// Programs that fetch, in PowerShell's words.
const FETCHERS: &[&str] = &[
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "curl",
    "wget",
    "start-bitstransfer",
];

/// Whether a script is written for these shells.
pub(super) fn is_spoken(script: &Script) -> bool {
    script.commands.iter().any(|command| {
        let name = command.name();
        if name.starts_with(|first: char| first.is_ascii_uppercase()) {
            let (verb, noun) = name.split_once('-').unwrap_or_default();
            return !noun.is_empty()
                && noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
        }
        match name {
            "iex" | "iwr" | "irm" | "gci" | "ri" => true,
            "del" | "erase" | "rd" | "rmdir" | "format" => {
                command.arguments().iter().any(|word| is_switch(&word.text))
            }
            _ => false,
        }
    })
}

/// `/s` and the like.
fn is_switch(text: &str) -> bool {
    text.len() == 2
        && text.starts_with('/')
        && text.ends_with(|last: char| last.is_ascii_alphabetic())
}

/// Judges one call.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let given = call.command.name();
    let lower = if given.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(given.to_ascii_lowercase())
    } else {
        Cow::Borrowed(given)
    };
    let name = lower.as_ref();
    match name {
        "remove-item" | "ri" | "del" | "erase" | "rd" => remove(judge, call, name),
        "rmdir" if call.arguments().iter().any(|word| is_switch(&word.text)) => {
            remove(judge, call, name);
        }
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
        _ => named(judge, call, name),
    }
}

fn named(judge: &mut Judge, call: Call, name: &str) {
    if !table::traits(name).has(Traits::WINDOWS)
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
        if said {
            judge.hit(Some(call), *kind, *tier, name, shown());
            return;
        }
    }
    if let Some(noun) = name.strip_prefix("remove-") {
        if !HARMLESS_REMOVALS.contains(&noun) {
            let cloud = noun.starts_with("az") || noun.starts_with("ad") || noun.contains("s3");
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
    let cmd = matches!(name, "del" | "erase" | "rd" | "rmdir");
    let recurses = option(&["-r"]) || (cmd && option(&["/s"]));
    let targets: Vec<Word> = arguments
        .iter()
        .filter(|word| !word.text.starts_with('-') && !is_switch(&word.text))
        .map(|word| Word {
            text: word.text.replace('\\', "/"),
            ..word.clone()
        })
        .collect();
    let each: Vec<&Word> = targets.iter().collect();
    if call.command.piped_from.is_some() {
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
    let fetches = |command: &shell::SimpleCommand| {
        let name = command.name().to_ascii_lowercase();
        let says = |word: &Word| word.text.to_ascii_lowercase().contains("downloadstring");
        FETCHERS.contains(&name.as_str()) || command.words.iter().any(says)
    };
    let inner = call.arguments().iter().any(|word| {
        let (from, to) = word.inner.unwrap_or_default();
        let commands = call.script.commands.get(from..to).unwrap_or_default();
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
    } else if judge.inner < super::MAX_INNER {
        judge.inner += 1;
        let script = shell::analyse(&text.join(" "), Dialect::Windows);
        judge.script(&script);
        judge.inner -= 1;
    }
}
