//! Limits that are said of a place or of what is left to do: "don't leave A", "only A needs to change".

use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words that tell for how long or for what a limit is said, behind the place.
const FOR: &[&str] = &["for", "until", "while", "during"];

/// Returns true if a clause says that the work is not to leave a place: "don't leave A", "never step outside the A
/// folder". What is left in a place, or how the place is left, is another thing.
pub(super) fn stays_within(clause: &Clause) -> bool {
    let items = &clause.items;
    let Some(verb) = items.iter().position(|i| i.has(Class::GoOut)) else {
        return false;
    };
    let parts = LEAD
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::Func))
        .with(Set::of(Class::You));
    let before = items.get(..verb).unwrap_or_default();
    let behind = items.get(verb + 1..).unwrap_or_default();
    let negated = |items: &[Item]| items.iter().any(|i| i.has(Class::Neg) || i.has(Class::Not));
    let is_place = |i: &Item| i.has(Class::Path) || i.has(Class::Dir);
    let Some(place) = behind.iter().rposition(is_place) else {
        return false;
    };
    // "The src/api package", "the tests folder": a name may stand beside the word for a place.
    let named = |at: usize, i: &Item| {
        i.has(Class::Func)
            || is_place(i)
            || i.has(Class::Or)
            || i.has(Class::And)
            || at + 1 == place
    };
    let is_end = |i: &Item| {
        i.set
            .meets(LEAD.with(Set::of(Class::Tail)).with(Set::of(Class::Not)))
            && !i.has(Class::Path)
    };
    let rest = behind.get(place + 1..).unwrap_or_default();
    let rest = rest.get(
        ..rest
            .iter()
            .position(|i| FOR.contains(&i.text.as_str()))
            .unwrap_or(rest.len()),
    );
    let rest = rest.unwrap_or_default();
    // German and Dutch set the negation last.
    (negated(before) || negated(rest))
        && !clause.question
        && !clause.conditional
        && before.iter().all(|i| i.set.meets(parts))
        && behind
            .iter()
            .take(place)
            .enumerate()
            .all(|(at, i)| named(at, i))
        && rest.iter().all(is_end)
}

/// Returns true if a clause says that one thing alone is to be changed: "only the parser needs to change". "Only
/// the owner should edit posts" tells who may do it, and "… needs to change when it scrolls" when.
pub(super) fn changes_alone(clause: &Clause) -> bool {
    let items = &clause.items;
    let only = items.iter().position(|i| i.has(Class::Only));
    // "Only drafts may be edited" says how something works; only of a place that tells what is to be done.
    let among = |i: &Item| matches!(i.text.as_str(), "in" | "of" | "files" | "file");
    let is_place = |i: &Item| i.has(Class::Path) || i.has(Class::Dir);
    let place = items.iter().any(is_place) && !items.iter().any(among);
    // "Be changed" is one phrase, which has no text.
    let may = items.windows(2).position(|pair| {
        let [may, be] = pair else { return false };
        let phrase = be.has(Class::Edit) && be.text.is_empty();
        place
            && match may.text.as_str() {
                "can" | "may" => phrase,
                "is" | "are" => be.text == "to",
                _ => false,
            }
    });
    let needs = items
        .iter()
        .position(|i| i.has(Class::Should) || i.has(Class::Modal))
        .or(may);
    let works = |i: &Item| {
        i.has(Class::Edit) || i.has(Class::EditNo) || i.has(Class::EditN) || i.has(Class::Fix)
    };
    let verb = items.iter().rposition(works);
    let (Some(only), Some(needs), Some(verb)) = (only, needs, verb) else {
        return false;
    };
    let leads = items.iter().take(only).all(|i| i.set.meets(LEAD));
    let ends = |i: &Item| i.has(Class::Tail) || i.has(Class::Polite) || i.has(Class::AskEnd);
    let negated = |i: &Item| i.has(Class::Neg) || i.has(Class::Not) || i.has(Class::NegEnd);
    let end = verb.max(needs) + 1;
    // Spanish says "solo hay que cambiar A", German "nur A muss geändert werden".
    let passive = |i: &Item| matches!(i.text.as_str(), "werden" | "worden");
    let rest = items.get(end..).unwrap_or_default();
    leads
        && needs > only + 1
        && verb > only
        && !clause.question
        && !clause.conditional
        && !items.iter().any(negated)
        && rest.iter().all(|i| ends(i) || passive(i))
}
