//! Secrets that leave the machine.

use aictx_proto::path::{Located, locate};
use aictx_signals::shell::{RedirectKind, SimpleCommand, Word};

use super::table::Traits;
use super::{Call, Judge, Kind, Tier};
use crate::codes::SENSITIVE_PATH;
use crate::path;

/// Programs that send to other machines.
pub(super) const SENDERS: &[&str] = &[
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "httpie",
    "scp",
    "sftp",
    "rsync",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "ftp",
    "lftp",
    "mail",
    "sendmail",
    "mutt",
    "aws",
    "gsutil",
    "gcloud",
    "rclone",
    "gh",
    "telnet",
    "ssh",
    "nslookup",
    "dig",
    "croc",
    "transfer",
    "wormhole",
    "pastebinit",
];

/// Programs whose output is the environment.
const ENVIRONMENT: &[&str] = &["env", "printenv", "set", "export", "declare"];

/// Programs that print secrets, and the words that tell them to.
const PRINTERS: &[(&str, &[&str])] = &[
    ("kubectl", &["get", "secret"]),
    ("kubectl", &["get", "secrets"]),
    ("oc", &["get", "secret"]),
    ("aws", &["secretsmanager", "get-secret-value"]),
    ("aws", &["ssm", "--with-decryption"]),
    ("gcloud", &["secrets", "versions", "access"]),
    ("az", &["keyvault", "secret", "show"]),
    ("vault", &["kv", "get"]),
    ("vault", &["read"]),
    ("heroku", &["config"]),
    ("op", &["read"]),
    ("op", &["item", "get"]),
    ("pass", &["show"]),
    ("gpg", &["--export-secret-keys"]),
    ("gh", &["auth", "token"]),
    ("security", &["find-generic-password"]),
    ("sops", &["-d"]),
    ("sops", &["decrypt"]),
    ("age", &["-d"]),
    ("age", &["--decrypt"]),
    ("rage", &["-d"]),
    ("gpg", &["-d"]),
    ("gpg", &["--decrypt"]),
    ("gpg2", &["-d"]),
    ("openssl", &["-d"]),
    ("ansible-vault", &["view"]),
    ("ansible-vault", &["decrypt"]),
    ("doppler", &["secrets", "download"]),
    ("infisical", &["export"]),
    ("chamber", &["export"]),
    ("bw", &["get"]),
    ("fly", &["config", "env"]),
    ("vercel", &["env", "pull"]),
];

/// Whether a command prints secrets.
fn prints_secrets(command: &SimpleCommand) -> bool {
    let name = command.name();
    let says = |word: &&str| command.arguments().iter().any(|said| said.text == **word);
    let mut known = PRINTERS.iter().filter(|(program, _)| *program == name);
    known.any(|(_, words)| words.iter().all(&says))
}

/// Files outside of the repository that hold secrets, by their end.
const SECRET_ENDS: &[&str] = &[
    ".bash_history",
    ".zsh_history",
    ".docker/config.json",
    ".npmrc",
    ".config/gh/hosts.yml",
    "/etc/shadow",
    "/etc/sudoers",
    "Login Data",
    "cookies.sqlite",
    ".cargo/credentials.toml",
];

/// Judges what a call sends.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    if !call.traits.has(Traits::SENDS) {
        return;
    }
    let words = call.arguments();
    let local =
        matches!(name, "scp" | "rsync") && !words.iter().any(|word| word.text.contains(':'));
    let mut found: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !local && sends(name, words, *at) && is_secret(&word.text))
        .map(|(_, word)| word.text.as_str())
        .collect();
    for redirect in &call.command.redirects {
        if redirect.kind == RedirectKind::Read && is_secret(&redirect.target.text) {
            found.push(&redirect.target.text);
        }
    }
    let mut from = call.command.piped_from;
    for _ in 0..16 {
        let Some(command) = from.and_then(|at| call.script.commands.get(at)) else {
            break;
        };
        if ENVIRONMENT.contains(&command.name()) && command.arguments().is_empty() {
            found.push("environment");
        }
        if prints_secrets(command) && posts_input(call) {
            found.push("secrets");
        }
        for word in command.arguments() {
            if is_secret(&word.text) {
                found.push(&word.text);
            }
        }
        from = command.piped_from;
    }
    for word in call.arguments() {
        for command in call.script.commands.get(word.range()).unwrap_or_default() {
            if command.remote {
                continue;
            }
            let read = command.redirects.iter();
            let read = read.filter(|redirect| redirect.kind == RedirectKind::Read);
            found.extend(
                command
                    .arguments()
                    .iter()
                    .chain(read.map(|redirect| &redirect.target))
                    .filter(|word| is_secret(&word.text))
                    .map(|word| word.text.as_str()),
            );
        }
    }
    if found.is_empty() && !local {
        let mut sent: Vec<&str> = Vec::new();
        for (_, word) in words
            .iter()
            .enumerate()
            .filter(|(at, _)| sends(name, words, *at))
        {
            sent.push(file_of(&word.text));
        }
        if !sent.is_empty() {
            let before = call.script.commands.get(..call.segment);
            found.extend(packed(before.unwrap_or_default(), &sent));
        }
    }
    if found.is_empty() && !local && words.iter().any(|word| word.unknown || word.carried) {
        found.extend(read_line_by_line(call));
    }
    if !found.is_empty() {
        judge.hit(
            Some(call),
            Kind::Credentials,
            Tier::Destructive,
            name,
            found,
        );
    }
}

/// Whether what comes in goes out: `curl -d @-`, `nc host`.
fn posts_input(call: Call) -> bool {
    let words = call.arguments();
    let at_hand = |word: &Word| {
        matches!(word.text.as_str(), "@-" | "-" | "-d@-" | "--data-binary=@-")
            || word.text.ends_with("=@-")
    };
    match call.command.name() {
        "curl" | "wget" | "http" | "https" | "xh" => words.iter().any(at_hand),
        "nc" | "ncat" | "netcat" | "socat" | "mail" | "sendmail" | "mutt" | "pastebinit" => true,
        _ => false,
    }
}

/// Whether the word at `at` names a file whose content the call sends.
fn sends(name: &str, words: &[Word], at: usize) -> bool {
    let before = at
        .checked_sub(1)
        .and_then(|at| words.get(at))
        .map_or("", |word| word.text.as_str());
    let text = words.get(at).map_or("", |word| word.text.as_str());
    match name {
        // The key that one logs in with stays here.
        "ssh" | "sftp" | "nc" => false,
        _ if matches!(before, "-i" | "-F" | "-o" | "-e" | "--output" | "-O") && name != "curl" => {
            false
        }
        "curl" | "http" | "https" | "xh" => {
            text.contains('@') || matches!(before, "-T" | "--upload-file")
        }
        "wget" => text.starts_with("--post-file=") || text.starts_with("--body-file="),
        "scp" | "rsync" => !text.starts_with('-') && !text.contains(':'),
        _ => !text.starts_with('-') || text.contains('='),
    }
}

/// The file of secrets whose lines a loop around the call takes one by one: `while read x; do …; done < .env`,
/// `cat .env | while read x; do …`.
fn read_line_by_line<'s>(call: Call<'s>) -> Option<&'s str> {
    let commands = &call.script.commands;
    let (before, after) = commands.split_at_checked(call.segment)?;
    let skipped = before.len().saturating_sub(MAX_PACKERS);
    let reader = before
        .iter()
        .skip(skipped)
        .rev()
        .find(|it| it.name() == "read")?;
    let from = reader.piped_from.and_then(|at| commands.get(at));
    let piped = from.into_iter().flat_map(SimpleCommand::arguments);
    let ends = after
        .iter()
        .take(MAX_PACKERS)
        .filter(|it| it.words.is_empty());
    let given = ends.chain([reader]).flat_map(|it| &it.redirects);
    let given = given
        .filter(|it| it.kind == RedirectKind::Read)
        .map(|it| &it.target);
    let mut files = piped.chain(given).map(|word| word.text.as_str());
    files.find(|file| is_secret(file))
}

/// Programs that put files into others, as they are.
const PACKERS: &[&str] = &[
    "cp", "mv", "tar", "bsdtar", "zip", "7z", "7za", "gzip", "bzip2", "xz", "zstd", "cat", "tee",
    "base64", "install", "rsync", "ln", "find", "fd", "dd", "split", "cpio", "jar",
];
/// Commands that are looked back at, and files in which secrets are then.
const MAX_PACKERS: usize = 64;
const MAX_PACKED: usize = 32;

/// Which of `sent` hold what other files hold that are secret: copied or packed by earlier commands.
fn packed<'a>(before: &[SimpleCommand], sent: &[&'a str]) -> Vec<&'a str> {
    let mut holding: Vec<&str> = Vec::new();
    let skipped = before.len().saturating_sub(MAX_PACKERS);
    for command in before.iter().skip(skipped) {
        if !PACKERS.contains(&command.name()) || command.remote {
            continue;
        }
        let words = || command.arguments().iter().map(|word| word.text.as_str());
        let read = command
            .redirects
            .iter()
            .filter(|it| it.kind == RedirectKind::Read);
        let mut given = words().chain(read.map(|it| it.target.text.as_str()));
        let holds = |text: &str| is_secret(text) || holding.iter().any(|held| is_in(text, held));
        if !given.any(holds) || holding.len() >= MAX_PACKED {
            continue;
        }
        if matches!(command.name(), "find" | "fd") {
            holding.push("{}");
            continue;
        }
        let written = command
            .redirects
            .iter()
            .filter(|redirect| matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append));
        holding.extend(written.map(|it| it.target.text.as_str()));
        // What it makes is named among its words, first or last.
        let made = words().filter(|text| !text.starts_with('-') && !is_secret(text));
        holding.extend(made.filter(|text| text.len() > 1));
        holding.truncate(MAX_PACKED);
    }
    let holds = |file: &&&str| holding.iter().any(|held| is_in(file, held));
    sent.iter().filter(holds).copied().collect()
}

/// Whether a path is another, or below it.
fn is_in(path: &str, held: &str) -> bool {
    path.strip_prefix(held)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || held.ends_with('/'))
}

/// The file of `file=@path`, `@path` and `--post-file=path`.
fn file_of(text: &str) -> &str {
    let text = text.rsplit(['@', '=']).next().unwrap_or_default();
    text.split(';').next().unwrap_or_default()
}

/// A file that holds secrets: by name in the repository, by place elsewhere.
fn is_secret(text: &str) -> bool {
    let mut text = text.rsplit(['@', '=']).next().unwrap_or_default();
    text = text
        .trim_start_matches("file://")
        .trim_end_matches(['*', '/']);
    text = text.split(";type").next().unwrap_or_default();
    if text.is_empty() || text.contains(' ') {
        return false;
    }
    if SECRET_ENDS.iter().any(|end| text.ends_with(end)) {
        return true;
    }
    // Below a root of its own, so that names decide and not where it lies.
    let inside = text
        .trim_start_matches("$HOME")
        .trim_start_matches("${HOME}")
        .trim_start_matches('~')
        .trim_start_matches('/');
    let located = locate("/r", "/r", inside);
    matches!(located, Located::Inside(_))
        && path::verdict(&located)
            .is_some_and(|(code, _)| std::ptr::eq(code, &raw const SENSITIVE_PATH))
        && !text.ends_with(".pub")
}
