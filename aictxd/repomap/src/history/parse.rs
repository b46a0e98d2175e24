//! Reads what `git log -z --name-status` prints.

/// Starts each commit's record in [`FORMAT`]; no status letter and, at this place, no path.
const MARK: u8 = 1;
/// The `--format` that [`parse`] reads: mark, hash, time, newline, message.
pub(super) const FORMAT: &str = "--format=tformat:%x01%H %ct%n%B";
/// Longest message kept, in bytes.
const MAX_MESSAGE: usize = 16 * 1024;

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Path after the commit (before it, for a deletion).
    pub path: String,
    /// Former path of a renamed file.
    pub from: Option<String>,
    /// Git's letter: `A`, `M`, `D`, `R`, `C`, `T` …
    pub status: char,
}

/// One commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// Full hash.
    pub hash: String,
    /// Commit time, in seconds since 1970.
    pub time: i64,
    /// Whole message.
    pub message: String,
    /// Files in git's order.
    pub changes: Vec<Change>,
}

/// What a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Commits in the order of the log.
    pub commits: Vec<Commit>,
    /// Records that made no sense and were left out.
    pub skipped: u32,
}

/// Reads the output of `git log -z --name-status` with this module's format. Takes any bytes: what
/// makes no sense is counted and left out, a record that was cut off at the end counts as far as it
/// goes.
pub fn parse(bytes: &[u8]) -> Log {
    let mut log = Log::default();
    let mut records = bytes.split(|b| *b == 0);
    while let Some(record) = records.next() {
        // Git puts a newline between a message and the first status, also with -z.
        let record = match record {
            [b'\n', rest @ ..] => rest,
            all => all,
        };
        match record {
            [] => {}
            [MARK, rest @ ..] => log.commits.push(header(rest)),
            [letter @ b'A'..=b'Z', score @ ..]
                if score.len() <= 4 && score.iter().all(u8::is_ascii_digit) =>
            {
                let text = |r: Option<&[u8]>| r.map(|r| String::from_utf8_lossy(r).into_owned());
                let mut path = text(records.next());
                let mut from = None;
                if matches!(letter, b'R' | b'C') {
                    from = std::mem::replace(&mut path, text(records.next()));
                }
                let commit = log.commits.last_mut();
                match (path, commit) {
                    (Some(path), Some(commit)) if !path.is_empty() => commit.changes.push(Change {
                        path,
                        from: from.filter(|_| *letter == b'R'),
                        status: char::from(*letter),
                    }),
                    _ => log.skipped += 1,
                }
            }
            _ => log.skipped += 1,
        }
    }
    log
}

fn header(record: &[u8]) -> Commit {
    let text = String::from_utf8_lossy(record);
    let (line, message) = text.split_once('\n').unwrap_or((&text, ""));
    let (hash, time) = line.split_once(' ').unwrap_or((line, ""));
    let mut end = message.len().min(MAX_MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    Commit {
        hash: hash.to_owned(),
        time: time.trim().parse().unwrap_or(0),
        message: message.get(..end).unwrap_or("").trim_end().to_owned(),
        changes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commits_renames_and_nonsense() {
        let log = parse(
            b"\x01aa 12\nTitle\n\nBody\n\0\nM\0a b\0R100\0old\0new\0\0\x01bb 11\nOther\n\0\nD\0x\0zz\0A\0y\0M",
        );
        assert_eq!(log.skipped, 2);
        assert_eq!(log.commits.len(), 2);
        assert_eq!(log.commits[0].message, "Title\n\nBody");
        assert_eq!(log.commits[0].time, 12);
        assert_eq!(log.commits[0].changes[1].from.as_deref(), Some("old"));
        assert_eq!(log.commits[0].changes[1].path, "new");
        assert_eq!(log.commits[1].changes.len(), 2);
        assert_eq!(parse(b""), Log::default());
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            parse(&bytes);
        }

        #[test]
        fn any_records(pieces in proptest::collection::vec("[\u{1}MARD0-9 \n\0a]{0,6}", 0..40)) {
            parse(pieces.concat().as_bytes());
        }
    }
}
