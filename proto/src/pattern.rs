//! The one path matcher: exact, then directory prefix, then glob.
//!
//! Rules: an entry first matches the path it spells, so that
//! `app/[id]/page.tsx` matches itself; then everything below it when it names a directory; then it
//! is read as a glob in which `*` and `?` stay inside one segment, `[...]` is one character of a
//! set, and a segment `**` crosses any number of segments.

use crate::path::{RepoPath, segments};

/// A scope entry, ready to be matched against [`RepoPath`]s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    text: String,
    /// The path that it spells, if it spells one.
    entry: Option<RepoPath>,
    fold_case: bool,
}

impl PathPattern {
    /// Takes an entry as it stands in a contract or a policy. A leading `./` and trailing slashes
    /// carry no meaning. An entry that lies outside the repository matches nothing.
    pub fn new(entry: &str) -> Self {
        let text = entry.trim().replace('\\', "/");
        let mut text = text.as_str();
        while let Some(rest) = text.strip_prefix("./") {
            text = rest;
        }
        Self::spelled(text.trim_end_matches('/').to_owned())
    }

    fn spelled(text: String) -> Self {
        let entry = RepoPath::parse(&text).ok().filter(|path| !path.is_root());
        Self {
            text,
            entry,
            fold_case: false,
        }
    }

    /// The same entry for a file system that does not tell `A` from `a`.
    #[must_use]
    pub fn ignoring_case(mut self) -> Self {
        self.fold_case = true;
        self
    }

    /// The entry as given, cleaned.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the entry covers the whole tree (`*`, `**`, `**/*`, `.`, empty).
    pub fn is_unbounded(&self) -> bool {
        self.text
            .split('/')
            .all(|segment| matches!(segment, "" | "*" | "**" | "."))
    }

    /// Returns true if `path` is named by this entry. Time: O(|pattern| × |path|).
    pub fn matches(&self, path: &RepoPath) -> bool {
        if self.fold_case {
            let folded = Self::spelled(self.text.to_lowercase());
            return RepoPath::parse(&path.as_str().to_lowercase())
                .is_ok_and(|lower| folded.matches(&lower));
        }
        if self.text == path.as_str() || self.text == "." {
            return true;
        }
        if (self.entry.as_ref()).is_some_and(|entry| path.starts_with(entry)) {
            return true;
        }
        if !is_glob(&self.text) {
            return false;
        }
        // Most begin in another directory.
        let first = |text| segments(text).next().unwrap_or_default();
        let (begins, start) = (first(&self.text), first(path.as_str()));
        if !is_glob(begins) && begins != start {
            return false;
        }
        let pattern: Vec<&str> = self.text.split('/').collect();
        let segments: Vec<&str> = path.segments().collect();
        glob_segments(&pattern, &segments)
    }
}

/// Segment-level glob with `**`; a match of a leading part of `path` counts when the pattern's
/// last segment is `**`, which is how `dir/**` covers `dir` itself as well.
fn glob_segments(pattern: &[&str], path: &[&str]) -> bool {
    // reach[j]: the pattern read so far matches the first j segments.
    let mut reach = vec![false; path.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for segment in pattern {
        let mut next = vec![false; path.len() + 1];
        if *segment == "**" {
            let mut seen = false;
            for (to, from) in next.iter_mut().zip(&reach) {
                seen |= *from;
                *to = seen;
            }
        } else {
            let steps = next.iter_mut().skip(1).zip(&reach).zip(path);
            for ((to, from), name) in steps {
                *to = *from && glob_name(segment, name);
            }
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

/// Returns true if a text stands for more than itself.
fn is_glob(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// One segment: `*`, `?` and `[set]`. Greedy with one backtrack point, so O(n × m).
fn glob_name(pattern: &str, name: &str) -> bool {
    if pattern == "*" || !is_glob(pattern) {
        return pattern == "*" || pattern == name;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match (pattern.get(p), name.get(n)) {
            (Some('*'), _) => {
                retry = Some((p + 1, n));
                p += 1;
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('['), Some(c)) => match char_set(pattern.get(p..).unwrap_or_default(), *c) {
                Some((true, len)) => Some(len),
                Some((false, _)) => None,
                None => (*c == '[').then_some(1),
            },
            (Some(want), Some(c)) if want == c => Some(1),
            _ => None,
        };
        match (step, retry) {
            (Some(len), _) => {
                p += len;
                n += 1;
            }
            (None, Some((back, from))) => {
                p = back;
                n = from + 1;
                retry = Some((back, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Reads `[abc]`, `[a-z]`, `[!a]` at the start of `pattern`: whether `c` is in it and how many
/// pattern characters it takes; `None` when the bracket is never closed.
fn char_set(pattern: &[char], c: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let close = pattern.iter().skip(start + 1).position(|x| *x == ']')? + start + 1;
    let set = pattern.get(start..close)?;
    let mut hit = false;
    let mut i = 0;
    while let Some(&from) = set.get(i) {
        if let (Some('-'), Some(&to)) = (set.get(i + 1), set.get(i + 2)) {
            hit |= (from..=to).contains(&c);
            i += 3;
        } else {
            hit |= from == c;
            i += 1;
        }
    }
    Some((hit != negated, close + 1))
}

/// Returns true if one of some entries, paths or patterns, certainly names something strictly below a directory.
pub fn names_below<'e>(entries: impl IntoIterator<Item = &'e str>, directory: &RepoPath) -> bool {
    entries.into_iter().any(|entry| {
        let fixed = entry.split(['*', '?', '[']).next().unwrap_or_default();
        let fixed = fixed.trim_end_matches('/');
        !fixed.is_empty()
            && RepoPath::parse(fixed).is_ok_and(|path| {
                path != *directory && (directory.is_root() || path.starts_with(directory))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hit(pattern: &str, path: &str) -> bool {
        PathPattern::new(pattern).matches(&RepoPath::parse(path).unwrap())
    }

    #[test]
    fn exact_then_prefix_then_glob() {
        assert!(hit("app/[id]/page.tsx", "app/[id]/page.tsx"));
        assert!(hit("src", "src/a/b.rs"));
        assert!(hit("src/", "src/a"));
        assert!(!hit("src", "srcs/a"));
        assert!(hit("src/*.rs", "src/a.rs"));
        assert!(!hit("src/*.rs", "src/a/b.rs"), "`*` stays in its segment");
        assert!(hit("src/**/*.rs", "src/a/b/c.rs"));
        assert!(hit("src/**/*.rs", "src/c.rs"));
        assert!(hit("docs/**", "docs"));
        assert!(hit("docs/**", "docs/a/b"));
        assert!(hit("[a-c]?.txt", "bx.txt"));
        assert!(!hit("[!a-c]x", "bx"));
        assert!(hit("a[b", "a[b"));
        assert!(!hit("../x", "x"));
        assert!(PathPattern::new("**").is_unbounded());
        assert!(!PathPattern::new("src/**").is_unbounded());
    }

    #[test]
    fn case_is_folded_on_request() {
        let path = RepoPath::parse("src/Main.RS").unwrap();
        assert!(!PathPattern::new("src/main.rs").matches(&path));
        assert!(
            PathPattern::new("SRC/main.*")
                .ignoring_case()
                .matches(&path)
        );
    }

    proptest! {
        /// A literal entry matches exactly itself and what is below it.
        #[test]
        fn literal_entries(a in "[a-c]{1,2}(/[a-c]{1,2}){0,3}", b in "[a-c]{1,2}(/[a-c]{1,2}){0,3}") {
            let (pa, pb) = (RepoPath::parse(&a).unwrap(), RepoPath::parse(&b).unwrap());
            prop_assert_eq!(PathPattern::new(&a).matches(&pb), pb.starts_with(&pa));
        }

        /// `*` agrees with a naive recursive matcher.
        #[test]
        fn star_agrees_with_naive(p in "[ab*?]{0,8}", n in "[ab]{0,8}") {
            fn naive(p: &[u8], n: &[u8]) -> bool {
                match (p.first(), n.first()) {
                    (None, None) => true,
                    (Some(b'*'), _) => naive(&p[1..], n) || (!n.is_empty() && naive(p, &n[1..])),
                    (Some(b'?'), Some(_)) => naive(&p[1..], &n[1..]),
                    (Some(x), Some(y)) if x == y => naive(&p[1..], &n[1..]),
                    _ => false,
                }
            }
            prop_assert_eq!(glob_name(&p, &n), naive(p.as_bytes(), n.as_bytes()));
        }

        #[test]
        fn never_panics(p in ".{0,30}", n in "[^\0]{1,30}") {
            if let Ok(path) = RepoPath::parse(&n) {
                let _ = PathPattern::new(&p).matches(&path);
                let _ = PathPattern::new(&p).ignoring_case().matches(&path);
            }
        }
    }
}
