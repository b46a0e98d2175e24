//! Output of real tools on small broken programs.

mod samples;

use samples::{differences, samples};

/// Samples that are knowingly read wrongly: who mends one takes its line out.
const KNOWN: &[&str] = &[
    "10-unittest-nomod.txt: No module named 'nosuite': phase is \"runtime\", not \"test\", test is \"\", \
     not \"unittest.loader._FailedTest.nosuite\"",
];

#[test]
fn every_sample_gives_the_expected_events() {
    let found = differences(&samples("own"));
    assert_eq!(found, KNOWN);
}
