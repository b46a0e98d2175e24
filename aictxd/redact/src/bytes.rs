//! Byte helpers that cannot fail: every index is checked, out of range reads as zero or empty.

/// The byte at `i`, or zero past the end.
pub(super) fn at(b: &[u8], i: usize) -> u8 {
    b.get(i).copied().unwrap_or(0)
}

/// The byte before `i`, or zero at the start.
pub(super) fn before(b: &[u8], i: usize) -> u8 {
    i.checked_sub(1).map_or(0, |i| at(b, i))
}

/// `b[start..end]`, or empty when that is no range of `b`.
pub(super) fn sub(b: &[u8], start: usize, end: usize) -> &[u8] {
    b.get(start..end.min(b.len())).unwrap_or_default()
}

/// Returns true if `b` continues with `what` at `i`.
pub(super) fn looking_at(b: &[u8], i: usize, what: &[u8]) -> bool {
    sub(b, i, i.saturating_add(what.len())) == what
}

/// The first index from `i` on, but at most `max` further, whose byte is outside `class`.
pub(super) fn run(b: &[u8], i: usize, max: usize, class: impl Fn(u8) -> bool) -> usize {
    let tail = sub(b, i, i.saturating_add(max));
    i + tail.iter().position(|&c| !class(c)).unwrap_or(tail.len())
}

/// The first index from which all bytes up to `i` (at most `max` of them) are inside `class`.
pub(super) fn run_back(b: &[u8], i: usize, max: usize, class: impl Fn(u8) -> bool) -> usize {
    let from = i.saturating_sub(max);
    let head = sub(b, from, i);
    from + head.iter().rposition(|&c| !class(c)).map_or(0, |p| p + 1)
}

/// Skips blanks and tabs, at most `max`.
pub(super) fn blanks(b: &[u8], i: usize, max: usize) -> usize {
    run(b, i, max, |c| c == b' ' || c == b'\t')
}

/// Returns true if `hay` contains `needle`, ASCII case ignored. For short texts only.
pub(super) fn has_ci(hay: &[u8], needle: &str) -> bool {
    let n = needle.as_bytes();
    !n.is_empty() && hay.windows(n.len()).any(|w| w.eq_ignore_ascii_case(n))
}

/// Returns true if the byte may be part of a name: letters, digits, `_`, `-`, `.`.
pub(super) fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.')
}

/// Returns true if the byte belongs to one of the base64 alphabets or its padding.
pub(super) fn is_base64(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Returns true if a token may begin at `i`: the byte before is no letter or digit, or it is the tail of an
/// escape (`\n`, `\t`, `\r`, `%3D`, `\u003d`, a terminal colour sequence).
pub(super) fn starts_word(b: &[u8], i: usize) -> bool {
    let prev = before(b, i);
    if !prev.is_ascii_alphanumeric() {
        return true;
    }
    let two = sub(b, i.saturating_sub(2), i);
    if matches!(two, b"\\n" | b"\\t" | b"\\r") {
        return true;
    }
    let three = sub(b, i.saturating_sub(3), i);
    if three.first() == Some(&b'%') && three.len() == 3 {
        return three.iter().skip(1).all(u8::is_ascii_hexdigit);
    }
    if looking_at(b, i.saturating_sub(6), b"\\u00") && i >= 6 {
        return true;
    }
    if prev == b'm' {
        let from = run_back(b, i - 1, 12, |c| c.is_ascii_digit() || c == b';');
        return before(b, from) == b'[';
    }
    false
}

/// Decodes standard or URL-safe base64, at most 512 bytes; `None` when it is not base64.
pub(super) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut acc, mut bits) = (0_u32, 0_u32);
    for &c in text.iter().take(684) {
        let v = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        acc = (acc << 6) | u32::from(v);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from((acc >> bits) & 0xff).unwrap_or(0));
        }
        acc &= 0xffff;
    }
    (!out.is_empty()).then_some(out)
}

/// Returns true if the text is base64 of `user:password`.
pub(super) fn is_basic_payload(text: &[u8]) -> bool {
    text.len() >= 6
        && decode_base64(text).is_some_and(|plain| {
            plain.contains(&b':')
                && plain
                    .iter()
                    .all(|&c| (b' '..0x7f).contains(&c) || c >= 0x80)
        })
}
