//! "Change nothing yet": what says so of all files at once, and which later word ends it.

use super::class::{Class, Set};
use super::clause::{Clause, Item};
use super::label::Label;
use super::spoken::{is_everything, orders_a_change};
use super::{Judged, roles};

/// Verbs of work that changes nothing.
const LOOKS: &[&str] = &[
    "analyse",
    "analyze",
    "debug",
    "diagnose",
    "examine",
    "explore",
    "find",
    "inspect",
    "investigate",
    "profile",
    "read",
    "reproduce",
    "research",
    "review",
    "study",
    "analiza",
    "busca",
    "diagnostica",
    "encuentra",
    "examina",
    "investiga",
    "lee",
    "revisa",
    "analyser",
    "cherche",
    "diagnostique",
    "lis",
    "relis",
    "trouve",
    "analysiere",
    "finde",
    "lies",
    "prüfe",
    "prufe",
    "suche",
    "untersuche",
    "analise",
    "encontre",
    "investigue",
    "leia",
    "procure",
    "revise",
    "分析",
    "查看",
    "检查",
    "研究",
    "调查",
    "查找",
    "看",
    "分析して",
    "調べて",
    "調査",
    "調査して",
    "確認",
    "確認して",
    "レビュー",
];

/// What is written and is no code.
const PAPERS: &[&str] = &[
    "plan",
    "plans",
    "proposal",
    "proposals",
    "list",
    "summary",
    "overview",
    "outline",
    "analysis",
    "suggestion",
    "suggestions",
    "estimate",
    "propuesta",
    "lista",
    "resumen",
    "análisis",
    "analisis",
    "proposition",
    "liste",
    "résumé",
    "resume",
    "analyse",
    "vorschlag",
    "zusammenfassung",
    "plano",
    "proposta",
    "resumo",
    "análise",
    "计划",
    "方案",
    "建议",
    "总结",
    "列表",
    "計画",
    "案",
    "提案",
    "プラン",
    "一覧",
    "要約",
];

/// "Make a plan", "write a proposal": an order that changes no file.
pub(super) fn is_paper(clause: &Clause) -> bool {
    let is_paper = |i: &Item| PAPERS.contains(&i.text.as_str());
    let writes = |i: &Item| i.has(Class::Make) || i.has(Class::Add) || i.has(Class::Do);
    let changes = |i: &Item| (i.has(Class::Edit) || i.has(Class::Fix)) && !writes(i);
    let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
    has(&is_paper) && !has(&changes) && !has(&|i| i.has(Class::Path))
}

/// "Wait for my approval before changing anything": until then nothing may be changed. What is to be waited
/// with has no name of its own.
pub(super) fn waits(clause: &Clause) -> bool {
    let at = |class| clause.items.iter().position(|i| i.has(class));
    let waits = at(Class::Wait).or(at(Class::StopX)).or(at(Class::Stop));
    let (Some(waits), Some(before)) = (waits, at(Class::Before)) else {
        return false;
    };
    let behind = clause.items.get(before + 1..).unwrap_or_default();
    let changes = |i: &Item| {
        [
            Class::Edit,
            Class::EditNo,
            Class::Add,
            Class::Make,
            Class::Do,
        ]
        .iter()
        .any(|class| i.has(*class))
    };
    let names = |i: &Item| i.has(Class::Path) || i.has(Class::Dir);
    // "Until I have looked at it" comes before what it is about, too.
    let denied = clause.items.iter().any(|i| i.has(Class::Neg));
    waits < before
        && !denied
        && !clause.question
        && behind.iter().any(changes)
        && !behind.iter().any(names)
}

/// "Don't write any code": words for code behind a verb that makes it.
pub(super) fn forbids_code(clause: &Clause) -> bool {
    const CODE: &[&str] = &[
        "code",
        "código",
        "codigo",
        "coden",
        "programmieren",
        "programmcode",
        "coding",
        "代码",
        "コード",
    ];
    let items = &clause.items;
    let is_code = |i: &Item| CODE.contains(&i.text.as_str());
    let parts = super::rules::LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::NegEnd))
        .with(Set::of(Class::Not))
        .with(Set::of(Class::Nothing))
        .with(Set::of(Class::You))
        .with(Set::of(Class::Func));
    let makes = |i: &Item| i.has(Class::Add) || i.has(Class::Make) || is_verb(i);
    items
        .iter()
        .any(|i| i.has(Class::Neg) || i.has(Class::NegEnd))
        && items.iter().any(is_code)
        && items.iter().any(makes)
        && !clause.question
        && !clause.conditional
        && items
            .iter()
            .all(|i| is_code(i) || makes(i) || i.set.meets(parts))
}

fn is_verb(item: &Item) -> bool {
    const VERBS: &[&str] = &[
        "write",
        "writing",
        "produce",
        "generate",
        "escribas",
        "escriba",
        "écris",
        "ecris",
        "écrivez",
        "schreib",
        "schreibe",
        "escreva",
        "escrevas",
        "写",
        "書か",
        "書かないで",
        "书写",
    ];
    VERBS.contains(&item.text.as_str())
}

/// "Read-only, please", "look but don't touch": said of nothing in particular, of everything.
pub(super) fn is_look_only(clause: &Clause) -> bool {
    let parts = super::rules::LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Func));
    let says = |i: &Item| i.has(Class::LookOnly);
    clause.items.iter().any(says)
        && !clause.question
        && !clause.conditional
        && clause.items.iter().all(|i| says(i) || i.set.meets(parts))
}

/// Whether a message ends "change nothing yet": consent, or an order that changes something. To look further, to
/// correct what was said, or to ask is neither.
pub(super) fn lets_go(label: Label, judged: &[Judged], clauses: &[Clause], only: bool) -> bool {
    let orders = |one: &Judged| {
        let ordered = matches!(
            one.label,
            Label::Task | Label::NewRequirement | Label::PriorityChange
        );
        let clause = clauses.get(one.clause);
        ordered && clause.is_some_and(|clause| !clause.question && changes(clause))
    };
    match label {
        Label::Continuation | Label::Approval => true,
        Label::ScopeChange => clauses.iter().any(roles::permits),
        Label::Task | Label::NewRequirement | Label::PriorityChange => {
            // What the model calls so has no rule to be asked.
            judged.iter().all(|one| one.label != label) || judged.iter().any(orders)
        }
        Label::ScopeConstraint => only,
        Label::Cancellation | Label::Unknown | Label::Question | Label::SideComment => false,
        _ => judged.iter().any(orders) && clauses.iter().any(orders_a_change),
    }
}

/// Whether an order is to change something: not to look only, nor to write a plan.
fn changes(clause: &Clause) -> bool {
    let works = |i: &Item| {
        [
            Class::Edit,
            Class::Fix,
            Class::Add,
            Class::Make,
            Class::Do,
            Class::Run,
        ]
        .iter()
        .any(|class| i.has(*class))
    };
    let mut verbs = clause.items.iter().filter(|i| works(i)).peekable();
    let looks = verbs.peek().is_some() && verbs.all(|i| LOOKS.contains(&i.text.as_str()));
    !looks && !is_paper(clause) && !is_everything(clause)
}
