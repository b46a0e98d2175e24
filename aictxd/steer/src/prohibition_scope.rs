//! Shades of a prohibition: what it is not about, and how far it goes.

use super::anaphora::is_any_change;
use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// "Fix it without running the tests"; "without breaking them" is another thing.
pub(super) fn does_without_checks(clause: &Clause) -> bool {
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
    // German and Dutch set the verb last.
    let last = clause.items.get(without).map(|i| i.text.as_str());
    if matches!(last, Some("ohne" | "zonder"))
        && behind
            .iter()
            .any(|i| i.has(Class::Edit) || i.has(Class::EditNo))
    {
        return false;
    }
    let tests = behind.iter().take(4).position(|i| i.has(Class::Test));
    tests.is_some_and(|tests| {
        behind
            .iter()
            .take(tests + 1)
            .all(|i| i.has(Class::Run) || !other.iter().any(|class| i.has(*class)))
    })
}

/// Returns the position of "without touching" in a clause: what is named before it is to be worked on. 0 where it does
/// not say so, or says it the other way round.
pub(super) fn without(clause: &Clause) -> usize {
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
pub(super) fn names_their_tests(clause: &Clause) -> bool {
    clause
        .items
        .windows(2)
        .any(|pair| matches!(pair, [their, tests] if is_theirs(their) && is_tests(tests)))
}

pub(super) fn is_theirs(item: &Item) -> bool {
    THEIR.contains(&item.text.as_str())
}

pub(super) fn is_tests(item: &Item) -> bool {
    item.has(Class::Test) || matches!(item.text.as_str(), "test" | "tests" | "spec" | "specs")
}

/// Returns true if a word means test files in a language whose directories are not called so.
pub(super) fn is_tests_word(word: &str) -> bool {
    matches!(word, "pruebas" | "testes" | "测试" | "テスト")
}

/// "Tests only", "only touch the tests": where the work may go, and not which of them to run: neither kinds of tests are
/// named nor running them.
pub(super) fn are_tests_alone(clause: &Clause) -> bool {
    // "The test files": behind that word a test is one of them.
    let files = clause.items.windows(2).any(|pair| {
        matches!(pair, [test, files] if matches!(test.text.as_str(), "test" | "spec") && files.has(Class::Dir))
    });
    let is_it = |i: &Item| {
        matches!(i.text.as_str(), "tests" | "specs" | "测试文件")
            || files && matches!(i.text.as_str(), "test" | "spec")
            || is_tests_word(&i.text) && i.text != "测试"
    };
    let changes = |i: &Item| i.has(Class::Edit) && (i.text.is_empty() || is_any_change(i));
    // "The tests folder".
    let parts = LEAD
        .with(Set::of(Class::Func))
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Dir))
        .with(Set::of(Class::Only));
    let joins = |i: &Item| matches!(i.text.as_str(), "で" | "and" | "with");
    // "It's just a test file", "I only see the tests folder": how something is.
    const TELLS: &[&str] = &[
        "is", "it's", "its", "that's", "thats", "are", "was", "were", "there", "there's", "see",
        "these", "those", "this", "it", "they're", "in",
    ];
    let tells = clause
        .items
        .iter()
        .any(|i| TELLS.contains(&i.text.as_str()));
    if tells && clause.items.iter().any(|i| i.has(Class::Dir)) {
        return false;
    }
    !clause.question
        && !clause.conditional
        && clause.items.iter().any(|i| i.has(Class::Only))
        && clause.items.iter().any(is_it)
        && clause
            .items
            .iter()
            .all(|i| !joins(i) && (is_it(i) || changes(i) || i.set.meets(parts)))
}

/// "Change anything except A": everything may be changed, but for what is excepted.
pub(super) fn is_all_but(clause: &Clause) -> bool {
    const ALL: &[&str] = &[
        "anything",
        "everything",
        "all",
        "any",
        "every",
        "todo",
        "cualquier",
        "todos",
        "tout",
        "tous",
        "toute",
        "alles",
        "alle",
        "jede",
        "tudo",
        "qualquer",
        "所有",
        "全部",
        "一切",
        "都",
        "任何",
        "すべて",
        "全て",
        "全部",
        "すべての",
    ];
    const NOT: [Class; 12] = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::No,
        Class::Without,
        Class::HandsOff,
        Class::Only,
        Class::Leave,
        Class::Keep,
        Class::Stop,
        Class::Avoid,
        Class::Alone,
    ];
    let is_all = |i: &Item| ALL.contains(&i.text.as_str());
    let but = |i: &Item| i.has(Class::Except) || i.has(Class::Excepted);
    // "Everything but" is one phrase, which has no text.
    let phrase = |i: &Item| i.text.is_empty() && i.has(Class::Except) && !i.has(Class::Func);
    let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
    has(&but)
        && (has(&is_all) || has(&phrase))
        && has(&|i| i.has(Class::Edit) || i.has(Class::Fix))
        && !has(&|i| NOT.iter().any(|class| i.has(*class)))
}

/// "Keep the naming in A": what is to be kept is in A, and not the work.
pub(super) fn keeps_a_thing(clause: &Clause) -> bool {
    const WORK: &[&str] = &[
        "work", "stuff", "code", "diff", "patch", "fix", "focus", "scope", "it", "this", "that",
        "yourself", "todo", "tout", "alles", "tudo",
    ];
    let items = &clause.items;
    let Some(keep) = items.iter().position(|i| i.has(Class::Keep)) else {
        return false;
    };
    let behind = items.get(keep + 1..).unwrap_or_default();
    let until = behind
        .iter()
        .position(|i| i.has(Class::Under) || matches!(i.text.as_str(), "of" | "de" | "du" | "von"));
    let object = until.and_then(|until| behind.get(..until));
    let object = object.unwrap_or_default();
    let is_work = |i: &Item| {
        i.has(Class::EditN)
            || i.has(Class::Edit)
            || i.has(Class::AllObj)
            || i.has(Class::Only)
            || i.has(Class::Path)
            || WORK.contains(&i.text.as_str())
    };
    let is_thing = |i: &Item| {
        (i.set == Set::NONE || i.has(Class::Ing)) && i.text.len() > 3 || i.has(Class::Behav)
    };
    object.iter().any(is_thing) && !object.iter().any(is_work)
}

/// Returns the names of a file's tests, as patterns.
pub(super) fn tests_of(path: &str) -> Vec<String> {
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

/// "Don't publish the docs": what must not be handed on may still be edited.
pub(super) fn passes_on(clause: &Clause) -> bool {
    let all = clause.all();
    all.has(Class::Publish)
        && !all.has(Class::Edit)
        && !all.has(Class::EditNo)
        && !all.has(Class::HandsOff)
}

/// Returns true if the path at `at` only says where the thing is that must not be changed: "the comment in
/// a.py". Then the file itself is not forbidden.
pub(super) fn is_location(clause: &Clause, at: usize) -> bool {
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

/// Returns true if a prohibition is about one way to change the path at `at`, or about some of it: "don't rename A",
/// "don't change how A works", "don't modify existing tests". The file may still be edited.
pub(super) fn is_narrow(clause: &Clause, at: usize) -> bool {
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
    let nobody = (clause.items.iter()).any(|i| matches!(i.text.as_str(), "niemand" | "keiner"));
    let is_need = |i: &Item| {
        matches!(
            i.text.as_str(),
            "needed" | "necessary" | "required" | "needs"
        ) || nobody && matches!(i.text.as_str(), "mussen" | "muss" | "brauchen")
    };
    let has = |class| clause.items.iter().any(|i: &Item| i.has(class));
    // "Leave A alone, since B needs it" says why.
    let mut items = clause.items.iter().enumerate();
    let needed = items.any(|(at, i)| is_need(i) && !super::subordinate_clause::is_in(clause, at));
    let needs = needed || has(Class::Nothing) && has(Class::Need);
    needs && !has(Class::HandsOff)
}

/// "The tests don't touch A", "nobody touches A these days": how things are, and no order.
pub(super) fn describes(clause: &Clause) -> bool {
    const DOES_NOT: &[&str] = &["don't", "dont", "don´t", "doesn't", "doesnt", "do_not"];
    const WHERE: &[&str] = &[
        "in", "for", "with", "when", "while", "on", "from", "as", "at", "within", "until", "till",
        "before", "after", "once", "since", "because", "unless",
    ];
    const LATELY: &[&str] = &[
        "anymore",
        "nowadays",
        "lately",
        "days",
        "currently",
        "years",
        "months",
    ];
    let items = &clause.items;
    let text = |i: &Item, words: &[&str]| words.contains(&i.text.as_str());
    let nobody = items
        .iter()
        .position(|i| i.has(Class::HandsOff) || i.has(Class::Nothing));
    let any_more = |pair: &[Item]| match pair {
        [any, more] => any.text == "any" && matches!(more.text.as_str(), "more" | "longer"),
        _ => false,
    };
    let lately = items.iter().skip(1).any(|i| text(i, LATELY)) || items.windows(2).any(any_more);
    if nobody == Some(0) && lately {
        return true;
    }
    let Some(neg) = items.iter().position(|i| text(i, DOES_NOT)) else {
        return false;
    };
    let subject = neg.checked_sub(1).and_then(|at| items.get(at));
    let is_thing = |i: &Item| {
        i.set == Set::NONE && i.text.len() > 2
            || i.has(Class::Test)
            || i.has(Class::AreaN)
            || i.has(Class::Path)
    };
    subject.is_some_and(is_thing) && !items.first().is_some_and(|i| text(i, WHERE))
}

/// Returns true if what must not change is the product's behaviour and none of the files that a clause names:
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
    // "The schema in A is frozen since the audit": what is said of the thing ends with that.
    let frozen = clause.items.iter().position(|i| i.has(Class::HandsOff));
    let said_of = clause.items.get(..frozen.unwrap_or(clause.items.len()));
    let happens_there = verb_before.is_none()
        && place
        && !has(Class::You)
        && !has(Class::Nothing)
        && said_of.is_some_and(|items| items.iter().any(is_thing));
    // Chinese has no articles.
    let changes_a_thing = verb_before.is_none()
        && behind.iter().position(is_change).is_some_and(|verb| {
            let object = behind.get(verb + 1);
            // "A が変更されない": A is what is changed.
            let passive = |i: &Item| i.text.starts_with("され");
            object.is_some_and(|i| {
                let wide = i.text.chars().any(aictx_proto::fold::is_unspaced);
                is_thing(i) && wide && !passive(i)
            })
        });
    behaves || changes_another || happens_there || changes_a_thing
}
