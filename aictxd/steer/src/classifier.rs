//! A model that has learnt from labelled messages what each class sounds like.
//!
//! Rules know what they were told; people say things in ways that nobody has told them. The model
//! (logistic regression over words and pieces of words, trained by `build.rs` from `model/messages/`)
//! guesses where rules are silent or unsure, and outvotes them where it is sure. It has no say in
//! which paths are meant.

use aictx_steer_model::features::{BUCKETS, CLASSES, features, softmax};

use super::intent_label::Label;
use super::request_kind::word_count;

static MODEL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/steer.model"));

/// Trust in a rule beside the model's probability, by the rule's weight. Fitted on
/// messages that neither the rules nor the model had seen.
const TRUST: &[(u8, f32)] = &[(97, 1.0), (86, 0.4), (76, 0.25), (50, 0.1)];
/// Bonus for a message of at most so many words, of which the model hears little.
const FEW_WORDS: (usize, f32) = (4, 0.3);
/// Least trust in a rule where work is asked for politely: such messages look like questions.
const POLITE: f32 = 0.55;
/// Without a rule, in a language no pack knows, the model must be as sure as this.
const SURE: f32 = 0.6;
/// It is not heeded at all below this, in any language: "dunno, perhaps" is a bit of everything.
const LEAST: f32 = 0.2;
/// Nothing stops or limits the work on the model's word alone unless it is as sure as this and no
/// rule of [`BINDING`] weight says otherwise; and no rule that does is outvoted. A row of words
/// says little of who says them and whether they are denied.
const SURE_TO_BIND: f32 = 0.5;
/// The same for a message of few words, which may be no more than the name of a thing.
const SURE_OF_FEW: f32 = 0.8;
const BINDING: u8 = 80;
/// Weight from which a rule's label stands, however few its words are.
const KNOWN: u8 = 60;

/// The model's guess.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guess {
    /// Label of the message.
    pub(super) label: Label,
    /// Its probability, 0 to 1.
    pub(super) probability: f32,
}

/// Ruling on a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ruling {
    /// Their label.
    pub(super) label: Label,
    /// The weight of the rule it comes from; 0 for none.
    pub(super) weight: u8,
    /// True if its language has a pack.
    pub(super) understood: bool,
    /// True if it names paths. What is to become of those, rules alone decide.
    pub(super) names_paths: bool,
    /// True if it asks for work in the form of a question: "could you add a test?"
    pub(super) asks_for_work: bool,
    /// True if it says what a part of the product has to do: "only the owner should edit posts". No such words limit
    /// or stop the agent's own work.
    pub(super) of_product: bool,
}

/// Returns the model's label of `text`, if it outweighs the rules.
///
/// Time is linear in the first kilobytes of the text.
pub(super) fn outvotes(text: &str, ruling: Ruling) -> Option<Guess> {
    let is_short = word_count(text) <= FEW_WORDS.0;
    let trust = TRUST
        .iter()
        .find_map(|(least, trust)| (ruling.weight >= *least).then_some(*trust))
        .map_or(0.0, |trust| {
            trust + if is_short { FEW_WORDS.1 } else { 0.0 }
        });
    let polite =
        ruling.asks_for_work && matches!(ruling.label, Label::Task | Label::NewRequirement);
    let trust = if polite { trust.max(POLITE) } else { trust };
    let sure_to_bind = if is_short { SURE_OF_FEW } else { SURE_TO_BIND };
    let probabilities = probabilities(text);
    let of = |name| {
        let mut classes = CLASSES.iter().zip(probabilities);
        classes.find_map(|(class, p)| (*class == name).then_some(p))
    };
    let (name, probability) = CLASSES
        .iter()
        .zip(probabilities)
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let label = Label::from_name(name)?;
    let binds = |label| matches!(label, Label::Cancellation | Label::ScopeConstraint);
    let product = ruling.of_product && ruling.label == Label::NewRequirement;
    let left_to_rules = match label {
        Label::ScopeConstraint => ruling.names_paths || product,
        Label::Cancellation => product,
        Label::Unknown => ruling.weight >= KNOWN,
        Label::Question => polite,
        _ => false,
    };
    let wins = label != ruling.label
        && !binds(ruling.label)
        && !left_to_rules
        && probability > of(ruling.label.name()).unwrap_or(0.0) + trust
        && (ruling.understood || probability >= SURE)
        && probability >= LEAST
        && (!binds(label) || (ruling.weight < BINDING && probability >= sure_to_bind));
    wins.then_some(Guess { label, probability })
}

fn probabilities(text: &str) -> [f32; CLASSES.len()] {
    let (weights, numbers) = MODEL
        .split_at_checked(BUCKETS * CLASSES.len())
        .unwrap_or_default();
    let (numbers, _) = numbers.as_chunks::<4>();
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let unit = numbers.next().unwrap_or_default();
    let (rows, _) = weights.as_chunks::<{ CLASSES.len() }>();
    let mut scores = [0.0; CLASSES.len()];
    for (bucket, value) in features(text) {
        if let Some(row) = rows.get(bucket as usize) {
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += value * f32::from(weight.cast_signed());
            }
        }
    }
    for (score, bias) in scores.iter_mut().zip(numbers) {
        *score = *score * unit + bias;
    }
    softmax(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_label() {
        for name in CLASSES {
            assert_eq!(Label::from_name(name).map(Label::name), Some(name));
        }
        assert_eq!(
            MODEL.len(),
            BUCKETS * CLASSES.len() + 4 * (1 + CLASSES.len())
        );
    }

    #[test]
    fn probabilities_add_up_for_whatever_text() {
        for text in [
            "",
            " ",
            "?",
            "停",
            "👍🏽",
            "\u{0}\u{fffd}",
            &"ab ".repeat(9_000),
            &"é".repeat(9_001),
        ] {
            let sum: f32 = probabilities(text).iter().sum();
            assert!((sum - 1.0).abs() < 1e-4, "{text:?}: {sum}");
        }
    }
}
