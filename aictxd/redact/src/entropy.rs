//! Tokens that stand for themselves: random words without a name, told from ordinary words by how
//! often the kind of character changes, and from hashes and identifiers by what stands around them.

use super::bytes::{at, before, decode_base64, is_name, run, run_back, sub};
use super::text_kind::{entropy, is_wordlike, looks_placeholder};

/// The shortest token that is taken without any word that introduces it.
const ALONE: usize = 30;
/// The longest; beyond are images, archives and certificates.
const LONGEST: usize = 100;

/// Last words of names whose random values everybody may see.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "id", "ids", "uid", "gid", "uuid", "guid", "hash", "digest", "checksum", "integrity", "fingerprint", "sha", "sha1",
    "sha256", "sha512", "md5", "cid", "commit", "rev", "revision", "version", "etag", "nonce", "cursor", "address",
    "addr", "pubkey", "publickey", "public", "signature", "sig", "request", "trace", "span", "name", "file", "path",
    "ref", "url", "uri", "slug", "node", "sum", "thumbprint", "kid", "x", "y", "n", "crt", "cert", "certificate",
    "image", "src", "source", "content", "snapshot", "build", "account", "tx", "txid", "transaction", "block", "peer",
    "device", "index", "title", "text", "input", "output", "expected", "actual", "value", "data", "payload", "body",
    "test", "case", "sample", "page", "next", "continuation", "href", "font", "icon", "svg", "ray", "challenge",
    "class", "classname", "object", "event", "message", "state", "code", "asset", "chunk", "hostname", "host", "tag",
    "type", "method", "function", "module", "component", "key1", "mapping", "mappings", "mac", "serial", "salt", "iv",
    "recipient", "timer", "subscription", "list", "v", "playlist", "channel", "video", "cf", "pop", "identifier", "arn", "handle", "user", "username", "customer", "invoice",
];

/// Characters of every kind in no order: what a generator makes and no one writes.
pub(super) fn is_random(v: &[u8], min: usize) -> bool {
    if v.len() < min || v.len() > LONGEST {
        return false;
    }
    let (mut upper, mut lower, mut digits, mut turns) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut last = 0_u8;
    for &c in v {
        let class = match c {
            b'A'..=b'Z' => {
                upper += 1;
                1
            }
            b'a'..=b'z' => {
                lower += 1;
                2
            }
            b'0'..=b'9' => {
                digits += 1;
                3
            }
            b'_' | b'-' => 4,
            _ => return false,
        };
        turns += usize::from(last != 0 && class != last);
        last = class;
    }
    let few = v.len() / 12;
    upper > few
        && lower > few
        && (digits > v.len() / 20 && turns * 5 >= v.len() * 2 || turns * 2 >= v.len())
        && !is_wordlike(v)
        && !looks_placeholder(v)
        && entropy(v) >= if v.len() < 28 { 3.7 } else { 4.1 }
}

/// Identifiers with a telling beginning, data in base64, and other random words that are no secret.
fn is_public(v: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"MII",
        b"AAAA",
        b"iVBOR",
        b"H4sI",
        b"UEsDB",
        b"R0lGOD",
        b"eyJ",
        b"Ag",
        b"toolu_",
        b"msg_",
        b"chatcmpl",
    ];
    let kind = v.iter().take_while(|c| c.is_ascii_lowercase()).count();
    let labelled = (1..=8).contains(&kind) && at(v, kind) == b'_' && v.len() < 36;
    // A hash of IPFS, addresses of Bitcoin
    let hash = v.len() == 46 && v.starts_with(b"Qm");
    let text = v.len().is_multiple_of(4)
        && decode_base64(v).is_some_and(|d| {
            d.iter()
                .filter(|c| c.is_ascii_graphic() || **c == b' ')
                .count()
                * 10
                >= d.len() * 9
        });
    labelled || hash || text || STARTS.iter().any(|p| v.starts_with(p))
}

/// Returns true if words right before `i` hand something over: `use this: `, `here's the new one -> `. What
/// may as well be a hash needs the clearer ones.
fn introduced(b: &[u8], i: usize, hash: bool) -> bool {
    const FIRM: &[&str] = &[
        "it's",
        "its",
        "it is",
        "here's",
        "here is",
        "add-mask::",
        "mine is",
        "one is",
    ];
    const CLEAR: &[&str] = &[
        "use this",
        "here you go",
        "this one",
        "new one",
        "this is it",
        "try this",
        "paste this",
        "mine",
        "with this",
        "use this one",
    ];
    const WEAK: &[&str] = &[
        "use", "try", "paste", "this", "now", "instead", "is", "it", "value", "new", "result",
        "copy",
    ];
    let ends = |head: &[u8], w: &str| {
        head.len() >= w.len()
            && sub(head, head.len() - w.len(), head.len()).eq_ignore_ascii_case(w.as_bytes())
            && !is_name(before(head, head.len() - w.len()))
    };
    let from = run_back(b, i, 40, |c| c != b'\n');
    let end = run_back(b, i, i - from, |c| {
        matches!(c, b' ' | b'`' | b'"' | b'\'' | b'*')
    });
    let head = sub(b, from, end);
    if hash
        && ["sha", "md5", "hash", "commit", "digest", "checksum", "rev"]
            .iter()
            .any(|w| super::bytes::has_ci(head, w))
    {
        return false;
    }
    if FIRM.iter().any(|w| ends(head, w)) {
        return true;
    }
    let bare = run_back(b, end, end - from, |c| {
        matches!(c, b' ' | b':' | b'-' | b'>' | 0xE2 | 0x86 | 0x92)
    });
    let words = sub(b, from, bare);
    // `"this": …` is a member
    bare < end
        && before(b, bare) != b'"'
        && (CLEAR.iter().any(|w| ends(words, w)) || !hash && WEAK.iter().any(|w| ends(words, w)))
}

/// The range of the token when the run of name characters in `s..e` is one.
pub(super) fn find(b: &[u8], s: usize, e: usize) -> Option<(usize, usize)> {
    let mut e = e;
    while e > s && at(b, e - 1) == b'.' {
        e -= 1;
    }
    let v = sub(b, s, e);
    if !(22..=LONGEST).contains(&v.len()) {
        return None;
    }
    let (prev, next) = (before(b, s), at(b, e));
    let opens = matches!(
        prev,
        0 | b'\n' | b' ' | b'\t' | b'"' | b'\'' | b'`' | b'(' | b'=' | b':' | b'>' | b'*'
    );
    let closes = matches!(
        next,
        0 | b'\n'
            | b'\r'
            | b' '
            | b'\t'
            | b'"'
            | b'\''
            | b'`'
            | b')'
            | b','
            | b';'
            | b'.'
            | b'<'
            | b'*'
            | b'!'
            | b'?'
    );
    if !(opens && closes) {
        return None;
    }
    let mixed = is_random(v, 22);
    if !mixed {
        // Hashes look the same: only when somebody hands it over.
        let plain = v.len() >= 32
            && v.iter()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && v.iter().filter(|c| c.is_ascii_digit()).count() >= 4
            && !is_wordlike(v);
        return (plain && matches!(prev, b' ' | b'`' | b'"' | b':') && introduced(b, s, true))
            .then_some((s, e));
    }
    if introduced(b, s, false) {
        return Some((s, e));
    }
    let header = prev == b' ' && in_header(b, s);
    if v.len() < ALONE && !header || is_public(v) {
        return None;
    }
    // A line of its own is as likely the end of a block of base64.
    let line_start = matches!(before(b, s), 0 | b'\n');
    let line_end = matches!(next, 0 | b'\n' | b'\r');
    if line_start && line_end || matches!(v.len(), 64 | 76) && (line_end || line_start) {
        return None;
    }
    let query = prev == b'=' && {
        let name = run_back(b, s - 1, 32, is_name);
        matches!(before(b, name), b'?' | b'&')
    };
    (!query && !named_public(b, s)).then_some((s, e))
}

/// `X-Some-Team: `: the name of a header of one's own before `i`.
fn in_header(b: &[u8], i: usize) -> bool {
    if before(b, i - 1) != b':' {
        return false;
    }
    let from = run_back(b, i - 2, 48, |c| c.is_ascii_alphanumeric() || c == b'-');
    sub(b, from, from + 2).eq_ignore_ascii_case(b"x-")
}

/// Returns true if the name or the word before `i` says that everybody may see the value.
fn named_public(b: &[u8], i: usize) -> bool {
    let end = run_back(b, i, 12, |c| {
        matches!(
            c,
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>' | b'(' | b'*' | b'\\'
        )
    });
    let from = run_back(b, end, 64, is_name);
    let name = sub(b, from, end);
    if name.is_empty() {
        return false;
    }
    let words = super::secret_name::words(name);
    let prose = before(b, i) == b' ' && before(b, i - 1).is_ascii_alphanumeric();
    let last = words.last().map_or("", String::as_str);
    let last = last
        .strip_suffix('s')
        .filter(|w| w.len() > 2)
        .unwrap_or(last);
    let known = |w: &str| PUBLIC.contains(&w);
    // `<b>`, `"x", "y"`: nothing that names
    known(last)
        || !prose
            && words.iter().any(|w| {
                matches!(
                    w.as_str(),
                    "public" | "id" | "hash" | "digest" | "request" | "trace" | "sha256"
                )
            })
        || matches!(last, "sha" | "commit" | "fingerprint")
}

/// `f(…, "base64==")`: a key of 32 or 64 bytes in quotes, as an argument, around the run `s..e`.
pub(super) fn padded(b: &[u8], s: usize, e: usize) -> Option<(usize, usize)> {
    let close = run(b, e, LONGEST, super::bytes::is_base64);
    if !matches!(at(b, close), b'"' | b'\'') || before(b, close) != b'=' {
        return None;
    }
    let open = run_back(b, s, LONGEST, super::bytes::is_base64);
    let sign = before(b, open);
    if sign != at(b, close) || !matches!(close - open, 44 | 88) {
        return None;
    }
    let from = run_back(b, open - 1, 4, |c| c == b' ');
    let argument =
        matches!(before(b, from), b'(' | b',') && matches!(at(b, close + 1), b')' | b',');
    // The list of a pinned host or of hashes
    let alone = !sub(b, from.saturating_sub(24), from).ends_with(b"sha256(");
    (argument && alone && super::text_kind::is_padded_key(sub(b, open, close)))
        .then_some((open, close))
}
