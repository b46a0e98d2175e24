//! Writes of programs that copy, move, empty or edit files.

use aictx_shell::Word;

use super::options::{self, value_of};
use super::path_target::{Reach, Touch, is_disk, is_regenerable};
use super::truncation::{is_fed_nothing, reads};
use super::{Call, Judge, Kind, MAX_BACK, Tier, find_predicates, has_option, path_limits};

/// Files of one call whose places in a directory are looked at.
const MAX_SOURCES: usize = 16;

/// Programs that write files. Returns whether the program is one of them.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    let arguments = call.arguments();
    let name = call.name;
    let operands = || arguments.iter().filter(|word| !word.text.starts_with('-'));
    match name {
        // It only says what it would copy.
        "rsync" if has_option(arguments, &["-n", "--dry-run"]) => {}
        "mv" | "cp" | "install" | "ln" | "rsync" | "scp" => {
            let words: Vec<&Word> = operands().collect();
            if nothing_left(judge, call, &words) {
                return true;
            }
            let given = value_of(arguments, &["-t", "--target-directory"]);
            let (sources, destination) = match (given, words.split_last()) {
                (Some(given), _) => (words.as_slice(), given),
                (None, Some((last, rest))) => (rest, *last),
                (None, None) => return true,
            };
            judge.replaced(call, name, sources, destination);
            // One after the other takes the same name.
            let each = |word: &&Word| word.carried && word.text.contains('*');
            let one = || {
                !destination.carried
                    && !destination.unknown
                    && !destination.text.contains(['*', '$'])
                    && is_written_by_people(&destination.text)
                    && destination
                        .text
                        .rsplit_once('.')
                        .is_some_and(|(_, ending)| ending.len() > 1 && !ending.contains('/'))
            };
            if name == "mv" && sources.len() == 1 && sources.iter().any(each) && one() {
                let shown = [destination.text.as_str()];
                judge.hit(
                    Some(call),
                    Kind::Overwrite,
                    Tier::Destructive,
                    "mv of many to one",
                    shown,
                );
            }
            if matches!(name, "mv" | "cp" | "install")
                && let [source] = *sources
            {
                judge.replaces_precious(call, source, destination, name);
                if name == "mv" && has_option(arguments, &["-f", "--force"]) {
                    forced_over(judge, call, source, destination);
                }
            }
            if name == "mv" {
                judge.write_all(call, sources.iter().copied(), name, Touch::Move);
                let leaves = !call.command.remote && judge.is_outside(call, destination);
                if leaves && sources.iter().any(|word| !judge.is_outside(call, word)) {
                    let shown = sources.iter().copied().chain([destination]);
                    let shown: Vec<&str> = shown.map(|word| word.text.as_str()).collect();
                    judge.hit(
                        Some(call),
                        Kind::OutsideRepository,
                        Tier::Risky,
                        name,
                        shown,
                    );
                    return true;
                }
                if judge.is_temporary(call, destination)
                    && sources.iter().any(|word| !judge.is_temporary(call, word))
                {
                    let shown = sources.iter().map(|word| word.text.as_str());
                    judge.note(Kind::OutsideRepository, true, name, shown);
                }
            }
            // `host:path` is another machine.
            let elsewhere = matches!(name, "rsync" | "scp") && destination.text.contains(':');
            if !elsewhere {
                judge.write_target(call, destination, name, Touch::Create);
                let keeps = ["-n", "--no-clobber", "-b", "--backup", "--update=none"];
                if matches!(name, "mv" | "cp" | "install" | "ln") && !has_option(arguments, &keeps)
                {
                    taken_over(judge, call, sources, destination);
                }
            }
        }
        "tee" | "sponge" | "chmod" | "chown" | "chgrp" => {
            let prints = matches!(name, "tee" | "sponge");
            // `-x` takes a right away; it is the mode.
            let taken = name == "chmod" && arguments.iter().any(|word| is_mode_taken(&word.text));
            let skip = usize::from(!prints && !taken);
            // What a `find` hands over is a tree, too.
            let found = call
                .command
                .fed
                .then(|| find_predicates::finder(call))
                .flatten();
            if !prints && (found.is_some() || has_option(arguments, &["-R", "--recursive"])) {
                let given: Vec<&Word> = match found {
                    Some(find) => find_predicates::starts(find).collect(),
                    None => operands().skip(skip).collect(),
                };
                let worst = given
                    .iter()
                    .map(|word| reach_of(judge, call, word))
                    .max()
                    .unwrap_or(Reach::Files);
                // The repository itself is a matter of thought; the system or a home is not.
                let far = given
                    .iter()
                    .any(|word| word.text.starts_with(['/', '~', '$']));
                let tier = if worst == Reach::Everything && far {
                    Tier::Destructive
                } else {
                    Tier::Risky
                };
                let shown: Vec<&str> = operands().map(|word| word.text.as_str()).collect();
                let verb = format!("{name} -R");
                // What is picked out of the repository is picked with care.
                if found.is_none() || tier == Tier::Destructive {
                    judge.hit(Some(call), Kind::Permission, tier, &verb, shown);
                }
            }
            if name == "sponge" {
                leaves_a_part(judge, call);
            }
            if prints && !has_option(arguments, &["-a", "--append"]) && is_fed_nothing(call) {
                for word in operands() {
                    let tier = judge.emptying(call, word);
                    judge.hit(
                        Some(call),
                        Kind::Overwrite,
                        tier,
                        name,
                        [word.text.as_str()],
                    );
                }
            }
            // `chmod 600 ~/.ssh/id_rsa` is what a key is owed.
            let private =
                name == "chmod" && operands().next().is_some_and(|word| is_private(&word.text));
            // A right to run what was just put there takes nothing away.
            let touch =
                if name == "chmod" && operands().next().is_some_and(|word| is_to_run(&word.text)) {
                    Touch::Create
                } else if prints && has_option(arguments, &["-a", "--append"]) {
                    Touch::Append
                } else {
                    Touch::Alter
                };
            if !private {
                judge.write_all(call, operands().skip(skip), name, touch);
            }
            if prints && touch == Touch::Alter && !is_fed_nothing(call) {
                for word in operands().take(MAX_SOURCES) {
                    judge.overwritten(call, name, word);
                }
            }
        }
        "touch" | "mkdir" => judge.write_all(call, operands(), name, Touch::Create),
        "truncate" => {
            let size = value_of(arguments, &["-s", "--size", "-cs"]);
            let inline = arguments
                .iter()
                .any(|word| matches!(word.text.as_str(), "-s0" | "--size=0"));
            let files: Vec<&Word> = operands()
                .filter(|word| size.is_none_or(|size| !std::ptr::eq(*word, size)))
                .collect();
            if inline || size.is_some_and(|size| size.text == "0") {
                let shown = files.iter().map(|word| word.text.as_str());
                let again = match files.as_slice() {
                    // What another program lists.
                    [] => !call.command.fed || find_predicates::feeds_regenerable(call),
                    files => files.iter().all(|word| is_log(judge, call, word)),
                };
                let tier = if again {
                    Tier::Risky
                } else {
                    Tier::Destructive
                };
                judge.hit(Some(call), Kind::Overwrite, tier, "truncate -s 0", shown);
            }
            judge.write_all(call, files, name, Touch::Alter);
        }
        "dd" => {
            for word in arguments {
                let Some(file) = word.text.strip_prefix("of=") else {
                    continue;
                };
                if is_disk(file) {
                    judge.hit(Some(call), Kind::Disk, Tier::Catastrophic, "dd", [file]);
                } else {
                    let word = Word::plain(file);
                    judge.write_target(call, &word, "dd", Touch::Alter);
                    // Raw bytes are not how sources are made.
                    let database = [".sqlite", ".sqlite3", ".db"];
                    if !call.command.remote
                        && (super::git::looks_like_file(file)
                            || database.iter().any(|ending| file.ends_with(ending)))
                    {
                        let tier = Tier::Destructive;
                        judge.hit(Some(call), Kind::Overwrite, tier, "dd", [file]);
                    } else {
                        judge.overwritten(call, "dd", &word);
                    }
                }
            }
        }
        "curl" | "wget" => {
            fetched(judge, call);
            return false;
        }
        "patch" => {
            // The first operand is the file, unless the patch itself names them.
            let file = operands().next();
            judge.write_all(call, file, name, Touch::Alter);
            return false;
        }
        _ => return false,
    }
    true
}

/// Checks the target of a download: a file, or a directory for all of them.
fn fetched(judge: &mut Judge, call: Call) {
    let (name, words) = (call.name, call.arguments());
    let (file, dir) = match name {
        "curl" => (('o', "--output"), ('\0', "--output-dir")),
        _ => (('O', "--output-document"), ('P', "--directory-prefix")),
    };
    let file = options::set(words, file.0, file.1);
    let dir = options::set(words, dir.0, dir.1).map(|dir| Word {
        text: format!("{}/*", dir.text.trim_end_matches('/')).into(),
        ..dir.into_owned()
    });
    for word in file.as_deref().into_iter().chain(&dir) {
        let device = word.text.starts_with("/dev/");
        if !call.command.remote && !device && judge.is_outside(call, word) {
            let verb = format!("{name} to a file");
            let shown = [word.text.as_str()];
            judge.hit(
                Some(call),
                Kind::OutsideRepository,
                Tier::Risky,
                &verb,
                shown,
            );
        }
        judge.write_target(call, word, name, Touch::Create);
        judge.overwritten(call, name, word);
    }
}

/// The files whose place is taken: the destination, or those of the same names in it.
fn taken_over(judge: &mut Judge, call: Call, sources: &[&Word], destination: &Word) {
    let known = judge.known_behind(call, destination);
    if known.directory != Some(true) {
        if sources.len() == 1 {
            judge.overwritten(call, call.name, destination);
        }
        return;
    }
    let into = destination.text.trim_end_matches('/');
    for source in sources.iter().take(MAX_SOURCES) {
        let name = source.text.trim_end_matches('/').rsplit('/').next();
        let Some(name) = name.filter(|name| !source.unknown && !matches!(*name, "" | "." | ".."))
        else {
            continue;
        };
        let taken = Word::plain(format!("{into}/{name}"));
        if let Some(limit) = path_limits::limit_on(judge, call, &taken.text) {
            judge.off_limits(&limit, call.name, &taken.text);
        }
        judge.overwritten(call, call.name, &taken);
    }
}

/// `+x`, `755`: the owner keeps all rights and a program may be run.
fn is_to_run(mode: &str) -> bool {
    matches!(
        mode.trim_start_matches('0'),
        "+x" | "a+x" | "u+x" | "ug+x" | "ugo+x" | "+rx" | "a+rx" | "u+rwx" | "755" | "750" | "711"
    )
}

/// `-x`, `-rw`: rights that are taken away.
fn is_private(mode: &str) -> bool {
    matches!(
        mode.trim_start_matches('0'),
        "400"
            | "500"
            | "600"
            | "700"
            | "go-rwx"
            | "og-rwx"
            | "go-r"
            | "go-w"
            | "go="
            | "og="
            | "u=rw,go="
            | "u=rwx,go="
            | "u+rw,go-rwx"
    )
}

fn is_mode_taken(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rights| {
        !rights.is_empty()
            && rights
                .bytes()
                .all(|right| matches!(right, b'r' | b'w' | b'x' | b'X' | b's' | b't'))
    })
}

fn reach_of(judge: &Judge, call: Call, word: &Word) -> Reach {
    judge.reach(call, &word.text)
}

/// `head -1 x | sponge x`: all but a part of it is gone.
fn leaves_a_part(judge: &mut Judge, call: Call) {
    let part = call
        .feeder()
        .filter(|feeder| matches!(feeder.name(), "head" | "tail"));
    let (Some(part), Some(word)) = (part, call.arguments().last()) else {
        return;
    };
    if reads(part, word) {
        let shown = [word.text.as_str()];
        judge.hit(
            Some(call),
            Kind::Overwrite,
            Tier::Destructive,
            "sponge",
            shown,
        );
    }
}

/// `mv x /dev/null` and `cp /dev/null x`. Returns whether it is one of them.
fn nothing_left(judge: &mut Judge, call: Call, words: &[&Word]) -> bool {
    let name = call.name;
    let Some((last, sources)) = words.split_last() else {
        return false;
    };
    if name == "mv" && last.text == "/dev/null" {
        let shown = sources.iter().map(|word| word.text.as_str());
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, "mv", shown);
        return true;
    }
    if matches!(name, "cp" | "install" | "scp" | "ln")
        && sources.iter().any(|word| word.text == "/dev/null")
    {
        let tier = if is_log(judge, call, last) {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        judge.hit(
            Some(call),
            Kind::Overwrite,
            tier,
            name,
            [last.text.as_str()],
        );
        return true;
    }
    false
}

/// `mv -f /tmp/x src/main.rs`: told not to ask, over a file that people write, with something that the
/// line has not made of it.
fn forced_over(judge: &mut Judge, call: Call, source: &Word, destination: &Word) {
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    let made = before.iter().rev().take(MAX_BACK).any(|command| {
        let mut redirects = command.redirects.iter();
        redirects.any(|redirect| redirect.target.text == source.text)
            || command
                .arguments()
                .iter()
                .any(|word| word.text == source.text)
    });
    let known = judge.known(call, destination);
    let meant = made || source.text.starts_with(destination.text.as_str());
    if !meant
        && known.exists.is_none()
        && !destination.unknown
        && !judge.is_temporary(call, destination)
        && is_written_by_people(&destination.text)
    {
        let shown = [destination.text.as_str()];
        judge.hit(
            Some(call),
            Kind::Overwrite,
            Tier::Destructive,
            "mv -f",
            shown,
        );
    }
}

impl Judge<'_> {
    /// Returns the tier of emptying a file: what people wrote is lost, what programs write is not.
    pub(super) fn emptying(&self, call: Call, word: &Word) -> Tier {
        let known = self.known_behind(call, word);
        let written = match known.tracked {
            Some(tracked) => tracked,
            None => {
                !call.command.remote
                    && (is_written_by_people(&word.text) || is_kept_data(&word.text))
                    && !word.text.split('/').any(is_regenerable)
            }
        };
        if written && known.exists != Some(false) && !is_log(self, call, word) {
            Tier::Destructive
        } else {
            Tier::Risky
        }
    }
}

/// Returns true if a path promises data that somebody collected: it lies where data lie and ends as they do.
pub(super) fn is_kept_data(path: &str) -> bool {
    const PLACES: &[&str] = &[
        "data", "records", "results", "datasets", "storage", "uploads", "ledger", "db",
    ];
    let lower = path.to_ascii_lowercase();
    let outside = lower.starts_with("/var/lib/") || lower.starts_with("/srv/");
    (outside || lower.split('/').any(|part| PLACES.contains(&part))) && is_data(path)
}

/// Returns true if a file ends as data do and is not named for being tried with.
pub(super) fn is_data(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".db", ".sqlite",
        ".sqlite3", ".feather", ".dat", ".npy", ".rds",
    ];
    let tried = [
        "test", "tmp", "temp", "cache", "example", "sample", "fixture", "mock", "demo",
    ];
    let lower = path.to_ascii_lowercase();
    ENDINGS.iter().any(|end| lower.ends_with(end)) && !tried.iter().any(|word| lower.contains(word))
}

/// Returns true if a name promises a file that somebody wrote: it has an ending that no program leaves
/// behind, or is one of the names without.
pub(super) fn is_written_by_people(path: &str) -> bool {
    const LEFT_BEHIND: &[&str] = &[
        "log", "txt", "out", "err", "tmp", "temp", "pid", "lock", "csv", "tsv", "bak", "cache",
        "dump", "data", "stamp", "done", "flag", "trace", "prof", "old", "orig", "swp", "sock",
        "db",
    ];
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) => !stem.is_empty() && !LEFT_BEHIND.contains(&ending),
        None => [
            "Makefile",
            "GNUmakefile",
            "Dockerfile",
            "Gemfile",
            "Rakefile",
            "Procfile",
            "Justfile",
            "justfile",
            "Jenkinsfile",
            "Vagrantfile",
            "LICENSE",
            "README",
            "CODEOWNERS",
        ]
        .contains(&name),
    }
}

/// A file that is written again and again, or temporary.
pub(super) fn is_log(judge: &Judge, call: Call, word: &Word) -> bool {
    word.text.ends_with(".log") || judge.is_temporary(call, word)
}
