//! Evaluates the model behind `steer` on unseen messages: trained without
//! each file of `model/messages/` in turn and asked about that one.
//!
//! `cargo run --release -p aictx-steer --example blind [FILE…]`: with files, trained with all
//! of `model/messages/` and asked about those.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use aictx_steer_model::messages::{self, Message};
use aictx_steer_model::{features, train};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/messages");
    let known = messages::all(&dir)?;
    let asked: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if asked.is_empty() {
        for (file, set) in &known {
            let others = known.iter().filter(|(other, _)| other != file);
            report(file, set, others.flat_map(|(_, set)| set));
        }
    }
    for file in &asked {
        let set = messages::of(file)?;
        report(file, &set, known.iter().flat_map(|(_, set)| set));
    }
    Ok(())
}

/// Trains with `known` and prints how much of `set` is understood, by language.
fn report<'m>(file: &Path, set: &[Message], known: impl Iterator<Item = &'m Message>) {
    let weights = train::train(known.map(|m| (m.class, m.text.as_str())));
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for message in set {
        let probabilities = weights.probabilities(&features::features(&message.text));
        let guess = (0..probabilities.len()).max_by(|a, b| {
            let of = |at: &usize| probabilities.get(*at).copied().unwrap_or_default();
            of(a).total_cmp(&of(b))
        });
        for key in ["all", &message.language] {
            let (right, all) = counts.entry(key).or_default();
            *right += u32::from(guess == Some(message.class));
            *all += 1;
        }
    }
    print!("{}:", file.file_stem().unwrap_or_default().display());
    for (language, (right, all)) in counts {
        print!(" {language} {right}/{all}");
    }
    println!();
}
