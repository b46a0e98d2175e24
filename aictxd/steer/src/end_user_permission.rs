//! Permissions of the product's users: "only admins can edit A" limits its users and no agent.

use super::clause::{Clause, Item};
use super::edit_object::text;
use super::edit_object_lexicon::ARTICLES;
use super::product_requirement::is_change;
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// "Only admins can edit A": who may do it in the product. "Only A may be edited" is a limit.
pub(super) fn says_who_may(clause: &Clause) -> bool {
    const MAY: &[&str] = &[
        "can",
        "may",
        "could",
        "should",
        "must",
        "puede",
        "pueden",
        "podran",
        "peut",
        "peuvent",
        "darf",
        "durfen",
        "kann",
        "konnen",
        "pode",
        "podem",
        "devem",
        "可以",
        "能",
        "才能",
        "才可以",
        "有权",
        "が",
    ];
    let items = &clause.items;
    let path = items.iter().rposition(|i| i.has(Class::Path));
    let only = items
        .iter()
        .position(|i| i.has(Class::Only) || i.has(Class::Except) && !i.has(Class::Path));
    let (Some(path), Some(only)) = (path, only) else {
        return false;
    };
    let may = |i: &Item| {
        text(i, MAY)
            || i.has(Class::Should)
            || i.has(Class::Modal)
            || i.has(Class::May) && i.text.is_empty()
            || i.has(Class::LiftX)
    };
    let from = if is_japanese(items.get(only)) {
        0
    } else {
        only + 1
    };
    let reach = items.get(from..path).unwrap_or_default();
    let Some(modal) = reach.iter().position(may) else {
        return false;
    };
    let subject = reach.get(..modal).unwrap_or_default();
    let behind = items.get(from + modal..).unwrap_or_default();
    let file = [
        Class::Path,
        Class::Dir,
        Class::Test,
        Class::AreaN,
        Class::Part,
        Class::You,
        Class::Edit,
        Class::EditNo,
        Class::Nothing,
    ];
    let is_file = |i: &Item| file.iter().any(|class| i.has(*class)) || i.text == "i";
    let people = |i: &Item| {
        let noun =
            i.set == Set::NONE && i.text.chars().count() > if i.text.is_ascii() { 2 } else { 1 };
        noun || i.has(Class::I) && i.text.chars().count() > 3
    };
    !clause.question
        && subject.iter().any(people)
        && !subject.iter().any(is_file)
        && !behind.iter().any(is_passive)
        && behind
            .iter()
            .any(|i| is_change(i) || i.has(Class::Fix) || i.has(Class::Add) || i.has(Class::LiftX))
}

/// "May be changed": by nobody in particular, so by the agent, too.
fn is_passive(item: &Item) -> bool {
    let phrase = item.text.is_empty() && item.has(Class::Edit);
    phrase
        || matches!(
            item.text.as_str(),
            "werden" | "worden" | "ser" | "etre" | "be"
        )
}

/// "Users must not edit A": what those who use the product may do there.
pub(super) fn is_for_users(clause: &Clause) -> bool {
    const WE: &[&str] = &[
        "", "i", "we", "they", "he", "she", "it", "i've", "we've", "yo", "nosotros", "je", "j",
        "nous", "on", "ils", "elles", "ich", "wir", "er", "es", "eu", "nos", "ele", "ela", "gotta",
        "gonna", "wanna", "lemme", "people", "我", "我们", "他", "们", "他们", "它", "私", "我々",
        "彼", "僕", "俺",
    ];
    let items = &clause.items;
    let Some(people) = items.iter().position(|i| i.has(Class::I) && !text(i, WE)) else {
        return false;
    };
    // "Logged in users", "普通用户".
    let plain = |i: &Item| {
        i.set.meets(LEAD)
            || text(i, ARTICLES)
            || i.set == Set::NONE
            || i.has(Class::Past)
            || i.has(Class::CheckV)
            || i.text.is_empty() && i.has(Class::Need)
            || i.text == "in"
    };
    let behind = items.get(people + 1..).unwrap_or_default();
    let path = items.iter().position(|i| i.has(Class::Path));
    // "The users module A must not be edited" is about A.
    let says = |i: &Item| {
        [
            Class::Neg,
            Class::Modal,
            Class::Should,
            Class::Only,
            Class::LiftX,
            Class::May,
        ]
        .iter()
        .any(|class| i.has(*class))
            || is_change(i)
            || matches!(i.text.as_str(), "can" | "may" | "cannot")
    };
    let between = path.and_then(|path| items.get(people + 1..path));
    between.is_some_and(|items| items.iter().any(says))
        && !clause.question
        && items.iter().take(people).all(plain)
        && behind.iter().any(|i| is_change(i) || i.has(Class::EditN))
}

fn is_japanese(only: Option<&Item>) -> bool {
    only.is_some_and(|i| matches!(i.text.as_str(), "だけ" | "のみ" | "だけに"))
}
