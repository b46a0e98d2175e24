//! The files that a program writes, where it names them: they go through the checks that a redirection of the
//! shell goes through.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use aictx_shell::Word;

use super::literals::{first_literal, literal_at};
use super::prefilter::Lists;
use super::{Code, MAX_CALLS};
use crate::command::path_target::Touch;
use crate::command::{Call, Judge};

/// Bytes of the arguments of one call, and of what it is called on.
const MAX_EXPRESSION: usize = 512;
/// Names that one expression is made of, how deep they are followed, and what may come of it.
const MAX_NAMES: usize = 8;
const MAX_DEPTH: u8 = 3;
const MAX_PATHS: usize = 8;
/// Uses of a name that are looked at for what it stands for, and names of one program that are looked up.
const MAX_USES: usize = 16;
const MAX_LOOKUPS: u8 = 64;

/// Which part of a call names the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// The first argument, if the mode behind it writes; or what the call is made on, if the first is a mode.
    Opened,
    /// The first argument.
    First,
    /// Receiver of the call.
    On,
    /// The second argument.
    Second,
    /// The second argument, and the first is taken away; or the first, and what the call is made on is.
    Moved,
}

/// Calls that write, by the end of their name.
const CALLS: &[(&str, Named, Touch)] = &[
    ("open(", Named::Opened, Touch::Alter),
    ("fopen(", Named::Opened, Touch::Alter),
    ("openSync(", Named::Opened, Touch::Alter),
    ("File.new(", Named::Opened, Touch::Alter),
    ("ZipFile(", Named::Opened, Touch::Alter),
    ("createWriteStream(", Named::First, Touch::Alter),
    ("writeFile(", Named::First, Touch::Alter),
    ("writeFileSync(", Named::First, Touch::Alter),
    ("outputFile(", Named::First, Touch::Alter),
    ("outputFileSync(", Named::First, Touch::Alter),
    ("writeTextFile(", Named::First, Touch::Alter),
    ("writeTextFileSync(", Named::First, Touch::Alter),
    ("Bun.write(", Named::First, Touch::Alter),
    ("File.write(", Named::First, Touch::Alter),
    ("IO.write(", Named::First, Touch::Alter),
    ("file_put_contents(", Named::First, Touch::Alter),
    ("WriteFile(", Named::First, Touch::Alter),
    ("os.Create(", Named::First, Touch::Alter),
    ("appendFile(", Named::First, Touch::Append),
    ("appendFileSync(", Named::First, Touch::Append),
    ("truncateSync(", Named::First, Touch::Alter),
    ("os.truncate(", Named::First, Touch::Alter),
    ("os.chmod(", Named::First, Touch::Alter),
    ("chmodSync(", Named::First, Touch::Alter),
    ("FileUtils.touch(", Named::First, Touch::Create),
    ("os.mkdir(", Named::First, Touch::Create),
    ("makedirs(", Named::First, Touch::Create),
    ("mkdirSync(", Named::First, Touch::Create),
    ("mkdir_p(", Named::First, Touch::Create),
    (".to_csv(", Named::First, Touch::Create),
    (".to_json(", Named::First, Touch::Create),
    (".to_parquet(", Named::First, Touch::Create),
    (".savefig(", Named::First, Touch::Create),
    (".write_text(", Named::On, Touch::Alter),
    (".write_bytes(", Named::On, Touch::Alter),
    (".touch(", Named::On, Touch::Create),
    (".mkdir(", Named::On, Touch::Create),
    ("copy(", Named::Second, Touch::Alter),
    ("copy2(", Named::Second, Touch::Alter),
    ("copyfile(", Named::Second, Touch::Alter),
    ("copytree(", Named::Second, Touch::Alter),
    ("copyFile(", Named::Second, Touch::Alter),
    ("copyFileSync(", Named::Second, Touch::Alter),
    ("cpSync(", Named::Second, Touch::Alter),
    ("FileUtils.cp(", Named::Second, Touch::Alter),
    ("symlink(", Named::Second, Touch::Create),
    ("symlinkSync(", Named::Second, Touch::Create),
    ("ln_s(", Named::Second, Touch::Create),
    ("os.link(", Named::Second, Touch::Create),
    ("linkSync(", Named::Second, Touch::Create),
    ("urlretrieve(", Named::Second, Touch::Create),
    ("os.replace(", Named::Moved, Touch::Alter),
    ("rename(", Named::Moved, Touch::Alter),
    ("renameSync(", Named::Moved, Touch::Alter),
    ("shutil.move(", Named::Moved, Touch::Alter),
    ("FileUtils.mv(", Named::Moved, Touch::Alter),
    ("os.remove(", Named::First, Touch::Remove),
    ("os.unlink(", Named::First, Touch::Remove),
    ("unlinkSync(", Named::First, Touch::Remove),
    ("rmSync(", Named::First, Touch::Remove),
    ("rmtree(", Named::First, Touch::Remove),
    ("File.delete(", Named::First, Touch::Remove),
    (".unlink(", Named::On, Touch::Remove),
];

/// Their names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CALLS.iter().map(|(name, ..)| *name)
}

/// All of them in one pass; a name that ends as a shorter one does is found as both.
static NAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // All of them end in a bracket, which is no rare byte in a program.
    AhoCorasick::builder().prefilter(false).build(names()).ok()
});

/// Names that paths are made with, and which add nothing to them.
const AROUND: &[&str] = &[
    "Path",
    "PurePath",
    "PosixPath",
    "pathlib",
    "os",
    "sys",
    "path",
    "fs",
    "str",
    "join",
    "resolve",
    "normalize",
    "expanduser",
    "expand_path",
    "abspath",
    "realpath",
    "absolute",
    "joinpath",
    "Dir",
    "File",
    "ENV",
    "environ",
    "process",
    "env",
    "get",
    "getenv",
    "Bun",
    "file",
    "Pathname",
    "new",
    "require",
    "my",
    "r",
    "b",
    "u",
];

/// Names of the user's home.
const HOMES: &[&str] = &["home", "homedir", "HOME", "UserHomeDir"];
/// Names of the words behind a program.
const GIVEN: &[&str] = &["argv", "ARGV", "Args"];

impl Code<'_> {
    /// Runs the files that are written through the path checks.
    pub(super) fn targets(&self, judge: &mut Judge, call: Call) {
        let Some(names) = NAMES.as_ref().filter(|_| !call.command.remote) else {
            return;
        };
        if !self.found.has(Lists::TARGETS) {
            return;
        }
        let verb = format!("{} writes", self.language);
        for hit in names.find_overlapping_iter(&*self.run).take(MAX_CALLS * 8) {
            let Some((name, named, touch)) = CALLS.get(hit.pattern().as_usize()) else {
                continue;
            };
            let before = self.run.get(..hit.start()).unwrap_or_default();
            let last = before.chars().next_back();
            let apart = name.starts_with('.')
                || !last.is_some_and(|last| last.is_alphanumeric() || last == '_');
            if !apart {
                continue;
            }
            let verb = match name.contains("mkdir") || name.contains("makedirs") {
                true => "mkdir",
                false => verb.as_str(),
            };
            for (path, touch) in self.written(call, hit.start(), hit.end(), *named, *touch) {
                judge.write_target(call, &Word::plain(&path), verb, touch);
            }
        }
    }

    /// Records the write of one call.
    fn written(
        &self,
        call: Call,
        from: usize,
        to: usize,
        named: Named,
        touch: Touch,
    ) -> Vec<(String, Touch)> {
        let arguments = self.arguments(to);
        let nth = |at: usize| arguments.get(at).copied().unwrap_or_default();
        let paths = |expression: &str| self.paths(call, expression, from, 0);
        let on = || paths(self.called_on(from));
        let as_is = |paths: Vec<String>| paths.into_iter().map(|path| (path, touch)).collect();
        match named {
            Named::First => as_is(paths(nth(0))),
            Named::Second => as_is(paths(nth(1))),
            Named::On => as_is(on()),
            Named::Moved => {
                // `Path('a').rename('b')`
                let (source, target) = match arguments.len() {
                    1 => (on(), paths(nth(0))),
                    _ => (paths(nth(0)), paths(nth(1))),
                };
                let taken = source.into_iter().map(|path| (path, Touch::Move));
                target
                    .into_iter()
                    .map(|path| (path, touch))
                    .chain(taken)
                    .collect()
            }
            Named::Opened => {
                let bare = |at: usize| bare(nth(at));
                // `Path('a').open('w')`
                if let Some(touch) = touch_of_mode(bare(0)).filter(|_| is_mode(bare(0))) {
                    return on().into_iter().map(|path| (path, touch)).collect();
                }
                // `open(F, '>a')`, `open(my $f, '>', 'a')`
                if let Some(file) = bare(1).strip_prefix('>') {
                    let (file, touch) = match file.strip_prefix('>') {
                        Some(file) => (file, Touch::Append),
                        None => (file, Touch::Alter),
                    };
                    let files = match file.trim() {
                        "" => paths(nth(2)),
                        file => vec![file.to_owned()],
                    };
                    return files.into_iter().map(|path| (path, touch)).collect();
                }
                let modes = arguments.iter().skip(1).filter_map(|mode| {
                    let mode = mode.split_once('=').map_or(*mode, |(name, value)| {
                        match matches!(name.trim(), "mode" | "flags" | "flag") {
                            true => value,
                            // `encoding="ascii"` is none.
                            false => "",
                        }
                    });
                    let flags = ["WRONLY", "RDWR", "O_CREAT"];
                    if flags.iter().any(|flag| mode.contains(flag)) {
                        return Some(Touch::Alter);
                    }
                    touch_of_mode(&self.mode(mode, from))
                });
                let mut modes = modes.take(1);
                match modes.next() {
                    Some(touch) => paths(nth(0))
                        .into_iter()
                        .map(|path| (path, touch))
                        .collect(),
                    None => Vec::new(),
                }
            }
        }
    }

    /// The arguments of a call whose first begins at `at`.
    fn arguments(&self, at: usize) -> Vec<&str> {
        // Where literals are blank, brackets and commas are the program's own.
        let run = self.run.get(at..).unwrap_or_default();
        let text = self.text.get(at..).unwrap_or_default();
        let mut out = Vec::new();
        let (mut depth, mut begun) = (0_u32, 0);
        for (at, byte) in run.bytes().enumerate().take(MAX_EXPRESSION) {
            let ends = match byte {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    continue;
                }
                b')' | b']' | b'}' if depth > 0 => {
                    depth -= 1;
                    continue;
                }
                b')' | b']' | b'}' => true,
                b',' if depth == 0 => false,
                _ => continue,
            };
            let argument = text.get(begun..at).unwrap_or_default();
            if !argument.trim().is_empty() {
                out.push(argument.trim());
            }
            begun = at + 1;
            if ends {
                break;
            }
        }
        out
    }

    /// Returns the receiver of the call whose name begins at `at`: `Path('a')` of `Path('a').write_text(`.
    fn called_on(&self, at: usize) -> &str {
        let run = self.run.get(..at).unwrap_or_default();
        let end = run.trim_end().trim_end_matches('.').len();
        let mut depth = 0_u32;
        let mut start = end;
        let bytes = run.get(..end).unwrap_or_default().bytes().enumerate();
        for (at, byte) in bytes.rev().take(MAX_EXPRESSION) {
            match byte {
                b')' | b']' => depth += 1,
                b'(' | b'[' if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                byte if byte.is_ascii_alphanumeric() || b"_.$@'\"".contains(&byte) => {}
                _ => break,
            }
            start = at;
        }
        self.text.get(start..end).unwrap_or_default()
    }

    /// The paths that an expression which stands before `at` may be; none when a part of it is not known.
    fn paths(&self, call: Call, expression: &str, at: usize, depth: u8) -> Vec<String> {
        if expression.is_empty() || depth > MAX_DEPTH {
            return Vec::new();
        }
        let mut path = String::new();
        let mut rest = expression;
        let mut names = 0;
        while let Some(first) = rest.chars().next() {
            if matches!(first, '\'' | '"' | '`') {
                let Some(literal) = first_literal(rest) else {
                    return Vec::new();
                };
                let given = literal.contains('{') && literal.contains('}');
                if given || (literal.contains('$') && self.language != "python") {
                    return Vec::new();
                }
                put(&mut path, if literal == "HOME" { "~" } else { literal });
                rest = rest.get(literal.len() + 2..).unwrap_or_default();
                continue;
            }
            if !is_of_a_name(first) {
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                continue;
            }
            let end = rest.find(|next| !is_of_a_name(next)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = behind;
            names += 1;
            if names > MAX_NAMES {
                return Vec::new();
            }
            if GIVEN.contains(&name) {
                return given_to(call);
            }
            if HOMES.contains(&name) {
                put(&mut path, "~");
            } else if !AROUND.contains(&name) && !name.bytes().all(|b| b.is_ascii_digit()) {
                let meant = self.meant(call, name, at, depth);
                // One of several: alone it is each of them.
                if path.is_empty() && rest.trim_matches([')', ' ', '(']).is_empty() {
                    return meant;
                }
                let [one] = meant.as_slice() else {
                    return Vec::new();
                };
                put(&mut path, one);
            }
        }
        match path.is_empty() {
            true => Vec::new(),
            false => vec![path],
        }
    }

    /// Resolves a name before `at`, by its last assignment, or by the list that it goes through.
    fn meant(&self, call: Call, name: &str, at: usize, depth: u8) -> Vec<String> {
        if !self.may_look_up() {
            return Vec::new();
        }
        let before = self.run.get(..at).unwrap_or_default();
        for (found, _) in before.rmatch_indices(name).take(MAX_USES) {
            let apart = before
                .get(..found)
                .and_then(|text| text.chars().next_back());
            let from = found + name.len();
            let behind = before.get(from..).unwrap_or_default();
            if apart.is_some_and(is_of_a_name) || behind.starts_with(is_of_a_name) {
                continue;
            }
            let skip = behind.len() - behind.trim_start().len();
            let behind = behind.trim_start();
            let assigned = [":= ", ":=", "="]
                .iter()
                .find(|sign| behind.starts_with(**sign))
                .filter(|_| !behind.starts_with("==") && !behind.starts_with("=>"));
            let (sign, each) = match assigned {
                Some(sign) => (sign.len(), false),
                None if behind.starts_with("in ") || behind.starts_with("of ") => (3, true),
                None => continue,
            };
            let from = from + skip + sign;
            let line = self.run.get(from..).unwrap_or_default();
            let end = line.find(['\n', ';']).unwrap_or(line.len());
            let end = end.min(MAX_EXPRESSION);
            let expression = self.text.get(from..from + end).unwrap_or_default();
            if each {
                let listed = expression.trim_start();
                if !listed.starts_with(['[', '(', '\'', '"']) {
                    return Vec::new();
                }
                let mut quoted = listed.split(['\'', '"']).skip(1).step_by(2);
                let listed: Vec<String> =
                    quoted.by_ref().take(MAX_PATHS).map(str::to_owned).collect();
                return listed;
            }
            // `const p = require('path')`: a module adds nothing.
            if expression.trim_start().starts_with("require(") {
                return vec![String::new()];
            }
            return self.paths(call, expression.trim(), found, depth + 1);
        }
        Vec::new()
    }

    /// Every name that is looked up takes a walk through the program.
    fn may_look_up(&self) -> bool {
        let before = self.looked_up.get();
        self.looked_up.set(before.saturating_add(1));
        before < MAX_LOOKUPS
    }

    /// The mode that an expression before `at` is, as far as it is known.
    fn mode(&self, expression: &str, at: usize) -> String {
        let expression = expression.trim();
        if expression.starts_with(['\'', '"']) {
            return bare(expression).to_owned();
        }
        if !self.may_look_up() {
            return String::new();
        }
        let before = self.run.get(..at).unwrap_or_default();
        let assigned = format!("{expression}=");
        let spaced = format!("{expression} =");
        let found = before.rfind(&assigned).map(|at| at + assigned.len());
        let found = found.or_else(|| before.rfind(&spaced).map(|at| at + spaced.len()));
        let value = found.and_then(|at| literal_at(&self.text, at));
        let named = !expression.is_empty() && expression.chars().all(is_of_a_name);
        value.filter(|_| named).unwrap_or_default().to_owned()
    }
}

/// The operands behind a program of an interpreter: what it may find in its own arguments.
fn given_to(call: Call) -> Vec<String> {
    let words = call.arguments().iter();
    let operands = words.filter(|word| {
        !word.unknown && !word.text.starts_with('-') && !word.text.contains([' ', '\n', '('])
    });
    operands
        .take(MAX_PATHS)
        .map(|word| word.text.to_string())
        .collect()
}

fn is_of_a_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '@')
}

/// Puts a part behind the others of a path, as a new segment.
fn put(path: &mut String, part: &str) {
    let apart = path.is_empty() || path.ends_with('/') || part.starts_with('/');
    if !apart && !part.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// Returns the text between the quotes of a literal.
fn bare(literal: &str) -> &str {
    let inside = literal.strip_prefix(['\'', '"']);
    inside
        .and_then(|inside| inside.strip_suffix(['\'', '"']))
        .unwrap_or_default()
}

/// Returns true if a text can only be a mode.
fn is_mode(text: &str) -> bool {
    !text.is_empty() && text.len() <= 4 && text.chars().all(|c| "rwabtx+U".contains(c))
}

/// Returns the touch of opening a file in a mode; `None` when it is only read.
fn touch_of_mode(mode: &str) -> Option<Touch> {
    if !is_mode(mode) {
        return None;
    }
    if mode.contains('a') {
        return Some(Touch::Append);
    }
    mode.contains(['w', 'x', '+']).then_some(Touch::Alter)
}
