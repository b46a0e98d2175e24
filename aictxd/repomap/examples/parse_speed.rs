//! Benchmark of reading files beside parsing them: `parse_speed DIRECTORY [SUFFIX]`.
//!
//! Every file of a language with a grammar is parsed by the bare parser and read by ours, turn about,
//! three times, on one thread; the best time of each counts.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

mod trees;

use std::collections::BTreeMap;
use std::time::Duration;

use aictx_repomap::facts::Outcome;
use aictx_repomap::parse::{Language, Limits, Parser};

fn grammar(name: &str) -> Option<tree_sitter::Language> {
    Some(match name {
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        _ => return None,
    })
}

/// Time this thread has had: a busy machine does not count.
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[derive(Default)]
struct Sum {
    files: usize,
    bytes: usize,
    definitions: usize,
    parse: Duration,
    read: Duration,
}

fn main() {
    let paths = trees::of_the_command_line();
    let limits = Limits::default();
    let mut ours = Parser::new();
    let mut bare = tree_sitter::Parser::new();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for path in paths {
        let name = path.to_string_lossy();
        let Ok(source) = std::fs::read(&path) else {
            continue;
        };
        let Some(language) = Language::of(&name, &source) else {
            continue;
        };
        let Some(grammar) = grammar(language.name()) else {
            continue;
        };
        let facts = ours.parse("", Some(language), &source, &limits);
        if facts.outcome != Outcome::Parsed {
            continue;
        }
        bare.set_language(&grammar).unwrap();
        let (mut parse, mut read) = (Duration::MAX, Duration::MAX);
        for round in 0..6 {
            // Whoever is second finds the allocator as the first left it.
            let started = now();
            if round % 2 == 0 {
                drop(bare.parse(&source, None));
                parse = parse.min(now().saturating_sub(started));
            } else {
                drop(ours.parse("", Some(language), &source, &limits));
                read = read.min(now().saturating_sub(started));
            }
        }
        let sum = sums.entry(language.name()).or_default();
        sum.files += 1;
        sum.bytes += source.len();
        sum.definitions += facts.definitions.len();
        sum.parse += parse;
        sum.read += read;
    }
    for (name, sum) in sums {
        let rate = |time: Duration| sum.bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name}: {} files, {:.1} MB, {} definitions; parse {:.1} MB/s, read {:.1} MB/s, ratio {:.3}",
            sum.files,
            sum.bytes as f64 / 1e6,
            sum.definitions,
            rate(sum.parse),
            rate(sum.read),
            sum.read.as_secs_f64() / sum.parse.as_secs_f64(),
        );
    }
}
