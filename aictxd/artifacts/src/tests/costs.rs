//! Costs of operations; run with `cargo test --release -p aictx-artifacts costs -- --ignored --nocapture`.

use std::time::Instant;

use super::*;
use crate::store::Op;

/// A finalize in a repository with at most twenty patterns.
fn usual(id: &str, snap: &Snapshot) -> Effects {
    let failures = snap.failures.iter().rev().take(20).cloned().collect();
    let few = Snapshot {
        failures: Arc::new(failures),
        ..snap.clone()
    };
    finalize(id, &few)
}

fn each(what: &str, n: u32, mut f: impl FnMut(u32)) {
    let start = Instant::now();
    (0..n).for_each(&mut f);
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(n);
    println!("{micros:10.1} us  {what}");
}

#[test]
#[ignore = "a measurement"]
fn costs() {
    let repo = Repo::new();
    let store = &repo.store;
    let small = |_: &Snapshot| ((), vec![append("x.jsonl", vec![json!({"a": 1})])]);
    store.transact(small).unwrap();
    each("commit of one row", 300, |_| {
        drop(store.transact(small).unwrap())
    });
    each("finalize, nine files", 300, |i| {
        let one = |s: &Snapshot| ((), usual(&i.to_string(), s));
        store.transact(one).unwrap();
    });
    each("finalize in groups of 32", 10, |g| {
        let ops = (0..32)
            .map(|i| {
                let id = format!("g{g}-{i}");
                Box::new(move |s: &Snapshot| ((), usual(&id, s))) as Op<'_, ()>
            })
            .collect();
        assert!(store.transact_many(ops).iter().all(Result::is_ok));
    });
    each("transaction without effects", 1000, |_| {
        store.transact(|_| ((), vec![])).unwrap();
    });
    each("snapshot, nothing changed", 10_000, |_| {
        drop(store.snapshot())
    });
    each("latest", 10_000, |_| drop(store.latest()));
    each("ledger append", 10_000, |i| {
        store
            .append_ledger("s", &[row(u64::from(i), LedgerKind::Edit)])
            .unwrap();
    });
    each("open and snapshot, 600 executions", 100, |_| {
        drop(open(repo.dir.path()).unwrap().snapshot());
    });
    for i in 0..20_000 {
        let line = format!(
            "{{\"execution_id\":\"o{i}\",\"result_summary\":\"{}\"}}\n",
            "x".repeat(800)
        );
        use std::io::Write;
        let path = repo.path(files::AGENT_EXECUTION_LOG);
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
    each("open and snapshot, 20 000 executions (16 MB)", 20, |_| {
        drop(open(repo.dir.path()).unwrap().snapshot());
    });
    each("finalize with them", 50, |i| {
        let one = |s: &Snapshot| ((), usual(&format!("z{i}"), s));
        store.transact(one).unwrap();
    });
    let path = repo.path(files::HANDOFF);
    each("handoff changed outside, snapshot", 200, |i| {
        std::fs::write(&path, format!("{{\"summary\":\"{i}\"}}")).unwrap();
        assert_eq!(
            store.snapshot().handoff.as_ref().unwrap().summary,
            i.to_string()
        );
    });
}
