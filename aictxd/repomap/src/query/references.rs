//! Where is a name used?
//!
//! The index knows which files have a word, not where; the places are read from the files as they
//! are now, so they are right even where the index lags behind.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use aictx_proto::methods::{MapReference, MapReferences, MapSymbolHit};

use super::{Match, show};
use crate::index_view::{Class, Field, FileId, View};
use crate::indexer::Indexer;
use crate::tree::Tree;
use crate::words;

/// Most files that are read for one question.
const MAX_FILES: usize = 4_000;
/// Most definitions of one name that are looked at.
const MAX_DEFINED: usize = 20_000;
/// Longest time spent on reading.
const MAX_TIME: Duration = Duration::from_millis(1_500);
/// Longest line that is shown, in characters.
const MAX_LINE: usize = 200;

/// Definitions and uses of exactly `name`; at most `limit` uses. Uses in source files come first.
pub fn references(indexer: &Indexer, tree: &Tree, name: &str, limit: usize) -> MapReferences {
    let mut reply = MapReferences::default();
    let name = name.trim();
    if name.is_empty() || name.contains(['\n', '\r']) {
        return reply;
    }
    let mut defined = Vec::new();
    tree.symbols_named(name, &mut |file, number| {
        defined.push((file, number));
        match defined.len() < MAX_DEFINED {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    defined.sort_unstable();
    for (file, number) in &defined {
        if let Some(symbol) = tree.symbol(*file, *number)
            && reply.definitions.len() < limit
        {
            reply.definitions.push(MapSymbolHit {
                path: tree.path(*file).to_owned(),
                how: Match::Exact.as_str().to_owned(),
                symbol: show(tree, *file, &symbol),
            });
        }
    }
    let mut files = with_words(tree, name);
    files.sort_by_key(|file| (rank(tree, *file), *file));
    reply.truncated = files.len() > MAX_FILES;
    let end = Instant::now() + MAX_TIME;
    let mut unread = files.len();
    for file in files.into_iter().take(MAX_FILES) {
        if reply.references.len() > limit || Instant::now() > end {
            reply.truncated = true;
            break;
        }
        unread -= 1;
        // The words of a name may stand apart, and files may have changed since.
        let bytes = indexer.read(tree, file);
        let mentions = bytes.is_some_and(|bytes| {
            uses(tree, file, &bytes, name, &defined, (limit, end), &mut reply)
        });
        reply.files += u32::from(mentions);
    }
    // Of those that were not read it is not known.
    reply.files += unread as u32;
    reply.truncated |= reply.references.len() > limit;
    reply.references.truncate(limit);
    reply
}

fn rank(tree: &Tree, file: FileId) -> u8 {
    match tree.class(file) {
        // What is in no language that is known may be anything.
        Class::Source | Class::Test if tree.language(file).is_empty() => 2,
        Class::Source => 0,
        Class::Test => 1,
        Class::Config | Class::Docs => 2,
        Class::Fixture | Class::Generated | Class::Vendored => 3,
    }
}

/// Files that have every word of a name, in order.
pub(super) fn with_words(tree: &Tree, name: &str) -> Vec<FileId> {
    let mut terms: Vec<String> = Vec::new();
    words::terms(name.as_bytes(), |term| {
        if !terms.iter().any(|known| known == term) {
            terms.push(term.to_owned());
        }
    });
    let mut seen = vec![0_usize; tree.files() as usize];
    for (number, term) in terms.iter().enumerate() {
        tree.postings(Field::Body, &tree.term(term), &mut |found| {
            for (file, _) in found {
                if let Some(count) = seen.get_mut(file.0 as usize)
                    && *count == number
                {
                    *count += 1;
                }
            }
        });
    }
    let all = terms.len();
    let has_all = seen
        .iter()
        .enumerate()
        .filter(|(_, n)| all > 0 && **n == all);
    has_all.map(|(file, _)| FileId(file as u32)).collect()
}

/// Adds the places of `name` in a file's bytes. Whether it is mentioned at all.
fn uses(
    tree: &Tree,
    file: FileId,
    bytes: &[u8],
    name: &str,
    defined: &[(FileId, u32)],
    (limit, end): (usize, Instant),
    reply: &mut MapReferences,
) -> bool {
    let definition_lines: Vec<u32> = defined
        .iter()
        .filter(|(other, _)| *other == file)
        .filter_map(|(_, number)| Some(tree.symbol(file, *number)?.line))
        .collect();
    let (mut line, mut line_start, mut counted) = (1_u32, 0, 0);
    let mut mentioned = false;
    for at in memchr::memmem::find_iter(bytes, name.as_bytes()) {
        if reply.references.len() > limit || Instant::now() > end {
            return mentioned;
        }
        if !is_whole(bytes, at, name.len()) {
            continue;
        }
        mentioned = true;
        let between = bytes.get(counted..at).unwrap_or_default();
        for newline in memchr::memchr_iter(b'\n', between) {
            line += 1;
            line_start = counted + newline + 1;
        }
        counted = at;
        if definition_lines.contains(&line) {
            continue;
        }
        let rest = bytes.get(line_start..).unwrap_or_default();
        let rest = rest.get(..4 * MAX_LINE).unwrap_or(rest);
        let text = rest.split(|b| *b == b'\n').next().unwrap_or_default();
        let text =
            String::from_utf8_lossy(text.get(..text.len().min(4 * MAX_LINE)).unwrap_or(text));
        reply.references.push(MapReference {
            path: tree.path(file).to_owned(),
            line,
            column: (at - line_start + 1) as u32,
            text: aictx_proto::text::clean(&text, MAX_LINE),
            within: within(tree, file, line),
        });
    }
    mentioned
}

/// Returns true if the match is an identifier of its own.
fn is_whole(bytes: &[u8], at: usize, len: usize) -> bool {
    let part =
        |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80);
    let before = at.checked_sub(1).and_then(|i| bytes.get(i));
    !part(before) && !part(bytes.get(at + len))
}

/// The innermost definition around a line.
fn within(tree: &Tree, file: FileId, line: u32) -> String {
    (0..tree.symbol_count(file))
        .filter_map(|number| tree.symbol(file, number))
        .filter(|s| s.line <= line && line <= s.end_line)
        .min_by_key(|s| s.end_line - s.line)
        .map(|s| s.name.to_owned())
        .unwrap_or_default()
}
