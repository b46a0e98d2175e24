//! Memory that goes through git: rules in `.gitignore` that show
//! what is worth sharing and hide the rest, union merges for histories, and a file that says so to
//! whoever clones the repository.

use std::path::Path;

use aictx_files::untrusted;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::methods::{FileChange, InitParams};
use aictx_proto::record::files;
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_runners::merge::{After, Block, Comment, Content, install};
use aictx_runners::plan::Edit;
use serde_json::{Value, json};

use super::{Site, TICKET_RULES, block_only, tracks_tickets};
use crate::app::App;
use crate::git;
use crate::hosts::store_error;
use crate::setup::agent_detection::holds_ours;
use crate::setup::{Carrier, files as others};

/// Tells our blocks of git's files from others.
const BLOCK: &str = "portable";
/// Longest file of ignore rules that is looked into, in bytes.
pub(in crate::methods) const MAX_RULES: u64 = 1024 * 1024;
/// Longest `portability.json` that is read, in bytes.
const MAX_STORED: u64 = 64 * 1024;
/// Most histories of threads that are looked at.
const MAX_HISTORIES: usize = 1_000;
/// Longest [`files::RECEIVED`] that is read, in bytes.
const MAX_RECEIVED: u64 = 8 * 1024 * 1024;
/// Names of files that one `git rm` is given.
const MAX_NAMES: usize = 500;
/// Version of the rules below, in the ancestor's counting.
const POLICY_VERSION: u64 = 3;
/// Files that stay on the machine, for readers of `portability.json`; git hides whatever is not shared.
const LOCAL: &[&str] = &[
    "archive/**",
    "area_memory/**",
    "continuity/contracts/**",
    files::DECISIONS,
    files::HANDOFF,
    files::HANDOFFS,
    files::LAST_SUMMARY,
    files::LIFECYCLE_EVENTS,
    files::RECEIVED,
    files::RESUME_CAPSULE_JSON,
    files::RESUME_CAPSULE_MD,
    files::SEMANTIC_REPO,
    files::SESSION,
    "continuity/semantic_repo/**",
    "failure_memory/**",
    files::FORMAT,
    "journal/**",
    "memory/**",
    "metrics/**",
    "quarantine/**",
    files::REPO_MAP_MANIFEST,
    files::REPO_MAP_STATUS,
    "sessions/**",
    "strategy_memory/**",
    "tasks/**",
];

/// Returns true if memory goes through git: what is asked for, else what `portability.json` says, else what was
/// chosen while another branch was checked out, else what the ancestor's rules in `.gitignore` say. One that came with the repository is followed where the
/// repository has the rules as well, so that nothing need be written for it.
pub(in crate::methods) fn is_chosen(site: &Site, asked: Option<bool>) -> bool {
    asked.unwrap_or_else(|| {
        let stored = stored(site).unwrap_or_default();
        let enabled = stored.get("enabled").and_then(Value::as_bool);
        if enabled == Some(true)
            && rules_in_place(site).is_empty()
            && tracked(site).iter().any(|file| file == files::PORTABILITY)
        {
            return false;
        }
        enabled.or_else(|| choice(site)).unwrap_or_else(|| {
            let rules = site.root.join(".gitignore");
            let rules = untrusted::read_text(&rules, MAX_RULES).unwrap_or_default();
            let mut lines = rules.lines().map(str::trim);
            lines.any(|line| line == "# mode: portable-continuity")
        })
    })
}

/// The user's last choice in this repository, on whichever branch.
fn choice(site: &Site) -> Option<bool> {
    let file = site.memory().join(files::RECEIVED);
    let text = untrusted::read_text(&file, MAX_RECEIVED).ok()?;
    let rows = text.lines().rev().filter(|line| line.contains("portable"));
    let rows = rows.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| row.get("portable")?.as_bool()).next()
}

/// Returns the content of `portability.json`; null when that is no JSON.
pub(in crate::methods) fn stored(site: &Site) -> Option<Value> {
    let file = site.memory().join(files::PORTABILITY);
    let text = untrusted::read(&file, MAX_STORED).ok()?;
    Some(serde_json::from_slice(&text).unwrap_or_default())
}

/// # Errors
/// When it is asked for where it cannot be.
pub(super) fn check(site: &Site, params: &InitParams, stealth: bool) -> Result<(), RpcError> {
    let refused = |text: &str, hint: &str| Err(RpcError::new(INVALID_PARAMS, text).hint(hint));
    if params.portable != Some(true) {
        return Ok(());
    }
    if stealth {
        let text = "the memory of this repository lies outside of it, where git does not see it";
        return refused(text, "take it out first: `aictx clean`");
    }
    if site.common_dir.is_none() {
        let text = "without git there is nothing that memory could travel with";
        return refused(text, "leave out --portable-continuity");
    }
    Ok(())
}

/// The blocks of git's files, as they are with the tickets shown or hidden as now.
pub(in crate::methods) fn edits(site: &Site) -> Vec<Edit> {
    edits_with(site, tracks_tickets(site, None, &site.bounds(&[])))
}

fn edits_with(site: &Site, tickets: bool) -> Vec<Edit> {
    let edit = |name: &str, body: String, reason| Edit {
        agent: "",
        file: site.root.join(name).to_string_lossy().into_owned(),
        content: Content::Block(Block {
            comment: Comment::Hash,
            id: BLOCK.to_owned(),
            body,
        }),
        reason,
        shared: true,
        caution: "",
    };
    vec![
        edit(
            ".gitignore",
            ignore_rules(tickets),
            "shows git what is worth sharing",
        ),
        edit(
            ".gitattributes",
            attributes(),
            "lets git merge shared records line by line",
        ),
    ]
}

/// Everything is hidden, then what is shared is shown again, directory by directory: git does not
/// look into a directory that is hidden as a whole.
fn ignore_rules(tickets: bool) -> String {
    let mut rules = rules();
    if tickets {
        rules.extend(TICKET_RULES.iter().map(|rule| (*rule).to_owned()));
    }
    format!("# mode: portable-continuity\n{}\n", rules.join("\n"))
}

/// The rules of [`ignore_rules`]. Beside one in a `.gitignore` they change nothing in the personal file,
/// where they hide what is private while a branch without them is checked out.
pub(super) fn rules() -> Vec<String> {
    let mut rules = vec!["!/.aictx/".to_owned(), "/.aictx/*".to_owned()];
    let mut opened: Vec<&str> = Vec::new();
    for pattern in files::SHARED {
        for (at, _) in pattern.match_indices('/') {
            let directory = pattern.get(..at).unwrap_or_default();
            if !opened.contains(&directory) {
                opened.push(directory);
                rules.push(format!("!/.aictx/{directory}/"));
                rules.push(format!("/.aictx/{directory}/*"));
            }
        }
        rules.push(format!("!/.aictx/{pattern}"));
    }
    rules
}

/// Shared files are rows that are never changed: both sides' rows are the merge.
fn attributes() -> String {
    let rows = files::SHARED
        .iter()
        .filter(|pattern| pattern.ends_with(".jsonl"));
    rows.map(|pattern| format!("/.aictx/{pattern} merge=union\n"))
        .collect()
}

/// Puts the blocks in, or takes them out, for who asks: they stand in files that git tracks.
pub(super) fn write(
    carrier: &mut Carrier<'_>,
    site: &Site,
    asked: Option<bool>,
    tickets: bool,
) -> super::Changes {
    let edits = edits_with(site, tickets);
    let Some(portable) = asked else {
        return super::Changes::new();
    };
    if portable {
        let scope = site.scope();
        return edits.iter().map(|edit| carrier.put(&scope, edit)).collect();
    }
    let own = block_only(carrier, site, &edits);
    let (mut changes, _) = carrier.take(&own, &edits);
    changes.retain(|change| change.action != "unchanged");
    changes
}

/// Files of git in which our rules are missing or not as they should be.
pub(in crate::methods) fn missing_rules(site: &Site) -> Vec<String> {
    let right = |edit: &Edit| {
        let bounds = site.bounds(&[]);
        let found = others::read(Path::new(&edit.file), &bounds).ok()?;
        let outcome = install(&edit.file, found.text.as_deref(), &edit.content, false).ok()?;
        (outcome.after == After::Unchanged).then_some(())
    };
    let wrong = edits(site).into_iter().filter(|edit| right(edit).is_none());
    wrong.map(|edit| edit.file).collect()
}

/// Files of git in which rules of ours stand.
pub(in crate::methods) fn rules_in_place(site: &Site) -> Vec<String> {
    let bounds = site.bounds(&[]);
    let there = edits(site).into_iter();
    let there = there.filter(|edit| holds_ours(edit, &bounds));
    there.map(|edit| edit.file).collect()
}

/// Files of memory in git's index, relative to `.aictx`.
pub(in crate::methods) fn tracked(site: &Site) -> Vec<String> {
    if site.common_dir.is_none() || site.is_outside() {
        return Vec::new();
    }
    git::tracked_memory(&site.root).unwrap_or_default()
}

/// Writes `portability.json`, and notes the user's choice where it `is_new`. Nothing where memory was never portable.
pub(super) fn effects(portable: bool, known: bool, is_new: bool) -> Effects {
    if !portable && !known {
        return Effects::new();
    }
    let said = Effect::ReplaceJson {
        file: files::PORTABILITY.to_owned(),
        value: said(portable),
        order: KeyOrder::Sorted,
    };
    let chosen = is_new.then(|| Effect::AppendRows {
        file: files::RECEIVED.to_owned(),
        rows: vec![aictx_artifacts::choice_row(portable)],
        order: KeyOrder::Sorted,
    });
    std::iter::once(said).chain(chosen).collect()
}

/// Takes histories and documents that git tracks out of its index; their records stay in the memory, and go into a
/// shared file. Gives what was done to each, and what went wrong.
///
/// # Errors
/// The memory cannot be opened.
pub(super) fn untrack(
    app: &App,
    site: &Site,
    dry_run: bool,
) -> Result<(super::Changes, Option<String>), RpcError> {
    let tracked = tracked(site).into_iter();
    let old: Vec<String> = tracked.filter(|file| files::travels(file)).collect();
    if old.is_empty() {
        return Ok((super::Changes::new(), None));
    }
    if !dry_run {
        let host = app.hosts.open(&site.root)?;
        host.store
            .share_tracked()
            .map_err(|error| store_error(&error))?;
        for names in old.chunks(MAX_NAMES) {
            if !git::untrack(&site.root, names) {
                let text = "git did not take old histories of .aictx out of its index: \
                            `git rm -r --cached .aictx` does";
                return Ok((super::Changes::new(), Some(text.to_owned())));
            }
        }
    }
    let changes = old.into_iter().map(|file| FileChange {
        path: format!(".aictx/{file}"),
        action: "kept".to_owned(),
        reason: "git no longer tracks it; its records are in .aictx/shared".to_owned(),
        ..FileChange::default()
    });
    Ok((changes.collect(), None))
}

/// Returns the planned content of `portability.json`.
pub(in crate::methods) fn said(portable: bool) -> Value {
    let mut said = json!({
        "version": 1, "enabled": portable, "policy_version": POLICY_VERSION,
        "mode": if portable { "portable-continuity" } else { "local-only" },
    });
    if portable && let Some(said) = said.as_object_mut() {
        let rows: Vec<&str> = files::SHARED
            .iter()
            .copied()
            .filter(|pattern| pattern.ends_with(".jsonl"))
            .collect();
        said.insert("profile".into(), json!("team-safe"));
        said.insert("portable_patterns".into(), json!(files::SHARED));
        said.insert("local_only_patterns".into(), json!(LOCAL));
        let merge = json!({
            "transport": "git", "external_tool_required": false, "jsonl_merge_driver": "union",
            "portable_jsonl_patterns": rows, "managed_gitattributes": true,
        });
        said.insert("merge_policy".into(), merge);
    }
    said
}

/// Histories whose rows travel, as files: those of threads are one a thread.
pub(in crate::methods) fn histories(site: &Site) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pattern in files::TRAVELLING
        .iter()
        .filter(|pattern| pattern.ends_with(".jsonl"))
    {
        let Some((directory, _)) = pattern.split_once("/*") else {
            found.push((*pattern).to_owned());
            continue;
        };
        let entries = untrusted::entries(&site.memory().join(directory));
        let names = entries.into_iter().flatten().take(MAX_HISTORIES);
        let names = names.filter_map(|entry| entry.name.into_string().ok());
        let names = names.map(|name| format!("{directory}/{name}"));
        found.extend(names.filter(|file| file.ends_with(".jsonl") && files::travels(file)));
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directory_is_opened_once_before_what_is_in_it() {
        let rules = ignore_rules(false);
        let lines: Vec<&str> = rules.lines().collect();
        let at = |line: &str| {
            let mut found = lines.iter().enumerate().filter(|(_, l)| **l == line);
            let (at, _) = found.next().unwrap_or_else(|| panic!("{line}: {rules}"));
            assert!(found.next().is_none(), "{line} twice: {rules}");
            at
        };
        assert!(at("/.aictx/*") < at("!/.aictx/shared/"));
        assert!(at("!/.aictx/shared/") < at("/.aictx/shared/*"));
        assert!(at("/.aictx/shared/*") < at("!/.aictx/shared/*.jsonl"));
    }

    #[test]
    fn one_star_is_one_name() {
        assert!(files::is_shared("shared/a.jsonl") && files::is_shared(files::POLICY));
        assert!(files::travels("tasks/threads/a.json") && files::travels(files::DECISIONS));
        assert!(!files::travels("tasks/threads/a/b.json") && !files::travels("tasks/active.json"));
        for private in [
            "shared/.jsonl",
            "tasks/active.json",
            "tasks/threads/a/b.json",
            "sessions/a.jsonl",
        ] {
            assert!(!files::is_shared(private), "{private}");
        }
    }

    #[test]
    fn nothing_is_both_shared_and_local() {
        for pattern in LOCAL {
            let directory = pattern.trim_end_matches("**");
            assert!(
                !files::SHARED
                    .iter()
                    .any(|shared| shared.starts_with(directory)),
                "{pattern}"
            );
        }
    }
}
