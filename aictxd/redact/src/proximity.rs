//! Secrets near a name rather than behind it, and values under names of one place only.

use super::assignment::{Named, judge_as, rule_of};
use super::bytes::{at, before, blanks, is_name, run, run_back, sub};
use super::line::Line;
use super::secret_name::Name;
use super::text_kind::is_bare_secret;
use super::value_bounds::value_at;
use super::value_kind::Tie;

/// `ENV['X'] || 'x'`, `${X:-x}`, `x | default('x')`: what stands in when nothing else is given. The
/// expression begins at `i`.
pub(super) fn fallback(line: &mut Line, n: &Named, i: usize) {
    let b = line.bytes;
    let text = sub(b, i, i + 120);
    if at(text, 0) == b'$' && at(text, 1) == b'{' {
        let Some(p) = memchr::memmem::find(sub(text, 0, 64), b":-") else {
            return;
        };
        let s = i + p + 2;
        let e = run(b, s, 96, |c| {
            c.is_ascii_graphic() && !matches!(c, b'}' | b'"' | b'$' | b'{')
        });
        if at(b, e) == b'}' && super::secret_sentence::is_strong(sub(b, s, e)) {
            line.add(s, e, n.class.kind(), rule_of(n.class));
        }
        return;
    }
    for sign in ["|| ", "?? ", "or ", "default(", "?: ", "fetch("] {
        let Some(p) = memchr::memmem::find(text, sign.as_bytes()) else {
            continue;
        };
        let mut s = i + p + sign.len();
        // `fetch('NAME', 'x')`
        if sign == "fetch(" {
            s = blanks(b, run(b, s, 64, |c| c != b',' && c != b')') + 1, 2);
        }
        let quote = at(b, s);
        let e = run(b, s + 1, 96, |c| c != quote);
        if matches!(quote, b'"' | b'\'')
            && at(b, e) == quote
            && super::secret_sentence::is_strong(sub(b, s + 1, e))
        {
            line.add(s + 1, e, n.class.kind(), rule_of(n.class));
            return;
        }
    }
}

/// A random run within a few words behind the name, or before it.
pub(super) fn nearby(line: &mut Line, n: &Named) {
    let b = line.bytes;
    super::secret_sentence::named_before(line, n.start, n.class.kind());
    let mut i = n.end;
    let limit = (n.end + 64).min(b.len());
    // What a marker stands for is found already.
    let limit = memchr::memmem::find(sub(b, n.end, limit), super::marker::OPEN)
        .map_or(limit, |p| n.end + p);
    while i < limit {
        let from = run(b, i, limit - i, |c| !c.is_ascii_alphanumeric());
        if from >= limit {
            return;
        }
        let to = run(b, from, 200, |c| {
            c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'_' | b'-')
        });
        let to = run(b, to, 2, |c| c == b'=');
        if to - from >= 20
            && !matches!(before(b, from), b'/' | b':' | b',' | b'.')
            && is_bare_secret(sub(b, from, to))
        {
            line.add(from, to, n.class.kind(), "near-name");
            return;
        }
        i = to.max(from + 1);
    }
}

/// `rocommunity x`, `snmp-server community x RO`: the value is at `i`.
pub(super) fn community(line: &mut Line, start: usize, i: usize) {
    let b = line.bytes;
    let word = sub(b, run_back(b, start, 16, is_name), start);
    let server = sub(b, start.saturating_sub(12), start).ends_with(b"snmp-server ");
    if server || matches!(word, b"ro" | b"rw" | b"trap") {
        judge_as(line, Name::Password, blanks(b, i, 8), Tie::Flag);
    }
}

/// `?key=…` of an address: random values only.
pub(super) fn query_key(line: &mut Line, i: usize) {
    if let Some((start, end, _)) = value_at(line.bytes, i, Tie::Tight, true) {
        let v = sub(line.bytes, start, end);
        if v.len() >= 16
            && v.iter().filter(|c| c.is_ascii_digit()).count() >= 2
            && !super::text_kind::is_wordlike(v)
            && !super::text_kind::looks_placeholder(v)
            && v.iter()
                .all(|c| is_name(*c) || matches!(*c, b'%' | b'=' | b'/' | b'+'))
        {
            line.add(start, end, super::marker::API_KEY, "query-key");
        }
    }
}

/// The private part of a JSON web key.
pub(super) fn jwk(line: &mut Line, i: usize) {
    let around = sub(line.bytes, i.saturating_sub(2048), i + 2048);
    if memchr::memmem::find(around, b"\"kty\"").is_none() {
        return;
    }
    if let Some((start, end, true)) =
        value_at(line.bytes, blanks(line.bytes, i, 4), Tie::Colon, false)
        && end - start >= 32
    {
        line.add(start, end, super::marker::PRIVATE_KEY, "jwk");
    }
}
