//! Decides if the status of a whole line is that of the tests in it: `make; pytest` ends as its tests do,
//! `pytest; echo done` does not.

use super::{ignores_errors, runs_each, test_run::test_run};
use crate::SimpleCommand;

/// Bytes of a line that are looked at, and nesting that is followed.
const MAX_LINE: usize = 16 * 1024;
const MAX_DEPTH: u8 = 6;
/// Parts of a line.
const MAX_PARTS: usize = 200;
/// Words of compound commands, whose parts may run once, often or never.
const COMPOUND: &[&str] = &[
    "for", "while", "until", "if", "case", "select", "function", "trap",
];

/// Relation of a part's status to the tests in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// There are none.
    NoTests,
    /// It ends well only if all of them ran and passed.
    Shown,
    /// It may end well though one failed, or never ran.
    Hidden,
}

impl Told {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Hidden, _) | (_, Self::Hidden) => Self::Hidden,
            (Self::Shown, _) | (_, Self::Shown) => Self::Shown,
            _ => Self::NoTests,
        }
    }
}

/// Operator between a part and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Sequence,
    And,
    Or,
    Pipe,
}

struct Part<'t> {
    join: Join,
    text: &'t str,
    /// It is left to run in the background.
    background: bool,
}

/// Shell options about failures.
#[derive(Debug, Clone, Copy, Default)]
struct Set {
    exits: bool,
    pipes: bool,
}

/// Returns true if the line succeeds only if all tests in it ran and passed. `None` where its form is not understood.
pub(super) fn shows_tests(line: &str) -> Option<bool> {
    (line.len() <= MAX_LINE)
        .then(|| of_list(line, Set::default(), MAX_DEPTH))
        .flatten()
        .map(|told| told == Told::Shown)
}

/// Tests whose status something behind them may still ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending<'t> {
    Nothing,
    /// The last status.
    Status,
    /// The status of what began the last pipe.
    Pipe,
    /// A variable has it.
    Kept(&'t str),
}

fn of_list(text: &str, set: Set, depth: u8) -> Option<Told> {
    let depth = depth.checked_sub(1)?;
    let (parts, mut set) = (split(text)?, set);
    let (mut told, mut pending) = (Told::NoTests, Pending::Nothing);
    let mut rest = parts.as_slice();
    while !rest.is_empty() {
        let more = rest.iter().skip(1);
        let until = more.take_while(|part| part.join != Join::Sequence).count() + 1;
        let (chain, after) = rest.split_at_checked(until)?;
        rest = after;
        sets(chain, &mut set);
        let alone = match chain {
            [one] => one.text,
            _ => "",
        };
        if let Some(name) = alone.strip_suffix("=$?").filter(|name| is_name(name)) {
            if pending == Pending::Status {
                pending = Pending::Kept(name);
            }
            continue;
        }
        // Something else than the last status decides after all.
        let asked = match (returned(alone), pending) {
            (Some("?"), Pending::Status)
            | (Some("PIPESTATUS[0]" | "PIPESTATUS"), Pending::Pipe) => true,
            (Some(name), Pending::Kept(kept)) => name == kept,
            _ => false,
        };
        if asked {
            return Some(told.and(Told::Shown));
        }
        if matches!(pending, Pending::Status | Pending::Pipe) {
            // Nobody asked.
            (told, pending) = (Told::Hidden, Pending::Nothing);
        }
        let background = chain.iter().any(|part| part.background);
        let decides = rest.is_empty() || is_guarded(chain) || (set.exits && piped(chain));
        if chain.iter().skip(1).any(leaves_well) {
            told = Told::Hidden;
        }
        match of_chain(chain, set, depth)? {
            Told::NoTests => {}
            Told::Shown if decides && !background => told = told.and(Told::Shown),
            Told::Shown if !background && pending == Pending::Nothing => pending = Pending::Status,
            Told::Hidden if pending == Pending::Nothing && begins_pipe(chain, set, depth)? => {
                pending = Pending::Pipe;
            }
            _ => told = Told::Hidden,
        }
    }
    Some(match pending {
        Pending::Nothing => told,
        _ => Told::Hidden,
    })
}

/// `a | b | c` of which only the first runs tests, and shows how they end.
fn begins_pipe(chain: &[Part], set: Set, depth: u8) -> Option<bool> {
    let Some((first, behind)) = chain.split_first() else {
        return Some(false);
    };
    let mut told = of_part(first, set, depth)? == Told::Shown;
    for part in behind {
        told &= part.join == Join::Pipe && of_part(part, set, depth)? == Told::NoTests;
    }
    Some(told)
}

/// Commands joined by `&&`, `||` and `|`.
fn of_chain(chain: &[Part], set: Set, depth: u8) -> Option<Told> {
    let mut told = Told::NoTests;
    let mut rest = chain;
    let mut join = Join::And;
    while let Some(first) = rest.first() {
        if first.join != Join::Sequence && first.join != Join::Pipe {
            join = first.join;
        }
        let more = rest.iter().skip(1);
        let until = more.take_while(|part| part.join == Join::Pipe).count() + 1;
        let (pipe, after) = rest.split_at_checked(until)?;
        rest = after;
        let leaves = matches!(pipe, [one] if gives_up(one.text));
        let this = of_pipe(pipe, set, depth)?;
        told = match join {
            Join::Or if leaves => told,
            // It may not have run, and what stands before it may have failed.
            Join::Or if told != Told::NoTests || this != Told::NoTests => Told::Hidden,
            _ => told.and(this),
        };
    }
    Some(told)
}

fn of_pipe(pipe: &[Part], set: Set, depth: u8) -> Option<Told> {
    let mut told = Told::NoTests;
    for (at, part) in pipe.iter().enumerate() {
        let this = of_part(part, set, depth)?;
        let last = at + 1 == pipe.len();
        told = told.and(match this {
            Told::Shown if !(last || set.pipes) => Told::Hidden,
            this => this,
        });
    }
    Some(told)
}

fn of_part(part: &Part, set: Set, depth: u8) -> Option<Told> {
    let text = part.text;
    if let Some(group) = grouped(text) {
        return of_list(group, set, depth);
    }
    let script = crate::parse(text);
    if script.undecided {
        return None;
    }
    let tests = |part: &SimpleCommand| test_run(part).is_some_and(|run| !run.dry);
    let Some(first) = script.commands.iter().find(|part| tests(part)) else {
        return Some(Told::NoTests);
    };
    if text.starts_with('!')
        || script
            .commands
            .iter()
            .any(|p| ignores_errors(p) || runs_each(p))
    {
        return Some(Told::Hidden);
    }
    if first.depth == 0 {
        return Some(Told::Shown);
    }
    // `bash -c '…'`, behind whatever starts it.
    let outer = script.commands.iter().find(|part| part.depth == 0)?;
    let (option, line) = outer.arguments().windows(2).find_map(|two| match two {
        [option, line] if option.text.starts_with('-') && option.text.ends_with('c') => {
            Some((option, line))
        }
        _ => None,
    })?;
    if !crate::is_shell(outer.name()) || line.unknown {
        return None;
    }
    let letters = option.text.as_str();
    let inner = Set {
        exits: letters.contains('e') && !letters.starts_with("--"),
        pipes: outer.arguments().iter().any(|word| word.text == "pipefail"),
    };
    of_list(&line.text, inner, depth)
}

/// Returns the content of `( … )` or `{ …; }`, if nothing but redirections follows.
fn grouped(text: &str) -> Option<&str> {
    let (open, close) = match text.as_bytes().first()? {
        b'(' => ('(', ')'),
        b'{' if text.starts_with("{ ") || text.starts_with("{\n") => ('{', '}'),
        _ => return None,
    };
    let end = text.rfind(close)?;
    let behind = text.get(end + 1..)?;
    let redirects = behind
        .split_whitespace()
        .all(|word| word.contains(['>', '<']) || word.contains('/') || !word.contains(['(', ')']));
    let inner = text.get(open.len_utf8()..end)?;
    (redirects && !behind.contains([';', '|', '&']) || behind.trim() == "2>&1")
        .then_some(inner.trim())
}

/// Reads shell options about failures: `set -euo pipefail`.
fn sets(chain: &[Part], set: &mut Set) {
    for part in chain {
        let mut words = part.text.split_whitespace();
        if words.next() != Some("set") {
            continue;
        }
        for word in words {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let exits = letters.is_some_and(|letters| letters.contains('e'));
            set.exits |= exits || word == "errexit";
            set.pipes |= word == "pipefail";
        }
    }
}

/// Returns true if a failure of it ends the line: `pytest || exit 1`.
fn is_guarded(chain: &[Part]) -> bool {
    matches!(chain, [.., last] if last.join == Join::Or && gives_up(last.text))
}

/// Returns true if all of it is one pipe.
fn piped(chain: &[Part]) -> bool {
    let mut behind = chain.iter().skip(1);
    behind.all(|part| part.join == Join::Pipe)
}

/// `|| exit 0`, `&& exit`: what follows may never run though the line ends well.
fn leaves_well(part: &Part) -> bool {
    let mut words = part.text.split_whitespace();
    let leaves = matches!(words.next(), Some("exit" | "return"));
    let bare = words.next().is_none();
    leaves && (!gives_up(part.text) || (bare && part.join != Join::Or))
}

/// `exit 1`, alone or behind a word to the user.
fn gives_up(text: &str) -> bool {
    let text = grouped(text)
        .filter(|_| text.starts_with('{'))
        .unwrap_or(text);
    let last = text
        .trim_end_matches([';', ' '])
        .rsplit(';')
        .next()
        .unwrap_or(text);
    let mut words = last.split_whitespace();
    let leaves = matches!(words.next(), Some("exit" | "return"));
    let code = words.next();
    let failed = code.is_some_and(|code| code != "0" && code.bytes().all(|b| b.is_ascii_digit()));
    leaves && (failed || matches!(code, None | Some("$?")))
}

/// Of `exit $NAME` the name.
fn returned(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let leaves = matches!(words.next(), Some("exit" | "return"));
    let value = words.next().filter(|_| leaves && words.next().is_none())?;
    let value = value.trim_matches('"').strip_prefix('$')?;
    Some(
        value
            .strip_prefix('{')
            .and_then(|v| v.strip_suffix('}'))
            .unwrap_or(value),
    )
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The parts of a list, groups and quoted texts kept whole.
fn split(text: &str) -> Option<Vec<Part<'_>>> {
    let bytes = text.as_bytes();
    let mut parts: Vec<Part> = Vec::new();
    let (mut from, mut at) = (0, 0);
    let mut join = Join::Sequence;
    let mut open: Vec<u8> = Vec::new();
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
        let width = match byte {
            b'\\' => {
                at += 2;
                continue;
            }
            b'\'' => {
                at += bytes.get(at + 1..)?.iter().position(|b| *b == b'\'')? + 2;
                continue;
            }
            b'"' | b'`' => {
                at = closing(bytes, at)? + 1;
                continue;
            }
            b'(' => {
                open.push(b')');
                0
            }
            b'{' if before != Some(b'$') && matches!(next, Some(b' ' | b'\n')) => {
                open.push(b'}');
                0
            }
            b')' | b'}' if open.last() == Some(&byte) => {
                open.pop();
                0
            }
            b'#' if before.is_none_or(|b| b.is_ascii_whitespace() || b == b';')
                && open.is_empty() =>
            {
                // Words to whoever reads it.
                let before = text.get(from..at)?;
                add(&mut parts, before, join, false)?;
                if !before.trim().is_empty() {
                    join = Join::Sequence;
                }
                let rest = bytes.get(at..)?;
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                from = at;
                continue;
            }
            b'<' if next == Some(b'<') => return None,
            _ if !open.is_empty() => 0,
            b'&' if next == Some(b'&') => 2,
            b'|' if matches!(next, Some(b'|' | b'&')) => 2,
            b'&' if next == Some(b'>') || matches!(before, Some(b'>' | b'<')) => 0,
            b'|' if before == Some(b'>') => 0,
            b'&' | b'|' | b';' | b'\n' => 1,
            _ => 0,
        };
        if width == 0 {
            at += 1;
            continue;
        }
        add(
            &mut parts,
            text.get(from..at)?,
            join,
            byte == b'&' && width == 1,
        )?;
        let joined = match (byte, width) {
            (b'&', 2) => Join::And,
            (b'|', 2) if next == Some(b'|') => Join::Or,
            (b'|', _) => Join::Pipe,
            _ => Join::Sequence,
        };
        // A line goes on behind `&&`.
        let goes_on = byte == b'\n' && text.get(from..at)?.trim().is_empty();
        join = if goes_on { join } else { joined };
        at += width;
        from = at;
    }
    if !open.is_empty() {
        return None;
    }
    add(&mut parts, text.get(from..)?, join, false)?;
    Some(parts)
}

fn add<'t>(parts: &mut Vec<Part<'t>>, text: &'t str, join: Join, background: bool) -> Option<()> {
    let text = text.trim();
    if text.is_empty() {
        return Some(());
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    let function = text
        .split_once('(')
        .is_some_and(|(name, rest)| is_name(name.trim_end()) && rest.trim_start().starts_with(')'));
    if COMPOUND.contains(&word) || function || parts.len() >= MAX_PARTS {
        return None;
    }
    let join = if parts.is_empty() {
        Join::Sequence
    } else {
        join
    };
    parts.push(Part {
        join,
        text,
        background,
    });
    Some(())
}

/// Returns the end of the quote that opens at an offset.
fn closing(bytes: &[u8], from: usize) -> Option<usize> {
    let quote = bytes.get(from)?;
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
#[path = "exit_status_flow_tests.rs"]
mod tests;
