//! Properties of any text: it has an answer, and quoted parts do not steer.

use aictx_proto::Timestamp;
use proptest::prelude::*;

use super::*;

fn say(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

#[test]
fn quoted_text_never_steers() {
    let reply = say("The issue says: \"do not touch src/auth.py and stop running the tests now\"");
    assert_eq!(reply.decision, "ask_user");
    assert_eq!(reply.suggested_updates, SteerUpdates::default());
}

#[test]
fn a_title_in_brackets_is_no_log() {
    let of = |message: &str| {
        let reply = say(message);
        (reply.classification, reply.flags)
    };
    for log in [
        "[12:30:01] stop the server",
        "[2026-01-02T10:00:00Z] do not touch a.py",
        "[    0.523411] stop",
        "[1/4] Resolving packages, do not touch a.py",
    ] {
        assert_eq!(of(log).1, ["quoted_text_ignored"], "{log}");
    }
    for own in [
        "[12.x] Add an option for the port",
        "[2.0] Add an option for the port",
    ] {
        assert_eq!(of(own), ("new_requirement".to_owned(), vec![]), "{own}");
    }
}

proptest! {
    /// Whatever is said: an answer, within its bounds, and spans that lie in the message.
    #[test]
    fn any_text_has_an_answer(message in "\\PC{0,200}", edited in "\\PC{0,40}") {
        prop_assume!(!message.trim().is_empty());
        let reply = steer(&SteerParams {
            message: message.clone(),
            edited_paths: vec![edited],
            ..SteerParams::default()
        }).unwrap();
        prop_assert!(reply.summary.chars().count() <= 220);
        prop_assert!(reply.agent_instruction.chars().count() <= 320);
        prop_assert!(reply.labels.len() <= MAX_LABELS + 1);
        for label in &reply.labels {
            prop_assert!(message.get(label.span.0 as usize..label.span.1 as usize).is_some());
        }
    }

    /// Pieces of real messages in any order and mix.
    #[test]
    fn any_mix_of_pieces_has_an_answer(pieces in proptest::collection::vec(
        prop::sample::select(vec![
            "stop", "don't", "touch", "src/a.py", ",", "`x", "```", "\n", "> q", "不要改", "触らないで", "\"", "'", "if", "no",
            "except", "?", "and", "only", "C:\\a\\b", "../x", "*.rs", "let's", "¿", "«", "»", "a/b/", "—", "👍", "ß", "İ", "ｓｔｏｐ",
        ]), 1..40)) {
        let _ = steer(&SteerParams { message: pieces.join(" "), ..SteerParams::default() });
        let _ = steer(&SteerParams { message: pieces.concat(), ..SteerParams::default() });
    }

    /// A prohibition holds until it is lifted, whatever the path.
    #[test]
    fn forbidding_and_lifting_are_inverse(name in "[a-z]{2,8}/[a-z]{2,8}\\.rs") {
        let mut state = SteerState::default();
        state.apply(&say(&format!("do not edit {name}")), Timestamp::from_unix(1), None);
        let path = RepoPath::parse(&name).unwrap();
        prop_assert!(state.verdict(&path).is_some());
        state.apply(&say(&format!("you can edit {name} again")), Timestamp::from_unix(2), None);
        prop_assert_eq!(state.verdict(&path), None);
    }
}
