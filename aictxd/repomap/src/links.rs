//! The import graph of a tree.

use crate::tree::{Graph, Tree};

/// Resolves every file's imports to files of the tree.
pub(crate) fn build(_tree: &Tree) -> Graph {
    Graph::default()
}
