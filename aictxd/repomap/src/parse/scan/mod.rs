//! Small readers of simple formats, where a line says enough.

pub(super) mod build;
pub(super) mod json;
pub(super) mod keys;
pub(super) mod markup;
pub(super) mod prose;
pub(super) mod style;
pub(super) mod toml;
pub(super) mod yaml;

/// The lines of a text with number (from 1) and first byte; without line breaks, also of Windows.
pub(super) fn lines(source: &[u8]) -> impl Iterator<Item = (u32, usize, &[u8])> {
    let mut start = 0;
    source
        .split(|&c| c == b'\n')
        .zip(1_u32..)
        .map(move |(line, number)| {
            let at = start;
            start += line.len() + 1;
            (number, at, line.strip_suffix(b"\r").unwrap_or(line))
        })
}

/// Blanks and tabs at the start.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter()
        .position(|c| !matches!(c, b' ' | b'\t'))
        .unwrap_or(line.len())
}
