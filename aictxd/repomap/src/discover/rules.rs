//! Which rules decide what a tree holds. The map and the watcher walk by the same ones.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// Files of ignore rules.
pub(crate) const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".aictxignore"];

/// The largest file of rules, and of git's settings, that is read.
const MAX_BYTES: u64 = 1 << 20;

/// A walk of the tree at `root` by its rules: nested `.gitignore`, `.ignore` and `.aictxignore`,
/// `.git/info/exclude`, and what git's `core.excludesFile` names, which is the repository's own
/// before the user's. Rules from above the repository do not count.
pub fn rules(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        // The user's rules, too, speak of paths from the root of the repository.
        .current_dir(root)
        .add_custom_ignore_filename(".aictxignore");
    if let Some(own) = own_excludes(root) {
        // As with git, one of the two is read.
        builder.git_global(false);
        if is_plain(&own) {
            // A line that is no pattern takes nothing from the others.
            let _ = builder.add_ignore(own);
        }
    }
    builder
}

/// Whether the ignore rules of a directory can be read without harm: whoever wrote the repository
/// may have put a link to an endless device, or a pipe, in their place. Such a directory is not
/// walked.
pub fn rules_are_plain(directory: &Path) -> bool {
    let plain = |name: &str| match std::fs::symlink_metadata(directory.join(name)) {
        Ok(meta) => meta.is_file() && meta.len() <= MAX_BYTES,
        Err(_) => true,
    };
    RULE_FILES.iter().all(|name| plain(name))
}

/// Git's files that are read for rules, wherever they are: the repository's settings, and what
/// these name.
pub(crate) fn outside(root: &Path) -> impl Iterator<Item = PathBuf> {
    let settings = common_dir(root).map(|common| common.join("config"));
    settings.into_iter().chain(own_excludes(root))
}

/// The file that the repository's own settings name as `core.excludesFile`. Settings that they
/// include, or that belong to one worktree, are not looked into.
fn own_excludes(root: &Path) -> Option<PathBuf> {
    let settings = common_dir(root)?.join("config");
    if !is_plain(&settings) {
        return None;
    }
    let named = setting(&std::fs::read(settings).ok()?, "core", "excludesfile")?;
    let named = match named.strip_prefix("~/") {
        Some(inside) => PathBuf::from(std::env::var_os("HOME")?).join(inside),
        None => root.join(named),
    };
    Some(named)
}

/// The directory that holds the settings: `.git`, or what a linked worktree's `.git` leads to.
fn common_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let meta = std::fs::symlink_metadata(&git).ok()?;
    let git = if meta.is_file() && meta.len() <= MAX_BYTES {
        let link = std::fs::read_to_string(&git).ok()?;
        root.join(link.strip_prefix("gitdir:")?.trim())
    } else {
        git
    };
    let shared = git.join("commondir");
    let shared = is_plain(&shared).then(|| std::fs::read_to_string(shared).ok());
    let shared = shared.flatten().map(|shared| git.join(shared.trim_end()));
    Some(shared.unwrap_or(git))
}

/// Whether a file can be read to its end. Links are followed: people keep their settings elsewhere.
fn is_plain(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES)
}

/// The last value of a name in a section without a subsection of git's settings (git-config(1),
/// "Syntax"). An empty one is none.
pub(super) fn setting(settings: &[u8], section: &str, name: &str) -> Option<String> {
    let settings = String::from_utf8_lossy(settings);
    let mut inside = false;
    let mut last = None;
    for line in settings.lines().map(str::trim) {
        let mut line = line;
        if let Some((header, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            inside = header.trim().eq_ignore_ascii_case(section);
            // A setting may follow on the same line.
            line = rest.trim_start();
        }
        if let Some((key, value)) = line.split_once('=')
            && inside
            && key.trim().eq_ignore_ascii_case(name)
        {
            last = Some(unquoted(value.trim_start()));
        }
    }
    last.filter(|value| !value.is_empty())
}

/// A value without its quotes, escapes and comment. A backslash before anything else than a quote
/// or a backslash has no place in a path's spelling, and is left out with it.
fn unquoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let (mut quoted, mut kept) = (false, 0);
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => match letters.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                _ => continue,
            },
            '#' | ';' if !quoted => break,
            other => text.push(other),
        }
        if quoted || !letter.is_whitespace() {
            kept = text.len();
        }
    }
    text.truncate(kept);
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let cases: [(&str, Option<&str>); 12] = [
            ("[core]\n\texcludesFile = .mine\n", Some(".mine")),
            ("[CORE]\nEXCLUDESFILE=~/rules # mine", Some("~/rules")),
            ("[core] excludesfile = a", Some("a")),
            (
                "[core]\nexcludesfile = \"with ; sign \"  ",
                Some("with ; sign "),
            ),
            ("[core]\nexcludesfile = a b  ; comment", Some("a b")),
            ("[core]\nexcludesfile = \"a\\\"b\\\\c\"", Some("a\"b\\c")),
            ("[core]\nexcludesfile = a\nexcludesfile = b", Some("b")),
            ("[core]\nexcludesfile =\n", None),
            ("[core]\n[other]\nexcludesfile = a", None),
            ("[core \"sub\"]\nexcludesfile = a", None),
            ("[core]\n# excludesfile = a", None),
            ("[core\nexcludesfile = a]\n\\", None),
        ];
        for (text, expected) in cases {
            let found = setting(text.as_bytes(), "core", "excludesfile");
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
