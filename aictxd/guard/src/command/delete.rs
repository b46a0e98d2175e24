//! Deleting: `rm` and its kin, `find -delete`, disks.

use aictx_signals::shell::{SimpleCommand, Word};

use super::table::{FORMATTERS, REGENERABLE_FILES, SHREDDERS};
use super::target::{Reach, Touch, is_regenerable, is_temporary_variable};
use super::{Call, Judge, Tier, has_option};

/// Returns whether the program is one that deletes.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    let name = call.command.name();
    let arguments = call.arguments();
    match name {
        "rm" | "unlink" | "rmdir" => remove(judge, call, arguments),
        "rimraf" | "del-cli" => recursive(judge, call, name, &operands(arguments)),
        "Remove-Item" | "ri" | "rd" | "del" => {
            let recurse = arguments.iter().any(|word| {
                let text = word.text.to_ascii_lowercase();
                text.starts_with("-r") || text == "/s"
            });
            if recurse {
                let kept: Vec<&Word> = operands(arguments)
                    .into_iter()
                    .filter(|word| !(word.text.len() == 2 && word.text.starts_with('/')))
                    .collect();
                recursive(judge, call, name, &kept);
            }
        }
        "find" | "fd" => {
            if arguments.iter().any(|word| word.text == "-delete") {
                let tier = if finds_regenerable(call.command) {
                    Tier::Risky
                } else {
                    Tier::Destructive
                };
                let starts = arguments
                    .iter()
                    .take_while(|word| !word.text.starts_with(['-', '(', '!']))
                    .map(|word| word.text.as_str());
                judge.destructive(call.segment, tier, "find -delete", starts);
            }
        }
        _ if SHREDDERS.contains(&name) => {
            let files = operands(arguments);
            let shown = files.iter().map(|word| word.text.as_str());
            judge.destructive(call.segment, Tier::Destructive, name, shown);
        }
        _ if FORMATTERS.iter().any(|known| is_formatter(name, known)) => {
            let shown = operands(arguments);
            let listing = has_option(arguments, &["-l", "--list", "--help", "-V", "--version"]);
            if !listing {
                let shown = shown.iter().map(|word| word.text.as_str());
                judge.destructive(call.segment, Tier::Catastrophic, name, shown);
            }
        }
        _ => return false,
    }
    true
}

fn is_formatter(name: &str, known: &str) -> bool {
    name.strip_prefix(known)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('_'))
}

fn operands(arguments: &[Word]) -> Vec<&Word> {
    let mut ended = false;
    arguments
        .iter()
        .filter(|word| {
            if !ended && word.text == "--" {
                ended = true;
                return false;
            }
            ended || !word.text.starts_with('-') || word.text.len() < 2
        })
        .collect()
}

fn remove(judge: &mut Judge, call: Call, arguments: &[Word]) {
    let name = call.command.name();
    let targets = operands(arguments);
    let recurses = name == "rm"
        && has_option(
            arguments,
            &["-r", "-R", "--recursive", "--no-preserve-root"],
        );
    if has_option(arguments, &["--no-preserve-root"]) {
        judge.destructive(
            call.segment,
            Tier::Catastrophic,
            "rm --no-preserve-root",
            [],
        );
        return;
    }
    if recurses {
        recursive(judge, call, "rm -r", &targets);
        return;
    }
    if call.command.fed && name != "rmdir" {
        let tier = if feeds_regenerable(call) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        judge.destructive(call.segment, tier, "rm of what is found", []);
        return;
    }
    // An expansion without quotes may bring options of its own.
    if name == "rm" && arguments.iter().any(|word| word.unknown && !word.quoted) {
        judge.undecidable(call.segment, name, arguments);
    }
    for target in targets.into_iter().take(64) {
        judge.write_target(call, target, name, Touch::Alter);
    }
}

fn recursive(judge: &mut Judge, call: Call, verb: &str, targets: &[&Word]) {
    if call.command.fed {
        let tier = if feeds_regenerable(call) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        let shown = targets.iter().map(|word| word.text.as_str());
        judge.destructive(call.segment, tier, verb, shown);
        return;
    }
    let remote = call.command.remote;
    let dir = call.command.dir.as_deref();
    let mut worst: Option<Reach> = None;
    let mut hit: Vec<&str> = Vec::new();
    let mut unknown = false;
    for word in targets {
        let home = ["$HOME", "${HOME}"].iter().any(|home| {
            word.text.starts_with(home) && !word.text.replacen(home, "", 1).contains('$')
        });
        let reach = if word.unknown && is_temporary_variable(&word.text) {
            Reach::Regenerable
        } else if word.unknown && !home {
            unknown = true;
            continue;
        } else {
            judge.place.reach(dir, &word.text, remote)
        };
        worst = worst.max(Some(reach));
        hit.push(&word.text);
        if !remote && reach == Reach::Files && !home {
            // State and version control directories have names of their own.
            if let Some(located) = judge.place.locate(dir, &word.text)
                && matches!(located, aictx_proto::path::Located::Inside(_))
            {
                judge.write_target(call, word, verb, Touch::Alter);
            }
        }
    }
    if unknown {
        let words: Vec<Word> = targets
            .iter()
            .map(|word| (*word).clone())
            .take(64)
            .collect();
        judge.undecidable(call.segment, verb, &words);
    }
    if let Some(worst) = worst {
        let tier = match worst {
            Reach::Regenerable => Tier::Risky,
            Reach::Files => Tier::Destructive,
            Reach::Everything => Tier::Catastrophic,
        };
        judge.destructive(call.segment, tier, verb, hit);
    }
}

/// Whether everything that a `find` selects can be made again.
fn finds_regenerable(find: &SimpleCommand) -> bool {
    let mut named = false;
    let mut words = find.arguments().iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-name" | "-iname" => {
                let Some(name) = words.next() else {
                    return false;
                };
                named =
                    is_regenerable(&name.text) || REGENERABLE_FILES.contains(&name.text.as_str());
                if !named {
                    return false;
                }
            }
            "!" | "-not" | "-regex" | "-path" | "-newer" => return false,
            _ => {}
        }
    }
    named
}

/// The same for the `find` that feeds a command through a pipe or runs it.
fn feeds_regenerable(call: Call) -> bool {
    let find = call.feeder().or_else(|| {
        call.script
            .commands
            .get(..call.segment)?
            .iter()
            .rev()
            .find(|command| command.name() == "find")
    });
    find.is_some_and(|find| find.name() == "find" && finds_regenerable(find))
}
