//! Stable identity of an error: the same mistake has the same fingerprint in
//! another clone, on another day, after lines moved; another mistake has another one.

use aictx_proto::event::ErrorEvent;
use aictx_proto::text::slug;
use sha2::{Digest, Sha256};

/// Characters of the normal form of a message that take part.
const SUBJECT_CHARS: usize = 300;
const SLUG_BYTES: usize = 80;

/// The identity of `event`, at most 93 bytes of `a-z0-9_`. `root` is the repository's absolute
/// root, whose mention in messages does not count.
pub fn fingerprint(event: &ErrorEvent, root: &str) -> String {
    let subject = if event.test.is_empty() {
        normal(&event.message, root, true)
    } else {
        normal(&event.test, root, false)
    };
    let file = normal_file(&event.file, root);
    let parts = [
        event.toolchain.as_str(),
        &event.phase,
        &event.code,
        &file,
        &subject,
    ];
    let hash = Sha256::digest(parts.join("\u{1f}"));
    let mut out = slug(&parts.join(" "), SLUG_BYTES, "error");
    out.push('_');
    for byte in hash.iter().take(6) {
        for half in [byte >> 4, byte & 15] {
            out.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    out
}

/// Repository-relative with `/`; other absolute paths by their last two components.
fn normal_file(file: &str, root: &str) -> String {
    let file = file.replace('\\', "/");
    let mut rest = file.as_str();
    if let Some(inside) = strip_root(rest, root) {
        rest = inside;
    }
    while let Some(inside) = rest.strip_prefix("./") {
        rest = inside;
    }
    if rest.starts_with('/') || rest.starts_with("../") || rest.starts_with('~') {
        let mut last: Vec<&str> = rest.rsplit('/').take(2).collect();
        last.reverse();
        return last.join("/");
    }
    rest.to_owned()
}

fn strip_root<'t>(text: &'t str, root: &str) -> Option<&'t str> {
    if root.len() < 2 {
        return None;
    }
    text.strip_prefix(root.trim_end_matches('/'))?
        .strip_prefix('/')
}

/// Lower-case text in which what changes from run to run is replaced. With `digits`, remaining
/// numbers become `#`; without, they stay (they are part of a test's name).
fn normal(text: &str, root: &str, digits: bool) -> String {
    let text: String = text
        .replace(root_or_nothing(root), "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let step = if is_word(before) {
            None
        } else {
            volatile(rest, digits, &out)
        };
        let length = match step {
            Some((length, sign)) => {
                out.push_str(sign);
                length
            }
            None => {
                // A whole identifier at a time, so that its digits stay.
                let length = if is_word(c) {
                    rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
                } else {
                    c.len_utf8()
                };
                out.push_str(rest.get(..length).unwrap_or_default());
                length
            }
        };
        before = out.chars().next_back().unwrap_or(' ');
        rest = rest.get(length..).unwrap_or_default();
    }
    out.chars().take(SUBJECT_CHARS).collect()
}

fn root_or_nothing(root: &str) -> &str {
    let root = root.trim_end_matches('/');
    // Something that cannot occur, when there is no usable root.
    if root.len() < 2 { "\u{0}" } else { root }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Something volatile at the start of `rest`: how many bytes it takes and what stands for it.
fn volatile(rest: &str, digits: bool, before: &str) -> Option<(usize, &'static str)> {
    if let Some(length) = temporary_path(rest) {
        return Some((length, "<tmp>"));
    }
    let first = rest.bytes().next()?;
    if first.is_ascii_digit() {
        if let Some(length) = hex_run(rest) {
            return Some((length, "<hex>"));
        }
        if let Some(length) = timestamp(rest) {
            return Some((length, "<ts>"));
        }
        if !digits {
            return None;
        }
        if let Some(length) = duration(rest) {
            return Some((length, "<t>"));
        }
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = rest.get(length..).and_then(|rest| rest.chars().next());
        if before.ends_with("pid ") || before.ends_with("thread ") || before.ends_with("process ") {
            return Some((length, "<n>"));
        }
        // `3d` or `2nd` is an identifier, not a number.
        return (!after.is_some_and(is_word)).then_some((length, "#"));
    }
    if first.is_ascii_hexdigit() {
        return hex_run(rest).map(|length| (length, "<hex>"));
    }
    None
}

/// `/tmp/…`, `/var/folders/…`, `C:/users/x/appdata/local/temp/…` up to a blank, quote or bracket.
fn temporary_path(rest: &str) -> Option<usize> {
    const STARTS: &[&str] = &[
        "/tmp/",
        "/private/tmp/",
        "/var/tmp/",
        "/var/folders/",
        "/private/var/folders/",
        "/dev/shm/",
    ];
    let windows = || {
        let drive = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        if !drive || rest.as_bytes().get(1) != Some(&b':') {
            return false;
        }
        let path = rest.get(..rest.floor_char_boundary(120)).unwrap_or(rest);
        let end = path.find([' ', '"', '\'']).unwrap_or(path.len());
        path.get(..end)
            .is_some_and(|path| path.contains("\\temp\\") || path.contains("/temp/"))
    };
    if !STARTS.iter().any(|start| rest.starts_with(start)) && !windows() {
        return None;
    }
    Some(
        rest.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ']' | '>' | ',' | ';')
        })
        .unwrap_or(rest.len()),
    )
}

/// `0x…`, a UUID, or eight and more hexadecimal digits with a digit among them.
fn hex_run(rest: &str) -> Option<usize> {
    if let Some(address) = rest.strip_prefix("0x") {
        let length = address.bytes().take_while(u8::is_ascii_hexdigit).count();
        return (length > 0).then_some(length + 2);
    }
    let bytes = rest.as_bytes();
    let mut length = 0;
    let mut groups = 1;
    let (mut digits, mut letters) = (0, 0);
    while let Some(byte) = bytes.get(length) {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'a'..=b'f' => letters += 1,
            // Only the dashes of a UUID join groups.
            b'-' if matches!((groups, length), (1, 8) | (2, 13) | (3, 18) | (4, 23)) => {
                groups += 1;
            }
            _ => break,
        }
        length += 1;
    }
    let ends = !rest
        .get(length..)
        .and_then(|rest| rest.chars().next())
        .is_some_and(is_word);
    let uuid = groups == 5 && length == 36;
    if uuid && ends {
        return Some(length);
    }
    (groups == 1 && ends && length >= 8 && digits > 0 && letters > 0).then_some(length)
}

/// `2024-05-01`, `2024-05-01T10:11:12.5Z`, `10:11:12`.
fn timestamp(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let shape = |at: usize, pattern: &str| {
        bytes.get(at..at + pattern.len()).is_some_and(|text| {
            text.iter()
                .zip(pattern.bytes())
                .all(|(byte, want)| match want {
                    b'd' => byte.is_ascii_digit(),
                    want => *byte == want,
                })
        })
    };
    let mut at = 0;
    if shape(0, "dddd-dd-dd") {
        at = 10;
        if matches!(bytes.get(at), Some(b't' | b' ')) && shape(at + 1, "dd:dd") {
            at += 1;
        }
    }
    if shape(at, "dd:dd:dd") {
        at += 8;
        while bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        {
            at += 1;
        }
        if bytes.get(at) == Some(&b'z') {
            at += 1;
        } else if shape(at, "+dd:dd") || shape(at, "-dd:dd") {
            at += 6;
        }
    }
    (at > 0).then_some(at)
}

/// `0.45s`, `12 ms`, `3 seconds`.
fn duration(rest: &str) -> Option<usize> {
    let number = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let after = rest.get(number..)?;
    let blank = usize::from(after.starts_with(' '));
    let unit = after.get(blank..)?;
    let length = unit.find(|c: char| !is_word(c)).unwrap_or(unit.len());
    matches!(
        unit.get(..length)?,
        "s" | "ms"
            | "us"
            | "µs"
            | "ns"
            | "sec"
            | "secs"
            | "second"
            | "seconds"
            | "min"
            | "mins"
            | "minute"
            | "minutes"
            | "hour"
            | "hours"
            | "millisecond"
            | "milliseconds"
    )
    .then_some(number + blank + length)
}

#[cfg(test)]
#[path = "fingerprint_tests.rs"]
mod tests;
