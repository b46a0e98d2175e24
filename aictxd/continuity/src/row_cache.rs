//! Cache of facts for ranking, computed once for each row of a history.
//!
//! Rows are shared between snapshots, and so is what is worked out of them: a question costs a walk
//! over what is prepared, and a row that was added since the last one is the only one looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use aictx_proto::record::Anchor;
use aictx_proto::snapshot::Rows;

/// Lists that are remembered: those of the repositories that are worked in.
const MAX_LISTS: usize = 16;

/// Function from a list to its summary, with that of an earlier edition at hand.
type Sum<R, D, S> = fn(&[Arc<R>], &[Arc<D>], Option<&S>) -> S;

/// Cache of `make` for the rows of recently used lists, and of `sum` for each list.
#[derive(Debug)]
pub(crate) struct Prepared<R, D, S = ()> {
    make: fn(&R) -> D,
    sum: Sum<R, D, S>,
    lists: Mutex<Vec<List<R, D, S>>>,
    /// Held while a list is made: who asks for the same meanwhile waits instead of making it, too.
    making: Mutex<()>,
}

/// Computed values of a list.
#[derive(Debug)]
pub(crate) struct Made<D, S = ()> {
    /// Of each row, in the order of the rows.
    pub(crate) each: Vec<Arc<D>>,
    /// Of all of them.
    pub(crate) sum: S,
}

/// A list, held weakly: whoever owns it may still change it, and then it is another one.
#[derive(Debug)]
struct List<R, D, S> {
    rows: Weak<Vec<Arc<R>>>,
    edition: Edition<R, D, S>,
}

/// The rows of a list, held so that no other can take the place of one in memory, and what was made
/// of them.
#[derive(Debug)]
struct Edition<R, D, S> {
    each: Arc<Vec<Weak<R>>>,
    made: Arc<Made<D, S>>,
}

impl<R, D> Prepared<R, D> {
    pub(crate) const fn new(make: fn(&R) -> D) -> Self {
        Self::with_sum(make, |_, _, _| ())
    }
}

impl<R, D, S> Prepared<R, D, S> {
    pub(crate) const fn with_sum(make: fn(&R) -> D, sum: Sum<R, D, S>) -> Self {
        Self {
            make,
            sum,
            lists: Mutex::new(Vec::new()),
            making: Mutex::new(()),
        }
    }

    /// Returns the values of a list and of each of its rows. Constant for a list that was used last,
    /// else linear in it.
    pub(crate) fn of(&self, rows: &Rows<R>) -> Arc<Made<D, S>> {
        if let Some(made) = self.known(rows) {
            return made;
        }
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.known(rows) {
            return made;
        }
        let earlier = earlier(rows, &self.lists());
        let each = self.make_all(rows, earlier.as_ref());
        let sum = (self.sum)(rows, &each, earlier.as_ref().map(|e| &e.made.sum));
        let made = Arc::new(Made { each, sum });
        let mut lists = self.lists();
        lists.retain(|list| list.rows.strong_count() > 0);
        lists.truncate(MAX_LISTS - 1);
        let list = List {
            rows: Arc::downgrade(rows),
            edition: Edition {
                each: Arc::new(rows.iter().map(Arc::downgrade).collect()),
                made: Arc::clone(&made),
            },
        };
        lists.insert(0, list);
        made
    }

    /// Returns the cached values of a list, which becomes the newest one.
    fn known(&self, rows: &Rows<R>) -> Option<Arc<Made<D, S>>> {
        let mut lists = self.lists();
        let is_it = |list: &List<R, D, S>| std::ptr::eq(list.rows.as_ptr(), Arc::as_ptr(rows));
        let at = lists.iter().position(is_it)?;
        let up_to_it = lists.get_mut(..=at)?;
        up_to_it.rotate_right(1);
        Some(Arc::clone(&up_to_it.first()?.edition.made))
    }

    fn lists(&self) -> MutexGuard<'_, Vec<List<R, D, S>>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes from an earlier edition of the list what the two have in common.
    fn make_all(&self, rows: &[Arc<R>], earlier: Option<&Edition<R, D, S>>) -> Vec<Arc<D>> {
        let before = || {
            let all = earlier.iter();
            all.flat_map(|earlier| {
                let rows = earlier.each.iter().map(Weak::as_ptr);
                rows.zip(&earlier.made.each)
            })
        };
        // Nearly always rows went at the beginning and came at the end.
        let first = rows.first().map(Arc::as_ptr);
        let mut kept = before()
            .skip_while(|(row, _)| Some(*row) != first)
            .zip(rows)
            .take_while(|((known, _), row)| *known == Arc::as_ptr(row))
            .map(|((_, made), _)| Arc::clone(made))
            .collect::<Vec<_>>();
        let (_, rest) = rows.split_at(kept.len());
        if rest.len() * 8 < rows.len() {
            kept.extend(rest.iter().map(|row| Arc::new((self.make)(row))));
            return kept;
        }
        let known: HashMap<*const R, &Arc<D>> = before().collect();
        rows.iter()
            .map(|row| match known.get(&Arc::as_ptr(row)) {
                Some(made) => Arc::clone(made),
                None => Arc::new((self.make)(row)),
            })
            .collect()
    }
}

/// An edition that has rows in common with a list.
fn earlier<R, D, S>(rows: &[Arc<R>], lists: &[List<R, D, S>]) -> Option<Edition<R, D, S>> {
    let some = [rows.first(), rows.get(rows.len() / 2), rows.last()];
    let some = some.map(|row| row.map(Arc::as_ptr));
    let shares = |edition: &&Edition<R, D, S>| {
        let mut each = edition.each.iter();
        each.any(|row| some.contains(&Some(row.as_ptr())))
    };
    let found = lists.iter().map(|list| &list.edition).find(shares)?;
    Some(Edition {
        each: Arc::clone(&found.each),
        made: Arc::clone(&found.made),
    })
}

/// FNV-1a with 64 bits: the same in every process.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Role of a path in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    /// A file that it has to do with.
    File = 1,
    /// The directory of one.
    Directory,
    /// Anchor of the row.
    Anchor,
}

/// As [`hash`], of a path in a role: the same path in another one is another term, and so is the word.
pub(crate) fn hash_as(role: Role, path: &str) -> u64 {
    hash(path).rotate_left(role as u32)
}

/// The files whose content anchors remember, as terms.
pub(crate) fn anchored_terms(anchors: &[Anchor]) -> impl Iterator<Item = u64> + '_ {
    let known = anchors.iter().filter(|anchor| !anchor.blob.is_empty());
    known.map(|anchor| hash_as(Role::Anchor, &anchor.path))
}

/// A value that says something, as its hash.
pub(crate) fn said(value: &str) -> Option<u64> {
    is_said(value).then(|| hash(value))
}

/// Returns true if a value says something: `unknown` does not.
pub(crate) fn is_said(value: &str) -> bool {
    !value.is_empty() && value != "unknown"
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::snapshot::shared;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_row_is_looked_at_once_however_its_list_changes() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let prepared = Prepared::with_sum(
            |n: &usize| {
                MADE.fetch_add(1, Ordering::Relaxed);
                n * 2
            },
            |rows, _, _| rows.len(),
        );
        let is_right = |rows: &Rows<usize>| {
            let made = prepared.of(rows);
            assert_eq!((made.each.len(), made.sum), (rows.len(), rows.len()));
            assert!(
                made.each
                    .iter()
                    .zip(&**rows)
                    .all(|(made, row)| **made == **row * 2)
            );
            MADE.load(Ordering::Relaxed)
        };
        let mut rows = shared(0..5);
        assert_eq!((is_right(&rows), is_right(&rows)), (5, 5));
        // As a store does it: in place where nobody else holds the list, else in a copy.
        Arc::make_mut(&mut rows).push(Arc::new(5));
        assert_eq!(is_right(&rows), 6);
        let mut next = Arc::clone(&rows);
        Arc::make_mut(&mut next).remove(0);
        assert_eq!((is_right(&next), is_right(&rows)), (6, 6));
        let other = shared(10..12);
        assert_eq!((is_right(&other), is_right(&next)), (8, 8));
        assert_eq!(is_right(&shared([])), 8);
        for _ in 0..100 {
            is_right(&shared(0..3));
        }
        assert!(prepared.lists.lock().unwrap().len() <= 4, "dead lists go");
    }
}
