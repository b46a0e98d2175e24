//! Codes that are good once: "your verification code is 482913", "OTP: 482913", "482913 is your code".

use super::bytes::{at, before, has_ci, is_name, run, run_back, sub};
use super::line::Line;
use super::marker::SECRET;

/// Names of such codes, as the keyword search looks for them.
pub(super) const NAMES: &[&str] = &[
    "one-time",
    "one time ",
    "otp",
    "2fa",
    "mfa",
    "two-factor",
    "authenticator",
    "verification code",
    "security code",
    "login code",
    "sign-in code",
    "access code",
    "auth code",
    "authentication code",
    "confirmation code",
    "device code",
    "enter the code",
    "digo de verificaci",
    "digo de seguridad",
    "digo de acceso",
    "digo de confirmaci",
    "digo de un solo uso",
    "bestätigungscode",
    "sicherheitscode",
    "einmalcode",
    "einmalpasswort",
    "einmalkennwort",
    "verifizierungscode",
    "anmeldecode",
    "code de vérification",
    "code de sécurité",
    "code de connexion",
    "código de verificação",
    "passcode",
    "your code",
    "my code",
    "tu código",
    "su código",
    "el código es",
    "dein code",
    "ihr code",
    "mein code",
    "der code lautet",
    "zugangscode",
    "die tan",
    "pin is",
    "pin:",
    "pin ist",
    "pin es",
];

/// Words between a code and what it is.
pub(super) const IS_YOURS: &[&str] = &[
    "is your ",
    "is the ",
    " as your ",
    "es tu ",
    "es su ",
    "ist ihr",
    "ist dein",
    "est votre ",
];

/// Words that may stand between the name and the code.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "a", "app", "code", "password", "passcode", "pin", "is", "was", "now", "the", "shows", "showed", "says", "said",
    "authentication", "login", "verification", "for", "this", "time",
    "ist", "lautet", "zeigt", "jetzt", "es", "son", "ahora", "muestra", "verificación", "verificacion", "n", "ón", "on",
    "seguridad", "acceso", "confirmación", "un", "solo", "uso", "est", "é", "here",
];

/// Words that say how many there are of something.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "digits", "digit", "characters", "chars", "seconds", "second", "minutes", "ms", "s", "bytes", "steps", "times",
    "attempts", "users", "tests", "lines", "files", "errors", "requests", "ziffern", "stellen", "sekunden", "minuten",
    "dígitos", "digitos", "segundos", "minutos", "caracteres", "chiffres",
];

/// `verification code is 482913`: the name stands at `start..end`.
pub(super) fn named(line: &mut Line, start: usize, end: usize) {
    let b = line.bytes;
    let name = sub(b, start, end);
    // `totp`, `código`
    let whole = run_back(b, start, 4, |c| c.is_ascii_alphanumeric());
    let known = ["t", "h", "co"];
    let inside = sub(b, whole, start);
    if !inside.is_empty()
        && !known
            .iter()
            .any(|w| inside.eq_ignore_ascii_case(w.as_bytes()))
    {
        return;
    }
    // `otp_code`, but not `otp_length`
    let suffixes = ["_code", "-code", "_token", "_pin"];
    let suffix = suffixes
        .iter()
        .find(|suffix| sub(b, end, end + suffix.len()).eq_ignore_ascii_case(suffix.as_bytes()));
    let end = end + suffix.map_or(0, |suffix| suffix.len());
    if is_name(before(b, end)) && matches!(at(b, end), b'_' | b'.' | b'(' | b'[') {
        return;
    }
    let is_pin = has_ci(name, "pin");
    // The pins of a chip have numbers, too.
    if is_pin && name.starts_with(b"pin") && !owned(b, start) {
        return;
    }
    let mut i = end;
    for _ in 0..6 {
        i = run(b, i, 6, |c| {
            matches!(
                c,
                b' ' | b':' | b'=' | b'-' | b'>' | b'`' | b'"' | b'\'' | b'*' | b'('
            )
        });
        if let Some(stop) = code(b, i, is_pin) {
            line.add(i, stop, SECRET, "one-time-code");
            return;
        }
        let word = run(b, i, 24, |c| c.is_ascii_alphabetic() || c >= 0x80);
        let known = std::str::from_utf8(sub(b, i, word)).is_ok_and(|word| {
            let word = word.to_lowercase();
            BETWEEN.contains(&word.as_str())
        });
        if !known {
            return;
        }
        i = word;
    }
}

/// `my PIN`, `die PIN`: not the pin of a chip.
fn owned(b: &[u8], start: usize) -> bool {
    let head = sub(b, start.saturating_sub(6), start);
    [
        "my ", "your ", "the ", "our ", "mi ", "tu ", "su ", "el ", "die ", "meine ", "ihre ",
    ]
    .iter()
    .any(|word| {
        let from = head.len().saturating_sub(word.len());
        sub(head, from, head.len()).eq_ignore_ascii_case(word.as_bytes())
    })
}

/// `482913 is your verification code`: the words between stand at `start..end`.
pub(super) fn yours(line: &mut Line, start: usize, end: usize) {
    let b = line.bytes;
    let what = sub(b, end, end + 48);
    let stop = run(what, 0, 48, |c| !matches!(c, b'.' | b',' | b';' | b'\n'));
    let what = sub(what, 0, stop);
    let names = [
        "code", "otp", "pin", "código", "codigo", "einmal", "tan", "passcode",
    ];
    let plain = ["error", "status", "exit", "zip", "country", "source"];
    if !names.iter().any(|name| has_ci(what, name)) || plain.iter().any(|word| has_ci(what, word)) {
        return;
    }
    let last = run_back(b, start, 3, |c| matches!(c, b' ' | b'*' | b'"' | b'`'));
    let digit = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b' ');
    let mut from = run_back(b, last, 9, digit);
    while from < last {
        if !before(b, from).is_ascii_alphanumeric() && code(b, from, false) == Some(last) {
            line.add(from, last, SECRET, "one-time-code");
            return;
        }
        from += 1;
    }
}

/// The end of the code at `i`: 4 to 8 digits, two groups of three, or two groups of four capitals
/// and digits.
fn code(b: &[u8], i: usize, is_pin: bool) -> Option<usize> {
    let digit = |c: u8| c.is_ascii_digit();
    let end = run(b, i, 16, digit);
    let second = run(b, end + 1, 16, digit);
    let groups = end == i + 3 && second == end + 4 && matches!(at(b, end), b' ' | b'-');
    let sign = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit();
    let (first, last) = (run(b, i, 8, sign), run(b, i + 5, 8, sign));
    let device = first == i + 4 && at(b, first) == b'-' && last == first + 5;
    let device = device && sub(b, i, last).iter().any(u8::is_ascii_uppercase);
    let pairs = i + 8;
    let two = |k: usize| run(b, i + 3 * k, 16, digit) == i + 3 * k + 2;
    let pairs = (two(0) && two(1) && two(2) && at(b, i + 2) == b' ' && at(b, i + 5) == b' ')
        .then_some(pairs);
    let length = end - i;
    let least = if is_pin { 4 } else { 5 };
    let end = match (groups, device) {
        _ if pairs.is_some() => pairs?,
        (true, _) => second,
        (_, true) => last,
        _ if (least..=8).contains(&length) => end,
        _ => return None,
    };
    let next = at(b, end);
    let goes_on = next.is_ascii_alphanumeric()
        || matches!(next, b'_' | b'%' | b'/' | b'-')
        || matches!(next, b'.' | b':' | b',') && at(b, end + 1).is_ascii_digit();
    let blank = run(b, end, 1, |c| c == b' ');
    let word = sub(
        b,
        blank,
        run(b, blank, 12, |c| c.is_ascii_alphabetic() || c >= 0x80),
    );
    let counted = COUNTED
        .iter()
        .any(|unit| word.eq_ignore_ascii_case(unit.as_bytes()));
    (!goes_on && !counted && !is_sample(sub(b, i, end))).then_some(end)
}

/// Digits that stand for a code without being one: `000000`, `123456`.
fn is_sample(v: &[u8]) -> bool {
    let digits: Vec<u8> = v.iter().copied().filter(u8::is_ascii_digit).collect();
    let step = |by: i16| {
        let pairs = digits.windows(2);
        digits.len() >= 4
            && pairs
                .into_iter()
                .all(|two| i16::from(at(two, 1)) - i16::from(at(two, 0)) == by)
    };
    step(0) || step(1) || step(-1)
}
