//! Which part each path of a clause plays: forbidden, allowed, required, discarded, to be tested.

use aictx_proto::methods::SteerUpdates;

use super::class::{Class, Set};
use super::clause::{Clause, Item};
use super::label::Label;
use super::paths::{Spelt, is_directory, is_plain_name, spelt};
use super::spoken::{is_any_change, is_everything};

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
    let named = named(clause, label, exists);
    let (before, after): (Vec<_>, Vec<_>) = named
        .into_iter()
        .partition(|(at, _)| !is_excepted(clause, *at));
    let paths = |list: &[(usize, String)]| list.iter().map(|(_, p)| p.clone()).collect::<Vec<_>>();
    if label != Label::Question && does_without_checks(clause) {
        updates.skip_validation = Some(true);
    }
    match label {
        Label::ScopeConstraint if forbids(clause) => {
            let passes_on = passes_on(clause);
            let without = without(clause);
            let (ordered, before): (Vec<_>, Vec<_>) =
                before.into_iter().partition(|(at, _)| *at < without);
            extend(&mut updates.required_paths, paths(&ordered));
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
        // "Just edit A" asks for little and forbids nothing.
        Label::ScopeConstraint if !limits(clause) => {
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
            extend(&mut updates.lifted_paths, paths(&before));
            extend(&mut updates.forbidden_paths, paths(&after));
            let everything =
                |i: &Item| i.has(Class::LiftAll) || i.has(Class::AllObj) || i.has(Class::Nothing);
            let is_it = |i: &Item| matches!(i.text.as_str(), "it" | "this" | "that" | "them");
            if before.is_empty() && after.is_empty() {
                let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
                updates.lift_all = has(&|i| everything(i) && !is_it(i));
                updates.lift_latest = !updates.lift_all
                    && (has(&|i| i.has(Class::LiftX))
                        || has(&is_it) && has(&|i| is_any_change(i) || i.has(Class::HandsOff)));
            }
        }
        Label::AgentCorrection => correct(clause, &before, updates),
        Label::ValidationChange => {
            extend(&mut updates.validation_paths, paths(&before));
            updates.skip_validation = Some(skips(clause));
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
        let said = wrong
            .is_some_and(|w| w > *at || clause.items.get(w).is_some_and(|i| i.has(Class::Undo)));
        let list = if denied || said {
            &mut updates.discarded_paths
        } else {
            &mut updates.required_paths
        };
        extend(list, vec![path.clone()]);
    }
}

/// "Fix it without running the tests"; "without breaking them" is another thing.
fn does_without_checks(clause: &Clause) -> bool {
    let negated = clause.items.iter().any(|i| i.has(Class::Neg));
    let does_without = |i: &Item| i.has(Class::Without) || (i.has(Class::Skip) && !negated);
    let Some(without) = clause.items.iter().position(does_without) else {
        return false;
    };
    let behind = clause.items.get(without + 1..).unwrap_or_default();
    let other = [
        Class::Edit,
        Class::EditNo,
        Class::Add,
        Class::Break,
        Class::Skip,
    ];
    let tests = behind.iter().take(4).position(|i| i.has(Class::Test));
    tests.is_some_and(|tests| {
        behind
            .iter()
            .take(tests + 1)
            .all(|i| i.has(Class::Run) || !other.iter().any(|class| i.has(*class)))
    })
}

/// Whether a clause about checks wants none: "skip the tests", but not "don't skip them", nor "no lint, only
/// the tests".
fn skips(clause: &Clause) -> bool {
    let has = |class| clause.items.iter().any(|i| i.has(class));
    let negated = has(Class::Neg) || has(Class::Not) || has(Class::No) || has(Class::NegEnd);
    let none = has(Class::NoNeed) || has(Class::Without) || has(Class::Stop) || has(Class::Later);
    if has(Class::Only) || has(Class::Instead) {
        return false;
    }
    none || (has(Class::Skip) != negated)
}

/// Whether the path at `at` is what "except" is said of, before or behind it.
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

/// Where "without touching" stands in a clause: what is named before it is to be worked on. 0 where it does
/// not say so, or says it the other way round.
fn without(clause: &Clause) -> usize {
    let items = &clause.items;
    let Some(at) = items.iter().position(|i| i.has(Class::Without)) else {
        return 0;
    };
    let behind = items.get(at + 1..).unwrap_or_default();
    let is_change = |i: &Item| i.has(Class::Edit) || i.has(Class::EditNo);
    // German and Dutch set the verb last.
    let reach = match items.get(at).map(|i| i.text.as_str()) {
        Some("ohne" | "zonder") => behind.len(),
        _ => 2,
    };
    let said =
        behind.iter().take(reach).any(is_change) && behind.iter().any(|i| i.has(Class::Path));
    if said { at } else { 0 }
}

/// "Don't just edit A": it is to be edited, and that is not enough. "Don't" and "just" stand side by side, or
/// around the verb.
pub(super) fn asks_for_more(clause: &Clause) -> bool {
    let negates = |i: &Item| {
        i.has(Class::Neg) || i.has(Class::Not) || matches!(i.text.as_str(), "no" | "não" | "nao")
    };
    const JUST: &[&str] = &[
        "just",
        "only",
        "merely",
        "simply",
        "solo",
        "sólo",
        "solamente",
        "apenas",
        "somente",
        "seulement",
        "juste",
        "nur",
        "bloss",
        "bloß",
        "只",
        "仅",
    ];
    let only = |i: &Item| JUST.contains(&i.text.as_str());
    clause.items.windows(3).any(|three| match three {
        [first, second, third] => {
            negates(first)
                && (only(second)
                    || (second.has(Class::Edit) || second.has(Class::EditNo)) && only(third))
        }
        _ => false,
    })
}

/// Words for what belongs to the thing just named.
const THEIR: &[&str] = &[
    "its", "their", "su", "sus", "son", "sa", "ses", "leur", "leurs", "sein", "seine", "seinen",
    "ihr", "ihre", "ihren", "seu", "sua", "seus", "suas",
];

/// "Only A and its tests".
fn names_their_tests(clause: &Clause) -> bool {
    clause
        .items
        .windows(2)
        .any(|pair| matches!(pair, [their, tests] if is_theirs(their) && is_tests(tests)))
}

fn is_theirs(item: &Item) -> bool {
    THEIR.contains(&item.text.as_str())
}

fn is_tests(item: &Item) -> bool {
    item.has(Class::Test) || matches!(item.text.as_str(), "test" | "tests" | "spec" | "specs")
}

/// What the tests of a file are called, as patterns.
fn tests_of(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').find(|part| !part.is_empty());
    let stem = stem.unwrap_or(name);
    vec![
        format!("**/*{stem}*test*"),
        format!("**/*test*{stem}*"),
        format!("**/*{stem}*spec*"),
        format!("**/*test*/**/*{stem}*"),
    ]
}

/// Whether a clause says that its paths are all there is.
fn limits(clause: &Clause) -> bool {
    clause.items.iter().any(|i| {
        (i.has(Class::Only) && i.text != "just") || i.has(Class::Keep) || i.has(Class::NoElse)
    })
}

/// "Don't publish the docs": what must not be handed on may still be edited.
fn passes_on(clause: &Clause) -> bool {
    let all = clause.all();
    all.has(Class::Publish)
        && !all.has(Class::Edit)
        && !all.has(Class::EditNo)
        && !all.has(Class::HandsOff)
}

/// Whether the path at `at` only says where the thing is that must not be changed: "the comment in
/// a.py". Then the file itself is not forbidden.
fn is_location(clause: &Clause, at: usize) -> bool {
    let items = &clause.items;
    let Some(under) = items.get(..at).and_then(|before| {
        before
            .iter()
            .rposition(|i| !i.has(Class::Dir) && (i.has(Class::Under) || !i.has(Class::Func)))
    }) else {
        return false;
    };
    let Some(verb) = items.get(..under).and_then(|before| {
        before
            .iter()
            .rposition(|i| i.has(Class::Edit) || i.has(Class::EditNo))
    }) else {
        return false;
    };
    let within = items.get(under).is_some_and(|i| i.has(Class::Under));
    within
        && items.get(verb + 1..under).is_some_and(|between| {
            between.iter().any(|i| {
                let vague = [
                    Class::Func,
                    Class::Dir,
                    Class::Nothing,
                    Class::AllObj,
                    Class::EditN,
                    Class::Edit,
                    Class::Path,
                ];
                !vague.iter().any(|class| i.has(*class))
                    && !matches!(i.text.as_str(), "code" | "stuff" | "else")
            })
        })
}

/// Whether a prohibition is about one way to change the path at `at`, or about some of it: "don't rename A",
/// "don't change how A works", "don't modify existing tests". The file may still be edited.
fn is_narrow(clause: &Clause, at: usize) -> bool {
    const WAYS: &[&str] = &[
        "rename",
        "renaming",
        "reformat",
        "reformatting",
        "format",
        "formatting",
        "rewrite",
        "rewriting",
        "renombrar",
        "renombres",
        "reescribir",
        "reescribas",
        "renomme",
        "renommer",
        "reformate",
        "reformater",
        "umbenennen",
        "umformatieren",
        "renomear",
        "renomeie",
        "重命名",
        "重写",
    ];
    const SOME: &[&str] = &[
        "how",
        "name",
        "existing",
        "existentes",
        "existants",
        "existantes",
        "bestehenden",
        "vorhandenen",
        "by",
    ];
    let before = clause.items.get(..at).unwrap_or_default();
    let verb = before
        .iter()
        .rposition(|i| i.has(Class::Edit) || i.has(Class::EditNo));
    let between = verb
        .and_then(|verb| before.get(verb + 1..))
        .unwrap_or_default();
    let way = verb.and_then(|verb| before.get(verb));
    // "Remove nothing from A".
    let takes_from = way.is_some_and(|i| {
        matches!(
            i.text.as_str(),
            "remove" | "delete" | "removing" | "deleting"
        )
    }) && between.iter().any(|i| i.text == "from");
    let behind = clause.items.get(at + 1).map(|i| i.text.as_str());
    way.is_some_and(|i| WAYS.contains(&i.text.as_str()))
        || between.iter().any(|i| SOME.contains(&i.text.as_str()))
        || takes_from
        || behind == Some("by")
}

/// "No changes to the tests needed", "nothing in A needs to change": nobody forbids anything.
pub(super) fn says_there_is_no_need(clause: &Clause) -> bool {
    let is_need = |i: &Item| {
        matches!(
            i.text.as_str(),
            "needed" | "necessary" | "required" | "needs"
        )
    };
    let has = |class| clause.items.iter().any(|i: &Item| i.has(class));
    let needs = clause.items.iter().any(is_need) || has(Class::Nothing) && has(Class::Need);
    needs && !has(Class::HandsOff)
}

/// Whether what must not change is the product's behaviour and none of the files that a clause names:
/// "without changing the behaviour of A", "the parser in A should not modify its input".
pub(super) fn is_about_product(clause: &Clause) -> bool {
    let mut paths = (0..clause.items.len())
        .filter(|at| clause.items.get(*at).is_some_and(|i| i.has(Class::Path)))
        .peekable();
    paths.peek().is_some() && paths.all(|at| is_about(clause, at))
}

fn is_about(clause: &Clause, at: usize) -> bool {
    const THE: &[&str] = &[
        "the", "its", "their", "his", "her", "an", "any", "el", "la", "los", "las", "su", "sus",
        "le", "les", "un", "une", "son", "sa", "ses", "leur", "o", "os", "as", "seu", "sua",
    ];
    let is_change = |i: &Item| i.has(Class::Edit) || i.has(Class::EditNo);
    let before = clause.items.get(..at).unwrap_or_default();
    let behind = clause.items.get(at + 1..).unwrap_or_default();
    let verb_before = before.iter().rposition(is_change);
    let behaves = verb_before.is_some_and(|verb| {
        before
            .get(verb + 1..)
            .is_some_and(|between| between.iter().any(|i| i.has(Class::Behav)))
    });
    let changes_another = verb_before.is_none()
        && behind
            .iter()
            .position(|i| is_change(i) || i.has(Class::EditN))
            .and_then(|verb| behind.get(verb + 1..))
            .is_some_and(|object| {
                let first = object.first();
                first.is_some_and(|i| THE.contains(&i.text.as_str()))
                    && object.len() > 1
                    && !object.iter().any(|i| i.has(Class::Path))
            });
    // "Le bouton dans A ne change pas de couleur": A is where it happens.
    let is_particle = |i: &&Item| matches!(i.text.as_str(), "で" | "では" | "には");
    let place = before
        .iter()
        .rev()
        .find(|i| !i.has(Class::Dir) && (i.has(Class::Under) || !i.has(Class::Func)))
        .is_some_and(|i| i.has(Class::Under))
        || behind
            .first()
            .filter(|i| i.has(Class::Under) || is_particle(i))
            .is_some();
    let has = |class| clause.items.iter().any(|i| i.has(class));
    let is_thing = |i: &Item| {
        i.set == Set::NONE && i.text.chars().count() >= if i.text.is_ascii() { 4 } else { 2 }
    };
    let happens_there = verb_before.is_none()
        && place
        && !has(Class::You)
        && !has(Class::Nothing)
        && clause.items.iter().any(is_thing);
    // Chinese has no articles.
    let changes_a_thing = verb_before.is_none()
        && behind.iter().position(is_change).is_some_and(|verb| {
            let object = behind.get(verb + 1);
            object
                .is_some_and(|i| is_thing(i) && i.text.chars().any(aictx_proto::fold::is_unspaced))
        });
    behaves || changes_another || happens_there || changes_a_thing
}

/// Whether a limit is said in the negative.
pub(super) fn forbids(clause: &Clause) -> bool {
    let has = |class| clause.items.iter().any(|i| i.has(class));
    let nothing = has(Class::Neg)
        || has(Class::HandsOff)
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

pub(super) fn permits(clause: &Clause) -> bool {
    clause.items.iter().any(|i| {
        i.has(Class::May) || i.has(Class::LiftX) || i.has(Class::LiftAll) || i.has(Class::Again)
    })
}

/// The paths of a clause with their places: what is written as a path, what `exists` knows, and
/// names of usual directories where a path is expected.
fn named(clause: &Clause, label: Label, exists: &dyn Fn(&str) -> bool) -> Vec<(usize, String)> {
    let expects = matches!(label, Label::ScopeConstraint | Label::ScopeChange);
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
        if test_files {
            found.push((at, "tests".to_owned()));
            continue;
        }
        if (doc || by_noun || by_place || known) && !theirs {
            found.push((at, word.to_owned()));
        }
    }
    found
}

/// Whether the word stands where an object does: not as the verb of the clause.
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

/// What may follow the name of a directory that has no slash; before another noun it describes.
const AFTER_NAME: Set = Set::of(Class::And)
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

/// What is protected, when no path names it: the words after the verb, as written.
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
