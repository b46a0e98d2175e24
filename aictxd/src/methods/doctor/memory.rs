//! Checks of the memory's quality: whether sessions end, whether they were seen, whether what was learned is
//! still about this tree.

use aictx_proto::methods::{Check, CheckStatus, PrepareParams};
use aictx_proto::record::{ExecutionLogRow, Strategy, files};
use aictx_proto::snapshot::Snapshot;
use serde_json::{Value, json};

use super::{check, command, examples};
use crate::app::App;
use crate::methods::init::Site;
use crate::methods::memory_queries;

/// Sessions that say how well sessions are seen, and contracts that say how well they fit: the
/// newest. Older ones cannot be changed any more.
const RECENT: usize = 20;
/// Fewer say nothing.
const FEW: usize = 3;

/// Sessions and tasks that began and never ended.
pub(super) fn lifecycle(app: &App, site: &Site) -> Check {
    let name = "lifecycle_status";
    let Ok(host) = app.hosts.open(&site.root) else {
        return check(name, CheckStatus::Unknown);
    };
    let status = aictx_continuity::lifecycle_status(&host.snapshot(), "", "", app.now());
    let gaps = status
        .get("warnings")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if gaps == 0 {
        return Check {
            summary: "every session that began has ended".to_owned(),
            details: status,
            ..check(name, CheckStatus::Ok)
        };
    }
    Check {
        summary: format!("{gaps} sessions or tasks were left open"),
        details: status,
        recommended_action: "look at what they left".to_owned(),
        command: command(&["aictx", "log", "--repo", &site.scope()]),
        ..check(name, CheckStatus::Warning)
    }
}

/// Checks that sessions were observed by hooks.
pub(super) fn capture(app: &App, site: &Site) -> Check {
    let name = "capture_quality";
    let rows: Vec<ExecutionLogRow> = app.hosts.open(&site.root).map_or(Vec::new(), |host| {
        host.store.newest_rows(files::EXECUTION_LOGS, RECENT).0
    });
    let observed = |row: &&ExecutionLogRow| {
        let mut sources = row.capture_provenance.values();
        sources.any(|source| source == "runtime_observed")
    };
    let (all, seen) = (rows.len(), rows.iter().filter(observed).count());
    let details = json!({ "sessions": all, "observed": seen });
    let summary = format!("hooks saw something of {seen} of the last {all} sessions");
    if all < FEW {
        let status = CheckStatus::Unknown;
        let summary = "too few sessions ended here to say".to_owned();
        return Check {
            summary,
            details,
            ..check(name, status)
        };
    }
    if seen * 2 < all {
        return Check {
            summary,
            details,
            recommended_action: "see whether the agent runs its hooks".to_owned(),
            command: command(&["aictx", "hook", "probe"]),
            ..check(name, CheckStatus::Warning)
        };
    }
    Check {
        summary,
        details,
        ..check(name, CheckStatus::Ok)
    }
}

/// Checks that sessions kept their contracts. Only the newest count, so that one bad day is not told for
/// ever.
pub(super) fn contracts(memory: &Snapshot) -> Check {
    let name = "contract_compliance_health";
    let judged = memory.compliance.iter().rev().take(RECENT);
    let judged: Vec<&str> = judged
        .map(|row| row.status.as_str())
        .filter(|status| ["followed", "partial", "violated"].contains(status))
        .collect();
    let violated = judged
        .iter()
        .filter(|status| **status == "violated")
        .count();
    let details = json!({ "evaluated": judged.len(), "violated": violated });
    if judged.len() < FEW {
        return Check {
            summary: "too few contracts were compared with what was done".to_owned(),
            details,
            ..check(name, CheckStatus::Unknown)
        };
    }
    let many = violated * 2 > judged.len();
    Check {
        summary: format!(
            "{violated} of the last {} contracts were not kept",
            judged.len()
        ),
        details,
        recommended_action: if many {
            "see what was agreed and what was done: `aictx log`".to_owned()
        } else {
            String::new()
        },
        ..check(
            name,
            if many {
                CheckStatus::Warning
            } else {
                CheckStatus::Ok
            },
        )
    }
}

/// Ways of working that this machine put into memory more than once.
pub(super) fn duplicates(memory: &Snapshot) -> Check {
    let name = "stale_duplicate_memory";
    let mut seen = std::collections::HashSet::new();
    // The one to keep comes first: the newest that succeeded.
    let mut rows: Vec<&Strategy> = memory.strategies.iter().rev().map(|row| &**row).collect();
    rows.sort_by_key(|row| !row.success || row.is_failure);
    let again = rows.into_iter().filter(|strategy| {
        strategy.origin.is_own()
            && !strategy.files_edited.is_empty()
            && !seen.insert((
                &strategy.task_type,
                &strategy.task_text,
                &strategy.files_edited,
                &strategy.commands_executed,
            ))
    });
    let again: Vec<(&str, &str)> = again.map(|s| (&*s.task_id, &*s.task_text)).collect();
    let Some((first, _)) = again.first() else {
        return Check {
            summary: "nothing stands in memory twice".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    };
    let told: Vec<String> = again
        .iter()
        .map(|(id, text)| format!("strategy::{id}: {text}"))
        .collect();
    Check {
        summary: format!("{} strategies stand in memory more than once", again.len()),
        details: examples(&told),
        recommended_action: "forget those that add nothing; the archive keeps them".to_owned(),
        command: command(&["aictx", "forget", &format!("strategy::{first}")]),
        ..check(name, CheckStatus::Warning)
    }
}

/// Checks how much of the memory still matches this tree.
pub(super) fn quality(app: &App, site: &Site) -> Check {
    let name = "continuity_quality";
    let params = PrepareParams {
        repo: site.scope(),
        ..PrepareParams::default()
    };
    let Ok(pack) = memory_queries::prepare(app, &params) else {
        return check(name, CheckStatus::Unknown);
    };
    let quality = aictx_proto::json::member(&pack, "continuity_quality").clone();
    let score = quality.get("score").and_then(Value::as_u64).unwrap_or(0);
    let good = quality.get("status").and_then(Value::as_str) == Some("ok");
    let stale = pack.get("staleness_warnings").cloned();
    Check {
        summary: format!("{score} of 100"),
        details: json!({ "score": score, "quality": quality, "examples": stale }),
        recommended_action: if good {
            String::new()
        } else {
            "look at what is old, and say what is wrong or no longer needed: `aictx memory list`, \
             `aictx wrong ID`"
                .to_owned()
        },
        // Advice: nothing is broken when memory has aged.
        ..check(
            name,
            if good {
                CheckStatus::Ok
            } else {
                CheckStatus::Warning
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_strategies_that_say_the_same_the_newest_success_is_kept() {
        let strategy = |id: &str, success| Strategy {
            task_id: id.to_owned(),
            task_text: "round half up".to_owned(),
            files_edited: vec!["calc.py".to_owned()],
            success,
            is_failure: !success,
            ..Strategy::default()
        };
        let rows = [
            strategy("failed", false),
            strategy("first", true),
            strategy("best", true),
            strategy("failed-again", false),
        ];
        let memory = Snapshot {
            strategies: aictx_proto::snapshot::shared(rows),
            ..Snapshot::default()
        };
        let found = duplicates(&memory);
        assert_eq!(found.command, ["aictx", "forget", "strategy::first"]);
        assert_eq!(found.details["count"], 3);
        assert!(!found.details.to_string().contains("strategy::best"));
    }
}
