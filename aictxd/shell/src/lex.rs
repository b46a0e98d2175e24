//! One pass over the text: words, separators, nesting.

use super::commands::{Brace, Current, is_test};
use super::const_branches::Branching;
use super::variables::Context;
use super::word_builder::Building;
use super::{Dialect, Frame, Joined, MAX_DEPTH, Script, Text, Word};

/// Reads `text` in the situation `frame` and appends what it runs to `script`. With `data` the
/// text is the body of an unquoted here-document: only its substitutions run. Gives the directory that
/// it ends in.
pub(super) fn run<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    text: Text<'t>,
    frame: &Frame,
    data: bool,
) -> Option<String> {
    if frame.depth > MAX_DEPTH || !context.spend(text.len()) {
        script.undecided = true;
        return frame.dir.clone();
    }
    let mut lexer = Lexer {
        text: &text,
        lasting: text.lasting(),
        pos: 0,
        script,
        context,
        cases: 0,
        defining: None,
        braces: Vec::new(),
        branchings: Vec::new(),
        status: None,
        denied: false,
        base: frame.depth,
        apart: false,
        ended: false,
        joined: Joined::First,
        flat: false,
        depth: frame.depth,
        dir: frame.dir.clone(),
        remote: frame.remote,
        fed: frame.fed,
        elevated: frame.elevated,
        awaiting: Vec::new(),
    };
    if data {
        let mut word = Building::default();
        lexer.double_quoted(&mut word, None);
    } else {
        lexer.list(None);
        while let Some(brace) = lexer.braces.pop() {
            lexer.context.branch(brace.branch, false);
            if let Some(open) = brace.open {
                open.leave(lexer.context);
            }
        }
    }
    lexer.context.exited = lexer.ended;
    lexer.dir
}

/// Reads what waits for the end of a shell.
pub(super) fn run_deferred<'t>(script: &mut Script<'t>, context: &mut Context<'t>) {
    // What a trap holds runs when everything is set that will be, or before.
    let blurred = std::mem::replace(&mut context.blurred, true);
    for _ in 0..MAX_DEPTH {
        let waiting = context.take_deferred();
        if waiting.is_empty() {
            break;
        }
        for (text, frame) in waiting {
            run(script, context, text, &frame, false);
        }
    }
    context.blurred = blurred;
}

pub(super) struct Lexer<'t, 's> {
    pub(super) text: &'s str,
    /// The same text when it outlives the reading of it: parts of it are not copied then.
    pub(super) lasting: Option<&'t str>,
    pub(super) pos: usize,
    pub(super) script: &'s mut Script<'t>,
    pub(super) context: &'s mut Context<'t>,
    /// Open `case` words.
    pub(super) cases: u16,
    /// The name of a function whose body comes next.
    pub(super) defining: Option<Text<'t>>,
    /// Open `{`, and the function whose body each begins.
    pub(super) braces: Vec<Brace<'t>>,
    /// Open `if` and `case`.
    pub(super) branchings: Vec<Branching<'t>>,
    /// Status of the commands joined so far, when the text tells.
    pub(super) status: Option<bool>,
    /// `!` stands before what comes next.
    pub(super) denied: bool,
    /// The depth at which the text begins.
    pub(super) base: u8,
    /// True in a subshell: the output is piped, or it runs in the background.
    pub(super) apart: bool,
    /// The shell has ended.
    pub(super) ended: bool,
    /// Operator before the current command.
    pub(super) joined: Joined,
    /// The nesting just met is too deep: what follows is read as commands of their own.
    pub(super) flat: bool,
    pub(super) depth: u8,
    pub(super) dir: Option<String>,
    pub(super) remote: bool,
    pub(super) fed: bool,
    pub(super) elevated: bool,
    /// Here-documents whose text starts after the next new line.
    pub(super) awaiting: Vec<Awaiting<'t>>,
}

pub(super) struct Awaiting<'t> {
    pub(super) delimiter: Text<'t>,
    pub(super) strip_tabs: bool,
    pub(super) literal: bool,
    /// Command (by index) it belongs to, and its place among the redirects.
    pub(super) owner: usize,
    pub(super) place: usize,
}

impl<'t> Lexer<'t, '_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    pub(super) fn ahead(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + offset).copied()
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn slice(&self, from: usize) -> &str {
        self.text.get(from..self.pos).unwrap_or_default()
    }

    /// A part of the text that may outlive the reading.
    #[inline]
    pub(super) fn part(&self, from: usize, to: usize) -> Text<'t> {
        match self.lasting {
            Some(text) => text.get(from..to).unwrap_or_default().into(),
            None => (self.text.get(from..to).unwrap_or_default().to_owned()).into(),
        }
    }

    pub(super) fn give_up(&mut self) {
        self.script.undecided = true;
        self.context.stopped = true;
        self.pos = self.text.len();
    }

    pub(super) fn frame(&self) -> Frame {
        Frame {
            dir: self.dir.clone(),
            remote: self.remote,
            fed: self.fed,
            elevated: self.elevated,
            depth: self.depth + 1,
        }
    }

    /// Reads commands up to `close` (or the end of the text).
    fn list(&mut self, close: Option<u8>) {
        let mut current = Current::default();
        let mut joined = Joined::First;
        let mut pipe: Option<usize> = None;
        while let Some(byte) = self.peek() {
            if self.context.stopped {
                self.give_up();
                break;
            }
            if std::mem::take(&mut self.flat) {
                self.finish(&mut current, joined, pipe.take());
                joined = Joined::Sequence;
            }
            let next = match byte {
                b' ' | b'\t' | b'\r' => {
                    self.pos += 1;
                    continue;
                }
                b'\\' if self.line_break() > 0 => {
                    self.pos += self.line_break();
                    continue;
                }
                // `!(a)` runs something only where a command starts.
                b'!' if self.ahead(1) == Some(b'(') && current.command.words.is_empty() => {
                    self.pos += 1;
                    continue;
                }
                b'{' | b'}' if self.windows() => (Joined::Sequence, 1),
                b'#' => {
                    self.skip_comment();
                    continue;
                }
                b'\n' => {
                    self.finish(&mut current, joined, pipe.take());
                    self.pos += 1;
                    self.read_heredocs();
                    joined = Joined::Sequence;
                    continue;
                }
                b';' if self.cases > 0 && matches!(self.ahead(1), Some(b';' | b'&')) => {
                    self.finish(&mut current, joined, pipe.take());
                    let falls = self.ahead(1) == Some(b'&') || self.ahead(2) == Some(b'&');
                    self.pos += 2;
                    self.skip_pattern(falls);
                    joined = Joined::Sequence;
                    continue;
                }
                b';' => (Joined::Sequence, 1),
                b'&' if self.ahead(1) == Some(b'&') => (Joined::And, 2),
                b'&' if self.ahead(1) == Some(b'>') => {
                    self.pos += 1;
                    self.redirect(&mut current);
                    continue;
                }
                b'&' => (Joined::Background, 1),
                b'|' if self.ahead(1) == Some(b'|') => (Joined::Or, 2),
                b'|' if self.ahead(1) == Some(b'&') => (Joined::Pipe, 2),
                b'|' => (Joined::Pipe, 1),
                b')' => {
                    self.finish(&mut current, joined, pipe.take());
                    self.pos += 1;
                    if close == Some(b')') {
                        return;
                    }
                    // A `case` pattern or a stray bracket: whatever follows is a new command.
                    joined = Joined::Sequence;
                    continue;
                }
                b'(' if self.windows() && !current.command.words.is_empty() => {
                    let mut word = Building::default();
                    self.pos += 1;
                    self.substitution(&mut word, true);
                    self.take_words(&mut current, word, joined);
                    continue;
                }
                b'(' => {
                    self.bracket(&mut current, joined, &mut pipe);
                    continue;
                }
                b'<' | b'>' if !is_test(&current) && !self.process_substitution() => {
                    self.redirect(&mut current);
                    continue;
                }
                b'0'..=b'9' if self.descriptor() => continue,
                _ => {
                    if let Some(end) = self.plain_word() {
                        self.take_plain(&mut current, end, joined);
                    } else if let Some(words) = self.brace_words() {
                        for word in words {
                            self.take_words(&mut current, word, joined);
                        }
                    } else {
                        let word = self.word();
                        self.take_words(&mut current, word, joined);
                    }
                    // `for x do`: of what was given.
                    if current.opens_body() {
                        current.command.words.pop();
                        self.finish(&mut current, joined, pipe.take());
                        joined = Joined::Sequence;
                    }
                    if current.opens_case() {
                        self.cases = self.cases.saturating_add(1);
                        self.opens_case(&current.command, joined);
                        self.finish(&mut current, joined, pipe.take());
                        self.skip_pattern(false);
                        joined = Joined::Sequence;
                    }
                    continue;
                }
            };
            let (how, width) = next;
            self.apart = matches!(how, Joined::Pipe | Joined::Background);
            // What ended was the shell of what stands before: `{ exit; } | a`.
            if self.apart && current.command.words.is_empty() {
                self.ended = false;
                self.context.functions.doubt_last();
            }
            self.finish(&mut current, joined, pipe.take());
            self.apart = false;
            // Whatever runs in the background, that it was begun is all that is known.
            if how == Joined::Background {
                self.status = None;
                self.script.background = true;
            }
            self.pos += width;
            joined = how;
            if how == Joined::Pipe {
                pipe = self.script.commands.len().checked_sub(1);
            }
        }
        self.finish(&mut current, joined, pipe.take());
        if close.is_none() {
            self.read_heredocs();
        } else if !self.context.stopped {
            self.script.unclosed = true;
        }
    }

    pub(super) fn windows(&self) -> bool {
        self.context.dialect == Dialect::Windows
    }

    /// Bytes of the backslash and line end that stand here, if they do.
    pub(super) fn line_break(&self) -> usize {
        match (self.ahead(1), self.ahead(2)) {
            (Some(b'\n'), _) => 2,
            (Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
    }

    /// Steps over the patterns before a branch of `case`; they run nothing.
    fn skip_pattern(&mut self, falls: bool) {
        let start = self.pos;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b'|' | b'(' => self.pos += 1,
                b'#' => self.skip_comment(),
                b')' => {
                    let patterns = self.slice(start).to_owned();
                    self.case_branch(&patterns, falls);
                    self.pos += 1;
                    return;
                }
                _ => {
                    let rest = self.rest();
                    if rest.starts_with("esac")
                        && !rest
                            .get(4..5)
                            .is_some_and(|next| next.starts_with(char::is_alphanumeric))
                    {
                        return;
                    }
                    if !self.word().started {
                        self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
                    }
                }
            }
        }
    }

    /// Steps over the digits of `2>` and the like, which are a descriptor and not a word.
    fn descriptor(&mut self) -> bool {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let found = digits <= 3 && matches!(self.ahead(digits), Some(b'<' | b'>'));
        if found {
            self.pos += digits;
        }
        found
    }

    /// `( list )`, `(( arithmetic ))`, or the brackets of a function definition.
    fn bracket(&mut self, current: &mut Current<'t>, joined: Joined, pipe: &mut Option<usize>) {
        let looping = current.command.name() == "for" && self.ahead(1) == Some(b'(');
        if looping && self.arithmetic() {
            return;
        }
        if !current.command.words.is_empty() {
            self.behind_words(current, joined);
            return;
        }
        // `function name()`
        if self.defining.is_some() && self.ahead(1) == Some(b')') {
            self.pos += 2;
            return;
        }
        if self.ahead(1) == Some(b'(') && self.arithmetic() {
            (self.status, self.denied) = (None, false);
            return;
        }
        self.pos += 1;
        self.finish(current, joined, None);
        let first = self.script.commands.len();
        let dir = self.dir.clone();
        let name = self.defining.take();
        let open = name
            .filter(|_| self.context.expand)
            .map(|name| self.open_function(name));
        let known = self.context.functions.enter();
        self.nested(b')');
        (self.status, self.denied) = (None, false);
        self.context.functions.leave(known);
        if let Some(open) = open {
            self.close_function(open, self.pos.saturating_sub(1), true);
        }
        self.dir = dir;
        if let (Some(from), Some(command)) = (pipe.take(), self.script.commands.get_mut(first))
            && command.piped_from.is_none()
        {
            command.piped_from = Some(from);
        }
    }

    /// A bracket that stands behind words: a function's, or what only other shells know.
    fn behind_words(&mut self, current: &mut Current<'t>, joined: Joined) {
        let inside = self.rest().get(1..).unwrap_or_default();
        let closes = inside.trim_start_matches([' ', '\t']).starts_with(')');
        // `name()`: the body that follows is read as ordinary commands.
        if closes {
            self.pos += 2 + inside.find(')').unwrap_or(0);
            self.defining = current.command.words.first().map(|word| word.text.clone());
            current.command.words.clear();
            return;
        }
        if is_test(current) {
            self.pos += 1;
            return;
        }
        self.pos += 1;
        if current.command.name() == "for" && current.command.words.len() == 2 {
            // zsh: `for x (a b) …`
            current.command.words.push(Word::plain("in"));
            return;
        }
        // fish: what the commands in it print.
        let mut word = Building::default();
        self.substitution(&mut word, false);
        self.take_words(current, word, joined);
    }

    pub(super) fn nested(&mut self, close: u8) {
        if self.depth >= MAX_DEPTH {
            self.script.undecided = true;
            self.flat = true;
            return;
        }
        self.depth += 1;
        let outer = self.context.enter_scope();
        self.list(Some(close));
        self.context.leave_scope(outer);
        self.depth -= 1;
    }

    pub(super) fn process_substitution(&self) -> bool {
        self.ahead(1) == Some(b'(')
    }

    fn skip_comment(&mut self) {
        self.pos += memchr::memchr(b'\n', self.rest().as_bytes()).unwrap_or(self.rest().len());
    }

    /// Reads `((…))` from its first bracket: numbers, and the commands put in between. Returns
    /// `false`, having read nothing, when the brackets hold commands (`((a); b)`).
    pub(super) fn arithmetic(&mut self) -> bool {
        let start = self.pos;
        self.skip_arithmetic();
        // Brackets in brackets are read again and again.
        if !self.context.spend(self.pos - start) {
            self.give_up();
            return true;
        }
        let text = self.slice(start);
        if !text.ends_with("))") {
            self.pos = start;
            return false;
        }
        if text.contains("$(") || text.contains('`') {
            let inside = text.get(2..text.len() - 2).unwrap_or_default().to_owned();
            let frame = self.frame();
            run(self.script, self.context, inside.into(), &frame, true);
        }
        true
    }

    /// Skips brackets and what stands between them, from the first.
    pub(super) fn skip_arithmetic(&mut self) {
        let mut open = 0usize;
        while let Some(byte) = self.peek() {
            self.pos += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
