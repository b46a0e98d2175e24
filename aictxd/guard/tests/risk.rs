//! Labelled commands of `risk/`: the level that a careful reviewer gives each, by area.
//!
//! A row holds `id`, `command`, `label` (`safe`, `caution` or `destructive`) and `why`. A row with `known` is
//! judged wrongly, as the level in there, and everybody knows: who mends it takes the member out. A new row gets
//! the next free number of its program.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashSet;

use aictx_guard::{Level, NoFacts, Place, command_risk};
use serde::Deserialize;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

const AREAS: [(&str, &str); 13] = [
    ("cloud", include_str!("risk/cloud.jsonl")),
    ("containers", include_str!("risk/containers.jsonl")),
    ("files", include_str!("risk/files.jsonl")),
    ("git", include_str!("risk/git.jsonl")),
    ("http", include_str!("risk/http.jsonl")),
    ("inline-code", include_str!("risk/inline-code.jsonl")),
    ("other-programs", include_str!("risk/other-programs.jsonl")),
    ("packages", include_str!("risk/packages.jsonl")),
    ("powershell", include_str!("risk/powershell.jsonl")),
    ("processes", include_str!("risk/processes.jsonl")),
    ("sql", include_str!("risk/sql.jsonl")),
    ("system", include_str!("risk/system.jsonl")),
    ("wrappers", include_str!("risk/wrappers.jsonl")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    command: String,
    label: String,
    /// The level that the command gets instead.
    known: Option<String>,
    why: String,
}

/// Every row, with its area.
fn rows() -> Vec<(&'static str, Row)> {
    let rows = AREAS.into_iter().flat_map(|(area, text)| {
        text.lines()
            .map(move |line| (area, serde_json::from_str(line).unwrap()))
    });
    rows.collect()
}

#[test]
fn every_command_gets_its_label() {
    let rows = rows();
    let (mut failing, mut ids) = (Vec::new(), HashSet::new());
    for (area, row) in &rows {
        let level = command_risk(&row.command, PLACE, &NoFacts).level().as_str();
        let labels = [Level::Safe, Level::Caution, Level::Destructive].map(Level::as_str);
        let mut fail = |fault: &str| {
            let Row {
                id, command, why, ..
            } = row;
            failing.push(format!("{area} {id}: {fault} ({why}): {command:?}"));
        };
        if !ids.insert(&row.id) {
            fail("the id is taken");
        }
        if row.why.is_empty() {
            fail("no reason");
        }
        if !labels.contains(&row.label.as_str()) {
            fail(&format!("{} is no label", row.label));
        }
        match &row.known {
            Some(known) if *known == row.label => fail("known to be wrong as what is right"),
            None if level != row.label => fail(&format!("{level}, not {}", row.label)),
            Some(known) if level == row.label => {
                fail(&format!("right now: take out known {known}"))
            }
            Some(known) if level != known => fail(&format!("{level}, known as {known}")),
            _ => {}
        }
    }
    let known = rows.iter().filter(|(_, row)| row.known.is_some()).count();
    println!("{} rows, {known} of them known to be wrong", rows.len());
    assert!(
        failing.is_empty(),
        "{} wrong:\n{}",
        failing.len(),
        failing.join("\n")
    );
}

/// The risk for a repository does not depend on its place, below a temporary directory for example: worktrees
/// are made there, and people try things.
#[test]
fn a_repository_may_lie_anywhere() {
    let elsewhere = ["/tmp/work/app", "/var/tmp/x/y/app", "/srv/app"];
    let mut compared = 0;
    for (_, Row { id, command, .. }) in rows() {
        // These name places, and a place may be another one from there.
        let names_places = ["/home/", "..", "/srv", "/tmp", "/var/"];
        if names_places.iter().any(|place| command.contains(place)) {
            continue;
        }
        let usual = command_risk(&command, PLACE, &NoFacts).level();
        for root in elsewhere {
            let place = Place { root, cwd: root };
            let there = command_risk(&command, place, &NoFacts).level();
            assert_eq!(there, usual, "{id} in {root}: {command:?}");
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}
