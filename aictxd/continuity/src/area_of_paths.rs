//! Which part of a repository some paths belong to.

use std::collections::BTreeMap;

use aictx_proto::RepoPath;

use crate::lru_cache::is_test_command;

/// Most segments of an area.
const MAX_SEGMENTS: usize = 2;

/// The directory (at most two segments) that most of the paths lie in; `unknown` without paths.
/// Files at the root count for `.`. Ties go to the path named first. What is no path of the
/// repository (absolute, climbing out, a command line) has no area.
pub fn derive_area<'p>(paths: impl IntoIterator<Item = &'p str>) -> String {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, path) in paths.into_iter().enumerate() {
        if path.starts_with(['/', '~']) || is_command(path) {
            continue;
        }
        let Ok(path) = RepoPath::parse(path) else {
            continue;
        };
        let mut segments: Vec<&str> = path.segments().collect();
        if segments.pop().is_none() {
            continue;
        }
        segments.truncate(MAX_SEGMENTS);
        let area = if segments.is_empty() {
            ".".to_owned()
        } else {
            segments.join("/")
        };
        let entry = counts.entry(area).or_insert((0, index));
        entry.0 += 1;
    }
    counts
        .into_iter()
        .max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        .map_or_else(|| "unknown".to_owned(), |(area, _)| area)
}

/// Returns true if this is a command line that was reported among paths. A path may hold blanks, but no
/// word of it begins with a dash.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some()
        && (words.any(|w| w.starts_with('-')) || (text.contains(' ') && is_test_command(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_not_files_and_majority_not_first() {
        assert_eq!(derive_area([]), "unknown");
        assert_eq!(derive_area(["src/a.py"]), "src");
        assert_eq!(
            derive_area([".github/workflows/ci.yml"]),
            ".github/workflows"
        );
        assert_eq!(
            derive_area(["README.md", "src/app/a.py", "src/app/b.py"]),
            "src/app"
        );
        assert_eq!(derive_area(["docs/a.md", "src/b.rs"]), "docs");
        assert_eq!(derive_area(["calc.py"]), ".");
    }

    #[test]
    fn w11_wt6_commands_and_foreign_paths_are_no_area() {
        assert_eq!(derive_area(["pytest -q tests/x.py"]), "unknown");
        assert_eq!(derive_area(["cargo test parser", "src/a/b.rs"]), "src/a");
        assert_eq!(derive_area(["/etc/passwd", "../x/y.rs"]), "unknown");
        assert_eq!(derive_area(["./src/app/a.py"]), "src/app");
        assert_eq!(
            derive_area([".github/workflows/ci.yml"]),
            ".github/workflows"
        );
        assert_eq!(derive_area(["my notes/a b.md"]), "my notes");
        assert_eq!(derive_area(["README.md"]), ".");
        assert_ne!(
            derive_area(["packages/web/src/a.ts"]),
            derive_area(["packages/api/src/a.ts"])
        );
    }
}
