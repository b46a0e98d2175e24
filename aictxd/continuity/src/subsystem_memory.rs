//! Semantic repository memory: what the parts of a repository are.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{SemanticRepo, Subsystem, files};
use aictx_proto::text::clean;
use serde_json::Value;

use crate::error::ReportError;
use crate::item_flags;
use crate::text_similarity::{shared, terms};

/// Sub-systems kept.
const MAX_SUBSYSTEMS: usize = 200;
/// Up to this many are all told.
const FEW: usize = 4;
/// Told of more.
const BEST: usize = 3;

/// Reads updates as callers give them: objects with a `name`.
///
/// # Errors
/// Which one is not an update, and why.
pub(crate) fn parse(given: &[Value]) -> Result<Vec<Subsystem>, ReportError> {
    let mut out = Vec::new();
    for (at, update) in given.iter().enumerate() {
        let text = |name: &str, limit| {
            clean(
                update.get(name).and_then(Value::as_str).unwrap_or_default(),
                limit,
            )
        };
        let list = |name: &str, limit: usize| -> Vec<String> {
            let entries = update.get(name).and_then(Value::as_array);
            let texts = entries.into_iter().flatten().filter_map(Value::as_str);
            texts
                .map(|t| clean(t, 240))
                .filter(|t| !t.is_empty())
                .take(limit)
                .collect()
        };
        let name = text("name", 84);
        if name.is_empty() {
            return Err(ReportError::UnnamedSubsystem(at + 1));
        }
        out.push(Subsystem {
            name,
            description: text("description", 500),
            key_paths: list("key_paths", 12),
            entry_points: list("entry_points", 8),
            relevant_tests: list("relevant_tests", 12),
            fragile_areas: list("fragile_areas", 8),
            ..Subsystem::default()
        });
    }
    Ok(out)
}

/// Merges updates by name and adds what the execution observed; gives the memory and the writes.
pub(crate) fn update(
    memory: &SemanticRepo,
    updates: &[Subsystem],
    observed: (&[String], &[String]),
    (repo_id, session): (&str, u64),
    now: Timestamp,
) -> Option<(SemanticRepo, Effects)> {
    if updates.is_empty() {
        return None;
    }
    let (paths, tests) = observed;
    let mut memory = memory.clone();
    let mut effects = Effects::new();
    for update in updates {
        let at = memory.subsystems.iter().position(|s| s.name == update.name);
        let mut next = match at {
            Some(at) => memory.subsystems.remove(at),
            None => Subsystem {
                name: update.name.clone(),
                ..Subsystem::default()
            },
        };
        if !update.description.is_empty() {
            next.description.clone_from(&update.description);
        }
        merge(
            &mut next.key_paths,
            update.key_paths.iter().chain(paths),
            12,
        );
        merge(&mut next.entry_points, update.entry_points.iter(), 8);
        merge(
            &mut next.relevant_tests,
            update.relevant_tests.iter().chain(tests),
            12,
        );
        merge(&mut next.fragile_areas, update.fragile_areas.iter(), 8);
        next.updated_at = now.to_string();
        effects.push(Effect::ReplaceJson {
            file: shard(&next.name),
            value: serde_json::to_value(&next).unwrap_or_default(),
            order: KeyOrder::Sorted,
        });
        match at {
            Some(at) => memory.subsystems.insert(at, next),
            None => memory.subsystems.push(next),
        }
    }
    let over = memory.subsystems.len().saturating_sub(MAX_SUBSYSTEMS);
    memory.subsystems.drain(..over);
    memory.repo_id = repo_id.to_owned();
    memory.source_session = session;
    memory.updated_at = now.to_string();
    effects.insert(0, snapshot(&memory));
    Some((memory, effects))
}

/// The file of all sub-systems.
pub(crate) fn snapshot(memory: &SemanticRepo) -> Effect {
    Effect::ReplaceJson {
        file: files::SEMANTIC_REPO.to_owned(),
        value: serde_json::to_value(memory).unwrap_or_default(),
        order: KeyOrder::Sorted,
    }
}

/// File of one sub-system.
pub(crate) fn shard(name: &str) -> String {
    crate::ids::shard(files::SEMANTIC_DIR, name)
}

/// New entries first; the ones that were not seen for longest make room.
fn merge<'a>(list: &mut Vec<String>, new: impl Iterator<Item = &'a String>, limit: usize) {
    let old = std::mem::take(list);
    for item in new.cloned().chain(old) {
        if !list.contains(&item) && list.len() < limit {
            list.push(item);
        }
    }
}

/// The sub-systems that a request is about: all when there are few, else the best three.
pub(crate) fn relevant<'a>(
    memory: &'a SemanticRepo,
    request: &str,
    paths: &[String],
    area: &str,
) -> Vec<&'a Subsystem> {
    let usable: Vec<&Subsystem> = memory
        .subsystems
        .iter()
        .filter(|s| !item_flags::is_wrong(&s.extra))
        .collect();
    if usable.len() <= FEW {
        return usable;
    }
    let asked = terms(request);
    let mut scored: Vec<(usize, &Subsystem)> = usable
        .into_iter()
        .map(|s| {
            let in_name = 3 * shared(&asked, &terms(&s.name));
            let in_text = shared(&asked, &terms(&s.description));
            let in_entry = shared(&asked, &terms(&s.entry_points.join(" ")));
            let given = 4 * usize::from(s.key_paths.iter().any(|p| paths.contains(p)));
            let inside = |p: &String| {
                p.strip_prefix(area)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let near = !area.is_empty() && area != "unknown" && s.key_paths.iter().any(inside);
            (
                in_name + in_text + in_entry + given + 3 * usize::from(near),
                s,
            )
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    scored.into_iter().take(BEST).map(|(_, s)| s).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn updates_merge_by_name_and_take_what_was_observed() {
        let updates =
            parse(&[json!({"name": "auth", "description": "login", "key_paths": ["a.py"]})])
                .unwrap();
        let seen = ["b.py".to_owned()];
        let now = Timestamp::from_unix(0);
        let (memory, effects) = update(
            &SemanticRepo::default(),
            &updates,
            (&seen, &[]),
            ("r", 2),
            now,
        )
        .unwrap();
        assert_eq!(memory.subsystems[0].key_paths, ["a.py", "b.py"]);
        assert_eq!(effects.len(), 2);
        let second = parse(&[json!({"name": "auth", "key_paths": ["c.py"]})]).unwrap();
        let (memory, _) = update(&memory, &second, (&[], &[]), ("r", 3), now).unwrap();
        assert_eq!(memory.subsystems.len(), 1);
        assert_eq!(memory.subsystems[0].key_paths, ["c.py", "a.py", "b.py"]);
        assert_eq!(memory.subsystems[0].description, "login");
        assert!(parse(&[json!({"description": "x"})]).is_err());
        assert_eq!(
            shard("auth"),
            "continuity/semantic_repo/auth--bdf49c3c.json"
        );
    }
}
