//! Biome and oxlint: a header or a frame with the place, and the message marked by its severity.
//!
//! Yields one event a diagnostic; summaries have no place and are none. Samples: 139.

use super::shape::{is_path, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["biome", "oxlint"],
    needles: &["━━━", ",-[", "╭─["],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let ox = context.runs(&["oxlint"])
        || lines
            .all()
            .iter()
            .any(|line| marked(line).is_some_and(|(_, text)| plugin(text).is_some()));
    lines.each(|lines, at, line| {
        if line.ends_with("━━━") {
            return biome(context, lines, at, line);
        }
        if ox {
            oxlint(context, lines, at, line)
        } else {
            None
        }
    })
}

/// `  × text` is an error, `  ! text` and `  ⚠ text` are warnings.
fn marked(line: &str) -> Option<(bool, &str)> {
    let text = line.strip_prefix("  ")?;
    let mark = text.chars().next()?;
    let warning = match mark {
        '×' | '✖' | 'x' => false,
        '!' | '⚠' => true,
        _ => return None,
    };
    Some((
        warning,
        text.get(mark.len_utf8()..)?.strip_prefix(' ')?.trim(),
    ))
}

fn biome(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let head = line.trim_end_matches('━').trim_end();
    let head = head.strip_suffix("FIXABLE").unwrap_or(head).trim_end();
    let (path, rule) = head.rsplit_once(' ')?;
    let place = location(path);
    let file = place.map_or(path.trim(), |place| place.path);
    if !is_path(file) || !rule.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let (warning, message) = lines
        .after(at + 1, 6)
        .take_while(|(_, next)| !next.ends_with("━━━"))
        .find_map(|(_, next)| marked(next))?;
    let finding = context
        .find(at, "biome", "lint", message)
        .code(rule)
        .warning_if(warning);
    Some(match place {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding.place(context, file, "", ""),
    })
}

/// `eslint(no-unused-vars): text`.
fn plugin(text: &str) -> Option<(&str, &str)> {
    let (head, message) = text.split_once("): ")?;
    let (name, _) = head.split_once('(')?;
    let word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'@'))
    };
    word(name).then(|| (text.get(..=head.len()).unwrap_or(head), message))
}

fn oxlint(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let (warning, text) = marked(line)?;
    let place = lines.after(at + 1, 4).find_map(|(_, next)| {
        let next = next.trim_start();
        let inside = next
            .strip_prefix(",-[")
            .or_else(|| next.strip_prefix("╭─["))?;
        location(inside.split(']').next()?)
    })?;
    let (code, message) = plugin(text).unwrap_or(("", text));
    Some(
        context
            .find(at, "oxlint", "lint", message)
            .code(code)
            .warning_if(warning)
            .place(context, place.path, place.line, place.column),
    )
}
