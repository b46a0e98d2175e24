//! An index of contents that are given rather than read: a tree of the past, a test.

use std::sync::Arc;

use crate::discover::Stamp;
use crate::document::{Extractor, has_words, key};
use crate::file_class::classify;
use crate::manifest::Manifests;
use crate::parse::is_private;
use crate::segment::{Builder, ContentId, Segment, merge};
use crate::tree::{Graph, Paths, Place, Row, Tree};

/// What is collected before it becomes a segment.
const MAX_BATCH_BYTES: usize = 96 << 20;

/// Indexes files given as path and bytes, with the same parts as [`super::Indexer`]. Of a path that
/// is given twice the last one counts. `progress` hears how many are done.
pub fn index_contents(
    mut files: Vec<(String, Vec<u8>)>,
    max_file_bytes: u64,
    progress: &mut dyn FnMut(usize),
) -> Tree {
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            std::mem::swap(later, kept);
        }
        same
    });
    let mut extractor = Extractor::default();
    let mut builder = Builder::default();
    let mut segments: Vec<Segment> = Vec::new();
    let mut rows = Vec::with_capacity(files.len());
    let mut flush = |builder: &mut Builder| {
        let bytes = std::mem::take(builder).finish();
        // It was made a moment ago: it can be read.
        segments.extend(Segment::from_bytes(bytes));
    };
    for (number, (path, bytes)) in files.iter().enumerate() {
        let bytes = if is_private(path) { &[][..] } else { bytes };
        let id = key(path, ContentId::of(bytes));
        let (language, facts) = extractor.facts(path, bytes, max_file_bytes);
        let body = if has_words(facts.outcome) { bytes } else { &[] };
        builder.add(id, language, &facts, body);
        rows.push(Row {
            stamp: Stamp {
                size: bytes.len() as u64,
                ..Stamp::default()
            },
            id,
            place: Some(Place {
                segment: 0,
                doc: number as u32,
            }),
            class: classify(path),
        });
        if builder.weight() > MAX_BATCH_BYTES {
            flush(&mut builder);
        }
        progress(number + 1);
    }
    flush(&mut builder);
    if segments.len() > 1 {
        let parts: Vec<&Segment> = segments.iter().collect();
        let merged = Segment::from_bytes(merge(&parts, false, &|_, _| true));
        segments = merged.into_iter().collect();
    }
    let paths = Arc::new(Paths::new(files.iter().map(|(path, _)| path.as_bytes())));
    let segments = segments.into_iter().map(Arc::new).collect();
    let tree = Tree::new(paths, rows, segments, Arc::new(Graph::default()));
    let given = files.iter().map(|(path, bytes)| (&**path, &**bytes));
    let graph = Arc::new(crate::links::build(
        &tree,
        &Manifests::of(given),
        &std::sync::atomic::AtomicBool::new(false),
    ));
    tree.with_graph(graph)
}
