//! Text between two values: blanks, comments, one comma.

/// Text between two offsets with values on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trivia {
    /// Offset of the first comma.
    pub(super) comma: Option<usize>,
    /// End of the last comment or comma; the beginning when there is none.
    pub(super) end: usize,
    /// The last of them is a comment to the end of its line.
    pub(super) open: bool,
}

/// Looks at `text[from..to]`.
pub(super) fn between(text: &str, from: usize, to: usize) -> Trivia {
    let mut found = Trivia {
        comma: None,
        end: from,
        open: false,
    };
    let mut at = from;
    let bytes = text.as_bytes();
    while at < to {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b','), _) => {
                found.comma = found.comma.or(Some(at));
                at += 1;
                (found.end, found.open) = (at, false);
            }
            (Some(b'/'), Some(b'/')) => {
                let rest = text.get(at..to).unwrap_or_default();
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                (found.end, found.open) = (at, true);
            }
            (Some(b'/'), Some(b'*')) => {
                let rest = text.get(at + 2..to).unwrap_or_default();
                at += 2 + rest.find("*/").map_or(rest.len(), |close| close + 2);
                (found.end, found.open) = (at, false);
            }
            _ => at += 1,
        }
    }
    found
}

/// Returns true if a line ends in `text[from..to]`.
pub(super) fn has_line_end(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to)
        .is_some_and(|part| part.contains(['\n', '\r']))
}

/// The blanks at the beginning of the line on which a byte stands.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let line = text.get(start..).unwrap_or_default();
    let end = line
        .find(|c: char| c != ' ' && c != '\t')
        .unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}
