//! Brace expansion, which comes before everything else a shell does to a word.

use super::lex::Lexer;
use super::variables::MAX_VALUES;
use super::word_builder::Building;

/// Bytes of a word with braces.
const MAX_WORD: usize = 1024;
/// Opening braces that are tried before a word is taken as it is.
const TRIES: usize = 8;

impl<'t> Lexer<'t, '_> {
    /// Reads the words that the braces of the word here make of it, when they make any.
    pub(super) fn brace_words(&mut self) -> Option<Vec<Building<'t>>> {
        if !self.context.expand || self.windows() {
            return None;
        }
        let raw = self.braced_word()?;
        let length = raw.len();
        let variants = braces(raw);
        let read: usize = variants.iter().map(String::len).sum();
        if variants.len() < 2 || !self.context.spend(read.max(length) * TRIES) {
            return None;
        }
        self.pos += length;
        Some(variants.iter().map(|text| self.word_of(text)).collect())
    }

    /// The raw text of the word that starts here, when it may hold braces and nothing nested.
    fn braced_word(&self) -> Option<&str> {
        let rest = self.rest().as_bytes();
        let blank = rest
            .iter()
            .take(MAX_WORD)
            .position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'{'));
        if blank.and_then(|at| rest.get(at)) != Some(&b'{') {
            return None;
        }
        let mut at = 0;
        while let Some(byte) = rest.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' => at += 1 + rest.get(at + 1..)?.iter().position(|b| *b == b'\'')?,
                b'"' => {
                    at += 1;
                    while *rest.get(at)? != b'"' {
                        at += 1 + usize::from(*rest.get(at)? == b'\\');
                    }
                }
                b'`' => return None,
                b'$' if rest.get(at + 1) == Some(&b'(') => return None,
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => {
                    break;
                }
                _ => {}
            }
            at += 1;
            if at > MAX_WORD {
                return None;
            }
        }
        self.rest().get(..at)
    }

    /// Reads another text as one word, with the values known here.
    fn word_of(&mut self, text: &str) -> Building<'t> {
        let mut inner = Lexer {
            text,
            lasting: None,
            pos: 0,
            script: self.script,
            context: self.context,
            defining: None,
            braces: Vec::new(),
            branchings: Vec::new(),
            status: None,
            denied: false,
            base: self.depth,
            apart: false,
            ended: false,
            joined: super::Joined::First,
            cases: 0,
            flat: false,
            depth: self.depth,
            dir: self.dir.clone(),
            remote: false,
            fed: false,
            elevated: false,
            awaiting: Vec::new(),
        };
        let mut word = inner.word();
        word.vanished |= !word.started;
        word
    }
}

/// The words that the braces of `raw` make of it; only itself when there are none.
fn braces(raw: &str) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let mut open: Vec<String> = vec![raw.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() >= MAX_VALUES {
            done.push(text);
            continue;
        }
        match first_brace(&text) {
            None => done.push(text),
            Some((start, end, parts)) => {
                let (before, after) = (
                    text.get(..start).unwrap_or_default(),
                    text.get(end..).unwrap_or_default(),
                );
                // The stack gives them back in reading order.
                for part in parts.iter().rev() {
                    open.push(format!("{before}{part}{after}"));
                }
            }
        }
    }
    done
}

/// Start, end and alternatives of the first brace that has some.
fn first_brace(text: &str) -> Option<(usize, usize, Vec<String>)> {
    let bytes = text.as_bytes();
    let mut starts = 0;
    for _ in 0..TRIES {
        let start = find_unquoted(bytes, starts, b'{')?;
        if start > 0 && bytes.get(start - 1) == Some(&b'$') {
            starts = start + 1;
            continue;
        }
        let mut depth = 0usize;
        let mut at = start;
        let mut cuts = vec![start];
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' => at = skip_quote(bytes, at),
                b'{' => depth += 1,
                b',' if depth == 1 => cuts.push(at),
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        if at < bytes.len() && cuts.len() > 1 {
            cuts.push(at);
            let parts = cuts
                .windows(2)
                .filter_map(|pair| Some(text.get(pair.first()? + 1..*pair.last()?)?.to_owned()))
                .collect();
            return Some((start, at + 1, parts));
        }
        starts = start + 1;
    }
    None
}

fn find_unquoted(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' | b'"' => at = skip_quote(bytes, at),
            byte if *byte == wanted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Place of the quote that closes the one at `at`, or the end.
fn skip_quote(bytes: &[u8], at: usize) -> usize {
    let quote = bytes.get(at).copied().unwrap_or_default();
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' if quote == b'"' => end += 1,
            byte if *byte == quote => return end,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

/// Text of `$'…'` with its escapes decoded (bash manual, ANSI-C Quoting).
pub(super) fn decode_ansi_c(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let Some(letter) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let number = |text: &str, radix: u32, most: usize| {
            let digits = text
                .bytes()
                .take(most)
                .take_while(|byte| char::from(*byte).is_digit(radix))
                .count();
            let value = text
                .get(..digits)
                .and_then(|digits| u32::from_str_radix(digits, radix).ok());
            value.map(|value| (value, digits))
        };
        let coded = match letter {
            'x' => number(after, 16, 2).map(|(value, used)| (value, 1 + used)),
            'u' => number(after, 16, 4).map(|(value, used)| (value, 1 + used)),
            'U' => number(after, 16, 8).map(|(value, used)| (value, 1 + used)),
            '0'..='7' => number(rest, 8, 3),
            _ => None,
        };
        if let Some((value, used)) = coded {
            out.push(char::from_u32(value).unwrap_or('\u{fffd}'));
            rest = rest.get(used..).unwrap_or_default();
            continue;
        }
        match letter {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' | 'b' | 'e' | 'E' | 'f' | 'v' => out.push(' '),
            '\\' | '\'' | '"' | '?' => out.push(letter),
            other => {
                out.push('\\');
                out.push(other);
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
