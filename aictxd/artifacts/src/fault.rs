//! Points at which a test may crash the process or make the system fail.
//!
//! Every mutation of the disk passes one point. With `AICTX_CRASH_AT=<n>` the process aborts at
//! the n-th point (counted from 1); with `AICTX_CRASH_TORN=1` a write at that point happens in
//! half before. In-process tests inject an error number at the n-th point of their thread.
//! Compiled into tests and development builds only (`debug_assertions`): whatever features a build
//! picks, a release has none of this.

/// The kinds of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Create a file.
    Create,
    /// Write bytes.
    Write,
    /// Make a file or directory durable.
    Sync,
    /// Rename.
    Rename,
    /// Remove a file.
    Unlink,
    /// Make a directory.
    Mkdir,
}

/// Injected fault at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The operation.
    Go,
    /// The process ends, for a write after half of it when `true`.
    #[cfg_attr(not(any(test, debug_assertions)), allow(dead_code))]
    Crash(bool),
    /// This error number, for a write after half of it when `true`.
    #[cfg_attr(not(any(test, debug_assertions)), allow(dead_code))]
    Fail(i32, bool),
}

#[cfg(not(any(test, debug_assertions)))]
#[inline(always)]
pub(crate) fn hit(_op: Op, _what: &str) -> Fate {
    Fate::Go
}

#[cfg(any(test, debug_assertions))]
pub(crate) use on::hit;
#[cfg(any(test, debug_assertions))]
pub use on::{Injection, points, with_injection};

#[cfg(any(test, debug_assertions))]
mod on {
    use super::{Fate, Op};
    use std::cell::RefCell;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static HITS: AtomicU64 = AtomicU64::new(0);
    static CRASH: OnceLock<Option<(u64, bool)>> = OnceLock::new();

    /// An error to inject into this thread.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Injection {
        /// At which point, counted from 1; 0 never (to record only).
        pub at: u64,
        /// Error number.
        pub errno: i32,
        /// True if a write happens in half before it fails.
        pub torn: bool,
        /// True if every later point fails too, except removals (a disk that stays full).
        pub lasting: bool,
    }

    #[derive(Default)]
    struct Local {
        injection: Option<Injection>,
        trace: Vec<(Op, String)>,
    }

    thread_local! {
        static LOCAL: RefCell<Local> = RefCell::default();
    }

    /// Points passed by this process so far.
    pub fn points() -> u64 {
        HITS.load(Ordering::SeqCst)
    }

    /// Runs `f` with an injection and returns what passed the points of this thread, in order.
    pub fn with_injection<T>(
        injection: Injection,
        f: impl FnOnce() -> T,
    ) -> (T, Vec<(Op, String)>) {
        LOCAL.with_borrow_mut(|l| {
            *l = Local {
                injection: Some(injection),
                trace: Vec::new(),
            };
        });
        let out = f();
        let trace = LOCAL.with_borrow_mut(|l| std::mem::take(l).trace);
        (out, trace)
    }

    pub(crate) fn hit(op: Op, what: &str) -> Fate {
        let n = HITS.fetch_add(1, Ordering::SeqCst) + 1;
        let crash = CRASH.get_or_init(|| {
            let at = std::env::var("AICTX_CRASH_AT").ok()?.parse().ok()?;
            let torn = std::env::var("AICTX_CRASH_TORN").is_ok_and(|v| v == "1");
            Some((at, torn))
        });
        if let Some((at, torn)) = *crash
            && at == n
        {
            return Fate::Crash(torn && op == Op::Write);
        }
        LOCAL.with_borrow_mut(|l| {
            let Some(injection) = l.injection else {
                return Fate::Go;
            };
            l.trace.push((op, what.to_owned()));
            let n = l.trace.len() as u64;
            let later = injection.lasting && injection.at > 0 && n > injection.at;
            if n == injection.at || (later && op != Op::Unlink) {
                return Fate::Fail(injection.errno, injection.torn && op == Op::Write);
            }
            Fate::Go
        })
    }
}
