//! Which part each path of a clause plays: forbidden, allowed, required, discarded, to be tested.

use aictx_proto::methods::SteerUpdates;

use super::anaphora::{is_any_change, is_everything, is_without_any_change};
use super::clause::{Clause, Item};
use super::edit_object::text;
use super::edit_object::{is_beside, names_a_thing};
use super::edit_object_lexicon::OF;
use super::intent_label::Label;
use super::nouns;
use super::path_lexicon::Spelt;
use super::path_lexicon::{is_directory, is_plain_name};
use super::paths::spelt;
use super::prohibition_scope::{
    are_tests_alone, does_without_checks, is_all_but, is_location, is_narrow, is_tests,
    is_tests_word, is_theirs, keeps_a_thing, names_their_tests, passes_on, tests_of, without,
};
use super::rules::LEAD;
use super::scope_restriction::{changes_alone, stays_within};
use super::subordinate_clause::main_only;
use super::word_class::{Class, Set};

/// Most paths of one role.
pub(super) const MAX_PATHS: usize = 12;
/// Longest note, in characters.
const MAX_NOTE: usize = 220;

/// The pattern of all files.
pub const EVERYTHING: &str = "**";

/// Takes over what `clause`, which is a `label`, says about paths. `exists` knows the repository's
/// own names.
pub(super) fn assign(
    clause: &Clause,
    label: Label,
    message: &str,
    exists: &dyn Fn(&str) -> bool,
    updates: &mut SteerUpdates,
) {
    let named = match label {
        Label::ScopeConstraint => main_only(clause, named(clause, label, exists)),
        _ => named(clause, label, exists),
    };
    let (before, after): (Vec<_>, Vec<_>) = named
        .into_iter()
        .partition(|(at, _)| !is_excepted(clause, *at));
    let paths = |list: &[(usize, String)]| list.iter().map(|(_, p)| p.clone()).collect::<Vec<_>>();
    if label != Label::Question && does_without_checks(clause) {
        updates.skip_validation = Some(true);
    }
    match label {
        Label::ScopeConstraint if are_tests_alone(clause) => {
            extend(&mut updates.only_paths, vec!["tests".to_owned()]);
        }
        Label::ScopeConstraint if stays_within(clause) => {
            extend(&mut updates.only_paths, paths(&before));
        }
        Label::ScopeConstraint if forbids(clause) && !is_all_but(clause) => {
            let passes_on = passes_on(clause);
            let without = without(clause);
            let (ordered, before): (Vec<_>, Vec<_>) =
                before.into_iter().partition(|(at, _)| *at < without);
            extend(&mut updates.required_paths, paths(&ordered));
            if is_without_any_change(clause) {
                extend(&mut updates.forbidden_paths, vec![EVERYTHING.to_owned()]);
                return;
            }
            let before: Vec<_> = before
                .into_iter()
                .filter(|(at, _)| {
                    !passes_on && !is_location(clause, *at) && !is_narrow(clause, *at)
                })
                .collect();
            if before.is_empty() && !after.is_empty() {
                // "Touch nothing except X": X is the whole scope.
                extend(&mut updates.only_paths, paths(&after));
            } else {
                extend(&mut updates.forbidden_paths, paths(&before));
                extend(&mut updates.lifted_paths, paths(&after));
                if before.is_empty() && is_everything(clause) {
                    extend(&mut updates.forbidden_paths, vec![EVERYTHING.to_owned()]);
                } else if before.is_empty() && updates.constraint_note.is_none() {
                    updates.constraint_note = note(clause, message);
                }
            }
        }
        // "Change anything except A", in the positive.
        Label::ScopeConstraint if is_all_but(clause) => {
            extend(&mut updates.forbidden_paths, paths(&after));
        }
        Label::ScopeConstraint if keeps_a_thing(clause) => {
            let known = updates.constraint_note.take();
            updates.constraint_note = known.or_else(|| note(clause, message));
        }
        // "Just edit A" asks for little and forbids nothing.
        Label::ScopeConstraint if !limits(clause) && !changes_alone(clause) => {
            extend(&mut updates.required_paths, paths(&before));
        }
        Label::ScopeConstraint => {
            extend(&mut updates.only_paths, paths(&before));
            if names_their_tests(clause) {
                let tests = before.iter().flat_map(|(_, path)| tests_of(path));
                extend(&mut updates.only_paths, tests.collect());
            }
            let list = if before.is_empty() {
                // "Except X, leave all as it is".
                &mut updates.only_paths
            } else {
                &mut updates.forbidden_paths
            };
            extend(list, paths(&after));
            if before.is_empty() && after.is_empty() && updates.constraint_note.is_none() {
                updates.constraint_note = note(clause, message);
            }
        }
        Label::ScopeChange if permits(clause) => {
            // "You may write tests for A" speaks of what is not in A.
            let before: Vec<_> = before
                .into_iter()
                .filter(|(at, _)| !is_beside(clause, *at))
                .collect();
            extend(&mut updates.lifted_paths, paths(&before));
            extend(&mut updates.forbidden_paths, paths(&after));
            // "Forget the restriction" is about one, whatever article it has.
            let named = clause.items.iter().any(|i| i.has(Class::LimitN));
            let everything = |i: &Item| {
                i.has(Class::LiftAll) || !named && (i.has(Class::AllObj) || i.has(Class::Nothing))
            };
            let is_it = |i: &Item| matches!(i.text.as_str(), "it" | "this" | "that" | "them");
            if before.is_empty() && after.is_empty() {
                let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
                updates.lift_only |= has(&|i| is_the_rest(i, message));
                updates.lift_all = !updates.lift_only && has(&|i| everything(i) && !is_it(i));
                updates.lift_latest = !updates.lift_all
                    && !updates.lift_only
                    && !names_a_thing(clause)
                    && (has(&|i| i.has(Class::LiftX))
                        || has(&is_it) && has(&|i| is_any_change(i) || i.has(Class::HandsOff)));
            }
        }
        Label::AgentCorrection => correct(clause, &before, updates),
        Label::ValidationChange => {
            extend(&mut updates.validation_paths, paths(&before));
            // Failures are ignored of what has run.
            if !ignores(clause) {
                updates.skip_validation = Some(skips(clause));
            }
        }
        Label::NewRequirement
        | Label::Task
        | Label::Clarification
        | Label::PriorityChange
        | Label::ScopeChange => {
            if clause.items.iter().any(|i| i.has(Class::NoNeed)) {
                return;
            }
            extend(&mut updates.required_paths, paths(&before));
            if clause
                .items
                .iter()
                .any(|i| i.has(Class::Edit) || i.has(Class::Fix))
            {
                // "Update all but A".
                extend(&mut updates.forbidden_paths, paths(&after));
            }
        }
        _ => {}
    }
}

/// Everything that a clause names with a path.
pub(super) fn written(clause: &Clause) -> Vec<String> {
    named(clause, Label::Question, &|_| false)
        .into_iter()
        .map(|(_, path)| path)
        .collect()
}

/// "You may change the source, too", "… everything else": what a scope left out, without a name.
fn is_the_rest(item: &Item, message: &str) -> bool {
    const REST: &[&str] = &[
        "code",
        "codebase",
        "source",
        "sources",
        "else",
        "rest",
        "other",
        "others",
        "código",
        "codigo",
        "fuente",
        "fonte",
        "demás",
        "demas",
        "resto",
        "reste",
        "autres",
        "quellcode",
        "quelltext",
        "andere",
        "anderen",
        "restlichen",
        "übrigen",
        "代码",
        "源码",
        "源代码",
        "其他",
        "其余",
        "コード",
        "ソース",
        "他",
        "その他",
        "残り",
    ];
    // Phrases like "everything else" have no text.
    let said = match item.text.as_str() {
        "" => message.get(item.span.0..item.span.1).unwrap_or_default(),
        text => text,
    };
    said.split_whitespace()
        .any(|word| REST.contains(&aictx_proto::fold::fold(word).as_str()))
}

/// In a message that corrects, a clause that says nothing else names the right place.
pub(super) fn require(clause: &Clause, exists: &dyn Fn(&str) -> bool, updates: &mut SteerUpdates) {
    correct(
        clause,
        &named(clause, Label::AgentCorrection, exists),
        updates,
    );
}

/// In a correction what follows "not" is the wrong place; what "wrong" is said of stands before it.
fn correct(clause: &Clause, named: &[(usize, String)], updates: &mut SteerUpdates) {
    let is_not = |i: &Item| i.has(Class::Not) || i.has(Class::Neg) || i.has(Class::No);
    let wrong = clause
        .items
        .iter()
        .position(|i| i.has(Class::Wrong) || i.has(Class::Misund) || i.has(Class::Undo));
    for (at, path) in named {
        let denied = clause
            .items
            .get(at.saturating_sub(4)..*at)
            .is_some_and(|near| {
                near.iter()
                    .rev()
                    .take_while(|i| !i.has(Class::Path))
                    .any(is_not)
            });
        // "You keep editing A".
        let goes_on = clause
            .items
            .iter()
            .take(*at)
            .any(|i| i.has(Class::Misund) && i.has(Class::Again));
        let said = goes_on
            || wrong.is_some_and(|w| {
                w > *at || clause.items.get(w).is_some_and(|i| i.has(Class::Undo))
            });
        let list = if denied || said {
            &mut updates.discarded_paths
        } else {
            &mut updates.required_paths
        };
        extend(list, vec![path.clone()]);
    }
}

/// Returns true if a clause about checks wants none: "skip the tests", but not "don't skip them", nor "no lint, only
/// the tests".
fn skips(clause: &Clause) -> bool {
    let has = |class| clause.items.iter().any(|i| i.has(class));
    let negated = has(Class::Neg) || has(Class::Not) || has(Class::No) || has(Class::NegEnd);
    let none = has(Class::NoNeed) || has(Class::Without) || has(Class::Stop) || has(Class::Later);
    // "Never commit without tests" wants them, and so does "don't call it done until the tests pass".
    let not_yet = negated && (has(Class::OutP) || has(Class::Publish));
    if not_yet || has(Class::Only) || has(Class::Instead) || negated && has(Class::Without) {
        return false;
    }
    none || (has(Class::Skip) != negated)
}

/// "Ignore them": what is to be ignored is named elsewhere.
fn ignores(clause: &Clause) -> bool {
    let has = |class| clause.items.iter().any(|i| i.has(class));
    (has(Class::Skip) || has(Class::Side)) && !has(Class::Test) && !has(Class::Run)
}

/// Returns true if the path at `at` is what "except" is said of, before or behind it.
fn is_excepted(clause: &Clause, at: usize) -> bool {
    let said = |i: &&Item| {
        [
            Class::Neg,
            Class::Edit,
            Class::EditNo,
            Class::HandsOff,
            Class::Only,
            Class::Leave,
        ]
        .iter()
        .any(|class| i.has(*class))
    };
    let before = clause.items.iter().take(at).rev();
    let mut behind = clause.items.iter().skip(at + 1);
    before
        .take_while(|i| i.has(Class::Except) || !said(i))
        .any(|i| i.has(Class::Except))
        || behind
            .find(|i| !i.has(Class::Path) && !i.has(Class::Dir) && !i.has(Class::Or))
            .is_some_and(|i| i.has(Class::Excepted))
}

/// Returns true if a clause says that its paths are all there is.
fn limits(clause: &Clause) -> bool {
    clause.items.iter().any(|i| {
        (i.has(Class::Only) && i.text != "just") || i.has(Class::Keep) || i.has(Class::NoElse)
    })
}

/// Returns true if a limit is said in the negative.
pub(super) fn forbids(clause: &Clause) -> bool {
    let has = |class| clause.items.iter().any(|i| i.has(class));
    let nothing = has(Class::Neg)
        || has(Class::HandsOff)
        || opens_with_look_only(clause)
        || has(Class::Avoid)
        || (has(Class::Alone) && !has(Class::NoElse))
        || has(Class::Stop)
        || has(Class::StopX)
        || has(Class::NegEnd)
        || has(Class::Without);
    // "Edite apenas A": the form that follows a negation is also that of an order.
    let unless_only =
        has(Class::Not) || has(Class::No) || has(Class::EditNo) || has(Class::Nothing);
    nothing || (!has(Class::Only) && !has(Class::Keep) && !has(Class::NoElse) && unless_only)
}

/// "Read-only: A", but not "only edit the read-only flag".
fn opens_with_look_only(clause: &Clause) -> bool {
    let mut items = clause.items.iter().filter(|i| !i.set.meets(LEAD));
    items.next().is_some_and(|i| i.has(Class::LookOnly))
}

pub(super) fn permits(clause: &Clause) -> bool {
    clause.items.iter().any(|i| {
        i.has(Class::May) || i.has(Class::LiftX) || i.has(Class::LiftAll) || i.has(Class::Again)
    })
}

/// The paths of a clause with their places: what is written as a path, what `exists` knows, and
/// names of usual directories where a path is expected.
fn named(clause: &Clause, label: Label, exists: &dyn Fn(&str) -> bool) -> Vec<(usize, String)> {
    let expects = matches!(label, Label::ScopeConstraint | Label::ScopeChange)
        || clause.all().has(Class::Except);
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, item) in clause.items.iter().enumerate() {
        if item.has(Class::Path) {
            match found.last_mut() {
                // A path with a blank in it: only its last part has an ending.
                Some((last, path))
                    if *last + 1 == at
                        && !ends_like_file(path)
                        && path.contains('/')
                        && ends_like_file(&item.text) =>
                {
                    *path = format!("{path} {}", item.text);
                    *last = at;
                }
                _ => found.push((at, item.text.clone())),
            }
            continue;
        }
        let word = item.text.as_str();
        if word.is_empty() {
            continue;
        }
        let beside = |step: usize| clause.items.get(at + step);
        let before = at.checked_sub(1).and_then(|b| clause.items.get(b));
        let is_name =
            word.is_ascii() && word.len() > 1 && !item.has(Class::Func) && !item.has(Class::Dir);
        let doc = label == Label::NewRequirement && matches!(word, "docs");
        let by_noun = expects
            && is_name
            && !item.has(Class::Edit)
            && !item.has(Class::Alone)
            && !item.has(Class::Behav)
            && !item.has(Class::Only)
            && (beside(1).is_some_and(|i| i.has(Class::Dir) && is_container(&i.text))
                || before.is_some_and(|i| i.has(Class::Dir) && is_container(&i.text)));
        let by_place = expects
            && is_name
            && is_directory(word)
            && before_is_object(clause, at)
            && beside(1)
                .is_none_or(|i| i.text.is_empty() || !i.text.is_ascii() || i.set.meets(AFTER_NAME));
        let objects = expects && is_name && before_is_object(clause, at);
        let known = objects && !item.has(Class::Edit) && (exists(word) || is_plain_name(word));
        let theirs = before.is_some_and(is_theirs) && is_tests(item);
        let test_files = expects
            && is_tests(item)
            && beside(1).is_some_and(|i| matches!(i.text.as_str(), "file" | "files"));
        // Other languages have other words for them.
        let infinitive = beside(1).is_some_and(|i| matches!(i.text.as_str(), "zu" | "te"));
        let words = is_tests_word(word) || word == "tests" && infinitive;
        let their_tests = expects && words && before_is_object(clause, at) && !theirs;
        if test_files || their_tests {
            found.push((at, "tests".to_owned()));
            continue;
        }
        if expects && before_is_object(clause, at) && nouns::is_lock_file(clause, at) {
            found.push((at, nouns::LOCK_FILES.to_owned()));
            continue;
        }
        // As strict as of an English name: before another noun it describes.
        let ends = beside(1).is_none_or(|i| {
            i.text.is_empty() || i.set.meets(AFTER_NAME) || i.has(Class::Not) || text(i, OF)
        });
        if expects && ends && before_is_object(clause, at) {
            let directory = nouns::directory(word, exists);
            if let Some(directory) = directory {
                found.push((at, directory.to_owned()));
                continue;
            }
        }
        if expects && !theirs && before_is_object(clause, at) && is_source(clause, at) {
            found.extend(source_directory(exists).map(|directory| (at, directory.to_owned())));
            continue;
        }
        if (doc || by_noun || by_place || known) && !theirs {
            found.push((at, word.to_owned()));
        }
    }
    found
}

/// Returns true if the word stands where an object does: not as the verb of the clause.
fn before_is_object(clause: &Clause, at: usize) -> bool {
    clause.items.iter().take(at).any(|i| {
        i.has(Class::Edit)
            || i.has(Class::EditNo)
            || i.has(Class::HandsOff)
            || i.has(Class::Leave)
            || i.has(Class::Under)
            || i.has(Class::Keep)
            || i.has(Class::Only)
            || i.has(Class::May)
            || i.has(Class::Path)
    }) || clause.items.iter().skip(at + 1).any(|i| {
        i.has(Class::Edit) || i.has(Class::HandsOff) || i.has(Class::EditNo) || i.has(Class::LiftX)
    })
}

/// Classes that may follow a directory's name without a slash; before another noun it describes.
pub(super) const AFTER_NAME: Set = Set::of(Class::And)
    .with(Set::of(Class::Or))
    .with(Set::of(Class::Tail))
    .with(Set::of(Class::Polite))
    .with(Set::of(Class::Except))
    .with(Set::of(Class::Alone))
    .with(Set::of(Class::Edit))
    .with(Set::of(Class::EditNo))
    .with(Set::of(Class::Neg))
    .with(Set::of(Class::Again))
    .with(Set::of(Class::Path))
    .with(Set::of(Class::Only))
    .with(Set::of(Class::HandsOff))
    .with(Set::of(Class::LiftX));

/// Nouns that make a name beside them a directory.
fn is_container(noun: &str) -> bool {
    !matches!(noun, "file" | "files" | "module" | "tree" | "path")
}

fn ends_like_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    spelt(name, Spelt::Bare).is_some() && name.contains('.')
}

/// Returns the protected thing when no path names it: the words after the verb, as written.
fn note(clause: &Clause, message: &str) -> Option<String> {
    let verb = clause.items.iter().position(|i| {
        i.has(Class::Edit)
            || i.has(Class::EditNo)
            || i.has(Class::HandsOff)
            || i.has(Class::Leave)
            || i.has(Class::Publish)
    });
    let trailing = |i: &Item| i.has(Class::Polite) || i.has(Class::Alone) || i.has(Class::Tail);
    let mut from = verb.map_or(0, |v| v + 1);
    if from >= clause.items.len() {
        from = 0;
    }
    // "the", "any", "or change": not what is protected.
    while clause.items.get(from).is_some_and(|i| {
        (i.has(Class::Func) && !matches!(i.text.as_str(), "this" | "that" | "these" | "those"))
            || i.has(Class::Or)
            || i.has(Class::And)
            || i.has(Class::Edit)
            || i.has(Class::EditN) && from + 1 < clause.items.len()
    }) && from + 1 < clause.items.len()
    {
        from += 1;
    }
    let mut to = clause.items.len();
    while to > from + 1 && clause.items.get(to - 1).is_some_and(trailing) {
        to -= 1;
    }
    let start = clause.items.get(from)?.span.0;
    let end = clause.items.get(to.checked_sub(1)?)?.span.1;
    let text = aictx_proto::text::clean(message.get(start..end)?, MAX_NOTE);
    (!text.is_empty()).then_some(text)
}

/// Adds what is new, up to [`MAX_PATHS`].
pub(super) fn extend(list: &mut Vec<String>, more: Vec<String>) {
    for path in more {
        if list.len() >= MAX_PATHS {
            return;
        }
        if !list.contains(&path) {
            list.push(path);
        }
    }
}

/// Returns true if the word at `at` means all the code that is not tests or documents: "the source", "the source
/// code", and not the source of something.
fn is_source(clause: &Clause, at: usize) -> bool {
    const SOURCE: &[&str] = &[
        "source",
        "sources",
        "quellcode",
        "quelltext",
        "fuente",
        "fonte",
        "codigo-fonte",
        "源码",
        "源代码",
        "ソース",
        "ソースコード",
    ];
    let word = |at: usize| clause.items.get(at).map(|i| i.text.as_str());
    let behind = match word(at + 1) {
        Some("code" | "files" | "tree") => at + 2,
        _ => at + 1,
    };
    let ends = clause.items.get(behind).is_none_or(|i| {
        i.set.meets(AFTER_NAME)
            || i.has(Class::NegEnd)
            || matches!(i.text.as_str(), "は" | "を" | "に")
    });
    word(at).is_some_and(|word| SOURCE.contains(&word)) && ends
}

/// Returns the directory of the repository's code.
fn source_directory(exists: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    ["src", "source", "sources", "lib"]
        .into_iter()
        .find(|directory| exists(directory))
}
