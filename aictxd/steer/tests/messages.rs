//! Labelled messages of `messages/`, a table for each language.
//!
//! A row holds an `id`, a `message` and what is expected of it: its `classification` and `decision`, lists of
//! paths, the `effect` on paths in one word, or whether `limits` of an `earlier` message are kept or lifted. A row
//! with `known` is misread in that way, and everybody knows: who mends it takes the member out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "reads the tables")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use aictx_proto::Timestamp;
use aictx_proto::methods::{SteerParams, SteerReply};
use aictx_steer::{SteerState, steer};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Row {
    id: String,
    message: String,
    classification: Option<String>,
    decision: Option<String>,
    forbidden: Option<Vec<String>>,
    allowed: Option<Vec<String>>,
    only: Option<Vec<String>>,
    required: Option<Vec<String>>,
    validation: Option<Vec<String>>,
    discarded: Option<Vec<String>>,
    /// A part of the note on what limits the work.
    note: Option<String>,
    /// Labels of other clauses.
    also: Vec<String>,
    /// `forbid`, `only`, `lift` and `require` with `paths`; `ask` (unknown, and the agent asks), `stop` (a
    /// cancellation), `free` (no limit, nothing required), `work` (no limit).
    effect: Option<String>,
    paths: Vec<String>,
    /// A message that sets limits, before this one.
    earlier: Option<String>,
    /// `keep`: each limit of the earlier message holds afterwards; `lift`: none does.
    limits: Option<String>,
    current_action: Option<String>,
    current_paths: Vec<String>,
    first_prompt: bool,
    known: Option<String>,
    /// For readers.
    #[serde(rename = "why")]
    _why: String,
}

fn ask(row: &Row, message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        current_action: row.current_action.clone().unwrap_or("edit".to_owned()),
        paths: row.current_paths.clone(),
        first_prompt: row.first_prompt,
        ..SteerParams::default()
    })
    .unwrap()
}

/// The first thing that the reply has otherwise than the row; `None` where all is as expected.
fn misreading(row: &Row) -> Option<String> {
    if row.message.trim().is_empty() {
        let params = SteerParams::default();
        return steer(&params).is_ok().then(|| "an answer".to_owned());
    }
    let reply = ask(row, &row.message);
    let updates = &reply.suggested_updates;
    for (expected, found) in [
        (&row.classification, &reply.classification),
        (&row.decision, &reply.decision),
    ] {
        if expected.as_ref().is_some_and(|expected| expected != found) {
            return Some(found.clone());
        }
    }
    for (name, expected, found) in [
        ("forbidden", &row.forbidden, &updates.forbidden_paths),
        ("allowed", &row.allowed, &updates.allowed_paths),
        ("only", &row.only, &updates.only_paths),
        ("required", &row.required, &updates.required_paths),
        ("validation", &row.validation, &updates.validation_paths),
        ("discarded", &row.discarded, &updates.discarded_paths),
    ] {
        if expected.as_ref().is_some_and(|expected| expected != found) {
            return Some(format!("{name} {}", found.join(" ")).trim_end().to_owned());
        }
    }
    if let Some(part) = &row.note
        && !updates
            .constraint_note
            .as_ref()
            .is_some_and(|note| note.contains(part))
    {
        return Some(format!("note {:?}", updates.constraint_note));
    }
    let has = |label: &String| reply.labels.iter().any(|l| l.classification == *label);
    if let Some(label) = row.also.iter().find(|label| !has(label)) {
        return Some(format!("no {label}"));
    }
    let effect = row.effect.as_ref();
    effect
        .and_then(|effect| other_effect(effect, &row.paths, &reply))
        .or_else(|| other_limits(row, &reply))
}

/// The effect of a message on paths, if it is another one.
fn other_effect(expected: &str, expected_paths: &[String], reply: &SteerReply) -> Option<String> {
    let updates = &reply.suggested_updates;
    let lists = [
        ("forbid", &updates.forbidden_paths),
        ("only", &updates.only_paths),
        ("lift", &updates.lifted_paths),
        ("require", &updates.required_paths),
    ];
    let named = lists.into_iter().find(|(_, list)| !list.is_empty());
    let unnamed = match reply.classification.as_str() {
        "scope_constraint" => "forbid",
        "cancellation" => "stop",
        "unknown" if reply.decision == "ask_user" => "ask",
        _ => "free",
    };
    let (found, paths) = named.map_or((unnamed, [].as_slice()), |(name, list)| (name, list));
    let forbids = !updates.forbidden_paths.is_empty();
    // What is free may be lifted, asked for, or asked about.
    let as_expected = match expected {
        "free" => !forbids && !matches!(found, "only" | "stop" | "forbid" | "require"),
        "work" => !forbids && !matches!(found, "only" | "stop" | "forbid"),
        "ask" | "stop" => found == expected,
        _ => found == expected && paths == expected_paths,
    };
    (!as_expected).then(|| format!("{found} {}", paths.join(" ")).trim_end().to_owned())
}

/// The fate of the limits of an earlier message, if it is another one.
fn other_limits(row: &Row, reply: &SteerReply) -> Option<String> {
    let mut state = SteerState::default();
    let earlier = ask(row, row.earlier.as_ref()?);
    state.apply(&earlier, Timestamp::from_unix(0), None);
    let before = state.forbidden_paths.clone();
    if before.is_empty() {
        return Some("no limit before".to_owned());
    }
    state.apply(reply, Timestamp::from_unix(1), None);
    let holds = |path| state.forbidden_paths.contains(path);
    let kept = before.iter().all(holds) && state.excepted_paths.is_empty();
    let lifted = !before.iter().any(holds);
    match (row.limits.as_deref()?, kept, lifted) {
        ("keep", true, _) | ("lift", _, true) => None,
        (_, true, _) => Some("keep".to_owned()),
        (_, _, true) => Some("lift".to_owned()),
        _ => Some("some".to_owned()),
    }
}

#[test]
fn every_message_is_read_as_labelled() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let (mut failing, mut ids, mut known) = (Vec::new(), HashSet::new(), 0);
    for table in fs::read_dir(dir).unwrap() {
        for line in fs::read_to_string(table.unwrap().path()).unwrap().lines() {
            let row: Row = serde_json::from_str(line).unwrap();
            let found = misreading(&row);
            known += usize::from(found.is_some());
            let cancels = found.as_deref() == Some("cancellation");
            if found != row.known || cancels {
                failing.push(format!("{found:?}: {line}"));
            }
            assert!(ids.insert(row.id), "the id is taken: {line}");
        }
    }
    println!(
        "{} messages, {known} of them known to be misread",
        ids.len()
    );
    assert!(ids.len() > 2_000, "{}", ids.len());
    assert!(
        failing.is_empty(),
        "{} messages are read otherwise:\n{}",
        failing.len(),
        failing.join("\n")
    );
}
