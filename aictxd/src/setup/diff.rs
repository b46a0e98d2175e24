//! The lines that an edit takes and brings, for people.

/// Most lines shown of one edit.
const MAX_LINES: usize = 200;

/// Lines behind the common beginning and before the common end; one place is enough, because our
/// entries stand together.
pub(super) fn lines(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tails = old.iter().rev().zip(new.iter().rev());
    let tail = tails.take(rest).take_while(|(a, b)| a == b).count();
    let part = |all: &[&str], sign: char| {
        let end = all.len() - tail;
        let lines = all.get(head..end).unwrap_or_default();
        lines
            .iter()
            .map(|line| format!("{sign} {line}\n"))
            .collect::<Vec<_>>()
    };
    let mut shown = part(&old, '-');
    shown.extend(part(&new, '+'));
    let more = shown.len().saturating_sub(MAX_LINES);
    shown.truncate(MAX_LINES);
    let mut text = shown.concat();
    if more > 0 {
        text.push_str(&format!("  … {more} more lines\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(lines("a\nb\nc\n", "a\nx\ny\nc\n"), "- b\n+ x\n+ y\n");
        assert_eq!(lines("", "a\n"), "+ a\n");
        assert_eq!(lines("a\na\n", "a\na\na\n"), "+ a\n");
        assert_eq!(lines("a\n", "a\n"), "");
    }
}
