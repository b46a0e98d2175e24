//! Steer against messages of every class: what they are, what is to happen, and which paths they limit.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use aictx_proto::methods::{SteerParams, SteerReply};
use aictx_steer::{steer, steer_in};

fn said(message: &str) -> SteerParams {
    SteerParams {
        message: message.to_owned(),
        current_action: "edit".to_owned(),
        ..SteerParams::default()
    }
}

/// Returns the decision for a class.
fn decision(classification: &str) -> &'static str {
    match classification {
        "cancellation" => "pause",
        "scope_constraint" | "scope_change" => "update_contract",
        "validation_change" => "update_validation",
        "risk_warning" => "re_ground",
        "new_requirement" => "append_requirement",
        "side_comment" => "ignore_as_side_comment",
        "approval" | "continuation" | "question" | "task" => "continue",
        "unknown" => "ask_user",
        _ => "replan",
    }
}

/// Returns true if a reply is of the class, and limits the paths, that a line wants: `-forbidden +allowed`.
fn is_right(classification: &str, paths: &str, reply: &SteerReply) -> bool {
    let wanted = |sign: char| -> Vec<String> {
        let paths = paths.split_whitespace();
        paths
            .filter_map(|p| p.strip_prefix(sign).map(str::to_owned))
            .collect()
    };
    let updates = &reply.suggested_updates;
    let allowed = wanted('+');
    reply.classification == classification
        && reply.decision == decision(classification)
        && updates.forbidden_paths == wanted('-')
        && (updates.allowed_paths == allowed || allowed.is_empty() && updates.only_paths.is_empty())
}

/// Returns right and total by language; prints the misses.
fn rates(name: &str, set: &str) -> BTreeMap<String, (usize, usize)> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in set.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let parts: Vec<&str> = line.splitn(4, '|').collect();
        let [language, classification, paths, message] = parts[..] else {
            unreachable!("{line}");
        };
        let reply = steer(&said(message)).unwrap();
        let count = counts.entry(language.to_owned()).or_default();
        count.1 += 1;
        if is_right(classification, paths, &reply) {
            count.0 += 1;
        } else {
            println!(
                "{name}: {line}\n    {}/{} {:?} -{:?} +{:?}",
                reply.classification,
                reply.decision,
                reply.reasons,
                reply.suggested_updates.forbidden_paths,
                reply.suggested_updates.allowed_paths
            );
        }
    }
    counts
}

#[test]
fn blind_messages_are_understood() {
    for (name, set) in [
        ("first", include_str!("messages/messages-blind.txt")),
        ("second", include_str!("messages/messages-blind-two.txt")),
    ] {
        for (language, (right, all)) in rates(name, set) {
            println!("{name}, {language}: {right} of {all}");
            assert!(
                right * 10 >= all * 9,
                "{name}, {language}: {right} of {all}"
            );
        }
    }
}

#[test]
fn what_was_misread_once_is_read_right() {
    for (language, (right, all)) in
        rates("repaired", include_str!("messages/messages-repaired.txt"))
    {
        assert_eq!(right, all, "{language}");
    }
}

/// "The source" is a directory of the repository, when it has one of a usual name; of something else it is none.
#[test]
fn the_source_is_a_directory() {
    let in_src = |message: &str| {
        let reply = steer_in(&said(message), &|name| name == "src").unwrap();
        assert_eq!(reply.classification, "scope_constraint", "{message}");
        reply.suggested_updates.forbidden_paths == ["src"]
    };
    for message in [
        "don't touch the source",
        "don't touch the source code, only the docs",
        "no toques el código fuente",
        "fass den Quellcode nicht an",
        "别动源码",
        "ソースは触らないで",
    ] {
        assert!(in_src(message), "{message}");
    }
    assert!(!in_src("don't touch the source of the event"));
    let elsewhere = steer(&said("don't touch the source")).unwrap();
    assert_eq!(
        elsewhere.suggested_updates.forbidden_paths,
        Vec::<String>::new()
    );
}
