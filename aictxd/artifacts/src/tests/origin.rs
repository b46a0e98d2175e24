//! Records that came with the repository are not trusted, executed or changed.

use std::sync::{Arc, Mutex};

use aictx_proto::record::Origin;
use aictx_proto::snapshot::ReadIssue;

use super::*;
use crate::retention::{Bound, Stays};
use crate::trust::Tracked;

/// A memory of which git tracks what a test says.
struct Shared {
    repo: Repo,
    tracked: Arc<Mutex<Arc<Tracked>>>,
}

impl Shared {
    fn new() -> Self {
        let tracked: Arc<Mutex<Arc<Tracked>>> = Arc::default();
        let repo = Repo::new();
        let mut shared = Self { repo, tracked };
        shared.reopen();
        shared
    }

    fn reopen(&mut self) {
        let tracked = Arc::clone(&self.tracked);
        let trust = trust(self.repo.dir.path());
        let trust = trust.asking(Arc::new(move || Arc::clone(&tracked.lock().unwrap())));
        self.repo.store = Store::open(self.repo.dir.path(), trust)
            .unwrap()
            .listening();
    }

    /// Puts files there as git does: as new ones, which it tracks.
    fn check_out(&self, files: &[(&str, &str)]) {
        for (file, text) in files {
            let _ = std::fs::remove_file(self.repo.path(file));
            self.repo.put(file, text);
        }
        self.track(files.iter().map(|(file, _)| *file));
    }

    fn track<'f>(&self, files: impl Iterator<Item = &'f str>) {
        let tracked = Tracked::new(files.map(|file| (file.to_owned(), true)));
        *self.tracked.lock().unwrap() = Arc::new(tracked);
    }

    fn issues(&self) -> Vec<String> {
        let snapshot = self.repo.store.snapshot();
        let foreign = |issue: &&ReadIssue| issue.code == ReadIssue::CAME_WITH_REPOSITORY;
        let issues = snapshot.issues.iter().filter(foreign);
        issues.map(|issue| issue.file.clone()).collect()
    }
}

const EVIL: &str = r#"[{"step":"remove","file":"continuity/handoffs.jsonl"}]"#;

#[test]
fn an_intent_that_others_made_is_reported_and_never_carried_out() {
    let mut shared = Shared::new();
    shared
        .repo
        .store
        .transact(|s| ((), finalize("a", s)))
        .unwrap();
    let sha = crate::digest::digest(EVIL.as_bytes());
    let intents = [
        format!(r#"{{"version":1,"sha256":"{sha}","steps":{EVIL}}}"#),
        format!(
            r#"{{"version":2,"proof":"{}","steps":{EVIL}}}"#,
            "0".repeat(64)
        ),
    ];
    let [first, second] = ["journal/1-1.json", "journal/1-2.json"];
    for is_tracked in [false, true] {
        let files = [(first, &*intents[0]), (second, &*intents[1])];
        shared.check_out(&files);
        if !is_tracked {
            shared.track(std::iter::empty());
        }
        shared.reopen();
        shared.repo.store.transact(|_| ((), vec![])).unwrap();
        assert_eq!(shared.repo.store.recover().unwrap(), 0);
        assert_eq!(shared.issues(), [first, second]);
        for (file, text) in files {
            assert_eq!(shared.repo.read(file), text);
        }
        assert!(shared.repo.path(files::HANDOFFS).exists());
    }
    assert!(!shared.repo.path("quarantine").exists());
}

#[test]
fn an_own_intent_is_none_in_another_file() {
    let repo = Repo::new();
    leave_intent(
        &repo,
        &json!([{"step": "append", "file": "x.jsonl", "offset": 0, "bytes": {"text": "{}\n"}}]),
    );
    let entries = std::fs::read_dir(repo.path("journal")).unwrap();
    let intent = entries.map(|e| e.unwrap().path()).next().unwrap();
    let copy = std::fs::read(&intent).unwrap();
    // The number of the file that goes could be given to the next one.
    std::fs::rename(&intent, repo.dir.path().join("kept")).unwrap();
    std::fs::write(&intent, copy).unwrap();
    open(repo.dir.path()).unwrap();
    assert!(!repo.path("x.jsonl").exists());
    let aside = std::fs::read_dir(repo.path("quarantine")).unwrap();
    assert_eq!(aside.count(), 1, "it may be one that was torn");
}

fn foreign_ledger() -> String {
    let rows = [row(1, LedgerKind::SessionStart), row(2, LedgerKind::Edit)];
    rows.iter()
        .map(|row| serde_json::to_string(row).unwrap() + "\n")
        .collect()
}

#[test]
fn a_ledger_that_others_made_is_not_read_and_not_added_to() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    let text = foreign_ledger();
    shared.check_out(&[("sessions/s.jsonl", &text)]);
    assert!(!store.has_ledger("s") && !store.ledger_is_lost("s"));
    assert!(store.read_ledger("s").rows.is_empty() && store.ledgers().is_empty());
    assert_eq!(store.newest_of("s", LedgerKind::Edit), (None, false));
    assert_eq!(shared.issues(), ["sessions/s.jsonl"]);

    let own = row(3, LedgerKind::Stop);
    store
        .append_ledger("s", std::slice::from_ref(&own))
        .unwrap();
    store.transact(|s| ((), finalize("a", s))).unwrap();
    assert_eq!(shared.repo.read("sessions/s.jsonl"), text);
    let read = store.read_ledger("s").rows;
    assert_eq!((read.len(), &read[0]), (2, &own));
    let listed = store.ledgers();
    assert_eq!((listed.len(), &*listed[0].stem), (1, "s"));
    // So it is for other processes, and when the other file is gone again.
    assert_eq!(
        open(shared.repo.dir.path()).unwrap().read_ledger("s").rows,
        read
    );
    std::fs::remove_file(shared.repo.path("sessions/s.jsonl")).unwrap();
    assert_eq!(store.read_ledger("s").rows, read);
    store
        .append_ledger("s", &[row(4, LedgerKind::Stop)])
        .unwrap();
    assert!(!shared.repo.path("sessions/s.jsonl").exists());
    assert_eq!(store.read_ledger("s").rows.len(), 3);
}

#[test]
fn a_ledger_of_this_user_is_none_in_another_file() {
    let repo = Repo::new();
    repo.store
        .append_ledger("s", &[row(1, LedgerKind::Stop)])
        .unwrap();
    assert!(repo.read("sessions/s.jsonl").contains(r#""kind":"proof""#));
    let text = std::fs::read(repo.path("sessions/s.jsonl")).unwrap();
    repo.put("sessions/other.jsonl", &text);
    std::fs::rename(
        repo.path("sessions/s.jsonl"),
        repo.path("sessions/moved.jsonl"),
    )
    .unwrap();
    repo.put("sessions/s.jsonl", &text);
    for session in ["s", "other", "moved"] {
        assert!(!repo.store.has_ledger(session), "{session}");
    }
}

#[test]
fn a_proof_that_was_torn_off_is_completed() {
    let repo = Repo::new();
    repo.store
        .append_ledger("s", &[row(1, LedgerKind::Stop)])
        .unwrap();
    let whole = repo.read("sessions/s.jsonl");
    let end = whole.find('\n').unwrap();
    for cut in [0, 1, end - 1, end, end + 1, end + 5] {
        let store = open(repo.dir.path()).unwrap();
        std::fs::write(repo.path("sessions/s.jsonl"), &whole[..cut]).unwrap();
        store
            .append_ledger("s", &[row(2, LedgerKind::Edit)])
            .unwrap();
        let rows = open(repo.dir.path()).unwrap().read_ledger("s").rows;
        assert_eq!(rows, [row(2, LedgerKind::Edit)], "cut at {cut}");
    }
    assert_eq!(std::fs::read_dir(repo.path("sessions")).unwrap().count(), 1);
}

#[test]
fn a_ledger_that_others_put_into_the_archive_does_not_come_back() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    store
        .append_ledger("own", &[row(1, LedgerKind::Stop)])
        .unwrap();
    store
        .append_ledger("newer", &[row(1, LedgerKind::Stop)])
        .unwrap();
    store.tidy_within(0, 0, u64::MAX, &|_| false).unwrap();
    let packed = json!({ "file": "sessions/evil.jsonl", "text": foreign_ledger() });
    let packed = [packed.to_string(), "\n".to_owned()].concat();
    crate::archive::put(&store.root(), "sessions", packed.as_bytes()).unwrap();
    let origins: Vec<(String, Origin)> = store
        .archived_ledgers()
        .map(|l| (l.stem, l.origin))
        .collect();
    let own = origins.iter().find(|(_, origin)| origin.is_own()).unwrap();
    assert!(origins.contains(&("evil".to_owned(), Origin::Repository)));
    assert!(!store.bring_back("evil").unwrap() && store.bring_back(&own.0).unwrap());
    assert_eq!(store.read_ledger(&own.0).rows, [row(1, LedgerKind::Stop)]);
}

#[test]
fn shared_records_that_git_tracks_say_so_and_others_make_way() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    store.transact(|s| ((), finalize("a", s))).unwrap();
    assert!(store.snapshot().decisions.iter().all(|d| d.origin.is_own()));
    let theirs = [
        (files::DECISIONS, "{\"decision\":\"evil\"}\n"),
        (files::HANDOFF, "{\"summary\":\"evil\"}\n"),
        (files::SESSION, "{\"session_count\":99}\n"),
        (files::STATE, "{\"repo_id\":\"evil\"}\n"),
        (files::FORMAT, "{\"version\":99}\n"),
        (
            files::SEMANTIC_REPO,
            "{\"subsystems\":[{\"name\":\"evil\"}]}\n",
        ),
        (".lock", "evil"),
    ];
    shared.check_out(&theirs);
    let snapshot = store.snapshot();
    assert_eq!(snapshot.decisions[0].origin, Origin::Repository);
    assert_eq!(
        snapshot.handoff.as_ref().unwrap().origin,
        Origin::Repository
    );
    assert_eq!(snapshot.semantic.subsystems[0].origin, Origin::Repository);
    assert_eq!(snapshot.session.session_count, 0);
    assert_ne!(snapshot.repo_id, "evil");
    assert_eq!(snapshot.handoffs[0].origin, Origin::Own);
    assert_eq!(
        shared.issues(),
        [files::SESSION, files::FORMAT, files::STATE]
    );

    // What was written by this machine is its own again, and nothing of theirs changed.
    store.transact(|s| ((), finalize("b", s))).unwrap();
    let snapshot = store.snapshot();
    let handoff = snapshot.handoff.as_ref().unwrap();
    assert_eq!((&*handoff.summary, handoff.origin), ("did b", Origin::Own));
    assert_eq!(snapshot.session.last_execution_at, "b");
    for (file, text) in &theirs[1..] {
        assert_eq!(shared.repo.read(file), *text, "{file}");
    }
    let fresh = open(shared.repo.dir.path());
    assert!(
        matches!(fresh, Err(StoreError::NewerFormat { .. })),
        "untracked it counts"
    );

    // What was theirs goes, and what is this machine's stays.
    for (file, _) in &theirs {
        std::fs::remove_file(shared.repo.path(file)).unwrap();
    }
    shared.track(std::iter::empty());
    assert_eq!(store.snapshot().session.last_execution_at, "b");
    assert_eq!(store.snapshot().handoff.as_ref().unwrap().summary, "did b");
}

#[test]
fn a_record_tells_its_origin_wherever_it_is_written() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    let derived = json!({"decision": "derived", "origin": "repository"});
    store
        .transact(|_| ((), vec![append(files::DECISIONS, vec![derived.clone()])]))
        .unwrap();
    assert_eq!(store.snapshot().decisions[0].origin, Origin::Repository);
    shared.track([files::DECISIONS].into_iter());
    store
        .transact(|_| ((), vec![append(files::DECISIONS, vec![derived])]))
        .unwrap();
    let text = shared.repo.read(files::DECISIONS);
    assert_eq!(text.lines().count(), 1, "what git tracks stays: {text}");
    let decisions = Arc::clone(&store.snapshot().decisions);
    assert_eq!(decisions.len(), 2);
    assert!(decisions.iter().all(|d| !d.origin.is_own()));
}

#[test]
fn links_and_directories_in_the_place_of_files_stop_nobody() {
    let shared = Shared::new();
    let links = [
        "continuity",
        "metrics",
        "sessions",
        "journal",
        "tasks",
        ".lock",
    ];
    let outside = tempfile::tempdir().unwrap();
    std::fs::remove_file(shared.repo.path(".lock")).unwrap();
    for link in links {
        std::os::unix::fs::symlink(outside.path(), shared.repo.path(link)).unwrap();
    }
    std::fs::create_dir_all(shared.repo.path("failure_memory/failure_patterns.jsonl")).unwrap();
    let below = "failure_memory/failure_patterns.jsonl/x";
    shared.repo.put(below, "x");
    let linked = links.map(|link| (link.to_owned(), false));
    let tracked = Tracked::new(linked.into_iter().chain([(below.to_owned(), true)]));
    *shared.tracked.lock().unwrap() = Arc::new(tracked);
    let store = &shared.repo.store;
    store.transact(|s| ((), finalize("a", s))).unwrap();
    let snapshot = store.snapshot();
    assert_eq!(snapshot.handoff.as_ref().unwrap().summary, "did a");
    assert_eq!((snapshot.failures.len(), snapshot.decisions.len()), (1, 2));
    store
        .append_ledger("s", &[row(3, LedgerKind::Stop)])
        .unwrap();
    assert_eq!(store.read_ledger("s").rows.len(), 2);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(snapshot.decisions.iter().all(|d| d.origin.is_own()));
}

#[test]
fn retention_leaves_alone_what_git_tracks() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    let many: String = (0..400)
        .map(|n| format!("{{\"decision\":\"d{n}\"}}\n"))
        .collect();
    let contracts: Vec<String> = (0..60)
        .map(|n| format!("continuity/contracts/c{n}.json"))
        .collect();
    let mut theirs = vec![
        (files::DECISIONS, many.as_str()),
        ("archive/.x.aictx-tmp", "draft"),
        ("archive/continuity/decisions-000001.jsonl.gz", "segment"),
        ("tasks/threads/old.json", "{\"status\":\"resolved\"}"),
    ];
    theirs.extend(contracts.iter().map(|c| (c.as_str(), "{}")));
    shared.check_out(&theirs);
    store.snapshot();
    let bound = [Bound {
        file: files::DECISIONS,
        limit: 1_000,
        keep: 500,
        rows: 2,
        stays: Stays::Newest,
    }];
    assert_eq!(store.archive_above(&bound).unwrap(), 1, "the own one");
    store.tidy_within(0, 0, 0, &|_| false).unwrap();
    store.recover().unwrap();
    for (file, text) in &theirs {
        assert_eq!(shared.repo.read(file), *text, "{file}");
    }
}

#[test]
fn histories_of_one_machine_are_told_apart_from_those_of_the_repository() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    let theirs = "{\"task_id\":\"theirs\"}\n";
    shared.check_out(&[(files::EXECUTION_LOGS, theirs)]);
    store.transact(|s| ((), finalize("own", s))).unwrap();
    let ids = |rows: Vec<Value>| -> Vec<(String, Origin)> {
        let id = |row: &Value| row["task_id"].as_str().unwrap().to_owned();
        rows.iter().map(|row| (id(row), Origin::of(row))).collect()
    };
    let own = ids(store.newest_rows(files::EXECUTION_LOGS, 10).0);
    assert_eq!(own, [("own".to_owned(), Origin::Own)]);
    let foreign = ids(store.foreign_rows(files::EXECUTION_LOGS, 10));
    assert_eq!(foreign, [("theirs".to_owned(), Origin::Repository)]);
    assert_eq!(shared.repo.read(files::EXECUTION_LOGS), theirs);
}

#[test]
fn a_history_that_git_tracks_is_taken_in_and_own_ones_make_way() {
    let shared = Shared::new();
    let store = &shared.repo.store;
    let decide = |text: &str| {
        let row = append(files::DECISIONS, vec![json!({ "decision": text })]);
        store.transact(|_| ((), vec![row])).unwrap();
    };
    decide("own before");
    let theirs = "{\"strategy\":1,\"task_id\":\"theirs\"}\n";
    shared.check_out(&[(files::STRATEGIES, theirs)]);
    let linked = [
        (files::HANDOFFS.to_owned(), true),
        (files::STRATEGIES.to_owned(), true),
    ];
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), shared.repo.path(files::HANDOFFS)).unwrap();
    *shared.tracked.lock().unwrap() = Arc::new(Tracked::new(linked));
    let snapshot = store.snapshot();
    assert_eq!(snapshot.strategies[0].origin, Origin::Repository);
    assert_eq!(snapshot.decisions[0].origin, Origin::Own);
    assert!(!shared.repo.path(files::DECISIONS).exists(), "out of reach");
    // What cannot be read is looked at once, and nothing is written for it again.
    let receipts = shared.repo.read(files::RECEIVED);
    assert_eq!(store.snapshot().generation, snapshot.generation);
    assert_eq!(shared.repo.read(files::RECEIVED), receipts);
    // A branch that tracks a history of that name replaces nothing, and its rows are there from then on.
    shared.check_out(&[(files::DECISIONS, "{\"decision\":\"theirs\"}\n")]);
    decide("own after");
    std::fs::remove_file(shared.repo.path(files::DECISIONS)).unwrap();
    shared.track(std::iter::empty());
    let snapshot = store.snapshot();
    let all: Vec<&str> = snapshot.decisions.iter().map(|d| &*d.decision).collect();
    assert_eq!(all, ["own before", "theirs", "own after"]);
}
