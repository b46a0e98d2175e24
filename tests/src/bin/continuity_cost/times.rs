//! Times of calls, and their table.

use std::collections::BTreeMap;
use std::time::Duration;

/// A probe that took at most so much longer than the best ones had the core to itself.
const ALONE: f64 = 1.15;

/// Time of a call, and the longer of the probes before and behind it, where there were any.
#[derive(Clone, Copy)]
struct Call {
    took: Duration,
    probe: Option<Duration>,
}

/// Times of calls, by kind.
#[derive(Default)]
pub(crate) struct Times(BTreeMap<&'static str, Vec<Call>>);

impl Times {
    /// The head of the table.
    pub(crate) fn head() {
        println!(
            "| executions | resume p50 / p99, ms | finalize p50 / p99, ms | guard of an edit right after a \
             resume, µs | guards in a row, µs | of 60 bytes to 4 KB, µs | of 4 KB, µs | a random read, ns |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    }

    /// Adds one.
    pub(crate) fn add(&mut self, name: &'static str, took: Duration, probe: Option<Duration>) {
        self.0.entry(name).or_default().push(Call { took, probe });
    }

    /// A part of them took at most so many milliseconds; nothing of none.
    pub(crate) fn ms(&self, name: &str, q: f64) -> f64 {
        let mut times: Vec<Duration> = self.calls(name).map(|call| call.took).collect();
        times.sort_unstable();
        let at = (times.len().saturating_sub(1) as f64 * q).round() as usize;
        times
            .get(at)
            .map_or(f64::NAN, |took| took.as_secs_f64() * 1e3)
    }

    fn calls(&self, name: &str) -> impl Iterator<Item = &Call> {
        self.0.get(name).into_iter().flatten()
    }

    /// Those calls that had the core to themselves, where a probe takes `best` then, and their share.
    pub(crate) fn alone(&self, best: Duration) -> (Self, f64) {
        let alone = |call: &&Call| call.probe.is_some_and(|p| p <= best.mul_f64(ALONE));
        let alone = |calls: &Vec<Call>| calls.iter().filter(alone).copied().collect();
        let all = self.0.iter();
        let of_those = Self(all.map(|(name, calls)| (*name, alone(calls))).collect());
        let count = |times: &Self| times.0.values().map(Vec::len).sum::<usize>() as f64;
        let share = count(&of_those) / count(self);
        (of_those, share)
    }

    /// A line of the table; kinds without a call are left out.
    pub(crate) fn line(&self, name: &str, read_ns: Option<f64>) {
        let cell = |method, scale: f64, digits: usize| match self.calls(method).count() {
            0 => "–".to_owned(),
            _ => {
                let at = |q| self.ms(method, q) * scale;
                format!("{:.digits$} / {:.digits$}", at(0.5), at(0.99))
            }
        };
        let cells = [
            cell("resume", 1.0, 2),
            cell("finalize", 1.0, 2),
            cell("guard", 1e3, 0),
            cell("guard of a command", 1e3, 0),
            cell("guard of any length", 1e3, 0),
            cell("guard of 4 KB", 1e3, 0),
        ];
        let read = read_ns.map_or_else(|| "–".to_owned(), |ns| format!("{ns:.0}"));
        println!("| {name} | {} | {read} |", cells.join(" | "));
    }
}
