//! Imports to files.

use crate::facts::Facts;
use crate::view::FileId;

/// For each file the files that it imports.
pub fn resolve(files: &[(&str, &str, &Facts)]) -> Vec<Vec<FileId>> {
    vec![Vec::new(); files.len()]
}
