use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::ledger::{LedgerKind, LedgerRow};

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn append(store: &Store, file: &str, row: Value) {
    let effect = Effect::AppendRows {
        file: file.to_owned(),
        rows: vec![row],
        order: KeyOrder::Sorted,
    };
    store.transact(|_| ((), vec![effect])).unwrap();
}

fn event(store: &Store, n: usize) {
    let row = json!({ "event_type": "x", "n": n, "text": "y".repeat(200) });
    append(store, LIFECYCLE_EVENTS, row);
}

fn small(file: &str) -> [Bound<'_>; 1] {
    [Bound {
        file,
        limit: 4_000,
        keep: 1_000,
        rows: 2,
        stays: Stays::Newest,
    }]
}

fn numbers(rows: &[Value]) -> Vec<u64> {
    rows.iter().map(|row| row["n"].as_u64().unwrap()).collect()
}

/// Everything of a history, archived and live, oldest first.
fn all(store: &Store, file: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = store.archived_rows(file, usize::MAX);
    rows.extend(store.all_rows(file).unwrap());
    rows
}

fn bytes_below(dir: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries
        .map(|e| match e.path() {
            p if p.is_dir() => bytes_below(&p),
            _ => e.metadata().unwrap().len(),
        })
        .sum()
}

#[test]
fn every_row_of_a_split_history_is_in_one_place_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    for n in 0..40 {
        event(&store, n);
    }
    assert_eq!(store.archive_histories().unwrap(), 0);
    assert_eq!(store.archive_above(&small(LIFECYCLE_EVENTS)).unwrap(), 1);
    for n in 40..60 {
        event(&store, n);
    }
    assert_eq!(store.archive_above(&small(LIFECYCLE_EVENTS)).unwrap(), 1);
    let live = store.all_rows(LIFECYCLE_EVENTS).unwrap();
    assert!((2..6).contains(&live.len()), "{}", live.len());
    assert_eq!(
        numbers(&all(&store, LIFECYCLE_EVENTS)),
        (0..60).collect::<Vec<u64>>()
    );
    let newest: Vec<Value> = store.archived_rows(LIFECYCLE_EVENTS, 3);
    let last = numbers(&live)[0] - 1;
    assert_eq!(numbers(&newest), [last - 2, last - 1, last]);
    let segments = archive::segments(&store.root(), LIFECYCLE_EVENTS);
    assert_eq!(segments.len(), 1, "a further member of the same segment");
}

#[test]
fn pinned_rows_stay_however_old() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    for n in 0..40 {
        let row = json!({ "decision": "y".repeat(200), "n": n, "pinned": n == 3 });
        append(&store, DECISIONS, row);
    }
    assert_eq!(store.archive_above(&small(DECISIONS)).unwrap(), 1);
    let live = numbers(&store.all_rows(DECISIONS).unwrap());
    assert_eq!((live[0], live.len()), (3, 5));
    let pinned = all(&store, DECISIONS).len();
    assert_eq!(pinned, 40);
}

#[test]
fn the_last_handoff_of_each_branch_stays_however_old() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    for n in 0..40 {
        let branch = match n {
            3 | 5 => "rare",
            7 => "once",
            _ => "main",
        };
        let row = json!({ "summary": "y".repeat(200), "n": n, "branch": branch });
        append(&store, HANDOFFS, row);
    }
    let bounds = small(HANDOFFS).map(|b| b.and(Stays::LastOfBranch));
    assert_eq!(store.archive_above(&bounds).unwrap(), 1);
    let live = numbers(&store.all_rows(HANDOFFS).unwrap());
    assert_eq!(live[..2], [5, 7]);
    assert!(live[2] > 30, "{live:?}");
    let mut every = numbers(&all(&store, HANDOFFS));
    every.sort_unstable();
    assert_eq!(every, (0..40).collect::<Vec<u64>>());
}

#[test]
fn beginnings_of_sessions_that_never_ended_stay_for_a_week() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let write = |n: u64, kind: &str, session: &str, day: u64| {
        let at = format!("2026-03-{:02}T10:00:00Z", day);
        let row = json!({
            "event_type": kind, "session_id": session, "timestamp": at, "n": n,
            "task": "y".repeat(200),
        });
        append(&store, LIFECYCLE_EVENTS, row);
    };
    write(0, "resume_called", "forgotten long ago", 1);
    write(1, "resume_called", "forgotten", 8);
    write(2, "resume_called", "asked again", 8);
    write(3, "resume_called", "asked again", 8);
    write(4, "resume_called", "done later", 8);
    for n in 5..30 {
        let session = format!("s{}", n / 2);
        let kind = ["finalize_called", "resume_called"][usize::from(n % 2 == 0)];
        write(n, kind, &session, 9);
    }
    write(30, "finalize_called", "done later", 10);
    let bounds = small(LIFECYCLE_EVENTS).map(|b| b.and(Stays::Unfinished));
    assert_eq!(store.archive_above(&bounds).unwrap(), 1);
    let live = numbers(&store.all_rows(LIFECYCLE_EVENTS).unwrap());
    assert_eq!(live[..2], [1, 3]);
    assert!(live[2] > 20, "{live:?}");
}

#[test]
fn w_p4_what_is_no_row_is_archived_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    event(&store, 0);
    let file = dir.path().join(".aictx").join(LIFECYCLE_EVENTS);
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.insert_str(0, "<<<<<<< ours\n{\"torn\n");
    std::fs::write(&file, text).unwrap();
    for n in 1..30 {
        event(&store, n);
    }
    assert_eq!(store.archive_above(&small(LIFECYCLE_EVENTS)).unwrap(), 1);
    let segment = &archive::segments(&store.root(), LIFECYCLE_EVENTS)[0].file;
    let text = archive::unpack(&store.root(), segment);
    assert!(text.starts_with(b"<<<<<<< ours\n{\"torn\n{"));
}

#[test]
fn old_ledgers_go_to_the_archive_needed_ones_stay() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    for n in 0..6 {
        let row = LedgerRow::observed(Default::default(), LedgerKind::Stop);
        store.append_ledger(&format!("s{n}"), &[row]).unwrap();
        let file = dir.path().join(format!(".aictx/sessions/s{n}.jsonl"));
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + n);
        let open = std::fs::File::options().append(true).open(file).unwrap();
        open.set_modified(at).unwrap();
    }
    let quiet = store.tidy_within(6, MAX_LEDGER_BYTES, u64::MAX, &|_| false);
    assert_eq!(quiet.unwrap(), Tidied::default());
    let text = std::fs::read_to_string(dir.path().join(".aictx/sessions/s2.jsonl")).unwrap();
    let within = |count, bytes, needed: &dyn Fn(&str) -> bool| {
        store
            .tidy_within(count, bytes, u64::MAX, needed)
            .unwrap()
            .ledgers
    };
    assert_eq!(within(2, 1_000_000, &|s| s == "s1"), 3);
    let left: Vec<String> = store.ledgers().into_iter().map(|l| l.stem).collect();
    assert_eq!(left, ["s5", "s4", "s1"]);
    let archived: Vec<crate::ArchivedLedger> = store.archived_ledgers().collect();
    let stems: Vec<&str> = archived.iter().map(|l| l.stem.as_str()).collect();
    assert_eq!(stems, ["s0", "s2", "s3"]);
    let rows = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(archived[1].text, rows(&text), "without the proof");
    assert!(store.bring_back("s2").unwrap() && !store.bring_back("s2").unwrap());
    assert!(!store.bring_back("nobody").unwrap());
    let back = dir.path().join(".aictx/sessions/s2.jsonl");
    assert_eq!(rows(&std::fs::read_to_string(&back).unwrap()), rows(&text));
    assert!(store.has_ledger("s2"), "with a proof of its own");
    std::fs::remove_file(back).unwrap();
    assert_eq!(within(9, 1, &|_| false), 2);
    assert_eq!(
        store.ledgers().len(),
        1,
        "the newest stays whatever its size"
    );
    use std::os::unix::fs::PermissionsExt;
    let mode = |file: &str| {
        let path = dir.path().join(".aictx").join(file);
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode("archive/sessions-000001.jsonl.gz"), 0o600);
}

#[test]
fn closed_threads_make_room_open_ones_never() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let states = ["resolved", "in_progress", "paused", "blocked", "abandoned"];
    for n in 0..MAX_THREADS + 50 {
        let value = json!({ "task_id": format!("t{n}"), "status": states[n % 5] });
        let file = format!("{THREADS_DIR}/t{n:03}.json");
        let order = KeyOrder::Sorted;
        let effect = Effect::ReplaceJson { file, value, order };
        store.transact(|_| ((), vec![effect])).unwrap();
        append(
            &store,
            &format!("{THREADS_DIR}/t{n:03}.events.jsonl"),
            json!({ "n": n }),
        );
    }
    let open = |s: &Store| {
        let threads = s.snapshot().threads.clone();
        let is_open = |t: &&std::sync::Arc<aictx_proto::record::Thread>| {
            !matches!(t.status.as_str(), "resolved" | "abandoned")
        };
        threads.iter().filter(is_open).count()
    };
    let before = open(&store);
    let done = store.tidy(MAX_TOTAL, &|_| false).unwrap();
    assert_eq!(done.files, 100, "50 threads and their events");
    assert_eq!(open(&store), before);
    assert_eq!(store.snapshot().threads.len(), MAX_THREADS);
    let gone: Vec<Packed> = store.archived_rows(THREADS_DIR, usize::MAX);
    assert_eq!(gone.len(), 100);
    assert!(gone.iter().any(|p| p.file.ends_with("t000.json")));
    assert_eq!(
        store.tidy(MAX_TOTAL, &|_| false).unwrap(),
        Tidied::default()
    );
}

#[test]
fn a_row_that_was_archived_lately_is_found_by_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let find =
        |text: &str| store.lately_archived(LIFECYCLE_EVENTS, text, |row: &Value| row["id"] == text);
    assert_eq!(find("e-1"), None, "there is no archive");
    for n in 0..40 {
        let row = json!({ "id": format!("e-{n}"), "n": n, "text": "y".repeat(200) });
        append(&store, LIFECYCLE_EVENTS, row);
        store.archive_above(&small(LIFECYCLE_EVENTS)).unwrap();
    }
    for n in [0, 17, 24] {
        let row = find(&format!("e-{n}")).unwrap();
        assert_eq!(row["n"], n);
    }
    assert_eq!(find("e-"), None, "a part of a name is not the name");
    assert_eq!(find("e-39"), None, "it is not archived");
}

#[test]
fn w33_contracts_and_packets_without_readers_make_room() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let write = |file: String| {
        let (value, order) = (json!({ "x": 1 }), KeyOrder::Sorted);
        let effect = Effect::ReplaceJson { file, value, order };
        store.transact(|_| ((), vec![effect])).unwrap();
    };
    write(format!("{CONTRACTS_DIR}/index.json"));
    for n in 0..60 {
        write(format!("{CONTRACTS_DIR}/c{n:02}.json"));
        write(format!("delta/last_packets/p{n:02}.json"));
    }
    let done = store.tidy(MAX_TOTAL, &|_| false).unwrap();
    assert_eq!(done.files, (60 - 48) + (60 - 16));
    assert!(
        dir.path()
            .join(".aictx")
            .join(CONTRACTS_DIR)
            .join("index.json")
            .exists()
    );
    let packets: Vec<Packed> = store.archived_rows("delta/last_packets", usize::MAX);
    assert_eq!(packets.len(), 44);
}

#[test]
fn a_full_archive_forgets_its_oldest_segments_and_what_is_dear_last() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let root = store.root();
    // Bytes that do not compress, so that every call makes a segment.
    let mut seed = 1_u64;
    let mut noise = || {
        let text: String = (0..400_000)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                char::from(b'!' + (seed % 90) as u8)
            })
            .collect();
        text.into_bytes()
    };
    archive::put(&root, DECISIONS, &noise()).unwrap();
    for _ in 0..4 {
        archive::put(&root, HANDOFFS, &noise()).unwrap();
    }
    std::fs::write(
        dir.path().join(".aictx/archive/continuity/notes.txt"),
        "mine",
    )
    .unwrap();
    let all = archive::segments(&root, HANDOFFS);
    assert_eq!(all.len(), 4);
    let each = all[0].bytes;
    assert_eq!(archive::bound(&root, each * 3 + each / 2).unwrap(), 2);
    let left: Vec<String> = archive::segments(&root, HANDOFFS)
        .into_iter()
        .map(|s| s.file)
        .collect();
    assert_eq!(left, [all[2].file.clone(), all[3].file.clone()]);
    assert_eq!(archive::segments(&root, DECISIONS).len(), 1);
    archive::put(&root, HANDOFFS, &noise()).unwrap();
    let next = archive::segments(&root, HANDOFFS).pop().unwrap();
    assert!(
        next.file.ends_with("-000005.jsonl.gz"),
        "numbers are not used twice"
    );
    assert_eq!(archive::bound(&root, each + each / 10).unwrap(), 3);
    assert_eq!(archive::segments(&root, DECISIONS).len(), 1);
    assert_eq!(archive::bound(&root, 0).unwrap(), 1);
    assert!(
        dir.path()
            .join(".aictx/archive/continuity/notes.txt")
            .exists()
    );
}

#[test]
fn tens_of_thousands_of_executions_stay_below_a_ceiling() {
    const ARCHIVE_LIMIT: u64 = 60_000;
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let bounds: Vec<Bound> = BOUNDS
        .iter()
        .map(|b| Bound {
            limit: b.limit / 8,
            keep: b.keep / 8,
            rows: b.rows.min(8),
            ..*b
        })
        .collect();
    let histories: u64 = bounds.iter().map(|b| b.limit).sum();
    let open = LedgerRow::observed(Default::default(), LedgerKind::Prompt);
    store.append_ledger("unfinished", &[open]).unwrap();
    append(
        &store,
        DECISIONS,
        json!({ "decision": "first", "pinned": true }),
    );
    let mut most = 0;
    for group in 0..200_usize {
        // One commit of a hundred executions: what matters is what is written, not how often.
        let rows = |name: &str| -> Vec<Value> {
            (0..100)
                .map(|n| {
                    let id = group * 100 + n;
                    json!({ name: format!("e{id}"), "text": format!("{:x}", id * 7_919_777) })
                })
                .collect()
        };
        let write = |file: &str, rows| Effect::AppendRows {
            file: file.to_owned(),
            rows,
            order: KeyOrder::AsBuilt,
        };
        let effects = vec![
            write(AGENT_EXECUTION_LOG, rows("execution_id")),
            write(EXECUTION_LOGS, rows("task_id")),
            write(HANDOFFS, rows("execution_id")),
            write(DECISIONS, rows("decision")),
        ];
        store.transact(|_| ((), effects)).unwrap();
        let row = LedgerRow::observed(Default::default(), LedgerKind::Finalized);
        store.append_ledger(&format!("s{group}"), &[row]).unwrap();
        store.archive_above(&bounds).unwrap();
        let needed = |stem: &str| stem == "unfinished";
        store
            .tidy_within(16, 1_000_000, ARCHIVE_LIMIT, &needed)
            .unwrap();
        most = most.max(bytes_below(&dir.path().join(".aictx")));
    }
    // One segment more may be there between two passes, and every ledger is small.
    let ceiling = histories + ARCHIVE_LIMIT + 32_000;
    assert!(most <= ceiling, "{most} > {ceiling}");
    assert!(store.has_ledger("unfinished"));
    let decisions = store.all_rows(DECISIONS).unwrap();
    assert_eq!(decisions[0]["decision"], "first");
    let (newest, _): (Vec<Value>, u64) = store.newest_rows(AGENT_EXECUTION_LOG, 8);
    assert_eq!(newest.last().unwrap()["execution_id"], "e19999");
    assert_eq!(newest.len(), 8);
}

#[test]
fn the_stated_ceiling_is_more_than_its_parts() {
    let histories: u64 = BOUNDS.iter().map(|b| b.limit).sum();
    assert!(MAX_LEDGER_BYTES + histories + 20 * 1024 * 1024 <= BESIDE_ARCHIVE);
    const { assert!(BESIDE_ARCHIVE * 2 <= MAX_TOTAL) };
}

#[test]
fn the_newest_five_hundred_executions_stay_as_rows_however_long() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    for bound in BOUNDS
        .iter()
        .filter(|b| b.file.starts_with("continuity/") || b.file.starts_with("metrics/"))
    {
        let rows = |from: usize, to: usize| -> Vec<Value> {
            let row = |n| json!({ "n": n, "text": "x".repeat(2_500) });
            (from..to).map(row).collect()
        };
        let write = |rows| {
            let effect = Effect::AppendRows {
                file: bound.file.into(),
                rows,
                order: KeyOrder::AsBuilt,
            };
            store.transact(|_| ((), vec![effect])).unwrap();
            store.archive_histories().unwrap();
        };
        write(rows(0, 500));
        assert_eq!(
            store.all_rows(bound.file).unwrap().len(),
            500,
            "{}",
            bound.file
        );
        write(rows(500, 2_600));
        let live = numbers(&store.all_rows(bound.file).unwrap());
        assert!(live.len() >= 500, "{}: {}", bound.file, live.len());
        assert_eq!(*live.last().unwrap(), 2_599);
        assert_eq!(all(&store, bound.file).len(), 2_600, "{}", bound.file);
    }
}

#[test]
fn a_large_split_that_was_cut_off_is_made_good_without_a_row_twice() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::tests::create(dir.path()).unwrap();
    let root = store.root();
    let rows = |to: usize| -> Vec<u8> {
        let row = |n| format!("{{\"n\":{n},\"text\":\"{}\"}}\n", "y".repeat(700));
        (0..to).map(row).collect::<String>().into_bytes()
    };
    archive::put(&root, HANDOFFS, b"{\"n\":0,\"text\":\"before\"}\n").unwrap();
    archive::put(&root, HANDOFFS, &rows(1_500)).unwrap();
    // The history was not cut any more; it comes again, with more behind it.
    archive::put(&root, HANDOFFS, &rows(1_600)).unwrap();
    assert_eq!(
        store.archived_rows::<Value>(HANDOFFS, usize::MAX).len(),
        1_601
    );
    let found = store.lately_archived(HANDOFFS, "1550", |row: &Value| row["n"] == 1_550);
    assert!(found.is_some());
}

proptest! {
    /// Whatever lies in a history: what stays and what goes is the whole, cut between two lines.
    #[test]
    fn a_cut_lies_between_lines(
        lines in prop::collection::vec("[a-z]{0,30}", 0..40),
        ended: bool,
        keep in 0_usize..400,
        rows in 0_usize..10,
    ) {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        let at = cut(text.as_bytes(), keep, rows);
        let (old, new) = text.split_at(at);
        prop_assert!(old.is_empty() || old.ends_with('\n'));
        let kept = new.split_inclusive('\n').filter(|l| l.ends_with('\n')).count();
        prop_assert!(old.is_empty() || kept >= rows);
        if let Some(before) = old.strip_suffix('\n') {
            let last = before.rfind('\n').map_or(0, |n| n + 1);
            prop_assert!(text.len() - last > keep, "one row more would have fitted");
        }
    }
}
