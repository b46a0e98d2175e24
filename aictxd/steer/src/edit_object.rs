//! Object of an order: "fix A" changes A, "write tests for A" does not. What is only named beside the work is
//! no object of it; where that is not certain, a name counts as one that is only beside.

use super::anaphora::CHANGES;
use super::clause::{Clause, Item};
use super::edit_object_cjk;
use super::edit_object_lexicon::{
    ABOUT, ABOUT_VERBS, ARTICLES, ELSE, FOR, FROM, IN, MADE, MOVE_VERBS, OF, PARTS, PASS,
    PUT_VERBS, REMOVE_VERBS, TO,
};
use super::path_lexicon::{is_directory, is_plain_name};
use super::prohibition_scope::{is_tests, is_tests_word};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Which part something plays in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It is changed itself.
    Object,
    /// Place of the change.
    Place,
    /// Only named beside it.
    Beside,
}

/// Returns the object and the plain place of an order, as paths or names of usual files and directories.
pub(super) fn changed(clause: &Clause) -> Vec<String> {
    let named = |test: &dyn Fn(&Item) -> bool| {
        let items = clause.items.iter().enumerate();
        items.filter(|(_, i)| test(i)).map(|(at, _)| at).collect()
    };
    let paths: Vec<usize> = named(&|i| i.has(Class::Path));
    let mut parts = parts(clause, &paths);
    if parts.iter().all(|(_, part)| *part == Part::Beside) {
        // A word is narrower than what is named with a path.
        let words: Vec<usize> = named(&|i| is_name(i) && !i.has(Class::Path));
        let words: Vec<usize> = (words.into_iter())
            .filter(|at| stands_alone(clause, *at))
            .collect();
        parts = self::parts(clause, &words);
    }
    let changed = parts.iter().filter(|(_, part)| *part != Part::Beside);
    let items = changed.filter_map(|(at, _)| clause.items.get(*at));
    items
        .map(|i| match is_tests_word(&i.text) {
            true => "tests".to_owned(),
            false => i.text.clone(),
        })
        .collect()
}

/// Returns true if the path at `at` is only what something else is made for or points at: "you may write tests for
/// A".
pub(super) fn is_beside(clause: &Clause, at: usize) -> bool {
    if is_wide(clause) {
        return edit_object_cjk::is_about(clause, at);
    }
    let items = &clause.items;
    // "You may use A as a template" changes nothing in it.
    let lifts = CHANGES
        .with(Set::of(Class::LiftX))
        .with(Set::of(Class::LiftAll))
        .with(Set::of(Class::EditN));
    let uses = items.iter().any(|i| i.has(Class::Use));
    if uses && !items.iter().any(|i| i.set.meets(lifts)) {
        return true;
    }
    let Some(governor) = governor(items, at) else {
        return describes(items, at);
    };
    let noun = governor.checked_sub(1).and_then(|noun| items.get(noun));
    let is_for = items.get(governor).is_some_and(|i| text(i, FOR));
    is_for && noun.is_some_and(|i| text(i, ABOUT)) || describes(items, at)
}

/// "You may edit the docs": what is permitted has a name of its own, and is not what was off limits. Where a limit is
/// lifted by what it is called, other words tell which.
pub(super) fn names_a_thing(clause: &Clause) -> bool {
    let items = &clause.items;
    let permits = |i: &Item| i.has(Class::May) || i.has(Class::Edit) || is_wide(clause);
    let limit = |i: &Item| {
        let phrase = ["限制", "制限", "禁"]
            .iter()
            .any(|word| i.text.contains(word));
        i.has(Class::LimitN) || i.has(Class::LiftX) && phrase
    };
    if items.iter().any(limit) || !items.iter().any(permits) {
        return false;
    }
    let known = [Class::AreaN, Class::Test, Class::Part, Class::Behav];
    let noun = |i: &Item| {
        let least = if i.text.is_ascii() { 4 } else { 2 };
        i.set == Set::NONE && i.text.chars().count() >= least && !i.text.ends_with("ly")
    };
    items
        .iter()
        .any(|i| noun(i) || known.iter().any(|class| i.has(*class)) && !i.has(Class::Edit))
}

fn is_name(item: &Item) -> bool {
    is_directory(&item.text) || is_plain_name(&item.text) || is_tests_word(&item.text)
}

pub(super) fn text(item: &Item, words: &[&str]) -> bool {
    words.contains(&item.text.as_str())
}

pub(super) fn is_wide(clause: &Clause) -> bool {
    let mut texts = clause.items.iter().flat_map(|i| i.text.chars());
    texts.any(aictx_proto::fold::is_unspaced)
}

/// "The tests", but not "the tests folder layout": before another noun a word describes.
fn stands_alone(clause: &Clause, at: usize) -> bool {
    let Some(next) = clause.items.get(at + 1) else {
        return true;
    };
    let noun = next.set == Set::NONE && next.text.is_ascii() && !next.text.is_empty();
    let adverb = next.text.ends_with("ly");
    let joins = [IN, TO, FROM, OF, FOR, ELSE]
        .iter()
        .any(|list| text(next, list));
    let before = at.checked_sub(1).and_then(|at| clause.items.get(at));
    // "The failing tests" are to pass, which is for the code to see to.
    let fails = before.is_some_and(|i| i.has(Class::Bug)) || next.has(Class::Bug);
    (!noun || adverb || joins) && !(next.has(Class::Test) && next.text.is_ascii()) && !fails
}

/// The part of each of what stands at `places`, which are in order.
fn parts(clause: &Clause, places: &[usize]) -> Vec<(usize, Part)> {
    let wide = is_wide(clause);
    let Some(verb) = verb(clause) else {
        return Vec::new();
    };
    let mut parts: Vec<(usize, Part)> = Vec::with_capacity(places.len());
    for at in places.iter().copied() {
        let last = parts.last().copied();
        let joined = last.filter(|(before, _)| is_joined(clause, *before, at));
        let part = match (joined, wide) {
            (Some((_, part)), _) => part,
            (None, true) => edit_object_cjk::part(clause, at),
            (None, false) => part(clause, verb, at),
        };
        parts.push((at, part));
    }
    if wide && is_placed(&parts) && edit_object_cjk::puts(clause)
        || !wide && is_put_elsewhere(clause, verb, &parts)
    {
        // "Add A to B" changes B.
        for (_, part) in &mut parts {
            if *part == Part::Object {
                *part = Part::Beside;
            }
        }
    }
    parts
}

fn is_placed(parts: &[(usize, Part)]) -> bool {
    parts.iter().any(|(_, part)| *part == Part::Place)
}

/// "Add A to the list", "remove A from B", "replace A in B": the object is only a word there.
fn is_put_elsewhere(clause: &Clause, verb: usize, parts: &[(usize, Part)]) -> bool {
    const WHOLE: &[&str] = &[
        "repo",
        "repository",
        "project",
        "codebase",
        "disk",
        "git",
        "tree",
    ];
    let Some(order) = clause.items.get(verb) else {
        return false;
    };
    let behind = parts.last().and_then(|(at, _)| clause.items.get(at + 1..));
    let behind = behind.unwrap_or_default();
    if text(order, PUT_VERBS) {
        return is_placed(parts) || behind.iter().any(|i| text(i, TO));
    }
    if text(order, MOVE_VERBS) {
        return false;
    }
    let taken = behind.iter().any(|i| text(i, FROM)) && !behind.iter().any(|i| text(i, WHOLE));
    if text(order, REMOVE_VERBS) && (taken || is_placed(parts)) {
        return true;
    }
    // "Fix A in the package B" is about A, "change A in the file B" about a line of B.
    let in_a_file = |at: usize| {
        let file = clause.items.get(at).is_some_and(|i| {
            let name = i.text.rsplit('/').next().unwrap_or_default();
            name.contains('.')
        });
        let into = governor(&clause.items, at).and_then(|at| clause.items.get(at));
        file && into.is_some_and(|i| text(i, IN) && i.text != "into")
    };
    let replaces = matches!(order.text.as_str(), "replace" | "swap");
    parts.iter().any(|(at, part)| {
        (*part == Part::Place || replaces && *part == Part::Beside) && in_a_file(*at)
    })
}

/// "A and B", "A, the file B".
fn is_joined(clause: &Clause, before: usize, at: usize) -> bool {
    let between = clause.items.get(before + 1..at).unwrap_or_default();
    between.iter().all(|i| {
        i.has(Class::And)
            || i.has(Class::Or)
            || i.has(Class::Also)
            || i.has(Class::Dir)
            || text(i, ARTICLES) && i.text != "that" && !is_wide(clause)
            || matches!(i.text.as_str(), "、" | "と")
    })
}

/// The verb of an order: its first word, or its last where a question or another verb sends it there.
fn verb(clause: &Clause) -> Option<usize> {
    // "¿Puedes editar A?" is one phrase with its verb.
    let phrase = |i: &Item| clause.question && i.text.is_empty() && i.has(Class::LiftX);
    let is_verb = |i: &Item| i.set.meets(CHANGES) || phrase(i);
    let is_first = |i: &Item| !i.set.meets(LEAD) || phrase(i);
    let first = clause.items.iter().position(is_first)?;
    if clause.items.get(first).is_some_and(is_verb) {
        return Some(first);
    }
    clause.items.iter().rposition(is_verb)
}

/// The word on which what stands at `at` depends, behind articles and nouns for files.
fn governor(items: &[Item], at: usize) -> Option<usize> {
    let mut apposed = false;
    let mut place = at;
    loop {
        place = place.checked_sub(1)?;
        let item = items.get(place)?;
        let is_dir = item.has(Class::Dir);
        apposed |= is_dir;
        let skips = is_dir
            || text(item, ARTICLES)
            || item.has(Class::Number)
            || item.has(Class::Also)
            || item.has(Class::Tail) && !item.has(Class::Edit)
            || item.has(Class::Again)
            // "The config file A".
            || apposed && (item.set == Set::NONE || item.has(Class::AreaN))
                && ![IN, TO, FROM, OF, FOR, ELSE].iter().any(|list| text(item, list));
        if !skips {
            return Some(place);
        }
    }
}

/// "The A tests", "A's callers": a name that describes what is made about it.
fn describes(items: &[Item], at: usize) -> bool {
    let behind = items.get(at + 1..).unwrap_or_default();
    let ends = |i: &Item| {
        i.has(Class::Path)
            || i.has(Class::And)
            || [IN, TO, FROM, OF, FOR, ELSE]
                .iter()
                .any(|list| text(i, list))
    };
    let mut nouns = behind.iter().take(3).take_while(|i| !ends(i));
    nouns.any(|i| text(i, ABOUT))
}

fn part(clause: &Clause, verb: usize, at: usize) -> Part {
    let items = &clause.items;
    let Some(order) = items.get(verb) else {
        return Part::Beside;
    };
    let is_word = items.get(at).is_some_and(|i| !i.has(Class::Path));
    if !is_word && describes(items, at) {
        return Part::Beside;
    }
    if is_brought_about(clause, order, at) {
        return Part::Beside;
    }
    let last = at < verb;
    let Some(governor) = governor(items, at) else {
        return object(order, last || verb == at);
    };
    let (from, to) = match last {
        // "Kannst du in A eine Prüfung einbauen?"
        true => (0, governor),
        false => (verb + 1, governor),
    };
    if governor == verb {
        return object(order, true);
    }
    let before = items.get(from..to).unwrap_or_default();
    if speaks_of_else(before, order) {
        return Part::Beside;
    }
    let Some(word) = items.get(governor) else {
        return Part::Beside;
    };
    if last && (word.set.meets(LEAD) || word.has(Class::You)) {
        return object(order, true);
    }
    let noun = before.iter().rev().find(|i| !i.has(Class::Also));
    let about = noun.is_some_and(|i| text(i, ABOUT));
    let is_verb = |words: &[&str]| text(order, words);
    // "Touche à A".
    if before.is_empty() && text(word, TO) && order.has(Class::Edit) && !last {
        return object(order, true);
    }
    if text(word, IN) || word.has(Class::Under) && word.text != "from" {
        let made = before.iter().any(|i| text(i, MADE)) && before.iter().any(|i| text(i, FOR));
        let tests = items.get(at).is_some_and(is_of_tests);
        let points = about && word.text == "into";
        return match made && !tests || points {
            true => Part::Beside,
            false => Part::Place,
        };
    }
    if (text(word, TO) || word.text == "para") && is_verb(MOVE_VERBS) {
        return Part::Object;
    }
    if text(word, TO) && !text(word, OF) && (order.has(Class::Add) || adds_in_words(order)) {
        return match about && noun.is_some_and(|i| !text(i, MADE)) {
            true => Part::Beside,
            false => Part::Place,
        };
    }
    let taken = text(word, FROM) && is_verb(REMOVE_VERBS);
    let another = items
        .get(at + 1..)
        .is_some_and(|rest| rest.iter().any(|i| text(i, IN)));
    if taken && (word.text == "from" || !about) && !another {
        return Part::Place;
    }
    let part = noun.is_some_and(|i| text(i, PARTS) || i.has(Class::Bug) || i.has(Class::Part));
    if text(word, OF) && part && !about {
        return Part::Place;
    }
    Part::Beside
}

/// The part of what a verb governs.
fn object(order: &Item, governed: bool) -> Part {
    match governed && !text(order, ABOUT_VERBS) {
        true => Part::Object,
        false => Part::Beside,
    }
}

/// "Make changes to A" is one phrase.
fn adds_in_words(order: &Item) -> bool {
    order.text.is_empty() && order.has(Class::Edit) && !order.has(Class::Fix)
}

/// "Make the tests pass": what is to come of the work.
fn is_brought_about(clause: &Clause, order: &Item, at: usize) -> bool {
    let named = clause.items.get(at).is_some_and(is_of_tests);
    let behind = clause.items.get(at + 1..).unwrap_or_default();
    let before = clause.items.get(..at).unwrap_or_default();
    let passes = |i: &Item| text(i, PASS);
    let changes = order.has(Class::Edit) && !order.has(Class::Make);
    named && !changes && (behind.iter().any(passes) || before.iter().any(passes))
}

/// A path or a word of tests.
pub(super) fn is_of_tests(item: &Item) -> bool {
    let parts = |i: &Item| {
        i.text
            .split(['/', '_', '.', '-'])
            .any(|part| matches!(part, "test" | "tests" | "spec" | "specs"))
    };
    is_tests_word(&item.text)
        || item.has(Class::Path) && parts(item)
        || !item.has(Class::Path) && is_tests(item)
}

/// Returns true if what stands between the verb and a name leads away from what is changed: "so that A passes".
fn speaks_of_else(before: &[Item], order: &Item) -> bool {
    let determines = |at: usize| {
        // "That bug".
        at == 0 && before.first().is_some_and(|i| i.text == "that")
    };
    let leads_away = before
        .iter()
        .enumerate()
        .any(|(at, i)| text(i, ELSE) && !determines(at) || i.has(Class::Before));
    // "Replace A with what is in B".
    let with = |i: &Item| {
        matches!(
            i.text.as_str(),
            "with" | "con" | "avec" | "mit" | "com" | "by"
        )
    };
    let placed = |at: usize| {
        let known = before.get(..at).unwrap_or_default();
        known.iter().any(|i| i.has(Class::Path))
            || order.has(Class::Switch)
            || matches!(order.text.as_str(), "replace" | "update" | "overwrite")
    };
    // "Update A to use what is in B".
    let purpose = before.windows(2).enumerate().any(|(at, pair)| {
        let named = before.get(..at).unwrap_or_default();
        matches!(pair, [to, verb] if matches!(to.text.as_str(), "to" | "para" | "pour")
            && !text(verb, ARTICLES) && !verb.has(Class::Path))
            && named.iter().any(|i| i.has(Class::Path))
    });
    leads_away || purpose || before.iter().position(with).is_some_and(placed)
}
