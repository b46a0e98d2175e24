//! Calls that need no trial: `mkdir`, `touch`, `cp`, `mv`, `rm` and `sed -i` of ordinary files of the repository,
//! where nothing is replaced and nothing changed is lost. Most of what is written on command lines about files is such.
//!
//! No rule finds anything in them, and a test holds this against the rules; to ask all of these takes four times
//! as long.

use aictx_proto::RepoPath;
use aictx_shell::{Dialect, RedirectKind, Word};

use super::irreplaceable_files::is_precious;
use super::outside_repo::begins_like_the_system;
use super::table::Traits;
use super::unknown_wrapper::telling;
use super::{Call, Facts, Judge, Kinds, Place};
use crate::protected_paths;

/// Operands of one call that are looked at.
const MAX_OPERANDS: usize = 16;

/// Returns true if calls of a line can be acquitted: nobody wants to know of more than harm.
pub(super) fn may_be(place: Place, facts: &dyn Facts, minded: Kinds) -> bool {
    minded.is_empty()
        && !facts.minds_commands()
        && place.base().is_some()
        && !begins_like_the_system(place.cwd)
}

/// What a program does with its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Makes,
    Replaces,
    Deletes,
    /// What is left of it is most.
    Edits,
}

/// Returns whether a call plainly does no harm.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    let (does, flags) = match call.name {
        "mkdir" => (Does::Makes, "pv"),
        "touch" => (Does::Makes, "acm"),
        "cp" => (Does::Replaces, "aprRv"),
        "mv" => (Does::Replaces, "nv"),
        "rm" => (Does::Deletes, "fv"),
        "sed" => (Does::Edits, "iEr"),
        _ => return false,
    };
    if !judge.acquits || !is_simple(judge, call) {
        return false;
    }
    let limited = judge.facts.has_limits();
    let arguments = call.arguments();
    let last = arguments
        .iter()
        .rposition(|word| !word.text.starts_with('-'));
    let script = match does {
        Does::Edits if !is_in_place(arguments) => return false,
        Does::Edits => arguments
            .iter()
            .position(|word| !word.text.starts_with('-')),
        _ => None,
    };
    let mut operands = 0;
    let mut written = Vec::with_capacity(if limited { 2 } else { 0 });
    for (at, word) in arguments.iter().enumerate() {
        if let Some(given) = word.text.strip_prefix('-') {
            if given.is_empty() || !given.chars().all(|flag| flags.contains(flag)) {
                return false;
            }
            continue;
        }
        if script == Some(at) {
            if !is_itself(word) || !substitutes(&word.text) {
                return false;
            }
            continue;
        }
        operands += 1;
        let place =
            (operands <= MAX_OPERANDS && is_itself(word)).then(|| ordinary(judge, call, word));
        let Some(path) = place.flatten() else {
            return false;
        };
        let there = || judge.facts.is_there(&path);
        let lost = match does {
            Does::Replaces if last == Some(at) => there() == Some(true),
            Does::Deletes => there() != Some(false) && judge.facts.path(&path).dirty == Some(true),
            Does::Makes | Does::Replaces | Does::Edits => false,
        };
        if lost {
            return false;
        }
        if limited && (call.name != "cp" || last == Some(at)) {
            written.push(path);
        }
    }
    let enough = match does {
        Does::Replaces => operands == 2,
        Does::Makes | Does::Deletes | Does::Edits => operands > 0,
    };
    if !enough || !may_write(judge.facts, call.name, &written) {
        return false;
    }
    judge.risk.deletes |= does == Does::Deletes;
    true
}

/// `sed -i`
fn is_in_place(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    words.any(|word| word.text.starts_with('-') && word.text.contains('i'))
}

/// `s/a/b/g`: an order of `sed` that puts something in the place of something else, and that is all.
fn substitutes(order: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b';' | b'{' | b'}' | b'\\');
    let mark = order
        .as_bytes()
        .get(1)
        .filter(|mark| mark.is_ascii_punctuation());
    let (Some(mark), true) = (mark, order.bytes().all(plain)) else {
        return false;
    };
    let mut parts = order.split(char::from(*mark));
    let (order, _, put_in) = (parts.next(), parts.next(), parts.next());
    let ends = |flags: &str| {
        flags
            .bytes()
            .all(|flag| matches!(flag, b'g' | b'I' | b'0'..=b'9'))
    };
    order == Some("s")
        && put_in.is_some_and(|text| !text.is_empty())
        && parts.next().is_some_and(ends)
        && parts.next().is_none()
}

/// Returns true if nothing speaks against writing some paths; whoever wants to know is told of them as the rules do.
fn may_write(facts: &dyn Facts, name: &str, written: &[RepoPath]) -> bool {
    // What may be a directory is written with all that is in it.
    let whole = matches!(name, "mv" | "rm" | "touch" | "sed");
    let mut paths = written.iter();
    if paths.any(|path| facts.limit(path).is_some() || (whole && facts.limit_below(path).is_some()))
    {
        return false;
    }
    // A directory is only there for what is put in it.
    if name != "mkdir" {
        written.iter().for_each(|path| facts.edits(path));
    }
    true
}

/// Returns true if nothing but its words says what a call does.
fn is_simple(judge: &Judge, call: Call) -> bool {
    let command = call.command;
    let quiet = |kind, target: &str| kind == RedirectKind::Duplicate || target == "/dev/null";
    let mut redirects = command.redirects.iter();
    let named = command.words.first();
    !(command.remote || command.fed || command.elevated || judge.windows)
        && judge.dialect == Dialect::Posix
        && judge.aliases.is_empty()
        && command.piped_from.is_none()
        && command.assignments.is_empty()
        && redirects.all(|it| quiet(it.kind, &it.target.text))
        && call.program.rules.is_empty()
        && !call.program.traits.has(Traits::HANDED)
        && named.is_some_and(|word| word.text == call.name && is_itself(word))
}

/// Returns true if a word is what it is written as, whatever happens before.
fn is_itself(word: &Word) -> bool {
    !(word.unknown || word.carried || word.wavers || word.splits || word.inner.is_some())
        && word.others.is_empty()
}

/// The place of a file of the repository that is ordinary by all that its name says, and no link leads elsewhere from.
fn ordinary(judge: &Judge, call: Call, word: &Word) -> Option<RepoPath> {
    let text = word.text.as_str();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() | matches!(byte, b'_' | b'-' | b'.' | b'/');
    if !text.bytes().fold(true, |all, byte| all & plain(byte)) {
        return None;
    }
    // `mv rm -f`: as good as a command behind another.
    if !telling(word.program()).is_empty() {
        return None;
    }
    let path = RepoPath::below(judge.base?, call.command.dir.as_deref()?, text)?;
    if protected_paths::verdict_inside(&path).is_some() || is_precious(text) {
        return None;
    }
    let straight = !judge.facts.has_paths() || judge.is_straight(&path, true);
    straight.then_some(path)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use aictx_shell::analyse;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::table::program;
    use super::super::{CommandRisk, Known, Limit, MemoryFacts, NoFacts, Notes, Tier, judged};
    use super::*;

    const PLACE: Place = Place {
        root: "/r/app",
        cwd: "/r/app/web",
    };

    fn facts() -> MemoryFacts {
        let mut facts = MemoryFacts::default();
        let path = |text: &str| RepoPath::parse(text).unwrap();
        for (name, directory, tracked, dirty) in [
            ("web/a.py", false, true, Some(true)),
            ("web/b.py", false, true, Some(false)),
            ("web/src/a.py", false, true, None),
            ("web/notes", false, false, Some(true)),
            ("web/src", true, true, None),
            ("web/led", false, true, None),
            ("web/src/off", false, true, None),
            ("a.py", false, true, Some(true)),
        ] {
            let known = Known {
                exists: Some(true),
                directory: Some(directory),
                tracked: Some(tracked),
                ignored: Some(false),
                dirty,
            };
            facts.paths.insert(path(name), known);
        }
        for (name, to) in [("web/led", "../.git"), ("web/src/off", "/etc")] {
            facts.links.insert(path(name), Arc::from(to));
        }
        facts
    }

    /// The same, with limits; and what they are told, each thing once.
    #[derive(Default)]
    struct Limited {
        known: MemoryFacts,
        limited: Option<&'static str>,
        told: RefCell<Vec<String>>,
    }

    impl Limited {
        fn tells(&self, what: &str, path: &RepoPath) {
            let said = format!("{what} {path}");
            let mut told = self.told.borrow_mut();
            if !told.contains(&said) {
                told.push(said);
            }
        }

        fn limits(&self, path: &RepoPath) -> Option<Limit> {
            let limited = self
                .limited
                .is_some_and(|part| path.as_str().contains(part));
            limited.then_some(Limit::Forbidden)
        }
    }

    impl Facts for Limited {
        fn path(&self, path: &RepoPath) -> Known {
            self.known.path(path)
        }

        fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
            self.known.link(path)
        }

        fn has_limits(&self) -> bool {
            true
        }

        fn limit(&self, path: &RepoPath) -> Option<Limit> {
            self.tells("written", path);
            self.limits(path)
        }

        fn limit_below(&self, path: &RepoPath) -> Option<Limit> {
            self.tells("below", path);
            None
        }

        fn edits(&self, path: &RepoPath) {
            self.tells("edited", path);
        }
    }

    /// Both verdicts on a line, without and with acquittals.
    fn both(line: &str, place: Place, facts: &dyn Facts) -> [CommandRisk; 2] {
        [false, true].map(|quick| judged(line, Dialect::Posix, place, facts, quick))
    }

    /// What both make known of what is written, and both verdicts.
    fn both_told(line: &str, limited: Option<&'static str>) -> [(CommandRisk, Vec<String>); 2] {
        [false, true].map(|quick| {
            let facts = Limited {
                known: facts(),
                limited,
                told: RefCell::default(),
            };
            let risk = judged(line, Dialect::Posix, PLACE, &facts, quick);
            // In which order does not matter.
            let mut told = facts.told.into_inner();
            told.sort_unstable();
            (risk, told)
        })
    }

    #[test]
    fn ordinary_calls_are_acquitted() {
        let facts = facts();
        for (line, acquitted) in [
            ("mkdir -p src/new 2>/dev/null", true),
            ("touch a.py src/c.py", true),
            ("cp -p a.py c.py", true),
            ("mv b.py src/c.py", true),
            ("rm -f b.py x.o", true),
            ("sed -i 's/a/b/g' a.py src/c.py", true),
            ("sed -i -E 's|a+|b|' a.py", true),
            ("sed -i 's/.*//' a.py", false),
            ("sed -i 's/a/b/w .env' a.py", false),
            ("sed -i 's/a/rm x/e' a.py", false),
            ("sed -i 's/a/b/;d' a.py", false),
            ("sed -i 's/a/b/' .env", false),
            ("sed 's/a/b/' a.py", false),
            ("cd src && rm a.py", true),
            ("rm a.py", false),
            ("mv b.py a.py", false),
            ("mv b.py a.py -v", false),
            ("cp b.py src", false),
            ("rm -rf x", false),
            ("touch led/x", false),
            ("rm .env", false),
            ("sudo rm x", false),
            ("./rm x", false),
            ("cp x ../y", false),
            ("rm *.o", false),
            ("rm $x", false),
        ] {
            let script = analyse(line, Dialect::Posix);
            let command = script.commands.last().unwrap();
            let call = Call {
                script: &script,
                command,
                name: command.name(),
                segment: script.commands.len() - 1,
                program: program(command.name()),
                notes: &Notes::default(),
            };
            let mut at_work = Judge::new(PLACE, &facts, true);
            assert_eq!(judge(&mut at_work, call), acquitted, "{line}");
            let [tried, quick] = both(line, PLACE, &facts);
            assert_eq!(tried, quick, "{line}");
            assert!(!acquitted || quick.tier == Tier::Plain, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]
        /// Whoever is acquitted would be found harmless by every rule.
        #[test]
        fn the_rules_find_nothing_in_what_is_acquitted(
            calls in proptest::collection::vec((
                select(vec!["", "", "", "", "cd src && ", "cd .. && ", "X=1 ", "sudo ", "xargs ", "alias mv='rm -rf'; ",
                    "f() { rm x; }; ", "x=a.py; ", "for x in a b; do ", "del x & "]),
                select(vec!["mkdir", "touch", "cp", "mv", "rm", "rm", "mv", "cp", "sed -i", "sed", "/bin/rm", "./mv", "tee"]),
                proptest::collection::vec(select(vec![
                    "s/a/b/g", "s/a/b/", "s/.*//", "s,a,b,e", "s/x/y/d", "s/a/b/w", "-i", "-E", "-n", "-e", "1d", "sXaXbX",
                    "a.py", "b.py", "c.py", "src", "src/", "src/a.py", "src/new/x", "notes", "led", "led/x", "src/off",
                    ".env", "id_rsa", "x.db", "prod.sqlite", "target/x", "rm", "ssh", "run", "exec", "*.py", "$x",
                    "${x}", "/tmp/x", "../a.py", "~/x", "--", "-f", "-rf", "-n", "-v", "-p", "-b", "-t", "--force",
                    "Jenkinsfile", ".github/x", "'a b'", "a~", "C:\\x", "/dev/null", "2>/dev/null", "> a.py",
                    "< a.py", "<<< x", "$(ls)", "{a,b}.py", "{}", "x.tfstate", "/etc/passwd", "a..b", "delete",
                    "--help", "-h", ".git/index.lock", "-", "-x", "+x", "nul", "backup.tar", "x.pem", ".travis.yml",
                ]), 0..4),
                select(vec!["; ", " && ", " | ", "\n", " || ", " & "]),
            ), 1..4),
            here in any::<bool>(),
        ) {
            let mut line = String::new();
            for (before, name, words, join) in calls {
                line.push_str(before);
                line.push_str(name);
                for word in words {
                    line.push(' ');
                    line.push_str(word);
                }
                line.push_str(join);
            }
            let place = match here {
                true => PLACE,
                false => Place { root: "/r/app", cwd: "/r/app" },
            };
            let [tried, quick] = both(&line, place, &facts());
            prop_assert_eq!(tried, quick, "{}", line);
            let [tried, quick] = both(&line, place, &NoFacts);
            prop_assert_eq!(tried, quick, "{}", line);
            for limited in [None, Some("src"), Some("c.py")] {
                let [tried, quick] = both_told(&line, limited);
                prop_assert_eq!(tried, quick, "{} {:?}", line, limited);
            }
        }
    }
}
