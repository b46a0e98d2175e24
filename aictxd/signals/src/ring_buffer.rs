//! Output taken in as it comes, in bounded memory: the start and the end are kept, everything is
//! counted.

use std::collections::VecDeque;

use crate::ansi_text::{HEAD_BYTES, TAIL_BYTES};

/// Keeps the first [`HEAD_BYTES`] and the last [`TAIL_BYTES`] of a stream.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    lines: u64,
}

impl Ring {
    /// An empty ring. Memory is taken as output comes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        if let Some((first, rest)) = bytes.split_at_checked(room) {
            self.head.extend_from_slice(first);
            bytes = rest;
        }
        if let Some(start) = bytes.len().checked_sub(TAIL_BYTES) {
            self.tail.clear();
            bytes = bytes.get(start..).unwrap_or_default();
        }
        let over = (self.tail.len() + bytes.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..over);
        self.tail.extend(bytes);
    }

    /// Bytes taken in so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Lines ended so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns true if some of the middle is gone.
    pub fn truncated(&self) -> bool {
        self.bytes > (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the kept bytes. Where the middle is gone there is a line that says so, which the readers of
    /// this crate understand.
    pub fn kept(&self) -> Vec<u8> {
        let mut out = self.head.clone();
        let gone = self.bytes - (self.head.len() + self.tail.len()) as u64;
        if gone > 0 {
            out.extend_from_slice(format!("\n… [{gone} characters truncated] …\n").as_bytes());
        }
        let (front, back) = self.tail.as_slices();
        out.extend_from_slice(front);
        out.extend_from_slice(back);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_short_stream_is_kept_whole(parts in proptest::collection::vec(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..50), 0..20)) {
            let mut ring = Ring::new();
            for part in &parts {
                ring.push(part);
            }
            proptest::prop_assert_eq!(ring.kept(), parts.concat());
            proptest::prop_assert!(!ring.truncated());
        }
    }

    #[test]
    fn a_long_stream_keeps_both_ends() {
        let mut ring = Ring::new();
        let line = b"0123456789abcde\n";
        for _ in 0..200_000 {
            ring.push(line);
        }
        assert_eq!((ring.bytes(), ring.lines()), (3_200_000, 200_000));
        assert!(ring.truncated());
        let kept = ring.kept();
        assert!(kept.len() < HEAD_BYTES + TAIL_BYTES + 64);
        assert!(kept.starts_with(line) && kept.ends_with(line));
        ring.push(&vec![b'x'; 2 * TAIL_BYTES]);
        assert!(ring.kept().ends_with(b"xxx") && ring.truncated());
    }
}
