//! Trains the model that helps `steer` (`src/classifier.rs`) from the labelled messages in
//! `model/messages/`: a line there is all it takes to teach it something. Takes about a second.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use aictx_steer_model::{messages, train};

#[expect(clippy::disallowed_methods, reason = "writes what the build makes")]
fn main() -> Result<(), Box<dyn Error>> {
    let labelled = Path::new("model/messages");
    println!("cargo::rerun-if-changed={}", labelled.display());
    let files = messages::all(labelled)?;
    let examples = files.iter().flat_map(|(_, messages)| messages);
    let model = train::train(examples.map(|m| (m.class, m.text.as_str())));
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("steer.model"),
        bytes(&model),
    )?;
    Ok(())
}

/// The model as the daemon reads it: for each bucket one signed byte a class, then as `f32` in
/// little endian what one of these is worth, and what each class starts from.
fn bytes(model: &train::Weights) -> Vec<u8> {
    let weights = model.of.iter().flatten();
    let most = (weights.clone()).fold(f32::MIN_POSITIVE, |most, w| most.max(w.abs()));
    let unit = most / f32::from(i8::MAX);
    let mut bytes: Vec<u8> = weights
        .map(|weight| ((weight / unit).round() as i8).cast_unsigned())
        .collect();
    for value in [unit].iter().chain(&model.bias) {
        bytes.extend(value.to_le_bytes());
    }
    bytes
}
