//! `go.mod`.

use super::MAX_ENTRIES;

/// What a `go.mod` says about names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Module {
    /// What import paths of its packages begin with.
    pub(crate) path: Option<String>,
    /// Modules that are taken from a directory instead: their path and the directory, as written.
    pub(crate) replaced: Vec<(String, String)>,
}

impl Module {
    pub(super) fn read(text: &str) -> Self {
        let mut module = Self::default();
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or(line).trim();
            if line == ")" {
                block = "";
                continue;
            }
            let (word, rest) = match block {
                "" => line.split_once([' ', '\t', '(']).unwrap_or((line, "")),
                block => (block, line),
            };
            if block.is_empty() && line.ends_with('(') {
                block = word;
                continue;
            }
            match word {
                "module" if module.path.is_none() => {
                    let path = bare(rest.trim());
                    module.path = (!path.is_empty()).then(|| path.to_owned());
                }
                "replace" => module.replace(rest),
                _ => {}
            }
        }
        module
    }

    fn replace(&mut self, rest: &str) {
        let Some((old, new)) = rest.split_once("=>") else {
            return;
        };
        let first = |text: &'_ str| bare(text.split_whitespace().next().unwrap_or("")).to_owned();
        let (old, new) = (first(old), first(new));
        let local = new.starts_with("./") || new.starts_with("../");
        if local && !old.is_empty() && self.replaced.len() < MAX_ENTRIES {
            self.replaced.push((old, new));
        }
    }
}

fn bare(text: &str) -> &str {
    text.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_and_local_replacements_are_read() {
        let module = Module::read(
            "// module no\nmodule \"example.org/a/v2\" // yes\n\ngo 1.22\nrequire (\n\tb.org/c v1.0.0\n)\n\
             replace b.org/c v1.0.0 => ../c\nreplace (\n\td.org/e => ./e // here\n\tf.org/g => h.org/g v1.0.0\n)\n",
        );
        assert_eq!(module.path.as_deref(), Some("example.org/a/v2"));
        let own = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
        assert_eq!(
            module.replaced,
            [("b.org/c", "../c"), ("d.org/e", "./e")].map(own)
        );
        assert_eq!(
            Module::read("module (\n\tx.org/y\n)\n").path.as_deref(),
            Some("x.org/y")
        );
        assert_eq!(Module::read("modu"), Module::default());
    }
}
