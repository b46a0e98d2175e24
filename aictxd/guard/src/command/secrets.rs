//! Secrets that leave the machine.

use aictx_proto::path::{Located, locate};
use aictx_shell::{RedirectKind, Script, SimpleCommand, Word};

use super::table::Traits;
use super::{Call, Judge, Kind, Tier};
use crate::finding_codes::SENSITIVE_PATH;
use crate::protected_paths;

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

/// Returns true if a command prints secrets.
pub(super) fn prints_secrets(command: &SimpleCommand) -> bool {
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
    let name = call.name;
    if !call.program.traits.has(Traits::SENDS) {
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
        let sent = words.iter().enumerate();
        let sent = sent.filter(|(at, _)| sends(name, words, *at));
        let sent = sent.map(|(_, word)| file_of(&word.text));
        found.extend(sent.filter(|file| call.notes.packed(call.script).holds(call.segment, file)));
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

/// Returns true if what comes in goes out: `curl -d @-`, `nc host`.
fn posts_input(call: Call) -> bool {
    let words = call.arguments();
    let at_hand = |word: &Word| {
        matches!(word.text.as_str(), "@-" | "-" | "-d@-" | "--data-binary=@-")
            || word.text.ends_with("=@-")
    };
    match call.name {
        "curl" | "wget" | "http" | "https" | "xh" => words.iter().any(at_hand),
        "nc" | "ncat" | "netcat" | "socat" | "mail" | "sendmail" | "mutt" | "pastebinit" => true,
        _ => false,
    }
}

/// Returns true if the word at `at` names a file whose content the call sends.
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
/// Commands around a call that are looked at, and files in which secrets are then.
const MAX_PACKERS: usize = 64;
const MAX_PACKED: usize = 32;

/// Files of a script that hold what other files hold that are secret, and which command made them:
/// copied or packed.
#[derive(Debug, Default)]
pub(super) struct Packed(Vec<(usize, String)>);

impl Packed {
    /// The newest of them before the command at `segment`.
    fn before(&self, segment: usize) -> impl Iterator<Item = &str> {
        let count = self.0.partition_point(|(at, _)| *at < segment);
        let known = self.0.get(..count).unwrap_or_default();
        let known = known.iter().rev().take(MAX_PACKED);
        known.map(|(_, file)| file.as_str())
    }

    fn holds(&self, segment: usize, file: &str) -> bool {
        self.before(segment).any(|held| is_in(file, held))
    }

    pub(super) fn of(script: &Script) -> Self {
        let mut packed = Self::default();
        for (at, command) in script.commands.iter().enumerate() {
            if PACKERS.contains(&command.name()) && !command.remote {
                packed.take(at, command);
            }
        }
        packed
    }

    fn take(&mut self, at: usize, command: &SimpleCommand) {
        let words = || command.arguments().iter().map(|word| word.text.as_str());
        let redirected = |kinds: &'static [RedirectKind]| {
            let redirects = command.redirects.iter();
            let redirects = redirects.filter(|it| kinds.contains(&it.kind));
            redirects.map(|it| it.target.text.as_str())
        };
        let mut given = words().chain(redirected(&[RedirectKind::Read]));
        if !given.any(|text| is_secret(text) || self.holds(at, text)) {
            return;
        }
        let found = matches!(command.name(), "find" | "fd");
        // What it makes is named among its words, first or last.
        let made = redirected(&[RedirectKind::Write, RedirectKind::Append])
            .chain(words().filter(|text| !text.starts_with('-') && !is_secret(text)))
            .filter(|text| text.len() > 1);
        let made = made.filter(|_| !found).chain(found.then_some("{}"));
        let made = made.take(MAX_PACKED).map(|file| (at, file.to_owned()));
        self.0.extend(made.collect::<Vec<_>>());
    }
}

/// Returns true if a path is another, or below it.
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
pub(super) fn is_secret(text: &str) -> bool {
    let mut text = text.rsplit(['@', '=']).next().unwrap_or_default();
    text = text
        .trim_start_matches("file://")
        .trim_end_matches(['*', '/']);
    text = text.split(";type").next().unwrap_or_default();
    text = text.trim_start_matches("./");
    // All names that tell have one of these.
    let telling = |b: u8| matches!(b, b'.' | b'_' | b'c' | b'C' | b' ');
    if !text.bytes().any(telling) || text.contains(' ') && !text.ends_with("Login Data") {
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
        && protected_paths::verdict(&located)
            .is_some_and(|(code, _)| std::ptr::eq(code, &raw const SENSITIVE_PATH))
        && !text.ends_with(".pub")
}
