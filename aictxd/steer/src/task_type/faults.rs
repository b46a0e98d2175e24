//! Statements that something is broken. Whatever it is about, tests, a cache, the documentation's build, it
//! is to be mended: such a statement outweighs what it speaks of.
//!
//! It takes a subject and a predicate, not within another order ("add a test that fails") and not under a
//! condition ("retry when the upload fails").

use aictx_proto::fold::is_unspaced;
use aictx_proto::text::sentences;

use super::orders;

/// Verbs of breaking, with one subject.
const FAILS: &[&str] = &[
    "fails",
    "crashes",
    "breaks",
    "panics",
    "hangs",
    "freezes",
    "segfaults",
    "deadlocks",
    "leaks",
    "misbehaves",
    "corrupts",
    "failed",
    "crashed",
    "broke",
    "panicked",
    "hung",
    "froze",
    // Spanish, French, German, Portuguese
    "falla",
    "fallan",
    "fallo",
    "rompe",
    "rompen",
    "cuelga",
    "cuelgan",
    "revienta",
    "echoue",
    "echouent",
    "plante",
    "plantent",
    "cassent",
    "falha",
    "falham",
    "falhou",
    "quebra",
    "quebram",
    "quebrou",
    "trava",
    "travam",
    "fehlschlagt",
    "fehlschlagen",
    "abgesturzt",
    "fehlgeschlagen",
];
/// The same with many, and after `can`: behind a word in the plural, or one that says how often.
const FAIL: &[&str] = &[
    "fail",
    "crash",
    "break",
    "panic",
    "hang",
    "freeze",
    "segfault",
    "leak",
    "misbehave",
];
const OFTEN: &[&str] = &[
    "still",
    "always",
    "also",
    "all",
    "both",
    "sometimes",
    "often",
    "randomly",
    "now",
    "again",
    "constantly",
    "occasionally",
    "consistently",
    "suddenly",
    "intermittently",
    "just",
];
/// Behind a form of `to be` and the like.
const BE: &[&str] = &[
    "is", "are", "was", "were", "am", "keeps", "keep", "gets", "get", "started", "starts", "comes",
    "looks", "seems", "be", "it's", "es", "esta", "estan", "est", "sont", "ist", "sind", "sao",
    "estao", "e", "sigue", "siguen",
];
const BROKEN: &[&str] = &[
    "failing",
    "crashing",
    "breaking",
    "broken",
    "wrong",
    "incorrect",
    "panicking",
    "hanging",
    "leaking",
    "corrupt",
    "corrupted",
    "stuck",
    "red",
    "garbled",
    "bust",
    "busted",
    "down",
    "roto",
    "rota",
    "rotos",
    "rotas",
    "fallando",
    "mal",
    "incorrecto",
    "incorrecta",
    "casse",
    "cassee",
    "casses",
    "cassees",
    "faux",
    "fausse",
    "kaputt",
    "rot",
    "defekt",
    "falsch",
    "quebrado",
    "quebrada",
    "quebrados",
    "quebradas",
    "falhando",
    "errado",
    "errada",
    "errados",
    "erradas",
];
/// Adjectives of bad results.
const BAD: &[&str] = &[
    "wrong",
    "incorrect",
    "corrupt",
    "corrupted",
    "garbage",
    "undefined",
    "nan",
    "stale",
    "incorrecto",
    "incorrecta",
    "incorrectos",
    "incorrectas",
    "equivocado",
    "equivocada",
    "equivocados",
    "equivocadas",
    "erroneo",
    "erronea",
    "erroneos",
    "erroneas",
    "incorreto",
    "incorreta",
    "incorretos",
    "incorretas",
    "errado",
    "errada",
    "errados",
    "erradas",
    "faux",
    "fausse",
    "fausses",
    "incorrecte",
    "incorrectes",
    "errone",
    "erronee",
    "errones",
    "erronees",
    "falsch",
    "falsche",
    "falschen",
    "falscher",
    "falsches",
    "fehlerhafte",
    "fehlerhaften",
];
/// Words of other languages for what something does with a result.
const GIVES: &[&str] = &[
    "devuelve",
    "devuelven",
    "muestra",
    "muestran",
    "guarda",
    "calcula",
    "da",
    "retorna",
    "retornam",
    "devolve",
    "devolvem",
    "mostra",
    "mostram",
    "salva",
    "renvoie",
    "renvoient",
    "retourne",
    "retournent",
    "affiche",
    "affichent",
    "calcule",
    "donne",
    "liefert",
    "liefern",
    "gibt",
    "geben",
    "zeigt",
    "zeigen",
    "berechnet",
    "speichert",
    "schreibt",
];
/// Predicates of several words.
const PHRASES: &[&str] = &[
    "does not work",
    "doesn't work",
    "doesnt work",
    "do not work",
    "don't work",
    "dont work",
    "not working",
    "stopped working",
    "stops working",
    "no longer works",
    "no longer work",
    "does nothing",
    "blows up",
    "blow up",
    "falls over",
    "goes down",
    "no funciona",
    "no funcionan",
    "no pasa",
    "no pasan",
    "da error",
    "dan error",
    "ne marche pas",
    "ne marche plus",
    "ne marchent pas",
    "ne marchent plus",
    "ne fonctionne pas",
    "ne fonctionne plus",
    "ne fonctionnent pas",
    "ne fonctionnent plus",
    "ne passe pas",
    "ne passe plus",
    "ne passent pas",
    "ne passent plus",
    "funktioniert nicht",
    "funktionieren nicht",
    "funktioniert nicht mehr",
    "geht nicht",
    "gehen nicht",
    "lauft nicht",
    "laufen nicht",
    "nao funciona",
    "nao funcionam",
    "nao passa",
    "nao passam",
    "da erro",
    "dao erro",
];
/// Predicates in two parts.
const PARTED: &[(&str, &str)] = &[
    ("schlagt", "fehl"),
    ("schlagen", "fehl"),
    ("schlug", "fehl"),
    ("sturzt", "ab"),
    ("sturzen", "ab"),
    ("bricht", "ab"),
    ("brechen", "ab"),
    ("geht", "kaputt"),
    ("gehen", "kaputt"),
];
/// Words behind which a fault is only thought of, or is the object of something else.
const UNDER: &[&str] = &[
    "when", "whenever", "if", "unless", "until", "that", "which", "who", "whose", "why", "how",
    "what", "where", "whether", "because", "so", "ensure", "ensures", "sure", "in case", "before",
    "after", "cuando", "si", "que", "quien", "como", "porque", "quand", "lorsque", "qui",
    "pourquoi", "comment", "wenn", "falls", "dass", "warum", "wieso", "weil", "wie", "ob", "damit",
    "quando", "se", "quem",
];
/// Those of them that say when.
const WHEN: &[&str] = &[
    "when", "whenever", "if", "cuando", "si", "quand", "lorsque", "wenn", "falls", "quando", "se",
];
/// Words that deny what follows.
const DENIED: &[&str] = &[
    "not", "never", "no", "nothing", "nobody", "none", "without", "don't", "doesn't", "didn't",
    "isn't", "aren't", "won't", "nunca", "nada", "rien", "jamais", "nie", "nichts", "nao", "sin",
    "sans", "ohne",
];
/// Words before an order.
const POLITE: &[&str] = &[
    "please", "can", "could", "would", "you", "we", "should", "need", "must", "to", "let's",
    "lets", "i", "want", "now", "then", "also", "and", "por", "favor", "bitte", "merci",
];
/// Words that follow a verb with an object.
const OBJECT: &[&str] = &[
    "the", "a", "an", "all", "every", "each", "our", "my", "your", "this", "these", "those", "its",
    "their", "some", "any", "it", "them", "new", "more", "better",
];
/// Verbs that are as often nouns: orders only with an object behind them.
const NOUNS: &[&str] = &[
    "cache",
    "test",
    "document",
    "refactor",
    "comment",
    "guide",
    "benchmark",
    "review",
    "report",
    "audit",
    "split",
    "move",
    "rewrite",
    "redesign",
    "rename",
    "support",
    "feature",
    "extract",
    "trace",
    "measure",
    "research",
    "mock",
    "fuzz",
    "drop",
    "estimate",
    "speed",
    "profile",
    "export",
    "import",
    "build",
    "show",
    "display",
    "convert",
    "reuse",
    "polish",
];
/// Without blanks: what says that something is broken, and what makes an order or a condition of it.
const UNSPACED: &[&str] = &[
    "失败",
    "挂了",
    "崩溃",
    "报错",
    "不通过",
    "没通过",
    "通不过",
    "出错",
    "坏了",
    "不工作",
    "无法运行",
    "失敗する",
    "失敗し",
    "落ちる",
    "落ちて",
    "落ちた",
    "落ちま",
    "壊れ",
    "通らな",
    "動かな",
    "動作しな",
    "クラッシュする",
    "クラッシュし",
    "エラーにな",
    "エラーが出",
];
const UNSPACED_WHEN: &[&str] = &["如果", "的时候", "时", "場合", "とき", "たら"];
const UNSPACED_ORDERS: &[&str] = &["写", "添加", "新增", "增加", "实现", "書い", "追加", "実装"];
const UNSPACED_OTHER: &[&str] = &[
    "编写",
    "写",
    "添加",
    "新增",
    "增加",
    "实现",
    "优化",
    "重构",
    "分析",
    "调查",
    "排查",
    "为什么",
    "怎么",
    "如何",
    "解释",
    "记录",
    "如果",
    "的时候",
    "时",
    "支持",
    "原因",
    "书",
    "書い",
    "書く",
    "追加",
    "実装",
    "最適化",
    "調べ",
    "調査",
    "なぜ",
    "教えて",
    "説明",
    "場合",
    "とき",
    "たら",
    "分析し",
    "対応",
    "記録",
];

/// Manner in which a text speaks of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Not at all, or as part of something else.
    None,
    /// It says that something is broken, before it orders anything else.
    Stated,
    /// It orders something for when something is broken.
    Supposed,
}

/// Returns the manner in which a folded text speaks of a fault.
pub(super) fn fault(folded: &str) -> Fault {
    if folded.chars().any(is_unspaced) {
        let has = |words: &[&str]| words.iter().any(|word| folded.contains(word));
        return match (has(UNSPACED), has(UNSPACED_OTHER)) {
            (true, false) => Fault::Stated,
            (true, true) if has(UNSPACED_WHEN) && has(UNSPACED_ORDERS) => Fault::Supposed,
            _ => Fault::None,
        };
    }
    for sentence in sentences(folded) {
        for clause in sentence.split([',', ';', ':']) {
            let words: Vec<&str> = clause
                .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
                .map(|word| word.trim_matches(['\'', '-']))
                .filter(|word| !word.is_empty())
                .take(60)
                .collect();
            let found = predicate(&words);
            if begins_with_an_order(&words) {
                let before = words.get(..found.unwrap_or(0)).unwrap_or_default();
                let supposed = before.iter().any(|word| WHEN.contains(word));
                return match supposed && words.first() != Some(&"handle") {
                    true => Fault::Supposed,
                    false => Fault::None,
                };
            }
            if let Some(at) = found {
                let before = words.get(..at).unwrap_or_default();
                let near = before.get(at.saturating_sub(3)..).unwrap_or_default();
                let under = before.iter().any(|word| UNDER.contains(word));
                return match under || near.iter().any(|word| DENIED.contains(word)) {
                    true => Fault::None,
                    false => Fault::Stated,
                };
            }
            // A question, or a condition of what follows.
            if words.first().is_some_and(|word| UNDER.contains(word)) {
                return Fault::None;
            }
        }
    }
    Fault::None
}

fn begins_with_an_order(words: &[&str]) -> bool {
    let polite = words
        .iter()
        .take_while(|word| POLITE.contains(word))
        .count();
    let Some(verb) = words.get(polite) else {
        return false;
    };
    let object = words
        .get(polite + 1)
        .is_some_and(|word| OBJECT.contains(word));
    orders(verb) && (object || !NOUNS.contains(verb))
}

/// Returns the position of the predicate of a fault; never the first word.
fn predicate(words: &[&str]) -> Option<usize> {
    (1..words.len()).find(|at| {
        let word = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).copied();
        let here = word(0).unwrap_or_default();
        let before = word(1).unwrap_or_default();
        let behind = |count: usize| words.get(at + 1..).unwrap_or_default().iter().take(count);
        let article =
            |word: &str| matches!(word, "the" | "a" | "an" | "for" | "of" | "with" | "on");
        let many = before.ends_with('s') && before.len() > 2 && !is_verb(before)
            || OFTEN.contains(&before);
        let says = |phrase: &&str| {
            // Most begin with another word.
            if !phrase.starts_with(here) {
                return false;
            }
            let mut words = words.iter().skip(*at);
            phrase.split(' ').all(|part| words.next() == Some(&part))
        };
        FAILS.contains(&here) && !article(before)
            || FAIL.contains(&here) && many
            || BROKEN.contains(&here)
                && [1, 2]
                    .iter()
                    .any(|back| word(*back).is_some_and(|w| BE.contains(&w)))
            || BAD.contains(&here)
                && [1, 2, 3].iter().any(|back| word(*back).is_some_and(gives))
                && *at >= 2
            // "Stale cache bug": what it is called.
            || matches!(here, "bug" | "bugs" | "crash" | "regression") && at + 1 == words.len()
            || PARTED
                .iter()
                .any(|(first, last)| here == *first && behind(12).any(|word| word == last))
            || PHRASES.iter().any(says)
    })
}

fn gives(word: &str) -> bool {
    GIVES.contains(&word) || is_verb(word)
}

/// Returns true if an English word says what something does with one object: "returns", "showed".
fn is_verb(word: &str) -> bool {
    const VERBS: &[&str] = &[
        "return",
        "show",
        "remove",
        "delete",
        "display",
        "give",
        "use",
        "pick",
        "select",
        "print",
        "render",
        "produce",
        "report",
        "send",
        "save",
        "store",
        "write",
        "read",
        "load",
        "open",
        "compute",
        "calculate",
        "count",
        "match",
        "serve",
        "evict",
        "update",
        "get",
        "ha",
        "contain",
        "choose",
        "take",
        "yield",
        "emit",
        "set",
        "sort",
        "log",
        "generate",
        "fetch",
        "parse",
        "resolve",
        "drop",
    ];
    let stem = word.strip_suffix("es").or_else(|| word.strip_suffix('s'));
    let stem = stem.or_else(|| word.strip_suffix("ed"));
    let plain = word.strip_suffix('s').or_else(|| word.strip_suffix('d'));
    [stem, plain]
        .iter()
        .flatten()
        .any(|stem| VERBS.contains(stem))
}
