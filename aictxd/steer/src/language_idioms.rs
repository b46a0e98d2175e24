//! Idioms of one language around or behind its verbs, where others have words of their own.

use super::clause::{Clause, Item};
use super::lexicon::Language;
use super::word_class::{Class, Set};

/// Gives the words of a clause the meanings they have together.
pub(super) fn apply(clause: &mut Clause, language: Language) {
    super::retraction::apply(clause);
    super::indirect_request::apply(clause);
    match language.code() {
        "en" => {
            ignore_a_thing(clause);
            not_wanted(clause);
        }
        "fr" => restrict(clause),
        "de" => nice(clause),
        "es" => {
            know_nothing(clause);
            that_nothing(clause);
        }
        "ja" => permit(clause),
        "zh" => {
            hold_on(clause);
            just(clause);
        }
        _ => {}
    }
}

/// "A is being reviewed, so leave it as is": "leave it" ends the work, but for what the sentence has just named.
pub(super) fn leave_as_is(clauses: &mut [Clause]) {
    let mut named = false;
    for clause in clauses {
        named &= !clause.opens;
        let kept = clause.items.windows(2).position(
            |pair| matches!(pair, [it, kept] if it.has(Class::StopX) && it.text.is_empty() && kept.has(Class::Alone)),
        );
        if named && let Some(item) = kept.and_then(|at| clause.items.get_mut(at)) {
            item.set = Set::of(Class::Leave);
        }
        named |= !clause.question && clause.items.iter().any(|i| i.has(Class::Path));
    }
}

/// "Ignore that" takes something back, "ignore that failure" names what is to be ignored.
fn ignore_a_thing(clause: &mut Clause) {
    let ends = super::rules::LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Func));
    let named = clause.items.windows(2).position(|pair| {
        matches!(pair, [that, thing] if that.has(Class::Nvm) && that.text.is_empty() && !thing.set.meets(ends))
    });
    if let Some(item) = named.and_then(|at| clause.items.get_mut(at)) {
        item.set = Set::of(Class::Skip);
    }
}

/// Verbs of changes to a file.
pub(super) const CHANGED: &[&str] = &[
    "touched",
    "changed",
    "edited",
    "modified",
    "altered",
    "renamed",
    "moved",
    "deleted",
    "removed",
    "rewritten",
    "refactored",
    "reformatted",
    "replaced",
    "updated",
];

/// "I don't want A changed": "don't change A". What is not wanted to happen by itself, or to be there, is no order
/// about files.
fn not_wanted(clause: &mut Clause) {
    let items = &clause.items;
    let wants = items.windows(3).position(|three| {
        matches!(three, [who, not, want] if who.has(Class::I) && not.has(Class::Neg)
            && matches!(want.text.as_str(), "want" | "wanna"))
    });
    let leads = |wants: &usize| {
        let mut before = items.iter().take(*wants);
        before.all(|i| i.set.meets(super::rules::LEAD))
    };
    let Some(wants) = wants.filter(leads) else {
        return;
    };
    let changed = items
        .iter()
        .rposition(|i| CHANGED.contains(&i.text.as_str()))
        .filter(|changed| *changed > wants + 3);
    // "I don't want another dependency" is said of the way.
    let does_without = items.iter().skip(wants + 3).any(|i| i.has(Class::StratNeg));
    if changed.is_none() && !does_without {
        return;
    }
    if let Some(who) = clause.items.get_mut(wants) {
        who.set = Set::of(Class::Polite);
    }
    let Some(changed) = changed else {
        return;
    };
    // Its place is before its object, where all other orders have it.
    let mut verb = clause.items.remove(changed);
    verb.set = Set::of(Class::Edit).with(Set::of(Class::EditNo));
    clause.items.insert(wants + 3, verb);
}

/// "No sé" forbids nothing. Without its accent it is the beginning of "no se toca", where it does.
fn know_nothing(clause: &mut Clause) {
    if let [.., no, know] = clause.items.as_mut_slice()
        && no.text == "no"
        && know.text == "se"
    {
        no.set = Set::of(Class::Func);
    }
}

/// "Que no se rompa nada" wishes, and asks nothing, though it begins with the word for "what".
fn that_nothing(clause: &mut Clause) {
    if let [that, not, ..] = clause.items.as_mut_slice()
        && that.text == "que"
        && not.has(Class::Neg)
        && !clause.question
    {
        that.set = Set::of(Class::Polite);
    }
}

/// "Schön" is praise by itself, and without its umlaut "already" beside other words.
fn nice(clause: &mut Clause) {
    if let [item] = clause.items.as_mut_slice()
        && item.text == "schon"
    {
        item.set = Set::of(Class::Good);
    }
}

/// "等等" is "and so on" behind a list, and "wait" by itself or behind "first". Behind a path it is said of that.
fn hold_on(clause: &mut Clause) {
    let is_hold = |i: &Item| {
        matches!(
            i.text.as_str(),
            "等等" | "等一下" | "先等一下" | "稍等" | "等会儿"
        )
    };
    let Some((last, before)) = clause.items.split_last() else {
        return;
    };
    let first = before.last().is_some_and(|i| i.has(Class::First));
    let alone = before.is_empty() && clause.opens;
    if !is_hold(last) || last.text == "等等" && !alone && !first {
        return;
    }
    let path = before.iter().any(|i| i.has(Class::Path));
    if path {
        let held = Set::of(Class::Avoid).with(Set::of(Class::Wait));
        if let Some(last) = clause.items.last_mut() {
            last.set = held;
        }
    } else if last.text == "等等" {
        if let Some(last) = clause.items.last_mut() {
            last.set = Set::of(Class::Wait);
        }
        // "First wait" puts nothing before anything.
        for item in &mut clause.items {
            if item.has(Class::First) {
                item.set = Set::of(Class::Polite);
            }
        }
    }
}

/// "就改 A" is "only A"; elsewhere 就 says next to nothing.
fn just(clause: &mut Clause) {
    if let [first, verb, ..] = clause.items.as_mut_slice()
        && first.text == "就"
        && verb
            .set
            .meets(Set::of(Class::Edit).with(Set::of(Class::Fix)))
    {
        first.set = Set::of(Class::Only);
    }
}

/// "…ていい", "…ても大丈夫", "…ちゃって構わない": the verb before it may be done.
fn permit(clause: &mut Clause) {
    const GOOD: &[&str] = &[
        "いい",
        "良い",
        "よい",
        "よろしい",
        "構わ",
        "かまわ",
        "構い",
        "かまい",
        "大丈夫",
        "平気",
        "ok",
        "おk",
        "オッケー",
        "オーケー",
        "問題な",
        "問題あ",
    ];
    let is_good = |i: &Item| GOOD.iter().any(|good| i.text.starts_with(good));
    let is_too = |i: &Item| i.text == "も";
    let goes_on = |i: &Item| i.text.ends_with(['て', 'で']) && i.text.chars().count() > 1;
    let verbs = Set::of(Class::Edit)
        .with(Set::of(Class::HandsOff))
        .with(Set::of(Class::Fix))
        .with(Set::of(Class::Risky));
    let mut permitted = Vec::new();
    for (at, item) in clause.items.iter().enumerate() {
        let before = clause.items.get(..at).unwrap_or_default();
        let before = match before.split_last() {
            Some((too, rest)) if is_too(too) => rest,
            _ => before,
        };
        let verb = before.iter().rev().take(2).any(|i| i.set.meets(verbs));
        if is_good(item) && verb && before.last().is_some_and(goes_on) {
            permitted.push(at);
        }
    }
    for at in permitted {
        if let Some(item) = clause.items.get_mut(at) {
            item.set = item.set.with(Set::of(Class::May));
        }
    }
}

/// French says "only" around the verb: `ne modifie que`. There `ne` negates nothing.
fn restrict(clause: &mut Clause) {
    let items = &clause.items;
    let Some(ne) = items
        .iter()
        .position(|i| matches!(i.text.as_str(), "ne" | "n"))
    else {
        return;
    };
    let verb = (ne + 1..items.len().min(ne + 5)).rev().find(|at| {
        items.get(*at).is_some_and(|i| {
            i.set
                .meets(Set::of(Class::Edit).with(Set::of(Class::EditNo)))
        })
    });
    let que = verb.map(|verb| verb + 1).filter(|at| {
        let word = items.get(*at).map(|i| i.text.as_str());
        matches!(word, Some("que" | "qu"))
    });
    let between = |class| {
        let until = que.unwrap_or(ne);
        items
            .get(ne + 1..until)
            .is_some_and(|between| between.iter().any(|i| i.has(class)))
    };
    let Some(que) = que.filter(|_| !between(Class::Not) && !between(Class::Nothing)) else {
        return;
    };
    for (at, set) in [(ne, Set::NONE), (que, Set::of(Class::Only))] {
        if let Some(item) = clause.items.get_mut(at) {
            item.set = set;
        }
    }
}
