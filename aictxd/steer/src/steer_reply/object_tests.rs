//! A thing named beside the work keeps its limit; an ordered one loses it.

use aictx_proto::Timestamp;

use super::*;

fn say(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

/// Returns the limits after `first`, and those after `then`.
fn before_and_after(first: &str, then: &str) -> (Vec<String>, SteerState) {
    let mut state = SteerState::default();
    state.apply(&say(first), Timestamp::from_unix(0), None);
    let before = state.forbidden_paths.clone();
    state.apply(&say(then), Timestamp::from_unix(1), None);
    (before, state)
}

/// The lines of a set that come out otherwise than they say.
fn wrong(set: &str) -> Vec<String> {
    let mut wrong = Vec::new();
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
    wrong
}

#[test]
fn only_what_is_ordered_itself_is_lifted() {
    let wrong = wrong(include_str!("../../tests/messages/kept.txt"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_asks_for_a_change_orders_it_and_who_asks_about_it_does_not() {
    let wrong = wrong(include_str!("../../tests/messages/asked.txt"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// "The restriction" is the last one, "all limits" are all.
#[test]
fn a_limit_is_lifted_by_what_it_is_called() {
    let after = |messages: &[&str]| {
        let mut state = SteerState::default();
        for (at, message) in (0..).zip(messages) {
            state.apply(&say(message), Timestamp::from_unix(at), None);
        }
        state.forbidden_paths
    };
    let limits = ["don't touch src/a.py", "don't touch src/b.py"];
    let [first, second] = limits;
    assert_eq!(
        after(&[first, second, "remove that restriction"]),
        ["src/a.py"]
    );
    for all in [
        "remove all restrictions",
        "drop the limits",
        "quita todas las restricciones",
        "lève toutes les restrictions",
        "entferne alle Einschränkungen",
        "remova todas as restrições",
        "取消所有限制",
        "すべての制限を解除して",
    ] {
        assert!(after(&[first, second, all]).is_empty(), "{all}");
    }
}
