//! What calls took, and the table that shows it.

use std::collections::BTreeMap;
use std::time::Duration;

/// What calls took, by kind.
#[derive(Default)]
pub(crate) struct Times(BTreeMap<&'static str, Vec<Duration>>);

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
    pub(crate) fn add(&mut self, name: &'static str, took: Duration) {
        self.0.entry(name).or_default().push(took);
    }

    /// A part of them took at most so many milliseconds.
    pub(crate) fn ms(&self, name: &str, q: f64) -> f64 {
        let mut times = self.0[name].clone();
        times.sort_unstable();
        times[((times.len() - 1) as f64 * q).round() as usize].as_secs_f64() * 1e3
    }

    /// A line of the table.
    pub(crate) fn line(&self, name: &str, read_ns: f64) {
        let m = |method| format!("{:.2} / {:.2}", self.ms(method, 0.5), self.ms(method, 0.99));
        let us = |method| {
            let at = |q| self.ms(method, q) * 1e3;
            format!("{:.0} / {:.0}", at(0.5), at(0.99))
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {read_ns:.0} |",
            m("resume"),
            m("finalize"),
            us("guard"),
            us("guard of a command"),
            us("guard of any length"),
            us("guard of 4 KB"),
        );
    }
}
