//! What the name of a file or a target promises: `drop_all.sql`, `wipe-prod.sh`, `db:drop`.

use std::sync::LazyLock;

use aictx_shell::Names;

use super::Tier;
use super::verb_heuristics::{READING, STRONG, WEAK};

/// Things of which there is no second one.
const WIDE: &[&str] = &[
    "all",
    "everything",
    "db",
    "dbs",
    "database",
    "databases",
    "data",
    "prod",
    "production",
    "staging",
    "table",
    "tables",
    "schema",
    "env",
    "environment",
    "cluster",
    "stack",
    "infra",
    "infrastructure",
    "bucket",
    "buckets",
    "volumes",
    "disk",
    "disks",
    "server",
    "servers",
    "vm",
    "vms",
    "namespace",
    "namespaces",
    "system",
    "tenant",
    "tenants",
    "keyspace",
];
/// Verbs of [`WEAK`] that leave nothing of something wide.
const EMPTYING: &[&str] = &["reset", "truncate", "flush", "clear", "rollback"];
/// Both of [`STRONG`] and [`EMPTYING`]: every name of a script is asked about.
static PROMISING: LazyLock<Names> =
    LazyLock::new(|| STRONG.iter().chain(EMPTYING).copied().collect());

/// What the name of a script, a target or a recipe promises: `wipe-prod.sh`, `db:drop`, `destroy`.
pub(super) fn promised_by_name(path: &str) -> Option<Tier> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    if stem.len() > 64 {
        return None;
    }
    let stem = stem.to_ascii_lowercase();
    let mut parts = stem.split(['-', '_', ':', ' ']);
    // Almost every name promises nothing.
    if !parts.clone().any(|part| PROMISING.contains(part)) {
        return None;
    }
    let is = |verbs: &[&str], part: &str| verbs.contains(&part);
    let strong = parts.clone().any(|part| is(STRONG, part));
    let wide = parts.clone().any(|part| is(WIDE, part));
    if (!strong && !wide) || parts.any(|part| is(READING, part)) {
        return None;
    }
    Some(if strong && wide {
        Tier::Destructive
    } else {
        Tier::Risky
    })
}

/// What the name of a script that nothing else is known of promises: `drop_all.sql`, `wipe.sh`.
pub(super) fn promised_by_file(path: &str) -> Option<Tier> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if stem.len() > 64 {
        return None;
    }
    let mut parts = stem.split(['-', '_', ':', ' ']);
    if parts
        .clone()
        .any(|part| READING.contains(&part) && part != "set")
    {
        return None;
    }
    let says = |verbs: &[&str], part: &str| verbs.contains(&part);
    if parts
        .clone()
        .any(|part| says(STRONG, part) || says(&["truncate", "flush"], part))
    {
        Some(Tier::Destructive)
    } else if parts.any(|part| says(WEAK, part)) {
        Some(Tier::Risky)
    } else {
        None
    }
}
