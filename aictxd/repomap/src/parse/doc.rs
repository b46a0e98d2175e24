//! The first sentence of a comment.

use crate::facts::MAX_DOC;

/// Longest comment that is looked at, in bytes.
const MAX_COMMENT: usize = 2_000;
/// No sentence is kept that is longer, in bytes.
const ENOUGH: usize = 4 * MAX_DOC;

/// Beginnings of comment lines that speak to a tool, not to a reader.
const DIRECTIVES: &[&str] = &[
    "go:",
    "nolint",
    "eslint",
    "prettier-ignore",
    "@ts-",
    "noqa",
    "pylint:",
    "type:",
    "swiftlint:",
    "noinspection",
    "NOLINT",
    "clang-format",
    "rubocop:",
    "istanbul ",
    "biome-",
    "-*-",
    "vim:",
    "+build",
    "region",
    "endregion",
    "MARK:",
    "pragma",
    "frozen_string_literal",
    "export ",
    "shellcheck ",
    "SPDX-",
];

/// Appends the first sentence of `comment`, which may be several comments one below the other or a
/// string literal, without the marks that make it one. A paragraph is the longest a sentence gets.
pub(super) fn first_sentence(comment: &[u8], out: &mut String) {
    let comment = comment.get(..MAX_COMMENT).unwrap_or(comment);
    let text = String::from_utf8_lossy(comment);
    // `# ----` above a text makes it the heading of a part of the file.
    let first = text.lines().next().unwrap_or("");
    let rule = ["#", "//", "--", ";"]
        .iter()
        .any(|it| first.starts_with(it))
        && first.len() > 8
        && !first.contains(char::is_alphanumeric);
    if rule {
        return;
    }
    for line in text.lines().filter(|it| !it.starts_with("#!/")) {
        let line = bare(line);
        if line.is_empty() || !line.contains(char::is_alphanumeric) {
            // A rule of dashes or an empty line ends the paragraph, if there is one yet.
            if out.is_empty() {
                continue;
            }
            break;
        }
        if DIRECTIVES.iter().any(|it| line.starts_with(it)) {
            continue;
        }
        if line.starts_with(['@', '\\']) || line.starts_with(":param") {
            // Tags; `@brief` and `@summary` are what is looked for.
            let Some(rest) = ["@brief ", "\\brief ", "@summary ", "@description "]
                .iter()
                .find_map(|tag| line.strip_prefix(tag))
            else {
                if out.is_empty() {
                    continue;
                }
                break;
            };
            if add(rest, out) {
                return;
            }
            continue;
        }
        if add(line, out) {
            return;
        }
    }
}

/// Appends a line; whether a sentence ended in it, or enough was said.
fn add(line: &str, out: &mut String) -> bool {
    if !out.is_empty() {
        out.push(' ');
    }
    let mut rest = line;
    loop {
        let Some(at) = rest
            .bytes()
            .position(|c| matches!(c, b'.' | b'!' | b'?' | b'<') || c == FULL_STOP.0)
        else {
            out.push_str(rest);
            return out.len() > ENOUGH;
        };
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let mut chars = after.chars();
        let mark = chars.next().unwrap_or(' ');
        rest = chars.as_str();
        // Documentation in XML and HTML: `<summary>`, `<p>`, `<see cref="..."/>`.
        if mark == '<'
            && rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '/')
            && let Some((_, behind)) = rest.split_once('>')
        {
            rest = behind;
            continue;
        }
        out.push(mark);
        if mark == FULL_STOP.1 {
            return true;
        }
        if !matches!(mark, '.' | '!' | '?') {
            continue;
        }
        if rest.is_empty() {
            return !abbreviated(out);
        }
        let next = rest.strip_prefix(' ').map(str::trim_start);
        let starts = next.is_some_and(|it| it.starts_with(|c: char| !c.is_lowercase()));
        if starts && !abbreviated(out) {
            return true;
        }
    }
}

/// The full stop of Chinese and Japanese, with its first byte.
const FULL_STOP: (u8, char) = (0xe3, '。');

/// Returns true if the full stop at the end belongs to a word.
fn abbreviated(text: &str) -> bool {
    ["e.g.", "i.e.", "etc.", "cf.", "vs.", "..", "resp."]
        .iter()
        .any(|it| text.ends_with(it))
}

/// A comment line without what marks it as one.
fn bare(line: &str) -> &str {
    let mut line = line.trim();
    for close in ["*/", "-}", "*)", "\"\"\"", "'''", "]]", "-->"] {
        line = line.strip_suffix(close).unwrap_or(line);
    }
    const OPEN: &[&str] = &[
        "/**", "/*!", "/*", "///", "//!", "//", "{-|", "{- |", "{-", "(**", "(*", "--|", "-- |",
        "--[[", "---", "--", "<!--", "#'", "#!", "##", "#", ";;", ";", "%%", "%", "*",
    ];
    // Prefixes of a docstring, with the letters Python allows before it.
    let quoted = line.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(rest) = quoted.strip_prefix(quote) {
            let rest = rest.strip_suffix(quote).unwrap_or(rest);
            return rest.trim();
        }
    }
    if let Some(rest) = OPEN.iter().find_map(|open| line.strip_prefix(open)) {
        line = rest;
    }
    line.trim_start_matches(['*', '!', '/', '<', '|', '#'])
        .trim()
        .trim_end_matches(['-', '=', '*', '#'])
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comment: &str) -> String {
        let mut out = String::new();
        first_sentence(comment.as_bytes(), &mut out);
        out
    }

    #[test]
    fn sentences() {
        assert_eq!(of("/// Reads a file. Then more."), "Reads a file.");
        assert_eq!(
            of("/// Reads, e.g. a\n/// file.\n/// More."),
            "Reads, e.g. a file."
        );
        assert_eq!(of("/**\n * Adds.\n * @param a first\n */"), "Adds.");
        assert_eq!(
            of("/**\n * @brief Adds two\n * @param a first\n */"),
            "Adds two"
        );
        assert_eq!(of("// ----------\n// Section\n// ----------"), "");
        assert_eq!(of("/*****\n * Says it.\n *****/"), "Says it.");
        assert_eq!(
            of("\"\"\"Doc of v1.2 here.\n\n    Rest.\n    \"\"\""),
            "Doc of v1.2 here."
        );
        assert_eq!(of("r'''Raw'''"), "Raw");
        assert_eq!(
            of("/// <summary>Gets <see cref=\"A\"/> it.</summary>"),
            "Gets  it."
        );
        assert_eq!(of("//go:noinline\n// F does."), "F does.");
        assert_eq!(of("-- | Folds it"), "Folds it");
        assert_eq!(of("(** Maps. *)"), "Maps.");
        assert_eq!(of("/* a < b */"), "a < b");
        assert_eq!(of("//"), "");
    }
}
