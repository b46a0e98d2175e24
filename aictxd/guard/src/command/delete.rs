//! Deleting: `rm` and its kin, `find -delete`, disks.

use aictx_proto::path::Located;
use aictx_shell::Word;

use super::path_target::{Reach, Touch, is_regenerable, is_temporary_variable};
use super::symlinks::Last;
use super::table::{FORMATTERS, REGENERABLE_FILES, SHREDDERS, Traits};
use super::{
    Call, Judge, Kind, Level, Tier, find_predicates, has_option, outside_repo, scratch_dir,
};

/// Files of one call that are looked at.
const MAX_FILES: usize = 256;

/// Options with which `wipefs` wipes: without these it lists what it finds.
const WIPES: &[&str] = &["-a", "--all", "-o", "--offset"];

/// Programs that delete, besides those that overwrite or format.
pub(super) const PROGRAMS: &[&str] = &[
    "rm", "unlink", "rmdir", "rimraf", "del-cli", "find", "fd", "fdfind",
];

/// Returns whether the program is one that deletes.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    let name = call.name;
    let formats = || FORMATTERS.iter().any(|known| is_formatter(name, known));
    if !call.program.traits.has(Traits::DELETES) && !formats() {
        return false;
    }
    let arguments = call.arguments();
    // Nothing is deleted by a program that is asked how it is used.
    if arguments.last().is_some_and(|word| word.text == "--help") {
        return matches!(
            name,
            "rm" | "find" | "fd" | "fdfind" | "rmdir" | "unlink" | "rimraf"
        );
    }
    if deletes(call, arguments) {
        judge.risk.deletes = true;
    }
    match name {
        // `rmdir /s` belongs to another shell.
        "rmdir"
            if arguments
                .iter()
                .any(|word| super::windows::is_switch(&word.text)) => {}
        "rm" | "unlink" | "rmdir" => remove(judge, call, arguments),
        "rimraf" | "del-cli" => recursive(judge, call, name, &operands(arguments)),
        "find" | "fd" | "fdfind" => {
            if find_predicates::deletes(arguments) {
                let temporary = arguments.first().is_some_and(|word| {
                    let brought = judge.brings && scratch_dir::names_what_is_new(word);
                    !brought && judge.is_temporary(call, word)
                });
                let tier = if temporary || find_predicates::is_regenerable_only(call.command) {
                    Tier::Risky
                } else {
                    Tier::Destructive
                };
                let starts = find_predicates::starts(call.command).map(|word| word.text.as_str());
                judge.hit(Some(call), Kind::Delete, tier, "find -delete", starts);
            }
        }
        _ if SHREDDERS.contains(&name) => {
            let files = operands(arguments);
            let shown = files.iter().map(|word| word.text.as_str());
            judge.hit(Some(call), Kind::Delete, Tier::Destructive, name, shown);
        }
        _ if formats() => {
            let shown = operands(arguments);
            let says = |words: &[&str]| {
                let mut given = arguments.iter();
                given.any(|word| words.contains(&word.text.as_str()))
            };
            let changes = says(&[
                "mklabel",
                "mktable",
                "mkpart",
                "rm",
                "resizepart",
                "set",
                "rescue",
                "toggle",
            ]);
            let asks = !changes && says(&["print", "align-check"]);
            let listing = has_option(
                arguments,
                &[
                    "-l",
                    "--list",
                    "--help",
                    "-V",
                    "--version",
                    "-n",
                    "--no-act",
                    "-d",
                    "--dump",
                    "-p",
                    "--print",
                ],
            ) || asks
                || (name == "wipefs" && !has_option(arguments, WIPES));
            let temporary = |word: &&Word| judge.is_temporary(call, word);
            // A file system in a file that was made to be tried with.
            let tried = !shown.is_empty() && shown.iter().all(temporary);
            if !listing && !tried {
                let shown = shown.iter().map(|word| word.text.as_str());
                judge.hit(Some(call), Kind::Disk, Tier::Catastrophic, name, shown);
            }
        }
        _ => return false,
    }
    true
}

/// Returns true if a program deletes what it is given, whatever that is worth.
pub(super) fn deletes(call: Call, arguments: &[Word]) -> bool {
    match call.name {
        "rm" | "unlink" | "rmdir" | "rimraf" | "del-cli" => {
            call.command.fed || operands_in(arguments).next().is_some()
        }
        "find" | "fd" | "fdfind" => find_predicates::deletes(arguments),
        _ => false,
    }
}

fn is_formatter(name: &str, known: &str) -> bool {
    // Asked of every call: most names begin otherwise.
    name.as_bytes().first() == known.as_bytes().first()
        && name
            .strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('_'))
}

pub(super) fn operands<'w>(arguments: &'w [Word<'w>]) -> Vec<&'w Word<'w>> {
    operands_in(arguments).collect()
}

fn operands_in<'w>(arguments: &'w [Word<'w>]) -> impl Iterator<Item = &'w Word<'w>> {
    let mut ended = false;
    arguments.iter().filter(move |word| {
        if !ended && word.text == "--" {
            ended = true;
            return false;
        }
        ended || !word.text.starts_with('-') || word.text.len() < 2
    })
}

fn remove(judge: &mut Judge, call: Call, arguments: &[Word]) {
    let name = call.name;
    let targets = operands(arguments);
    let everything = |word: &Word| word.text.starts_with("--no-preserve-root");
    if arguments.iter().any(everything) && has_option(arguments, &["--no-preserve-root"]) {
        let verb = "rm --no-preserve-root";
        judge.hit(Some(call), Kind::Delete, Tier::Catastrophic, verb, []);
        return;
    }
    if name == "rm" && has_option(arguments, &["-r", "-R", "--recursive"]) {
        recursive(judge, call, "rm -r", &targets);
        return;
    }
    if call.command.fed && name != "rmdir" {
        let tier = if find_predicates::feeds_regenerable(call) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        let verb = "rm of what is found";
        judge.hit(Some(call), Kind::Delete, tier, verb, []);
        return;
    }
    // An expansion without quotes may bring options of its own.
    let brings = |word: &Word| word.unknown && !word.quoted && !is_known_but_for_its_number(word);
    if name == "rm" && arguments.iter().any(brings) {
        judge.undecidable(Level::Caution, name, arguments);
    }
    // `rm $(git ls-files)`: what is listed is many.
    const LISTERS: &[&str] = &[
        "ls", "find", "fd", "git", "grep", "rg", "cat", "awk", "locate",
    ];
    if let Some(word) = targets
        .iter()
        .find(|word| word.inner.is_some() && call.holds_output_of(word, LISTERS))
    {
        let shown = [word.text.as_str()];
        let verb = "rm of what is listed";
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, verb, shown);
    }
    for target in targets.into_iter().take(MAX_FILES) {
        one_file(judge, call, target);
    }
}

/// `rm file`: worth a word when it stands for many, or when nothing has a copy.
fn one_file(judge: &mut Judge, call: Call, target: &Word) {
    let name = call.name;
    let text = target.text.as_str();
    if is_git_lock(text) && !call.command.remote {
        judge.hit(Some(call), Kind::Delete, Tier::Risky, name, [text]);
        return;
    }
    if judge.loses_precious(call, target, name) {
        return;
    }
    judge.write_target(call, target, name, Touch::Remove);
    let temporary = judge.is_temporary(call, target);
    if !target.quoted && text.contains('*') && !temporary {
        let pattern = text.rsplit('/').next().unwrap_or_default();
        let made = REGENERABLE_FILES.contains(&pattern)
            || text.split('/').any(is_regenerable)
            || REGENERABLE_FILES.iter().any(|known| {
                known
                    .strip_prefix('*')
                    .is_some_and(|ending| pattern.ends_with(ending))
            });
        // `build-*` names something; `*` and `*.rs` stand for what people write.
        let named = !pattern.starts_with('*') && pattern.len() > 2;
        let tier = if made || (named && !super::git::looks_like_file(pattern)) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        judge.hit(Some(call), Kind::Delete, tier, name, [text]);
    } else if !call.command.remote && judge.known(call, target).dirty == Some(true) {
        let known = judge.known(call, target);
        if known.tracked == Some(true) {
            judge.note(Kind::DiscardChanges, false, name, [text]);
        }
    }
}

/// `/tmp/x.$$`: the number of a process brings no options.
fn is_known_but_for_its_number(word: &Word) -> bool {
    !word.text.replace("$$", "").contains(['$', '`'])
}

/// `.git/index.lock` and its sisters: left behind by a git that ended early, and made again.
pub(super) fn is_git_lock(text: &str) -> bool {
    text.ends_with(".lock") && text.split('/').rev().skip(1).any(|part| part == ".git")
}

pub(super) fn recursive(judge: &mut Judge, call: Call, verb: &str, targets: &[&Word]) {
    if call.command.fed {
        let again = !targets.is_empty() && targets.iter().all(|word| is_regenerable_below(word));
        let tier = if again || find_predicates::feeds_regenerable(call) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        let shown = targets.iter().map(|word| word.text.as_str());
        judge.hit(Some(call), Kind::Delete, tier, verb, shown);
        return;
    }
    let remote = call.command.remote;
    let mut worst: Option<Reach> = None;
    let mut hit: Vec<&str> = Vec::new();
    let mut unknown = false;
    let mut copied = true;
    for word in targets.iter().take(MAX_FILES) {
        let home = outside_repo::is_home(&word.text);
        let reach =
            if word.unknown && (is_temporary_variable(&word.text) || is_regenerable_below(word)) {
                Reach::Regenerable
            } else if word.unknown && !home {
                unknown = true;
                continue;
            } else if judge.brings && scratch_dir::names_what_is_new(word) {
                // New, but with something in it that was elsewhere before.
                Reach::Files
            } else {
                let reach = judge.reach(call, &word.text);
                judge.reach_by_facts(call, word, reach)
            };
        if reach == Reach::File {
            one_file(judge, call, word);
            continue;
        }
        // What the map does not enter is worth no less than one file of it.
        let precious = !remote && !home && !word.unknown && judge.holds_precious(call, word);
        let reach = match precious {
            true => reach.max(Reach::Files),
            false => reach,
        };
        copied &= !precious;
        // What is tracked and unchanged can be had again.
        let known = judge.known(call, word);
        copied &= known.tracked == Some(true) && known.dirty == Some(false);
        worst = worst.max(Some(reach));
        hit.push(&word.text);
        if !remote && reach == Reach::Files && !home {
            // State and version control directories have names of their own.
            let way = judge.way_of(call, word, Last::Itself);
            if let Some(Located::Inside(_)) = way.located() {
                judge.write_target(call, word, verb, Touch::Remove);
            }
        }
    }
    if unknown {
        let words = targets.iter().copied().take(MAX_FILES);
        judge.undecidable(Level::Destructive, verb, words);
    }
    if let Some(worst) = worst {
        let tier = match worst {
            Reach::File | Reach::Regenerable => Tier::Risky,
            Reach::Files => Tier::Destructive,
            Reach::Everything => Tier::Catastrophic,
        };
        judge.hit(Some(call), Kind::Delete, tier, verb, hit);
        if copied
            && tier == Tier::Destructive
            && let Some(last) = judge.risk.findings.last_mut()
        {
            last.reversible = true;
        }
    }
}

/// `$dir/node_modules`: wherever that is, it can be made again.
fn is_regenerable_below(word: &Word) -> bool {
    let given = word.unknown || word.carried || word.text.contains("{}");
    let mut parts = word.text.trim_end_matches('/').rsplit('/');
    let last = parts.next().unwrap_or_default();
    given && parts.next().is_some() && is_regenerable(last)
}
