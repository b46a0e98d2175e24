//! Messages between an agent and the person: dispatches, replies and their attachments.
//!
//! Both are Markdown with optional frontmatter (docs/flows.md#dispatches-and-replies). A dispatch is
//! read strictly, because a question with a misspelled `mode` must not pass as a note; a reply is read
//! as far as it goes, because the agent can make sense of a text without fields.

use std::collections::BTreeMap;

use aictx_proto::flow::DispatchMode;
use aictx_proto::shown;
use aictx_proto::text::lower;
use aictx_proto::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ticket::finding::Finding;
use crate::ticket::frontmatter::{Content, Frontmatter, Node, split};

/// Name of an agent's message, in the directory of its flow.
pub const DISPATCH_FILE: &str = "DISPATCH.md";
/// Directory of the attachments of an agent's message, beside it.
pub const DISPATCH_DIR: &str = "dispatch";
/// Record of an archived message, beside it.
pub const META_FILE: &str = "meta.json";
/// Longest dispatch that is read, in bytes.
pub const MAX_DISPATCH: usize = 1024 * 1024;
/// Longest text of a reply, in bytes: the newest one always has to fit into a prompt.
pub const MAX_REPLY: usize = 64 * 1024;
/// Most entries below the directory of attachments.
pub const MAX_ENTRIES: usize = 256;
/// Longest attachment, in bytes.
pub const MAX_ATTACHMENT: u64 = 25 * 1024 * 1024;
/// Most bytes of all attachments of a dispatch.
pub const MAX_ATTACHMENTS: u64 = 100 * 1024 * 1024;

/// Reason why a dispatch is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
    /// It is too long.
    #[error("{DISPATCH_FILE} is longer than 1 MiB; move the rest to an attachment")]
    TooLong,
    /// It is not UTF-8.
    #[error("{DISPATCH_FILE}:{line}: not UTF-8")]
    NotText {
        /// Line, from 1.
        line: u32,
    },
    /// The frontmatter cannot be read.
    #[error("{DISPATCH_FILE}:{line}:{column}: {message}")]
    Frontmatter {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// The cause.
        message: String,
    },
    /// A key stands there more than once.
    #[error("{DISPATCH_FILE}:{line}: `{key}` stands there twice; remove one of the two lines")]
    Twice {
        /// Line of the second one, from 1.
        line: u32,
        /// The key.
        key: &'static str,
    },
    /// No such mode exists.
    #[error("{DISPATCH_FILE}:{line}: `{mode}` is no mode; write `notify` or `pause`")]
    Mode {
        /// Line, from 1.
        line: u32,
        /// The value.
        mode: String,
    },
}

/// Message of an agent to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// Effect on the flow.
    pub mode: DispatchMode,
    /// Subject; may be empty.
    pub title: String,
    /// Text below the frontmatter.
    pub body: String,
    /// Other keys, with their values as written.
    pub extra: BTreeMap<String, String>,
}

impl Dispatch {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// See [`DispatchError`]; the flow pauses then, so that no question is lost.
    pub fn read(bytes: &[u8]) -> Result<Self, DispatchError> {
        if bytes.len() > MAX_DISPATCH {
            return Err(DispatchError::TooLong);
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            DispatchError::NotText {
                line: line(before.iter().filter(|byte| **byte == b'\n').count() + 1),
            }
        })?;
        let message = Message::of(text).map_err(|finding| DispatchError::Frontmatter {
            line: finding.place.line,
            column: finding.place.column,
            message: match finding.fix.as_str() {
                "" => finding.message,
                fix => format!("{}; write: {fix}", finding.message),
            },
        })?;
        let mode = match message.node("mode")? {
            Some(node) if !is_no_text(node) => {
                let mode = node.text().unwrap_or_default().trim();
                DispatchMode::parse(&lower(mode)).ok_or_else(|| DispatchError::Mode {
                    line: message.line(node.place.line),
                    mode: shown::line(mode, 60),
                })?
            }
            _ => DispatchMode::Notify,
        };
        let title = message.node("title")?.and_then(Node::text);
        Ok(Self {
            mode,
            title: title.unwrap_or_default().trim().to_owned(),
            body: message.body.to_owned(),
            extra: message.extra(),
        })
    }

    /// Title, else the first line of the text, at most 120 characters.
    pub fn label(&self) -> String {
        let mut lines = [self.title.as_str()].into_iter().chain(self.body.lines());
        let line = lines.find(|line| !line.trim().is_empty());
        shown::line(line.unwrap_or_default(), 120)
    }
}

/// Answer of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Number in the history of the flow.
    pub seq: u32,
    /// Subject; may be empty.
    pub title: String,
    /// Text below the frontmatter.
    pub body: String,
    /// Paths of the attachments, relative to the worktree.
    pub attachments: Vec<String>,
    /// Part of the file that was not read as it was meant, and why.
    pub problem: Option<String>,
}

impl Reply {
    /// Reads the bytes of a file as far as they make sense.
    pub fn read(seq: u32, bytes: &[u8], attachments: Vec<String>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut problem = match &text {
            std::borrow::Cow::Owned(_) => Some("the file is not UTF-8".to_owned()),
            std::borrow::Cow::Borrowed(_) => None,
        };
        let (title, body) = match Message::of(&text) {
            Ok(message) => {
                let title = message.node("title").ok().flatten().and_then(Node::text);
                (title.unwrap_or_default().trim().to_owned(), message.body)
            }
            Err(finding) => {
                problem = Some(format!("line {}: {}", finding.place.line, finding.message));
                (String::new(), text.as_ref())
            }
        };
        if body.len() > MAX_REPLY {
            problem = Some("the reply is longer than 64 KiB; the rest is in its file".to_owned());
        }
        let end = body.floor_char_boundary(MAX_REPLY);
        Self {
            seq,
            title,
            body: body.get(..end).unwrap_or_default().to_owned(),
            attachments,
            problem,
        }
    }
}

/// A text split at its frontmatter, if it has one.
struct Message<'t> {
    front: Option<Frontmatter>,
    /// The text from its first visible character, which the places in `front` refer to.
    text: &'t str,
    body: &'t str,
    /// Blank lines above `text`.
    skipped: u32,
}

impl<'t> Message<'t> {
    /// Splits a text. Blanks above the frontmatter are skipped: behind one of them, `mode: pause` would be
    /// part of a note that stops nobody.
    fn of(text: &'t str) -> Result<Self, Finding> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let visible = text.trim_start();
        let above = text.get(..text.len() - visible.len()).unwrap_or_default();
        let skipped = line(above.matches('\n').count());
        let mut message = Self {
            front: None,
            text: visible,
            body: text.trim_start_matches(['\r', '\n']),
            skipped,
        };
        if visible.lines().next().map(str::trim_end) != Some("---") {
            return Ok(message);
        }
        let below = |mut finding: Finding| {
            finding.place.line = finding.place.line.saturating_add(skipped);
            finding
        };
        let (block, body, _) = split(visible).map_err(below)?;
        let is_empty = visible.get(block).unwrap_or_default().trim().is_empty();
        if !is_empty {
            message.front = Some(Frontmatter::of(visible).map_err(below)?);
        }
        let body = visible.get(body..).unwrap_or_default();
        message.body = body.trim_start_matches(['\r', '\n']);
        Ok(message)
    }

    /// The value of a key in any case.
    fn node(&self, key: &'static str) -> Result<Option<&Node>, DispatchError> {
        let fields = self.front.iter().flat_map(|front| &front.fields);
        let mut named = fields.filter(|field| field.key.eq_ignore_ascii_case(key));
        match (named.next(), named.next()) {
            (_, Some(second)) => Err(DispatchError::Twice {
                line: self.line(second.place.line),
                key,
            }),
            (first, None) => Ok(first.map(|field| &field.node)),
        }
    }

    fn extra(&self) -> BTreeMap<String, String> {
        let fields = self.front.iter().flat_map(|front| &front.fields);
        let known = |key: &str| {
            ["mode", "title"]
                .iter()
                .any(|k| key.eq_ignore_ascii_case(k))
        };
        let others = fields.filter(|field| !known(&field.key));
        others
            .map(|field| {
                let value = self.text.get(field.node.span.clone()).unwrap_or_default();
                (field.key.clone(), value.trim().to_owned())
            })
            .collect()
    }

    fn line(&self, line: u32) -> u32 {
        line.saturating_add(self.skipped)
    }
}

/// Returns true for lists, mappings, null and unquoted numbers and booleans.
fn is_no_text(node: &Node) -> bool {
    let is_number = |text: &str| {
        !text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.parse::<f64>().is_ok()
    };
    match &node.content {
        Content::Scalar {
            text,
            is_plain: true,
        } => node.is_null() || node.boolean().is_some() || is_number(text),
        Content::Scalar { .. } => false,
        Content::Sequence(_) | Content::Mapping(_) => true,
    }
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Author of a dispatch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The agent.
    #[default]
    Agent,
    /// The program itself, which paused the flow.
    Runner,
}

/// Record of an archived dispatch: `meta.json`. Fields that a file lacks are empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Number in the history of the flow.
    pub seq: u32,
    /// Effect on the flow.
    pub mode: DispatchMode,
    /// Subject.
    #[serde(default)]
    pub title: String,
    /// Ticket at hand.
    #[serde(default)]
    pub ticket_id: String,
    /// Turn after which it was found.
    #[serde(default)]
    pub turn: u32,
    /// Agent at work.
    #[serde(default)]
    pub agent: String,
    /// Author.
    #[serde(default)]
    pub origin: Origin,
    /// Time of archival.
    #[serde(default)]
    pub created_at: Timestamp,
    /// Attachments.
    #[serde(default)]
    pub files: Vec<ArchivedFile>,
}

/// Attachment of an archived dispatch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArchivedFile {
    /// Path below the directory of the dispatch.
    pub name: String,
    /// Digest in hexadecimal digits.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
}

/// Returns the question that a person should see: the newest handoff, else the newest notice. Summaries
/// are never one, though they come last.
pub fn newest_question<'m>(history: impl IntoIterator<Item = &'m Meta>) -> Option<&'m Meta> {
    let questions = history.into_iter();
    let questions = questions.filter(|meta| meta.mode != DispatchMode::TurnSummary);
    questions.max_by_key(|meta| (meta.mode == DispatchMode::Pause, meta.seq))
}

/// Returns the next number of a history, of the last one known and the names in its directory. Names count
/// because a crash can come between a rename and the record of it; `0007.tmp` counts as 7, so that leftovers
/// are never in the way.
pub fn next_seq<'n>(last: u32, names: impl IntoIterator<Item = &'n str>) -> u32 {
    let number = |name: &str| {
        let stem = name.split('.').next().unwrap_or_default();
        let is_number = stem.len() >= 4 && stem.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| stem.parse::<u32>().ok()).flatten()
    };
    let found = names.into_iter().filter_map(number).max();
    last.max(found.unwrap_or_default()).saturating_add(1)
}

/// Entry below the directory of attachments, as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Path below that directory.
    pub path: String,
    /// Kind.
    pub kind: Kind,
}

/// Kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Regular file.
    File {
        /// Bytes.
        size: u64,
    },
    /// Directory, whose entries are listed, too.
    Directory,
    /// Symbolic link.
    Link,
    /// Socket, pipe or device.
    Special,
}

/// Reason why attachments are not archived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    /// There are too many entries.
    #[error("there are more than {MAX_ENTRIES} attachments; pack them into one file")]
    TooMany,
    /// The path leads elsewhere, or is none.
    #[error("`{0}` is no path below the directory of attachments")]
    Path(String),
    /// The entry is no file.
    #[error("`{0}` is a link or a special file; attach a copy")]
    NotAFile(String),
    /// The name is one that the archive needs.
    #[error("`{0}` is the name of a file of the archive; rename it")]
    Reserved(String),
    /// The file is too long.
    #[error("`{0}` is longer than 25 MiB; attach a part of it, or name its path")]
    TooLong(String),
    /// All files are too long.
    #[error("attachments are longer than 100 MiB together; name the paths of some instead")]
    TooLongTogether,
}

/// Returns the files to archive. Entries whose name begins with a dot are skipped, and so is what is
/// below them.
///
/// # Errors
/// See [`AttachmentError`]; nothing is archived then.
pub fn attachments(listing: &[Listed]) -> Result<Vec<&Listed>, AttachmentError> {
    let (mut files, mut entries, mut total) = (Vec::new(), 0, 0_u64);
    for entry in listing {
        let named = || shown::line(&entry.path, 200);
        let path = entry.path.as_str();
        let leaves = |part: &str| matches!(part, "" | "." | "..");
        if path.split('/').any(leaves) || path.contains(|c: char| c == '\\' || c.is_control()) {
            return Err(AttachmentError::Path(named()));
        }
        if path.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        entries += 1;
        if entries > MAX_ENTRIES {
            return Err(AttachmentError::TooMany);
        }
        match entry.kind {
            Kind::Directory => {}
            Kind::Link | Kind::Special => return Err(AttachmentError::NotAFile(named())),
            Kind::File { size } => {
                // Without regard to case, as some file systems have it.
                let mut reserved = [DISPATCH_FILE, META_FILE].into_iter();
                if reserved.any(|name| path.eq_ignore_ascii_case(name)) {
                    return Err(AttachmentError::Reserved(named()));
                }
                if size > MAX_ATTACHMENT {
                    return Err(AttachmentError::TooLong(named()));
                }
                total = total.saturating_add(size);
                if total > MAX_ATTACHMENTS {
                    return Err(AttachmentError::TooLongTogether);
                }
                files.push(entry);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<(DispatchMode, String, String), String> {
        let dispatch = Dispatch::read(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok((dispatch.mode, dispatch.title, dispatch.body))
    }

    #[test]
    fn frontmatter_of_a_dispatch_is_optional() {
        use DispatchMode::{Notify, Pause, TurnSummary};
        for (text, mode, title, body) in [
            ("Hello\n", Notify, "", "Hello\n"),
            ("", Notify, "", ""),
            ("\n\n  code\n", Notify, "", "  code\n"),
            (
                "---\nmode: pause\ntitle: Which key?\n---\n\nText\n",
                Pause,
                "Which key?",
                "Text\n",
            ),
            (
                "---\r\nmode: ' PAUSE '\r\n...\r\n\r\nText\r\n",
                Pause,
                "",
                "Text\r\n",
            ),
            ("\u{feff}---\nMode: Pause\n---\nText", Pause, "", "Text"),
            ("\n \n ---\nmode: pause\n---\nText", Pause, "", "Text"),
            (
                "---\nmode: turn_summary\n---\nText",
                TurnSummary,
                "",
                "Text",
            ),
            ("---\ntitle: 7\n---\nText", Notify, "7", "Text"),
            ("---\n---\nText", Notify, "", "Text"),
            ("---\nmode:\n---\n", Notify, "", ""),
            ("---\nmode: [pause]\n---\n", Notify, "", ""),
            ("---\nmode: true\n---\n", Notify, "", ""),
            ("---\nmode: 12\n---\n", Notify, "", ""),
        ] {
            let expected = (mode, title.to_owned(), body.to_owned());
            assert_eq!(read(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn a_dispatch_that_cannot_be_read_names_its_line() {
        for (text, expected) in [
            (
                "---\ntitle: x\nmode: puase\n---\n",
                "DISPATCH.md:3: `puase` is no mode",
            ),
            ("\n\n---\nmode: ''\n---\n", "DISPATCH.md:4: `` is no mode"),
            (
                "---\nmode: pause\nText\n",
                "DISPATCH.md:1:1: no line `---` closes",
            ),
            (
                "---\nmode: pause\nmode: notify\n---\n",
                "DISPATCH.md:3: `mode` stands there twice",
            ),
            ("\n---\ntitle: a: b\n---\n", "DISPATCH.md:3:"),
            ("---\ntitle: a: b\n---\n", "write: title: \"a: b\""),
            (
                "---\n- a\n---\n",
                "DISPATCH.md:2:1: the frontmatter is not a mapping",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = Dispatch::read(b"a\n\xff").unwrap_err();
        assert_eq!(error, DispatchError::NotText { line: 2 });
        let long = Dispatch::read(&vec![b' '; MAX_DISPATCH + 1]);
        assert_eq!(long, Err(DispatchError::TooLong));
    }

    #[test]
    fn a_dispatch_without_a_title_is_called_by_its_first_line() {
        for (text, label) in [
            ("---\ntitle: Key?\n---\nText", "Key?"),
            ("\n \nWhich  key?\nMore", "Which key?"),
            ("", ""),
        ] {
            assert_eq!(Dispatch::read(text.as_bytes()).unwrap().label(), label);
        }
    }

    #[test]
    fn other_keys_of_a_dispatch_are_kept() {
        let text = "---\nmode: pause\nurgency: high # soon\noptions: [a, b]\n---\n";
        let extra = Dispatch::read(text.as_bytes()).unwrap().extra;
        let values: Vec<_> = extra
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(values, [("options", "[a, b]"), ("urgency", "high")]);
    }

    #[test]
    fn a_reply_is_read_whatever_it_holds() {
        for (bytes, title, body, problem) in [
            (&b"Yes\n"[..], "", "Yes\n", ""),
            (
                b"---\ntitle: Key\nfrom: web\n---\nUse A\n",
                "Key",
                "Use A\n",
                "",
            ),
            (
                b"---\ntitle: a: b\n---\nUse A\n",
                "",
                "---\ntitle: a: b\n---\nUse A\n",
                "line 2",
            ),
            (b"---\nUse A\n", "", "---\nUse A\n", "line 1"),
            (b"a\xffb", "", "a\u{fffd}b", "not UTF-8"),
        ] {
            let reply = Reply::read(3, bytes, Vec::new());
            assert_eq!((reply.title.as_str(), reply.body.as_str()), (title, body));
            assert!(reply.problem.unwrap_or_default().contains(problem));
        }
        let long = Reply::read(1, "é".repeat(MAX_REPLY).as_bytes(), Vec::new());
        assert_eq!(long.body.len(), MAX_REPLY);
        assert!(long.problem.is_some());
    }

    #[test]
    fn numbers_go_on_after_what_is_known_and_what_is_there() {
        for (last, names, next) in [
            (0, &[][..], 1),
            (3, &["0001", "0002"], 4),
            (1, &["0001", "0004", "0005.tmp", "notes", "12", ".0099"], 6),
            (0, &["12000", "99999999999999999999", "000x"], 12_001),
        ] {
            assert_eq!(next_seq(last, names.iter().copied()), next, "{names:?}");
        }
    }

    #[test]
    fn the_newest_handoff_is_the_question() {
        use DispatchMode::{Notify, Pause, TurnSummary};
        for (modes, expected) in [
            (&[Notify, Pause, TurnSummary][..], Some(2)),
            (&[Pause, Notify, TurnSummary], Some(1)),
            (&[Pause, Pause, Notify], Some(2)),
            (&[Notify, Notify, TurnSummary], Some(2)),
            (&[TurnSummary], None),
        ] {
            let meta = |(at, mode): (usize, &DispatchMode)| {
                let text = format!(r#"{{"seq":{},"mode":"{mode}"}}"#, at + 1);
                serde_json::from_str::<Meta>(&text).unwrap()
            };
            let history: Vec<Meta> = modes.iter().enumerate().map(meta).collect();
            let newest = newest_question(&history).map(|meta| meta.seq);
            assert_eq!(newest, expected, "{modes:?}");
        }
    }

    #[test]
    fn meta_is_written_as_documented() {
        let text = r#"{"seq":3,"mode":"pause","title":"Which key?","ticket_id":"tkt_5b1c00","turn":9,"agent":"codex","origin":"agent","created_at":"2026-01-02T03:04:05Z","files":[{"name":"a.txt","sha256":"00","size":2}]}"#;
        let meta: Meta = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&meta).unwrap(), text);
    }

    #[test]
    fn attachments_are_files_within_bounds() {
        let mib = 1024 * 1024;
        let file = |path: &str, size| Listed {
            path: path.to_owned(),
            kind: Kind::File { size },
        };
        let entry = |path: &str, kind| Listed {
            path: path.to_owned(),
            kind,
        };
        let paths = |listing: &[Listed]| {
            let files = attachments(listing)?;
            Ok::<_, AttachmentError>(files.iter().map(|f| f.path.clone()).collect::<Vec<_>>())
        };
        let kept = paths(&[
            file("ü 1.txt", 25 * mib),
            entry("logs", Kind::Directory),
            file("logs/DISPATCH.md", 1),
            entry(".git", Kind::Link),
            file(".cache/x", 90 * mib),
        ]);
        assert_eq!(kept.unwrap(), ["ü 1.txt", "logs/DISPATCH.md"]);
        let many: Vec<Listed> = (0..=MAX_ENTRIES)
            .map(|n| file(&format!("{n}"), 0))
            .collect();
        let much: Vec<Listed> = (0..5).map(|n| file(&format!("{n}"), 21 * mib)).collect();
        use AttachmentError as E;
        for (listing, error) in [
            (vec![entry("a", Kind::Link)], E::NotAFile("a".into())),
            (vec![entry("d/a", Kind::Special)], E::NotAFile("d/a".into())),
            (vec![file("../a", 1)], E::Path("../a".into())),
            (vec![file("/a", 1)], E::Path("/a".into())),
            (vec![file("d\\a", 1)], E::Path("d\\a".into())),
            (vec![file("Meta.json", 1)], E::Reserved("Meta.json".into())),
            (vec![file("a", 25 * mib + 1)], E::TooLong("a".into())),
            (much, E::TooLongTogether),
            (many, E::TooMany),
        ] {
            assert_eq!(paths(&listing), Err(error));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            bytes in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..80),
                "[ \n\r]{0,3}---[ \r]?\n[a-zM:'\" \n\r\\[{#&-]{0,40}(\n---\n)?.{0,10}".prop_map(String::into_bytes),
            ],
        ) {
            let dispatch = Dispatch::read(&bytes);
            let reply = Reply::read(1, &bytes, Vec::new());
            if let Ok(dispatch) = dispatch {
                // What a dispatch is read as, a reply is, too.
                prop_assert_eq!(dispatch.body, reply.body);
                prop_assert_eq!(reply.problem, None);
            }
        }
    }
}
