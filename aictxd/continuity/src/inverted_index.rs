//! Which rows of a list have a term: a question of ten words about hundreds of rows looks at those
//! that have one of them, not at all.
//!
//! Lists change by a few rows at a time. What was sorted of an earlier edition is used on: the rows
//! that both have only stand elsewhere now, and the few others are looked at one by one.

use std::collections::HashMap;
use std::sync::Arc;

use aictx_proto::snapshot::Rows;

use crate::row_cache::{Role, hash_as};

/// Share of a list that may be looked at row by row before everything is sorted anew.
const FRESH: usize = 16;
/// As many rows are looked at row by row in any list.
const FEW: usize = 8;
/// The place of a row that the list has no more.
const GONE: u32 = u32::MAX;

/// Terms of a row, sorted, each once.
type Terms<D> = fn(&D) -> &[u64];

/// Rows by the hashes of their terms.
#[derive(Debug)]
pub(crate) struct Postings<D> {
    base: Arc<Base<D>>,
    /// Present positions of the base's rows, [`GONE`] for removed; `None` where they stand as they
    /// stood.
    moved: Option<Box<[u32]>>,
    /// The rows that the base has not, with their places.
    fresh: Box<[(u32, Arc<D>)]>,
    terms: Terms<D>,
}

/// An edition of the list, sorted by terms.
#[derive(Debug)]
struct Base<D> {
    /// Held, so that no other row takes the place of one in memory.
    each: Box<[Arc<D>]>,
    /// Each term once, in order, and where its rows end.
    terms: Box<[(u64, u32)]>,
    rows: Box<[u32]>,
}

impl<D> Base<D> {
    fn of(each: &[Arc<D>], terms: Terms<D>) -> Self {
        let mut pairs: Vec<(u64, u32)> = Vec::new();
        for (row, known) in (0_u32..).zip(each) {
            pairs.extend(terms(known).iter().map(|term| (*term, row)));
        }
        pairs.sort_unstable();
        let mut terms: Vec<(u64, u32)> = Vec::new();
        for (end, (term, _)) in (1_u32..).zip(&pairs) {
            match terms.last_mut() {
                Some(last) if last.0 == *term => last.1 = end,
                _ => terms.push((*term, end)),
            }
        }
        Self {
            each: each.into(),
            terms: terms.into(),
            rows: pairs.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// The rows that have the term at a place of [`Self::terms`], in order.
    fn rows(&self, at: usize) -> &[u32] {
        let end = |at: usize| self.terms.get(at).map_or(0, |(_, end)| *end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.rows.get(start..end(at)).unwrap_or_default()
    }
}

impl<D> Postings<D> {
    /// Of the terms of each row. What an `earlier` edition has in common with this one is taken from
    /// it: linear in the rows then, else in their terms but for sorting.
    pub(crate) fn of(each: &[Arc<D>], terms: Terms<D>, earlier: Option<&Self>) -> Self {
        if let Some(next) = earlier.and_then(|earlier| earlier.next(each)) {
            return next;
        }
        Self {
            base: Arc::new(Base::of(each, terms)),
            moved: None,
            fresh: Box::default(),
            terms,
        }
    }

    /// The same base for another edition of its list, if the two have enough in common.
    fn next(&self, each: &[Arc<D>]) -> Option<Self> {
        let base = &self.base.each;
        let most = (each.len() / FRESH).max(FEW);
        let same = base.iter().zip(each).take_while(|(a, b)| Arc::ptr_eq(a, b));
        let same = same.count();
        let (_, old) = base.split_at(same);
        let (_, new) = each.split_at(same);
        if new.len() > old.len() + most {
            return None;
        }
        let first = u32::try_from(same).ok()?;
        let mut places: HashMap<*const D, u32> = new.iter().map(Arc::as_ptr).zip(first..).collect();
        let moved: Vec<u32> = (0..first)
            .chain(
                old.iter()
                    .map(|row| places.remove(&Arc::as_ptr(row)).unwrap_or(GONE)),
            )
            .collect();
        // Those are left that the base has not.
        let gone = moved.iter().filter(|at| **at == GONE).count();
        if places.len() > most || gone > base.len() / 2 {
            return None;
        }
        let mut fresh: Vec<u32> = places.into_values().collect();
        fresh.sort_unstable();
        let fresh = fresh.into_iter();
        Some(Self {
            base: Arc::clone(&self.base),
            moved: Some(moved.into()),
            fresh: fresh
                .filter_map(|at| Some((at, Arc::clone(each.get(at as usize)?))))
                .collect(),
            terms: self.terms,
        })
    }

    /// Returns the present position of a row of the base.
    fn place(&self, row: u32) -> Option<usize> {
        let at = match &self.moved {
            Some(moved) => *moved.get(row as usize)?,
            None => row,
        };
        (at != GONE).then_some(at as usize)
    }

    /// The rows that have a term, in no order.
    pub(crate) fn rows(&self, term: u64) -> impl Iterator<Item = usize> + '_ {
        let at = self
            .base
            .terms
            .binary_search_by_key(&term, |(term, _)| *term);
        let sorted = at.map_or(&[][..], |at| self.base.rows(at));
        let has = move |row: &&(u32, Arc<D>)| (self.terms)(&row.1).binary_search(&term).is_ok();
        let fresh = self.fresh.iter().filter(has).map(|(at, _)| *at as usize);
        sorted
            .iter()
            .filter_map(|row| self.place(*row))
            .chain(fresh)
    }

    /// The rows of a list with [`anchored_terms`](crate::row_cache::anchored_terms) that are anchored to a path, the
    /// last one first.
    pub(crate) fn anchored<'r, R>(&self, path: &str, list: &'r Rows<R>) -> Vec<&'r R> {
        let mut rows = Vec::from_iter(self.rows(hash_as(Role::Anchor, path)));
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let row = |at: usize| list.get(at).map(|row| &**row);
        rows.into_iter().filter_map(row).collect()
    }

    /// Each row that has a term that is `wanted`, with the term, in no order.
    pub(crate) fn rows_where(
        &self,
        wanted: impl Fn(u64) -> bool,
        mut found: impl FnMut(usize, u64),
    ) {
        for (at, (term, _)) in self.base.terms.iter().enumerate() {
            if wanted(*term) {
                let rows = self.base.rows(at).iter();
                rows.filter_map(|row| self.place(*row))
                    .for_each(|row| found(row, *term));
            }
        }
        for (at, row) in &self.fresh {
            let terms = (self.terms)(row).iter().filter(|term| wanted(**term));
            terms.for_each(|term| found(*at as usize, *term));
        }
    }

    /// Counts the terms of a set of distinct ones in each of `count` rows.
    pub(crate) fn in_common(&self, asked: &[u64], count: usize) -> Vec<usize> {
        let mut shared = vec![0; count];
        for row in asked.iter().flat_map(|term| self.rows(*term)) {
            if let Some(shared) = shared.get_mut(row) {
                *shared += 1;
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_similarity::in_common;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    type Row = Vec<u64>;

    fn rows() -> impl Strategy<Value = Vec<Arc<Row>>> {
        let row = btree_set(0_u64..40, 0..12).prop_map(|terms| Arc::new(Vec::from_iter(terms)));
        vec(row, 0..60)
    }

    fn holds(postings: &Postings<Row>, rows: &[Arc<Row>], asked: &[u64]) {
        let each: Vec<usize> = rows.iter().map(|row| in_common(asked, row)).collect();
        assert_eq!(postings.in_common(asked, rows.len()), each);
        let mut found = Vec::new();
        let wanted = |term| asked.contains(&term);
        postings.rows_where(wanted, |row, term| found.push((row, term)));
        found.sort_unstable();
        let all = rows.iter().enumerate();
        let all = all.flat_map(|(at, row)| row.iter().map(move |term| (at, *term)));
        assert_eq!(found, Vec::from_iter(all.filter(|(_, term)| wanted(*term))));
    }

    proptest! {
        #[test]
        fn as_many_terms_are_shared_as_when_each_row_is_compared(
            rows in rows(),
            changes in vec((0_usize..80, prop::option::of(btree_set(0_u64..40, 0..12))), 0..40),
            asked in btree_set(0_u64..40, 0..12),
        ) {
            let mut rows = rows;
            let asked = Vec::from_iter(asked);
            let mut postings = Postings::of(&rows, |row| row, None);
            holds(&postings, &rows, &asked);
            // Rows go, change at their place and come at the end.
            for (at, row) in changes {
                let row = row.map(|terms| Arc::new(Vec::from_iter(terms)));
                match (row, at < rows.len()) {
                    (Some(row), true) => rows[at] = row,
                    (Some(row), false) => rows.push(row),
                    (None, true) => drop(rows.remove(at)),
                    (None, false) => {}
                }
                postings = Postings::of(&rows, |row| row, Some(&postings));
                holds(&postings, &rows, &asked);
            }
        }
    }

    #[test]
    fn what_was_sorted_is_used_on_until_too_much_of_it_changed() {
        let row = |n: u64| Arc::new(vec![n]);
        let mut rows: Vec<Arc<Row>> = (0..320).map(row).collect();
        let first = Postings::of(&rows, |row| row, None);
        rows.push(row(7));
        rows[3] = row(8);
        rows.remove(0);
        let next = Postings::of(&rows, |row| row, Some(&first));
        assert!(Arc::ptr_eq(&next.base, &first.base));
        assert_eq!(Vec::from_iter(next.rows(8)), [7, 2]);
        assert_eq!(next.rows(0).count(), 0);
        rows.extend((0..40).map(row));
        let anew = Postings::of(&rows, |row| row, Some(&next));
        assert!(!Arc::ptr_eq(&anew.base, &first.base) && anew.fresh.is_empty());
    }
}
