//! Orders in a request's address and body: to databases and to
//! services that are no `DELETE` by their method.

use super::super::sql::statement_tier;
use super::super::stdin_source::{piped_texts, unescaped};
use super::super::{Call, Tier, verb_heuristics};

/// Bytes of one text that are looked at.
const MAX_TEXT: usize = 64 * 1024;
/// Orders of one text that are looked at.
const MAX_ORDERS: usize = 32;

/// Options behind which a text to send stands.
const SENT: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "-f",
    "--field",
    "--raw-field",
    "--raw",
    "--post-data",
    "--body-data",
];
/// Names under which a service takes an order.
const ORDERS: &[&str] = &["action", "op", "operation", "command", "cmd"];
/// Names under which a database takes a statement.
const STATEMENTS: &[&str] = &[
    "sql",
    "query",
    "statement",
    "stmt",
    "q",
    "cypher",
    "command",
];

/// Returns true if a request is there to delete. What a server of this machine is told by names of its own is
/// as good as nothing: tests do so all day.
pub(super) fn deletes(call: Call, local: bool) -> bool {
    let words = call.arguments();
    if words
        .iter()
        .take(64)
        .any(|word| !local && by_address(&word.text))
    {
        return true;
    }
    // What is searched for is no order.
    let searches = |text: &str| {
        let path = text.split('?').next().unwrap_or_default();
        !path.contains([' ', '{']) && (path.contains("search") || path.contains("/_count"))
    };
    if words.iter().take(16).any(|word| searches(&word.text)) {
        return false;
    }
    let by_text = |text: &str| by_text(text, local);
    let mut piped = false;
    let mut pairs = words.windows(2).take(256);
    let sent = pairs.any(|pair| {
        let [option, value] = pair else {
            return false;
        };
        let option = SENT.contains(&option.text.as_str());
        piped |= option && matches!(value.text.as_str(), "@-" | "-");
        option && by_text(&value.text)
    });
    let joined = |text: &str| {
        let value = text
            .strip_prefix("--")
            .and_then(|rest| rest.split_once('='));
        value.is_some_and(|(name, value)| {
            SENT.iter()
                .any(|option| option.strip_prefix("--") == Some(name))
                && by_text(value)
        })
    };
    sent || words.iter().take(256).any(|word| joined(&word.text))
        || (piped && piped_texts(call).iter().any(|text| by_text(text)))
}

/// `…/admin/cores?action=UNLOAD&deleteIndex=true`, `…/?query=DROP%20TABLE%20x`
fn by_address(text: &str) -> bool {
    if text.len() > MAX_TEXT {
        return false;
    }
    let Some((address, query)) = text
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('?'))
    else {
        return false;
    };
    query.split('&').take(MAX_ORDERS).any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        // A page may be about a deletion; an address for those who run the server is not.
        if address.contains("/admin/")
            && ORDERS.contains(&name)
            && verb_heuristics::STRONG.contains(&value.to_ascii_lowercase().as_str())
        {
            return true;
        }
        (name.starts_with("delete") && value == "true")
            || (STATEMENTS.contains(&name) && is_statement(&decoded(value)))
    })
}

/// Orders in the text of a request.
fn by_text(text: &str, local: bool) -> bool {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default().trim_start();
    if text.starts_with("<delete>") || text.starts_with("<delete ") || is_statement(text) {
        return true;
    }
    // `q=DROP DATABASE x`
    if let Some((name, value)) = text.split_once('=')
        && STATEMENTS.contains(&name)
        && is_statement(&decoded(value))
    {
        return true;
    }
    text.starts_with(['{', '[']) && by_names(text, local)
}

/// `{"action": "delete"}`, `{"delete": {"query": "*:*"}}`, `{"sql": "TRUNCATE x"}`
fn by_names(text: &str, local: bool) -> bool {
    let mut depth = 0usize;
    let mut orders = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '{', '}']) {
        let from = rest.get(at..).unwrap_or_default();
        let body = from.get(1..).unwrap_or_default();
        match from.as_bytes().first() {
            Some(b'{') => depth += 1,
            Some(b'}') => depth = depth.saturating_sub(1),
            _ => {
                let Some((name, behind)) = literal(body) else {
                    return false;
                };
                rest = behind;
                let Some(value) = behind.trim_start().strip_prefix(':') else {
                    continue;
                };
                orders += 1;
                if orders > MAX_ORDERS {
                    return false;
                }
                let value = value.trim_start();
                if matches!(name, "drop_all" | "delete_all") && value.starts_with("true") {
                    return true;
                }
                if name == "delete" && depth == 1 && value.starts_with(['{', '[']) {
                    return true;
                }
                let Some((value, behind)) = value.strip_prefix('"').and_then(literal) else {
                    continue;
                };
                rest = behind;
                if local {
                    continue;
                }
                // A transaction of Consul.
                if name == "Verb" && verb_heuristics::is_strong(value) {
                    return true;
                }
                let ordered =
                    depth == 1 && ORDERS.contains(&name) && verb_heuristics::is_strong(value);
                if ordered || (STATEMENTS.contains(&name) && is_statement(&unescaped(value))) {
                    return true;
                }
                continue;
            }
        }
        rest = body;
    }
    false
}

/// The text up to the closing quote, and what stands behind it.
fn literal(body: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = body.find(|next: char| {
        let closes = next == '"' && !escaped;
        escaped = next == '\\' && !escaped;
        closes
    })?;
    Some((body.get(..end)?, body.get(end + 1..)?))
}

fn is_statement(text: &str) -> bool {
    text.split(';')
        .take(MAX_ORDERS)
        .any(|one| statement_tier(one).is_some_and(|(tier, _)| tier >= Tier::Destructive))
}

/// `DROP%20TABLE+x` with its blanks.
fn decoded(text: &str) -> String {
    text.replace('+', " ")
        .replace("%20", " ")
        .replace("%3B", ";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_mentions() {
        for text in [
            "<delete><query>*:*</query></delete>",
            r#"{"delete": {"query": "*:*"}}"#,
            r#"{"action":"delete","all":true}"#,
            r#"{"command": "drop_collection"}"#,
            r#"{"sql":"TRUNCATE users"}"#,
            r#"{"statements":[{"statement":"MATCH (n) DETACH DELETE n"}]}"#,
            "DROP TABLE events",
            "q=DROP DATABASE metrics",
        ] {
            assert!(by_text(text, false), "{text}");
        }
        for text in [
            r#"{"query":{"match":{"action":"delete"}}}"#,
            r#"{"text":"action: delete"}"#,
            r#"{"body":"DROP TABLE x"}"#,
            r#"{"action":"list"}"#,
            r#"{"a":"open"#,
            "<add><doc/></add>",
            "SELECT 1",
        ] {
            assert!(!by_text(text, false), "{text}");
        }
    }

    #[test]
    fn a_server_of_this_machine_is_only_told_what_is_certain() {
        assert!(by_text(r#"{"delete": {"query": "*:*"}}"#, true));
        assert!(!by_text(r#"{"op":"delete"}"#, true));
        assert!(!by_text(r#"{"sql":"DROP TABLE x"}"#, true));
    }

    #[test]
    fn orders_in_addresses() {
        assert!(by_address(
            "http://h/solr/admin/collections?action=DELETE&name=x"
        ));
        assert!(by_address(
            "http://h/solr/admin/cores?action=UNLOAD&deleteIndex=true"
        ));
        assert!(by_address("http://h:8123/?query=DROP%20TABLE%20x"));
        assert!(!by_address("http://h/users?action=delete"));
        assert!(!by_address("http://h/select?q=delete"));
    }
}
