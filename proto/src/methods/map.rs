//! `map.*`: where should an agent look first?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Most results of one query.
pub const MAX_MAP_RESULTS: u32 = 50;
/// Longest question that is read, in bytes.
pub const MAX_MAP_TEXT: usize = 64 * 1024;

/// As of what an answer was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapFreshness {
    /// `fresh` (nothing is known to be missing), `building` (files wait to be parsed), `stale` (the
    /// tree was not looked at since the age below), `empty` (nothing is indexed yet).
    pub state: String,
    /// Commit that HEAD names; empty without git.
    pub head: String,
    /// Files of the tree.
    pub files: u32,
    /// Files that wait to be parsed; they are found by path.
    pub pending: u32,
    /// Milliseconds since the tree was last found to be right.
    pub age_ms: u64,
    /// Past commits that serve as evidence.
    pub commits: u32,
    /// Omissions, in words.
    pub warnings: Vec<String>,
}

/// A definition in an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapSymbol {
    /// Name without its container.
    pub name: String,
    /// `function`, `class`, …
    pub kind: String,
    /// First line, from 1.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// First line of the definition without its body.
    pub signature: String,
    /// Names around it, outermost first, joined by `.`; empty at the top level.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub container: String,
    /// First sentence of its documentation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// Parameters of `map.query`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapQueryParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The task or question.
    pub text: String,
    /// Most results, 1 to [`MAX_MAP_RESULTS`]; 0 means 10.
    pub limit: u32,
    /// Files the session works on, relative to the repository or to `cwd`.
    pub active: Vec<String>,
    /// Absolute working directory that they may start from; empty for the root.
    pub cwd: String,
    /// Milliseconds to wait for an index that is being built; 0 answers with what is there.
    pub wait_ms: u64,
}

/// Position of the best symbol of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapHitMetadata {
    /// Best matching symbol; empty when the file matched otherwise.
    pub symbol: String,
    /// Its kind.
    pub symbol_kind: String,
    /// The file's language.
    pub language: String,
    /// Class of the file: `source`, `test`, `docs`, `config`, `fixture`, `generated` or
    /// `vendored`; all but the first two are ranked down unless they are asked for.
    pub class: String,
    /// The symbol's first line; 0 without one.
    pub line: u32,
}

/// One file of an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapHit {
    /// Path relative to the repository.
    pub path: String,
    /// 0 to 1000; comparable within one answer.
    pub score: u32,
    /// Probability that the task needs this file, as the ranking sees it: over all files together 1.
    pub confidence: f64,
    /// Why, the weightiest first.
    pub reasons: Vec<String>,
    /// Contribution of each reason to the score.
    pub evidence: BTreeMap<String, f64>,
    /// At most five definitions that match best.
    pub symbols: Vec<MapSymbol>,
    /// Always `repo_map`.
    pub kind: String,
    /// `path::symbol`, or the path.
    pub id: String,
    /// Title.
    pub title: String,
    /// The path again, as a list.
    pub paths: Vec<String>,
    /// The best symbol.
    pub metadata: MapHitMetadata,
}

/// Result of `map.query`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapQueryReply {
    /// Files, best first.
    pub results: Vec<MapHit>,
    /// Active files that are not in the index, as given: they had no say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// As of what.
    pub freshness: MapFreshness,
}

/// Parameters of methods that are asked about one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapFileParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that a relative path starts from; empty for the root.
    pub cwd: String,
    /// The file, as given.
    pub path: String,
    /// Most results; 0 means 20.
    pub limit: u32,
    /// Milliseconds to wait for an index that is being built.
    pub wait_ms: u64,
}

/// Parameters of methods that are asked about a name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapNameParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The name.
    pub name: String,
    /// Most results; 0 means 20.
    pub limit: u32,
    /// Milliseconds to wait for an index that is being built.
    pub wait_ms: u64,
}

/// Result of `map.outline`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapOutline {
    /// The file.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Why there are no definitions, or not all; empty for a file that was parsed whole.
    pub reason: String,
    /// Definitions in order.
    pub symbols: Vec<MapSymbol>,
    /// Definitions beyond the limit of one file.
    pub cut: u32,
    /// Modules that it imports, as written.
    pub imports: Vec<String>,
    /// As of what.
    pub freshness: MapFreshness,
}

/// A definition and where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapSymbolHit {
    /// File.
    pub path: String,
    /// `exact`, `case`, `prefix`, `substring` or `fuzzy`.
    #[serde(rename = "match")]
    pub how: String,
    /// The definition.
    pub symbol: MapSymbol,
}

/// Result of `map.symbol`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapSymbols {
    /// Definitions, best first.
    pub results: Vec<MapSymbolHit>,
    /// True if there are more.
    pub truncated: bool,
    /// As of what.
    pub freshness: MapFreshness,
}

/// One place where a name is used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapReference {
    /// File.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Byte column, from 1.
    pub column: u32,
    /// The line, cut to 200 characters.
    pub text: String,
    /// Innermost definition around it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub within: String,
}

/// Result of `map.refs`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapReferences {
    /// Definitions.
    pub definitions: Vec<MapSymbolHit>,
    /// References, definitions aside.
    pub references: Vec<MapReference>,
    /// Files that mention it; where not all were read, those that were not count as well.
    pub files: u32,
    /// True if there are more.
    pub truncated: bool,
    /// As of what.
    pub freshness: MapFreshness,
}

/// A file that has to do with another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRelative {
    /// File.
    pub path: String,
    /// 0 to 1000.
    pub score: u32,
    /// Why: `imports`, `imported_by`, `changed_together`, `tested_by`, `same_package` (has names that the file
    /// defines, in a language where files of a directory need no import).
    pub reasons: Vec<String>,
    /// Steps between the two; 1 is a neighbour.
    pub distance: u32,
}

/// Result of `map.related` and `map.impact`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRelatives {
    /// The file asked about.
    pub path: String,
    /// Files, nearest first.
    pub results: Vec<MapRelative>,
    /// Tests among what a change may break (only `map.impact`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// True if there are more.
    pub truncated: bool,
    /// As of what.
    pub freshness: MapFreshness,
}

/// Parameters of `map.brief`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapBriefParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The task; empty for an outline of the whole repository.
    pub task: String,
    /// Most tokens, estimated at four characters each; 0 means 1024.
    pub tokens: u32,
    /// Milliseconds to wait for an index that is being built.
    pub wait_ms: u64,
}

/// Result of `map.brief`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapBrief {
    /// The outline.
    pub text: String,
    /// Its estimated tokens.
    pub tokens: u32,
    /// Files in it, best first.
    pub files: Vec<String>,
    /// As of what.
    pub freshness: MapFreshness,
}

/// Parameters of methods that need a repository and nothing else.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRepoParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Milliseconds to wait for an index that is being built.
    pub wait_ms: u64,
}

/// Result of `map.status`: the fields of the file format, then ours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapStatus {
    /// True if continuity uses the map here.
    pub enabled: bool,
    /// The same as `query_available`.
    pub available: bool,
    /// Always true: the grammars are built in.
    pub provider_available: bool,
    /// True if anything is indexed.
    pub index_available: bool,
    /// True if queries can be answered.
    pub query_available: bool,
    /// True if a refresh can run.
    pub refresh_available: bool,
    /// `tree_sitter`.
    pub provider: String,
    /// Files in the index.
    pub files_indexed: u32,
    /// Definitions in the index.
    pub symbols_indexed: u32,
    /// `never`, `ok`, `partial` or `building`.
    pub last_refresh_status: String,
    /// Duration of the last refresh.
    pub last_refresh_ms: u64,
    /// Files that it parsed.
    pub files_reparsed: u32,
    /// Files that wait.
    pub files_pending: u32,
    /// Omissions and errors.
    pub warnings: Vec<String>,
    /// Files of each language.
    pub languages: BTreeMap<String, u32>,
    /// Files without definitions, by reason.
    pub without_symbols: BTreeMap<String, u32>,
    /// Files that the running refresh has parsed, and has to.
    pub progress_done: u32,
    /// See `progress_done`; 0 while nothing runs.
    pub progress_total: u32,
    /// Bytes of the index, mapped or in memory.
    pub index_bytes: u64,
    /// Of these, bytes on the heap.
    pub heap_bytes: u64,
    /// As of what.
    pub freshness: MapFreshness,
}

/// Parameters of `map.refresh`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRefreshParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Forget what is known and parse everything.
    pub full: bool,
}

/// Result of `map.refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRefreshReply {
    /// `ok` or `partial`.
    pub status: String,
    /// `full` or `incremental`.
    pub requested_mode: String,
    /// The same; a first refresh is always full.
    pub executed_mode: String,
    /// Files in the tree.
    pub files_discovered: u32,
    /// Files in the index.
    pub files_indexed: u32,
    /// Definitions in the index.
    pub symbols_indexed: u32,
    /// Files parsed.
    pub files_reparsed: u32,
    /// Changed files whose content was known.
    pub files_reused: u32,
    /// Files that wait.
    pub files_pending: u32,
    /// Wall time.
    pub duration_ms: u64,
    /// `tree_sitter`.
    pub provider: String,
    /// Omissions.
    pub warnings: Vec<String>,
}

/// An import in an exported record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapExportImport {
    /// Module as written.
    pub module: String,
    /// Always empty here.
    pub symbol: String,
    /// Always empty here.
    pub alias: String,
}

/// A definition in an exported record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapExportSymbol {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: String,
    /// First line.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Language.
    pub language: String,
}

/// One file of `index.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapExportFile {
    /// Path.
    pub path: String,
    /// Language.
    pub language: String,
    /// Definitions.
    pub symbols: Vec<MapExportSymbol>,
    /// Imports.
    pub imports: Vec<MapExportImport>,
    /// True if only path and words are known.
    pub metadata_only: bool,
    /// `tree_sitter`.
    pub provider: String,
    /// Why only metadata.
    pub reason: String,
    /// Size.
    pub size_bytes: u64,
    /// Modification time.
    pub mtime_ns: i64,
}

/// Result of `map.export`: the ancestor's `index.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapExport {
    /// 1.
    pub version: u32,
    /// Time.
    pub generated_at: String,
    /// `tree_sitter`.
    pub provider: String,
    /// `full`.
    pub mode: String,
    /// `git` or `scan`.
    pub discovery_source: String,
    /// `git+aictx_defaults` or `aictx_defaults`.
    pub ignore_source: String,
    /// Records.
    pub files: Vec<MapExportFile>,
}
