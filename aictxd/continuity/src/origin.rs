//! What came with the repository: it is told with a label, and decides nothing.

use std::sync::Arc;

use aictx_proto::record::Origin;
use aictx_proto::snapshot::Snapshot;
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
pub(crate) fn told(text: String, origin: Origin) -> String {
    match text.is_empty() {
        true => text,
        false => text + origin.label(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::record::{ActivePointer, Handoff, Thread};
    use serde_json::json;

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
        assert_eq!(told(String::new(), Origin::Repository), "");
    }
}
