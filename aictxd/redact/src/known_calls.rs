//! Secrets as unnamed arguments of well-known functions: `jwt.sign(payload, "…")`.

use super::benign_words::is_common;
use super::bytes::{at, before, blanks, run, sub};
use super::line::Line;
use super::marker::{PASSWORD, SECRET};
use super::secret_name::Name;
use super::text_kind::{is_reference, looks_placeholder};
use super::value_bounds::value_at;
use super::value_kind::{Candidate, Tie, is_expression, is_secret};

/// The most bytes of a call that are looked at.
const MAX_CALL: usize = 1024;

/// Kind of argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arg {
    Password,
    Key,
}

/// Functions up to their opening parenthesis, in lower case; the places of the argument; what it is.
static CALLS: &[(&str, usize, Arg)] = &[
    ("jwt.sign(", 1, Arg::Key),
    ("jwt.verify(", 1, Arg::Key),
    ("jwt.encode(", 1, Arg::Key),
    ("jwt.decode(", 1, Arg::Key),
    ("jwt::encode(", 1, Arg::Key),
    ("jwt::decode(", 1, Arg::Key),
    ("createhmac(", 1, Arg::Key),
    ("signedstring(", 0, Arg::Key),
    ("hmac.new(", 0, Arg::Key),
    ("hash_hmac(", 2, Arg::Key),
    ("hmacsha256(", 1, Arg::Key),
    ("createcipheriv(", 1, Arg::Key),
    ("createdecipheriv(", 1, Arg::Key),
    ("openssl_encrypt(", 2, Arg::Key),
    ("openssl_decrypt(", 2, Arg::Key),
    ("aes.encrypt(", 1, Arg::Key),
    ("aes.decrypt(", 1, Arg::Key),
    ("aes.new(", 0, Arg::Key),
    ("fernet(", 0, Arg::Key),
    ("secretkeyspec(", 0, Arg::Key),
    ("hmackey(", 0, Arg::Key),
    ("hmacshakeyfor(", 0, Arg::Key),
    ("symmetricsecuritykey(", 0, Arg::Key),
    ("encodingkey::from_secret(", 0, Arg::Key),
    ("decodingkey::from_secret(", 0, Arg::Key),
    ("cookieparser(", 0, Arg::Key),
    ("newcookiestore(", 0, Arg::Key),
    ("algoliasearch(", 1, Arg::Key),
    ("twilio(", 1, Arg::Key),
    ("accounts: [", 0, Arg::Key),
    ("new wallet(", 0, Arg::Key),
    ("ethers.wallet(", 0, Arg::Key),
    ("setapikey(", 0, Arg::Key),
    ("set_api_key(", 0, Arg::Key),
    ("client.login(", 0, Arg::Key),
    ("bot.run(", 0, Arg::Key),
    ("client.run(", 0, Arg::Key),
    (".login(", 1, Arg::Password),
    ("basicauth(", 1, Arg::Password),
    ("basic_auth(", 1, Arg::Password),
    ("setbasicauth(", 1, Arg::Password),
    ("auth=(", 1, Arg::Password),
    ("auth = (", 1, Arg::Password),
    (".auth(", 1, Arg::Password),
    ("credential(", 1, Arg::Password),
    ("credentials(", 1, Arg::Password),
    ("credentials.create(", 1, Arg::Password),
    ("passwordauthentication(", 1, Arg::Password),
    ("passwordauthenticationtoken(", 1, Arg::Password),
    ("plainauth(", 2, Arg::Password),
    ("mysqli(", 2, Arg::Password),
    ("mysqli_connect(", 2, Arg::Password),
    ("new pdo(", 2, Arg::Password),
    ("getconnection(", 2, Arg::Password),
    ("pymysql.connect(", 2, Arg::Password),
    ("mysqldb.connect(", 2, Arg::Password),
    ("dbi->connect(", 2, Arg::Password),
    ("ftp_login(", 2, Arg::Password),
    ("create_superuser(", 2, Arg::Password),
    ("create_user(", 2, Arg::Password),
    ("bcrypt.hash(", 0, Arg::Password),
    ("bcrypt.hashsync(", 0, Arg::Password),
    ("bcrypt.compare(", 0, Arg::Password),
    ("password_hash(", 0, Arg::Password),
    ("make_password(", 0, Arg::Password),
    ("generate_password_hash(", 0, Arg::Password),
];

/// The keywords that the prefilter looks for, with their index.
pub(super) fn keys() -> impl Iterator<Item = (&'static str, usize)> {
    CALLS.iter().enumerate().map(|(i, c)| (c.0, i))
}

/// Looks at the arguments of call `which`, which begin at `i`.
pub(super) fn analyse(line: &mut Line, which: usize, i: usize) {
    let Some(&(key, place, what)) = CALLS.get(which) else {
        return;
    };
    let b = line.bytes;
    if !sub(b, i.saturating_sub(key.len()), i).eq_ignore_ascii_case(key.as_bytes()) {
        return;
    }
    // `CLIENT_AUTH = (`
    let word = i.saturating_sub(key.len());
    if key.starts_with("auth") && before(b, word) == b'_' {
        return;
    }
    let Some(start) = argument(b, i, place) else {
        return;
    };
    let Some((s, e, true)) = value_at(b, start, Tie::Call, false) else {
        return;
    };
    let v = sub(b, s, e);
    let c = Candidate {
        text: v,
        quoted: true,
        tie: Tie::Assign,
        upper_name: false,
        leads: false,
        next: 0,
        last: false,
    };
    let (secret, kind) = match what {
        Arg::Password => (is_secret(&c, Name::Password), PASSWORD),
        Arg::Key => (is_key(&c), SECRET),
    };
    if secret {
        line.add(s, e, kind, "argument");
    }
}

/// A literal that serves as a key. Long enough not to be the name of one.
fn is_key(c: &Candidate) -> bool {
    let v = c.text;
    let digits = v.iter().any(u8::is_ascii_digit);
    v.len() >= if digits { 8 } else { 12 }
        && v.iter().all(u8::is_ascii_graphic)
        && super::marker::markers(v).is_empty()
        && !looks_placeholder(v)
        && !is_common(v)
        && !is_expression(c)
        && !(is_reference(v) && v.contains(&b'/'))
}

/// Returns the start of argument `place` in a call whose first argument begins at `i`.
fn argument(b: &[u8], i: usize, place: usize) -> Option<usize> {
    let mut at_arg = 0;
    let mut depth = 0_usize;
    let mut j = i;
    while at_arg < place {
        if j >= b.len() || j > i + MAX_CALL {
            return None;
        }
        match at(b, j) {
            q @ (b'"' | b'\'' | b'`') => {
                // An apostrophe in a comment has no partner; the bound ends the search.
                j = run(b, j + 1, MAX_CALL, |c| c != q);
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => at_arg += 1,
            _ => {}
        }
        j += 1;
    }
    Some(blanks(b, j, 16))
}
