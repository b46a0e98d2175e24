//! Programs for interpreters: not understood, but searched for what they call.

use std::cell::{Cell, OnceCell};

use aictx_shell::Word;

use super::embedded_programs::{interpreter, statement_tier};
use super::path_target::{Reach, is_regenerable};
use super::table::{SHELL_CALLS, UNLINKS};
use super::{Call, Judge, Kind, Level, Tier, file_writers};

mod aliases;
mod awk_sed_output;
mod callee_names;
mod constant_branches;
mod exfiltration;
mod git;
mod literals;
mod mocks_and_dry_runs;
mod orm_chains;
mod payments_and_mail;
mod prefilter;
mod remote_effects;
mod scan;
mod truncation;
mod write_targets;

pub(super) use awk_sed_output::printed_to;
pub(super) use literals::literals;
use literals::{bracketed, literal_at, literal_before, without_literals, without_printed};
use prefilter::{Lists, search};
use scan::{Asked, Find as _};

/// Bytes of a program that are looked at.
const MAX_CODE: usize = 64 * 1024;
/// Programs of one line that are looked at closely; a line of more cannot be judged.
const MAX_PROGRAMS: u16 = 128;
/// Bytes of the other ones: one text can be run again and again.
const MAX_PASSED_OVER: usize = 2 * 1024 * 1024;
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
    "->exec(",
    "->query(",
    "->execute(",
    "->statement(",
    "::statement(",
    "::unprepared(",
    "->do(",
    "prepare(",
    ".execute ",
    ".Exec(",
    ".ExecContext(",
    "MustExec(",
    "query!(",
    ".queryArray(",
    ".queryObject(",
    ".sql(",
];

/// Ways to hide a text.
const DECODINGS: &[&str] = &[
    "b64decode",
    "decode_base64",
    "base64_decode",
    "Base64.decode",
    "'base64'",
    "\"base64\"",
    "atob(",
    "unhexlify",
    "fromhex(",
    "rot13",
    "marshal.loads",
    "fromCharCode",
];

/// A process that copies itself without an end; without blanks.
const FORK_BOMBS: &[&str] = &[
    "forkwhile1",
    "forkwhile(1)",
    "whileTrue:os.fork()",
    "while1:os.fork()",
    "while(1){fork",
    "while(true){fork",
    "loop{fork",
];

/// Ways to ask that directories go with all that is in them; without blanks.
const RECURSIVE: &[&str] = &[
    "recursive:true",
    "recursive:!0",
    "recursive=true",
    "recursive=TRUE",
];

/// What stands in every way to empty a file.
const WRITES: &[&str] = &[
    "truncate",
    "open(",
    "open (",
    "openSync(",
    "createWriteStream(",
    "write_text",
    "write_bytes",
    "writeFile",
    "File.write",
    "file_put_contents",
    "writeTextFile",
    "Bun.write",
    "os.WriteFile",
];

/// Judges a program for `language`.
pub(super) fn judge(judge: &mut Judge, call: Call, language: &str, text: &str) {
    if judge.programs >= MAX_PROGRAMS || judge.passed_over >= MAX_PASSED_OVER {
        judge.undecidable(Level::Destructive, language, &[]);
        return;
    }
    let mut end = text.len().min(MAX_CODE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    // They run commands in Ruby, Perl, PHP and Bun; in Python they only stand in texts.
    let plain = (language.starts_with("py") && text.contains('`')).then(|| text.replace('`', " "));
    let text = plain.as_deref().unwrap_or(text);
    let told = without_comments(text);
    let told = constant_branches::without_idle(told.as_ref());
    let text = told.as_ref();
    // What `awk` prints goes to another program as often as not.
    let text = if language == "awk" {
        std::borrow::Cow::Borrowed(text)
    } else {
        without_printed(text)
    };
    let named = aliases::resolved(&text);
    let text = named.as_ref();
    let tight: String = text.split_ascii_whitespace().collect();
    let (text, tight) = (Asked::new(text), Asked::new(tight));
    let found = search(&text, &tight);
    super::path_limits::program(judge, call, language, &text);
    // Of almost every program that is all.
    if judge.quick && found.is_empty() {
        judge.passed_over += end;
        return;
    }
    judge.programs += 1;
    let code = Code {
        language,
        run: Asked::new(without_literals(&text)),
        text,
        tight,
        found,
        only_seems: OnceCell::new(),
        looked_up: Cell::new(0),
    };
    if !mocks_and_dry_runs::files(&code.text, &code.tight) {
        code.trees(judge, call);
        code.files(judge, call);
        code.targets(judge, call);
    }
    code.elsewhere(judge, call);
    code.people(judge, call);
    // A call that stands in a text is none, unless calls are looked up by name.
    let by_name = ["getattr", "__import__", "importlib", "globals()"];
    let calls = || {
        SHELL_CALLS.iter().any(|call| {
            // `execute(` is for statements.
            let mut found = code.run.found(call);
            found.any(|(at, _)| {
                !code
                    .run
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with("execut"))
            })
        }) || by_name.iter().any(|way| code.run.holds(way))
    };
    let runs = found.has(Lists::SHELL_CALLS) && (language != "python" || calls());
    let executes = found.has(Lists::EXECUTIONS) && !code.only_seems();
    if !runs && !executes {
        return;
    }
    let bounded = code.text.holds("WHERE") || code.text.holds("where");
    for literal in literals(&code.text) {
        let literal = without_calls(literal);
        // `'TRUNCATE ' + name`: what is put behind it is its object.
        let deletes = literal
            .get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("delete"));
        let open = literal.ends_with(' ') && !(deletes && bounded);
        let object = if open { "x" } else { "" };
        if executes && super::sql::writes(&literal) {
            judge.quietly(Kind::DatabaseWrite);
        }
        if executes && let Some((tier, verb)) = statement_tier(&format!("{literal}{object}")) {
            let verb = format!("{language}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        }
        if runs && literal.contains(' ') {
            // `'rm -rf ' + dir`: something is put behind it.
            let literal = match language {
                // `system("rm \\"" $0 "\\"")`
                "awk" => literal.trim_end_matches(['\\', '"', '\'']).to_owned(),
                _ => literal,
            };
            // `['rm', '-rf', path]`: as well.
            let open = literal.starts_with("rm -")
                && !literal.trim_end().contains(" /")
                && literal
                    .rsplit(' ')
                    .next()
                    .is_some_and(|last| last.starts_with('-'));
            if (open || literal.ends_with([' ', '/'])) && !found.has(Lists::TEMPORARY) {
                judge.fed_script(&literal, call.command.remote);
            } else {
                judge.inner_script(&literal, call.command.remote);
            }
        }
    }
    if runs {
        for command in git::calls(&code.text) {
            judge.inner_script(&command, call.command.remote);
        }
        for script in bracketed(&code.text) {
            judge.inner_script(script, call.command.remote);
        }
    }
}

/// `array_map('unlink', …)`: not `x === 'unlink'`.
fn is_handed_over(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let before = before.trim_end();
    let asks = ["in_array(", "array_search(", "strpos(", "str_contains("];
    before.ends_with('(') && !asks.iter().any(|way| before.ends_with(way))
}

/// A program without the lines that are comments.
fn without_comments(text: &str) -> std::borrow::Cow<'_, str> {
    let is_comment = |line: &str| {
        let line = line.trim_start();
        line.starts_with("# ") || line.starts_with("// ") || line == "#" || line == "//"
    };
    if !text.lines().any(is_comment) {
        return text.into();
    }
    let kept = text
        .split_inclusive('\n')
        .filter(|line| !is_comment(line.trim_end()));
    kept.collect::<String>().into()
}

/// `rm -rf {os.getcwd()}`: what is put in by a call is a word.
fn without_calls(literal: String) -> String {
    if !literal.contains('{') || !literal.contains('(') {
        return literal;
    }
    let mut out = String::with_capacity(literal.len());
    let mut rest = literal.as_str();
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((inside, after)) = behind.split_once('}') else {
            break;
        };
        out.push_str(before);
        if inside.contains('(') && !inside.contains([' ', ';']) {
            out.push_str("{}");
        } else {
            out.push('{');
            out.push_str(inside);
            out.push('}');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A program and what is asked of it again and again.
struct Code<'t> {
    language: &'t str,
    text: Asked<'t>,
    /// The text with blanks where its literals are.
    run: Asked<'t>,
    /// The text without blanks.
    tight: Asked<'t>,
    /// The lists of words that it holds some of.
    found: Lists,
    /// What it does elsewhere is not really done, once somebody asked.
    only_seems: OnceCell<bool>,
    /// How many names were looked up.
    looked_up: Cell<u8>,
}

impl Code<'_> {
    /// Returns true if what it does to rows and services is not really done.
    fn only_seems(&self) -> bool {
        *self
            .only_seems
            .get_or_init(|| mocks_and_dry_runs::elsewhere(&self.text, &self.tight))
    }

    /// Directories with all that is in them.
    fn trees(&self, judge: &mut Judge, call: Call) {
        let verb = format!("{} deletes a tree", self.language);
        let deletes = interpreter(self.language)
            .filter(|_| self.found.has(Lists::DELETES))
            .map_or(&[][..], |known| known.deletes);
        for name in deletes {
            for at in self.places(name) {
                self.deleted(judge, call, &verb, at + name.len(), Reach::Files);
            }
        }
        // `op = shutil.rmtree`, `map(shutil.rmtree, dirs)`: called by somebody else.
        let handed = self.run.found("shutil.rmtree").any(|(at, name)| {
            let before = self.run.get(..at).unwrap_or_default().trim_end();
            let behind = self.run.get(at + name.len()..).unwrap_or_default();
            let takes = [
                "=",
                "map(",
                "submit(",
                "to_thread(",
                "partial(",
                "apply(",
                "callback(",
            ];
            takes.iter().any(|way| before.ends_with(way))
                && (behind.is_empty() || behind.starts_with([',', ')', ']', '\n', ';', ' ']))
        });
        if handed && !self.found.has(Lists::TEMPORARY) && !self.names_what_is_made_again() {
            judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
        }
        // `rm` under whatever name it was imported, asked to take directories with it.
        if self.found.has(Lists::RECURSIVE) {
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
            // `const {rmSync: r} = …`: the call has a name of its own.
            let renamed = ["rmSync:", "rmSync as ", "{rm:", "{ rm:", "rm as "];
            if renamed.iter().any(|name| self.text.holds(name)) {
                judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
            }
        }
    }

    /// Files, one by one or all that are found; and those that are left empty.
    fn files(&self, judge: &mut Judge, call: Call) {
        let verb = format!("{} deletes files", self.language);
        // A name in quotes is a call in languages that call by name, and a text in the others.
        let by_name = self.language != "python";
        let names = || {
            UNLINKS
                .iter()
                .filter(|name| by_name || !name.contains(['\'', '"']))
        };
        // In a directory of its own it may list and delete; a path that it names is elsewhere.
        let named = [
            "'/",
            "\"/",
            "'~",
            "\"~",
            "dir('",
            "dir(\"",
            "glob('",
            "glob(\"",
            "Path('",
            "Path(\"",
            "dirSync('",
            "dirSync(\"",
            "unlinkSync('",
            "unlinkSync(\"",
            "walk('",
            "walk(\"",
            "Dir['",
            "Dir[\"",
        ];
        let own = self.found.has(Lists::TEMPORARY)
            && !named.iter().any(|start| {
                let mut found = self.tight.found(start).take(MAX_CALLS);
                found.any(|(at, _)| {
                    let rest = self.tight.get(at + start.len()..).unwrap_or_default();
                    // `"$dir/*"` is in it.
                    !rest.starts_with(['$', '#', '{'])
                        && !rest.trim_start_matches('/').starts_with("tmp/")
                })
            });
        if !own
            && self.found.has(Lists::LISTINGS)
            && self.found.has(Lists::UNLINKS)
            && names().any(|name| !self.places(name).is_empty())
        {
            judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
        } else if self.found.has(Lists::UNLINKS) {
            for name in names() {
                for at in self.places(name) {
                    self.deleted(judge, call, &verb, at + name.len(), Reach::File);
                }
            }
        }
        // `new File("x").delete()`
        let of_java = ["java", "jshell", "kotlin", "kotlinc", "groovy", "scala"];
        if of_java.contains(&self.language) && self.tight.holds("File(\"") {
            for at in self.places(").delete(") {
                self.deleted(judge, call, &verb, at + 2, Reach::File);
            }
        }
        self.overwrites(judge, call);
        self.rewrites(judge, call);
        if self.levels() && !own && !self.found.has(Lists::TEMPORARY) {
            let verb = format!("{} writes over files", self.language);
            judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, &verb, []);
        }
        if !self.found.has(Lists::WRITES) {
            return;
        }
        for path in self.emptied() {
            let verb = format!("{} empties a file", self.language);
            let word = Word::plain(path.unwrap_or_default());
            let own = path.is_none() && self.found.has(Lists::TEMPORARY);
            if own || (path.is_some() && judge.is_temporary(call, &word)) {
                continue;
            }
            let tier = match path {
                Some(_) if judge.is_precious(call, &word) || judge.is_outside(call, &word) => {
                    Tier::Destructive
                }
                Some(_) => judge.emptying(call, &word),
                None => Tier::Destructive,
            };
            judge.hit(Some(call), Kind::Overwrite, tier, &verb, path);
        }
    }

    /// Where a call stands in what is run. Names in quotes are looked for in the whole text.
    fn places(&self, name: &str) -> Vec<usize> {
        let text = if name.contains(['\'', '"']) {
            &self.text
        } else {
            &self.run
        };
        text.found(name)
            .map(|(at, _)| at)
            .filter(|at| {
                // `unlink(` is not `funlink(`.
                let before = text
                    .get(..*at)
                    .and_then(|before| before.chars().next_back());
                let apart = !name.starts_with(char::is_alphanumeric)
                    || !before.is_some_and(|last| last.is_alphanumeric() || last == '_');
                apart && (!name.starts_with(['\'', '"']) || is_handed_over(text, *at))
            })
            .take(MAX_CALLS)
            .collect()
    }

    /// `for d in ("build", "dist")`: all that the program names can be made again.
    fn names_what_is_made_again(&self) -> bool {
        let named = literals(&self.text);
        let again = |name: &str| name.split('/').any(is_regenerable);
        let listed = bracketed(&self.text);
        let texts = named.iter().map(String::as_str).chain(listed);
        let mut names = texts.flat_map(|text| text.split(' ')).peekable();
        names.peek().is_some()
            && names.clone().any(again)
            && names.all(|name| {
                again(name)
                    || matches!(
                        name,
                        "." | "./" | "fs" | "node:fs" | "path" | "shutil" | "fs/promises"
                    )
            })
    }

    /// A deletion whose arguments start at `at`.
    fn deleted(&self, judge: &mut Judge, call: Call, verb: &str, at: usize, usual: Reach) {
        let target = literal_at(&self.text, at).or_else(|| literal_before(&self.text, at));
        let Some(target) = target else {
            // A variable: what the program made itself may go.
            if !self.found.has(Lists::TEMPORARY) {
                let named = literals(&self.text);
                let mut names = named.iter().flat_map(|text| text.split(' '));
                let precious = names.any(|name| judge.is_precious(call, &Word::plain(name)));
                let tier = if precious {
                    Tier::Destructive
                } else if usual == Reach::File || self.names_what_is_made_again() {
                    Tier::Risky
                } else {
                    Tier::Destructive
                };
                judge.hit(Some(call), Kind::Delete, tier, verb, []);
            }
            return;
        };
        // `"$dir/x"` in a directory that the program made.
        if self.found.has(Lists::TEMPORARY) && target.starts_with(['$', '{']) {
            return;
        }
        let word = Word::plain(target);
        if !judge.is_temporary(call, &word) {
            judge.quietly(Kind::Delete);
        }
        let tier = if usual == Reach::File && !target.contains('*') {
            let known = judge.known(call, &word);
            if judge.is_temporary(call, &word)
                || target.split('/').any(is_regenerable)
                || known.exists == Some(false)
            {
                return;
            }
            if judge.loses_precious(call, &word, verb) {
                return;
            }
            // What is tracked and unchanged can be had again.
            if (known.tracked == Some(true) && known.dirty == Some(false))
                || !file_writers::is_written_by_people(target)
            {
                Tier::Risky
            } else {
                Tier::Destructive
            }
        } else {
            let reach = judge.reach(call, target);
            match judge.reach_by_facts(call, &word, reach) {
                Reach::File | Reach::Regenerable => Tier::Risky,
                Reach::Files => Tier::Destructive,
                Reach::Everything => Tier::Catastrophic,
            }
        };
        judge.hit(Some(call), Kind::Delete, tier, verb, [target]);
    }
}
