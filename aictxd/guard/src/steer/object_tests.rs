//! What is only named beside the work keeps its limit; what is ordered itself loses it.

use aictx_proto::Timestamp;

use super::*;

fn say(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

/// What `first` limits, and the limits after `then`.
fn before_and_after(first: &str, then: &str) -> (Vec<String>, SteerState) {
    let mut state = SteerState::default();
    state.apply(&say(first), Timestamp::from_unix(0), None);
    let before = state.forbidden_paths.clone();
    state.apply(&say(then), Timestamp::from_unix(1), None);
    (before, state)
}

#[test]
fn only_what_is_ordered_itself_is_lifted() {
    let mut wrong = Vec::new();
    let set = include_str!("../../tests/steer/kept.txt");
    for line in set.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let parts: Vec<&str> = line.splitn(4, '|').collect();
        let [_, kind, first, then] = parts[..] else {
            unreachable!("{line}");
        };
        let (before, after) = before_and_after(first, then);
        let right = match kind {
            "keep" => {
                let holds = |path| after.forbidden_paths.contains(path);
                before.iter().all(holds) && after.excepted_paths.is_empty()
            }
            "lift" => !(before.iter()).any(|path| after.forbidden_paths.contains(path)),
            _ => unreachable!("{line}"),
        };
        if before.is_empty() || !right {
            wrong.push(format!("{line}: {before:?} {after:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
