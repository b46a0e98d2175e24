//! One pass over a program for everything that is looked for in it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::super::table::{
    EVALUATIONS, FETCHES, HANDED_OVER, INTERPRETERS, LISTINGS, REQUESTS, ROW_DELETES,
    SERVICE_DELETES, SERVICES, SHELL_CALLS, SOCKETS, TEMPORARY_MAKERS, UNLINKS,
};
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

/// An automaton and the list of each of its words.
struct Search {
    words: Option<AhoCorasick>,
    lists: Vec<u32>,
}

impl Search {
    fn new(parts: &[(&[&'static str], Lists)]) -> Self {
        let all = || {
            let parts = parts.iter();
            parts.flat_map(|(words, list)| words.iter().map(|word| (*word, list.0)))
        };
        Self {
            words: AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(all().map(|(word, _)| word))
                .ok(),
            lists: all().map(|(_, list)| list).collect(),
        }
    }

    /// The lists of which a text holds a word; all of them when nothing can be told.
    fn of(&self, text: &str) -> Lists {
        let Some(words) = &self.words else {
            return Lists(u32::MAX);
        };
        let mut found = 0;
        for hit in words.find_overlapping_iter(text) {
            found |= self
                .lists
                .get(hit.pattern().as_usize())
                .copied()
                .unwrap_or(0);
        }
        Lists(found)
    }
}

static WORDS: LazyLock<Search> = LazyLock::new(|| {
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
    Search::new(&parts)
});

static TIGHT: LazyLock<Search> = LazyLock::new(|| {
    Search::new(&[
        (ROW_DELETES, Lists::ROW_DELETES),
        (REQUESTS, Lists::REQUESTS),
        (RECURSIVE, Lists::RECURSIVE),
    ])
});

/// What a program holds; `tight` is the same without blanks.
pub(super) fn search(text: &str, tight: &str) -> Lists {
    Lists(WORDS.of(text).0 | TIGHT.of(tight).0)
}
