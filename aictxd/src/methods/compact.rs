//! `compact`: what has become history goes to the archive; without `apply` it is only said.

use std::cell::Cell;
use std::path::Path;

use aictx_continuity::{Fate, Known, RULES, failure_list, rules, staleness};
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::json::member;
use aictx_proto::methods::CompactParams;
use aictx_proto::record::files;
use aictx_proto::rpc::RpcError;
use aictx_proto::snapshot::Snapshot;
use serde_json::{Value, json};

use super::place;
use crate::app::App;
use crate::hosts::{Host, store_error};

/// Directory of what was done when.
const MANIFESTS: &str = "archive/manifests";

pub(super) fn compact(app: &App, params: &CompactParams) -> Result<Value, RpcError> {
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let now = app.now();
    let is_gone = |path: &str| is_gone(&place.worktree, path);
    let known = Known {
        is_gone: &is_gone,
        now,
    };
    let mut artifacts: Vec<Value> = Vec::new();
    let mut warnings: Vec<String> = Vec::new();
    let mut archived: Vec<String> = Vec::new();
    for rule in RULES {
        let duplicates = Cell::new(0);
        let stays = |rows: &[Value]| -> Vec<bool> {
            let fates = rule.fates(rows, &known);
            let twice = fates.iter().filter(|f| **f == Fate::Duplicate);
            duplicates.set(twice.count());
            fates.iter().map(|f| *f == Fate::Keep).collect()
        };
        let done = match host.store.compact_rows(rule.file, params.apply, stays) {
            Ok(Some(done)) => done,
            Ok(None) => continue,
            // One file that cannot be compacted does not keep the others from it.
            Err(error) => {
                warnings.push(error.to_string());
                continue;
            }
        };
        if done.skipped_rows > 0 {
            warnings.push(format!(
                "invalid_jsonl_lines:{}:{}",
                rule.file, done.skipped_rows
            ));
        }
        let went = done.before_rows - done.kept_rows;
        let to: Vec<String> = done.archive_path.iter().map(|p| of_repo(p)).collect();
        archived.extend(to.iter().cloned());
        artifacts.push(json!({
            "path": of_repo(rule.file), "kind": rule.kind,
            "before_rows": done.before_rows, "after_rows": done.kept_rows,
            "kept_rows": done.kept_rows, "archived_rows": went - duplicates.get(),
            "deduped_rows": duplicates.get(), "skipped_rows": done.skipped_rows,
            "before_bytes": done.before_bytes, "after_bytes": done.after_bytes,
            "archive_paths": to,
        }));
    }
    let sum = |member: &str| -> u64 { artifacts.iter().filter_map(|a| a[member].as_u64()).sum() };
    let summary = json!({
        "artifacts_scanned": artifacts.len(),
        "rows_before": sum("before_rows"), "rows_after": sum("after_rows"),
        "rows_archived": sum("archived_rows"), "rows_deduped": sum("deduped_rows"),
        "rows_skipped": sum("skipped_rows"),
        "bytes_before": sum("before_bytes"), "bytes_after": sum("after_bytes"),
    });
    let manifest = format!("{MANIFESTS}/compact-{}.json", now.compact());
    let snapshot = host.snapshot();
    let report = json!({
        "generated_at": now, "mode": if params.apply { "apply" } else { "dry_run" },
        "repo_root": place.root, "rules": rules(), "artifacts": artifacts,
        "archive_paths": archived, "warnings": warnings,
        "manifest_path": if params.apply { of_repo(&manifest) } else { String::new() },
        "staleness": staleness(&snapshot, &known),
        "summary": summary,
    });
    if params.apply {
        finish(&host, &manifest, &report)?;
    }
    Ok(report)
}

/// Writes the manifest and what is derived from compacted rows, and bounds everything else.
fn finish(host: &Host, manifest: &str, report: &Value) -> Result<(), RpcError> {
    let replace = |file: &str, value: Value| Effect::ReplaceJson {
        file: file.to_owned(),
        value,
        order: KeyOrder::Sorted,
    };
    let written = report.clone();
    let committed = host.store.transact(|snapshot| {
        let mut effects: Effects = vec![
            replace(files::STALENESS, member(&written, "staleness").clone()),
            replace(
                files::DEDUPE_REPORT,
                dedupe_report(member(&written, "artifacts")),
            ),
            replace(manifest, written),
        ];
        effects.extend(derived(snapshot));
        ((), effects)
    });
    committed.map_err(|e| store_error(&e))?;
    host.store
        .archive_histories()
        .map(drop)
        .map_err(|e| store_error(&e))
}

/// Duplicates removed, in the members of `dedupe_report.json`: there is one handoff, and sub-systems are
/// merged when they are written.
fn dedupe_report(artifacts: &Value) -> Value {
    let of = |kind: &str| {
        let mut all = artifacts.as_array().into_iter().flatten();
        let one = all.find(|one| *member(one, "kind") == kind);
        let count =
            |name: &str| one.map_or(0, |one| member(one, name).as_u64().unwrap_or_default());
        let (before, removed) = (count("before_rows"), count("deduped_rows"));
        (before, before.saturating_sub(removed), removed)
    };
    let (before, after, removed) = of("decisions");
    let decisions = json!({ "before": before, "after": after, "duplicates_removed": removed });
    let (before, after, removed) = of("failure_patterns");
    json!({
        "handoff": { "canonical": true, "duplicates_removed": 0 },
        "decisions": decisions,
        "failure_patterns": {
            "before": before, "after": after, "merged_groups": 0, "duplicates_removed": removed,
        },
        "semantic_repo": { "subsystems_touched": 0, "strings_deduped": 0 },
    })
}

/// Returns the effect that renews a file derived from compacted rows.
pub(super) fn derived(snapshot: &Snapshot) -> Option<Effect> {
    (!snapshot.failures.is_empty()).then(|| failure_list(&snapshot.failures))
}

pub(super) fn of_repo(file: &str) -> String {
    format!(".aictx/{file}")
}

/// Returns true if a path that memory speaks of is known not to be there.
fn is_gone(worktree: &Path, path: &str) -> bool {
    let Ok(path) = aictx_proto::RepoPath::parse(path) else {
        return false;
    };
    let found = std::fs::symlink_metadata(worktree.join(path.as_str()));
    found.is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}
