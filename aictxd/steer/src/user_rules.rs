//! Rules that users state: "remember: no microtime() in the queue", "from now on use pnpm".
//!
//! Only what is said in so many words, at the beginning of a sentence, counts: a rule that nobody made is
//! worse than one that is said again.

use aictx_proto::fold::is_unspaced_script;
use aictx_proto::text::{clean, sentences};

use crate::request_kind::word_count;

/// Longest message that is looked at: longer ones are pasted.
const MAX_MESSAGE: usize = 4_000;
/// Sentences kept of one message, and their length.
const MAX_KEPT: usize = 3;
const MAX_SENTENCE: usize = 400;
/// A sentence of fewer words says nothing.
const MIN_WORDS: usize = 3;

/// Most words between a title and its colon.
const MAX_TITLE: usize = 4;

/// Words that may stand before.
const BEFORE: &[&str] = &[
    "please",
    "ok",
    "okay",
    "good",
    "great",
    "thanks",
    "and",
    "also",
    "so",
    "but",
    "btw",
    "yes",
    "perfect",
    "por favor",
    "vale",
    "bien",
    "y",
    "bitte",
    "gut",
    "und",
    "also",
    "danke",
    "merci",
    "et",
    "bon",
    "s'il te plaît",
    "s'il vous plaît",
    "e",
    "ok,",
    "请",
    "好的",
    "では",
    "あと",
];

/// Phrases that announce a rule; they are left out of it.
const KEEP: &[&str] = &[
    "remember that",
    "remember this",
    "remember",
    "keep in mind that",
    "keep in mind",
    "bear in mind that",
    "bear in mind",
    "for the record",
    "for future reference",
    "note for the future",
    "for the future",
    "for future sessions",
    "decision",
    "convention",
    "new convention",
    "new rule",
    "rule",
    "project rule",
    "recuerda que",
    "recuerda",
    "ten en cuenta que",
    "ten presente que",
    "para el futuro",
    "decisión",
    "regla",
    "merk dir",
    "merke dir",
    "denk daran",
    "denke daran",
    "für die zukunft",
    "zur erinnerung",
    "entscheidung",
    "regel",
    "souviens-toi que",
    "souviens-toi",
    "rappelle-toi que",
    "rappelle-toi",
    "retiens que",
    "retiens",
    "garde en tête que",
    "pour l'avenir",
    "décision",
    "règle",
    "lembre-se de que",
    "lembre-se que",
    "lembre-se",
    "lembra que",
    "tenha em mente que",
    "tem em mente que",
    "para o futuro",
    "decisão",
    "regra",
    "请记住",
    "记住",
    "记得",
    "决定",
    "规则",
    "覚えておいて",
    "決定",
    "ルール",
];
/// Words of the list above that only count with a colon behind them.
const TITLES: &[&str] = &[
    "decision",
    "convention",
    "new convention",
    "new rule",
    "rule",
    "project rule",
    "remember this",
    "decisión",
    "regla",
    "entscheidung",
    "regel",
    "décision",
    "règle",
    "decisão",
    "regra",
    "决定",
    "规则",
    "決定",
    "ルール",
];
/// Phrases that are part of the rule.
const RULES: &[&str] = &[
    "from now on",
    "from here on",
    "going forward",
    "in future",
    "in the future",
    "as of now",
    "we decided",
    "we have decided",
    "we've decided",
    "we agreed",
    "the team decided",
    "the team agreed",
    "a partir de ahora",
    "de ahora en adelante",
    "desde ahora",
    "hemos decidido",
    "decidimos",
    "acordamos",
    "ab jetzt",
    "ab sofort",
    "von nun an",
    "künftig",
    "in zukunft",
    "wir haben entschieden",
    "wir haben beschlossen",
    "wir haben vereinbart",
    "à partir de maintenant",
    "désormais",
    "dorénavant",
    "nous avons décidé",
    "on a décidé",
    "a partir de agora",
    "de agora em diante",
    "daqui em diante",
    "combinamos",
    "从现在起",
    "从现在开始",
    "今后",
    "我们决定",
    "今後は",
    "これからは",
    "以後は",
];

/// The same, which says so wherever it stands: "use pnpm from now on".
const FROM_NOW_ON: &[&str] = &[
    "from now on",
    "from here on",
    "going forward",
    "a partir de ahora",
    "de ahora en adelante",
    "ab jetzt",
    "ab sofort",
    "von nun an",
    "à partir de maintenant",
    "dorénavant",
    "a partir de agora",
    "de agora em diante",
    "从现在起",
    "从现在开始",
    "今后",
    "今後は",
];
/// Beginnings that make a sentence a rule. What only reports ("always fails", "every new user gets an error")
/// begins otherwise, or is told apart by [`reports`] and [`holds_for_every`].
const STANDING: &[&str] = &[
    "never",
    "always",
    "don't ever",
    "do not ever",
    "i prefer it if you",
    "i prefer that you",
    "i want you to always",
    "i want you to never",
    "niemals",
    "nie wieder",
    "ne jamais",
    "以后",
    "永远不要",
];

/// Returns true where "never" or "always" reports instead of ordering: "never mind", "always fails", "never seen it".
fn reports(sentence: &str) -> bool {
    const PAST: &[&str] = &[
        "mind", "had", "been", "seen", "before", "again", "did", "got",
    ];
    let mut words = sentence.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let next = words.next().unwrap_or_default().to_lowercase();
    let next = next.trim_end_matches(|c: char| !c.is_alphanumeric());
    matches!(first.as_str(), "never" | "always")
        && (next.ends_with('s') && !matches!(next, "pass" | "process" | "address" | "access")
            || next.ends_with("ed")
            || PAST.contains(&next))
}

/// Words that make a sentence about each thing of a kind.
const EVERY: &[&str] = &[
    "every", "each", "all", "any", "jede", "jeder", "jedes", "alle", "cada", "todo", "toda",
    "todos", "todas", "chaque", "tout", "toute", "tous", "toutes",
];
/// Beginnings of nouns for what is made in a repository, in the supported languages. What users of
/// the product get ("every new customer gets a mail") is work to do, and no rule.
const MADE: &[&str] = &[
    "api", "archivo", "arquivo", "branch", "clas", "column", "command", "commit", "compon",
    "compos", "config", "datei", "dependen", "doc", "endpoint", "enum", "error", "feature",
    "fichier", "field", "file", "flag", "fonction", "func", "funktion", "função", "handler",
    "header", "hook", "job", "klasse", "kompon", "librar", "method", "migra", "model", "modul",
    "módul", "package", "page", "paket", "paquet", "pr", "pull", "quer", "release", "route",
    "schema", "script", "seite", "service", "string", "tabla", "table", "test", "type", "view",
    "widget", "workflow",
];
/// Words for "new": with one of them, what a thing gets is an order as well.
const NEW: &[&str] = &[
    "new",
    "neu",
    "neue",
    "neuer",
    "neues",
    "neuen",
    "nuevo",
    "nueva",
    "nuevos",
    "nuevas",
    "nouveau",
    "nouvel",
    "nouvelle",
    "nouveaux",
    "nouvelles",
    "novo",
    "nova",
    "novos",
    "novas",
];
/// Words that oblige.
const OBLIGES: &[&str] = &[
    "must",
    "should",
    "shall",
    "needs",
    "need",
    "requires",
    "require",
    "muss",
    "müssen",
    "soll",
    "sollen",
    "braucht",
    "brauchen",
    "debe",
    "deben",
    "necesita",
    "necesitan",
    "doit",
    "doivent",
    "deve",
    "devem",
    "precisa",
    "precisam",
];
/// Verbs of what something new is given.
const GETS: &[&str] = &[
    "gets",
    "get",
    "has",
    "have",
    "tiene",
    "tienen",
    "tem",
    "têm",
    "goes",
    "go",
    "comes",
    "come",
    "takes",
    "take",
    "lives",
    "live",
    "starts",
    "begins",
    "ends",
    "belongs",
    "bekommt",
    "bekommen",
    "kommt",
    "kommen",
    "gehört",
    "gehören",
    "lleva",
    "llevan",
    "va",
    "van",
    "recibe",
    "reciben",
    "reçoit",
    "reçoivent",
    "leva",
    "levam",
    "recebe",
    "recebem",
];
/// Most words between "every" and its verb.
const MAX_SUBJECT: usize = 6;

/// Returns true for "every new component gets a story", "all endpoints must check the token".
fn holds_for_every(sentence: &str) -> bool {
    let words = sentence.split_whitespace().take(MAX_SUBJECT + 2);
    let words = words.map(|word| word.to_lowercase());
    let words: Vec<String> = words.collect();
    let is = |word: &str, list: &[&str]| list.contains(&word);
    let Some((first, behind)) = words.split_first() else {
        return false;
    };
    let is_new = behind.first().is_some_and(|word| is(word, NEW))
        || behind.get(1).is_some_and(|word| is(word, NEW));
    let verb = behind
        .iter()
        .position(|word| is(word, OBLIGES) || is_new && is(word, GETS));
    let subject = verb.and_then(|at| behind.get(..at)).unwrap_or_default();
    let is_made = |word: &String| MADE.iter().any(|noun| word.starts_with(noun));
    is(first, EVERY) && subject.iter().any(is_made)
}

/// Phrases that limit it to the work at hand.
const PASSING: &[&str] = &[
    "for today",
    "only today",
    "just today",
    "for now",
    "for the moment",
    "for this task",
    "for this session",
    "in this session",
    "this time",
    "this once",
    "just once",
    "temporarily",
    "por hoy",
    "sólo hoy",
    "solo hoy",
    "por ahora",
    "de momento",
    "esta vez",
    "für heute",
    "nur heute",
    "vorerst",
    "fürs erste",
    "diesmal",
    "dieses mal",
    "pour aujourd'hui",
    "pour l'instant",
    "pour le moment",
    "cette fois",
    "por hoje",
    "só hoje",
    "por enquanto",
    "desta vez",
    "今天",
    "暂时",
    "这次",
    "这一次",
    "今日だけ",
    "今日は",
    "今回",
];
/// Words that make a rule of something to be done.
const ALWAYS: &[&str] = &[
    "always", "never", "every", "each", "siempre", "nunca", "cada", "immer", "nie", "jede",
    "toujours", "jamais", "chaque", "sempre", "每", "总是", "毎", "必ず",
];

/// Returns true if the rest of "remember to …" is one thing to be done, now: "to run the tests", "ejecutar los
/// tests".
fn is_errand(words: &str, told: &str) -> bool {
    let lower = told.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    // Verbs of Spanish and Portuguese in the form that follows "remember".
    let romance = ["recuerda", "lembr"]
        .iter()
        .any(|begin| words.starts_with(begin));
    let infinitive = romance
        && first.chars().count() > 4
        && ["ar", "er", "ir"].iter().any(|end| first.ends_with(end));
    let errand = matches!(first, "to" | "de" | "d'") || infinitive;
    errand && !ALWAYS.iter().any(|word| lower.contains(word))
}

/// The sentences of a message that its user wants to be remembered, without the words that say so.
pub fn rules_kept(message: &str) -> Vec<String> {
    rules(message, |_| true)
}

fn rules(message: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    if message.len() > MAX_MESSAGE {
        return out;
    }
    let mut fenced = false;
    for line in message.lines() {
        let start = line.trim_start();
        fenced ^= start.starts_with("```") || start.starts_with("~~~");
        // What is quoted or pasted was said by somebody else.
        if fenced || start.starts_with(['>', '|', '`', '+', '@', '$', '#', '<', '"']) {
            continue;
        }
        for sentence in sentences(start.trim_start_matches(['-', '*', ' '])) {
            if is_wanted(sentence.trim_start())
                && let Some(rule) = rule(sentence)
                && out.len() < MAX_KEPT
                && !out.contains(&rule)
            {
                out.push(rule);
            }
        }
    }
    out
}

/// Phrases that take a rule back; the rest says which.
const FORGET: &[&str] = &[
    "forget about the rule",
    "forget the rule",
    "forget the convention",
    "forget what i said about",
    "forget that",
    "drop the rule",
    "drop the convention",
    "ignore the rule",
    "scratch the rule",
    "scrap the rule about",
    "scrap the rule",
    "never mind the rule about",
    "olvida la regla",
    "olvida lo de",
    "olvida que",
    "vergiss die regel",
    "vergiss, dass",
    "vergiss das mit",
    "oublie la règle",
    "oublie que",
    "oublie ce que j'ai dit sur",
    "esquece a regra",
    "esqueça a regra",
    "esquece que",
    "esqueça que",
    "忘掉",
    "忘记",
    "忘れて",
];

/// Returns the words that name rules which a message takes back.
pub fn rules_taken_back(message: &str) -> Vec<String> {
    if message.len() > MAX_MESSAGE {
        return Vec::new();
    }
    let of_line = message
        .lines()
        .flat_map(|line| sentences(line.trim_start()));
    let which = of_line.filter_map(|sentence| {
        let rest = without_lead(sentence.trim());
        let longest = FORGET.iter().filter_map(|words| begins(rest, words));
        let (_, behind) = longest.max_by_key(|(words, _)| words.len())?;
        let which = behind.trim_matches(|c: char| !c.is_alphanumeric());
        (!which.is_empty()).then(|| clean(which, MAX_SENTENCE))
    });
    which.take(MAX_KEPT).collect()
}

/// Without words that may stand before.
fn without_lead(text: &str) -> &str {
    let mut rest = text;
    while let Some((_, behind)) = BEFORE.iter().find_map(|word| begins(rest, word)) {
        rest = behind.trim_start_matches([',', '.', '!', ':', ' ', '，', '、', '。']);
    }
    rest
}

fn rule(sentence: &str) -> Option<String> {
    let rest = without_lead(sentence.trim());
    if rest.ends_with(['?', '？']) {
        return None;
    }
    let lower = rest.to_lowercase();
    if PASSING.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let has = |words: &&&'static str| {
        let mut places = lower.match_indices(**words).map(|(at, _)| at);
        places.any(|at| is_bounded(&lower, at, words))
    };
    let is_standing = STANDING.iter().any(|words| begins(rest, words).is_some())
        && !reports(rest)
        && word_count(rest) > MIN_WORDS;
    let is_rule = RULES.iter().any(|words| begins(rest, words).is_some());
    let told = if is_standing
        || is_rule
        || holds_for_every(rest)
        || FROM_NOW_ON.iter().any(|words| has(&words))
    {
        rest
    } else {
        let longest = KEEP.iter().filter_map(|words| begins(rest, words));
        let (words, behind) = longest.max_by_key(|(words, _)| words.len())?;
        let behind = behind.trim_start();
        // "Decision with the team: …"
        let titled = TITLES
            .contains(&words)
            .then(|| behind.split_once(':'))
            .flatten();
        let titled = titled.filter(|(to, _)| word_count(to) <= MAX_TITLE);
        let behind = titled.map_or(behind, |(to, _)| behind.get(to.len()..).unwrap_or(behind));
        let colon = behind.starts_with([':', '：']);
        if !colon && (TITLES.contains(&words) || is_errand(words, behind)) {
            return None;
        }
        behind.trim_start_matches([':', '：', ',', '，', '-', '–', '—', ' '])
    };
    let told = told.trim_end_matches(['.', '!', '。', '！', ' ']);
    let words = word_count(told);
    // "Remember when …", "remember me": no rule.
    let idle = ["when ", "me", "the time", "how "]
        .iter()
        .any(|word| told.starts_with(word));
    (words >= MIN_WORDS && !idle).then(|| {
        let mut letters = clean(told, MAX_SENTENCE).chars().collect::<Vec<_>>();
        // The name of a file stays as it is.
        let named = told
            .split_whitespace()
            .next()
            .is_some_and(|w| w.contains(['.', '_', '/', '(', ':']));
        if let Some(first) = letters.first_mut().filter(|_| !named) {
            *first = first.to_uppercase().next().unwrap_or(*first);
        }
        letters.into_iter().collect()
    })
}

/// Returns true where words stand by themselves at a place of a text.
fn is_bounded(text: &str, at: usize, words: &str) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let behind = text
        .get(at + words.len()..)
        .and_then(|behind| behind.chars().next());
    let within = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced_script(c));
    !within(before) && !within(behind)
}

/// Words with which a decision is told.
const DECIDED: &[&str] = &[
    "decision",
    "decided",
    "agreed",
    "decisión",
    "decidi",
    "acord",
    "entscheid",
    "entschied",
    "beschl",
    "vereinbart",
    "décision",
    "décidé",
    "decisão",
    "决定",
    "決定",
    "決め",
];

/// The sentences of an agent's report that say what was decided.
pub fn decisions_told(report: &str) -> Vec<String> {
    rules(report, |sentence| {
        let begin: String = sentence.chars().take(24).collect();
        let begin = begin.to_lowercase();
        DECIDED.iter().any(|word| begin.contains(word))
    })
}

/// The words at the beginning, whatever their case, and what stands behind them.
fn begins<'t>(text: &'t str, words: &'static str) -> Option<(&'static str, &'t str)> {
    let mut rest = text.chars();
    for wanted in words.chars() {
        let found = rest.next()?;
        if found != wanted && !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let behind = rest.as_str();
    let spaced = words.chars().last().is_some_and(|c| !is_unspaced_script(c));
    (!spaced || !behind.starts_with(char::is_alphanumeric)).then_some((words, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn errands_and_what_holds_for_now_are_no_rules() {
        for message in [
            "Remember to run the tests",
            "remember to bump the version before you push",
            "Recuerda ejecutar los tests antes",
            "Lembre-se de rodar os testes",
            "Remember: only for today, skip the slow tests",
            "From now on, for this task, use the mock server",
            "Ab jetzt, nur heute, ohne Linter arbeiten",
        ] {
            assert_eq!(rules_kept(message), Vec::<String>::new(), "{message}");
        }
        for message in [
            "Remember to always run the tests in docker",
            "remember after a deploy the cache is cold",
        ] {
            assert_eq!(rules_kept(message).len(), 1, "{message}");
        }
    }

    #[test]
    fn what_is_to_be_remembered_is() {
        for (message, want) in [
            (
                "Good. Remember: we never use microtime() in the queue package; hrtime only.",
                "We never use microtime() in the queue package; hrtime only",
            ),
            (
                "please remember that config.toml is generated",
                "config.toml is generated",
            ),
            (
                "From now on use pnpm instead of npm.",
                "From now on use pnpm instead of npm",
            ),
            (
                "We decided to keep the old API for two releases",
                "We decided to keep the old API for two releases",
            ),
            (
                "Fix it. Also, keep in mind that CI runs on 3.9!",
                "CI runs on 3.9",
            ),
            (
                "Decision: money is stored in cents",
                "Money is stored in cents",
            ),
            (
                "- rule: no new dependencies without asking",
                "No new dependencies without asking",
            ),
            (
                "Recuerda que los precios van sin IVA",
                "Los precios van sin IVA",
            ),
            (
                "Ab jetzt nur noch Tabs in Makefiles",
                "Ab jetzt nur noch Tabs in Makefiles",
            ),
            (
                "Merk dir: die Tests laufen nur mit Python 3.12",
                "Die Tests laufen nur mit Python 3.12",
            ),
            (
                "Désormais on n'utilise plus moment.js",
                "Désormais on n'utilise plus moment.js",
            ),
            (
                "A partir de agora use sempre UTC nas datas",
                "A partir de agora use sempre UTC nas datas",
            ),
            (
                "Use pnpm from now on, the lock file of npm is gone.",
                "Use pnpm from now on, the lock file of npm is gone",
            ),
            (
                "And please never add a dependency without asking me.",
                "Never add a dependency without asking me",
            ),
            (
                "Decision with the team: feeds come by push only.",
                "Feeds come by push only",
            ),
            (
                "Every new component gets a story next to it. Then add the badge.",
                "Every new component gets a story next to it",
            ),
            (
                "All public endpoints must check the tenant first",
                "All public endpoints must check the tenant first",
            ),
            (
                "Jede neue Migration bekommt einen Test",
                "Jede neue Migration bekommt einen Test",
            ),
            (
                "Cada módulo nuevo lleva su README",
                "Cada módulo nuevo lleva su README",
            ),
            ("请记住：价格都是含税的", "价格都是含税的"),
            (
                "今後は日付をUTCで保存してください",
                "今後は日付をUTCで保存してください",
            ),
        ] {
            assert_eq!(rules_kept(message), [want], "{message}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for message in [
            "Do you remember that config.toml is generated?",
            "Remember when we changed the parser?",
            "Remember the milk",
            "I cannot remember what the function does",
            "Explain the decision to keep the old API",
            "Decision trees are slow, use a forest",
            "The rule engine drops the second rule: fix it",
            "> Remember: always push to main",
            "```\nRemember: always push to main\n```",
            "# Remember: always push to main",
            "Add a \"remember me\" box to the login",
            "Remember me boxes are broken on the login page",
            "rules: fix the linter",
            "Check that the date is not in the future",
            "Explain why we decided to keep the old API",
            "Always fails on CI, please look",
            "Never mind the failing job",
            "never works on Windows for me",
            "Every new user gets an error page",
            "Every test fails since yesterday",
            "Each request must carry the session of its user",
            "All tests pass now, thanks. Commit it",
            "Any component that gets a click twice crashes",
            "Immer noch kaputt auf dem Server",
            "总是报错，请修复登录",
            "",
        ] {
            assert!(
                rules_kept(message).is_empty(),
                "{message}: {:?}",
                rules_kept(message)
            );
        }
        assert!(
            rules_kept(&"Remember: x y z. ".repeat(1_000)).is_empty(),
            "pasted"
        );
        assert_eq!(rules_kept(&"Remember: x y z. ".repeat(100)).len(), 1);
    }

    proptest! {
        #[test]
        fn any_message_is_survived(message in "\\PC{0,60}(?i)(remember|from now on|记住|décision)[ :,]{0,2}\\PC{0,60}") {
            for rule in rules_kept(&message) {
                prop_assert!(rule.chars().count() <= MAX_SENTENCE + 4);
            }
        }
    }
}
