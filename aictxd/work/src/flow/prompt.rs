//! Prompt of a turn: blocks in `<aictx_…>` tags, within a budget of bytes.
//!
//! - What stays the same from turn to turn comes first, so that a provider's prompt cache hits; what the
//!   person said last comes last.
//! - Texts of others are data: they stand in blocks that say so, and cannot open or close one of our tags.
//! - Over the budget, texts give way in a fixed order, each as far as needed and with a mark, the next one
//!   only when nothing is left of those before. Tags, paths, notices, the newest reply, the ticket's
//!   frontmatter and required files never do.

mod instructions;
mod notice;
mod request;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;

use aictx_proto::flow::{CommitBy, TurnKind};
use aictx_proto::shown::{self, Name};

use instructions::instructions;
pub use notice::Notice;
pub use request::request;

use super::dispatch::{DISPATCH_DIR, DISPATCH_FILE, Reply};
use crate::ticket::fields::ContextFile;
use crate::ticket::frontmatter::split;

/// Budget of a prompt in bytes, when nobody says another one.
pub const DEFAULT_BUDGET: usize = 256 * 1024;
/// Least budget: everything that never gives way fits, with 4 KiB of frontmatter and 8 KiB of reply.
pub const MIN_BUDGET: usize = 64 * 1024;
/// Longest context document, in characters.
const MAX_DOC: usize = 4_000;
/// Requested file without a limit of its own, in bytes.
const REQUESTED_BYTES: usize = 4_096;
/// Most bytes of all requested files.
const MAX_REQUESTED: usize = 16_384;
/// Longest continuity capsule, in bytes.
const MAX_CAPSULE: usize = 6 * 1024;
/// Longest last answer, in bytes.
const MAX_ANSWER: usize = 8 * 1024;
/// Most bytes of a ticket of which nobody knows where its frontmatter ends, where the task does not matter.
const MAX_BEGINNING: usize = 8 * 1024;
/// Most bytes of the output of hooks, and of checks.
const MAX_OUTPUT: usize = 4 * 1024;
/// Most findings, changed paths and attachments that are named.
const MAX_NAMED: usize = 20;
/// A text that would become shorter than this is left out as a whole, in bytes.
const MIN_KEPT: usize = 200;
/// Mark of a text that ends too early.
const CUT: &str = "\n[cut here: too long]\n";
/// Mark in place of a text.
const LEFT_OUT: &str = "[left out: too long]\n";

/// Reason why there is no prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The budget is too small for any prompt.
    #[error("a prompt needs at least {MIN_BUDGET} bytes; {0} are allowed")]
    Budget(usize),
    /// The parts that never give way are longer than the budget.
    #[error("the prompt needs {needed} of {budget} bytes; shorten what `{longest}` holds")]
    TooLong {
        /// Bytes of what never gives way.
        needed: usize,
        /// Bytes allowed.
        budget: usize,
        /// Its longest block.
        longest: &'static str,
    },
    /// A file that the ticket requires cannot be read.
    #[error("`{0}` is required by `context` and cannot be read")]
    RequiredFile(String),
}

/// Document that all tickets of a worktree share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doc {
    /// Current focus.
    ActiveContext,
    /// Choices and their reasons.
    Decisions,
    /// Requirements.
    Spec,
}

impl Doc {
    /// Every document, in the order of the prompt.
    pub const ALL: [Self; 3] = [Self::ActiveContext, Self::Decisions, Self::Spec];

    /// Name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::ActiveContext => "active_context.md",
            Self::Decisions => "decisions.md",
            Self::Spec => "spec.md",
        }
    }
}

/// Paths of a turn, relative to the worktree.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths<'a> {
    /// File of the ticket.
    pub ticket: &'a str,
    /// Directory of the flow, where the agent leaves `DISPATCH.md`.
    pub flow_dir: &'a str,
    /// Directory of the context documents.
    pub context_dir: &'a str,
}

/// File that the ticket asks for under `context`.
#[derive(Debug, Clone)]
pub struct Requested<'a> {
    /// The entry.
    pub file: &'a ContextFile,
    /// Result of reading it.
    pub content: Content<'a>,
}

/// Content of a requested file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// Its text.
    Text(&'a str),
    /// There is none.
    Missing,
    /// A directory, a link or the like.
    NotAFile,
    /// It is no text, or may not be read.
    Unreadable,
}

/// Parts of the prompt of a turn. Empty texts have no block.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    /// Purpose of the turn.
    pub kind: TurnKind,
    /// The agent goes on in the conversation of its last turn on this ticket.
    pub continued: bool,
    /// Author of the commits.
    pub commit: CommitBy,
    /// Number of the turn.
    pub turn: u32,
    /// Turns that the flow may have.
    pub max_turns: u32,
    /// Usage so far, in a line.
    pub usage: &'a str,
    /// Paths.
    pub paths: Paths<'a>,
    /// Text of the ticket's file.
    pub ticket: &'a str,
    /// Context documents.
    pub docs: &'a [(Doc, &'a str)],
    /// Files that the ticket asks for.
    pub context: &'a [Requested<'a>],
    /// Text of memory on the ticket.
    pub capsule: &'a str,
    /// Last answer of the agent on this ticket.
    pub last_answer: &'a str,
    /// Notices.
    pub notices: &'a [Notice<'a>],
    /// Replies that no successful turn had yet.
    pub replies: &'a [Reply],
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Text.
    pub text: String,
    /// Bytes of each block, in order; together those of the text.
    pub sizes: Vec<(&'static str, usize)>,
}

/// Order in which texts give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    LastAnswer,
    /// Files that are not required, the last one first.
    Context(Reverse<usize>),
    Capsule,
    /// The last one first.
    Docs(Reverse<Doc>),
    /// The oldest one first.
    Replies(usize),
    /// The compact form takes their place.
    Instructions,
    Ticket,
}

/// Part of a prompt.
struct Piece {
    block: &'static str,
    text: String,
    /// Turn to give way; without one it never does.
    rank: Option<Rank>,
}

/// Pieces of a prompt, in order.
struct Pieces(Vec<Piece>);

impl Pieces {
    fn push(
        &mut self,
        block: &'static str,
        rank: impl Into<Option<Rank>>,
        text: impl Into<String>,
    ) {
        let (text, rank) = (text.into(), rank.into());
        self.0.push(Piece { block, text, rank });
    }

    /// Adds a block of what `fill` adds, or nothing if that is nothing. `data` is the source of texts of
    /// others in it.
    fn block(&mut self, name: &'static str, data: &'static str, fill: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.push(
            name,
            None,
            match data {
                "" => format!("<aictx_{name}>\n"),
                data => format!("<aictx_{name} data=\"{data}\">\n"),
            },
        );
        fill(self);
        match self.0.len() - start {
            1 => self.0.truncate(start),
            _ => self.push(name, None, format!("</aictx_{name}>\n")),
        }
    }

    /// Adds a block of one text.
    fn text(
        &mut self,
        name: &'static str,
        data: &'static str,
        rank: impl Into<Option<Rank>>,
        text: &str,
    ) {
        self.block(name, data, |pieces| {
            if !text.trim().is_empty() {
                pieces.push(name, rank, ended(text));
            }
        });
    }
}

/// Builds the prompt of a turn.
///
/// # Errors
/// See [`PromptError`].
pub fn build(parts: &Parts<'_>, budget: usize) -> Result<Prompt, PromptError> {
    if budget < MIN_BUDGET {
        return Err(PromptError::Budget(budget));
    }
    let is_work = parts.kind == TurnKind::Work;
    // A repair needs no knowledge of the task, and a conversation that goes on has it.
    let knows_nothing = !parts.continued && parts.kind != TurnKind::RepairFrontmatter;
    let mut pieces = Pieces(Vec::new());
    pieces.block("instructions", "", |pieces| {
        let rank = (is_work && !parts.continued).then_some(Rank::Instructions);
        pieces.push("instructions", rank, instructions(parts, parts.continued));
    });
    pieces.text("paths", "", None, &paths(&parts.paths));
    if knows_nothing && is_work {
        docs(&mut pieces, parts);
        requested(&mut pieces, parts.context)?;
    }
    ticket(&mut pieces, parts, knows_nothing);
    if knows_nothing {
        let shown = |text: &str, limit| capped(&escaped(&shown::lines(text)), limit);
        let capsule = shown(parts.capsule, MAX_CAPSULE);
        pieces.text("continuity", "memory", Rank::Capsule, &capsule);
        let answer = shown(parts.last_answer, MAX_ANSWER);
        pieces.text("last_answer", "output", Rank::LastAnswer, &answer);
    }
    let usage = escaped(&shown::line(parts.usage, 200)).into_owned();
    let turn = format!("Turn {} of {}. {usage}", parts.turn, parts.max_turns);
    pieces.text("turn", "", None, &turn);
    notices(&mut pieces, parts.notices);
    replies(&mut pieces, parts.replies);
    fit(pieces.0, budget, &instructions(parts, true))
}

fn paths(paths: &Paths<'_>) -> String {
    let line = |what: &str, path: &str| format!("{what}: {}\n", Name::new(path, 1_000));
    let flow = |name: &str| format!("{}/{name}", paths.flow_dir);
    let lines = [
        line("Ticket", paths.ticket),
        line("Dispatch file", &flow(DISPATCH_FILE)),
        line("Dispatch directory", &flow(DISPATCH_DIR)),
        line("Context documents", paths.context_dir),
    ];
    escaped(&lines.concat()).into_owned()
}

/// Line above the text of a file.
fn file_line(path: &str, about: &str) -> String {
    escaped(&format!("File: {}{about}\n", Name::new(path, 1_000))).into_owned()
}

fn docs(pieces: &mut Pieces, parts: &Parts<'_>) {
    pieces.block("docs", "file", |pieces| {
        let mut docs: Vec<_> = parts.docs.iter().collect();
        docs.sort_by_key(|(doc, _)| *doc);
        for (doc, text) in docs {
            let text = escaped(text.trim());
            if text.is_empty() {
                continue;
            }
            let end = text
                .char_indices()
                .nth(MAX_DOC)
                .map_or(text.len(), |(at, _)| at);
            let path = format!("{}/{}", parts.paths.context_dir, doc.file_name());
            pieces.push("docs", None, file_line(&path, ""));
            pieces.push("docs", Rank::Docs(Reverse(*doc)), capped(&text, end));
        }
    });
}

/// Adds the files that the ticket asks for. Required ones get their share of the common limit first.
fn requested(pieces: &mut Pieces, files: &[Requested<'_>]) -> Result<(), PromptError> {
    let mut left = MAX_REQUESTED;
    let mut limits = vec![0; files.len()];
    for required in [true, false] {
        for (limit, file) in limits.iter_mut().zip(files) {
            if file.file.required == required
                && let Content::Text(text) = file.content
            {
                let most = file.file.max_bytes.map_or(REQUESTED_BYTES, |bytes| {
                    usize::try_from(bytes).unwrap_or(usize::MAX)
                });
                *limit = most.min(left);
                left -= text.len().min(*limit);
            }
        }
    }
    let unreadable =
        |file: &&Requested<'_>| file.file.required && !matches!(file.content, Content::Text(_));
    if let Some(file) = files.iter().find(unreadable) {
        return Err(PromptError::RequiredFile(file.file.path.clone()));
    }
    pieces.block("context", "file", |pieces| {
        for (at, (file, limit)) in files.iter().zip(limits).enumerate() {
            let (status, text) = match file.content {
                Content::Text("") => ("included", ""),
                Content::Text(_) if limit == 0 => {
                    ("skipped, the limit of all files is reached", "")
                }
                Content::Text(text) => ("included", text),
                Content::Missing => ("missing", ""),
                Content::NotAFile => ("not a file", ""),
                Content::Unreadable => ("cannot be read", ""),
            };
            let (kind, rank) = match file.file.required {
                true => ("required", None),
                false => ("optional", Some(Rank::Context(Reverse(at)))),
            };
            let about = format!(" ({kind}, {status})");
            pieces.push("context", None, file_line(&file.file.path, &about));
            pieces.push("context", rank, capped(&escaped(text), limit));
        }
    });
    Ok(())
}

fn ticket(pieces: &mut Pieces, parts: &Parts<'_>, with_body: bool) {
    pieces.block("ticket", "file", |pieces| {
        pieces.push("ticket", None, file_line(parts.paths.ticket, ""));
        // Of a frontmatter that is not closed nobody knows the end: the beginning of the file stands for it.
        let body = split(parts.ticket).map_or(0, |(_, body, _)| body);
        let (front, body) = parts.ticket.split_at_checked(body).unwrap_or_default();
        pieces.push("ticket", None, ended(&escaped(front)));
        let limit = match (with_body, front.is_empty()) {
            (true, _) => usize::MAX,
            (false, true) => MAX_BEGINNING,
            (false, false) => return,
        };
        pieces.push("ticket", Rank::Ticket, capped(&escaped(body), limit));
    });
}

fn notices(pieces: &mut Pieces, notices: &[Notice<'_>]) {
    let is_check = |notice: &&Notice<'_>| matches!(notice, Notice::Verify { .. });
    let checks = notices.iter().filter(is_check).count();
    for notice in notices {
        pieces.block("notice", "", |pieces| {
            pieces.push("notice", None, notice.sentence() + "\n");
            let output = notice.output(MAX_OUTPUT / checks.max(1));
            pieces.text("output", "output", None, &escaped(&output));
        });
    }
}

/// Line that counts what is not named.
fn more(all: usize) -> String {
    match all.saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!("… and {more} more\n"),
    }
}

fn replies(pieces: &mut Pieces, replies: &[Reply]) {
    let mut replies: Vec<&Reply> = replies.iter().collect();
    replies.sort_by_key(|reply| reply.seq);
    let newest = replies.len().saturating_sub(1);
    pieces.block("replies", "person", |pieces| {
        for (at, reply) in replies.into_iter().enumerate() {
            let mut text = format!("Reply {:04}", reply.seq);
            if !reply.title.is_empty() {
                text.push_str(&format!(": {}", shown::line(&reply.title, 200)));
            }
            text.push('\n');
            if let Some(problem) = &reply.problem {
                text.push_str(&format!("(problem: {})\n", shown::line(problem, 240)));
            }
            text.push_str(&ended(&reply.body));
            for path in reply.attachments.iter().take(MAX_NAMED) {
                text.push_str(&format!("Attachment: {}\n", Name::new(path, 400)));
            }
            text.push_str(&more(reply.attachments.len()));
            let rank = (at != newest).then_some(Rank::Replies(at));
            pieces.push("replies", rank, escaped(&text));
        }
    });
}

/// Makes pieces give way until they fit.
fn fit(mut pieces: Vec<Piece>, budget: usize, compact: &str) -> Result<Prompt, PromptError> {
    let mut size: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    let mut order: Vec<&mut Piece> = pieces
        .iter_mut()
        .filter(|piece| piece.rank.is_some())
        .collect();
    order.sort_by_key(|piece| piece.rank);
    for piece in order {
        if size <= budget {
            break;
        }
        let over = size - budget;
        size -= piece.text.len();
        match piece.rank {
            Some(Rank::Instructions) => compact.clone_into(&mut piece.text),
            _ => shorten(&mut piece.text, over),
        }
        size += piece.text.len();
    }
    let mut sizes: Vec<(&'static str, usize)> = Vec::new();
    for piece in &pieces {
        match sizes.iter_mut().find(|(block, _)| *block == piece.block) {
            Some((_, size)) => *size += piece.text.len(),
            None => sizes.push((piece.block, piece.text.len())),
        }
    }
    if size > budget {
        let longest = sizes.iter().max_by_key(|(_, size)| *size);
        return Err(PromptError::TooLong {
            needed: size,
            budget,
            longest: longest.map_or("", |(block, _)| block),
        });
    }
    let text = pieces.iter().map(|piece| piece.text.as_str()).collect();
    Ok(Prompt { text, sizes })
}

/// Takes at least `over` bytes off the end of a text, or all of it that is worth a mark.
fn shorten(text: &mut String, over: usize) {
    let room = text.len().saturating_sub(over);
    if room >= MIN_KEPT + CUT.len() {
        text.truncate(text.floor_char_boundary(room - CUT.len()));
        text.push_str(CUT);
    } else if text.len() > LEFT_OUT.len() {
        LEFT_OUT.clone_into(text);
    }
}

/// The first bytes of a text, with a mark where it is longer, and a line end.
fn capped(text: &str, limit: usize) -> String {
    match text.get(..text.floor_char_boundary(limit)) {
        Some(head) if head.len() < text.len() => head.to_owned() + CUT,
        _ => ended(text),
    }
}

/// The text, with a line end if it is not empty and has none.
fn ended(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

/// Replaces `<` where a tag of ours could begin: before `aictx` in any case, whatever slashes, white space
/// and invisible characters stand in between.
fn escaped(text: &str) -> Cow<'_, str> {
    let begins = |behind: &str| {
        let hidden = |c: char| c.is_whitespace() || c == '/' || shown::is_hidden(c);
        let mut name = behind.chars().filter(|c| !hidden(*c));
        "aictx"
            .chars()
            .all(|c| name.next().is_some_and(|n| n.eq_ignore_ascii_case(&c)))
    };
    let mut out = Cow::Borrowed("");
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        if begins(text.get(at + 1..).unwrap_or_default()) {
            out += text.get(from..at).unwrap_or_default();
            out += "‹";
            from = at + 1;
        }
    }
    match from {
        0 => Cow::Borrowed(text),
        _ => out + text.get(from..).unwrap_or_default(),
    }
}
