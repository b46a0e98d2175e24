//! Shapes that many tools share: locations, stack frames, numbers.

/// A place at the start of a line, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At<'t> {
    pub(crate) path: &'t str,
    pub(crate) line: &'t str,
    /// Empty when there is none.
    pub(crate) column: &'t str,
    /// Text behind the colon after the last number, trimmed at its start.
    pub(crate) rest: &'t str,
}

/// The digits that `text` starts with, and the rest.
pub(crate) fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0 && end < 8).then(|| text.split_at_checked(end))?
}

/// Bytes of leading blanks.
pub(crate) fn indent(line: &str) -> usize {
    line.bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Returns true if text can be a path: not empty, no quotes or sentence in it; with blanks only when it
/// ends in an extension.
pub(crate) fn is_path(text: &str) -> bool {
    if text.is_empty() || text.len() > 1_000 || text.starts_with([' ', '\t', '-', '|', '=', '*']) {
        return false;
    }
    if text
        .bytes()
        .any(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'|' | b'>' | b'*' | b'?' | b';'))
        && !text.starts_with('<')
    {
        return false;
    }
    if !text.contains([' ', '\t']) {
        return true;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    !text.contains(": ")
        && !text.ends_with(' ')
        && name.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && (1..=10).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// `path:12:5: rest`, `path:12: rest`, `path:12:5 rest`, `path:12`. Drive letters belong to the
/// path.
pub(crate) fn location(text: &str) -> Option<At<'_>> {
    let bytes = text.as_bytes();
    let drive = bytes.get(1) == Some(&b':') && matches!(bytes.get(2), Some(b'\\' | b'/'));
    let scheme = text.starts_with("file:");
    let mut from = if drive {
        2
    } else if scheme {
        5
    } else {
        0
    };
    // A line has few colons before its place; a bound keeps odd lines cheap.
    for _ in 0..12 {
        let colon = memchr::memchr(b':', bytes.get(from..)?).map(|found| found + from)?;
        from = colon + 1;
        let Some((line, rest)) = digits(text.get(from..)?) else {
            continue;
        };
        let path = text.get(..colon)?;
        if !is_path(path) {
            return None;
        }
        let (column, rest) = match rest.strip_prefix(':').and_then(digits) {
            Some((column, rest)) => (column, rest),
            None => ("", rest),
        };
        // A range of columns or lines, `12:5-9` or `3:12:3:19`, counts by its start.
        let rest = range_end(rest);
        let rest = match rest.bytes().next() {
            None => rest,
            Some(b':') => rest.get(1..)?,
            Some(b' ' | b'\t' | b',' | b')') => rest,
            _ => continue,
        };
        return Some(At {
            path,
            line,
            column,
            rest: rest.trim_start(),
        });
    }
    None
}

fn range_end(rest: &str) -> &str {
    let mut rest = rest;
    for _ in 0..2 {
        if let Some(next) = rest
            .strip_prefix(['-', ':'])
            .and_then(digits)
            .map(|(_, next)| next)
        {
            rest = next;
        }
    }
    rest
}

/// `path(12,5): rest`, `path(12): rest`, `path(1,2,3,4): rest`.
pub(crate) fn paren_location(text: &str) -> Option<At<'_>> {
    let mut from = 0;
    for _ in 0..12 {
        let open = memchr::memchr(b'(', text.as_bytes().get(from..)?).map(|found| found + from)?;
        from = open + 1;
        let Some((line, rest)) = digits(text.get(from..)?) else {
            continue;
        };
        let (column, rest) = match rest.strip_prefix(',').and_then(digits) {
            Some((column, rest)) => (column, rest),
            None => ("", rest),
        };
        let mut rest = rest;
        while let Some((_, next)) = rest.strip_prefix([',', '-']).and_then(digits) {
            rest = next;
        }
        let path = text.get(..open)?.trim_end();
        if let Some(rest) = rest.strip_prefix(')')
            && is_path(path)
        {
            let rest = rest.trim_start();
            return Some(At {
                path,
                line,
                column,
                rest: rest.strip_prefix(':').unwrap_or(rest).trim_start(),
            });
        }
    }
    None
}

/// The place in a stack frame of JavaScript: `at f (path:1:2)`, `at path:1:2`, `at async path:1:2`.
pub(crate) fn js_frame(line: &str) -> Option<At<'_>> {
    let text = line.trim_start().strip_prefix("at ")?;
    let inside = match text.rfind('(') {
        Some(open) if text.ends_with(')') || text.ends_with(") {") => {
            let inside = text.get(open + 1..)?;
            inside.split(')').next()?
        }
        _ => text
            .strip_prefix("async ")
            .unwrap_or(text)
            .trim_end_matches([' ', '{']),
    };
    // `eval at x (path:1:2)` nests; the innermost bracket was taken.
    location(inside).filter(|at| at.rest.is_empty())
}

/// Splits `error: text` off its severity word, in any case: `error`, `fatal error`, `warning`.
pub(crate) fn severity(text: &str) -> Option<(bool, &str)> {
    if !text.starts_with(['f', 'e', 'w', 'E', 'W']) {
        return None;
    }
    for (word, warning) in [
        ("fatal error", false),
        ("error", false),
        ("warning", true),
        ("Error", false),
        ("Warning", true),
        ("ERROR", false),
        ("WARNING", true),
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return Some((warning, rest));
        }
    }
    None
}

/// `text [code]` split at the last bracket.
pub(crate) fn trailing(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.trim_end().strip_suffix(close)?;
    let (message, code) = inside.rsplit_once(open)?;
    Some((message.trim_end(), code))
}

/// Returns true if all of a text is made of such characters and there is some.
pub(crate) fn all_of(text: &str, test: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(test)
}

/// Letters, then digits: `F401`, `TS2322`, `SC2086`.
pub(crate) fn is_letter_code(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = text.get(letters..).unwrap_or_default();
    (1..=6).contains(&letters)
        && (1..=6).contains(&rest.len())
        && rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Joins the words of some lines with single blanks.
pub(crate) fn joined<'t>(lines: impl IntoIterator<Item = &'t str>) -> String {
    let mut out = String::new();
    for word in lines.into_iter().flat_map(str::split_whitespace) {
        if out.len() > 2_000 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Splits `path:12: rest` or `path:12`. The path has no blank in it unless it ends in `.py`.
pub(crate) fn split_location(line: &str) -> Option<(&str, &str, &str)> {
    let bytes = line.as_bytes();
    let drive = bytes.get(1) == Some(&b':') && matches!(bytes.get(2), Some(b'\\' | b'/'));
    let mut from = if drive { 2 } else { 0 };
    while let Some(colon) = memchr::memchr(b':', bytes.get(from..)?).map(|found| found + from) {
        let digits = bytes
            .get(colon + 1..)?
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = colon + 1 + digits;
        if digits > 0 && digits < 8 && matches!(bytes.get(end), None | Some(b':')) {
            let path = line.get(..colon)?;
            if path.is_empty() || (path.contains([' ', '\t']) && !path.ends_with(".py")) {
                return None;
            }
            return Some((
                path,
                line.get(colon + 1..end)?,
                line.get(end + 1..).unwrap_or_default().trim(),
            ));
        }
        from = colon + 1;
    }
    None
}
