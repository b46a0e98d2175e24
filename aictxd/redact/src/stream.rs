//! Scrubbing what does not fit into memory.

use super::bytes::{is_base64, run, sub};
use super::keyword_index::spans;
use super::line_scanner::{Edit, Engine, replace};
use super::{Report, apply};

/// Lines up to this are held whole.
const MAX_LINE: usize = 1 << 20;
/// Bytes of a longer line that are scanned again with the next part.
const OVERLAP: usize = 64 << 10;
/// Bytes of written output that are kept as context.
const CONTEXT: usize = 4 << 10;

/// Scrubs a stream in bounded memory: [`push`](Self::push) chunks of any size, then
/// [`finish`](Self::finish). Lines up to 1 MiB are handled exactly as [`super::scrub_bytes`] does;
/// longer ones in overlapping windows, so that no token is missed at a cut.
#[derive(Default)]
pub struct StreamScrubber {
    engine: Engine,
    held: Vec<u8>,
    /// Bytes at the start of `held` that are already written.
    written: usize,
    /// The window ended inside a secret: its rest is still to be dropped.
    inside: bool,
    report: Report,
}

impl StreamScrubber {
    /// A scrubber at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and appends to `out` what is clean by now.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        // In pieces, so that one huge chunk is not copied whole.
        for piece in chunk.chunks(MAX_LINE / 4) {
            self.piece(piece, out);
        }
    }

    fn piece(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let fresh = self.held.len();
        self.held.extend_from_slice(piece);
        if let Some(p) = memchr::memrchr(b'\n', sub(&self.held, fresh, self.held.len())) {
            let rest = self.held.split_off(fresh + p + 1);
            let lines = std::mem::replace(&mut self.held, rest);
            self.lines(&lines, out);
        }
        while self.held.len() > MAX_LINE + CONTEXT {
            self.window(out);
        }
    }

    /// Writes what is left.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Report {
        let rest = std::mem::take(&mut self.held);
        self.lines(&rest, out);
        out.extend_from_slice(&self.engine.finish());
        self.report
    }

    /// Returns the findings so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) {
        let mut from = 0;
        if self.written > 0 || self.inside {
            // The tail of a long line
            let end = memchr::memchr(b'\n', lines).map_or(lines.len(), |p| p + 1);
            self.tail(sub(lines, 0, end), out);
            from = end;
        }
        let block = sub(lines, from, lines.len());
        let mut edits: Vec<Edit> = Vec::new();
        self.engine.feed(block, &mut edits, &mut self.report);
        apply(block, &edits, out);
    }

    fn tail(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let mut from = std::mem::take(&mut self.written);
        if std::mem::take(&mut self.inside) {
            from = run(line, from, line.len(), |c| is_base64(c) || c == b'.');
        }
        self.emit(line, from, line.len(), out);
    }

    /// Writes `line[from..to]` with its findings replaced; answers where it stopped, which is
    /// further when a finding reaches over `to`.
    fn emit(&mut self, line: &[u8], from: usize, to: usize, out: &mut Vec<u8>) -> usize {
        let mut open = None;
        let all = spans(line, &super::multiline::Follow::default(), &mut open);
        let mut stop = to;
        let mut mine = Vec::new();
        for mut span in all {
            if span.end <= from || span.start >= stop {
                continue;
            }
            span.start = span.start.max(from) - from;
            stop = stop.max(span.end);
            span.end -= from;
            mine.push(span);
        }
        out.extend_from_slice(&replace(sub(line, from, stop), &mine, &mut self.report));
        stop
    }

    fn window(&mut self, out: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.held);
        let mut from = self.written;
        if self.inside {
            from = run(&line, from, line.len(), |c| is_base64(c) || c == b'.');
            self.inside = from >= line.len();
        }
        let stop = if from >= line.len() {
            from
        } else {
            let to = line.len().saturating_sub(OVERLAP).max(from);
            let stop = self.emit(&line, from, to, out);
            self.inside = stop >= line.len();
            stop
        };
        let keep = stop.saturating_sub(CONTEXT);
        self.held = sub(&line, keep, line.len()).to_vec();
        self.written = stop - keep;
    }
}
