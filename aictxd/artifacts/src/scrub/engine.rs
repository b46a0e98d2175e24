//! The line machine: a keyword search finds the lines worth a look, the analysers look at them,
//! and the little that reaches over a line end is carried as state. A text gives the same result
//! in one piece and in any cut at line ends.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, Input, MatchKind};

use super::bytes::sub;
use super::follow::Follow;
use super::line::{Line, Span};
use super::pem::{Open, Step};
use super::rules::RULES;
use super::{Report, assign, bare, call, command, header, kind, pem, prose, url};

/// What a keyword leads to.
#[derive(Clone, Copy)]
enum Lead {
    /// A row of the token table.
    Rule(usize),
    /// A secret word in a name.
    Word,
    Url,
    Key,
    Command,
    Bearer,
    Basic,
    Jwt,
    Telegram,
    Mailchimp,
    Azure,
    Tcp,
    Oracle,
    Port,
    Pass,
    Piped,
    Sql,
    Query,
    Jwk,
    /// A well-known function.
    Call(usize),
    /// Words that introduce a name and a password.
    Login,
    /// A community of SNMP.
    Community,
    /// Codes for the loss of a second factor.
    Codes,
    /// The key of an authenticator.
    Setup,
    /// The word key.
    BareKey,
    /// A command with a secret at a place of its arguments.
    Placed(usize),
    Echo,
    /// The code of a wireless network.
    Wifi,
    /// `admin / x`
    Pair,
    /// `admin:x`
    Known,
    Atlas,
    CookieFile,
    /// A command that takes seed words.
    Wallet,
    /// An access rule of Redis.
    Setuser,
    /// Nothing by itself: the line matters to the next.
    State,
}

/// Secret words as they appear inside names.
static WORDS: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pass phrase",
    "_pass",
    "-pass",
    "pass=",
    "pass:",
    "pass\"",
    "pass'",
    "pass ",
    "pass>",
    "pwd",
    "pw=",
    "pw:",
    "pw\"",
    "pw ",
    "psk",
    "token",
    "jwt",
    "secret",
    "credential",
    "creds",
    "cookie",
    "session=",
    "session:",
    "session\"",
    "session'",
    "sess=",
    "sessid",
    "auth=",
    "auth:",
    "auth\"",
    "auth'",
    "auth ",
    "authorization",
    "apikey",
    "api_key",
    "api-key",
    "api key",
    "api.key",
    "_key",
    "-key",
    "access key",
    "private key",
    "signing key",
    "encryption key",
    "account key",
    "master key",
    "license key",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "masterkey",
    "sharedkey",
    "storagekey",
    "subscriptionkey",
    "functionkey",
    "functionskey",
    "licensekey",
    "servicekey",
    "adminkey",
    "appkey",
    "authkey",
    "sig=",
    "signature=",
    "mnemonic",
    "seed phrase",
    "recovery phrase",
    "masterauth",
    "secret_id",
    "wifi key",
    "wlan key",
    "wpa key",
    "unseal key",
    "recovery key",
    "validationkey",
    "decryptionkey",
    "presharedkey",
    "sshkey",
    "deploykey",
    "clientkey",
    "_salt",
    "_seed",
    "_pat",
    "pepper",
    "kennwort",
    "senha",
    "wachtwoord",
    "crumb:",
    "authident",
    "primarykey",
    "secondarykey",
    "passwdhash",
    "passwordhash",
    "access_key_id",
    "accesskeyid",
];

/// The most bytes of a keyword that are searched for; the analyser compares the rest. It keeps the
/// tables small and quick to build.
const MAX_KEY: usize = 10;

fn head(key: &'static str, max: usize) -> &'static str {
    key.get(..max).unwrap_or(key)
}

fn tail(key: &'static str, max: usize) -> &'static str {
    key.get(key.len().saturating_sub(max)..).unwrap_or(key)
}

/// The keyword search and what its keywords lead to.
struct Tables {
    search: AhoCorasick,
    leads: Vec<Lead>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut keys: Vec<&str> = Vec::new();
    let mut leads: Vec<Lead> = Vec::new();
    let mut add = |key: &'static str, lead: Lead| {
        keys.push(key);
        leads.push(lead);
    };
    for (i, rule) in RULES.iter().enumerate() {
        if !bare::is_bare(rule) {
            add(head(rule.key, MAX_KEY), Lead::Rule(i));
        }
    }
    for word in WORDS {
        add(word, Lead::Word);
    }
    for key in command::KEYS {
        add(key, Lead::Command);
    }
    for (key, i) in call::keys() {
        add(tail(key, MAX_KEY), Lead::Call(i));
    }
    for (key, i) in command::places() {
        add(head(key, MAX_KEY), Lead::Placed(i));
    }
    for (key, lead) in [
        ("echo ", Lead::Echo),
        ("printf ", Lead::Echo),
        ("wifi:", Lead::Wifi),
        ("wallet ", Lead::Wallet),
        ("ganache ", Lead::Wallet),
        (" / ", Lead::Pair),
        ("admin:", Lead::Known),
        ("root:", Lead::Known),
        ("\"key\":", Lead::BareKey),
        ("kinit", Lead::Piped),
        ("master.key", Lead::State),
        ("openssl rand", Lead::State),
        ("wg gen", Lead::State),
        ("pwgen", Lead::State),
        ("\tfalse\t", Lead::CookieFile),
        ("\ttrue\t", Lead::CookieFile),
        ("setuser ", Lead::Setuser),
        ("accounts: ", Lead::Login),
        ("logins: ", Lead::Login),
        ("users: ", Lead::Login),
        ("log in", Lead::Login),
        ("login", Lead::Login),
        ("sign in", Lead::Login),
        ("creds", Lead::Login),
        ("credentials", Lead::Login),
        ("convertto-securestring ", Lead::Sql),
        ("backup code", Lead::Codes),
        ("recovery code", Lead::Codes),
        ("setup key", Lead::Setup),
        ("totp", Lead::Setup),
        ("2fa", Lead::Setup),
        ("authenticator", Lead::Setup),
        (" key (", Lead::BareKey),
        (" key: ", Lead::BareKey),
        (" key `", Lead::BareKey),
        (" key is ", Lead::BareKey),
        ("community ", Lead::Community),
        ("apiversion", Lead::State),
        ("private-lines", Lead::State),
        ("\"p\":", Lead::Jwk),
        ("\"q\":", Lead::Jwk),
        ("\"dp\":", Lead::Jwk),
        ("\"dq\":", Lead::Jwk),
        ("\"qi\":", Lead::Jwk),
        ("\"k\":", Lead::Jwk),
        ("://", Lead::Url),
        ("-----begin", Lead::Key),
        ("---- begin", Lead::Key),
        ("bearer ", Lead::Bearer),
        ("basic ", Lead::Basic),
        ("eyj", Lead::Jwt),
        (":aa", Lead::Telegram),
        ("-us", Lead::Mailchimp),
        ("q~", Lead::Azure),
        (".atlasv1.", Lead::Atlas),
        ("@tcp(", Lead::Tcp),
        ("jdbc:oracle:thin:", Lead::Oracle),
        (":5432:", Lead::Port),
        (":5433:", Lead::Port),
        (":6432:", Lead::Port),
        (":*:", Lead::Port),
        ("pass:", Lead::Pass),
        ("sudo -s", Lead::Piped),
        ("--password-stdin", Lead::Piped),
        ("| base64", Lead::Piped),
        ("secret put ", Lead::Piped),
        ("secret set ", Lead::Piped),
        ("secret create ", Lead::Piped),
        ("cryptsetup ", Lead::Piped),
        ("--passphrase-fd", Lead::Piped),
        ("-pass stdin", Lead::Piped),
        ("chpasswd", Lead::Piped),
        ("--with-token", Lead::Piped),
        ("passwd --stdin", Lead::Piped),
        ("identified by ", Lead::Sql),
        ("?key=", Lead::Query),
        ("&key=", Lead::Query),
        ("?appid=", Lead::Query),
        ("&appid=", Lead::Query),
        ("bearer\\ ", Lead::Bearer),
        ("basic\\ ", Lead::Basic),
        ("?code=", Lead::Query),
        ("&code=", Lead::Query),
        ("expect", Lead::State),
        ("\"d\":", Lead::Jwk),
    ] {
        add(key, lead);
    }
    #[allow(
        clippy::expect_used,
        reason = "the keywords are constant and few; a test builds them"
    )]
    let search = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&keys)
        .expect("constant keywords");
    Tables { search, leads }
});

/// Builds the tables.
pub(super) fn prepare() {
    LazyLock::force(&TABLES);
}

/// A change to a block: `start..end` becomes `text`.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: Vec<u8>,
}

/// What is carried from line to line.
#[derive(Default)]
pub(super) struct Engine {
    open: Option<Open>,
    /// The line end before the next line, when an open block has swallowed it.
    newline: Vec<u8>,
    /// What the lines before say about the next.
    follow: Follow,
}

impl Engine {
    /// Scans whole lines (the last one may lack its end only when nothing follows) and appends the
    /// edits that make them clean, in order.
    pub(super) fn feed(&mut self, block: &[u8], edits: &mut Vec<Edit>, report: &mut Report) {
        let tables = &*TABLES;
        let mut pos = 0;
        let mut word = Ahead::Unknown;
        let mut long = Ahead::Unknown;
        while pos < block.len() {
            let mut start = pos;
            if self.open.is_none() && self.follow.is_idle() {
                let word = word.at_or_after(pos, || {
                    tables
                        .search
                        .find(Input::new(block).range(pos..).earliest(true))
                        .map(|m| m.end() - 1)
                });
                let long = long.at_or_after(pos, || bare::next(block, pos));
                let Some(hit) = word.into_iter().chain(long).min() else {
                    return;
                };
                start = memchr::memrchr(b'\n', sub(block, pos, hit)).map_or(pos, |p| pos + p + 1);
            }
            let end = memchr::memchr(b'\n', sub(block, start, block.len()))
                .map_or(block.len(), |p| start + p);
            let next = (end + 1).min(block.len());
            self.line(block, start, end, next, edits, report);
            pos = next;
        }
    }

    /// What is still owed at the end of the text.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.open = None;
        self.follow = Follow::default();
        std::mem::take(&mut self.newline)
    }

    fn line(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        next: usize,
        edits: &mut Vec<Edit>,
        report: &mut Report,
    ) {
        let mut from = start;
        if let Some(open) = self.open {
            let (step, after) = open.step(sub(block, start, end));
            self.open = after;
            match step {
                Step::Swallow => {
                    self.newline = sub(block, end, next).to_vec();
                    edits.push(Edit {
                        start,
                        end: next,
                        text: Vec::new(),
                    });
                    return;
                }
                Step::EndAt(at) => {
                    self.newline.clear();
                    edits.push(Edit {
                        start,
                        end: start + at,
                        text: Vec::new(),
                    });
                    from = start + at;
                }
                Step::Closed => {
                    let text = std::mem::take(&mut self.newline);
                    if !text.is_empty() {
                        edits.push(Edit {
                            start,
                            end: start,
                            text,
                        });
                    }
                }
                Step::Begin(a, _) => {
                    let head = sub(block, start, start + a);
                    let mut text = rewrite(head, &Follow::default(), &mut None, report)
                        .unwrap_or_else(|| head.to_vec());
                    report.add(kind::PRIVATE_KEY, "private-key");
                    text.extend_from_slice(&marker(kind::PRIVATE_KEY));
                    self.newline = sub(block, end, next).to_vec();
                    edits.push(Edit {
                        start,
                        end: next,
                        text,
                    });
                    return;
                }
            }
        }
        let follow = std::mem::take(&mut self.follow);
        let original = sub(block, from, end);
        let mut open = None;
        let text = rewrite(original, &follow, &mut open, report);
        // From the clean line, so that the clean text leads to the same states.
        self.follow = follow.after(text.as_deref().unwrap_or(original));
        if open.is_some() {
            self.open = open;
        }
        let swallow = matches!(open, Some(Open::Block { .. }));
        if swallow {
            self.newline = sub(block, end, next).to_vec();
        }
        if let Some(text) = text {
            edits.push(Edit {
                start: from,
                end: if swallow { next } else { end },
                text,
            });
        }
    }
}

/// A position that was searched for ahead and stays valid until it is passed.
#[derive(Clone, Copy)]
enum Ahead {
    Unknown,
    At(usize),
    None,
}

impl Ahead {
    fn at_or_after(&mut self, pos: usize, search: impl FnOnce() -> Option<usize>) -> Option<usize> {
        match *self {
            Self::At(p) if p >= pos => return Some(p),
            Self::None => return None,
            _ => {}
        }
        let found = search();
        *self = found.map_or(Self::None, Self::At);
        found
    }
}

/// Replaces until nothing more is found, so that a second scrubbing finds nothing either.
fn rewrite(
    line: &[u8],
    follow: &Follow,
    open: &mut Option<Open>,
    report: &mut Report,
) -> Option<Vec<u8>> {
    let mut text: Option<Vec<u8>> = None;
    for _ in 0..8 {
        let current = text.as_deref().unwrap_or(line);
        let mut left = None;
        let spans = spans(current, follow, &mut left);
        if left.is_some() {
            *open = left;
        }
        if spans.is_empty() {
            break;
        }
        text = Some(replace(current, &spans, report));
    }
    text
}

/// The text with its findings replaced.
pub(super) fn replace(text: &[u8], spans: &[Span], report: &mut Report) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.extend_from_slice(sub(text, from, span.start));
        out.extend_from_slice(&marker(span.kind));
        report.add(span.kind, span.rule);
        from = span.end;
    }
    out.extend_from_slice(sub(text, from, text.len()));
    out
}

pub(super) fn marker(kind: &str) -> Vec<u8> {
    [kind::OPEN, kind.as_bytes(), b"]"].concat()
}

/// All findings of one line, in order, none overlapping another.
pub(super) fn spans(text: &[u8], follow: &Follow, open: &mut Option<Open>) -> Vec<Span> {
    let tables = &*TABLES;
    let mut line = Line::new(text);
    follow.apply(&mut line);
    for hit in tables.search.find_overlapping_iter(text) {
        if line.in_marker(hit.start()) {
            continue;
        }
        let (start, end) = (hit.start(), hit.end());
        match tables.leads.get(hit.pattern().as_usize()) {
            Some(Lead::Rule(i)) => {
                let Some(rule) = RULES.get(*i) else { continue };
                // `db-AIDA…` is another provider's identifier
                let inside =
                    rule.kind == kind::ACCESS_KEY && super::bytes::before(text, start) == b'-';
                if !inside && let Some((s, e)) = rule.matches(text, start) {
                    line.add(s, e, rule.kind, rule.id);
                    if rule.kind == kind::ACCESS_KEY {
                        bare::aws_pair(&mut line, e);
                    }
                }
            }
            Some(Lead::Word) => assign::analyse(&mut line, start, end),
            Some(Lead::Url) => url::analyse(&mut line, start),
            Some(Lead::Key) => {
                if let Some(left) = pem::analyse(&mut line, start) {
                    *open = Some(left);
                }
            }
            Some(Lead::Command) => command::analyse(&mut line, start),
            Some(Lead::Bearer) => header::payload(&mut line, end, "bearer", false),
            Some(Lead::Basic) => header::payload(&mut line, end, "basic", false),
            Some(Lead::Jwt) => bare::jwt(&mut line, start),
            Some(Lead::Telegram) => bare::telegram(&mut line, start),
            Some(Lead::Mailchimp) => bare::mailchimp(&mut line, start),
            Some(Lead::Atlas) => bare::atlas(&mut line, start, end),
            Some(Lead::Azure) => bare::azure(&mut line, start),
            Some(Lead::Tcp) => url::before_tcp(&mut line, start),
            Some(Lead::Oracle) => url::oracle(&mut line, end),
            Some(Lead::Port) => url::pgpass(&mut line, start + 1),
            Some(Lead::Pass) => command::openssl_pass(&mut line, start, end),
            Some(Lead::Piped) => command::piped(&mut line, start),
            Some(Lead::Sql) => header::phrase_value(&mut line, end),
            Some(Lead::Query) => assign::query_key(&mut line, end),
            Some(Lead::Jwk) => assign::jwk(&mut line, end),
            Some(Lead::Call(i)) => call::analyse(&mut line, *i, end),
            Some(Lead::Login) => prose::login_pair(&mut line, end),
            Some(Lead::Codes) => prose::codes(&mut line, end),
            Some(Lead::Setup) => prose::setup_key(&mut line, end),
            Some(Lead::BareKey) => prose::bare_key(&mut line, start),
            Some(Lead::Placed(i)) => command::placed(&mut line, *i, start),
            Some(Lead::Echo) => command::echoed(&mut line, end),
            Some(Lead::CookieFile) => prose::cookie_file(&mut line),
            Some(Lead::Setuser) => command::setuser(&mut line, end),
            Some(Lead::Known) => prose::known_pair(&mut line, end - 1, 1),
            Some(Lead::Wallet) => header::quoted_seed(&mut line, end),
            Some(Lead::Wifi) => prose::wifi(&mut line, end),
            Some(Lead::Pair) => prose::known_pair(&mut line, start, 3),
            Some(Lead::Community) => assign::community(&mut line, start, end),
            Some(Lead::State) | None => {}
        }
    }
    bare::scan(&mut line);
    line.merged()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_small() {
        let start = std::time::Instant::now();
        let bytes = TABLES.search.memory_usage();
        eprintln!(
            "{} keywords, {bytes} bytes, {:?}",
            TABLES.leads.len(),
            start.elapsed()
        );
        assert!(bytes < 2 << 20);
    }
}
