//! The answer to a message: its class, what follows for the work, and the paths that it limits.

use std::borrow::Cow;

use aictx_proto::RepoPath;
use aictx_proto::methods::{
    DiscardedHypothesis, SteerLabel, SteerParams, SteerReply, SteerUpdates,
};
use aictx_proto::text::clean;

use crate::classifier::Ruling;
use crate::clause::{Clause, clauses};
use crate::clause_label::{all_never_mind, confidence, judge, label_of, of_clause, primary};
use crate::intent_label::Label;
use crate::lexicon::Language;
use crate::path_limits::SteerState;
use crate::path_role::EVERYTHING;
use crate::rules::RULES;
use crate::word_class::Class;
use crate::{
    anaphora, approval_gate, classifier, hold_all_changes, lexicon, path_role, paths,
    runtime_behaviour, tokenizer, topicalised_object,
};

/// Most of a message that is read, in bytes. Of a longer one its beginning and its last quarter of
/// this are: that is where people put what they want.
pub const MAX_MESSAGE: usize = 16 * 1024;
/// Longest note, in characters.
const MAX_NOTE: usize = 1_000;
/// Most labels and reasons in a reply.
const MAX_LABELS: usize = 16;

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
pub fn warm() {
    std::sync::LazyLock::force(&lexicon::PACKS);
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
    let reading = tokenizer::read(&message);
    let quoted = reading.quoted;
    let (language, clauses) = clauses(reading.tokens);
    let language_code = language.map_or("und", Language::code);
    let judged = language.map_or_else(Vec::new, |l| judge(&clauses, l));

    let mut updates = SteerUpdates::default();
    let mut taken_back = false;
    let mut forbidden = 0..0;
    // Whether what limits there were last put files off limits, rather than allowing nothing but them.
    let mut forbids = false;
    for one in &judged {
        let Some(clause) = clauses.get(one.clause) else {
            continue;
        };
        taken_back |= clause.all().has(Class::Nvm);
        if anaphora::permits_it(clause, one.label, taken_back) {
            // "Don't touch A. On second thought, you may edit it."
            let mut lifted: Vec<String> = updates.forbidden_paths.drain(forbidden).collect();
            if lifted.is_empty() {
                // "What I said of A? Forget it."
                lifted = anaphora::paths(&clauses, one.clause, &judged, false);
            }
            // Or what an earlier message said.
            updates.lift_latest |= lifted.is_empty();
            path_role::extend(&mut updates.lifted_paths, lifted);
            forbidden = 0..0;
            continue;
        }
        let before = updates.forbidden_paths.len();
        if one.line == 0 && topicalised_object::is_limited_too(&clauses, one.clause, &judged) {
            let list = match forbids {
                true => &mut updates.forbidden_paths,
                false => &mut updates.only_paths,
            };
            path_role::extend(list, path_role::written(clause));
            forbidden = before..updates.forbidden_paths.len();
            continue;
        }
        forbids = path_role::forbids(clause);
        let lifted = updates.lifted_paths.len();
        path_role::assign(clause, one.label, &message, exists, &mut updates);
        if one.label == Label::ScopeChange {
            // "Don't touch A. Wait, you may touch A": the later word counts.
            let lifted = updates.lifted_paths.get(lifted..).unwrap_or_default();
            updates
                .forbidden_paths
                .retain(|path| !lifted.contains(path));
        }
        let orders = matches!(
            one.label,
            Label::Task
                | Label::NewRequirement
                | Label::PriorityChange
                | Label::ScopeChange
                | Label::StrategyChange
        );
        if orders && !clause.question || anaphora::requests(clause) {
            path_role::extend(&mut updates.ordered_paths, anaphora::ordered(clause));
            let it = anaphora::orders_it(&clauses, one.clause, &judged);
            updates.forbidden_paths.retain(|path| !it.contains(path));
            path_role::extend(&mut updates.ordered_paths, it);
        }
        if anaphora::forbids_it(clause, one.label) {
            // "A is being worked on, so leave it alone"; "review A, without touching it" speaks of what it orders.
            let apart = clause.items.first().is_none_or(|i| !i.has(Class::Without));
            let spoken = anaphora::paths(&clauses, one.clause, &judged, apart);
            if !spoken.is_empty() {
                updates.constraint_note = None;
                updates.required_paths.retain(|path| !spoken.contains(path));
            }
            path_role::extend(&mut updates.forbidden_paths, spoken);
        }
        if updates.forbidden_paths.len() > before {
            forbidden = before..updates.forbidden_paths.len();
            taken_back = false;
        }
    }
    let (awaited, waiting) = approval_gate::awaited(&clauses);
    let awaits = !awaited.is_empty();
    path_role::extend(&mut updates.forbidden_paths, awaited);
    if hold_all_changes::holds(&clauses) {
        path_role::extend(&mut updates.forbidden_paths, vec![EVERYTHING.to_owned()]);
    }
    if clauses.iter().any(anaphora::orders_a_change) || !updates.only_paths.is_empty() {
        // "Add an entry to the changelog. No changes, otherwise": everything is too much.
        updates.forbidden_paths.retain(|path| path != EVERYTHING);
    }
    let mut reasons: Vec<String> = judged
        .iter()
        .take(MAX_LABELS)
        .map(|j| match j.line {
            // Known by what the clause before it names, and by no rule of its own words.
            0 => "clause_before".to_owned(),
            line => format!("rule:{line}"),
        })
        .collect();
    let mut labels: Vec<SteerLabel> = judged
        .iter()
        .filter_map(|j| label_of(j, &clauses))
        .take(MAX_LABELS)
        .collect();
    let mut flags = Vec::new();

    let (mut label, weight) = primary(&judged, &clauses);
    // "You may change whatever you like, except A": what is off limits binds more than what is allowed or wanted.
    let weaker = matches!(
        label,
        Label::Unknown | Label::ScopeChange | Label::NewRequirement | Label::Task
    );
    if weaker && !updates.forbidden_paths.is_empty() {
        label = Label::ScopeConstraint;
    }
    let held = hold_all_changes::holds(&clauses)
        && updates.forbidden_paths.iter().any(|p| p == EVERYTHING);
    if held && label != Label::Cancellation {
        // "Don't write any code yet" is about what is touched, whatever its words are otherwise for.
        label = Label::ScopeConstraint;
    }
    let mut halts = judged.iter().filter(|j| j.label == Label::Cancellation);
    if awaits && halts.all(|j| waiting.contains(&j.clause)) {
        // To wait is what one file is to do, not the work.
        label = Label::ScopeConstraint;
    }
    let mut sure = confidence(weight);
    let limits = !updates.forbidden_paths.is_empty()
        || !updates.only_paths.is_empty()
        || !updates.lifted_paths.is_empty()
        || updates.lift_latest
        || updates.lift_only;
    if !limits
        && let Some(guess) = classifier::outvotes(
            &without(&message, &quoted),
            Ruling {
                label,
                weight,
                understood: language.is_some(),
                names_paths: clauses.iter().any(|c| c.all().has(Class::Path)),
                asks_for_work: clauses.iter().any(Clause::asks_for_work),
                of_product: clauses
                    .iter()
                    .any(runtime_behaviour::says_what_a_thing_does),
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
                path_role::require(clause, exists, &mut updates);
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
        path_role::extend(&mut updates.only_paths, named);
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
    let everything = updates.forbidden_paths.iter().any(|p| p == EVERYTHING);
    updates.until_told = everything && hold_all_changes::is_until_told(&clauses);
    updates.orders_work = anaphora::orders_work(&clauses, &judged);
    updates.lets_go = hold_all_changes::lets_go(label, &judged, &clauses, &updates);
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

/// Returns true if text that the person only quotes would steer if it were theirs.
fn instructs(quoted: &str) -> bool {
    let (language, clauses) = clauses(tokenizer::read(quoted).tokens);
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
    path_role::extend(&mut allowed, updates.lifted_paths.clone());
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
            path_role::extend(&mut crossed, vec![path.clone()]);
        }
    }
    crossed
}

#[cfg(test)]
mod lifted_limits_tests;
#[cfg(test)]
mod mentioned_paths_tests;
#[cfg(test)]
mod tests;
