//! JSON, with comments and stray commas.

use crate::facts::Kind;
use crate::parse::fact_builder::{Draft, slice};

use super::keys::{Key, Keys};

/// Keys of two levels.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) {
    keys(source, draft, &[]);
}

/// `package.json`: scripts and programs are started.
pub(in crate::parse) fn package(source: &[u8], draft: &mut Draft) {
    keys(source, draft, &[b"scripts", b"bin"]);
}

fn keys(source: &[u8], draft: &mut Draft, started: &[&[u8]]) {
    let mut keys = Keys::default();
    // Whether each open bracket is one of an object; deeper than three it is only counted.
    let mut open: Vec<bool> = Vec::new();
    let mut depth = 0_usize;
    let mut line = 1_u32;
    let mut top: &[u8] = b"";
    let mut at = 0;
    // Line of the last byte that is not blank.
    let mut last = 1_u32;
    while let Some(&c) = source.get(at) {
        match c {
            b'\n' => line += 1,
            b'{' | b'[' => {
                depth += 1;
                if open.len() < 3 && open.len() + 1 == depth {
                    open.push(c == b'{');
                }
            }
            b'}' | b']' => {
                match depth {
                    1 => keys.close(false, last),
                    2 => {
                        keys.close(true, last);
                        keys.close(false, line);
                    }
                    _ => {}
                }
                last = line;
                depth = depth.saturating_sub(1);
                open.truncate(depth);
            }
            b'/' if source.get(at + 1) == Some(&b'/') => {
                at += rest(source, at)
                    .iter()
                    .position(|&c| c == b'\n')
                    .unwrap_or(usize::MAX / 2);
                continue;
            }
            b'/' if source.get(at + 1) == Some(&b'*') => {
                let comment = rest(source, at);
                let end = memchr::memmem::find(comment, b"*/").unwrap_or(comment.len());
                line += newlines(head_of(comment, end));
                at += end + 2;
                continue;
            }
            b'"' => {
                let (start, first) = (at, line);
                at += 1;
                while let Some(&c) = source.get(at) {
                    match c {
                        b'"' => break,
                        b'\\' => at += 1,
                        b'\n' => line += 1,
                        _ => {}
                    }
                    at += 1;
                }
                let before = std::mem::replace(&mut last, line);
                let name = slice(source, start + 1..at.min(source.len()));
                at += 1;
                let level = match open.as_slice() {
                    [true] if depth == 1 => 1,
                    [true, true] if depth == 2 => 2,
                    _ => continue,
                };
                let after = rest(source, at);
                let blank = after.iter().take_while(|c| c.is_ascii_whitespace()).count();
                if after.get(blank) != Some(&b':') {
                    continue;
                }
                keys.close(level == 2, before);
                if level == 1 {
                    top = name;
                }
                let end = after
                    .iter()
                    .position(|&c| c == b'\n')
                    .unwrap_or(after.len());
                let kind = if level == 2 && started.contains(&top) {
                    Kind::Entrypoint
                } else {
                    Kind::ConfigKey
                };
                let text = slice(source, start..at + end);
                let text = text.trim_ascii_end();
                keys.push(Key {
                    name: name.to_vec(),
                    signature: text.get(..300).unwrap_or(text).to_vec(),
                    line: first,
                    end_line: 0,
                    inner: level == 2,
                    kind,
                });
                continue;
            }
            c if !c.is_ascii_whitespace() => last = line,
            _ => {}
        }
        at += 1;
    }
    keys.close(false, last);
    keys.finish(draft);
}

fn rest(source: &[u8], at: usize) -> &[u8] {
    source.get(at..).unwrap_or(&[])
}

fn head_of(bytes: &[u8], end: usize) -> &[u8] {
    bytes.get(..end).unwrap_or(bytes)
}

fn newlines(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}
