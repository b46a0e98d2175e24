//! Compares parsing with and without bodies: `outline_check DIRECTORY [SUFFIX]`.
//!
//! Reads every file both ways and prints the names and signatures that only one of them found.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

mod trees;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use aictx_repomap::facts::Facts;
use aictx_repomap::parse::{Language, Limits, Parser};

fn lines(facts: &Facts) -> Vec<String> {
    let definitions = facts.definitions.iter().map(|it| {
        let container = it
            .container
            .and_then(|of| facts.definitions.get(of as usize));
        format!(
            "{:?} {} in {} [{}-{}] {} {} | {} | {}",
            it.kind,
            facts.get(it.name),
            container.map_or("", |it| facts.get(it.name)),
            it.line,
            it.end_line,
            it.exported,
            it.declared_only,
            facts.get(it.signature),
            facts.get(it.doc),
        )
    });
    let imports = facts.imports.iter();
    let imports = imports.map(|it| format!("import {} {}", facts.get(it.module), it.line));
    definitions.chain(imports).collect()
}

#[derive(Default)]
struct Sum {
    files: usize,
    bytes: usize,
    lines: usize,
    differ: usize,
    lost: usize,
    won: usize,
    whole: Duration,
    ours: Duration,
}

fn main() {
    let paths = trees::of_the_command_line();
    let limits = Limits {
        deadline: Duration::from_secs(20),
        ..Limits::default()
    };
    let (mut ours, mut whole) = (Parser::new(), Parser::whole());
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for path in paths {
        let name = path.to_string_lossy();
        let Ok(source) = std::fs::read(&path) else {
            continue;
        };
        let Some(language) = Language::of(&name, &source) else {
            continue;
        };
        if !matches!(
            language.name(),
            "c" | "cpp" | "go" | "rust" | "java" | "python"
        ) {
            continue;
        }
        let sum = sums.entry(language.name()).or_default();
        let started = Instant::now();
        let before = whole.parse("a", Some(language), &source, &limits);
        sum.whole += started.elapsed();
        let started = Instant::now();
        let after = ours.parse("a", Some(language), &source, &limits);
        sum.ours += started.elapsed();
        let (before, after) = (lines(&before), lines(&after));
        sum.files += 1;
        sum.bytes += source.len();
        sum.lines += before.len();
        if before == after {
            continue;
        }
        sum.differ += 1;
        println!("{name}");
        for line in &before {
            if !after.contains(line) {
                println!("  - {line}");
                sum.lost += 1;
            }
        }
        for line in &after {
            if !before.contains(line) {
                println!("  + {line}");
                sum.won += 1;
            }
        }
    }
    for (language, sum) in sums {
        println!(
            "{language}: {} files, {:.1} MB, {} lines; {} files differ, -{} +{}; whole {:.2} s, ours {:.2} s, {:.1} times as fast",
            sum.files,
            sum.bytes as f64 / 1e6,
            sum.lines,
            sum.differ,
            sum.lost,
            sum.won,
            sum.whole.as_secs_f64(),
            sum.ours.as_secs_f64(),
            sum.whole.as_secs_f64() / sum.ours.as_secs_f64().max(1e-9),
        );
    }
}
