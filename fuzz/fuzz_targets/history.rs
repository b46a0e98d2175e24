//! Any bytes as git's log: commits or nothing, and what is read can be built into a history.
#![no_main]

use aictx_repomap::history::{History, parse, store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let log = parse(bytes);
    let history = History::new(&log.commits);
    for commit in 0..history.commits() {
        assert!(!history.files(commit).is_empty());
    }
    let _ = store::decode(bytes);
    let kept = store::decode(&store::encode(&log.commits));
    assert_eq!(kept.map(|c| c.len()), Some(log.commits.len()));
});
