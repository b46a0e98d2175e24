//! Tools by the shape of their input, for names that no table has.
//!
//! Agents and their servers run command lines, type into terminals and edit files under ever new names. Their
//! arguments look alike: a `command`, a text under `chars` for a terminal, a path beside new content. Members are
//! read at any level down to [`MAX_DEPTH`]. Prose under such a member is no command line.

use std::borrow::Cow;

use serde_json::value::RawValue;

use aictx_proto::text::shell_word;

use crate::event_and_tool_tables::{
    BACKGROUND, COMMANDS, DIRECTORIES, PATCHES, PATHS, SERVER_PATHS, detached, patched,
    without_scheme, words_of,
};
use crate::payload::Members;
use crate::{Action, MAX_PATCHED};

/// Objects within objects that are read, and how many of them in all.
const MAX_DEPTH: u8 = 4;
const MAX_OBJECTS: usize = 256;
/// Command lines of one call.
const MAX_LINES: usize = 64;
/// Bytes of a text that is read as a command line without its member saying so.
const MAX_TYPED: usize = 64 * 1024;

/// Members beside [`COMMANDS`] that always hold a command line.
const LINES: &[&str] = &[
    "shell_command",
    "shellCommand",
    "bash_command",
    "bashCommand",
    "command_string",
    "commandString",
    "cmdline",
    "cmd_line",
    "cmdLine",
    "argv",
];
/// Members with the arguments of a program named by another member.
const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];
/// Members that name a program.
const PROGRAMS: &[&str] = &["program", "executable", "exe", "binary"];
/// Members that hold what is typed.
const KEYS: &[&str] = &["chars", "keys", "keystrokes", "stdin", "sequence"];
/// Members that hold any text, also what is typed or run.
const TEXTS: &[&str] = &["input", "text", "data", "line", "script", "code", "run"];
/// Members that say what language a text is in.
const LANGUAGES: &[&str] = &["language", "lang", "kernel", "runtime", "interpreter"];
/// Parts of a name that speak of a terminal.
const TERMINALS: &[&str] = &[
    "terminal", "shell", "bash", "pty", "tty", "pane", "tmux", "stdin", "console",
];
/// Members that hold the new text of a file.
const CONTENTS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "fileText",
    "file_content",
    "fileContent",
    "new_content",
    "newContent",
    "new_contents",
    "newContents",
    "new_str",
    "newStr",
    "new_string",
    "newString",
    "new_text",
    "newText",
    "new_source",
    "newSource",
    "insert_text",
    "insertText",
    "replacement",
    "replace_with",
    "replaceWith",
    "code_edit",
    "codeEdit",
    "edits",
    "replacements",
    "old_str",
    "old_string",
    "oldString",
    "oldText",
    "old_text",
];
/// Members of a tool that works on a repository elsewhere.
const REMOTE: &[&str] = &["owner", "repo", "repository", "project_id", "projectId"];
/// Members that throw away what was not committed when they are true.
const DISCARDS: &[&str] = &[
    "discard_changes",
    "discardChanges",
    "discard_uncommitted",
    "discardUncommitted",
    "discard_uncommitted_changes",
    "discardUncommittedChanges",
];
/// Sub-commands of file editors, which stand under `command` beside a path.
const EDITS: &[&str] = &[
    "create",
    "write",
    "append",
    "insert",
    "edit",
    "update",
    "replace",
    "overwrite",
    "str_replace",
    "str_replace_all",
    "undo_edit",
    "delete",
    "remove",
    "rename",
    "move",
];
/// Enter, as tools for terminals write it; a line feed and a carriage return beside.
const ENTERS: &[&str] = &[
    "{enter}", "<enter>", "[enter]", "{return}", "<return>", "<cr>", " enter", " c-m", "\\n", "\\r",
];
/// Words that make a text prose: no command line has one of them as a word of its own without quotes.
const PROSE: &[&str] = &[
    "the", "a", "an", "is", "are", "was", "be", "this", "that", "these", "it", "its", "you",
    "your", "we", "i", "me", "my", "would", "should", "could", "must", "will", "does", "do", "did",
    "why", "how", "what", "when", "because", "please", "never", "not", "don't", "and", "or", "but",
    "to", "of",
];

/// Returns the action of a call, by its arguments.
pub(crate) fn action<'a>(tool: &str, input: &Members<'a>) -> Action<'a> {
    let mut found = Found::default();
    if speaks_of_terminal(tool) {
        found.terminal = true;
    }
    found.object(input, 0);
    found.action()
}

/// Findings in the members of a call.
#[derive(Default)]
struct Found<'a> {
    terminal: bool,
    objects: usize,
    lines: Vec<Cow<'a, str>>,
    paths: Vec<Cow<'a, str>>,
    dir: Cow<'a, str>,
    background: bool,
    discards: bool,
}

impl<'a> Found<'a> {
    fn object(&mut self, members: &Members<'a>, depth: u8) {
        self.objects += 1;
        if depth > MAX_DEPTH || self.objects > MAX_OBJECTS {
            return;
        }
        self.terminal |= members.names().any(speaks_of_terminal);
        self.background |= members.flag(BACKGROUND);
        self.discards |= members.flag(DISCARDS);
        if self.dir.is_empty() {
            self.dir = members.text(DIRECTORIES);
        }
        if !self.edit(members) {
            self.run(members);
        }
        // What is said beside a nested object holds for it, not for its neighbours.
        let terminal = self.terminal;
        for raw in members.values() {
            self.nested(raw, depth + 1);
            self.terminal = terminal;
        }
    }

    fn nested(&mut self, raw: &'a RawValue, depth: u8) {
        match raw.get().as_bytes().first() {
            Some(b'{') => self.object(&Members::of(raw), depth),
            Some(b'[') if depth <= MAX_DEPTH => {
                for element in crate::payload::elements_of(raw) {
                    self.nested(element, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// A patch, or a file with its new text.
    fn edit(&mut self, members: &Members<'a>) -> bool {
        for name in PATCHES {
            let text = members.text(&[name]);
            if text.contains("*** Begin Patch") || is_unified(&text) {
                self.patch(&text);
                return true;
            }
        }
        let command = members.text(&["command"]);
        let has_content = CONTENTS.iter().any(|name| {
            let raw = members.raw(name).map(|raw| raw.get());
            raw.is_some_and(|raw| raw.starts_with(['"', '[']) && raw != "[]")
        });
        let has_line = members.raw("insert_line").is_some() || members.raw("line").is_some();
        let has_text = has_line && !members.text(&["text"]).is_empty();
        if !has_content && !has_text && !EDITS.contains(&command.as_ref()) {
            return false;
        }
        if REMOTE.iter().any(|name| !members.text(&[name]).is_empty()) {
            return false;
        }
        let before = self.paths.len();
        for name in PATHS.iter().chain(SERVER_PATHS) {
            // What `source` holds may be the text itself.
            let path = without_scheme(members.text(&[name]));
            if is_path(&path) && self.paths.len() < MAX_PATCHED {
                self.paths.push(path);
            }
        }
        self.paths.len() > before
    }

    fn patch(&mut self, text: &str) {
        let Action::Patch(mut paths) = detached(patched(text)) else {
            return;
        };
        let heads = text.lines().filter_map(|line| {
            let path = line
                .strip_prefix("+++ ")
                .or_else(|| line.strip_prefix("--- "))?;
            let path = path.split('\t').next().unwrap_or(path).trim();
            let path = path
                .strip_prefix("a/")
                .or_else(|| path.strip_prefix("b/"))
                .unwrap_or(path);
            (path != "/dev/null").then(|| Cow::Owned(path.to_owned()))
        });
        if paths.is_empty() {
            paths.extend(heads.take(MAX_PATCHED));
        }
        for path in paths {
            if self.paths.len() < MAX_PATCHED && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }

    fn run(&mut self, members: &Members<'a>) {
        let names = || COMMANDS.iter().chain(LINES).chain(PROGRAMS);
        for name in names().filter(|name| **name != "script") {
            let text = members.text(&[name]);
            let arguments = ARGUMENTS.iter().filter(|other| *other != name);
            let arguments = arguments.map(|other| words_of(members, other));
            let arguments = arguments.into_iter().find(|words| !words.is_empty());
            let line = match (text.is_empty(), arguments) {
                (true, _) => words_of(members, name),
                (false, Some(arguments)) => Cow::Owned(format!("{text} {arguments}")),
                (false, None) => text,
            };
            // `/review 12` is a command for the agent itself.
            if !line.trim().is_empty() && !is_slash_command(&line) {
                self.line(line);
                return;
            }
        }
        self.lines_of(members);
        for name in KEYS.iter().chain(TEXTS) {
            let text = members.text(&[name]);
            if text.is_empty() || text.len() > MAX_TYPED {
                continue;
            }
            if let Some(line) = self.typed(name, text, members) {
                self.background |= KEYS.contains(name) || self.terminal;
                self.line(line);
            }
        }
    }

    /// The elements of `commands`; those that are objects are read as objects.
    fn lines_of(&mut self, members: &Members<'a>) {
        for raw in members.elements("commands") {
            let line = crate::payload::text_of(raw);
            if !line.is_empty() {
                self.line(line);
            }
        }
    }

    /// A text as a command line, where it is one.
    fn typed(&self, name: &str, text: Cow<'a, str>, members: &Members<'a>) -> Option<Cow<'a, str>> {
        if let Some(line) = in_language(&members.text(LANGUAGES), &text) {
            return Some(Cow::Owned(line));
        }
        let (line, has_enter) = without_enter(&text);
        let is_typed = self.terminal || has_enter || KEYS.contains(&name);
        let is_line = reads_as_command(line) && (is_typed || !is_prose(line));
        // A chat has a `text`, too.
        let is_line = is_line && (is_typed || name != "text");
        is_line.then(|| Cow::Owned(line.to_owned()))
    }

    fn line(&mut self, line: Cow<'a, str>) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        }
    }

    fn action(mut self) -> Action<'a> {
        let command = match (self.lines.pop(), self.lines.is_empty()) {
            (None, _) if self.discards => return Action::Discard,
            (None, _) => {
                return match <[_; 1]>::try_from(self.paths) {
                    Ok([path]) => Action::Edit(path),
                    Err(paths) if paths.is_empty() => Action::Other,
                    Err(paths) => Action::Patch(paths),
                };
            }
            (Some(only), true) => only,
            (Some(last), false) => {
                self.lines.push(last);
                Cow::Owned(self.lines.join("\n"))
            }
        };
        Action::Command {
            command,
            background: self.background,
            dir: self.dir,
        }
    }
}

/// Returns true if one of the words of a name is about a terminal: `terminalId`, `write_stdin`.
fn speaks_of_terminal(name: &str) -> bool {
    let mut word = String::new();
    // One more at the end, which ends the last word.
    for c in name.chars().chain(['_']) {
        if !c.is_ascii_lowercase() {
            if TERMINALS.contains(&word.as_str()) {
                return true;
            }
            word.clear();
        }
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
    }
    false
}

/// A text in a language that a program is handed on its command line.
fn in_language(language: &str, text: &str) -> Option<String> {
    let language = language.to_ascii_lowercase();
    let program = match language.trim() {
        "bash" | "sh" | "shell" | "zsh" => return Some(text.to_owned()),
        "python" | "python3" | "py" => "python3 -c",
        "javascript" | "js" | "node" => "node -e",
        "ruby" => "ruby -e",
        "perl" => "perl -e",
        _ => return None,
    };
    Some(format!("{program} {}", shell_word(text)))
}

/// A diff with the heads of a file.
fn is_unified(text: &str) -> bool {
    let has = |head: &str| text.starts_with(head) || text.contains(&format!("\n{head}"));
    has("--- ") && has("+++ ") && has("@@")
}

/// Returns true for text that may be the name of a file.
fn is_path(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['\n', '\r', '\0'])
}

/// A command of the agent's own prompt, such as `/review 12`: no program lies in the root directory.
fn is_slash_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let name = first.strip_prefix('/').unwrap_or_default();
    !name.is_empty() && !name.contains('/')
}

/// A text without the key that sends it, and whether that was there; a mere line feed also ends prose.
fn without_enter(text: &str) -> (&str, bool) {
    let mut rest = text.trim_end_matches('\n');
    let mut has_enter = false;
    loop {
        let trimmed = rest.trim_end();
        has_enter |= trimmed.len() < rest.len() && rest.ends_with('\r');
        rest = trimmed;
        let end = ENTERS.iter().find(|end| {
            let at = rest.len().checked_sub(end.len());
            let tail = at.and_then(|at| rest.get(at..));
            tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
        });
        let Some(end) = end else {
            return (rest, has_enter);
        };
        has_enter = true;
        rest = rest.get(..rest.len() - end.len()).unwrap_or_default();
    }
}

/// Returns true if a text begins as a command line does: with the name of a program, and something that only
/// command lines have, or nothing more than a few words.
fn reads_as_command(text: &str) -> bool {
    const OTHER_LANGUAGES: &[&str] = &[
        "const", "let", "var", "function", "class", "def", "async", "await", "return", "new",
        "import", "from", "use", "fn", "package", "select", "insert", "update", "delete",
    ];
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(line) = lines.next() else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_./~+-$\"'\\{}".contains(c);
    let mut words = line.split_whitespace().skip_while(|word| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    let Some(first) = words.next() else {
        return false;
    };
    let first = first
        .trim_end_matches([';', '&', '|'])
        .trim_start_matches('(');
    let is_program = !first.is_empty()
        && first.chars().all(is_name)
        && first.contains(|c: char| c.is_ascii_alphanumeric())
        && !first.ends_with(['.', '-'])
        && !OTHER_LANGUAGES.contains(&first.to_ascii_lowercase().as_str());
    if !is_program {
        return false;
    }
    let rest: Vec<&str> = words.collect();
    let tells = |word: &&str| {
        word.starts_with(['-', '~', '$', '>', '|', '&', '<', '.', '/'])
            || word.contains(['/', '*'])
            || word.ends_with(';')
    };
    rest.len() <= 3 || rest.iter().any(tells)
}

/// Returns true if a text is a sentence rather than a command line.
fn is_prose(text: &str) -> bool {
    let ends_sentence = |word: &str| word.ends_with([',', ':', '?', '!', '.']) && word.len() > 2;
    let mut quote = None;
    for word in text.split_whitespace() {
        // What is quoted may say anything.
        let marks = word.chars().filter(|c| matches!(c, '"' | '\'' | '`'));
        let plain = quote.is_none();
        for mark in marks {
            quote = match quote {
                Some(open) if open == mark => None,
                None => Some(mark),
                open => open,
            };
        }
        let lower = word.to_ascii_lowercase();
        let is_path = word.contains('/');
        if plain && !is_path && (ends_sentence(word) || PROSE.contains(&lower.as_str())) {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[path = "tool_shape_tests.rs"]
mod tests;
