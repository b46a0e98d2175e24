//! A store without faults.

use super::*;
use crate::store::Op;

#[test]
fn creation_is_idempotent_to_the_byte() {
    let repo = Repo::new();
    let before = repo.read("format.json");
    let modified = std::fs::metadata(repo.path("format.json"))
        .unwrap()
        .modified()
        .unwrap();
    create(repo.dir.path()).unwrap();
    assert_eq!(before, repo.read("format.json"));
    assert_eq!(
        modified,
        std::fs::metadata(repo.path("format.json"))
            .unwrap()
            .modified()
            .unwrap()
    );
    assert!(before.contains("\"version\": 1") && before.ends_with("}\n"));
}

#[test]
fn a_commit_is_in_the_next_snapshot_and_in_a_fresh_one() {
    let repo = Repo::new();
    let first = repo.store.snapshot();
    assert!(
        Arc::ptr_eq(&first, &repo.store.snapshot()),
        "nothing changed"
    );
    for id in ["a", "b", "c"] {
        let done = repo
            .store
            .transact(|snap| ((), finalize(id, snap)))
            .unwrap();
        assert!(Arc::ptr_eq(&done.snapshot, &repo.store.snapshot()));
        let fresh = open(repo.dir.path()).unwrap().snapshot();
        same_but_generation(&done.snapshot, &fresh);
    }
    assert_eq!(agreed(&repo.store), ["a", "b", "c"]);
    assert_eq!(repo.store.snapshot().executions_total, 3);
    assert_clean(repo.dir.path());
}

#[test]
fn formats_are_those_of_the_ancestor() {
    let repo = Repo::new();
    let effects = vec![
        append("a.jsonl", vec![json!({"z": 1, "a": {"y": "ñ", "b": []}})]),
        Effect::AppendRows {
            file: "b.jsonl".into(),
            rows: vec![json!({"z": 1, "a": 2})],
            order: KeyOrder::AsBuilt,
        },
        replace("deep/er/c.json", json!({"z": ["ñ"], "a": {}})),
    ];
    repo.store.transact(|_| ((), effects)).unwrap();
    assert_eq!(
        repo.read("a.jsonl"),
        "{\"a\":{\"b\":[],\"y\":\"ñ\"},\"z\":1}\n"
    );
    assert_eq!(repo.read("b.jsonl"), "{\"z\":1,\"a\":2}\n");
    assert_eq!(
        repo.read("deep/er/c.json"),
        "{\n  \"a\": {},\n  \"z\": [\n    \"ñ\"\n  ]\n}\n"
    );
}

#[test]
fn a_group_sees_itself_and_fails_apart() {
    let repo = Repo::new();
    let ops: Vec<Op<'_, usize>> = vec![
        Box::new(|s| (s.handoffs.len(), finalize("a", s))),
        Box::new(|_| (9, vec![append("../out.jsonl", vec![json!({})])])),
        Box::new(|s| (s.handoffs.len(), finalize("b", s))),
        Box::new(|_| panic!("on purpose")),
        Box::new(|s| (s.handoffs.len(), vec![])),
    ];
    let done = repo.store.transact_many(ops);
    let replies: Vec<_> = done
        .iter()
        .map(|d| d.as_ref().ok().map(|c| c.reply))
        .collect();
    assert_eq!(replies, [Some(0), None, Some(1), None, Some(2)]);
    assert!(matches!(done[1], Err(crate::StoreError::UnsafePath { .. })));
    assert!(matches!(done[3], Err(crate::StoreError::Panicked)));
    assert_eq!(agreed(&repo.store), ["a", "b"]);
    let fresh = open(repo.dir.path()).unwrap().snapshot();
    same_but_generation(&repo.store.snapshot(), &fresh);
}

#[test]
fn a_store_is_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Store>();
}

#[test]
fn no_effects_write_nothing() {
    let repo = Repo::new();
    let (done, trace) = crate::fault::with_injection(
        crate::fault::Injection {
            at: 0,
            errno: 0,
            torn: false,
            lasting: false,
        },
        || repo.store.transact(|_| (7, vec![])).unwrap(),
    );
    assert_eq!((done.reply, trace), (7, vec![]));
}

#[test]
fn outside_changes_are_seen_and_unchanged_parts_shared() {
    let repo = Repo::new();
    repo.store.transact(|s| ((), finalize("a", s))).unwrap();
    let before = repo.store.snapshot();
    repo.put(files::HANDOFF, r#"{"summary":"by hand"}"#);
    let after = repo.store.snapshot();
    assert_eq!(after.handoff.as_ref().unwrap().summary, "by hand");
    assert!(after.generation > before.generation);
    assert!(Arc::ptr_eq(&after.handoffs, &before.handoffs));
    assert!(Arc::ptr_eq(&after.failures, &before.failures));
    // Same content again: same snapshot.
    repo.put(files::HANDOFF, r#"{ "summary": "by hand" }"#);
    assert!(Arc::ptr_eq(&after, &repo.store.snapshot()));
    std::fs::remove_file(repo.path(files::HANDOFF)).unwrap();
    let handoff = repo.store.snapshot().handoff.clone().unwrap();
    assert_eq!(
        (handoff.summary.as_str(), handoff.status.as_str()),
        ("did a", "resolved")
    );
}

#[test]
fn a_directory_made_anew_is_found() {
    let repo = Repo::new();
    repo.store.transact(|s| ((), finalize("a", s))).unwrap();
    std::fs::remove_dir_all(repo.path("")).unwrap();
    assert!(repo.store.snapshot().handoffs.is_empty());
    assert!(repo.store.transact(|s| ((), finalize("b", s))).is_err());
    create(repo.dir.path()).unwrap();
    repo.store.transact(|s| ((), finalize("c", s))).unwrap();
    assert_eq!(agreed(&repo.store), ["c"]);
}

#[test]
fn tails_are_bounded_and_totals_are_not() {
    let repo = Repo::new();
    let line = |i: usize| {
        format!(
            "{{\"execution_id\":\"e{i}\",\"result_summary\":\"{}\"}}\n",
            "x".repeat(3000)
        )
    };
    repo.put(
        files::AGENT_EXECUTION_LOG,
        (0..2000).map(line).collect::<String>(),
    );
    let snap = repo.store.snapshot();
    assert_eq!(snap.executions_total, 2000);
    assert!(snap.executions.len() <= 500 && snap.executions.len() > 300);
    assert_eq!(snap.executions.last().unwrap().execution_id, "e1999");
    let done = repo
        .store
        .transact(|_| {
            (
                (),
                vec![append(
                    files::AGENT_EXECUTION_LOG,
                    vec![json!({"execution_id": "new"})],
                )],
            )
        })
        .unwrap();
    assert_eq!(done.snapshot.executions_total, 2001);
    assert_eq!(done.snapshot.executions.last().unwrap().execution_id, "new");
}

#[test]
fn the_active_task_is_the_pointed_one_or_the_newest_in_progress() {
    let repo = Repo::new();
    let thread =
        |s: &str, at: &str| json!({"status": s, "updated_at": at, "task_id": at}).to_string();
    repo.put("tasks/threads/a.json", thread("in_progress", "2026-01-01"));
    repo.put("tasks/threads/b.json", thread("in_progress", "2026-01-02"));
    repo.put("tasks/threads/c.json", thread("resolved", "2026-01-03"));
    let active = |repo: &Repo| {
        let snap = repo.store.snapshot();
        snap.active_task.as_ref().map(|t| t.task_id.clone())
    };
    assert_eq!(active(&repo).as_deref(), Some("2026-01-02"));
    repo.put(files::ACTIVE_TASK, r#"{"active_task_id":"a"}"#);
    assert_eq!(active(&repo).as_deref(), Some("2026-01-01"));
    repo.put(files::ACTIVE_TASK, r#"{"active_task_id":"c"}"#);
    assert_eq!(active(&repo).as_deref(), Some("2026-01-02"));
    for hostile in ["../../../etc/passwd", "", "x/y", ".."] {
        repo.put(
            files::ACTIVE_TASK,
            json!({"active_task_id": hostile}).to_string(),
        );
        assert_eq!(active(&repo).as_deref(), Some("2026-01-02"));
    }
    // By a commit, pointer and thread together.
    repo.store
        .transact(|_| {
            let new = json!({"status": "in_progress", "updated_at": "2026-02-01", "task_id": "n"});
            (
                (),
                vec![
                    replace("tasks/threads/n.json", new),
                    replace(files::ACTIVE_TASK, json!({"active_task_id": "n"})),
                ],
            )
        })
        .unwrap();
    assert_eq!(active(&repo).as_deref(), Some("n"));
    let fresh = open(repo.dir.path()).unwrap().snapshot();
    same_but_generation(&repo.store.snapshot(), &fresh);
}

#[test]
fn old_failure_rows_fold() {
    let repo = Repo::new();
    let rows = [
        json!({"signature": "x", "last_execution_id": "1", "occurrences": 1, "timestamp": "2026-01-01", "symptoms": ["a"], "status": "open"}),
        json!({"signature": "y", "last_execution_id": "1", "timestamp": "2026-01-01"}),
        json!({"signature": "x", "last_execution_id": "2", "occurrences": 2, "timestamp": "2026-01-02", "symptoms": ["b"]}),
        json!({"failure_id": "failure::x", "last_execution_id": "3", "occurrences": 2, "timestamp": "2026-01-03", "symptoms": ["a"], "status": "resolved"}),
    ];
    repo.put(
        files::FAILURE_PATTERNS,
        rows.iter().map(|r| format!("{r}\n")).collect::<String>(),
    );
    let snap = repo.store.snapshot();
    assert_eq!(snap.failures.len(), 2);
    // In the order in which they were last written.
    let x = &snap.failures[1];
    assert_eq!(
        (
            x.signature.as_str(),
            x.occurrences,
            x.status.as_str(),
            x.first_seen.as_str()
        ),
        ("x", 3, "resolved", "2026-01-01")
    );
    assert_eq!(x.symptoms, ["a", "b"]);
    assert_eq!(
        (
            snap.failures[0].status.as_str(),
            snap.failures[0].occurrences
        ),
        ("open", 1)
    );
}

#[test]
fn repository_ids() {
    let repo = Repo::new();
    let name = repo
        .store
        .repository()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(repo.store.snapshot().repo_id, name);
    repo.put(files::STATE, r#"{"project":"p"}"#);
    assert_eq!(repo.store.snapshot().repo_id, name);
    repo.put(files::STATE, r#"{"repo_id":"mine"}"#);
    assert_eq!(repo.store.snapshot().repo_id, "mine");
}

#[test]
fn ledgers() {
    let repo = Repo::new();
    assert!(repo.store.read_ledger("s").rows.is_empty() && repo.store.ledgers().is_empty());
    let id = "a/../b:c";
    repo.store
        .append_ledger(
            id,
            &[row(1, LedgerKind::SessionStart), row(2, LedgerKind::Edit)],
        )
        .unwrap();
    repo.store.sync_ledger(id).unwrap();
    let ledger = repo.store.read_ledger(id);
    assert_eq!(
        ledger.rows,
        [row(1, LedgerKind::SessionStart), row(2, LedgerKind::Edit)]
    );
    let listed = repo.store.ledgers();
    assert_eq!((listed.len(), listed[0].bytes), (1, ledger.bytes));
    assert_eq!(
        repo.store.read_ledger(&listed[0].stem).rows.len(),
        2,
        "a stem is good as an id"
    );
    // A torn end is passed over and does not spoil what follows.
    let file = format!("sessions/{}.jsonl", listed[0].stem);
    let mut text = repo.read(&file);
    text.truncate(text.len() - 10);
    repo.put(&file, text);
    repo.store
        .append_ledger(id, &[row(3, LedgerKind::Stop)])
        .unwrap();
    let ledger = repo.store.read_ledger(id);
    assert_eq!(
        ledger.rows,
        [row(1, LedgerKind::SessionStart), row(3, LedgerKind::Stop)]
    );
    assert_eq!(ledger.issues[0].lines, 1);
    // Names of kinds in texts are no kinds, and the newest row of a kind counts.
    let told = LedgerRow {
        paths: vec!["stop".into(), "session_start".into(), "edit".into()],
        text: "\"kind\":\"edit\"".into(),
        ..row(4, LedgerKind::Prompt)
    };
    repo.store
        .append_ledger(id, std::slice::from_ref(&told))
        .unwrap();
    let newest = |kind| repo.store.newest_of(id, kind).0;
    assert_eq!(newest(LedgerKind::Prompt), Some(told));
    assert_eq!(newest(LedgerKind::Stop), Some(row(3, LedgerKind::Stop)));
    assert_eq!(
        newest(LedgerKind::SessionStart),
        Some(row(1, LedgerKind::SessionStart))
    );
    assert_eq!(newest(LedgerKind::Edit), None, "its line is torn");
    assert_eq!(repo.store.newest_of("x", LedgerKind::Stop), (None, false));
    use std::os::unix::fs::PermissionsExt;
    let mode = |f: &str| {
        std::fs::metadata(repo.path(f))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("sessions"), mode(&file)), (0o700, 0o600));
}

#[test]
fn what_is_removed_is_gone_and_removing_it_twice_is_no_error() {
    let repo = Repo::new();
    let remove = |file: &str| aictx_proto::effect::Effect::Remove {
        file: file.to_owned(),
    };
    let thread = json!({"task_id": "a", "status": "paused"});
    let write = |effects: Vec<_>| repo.store.transact(move |_| ((), effects)).unwrap();
    let done = write(vec![replace("tasks/threads/a.json", thread.clone())]);
    assert_eq!(done.snapshot.threads.len(), 1);
    for _ in 0..2 {
        let done = write(vec![
            remove("tasks/threads/a.json"),
            remove("nowhere/x.json"),
        ]);
        assert!(done.snapshot.threads.is_empty());
        assert!(!repo.dir.path().join(".aictx/tasks/threads/a.json").exists());
    }
    let fresh = open(repo.dir.path()).unwrap().snapshot();
    same_but_generation(&repo.store.snapshot(), &fresh);
    // Removed and written again in one commit: the last word counts.
    write(vec![replace("tasks/threads/a.json", thread.clone())]);
    let done = write(vec![
        remove("tasks/threads/a.json"),
        replace("tasks/threads/a.json", thread),
    ]);
    assert_eq!(done.snapshot.threads.len(), 1);
    let refused = repo.store.transact(|_| ((), vec![remove("../outside")]));
    assert!(refused.is_err());
}

#[test]
fn rows_can_be_taken_from_the_end_and_from_the_middle() {
    let repo = Repo::new();
    let row = |n: u32| serde_json::json!({ "execution_id": format!("e{n}"), "summary": "s" });
    let rewrite = |kept: &[u32]| {
        let effect = Effect::ReplaceRows {
            file: files::HANDOFFS.into(),
            rows: kept.iter().map(|n| row(*n)).collect(),
            order: KeyOrder::Sorted,
        };
        repo.store.transact(|_| ((), vec![effect])).unwrap();
        let snapshot = open(repo.dir.path()).unwrap().snapshot();
        let ids = snapshot.handoffs.iter().map(|h| h.execution_id.clone());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(rewrite(&[1, 2, 3]), ["e1", "e2", "e3"]);
    assert_eq!(rewrite(&[1, 2]), ["e1", "e2"]);
    assert_eq!(rewrite(&[2]), ["e2"]);
    assert_eq!(rewrite(&[2, 4]), ["e2", "e4"]);
    assert!(rewrite(&[]).is_empty());
}

#[test]
fn files_of_a_directory_are_read_as_they_are_and_never_through_a_link() {
    let repo = Repo::new();
    let write = |name: &str, text: &str| Effect::ReplaceText {
        file: format!("tickets/{name}"),
        text: text.to_owned(),
    };
    let effects = vec![
        write("a.md", "one"),
        write("b.md", "three"),
        write("c.txt", ""),
    ];
    repo.store.transact(|_| ((), effects)).unwrap();
    std::fs::write(repo.path("secret"), "secret").unwrap();
    std::os::unix::fs::symlink("../secret", repo.path("tickets/d.md")).unwrap();
    std::fs::write(repo.path("tickets/.b.md.aictx-tmp"), "draft").unwrap();
    let read = |limit, bytes| {
        let wanted = |name: &str| name.ends_with(".md");
        repo.store.read_files("tickets", limit, bytes, wanted)
    };
    let found: Vec<(String, String)> = read(9, 4)
        .unwrap()
        .into_iter()
        .map(|file| {
            let content = match file.content {
                Some(Ok(bytes)) => String::from_utf8(bytes).unwrap(),
                Some(Err(error)) => error.to_string(),
                None => "not read".to_owned(),
            };
            (file.name, content)
        })
        .collect();
    let content = |name: &str| &found.iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(content("a.md"), "one");
    assert!(content("b.md").contains("5 bytes"), "{found:?}");
    assert_eq!(content("c.txt"), "not read");
    assert!(content("d.md").contains("symbolic link"), "{found:?}");
    assert!(matches!(read(3, 4), Err(crate::StoreError::TooMany { .. })));
    assert!(
        repo.store
            .read_files("nowhere", 1, 1, |_| true)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_directory_of_another_program_gets_a_lock_and_nothing_else() {
    let repo = Repo::new();
    let beside = repo.dir.path().join(".other");
    std::fs::create_dir_all(beside.join("tickets")).unwrap();
    let open = || {
        let trust = crate::tests::trust(repo.dir.path());
        crate::Store::open_directory(repo.dir.path(), ".other", trust)
    };
    let write = |text: &str| {
        vec![Effect::ReplaceText {
            file: "tickets/a.md".to_owned(),
            text: text.to_owned(),
        }]
    };
    open().unwrap().transact(|_| ((), write("one"))).unwrap();
    open().unwrap().transact(|_| ((), write("two"))).unwrap();
    assert_eq!(
        std::fs::read_to_string(beside.join("tickets/a.md")).unwrap(),
        "two"
    );
    let mut left: Vec<_> = std::fs::read_dir(&beside)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, [".lock", "journal", "tickets"]);
    assert_eq!(
        std::fs::read_dir(beside.join("journal")).unwrap().count(),
        0
    );
    std::fs::remove_dir_all(&beside).unwrap();
    std::os::unix::fs::symlink(repo.path(""), &beside).unwrap();
    assert!(open().is_err(), "a link");
}
