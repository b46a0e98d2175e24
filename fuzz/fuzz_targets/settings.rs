//! Settings of any content are refused or kept whole, registering twice is registering once, and
//! what was put in comes out again.
#![no_main]

use aictx_runners::merge::{After, Content, Item, Rule, install, uninstall};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|text: &str| {
    let hook = json!({"hooks": [{"command": "/opt/aictx", "args": ["hook", "claude", "Stop"]}]});
    let content = Content::Json(vec![
        Item {
            path: vec!["hooks".into(), "Stop".into()],
            value: hook,
            rule: Rule::Element,
        },
        Item {
            path: vec!["mcpServers".into(), "aictx".into()],
            value: json!({"command": "/opt/aictxd", "args": ["mcp"]}),
            rule: Rule::Server,
        },
    ]);
    let _ = uninstall("f", Some(text), &content, None);
    let Ok(outcome) = install("f", Some(text), &content, false) else {
        return;
    };
    let After::Write(now) = outcome.after else {
        return;
    };
    let again = install("f", Some(&now), &content, false).expect("what is written is understood");
    assert_eq!(again.after, After::Unchanged);
    let back = uninstall("f", Some(&now), &content, outcome.record.as_ref()).expect("as before");
    assert_eq!(back.after, After::Write(text.to_owned()));
});
