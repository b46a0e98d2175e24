//! `suggest`, `reuse` and `reflect`.

use aictx_proto::Timestamp;
use aictx_proto::record::ExecutionLogRow;
use aictx_proto::snapshot::Snapshot;
use serde_json::{Map, Value, json};

use super::AtHand;
use crate::area_of_paths::derive_area;
use crate::classify::classify;
use crate::project::Project;
use crate::strategies::{StrategyMatch, StrategyQuery, details, find_strategies};

/// Files read more often than once, and files read at all, that look like going in circles.
const LOOPING: usize = 2;
const EXPLORING: usize = 8;

fn best<'a>(
    snapshot: &'a Snapshot,
    project: &Project,
    hand: &AtHand,
    now: Timestamp,
) -> (String, Option<StrategyMatch<'a>>) {
    let task = classify(hand.task_type, hand.request);
    let area = derive_area(hand.files.iter().map(String::as_str));
    let query = StrategyQuery {
        request: hand.request,
        task_type: &task.name,
        area: &area,
        files: hand.files,
        commands: hand.commands,
        tests: hand.tests,
        errors: hand.errors,
    };
    let found = find_strategies(&snapshot.strategies, &query, now).next();
    let found = found.map(|found| found.told_now(&project.presents));
    (task.name, found)
}

/// Where to begin, by what worked before.
pub fn suggest_strategy(
    snapshot: &Snapshot,
    project: &Project,
    hand: &AtHand,
    now: Timestamp,
) -> Value {
    let (_, found) = best(snapshot, project, hand, now);
    let s = found.as_ref().map(|f| f.strategy);
    let mut out = Map::new();
    out.insert(
        "suggested_entry_points".to_owned(),
        json!(s.map(|s| s.entry_points.clone()).unwrap_or_default()),
    );
    out.insert(
        "suggested_files".to_owned(),
        json!(s.map(|s| s.files_used.clone()).unwrap_or_default()),
    );
    out.insert(
        "source".to_owned(),
        json!(if s.is_some() {
            "strategy_memory"
        } else {
            "none"
        }),
    );
    out.extend(details(found.as_ref()));
    Value::Object(out)
}

/// What worked before for such a task.
pub fn reuse(snapshot: &Snapshot, project: &Project, hand: &AtHand, now: Timestamp) -> Value {
    let (task_type, found) = best(snapshot, project, hand, now);
    let s = found.as_ref().map(|f| f.strategy);
    let mut out = Map::new();
    out.insert(
        "task_type".to_owned(),
        json!(s.map_or(task_type, |s| s.task_type.clone())),
    );
    out.insert(
        "entry_points".to_owned(),
        json!(s.map(|s| s.entry_points.clone()).unwrap_or_default()),
    );
    out.insert(
        "files_used".to_owned(),
        json!(s.map(|s| s.files_used.clone()).unwrap_or_default()),
    );
    out.insert(
        "source".to_owned(),
        json!(if s.is_some() {
            "previous_successful_execution"
        } else {
            "none"
        }),
    );
    out.extend(details(found.as_ref()));
    Value::Object(out)
}

/// What the last execution looks like from outside.
pub fn reflect(last: Option<&ExecutionLogRow>) -> Value {
    let none = ExecutionLogRow::default();
    let row = last.unwrap_or(&none);
    let (reopened, opened) = (row.files_reopened.len(), row.files_opened.len());
    let (issue, action, reason) = if last.is_none() {
        ("none", "continue", "no execution is recorded yet")
    } else if reopened > LOOPING {
        (
            "looping_on_same_files",
            "write down what each file is for before reading it again",
            "several files were reopened",
        )
    } else if opened > EXPLORING && row.files_edited.is_empty() {
        (
            "too_much_exploration",
            "narrow the scope: start from the entry points",
            "many files were read and none was edited",
        )
    } else {
        ("none", "continue", "nothing stands out")
    };
    let mut points: Vec<&String> = Vec::new();
    for path in row.files_edited.iter().chain(&row.files_opened) {
        if points.len() < 5 && !points.contains(&path) {
            points.push(path);
        }
    }
    let mut reflected = json!({
        "reopened_files": row.files_reopened, "possible_issue": issue, "opened_files_count": opened,
        "suggested_next_action": action, "recommended_entry_points": points, "reason": reason,
    });
    row.origin.mark(&mut reflected);
    reflected
}
