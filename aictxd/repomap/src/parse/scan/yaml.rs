//! YAML: keys of two levels, by indentation.

use crate::facts::Kind;
use crate::parse::fact_builder::Draft;

use super::keys::{Key, Keys};
use super::{indent, lines};

/// Keys.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) {
    keys(source, draft, |_, _, _| false);
}

/// Workflows of GitHub, GitLab and CircleCI: jobs are started.
pub(in crate::parse) fn workflow(source: &[u8], draft: &mut Draft) {
    // GitLab writes jobs at the top, among words of its own; one has a script.
    let gitlab = memchr::memmem::find(source, b"\nscript:").is_none()
        && memchr::memmem::find(source, b"\njobs:").is_none()
        && !source.starts_with(b"jobs:");
    const WORDS: &[&[u8]] = &[
        b"stages",
        b"variables",
        b"include",
        b"default",
        b"image",
        b"services",
        b"cache",
        b"before_script",
        b"after_script",
        b"workflow",
        b"pages",
        b"name",
        b"on",
        b"version",
    ];
    keys(source, draft, |top, name, inner| {
        if gitlab {
            !inner && !WORDS.contains(&name) && !name.starts_with(b".")
        } else {
            inner && top == b"jobs"
        }
    });
}

/// Compose files: services are started.
pub(in crate::parse) fn compose(source: &[u8], draft: &mut Draft) {
    keys(source, draft, |top, _, inner| inner && top == b"services");
}

fn keys(source: &[u8], draft: &mut Draft, started: impl Fn(&[u8], &[u8], bool) -> bool) {
    let mut keys = Keys::default();
    let mut top: Vec<u8> = Vec::new();
    // Indentation of the second level below the key at hand.
    let mut second: Option<usize> = None;
    // Lines deeper than this belong to a text.
    let mut block: Option<usize> = None;
    let mut last = 1;
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let depth = indent(line);
        if block.is_some_and(|of| depth > of) {
            last = number;
            continue;
        }
        block = None;
        if text.starts_with(b"#") {
            continue;
        }
        if text.starts_with(b"---") || text.starts_with(b"...") || text.starts_with(b"%") {
            keys.close(false, last);
            second = None;
            continue;
        }
        let Some((name, value)) = key(text) else {
            last = number;
            continue;
        };
        let value = value.trim_ascii();
        if matches!(value.first(), Some(b'|' | b'>')) {
            block = Some(depth);
        }
        // `- a: b` is an entry of a list.
        let listed = text.starts_with(b"- ");
        let inner = depth > 0;
        if inner && second.is_none() {
            second = Some(if listed { usize::MAX } else { depth });
        }
        if !listed && (!inner || second == Some(depth)) {
            keys.close(inner, last);
            if !inner {
                top = name.to_vec();
                second = None;
            }
            let kind = if started(&top, name, inner) {
                Kind::Entrypoint
            } else {
                Kind::ConfigKey
            };
            keys.push(Key {
                name: name.to_vec(),
                signature: text.get(..300).unwrap_or(text).to_vec(),
                line: number,
                end_line: 0,
                inner,
                kind,
            });
        }
        last = number;
    }
    keys.close(false, last);
    keys.finish(draft);
}

/// Key and value of a line.
fn key(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"- ").unwrap_or(text);
    if let [quote @ (b'"' | b'\''), rest @ ..] = text {
        let end = memchr::memchr(*quote, rest)?;
        let (name, after) = rest.split_at_checked(end)?;
        let value = after.get(1..)?.trim_ascii_start().strip_prefix(b":")?;
        return Some((name, value));
    }
    if matches!(
        text.first(),
        Some(b'{' | b'[' | b'&' | b'*' | b'!' | b'?' | b'|' | b'>')
    ) {
        return None;
    }
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(b':', text.get(from..)?)?;
        if text.get(at + 1).is_none_or(|c| matches!(c, b' ' | b'\t')) {
            let name = text.get(..at)?.trim_ascii();
            let plain = !name.is_empty() && !name.contains(&b'#') && name.len() < 100;
            return plain.then_some((name, text.get(at + 1..)?));
        }
        from = at + 1;
    }
}
