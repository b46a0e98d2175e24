//! Everything that is looked for in a program, found in one pass over it, or word by word where few may be there.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError, MatchKind};

use super::super::table::{
    EVALUATIONS, FETCHES, HANDED_OVER, INTERPRETERS, LISTINGS, REQUESTS, ROW_DELETES,
    SERVICE_DELETES, SERVICES, SHELL_CALLS, SOCKETS, TEMPORARY_MAKERS, UNLINKS,
};
use super::exfiltration::SENDS;
use super::payments_and_mail::{LETTERS, MONEY};
use super::scan::{Asked, Find as _};
use super::truncation::{WALKS, WRITERS};
use super::{DECODINGS, EXECUTIONS, FORK_BOMBS, RECURSIVE, WRITES, callee_names, write_targets};

/// Lists of words, some of which a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lists(u32);

macro_rules! lists {
    ($($name:ident $bit:literal)+) => {
        impl Lists {
            $(pub(super) const $name: Self = Self(1 << $bit);)+
        }
    };
}

lists! {
    DELETES 0
    UNLINKS 1
    LISTINGS 2
    SHELL_CALLS 3
    EXECUTIONS 4
    FETCHES 5
    EVALUATIONS 6
    SOCKETS 7
    HANDED_OVER 8
    SERVICES 9
    SERVICE_DELETES 10
    DECODINGS 11
    TEMPORARY 12
    WRITES 13
    ROW_DELETES 14
    REQUESTS 15
    RECURSIVE 16
    TARGETS 17
    PEOPLE 18
    OTHERS 19
}

impl Lists {
    /// Returns true if a word of each of `other` was found.
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if no word of any list was found.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Other words one of which a program must hold for a rule to find something in it.
const OTHERS: &[&str] = &[
    // `new File("x").delete()`
    ").delete(",
    // What is handed to somebody who calls it.
    "shutil.rmtree",
    // Statements that are built, and chains that end in a change of rows.
    ".query(",
    "execute(",
    ".update(",
    "->update(",
    // Protections that are taken away.
    "modify",
    "Modify",
    "update_",
    "patch_",
    "patch(",
    "put_",
    "PutPublicAccessBlock",
    "putBucket",
];
/// The same without blanks.
const OTHERS_TIGHT: &[&str] = &[
    // Files that are written over or left empty.
    "open(",
    "extractall(",
    "unpack_archive(",
    "copyfile(",
    "copyFileSync(",
    "h5py.File(",
    "torch.save(",
    "joblib.dump(",
    "DataFrame(columns=",
    "'/dev/null'",
    "\"/dev/null\"",
    // Tables that are made anew.
    ".to_sql(",
    "dbWriteTable(",
    ".update_all(",
    ".update(",
    ".delete()",
    ".chat.delete(",
    // What is thrown away, and processes that are ended.
    "GIT_RESET_HARD",
    "force=True",
    ".kill(-1,",
    // What is done with each of many.
    ".purge",
    ".destroy",
    "process_iter(",
    "psutil.pids(",
    "Get-Process|",
    "psList(",
];

/// A word as the beginning of a name may be spelled: `purge`, `Purge`, `PURGE`.
fn spellings(word: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    (0..=word.len()).map(move |large| {
        let letters = word.char_indices();
        let spelled = letters.map(|(at, letter)| match at < large {
            true => letter.to_ascii_uppercase(),
            false => letter,
        });
        spelled.collect::<String>().into()
    })
}

/// Words that are looked for one by one in a longer text; for more of them, each byte is looked at.
const FEW: usize = 8;

/// Words, each with its list, and an automaton for them.
struct Search<A> {
    automaton: Option<A>,
    words: Vec<(Cow<'static, str>, u32)>,
}

impl<A: Automaton> Search<A> {
    fn new(
        words: Vec<(Cow<'static, str>, u32)>,
        build: impl FnOnce(Vec<&str>) -> Result<A, BuildError>,
    ) -> Self {
        Self {
            automaton: build(words.iter().map(|(word, _)| word.as_ref()).collect()).ok(),
            words,
        }
    }

    /// The lists of which a text holds a word; all of them when nothing can be told.
    fn of(&self, text: &Asked) -> Lists {
        if text.is_long() {
            let there = || self.words.iter().filter(|(word, _)| text.may_hold(word));
            if there().count() <= FEW {
                let held = there().filter(|(word, _)| text.holds(word));
                return Lists(held.fold(0, |found, (_, list)| found | list));
            }
        }
        let Some(automaton) = &self.automaton else {
            return Lists(u32::MAX);
        };
        let Ok(mut state) = automaton.start_state(Anchored::No) else {
            return Lists(u32::MAX);
        };
        // Where a word ends does not matter: so the automaton is walked here, by the byte.
        let mut found = 0;
        for byte in text.bytes() {
            state = automaton.next_state(Anchored::No, state, byte);
            if automaton.is_special(state) && automaton.is_match(state) {
                for nth in 0..automaton.match_len(state) {
                    let word = automaton.match_pattern(state, nth).as_usize();
                    found |= self.words.get(word).map_or(0, |(_, list)| *list);
                }
            }
        }
        Lists(found)
    }
}

/// The words of some lists.
fn words_of(parts: &[(&[&'static str], Lists)]) -> Vec<(Cow<'static, str>, u32)> {
    let parts = parts.iter();
    let words = parts.flat_map(|(words, list)| words.iter().map(|word| ((*word).into(), list.0)));
    words.collect()
}

static WORDS: LazyLock<Search<NFA>> = LazyLock::new(|| {
    let mut parts: Vec<(&[&'static str], Lists)> = vec![
        (UNLINKS, Lists::UNLINKS),
        (LISTINGS, Lists::LISTINGS),
        (SHELL_CALLS, Lists::SHELL_CALLS),
        (EXECUTIONS, Lists::EXECUTIONS),
        (FETCHES, Lists::FETCHES),
        (EVALUATIONS, Lists::EVALUATIONS),
        (SOCKETS, Lists::SOCKETS),
        (HANDED_OVER, Lists::HANDED_OVER),
        (SERVICES, Lists::SERVICES),
        (SERVICE_DELETES, Lists::SERVICE_DELETES),
        (&["Delete", ".delete"], Lists::SERVICE_DELETES),
        (DECODINGS, Lists::DECODINGS),
        (TEMPORARY_MAKERS, Lists::TEMPORARY),
        (WRITES, Lists::WRITES),
        (&MONEY, Lists::PEOPLE),
        (&LETTERS, Lists::PEOPLE),
        (OTHERS, Lists::OTHERS),
    ];
    parts.extend(
        INTERPRETERS
            .iter()
            .map(|known| (known.deletes, Lists::DELETES)),
    );
    let mut words = words_of(&parts);
    words.extend(write_targets::names().map(|name| (name.into(), Lists::TARGETS.0)));
    let promising = callee_names::promising().flat_map(spellings);
    words.extend(promising.map(|word| (word, Lists::OTHERS.0)));
    // A table of all their states would have a megabyte.
    Search::new(words, |words| {
        let mut builder = NFA::builder();
        builder.match_kind(MatchKind::Standard).build(words)
    })
});

static TIGHT: LazyLock<Search<NFA>> = LazyLock::new(|| {
    let parts: [(&[&'static str], Lists); 8] = [
        (ROW_DELETES, Lists::ROW_DELETES),
        (REQUESTS, Lists::REQUESTS),
        (RECURSIVE, Lists::RECURSIVE),
        (&WRITERS, Lists::OTHERS),
        (&WALKS, Lists::OTHERS),
        (SENDS, Lists::OTHERS),
        (FORK_BOMBS, Lists::OTHERS),
        (OTHERS_TIGHT, Lists::OTHERS),
    ];
    Search::new(words_of(&parts), |words| {
        let mut builder = NFA::builder();
        builder.match_kind(MatchKind::Standard).build(words)
    })
});

/// Searches a program; `tight` is the same without blanks.
pub(super) fn search(text: &Asked, tight: &Asked) -> Lists {
    Lists(WORDS.of(text).0 | TIGHT.of(tight).0)
}

#[cfg(test)]
mod tests {
    use aictx_shell::Dialect;
    use proptest::prelude::*;

    use super::super::super::{NoFacts, Place, judged};
    use super::*;

    /// Returns the quoted words in the sources of the rules for programs: every word that one of them looks for.
    fn words_of_the_rules() -> Vec<String> {
        let sources = [
            include_str!("aliases.rs"),
            include_str!("callee_names.rs"),
            include_str!("orm_chains.rs"),
            include_str!("remote_effects.rs"),
            include_str!("git.rs"),
            include_str!("literals.rs"),
            include_str!("truncation.rs"),
            include_str!("payments_and_mail.rs"),
            include_str!("mocks_and_dry_runs.rs"),
            include_str!("exfiltration.rs"),
            include_str!("write_targets.rs"),
            include_str!("../inline_code.rs"),
            include_str!("../table/interpreters.rs"),
            include_str!("../table/programs.rs"),
        ];
        let mut words = Vec::new();
        for line in sources.iter().flat_map(|source| source.lines()) {
            let mut inside: Option<String> = None;
            let mut letters = line.split("//").next().unwrap_or_default().chars();
            while let Some(letter) = letters.next() {
                match (letter, &mut inside) {
                    ('"', Some(_)) => words.extend(inside.take()),
                    ('"', None) => inside = Some(String::new()),
                    ('\\', Some(word)) => word.extend(letters.next().map(|next| match next {
                        'n' => '\n',
                        next => next,
                    })),
                    (letter, Some(word)) => word.push(letter),
                    _ => {}
                }
            }
        }
        words.retain(|word| !word.is_empty() && word.len() < 40 && !word.contains("EOF"));
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Those that are on no list: of these a program may hold any without being looked at closely.
    static QUIET: LazyLock<Vec<String>> = LazyLock::new(|| {
        let quiet = |word: &String| {
            let tight: String = word.split_ascii_whitespace().collect();
            search(&Asked::new(word.as_str()), &Asked::new(tight)).is_empty()
        };
        words_of_the_rules().into_iter().filter(quiet).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        /// Whatever a rule finds, a word of one of the lists is there.
        #[test]
        fn nothing_is_found_in_what_holds_no_word(
            words in proptest::collection::vec((
                any::<proptest::sample::Index>(),
                prop_oneof![
                    Just(""), Just(" "), Just("("), Just("()"), Just(")"), Just("'a.py'"), Just("."), Just("=x"),
                    Just(", "), Just("\n"), Just("Item"), Just("\"w\""), Just("{}"), Just("import os\n"),
                ],
            ), 0..7),
            program in proptest::sample::select(vec![
                "python3 -", "node -", "ruby -", "perl -", "php", "awk -f -", "python3 -B - x.py",
            ]),
        ) {
            let mut text = String::new();
            for (word, between) in words {
                text.push_str(word.get::<String>(&QUIET));
                text.push_str(between);
            }
            let line = format!("{program} <<'EOF'\n{text}\nEOF");
            let place = Place { root: "/r/app", cwd: "/r/app" };
            let [tried, quick] = [false, true].map(|quick| judged(&line, Dialect::Posix, place, &NoFacts, quick));
            prop_assert_eq!(tried, quick, "{}", line);
        }
    }

    proptest! {
        #[test]
        fn each_list_is_found_of_which_a_word_is_there(
            words in proptest::collection::vec(any::<proptest::sample::Index>(), 0..24),
            between in "[a-z(. \n]{0,12}",
            filling in prop_oneof![Just(0_usize), Just(3_000)],
        ) {
            let mut text = "xy ".repeat(filling / 3);
            for word in words {
                let (word, _) = word.get(&WORDS.words);
                text.push_str(&between);
                text.push_str(word);
            }
            let all = WORDS.words.iter().filter(|(word, _)| text.contains(word.as_ref()));
            let all = all.fold(0, |found, (_, list)| found | list);
            prop_assert_eq!(WORDS.of(&Asked::new(text)), Lists(all));
        }
    }
}
