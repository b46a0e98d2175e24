//! Files of an agent run of any content: they fold, the next id is new, and the handoff keeps its bound.
#![no_main]

use aictx_proto::snapshot::GitState;
use aictx_work::run::gate::Artifact;
use aictx_work::run::handoff::handoff;
use aictx_work::run::id::RunId;
use aictx_work::run::ledger::Ledger;
use aictx_work::run::state::{RunFiles, fold};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut files = RunFiles {
        problem: Some(bytes.to_vec()),
        closeouts: vec![bytes.to_vec()],
        ..RunFiles::default()
    };
    files.ledgers.fill(bytes.to_vec());
    let run = fold(RunId::parse("run").expect("an id"), &files);
    for ledger in Ledger::ALL {
        let next = run.next_id(ledger);
        let rows = [&run.evidence, &run.commands, &run.learning, &run.events];
        let mut ids = rows.into_iter().flatten().filter_map(|row| row.get("id")?.as_str());
        assert!(!ids.any(|id| id == next));
        assert!(!run.hypotheses.iter().any(|h| h.id == next));
    }
    let told = handoff(&run, &GitState::default(), &|_| Artifact::Missing, 700);
    assert!(told.text.len() <= 700);
    let _ = aictx_work::intake::parse("a.md", &String::from_utf8_lossy(bytes));
});
