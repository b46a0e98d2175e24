//! Everything that is looked for in a program, found in one pass over it, or word by word where few may be there.

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError, MatchKind};

use super::super::table::{
    EVALUATIONS, FETCHES, HANDED_OVER, INTERPRETERS, LISTINGS, REQUESTS, ROW_DELETES,
    SERVICE_DELETES, SERVICES, SHELL_CALLS, SOCKETS, TEMPORARY_MAKERS, UNLINKS,
};
use super::find::{Asked, Find as _};
use super::{DECODINGS, EXECUTIONS, RECURSIVE, WRITES};

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
}

impl Lists {
    /// Whether a word of each of `other` was found.
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Words that are looked for one by one in a longer text; for more of them, each byte is looked at.
const FEW: usize = 8;

/// Words, each with its list, and an automaton for them.
struct Search<A> {
    automaton: Option<A>,
    words: Vec<(&'static str, u32)>,
}

impl<A: Automaton> Search<A> {
    fn new(
        parts: &[(&[&'static str], Lists)],
        build: impl FnOnce(Vec<&'static str>) -> Result<A, BuildError>,
    ) -> Self {
        let parts = parts.iter();
        let words = parts.flat_map(|(words, list)| words.iter().map(|word| (*word, list.0)));
        let words: Vec<_> = words.collect();
        Self {
            automaton: build(words.iter().map(|(word, _)| *word).collect()).ok(),
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
    ];
    parts.extend(
        INTERPRETERS
            .iter()
            .map(|known| (known.deletes, Lists::DELETES)),
    );
    // A table of all their states would have a megabyte.
    Search::new(&parts, |words| {
        let mut builder = NFA::builder();
        builder.match_kind(MatchKind::Standard).build(words)
    })
});

static TIGHT: LazyLock<Search<DFA>> = LazyLock::new(|| {
    let parts: [(&[&'static str], Lists); 3] = [
        (ROW_DELETES, Lists::ROW_DELETES),
        (REQUESTS, Lists::REQUESTS),
        (RECURSIVE, Lists::RECURSIVE),
    ];
    Search::new(&parts, |words| {
        let mut builder = DFA::builder();
        builder.match_kind(MatchKind::Standard).build(words)
    })
});

/// What a program holds; `tight` is the same without blanks.
pub(super) fn search(text: &Asked, tight: &Asked) -> Lists {
    Lists(WORDS.of(text).0 | TIGHT.of(tight).0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            let all = WORDS.words.iter().filter(|(word, _)| text.contains(word));
            let all = all.fold(0, |found, (_, list)| found | list);
            prop_assert_eq!(WORDS.of(&Asked::new(text)), Lists(all));
        }
    }
}
