//! Calls that are known by their verbs and options: the reader of `rules.txt`.

use std::sync::LazyLock;

use aictx_shell::{ByName, Word};

use super::super::options::{self, Operands, has_option};
use super::super::{Kind, Tier};

/// The table; its head says what a line means.
const TEXT: &str = include_str!("rules.txt");

/// A call that is worth a word by its verbs and options alone.
#[derive(Debug)]
pub(in super::super) struct Rule {
    pub(in super::super) tier: Tier,
    pub(in super::super) kind: Kind,
    /// Patterns of the words that are no options.
    pub(in super::super) words: Vec<Pattern>,
    /// Of each group one option must be given.
    with: Vec<Vec<&'static str>>,
    /// Any of these makes it harmless.
    unless: Vec<&'static str>,
    /// It counts only with the rights of another user.
    elevated: bool,
    /// A hook asks the user.
    pub(in super::super) asks: bool,
}

/// Pattern of a word, or of several.
#[derive(Debug)]
pub(in super::super) enum Pattern {
    /// One of these.
    One(Vec<Part>),
    /// Any number of words before the next option.
    Leading,
    /// Any number of words.
    Anywhere,
}

/// One alternative of a word.
#[derive(Debug)]
pub(in super::super) enum Part {
    Any,
    Exact(&'static str),
    Start(&'static str),
    End(&'static str),
    Middle(&'static str),
}

impl Pattern {
    fn parse(text: &'static str) -> Self {
        match text {
            "**" => Self::Leading,
            "***" => Self::Anywhere,
            text => Self::One(text.split('|').map(Part::parse).collect()),
        }
    }

    fn fits(&self, word: &str) -> bool {
        matches!(self, Self::One(parts) if parts.iter().any(|part| part.fits(word)))
    }
}

impl Part {
    fn parse(text: &'static str) -> Self {
        match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(""), _) => Self::Any,
            (Some(end), None) => Self::End(end),
            (None, Some(start)) => Self::Start(start),
            (Some(_), Some(_)) => Self::Middle(text.trim_matches('*')),
            (None, None) => Self::Exact(text),
        }
    }

    fn exact(&self) -> Option<&'static str> {
        match self {
            Self::Exact(text) => Some(text),
            _ => None,
        }
    }

    fn fits(&self, word: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(text) => *text == word,
            Self::Start(text) => word.starts_with(text),
            Self::End(text) => word.ends_with(text),
            Self::Middle(text) => word.contains(text),
        }
    }
}

/// Rules by program; almost every command line is about programs that have none.
pub(super) static BY_PROGRAM: LazyLock<ByName<Rules>> = LazyLock::new(|| {
    let mut map: ByName<Rules> = ByName::default();
    for line in TEXT.lines() {
        let Some(programs) = programs(line) else {
            continue;
        };
        for program in programs.split('|') {
            let Some(rule) = rule(line) else {
                continue;
            };
            let rules = map.entry(program).or_default();
            match line.starts_with('Q') {
                true => rules.quiet.push(rule),
                false => rules.push(rule),
            }
        }
    }
    map
});

/// The rules about one program.
#[derive(Debug, Default)]
pub(in super::super) struct Rules {
    all: Vec<Rule>,
    /// Those that are worth no word by themselves.
    quiet: Vec<Rule>,
    /// Numbers of those that begin with a certain word, and of the rest; both in order.
    by_word: ByName<Vec<usize>>,
    others: Vec<usize>,
}

impl Rules {
    fn push(&mut self, rule: Rule) {
        let number = self.all.len();
        let exact = |parts: &[Part]| parts.iter().map(Part::exact).collect::<Option<Vec<_>>>();
        let words = match rule.words.first() {
            Some(Pattern::One(parts)) => exact(parts),
            _ => None,
        };
        match words {
            Some(mut words) => {
                words.sort_unstable();
                words.dedup();
                for word in words {
                    self.by_word.entry(word).or_default().push(number);
                }
            }
            None => self.others.push(number),
        }
        self.all.push(rule);
    }

    /// Those that only count for who minds their kind.
    pub(in super::super) fn quiet(&self) -> &[Rule] {
        &self.quiet
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns true if none of the words can be the first of one of them, however options take their values.
    pub(in super::super) fn know_none_of(&self, arguments: &[Word]) -> bool {
        let known = |word: &Word| self.by_word.contains_key(word.text.as_str());
        self.others.is_empty() && !arguments.iter().any(known)
    }

    /// All of them, in the order of the table.
    pub(in super::super) fn iter(&self) -> std::slice::Iter<'_, Rule> {
        self.all.iter()
    }

    /// Those that may match where `first` is the first word, in the same order.
    pub(in super::super) fn beginning(&self, first: Option<&str>) -> impl Iterator<Item = &Rule> {
        let named = first.and_then(|first| self.by_word.get(first));
        let mut named = named.into_iter().flatten().peekable();
        let mut others = self.others.iter().peekable();
        std::iter::from_fn(move || {
            let number = match (named.peek(), others.peek()) {
                (Some(one), Some(other)) if one < other => named.next(),
                (Some(_), None) => named.next(),
                _ => others.next(),
            };
            self.all.get(*number?)
        })
    }
}

/// Of programs that have none.
pub(super) static NONE: LazyLock<Rules> = LazyLock::new(Rules::default);

fn programs(line: &'static str) -> Option<&'static str> {
    (!line.starts_with('#')).then(|| line.split_whitespace().nth(2))?
}

fn rule(line: &'static str) -> Option<Rule> {
    let mut parts = line.split_whitespace();
    let tier = match parts.next()? {
        // What it is worth is nothing, and it excuses nothing.
        "P" | "Q" => Tier::Plain,
        "R" | "A" => Tier::Risky,
        "D" => Tier::Destructive,
        "C" => Tier::Catastrophic,
        _ => return None,
    };
    let mut rule = Rule {
        tier,
        kind: Kind::parse(parts.next()?)?,
        words: Vec::new(),
        with: Vec::new(),
        unless: Vec::new(),
        elevated: false,
        asks: line.starts_with("A "),
    };
    for part in parts.skip(1) {
        if part == "+elevated" {
            rule.elevated = true;
        } else if let Some(options) = part.strip_prefix('+') {
            rule.with.push(options.split('|').collect());
        } else if let Some(options) = part.strip_prefix('!') {
            rule.unless.extend(options.split('|'));
        } else {
            rule.words.push(Pattern::parse(part));
        }
    }
    Some(rule)
}

impl Rule {
    /// The options that make it what it is.
    pub(in super::super) fn options(&self) -> impl Iterator<Item = &'static str> {
        self.with.iter().flatten().copied()
    }

    /// Returns true if the words fit and an option makes them harmless.
    pub(in super::super) fn excuses(&self, operands: &Operands, arguments: &[Word]) -> bool {
        if self.unless.is_empty() && self.tier != Tier::Plain {
            return false;
        }
        let excused = || {
            if self.tier == Tier::Plain {
                self.with.iter().all(|group| has_option(arguments, group))
                    && !has_option(arguments, &self.unless)
            } else {
                has_option(arguments, &self.unless)
            }
        };
        fits(&self.words, &operands.words, operands.leading) && excused()
    }

    pub(in super::super) fn matches(
        &self,
        operands: &Operands,
        arguments: &[Word],
        elevated: bool,
    ) -> bool {
        fits(&self.words, &operands.words, operands.leading)
            && (elevated || !self.elevated)
            && self.with.iter().all(|group| has_option(arguments, group))
            && !has_option(arguments, &self.unless)
            && !options::is_harmless(arguments)
    }
}

/// Returns true if patterns match the first words.
fn fits(patterns: &[Pattern], words: &[&str], leading: usize) -> bool {
    let mut at = 0;
    let mut patterns = patterns.iter();
    while let Some(pattern) = patterns.next() {
        let range = match pattern {
            Pattern::Leading => at..leading.max(at),
            Pattern::Anywhere => at..words.len(),
            Pattern::One(_) => {
                if !words.get(at).is_some_and(|word| pattern.fits(word)) {
                    return false;
                }
                at += 1;
                continue;
            }
        };
        let Some(next) = patterns.next() else {
            return true;
        };
        let found = words
            .get(range.clone())
            .unwrap_or_default()
            .iter()
            .position(|word| next.fits(word));
        let Some(found) = found else {
            return false;
        };
        at = range.start + found + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked by the first word or one by one, the same rules match.
    #[test]
    fn rules_found_by_their_first_word() {
        for (program, rules) in BY_PROGRAM.iter() {
            let firsts = rules.by_word.keys().copied().chain(["x", ""]);
            for first in firsts {
                let words = [first, "all", "delete", "x"];
                let fit = |rule: &&Rule| fits(&rule.words, &words, 2);
                let found: Vec<*const Rule> = rules
                    .beginning(Some(first))
                    .filter(fit)
                    .map(std::ptr::from_ref)
                    .collect();
                let all: Vec<*const Rule> =
                    rules.iter().filter(fit).map(std::ptr::from_ref).collect();
                assert_eq!(found, all, "{program} {first}");
            }
        }
    }

    #[test]
    fn every_line_is_a_rule_or_a_comment() {
        for line in TEXT.lines() {
            let known = line.is_empty() || line.starts_with('#') || rule(line).is_some();
            assert!(known, "{line}");
        }
        assert!(TEXT.lines().filter(|line| rule(line).is_some()).count() > 250);
    }
}
