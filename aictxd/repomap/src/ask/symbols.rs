//! Finding definitions by name, as editors do.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::segment::mask;
use crate::tree::Tree;
use crate::view::{Class, FileId, View};

/// Names that are looked at closely once there are better ones than needed.
const MAX_NAMES: usize = 2_000;
/// Definitions that are compared; of a name that has more, the first in the order of files.
const MAX_FOUND: usize = 4_000;
/// Longest pattern; nobody types more.
const MAX_PATTERN: usize = 200;

/// How a name matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The name itself.
    Exact,
    /// The name in other case.
    Case,
    /// The name begins with it, case aside.
    Prefix,
    /// The name has it, case aside.
    Substring,
    /// The name has its characters in order.
    Fuzzy,
}

impl Match {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Case => "case",
            Match::Prefix => "prefix",
            Match::Substring => "substring",
            Match::Fuzzy => "fuzzy",
        }
    }
}

/// A definition that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolAt {
    /// File.
    pub file: FileId,
    /// Number among the file's definitions.
    pub number: u32,
    /// How its name matches.
    pub how: Match,
}

/// Finds definitions whose name matches `pattern`, best first; at most `limit`, and whether there
/// are more. `Type::method`, `module.name` and `Type#method` also ask for the container. Looks at
/// every distinct name once: under a millisecond for an ordinary repository.
pub fn find_symbols(tree: &Tree, pattern: &str, limit: usize) -> (Vec<SymbolAt>, bool) {
    let pattern = pattern.trim();
    let (container, name) = split(pattern);
    if name.is_empty() || name.len() > MAX_PATTERN {
        return (Vec::new(), false);
    }
    let mut found: Vec<(SymbolAt, Order)> = Vec::new();
    for (how, score, segment, number) in names(tree, name) {
        if found.len() > MAX_FOUND.max(limit * 2) {
            break;
        }
        let Some(known) = tree.segments().get(segment) else {
            continue;
        };
        for symbol in known.symbols_named(number).take(MAX_FOUND) {
            tree.files_of_symbol(segment, symbol, &mut |file, number| {
                let at = SymbolAt { file, number, how };
                if found.len() <= MAX_FOUND.max(limit * 2)
                    && let Some(order) = order(tree, &at, score, container)
                {
                    found.push((at, order));
                }
            });
        }
    }
    found.sort_by_key(|(_, order)| *order);
    let more = found.len() > limit;
    found.truncate(limit);
    (found.into_iter().map(|(at, _)| at).collect(), more)
}

/// What decides between two definitions; smaller is better.
type Order = (
    Match,
    std::cmp::Reverse<u16>,
    u8,
    bool,
    bool,
    usize,
    FileId,
    u32,
);

fn order(tree: &Tree, at: &SymbolAt, score: u16, container: &str) -> Option<Order> {
    let symbol = tree.symbol(at.file, at.number)?;
    if !container.is_empty() {
        let around = super::container_of(tree, at.file, &symbol).to_lowercase();
        let path = tree.path(at.file).to_lowercase();
        let wanted = container.to_lowercase();
        let last = wanted.rsplit(['.', ':', '#', '/']).next().unwrap_or("");
        if !around.contains(last) && !path.contains(last) {
            return None;
        }
    }
    let class = match tree.class(at.file) {
        Class::Source => 0,
        Class::Config | Class::Docs => 1,
        Class::Test | Class::Fixture => 2,
        Class::Generated | Class::Vendored => 3,
    };
    Some((
        at.how,
        std::cmp::Reverse(score),
        class,
        symbol.declared_only,
        !symbol.exported,
        symbol.name.len(),
        at.file,
        at.number,
    ))
}

/// Container and name of a qualified pattern.
fn split(pattern: &str) -> (&str, &str) {
    let at = ["::", ".", "#", "/"]
        .iter()
        .filter_map(|separator| pattern.rfind(separator).map(|at| (at, separator.len())))
        .max();
    match at {
        Some((at, len)) if at > 0 && at + len < pattern.len() => (
            pattern.get(..at).unwrap_or(""),
            pattern.get(at + len..).unwrap_or(""),
        ),
        _ => ("", pattern),
    }
}

/// A name that matches: how, how well, its segment and its number there.
type Named = (Match, u16, usize, u32);

/// Names that match: how, how well (of fuzzy ones), and where they are.
fn names(tree: &Tree, pattern: &str) -> Vec<Named> {
    let wanted = mask(pattern);
    let folded = pattern.to_lowercase();
    let fuzzy = Pattern::new(
        pattern,
        CaseMatching::Smart,
        Normalization::Smart,
        AtomKind::Fuzzy,
    );
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut found = Vec::new();
    for (segment_number, segment) in tree.segments().iter().enumerate() {
        for (number, mask) in segment.name_masks().enumerate() {
            if mask & wanted != wanted {
                continue;
            }
            let number = number as u32;
            let name = segment.name(number);
            let how = textual(name, pattern, &folded);
            let score = match how {
                Some(_) => 0,
                None => {
                    let name = Utf32Str::new(name, &mut buffer);
                    match fuzzy.score(name, &mut matcher) {
                        Some(score) => u16::try_from(score).unwrap_or(u16::MAX),
                        None => continue,
                    }
                }
            };
            found.push((how.unwrap_or(Match::Fuzzy), score, segment_number, number));
        }
    }
    // The best names by what is known without looking at their definitions.
    let order = |(how, score, segment, number): &Named| {
        let segments = tree.segments();
        let length = segments.get(*segment).map_or(0, |s| s.name(*number).len());
        (*how, std::cmp::Reverse(*score), length, *segment, *number)
    };
    if found.len() > MAX_NAMES {
        found.select_nth_unstable_by_key(MAX_NAMES, order);
        found.truncate(MAX_NAMES);
    }
    found.sort_by_cached_key(order);
    found
}

fn textual(name: &str, pattern: &str, folded: &str) -> Option<Match> {
    if name == pattern {
        return Some(Match::Exact);
    }
    if name.len() < folded.len() {
        return None;
    }
    let ascii = name.is_ascii() && folded.is_ascii();
    let lower = if ascii {
        None
    } else {
        Some(name.to_lowercase())
    };
    let haystack = lower.as_deref().unwrap_or(name).as_bytes();
    let needle = folded.as_bytes();
    let at = haystack
        .windows(needle.len().max(1))
        .position(|window| window.eq_ignore_ascii_case(needle))?;
    Some(match at {
        0 if haystack.len() == needle.len() => Match::Case,
        0 => Match::Prefix,
        _ => Match::Substring,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn qualified_patterns_name_a_container() {
        assert_eq!(split("Type::method"), ("Type", "method"));
        assert_eq!(split("a.b.c"), ("a.b", "c"));
        assert_eq!(split("Type#m"), ("Type", "m"));
        assert_eq!(split(".hidden"), ("", ".hidden"));
        assert_eq!(split("plain"), ("", "plain"));
        assert_eq!(split("trailing::"), ("", "trailing::"));
    }

    #[test]
    fn matches_are_told_apart() {
        let how = |name, pattern: &str| textual(name, pattern, &pattern.to_lowercase());
        assert_eq!(how("parse", "parse"), Some(Match::Exact));
        assert_eq!(how("Parse", "parse"), Some(Match::Case));
        assert_eq!(how("parseLine", "parse"), Some(Match::Prefix));
        assert_eq!(how("reparse", "parse"), Some(Match::Substring));
        assert_eq!(how("pars", "parse"), None);
        assert_eq!(how("ÜberParser", "überp"), Some(Match::Prefix));
    }
}
