//! The rules: which order of meanings makes a clause what it is.
//!
//! A line of `rules.txt` is `classification weight [languages] : pattern`. A pattern is read from
//! left to right: `A|B` is one token that has one of these meanings, `A?` may be missing, `!A` is
//! one token without it, `..3` is at most three tokens, `^` the start of the clause (after words
//! that may stand before an order), `$` its end (before words that may follow one), `^^` and `$$`
//! its very start and end. `+A` and `~A` before the pattern ask for a clause with or without `A`
//! anywhere; `@q` and `~@q` for one in a question or not, `@yes` for one that follows consent, `@open`
//! for one that begins a sentence, `@runs` for one about how something else than the agent runs ([`super::runtime_behaviour`]),
//! `@tests` for one that says "tests only" ([`super::prohibition_scope`]), `@within` and `@alone` for one that keeps the work in a
//! place or to one thing ([`super::scope_restriction`]), `@yours` for one that leaves a decision to the agent ([`super::delegation`]).

use std::sync::LazyLock;

use super::intent_label::Label;
use super::lexicon::Language;
use super::word_class::{Class, Set, class};

/// Words that may stand before an order.
pub(super) const LEAD: Set = Set::of(Class::Polite)
    .with(Set::of(Class::Fill))
    .with(Set::of(Class::And))
    .with(Set::of(Class::Then))
    .with(Set::of(Class::But))
    .with(Set::of(Class::Ask))
    .with(Set::of(Class::Also))
    .with(Set::of(Class::Yes))
    .with(Set::of(Class::No))
    .with(Set::of(Class::Good))
    .with(Set::of(Class::May));
/// Words that may follow an order that has no object.
const TAIL: Set = Set::of(Class::Polite)
    .with(Set::of(Class::Tail))
    .with(Set::of(Class::AskEnd));

enum Element {
    Start,
    End,
    VeryStart,
    VeryEnd,
    One(Set),
    Maybe(Set),
    Not(Set),
    Gap(usize),
}

/// One rule.
pub(super) struct Rule {
    /// Label of a matching clause.
    pub(super) label: Label,
    /// The heaviest rule that fits wins.
    pub(super) weight: u8,
    /// Line in `rules.txt`: its name in reasons.
    pub(super) line: u16,
    languages: Option<Vec<Language>>,
    with: Vec<Set>,
    without: Set,
    question: Option<bool>,
    consented: bool,
    opens: bool,
    runs: bool,
    tests: bool,
    within: bool,
    alone: bool,
    yours: bool,
    pattern: Vec<Element>,
}

/// A clause, as rules see it.
pub(super) struct Facing<'c> {
    pub(super) sets: &'c [Set],
    pub(super) all: Set,
    pub(super) language: Language,
    pub(super) question: bool,
    pub(super) consented: bool,
    pub(super) opens: bool,
    pub(super) runs: bool,
    pub(super) tests: bool,
    pub(super) within: bool,
    pub(super) alone: bool,
    pub(super) yours: bool,
}

/// All rules, read at first use.
pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    include_str!("rules.txt")
        .lines()
        .zip(1..)
        .filter_map(|(line, number)| parse(line, number))
        .collect()
});

fn parse(line: &str, number: u16) -> Option<Rule> {
    let (head, pattern) = line.split_once(':')?;
    let mut head = head.split_whitespace();
    let label = Label::from_name(head.next()?)?;
    let weight = head.next()?.parse().ok()?;
    let languages: Vec<Language> = head.filter_map(Language::from_code).collect();
    let mut rule = Rule {
        label,
        weight,
        line: number,
        languages: (!languages.is_empty()).then_some(languages),
        with: Vec::new(),
        without: Set::NONE,
        question: None,
        consented: false,
        opens: false,
        runs: false,
        tests: false,
        within: false,
        alone: false,
        yours: false,
        pattern: Vec::new(),
    };
    for word in pattern.split_whitespace() {
        match word {
            "^" => rule.pattern.push(Element::Start),
            "$" => rule.pattern.push(Element::End),
            "^^" => rule.pattern.push(Element::VeryStart),
            "$$" => rule.pattern.push(Element::VeryEnd),
            "@q" => rule.question = Some(true),
            "~@q" => rule.question = Some(false),
            "@yes" => rule.consented = true,
            "@runs" => rule.runs = true,
            "@tests" => rule.tests = true,
            "@within" => rule.within = true,
            "@alone" => rule.alone = true,
            "@yours" => rule.yours = true,
            "@open" => rule.opens = true,
            _ => element(word, &mut rule)?,
        }
    }
    Some(rule)
}

fn element(word: &str, rule: &mut Rule) -> Option<()> {
    if let Some(gap) = word.strip_prefix("..") {
        rule.pattern.push(Element::Gap(gap.parse().ok()?));
    } else if let Some(names) = word.strip_prefix('~') {
        rule.without = rule.without.with(set(names)?);
    } else if let Some(names) = word.strip_prefix('+') {
        rule.with.push(set(names)?);
    } else if let Some(names) = word.strip_prefix('!') {
        rule.pattern.push(Element::Not(set(names)?));
    } else if let Some(names) = word.strip_suffix('?') {
        rule.pattern.push(Element::Maybe(set(names)?));
    } else {
        let set = set(word)?;
        rule.with.push(set);
        rule.pattern.push(Element::One(set));
    }
    Some(())
}

fn set(names: &str) -> Option<Set> {
    names
        .split('|')
        .try_fold(Set::NONE, |set, name| Some(set.with(Set::of(class(name)?))))
}

impl Rule {
    /// Returns true if the clause fits. Patterns and gaps are short: linear in the clause.
    pub(super) fn fits(&self, clause: &Facing<'_>) -> bool {
        if self.with.iter().any(|set| !set.meets(clause.all))
            || self.without.meets(clause.all)
            || self.question.is_some_and(|q| q != clause.question)
            || (self.consented && !clause.consented)
            || (self.opens && !clause.opens)
            || (self.runs && !clause.runs)
            || (self.tests && !clause.tests)
            || (self.within && !clause.within)
            || (self.alone && !clause.alone)
            || (self.yours && !clause.yours)
            || self
                .languages
                .as_ref()
                .is_some_and(|l| !l.contains(&clause.language))
        {
            return false;
        }
        let sets = clause.sets;
        match self.pattern.first() {
            None => true,
            Some(Element::Start) => {
                let lead = sets.iter().take_while(|s| s.meets(LEAD)).count();
                let pattern = self.pattern.get(1..).unwrap_or_default();
                (0..=lead).any(|from| matches(pattern, sets, from))
            }
            Some(Element::VeryStart) => matches(self.pattern.get(1..).unwrap_or_default(), sets, 0),
            Some(_) => (0..sets.len()).any(|from| matches(&self.pattern, sets, from)),
        }
    }
}

fn matches(pattern: &[Element], sets: &[Set], at: usize) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    let here = sets.get(at);
    match first {
        Element::Start | Element::VeryStart => at == 0 && matches(rest, sets, at),
        Element::VeryEnd => at >= sets.len(),
        Element::End => sets
            .get(at..)
            .unwrap_or_default()
            .iter()
            .all(|s| s.meets(TAIL)),
        Element::One(set) => here.is_some_and(|s| s.meets(*set)) && matches(rest, sets, at + 1),
        Element::Not(set) => here.is_some_and(|s| !s.meets(*set)) && matches(rest, sets, at + 1),
        Element::Maybe(set) => {
            (here.is_some_and(|s| s.meets(*set)) && matches(rest, sets, at + 1))
                || matches(rest, sets, at)
        }
        Element::Gap(most) => {
            (0..=*most).any(|skip| at + skip <= sets.len() && matches(rest, sets, at + skip))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_understood() {
        let lines = include_str!("rules.txt")
            .lines()
            .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
            .count();
        let bad: Vec<_> = include_str!("rules.txt")
            .lines()
            .filter(|l| !l.trim().is_empty() && !l.starts_with('#') && parse(l, 1).is_none())
            .collect();
        assert_eq!(bad, Vec::<&str>::new());
        assert_eq!(RULES.len(), lines);
    }
}
