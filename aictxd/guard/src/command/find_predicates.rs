//! Matches of a `find`, as far as its tests tell.

use std::slice::Iter;

use aictx_shell::{SimpleCommand, Word};

use super::delete::is_git_lock;
use super::path_target::is_regenerable;
use super::table::REGENERABLE_FILES;
use super::{Call, MAX_BACK};

/// Parentheses within parentheses that are read.
const MAX_DEPTH: u8 = 16;

/// Returns true if everything that a `find` does something with can be made again.
pub(super) fn is_regenerable_only(find: &SimpleCommand) -> bool {
    if starts(find).any(|word| word.text == "/") {
        return false;
    }
    let mut tests = Tests {
        words: find.arguments().iter(),
        within_git: starts(find).all(|word| is_git_lock(&format!("{}/.lock", word.text))),
    };
    tests.alternatives(0).again
}

/// The same for the `find` that feeds a command through a pipe or runs it.
pub(super) fn feeds_regenerable(call: Call) -> bool {
    finder(call).is_some_and(is_regenerable_only)
}

/// The `find` that feeds a command through a pipe or runs it.
pub(super) fn finder<'s>(call: Call<'s>) -> Option<&'s SimpleCommand<'s>> {
    let find = call.feeder().or_else(|| {
        call.script
            .commands
            .get(..call.segment)?
            .iter()
            .rev()
            .take(MAX_BACK)
            .find(|command| command.name() == "find")
    })?;
    (find.name() == "find").then_some(find)
}

/// Returns the starting points of a `find`.
pub(super) fn starts<'c>(find: &'c SimpleCommand<'c>) -> impl Iterator<Item = &'c Word<'c>> {
    find.arguments()
        .iter()
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
}

/// Matches of one alternative, or of several together.
#[derive(Default, Clone, Copy)]
struct Found {
    /// It says itself what is done.
    acts: bool,
    /// All of it can be made again.
    again: bool,
}

/// The tests of one `find`, as they are read.
struct Tests<'w> {
    words: Iter<'w, Word<'w>>,
    within_git: bool,
}

impl Tests<'_> {
    /// Reads what stands between `-o` and `-o`, to the end or to the closing parenthesis. Where one says
    /// what is done, those that do not find nothing: `-name x -prune -o` leaves `x` out.
    fn alternatives(&mut self, depth: u8) -> Found {
        // Of those that say what is done, and of all.
        let mut acting: Option<bool> = None;
        let mut all = true;
        loop {
            let (found, more) = self.alternative(depth);
            all &= found.again;
            if found.acts {
                acting = Some(acting.unwrap_or(true) && found.again);
            }
            if !more {
                return Found {
                    acts: acting.is_some(),
                    again: acting.unwrap_or(all),
                };
            }
        }
    }

    /// Reads one alternative; whether another follows.
    fn alternative(&mut self, depth: u8) -> (Found, bool) {
        // All tests must hold, so that one name is enough; but what is done before it is asked for is done
        // to everything.
        let (mut acts, mut named, mut other) = (false, false, false);
        let mut more = false;
        while let Some(word) = self.words.next() {
            match word.text.as_str() {
                "(" if depth < MAX_DEPTH => {
                    let inner = self.alternatives(depth + 1);
                    other |= inner.acts && !inner.again && !named;
                    acts |= inner.acts;
                    named |= inner.again;
                }
                ")" if depth > 0 => break,
                "-o" | "-or" | "," => {
                    more = true;
                    break;
                }
                // What lies somewhere is left out: that makes it less.
                "!" | "-not" => other |= !self.leaves_out(),
                "-name" | "-iname" => {
                    let name = self.words.next().map_or("", |name| name.text.as_str());
                    let again = is_regenerable(name)
                        || REGENERABLE_FILES.contains(&name)
                        || (self.within_git && name.ends_with(".lock"));
                    named |= again;
                    other |= !again;
                }
                "-regex" | "-path" | "-newer" => {
                    self.words.next();
                    other = true;
                }
                "-delete" | "-print" | "-print0" | "-printf" | "-ls" => {
                    acts = true;
                    other |= !named;
                }
                text if text.starts_with("-exec") || text.starts_with("-ok") => {
                    acts = true;
                    other |= !named;
                    self.words
                        .find(|word| matches!(word.text.as_str(), ";" | "+"));
                }
                _ => {}
            }
        }
        let again = named && !other;
        (Found { acts, again }, more)
    }

    /// `! -path x`
    fn leaves_out(&mut self) -> bool {
        let mut ahead = self.words.clone();
        let path = ahead
            .next()
            .is_some_and(|word| matches!(word.text.as_str(), "-path" | "-ipath"));
        if path {
            ahead.next();
            self.words = ahead;
        }
        path
    }
}

/// Returns true if `find` itself is told to delete; what stands behind `-exec` is for another program.
pub(super) fn deletes(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-delete" => return true,
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch" => {
                words.find(|word| matches!(word.text.as_str(), ";" | "+"));
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use aictx_shell::{Dialect, analyse};

    use super::*;

    #[test]
    fn what_is_found_can_be_made_again() {
        for (line, want) in [
            ("find . -name '*.pyc' -delete", true),
            ("find . -delete -name '*.pyc'", false),
            ("find . -name '*.rs' -delete", false),
            (
                "find . -type d -name node_modules -prune -exec rm -rf {} +",
                true,
            ),
            ("find . -name x -prune -o -name '*.pyc' -delete", true),
            ("find . -path ./src -prune -o -name '*.pyc' -delete", true),
            ("find . -path ./src -prune -o -name '*.pyc'", false),
            ("find . ! -path './.git/*' -name '*.pyc' -delete", true),
            ("find . ! -name '*.pyc' -delete", false),
            ("find . -prune -o -delete", false),
            ("find . -name target -prune -o -type f -delete", false),
            ("find . -name '*.pyc' -o -type f -delete", false),
            ("find . -name '*.pyc' -o -name '*.pyo'", true),
            (
                "find . \\( -name '*.pyc' -o -name '*.pyo' \\) -delete",
                true,
            ),
            (
                "find . \\( -name target -o -name x \\) -prune -o -type f -delete",
                false,
            ),
            ("find . -type f \\( -delete \\) -name '*.pyc'", false),
            ("find / -name '*.pyc' -delete", false),
            ("find .git -name '*.lock' -delete", true),
            ("find .", false),
        ] {
            let script = analyse(line, Dialect::Posix);
            let find = script.commands.first().unwrap();
            assert_eq!(is_regenerable_only(find), want, "{line}");
        }
    }
}
