//! Values tied to a secret name: assignments, members, flags, elements, calls and prose.

use super::auth_header;
use super::bytes::{at, before, blanks, has_ci, is_name, looking_at, run, run_back, sub};
use super::line::Line;
use super::proximity::{fallback, nearby};
use super::secret_name::{Name, classify};
use super::spaced_value::spaced;
use super::value_bounds::{
    MAX_VALUE, four_groups, plain_words, value_at, with_brackets, with_signs,
};
use super::value_kind::{Candidate, Tie, is_secret};

/// A name in a line.
pub(super) struct Named {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: Name,
    pub(super) upper: bool,
}

/// Looks at the name around the keyword at `start..end` and at what is tied to it.
pub(super) fn analyse(line: &mut Line, start: usize, end: usize) {
    let b = line.bytes;
    // Some keywords end in the connector (`auth=`).
    let end = if is_name(before(b, end)) {
        end
    } else {
        end - 1
    };
    let mut from = run_back(b, start, 96, is_name);
    let mut to = run(b, end, 96, is_name);
    if before(b, from) == b'\\' && matches!(at(b, from), b'n' | b't' | b'r') && from < start {
        from += 1;
    }
    while to > end && matches!(at(b, to - 1), b'.' | b'-') {
        to -= 1;
    }
    if to <= line.names_done {
        return;
    }
    line.names_done = to;
    // `-psomepw file`: what a command has already given away is no name.
    if line
        .spans
        .iter()
        .rev()
        .take(8)
        .any(|s| s.start <= from + 2 && from < s.end.saturating_sub(1) && to <= s.end)
    {
        return;
    }
    // `checksum/secret: …`
    if before(b, from) == b'/' && sub(b, 0, from).ends_with(b"checksum/") {
        return;
    }
    let name = sub(b, from, to);
    // The working directory of a shell
    if matches!(name, b"PWD" | b"OLDPWD")
        && at(b, to) == b'='
        && matches!(
            at(b, run(b, to + 1, 1, |c| matches!(c, b'"' | b'\''))),
            b'/' | b'~' | b'$'
        )
    {
        return;
    }
    let Some(class) = classify(name) else { return };
    let upper = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
    let named = Named {
        start: from,
        end: to,
        class,
        upper,
    };
    if class == Name::Signature
        && !(at(b, to) == b'=' && matches!(before(b, from), b'?' | b'&' | b';' | b' ' | b','))
    {
        return;
    }
    if !tied(line, &named)
        && !matches!(
            class,
            Name::Session | Name::Cookie | Name::Pass | Name::Signature
        )
    {
        nearby(line, &named);
    }
}

/// Finds the connector behind the name. Answers whether there was one that settles the matter.
fn tied(line: &mut Line, n: &Named) -> bool {
    let b = line.bytes;
    let mut i = run(b, n.end, 6, |c| {
        matches!(c, b'\\' | b'"' | b'\'' | b'`' | b']' | b'*' | b')')
    });
    // `the password's …`
    for tail in ["'s ", "’s "] {
        if looking_at(b, n.end, tail.as_bytes()) {
            let v = n.end + tail.len();
            return judge(line, n, v, Tie::Prose)
                || n.class.is_password() && super::secret_sentence::said(line, v);
        }
    }
    // `password........"x"`
    let dots = run(b, n.end, 64, |c| c == b'.');
    if dots >= n.end + 3 && matches!(at(b, dots), b'"' | b'\'') {
        return judge(line, n, dots, Tie::Assign);
    }
    let closed = i > n.end;
    if matches!(at(b, i), b'?' | b'!') && at(b, i + 1) == b':' {
        i += 1;
    }
    // `getByLabel('Password').fill('…')`
    if closed && at(b, i) == b'.' {
        let open = run(b, i + 1, 16, |c| c.is_ascii_alphanumeric() || c == b'_');
        let method = sub(b, i + 1, open);
        if matches!(
            method,
            b"fill" | b"type" | b"send_keys" | b"sendKeys" | b"setValue" | b"val"
        ) && at(b, open) == b'('
        {
            return judge(line, n, open + 1, Tie::Assign);
        }
    }
    // `Unseal Key 1: …`
    let number = run(b, blanks(b, i, 1), 3, |c| c.is_ascii_digit() || c == b'#');
    if number > i + 1 && at(b, number) == b':' {
        i = number;
    }
    let mut j = blanks(b, i, 40);
    // `${PASSWORD}    x`
    if at(b, i) == b'}' && before(b, n.start) == b'{' && n.class.is_password() {
        let v = run(b, i + 1, 40, |c| matches!(c, b' ' | b'\t' | b'='));
        if v > i + 2 && at(b, v) != b'$' {
            return judge(line, n, v, Tie::Element);
        }
    }
    // `AWS Secret Access Key [None]: …`
    if at(b, j) == b'[' && j > i {
        let close = run(b, j, 28, |c| c != b']');
        if at(b, close) == b']' && at(b, close + 1) == b':' {
            j = close + 1;
        }
    }
    // `<wsse:Password Type="…">x`
    let mark = run_back(b, n.start, 24, |c| c.is_ascii_alphanumeric() || c == b':');
    if before(b, mark) == b'<' && j > i && at(b, i) == b' ' {
        let close = run(b, j, 160, |c| !matches!(c, b'<' | b'>'));
        if at(b, close) == b'>' && !matches!(before(b, close), b'/' | b'=') {
            return judge(line, n, close + 1, Tie::Element);
        }
    }
    // `"db_password": { …, "value": "x" }`
    let open = blanks(b, j + 1, 4);
    if at(b, j) == b':' && at(b, open) == b'{' {
        let inner = sub(b, open, open + 160);
        let inner = inner.split(|c| *c == b'}').next().unwrap_or_default();
        if let Some(p) = memchr::memmem::find(inner, b"\"value\":") {
            return judge(line, n, blanks(b, open + p + 8, 4), Tie::Element);
        }
    }
    if let Some(value) = sibling(b, j) {
        return judge(line, n, value, Tie::Element);
    }
    match at(b, j) {
        b'=' => {
            let k = run(b, j, 3, |c| matches!(c, b'=' | b'>' | b'~'));
            let v = blanks(b, k, 40);
            let tie = if j == i && v == k && k == j + 1 {
                Tie::Tight
            } else {
                Tie::Assign
            };
            // `"old" -> "new"` of a plan
            if matches!(at(b, v), b'"') {
                let close = run(b, v + 1, 160, |c| c != b'"');
                if looking_at(b, close, b"\" -> \"") {
                    judge(line, n, close + 5, tie);
                }
            }
            judge(line, n, v, tie)
        }
        b':' if at(b, j + 1) == b':' => true,
        b':' if at(b, j + 1) == b'=' => judge(line, n, blanks(b, j + 2, 40), Tie::Assign),
        b':' => colon(line, n, blanks(b, run(b, j + 1, 2, |c| c == b'*'), 80)),
        b'%' if sub(b, j, j + 3).eq_ignore_ascii_case(b"%3d") => judge(line, n, j + 3, Tie::Tight),
        // `pw? -> it's x`
        b'?' if n.class.is_password() => {
            let mut v = run(b, j + 1, 12, |c| {
                matches!(c, b' ' | b'-' | b'>' | b'=' | b'"' | b')')
            });
            for word in ["it's ", "it is ", "its ", "still ", "try "] {
                if looking_at(b, v, word.as_bytes()) {
                    v += word.len();
                }
            }
            judge(line, n, v, Tie::Prose)
        }
        b'>' if before(b, n.start) == b'<'
            || before(b, n.start) == b':'
            || (closed
                && [&b"key=\""[..], b"name=\""]
                    .iter()
                    .any(|a| sub(b, 0, n.start).ends_with(a))) =>
        {
            judge(line, n, j + 1, Tie::Element)
        }
        b'(' if j == n.end => call(line, n, j + 1),
        b',' if closed => call(line, n, blanks(b, j + 1, 40)),
        b'-' if j > i && looking_at(b, j, b"-> ") => {
            judge(line, n, blanks(b, j + 2, 8), Tie::Prose)
        }
        b'|' if j > i && memchr::memmem::find(sub(b, j, j + 96), b"}}").is_some() => true,
        b'|' if j > i => judge(line, n, blanks(b, j + 1, 80), Tie::Call),
        _ if j > i => spaced(line, n, j),
        _ => false,
    }
}

/// `"value": …` or `value=…` behind a name that is itself a value; the start of the value.
fn sibling(b: &[u8], i: usize) -> Option<usize> {
    let i = run(b, i, 8, |c| matches!(c, b',' | b' ' | b'"' | b'\'' | b'\\'));
    if !sub(b, i, i + 5).eq_ignore_ascii_case(b"value") {
        return None;
    }
    let j = run(b, i + 5, 8, |c| matches!(c, b'"' | b'\'' | b' ' | b'\\'));
    matches!(at(b, j), b':' | b'=').then(|| blanks(b, j + 1, 8))
}

/// A quoted argument.
fn call(line: &mut Line, n: &Named, i: usize) -> bool {
    matches!(at(line.bytes, i), b'"' | b'\'') && judge(line, n, i, Tie::Call)
}

/// `name: value`, and `name: type = value`.
fn colon(line: &mut Line, n: &Named, i: usize) -> bool {
    let b = line.bytes;
    let ty = run(b, i, 60, |c| {
        is_name(c)
            || matches!(
                c,
                b'[' | b']' | b'<' | b'>' | b'|' | b'&' | b' ' | b'?' | b'\''
            )
    });
    if ty > i && at(b, ty) == b'=' && before(b, ty) == b' ' {
        let v = blanks(b, ty + 1, 8);
        return !matches!(at(b, v), b'"' | b'\'') || judge(line, n, v, Tie::Assign);
    }
    // `"AWS::AppSync::ApiKey": …` names a type
    if sub(b, n.start.saturating_sub(2), n.start) == b"::" {
        return true;
    }
    // `arn:aws:secretsmanager:…:secret:name`
    if n.class == Name::Secret && before(b, n.start) == b':' {
        return true;
    }
    judge(line, n, i, Tie::Colon)
}

/// Takes the value at `i` when it is a secret. Answers whether a value was there at all.
pub(super) fn judge(line: &mut Line, n: &Named, i: usize, tie: Tie) -> bool {
    let b = line.bytes;
    if i >= b.len() {
        return false;
    }
    let header = matches!(
        n.class,
        Name::Authorization | Name::Auth | Name::Token | Name::ApiKey
    );
    if header && auth_header::scheme(line, i, n.class == Name::Authorization) {
        return true;
    }
    if n.class == Name::Mnemonic && auth_header::seed_words(line, i) {
        return true;
    }
    let query = tie == Tie::Tight && matches!(before(b, n.start), b'?' | b'&');
    let Some((start, end, quoted)) = value_at(b, i, tie, query) else {
        return false;
    };
    // `POST /token grant_type=…`: pairs are no value
    if tie == Tie::Prose
        && !quoted
        && sub(b, start, end)
            .iter()
            .position(|c| *c == b'=')
            .is_some_and(|p| {
                start + p + 2 < end
                    && sub(b, start, start + p)
                        .iter()
                        .all(|c| c.is_ascii_lowercase() || matches!(c, b'_' | b'-' | b'.'))
            })
    {
        return false;
    }
    if !quoted && n.class.is_password() && four_groups(b, start) {
        line.add(start, start + 19, n.class.kind(), "named-password");
        return true;
    }
    if !quoted
        && tie == Tie::Colon
        && n.class.is_password()
        && line.leads(n.start)
        && let Some(stop) = plain_words(b, start)
    {
        line.add(start, stop, n.class.kind(), "named-password");
        return true;
    }
    let end = if !quoted && !query && n.class.is_password() && line.leads(n.start) {
        with_signs(b, end, tie)
    } else if !quoted
        && n.class.is_password()
        && matches!(tie, Tie::Colon | Tie::Prose)
        && before(b, i) == b' '
    {
        with_brackets(b, start, end)
    } else {
        end
    };
    if n.class == Name::Cookie && tie != Tie::Prose {
        let stop = if quoted {
            end
        } else {
            start + line.allowance(4096).max(256)
        };
        auth_header::cookies(line, start, stop);
        if sub(b, start, end).contains(&b'=') {
            return true;
        }
    }
    let end = if looking_at(b, start, b"pass:") && n.class.is_password() {
        run(b, start, 256, |c| !c.is_ascii_whitespace())
    } else {
        end
    };
    let start = if looking_at(b, start, b"pass:") {
        start + 5
    } else {
        start
    };
    // `user qa, pass: qaPass77, …`: a sentence, no code
    let tie = if tie == Tie::Colon
        && !quoted
        && n.class.is_password()
        && !line.leads(n.start)
        && before(b, i) == b' '
        && super::secret_sentence::speaks_of_user(b, n.start)
        && sub(b, start, end).iter().any(u8::is_ascii_digit)
    {
        Tie::Element
    } else {
        tie
    };
    let head = sub(b, start, end.min(start + line.allowance(end - start)));
    let close = if quoted {
        run(b, end, 4, |c| matches!(c, b'\\' | b'"' | b'\'' | b'`'))
    } else {
        end
    };
    let candidate = Candidate {
        text: head,
        quoted,
        tie,
        upper_name: n.upper,
        leads: line.leads(n.start)
            || (n.class == Name::Pass
                && has_ci(sub(b, n.start.saturating_sub(64), n.start), "user")),
        next: at(b, close),
        last: blanks(b, close, 80) >= b.len() || at(b, close) == b'\r',
    };
    if is_secret(&candidate, n.class) {
        // `APP_KEYS=…,…`: a list of them
        let list = tie == Tie::Tight && n.upper && at(b, end) == b',' && !n.class.is_password();
        let end = if list {
            run(b, end, 1024, |c| super::bytes::is_base64(c) || c == b',')
        } else {
            end
        };
        // Cut at the bound: the rest of the run belongs to it.
        let end = if end - start >= MAX_VALUE - 1 {
            run(b, end, b.len(), |c| super::bytes::is_base64(c) || c == b'.')
        } else {
            end
        };
        line.names_done = line
            .names_done
            .max(if end - start >= MAX_VALUE { end } else { 0 });
        line.add(start, end, n.class.kind(), rule_of(n.class));
        return true;
    }
    if n.class.is_password() || matches!(n.class, Name::Secret | Name::Token | Name::ApiKey) {
        fallback(line, n, i);
    }
    let said = match tie {
        Tie::Prose => {
            n.end > 0
                && memchr::memmem::find(sub(b, n.end, i), b" is")
                    .is_some_and(|p| matches!(at(b, n.end + p + 3), b' ' | b':'))
                || at(b, i - 1) == b' ' && at(b, i.saturating_sub(2)) == b':'
        }
        Tie::Colon => {
            at(b, n.end) == b':'
                && at(b, i - 1) == b' '
                && (super::secret_sentence::speaks_of_user(b, n.start)
                    || super::secret_sentence::is_owned(b, n.start))
        }
        _ => false,
    };
    if said && n.class.is_password() && i > 2 && super::secret_sentence::said(line, i) {
        return true;
    }
    // A connector with an ordinary value settles it; a sentence may still name the secret later.
    tie != Tie::Prose
}

/// The report's rule name for values found by name.
pub(super) fn rule_of(name: Name) -> &'static str {
    match name {
        Name::Password | Name::Pass => "named-password",
        Name::Secret => "named-secret",
        Name::ApiKey => "named-api-key",
        Name::AccessKey => "named-access-key",
        Name::PrivateKey => "named-private-key",
        Name::Token => "named-token",
        Name::Auth | Name::Authorization => "named-auth",
        Name::Credential => "named-credential",
        Name::Session => "named-session",
        Name::Cookie => "named-cookie",
        Name::WeakKey => "named-key",
        Name::Signature => "named-signature",
        Name::Mnemonic => "named-mnemonic",
        Name::SecretId => "named-secret-id",
    }
}

/// The value at `i` under a name that stood elsewhere (the line before, the member around it).
pub(super) fn judge_as(line: &mut Line, class: Name, i: usize, tie: Tie) {
    let named = Named {
        start: 0,
        end: 0,
        class,
        upper: true,
    };
    judge(line, &named, i, tie);
}

/// The value in `s..e` under a name that stood on another line.
pub(super) fn judge_range(
    line: &mut Line,
    class: Name,
    s: usize,
    e: usize,
    tie: Tie,
    quoted: bool,
) {
    let candidate = Candidate {
        text: sub(line.bytes, s, e),
        quoted,
        tie,
        upper_name: true,
        leads: true,
        next: 0,
        last: true,
    };
    if e > s && e - s <= MAX_VALUE && is_secret(&candidate, class) {
        line.add(s, e, class.kind(), rule_of(class));
    }
}
