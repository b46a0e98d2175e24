//! Extracts the remaining work from an agent's message.

use aictx_proto::text::sentences;

use aictx_proto::text::shorten;

/// Most steps taken from one message.
const MAX_STEPS: usize = 3;
/// Longest step, in characters.
const MAX_STEP: usize = 160;
/// Longest message that is looked at, in bytes; what is left stands at its end.
const MAX_MESSAGE: usize = 16 * 1024;

/// Heads of what is left, before a colon: of a list below it or of the rest of their line.
const HEADS: &[&str] = &[
    "next",
    "next step",
    "next steps",
    "next up",
    "todo",
    "to do",
    "to-do",
    "still to do",
    "left to do",
    "remaining",
    "remaining work",
    "open points",
    "still open",
    "follow-up",
    "follow-ups",
    "siguiente paso",
    "siguientes pasos",
    "próximo paso",
    "próximos pasos",
    "pendiente",
    "pendientes",
    "falta",
    "nächster schritt",
    "nächste schritte",
    "als nächstes",
    "noch zu tun",
    "offen",
    "noch offen",
    "prochaine étape",
    "prochaines étapes",
    "reste à faire",
    "próximo passo",
    "próximos passos",
    "下一步",
    "待办",
    "还需要",
    "次のステップ",
    "残り",
    "残作業",
];

/// Phrases that mark a sentence about remaining work.
const SAID: &[&str] = &[
    "still to do",
    "left to do",
    "still to be done",
    "remains to be",
    "remain to be",
    "still needs ",
    "still need ",
    "still has to",
    "still have to",
    "yet to be",
    "the next step is",
    "queda por",
    "quedan por",
    "falta por",
    "todavía falta",
    "aún falta",
    "noch zu tun",
    "fehlt noch",
    "fehlen noch",
    "steht noch aus",
    "stehen noch aus",
    "muss noch",
    "müssen noch",
    "reste à ",
    "restent à ",
    "ainda falta",
    "还没有",
    "还需要",
    "まだ残って",
];

/// Answers to the question what is left that name nothing.
const NOTHING: &[&str] = &[
    "none", "nothing", "n/a", "-", "nada", "ninguno", "nichts", "rien", "无", "なし",
];

/// The steps that a message says are still to do, in its order, each once.
///
/// Time is linear in the message, of which the last 16 KiB are looked at.
pub(crate) fn next_steps(message: &str) -> Vec<String> {
    let from = message.ceil_char_boundary(message.len().saturating_sub(MAX_MESSAGE));
    let mut found: Vec<String> = Vec::new();
    let mut in_list = false;
    for line in message.get(from..).unwrap_or_default().lines() {
        let (bare, is_item) = unmarked(line);
        if bare.is_empty() {
            continue;
        }
        if in_list && is_item {
            add(&mut found, bare);
            continue;
        }
        let head = bare.split_once([':', '：']);
        in_list = head.is_some_and(|(head, rest)| is_head(head) && unmarked(rest).0.is_empty())
            || head.is_none() && line.trim_start().starts_with('#') && is_head(bare);
        match head {
            Some((head, rest)) if is_head(head) => add(&mut found, unmarked(rest).0),
            _ => clauses(bare).for_each(|sentence| match sentence.split_once([':', '：']) {
                Some((head, rest)) if is_head(head) => add(&mut found, rest.trim()),
                _ if is_said(sentence) => add(&mut found, sentence),
                _ => {}
            }),
        }
    }
    found
}

fn add(found: &mut Vec<String>, step: &str) {
    let is_nothing = |step: &str| {
        let step = step.trim_end_matches(['.', '!', '。']).to_lowercase();
        step.is_empty() || NOTHING.contains(&step.as_str())
    };
    let step = shorten(step, MAX_STEP);
    if found.len() < MAX_STEPS && !is_nothing(&step) && !found.contains(&step) {
        found.push(step);
    }
}

fn is_head(text: &str) -> bool {
    let text = unmarked(text).0.to_lowercase();
    HEADS.contains(&text.as_str())
}

fn is_said(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase();
    SAID.iter().any(|words| sentence.contains(words))
}

/// A line without the marks of Markdown, and whether it is an item of a list.
fn unmarked(line: &str) -> (&str, bool) {
    let line = line.trim();
    let bullet = line
        .strip_prefix(['-', '*', '•', '+'])
        .filter(|rest| rest.starts_with(' '));
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = numbered
        .strip_prefix(['.', ')'])
        .filter(|_| numbered.len() < line.len());
    let item = bullet.or(numbered);
    let text = item
        .unwrap_or(line)
        .trim()
        .trim_start_matches(['#', '>', ' ']);
    let text = ["[ ] ", "[x] "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    (text.trim_matches(['*', '_', ' ']), item.is_some())
}

/// Sentences and clauses between semicolons.
fn clauses(line: &str) -> impl Iterator<Item = &str> {
    let clauses = sentences(line).flat_map(|sentence| sentence.split(['；', ';']));
    clauses.map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_found_in_what_was_said() {
        for (message, steps) in [
            (
                "Implemented the greeting; exclamation mark is still to do",
                &["exclamation mark is still to do"][..],
            ),
            ("All done, tests pass.", &[]),
            (
                "Fixed. Next step: run the migration on staging.",
                &["run the migration on staging."],
            ),
            (
                "Done.\n\n**Next steps:**\n- ask the DBA for rights\n- rerun migrate.py\n\nThanks!",
                &["ask the DBA for rights", "rerun migrate.py"],
            ),
            (
                "## Next steps\n1. Add paging\n2) Document it",
                &["Add paging", "Document it"],
            ),
            ("Remaining: none.", &[]),
            (
                "The parser works. The printer still needs escaping. Ship it?",
                &["The printer still needs escaping."],
            ),
            (
                "Listo. Queda por traducir el menú.",
                &["Queda por traducir el menú."],
            ),
            ("Fertig; die Doku fehlt noch.", &["die Doku fehlt noch."]),
            ("修好了。下一步：补充测试", &["补充测试"]),
            ("What comes next: we will see", &[]),
            ("", &[]),
        ] {
            assert_eq!(next_steps(message), steps, "{message}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_message_is_read(message in "(?s).{0,200}") {
            proptest::prop_assert!(next_steps(&message).len() <= MAX_STEPS);
        }
    }
}
