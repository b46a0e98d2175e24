//! Definitions and references of each language: small sources beside their facts.
//!
//! `UPDATE_GOLDEN=1` writes what is found now; read the difference before keeping it.

#![allow(clippy::disallowed_methods)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod outlined;
mod robust;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use aictx_repomap::facts::Facts;
use aictx_repomap::parse::{Language, Limits, Parser};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages/samples")
}

/// One line for each definition: kind, name, container, lines, flags, signature, doc; then imports.
fn render(facts: &Facts) -> String {
    let mut out = format!("{:?} cut={}\n", facts.outcome, facts.cut);
    for it in &facts.definitions {
        let container = it
            .container
            .map(|at| format!(" [{}]", facts.get(facts.definitions[at as usize].name)))
            .unwrap_or_default();
        writeln!(
            out,
            "{} {}{container} {}-{} {}{} | {} | {}",
            it.kind,
            facts.get(it.name),
            it.line,
            it.end_line,
            if it.exported { "exported" } else { "-" },
            if it.declared_only { " declared" } else { "" },
            facts.get(it.signature),
            facts.get(it.doc),
        )
        .unwrap();
    }
    for it in &facts.imports {
        writeln!(out, "import {} {}", facts.get(it.module), it.line).unwrap();
    }
    out
}

/// Every sample with its path below the directory, in order.
fn sources() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![samples()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|it| it != "golden") {
                let name = path.strip_prefix(samples()).unwrap();
                found.push((
                    name.to_str().unwrap().to_owned(),
                    std::fs::read(&path).unwrap(),
                ));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn golden() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut parser = Parser::new();
    let mut wrong = String::new();
    for (name, source) in sources() {
        let language =
            Language::of(&name, &source).unwrap_or_else(|| panic!("{name}: no language"));
        let found = render(&parser.parse(
            &name,
            Some(language),
            &source,
            &Limits {
                // Samples are small and machines are busy.
                deadline: std::time::Duration::from_secs(20),
                ..Limits::default()
            },
        ));
        let golden = samples().join(format!("{name}.golden"));
        if update {
            std::fs::write(&golden, &found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        for (found, expected) in found.lines().zip(expected.lines()) {
            if found != expected {
                writeln!(wrong, "{name}\n  expected {expected}\n  found    {found}").unwrap();
            }
        }
        if found.lines().count() != expected.lines().count() {
            writeln!(wrong, "{name}: another number of lines").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_language_has_a_sample() {
    let seen: Vec<Language> = sources()
        .iter()
        .filter_map(|(name, source)| Language::of(name, source))
        .collect();
    for language in Language::ALL {
        assert!(seen.contains(&language), "{language} ({language:?})");
    }
}
