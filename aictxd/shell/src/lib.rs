//! Shell command lines as structure: which programs run, with which words, fed by what.
//!
//! A tolerant reader of POSIX shell (with the common bash forms), not an interpreter: nothing is
//! executed. Whoever decides on a command decides on [`SimpleCommand`]s, so that quoting,
//! separators, substitutions and wrappers such as `sudo` or `bash -c` are understood in one place.
//! [`parse`] leaves expansions as written; [`analyse`] puts in what the text itself tells: braces,
//! variables assigned on the line, the words of a loop. Time and memory are linear in the analysed
//! text; what lies beyond the limits below is reported as [`Script::undecided`], never ignored
//! silently.
//!
//! Why not a library: a guard stands before every command of an agent, so 4 KB have to be read in
//! well under 200 µs, 1 MB in under 20 ms, and text that no shell accepts must still give its
//! commands. Measured on one machine (release, median): brush-parser 0.4 takes 498 µs for 4 KB and
//! 290 ms for 1 MB, and returns nothing for an unclosed quote, a stray `fi` or a here-document
//! without its end; tree-sitter-bash 0.25 takes 716 µs and 440 ms. Neither puts in values. This
//! reader takes about a tenth of that; `tests/oracle.rs` holds it against tree-sitter-bash.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod check;
mod commands;
mod const_branches;
mod const_values;
mod cow_text;
mod expand;
mod functions;
mod lex;
mod name_table;
mod program_traits;
mod redirection;
mod variables;
mod word;
mod word_builder;
mod wrappers;

pub use check::{
    Aside, Check, Coverage, Place, Reach, at_root, calls_a_file, calls_a_script,
    calls_tests_by_name, check_class, command_word, edits_behind, ends_as_its_tests, gives_up,
    hides_status, ignores_absence, inverts_status, is_narrowed, is_test_command, is_untested,
    language_of, normalise_command, only_checks, only_formats, only_looks, quoted, reaches,
    records, same_check, sets_aside, test_tools, tester, tests_behind, viewed,
};
pub use cow_text::Text;
pub use name_table::{ByName, NameHasher, Names};
use variables::Context;
pub use wrappers::{SHELLS, is_shell};

/// Bytes of a command line that are analysed. Longer ones are `undecided`.
pub const MAX_INPUT: usize = 2 * 1024 * 1024;
/// Nesting (substitutions, groups, `sh -c`, wrappers) that is followed. What lies deeper is read as
/// a flat list of commands, and the script is `undecided`.
pub const MAX_DEPTH: u8 = 24;
/// Simple commands of one command line.
pub const MAX_COMMANDS: usize = 4096;
/// Words of one command line.
pub const MAX_WORDS: usize = 32 * 1024;
/// Bytes of a directory that is followed through `cd`; beyond, it is not known.
const MAX_DIR: usize = 256;

/// One word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word<'t> {
    /// The word as the program would see it; an expansion stays as written (`$DIR`, `$(…)`). Most words
    /// stand in the line as they are, and are not copied out of it.
    pub text: Text<'t>,
    /// Some part was quoted or escaped.
    pub quoted: bool,
    /// Holds an expansion or substitution, so that its value is not known from the text.
    pub unknown: bool,
    /// Half-open range of commands (indices into [`Script::commands`]) whose output is part of
    /// this word.
    pub inner: Option<(u32, u32)>,
    /// Some part is the value of a variable that the text itself sets ([`analyse`] only).
    pub carried: bool,
    /// One of the texts it may have holds blanks, and nothing keeps them together: a shell makes words of
    /// it ([`SimpleCommand::split`]).
    pub splits: bool,
    /// That value may be another one by the time it is used.
    pub wavers: bool,
    /// The other texts it may have: a variable had several values ([`analyse`] only).
    pub others: Box<[String]>,
}

impl<'t> Word<'t> {
    /// A word without quotes or expansions.
    #[inline]
    pub fn plain(text: impl Into<Text<'t>>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same as a range; empty when there are none.
    pub fn range(&self) -> std::ops::Range<usize> {
        let (from, to) = self.inner.unwrap_or_default();
        from as usize..to as usize
    }

    /// The word as the name of a program: without its directory and `.exe`.
    pub fn program(&self) -> &str {
        // Asked many times of every command, and most names are short.
        let slash = |byte: &u8| matches!(byte, b'/' | b'\\');
        let base = match self.text.as_bytes().iter().rposition(slash) {
            Some(at) => self.text.get(at + 1..).unwrap_or_default(),
            None => &self.text,
        };
        match base.as_bytes() {
            [.., b'.', b'e', b'x', b'e'] => base.get(..base.len() - 4).unwrap_or(base),
            _ => base,
        }
    }
}

/// Kinds of redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `< file`
    Read,
    /// `> file`, `>| file`, `&> file`, `<> file`: the file is emptied or created.
    Write,
    /// `>> file`, `&>> file`
    Append,
    /// `<< word` and `<<- word`; the text is in [`Redirect::body`].
    Heredoc,
    /// `<<< word`
    Herestring,
    /// `2>&1`, `<&3`, `>&-`
    Duplicate,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect<'t> {
    /// Effect.
    pub kind: RedirectKind,
    /// File, descriptor or delimiter.
    pub target: Word<'t>,
    /// Text of a here-document.
    pub body: Option<String>,
}

/// Operator between a command and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joined {
    /// First of its list.
    #[default]
    First,
    /// `;` or a new line.
    Sequence,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`
    Pipe,
    /// `&`: the one before runs in the background.
    Background,
}

/// Role of a command, as far as the text tells ([`analyse`] only).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// A command like any other.
    #[default]
    Ordinary,
    /// It does not run: the text decides for another branch, or it stands in a function whose calls all
    /// follow, each with what it is given.
    Idle,
    /// It calls a function; what that does follows as commands of their own.
    Call,
}

/// One program call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand<'t> {
    /// Program and arguments. Wrappers (`sudo`, `env`, `timeout 5` …) are already taken off.
    pub words: Vec<Word<'t>>,
    /// Leading `NAME=value` words.
    pub assignments: Vec<Word<'t>>,
    /// Redirections, in order.
    pub redirects: Vec<Redirect<'t>>,
    /// Index of the command whose output it reads.
    pub piped_from: Option<usize>,
    /// Operator before it in the list.
    pub joined: Joined,
    /// Directory it runs in as far as `cd` words tell: relative to where the script started,
    /// empty for there, absolute after `cd /x`. `None` when not known.
    pub dir: Option<String>,
    /// It runs on another host (`ssh`): its paths are not ours.
    pub remote: bool,
    /// Operands come from elsewhere (`xargs`, `find -exec … {}`): there are more than are shown.
    pub fed: bool,
    /// It runs with the rights of another user (`sudo`, `doas`).
    pub elevated: bool,
    /// Nesting; 0 for what the line says directly.
    pub depth: u8,
    /// A `!` stands before it: the status of its pipeline is turned round.
    pub denied: bool,
    /// Role in the script.
    pub role: Role,
}

impl<'t> SimpleCommand<'t> {
    /// Program name without its directory, or an empty text.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", Word::program)
    }

    /// Words after the program.
    pub fn arguments(&self) -> &[Word<'t>] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the number of other forms that the values of its variables give it.
    pub fn variants(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.others.len())
            .max()
            .unwrap_or(0)
    }

    /// Returns the most bytes of one of these forms: the cost of looking at it.
    pub fn variant_size(&self) -> usize {
        let longest = |word: &Word| {
            let others = word.others.iter().map(String::len).max().unwrap_or(0);
            word.text.len().max(others) + 1
        };
        self.words.iter().map(longest).sum()
    }

    /// One of these forms.
    pub fn variant(&self, nth: usize) -> Self {
        // Many forms of many words: each has its own texts and no others.
        let words = self.words.iter().map(|word| Word {
            text: match word.others.get(nth) {
                Some(other) => other.clone().into(),
                None => word.text.clone(),
            },
            others: Box::default(),
            ..*word
        });
        let out = Self {
            words: words.collect(),
            assignments: self.assignments.clone(),
            redirects: self.redirects.clone(),
            dir: self.dir.clone(),
            ..*self
        };
        out.split().unwrap_or(out)
    }

    /// The same with the words that a shell makes of its [splitting](Word::splits) ones; nothing when there
    /// are none.
    pub fn split(&self) -> Option<Self> {
        let splits = |word: &Word| word.splits && word.text.contains(char::is_whitespace);
        if !self.words.iter().any(splits) {
            return None;
        }
        let words = self.words.iter().flat_map(|word| {
            let parts = if splits(word) {
                word.text.split_whitespace().collect()
            } else {
                vec![word.text.as_str()]
            };
            parts.into_iter().map(|text| Word {
                text: text.to_owned().into(),
                others: Box::default(),
                splits: false,
                ..*word
            })
        });
        Some(Self {
            words: words.collect(),
            assignments: self.assignments.clone(),
            redirects: self.redirects.clone(),
            dir: self.dir.clone(),
            ..*self
        })
    }

    /// Text that reaches standard input from the line itself (here-document or here-string).
    pub fn stdin_text(&self) -> Option<&str> {
        self.redirects
            .iter()
            .rev()
            .find_map(|redirect| match redirect.kind {
                RedirectKind::Heredoc => redirect.body.as_deref(),
                RedirectKind::Herestring => Some(&*redirect.target.text),
                _ => None,
            })
    }
}

/// Commands of a command line. Those of a substitution come before the command that uses them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script<'t> {
    /// Every program call found, in reading order.
    pub commands: Vec<SimpleCommand<'t>>,
    /// Something was left out or read without its nesting: too long, too deep, too many commands.
    pub undecided: bool,
    /// A quote or bracket is never closed: a shell would refuse the text or wait for more.
    pub unclosed: bool,
    /// Some of it runs in the background: the text is done before that is.
    pub background: bool,
    /// A wrapper ends before what it runs does (`setsid -f`).
    pub detached: bool,
}

/// Which shell a text is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// sh, bash, zsh and their kin.
    #[default]
    Posix,
    /// PowerShell and `cmd`, as far as they go together: a backslash is an ordinary character,
    /// a backtick or a caret escapes, braces and brackets hold commands.
    Windows,
}

/// Reads a command line. Never fails: text that no shell would accept gives the commands that can
/// be made out. Expansions stay as written.
pub fn parse(text: &str) -> Script<'_> {
    read(text, Context::default())
}

/// Path in place of the file or directory that `mktemp` makes.
pub const NEW_PLACE: &str = "/tmp/mktemp.new";

/// Reads a command line and puts in the values that it gives itself: `{a,b}`, `$'\x72m'`,
/// variables and arrays assigned on the line, the words of a loop, `$(echo x)`, `$(mktemp)` and
/// `$(pwd)`. A variable with several possible values gives a word with [`Word::others`].
pub fn analyse(text: &str, dialect: Dialect) -> Script<'_> {
    read(text, Context::expanding(dialect))
}

fn read<'t>(text: &'t str, mut context: Context<'t>) -> Script<'t> {
    let mut script = Script::default();
    let mut end = text.len();
    if end > MAX_INPUT {
        end = MAX_INPUT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        script.undecided = true;
    }
    let frame = Frame {
        dir: Some(String::new()),
        ..Frame::default()
    };
    let text = text.get(..end).unwrap_or_default();
    if context.expand {
        context.reads(text);
    }
    lex::run(&mut script, &mut context, text.into(), &frame, false);
    lex::run_deferred(&mut script, &mut context);
    if context.functions.enter() > 0 && context.is_plain() {
        context.functions.settle(&mut script, text, context.blurred);
    }
    script
}

/// Context that nested text inherits.
#[derive(Debug, Clone, Default)]
struct Frame {
    dir: Option<String>,
    remote: bool,
    fed: bool,
    elevated: bool,
    depth: u8,
}

/// Directory after `cd target` in `dir`.
fn change_dir(dir: Option<&str>, target: Option<&Word>) -> Option<String> {
    let target = match target {
        None => return Some("~".to_owned()),
        Some(word) if word.unknown || word.text == "-" => return None,
        Some(word) => word.text.as_str(),
    };
    if target.starts_with(['/', '~']) {
        return Some(target.to_owned());
    }
    match dir? {
        "" => Some(target.to_owned()),
        dir if dir.len() + target.len() < MAX_DIR => {
            Some(format!("{}/{target}", dir.trim_end_matches('/')))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
