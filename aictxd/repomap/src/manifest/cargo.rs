//! `Cargo.toml`, line by line: half a manifest says half of it.

use super::MAX_ENTRIES;

/// What a `Cargo.toml` says about names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cargo {
    /// What others import it by.
    pub(crate) name: Option<String>,
    /// Where its library begins, when not at `src/lib.rs`.
    pub(crate) library: Option<String>,
    /// Where its programs, tests and examples begin, where the manifest says so.
    pub(crate) roots: Vec<String>,
    /// Dependencies that go by another name here: the name here and the package's.
    pub(crate) renamed: Vec<(String, String)>,
}

impl Cargo {
    pub(super) fn read(text: &str) -> Self {
        let mut cargo = Self::default();
        let (mut package, mut library) = (None, None);
        let mut section: Vec<String> = Vec::new();
        // The mark that ends the long string that the lines are in.
        let mut within: Option<&str> = None;
        for line in text.lines() {
            if let Some(mark) = within {
                within = (!line.contains(mark)).then_some(mark);
                continue;
            }
            let line = line.trim();
            if let Some(head) = line.strip_prefix('[') {
                let head = head.trim_start_matches('[');
                section = keys(head.split(']').next().unwrap_or(head));
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let value = value.trim();
            within = ["\"\"\"", "'''"]
                .into_iter()
                .find(|mark| value.starts_with(mark) && value.matches(mark).count() == 1);
            let mut path = section.clone();
            path.extend(keys(key));
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let text = || literal(value).map(str::to_owned);
            match path.as_slice() {
                ["package", "name"] => package = text(),
                ["lib", "name"] => library = text(),
                ["lib", "path"] => cargo.library = text(),
                ["bin" | "test" | "example" | "bench", "path"]
                    if cargo.roots.len() < MAX_ENTRIES =>
                {
                    cargo.roots.extend(text());
                }
                [.., table, alias, "package"] if table.ends_with("dependencies") => {
                    cargo.rename(alias, literal(value));
                }
                [.., table, alias] if table.ends_with("dependencies") => {
                    cargo.rename(alias, member(value, "package"));
                }
                _ => {}
            }
        }
        cargo.name = library.or(package).map(|name| name.replace('-', "_"));
        cargo
    }

    fn rename(&mut self, alias: &str, package: Option<&str>) {
        if let Some(package) = package
            && self.renamed.len() < MAX_ENTRIES
        {
            let plain = |name: &str| name.replace('-', "_");
            self.renamed.push((plain(alias), plain(package)));
        }
    }
}

/// The parts of a dotted key; dots within quotes do not count.
fn keys(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '.') => parts.push(String::new()),
            (None, c) if c.is_whitespace() => {}
            (_, c) => {
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    parts
}

/// What stands between the quotes that a value begins with.
fn literal(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let rest = value.get(1..)?;
    rest.split(quote).next().filter(|text| !text.is_empty())
}

/// A text of an inline table: `{ package = "…" }`.
fn member<'a>(value: &'a str, key: &str) -> Option<&'a str> {
    let inside = value.strip_prefix('{')?;
    inside.split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim() == key)
            .then(|| literal(value.trim()))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_renamed_dependencies_are_read() {
        let cargo = Cargo::read(
            r#"
[package] # ours
name = "big-thing"   # not "small"
description = """
name = "no"
"""
[lib]
path = 'core/entry.rs'

[[bin]]
name = "tool"
path = "cli/tool.rs"
[dependencies]
plain = "1"
first-alias = { version = "1", package = "its-name" }
second.package = "other"
[target.'cfg(unix)'.dev-dependencies.third]
package = "one-more"
[dependencies
half
"#,
        );
        assert_eq!(cargo.name.as_deref(), Some("big_thing"));
        assert_eq!(cargo.library.as_deref(), Some("core/entry.rs"));
        assert_eq!(cargo.roots, ["cli/tool.rs"]);
        let renamed: Vec<_> = cargo
            .renamed
            .iter()
            .map(|(a, p)| (a.as_str(), p.as_str()))
            .collect();
        assert_eq!(
            renamed,
            [
                ("first_alias", "its_name"),
                ("second", "other"),
                ("third", "one_more")
            ]
        );
        let dotted = Cargo::read("package.name = \"a\"\nlib.name = \"b-c\"\n");
        assert_eq!(dotted.name.as_deref(), Some("b_c"));
    }
}
