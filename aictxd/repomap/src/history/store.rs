//! What was read of a history, for the next start.
//!
//! The bytes are those that [`parse`](super::parse) reads from git, behind a checksum: one reader
//! for both.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

use super::parse::{Commit, parse};

const MAGIC: &[u8; 8] = b"aictxlg2";

/// Commits as bytes.
pub fn encode(commits: &[Commit]) -> Vec<u8> {
    let mut body = String::new();
    for commit in commits {
        // Writing to a string cannot fail. A NUL would end the record.
        let _ = writeln!(body, "\u{1}{} {}", commit.hash, commit.time);
        body.extend(commit.message.chars().filter(|c| *c != '\0'));
        body.push('\0');
        for change in &commit.changes {
            body.push(change.status);
            body.push('\0');
            // The reader takes two paths behind these letters, and of a copy only one is kept.
            if matches!(change.status, 'R' | 'C') {
                body.push_str(change.from.as_deref().unwrap_or_default());
                body.push('\0');
            }
            body.push_str(&change.path);
            body.push('\0');
        }
    }
    let mut out = MAGIC.to_vec();
    out.extend(xxh3_64(body.as_bytes()).to_le_bytes());
    out.extend(body.into_bytes());
    out
}

/// Reads what [`encode`] wrote; nothing when it is damaged or something else.
pub fn decode(bytes: &[u8]) -> Option<Vec<Commit>> {
    let body = bytes.strip_prefix(MAGIC)?;
    let (sum, body) = body.split_first_chunk::<8>()?;
    (u64::from_le_bytes(*sum) == xxh3_64(body)).then(|| parse(body).commits)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Change;
    use super::*;
    use proptest::prelude::*;

    fn commit() -> impl Strategy<Value = Commit> {
        let change = (
            "[a-z/. ]{1,9}",
            proptest::option::of("[a-z/]{1,9}"),
            "[AMD]",
        );
        let change = change.prop_map(|(path, from, status)| Change {
            path,
            status: if from.is_some() {
                'R'
            } else {
                status.chars().next().unwrap()
            },
            from,
        });
        let message = "[A-Z][ -~]{0,30}(\n[ -~]{0,20}[a-z])?";
        (
            "[0-9a-f]{40}",
            0_i64..2_000_000_000,
            message,
            proptest::collection::vec(change, 0..5),
        )
            .prop_map(|(hash, time, message, changes)| Commit {
                hash,
                time,
                message: message.trim_end().to_owned(),
                changes,
            })
    }

    /// Git reports copies where `diff.renames` says so.
    #[test]
    fn a_copy_does_not_swallow_what_follows() {
        let log =
            super::super::parse(b"\x01aa 12\nOne\0C75\0old\0new\0M\0x\0\x01bb 11\nTwo\0A\0y\0");
        assert_eq!(log.commits.len(), 2);
        assert_eq!(decode(&encode(&log.commits)), Some(log.commits));
    }

    proptest! {
        #[test]
        fn commits_come_back(commits in proptest::collection::vec(commit(), 0..8)) {
            let bytes = encode(&commits);
            prop_assert_eq!(decode(&bytes), Some(commits));
        }

        #[test]
        fn damage_is_noticed(commits in proptest::collection::vec(commit(), 1..4), at: prop::sample::Index) {
            let mut bytes = encode(&commits);
            let at = at.index(bytes.len());
            bytes[at] ^= 1;
            prop_assert_eq!(decode(&bytes), None);
            prop_assert_eq!(decode(&bytes[..at]), None);
        }
    }
}
