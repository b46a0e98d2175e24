//! Paths as people write them in messages.

use aictx_proto::path::locate;
use aictx_proto::{Located, RepoPath};

/// How a piece of text stands in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelt {
    /// Between blanks.
    Bare,
    /// In quotes or backticks: the person marked it as a name.
    Marked,
}

/// Longest path that is taken from a message, in bytes.
const MAX_PATH: usize = 256;

/// Endings of files. Others count when the name is marked or holds a slash.
const ENDINGS: &[&str] = &[
    "adoc",
    "astro",
    "avsc",
    "bash",
    "bat",
    "bazel",
    "bib",
    "bzl",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cljs",
    "cmake",
    "cmd",
    "conf",
    "cpp",
    "crt",
    "cs",
    "csproj",
    "css",
    "csv",
    "cts",
    "cu",
    "cue",
    "cxx",
    "d",
    "dart",
    "db",
    "diff",
    "dockerfile",
    "elm",
    "env",
    "erl",
    "ex",
    "exs",
    "feature",
    "fish",
    "fs",
    "fsx",
    "gd",
    "gemspec",
    "go",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hbs",
    "hcl",
    "hh",
    "hpp",
    "hrl",
    "hs",
    "htm",
    "html",
    "hxx",
    "ini",
    "ipynb",
    "java",
    "jinja",
    "jinja2",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "key",
    "kt",
    "kts",
    "less",
    "lock",
    "log",
    "lua",
    "m",
    "make",
    "md",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "mli",
    "mm",
    "mod",
    "mts",
    "nim",
    "nix",
    "out",
    "patch",
    "pem",
    "php",
    "pl",
    "plist",
    "pm",
    "png",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "py",
    "pyi",
    "pyx",
    "r",
    "rake",
    "rb",
    "rs",
    "rst",
    "sass",
    "sbt",
    "scala",
    "scss",
    "sh",
    "sln",
    "snap",
    "sol",
    "sql",
    "sqlite",
    "stories",
    "styl",
    "sum",
    "svelte",
    "svg",
    "swift",
    "tcl",
    "template",
    "tex",
    "tf",
    "tfvars",
    "toml",
    "tpl",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "vb",
    "vue",
    "wasm",
    "xml",
    "xsd",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Files without an ending.
const NAMES: &[&str] = &[
    "makefile",
    "dockerfile",
    "jenkinsfile",
    "vagrantfile",
    "gemfile",
    "rakefile",
    "procfile",
    "justfile",
    "brewfile",
    "codeowners",
    "containerfile",
    "caddyfile",
    "tiltfile",
    "pipfile",
    "podfile",
    "fastfile",
    "gnumakefile",
    "license",
    "readme",
    "changelog",
];

/// Directories that people name without a slash.
const DIRECTORIES: &[&str] = &[
    "src",
    "lib",
    "libs",
    "test",
    "tests",
    "spec",
    "specs",
    "docs",
    "doc",
    "vendor",
    "node_modules",
    "migrations",
    "fixtures",
    "dist",
    "build",
    "target",
    "bin",
    "scripts",
    "config",
    "configs",
    "examples",
    "migrations",
    "fixtures",
    "assets",
    "public",
    "static",
    "templates",
    "packages",
    "apps",
    "crates",
    "internal",
    "cmd",
    "pkg",
    "tools",
    "ci",
    "infra",
    "deploy",
    "terraform",
    "k8s",
    "helm",
    "locales",
    "i18n",
    "styles",
    "components",
    "pages",
    "third_party",
    "generated",
    "proto",
    "protos",
    "website",
    "e2e",
    "__tests__",
    "__snapshots__",
    "benches",
    "fuzz",
];

/// What is written with a slash and is no path.
const PAIRS: &[&str] = &[
    "and", "or", "he", "she", "his", "her", "input", "output", "yes", "no", "on", "off", "true",
    "false", "i", "o", "n", "a", "w", "client", "server", "tcp", "ip", "udp", "read", "write",
    "start", "stop", "before", "after", "cd", "pass", "fail", "their", "get", "post", "up", "down",
    "y", "e", "ou", "und", "oder", "o", "et", "si", "sí", "undo", "redo", "add", "remove",
    "enable", "disable", "sync", "async", "await", "let", "const", "var", "tabs", "spaces", "left",
    "right", "min", "max", "key", "value", "km", "h", "s", "sec", "and/or", "him", "them",
];

/// The path that `text` spells, cleaned: `/` between segments, no `./`, no slash at the end.
/// `None` for everything else: links, versions, `and/or`, `Node.js`, `foo.bar`.
pub(super) fn spelt(text: &str, how: Spelt) -> Option<String> {
    let text = text
        .strip_prefix('@')
        .filter(|t| t.contains(['/', '.']))
        .unwrap_or(text);
    if text.is_empty()
        || text.len() > MAX_PATH
        || text.contains("://")
        || text.contains(['\0', '\n', '<', '>', '|', '"', '=', ';', '$', '{'])
            && !text.contains("/{")
    {
        return None;
    }
    let blanks = text.contains(char::is_whitespace);
    let slashed = text.replace('\\', "/");
    let drive =
        slashed.get(1..3) == Some(":/") && slashed.starts_with(|c: char| c.is_ascii_alphabetic());
    let text = without_line(&slashed, drive);
    let name = text
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let inner = text.trim_end_matches('/').contains('/');
    let plausible = |segment: &str| {
        segment.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    '_' | '.'
                        | '-'
                        | '*'
                        | '?'
                        | '['
                        | ']'
                        | '@'
                        | '+'
                        | '~'
                        | '('
                        | ')'
                        | '{'
                        | '}'
                        | ','
                        | ':'
                )
                || (how == Spelt::Marked && c == ' ')
        })
    };
    let ends = text.len() > 1 && text.ends_with('/') && !blanks;
    let found =
        if drive || text.starts_with("../") || text.starts_with("~/") || text.starts_with("./") {
            true
        } else if (inner || ends) && text.split('/').all(plausible) && !blanks {
            text.chars().any(char::is_alphanumeric) && !is_pair(text) && !is_date(text)
        } else if inner && how == Spelt::Marked && text.split('/').all(plausible) {
            has_ending(name)
        } else if inner || blanks {
            false
        } else {
            is_file_name(name, how) || (how == Spelt::Marked && is_directory(name))
        };
    found.then(|| clean(text))
}

/// Without `./` in front and slashes at the end.
fn clean(text: &str) -> String {
    let mut text = text;
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    let cut = text.trim_end_matches('/');
    if cut.is_empty() {
        text.to_owned()
    } else {
        cut.to_owned()
    }
}

/// Without `:12` or `:12:3` at the end.
fn without_line(text: &str, drive: bool) -> &str {
    let mut text = text;
    for _ in 0..2 {
        match text.rsplit_once(':') {
            Some((before, after))
                if !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit()) =>
            {
                text = before
            }
            Some((before, "")) if !drive => text = before,
            _ => break,
        }
    }
    text
}

fn is_pair(text: &str) -> bool {
    let lower = text.to_lowercase();
    !text.starts_with('/') && !text.ends_with('/') && lower.split('/').all(|s| PAIRS.contains(&s))
}

/// Dates, fractions: `24/7`, `2024/01/02`.
fn is_date(text: &str) -> bool {
    text.split('/')
        .all(|s| s.bytes().all(|b| b.is_ascii_digit()))
}

fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && ENDINGS
                .binary_search(&ending.to_lowercase().as_str())
                .is_ok()
    })
}

fn is_file_name(name: &str, how: Spelt) -> bool {
    const PRODUCTS: &[&str] = &[
        "node.js",
        "next.js",
        "vue.js",
        "nuxt.js",
        "react.js",
        "three.js",
        "d3.js",
        "express.js",
        "ember.js",
        "backbone.js",
        "alpine.js",
        "chart.js",
        "moment.js",
        "nest.js",
        "asp.net",
        "socket.io",
        "discord.js",
        "angular.js",
        "p5.js",
        "e.g",
        "i.e",
    ];
    let lower = name.to_lowercase();
    if PRODUCTS.contains(&lower.as_str()) {
        return false;
    }
    if let Some(hidden) = name.strip_prefix('.') {
        return hidden.len() > 1
            && hidden.starts_with(|c: char| c.is_ascii_alphabetic())
            && hidden
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '*'));
    }
    if name.contains('*') && name.contains('.') && name.len() > 2 {
        return true;
    }
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '*' | '@' | '[' | ']');
    if !name.chars().all(plain) {
        return false;
    }
    if has_ending(name) {
        return true;
    }
    match how {
        Spelt::Bare => {
            NAMES.contains(&lower.as_str()) && name.starts_with(|c: char| c.is_ascii_uppercase())
        }
        Spelt::Marked => {
            NAMES.contains(&lower.as_str())
                || name.rsplit_once('.').is_some_and(|(stem, ending)| {
                    !stem.is_empty()
                        && (1..=8).contains(&ending.len())
                        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
                        && ending.bytes().any(|b| b.is_ascii_alphabetic())
                        && !stem.contains('(')
                        && name.matches('.').count() == 1
                        && stem.contains('-')
                })
        }
    }
}

/// Whether a word is the name of a usual file that has no ending, or may have one: `readme`.
pub(super) fn is_plain_name(word: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Whether a bare word is the name of a usual directory.
pub(super) fn is_directory(word: &str) -> bool {
    DIRECTORIES.contains(&word)
}

/// Whether the path does not lie in the repository, as far as its text says.
pub(super) fn is_outside(path: &str) -> bool {
    path.starts_with('/') || RepoPath::parse(path).is_err()
}

/// Makes an absolute path below the repository's root `repo` relative to it.
pub(super) fn relative(repo: &str, path: &mut String) {
    if path.starts_with('/')
        && !repo.is_empty()
        && let Located::Inside(inside) = locate(repo, "", path)
    {
        inside.as_str().clone_into(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_sorted() {
        assert!(
            ENDINGS.is_sorted(),
            "{:?}",
            ENDINGS.windows(2).find(|w| w[0] > w[1])
        );
    }

    #[test]
    fn paths_and_what_only_looks_like_one() {
        for (text, want) in [
            ("src/auth.py", Some("src/auth.py")),
            ("docs/", Some("docs")),
            ("./a/b.rs", Some("a/b.rs")),
            ("../shared/util.py", Some("../shared/util.py")),
            (r"C:\proj\app\main.ts", Some("C:/proj/app/main.ts")),
            (r"src\ui\a.ts", Some("src/ui/a.ts")),
            ("Makefile", Some("Makefile")),
            (".env", Some(".env")),
            ("*.lock", Some("*.lock")),
            ("src/**/*.rs", Some("src/**/*.rs")),
            ("app/[id]/page.tsx", Some("app/[id]/page.tsx")),
            ("main.rs:12:3", Some("main.rs")),
            ("and/or", None),
            ("24/7", None),
            ("https://example.test/a", None),
            ("Node.js", None),
            ("foo.bar", None),
            ("1.2", None),
            ("license", None),
        ] {
            assert_eq!(spelt(text, Spelt::Bare).as_deref(), want, "{text}");
        }
        assert_eq!(
            spelt("src/a b.py", Spelt::Marked).as_deref(),
            Some("src/a b.py")
        );
        assert_eq!(spelt("stop the server", Spelt::Marked), None);
    }
}
