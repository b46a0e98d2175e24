//! Usual names of files and directories, by which a name is told from a word.

/// Spelling of a piece of text in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelt {
    /// Between blanks.
    Bare,
    /// In quotes or backticks: the person marked it as a name.
    Marked,
}

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

/// Words with a slash that are no paths.
const PAIRS: &[&str] = &[
    "and", "or", "he", "she", "his", "her", "input", "output", "yes", "no", "on", "off", "true",
    "false", "i", "o", "n", "a", "w", "client", "server", "tcp", "ip", "udp", "read", "write",
    "start", "stop", "before", "after", "cd", "pass", "fail", "their", "get", "post", "up", "down",
    "y", "e", "ou", "und", "oder", "o", "et", "si", "sí", "undo", "redo", "add", "remove",
    "enable", "disable", "sync", "async", "await", "let", "const", "var", "tabs", "spaces", "left",
    "right", "min", "max", "key", "value", "km", "h", "s", "sec", "and/or", "him", "them",
];

/// Alternatives and pairs of words: `and/or`.
pub(super) fn is_pair(text: &str) -> bool {
    let lower = text.to_lowercase();
    !text.starts_with('/') && !text.ends_with('/') && lower.split('/').all(|s| PAIRS.contains(&s))
}

/// Dates, fractions: `24/7`, `2024/01/02`.
pub(super) fn is_date(text: &str) -> bool {
    text.split('/')
        .all(|s| s.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns true if a name ends as files do.
pub(super) fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && ENDINGS
                .binary_search(&ending.to_lowercase().as_str())
                .is_ok()
    })
}

/// The pattern of all files that end as `name` does, where it is no more than an ending: `.md`. `.env` is a file of
/// that name.
pub(super) fn files_ending_in(name: &str) -> Option<String> {
    const BEFORE: &[&str] = &[
        "d",
        "generated",
        "min",
        "module",
        "snap",
        "spec",
        "stories",
        "test",
    ];
    const NAMES: &[&str] = &["env", "out", "fish"];
    let ending = name.strip_prefix('.')?;
    // "`.md`-Dateien".
    let ending = match ending.split_once('-') {
        Some((ending, noun)) if noun.to_lowercase().starts_with("datei") => ending,
        Some((ending, noun)) if noun.eq_ignore_ascii_case("files") => ending,
        _ => ending,
    };
    let lower = ending.to_lowercase();
    let last = match lower.split_once('.') {
        Some((before, last)) if BEFORE.contains(&before) => last,
        Some(_) => return None,
        None => &lower,
    };
    let known = ENDINGS.binary_search(&last).is_ok() && !NAMES.contains(&last);
    known.then(|| format!("**/*.{ending}"))
}

/// Returns true if a name without a slash is one of a file.
pub(super) fn is_file_name(name: &str, how: Spelt) -> bool {
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

/// Returns true if a word is the name of a usual file that has no ending, or may have one: `readme`.
pub(super) fn is_plain_name(word: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Returns true if a bare word is the name of a usual directory.
pub(super) fn is_directory(word: &str) -> bool {
    DIRECTORIES.contains(&word)
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
}
