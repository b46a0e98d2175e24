//! Tokens without a keyword worth searching for: found as long runs of name characters by looking
//! at every 22nd byte only.

use std::sync::LazyLock;

use super::bytes::{at, before, decode_base64, is_name, run, run_back, sub};
use super::line::Line;
use super::marker::{API_KEY, CREDENTIAL, SECRET, TOKEN};
use super::text_kind::{is_wordlike, looks_placeholder};
use super::token_format::RULES;
use super::token_pattern::{Class, Rule};
use super::{account_list, encoded, entropy};

/// The shortest run that is looked at, and so the step.
const STEP: usize = 22;

/// Returns true if the row's keyword is too short for the keyword search and is looked for here instead.
pub(super) fn is_bare(rule: &Rule) -> bool {
    rule.key.len() <= 3 && rule.key.bytes().all(is_name)
}

/// The rows that are looked for here, by the first byte of their keyword.
static BY_FIRST: LazyLock<Vec<Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 256];
    for rule in RULES.iter().filter(|r| is_bare(r)) {
        let first = rule.key.bytes().next().map_or(0, usize::from);
        if let Some(rows) = table.get_mut(first) {
            rows.push(rule);
        }
    }
    table
});

/// The next run of at least 22 name characters from `from` on that matches something here.
pub(super) fn next(b: &[u8], mut from: usize) -> Option<usize> {
    while let Some((s, e)) = next_run(b, from) {
        let known = find(b, s, e).is_some() || is_twilio_account(sub(b, s, e));
        if known || encoded::is_piece(b, s, e) {
            return Some(s);
        }
        from = e;
    }
    None
}

fn next_run(b: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut i = from + STEP - 1;
    while i < b.len() {
        if is_name(at(b, i)) {
            let s = run_back(b, i, i - from, is_name);
            let e = run(b, i, b.len(), is_name);
            if e - s >= STEP {
                return Some((s, e));
            }
            i = e + STEP;
        } else {
            i += STEP;
        }
    }
    None
}

/// Adds what the runs of a line hold, which stands encoded `depth` times.
pub(super) fn scan(line: &mut Line, depth: usize) {
    let b = line.bytes;
    let mut from = 0;
    while let Some((s, e)) = next_run(b, from) {
        if let Some((start, end, kind, rule)) = find(b, s, e) {
            line.add(start, end, kind, rule);
        }
        twilio_pair(line, s, e);
        encoded::run_of(line, s, e, depth);
        from = e;
    }
}

fn is_twilio_account(v: &[u8]) -> bool {
    v.len() == 34 && v.starts_with(b"AC") && v.iter().skip(2).all(|&c| Class::Hex.has(c))
}

/// `"AC…", "…"`: the token behind the account it belongs to.
fn twilio_pair(line: &mut Line, s: usize, e: usize) {
    let b = line.bytes;
    if !is_twilio_account(sub(b, s, e)) {
        return;
    }
    let s = run(b, e, 6, |c| !c.is_ascii_alphanumeric());
    let e = run(b, s, 33, |c| Class::Hex.has(c));
    if e - s == 32 {
        line.add(s, e, TOKEN, "twilio");
    }
}

type Found = (usize, usize, &'static str, &'static str);

fn find(b: &[u8], s: usize, e: usize) -> Option<Found> {
    let s = run(b, s, e - s, |c| !c.is_ascii_alphanumeric());
    // `\nSG.…` in escaped text
    let s = if before(b, s) == b'\\' && matches!(at(b, s), b'n' | b't' | b'r') {
        s + 1
    } else {
        s
    };
    let first = at(b, s);
    for rule in BY_FIRST.get(usize::from(first)).into_iter().flatten() {
        if let Some((start, end)) = rule.matches(b, s) {
            return Some((start, end, rule.kind, rule.id));
        }
    }
    let text = sub(b, s, e);
    if text.starts_with(b"SK")
        && text.len() == 34
        && text.iter().skip(2).all(|&c| Class::Hex.has(c))
    {
        return Some((s, e, API_KEY, "twilio"));
    }
    if text.starts_with(b"md5")
        && text.len() == 35
        && text.iter().skip(3).all(|&c| Class::Hex.has(c))
    {
        return Some((s, e, CREDENTIAL, "postgres-md5"));
    }
    if matches!(first, b'M' | b'N' | b'O') && (50..=90).contains(&text.len()) {
        let parts: Vec<&[u8]> = text.split(|&c| c == b'.').collect();
        if let [id, stamp, mac] = parts.as_slice()
            && (17..=32).contains(&id.len())
            && (5..=8).contains(&stamp.len())
            && (25..=45).contains(&mac.len())
            && (decode_base64(id).is_some_and(|d| d.iter().all(u8::is_ascii_digit))
                || (id.len() >= 23 && is_mixed(id) && is_mixed(mac)))
        {
            return Some((s, e, TOKEN, "discord-bot"));
        }
    }
    // `1/1203:…` of Asana
    if text.len() == 32 && before(b, s) == b':' && text.iter().all(|&c| Class::Hex.has(c)) {
        let id = run_back(b, s - 1, 20, |c| c.is_ascii_digit());
        if s - 1 - id >= 10
            && before(b, id) == b'/'
            && matches!(at(b, id.saturating_sub(2)), b'0'..=b'2')
        {
            return Some((id.saturating_sub(2), e, TOKEN, "asana"));
        }
    }
    if let Some((start, end)) = entropy::padded(b, s, e) {
        return Some((start, end, SECRET, "random-key"));
    }
    if let Some((start, end)) = entropy::find(b, s, e) {
        return Some((start, end, TOKEN, "random-token"));
    }
    account_list::digest(b, s, e).then_some((s, e, CREDENTIAL, "htdigest"))
}

/// Digits and letters of both cases that make no words.
fn is_mixed(v: &[u8]) -> bool {
    v.iter().any(u8::is_ascii_digit)
        && v.iter().any(u8::is_ascii_lowercase)
        && v.iter().any(u8::is_ascii_uppercase)
        && !is_wordlike(v)
}

/// `123456789:AA…`: the colon is at `i`.
pub(super) fn telegram(line: &mut Line, i: usize) {
    let b = line.bytes;
    let s = run_back(b, i, 12, |c| c.is_ascii_digit());
    let e = run(b, i + 1, 64, |c| Class::Url64.has(c));
    let word = before(b, s).is_ascii_alphanumeric()
        && !super::bytes::looking_at(b, s.saturating_sub(3), b"bot");
    if i - s >= 6
        && (30..=50).contains(&(e - i - 1))
        && !word
        && !looks_placeholder(sub(b, i + 1, e))
    {
        line.add(s, e, TOKEN, "telegram-bot");
    }
}

/// 32 hexadecimal digits, `-us` and a number: the dash is at `i`.
pub(super) fn mailchimp(line: &mut Line, i: usize) {
    let b = line.bytes;
    let s = run_back(b, i, 40, |c| Class::Hex.has(c));
    let e = run(b, i + 3, 3, |c| c.is_ascii_digit());
    if i - s == 32 && e > i + 3 && !at(b, e).is_ascii_alphanumeric() {
        line.add(s, e, API_KEY, "mailchimp");
    }
}

/// Terraform Cloud: 14 characters, `.atlasv1.` at `i`, 60 and more.
pub(super) fn atlas(line: &mut Line, i: usize, end: usize) {
    let b = line.bytes;
    let s = run_back(b, i, 32, |c| c.is_ascii_alphanumeric());
    let e = run(b, end, 200, |c| Class::Url64.has(c));
    if i - s >= 10 && e - end >= 40 {
        line.add(s, e, TOKEN, "terraform-cloud");
    }
}

/// Azure client secrets: three characters, a digit, `Q~` at `i`, 31 to 34 characters.
pub(super) fn azure(line: &mut Line, i: usize) {
    let b = line.bytes;
    let class = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'~' | b'.' | b'-');
    let s = i.saturating_sub(4);
    let e = run(b, i + 2, 40, class);
    if i >= 4
        && sub(b, s, i).iter().all(|&c| class(c))
        && before(b, i).is_ascii_digit()
        && (28..=40).contains(&(e - i - 2))
        && !class(before(b, s))
    {
        line.add(s, e, SECRET, "azure-client-secret");
    }
}

/// Three parts of a JSON web token, the first at `i`.
pub(super) fn jwt(line: &mut Line, i: usize) {
    let b = line.bytes;
    if !super::bytes::starts_word(b, i) || !super::bytes::looking_at(b, i, b"eyJ") {
        return;
    }
    let class = |c: u8| Class::Url64.has(c);
    let one = run(b, i, 16384, class);
    let two = run(b, one + 1, 65536, class);
    if at(b, one) != b'.' || one < i + 10 || two < one + 5 {
        return;
    }
    let mut end = two;
    for _ in 0..3 {
        if at(b, end) != b'.' || !class(at(b, end + 1)) {
            break;
        }
        end = run(b, end + 1, 65536, class);
    }
    let cut = end == two && !super::bytes::looking_at(b, one + 1, b"eyJ");
    let unsigned = end == two && at(b, two) != b'.' && two < one + 12;
    if !cut && !unsigned && !looks_placeholder(sub(b, i, one)) {
        line.add(i, end, TOKEN, "jwt");
    }
}

/// The secret half of a key pair on the same line as an AWS key id that ends at `i`.
pub(super) fn aws_pair(line: &mut Line, mut i: usize) {
    let b = line.bytes;
    let limit = (i + 200).min(b.len());
    while i < limit {
        let s = run(b, i, limit - i, |c| !Class::Base64.has(c) || c == b'=');
        let s = s + usize::from(before(b, s) == b'\\' && matches!(at(b, s), b'n' | b'r' | b't'));
        let e = run(b, s, 64, |c| Class::Base64.has(c));
        let v = sub(b, s, e);
        if v.len() == 40
            && v.iter().any(u8::is_ascii_uppercase)
            && v.iter().any(u8::is_ascii_lowercase)
            && v.iter().any(u8::is_ascii_digit)
        {
            line.add(s, e, super::marker::ACCESS_KEY, "aws-secret-key");
            return;
        }
        i = e.max(s + 1);
    }
}
