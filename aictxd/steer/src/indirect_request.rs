//! Limits in the form of a wish: "make sure A isn't changed", "I don't want to see A in the diff".

use super::clause::{Clause, Item};
use super::edit_object::{is_wide, text};
use super::edit_object_lexicon::ARTICLES;
use super::language_idioms::CHANGED;
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words for what comes of the work.
const DIFF: &[&str] = &["diff", "diffs", "changeset", "pr", "差分"];

/// Verbs with which somebody wants to see it there, or not.
const SEES: &[&str] = &[
    "see",
    "show",
    "appear",
    "aparezca",
    "aparecer",
    "apparaitre",
    "apparaisse",
    "auftauchen",
    "erscheinen",
    "apareca",
    "want",
    "find",
    "ver",
    "encontrar",
    "quiero",
    "voir",
    "trouver",
    "veux",
    "sehen",
    "will",
    "mochte",
    "finden",
    "quero",
    "看到",
    "看见",
    "出现",
    "出現",
];

/// Gives the last word of such a wish the meaning of a prohibition.
pub(super) fn apply(clause: &mut Clause) {
    if clause.question || !clause.items.iter().any(|i| i.has(Class::Path)) {
        return;
    }
    if let Some(changed) = unchanged(clause) {
        if let Some(item) = clause.items.get_mut(changed) {
            item.set = Set::of(Class::HandsOff);
        }
        // "Doesn't" would say how things are.
        clause
            .items
            .retain(|i| !i.has(Class::Not) || i.has(Class::Neg));
    } else if let Some(diff) = unseen(clause) {
        for item in clause.items.iter_mut().filter(|i| text(i, SEES)) {
            item.set = Set::of(Class::Polite);
        }
        if let Some(item) = clause.items.get_mut(diff) {
            item.set = Set::of(Class::HandsOff);
        }
    }
}

fn negates(item: &Item) -> bool {
    item.has(Class::Neg) || item.has(Class::Not) || item.has(Class::No) && item.text != "no"
}

/// "Make sure A isn't changed": where "changed" stands. "The order in A" is another thing than A.
fn unchanged(clause: &Clause) -> Option<usize> {
    // Beside the English verbs.
    const CHANGED_TOO: &[&str] = &[
        "change",
        "changes",
        "modifie",
        "touche",
        "change",
        "geandert",
        "verandert",
        "angefasst",
        "angetastet",
        "modificado",
        "alterado",
        "mude",
        "mudado",
        "modificada",
        "修改",
        "改动",
        "更改",
        "改",
        "动",
        "変更",
        "編集",
    ];
    const PASSIVE: &[&str] = &["wird", "werden", "wurde"];
    let items = &clause.items;
    let wide = is_wide(clause);
    let first = items.iter().position(|i| {
        i.has(Class::Need) && (i.text.is_empty() || i.text == "ensure")
            || i.has(Class::CheckV)
            || i.text.is_empty() && i.has(Class::Polite)
            || wide && i.text == "确保"
    })?;
    let leads = items.iter().take(first).all(|i| i.set.meets(LEAD));
    let path = items.iter().position(|i| i.has(Class::Path))?;
    let between = items.get(first + 1..path)?;
    let plain = |i: &Item| {
        text(i, ARTICLES)
            || i.has(Class::Dir)
            || matches!(i.text.as_str(), "que" | "dass" | "de" | "file")
    };
    let changed = items
        .iter()
        .rposition(|i| {
            text(i, CHANGED) || text(i, CHANGED_TOO) || i.text.is_empty() && i.has(Class::Edit)
        })
        .filter(|at| *at > path)?;
    let said = items.get(path + 1..changed)?;
    let only = said.iter().all(|i| {
        negates(i)
            || i.has(Class::No)
            || i.has(Class::Func)
            || i.has(Class::Path)
            || i.has(Class::And)
            || i.has(Class::Or)
            || matches!(
                i.text.as_str(),
                "be" | "get" | "gets" | "soit" | "被" | "pas" | "se" | "seja"
            )
    });
    let negated = said
        .iter()
        .any(|i| negates(i) || i.text == "不" || i.text == "no");
    // "Is not modified at runtime by plugins" is said of a program.
    let rest = items.get(changed + 1..)?;
    let ends = |i: &Item| i.set.meets(LEAD.with(Set::of(Class::Tail))) || text(i, PASSIVE);
    let rest = rest
        .iter()
        .take_while(|i| !super::subordinate_clause::begins(i));
    let plainly = wide || rest.into_iter().all(ends);
    (leads && plainly && between.iter().all(plain) && only && negated).then_some(changed)
}

/// "I don't want to see A in the diff": where "diff" stands.
fn unseen(clause: &Clause) -> Option<usize> {
    let items = &clause.items;
    let diff = items.iter().position(|i| text(i, DIFF))?;
    let sees = |i: &Item| text(i, SEES);
    let negated = items
        .iter()
        .any(|i| negates(i) || i.text == "no" || i.has(Class::NegEnd));
    let wide = is_wide(clause);
    let seen = items
        .iter()
        .any(|i| sees(i) || i.text.is_empty() && i.has(Class::Edit))
        || wide
            && items.iter().any(|i| {
                ["看到", "出现", "出て", "見え", "見た"]
                    .iter()
                    .any(|w| i.text.contains(w))
            });
    // "Keep A out of the diff".
    let keeps = |i: &Item| i.has(Class::Keep) || i.has(Class::Leave) || i.text == "halte";
    let away = |i: &Item| {
        matches!(
            i.text.as_str(),
            "out" | "fuera" | "dehors" | "fora" | "raus" | "heraus"
        ) || i.text.is_empty() && (i.has(Class::Except) || i.has(Class::ScopeX))
    };
    if items.iter().any(keeps) && items.iter().any(away) {
        return Some(diff);
    }
    let also = items
        .iter()
        .any(|i| i.has(Class::Except) || i.has(Class::Only));
    (negated && seen && !also).then_some(diff)
}
