//! The files that a measurement of the parser is about.

use std::path::{Path, PathBuf};

/// Names the directory and the suffix that the command line asks for.
const USAGE: &str = "DIRECTORY [SUFFIX]";

/// Every file in the directory of the command line whose name ends as it says, in order of paths.
pub(crate) fn of_the_command_line() -> Vec<PathBuf> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect(USAGE);
    let suffix = arguments.next().unwrap_or_default();
    let mut found = Vec::new();
    files(Path::new(&directory), &mut found);
    found.retain(|it| it.to_string_lossy().ends_with(&suffix));
    found.sort();
    found
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(it) if it.is_dir() => files(&entry.path(), found),
            Ok(it) if it.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}
