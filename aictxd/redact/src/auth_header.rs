//! Authorization schemes, cookies and seed words.

use super::benign_words::is_common;
use super::bytes::{at, blanks, has_ci, is_basic_payload, is_name, run, sub};
use super::line::Line;
use super::marker::{CREDENTIAL, SECRET, SESSION, TOKEN, markers};
use super::secret_name::Name;
use super::text_kind::{entropy, is_wordlike, looks_placeholder};
use super::value_bounds::value_at;
use super::value_kind::{Candidate, Tie, is_secret};

/// `Bearer x`, `Basic x`, `Token x` and the like at `i`, behind an optional quote. With `firm` the
/// text is the value of an `Authorization` header and the payload need not look random.
/// Answers whether a scheme was there.
pub(super) fn scheme(line: &mut Line, i: usize, firm: bool) -> bool {
    const SCHEMES: &[&str] = &[
        "bearer ",
        "basic ",
        "token ",
        "apikey ",
        "api-key ",
        "bot ",
        "negotiate ",
        "genie_key ",
        "genie-key ",
        "sso-key ",
        "ssws ",
        "geniekey ",
        "oauth ",
        "splunk ",
        "jwt ",
        "pat ",
        "apitoken ",
        "key ",
    ];
    let b = line.bytes;
    let i = run(b, i, 4, |c| matches!(c, b'\\' | b'"' | b'\'' | b'`'));
    let Some(scheme) = SCHEMES
        .iter()
        .find(|s| sub(b, i, i + s.len()).eq_ignore_ascii_case(s.as_bytes()))
    else {
        return false;
    };
    payload(line, blanks(b, i + scheme.len(), 8), scheme.trim(), firm);
    true
}

/// The payload of a scheme.
pub(super) fn payload(line: &mut Line, mut i: usize, scheme: &str, firm: bool) {
    let b = line.bytes;
    for key in ["token=", "token:", "token "] {
        if sub(b, i, i + key.len()).eq_ignore_ascii_case(key.as_bytes()) {
            i += key.len();
        }
    }
    i = run(b, i, 4, |c| matches!(c, b'\\' | b'"' | b'\''));
    let mut end = run(b, i, 8192, |c| {
        c.is_ascii_alphanumeric()
            || matches!(
                c,
                b'-' | b'.'
                    | b'_'
                    | b'~'
                    | b'+'
                    | b'/'
                    | b'='
                    | b':'
                    | b'|'
                    | b'!'
                    | b'$'
                    | b'%'
                    | b'{'
                    | b'}'
                    | b'<'
                    | b'>'
                    | b'*'
            )
    });
    while end > i && matches!(at(b, end - 1), b'.' | b':' | b'}' | b'|') {
        end -= 1;
    }
    let v = sub(b, i, end);
    if scheme == "basic" {
        if is_basic_payload(v)
            || (firm && v.len() >= 8 && !is_common(v) && !looks_placeholder(v) && is_payload(v))
        {
            line.add(i, end, CREDENTIAL, "basic-auth");
        }
        return;
    }
    if v.len() < 8 || looks_placeholder(v) || is_common(v) || !is_payload(v) {
        return;
    }
    let digits = v.iter().filter(|c| c.is_ascii_digit()).count();
    let random = digits > 0 && (!is_wordlike(v) || digits > 2);
    if random && (firm || v.len() >= 12 || entropy(v) >= 2.8)
        || firm && digits > 0
        || firm && v.len() >= 16
        || (v.len() >= 20 && !is_wordlike(v))
    {
        line.add(i, end, TOKEN, "authorization");
    }
}

/// No template, variable or call.
fn is_payload(v: &[u8]) -> bool {
    !v.iter()
        .any(|c| matches!(c, b'$' | b'{' | b'<' | b'>' | b'*' | b'%'))
}

/// The pairs of a cookie header between `start` and `end`.
pub(super) fn cookies(line: &mut Line, start: usize, end: usize) {
    let b = line.bytes;
    let end = end.min(b.len());
    let mut i = start;
    while i < end {
        i = run(b, i, end - i, |c| {
            matches!(c, b' ' | b';' | b'"' | b'\'' | b'\t')
        });
        let eq = run(b, i, 128, |c| is_name(c) || c == b'%');
        if at(b, eq) != b'=' || eq >= end {
            return;
        }
        let stop = run(b, eq + 1, (end - eq).min(8192), |c| {
            !c.is_ascii_whitespace() && !matches!(c, b';' | b'"' | b'\'' | b'\\' | b',')
        })
        .min(end);
        let (name, v) = (sub(b, i, eq), sub(b, eq + 1, stop));
        let telling = [
            "sess",
            "sid",
            "auth",
            "token",
            "jwt",
            "csrf",
            "xsrf",
            "remember",
            "login",
            "__host",
            "__secure",
            "identity",
            "aspnet",
            "wordpress_",
        ]
        .iter()
        .any(|w| has_ci(name, w));
        let attribute = ["path", "domain", "expires", "max-age", "samesite"]
            .iter()
            .any(|w| name.eq_ignore_ascii_case(w.as_bytes()));
        let c = Candidate {
            text: v,
            quoted: true,
            tie: Tie::Tight,
            upper_name: false,
            leads: false,
            next: 0,
            last: false,
        };
        let secret = if telling {
            v.len() >= 6
                && !looks_placeholder(v)
                && !is_common(v)
                && is_payload_value(v)
                && markers(v).is_empty()
                && (v.iter().any(u8::is_ascii_digit) || v.len() >= 16)
        } else {
            v.len() >= 24 && is_secret(&c, Name::Token)
        };
        if secret && !attribute {
            line.add(eq + 1, stop, SESSION, "cookie");
        }
        i = stop.max(i + 1);
    }
}

fn is_payload_value(v: &[u8]) -> bool {
    !v.iter()
        .any(|c| matches!(c, b'$' | b'{' | b'<' | b'>' | b'*' | b'(' | b'['))
}

/// Twelve or more short lower-case words: a seed phrase.
pub(super) fn seed_words(line: &mut Line, i: usize) -> bool {
    let b = line.bytes;
    let from = run(b, i, 4, |c| matches!(c, b'\\' | b'"' | b'\'' | b'`'));
    let mut end = from;
    let mut count = 0;
    while count < 24 {
        let word = run(b, end, 10, |c| c.is_ascii_lowercase());
        if word < end + 3 || word > end + 8 {
            break;
        }
        count += 1;
        end = word;
        if at(b, word) != b' ' {
            break;
        }
        end = word + 1;
    }
    let end = if at(b, end.saturating_sub(1)) == b' ' {
        end - 1
    } else {
        end
    };
    if count >= 12 {
        line.add(from, end, SECRET, "seed-phrase");
    }
    count >= 12
}

/// Seed words in quotes within a few words behind `i`.
pub(super) fn quoted_seed(line: &mut Line, i: usize) {
    let b = line.bytes;
    let bare = run(b, i, 4, |c| matches!(c, b' ' | b':' | b'`' | b'*'));
    if seed_words(line, bare) {
        return;
    }
    let quote = run(b, i, 64, |c| !matches!(c, b'"' | b'\''));
    if matches!(at(b, quote), b'"' | b'\'') {
        seed_words(line, quote);
    }
}

/// `IDENTIFIED BY 'x'` and other fixed phrases: the quoted value behind them.
pub(super) fn phrase_value(line: &mut Line, i: usize) {
    let i = blanks(line.bytes, i, 8);
    if !matches!(at(line.bytes, i), b'\"' | b'\'') {
        return;
    }
    if let Some((start, end, quoted)) = value_at(line.bytes, i, Tie::Flag, false)
        && quoted
    {
        let c = Candidate {
            text: sub(line.bytes, start, end),
            quoted,
            tie: Tie::Tight,
            upper_name: true,
            leads: true,
            next: 0,
            last: true,
        };
        if is_secret(&c, Name::Password) {
            line.add(start, end, super::marker::PASSWORD, "sql-password");
        }
    }
}
