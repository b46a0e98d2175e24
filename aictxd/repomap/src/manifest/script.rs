//! `package.json` and the settings of the TypeScript compiler.

use serde_json::{Map, Value};

use super::MAX_ENTRIES;

/// Deepest nesting of conditions in `exports`.
const MAX_DEPTH: usize = 8;

/// What a `package.json` says about names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Package {
    /// What others import it by.
    pub(crate) name: String,
    /// Where it may begin, likeliest first.
    pub(crate) entries: Vec<String>,
    /// Files below its name: `./sub` or `./sub/*`, and where each may lie.
    pub(crate) exports: Vec<(String, Vec<String>)>,
    /// Names of its own: `#name` or `#name/*`, and where each may lie.
    pub(crate) imports: Vec<(String, Vec<String>)>,
}

impl Package {
    pub(super) fn read(text: &str) -> Option<Self> {
        let value = lenient(text)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut package = Self {
            name: text("name").to_owned(),
            ..Self::default()
        };
        match value.get("exports") {
            Some(Value::Object(exports)) if exports.keys().any(|key| key.starts_with('.')) => {
                package.exports = table(exports, |key| key.starts_with("./"));
                if let Some(root) = exports.get(".") {
                    files(root, 0, &mut package.entries);
                }
            }
            Some(exports) => files(exports, 0, &mut package.entries),
            None => {}
        }
        for key in ["source", "module", "main", "types", "typings"] {
            if !text(key).is_empty() {
                package.entries.push(text(key).to_owned());
            }
        }
        if let Some(Value::Object(imports)) = value.get("imports") {
            package.imports = table(imports, |key| key.starts_with('#'));
        }
        Some(package)
    }
}

/// What the settings of a compiler say about names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Config {
    /// Settings that these begin with, as written, the strongest last.
    pub(crate) extends: Vec<String>,
    /// The directory that bare names are looked for in.
    pub(crate) base: Option<String>,
    /// Aliases and where each may lie.
    pub(crate) paths: Option<Vec<(String, Vec<String>)>>,
    /// Settings of parts of the program.
    pub(crate) references: Vec<String>,
}

impl Config {
    pub(super) fn read(text: &str) -> Option<Self> {
        let value = lenient(text)?;
        let options = value.get("compilerOptions");
        let option = |key: &str| options.and_then(|options| options.get(key));
        let strings = |value: &Value| match value {
            Value::String(one) => vec![one.clone()],
            Value::Array(many) => {
                let texts = many.iter().filter_map(Value::as_str);
                texts.take(MAX_ENTRIES).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let references = value.get("references").and_then(Value::as_array);
        Some(Self {
            extends: value.get("extends").map(strings).unwrap_or_default(),
            base: option("baseUrl").and_then(Value::as_str).map(str::to_owned),
            paths: option("paths").and_then(Value::as_object).map(|paths| {
                let entries = paths.iter().take(MAX_ENTRIES);
                entries.map(|(k, v)| (k.clone(), strings(v))).collect()
            }),
            references: references
                .into_iter()
                .flatten()
                .filter_map(|reference| reference.get("path")?.as_str())
                .take(MAX_ENTRIES)
                .map(str::to_owned)
                .collect(),
        })
    }
}

fn table(object: &Map<String, Value>, wanted: fn(&str) -> bool) -> Vec<(String, Vec<String>)> {
    let entries = object.iter().filter(|(key, _)| wanted(key));
    entries
        .take(MAX_ENTRIES)
        .map(|(key, value)| {
            let mut found = Vec::new();
            files(value, 0, &mut found);
            (key.clone(), found)
        })
        .collect()
}

/// The files that a value of `exports` names, whatever the conditions.
fn files(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH || found.len() >= MAX_ENTRIES {
        return;
    }
    match value {
        Value::String(file) => found.push(file.clone()),
        Value::Array(many) => many.iter().for_each(|one| files(one, depth + 1, found)),
        Value::Object(conditions) => {
            let values = conditions.values();
            values.for_each(|one| files(one, depth + 1, found));
        }
        _ => {}
    }
}

/// Reads JSON that may have comments and trailing commas.
fn lenient(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    serde_json::from_str(&plain(text)).ok()
}

/// The same without comments and trailing commas.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut within = false;
    while let Some(c) = rest.next() {
        if within {
            out.push(c);
            match c {
                '\\' => out.extend(rest.next()),
                '"' => within = false,
                _ => {}
            }
            continue;
        }
        match (c, rest.peek()) {
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                let mut star = false;
                for c in rest.by_ref() {
                    if star && c == '/' {
                        break;
                    }
                    star = c == '*';
                }
            }
            (']' | '}', _) => {
                let kept = out.trim_end();
                if kept.ends_with(',') {
                    out.truncate(kept.len() - 1);
                }
                out.push(c);
            }
            _ => {
                within = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_no_obstacle() {
        let config = Config::read(
            r#"{
  // ours
  "extends": "./base", /* " */
  "compilerOptions": {
    "baseUrl": ".",
    "paths": { "@/*": ["src/*",], "//x": "one" , },
  },
}"#,
        )
        .unwrap();
        assert_eq!(config.extends, ["./base"]);
        assert_eq!(config.base.as_deref(), Some("."));
        let paths = config.paths.unwrap();
        assert_eq!(paths[0], ("@/*".to_owned(), vec!["src/*".to_owned()]));
        assert_eq!(paths[1].0, "//x");
        assert_eq!(Config::read("[ }"), None);
        assert_eq!(Config::read(&"[".repeat(100_000)), None);
    }

    #[test]
    fn entries_are_taken_whatever_the_condition() {
        let package = Package::read(
            r##"{"name": "@a/b", "main": "lib/x.js", "imports": {"#in/*": "./src/in/*.js"},
                "exports": {".": {"import": {"types": "./d.ts", "default": "./m.mjs"}}, "./s/*": "./src/*.ts"}}"##,
        )
        .unwrap();
        assert_eq!(package.name, "@a/b");
        assert_eq!(package.entries, ["./d.ts", "./m.mjs", "lib/x.js"]);
        assert_eq!(package.exports[0].0, "./s/*");
        assert_eq!(package.imports[0].1, ["./src/in/*.js"]);
        let plain = Package::read(r#"{"exports": {"import": "./m.js"}}"#).unwrap();
        assert_eq!(plain.entries, ["./m.js"]);
    }
}
