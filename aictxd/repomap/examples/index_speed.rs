//! Benchmark of indexing beside tree-sitter's bare parsing of the same files.
//!
//! `cargo run --release -p aictx-repomap --example index_speed -- DIRECTORY [THREADS]`
//!
//! Prints: listing, the bare parse of every file with a grammar, a cold index, a reconcile that finds
//! nothing changed, saving, opening what was saved, one saved file, memory a symbol, and queries.
//!
//! `… -- --turns ROUNDS DIRECTORY [THREADS]` measures only the parse and the index, in turns and each in
//! a process of its own: what a busy machine does to one of them it does to its neighbours, too.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aictx_repomap::discover;
use aictx_repomap::index_view::{FileId, View};
use aictx_repomap::indexer::{Cache, Indexer, Options};
use aictx_repomap::parse::Language;
use aictx_repomap::query::find_symbols;
use aictx_repomap::rank::{Past, Query, Weights, rank_with};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let turns = arguments.next_if(|a| a == "--turns").is_some();
    let rounds = turns.then(|| {
        arguments
            .next()
            .and_then(|n| n.parse().ok())
            .expect("rounds")
    });
    let part = arguments.next_if(|a| PARTS.contains(&a.as_str()));
    let root = PathBuf::from(arguments.next().expect("a directory"));
    let root = root.canonicalize().unwrap();
    let threads = arguments.next().map_or(2, |n| n.parse().unwrap());
    let cache = std::env::temp_dir().join(format!("aictx-index-speed-{}", std::process::id()));
    if let Some(rounds) = rounds {
        return in_turns(&root, threads, rounds);
    }
    let options = Options {
        threads,
        background: false,
        ..Options::default()
    };
    let started = Instant::now();
    let listing = discover::list(&root, None, &options.discover, &GO_ON);
    match part.as_deref() {
        Some("--cold") => {
            let indexer = Indexer::open(&root, None, None, options);
            let (started, before) = (Instant::now(), processor());
            indexer.reconcile(&GO_ON);
            let (took, busy) = (started.elapsed(), processor() - before);
            println!("0 {} {}", took.as_nanos(), busy.as_nanos());
            return;
        }
        Some(which) => {
            if which == "--bare-ours" {
                aictx_repomap::parse::allocator::install_allocator();
            }
            let before = processor();
            let (bytes, took) = bare_parse(&root, &listing, threads);
            let busy = processor() - before;
            println!("{bytes} {} {}", took.as_nanos(), busy.as_nanos());
            return;
        }
        None => {}
    }
    println!(
        "list            {:>9.1?}  {} files",
        started.elapsed(),
        listing.files.len()
    );

    // Before and after, so that neither is favoured by what the other left in the caches.
    let (bytes, first, busy_first) = in_a_process_of_its_own(PARTS[0], &root, threads);
    let open = || {
        let cache = Cache::new(cache.clone(), "speed");
        Indexer::open(&root, None, Some(cache), options)
    };
    let indexer = open();
    let (started, before) = (Instant::now(), processor());
    let report = indexer.reconcile(&GO_ON);
    let (cold, busy_cold) = (started.elapsed(), processor() - before);
    let (_, second, busy_second) = in_a_process_of_its_own(PARTS[0], &root, threads);
    let bare = (first + second) / 2;
    let mb = bytes as f64 / 1e6;
    println!(
        "bare parse      {bare:>9.1?}  {:.1} MB/s, {mb:.0} MB",
        mb / bare.as_secs_f64()
    );
    println!(
        "cold index      {cold:>9.1?}  {:.2} x the bare parse; {} files, {} parsed",
        cold.as_secs_f64() / bare.as_secs_f64(),
        report.files,
        report.parsed
    );
    let busy = (busy_first + busy_second) / 2;
    println!(
        "processor time  {busy_cold:>9.1?}  {:.2} x the bare parse's {busy:.1?}",
        busy_cold.as_secs_f64() / busy.as_secs_f64()
    );
    let tree = indexer.tree();
    let symbols = u64::from(tree.symbols().max(1));
    let (heap, all) = tree.bytes();
    println!(
        "symbols         {symbols:>9}  {} bytes each in all, {} of it on the heap; {} segments",
        all / symbols,
        heap / symbols,
        tree.segments().len()
    );
    for (name, bytes) in tree.sections() {
        println!("  {name:<14}{bytes:>11}  {} a symbol", bytes / symbols);
    }
    for what in ["reconcile", "once more"] {
        time(what, || {
            indexer.reconcile(&GO_ON);
        });
    }
    time("save", || indexer.save().unwrap());
    queries(&indexer);
    one_file(&indexer, &root);
    drop((indexer, tree));
    for _ in 0..3 {
        time("warm open", || {
            std::hint::black_box(open().tree().files());
        });
    }
    println!("resident        {:>9} MiB", resident() >> 20);
    let _ = std::fs::remove_dir_all(&cache);
}

fn time(what: &str, work: impl FnOnce()) {
    let started = Instant::now();
    work();
    println!("{what:<15} {:>9.1?}", started.elapsed());
}

/// Parts measured in a process of their own: the bare parse with the system's allocator, as anybody
/// would run it; the same with the allocator that the index gives to tree-sitter; the index.
const PARTS: [&str; 3] = ["--bare", "--bare-ours", "--cold"];

fn in_turns(root: &Path, threads: usize, rounds: usize) {
    let mut times: [Vec<(Duration, Duration)>; PARTS.len()] = Default::default();
    for round in 0..rounds {
        print!("round {round:<9}");
        for (part, times) in PARTS.iter().zip(&mut times) {
            let (_, wall, busy) = in_a_process_of_its_own(part, root, threads);
            print!(" {part} {wall:.2?} / {busy:.2?}");
            times.push((wall, busy));
        }
        println!();
    }
    for (what, of) in [
        ("wall", (|it| it.0) as fn(&(Duration, Duration)) -> Duration),
        ("processor", |it| it.1),
    ] {
        let of = |part: usize| times[part].iter().map(of).map(|it| it.as_secs_f64());
        for (bare, name) in PARTS.iter().enumerate().take(2) {
            let mut ratios: Vec<_> = of(2).zip(of(bare)).map(|(a, b)| a / b).collect();
            ratios.sort_by(f64::total_cmp);
            let best = |part: usize| of(part).fold(f64::MAX, f64::min);
            println!(
                "{what}: the index / {}: {:.3} of the best, {:.3} in the middle, {:.3}-{:.3}",
                name,
                best(2) / best(bare),
                ratios[ratios.len() / 2],
                ratios[0],
                ratios[ratios.len() - 1],
            );
        }
    }
}

fn in_a_process_of_its_own(part: &str, root: &Path, threads: usize) -> (u64, Duration, Duration) {
    let mut program = std::process::Command::new(std::env::current_exe().unwrap());
    let output = program.arg(part).arg(root).arg(threads.to_string());
    let text = String::from_utf8(output.output().unwrap().stdout).unwrap();
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    let time = Duration::from_nanos;
    (numbers[0], time(numbers[1]), time(numbers[2]))
}

/// Parses every file that has a grammar and keeps nothing.
fn bare_parse(root: &Path, listing: &discover::Listing, threads: usize) -> (u64, Duration) {
    use std::os::unix::ffi::OsStrExt;
    let next = AtomicUsize::new(0);
    let bytes = AtomicU64::new(0);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut parser = tree_sitter::Parser::new();
                while let Some(file) = listing.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let path = std::ffi::OsStr::from_bytes(&file.path);
                    let Ok(source) = std::fs::read(root.join(path)) else {
                        continue;
                    };
                    if source.len() > 1 << 20 {
                        continue;
                    }
                    let head = &source[..source.len().min(4096)];
                    let language = Language::of(&path.to_string_lossy(), head);
                    let Some(grammar) = language.and_then(Language::grammar) else {
                        continue;
                    };
                    parser.set_language(&grammar).unwrap();
                    std::hint::black_box(parser.parse(&source, None));
                    bytes.fetch_add(source.len() as u64, Ordering::Relaxed);
                }
            });
        }
    });
    (bytes.into_inner(), started.elapsed())
}

/// Questions made of the tree's own names, so that they have answers.
fn queries(indexer: &Indexer) {
    let tree = indexer.tree();
    let history = aictx_repomap::history::History::new(&[]);
    let past = Past::new(&*tree, &history);
    let mut times = Vec::new();
    let mut fuzzy = Vec::new();
    let step = (tree.files() / 300).max(1);
    for file in (0..tree.files()).step_by(step as usize) {
        let count = tree.symbol_count(FileId(file));
        let words: Vec<_> = (0..count.min(4))
            .filter_map(|n| tree.symbol(FileId(file), n * count / 5))
            .map(|s| s.name.replace('_', " "))
            .collect();
        let text = format!("fix {} when the error is returned", words.join(" and "));
        let query = Query {
            text: &text,
            active: &[],
            limit: 10,
        };
        let started = Instant::now();
        std::hint::black_box(rank_with(
            &*tree,
            &history,
            &past,
            &query,
            &Weights::default(),
        ));
        times.push(started.elapsed());
        if let Some(word) = words.first() {
            let started = Instant::now();
            let pattern: String = word.chars().step_by(2).collect();
            std::hint::black_box(find_symbols(&tree, &pattern, 20));
            fuzzy.push(started.elapsed());
        }
    }
    for (what, mut times) in [("query", times), ("fuzzy symbol", fuzzy)] {
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!("{what:<15} p50 {:.2?}, p99 {:.2?}", at(0.5), at(0.99));
    }
}

/// A file is saved again and again: from the report to the answer, and until all is done that follows
/// from it.
fn one_file(indexer: &Indexer, root: &Path) {
    let name = "aictx_index_speed_probe.c";
    let path = root.join(name);
    let mut times = Vec::new();
    for round in 0..9 {
        std::fs::write(
            &path,
            format!("int probe_{round}(void) {{ return {round}; }}\n"),
        )
        .unwrap();
        let wanted = format!("probe_{round}");
        let started = Instant::now();
        let (found, done) = std::thread::scope(|scope| {
            let found = scope.spawn(|| {
                while !is_defined(indexer, &wanted) {
                    std::thread::yield_now();
                }
                started.elapsed()
            });
            indexer.changed(&[name.as_bytes().to_vec()], &GO_ON);
            let done = started.elapsed();
            (found.join().unwrap(), done)
        });
        times.push((found, done));
    }
    let started = Instant::now();
    std::fs::remove_file(&path).unwrap();
    indexer.changed(&[name.as_bytes().to_vec()], &GO_ON);
    let gone = started.elapsed();
    for (what, (found, done)) in [("a new path", times[0]), ("a known path", times[4])] {
        println!("one saved file  {what}: found after {found:.1?}, all done after {done:.1?}");
    }
    println!("one deleted file {gone:>8.1?}");
}

fn is_defined(indexer: &Indexer, name: &str) -> bool {
    let mut found = false;
    indexer.tree().symbols_named(name, &mut |_, _| {
        found = true;
        ControlFlow::Break(())
    });
    found
}

/// Processor time of this process so far: what neighbours on the machine do not change much.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
