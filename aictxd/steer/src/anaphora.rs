//! Referents of clauses that name nothing themselves: "don't touch it", "actually, you may".

use super::clause::{Clause, Item};
use super::clause_label::{Judged, of_clause};
use super::intent_label::Label;
use super::path_role::{forbids, permits};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words that stand for what was just spoken of, and what languages put around them.
const IT: &[&str] = &[
    "a", "as", "ce", "celui", "da", "das", "datei", "diese", "es", "esa", "ese", "eso", "essa",
    "dem", "den", "die", "esse", "esta", "este", "ici", "ihn", "it", "l", "la", "las", "le", "les",
    "lo", "los", "nele", "o", "os", "que", "sie", "that", "them", "there", "these", "this",
    "those", "y", "これ", "それ", "そこ", "ここ", "です", "て", "で", "に", "の", "は", "も", "を",
    "zu", "你", "它", "这个", "那个", "都",
];
/// Verbs for any change. "Don't rename it" is about one way to change it.
const ANY_CHANGE: &[&str] = &[
    "touch",
    "touching",
    "edit",
    "editing",
    "change",
    "changing",
    "modify",
    "modifying",
    "anfassen",
    "angefasst",
    "bearbeiten",
    "andern",
    "andere",
    "andert",
    "cambiar",
    "cambies",
    "cambie",
    "cambien",
    "altere",
    "alteres",
    "alterar",
    "mude",
    "tocar",
    "toques",
    "toque",
    "editar",
    "edites",
    "edite",
    "modificar",
    "modifiques",
    "modifique",
    "toucher",
    "touche",
    "touches",
    "touchez",
    "modifier",
    "modifie",
    "modifiez",
    "mexer",
    "mexa",
    "mexe",
    "mexas",
    "改",
    "动",
    "碰",
    "修改",
    "编辑",
];

/// The paths of the nearest clause before the one at `at` that names any. What somebody `orders` to be
/// worked on is not what they speak of next as off limits.
pub(super) fn paths(clauses: &[Clause], at: usize, judged: &[Judged], orders: bool) -> Vec<String> {
    let before = clauses.iter().enumerate().take(at).rev();
    let named = |clause: &Clause| -> Vec<String> {
        let paths = clause.items.iter().filter(|i| i.has(Class::Path));
        paths.map(|i| i.text.clone()).collect()
    };
    let mut named = before.map(|(at, clause)| (at, named(clause)));
    let Some((place, paths)) = named.find(|(_, paths)| !paths.is_empty()) else {
        return Vec::new();
    };
    let works = || clauses.get(place).is_some_and(orders_a_change);
    let ordered = of_clause(judged, place).is_some_and(|j| match j.label {
        Label::ScopeConstraint | Label::ValidationChange => true,
        Label::Task | Label::NewRequirement => works(),
        _ => false,
    });
    if orders && ordered { Vec::new() } else { paths }
}

/// Returns true if a clause permits what was just spoken of and names nothing itself. `taken_back` says that
/// "never mind" came before: then an order is a permission, too.
pub(super) fn permits_it(clause: &Clause, label: Label, taken_back: bool) -> bool {
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::LiftX))
        .with(Set::of(Class::Edit))
        .with(Set::of(Class::Do))
        .with(Set::of(Class::Again))
        .with(Set::of(Class::Nvm))
        .with(Set::of(Class::You));
    let has = |class| clause.items.iter().any(|i| i.has(class));
    // All limits are more than what was just spoken of.
    let negated =
        has(Class::Neg) || has(Class::NegEnd) || has(Class::HandsOff) || has(Class::LiftAll);
    let permitted = label == Label::ScopeChange && permits(clause);
    let ordered = taken_back
        && matches!(label, Label::NewRequirement | Label::Task)
        && clause.items.iter().any(|i| IT.contains(&i.text.as_str()));
    (permitted || ordered)
        && !negated
        && !clause.conditional
        && !clause.question
        && (has(Class::Edit) || has(Class::LiftX))
        && clause
            .items
            .iter()
            .all(|i| i.set.meets(parts) || IT.contains(&i.text.as_str()))
}

/// Returns true if a clause puts off limits what was just spoken of and names nothing itself: "don't touch it",
/// "so bitte nicht anfassen". "Don't rename it" is about one way to change it.
pub(super) fn forbids_it(clause: &Clause, label: Label) -> bool {
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::NegEnd))
        .with(Set::of(Class::Not))
        .with(Set::of(Class::HandsOff))
        .with(Set::of(Class::Without))
        .with(Set::of(Class::Avoid))
        .with(Set::of(Class::Leave))
        .with(Set::of(Class::Alone))
        .with(Set::of(Class::Again))
        .with(Set::of(Class::Dir))
        .with(Set::of(Class::AskEnd))
        .with(Set::of(Class::You));
    let is_change = |i: &Item| {
        (i.has(Class::Edit) || i.has(Class::EditNo))
            && (i.text.is_empty() || ANY_CHANGE.contains(&i.text.as_str()))
    };
    let has = |class| clause.items.iter().any(|i| i.has(class));
    // "No manual edits there".
    let is_it = |i: &Item| IT.contains(&i.text.as_str());
    let edits_there = has(Class::EditN) && has(Class::No) && clause.items.iter().any(is_it);
    let is_edit = |i: &Item| {
        edits_there
            && (i.has(Class::EditN) || matches!(i.text.as_str(), "manual" | "direct" | "further"))
    };
    label == Label::ScopeConstraint
        && forbids(clause)
        && !has(Class::Nothing)
        && !clause.conditional
        && (has(Class::HandsOff)
            || has(Class::Alone)
            || has(Class::Avoid)
            || clause.items.iter().any(is_change)
            || edits_there
            || is_bare_no(clause))
        && clause
            .items
            .iter()
            .all(|i| i.set.meets(parts) || is_change(i) || is_edit(i) || is_it(i))
}

/// "Don't", and nothing else.
pub(super) fn is_bare_no(clause: &Clause) -> bool {
    let parts = LEAD.with(Set::of(Class::Neg)).with(Set::of(Class::Tail));
    clause.items.iter().any(|i| i.has(Class::Neg))
        && clause.items.iter().all(|i| i.set.meets(parts))
}

/// Words for files and code in general.
const FILES: &[&str] = &[
    "file",
    "files",
    "code",
    "codebase",
    "repo",
    "repository",
    "source",
    "sources",
    "datei",
    "dateien",
    "quelltext",
    "fichier",
    "fichiers",
    "archivo",
    "archivos",
    "fichero",
    "ficheros",
    "codigo",
    "código",
    "arquivo",
    "arquivos",
    "ficheiro",
    "ficheiros",
    "文件",
    "代码",
    "ファイル",
    "コード",
];
/// Words that make them all files there are.
const ANY: &[&str] = &[
    "any",
    "no",
    "a",
    "single",
    "the",
    "keine",
    "keinen",
    "kein",
    "einzige",
    "den",
    "dem",
    "aucun",
    "aucune",
    "le",
    "de",
    "ningun",
    "ningún",
    "ninguna",
    "el",
    "nenhum",
    "nenhuma",
    "o",
    "em",
    "任何",
    "を",
    "は",
    "も",
    "に",
    "何",
    "ください",
];

/// Words that tell how long something holds.
pub(super) const UNTIL: &[&str] = &[
    "until", "till", "til", "before", "unless", "hasta", "jusqu", "tant", "avant", "bis", "bevor",
    "solange", "até", "ate", "enquanto", "mientras", "まで",
];

/// Returns true if a word is a verb for any change.
pub(super) fn is_any_change(item: &Item) -> bool {
    (item.has(Class::Edit) || item.has(Class::EditNo)) && ANY_CHANGE.contains(&item.text.as_str())
}

/// Returns true if a clause puts everything off limits: "don't change anything", "no edits". "Don't edit the file"
/// speaks of one, "don't change anything else" of what else there is.
pub(super) fn is_everything(clause: &Clause) -> bool {
    let parts = LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::NegEnd))
        .with(Set::of(Class::Not))
        .with(Set::of(Class::You));
    // "No changes until I say so": what ends it is another matter. Spanish packs know "hasta que" as a phrase, and phrases have no text.
    let until =
        |i: &Item| UNTIL.contains(&i.text.as_str()) || i.text.is_empty() && i.has(Class::AllObj);
    let end = clause.items.iter().position(until);
    let items = clause.items.get(..end.unwrap_or(clause.items.len()));
    let items = items.unwrap_or_default();
    if super::hold_all_changes::forbids_code(clause) {
        return true;
    }
    // "No edits there" is about one place.
    if clause.items.iter().any(|i| i.text == "there") {
        return false;
    }
    let is_files = |i: &Item| FILES.contains(&i.text.as_str());
    let is_any = |i: &Item| ANY.contains(&i.text.as_str());
    let all = |i: &Item| i.has(Class::Nothing);
    let mass = |i: &Item| i.has(Class::EditN);
    // Documents and tests are none.
    let is_code = |i: &Item| {
        matches!(
            i.text.as_str(),
            "code"
                | "codebase"
                | "source"
                | "sources"
                | "quelltext"
                | "codigo"
                | "código"
                | "代码"
                | "コード"
        )
    };
    let has = |test: &dyn Fn(&Item) -> bool| items.iter().any(test);
    let any_files =
        has(&is_files) && has(&|i| is_any(i) && !matches!(i.text.as_str(), "the" | "a"));
    // "Make the change" orders it.
    const DENIES: [Class; 7] = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::No,
        Class::Nothing,
        Class::HandsOff,
        Class::Later,
    ];
    let denies =
        |i: &Item| DENIES.iter().any(|class| i.has(*class)) || super::approval_gate::is_wait(i);
    !clause.conditional
        && clause.items.iter().any(denies)
        && (has(&is_any_change) || has(&|i| i.has(Class::EditN) || i.has(Class::HandsOff)))
        && (has(&all) || (has(&mass) || any_files) && !has(&is_code))
        && items.iter().all(|i| {
            i.set.meets(parts)
                || is_any_change(i)
                || is_files(i)
                || is_any(i)
                || all(i)
                || mass(i)
                || i.has(Class::HandsOff)
                || matches!(i.text.as_str(), "make" | "do")
        })
}

/// "Find the bug without changing anything": whatever it names is only to be looked at.
pub(super) fn is_without_any_change(clause: &Clause) -> bool {
    let without = clause.items.iter().position(|i| i.has(Class::Without));
    let behind = without.and_then(|at| clause.items.get(at + 1..));
    let behind = behind.unwrap_or_default();
    behind.iter().any(|i| i.has(Class::Nothing))
        && behind.iter().any(is_any_change)
        && !behind.iter().any(|i| i.has(Class::Path))
}

/// Returns true if any clause orders work; one that sets a limit may, before what it must not touch.
pub(super) fn orders_work(clauses: &[Clause], judged: &[Judged]) -> bool {
    let orders = |one: &Judged| {
        let clause = clauses.get(one.clause);
        let is_order = match one.label {
            // "Convert them to strings" is an order, too: another way than now.
            Label::Task | Label::NewRequirement | Label::PriorityChange | Label::StrategyChange => {
                true
            }
            Label::ScopeConstraint => clause
                .is_some_and(|clause| clause.all().has(Class::Without) && orders_a_change(clause)),
            _ => false,
        };
        is_order && clause.is_some_and(|clause| !clause.question)
    };
    judged.iter().any(orders)
}

/// Verbs of orders that something be written.
pub(super) const CHANGES: Set = Set::of(Class::Edit)
    .with(Set::of(Class::Add))
    .with(Set::of(Class::Fix))
    .with(Set::of(Class::Make));

/// "Can you edit A now?": an order in the form of a question. "Can A be edited safely?" asks.
pub(super) fn requests(clause: &Clause) -> bool {
    let items = &clause.items;
    let lead = items.iter().take_while(|i| i.set.meets(LEAD));
    let wide = super::edit_object::is_wide(clause);
    // "¿Puedes editar A?" begins with a phrase that permits where nobody asks.
    let phrase = |i: &Item| i.text.is_empty() && i.has(Class::LiftX) && i.has(Class::May);
    let first = items.iter().find(|i| !i.set.meets(LEAD) || phrase(i));
    let asks = match wide {
        true => items.iter().any(|i| i.has(Class::Ask)),
        false => lead.into_iter().any(|i| i.has(Class::Ask)) || first.is_some_and(phrase),
    };
    let negated = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::HandsOff,
        Class::NoNeed,
        Class::QAsk,
        Class::Q,
        Class::Unsure,
        Class::Hedge,
    ];
    clause.question
        && asks
        && !clause.conditional
        && !clause.reported
        && super::hold_all_changes::changes(clause)
        && super::approval_gate::waits_with(clause).is_none()
        && !is_everything(clause)
        && !is_without_any_change(clause)
        && !items.iter().any(|i| {
            let denies = negated.iter().any(|class| i.has(*class));
            denies && !i.has(Class::Ask) && !i.has(Class::QEnd)
        })
}

/// Returns true if a clause orders that something be written: "update the README", "add tests".
pub(super) fn orders_a_change(clause: &Clause) -> bool {
    let verbs = CHANGES;
    let negated = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::HandsOff,
        Class::NoNeed,
    ];
    let first = clause.items.iter().find(|i| !i.set.meets(LEAD));
    let verb_last = clause
        .items
        .iter()
        .any(|i| i.text.chars().any(aictx_proto::fold::is_unspaced));
    let has_verb = match verb_last {
        true => clause.items.iter().any(|i| i.set.meets(verbs)),
        false => first.is_some_and(|i| i.set.meets(verbs)) || orders_last(clause),
    };
    // "Editing A should be possible for admins" speaks of it.
    let gerund = first.is_some_and(|i| i.has(Class::Ing))
        && clause.items.iter().any(|i| {
            i.has(Class::Should)
                || i.has(Class::Modal)
                || matches!(i.text.as_str(), "is" | "are" | "was" | "can" | "may")
        });
    has_verb
        && !gerund
        && super::hold_all_changes::changes(clause)
        && super::approval_gate::waits_with(clause).is_none()
        && !clause.conditional
        && !clause.reported
        && !is_everything(clause)
        && !is_without_any_change(clause)
        && !clause
            .items
            .iter()
            .any(|i| negated.iter().any(|class| i.has(*class)))
}

/// German: "bitte A anpassen".
fn orders_last(clause: &Clause) -> bool {
    let others = [
        Class::I,
        Class::You,
        Class::Modal,
        Class::Should,
        Class::Q,
        Class::Without,
        Class::Before,
        Class::Hedge,
    ];
    let items = &clause.items;
    let verb = items.iter().rev().find(|i| !i.has(Class::Tail));
    verb.is_some_and(|i| i.set.meets(CHANGES) && i.text.ends_with("en"))
        && items.iter().filter(|i| i.set.meets(CHANGES)).count() == 1
        && items.iter().any(|i| i.has(Class::Path))
        && !items
            .iter()
            .any(|i| others.iter().any(|class| i.has(*class)))
}

/// "A is read-only, make it writable", "I changed my mind about A, change it": what the clause before speaks of
/// is ordered to be changed, unless that one puts it off limits itself.
pub(super) fn orders_it(clauses: &[Clause], at: usize, judged: &[Judged]) -> Vec<String> {
    const PRONOUNS: &[&str] = &["it", "them"];
    let before = at.checked_sub(1);
    let (Some(clause), Some(place)) = (clauses.get(at), before) else {
        return Vec::new();
    };
    let Some(said) = clauses.get(place) else {
        return Vec::new();
    };
    if is_place(said) && !clause.opens && orders_a_change(clause) {
        // "In A, rename the function".
        let named = clause.items.iter().any(|i| i.has(Class::Path));
        let paths = said.items.iter().filter(|i| i.has(Class::Path) && !named);
        return paths.map(|i| i.text.clone()).collect();
    }
    let names = |i: &Item| i.has(Class::Path) || i.has(Class::Under) || i.has(Class::Later);
    let verb = Set::of(Class::Edit)
        .with(Set::of(Class::Fix))
        .with(Set::of(Class::Make));
    let orders = clause.items.windows(2).any(|pair| match pair {
        [order, it] => order.set.meets(verb) && PRONOUNS.contains(&it.text.as_str()),
        _ => false,
    });
    if !orders || clause.items.iter().any(names) || !orders_a_change(clause) {
        return Vec::new();
    }
    let path = said.items.iter().position(|i| i.has(Class::Path));
    let limit = said.items.iter().position(|i| i.has(Class::HandsOff));
    let limits = of_clause(judged, place).is_some_and(|j| j.label == Label::ScopeConstraint);
    let is_statement = path.is_some() && limit.is_some() && path < limit;
    if limits && !is_statement {
        return Vec::new();
    }
    // A check that fails is mended elsewhere, and what is to blame is not what is spoken of: "it fails because of A".
    if super::topicalised_object::fails(said) {
        return Vec::new();
    }
    let until = |i: &&Item| !super::edit_object_lexicon::ELSE.contains(&i.text.as_str());
    let subject = said.items.iter().take_while(until);
    let paths = subject.filter(|i| i.has(Class::Path));
    paths.map(|i| i.text.clone()).collect()
}

/// "In A", and nothing else.
fn is_place(clause: &Clause) -> bool {
    let parts = LEAD
        .with(Set::of(Class::Path))
        .with(Set::of(Class::Under))
        .with(Set::of(Class::Dir));
    let denies = |i: &Item| i.has(Class::No) || i.has(Class::Not) || i.has(Class::Neg);
    clause.items.iter().any(|i| i.has(Class::Path))
        && !clause.question
        && clause.items.iter().all(|i| {
            let place = super::edit_object::text(i, super::edit_object_lexicon::IN);
            let article = super::edit_object::text(i, super::edit_object_lexicon::ARTICLES);
            !denies(i) && (i.set.meets(parts) || place || article)
        })
}

/// The paths and names of usual files and directories that an order changes.
pub(super) fn ordered(clause: &Clause) -> Vec<String> {
    match orders_a_change(clause) || requests(clause) {
        true => super::edit_object::changed(clause),
        false => Vec::new(),
    }
}
