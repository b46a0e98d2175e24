//! Drops branches that a program's own constant excludes: `DRY_RUN = True`, `if DRY_RUN: … else: …`.
//!
//! Only names are heeded that are given `True` or `False` once, at the margin, and stand nowhere else but in
//! conditions of which they are all; and only in programs that set nothing by name.

use super::scan::Find as _;
use std::borrow::Cow;

/// Constants of one program, those that are looked at, conditions, and lines.
const MAX_CONSTANTS: usize = 8;
const MAX_CANDIDATES: usize = 32;
const MAX_CONDITIONS: usize = 64;
const MAX_LINES: usize = 2_000;

/// Ways to set a name that are not followed, and texts of several lines.
const STRANGE: [&str; 12] = [
    "import *",
    "exec(",
    "eval(",
    "globals(",
    "locals(",
    "setattr(",
    "globalThis",
    "window[",
    "with (",
    "'''",
    "\"\"\"",
    "vars(",
];

/// The program without the branches that never run.
pub(super) fn without_idle(text: &str) -> Cow<'_, str> {
    // Almost none has a constant at all.
    if !text.holds("rue") && !text.holds("alse") {
        return Cow::Borrowed(text);
    }
    if STRANGE.iter().any(|way| text.holds(way)) {
        return Cow::Borrowed(text);
    }
    let constants = constants(text);
    if constants.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    if text.lines().nth(MAX_LINES).is_some() {
        return Cow::Borrowed(text);
    }
    for at in 0..lines.len() {
        let Some(line) = lines.get(at).copied() else {
            break;
        };
        if let Some(holds) = asked(line.trim(), &constants, ":") {
            by_indent(&mut lines, at, holds);
        }
    }
    let text = lines.join("\n");
    Cow::Owned(by_braces(&text, &constants))
}

/// Names and what they are.
fn constants(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    for line in text.lines().take(MAX_LINES) {
        // Elsewhere a line may go on in the next one.
        let constant = line.strip_prefix("const ");
        if constant.is_some() && !line.contains(';') {
            continue;
        }
        let Some((name, value)) = constant.unwrap_or(line).split_once('=') else {
            continue;
        };
        let (name, value) = (
            name.trim_end(),
            value.split(['#', ';', '/']).next().unwrap_or_default(),
        );
        let holds = match value.trim() {
            "True" | "true" => true,
            "False" | "false" => false,
            _ => continue,
        };
        let plain =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        looked_at += usize::from(plain);
        if looked_at > MAX_CANDIDATES {
            break;
        }
        if plain && only_decides(text, name) {
            found.push((name, holds));
            if found.len() >= MAX_CONSTANTS {
                break;
            }
        }
    }
    found
}

/// Returns true if a name stands in one assignment and otherwise only in conditions of which it is all.
fn only_decides(text: &str, name: &str) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut given = 0;
    for (at, _) in text.found(name) {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + name.len()..).unwrap_or_default();
        if part(before.as_bytes().last()) || part(behind.as_bytes().first()) {
            continue;
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = behind.split('\n').next().unwrap_or_default().trim_end();
        // Behind a quote it may stand in a text.
        let asks = match line.trim_start() {
            "if " | "if not " => rest.starts_with(':'),
            _ if line.contains(['"', '\'', '`']) => false,
            _ => (line.ends_with("if (") || line.ends_with("if (!")) && rest.starts_with(')'),
        };
        given += usize::from(!asks);
    }
    given == 1
}

/// Returns the condition of a line that asks for such a name.
fn asked(line: &str, constants: &[(&str, bool)], end: &str) -> Option<bool> {
    let condition = line.strip_prefix("if")?.strip_suffix(end)?.trim();
    known(condition, constants)
}

fn known(condition: &str, constants: &[(&str, bool)]) -> Option<bool> {
    let inside = condition
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let condition = inside.unwrap_or(condition).trim();
    let denied = condition
        .strip_prefix("not ")
        .or_else(|| condition.strip_prefix('!'));
    let name = denied.unwrap_or(condition).trim();
    let (_, holds) = constants.iter().find(|(known, _)| *known == name)?;
    Some(*holds != denied.is_some())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Takes away what does not run of the branches that begin at a line, where indentation tells.
fn by_indent(lines: &mut [&str], at: usize, holds: bool) {
    let margin = lines.get(at).map_or(0, |line| indent(line));
    let inside = |line: &str| line.trim().is_empty() || indent(line) > margin;
    let length = |from: usize, lines: &[&str]| {
        let rest = lines.get(from..).unwrap_or_default();
        rest.iter().take_while(|line| inside(line)).count()
    };
    let body = at + 1..at + 1 + length(at + 1, lines);
    let leaves = {
        let kept = lines.get(body.clone()).unwrap_or_default();
        let last = kept.iter().rev().find(|line| !line.trim().is_empty());
        last.is_some_and(|line| indent(line) == first_indent(kept) && leaves(line.trim()))
    };
    let mut from = body.end;
    if !holds {
        blank(lines, body);
        return;
    }
    while lines.get(from).is_some_and(|line| {
        let word = line.trim_start();
        indent(line) == margin && (word.starts_with("else:") || word.starts_with("elif "))
    }) {
        let end = from + 1 + length(from + 1, lines);
        blank(lines, from..end);
        from = end;
    }
    if leaves {
        let rest = lines.get(from..).unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|line| line.trim().is_empty() || indent(line) >= margin);
        let end = from + count.count();
        // At the margin a function or a class that follows is not part of it.
        if margin > 0 {
            blank(lines, from..end);
        }
    }
}

fn first_indent(lines: &[&str]) -> usize {
    lines
        .iter()
        .find(|line| !line.trim().is_empty())
        .map_or(0, |line| indent(line))
}

/// Returns true if nothing that follows in the same block runs.
fn leaves(line: &str) -> bool {
    matches!(
        line,
        "continue" | "return" | "break" | "continue;" | "return;" | "break;"
    ) || line.starts_with("return ")
        || line.starts_with("raise ")
        || line.starts_with("sys.exit(")
}

fn blank(lines: &mut [&str], range: std::ops::Range<usize>) {
    for line in lines.get_mut(range).unwrap_or_default() {
        *line = "";
    }
}

/// The same where braces tell.
fn by_braces(text: &str, constants: &[(&str, bool)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for _ in 0..MAX_CONDITIONS {
        let Some(at) = rest.find("if (") else {
            break;
        };
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let line = before.rsplit('\n').next().unwrap_or_default();
        // `notif (…)`, and what stands in a text.
        if line.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '$' | '.'))
            || line.contains(['"', '\'', '`'])
        {
            out.push_str("if");
            rest = from.get(2..).unwrap_or_default();
            continue;
        }
        let verdict = from.split_once(')').and_then(|(condition, behind)| {
            let asked = known(
                condition.strip_prefix("if")?.trim().strip_prefix('(')?,
                constants,
            )?;
            let behind = behind.trim_start();
            let body = braced(behind)?;
            Some((asked, body, behind.get(body.len()..)?))
        });
        let Some((holds, body, mut behind)) = verdict else {
            out.push_str("if");
            rest = from.get(2..).unwrap_or_default();
            continue;
        };
        if holds {
            out.push_str(body);
        }
        if let Some(other) = behind.trim_start().strip_prefix("else") {
            let other = other.trim_start();
            let Some(body) = braced(other) else {
                // `else if`: asked on its own.
                rest = if holds { behind } else { other };
                continue;
            };
            if !holds {
                out.push_str(body);
            }
            behind = other.get(body.len()..).unwrap_or_default();
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The block in braces that a text begins with. Texts in it are passed over; with others than plain ones,
/// with comments or patterns, nothing is told.
fn braced(text: &str) -> Option<&str> {
    let mut open = 0usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'{' => open += 1,
            b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return text.get(..=at);
                }
            }
            _ if open == 0 => return None,
            b'/' | b'`' => return None,
            b'"' | b'\'' => loop {
                match bytes.next()?.1 {
                    b'\\' | b'\n' => return None,
                    inside if inside == byte => break,
                    _ => {}
                }
            },
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_by_indentation() {
        let text = "DRY = True\nfor f in x:\n    if DRY:\n        say(f)\n    else:\n        rm(f)\nend()\n";
        assert!(!without_idle(text).contains("rm(f)"));
        assert!(without_idle(text).contains("end()") && without_idle(text).contains("say(f)"));
        let text = text.replace("True", "False");
        assert!(without_idle(&text).contains("rm(f)") && !without_idle(&text).contains("say(f)"));
        let text = "DRY = True\nfor f in x:\n    if DRY:\n        say(f)\n        continue\n    rm(f)\nend()\n";
        assert!(!without_idle(text).contains("rm(f)") && without_idle(text).contains("end()"));
        let text = "DRY = True\nif not DRY:\n    rm(x)\n";
        assert!(!without_idle(text).contains("rm(x)"));
    }

    #[test]
    fn branches_in_braces() {
        let text = "const dry = true;\nif (dry) { say(f); } else { rm(f); }\nend()";
        assert!(!without_idle(text).contains("rm(f)") && without_idle(text).contains("end()"));
        let text = "const dry = true;\nif (!dry) { rm(f); }\nend()";
        assert!(!without_idle(text).contains("rm(f)") && without_idle(text).contains("end()"));
        let text = "const dry = false;\nif (!dry) { rm(f); }";
        assert!(without_idle(text).contains("rm(f)"));
    }

    /// Names that may change decide nothing.
    #[test]
    fn names_that_change() {
        for text in [
            "DRY = True\nDRY = parse()\nif DRY:\n    a()\nelse:\n    rm(f)\n",
            "DRY = True\nif DRY and x:\n    a()\nelse:\n    rm(f)\n",
            "run(DRY=False)\nDRY = True\nif DRY:\n    a()\nelse:\n    rm(f)\n",
            "DRY = True\nif OTHER:\n    a()\nelse:\n    rm(f)\n",
            "let dry = true;\ndry = x;\nif (dry) { a(); } else { rm(f); }",
            "let dry = true;\nif (dry) { a(); } else { rm(f); }",
            "const dry = true\n&& false;\nif (dry) { a(); } else { rm(f); }",
            "const dry = true;\nif (!dry) { a('{'); }\nrm(f);\nb('}');",
            "const dry = true;\nnotif (!dry) { rm(f); }",
            "const dry = false;\nconst s = \"if (dry) {\"; rm(f); const t = '}';",
            "DRY = True\ndef f(DRY):\n    if not DRY:\n        rm(f)\nf(False)\n",
            "DRY = True\nDRY, x = False, 1\nif not DRY:\n    rm(f)\n",
            "DRY = True\nfor DRY in [False]:\n    if not DRY:\n        rm(f)\n",
            "DRY = True\nfrom conf import *\nif not DRY:\n    rm(f)\n",
            "DRY = True\nif DRY:\n    if x:\n        continue\nrm(f)\n",
        ] {
            assert!(without_idle(text).contains("rm(f)"), "{text}");
        }
    }
}
