//! Members of a report that a report does not have.

use std::collections::BTreeMap;

use aictx_proto::methods::FinalizeParams;
use aictx_proto::shown;
use serde::de::IgnoredAny;

/// Most members that are told to be unknown.
const MAX_UNKNOWN: usize = 8;

/// A line for each member of a report that a report does not have: what is misspelt would be lost without
/// a word otherwise. `params` are the parameters as they came.
pub(super) fn unknown_members(params: &str) -> Vec<String> {
    let Ok(given) = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(params) else {
        return Vec::new();
    };
    let known = serde_json::to_value(FinalizeParams::default()).unwrap_or_default();
    let unknown = given
        .keys()
        .filter(|name| known.get(name.as_str()).is_none());
    let lines = unknown.take(MAX_UNKNOWN).map(|name| {
        let name = shown::line(name, 80);
        format!("a report has no member `{name}`; it was not kept")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_report_does_not_have_is_told() {
        let params = r#"{"repo": "/r", "next_step": ["go on"], "summary": "x", "exit_code": null}"#;
        assert_eq!(
            unknown_members(params),
            ["a report has no member `next_step`; it was not kept"]
        );
        assert!(unknown_members("[]").is_empty());
    }
}
