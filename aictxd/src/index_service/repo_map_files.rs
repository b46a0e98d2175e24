//! `.aictx/repo_map/`: what other readers of the format find of the index
//!. The index itself lies in the cache.

use std::path::Path;

use aictx_files::untrusted::{Directory, Links, ReadError};
use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::methods::MapRefreshReply;
use aictx_proto::record::files::{
    REPO_MAP_CONFIG, REPO_MAP_INDEX, REPO_MAP_MANIFEST, REPO_MAP_STATUS,
};
use aictx_repomap::facts::Kind;
use aictx_repomap::index_view::{FileId, View};
use aictx_repomap::tree::Tree;
use serde_json::{Value, json};

use crate::storage_location::MEMORY;

/// Name of the map's provider.
pub const PROVIDER: &str = "tree_sitter";

/// A repository's own settings of the map. Missing or unreadable settings are the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// True if continuity uses the map.
    pub enabled: bool,
    /// Larger files are found by path only.
    pub max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            max_file_bytes: 1 << 20,
        }
    }
}

/// Largest file that a repository may ask to have parsed.
const MOST_FILE_BYTES: u64 = 16 << 20;

impl Config {
    /// Reads the settings in the memory that lies in `home`.
    pub fn read(home: &Path) -> Self {
        let default = Self::default();
        let file = Path::new(MEMORY).join(REPO_MAP_CONFIG);
        let home = Directory::open(home).map_err(ReadError::from);
        let read = home.and_then(|home| home.read(file, Links::Refused, MAX_CONFIG));
        let bytes = read.unwrap_or_default();
        let Ok(config) = serde_json::from_slice::<Value>(&bytes) else {
            return default;
        };
        let enabled = config.get("enabled").and_then(Value::as_bool);
        let bytes = config.get("max_parse_file_bytes").and_then(Value::as_u64);
        Self {
            enabled: enabled.unwrap_or(default.enabled),
            max_file_bytes: bytes.unwrap_or(default.max_file_bytes).min(MOST_FILE_BYTES),
        }
    }
}

/// Longest configuration that is read, in bytes.
const MAX_CONFIG: u64 = 64 * 1024;

/// The files after a refresh. The configuration is only written where there is none.
pub fn effects(
    home: &Path,
    tree: &Tree,
    reply: &MapRefreshReply,
    git: bool,
    now: Timestamp,
) -> Effects {
    let config = Config::read(home);
    let replace = |file: &str, value: Value| Effect::ReplaceJson {
        file: file.to_owned(),
        value,
        order: KeyOrder::AsBuilt,
    };
    let mode = if reply.executed_mode == "full" {
        "full"
    } else {
        "quick"
    };
    let mut effects = vec![
        replace(REPO_MAP_MANIFEST, manifest(tree, mode, git)),
        replace(REPO_MAP_INDEX, index(tree, mode, git, now)),
        replace(
            REPO_MAP_STATUS,
            json!({
                "version": 1, "enabled": config.enabled, "available": tree.files() > 0,
                "provider": PROVIDER, "last_refresh_mode": mode,
                "last_refresh_status": reply.status, "last_refresh_ms": reply.duration_ms,
                "files_reparsed": reply.files_reparsed, "files_pending": reply.files_pending,
                "warnings": reply.warnings,
            }),
        ),
    ];
    if !home.join(MEMORY).join(REPO_MAP_CONFIG).exists() {
        let value = json!({
            "version": 1, "enabled": config.enabled, "provider": PROVIDER,
            "quick_refresh_budget_ms": 300, "quick_refresh_max_files": 20,
            "max_parse_file_bytes": config.max_file_bytes,
        });
        effects.push(replace(REPO_MAP_CONFIG, value));
    }
    effects
}

/// Most files and most symbols of `index.json`, some 10 MB: a larger repository's is marked as truncated.
const MAX_INDEX_FILES: usize = 20_000;
const MAX_INDEX_SYMBOLS: u32 = 100_000;

/// `index.json`, which the Python program's `map query` reads. Ours is never read here: it lies in the cache.
fn index(tree: &Tree, mode: &str, git: bool, now: Timestamp) -> Value {
    let mut left = MAX_INDEX_SYMBOLS;
    let rows = (0..tree.files()).map(FileId).zip(tree.rows());
    let files: Vec<Value> = rows
        .take(MAX_INDEX_FILES)
        .map(|(file, row)| {
            let language = tree.language(file);
            let count = tree.symbol_count(file).min(left);
            left -= count;
            let symbols = (0..count).filter_map(|number| tree.symbol(file, number));
            let symbols: Vec<Value> = symbols
                .map(|symbol| {
                    json!({
                        "name": symbol.name, "kind": kind(symbol.kind), "language": language,
                        "line": symbol.line, "end_line": symbol.end_line,
                    })
                })
                .collect();
            json!({
                "path": tree.path(file), "language": language, "provider": PROVIDER,
                "size_bytes": row.stamp.size, "mtime_ns": row.stamp.modified,
                "metadata_only": row.place.is_none(), "reason": "",
                "imports": tree.import_list(file).collect::<Vec<_>>(), "symbols": symbols,
            })
        })
        .collect();
    json!({
        "version": 1, "generated_at": now, "provider": PROVIDER, "mode": mode,
        "discovery_source": discovery_source(git), "ignore_source": ignore_source(git),
        "truncated": left == 0 || tree.files() as usize > files.len(),
        "files": files,
    })
}

/// A kind in the words of the Python program, which knows functions and classes.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Method => "function",
        Kind::Struct | Kind::Enum | Kind::Interface | Kind::Trait | Kind::Type => "class",
        kind => kind.as_str(),
    }
}

fn discovery_source(git: bool) -> &'static str {
    if git { "git" } else { "scan" }
}

fn ignore_source(git: bool) -> &'static str {
    if git {
        "git+aictx_defaults"
    } else {
        "aictx_defaults"
    }
}

fn manifest(tree: &Tree, mode: &str, git: bool) -> Value {
    let entries: Vec<Value> = (0..tree.files())
        .map(FileId)
        .zip(tree.rows())
        .map(|(file, row)| {
            json!({
                "path": tree.path(file), "size_bytes": row.stamp.size, "mtime_ns": row.stamp.modified,
            })
        })
        .collect();
    json!({
        "version": 1, "provider": PROVIDER, "mode": mode,
        "discovery_source": discovery_source(git), "ignore_source": ignore_source(git),
        "files_discovered": tree.files(), "files_indexed": tree.files() - tree.pending(),
        "symbols_indexed": tree.symbols(), "file_entries": entries,
    })
}
