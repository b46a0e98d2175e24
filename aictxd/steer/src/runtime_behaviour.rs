//! "The worker must not continue after a timeout": how a part of the product is to run. It has the words of an order to
//! stop or to go on, and a subject that is not the agent.

use super::anaphora::UNTIL;
use super::clause::{Clause, Item};
use super::word_class::Class;

/// Returns true if a clause says of something else than the agent's work that it has to, or must not, stop, wait or
/// go on.
pub(super) fn says_how_it_runs(clause: &Clause) -> bool {
    let items = &clause.items;
    let has = |class| items.iter().any(|i: &Item| i.has(class));
    if !clause.question && waits_for_a_part(items) {
        return true;
    }
    // What is to hold now, or until somebody says so, is said to the agent.
    let now = |i: &Item| i.has(Class::Tail) && !i.has(Class::Func) && !i.has(Class::First);
    let until = |i: &Item| UNTIL.contains(&i.text.as_str());
    if clause.question || has(Class::You) || items.iter().any(until) {
        return false;
    }
    let Some(modal) = items.iter().position(|i| i.has(Class::Modal)) else {
        return false;
    };
    let Some(verb) = items.iter().position(is_run) else {
        return false;
    };
    let wide = items
        .iter()
        .any(|i| i.text.chars().any(aictx_proto::fold::is_unspaced));
    let before = items.get(..modal.min(verb)).unwrap_or_default();
    let behind = items.get(modal.max(verb) + 1..).unwrap_or_default();
    let subject = before.iter().any(is_thing);
    // "The job must not go on after an error": which job is not said, but when.
    let when = || {
        let said = behind
            .iter()
            .chain(before)
            .chain(items.get(modal..verb).unwrap_or_default());
        said.into_iter().any(|i| WHEN.contains(&i.text.as_str())) && has(Class::AllObj)
    };
    (verb > modal || wide) && !behind.iter().any(now) && (subject || when())
}

/// "Wait for the lock before writing to A", "hold the mutex until …": what code is to wait for in itself.
fn waits_for_a_part(items: &[Item]) -> bool {
    const TAKES: &[&str] = &["acquire", "take", "grab", "obtain", "release"];
    let verb = |i: &Item| is_run(i) || TAKES.contains(&i.text.as_str());
    let verb = items.iter().position(verb);
    let part = items
        .iter()
        .position(super::approval_gate::is_within_a_program);
    let wide = |i: &Item| i.text.chars().any(aictx_proto::fold::is_unspaced);
    let when = |i: &Item| i.has(Class::Before) || WHEN.contains(&i.text.as_str());
    matches!((verb, part), (Some(verb), Some(part)) if verb < part || items.iter().any(wide))
        && items.iter().any(when)
}

/// Returns true if what stands at `at` is said of a part of the product: "the worker should wait".
pub(super) fn is_said_of_a_thing(items: &[Item], at: usize) -> bool {
    let before = items.get(..at).unwrap_or_default();
    let modal = before.iter().position(|i| i.has(Class::Modal));
    modal.is_some_and(|modal| before.iter().take(modal).any(is_thing))
}

/// Returns true if a clause says what somebody or something else than the agent has to do, in the positive: "only
/// the owner should edit posts", "the button must stay disabled".
pub(super) fn says_what_a_thing_does(clause: &Clause) -> bool {
    let items = &clause.items;
    let Some(modal) = items.iter().position(|i| i.has(Class::Should)) else {
        return false;
    };
    let before = items.get(..modal).unwrap_or_default();
    let negated = |i: &Item| i.has(Class::Neg) || i.has(Class::Not) || i.has(Class::NegEnd);
    let next = items.get(modal + 1);
    // "Nothing generated should show up in the diff", "the order must stay": what is to be left as it is.
    let kept = |i: &Item| i.has(Class::Keep) || i.has(Class::Alone);
    let none = |i: &Item| i.has(Class::Nothing) || i.has(Class::Except);
    // "Admins", "the user": people, but none that are spoken to.
    let people = |i: &Item| i.has(Class::I) && i.text.chars().count() > 4;
    !clause.question
        && !items.iter().any(|i| i.has(Class::You))
        && before.iter().any(|i| is_thing(i) || people(i))
        && !items.iter().any(kept)
        && !before.iter().any(none)
        && !before.iter().any(negated)
        && !next.is_some_and(negated)
}

/// Words that tell on what occasion.
const WHEN: &[&str] = &[
    "after", "when", "once", "whenever", "nach", "wenn", "sobald", "después", "despues", "tras",
    "cuando", "si", "après", "apres", "quand", "lorsque", "depois", "após", "quando", "se", "后",
    "之后", "後", "後に",
];

fn is_run(item: &Item) -> bool {
    [Class::Stop, Class::StopX, Class::Wait, Class::Cont]
        .iter()
        .any(|class| item.has(*class))
}

/// A noun that no pack knows, or one of a part of the product; not a word for everybody.
fn is_thing(item: &Item) -> bool {
    const EVERYBODY: &[&str] = &[
        "everyone",
        "everybody",
        "someone",
        "somebody",
        "anyone",
        "nobody",
        "todos",
        "jeder",
        "jemand",
        "niemand",
        "chacun",
        "personne",
        "alguém",
        "ninguém",
        "大家",
        "みんな",
    ];
    let known = [
        Class::Path,
        Class::Opaque,
        Class::AreaN,
        Class::Part,
        Class::Test,
    ];
    let least = if item.text.is_ascii() { 3 } else { 2 };
    let noun = item.set == super::word_class::Set::NONE
        && item.text.chars().count() >= least
        && !EVERYBODY.contains(&item.text.as_str());
    noun || known.iter().any(|class| item.has(*class))
}
