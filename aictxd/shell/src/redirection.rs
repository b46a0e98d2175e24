//! Redirections and here-documents.

use super::commands::Current;
use super::lex::{Lexer, run};
use super::{Redirect, RedirectKind, Word};

impl<'t> Lexer<'t, '_> {
    pub(super) fn redirect(&mut self, current: &mut Current<'t>) {
        let rest = self.rest();
        let (kind, width) = if rest.starts_with("<<<") {
            (RedirectKind::Herestring, 3)
        } else if rest.starts_with("<<") {
            (RedirectKind::Heredoc, 2)
        } else if rest.starts_with(">>") {
            (RedirectKind::Append, 2)
        } else if rest.starts_with(">&") || rest.starts_with("<&") {
            (RedirectKind::Duplicate, 2)
        } else if rest.starts_with(">|") || rest.starts_with("<>") {
            (RedirectKind::Write, 2)
        } else if rest.starts_with('>') {
            (RedirectKind::Write, 1)
        } else {
            (RedirectKind::Read, 1)
        };
        self.pos += width;
        let strip_tabs = kind == RedirectKind::Heredoc && self.peek() == Some(b'-');
        if strip_tabs {
            self.pos += 1;
        }
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        // A descriptor number stands directly before the operator and was read as a word.
        let target = match self.peek() {
            Some(b'<') if kind == RedirectKind::Read && self.process_substitution() => {
                self.word().word
            }
            None | Some(b'\n' | b';' | b'|' | b'&' | b')' | b'(' | b'<' | b'>') => Word::default(),
            _ => self.word().word,
        };
        current.command.fed |= std::mem::take(&mut self.context.many_used);
        // `>&file` writes; only digits and `-` duplicate.
        let kind = match kind {
            RedirectKind::Duplicate
                if !target.unknown
                    && !target
                        .text
                        .bytes()
                        .all(|byte| byte.is_ascii_digit() || byte == b'-') =>
            {
                RedirectKind::Write
            }
            kind => kind,
        };
        if kind == RedirectKind::Heredoc {
            let place = current.command.redirects.len();
            current
                .heredocs
                .push((target.text.clone(), strip_tabs, target.quoted, place));
        }
        // Almost every command has one or none.
        current.command.redirects.reserve_exact(1);
        current.command.redirects.push(Redirect {
            kind,
            target,
            body: None,
        });
    }

    pub(super) fn read_heredocs(&mut self) {
        for waiting in std::mem::take(&mut self.awaiting) {
            let mut body = String::new();
            while self.pos < self.text.len() {
                let line_end = memchr::memchr(b'\n', self.rest().as_bytes())
                    .map_or(self.text.len(), |found| self.pos + found);
                let mut line = self.text.get(self.pos..line_end).unwrap_or_default();
                if waiting.strip_tabs {
                    line = line.trim_start_matches('\t');
                }
                let last = line.trim_end_matches('\r') == waiting.delimiter.as_str();
                if !last {
                    body.push_str(line);
                    body.push('\n');
                }
                self.pos = (line_end + 1).min(self.text.len());
                if last {
                    break;
                }
            }
            let frame = self.frame();
            if !waiting.literal && body.contains(['$', '`']) {
                run(self.script, self.context, body.clone().into(), &frame, true);
            }
            if let Some(redirect) = self
                .script
                .commands
                .get_mut(waiting.owner)
                .and_then(|command| command.redirects.get_mut(waiting.place))
            {
                redirect.body = Some(body);
            }
            self.follow(waiting.owner, false);
        }
    }
}
