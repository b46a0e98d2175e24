//! Messages of any content have an answer within its limits, and limits can be applied.
#![no_main]

use aictx_steer::{SteerState, steer};
use aictx_proto::methods::SteerParams;
use aictx_proto::{RepoPath, Timestamp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let params = SteerParams {
        message: text.to_owned(),
        ..SteerParams::default()
    };
    let Ok(reply) = steer(&params) else {
        assert!(text.trim().is_empty());
        return;
    };
    assert!(reply.labels.len() <= 17 && reply.reasons.len() <= 18);
    assert!(reply.suggested_updates.forbidden_paths.len() <= 12);
    let mut state = SteerState::default();
    state.apply(&reply, Timestamp::from_unix(1), None);
    for entry in &reply.suggested_updates.forbidden_paths {
        if let Ok(path) = RepoPath::parse(entry) {
            let _ = state.verdict(&path);
        }
    }
});
