//! Users and their passwords in sentences: `log in as bob / x`.

use super::benign_words::is_technical;
use super::bytes::{at, before, has_ci, looking_at, run, run_back, sub};
use super::line::Line;
use super::marker::PASSWORD;
use super::secret_sentence::is_strong;

/// `log in as admin / S3cr3t!`: a pair of name and password within a few words behind `i`.
pub(super) fn login_pair(line: &mut Line, i: usize) {
    login_words(line, i);
    let b = line.bytes;
    let limit = (i + 96).min(b.len());
    let mut j = i;
    while j < limit {
        let sign = run(b, j, limit - j, |c| !matches!(c, b'/' | b':'));
        if sign >= limit {
            return;
        }
        j = sign + 1;
        let wide = before(b, sign) == b' ' && at(b, j) == b' ';
        if at(b, sign) == b':' && (wide || at(b, j) == b' ') || at(b, j) == b'/' {
            continue;
        }
        let end = if wide { sign - 1 } else { sign };
        let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*');
        let end = run_back(b, end, 2, marks);
        let from = run_back(b, end, 64, |c| {
            c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-' | b'@' | b'+')
        });
        let user = sub(b, from, end);
        let s = run(b, if wide { j + 1 } else { j }, 2, marks);
        let e = run(b, s, 64, |c| {
            c.is_ascii_graphic() && !marks(c) && !matches!(c, b',' | b';' | b')' | b']')
        });
        let mut e = e;
        while e > s && matches!(at(b, e - 1), b'.' | b',') {
            e -= 1;
        }
        let named = matches!(before(b, from), b' ' | b'`' | b'"' | b'\'' | b'*')
            && user.first().is_some_and(u8::is_ascii_lowercase)
            && (!user.contains(&b'.') || user.contains(&b'@'))
            && !is_technical(user);
        // `with a/b`, `as a:b` only: paths and places have the same shape
        let introduced = wide || {
            let head = sub(
                b,
                from.saturating_sub(9),
                run_back(b, from, 2, |c| marks(c) || c == b' '),
            );
            [
                "with",
                "as",
                "using",
                "creds",
                "credentials",
                "login",
                "is",
                "are",
            ]
            .iter()
            .filter(|w| **w != "login" || at(b, sign) == b':')
            .any(|w| {
                head.len() >= w.len()
                    && sub(head, head.len() - w.len(), head.len())
                        .eq_ignore_ascii_case(w.as_bytes())
            })
        };
        let v = sub(b, s, e);
        // A sign and a digit: no path, no place
        let sure =
            v.iter().any(|c| matches!(c, b'!' | b'$' | b'^')) && v.iter().any(u8::is_ascii_digit);
        if named && (introduced || sure) && is_strong(v) {
            line.add(s, e, PASSWORD, "login-pair");
            j = e;
        }
    }
}

/// `log in as bob with x`, `using bob and x`: the words behind the user.
pub(super) fn login_words(line: &mut Line, i: usize) {
    let b = line.bytes;
    if at(b, i).is_ascii_alphanumeric() {
        return;
    }
    let limit = (i + 96).min(b.len());
    let text = sub(b, i, limit);
    for link in [" with ", " using ", " and ", " password ", " pw ", " pass "] {
        let Some(p) = memchr::memmem::find(text, link.as_bytes()) else {
            continue;
        };
        let mut s = i + p + link.len();
        for word in ["the ", "password ", "pass ", "pw ", "user "] {
            if looking_at(b, s, word.as_bytes()) {
                s += word.len();
            }
        }
        let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*');
        let s = run(b, s, 3, marks);
        let mut e = run(b, s, 64, |c| {
            c.is_ascii_graphic() && !marks(c) && !matches!(c, b',' | b';' | b')')
        });
        while e > s && matches!(at(b, e - 1), b'.' | b':') {
            e -= 1;
        }
        let v = sub(b, s, e);
        let signs = v
            .iter()
            .any(|c| matches!(c, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
        let digits = v.iter().any(u8::is_ascii_digit);
        let file = v.contains(&b'.') || v.contains(&b'@') && !signs;
        if is_strong(v)
            && !file
            && (signs && (digits || v.len() >= 6) || digits && v.len() >= 7)
            && !v.contains(&b'-')
        {
            line.add(s, e, PASSWORD, "login-pair");
            return;
        }
    }
}

/// `admin / S3cr3t!` with a user whom everybody knows: the sign begins at `i`.
pub(super) fn known_pair(line: &mut Line, i: usize, width: usize) {
    const USERS: &[&str] = &[
        "admin",
        "root",
        "user",
        "test",
        "demo",
        "guest",
        "administrator",
        "postgres",
        "sa",
        "tester",
        "deploy",
        "operator",
        "sysadmin",
        "superuser",
        "qa",
    ];
    let b = line.bytes;
    let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*');
    let end = run_back(b, i, 2, marks);
    let from = run_back(b, end, 64, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-' | b'@' | b'+')
    });
    let user = sub(b, from, end);
    let known = user.contains(&b'@')
        || ["wifi", "wi-fi", "ssid", "login", "creds"]
            .iter()
            .any(|w| has_ci(sub(b, from.saturating_sub(24), from), w))
        || USERS
            .iter()
            .any(|u| user.eq_ignore_ascii_case(u.as_bytes()));
    let s = run(b, i + width, 2, marks);
    let mut e = run(b, s, 64, |c| {
        c.is_ascii_graphic() && !marks(c) && !matches!(c, b',' | b';' | b')' | b']')
    });
    while e > s && at(b, e - 1) == b'.' {
        e -= 1;
    }
    let v = sub(b, s, e);
    let sure = width > 1
        || v.iter().any(u8::is_ascii_digit)
            && v.iter()
                .any(|c| matches!(c, b'!' | b'$' | b'^' | b'#' | b'@' | b'%'));
    let url = v.contains(&b'@') && before(b, from) == b'/';
    if known && sure && !url && is_strong(v) {
        line.add(s, e, PASSWORD, "login-pair");
    }
}

/// A word that stands in the line of an account and has letters, a digit and a sign in no order that
/// a program would write.
pub(super) fn accounts(line: &mut Line) {
    if std::mem::replace(&mut line.accounts_done, true) || line.bytes.len() > 600 {
        return;
    }
    let b = line.bytes;
    let mut i = 0;
    while i < b.len() {
        let s = run(b, i, b.len(), |c| c.is_ascii_whitespace());
        let e = run(b, s, b.len(), |c| !c.is_ascii_whitespace());
        i = e;
        let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*' | b'(' | b')' | b',' | b';');
        let from = run(b, s, 3, marks);
        let mut to = run_back(b, e, 4, marks);
        while to > from && matches!(at(b, to - 1), b'.' | b':' | b'?') {
            to -= 1;
        }
        if to > from && is_typed(sub(b, from, to)) && !in_code(b, from) {
            line.add(from, to, PASSWORD, "account-password");
        }
    }
}

/// Returns true if the line up to `i` is code rather than a sentence.
fn in_code(b: &[u8], i: usize) -> bool {
    sub(b, 0, i)
        .iter()
        .any(|c| matches!(c, b'{' | b'}' | b'<' | b'|' | b'=' | b'[' | b'\\'))
}

/// `Vy8!kalm`: what people invent when a form asks for a letter, a digit and a sign.
fn is_typed(v: &[u8]) -> bool {
    let sign = |c: &u8| matches!(c, b'!' | b'$' | b'^' | b'&' | b'#' | b'%' | b'@');
    // `Proc#call`
    let method = v
        .windows(3)
        .any(|w| matches!(w, [a, b'#', z] if a.is_ascii_lowercase() && z.is_ascii_lowercase()));
    let signs = v.iter().filter(|c| sign(c) && **c != b'%').count();
    let digits = v.iter().filter(|c| c.is_ascii_digit()).count();
    let letters = v.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let plain = v.iter().all(|c| {
        c.is_ascii_alphanumeric() || sign(c) || matches!(c, b'_' | b'-' | b'~' | b'?' | b'+')
    });
    // `#12`, `@scope`, `$VAR`, `lib@1`, `50%`
    let word = v.first().is_some_and(u8::is_ascii_alphanumeric)
        && !v.ends_with(b"%")
        && (!v.contains(&b'@')
            || signs > 1
            || v.windows(2)
                .all(|w| !matches!(w, [b'@', d] if d.is_ascii_digit()))
                && v.iter().any(u8::is_ascii_uppercase));
    let inside = v
        .iter()
        .take(v.len().saturating_sub(1))
        .any(|c| sign(c) && *c != b'@' || *c == b'@' && v.iter().any(u8::is_ascii_uppercase));
    let leet = v
        .windows(3)
        .any(|w| matches!(w, [a, d, z] if a.is_ascii_alphabetic() && d.is_ascii_digit() && z.is_ascii_alphabetic()));
    (7..=40).contains(&v.len())
        && plain
        && word
        && !method
        && signs > 0
        && signs <= 5
        && digits > 0
        && letters >= 3
        && (inside
            || leet
            || digits >= 2 && letters >= 4 && v.first().is_some_and(u8::is_ascii_uppercase))
        && is_strong(v)
        && !is_technical(v.strip_suffix(b"!").unwrap_or(v))
}

/// `I set it to x … password`: the word at `i`, when the sentence speaks of a password.
pub(super) fn set_to(line: &mut Line, i: usize) {
    let b = line.bytes;
    let around = sub(b, i.saturating_sub(160), i + 160);
    if !["passw", "passphrase", " pw", "login", "creds"]
        .iter()
        .any(|w| has_ci(around, w))
    {
        return;
    }
    let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*');
    let s = run(b, i, 3, marks);
    let mut e = run(b, s, 64, |c| {
        c.is_ascii_graphic() && !marks(c) && !matches!(c, b',' | b';' | b')')
    });
    while e > s && matches!(at(b, e - 1), b'.' | b':') {
        e -= 1;
    }
    if is_strong(sub(b, s, e)) {
        line.add(s, e, PASSWORD, "said-password");
    }
}
