//! Recognises requirements of the product: they have the words of a limit and none for the agent.

use super::anaphora::CHANGES;
use super::clause::{Clause, Item};
use super::edit_object::{is_wide, text};
use super::edit_object_lexicon::{ARTICLES, PASS, TO};
use super::end_user_permission::{is_for_users, says_who_may};
use super::prohibition_scope::is_location;
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Returns true if what has the words of a limit in a clause is said of the product.
pub(super) fn is_said_of_it(clause: &Clause) -> bool {
    says_who_may(clause)
        || is_for_users(clause)
        || lets_a_file(clause)
        || is_to_be_written(clause)
        || reports(clause)
        || says_what_goes_with_it(clause)
        || says_when(clause)
        || limits_a_thing(clause)
}

pub(super) fn is_change(item: &Item) -> bool {
    item.has(Class::Edit) || item.has(Class::EditNo)
}

/// Nouns for texts written for others.
const NOTES: &[&str] = &[
    "comment",
    "todo",
    "note",
    "warning",
    "message",
    "docstring",
    "header",
    "banner",
    "label",
    "line",
    "sentence",
    "advertencia",
    "hinweis",
    "text",
    "comentario",
    "nota",
    "aviso",
    "mensaje",
    "commentaire",
    "note",
    "avertissement",
    "message",
    "kommentar",
    "hinweis",
    "warnung",
    "comentario",
    "mensagem",
    "注释",
    "说明",
    "提示",
    "コメント",
    "注記",
    "注意書き",
];

/// "Don't let A change B", "A must not change B": what one file does to another when it runs.
fn lets_a_file(clause: &Clause) -> bool {
    const LETS: &[&str] = &[
        "let", "allow", "permit", "letting", "dejes", "deje", "permitas", "que", "laisse",
        "laissez", "laisser", "lass", "lasse", "deixe", "deixes", "permita", "让", "允许",
    ];
    let items = &clause.items;
    let skips = |i: &&Item| {
        let passes = i.has(Class::Dir) || i.has(Class::Not) && !i.has(Class::No);
        !i.has(Class::Path) && (text(i, ARTICLES) || passes || text(i, LETS))
    };
    let is_subject = |at: usize| {
        let next = items.iter().skip(at + 1).position(|i| !skips(&i));
        let path = next.map(|step| at + 1 + step);
        let is_path = path
            .and_then(|at| items.get(at))
            .is_some_and(|i| i.has(Class::Path));
        let behind = path
            .and_then(|path| items.get(path + 1..))
            .unwrap_or_default();
        // "Don't let A change" forbids it.
        let verb = behind.iter().position(is_change);
        let after = verb.and_then(|verb| behind.get(verb + 1..));
        let ends = LEAD.with(Set::of(Class::Tail));
        let acts = after.is_some_and(|items| items.iter().any(|i| !i.set.meets(ends)));
        is_path && verb.is_some() && (acts || behind.iter().any(|i| i.has(Class::Path)))
    };
    let mut lets = (0..items.len()).filter(|at| {
        items
            .get(*at)
            .is_some_and(|i| text(i, LETS) && i.text != "que")
    });
    if lets.any(is_subject) {
        return true;
    }
    // "src/a.py must not change src/b.py".
    let first = items
        .iter()
        .position(|i| !i.set.meets(LEAD) && !text(i, ARTICLES));
    let subject = first.filter(|at| items.get(*at).is_some_and(|i| i.has(Class::Path)));
    let Some(subject) = subject else {
        return false;
    };
    let behind = items.get(subject + 1..).unwrap_or_default();
    let next = behind.first();
    let denies =
        next.is_some_and(|i| i.has(Class::Modal) || i.has(Class::Neg) && i.text != "never");
    let verb = behind.iter().position(is_change);
    let object = verb
        .and_then(|verb| behind.get(verb + 1..))
        .unwrap_or_default();
    let object = object
        .iter()
        .find(|i| !text(i, ARTICLES) && !i.has(Class::Dir));
    if is_wide(clause) {
        // "A が B を変更しないように".
        let changes = |i: &Item| is_change(i) || i.has(Class::HandsOff);
        return next.is_some_and(|i| i.text.starts_with('が'))
            && behind.windows(2).any(|pair| matches!(pair, [path, o] if path.has(Class::Path) && o.text.starts_with('を')))
            && behind.iter().any(changes);
    }
    denies && object.is_some_and(|i| i.has(Class::Path))
}

/// "Add a comment saying do not modify this file", "document that A must not be edited": words to be written.
pub(super) fn is_to_be_written(clause: &Clause) -> bool {
    const TELLS: &[&str] = &[
        "document",
        "mention",
        "state",
        "record",
        "describe",
        "explain",
        "print",
        "documenta",
        "menciona",
        "indica",
        "documente",
        "mentionne",
        "indique",
        "dokumentiere",
        "erwahne",
        "vermerke",
        "mencione",
    ];
    const WRITES: &[&str] = &[
        "document",
        "write",
        "mention",
        "state",
        "record",
        "describe",
        "explain",
        "add",
        "put",
        "insert",
        "include",
        "print",
        "log",
        "show",
        "display",
        "update",
        "append",
        "documenta",
        "escribe",
        "menciona",
        "anade",
        "agrega",
        "indica",
        "pon",
        "documente",
        "ecris",
        "mentionne",
        "ajoute",
        "indique",
        "mets",
        "dokumentiere",
        "schreib",
        "schreibe",
        "erwahne",
        "fuge",
        "vermerke",
        "erganze",
        "escreva",
        "mencione",
        "adicione",
        "indique",
        "coloque",
    ];
    const SAYING: &[&str] = &[
        "that",
        "saying",
        "stating",
        "telling",
        "reading",
        "warning",
        "explaining",
        "que",
        "diciendo",
        "diga",
        "disant",
        "indiquant",
        "dass",
        "sagt",
        "dizendo",
        "diga",
        "avisando",
    ];
    // Chinese and Japanese write words down behind them, or before.
    const WIDE: &[&str] = &[
        "写明",
        "注明",
        "记录",
        "说明",
        "写上",
        "写着",
        "と書いて",
        "と記載",
        "とコメント",
        "と明記",
        "と追記",
        "というコメント",
        "とドキュメント",
        "とREADME",
        "旨を",
    ];
    let items = &clause.items;
    let negates = |i: &Item| {
        [
            Class::Neg,
            Class::NegEnd,
            Class::Not,
            Class::HandsOff,
            Class::No,
        ]
        .iter()
        .any(|class| i.has(*class))
    };
    let Some(limit) = items.iter().position(negates) else {
        return false;
    };
    if is_wide(clause) {
        let all: String = items.iter().map(|i| i.text.as_str()).collect();
        return WIDE.iter().any(|word| all.contains(word));
    }
    let first = items.iter().position(|i| !i.set.meets(LEAD));
    let verb = first.and_then(|at| items.get(at));
    let said = first
        .and_then(|first| items.get(first + 1..limit))
        .unwrap_or_default();
    // "Add a feature that doesn't touch A" is one that doesn't.
    let tells = verb.is_some_and(|i| text(i, TELLS));
    let notes = verb.is_some_and(|i| text(i, WRITES)) && said.iter().any(|i| text(i, NOTES));
    let so = said.iter().any(|i| i.text == "so");
    (tells || notes) && !so && said.iter().any(|i| text(i, SAYING) || i.has(Class::Say))
}

/// "Add a note to A:", behind which the words of the note follow.
pub(super) fn announces_words(clause: &Clause) -> bool {
    let first = clause.items.iter().find(|i| !i.set.meets(LEAD));
    let writes = first.is_some_and(|i| i.set.meets(CHANGES)) || is_wide(clause);
    writes && clause.items.iter().any(|i| text(i, NOTES))
}

/// "The job fails without touching A": how things are.
fn reports(clause: &Clause) -> bool {
    let items = &clause.items;
    let Some(without) = items.iter().position(|i| i.has(Class::Without)) else {
        return false;
    };
    // "没有改 A 也失败了".
    let wide = is_wide(clause)
        && items.iter().any(|i| i.has(Class::Bug))
        && items.iter().any(|i| i.text.contains(['也', '还']));
    wide || says_how_it_is(items.get(..without).unwrap_or_default())
}

/// "The build fails, without touching A".
pub(super) fn reported_before(clauses: &[Clause], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let first = clause.items.first();
    let orders = |i: &Item| (i.has(Class::Fix) || i.has(Class::Do)) && !is_change(i);
    let names = |clause: &Clause| clause.items.iter().any(|i| i.has(Class::Path));
    // "Ändere A nie, ohne B anzupassen".
    let goes_with = before.items.iter().any(|i| i.has(Class::Neg))
        && before.items.iter().any(is_change)
        && names(before)
        && names(clause);
    first.is_some_and(|i| i.has(Class::Without))
        && !clause.opens
        && !clause.items.iter().any(orders)
        && (goes_with || says_how_it_is(&before.items))
}

/// "Never change A without updating B": how it is to be changed.
fn says_what_goes_with_it(clause: &Clause) -> bool {
    let items = &clause.items;
    let Some(without) = items.iter().position(|i| i.has(Class::Without)) else {
        return false;
    };
    let before = items.get(..without).unwrap_or_default();
    let behind = items.get(without + 1..).unwrap_or_default();
    let names = |items: &[Item]| items.iter().any(|i| i.has(Class::Path));
    let negates = |i: &Item| i.has(Class::Neg);
    before.iter().any(negates)
        && before.iter().any(is_change)
        && behind.iter().any(|i| is_change(i) || i.has(Class::Add))
        && names(before)
        && names(behind)
}

/// The same of the clause before: "ändere A nie, ohne B anzupassen".
pub(super) fn goes_with_the_next(clauses: &[Clause], at: usize) -> bool {
    let (Some(clause), Some(next)) = (clauses.get(at), clauses.get(at + 1)) else {
        return false;
    };
    let names = |clause: &Clause| clause.items.iter().any(|i| i.has(Class::Path));
    let first = next.items.first();
    first.is_some_and(|i| i.has(Class::Without))
        && !next.opens
        && next.items.iter().any(is_change)
        && names(clause)
        && names(next)
        && clause.items.iter().any(|i| i.has(Class::Neg))
}

/// Returns true if something fails or works, and nobody orders anything.
fn says_how_it_is(before: &[Item]) -> bool {
    let happens = |i: &Item| i.has(Class::Bug) || i.has(Class::Works) || text(i, PASS);
    let orders = CHANGES
        .with(Set::of(Class::Do))
        .with(Set::of(Class::Run))
        .with(Set::of(Class::Use))
        .with(Set::of(Class::CheckV))
        .with(Set::of(Class::Switch))
        .with(Set::of(Class::Publish));
    let wants = [Class::Should, Class::Need, Class::You, Class::Modal];
    let asks = before.iter().any(|i| i.has(Class::Ask));
    let first = before
        .iter()
        .find(|i| !i.set.meets(LEAD) && !text(i, ARTICLES));
    first.is_some_and(|i| {
        !i.set.meets(orders) || i.has(Class::Test) || happens(i) && !i.has(Class::Fix)
    }) && !asks
        && before.iter().any(happens)
        && !before
            .iter()
            .any(|i| wants.iter().any(|class| i.has(*class)))
}

/// "Only update the cache in A when it has expired": when the program is to do it.
fn says_when(clause: &Clause) -> bool {
    let items = &clause.items;
    let wide = is_wide(clause);
    let is_when = |i: &Item| {
        i.has(Class::If)
            || matches!(i.text.as_str(), "after" | "once")
            || wide && i.text.contains('时')
    };
    let when = items.iter().rposition(is_when);
    // "Ne … que lorsque".
    let que = when.and_then(|when| when.checked_sub(1));
    let que = que.filter(|at| items.get(*at).is_some_and(|i| i.text == "que"));
    let only = items.iter().position(|i| i.has(Class::Only)).or(que);
    let (Some(only), Some(when)) = (only, when) else {
        return false;
    };
    let from = if wide { 0 } else { when + 1 };
    let rest = items.get(from..).unwrap_or_default();
    let told = |i: &Item| {
        i.has(Class::I) && i.text.chars().count() < 5
            || i.has(Class::You)
            || i.has(Class::Need)
            || matches!(
                i.text.as_str(),
                "needed" | "necessary" | "required" | "possible"
            )
    };
    let mut places =
        (0..items.len()).filter(|at| items.get(*at).is_some_and(|i| i.has(Class::Path)));
    let located = |at: usize| is_location(clause, at) || wide && says_within(items, at);
    (wide || only < when && !rest.is_empty())
        && !rest.iter().any(told)
        && places.all(located)
        && items.iter().any(|i| i.has(Class::Path))
}

/// "A 里的缓存", "A のキャッシュ".
fn says_within(items: &[Item], at: usize) -> bool {
    items
        .get(at + 1)
        .is_some_and(|i| i.text.starts_with(['里', '中', 'の', '内']) || i.has(Class::Under))
}

/// "Limit the log to ten entries in A": what is to be limited is a thing, and not the work.
fn limits_a_thing(clause: &Clause) -> bool {
    const LIMITS: &[&str] = &[
        "limit",
        "restrict",
        "constrain",
        "limiting",
        "restricting",
        "limita",
        "restringe",
        "limite",
        "restreins",
        "begrenze",
        "beschranke",
        "beschrank",
        "restrinja",
    ];
    const WORK: &[&str] = &[
        "work",
        "diff",
        "patch",
        "scope",
        "it",
        "this",
        "that",
        "yourself",
        "refactor",
        "refactoring",
        "trabajo",
        "alcance",
        "travail",
        "arbeit",
        "dich",
        "trabalho",
        "te",
        "toi",
        "se",
        "pr",
        "commit",
        "focus",
        "everything",
        "all",
    ];
    let items = &clause.items;
    let Some(limit) = items.iter().position(|i| text(i, LIMITS)) else {
        return false;
    };
    let behind = items.get(limit + 1..).unwrap_or_default();
    let Some(to) = behind.iter().position(|i| text(i, TO) || i.text == "auf") else {
        return false;
    };
    let known = [
        Class::EditN,
        Class::Edit,
        Class::Fix,
        Class::AllObj,
        Class::Only,
        Class::Path,
        Class::Dir,
        Class::AreaN,
        Class::Test,
        Class::You,
        Class::Ing,
        Class::I,
    ];
    let head = to.checked_sub(1).and_then(|head| behind.get(head));
    // "Limit the work to A", whatever the work is called; "restrict access to A" is no work.
    let plain = |i: &&Item| text(i, ARTICLES) || i.has(Class::Dir);
    let next = behind.iter().skip(to + 1).find(|i| !plain(i));
    let access = [
        "access",
        "acceso",
        "acces",
        "zugriff",
        "acesso",
        "permission",
        "permissions",
    ];
    if next.is_some_and(|i| i.has(Class::Path)) && !head.is_some_and(|i| text(i, &access)) {
        return false;
    }
    head.is_some_and(|i| {
        !text(i, WORK)
            && !text(i, ARTICLES)
            && !i.text.is_empty()
            && !known.iter().any(|class| i.has(*class))
    })
}
