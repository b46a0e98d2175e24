//! Counters and latency histograms; bounded whatever happens.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use aictx_proto::methods::MethodStats;

/// Different names kept; the rest is counted under `other`. Names of hook events come from outside.
const MAX_NAMES: usize = 64;
/// Four buckets for each power of two up to 2^30 microseconds (18 minutes).
const BUCKETS: usize = 31 * 4;

/// Everything counted since start.
#[derive(Debug, Default)]
pub struct Stats {
    methods: Mutex<HashMap<String, Histogram>>,
}

#[derive(Debug)]
struct Histogram {
    calls: u64,
    errors: u64,
    buckets: Box<[u32; BUCKETS]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            calls: 0,
            errors: 0,
            buckets: Box::new([0; BUCKETS]),
        }
    }
}

/// Bucket of a duration: exponent and the two bits below it.
fn bucket(us: u64) -> usize {
    let us = us.max(4);
    let exponent = us.ilog2() as usize;
    let quarter = ((us >> (exponent - 2)) & 3) as usize;
    (exponent * 4 + quarter).min(BUCKETS - 1)
}

/// Upper bound of a bucket in microseconds.
fn upper_bound(bucket: usize) -> u64 {
    let (exponent, quarter) = (bucket / 4, bucket % 4);
    if exponent < 2 {
        return 4;
    }
    (((4 + quarter + 1) as u64) << (exponent - 2)) - 1
}

impl Histogram {
    fn quantile(&self, q: f64) -> u64 {
        let wanted = ((self.calls as f64) * q).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted && seen > 0 {
                return upper_bound(index);
            }
        }
        0
    }
}

impl Stats {
    /// Notes one call.
    pub fn record(&self, name: &str, took: Duration, failed: bool) {
        let Ok(mut methods) = self.methods.lock() else {
            return;
        };
        let name = if methods.contains_key(name) || methods.len() < MAX_NAMES {
            name
        } else {
            "other"
        };
        if !methods.contains_key(name) {
            methods.insert(name.to_owned(), Histogram::default());
        }
        if let Some(histogram) = methods.get_mut(name) {
            histogram.calls += 1;
            histogram.errors += u64::from(failed);
            let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            if let Some(count) = histogram.buckets.get_mut(bucket(us)) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// All methods, most called first.
    pub fn methods(&self) -> Vec<MethodStats> {
        let Ok(methods) = self.methods.lock() else {
            return Vec::new();
        };
        let mut list: Vec<MethodStats> = methods
            .iter()
            .map(|(name, h)| MethodStats {
                method: name.clone(),
                calls: h.calls,
                errors: h.errors,
                p50_us: h.quantile(0.5),
                p99_us: h.quantile(0.99),
            })
            .collect();
        list.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.method.cmp(&b.method)));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_hold(us in 0u64..1_000_000_000) {
            let bound = upper_bound(bucket(us));
            prop_assert!(us <= bound);
            prop_assert!(us < 4 || bound <= us + us / 4 + 1, "{us} in a bucket up to {bound}");
        }
    }

    #[test]
    fn quantiles() {
        let stats = Stats::default();
        for us in 1..=100 {
            stats.record("x", Duration::from_micros(us), us == 1);
        }
        let x = stats.methods().remove(0);
        assert_eq!((x.calls, x.errors), (100, 1));
        assert!((50..=56).contains(&x.p50_us), "{}", x.p50_us);
        assert!((99..=112).contains(&x.p99_us), "{}", x.p99_us);
        for i in 0..200 {
            stats.record(&i.to_string(), Duration::ZERO, false);
        }
        assert!(stats.methods().len() <= MAX_NAMES + 1);
    }
}
