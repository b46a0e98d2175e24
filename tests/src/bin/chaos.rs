//! `chaos`: the scenarios of `aictx_tests::chaos` for long, and a table of what they found.
//!
//! ```text
//! cargo run --release -p aictx-tests --bin chaos -- [--scale 10] [--soak-minutes 30] [--soak-sessions 5000] [--only NAME]
//! cargo run --release -p aictx-tests --bin chaos -- --flows 3
//! ```
//!
//! The second form kills at each point of a turn of a flow, with so many seeds, and prints a table of points and
//! victims.
//!
//! The programs are those of the same profile. Ends with 1 when a promise was broken.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use aictx_tests::chaos::flows::{Damage, Point, Victim};
use aictx_tests::chaos::limits::{Bad, How};
use aictx_tests::chaos::{Outcome, Size, floods, flows, kills, limits, skew, soak};

struct Options {
    scale: usize,
    minutes: u64,
    sessions: usize,
    only: Option<String>,
    flow_seeds: Option<u64>,
}

fn options() -> Options {
    let mut options = Options {
        scale: 10,
        minutes: 30,
        sessions: 5_000,
        only: None,
        flow_seeds: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().expect("a value");
        match name.as_str() {
            "--scale" => options.scale = value.parse().expect("a number"),
            "--soak-minutes" => options.minutes = value.parse().expect("a number"),
            "--soak-sessions" => options.sessions = value.parse().expect("a number"),
            "--flows" => options.flow_seeds = Some(value.parse().expect("a number")),
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

/// What became of the flows of a cell of the table.
#[derive(Default)]
struct Cell {
    held: u64,
    runs: u64,
    broken: Vec<String>,
}

impl Cell {
    fn add(&mut self, seed: u64, run: impl FnOnce() -> Option<Outcome> + std::panic::UnwindSafe) {
        let found = std::panic::catch_unwind(run).unwrap_or_else(|_| {
            Some(Outcome {
                faults: vec!["the scenario failed".to_owned()],
                ..Outcome::default()
            })
        });
        let Some(found) = found else { return };
        self.runs += 1;
        self.held += u64::from(found.is_good());
        if !found.is_good() {
            let (lost, twice) = (found.lost, found.twice);
            self.broken.push(format!(
                "seed {seed}: {lost} lost, {twice} twice, {:?}",
                found.faults
            ));
        }
    }

    fn text(&self) -> String {
        match (self.runs, self.broken.is_empty()) {
            (0, _) => "–".to_owned(),
            (runs, true) => format!("{runs} of {runs}"),
            (runs, false) => format!("**{} of {runs}**", self.held),
        }
    }
}

/// The table of flows: runs that kept every promise, by point and victim.
fn flow_table(seeds: u64, only: Option<&str>) -> bool {
    let is_wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    let mut broken = Vec::new();
    let mut close = |name: &str, cell: &mut Cell| {
        broken.extend(cell.broken.drain(..).map(|line| format!("{name}, {line}")));
    };
    println!("| point | daemon | host | agent | all |");
    println!("|---|---:|---:|---:|---:|");
    for point in Point::ALL.into_iter().filter(|p| is_wanted(&p.to_string())) {
        let cells = Victim::ALL.map(|victim| {
            let mut cell = Cell::default();
            for seed in 1..=seeds {
                cell.add(seed, move || flows::kill(point, victim, seed));
            }
            let text = cell.text();
            close(&format!("{point}, {victim:?}"), &mut cell);
            text
        });
        println!("| {point} | {} |", cells.join(" | "));
    }
    println!("\n| damaged, or a second daemon | |\n|---|---:|");
    for damage in Damage::ALL
        .into_iter()
        .filter(|d| is_wanted(&d.to_string()))
    {
        let mut cell = Cell::default();
        for seed in 1..=seeds {
            cell.add(seed, move || Some(flows::damage(damage, seed)));
        }
        println!("| {damage} | {} |", cell.text());
        close(&damage.to_string(), &mut cell);
    }
    for point in [Point::Chosen, Point::Ended, Point::Settling] {
        let name = format!("second daemon, the first one at: {point}");
        if is_wanted(&name) {
            let mut cell = Cell::default();
            for seed in 1..=seeds {
                cell.add(seed, move || Some(flows::two_daemons(point, seed)));
            }
            println!("| {name} | {} |", cell.text());
            close(&name, &mut cell);
        }
    }
    for line in &broken {
        println!("\n{line}");
    }
    broken.is_empty()
}

fn main() -> ExitCode {
    let options = options();
    if let Some(seeds) = options.flow_seeds {
        let is_good = flow_table(seeds, options.only.as_deref());
        return ExitCode::from(u8::from(!is_good));
    }
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
