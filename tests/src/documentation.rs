//! Examples of the documentation, run as a reader would run them.

use std::fs;
use std::path::Path;

use crate::{TestEnv, program};

/// Runs the commands of the first `console` block of a document in `docs/`, and compares all that they print with it.
/// Ids, times and durations are random; they stand as `…` in the document.
pub fn assert_example(env: &TestEnv, repository: &Path, document: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(document);
    let text = fs::read_to_string(path).unwrap();
    let (_, example) = text.split_once("```console\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let programs = program("aictx")
        .parent()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let mut printed = String::new();
    for command in example.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let mut shell = env.command("sh");
        shell
            .args(["-c", command])
            .current_dir(repository)
            .env("PATH", &path);
        let run = env.with_input(&mut shell, b"");
        printed.push_str(&format!("$ {command}\n"));
        for line in format!("{}{}", run.stderr, run.stdout).lines() {
            printed.push_str(&shown(line, repository));
            printed.push('\n');
        }
    }
    assert!(printed.matches("$ ").count() > 5);
    assert!(printed == example, "printed now:\n{printed}");
}

/// A line without what differs between two runs.
fn shown(line: &str, repository: &Path) -> String {
    let line = line.replace(&*repository.to_string_lossy(), "~/demo");
    let is_id = |word: &str| word.len() >= 12 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let is_time = |word: &str| {
        let part = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        word.split(':').count() == 3 && word.split(':').all(part)
    };
    let word = |word: &str| match word {
        word if is_time(word) => "…".to_owned(),
        word => {
            let parts = word
                .split('_')
                .map(|part| if is_id(part) { "…" } else { part });
            parts.collect::<Vec<_>>().join("_")
        }
    };
    let words: Vec<String> = line.split(' ').map(word).collect();
    let mut shown = words.join(" ");
    for seconds in 0..60 {
        shown = shown.replace(&format!(", {seconds} s"), ", … s");
    }
    shown
}
