//! Output of real tools on small broken programs, not used to build the recognisers.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod score;

use score::{part, samples, table};

#[test]
fn what_real_tools_print() {
    let total = table(&samples("own"));
    assert!(part(total.hit, total.want) >= 0.96, "recall");
    assert!(part(total.hit, total.got) >= 0.96, "precision");
    assert!(part(total.place.1, total.place.0) >= 0.97, "file and line");
    assert_eq!(total.benign, 0, "events on benign runs");
}
