//! One file as it is now, without an index: its content id and the texts of its definitions.

use std::collections::BTreeMap;
use std::path::Path;

use aictx_files::untrusted::{Directory, Links, ReadError};

use crate::document::Extractor;
use crate::segment::ContentId;

/// Larger files are known by their content id alone.
const MAX_PARSED: u64 = 1024 * 1024;
/// Larger files are not looked at.
const MAX_READ: u64 = 16 * 1024 * 1024;
/// Hexadecimal digits kept of a definition's hash.
const HASH_DIGITS: usize = 16;

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileState {
    /// Git's blob id, in hexadecimal digits.
    pub blob: String,
    /// Its definitions: for each name (of several with one name all of them together) the first 16
    /// digits of the blob id of its lines with white space collapsed, so that indentation and line
    /// shifts do not matter.
    pub definitions: BTreeMap<String, String>,
}

/// Looks at files of one tree.
pub struct Looker {
    root: Directory,
    extractor: Extractor,
}

impl std::fmt::Debug for Looker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Looker").finish_non_exhaustive()
    }
}

impl Looker {
    /// Opens a tree.
    ///
    /// # Errors
    /// When its root cannot be opened.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        Ok(Self {
            root: Directory::open(root)?,
            extractor: Extractor::default(),
        })
    }

    /// A regular file beneath the root, through no symbolic link; `None` when there is none. Linear in
    /// its size; parsing it has a deadline of its own.
    pub fn file(&mut self, path: &str, with_definitions: bool) -> Option<FileState> {
        let bytes = match self.root.read(path, Links::Refused, MAX_READ) {
            Ok(bytes) => bytes,
            // Too large to be compared: it is there, and that is all that is said.
            Err(ReadError::TooLong { .. }) => return Some(FileState::default()),
            Err(_) => return None,
        };
        let mut state = FileState {
            blob: format!("{:?}", ContentId::of(&bytes)),
            ..FileState::default()
        };
        if with_definitions && bytes.len() as u64 <= MAX_PARSED {
            state.definitions = self.definitions(path, &bytes);
        }
        Some(state)
    }

    fn definitions(&mut self, path: &str, bytes: &[u8]) -> BTreeMap<String, String> {
        let (_, facts) = self.extractor.facts(path, bytes, MAX_PARSED);
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().collect();
        let mut bodies: BTreeMap<String, String> = BTreeMap::new();
        for definition in &facts.definitions {
            let first = (definition.line as usize).saturating_sub(1);
            let last = (definition.end_line as usize).clamp(first, lines.len());
            let body = bodies
                .entry(facts.get(definition.name).to_owned())
                .or_default();
            for word in lines
                .get(first..last)
                .unwrap_or_default()
                .iter()
                .flat_map(|l| l.split_whitespace())
            {
                body.push_str(word);
                body.push(' ');
            }
        }
        bodies
            .into_iter()
            .map(|(name, body)| {
                let mut hash = format!("{:?}", ContentId::of(body.as_bytes()));
                hash.truncate(HASH_DIGITS);
                (name, hash)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_by_their_text_not_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(dir.path().join("a.rs"), text).unwrap();
        let mut looker = Looker::open(dir.path()).unwrap();
        write("fn one() { 1 }\nfn two() { 2 }\n");
        let before = looker.file("a.rs", true).unwrap();
        assert_eq!(before.definitions.len(), 2);
        write("// a comment\n\nfn one() {\n    1\n}\nfn two() { 3 }\n");
        let after = looker.file("a.rs", true).unwrap();
        assert_ne!(before.blob, after.blob);
        assert_eq!(before.definitions["one"], after.definitions["one"]);
        assert_ne!(before.definitions["two"], after.definitions["two"]);
        assert_eq!(looker.file("nowhere.rs", true), None);
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
        assert_eq!(looker.file("link", false), None);
        assert_eq!(looker.file("../outside", false), None);
    }
}
