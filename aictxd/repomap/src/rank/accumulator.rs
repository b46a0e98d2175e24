//! Sums of evidence over the terms of a question, for every file: where a question spends its time.

use crate::index_view::{Class, Field, FileId};

use super::feature_kind::Feature;
use super::history_index::Past;

/// Evidence that is summed over terms for every file.
pub(super) const SUMS: usize = 9;
pub(super) const PAST: usize = 5;
pub(super) const NEAR: usize = 6;
pub(super) const COVER: usize = 7;
const TITLE: usize = 8;
/// The features that the sums make, relative to the greatest of each.
pub(super) const SUMMED: [Feature; SUMS] = [
    Feature::Path,
    Feature::Name,
    Feature::Signature,
    Feature::Doc,
    Feature::Body,
    Feature::Past,
    Feature::Near,
    Feature::Cover,
    Feature::Title,
];

/// The sums of one file over its text and path: half a cache line, since every posting that is read
/// ends in one of them.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Sums {
    fields: [f32; Field::COUNT],
    cover: f32,
    title: f32,
    /// Number of the last term that counted for cover, plus one.
    term: u16,
    /// The file has sums.
    touched: bool,
}

/// What of a list of postings goes into the sums.
pub(super) struct Scored<'a> {
    /// Number of the field.
    pub(super) field: usize,
    /// Words of each file in that field.
    pub(super) lengths: &'a [u32],
    pub(super) k1: f32,
    /// What a file's length adds to the frequency below the line: this, and so much for each word.
    pub(super) flat: f32,
    pub(super) slope: f32,
    /// What the score counts for the field, and for the title.
    pub(super) gain: f32,
    pub(super) in_title: f32,
    /// What the term counts for cover.
    pub(super) rare: f32,
    /// Number of the term, plus one.
    pub(super) mark: u16,
}

/// Sums for every file, kept between questions; all zero between them.
#[derive(Default)]
pub(super) struct Scratch {
    files: Vec<Sums>,
    /// [`PAST`] and [`NEAR`] of each file.
    past: Vec<[f32; 2]>,
    /// Files that have sums, in the order in which they got them; only so many of them count.
    order: Vec<u32>,
    touched: usize,
    /// The greatest of each sum.
    most: [f32; SUMS],
    /// For one more sum that is not kept.
    pub(super) count: Vec<f32>,
}

impl Scratch {
    /// Makes room for so many files.
    pub(super) fn begin(&mut self, files: usize) {
        self.files.resize(files, Sums::default());
        self.past.resize(files, [0.0; 2]);
        self.order.resize(files, 0);
        self.count.resize(files, 0.0);
    }

    /// The greatest of each sum, in the order of [`SUMMED`].
    pub(super) fn most(&self) -> [f32; SUMS] {
        self.most
    }

    /// Adds the scores of postings to the sums of their files.
    pub(super) fn add_postings(&mut self, found: &[(FileId, u32)], list: &Scored<'_>) {
        let Scored {
            field,
            lengths,
            k1,
            flat,
            slope,
            gain,
            in_title,
            rare,
            mark,
        } = *list;
        let (mut most, mut most_title, mut touched) = (0.0, 0.0, self.touched);
        for (file, times) in found {
            let at = file.0 as usize;
            let (Some(sums), Some(length)) = (self.files.get_mut(at), lengths.get(at)) else {
                continue;
            };
            // No branch depends on what the sums are, so that none is guessed wrong.
            if let Some(next) = self.order.get_mut(touched) {
                *next = file.0;
            }
            touched += usize::from(!sums.touched);
            sums.touched = true;
            sums.cover += if sums.term == mark { 0.0 } else { rare };
            sums.term = mark;
            let times = *times as f32;
            let norm = flat + slope * *length as f32;
            let score = times * (k1 + 1.0) / (times + norm);
            sums.title += in_title * score;
            most_title = greater(most_title, sums.title);
            if let Some(to) = sums.fields.get_mut(field) {
                *to += gain * score;
                most = greater(most, *to);
            }
        }
        self.touched = touched;
        self.raise(field, most);
        self.raise(TITLE, most_title);
    }

    /// Adds to one of the two sums of the past.
    pub(super) fn add(&mut self, file: u32, sum: usize, value: f32) {
        let at = file as usize;
        if let Some(sums) = self.files.get_mut(at)
            && !std::mem::replace(&mut sums.touched, true)
        {
            if let Some(next) = self.order.get_mut(self.touched) {
                *next = file;
            }
            self.touched += 1;
        }
        let past = self.past.get_mut(at);
        if let Some(to) = past.and_then(|past| past.get_mut(sum - PAST)) {
            *to += value;
            let now = *to;
            self.raise(sum, now);
        }
    }

    fn raise(&mut self, sum: usize, to: f32) {
        if let Some(most) = self.most.get_mut(sum) {
            *most = greater(*most, to);
        }
    }

    /// All sums of a file, in the order of [`SUMMED`].
    pub(super) fn of(&self, file: u32) -> [f32; SUMS] {
        let at = file as usize;
        let sums = self.files.get(at).copied().unwrap_or_default();
        all(&sums, self.past.get(at).copied().unwrap_or_default())
    }

    /// The `count` files whose sums, each times its factor, are the greatest, with how recently
    /// they changed and what their class counts; in no order.
    pub(super) fn best(
        &self,
        count: usize,
        factors: &[f32; SUMS],
        recency: f32,
        classes: &[f32; Class::ALL.len()],
        past: &Past,
    ) -> impl Iterator<Item = u32> {
        let score = |sums: &Sums, votes: [f32; 2], recent: f32, class: Class| {
            // In parts, so that no addition waits for all others.
            let [a, b, c, d, e, f, g, h, i] = all(sums, votes);
            let [fa, fb, fc, fd, fe, ff, fg, fh, fi] = *factors;
            let class = classes.get(class as usize).copied().unwrap_or(0.0);
            ((recent * recency + class) + (a * fa + b * fb))
                + ((c * fc + d * fd) + (e * fe + f * ff))
                + ((g * fg + h * fh) + i * fi)
        };
        let mut best = Best::new(count);
        // A past that was made for another view knows less of this one.
        if self.few() || past.recent.len() < self.files.len() {
            for file in self.order.iter().take(self.touched) {
                let at = *file as usize;
                let known = (self.files.get(at), self.past.get(at));
                let (Some(sums), Some(votes)) = known else {
                    continue;
                };
                let recent = past.recent.get(at).copied().unwrap_or(0.0);
                let class = past.class.get(at).copied().unwrap_or_default();
                best.add(*file, score(sums, *votes, recent, class));
            }
        } else {
            let priors = past.recent.iter().zip(&past.class);
            let sums = self.files.iter().zip(&self.past);
            for (file, ((sums, votes), (recent, class))) in (0..).zip(sums.zip(priors)) {
                if sums.touched {
                    best.add(file, score(sums, *votes, *recent, *class));
                }
            }
        }
        best.finish().into_iter().map(|(file, _)| file)
    }

    /// Returns true if so few files have sums that reading every fourth at random is faster than all, one
    /// after the other.
    fn few(&self) -> bool {
        self.touched * 4 < self.files.len()
    }

    /// Sets everything back to zero.
    pub(super) fn clear(&mut self) {
        if self.few() {
            for file in self.order.iter().take(self.touched) {
                let at = *file as usize;
                if let (Some(sums), Some(votes)) = (self.files.get_mut(at), self.past.get_mut(at)) {
                    (*sums, *votes) = (Sums::default(), [0.0; 2]);
                }
            }
        } else {
            self.files.fill(Sums::default());
            self.past.fill([0.0; 2]);
        }
        self.touched = 0;
        self.most = [0.0; SUMS];
    }
}

#[inline]
fn all(sums: &Sums, [past, near]: [f32; 2]) -> [f32; SUMS] {
    let [path, name, signature, doc, body] = sums.fields;
    let Sums { cover, title, .. } = *sums;
    [path, name, signature, doc, body, past, near, cover, title]
}

/// The greater of two numbers, neither of which is NaN: one instruction where `f32::max` is five.
#[inline]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Items with the greatest scores; of equal ones those with the least numbers.
pub(super) struct Best {
    count: usize,
    items: Vec<(u32, f32)>,
    /// Nothing below this is among the best any more.
    least: f32,
}

impl Best {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            items: Vec::with_capacity(count * 4),
            least: f32::NEG_INFINITY,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, item: u32, score: f32) {
        if score < self.least {
            return;
        }
        self.items.push((item, score));
        if self.items.len() >= self.count * 4 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if self.items.len() > self.count && self.count > 0 {
            let (_, last, _) = self.items.select_nth_unstable_by(self.count - 1, order);
            self.least = last.1;
        }
        self.items.truncate(self.count);
    }

    /// The best, in no order.
    pub(super) fn finish(mut self) -> Vec<(u32, f32)> {
        self.cut();
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_gives(
            scores in proptest::collection::vec(0_u8..40, 0..200),
            count in 0_usize..12,
        ) {
            let scores = scores.into_iter().map(f32::from);
            let mut all: Vec<(u32, f32)> = (0..).zip(scores).collect();
            let mut best = Best::new(count);
            all.iter().for_each(|(item, score)| best.add(*item, *score));
            let mut best = best.finish();
            let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            best.sort_by(order);
            all.sort_by(order);
            all.truncate(count);
            prop_assert_eq!(best, all);
        }
    }
}
