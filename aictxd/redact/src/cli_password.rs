//! Passwords as arguments of well-known commands, which have no telling flag name.

use super::bytes::{at, before, blanks, has_ci, looking_at, run, run_back, sub};
use super::cli_password_table::{COMMANDS, Flag, PLACES, Take};
use super::line::Line;
use super::marker::{CREDENTIAL, PASSWORD};
use super::text_kind::looks_placeholder;

/// The keywords of commands with a place, with their index.
pub(super) fn places() -> impl Iterator<Item = (&'static str, usize)> {
    PLACES.iter().enumerate().map(|(i, p)| (p.0, i))
}

/// `fly secrets set A=x B=y`: every `name=value` of a command that stores secrets, whatever its name
/// is. The arguments begin at `i`.
pub(super) fn stored(line: &mut Line, i: usize) {
    let b = line.bytes;
    let mut plain = 0;
    for (s, e) in arguments(b, i) {
        let name = run(b, s, e - s, super::bytes::is_name);
        if at(b, s) == b'-' {
            continue;
        }
        if name > s && at(b, name) == b'=' {
            take(line, s, e, Take::After(b'='), PASSWORD);
            continue;
        }
        // A path may stand before them; two words are a sentence.
        plain += 1;
        if plain > 1 {
            return;
        }
    }
}

/// Looks at the arguments of command `which`, which begins at `start`.
pub(super) fn placed(line: &mut Line, which: usize, start: usize) {
    let Some(&(text, place)) = PLACES.get(which) else {
        return;
    };
    let b = line.bytes;
    let i = start + text.len();
    if !sub(b, start, i).eq_ignore_ascii_case(text.as_bytes()) {
        return;
    }
    // `http-basic.name` goes on; it is argument 0
    let from = run_back(b, i, 24, |c| !c.is_ascii_whitespace());
    let args = arguments(b, if before(b, i) == b' ' { i } else { from });
    let mut plain = args.iter().filter(|&&(s, _)| at(b, s) != b'-');
    // `secrets set A=x B=y` is looked at by pairs.
    let paired =
        |&(s, e): &(usize, usize)| text.ends_with("secrets set ") && sub(b, s, e).contains(&b'=');
    if let Some(&(s, e)) = plain.nth(place)
        && !paired(&(s, e))
    {
        take(line, s, e, Take::Whole, PASSWORD);
    }
}

/// `ACL SETUSER bob on >password`: the user begins at `i`.
pub(super) fn setuser(line: &mut Line, i: usize) {
    let b = line.bytes;
    for (s, e) in arguments(b, i) {
        if at(b, s) == b'>' {
            take(line, s + 1, e, Take::Whole, PASSWORD);
        }
    }
}

/// `echo x > .vault_pass`: the text behind `echo ` begins at `i`.
pub(super) fn echoed(line: &mut Line, i: usize) {
    let b = line.bytes;
    let stop = run(b, i, 512, |c| c != b'>');
    if at(b, stop) != b'>' {
        return;
    }
    let s = run(b, stop, 4, |c| matches!(c, b'>' | b' '));
    let e = run(b, s, 128, |c| c.is_ascii_graphic());
    let file = sub(b, s, e);
    let file = file.rsplit(|c| *c == b'/').next().unwrap_or_default();
    if ![
        "pass", "secret", "token", "cred", ".key", "apikey", "api_key",
    ]
    .iter()
    .any(|w| has_ci(file, w))
    {
        return;
    }
    let args = arguments(sub(b, 0, stop), i);
    let Some(&(s, e)) = args.iter().rfind(|&&(s, _)| at(b, s) != b'-') else {
        return;
    };
    let v = sub(b, s, e);
    // A line of `.pgpass` is looked at as one
    if v.iter().all(u8::is_ascii_graphic)
        && !v.contains(&b':')
        && super::secret_sentence::is_strong(v)
    {
        take(line, s, e, Take::Whole, PASSWORD);
    }
}

/// The words of a command from `i` on: ranges without their quotes. Ends at a pipe or a semicolon.
fn arguments(b: &[u8], mut i: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    while out.len() < 64 {
        i = blanks(b, i, 256);
        let c = at(b, i);
        if i >= b.len() || matches!(c, b'|' | b';' | b'&' | b')' | b'`') {
            break;
        }
        if matches!(c, b'\'' | b'"') {
            let end = run(b, i + 1, 4096, |d| d != c);
            out.push((i + 1, end));
            i = run(b, end + 1, 4096, |c| !c.is_ascii_whitespace());
        } else {
            let end = run(b, i, 4096, |c| {
                !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'' | b'`' | b'|' | b';')
            });
            if end == i {
                break;
            }
            // -p'secret', --user="a:b"
            if matches!(at(b, end), b'"' | b'\'') {
                let quote = at(b, end);
                let close = run(b, end + 1, 4096, |d| d != quote);
                out.push((i, close));
                i = close + 1;
            } else {
                // `[mysql -px]`
                let word = sub(b, i, end);
                let closes = word.ends_with(b"]") && !word.contains(&b'[');
                out.push((i, end - usize::from(closes)));
                i = end;
            }
        }
    }
    out
}

/// A value no one typed in: a variable, a place, a file.
pub(super) fn is_stand_in(v: &[u8]) -> bool {
    let first = at(v, 0);
    // A document is written out.
    let document = first == b'{' && v.contains(&b'"');
    v.iter().all(|c| matches!(c, b'\\' | b'\'' | b'"'))
        || looks_placeholder(v)
            && !v.eq_ignore_ascii_case(b"secret")
            && !v.eq_ignore_ascii_case(b"pass")
            && !v.eq_ignore_ascii_case(b"password")
        || v.windows(3).any(|w| w == b"://")
        || !document && matches!(first, b'$' | b'<' | b'{' | b'`' | b'-' | b'%' | b'[')
        || v.windows(2).any(|w| w == b"${" || w == b"{{" || w == b"$(")
        || (v.len() > 2 && v.iter().all(|c| c.is_ascii_uppercase() || *c == b'_'))
        || super::benign_words::is_common(v)
            && !v.eq_ignore_ascii_case(b"secret")
            && !v.eq_ignore_ascii_case(b"password")
}

/// Looks at the command whose name contains the keyword at `hit`.
pub(super) fn analyse(line: &mut Line, hit: usize) {
    let b = line.bytes;
    let prev = before(b, hit);
    let path = prev == b'/' && hit >= 2 && before(b, hit - 1) != b'/';
    if !(prev == 0
        || prev.is_ascii_whitespace()
        || path
        || matches!(
            prev,
            b'"' | b'\''
                | b'`'
                | b'('
                | b'['
                | b'|'
                | b';'
                | b'&'
                | b'$'
                | b'.'
                | b'n'
                | b'u'
                | b':'
        ))
    {
        return;
    }
    let end = run(b, hit, 24, |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')
    });
    let word = sub(b, hit, end);
    match at(b, end) {
        b' ' | b'\t' => judge_all(line, word, &arguments(b, end)),
        b',' => judge_all(line, word, &words(b, end)),
        _ => {}
    }
}

/// Looks at the arguments of a program, which end where the next command begins.
fn judge_all(line: &mut Line, program: &[u8], args: &[(usize, usize)]) {
    for (command, needs, flags) in COMMANDS.iter().filter(|c| c.0.as_bytes() == program) {
        judge(line, command, needs, flags, args);
    }
}

/// The arguments of a command that the line before left open.
pub(super) fn go_on(line: &mut Line, which: usize) {
    if let Some((command, _, flags)) = COMMANDS.get(which) {
        let args = arguments(line.bytes, 0);
        judge(line, command, "", flags, &args);
    }
}

/// The longest string in a list of arguments, and the longest list, in bytes.
const MAX_STRING: usize = 1024;
const MAX_LIST: usize = 4096;

/// `['mysql', '-u', 'root', '-px']`, `"mysql" "-px"`: programs and arguments as other programs print
/// lists of them. At `i` ends the string before a flag.
pub(super) fn listed(line: &mut Line, i: usize) {
    let b = line.bytes;
    if i < line.lists_done {
        return;
    }
    // In a document quotes are escaped, as often as it is within another one.
    let quote = run(b, i, 8, |c| c == b'\\');
    let sign = sub(b, i, quote + 1);
    let mut open = i;
    while let Some(found) =
        memchr::memmem::rfind(sub(b, open.saturating_sub(MAX_STRING), open), sign)
    {
        let string = open.saturating_sub(MAX_STRING) + found;
        let end = run_back(b, string, 4, is_between);
        open = end.saturating_sub(sign.len());
        // In `Command '['mysql', …` the first quote belongs to the sentence.
        let begins =
            at(b, string.saturating_sub(1)) == b'[' && !sub(b, end, string).contains(&b',');
        if end == string || begins || sub(b, open, end) != sign || i - open > MAX_LIST {
            open = string;
            break;
        }
    }
    let (args, end) = elements(b, open);
    line.lists_done = end;
    for (k, &(s, e)) in args.iter().enumerate() {
        let program = sub(b, s, e).rsplit(|c| *c == b'/').next();
        let behind = args.get(k + 1..).unwrap_or_default();
        judge_all(line, program.unwrap_or_default(), behind);
    }
}

/// The strings in quotes from `i` on, with nothing but commas and names of variables between them,
/// and where they end. Of a variable there is an empty range.
fn elements(b: &[u8], mut i: usize) -> (Vec<(usize, usize)>, usize) {
    let mut out = Vec::new();
    let limit = b.len().min(i + MAX_LIST);
    while out.len() < 64 && i < limit {
        let open = run(b, i, 8, |c| c == b'\\');
        if matches!(at(b, open), b'"' | b'\'') {
            let sign = sub(b, i, open + 1);
            let from = open + 1;
            let Some(length) = memchr::memmem::find(sub(b, from, from + MAX_STRING), sign) else {
                break;
            };
            out.push((from, from + length));
            i = from + length + sign.len();
        } else {
            let name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.');
            let end = run(b, i, 64, name);
            if end == i || at(b, end) != b',' {
                break;
            }
            out.push((i, i));
            i = end;
        }
        i = run(b, i, 8, is_between);
    }
    (out, i)
}

/// Returns true for a byte between the strings of a list; `spawn('mysql', ['-px'])` has a list in a list.
fn is_between(c: u8) -> bool {
    matches!(c, b',' | b' ' | b'[')
}

/// `[mysql, -u, root, -px]`: the words from the comma at `i` on.
fn words(b: &[u8], mut i: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    while at(b, i) == b',' && out.len() < 64 {
        let s = blanks(b, i + 1, 4);
        i = run(b, s, MAX_STRING, |c| {
            !c.is_ascii_whitespace() && !matches!(c, b',' | b']')
        });
        out.push((s, i));
    }
    out
}

/// The last command of the line whose arguments may go on behind a line continuation.
pub(super) fn found(b: &[u8]) -> Option<usize> {
    let mut words = sub(b, 0, 1024)
        .split(|c| c.is_ascii_whitespace() || matches!(c, b'|' | b';' | b'&' | b'(' | b'`'))
        .filter(|w| !w.is_empty());
    let mut out = None;
    while let Some(word) = words.next() {
        let word = word.rsplit(|c| *c == b'/').next().unwrap_or_default();
        let fits =
            |needs: &str| needs.is_empty() || words.clone().take(4).any(|w| w == needs.as_bytes());
        if let Some(i) = COMMANDS
            .iter()
            .position(|c| c.0.as_bytes() == word && fits(c.1))
        {
            out = Some(i);
        }
    }
    out
}

/// Looks at the arguments of one row of the table.
fn judge(line: &mut Line, command: &str, needs: &str, flags: &[Flag], args: &[(usize, usize)]) {
    let b = line.bytes;
    let text = |i: usize| args.get(i).map_or(&b""[..], |&(s, e)| sub(b, s, e));
    if !needs.is_empty() && !(0..6).any(|i| text(i) == needs.as_bytes()) {
        return;
    }
    match command {
        "sqlplus" | "sqlldr" | "expdp" | "impdp" => {
            // user/password@service
            if let Some(&(s, e)) = args.iter().find(|&&(s, _)| at(b, s) != b'-') {
                let stop = run(b, s, e - s, |c| c != b'@');
                if at(b, s) == b'/' {
                    return;
                }
                take(line, s, stop, Take::After(b'/'), PASSWORD);
            }
            return;
        }
        "htpasswd" => {
            let batch = (0..args.len()).any(|i| {
                let a = text(i);
                a.starts_with(b"-") && !a.starts_with(b"--") && a.contains(&b'b')
            });
            let plain: Vec<_> = args.iter().filter(|&&(s, _)| at(b, s) != b'-').collect();
            if let (true, Some(&&(s, e))) = (batch && plain.len() >= 2, plain.last()) {
                take(line, s, e, Take::Whole, PASSWORD);
            }
            return;
        }
        "bundle" => {
            if let Some(&(s, e)) = args.last()
                && text(0) == b"config"
                && (3..=5).contains(&args.len())
                && !sub(b, s, e).contains(&b'/')
            {
                take(line, s, e, Take::After(b':'), PASSWORD);
            }
            return;
        }
        "net" if text(0) == b"user" => {
            // net user name password /add
            if let Some(&(s, e)) = args.get(2)
                && !text(2).starts_with(b"/")
            {
                take(line, s, e, Take::Whole, PASSWORD);
            }
            return;
        }
        "net" => {
            // net use Z: \\host\share /user:name password
            let user = (0..args.len()).find(|&i| text(i).starts_with(b"/user:"));
            if let Some(&(s, e)) = user.and_then(|i| args.get(i + 1)) {
                take(line, s, e, Take::Whole, PASSWORD);
                return;
            }
        }
        "wpa_passphrase" => {
            if let Some(&(s, e)) = args.get(1) {
                take(line, s, e, Take::Whole, PASSWORD);
            }
            return;
        }
        _ => {}
    }
    for (i, &(s, e)) in args.iter().enumerate() {
        for flag in flags {
            let f = flag.flag.as_bytes();
            if flag.apart && sub(b, s, e) == f {
                if let Some(&(vs, ve)) = args.get(i + 1) {
                    // A parameter is a secret when it says so or looks like one.
                    let open = command == "aws"
                        && f == b"--value"
                        && !(0..args.len()).any(|k| text(k) == b"SecureString");
                    if !open || super::secret_sentence::is_strong(sub(b, vs, ve)) {
                        take(line, vs, ve, flag.take, PASSWORD);
                    }
                }
            } else if f.starts_with(b"--") && looking_at(b, s, f) && at(b, s + f.len()) == b'=' {
                let vs = run(b, s + f.len() + 1, 1, |c| matches!(c, b'\'' | b'"'));
                take(line, vs, e, flag.take, PASSWORD);
            } else if flag.attached
                && looking_at(b, s, f)
                && e > s + f.len()
                && !f.starts_with(b"--")
            {
                let vs = run(b, s + f.len(), 1, |c| matches!(c, b'=' | b'\'' | b'"'));
                let rest = sub(b, vs, e);
                // `-path`, `-proxy`: long options with one dash
                let option = rest.len() >= 3
                    && rest.iter().all(|c| c.is_ascii_lowercase() || *c == b'-')
                    && matches!(command, "curl" | "docker" | "zip" | "unzip" | "az");
                if !option {
                    take(line, vs, e, flag.take, PASSWORD);
                }
            }
        }
    }
}

fn take(line: &mut Line, start: usize, end: usize, what: Take, kind: &'static str) {
    let v = sub(line.bytes, start, end);
    match what {
        Take::Whole => {
            if !is_stand_in(v) {
                line.add(start, end, kind, "command-password");
            }
        }
        Take::Cookies => super::auth_header::cookies(line, start, end),
        Take::After(sign) => {
            if let Some(p) = v.iter().position(|&c| c == sign) {
                let rest = v.get(p + 1..).unwrap_or_default();
                let user = v.get(..p).unwrap_or_default();
                let names = matches!(user, b"user" | b"username" | b"USER" | b"<user>")
                    && looks_placeholder(rest);
                if !is_stand_in(rest) && !names && !v.starts_with(b"$") {
                    line.add(start + p + 1, end, CREDENTIAL, "command-credential");
                }
            }
        }
    }
}

/// `… -passin pass:x`: the word at `start`, the value at `i`.
pub(super) fn openssl_pass(line: &mut Line, start: usize, i: usize) {
    let b = line.bytes;
    let flag = looking_at(b, start.saturating_sub(3), b"in ")
        || looking_at(b, start.saturating_sub(4), b"out ");
    if !flag && !has_ci(sub(b, start.saturating_sub(512), start), "openssl") {
        return;
    }
    let end = run(b, i, 512, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'' | b'`')
    });
    take(line, i, end, Take::Whole, PASSWORD);
}

/// Largest distance of a here-string behind its reader, in bytes.
const MAX_HERE: usize = 128;

/// `echo x | sudo -S`, `echo x | docker login --password-stdin`, `chpasswd <<< x`: the reader is at `i`.
pub(super) fn piped(line: &mut Line, i: usize) {
    let b = line.bytes;
    let behind = sub(b, i, i + MAX_HERE);
    let stop = run(behind, 1, MAX_HERE, |c| !matches!(c, b'|' | b';' | b'&'));
    if let Some(here) = memchr::memmem::find(sub(behind, 0, stop), b"<<<")
        && let Some(&(s, e)) = arguments(b, i + here + 3).first()
    {
        take(line, s, e, Take::Whole, PASSWORD);
    }
    let base = i.saturating_sub(1024);
    let head = sub(b, base, i + 1);
    let Some(pipe) = head.iter().rposition(|&c| c == b'|').map(|p| p + base) else {
        return;
    };
    let Some(echo) = ["echo ", "printf "]
        .iter()
        .filter_map(|w| {
            memchr::memmem::rfind(sub(b, base, pipe), w.as_bytes()).map(|p| base + p + w.len())
        })
        .max()
    else {
        return;
    };
    let args = arguments(b, echo);
    let Some(&(s, e)) = args
        .iter()
        .rfind(|&&(s, e)| !matches!(at(b, s), b'-' | b'%') && e <= pipe)
    else {
        return;
    };
    let tail = sub(b, pipe, i + 9);
    // Anything can be encoded; a password shows itself.
    let decodes = matches!(
        sub(b, i, i + 11),
        b"| base64 -d" | b"| base64 -D" | b"| base64 --"
    );
    if has_ci(tail, "base64") && (decodes || !super::secret_sentence::is_strong(sub(b, s, e))) {
        return;
    }
    let chpasswd = has_ci(tail, "chpasswd");
    take(
        line,
        s,
        e,
        if chpasswd {
            Take::After(b':')
        } else {
            Take::Whole
        },
        PASSWORD,
    );
}

/// `::add-mask::x`: the value is at `i`.
pub(super) fn masked(line: &mut Line, i: usize) {
    let end = run(line.bytes, i, 512, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'' | b'`')
    });
    take(line, i, end, Take::Whole, super::marker::SECRET);
}
