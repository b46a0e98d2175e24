//! TOML and INI: tables and their keys.

use crate::facts::Kind;
use crate::parse::fact_builder::Draft;

use super::keys::{Key, Keys};
use super::lines;

/// Tables whose keys are started.
const STARTED: &[&[u8]] = &[
    b"project.scripts",
    b"project.gui-scripts",
    b"tool.poetry.scripts",
    b"tool.pdm.scripts",
    b"tool.hatch.envs.default.scripts",
    b"tool.poe.tasks",
    b"tasks",
    b"alias",
];

/// Tables and keys.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) {
    let mut keys = Keys::default();
    let mut table: Vec<u8> = Vec::new();
    // A value may go over many lines: the mark that ends it, or the brackets still open.
    let mut quote: Option<&[u8]> = None;
    let mut brackets = 0_i32;
    let mut last = 1;
    let mut target = false;
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii();
        if let Some(mark) = quote {
            if memchr::memmem::find(text, mark).is_some() {
                quote = None;
            }
            last = number;
            continue;
        }
        if text.is_empty() || matches!(text.first(), Some(b'#' | b';')) {
            continue;
        }
        if brackets > 0 {
            brackets += balance(text);
            last = number;
            continue;
        }
        if let Some(name) = header(text) {
            keys.close(false, last);
            table = name.to_vec();
            target =
                text.starts_with(b"[[") && matches!(name, b"bin" | b"example" | b"test" | b"bench");
            let depth = 1 + name.iter().filter(|&&c| c == b'.').count();
            if depth <= 2 {
                keys.push(key(name, text, number, false, Kind::ConfigKey));
            }
            last = number;
            continue;
        }
        last = number;
        let indented = line.first().is_some_and(|c| matches!(c, b' ' | b'\t'));
        let Some(at) = text.iter().position(|c| matches!(c, b'=' | b':')) else {
            continue;
        };
        let (name, value) = text.split_at(at);
        let name = name.trim_ascii();
        let name = match name {
            [b'"' | b'\'', inner @ .., b'"' | b'\''] => inner,
            name => name,
        };
        let value = value.get(1..).unwrap_or(&[]).trim_ascii();
        for mark in [&b"\"\"\""[..], b"'''"] {
            if value.starts_with(mark)
                && memchr::memmem::find(value.get(3..).unwrap_or(&[]), mark).is_none()
            {
                quote = Some(mark);
            }
        }
        if matches!(value.first(), Some(b'[' | b'{')) {
            brackets = balance(value).max(0);
        }
        let depth = if table.is_empty() {
            1
        } else {
            2 + table.iter().filter(|&&c| c == b'.').count()
        };
        let started = STARTED.contains(&table.as_slice());
        if started {
            keys.close(true, number);
            keys.push(key(name, text, number, true, Kind::Entrypoint));
        } else if target && name == b"name" {
            let name: Vec<u8> = value.iter().filter(|&&c| c != b'"').copied().collect();
            keys.push(key(&name, text, number, true, Kind::Entrypoint));
        } else if depth <= 2 && !(indented && depth == 1) && !target {
            keys.close(depth == 2, number.saturating_sub(1));
            keys.push(key(name, text, number, depth == 2, Kind::ConfigKey));
        }
    }
    keys.close(false, last);
    keys.finish(draft);
}

fn key(name: &[u8], text: &[u8], line: u32, inner: bool, kind: Kind) -> Key {
    Key {
        name: name.to_vec(),
        signature: text.get(..300).unwrap_or(text).to_vec(),
        line,
        end_line: 0,
        inner,
        kind,
    }
}

/// `[a.b]` and `[[a.b]]`.
fn header(text: &[u8]) -> Option<&[u8]> {
    let inner = text.strip_prefix(b"[")?;
    let inner = inner.strip_prefix(b"[").unwrap_or(inner);
    let end = inner.iter().position(|&c| c == b']')?;
    let name = inner.get(..end)?.trim_ascii();
    (!name.is_empty()).then_some(name)
}

/// Brackets opened less those closed, outside of strings.
fn balance(text: &[u8]) -> i32 {
    let mut count = 0;
    let mut quote = None;
    let mut bytes = text.iter();
    while let Some(&c) = bytes.next() {
        match (quote, c) {
            (Some(b'"'), b'\\') => {
                bytes.next();
            }
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(c),
            (None, b'#') => break,
            (None, b'[' | b'{') => count += 1,
            (None, b']' | b'}') => count -= 1,
            _ => {}
        }
    }
    count
}
