//! Texts as YAML scalars on one line.

/// A text without quotes where every reader takes it for a text, else in double quotes.
pub(super) fn scalar(text: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')');
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !text.ends_with(' ');
    let means_more = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null"
    );
    match is_word && !means_more {
        true => text.to_owned(),
        false => double_quoted(text),
    }
}

/// A text in double quotes.
pub(super) fn double_quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Line separators of YAML 1.1, and what YAML does not let stand unescaped.
            c if c.is_control()
                || matches!(
                    c,
                    '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
                ) =>
            {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The line `key: a: b` with its value in quotes, which is what its author meant.
pub(super) fn quoted_line(line: &str) -> Option<String> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let is_plain = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let ambiguous = value.contains(": ") || value.ends_with(':');
    let unquoted = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!']);
    (is_plain && ambiguous && unquoted).then(|| format!("{key}: {}", double_quoted(value)))
}
