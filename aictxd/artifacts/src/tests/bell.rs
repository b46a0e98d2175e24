//! Files that are read only after a change are up to date.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;
#[cfg(target_os = "linux")]
use crate::change_queue::Bell;
use crate::snapshot::DIRECTORIES;

fn listening() -> Repo {
    let mut repo = Repo::new();
    repo.store = open(repo.dir.path()).unwrap().with_clock(now).listening();
    repo
}

/// Returns the snapshot that another process would see.
fn fresh(repo: &Repo) -> Arc<Snapshot> {
    open(repo.dir.path()).unwrap().snapshot()
}

#[test]
#[cfg(target_os = "linux")]
fn silence_lasts_until_something_changes() {
    let repo = listening();
    let root = repo.store.root();
    let look = |bell: &mut Bell| {
        bell.listen(&root, DIRECTORIES);
        bell.looked(&root);
    };
    let mut bell = Bell::default();
    assert!(!bell.is_silent(&root), "nothing was looked at");
    look(&mut bell);
    assert!(bell.is_silent(&root));
    let changes: [fn(&Repo); 8] = [
        |repo| repo.put(files::STATE, "{}"),
        |repo| repo.put(files::DECISIONS, "{\"decision\":\"a\"}\n"),
        |repo| {
            let path = repo.path(files::DECISIONS);
            let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"{\"decision\":\"b\"}\n").unwrap();
            // Not closed yet.
            std::mem::forget(file);
        },
        |repo| repo.put(&format!("{}/t.json", files::THREADS_DIR), "{}"),
        |repo| {
            repo.put(
                &format!("{}/t.json", files::THREADS_DIR),
                "{\"title\":\"x\"}",
            )
        },
        |repo| fs::remove_file(repo.path(files::STATE)).unwrap(),
        |repo| fs::rename(repo.path("tasks"), repo.path("jobs")).unwrap(),
        |repo| {
            let file = fs::File::options()
                .write(true)
                .open(repo.path(files::DECISIONS));
            file.unwrap().set_len(0).unwrap();
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        change(&repo);
        assert!(!bell.is_silent(&root), "{number}");
        look(&mut bell);
        assert!(bell.is_silent(&root), "{number}");
    }
    repo.put("sessions/s.jsonl", "{}\n");
    repo.put(&format!("{}/other", files::JOURNAL_DIR), "{}");
    look(&mut bell);
    repo.put("sessions/s.jsonl", "{}\n{}\n");
    assert!(bell.is_silent(&root), "ledgers are no part of it");
    bell.hang_up();
    look(&mut bell);
    assert!(!bell.is_silent(&root));
}

#[test]
fn every_file_of_a_snapshot_lies_where_it_is_heard_of() {
    let all = [
        files::SESSION,
        files::HANDOFF,
        files::HANDOFFS,
        files::DECISIONS,
        files::FAILURE_PATTERNS,
        files::AGENT_EXECUTION_LOG,
        files::STRATEGIES,
        files::CONTRACT_COMPLIANCE,
        files::LIFECYCLE_EVENTS,
        files::STATE,
        files::PREFERENCES,
        files::CONTINUITY_METRICS,
        files::AGENT_EXECUTION_STATUS,
        files::SEMANTIC_REPO,
        files::AREAS,
        files::CONTRACT_INDEX,
        files::ACTIVE_TASK,
    ];
    let parent = |file: &str| file.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let shelves = [files::THREADS_DIR, files::SEMANTIC_DIR, files::AREAS_DIR];
    let needed = all.iter().map(|file| parent(file));
    for directory in needed.chain(shelves.map(str::to_owned)) {
        assert!(DIRECTORIES.contains(&directory.as_str()), "{directory}");
        assert!(
            DIRECTORIES.contains(&parent(&directory).as_str()),
            "{directory}"
        );
    }
}

#[test]
fn a_file_with_another_name_is_looked_at_each_time() {
    let repo = listening();
    let other = repo.dir.path().join("elsewhere");
    fs::write(&other, "{\"decision\":\"a\"}\n").unwrap();
    fs::create_dir_all(repo.path("continuity")).unwrap();
    fs::hard_link(&other, repo.path(files::DECISIONS)).unwrap();
    assert_eq!(repo.store.snapshot().decisions.len(), 1);
    let mut file = fs::OpenOptions::new().append(true).open(&other).unwrap();
    file.write_all(b"{\"decision\":\"b\"}\n").unwrap();
    assert_eq!(repo.store.snapshot().decisions.len(), 2);
}

#[test]
fn what_is_read_while_a_commit_is_decided_is_not_taken_back_by_it() {
    let repo = listening();
    repo.put(files::DECISIONS, "{\"decision\":\"a\"}\n");
    assert_eq!(repo.store.snapshot().decisions.len(), 1);
    let beside = |_: &Snapshot| {
        repo.put(
            files::DECISIONS,
            "{\"decision\":\"a\"}\n{\"decision\":\"b\"}\n",
        );
        assert_eq!(repo.store.snapshot().decisions.len(), 2);
        ((), vec![replace(files::REPO_MAP_STATUS, json!({}))])
    };
    repo.store.transact(beside).unwrap();
    assert_eq!(repo.store.snapshot().decisions.len(), 2);
}

#[test]
fn a_memory_that_is_another_one_now_is_read() {
    let repo = listening();
    repo.put(files::DECISIONS, "{\"decision\":\"a\"}\n");
    assert_eq!(repo.store.snapshot().decisions.len(), 1);
    fs::rename(repo.path(""), repo.dir.path().join("old")).unwrap();
    repo.put(
        files::DECISIONS,
        "{\"decision\":\"b\"}\n{\"decision\":\"c\"}\n",
    );
    assert_eq!(repo.store.snapshot().decisions.len(), 2);
    repo.put(files::DECISIONS, "{\"decision\":\"d\"}\n");
    assert_eq!(repo.store.snapshot().decisions.len(), 1);
}

/// One change by another program; what cannot be done is not done.
fn change(repo: &Repo, what: usize, which: usize, number: usize) {
    let file = [
        files::DECISIONS,
        files::HANDOFF,
        files::STRATEGIES,
        files::STATE,
        files::ACTIVE_TASK,
        "tasks/threads/one.json",
        "area_memory/areas/src.json",
    ][which % 7];
    let path = repo.path(file);
    let pad = "x".repeat(number);
    let text = match file.ends_with(".jsonl") {
        true => format!("{{\"decision\":\"{pad}\",\"task_text\":\"{pad}\"}}\n"),
        false => format!(
            "{{\"summary\":\"{pad}\",\"title\":\"{pad}\",\"task_id\":\"one\",\"area_id\":\"a{pad}\"}}"
        ),
    };
    let parent = path.parent().unwrap();
    let _ = match what {
        0..=2 => fs::create_dir_all(parent).and_then(|()| fs::write(&path, &text)),
        3 => fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes())),
        4 => fs::remove_file(&path),
        5 => fs::write(parent.join(".draft"), &text)
            .and_then(|()| fs::rename(parent.join(".draft"), &path)),
        6 => fs::rename(parent, repo.path("away")),
        7 => fs::rename(repo.path("away"), parent),
        8 if file != files::STATE => fs::remove_dir_all(parent),
        9 => fs::remove_file(&path).and_then(|()| symlink("elsewhere", &path)),
        _ => {
            let rows = vec![json!({"decision": pad.clone()})];
            let done = repo
                .store
                .transact(|_| ((), vec![append(files::DECISIONS, rows)]));
            done.map(drop).map_err(std::io::Error::other)
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_others_write_is_seen_at_once(
        changes in proptest::collection::vec((0_usize..12, 0_usize..7), 1..24)
    ) {
        let repo = listening();
        for (number, (what, which)) in changes.into_iter().enumerate() {
            change(&repo, what, which, number + 1);
            same_but_generation(&repo.store.snapshot(), &fresh(&repo));
            same_but_generation(&repo.store.snapshot(), &fresh(&repo));
        }
    }
}
