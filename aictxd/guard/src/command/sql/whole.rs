//! Reads several statements as a whole: what they make themselves, define and call, or take
//! back.

use super::super::Tier;
use super::MAX_WORDS;
use super::statement::worst_inside;

/// The temporary table that a statement makes, in lower case. Another may have been there: then a client
/// goes on behind the error, and what is dropped is what was there.
pub(super) fn made_by(statement: &str) -> Option<String> {
    let mut words = statement.split_ascii_whitespace().take(8);
    let is = |word: &str, list: &[&str]| list.iter().any(|one| word.eq_ignore_ascii_case(one));
    words.next().filter(|first| is(first, &["create"]))?;
    let mut temporary = false;
    let what = words.find(|word| {
        temporary |= is(word, &["temp", "temporary"]);
        !is(word, &["temp", "temporary", "local", "global"])
    })?;
    let name = words
        .next()
        .filter(|name| temporary && is(what, &["table"]) && !is(name, &["if"]))?;
    let name = name.split('(').next()?.trim_matches(['"', '`', '[', ']']);
    Some(name.to_ascii_lowercase())
}

/// Returns true if a statement only takes from tables of these names.
pub(super) fn is_of(statement: &str, made: &[String]) -> bool {
    if made.is_empty() && !statement.contains('#') {
        return false;
    }
    let words = statement
        .split_whitespace()
        .take(8)
        .map(str::to_ascii_lowercase);
    let words: Vec<String> = words.collect();
    let verbs = [
        "alter", "drop", "table", "if", "exists", "delete", "from", "truncate", "update",
    ];
    let at = words
        .iter()
        .position(|word| !verbs.contains(&word.as_str()))
        .unwrap_or(words.len());
    // `t, users` and `t ,users` are two.
    let mut object = String::new();
    for word in words.get(at..).unwrap_or_default() {
        let more = object.is_empty() || object.ends_with(',') || word.starts_with(',');
        if !more {
            break;
        }
        object.push_str(word);
    }
    // `#name` is a temporary table of SQL Server.
    let own = |name: &str| {
        let name = name.trim_matches(['"', '`', '[', ']']);
        !name.is_empty() && (name.starts_with('#') || made.iter().any(|made| made == name))
    };
    let begins = words
        .first()
        .is_some_and(|first| verbs.contains(&first.as_str()));
    begins && !object.is_empty() && object.split(',').all(own)
}

/// Returns the tier of a function that the same text defines and calls.
pub(super) fn called_function(text: &str) -> Option<(Tier, &'static str)> {
    if !text.contains('$') {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let (_, rest) = lower
        .split_once("function ")
        .or_else(|| lower.split_once("procedure "))?;
    let (name, rest) = rest.split_once('(')?;
    let name = name.trim();
    // `$$ … $$`, `$body$ … $body$`
    let (_, rest) = rest.split_once('$')?;
    let (tag, rest) = rest.split_once('$')?;
    let (body, after) = rest.split_once(&format!("${tag}$"))?;
    let called = !name.is_empty() && after.contains(&format!("{name}("));
    let words = |piece: &str| -> Vec<String> {
        let words = piece.split_whitespace().take(MAX_WORDS);
        words.map(str::to_ascii_uppercase).collect()
    };
    let pieces = body.split(';').filter(|_| called).take(64);
    pieces
        .filter_map(|piece| worst_inside(&words(piece)))
        .max_by_key(|(tier, _)| *tier)
}

/// One transaction, and its end is that nothing happened. Elsewhere some statements end one.
pub(super) fn is_taken_back(client: &str, text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || c == ';');
    let words: Vec<&str> = words
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .collect();
    let is = |word: &&str, one: &str| word.eq_ignore_ascii_case(one);
    let says = |at: Option<&&str>, list: &[&str]| {
        at.is_some_and(|word| list.iter().any(|one| is(word, one)))
    };
    let noise = ["TRANSACTION", "TRAN", "WORK"];
    let opened = says(words.first(), &["BEGIN"])
        || (says(words.first(), &["START"]) && says(words.get(1), &["TRANSACTION"]));
    let mut ends = words
        .iter()
        .rev()
        .skip_while(|word| noise.iter().any(|one| is(word, one)));
    let closed = says(ends.next(), &["ROLLBACK"]);
    // There, such a statement ends the transaction before it begins.
    let defines = |word: &&str| {
        ["DROP", "ALTER", "TRUNCATE", "CREATE", "RENAME"]
            .iter()
            .any(|one| is(word, one))
    };
    let keeps = matches!(
        client,
        "psql" | "sqlite3" | "pgcli" | "litecli" | "sqlcmd" | "cockroach"
    ) || !words.iter().any(defines);
    opened
        && closed
        && keeps
        && !text.contains('\\')
        && words.iter().filter(|word| is(word, "ROLLBACK")).count() == 1
        && !words.iter().skip(1).any(|word| {
            [
                "COMMIT", "END", "BEGIN", "PROGRAM", "DO", "PREPARE", "ABORT",
            ]
            .iter()
            .any(|one| is(word, one))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_here_is_nobodys_yet() {
        for (made, takes, own) in [
            ("CREATE TEMP TABLE t AS SELECT 1", "DROP TABLE t", true),
            (
                "create temporary table t(id int)",
                "delete from t where id < 0",
                true,
            ),
            (
                "create temp table t (id int)",
                "drop table if exists T",
                true,
            ),
            (
                "create temp table if not exists t (id int)",
                "drop table t",
                false,
            ),
            ("create table t (id int)", "drop table t", false),
            ("create temp table t (id int)", "drop table t, users", false),
            ("create temp table t (id int)", "drop table t ,users", false),
            ("create temp table t (id int)", "drop table users", false),
            ("create temp view t as select 1", "drop view t", false),
        ] {
            let names: Vec<String> = made_by(made).into_iter().collect();
            assert_eq!(is_of(takes, &names), own, "{made}; {takes}");
        }
        assert!(is_of("DROP TABLE #work", &[]));
    }

    #[test]
    fn one_transaction_that_ends_with_nothing() {
        for (client, text, back) in [
            ("psql", "BEGIN; DROP TABLE x; ROLLBACK;", true),
            ("mysql", "START TRANSACTION; DELETE FROM x; ROLLBACK;", true),
            ("sqlcmd", "BEGIN TRAN; DELETE FROM x; ROLLBACK TRAN;", true),
            ("mysql", "START TRANSACTION; DROP TABLE x; ROLLBACK;", false),
            (
                "psql",
                "BEGIN; DELETE FROM x; COMMIT; BEGIN; ROLLBACK;",
                false,
            ),
            ("psql", "DELETE FROM x; ROLLBACK;", false),
            (
                "psql",
                "BEGIN; SELECT 1; ROLLBACK; DROP TABLE x; ROLLBACK;",
                false,
            ),
        ] {
            assert_eq!(is_taken_back(client, text), back, "{client}: {text}");
        }
    }
}
