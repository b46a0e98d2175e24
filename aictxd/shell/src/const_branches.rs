//! Branches that the text itself decides: `DRY_RUN=1; if [ "$DRY_RUN" = 1 ]; then … else … fi`.
//!
//! A command is [`Role::Idle`] only when it certainly does not run. A value counts only when nothing
//! else can have become of it (`steady.rs`).

use super::lex::Lexer;
use super::{Joined, Role, SimpleCommand, Text, Word};

/// An `if` or a `case` that is being read.
pub(super) struct Branching<'t> {
    /// Subject of a `case`, when the text tells.
    word: Option<Text<'t>>,
    /// One of its branches certainly is the one that runs, or another before it.
    taken: bool,
    /// One before may have been the one.
    doubt: bool,
    /// The branch being read certainly runs.
    sure: bool,
    /// It may not run, or in a shell of its own: joined to what stands before, piped.
    apart: bool,
    /// The branch being read never runs; it begins with this command.
    idle_from: Option<usize>,
}

impl<'t> Lexer<'t, '_> {
    /// `if`
    fn opens_if(&mut self, apart: bool) {
        self.branchings.push(Branching {
            word: None,
            taken: false,
            doubt: false,
            sure: false,
            apart,
            idle_from: None,
        });
    }

    /// Follows a reserved word.
    pub(super) fn branches_at(&mut self, word: &str) {
        if !self.context.expand {
            return;
        }
        match word {
            "if" => self.opens_if(self.is_apart(self.joined)),
            "then" => self.decides(self.status),
            "elif" | "else" => self.turns(word == "else"),
            "fi" => self.closes(),
            _ => {}
        }
        self.status = None;
        self.denied ^= word == "!";
    }

    /// Decides if the next command, joined in this way, runs; `None` when the text does not tell.
    pub(super) fn goes_on(&self, joined: Joined) -> Option<bool> {
        match (joined, self.status) {
            (Joined::And, status) => status,
            (Joined::Or, status) => status.map(|ended_well| !ended_well),
            _ => Some(true),
        }
    }

    /// Returns true if a compound command joined in this way may not run, or runs in a shell of its own.
    pub(super) fn is_apart(&self, joined: Joined) -> bool {
        joined == Joined::Pipe || self.goes_on(joined) != Some(true)
    }

    /// Returns true if what is read at this place runs in any case, and in the shell of the text itself.
    fn is_in_any_case(&self) -> bool {
        let braces = self
            .braces
            .iter()
            .all(|brace| !brace.branch && !brace.apart && brace.idle_from.is_none());
        let branchings = self
            .branchings
            .iter()
            .all(|it| it.sure && !it.apart && it.idle_from.is_none());
        self.context.expand
            && !self.windows()
            && self.depth == self.base
            && self.context.loops == self.context.outside_loops
            && self.context.bodies == 0
            && !self.apart
            && braces
            && branchings
    }

    /// The command at `owner` was read, which runs for certain as far as its list goes: whether it ends
    /// the shell. `exits` when it is `exit` itself.
    pub(super) fn ends(&mut self, owner: usize, exits: bool) -> bool {
        let command = self.script.commands.get(owner).filter(|command| {
            let follows = command.role == Role::Call && self.context.exited;
            (exits || follows) && command.redirects.is_empty()
        });
        if command.is_none() {
            return false;
        }
        // What went back before did not come here.
        let back = self
            .text
            .get(..self.pos)
            .is_none_or(|before| before.contains("return"));
        !back
            && self.is_in_any_case()
            && self.context.is_plain()
            && !self.context.functions.knows("exit")
    }

    fn decides(&mut self, verdict: Option<bool>) {
        let next = self.script.commands.len();
        if let Some(branching) = self.branchings.last_mut().filter(|it| !it.taken) {
            match verdict {
                Some(true) => {
                    branching.taken = true;
                    branching.sure = !branching.doubt;
                }
                Some(false) => branching.idle_from = Some(next),
                None => branching.doubt = true,
            }
        }
    }

    /// Another branch begins, the last one in any case.
    fn turns(&mut self, last: bool) {
        self.idles();
        let next = self.script.commands.len();
        if let Some(branching) = self.branchings.last_mut() {
            if branching.taken {
                branching.idle_from = Some(next);
            }
            branching.sure = last && !branching.taken && !branching.doubt;
            branching.taken |= last;
        }
    }

    /// `fi`, `esac`
    pub(super) fn closes(&mut self) {
        self.idles();
        self.branchings.pop();
    }

    /// Marks commands of a branch that never runs.
    fn idles(&mut self) {
        let from = self
            .branchings
            .last_mut()
            .and_then(|it| it.idle_from.take());
        let commands = from.and_then(|from| self.script.commands.get_mut(from..));
        for command in commands.unwrap_or_default() {
            command.role = Role::Idle;
        }
    }

    /// `case word in`
    pub(super) fn opens_case(&mut self, command: &SimpleCommand<'t>, joined: Joined) {
        if !self.context.expand {
            return;
        }
        let word = command.words.get(1).filter(|word| is_told(word));
        let word = word.filter(|_| self.context.is_plain());
        self.branchings.push(Branching {
            word: word.map(|word| word.text.clone()),
            taken: false,
            doubt: false,
            sure: false,
            apart: self.is_apart(joined),
            idle_from: None,
        });
    }

    /// The branch of these patterns begins; `falls` when the one before it goes on into it.
    pub(super) fn case_branch(&mut self, patterns: &str, falls: bool) {
        if !self.context.expand {
            return;
        }
        self.idles();
        let next = self.script.commands.len();
        let Some(branching) = self.branchings.last_mut() else {
            return;
        };
        // `;&`, `;;&`: from here on others may be the ones.
        if falls {
            branching.word = None;
            branching.taken = false;
        }
        let verdict = branching
            .word
            .as_ref()
            .and_then(|word| any_matches(patterns, word));
        branching.sure = false;
        if branching.taken || verdict == Some(false) {
            branching.idle_from = Some(next);
        } else if verdict == Some(true) {
            branching.taken = true;
            branching.sure = !branching.doubt;
        } else {
            branching.doubt = true;
        }
    }

    /// Returns true if a command that follows another in such a way runs, and how that ends: to be asked once
    /// for each, in order.
    pub(super) fn runs(&mut self, command: &SimpleCommand) -> bool {
        let denied = std::mem::take(&mut self.denied);
        let skipped = self.ended || self.goes_on(command.joined) == Some(false);
        if skipped || !self.context.expand {
            return !skipped;
        }
        let own = verdict(command).filter(|_| self.context.is_plain());
        let own = own.filter(|_| !self.context.functions.knows(command.name()));
        let own = own.map(|holds| holds != denied);
        self.status = match (command.joined, self.status, own) {
            (Joined::Pipe, ..) => None,
            (Joined::And, None, Some(true)) | (Joined::Or, None, Some(false)) => None,
            (_, _, own) => own,
        };
        true
    }
}

/// Returns the result of a test, when the text tells.
fn verdict(command: &SimpleCommand) -> Option<bool> {
    if !command.redirects.is_empty() {
        return None;
    }
    let (program, words) = command.words.split_first()?;
    let tests = matches!(
        program.text.as_str(),
        "true" | ":" | "false" | "test" | "[" | "[["
    );
    if !tests || !is_told(program) {
        return None;
    }
    let words = match program.text.as_str() {
        "true" | ":" => return Some(true),
        "false" => return Some(false),
        "test" => words,
        "[" | "[[" => {
            let (last, words) = words.split_last()?;
            let closes = if program.text == "[" { "]" } else { "]]" };
            (last.text == closes && !last.quoted).then_some(words)?
        }
        _ => return None,
    };
    let (denied, words) = match words.split_first() {
        Some((first, rest)) if first.text == "!" && !first.quoted => (true, rest),
        _ => (false, words),
    };
    if !words.iter().all(is_told) {
        return None;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let holds = match texts.as_slice() {
        [one] => !one.is_empty(),
        ["-n", one] => !one.is_empty(),
        ["-z", one] => one.is_empty(),
        [one, how, other] => compare(one, how, other)?,
        _ => return None,
    };
    Some(holds != denied)
}

fn compare(one: &str, how: &str, other: &str) -> Option<bool> {
    // `[[ 010 -eq 8 ]]`
    let number = |text: &str| {
        let text = text.trim();
        let octal = text.len() > 1 && text.trim_start_matches(['-', '+']).starts_with('0');
        text.parse::<i64>().ok().filter(|_| !octal)
    };
    Some(match how {
        "=" | "==" if is_plain(other) => one == other,
        "!=" if is_plain(other) => one != other,
        "-eq" => number(one)? == number(other)?,
        "-ne" => number(one)? != number(other)?,
        "-gt" => number(one)? > number(other)?,
        "-ge" => number(one)? >= number(other)?,
        "-lt" => number(one)? < number(other)?,
        "-le" => number(one)? <= number(other)?,
        _ => return None,
    })
}

/// Returns true if a text is no pattern.
fn is_plain(text: &str) -> bool {
    !text.contains(['*', '?', '[', '\\', '(', '|'])
}

/// Returns true if a word has this one text, whenever it runs.
fn is_told(word: &Word) -> bool {
    let one = !word.unknown && !word.wavers && !word.splits && word.others.is_empty();
    let telling = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'~');
    // Asked of every word of a condition, and of most commands' first.
    if !word.text.bytes().any(|byte| telling(&byte)) {
        return one && (word.quoted || !word.text.is_empty());
    }
    // A shell makes other words of it.
    let stands_for =
        !word.quoted && (word.text.contains(['*', '?', '[', '{']) || word.text.starts_with('~'));
    let tilde = word.carried && word.text.contains('~');
    let bracket = matches!(word.text.as_str(), "[" | "[[");
    one && (bracket || !stands_for) && !tilde && !word.text.contains("{}")
}

/// Returns true if a pattern of a branch matches; `None` where that takes more than comparing.
fn any_matches(patterns: &str, word: &str) -> Option<bool> {
    // Comments may stand before them.
    if patterns.contains(['#', '~']) {
        return None;
    }
    let mut verdict = Some(false);
    for pattern in patterns.trim().trim_start_matches('(').split('|') {
        let pattern = pattern.trim();
        let bare = ["\"", "'"].iter().find_map(|quote| {
            pattern
                .strip_prefix(quote)
                .and_then(|rest| rest.strip_suffix(quote))
        });
        let text = bare.unwrap_or(pattern);
        if pattern == "*"
            || (is_plain(text) && !text.contains(['$', '`', '"', '\'']) && text == word)
        {
            return verdict.map(|_| true);
        }
        if !is_plain(text) || text.contains(['$', '`', '"', '\'']) {
            verdict = None;
        }
    }
    verdict
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Dialect, Role, analyse};
    use super::*;

    /// The first words of what runs.
    fn runs(text: &str) -> Vec<String> {
        let script = analyse(text, Dialect::Posix);
        let commands = script.commands.iter();
        let kept = commands.filter(|one| one.role == Role::Ordinary && !one.words.is_empty());
        kept.map(|one| one.name().to_owned()).collect()
    }

    #[test]
    fn tests_that_the_text_answers() {
        assert_eq!(
            runs("X=1; if [ $X = 1 ]; then a; else b; fi; c"),
            ["[", "a", "c"]
        );
        assert_eq!(
            runs("X=2; if [[ $X == 1 ]]; then a; else b; fi"),
            ["[[", "b"]
        );
        assert_eq!(runs("if ! false; then a; else b; fi"), ["false", "a"]);
        assert_eq!(runs("[ -z '' ] && a || b"), ["[", "a", "b"]);
        assert_eq!(runs("false && a && b || c"), ["false", "c"]);
        assert_eq!(runs("test 3 -gt 2 || a"), ["test"]);
        assert_eq!(
            runs("X=b; case $X in a) x ;; b|c) y ;; *) z ;; esac"),
            ["case", "y"]
        );
        assert_eq!(
            runs("if false; then a; elif true; then b; elif c; then d; else e; fi"),
            ["false", "true", "b"]
        );
    }

    /// Values that may have changed decide nothing.
    #[test]
    fn values_that_do_not_last() {
        let asks = "[ \"$X\" = 1 ] || a";
        for text in [
            "read X",
            "x && X=1",
            "if x; then X=1; fi",
            "X=1 x",
            "x && { X=1; }",
            "X=1; x || { X=2; }",
            "X=1; unset X",
            "X=1; . ./env",
            "X=1; eval \"$Y\"",
            "X=1; let X=2",
            "X=1; ((X++))",
            "X=1; printf -v X 2",
            "X=1; X+=2",
            "X=0; (X=1)",
            "X=1; f() { X=2; }; f",
            "X=1; declare -n Y=X; Y=2",
        ] {
            assert!(
                runs(&format!("{text}; {asks}")).contains(&"a".to_owned()),
                "{text}"
            );
        }
        assert!(!runs(&format!("X=1; {asks}")).contains(&"a".to_owned()));
        let counted = "N=0; while x; do [ $N = 1 ] && a; N=1; done";
        assert!(runs(counted).contains(&"a".to_owned()));
        let child = |text: &str| runs(text).contains(&"a".to_owned());
        assert!(child(&format!("X=1; bash -c '{asks}'")));
        assert!(!child(&format!("bash -c 'X=1; {asks}'")));
    }

    #[test]
    fn what_comes_behind_the_end() {
        assert_eq!(runs("a; exit 0; b"), ["a", "exit"]);
        assert_eq!(
            runs("X=no; [ $X = yes ] || { a; exit 1; }; b"),
            ["[", "a", "exit"]
        );
        assert_eq!(
            runs("die() { a; exit; }; false || die; b"),
            ["false", "a", "exit"]
        );
        assert_eq!(
            runs("if false; then a; else exit; fi; b"),
            ["false", "exit"]
        );
        for text in [
            "(exit); b",
            "x=$(exit); b",
            "exit | a; b",
            "a | exit; b",
            "exit & b",
            "a && exit; b",
            "if a; then exit; fi; b",
            "for x in 1; do exit; done; b",
            "case $x in a) exit ;; esac; b",
            "bash -c exit; b",
            "f() { exit; }; b",
            "f() { exit; }; f | a; b",
            "a || { exit; }; b",
            "trap b EXIT; exit",
        ] {
            assert!(runs(text).contains(&"b".to_owned()), "{text}");
        }
    }

    #[test]
    fn patterns() {
        assert_eq!(any_matches("a|b", "b"), Some(true));
        assert_eq!(any_matches(" 'a' | \"b\"", "c"), Some(false));
        assert_eq!(any_matches("[a-z]*", "c"), None);
        assert_eq!(any_matches("[a-z]|*", "c"), None);
        assert_eq!(any_matches("*", "c"), Some(true));
    }
}
