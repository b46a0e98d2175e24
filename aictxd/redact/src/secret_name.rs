//! Classifies names by their values: `GITHUB_TOKEN` yes, `tokens_used` no.
//!
//! A name is cut into words at `_ - .` and at camel case. Only the last word group counts, after
//! numbers and deployment suffixes (`_PROD`, `_2`) are taken off: `PASSWORD_FILE` names a file.

use super::marker;
use super::name_words::{KEY_GROUPS, PLAIN_KEYS, SUFFIXES};

/// Kind of secret that a name announces. It decides the marker and how much the value must look
/// like a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// `password` and its like: even short words may be meant.
    Password,
    /// Bare `pass`, which is also an English word and a test result.
    Pass,
    Secret,
    ApiKey,
    AccessKey,
    PrivateKey,
    Token,
    Auth,
    /// The `Authorization` header: scheme and payload.
    Authorization,
    Credential,
    Session,
    /// `cookie`: a list of pairs.
    Cookie,
    /// Any other `…_KEY`: only a random value counts.
    WeakKey,
    /// `sig`, `signature`: only in addresses.
    Signature,
    /// A list of seed words.
    Mnemonic,
    /// `secret_id`: a UUID is the secret itself, anything else the name of one.
    SecretId,
}

impl Name {
    /// The marker kind for values under such a name.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Pass => marker::PASSWORD,
            Self::Secret | Self::Signature | Self::Mnemonic | Self::SecretId => marker::SECRET,
            Self::ApiKey | Self::WeakKey => marker::API_KEY,
            Self::AccessKey => marker::ACCESS_KEY,
            Self::PrivateKey => marker::PRIVATE_KEY,
            Self::Token => marker::TOKEN,
            Self::Auth | Self::Authorization | Self::Credential => marker::CREDENTIAL,
            Self::Session | Self::Cookie => marker::SESSION,
        }
    }

    /// Returns true if it is a password word.
    pub(super) fn is_password(self) -> bool {
        matches!(self, Self::Password | Self::Pass)
    }
}

/// The lower-case words of a name, at most the last 12.
pub(super) fn words(name: &[u8]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut cur = String::new();
    for (i, &c) in name.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !cur.is_empty() {
                out.push(std::mem::take(&mut cur));
            }
            continue;
        }
        let prev = i
            .checked_sub(1)
            .and_then(|p| name.get(p))
            .copied()
            .unwrap_or(0);
        let next = name.get(i + 1).copied().unwrap_or(0);
        let hump = c.is_ascii_uppercase()
            && (prev.is_ascii_lowercase()
                || (prev.is_ascii_uppercase() && next.is_ascii_lowercase()));
        if hump && !cur.is_empty() {
            out.push(std::mem::take(&mut cur));
        }
        cur.push(char::from(c.to_ascii_lowercase()));
    }
    if !cur.is_empty() {
        out.push(cur);
    }
    let skip = out.len().saturating_sub(12);
    out.drain(..skip);
    out
}

/// Classifies a name; `None` when a value under it is nobody's secret.
pub(super) fn classify(name: &[u8]) -> Option<Name> {
    if name.len() > 128 {
        return None;
    }
    let mut words = words(name);
    while words.len() > 1
        && words.last().is_some_and(|w| {
            w.bytes().all(|c| c.is_ascii_digit()) || SUFFIXES.contains(&w.as_str())
        })
    {
        words.pop();
    }
    let last = words.pop()?;
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let prev = words.last().map_or("", String::as_str);
    let last = match last {
        // APP_KEYS, API_TOKENS
        "keys" | "tokens" | "secrets" | "passwords"
            if !prev.is_empty() && !name.iter().any(u8::is_ascii_lowercase) =>
        {
            last.trim_end_matches('s')
        }
        _ => last,
    };
    match last {
        "password" | "passwd" | "pwd" | "passphrase" | "passcode" | "passwort" | "psk" | "pw"
        | "kennwort" | "senha" | "wachtwoord" | "requirepass" => Some(Name::Password),
        // `Datenbankpasswort`
        word if word.ends_with("passwort") || word.ends_with("kennwort") => Some(Name::Password),
        "pass" if prev.is_empty() => Some(Name::Pass),
        "pass" => (!matches!(
            prev,
            "by" | "first" | "second" | "render" | "compiler" | "all" | "tests"
        ))
        .then_some(Name::Password),
        "phrase" if prev == "pass" => Some(Name::Password),
        "phrase" if matches!(prev, "seed" | "recovery" | "mnemonic" | "backup") => {
            Some(Name::Mnemonic)
        }
        "word" if prev == "pass" => Some(Name::Password),
        "code" if prev == "pass" => Some(Name::Password),
        "mnemonic" | "seedphrase" => Some(Name::Mnemonic),
        // Places in lists and requests, not rights
        "token"
            if matches!(
                prev,
                "next"
                    | "page"
                    | "continuation"
                    | "pagination"
                    | "idempotency"
                    | "cancellation"
                    | "cancel"
                    | "request"
                    | "lock"
                    | "change"
                    | "sequence"
                    | "sync"
                    | "backward"
                    | "forward"
                    | "marker"
                    | "unexpected"
                    | "eof"
                    | "pad"
                    | "eos"
                    | "bos"
                    | "mask"
                    | "stop"
            ) =>
        {
            None
        }
        "token" | "jwt" | "bearer" | "crumb" => Some(Name::Token),
        "secret" => Some(Name::Secret),
        "auth" => Some(Name::Auth),
        "authorization" => Some(Name::Authorization),
        "credential" | "credentials" | "creds" | "cred" => Some(Name::Credential),
        "cookie" | "cookies" => Some(Name::Cookie),
        "session" | "sess" => Some(Name::Session),
        "sid" if matches!(prev, "connect" | "session" | "express") => Some(Name::Session),
        "sig" | "signature" => Some(Name::Signature),
        "ident" if prev == "auth" => Some(Name::Auth),
        "id" if prev == "secret" => Some(Name::SecretId),
        "id" if prev == "key" && words.iter().rev().nth(1).is_some_and(|w| w == "access") => {
            Some(Name::AccessKey)
        }
        "hash" if matches!(prev, "password" | "passwd" | "pass" | "pwd") => Some(Name::Credential),
        "data" if prev == "key" => Some(Name::WeakKey),
        "pat"
            if matches!(
                prev,
                "gh" | "github"
                    | "gitlab"
                    | "azure"
                    | "devops"
                    | "ado"
                    | "hub"
                    | "docker"
                    | "dockerhub"
                    | "bot"
                    | "ci"
                    | "user"
                    | "git"
                    | "repo"
                    | "access"
                    | "deploy"
                    | "airtable"
                    | "sonar"
                    | "my"
            ) =>
        {
            Some(Name::Token)
        }
        "salt" | "pepper"
            if matches!(
                prev,
                "auth"
                    | "password"
                    | "secret"
                    | "session"
                    | "cookie"
                    | "hash"
                    | "in"
                    | "nonce"
                    | "jwt"
                    | "token"
            ) =>
        {
            Some(Name::WeakKey)
        }
        "pepper" => Some(Name::WeakKey),
        "team" if prev == "honeycomb" => Some(Name::ApiKey),
        "seed" if matches!(prev, "totp" | "otp" | "mfa" | "hd" | "wallet" | "auth") => {
            Some(Name::Secret)
        }
        "key" => {
            if PLAIN_KEYS.contains(&prev) {
                return None;
            }
            let upper =
                name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
            KEY_GROUPS
                .iter()
                .find(|(word, _)| *word == prev)
                .map(|(_, class)| *class)
                .or(((upper || is_header(name)) && !prev.is_empty()).then_some(Name::WeakKey))
        }
        _ => joined(last),
    }
}

/// `Fastly-Key`: the name of a header, every word with a capital.
fn is_header(name: &[u8]) -> bool {
    name.contains(&b'-')
        && name
            .split(|c| *c == b'-')
            .all(|w| w.first().is_some_and(u8::is_ascii_uppercase))
}

/// Words written together: `authtoken`, `dbpassword`, `storepass`.
fn joined(word: &str) -> Option<Name> {
    const ENDS: &[(&str, Name)] = &[
        ("password", Name::Password),
        ("passwd", Name::Password),
        ("passphrase", Name::Password),
        ("userpass", Name::Password),
        ("dbpass", Name::Password),
        ("storepass", Name::Password),
        ("keypass", Name::Password),
        ("rootpass", Name::Password),
        ("smtppass", Name::Password),
        ("mailpass", Name::Password),
        ("adminpass", Name::Password),
        ("requirepass", Name::Password),
        ("masterauth", Name::Password),
        ("userpw", Name::Password),
        ("bindpw", Name::Password),
        ("rootpw", Name::Password),
        ("dbpw", Name::Password),
        ("dbpwd", Name::Password),
        ("sudopass", Name::Password),
        ("token", Name::Token),
        ("secret", Name::Secret),
        ("secretkey", Name::Secret),
        ("apikey", Name::ApiKey),
        ("accesskey", Name::AccessKey),
        ("privatekey", Name::PrivateKey),
        ("accountkey", Name::AccessKey),
        ("signingkey", Name::Secret),
        ("encryptionkey", Name::Secret),
        ("masterkey", Name::Secret),
        ("authkey", Name::ApiKey),
        ("licensekey", Name::WeakKey),
        ("servicekey", Name::WeakKey),
        ("appkey", Name::WeakKey),
        ("sessid", Name::Session),
        ("presharedkey", Name::Secret),
        ("validationkey", Name::WeakKey),
        ("decryptionkey", Name::Secret),
        ("sshkey", Name::WeakKey),
        ("deploykey", Name::WeakKey),
        ("clientkey", Name::WeakKey),
    ];
    // SSHPASS, DBPWD
    const OWNERS: &[&str] = &[
        "ssh", "db", "my", "root", "user", "admin", "smtp", "mail", "pg", "sql", "ftp", "key",
        "store", "trust", "http", "ldap", "redis", "mongo", "imap", "sudo", "become", "vault",
        "gpg", "proxy", "wifi", "auth", "login", "net", "web", "app", "svn", "git", "rpc", "amqp",
        "mq", "bind", "master", "mysql", "test", "temp", "new", "cert", "pem", "p12", "jks",
        "sftp", "pop", "sa", "ora", "api", "host", "client",
    ];
    let owner = word
        .strip_suffix("pass")
        .or_else(|| word.strip_suffix("pwd"));
    if owner.is_some_and(|o| OWNERS.contains(&o)) {
        return Some(Name::Password);
    }
    ENDS.iter()
        .find(|(end, _)| word.ends_with(end))
        .map(|(_, class)| *class)
}

/// Returns true if a field of this name is an identifier, a count, a time or a path and so never a secret by
/// name. Known token shapes are looked for all the same.
pub(super) fn is_exempt_field(name: &str) -> bool {
    // What the product's own records call their keys.
    const WHOLE: &[&str] = &[
        "signature",
        "failure_signature",
        "signatures",
        "session",
        "source_session",
        "head",
        "at",
        "v",
        "version",
        "schema_version",
        "branch",
        "revision",
        "etag",
    ];
    const LAST: &[&str] = &[
        "id",
        "ids",
        "path",
        "paths",
        "file",
        "files",
        "dir",
        "dirs",
        "root",
        "cwd",
        "worktree",
        "count",
        "used",
        "uuid",
        "sha",
        "sha1",
        "sha256",
        "hash",
        "digest",
        "checksum",
        "fingerprint",
        "fingerprints",
        "commit",
        "timestamp",
        "version",
    ];
    if WHOLE.contains(&name) {
        return true;
    }
    let words = words(name.as_bytes());
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    // `secret_id` of an approle login is a secret
    let prev = words.iter().rev().nth(1).map_or("", String::as_str);
    LAST.contains(&last)
        && !(last == "id" && prev == "secret")
        && !(last == "hash" && matches!(prev, "password" | "passwd" | "pass" | "pwd"))
}
