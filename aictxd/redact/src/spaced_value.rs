//! Names and values with nothing but words between them: flags and sentences.

use super::assignment::{Named, judge, judge_as};
use super::bytes::{at, before, blanks, has_ci, is_name, looking_at, run, sub};
use super::line::Line;
use super::secret_name::Name;
use super::value_kind::Tie;

/// Only blanks between name and value, or a verb.
pub(super) fn spaced(line: &mut Line, n: &Named, i: usize) -> bool {
    let b = line.bytes;
    let name = sub(b, n.start, n.end);
    if n.class == Name::SecretId && i > n.end + 1 {
        return judge(line, n, i, Tie::Element);
    }
    if name.starts_with(b"-") {
        return i == n.end + 1 && at(b, i) != b'-' && judge(line, n, i, Tie::Flag);
    }
    // `password 7 x`, `secret 5 x` of network devices
    if at(b, i).is_ascii_digit() && at(b, i + 1) == b' ' && n.class.kind() != "token" {
        return judge(line, n, blanks(b, i + 1, 8), Tie::Flag);
    }
    // `> PASS x`, `AUTH x`: protocols
    let prompt = matches!(before(b, n.start), b'"' | b'>')
        || matches!(sub(b, n.start.saturating_sub(2), n.start), b"> " | b": ");
    if prompt && name == b"PASS" {
        let stop = run(b, i, 128, |c| {
            c.is_ascii_graphic() && !matches!(c, b'\\' | b'"')
        });
        if super::secret_sentence::is_strong(sub(b, i, stop)) {
            line.add(i, stop, n.class.kind(), "named-password");
        }
        return true;
    }
    if name.eq_ignore_ascii_case(b"auth") && n.class == Name::Auth {
        let quoted = matches!(at(b, i), b'"' | b'\'') && before(b, n.start) == at(b, i);
        if quoted || sub(b, n.start.saturating_sub(6), n.start).ends_with(b"79> ") {
            judge_as(line, Name::Password, i, Tie::Flag);
            return true;
        }
    }
    // `A temporary password is generated for …: x`
    const MADE: &[&str] = &[
        "is generated ",
        "was generated ",
        "has been generated ",
        "was created ",
        "generated ",
    ];
    let made = MADE.iter().find(|w| looking_at(b, i, w.as_bytes()));
    let i = made.map_or(i, |w| i + w.len());
    // `the pass is x`
    if n.class == Name::Pass && looking_at(b, i, b"is ") && before(b, n.start) == b' ' {
        judge_as(line, Name::Password, i + 3, Tie::Prose);
        return true;
    }
    let passing = n.class == Name::Pass
        || has_ci(sub(name, name.len().saturating_sub(5), name.len()), "-pass")
        || has_ci(sub(name, name.len().saturating_sub(5), name.len()), "_pass");
    if passing
        && memchr::memmem::find(sub(b, n.start.saturating_sub(256), n.start), b"login ").is_none()
    {
        // `pass x`, `two-pass search`
        return true;
    }
    // `password was changed from x to y`
    for verb in [
        &b"was changed from "[..],
        b"has been changed from ",
        b"changed from ",
        b"from ",
    ] {
        if n.class.is_password() && looking_at(b, i, verb) {
            let v = i + verb.len();
            let next = run(b, v, 64, |c| c.is_ascii_graphic());
            if looking_at(b, next, b" to ") {
                judge(line, n, next + 4, Tie::Prose);
            }
            return judge(line, n, v, Tie::Prose);
        }
    }
    // `the database password (x) leaked`
    if at(b, i) == b'(' {
        let close = run(b, i + 1, 64, |c| c.is_ascii_graphic() && c != b')');
        if at(b, close) == b')' && super::secret_sentence::is_strong(sub(b, i + 1, close)) {
            line.add(i + 1, close, n.class.kind(), "named-password");
            return true;
        }
    }
    // `hardcoded password ("x")`
    if at(b, i) == b'(' && matches!(at(b, i + 1), b'"' | b'\'' | b'`') && n.class != Name::Auth {
        return judge(line, n, i + 1, Tie::Prose);
    }
    // `the password got changed to x`
    let i = [
        "got ",
        "just got ",
        "has now been ",
        "was just ",
        "was recently ",
    ]
    .iter()
    .find(|w| looking_at(b, i, w.as_bytes()))
    .map_or(i, |w| i + w.len());
    for verb in [
        &b"(currently "[..],
        b"has been set to ",
        b"has been changed to ",
        b"has been reset to ",
        b"was changed to ",
        b"was reset to ",
        b"was updated to ",
        b"was rotated to ",
        b"updated to ",
        b"rotated to ",
        b"became ",
        b"becomes ",
        b"changed to ",
        b"reset to ",
        b"will be ",
        b"should be ",
        b"is: ",
        b"is set to ",
        b"was set to ",
        b"set to ",
        b"is now ",
        b"is ",
        b"was ",
        b"to ",
        b"= ",
        b"lautet ",
        b"lautet: ",
        "heißt ".as_bytes(),
        b"heisst ",
        b"auf ",
        "è ".as_bytes(),
        "é ".as_bytes(),
        b"ist ",
        b"ist: ",
        b"est ",
        b"est: ",
        b"es ",
        b"es: ",
    ] {
        if looking_at(b, i, verb) {
            return judge(
                line,
                n,
                adverbs(b, blanks(b, i + verb.len(), 8)),
                Tie::Prose,
            );
        }
    }
    for link in [
        &b"for "[..],
        b"of ",
        b"on ",
        b"to ",
        b"(",
        b"in ",
        "für ".as_bytes(),
        b"von ",
        b"vom ",
        b"zu ",
        b"zum ",
        b"zur ",
        b"des ",
        b"der ",
        b"de ",
        b"del ",
        b"du ",
        b"para ",
        b"pour ",
        b"per ",
        b"di ",
        b"voor ",
        b"van ",
    ] {
        if looking_at(b, i, link) {
            // `the password for deploy@host is …`
            let stop = run(b, i + link.len(), 40, |c| {
                is_name(c)
                    || c >= 0x80
                    || matches!(
                        c,
                        b' ' | b'@' | b'(' | b')' | b'/' | b'[' | b']' | b'`' | b'\''
                    )
            });
            let head = sub(b, i, stop);
            if at(b, stop) == b':' && at(b, stop + 1) == b' ' {
                return judge(line, n, blanks(b, stop + 1, 8), Tie::Prose);
            }
            for verb in [
                &b" is "[..],
                b" ist ",
                b" lautet ",
                b" est ",
                b" es ",
                " è ".as_bytes(),
                " é ".as_bytes(),
                b" changed to ",
                b" set to ",
                b" changed from ",
            ] {
                if let Some(p) = memchr::memmem::find(head, verb) {
                    let v = i + p + verb.len();
                    // `from x to y`
                    if verb.ends_with(b"from ") {
                        let next = run(b, v, 64, |c| c.is_ascii_graphic());
                        if looking_at(b, next, b" to ") {
                            judge(line, n, next + 4, Tie::Prose);
                        }
                    }
                    return judge(line, n, v, Tie::Prose);
                }
            }
            return false;
        }
    }
    // .netrc and configuration files with blanks
    let head = sub(b, n.start.saturating_sub(256), n.start);
    let netrc = n.class == Name::Password
        && (memchr::memmem::find(head, b"login ").is_some()
            || head.iter().all(u8::is_ascii_whitespace));
    let stop = run(b, i, 256, |c| !c.is_ascii_whitespace());
    if netrc && blanks(b, stop, 80) >= b.len() && name.iter().all(u8::is_ascii_lowercase) {
        return judge(line, n, i, Tie::Flag);
    }
    // `npm config set name value`, `aws configure set name value`
    if memchr::memmem::find(head, b"config").is_some()
        && memchr::memmem::find(head, b" set ").is_some()
    {
        return judge(line, n, i, Tie::Flag);
    }
    judge(line, n, i, Tie::Prose)
}

/// Returns the start of the value behind `still`, `just` and the like at `i`.
pub(super) fn adverbs(b: &[u8], mut i: usize) -> usize {
    for word in [
        "still ",
        "now ",
        "currently ",
        "just ",
        "simply ",
        "actually ",
        "probably ",
        "always ",
        "literally ",
        "the same, ",
        "jetzt ",
        "leider ",
        "immer noch ",
        "todavía ",
        "aún ",
        "ahora ",
        "maintenant ",
        "agora ",
    ] {
        if looking_at(b, i, word.as_bytes()) {
            i += word.len();
        }
    }
    i
}
