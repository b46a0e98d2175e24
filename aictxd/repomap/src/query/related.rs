//! Which files have to do with a file, and what a change of it may break.

use std::collections::BTreeMap;

use aictx_proto::methods::{MapRelative, MapRelatives};

use super::same_package;
use crate::history::History;
use crate::index_view::{Class, FileId, View};
use crate::manifest::directory;
use crate::rank::Past;

/// How far imports are followed backwards.
const MAX_DISTANCE: u32 = 4;
/// Files that are followed at most: beyond it a change concerns everything.
const MAX_REACHED: usize = 5_000;

/// Newest commits of a file that are looked at.
const MAX_COMMITS: usize = 200;
/// Tests of one source file that are named.
const MAX_PAIRED: usize = 5;

/// What two files have in common, by weight in thousandths.
const IMPORTS: (&str, u32) = ("imports", 500);
const IMPORTED_BY: (&str, u32) = ("imported_by", 450);
const TESTED_BY: (&str, u32) = ("tested_by", 600);
const CHANGED_TOGETHER: (&str, u32) = ("changed_together", 700);
const SAME_PACKAGE: (&str, u32) = ("same_package", 300);

#[derive(Default)]
struct Found {
    score: u32,
    reasons: Vec<&'static str>,
    distance: u32,
}

impl Found {
    fn add(&mut self, reason: &'static str, score: u32) {
        self.score = (self.score + score).min(1_000);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
        self.distance = 1;
    }
}

/// Neighbours of a file: what it imports, what imports it, its tests, what changes when it changes.
pub fn related(
    view: &dyn View,
    past: (&History, &Past),
    file: FileId,
    limit: usize,
) -> MapRelatives {
    let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
    let mut add = |other: FileId, (reason, score): (&'static str, u32)| {
        if other != file {
            found.entry(other).or_default().add(reason, score);
        }
    };
    for other in view.imports(file) {
        add(*other, IMPORTS);
    }
    for other in view.importers(file) {
        // A file that everything imports is close to nothing in particular.
        let (reason, score) = IMPORTED_BY;
        let crowd = view.importers(file).len().max(1) as f32;
        add(*other, (reason, (score as f32 / crowd.sqrt()) as u32 + 50));
    }
    for other in paired(view, file) {
        add(other, TESTED_BY);
    }
    for (other, score) in in_package(view, file) {
        add(other, (SAME_PACKAGE.0, score));
    }
    for (other, share) in changed_together(past.0, past.1, file) {
        let (reason, score) = CHANGED_TOGETHER;
        add(other, (reason, (score as f32 * share) as u32));
    }
    listed(view, file, found, limit)
}

/// Files that may break when a file changes, the nearest first: those that import it, directly or
/// through others, its tests, and what used to change with it.
pub fn impact(
    view: &dyn View,
    past: (&History, &Past),
    file: FileId,
    limit: usize,
) -> MapRelatives {
    let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
    let mut edge = vec![file];
    let mut cut = false;
    for distance in 1..=MAX_DISTANCE {
        let mut next = Vec::new();
        for near in edge {
            for other in view.importers(near) {
                if *other == file || found.contains_key(other) {
                    continue;
                }
                let (reason, score) = IMPORTED_BY;
                let known = Found {
                    score: score * 2 / (distance + 1),
                    reasons: vec![reason],
                    distance,
                };
                found.insert(*other, known);
                next.push(*other);
            }
            if found.len() > MAX_REACHED {
                cut = true;
                break;
            }
        }
        edge = next;
    }
    let near = paired(view, file)
        .into_iter()
        .map(|o| (o, TESTED_BY.0, TESTED_BY.1));
    let together = changed_together(past.0, past.1, file)
        .into_iter()
        .filter(|(_, share)| *share > 0.1)
        .map(|(o, share)| {
            (
                o,
                CHANGED_TOGETHER.0,
                (CHANGED_TOGETHER.1 as f32 * share) as u32,
            )
        });
    let package = in_package(view, file)
        .into_iter()
        .map(|(other, score)| (other, SAME_PACKAGE.0, score));
    for (other, reason, score) in near.chain(together).chain(package) {
        if other != file {
            found.entry(other).or_default().add(reason, score);
        }
    }
    let mut tests: Vec<(u32, FileId)> = found
        .iter()
        .filter(|(other, _)| view.class(**other) == Class::Test)
        .map(|(other, found)| (found.distance, *other))
        .collect();
    tests.sort_unstable();
    let mut reply = listed(view, file, found, limit);
    let paths = tests.iter().map(|(_, test)| view.path(*test).to_owned());
    reply.tests = paths.take(limit).collect();
    reply.truncated |= cut;
    reply
}

/// Files that changed in the same commits, with the share of this file's commits that they were
/// part of; commits of many files say less. Rare coincidences are left out.
fn changed_together(history: &History, past: &Past, file: FileId) -> Vec<(FileId, f32)> {
    let Some(path) = past.path_of(file) else {
        return Vec::new();
    };
    let mut weights: BTreeMap<u32, (f32, u32)> = BTreeMap::new();
    let mut sum = 0.0;
    for commit in history.commits_of(path).iter().take(MAX_COMMITS) {
        let files = history.files(*commit);
        if files.len() < 2 {
            sum += 1.0;
            continue;
        }
        let weight = 1.0 / ((files.len() - 1) as f32).sqrt();
        sum += weight;
        for other in files.iter().filter(|other| **other != path) {
            let entry = weights.entry(*other).or_default();
            *entry = (entry.0 + weight, entry.1 + 1);
        }
    }
    weights
        .into_iter()
        .filter(|(_, (_, times))| *times > 1)
        .filter_map(|(other, (weight, _))| Some((past.file_of(other)?, weight / sum)))
        .collect()
}

/// Tests of a source file, sources of a test: files of the same name, test marks aside, the nearest
/// by directory.
fn paired(view: &dyn View, file: FileId) -> Vec<FileId> {
    let path = view.path(file);
    let key = bare_name(path);
    if key.is_empty() {
        return Vec::new();
    }
    let is_test = |file| matches!(view.class(file), Class::Test | Class::Fixture);
    let family = family(view.language(file));
    // `a.go` and `a_test.go` are a pair where they lie together only.
    let fits = |other: FileId| {
        let its = view.path(other);
        self::family(view.language(other)) == family
            && (key.len() >= 3 || directory(its) == directory(path))
    };
    let mut found: Vec<(std::cmp::Reverse<usize>, FileId)> = (0..view.files())
        .map(FileId)
        .filter(|other| is_test(*other) != is_test(file) && bare_name(view.path(*other)) == key)
        .filter(|other| fits(*other))
        .map(|other| {
            (
                std::cmp::Reverse(shared_directories(path, view.path(other))),
                other,
            )
        })
        .collect();
    found.sort_unstable();
    found.truncate(MAX_PAIRED);
    found.into_iter().map(|(_, other)| other).collect()
}

/// Languages whose files test each other, by one of them.
fn family(language: &str) -> &str {
    match language {
        "typescript" | "tsx" | "jsx" | "vue" | "svelte" => "javascript",
        "cpp" | "objc" => "c",
        "kotlin" | "scala" | "groovy" => "java",
        language => language,
    }
}

/// Files of the same package that use what a file defines, with a score that grows with how much.
fn in_package(view: &dyn View, file: FileId) -> Vec<(FileId, u32)> {
    let (_, most) = SAME_PACKAGE;
    same_package::users(view, file)
        .into_iter()
        .map(|(other, names)| (other, most - most / (names + 1)))
        .collect()
}

/// File name without suffixes and test marks, in lower case.
fn bare_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let parts = stem.split(['_', '-']);
    let parts: Vec<_> = parts
        .filter(|part| !matches!(*part, "test" | "tests" | "spec" | "it" | "bench"))
        .collect();
    let joined = parts.join("_");
    let joined = joined.strip_suffix("tests").unwrap_or(&joined);
    joined.strip_suffix("test").unwrap_or(joined).to_owned()
}

fn shared_directories(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

fn listed(
    view: &dyn View,
    file: FileId,
    found: BTreeMap<FileId, Found>,
    limit: usize,
) -> MapRelatives {
    let mut order: Vec<(FileId, Found)> = found.into_iter().collect();
    order.sort_by_key(|(other, found)| (found.distance, std::cmp::Reverse(found.score), *other));
    let truncated = order.len() > limit;
    order.truncate(limit);
    let results = order
        .into_iter()
        .map(|(other, found)| MapRelative {
            path: view.path(other).to_owned(),
            score: found.score,
            reasons: found.reasons.iter().map(|r| (*r).to_owned()).collect(),
            distance: found.distance,
        })
        .collect();
    MapRelatives {
        path: view.path(file).to_owned(),
        results,
        tests: Vec::new(),
        truncated,
        freshness: Default::default(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::indexer::index_contents;

    fn impact_of(files: &[(&str, &str)], path: &str) -> Vec<(String, Vec<String>)> {
        let contents = files
            .iter()
            .map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec()));
        let tree = index_contents(contents.collect(), 1 << 20, &mut |_| {});
        let history = History::default();
        let past = Past::new(&tree, &history);
        let file = tree.file_at(path).unwrap();
        let found = impact(&tree, (&history, &past), file, 20);
        found
            .results
            .into_iter()
            .map(|r| (r.path, r.reasons))
            .collect()
    }

    #[test]
    fn tests_are_paired_within_a_language() {
        let files = [
            ("rs/inner/mod.rs", "pub fn one() {}"),
            ("py/test_mod.py", "def test_it(): pass"),
            ("py/mod.py", "def it(): pass"),
            ("a.go", "package a"),
            ("a_test.go", "package a"),
            ("b/a_test.go", "package b"),
            ("web/card.vue", "<script>export default {}</script>"),
            ("web/card.spec.ts", "it('x', () => {})"),
        ];
        let paths = |path| {
            let found = impact_of(&files, path);
            found.into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        };
        assert_eq!(paths("rs/inner/mod.rs"), [""; 0]);
        assert_eq!(paths("py/mod.py"), ["py/test_mod.py"]);
        assert_eq!(paths("a.go"), ["a_test.go"]);
        assert_eq!(paths("web/card.vue"), ["web/card.spec.ts"]);
    }

    #[test]
    fn files_of_a_package_use_each_other_without_imports() {
        let files = [
            ("go.mod", "module example.org/m\n"),
            (
                "p/store.go",
                "package p\n\nfunc OpenStore() {}\n\nfunc init() {}\n",
            ),
            ("p/serve.go", "package p\n\nfunc serve() { OpenStore() }\n"),
            ("p/other.go", "package p\n\nfunc other() {}\n"),
            (
                "q/far.go",
                "package q\n\n// OpenStore is elsewhere.\nfunc far() {}\n",
            ),
        ];
        let found = impact_of(&files, "p/store.go");
        let reason = vec!["same_package".to_owned()];
        assert_eq!(found, [("p/serve.go".to_owned(), reason)]);
    }
}
