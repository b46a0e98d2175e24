//! Files of one package that use each other without an import.

use std::collections::BTreeMap;

use crate::facts::Kind;
use crate::index_view::{Field, FileId, View};
use crate::manifest::directory;
use crate::words;

/// Languages in which the files of a directory see each other's definitions.
const LANGUAGES: &[&str] = &["go", "java", "kotlin", "scala", "csharp", "swift"];
/// Definitions of the file that are looked for.
const MAX_NAMES: usize = 64;
/// Words that more files have say nothing, and would take long to look through.
const MAX_FREQUENCY: u32 = 4_000;
/// Shorter names stand in too many files by chance.
const MIN_NAME: usize = 3;

/// Files beside this one that have the name of something that it defines, and of how many such things.
/// A word that stands there for something else counts, too: only words are known, not what they mean.
pub(super) fn users(view: &dyn View, file: FileId) -> BTreeMap<FileId, u32> {
    let mut found = BTreeMap::new();
    let language = view.language(file);
    if !LANGUAGES.contains(&language) {
        return found;
    }
    let here = directory(view.path(file));
    let is_beside = |other: FileId| {
        other != file && directory(view.path(other)) == here && view.language(other) == language
    };
    for name in names(view, file) {
        let mut files: Option<Vec<FileId>> = None;
        let mut terms: Vec<String> = Vec::new();
        words::terms(name.as_bytes(), |term| {
            if !terms.iter().any(|known| known == term) {
                terms.push(term.to_owned());
            }
        });
        let mut terms: Vec<_> = terms.iter().map(|term| view.term(term)).collect();
        terms.sort_by_key(|term| view.frequency(Field::Body, term));
        let rarest = terms.first();
        if rarest.is_none_or(|term| view.frequency(Field::Body, term) > MAX_FREQUENCY) {
            continue;
        }
        for term in &terms {
            if files.is_some() && view.frequency(Field::Body, term) > MAX_FREQUENCY {
                break;
            }
            let mut have = Vec::new();
            view.postings(Field::Body, term, &mut |postings| {
                have.extend(postings.iter().map(|(f, _)| *f).filter(|f| is_beside(*f)));
            });
            have.sort_unstable();
            let has = |file: &FileId| have.binary_search(file).is_ok();
            files = Some(match files {
                Some(files) => files.into_iter().filter(has).collect(),
                None => have,
            });
        }
        for user in files.unwrap_or_default() {
            *found.entry(user).or_insert(0) += 1;
        }
    }
    found
}

/// What a file defines at its top.
fn names(view: &dyn View, file: FileId) -> Vec<&str> {
    let symbols = (0..view.symbol_count(file)).filter_map(|number| view.symbol(file, number));
    let mut names: Vec<&str> = symbols
        .filter(|symbol| symbol.container.is_none() && symbol.kind != Kind::Method)
        .map(|symbol| symbol.name)
        .filter(|name| name.len() >= MIN_NAME && !matches!(*name, "init" | "main"))
        .take(4 * MAX_NAMES)
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_NAMES);
    names
}
