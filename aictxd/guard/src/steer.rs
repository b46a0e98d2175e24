//! What a person's message means for work under way (spec/guard.md §5).
//!
//! Pure. A message is read ([`read`]): quotations, code and logs are put aside, for nobody's text but
//! the person's own can steer. Its words get meanings from language packs ([`pack`]), clauses get
//! labels from rules ([`rules`]), the most binding label is the answer, and each path takes the role
//! of its own clause ([`roles`]). A model that learnt from labelled messages ([`learned`]) guesses where
//! rules are silent or unsure. What fits neither is `unknown`, and the agent asks.

mod class;
mod clause;
mod label;
mod learned;
mod names;
mod pack;
mod paths;
mod read;
mod roles;
mod rules;
mod spoken;
mod state;

use std::borrow::Cow;

use aictx_proto::methods::{
    DiscardedHypothesis, SteerLabel, SteerParams, SteerReply, SteerUpdates,
};
use aictx_proto::text::clean;
use aictx_proto::{PathPattern, RepoPath};

use class::{Class, Set};
use clause::{Clause, clauses};
use label::Label;
use learned::Ruling;
use pack::Language;
use rules::{Facing, RULES};

pub use names::Names;
pub use roles::EVERYTHING;
pub use state::{SteerState, SteerVerdict};

/// Most of a message that is read, in bytes. Of a longer one its beginning and its last quarter of
/// this are: that is where people put what they want.
pub const MAX_MESSAGE: usize = 16 * 1024;
/// Longest note, in characters.
const MAX_NOTE: usize = 1_000;
/// Most labels and reasons in a reply.
const MAX_LABELS: usize = 16;
/// A label below this weight counts only where there is no other.
const WEAK: u8 = 50;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SteerError {
    /// Nothing but white space.
    #[error("the message is empty; give --message or --message-stdin some text")]
    EmptyMessage,
}

/// [`steer_in`] without knowledge of the repository's names.
///
/// # Errors
/// [`SteerError::EmptyMessage`].
pub fn steer(params: &SteerParams) -> Result<SteerReply, SteerError> {
    steer_in(params, &|_| false)
}

/// Reads the language packs and the rules now rather than at the first message (some
/// milliseconds).
pub fn warm_steer() {
    std::sync::LazyLock::force(&pack::PACKS);
    std::sync::LazyLock::force(&RULES);
}

/// Classifies a message. `exists` says whether a bare word names a file or directory of the
/// repository; it is asked only for words of clauses that limit or widen the scope.
/// Time is linear in the message, of which [`MAX_MESSAGE`] bytes are read.
///
/// # Errors
/// [`SteerError::EmptyMessage`].
pub fn steer_in(
    params: &SteerParams,
    exists: &dyn Fn(&str) -> bool,
) -> Result<SteerReply, SteerError> {
    if params.message.trim().is_empty() {
        return Err(SteerError::EmptyMessage);
    }
    let message = bounded(&params.message);
    let reading = read::read(&message);
    let quoted = reading.quoted;
    let (language, clauses) = clauses(reading.tokens);
    let language_code = language.map_or("und", Language::code);
    let judged = language.map_or_else(Vec::new, |l| judge(&clauses, l));

    let mut updates = SteerUpdates::default();
    let mut taken_back = false;
    let mut forbidden = 0..0;
    for one in &judged {
        let Some(clause) = clauses.get(one.clause) else {
            continue;
        };
        taken_back |= clause.all().has(Class::Nvm);
        if spoken::permits_it(clause, one.label, taken_back) {
            // "Don't touch A. On second thought, you may edit it."
            let mut lifted: Vec<String> = updates.forbidden_paths.drain(forbidden).collect();
            if lifted.is_empty() {
                // "What I said of A? Forget it."
                lifted = spoken::paths(&clauses, one.clause, &judged, false);
            }
            // Or what an earlier message said.
            updates.lift_latest |= lifted.is_empty();
            roles::extend(&mut updates.lifted_paths, lifted);
            forbidden = 0..0;
            continue;
        }
        let before = updates.forbidden_paths.len();
        let lifted = updates.lifted_paths.len();
        roles::assign(clause, one.label, &message, exists, &mut updates);
        if one.label == Label::ScopeChange {
            // "Don't touch A. Wait, you may touch A": the later word counts.
            let lifted = updates.lifted_paths.get(lifted..).unwrap_or_default();
            updates
                .forbidden_paths
                .retain(|path| !lifted.contains(path));
        }
        let orders = matches!(
            one.label,
            Label::Task | Label::NewRequirement | Label::PriorityChange | Label::ScopeChange
        );
        if orders && !clause.question {
            roles::extend(&mut updates.ordered_paths, spoken::ordered(clause));
        }
        if spoken::forbids_it(clause, one.label) {
            // "A is being worked on, so leave it alone."
            let spoken = spoken::paths(&clauses, one.clause, &judged, true);
            if !spoken.is_empty() {
                updates.constraint_note = None;
                updates.required_paths.retain(|path| !spoken.contains(path));
            }
            roles::extend(&mut updates.forbidden_paths, spoken);
        }
        if updates.forbidden_paths.len() > before {
            forbidden = before..updates.forbidden_paths.len();
            taken_back = false;
        }
    }
    if clauses.iter().any(spoken::orders_a_change) || !updates.only_paths.is_empty() {
        // "Add an entry to the changelog. No changes, otherwise": everything is too much.
        updates.forbidden_paths.retain(|path| path != EVERYTHING);
    }
    let mut reasons: Vec<String> = judged
        .iter()
        .take(MAX_LABELS)
        .map(|j| format!("rule:{}", j.line))
        .collect();
    let mut labels: Vec<SteerLabel> = judged
        .iter()
        .filter_map(|j| label_of(j, &clauses))
        .take(MAX_LABELS)
        .collect();
    let mut flags = Vec::new();

    let (mut label, weight) = primary(&judged, &clauses);
    let mut sure = confidence(weight);
    let limits = !updates.forbidden_paths.is_empty()
        || !updates.only_paths.is_empty()
        || !updates.lifted_paths.is_empty()
        || updates.lift_latest;
    if !limits
        && let Some(guess) = learned::outvotes(
            &without(&message, &quoted),
            Ruling {
                label,
                weight,
                understood: language.is_some(),
                names_paths: clauses.iter().any(|c| c.all().has(Class::Path)),
            },
        )
    {
        label = guess.label;
        sure = (f64::from(guess.probability) * 100.0).round() / 100.0;
        reasons.push(format!("model:{sure:.2}"));
        if label == Label::ScopeConstraint && updates.constraint_note.is_none() {
            updates.constraint_note = Some(clean(&message, MAX_NOTE));
        }
    }
    if label == Label::AgentCorrection {
        for (at, clause) in clauses.iter().enumerate() {
            let taken = of_clause(&judged, at).is_some_and(|j| j.label != Label::StrategyChange);
            if !taken && !clause.reported {
                roles::require(clause, exists, &mut updates);
            }
        }
    }
    if clauses
        .iter()
        .any(|c| !c.question && c.all().has(Class::NoElse))
    {
        // "Edit A and nothing else": what is named is all that may be edited.
        let mut named = std::mem::take(&mut updates.lifted_paths);
        named.append(&mut updates.required_paths);
        roles::extend(&mut updates.only_paths, named);
    }
    let mut decision = label.consequence().decision;
    if label == Label::Cancellation && all_never_mind(&judged, &clauses) {
        // What is taken back, the work or the last request? One question is worth it.
        decision = "ask_user";
    }
    if !quoted.is_empty() && matches!(label, Label::Unknown | Label::SideComment) {
        label = Label::SideComment;
        decision = "continue";
        if quoted.iter().any(|text| instructs(text)) {
            decision = "ask_user";
            labels.push(SteerLabel {
                classification: "quoted_instruction".to_owned(),
                span: (0, 0),
                confidence: 0.9,
            });
        }
        flags.push("quoted_text_ignored".to_owned());
    }
    if params.first_prompt {
        label = Label::Task;
        decision = "continue";
        reasons.insert(0, "first_prompt".to_owned());
    }
    if language.is_none() {
        reasons.push("language_not_understood".to_owned());
    }
    if message.len() < params.message.len() {
        flags.push("message_truncated".to_owned());
    }
    finish(params, &message, label, &mut updates, &mut flags);
    let consequence = label.consequence();
    Ok(SteerReply {
        status: if matches!(decision, "continue" | "ignore_as_side_comment") {
            "ok"
        } else {
            "warning"
        }
        .to_owned(),
        classification: consequence.name.to_owned(),
        decision: decision.to_owned(),
        impact: if decision == "ask_user" {
            "clarification_required"
        } else {
            consequence.impact
        }
        .to_owned(),
        summary: consequence.summary.to_owned(),
        agent_instruction: if decision == "ask_user" {
            Label::Unknown.consequence().instruction
        } else {
            consequence.instruction
        }
        .to_owned(),
        suggested_updates: updates,
        addressed_to_agent: judged.iter().any(|j| j.label != Label::SideComment),
        labels,
        language: language_code.to_owned(),
        confidence: sure,
        reasons,
        flags,
        applied_to: String::new(),
    })
}

/// The start and the end of a message that is too long.
fn bounded(message: &str) -> Cow<'_, str> {
    if message.len() <= MAX_MESSAGE {
        return Cow::Borrowed(message);
    }
    let head = (0..=MAX_MESSAGE / 4 * 3)
        .rev()
        .find_map(|at| message.get(..at))
        .unwrap_or_default();
    let from = message.len() - MAX_MESSAGE / 4 + 1;
    let tail = (from..message.len())
        .find_map(|at| message.get(at..))
        .unwrap_or_default();
    Cow::Owned(format!("{head}\n{tail}"))
}

/// `message` without what it quotes, which is in the order of the message.
fn without<'m>(message: &'m str, quoted: &[&str]) -> Cow<'m, str> {
    if quoted.is_empty() {
        return Cow::Borrowed(message);
    }
    let mut own = String::with_capacity(message.len());
    let mut rest = message;
    for text in quoted {
        if let Some((before, after)) = rest.split_once(text) {
            own.push_str(before);
            own.push(' ');
            rest = after;
        }
    }
    own.push_str(rest);
    Cow::Owned(own)
}

/// A clause and what it is.
#[derive(Debug, Clone, Copy)]
struct Judged {
    clause: usize,
    label: Label,
    weight: u8,
    line: u16,
}

fn judge(clauses: &[Clause], language: Language) -> Vec<Judged> {
    let mut judged = Vec::new();
    let mut consented = false;
    let mut sets: Vec<Set> = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        if clause.reported {
            continue;
        }
        sets.clear();
        sets.extend(clause.items.iter().map(|i| i.set));
        let mut all = clause.all();
        if clause.conditional {
            all = all.with(Set::of(Class::If));
        }
        consented |= all.has(Class::Yes) || all.has(Class::Consent);
        let facing = Facing {
            sets: &sets,
            all,
            language,
            question: clause.question,
            consented,
            opens: clause.opens,
        };
        let mut best: Option<Judged> = None;
        let product = roles::is_about_product(clause);
        let listed = is_listed(clauses, at);
        let more = roles::asks_for_more(clause);
        let needless = roles::says_there_is_no_need(clause);
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

/// What the clause at `at` is; `judged` is in the order of the clauses.
fn of_clause(judged: &[Judged], at: usize) -> Option<&Judged> {
    judged
        .binary_search_by_key(&at, |j| j.clause)
        .ok()
        .and_then(|found| judged.get(found))
}

/// The most binding label. Weak ones count only where there is no other; a bare "no" beside an order
/// to stop or to go on says nothing of its own.
fn primary(judged: &[Judged], clauses: &[Clause]) -> (Label, u8) {
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
        .min_by_key(|j| (j.label, std::cmp::Reverse(j.weight)))
        .map_or((Label::Unknown, 0), |j| (j.label, j.weight))
}

/// "Use A, not B": the second clause says again what the first has said.
fn only_contrasts(one: &Judged, judged: &[Judged], clauses: &[Clause]) -> bool {
    let contrasts = one.label == Label::AgentCorrection
        && clauses.get(one.clause).is_some_and(|c| {
            !c.opens
                && c.items
                    .first()
                    .is_some_and(|i| i.has(Class::Not) || i.has(Class::No))
        });
    contrasts
        && one
            .clause
            .checked_sub(1)
            .and_then(|before| of_clause(judged, before))
            .is_some_and(|j| {
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
            (all.has(Class::Stop) || all.has(Class::StopX) || all.has(Class::Leave))
                && !all.has(Class::Neg)
                && !all.has(Class::Alone)
        });
        let turns = clauses.get(second.clause).is_some_and(|c| {
            let all = c.all();
            (all.has(Class::Instead) || all.has(Class::First) || all.has(Class::TaskX))
                && !all.has(Class::I)
                && !all.has(Class::Need)
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

fn all_never_mind(judged: &[Judged], clauses: &[Clause]) -> bool {
    judged
        .iter()
        .filter(|j| j.label == Label::Cancellation)
        .all(|j| {
            clauses
                .get(j.clause)
                .is_some_and(|c| c.all().has(Class::Nvm))
        })
}

/// Whether text that the person only quotes would steer if it were theirs.
fn instructs(quoted: &str) -> bool {
    let (language, clauses) = clauses(read::read(quoted).tokens);
    language.is_some_and(|l| {
        judge(&clauses, l).iter().any(|j| {
            matches!(
                j.label,
                Label::Cancellation
                    | Label::ScopeConstraint
                    | Label::ValidationChange
                    | Label::Approval
            )
        })
    })
}

fn label_of(judged: &Judged, clauses: &[Clause]) -> Option<SteerLabel> {
    let items = &clauses.get(judged.clause)?.items;
    let span = (items.first()?.span.0, items.last()?.span.1);
    Some(SteerLabel {
        classification: judged.label.name().to_owned(),
        span: (u32::try_from(span.0).ok()?, u32::try_from(span.1).ok()?),
        confidence: confidence(judged.weight),
    })
}

/// 0.3 for nothing, 0.5 to 0.97 for rules.
fn confidence(weight: u8) -> f64 {
    match weight {
        0 => 0.3,
        w => (f64::from(w.min(97))).max(50.0) / 100.0,
    }
}

/// Notes, the union of what is allowed, and what has been crossed already.
fn finish(
    params: &SteerParams,
    message: &str,
    label: Label,
    updates: &mut SteerUpdates,
    flags: &mut Vec<String>,
) {
    for list in [
        &mut updates.forbidden_paths,
        &mut updates.only_paths,
        &mut updates.lifted_paths,
        &mut updates.required_paths,
        &mut updates.ordered_paths,
        &mut updates.discarded_paths,
        &mut updates.validation_paths,
    ] {
        list.iter_mut()
            .for_each(|path| paths::relative(&params.repo, path));
    }
    // A path cannot be forbidden and permitted in one breath: the narrower word was the exception.
    let forbidden = updates.forbidden_paths.clone();
    updates.only_paths.retain(|p| !forbidden.contains(p));
    updates.lifted_paths.retain(|p| !forbidden.contains(p));
    updates.required_paths.retain(|p| !forbidden.contains(p));
    updates.ordered_paths.retain(|p| !forbidden.contains(p));
    let mut allowed = updates.only_paths.clone();
    roles::extend(&mut allowed, updates.lifted_paths.clone());
    updates.allowed_paths = allowed;
    let every = updates.forbidden_paths.iter().chain(&updates.allowed_paths);
    if every.into_iter().any(|p| paths::is_outside(p)) {
        flags.push("path_outside_repo".to_owned());
    }
    updates.already_violated = violated(updates, &params.edited_paths);
    if !updates.already_violated.is_empty() {
        flags.push("already_violated".to_owned());
    }
    let note = Some(clean(message, MAX_NOTE));
    if label == Label::Cancellation {
        // Nothing is to be worked on now.
        updates.required_paths.clear();
        updates.ordered_paths.clear();
    }
    match label {
        Label::ScopeConstraint | Label::ScopeChange | Label::PriorityChange => {
            updates.work_state_note = note
        }
        Label::ValidationChange => updates.validation_note = note,
        Label::StrategyChange => updates.strategy_note = note,
        Label::Clarification => updates.clarification_note = note,
        Label::RiskWarning => updates.risk_note = note,
        Label::NewRequirement => updates.requirement_note = note,
        Label::AgentCorrection => {
            let wrong = &updates.discarded_paths;
            updates.discarded_hypothesis = Some(DiscardedHypothesis {
                hypothesis: if wrong.is_empty() {
                    "The direction taken before this message.".to_owned()
                } else {
                    format!(
                        "The place is {}.",
                        wrong.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
                    )
                },
                reason: clean(message, 220),
                evidence: "user_correction".to_owned(),
                confidence: "medium".to_owned(),
                related_paths: wrong.clone(),
            });
            updates.correction_note = note;
        }
        _ => {}
    }
}

fn violated(updates: &SteerUpdates, edited: &[String]) -> Vec<String> {
    let mut state = SteerState::default();
    state.take(updates);
    let mut crossed = Vec::new();
    for path in edited {
        if let Ok(repo_path) = RepoPath::parse(path)
            && state.verdict(&repo_path).is_some()
        {
            roles::extend(&mut crossed, vec![path.clone()]);
        }
    }
    crossed
}

/// Whether `entry` covers `path`. People do not tell `readme.md` from `README.md`, and what they name may be a
/// directory.
fn covers(entry: &str, path: &RepoPath) -> bool {
    let names = |entry: &str| PathPattern::new(entry).ignoring_case().matches(path);
    entry == path.as_str()
        || names(entry)
        || entry.starts_with("**/") && names(&format!("{entry}/**"))
}

#[cfg(test)]
mod tests;
