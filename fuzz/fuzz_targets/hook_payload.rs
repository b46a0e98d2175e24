//! A payload of any content becomes an event or an error in every dialect, and every answer to it
//! is short enough.
#![no_main]

use aictx_runners::registry::AGENTS;
use aictx_runners::{Answer, Decision, MAX_CONTEXT, Moment};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The longest string of a value, in characters.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(list) => list.iter().map(longest).max().unwrap_or(0),
        Value::Object(map) => map.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

fuzz_target!(|input: (u8, u8, &str)| {
    let (agent, event, text) = input;
    let agent = AGENTS[usize::from(agent) % AGENTS.len()];
    let events = agent.events();
    let event = &events[usize::from(event) % events.len()];
    let Ok(event) = agent.parse(text, Some(event.name)) else {
        return;
    };
    event.repeat_key();
    if let Moment::ToolIntent(call) = &event.moment {
        assert_eq!(&call.detach(), call);
    }
    let reason = "why";
    for decision in [
        Decision::Pass,
        Decision::Ask(reason.to_owned()),
        Decision::Deny(reason.to_owned()),
    ] {
        let context = text.repeat(1 + MAX_CONTEXT / text.len().max(1));
        let answer = Answer { context, decision };
        if let Some(said) = agent.render(&event.name, &answer) {
            assert!(longest(&said) <= MAX_CONTEXT + 400);
        }
    }
});
