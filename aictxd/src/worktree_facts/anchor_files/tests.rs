use std::collections::BTreeSet;
use std::fs;

use aictx_proto::record::{Anchor, SymbolAnchor};
use aictx_proto::snapshot::shared;

use super::*;
use crate::watch::change_log::ears::Ears;
use proptest::prelude::*;

const FILES: usize = 9;

fn file(number: usize) -> String {
    format!("src/f{number}.rs")
}

/// Memory that speaks of some files, of some of them by what they define.
fn memory(files: &[(usize, bool)]) -> Snapshot {
    let decision = |(number, definitions): &(usize, bool)| {
        let symbol = SymbolAnchor {
            name: "one".into(),
            ..SymbolAnchor::default()
        };
        Decision {
            anchors: vec![Anchor {
                path: file(*number),
                symbols: definitions.then_some(symbol).into_iter().collect(),
                ..Anchor::default()
            }],
            ..Decision::default()
        }
    };
    Snapshot {
        decisions: shared(files.iter().map(decision)),
        ..Snapshot::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_memory_speaks_of_is_as_it_is_now(
        steps in proptest::collection::vec(
            (
                proptest::collection::vec((0..FILES, any::<bool>()), 0..12),
                proptest::option::of((0..FILES, any::<bool>())),
            ),
            1..12,
        )
    ) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("src")).unwrap();
        let (facts, fresh) = (Facts::default(), Facts::default());
        let ears = Ears::at(vec![root.to_owned(), root.join("src")]).unwrap();
        let listener = Arc::new(ears.heard.listen(root));
        for (number, (files, change)) in steps.into_iter().enumerate() {
            if let Some((changed, is_there)) = change {
                let path = root.join(file(changed));
                let text = format!("fn one() {{ {number} }}\n");
                let _ = match is_there {
                    true => fs::write(path, text),
                    false => fs::remove_file(path),
                };
            }
            let memory = memory(&files);
            let seen = facts.anchored(root, &memory, Instant::now());
            let now = fresh.presents(root, &anchored_paths(&memory), Instant::now());
            for (path, present) in &now {
                prop_assert_eq!(&seen[path].blob, &present.blob);
                // More may be known of it than was asked for.
                prop_assert!(present.definitions.is_empty() || seen[path].definitions == present.definitions);
            }
            prop_assert_eq!(seen.len(), now.len());
            if let Some(strange) = facts.looks.strange(root) {
                let heard = Some((Arc::clone(&listener), BTreeSet::new()));
                facts.looks.learnt(root, strange, heard);
            }
        }
    }
}
