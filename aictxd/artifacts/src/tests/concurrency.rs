//! Many writers: threads, processes, and programs that know no lock.

use std::io::Write;
use std::process::{Child, Command};
use std::sync::Barrier;

use super::*;

/// Body of the child processes of these tests; as a test of its own it does nothing.
#[test]
fn child() {
    let Ok(dir) = std::env::var("AICTX_TEST_WRITER") else {
        return;
    };
    let (name, count) = (
        std::env::var("AICTX_TEST_NAME").unwrap(),
        std::env::var("AICTX_TEST_COUNT").unwrap().parse().unwrap(),
    );
    let store = open(Path::new(&dir)).unwrap();
    for i in 0..count {
        store
            .transact(|s| {
                let seen = s.executions_total;
                let mut effects = finalize(&format!("{name}-{i}"), s);
                effects.push(append("seen.jsonl", vec![json!({"seen": seen})]));
                ((), effects)
            })
            .unwrap();
    }
}

fn start(dir: &Path, name: &str, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::concurrency::child", "--quiet"])
        .env("AICTX_TEST_WRITER", dir)
        .env("AICTX_TEST_NAME", name)
        .env("AICTX_TEST_COUNT", count.to_string())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

fn many(processes: usize, each: usize) {
    let repo = Repo::new();
    let children: Vec<_> = (0..processes)
        .map(|i| start(repo.dir.path(), &format!("p{i}"), each))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let total = processes * each;
    assert_eq!(repo.store.snapshot().executions_total, total as u64);
    let seen: Vec<Value> = repo
        .read("seen.jsonl")
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap()["seen"].clone())
        .collect();
    // Every writer decided on what all before had written.
    assert_eq!(seen, (0..total).map(|n| json!(n)).collect::<Vec<_>>());
    for file in [
        files::EXECUTION_LOGS,
        files::HANDOFFS,
        files::FAILURE_PATTERNS,
    ] {
        assert_eq!(repo.read(file).lines().count(), total, "{file}");
    }
    assert_clean(repo.dir.path());
}

#[test]
fn eight_processes_times_five() {
    many(8, 5);
}

#[test]
fn sixty_four_processes_once() {
    many(64, 1);
}

#[test]
fn sixty_four_threads_on_one_store_in_groups_and_alone() {
    let repo = Repo::new();
    let barrier = Barrier::new(64);
    std::thread::scope(|scope| {
        for i in 0..64 {
            let (store, barrier) = (&repo.store, &barrier);
            scope.spawn(move || {
                barrier.wait();
                if i % 2 == 0 {
                    store
                        .transact(|s| ((), finalize(&format!("t{i}"), s)))
                        .unwrap();
                } else {
                    let ops: Vec<crate::Op<'_, ()>> =
                        vec![Box::new(|s: &Snapshot| ((), finalize(&format!("t{i}"), s)))];
                    assert!(store.transact_many(ops).iter().all(Result::is_ok));
                }
                store
                    .append_ledger("shared", &[row(i, LedgerKind::Edit)])
                    .unwrap();
            });
        }
    });
    assert_eq!(agreed_as_sets(&repo.store), 64);
    let ledger = repo.store.read_ledger("shared");
    assert_eq!((ledger.rows.len(), ledger.issues.len()), (64, 0));
}

fn agreed_as_sets(store: &Store) -> usize {
    let snap = store.snapshot();
    assert_eq!(*snap.issues, vec![]);
    assert_eq!(snap.failures.len(), snap.executions.len());
    snap.executions.len()
}

/// Readers see whole commits of this process, always, and never wait for one.
#[test]
fn readers_see_whole_commits() {
    let repo = Repo::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..60 {
                repo.store
                    .transact(|s| ((), finalize(&format!("e{i:03}"), s)))
                    .unwrap();
            }
            stop.store(true, std::sync::atomic::Ordering::Release);
        });
        let mut last = 0;
        while !stop.load(std::sync::atomic::Ordering::Acquire) {
            let snap = repo.store.snapshot();
            assert!(snap.generation >= last);
            last = snap.generation;
            let n = snap.executions.len();
            assert_eq!((snap.failures.len(), snap.decisions.len()), (n, 2 * n));
            let newest = snap.executions.last().map(|e| e.execution_id.clone());
            assert_eq!(
                snap.handoff.as_ref().map(|h| h.source_execution_id.clone()),
                newest
            );
        }
    });
}

/// The ancestor appends without any lock.
#[test]
fn appends_without_the_lock_are_not_lost() {
    let repo = Repo::new();
    repo.put(files::DECISIONS, "");
    let other = open(repo.dir.path()).unwrap();
    let path = repo.path(files::DECISIONS);
    std::thread::scope(|scope| {
        for store in [&repo.store, &other] {
            scope.spawn(move || {
                for i in 0..40 {
                    let rows = vec![json!({"decision": i}), json!({"decision": i})];
                    store
                        .transact(|_| ((), vec![append(files::DECISIONS, rows)]))
                        .unwrap();
                }
            });
        }
        scope.spawn(|| {
            for i in 0..200 {
                let mut file = std::fs::OpenOptions::new()
                    .append(true)
                    .open(&path)
                    .unwrap();
                file.write_all(format!("{{\"decision\":\"ancestor {i}\"}}\n").as_bytes())
                    .unwrap();
            }
        });
    });
    let (text, snap) = (repo.read(files::DECISIONS), repo.store.snapshot());
    assert_eq!(text.lines().count(), 40 * 2 * 2 + 200);
    assert_eq!(snap.decisions.len(), 360);
    same_but_generation(&snap, &open(repo.dir.path()).unwrap().snapshot());
}
