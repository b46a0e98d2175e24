//! Similarity of two texts, the same for goals, requests and memory.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use aictx_proto::text::clean;
use aictx_proto::words;

use crate::lru_cache::Memo;
use crate::row_cache::hash;

/// Texts longer than this are compared by their beginning, in bytes.
const MAX_COMPARED: usize = 8 * 1024;
/// Bytes of a generation of texts whose terms are remembered, which take ten times as much: those of what is
/// worked on.
const TEXTS: usize = 64 * 1024;
/// A goal that stands inside another says the same from this many characters on.
const MIN_CONTAINED: usize = 16;
/// Share of common terms from which two goals are the same.
const SAME_GOAL: f64 = 0.35;

/// The telling terms of a text: stemmed parts of its words without common ones, and pairs of
/// characters of scripts that write without spaces.
pub(crate) fn terms(text: &str) -> Arc<BTreeSet<String>> {
    static KNOWN: LazyLock<Memo<Arc<BTreeSet<String>>>> = LazyLock::new(|| Memo::new(TEXTS));
    KNOWN.get(text, |text| Arc::new(find_terms(text)))
}

fn find_terms(text: &str) -> BTreeSet<String> {
    let text = text
        .get(..text.floor_char_boundary(MAX_COMPARED))
        .unwrap_or_default();
    let mut found = BTreeSet::new();
    words::prose_terms(text, |term| {
        let is_short = term.is_ascii() && !words::is_long_enough(term);
        if !is_short && words::weight(term) > 0.5 {
            found.insert(term.to_owned());
        }
    });
    found
}

/// Share of common terms: 0 for none, 1 for the same.
pub(crate) fn similarity(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
    }
}

/// The terms of a text as their hashes, sorted, for what is compared with hundreds of others.
pub(crate) fn hashed_terms(text: &str) -> Box<[u64]> {
    sorted_hashes(&find_terms(text))
}

/// The same of a text that is asked about more than once, as a request is.
pub(crate) fn asked_terms(text: &str) -> Box<[u64]> {
    sorted_hashes(&terms(text))
}

fn sorted_hashes(terms: &BTreeSet<String>) -> Box<[u64]> {
    let mut hashes: Vec<u64> = terms.iter().map(|term| hash(term)).collect();
    hashes.sort_unstable();
    hashes.into()
}

/// As [`shared`], of hashed terms.
pub(crate) fn in_common(a: &[u64], b: &[u64]) -> usize {
    let (mut b, mut shared) = (b.iter().peekable(), 0);
    for term in a {
        while b.next_if(|other| *other < term).is_some() {}
        shared += usize::from(b.peek() == Some(&term));
    }
    shared
}

/// As [`similarity`], of hashed terms.
pub(crate) fn likeness(a: &[u64], b: &[u64]) -> f64 {
    share(in_common(a, b), a, b)
}

/// As [`likeness`], of terms of which so many are known to be the same.
pub(crate) fn share(shared: usize, a: &[u64], b: &[u64]) -> f64 {
    let all = a.len() + b.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
    }
}

/// Returns the number of shared terms.
pub(crate) fn shared(a: &BTreeSet<String>, b: &BTreeSet<String>) -> usize {
    a.intersection(b).count()
}

/// The position of the text that shares more terms with `words` than any other; `None` for a tie.
pub(crate) fn most_alike<'r>(words: &str, texts: impl Iterator<Item = &'r str>) -> Option<usize> {
    let asked = terms(words);
    let mut best: Option<(usize, usize)> = None;
    let mut alone = true;
    for (at, text) in texts.enumerate() {
        let common = shared(&asked, &terms(text));
        match best {
            Some((_, most)) if common < most => {}
            Some((_, most)) if common == most => alone = false,
            _ => (best, alone) = (Some((at, common)), true),
        }
    }
    best.filter(|(_, common)| *common > 0 && alone)
        .map(|(at, _)| at)
}

/// Match of two goals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GoalMatch {
    /// They are about the same.
    pub(crate) yes: bool,
    /// `exact`, `substring`, `token_overlap`, `different` or `unknown`.
    pub(crate) level: &'static str,
    /// Share of common terms, 4 decimals.
    pub(crate) score: f64,
}

/// Returns true if two goals are about the same.
pub fn goals_match(a: &str, b: &str) -> bool {
    goals(a, b).yes
}

/// Compares two goals.
pub(crate) fn goals(a: &str, b: &str) -> GoalMatch {
    let answer = |yes, level, score: f64| GoalMatch {
        yes,
        level,
        score: (score * 10_000.0).round() / 10_000.0,
    };
    let fold = |t: &str| clean(t, 2_000).to_lowercase();
    let (a, b) = (fold(a), fold(b));
    if a.is_empty() || b.is_empty() {
        return answer(false, "unknown", 0.0);
    }
    if a == b {
        return answer(true, "exact", 1.0);
    }
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    if short.chars().count() >= MIN_CONTAINED && long.contains(short.as_str()) {
        return answer(true, "substring", 1.0);
    }
    let score = similarity(&terms(&a), &terms(&b));
    if score >= SAME_GOAL {
        answer(true, "token_overlap", score)
    } else {
        answer(false, "different", score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_in_any_script() {
        assert_eq!(goals("fix the login", "Fix  the LOGIN").level, "exact");
        assert!(goals("fix the token refresh", "please fix the token refresh now").yes);
        assert!(!goals("fix the token refresh", "write a quickstart section").yes);
        assert!(goals("修复登录令牌刷新", "修复令牌刷新的登录").yes);
        assert!(!goals("修复登录令牌刷新", "写快速入门文档").yes);
        assert!(!goals("", "x").yes);
    }

    #[test]
    fn hashed_terms_are_as_alike_as_the_terms() {
        let texts = [
            "fix the token refresh",
            "please fix the token refresh now",
            "修复登录令牌刷新",
            "",
            "write a quickstart section",
        ];
        for a in texts {
            for b in texts {
                assert_eq!(
                    likeness(&hashed_terms(a), &hashed_terms(b)),
                    similarity(&terms(a), &terms(b)),
                    "{a} {b}"
                );
            }
        }
    }

    #[test]
    fn a_rule_is_taken_back_by_what_it_is_about() {
        let rules = [
            "From now on use pnpm instead of npm",
            "Money is stored in cents",
        ];
        for (message, want) in [
            ("Forget the rule about pnpm.", Some(0)),
            ("OK, forget that money is stored in cents", Some(1)),
            ("Forget the rule about tabs", None),
            ("forget it", None),
            ("Scrap the tabs view and write pnpm support", None),
            ("Fix the forgotten password page", None),
        ] {
            let which = aictx_steer::rules_taken_back(message);
            let found = which
                .first()
                .and_then(|which| most_alike(which, rules.into_iter()));
            assert_eq!(found, want, "{message}");
        }
    }
}
