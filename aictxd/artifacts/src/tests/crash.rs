//! The end of the process, and errors of the system, at every point of a commit.

use std::process::Command;

use super::*;
use crate::StoreError;
use crate::fault::{Injection, Op, with_injection};
use crate::retention::{Bound, Stays};

const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const NONE: Injection = Injection {
    at: 0,
    errno: 0,
    torn: false,
    lasting: false,
};

/// A bound that is soon reached.
const SMALL: [Bound; 1] = [Bound {
    file: files::LIFECYCLE_EVENTS,
    limit: 2_000,
    keep: 500,
    rows: 2,
    stays: Stays::Newest,
}];

/// Body of the child processes of these tests; as a test of its own it does nothing.
#[test]
fn child() {
    let Ok(dir) = std::env::var("AICTX_TEST_CHILD") else {
        return;
    };
    let dir = Path::new(&dir);
    let store = match std::env::var("AICTX_TEST_STEP").as_deref() {
        Ok("recover") => {
            open(dir).unwrap();
            return;
        }
        Ok("retain") => {
            let store = open(dir).unwrap();
            store.archive_above(&SMALL).unwrap();
            store.tidy_within(1, 1, u64::MAX, &|_| false).unwrap();
            return;
        }
        Ok("soon") => {
            let store = open(dir).unwrap();
            let op: crate::Op<'_, ()> = Box::new(|s| ((), finalize("new", s)));
            store.transact_soon(vec![op], &mut || ());
            store.settle().unwrap();
            return;
        }
        Ok("shown") => {
            let store = open(dir).unwrap();
            store.transact(|s| ((), with_shown("new", s))).unwrap();
            return;
        }
        Ok("shown soon") => {
            let store = open(dir).unwrap();
            let op: crate::Op<'_, ()> = Box::new(|s| ((), with_shown("new", s)));
            let answered = dir.join("answered");
            let mut seen = || std::fs::write(&answered, "").unwrap();
            let done = store.transact_soon(vec![op], &mut seen);
            done.into_iter().for_each(|done| drop(done.unwrap()));
            store.settle().unwrap();
            return;
        }
        Ok("create") => create(dir).unwrap(),
        Ok("stocked") => {
            let store = open(dir).unwrap();
            store.stock();
            store
        }
        _ => open(dir).unwrap(),
    };
    store.transact(|s| ((), finalize("new", s))).unwrap();
}

/// Runs the child; true when it came to its end, false when it crashed as told.
fn run(dir: &Path, step: &str, at: u64, torn: bool) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::crash::child", "--quiet"])
        .env("AICTX_TEST_CHILD", dir)
        .env("AICTX_TEST_STEP", step)
        .env("AICTX_CRASH_AT", at.to_string())
        .env("AICTX_CRASH_TORN", if torn { "1" } else { "0" })
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    use std::os::unix::process::ExitStatusExt;
    assert!(status.success() || status.signal() == Some(6), "{status}");
    status.success()
}

/// A repository with two acknowledged executions, a damaged line and no temporary file.
fn prepared() -> Repo {
    let repo = Repo::new();
    repo.store.transact(|s| ((), finalize("a", s))).unwrap();
    repo.store.transact(|s| ((), finalize("b", s))).unwrap();
    repo
}

fn copy(from: &Path, to: &Path) {
    copy_files(from, to);
    adopt(to);
}

fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_files(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn check(dir: &Path) -> bool {
    let store = open(dir).unwrap();
    let agreed = agreed(&store);
    assert_clean(dir);
    let whole = match agreed.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["a", "b"] => false,
        ["a", "b", "new"] => true,
        _ => panic!("{agreed:?}"),
    };
    // And life goes on.
    store.transact(|s| ((), finalize("next", s))).unwrap();
    assert_eq!(super::agreed(&store).last().unwrap(), "next");
    whole
}

#[test]
fn a_crash_at_any_point_leaves_all_or_nothing() {
    let base = prepared();
    let both = [("commit", false), ("commit", true), ("stocked", true)];
    for (step, torn) in both {
        let (mut points, mut whole) = (0, 0);
        for at in 1.. {
            let dir = tempfile::tempdir().unwrap();
            copy(base.dir.path(), dir.path());
            let done = run(dir.path(), step, at, torn);
            let there = check(dir.path());
            assert!(there || !done, "an acknowledged commit is there");
            // Once the intent is durable there is no way back.
            assert!(there || whole == 0, "point {at}");
            whole += u64::from(there);
            if done {
                break;
            }
            points = at;
        }
        println!("{step}: {points} crash points, torn: {torn}, {whole} times rolled forward");
        assert!(points >= 30, "only {points} points");
    }
}

/// A commit with a file that only shows something, the longer the shorter its name.
fn with_shown(id: &str, snapshot: &Snapshot) -> Effects {
    let mut effects = finalize(id, snapshot);
    let shown = json!({ "mode": id, "text": "-".repeat(10_000 / id.len()) });
    let file = files::RESUME_CAPSULE_JSON.to_owned();
    let json = shown.to_string();
    effects.insert(3, Effect::ReplaceWritten { file, json });
    effects
}

#[test]
fn a_file_that_only_shows_something_is_whole_or_gone_after_a_crash() {
    let base = prepared();
    base.store.transact(|s| ((), with_shown("c", s))).unwrap();
    for step in ["shown", "shown soon"] {
        shown_is_whole_or_gone(&base, step);
    }
}

fn shown_is_whole_or_gone(base: &Repo, step: &str) {
    let (mut gone, mut points, mut behind) = (0, 0, 0);
    for at in 1.. {
        let dir = tempfile::tempdir().unwrap();
        copy(base.dir.path(), dir.path());
        let done = run(dir.path(), step, at, true);
        let store = open(dir.path()).unwrap();
        // What was answered is there, whatever became of what shows it.
        let answered = dir.path().join("answered").exists();
        assert!(!answered || agreed(&store).contains(&"new".to_owned()));
        behind += u64::from(answered && !done);
        let shown = std::fs::read(dir.path().join(".aictx").join(files::RESUME_CAPSULE_JSON));
        match shown {
            Ok(bytes) => {
                let whole: Value = serde_json::from_slice(&bytes).unwrap();
                assert!(["c", "new"].contains(&whole["mode"].as_str().unwrap()));
                assert!(!done || whole["mode"] == "new");
            }
            Err(_) => gone += 1,
        }
        if done {
            break;
        }
        points = at;
    }
    assert!(points >= 30 && gone > 0, "{gone} of {points}");
    assert_eq!(behind > 0, step == "shown soon", "{step}");
}

#[test]
fn what_cannot_be_shown_is_answered_all_the_same() {
    let repo = prepared();
    let mut seen = 0;
    let op: crate::Op<'_, ()> = Box::new(|s| ((), with_shown("c", s)));
    let done = repo.store.transact_soon(vec![op], &mut || seen += 1);
    assert!(done[0].is_ok() && repo.read(files::RESUME_CAPSULE_JSON).contains("\"c\""));
    // Where something else lies nothing can be shown.
    let place = repo.path(files::RESUME_CAPSULE_JSON);
    std::fs::remove_file(&place).unwrap();
    std::fs::create_dir(&place).unwrap();
    let op: crate::Op<'_, ()> = Box::new(|s| ((), with_shown("d", s)));
    let done = repo.store.transact_soon(vec![op], &mut || seen += 1);
    assert!(done[0].is_err() && seen == 2);
    assert_eq!(agreed(&repo.store).last().unwrap(), "d");
}

#[test]
fn nothing_is_kept_of_what_lies_where_something_is_shown() {
    let repo = prepared();
    let shown = |id: &str| json!({ "mode": id });
    for (id, other) in [("b", "somebody else's"), ("new", "not even JSON")] {
        repo.put(files::RESUME_CAPSULE_JSON, other);
        // Under another name, too, it is not written over; and nothing is kept of it.
        let name = repo.path(files::RESUME_CAPSULE_JSON);
        std::fs::hard_link(&name, repo.dir.path().join(id)).unwrap();
        let effect = replace(files::RESUME_CAPSULE_JSON, shown(id));
        repo.store.transact(|_| ((), vec![effect])).unwrap();
        let there: Value = serde_json::from_str(&repo.read(files::RESUME_CAPSULE_JSON)).unwrap();
        assert_eq!(there, shown(id));
        assert_eq!(
            std::fs::read_to_string(repo.dir.path().join(id)).unwrap(),
            other
        );
    }
    assert!(!repo.path("quarantine").exists());
}

#[test]
fn a_crash_while_recovering_from_a_crash_is_harmless() {
    let base = prepared();
    let mut pairs = 0;
    // Every fifth point of the commit, every point of its recovery.
    for first in (6..).step_by(5) {
        let crashed = tempfile::tempdir().unwrap();
        copy(base.dir.path(), crashed.path());
        if run(crashed.path(), "commit", first, true) {
            break;
        }
        for second in 1.. {
            let dir = tempfile::tempdir().unwrap();
            copy(crashed.path(), dir.path());
            let done = run(dir.path(), "recover", second, true);
            check(dir.path());
            if done {
                break;
            }
            pairs += 1;
        }
    }
    println!("{pairs} pairs of crashes");
    assert!(pairs >= 60, "only {pairs} pairs");
}

#[test]
fn a_crash_in_a_fresh_repository_is_harmless() {
    for at in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let done = run(dir.path(), "create", at, true);
        let store = create(dir.path()).unwrap();
        let agreed = agreed(&store);
        assert!(agreed.is_empty() || agreed == ["new"]);
        assert_clean(dir.path());
        if done {
            println!("{at} crash points from nothing");
            assert!(at >= 45, "only {at} points");
            break;
        }
    }
}

/// Errors at every point, of the kinds a full or a broken disk makes, once and lasting.
#[test]
fn an_error_at_any_point_leaves_all_or_nothing() {
    let base = prepared();
    for (errno, torn, lasting, stocked) in [
        (ENOSPC, true, true, false),
        (ENOSPC, true, false, true),
        (EIO, false, true, true),
        (EIO, false, false, false),
    ] {
        let (mut refused, mut deferred) = (0, 0);
        for at in 1.. {
            let dir = tempfile::tempdir().unwrap();
            copy(base.dir.path(), dir.path());
            let store = open(dir.path()).unwrap();
            if stocked {
                store.stock();
            }
            let injection = Injection {
                at,
                errno,
                torn,
                lasting,
            };
            let (result, trace) = with_injection(injection, || {
                store.transact(|s| ((), finalize("new", s))).map(|_| ())
            });
            let reached = trace.len() as u64 >= at;
            if let Err(e) = &result {
                assert_eq!(e.io().unwrap().raw_os_error(), Some(errno), "{e}");
            }
            match &result {
                Err(StoreError::NotWritable { .. }) => {
                    refused += 1;
                    assert_eq!(agreed(&store), ["a", "b"], "point {at}: nothing happened");
                }
                Err(StoreError::Deferred { .. }) => {
                    deferred += 1;
                    let snap = store.snapshot();
                    let known = (
                        snap.executions.len(),
                        snap.handoffs.len(),
                        snap.failures.len(),
                    );
                    assert_eq!(
                        known,
                        (2, 2, 2),
                        "point {at}: readers keep the last whole memory"
                    );
                }
                Err(e) => panic!("{e}"),
                // Only the removal of the intent may fail without a word.
                Ok(()) if reached => assert!(trace[at as usize - 1].1.starts_with("journal")),
                Ok(()) => {}
            }
            assert_eq!(
                store
                    .transact(|_| ((), vec![]))
                    .map(|_| ())
                    .err()
                    .map(|e| e.to_string()),
                None
            );
            let after = agreed(&store);
            match &result {
                Err(StoreError::NotWritable { .. }) => assert_eq!(after, ["a", "b"]),
                _ => assert_eq!(after, ["a", "b", "new"]),
            }
            check(dir.path());
            if !reached {
                println!(
                    "errno {errno}, lasting {lasting}: {refused} refused, {deferred} deferred"
                );
                assert!(deferred >= 25 && refused >= 1);
                break;
            }
        }
    }
}

/// Power failures cannot be tested here, their order can: the intent is durable before the first
/// file is touched, and every file is before the intent goes.
#[test]
fn everything_is_synced_in_order() {
    for stocked in [false, true] {
        let repo = prepared();
        if stocked {
            repo.store.stock();
        }
        let (_, trace) = with_injection(NONE, || {
            repo.store.transact(|s| ((), finalize("new", s))).unwrap();
        });
        in_order(&trace, stocked);
    }
}

fn in_order(trace: &[(Op, String)], stocked: bool) {
    let is_journal = |what: &str| what.starts_with("journal");
    let first = trace.iter().position(|(_, w)| !is_journal(w)).unwrap();
    // A file that is there already gets its name when it is whole.
    let begins = match stocked {
        true => [Op::Write, Op::Create, Op::Sync, Op::Sync],
        false => [Op::Create, Op::Write, Op::Sync, Op::Sync],
    };
    assert_eq!(
        trace[..first].iter().map(|t| t.0).collect::<Vec<_>>(),
        begins,
        "intent and directory: {trace:?}"
    );
    let last = trace
        .iter()
        .position(|(op, w)| *op == Op::Unlink && is_journal(w))
        .unwrap();
    let mut dirty = std::collections::BTreeSet::new();
    for (op, what) in &trace[first..last] {
        let parent = || what.rsplit_once('/').unwrap().0.to_owned();
        match op {
            Op::Write => assert!(dirty.insert(what.clone()), "one write a file: {trace:?}"),
            Op::Rename => {
                dirty.insert(parent());
            }
            Op::Sync => assert!(dirty.remove(what), "{what} was clean"),
            _ => {}
        }
    }
    assert!(dirty.is_empty(), "not synced: {dirty:?}");
    assert_eq!(trace.last().unwrap(), &(Op::Sync, "journal".to_owned()));
}

#[test]
fn a_torn_intent_is_set_aside() {
    let repo = prepared();
    let prefix = journal::prefix(&trust(repo.dir.path()));
    for (name, torn) in [
        ("1-1", r#"{"version":2,"proof":"00","steps":["#),
        ("1-2", r#"{"version":2,"proof":"00","steps":[]}"#),
    ] {
        repo.put(&format!("journal/{prefix}{name}.json"), torn);
    }
    let store = open(repo.dir.path()).unwrap();
    // A process that another test forks holds the lock for a moment, and then opening does not
    // recover; whoever writes waits for it.
    store.transact(|_| ((), vec![])).unwrap();
    assert_eq!(agreed(&store), ["a", "b"]);
    assert_clean(repo.dir.path());
    assert_eq!(
        std::fs::read_dir(repo.path("quarantine")).unwrap().count(),
        2
    );
}

#[test]
fn retention_that_is_cut_off_loses_nothing() {
    let base = Repo::new();
    for n in 0..40 {
        let effect = aictx_proto::effect::Effect::AppendRows {
            file: files::LIFECYCLE_EVENTS.to_owned(),
            rows: vec![serde_json::json!({ "n": n, "text": "y".repeat(60) })],
            order: aictx_proto::effect::KeyOrder::AsBuilt,
        };
        base.store.transact(|_| ((), vec![effect])).unwrap();
    }
    for n in 0..4 {
        let stop = aictx_proto::ledger::LedgerKind::Stop;
        let row = aictx_proto::ledger::LedgerRow::observed(Default::default(), stop);
        base.store.append_ledger(&format!("s{n}"), &[row]).unwrap();
    }
    for torn in [false, true] {
        for at in 1.. {
            let dir = tempfile::tempdir().unwrap();
            copy(base.dir.path(), dir.path());
            let done = run(dir.path(), "retain", at, torn);
            let store = open(dir.path()).unwrap();
            let mut rows: Vec<serde_json::Value> =
                store.archived_rows(files::LIFECYCLE_EVENTS, usize::MAX);
            rows.extend(store.all_rows(files::LIFECYCLE_EVENTS).unwrap());
            let numbers: Vec<u64> = rows.iter().map(|r| r["n"].as_u64().unwrap()).collect();
            let mut whole = numbers.clone();
            whole.sort_unstable();
            whole.dedup();
            assert_eq!(whole, (0..40).collect::<Vec<u64>>(), "point {at}");
            for n in 0..4 {
                let stem = format!("s{n}");
                let there =
                    store.has_ledger(&stem) || store.archived_ledgers().any(|l| l.stem == stem);
                assert!(there, "point {at}: ledger {n}");
            }
            // And the next pass brings it to its end.
            store.archive_above(&SMALL).unwrap();
            store.tidy_within(1, 1, u64::MAX, &|_| false).unwrap();
            assert_eq!(store.ledgers().len(), 1);
            assert!(store.all_rows(files::LIFECYCLE_EVENTS).unwrap().len() < 10);
            if done {
                assert_eq!(numbers.len(), 40, "each in one place");
                assert!(at >= 10, "only {at} points");
                break;
            }
        }
    }
}

#[test]
fn a_commit_that_is_answered_early_is_all_or_nothing_too() {
    let base = prepared();
    let mut points = 0;
    for at in 1.. {
        let dir = tempfile::tempdir().unwrap();
        copy(base.dir.path(), dir.path());
        let done = run(dir.path(), "soon", at, true);
        let there = check(dir.path());
        assert!(there || !done);
        if done {
            break;
        }
        points = at;
    }
    assert!(points >= 30, "only {points} points");
}

#[test]
fn an_early_answer_comes_when_the_files_hold_it_and_before_the_disk_has_confirmed() {
    let repo = prepared();
    let op: crate::Op<'_, ()> = Box::new(|s| ((), finalize("new", s)));
    let mut seen = Vec::new();
    let (done, trace) = with_injection(NONE, || {
        let mut look = || {
            let snapshot = repo.store.latest();
            seen.push(snapshot.executions.last().unwrap().execution_id.clone());
        };
        let done = repo.store.transact_soon(vec![op], &mut look);
        repo.store.settle().unwrap();
        done
    });
    assert!(done[0].is_ok());
    assert_eq!(seen, ["new"]);
    let first_sync = trace.iter().position(|(op, _)| *op == Op::Sync).unwrap();
    let last_write = trace.iter().rposition(|(op, _)| *op == Op::Write).unwrap();
    assert!(first_sync > last_write);
    let journal = |(op, what): &(Op, String)| *op == Op::Unlink && what.starts_with("journal/");
    assert!(trace.iter().position(journal).unwrap() > first_sync);
}

#[test]
fn what_is_answered_as_durable_rests_on_nothing_that_is_not() {
    let repo = prepared();
    let op = |id: &'static str| -> crate::Op<'_, ()> { Box::new(move |s| ((), finalize(id, s))) };
    let (_, trace) = with_injection(NONE, || {
        for id in ["one", "two"] {
            let done = repo.store.transact_soon(vec![op(id)], &mut || ());
            assert!(done[0].is_ok());
        }
        repo.store.transact(|s| ((), finalize("three", s))).unwrap();
    });
    let intents: Vec<usize> = (0..trace.len())
        .filter(|at| trace[*at].0 == Op::Create && trace[*at].1.starts_with("journal/"))
        .collect();
    assert_eq!(intents.len(), 3);
    let syncs = |from: usize, to: usize| {
        let range = trace[from..to].iter();
        range.filter(|(op, _)| *op == Op::Sync).count()
    };
    assert_eq!(
        syncs(0, intents[1]),
        0,
        "the second does not wait for the first"
    );
    assert!(
        syncs(intents[1], intents[2]) >= 10,
        "the third does for both"
    );
    assert!(!repo.store.owes());
    assert_eq!(agreed(&repo.store), ["a", "b", "one", "two", "three"]);
    assert_clean(repo.dir.path());
}

#[test]
fn a_durable_commit_waits_for_syncs_that_another_thread_has_begun() {
    let repo = prepared();
    let op: crate::Op<'_, ()> = Box::new(|s| ((), finalize("soon", s)));
    assert!(repo.store.transact_soon(vec![op], &mut || ())[0].is_ok());
    let begun = repo.store.settling();
    std::thread::scope(|scope| {
        let durable = scope.spawn(|| {
            let done = repo.store.transact(|s| ((), finalize("durable", s)));
            done.unwrap();
        });
        let dir = repo.dir.path();
        let other = Store::open(dir, trust(dir)).unwrap();
        let other = other.with_patience(std::time::Duration::ZERO);
        // Until it has the repository's lock; then it has all the time it could want.
        while !matches!(
            other.transact(|_| ((), vec![])),
            Err(StoreError::Locked { .. })
        ) {
            std::thread::yield_now();
        }
        for _ in 0..10_000 {
            std::thread::yield_now();
        }
        assert_eq!(agreed(&other), ["a", "b", "soon"]);
        drop(begun);
        durable.join().unwrap();
    });
    assert_eq!(agreed(&repo.store), ["a", "b", "soon", "durable"]);
}

#[test]
fn a_sync_that_fails_later_is_told_and_the_commit_done_again() {
    let repo = prepared();
    let op: crate::Op<'_, ()> = Box::new(|s| ((), finalize("new", s)));
    assert!(repo.store.transact_soon(vec![op], &mut || ())[0].is_ok());
    let broken = Injection {
        at: 1,
        errno: EIO,
        torn: false,
        lasting: false,
    };
    let (settled, _) = with_injection(broken, || repo.store.settle());
    assert!(
        matches!(settled, Err(StoreError::Deferred { .. })),
        "{settled:?}"
    );
    // Its intent is still there, and whoever comes next does its steps again.
    assert_eq!(std::fs::read_dir(repo.path("journal")).unwrap().count(), 1);
    repo.store.transact(|_| ((), vec![])).unwrap();
    assert_eq!(agreed(&repo.store), ["a", "b", "new"]);
    assert_clean(repo.dir.path());
}

#[test]
fn preferences_that_somebody_wrote_hold_no_secret_for_agents() {
    let repo = prepared();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    repo.put(
        "memory/user_preferences.json",
        format!("{{\"deploy\": {{\"note\": \"use {token}\", \"style\": \"plain\"}}}}").as_bytes(),
    );
    let seen = repo.store.snapshot().preferences.to_string();
    assert!(seen.contains("plain") && !seen.contains(&token), "{seen}");
}
