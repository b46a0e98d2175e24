use std::sync::Arc;

use aictx_proto::record::{ActivePointer, Thread};
use serde_json::{Map, Value, json};

use super::*;
use crate::error::TaskError;

const WHO: (&str, &str, &str) = ("claude", "claude", "s");

fn now(n: i64) -> Timestamp {
    Timestamp::from_unix(1_000_000 + n)
}

fn here() -> Checkout {
    Checkout {
        worktree: ".".into(),
        branch: "main".into(),
        head: "a".repeat(40),
        ..Checkout::default()
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// A repository's memory of threads, changed by the effects of commands.
#[derive(Default)]
struct Memory(Snapshot);

impl Memory {
    fn apply(&mut self, effects: &[Effect]) {
        for effect in effects {
            let Effect::ReplaceJson { file, value, .. } = effect else {
                continue;
            };
            if file == files::ACTIVE_TASK {
                let pointer: ActivePointer = serde_json::from_value(value.clone()).unwrap();
                self.0.pointer = Arc::new(pointer);
            } else {
                let thread: Thread = serde_json::from_value(value.clone()).unwrap();
                let mut all = (*self.0.threads).clone();
                all.retain(|t| t.task_id != thread.task_id);
                all.push(Arc::new(thread));
                self.0.threads = Arc::new(all);
            }
        }
    }

    fn start(&mut self, goal: &str, n: i64) -> Result<String, TaskError> {
        self.start_at(goal, &here(), n)
    }

    fn start_at(&mut self, goal: &str, at: &Checkout, n: i64) -> Result<String, TaskError> {
        let (done, effects) = start_task(&self.0, at, WHO, goal, "", &Map::new(), false, now(n))?;
        self.apply(&effects);
        Ok(done.thread.task_id)
    }

    fn update(&mut self, id: &str, patch: Value, n: i64) -> Result<TaskOutcome, TaskError> {
        let (done, effects) = update_task(&self.0, &here(), WHO, id, &object(patch), now(n))?;
        self.apply(&effects);
        Ok(done)
    }

    fn close(&mut self, id: &str, n: i64) -> Result<TaskOutcome, TaskError> {
        let (done, effects) = close_task(&self.0, &here(), WHO, id, "", &Map::new(), now(n))?;
        self.apply(&effects);
        Ok(done)
    }

    fn active(&self, at: &Checkout) -> Option<String> {
        active_thread(&self.0, at).thread.map(|t| t.task_id.clone())
    }
}

#[test]
fn w16_goals_in_any_script_get_their_own_ids() {
    assert_eq!(task_id("Fix: the Thing!"), "fix-the-thing");
    assert!(task_id("修复登录").starts_with("task-"));
    assert_ne!(task_id("修复登录"), task_id("修复注册"));
    assert_ne!(
        task_id("corregir el diseño"),
        task_id("corregir el disenio")
    );
    let long = "word ".repeat(40);
    assert!(task_id(&long).len() <= 80);
    assert_ne!(task_id(&long), task_id(&format!("{long}x")));
}

#[test]
fn w19_starting_twice_refuses_and_nothing_unknown_is_made() {
    let mut memory = Memory::default();
    let id = memory.start("fix the parser", 0).unwrap();
    memory
        .update(&id, json!({"next_action": "write a test"}), 1)
        .unwrap();
    assert_eq!(
        memory.start("fix the parser", 2),
        Err(TaskError::Exists(id.clone()))
    );
    assert_eq!(
        find_thread(&memory.0, &id).unwrap().next_action,
        "write a test"
    );
    assert_eq!(
        memory.update("nope", json!({"goal": "x"}), 3).unwrap_err(),
        TaskError::NoSuch("nope".into())
    );
    assert_eq!(
        memory.close("nope", 3).unwrap_err(),
        TaskError::NoSuch("nope".into())
    );
    assert_eq!(
        Memory::default().close("", 3).unwrap_err(),
        TaskError::NoActive
    );
}

#[test]
fn w19_closing_one_task_leaves_the_others_in_place() {
    let mut memory = Memory::default();
    let first = memory.start("first", 0).unwrap();
    let second = memory.start("second", 1).unwrap();
    assert_eq!(memory.active(&here()), Some(second.clone()));
    memory.close(&first, 2).unwrap();
    assert_eq!(memory.active(&here()), Some(second.clone()));
    memory
        .update(&second, json!({"status": "resolved"}), 3)
        .unwrap();
    assert_eq!(
        memory.active(&here()),
        None,
        "a resolved task is not active"
    );
    assert_eq!(memory.0.pointer.active_task_id, "");
}

#[test]
fn w19_updating_another_task_does_not_move_the_focus() {
    let mut memory = Memory::default();
    let first = memory.start("first", 0).unwrap();
    let second = memory.start("second", 1).unwrap();
    memory.update(&first, json!({"risks": ["x"]}), 2).unwrap();
    assert_eq!(memory.active(&here()), Some(second));
}

#[test]
fn w12_full_lists_keep_the_newest_and_entries_can_be_removed() {
    let mut memory = Memory::default();
    let id = memory.start("t", 0).unwrap();
    for n in 0..13 {
        memory
            .update(&id, json!({"active_files": [format!("f{n}")]}), n)
            .unwrap();
    }
    let files = &find_thread(&memory.0, &id).unwrap().active_files;
    assert_eq!(
        (files.len(), files[0].as_str(), files[11].as_str()),
        (12, "f1", "f12")
    );
    memory
        .update(
            &id,
            json!({"active_files": {"remove": ["f3"], "add": ["g"]}}),
            20,
        )
        .unwrap();
    let files = &find_thread(&memory.0, &id).unwrap().active_files;
    assert!(!files.contains(&"f3".to_owned()) && files.contains(&"g".to_owned()));
    memory
        .update(&id, json!({"active_files": null}), 21)
        .unwrap();
    assert!(find_thread(&memory.0, &id).unwrap().active_files.is_empty());
}

#[test]
fn w20_wrong_patches_are_refused_whole_and_by_name() {
    let mut memory = Memory::default();
    let id = memory.start("t", 0).unwrap();
    for (patch, name) in [
        (
            json!({"goal": "new", "active_files": "abc"}),
            "active_files",
        ),
        (json!({"goal": "new", "verified": 7}), "verified"),
        (json!({"goal": "new", "status": "flying"}), "status"),
        (json!({"goal": "new", "colour": "red"}), "colour"),
        (json!({"goal": 7}), "goal"),
        (json!({"risks": {"replace": []}}), "risks"),
        (json!({"risks": [1]}), "risks"),
    ] {
        match memory.update(&id, patch.clone(), 1) {
            Err(TaskError::Field { name: found, .. }) => assert_eq!(found, name),
            other => panic!("{patch}: {other:?}"),
        }
        assert_eq!(find_thread(&memory.0, &id).unwrap().goal, "t");
    }
    assert_eq!(
        memory.update(&id, json!({}), 1).unwrap_err(),
        TaskError::Empty
    );
}

#[test]
fn w29_events_hold_what_was_changed() {
    let mut memory = Memory::default();
    let id = memory.start("t", 0).unwrap();
    let patch = object(json!({"next_action": "x"}));
    let (done, effects) = update_task(&memory.0, &here(), WHO, &id, &patch, now(1)).unwrap();
    assert_eq!(done.changed_fields, ["next_action"]);
    let event = effects.iter().find_map(|e| match e {
        Effect::AppendRows { file, rows, .. } if file.ends_with(".events.jsonl") => Some(&rows[0]),
        _ => None,
    });
    let event = event.unwrap();
    assert_eq!(
        (&event["fields"], &event["patch"]),
        (&json!(["next_action"]), &json!({"next_action": "x"}))
    );
}

#[test]
fn w15_branches() {
    let mut memory = Memory::default();
    let id = memory.start("t", 0).unwrap();
    let at = |branch: &str, head: &str| Checkout {
        branch: branch.into(),
        head: head.repeat(40),
        ..here()
    };
    // Started on main, edited, `checkout -b`: the same commit.
    assert_eq!(memory.active(&at("feature", "a")), Some(id.clone()));
    assert_eq!(memory.active(&at("main", "b")), Some(id.clone()));
    // Another branch that does not have the commit.
    let active = active_thread(&memory.0, &at("other", "c"));
    assert!(active.thread.is_none());
    assert_eq!(
        active.skipped.unwrap()["reason"],
        "branch_mismatch_unmerged"
    );
    // One that has.
    let merged = Checkout {
        ancestors: ["a".repeat(40)].into(),
        ..at("other", "c")
    };
    assert_eq!(memory.active(&merged), Some(id.clone()));
    // Left paused: the same rule.
    memory.update(&id, json!({"status": "paused"}), 1).unwrap();
    assert!(active_thread(&memory.0, &at("other", "c")).recent.is_none());
    assert!(active_thread(&memory.0, &here()).recent.is_some());
}

#[test]
fn one_thread_is_active_a_worktree_and_branch() {
    let mut memory = Memory::default();
    let main = memory.start("in the main worktree", 0).unwrap();
    let linked = Checkout {
        worktree: "../linked".into(),
        branch: "feature".into(),
        ..here()
    };
    let other = memory.start_at("in the linked one", &linked, 1).unwrap();
    assert_eq!(memory.active(&here()), Some(main.clone()));
    assert_eq!(memory.active(&linked), Some(other.clone()));
    let branch = Checkout {
        branch: "topic".into(),
        ..here()
    };
    let topic = memory.start_at("on a branch", &branch, 2).unwrap();
    assert_eq!(memory.active(&here()), Some(main));
    assert_eq!(memory.active(&branch), Some(topic));
    assert_eq!(memory.active(&linked), Some(other));
}

#[test]
fn files_of_the_ancestor_are_understood() {
    let snapshot = Snapshot {
        threads: Arc::new(vec![Arc::new(Thread {
            task_id: "a".into(),
            status: "in_progress".into(),
            ..Thread::default()
        })]),
        pointer: Arc::new(ActivePointer {
            active_task_id: "a".into(),
            ..ActivePointer::default()
        }),
        ..Snapshot::default()
    };
    assert_eq!(
        active_thread(&snapshot, &here()).thread.unwrap().task_id,
        "a"
    );
}

#[test]
fn evidence_goes_into_the_thread_and_done_steps_leave() {
    let thread = Thread {
        next_action: "make `pytest -q` pass".into(),
        unverified: vec!["Contract gap (needs-validation): run pytest -q".into()],
        ..Thread::default()
    };
    let checks = ["pytest -q".to_owned()];
    let files = ["a.py".to_owned()];
    let evidence = Evidence {
        execution_id: "e",
        files: &files,
        passed_checks: &checks,
        checks: &checks,
        errors: &[],
        success: Some(true),
        next_step: None,
        gaps: &[],
        closed: &["missing_validation"],
    };
    let next = merge_execution(&thread, &evidence);
    assert_eq!(next.next_action, "");
    assert!(next.unverified.is_empty());
    assert_eq!(next.verified, ["Test command passed: pytest -q"]);
    assert_eq!(next.active_files, ["a.py"]);
}

proptest::proptest! {
    #[test]
    fn any_patch_leaves_a_bounded_thread_or_none(name in "[a-z_]{1,20}", text in ".{0,400}", n in 0usize..40) {
        let mut memory = Memory::default();
        let id = memory.start("t", 0).unwrap();
        let list: Vec<String> = (0..n).map(|i| format!("{text}{i}")).collect();
        for value in [json!(text), json!(list), json!({"set": list}), json!(n), json!({"add": [{"hypothesis": text}]})] {
            let _ = memory.update(&id, json!({ name.clone(): value }), 1);
            let thread = find_thread(&memory.0, &id).unwrap();
            for list in [&thread.active_files, &thread.verified, &thread.risks, &thread.recommended_commands] {
                assert!(list.len() <= 12 && list.iter().all(|t| t.chars().count() <= 240));
            }
            assert!(THREADS.contains(&thread.status.as_str()));
        }
    }
}

const THREADS: &[&str] = aictx_proto::record::THREAD_STATES;
