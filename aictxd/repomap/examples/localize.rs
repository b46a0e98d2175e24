//! Prints how well ranking finds the files of past tasks: `localize [--all] DIRECTORY …`.

#![allow(clippy::disallowed_methods)]

use std::process::Command;

use aictx_repomap::eval::{Options, Report, Scope, Scores, TreeFile, localize};
use aictx_repomap::index_view::memory::{MemoryFile, MemoryView};
use aictx_repomap::parse::{Limits, Parser};

fn build(files: Vec<TreeFile>) -> MemoryView {
    let mut parser = Parser::new();
    let limits = Limits::default();
    let read = |f: TreeFile| MemoryFile::read(&mut parser, f.path, f.bytes, &limits);
    MemoryView::new(files.into_iter().map(read).collect())
}

fn main() {
    let mut options = Options::default();
    let mut reports: Vec<Report> = Vec::new();
    for directory in std::env::args().skip(1) {
        if directory == "--all" {
            options.scope = Scope::All;
            continue;
        }
        let git = || {
            let mut command = Command::new("git");
            command.args(["-C", &directory, "-c", "core.fsmonitor=false"]);
            command
        };
        match localize(&git, &options, build, &mut |_, _| {}) {
            Ok(report) => {
                let Report {
                    files,
                    commits,
                    ours,
                    ..
                } = report;
                println!(
                    "{directory}: {files} files, {commits} commits, {} tasks",
                    ours.tasks
                );
                println!("{}", report.table());
                reports.push(report);
            }
            Err(error) => eprintln!("{directory}: {error}"),
        }
    }
    if let Some(first) = reports.first() {
        let mean = |of: fn(&Report) -> Scores| {
            Scores::macro_mean(&reports.iter().map(of).collect::<Vec<_>>())
        };
        let all = Report {
            ours: mean(|r| r.ours),
            bm25: mean(|r| r.bm25),
            paths: mean(|r| r.paths),
            ..first.clone()
        };
        println!("mean of {} repositories\n{}", reports.len(), all.table());
    }
}
