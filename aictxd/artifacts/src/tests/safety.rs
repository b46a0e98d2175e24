//! Links, special files, damaged files, full and read-only disks.

use std::os::unix::fs::{FileTypeExt, symlink};

use super::*;
use crate::StoreError;

fn one(file: &str) -> Effects {
    vec![append(file, vec![json!({"n": 1})])]
}

#[test]
fn links_are_refused_at_every_level() {
    let outside = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    symlink(outside.path(), dir.path().join(".aictx")).unwrap();
    assert!(matches!(
        open(dir.path()),
        Err(StoreError::UnsafePath { .. })
    ));
    assert!(matches!(
        create(dir.path()),
        Err(StoreError::UnsafePath { .. })
    ));

    let repo = Repo::new();
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "keep").unwrap();
    std::fs::create_dir(repo.path("continuity")).unwrap();
    symlink(&victim, repo.path("file.jsonl")).unwrap();
    symlink(outside.path(), repo.path("metrics")).unwrap();
    symlink(outside.path(), repo.path("sessions")).unwrap();
    symlink(&victim, repo.path(files::HANDOFF)).unwrap();
    symlink(&victim, repo.path("continuity/.handoffs.json.aictx-tmp")).unwrap();
    for file in ["file.jsonl", "metrics/x.jsonl", files::EXECUTION_LOGS] {
        let result = repo.store.transact(|_| ((), one(file)));
        assert!(
            matches!(result, Err(StoreError::UnsafePath { .. })),
            "{file}: {result:?}"
        );
    }
    let replaced = repo
        .store
        .transact(|_| ((), vec![replace(files::HANDOFF, json!({}))]));
    assert!(matches!(replaced, Err(StoreError::UnsafePath { .. })));
    let ledger = repo.store.append_ledger("s", &[row(1, LedgerKind::Stop)]);
    assert!(matches!(ledger, Err(StoreError::UnsafePath { .. })));
    assert_eq!(repo.store.read_ledger("s").issues.len(), 1);
    assert!(
        repo.store
            .snapshot()
            .issues
            .iter()
            .any(|i| i.file == files::HANDOFF)
    );
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "keep");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_clean_journal(&repo);
}

fn assert_clean_journal(repo: &Repo) {
    let left = std::fs::read_dir(repo.path("journal")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "the journal is empty");
}

#[test]
fn names_that_climb_are_refused() {
    let repo = Repo::new();
    for file in [
        "",
        "/etc/x",
        "../x",
        "a/../../x",
        "a//b",
        "a/./b",
        ".lock",
        "journal/x",
        "a\0b",
        "a\\b",
    ] {
        let result = repo.store.transact(|_| ((), one(file)));
        assert!(
            matches!(result, Err(StoreError::UnsafePath { .. })),
            "{file}: {result:?}"
        );
    }
    let long = "x".repeat(300);
    assert!(repo.store.transact(|_| ((), one(&long))).is_err());
}

#[test]
fn a_hostile_intent_cannot_climb_either() {
    let repo = Repo::new();
    let step =
        json!({"step": "append", "file": "../../evil", "offset": 0, "bytes": {"text": "x\n"}});
    leave_intent(&repo, &json!([step]));
    open(repo.dir.path()).unwrap();
    assert!(!repo.dir.path().parent().unwrap().join("evil").exists());
    assert_clean_journal(&repo);
}

#[test]
fn an_intent_for_a_file_that_became_a_directory_does_not_stop_everything() {
    let repo = Repo::new();
    let step =
        |f: &str| json!({"step": "append", "file": f, "offset": 0, "bytes": {"text": "{}\n"}});
    let steps = json!([
        step("blocked.jsonl"),
        step("fine.jsonl"),
        step("a/under.jsonl")
    ]);
    std::fs::create_dir(repo.path("blocked.jsonl")).unwrap();
    repo.put("a", "a file where a directory belongs");
    leave_intent(&repo, &steps);
    let store = open(repo.dir.path()).unwrap();
    assert_eq!(repo.read("fine.jsonl"), "{}\n");
    assert_clean_journal(&repo);
    assert_eq!(
        std::fs::read_dir(repo.path("quarantine")).unwrap().count(),
        1
    );
    store.transact(|_| ((), one("fine.jsonl"))).unwrap();
}

#[test]
fn special_files_do_not_hang() {
    let repo = Repo::new();
    std::fs::create_dir_all(repo.path("continuity")).unwrap();
    for file in [files::HANDOFF, files::DECISIONS] {
        let path = repo.path(file);
        let status = std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap();
        assert!(status.success());
        assert!(std::fs::metadata(&path).unwrap().file_type().is_fifo());
    }
    assert_eq!(repo.store.snapshot().issues.len(), 2);
    assert!(
        repo.store
            .transact(|_| ((), one(files::DECISIONS)))
            .is_err()
    );
    assert_clean_journal(&repo);
}

#[test]
fn damage_is_reported_and_kept() {
    let repo = Repo::new();
    let good = |i: u32| format!("{{\"signature\":\"s{i}\",\"occurrences\":1}}\n");
    let mut text = good(1).into_bytes();
    text.extend(b"<<<<<<< ours\n");
    text.extend(good(2).into_bytes());
    text.extend(b"=======\n[1]\n\xff\xfe bad\n");
    text.extend(b"{\"signature\":\"typed\",\"occurrences\":\"many\"}\n");
    text.extend(vec![b'x'; crate::read::MAX_LINE_READ + 10]);
    text.extend(b"\n{\"torn\":");
    repo.put(files::FAILURE_PATTERNS, &text);
    repo.put(files::HANDOFF, "{broken");
    repo.put(files::SESSION, "[]");
    std::fs::create_dir_all(repo.path(files::DECISIONS)).unwrap();
    let snap = repo.store.snapshot();
    let warnings: Vec<_> = snap.issues.iter().map(|i| i.warning()).collect();
    assert_eq!(
        warnings,
        [
            "state_unreadable:continuity/session.json",
            "state_unreadable:continuity/handoff.json",
            "state_unreadable:continuity/decisions.jsonl",
            "invalid_jsonl_lines:failure_memory/failure_patterns.jsonl:6",
        ]
    );
    assert_eq!(
        snap.failures.len(),
        3,
        "a member of the wrong type does not lose the row"
    );

    let rows = |s: &Snapshot| {
        s.failures
            .iter()
            .map(|f| serde_json::to_value(&**f).unwrap())
            .collect()
    };
    let done = repo
        .store
        .transact(|s| {
            let rewrite = Effect::ReplaceRows {
                file: files::FAILURE_PATTERNS.into(),
                rows: rows(s),
                order: KeyOrder::Sorted,
            };
            (
                (),
                vec![rewrite, replace(files::HANDOFF, json!({"summary": "new"}))],
            )
        })
        .unwrap();
    assert_eq!(done.snapshot.failures.len(), 3);
    let lines = done
        .snapshot
        .issues
        .iter()
        .find(|i| i.lines > 0)
        .unwrap()
        .lines;
    assert_eq!(lines, 6, "bad lines stay");
    let bytes = std::fs::read(repo.path(files::FAILURE_PATTERNS)).unwrap();
    assert!(memchr::memmem::find(&bytes, b"\xff\xfe bad\n").is_some());
    assert!(bytes.ends_with(b"{\"torn\":\n"));
    let mut aside: Vec<_> = std::fs::read_dir(repo.path("quarantine"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    aside.sort();
    let stamp = now().compact();
    assert_eq!(
        aside,
        [
            format!("continuity-handoff.json.{stamp}"),
            format!("failure_memory-failure_patterns.jsonl.{stamp}"),
        ]
    );
    assert_eq!(repo.read(&format!("quarantine/{}", aside[0])), "{broken");
    // The directory in the place of a file refuses only what goes there.
    let refused = repo.store.transact(|_| ((), one(files::DECISIONS)));
    assert!(matches!(refused, Err(StoreError::UnsafePath { .. })));
    assert_clean_journal(&repo);
}

#[test]
fn nothing_is_glued_to_a_torn_line() {
    let repo = Repo::new();
    repo.put(files::DECISIONS, "{\"decision\":\"a\"}\n{\"decis");
    let new = vec![append(files::DECISIONS, vec![json!({"decision": "b"})])];
    let done = repo.store.transact(|_| ((), new)).unwrap();
    let names: Vec<_> = done
        .snapshot
        .decisions
        .iter()
        .map(|d| d.decision.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        repo.read(files::DECISIONS),
        "{\"decision\":\"a\"}\n{\"decis\n{\"decision\":\"b\"}\n"
    );
}

#[test]
fn long_rows_are_cut_and_flagged() {
    let repo = Repo::new();
    let row = json!({"decision": "d", "rationale": "ü".repeat(200_000), "n": 1});
    repo.store
        .transact(|_| ((), vec![append(files::DECISIONS, vec![row])]))
        .unwrap();
    let text = repo.read(files::DECISIONS);
    assert!(text.len() <= crate::MAX_ROW && text.len() > 16_000);
    let back: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (back[crate::TRUNCATED].as_bool(), back["n"].as_u64()),
        (Some(true), Some(1))
    );
    let wide: serde_json::Map<_, _> = (0..20_000).map(|i| (format!("k{i}"), json!(i))).collect();
    let result = repo
        .store
        .transact(|_| ((), vec![append("x.jsonl", vec![Value::Object(wide)])]));
    assert!(matches!(result, Err(StoreError::TooLarge { .. })));
}

#[test]
fn rows_that_come_while_a_file_is_rewritten_stay() {
    let repo = Repo::new();
    repo.put(files::FAILURE_PATTERNS, "{\"signature\":\"a\"}\n");
    let path = repo.path(files::FAILURE_PATTERNS);
    let done = repo
        .store
        .transact(|s| {
            // A program that knows no lock, after the snapshot was read.
            std::fs::write(&path, "{\"signature\":\"a\"}\n{\"signature\":\"theirs\"}\n").unwrap();
            let mut rows: Vec<_> = s
                .failures
                .iter()
                .map(|f| serde_json::to_value(&**f).unwrap())
                .collect();
            rows.push(json!({"signature": "mine"}));
            let file = files::FAILURE_PATTERNS.into();
            (
                (),
                vec![Effect::ReplaceRows {
                    file,
                    rows,
                    order: KeyOrder::Sorted,
                }],
            )
        })
        .unwrap();
    let names: Vec<_> = done
        .snapshot
        .failures
        .iter()
        .map(|f| f.signature.as_str())
        .collect();
    assert_eq!(names, ["a", "mine", "theirs"]);
}

#[test]
fn a_lock_held_elsewhere_is_a_typed_error() {
    let mut repo = Repo::new();
    let patience = std::time::Duration::from_millis(200);
    repo.store = open(repo.dir.path()).unwrap().with_patience(patience);
    let held = std::fs::File::create(repo.path(".lock")).unwrap();
    held.lock().unwrap();
    let start = std::time::Instant::now();
    let result = repo.store.transact(|_| ((), one("x.jsonl")));
    assert!(
        matches!(result, Err(StoreError::Locked { .. })),
        "{result:?}"
    );
    assert!(start.elapsed() >= patience);
    repo.store
        .append_ledger("s", &[row(1, LedgerKind::Stop)])
        .unwrap();
    drop(held);
    repo.store.transact(|_| ((), one("x.jsonl"))).unwrap();
}

#[test]
fn a_newer_format_is_not_touched() {
    let repo = Repo::new();
    repo.put(files::FORMAT, r#"{"version": 99}"#);
    let result = open(repo.dir.path());
    assert!(matches!(
        result,
        Err(StoreError::NewerFormat { found: 99, .. })
    ));
    repo.put(files::FORMAT, "garbage");
    open(repo.dir.path()).unwrap();
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        open(empty.path()),
        Err(StoreError::NotInitialised { .. })
    ));
}

/// Needs the right to mount; without it there is nothing to see.
#[test]
fn read_only_and_really_full_disks() {
    let dir = tempfile::tempdir().unwrap();
    let mount = |options: &str| {
        std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "none"])
            .arg(dir.path())
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    if !mount("size=256k") {
        println!("skipped: mounting is not allowed here");
        return;
    }
    struct Unmount<'a>(&'a Path);
    impl Drop for Unmount<'_> {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount")
                .arg("-l")
                .arg(self.0)
                .status();
        }
    }
    let _unmount = Unmount(dir.path());
    let store = create(dir.path()).unwrap();
    let mut acknowledged = Vec::new();
    let error = loop {
        let id = format!("e{}", acknowledged.len());
        let mut effects = finalize(&id, &store.snapshot());
        effects.push(append("big.jsonl", vec![json!({"x": "y".repeat(6_000)})]));
        match store.transact(|_| ((), effects)) {
            Ok(_) => acknowledged.push(id),
            Err(e) => break e,
        }
    };
    assert!(error.is_disk_full(), "{error:?}");
    assert!(acknowledged.len() > 5);
    if matches!(error, StoreError::Deferred { .. }) {
        acknowledged.push(format!("e{}", acknowledged.len()));
    }
    assert!(std::fs::remove_file(store.repository().join(".aictx/big.jsonl")).is_ok());
    store.recover().unwrap();
    assert_eq!(agreed(&store), acknowledged);
    assert_clean(dir.path());

    let remounted = std::process::Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(dir.path())
        .status()
        .unwrap();
    assert!(remounted.success());
    let store = open(dir.path()).unwrap();
    assert_eq!(agreed(&store), acknowledged);
    let refused = store.transact(|_| ((), one("x.jsonl")));
    assert!(
        matches!(refused, Err(StoreError::NotWritable { .. })),
        "{refused:?}"
    );
    let refused = store.append_ledger("s", &[row(1, LedgerKind::Stop)]);
    assert!(matches!(refused, Err(StoreError::NotWritable { .. })));
    drop(store);
}

#[test]
fn drafts_of_an_interrupted_archiving_go_when_the_memory_is_opened() {
    let repo = Repo::new();
    std::fs::create_dir_all(repo.path("archive/continuity")).unwrap();
    let left = [
        "archive/.sessions-000001.jsonl.gz.aictx-tmp",
        "archive/continuity/.handoffs-000001.jsonl.gz.aictx-tmp",
    ];
    let others = ["archive/notes.aictx-tmp", "archive/.notes"];
    for file in left.iter().chain(&others) {
        std::fs::write(repo.path(file), "half").unwrap();
    }
    // Neither what cannot be removed nor where a link leads.
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join(".x.aictx-tmp");
    std::fs::write(&victim, "keep").unwrap();
    symlink(outside.path(), repo.path("archive/linked")).unwrap();
    std::fs::create_dir(repo.path("archive/.directory.aictx-tmp")).unwrap();
    let store = open(repo.dir.path()).unwrap();
    assert_eq!(store.recover().unwrap(), 0);
    assert!(victim.exists());
    for file in left {
        assert!(!repo.path(file).exists(), "{file}");
    }
    for file in others {
        assert!(repo.path(file).exists(), "{file} is not ours");
    }
}
