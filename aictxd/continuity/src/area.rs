//! Which part of a repository some paths belong to.

use std::collections::BTreeMap;

/// The directory (at most two segments) that most of the paths lie in; `unknown` without paths.
/// Files at the root count for `.`. Ties go to the path named first.
pub fn derive_area<'p>(paths: impl IntoIterator<Item = &'p str>) -> String {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, path) in paths.into_iter().enumerate() {
        let mut segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        segments.pop();
        segments.truncate(2);
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
}
