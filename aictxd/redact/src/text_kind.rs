//! Classifies a piece of text: placeholder, words, reference, number, random.

use super::bytes::{at, has_ci, looking_at};

/// Texts that stand for a secret without being one.
pub(super) fn looks_placeholder(v: &[u8]) -> bool {
    const EXACT: &[&str] = &[
        "password",
        "passwd",
        "pass",
        "pwd",
        "secret",
        "token",
        "key",
        "apikey",
        "changeme",
        "changeit",
        "change_me",
        "change-me",
        "changethis",
        "example",
        "sample",
        "test",
        "testing",
        "dummy",
        "fake",
        "foo",
        "bar",
        "baz",
        "foobar",
        "default",
        "none",
        "null",
        "nil",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "redacted",
        "masked",
        "hidden",
        "removed",
        "omitted",
        "empty",
        "todo",
        "tbd",
        "fixme",
        "n/a",
        "placeholder",
        "string",
        "value",
        "filtered",
        "sensitive",
        "unset",
        "mypassword",
        "mysecret",
        "mytoken",
        "yourpassword",
        "api_key",
        "api-key",
        "secret_key",
        "secret-key",
        "access_token",
        "access-token",
        "auth_token",
        "user_password",
        "dummy_token",
        "test_token",
        "test-token",
        "fake-token",
        "my_token",
        "my-token",
        "my_secret",
        "my-secret",
        "some-token",
        "some_token",
        "abc",
        "123",
        "nothing",
        "unknown",
        "(none)",
        "(null)",
        "<none>",
        "not-set",
        "notset",
        "not_set",
        "your-256-bit-secret",
        "dummy-key",
        "not-a-real-key",
        "not-a-secret",
        "(hidden)",
        "prompt",
        "ask",
        "passwort",
        "kennwort",
        "senha",
        "wachtwoord",
        "contraseña",
        "lösenord",
        "adgangskode",
        "salasana",
        "hasło",
        "heslo",
        "parola",
        "пароль",
        "密码",
        "パスワード",
    ];
    const INSIDE: &[&str] = &[
        "your_",
        "your-",
        "yourpass",
        "yourtoken",
        "yoursecret",
        "yourkey",
        "yourapi",
        "changeme",
        "change-me",
        "change_me",
        "placeholder",
        "replace_",
        "replace-",
        "replaceme",
        "replacewith",
        "insert_",
        "insert-",
        "_here",
        "-here",
        "example_",
        "example-",
        "_example",
        "-example",
        "todo",
        "fixme",
        "redacted",
        "dummy-",
        "dummy_",
        "fake-",
        "fake_",
        "sample-",
        "sample_",
        "<your",
        "not-real",
        "not_real",
        "notreal",
        "goes-here",
        "put-",
        "put_",
        "enter-",
        "enter_",
        "my-token",
        "some-secret",
    ];
    let v = trim_any(v, b"\"'`<>[](){}* \t");
    if v.is_empty() {
        return true;
    }
    if v.len() <= 24 && EXACT.iter().any(|w| v.eq_ignore_ascii_case(w.as_bytes())) {
        return true;
    }
    // Identifiers of AWS as its manuals print them
    if v.len() <= 20 && v.len() >= 12 && v.ends_with(b"EXAMPLE") {
        return true;
    }
    if v.len() <= 128 && INSIDE.iter().any(|w| has_ci(v, w)) {
        return true;
    }
    // Runs of the characters that people mask with.
    let mut longest = 0_usize;
    let mut current = 0_usize;
    let mut prev = 0_u8;
    for &c in v {
        let mask = matches!(c, b'x' | b'X' | b'*' | b'.' | b'#' | b'?' | b'_' | b'-');
        current = if mask && c == prev {
            current + 1
        } else {
            usize::from(mask)
        };
        longest = longest.max(current);
        prev = c;
    }
    if longest >= 6 || (longest >= 3 && longest * 2 >= v.len()) {
        return true;
    }
    // Bullets and the ellipsis, as masks or as cuts.
    let ellipsis = v.starts_with("…".as_bytes()) || (v.len() < 16 && v.ends_with("…".as_bytes()));
    let dots = v.starts_with(b"...") || (v.len() < 16 && v.ends_with(b"..."));
    ellipsis || dots || v.windows(3).filter(|w| *w == "•".as_bytes()).count() >= 3
}

/// Takes bytes of the set off both ends.
pub(super) fn trim_any<'a>(mut v: &'a [u8], set: &[u8]) -> &'a [u8] {
    while let [first, rest @ ..] = v {
        if !set.contains(first) {
            break;
        }
        v = rest;
    }
    while let [rest @ .., last] = v {
        if !set.contains(last) {
            break;
        }
        v = rest;
    }
    v
}

/// Returns true if the text is put together from words, as names in programs are; random text is not.
pub(super) fn is_wordlike(v: &[u8]) -> bool {
    let (mut pieces, mut letters, mut digits, mut digit_runs) =
        (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut vowels, mut consonants, mut worst) = (0_usize, 0_usize, 0_usize);
    let mut prev = 0_u8;
    for (i, &c) in v.iter().enumerate() {
        if c.is_ascii_alphabetic() {
            let new = !prev.is_ascii_alphabetic()
                || (c.is_ascii_uppercase()
                    && (prev.is_ascii_lowercase()
                        || (prev.is_ascii_uppercase() && at(v, i + 1).is_ascii_lowercase())));
            if new {
                pieces += 1;
                consonants = 0;
            }
            letters += 1;
            if matches!(
                c.to_ascii_lowercase(),
                b'a' | b'e' | b'i' | b'o' | b'u' | b'y'
            ) {
                vowels += 1;
                consonants = 0;
            } else {
                consonants += 1;
                worst = worst.max(consonants);
            }
        } else if c.is_ascii_digit() {
            digits += 1;
            digit_runs += usize::from(!prev.is_ascii_digit());
        }
        prev = c;
    }
    pieces > 0
        && letters >= pieces * 3
        && digits <= 4
        && digit_runs <= 2
        && digits * 2 <= letters
        && worst <= 5
        && vowels * 5 >= letters
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(v: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &c in v {
        if let Some(n) = counts.get_mut(usize::from(c)) {
            *n += 1;
        }
    }
    let total = f64::from(u32::try_from(v.len().max(1)).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|&&n| n > 0)
        .map(|&n| {
            let p = f64::from(n) / total;
            -p * p.log2()
        })
        .sum()
}

pub(super) fn is_uuid(v: &[u8]) -> bool {
    v.len() == 36
        && v.iter().enumerate().all(|(i, &c)| match i {
            8 | 13 | 18 | 23 => c == b'-',
            _ => c.is_ascii_hexdigit(),
        })
}

/// Paths, addresses, digests, versions and other values that may stand behind any name.
pub(super) fn is_reference(v: &[u8]) -> bool {
    const DIGESTS: &[&[u8]] = &[
        b"sha1-",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha1:",
        b"sha256:",
        b"sha512:",
        b"md5:",
        b"blake3:",
        b"h1:",
        b"data:",
        b"ssh-rsa",
        b"ssh-ed25519",
        b"ecdsa-sha2-",
        b"AAAAB3NzaC1",
        b"AAAAC3NzaC1",
        b"urn:",
        b"did:",
        b"file:",
        b"arn:",
        b"projects/",
        b"npm:",
        b"@",
    ];
    if DIGESTS.iter().any(|d| v.starts_with(d) && d != b"@") {
        return true;
    }
    if v.windows(3).any(|w| w == b"://") {
        return true;
    }
    let slashes = v.iter().filter(|&&c| c == b'/').count();
    if v.starts_with(b"./")
        || v.starts_with(b"../")
        || v.starts_with(b"~/")
        || v.starts_with(b"\\\\")
    {
        return true;
    }
    if v.len() > 2
        && at(v, 0).is_ascii_alphabetic()
        && at(v, 1) == b':'
        && matches!(at(v, 2), b'\\' | b'/')
    {
        return true;
    }
    if slashes > 0
        && v.split(|&c| c == b'/')
            .all(|p| p.len() <= 2 || is_wordlike(p) || p.contains(&b'.'))
    {
        return true;
    }
    // Files, dates, versions, addresses of machines.
    const FILES: &[&[u8]] = &[
        b".json", b".yaml", b".yml", b".txt", b".pem", b".key", b".crt", b".toml", b".env", b".py",
        b".ts", b".js", b".rs", b".go", b".md", b".html", b".java", b".rb", b".php", b".conf",
    ];
    if FILES.iter().any(|f| v.ends_with(f)) {
        return true;
    }
    v.iter().all(|&c| {
        c.is_ascii_digit()
            || matches!(
                c,
                b'.' | b':' | b'-' | b'T' | b'Z' | b'/' | b'+' | b',' | b'%'
            )
    }) && v.iter().any(|c| !c.is_ascii_digit())
}

/// A number with a base, a sign, a unit or a type: `0x030`, `86u32`, `3600s`, `1.5e3`.
pub(super) fn is_number(v: &[u8]) -> bool {
    if let Some(hex) = v.strip_prefix(b"0x") {
        return hex.len() < 16 && hex.iter().all(|c| c.is_ascii_hexdigit() || *c == b'_');
    }
    let tail = v
        .iter()
        .position(|c| !c.is_ascii_digit() && *c != b'_')
        .unwrap_or(0);
    tail > 0
        && [
            &b"u8"[..],
            b"u16",
            b"u32",
            b"u64",
            b"i8",
            b"i16",
            b"i32",
            b"i64",
            b"usize",
            b"isize",
            b"f32",
            b"f64",
            b"ms",
            b"UL",
            b"ULL",
        ]
        .contains(&v.get(tail..).unwrap_or_default())
}

/// Returns true if a run of text, found near a secret word, is random enough to be the secret itself:
/// mixed case and digits, no words, no digest.
pub(super) fn is_bare_secret(v: &[u8]) -> bool {
    let digits = v.iter().filter(|c| c.is_ascii_digit()).count();
    v.len() >= 20
        && v.len() <= 128
        && digits >= 2
        && v.iter().any(u8::is_ascii_lowercase)
        && v.iter().any(u8::is_ascii_uppercase)
        && !is_wordlike(v)
        && !is_reference(v)
        && !looks_placeholder(v)
        && !looking_at(v, 0, b"iVBOR")
        && entropy(v) >= 3.8
}

/// Base64 of random bytes with its padding: a key of 32 or 64 bytes and the like.
pub(super) fn is_padded_key(v: &[u8]) -> bool {
    let body = trim_any(v, b"=");
    v.len() >= 24
        && v.len() <= 128
        && v.len().is_multiple_of(4)
        && body.len() < v.len()
        && body.iter().all(|&c| super::bytes::is_base64(c))
        && body.iter().any(u8::is_ascii_digit)
        && body.iter().any(u8::is_ascii_uppercase)
        && body.iter().any(u8::is_ascii_lowercase)
        && !is_wordlike(body)
        && entropy(body) >= 3.9
}

/// Digits in the place of letters: `sud0Typed!`.
pub(super) fn is_leet(v: &[u8]) -> bool {
    v.windows(3).any(|w| {
        matches!(w, [a, d, z] if a.is_ascii_alphabetic() && d.is_ascii_digit() && z.is_ascii_alphabetic())
    }) && v.ends_with(b"!")
}

/// Letters with a sign that people put into passwords, not at the end only.
pub(super) fn is_strong_mix(v: &[u8]) -> bool {
    v.iter().take(v.len().saturating_sub(1)).any(|c| {
        matches!(
            c,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~'
        )
    }) && v.iter().any(u8::is_ascii_alphabetic)
        && v.len() >= 6
}

pub(super) fn self_named(v: &[u8]) -> bool {
    ["pass", "pwd", "secret", "token", "credential"]
        .iter()
        .any(|w| has_ci(v, w))
        // Not in `monkey`
        || has_ci(v, "key") && !["monk", "turk", "donk", "whisk", "hock", "jock"].iter().any(|w| has_ci(v, w))
}
