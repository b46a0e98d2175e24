//! The language packs: which words mean what.
//!
//! A pack is a text file: `CLASS: word word_of_phrase pre*`. `_` joins the words of a phrase, `*`
//! ends a prefix that stands for every word it begins, or begins an ending. Words of a language that is written without
//! blanks are matched longest first.

use std::collections::HashMap;
use std::sync::LazyLock;

use aictx_proto::fold::{fold, is_unspaced};

use super::word_class::{Class, Set, class};

/// Code of each language and its pack. Among languages that fit equally well the first wins.
const SOURCES: &[(&str, &str)] = &[
    ("en", include_str!("packs/en.txt")),
    ("es", include_str!("packs/es.txt")),
    ("fr", include_str!("packs/fr.txt")),
    ("de", include_str!("packs/de.txt")),
    ("pt", include_str!("packs/pt.txt")),
    ("zh", include_str!("packs/zh.txt")),
    ("ja", include_str!("packs/ja.txt")),
    ("it", include_str!("packs/it.txt")),
    ("nl", include_str!("packs/nl.txt")),
    ("pl", include_str!("packs/pl.txt")),
    ("ru", include_str!("packs/ru.txt")),
    ("uk", include_str!("packs/uk.txt")),
    ("tr", include_str!("packs/tr.txt")),
    ("ca", include_str!("packs/ca.txt")),
    ("ar", include_str!("packs/ar.txt")),
    ("hi", include_str!("packs/hi.txt")),
    ("ko", include_str!("packs/ko.txt")),
];

/// Number of languages.
pub(super) const LANGUAGES: usize = SOURCES.len();
/// Longest phrase of a pack, in words.
const MAX_PHRASE: usize = 8;
/// Shortest and longest prefix entry, in bytes.
const PREFIX: std::ops::RangeInclusive<usize> = 3..=24;

/// Meanings of the last part of a compound.
const THINGS: Set = Set::of(Class::Part)
    .with(Set::of(Class::AreaN))
    .with(Set::of(Class::Test))
    .with(Set::of(Class::Dir))
    .with(Set::of(Class::Way))
    .with(Set::of(Class::StratNeg));

/// A language, as an index into the packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Language(u8);

impl Language {
    /// English, whose words count in every language: people mix it in.
    pub(super) const ENGLISH: Self = Self(0);

    /// Its two-letter code.
    pub(super) fn code(self) -> &'static str {
        SOURCES
            .get(usize::from(self.0))
            .map_or("und", |(code, _)| code)
    }

    /// The language with this code.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        let at = SOURCES.iter().position(|(c, _)| *c == code)?;
        u8::try_from(at).ok().map(Self)
    }

    /// Every language, in order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..LANGUAGES).filter_map(|i| u8::try_from(i).ok().map(Self))
    }

    /// Its place in the order.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Meaning of an entry, by language. Few languages share a word.
pub(super) type Meaning = Vec<(Language, Set)>;

/// A phrase, keyed by its first word.
struct Phrase {
    rest: Vec<String>,
    meaning: Meaning,
}

/// All packs, merged.
pub(super) struct Packs {
    words: HashMap<String, Meaning>,
    prefixes: HashMap<String, Meaning>,
    suffixes: HashMap<String, Meaning>,
    phrases: HashMap<String, Vec<Phrase>>,
    unspaced: HashMap<String, Meaning>,
    longest_unspaced: usize,
}

/// The packs, read at first use.
pub(super) static PACKS: LazyLock<Packs> = LazyLock::new(Packs::read);

impl Packs {
    fn read() -> Self {
        let mut packs = Self {
            words: HashMap::new(),
            prefixes: HashMap::new(),
            suffixes: HashMap::new(),
            phrases: HashMap::new(),
            unspaced: HashMap::new(),
            longest_unspaced: 0,
        };
        for (language, (_, source)) in Language::all().zip(SOURCES) {
            for line in source.lines() {
                if let Some((class, words)) = split_line(line) {
                    for word in words.split_whitespace() {
                        packs.insert(language, class, word);
                    }
                }
            }
        }
        for phrases in packs.phrases.values_mut() {
            phrases.sort_by_key(|p| std::cmp::Reverse(p.rest.len()));
        }
        packs
    }

    fn insert(&mut self, language: Language, class: Class, word: &str) {
        let folded = fold(word);
        self.insert_folded(language, class, &folded);
        // German without umlauts: `aendern` is `ändern`.
        if language.code() == "de" && word.contains(['ä', 'ö', 'ü']) {
            let spelt = word
                .replace('ä', "ae")
                .replace('ö', "oe")
                .replace('ü', "ue");
            self.insert_folded(language, class, &fold(&spelt));
        }
        for spelt in as_typed(&folded, language) {
            self.insert_folded(language, class, &spelt);
        }
        if language.code() == "ja" {
            for spelt in slurred(&folded) {
                for done in contracted(&spelt) {
                    self.insert_folded(language, class, &done);
                }
                self.insert_folded(language, class, &spelt);
            }
            for spelt in contracted(&folded) {
                self.insert_folded(language, class, &spelt);
            }
        }
    }

    fn insert_folded(&mut self, language: Language, class: Class, word: &str) {
        if word.chars().next().is_some_and(is_unspaced) {
            self.longest_unspaced = self.longest_unspaced.max(word.chars().count());
            add(
                self.unspaced.entry(word.to_owned()).or_default(),
                language,
                class,
            );
        } else if let Some(suffix) = word.strip_prefix('*') {
            let meaning = self.suffixes.entry(suffix.to_owned()).or_default();
            add(meaning, language, class);
        } else if let Some(prefix) = word.strip_suffix('*') {
            add(
                self.prefixes.entry(prefix.to_owned()).or_default(),
                language,
                class,
            );
        } else if let Some((first, rest)) = word.split_once('_') {
            let rest: Vec<String> = rest.split('_').map(str::to_owned).collect();
            let phrases = self.phrases.entry(first.to_owned()).or_default();
            match phrases.iter_mut().find(|p| p.rest == rest) {
                Some(phrase) => add(&mut phrase.meaning, language, class),
                None => {
                    let mut meaning = Meaning::new();
                    add(&mut meaning, language, class);
                    phrases.push(Phrase { rest, meaning });
                }
            }
        } else {
            add(
                self.words.entry(word.to_owned()).or_default(),
                language,
                class,
            );
        }
    }

    /// Returns the meaning of a single word; per language an exact entry hides the prefixes.
    pub(super) fn word(&self, word: &str) -> Meaning {
        let mut meaning = self.words.get(word).cloned().unwrap_or_default();
        for end in PREFIX {
            let Some(prefix) = word.get(..end) else {
                if end > word.len() {
                    break;
                }
                continue;
            };
            for (language, set) in self.prefixes.get(prefix).into_iter().flatten() {
                match meaning.iter_mut().find(|(l, _)| l == language) {
                    // A longer prefix knows better than a shorter one.
                    Some((_, known)) if !self.words.contains_key(word) => *known = *set,
                    Some(_) => {}
                    None => meaning.push((*language, *set)),
                }
            }
        }
        if meaning.is_empty() {
            meaning = PREFIX
                .rev()
                .filter_map(|len| word.get(word.len().checked_sub(len)?..))
                .find_map(|suffix| self.suffixes.get(suffix))
                .cloned()
                .unwrap_or_default();
        }
        if meaning.is_empty()
            && let Some((_, last)) = word.rsplit_once('-')
        {
            // A compound is what its last part is, as far as that is a thing: `Backend-Teil`.
            let known = self.words.get(last).into_iter().flatten();
            meaning.extend(
                known
                    .filter(|(_, set)| THINGS.meets(*set))
                    .map(|(l, set)| (*l, THINGS.both(*set))),
            );
        }
        meaning
    }

    /// Phrases that begin with `first` and go on with `next`, longest first: how many words each
    /// takes and what it means.
    pub(super) fn phrases<'p, 'w>(
        &'p self,
        first: &str,
        next: &'w [&'w str],
    ) -> impl Iterator<Item = (usize, &'p Meaning)> + use<'p, 'w> {
        self.phrases
            .get(first)
            .into_iter()
            .flatten()
            .filter(move |p| {
                next.len() >= p.rest.len() && p.rest.iter().zip(next).all(|(a, b)| a == b)
            })
            .map(|p| (p.rest.len() + 1, &p.meaning))
    }

    /// The longest entry at the start of `text` that knows one of `languages`: its length in bytes and its meaning.
    pub(super) fn unspaced(&self, text: &str, language: Language) -> Option<(usize, Set)> {
        let ends: Vec<usize> = text
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take(self.longest_unspaced)
            .collect();
        ends.into_iter().rev().find_map(|end| {
            let meaning = self.unspaced.get(text.get(..end)?)?;
            let (_, set) = meaning.iter().find(|(l, _)| *l == language)?;
            Some((end, *set))
        })
    }

    /// Returns the most words of a phrase.
    pub(super) const fn max_phrase() -> usize {
        MAX_PHRASE
    }
}

/// Returns hasty spellings of a phrase: `u_can`, `thats_it`, French without its `ne`, German `nix`.
fn as_typed(phrase: &str, language: Language) -> Vec<String> {
    let words: Vec<&str> = phrase.split('_').collect();
    if words.len() < 2 {
        return Vec::new();
    }
    let each = |change: &dyn Fn(&str) -> String| {
        let typed = words.iter().map(|word| change(word));
        typed.collect::<Vec<_>>().join("_")
    };
    let mut typed = match language.code() {
        "en" => {
            let short = |word: &str| match word {
                "you" => "u".to_owned(),
                "your" => "ur".to_owned(),
                word => word.to_owned(),
            };
            let bare = |word: &str| word.replace('\'', "");
            vec![each(&short), each(&bare), each(&|word| bare(&short(word)))]
        }
        "fr" if matches!(words.last(), Some(&"pas" | &"plus" | &"rien")) => {
            let kept = words.iter().filter(|word| !matches!(**word, "ne" | "n"));
            let kept: Vec<&str> = kept.copied().collect();
            // "Ne pas" is left with nothing to negate.
            if kept.len() > 1 {
                vec![kept.join("_")]
            } else {
                Vec::new()
            }
        }
        "de" => vec![each(&|word| word.replace("nichts", "nix"))],
        _ => Vec::new(),
    };
    typed.retain(|spelt| spelt != phrase);
    typed.dedup();
    typed
}

/// Returns casual forms of Japanese words: いじらないで is いじんないで, 触るな is 触んな, 直っていない is 直ってない.
fn slurred(word: &str) -> Vec<String> {
    const SOUNDS: [(&str, &str); 8] = [
        ("らな", "んな"),
        ("るな", "んな"),
        ("ている", "てる"),
        ("ていな", "てな"),
        ("ていま", "てま"),
        ("でいる", "でる"),
        ("てしまう", "ちゃう"),
        ("ちょっと", "ちょい"),
    ];
    SOUNDS
        .iter()
        // Endings by themselves are no words.
        .filter(|(full, _)| word.contains(full) && word.chars().count() > full.chars().count() + 1)
        .map(|(full, slurred)| word.replace(full, slurred))
        .collect()
}

/// Returns contracted forms of a Japanese verb: 直して is also 直しておいて, 直しといて, 直しちゃって.
fn contracted(word: &str) -> Vec<String> {
    let ends: [&str; 3] = match word.chars().next_back() {
        Some('て') => ["ておいて", "といて", "ちゃって"],
        Some('で') if word.ends_with("んで") => ["でおいて", "どいて", "じゃって"],
        _ => return Vec::new(),
    };
    let mut stem = word.to_owned();
    stem.pop();
    if stem.is_empty() || stem.ends_with('く') {
        return Vec::new();
    }
    ends.map(|end| format!("{stem}{end}")).to_vec()
}

/// The class and the words of a line; `None` for blank lines, comments and unknown classes.
fn split_line(line: &str) -> Option<(Class, &str)> {
    let (name, words) = line.split_once(':')?;
    Some((class(name.trim())?, words))
}

fn add(meaning: &mut Meaning, language: Language, class: Class) {
    match meaning.iter_mut().find(|(l, _)| *l == language) {
        Some((_, set)) => *set = set.with(Set::of(class)),
        None => meaning.push((language, Set::of(class))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_pack_is_understood() {
        for (code, source) in SOURCES {
            for line in source.lines() {
                assert!(
                    line.trim().is_empty() || line.starts_with('#') || split_line(line).is_some(),
                    "{code}: {line}"
                );
                for word in line.split_whitespace().skip(1) {
                    assert!(word.split('_').count() <= MAX_PHRASE, "{code}: {word}");
                    if let Some(prefix) = word.strip_suffix('*') {
                        assert!(PREFIX.contains(&fold(prefix).len()), "{code}: {word}");
                    }
                }
            }
        }
    }
}
