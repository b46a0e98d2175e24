//! Records that go through git: one new file a commit, taken in once by everybody else.

use std::collections::BTreeSet;

use super::*;

/// A clone: a memory in which shared files of others appear.
fn portable() -> Repo {
    let repo = Repo::new();
    let row = crate::choice_row(true);
    repo.store
        .transact(|_| ((), vec![append(files::RECEIVED, vec![row])]))
        .unwrap();
    repo
}

fn shared_files(repo: &Repo) -> BTreeSet<String> {
    let entries = std::fs::read_dir(repo.path(files::SHARED_DIR));
    let names = entries.into_iter().flatten();
    names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Copies what one clone shared to another, as git does.
fn pull(from: &Repo, to: &Repo) {
    let known = shared_files(to);
    for name in shared_files(from).difference(&known) {
        let file = format!("{}/{name}", files::SHARED_DIR);
        to.put(&file, from.read(&file));
    }
}

fn decide(repo: &Repo, text: &str, at: &str) {
    let row = json!({ "decision": text, "timestamp": at });
    repo.store
        .transact(|_| ((), vec![append(files::DECISIONS, vec![row])]))
        .unwrap();
}

fn decisions(repo: &Repo) -> Vec<(String, bool)> {
    let snapshot = repo.store.snapshot();
    let decisions = snapshot.decisions.iter();
    decisions
        .map(|d| (d.decision.clone(), d.origin.is_own()))
        .collect()
}

fn work(repo: &Repo, thread: Value) {
    let effect = Effect::ReplaceJson {
        file: "tasks/threads/t.json".to_owned(),
        value: thread,
        order: KeyOrder::Sorted,
    };
    repo.store.transact(|_| ((), vec![effect])).unwrap();
}

#[test]
fn a_commit_adds_one_file_and_none_is_changed_afterwards() {
    let repo = portable();
    repo.store.transact(|s| ((), finalize("a", s))).unwrap();
    let first = shared_files(&repo);
    assert_eq!(first.len(), 1);
    let file = format!("{}/{}", files::SHARED_DIR, first.first().unwrap());
    let text = repo.read(&file);
    repo.store.transact(|s| ((), finalize("b", s))).unwrap();
    assert_eq!((repo.read(&file), shared_files(&repo).len()), (text, 2));
    let metrics = append(files::EXECUTION_LOGS, vec![json!({ "task_id": "x" })]);
    repo.store.transact(|_| ((), vec![metrics])).unwrap();
    assert_eq!(shared_files(&repo).len(), 2, "of this machine alone");
    let local = Repo::new();
    local.store.transact(|s| ((), finalize("a", s))).unwrap();
    assert!(shared_files(&local).is_empty());
}

#[test]
fn rows_of_others_are_taken_in_once_in_the_order_of_time() {
    let (one, two) = (portable(), portable());
    decide(&one, "a", "2026-01-01T00:00:01Z");
    decide(&two, "b", "2026-01-01T00:00:02Z");
    decide(&one, "c", "2026-01-01T00:00:03Z");
    pull(&one, &two);
    let all = [("a", false), ("b", true), ("c", false)].map(|(t, own)| (t.to_owned(), own));
    assert_eq!(decisions(&two), all);
    // Other processes know, too, and what was forgotten does not come back.
    assert_eq!(open(two.dir.path()).unwrap().snapshot().decisions.len(), 3);
    let rest = two.store.all_rows(files::DECISIONS).unwrap().split_off(1);
    let effect = Effect::ReplaceRows {
        file: files::DECISIONS.to_owned(),
        rows: rest,
        order: KeyOrder::Sorted,
    };
    two.store.transact(|_| ((), vec![effect])).unwrap();
    pull(&one, &two);
    assert_eq!(decisions(&two), all[1..]);
    // What came from one is not sent back.
    let sent: String = shared_files(&two)
        .difference(&shared_files(&one))
        .map(|name| two.read(&format!("{}/{name}", files::SHARED_DIR)))
        .collect();
    assert!(sent.contains("\"b\"") && !sent.contains("\"c\""), "{sent}");
}

#[test]
fn two_clones_that_work_on_one_task_end_with_the_same_task() {
    let (one, two) = (portable(), portable());
    let thread = |verified: &[&str], open: &[&str], next: &str, at: &str| {
        json!({
            "task_id": "t", "status": "in_progress", "goal": "g", "verified": verified,
            "unverified": open, "next_action": next, "updated_at": at,
        })
    };
    work(
        &one,
        thread(&["x"], &["p", "q"], "start", "2026-01-01T00:00:01Z"),
    );
    pull(&one, &two);
    assert_eq!(two.store.snapshot().threads[0].next_action, "start");
    work(
        &one,
        thread(&["x", "y"], &["p", "q"], "one", "2026-01-01T00:00:02Z"),
    );
    work(
        &two,
        thread(&["x", "z", "q"], &["p"], "two", "2026-01-01T00:00:03Z"),
    );
    pull(&one, &two);
    pull(&two, &one);
    for repo in [&one, &two] {
        let snapshot = repo.store.snapshot();
        let thread = &snapshot.threads[0];
        assert_eq!(thread.next_action, "two");
        let verified: BTreeSet<&str> = thread.verified.iter().map(String::as_str).collect();
        assert_eq!(verified, BTreeSet::from(["q", "x", "y", "z"]));
        assert_eq!(thread.unverified, ["p"]);
        assert!(!thread.origin.is_own());
    }
    // Who goes on from there is followed as it is.
    work(&two, thread(&["x"], &[], "done", "2026-01-01T00:00:04Z"));
    pull(&two, &one);
    let snapshot = one.store.snapshot();
    assert_eq!(snapshot.threads[0].verified, ["x"]);
}

#[test]
fn what_cannot_be_used_is_told_and_stops_nothing() {
    let repo = portable();
    let row = |file: &str| json!({ "file": file, "row": { "decision": "d" } }).to_string();
    let lines = [
        row(files::DECISIONS),
        row("sessions/s.jsonl"),
        row("../../x.jsonl"),
        row("tasks/threads/t.json"),
        "<<<<<<<".to_owned(),
        json!({ "file": files::DECISIONS, "document": {} }).to_string(),
    ];
    repo.put("shared/1.jsonl", lines.join("\n") + "\n");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x"), row(files::DECISIONS)).unwrap();
    std::os::unix::fs::symlink(outside.path().join("x"), repo.path("shared/2.jsonl")).unwrap();
    assert_eq!(decisions(&repo), [("d".to_owned(), false)]);
    let snapshot = repo.store.snapshot();
    let told: Vec<(&str, u64)> = snapshot
        .issues
        .iter()
        .map(|issue| (&*issue.file, issue.lines))
        .collect();
    assert_eq!(told, [("shared/2.jsonl", 1), ("shared/1.jsonl", 5)]);
    assert!(!repo.path("sessions/s.jsonl").exists());
}

#[test]
fn receipts_are_bounded_and_nothing_is_taken_in_twice() {
    let (one, two) = (portable(), portable());
    decide(&one, "a", "2026-01-01T00:00:01Z");
    pull(&one, &two);
    assert_eq!(decisions(&two).len(), 1);
    let row = |n: usize| json!({ "file": format!("shared/1{n:05}-{}.jsonl", "0".repeat(40)) });
    let rows = append(files::RECEIVED, (0..9_000).map(row).collect());
    two.store.transact(|_| ((), vec![rows])).unwrap();
    let before = two.read(files::RECEIVED).len();
    decide(&two, "b", "2026-01-01T00:00:02Z");
    let after = two.read(files::RECEIVED);
    assert!(after.len() < before / 4, "{} of {before}", after.len());
    assert_eq!(open(two.dir.path()).unwrap().portable_choice(), Some(true));
    assert_eq!(decisions(&two).len(), 2);
}

#[test]
fn files_put_together_are_not_taken_in_again() {
    let (one, two, three) = (portable(), portable(), portable());
    for n in 0..4 {
        decide(&one, &format!("d{n}"), &format!("2026-01-01T00:00:0{n}Z"));
        work(
            &one,
            json!({ "task_id": "t", "goal": n.to_string(), "updated_at": n.to_string() }),
        );
    }
    pull(&one, &two);
    let known = decisions(&two);
    assert_eq!(known.len(), 4);
    let keeps = |_: &str, rows: &[Value]| -> Vec<bool> {
        rows.iter().map(|row| row["decision"] != "d0").collect()
    };
    let would = one.store.fold_shared(false, &keeps).unwrap().unwrap();
    assert_eq!(
        (would.files, would.before_records, would.kept_records),
        (8, 8, 4)
    );
    assert_eq!(one.store.fold_shared(true, &keeps).unwrap(), Some(would));
    assert_eq!(shared_files(&one).len(), 1);
    assert_eq!(
        one.store.fold_shared(true, &keeps).unwrap(),
        None,
        "twice is once"
    );
    pull(&one, &two);
    assert_eq!(decisions(&two), known);
    pull(&one, &three);
    assert_eq!(decisions(&three).len(), 3);
    assert_eq!(three.store.snapshot().threads[0].goal, "3");
}

#[test]
fn a_branch_that_does_not_say_so_shares_what_is_recorded_on_it() {
    let repo = Repo::new();
    decide(&repo, "a", "2026-01-01T00:00:01Z");
    assert!(shared_files(&repo).is_empty(), "nobody said so");
    let row = json!({ "file": files::DECISIONS, "row": { "decision": "b" } });
    repo.put("shared/1.jsonl", format!("{row}\n"));
    repo.put(files::PORTABILITY, "{\"enabled\":true}");
    repo.store.snapshot();
    for file in ["shared/1.jsonl", files::PORTABILITY] {
        std::fs::remove_file(repo.path(file)).unwrap();
    }
    decide(&repo, "c", "2026-01-01T00:00:02Z");
    assert_eq!(shared_files(&repo).len(), 1);
    assert_eq!(decisions(&repo).len(), 3);
    // Where the repository or the user says otherwise, nothing is.
    repo.put(files::PORTABILITY, "{\"enabled\":false}");
    decide(&repo, "d", "2026-01-01T00:00:03Z");
    std::fs::remove_file(repo.path(files::PORTABILITY)).unwrap();
    let chosen = append(files::RECEIVED, vec![crate::choice_row(false)]);
    repo.store.transact(|_| ((), vec![chosen])).unwrap();
    decide(&repo, "e", "2026-01-01T00:00:04Z");
    assert_eq!(shared_files(&repo).len(), 1);
}
