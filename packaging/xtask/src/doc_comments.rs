//! Checks how doc comments begin: "Returns …", "Parser of …", not "What …" or "Whether …".

use std::fs;
use std::path::{Path, PathBuf};

use crate::Fallible;
use crate::reference::root;

/// Words that make a question of a doc comment.
const QUESTIONS: [&str; 5] = ["What", "Whether", "Who", "How", "Where"];
/// Largest share of doc comments that may open with one, in percent.
const MAX_PERCENT: usize = 3;
/// Directories with sources.
const SOURCES: [&str; 6] = [
    "proto",
    "aictxd",
    "aictx-client",
    "packaging",
    "tests",
    "fuzz",
];

/// Fails when too many doc comments open with a question word, and lists them.
pub(crate) fn check() -> Fallible<()> {
    let root = root()?;
    let (mut comments, mut questions) = (0, Vec::new());
    for file in SOURCES.iter().map(|source| root.join(source)) {
        visit(&file, &mut |path, text| {
            for (line, opening) in openings(text) {
                comments += 1;
                let first = opening.split_whitespace().next().unwrap_or_default();
                if QUESTIONS.contains(&first) {
                    let path = path.strip_prefix(&root).unwrap_or(path);
                    questions.push(format!("  {}:{line}: {opening}", path.display()));
                }
            }
        })?;
    }
    let (asked, most) = (questions.len(), comments * MAX_PERCENT / 100);
    println!("{asked} of {comments} doc comments open with a question word (at most {most})");
    if asked <= most {
        return Ok(());
    }
    Err(format!(
        "too many doc comments are questions:\n{}",
        questions.join("\n")
    )
    .into())
}

/// Calls `read` with each Rust file below a directory, build output aside.
fn visit(directory: &Path, read: &mut impl FnMut(&Path, &str)) -> Fallible<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            visit(&path, read)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read(&path, &fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// First lines of doc comments, with their line numbers from 1.
fn openings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.trim_start();
        let comment = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let was_inside = std::mem::replace(&mut inside, comment.is_some());
        let comment = comment?.trim();
        (!was_inside && !comment.is_empty()).then_some((at + 1, comment))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_lines_count() {
        let text =
            "//! Module.\n//! What it is.\n\n/// Whether.\nfn a() {}\n    /// Fine.\n// What\n";
        let found: Vec<_> = openings(text).collect();
        assert_eq!(found, [(1, "Module."), (4, "Whether."), (6, "Fine.")]);
    }
}
