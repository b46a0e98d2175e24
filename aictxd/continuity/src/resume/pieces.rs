//! An answer as JSON, in the pieces that its members are: one that is taken out or made shorter costs what
//! it is long, and the others stay as they were written.

use std::borrow::Cow;
use std::io::{Result, Write};

use aictx_proto::methods::ResumeReply;
use aictx_proto::tokens;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Bytes of a usual answer, with room: it is written out into a buffer that need not grow.
const ROOM: usize = 24 * 1024;

/// Stands before the name of each member; serde_json escapes it wherever a text holds one.
const MARK: char = '\0';

/// Separator of two members, with the quote of the second one's name.
const BETWEEN: &str = ",\"";

/// The JSON of an answer with its [`MARK`]s.
pub(super) fn marked(reply: &ResumeReply) -> String {
    let mut out = Vec::with_capacity(ROOM);
    let mut to = Serializer::with_formatter(&mut out, Marks::default());
    let written = reply.serialize(&mut to);
    debug_assert!(written.is_ok(), "plain data always serialises");
    String::from_utf8(out).unwrap_or_default()
}

/// Writes as serde_json does by itself, with marks.
#[derive(Default)]
struct Marks {
    /// Open objects.
    depth: usize,
    /// The next string is the name of a member of the outermost one.
    names: bool,
}

impl Formatter for Marks {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.names = self.depth == 1;
        match first {
            true => Ok(()),
            false => out.write_all(b","),
        }
    }

    fn begin_string<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        match std::mem::take(&mut self.names) {
            true => out.write_all(b"\"\0"),
            false => out.write_all(b"\""),
        }
    }
}

/// A member from the first letter of its name, `name":value`.
struct Piece<'j> {
    text: Cow<'j, str>,
    /// Of it and what stands [`BETWEEN`] it and the next. No run of characters goes over a name's first letter, so
    /// those of all pieces add up to those of the whole.
    tokens: u32,
}

/// The members of an answer.
pub(super) struct Pieces<'j>(Vec<Piece<'j>>);

impl<'j> Pieces<'j> {
    /// Those of a [`marked`] answer.
    pub(super) fn of(marked: &'j str) -> Self {
        let inside = marked.strip_suffix('}').unwrap_or(marked);
        // Before the first one stand the bracket and its quote.
        let mut texts = inside.split(MARK).skip(1).peekable();
        let mut pieces = Vec::new();
        while let Some(text) = texts.next() {
            let ends = texts.peek().map_or("", |_| BETWEEN);
            pieces.push(Piece {
                tokens: tokens::estimate(text),
                text: text.strip_suffix(ends).unwrap_or(text).into(),
            });
        }
        Self(pieces)
    }

    /// Tokens of the whole.
    pub(super) fn tokens(&self) -> u32 {
        let Some((last, others)) = self.0.split_last() else {
            return tokens::estimate("{}");
        };
        let last = tokens::estimate(&[&last.text, "}"].concat());
        let first = tokens::estimate("{\"");
        let others = others.iter().map(|piece| piece.tokens);
        others.chain([first, last]).fold(0, u32::saturating_add)
    }

    /// The whole.
    pub(super) fn json(&self) -> String {
        let size = |piece: &Piece| piece.text.len() + BETWEEN.len();
        let mut out = String::with_capacity(self.0.iter().map(size).sum::<usize>() + 3);
        for (at, piece) in self.0.iter().enumerate() {
            out.push_str(if at == 0 { "{\"" } else { BETWEEN });
            out.push_str(&piece.text);
        }
        out.push_str(if self.0.is_empty() { "{}" } else { "}" });
        out
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|piece| {
            let behind = piece.text.strip_prefix(name);
            behind.is_some_and(|behind| behind.starts_with("\":"))
        })
    }

    /// Takes a member out, and gives how many tokens less that are.
    pub(super) fn remove(&mut self, name: &str) -> u32 {
        self.place(name).map_or(0, |at| self.0.remove(at).tokens)
    }

    /// Writes a member anew.
    pub(super) fn replace(&mut self, name: &str, value: &impl Serialize) {
        let value = serde_json::to_string(value).unwrap_or_default();
        self.set(name, [name, "\":", &value, BETWEEN].concat());
    }

    /// The items of a member that is a list, as they are written.
    pub(super) fn items(&self, name: &str) -> Vec<&str> {
        let piece = self.place(name).and_then(|at| self.0.get(at));
        let list = piece.and_then(|piece| piece.text.get(name.len() + "\":".len()..));
        list.map(items_of).unwrap_or_default()
    }

    /// Takes so many bytes from the end of a list: those of its last items with the comma before each, of
    /// which there are others.
    pub(super) fn cut(&mut self, name: &str, bytes: usize) {
        let piece = self.place(name).and_then(|at| self.0.get(at));
        let cut = piece.and_then(|piece| piece.text.strip_suffix(']'));
        let kept = cut.and_then(|list| list.get(..list.len().checked_sub(bytes)?));
        if let Some(kept) = kept {
            let text = [kept, "]", BETWEEN].concat();
            self.set(name, text);
        }
    }

    fn set(&mut self, name: &str, mut text: String) {
        if let Some(piece) = self.place(name).and_then(|at| self.0.get_mut(at)) {
            piece.tokens = tokens::estimate(&text);
            text.truncate(text.len().saturating_sub(BETWEEN.len()));
            piece.text = text.into();
        }
    }
}

/// The items of a list that serde_json wrote.
fn items_of(list: &str) -> Vec<&str> {
    let inside = list
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    let inside = inside.unwrap_or_default();
    let (mut items, mut start, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    let bytes = inside.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.extend(inside.get(start..at));
                start = at + 1;
            }
            b'"' => at += text_length(bytes.get(at + 1..).unwrap_or_default()),
            _ => {}
        }
        at += 1;
    }
    items.extend(inside.get(start..).filter(|last| !last.is_empty()));
    items
}

/// Bytes of a text behind its first quote, with the last one.
fn text_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        at += 1;
        match byte {
            b'"' => return at,
            b'\\' => at += 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn reply(members: Value) -> ResumeReply {
        let mut whole = json!({
            "schema_version": "1.0", "generated_at": "", "mode": "", "repo": "", "request": "", "agent_id": "",
            "adapter_id": "", "agent_identity": null, "startup_banner_text": "",
            "startup_banner_render_payload": null, "startup_banner_policy": null, "communication_policy": null,
            "continuity_match": null, "execution_contract": null, "runner_contract": null, "guard_triggers": [],
            "task_state": null, "carryover_gaps": [], "strongest_carryover_gap": null,
            "discarded_hypotheses": [], "strategy_hint": null, "capsule": {}, "sources": null,
            "continuity_quality": null, "lifecycle_gaps": [], "written_files": null, "loaded_context": [],
            "warnings": [], "contract_ref": null,
        });
        if let (Value::Object(whole), Value::Object(members)) = (&mut whole, members) {
            whole.extend(members);
        }
        serde_json::from_value(whole).unwrap()
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_whole(
            text in "[a-z \"\\\\\n\0{}:,]{0,20}|[A-Z0-9]{0,9}|[é漢 ]{0,9}|.{0,12}",
            items in prop::collection::vec("[a-zA-Z\"{,\\[ \\]é\0]{0,12}", 0..6),
            kept in 1..6_usize,
        ) {
            let list: Vec<Value> = items.iter().map(|item| json!({"a": item, &text: [item]})).collect();
            let mut reply = reply(json!({
                "request": text, "loaded_context": list.clone(), "sources": {&text: text}, "skipped_work_state": text,
            }));
            let agrees = |pieces: &Pieces, reply: &ResumeReply| {
                let json = serde_json::to_string(reply).unwrap();
                assert_eq!(pieces.json(), json);
                assert_eq!(pieces.tokens(), tokens::estimate(&json));
            };
            let marked = marked(&reply);
            let mut pieces = Pieces::of(&marked);
            agrees(&pieces, &reply);
            let written: Vec<String> = list.iter().map(Value::to_string).collect();
            prop_assert_eq!(pieces.items("loaded_context"), written.clone());
            if kept < items.len() {
                reply.loaded_context.truncate(kept);
                let gone = written.iter().skip(kept);
                pieces.cut("loaded_context", gone.map(|item| item.len() + 1).sum());
                agrees(&pieces, &reply);
            }
            reply.sources = json!({"b": items});
            pieces.replace("sources", &reply.sources);
            agrees(&pieces, &reply);
            reply.skipped_work_state = Value::Null;
            pieces.remove("skipped_work_state");
            agrees(&pieces, &reply);
        }
    }
}
