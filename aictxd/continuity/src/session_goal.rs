//! What a session is about, of everything that its user said in it.

use aictx_proto::ledger::LedgerRow;

use crate::continue_request::only_goes_on;
use crate::text_similarity::is_continuation;

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

/// How much a message says of what there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// A greeting, thanks, "go on".
    None,
    /// A question: work only where nothing else is asked for.
    Question,
    /// Work.
    Work,
}

/// The requests of one execution, read message by message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Asked {
    first: String,
    question: String,
    work: String,
    latest: String,
    /// Every request that says something of the work, oldest first.
    all: Vec<String>,
}

/// Requests kept of one execution, the newest ones.
const MAX_REQUESTS: usize = 6;

impl Asked {
    /// Takes the row of a message in.
    pub(crate) fn hear(&mut self, row: &LedgerRow) {
        let (text, label) = (&row.text, row.label.as_str());
        let keep = |slot: &mut String| {
            if slot.is_empty() {
                text.clone_into(slot);
            }
        };
        let begins = self.first.is_empty();
        keep(&mut self.first);
        match weight(text, label, row.orders) {
            // "make the tests pass": with nothing before it, it is what there is to do.
            Weight::None if begins && label == "validation_change" => keep(&mut self.question),
            Weight::None => return,
            Weight::Question => keep(&mut self.question),
            Weight::Work => keep(&mut self.work),
        }
        text.clone_into(&mut self.latest);
        if self.all.len() == MAX_REQUESTS {
            self.all.remove(0);
        }
        self.all.push(text.clone());
    }

    /// The requests that say something of the work, oldest first, at most 6.
    pub(crate) fn requests(&self) -> &[String] {
        &self.all
    }

    /// What the work is: the first message that asks for some, else the first question, else
    /// whatever came first.
    pub(crate) fn goal(&self) -> &str {
        [&self.work, &self.question, &self.first]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", String::as_str)
    }

    /// What was asked for last, where that is something else than the goal.
    pub(crate) fn latest(&self) -> Option<&str> {
        (!self.latest.is_empty() && self.latest != self.goal()).then_some(&self.latest)
    }

    /// Returns true if anything was asked for at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.latest.trim().is_empty()
    }
}

/// `label` is what `steer` calls the message, empty where nobody said; `orders`, that a part of it orders work.
fn weight(text: &str, label: &str, orders: bool) -> Weight {
    let text = text.trim();
    let words = length(text);
    let small = match label {
        "continuation" | "approval" | "side_comment" | "cancellation" | "agent_correction"
        | "validation_change" => true,
        "" => is_continuation(text),
        _ => false,
    };
    // What is only to be remembered is no work.
    let rules = crate::user_rules::kept(text);
    let of_rules: usize = rules.iter().map(|rule| length(rule)).sum();
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
        Weight::None
    } else if label == "question" {
        Weight::Question
    } else {
        Weight::Work
    }
}

/// Words, two characters to one in scripts without spaces.
pub(crate) fn length(text: &str) -> usize {
    let spaced = |c: char| c.is_ascii() || !crate::text_similarity::unspaced(c);
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

    fn prompt(text: &str, label: &str, orders: bool) -> LedgerRow {
        LedgerRow {
            text: text.to_owned(),
            label: label.to_owned(),
            orders,
            ..LedgerRow::default()
        }
    }

    fn asked(messages: &[(&str, &str)]) -> (String, Option<String>) {
        let mut asked = Asked::default();
        for (text, label) in messages {
            asked.hear(&prompt(text, label, false));
        }
        (
            asked.goal().to_owned(),
            asked.latest().map(ToOwned::to_owned),
        )
    }

    fn told(goal: &str, latest: &str) -> (String, Option<String>) {
        let latest = (!latest.is_empty()).then(|| latest.to_owned());
        (goal.to_owned(), latest)
    }

    #[test]
    fn a_greeting_is_no_goal_and_thanks_are_no_request() {
        assert_eq!(
            asked(&[
                ("hi", "unknown"),
                ("Fix the parser", "task"),
                ("thanks, go on", "continuation"),
                ("run the tests", "validation_change"),
            ]),
            told("Fix the parser", "")
        );
        for text in ["Hello Claude!", "guten Tag", "你好", "¡hola", "/compact"] {
            let text = text.trim_start_matches('¡');
            assert_eq!(weight(text, "unknown", false), Weight::None, "{text}");
        }
        assert_eq!(weight("sigue con lo de ayer", "task", false), Weight::None);
        for text in ["hi, fix it now", "highlight tabs", "issue 5", "/fix 5"] {
            assert_eq!(weight(text, "unknown", false), Weight::Work, "{text}");
        }
    }

    #[test]
    fn limits_and_permissions_are_no_requests() {
        assert_eq!(
            asked(&[
                ("Fix the parser", "task"),
                ("Don't touch store.py", "scope_constraint"),
                ("OK, you may edit store.py now", "scope_change"),
            ]),
            told("Fix the parser", "")
        );
    }

    #[test]
    fn an_order_that_sets_a_limit_too_is_a_request() {
        let both = "Make login ignore case. Don't touch store.py";
        let mut asked = Asked::default();
        asked.hear(&prompt("Fix the parser", "task", false));
        asked.hear(&prompt(both, "scope_constraint", true));
        asked.hear(&prompt("Fix it, run tests", "validation_change", true));
        assert_eq!(asked.goal(), "Fix the parser");
        assert_eq!(asked.latest(), Some("Fix it, run tests"));
        let mut asked = Asked::default();
        asked.hear(&prompt(both, "scope_constraint", true));
        asked.hear(&prompt("go on", "continuation", false));
        assert_eq!((asked.goal(), asked.is_empty()), (both, false));
    }

    #[test]
    fn a_question_is_the_goal_only_where_no_work_is_asked_for() {
        assert_eq!(
            asked(&[("What is a cache?", "question"), ("Why?", "question")]),
            told("What is a cache?", "Why?")
        );
        assert_eq!(
            asked(&[
                ("What is a cache?", "question"),
                ("Add one", "new_requirement"),
                ("document it, too", "new_requirement"),
            ]),
            told("Add one", "document it, too")
        );
    }

    #[test]
    fn a_check_is_the_goal_where_nothing_else_is() {
        let check = ("make the tests pass", "validation_change");
        assert_eq!(asked(&[check]), told(check.0, ""));
        assert_eq!(
            asked(&[check, ("Fix the parser", "task"), check]),
            told("Fix the parser", "")
        );
    }

    #[test]
    fn what_is_only_to_be_remembered_is_no_request() {
        let rule = "Good. Remember: we never use floats for money";
        assert_eq!(
            asked(&[("Fix the total", "task"), (rule, "strategy_change")]),
            told("Fix the total", "")
        );
        let both = "From now on use pnpm. Add a lock file and change the README accordingly";
        assert_eq!(asked(&[(both, "task")]), told(both, ""));
    }

    #[test]
    fn what_says_more_than_go_on_says_what_to_do() {
        let long = "continue with the parser rewrite from yesterday";
        assert_eq!(asked(&[(long, "continuation")]), told(long, ""));
        assert_eq!(weight("继续修改解析器并添加测试", "", false), Weight::Work);
        // Ledgers that say nothing of their messages.
        assert_eq!(asked(&[("go on", ""), ("Fix it", "")]), told("Fix it", ""));
        assert_eq!(asked(&[("go on", "")]), told("go on", ""));
        assert_eq!(asked(&[]), told("", ""));
    }
}
