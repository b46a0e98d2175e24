//! Reads a message: what is said, what is only quoted, and where words, paths and sentences end.

use aictx_proto::fold::{fold_char, is_unspaced};
use aictx_proto::words::MAX_WORD;

use super::pasted_output;
use super::path_lexicon::Spelt;
use super::paths;

/// Quotations above this many characters are somebody else's text, not names.
const LONG_QUOTE: usize = 40;

/// Breaks at which a clause may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// `,` and dashes.
    Comma,
    /// `:`.
    Colon,
    /// `.`, `!`, `;`, brackets, the end of a line.
    Sentence,
    /// `?`.
    Question,
}

/// Kind of token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, folded.
    Word(String),
    /// Letters of a script without blanks, folded.
    Unspaced(String),
    /// A path as written, without quotes, and whether quotes or backticks mark it.
    Path(String),
    /// Code, a link, a short quotation.
    Opaque,
    /// Code of several words between backticks.
    Command(String),
    /// A number.
    Number,
    /// The end of something.
    Break(Break),
}

/// A token and its bytes in the message.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: (usize, usize),
}

/// A message, read.
#[derive(Debug, Default)]
pub(super) struct Reading<'m> {
    pub(super) tokens: Vec<Token>,
    /// Text that somebody else wrote: fences, block quotes, logs, long quotations.
    pub(super) quoted: Vec<&'m str>,
}

/// Reads `message`. Linear: every byte is looked at a bounded number of times.
pub(super) fn read(message: &str) -> Reading<'_> {
    let mut reading = Reading::default();
    let mut fence: Option<&str> = None;
    let mut base = 0;
    for line in message.split_inclusive('\n') {
        let start = line.trim_start();
        let opens = ["```", "~~~"].into_iter().find(|f| start.contains(f));
        match (fence, opens) {
            (Some(mark), _) => {
                if start.starts_with(mark) {
                    fence = None;
                } else {
                    reading.quoted.push(line);
                }
            }
            (None, Some(mark)) => {
                let (before, after) = line.split_once(mark).unwrap_or((line, ""));
                Line::new(message, before, base, &mut reading).read();
                match after.split_once(mark) {
                    Some((inside, rest)) => {
                        reading.quoted.push(inside);
                        let at = base + line.len() - rest.len();
                        Line::new(message, rest, at, &mut reading).read();
                    }
                    None => fence = Some(mark),
                }
            }
            (None, None) if start.starts_with('>') || pasted_output::is_log(start) => {
                reading.quoted.push(line);
            }
            (None, None) => Line::new(message, line, base, &mut reading).read(),
        }
        base += line.len();
        let end = (base.saturating_sub(1), base);
        reading.tokens.push(Token {
            kind: Kind::Break(Break::Sentence),
            span: end,
        });
    }
    reading
}

/// Words that people write with a slash.
fn in_short(run: &str) -> Option<&'static str> {
    const SHORT: &[(&str, &str)] = &[("w/", "with"), ("w/o", "without"), ("b/c", "because")];
    let known = SHORT
        .iter()
        .find(|(short, _)| run.eq_ignore_ascii_case(short));
    known.map(|(_, word)| *word)
}

/// One line being read.
struct Line<'r, 'm> {
    message: &'m str,
    text: &'m str,
    base: usize,
    at: usize,
    out: &'r mut Reading<'m>,
}

impl<'r, 'm> Line<'r, 'm> {
    fn new(message: &'m str, text: &'m str, base: usize, out: &'r mut Reading<'m>) -> Self {
        Self {
            message,
            text,
            base,
            at: 0,
            out,
        }
    }

    fn rest(&self) -> &'m str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let span = (self.base + start, self.base + self.at);
        self.out.tokens.push(Token { kind, span });
    }

    fn read(mut self) {
        let mut before = ' ';
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            if c.is_whitespace() {
                self.at += c.len_utf8();
            } else if let Some(end) = closing(c, before).and_then(|close| self.closed(c, close)) {
                self.quotation(c, end);
            } else if let Some(kind) = break_of(c, self.rest(), before) {
                self.at += c.len_utf8();
                self.push(Kind::Break(kind), start);
            } else if is_unspaced(c) {
                let rest = self.rest();
                let len = rest
                    .find(|c| !is_unspaced(c) && c != 'ー')
                    .unwrap_or(rest.len());
                self.at += len;
                let mut word = String::with_capacity(len);
                for c in rest.get(..len).unwrap_or_default().chars() {
                    fold_char(c, &mut word);
                }
                self.push(Kind::Unspaced(word), start);
            } else {
                self.run();
            }
            before = self
                .text
                .get(start..self.at)
                .and_then(|t| t.chars().next_back())
                .unwrap_or(' ');
            if self.at == start {
                self.at += c.len_utf8();
            }
        }
    }

    /// Length up to the closing mark, when it is on this line.
    fn closed(&self, open: char, close: char) -> Option<usize> {
        let inner = self.rest().get(open.len_utf8()..)?;
        let apostrophe = open == '\'';
        inner
            .char_indices()
            .take(if apostrophe { 60 } else { 1_024 })
            .find(|(at, c)| {
                *c == close
                    && (!apostrophe
                        || !inner
                            .get(at + 1..)
                            .and_then(|t| t.chars().next())
                            .is_some_and(char::is_alphanumeric))
            })
            .map(|(at, _)| at)
            .filter(|at| *at > 0)
    }

    fn quotation(&mut self, open: char, len: usize) {
        let start = self.at;
        let inner_at = start + open.len_utf8();
        let inner = self.text.get(inner_at..inner_at + len).unwrap_or_default();
        let close = self
            .text
            .get(inner_at + len..)
            .and_then(|t| t.chars().next())
            .map_or(0, char::len_utf8);
        let whole = self.message.trim().len() == open.len_utf8() + len + close;
        if whole && open != '`' {
            // Somebody quoted their whole message: a shell's doing.
            self.at = inner_at;
            return;
        }
        self.at = inner_at + len + close;
        let inner = inner.trim();
        if let Some(path) = paths::spelt(inner, Spelt::Marked) {
            self.push(Kind::Path(path), start);
        } else {
            if inner.chars().nth(LONG_QUOTE).is_some() {
                self.out.quoted.push(inner);
            }
            let kind = match open == '`' && inner.contains(' ') {
                true => Kind::Command(inner.to_owned()),
                false => Kind::Opaque,
            };
            self.push(kind, start);
        }
    }

    /// A run without blanks: a path, a link, code, or words.
    fn run(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let len = rest
            .char_indices()
            .find(|(at, c)| *at > 0 && ends_run(*c, rest.get(*at + c.len_utf8()..)))
            .map_or(rest.len(), |(at, _)| at);
        let whole = rest.get(..len).unwrap_or_default();
        let called = rest.get(len..).is_some_and(|t| t.starts_with('('));
        let trimmed = whole.trim_end_matches(['.', ':', '\'', '…', ']', '*', '_', '~']);
        let run = if whole.ends_with("/*")
            || whole.ends_with("**")
            || whole.ends_with(']') && whole.contains('/')
        {
            whole
        } else {
            trimmed
        };
        let run_len = run.len().max(1);
        let linked = run.contains("://") || run.starts_with("www.");
        let kind = if let Some(word) = in_short(run) {
            Some(Kind::Word(word.to_owned()))
        } else if linked || (called && run.is_ascii()) {
            Some(Kind::Opaque)
        } else if let Some(path) = paths::spelt(run.trim_end_matches("'s"), Spelt::Bare) {
            Some(Kind::Path(path))
        } else if is_code(run) {
            Some(Kind::Opaque)
        } else if !run.is_empty()
            && run
                .chars()
                .all(|c| c.is_numeric() || matches!(c, '.' | ',' | '%' | '#'))
        {
            Some(Kind::Number)
        } else {
            None
        };
        if let Some(kind) = kind {
            self.at = start + run_len;
            self.push(kind, start);
            return;
        }
        self.words(run, start);
        self.at = start + run_len.max(whole.chars().next().map_or(1, char::len_utf8));
    }

    /// The words of a run: parts between slashes and brackets, without clitics.
    fn words(&mut self, run: &str, start: usize) {
        let mut at = start;
        for part in
            run.split_inclusive(['/', '*', '_', '[', ']', '{', '}', '<', '>', '|', '+', '"'])
        {
            let from = at;
            at += part.len();
            let mut word = String::with_capacity(part.len());
            for c in part.chars() {
                if c.is_alphanumeric()
                    || matches!(c, '\'' | '’' | '‘' | '-' | '´' | 'ʼ' | '‑')
                    || !c.is_ascii()
                {
                    fold_char(c, &mut word);
                }
            }
            let word = word.trim_matches(['-', '\'']);
            let here = at;
            let mut emit = |w: &str| {
                if w.len() > MAX_WORD {
                    // Data: nothing that stands beside it has to do with it.
                    let span = (self.base + from, self.base + here);
                    self.out.tokens.push(Token {
                        kind: Kind::Break(Break::Sentence),
                        span,
                    });
                } else if !w.is_empty() {
                    self.out.tokens.push(Token {
                        kind: Kind::Word(w.to_owned()),
                        span: (self.base + from, self.base + here),
                    });
                }
            };
            split_clitics(word, &mut emit);
        }
    }
}

/// Words that Romance languages write together: `n'édite`, `attends-moi`.
fn split_clitics(word: &str, emit: &mut impl FnMut(&str)) {
    const ENGLISH: &[&str] = &["t", "s", "m", "re", "ve", "ll", "d", "u"];
    const PRONOUNS: &[&str] = &[
        "moi", "toi", "le", "la", "les", "y", "en", "nous", "vous", "tu", "il", "ce", "te", "se",
        "lo", "os", "o", "a", "as", "me", "lui", "je", "on", "elle", "ca",
    ];
    if let Some((before, after)) = word.split_once('\'')
        && (before.len() <= 2
            || matches!(
                before,
                "qu" | "all" | "dell" | "nell" | "sull" | "quell" | "aujourd" | "lorsqu" | "jusqu"
            ))
        && !ENGLISH.contains(&after)
        && !after.is_empty()
    {
        emit(before);
        split_clitics(after, emit);
        return;
    }
    if let Some((verb, pronoun)) = word.rsplit_once('-')
        && PRONOUNS.contains(&pronoun)
        && verb.len() > 2
        && !matches!(word, "opt-in" | "plug-in")
    {
        emit(verb);
        emit(pronoun);
        return;
    }
    emit(word);
}

/// Identifiers, flags, versions, addresses: nothing that is said.
fn is_code(run: &str) -> bool {
    let inner = run.get(1..run.len().saturating_sub(1)).unwrap_or_default();
    (run.starts_with('-') && run.len() > 1)
        || run.contains("::")
        || run.contains(['=', '$', '@', '\\'])
        || (run.is_ascii()
            && inner.contains(['_', '.'])
            && !run.contains('/')
            && !is_abbreviation(run))
        || (run.is_ascii()
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_alphabetic()))
}

fn is_abbreviation(run: &str) -> bool {
    // `e.g.`, `p.ex`, and sentences without a blank after their end.
    run.split('.')
        .all(|part| part.bytes().all(|b| b.is_ascii_alphabetic()))
        && run
            .split('.')
            .all(|part| part.len() <= 2 || part.len() >= 3)
        && !run.bytes().any(|b| b.is_ascii_uppercase() || b == b'_')
        && run.split('.').any(|part| part.len() <= 2)
}

/// Returns true if a run ends before `c`, which `after` follows.
fn ends_run(c: char, after: Option<&str>) -> bool {
    let next = after.and_then(|t| t.chars().next());
    match c {
        ',' | ';' | '!' | '(' | ')' | '"' | '“' | '”' | '„' | '«' | '»' | '`' | '—' | '…' | '؟'
        | '،' | '।' | '؛' => true,
        '?' => next.is_none_or(|n| !n.is_alphanumeric() && n != '/' && n != '.'),
        ':' => next.is_none_or(char::is_whitespace),
        _ => {
            c.is_whitespace()
                || is_unspaced(c)
                || break_of(c, "", ' ').is_some_and(|_| !c.is_ascii())
                || is_emoji(c)
        }
    }
}

/// Pictures that people answer with.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}')
}

fn closing(open: char, before: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '`' => '`',
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '\'' if !before.is_alphanumeric() => '\'',
        '‘' if !before.is_alphanumeric() => '’',
        _ => return None,
    })
}

fn break_of(c: char, rest: &str, before: char) -> Option<Break> {
    Some(match c {
        ',' | '，' | '、' | '،' | '—' | '–' | '¿' => Break::Comma,
        '-' if before == ' ' && rest.get(1..).is_some_and(|t| t.starts_with(' ')) => Break::Comma,
        ':' | '：' => Break::Colon,
        '.' if rest.get(1..).is_some_and(|t| {
            t.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.'))
        }) && !before.is_alphanumeric() =>
        {
            return None;
        }
        '.' | '!' | ';' | '(' | ')' | '。' | '！' | '；' | '…' | '।' | '؛' | '¡' | '（' | '）'
        | '．' => Break::Sentence,
        '?' | '？' | '؟' => Break::Question,
        _ => return None,
    })
}
