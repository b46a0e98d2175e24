//! Programs for interpreters: not understood, but searched for what they call.

use aictx_signals::shell::Word;

use super::data::{interpreter, statement_tier};
use super::table::{EVALUATIONS, SERVICE_DELETES, SHELL_CALLS, UNLINKS};
use super::target::{Reach, is_regenerable};
use super::{Call, Judge, Kind, Tier, request, writes};

mod calls;
mod literals;
mod overwritten;
mod pretended;
mod search;
mod sends;

pub(super) use literals::literals;
use literals::{bracketed, literal_at, literal_before, without_literals, without_printed};
use pretended::Pretended;
use search::{Lists, search};

/// Bytes of a program that are looked at.
const MAX_CODE: usize = 64 * 1024;
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
    let mut end = text.len().min(MAX_CODE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    // They run commands in Ruby, Perl, PHP and Bun; in Python they only stand in texts.
    let plain = (language.starts_with("py") && text.contains('`')).then(|| text.replace('`', " "));
    let text = plain.as_deref().unwrap_or(text);
    let told = without_comments(text);
    let text = told.as_ref();
    // What `awk` prints goes to another program as often as not.
    let text = if language == "awk" {
        std::borrow::Cow::Borrowed(text)
    } else {
        without_printed(text)
    };
    let text = text.as_ref();
    let tight: String = text.split_ascii_whitespace().collect();
    let found = search(text, &tight);
    let code = Code {
        language,
        text,
        run: without_literals(text),
        pretended: Pretended::of(text, &tight),
        tight,
        found,
    };
    code.trees(judge, call);
    code.files(judge, call);
    code.elsewhere(judge, call);
    // A call that stands in a text is none, unless calls are looked up by name.
    let by_name = ["getattr", "__import__", "importlib", "globals()"];
    let calls = || {
        SHELL_CALLS.iter().any(|call| code.run.contains(call))
            || by_name.iter().any(|way| code.run.contains(way))
    };
    let runs = found.has(Lists::SHELL_CALLS) && (language != "python" || calls());
    let executes = found.has(Lists::EXECUTIONS) && !code.pretended.elsewhere;
    if !runs && !executes {
        return;
    }
    for literal in literals(text) {
        let literal = without_calls(literal);
        if executes && let Some((tier, verb)) = statement_tier(&literal) {
            let verb = format!("{language}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        }
        if runs && literal.contains(' ') {
            // `'rm -rf ' + dir`: something is put behind it.
            if literal.ends_with([' ', '/']) && !found.has(Lists::TEMPORARY) {
                judge.fed_script(&literal, call.command.remote);
            } else {
                judge.inner_script(&literal, call.command.remote);
            }
        }
    }
    if runs {
        for command in git_calls(text) {
            judge.inner_script(&command, call.command.remote);
        }
        for script in bracketed(text) {
            judge.inner_script(script, call.command.remote);
        }
    }
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

/// Libraries for git: `Repo('.').git.reset('--hard')`, `simpleGit().clean('fd')`.
fn git_calls(text: &str) -> Vec<String> {
    const VERBS: &[&str] = &[
        "reset", "clean", "checkout", "push", "restore", "raw", "stash",
    ];
    if !text.contains(".git.") && !text.contains("simple-git") && !text.contains("simpleGit") {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (at, _) in text.match_indices('(').take(MAX_CALLS * 4) {
        let before = text.get(..at).unwrap_or_default();
        let Some(verb) = VERBS.iter().find(|verb| {
            before
                .strip_suffix(**verb)
                .is_some_and(|rest| rest.ends_with('.'))
        }) else {
            continue;
        };
        let arguments = text.get(at + 1..).unwrap_or_default();
        let arguments = arguments.split(')').next().unwrap_or_default();
        let verb = if *verb == "raw" { "" } else { *verb };
        out.push(format!("git {verb} {}", literals(arguments).join(" ")));
    }
    out
}

/// A program and what is asked of it again and again.
struct Code<'t> {
    language: &'t str,
    text: &'t str,
    /// The text with blanks where its literals are.
    run: String,
    /// The text without blanks.
    tight: String,
    /// The lists of words that it holds some of.
    found: Lists,
    /// What of it is not really done.
    pretended: Pretended,
}

impl Code<'_> {
    /// Directories with all that is in them.
    fn trees(&self, judge: &mut Judge, call: Call) {
        if self.pretended.files {
            return;
        }
        let verb = format!("{} deletes a tree", self.language);
        let deletes = interpreter(self.language)
            .filter(|_| self.found.has(Lists::DELETES))
            .map_or(&[][..], |known| known.deletes);
        for name in deletes {
            for at in self.places(name) {
                self.deleted(judge, call, &verb, at + name.len(), Reach::Files);
            }
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
            if renamed.iter().any(|name| self.text.contains(name)) {
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
        if self.pretended.files {
            return;
        }
        // In a directory of its own it may list and delete; a path that it names is elsewhere.
        let named = [
            "'/", "\"/", "'~", "\"~", "dir('", "dir(\"", "glob('", "glob(\"", "Path('", "Path(\"",
            "Sync('", "Sync(\"", "walk('", "walk(\"", "Dir['", "Dir[\"",
        ];
        let own = self.found.has(Lists::TEMPORARY)
            && !named.iter().any(|start| self.tight.contains(start));
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
        self.overwrites(judge, call);
        self.rewrites(judge, call);
        if !self.found.has(Lists::WRITES) {
            return;
        }
        for path in self.emptied() {
            let verb = format!("{} empties a file", self.language);
            let word = Word::plain(path.unwrap_or_default());
            if path.is_some() && judge.is_temporary(call, &word) {
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

    /// Services, databases, other machines.
    fn elsewhere(&self, judge: &mut Judge, call: Call) {
        let mut hit = |kind, tier, what: &str| {
            let verb = format!("{} {what}", self.language);
            judge.hit(Some(call), kind, tier, &verb, []);
        };
        if (self.found.has(Lists::FETCHES) && self.evaluates())
            || (self.found.has(Lists::SOCKETS) && self.found.has(Lists::HANDED_OVER))
        {
            hit(Kind::NetworkExec, Tier::Destructive, "runs a download");
        }
        if self.found.has(Lists::DECODINGS)
            && (self.found.has(Lists::SHELL_CALLS) || self.evaluates())
        {
            hit(Kind::NetworkExec, Tier::Destructive, "runs what it decodes");
        }
        if sends::sends_secrets(&self.tight) && !request::is_local(self.text) {
            hit(Kind::Credentials, Tier::Destructive, "sends secrets");
        }
        let elsewhere = !self.pretended.elsewhere;
        let promised = calls::promised(&self.run).filter(|_| elsewhere && self.language != "awk");
        let one = promised.is_some_and(|(tier, _)| tier == Tier::Risky);
        if let Some((tier, name)) = promised {
            // One after the other, as they are listed.
            let each = ["for ", "forEach(", ".map(", ".each"]
                .iter()
                .any(|way| self.text.contains(way))
                && [
                    ".scan(", ".list", ".search", ".find(", "paginate", ".query(",
                ]
                .iter()
                .any(|way| self.run.contains(way));
            let tier = if each { Tier::Destructive } else { tier };
            let tier = if request::is_local(self.text) {
                Tier::Risky
            } else {
                tier
            };
            hit(Kind::RemoteDelete, tier, name);
        }
        if self.discards() {
            hit(Kind::DiscardChanges, Tier::Destructive, "discards changes");
        }
        if elsewhere && (self.found.has(Lists::ROW_DELETES) || self.replaces_a_table()) {
            hit(Kind::DatabaseWrite, Tier::Destructive, "deletes rows");
        }
        if self.found.has(Lists::REQUESTS) {
            let tier = if request::is_local(self.text) {
                Tier::Risky
            } else {
                Tier::Destructive
            };
            hit(Kind::RemoteDelete, tier, "DELETE");
        } else if elsewhere
            && !one
            && self.found.has(Lists::SERVICES)
            && self.found.has(Lists::SERVICE_DELETES)
            && self.asks_a_service()
        {
            hit(
                Kind::RemoteDelete,
                Tier::Destructive,
                "deletes at a service",
            );
        }
        if self.found.has(Lists::SERVICE_DELETES) && self.deletes_every_key() {
            hit(Kind::DatabaseWrite, Tier::Destructive, "deletes keys");
        }
        if FORK_BOMBS.iter().any(|bomb| self.tight.contains(bomb)) {
            hit(Kind::ProcessKill, Tier::Catastrophic, "fork bomb");
        }
        let moved = ["rename", "move("]
            .iter()
            .any(|call| self.run.contains(call) || self.tight.contains(call));
        if moved
            && [",'/dev/null'", ",\"/dev/null\""]
                .iter()
                .any(|to| self.tight.contains(to))
        {
            hit(Kind::Delete, Tier::Destructive, "moves to nowhere");
        }
        if self.tight.contains(".kill(-1,") {
            hit(Kind::ProcessKill, Tier::Destructive, "ends every process");
        }
    }

    /// What libraries for git throw away.
    fn discards(&self) -> bool {
        let tight = self.tight.as_str();
        tight.contains("GIT_RESET_HARD")
            || (tight.contains(".push(") && tight.contains("force=True"))
    }

    /// Tables of a database that are made anew, with what is given, or emptied by a condition that is
    /// none.
    fn replaces_a_table(&self) -> bool {
        let tight = self.tight.as_str();
        let kept = tight.contains(":memory:") || self.found.has(Lists::TEMPORARY);
        let replaced = (tight.contains(".to_sql(")
            && (tight.contains("if_exists='replace'") || tight.contains("if_exists=\"replace\"")))
            || (tight.contains("dbWriteTable(") && tight.contains("overwrite=TRUE"));
        let all = (tight.contains(".update_all(") && !tight.contains(".where("))
            || tight.contains(".objects.update(")
            || tight.contains(".objects.all().update(");
        let jobs = tight.contains("Jenkins") && tight.contains(".delete()");
        (replaced && !kept) || all || jobs
    }

    /// `[r.delete(k) for k in r.scan_iter('*')]`
    fn deletes_every_key(&self) -> bool {
        ["scan_iter(", ".keys('*", ".keys(\"*", "scanStream("]
            .iter()
            .any(|listing| self.tight.contains(listing))
            && [".delete(", ".unlink(", ".del("]
                .iter()
                .any(|call| self.run.contains(call))
    }

    /// Whether text becomes a program; `re.compile(` and `/x/.exec(` are others' calls.
    fn evaluates(&self) -> bool {
        self.found.has(Lists::EVALUATIONS)
            && EVALUATIONS.iter().any(|name| {
                let mut found = self.text.match_indices(name);
                found.any(|(at, _)| {
                    let before = self
                        .text
                        .get(..at)
                        .and_then(|text| text.chars().next_back());
                    name.starts_with('(')
                        || !before
                            .is_some_and(|last| matches!(last, '.' | '_') || last.is_alphanumeric())
                })
            })
    }

    fn asks_a_service(&self) -> bool {
        // `new DeleteObjectCommand(…)`
        let ordered = |at: usize| {
            let rest = self.run.get(at..).unwrap_or_default();
            let name = rest.split('(').next().unwrap_or_default();
            name.len() < 64 && name.ends_with("Command")
        };
        // `gh.git.deleteRef(…)`
        let named = |(at, name): (usize, &str)| {
            let rest = self.run.get(at + name.len()..).unwrap_or_default();
            rest.starts_with(|next: char| next.is_ascii_uppercase())
        };
        SERVICE_DELETES.iter().any(|call| self.run.contains(call))
            || self.run.match_indices(".delete").take(MAX_CALLS).any(named)
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

    /// `for d in ("build", "dist")`: all that the program names can be made again.
    fn names_what_is_made_again(&self) -> bool {
        let named = literals(self.text);
        let again = |name: &str| name.split('/').any(is_regenerable);
        let mut names = named.iter().flat_map(|text| text.split(' ')).peekable();
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
        let target = literal_at(self.text, at).or_else(|| literal_before(self.text, at));
        let Some(target) = target else {
            // A variable: what the program made itself may go.
            if !self.found.has(Lists::TEMPORARY) {
                let tier = if usual == Reach::File || self.names_what_is_made_again() {
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
            if judge.loses_precious(call, &word, verb) {
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
}
