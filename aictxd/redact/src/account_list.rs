//! Lists of accounts: `mail:password`, `user:realm:digest`.

use super::bytes::{at, before, is_name, run, run_back, sub};
use super::line::Line;
use super::marker::PASSWORD;
use super::text_kind::{is_reference, looks_placeholder};

/// Ends of mail addresses with the sign that stands before the password.
pub(super) const MAILS: &[&str] = &[
    ".com:",
    ".org:",
    ".net:",
    ".io:",
    ".de:",
    ".edu:",
    ".gov:",
    ".fr:",
    ".uk:",
    ".ru:",
    ".eu:",
    ".dev:",
    ".co:",
    ".nl:",
    ".local:",
    ".com;",
    ".org;",
    ".net;",
    ".com|",
    ".org|",
    ".net|",
    ".test:",
    ".ch:",
    ".it:",
    ".es:",
    ".pl:",
    ".br:",
    ".example:",
    ".internal:",
];

/// `bob@example.org:hunter2` and nothing else on the line; the password begins at `i`.
pub(super) fn combo(line: &mut Line, i: usize) {
    let b = line.bytes;
    let from = run_back(b, i - 1, 128, |c| is_name(c) || matches!(c, b'@' | b'+'));
    let user = sub(b, from, i - 1);
    let head = sub(b, 0, from);
    let alone = head.len() <= 8
        && head.iter().all(|c| {
            c.is_ascii_digit()
                || matches!(
                    c,
                    b' ' | b'\t' | b'-' | b'*' | b'>' | b'.' | b')' | b'|' | b'#'
                )
        });
    let v = sub(b, i, run(b, i, 80, |c| c.is_ascii_graphic()));
    let clear = super::secret_sentence::is_strong(v)
        && v.iter()
            .any(|c| matches!(c, b'!' | b'$' | b'#' | b'%' | b'^' | b'&'))
        && v.iter().any(u8::is_ascii_digit);
    if !(alone || clear && before(b, from) == b' ')
        || user.iter().filter(|c| **c == b'@').count() != 1
        || user.starts_with(b"@")
        || user.starts_with(b"git@")
    {
        return;
    }
    let end = i + v.len();
    let rest = sub(b, end, b.len());
    let marked = v.iter().any(|c| !c.is_ascii_alphanumeric()) || v.iter().any(u8::is_ascii_digit);
    let number = v.iter().all(u8::is_ascii_digit);
    if (5..=64).contains(&v.len())
        && rest.trim_ascii().is_empty()
        && marked
        && (!number || v.len() >= 6)
        && !v.contains(&b'/')
        && !v.ends_with(b":")
        && !v.ends_with(b",")
        && (number || !is_reference(v))
        && !looks_placeholder(v)
    {
        line.add(i, end, PASSWORD, "mail-password");
    }
}

/// Returns true if `s..e` is the digest of a line `user:realm:digest`.
pub(super) fn digest(b: &[u8], s: usize, e: usize) -> bool {
    if e - s != 32 || before(b, s) != b':' || !matches!(at(b, e), 0 | b'\n' | b'\r') {
        return false;
    }
    if !sub(b, s, e).iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let realm = run_back(b, s - 1, 64, |c| {
        c != b':' && c != b'\n' && c != b'/' && c != b'"'
    });
    let name = sub(b, realm, s - 1);
    if before(b, realm) != b':' || !name.iter().any(u8::is_ascii_alphabetic) {
        return false;
    }
    let user = run_back(b, realm - 1, 64, |c| is_name(c) || c == b'@');
    let plain = ["md5", "sha1", "sha256", "hash", "digest", "checksum"]
        .iter()
        .any(|w| name.trim_ascii().eq_ignore_ascii_case(w.as_bytes()));
    user + 1 < realm && matches!(before(b, user), 0 | b'\n') && !plain
}

/// `static:bob:x` of a mail server: the user begins at `i`.
pub(super) fn fixed(line: &mut Line, i: usize) {
    let b = line.bytes;
    let user = run(b, i, 64, |c| is_name(c) || c == b'@');
    let end = run(b, user + 1, 64, |c| c.is_ascii_graphic() && c != b'"');
    if at(b, user) == b':' && user > i && super::secret_sentence::is_strong(sub(b, user + 1, end)) {
        line.add(user + 1, end, PASSWORD, "mail-password");
    }
}
