//! Whatever is in the files and whoever writes: good rows come out.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::read::{Line, lines};

/// Rows of a commit that is cut off at every byte are all there before the cut, and the next
/// append is whole.
#[test]
fn a_tail_torn_at_every_byte() {
    let text: String = (0..4)
        .map(|i| format!("{{\"decision\":\"d{i} ñ€\",\"session\":{i}}}\n"))
        .collect();
    for cut in 0..=text.len() {
        let dir = tempfile::tempdir().unwrap();
        let store = create(dir.path()).unwrap();
        let file = dir.path().join(".aictx").join(files::DECISIONS);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &text.as_bytes()[..cut]).unwrap();
        // A line without its newline still parses when only that is missing.
        let whole = text.as_bytes()[..cut].split_inclusive(|b| *b == b'\n');
        let whole = whole
            .filter(|l| l.ends_with(b"}") || l.ends_with(b"}\n"))
            .count();
        assert_eq!(store.snapshot().decisions.len(), whole, "cut at {cut}");
        let new = vec![append(files::DECISIONS, vec![json!({"decision": "new"})])];
        let done = store.transact(|_| ((), new)).unwrap();
        assert_eq!(done.snapshot.decisions.len(), whole + 1, "cut at {cut}");
        assert_eq!(done.snapshot.decisions.last().unwrap().decision, "new");
        let fresh = open(dir.path()).unwrap().snapshot();
        same_but_generation(&done.snapshot, &fresh);
    }
}

/// The same for half-written appends of our own: recovery completes them at every byte, also when
/// another program wrote behind them.
#[test]
fn an_append_torn_at_every_byte_is_completed() {
    let want = "{\"n\":1}\n{\"n\":2}\n{\"n\":2}\n";
    let steps = |offset: usize| json!([{"step": "append", "file": "x.jsonl", "offset": offset, "bytes": {"text": want}}]);
    for base in ["", "{\"n\":0}\n", "{\"n\":0}\n{\"torn"] {
        for cut in 0..=want.len() {
            for foreign in ["", "\n{\"theirs\":1}\n", "{\"theirs\":1}\n"] {
                let repo = Repo::new();
                let gap = if base.ends_with("torn") && cut > 0 {
                    "\n"
                } else {
                    ""
                };
                repo.put("x.jsonl", format!("{base}{gap}{}{foreign}", &want[..cut]));
                leave_intent(&repo, &steps(base.len()));
                open(repo.dir.path()).unwrap();
                let text = repo.read("x.jsonl");
                let count = |line: &str| text.lines().filter(|l| *l == line).count();
                assert_eq!(
                    (count("{\"n\":1}"), count("{\"n\":2}")),
                    (1, 2),
                    "{base:?} {cut} {foreign:?}: {text}"
                );
                assert!(text.ends_with('\n'));
                let glued = foreign.starts_with('{')
                    && !format!("{base}{gap}{}", &want[..cut]).ends_with('\n')
                    && !(base.is_empty() && cut == 0);
                assert_eq!(
                    count("{\"theirs\":1}"),
                    usize::from(!foreign.is_empty() && !glued)
                );
                // Again: nothing changes.
                leave_intent(&repo, &steps(base.len()));
                open(repo.dir.path()).unwrap();
                assert_eq!(text, repo.read("x.jsonl"));
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Act {
    Append(bool, u8),
    Rewrite(bool, u8),
    Ancestor(u8),
    Torn(u8),
    Replace(bool),
    Reopen(bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (any::<bool>(), 1u8..4).prop_map(|(s, n)| Act::Append(s, n)),
        (any::<bool>(), 0u8..3).prop_map(|(s, n)| Act::Rewrite(s, n)),
        (1u8..3).prop_map(Act::Ancestor),
        (0u8..20).prop_map(Act::Torn),
        any::<bool>().prop_map(Act::Replace),
        any::<bool>().prop_map(Act::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Two stores and a program without the lock, in any order, lose nothing, and both stores
    /// and a fresh one agree.
    #[test]
    fn interleavings_lose_nothing(acts in proptest::collection::vec(act(), 1..24)) {
        let repo = Repo::new();
        let mut stores = [open(repo.dir.path()).unwrap(), open(repo.dir.path()).unwrap()];
        let path = repo.path(files::FAILURE_PATTERNS);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut next = 0;
        let mut expected = std::collections::BTreeSet::new();
        let mut fresh = |n: u8| -> Vec<String> {
            (0..n).map(|_| { next += 1; format!("s{next}") }).collect()
        };
        for act in acts {
            match act {
                Act::Append(which, n) => {
                    let names = fresh(n);
                    let rows = names.iter().map(|s| json!({"signature": s, "timestamp": "t"})).collect();
                    stores[usize::from(which)].transact(|_| ((), vec![append(files::FAILURE_PATTERNS, rows)])).unwrap();
                    expected.extend(names);
                }
                Act::Rewrite(which, n) => {
                    let names = fresh(n);
                    stores[usize::from(which)].transact(|s| {
                        let mut rows: Vec<Value> = s.failures.iter().map(|f| serde_json::to_value(&**f).unwrap()).collect();
                        rows.extend(names.iter().map(|s| json!({"signature": s})));
                        let file = files::FAILURE_PATTERNS.into();
                        ((), vec![Effect::ReplaceRows { file, rows, order: KeyOrder::Sorted }])
                    }).unwrap();
                    expected.extend(names);
                }
                Act::Ancestor(n) => {
                    let names = fresh(n);
                    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
                    // The ancestor would glue; what it writes counts from a clean line on.
                    if std::fs::read(&path).unwrap().last().is_some_and(|b| *b != b'\n') {
                        file.write_all(b"\n").unwrap();
                    }
                    for s in &names {
                        file.write_all(format!("{{\"signature\":\"{s}\"}}\n").as_bytes()).unwrap();
                    }
                    expected.extend(names);
                }
                Act::Torn(n) => {
                    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
                    file.write_all(&b"{\"signature\":\"torn..."[..n as usize]).unwrap();
                }
                Act::Replace(which) => {
                    stores[usize::from(which)].transact(|s| {
                        ((), vec![replace(files::SESSION, json!({"session_count": s.session.session_count + 1}))])
                    }).unwrap();
                }
                Act::Reopen(which) => stores[usize::from(which)] = open(repo.dir.path()).unwrap(),
            }
        }
        let newest = open(repo.dir.path()).unwrap().snapshot();
        for store in &stores {
            same_but_generation(&newest, &store.snapshot());
        }
        let found: std::collections::BTreeSet<_> = newest.failures.iter().map(|f| f.signature.clone()).collect();
        prop_assert_eq!(found, expected);
    }

    /// Any bytes in any file: no panic, no lost good row, and a commit still works.
    #[test]
    fn arbitrary_bytes_anywhere(
        which in 0usize..9,
        before in proptest::collection::vec(any::<u8>(), 0..200),
        after in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let repo = Repo::new();
        let names = [
            files::HANDOFFS, files::DECISIONS, files::FAILURE_PATTERNS, files::AGENT_EXECUTION_LOG,
            files::HANDOFF, files::SESSION, files::ACTIVE_TASK, files::STATE, "tasks/threads/x.json",
        ];
        let good = b"\n{\"summary\":\"good\",\"decision\":\"good\",\"signature\":\"good\",\"execution_id\":\"good\"}\n";
        let bytes = [&before[..], good, &after[..]].concat();
        repo.put(names[which], &bytes);
        let snap = repo.store.snapshot();
        match names[which] {
            files::HANDOFFS => prop_assert!(snap.handoffs.iter().any(|r| r.summary == "good")),
            files::DECISIONS => prop_assert!(snap.decisions.iter().any(|r| r.decision == "good")),
            files::FAILURE_PATTERNS => prop_assert!(snap.failures.iter().any(|r| r.signature == "good")),
            files::AGENT_EXECUTION_LOG => prop_assert!(snap.executions.iter().any(|r| r.execution_id == "good")),
            _ => {}
        }
        let done = repo.store.transact(|s| ((), finalize("new", s))).unwrap();
        prop_assert!(done.snapshot.failures.iter().any(|f| f.timestamp == "new"));
        same_but_generation(&done.snapshot, &open(repo.dir.path()).unwrap().snapshot());
        if names[which].ends_with("jsonl") {
            // Nothing that was there is gone, up to the place of unreadable lines.
            let now = std::fs::read(repo.path(names[which])).unwrap();
            let kept = |l: &[u8]| now.split(|b| *b == b'\n').any(|n| n == l);
            for (at, line) in lines(&bytes) {
                let raw = bytes[at].strip_suffix(b"\n").unwrap_or_default();
                if matches!(line, Line::Bad(_)) && !raw.is_empty() {
                    prop_assert!(kept(raw));
                }
            }
        }
    }

    #[test]
    fn lines_cover_and_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut last = 0;
        for (at, _) in lines(&bytes) {
            prop_assert!(at.start >= last && at.end <= bytes.len());
            last = at.end;
        }
    }

    /// Members of the wrong type never lose a record.
    #[test]
    fn records_bend(members in proptest::collection::vec((0usize..12, 0usize..6), 0..12)) {
        let names = ["signature", "occurrences", "status", "symptoms", "error_events", "session", "timestamp", "x", "files_involved", "reopened", "first_seen", "toolchains"];
        let values = [json!(null), json!(1), json!("t"), json!([1]), json!({"a": []}), json!(-1.5)];
        let row: serde_json::Map<_, _> = members.iter().map(|(n, v)| (names[*n].to_owned(), values[*v].clone())).collect();
        let (record, _) = crate::read::record::<aictx_proto::record::FailurePattern>(row);
        prop_assert!(record.is_some());
    }
}
