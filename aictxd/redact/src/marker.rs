//! The marker and its kinds, which are part of the format.

pub(super) const PRIVATE_KEY: &str = "private_key";
pub(super) const API_KEY: &str = "api_key";
pub(super) const ACCESS_KEY: &str = "access_key";
pub(super) const SECRET: &str = "secret";
pub(super) const PASSWORD: &str = "password";
pub(super) const CREDENTIAL: &str = "credential";
pub(super) const SESSION: &str = "session";
pub(super) const TOKEN: &str = "token";

const ALL: [&str; 8] = [
    PRIVATE_KEY,
    API_KEY,
    ACCESS_KEY,
    SECRET,
    PASSWORD,
    CREDENTIAL,
    SESSION,
    TOKEN,
];

/// Start of every marker.
pub(super) const OPEN: &[u8] = b"[redacted:";

/// The end of the marker that begins at `i`, when one does. Only the eight kinds make a marker, so
/// that nobody can hide a secret behind the word.
pub(super) fn marker_at(b: &[u8], i: usize) -> Option<usize> {
    if !super::bytes::looking_at(b, i, OPEN) {
        return None;
    }
    ALL.iter().find_map(|kind| {
        let close = i + OPEN.len() + kind.len();
        (super::bytes::looking_at(b, i + OPEN.len(), kind.as_bytes())
            && super::bytes::at(b, close) == b']')
            .then_some(close + 1)
    })
}

/// The ranges of all markers in the text.
pub(super) fn markers(b: &[u8]) -> Vec<(usize, usize)> {
    memchr::memmem::find_iter(b, OPEN)
        .filter_map(|i| marker_at(b, i).map(|end| (i, end)))
        .collect()
}
