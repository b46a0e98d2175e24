//! Any bytes as git's index file: entries or nothing, never a panic.
#![no_main]

use aictx_repomap::discover::git_index::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for hash in [20, 32] {
        let index = parse(bytes, hash);
        // An entry takes more than sixty bytes.
        assert!(index.entries.len() <= bytes.len() / 60 + 1);
    }
});
