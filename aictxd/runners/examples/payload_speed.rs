//! Benchmark of reading and answering a call that is about to run, by agent. Run it with
//! `--release`; it prints and judges nothing.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use aictx_runners::registry::AGENTS;
use aictx_runners::{Answer, Decision, Moment};

/// Rounds of one measurement; the best of ten is printed.
const ROUNDS: u32 = 20_000;

fn best(mut what: impl FnMut()) -> u128 {
    let mut fastest = u128::MAX;
    for _ in 0..10 {
        let begun = Instant::now();
        for _ in 0..ROUNDS {
            what();
        }
        fastest = fastest.min(begun.elapsed().as_nanos() / u128::from(ROUNDS));
    }
    fastest
}

fn main() {
    println!("agent      bytes  read ns  refuse ns");
    let deny = Answer {
        context: String::new(),
        decision: Decision::Deny("it would discard what is not committed".into()),
    };
    for agent in AGENTS {
        let path = format!(
            "{}/tests/fixtures/{}.jsonl",
            env!("CARGO_MANIFEST_DIR"),
            agent.name()
        );
        let text = fs::read_to_string(path).unwrap();
        let payload = text.lines().find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let payload = line["payload"].to_string();
            let name = line["event"].as_str().map(str::to_owned);
            let event = agent.parse(&payload, name.as_deref()).unwrap();
            let name = event.name.clone().into_owned();
            matches!(event.moment, Moment::ToolIntent(_)).then_some((payload.clone(), name))
        });
        let (payload, name) = payload.unwrap();
        let read = best(|| {
            black_box(agent.parse(black_box(&payload), Some(&name)).unwrap());
        });
        let refuse = best(|| {
            black_box(agent.render(black_box(&name), black_box(&deny)).unwrap());
        });
        println!(
            "{:<10} {:>5} {read:>8} {refuse:>10}",
            agent.name(),
            payload.len()
        );
    }
}
