//! Reads of parts of an open file that leave its position alone.

use std::fs::File;
use std::io;

use rustix::io::Errno;

/// Bytes reserved before anything is read: a sparse file may claim any length.
const MAX_AT_ONCE: u64 = 4 * 1024 * 1024;

/// Reads `[from, from + limit)` of a file.
///
/// # Errors
/// As the system reports them.
pub fn read_range(file: &File, from: u64, limit: u64) -> io::Result<Vec<u8>> {
    let len = rustix::fs::fstat(file)?.st_size;
    read_of(file, u64::try_from(len).unwrap_or(0), from, limit)
}

/// [`read_range`] of a file that had `len` bytes a moment ago.
///
/// # Errors
/// As the system reports them.
pub fn read_of(file: &File, len: u64, from: u64, limit: u64) -> io::Result<Vec<u8>> {
    let there = len.saturating_sub(from).min(limit);
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    // Room for all of it and a byte, so that one call reads it and sees its end.
    let mut out = Vec::with_capacity(size(there.min(MAX_AT_ONCE)) + 1);
    loop {
        out.reserve(1);
        let at = from.saturating_add(out.len() as u64);
        let read = rustix::io::pread(file, rustix::buffer::spare_capacity(&mut out), at);
        let n = match read {
            Err(Errno::INTR) => continue,
            read => read?,
        };
        let ended = n == 0 || (out.len() < out.capacity() && out.len() as u64 == there);
        if ended || out.len() as u64 >= limit {
            out.truncate(size(limit));
            return Ok(out);
        }
    }
}

/// Returns true if the byte at an offset ends a line.
///
/// # Errors
/// As the system reports them.
pub fn is_line_end(file: &File, at: u64) -> io::Result<bool> {
    let mut byte = [0];
    loop {
        match rustix::io::pread(file, &mut byte, at) {
            Err(Errno::INTR) => {}
            read => return Ok(read? == 1 && byte == *b"\n"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_what_lies_there_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        let file = File::open(path).unwrap();
        for (from, limit, wanted) in [
            (0, 100, "one\ntwo\n"),
            (0, 8, "one\ntwo\n"),
            (4, 2, "tw"),
            (4, u64::MAX, "two\n"),
            (8, 5, ""),
            (90, 5, ""),
            (0, 0, ""),
        ] {
            let read = read_range(&file, from, limit).unwrap();
            assert_eq!(read, wanted.as_bytes(), "{from} {limit}");
        }
        let ends = [3, 4, 7, 8].map(|at| is_line_end(&file, at).unwrap());
        assert_eq!(ends, [true, false, true, false]);
    }
}
