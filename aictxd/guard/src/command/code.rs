//! Programs for interpreters: not understood, but searched for what they call.

use std::borrow::Cow;

use aictx_signals::shell::Word;

use super::data::{interpreter, statement_tier};
use super::table::{
    EVALUATIONS, FETCHES, HANDED_OVER, LISTINGS, REQUESTS, ROW_DELETES, SERVICE_DELETES, SERVICES,
    SHELL_CALLS, SOCKETS, TEMPORARY_MAKERS, UNLINKS,
};
use super::target::{Reach, is_regenerable};
use super::{Call, Judge, Kind, Tier, system, writes};

/// Bytes of a program that are looked at.
const MAX_CODE: usize = 64 * 1024;
/// Literals of one program that are judged as commands.
const MAX_LITERALS: usize = 64;
/// Deletions of one program whose targets are looked at.
const MAX_CALLS: usize = 32;

/// Ways to run a statement in a database.
const EXECUTIONS: &[&str] = &[
    "execute(",
    "executescript(",
    ".query(",
    ".exec(",
    "execute_sql",
    "executeRaw",
    "queryRaw",
    ".raw(",
    ".run(",
    "->do(",
    "prepare(",
    "text(",
    ".execute ",
];

/// Judges a program for `language`.
pub(super) fn judge(judge: &mut Judge, call: Call, language: &str, text: &str) {
    let mut end = text.len().min(MAX_CODE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = without_printed(text.get(..end).unwrap_or_default());
    let text = text.as_ref();
    let mut code = Code {
        language,
        text,
        run: without_literals(text),
        tight: text.split_whitespace().collect(),
        temporary: TEMPORARY_MAKERS.iter().any(|maker| text.contains(maker)),
    };
    code.trees(judge, call);
    code.files(judge, call);
    code.elsewhere(judge, call);
    code.run = String::new();
    let runs = code.has(SHELL_CALLS);
    let executes = code.has(EXECUTIONS);
    if !runs && !executes {
        return;
    }
    for literal in literals(text) {
        if executes && let Some((tier, verb)) = statement_tier(&literal) {
            let verb = format!("{language}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        }
        if runs && literal.contains(' ') {
            judge.inner_script(&literal, call.command.remote);
        }
    }
    if runs {
        for script in bracketed(text) {
            judge.inner_script(script, call.command.remote);
        }
    }
}

/// A program and what is asked of it again and again.
struct Code<'t> {
    language: &'t str,
    text: &'t str,
    /// The text with blanks where its literals are.
    run: String,
    /// The text without blanks.
    tight: String,
    /// It makes a directory of its own.
    temporary: bool,
}

impl Code<'_> {
    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Directories with all that is in them.
    fn trees(&self, judge: &mut Judge, call: Call) {
        let verb = format!("{} deletes a tree", self.language);
        let deletes = interpreter(self.language).map_or(&[][..], |known| known.deletes);
        for name in deletes {
            for at in self.places(name) {
                self.deleted(judge, call, &verb, at + name.len(), Reach::Files);
            }
        }
        // `rm` under whatever name it was imported, asked to take directories with it.
        let recursive = [
            "recursive:true",
            "recursive:!0",
            "recursive=true",
            "recursive=TRUE",
        ];
        if recursive.iter().any(|option| self.tight.contains(option)) {
            for name in [
                "rm(",
                "rmdir(",
                "rmSync(",
                "unlink(",
                "remove(",
                "removeSync(",
            ] {
                for at in self.places(name) {
                    self.deleted(judge, call, &verb, at + name.len(), Reach::Files);
                }
            }
        }
    }

    /// Files, one by one or all that are found; and those that are left empty.
    fn files(&self, judge: &mut Judge, call: Call) {
        let verb = format!("{} deletes files", self.language);
        if self.has(LISTINGS) && self.has(UNLINKS) {
            judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
        } else {
            for name in UNLINKS {
                for at in self.places(name) {
                    self.deleted(judge, call, &verb, at + name.len(), Reach::File);
                }
            }
        }
        for path in self.emptied() {
            let verb = format!("{} empties a file", self.language);
            let word = Word::plain(path.unwrap_or_default());
            if path.is_some() && judge.is_temporary(call, &word) {
                continue;
            }
            let tier = match path {
                Some(_) => judge.emptying(call, &word),
                None => Tier::Destructive,
            };
            judge.hit(Some(call), Kind::Overwrite, tier, &verb, path);
        }
    }

    /// Services, databases, other machines.
    fn elsewhere(&self, judge: &mut Judge, call: Call) {
        let mut hit = |kind, tier, what: &str| {
            let verb = format!("{} {what}", self.language);
            judge.hit(Some(call), kind, tier, &verb, []);
        };
        let tight = |words: &[&str]| words.iter().any(|word| self.tight.contains(word));
        if (self.has(FETCHES) && self.has(EVALUATIONS))
            || (self.has(SOCKETS) && self.has(HANDED_OVER))
        {
            hit(Kind::NetworkExec, Tier::Destructive, "runs a download");
        }
        if tight(ROW_DELETES) {
            hit(Kind::DatabaseWrite, Tier::Destructive, "deletes rows");
        }
        if tight(REQUESTS) {
            let tier = if system::is_local(self.text) {
                Tier::Risky
            } else {
                Tier::Destructive
            };
            hit(Kind::RemoteDelete, tier, "DELETE");
        } else if self.has(SERVICES) && self.asks_a_service() {
            hit(
                Kind::RemoteDelete,
                Tier::Destructive,
                "deletes at a service",
            );
        }
        if self.tight.contains(".kill(-1,") {
            hit(Kind::ProcessKill, Tier::Destructive, "ends every process");
        }
    }

    fn asks_a_service(&self) -> bool {
        // `new DeleteObjectCommand(…)`
        let ordered = |at: usize| {
            let rest = self.run.get(at..).unwrap_or_default();
            let name = rest.split('(').next().unwrap_or_default();
            name.len() < 64 && name.ends_with("Command")
        };
        SERVICE_DELETES.iter().any(|call| self.run.contains(call))
            || self
                .run
                .match_indices("Delete")
                .take(MAX_CALLS)
                .any(|(at, _)| ordered(at))
    }

    /// Where a call stands in what is run. Names in quotes are looked for in the whole text.
    fn places(&self, name: &str) -> Vec<usize> {
        let text = if name.contains(['\'', '"']) {
            self.text
        } else {
            self.run.as_str()
        };
        text.match_indices(name)
            .map(|(at, _)| at)
            .filter(|at| {
                // `unlink(` is not `funlink(`.
                let before = text
                    .get(..*at)
                    .and_then(|before| before.chars().next_back());
                !name.starts_with(char::is_alphanumeric)
                    || !before.is_some_and(|last| last.is_alphanumeric() || last == '_')
            })
            .take(MAX_CALLS)
            .collect()
    }

    /// A deletion whose arguments start at `at`.
    fn deleted(&self, judge: &mut Judge, call: Call, verb: &str, at: usize, usual: Reach) {
        let target = literal_at(self.text, at).or_else(|| literal_before(self.text, at));
        let Some(target) = target else {
            // A variable: what the program made itself may go.
            if !self.temporary {
                let tier = if usual == Reach::File {
                    Tier::Risky
                } else {
                    Tier::Destructive
                };
                judge.hit(Some(call), Kind::Delete, tier, verb, []);
            }
            return;
        };
        let word = Word::plain(target);
        let tier = if usual == Reach::File && !target.contains('*') {
            let known = judge.known(call, &word);
            if judge.is_temporary(call, &word)
                || target.split('/').any(is_regenerable)
                || known.exists == Some(false)
            {
                return;
            }
            // What is tracked and unchanged can be had again.
            if (known.tracked == Some(true) && known.dirty == Some(false))
                || !writes::is_written_by_people(target)
            {
                Tier::Risky
            } else {
                Tier::Destructive
            }
        } else {
            let dir = call.command.dir.as_deref();
            let reach = judge.place.reach(dir, target, call.command.remote);
            match judge.reach_by_facts(call, &word, reach) {
                Reach::File | Reach::Regenerable => Tier::Risky,
                Reach::Files => Tier::Destructive,
                Reach::Everything => Tier::Catastrophic,
            }
        };
        judge.hit(Some(call), Kind::Delete, tier, verb, [target]);
    }

    /// Files that are opened for writing and closed, or to which nothing is written; `None` when the
    /// name is not told.
    fn emptied(&self) -> Vec<Option<&str>> {
        let tight = self.tight.as_str();
        let mut out = Vec::new();
        if tight.contains("truncate")
            && (tight.contains(",0)")
                || tight.contains(".truncate(0)")
                || tight.contains(",0;")
                || tight.ends_with(",0"))
            || tight.contains("truncateSync(")
        {
            let at = tight.find("truncate").map_or(0, |at| at + "truncate".len());
            let from = tight.get(at..).unwrap_or_default();
            let from = from.find(['(', '\'', '"']).map_or(at, |skip| at + skip);
            let skip = usize::from(tight.get(from..).is_some_and(|rest| rest.starts_with('(')));
            out.push(literal_at(tight, from + skip));
        }
        // `open('x', 'w')` of which nothing is made.
        for (at, _) in tight.match_indices("open(").take(MAX_CALLS) {
            let rest = tight.get(at + "open(".len()..).unwrap_or_default();
            let kept = tight.get(..at).is_some_and(|before| {
                before.ends_with(['=', '(', ',']) || before.ends_with("return")
            });
            let Some((arguments, behind)) = rest.split_once(')') else {
                continue;
            };
            let writes = [
                "'w'", "\"w\"", "'wb'", "\"wb\"", "'w+'", "\"w+\"", "\">\"", "'>'",
            ]
            .iter()
            .any(|mode| arguments.contains(mode));
            let nothing = behind.is_empty()
                || [
                    ";",
                    ".close(",
                    ".write('')",
                    ".write(\"\")",
                    ".write(b'')",
                    "asf:pass",
                    "{}",
                ]
                .iter()
                .any(|next| behind.starts_with(next))
                || behind.starts_with("asf:f.write('')")
                || behind.starts_with("asf:f.write(\"\")");
            if writes && nothing && !kept {
                out.push(first_literal(arguments));
            }
        }
        for call in [
            "write_text('')",
            "write_text(\"\")",
            "write_bytes(b'')",
            "write_bytes(b\"\")",
        ] {
            for (at, _) in tight.match_indices(call).take(MAX_CALLS) {
                out.push(literal_before(
                    tight,
                    at + call.find('(').map_or(0, |open| open + 1),
                ));
            }
        }
        for name in [
            "writeFileSync(",
            "writeFile(",
            "File.write(",
            "file_put_contents(",
            "Deno.writeTextFileSync(",
            "Deno.writeTextFile(",
            "Bun.write(",
            "os.WriteFile(",
        ] {
            for (at, _) in tight.match_indices(name).take(MAX_CALLS) {
                let rest = tight.get(at + name.len()..).unwrap_or_default();
                let arguments = rest.split(')').next().unwrap_or_default();
                if [",''", ",\"\"", ",nil,0644", ",null", ",[]byte{},0644"]
                    .iter()
                    .any(|end| arguments.ends_with(end))
                {
                    out.push(first_literal(arguments));
                }
            }
        }
        out
    }
}

/// The literal that starts at `at`, behind brackets and the letters that mark its kind.
fn literal_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?.trim_start_matches(['(', '[', ' ']);
    let rest = rest
        .strip_prefix(['r', 'b', 'u'])
        .filter(|rest| rest.starts_with(['\'', '"']))
        .unwrap_or(rest);
    // `Path("a")`, `path.join("a")`: a call around it.
    let inner = rest
        .split_once('(')
        .filter(|(name, _)| {
            name.len() <= 16
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        })
        .map(|(_, rest)| rest);
    first_literal(rest).or_else(|| first_literal(inner?))
}

/// The literal that a text begins with, if nothing is put into it.
fn first_literal(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"' | '`'))?;
    let body = text.get(1..)?;
    let inside = body.get(..closing(body, quote)?)?;
    let whole = !inside.contains("${") && !inside.contains("#{") && !inside.is_empty();
    whole.then_some(inside)
}

/// The literal of `Path('a').unlink(`, whose arguments start at `at`.
fn literal_before(text: &str, at: usize) -> Option<&str> {
    let call = text.get(..at)?;
    let dot = call.rfind('.')?;
    let before = call.get(..dot)?.strip_suffix(')')?;
    let quote = before
        .chars()
        .next_back()
        .filter(|last| matches!(last, '\'' | '"'))?;
    let body = before.get(..before.len() - 1)?;
    let from = body.rfind(quote)? + 1;
    body.get(from..)
}

/// What stands in `%x(…)` and its sisters.
fn bracketed(text: &str) -> Vec<&str> {
    text.match_indices("%x")
        .take(MAX_CALLS)
        .filter_map(|(at, _)| {
            let rest = text.get(at + 2..)?;
            let close = match rest.chars().next()? {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                '<' => '>',
                bar @ ('|' | '!' | '/') => bar,
                _ => return None,
            };
            rest.get(1..)?.split(close).next()
        })
        .collect()
}

/// A text with blanks where its plain literals are. One that does not end on its line is none.
fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let Some(quote) = from.chars().next() else {
            break;
        };
        let body = from.get(1..).unwrap_or_default();
        let line = body.split('\n').next().unwrap_or_default();
        let end = closing(line, quote);
        out.push(quote);
        rest = body;
        if let Some(end) = end {
            let inside = body.get(..end).unwrap_or_default();
            if inside.contains("${") || inside.contains("#{") || quote == '`' {
                out.push_str(inside);
            } else {
                out.extend(std::iter::repeat_n(' ', inside.len()));
            }
            out.push(quote);
            rest = body.get(end + 1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}
/// Calls that only show the text they are given.
const PRINTS: &[&str] = &[
    "print",
    "console.log",
    "console.error",
    "puts",
    "echo",
    "say",
    "warn",
    "println",
];

/// A program without the plain literals that it prints. What a literal puts in when it runs
/// (`f'…'`, `${…}`, `#{…}`) stays, and so does everything about literals that go anywhere else.
pub(super) fn without_printed(text: &str) -> Cow<'_, str> {
    if !PRINTS.iter().any(|name| text.contains(name)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let body = from.get(1..).unwrap_or_default();
        let Some(end) = closing(body, quote) else {
            break;
        };
        let inside = body.get(..end).unwrap_or_default();
        out.push_str(before);
        let call = before.trim_end_matches(['(', ' ']);
        let shows =
            call.len() < before.len() && PRINTS.iter().any(|name| ends_with_word(call, name));
        if !shows || inside.contains("${") || inside.contains("#{") {
            out.push(quote);
            out.push_str(inside);
            out.push(quote);
        }
        rest = body.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether `text` ends with `name` as a word of its own.
fn ends_with_word(text: &str, name: &str) -> bool {
    text.strip_suffix(name).is_some_and(|before| {
        !before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '.'))
    })
}

/// Where the literal that starts behind its quote ends.
fn closing(body: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    body.find(|next: char| {
        if escaped {
            escaped = false;
            return false;
        }
        escaped = next == '\\';
        next == quote
    })
}

/// Text literals; those in one list of words come as one text.
pub(super) fn literals(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let list = before.trim().trim_matches([',', '[', ' ']).is_empty();
        if !list && !joined.is_empty() {
            out.push(std::mem::take(&mut joined));
            if out.len() >= MAX_LITERALS {
                return out;
            }
        }
        let body = from.get(1..).unwrap_or_default();
        let Some(end) = closing(body, quote) else {
            break;
        };
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(body.get(..end).unwrap_or_default());
        rest = body.get(end + 1..).unwrap_or_default();
    }
    if !joined.is_empty() {
        out.push(joined);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_one_text() {
        assert_eq!(
            literals("run(['rm', '-rf', \"src\"]); say('a\\'b')"),
            ["rm -rf src", "a\\'b"]
        );
        assert!(literals("no 'end").is_empty());
    }
}
