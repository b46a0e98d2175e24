//! Labels of a message's clauses, and the one that counts.

use aictx_proto::methods::SteerLabel;

use super::anaphora::orders_a_change;
use super::clause::{self, Clause};
use super::delegation;
use super::end_user_permission;
use super::intent_label::Label;
use super::lexicon::Language;
use super::not_x_but_y;
use super::product_requirement;
use super::prohibition_scope;
use super::rules::{Facing, LEAD, RULES};
use super::scope_restriction;
use super::topicalised_object;
use super::word_class::{Class, Set};

/// A label below this weight counts only where there is no other.
const WEAK: u8 = 50;

/// Weight of a clause that is set aside.
const ASIDE: u8 = 97;

/// A clause and what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged {
    pub(super) clause: usize,
    pub(super) label: Label,
    pub(super) weight: u8,
    pub(super) line: u16,
}

pub(super) fn judge(clauses: &[Clause], language: Language) -> Vec<Judged> {
    let mut judged = Vec::new();
    let mut consented = false;
    let mut sets: Vec<Set> = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        if clause.reported || takes_back_a_limit(clauses, at) {
            continue;
        }
        sets.clear();
        sets.extend(clause.items.iter().map(|i| i.set));
        let mut all = clause.all();
        if clause.conditional {
            all = all.with(Set::of(Class::If));
        }
        consented |= all.has(Class::Yes) || all.has(Class::Consent);
        let alone = scope_restriction::changes_alone(clause);
        let facing = Facing {
            sets: &sets,
            all,
            language,
            question: clause.question,
            consented,
            opens: clause.opens,
            runs: super::runtime_behaviour::says_how_it_runs(clause),
            tests: prohibition_scope::are_tests_alone(clause),
            within: scope_restriction::stays_within(clause),
            alone,
            yours: delegation::leaves_it(clause),
        };
        // What the clause before names is set aside, and not the work.
        let aside = match () {
            () if end_user_permission::says_who_may(clause) => Some(Label::NewRequirement),
            () if not_x_but_y::excludes(clauses, at) => Some(Label::ScopeConstraint),
            () if topicalised_object::drops_a_thing(clauses, at) => Some(Label::ScopeChange),
            () if topicalised_object::is_limited_too(clauses, at, &judged) => {
                Some(Label::ScopeConstraint)
            }
            () if topicalised_object::forbids_what_goes_on(clauses, at) => {
                Some(Label::ScopeConstraint)
            }
            () if not_x_but_y::is_another_way(clauses, at) => Some(Label::StrategyChange),
            () if topicalised_object::ignores_a_failure(clauses, at) => {
                Some(Label::ValidationChange)
            }
            () if topicalised_object::ignores_a_failure(clauses, at + 1) => {
                Some(Label::SideComment)
            }
            () => None,
        };
        if let Some(label) = aside {
            judged.push(Judged {
                clause: at,
                label,
                weight: ASIDE,
                line: 0,
            });
            continue;
        }
        let mut best: Option<Judged> = None;
        let product = prohibition_scope::is_about_product(clause)
            || product_requirement::is_said_of_it(clause)
            || product_requirement::reported_before(clauses, at)
            || product_requirement::goes_with_the_next(clauses, at);
        let listed = is_listed(clauses, at);
        let more = prohibition_scope::asks_for_more(clause);
        let needless = !alone && prohibition_scope::says_there_is_no_need(clause)
            || prohibition_scope::describes(clause)
            || is_reason(clauses, at);
        for rule in RULES.iter() {
            if (product || more || needless) && rule.label == Label::ScopeConstraint
                || more && matches!(rule.label, Label::AgentCorrection | Label::StrategyChange)
                || listed && rule.label == Label::Cancellation
            {
                continue;
            }
            if best.is_none_or(|b| rule.weight > b.weight) && rule.fits(&facing) {
                best = Some(Judged {
                    clause: at,
                    label: rule.label,
                    weight: rule.weight,
                    line: rule.line,
                });
            }
        }
        judged.extend(best);
    }
    judged
}

/// "Never mind, forget that restriction": what is taken back is the limit, and not the work.
fn takes_back_a_limit(clauses: &[Clause], at: usize) -> bool {
    let (Some(clause), Some(next)) = (clauses.get(at), clauses.get(at + 1)) else {
        return false;
    };
    let parts = LEAD.with(Set::of(Class::Nvm)).with(Set::of(Class::Tail));
    let lifts = |i: &clause::Item| i.has(Class::LiftX) || i.has(Class::LiftAll);
    clause.all().has(Class::Nvm)
        && clause.items.iter().all(|i| i.set.meets(parts))
        && next.items.iter().any(lifts)
        && next.items.iter().any(|i| i.has(Class::LimitN))
}

/// "Nobody edits A, so remove it": how things are, from which an order follows.
fn is_reason(clauses: &[Clause], at: usize) -> bool {
    let (Some(clause), Some(next)) = (clauses.get(at), clauses.get(at + 1)) else {
        return false;
    };
    let first = |clause: &Clause, test: &dyn Fn(&clause::Item) -> bool| {
        clause.items.first().is_some_and(test)
    };
    let orders_it = next.items.windows(2).any(
        |pair| matches!(pair, [verb, it] if verb.has(Class::Edit) && matches!(it.text.as_str(), "it" | "them")),
    );
    first(clause, &|i| i.has(Class::HandsOff))
        && first(next, &|i| matches!(i.text.as_str(), "so" | "therefore"))
        && !next.all().has(Class::Neg)
        && orders_it
}

/// "Add start, stop, and restart": to stop or to wait is one of several things that are named.
fn is_listed(clauses: &[Clause], at: usize) -> bool {
    let joins = |item: &clause::Item| item.has(Class::And) || item.has(Class::Or);
    let halts = |item: &clause::Item| item.has(Class::Stop) || item.has(Class::Wait);
    let before = at.checked_sub(1).and_then(|at| clauses.get(at));
    let (Some(clause), Some(before)) = (clauses.get(at), before) else {
        return false;
    };
    let mut items = clause.items.iter().skip_while(|item| joins(item));
    if clause.opens || !items.next().is_some_and(halts) {
        return false;
    }
    let follows = before
        .items
        .last()
        .is_some_and(|item| item.has(Class::Pair) || halts(item) && is_listed(clauses, at - 1));
    let next = clauses.get(at + 1).filter(|next| !next.opens);
    let joined = clause.items.first().is_some_and(joins)
        || items.next().is_some_and(joins)
        || next.is_some_and(|next| {
            let first = next.items.first();
            first.is_some_and(|item| joins(item) || item.has(Class::Pair))
        });
    let denied = before.all();
    follows && joined && !denied.has(Class::Neg) && !denied.has(Class::Not)
}

/// Returns the label of the clause at `at`; `judged` is in the order of the clauses.
pub(super) fn of_clause(judged: &[Judged], at: usize) -> Option<&Judged> {
    judged
        .binary_search_by_key(&at, |j| j.clause)
        .ok()
        .and_then(|found| judged.get(found))
}

/// The most binding label. Weak ones count only where there is no other; a bare "no" beside an order
/// to stop or to go on says nothing of its own.
pub(super) fn primary(judged: &[Judged], clauses: &[Clause]) -> (Label, u8) {
    let strong = judged.iter().any(|j| j.weight >= WEAK);
    let bare_no = |j: &Judged| {
        j.label == Label::AgentCorrection
            && clauses.get(j.clause).is_some_and(|c| {
                c.items
                    .iter()
                    .all(|i| i.has(Class::No) || i.has(Class::Polite) || i.has(Class::Fill))
            })
    };
    let others = judged.iter().any(|j| {
        !bare_no(j)
            && matches!(
                j.label,
                Label::Cancellation
                    | Label::ScopeConstraint
                    | Label::Continuation
                    | Label::Approval
                    | Label::Question
                    | Label::SideComment
                    | Label::PriorityChange
                    | Label::ScopeChange
            )
    });
    let binding = |j: &Judged| matches!(j.label, Label::Cancellation | Label::ScopeConstraint);
    let proposed = |j: &Judged| j.label == Label::Unknown;
    if judged.iter().any(proposed) && !judged.iter().any(binding) {
        return (Label::Unknown, 90);
    }
    if redirects(judged, clauses) {
        return (Label::PriorityChange, 90);
    }
    judged
        .iter()
        .filter(|j| !strong || j.weight >= WEAK)
        .filter(|j| !(others && bare_no(j)))
        .filter(|j| !only_contrasts(j, judged, clauses))
        .filter(|j| !is_remarked(j, judged, clauses))
        .min_by_key(|j| (j.label, std::cmp::Reverse(j.weight)))
        .map_or((Label::Unknown, 0), |j| (j.label, j.weight))
}

/// "For your information, the library supports no more than A": what has the words of an order, but no more than those.
fn is_remarked(one: &Judged, judged: &[Judged], clauses: &[Clause]) -> bool {
    const PLAIN: u8 = 66;
    const REMARK: u8 = 78;
    let before = one.clause.checked_sub(1);
    let before = before.and_then(|before| of_clause(judged, before));
    let goes_on = clauses.get(one.clause).is_some_and(|c| !c.opens);
    let remark = |j: &Judged| j.label == Label::SideComment && j.weight >= REMARK;
    one.weight < PLAIN && goes_on && before.is_some_and(remark)
}

/// "Use A, not B": the second clause says again what the first has said.
fn only_contrasts(one: &Judged, judged: &[Judged], clauses: &[Clause]) -> bool {
    let before = one.clause.checked_sub(1);
    let before = before.and_then(|before| of_clause(judged, before));
    // "I said rename, not delete": no limit, as nothing is named.
    let misunderstood = |j: &Judged| {
        let clause = clauses.get(j.clause);
        clause.is_some_and(|c| c.all().has(Class::Misund))
    };
    let corrected = before.is_some_and(|j| j.label == Label::AgentCorrection && misunderstood(j));
    let names = |c: &Clause| {
        c.items
            .iter()
            .any(|i| i.has(Class::Path) || i.has(Class::Nothing))
    };
    let short = |c: &Clause| !c.opens && c.items.len() <= 2 && !names(c);
    if one.label == Label::ScopeConstraint && corrected {
        return clauses.get(one.clause).is_some_and(short);
    }
    // "A のことね、B じゃなくて": Japanese sets its "not" last.
    let orders = [
        Class::Use,
        Class::Edit,
        Class::Add,
        Class::Fix,
        Class::Make,
        Class::Switch,
        Class::Do,
    ];
    let trails = |c: &Clause| {
        let not = c.items.last().is_some_and(|i| i.has(Class::Not));
        not && !c.opens && !orders.iter().any(|class| c.all().has(*class))
    };
    let clarified = before.is_some_and(|j| j.label == Label::Clarification);
    if one.label == Label::StrategyChange && clarified {
        return clauses.get(one.clause).is_some_and(trails);
    }
    let contrasts = one.label == Label::AgentCorrection
        && clauses.get(one.clause).is_some_and(|c| {
            !c.opens
                && c.items
                    .first()
                    .is_some_and(|i| i.has(Class::Not) || i.has(Class::No))
        });
    contrasts
        && before.is_some_and(|j| {
            matches!(
                j.label,
                Label::StrategyChange
                    | Label::Clarification
                    | Label::ValidationChange
                    | Label::ScopeChange
            )
        })
}

/// "Stop A and do B instead": the work goes on elsewhere.
fn redirects(judged: &[Judged], clauses: &[Clause]) -> bool {
    judged.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let stops = clauses.get(first.clause).is_some_and(|c| {
            let all = c.all();
            [Class::Stop, Class::StopX, Class::Leave, Class::Wait]
                .iter()
                .any(|class| all.has(*class))
                && !all.has(Class::Neg)
                && !all.has(Class::Alone)
        });
        let turns = clauses.get(second.clause).is_some_and(|c| {
            let all = c.all();
            // "Stop, I look at it later" puts nothing first; nor does what somebody has to do before.
            let puts_off = all.has(Class::Later) && !all.has(Class::First) && !orders_a_change(c);
            let theirs = c.items.first().is_some_and(|i| i.has(Class::Should));
            // "Wait, before that …"
            let before = second.label == Label::PriorityChange
                && !c.opens
                && !puts_off
                && !all.has(Class::Path);
            (all.has(Class::Instead) || all.has(Class::First) || all.has(Class::TaskX) || before)
                && !all.has(Class::I)
                && !all.has(Class::Need)
                && !theirs
        });
        stops
            && turns
            && matches!(
                first.label,
                Label::Cancellation
                    | Label::ScopeConstraint
                    | Label::StrategyChange
                    | Label::Task
                    | Label::ScopeChange
            )
            && !matches!(second.label, Label::ScopeConstraint | Label::Cancellation)
            && !clauses
                .get(first.clause)
                .is_some_and(|c| c.items.iter().any(|i| i.has(Class::Path)))
    })
}

/// Returns true if all that stops the work is a "never mind". Where the model alone hears a stop, nobody has said
/// that.
pub(super) fn all_never_mind(judged: &[Judged], clauses: &[Clause]) -> bool {
    let stops = |j: &&Judged| j.label == Label::Cancellation;
    let takes_back = |j: &Judged| {
        clauses
            .get(j.clause)
            .is_some_and(|c| c.all().has(Class::Nvm))
    };
    judged.iter().any(|j| stops(&j)) && judged.iter().filter(stops).all(takes_back)
}

pub(super) fn label_of(judged: &Judged, clauses: &[Clause]) -> Option<SteerLabel> {
    let items = &clauses.get(judged.clause)?.items;
    let span = (items.first()?.span.0, items.last()?.span.1);
    Some(SteerLabel {
        classification: judged.label.name().to_owned(),
        span: (u32::try_from(span.0).ok()?, u32::try_from(span.1).ok()?),
        confidence: confidence(judged.weight),
    })
}

/// 0.3 for nothing, 0.5 to 0.97 for rules.
pub(super) fn confidence(weight: u8) -> f64 {
    match weight {
        0 => 0.3,
        w => (f64::from(w.min(97))).max(50.0) / 100.0,
    }
}
