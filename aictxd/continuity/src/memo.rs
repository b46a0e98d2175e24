//! Answers that were worked out before: the same texts are compared again with every request.
//!
//! What is remembered are values of pure functions, by their whole arguments, so that remembering
//! changes nothing but the time it takes.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aictx_proto::record::FailingTest;
use aictx_signals::Check;

/// Entries of a generation. Two generations are kept: what was asked for during the last one
/// outlives it.
const GENERATION: usize = 4_096;
/// Arguments longer than this are not remembered, in bytes.
const MAX_KEY: usize = 8 * 1024;

/// Values by key, at most two generations of them.
#[derive(Debug)]
pub(crate) struct Memo<K, V> {
    inner: Mutex<(HashMap<K, V>, HashMap<K, V>)>,
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    pub(crate) fn new() -> Self {
        Self {
            inner: Mutex::new((HashMap::new(), HashMap::new())),
        }
    }

    /// The remembered value of a key, else what `make` makes of it. A key is only copied when it is
    /// new.
    pub(crate) fn get<Q>(&self, key: &Q, make: impl FnOnce(&Q) -> V) -> V
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        {
            let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            let (young, old) = &mut *guard;
            if let Some(value) = young.get(key) {
                return value.clone();
            }
            if let Some((key, value)) = old.remove_entry(key) {
                young.insert(key, value.clone());
                return value;
            }
        }
        let value = make(key);
        let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.0.len() >= GENERATION {
            guard.1 = std::mem::take(&mut guard.0);
        }
        guard.0.insert(key.to_owned(), value.clone());
        value
    }
}

/// Whether an argument is short enough to be remembered.
pub(crate) fn is_short(text: &str) -> bool {
    text.len() <= MAX_KEY
}

/// [`aictx_signals::same_check`], remembered.
pub(crate) fn same_check(passed: &str, failed: &str) -> bool {
    passed == failed || check(passed).proves(&check(failed))
}

/// A command that passed, and the branch that it passed on; empty when that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) command: String,
    pub(crate) branch: String,
}

/// Commands that passed, asked about hundreds of commands that failed, of which few differ.
pub(crate) struct Passed<'c> {
    checks: Vec<(Arc<Check>, &'c str)>,
    known: HashMap<&'c str, Arc<[&'c str]>>,
}

impl<'c> Passed<'c> {
    pub(crate) fn new(passes: &'c [Pass]) -> Self {
        let checks = passes.iter();
        Self {
            checks: checks
                .map(|pass| (check(&pass.command), pass.branch.as_str()))
                .collect(),
            known: HashMap::new(),
        }
    }

    /// The branches on which one of them proves that a command would pass now; none proves nothing.
    pub(crate) fn prove(&mut self, failed: &'c str) -> Arc<[&'c str]> {
        if self.checks.is_empty() || failed.is_empty() {
            return Arc::default();
        }
        if let Some(known) = self.known.get(failed) {
            return Arc::clone(known);
        }
        let proven: Arc<[&str]> = self.prove_check(&check(failed)).into();
        self.known.insert(failed, Arc::clone(&proven));
        proven
    }

    /// The same of one failed test of a command.
    pub(crate) fn prove_one(&self, failed: &str, test: &FailingTest) -> Vec<&'c str> {
        let one = check(failed).of_one(&test.test, &test.file);
        one.map(|one| self.prove_check(&one)).unwrap_or_default()
    }

    fn prove_check(&self, failed: &Check) -> Vec<&'c str> {
        let proving = self.checks.iter().filter(|(pass, _)| pass.proves(failed));
        proving.map(|(_, branch)| *branch).collect()
    }
}

/// A command line as a check, remembered.
pub(crate) fn check(command: &str) -> Arc<Check> {
    static KNOWN: LazyLock<Memo<String, Arc<Check>>> = LazyLock::new(Memo::new);
    let read = |command: &str| Arc::new(Check::of(command));
    if is_short(command) {
        KNOWN.get(command, read)
    } else {
        read(command)
    }
}

/// [`aictx_signals::is_test_command`], remembered.
pub(crate) fn is_test_command(command: &str) -> bool {
    static KNOWN: LazyLock<Memo<String, bool>> = LazyLock::new(Memo::new);
    if !is_short(command) {
        return aictx_signals::is_test_command(command);
    }
    KNOWN.get(command, aictx_signals::is_test_command)
}

/// [`aictx_signals::is_narrowed`], remembered.
pub(crate) fn is_narrowed(command: &str) -> bool {
    static KNOWN: LazyLock<Memo<String, bool>> = LazyLock::new(Memo::new);
    if !is_short(command) {
        return aictx_signals::is_narrowed(command);
    }
    KNOWN.get(command, aictx_signals::is_narrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_asked_for_outlives_a_generation_and_all_is_bounded() {
        let memo = Memo::new();
        let made = Cell::new(0);
        let ask = |n: usize| {
            memo.get(&n, |n| {
                made.set(made.get() + 1);
                n * 2
            })
        };
        for n in 0..GENERATION * 5 {
            assert_eq!((ask(n), ask(0)), (n * 2, 0));
        }
        assert_eq!(made.get(), GENERATION * 5, "0 was worked out once");
        let (young, old) = &*memo.inner.lock().unwrap();
        assert!(young.len() + old.len() <= 2 * GENERATION + 1);
    }

    #[test]
    fn remembered_checks_are_the_checks() {
        for (a, b) in [
            ("pytest -q", "python -m pytest tests/a.py"),
            ("npm test", "pytest -q"),
            ("cargo test", "cargo test"),
            ("", "pytest"),
        ] {
            for _ in 0..2 {
                assert_eq!(same_check(a, b), aictx_signals::same_check(a, b), "{a} {b}");
                assert_eq!(is_test_command(a), aictx_signals::is_test_command(a), "{a}");
                assert_eq!(is_narrowed(a), aictx_signals::is_narrowed(a), "{a}");
            }
        }
    }
}
