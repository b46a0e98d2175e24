//! Bytes of any content are a turn of every agent, within the bounds of its report.
#![no_main]

use aictx_runners::driver::{Exit, MAX_ERROR, MAX_TEXT, drivers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Option<i32>, bool, i64, &[u8], &[u8])| {
    let (code, interrupted, now, stdout, stderr) = input;
    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    for driver in drivers() {
        let mut reader = driver.reader();
        for line in stdout.lines() {
            reader.line(line, now);
        }
        let report = reader.finish(Exit { code, signal: None }, &stderr, interrupted, now);
        assert!(report.text.len() <= MAX_TEXT);
        assert!(report.error.is_none_or(|error| error.text.chars().count() <= MAX_ERROR));
    }
});
