//! Calls whose names say that something goes away, whatever the library: `client.delete_topics(…)`,
//! `deleteRepo(…)`, `channel.queue_purge(…)`.

use super::super::Tier;

/// Calls of one program that are looked at.
const MAX_CALLS: usize = 512;
/// Longest name of a call.
const MAX_NAME: usize = 64;

/// Words that mean it wherever they stand in a name of several.
const STRONG: [&str; 7] = [
    "delete",
    "purge",
    "destroy",
    "wipe",
    "terminate",
    "expunge",
    "erase",
];
/// And with one of these behind them.
const DROP: [&str; 14] = [
    "table",
    "tables",
    "database",
    "databases",
    "db",
    "collection",
    "collections",
    "schema",
    "keyspace",
    "bucket",
    "topic",
    "topics",
    "stream",
    "all",
];
/// Names of one word that mean it, too.
const ALONE: [&str; 6] = [
    "expunge",
    "emptytrash",
    "flushall",
    "flushdb",
    "dropdatabase",
    "purge",
];
/// Names of things that are one among many, or not kept anywhere.
const ONE: [&str; 11] = [
    "item", "message", "key", "row", "one", "comment", "label", "record", "entry", "reaction",
    "webhook",
];
const FLEETING: [&str; 29] = [
    "if",
    "at",
    "cookie",
    "cookies",
    "duplicates",
    "na",
    "nulls",
    "null",
    "vars",
    "level",
    "column",
    "columns",
    "listener",
    "listeners",
    "event",
    "class",
    "element",
    "child",
    "children",
    "node",
    "nodes",
    "attribute",
    "attr",
    "property",
    "prefix",
    "suffix",
    "whitespace",
    "char",
    "line",
];
/// Words of which a name must hold one to promise anything.
pub(super) fn promising() -> impl Iterator<Item = &'static str> {
    STRONG.into_iter().chain(["drop", "trash", "flush"])
}

/// Words before a name that is only being given.
const GIVING: [&str; 6] = ["def", "function", "func", "fn", "sub", "fun"];

/// The worst that the calls of a program promise, and the name of the call; `run` is the program
/// without its literals.
pub(super) fn promised(run: &str) -> Option<(Tier, &str)> {
    let calls = run.match_indices('(').take(MAX_CALLS);
    calls
        .filter_map(|(at, _)| {
            let name = name_before(run.get(..at)?)?;
            Some((tier(name).filter(|_| !is_own(run, name))?, name))
        })
        .max_by_key(|(tier, _)| *tier)
}

/// Returns true if the program itself says what a call does: that is looked at where it stands.
pub(super) fn is_own(run: &str, name: &str) -> bool {
    ["def ", "function ", "fn ", "func "].iter().any(|giving| {
        let Some((before, body)) = run.split_once(&format!("{giving}{name}(")) else {
            return false;
        };
        // A body that calls something of the same name hands it on.
        let indent = |line: &str| line.len() - line.trim_start().len();
        let margin = indent(before.rsplit('\n').next().unwrap_or_default());
        let mut lines = body.lines();
        let first = lines.next().unwrap_or_default();
        let rest = lines.take_while(|line| line.trim().is_empty() || indent(line) > margin);
        let call = format!("{name}(");
        !first.contains(&call) && !rest.into_iter().any(|line| line.contains(&call))
    })
}

/// The name that a text ends with, if it is called and not defined there.
fn name_before(text: &str) -> Option<&str> {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let length = text
        .bytes()
        .rev()
        .take(MAX_NAME + 1)
        .take_while(|b| part(*b))
        .count();
    let (before, name) = text.split_at_checked(text.len() - length)?;
    let defined = GIVING.iter().any(|word| {
        let rest = before
            .strip_suffix(' ')
            .and_then(|before| before.strip_suffix(word));
        rest.is_some_and(|rest| !rest.ends_with(|last: char| last.is_alphanumeric()))
    });
    (!name.is_empty() && length <= MAX_NAME && !defined).then_some(name)
}

fn tier(name: &str) -> Option<Tier> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let lower = name.to_ascii_lowercase();
    if words.len() < 2 || lower == "emptytrash" {
        return ALONE.contains(&lower.as_str()).then_some(Tier::Destructive);
    }
    let drops = words.windows(2).any(|pair| match pair {
        [drop, what] => drop == "drop" && DROP.contains(&what.as_str()),
        _ => false,
    });
    if (!drops && !has(&STRONG)) || has(&FLEETING) {
        return None;
    }
    // What is handed to a call.
    let told = [
        "options", "request", "input", "params", "response", "result", "policy", "marker",
    ];
    if words
        .last()
        .is_some_and(|last| told.contains(&last.as_str()))
    {
        return None;
    }
    // `is_deleted(`, `on_delete(`, `should_purge(`: asked or told, not done.
    let asked = [
        "is", "on", "should", "can", "has", "before", "after", "assert", "test", "was",
    ];
    if words
        .first()
        .is_some_and(|first| asked.contains(&first.as_str()))
    {
        return None;
    }
    Some(if has(&ONE) {
        Tier::Risky
    } else {
        Tier::Destructive
    })
}

/// `deleteBucketPolicy` and `delete_bucket_policy` as words.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    for next in name.chars() {
        let starts = next.is_ascii_uppercase()
            && out.last().is_some_and(|word| {
                word.ends_with(|last: char| last.is_ascii_lowercase() || last.is_ascii_digit())
            });
        if next == '_' || starts {
            out.push(String::new());
        }
        if next != '_'
            && let Some(word) = out.last_mut()
        {
            // Case is kept until the whole word is there: it tells where the next one starts.
            word.push(next);
        }
    }
    out.retain(|word| !word.is_empty());
    out.iter_mut().for_each(|word| word.make_ascii_lowercase());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_goes_away() {
        for (program, want) in [
            ("a.delete_topics([  ])", Some(Tier::Destructive)),
            ("await gh.deleteRepo({})", Some(Tier::Destructive)),
            ("ch.queue_purge( )", Some(Tier::Destructive)),
            ("m.expunge()", Some(Tier::Destructive)),
            ("db.drop_collection( )", Some(Tier::Destructive)),
            ("t.delete_item(Key={})", Some(Tier::Risky)),
            ("df.drop_duplicates()", None),
            ("df.drop(columns=[])", None),
            ("def delete_user(id): pass", None),
            ("response.delete_cookie( )", None),
            ("if user.is_deleted(): print()", None),
            ("xs.remove(x)", None),
            ("truncate_text(s, 80)", None),
            ("client.V1DeleteOptions()", None),
        ] {
            assert_eq!(promised(program).map(|(tier, _)| tier), want, "{program}");
        }
    }
}
