//! Words that several agents' answers are made of.

use aictx_proto::text::truncate_chars;
use serde_json::{Map, Value, json};

use crate::event_and_tool_tables::Event;
use crate::{Answer, Decision, MAX_CONTEXT};

/// Text added to the reason of a call that the user should be asked about, where the agent
/// gives a hook no way to ask.
const CANNOT_ASK: &str = " The user has to decide this, and this agent gives a hook no way to ask: \
    the call was stopped. Say what it would do and let the user run it or choose another way.";
/// Reason of a refusal that came without one: some agents drop a refusal that has none.
const NO_REASON: &str = "stopped by aictx";

impl Decision {
    /// Why the call must not run, for agents that cannot ask: a question is a refusal there.
    pub(crate) fn refusal(&self) -> Option<String> {
        match self {
            Self::Pass | Self::Allow(_) => None,
            Self::Ask(reason) => Some(format!("{}{CANNOT_ASK}", reason_or_default(reason))),
            Self::Deny(reason) => Some(reason_or_default(reason).to_owned()),
        }
    }

    /// The word most agents have for it, with the reason.
    pub(crate) fn word(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Pass => None,
            Self::Allow(reason) => Some(("allow", reason_or_default(reason).to_owned())),
            Self::Ask(reason) => Some(("ask", reason_or_default(reason).to_owned())),
            Self::Deny(reason) => Some(("deny", reason_or_default(reason).to_owned())),
        }
    }
}

fn reason_or_default(reason: &str) -> &str {
    if reason.trim().is_empty() {
        NO_REASON
    } else {
        reason
    }
}

/// The context to hand over at this event, cut to what is decent.
pub(crate) fn context(event: Option<&Event>, answer: &Answer) -> Option<String> {
    let takes = event.is_some_and(|event| event.takes_context);
    (takes && !answer.context.is_empty()).then(|| truncate_chars(&answer.context, MAX_CONTEXT))
}

/// `{"hookSpecificOutput": {"hookEventName": event, ...members}}`, the shape that Claude Code
/// began and others took over; nothing when there are no members.
pub(crate) fn specific(event: &str, members: Map<String, Value>) -> Option<Value> {
    if members.is_empty() {
        return None;
    }
    let mut output = Map::new();
    output.insert("hookEventName".into(), json!(event));
    output.extend(members);
    Some(json!({ "hookSpecificOutput": output }))
}

/// Builds an answer that keeps an agent from ending its turn: the reason is handed to the model as what the user says
/// next. `word` is the agent's word for it.
pub(crate) fn question(answer: &Answer, word: &str) -> Option<Value> {
    match &answer.decision {
        Decision::Ask(reason) => Some(json!({ "decision": word, "reason": reason })),
        Decision::Pass | Decision::Allow(_) | Decision::Deny(_) => None,
    }
}

/// An object of these members; nothing when there are none.
pub(crate) fn flat(members: Map<String, Value>) -> Option<Value> {
    (!members.is_empty()).then_some(Value::Object(members))
}

/// An answer by exit status instead of text on standard output, for agents that take a refusal in
/// no other way: `{"aictx_exit": 2, "aictx_stderr": "..."}`, members in this order, always alone.
/// The text holds no character that JSON escapes, so that a client without a JSON parser can cut
/// it out: it stands between `{"aictx_exit":2,"aictx_stderr":"` and `"}`. Such a client prints it
/// to standard error, nothing to standard output, and exits with 2.
pub fn exit_with(reason: &str) -> Value {
    let plain: String = reason
        .chars()
        .map(|c| match c {
            '"' => '\'',
            '\\' => '/',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    json!({ "aictx_exit": 2, "aictx_stderr": plain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exit_text_needs_no_unescaping(reason in "\\PC{0,40}|[\"\\\\\\n\\t\u{1}a]{0,20}") {
            let line = exit_with(&reason).to_string();
            let text = line
                .strip_prefix(aictx_proto::hook::EXIT_HEAD)
                .and_then(|rest| rest.strip_suffix(aictx_proto::hook::EXIT_TAIL));
            prop_assert!(text.is_some_and(|text| !text.contains(['"', '\\', '\n'])));
        }
    }

    #[test]
    fn refusals_always_have_a_reason() {
        assert_eq!(Decision::Deny(" ".into()).refusal().unwrap(), NO_REASON);
        assert!(
            Decision::Ask("x".into())
                .refusal()
                .unwrap()
                .starts_with("x The user")
        );
        assert_eq!(Decision::Pass.refusal(), None);
    }
}
