//! `portability`.

use aictx_proto::json::member;
use aictx_proto::methods::{CompactParams, InRepo, PORTABILITY_COMPACT, PORTABILITY_STATUS};
use serde_json::Value;

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::Portability;
use crate::cli::backend::Backend;
use crate::cli::error::CliError;
use crate::cli::terminal_text::{clean, table};

/// `aictx portability`.
pub(super) fn portability(backend: &Backend, command: &Portability) -> Result<Answer, CliError> {
    let (value, text) = match command {
        Portability::Status { at } => {
            let params = InRepo {
                repo: absolute(&at.repo)?,
            };
            let value = backend.call(PORTABILITY_STATUS, &params)?;
            let text = standing(&value);
            (value, text)
        }
        Portability::Compact { apply, at } => {
            let params = CompactParams {
                repo: absolute(&at.repo)?,
                apply: *apply,
            };
            let value = backend.call(PORTABILITY_COMPACT, &params)?;
            let text = histories(&value);
            (value, text)
        }
    };
    Ok(Answer {
        value,
        text,
        ..Answer::default()
    })
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    member(value, name).as_str().unwrap_or_default()
}

fn listed<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    let entries = member(value, name).as_array().into_iter().flatten();
    entries.filter_map(Value::as_str)
}

fn standing(value: &Value) -> String {
    let mut text = format!("{}: {}\n", word(value, "mode"), word(value, "status"));
    let sync = member(value, "sync");
    for file in listed(sync, "drift") {
        text.push_str(&format!("  {} is not as it should be\n", clean(file)));
    }
    for file in listed(member(value, "secret_scan"), "files") {
        text.push_str(&format!(
            "  {} holds what looks like a secret\n",
            clean(file)
        ));
    }
    for file in listed(value, "tracked_snapshot_risks") {
        text.push_str(&format!("  git tracks {}\n", clean(file)));
    }
    for what in listed(value, "recommendations") {
        text.push_str(&format!("next: {}\n", clean(what)));
    }
    text
}

fn histories(value: &Value) -> String {
    let files = member(value, "files").as_array().into_iter().flatten();
    let mut rows: Vec<Vec<String>> = files
        .map(|file| {
            let count = |name: &str| member(file, name).to_string();
            vec![
                clean(word(file, "path")),
                format!("{} of {}", count("rows_after"), count("rows_before")),
                format!("{} twice", count("duplicates_removed")),
                format!("{} old", count("rows_truncated")),
                format!("{} with a secret", count("secret_redactions")),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "no history goes through git yet\n".to_owned();
    }
    rows.sort();
    let mut text = table(&rows, 2);
    let would = member(value, "would_change") == &Value::Bool(true);
    if would && word(value, "mode") == "dry_run" {
        text.push_str("nothing was changed; --apply does it\n");
    }
    text
}
