//! Judging a command stays within its limits whatever is known about the repository, and the reply
//! says what the findings say.
#![no_main]

use std::sync::Arc;

use aictx_guard::{Level, MemoryFacts, NoFacts, Place, command_risk};
use aictx_proto::path::RepoPath;
use aictx_shell::{Dialect, MAX_COMMANDS};
use libfuzzer_sys::fuzz_target;

const PLACE: Place = Place {
    root: "/home/u/repo",
    cwd: "/home/u/repo/src",
};

fuzz_target!(|input: (&str, &str)| {
    let (command, file) = input;
    for dialect in [Dialect::Posix, Dialect::Windows] {
        let script = aictx_shell::analyse(command, dialect);
        assert!(script.commands.len() <= MAX_COMMANDS);
        for (at, one) in script.commands.iter().enumerate() {
            assert!(one.piped_from.is_none_or(|from| from < script.commands.len() && from != at));
            for word in &one.words {
                let (from, to) = (word.range().start, word.range().end);
                assert!(from <= to && to <= script.commands.len());
            }
        }
    }
    let mut facts = MemoryFacts::default();
    for name in ["Makefile", "src/Makefile", "package.json", "src/justfile", "src/x.sh"] {
        if let Ok(path) = RepoPath::parse(name) {
            facts.texts.insert(path, Arc::from(file));
        }
    }
    let bare = command_risk(command, PLACE, &NoFacts);
    let known = command_risk(command, PLACE, &facts);
    assert!(known.level() >= bare.level(), "texts only raise");
    let reply = known.reply();
    assert!(reply.effects.len() <= 16);
    assert_eq!(reply.effects.is_empty(), known.level() == Level::Safe);
});
