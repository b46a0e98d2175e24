//! Area memory: which files and tests go with a part of the repository.

use std::collections::BTreeMap;

use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::record::{Area, AreaMemory, files};
use serde_json::{Value, json};

/// Entries of each counter.
const MAX_COUNTED: usize = 50;
/// Entries of the lists made of them.
const MAX_RELATED: usize = 8;
/// Areas kept; the ones worked in least go first.
const MAX_AREAS: usize = 200;

/// An execution, as far as areas care.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worked<'a> {
    pub(crate) area: &'a str,
    pub(crate) files: &'a [String],
    pub(crate) tests: &'a [String],
    /// A success was learned: failures are no strategies.
    pub(crate) learned: bool,
    /// A failure was recorded.
    pub(crate) failed: bool,
}

/// Area memory after an execution; `None` when the area is not known.
pub(crate) fn count(memory: &AreaMemory, worked: &Worked) -> Option<AreaMemory> {
    if worked.area.is_empty() || worked.area == "unknown" {
        return None;
    }
    let mut memory = memory.clone();
    memory.version = 1;
    let area = memory.areas.entry(worked.area.to_owned()).or_default();
    area.area_id = worked.area.to_owned();
    area.executions += 1;
    area.strategy_count += u64::from(worked.learned);
    area.failure_count += u64::from(worked.failed);
    add(&mut area.files, worked.files);
    add(&mut area.tests, worked.tests);
    area.related_files = most(&area.files);
    area.related_tests = most(&area.tests);
    while memory.areas.len() > MAX_AREAS {
        let least = memory
            .areas
            .iter()
            .filter(|(id, _)| *id != worked.area)
            .min_by_key(|(_, a)| a.executions)
            .map(|(id, _)| id.clone());
        match least {
            Some(id) => memory.areas.remove(&id),
            None => break,
        };
    }
    Some(memory)
}

fn add(counts: &mut BTreeMap<String, u64>, items: &[String]) {
    for item in items {
        *counts.entry(item.clone()).or_default() += 1;
    }
    while counts.len() > MAX_COUNTED {
        let least = counts
            .iter()
            .filter(|(name, _)| !items.contains(name))
            .min_by_key(|(_, n)| **n)
            .or_else(|| counts.iter().min_by_key(|(_, n)| **n))
            .map(|(name, _)| name.clone());
        match least {
            Some(name) => counts.remove(&name),
            None => break,
        };
    }
}

fn most(counts: &BTreeMap<String, u64>) -> Vec<String> {
    let mut all: Vec<(&String, &u64)> = counts.iter().collect();
    all.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    all.into_iter()
        .take(MAX_RELATED)
        .map(|(name, _)| name.clone())
        .collect()
}

/// The file of one area.
pub(crate) fn shard(area: &Area) -> Effect {
    Effect::ReplaceJson {
        file: crate::ids::shard(files::AREAS_DIR, &area.area_id),
        value: serde_json::to_value(area).unwrap_or_default(),
        order: KeyOrder::Sorted,
    }
}

/// `area_hints` of prepare.
pub(crate) fn hints(memory: &AreaMemory, area: &str) -> Value {
    let none = Area::default();
    let known = memory.areas.get(area).unwrap_or(&none);
    let mut hints = json!({
        "area_id": area, "related_files": known.related_files, "related_tests": known.related_tests,
        "area_strategy_count": known.strategy_count, "area_failure_count": known.failure_count,
    });
    known.origin.mark(&mut hints);
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_bounded_and_failures_are_no_strategies() {
        let mut memory = AreaMemory::default();
        for n in 0..80 {
            let files = [format!("src/{n}.rs"), "src/always.rs".to_owned()];
            let worked = Worked {
                area: "src",
                files: &files,
                tests: &[],
                learned: n % 2 == 0,
                failed: n % 2 == 1,
            };
            memory = count(&memory, &worked).unwrap();
        }
        let area = &memory.areas["src"];
        assert_eq!(area.files.len(), MAX_COUNTED);
        assert_eq!(area.related_files[0], "src/always.rs");
        assert_eq!(
            (area.executions, area.strategy_count, area.failure_count),
            (80, 40, 40)
        );
        assert!(
            count(
                &memory,
                &Worked {
                    area: "unknown",
                    files: &[],
                    tests: &[],
                    learned: false,
                    failed: false
                }
            )
            .is_none()
        );
    }
}
