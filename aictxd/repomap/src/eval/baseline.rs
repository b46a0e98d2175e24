//! What ranking is measured against.

use std::collections::BTreeMap;

use crate::index_view::{Field, FileId, View};
use crate::words;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Plain BM25 over the texts of files (k1 1.2, b 0.75), every word of the question counting the
/// same: what a text search engine would answer. Best first.
pub fn plain_bm25(view: &dyn View, question: &str, limit: usize) -> Vec<FileId> {
    bm25(view, Field::Body, question, limit)
}

/// The same over nothing but paths.
pub fn paths_only(view: &dyn View, question: &str, limit: usize) -> Vec<FileId> {
    bm25(view, Field::Path, question, limit)
}

fn bm25(view: &dyn View, field: Field, question: &str, limit: usize) -> Vec<FileId> {
    let mut terms: BTreeMap<String, f32> = BTreeMap::new();
    words::terms(question.as_bytes(), |term| {
        if words::weight(term) == 0.0 {
            return;
        }
        *terms.entry(term.to_owned()).or_default() += 1.0;
    });
    let mut scores = vec![0.0_f32; view.files() as usize];
    let lengths = view.lengths(field);
    let mean = view.mean_length(field).max(1.0);
    for (term, times) in &terms {
        let term = view.term(term);
        let df = view.frequency(field, &term) as f32;
        let idf = (1.0 + (view.files() as f32 - df + 0.5).max(0.0) / (df + 0.5)).ln();
        view.postings(field, &term, &mut |found| {
            for (file, tf) in found {
                let at = file.0 as usize;
                let (Some(length), Some(score)) = (lengths.get(at), scores.get_mut(at)) else {
                    continue;
                };
                let tf = *tf as f32;
                let norm = K1 * (1.0 - B + B * *length as f32 / mean);
                *score += times * idf * tf * (K1 + 1.0) / (tf + norm);
            }
        });
    }
    let mut order: Vec<(f32, FileId)> = (0..view.files())
        .map(FileId)
        .zip(scores)
        .filter(|(_, score)| *score > 0.0)
        .map(|(file, score)| (score, file))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order
        .into_iter()
        .take(limit)
        .map(|(_, file)| file)
        .collect()
}
