//! Paths as people write them in messages.

use aictx_proto::path::locate;
use aictx_proto::{Located, RepoPath};

use super::path_lexicon::{
    Spelt, files_ending_in, has_ending, is_date, is_directory, is_file_name, is_pair,
};

/// Longest path that is taken from a message, in bytes.
const MAX_PATH: usize = 256;

/// The path that `text` spells, cleaned: `/` between segments, no `./`, no slash at the end.
/// `None` for everything else: links, versions, `and/or`, `Node.js`, `foo.bar`.
pub(super) fn spelt(text: &str, how: Spelt) -> Option<String> {
    let text = text
        .strip_prefix('@')
        .filter(|t| t.contains(['/', '.']))
        .unwrap_or(text);
    if text.is_empty()
        || text.len() > MAX_PATH
        || text.contains("://")
        || text.contains(['\0', '\n', '<', '>', '|', '"', '=', ';', '$', '{'])
            && !text.contains("/{")
    {
        return None;
    }
    let blanks = text.contains(char::is_whitespace);
    let slashed = text.replace('\\', "/");
    let drive =
        slashed.get(1..3) == Some(":/") && slashed.starts_with(|c: char| c.is_ascii_alphabetic());
    let text = without_line(&slashed, drive);
    let name = text
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let inner = text.trim_end_matches('/').contains('/');
    let plausible = |segment: &str| {
        segment.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    '_' | '.'
                        | '-'
                        | '*'
                        | '?'
                        | '['
                        | ']'
                        | '@'
                        | '+'
                        | '~'
                        | '('
                        | ')'
                        | '{'
                        | '}'
                        | ','
                        | ':'
                )
                || (how == Spelt::Marked && c == ' ')
        })
    };
    let ends = text.len() > 1 && text.ends_with('/') && !blanks;
    let found =
        if drive || text.starts_with("../") || text.starts_with("~/") || text.starts_with("./") {
            true
        } else if (inner || ends) && text.split('/').all(plausible) && !blanks {
            text.chars().any(char::is_alphanumeric) && !is_pair(text) && !is_date(text)
        } else if inner && how == Spelt::Marked && text.split('/').all(plausible) {
            has_ending(name)
        } else if inner || blanks {
            false
        } else {
            is_file_name(name, how) || (how == Spelt::Marked && is_directory(name))
        };
    match found {
        true => Some(files_ending_in(text).unwrap_or_else(|| clean(text))),
        false => None,
    }
}

/// Without `./` in front and slashes at the end.
fn clean(text: &str) -> String {
    let mut text = text;
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    let cut = text.trim_end_matches('/');
    if cut.is_empty() {
        text.to_owned()
    } else {
        cut.to_owned()
    }
}

/// Without `:12` or `:12:3` at the end.
fn without_line(text: &str, drive: bool) -> &str {
    let mut text = text;
    for _ in 0..2 {
        match text.rsplit_once(':') {
            Some((before, after))
                if !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit()) =>
            {
                text = before
            }
            Some((before, "")) if !drive => text = before,
            _ => break,
        }
    }
    text
}

/// Returns true if the path does not lie in the repository, as far as its text says.
pub(super) fn is_outside(path: &str) -> bool {
    path.starts_with('/') || RepoPath::parse(path).is_err()
}

/// Makes an absolute path below the repository's root `repo` relative to it.
pub(super) fn relative(repo: &str, path: &mut String) {
    if path.starts_with('/')
        && !repo.is_empty()
        && let Located::Inside(inside) = locate(repo, "", path)
    {
        inside.as_str().clone_into(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_what_only_looks_like_one() {
        for (text, want) in [
            ("src/auth.py", Some("src/auth.py")),
            ("docs/", Some("docs")),
            ("./a/b.rs", Some("a/b.rs")),
            ("../shared/util.py", Some("../shared/util.py")),
            (r"C:\proj\app\main.ts", Some("C:/proj/app/main.ts")),
            (r"src\ui\a.ts", Some("src/ui/a.ts")),
            ("Makefile", Some("Makefile")),
            (".env", Some(".env")),
            (".gitignore", Some(".gitignore")),
            (".eslintrc.json", Some(".eslintrc.json")),
            (".md", Some("**/*.md")),
            (".sql", Some("**/*.sql")),
            (".test.ts", Some("**/*.test.ts")),
            (".md-Dateien", Some("**/*.md")),
            ("*.lock", Some("*.lock")),
            ("src/**/*.rs", Some("src/**/*.rs")),
            ("app/[id]/page.tsx", Some("app/[id]/page.tsx")),
            ("main.rs:12:3", Some("main.rs")),
            ("and/or", None),
            ("24/7", None),
            ("https://example.test/a", None),
            ("Node.js", None),
            ("foo.bar", None),
            ("1.2", None),
            ("license", None),
        ] {
            assert_eq!(spelt(text, Spelt::Bare).as_deref(), want, "{text}");
        }
        assert_eq!(
            spelt("src/a b.py", Spelt::Marked).as_deref(),
            Some("src/a b.py")
        );
        assert_eq!(spelt("stop the server", Spelt::Marked), None);
    }
}
