//! The kind of work that a text speaks of: `bug_fixing`, `testing`, `documentation` …
//!
//! Whole words, stems and phrases with weights (`task_type/words.txt`); what the sentence begins with weighs
//! most, because a request says first what is to be done.

mod faults;
mod things;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use aictx_proto::fold::{fold, is_unspaced};
use aictx_proto::text::sentences;

use faults::Fault;
use things::is_thing;

/// The types, in the order in which equal scores are decided.
pub const TASK_TYPES: &[&str] = &[
    "bug_fixing",
    "performance",
    "documentation",
    "testing",
    "refactoring",
    "architecture",
    "qa",
    "investigation",
    "analysis",
    "feature_work",
];

/// Most of a text that is read, in bytes.
const MAX_TEXT: usize = 8 * 1024;
/// Most words of a text that are looked at.
const MAX_WORDS: usize = 2_000;
/// Longest phrase, in words.
const MAX_PHRASE: usize = 4;
/// Of how many words at the beginning one is the verb of the request; of later sentences, where none was
/// before.
const LEAD: usize = 5;
const LEAD_LATER: usize = 2;
/// From this weight on a word can be the verb of a request.
const VERB: u32 = 3;
/// A type needs this much.
const LEAST: u32 = 2;
/// Beginnings of words that take a fault away, whatever it is a fault of.
const MENDING: &[&str] = &[
    "fix", "resolv", "solv", "repair", "arregl", "corrig", "corrij", "arrum", "repar", "behe",
    "korrig", "consert", "correct", "improv",
];
/// Words with which a further order is given: "find out why and fix it".
const FURTHER: &[&str] = &[
    "and", "then", "y", "luego", "et", "puis", "und", "dann", "e", "depois", "please",
];
/// The same without blanks.
const UNSPACED_MENDING: &[&str] = &[
    "并修",
    "再修",
    "后修",
    "并解决",
    "后解决",
    "修好",
    "直して",
    "直せ",
    "修正して",
    "修正しろ",
    "修正をお願い",
    "修正お願い",
];
/// Words right before one that take its meaning away, and those that do so for the next two.
const NOT_NEXT: &[&str] = &[
    "never", "not", "ne", "nao", "nicht", "sin", "sans", "sem", "ohne",
];
const NOT_NEAR: &[&str] = &["don't", "dont", "without"];
/// Words with which another clause begins.
const TURNS: &[&str] = &[
    "but", "just", "only", "instead", "pero", "solo", "sino", "mais", "juste", "aber", "sondern",
    "nur", "mas", "apenas",
];
/// Words right behind one that do so.
const NOTHING: &[&str] = &["nothing", "nada", "rien", "nichts"];
/// The same without blanks, before and behind.
const UNSPACED_NOT: &[&str] = &["不要", "不用", "不必", "无需", "别"];
const UNSPACED_WITHOUT: &[&str] = &["しない", "さない", "せず", "さず"];
/// Most words between the parts of one that is written in two.
const MAX_GAP: usize = 12;
/// Most signals that are remembered.
const MAX_SIGNALS: usize = 8;

/// Index into [`TASK_TYPES`] and weight.
type Meaning = (usize, u32);

struct Lexicon {
    words: HashMap<String, Meaning>,
    stems: HashMap<String, Meaning>,
    /// The first words of those that are phrases.
    firsts: HashSet<String>,
    /// Words written in two parts, by the first: `räum … auf`.
    parted: HashMap<String, Vec<(String, Meaning)>>,
    /// Words written without blanks, longest first.
    anywhere: Vec<(String, Meaning)>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        words: HashMap::new(),
        stems: HashMap::new(),
        firsts: HashSet::new(),
        parted: HashMap::new(),
        anywhere: Vec::new(),
    };
    for line in include_str!("task_type/words.txt").lines() {
        let Some((meaning, words)) = meaning(line) else {
            continue;
        };
        for word in words.split_whitespace() {
            let word = fold(word).replace('_', " ");
            if word.chars().next().is_some_and(is_unspaced) {
                lexicon.anywhere.push((word, meaning));
                continue;
            }
            if let Some((first, last)) = word.split_once("..") {
                let parts = lexicon.parted.entry(first.to_owned()).or_default();
                parts.push((last.to_owned(), meaning));
                continue;
            }
            if let Some((first, _)) = word.split_once(' ') {
                lexicon.firsts.insert(first.to_owned());
            }
            if let Some(stem) = word.strip_suffix('*') {
                lexicon.stems.entry(stem.to_owned()).or_insert(meaning);
            } else {
                lexicon.words.entry(word).or_insert(meaning);
            }
        }
    }
    lexicon
        .anywhere
        .sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    lexicon
});

/// `type weight: words`; `None` for comments and blank lines.
fn meaning(line: &str) -> Option<(Meaning, &str)> {
    let (head, words) = line.split_once(':')?;
    let (name, weight) = head.trim().split_once(' ')?;
    let at = TASK_TYPES.iter().position(|t| *t == name)?;
    Some(((at, weight.parse().ok()?), words))
}

impl Lexicon {
    /// The longest entry that `word` is or begins with.
    fn look(&self, word: &str) -> Option<Meaning> {
        self.words.get(word).copied().or_else(|| {
            word.char_indices()
                .map(|(at, c)| at + c.len_utf8())
                .rev()
                .filter(|end| *end >= 3)
                .find_map(|end| self.stems.get(word.get(..end)?).copied())
        })
    }
}

/// Score of a text for each type.
#[derive(Debug, Default)]
pub struct TaskScores {
    by_type: [u32; 10],
    seen: Vec<(usize, String)>,
}

/// Prefixes that commit messages put before a colon.
const PREFIXES: &[(&str, &str)] = &[
    ("fix", "bug_fixing"),
    ("bugfix", "bug_fixing"),
    ("hotfix", "bug_fixing"),
    ("bug", "bug_fixing"),
    ("feat", "feature_work"),
    ("feature", "feature_work"),
    ("docs", "documentation"),
    ("doc", "documentation"),
    ("refactor", "refactoring"),
    ("cleanup", "refactoring"),
    ("style", "refactoring"),
    ("perf", "performance"),
    ("test", "testing"),
    ("tests", "testing"),
];
/// Weight of such a prefix: it decides.
const PREFIX_WEIGHT: u32 = 20;

impl TaskScores {
    /// Reads a text. Every word speaks once; its weight is divided by `share`.
    pub fn read(&mut self, text: &str, share: u32) {
        let folded = fold(head(text));
        if share == 1 {
            self.prefix(&folded);
        }
        // Each word with how many more of its sentence may be the verb.
        let mut leading: Vec<usize> = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        // Where clauses begin.
        let mut clauses: Vec<usize> = Vec::new();
        for sentence in sentences(&folded) {
            let before = words.len();
            for clause in sentence.split([',', ';', ':']) {
                clauses.push(words.len());
                let left = MAX_WORDS.saturating_sub(words.len());
                words.extend(
                    clause
                        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | '+'))
                        .map(|w| w.trim_matches(['\'', '-', '+']))
                        .filter(|w| !w.is_empty())
                        .take(left),
                );
            }
            let lead = if before == 0 { LEAD } else { LEAD_LATER };
            leading.extend((before..words.len()).map(|at| lead.saturating_sub(at - before)));
        }
        let mut verb = None;
        let mut mends = false;
        let mut nouns = [false; 10];
        let mut at = 0;
        // What is said of a thing that is not to be done.
        let mut muted = false;
        // Whether a mending is ordered somewhere.
        let mut ordered = false;
        while let Some(word) = words.get(at) {
            muted &= clauses.binary_search(&at).is_err() && !TURNS.contains(word);
            let (taken, found) = phrase(&words, at)
                .unwrap_or_else(|| (1, parted(&words, at).or_else(|| LEXICON.look(word))));
            let negated = found.is_some() && is_negated(&words, at, taken);
            muted |= negated && forbids(&words, at);
            ordered |= share == 1
                && !muted
                && word_starts(Some(*word), MENDING)
                && !tells(word)
                && !is_negated(&words, at, taken)
                && begins_order(&words, &clauses, at);
            if let Some((of, weight)) = found.filter(|_| !negated && !muted) {
                // What is named by an identifier is its subject, not what is to be done.
                let leads = weight >= VERB
                    && verb.is_none()
                    && leading.get(at).is_some_and(|left| *left > 0)
                    && (at == 0 || !tells(word))
                    && share == 1;
                let word = words.get(at..at + taken).unwrap_or_default().join(" ");
                if !self.seen.contains(&(of, word.clone())) && self.seen.len() < MAX_WORDS {
                    self.raise(of, weight.div_ceil(share) * if leads { 2 } else { 1 });
                    self.seen.push((of, word));
                }
                if leads {
                    verb = Some(of);
                    mends = word_starts(words.get(at).copied(), MENDING);
                } else if let Some(flag) = nouns.get_mut(of) {
                    *flag = true;
                }
            }
            at += taken;
        }
        self.unspaced(&folded, share);
        if let Some(verb) = verb {
            self.subject(verb, mends, nouns);
        }
        ordered |= share == 1 && self.mends_unspaced(&folded);
        self.mend_after_all(ordered);
        if share == 1 {
            self.fault(faults::fault(&folded));
        }
    }

    /// Scores a fault: what is broken is to be mended, whatever it is; what may break is not.
    fn fault(&mut self, fault: Fault) {
        let mending = TASK_TYPES.iter().position(|name| *name == "bug_fixing");
        let Some(own) = mending.and_then(|at| self.by_type.get_mut(at)) else {
            return;
        };
        let before = std::mem::take(own);
        let best = self.best().map_or(0, |(_, best, _)| best);
        let after = match fault {
            Fault::Stated if best < PREFIX_WEIGHT => before.max(best.max(LEAST) + 2),
            Fault::Supposed if best > 0 => before.min(best - 1),
            _ => before,
        };
        mending.into_iter().for_each(|at| self.raise(at, after));
    }

    /// Returns true if a text without blanks orders a mending.
    fn mends_unspaced(&self, folded: &str) -> bool {
        let ordered = |word: &&str| {
            folded.match_indices(word).any(|(place, _)| {
                let before = folded.get(..place).unwrap_or_default();
                let behind = folded.get(place + word.len()..).unwrap_or_default();
                !UNSPACED_NOT.iter().any(|it| before.ends_with(it))
                    && !["はいけない", "はだめ"]
                        .iter()
                        .any(|it| behind.starts_with(it))
            })
        };
        UNSPACED_MENDING.iter().any(ordered)
    }

    /// Scores an investigation whose aim is to mend.
    fn mend_after_all(&mut self, ordered: bool) {
        let Some(("investigation" | "analysis", best, _)) = self.best().filter(|_| ordered) else {
            return;
        };
        let mending = TASK_TYPES.iter().position(|t| *t == "bug_fixing");
        if let Some(at) = mending {
            let own = self.by_type.get(at).copied().unwrap_or_default();
            self.raise(at, (best + 2).saturating_sub(own));
        }
    }

    /// "Add tests", "fix the docs", "fix slow queries": what the verb is applied to says what kind
    /// of work it is.
    fn subject(&mut self, verb: usize, mends: bool, nouns: [bool; 10]) {
        let of = |name: &str| TASK_TYPES.iter().position(|t| *t == name);
        let has = |name: &str| {
            of(name)
                .and_then(|at| nouns.get(at))
                .copied()
                .unwrap_or(false)
        };
        let is = |name: &str| of(name) == Some(verb);
        let to = if is("feature_work") {
            ["testing", "documentation"].into_iter().find(|n| has(n))
        } else if is("bug_fixing") && mends {
            ["documentation", "performance"]
                .into_iter()
                .find(|n| has(n) && !has("bug_fixing"))
        } else if is("refactoring") {
            ["documentation"].into_iter().find(|n| has(n))
        } else {
            None
        };
        if let Some(at) = to.and_then(of) {
            self.raise(at, 6);
        }
    }

    fn prefix(&mut self, folded: &str) {
        let Some((head, _)) = folded.split_once(':') else {
            return;
        };
        let head = head.split(['(', '!']).next().unwrap_or_default().trim();
        if let Some((word, name)) = PREFIXES.iter().find(|(prefix, _)| *prefix == head)
            && let Some(at) = TASK_TYPES.iter().position(|t| t == name)
        {
            self.raise(at, PREFIX_WEIGHT);
            self.seen.push((at, format!("{word}:")));
        }
    }

    fn unspaced(&mut self, folded: &str, share: u32) {
        if !folded.chars().any(is_unspaced) {
            return;
        }
        let mut rest = folded.to_owned();
        for (word, (of, weight)) in &LEXICON.anywhere {
            let mut places = rest.match_indices(word.as_str());
            let meant = places.any(|(place, _)| {
                let before = rest.get(..place).unwrap_or_default();
                let behind = rest.get(place + word.len()..).unwrap_or_default();
                !UNSPACED_NOT.iter().any(|it| before.ends_with(it))
                    && !UNSPACED_WITHOUT.iter().any(|it| behind.starts_with(it))
            });
            if meant {
                self.raise(*of, weight.div_ceil(share));
                self.seen.push((*of, word.clone()));
                // A part of a longer word says nothing of its own.
                rest = rest.replace(word.as_str(), " ");
            }
        }
    }

    fn raise(&mut self, at: usize, by: u32) {
        if let Some(score) = self.by_type.get_mut(at) {
            *score += by;
        }
    }

    /// Adds to one type.
    pub fn add(&mut self, name: &str, by: u32) {
        if let Some(at) = TASK_TYPES.iter().position(|t| *t == name) {
            self.raise(at, by);
        }
    }

    /// The best type, its score, and the second best score.
    pub fn best(&self) -> Option<(&'static str, u32, u32)> {
        let (at, best) = self
            .by_type
            .iter()
            .copied()
            .enumerate()
            .rev()
            .max_by_key(|(_, score)| *score)?;
        let second = self
            .by_type
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, score)| *score)
            .max()
            .unwrap_or(0);
        (best >= LEAST).then(|| {
            (
                TASK_TYPES.get(at).copied().unwrap_or("unknown"),
                best,
                second,
            )
        })
    }

    /// `text:<type>:<word>`.
    pub fn signals(&self) -> Vec<String> {
        self.seen
            .iter()
            .take(MAX_SIGNALS)
            .map(|(of, word)| {
                format!(
                    "text:{}:{word}",
                    TASK_TYPES.get(*of).copied().unwrap_or_default()
                )
            })
            .collect()
    }

    /// Every type with a score.
    pub fn breakdown(&self) -> BTreeMap<&'static str, u32> {
        let all = TASK_TYPES.iter().copied().zip(self.by_type);
        all.filter(|(_, score)| *score > 0).collect()
    }
}

/// The start of `text` that is read.
fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT))
        .unwrap_or_default()
}

/// Returns true if a word can be the verb of a request for something else than a mending.
fn orders(word: &str) -> bool {
    let found = LEXICON.look(word);
    let other = |(of, weight): Meaning| weight >= 2 && TASK_TYPES.get(of) != Some(&"bug_fixing");
    found.is_some_and(other) && !tells(word) && !is_thing(word)
}

/// Returns the meaning of a word together with its second part, which stands further on.
fn parted(words: &[&str], at: usize) -> Option<Meaning> {
    let parts = LEXICON.parted.get(*words.get(at)?)?;
    let behind = words.iter().skip(at + 1).take(MAX_GAP);
    let mut found = behind.filter_map(|word| parts.iter().find(|(last, _)| last == word));
    found.next().map(|(_, meaning)| *meaning)
}

/// Returns true if a word stands where a further order begins.
fn begins_order(words: &[&str], clauses: &[usize], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    clauses.binary_search(&at).is_ok() || before.is_some_and(|word| FURTHER.contains(word))
}

/// Returns true if what is said with `taken` words is said not to be meant: "don't fix anything".
fn is_negated(words: &[&str], at: usize, taken: usize) -> bool {
    let before = |back: usize| words.get(at.checked_sub(back)?).copied();
    let is = |word: Option<&str>, of: &[&str]| word.is_some_and(|it| of.contains(&it));
    is(before(1), NOT_NEXT)
        || is(before(1), NOT_NEAR)
        || is(before(2), NOT_NEAR)
        || is(words.get(at + taken).copied(), NOTHING)
}

/// Returns true if a word is forbidden, not only missing: nothing of the clause is to be done then.
fn forbids(words: &[&str], at: usize) -> bool {
    let before = words.get(at.saturating_sub(2)..at).unwrap_or_default();
    let does = before
        .iter()
        .any(|it| matches!(*it, "don't" | "dont" | "never"));
    does || before == ["do", "not"]
}

/// Returns true if an English verb says what something does ("it drops the rest") and asks for nothing.
fn tells(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

/// Returns true if there is a word and it begins with one of `beginnings`.
fn word_starts(word: Option<&str>, beginnings: &[&str]) -> bool {
    word.is_some_and(|w| beginnings.iter().any(|b| w.starts_with(b)))
}

/// The longest phrase at `at`: how many words, and what it means. The last word may be a stem.
fn phrase(words: &[&str], at: usize) -> Option<(usize, Option<Meaning>)> {
    if !LEXICON.firsts.contains(*words.get(at)?) {
        return None;
    }
    (2..=MAX_PHRASE).rev().find_map(|count| {
        let text = words.get(at..at + count)?.join(" ");
        if let Some(found) = LEXICON.words.get(&text) {
            return Some((count, Some(*found)));
        }
        let last = words.get(at + count - 1)?.len();
        let found = (text.len() - last + 2..=text.len())
            .rev()
            .find_map(|end| LEXICON.stems.get(text.get(..end)?))?;
        Some((count, Some(*found)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        for line in include_str!("task_type/words.txt").lines() {
            assert!(
                line.trim().is_empty() || line.starts_with('#') || meaning(line).is_some(),
                "{line}"
            );
        }
        assert_eq!(TASK_TYPES.len(), TaskScores::default().by_type.len());
    }
}
