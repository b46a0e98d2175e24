//! Secrets in sentences: "log in with admin / S3cr3t!", "the password is swordfish".

use super::benign_words::{is_common, is_explanation, is_technical};
use super::bytes::{at, before, blanks, has_ci, looking_at, run, run_back, sub};
use super::line::Line;
use super::marker::PASSWORD;
use super::text_kind::{is_reference, looks_placeholder};

/// A word that nobody would write but as a password.
pub(super) fn is_strong(v: &[u8]) -> bool {
    let sign = v.iter().any(|c| {
        matches!(
            c,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~'
        )
    });
    v.len() >= 5
        && v.iter().any(u8::is_ascii_lowercase)
        && (sign || v.iter().any(u8::is_ascii_digit))
        && !v
            .iter()
            .any(|c| matches!(c, b'/' | b'(' | b'<' | b'>' | b'{' | b'[' | b'='))
        && !is_technical(v)
        && !is_reference(v)
        && !looks_placeholder(v)
        && !v.starts_with(b"$")
        && !v.starts_with(b"%")
}

/// `… is swordfish`: one word at `i` that ends its clause and explains nothing.
pub(super) fn said(line: &mut Line, i: usize) -> bool {
    let b = line.bytes;
    let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*' | b'_');
    let s = run(b, i, 3, marks);
    let e = run(b, s, 40, |c| c.is_ascii_alphabetic() || c == b'-');
    let v = sub(b, s, e);
    if v.len() < 5 || v.starts_with(b"-") || v.ends_with(b"-") {
        return false;
    }
    let close = run(b, e, 3, marks);
    let quoted = s > i && close > e;
    if (s > i) != (close > e) {
        return false;
    }
    let stop = run(b, close, 2, |c| {
        matches!(c, b'.' | b',' | b'!' | b')' | b';')
    });
    let rest = blanks(b, stop, 4);
    let ends = rest >= b.len() || at(b, rest) == b'\r';
    let clause = stop > close && rest > stop
        || ["for ", "on ", "at ", "and ", "("]
            .iter()
            .any(|w| rest > stop && looking_at(b, rest, w.as_bytes()));
    let shape = v
        .split(|c| *c == b'-')
        .all(|p| p.iter().skip(1).all(u8::is_ascii_lowercase));
    // `Tiger-Lily`
    let name_like = v
        .split(|c| *c == b'-')
        .filter(|p| p.first().is_some_and(u8::is_ascii_uppercase))
        .count()
        >= 2;
    let word = !is_common(v)
        && (name_like || !is_explanation(v))
        && !looks_placeholder(v)
        && v.split(|c| *c == b'-').any(|p| !is_common(p));
    if !(word && shape && (quoted || ends || clause)) {
        return false;
    }
    line.add(s, e, PASSWORD, "said-password");
    true
}

/// `backup codes: a1b2c-d3e4f, …`: the codes behind the colon.
pub(super) fn codes(line: &mut Line, i: usize) {
    let b = line.bytes;
    let i = run(b, i, 1, |c| c == b's');
    let j = run(b, i, 3, |c| matches!(c, b':' | b'*' | b'=' | b' '));
    if j == i || !sub(b, i, j).contains(&b':') {
        return;
    }
    listed(line, j);
}

/// Codes from `j` on, until something else stands there.
pub(super) fn listed(line: &mut Line, mut j: usize) {
    let b = line.bytes;
    for _ in 0..32 {
        let s = run(b, j, 4, |c| {
            matches!(c, b' ' | b',' | b';' | b'`' | b'"' | b'\'')
        });
        let e = run(b, s, 40, |c| c.is_ascii_alphanumeric() || c == b'-');
        let v = sub(b, s, e);
        let number = v.len() >= 6 && v.iter().all(u8::is_ascii_digit);
        if v.len() < 6
            || !v.iter().any(u8::is_ascii_digit)
            || is_reference(v) && !number && v.iter().filter(|c| **c == b'-').count() > 1
        {
            return;
        }
        line.add(s, e, super::marker::SECRET, "recovery-code");
        j = e;
    }
}

/// Groups of four base32 characters within a few words: the key of an authenticator.
pub(super) fn setup_key(line: &mut Line, i: usize) {
    let b = line.bytes;
    let limit = (i + 40).min(b.len());
    let group = |p: usize| {
        run(
            b,
            p,
            5,
            |c| matches!(c, b'A'..=b'Z' | b'2'..=b'7' | b'a'..=b'z'),
        ) == p + 4
    };
    let mut s = i;
    while s < limit {
        let mut e = s;
        let mut groups = 0;
        if !before(b, s).is_ascii_alphanumeric() {
            while group(e) && groups < 16 {
                groups += 1;
                e += 5;
                if !matches!(at(b, e - 1), b' ' | b'-') {
                    break;
                }
            }
        }
        let v = sub(b, s, e.saturating_sub(1));
        if groups >= 4 && v.iter().any(u8::is_ascii_digit) {
            line.add(s, e - 1, super::marker::SECRET, "setup-key");
            return;
        }
        s += 1;
    }
}

/// `the staging key (…)`, `"key": …`: a random run right behind the word at `start`.
pub(super) fn bare_key(line: &mut Line, start: usize) {
    let b = line.bytes;
    let prev = sub(
        b,
        run_back(b, start, 16, |c| c.is_ascii_alphabetic()),
        start,
    );
    if [
        "public",
        "cache",
        "primary",
        "host",
        "foreign",
        "object",
        "fingerprint",
        "sort",
        "s",
    ]
    .iter()
    .any(|w| prev.eq_ignore_ascii_case(w.as_bytes()))
    {
        return;
    }
    let member = at(b, start) == b'"';
    let i = start + if member { 6 } else { 5 };
    let i = if looking_at(b, i, b"is ") { i + 3 } else { i };
    let s = run(b, i, 4, |c| {
        matches!(c, b' ' | b'(' | b':' | b'`' | b'"' | b'\'')
    });
    let e = run(b, s, 129, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-')
    });
    let v = sub(b, s, e);
    let random = super::text_kind::is_bare_secret(v) && (!member || v.len() >= 32);
    // `{"username":"bob","key":"…"}`
    let paired = member
        && v.len() == 32
        && v.iter().all(u8::is_ascii_hexdigit)
        && has_ci(sub(b, start.saturating_sub(96), start), "\"username\"");
    if (random || paired) && !at(b, e).is_ascii_alphanumeric() {
        line.add(s, e, super::marker::API_KEY, "bare-key");
    }
}

/// `WIFI:T:WPA;S:name;P:password;;`
pub(super) fn wifi(line: &mut Line, i: usize) {
    let b = line.bytes;
    let Some(p) = memchr::memmem::find(sub(b, i, i + 128), b";P:") else {
        return;
    };
    let s = i + p + 3;
    let e = run(b, s, 64, |c| c != b';' && !c.is_ascii_whitespace());
    if at(b, e) == b';' && !looks_placeholder(sub(b, s, e)) {
        line.add(s, e, PASSWORD, "wifi-code");
    }
}

/// `… x as the API key`, `is x still the token`: a random word within a few words before the name
/// that begins at `start`.
pub(super) fn named_before(line: &mut Line, start: usize, kind: &'static str) {
    let b = line.bytes;
    let class = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    let floor = start.saturating_sub(44);
    let mut end = start;
    while end > floor {
        end = run_back(b, end, end - floor, |c| !class(c));
        let s = run_back(b, end, 129, class);
        if s >= end {
            return;
        }
        let alone = matches!(before(b, s), 0 | b' ' | b'`' | b'"' | b'\'' | b'(')
            && matches!(at(b, end), b' ' | b'`' | b'"' | b'\'' | b')');
        // `… (api token)`
        let v = sub(b, s, end);
        let gap = sub(b, end, start);
        let name = run(b, start, 48, super::bytes::is_name);
        let explained = gap.starts_with(b" (")
            && at(b, name) == b')'
            && v.len() >= 32
            && v.iter().any(u8::is_ascii_digit)
            && v.iter().all(u8::is_ascii_alphanumeric)
            && v.iter().any(u8::is_ascii_alphabetic)
            && !super::text_kind::is_wordlike(v);
        // `use x as the password`
        let given = kind == PASSWORD
            && is_strong(v)
            && [&b" as "[..], b" como ", b" als ", b" comme "]
                .iter()
                .any(|word| gap.starts_with(word));
        if alone && (given || explained || end - s >= 24 && super::text_kind::is_bare_secret(v)) {
            line.add(s, end, kind, "before-name");
            return;
        }
        // Only plain words may stand between.
        if end - s > 14 || matches!(at(b, end), b':' | b'=' | b',' | b';') {
            return;
        }
        end = s;
    }
}

/// One line of a browser's cookie file: `domain TRUE / TRUE 0 name value`, cut by tabs.
pub(super) fn cookie_file(line: &mut Line) {
    let b = line.bytes;
    let mut from = 0;
    let mut fields = [(0, 0); 7];
    for field in &mut fields {
        let end = run(b, from, 4096, |c| c != b'\t');
        *field = (from, end);
        from = end + 1;
    }
    let [_, (s, e), _, _, _, (ns, ne), (vs, ve)] = fields;
    let v = sub(b, vs, ve).trim_ascii_end();
    if matches!(sub(b, s, e), b"TRUE" | b"FALSE")
        && ne > ns
        && v.len() >= 12
        && v.iter().any(u8::is_ascii_digit)
        && !looks_placeholder(v)
    {
        line.add(vs, vs + v.len(), super::marker::SESSION, "cookie");
    }
}

/// Returns true if the words before `i` speak of a user: `user bob, password: swordfish`.
pub(super) fn speaks_of_user(b: &[u8], i: usize) -> bool {
    let head = sub(b, i.saturating_sub(64), i);
    ["user", "login", "account", "admin", "mail"]
        .iter()
        .any(|w| has_ci(head, w))
        && !head
            .iter()
            .any(|c| matches!(c, b'{' | b'}' | b'(' | b'<' | b'[' | b'=' | b'|' | b'$'))
}

/// Returns true if the word at `i` stands behind one that says whose it is: `my password: swordfish`.
pub(super) fn is_owned(b: &[u8], i: usize) -> bool {
    let head = sub(b, i.saturating_sub(7), i);
    [
        "my ", "our ", "mein ", "unser ", "mi ", "nuestra ", "meu ", "mon ",
    ]
    .iter()
    .any(|word| {
        let from = head.len().saturating_sub(word.len());
        sub(head, from, head.len()).eq_ignore_ascii_case(word.as_bytes())
            && !before(head, from).is_ascii_alphanumeric()
    })
}

/// `expect "Password:"; send "x\r"`: the word `send ` is at `start..i`.
pub(super) fn sent(line: &mut Line, start: usize, i: usize) {
    let b = line.bytes;
    let head = sub(b, start.saturating_sub(160), start);
    if !has_ci(head, "assword") && !has_ci(head, "assphrase") {
        return;
    }
    let i = run(b, i, 4, |c| matches!(c, b'-' | b' ' | b'\\'));
    if matches!(at(b, i), b'"' | b'\'') && at(b, i + 1) != b'$' {
        super::assignment::judge_as(
            line,
            super::secret_name::Name::Password,
            i,
            super::value_kind::Tie::Flag,
        );
    }
}

/// Words between a word for password and what it is.
const VERBS: &[&str] = &[
    "a",
    "est",
    "es",
    "är",
    "er",
    "to",
    "é",
    "è",
    "on",
    "is",
    "je",
    "brzmi",
    "ist",
    "lautet",
    "adalah",
    "là",
    "это",
    "είναι",
    "era",
    "será",
    "—",
    "–",
    "-",
];

/// Behind the verb at `i`, when one stands there.
fn verb_at(b: &[u8], i: usize) -> Option<usize> {
    let ends = VERBS
        .iter()
        .filter(|verb| looking_at(b, i, verb.as_bytes()));
    let mut ends = ends.map(|verb| i + verb.len());
    let end = ends.find(|end| matches!(at(b, *end), b' ' | b':'))?;
    Some(run(b, end, 3, |c| matches!(c, b' ' | b':')))
}

/// `Contraseña: x`, `le mot de passe est x`: the word ends somewhere behind `i`.
pub(super) fn foreign(line: &mut Line, i: usize) {
    let b = line.bytes;
    // Some keywords end in the connector (`clave:`).
    let i = if before(b, i) == b':' { i - 1 } else { i };
    // Signs of scripts that put no blank behind the word
    const SIGNS: &[&str] = &["：", "は", "是", "为", "為", "는 ", "은 "];
    let tail = sub(b, i, i + 24);
    let end = run(b, i, 24, |c| c >= 0x80 || c.is_ascii_alphabetic());
    let sign = SIGNS
        .iter()
        .filter_map(|s| Some(memchr::memmem::find(tail, s.as_bytes())? + s.len()))
        .min()
        .filter(|p| i + p <= end + 1);
    let word = run_back(b, i, 24, |c| c >= 0x80 || c.is_ascii_alphabetic());
    named_before(line, word, PASSWORD);
    let mut j = run(b, end, 24, |c| matches!(c, b' ' | b'*' | b'"' | b'`'));
    let next = run(b, j, 64, |c| !c.is_ascii_whitespace());
    match (sign, verb_at(b, j)) {
        (Some(p), _) => j = run(b, i + p, 6, |c| matches!(c, b' ') || c >= 0x80),
        (None, Some(behind)) => j = behind,
        (None, None) if matches!(at(b, j), b':' | b'=') => j += 1,
        // `usa la contraseña x`
        (None, None) if is_strong(sub(b, j, next)) => {}
        // `пароль от базы: x`, `la contraseña de la base es x`
        (None, None) => {
            let stop = run(b, j, 64, |c| {
                c >= 0x80 || c.is_ascii_alphanumeric() || matches!(c, b' ' | b'-' | b'_')
            });
            let mut words = (j..stop).filter(|k| before(b, *k) == b' ');
            j = match words.find_map(|k| verb_at(b, k)) {
                Some(behind) => behind,
                None if looking_at(b, stop, b": ") => stop + 1,
                None => return,
            };
        }
    }
    let j = super::spaced_value::adverbs(b, j);
    let j = run(b, j, 4, |c| matches!(c, b' ' | b'*' | b':'));
    super::assignment::judge_as(
        line,
        super::secret_name::Name::Password,
        j,
        super::value_kind::Tie::Call,
    );
    let s = run(b, j, 2, |c| matches!(c, b'`' | b'"' | b'\'' | b'*'));
    let e = run(b, s, 64, |c| {
        c.is_ascii_graphic() && !matches!(c, b'`' | b'"' | b'\'' | b'*' | b',' | b';' | b')')
    });
    if is_strong(sub(b, s, e)) {
        line.add(s, e, PASSWORD, "named-password");
    }
}

/// `bob : EAP "x"`, `"bob" * "x" *`: the string in quotes at `i` or right behind it.
pub(super) fn quoted(line: &mut Line, i: usize) {
    let b = line.bytes;
    let s = if before(b, i) == b'"' { i } else { i + 1 };
    let e = run(b, s, 128, |c| c != b'"');
    let v = sub(b, s, e);
    let alone = v.iter().all(u8::is_ascii_graphic) && at(b, e) == b'"' && before(b, s) == b'"';
    let star = at(b, i.saturating_sub(3)) == b'*' || at(b, i.saturating_sub(2)) == b'*';
    let end = sub(b, e + 1, b.len()).trim_ascii();
    let alone = alone
        && (!star
            || end.starts_with(b"*")
            || end.starts_with(b"\"")
            || end.first().is_some_and(u8::is_ascii_digit));
    let file = sub(b, 0, i).iter().all(|c| {
        super::bytes::is_name(*c) || matches!(c, b'"' | b'*' | b' ' | b':' | b'@' | b'%' | b'\t')
    });
    if alone && file && v.len() >= 5 && !looks_placeholder(v) && !is_common(v) {
        line.add(s, e, PASSWORD, "secrets-file");
    }
}

/// `btoa('bob:x')`: the argument begins at `i`.
pub(super) fn encoded(line: &mut Line, i: usize) {
    let b = line.bytes;
    let i = run(b, i, 1, |c| c == b'b');
    let quote = at(b, i);
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return;
    }
    let e = run(b, i + 1, 256, |c| c != quote && c != b'$' && c != b'{');
    let v = sub(b, i + 1, e);
    if let Some(p) = v.iter().position(|c| *c == b':')
        && at(b, e) == quote
        && (is_strong(sub(v, p + 1, v.len())) || v.len() - p > 16)
    {
        line.add(
            i + 2 + p,
            e,
            super::marker::CREDENTIAL,
            "encoded-credential",
        );
    }
}
