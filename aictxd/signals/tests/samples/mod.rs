//! Samples of tool output, and the differences between expected and recognised events.

#![allow(clippy::disallowed_methods)]
// Helpers of tests may fail the test; not every test file uses all of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, dead_code)]

use aictx_proto::event::ErrorEvent;
use aictx_signals::{Run, events};
use serde_json::Value;

/// Directory in which the corpora ran.
pub(crate) const ROOT: &str = "/home/dev/app";

/// One output with what is right about it.
pub(crate) struct Sample {
    /// Name of the file.
    pub(crate) file: String,
    /// Command line.
    pub(crate) command: String,
    /// Exit status.
    pub(crate) exit: i32,
    /// Expected events.
    pub(crate) expected: Vec<Value>,
    /// The output.
    pub(crate) bytes: Vec<u8>,
}

/// The samples below a directory of `tests`.
pub(crate) fn samples(name: &str) -> Vec<Sample> {
    let dir = format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(format!("{dir}/index.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let file = row["file"].as_str().unwrap().to_owned();
            Sample {
                bytes: std::fs::read(format!("{dir}/{file}")).unwrap(),
                command: row["command"].as_str().unwrap().to_owned(),
                exit: i32::try_from(row["exit_code"].as_i64().unwrap()).unwrap(),
                expected: row["expected_events"].as_array().unwrap().clone(),
                file,
            }
        })
        .collect()
}

/// The run of a sample.
pub(crate) fn run(sample: &Sample, exit: Option<i32>) -> Run<'_> {
    Run {
        command: &sample.command,
        exit_status: exit,
        stdout: &sample.bytes,
        stderr: b"",
        root: ROOT,
        cwd: ROOT,
    }
}

/// Secrets are replaced where events are stored, so the expectation is compared before that.
fn unredacted(message: &str) -> String {
    message
        .replace("[redacted:credential]@", "sync:hunter2@")
        .replace(
            "[redacted:token]",
            "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
        )
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn field(want: &Value, name: &str) -> String {
    match want.get(name) {
        Some(Value::String(text)) => unredacted(text),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Returns true if both mean the same complaint: the message, or the place and the code.
fn same(want: &Value, got: &ErrorEvent) -> bool {
    let message = words(&field(want, "message")) == words(&got.message);
    let place = !got.file.is_empty()
        && field(want, "file") == got.file
        && field(want, "line") == got.line
        && field(want, "code") == got.code
        && field(want, "test") == got.test;
    message || place
}

/// Compares the events of samples with the expected ones: a line for each difference.
pub(crate) fn differences(samples: &[Sample]) -> Vec<String> {
    samples.iter().flat_map(differences_of).collect()
}

fn differences_of(sample: &Sample) -> Vec<String> {
    let mut extra = events(&run(sample, Some(sample.exit)));
    let mut out = Vec::new();
    for want in &sample.expected {
        match extra.iter().position(|got| same(want, got)) {
            Some(at) => {
                let wrong = wrong_fields(want, &extra.remove(at));
                out.extend(wrong.map(|wrong| format!("{}: {wrong}", sample.file)));
            }
            None => out.push(format!("{}: missing {want}", sample.file)),
        }
    }
    let line = |event: &ErrorEvent| format!("{}: extra {}", sample.file, event.render());
    out.extend(extra.iter().map(line));
    out
}

/// Fields of an event that are expected otherwise; a field that is not stated may be anything.
fn wrong_fields(want: &Value, got: &ErrorEvent) -> Option<String> {
    let count = got.count.max(1).to_string();
    let fields = [
        ("toolchain", &got.toolchain),
        ("phase", &got.phase),
        ("severity", &got.severity),
        ("message", &got.message),
        ("code", &got.code),
        ("file", &got.file),
        ("line", &got.line),
        ("test", &got.test),
        ("tool", &got.tool),
        ("role", &got.role),
        ("package", &got.package),
        ("count", &count),
    ];
    let wrong = fields.into_iter().filter_map(|(name, value)| {
        want.get(name)?;
        let expected = field(want, name);
        let is_same = words(&expected) == words(value);
        (!is_same).then(|| format!("{name} is {value:?}, not {expected:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| format!("{}: {}", got.message, wrong.join(", ")))
}
