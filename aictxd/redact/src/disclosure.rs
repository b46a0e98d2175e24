//! Lines that say that the next one is a secret, and nothing else: commands, questions, headings.

use super::assignment;
use super::bytes::{at, before, blanks, has_ci, is_name, looking_at, run, sub};
use super::line::Line;
use super::marker;
use super::multiline::Below;
use super::secret_name::{Name, classify};
use super::text_kind::trim_any;
use super::value_kind::Tie;

/// Returns true if the line is a command behind the prompt of a shell.
pub(super) fn prompt(text: &[u8]) -> bool {
    let head = sub(text, 0, 64);
    match head {
        [b'$' | b'#' | b'>', b' ', ..] | [b'P', b'S', b' ', ..] => return true,
        [0xE2, ..] => {
            return head.starts_with("❯ ".as_bytes()) || head.starts_with("➜ ".as_bytes());
        }
        _ => {}
    }
    // `bob@host:~$ `
    memchr::memchr3_iter(b'$', b'#', b'%', head)
        .any(|p| at(head, p + 1) == b' ' && matches!(before(head, p), b'~' | b'/' | b']' | b':'))
}

/// A command that shows a password, typed at a prompt.
pub(super) fn reveals_password(text: &[u8]) -> bool {
    const SHOWS: &[&str] = &[
        "output -raw ",
        "pass show ",
        "-field=password",
        "find-generic-password",
        "bw get password",
        "lpass show",
        "gopass show",
        "keyring get",
        "op item get",
        "keyvault secret show",
    ];
    let has = |w: &str| memchr::memmem::find(text, w.as_bytes()).is_some();
    let encoded = has("base64 -d") || has("base64 -D") || has("base64 --decode");
    SHOWS.iter().any(|w| has(w))
        || encoded
            && ["secret", "passw", "token", "cred", ".data."]
                .iter()
                .any(|w| has_ci(text, w))
        || (has("echo $") || has("printenv ") || has("echo \"$"))
            && ["passw", "_pass", "_pwd"].iter().any(|w| has_ci(text, w))
}

/// A command that shows a secret and nothing else, typed at a prompt.
pub(super) fn reveals(text: &[u8]) -> bool {
    const SHOWS: &[&str] = &[
        "print-access-token",
        "print-identity-token",
        "secrets versions access",
        "openssl rand ",
        "pwgen ",
        "op read ",
        "rails secret",
        "rake secret",
        "wg genkey",
        "wg genpsk",
        "heroku auth:token",
        "--query SecretString",
        "cat config/master.key",
        "gh auth token",
        "get-access-token",
        "get-login-password",
        "kubectl create token",
        "get_random_secret_key",
        "key:generate --show",
        "consul keygen",
        "npm token create",
        "chamber read",
        "--query password",
        "/dev/urandom",
        "token_hex(",
        "token_urlsafe(",
        "Fernet.generate_key",
        "apg ",
        "mkpasswd",
        "vault print token",
        "age-keygen",
        "auth token",
        "secret-tool lookup",
        "randomBytes(",
        "-field=",
        "generate-secret",
        "gen-secret",
        "generate_token",
        "--output tsv --query value",
        "get-parameter",
        "get-secret-value",
    ];
    if !prompt(text)
        || text.contains(&b'>') && !text.starts_with(b"> ") && !text.starts_with(b"PS ")
    {
        return false;
    }
    let file = text
        .rsplit(|c| matches!(c, b' ' | b'/'))
        .next()
        .unwrap_or_default();
    let has = |w: &str| memchr::memmem::find(text, w.as_bytes()).is_some();
    let variable = (has("echo $") || has("printenv ") || has("echo \"$"))
        && ["_token", "_key", "secret", "_pat"]
            .iter()
            .any(|w| has_ci(text, w));
    let shown = variable
        || memchr::memmem::find(text, b"cat ").is_some()
            && [
                "token", "secret", "passw", ".key", "api_key", "apikey", "_pass",
            ]
            .iter()
            .any(|w| has_ci(file, w));
    shown
        || SHOWS
            .iter()
            .any(|w| memchr::memmem::find(text, w.as_bytes()).is_some())
}

/// Lines that say that the next is the thing itself: a prompt with a command, a question for a
/// password, `use this from now on:`, `recovery codes:`.
pub(super) fn hands_over(text: &[u8], typed: bool) -> Option<Below> {
    let tail = sub(text, text.len().saturating_sub(120), text.len());
    let tail = trim_any(tail, b"*_` ");
    if tail.ends_with(b"?")
        && ["pw", "passw", "passphrase", "passwort", "creds"]
            .iter()
            .any(|w| has_ci(tail, w))
    {
        return Some(Below::Reply);
    }
    let head = sub(tail, tail.len().saturating_sub(48), tail.len());
    let word = trim_any(head, b":. ");
    if ["phrase", "words", "mnemonic", "seed"]
        .iter()
        .any(|w| word.ends_with(w.as_bytes()))
        && ["recovery", "seed", "mnemonic", "wallet", "backup"]
            .iter()
            .any(|w| has_ci(head, w))
    {
        return Some(Below::Words);
    }
    if tail.ends_with(b":")
        && [
            "following password",
            "following token",
            "following secret",
            "following key",
        ]
        .iter()
        .any(|w| has_ci(tail, w))
    {
        return Some(Below::Sole);
    }
    if tail.ends_with(b":") {
        if has_ci(tail, "code")
            && ["recovery", "backup", "scratch", "emergency", "one-time"]
                .iter()
                .any(|w| has_ci(tail, w))
        {
            return Some(Below::Codes);
        }
        if ["use this", "here is", "here's", "new one", "this one"]
            .iter()
            .any(|w| has_ci(tail, w))
        {
            return Some(Below::Shown);
        }
    }
    typed.then_some(Below::Shown)
}

/// `<alice> x`, `alice: x`, `it's x` behind a question for a password.
pub(super) fn reply(line: &mut Line, s: usize, e: usize) {
    let b = line.bytes;
    let mut s = s;
    // Who speaks, and when
    let speaker = run(b, s, 40, |c| !matches!(c, b'>' | b':'));
    if matches!(at(b, speaker), b'>' | b':') && at(b, speaker + 1) == b' ' && speaker < e {
        s = blanks(b, speaker + 1, 4);
    }
    for word in ["it's ", "it is ", "its ", "try ", "still ", "-> "] {
        if looking_at(b, s, word.as_bytes()) {
            s += word.len();
        }
    }
    let marks = |c: u8| matches!(c, b'`' | b'"' | b'\'' | b'*');
    let s = run(b, s, 3, marks);
    let mut stop = run(b, s, 64, |c| c.is_ascii_graphic() && !marks(c) && c != b',');
    while stop > s && matches!(at(b, stop - 1), b'.' | b':' | b'?') {
        stop -= 1;
    }
    let last = blanks(b, run(b, stop, 4, |c| marks(c) || c == b'.'), 8) >= e || at(b, stop) == b',';
    if last && super::secret_sentence::is_strong(sub(b, s, stop)) {
        line.add(s, stop, marker::PASSWORD, "said-password");
    }
}

/// `- name: DB_PASSWORD`: the class of the name, when the line is that and nothing else.
pub(super) fn announces(b: &[u8]) -> Option<Name> {
    let i = run(b, 0, 128, |c| {
        matches!(c, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'{')
    });
    // Property lists
    if looking_at(b, i, b"<key>") {
        let e = run(b, i + 5, 96, is_name);
        return looking_at(b, e, b"</key>")
            .then(|| classify(sub(b, i + 5, e)))
            .flatten();
    }
    let j = ["name", "Name", "key", "Key"]
        .iter()
        .find(|w| looking_at(b, i, w.as_bytes()))
        .map(|w| i + w.len())?;
    let j = run(b, j, 8, |c| matches!(c, b'"' | b'\'' | b' '));
    if !matches!(at(b, j), b':' | b'=') {
        return None;
    }
    let s = run(b, j + 1, 8, |c| matches!(c, b'"' | b'\'' | b' '));
    let e = run(b, s, 96, is_name);
    let rest = run(b, e, 8, |c| matches!(c, b'"' | b'\'' | b' ' | b',' | b'\r'));
    (e > s && rest >= b.len())
        .then(|| classify(sub(b, s, e)))
        .flatten()
}

/// `  value: hunter2` behind such a line.
pub(super) fn value_line(line: &mut Line, name: Name) {
    let b = line.bytes;
    let i = run(b, 0, 128, |c| matches!(c, b' ' | b'\t' | b'"' | b'\''));
    if looking_at(b, i, b"<string>") {
        assignment::judge_as(line, name, i + 8, Tie::Element);
        return;
    }
    // `default` of a variable of Terraform
    let words: [&[u8]; 3] = [b"value", b"Value", b"default"];
    let Some(word) = words.iter().find(|word| looking_at(b, i, word)) else {
        return;
    };
    let j = run(b, i + word.len(), 8, |c| matches!(c, b'"' | b'\'' | b' '));
    if matches!(at(b, j), b':' | b'=') {
        assignment::judge_as(line, name, blanks(b, j + 1, 16), Tie::Element);
    }
}
