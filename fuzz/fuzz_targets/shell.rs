//! Command lines of any content stay within the limits of the reader and of the guard.
#![no_main]

use aictx_guard::{NoFacts, Place, command_risk};
use aictx_shell::{
    MAX_COMMANDS, command_word, hides_status, is_test_command, normalise_command, same_check,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let script = aictx_shell::parse(text);
    assert!(script.commands.len() <= MAX_COMMANDS);
    for (at, command) in script.commands.iter().enumerate() {
        assert!(
            command
                .piped_from
                .is_none_or(|from| from < script.commands.len() && from != at)
        );
        for word in &command.words {
            let (from, to) = (word.range().start, word.range().end);
            assert!(from <= to && to <= script.commands.len());
        }
    }
    let place = Place {
        root: "/home/u/repo",
        cwd: "/home/u/repo/src",
    };
    let risk = command_risk(text, place, &NoFacts);
    let worst = risk.findings.iter().map(|found| found.tier).max();
    assert_eq!(risk.tier, worst.unwrap_or_default());
    assert!(risk.findings.iter().all(|found| found.targets.len() <= 8));
    let plain = normalise_command(text);
    let _ = (
        command_word(text),
        hides_status(text),
        is_test_command(text),
    );
    let _ = same_check(text, &plain);
});
