//! `memory.import`: what agents did before aictx was installed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Surroundings;

/// Sources of what can be imported.
pub const IMPORT_SOURCES: &[&str] = &[
    "claude", "codex", "gemini", "opencode", "copilot", "markdown", "beads",
];

/// Parameters of `memory.import`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ImportParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
    /// Only of these sources ([`IMPORT_SOURCES`]); empty for all agents.
    pub sources: Vec<String>,
    /// Absolute path of a file or folder to read instead of the agents' own folders.
    pub path: String,
    /// Only what ended at or after this date (`2026-03-01`) or time.
    pub since: String,
    /// Files to pass over: [`ImportReply::done`] of the call before.
    pub skip: u64,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// Remove everything that was imported instead.
    pub remove: bool,
}

/// Counts of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ImportedSource {
    /// One of [`IMPORT_SOURCES`]; empty for files of an unknown format.
    pub source: String,
    /// Files that were looked at.
    pub files: u64,
    /// Sessions, sections or issues that are new.
    pub added: u64,
    /// Ones that grew since they were imported.
    pub changed: u64,
    /// Ones that were imported already.
    pub known: u64,
    /// Ones that were left out, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// Lines that are no records.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_understood: u64,
}

impl ImportedSource {
    /// Adds the counts of another call.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.added += other.added;
        self.changed += other.changed;
        self.known += other.known;
        self.not_understood += other.not_understood;
        for (reason, count) in &other.skipped {
            *self.skipped.entry(reason.clone()).or_default() += count;
        }
    }
}

/// Result of `memory.import`: a call works for about two seconds, and `done` says how far it came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ImportReply {
    /// By source; of this call.
    pub sources: Vec<ImportedSource>,
    /// Files that are done, those passed over included.
    pub done: u64,
    /// Files in all.
    pub total: u64,
    /// Items that were removed.
    #[serde(skip_serializing_if = "is_zero")]
    pub removed: u64,
    /// Secrets that were taken out, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub redacted: BTreeMap<String, u64>,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl ImportReply {
    /// Adds what a later call for the same import did.
    pub fn add(&mut self, later: Self) {
        for source in &later.sources {
            let mut known = self.sources.iter_mut();
            match known.find(|one| one.source == source.source) {
                Some(known) => known.add(source),
                None => self.sources.push(source.clone()),
            }
        }
        for (kind, count) in later.redacted {
            *self.redacted.entry(kind).or_default() += count;
        }
        for warning in later.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.removed += later.removed;
        (self.done, self.total) = (later.done, later.total);
        self.dry_run = later.dry_run;
    }
}

/// Sessions of one agent that could be imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct EarlierSessions {
    /// Its name for people.
    pub agent: String,
    /// Number found in the available time.
    pub sessions: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
