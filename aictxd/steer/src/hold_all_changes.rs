//! "Change nothing yet": what says so of all files at once, and which later word ends it.

use aictx_proto::methods::SteerUpdates;

use super::anaphora::{UNTIL, is_everything, orders_a_change, requests};
use super::approval_gate::{is_wait, waits, waits_first};
use super::clause::{Clause, Item};
use super::clause_label::Judged;
use super::intent_label::Label;
use super::path_role;
use super::runtime_behaviour::says_how_it_runs;
use super::word_class::{Class, Set};

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

/// "Yet".
const YET: &[&str] = &[
    "yet", "todavía", "todavia", "aún", "aun", "encore", "noch", "ainda", "まだ", "先", "还",
];

/// Nouns for written things other than code.
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
fn is_paper(clause: &Clause) -> bool {
    let is_paper = |i: &Item| PAPERS.contains(&i.text.as_str());
    let writes = |i: &Item| i.has(Class::Make) || i.has(Class::Add) || i.has(Class::Do);
    let changes = |i: &Item| (i.has(Class::Edit) || i.has(Class::Fix)) && !writes(i);
    let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
    has(&is_paper) && !has(&changes) && !has(&|i| i.has(Class::Path))
}

/// Returns true if a message says that nothing may be changed yet, in words that name no file.
pub(super) fn holds(clauses: &[Clause]) -> bool {
    let said = |clause: &Clause| waits(clause) || is_look_only(clause) || forbids_code(clause);
    let plain = clauses.iter().filter(|clause| !clause.reported);
    plain.into_iter().any(said) || clauses.windows(2).any(waits_first)
}

/// Returns true if what a message says of everything is to last: "yet", "until", "wait". "Don't change anything, just
/// explain" is said of one request.
pub(super) fn is_until_told(clauses: &[Clause]) -> bool {
    let plain = clauses.iter().filter(|clause| !clause.reported);
    let mut items = plain.flat_map(|clause| &clause.items);
    items.any(|i| {
        let text = i.text.as_str();
        // Phrases like "hasta que" have no text.
        let phrase = text.is_empty() && i.has(Class::AllObj);
        YET.contains(&text) || UNTIL.contains(&text) || is_wait(i) || i.has(Class::Before) || phrase
    })
}

/// Words with which a certain thing begins that is to be made: "the cache", "it".
const OBJECT: &[&str] = &[
    "the", "a", "it", "this", "that", "them", "these", "those", "der", "die", "das", "den", "dem",
    "ein", "eine", "es", "el", "la", "los", "las", "un", "una", "lo", "le", "les", "une", "o",
    "os", "as", "um", "uma", "这个", "那个", "它", "これ", "それ", "この", "その",
];

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
    let until = |i: &Item| UNTIL.contains(&i.text.as_str());
    let end = clause.items.iter().position(until);
    let items = match end {
        // "私がOKと言うまで書かないで": what ends it stands before it.
        Some(end) if is_verb_last(clause) => clause.items.get(end + 1..),
        Some(end) => clause.items.get(..end),
        None => Some(&clause.items[..]),
    };
    let items = items.unwrap_or_default();
    // "Don't implement it yet" speaks of the whole work without a word for it.
    let for_now = (end.is_some() || clause.items.iter().any(is_yet))
        && !items.iter().any(|i| OBJECT.contains(&i.text.as_str()));
    let is_code = |i: &Item| CODE.contains(&i.text.as_str());
    let parts = super::rules::LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Neg))
        .with(Set::of(Class::NegEnd))
        .with(Set::of(Class::Not))
        .with(Set::of(Class::Nothing))
        .with(Set::of(Class::You))
        .with(Set::of(Class::Func))
        .with(Set::of(Class::Later));
    let makes = |i: &Item| i.has(Class::Add) || i.has(Class::Make) || is_verb(i);
    let negates = |i: &Item| i.has(Class::Neg) || i.has(Class::NegEnd) || i.has(Class::No);
    items.iter().any(negates)
        && (for_now || items.iter().any(is_code))
        && items
            .iter()
            .any(|i| makes(i) || for_now && i.has(Class::Neg) && i.text.is_empty())
        && !clause.question
        && !clause.conditional
        && items
            .iter()
            .all(|i| is_code(i) || makes(i) || i.set.meets(parts) || is_yet(i))
}

/// Returns true if a clause is of a language that sets the verb last and "until" before it.
fn is_verb_last(clause: &Clause) -> bool {
    let kana = |c: char| ('\u{3040}'..='\u{30ff}').contains(&c);
    clause.items.iter().any(|i| i.text.chars().any(kana))
}

fn is_yet(item: &Item) -> bool {
    YET.contains(&item.text.as_str())
}

fn is_verb(item: &Item) -> bool {
    const VERBS: &[&str] = &[
        "write",
        "writing",
        "coding",
        "start",
        "starting",
        "begin",
        "implement",
        "implementing",
        "implementes",
        "implementa",
        "implémente",
        "implemente",
        "implementieren",
        "implementiere",
        "empieces",
        "comiences",
        "commence",
        "comece",
        "fang",
        "anfangen",
        "beginne",
        "开始",
        "动手",
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
fn is_look_only(clause: &Clause) -> bool {
    let parts = super::rules::LEAD
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Func))
        .with(Set::of(Class::Keep))
        .with(Set::of(Class::Under));
    let says = |i: &Item| i.has(Class::LookOnly);
    clause.items.iter().any(says)
        && !clause.question
        && !clause.conditional
        && clause.items.iter().all(|i| says(i) || i.set.meets(parts))
}

/// Returns true if a message ends "change nothing yet": consent, or an order that changes something. To look
/// further, to correct what was said, or to ask is neither.
pub(super) fn lets_go(
    label: Label,
    judged: &[Judged],
    clauses: &[Clause],
    updates: &SteerUpdates,
) -> bool {
    let orders = |one: &Judged| {
        let ordered = matches!(
            one.label,
            Label::Task | Label::NewRequirement | Label::PriorityChange
        );
        let clause = clauses.get(one.clause);
        ordered
            && clause.is_some_and(|clause| {
                let first = clause
                    .items
                    .iter()
                    .find(|i| !i.set.meets(super::rules::LEAD));
                // "Wait with the changes" orders none.
                let waits = first.is_some_and(is_wait);
                !clause.question && !waits && changes(clause) && !says_how_it_runs(clause)
            })
    };
    let any = |test: &dyn Fn(&Judged) -> bool| judged.iter().any(test);
    let asks = any(&|one| one.label == Label::Question);
    let praises = any(&|one| matches!(one.label, Label::Continuation | Label::Approval));
    let chooses = any(&|one| one.label == Label::StrategyChange);
    // "Good. Now fix it", "good plan, execute it", "great, use the second one", "thanks. Can you fix it?"
    let ordered = any(&orders) && (praises || clauses.iter().any(orders_a_change))
        || praises && chooses
        || !asks && clauses.iter().any(requests);
    // "Not yet, but keep reading" goes on, too.
    let holds = asks || any(&|one| one.label == Label::AgentCorrection);
    let agreed = !holds && clauses.iter().any(consents);
    match label {
        Label::Cancellation | Label::Unknown | Label::Question | Label::SideComment => false,
        // What one file may be, the others may not be yet; "apply it" speaks of what was proposed.
        Label::ScopeChange => {
            let applies = |clause: &Clause| clause.all().has(Class::Extend) && !clause.question;
            let permitted = clauses.iter().any(|c| path_role::permits(c) || applies(c));
            updates.lifted_paths.is_empty() && (permitted || ordered || agreed)
        }
        Label::Task | Label::NewRequirement | Label::PriorityChange => {
            // What the model calls so has no rule to be asked.
            let guessed = judged.iter().all(|one| one.label != label);
            let first = label == Label::PriorityChange;
            guessed && (!first || clauses.iter().any(orders_a_change))
                || judged.iter().any(orders)
                || ordered
        }
        Label::ScopeConstraint => !updates.only_paths.is_empty(),
        _ => ordered || agreed,
    }
}

/// "Go ahead", "yes", "I confirm", "looks good": praise of what was found is less.
fn consents(clause: &Clause) -> bool {
    const NOT_YET: [Class; 5] = [
        Class::Neg,
        Class::NegEnd,
        Class::Not,
        Class::No,
        Class::QAsk,
    ];
    let approves = |i: &Item| {
        let plainly =
            i.text.is_empty() || matches!(i.text.as_str(), "lgtm" | "perfect" | "perfecto");
        i.has(Class::Cont)
            || i.has(Class::Yes)
            || i.has(Class::Consent)
            || i.has(Class::Good) && plainly
    };
    let all = clause.all();
    !clause.question
        && !super::delegation::leaves_it(clause)
        && clause.items.iter().any(approves)
        && !NOT_YET.iter().any(|class| all.has(*class))
}

/// Returns true if an order is to change something: not to look only, nor to write a plan.
pub(super) fn changes(clause: &Clause) -> bool {
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
