//! Tests that need a disk.

mod basics;
mod bell;
mod concurrency;
mod costs;
mod crash;
mod origin;
mod property;
mod root;
mod safety;
mod sharing;

use std::path::Path;
use std::sync::Arc;

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::record::files;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::time::Timestamp;
use serde_json::{Value, json};

use aictx_files::key::UserKey;

use crate::trust::Trust;
use crate::{Store, StoreError, journal, ledger};

/// The key of the user who works in a directory.
pub(crate) fn trust(dir: &Path) -> Trust {
    Trust::new(UserKey::load_or_create(&dir.join("state")).unwrap())
}

/// Opens the store and finishes interrupted commits. `Store::open` alone skips them while the lock
/// is taken, and a child that another test forks holds the lock until its `exec`.
pub(crate) fn open(dir: &Path) -> Result<Store, StoreError> {
    let store = Store::open(dir, trust(dir))?;
    let _ = store.recover();
    Ok(store)
}

pub(crate) fn create(dir: &Path) -> Result<Store, StoreError> {
    Store::create(dir, trust(dir))
}

pub(super) fn now() -> Timestamp {
    Timestamp::from_unix(1_790_000_000)
}

/// A repository with a store.
pub(super) struct Repo {
    pub(super) dir: tempfile::TempDir,
    pub(super) store: Store,
}

impl Repo {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = create(dir.path()).unwrap().with_clock(now);
        Self { dir, store }
    }

    pub(super) fn path(&self, file: &str) -> std::path::PathBuf {
        self.dir.path().join(".aictx").join(file)
    }

    pub(super) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    pub(super) fn put(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Makes the ledgers and the whole intents of a copied memory this user's again.
pub(super) fn adopt(dir: &Path) {
    use std::os::unix::fs::MetadataExt;
    let intents = std::fs::read_dir(dir.join(".aictx/journal"));
    for entry in intents.into_iter().flatten() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if let Ok(intent) = serde_json::from_slice::<journal::In>(&bytes) {
            let (inode, steps) = (path.metadata().unwrap().ino(), intent.steps.get());
            std::fs::write(&path, journal::encode(&trust(dir), inode, steps.as_bytes())).unwrap();
        }
    }
    let sessions = std::fs::read_dir(dir.join(".aictx/sessions"));
    for entry in sessions.into_iter().flatten() {
        let path = entry.unwrap().path();
        let file = format!("sessions/{}", path.file_name().unwrap().to_string_lossy());
        let text = std::fs::read_to_string(&path).unwrap();
        let (_, rows) = ledger::unproven_text(&file, &text).unwrap();
        let inode = path.metadata().unwrap().ino();
        let proof = crate::ledger_file::proof_line(&trust(dir), &file, inode);
        std::fs::write(&path, [&proof, rows.as_bytes()].concat()).unwrap();
    }
}

/// Leaves an intent of this user, as an interrupted commit does.
pub(super) fn leave_intent(repo: &Repo, steps: &Value) {
    use std::os::unix::fs::MetadataExt;
    let trust = trust(repo.dir.path());
    let file = format!("{}/{}1-1.json", files::JOURNAL_DIR, journal::prefix(&trust));
    repo.put(&file, "");
    let inode = repo.path(&file).metadata().unwrap().ino();
    let intent = journal::encode(&trust, inode, steps.to_string().as_bytes());
    std::fs::write(repo.path(&file), intent).unwrap();
}

pub(super) fn append(file: &str, rows: Vec<Value>) -> Effect {
    Effect::AppendRows {
        file: file.to_owned(),
        rows,
        order: KeyOrder::Sorted,
    }
}

pub(super) fn replace(file: &str, value: Value) -> Effect {
    Effect::ReplaceJson {
        file: file.to_owned(),
        value,
        order: KeyOrder::Sorted,
    }
}

pub(super) fn row(at: u64, kind: LedgerKind) -> LedgerRow {
    LedgerRow::observed(Timestamp::from_unix(1_790_000_000 + at as i64), kind)
}

/// Effects of a finalize: five appends (one to a ledger) and four replacements.
pub(super) fn finalize(id: &str, snap: &Snapshot) -> Effects {
    let mut patterns: Vec<Value> = snap
        .failures
        .iter()
        .map(|f| serde_json::to_value(&**f).unwrap())
        .collect();
    patterns.push(json!({"signature": format!("sig-{id}"), "occurrences": 1, "timestamp": id}));
    vec![
        append(
            files::EXECUTION_LOGS,
            vec![json!({"task_id": id, "success": true})],
        ),
        append(
            files::AGENT_EXECUTION_LOG,
            vec![json!({"execution_id": id})],
        ),
        append(
            files::HANDOFFS,
            vec![json!({"execution_id": id, "summary": format!("did {id}"), "status": "resolved"})],
        ),
        append(
            files::DECISIONS,
            vec![
                json!({"decision": format!("{id} one"), "execution_id": id}),
                json!({"decision": format!("{id} two ä"), "execution_id": id}),
            ],
        ),
        replace(
            files::HANDOFF,
            json!({"summary": format!("did {id}"), "source_execution_id": id}),
        ),
        Effect::ReplaceRows {
            file: files::FAILURE_PATTERNS.to_owned(),
            rows: patterns,
            order: KeyOrder::Sorted,
        },
        replace(
            files::SESSION,
            json!({"session_id": "s", "session_count": 1, "last_execution_at": id}),
        ),
        Effect::ReplaceText {
            file: files::LAST_SUMMARY.to_owned(),
            text: format!("# {id}\n"),
        },
        Effect::Ledger {
            session_id: "s".to_owned(),
            row: Box::new(LedgerRow {
                execution_id: id.to_owned(),
                ..row(1, LedgerKind::Finalized)
            }),
        },
    ]
}

/// Which executions each file knows of; they must all say the same.
pub(super) fn executions(store: &Store) -> Vec<Vec<String>> {
    let snap = store.snapshot();
    assert_eq!(*snap.issues, vec![], "everything parses");
    let text = std::fs::read_to_string(
        store
            .repository()
            .join(".aictx")
            .join(files::EXECUTION_LOGS),
    )
    .unwrap_or_default();
    let logs = text
        .lines()
        .map(|l| {
            serde_json::from_str::<Value>(l).unwrap()["task_id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let decisions: Vec<String> = snap
        .decisions
        .iter()
        .map(|d| d.execution_id.clone())
        .collect();
    assert!(
        decisions.chunks(2).all(|c| c.len() == 2 && c[0] == c[1]),
        "rows of one effect stay together: {decisions:?}"
    );
    let ledger = store.read_ledger("s");
    assert_eq!(ledger.issues, vec![]);
    vec![
        logs,
        snap.executions
            .iter()
            .map(|e| e.execution_id.clone())
            .collect(),
        snap.handoffs
            .iter()
            .map(|h| h.execution_id.clone())
            .collect(),
        decisions.chunks(2).map(|c| c[0].clone()).collect(),
        snap.failures.iter().map(|f| f.timestamp.clone()).collect(),
        ledger
            .rows
            .iter()
            .filter(|r| r.kind == LedgerKind::Finalized)
            .map(|r| r.execution_id.clone())
            .collect(),
    ]
}

/// The executions that all files agree on; the newest is the one in the replaced files.
pub(super) fn agreed(store: &Store) -> Vec<String> {
    let all = executions(store);
    for other in &all {
        assert_eq!(other, &all[0], "the commit is whole: {all:?}");
    }
    let newest = all[0].last().cloned().unwrap_or_default();
    let snap = store.snapshot();
    let handoff = snap.handoff.as_ref().map(|h| h.source_execution_id.clone());
    assert_eq!(handoff.unwrap_or_default(), newest);
    assert_eq!(snap.session.last_execution_at, newest);
    let dir = store.repository().join(".aictx");
    let summary = std::fs::read_to_string(dir.join(files::LAST_SUMMARY)).unwrap_or_default();
    if !newest.is_empty() {
        assert_eq!(summary, format!("# {newest}\n"));
    }
    all[0].clone()
}

/// Nothing of an interrupted commit lies around.
pub(super) fn assert_clean(dir: &Path) {
    let mut todo = vec![dir.join(".aictx")];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(!name.ends_with("-tmp"), "{} is left", path.display());
            let in_journal = path.parent().unwrap().ends_with("journal");
            assert!(!in_journal, "{} is left", path.display());
            if path.is_dir() {
                todo.push(path);
            }
        }
    }
}

pub(super) fn same_but_generation(a: &Arc<Snapshot>, b: &Arc<Snapshot>) {
    let strip = |s: &Snapshot| {
        format!(
            "{:?}",
            Snapshot {
                generation: 0,
                ..s.clone()
            }
        )
    };
    assert_eq!(strip(a), strip(b));
}
