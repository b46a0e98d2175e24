//! `chaos`: the scenarios of `aictx_tests::chaos` for long, and a table of what they found.
//!
//! ```text
//! cargo run --release -p aictx-tests --bin chaos -- [--scale 10] [--soak-minutes 30] [--soak-sessions 5000] [--only NAME]
//! ```
//!
//! The programs are those of the same profile. Ends with 1 when a promise was broken.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use aictx_tests::chaos::limits::{Bad, How};
use aictx_tests::chaos::{Outcome, Size, floods, kills, limits, skew, soak};

struct Options {
    scale: usize,
    minutes: u64,
    sessions: usize,
    only: Option<String>,
}

fn options() -> Options {
    let mut options = Options {
        scale: 10,
        minutes: 30,
        sessions: 5_000,
        only: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().expect("a value");
        match name.as_str() {
            "--scale" => options.scale = value.parse().expect("a number"),
            "--soak-minutes" => options.minutes = value.parse().expect("a number"),
            "--soak-sessions" => options.sessions = value.parse().expect("a number"),
            "--only" => options.only = Some(value),
            _ => panic!("there is no {name}"),
        }
    }
    options
}

type Scenario<'o> = (String, Box<dyn Fn() -> Option<Outcome> + 'o>);

fn scenarios(options: &Options) -> Vec<Scenario<'_>> {
    let size = Size {
        agents: 6,
        events: 40 * options.scale,
        seed: 7,
    };
    let mut all: Vec<Scenario> = Vec::new();
    let mut add = |name: &str, run: Box<dyn Fn() -> Option<Outcome>>| {
        all.push((name.to_owned(), run));
    };
    add("daemon killed", Box::new(move || Some(kills::daemon(size))));
    add("daemon stopped", Box::new(move || Some(kills::stops(size))));
    add(
        "clients killed",
        Box::new(move || Some(kills::clients(size))),
    );
    add(
        "clients killed, no daemon",
        Box::new(move || Some(kills::clients_without_daemon(size))),
    );
    add(
        "few descriptors",
        Box::new(move || Some(limits::descriptors(size))),
    );
    // What waits has to fit into the spool.
    let few = Size {
        agents: 4,
        events: size.events.min(100),
        ..size
    };
    for how in [How::Full, How::ReadOnly] {
        for bad in [Bad::Repository, Bad::State, Bad::Both] {
            for with_daemon in [true, false] {
                let daemon = if with_daemon { "" } else { ", no daemon" };
                add(
                    &format!("disk {how:?} {bad:?}{daemon}").to_lowercase(),
                    Box::new(move || limits::disk(few, bad, how, with_daemon)),
                );
            }
        }
    }
    add(
        "idle connections",
        Box::new(move || Some(floods::idle_connections(size))),
    );
    add("half lines", Box::new(|| Some(floods::half_lines(100))));
    add("other protocol", Box::new(|| Some(skew::protocol())));
    add("newer format", Box::new(|| Some(skew::format())));
    add(
        "replaced program",
        Box::new(|| Some(skew::replaced_program())),
    );
    let soak_size = soak::Size {
        agents: 20,
        mixed: Duration::from_secs(60 * options.minutes),
        sessions: options.sessions,
    };
    add("soak", Box::new(move || Some(soak::soak(soak_size))));
    all
}

fn main() -> ExitCode {
    let options = options();
    println!("| scenario | harm | acknowledged | lost | twice | slowest hook | seconds | |");
    println!("|---|---:|---:|---:|---:|---:|---:|---|");
    let mut is_good = true;
    for (name, run) in scenarios(&options) {
        if options
            .only
            .as_ref()
            .is_some_and(|only| !name.contains(only))
        {
            continue;
        }
        let started = Instant::now();
        let Some(found) = run() else {
            println!("| {name} | | | | | | | not run: nothing can be mounted here |");
            continue;
        };
        let verdict = match found.is_good() {
            true => found.notes.clone(),
            false => format!("**broken**: {}", found.faults.join("; ")),
        };
        is_good &= found.is_good();
        println!(
            "| {name} | {} | {} | {} | {} | {} ms | {} | {verdict} |",
            found.harm,
            found.sent,
            found.lost,
            found.twice,
            found.slowest.as_millis(),
            started.elapsed().as_secs(),
        );
    }
    ExitCode::from(u8::from(!is_good))
}
