//! Probe of the machine's present speed. A virtual one takes much longer in some hours than in others, and what
//! changes most is the way to memory: what is measured beside it can be told from what the hour does.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Words read in a ring: 64 MB, more than a processor keeps near it.
const WORDS: usize = 16 << 20;
/// Reads that are timed.
const READS: u32 = 400_000;

/// A ring through memory, in no order that could be foreseen.
pub(crate) struct Ring(Vec<u32>);

impl Ring {
    /// Lays out a ring (Sattolo's shuffle has one cycle).
    pub(crate) fn new(mut dice: impl FnMut(usize) -> usize) -> Self {
        let mut next: Vec<u32> = (0..WORDS as u32).collect();
        for last in (1..WORDS).rev() {
            next.swap(last, dice(last));
        }
        Self(next)
    }

    /// Returns the time of one dependent read, in nanoseconds.
    pub(crate) fn read_ns(&self) -> f64 {
        let began = Instant::now();
        let mut at = 0;
        for _ in 0..READS {
            at = self.0[at as usize];
        }
        black_box(at);
        began.elapsed().as_secs_f64() * 1e9 / f64::from(READS)
    }
}

/// Rounds of a probe: some 10 µs.
const PROBE: u64 = 4_000;

/// Keeps this program, and what it starts, on one processor: what a probe finds beside a call held for the call.
#[cfg(target_os = "linux")]
pub(crate) fn stay_on(processor: usize) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut only = CpuSet::new();
    only.set(processor);
    sched_setaffinity(None, &only).unwrap();
}

/// Other systems have no call for that.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stay_on(_: usize) {
    panic!("--processor is for Linux");
}

/// Times eight independent sums: up to twice as long while a neighbour uses the other half of the core,
/// which the system of a virtual machine neither sees nor tells. While other threads of this machine have their turn,
/// nothing is counted.
pub(crate) fn probe() -> Duration {
    let began = of_this_thread();
    let mut sums = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for round in 0..PROBE {
        for sum in &mut sums {
            *sum = black_box(sum.wrapping_mul(31).wrapping_add(round));
        }
    }
    black_box(sums);
    of_this_thread().saturating_sub(began)
}

fn of_this_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
