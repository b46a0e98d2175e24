//! "Do whatever you think is best": a decision that is left to the agent. It stops nothing and asks for nothing new.

use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::word_class::{Class, Set};

/// Words that leave open what, or how.
const OPEN: &[&str] = &[
    "whatever",
    "what",
    "however",
    "whichever",
    "as",
    "lo",
    "que",
    "como",
    "cual",
    "qual",
    "o",
    "ce",
    "qui",
    "comme",
    "was",
    "wie",
    "怎么",
    "什么",
    "哪个",
];
/// Verbs of what somebody thinks or likes, as they are said to the agent.
const VIEWS: &[&str] = &[
    "think",
    "want",
    "like",
    "prefer",
    "feel",
    "see",
    "consider",
    "deem",
    "find",
    "believe",
    "reckon",
    "fancy",
    "choose",
    "parezca",
    "quieras",
    "prefieras",
    "veas",
    "creas",
    "consideres",
    "gustes",
    "parece",
    "veux",
    "voulez",
    "preferes",
    "penses",
    "semble",
    "sens",
    "vois",
    "plait",
    "crois",
    "meinst",
    "willst",
    "mochtest",
    "denkst",
    "haltst",
    "magst",
    "findest",
    "achar",
    "quiser",
    "preferir",
    "ache",
    "achares",
    "acha",
    "pensar",
    "entender",
    "觉得",
    "认为",
    "想",
    "喜欢",
];
/// Words that say no more than that it is to be good.
const GOOD: &[&str] = &[
    "best",
    "better",
    "right",
    "fit",
    "good",
    "mejor",
    "bien",
    "conveniente",
    "mieux",
    "juste",
    "richtig",
    "am",
    "besten",
    "gut",
    "sinnvoll",
    "fur",
    "melhor",
    "bem",
    "certo",
    "is",
    "makes",
    "sense",
    "works",
    "most",
    "好",
    "合适",
    "做",
    "来",
    "就",
    "最",
    "就行",
    "行",
    "办",
];

/// Returns true if a clause leaves it to the agent, and names nothing: "use whatever you like for the cache" is
/// about the cache.
pub(super) fn leaves_it(clause: &Clause) -> bool {
    let parts = LEAD
        .with(Set::of(Class::Do))
        .with(Set::of(Class::You))
        .with(Set::of(Class::Tail))
        .with(Set::of(Class::Yours));
    let text = |i: &Item, words: &[&str]| words.contains(&i.text.as_str());
    let open = clause.items.iter().position(|i| text(i, OPEN));
    let view = clause.items.iter().rposition(|i| text(i, VIEWS));
    // Chinese says what you think first.
    let is_wide = clause
        .items
        .iter()
        .any(|i| i.text.chars().any(aictx_proto::fold::is_unspaced));
    // "What do you think is best" asks.
    let asks = clause
        .items
        .iter()
        .any(|i| matches!(i.text.as_str(), "do" | "does"));
    let opens = clause.items.iter().find(|i| !i.set.meets(LEAD));
    let asks = asks && opens.is_some_and(|i| i.has(Class::Q));
    !clause.question
        && !clause.conditional
        && !asks
        && (clause.all().has(Class::Yours)
            || matches!((open, view), (Some(open), Some(view)) if open < view || is_wide))
        && clause.items.iter().all(|i| {
            i.set.meets(parts)
                || i.has(Class::Func)
                || text(i, OPEN)
                || text(i, VIEWS)
                || text(i, GOOD)
        })
}

#[cfg(test)]
mod tests {
    use aictx_proto::methods::SteerParams;

    fn classified(message: &str) -> (String, bool) {
        let reply = crate::steer(&SteerParams {
            message: message.to_owned(),
            ..SteerParams::default()
        });
        let reply = reply.unwrap_or_else(|error| unreachable!("{error}"));
        (reply.classification, reply.suggested_updates.lets_go)
    }

    #[test]
    fn what_is_left_to_the_agent_asks_for_nothing() {
        for message in [
            "do whatever you think is best",
            "your call",
            "use your judgement",
            "however you like",
            "haz lo que te parezca mejor",
            "como veas",
            "fais comme tu le sens",
            "c'est toi qui vois",
            "mach was du für richtig hältst",
            "entscheide du",
            "faça o que achar melhor",
            "você decide",
            "你看着办吧",
            "你觉得怎么好就怎么做",
            "お任せします",
        ] {
            assert_eq!(
                classified(message),
                ("continuation".to_owned(), false),
                "{message}"
            );
        }
        for message in [
            "use whatever you like for the cache",
            "change whatever you think is wrong in src/a.py",
            "what do you think is best?",
            "haz lo que quieras con src/a.py",
            "都可以改",
        ] {
            assert_ne!(classified(message).0, "continuation", "{message}");
        }
    }
}
