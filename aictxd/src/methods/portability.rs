//! `portability.status` and `portability.compact`: memory that goes
//! through git.

use std::cell::Cell;

use aictx_artifacts::read::Line;
use aictx_artifacts::{MAX_SHARED_FILES, Row};
use aictx_continuity::{Fate, portable_fates};
use aictx_files::untrusted;
use aictx_proto::effect::Effects;
use aictx_proto::json::member;
use aictx_proto::methods::{CompactParams, InRepo};
use aictx_proto::record::files;
use aictx_proto::rpc::RpcError;
use aictx_redact::{Report, scrub_value};
use serde_json::{Map, Value, json};

use super::compact::{derived, of_repo};
use super::init::{Site, portable};
use super::place;
use crate::app::App;
use crate::hosts::{Host, store_error};

/// Findings of secrets that are listed.
const MAX_FINDINGS: usize = 50;
/// Shared files above which putting them together is recommended.
const MANY_FILES: usize = 1_000;
/// Longest shared file that is looked into for secrets, in bytes.
const MAX_SCANNED: u64 = 8 * 1024 * 1024;
/// Start of the mark in place of a secret.
const MARK: &str = "[redacted:";
/// Files that the ancestor shared as a whole: both sides of a merge change them.
const SNAPSHOTS: &[&str] = &[
    files::HANDOFF,
    files::SEMANTIC_REPO,
    files::FAILURE_INDEX,
    "area_memory/areas.json",
];

pub(super) fn compact(app: &App, params: &CompactParams) -> Result<Value, RpcError> {
    let site = Site::find(app, &params.repo, false)?;
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let shared = fold(&host, params.apply)?;
    let report = histories(&host, &site, params.apply, shared);
    if params.apply && member(&report, "changed") == &json!(true) {
        let decide = |snapshot: &_| ((), Effects::from_iter(derived(snapshot)));
        host.store
            .transact(decide)
            .map_err(|error| store_error(&error))?;
    }
    Ok(report)
}

/// Puts all shared files together in one, or says what that would do.
fn fold(host: &Host, apply: bool) -> Result<Option<Value>, RpcError> {
    let keeps = |file: &str, rows: &[Value]| -> Vec<bool> {
        let fates = portable_fates(file, rows);
        fates.iter().map(|fate| *fate == Fate::Keep).collect()
    };
    let folded = host.store.fold_shared(apply, &keeps);
    let folded = folded.map_err(|error| store_error(&error))?;
    Ok(folded.map(|done| {
        json!({
            "path": of_repo(files::SHARED_DIR), "files_before": done.files, "files_after": 1,
            "rows_before": done.before_records, "rows_after": done.kept_records,
            "duplicates_removed": done.duplicates,
            "rows_truncated": done.before_records - done.kept_records - done.duplicates,
            "invalid_rows": 0, "blocked_by_invalid_rows": false,
            "secret_redactions": done.scrubbed_records, "changed": apply, "would_change": true,
            "archive_path": null,
        })
    }))
}

/// Compacts each history and the `shared` files, or says what that would do.
fn histories(host: &Host, site: &Site, apply: bool, shared: Option<Value>) -> Value {
    let mut rows: Vec<Value> = shared.into_iter().collect();
    let mut warnings: Vec<String> = Vec::new();
    for file in portable::histories(site) {
        let duplicates = Cell::new(0);
        let judge = |rows: &[Value]| -> Vec<Row> {
            let fates = portable_fates(&file, rows);
            let twice = fates.iter().filter(|fate| **fate == Fate::Duplicate);
            duplicates.set(twice.count());
            let fate = |(row, fate): (&Value, &Fate)| match fate {
                Fate::Keep if secrets(row).is_empty() => Row::Stays,
                Fate::Keep => Row::Scrubbed,
                Fate::Archive | Fate::Duplicate => Row::Goes,
            };
            rows.iter().zip(&fates).map(fate).collect()
        };
        let done = match host.store.compact_rows(&file, apply, judge) {
            Ok(Some(done)) => done,
            Ok(None) => continue,
            // One file that cannot be compacted does not keep the others from it.
            Err(error) => {
                warnings.push(error.to_string());
                continue;
            }
        };
        let went = done.before_rows - done.kept_rows;
        let any = went > 0 || done.scrubbed_rows > 0;
        rows.push(json!({
            "path": of_repo(&file), "rows_before": done.before_rows, "rows_after": done.kept_rows,
            "duplicates_removed": duplicates.get(), "rows_truncated": went - duplicates.get(),
            "invalid_rows": done.skipped_rows, "blocked_by_invalid_rows": false,
            "secret_redactions": done.scrubbed_rows, "changed": apply && any, "would_change": any,
            "archive_path": done.archive_path.map(|path| of_repo(&path)),
        }));
    }
    let sum = |name: &str| -> u64 {
        rows.iter()
            .filter_map(|row| member(row, name).as_u64())
            .sum()
    };
    let any = |name: &str| rows.iter().any(|row| member(row, name) == &json!(true));
    let mut report = json!({
        "mode": if apply { "apply" } else { "dry_run" }, "applied": apply, "changed": any("changed"),
        "would_change": any("would_change"),
        "totals": {
            "files": rows.len(), "rows_before": sum("rows_before"), "rows_after": sum("rows_after"),
            "duplicates_removed": sum("duplicates_removed"),
            "rows_truncated": sum("rows_truncated"), "invalid_rows": sum("invalid_rows"),
            "secret_redactions": sum("secret_redactions"), "secret_findings": sum("secret_redactions"),
        },
        "blocked_by_invalid_rows": any("blocked_by_invalid_rows"),
        "files": rows, "warnings": warnings,
    });
    // The Python package has the sums beside the list.
    for name in [
        "duplicates_removed",
        "rows_truncated",
        "invalid_rows",
        "secret_redactions",
        "secret_findings",
    ] {
        let sum = member(member(&report, "totals"), name).clone();
        aictx_proto::json::set(&mut report, name, sum);
    }
    report
}

/// Secrets in a row; never their values.
fn secrets(row: &Value) -> Vec<(String, &'static str)> {
    let mut report = Report::default();
    scrub_value(&mut row.clone(), &mut report);
    let findings = report.findings.into_iter();
    findings
        .map(|finding| (finding.field, finding.kind))
        .collect()
}

pub(super) fn status(app: &App, params: &InRepo) -> Result<Value, RpcError> {
    let site = Site::find(app, &params.repo, false)?;
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let enabled = !site.is_outside() && portable::is_chosen(&site, None);
    let wanted = portable::said(enabled);
    let compaction = histories(&host, &site, false, None);
    let scan = scan(&host, &site);
    let drift = drift(&site, enabled, &wanted);
    let tracked = portable::tracked(&site);
    let in_sync = |name: &str| !drift.iter().any(|file| file == name);
    let attributes = site.root.join(".gitattributes");
    let risks: Vec<&String> = tracked
        .iter()
        .filter(|file| SNAPSHOTS.contains(&file.as_str()))
        .collect();
    let mut recommendations: Vec<String> = Vec::new();
    if !drift.is_empty() {
        recommendations.push(if enabled {
            "`aictx init --portable-continuity` writes git's rules anew".to_owned()
        } else {
            "`aictx init --no-portable-continuity` takes git's rules out".to_owned()
        });
    }
    let private = tracked
        .iter()
        .filter(|file| !files::is_shared(file))
        .count();
    if enabled && tracked.iter().any(|file| files::travels(file)) {
        recommendations.push(
            "`aictx init --portable-continuity` takes whole histories out of git and shares their records"
                .to_owned(),
        );
    } else if enabled && private > 0 || !enabled && !tracked.is_empty() {
        recommendations.push(
            "git tracks files of memory that are for this machine: `git rm --cached` with their names \
             takes them out of the next commit"
                .to_owned(),
        );
    }
    let found = member(&scan, "findings_count").as_u64().unwrap_or(0);
    let shared = shared_files(&site);
    if found > 0
        || shared.len() > MANY_FILES
        || member(&compaction, "would_change") == &json!(true) && enabled
    {
        recommendations.push("`aictx portability compact --apply`".to_owned());
    }
    let warned = !drift.is_empty() || found > 0 || !recommendations.is_empty();
    let mut told: Map<String, Value> = Map::new();
    told.insert(
        "status".into(),
        json!(if warned { "warning" } else { "ok" }),
    );
    for name in ["enabled", "mode", "policy_version", "profile"] {
        told.insert(name.into(), member(&wanted, name).clone());
    }
    told.extend([
        ("state_path".into(), json!(of_repo(files::PORTABILITY))),
        ("gitattributes_path".into(), json!(".gitattributes")),
        ("gitattributes_present".into(), json!(attributes.is_file())),
    ]);
    for name in ["portable_patterns", "local_only_patterns", "merge_policy"] {
        told.insert(name.into(), member(&wanted, name).clone());
    }
    told.extend([
        ("shared_files".into(), json!(shared.len())),
        ("jsonl_compaction".into(), compaction),
        ("secret_scan".into(), scan),
        (
            "sync".into(),
            json!({
                "state_in_sync": in_sync(files::PORTABILITY),
                "gitignore_in_sync": in_sync(".gitignore"),
                "gitattributes_in_sync": in_sync(".gitattributes"), "drift": drift,
            }),
        ),
        ("tracked_snapshot_risks".into(), json!(risks)),
        ("recommendations".into(), json!(recommendations)),
        ("warnings".into(), json!([])),
    ]);
    Ok(Value::Object(told))
}

/// Files of records that go through git.
fn shared_files(site: &Site) -> Vec<String> {
    let entries = untrusted::entries(&site.memory().join(files::SHARED_DIR));
    let names = entries.into_iter().flatten().take(MAX_SHARED_FILES);
    let names = names.filter_map(|entry| entry.name.into_string().ok());
    let files = names.map(|name| format!("{}/{name}", files::SHARED_DIR));
    files.filter(|file| files::is_shared(file)).collect()
}

/// Files that are not as the choice wants them.
fn drift(site: &Site, enabled: bool, wanted: &Value) -> Vec<String> {
    let mut drift: Vec<String> = Vec::new();
    let stored = portable::stored(site);
    // Memory that was never to travel says nothing of it.
    if stored.as_ref().map_or(enabled, |stored| stored != wanted) {
        drift.push(files::PORTABILITY.to_owned());
    }
    let wrong = if enabled {
        portable::missing_rules(site)
    } else {
        portable::rules_in_place(site)
    };
    let named = wrong.iter().filter_map(|file| file.rsplit('/').next());
    drift.extend(named.map(str::to_owned));
    drift
}

/// Secrets in what travels: there are none that we wrote, but others write there, too.
fn scan(host: &Host, site: &Site) -> Value {
    let mut findings: Vec<Value> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    let (mut count, mut redacted) = (0_usize, 0_usize);
    let mut look = |file: &str, rows: &[Value]| {
        let marks = rows.iter().map(|row| row.to_string().matches(MARK).count());
        redacted += marks.sum::<usize>();
        for (field, kind) in rows.iter().flat_map(secrets) {
            count += 1;
            if !named.contains(&of_repo(file)) {
                named.push(of_repo(file));
            }
            if findings.len() < MAX_FINDINGS {
                findings.push(json!({
                    "path": of_repo(file), "field": field, "kind": kind, "action": "redact",
                }));
            }
        }
    };
    for file in portable::histories(site) {
        let judge = |rows: &[Value]| -> Vec<bool> {
            look(&file, rows);
            vec![true; rows.len()]
        };
        // What cannot be read is told by compaction.
        let _ = host.store.compact_rows(&file, false, judge);
    }
    for file in shared_files(site) {
        let text = untrusted::read(&site.memory().join(&file), MAX_SCANNED).unwrap_or_default();
        let rows = aictx_artifacts::read::lines(&text).filter_map(|(_, line)| match line {
            Line::Row(row) => Some(Value::Object(row)),
            Line::Bad(_) => None,
        });
        look(&file, &rows.collect::<Vec<Value>>());
    }
    json!({
        "status": if count == 0 { "ok" } else { "warning" }, "findings_count": count,
        "files": named, "redacted_fields_count": redacted, "findings": findings,
    })
}
