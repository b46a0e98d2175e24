//! The files that a request itself names: nothing that is remembered comes before them.

use std::collections::HashSet;

use aictx_proto::fold::is_unspaced_script;
use aictx_proto::text::truncate_chars;
use aictx_proto::words;

/// Longest request that is read, in characters.
const MAX_READ: usize = 8 * 1024;

/// Plainness of a file's name in a message, the least plain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Naming {
    /// Not at all.
    None,
    /// By its name without an extension, as people speak of it: "the parser".
    Stem,
    /// By its name: `parser.py`.
    Name,
    /// By its path or the end of it: `app/parser.py`.
    Path,
}

/// Words of a request.
pub struct NamedFiles {
    words: HashSet<String>,
}

impl NamedFiles {
    /// The words of a request.
    pub fn of(request: &str) -> Self {
        let request = truncate_chars(request, MAX_READ).to_lowercase();
        let odd = |c: char| c.is_ascii() && !c.is_alphanumeric() && !"._-/+@~$".contains(c);
        let parts = request.split(|c: char| c.is_whitespace() || odd(c) || is_unspaced_script(c));
        // "m7.py." ends a sentence, ".github" begins a name.
        let words = parts.map(|word| word.trim_end_matches(['.', '-']));
        let words = words.map(|word| word.strip_prefix("./").unwrap_or(word));
        let words = words.filter(|word| !word.is_empty());
        Self {
            words: words.map(str::to_owned).collect(),
        }
    }

    /// Returns how plainly a repository-relative path is named. Looks at each part of the path once.
    pub fn how(&self, path: &str) -> Naming {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut ends = path.match_indices('/').map(|(at, _)| at + 1);
        let by_path = name != path && self.words.contains(&path)
            || ends.any(|at| {
                let end = path.get(at..).unwrap_or_default();
                end.contains('/') && self.words.contains(end)
            });
        let stem = name.split('.').next().unwrap_or_default();
        let telling = stem.bytes().any(|b| b.is_ascii_digit())
            || stem.len() > 2 && words::weight(stem) > 0.5 && !is_anywhere(stem);
        if by_path {
            Naming::Path
        } else if self.words.contains(name) {
            Naming::Name
        } else if telling && self.words.contains(stem) {
            Naming::Stem
        } else {
            Naming::None
        }
    }
}

/// Names that every other repository has: in a request they are words.
fn is_anywhere(stem: &str) -> bool {
    matches!(
        stem,
        "index"
            | "main"
            | "mod"
            | "lib"
            | "app"
            | "base"
            | "common"
            | "core"
            | "test"
            | "tests"
            | "types"
            | "util"
            | "utils"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_plainly_files_are_named() {
        let request =
            "Fix m7 in `src/app/Parser.py`, not in store.rs. 修复login.py的错误 (app/view.ts:12)";
        let named = NamedFiles::of(request);
        for (path, how) in [
            ("src/app/parser.py", Naming::Path),
            ("web/app/view.ts", Naming::Path),
            ("src/store.rs", Naming::Name),
            ("login.py", Naming::Name),
            ("src/m7.py", Naming::Stem),
            ("src/app/store.py", Naming::None),
            ("src/in.py", Naming::None),
            ("README.md", Naming::None),
        ] {
            assert_eq!(named.how(path), how, "{path}");
        }
        let named = NamedFiles::of("continue the main work; the parser is slow");
        assert_eq!(named.how("src/main.rs"), Naming::None);
        assert_eq!(named.how("src/parser.rs"), Naming::Stem);
        assert_eq!(NamedFiles::of("").how(""), Naming::None);
    }
}
