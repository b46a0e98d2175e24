//! The import graph of a tree.

use crate::index_view::FileId;

/// Who imports whom, in compressed rows.
#[derive(Debug, Default)]
pub struct Graph {
    /// True if it was ever made of a tree.
    made: bool,
    out_starts: Vec<u32>,
    out: Vec<FileId>,
    in_starts: Vec<u32>,
    into: Vec<FileId>,
}

impl Graph {
    /// Makes the graph of `files` files out of its edges (importer, imported), which may be doubled
    /// and in any order.
    pub fn new(files: u32, mut edges: Vec<(FileId, FileId)>) -> Self {
        let rows = |edges: &[(FileId, FileId)]| {
            let mut starts = vec![0_u32; files as usize + 1];
            for (from, _) in edges {
                if let Some(count) = starts.get_mut(from.0 as usize + 1) {
                    *count += 1;
                }
            }
            let mut sum = 0;
            for start in &mut starts {
                sum += *start;
                *start = sum;
            }
            (starts, edges.iter().map(|(_, to)| *to).collect())
        };
        edges.retain(|(from, to)| from.0 < files && to.0 < files && from != to);
        edges.sort_unstable();
        edges.dedup();
        let (out_starts, out) = rows(&edges);
        let mut turned: Vec<_> = edges.into_iter().map(|(from, to)| (to, from)).collect();
        turned.sort_unstable();
        let (in_starts, into) = rows(&turned);
        Self {
            made: true,
            out_starts,
            out,
            in_starts,
            into,
        }
    }

    /// Returns true if it was made of a tree; one that was not knows nothing.
    pub fn is_made(&self) -> bool {
        self.made
    }

    /// Files that a file imports.
    pub fn imports(&self, file: FileId) -> &[FileId] {
        row(&self.out_starts, &self.out, file)
    }

    /// Files that import a file.
    pub fn importers(&self, file: FileId) -> &[FileId] {
        row(&self.in_starts, &self.into, file)
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        (self.out.len() + self.out_starts.len()) * 8
    }

    /// The same graph for another numbering: `renumber` gives each old file its new number.
    pub fn renumbered(&self, files: u32, renumber: &dyn Fn(FileId) -> Option<FileId>) -> Self {
        let mut edges = Vec::with_capacity(self.out.len());
        for from in 0..self.out_starts.len().saturating_sub(1) as u32 {
            let Some(new) = renumber(FileId(from)) else {
                continue;
            };
            let targets = row(&self.out_starts, &self.out, FileId(from));
            edges.extend(targets.iter().filter_map(|to| Some((new, renumber(*to)?))));
        }
        Self::new(files, edges)
    }
}

fn row<'a>(starts: &[u32], targets: &'a [FileId], file: FileId) -> &'a [FileId] {
    let at = |index: usize| starts.get(index).copied().unwrap_or(0) as usize;
    let (start, end) = (at(file.0 as usize), at(file.0 as usize + 1));
    targets.get(start..end).unwrap_or_default()
}
