//! Function words of languages other than English: they say nothing in a question, but some are names
//! in code or of locales, so they count as such only where the question is in their language.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{common, stem};

/// A question has as many different ones of its language at least.
const FEWEST: usize = 2;

/// By language; what means something in English or in code is left out.
static WORDS: &[&str] = &[
    // Spanish
    "a al algo ahora aquí así aun aunque con como cuando cuál cómo de del desde donde dónde e el ella en entonces \
     entre era es esa ese eso esta este esto está están fue ha hace hacia han hasta hay la las le les lo los más me mi \
     mis muy ni nos o os para pero por porque pues que qué quiero se sea ser si sí sin sobre solo son su sus también \
     tan te tiene todo toda todos todas tras tu tus un una uno unos unas y ya yo",
    // French
    "à au aux avec ce ces cela cet cette chez comme dans de des du elle en est et eux fait faut il ils je la le les \
     leur leurs lui ma mais mes moi mon même ne nos notre nous on ou où par pas pour qu quand que quel quelle qui quoi \
     sa sans se ses si soit son sont sous sur ta te tes toi ton tous tout toute très tu un une vos votre vous y être",
    // German
    "aber als also am an auch auf aus bei beim bin bis bitte da damit dann das dass dein deine dem den der des dich \
     diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch für \
     gegen hat hier ich ihm ihn ihr ihre im in ist jede jeden jeder jetzt kann kein keine man mehr mein meine mich mit \
     muss nach nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll sollte über um und uns unter \
     vom von vor wenn werden wie wieder wir wird zu zum zur zwischen",
    // Portuguese
    "a à agora ainda ao aos aqui as até com como da das de dela dele depois do dos e ela ele em entre era essa esse \
     esta este está estão eu foi isso isto já lhe mais mas me mesmo meu minha muito na nas nem no nos não nós o onde os \
     ou para pela pelo por porque quando que quem qual se sem ser seu seus só sua suas são também te tem teu todo toda \
     todos todas tu um uma umas uns você à às é",
];

static SETS: LazyLock<Vec<HashSet<&str>>> = LazyLock::new(|| {
    let set = |words: &&'static str| words.split_whitespace().collect();
    WORDS.iter().map(set).collect()
});

static STEMS: LazyLock<Vec<HashSet<String>>> = LazyLock::new(|| {
    let stems = |words: &HashSet<&str>| words.iter().map(|word| stem(word)).collect();
    SETS.iter().map(stems).collect()
});

/// The terms that say nothing in `text` because of the language that it is in; `None` for English, for
/// what cannot be told, and for languages without words of this kind here.
pub fn function_words(text: &str) -> Option<&'static HashSet<String>> {
    let lower = text.to_lowercase();
    let words: HashSet<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let (at, found) = SETS
        .iter()
        .map(|set| words.iter().filter(|word| set.contains(*word)).count())
        .enumerate()
        // Of languages with as many the first.
        .max_by_key(|(at, found)| (*found, std::cmp::Reverse(*at)))?;
    let english = words.iter().filter(|word| common::is_stop(word)).count();
    (found >= FEWEST && found > english)
        .then(|| STEMS.get(at))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_in_their_own_language_only() {
        for (text, silent) in [
            ("añade un límite a la resolución de dependencias", "de"),
            ("ajoute une limite de profondeur dans la résolution", "dans"),
            ("bau in die Auflösung eine Grenze für die Tiefe ein", "für"),
            ("adicione um limite na resolução das dependências", "das"),
        ] {
            let words = function_words(text).map(|w| w.contains(&stem(silent)));
            assert_eq!(words, Some(true), "{text}");
        }
        for text in [
            "Update translations for de",
            "fix es and pt locales in the docs",
            "Add a depth limit to the resolution of dependencies",
            "la",
            "",
            "修复登录",
        ] {
            assert!(function_words(text).is_none(), "{text}");
        }
    }
}
