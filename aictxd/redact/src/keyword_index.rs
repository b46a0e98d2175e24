//! The keyword search over a line: which keyword leads to which analyser.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, Input, MatchKind};

use super::line::{Line, Span};
use super::multiline::Follow;
use super::pem::Open;
use super::token_format::RULES;
use super::{
    account_list, assignment, auth_header, cli_password, cli_password_table, encoded,
    keyless_tokens, known_calls, login_sentence, marker, one_time_code, pem, proximity,
    secret_sentence, sql_rows, url,
};

/// Rule family that a keyword leads to.
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
    /// A command that stores secrets by name.
    Stored,
    /// A flag in a list of arguments in quotes.
    Listed,
    /// Words for a code that is good once.
    OneTime,
    /// Words between such a code and what it is.
    IsYours,
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
    /// The end of a mail address, and what may be its password.
    Mail,
    /// Text typed by a script.
    Send,
    /// A value that a log must not show.
    Mask,
    /// `I set it to x for the password of …`
    SetTo,
    /// A statement that writes rows.
    Insert,
    /// The word for password in another language.
    Foreign,
    /// The place of a secret in quotes in a file of secrets.
    Quoted,
    /// A function that encodes a user and a password.
    Encoded,
    /// The address of an authenticator.
    Otp,
    /// A user and a password behind a word.
    Static,
    /// A line that speaks of an account.
    Account,
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
    "pw?",
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
    "honeycomb-team",
    "connect.sid",
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
        if !keyless_tokens::is_bare(rule) {
            add(head(rule.key, MAX_KEY), Lead::Rule(i));
        }
    }
    for word in WORDS {
        add(word, Lead::Word);
    }
    for key in cli_password_table::KEYS {
        add(key, Lead::Command);
    }
    for (key, i) in known_calls::keys() {
        add(tail(key, MAX_KEY), Lead::Call(i));
    }
    for (key, i) in cli_password::places() {
        add(head(key, MAX_KEY), Lead::Placed(i));
    }
    for key in account_list::MAILS {
        add(key, Lead::Mail);
    }
    for key in cli_password_table::STORES {
        add(key, Lead::Stored);
    }
    for key in one_time_code::NAMES {
        add(key, Lead::OneTime);
    }
    for key in one_time_code::IS_YOURS {
        add(key, Lead::IsYours);
    }
    for (key, lead) in [
        ("otpauth://", Lead::Otp),
        ("', '-", Lead::Listed),
        ("','-", Lead::Listed),
        ("' '-", Lead::Listed),
        ("\", \"-", Lead::Listed),
        ("\",\"-", Lead::Listed),
        ("\" \"-", Lead::Listed),
        ("\\\", \\\"-", Lead::Listed),
        ("\\\",\\\"-", Lead::Listed),
        // Equals sign and colon in addresses and forms, looked at by `encoded`
        ("%3d", Lead::State),
        ("%3a", Lead::State),
        ("pass insert ", Lead::Piped),
        ("env add ", Lead::Piped),
        ("phrase", Lead::State),
        ("seed:", Lead::Wallet),
        ("seed is", Lead::Wallet),
        ("words:", Lead::Wallet),
        ("phrase is", Lead::Wallet),
        ("seed words", Lead::Wallet),
        ("key content", Lead::Foreign),
        ("static:", Lead::Static),
        ("insert into ", Lead::Insert),
        ("contrase", Lead::Foreign),
        ("mot de passe", Lead::Foreign),
        ("passord", Lead::Foreign),
        ("salasana", Lead::Foreign),
        ("adgangskode", Lead::Foreign),
        ("parola", Lead::Foreign),
        ("palavra-passe", Lead::Foreign),
        ("la clave", Lead::Foreign),
        ("clave:", Lead::Foreign),
        ("contrasenya", Lead::Foreign),
        ("kodeord", Lead::Foreign),
        ("wagwoord", Lead::Foreign),
        ("heslo", Lead::Foreign),
        ("lozinka", Lead::Foreign),
        ("kata sandi", Lead::Foreign),
        (" : eap ", Lead::Quoted),
        (" : xauth ", Lead::Quoted),
        (" : psk ", Lead::Quoted),
        ("\" * \"", Lead::Quoted),
        ("btoa(", Lead::Encoded),
        ("b64encode(", Lead::Encoded),
        ("base64_encode(", Lead::Encoded),
        ("wifi", Lead::Account),
        ("wi-fi", Lead::Account),
        ("root,", Lead::Account),
        ("ssh ", Lead::Account),
        ("try with ", Lead::Account),
        ("send ", Lead::Send),
        ("::add-mask::", Lead::Mask),
        ("$ ", Lead::State),
        ("use this", Lead::State),
        ("here is", Lead::State),
        ("here's", Lead::State),
        ("new one", Lead::State),
        ("this one", Lead::State),
        ("scratch code", Lead::Codes),
        ("emergency code", Lead::Codes),
        ("one-time code", Lead::Codes),
        ("set it to ", Lead::SetTo),
        ("changed it to ", Lead::SetTo),
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
        ("logging in", Lead::Login),
        ("logged in", Lead::Login),
        ("signing in", Lead::Login),
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
        ("password by ", Lead::Sql),
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

/// Words for password that are not written in ASCII. They have a search of their own: the bytes of
/// so many scripts would double the table of the other one.
const ABROAD: &[&str] = &[
    "парол",
    "Парол",
    "ПАРОЛЬ",
    "лозинка",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
    "รหัสผ่าน",
    "סיסמ",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
    "κωδικ",
    "Κωδικ",
    "hasło",
    "Hasło",
    "hasła",
    "şifre",
    "Şifre",
    "lösenord",
    "Lösenord",
    "jelszó",
    "Jelszó",
    "mật khẩu",
    "Mật khẩu",
];

/// Few and without regard to case, so that whole vectors are compared at once.
static ABROAD_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasickBuilder::new()
        .match_kind(MatchKind::LeftmostFirst)
        .build(ABROAD)
        .ok()
});

/// Builds the tables.
pub(super) fn prepare() {
    LazyLock::force(&TABLES);
    LazyLock::force(&ABROAD_SEARCH);
}

/// The end of the first word for password in another script from `from` on.
pub(super) fn next_abroad(block: &[u8], from: usize) -> Option<usize> {
    let search = ABROAD_SEARCH.as_ref()?;
    search
        .find(Input::new(block).range(from..))
        .map(|m| m.end() - 1)
}

/// The end of the first keyword from `from` on.
pub(super) fn next(block: &[u8], from: usize) -> Option<usize> {
    TABLES
        .search
        .find(Input::new(block).range(from..).earliest(true))
        .map(|m| m.end() - 1)
}

/// All findings of one line, in order, none overlapping another.
pub(super) fn spans(text: &[u8], follow: &Follow, open: &mut Option<Open>) -> Vec<Span> {
    spans_within(text, follow, open, 0)
}

/// The findings of a text that stood encoded in another one, `depth` times.
pub(super) fn spans_within(
    text: &[u8],
    follow: &Follow,
    open: &mut Option<Open>,
    depth: usize,
) -> Vec<Span> {
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
                    rule.kind == marker::ACCESS_KEY && super::bytes::before(text, start) == b'-';
                if !inside && let Some((s, e)) = rule.matches(text, start) {
                    line.add(s, e, rule.kind, rule.id);
                    if rule.kind == marker::ACCESS_KEY {
                        keyless_tokens::aws_pair(&mut line, e);
                    }
                }
            }
            Some(Lead::Word) => {
                assignment::analyse(&mut line, start, end);
                if matches!(super::bytes::at(text, start), b'p' | b'P' | b'c' | b'C') {
                    login_sentence::accounts(&mut line);
                }
            }
            Some(Lead::Url) => url::analyse(&mut line, start),
            Some(Lead::Key) => {
                if let Some(left) = pem::analyse(&mut line, start) {
                    *open = Some(left);
                }
            }
            Some(Lead::Command) => cli_password::analyse(&mut line, start),
            Some(Lead::Bearer) => auth_header::payload(&mut line, end, "bearer", false),
            Some(Lead::Basic) => auth_header::payload(&mut line, end, "basic", false),
            Some(Lead::Jwt) => keyless_tokens::jwt(&mut line, start),
            Some(Lead::Telegram) => keyless_tokens::telegram(&mut line, start),
            Some(Lead::Mailchimp) => keyless_tokens::mailchimp(&mut line, start),
            Some(Lead::Atlas) => keyless_tokens::atlas(&mut line, start, end),
            Some(Lead::Azure) => keyless_tokens::azure(&mut line, start),
            Some(Lead::Tcp) => url::before_tcp(&mut line, start),
            Some(Lead::Oracle) => url::oracle(&mut line, end),
            Some(Lead::Port) => url::pgpass(&mut line, start + 1),
            Some(Lead::Pass) => cli_password::openssl_pass(&mut line, start, end),
            Some(Lead::Piped) => cli_password::piped(&mut line, start),
            Some(Lead::Sql) => auth_header::phrase_value(&mut line, end),
            Some(Lead::Query) => proximity::query_key(&mut line, end),
            Some(Lead::Jwk) => proximity::jwk(&mut line, end),
            Some(Lead::Call(i)) => known_calls::analyse(&mut line, *i, end),
            Some(Lead::Login) => {
                login_sentence::login_pair(&mut line, end);
                login_sentence::accounts(&mut line);
            }
            Some(Lead::Codes) => secret_sentence::codes(&mut line, end),
            Some(Lead::Setup) => secret_sentence::setup_key(&mut line, end),
            Some(Lead::BareKey) => secret_sentence::bare_key(&mut line, start),
            Some(Lead::Placed(i)) => cli_password::placed(&mut line, *i, start),
            Some(Lead::Stored) => cli_password::stored(&mut line, end),
            Some(Lead::Listed) => cli_password::listed(&mut line, start),
            Some(Lead::OneTime) => one_time_code::named(&mut line, start, end),
            Some(Lead::IsYours) => one_time_code::yours(&mut line, start, end),
            Some(Lead::Echo) => cli_password::echoed(&mut line, end),
            Some(Lead::CookieFile) => secret_sentence::cookie_file(&mut line),
            Some(Lead::Setuser) => cli_password::setuser(&mut line, end),
            Some(Lead::Known) => login_sentence::known_pair(&mut line, end - 1, 1),
            Some(Lead::Wallet) => auth_header::quoted_seed(&mut line, end),
            Some(Lead::Wifi) => secret_sentence::wifi(&mut line, end),
            Some(Lead::Pair) => login_sentence::known_pair(&mut line, start, 3),
            Some(Lead::Community) => proximity::community(&mut line, start, end),
            Some(Lead::Mail) => account_list::combo(&mut line, end),
            Some(Lead::Send) => secret_sentence::sent(&mut line, start, end),
            Some(Lead::Mask) => cli_password::masked(&mut line, end),
            Some(Lead::SetTo) => login_sentence::set_to(&mut line, end),
            Some(Lead::Insert) => sql_rows::insert(&mut line, end),
            Some(Lead::Foreign) => secret_sentence::foreign(&mut line, end),
            Some(Lead::Quoted) => secret_sentence::quoted(&mut line, end),
            Some(Lead::Encoded) => secret_sentence::encoded(&mut line, end),
            Some(Lead::Otp) => url::otpauth(&mut line, end),
            Some(Lead::Static) => account_list::fixed(&mut line, end),
            Some(Lead::Account) => login_sentence::accounts(&mut line),
            Some(Lead::State) | None => {}
        }
    }
    if !text.is_ascii()
        && let Some(search) = ABROAD_SEARCH.as_ref()
    {
        for hit in search.find_iter(text) {
            secret_sentence::foreign(&mut line, hit.end());
        }
    }
    keyless_tokens::scan(&mut line, depth);
    encoded::views(&mut line, depth);
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
        assert!(bytes < 3 << 20);
    }
}
