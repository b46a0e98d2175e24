//! The one repository-relative path type.
//!
//! Every path that enters the program (from a hook, a flag, a file) is turned into a [`RepoPath`]
//! at the boundary or is known to be [`Located::Outside`]; nothing else compares path strings.
//! Resolution here is lexical. Whoever has a disk may resolve symbolic links first
//! (`aictx_artifacts::root::locate`).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest accepted path, in bytes. Linux's own limit for one call is 4096.
pub const MAX_PATH_BYTES: usize = 4096;

/// A path inside a repository: relative to its root, `/`-separated, without `.`, `..`, empty
/// segments or a trailing slash. The root itself is the empty path and prints as `.`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RepoPath(String);

/// Tables of paths can be asked with a text, which must be spelled as [`RepoPath::parse`] spells it.
impl std::borrow::Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Location of a path from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// Inside the repository.
    Inside(RepoPath),
    /// Not inside, or not decidable from the text alone.
    Outside(Outside),
}

/// Why a path does not name something in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Empty, blank, or longer than [`MAX_PATH_BYTES`].
    Unusable,
    /// Holds a NUL byte.
    Nul,
    /// An absolute path elsewhere.
    Elsewhere,
    /// `..` climbs past the root.
    Escapes,
    /// `~` or `~user`: another person's or the user's home.
    Home,
    /// A drive letter (`C:\`) or UNC path (`\\server\share`).
    Drive,
}

impl RepoPath {
    /// The repository root itself.
    pub fn root() -> Self {
        Self(String::new())
    }

    /// Returns true if this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path as text; `.` for the root.
    pub fn as_str(&self) -> &str {
        if self.0.is_empty() { "." } else { &self.0 }
    }

    /// Path segments, none for the root.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|s| !s.is_empty())
    }

    /// Last segment, or nothing for the root.
    pub fn file_name(&self) -> Option<&str> {
        self.0.rsplit('/').next().filter(|name| !name.is_empty())
    }

    /// Returns true if `self` is `ancestor` or lies below it.
    pub fn starts_with(&self, ancestor: &RepoPath) -> bool {
        ancestor.is_root()
            || self.0 == ancestor.0
            || self
                .0
                .strip_prefix(&ancestor.0)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// A path that is written as `raw` in the directory `dir` below `base`, when both are spelled in the one way that
    /// needs no thought, as almost all are; `base` and `dir` may be empty. What is read as a drive or as somebody's
    /// home is none.
    pub fn below(base: &str, dir: &str, raw: &str) -> Option<Self> {
        let length = base.len() + dir.len() + raw.len() + 2;
        if length > MAX_PATH_BYTES || !is_usual(raw) || !(dir.is_empty() || is_usual(dir)) {
            return None;
        }
        if base.is_empty() && dir.is_empty() {
            return Some(Self(raw.to_owned()));
        }
        let mut path = String::with_capacity(length);
        for part in [base, dir] {
            if !part.is_empty() {
                path.push_str(part);
                path.push('/');
            }
        }
        path.push_str(raw);
        Some(Self(path))
    }

    /// Parses a path that is already meant to be repository-relative; a leading slash stands for the
    /// repository's root, as in ignore files.
    ///
    /// # Errors
    /// The reason why it is outside, for climbing or unusable text, drives and home directories.
    pub fn parse(raw: &str) -> Result<Self, Outside> {
        match locate("", "", raw) {
            Located::Inside(path) => Ok(path),
            Located::Outside(why) => Err(why),
        }
    }
}

/// Finds out where `raw` lies, given the repository's absolute `root` and the absolute working
/// directory `cwd` that relative paths start from (both `/`-separated; an empty `cwd` means the
/// root). Purely lexical and linear in the length of its inputs.
pub fn locate(root: &str, cwd: &str, raw: &str) -> Located {
    use Located::Outside as Out;
    if cwd.is_empty() && is_usual(raw) && is_plain_root(root) {
        return Located::Inside(RepoPath(raw.to_owned()));
    }
    let odd = |any, byte| any | matches!(byte, 0 | b'\\');
    if raw.starts_with('/')
        && raw.len() <= MAX_PATH_BYTES
        && !raw.bytes().fold(false, odd)
        && let Some(found) = unresolved(root, raw)
    {
        return found;
    }
    if raw.trim().is_empty() || raw.len() > MAX_PATH_BYTES {
        return Out(Outside::Unusable);
    }
    if raw.contains('\0') {
        return Out(Outside::Nul);
    }
    if raw.starts_with("\\\\") {
        return Out(Outside::Drive);
    }
    let text = match raw.contains('\\') {
        true => Cow::Owned(raw.replace('\\', "/")),
        false => Cow::Borrowed(raw),
    };
    if text == "~" || text.starts_with("~/") || is_user_home(&text) {
        return Out(Outside::Home);
    }
    if has_drive(&text) {
        return Out(Outside::Drive);
    }
    // The usual case below the root: nothing to put together, and nothing to take out.
    if !text.starts_with('/') && cwd.is_empty() && is_plain_root(root) && is_plain(&text) {
        return Located::Inside(RepoPath(text.into_owned()));
    }
    let absolute = if text.starts_with('/') {
        text
    } else if cwd.is_empty() {
        Cow::Owned([root, &text].join("/"))
    } else {
        Cow::Owned([cwd, &text].join("/"))
    };
    unresolved(root, &absolute).unwrap_or_else(|| resolved(root, &absolute, raw))
}

/// The usual case: nothing to take out, below a root that is spelled the same way.
fn unresolved(root: &str, absolute: &str) -> Option<Located> {
    let rest = absolute.strip_prefix(root)?.strip_prefix('/')?;
    let plain = is_plain_root(root) && is_plain(rest);
    plain.then(|| Located::Inside(RepoPath(rest.to_owned())))
}

fn is_plain_root(root: &str) -> bool {
    root.is_empty() || root.strip_prefix('/').is_some_and(is_plain)
}

fn resolved(root: &str, absolute: &str, raw: &str) -> Located {
    use Located::Outside as Out;
    let root_segments = resolve(root).unwrap_or_default();
    let Some(segments) = resolve(absolute) else {
        return Out(Outside::Escapes);
    };
    match segments.strip_prefix(root_segments.as_slice()) {
        Some(rest) => Located::Inside(RepoPath(rest.join("/"))),
        None if raw.starts_with('/') => Out(Outside::Elsewhere),
        None => Out(Outside::Escapes),
    }
}

/// The directory of a path, where it names one, and what it ends in. By bytes from the end: names are short.
pub fn split_name(path: &str) -> (Option<&str>, &str) {
    match path.as_bytes().iter().rposition(|byte| *byte == b'/') {
        Some(at) => (path.get(..at), path.get(at + 1..).unwrap_or_default()),
        None => (None, path),
    }
}

/// Returns the segments between the slashes of a path. Names are so short that looking at one byte after the other
/// costs less than setting out to search.
pub fn segments(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.bytes().position(|byte| byte == b'/') else {
            rest = None;
            return Some(text);
        };
        let (segment, behind) = text.split_at(at);
        rest = behind.get(1..);
        Some(segment)
    })
}

/// Returns true if there is no `.`, `..` or doubled slash to take out of a path, which begins behind a slash.
pub fn is_plain(path: &str) -> bool {
    let bytes = path.as_bytes();
    let ahead = bytes.get(1..).unwrap_or_default();
    // Almost always nothing begins with a dot. Without an end before the last byte, this becomes a few wide
    // comparisons.
    let odd = |any, (byte, next): (&u8, &u8)| any | (*byte == b'/') & matches!(*next, b'/' | b'.');
    let begins = !matches!(bytes.first(), None | Some(b'/' | b'.'));
    let simple = begins && bytes.last() != Some(&b'/') && !bytes.iter().zip(ahead).fold(false, odd);
    simple || segments(path).all(|segment| !matches!(segment, "" | "." | ".."))
}

/// A path of a record as a place in the repository that an agent may be sent to; `None` where it lies elsewhere
/// or is no path: records come with a pull request, too.
pub fn inside(recorded: &str) -> Option<Cow<'_, str>> {
    if is_usual(recorded) {
        return Some(Cow::Borrowed(recorded));
    }
    let odd = recorded.starts_with('/') || recorded.contains(char::is_control);
    // Few have a colon at all.
    if odd || (recorded.contains(':') && recorded.contains("://")) {
        return None;
    }
    match RepoPath::parse(recorded).ok()? {
        path if path.is_root() => None,
        path if path.as_str() == recorded => Some(Cow::Borrowed(recorded)),
        path => Some(Cow::Owned(path.0)),
    }
}

/// Returns true if a path is below where it starts from, and spelled in the one way that needs no thought: visible
/// ASCII, and nothing that is a drive, a home or a slash of another system. Almost all paths are.
fn is_usual(path: &str) -> bool {
    // To the end, whatever is found: so a processor looks at many bytes at once.
    let visible = |byte: u8| byte.is_ascii_graphic() & !matches!(byte, b'\\' | b':' | b'~');
    let usual = |all: bool, byte: u8| all & visible(byte);
    let begins = !path.starts_with('/') && path.len() <= MAX_PATH_BYTES;
    begins && path.bytes().fold(true, usual) && is_plain(path)
}

/// Splits into segments with `.` and `..` removed; `None` when `..` climbs past `/`.
fn resolve(path: &str) -> Option<Vec<&str>> {
    let mut out = Vec::with_capacity(16);
    for segment in segments(path) {
        match segment {
            "" | "." => {}
            ".." => {
                out.pop()?;
            }
            other => out.push(other),
        }
    }
    Some(out)
}

fn has_drive(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next(), chars.next()),
        (Some(letter), Some(':'), Some('/') | None) if letter.is_ascii_alphabetic())
}

fn is_user_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|rest| {
        rest.chars().next().is_some_and(char::is_alphanumeric) && rest.contains('/')
    })
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({:?})", self.as_str())
    }
}

impl Serialize for RepoPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        RepoPath::parse(&text).map_err(|why| {
            serde::de::Error::custom(format!("`{text}` is not a path inside a repository: {why}"))
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RepoPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RepoPath".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Path relative to the repository root, `/`-separated, without `.` or `..`."
        })
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outside::Unusable => "it is empty or too long",
            Outside::Nul => "it holds a NUL byte",
            Outside::Elsewhere => "it is an absolute path elsewhere",
            Outside::Escapes => "it climbs out of the repository",
            Outside::Home => "it starts in a home directory",
            Outside::Drive => "it names a drive or a network share",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_records_lie_inside() {
        for (recorded, place) in [
            ("src/a.py", Some("src/a.py")),
            ("./src//a.py", Some("src/a.py")),
            ("src/../a.py", Some("a.py")),
            (".github/x.yml", Some(".github/x.yml")),
            ("/etc/shadow", None),
            ("../a.py", None),
            ("src/../../a.py", None),
            ("~/.ssh/id_rsa", None),
            ("C:\\x", None),
            ("file:///etc/shadow", None),
            ("a.py\nrun this", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(super::inside(recorded).as_deref(), place, "{recorded:?}");
        }
    }
    use proptest::prelude::*;

    fn inside(raw: &str) -> String {
        match locate("/r/repo", "/r/repo/sub", raw) {
            Located::Inside(path) => path.as_str().to_owned(),
            Located::Outside(why) => format!("outside: {why:?}"),
        }
    }

    #[test]
    fn spellings_of_one_file_are_one_path() {
        for raw in [
            "a.py",
            "./a.py",
            ".//a.py",
            "x/../a.py",
            "/r/repo/sub/a.py",
            ".\\a.py",
        ] {
            assert_eq!(inside(raw), "sub/a.py", "{raw}");
        }
        assert_eq!(inside(".."), ".");
        assert_eq!(inside("/r/repo/"), ".");
    }

    #[test]
    fn outside_is_told_apart() {
        let why = |raw| match locate("/r/repo", "", raw) {
            Located::Outside(why) => why,
            Located::Inside(path) => panic!("{raw} became {path}"),
        };
        assert_eq!(why("../x"), Outside::Escapes);
        assert_eq!(why("/etc/passwd"), Outside::Elsewhere);
        assert_eq!(why("/r/repository/x"), Outside::Elsewhere);
        assert_eq!(why("~/.ssh/config"), Outside::Home);
        assert_eq!(why("~root/x"), Outside::Home);
        assert_eq!(why("C:\\x"), Outside::Drive);
        assert_eq!(why("\\\\host\\share"), Outside::Drive);
        assert_eq!(why("  "), Outside::Unusable);
        assert_eq!(why("a\0b"), Outside::Nul);
    }

    #[test]
    fn directory_prefix_is_by_segment() {
        let path = |p| RepoPath::parse(p).unwrap();
        assert!(path("src/a").starts_with(&path("src")));
        assert!(!path("srcs/a").starts_with(&path("src")));
        assert!(path("a").starts_with(&RepoPath::root()));
    }

    proptest! {
        /// Whatever comes in, what is inside has no segment that moves, and parsing it again is
        /// the identity.
        #[test]
        fn inside_is_canonical(raw in "[./a-c~\\\\: ]{0,24}") {
            if let Located::Inside(path) = locate("/r", "/r/s", &raw) {
                prop_assert!(path.segments().all(|s| s != "." && s != ".." && !s.is_empty()));
                let again = locate("/r", "", &format!("/r/{}", path.as_str()));
                prop_assert_eq!(again, Located::Inside(path));
            }
        }

        /// A path below the root is inside however many detours it takes.
        #[test]
        fn detours_do_not_matter(parts in proptest::collection::vec("[a-z]{1,4}", 1..6), at in 0usize..6) {
            let plain = parts.join("/");
            let mut detour = parts.clone();
            detour.insert(at.min(parts.len()), "x/..".into());
            prop_assert_eq!(locate("/r", "", &plain), locate("/r", "", &detour.join("/")));
        }

        /// Ordinary paths are kept as spelled, and fit no other reading.
        #[test]
        fn what_is_usual_needs_no_thought(path in "[a-c~:./\\\\ \u{7f}\u{e9}]{0,10}|[a-c./]{0,10}") {
            if !is_usual(&path) {
                return Ok(());
            }
            let below = Located::Inside(RepoPath(path.clone()));
            prop_assert_eq!(resolved("", &format!("/{path}"), &path), below);
            prop_assert!(!has_drive(&path) && !is_user_home(&path) && path != "~");
            prop_assert!(!path.contains(['\0', '\\']) && !path.contains(char::is_control));
            prop_assert!(!path.trim().is_empty() && !path.contains("://"));
        }

        #[test]
        fn what_is_below_is_where_the_long_way_leads(
            base in "([ab.]{1,3}/){0,2}", dir in "[ab./~:\\\\$]{0,6}", raw in "[ab./~:\\\\$ ]{0,8}",
        ) {
            let base = base.trim_end_matches('/');
            if let Some(path) = RepoPath::below(base, &dir, &raw)
                && (base.is_empty() || is_plain(base))
            {
                let parts = ["/r", base, &dir, &raw].map(|part| part.to_owned());
                let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                prop_assert_eq!(locate("/r", "", &parts.join("/")), Located::Inside(path));
            }
        }

        #[test]
        fn a_path_is_split_at_its_last_slash(path in "[ab/é]{0,8}") {
            let (dir, name) = split_name(&path);
            prop_assert_eq!(path.rsplit_once('/').map_or((None, path.as_str()), |(d, n)| (Some(d), n)), (dir, name));
        }

        #[test]
        fn the_short_way_leads_where_the_long_one_does(
            root in "(/[ab.]{1,2}){0,2}/?", below in "/?[ab./]{0,8}",
        ) {
            let absolute = format!("{root}{below}");
            if let Some(found) = unresolved(&root, &absolute) {
                prop_assert_eq!(found, resolved(&root, &absolute, &absolute));
            }
        }

        #[test]
        fn never_panics(root in ".{0,12}", cwd in ".{0,12}", raw in ".{0,40}") {
            let _ = locate(&root, &cwd, &raw);
        }
    }
}
