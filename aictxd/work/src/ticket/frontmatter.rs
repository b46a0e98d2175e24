//! The frontmatter of a text: where it begins and ends, and its fields with their places.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::finding::{Code, Finding, Place};
use super::scalar::quoted_line;

/// Longest frontmatter, in bytes.
pub const MAX_FRONTMATTER: usize = 64 * 1024;
/// Deepest nesting of values.
const MAX_DEPTH: usize = 16;

/// A text split at its frontmatter.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontmatter {
    /// Bytes of the YAML in the text, without the lines around it.
    pub block: Range<usize>,
    /// Offset of the text below.
    pub body: usize,
    /// Line end of the opening line.
    pub line_end: &'static str,
    /// The mapping is written in braces.
    pub is_flow: bool,
    /// Fields, in order.
    pub fields: Vec<Field>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Key as its value says, without quotes.
    pub key: String,
    /// Bytes of the key in the text.
    pub key_span: Range<usize>,
    /// Place of the key.
    pub place: Place,
    /// Value.
    pub node: Node,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Content.
    pub content: Content,
    /// Bytes in the text, quotes included; of a block they reach into the white space behind it.
    pub span: Range<usize>,
    /// Place of its beginning.
    pub place: Place,
}

/// Content of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text as YAML reads it.
    Scalar {
        /// The text.
        text: String,
        /// Without quotes, so that it may be something else than text.
        is_plain: bool,
    },
    /// List.
    Sequence(Vec<Node>),
    /// Fields.
    Mapping(Vec<Field>),
}

impl Frontmatter {
    /// Reads the frontmatter of a text.
    ///
    /// # Errors
    /// A finding with the code T003 that says which part is missing or what YAML does not allow.
    pub fn of(text: &str) -> Result<Self, Finding> {
        let (block, body, line_end) = split(text)?;
        let yaml = text.get(block.clone()).unwrap_or_default();
        if let Some(at) = lone_return(yaml) {
            let place = place_at(text, block.start + at);
            let message = "a carriage return stands without a line feed";
            return Err(Finding::new(Code::Frontmatter, place, message));
        }
        let mut reader = Reader::new(yaml, block.start);
        let node = reader.document().map_err(|error| error.finding(yaml))?;
        let is_flow = yaml
            .get(node.span.start - block.start..)
            .is_some_and(|y| y.starts_with('{'));
        match node.content {
            Content::Mapping(fields) if !fields.is_empty() => Ok(Self {
                block,
                body,
                line_end,
                is_flow,
                fields,
            }),
            _ => Err(Finding::new(
                Code::Frontmatter,
                node.place,
                "the frontmatter is not a mapping of keys to values",
            )),
        }
    }

    /// The value of a key; the last one counts where there are several.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.field(key).map(|field| &field.node)
    }

    /// The field of a key.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().rev().find(|field| field.key == key)
    }
}

impl Node {
    /// The text of a scalar; `None` for null, lists and mappings.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, is_plain } => {
                let is_null = *is_plain
                    && (text.is_empty() || matches!(text.as_str(), "~" | "null" | "Null" | "NULL"));
                (!is_null).then_some(text)
            }
            _ => None,
        }
    }

    /// Returns true for a value that is there but empty.
    pub fn is_null(&self) -> bool {
        matches!(self.content, Content::Scalar { .. }) && self.text().is_none()
    }

    /// The boolean of an unquoted word, in the spellings of YAML 1.1, which other readers of the format accept.
    pub fn boolean(&self) -> Option<bool> {
        match &self.content {
            Content::Scalar {
                text,
                is_plain: true,
            } => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The end of the line that begins at `start`, line end included, and the line without it.
fn line_at(text: &str, start: usize) -> (usize, &str) {
    let rest = text.get(start..).unwrap_or_default();
    let len = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let line = rest.get(..len).unwrap_or_default();
    let line = line.strip_suffix('\n').unwrap_or(line);
    (start + len, line.strip_suffix('\r').unwrap_or(line))
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.chars().all(char::is_whitespace))
}

/// Finds the lines around the YAML, whatever stands between them: bytes of the YAML, offset of the text
/// below, line end of the opening line.
pub(crate) fn split(text: &str) -> Result<(Range<usize>, usize, &'static str), Finding> {
    let missing = |line, message: &str| {
        let place = Place { line, column: 1 };
        Err(Finding::new(Code::Frontmatter, place, message))
    };
    let from = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    if text.len() == from {
        return missing(1, "the file is empty");
    }
    let (block, opening) = line_at(text, from);
    if !is_marker(opening, "---") {
        let found = missing(1, "the first line is not `---`, so there is no frontmatter");
        return found.map_err(|finding| match opening.trim() {
            "---" => finding.fix("remove the blanks before `---`"),
            _ => finding,
        });
    }
    let line_end = match text
        .get(from..block)
        .is_some_and(|line| line.ends_with("\r\n"))
    {
        true => "\r\n",
        false => "\n",
    };
    let mut at = block;
    while at < text.len() && at - block <= MAX_FRONTMATTER {
        let (next, line) = line_at(text, at);
        if is_marker(line, "---") || is_marker(line, "...") {
            return match at - block <= MAX_FRONTMATTER {
                true => Ok((block..at, next, line_end)),
                false => missing(1, "the frontmatter is longer than 64 KiB"),
            };
        }
        at = next;
    }
    if at < text.len() {
        return missing(1, "no line `---` closes the frontmatter within 64 KiB");
    }
    missing(1, "no line `---` closes the frontmatter")
}

/// A carriage return that ends no line here, though it does for YAML.
fn lone_return(yaml: &str) -> Option<usize> {
    let mut returns = yaml.match_indices('\r').map(|(at, _)| at);
    returns.find(|at| yaml.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// Place of a byte of a text.
fn place_at(text: &str, byte: usize) -> Place {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| *c != '\u{feff}');
    place(line, column.count() + 1)
}

fn place(line: usize, column: usize) -> Place {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place {
        line: number(line),
        column: number(column),
    }
}

/// Reason why a block is not read as YAML.
struct ReadError {
    /// Line of the block from 0, column from 0.
    line: usize,
    column: usize,
    message: String,
}

impl ReadError {
    fn finding(self, yaml: &str) -> Finding {
        // The opening line comes before the block.
        let place = place(self.line + 2, self.column + 1);
        let message = format!("the frontmatter is not YAML: {}", self.message);
        let finding = Finding::new(Code::Frontmatter, place, message);
        match yaml.lines().nth(self.line).and_then(quoted_line) {
            Some(line) => finding.fix(line),
            None => finding,
        }
    }
}

type Parsed<'t> = (Event<'t>, Span);

/// Turns the events of a block into nodes.
struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    yaml: &'t str,
    /// Offset of the block in its text.
    base: usize,
    /// Offset in bytes of every character; empty where all of them take one.
    offsets: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn new(yaml: &'t str, base: usize) -> Self {
        let offsets = match yaml.is_ascii() {
            true => Vec::new(),
            false => yaml.char_indices().map(|(at, _)| at).collect(),
        };
        Self {
            parser: Parser::new_from_str(yaml),
            yaml,
            base,
            offsets,
        }
    }

    /// Offset in the text of the file.
    fn offset(&self, chars: usize) -> usize {
        let bytes = match self.offsets.is_empty() {
            true => chars.min(self.yaml.len()),
            false => self.offsets.get(chars).copied().unwrap_or(self.yaml.len()),
        };
        self.base + bytes
    }

    fn next(&mut self) -> Result<Parsed<'t>, ReadError> {
        match self.parser.next_event() {
            Some(Ok(parsed)) => Ok(parsed),
            Some(Err(error)) => Err(ReadError {
                line: error.marker().line().saturating_sub(1),
                column: error.marker().col(),
                message: error.info().to_owned(),
            }),
            None => Err(ReadError {
                line: 0,
                column: 0,
                message: "it ends too early".to_owned(),
            }),
        }
    }

    fn document(&mut self) -> Result<Node, ReadError> {
        let node = loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::StreamEnd => return Ok(self.scalar(String::new(), true, span)),
                event => break self.node(event, span, 0)?,
            }
        };
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(node),
                Event::DocumentEnd | Event::Nothing => {}
                _ => return Err(refused(span, "a second document begins")),
            }
        }
    }

    fn scalar(&self, text: String, is_plain: bool, span: Span) -> Node {
        Node {
            content: Content::Scalar { text, is_plain },
            span: self.offset(span.start.index())..self.offset(span.end.index()),
            place: self.place(span),
        }
    }

    fn place(&self, span: Span) -> Place {
        place(span.start.line() + 1, span.start.col() + 1)
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, ReadError> {
        if depth > MAX_DEPTH {
            return Err(refused(span, "values are nested too deep"));
        }
        let start = self.offset(span.start.index());
        let (content, end) = match event {
            Event::Scalar(text, style, _, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let mut node = self.scalar(text.into_owned(), is_plain, span);
                if let Some(quote) = quote_of(style) {
                    let written = self.yaml.get(node.span.start - self.base..);
                    node.span.end =
                        node.span.start + quoted_len(written.unwrap_or_default(), quote);
                }
                return Ok(node);
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        break (Content::Sequence(items), self.offset(span.end.index()));
                    }
                    items.push(self.node(event, span, depth + 1)?);
                }
            }
            Event::MappingStart(..) => {
                let mut fields = Vec::new();
                loop {
                    let (event, key) = self.next()?;
                    if event == Event::MappingEnd {
                        break (Content::Mapping(fields), self.offset(key.end.index()));
                    }
                    let Event::Scalar(name, ..) = event else {
                        return Err(refused(key, "a key is not a text"));
                    };
                    let (event, span) = self.next()?;
                    fields.push(Field {
                        key: name.into_owned(),
                        key_span: self.offset(key.start.index())..self.offset(key.end.index()),
                        place: self.place(key),
                        node: self.node(event, span, depth + 1)?,
                    });
                }
            }
            Event::Alias(_) => return Err(refused(span, "aliases are not supported")),
            _ => return Err(refused(span, "it ends too early")),
        };
        Ok(Node {
            content,
            span: start..end.max(start),
            place: self.place(span),
        })
    }
}

fn quote_of(style: ScalarStyle) -> Option<u8> {
    match style {
        ScalarStyle::SingleQuoted => Some(b'\''),
        ScalarStyle::DoubleQuoted => Some(b'"'),
        _ => None,
    }
}

/// Length of a quoted scalar, with what stands before its quotes; the parser's span takes in a comment behind it.
fn quoted_len(written: &str, quote: u8) -> usize {
    let mut bytes = written
        .bytes()
        .enumerate()
        .skip_while(|(_, byte)| *byte != quote)
        .skip(1)
        .peekable();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'\\' && quote == b'"' {
            bytes.next();
        } else if byte == quote {
            // A doubled quote stands for itself.
            if quote == b'"' || bytes.next_if(|(_, next)| *next == quote).is_none() {
                return at + 1;
            }
        }
    }
    written.len()
}

fn refused(span: Span, message: &str) -> ReadError {
    ReadError {
        line: span.start.line().saturating_sub(1),
        column: span.start.col(),
        message: message.to_owned(),
    }
}
