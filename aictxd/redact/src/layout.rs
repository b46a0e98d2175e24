//! Layout of documents: as much in lines as a person reads and a merge tells apart, and no white
//! space beyond that.
//!
//! Members of the document and members of those stand in lines of their own (an area, a session, a part
//! of the contract a line); what is deeper stands in the line of what it belongs to. Of small
//! documents with many short members a third was indentation.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// Brackets within which members have lines of their own.
pub const LINES: usize = 2;

/// A document as it stands in its file, without the last line's end.
pub fn document(value: &Value) -> String {
    let mut out = Vec::new();
    let mut to = Serializer::with_formatter(&mut out, Layout::default());
    // Neither a value nor a vector refuses to be written.
    let _ = value.serialize(&mut to);
    String::from_utf8(out).unwrap_or_default()
}

/// The end of a line and the indentation of the next one, for members within `depth` brackets.
pub fn new_line(depth: usize) -> &'static str {
    match depth {
        0 => "\n",
        1 => "\n  ",
        2 => "\n    ",
        _ => "",
    }
}

/// Returns the separator of a name and its value.
pub fn colon(depth: usize) -> &'static str {
    if depth <= LINES { ": " } else { ":" }
}

/// Returns the white space before a closing bracket with `depth` brackets around it.
pub fn before_end(depth: usize, is_empty: bool) -> &'static str {
    match is_empty || depth >= LINES {
        true => "",
        false => new_line(depth),
    }
}

#[derive(Default)]
struct Layout {
    depth: usize,
    is_empty: bool,
}

impl Layout {
    fn begin(&mut self) {
        self.depth += 1;
        self.is_empty = true;
    }

    fn member<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.is_empty = false;
        if !first {
            out.write_all(b",")?;
        }
        out.write_all(new_line(self.depth).as_bytes())
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        let before = before_end(self.depth, self.is_empty);
        self.is_empty = false;
        out.write_all(before.as_bytes())
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.begin();
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.end(out)?;
        out.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.member(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.begin();
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.end(out)?;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.member(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        out.write_all(colon(self.depth).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_levels_have_lines() {
        let value = json!({
            "areas": {"src/a": {"files": {"src/a/x.rs": 2}, "tests": []}, "src/b": {}},
            "empty": {},
            "list": [1, [2, 3], {"a": [4]}],
            "version": 1,
        });
        let expected = r#"{
  "areas": {
    "src/a": {"files":{"src/a/x.rs":2},"tests":[]},
    "src/b": {}
  },
  "empty": {},
  "list": [
    1,
    [2,3],
    {"a":[4]}
  ],
  "version": 1
}"#;
        assert_eq!(document(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
        assert_eq!(document(&json!([])), "[]");
        assert_eq!(document(&json!("a")), "\"a\"");
    }
}
