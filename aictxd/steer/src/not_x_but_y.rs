//! "Don't patch it, rewrite it": what is forbidden is one way to change a thing that is to be changed in another.

use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words for what the clause before spoke of.
const IT: &[&str] = &[
    "it", "them", "this", "that", "lo", "la", "los", "las", "le", "les", "o", "a", "os", "as",
    "es", "sie", "ihn", "das", "它", "它们", "这个", "それ", "これ", "を", "は",
];

/// Words that may stand before the other verb, whatever else they mean.
const BEFORE: Set = LEAD
    .with(Set::of(Class::Instead))
    .with(Set::of(Class::Rather))
    .with(Set::of(Class::Only))
    .with(Set::of(Class::Func))
    .with(Set::of(Class::Do));

/// Returns true if the clause at `at` forbids to change something, and the next one orders to change the same in
/// another way. "Don't touch the parser, fix the lexer" speaks of two things, and "don't edit it, regenerate it" of
/// another's work.
pub(super) fn is_another_way(clauses: &[Clause], at: usize) -> bool {
    let (Some(clause), Some(next)) = (clauses.get(at), clauses.get(at + 1)) else {
        return false;
    };
    !next.opens && forbids_a_change(clause) && changes_it(next)
}

fn forbids_a_change(clause: &Clause) -> bool {
    const OTHERS: [Class; 10] = [
        Class::Nothing,
        Class::NoElse,
        Class::Test,
        Class::Publish,
        Class::Behav,
        Class::I,
        Class::Except,
        Class::Without,
        Class::Only,
        Class::AllObj,
    ];
    let items = &clause.items;
    let has = |class| items.iter().any(|i: &Item| i.has(class));
    let first = items.iter().find(|i| !i.set.meets(LEAD) || denies(i));
    let wide = items
        .iter()
        .any(|i| i.text.chars().any(aictx_proto::fold::is_unspaced));
    let denied = first.is_some_and(denies)
        || wide
            && items
                .last()
                .is_some_and(|i| i.has(Class::NegEnd) || i.has(Class::HandsOff));
    // "No lo parchees": a verb that no pack knows.
    let unknown = |i: &Item| i.set == Set::NONE && i.text.chars().count() > 3;
    let short = items.len() <= 3 && items.iter().any(unknown);
    let changes = has(Class::Edit) || has(Class::EditNo) || wide && has(Class::HandsOff) || short;
    // "It" and "that" are all objects of stopping, too.
    let other = |class: &Class| {
        items
            .iter()
            .any(|i| i.has(*class) && !IT.contains(&i.text.as_str()))
    };
    denied && changes && !clause.question && !clause.conditional && !OTHERS.iter().any(other)
}

fn denies(item: &Item) -> bool {
    item.has(Class::Neg)
}

fn changes_it(clause: &Clause) -> bool {
    const OTHER: [Class; 7] = [
        Class::Neg,
        Class::Not,
        Class::NegEnd,
        Class::Later,
        Class::If,
        Class::I,
        Class::HandsOff,
    ];
    let items = &clause.items;
    let Some(verb) = items.iter().position(is_change) else {
        return false;
    };
    let before = items.get(..verb).unwrap_or_default();
    let behind = items.get(verb + 1..).unwrap_or_default();
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::AskEnd))
        .with(Set::of(Class::Instead));
    let is_it = |i: &Item| IT.contains(&i.text.as_str());
    // Phrases hold their object: "schreib es neu", "écris-le".
    let names_it = behind.first().is_some_and(is_it);
    let names_nothing = behind.iter().all(|i| is_it(i) || i.set.meets(parts));
    // "Don't touch A, fix it in B": elsewhere.
    let has = |class| items.iter().any(|i: &Item| i.has(class));
    let elsewhere = has(Class::Under) && has(Class::Path);
    before.iter().all(|i| is_it(i) || i.set.meets(BEFORE))
        && !elsewhere
        && (names_it || names_nothing)
        && !clause.question
        && !OTHER
            .iter()
            .any(|class| items.iter().any(|i| i.has(*class) && !is_it(i)))
}

fn is_change(item: &Item) -> bool {
    let changes = item.has(Class::Edit) || item.has(Class::Switch) || item.has(Class::SimpleX);
    changes && item.text != "regenerate"
}

/// "Edit A, not B": whether the clause at `at` sets files apart from those that the one before it orders to be
/// changed.
pub(super) fn excludes(clauses: &[Clause], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let items = &clause.items;
    let joins = |i: &Item| i.has(Class::And) || i.has(Class::But);
    let mut words = items.iter().skip_while(|i| joins(i) && !negates(i));
    let parts = Set::of(Class::Path)
        .with(Set::of(Class::And))
        .with(Set::of(Class::Or))
        .with(Set::of(Class::Dir))
        .with(Set::of(Class::Under))
        .with(Set::of(Class::Tail));
    let may_stand = |i: &Item| {
        i.set.meets(parts)
            || super::edit_object::text(i, super::edit_object_lexicon::ARTICLES)
            || super::edit_object::text(i, super::edit_object_lexicon::IN)
    };
    let negated = words.next().is_some_and(negates);
    negated
        && words.all(may_stand)
        && items.iter().any(|i| i.has(Class::Path))
        && !clause.opens
        && !clause.question
        && !before.question
        && !super::anaphora::ordered(before).is_empty()
}

fn negates(item: &Item) -> bool {
    item.has(Class::Not) || item.has(Class::No) || item.has(Class::Neg)
}
