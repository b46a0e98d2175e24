//! JSONL of any content: places cover the lines in order, rows are what stands there.
#![no_main]

use aictx_artifacts::read::{Line, lines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut end = 0;
    for (at, line) in lines(bytes) {
        assert!(at.start >= end && at.end > at.start && at.end <= bytes.len());
        end = at.end;
        let Line::Row(row) = line else { continue };
        let mut text = serde_json::to_vec(&row).expect("a row is JSON");
        text.push(b'\n');
        let again: Vec<Line> = lines(&text).map(|(_, line)| line).collect();
        assert_eq!(again, [Line::Row(row)]);
    }
});
