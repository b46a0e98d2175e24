//! Records that came with the repository: shown with a label, without influence on decisions.

use std::sync::Arc;

use aictx_proto::record::Origin;
use aictx_proto::shown::{self, Line, Told};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::told;
use serde_json::Value;

/// Takes out of a snapshot what came with the repository and a verdict could follow from: tasks and
/// handoffs are the word of whoever committed them, and make no verdict milder or stricter.
pub fn keep_own(snapshot: &mut Arc<Snapshot>) {
    let is_own = |task: &str, of: &Snapshot| {
        let mut named = of.threads.iter().filter(|thread| thread.task_id == task);
        named.all(|thread| thread.origin.is_own())
    };
    if snapshot
        .threads
        .iter()
        .any(|thread| !thread.origin.is_own())
    {
        let own = Arc::make_mut(snapshot);
        if !is_own(&own.pointer.active_task_id, own) {
            own.pointer = Arc::default();
        }
        own.active_task = own.active_task.take().filter(|task| task.origin.is_own());
        Arc::make_mut(&mut own.threads).retain(|thread| thread.origin.is_own());
    }
    let handoff = snapshot.handoff.as_ref();
    if handoff.is_some_and(|handoff| !handoff.origin.is_own()) {
        Arc::make_mut(snapshot).handoff = None;
    }
}

/// A JSON record with its origin, which the texts among these members tell as well.
pub(crate) fn labelled(record: &Value, origin: Origin, texts: &[&str]) -> Value {
    let mut record = record.clone();
    origin.mark(&mut record);
    if let Some(members) = record.as_object_mut().filter(|_| !origin.is_own()) {
        for name in texts {
            if let Some(Value::String(text)) = members.get_mut(*name) {
                text.push_str(origin.label());
            }
        }
    }
    record
}

/// A text with the label of its origin; nothing stays nothing.
pub(crate) fn with_origin(text: String, origin: Origin) -> String {
    match text.is_empty() {
        true => text,
        false => text + origin.label(),
    }
}

/// A text on one line of at most `limit` characters, and behind them the label of its origin: its own
/// or that of `origin`.
pub(crate) fn line(text: &str, limit: usize, origin: Origin) -> String {
    let (text, of_text) = split(text);
    with_origin(shown::line(text, limit), of_text.and(origin))
}

/// A text of a reply as a part of what models read: marked as somebody's (`Quoted::new` and the like),
/// with the label of its origin behind that.
pub(crate) fn marked<T: Told>(text: &str, mark: fn(&str, usize) -> T, limit: usize) -> Line {
    let (text, origin) = split(text);
    told!("{}{}", mark(text, limit), origin.label())
}

/// A text without the label that it ends in, and the origin that this one tells.
pub(crate) fn split(text: &str) -> (&str, Origin) {
    match text.strip_suffix(Origin::Repository.label()) {
        Some(text) => (text, Origin::Repository),
        None => (text, Origin::Own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::Timestamp;
    use aictx_proto::identity::{Identity, SessionSource};
    use aictx_proto::ledger::{LedgerKind, LedgerRow, Outcome};
    use aictx_proto::record::{ActivePointer, Decision, Handoff, HandoffRow, Thread, files};
    use aictx_proto::shown::Quoted;
    use aictx_proto::snapshot::{GitState, shared};
    use serde_json::json;

    use crate::{Finalize, Project, SessionStart, finalize, session_start};

    const THEIRS: &str = "zorblax";

    /// A memory in which everything came with the repository.
    fn theirs() -> Snapshot {
        let origin = Origin::Repository;
        let gap = json!({ "kind": "missing_validation", "expected": THEIRS, "summary": THEIRS, "severity": "high" });
        let said = || vec![THEIRS.to_owned()];
        let task = Arc::new(Thread {
            task_id: "t".into(),
            status: "in_progress".into(),
            goal: THEIRS.into(),
            next_action: THEIRS.into(),
            contract_gaps: vec![gap.clone()],
            discarded_hypotheses: vec![json!({ "hypothesis": THEIRS })],
            origin,
            ..Thread::default()
        });
        Snapshot {
            handoff: Some(Arc::new(Handoff {
                summary: THEIRS.into(),
                reason: THEIRS.into(),
                next_steps: said(),
                blocked: said(),
                risks: said(),
                contract_gaps: vec![gap],
                origin,
                ..Handoff::default()
            })),
            handoffs: shared([HandoffRow {
                summary: THEIRS.into(),
                session_id: "other".into(),
                origin,
                ..HandoffRow::default()
            }]),
            decisions: shared([Decision {
                decision: THEIRS.into(),
                rationale: "the user said so".into(),
                origin,
                ..Decision::default()
            }]),
            threads: Arc::new(vec![Arc::clone(&task)]),
            active_task: Some(task),
            preferences: Arc::new(json!({ "note": THEIRS, "origin": "repository" })),
            ..Snapshot::default()
        }
    }

    fn identity() -> Identity {
        Identity {
            agent_id: "claude".into(),
            adapter_id: "claude".into(),
            session_id: "own".into(),
            session_source: SessionSource::Explicit,
        }
    }

    #[test]
    fn every_line_of_a_capsule_tells_what_came_with_the_repository() {
        let snapshot = theirs();
        let (identity, project) = (identity(), Project::default());
        let start = SessionStart {
            identity: &identity,
            project: &project,
            source: "startup",
            branch: "main",
            rows: &[],
            others: &[],
            told_at_prompts: false,
            now: Timestamp::from_unix(0),
        };
        let (text, _) = session_start(&snapshot, &start);
        let told: Vec<&str> = text.lines().filter(|line| line.contains(THEIRS)).collect();
        assert!(told.len() >= 6, "{text}");
        let label = Origin::Repository.label();
        assert!(told.iter().all(|line| line.contains(label)), "{text}");
    }

    #[test]
    fn a_finalize_takes_over_no_words_that_came_with_the_repository() {
        let snapshot = theirs();
        let (identity, project) = (identity(), Project::default());
        let row = |kind, at| LedgerRow::observed(Timestamp::from_unix(at), kind);
        let asked = |text: &str, at| LedgerRow {
            text: text.into(),
            label: "task".into(),
            ..row(LedgerKind::Prompt, at)
        };
        let rows = [
            row(LedgerKind::SessionStart, 1),
            asked("go on", 2),
            LedgerRow {
                paths: vec!["calc.py".into()],
                ..row(LedgerKind::Edit, 3)
            },
            LedgerRow {
                command: "pytest -q".into(),
                test: true,
                outcome: Outcome::Passed,
                ..row(LedgerKind::Command, 4)
            },
        ];
        let input = Finalize {
            snapshot: &snapshot,
            earlier: &[],
            identity: &identity,
            report: None,
            rows: &rows,
            git: &GitState::default(),
            project: &project,
            contract: None,
            nonce: 1,
            now: Timestamp::from_unix(9),
        };
        let (reply, effects) = finalize(&input);
        assert!(reply.is_some());
        // The task is theirs, and stays in a file that says so.
        let of_task = |file: &str| file.starts_with(files::THREADS_DIR);
        for effect in effects {
            let text = format!("{effect:?}");
            let is_task = matches!(&effect, aictx_proto::effect::Effect::ReplaceJson { file, .. }
                | aictx_proto::effect::Effect::AppendRows { file, .. } if of_task(file));
            assert!(is_task || !text.contains(THEIRS), "{text}");
        }
    }

    #[test]
    fn nothing_that_came_with_the_repository_is_kept_for_a_verdict() {
        let thread = |id: &str, origin| {
            Arc::new(Thread {
                task_id: id.into(),
                origin,
                ..Thread::default()
            })
        };
        let (own, theirs) = (
            thread("own", Origin::Own),
            thread("theirs", Origin::Repository),
        );
        let mut snapshot = Arc::new(Snapshot {
            threads: Arc::new(vec![own, Arc::clone(&theirs)]),
            active_task: Some(theirs),
            pointer: Arc::new(ActivePointer {
                active_task_id: "theirs".into(),
                ..ActivePointer::default()
            }),
            handoff: Some(Arc::new(Handoff {
                origin: Origin::Repository,
                ..Handoff::default()
            })),
            ..Snapshot::default()
        });
        keep_own(&mut snapshot);
        assert!(snapshot.active_task.is_none() && snapshot.handoff.is_none());
        assert_eq!(snapshot.threads.len(), 1);
        assert_eq!(snapshot.pointer.active_task_id, "");
    }

    #[test]
    fn texts_of_a_record_tell_its_origin() {
        let gap = json!({ "summary": "no test", "kind": "missing" });
        assert_eq!(labelled(&gap, Origin::Own, &["summary"]), gap);
        let theirs = labelled(&gap, Origin::Repository, &["summary", "next"]);
        assert_eq!(theirs["summary"], "no test (came with the repository)");
        assert_eq!(Origin::of(&theirs), Origin::Repository);
        let cut = line("no test (came with the repository)", 4, Origin::Own);
        assert_eq!(cut, "no… (came with the repository)");
        let quoted = marked(&cut, Quoted::new, 80);
        assert_eq!(quoted.as_str(), "\"no…\" (came with the repository)");
        assert_eq!(with_origin(String::new(), Origin::Repository), "");
    }
}
