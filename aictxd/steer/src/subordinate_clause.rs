//! Recognises clauses of time and reason: "don't touch A until the tests pass" is no limit on the tests.

use super::anaphora::UNTIL;
use super::clause::{Clause, Item};
use super::edit_object::is_wide;
use super::word_class::Class;

/// Words that begin such a part of a sentence.
const BEGINS: &[&str] = &[
    "because", "since", "when", "while", "whenever", "once", "after", "given", "due", "so", "as",
    "porque", "cuando", "puesto", "dado", "pues", "debido", "despues", "parce", "puisque", "quand",
    "lorsque", "pendant", "afin", "weil", "denn", "wahrend", "sobald", "wenn", "damit", "pois",
    "quando", "depois", "因为", "直到", "等到", "由于", "除非",
];

/// Ends of such a part in Chinese and Japanese, which set it first.
const ENDS: &[&str] = &["期间", "まで", "ので", "ため", "間は"];

/// Those of the `named` things that are not in such a part; all of them where nothing else is named.
pub(super) fn main_only(clause: &Clause, named: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let (aside, main): (Vec<_>, Vec<_>) =
        (named.into_iter()).partition(|(at, _)| is_in(clause, *at));
    match main.is_empty() {
        true => aside,
        false => main,
    }
}

/// Returns true if what stands at `at` is in such a part of the sentence.
pub(super) fn is_in(clause: &Clause, at: usize) -> bool {
    let items = &clause.items;
    let Some(limit) = items.iter().position(limits) else {
        return false;
    };
    if is_wide(clause) && at < limit {
        let between = items.get(at + 1..limit).unwrap_or_default();
        return ends(between);
    }
    let begin = |range: std::ops::Range<usize>| {
        let items = items.get(range.clone()).unwrap_or_default();
        let begin = items.iter().position(begins);
        begin.map(|begin| begin + range.start)
    };
    let excepts = |from: usize| {
        let between = items.get(from..at).unwrap_or_default();
        between.iter().any(|i| i.has(Class::Except))
    };
    if at < limit {
        // "Until the tests pass don't touch A".
        let plain = items.get(limit).is_some_and(|i| i.has(Class::Neg));
        return plain && begin(0..at).is_some();
    }
    begin(limit + 1..at).is_some_and(|from| !excepts(from))
}

fn limits(item: &Item) -> bool {
    [
        Class::Neg,
        Class::NegEnd,
        Class::HandsOff,
        Class::EditNo,
        Class::Only,
        Class::Keep,
        Class::Leave,
        Class::Avoid,
        Class::Alone,
        Class::Edit,
    ]
    .iter()
    .any(|class| item.has(*class))
}

/// Returns true if a word begins such a part.
pub(super) fn begins(item: &Item) -> bool {
    let text = item.text.as_str();
    // "Hasta que" is a phrase, which has no text.
    let phrase = text.is_empty() && (item.has(Class::AllObj) || item.has(Class::If));
    BEGINS.contains(&text) || UNTIL.contains(&text) || item.has(Class::Before) || phrase
}

/// Returns true if such a part ends between what is named and the limit. "From A" has the word for "because" right
/// behind it.
fn ends(between: &[Item]) -> bool {
    let said: String = between.iter().map(|i| i.text.as_str()).collect();
    let before = |i: &Item| i.has(Class::Before) || i.text.ends_with(['前', '时']);
    between.iter().any(before)
        || ENDS.iter().any(|word| said.contains(word))
        || said.find("から").is_some_and(|at| at > 0)
}
