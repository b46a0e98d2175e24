//! What a program does not do because a constant of its own says so: `DRY_RUN = True`, `if DRY_RUN: … else: …`.
//!
//! Only names that are given `True` or `False` once, at the margin, and never anything else are heeded, and
//! only conditions that are nothing but such a name.

use std::borrow::Cow;

/// Constants of one program, and lines that are looked at.
const MAX_CONSTANTS: usize = 8;
const MAX_LINES: usize = 2_000;

/// The program without the branches that never run.
pub(super) fn without_idle(text: &str) -> Cow<'_, str> {
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
    for line in text.lines().take(MAX_LINES) {
        let bare = ["const ", "let ", "var "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        let Some((name, value)) = bare.unwrap_or(line).split_once('=') else {
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
        if plain && is_given_once(text, name) {
            found.push((name, holds));
            if found.len() >= MAX_CONSTANTS {
                break;
            }
        }
    }
    found
}

/// Whether a name is given a value in one place; `==` only asks.
fn is_given_once(text: &str, name: &str) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut given = 0;
    for (at, _) in text.match_indices(name) {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let behind = text.get(at + name.len()..).unwrap_or_default();
        if before.is_some_and(part) || behind.as_bytes().first().is_some_and(part) {
            continue;
        }
        let behind = behind.trim_start_matches([' ', '+', '-', '*', '/', '|', '&', '^', ':', '?']);
        given += usize::from(behind.starts_with('=') && !behind.starts_with("=="));
    }
    given == 1
}

/// What a line asks that is nothing but a condition with such a name.
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

/// Whether nothing that follows in the same block runs.
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
    while let Some(at) = rest.find("if (").into_iter().chain(rest.find("if(")).min() {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
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

/// The block in braces that a text begins with.
fn braced(text: &str) -> Option<&str> {
    let mut open = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return text.get(..=at);
                }
            }
            _ if open == 0 => return None,
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

    /// What may be something else decides nothing.
    #[test]
    fn names_that_change() {
        for text in [
            "DRY = True\nDRY = parse()\nif DRY:\n    a()\nelse:\n    rm(f)\n",
            "DRY = True\nif DRY and x:\n    a()\nelse:\n    rm(f)\n",
            "run(DRY=False)\nDRY = True\nif DRY:\n    a()\nelse:\n    rm(f)\n",
            "DRY = True\nif OTHER:\n    a()\nelse:\n    rm(f)\n",
            "let dry = true;\ndry = x;\nif (dry) { a(); } else { rm(f); }",
            "DRY = True\nif DRY:\n    if x:\n        continue\nrm(f)\n",
        ] {
            assert!(without_idle(text).contains("rm(f)"), "{text}");
        }
    }
}
