//! Which rows of a list have a term: a question of ten words about hundreds of rows looks at those
//! that have one of them, not at all.

/// Rows by the hashes of their terms.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// Each term once, in order, and where its rows end.
    terms: Box<[(u64, u32)]>,
    rows: Box<[u32]>,
}

impl Postings {
    /// Of the terms of each row, each at most once. Linear in them but for sorting.
    pub(crate) fn of<'t>(each: impl Iterator<Item = &'t [u64]>) -> Self {
        let mut pairs: Vec<(u64, u32)> = Vec::new();
        for (row, terms) in (0_u32..).zip(each) {
            pairs.extend(terms.iter().map(|term| (*term, row)));
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
            terms: terms.into(),
            rows: pairs.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// The rows that have a term, in order.
    pub(crate) fn rows(&self, term: u64) -> &[u32] {
        let Ok(at) = self.terms.binary_search_by_key(&term, |(term, _)| *term) else {
            return &[];
        };
        let end = |at: usize| self.terms.get(at).map_or(0, |(_, end)| *end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.rows.get(start..end(at)).unwrap_or_default()
    }

    /// How many of some terms, each of which stands there once, each of `count` rows has.
    pub(crate) fn in_common(&self, asked: &[u64], count: usize) -> Vec<usize> {
        let mut shared = vec![0; count];
        for row in asked.iter().flat_map(|term| self.rows(*term)) {
            if let Some(shared) = shared.get_mut(*row as usize) {
                *shared += 1;
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::in_common;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_many_terms_are_shared_as_when_each_row_is_compared(
            rows in vec(btree_set(0_u64..40, 0..12), 0..30),
            asked in btree_set(0_u64..40, 0..12),
        ) {
            let rows: Vec<Vec<u64>> = rows.iter().map(|r| r.iter().copied().collect()).collect();
            let asked: Vec<u64> = asked.into_iter().collect();
            let postings = Postings::of(rows.iter().map(Vec::as_slice));
            let each: Vec<usize> = rows.iter().map(|row| in_common(&asked, row)).collect();
            prop_assert_eq!(postings.in_common(&asked, rows.len()), each);
        }
    }
}
