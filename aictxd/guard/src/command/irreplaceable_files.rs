//! Files that nobody can make again, by their names: what a database, a secret or the state of an
//! infrastructure is called. Version control seldom has a copy of them.

use std::sync::LazyLock;

use aictx_proto::path::Located;
use aictx_proto::text::lower;
use aictx_shell::{Names, Word};

use super::path_target::is_regenerable;
use super::symlinks::Last;
use super::{Call, Judge, Kind, Tier};
use crate::finding_codes;
use crate::protected_paths::ending;

/// Endings of databases, of their dumps, of states and of stores of keys.
const ENDINGS: [&str; 24] = [
    ".db",
    ".db3",
    ".sqlite",
    ".sqlite3",
    ".duckdb",
    ".mdb",
    ".accdb",
    ".rdb",
    ".aof",
    ".ibd",
    ".dump",
    ".dump.gz",
    ".pgdump",
    ".sql.gz",
    ".sql.bz2",
    ".sql.xz",
    ".sql.zst",
    ".tfstate",
    ".tfstate.backup",
    ".kdbx",
    ".keystore",
    ".jks",
    ".pfx",
    ".p12",
];
/// Whole names.
const NAMES: [&str; 16] = [
    ".env",
    ".env.local",
    ".env.prod",
    ".env.production",
    ".env.staging",
    ".env.development",
    ".git-credentials",
    ".netrc",
    ".pgpass",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "master.key",
    "wallet.dat",
    "terraform.tfstate",
    "ibdata1",
];
/// Endings of what packs a backup.
const PACKED: [&str; 8] = [".tar", ".tgz", ".gz", ".zip", ".7z", ".zst", ".sql", ".bak"];
/// Words in names of what is there to be thrown away.
const FOR_A_WHILE: [&str; 11] = [
    "test", "tmp", "temp", "cache", "example", "sample", "fixture", "mock", "demo", "scratch",
    "dummy",
];

/// Extensions of all of these. Asked of every file that is deleted, and it tells almost
/// always that a name is none of them.
static LAST: LazyLock<Names> = LazyLock::new(|| {
    let all = ENDINGS.iter().chain(&NAMES).chain(&PACKED);
    all.filter_map(|end| end.rsplit('.').next()).collect()
});

/// Returns true for the name of a file that nobody can make again: a database, a secret, a state, a backup.
pub fn is_precious(path: &str) -> bool {
    let slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let start = path.as_bytes().iter().rposition(slash);
    let name = start.map_or(path, |at| path.get(at + 1..).unwrap_or_default());
    if !LAST.contains(lower(ending(name)).as_ref()) {
        return false;
    }
    let ends = |endings: &[&str]| endings.iter().any(|end| ends_with(name, end));
    let backup = || name.to_ascii_lowercase().contains("backup");
    let kept = NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
        || ends(&ENDINGS)
        || (ends(&PACKED) && backup());
    kept && !is_for_a_while(&path.to_ascii_lowercase())
}

/// Returns true if a name ends like this, in whatever case, behind something else.
fn ends_with(name: &str, end: &str) -> bool {
    let (name, end) = (name.as_bytes(), end.as_bytes());
    let lower = |byte: Option<&u8>| byte.map(u8::to_ascii_lowercase);
    // Two names seldom end in the same letter.
    lower(name.last()) == lower(end.last())
        && name.len() > end.len()
        && name
            .iter()
            .rev()
            .zip(end.iter().rev())
            .all(|(a, b)| a.eq_ignore_ascii_case(b))
}

/// Returns true if a path says that what is there may go, or is made again.
fn is_for_a_while(lower: &str) -> bool {
    let mut parts = lower.rsplit(['/', '\\']);
    let named = |part: &str| FOR_A_WHILE.iter().any(|word| part.contains(word));
    parts.next().is_some_and(named) || parts.any(|part| named(part) || is_regenerable(part))
}

impl Judge<'_> {
    /// Returns true if a word names something that nobody can make again, as far as its name and what is known
    /// of it tell.
    pub(super) fn is_precious(&self, call: Call, word: &Word) -> bool {
        if !is_precious(&word.text) {
            return false;
        }
        let known = self.known(call, word);
        let copied = known.tracked == Some(true) && known.dirty == Some(false);
        known.exists != Some(false) && !copied && !self.is_temporary(call, word)
    }

    /// Returns true for a directory of version control's own files, or one that holds a repository or precious files.
    /// Directories named for what is made again (`target`) are not looked into.
    pub(super) fn holds_precious(&self, call: Call, word: &Word) -> bool {
        let mut parts = word.text.split('/');
        if parts.any(is_regenerable) || self.is_temporary(call, word) {
            return false;
        }
        let way = self.way_of(call, word, Last::Itself);
        let Some(Located::Inside(path)) = way.located() else {
            return false;
        };
        let verdict = way.verdict().map(|(code, _)| code);
        verdict.is_some_and(|code| std::ptr::eq(code, &raw const finding_codes::VCS_INTERNALS_PATH))
            || self.facts.holds_precious(path)
    }

    /// One file is deleted; whether it was worth a finding of its own.
    pub(super) fn loses_precious(&mut self, call: Call, word: &Word, verb: &str) -> bool {
        let lost = self.is_precious(call, word);
        if lost {
            let shown = [word.text.as_str()];
            self.hit(Some(call), Kind::Delete, Tier::Destructive, verb, shown);
        }
        lost
    }

    /// A file takes the place of a store of data: elsewhere on this machine it is in use, and so is one
    /// that is named for it.
    pub(super) fn replaces_precious(&mut self, call: Call, from: &Word, word: &Word, verb: &str) {
        // A name without an ending is none of a store, and most endings are other ones.
        let may_be = LAST.contains(lower(ending(&word.text)).as_ref());
        let store = || ENDINGS.iter().any(|end| ends_with(&word.text, end));
        if !may_be || !store() || !self.is_precious(call, word) {
            return;
        }
        // `x.db.new` was made to take its place, and what one develops with is made again.
        let meant = from.text.starts_with(word.text.as_str());
        let own = ["dev", "local"].iter().any(|part| word.text.contains(part));
        let used = self.is_outside(call, word) || word.text.contains("prod");
        let tier = if used || (verb == "mv" && !meant && !own) {
            Tier::Destructive
        } else {
            Tier::Risky
        };
        let shown = [word.text.as_str()];
        self.hit(Some(call), Kind::Overwrite, tier, verb, shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_what_cannot_be_made_again() {
        for path in [
            "prod.db",
            "data/app.sqlite3",
            ".env",
            "infra/terraform.tfstate",
            "C:\\db\\main.mdb",
            "backups/nightly-backup.tar.gz",
            "dump.sql.gz",
            "release.keystore",
        ] {
            assert!(is_precious(path), "{path}");
        }
        for path in [
            "test.db",
            "tests/data/app.db",
            ".env.example",
            "target/x.db",
            "schema.sql",
            ".db",
            "src/backup.rs",
            "node_modules/a/b.db",
            "Thumbs.txt",
            "tmp/prod.db",
        ] {
            assert!(!is_precious(path), "{path}");
        }
    }
}
