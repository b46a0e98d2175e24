//! Requests for work, told from greetings, thanks, limits and rules.

use aictx_proto::fold::is_unspaced_script;

use crate::continue_request::{is_continuation, only_goes_on};
use crate::user_rules::rules_kept;

/// Messages of at most so many words say nothing of the work when they only agree, thank, stop, or
/// ask for a test run.
const SMALL: usize = 4;
/// The same of those that put files off limits or permit them.
const SHORT: usize = 9;
/// Words that a session may begin with before there is anything to do.
const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "good morning",
    "good afternoon",
    "good evening",
    "hola",
    "buenos días",
    "buenas",
    "bonjour",
    "salut",
    "bonsoir",
    "hallo",
    "guten morgen",
    "guten tag",
    "moin",
    "servus",
    "olá",
    "oi",
    "bom dia",
    "boa tarde",
    "你好",
    "您好",
    "早上好",
    "こんにちは",
    "おはよう",
];

/// The amount of work in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// A greeting, thanks, "go on", a rule to remember: nothing to do.
    SmallTalk,
    /// A question: work only where nothing else is asked for.
    Question,
    /// Work.
    Work,
}

/// Tells a request for work from small talk. `label` is the classification that [`steer`](crate::steer) gave the message,
/// empty where it did not; `orders` says that a part of it orders work.
pub fn request_kind(text: &str, label: &str, orders: bool) -> RequestKind {
    let text = text.trim();
    let words = word_count(text);
    let small = match label {
        "continuation" | "approval" | "side_comment" | "cancellation" | "agent_correction"
        | "validation_change" => true,
        "" => is_continuation(text),
        _ => false,
    };
    // What is only to be remembered is no work.
    let rules = rules_kept(text);
    let of_rules: usize = rules.iter().map(|rule| word_count(rule)).sum();
    let only_rules = !rules.is_empty() && words <= of_rules + SMALL;
    let is_limit = matches!(label, "scope_change" | "scope_constraint");
    if text.is_empty()
        || only_rules
        || small && !orders && words <= SMALL
        || is_limit && !orders && words <= SHORT
        || is_greeting(text, words)
        || only_goes_on(text)
        || is_bare_order(text)
    {
        RequestKind::SmallTalk
    } else if label == "question" {
        RequestKind::Question
    } else {
        RequestKind::Work
    }
}

/// Words, two characters to one in scripts without spaces.
pub fn word_count(text: &str) -> usize {
    let spaced = |c: char| c.is_ascii() || !is_unspaced_script(c);
    text.split_whitespace()
        .map(|word| match word.chars().filter(|c| !spaced(*c)).count() {
            0 => 1,
            unspaced => unspaced.div_ceil(2),
        })
        .sum()
}

fn is_greeting(text: &str, words: usize) -> bool {
    let lower = text.to_lowercase();
    words <= SMALL
        && GREETINGS.iter().any(|greeting| {
            lower.strip_prefix(greeting).is_some_and(|rest| {
                let name = rest.trim_matches(|c: char| !c.is_alphanumeric());
                // "hi", "Hello Claude!", "guten Tag"; not "hi, fix the parser".
                !rest.starts_with(char::is_alphanumeric) && name.split_whitespace().count() <= 1
            })
        })
}

/// `/compact`: a word to the agent's program.
fn is_bare_order(text: &str) -> bool {
    text.strip_prefix('/')
        .is_some_and(|name| !name.contains(|c: char| c == '/' || c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_no_request_for_work() {
        for text in ["Hello Claude!", "guten Tag", "你好", "¡hola", "/compact"] {
            let text = text.trim_start_matches('¡');
            assert_eq!(
                request_kind(text, "unknown", false),
                RequestKind::SmallTalk,
                "{text}"
            );
        }
        assert_eq!(
            request_kind("sigue con lo de ayer", "task", false),
            RequestKind::SmallTalk
        );
        for text in ["hi, fix it now", "highlight tabs", "issue 5", "/fix 5"] {
            assert_eq!(
                request_kind(text, "unknown", false),
                RequestKind::Work,
                "{text}"
            );
        }
    }

    #[test]
    fn words_are_counted_where_there_are_no_blanks() {
        for (text, count) in [
            ("", 0),
            ("stop", 1),
            ("停", 1),
            ("先别动数据库迁移", 4),
            ("a b 停", 3),
        ] {
            assert_eq!(word_count(text), count, "{text}");
        }
    }
}
