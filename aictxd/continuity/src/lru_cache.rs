//! Answers that were worked out before: the same texts are compared again with every request.
//!
//! What is remembered are values of pure functions, by their whole arguments, so that remembering
//! changes nothing but the time it takes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aictx_proto::record::FailingTest;
use aictx_shell::Check;

/// Entries of a generation. Two generations are kept: what was asked for during the last one
/// outlives it.
const GENERATION: usize = 4_096;
/// Arguments longer than this are not remembered, in bytes.
const MAX_KEY: usize = 8 * 1024;

/// Values by key, at most two generations of them.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    /// Bytes of keys of a generation.
    most: usize,
    inner: Mutex<Generations<V>>,
}

#[derive(Debug)]
struct Generations<V> {
    young: HashMap<String, V>,
    old: HashMap<String, V>,
    /// Bytes of the keys of the young one.
    bytes: usize,
}

impl<V> Generations<V> {
    fn insert(&mut self, key: String, value: V, most: usize) {
        if self.young.len() >= GENERATION || self.bytes + key.len() > most {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += key.len();
        self.young.insert(key, value);
    }
}

impl<V: Clone> Memo<V> {
    /// One that keeps up to twice so many bytes of keys, with what was made of them.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            inner: Mutex::new(Generations {
                young: HashMap::new(),
                old: HashMap::new(),
                bytes: 0,
            }),
        }
    }

    /// The remembered value of a key, else what `make` makes of it. A key is only copied when it is
    /// new, and a long one is not remembered.
    pub(crate) fn get(&self, key: &str, make: impl FnOnce(&str) -> V) -> V {
        if key.len() > MAX_KEY {
            return make(key);
        }
        let lock = || self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut known = lock();
            if let Some(value) = known.young.get(key) {
                return value.clone();
            }
            if let Some((key, value)) = known.old.remove_entry(key) {
                known.insert(key, value.clone(), self.most);
                return value;
            }
        }
        let value = make(key);
        lock().insert(key.to_owned(), value.clone(), self.most);
        value
    }
}

/// [`aictx_shell::same_check`], remembered.
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

/// Bytes of a generation of commands: thousands of them.
const COMMANDS: usize = 256 * 1024;

/// A command line as a check, remembered.
pub(crate) fn check(command: &str) -> Arc<Check> {
    static KNOWN: LazyLock<Memo<Arc<Check>>> = LazyLock::new(|| Memo::new(COMMANDS));
    KNOWN.get(command, |command| Arc::new(Check::of(command)))
}

/// [`aictx_shell::is_test_command`], remembered.
pub(crate) fn is_test_command(command: &str) -> bool {
    static KNOWN: LazyLock<Memo<bool>> = LazyLock::new(|| Memo::new(COMMANDS));
    KNOWN.get(command, aictx_shell::is_test_command)
}

/// [`aictx_shell::is_narrowed`], remembered.
pub(crate) fn is_narrowed(command: &str) -> bool {
    static KNOWN: LazyLock<Memo<bool>> = LazyLock::new(|| Memo::new(COMMANDS));
    KNOWN.get(command, aictx_shell::is_narrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_asked_for_outlives_a_generation_and_all_is_bounded() {
        for most in [usize::MAX, 1_000] {
            let memo = Memo::new(most);
            let made = Cell::new(0);
            let ask = |n: usize| {
                memo.get(&n.to_string(), |n| {
                    made.set(made.get() + 1);
                    format!("{n}{n}")
                })
            };
            for n in 0..GENERATION * 5 {
                assert_eq!((ask(n), ask(0)), (format!("{n}{n}"), "00".to_owned()));
            }
            assert_eq!(made.get(), GENERATION * 5, "0 was worked out once");
            let known = memo.inner.lock().unwrap();
            assert!(known.young.len() + known.old.len() <= 2 * GENERATION);
            let bytes =
                |keys: &HashMap<String, String>| keys.keys().map(String::len).sum::<usize>();
            assert_eq!(bytes(&known.young), known.bytes);
            assert!(bytes(&known.young) <= most && bytes(&known.old) <= most);
        }
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
                assert_eq!(same_check(a, b), aictx_shell::same_check(a, b), "{a} {b}");
                assert_eq!(is_test_command(a), aictx_shell::is_test_command(a), "{a}");
                assert_eq!(is_narrowed(a), aictx_shell::is_narrowed(a), "{a}");
            }
        }
    }
}
