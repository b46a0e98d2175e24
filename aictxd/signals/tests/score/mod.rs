//! Scoring of recognised events against expected ones, for the corpora.

#![allow(clippy::disallowed_methods)]
// Helpers of tests may fail the test; not every test file uses all of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

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

/// Counts of one family.
#[derive(Default, Clone)]
pub(crate) struct Score {
    /// Expected events.
    pub(crate) want: usize,
    /// Events given.
    pub(crate) got: usize,
    /// Pairs found.
    pub(crate) hit: usize,
    /// Pairs in which everything stated is right.
    pub(crate) exact: usize,
    /// Expected and right places among the pairs.
    pub(crate) place: (usize, usize),
    /// Right toolchain, phase, severity, code among the pairs.
    pub(crate) toolchain: usize,
    /// See `toolchain`.
    pub(crate) phase: usize,
    /// See `toolchain`.
    pub(crate) severity: usize,
    /// See `toolchain`.
    pub(crate) code: usize,
    /// Events on benign runs.
    pub(crate) benign: usize,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.want += other.want;
        self.got += other.got;
        self.hit += other.hit;
        self.exact += other.exact;
        self.place.0 += other.place.0;
        self.place.1 += other.place.1;
        self.toolchain += other.toolchain;
        self.phase += other.phase;
        self.severity += other.severity;
        self.code += other.code;
        self.benign += other.benign;
    }
}

/// A part of a whole, 1 when there is nothing.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn part(some: usize, all: usize) -> f64 {
    if all == 0 {
        1.0
    } else {
        some as f64 / all as f64
    }
}

/// Scores one sample; differences go to `report`.
fn score(sample: &Sample, report: &mut String) -> Score {
    let got = events(&run(sample, Some(sample.exit)));
    let mut out = Score {
        want: sample.expected.len(),
        got: got.len(),
        ..Score::default()
    };
    if sample.expected.is_empty() {
        out.benign = got.len();
    }
    let mut used = vec![false; got.len()];
    for want in &sample.expected {
        let found = (0..got.len()).find(|at| !used[*at] && same(want, &got[*at]));
        let Some(at) = found else {
            let _ = writeln!(report, "{}: missing {want}", sample.file);
            continue;
        };
        used[at] = true;
        let event = &got[at];
        out.hit += 1;
        let mut wrong = String::new();
        let mut right = |name: &str, value: &str| {
            let stated = want.get(name).is_some();
            let expected = field(want, name);
            let good = words(&expected) == words(value);
            if stated && !good {
                let _ = write!(wrong, " {name}: want {expected:?}, got {value:?};");
            }
            good || !stated
        };
        out.toolchain += usize::from(right("toolchain", &event.toolchain));
        out.phase += usize::from(right("phase", &event.phase));
        out.severity += usize::from(right("severity", &event.severity));
        let code = right("code", &event.code);
        out.code += usize::from(code);
        if !field(want, "file").is_empty() {
            out.place.0 += 1;
            let file = right("file", &event.file);
            let line = right("line", &event.line);
            out.place.1 += usize::from(file && line);
        } else {
            right("file", &event.file);
        }
        for (name, value) in [
            ("message", &event.message),
            ("test", &event.test),
            ("tool", &event.tool),
            ("role", &event.role),
        ] {
            right(name, value);
        }
        if want.get("package").is_some() {
            right("package", &event.package);
        }
        if want.get("count").is_some() {
            right("count", &event.count.max(1).to_string());
        }
        if wrong.is_empty() {
            out.exact += 1;
        } else {
            let _ = writeln!(report, "{}:{wrong}", sample.file);
        }
    }
    for (at, event) in got.iter().enumerate() {
        if !used[at] {
            let _ = writeln!(
                report,
                "{}: extra {} [{}]",
                sample.file,
                event.render(),
                event.test
            );
        }
    }
    out
}

/// Scores samples by family; prints the table and the differences, gives the total.
pub(crate) fn table(samples: &[Sample]) -> Score {
    let mut families: BTreeMap<String, Score> = BTreeMap::new();
    let mut report = String::new();
    let mut total = Score::default();
    for sample in samples {
        let one = score(sample, &mut report);
        let family = sample
            .expected
            .first()
            .map_or("(benign)".to_owned(), |event| {
                let tool = field(event, "tool");
                let toolchain = field(event, "toolchain");
                if tool.is_empty() {
                    toolchain
                } else {
                    format!("{toolchain}/{tool}")
                }
            });
        families.entry(family).or_default().add(&one);
        total.add(&one);
    }
    println!("{report}");
    println!(
        "{:<28} want  got  hit exact  recall precision place toolch phase sever  code",
        "family"
    );
    for (name, one) in families
        .iter()
        .map(|(name, one)| (name.as_str(), one))
        .chain([("TOTAL", &total)])
    {
        println!(
            "{name:<28} {:>4} {:>4} {:>4} {:>5}   {:.3}     {:.3} {:.3}  {:.3} {:.3} {:.3} {:.3}",
            one.want,
            one.got,
            one.hit,
            one.exact,
            part(one.hit, one.want),
            part(one.hit, one.got),
            part(one.place.1, one.place.0),
            part(one.toolchain, one.hit),
            part(one.phase, one.hit),
            part(one.severity, one.hit),
            part(one.code, one.hit),
        );
    }
    total
}
