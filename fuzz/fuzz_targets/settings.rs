//! Settings of any content are refused or kept whole, and registering twice is registering once.
#![no_main]

use aictx_runners::claude::settings::register;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Everything in `before` is still in `after`, in order; lists may have grown at the end.
fn kept(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .all(|(name, value)| after.get(name).is_some_and(|now| kept(value, now))),
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len() && before.iter().zip(after).all(|(b, a)| kept(b, a))
        }
        _ => before == after,
    }
}

fuzz_target!(|text: &str| {
    let Ok(Some(out)) = register(Some(text), "/opt/aictx") else {
        return;
    };
    let after: Value = serde_json::from_str(&out).expect("what is written is JSON");
    assert_eq!(register(Some(&out), "/opt/aictx"), Ok(None));
    if text.trim().is_empty() || text.contains("claude") {
        // A handler of an earlier registration is replaced.
        return;
    }
    let before: Value = serde_json::from_str(text).expect("it was understood");
    assert!(kept(&before, &after));
});
