//! Raw tool output made readable: lines without escape sequences, progress overwrites, zero-width
//! characters and prefixes of build services.

use memchr::memchr;

/// Bytes kept from the start of one stream.
pub const HEAD_BYTES: usize = 64 * 1024;
/// Bytes kept from the end of one stream.
pub const TAIL_BYTES: usize = 1024 * 1024;
/// Longest line in characters; the rest of it is dropped.
pub const MAX_LINE_CHARS: usize = 4_000;

/// Stands for a place where text is missing. No real line is equal to it, because control
/// characters are removed.
pub(crate) const CUT: &str = "\u{0}";

/// Cleans one stream. Lines end in `\n`; places where the middle was cut away, by us or by the
/// program that handed the text over, hold the [`CUT`] line.
pub(crate) fn clean(bytes: &[u8]) -> String {
    if bytes.len() <= HEAD_BYTES + TAIL_BYTES {
        return clean_part(bytes, String::with_capacity(bytes.len() + 1));
    }
    let head = bytes.get(..HEAD_BYTES).unwrap_or_default();
    let tail = bytes.get(bytes.len() - TAIL_BYTES..).unwrap_or_default();
    let mut out = clean_part(
        whole_lines_head(head),
        String::with_capacity(HEAD_BYTES + TAIL_BYTES),
    );
    out.push_str(CUT);
    out.push('\n');
    clean_part(whole_lines_tail(tail), out)
}

/// Returns true if some of a cleaned text is missing.
pub(crate) fn is_cut(text: &str) -> bool {
    memchr(0, text.as_bytes()).is_some()
}

fn whole_lines_head(bytes: &[u8]) -> &[u8] {
    memchr::memrchr(b'\n', bytes)
        .and_then(|end| bytes.get(..end))
        .unwrap_or(bytes)
}

fn whole_lines_tail(bytes: &[u8]) -> &[u8] {
    memchr(b'\n', bytes)
        .and_then(|start| bytes.get(start + 1..))
        .unwrap_or(bytes)
}

fn clean_part(bytes: &[u8], mut out: String) -> String {
    // Nearly all output is valid, and checking that is much faster than replacing what is not.
    let lossy;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            lossy = String::from_utf8_lossy(bytes);
            &*lossy
        }
    };
    let mut scratch = String::new();
    // Start in `out` of the line before, so that a line that was cut can be taken back.
    let mut last_start: Option<usize> = None;
    let mut skip_partial = false;
    // Lines that stay as they are, not copied yet: neighbours are copied together.
    let mut kept = 0..0;
    let mut from = 0;
    while from <= text.len() {
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let end = memchr(b'\n', rest).map_or(text.len(), |found| from + found);
        let raw = text.get(from..end).unwrap_or_default();
        let start = from;
        from = end + 1;
        let line = clean_line(raw, &mut scratch);
        if is_cut_marker(line) {
            out.push_str(text.get(std::mem::take(&mut kept)).unwrap_or_default());
            // The lines around a cut are halves of lines and mean nothing.
            if let Some(start) = last_start.take() {
                out.truncate(start);
            }
            out.push_str(CUT);
            out.push('\n');
            skip_partial = true;
            continue;
        }
        let blank = !line
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_graphic())
            && line.trim().is_empty();
        if skip_partial && !blank {
            skip_partial = false;
            continue;
        }
        if !blank {
            last_start = Some(out.len() + kept.len());
        }
        let line = strip_prefixes(limit(line));
        // Cleaning only takes away, so what is as long as before is the same.
        if line.len() == raw.len() && end < text.len() {
            if kept.end != start {
                out.push_str(text.get(kept).unwrap_or_default());
                kept = start..start;
            }
            kept.end = from;
            continue;
        }
        out.push_str(text.get(std::mem::take(&mut kept)).unwrap_or_default());
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(text.get(kept).unwrap_or_default());
    out
}

fn limit(line: &str) -> &str {
    if line.len() <= MAX_LINE_CHARS {
        return line;
    }
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => line.get(..end).unwrap_or(line),
        None => line,
    }
}

/// Removes what a terminal would not show. Borrows the input when there is nothing to remove.
fn clean_line<'a>(raw: &'a str, scratch: &'a mut String) -> &'a str {
    let mut line = raw.strip_suffix('\r').unwrap_or(raw);
    if memchr(b'\r', line.as_bytes()).is_some() {
        // A progress line overwrites itself: what is left on the screen is the last part.
        line = line
            .rsplit('\r')
            .find(|part| !part.trim().is_empty())
            .unwrap_or_default();
    }
    let bytes = line.as_bytes();
    // Control characters, and the lead bytes of those that take two and of zero-width ones.
    // No early way out: the compiler looks at many bytes at once instead.
    let suspicious = bytes.iter().fold(false, |found, byte| {
        found
            | ((*byte < 0x20) & (*byte != b'\t'))
            | (*byte == 0x7F)
            | (*byte == 0xC2)
            | (*byte == 0xE2)
            | (*byte == 0xEF)
    });
    if !suspicious || !bytes.iter().enumerate().any(|(at, _)| is_hidden(bytes, at)) {
        return line;
    }
    scratch.clear();
    let mut rest = line;
    while let Some(at) = (0..rest.len()).find(|at| is_hidden(rest.as_bytes(), *at)) {
        // What is hidden starts a character.
        let Some((shown, hidden)) = rest.split_at_checked(at) else {
            break;
        };
        scratch.push_str(shown);
        let mut chars = hidden.chars();
        match chars.next() {
            Some('\u{1b}') => skip_escape(&mut chars),
            Some('\u{8}') => {
                scratch.pop();
            }
            _ => {}
        }
        rest = chars.as_str();
    }
    scratch.push_str(rest);
    scratch
}

/// Skips the rest of an escape sequence.
fn skip_escape(chars: &mut std::str::Chars) {
    match chars.next() {
        // CSI: parameters, then one final byte.
        Some('[') => {
            chars.find(|next| ('\u{40}'..='\u{7e}').contains(next));
        }
        // OSC and other strings: up to BEL or ESC \.
        Some(']' | 'P' | '^' | '_') => {
            while let Some(next) = chars.next() {
                if next == '\u{7}' {
                    break;
                }
                if next == '\u{1b}' {
                    if let Some(rest) = chars.as_str().strip_prefix('\\') {
                        *chars = rest.chars();
                    }
                    break;
                }
            }
        }
        // Character set selection takes one more.
        Some('(' | ')') => {
            chars.next();
        }
        _ => {}
    }
}

/// Returns true if a character that a terminal does not show starts here: control characters but for the
/// tab, zero-width ones, direction marks, the byte order mark.
#[inline]
fn is_hidden(bytes: &[u8], at: usize) -> bool {
    let Some(&byte) = bytes.get(at) else {
        return false;
    };
    let next = || bytes.get(at + 1).copied().unwrap_or_default();
    match byte {
        b'\t' => false,
        0x00..0x20 | 0x7F => true,
        0xC2 => next() < 0xA0,
        0xE2 => match (next(), bytes.get(at + 2)) {
            (0x80, Some(last)) => (0x8B..=0x8F).contains(last),
            (0x81, Some(last)) => *last == 0xA0,
            _ => false,
        },
        0xEF => next() == 0xBB && bytes.get(at + 2) == Some(&0xBF),
        _ => false,
    }
}

/// Prefixes that build services put before the tool's own text.
fn strip_prefixes(line: &str) -> &str {
    let mut line = undated(line);
    if let Some(rest) = line
        .strip_prefix("##[error]")
        .or_else(|| line.strip_prefix("##[warning]"))
    {
        line = rest;
    }
    docker_prefix(line).unwrap_or(line)
}

/// `2026-03-04T09:41:12.1234567Z text` as the logs of build services are kept.
fn undated(line: &str) -> &str {
    let bytes = line.as_bytes();
    if bytes.first().is_none_or(|byte| !byte.is_ascii_digit()) || bytes.get(10) != Some(&b'T') {
        return line;
    }
    let (stamp, rest) = line.split_once(' ').unwrap_or((line, ""));
    let dated = stamp.len() > 20
        && stamp.ends_with('Z')
        && stamp
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(&byte));
    if dated { rest } else { line }
}

/// `#9 1.912 text` as BuildKit prints it.
fn docker_prefix(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?;
    let (step, rest) = rest.split_once(' ')?;
    let (seconds, text) = rest.split_once(' ')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = seconds.split_once('.')?;
    (digits(step) && digits(whole) && digits(part)).then_some(text)
}

/// A number, a verb and a unit take more than this.
const MIN_CUT: usize = 8;

/// `… [7040 characters truncated] …`, `[... omitted 12 of 300 lines ...]` and the like.
fn is_cut_marker(line: &str) -> bool {
    if line.len() > 160 {
        return false;
    }
    // Found without a search of texts: nearly every line ends here.
    let bytes = line.as_bytes();
    let places = memchr(b'[', bytes).zip(memchr::memrchr(b']', bytes));
    let Some((open, close)) = places.filter(|(open, close)| open + MIN_CUT < *close) else {
        return false;
    };
    let part = |range: std::ops::Range<usize>| line.get(range).unwrap_or_default();
    let (before, inside, after) = (
        part(0..open),
        part(open + 1..close),
        part(close + 1..line.len()),
    );
    let dots = |text: &str| text.contains('…') || text.contains("...");
    (dots(before) || dots(inside))
        && (dots(after) || dots(inside))
        && inside.bytes().any(|byte| byte.is_ascii_digit())
        && ["truncated", "omitted", "cut "]
            .iter()
            .any(|word| inside.contains(word))
        && ["characters", "chars", "lines", "bytes", "tokens"]
            .iter()
            .any(|unit| inside.contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cleaned(text: &str) -> String {
        clean(text.as_bytes())
    }

    #[test]
    fn terminal_dressing_goes() {
        assert_eq!(cleaned("\u{1b}[31m\u{1b}[1mred\u{1b}[0m x"), "red x\n");
        assert_eq!(
            cleaned("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\"),
            "link\n"
        );
        assert_eq!(cleaned("10%\r50%\r100%\r\nnext"), "100%\nnext\n");
        assert_eq!(cleaned("a\u{200b}b\u{feff}"), "ab\n");
        assert_eq!(cleaned("##[error]boom"), "boom\n");
        assert_eq!(cleaned("#9 1.912 ERROR: x"), "ERROR: x\n");
        assert_eq!(cleaned("# 9 x"), "# 9 x\n");
        assert_eq!(clean(b"caf\xe9"), "caf\u{fffd}\n");
    }

    #[test]
    fn cuts_are_marked_and_half_lines_dropped() {
        assert_eq!(
            cleaned("a\nhal\n\n… [70 characters truncated] …\n\nalf\nb"),
            format!("a\n{CUT}\n\nb\n")
        );
        let long = "x\n".repeat(HEAD_BYTES + TAIL_BYTES);
        let out = cleaned(&long);
        assert!(out.len() <= HEAD_BYTES + TAIL_BYTES + 4 && out.contains(CUT));
        assert_eq!(cleaned(&"y".repeat(9_000)).len(), MAX_LINE_CHARS + 1);
    }

    #[test]
    fn control_characters_of_two_bytes_go_as_well() {
        assert_eq!(cleaned("a\u{85}b\u{7f}c"), "abc\n");
    }

    proptest! {
        #[test]
        fn nothing_invisible_is_left(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let out = clean(&bytes);
            prop_assert!(out.chars().all(|c| !c.is_control() || c == '\n' || c == '\t' || c == '\0'));
            let escape = char::from(27);
            prop_assert!(!out.contains(escape));
        }
    }
}
