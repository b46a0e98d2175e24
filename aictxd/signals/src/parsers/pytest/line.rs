//! Shapes of single lines.

use super::block::Kind;
use crate::substring::Needle;

/// `==== title ====`.
pub(super) fn section(line: &str) -> Option<&str> {
    let inside = line.strip_prefix("===")?.trim_start_matches('=');
    let title = inside
        .strip_prefix(' ')?
        .trim_end()
        .strip_suffix('=')?
        .trim_end_matches('=');
    let title = title.strip_suffix(' ')?;
    (!title.is_empty()).then_some(title)
}

/// `____ name ____`; a name as wide as the screen leaves one underscore on each side.
pub(super) fn block_head(line: &str) -> Option<(Kind, &str)> {
    let inside = line
        .strip_prefix('_')?
        .trim_start_matches('_')
        .strip_prefix(' ')?;
    let name = inside
        .trim_end()
        .strip_suffix('_')?
        .trim_end_matches('_')
        .strip_suffix(' ')?;
    if name.is_empty() || name.starts_with("_ ") || name == "_" {
        return None;
    }
    let name = name.trim();
    for (start, kind) in [
        ("ERROR at setup of ", Kind::Setup),
        ("ERROR at teardown of ", Kind::Setup),
        ("ERROR collecting ", Kind::Collect),
    ] {
        if let Some(rest) = name.strip_prefix(start) {
            return Some((kind, rest));
        }
    }
    Some((Kind::Failure, name))
}

/// `FAILED|ERROR nodeid[ - text]`.
pub(super) fn summary(line: &str) -> Option<(bool, &str, &str)> {
    let (error, rest) = if let Some(rest) = line.strip_prefix("FAILED ") {
        (false, rest)
    } else if let Some(rest) = line.strip_prefix("ERROR ") {
        (true, rest)
    } else {
        (false, line.strip_prefix("SUBFAIL ")?)
    };
    // Parameters may hold anything, ` - ` too.
    let from = match (rest.find('['), rest.find(" - ")) {
        (Some(bracket), Some(dash)) if bracket < dash => {
            rest.find("] - ").map_or(rest.len(), |end| end + 1)
        }
        (_, Some(dash)) => dash,
        _ => rest.len(),
    };
    let (id, text) = rest.split_at_checked(from)?;
    let id = id.trim();
    let file = id.split("::").next().unwrap_or_default();
    let is_node = id.contains("::")
        || [".py", ".txt", ".rst", ".md"]
            .iter()
            .any(|end| file.ends_with(end));
    if !is_node || file.contains(' ') || file.is_empty() || is_progress_tail(rest) {
        return None;
    }
    Some((
        error,
        id,
        text.strip_prefix(" - ").unwrap_or_default().trim(),
    ))
}

static FAILED: Needle = Needle::new(" FAILED");
static ERROR: Needle = Needle::new(" ERROR");

/// `tests/a.py::test_b FAILED  [ 50%]`, with xdist `[gw0] [ 50%] FAILED tests/a.py::test_b`.
pub(super) fn progress(line: &str) -> Option<(&str, bool)> {
    if let Some(rest) = line.strip_prefix("[gw") {
        let (_, rest) = rest.split_once("%] ")?;
        let (word, id) = rest.split_once(' ')?;
        let error = match word {
            "FAILED" => false,
            "ERROR" => true,
            _ => return None,
        };
        return id.contains("::").then_some((id.trim(), error));
    }
    let tail = line.trim_end();
    if !(tail.ends_with("%]") || tail.ends_with("FAILED") || tail.ends_with("ERROR"))
        || !(FAILED.is_in(line) || ERROR.is_in(line))
    {
        return None;
    }
    let at = line.find(".py::")?;
    let found = |word: &str| line.get(at..)?.rfind(word).map(|end| at + end);
    let (end, error) = match (found(" FAILED"), found(" ERROR")) {
        (Some(end), _) => (end, false),
        (None, Some(end)) => (end, true),
        _ => return None,
    };
    let tail = line
        .get(end..)?
        .trim_start_matches(|c: char| c == ' ' || c.is_ascii_uppercase());
    (tail.is_empty() || is_progress_tail(tail)).then_some((line.get(..end)?.trim(), error))
}

pub(super) fn is_progress_tail(text: &str) -> bool {
    text.trim_end().ends_with("%]")
}

/// `1 failed, 2 passed in 0.5s`, with or without rulers.
pub(super) fn is_totals(line: &str) -> bool {
    let text = line.trim_end();
    text.ends_with(['s', '=', ')']) && crate::run_totals::pytest(line).is_some()
}
