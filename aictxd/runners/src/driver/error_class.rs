//! Class of an error from its HTTP status and its words.
//!
//! Only for texts of the agent's own error channel.

use aictx_proto::flow::ErrorClass;
use aictx_proto::flow::ErrorClass::{
    Auth, Config, ContextOverflow, Network, Quota, SessionMissing, Unknown,
};

/// Words in lower case, in the order in which they are looked for: the more specific come first.
const WORDS: &[(&str, ErrorClass)] = &[
    ("prompt is too long", ContextOverflow),
    ("prompt as too long", ContextOverflow),
    ("input is too long", ContextOverflow),
    ("context window", ContextOverflow),
    ("context length", ContextOverflow),
    ("context_length", ContextOverflow),
    ("contextoverflow", ContextOverflow),
    ("maximum number of tokens", ContextOverflow),
    ("no conversation found", SessionMissing),
    ("no rollout found", SessionMissing),
    ("session not found", SessionMissing),
    ("no previous sessions found", SessionMissing),
    ("expected a string starting with \\\"ses", SessionMissing),
    ("invalid session identifier", SessionMissing),
    ("no session, task, or name matched", SessionMissing),
    ("model not found", Config),
    ("modelnotfound", Config),
    ("issue with the selected model", Config),
    ("unknown model", Config),
    ("unknown option", Config),
    ("unexpected argument", Config),
    ("unknown argument", Config),
    ("invalid value", Config),
    ("error loading config", Config),
    ("cannot be used with root", Config),
    ("does not support", Config),
    ("not running in a trusted directory", Config),
    ("usage limit", Quota),
    ("usage_limit", Quota),
    ("you've hit your", Quota),
    ("limit reached", Quota),
    ("spend limit", Quota),
    ("quota", Quota),
    ("credit balance", Quota),
    ("out of credits", Quota),
    ("not logged in", Auth),
    ("/login", Auth),
    ("api key", Auth),
    ("api_key", Auth),
    ("unauthorized", Auth),
    ("unauthenticated", Auth),
    ("authenticat", Auth),
    ("sign in", Auth),
    ("log in", Auth),
    ("overloaded", Network),
    ("rate limit", Network),
    ("too many requests", Network),
    ("econnre", Network),
    ("enotfound", Network),
    ("etimedout", Network),
    ("timed out", Network),
    ("fetch failed", Network),
    ("connection error", Network),
    ("connection refused", Network),
    ("connection reset", Network),
    ("error sending request", Network),
    ("stream disconnected", Network),
    ("socket hang up", Network),
    ("unavailable", Network),
    ("bad gateway", Network),
    ("server error", Network),
];

/// Texts before the HTTP status in an error that has no member for it.
const BEFORE_STATUS: &[&str] = &["status ", "\"code\":", "(http ", "api error: "];

/// Class of an error.
pub(super) fn of(text: &str, status: Option<i64>) -> ErrorClass {
    let text = text.to_lowercase().replace('’', "'");
    let by_words = || {
        let words = WORDS.iter();
        words
            .clone()
            .find(|(words, _)| text.contains(words))
            .map(|(_, class)| *class)
    };
    let is_model =
        text.contains("model") && (text.contains("not found") || text.contains("not exist"));
    match status.or_else(|| status_in(&text)) {
        // Vendors answer with 400 to a request that is too long, and with 403 to a limit of spending.
        Some(400..=499) if by_words() == Some(ContextOverflow) => ContextOverflow,
        Some(402 | 403 | 429) if by_words() == Some(Quota) => Quota,
        Some(402) => Quota,
        Some(401 | 403) => Auth,
        Some(404) if is_model => Config,
        Some(413) => ContextOverflow,
        Some(408 | 429 | 500..=599) => Network,
        _ if is_model => Config,
        _ => by_words().unwrap_or(Unknown),
    }
}

fn status_in(text: &str) -> Option<i64> {
    BEFORE_STATUS.iter().find_map(|before| {
        let (_, after) = text.split_once(before)?;
        let digits = after.get(..3)?;
        let ends = !after
            .get(3..4)
            .is_some_and(|c| c.starts_with(|c: char| c.is_ascii_digit()));
        let status = digits
            .parse()
            .ok()
            .filter(|status| (400..600).contains(status));
        status.filter(|_| ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_status_and_words() {
        let table = [
            ("API Error: 529 Overloaded.", None, Network),
            (
                "API Error: Request rejected (429) · rate limit.",
                Some(429),
                Network,
            ),
            ("Your credit balance is too low", Some(400), Quota),
            ("429 You exceeded your current quota", Some(429), Quota),
            ("You’ve hit your usage limit. Try again later.", None, Quota),
            ("Claude AI usage limit reached|1760000000", None, Quota),
            (
                "prompt is too long: 210000 tokens > 200000 maximum",
                Some(400),
                ContextOverflow,
            ),
            (
                "The model `x` does not exist or you do not have access to it.",
                None,
                Config,
            ),
            (
                "models/x is not found for API version v1beta.",
                None,
                Config,
            ),
            (
                "unexpected status 401 Unauthorized: Missing bearer",
                None,
                Auth,
            ),
            ("stream disconnected before completion", None, Network),
            ("unexpected status 503 Service Unavailable", None, Network),
            (
                "Error resuming session: No previous sessions found for this project.",
                None,
                SessionMissing,
            ),
            ("exit status 4012", None, Unknown),
            ("Something else", None, Unknown),
        ];
        for (text, status, class) in table {
            assert_eq!(of(text, status), class, "{text}");
        }
    }
}
