//! Credentials in addresses.

use super::bytes::{at, run, run_back, sub};
use super::line::Line;
use super::marker::{self, CREDENTIAL};
use super::text_kind::{is_wordlike, looks_placeholder};

fn template(v: &[u8]) -> bool {
    v.iter()
        .any(|c| matches!(c, b'$' | b'{' | b'<' | b'>' | b'*'))
        || v.starts_with(b"%s")
        || v.windows(2)
            .any(|w| w == b"%(" || w == b":%" && v.ends_with(b"s"))
}

/// The user part of the address whose `://` is at `colon`.
pub(super) fn analyse(line: &mut Line, colon: usize) {
    let b = line.bytes;
    let from = colon + 3;
    let scheme = run_back(b, colon, 32, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.')
    });
    if scheme == colon {
        return;
    }
    let stop = run(b, from, 2048, |c| {
        !c.is_ascii_whitespace()
            && !matches!(c, b'/' | b'?' | b'#' | b'"' | b'`' | b'\\' | b',')
            && (c != b'\'')
    });
    let authority = sub(b, from, stop);
    let Some(sign) = authority.iter().rposition(|&c| c == b'@') else {
        slashed(line, from, stop);
        return;
    };
    user_info(line, from, from + sign);
}

/// A password with a bare slash in it: `user:pa/ss@host`.
fn slashed(line: &mut Line, from: usize, stop: usize) {
    let b = line.bytes;
    if at(b, stop) != b'/' {
        return;
    }
    let head = sub(b, from, stop);
    let Some(colon) = head.iter().position(|&c| c == b':') else {
        return;
    };
    let rest = head.get(colon + 1..).unwrap_or_default();
    // host:port/path@… is an ordinary address
    if rest.is_empty() || rest.iter().all(u8::is_ascii_digit) {
        return;
    }
    let end = run(b, stop, 64, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'/' | b'+' | b'=' | b'!' | b'$' | b'%')
    });
    if at(b, end) == b'@' {
        user_info(line, from, end);
    }
}

fn user_info(line: &mut Line, from: usize, end: usize) {
    let info = sub(line.bytes, from, end);
    if info.is_empty() || template(info) || !marker::markers(info).is_empty() {
        return;
    }
    let (user, pass) = match info.iter().position(|&c| c == b':') {
        Some(p) => (sub(info, 0, p), info.get(p + 1..).unwrap_or_default()),
        None => (info, &b""[..]),
    };
    let secret = if pass.is_empty() {
        // A token alone: random, not a name
        user.len() >= 16
            && user.iter().any(u8::is_ascii_digit)
            && !is_wordlike(user)
            && !looks_placeholder(user)
    } else {
        let capitals = pass.iter().all(|c| c.is_ascii_uppercase() || *c == b'_')
            && matches!(user, b"USER" | b"USERNAME" | b"LOGIN" | b"NAME");
        let mask = pass
            .iter()
            .all(|&c| matches!(c, b'x' | b'X' | b'.' | b'-' | b'_'))
            && pass.len() >= 3;
        let words = pass
            .windows(5)
            .any(|w| w.eq_ignore_ascii_case(b"your-") || w.eq_ignore_ascii_case(b"your_"));
        let bracket = pass.starts_with(b"[") && pass.ends_with(b"]");
        let stand_in = capitals || mask || words || bracket || pass == "…".as_bytes();
        !stand_in
    };
    if secret {
        // `:pass@`: nothing but the password is a credential
        let from = if user.is_empty() { from + 1 } else { from };
        line.add(from, end, CREDENTIAL, "url-credentials");
    }
}

/// Go's MySQL form `user:pass@tcp(host)`: the sign is at `i`.
pub(super) fn before_tcp(line: &mut Line, i: usize) {
    let from = run_back(line.bytes, i, 128, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'' | b'`' | b'=')
    });
    if sub(line.bytes, from, i).contains(&b':') {
        user_info(line, from, i);
    }
}

/// Oracle's `jdbc:oracle:thin:scott/tiger@host`: the user begins at `i`.
pub(super) fn oracle(line: &mut Line, i: usize) {
    let b = line.bytes;
    let slash = run(b, i, 64, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.')
    });
    let end = run(b, slash, 128, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'@' | b'"' | b'\'')
    });
    if at(b, slash) == b'/' && at(b, end) == b'@' && !template(sub(b, slash, end)) {
        line.add(i, end, CREDENTIAL, "url-credentials");
    }
}

/// `host:port:database:user:password` of `.pgpass`; the port is at `i`, behind the first colon.
pub(super) fn pgpass(line: &mut Line, i: usize) {
    let b = line.bytes;
    if i > 256 {
        return;
    }
    let mut fields = Vec::new();
    let mut from = run_back(b, i, 256, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'')
    });
    let base = from;
    for k in memchr::memchr_iter(b':', sub(b, base, base + 512))
        .take(5)
        .map(|k| base + k)
    {
        fields.push((from, k));
        from = k + 1;
    }
    let plain = |&(s, e): &(usize, usize)| {
        e > s
            && sub(b, s, e)
                .iter()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'*' | b'_' | b'-' | b'.'))
    };
    if fields.len() != 4 || !fields.iter().all(plain) || fields.get(1).is_none_or(|f| f.0 != i) {
        return;
    }
    let end = run(b, from, 512, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'')
    });
    if end > from && !template(sub(b, from, end)) && marker::markers(sub(b, from, end)).is_empty() {
        line.add(from, end, marker::PASSWORD, "pgpass");
    }
}

/// `otpauth://totp/…?secret=…`: behind the scheme at `i`.
pub(super) fn otpauth(line: &mut Line, i: usize) {
    let b = line.bytes;
    let Some(p) = memchr::memmem::find(sub(b, i, i + 512), b"secret=") else {
        return;
    };
    let s = i + p + 7;
    let e = run(b, s, 256, |c| c.is_ascii_alphanumeric() || c == b'=');
    if e - s >= 8 && !looks_placeholder(sub(b, s, e)) {
        line.add(s, e, marker::SECRET, "otpauth");
    }
}
