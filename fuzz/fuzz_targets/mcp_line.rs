//! Any line from a client of the Model Context Protocol is a message, nothing, or answered with an error
//! that names its id where it has one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|line: &[u8]| {
    let Some(complaint) = aictxd::mcp::complaint(line) else {
        return;
    };
    assert!(complaint["error"]["code"].is_i64());
    let id = serde_json::from_slice::<Value>(line).map(|value| value["id"].clone());
    if let Ok(id) = id.as_ref()
        && (id.is_string() || id.is_number())
    {
        assert_eq!(&complaint["id"], id);
    }
});
