//! Anything git might print becomes bounded lists of paths.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let state = aictxd::git::parse(bytes);
    for list in [&state.staged, &state.unstaged, &state.untracked] {
        assert!(list.len() <= 200);
        assert!(list.iter().all(|path| !path.is_empty()));
    }
});
