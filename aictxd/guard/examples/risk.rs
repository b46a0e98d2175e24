//! Prints what is said about the commands given as arguments: `cargo run --example risk -- 'rm -rf x'`,
//! or about those of a file with a `label` and a `command` a line that have another label:
//! `cargo run --example risk -- --set set.jsonl`.

#![allow(clippy::disallowed_methods)]

use aictx_guard::{NoFacts, Place, command_risk};

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    while let Some(command) = arguments.next() {
        if command == "--set" {
            for file in arguments.by_ref() {
                disagreements(&std::fs::read_to_string(file)?);
            }
            break;
        }
        println!("{command}");
        println!("{:#?}", command_risk(&command, PLACE, &NoFacts));
        let script = aictx_shell::analyse(&command, aictx_shell::Dialect::Posix);
        for command in script.commands {
            println!("{:?} {:?}", command.name(), command.arguments());
        }
    }
    Ok(())
}

/// The commands of a set about which the judge says something else.
fn disagreements(set: &str) {
    for line in set.lines() {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else {
            println!("not a row: {line}");
            continue;
        };
        let text = |key| row.get(key).and_then(serde_json::Value::as_str);
        let (Some(label), Some(command)) = (text("label"), text("command")) else {
            println!("not a row: {line}");
            continue;
        };
        let risk = command_risk(command, PLACE, &NoFacts);
        let level = risk.level().as_str();
        if level != label {
            let verbs: Vec<&str> = risk
                .findings
                .iter()
                .map(|found| found.verb.as_str())
                .collect();
            println!("{label} -> {level}: {command:?} {verbs:?}");
        }
    }
}
