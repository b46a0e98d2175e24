//! `continuity/staleness.json`: what memory speaks of that is not there any more
//! (docs/format.md#staleness).

use std::collections::HashSet;

use aictx_proto::Timestamp;
use aictx_proto::snapshot::Snapshot;
use serde_json::{Value, json};

use super::{DAY, Known};
use crate::decision_memory::holding;
use crate::ids::decision_id;

/// Days after which a handoff is stale, and a sub-system that nobody observed.
const HANDOFF_DAYS: u64 = 14;
const SUBSYSTEM_DAYS: u64 = 60;
/// Missing paths that a reason names.
const MAX_NAMED: usize = 5;

/// The document: stale items only, each with reasons. Linear in the paths that memory names.
pub fn staleness(snapshot: &Snapshot, known: &Known) -> Value {
    let handoff = snapshot.handoff.as_ref();
    let handoff: Vec<String> = handoff.map_or_else(Vec::new, |handoff| {
        let paths = &handoff.recommended_starting_points;
        let missing = missing(paths, known, "missing_paths");
        let old = aged(&handoff.updated_at, HANDOFF_DAYS, known, "age_days");
        missing.into_iter().chain(old).collect()
    });
    let held: HashSet<String> = holding(&snapshot.decisions)
        .into_iter()
        .map(decision_id)
        .collect();
    let decisions = snapshot.decisions.iter().filter_map(|decision| {
        let id = decision_id(decision);
        let replaced = (!held.contains(&id)).then(|| "superseded".to_owned());
        let missing = missing(&decision.related_paths, known, "missing_paths");
        let reasons: Vec<String> = missing.into_iter().chain(replaced).collect();
        (!reasons.is_empty()).then(|| {
            json!({
                "ref": id, "execution_id": decision.execution_id, "subsystem": decision.subsystem,
                "stale": true, "reasons": reasons,
            })
        })
    });
    let subsystems = snapshot.semantic.subsystems.iter().filter_map(|part| {
        let gone = all_missing(&part.key_paths, known, "all_key_paths_missing");
        let old = aged(&part.updated_at, SUBSYSTEM_DAYS, known, "not_observed_days");
        let reasons: Vec<String> = gone.into_iter().chain(old).collect();
        (!reasons.is_empty())
            .then(|| json!({ "name": part.name, "stale": true, "reasons": reasons }))
    });
    let strategies = snapshot.strategies.iter().filter_map(|strategy| {
        let gone = all_missing(&strategy.files_used, known, "all_paths_missing")?;
        Some(json!({ "task_id": strategy.task_id, "stale": true, "reasons": [gone] }))
    });
    json!({
        "updated_at": known.now,
        "handoff": { "stale": !handoff.is_empty(), "reasons": handoff },
        "decisions": decisions.collect::<Vec<_>>(),
        "semantic_repo": { "subsystems": subsystems.collect::<Vec<_>>() },
        "strategies": strategies.collect::<Vec<_>>(),
    })
}

fn gone<'p>(paths: &'p [String], known: &Known) -> Vec<&'p str> {
    let paths = paths.iter().map(String::as_str);
    paths.filter(|path| (known.is_gone)(path)).collect()
}

fn reason(tag: &str, gone: &[&str]) -> Option<String> {
    let named: Vec<&str> = gone.iter().take(MAX_NAMED).copied().collect();
    (!named.is_empty()).then(|| format!("{tag}:{}", named.join(",")))
}

fn missing(paths: &[String], known: &Known, tag: &str) -> Option<String> {
    reason(tag, &gone(paths, known))
}

fn all_missing(paths: &[String], known: &Known, tag: &str) -> Option<String> {
    let gone = gone(paths, known);
    reason(tag, &gone).filter(|_| gone.len() == paths.len())
}

fn aged(timestamp: &str, most: u64, known: &Known, tag: &str) -> Option<String> {
    let days = known.now.since(Timestamp::parse(timestamp)?) / DAY;
    (days > most).then(|| format!("{tag}:{days}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aictx_proto::record::{Decision, Handoff, Strategy};
    use aictx_proto::snapshot::shared;

    use super::*;

    #[test]
    fn only_what_is_stale_is_listed() {
        let paths = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let decision = |text: &str, files: &[&str], supersedes: &[&str]| Decision {
            decision: text.to_owned(),
            related_paths: paths(files),
            supersedes: paths(supersedes),
            ..Decision::default()
        };
        let strategy = |id: &str, files: &[&str]| Strategy {
            task_id: id.to_owned(),
            files_used: paths(files),
            ..Strategy::default()
        };
        let snapshot = Snapshot {
            handoff: Some(Arc::new(Handoff {
                updated_at: "2026-01-01T00:00:00Z".to_owned(),
                recommended_starting_points: paths(&["here.py"]),
                ..Handoff::default()
            })),
            decisions: shared([
                decision("use tabs", &[], &[]),
                decision("use spaces", &["here.py"], &["use tabs"]),
                decision("cache in memory", &["gone.py", "here.py"], &[]),
            ]),
            strategies: shared([
                strategy("partly", &["gone.py", "here.py"]),
                strategy("wholly", &["gone.py"]),
                strategy("none", &[]),
            ]),
            ..Snapshot::default()
        };
        let is_gone = |path: &str| path == "gone.py";
        let now = Timestamp::parse("2026-01-20T00:00:00Z").unwrap();
        let found = staleness(
            &snapshot,
            &Known {
                is_gone: &is_gone,
                now,
            },
        );
        assert_eq!(
            found["handoff"],
            json!({ "stale": true, "reasons": ["age_days:19"] })
        );
        let reasons: Vec<&Value> = found["decisions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|d| &d["reasons"])
            .collect();
        assert_eq!(
            reasons,
            [&json!(["superseded"]), &json!(["missing_paths:gone.py"])]
        );
        let strategies = &found["strategies"];
        assert_eq!(
            *strategies,
            json!([{ "task_id": "wholly", "stale": true, "reasons": ["all_paths_missing:gone.py"] }])
        );
    }
}
