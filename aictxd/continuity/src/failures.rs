//! Failure memory: patterns with a life cycle, one live row each.

use std::collections::BTreeSet;
use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::event::ErrorEvent;
use aictx_proto::record::{FailingTest, FailurePattern, files};
use aictx_proto::text::{clean, slug};
use aictx_shell::language_of;
use serde_json::{Value, json};

use crate::ledger_facts::{Failure, Observation, covers, has_begun};
use crate::lru_cache::{Pass, Passed, is_test_command, same_check};
use crate::tasks::Checkout;
use crate::text_similarity::{hashed_terms, in_common};
use aictx_proto::text::shorten;

mod edit;
mod mentions;
mod query;

pub use edit::{FailureEdit, edit_failure, pick as pick_failure};
pub use query::{
    FailureQuery, failed_last_time, find_failures, known_failure, tell_failed_last_time,
};
pub(crate) use query::{anchored_to, open, open_failures, warm};

/// Patterns kept; beyond it resolved ones go first, oldest first, then single open ones. What goes
/// is archived, not dropped.
const MAX_PATTERNS: usize = 500;
/// Patterns above which they are brought down to [`MAX_PATTERNS`]: all have to be written for it, so not
/// for every new one.
const MAX_ROWS: usize = 600;

/// Branches kept of a pattern.
const MAX_BRANCHES: usize = 8;

/// Change of failure memory by an execution.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// All patterns after the execution, when anything changed.
    pub(crate) patterns: Option<Vec<Arc<FailurePattern>>>,
    /// Signatures of those that changed.
    pub(crate) changed: BTreeSet<String>,
    /// Patterns that had to go.
    pub(crate) evicted: Vec<Arc<FailurePattern>>,
    /// `failure_persisted` of the reply: the first recorded pattern.
    pub(crate) persisted: Option<Value>,
    /// Ids resolved, sorted.
    pub(crate) resolved: Vec<String>,
}

/// The facts that a pattern is made of.
pub(crate) struct Context<'a> {
    pub(crate) execution_id: &'a str,
    pub(crate) task_type: &'a str,
    pub(crate) area_id: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) session: u64,
    pub(crate) now: Timestamp,
    /// Checkout at its end.
    pub(crate) checkout: &'a Checkout,
    /// Failure ids that the agent says are resolved.
    pub(crate) claimed: &'a [String],
    /// The agent reports a success with tests.
    pub(crate) says_tested: bool,
    /// The execution was reported or observed as failed.
    pub(crate) failed: bool,
    /// Error strings that the agent reported.
    pub(crate) reported: &'a [String],
}

/// Applies an execution: failures that stay open are recorded, one pattern a failing command;
/// patterns whose own check passed are resolved.
pub(crate) fn apply(
    current: &[Arc<FailurePattern>],
    seen: &Observation,
    context: &Context,
) -> Change {
    let mut patterns = current.to_vec();
    let mut change = Change::default();
    let mut passed = Passed::new(&seen.passes);
    for (pattern, known) in patterns.iter_mut().zip(current) {
        if pattern.status == "resolved" {
            continue;
        }
        let claimed = context.claimed.iter();
        let evidence = if claimed.clone().any(|id| is_named(known, id)) {
            "explicit"
        } else if seen.open_failures.iter().any(|f| is_it(f, known)) {
            continue;
        } else {
            match progress(known, &mut passed, context.checkout) {
                // What was only said to fail is resolved by saying so; what was seen to fail is not.
                Progress::None
                    if context.says_tested
                        && known.failed_command.is_empty()
                        && worked_on(known, seen, context.summary) =>
                {
                    "reported"
                }
                Progress::None => continue,
                Progress::Some { branches, failing } => {
                    let pattern = Arc::make_mut(pattern);
                    (pattern.branches, pattern.failing) = (branches, failing);
                    stamp(pattern, context.now);
                    change.changed.insert(pattern.signature.clone());
                    continue;
                }
                Progress::Resolved(evidence) => evidence,
            }
        };
        let pattern = Arc::make_mut(pattern);
        let by_this = evidence == "explicit" || worked_on(known, seen, context.summary);
        resolve(pattern, evidence, by_this, context);
        change.resolved.push(pattern.failure_id.clone());
        change.changed.insert(pattern.signature.clone());
    }
    for failure in failures(seen, context) {
        let mut pattern = record(&mut patterns, &failure, seen, context);
        pattern.attempted_fix_summary = clean(context.summary, 240);
        if !context.summary.trim().is_empty() {
            let attempt = clean(context.summary, 240);
            merge(&mut pattern.failed_attempts, [attempt], 3);
        }
        change.changed.insert(pattern.signature.clone());
        change.persisted.get_or_insert(persisted(&pattern));
        patterns.push(Arc::new(pattern));
    }
    // What failed and was fixed in one execution is worth knowing when it fails again.
    for failure in seen.fixed.iter().filter(|f| has_begun(&f.events)) {
        let open = |other: &Failure| other.events.iter().any(|e| is_same(e, failure));
        if seen.open_failures.iter().any(open) {
            continue;
        }
        let mut pattern = record(&mut patterns, failure, seen, context);
        resolve(&mut pattern, "command", true, context);
        change.changed.insert(pattern.signature.clone());
        patterns.push(Arc::new(pattern));
    }
    change.resolved.sort_unstable();
    if change.changed.is_empty() {
        // Nothing is written, so nothing may go either: it would be archived again each time.
        return change;
    }
    let keep = if patterns.len() > MAX_ROWS {
        MAX_PATTERNS
    } else {
        MAX_ROWS
    };
    while patterns.len() > keep {
        let oldest = |wanted: &dyn Fn(&Arc<FailurePattern>) -> bool| {
            let found = patterns.iter().enumerate().filter(|(_, p)| wanted(p));
            found
                .min_by(|(_, a), (_, b)| a.timestamp.cmp(&b.timestamp))
                .map(|(at, _)| at)
        };
        let at = oldest(&|p| p.status == "resolved")
            .or_else(|| oldest(&|p| p.occurrences <= 1))
            .unwrap_or(0);
        change.evicted.push(patterns.remove(at));
    }
    change.patterns = Some(patterns);
    change
}

/// Longest account of how a failure was fixed, in characters.
const MAX_RESOLUTION: usize = 400;

/// Marks a pattern as resolved. Only an execution that worked on the failure is told as what fixed it: a later one
/// may just have been the first to run the check again.
fn resolve(pattern: &mut FailurePattern, evidence: &str, by_this: bool, context: &Context) {
    pattern.status = "resolved".to_owned();
    pattern.resolved_by = context.execution_id.to_owned();
    pattern.resolved_by_execution_id = context.execution_id.to_owned();
    pattern.resolution_evidence = evidence.to_owned();
    pattern.resolution_summary = match by_this {
        true => shorten(context.summary, MAX_RESOLUTION),
        false => String::new(),
    };
    if !pattern.resolution_summary.is_empty() {
        pattern
            .resolution_hint
            .clone_from(&pattern.resolution_summary);
    }
    stamp(pattern, context.now);
}

/// Words of a failure that a summary has in common with it when it speaks of it.
const MIN_SHARED: usize = 2;

/// Returns true where an execution saw the failure itself, edited one of its files, edited code and ran its very check
/// or its test, or speaks of it.
fn worked_on(pattern: &FailurePattern, seen: &Observation, summary: &str) -> bool {
    let saw = |event: &ErrorEvent| event.fingerprint == pattern.signature;
    let is_its_file = |file: &String| {
        pattern.related_paths.contains(file) || pattern.failing.iter().any(|t| t.file == *file)
    };
    if seen.error_events.iter().any(saw) || seen.files_edited.iter().any(is_its_file) {
        return true;
    }
    let is_its_check = |pass: &Pass| {
        let same = |failed: &String| {
            same_check(&pass.command, failed) && same_check(failed, &pass.command)
        };
        let names = |test: &FailingTest| {
            let name = [&test.file, &test.test];
            name.into_iter()
                .any(|name| !name.is_empty() && pass.command.contains(name.as_str()))
        };
        [&pattern.failed_command, &pattern.ran]
            .into_iter()
            .any(same)
            || pattern.failing.iter().any(names)
    };
    let edited_code = || seen.files_edited.iter().any(|f| !language_of(f).is_empty());
    if edited_code() && seen.passes.iter().any(is_its_check) {
        return true;
    }
    let tests = pattern.failing.iter().map(|test| test.test.as_str());
    let about: Vec<&str> = tests.chain([pattern.error_text.as_str()]).collect();
    let (about, told) = (hashed_terms(&about.join(" ")), hashed_terms(summary));
    in_common(&about, &told) >= MIN_SHARED
}

fn is_same(event: &ErrorEvent, failure: &Failure) -> bool {
    let mut events = failure.events.iter();
    events.any(|known| known.fingerprint == event.fingerprint)
}

/// Dates a row. Of two rows of a pattern the newer one counts, and a clock may go backwards.
fn stamp(pattern: &mut FailurePattern, now: Timestamp) {
    let now = now.to_string();
    if pattern.timestamp < now {
        pattern.timestamp = now;
    }
}

fn is_named(pattern: &FailurePattern, id: &str) -> bool {
    id == pattern.failure_id || id == pattern.signature
}

/// Returns true if a failure is one that a pattern stands for.
fn is_it(failure: &Failure, pattern: &FailurePattern) -> bool {
    let known = |event: &ErrorEvent| event.fingerprint == pattern.signature;
    let same = !failure.command.is_empty() && same_check(&failure.command, &pattern.failed_command);
    same || failure.events.iter().any(known)
}

/// Progress of a pattern towards being resolved.
enum Progress {
    /// Nothing that concerns it passed.
    None,
    /// It passed on some of its branches, or some of its tests did: what is left of them.
    Some {
        branches: Vec<String>,
        failing: Vec<FailingTest>,
    },
    /// It passed as a whole, and what showed that.
    Resolved(&'static str),
}

/// Returns the progress of a pattern: its command passed, on a branch that it was seen on or that has the work of that
/// one in it; or each of its tests by itself.
fn progress<'c>(
    pattern: &'c FailurePattern,
    passed: &mut Passed<'c>,
    checkout: &Checkout,
) -> Progress {
    let proven = |branch: &String, on: &[&str]| {
        on.iter().any(|on| {
            covers(on, branch) || (*on == checkout.branch && checkout.joined.contains(branch))
        })
    };
    let whole = [&pattern.failed_command, &pattern.ran].map(|command| passed.prove(command));
    let whole = whole.concat();
    let branches: Vec<String> = (pattern.branches.iter())
        .filter(|branch| !proven(branch, &whole))
        .cloned()
        .collect();
    if branches.is_empty() && !whole.is_empty() {
        return Progress::Resolved("command");
    }
    let is_open = |test: &&FailingTest| {
        let mut on = passed.prove_one(&pattern.failed_command, test);
        on.extend(passed.prove_one(&pattern.ran, test));
        on.is_empty() || !branches.iter().all(|branch| proven(branch, &on))
    };
    let failing: Vec<FailingTest> = pattern.failing.iter().filter(is_open).cloned().collect();
    if failing.is_empty() && !pattern.failing.is_empty() {
        return Progress::Resolved("test");
    }
    match branches.len() < pattern.branches.len() || failing.len() < pattern.failing.len() {
        true => Progress::Some { branches, failing },
        false => Progress::None,
    }
}

/// The failures to record: observed ones; else, when the execution failed, what was reported. Only what
/// was seen to fail, or errors that were reported, tell of a command or a test: neither words of a summary
/// do, nor what happened to run last.
fn failures(seen: &Observation, context: &Context) -> Vec<Failure> {
    let begun: Vec<Failure> = (seen.open_failures.iter())
        .filter(|failure| has_begun(&failure.events))
        .cloned()
        .collect();
    if !begun.is_empty() {
        return begun;
    }
    if !context.failed {
        return Vec::new();
    }
    let strays = begun.len() < seen.open_failures.len();
    if seen.told_errors.is_empty() && context.reported.is_empty() && strays {
        // How a check was called is no fault of the code.
        return Vec::new();
    }
    let events = if seen.told_errors.is_empty() {
        let text = context
            .reported
            .first()
            .map_or(context.summary, String::as_str);
        if text.trim().is_empty() {
            return Vec::new();
        }
        vec![reported_event(text)]
    } else {
        seen.told_errors.clone()
    };
    let command = events
        .iter()
        .map(|event| event.command.as_str())
        .find(|command| !command.is_empty())
        .unwrap_or_default();
    vec![Failure::new(command, is_test_command(command), &events)]
}

/// An event for an error that was only told.
fn reported_event(text: &str) -> ErrorEvent {
    let mut event = ErrorEvent {
        toolchain: "unknown".to_owned(),
        phase: "runtime".to_owned(),
        severity: "error".to_owned(),
        message: clean(text, 500),
        ..ErrorEvent::default()
    };
    event.fingerprint = aictx_signals::fingerprint(&event, "");
    event
}

/// Takes the pattern of a failure from the list, or begins one, and adds the failure to it: it is open then.
fn record(
    patterns: &mut Vec<Arc<FailurePattern>>,
    failure: &Failure,
    seen: &Observation,
    context: &Context,
) -> FailurePattern {
    let primary = failure
        .events
        .iter()
        .find(|e| e.role != "cause")
        .or_else(|| failure.events.first());
    let signature = match primary {
        Some(event) if !event.fingerprint.is_empty() => event.fingerprint.clone(),
        _ => slug(&format!("unknown:{}", failure.command), 93, "item"),
    };
    let at = patterns.iter().position(|p| p.signature == signature);
    let mut pattern = match at {
        Some(at) => Arc::unwrap_or_clone(patterns.remove(at)),
        None => FailurePattern {
            failure_id: format!("failure::{signature}"),
            first_seen: context.now.to_string(),
            status: "open".to_owned(),
            resolution_hint: hint(failure),
            ..FailurePattern::default()
        },
    };
    if pattern.status == "resolved" {
        pattern.reopened += 1;
        pattern.resolved_by.clear();
        pattern.resolved_by_execution_id.clear();
        pattern.resolution_evidence.clear();
        pattern.branches.clear();
        pattern.status = "open".to_owned();
    }
    pattern.previous_occurrences = pattern.occurrences;
    pattern.occurrences += 1;
    pattern.failure_signature.clone_from(&signature);
    pattern.signature = signature;
    pattern.task_type = context.task_type.to_owned();
    pattern.area_id = context.area_id.to_owned();
    pattern.subsystem = context.area_id.to_owned();
    pattern.failed_command.clone_from(&failure.command);
    pattern.ran.clone_from(&failure.ran);
    pattern.last_execution_id = context.execution_id.to_owned();
    pattern.session = context.session;
    stamp(&mut pattern, context.now);
    let lines: Vec<String> = failure
        .events
        .iter()
        .take(3)
        .map(ErrorEvent::render)
        .collect();
    pattern.error_text = lines.join("\n");
    merge(&mut pattern.symptoms, lines, 3);
    merge(
        &mut pattern.ineffective_commands,
        [failure.command.clone()],
        5,
    );
    merge(
        &mut pattern.files_involved,
        seen.files_edited.iter().chain(&seen.files_opened).cloned(),
        8,
    );
    let event_files = failure.events.iter().map(|e| e.file.clone());
    merge(
        &mut pattern.related_paths,
        event_files.chain(pattern.files_involved.iter().cloned()),
        8,
    );
    pattern.error_events = failure.events.iter().take(5).cloned().collect();
    let branch = match failure.branch.as_str() {
        "" => context.checkout.branch.clone(),
        seen => seen.to_owned(),
    };
    merge(&mut pattern.branches, [branch], MAX_BRANCHES);
    pattern.failing.clone_from(&failure.failing);
    let distinct = |pick: fn(&ErrorEvent) -> &String| {
        let mut list = Vec::new();
        merge(&mut list, failure.events.iter().map(|e| pick(e).clone()), 5);
        list
    };
    pattern.toolchains = distinct(|e| &e.toolchain);
    pattern.phases = distinct(|e| &e.phase);
    pattern.error_codes = distinct(|e| &e.code);
    pattern.error_fingerprints = distinct(|e| &e.fingerprint);
    pattern
}

/// `failure_persisted` of a reply.
fn persisted(pattern: &FailurePattern) -> Value {
    json!({
        "path": format!(".aictx/{}", files::FAILURE_PATTERNS),
        "failure_id": pattern.failure_id,
        "signature": pattern.signature,
        "existing": pattern.previous_occurrences > 0,
        "occurrences": pattern.occurrences,
        "toolchains": pattern.toolchains,
        "phases": pattern.phases,
        "error_codes": pattern.error_codes,
    })
}

fn hint(failure: &Failure) -> String {
    match failure.events.first() {
        Some(event) if !event.file.is_empty() => {
            format!("Start at {} and run the failing command again.", event.file)
        }
        _ if failure.command.is_empty() => String::new(),
        _ => "Run the failing command again and read its first error.".to_owned(),
    }
}

/// New entries first, no repetition, no blanks, at most `limit`.
fn merge(list: &mut Vec<String>, new: impl IntoIterator<Item = String>, limit: usize) {
    let old = std::mem::take(list);
    for item in new.into_iter().chain(old) {
        if !item.trim().is_empty() && !list.contains(&item) && list.len() < limit {
            list.push(item);
        }
    }
}

/// Writes the list of them all, `failure_index.json`. It is derived
/// and nothing here reads it.
pub fn list(patterns: &[Arc<FailurePattern>]) -> Effect {
    Effect::ReplaceJson {
        file: files::FAILURE_INDEX.to_owned(),
        value: index(patterns),
        order: KeyOrder::Sorted,
    }
}

/// `failure_index.json` of these patterns.
fn index(patterns: &[Arc<FailurePattern>]) -> Value {
    let records: Vec<Value> = patterns
        .iter()
        .map(|p| {
            json!({
                "failure_id": p.failure_id, "signature": p.signature, "task_type": p.task_type,
                "status": p.status, "area_id": p.area_id, "toolchains": p.toolchains,
                "phases": p.phases, "occurrences": p.occurrences, "last_seen": p.timestamp,
            })
        })
        .collect();
    json!({ "version": 1, "failure_count": records.len(), "records": records })
}

#[cfg(test)]
mod tests;
