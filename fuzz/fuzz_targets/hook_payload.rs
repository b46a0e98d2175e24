//! A payload of any content becomes an event or an error, and every answer to it is one the agent
//! takes.
#![no_main]

use aictx_runners::claude::Claude;
use aictx_runners::{Answer, Decision, Dialect, MAX_CONTEXT, Moment};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(event) = Claude.parse(text, Some("PreToolUse")) else {
        return;
    };
    if let Moment::ToolIntent(call) = &event.moment {
        assert_eq!(&call.detach(), call);
    }
    let decisions = [
        Decision::Pass,
        Decision::Ask(text.to_owned()),
        Decision::Deny(text.to_owned()),
    ];
    for decision in decisions {
        let answer = Answer {
            context: text.repeat(1 + MAX_CONTEXT / text.len().max(1)),
            decision,
        };
        let Some(value) = Claude.render(&event.name, &answer) else {
            continue;
        };
        let specific = &value["hookSpecificOutput"];
        assert_eq!(specific["hookEventName"], *event.name);
        let context = specific["additionalContext"].as_str().unwrap_or_default();
        assert!(context.chars().count() <= MAX_CONTEXT);
    }
});
