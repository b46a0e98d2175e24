//! Keys of configuration files: two levels of them, the upper one first.

use crate::facts::Kind;
use crate::parse::fact_builder::{Draft, New};

/// Most keys kept of one file.
pub(super) const MAX_KEYS: usize = 40;
/// Most keys that are looked at.
const MAX_SEEN: usize = 4_000;

/// One key.
pub(super) struct Key {
    pub(super) name: Vec<u8>,
    pub(super) signature: Vec<u8>,
    pub(super) line: u32,
    pub(super) end_line: u32,
    /// True if it stands in another key.
    pub(super) inner: bool,
    pub(super) kind: Kind,
}

/// The keys of a file.
#[derive(Default)]
pub(super) struct Keys(Vec<Key>);

impl Keys {
    pub(super) fn push(&mut self, key: Key) {
        if self.0.len() < MAX_SEEN {
            self.0.push(key);
        }
    }

    /// Ends the keys that are open: the next one of their level begins, or the file ends.
    pub(super) fn close(&mut self, inner: bool, last_line: u32) {
        for key in self.0.iter_mut().rev() {
            if inner && !key.inner {
                break;
            }
            if key.end_line == 0 {
                key.end_line = last_line.max(key.line);
            }
            if !key.inner {
                break;
            }
        }
    }

    /// Finishes the list: commands count apart; of the rest the upper level goes first.
    pub(super) fn finish(mut self, draft: &mut Draft) {
        let mut started = 0;
        let mut upper = MAX_KEYS;
        for key in &self.0 {
            if key.kind == Kind::ConfigKey && !key.inner {
                upper = upper.saturating_sub(1);
            }
        }
        let mut lower = upper;
        let mut upper = MAX_KEYS - lower;
        let mut container = None;
        for key in &mut self.0 {
            let left = match (key.kind, key.inner) {
                (Kind::ConfigKey, false) => &mut upper,
                (Kind::ConfigKey, true) => &mut lower,
                _ => {
                    started += 1;
                    if started > MAX_KEYS {
                        draft.facts.cut += 1;
                        continue;
                    }
                    &mut usize::MAX.clone()
                }
            };
            if !key.inner {
                container = None;
            }
            if *left == 0 {
                draft.facts.cut += 1;
                continue;
            }
            *left -= 1;
            let index = draft.push(&New {
                kind: key.kind,
                name: &key.name,
                signature: &key.signature,
                container: if key.inner { container } else { None },
                line: key.line,
                end_line: key.end_line.max(key.line),
                exported: true,
                declared_only: false,
            });
            if !key.inner {
                container = index;
            }
        }
    }
}
