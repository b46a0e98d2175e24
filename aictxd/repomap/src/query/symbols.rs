//! Finding definitions by name, as editors do.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::qualified_name::{Around, Container};
use super::subsequence::Letters;
use crate::index_view::{Class, FileId, View};
use crate::segment::{AGAIN, mask};
use crate::tree::Tree;

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
    let mut search = Search {
        tree,
        container: Container::new(container),
        most: MAX_FOUND.max(limit.saturating_mul(2)),
        found: Vec::new(),
    };
    let names = Names::new(tree, name);
    search.add_until(&names.textual, limit);
    // Fuzzy ones come behind all others.
    let room = MAX_NAMES.saturating_sub(names.textual.len());
    if search.found.len() <= limit && room > 0 {
        search.add_until(&names.fuzzy(tree, room), limit);
    }
    let mut found = search.found;
    found.sort_by_key(|(_, order)| *order);
    let more = found.len() > limit;
    found.truncate(limit);
    (found.into_iter().map(|(at, _)| at).collect(), more)
}

/// Definitions being found.
struct Search<'a> {
    tree: &'a Tree,
    container: Container<'a>,
    most: usize,
    found: Vec<(SymbolAt, Order)>,
}

impl Search<'_> {
    /// Adds the definitions of names until those of names that match better than the rest are more
    /// than `enough`: whatever is left comes behind them.
    fn add_until(&mut self, names: &[Named], enough: usize) {
        for equal in names.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if self.found.len() > enough {
                break;
            }
            self.add(equal);
        }
    }

    /// Adds the definitions of names, in the order of names, until there are enough.
    fn add(&mut self, names: &[Named]) {
        let Self {
            tree,
            found,
            container,
            most,
        } = self;
        let most = *most;
        for (how, score, _, segment, number) in names {
            if found.len() > most {
                break;
            }
            let Some(known) = tree.segments().get(*segment) else {
                continue;
            };
            for symbol in known.symbols_named(*number).take(MAX_FOUND) {
                tree.files_of_symbol(*segment, symbol, &mut |file, number| {
                    let at = SymbolAt {
                        file,
                        number,
                        how: *how,
                    };
                    if found.len() <= most
                        && let Some(order) = order(tree, &at, *score, container)
                    {
                        found.push((at, order));
                    }
                });
            }
        }
    }
}

/// What decides between two definitions; smaller is better. How the name matches comes first: names
/// are taken in that order.
type Order = (
    Match,
    Reverse<u16>,
    Around,
    u8,
    bool,
    bool,
    usize,
    FileId,
    u32,
);

fn order(
    tree: &Tree,
    at: &SymbolAt,
    score: Reverse<u16>,
    container: &Container<'_>,
) -> Option<Order> {
    let symbol = tree.symbol(at.file, at.number)?;
    let around = container.around(tree, at.file, &symbol)?;
    let class = match tree.class(at.file) {
        Class::Source => 0,
        Class::Config | Class::Docs => 1,
        Class::Test | Class::Fixture => 2,
        Class::Generated | Class::Vendored => 3,
    };
    Some((
        at.how,
        score,
        around,
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

/// A name that matches, in the order in which names are taken: how, how well (of fuzzy ones), its
/// length, its segment and its number there.
type Named = (Match, Reverse<u16>, usize, usize, u32);

/// The names that match.
struct Names<'a> {
    pattern: &'a str,
    /// True if the pattern is no more than its characters.
    plain: bool,
    /// The best [`MAX_NAMES`] that have the pattern as it is, by what is known without looking at
    /// their definitions.
    textual: Vec<Named>,
    /// Names that may match fuzzily: segment, number. Empty where there is no room for them.
    others: Vec<(usize, u32)>,
}

impl<'a> Names<'a> {
    fn new(tree: &Tree, pattern: &'a str) -> Self {
        let folded = pattern.to_lowercase();
        // What may be split or escaped is not told by its letters in order.
        let plain = pattern.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        let wanted = match plain {
            true => mask(pattern),
            false => mask(pattern) & ((1 << AGAIN) - 1),
        };
        let letters = plain.then(|| Letters::new(pattern, true));
        let mut best = Best::new(MAX_NAMES);
        // Names that may match fuzzily: segment, number.
        let mut others = Vec::new();
        for (segment_number, segment) in tree.segments().iter().enumerate() {
            let names = segment.name_bytes();
            for number in segment.names_with(wanted) {
                let name = names(number);
                let named = |how| (how, Reverse(0), name.len(), segment_number, number);
                // A name that is too long for where it could have the pattern need not be searched.
                let at_best = match begins(name, &folded) {
                    true => Match::Exact,
                    false => Match::Substring,
                };
                if !best.takes(&named(at_best)) {
                    continue;
                }
                let letters = letters.as_ref().filter(|_| name.is_ascii());
                if letters.is_some_and(|letters| !letters.are_in(name)) {
                    continue;
                }
                let how = match letters.is_none_or(|letters| letters.begin_in(name)) {
                    true => textual(name, pattern, &folded),
                    false => None,
                };
                match how {
                    Some(how) => best.add(named(how)),
                    None => others.push((segment_number, number)),
                }
            }
        }
        if best.items.len() >= MAX_NAMES {
            others = Vec::new();
        }
        Self {
            pattern,
            plain,
            textual: best.finish(),
            others,
        }
    }

    /// The best names that have the characters of the pattern in order, but not one behind the other.
    fn fuzzy(&self, tree: &Tree, most: usize) -> Vec<Named> {
        let (pattern, plain) = (self.pattern, self.plain);
        let mut best = Best::new(most);
        let atoms = Pattern::new(
            pattern,
            CaseMatching::Smart,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        // Who types a capital means one.
        let capitals = pattern.bytes().any(|b| b.is_ascii_uppercase());
        let letters = (plain && capitals).then(|| Letters::new(pattern, false));
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        for (segment_number, number) in &self.others {
            let Some(segment) = tree.segments().get(*segment_number) else {
                continue;
            };
            let name = segment.name_bytes()(*number);
            let text = if name.is_ascii() {
                if letters
                    .as_ref()
                    .is_some_and(|letters| !letters.are_in(name))
                {
                    continue;
                }
                Utf32Str::Ascii(name)
            } else {
                Utf32Str::new(segment.name(*number), &mut buffer)
            };
            if let Some(score) = atoms.score(text, &mut matcher) {
                let score = Reverse(u16::try_from(score).unwrap_or(u16::MAX));
                best.add((Match::Fuzzy, score, name.len(), *segment_number, *number));
            }
        }
        best.finish()
    }
}

/// The first so many in order.
struct Best {
    most: usize,
    items: Vec<Named>,
    /// Nothing behind this is among the first any more.
    last: Option<Named>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self {
            most,
            items: Vec::new(),
            last: None,
        }
    }

    /// Returns true if this would be among the first so far.
    #[inline]
    fn takes(&self, named: &Named) -> bool {
        self.last.as_ref().is_none_or(|last| named < last)
    }

    fn add(&mut self, named: Named) {
        if !self.takes(&named) {
            return;
        }
        self.items.push(named);
        if self.items.len() >= self.most * 2 {
            let (_, last, _) = self.items.select_nth_unstable(self.most.saturating_sub(1));
            self.last = Some(*last);
            self.items.truncate(self.most);
        }
    }

    fn finish(mut self) -> Vec<Named> {
        self.items.sort_unstable();
        self.items.truncate(self.most);
        self.items
    }
}

/// Returns true if a name may begin with what is sought, case aside. Beyond ASCII a letter's other case may
/// be anything.
#[inline]
fn begins(name: &[u8], folded: &str) -> bool {
    match (name.first(), folded.as_bytes().first()) {
        (Some(name), Some(folded)) => name.eq_ignore_ascii_case(folded) || !name.is_ascii(),
        _ => true,
    }
}

fn textual(name: &[u8], pattern: &str, folded: &str) -> Option<Match> {
    if name == pattern.as_bytes() {
        return Some(Match::Exact);
    }
    if name.len() < folded.len() {
        return None;
    }
    let lower;
    let haystack = if name.is_ascii() && folded.is_ascii() {
        name
    } else {
        lower = String::from_utf8_lossy(name).to_lowercase();
        lower.as_bytes()
    };
    let at = find(haystack, folded.as_bytes())?;
    Some(match at {
        0 if haystack.len() == folded.len() => Match::Case,
        0 => Match::Prefix,
        _ => Match::Substring,
    })
}

/// Where `folded` stands in a text, case aside.
fn find(text: &[u8], folded: &[u8]) -> Option<usize> {
    let (first, rest) = folded.split_first()?;
    let starts = text.len().checked_sub(rest.len())?;
    let (starts, _) = text.split_at_checked(starts)?;
    starts.iter().enumerate().position(|(at, letter)| {
        letter.eq_ignore_ascii_case(first)
            && text
                .get(at + 1..at + folded.len())
                .is_some_and(|tail| tail.eq_ignore_ascii_case(rest))
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

    /// Who asks for many definitions has every name scored; who asks for few must see the same first
    /// ones.
    #[test]
    fn few_are_the_first_of_many() {
        let mut source = String::new();
        for number in 0..3_000_u32 {
            let middle = ["o", "_o", "Oo", "xo", "1o"][number as usize % 5];
            let end = "lmnpq_".repeat(number as usize % 7);
            source += &format!("int f{middle}b{end}{number}a_r(void) {{}}\n");
            if number % 400 == 0 {
                source += &format!("int my_foobar{number}(void) {{}}\n");
            }
        }
        let files = ["a.c", "b.c"].map(|path| (path.to_owned(), source.clone().into_bytes()));
        let tree = crate::indexer::index_contents(files.into(), 1 << 20, &mut |_| {});
        for pattern in [
            "fbar", "foobar", "foba", "fOb", "fb", "a::fbr", "ob_r", "zzz", "b.fba",
        ] {
            let (all, _) = find_symbols(&tree, pattern, 1_500);
            for limit in [0, 1, 7, 20, 100, 300] {
                let (some, more) = find_symbols(&tree, pattern, limit);
                assert_eq!(some, all[..limit.min(all.len())], "{pattern} {limit}");
                assert_eq!(more, all.len() > limit, "{pattern} {limit}");
            }
        }
    }

    #[test]
    fn the_container_that_was_asked_for_comes_first() {
        let files = [
            (
                "a.rs",
                "impl MemoryStorage { pub fn get(&self) {} }\nimpl storage { pub fn get() {} }\n\
                 pub struct MemoryStorage;\npub struct storage;\n",
            ),
            (
                "b.rs",
                "impl Storage<u8> { fn get(&self) {} }\npub struct Storage<T>(T);\n",
            ),
            ("mystorage/c.rs", "pub fn get() {}\n"),
            ("storage/d.rs", "pub fn get() {}\n"),
            ("e.rs", "pub fn get() {}\n"),
            (
                "f.rs",
                "use x::Storage;\nimpl Storage { pub fn get(&self) {} }\n",
            ),
            ("g.rs", "impl Other { pub fn get(&self) {} }\n"),
            ("h.go", "package a\nfunc (s *Storage) get() {}\n"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let tree = crate::indexer::index_contents(files.into(), 1 << 20, &mut |_| {});
        let paths = |pattern: &str| {
            let (found, _) = find_symbols(&tree, pattern, 10);
            let at = |at: &SymbolAt| {
                let symbol = tree.symbol(at.file, at.number).unwrap();
                format!("{}:{}", tree.path(at.file), symbol.line)
            };
            found.iter().map(at).collect::<Vec<_>>()
        };
        let rest = ["storage/d.rs:1", "mystorage/c.rs:1", "f.rs:2"];
        let named = ["b.rs:1", "h.go:2", "a.rs:2", "a.rs:1"];
        assert_eq!(paths("Storage::get"), [&named[..], &rest].concat());
        let named = ["a.rs:2", "b.rs:1", "h.go:2", "a.rs:1"];
        assert_eq!(paths("storage.get"), [&named[..], &rest].concat());
    }

    #[test]
    fn matches_are_told_apart() {
        let how =
            |name: &str, pattern: &str| textual(name.as_bytes(), pattern, &pattern.to_lowercase());
        assert_eq!(how("parse", "parse"), Some(Match::Exact));
        assert_eq!(how("Parse", "parse"), Some(Match::Case));
        assert_eq!(how("parseLine", "parse"), Some(Match::Prefix));
        assert_eq!(how("reparse", "parse"), Some(Match::Substring));
        assert_eq!(how("pars", "parse"), None);
        assert_eq!(how("ÜberParser", "überp"), Some(Match::Prefix));
    }
}
