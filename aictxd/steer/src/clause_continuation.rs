//! Commas and colons behind which a clause goes on: those of lists, of exceptions, of infinitives.

use super::clause::{Clause, Item, Piece};
use super::rules::LEAD;
use super::tokenizer::Break;
use super::word_class::{Class, Set};

/// Classes in a list of paths.
const LISTED: Set = Set::of(Class::Path)
    .with(Set::of(Class::And))
    .with(Set::of(Class::Or))
    .with(Set::of(Class::Dir))
    .with(Set::of(Class::Opaque));

/// Returns true if the comma before `from` stands in a list of paths or names.
pub(super) fn lists(pieces: &[Piece], from: usize, open: &Clause) -> bool {
    if let Some(Piece::Item(item)) = pieces.get(from)
        && item.has(Class::Except)
    {
        return true;
    }
    // German sets a comma before a clause that belongs to the one before.
    if let Some(Piece::Item(item)) = pieces.get(from)
        && (matches!(item.text.as_str(), "dass" | "wie") || item.has(Class::Alone))
    {
        return true;
    }
    // "Warte auf die Sperre, bevor …": what a program is to wait for, and before what.
    if let Some(Piece::Item(item)) = pieces.get(from)
        && item.has(Class::Before)
        && open.items.iter().any(|i| i.has(Class::Wait))
        && open
            .items
            .iter()
            .any(super::approval_gate::is_within_a_program)
    {
        return true;
    }
    if sets_apart(pieces, from, open) {
        return false;
    }
    if only_excepts(open) || infinitive_follows(pieces, from, open) {
        return true;
    }
    if open.items.len() < 2 && !open.items.iter().any(|i| i.has(Class::Path)) {
        return false;
    }
    let mut paths = 0;
    // "the", once before each name.
    let mut article = true;
    for piece in pieces.iter().skip(from).take(12) {
        match piece {
            Piece::Item(item)
                if item.has(Class::Path)
                    || super::path_lexicon::is_directory(&item.text)
                    || super::path_lexicon::is_plain_name(&item.text) =>
            {
                paths += 1;
                article = false;
            }
            Piece::Item(item) if item.has(Class::And) || item.has(Class::Or) => article = true,
            Piece::Item(item) if item.set.meets(LISTED) => {}
            Piece::Item(item) if item.has(Class::Func) && !item.has(Class::Only) && article => {
                article = false;
            }
            Piece::Item(_) => return false,
            Piece::Break(Break::Question) => return false,
            Piece::Break(_) => break,
        }
    }
    paths > 0
}

/// "Edit A, not B": whether what is not to be edited follows behind an order.
pub(super) fn sets_apart(pieces: &[Piece], from: usize, open: &Clause) -> bool {
    let orders = open.items.iter().find(|i| !i.set.meets(LEAD));
    let is_not = |i: &Item| i.has(Class::Not) || i.has(Class::No) || i.has(Class::Neg);
    let behind = pieces.get(from..).unwrap_or_default().iter().take(4);
    let mut items = behind.filter_map(|piece| match piece {
        Piece::Item(item) => Some(item),
        Piece::Break(_) => None,
    });
    let negated = items.next().is_some_and(is_not);
    // "Not in the file B".
    let mut named =
        items.skip_while(|i| !i.has(Class::Path) && (i.has(Class::Func) || i.has(Class::Dir)));
    negated
        && named.next().is_some_and(|i| i.has(Class::Path))
        && open.items.iter().any(|i| i.has(Class::Path))
        && !open.items.iter().any(is_not)
        && orders.is_some_and(|i| i.set.meets(super::anaphora::CHANGES))
}

/// "Don't touch these: A, B": the colon stands before a list of paths and nothing else.
pub(super) fn lists_only(pieces: &[Piece], from: usize, open: &Clause) -> bool {
    let listed = |piece: &Piece| match piece {
        Piece::Item(item) => item.set.meets(LISTED),
        Piece::Break(kind) => matches!(kind, Break::Comma),
    };
    let ends = |piece: &Piece| matches!(piece, Piece::Break(kind) if !matches!(kind, Break::Comma));
    let mut list = pieces.iter().skip(from).take_while(|piece| !ends(piece));
    let first = matches!(pieces.get(from), Some(Piece::Item(item)) if item.has(Class::Path));
    first && list.all(listed) && !open.items.iter().any(|i| i.has(Class::Path))
}

/// "Except for A, …": what it is an exception to follows.
pub(super) fn only_excepts(open: &Clause) -> bool {
    let parts = LISTED.with(LEAD).with(Set::of(Class::Func)).with(EXCEPTS);
    open.items.iter().any(|i| i.set.meets(EXCEPTS))
        && open.items.iter().any(|i| i.has(Class::Path))
        && open.items.iter().all(|i| i.set.meets(parts))
}

/// Words of exceptions.
const EXCEPTS: Set = Set::of(Class::Except).with(Set::of(Class::Excepted));

/// "Hör auf, A zu ändern", "zögere nicht, A zu ändern": the verb follows the comma.
fn infinitive_follows(pieces: &[Piece], from: usize, open: &Clause) -> bool {
    let governs = Set::of(Class::Stop)
        .with(Set::of(Class::StopX))
        .with(Set::of(Class::May));
    if !open.items.last().is_some_and(|i| i.set.meets(governs)) {
        return false;
    }
    let items: Vec<&Item> = pieces
        .iter()
        .skip(from)
        .take(12)
        .map_while(|piece| match piece {
            Piece::Item(item) => Some(item),
            Piece::Break(_) => None,
        })
        .collect();
    items
        .windows(2)
        .any(|pair| matches!(pair, [zu, verb] if zu.text == "zu" && verb.has(Class::Edit)))
}
