//! The import graph of a tree.

use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

use crate::graph::{MAX_IMPORTED, Resolver};
use crate::index_view::{FileId, View};
use crate::manifest::Manifests;
use crate::tree::{Graph, Tree};

/// Resolves every file's imports to files of the tree.
/// Ends early, with what it has, when `stop` says so.
pub(crate) fn build(tree: &Tree, manifests: &Manifests, stop: &AtomicBool) -> Graph {
    let files = tree.files();
    let paths = (0..files).map(|file| tree.path(FileId(file)));
    let resolver = Resolver::new(paths, manifests);
    let mut edges = Vec::new();
    let mut found = Vec::new();
    // Thousands of files import the same module.
    let mut known: HashMap<(&str, &str), Vec<FileId>> = HashMap::new();
    for file in (0..files).map(FileId) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let Some((segment, doc)) = tree.doc(file) else {
            continue;
        };
        let (path, language) = (tree.path(file), tree.language(file));
        for (module, _) in segment.imports(doc) {
            if resolver.near(path, language, module, &mut found) {
                continue;
            }
            let files = known.entry((language, module)).or_insert_with(|| {
                let mut files = Vec::new();
                resolver.anywhere(language, module, &mut files);
                files
            });
            found.extend_from_slice(files);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|imported| *imported != file);
        found.truncate(MAX_IMPORTED);
        edges.extend(found.drain(..).map(|imported| (file, imported)));
    }
    Graph::new(files, edges)
}
