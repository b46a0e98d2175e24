//! Files of a zip archive, as far as archives of tickets need: stored or deflated, no encryption, no ZIP64.
//! Format: <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

/// Longest archive, in bytes.
pub const MAX_ARCHIVE: u64 = 64 * 1024 * 1024;
/// Bytes of all files of an archive together.
const MAX_UNPACKED: usize = 256 * 1024 * 1024;
/// Longest comment at the end, which the format bounds.
const MAX_COMMENT: usize = 65_535;
/// Length of the end of the central directory without its comment.
const END: usize = 22;

/// Reason why an archive is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZipError {
    /// The bytes are no archive, or it is cut short.
    #[error("it is no zip archive, or it is damaged")]
    Damaged,
    /// It has a form that is not read.
    #[error("`{file}` is {why}, which is not supported")]
    Unsupported {
        /// File in the archive.
        file: String,
        /// Form.
        why: &'static str,
    },
    /// A file is too long, or all are together.
    #[error("`{file}` is too long")]
    TooLong {
        /// File in the archive.
        file: String,
    },
    /// The checksum of a file is wrong.
    #[error("`{file}` is damaged: its checksum is wrong")]
    Checksum {
        /// File in the archive.
        file: String,
    },
}

/// Reads the files of an archive whose names are `wanted`, each of at most `limit` bytes.
///
/// # Errors
/// See [`ZipError`].
pub fn files(
    archive: &[u8],
    limit: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Vec<u8>)>, ZipError> {
    let from = archive.len().saturating_sub(END + MAX_COMMENT);
    let tail = archive.get(from..).unwrap_or_default();
    let end = tail.windows(4).rposition(|four| four == b"PK\x05\x06");
    let end = from + end.ok_or(ZipError::Damaged)?;
    archive.get(end..end + END).ok_or(ZipError::Damaged)?;
    let count = number(archive, end + 10, 2)?;
    let mut at = number(archive, end + 16, 4)?;
    let (mut found, mut total) = (Vec::new(), 0_usize);
    for _ in 0..count {
        if archive.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err(ZipError::Damaged);
        }
        let names = number(archive, at + 28, 2)?;
        let name = archive
            .get(at + 46..at + 46 + names)
            .ok_or(ZipError::Damaged)?;
        let name = String::from_utf8_lossy(name).into_owned();
        if wanted(&name) {
            let content = unpacked(archive, at, &name, limit)?;
            total += content.len();
            if total > MAX_UNPACKED {
                return Err(ZipError::TooLong { file: name });
            }
            found.push((name, content));
        }
        at += 46 + names + number(archive, at + 30, 2)? + number(archive, at + 32, 2)?;
    }
    Ok(found)
}

/// The content of the file whose central header is at `at`.
fn unpacked(archive: &[u8], at: usize, name: &str, limit: usize) -> Result<Vec<u8>, ZipError> {
    let file = || name.to_owned();
    let (flags, method) = (number(archive, at + 8, 2)?, number(archive, at + 10, 2)?);
    let unsupported = |why| Err(ZipError::Unsupported { file: file(), why });
    if flags & 1 == 1 {
        return unsupported("encrypted");
    }
    let (packed, len) = (number(archive, at + 20, 4)?, number(archive, at + 24, 4)?);
    if len > limit {
        return Err(ZipError::TooLong { file: file() });
    }
    let local = number(archive, at + 42, 4)?;
    // Names and extra fields may be longer here than in the directory.
    let start = local + 30 + number(archive, local + 26, 2)? + number(archive, local + 28, 2)?;
    let data = archive
        .get(start..start.saturating_add(packed))
        .ok_or(ZipError::Damaged)?;
    let content = match method {
        0 => data.to_vec(),
        8 => {
            let mut content = Vec::with_capacity(len);
            let mut reader = DeflateDecoder::new(data).take(limit as u64 + 1);
            reader
                .read_to_end(&mut content)
                .map_err(|_| ZipError::Damaged)?;
            content
        }
        _ => return unsupported("compressed in another way than deflate"),
    };
    if content.len() > limit {
        return Err(ZipError::TooLong { file: file() });
    }
    let mut crc = Crc::new();
    crc.update(&content);
    let wanted = number(archive, at + 16, 4)?;
    match content.len() == len && crc.sum() as usize == wanted {
        true => Ok(content),
        false => Err(ZipError::Checksum { file: file() }),
    }
}

/// A number of two or four bytes, the lowest first.
fn number(archive: &[u8], at: usize, bytes: usize) -> Result<usize, ZipError> {
    let bytes = archive
        .get(at..at.saturating_add(bytes))
        .ok_or(ZipError::Damaged)?;
    Ok(bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    fn two(n: usize) -> [u8; 2] {
        u16::try_from(n).unwrap().to_le_bytes()
    }

    fn four(n: usize) -> [u8; 4] {
        u32::try_from(n).unwrap().to_le_bytes()
    }

    /// An archive of files, every other one stored.
    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (at, (name, content)) in files.iter().enumerate() {
            let (method, data) = match at % 2 {
                0 => {
                    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                    encoder.write_all(content).unwrap();
                    (8, encoder.finish().unwrap())
                }
                _ => (0, content.to_vec()),
            };
            let mut crc = Crc::new();
            crc.update(content);
            let shared = [
                &two(20)[..],
                &two(0),
                &two(method),
                &four(0),
                &four(crc.sum() as usize),
                &four(data.len()),
                &four(content.len()),
                &two(name.len()),
            ]
            .concat();
            let local = out.len();
            out.extend(
                [
                    b"PK\x03\x04",
                    &shared[..],
                    &two(3),
                    name.as_bytes(),
                    b"xyz",
                    &data,
                ]
                .concat(),
            );
            directory.extend(
                [
                    b"PK\x01\x02",
                    &two(20)[..],
                    &shared,
                    &two(0),
                    &two(0),
                    &two(0),
                    &two(0),
                    &four(0),
                    &four(local),
                    name.as_bytes(),
                ]
                .concat(),
            );
        }
        let start = out.len();
        out.extend(&directory);
        out.extend(
            [
                b"PK\x05\x06",
                &[0; 4][..],
                &two(files.len()),
                &two(files.len()),
                &four(directory.len()),
                &four(start),
                &two(2),
                b"hi",
            ]
            .concat(),
        );
        out
    }

    #[test]
    fn files_come_out_as_they_went_in() {
        let long = vec![b'a'; 100_000];
        let packed = archive(&[("t/a.md", b"one"), ("b.md", b"two"), ("c.md", &long)]);
        let found = files(&packed, 100_000, |name| name != "b.md").unwrap();
        assert_eq!(
            found,
            [
                ("t/a.md".to_owned(), b"one".to_vec()),
                ("c.md".to_owned(), long)
            ]
        );
        assert!(matches!(
            files(&packed, 99_999, |_| true),
            Err(ZipError::TooLong { .. })
        ));
        assert_eq!(files(&archive(&[]), 9, |_| true), Ok(Vec::new()));
    }

    #[test]
    fn damage_is_noticed() {
        let packed = archive(&[("a.md", b"some text"), ("b.md", b"stored")]);
        for len in 0..packed.len() - 2 {
            assert!(files(&packed[..len], 1_000, |_| true).is_err(), "{len}");
        }
        let at = packed.windows(6).position(|six| six == b"stored").unwrap();
        let mut bent = packed.clone();
        bent[at] = b'S';
        assert!(matches!(
            files(&bent, 1_000, |_| true),
            Err(ZipError::Checksum { .. })
        ));
    }
}
