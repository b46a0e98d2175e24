//! Issues of beads: a row for each line of `.beads/issues.jsonl`.

use aictx_proto::record::{ImportedRow, ImportedTurn};

use crate::payload::Members;

/// The issue in a line; `Ok(None)` for one that was deleted or says nothing, `Err` for what is no record.
///
/// # Errors
/// The line is not a JSON object.
pub fn issue(line: &str) -> Result<Option<ImportedRow>, serde_json::Error> {
    let issue = Members::parse(line)?;
    let text = |name: &str| issue.text(&[name]).into_owned();
    let (title, status) = (text("title"), text("status"));
    if title.is_empty() || status == "tombstone" || text("id").is_empty() {
        return Ok(None);
    }
    let joined = |names: &[&str]| -> String {
        let parts = names.iter().map(|name| text(name));
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    };
    Ok(Some(ImportedRow {
        source: "beads".to_owned(),
        session_id: text("id"),
        agent_id: text("assignee"),
        turns: vec![ImportedTurn {
            asked: joined(&["title", "description", "design", "acceptance_criteria"]),
            said: joined(&["close_reason", "notes"]),
        }],
        title,
        status,
        started_at: text("created_at"),
        timestamp: issue
            .text(&["closed_at", "updated_at", "created_at"])
            .into_owned(),
        ..ImportedRow::default()
    }))
}
