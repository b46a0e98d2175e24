//! Programs for interpreters: not understood, but searched for what they call.

use aictx_signals::shell::Word;

use super::data::{interpreter, statement_tier};
use super::table::{EVALUATIONS, SERVICE_DELETES, SHELL_CALLS, UNLINKS};
use super::target::{Reach, is_disk, is_regenerable};
use super::{Call, Judge, Kind, Tier, request, writes};

mod literals;
mod pretended;
mod search;
mod sends;

pub(super) use literals::literals;
use literals::{
    bracketed, first_literal, literal_at, literal_before, without_literals, without_printed,
};
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
    // What `awk` prints goes to another program as often as not.
    let text = if language == "awk" {
        std::borrow::Cow::Borrowed(text)
    } else {
        without_printed(text)
    };
    let text = text.as_ref();
    let tight: String = text.split_ascii_whitespace().collect();
    let found = search(text, &tight);
    let deletes = [
        Lists::DELETES,
        Lists::UNLINKS,
        Lists::RECURSIVE,
        Lists::SERVICE_DELETES,
    ];
    let code = Code {
        language,
        text,
        run: if found.any(&deletes) || (language == "python" && found.has(Lists::SHELL_CALLS)) {
            without_literals(text)
        } else {
            String::new()
        },
        pretended: Pretended::of(text, &tight),
        tight,
        found,
    };
    code.trees(judge, call);
    code.files(judge, call);
    code.elsewhere(judge, call);
    // A call that stands in a text is none.
    let calls = || SHELL_CALLS.iter().any(|call| code.run.contains(call));
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
        if self.found.has(Lists::LISTINGS)
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
                Some(_) => judge.emptying(call, &word),
                None => Tier::Destructive,
            };
            judge.hit(Some(call), Kind::Overwrite, tier, &verb, path);
        }
    }

    /// Disks that are opened for writing, archives unpacked over what lies elsewhere, and nothing copied
    /// over a file.
    fn overwrites(&self, judge: &mut Judge, call: Call) {
        let tight = self.tight.as_str();
        let after = |name: &'static str| {
            let found = tight.match_indices(name).take(MAX_CALLS);
            found.filter_map(move |(at, _)| tight.get(at + name.len()..))
        };
        let verb = format!("{} overwrites", self.language);
        for rest in after("open(") {
            let arguments = rest.split(')').next().unwrap_or_default();
            let writes = ["'w", "\"w", "'r+", "\"r+", "'a", "\"a"];
            if let Some(path) = first_literal(arguments)
                && is_disk(path)
                && writes.iter().any(|mode| arguments.contains(mode))
            {
                judge.hit(Some(call), Kind::Disk, Tier::Catastrophic, &verb, [path]);
            }
        }
        for name in ["extractall(", "unpack_archive("] {
            for rest in after(name) {
                let arguments = rest.split(')').next().unwrap_or_default();
                let place = arguments.trim_start_matches("path=");
                let place = place
                    .split_once(',')
                    .map_or(place, |(first, second)| match name {
                        "extractall(" => first,
                        _ => second.trim_start_matches("extract_dir="),
                    });
                if let Some(path) = first_literal(place)
                    && judge.is_outside(call, &Word::plain(path))
                {
                    judge.hit(
                        Some(call),
                        Kind::Overwrite,
                        Tier::Destructive,
                        &verb,
                        [path],
                    );
                }
            }
        }
        for name in [
            "copyfile('/dev/null',",
            "copyfile(\"/dev/null\",",
            "copyFileSync('/dev/null',",
        ] {
            for rest in after(name) {
                let path = first_literal(rest);
                let temporary =
                    path.is_some_and(|path| judge.is_temporary(call, &Word::plain(path)));
                if !temporary {
                    judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, &verb, path);
                }
            }
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

    /// Tables of a database that are made anew, with what is given, or emptied by a condition that is
    /// none.
    fn replaces_a_table(&self) -> bool {
        let tight = self.tight.as_str();
        let kept = tight.contains(":memory:") || self.found.has(Lists::TEMPORARY);
        let replaced = (tight.contains(".to_sql(")
            && (tight.contains("if_exists='replace'") || tight.contains("if_exists=\"replace\"")))
            || (tight.contains("dbWriteTable(") && tight.contains("overwrite=TRUE"));
        let all = tight.contains(".update_all(") && !tight.contains(".where(");
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

    /// A deletion whose arguments start at `at`.
    fn deleted(&self, judge: &mut Judge, call: Call, verb: &str, at: usize, usual: Reach) {
        let target = literal_at(self.text, at).or_else(|| literal_before(self.text, at));
        let Some(target) = target else {
            // A variable: what the program made itself may go.
            if !self.found.has(Lists::TEMPORARY) {
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
        // `openSync('x', 'w')`, `f = open('x', 'w'); f.close()`: and nothing is written.
        let silent = ![
            "write(",
            "write ",
            "writeSync",
            "dump",
            "print",
            "puts",
            "stdout",
            "stdio",
            "pipe",
            "save",
            "copy",
            "<<",
        ]
        .iter()
        .any(|way| self.text.contains(way));
        for name in ["openSync(", "createWriteStream("] {
            for (at, _) in tight.match_indices(name).take(MAX_CALLS) {
                let rest = tight.get(at + name.len()..).unwrap_or_default();
                let arguments = rest.split(')').next().unwrap_or_default();
                let writes = name == "createWriteStream("
                    || [",'w", ",\"w"].iter().any(|mode| arguments.contains(mode));
                if writes && silent && !arguments.contains("flags") {
                    out.push(first_literal(arguments));
                }
            }
        }
        // `open(my $f, '>', 'x')`
        if self.language == "perl" && silent {
            for (at, _) in tight.match_indices("open(my").take(MAX_CALLS) {
                let rest = tight.get(at..).unwrap_or_default();
                let behind = ["'>',", "\">\","].iter().find_map(|mode| {
                    let (_, behind) = rest.split_once(mode)?;
                    Some(behind)
                });
                out.extend(behind.map(first_literal));
            }
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
                    ":close(",
                    ".write('')",
                    ".write(\"\")",
                    ".write(b'')",
                    "asf:pass",
                    "{}",
                    "doioend",
                    "asf:json.dump({},f)",
                    "asf:json.dump([],f)",
                    "asf:f.write('[]')",
                    "asf:f.write('{}')",
                ]
                .iter()
                .any(|next| behind.starts_with(next))
                || behind.starts_with("asf:f.write('')")
                || behind.starts_with("asf:f.write(\"\")");
            let closed = silent && behind.ends_with(".close()") && behind.matches('(').count() == 1;
            if writes && ((nothing && !kept) || closed) {
                // `Path('x').open('w')`
                let mode = arguments.starts_with(['\'', '"']) && !arguments.contains(',');
                out.push(if mode {
                    literal_before(tight, at + "open(".len())
                } else {
                    first_literal(arguments)
                });
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
                let path = first_literal(arguments);
                let nothing = [",''", ",\"\"", ",nil,0644", ",null", ",[]byte{},0644"]
                    .iter()
                    .any(|end| arguments.ends_with(end));
                // A list of nothing is how a new file begins, and how a table of data ends.
                let none = [",'[]'", ",\"[]\"", ",'{}'", ",\"{}\""]
                    .iter()
                    .any(|end| arguments.ends_with(end))
                    && path.is_some_and(writes::is_kept_data);
                if nothing || none {
                    out.push(path);
                }
            }
        }
        out
    }
}
