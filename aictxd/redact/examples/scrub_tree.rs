//! Scrubs every file below the given directories, prints what was replaced where and how fast it
//! went: for looking at false alarms. `--quiet` prints the totals only.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, reason = "a tool for people")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aictx_redact::{Report, scrub_text};

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        out.push(dir.to_owned());
        return;
    };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(t) if t.is_dir() => files(&entry.path(), out),
            Ok(t) if t.is_file() => out.push(entry.path()),
            _ => {}
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quiet = args.iter().any(|a| a == "--quiet");
    let mut all = Vec::new();
    for dir in args.iter().filter(|a| !a.starts_with("--")) {
        files(Path::new(dir), &mut all);
    }
    let start = Instant::now();
    let _ = scrub_text("token", &mut Report::default());
    println!("tables: {:?}", start.elapsed());
    let (mut bytes, mut time, mut rules) = (0_usize, Duration::ZERO, BTreeMap::<&str, u64>::new());
    let mut clean_bytes = 0_usize;
    for file in all {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let mut report = Report::default();
        let start = Instant::now();
        let clean = scrub_text(&text, &mut report);
        time += start.elapsed();
        bytes += text.len();
        if report.is_empty() {
            clean_bytes += text.len();
            continue;
        }
        for finding in &report.findings {
            *rules.entry(finding.rule).or_default() += 1;
        }
        if !quiet {
            let old: std::collections::HashSet<&str> = text.lines().collect();
            for line in clean
                .lines()
                .filter(|l| l.contains("[redacted:") && !old.contains(l))
            {
                let was = text.lines().find(|o| {
                    let head = line.split("[redacted:").next().unwrap_or("");
                    !head.trim().is_empty() && o.starts_with(head)
                });
                let cut = |s: &str| s.trim().chars().take(160).collect::<String>();
                println!(
                    "{}\n   {}\n   {}",
                    file.display(),
                    cut(was.unwrap_or("?")),
                    cut(line)
                );
            }
        }
    }
    let rate = bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{bytes} bytes ({clean_bytes} in clean files), {time:?}, {rate:.0} MB/s");
    for (rule, n) in rules {
        println!("{n:6} {rule}");
    }
    let line = format!(
        "{} cargo test --workspace --no-fail-fast -- --nocapture; ",
        "cd /srv/app && RUST_LOG=debug"
    )
    .repeat(12);
    let start = Instant::now();
    for _ in 0..10_000 {
        std::hint::black_box(scrub_text(
            std::hint::black_box(&line),
            &mut Report::default(),
        ));
    }
    println!(
        "{} byte clean line: {:?}",
        line.len(),
        start.elapsed() / 10_000
    );
    let dirty = format!(
        "{} mysql -u root -phunter2 --token=abc12345xyz https://u:p@h/x password: hunter2 ",
        &line[..line.len() - 90]
    );
    let start = Instant::now();
    for _ in 0..10_000 {
        std::hint::black_box(scrub_text(
            std::hint::black_box(&dirty),
            &mut Report::default(),
        ));
    }
    println!(
        "{} byte line with secrets: {:?}",
        dirty.len(),
        start.elapsed() / 10_000
    );
}
