//! From tokens to clauses: the language, the meanings of words, and where clauses end.

use aictx_proto::fold::is_unspaced;

use super::clause_continuation;
use super::language_idioms;
use super::lexicon::{LANGUAGES, Language, Meaning, PACKS, Packs};
use super::tokenizer::{Break, Kind, Token};
use super::word_class::{Class, Set};

/// One thing in a clause.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) set: Set,
    pub(super) span: (usize, usize),
    /// The path, or the word in its folded form.
    pub(super) text: String,
}

impl Item {
    pub(super) fn has(&self, class: Class) -> bool {
        self.set.has(class)
    }
}

/// A clause.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    pub(super) items: Vec<Item>,
    /// In a sentence that ends with a question mark.
    pub(super) question: bool,
    /// Depends on a condition that stood before it.
    pub(super) conditional: bool,
    /// True for reported speech.
    pub(super) reported: bool,
    /// True if this clause begins a sentence.
    pub(super) opens: bool,
    ends_with: Option<Break>,
}

impl Clause {
    /// Every meaning in it.
    pub(super) fn all(&self) -> Set {
        self.items
            .iter()
            .fold(Set::NONE, |all, item| all.with(item.set))
    }

    /// "Could you add a test": an order in the form of a question.
    pub(super) fn asks_for_work(&self) -> bool {
        let work = Set::of(Class::Fix)
            .with(Set::of(Class::Add))
            .with(Set::of(Class::Make))
            .with(Set::of(Class::Edit));
        let all = self.all();
        all.has(Class::Ask) && all.meets(work)
    }
}

/// A token with what its word can mean in each language.
struct Looked {
    kind: Kind,
    span: (usize, usize),
    meaning: Meaning,
}

/// The language of the message; `None` when no pack knows enough of it.
pub(super) fn clauses(tokens: Vec<Token>) -> (Option<Language>, Vec<Clause>) {
    let mut looked: Vec<Looked> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let meaning = match &token.kind {
            Kind::Word(word) => PACKS.word(word),
            _ => Meaning::new(),
        };
        looked.push(Looked {
            kind: token.kind,
            span: token.span,
            meaning,
        });
    }
    let Some(language) = language(&looked) else {
        return (None, Vec::new());
    };
    let items = items(&looked, language);
    let mut clauses = split(items);
    for clause in &mut clauses {
        language_idioms::apply(clause, language);
    }
    if language == Language::ENGLISH {
        language_idioms::leave_as_is(&mut clauses);
    }
    (Some(language), clauses)
}

/// Of this many words a language must know one to be believed.
const KNOWN_SHARE: u32 = 5;

/// Chooses by script, else by how many words a pack knows.
fn language(looked: &[Looked]) -> Option<Language> {
    let mut unspaced = false;
    for token in looked {
        if let Kind::Unspaced(text) = &token.kind {
            unspaced = true;
            if text
                .chars()
                .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}'))
            {
                return Language::from_code("ja");
            }
        }
    }
    if unspaced {
        return Language::from_code("zh");
    }
    // Per language: how well it fits, and how many words it knows.
    let mut scores = [(0_u32, 0_u32); LANGUAGES];
    let mut words = 0_u32;
    let plain: Vec<&str> = looked
        .iter()
        .map(|t| match &t.kind {
            Kind::Word(word) => word.as_str(),
            _ => "",
        })
        .collect();
    for (at, token) in looked.iter().enumerate() {
        let Kind::Word(word) = &token.kind else {
            continue;
        };
        words += 1;
        let alone = token.meaning.len() == 1;
        for (language, _) in &token.meaning {
            if let Some(score) = scores.get_mut(language.index()) {
                score.0 += if alone { 3 } else { 2 };
                score.1 += 1;
            }
        }
        let next = plain.get(at + 1..).unwrap_or_default();
        let next = next
            .get(..Packs::max_phrase().min(next.len()))
            .unwrap_or_default();
        for (length, meaning) in PACKS.phrases(word, next) {
            for (language, _) in meaning {
                if let Some(score) = scores.get_mut(language.index()) {
                    score.0 += u32::try_from(length).unwrap_or(1);
                    score.1 += u32::from(token.meaning.is_empty());
                }
            }
        }
    }
    if words == 0 {
        return Some(Language::ENGLISH);
    }
    let best = scores.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
    let chosen =
        Language::all().find(|l| scores.get(l.index()).is_some_and(|(fit, _)| *fit == best))?;
    // Enough of the words must be known, or a stray name decides.
    let known = scores.get(chosen.index()).map_or(0, |(_, known)| *known);
    (known > 0 && (words < 4 || known * KNOWN_SHARE >= words)).then_some(chosen)
}

/// Content of the message between two breaks.
pub(super) enum Piece {
    Item(Item),
    Break(Break),
}

fn items(looked: &[Looked], language: Language) -> Vec<Piece> {
    let plain: Vec<&str> = looked
        .iter()
        .map(|t| match &t.kind {
            Kind::Word(word) => word.as_str(),
            _ => "\n",
        })
        .collect();
    let mut pieces = Vec::with_capacity(looked.len());
    let mut at = 0;
    while let Some(token) = looked.get(at) {
        at += 1;
        let item = |set, text: &str| {
            Piece::Item(Item {
                set,
                span: token.span,
                text: text.to_owned(),
            })
        };
        match &token.kind {
            Kind::Break(kind) => pieces.push(Piece::Break(*kind)),
            Kind::Path(path) => pieces.push(item(Set::of(Class::Path), path)),
            Kind::Command(text) if runs_checks(text) => {
                let set = Set::of(Class::Opaque).with(Set::of(Class::Test));
                pieces.push(item(set, ""));
            }
            Kind::Opaque | Kind::Command(_) => pieces.push(item(Set::of(Class::Opaque), "")),
            Kind::Number => pieces.push(item(Set::of(Class::Number), "")),
            Kind::Unspaced(text) => unspaced(text, token.span, language, &mut pieces),
            Kind::Word(word) => {
                let next = plain.get(at..).unwrap_or_default();
                let next = next
                    .get(..Packs::max_phrase().min(next.len()))
                    .unwrap_or_default();
                let phrase = PACKS
                    .phrases(word, next)
                    .find_map(|(length, meaning)| Some((length, meant(meaning, language)?)));
                if let Some((length, set)) = phrase {
                    let end = looked
                        .get(at + length - 2)
                        .map_or(token.span.1, |t| t.span.1);
                    pieces.push(Piece::Item(Item {
                        set,
                        span: (token.span.0, end),
                        text: String::new(),
                    }));
                    at += length - 1;
                } else {
                    let mut set = meant(&token.meaning, language).unwrap_or(Set::NONE);
                    if language == Language::ENGLISH && word.len() > 4 && word.ends_with("ing") {
                        set = set.with(Set::of(Class::Ing));
                    }
                    if language == Language::ENGLISH && word.len() > 4 && word.ends_with("ed") {
                        set = set.with(Set::of(Class::Past));
                    }
                    pieces.push(item(set, word));
                }
            }
        }
    }
    pieces
}

/// Returns true if code is a command that runs checks: `cargo test -p core`.
fn runs_checks(text: &str) -> bool {
    let mut words = text.split_whitespace().take(4);
    let is_check = |word: &str| {
        let meaning = PACKS.word(word);
        meant(&meaning, Language::ENGLISH).is_some_and(|set| set.has(Class::Test))
    };
    let plain = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.:/@=".contains(&b))
    };
    text.split_whitespace().all(plain) && words.any(is_check)
}

/// Returns the meaning of a word in `language`; people mix English in, so its words count everywhere.
fn meant(meaning: &Meaning, language: Language) -> Option<Set> {
    let of = |l: Language| {
        meaning
            .iter()
            .find(|(known, _)| *known == l)
            .map(|(_, set)| *set)
    };
    of(language).or_else(|| of(Language::ENGLISH))
}

/// Cuts text without blanks into the words the pack knows, longest first; what lies between them
/// is one unknown word.
fn unspaced(text: &str, span: (usize, usize), language: Language, out: &mut Vec<Piece>) {
    let mut at = 0;
    let mut unknown = 0;
    // "A はいじらないで": behind a path a word goes on.
    let goes_on = matches!(out.last(), Some(Piece::Item(_)));
    let place = |from: usize, to: usize| (span.0 + from, (span.0 + to).min(span.1));
    let mut push = |from: usize, to: usize, set: Set| {
        if let Some(word) = text.get(from..to)
            && !word.is_empty()
        {
            out.push(Piece::Item(Item {
                set,
                span: place(from, to),
                text: word.to_owned(),
            }));
        }
    };
    while let Some(c) = text.get(at..).and_then(|t| t.chars().next()) {
        match PACKS.unspaced(text.get(at..).unwrap_or_default(), language) {
            Some((len, set))
                if is_unspaced(c)
                    && (at == 0 && !goes_on || !is_answer(text.get(at..at + len))) =>
            {
                push(unknown, at, Set::NONE);
                push(at, at + len, set);
                at += len;
                unknown = at;
            }
            _ => at += c.len_utf8(),
        }
    }
    push(unknown, at, Set::NONE);
}

/// Japanese words that answer, at the beginning only: in "それはいじらない" は and い belong to others.
fn is_answer(word: Option<&str>) -> bool {
    matches!(word, Some("はい" | "いや" | "ええ" | "うん"))
}

/// Verbs and words with which a new clause can begin after "and".
const OPENERS: Set = Set::of(Class::Edit)
    .with(Set::of(Class::EditNo))
    .with(Set::of(Class::Add))
    .with(Set::of(Class::Run))
    .with(Set::of(Class::Neg))
    .with(Set::of(Class::Stop))
    .with(Set::of(Class::StopX))
    .with(Set::of(Class::Fix))
    .with(Set::of(Class::Undo))
    .with(Set::of(Class::Cont))
    .with(Set::of(Class::Skip))
    .with(Set::of(Class::Use))
    .with(Set::of(Class::CheckV))
    .with(Set::of(Class::Switch))
    .with(Set::of(Class::Do))
    .with(Set::of(Class::Leave))
    .with(Set::of(Class::Keep))
    .with(Set::of(Class::Publish))
    .with(Set::of(Class::Risky))
    .with(Set::of(Class::Extend))
    .with(Set::of(Class::May))
    .with(Set::of(Class::Ask))
    .with(Set::of(Class::Need))
    .with(Set::of(Class::QAsk))
    .with(Set::of(Class::Make))
    .with(Set::of(Class::HandsOff))
    .with(Set::of(Class::Careful))
    .with(Set::of(Class::NoNeed))
    .with(Set::of(Class::Wait))
    .with(Set::of(Class::Only));
/// Words that may stand between "and" and the verb.
const BETWEEN: Set = Set::of(Class::Polite)
    .with(Set::of(Class::Also))
    .with(Set::of(Class::Then))
    .with(Set::of(Class::Fill));
fn split(pieces: Vec<Piece>) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut open = Clause {
        opens: true,
        ..Clause::default()
    };
    let mut sentence = 0;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Item(item) => {
                let last = open.items.last();
                let cut = !open.items.is_empty()
                    && (item.has(Class::But) && matches!(pieces.get(at + 1), Some(Piece::Item(_)))
                        || (item.has(Class::Then)
                            && !last.is_some_and(|l| l.has(Class::And) || l.has(Class::But)))
                        || clause_continuation::sets_apart(&pieces, at, &open)
                        || ((item.has(Class::And) || item.text == "so")
                            && opens_clause(&pieces, at + 1))
                        || (item.has(Class::Ask)
                            && !clause_continuation::only_excepts(&open)
                            && matches!(pieces.get(at + 1), Some(Piece::Item(_)))
                            && !last.is_some_and(|l| l.set.meets(super::rules::LEAD))));
                if cut {
                    close(&mut open, None, &mut clauses);
                }
                open.items.push(item.clone());
            }
            Piece::Break(Break::Comma) if clause_continuation::lists(&pieces, at + 1, &open) => {}
            Piece::Break(Break::Colon)
                if clause_continuation::lists_only(&pieces, at + 1, &open) => {}
            Piece::Break(kind) => {
                close(&mut open, Some(*kind), &mut clauses);
                if *kind == Break::Question {
                    ask(clauses.get_mut(sentence..).unwrap_or_default());
                }
                if !matches!(kind, Break::Comma | Break::Colon) {
                    sentence = clauses.len();
                    open.opens = true;
                }
            }
        }
    }
    close(&mut open, None, &mut clauses);
    mark(&mut clauses);
    clauses
}

/// Marks the clauses of a sentence that ends with a question mark. "…, ok?" asks nothing, and of "add this,
/// what port is it?" only the second does.
fn ask(sentence: &mut [Clause]) {
    let tag = Set::of(Class::Yes)
        .with(Set::of(Class::Good))
        .with(Set::of(Class::Polite))
        .with(Set::of(Class::Fill));
    let asks = |clause: &Clause| {
        let first = clause.items.iter().find(|i| !i.set.meets(BETWEEN));
        first.is_some_and(|i| i.has(Class::Q) && !i.has(Class::If))
    };
    let orders = |clause: &Clause| {
        let first = clause
            .items
            .iter()
            .find(|i| !i.set.meets(super::rules::LEAD));
        first.is_some_and(|i| {
            [
                Class::Add,
                Class::Edit,
                Class::Fix,
                Class::Make,
                Class::Run,
                Class::Use,
            ]
            .iter()
            .any(|class| i.has(*class))
        })
    };
    let Some((last, before)) = sentence.split_last_mut() else {
        return;
    };
    // "Nothing in A should change, ok?", without the comma.
    let limits = |i: &Item| i.has(Class::Neg) || i.has(Class::Nothing) || i.has(Class::HandsOff);
    let changes = |i: &Item| i.has(Class::Edit) || i.has(Class::EditNo) || i.has(Class::HandsOff);
    let ends = last.items.last().is_some_and(|i| i.has(Class::Yes));
    let says = |test: &dyn Fn(&Item) -> bool| last.items.iter().any(test);
    if ends && says(&limits) && says(&changes) && !asks(last) {
        return;
    }
    let short = last.items.len() <= 2 && last.items.iter().all(|i| i.set.meets(tag));
    if short && !before.is_empty() {
        return;
    }
    last.question = true;
    let only_last = asks(last);
    // "The upload hangs, can you have a look?": how things are, and a request.
    let requests = last.items.iter().any(|i| i.has(Class::Ask));
    for clause in before {
        let states = requests && !asks(clause) && clause.all().has(Class::Bug);
        clause.question = !(only_last && orders(clause) || states);
    }
}

fn close(open: &mut Clause, how: Option<Break>, clauses: &mut Vec<Clause>) {
    if open.items.is_empty() {
        return;
    }
    let mut clause = std::mem::take(open);
    clause.ends_with = how;
    clauses.push(clause);
}

/// Returns true if a verb follows, perhaps after courtesies.
fn opens_clause(pieces: &[Piece], from: usize) -> bool {
    pieces
        .iter()
        .skip(from)
        .take(4)
        .find_map(|piece| match piece {
            Piece::Item(item) if item.set.meets(OPENERS) => Some(true),
            Piece::Item(item) if item.set.meets(BETWEEN) => None,
            _ => Some(false),
        })
        .unwrap_or(false)
}

/// Carries conditions and reports over to the clause they govern.
fn mark(clauses: &mut [Clause]) {
    let mut conditional = false;
    let mut reported = false;
    for clause in clauses {
        if clause.opens {
            (conditional, reported) = (false, false);
        }
        clause.conditional = conditional || clause.items.iter().any(|i| i.has(Class::If));
        clause.reported = reported;
        let comma = matches!(clause.ends_with, Some(Break::Comma | Break::Colon));
        let first = clause
            .items
            .iter()
            .find(|i| !i.set.meets(BETWEEN) && !i.has(Class::And));
        conditional = comma && first.is_some_and(|i| i.has(Class::If));
        let colon = matches!(clause.ends_with, Some(Break::Colon));
        // "Add a note to A: do not edit by hand".
        let words = colon && super::product_requirement::announces_words(clause);
        let says = comma && clause.items.last().is_some_and(|i| i.has(Class::Say));
        reported = reported || says || words;
    }
}
