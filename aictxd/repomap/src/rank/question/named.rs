//! Tokens of a question that name a file or an identifier, in the forms in which people paste them.

use super::{Mention, Question};

/// Longest token that is looked at, in bytes.
const MAX_TOKEN: usize = 512;
/// What never stands within a path but around it or between two.
const AROUND: &[char] = &[
    '(', ')', '[', ']', '"', '\'', '`', ',', ';', '=', '<', '>', '|',
];

/// Finds out whether a token names a file or an identifier.
pub(super) fn mention(token: &str, weight: f32, question: &mut Question) {
    let quoted = token.contains('`');
    let text = bare(token);
    if text.len() < 3 || text.len() > MAX_TOKEN {
        return;
    }
    for (path, certain) in paths(text) {
        question.paths.push(Mention {
            text: path,
            weight,
            certain,
        });
    }
    // `a::b::c` and `a.b.c` name their last part, calls what is called.
    let called = token.contains("()") || token.contains("!(");
    let head = text
        .split(['(', '<', '[', '{', '=', '!', ','])
        .next()
        .unwrap_or("");
    let pathy = head.contains("::") || head.contains("->") || (head.contains('.') && quoted);
    for part in head.split([':', '.', '>', '-', '#', '/']) {
        if part.len() < 3 || !part.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let inner = part.trim_matches('_');
        let snake = inner.contains('_');
        let camel = inner
            .as_bytes()
            .windows(2)
            .any(|w| matches!(w, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
        let certain = snake || camel || called || pathy || quoted;
        let capital = part.starts_with(|c: char| c.is_uppercase());
        if certain || capital {
            question.names.push(Mention {
                text: part.to_owned(),
                weight,
                certain: snake || camel || called || pathy || (quoted && part.len() >= 4),
            });
        }
    }
}

/// Takes a token of the scope for a file when it can be nothing else: a path with an extension.
pub(super) fn file(token: &str, to: &mut Vec<Mention>) {
    let text = bare(token);
    if text.len() > MAX_TOKEN {
        return;
    }
    for (path, certain) in paths(text) {
        if certain {
            to.push(Mention {
                text: path,
                weight: 1.0,
                certain,
            });
        }
    }
}

/// A token without the marks around it.
fn bare(token: &str) -> &str {
    token
        .trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '~')))
        .trim_end_matches('.')
}

/// The paths in a token, and whether each can be nothing else. Brackets may belong to a path, as in
/// `app/[slug]/page.tsx`, or stand around one, as in `Disk.read(Disk.java:12)`: both are looked up.
fn paths(text: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = path(text).into_iter().collect();
    if text.contains(AROUND) {
        for path in text.split(AROUND).filter_map(path) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// The path that a text is, without the place in the file that follows it.
fn path(text: &str) -> Option<(String, bool)> {
    let text = text.strip_prefix("file://").unwrap_or(text);
    // `C:\src\net.rs`: the drive says nothing of a repository.
    let text = match text.as_bytes() {
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => text.get(2..)?,
        _ => text,
    };
    let text = before_place(text);
    let known = |c: char| {
        c.is_alphanumeric()
            || matches!(
                c,
                '_' | '/' | '\\' | '.' | '-' | '+' | '@' | '~' | '$' | '(' | ')' | '[' | ']'
            )
    };
    let pairs = |open, close| text.matches::<char>(open).count() == text.matches(close).count();
    let dotted = has_extension(text);
    let parted = text.contains('/') || dotted && text.contains('\\');
    if text.len() < 3
        || !(parted || dotted)
        || !text.chars().all(known)
        || !pairs('(', ')')
        || !pairs('[', ']')
    {
        return None;
    }
    Some((plain(text), parted && dotted))
}

/// What stands before `:45:12`, `#L45`, `(45,12)` or `::test_name`.
fn before_place(text: &str) -> &str {
    let mark = text.char_indices().find(|(at, c)| {
        let rest = text.get(at + 1..).unwrap_or("");
        let line = rest.strip_prefix('L').unwrap_or(rest);
        let number = line.starts_with(|c: char| c.is_ascii_digit());
        let behind_file = || text.get(..*at).is_some_and(has_extension);
        match c {
            '(' | '#' => number,
            ':' => number || behind_file(),
            _ => false,
        }
    });
    mark.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Returns true if a text ends as the names of files do.
fn has_extension(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, ext)| {
        !stem.is_empty()
            && (1..=10).contains(&ext.len())
            && ext.starts_with(|c: char| c.is_ascii_lowercase())
            && ext.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// A path without `.`, `..` and doubled separators. One that leads above its start ends where the
/// rest of it says.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with(['/', '\\', '~']) {
        "/"
    } else {
        ""
    };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_pasted() {
        for (token, expected) in [
            ("src/net.rs", "src/net.rs"),
            ("./src/net.rs:45", "src/net.rs"),
            ("src/net.rs:45:12:", "src/net.rs"),
            ("(src/net.rs:45-60),", "src/net.rs"),
            ("src/net.rs#L45-L60", "src/net.rs"),
            ("src/net.rs(45,12):", "src/net.rs"),
            ("src/../src/./net.rs.", "src/net.rs"),
            ("../../src/net.rs", "src/net.rs"),
            ("src\\net.rs:45", "src/net.rs"),
            ("C:\\work\\src\\net.rs:45", "/work/src/net.rs"),
            ("file:///work/src/net.rs", "/work/src/net.rs"),
            ("\"/work/src/net.rs\",", "/work/src/net.rs"),
            ("tests/test_net.py::TestNet::test_it", "tests/test_net.py"),
            ("Makefile.am:45", "Makefile.am"),
            ("src/Makefile:45", "src/Makefile"),
            ("acme.Disk.read(Disk.java:12)", "acme.Disk.read Disk.java"),
            ("--config=etc/net.toml", "etc/net.toml"),
            ("[it](src/net.rs#L4)", "src/net.rs"),
            ("src/net.rs,src/disk.rs", "src/net.rs src/disk.rs"),
            ("app/[slug]/page.tsx", "app/[slug]/page.tsx app /page.tsx"),
            ("std::net::TcpStream", ""),
            ("12:45", ""),
            ("\\d+", ""),
            ("..", ""),
        ] {
            let found: Vec<String> = paths(bare(token))
                .into_iter()
                .map(|(path, _)| path)
                .collect();
            assert_eq!(found.join(" "), expected, "{token}");
        }
    }
}
