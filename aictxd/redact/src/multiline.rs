//! Expectations of one line about the next: values below their names, tables, manifests, continued
//! commands. A state is small, is renewed by every line, and ends with the first line that does not
//! fit it.

use super::assignment;
use super::bytes::{at, before, blanks, has_ci, is_name, looking_at, run, run_back, sub};
use super::cli_password;
use super::column_table::Table;
use super::disclosure::{
    announces, hands_over, prompt, reply, reveals, reveals_password, value_line,
};
use super::line::Line;
use super::manifest::{Manifest, member};
use super::marker;
use super::secret_name::{Name, classify};
use super::text_kind::trim_any;
use super::value_kind::Tie;

/// Layout of a value below its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Below {
    /// One value, indented deeper than the name.
    Deeper,
    /// A block of lines, each indented deeper than the name.
    Block,
    /// One value anywhere: behind a line continuation or an opening tag.
    Anywhere,
    /// One value in a sentence; an empty line or a code fence may stand between.
    Prose,
    /// The first word of the line: a flag before a line continuation.
    Flag,
    /// Items of a list, one a line.
    Items,
    /// A member called `value` of the object under the name.
    Member,
    /// Text that a script sends behind a prompt it waits for.
    Sent,
    /// The second line: a user stands on the first.
    Second,
    /// Codes, some on every line.
    Codes,
    /// A random word alone on the line: what a command printed, or what somebody hands over.
    Shown,
    /// The answer to a question.
    Reply,
    /// The words of a wallet.
    Words,
    /// The secret half of a pair of keys, alone on the line.
    Key,
    /// One word alone on the line: what a command that shows a secret printed.
    Sole,
}

/// A name whose value is still to come.
#[derive(Clone, Copy, Debug)]
struct Open {
    class: Name,
    below: Below,
    indent: usize,
    lines: u32,
}

/// State carried from line to line, key blocks aside.
#[derive(Default)]
pub(super) struct Follow {
    /// The line before named a secret whose value may be in the next (`- name: DB_PASSWORD`).
    pair: Option<Name>,
    open: Option<Open>,
    table: Option<Table>,
    /// The command whose arguments go on.
    command: Option<usize>,
    manifest: Manifest,
    /// So many lines of a PuTTY key are still to come.
    putty: u32,
}

impl Follow {
    /// Returns true if the next line needs no look for the sake of this state.
    pub(super) fn is_idle(&self) -> bool {
        self.pair.is_none()
            && self.open.is_none()
            && self.table.is_none()
            && self.command.is_none()
            && self.manifest == Manifest::None
            && self.putty == 0
    }

    /// Notes what the state says about this line.
    pub(super) fn apply(&self, line: &mut Line) {
        if self.is_idle() {
            return;
        }
        if self.putty > 0 {
            let (s, e) = trimmed(line.bytes);
            if e - s >= 16 && run(line.bytes, s, e - s, super::bytes::is_base64) == e {
                line.add(s, e, marker::PRIVATE_KEY, "putty-key");
            }
        }
        if let Some(name) = self.pair {
            value_line(line, name);
        }
        if let Some(open) = self.open {
            open.apply(line);
        }
        if let Some(table) = &self.table {
            table.apply(line);
        }
        if let Some(command) = self.command {
            cli_password::go_on(line, command);
        }
        if let Manifest::Data {
            indent,
            encoded,
            sure,
        } = self.manifest
        {
            member(line, indent, encoded, sure);
        }
    }

    /// The state behind this line.
    pub(super) fn after(self, b: &[u8]) -> Self {
        let (s, e) = trimmed(b);
        let text = sub(b, s, e);
        Self {
            pair: announces(b),
            open: opens(b).or(self.open.and_then(|o| o.after(b))),
            table: match self.table {
                Some(table) => table.after(b),
                None => Table::header(b),
            },
            command: if text.ends_with(b"\\") {
                cli_password::found(b).or(self.command)
            } else {
                None
            },
            manifest: self.manifest.after(text, s),
            putty: match text.strip_prefix(b"Private-Lines: ") {
                Some(n) => std::str::from_utf8(n)
                    .ok()
                    .and_then(|n| n.parse().ok())
                    .filter(|n| *n <= 200)
                    .unwrap_or(0),
                None => self.putty.saturating_sub(1),
            },
        }
    }
}

/// The range of the line without blanks at its ends.
fn trimmed(b: &[u8]) -> (usize, usize) {
    let s = run(b, 0, b.len(), |c| c.is_ascii_whitespace());
    let e = run_back(b, b.len(), b.len() - s, |c| c.is_ascii_whitespace());
    (s, e.max(s))
}

/// `name:`, `name: |`, `name=\`, `<name>`, `--name \` at the end of a line: the value comes later.
fn opens(b: &[u8]) -> Option<Open> {
    let (indent, end) = trimmed(b);
    if end - indent > 512 {
        return None;
    }
    let open = |class, below| {
        Some(Open {
            class,
            below,
            indent,
            lines: 0,
        })
    };
    let text = sub(b, indent, end);
    // The other half of a pair of keys
    if text.ends_with(b"[redacted:access_key]") {
        return open(Name::AccessKey, Below::Key);
    }
    // The word in a marker is no name
    let near = sub(text, text.len().saturating_sub(64), text.len());
    if memchr::memmem::find(near, marker::OPEN).is_some() {
        return None;
    }
    if has_ci(sub(text, 0, 64), "expect") && (has_ci(text, "assword") || has_ci(text, "assphrase"))
    {
        return open(Name::Password, Below::Sent);
    }
    let typed = prompt(text);
    if typed && reveals_password(text) {
        return open(Name::Password, Below::Sole);
    }
    if typed && reveals(text) {
        return open(Name::Secret, Below::Sole);
    }
    // A block scalar or a line continuation
    let block = text
        .iter()
        .rposition(|c| !matches!(c, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9'))
        .filter(|&p| at(text, p) == b' ' && matches!(at(text, p + 1), b'|' | b'>'))
        .map(|p| sub(text, 0, p + 1).trim_ascii_end());
    let joined = text.strip_suffix(b"\\").map(<[u8]>::trim_ascii_end);
    let heredoc = text
        .windows(3)
        .rposition(|w| w == b"<<-" || w == b"<<E" || w == b"<<~")
        .filter(|p| text.len() - p <= 16)
        .map(|p| sub(text, 0, p).trim_ascii_end());
    let head = block.or(joined).or(heredoc).unwrap_or(text);
    // A dump: `["password"]=>`
    if let Some(dumped) = head.strip_suffix(b"\"]=>") {
        return open(classify(last_name(dumped))?, Below::Anywhere);
    }
    if let Some(tag) = head.strip_suffix(b">") {
        let name = last_name(tag);
        let opened = before(tag, tag.len() - name.len()) == b'<';
        return match classify(name) {
            Some(_) if opened && name.ends_with(b"user-pass") => {
                open(Name::Password, Below::Second)
            }
            Some(class) if opened => open(class, Below::Anywhere),
            _ => None,
        };
    }
    // `>>> os.environ["DB_PASSWORD"]`
    if text.starts_with(b">>> ") || text.starts_with(b"In [") || text.starts_with(b"irb") {
        let inner = trim_any(text, b"\"')]} ");
        if !inner.contains(&b'=')
            && let Some(class) = classify(
                last_name(inner)
                    .rsplit(|c| *c == b'.')
                    .next()
                    .unwrap_or_default(),
            )
        {
            return open(class, Below::Sole);
        }
    }
    if let Some(below) = hands_over(text, typed) {
        return open(Name::Token, below);
    }
    if joined.is_some() && !matches!(head.last(), Some(b':' | b'=')) {
        let name = last_name(head);
        return match classify(name) {
            Some(class) if name.starts_with(b"--") => open(class, Below::Flag),
            _ => None,
        };
    }
    // `"db_password": {`
    if let Some(object) = head.strip_suffix(b"{") {
        let object = object.trim_ascii_end();
        // `variable "db_password" {` of Terraform
        if let Some(name) = object
            .strip_prefix(b"variable \"")
            .and_then(|rest| rest.strip_suffix(b"\""))
        {
            return open(classify(name)?, Below::Member);
        }
        let object = object.strip_suffix(b":").or(object.strip_suffix(b"="))?;
        let name = last_name(trim_any(object, b"\"' "));
        return open(classify(name)?, Below::Member);
    }
    let head = head.strip_suffix(b"[").map_or(head, <[u8]>::trim_ascii_end);
    let sign = *head.last()?;
    let head = sub(head, 0, head.len() - 1);
    if !(sign == b':' || sign == b'=' && (joined.is_some() || heredoc.is_some())) {
        return None;
    }
    let head = trim_any(head, b"\"'`* \t");
    let name = last_name(head);
    let lead = trim_any(sub(head, 0, head.len() - name.len()), b"-? \t\"'");
    if lead.is_empty() || matches!(lead, b"export" | b"set") {
        let below = match (block.is_some() || heredoc.is_some(), joined.is_some()) {
            (true, _) => Below::Block,
            (_, true) => Below::Anywhere,
            _ => Below::Deeper,
        };
        if let (None, Some(one)) = (classify(name), name.strip_suffix(b"s")) {
            return open(classify(one)?, Below::Items);
        }
        return open(classify(name)?, below);
    }
    // `The new password is:`
    let verb = head.strip_suffix(b" is").unwrap_or(head);
    let from = verb.len().saturating_sub(24);
    let name = verb
        .get(from..)?
        .rsplitn(3, u8::is_ascii_whitespace)
        .take(2)
        .collect::<Vec<_>>();
    let class = match name.as_slice() {
        [last, first] => classify(last).or_else(|| classify(&[first, &b"_"[..], last].concat())),
        [last] => classify(last),
        _ => None,
    }?;
    (sign == b':').then_some(())?;
    open(class, Below::Prose)
}

fn last_name(b: &[u8]) -> &[u8] {
    sub(b, run_back(b, b.len(), 96, is_name), b.len())
}

impl Open {
    fn apply(self, line: &mut Line) {
        let b = line.bytes;
        let (s, e) = trimmed(b);
        if s >= e || (matches!(self.below, Below::Deeper | Below::Block) && s <= self.indent) {
            return;
        }
        match self.below {
            Below::Second if self.lines == 0 => return,
            Below::Second => {
                if !sub(b, s, e).starts_with(b"<") {
                    assignment::judge_range(line, self.class, s, e, Tie::Element, true);
                }
                return;
            }
            Below::Codes => {
                let s = run(b, s, 4, |c| matches!(c, b'-' | b'*' | b' '));
                let dot = run(b, s, 2, |c| c.is_ascii_digit());
                let s = if dot > s && matches!(at(b, dot), b'.' | b')') {
                    dot + 1
                } else {
                    s
                };
                super::secret_sentence::listed(line, s);
                return;
            }
            Below::Shown => {
                let v = trim_any(sub(b, s, e), b"`\"' ");
                if super::entropy::is_random(v, 20) || super::text_kind::is_padded_key(v) {
                    line.add(s, e, marker::TOKEN, "shown-token");
                }
                return;
            }
            Below::Reply => {
                reply(line, s, e);
                return;
            }
            Below::Words => {
                super::auth_header::seed_words(line, s);
                return;
            }
            Below::Key => {
                let v = sub(b, s, e);
                if v.len() == 40
                    && v.iter().all(|&c| super::bytes::is_base64(c))
                    && v.iter().any(u8::is_ascii_uppercase)
                    && v.iter().any(u8::is_ascii_lowercase)
                {
                    line.add(s, e, marker::ACCESS_KEY, "aws-secret-key");
                }
                return;
            }
            Below::Sole => {
                let marks = |c: u8| matches!(c, b'"' | b'\'');
                let s = run(b, s, 1, marks);
                let e = run_back(b, e, 1, marks);
                let v = sub(b, s, e);
                let word = v.iter().all(u8::is_ascii_graphic) && !v.contains(&b'{');
                let mixed = v.len() >= 10
                    && v.iter().any(u8::is_ascii_uppercase)
                    && v.iter().any(u8::is_ascii_lowercase)
                    && !super::text_kind::is_wordlike(v);
                let strong = mixed
                    || super::secret_sentence::is_strong(v)
                    || v.len() >= 16 && v.iter().any(u8::is_ascii_digit);
                if word
                    && strong
                    && !super::text_kind::looks_placeholder(v)
                    && v.windows(3).all(|w| w != b"://")
                {
                    line.add(s, e, self.class.kind(), "shown-secret");
                }
                return;
            }
            _ => {}
        }
        if self.below == Below::Flag {
            assignment::judge_as(line, self.class, s, Tie::Flag);
            return;
        }
        if self.below == Below::Member {
            value_line(line, self.class);
            return;
        }
        if self.below == Below::Sent {
            let head = sub(b, s, s + 48);
            let quote = head.iter().position(|c| matches!(c, b'"' | b'\''));
            if let (true, Some(p)) = (has_ci(head, "send"), quote)
                && at(b, s + p + 1) != b'$'
            {
                assignment::judge_as(line, self.class, s + p, Tie::Flag);
            }
            return;
        }
        let s = if self.below == Below::Items && looking_at(b, s, b"- ") {
            blanks(b, s + 2, 8)
        } else {
            s
        };
        let s = if looking_at(b, s, b"string(") {
            run(b, s, e - s, |c| c != b'"')
        } else {
            s
        };
        let text = sub(b, s, e);
        let value = trim_any(text, b"\"'`,;\\");
        let inner = value.len();
        let offset = text
            .iter()
            .position(|c| !b"\"'`,;\\".contains(c))
            .unwrap_or(0);
        let quoted = matches!(at(text, 0), b'"' | b'\'' | b'`');
        let member = !quoted
            && (value.ends_with(b":")
                || value.windows(2).any(|w| w == b": ")
                || value.starts_with(b"- "));
        if member || value.starts_with(b"-----") {
            return;
        }
        let tie = match self.below {
            Below::Prose => Tie::Prose,
            Below::Items => Tie::Element,
            Below::Block | Below::Deeper if quoted || self.below == Below::Block => Tie::Assign,
            _ => Tie::Colon,
        };
        assignment::judge_range(
            line,
            self.class,
            s + offset,
            s + offset + inner,
            tie,
            quoted || self.below == Below::Block,
        );
    }

    fn after(self, b: &[u8]) -> Option<Self> {
        let (s, e) = trimmed(b);
        let next = Self {
            lines: self.lines + 1,
            ..self
        };
        match self.below {
            Below::Block => (s > self.indent && e > s && next.lines < 32 && !super::pem::begins(b))
                .then_some(next),
            Below::Member => {
                (s > self.indent && e > s && next.lines < 16 && !sub(b, s, e).contains(&b'{'))
                    .then_some(next)
            }
            Below::Second => (self.lines == 0 && e > s && at(b, s) != b'<').then_some(next),
            Below::Codes => (next.lines < 24
                && (e == s
                    || sub(b, s, e).windows(2).any(|w| w == b"[r")
                    || sub(b, s, e).iter().all(|c| {
                        c.is_ascii_alphanumeric()
                            || matches!(c, b'-' | b' ' | b'.' | b')' | b'*' | b'`')
                    })))
            .then_some(next),
            Below::Shown | Below::Reply | Below::Sole | Below::Words => {
                ((e == s || sub(b, s, e).starts_with(b"```")) && next.lines < 3).then_some(next)
            }
            Below::Items => {
                let item = matches!(at(b, s), b'-' | b'"' | b'\'');
                (item && s >= self.indent && next.lines < 64).then_some(next)
            }
            Below::Prose => {
                ((e == s || sub(b, s, e).starts_with(b"```")) && next.lines < 3).then_some(next)
            }
            _ => None,
        }
    }
}
