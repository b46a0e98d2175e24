//! Goal of a session, from everything that its user said in it.

use aictx_proto::ledger::LedgerRow;
use aictx_steer::{RequestKind, request_kind};

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
        match request_kind(text, label, row.orders) {
            // "make the tests pass": with nothing before it, it is what there is to do.
            RequestKind::SmallTalk if begins && label == "validation_change" => {
                keep(&mut self.question)
            }
            RequestKind::SmallTalk => return,
            RequestKind::Question => keep(&mut self.question),
            RequestKind::Work => keep(&mut self.work),
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

    /// Returns the goal: the first message that asks for work, else the first question, else
    /// whatever came first.
    pub(crate) fn goal(&self) -> &str {
        [&self.work, &self.question, &self.first]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", String::as_str)
    }

    /// Returns the last request, if it differs from the goal.
    pub(crate) fn latest(&self) -> Option<&str> {
        (!self.latest.is_empty() && self.latest != self.goal()).then_some(&self.latest)
    }

    /// Returns true if anything was asked for at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.latest.trim().is_empty()
    }
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
        assert_eq!(
            request_kind("继续修改解析器并添加测试", "", false),
            RequestKind::Work
        );
        // Ledgers that say nothing of their messages.
        assert_eq!(asked(&[("go on", ""), ("Fix it", "")]), told("Fix it", ""));
        assert_eq!(asked(&[("go on", "")]), told("go on", ""));
        assert_eq!(asked(&[]), told("", ""));
    }
}
