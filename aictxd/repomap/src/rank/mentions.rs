//! Files that a question names outright.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::index_view::{Field, FileId, Term, View};
use crate::words;

use super::question::{Mention, Question};

/// What of a file the question names.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exact {
    /// The path, or the end of it.
    pub(super) path: f32,
    /// A directory that holds it.
    pub(super) directory: f32,
    /// Something that it defines.
    pub(super) name: f32,
    /// 1 where the title names its path and no other.
    pub(super) named_path: f32,
    /// 1 where the title names what only it defines.
    pub(super) named_symbol: f32,
}

/// Definitions of one name that are looked at.
const MAX_LOOKED_AT: usize = 20_000;
/// More files than this are not what a mention means.
const MAX_MEANT: usize = 40;

pub(super) fn find(view: &dyn View, question: &Question) -> BTreeMap<u32, Exact> {
    let mut found: BTreeMap<u32, Exact> = BTreeMap::new();
    for mention in &question.paths {
        path(view, mention, &mut found);
    }
    for mention in &question.names {
        let mut files: BTreeSet<u32> = BTreeSet::new();
        let mut left = MAX_LOOKED_AT;
        view.symbols_named(&mention.text, &mut |file, _| {
            files.insert(file.0);
            left -= 1;
            // Enough to know that it means too much.
            match files.len() > MAX_MEANT || left == 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if files.len() > MAX_MEANT {
            continue;
        }
        let sure = if mention.certain { 1.0 } else { 0.5 };
        let each = mention.weight * sure / files.len().max(1) as f32;
        let alone = mention.certain && mention.weight >= 1.0 && files.len() == 1;
        for file in files {
            if alone {
                found.entry(file).or_default().named_symbol = 1.0;
            }
            let name = &mut found.entry(file).or_default().name;
            // Several names are more than one, but not as much more.
            *name = name.max(each) + 0.25 * name.min(each);
        }
    }
    found
}

fn path(view: &dyn View, mention: &Mention, found: &mut BTreeMap<u32, Exact>) {
    let text = mention.text.trim_matches('/');
    if let Some(file) = view.file_at(text) {
        name_file(file, mention, found);
        return;
    }
    let (ends, within) = ends_and_within(view, text);
    if ends.is_empty()
        && within.is_empty()
        && let Some(file) = behind_a_prefix(view, &mention.text)
    {
        name_file(file, mention, found);
        return;
    }
    for (files, to) in [(ends, 0), (within, 1)] {
        if files.len() > MAX_MEANT {
            continue;
        }
        let alone = to == 0 && mention.weight >= 1.0 && files.len() == 1;
        let each = mention.weight / (files.len().max(1) as f32).sqrt();
        for file in files {
            let exact = found.entry(file).or_default();
            let to = if to == 0 {
                &mut exact.path
            } else {
                &mut exact.directory
            };
            *to = to.max(each);
            if alone {
                exact.named_path = 1.0;
            }
        }
    }
}

/// The files whose paths end in `text`, and those that lie in a directory of that name.
fn ends_and_within(view: &dyn View, text: &str) -> (Vec<u32>, Vec<u32>) {
    // Of the words of the path the rarest leads to it.
    let mut rarest: Option<(u32, Term)> = None;
    words::terms(text.as_bytes(), |term| {
        let term = view.term(term);
        let count = view.frequency(Field::Path, &term);
        if rarest.as_ref().is_none_or(|(least, _)| count < *least) {
            rarest = Some((count, term));
        }
    });
    let (mut ends, mut within) = (Vec::new(), Vec::new());
    let Some((1.., term)) = rarest else {
        return (ends, within);
    };
    view.postings(Field::Path, &term, &mut |found| {
        for (file, _) in found {
            let path = view.path(*file);
            if path
                .strip_suffix(text)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            {
                ends.push(file.0);
            } else if holds(path, text) {
                within.push(file.0);
            }
        }
    });
    (ends, within)
}

fn name_file(file: FileId, mention: &Mention, found: &mut BTreeMap<u32, Exact>) {
    let exact = found.entry(file.0).or_default();
    exact.path = exact.path.max(mention.weight);
    if mention.weight >= 1.0 {
        exact.named_path = 1.0;
    }
}

/// The file that a path names when the tree begins further down: below the root of the file system,
/// below `a/` or `b/` of a diff, below the directory that holds the repository. A lone file name says
/// too little, unless all of the way to it was given.
fn behind_a_prefix(view: &dyn View, path: &str) -> Option<FileId> {
    let whole = path.starts_with('/') || path.starts_with("a/") || path.starts_with("b/");
    let mut rest = path.trim_matches('/');
    while let Some((_, below)) = rest.split_once('/') {
        rest = below;
        if !whole && !rest.contains('/') {
            break;
        }
        if let Some(file) = view.file_at(rest) {
            return Some(file);
        }
    }
    None
}

/// `directory` is one or more whole components of `path`.
fn holds(path: &str, directory: &str) -> bool {
    path.match_indices(directory).any(|(at, found)| {
        let before = path.get(..at).unwrap_or("");
        let after = path.get(at + found.len()..).unwrap_or("");
        (before.is_empty() || before.ends_with('/')) && after.starts_with('/')
    })
}
