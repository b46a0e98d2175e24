//! Changing remembered failures by hand.

use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{FailurePattern, files};
use aictx_proto::text::clean;

use crate::error::ItemError;

/// What to do with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureEdit {
    /// It is resolved, and by what.
    Resolve(String),
    /// It is not resolved after all.
    Reopen,
    /// It never mattered.
    Forget,
}

/// The one pattern that `id` names: its id, its signature, or a beginning of either that no other
/// has.
///
/// # Errors
/// See [`ItemError`].
pub fn pick<'a>(
    patterns: &'a [Arc<FailurePattern>],
    id: &str,
) -> Result<&'a FailurePattern, ItemError> {
    let wanted = id.trim();
    let bare = wanted.strip_prefix("failure::").unwrap_or(wanted);
    if bare.is_empty() {
        return Err(ItemError::EmptyId);
    }
    if let Some(exact) = patterns.iter().find(|p| p.signature == bare) {
        return Ok(exact);
    }
    let begins: Vec<_> = patterns
        .iter()
        .filter(|p| p.signature.starts_with(bare))
        .collect();
    match begins.as_slice() {
        [one] => Ok(one),
        [] => Err(ItemError::UnknownFailure(wanted.to_owned())),
        several => Err(ItemError::Ambiguous {
            id: wanted.to_owned(),
            count: several.len(),
        }),
    }
}

/// Applies an edit; gives the pattern as it is then (as it was, when it is forgotten).
///
/// # Errors
/// When the id names none, or more than one.
pub fn edit_failure(
    patterns: &[Arc<FailurePattern>],
    id: &str,
    edit: &FailureEdit,
    now: Timestamp,
) -> Result<(FailurePattern, Effects), ItemError> {
    let mut changed = pick(patterns, id)?.clone();
    let mut all = patterns.to_vec();
    match edit {
        FailureEdit::Resolve(summary) => {
            changed.status = "resolved".to_owned();
            changed.resolution_evidence = "explicit".to_owned();
            changed.resolution_summary = clean(summary, 240);
            if !changed.resolution_summary.is_empty() {
                changed
                    .resolution_hint
                    .clone_from(&changed.resolution_summary);
            }
        }
        FailureEdit::Reopen => {
            if changed.status == "resolved" {
                changed.reopened += 1;
            }
            changed.status = "open".to_owned();
            changed.resolved_by.clear();
            changed.resolved_by_execution_id.clear();
            changed.resolution_evidence.clear();
        }
        FailureEdit::Forget => all.retain(|p| p.signature != changed.signature),
    }
    if *edit != FailureEdit::Forget {
        changed.timestamp = now.to_string();
    }
    for pattern in all.iter_mut().filter(|p| p.signature == changed.signature) {
        *pattern = Arc::new(changed.clone());
    }
    let rows = all
        .iter()
        .filter_map(|p| serde_json::to_value(&**p).ok())
        .collect();
    let effects = vec![
        Effect::ReplaceRows {
            file: files::FAILURE_PATTERNS.to_owned(),
            rows,
            order: KeyOrder::Sorted,
        },
        super::list(&all),
    ];
    Ok((changed, effects))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_need_one_pattern_and_change_only_it() {
        let pattern = |signature: &str| FailurePattern {
            failure_id: format!("failure::{signature}"),
            signature: signature.to_owned(),
            status: "open".to_owned(),
            ..FailurePattern::default()
        };
        let patterns = [pattern("rust:build:1"), pattern("rust:build:2")].map(Arc::new);
        let now = Timestamp::from_unix(5);
        assert!(edit_failure(&patterns, "rust:build", &FailureEdit::Reopen, now).is_err());
        assert!(edit_failure(&patterns, "", &FailureEdit::Reopen, now).is_err());
        assert!(edit_failure(&patterns, "go", &FailureEdit::Forget, now).is_err());
        let resolve = FailureEdit::Resolve("pinned the version".into());
        let (changed, effects) =
            edit_failure(&patterns, "failure::rust:build:2", &resolve, now).unwrap();
        assert_eq!(
            (
                changed.status.as_str(),
                changed.resolution_evidence.as_str()
            ),
            ("resolved", "explicit")
        );
        assert_eq!(effects.len(), 2);
        let (back, _) = edit_failure(
            &[Arc::new(changed)],
            "rust:build:2",
            &FailureEdit::Reopen,
            now,
        )
        .unwrap();
        assert_eq!((back.status.as_str(), back.reopened), ("open", 1));
        let (_, effects) =
            edit_failure(&patterns, "rust:build:1", &FailureEdit::Forget, now).unwrap();
        let Effect::ReplaceRows { rows, .. } = &effects[0] else {
            panic!("rows")
        };
        assert_eq!(rows.len(), 1);
    }
}
