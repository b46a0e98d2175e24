//! Small text rules that more than one room needs.

use std::borrow::Cow;

/// A text with its ASCII letters in lower case; copied only where there are others.
pub fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

/// Trims and collapses every run of white space to one blank, then cuts to `limit` characters;
/// a cut text ends in `…` (which counts).
pub fn clean(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit * 4));
    clean_into(&mut out, text, limit);
    out
}

/// [`clean`], added to the end of `out`: for callers that clean many texts.
pub fn clean_into(out: &mut String, text: &str, limit: usize) {
    if text.len() <= limit && is_clean(text) {
        out.push_str(text);
        return;
    }
    if let Some(cut) = cut_clean(text, limit) {
        out.push_str(cut);
        out.push('…');
        return;
    }
    let start = out.len();
    for word in text.split_whitespace() {
        if out.len() > start {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() - start > limit * 4 {
            break;
        }
    }
    // One character is at least one byte.
    if out.len() - start <= limit {
        return;
    }
    let tail = out.get(start..).unwrap_or("");
    if tail.chars().nth(limit).is_none() {
        return;
    }
    let keep = tail
        .char_indices()
        .nth(limit.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    let keep = tail.get(..keep).unwrap_or("").trim_end().len();
    out.truncate(start + keep);
    out.push('…');
}

/// Returns true if [`clean`] has nothing to do but to cut; most texts are paths and sentences in ASCII.
fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    let behind = bytes.get(1..).unwrap_or_default();
    // To the end, whatever is found: so a processor looks at many bytes at once.
    let plain = |all: bool, byte: &u8| all & matches!(byte, b' '..=b'~');
    let doubled = |any: bool, (one, next): (&u8, &u8)| any | ((*one == b' ') & (*next == b' '));
    bytes.iter().fold(true, plain)
        && !bytes.iter().zip(behind).fold(false, doubled)
        && !text.starts_with(' ')
        && !text.ends_with(' ')
}

/// Returns the part of a longer text that [`clean`] keeps before its `…`, if its beginning needs nothing else.
fn cut_clean(text: &str, limit: usize) -> Option<&str> {
    // A character more, no blank, says that the rest is longer, whatever there is of it.
    let more = text.get(..=limit)?;
    let cut = more.get(..limit.saturating_sub(1))?;
    is_clean(more).then(|| cut.trim_end_matches(' '))
}

/// Cuts to `limit` characters; a cut text ends in `…` (which counts).
pub fn truncate_chars(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(limit.saturating_sub(1)).collect();
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// Cuts at the end of a sentence or clause where that leaves enough, else at the limit; what was cut
/// ends in `…`.
pub fn shorten(text: &str, limit: usize) -> String {
    let text = clean(text, limit * 4);
    if text.chars().count() <= limit {
        return text;
    }
    // The mark is part of what is left.
    let head: String = text.chars().take(limit.saturating_sub(2)).collect();
    let ends = ["。", ". ", "; ", ", "].iter();
    let cut = ends.filter_map(|mark| Some(head.rfind(mark)? + mark.trim_end().len()));
    let cut = cut.max().and_then(|at| head.get(..at));
    match cut.filter(|cut| cut.chars().count() >= 40) {
        Some(cut) => format!("{} …", cut.trim_end_matches([',', ';'])),
        None => clean(&text, limit),
    }
}

/// The sentences of a text, with what ends them: a path or a number has no blank behind its dot.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '。', '！', '？'])
        .flat_map(|line| line.split_inclusive(". "))
        .flat_map(|line| line.split_inclusive("! "))
        .flat_map(|line| line.split_inclusive("? "))
}

/// Lower-case ASCII slug: every run outside `a-z0-9` becomes
/// one `_`, the ends are bare, at most `limit` bytes, and empty text becomes `empty`.
pub fn slug(text: &str, limit: usize, empty: &str) -> String {
    let mut out = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if out.len() > limit {
            break;
        }
    }
    out.truncate(limit);
    let out = out.trim_matches('_');
    if out.is_empty() {
        empty.to_owned()
    } else {
        out.to_owned()
    }
}

/// A file name made of an identifier from outside: letters, digits, `_`, `.`, `-`, at most 96
/// bytes, never empty, never starting with a dot. An identifier that had to be changed gets eight
/// hexadecimal digits of its hash, so that two identifiers never share a file.
pub fn file_stem(id: &str) -> String {
    let kept: String = id
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') {
                c
            } else {
                '-'
            }
        })
        .take(87)
        .collect();
    let kept = kept.trim_matches(['.', '-', '_']);
    if kept == id {
        return kept.to_owned();
    }
    let hash = hash(id);
    format!("{}-{hash:08x}", if kept.is_empty() { "id" } else { kept })
}

/// FNV-1a, 32 bits: stable for ever because it is part of file names.
pub fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5_u32, |h, b| {
        (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
    })
}

/// A word as a shell would need it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Lower-case hexadecimal digits, two a byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(u32::from(four), 16);
    let mut out = String::with_capacity(2 * bytes.len());
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 0xf)];
    out.extend(bytes.iter().flat_map(digits).flatten());
    out
}

/// Words as a command line for a shell.
pub fn shell_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,=:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Reads `90`, `90s`, `10m` or `2h` as seconds.
pub fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, factor) = match text.chars().last()? {
        's' => (text.trim_end_matches('s'), 1),
        'm' => (text.trim_end_matches('m'), 60),
        'h' => (text.trim_end_matches('h'), 3_600),
        _ => (text, 1),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_summaries_end_at_a_clause() {
        let text =
            "Fixed the parser so that empty input is accepted. Also moved the tests. ".repeat(5);
        let short = shorten(&text, 200);
        assert!(
            short.chars().count() <= 200 && short.ends_with(". …"),
            "{short}"
        );
        assert_eq!(shorten("a  b", 200), "a b");
        assert!(shorten(&"x".repeat(500), 200).ends_with('…'));
        assert!(shorten(&"é, ".repeat(300), 200).chars().count() <= 200);
    }

    #[test]
    fn bytes_have_two_digits_each() {
        assert_eq!(hex(&[0, 9, 0xa0, 0xff]), "0009a0ff");
    }

    proptest::proptest! {
        #[test]
        fn what_needs_nothing_done_comes_out_the_same(text in "[ -~\n\t\u{200b}é]{0,40}", limit in 1_usize..50) {
            // What stands before them has them read letter by letter.
            proptest::prop_assert_eq!(clean(&text, limit), clean(&format!(" {text}"), limit));
        }
    }

    #[test]
    fn cleaning() {
        assert_eq!(clean("  a \n\t b  ", 80), "a b");
        assert_eq!(clean("abcdef", 4), "abc…");
        assert_eq!(clean("ñandú ñandú", 5), "ñand…");
        assert_eq!(slug("Fix: the Thing!", 80, "item"), "fix_the_thing");
        assert_eq!(slug("修复", 80, "item"), "item");
        assert_eq!(slug("abcdef", 3, "item"), "abc");
        assert_eq!(file_stem("b4a7d994-0e88"), "b4a7d994-0e88");
        assert!(file_stem("../../etc/passwd").starts_with("etc-passwd-"));
        assert!(file_stem("...").starts_with("id-"));
        assert_ne!(file_stem("a:b"), file_stem("a/b"));
        assert!(file_stem(&"é".repeat(500)).len() <= 96);
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_word("cargo"), "cargo");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        for (word, wanted) in [
            ("/srv/a-b_c.d", "/srv/a-b_c.d"),
            ("/srv/my repo", "'/srv/my repo'"),
            ("it's", "'it'\\''s'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), wanted);
        }
    }
}
