//! "Forget that restriction": a limit is lifted by what it is called, and not by the name of a file.

use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words about the limit itself, and between it and its verb.
const SAID: &[&str] = &[
    "the",
    "that",
    "this",
    "those",
    "these",
    "all",
    "any",
    "every",
    "my",
    "our",
    "your",
    "of",
    "previous",
    "earlier",
    "last",
    "old",
    "i",
    "gave",
    "you",
    "set",
    "said",
    "mentioned",
    "made",
    "el",
    "la",
    "los",
    "las",
    "esa",
    "ese",
    "esas",
    "esos",
    "esta",
    "este",
    "mi",
    "mis",
    "todas",
    "todos",
    "anterior",
    "de",
    "que",
    "te",
    "di",
    "dije",
    "le",
    "les",
    "l",
    "cette",
    "ce",
    "cet",
    "ces",
    "ma",
    "mes",
    "toutes",
    "tous",
    "die",
    "das",
    "der",
    "den",
    "diese",
    "dieses",
    "alle",
    "meine",
    "auf",
    "wieder",
    "von",
    "vorhin",
    "o",
    "a",
    "os",
    "as",
    "essa",
    "esse",
    "essas",
    "esses",
    "minha",
    "meu",
    "这",
    "那",
    "个",
    "这个",
    "那个",
    "该",
    "吧",
    "我",
];
/// Words that make it all of them.
const ALL: &[&str] = &[
    "all",
    "any",
    "every",
    "todas",
    "todos",
    "toutes",
    "tous",
    "alle",
    "所有",
    "全部",
    "すべて",
    "全て",
    "全部の",
];
/// Words between a limit and the file that it is on.
const ON: &[&str] = &[
    "on", "for", "about", "from", "sobre", "de", "para", "sur", "pour", "auf", "fur", "zu", "em",
    "对", "の", "关于",
];

/// Gives the verb of such a clause the meaning of lifting. "Remove the rate limit" is about something to build.
pub(super) fn apply(clause: &mut Clause) {
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::AskEnd))
        .with(Set::of(Class::Again))
        .with(Set::of(Class::You))
        .with(Set::of(Class::LimitN))
        .with(Set::of(Class::LiftV));
    let items = &clause.items;
    let wide = |i: &Item| i.text.chars().any(aictx_proto::fold::is_unspaced);
    let negated = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::No,
        Class::Should,
    ];
    let is_denied = |i: &Item| negated.iter().any(|class| i.has(*class)) && !i.has(Class::LimitN);
    // "Forget that" is a phrase, which has no text.
    let takes_back = |i: &Item| {
        i.has(Class::LiftV) || i.text.is_empty() && (i.has(Class::DropIt) || i.has(Class::Nvm))
    };
    let Some(noun) = items.iter().position(|i| i.has(Class::LimitN)) else {
        return;
    };
    let is_wide = items.iter().any(wide);
    let Some(verb) = items
        .iter()
        .position(takes_back)
        .filter(|v| *v < noun || is_wide)
    else {
        return;
    };
    let text = |i: &Item, words: &[&str]| words.contains(&i.text.as_str());
    let path = items.iter().position(|i| i.has(Class::Path));
    let on = |at: usize| path.is_some_and(|p| at == p || at + 1 == p || at == p + 1);
    let fits = items.iter().enumerate().all(|(at, i)| {
        i.set.meets(parts)
            || takes_back(i)
            || text(i, SAID)
            || text(i, ALL)
            || is_wide && i.has(Class::Func)
            || on(at) && (text(i, ON) || i.has(Class::Path))
    });
    let first = items.iter().find(|i| !i.set.meets(LEAD));
    let asks = items.iter().any(|i| i.has(Class::Ask));
    let opens = is_wide || first.is_some_and(takes_back);
    if !fits || !opens || items.iter().any(is_denied) || clause.question && !asks {
        return;
    }
    let plural = items.get(noun).is_some_and(|i| is_plural(&i.text));
    let all = path.is_none() && (plural || items.iter().any(|i| text(i, ALL)));
    let meaning = match all {
        true => Class::LiftAll,
        false => Class::LiftX,
    };
    for item in &mut clause.items {
        // "Limit" is also a verb, and "cancel" stops the work.
        if item.has(Class::LimitN) {
            item.set = Set::of(Class::LimitN);
        }
    }
    if let Some(item) = clause.items.get_mut(verb) {
        item.set = Set::of(meaning);
    }
    clause.question = false;
}

fn is_plural(noun: &str) -> bool {
    noun.ends_with('s') || noun.ends_with("gen") || matches!(noun, "verbote" | "sperren")
}
