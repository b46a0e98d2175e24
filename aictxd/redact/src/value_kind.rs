//! Decides if a value looks like a secret: placeholders, code, paths, words and entropy.

use super::benign_words::{
    is_common, is_explaining, is_explanation, is_function_word, is_technical,
};
use super::bytes::{at, has_ci, is_basic_payload};
use super::marker;
use super::secret_name::Name;
use super::text_kind::{
    entropy, is_leet, is_number, is_reference, is_strong_mix, is_uuid, is_wordlike,
    looks_placeholder, self_named, trim_any,
};

/// Syntax between a value and its name, which limits the conclusions from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tie {
    /// `NAME=value`
    Tight,
    /// `name = value`, `name := value`
    Assign,
    /// `name: value`
    Colon,
    /// `--name value`
    Flag,
    /// `<name>value</name>`, `name="x" value="y"`
    Element,
    /// `f("name", "value")`, `name("value")`, table cells
    Call,
    /// `the name is value`, `name value`
    Prose,
}

/// A value and what stands around it.
pub(super) struct Candidate<'a> {
    /// The text, quotes taken off.
    pub(super) text: &'a [u8],
    /// True if it stood in quotes.
    pub(super) quoted: bool,
    /// Syntax between name and value.
    pub(super) tie: Tie,
    /// The name is written in capitals, as environment variables are.
    pub(super) upper_name: bool,
    /// Nothing but blanks, `- `, `export ` and the like stands before the name.
    pub(super) leads: bool,
    /// The byte behind the value (0 at the end of the line).
    pub(super) next: u8,
    /// Nothing but blanks follows on the line.
    pub(super) last: bool,
}

/// `${name}`, `$(command)` and their like. Random signs have the opening, too, but in quotes nothing
/// closes it.
fn is_filled_in(v: &[u8], quoted: bool) -> bool {
    const OPENINGS: &[(&[u8], u8)] = &[
        (b"${", b'}'),
        (b"#{", b'}'),
        (b"$(", b')'),
        (b"%(", b')'),
        (b"$[", b']'),
    ];
    OPENINGS.iter().any(|(open, close)| {
        memchr::memmem::find(v, open).is_some_and(|at| {
            at == 0 || !quoted || v.get(at..).is_some_and(|rest| rest.contains(close))
        })
    })
}

/// Template, variable, call or property: code that computes a value instead of being one.
pub(super) fn is_expression(c: &Candidate) -> bool {
    let v = c.text;
    const TEMPLATES: &[&str] = &[
        "{{",
        "}}",
        "<%",
        "%>",
        "{%",
        "!ref",
        "!sub",
        "!vault",
        "process.env",
        "os.environ",
        "env.",
        "getenv",
        "secrets.",
        "op://",
        "vault:",
        "ssm:",
        "arn:aws",
    ];
    let probe = v.get(..512).unwrap_or(v);
    if TEMPLATES.iter().any(|t| has_ci(probe, t)) || is_filled_in(probe, c.quoted) {
        return true;
    }
    let first = at(v, 0);
    let end = at(v, v.len().saturating_sub(1));
    let bare = if first == b'$' {
        v.get(1..).unwrap_or_default()
    } else {
        v
    };
    let ident = |s: &[u8]| s.iter().all(|&c| c.is_ascii_alphanumeric() || c == b'_');
    if first == b'$' && v.len() > 1 && ident(v.get(1..).unwrap_or_default()) {
        return true;
    }
    if first == b'%' && (end == b'%' || v.len() <= 3) {
        return true;
    }
    // A pattern for secrets
    if first == b'/'
        && !c.quoted
        && v.iter().any(|c| matches!(c, b'[' | b'\\'))
        && v.iter()
            .rposition(|c| *c == b'/')
            .is_some_and(|p| p > 0 && v.len() - p <= 4)
    {
        return true;
    }
    if (first == b'^' && end == b'$' || v.starts_with(b"(?"))
        && v.iter().any(|c| matches!(c, b'[' | b'(' | b'\\'))
    {
        return true;
    }
    if first == b'<' && end == b'>'
        || first == b'{' && end == b'}' && !v.ends_with(b"=}")
        || first == b'[' && end == b']'
    {
        return true;
    }
    if first == b'`' || (first == b'@' && !c.quoted && ident(v.get(1..).unwrap_or_default())) {
        return true;
    }
    // A line of an environment file: signs at random, no code
    let digits = v.iter().filter(|c| c.is_ascii_digit()).count();
    let own_line = c.tie == Tie::Tight && c.upper_name && c.leads && c.last;
    if c.quoted
        || own_line
            && v.len() >= 24
            && digits >= 3
            && !matches!(first, b'(' | b'[' | b'{' | b'$')
            && entropy(v) >= 4.0
            && !v.contains(&b'.')
    {
        return false;
    }
    if matches!(
        first,
        b'&' | b'*'
            | b'!'
            | b'('
            | b'|'
            | b'>'
            | b'='
            | b'{'
            | b'['
            | b'+'
            | b','
            | b';'
            | b')'
            | b'}'
            | b']'
    ) && (c.tie != Tie::Tight || v.len() < 6)
        // No code stands between tags.
        && !(c.tie == Tie::Element && v.len() >= 8 && matches!(first, b'!' | b'*' | b'+' | b'=' | b')'))
        && !(first == b'+' && v.len() >= 20 && v.iter().all(|&c| super::bytes::is_base64(c)))
        && !v.ends_with(b"=}")
    {
        return true;
    }
    if v.windows(2).any(|w| {
        matches!(
            w,
            b"::" | b"->" | b"=>" | b"?." | b"()" | b"==" | b"&&" | b"||"
        ) && !(w == b"==" && v.ends_with(b"=="))
    }) {
        return true;
    }
    // f(x), a[i], a.b, Option<T>
    let head = bare
        .iter()
        .position(|&c| !(c.is_ascii_alphanumeric() || c == b'_' || c == b'.'))
        .unwrap_or(bare.len());
    if head > 0
        && matches!(at(bare, head), b'(' | b'[' | b'<')
        && bare
            .first()
            .is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
    {
        return true;
    }
    if matches!(c.next, b'(' | b'[') {
        return true;
    }
    v.contains(&b'.')
        && ident(
            &v.iter()
                .copied()
                .filter(|&c| c != b'.')
                .collect::<Vec<u8>>(),
        )
        && v.split(|&c| c == b'.').filter(|p| !p.is_empty()).all(|p| {
            p.first().is_some_and(|c| !c.is_ascii_digit()) && (is_wordlike(p) || p.len() <= 3)
        })
}

/// The verdict: is this the value of a secret of that name?
pub(super) fn is_secret(c: &Candidate, name: Name) -> bool {
    let v = if c.quoted {
        c.text.trim_ascii()
    } else {
        c.text
    };
    if v.len() < 4 || memchr::memmem::find(v, marker::OPEN).is_some() {
        return false;
    }
    if looks_placeholder(v) {
        return false;
    }
    // Sealed for a cluster
    if v.len() >= 60 && v.starts_with(b"Ag") && v.iter().all(|&c| super::bytes::is_base64(c)) {
        return false;
    }
    // AWS secret keys: 40 characters of base64, slashes among them
    let cases = v.iter().any(u8::is_ascii_uppercase) && v.iter().any(u8::is_ascii_lowercase);
    if v.len() == 40
        && matches!(name, Name::AccessKey | Name::Secret)
        && cases
        && v.iter().any(u8::is_ascii_digit)
        && v.iter()
            .all(|&c| c.is_ascii_alphanumeric() || matches!(c, b'/' | b'+'))
    {
        return true;
    }
    if is_expression(c) {
        return false;
    }
    let letters = v.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let digits = v.iter().filter(|c| c.is_ascii_digit()).count();
    let spaces = v.iter().filter(|c| c.is_ascii_whitespace()).count();
    if spaces > 0 {
        return c.quoted
            && (phrase(v, name, digits)
                || (c.upper_name && cases && is_noise(v, letters + digits + spaces, digits)));
    }
    if is_reference(v)
        && !(name.is_password()
            && digits * 2 < v.len()
            && letters > 0
            && digits > 0
            && at(v, 0) != b'/'
            && !v.windows(3).any(|w| w == b"://")
            && !v.contains(&b'.'))
    {
        return false;
    }
    if letters + digits == 0 || is_number(v) || (v.starts_with(b"__") && is_wordlike(v)) {
        return false;
    }
    if name.is_password() {
        return password(c, name, letters, digits);
    }
    random(c, name, letters, digits)
}

/// Returns true for a password chosen by a person: words with capitals, digits and a sign
/// (`Harbor417tide!`, `Violet-Falcon-62`). Names of resources are in lower case.
fn is_chosen(c: &Candidate, name: Name, digits: usize) -> bool {
    let v = c.text;
    let own = c.quoted || c.last || matches!(c.tie, Tie::Element | Tie::Flag);
    let cases = v.iter().any(u8::is_ascii_uppercase) && v.iter().any(u8::is_ascii_lowercase);
    let sign = v.iter().any(|c| {
        matches!(
            c,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?'
        )
    });
    let words = name == Name::Secret && c.quoted && v.contains(&b'-') && !v.contains(&b'.');
    matches!(
        name,
        Name::Secret | Name::Token | Name::ApiKey | Name::PrivateKey
    ) && own
        && v.len() >= 10
        && (cases && digits >= 2 && (sign || words)
            || digits >= 3 && sign && (c.quoted || c.tie == Tie::Element))
        && !self_named(v)
        && v.iter()
            .all(|c| c.is_ascii_graphic() && !matches!(c, b'(' | b')' | b'<' | b'>' | b'/' | b':'))
}

/// Signs, digits and letters without order: the salts of a content system.
fn is_noise(v: &[u8], ordinary: usize, digits: usize) -> bool {
    v.len() >= 32 && digits >= 3 && (v.len() - ordinary) * 6 >= v.len() && entropy(v) >= 4.0
}

/// Several words in quotes: a pass phrase, or text for people?
fn phrase(v: &[u8], name: Name, digits: usize) -> bool {
    if !(name.is_password() || name == Name::Mnemonic || name == Name::Secret) {
        return false;
    }
    let words: Vec<&[u8]> = v
        .split(u8::is_ascii_whitespace)
        .filter(|w| !w.is_empty())
        .collect();
    let prose = words.iter().any(|w| {
        let w = trim_any(w, b".,:;!?()'\"");
        is_function_word(w) || looks_placeholder(w)
    });
    if prose {
        return false;
    }
    let plain = words
        .iter()
        .all(|w| w.iter().all(|c| c.is_ascii_lowercase()));
    (plain && words.len() >= 4)
        || (plain
            && words.len() == 3
            && name == Name::Password
            && !words.iter().any(|w| is_common(w)))
        || (name.is_password() && digits > 0 && words.len() <= 4 && v.len() >= 8)
}

fn password(c: &Candidate, name: Name, letters: usize, digits: usize) -> bool {
    let v = c.text;
    let firm = c.quoted || matches!(c.tie, Tie::Tight | Tie::Flag | Tie::Element);
    if name == Name::Pass
        && !(firm
            || (digits > 0
                && letters > 0
                && c.leads
                && (c.tie == Tie::Colon || c.tie == Tie::Assign && v.len() >= 6)))
    {
        return false;
    }
    if letters == 0 {
        return digits >= if firm { 4 } else { 6 } && c.tie != Tie::Prose && name == Name::Password;
    }
    if is_technical(v) || (!firm && v.split(|c| *c == b'-').next().is_some_and(is_technical)) {
        return false;
    }
    if v.len() >= 8
        && v.ends_with(b"=")
        && c.tie != Tie::Prose
        && super::bytes::decode_base64(v).is_some()
    {
        return true;
    }
    let symbols = v.len() - letters - digits;
    let joints = v.iter().filter(|c| matches!(c, b'_' | b'-' | b'.')).count();
    if letters + joints == v.len() {
        return password_of_letters(c, joints);
    }
    // password2, user_password_1: the name of a variable
    let stem = trim_any(v, b"0123456789");
    let plain_stem = stem
        .iter()
        .all(|c| c.is_ascii_alphabetic() || matches!(c, b'_' | b'-'));
    // Where no variable can stand
    let literal = matches!(c.tie, Tie::Element | Tie::Flag)
        || (c.tie == Tie::Tight && c.upper_name)
        || (digits > 0 && at(v, 0).is_ascii_digit())
        || (c.quoted
            && digits > 1
            && stem.iter().any(u8::is_ascii_uppercase)
            && stem.iter().any(u8::is_ascii_lowercase));
    let numbered =
        digits >= 3 && firm && self_named(stem) && !has_ci(stem, "your") && !has_ci(stem, "dummy");
    if (looks_placeholder(stem) && !numbered)
        || (digits <= 2 && plain_stem && self_named(stem) && !literal)
    {
        return false;
    }
    match c.tie {
        Tie::Prose | Tie::Call if !c.quoted || c.tie == Tie::Call => {
            v.len() >= 6
                && ((digits > 0 && !v.starts_with(b"-")) || (symbols >= 1 && is_strong_mix(v)))
                && !matches!(c.next, b'=')
                && (symbols == joints || is_strong_mix(v) || !is_wordlike(v) || is_leet(v))
        }
        _ if digits > 0 => v.len() >= 5 || firm,
        // `kwArgs!`: one word, and no message
        _ if (c.quoted || matches!(c.tie, Tie::Tight | Tie::Flag))
            && firm
            && v.ends_with(b"!")
            && letters + 1 == v.len() =>
        {
            let stem = v.get(..letters).unwrap_or_default();
            letters >= 5 && !is_common(stem) && !is_explanation(stem) && !self_named(stem)
        }
        // Letters and symbols
        _ => {
            is_strong_mix(v)
                || (firm
                    && symbols > 0
                    && symbols <= 4
                    && v.len() >= 8
                    && !matches!(at(v, v.len() - 1), b':' | b',' | b'.' | b';' | b'!' | b'?'))
        }
    }
}

/// Capitals and small letters in no order: `cDiLdBUGKgej`.
fn is_jumble(v: &[u8]) -> bool {
    let turns = v
        .windows(2)
        .filter(|two| matches!(two, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase()));
    v.len() >= 8
        && v.iter().all(u8::is_ascii_alphabetic)
        && turns.count() * 3 >= v.len()
        && !is_wordlike(v)
}

/// Words, with or without joints, behind a password name.
fn password_of_letters(c: &Candidate, joints: usize) -> bool {
    let v = c.text;
    if v.len() < 5 || is_common(v) || (self_named(v) && (joints > 0 || !c.quoted)) {
        return false;
    }
    if !c.quoted && is_explaining(v) {
        return false;
    }
    let lower = v.iter().all(|c| c.is_ascii_lowercase());
    let typical = !c.quoted && at(v, 0).is_ascii_uppercase() && is_wordlike(v);
    let capitals = joints == 0 && v.iter().all(|c| c.is_ascii_uppercase());
    // password: CorrectHorseBatteryStaple
    let long = c.leads && c.last && joints == 0 && v.len() >= 16;
    if (typical && !long) || (capitals && !c.quoted && v.len() < 12) {
        return false;
    }
    let line_of_own = c.leads && c.last && !v.iter().any(|c| matches!(c, b'_' | b'.'));
    if joints > 0 && !c.quoted && !((c.upper_name || line_of_own) && c.tie == Tie::Tight) {
        return false;
    }
    match c.tie {
        Tie::Tight if !c.quoted => {
            !matches!(c.next, b',' | b')' | b'(' | b'.')
                && (c.upper_name || !(c.leads && c.next == b';'))
        }
        Tie::Tight | Tie::Element => true,
        Tie::Assign if c.quoted => true,
        Tie::Assign => c.leads && c.last && lower && v.len() >= 8 && c.upper_name,
        Tie::Colon if c.quoted => joints == 0 || v.len() >= 10,
        Tie::Colon => c.leads && c.last && (lower || long) && v.len() >= 6 && joints == 0,
        Tie::Flag => c.quoted || c.last || v.len() >= 16 || matches!(c.next, b'|'),
        Tie::Call => false,
        Tie::Prose => v.len() >= 20 && lower && joints == 0 || is_jumble(v),
    }
}

fn random(c: &Candidate, name: Name, letters: usize, digits: usize) -> bool {
    let v = c.text;
    let firm = c.quoted || matches!(c.tie, Tie::Tight | Tie::Flag | Tie::Element | Tie::Colon);
    if v.len() < 8 || is_technical(v) || is_common(v) {
        return false;
    }
    if letters == 0 {
        return digits >= 24 && firm;
    }
    if name == Name::Auth && is_basic_payload(v) {
        return true;
    }
    if v.len() > 2 * (letters + digits) {
        return false;
    }
    // `credentials: bob:hunter2`
    if matches!(name, Name::Auth | Name::Credential)
        && let Some(p) = v.iter().position(|&c| c == b':')
    {
        let (user, pass) = (
            v.get(..p).unwrap_or_default(),
            v.get(p + 1..).unwrap_or_default(),
        );
        return user.iter().all(u8::is_ascii_alphanumeric)
            && pass.len() >= 5
            && !pass.contains(&b':')
            && pass.iter().any(u8::is_ascii_digit)
            && pass.iter().any(u8::is_ascii_alphabetic)
            && !is_technical(pass);
    }
    if is_uuid(v) {
        // `| BOT_TOKEN | … |`
        let cell = c.tie == Tie::Call && c.next == b' ';
        return (firm || cell || (c.upper_name && name == Name::Token))
            && matches!(
                name,
                Name::ApiKey | Name::Token | Name::Secret | Name::AccessKey | Name::SecretId
            )
            || (name == Name::WeakKey && c.upper_name);
    }
    let bits = entropy(v);
    if bits < if v.len() < 12 { 2.4 } else { 2.9 } {
        return false;
    }
    let mixed_case = v.iter().any(u8::is_ascii_lowercase) && v.iter().any(u8::is_ascii_uppercase);
    let plain = is_wordlike(v);
    let joints = v
        .iter()
        .any(|c| matches!(c, b'_' | b'-' | b'.' | b'/' | b':'));
    // What people write into environment variables: JWT_SECRET=mysupersecret
    let sentence = matches!(c.tie, Tie::Tight | Tie::Assign | Tie::Flag | Tie::Element)
        && c.upper_name
        && c.leads
        && (c.quoted || !joints)
        && at(v, 0) != b'_';
    // JWT_SECRET=my-very-long-signing-secret-2024
    let own_line = c.leads && c.last && digits > 0;
    let numbered = c.quoted && digits >= 3;
    let spelled_out = name == Name::Secret
        && (c.upper_name || own_line && c.quoted || numbered)
        && v.len() >= if c.upper_name || numbered { 16 } else { 24 }
        && v.iter()
            .all(|&c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'!' | b'@' | b'#'))
        && (c.quoted && c.tie != Tie::Call || matches!(c.tie, Tie::Tight) && c.leads);
    match name {
        Name::SecretId => false,
        Name::Signature => v.len() >= 16 && digits > 0 && !plain,
        Name::Session | Name::Cookie | Name::WeakKey => {
            v.len() >= 16
                && (digits >= 2 || v.len() >= 20 && super::entropy::is_random(v, 20))
                && !plain
                && (firm || c.tie == Tie::Assign || (c.upper_name && digits >= 4))
                && bits >= 3.0
        }
        Name::Credential if c.tie == Tie::Tight && !c.quoted => {
            digits > 0 && (!plain || digits > 1)
        }
        Name::Auth | Name::Credential => v.len() >= 12 && digits > 0 && !plain,
        _ if digits == 0 => {
            // Random letters, or the sentence-like secrets people give to environment variables.
            (v.len() >= 16 && !plain && (mixed_case || letters == v.len()) && !joints)
                || (v.len() >= 20
                    && !plain
                    && mixed_case
                    && firm
                    && bits >= 3.9
                    && !v.contains(&b'/'))
                || (name == Name::Secret && v.len() >= 10 && sentence)
                || spelled_out
                || (v.len() >= 20 && v.ends_with(b"=") && mixed_case)
        }
        _ if matches!(c.tie, Tie::Prose | Tie::Call) => {
            v.len() >= 12 && !plain && digits >= 2 && bits >= 3.0
        }
        _ if !plain => firm || v.len() >= 12,
        _ => {
            spelled_out
                || is_chosen(c, name, digits)
                || (name == Name::Secret && own_line && digits >= 2 && !joints)
                || (name == Name::Secret && (c.quoted || c.upper_name) && !joints && v.len() >= 10)
        }
    }
}
