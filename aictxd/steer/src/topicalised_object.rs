//! Recognises a clause that sets aside what the one before it names: "the migration, drop it", "A is flaky, ignore it".

use super::clause::{Clause, Item};
use super::clause_label::{Judged, of_clause};
use super::intent_label::Label;
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words for what was just spoken of.
const IT: &[&str] = &[
    "it", "them", "that", "those", "these", "this", "sie", "es", "ihn", "das", "die", "den", "le",
    "la", "les", "lo", "los", "las", "o", "a", "os", "as", "isso", "eso", "esos", "ca", "eles",
    "elas", "它", "它们", "那个", "这个", "それ", "は", "で", "about", "daran",
];

/// Words with which a thing is named.
const THE: &[&str] = &[
    "the", "that", "this", "those", "these", "your", "el", "la", "los", "las", "le", "les", "l",
    "o", "os", "as", "der", "die", "das", "den",
];

/// Returns true if the clause at `at` drops what the one before it names and no more: "the cache part, drop it".
/// "No, drop it" and "it still fails, drop it" speak of the work.
pub(super) fn drops_a_thing(clauses: &[Clause], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let parts = LEAD.with(Set::of(Class::DropIt)).with(Set::of(Class::Tail));
    let drops = clause.items.iter().any(|i| i.has(Class::DropIt));
    drops && !clause.opens && clause.items.iter().all(|i| i.set.meets(parts)) && is_thing(before)
}

/// Words with which what was just said is said of something else, too, and those between them.
const TOO: &[&str] = &[
    "either", "neither", "nor", "tampoco", "plus", "same", "goes", "applies", "likewise", "ditto",
    "gilt", "dasselbe", "gleiche", "mismo", "mesmo", "pareil", "meme", "vale",
];
/// Other words allowed in such a clause.
const OF_TOO: &[&str] = &[
    "for", "to", "fur", "con", "para", "por", "pour", "non", "lo", "de", "en", "em", "a", "in",
    "ni", "nem", "den", "dem", "for", "is", "des", "du", "das", "の", "は", "に", "を",
];

/// Returns true if the clause at `at`, which has no verb, says of what it names what the one before it says of
/// other files that are off limits, or the only ones that are not: "don't touch A, and B neither", "… the same goes
/// for B", "B auch nicht".
pub(super) fn is_limited_too(clauses: &[Clause], at: usize, judged: &[Judged]) -> bool {
    let before = at.checked_sub(1).and_then(|at| of_clause(judged, at));
    let Some(clause) = clauses.get(at) else {
        return false;
    };
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::NegEnd))
        .with(Set::of(Class::Not))
        .with(Set::of(Class::Or))
        .with(Set::of(Class::Path))
        .with(Set::of(Class::Dir))
        .with(Set::of(Class::AreaN))
        .with(Set::of(Class::Test));
    let text = |i: &Item| aictx_proto::fold::fold(&i.text);
    // "The same goes for" is one phrase, which has no text.
    let is_too = |i: &Item| {
        i.has(Class::Also)
            || i.has(Class::Extend) && i.text.is_empty()
            || TOO.contains(&text(i).as_str())
    };
    let may_stand = |i: &Item| {
        let text = text(i);
        i.set.meets(parts) || THE.contains(&text.as_str()) || OF_TOO.contains(&text.as_str())
    };
    before.is_some_and(|j| j.label == Label::ScopeConstraint)
        && !clause.question
        && !clause.all().has(Class::But)
        && clause.items.iter().any(|i| i.has(Class::Path))
        && clause.items.iter().any(is_too)
        && clause.items.iter().all(|i| is_too(i) || may_stand(i))
}

/// Returns true if a clause is the name of a thing and no sentence.
fn is_thing(clause: &Clause) -> bool {
    const SAYS: [Class; 27] = [
        Class::Neg,
        Class::Not,
        Class::NegEnd,
        Class::Bug,
        Class::Edit,
        Class::EditNo,
        Class::Add,
        Class::Run,
        Class::Do,
        Class::Cont,
        Class::Stop,
        Class::StopX,
        Class::Wait,
        Class::Should,
        Class::Need,
        Class::Make,
        Class::Works,
        Class::Misund,
        Class::Wrong,
        Class::Danger,
        Class::Past,
        Class::You,
        Class::I,
        Class::Use,
        Class::Q,
        Class::Say,
        Class::If,
    ];
    let said = |i: &Item| SAYS.iter().any(|class| i.has(*class)) && !i.has(Class::Test);
    let known = [
        Class::Path,
        Class::AreaN,
        Class::Part,
        Class::Test,
        Class::Opaque,
    ];
    let named = |i: &Item| known.iter().any(|class| i.has(*class));
    let items = &clause.items;
    let first = items
        .iter()
        .position(|i| !i.set.meets(LEAD) || THE.contains(&i.text.as_str()));
    let first = first.and_then(|at| items.get(at..)).unwrap_or_default();
    // "The refactoring": a word of its own behind an article.
    let articled = first.len() > 1
        && first
            .first()
            .is_some_and(|i| THE.contains(&i.text.as_str()));
    let short = items.len() <= 6;
    short
        && !clause.question
        && !items.iter().any(|i| said(i) && !articled_verb(items, i))
        && (items.iter().any(named) || articled)
}

/// "The refactoring": a word for what is done, named as a thing.
fn articled_verb(items: &[Item], item: &Item) -> bool {
    items.windows(2).any(|pair| {
        matches!(pair, [the, verb] if THE.contains(&the.text.as_str()) && verb.span == item.span)
    })
}

/// Returns true if the clause at `at` forbids what the one before it says the agent goes on with: "you keep editing
/// A. Don't."
pub(super) fn forbids_what_goes_on(clauses: &[Clause], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let has = |class| before.items.iter().any(|i| i.has(class));
    super::anaphora::is_bare_no(clause)
        && !clause.question
        && !before.question
        && has(Class::Path)
        && (has(Class::Misund)
            || before
                .items
                .iter()
                .any(|i| i.has(Class::You) || i.text.starts_with("you'")))
        && (has(Class::Edit) || has(Class::Ing))
}

/// Returns true if the clause at `at` says not to mind that the checks fail of which the one before it speaks:
/// "these tests are flaky, ignore them".
pub(super) fn ignores_a_failure(clauses: &[Clause], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let parts = LEAD
        .with(Set::of(Class::Skip))
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Bug))
        .with(Set::of(Class::Test))
        .with(Set::of(Class::Side))
        .with(Set::of(Class::AskEnd));
    let ignores = clause.items.iter().any(|i| i.has(Class::Skip))
        || clause
            .items
            .iter()
            .any(|i| i.has(Class::Side) && i.text.is_empty())
            && clause.items.iter().any(|i| i.text == "about");
    let it =
        |i: &Item| IT.contains(&i.text.as_str()) || i.text == "failure" || i.text == "failures";
    ignores
        && !clause.question
        && !clause.conditional
        && clause.items.iter().all(|i| it(i) || i.set.meets(parts))
        && fails(before)
}

/// Returns true if a clause says that a check fails.
pub(super) fn fails(clause: &Clause) -> bool {
    let is_check = |i: &Item| {
        i.has(Class::Test)
            || i.has(Class::Path)
                && i.text
                    .split(['/', '_', '.', '-'])
                    .any(|part| matches!(part, "test" | "tests" | "spec" | "specs"))
    };
    !clause.question
        && clause.items.iter().any(is_check)
        && clause.items.iter().any(|i| i.has(Class::Bug))
}
