//! Benchmark of lookups and queries on a made-up tree: `rank_speed [FILES]`.

#![allow(
    clippy::indexing_slicing,
    reason = "constant tables, vectors just made"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use aictx_repomap::facts::{Definition, Facts, Kind};
use aictx_repomap::history::{Change, Commit, History};
use aictx_repomap::index_view::memory::{MemoryFile, MemoryView};
use aictx_repomap::rank::{Past, Query, Weights, rank_with};
use aictx_repomap::words;

/// Small and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word: the frequent ones are very frequent, as in any text.
    fn word(&mut self) -> String {
        let share = (self.next() % 1_000_000) as f64 / 1e6;
        let rank = (60_000_f64.powf(share)) as u64;
        let mut n = rank.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let mut word = String::new();
        for _ in 0..(4 + n % 4) {
            let at = (n % 17) as usize;
            word.push("bcdfghjklmnpqrstv".as_bytes()[at] as char);
            n /= 3;
            word.push("aeiou".as_bytes()[(n % 5) as usize] as char);
            n = n / 2 + rank;
        }
        word
    }
}

fn file(random: &mut Random, at: usize) -> MemoryFile {
    let mut facts = Facts::default();
    let mut text = String::new();
    for number in 0..14 {
        let name = format!("{}_{}", random.word(), random.word());
        let signature = format!("fn {name}({}: {})", random.word(), random.word());
        let _ = writeln!(text, "{signature} {{");
        for _ in 0..12 {
            let _ = writeln!(text, "    {}.{}();", random.word(), random.word());
        }
        let definition = Definition {
            name: facts.intern(&name),
            signature: facts.intern(&signature),
            doc: Default::default(),
            container: None,
            line: number * 14 + 1,
            end_line: number * 14 + 13,
            kind: Kind::Function,
            exported: true,
            declared_only: false,
        };
        facts.definitions.push(definition);
    }
    MemoryFile {
        path: format!(
            "{}/{}/{}{at}.rs",
            random.word(),
            random.word(),
            random.word()
        ),
        language: "rust".into(),
        facts,
        bytes: text.into_bytes(),
        ..MemoryFile::default()
    }
}

fn main() {
    let files = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(70_000);
    let mut random = Random(0x5EED);
    let tree: Vec<MemoryFile> = (0..files).map(|at| file(&mut random, at)).collect();
    let bytes: usize = tree.iter().map(|f| f.bytes.len()).sum();
    let started = Instant::now();
    let mut count = 0_usize;
    for file in &tree {
        words::terms(&file.bytes, |term| count += term.len().min(1));
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "words: {count} terms, {:.0} MB/s",
        bytes as f64 / 1e6 / seconds
    );
    let paths: Vec<String> = tree.iter().map(|f| f.path.clone()).collect();
    let commits: Vec<Commit> = (0..5_000)
        .map(|at| Commit {
            hash: format!("{at}"),
            time: 0,
            message: (0..40).map(|_| random.word() + " ").collect(),
            changes: (0..4)
                .map(|_| Change {
                    path: paths[random.next() as usize % paths.len()].clone(),
                    from: None,
                    status: 'M',
                })
                .collect(),
        })
        .collect();
    let history = History::new(&commits);
    let view = MemoryView::new(tree);
    let started = Instant::now();
    let past = Past::new(&view, &history);
    println!("past tied to the view in {:?}", started.elapsed());
    let weights = Weights::default();
    for length in [3, 12, 60, 300] {
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let text: String = (0..length).map(|_| random.word() + " ").collect();
                let query = Query {
                    text: &text,
                    active: &[],
                    limit: 10,
                };
                // Best of five: others use the machine too.
                (0..5)
                    .map(|_| {
                        let started = Instant::now();
                        let hits = rank_with(&view, &history, &past, &query, &weights);
                        assert!(hits.len() <= 10);
                        started.elapsed()
                    })
                    .min()
                    .unwrap_or_default()
            })
            .collect();
        times.sort();
        println!(
            "{length:4} words: p50 {:?}, p99 {:?}, most {:?}",
            times[100], times[197], times[199]
        );
    }
}
