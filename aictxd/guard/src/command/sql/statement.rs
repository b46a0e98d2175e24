//! Losses by single statements.

use super::super::Tier;
use super::MAX_WORDS;

/// Returns the tier of one statement.
pub(in super::super) fn statement_tier(statement: &str) -> Option<(Tier, &'static str)> {
    let start = statement.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let start = match start
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"))
    {
        Some((_, rest)) => rest.trim_start(),
        None => start,
    };
    // Almost every text is no statement at all; a comment may stand before one.
    let word = start.split(|c: char| !c.is_ascii_alphabetic()).next();
    if !start.starts_with("--")
        && !word.is_some_and(|word| STARTS.iter().any(|start| start.eq_ignore_ascii_case(word)))
    {
        return None;
    }
    let words: Vec<String> = start
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .take(MAX_WORDS)
        .map(str::to_ascii_uppercase)
        .collect();
    let at = |nth: usize| words.get(nth).map_or("", String::as_str);
    match at(0) {
        // It is only planned, unless it is analysed, too.
        explain if explain.starts_with("EXPLAIN") => {
            analysed(&words).and_then(|inner| taken(inner).or_else(|| worst_inside(inner)))
        }
        "WITH" | "DO" | "BEGIN" | "DECLARE" | "IF" | "EXEC" | "EXECUTE" | "MATCH" | "CALL"
        | "START" => worst_inside(&words),
        // What the table held is gone.
        "CREATE" if at(1) == "OR" && at(2) == "REPLACE" && at(3) == "TABLE" => {
            Some((Tier::Destructive, "CREATE OR REPLACE TABLE"))
        }
        "CREATE" => None,
        _ => taken(&words),
    }
}

/// Returns true if one statement changes what a database holds, however little.
pub(in super::super) fn writes(statement: &str) -> bool {
    const VERBS: &[&str] = &[
        "insert", "update", "delete", "merge", "replace", "upsert", "create", "alter", "drop",
        "truncate", "grant", "revoke", "comment", "rename", "load", "import", "restore", "refresh",
        "reindex",
    ];
    let is = |word: &str, verbs: &[&str]| verbs.iter().any(|verb| verb.eq_ignore_ascii_case(word));
    let lines = statement
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let mut words = words.filter(|word| !word.is_empty()).take(MAX_WORDS);
    let Some(first) = words.next() else {
        return false;
    };
    // What is defined before a `with` ends in may write, and so may what is copied from a file.
    is(first, VERBS)
        || (is(first, &["with"])
            && words.any(|word| is(word, &["insert", "update", "delete", "merge"])))
        || (is(first, &["copy"]) && words.any(|word| is(word, &["from"])))
}

/// The statement that an `EXPLAIN` runs in order to measure it.
fn analysed(words: &[String]) -> Option<&[String]> {
    let opened = words.first()?.contains('(') || words.get(1)?.starts_with('(');
    let from = if opened {
        1 + words.iter().position(|word| word.contains(')'))?
    } else {
        1
    };
    let options = words.get(..from.max(2))?.join(" ");
    let mut options = options
        .trim_start_matches("EXPLAIN")
        .split(['(', ')', ','])
        .map(str::trim);
    let runs = options.any(|option| {
        let mut words = option.split([' ', '=']);
        matches!(words.next(), Some("ANALYZE" | "ANALYSE"))
            && !matches!(words.next(), Some("OFF" | "FALSE" | "0"))
    });
    let inner = words.get(from..).filter(|_| runs)?;
    let verb = inner
        .iter()
        .position(|word| !matches!(word.as_str(), "ANALYZE" | "ANALYSE" | "VERBOSE"))?;
    inner.get(verb..)
}

/// First words of statements that take something away, or hold one that does.
const STARTS: &[&str] = &[
    "drop", "truncate", "delete", "update", "alter", "purge", "reset", "shutdown", "kill",
    "revoke", "remove", "detach", "explain", "with", "do", "begin", "declare", "if", "exec",
    "execute", "create", "match", "call", "start", "undrop", "wipe", "merge", "insert", "vacuum",
];

/// The worst statement that stands in another.
pub(super) fn worst_inside(words: &[String]) -> Option<(Tier, &'static str)> {
    let trimmed: Vec<String> = words
        .iter()
        .map(|word| {
            let word = word.trim_matches(['(', ')', '\'', '"', '`', ',', '$']);
            // `EXECUTE format('DROP TABLE …`
            let last = word.rsplit(['(', '\'', '"', '$']).next();
            last.unwrap_or_default().to_owned()
        })
        .filter(|word| !word.is_empty())
        .collect();
    (0..trimmed.len())
        .filter(|at| {
            trimmed.get(*at).is_some_and(|word| {
                matches!(word.as_str(), "DROP" | "TRUNCATE" | "DELETE" | "DETACH")
            })
        })
        .take(16)
        .filter_map(|at| taken(trimmed.get(at..)?))
        .max_by_key(|(tier, _)| *tier)
}

fn taken(words: &[String]) -> Option<(Tier, &'static str)> {
    let first = words.first()?.as_str();
    let second = words.get(1).map_or("", String::as_str);
    let says = |word: &str| words.iter().any(|said| said == word);
    match (first, second) {
        ("DROP", "USER") if says("CASCADE") => Some((Tier::Destructive, "DROP USER CASCADE")),
        (
            "DROP",
            "DATABASE" | "TABLE" | "SCHEMA" | "KEYSPACE" | "OWNED" | "TABLESPACE" | "COLLECTION"
            | "BUCKET" | "MEASUREMENT" | "SERIES" | "STREAM" | "WAREHOUSE" | "CATALOG" | "FOREIGN"
            | "SHARD" | "CONTAINER" | "PARTITION",
        ) => Some((Tier::Destructive, "DROP")),
        (
            "DROP",
            "INDEX" | "VIEW" | "COLUMN" | "USER" | "ROLE" | "FUNCTION" | "TYPE" | "SEQUENCE"
            | "MATERIALIZED" | "EXTENSION" | "TRIGGER" | "PROCEDURE" | "PROC" | "POLICY" | "DOMAIN"
            | "CONSTRAINT" | "TEMPORARY" | "TEMP" | "STAGE" | "TASK" | "PIPE" | "SERVER"
            | "PUBLICATION" | "SUBSCRIPTION" | "EVENT" | "RULE" | "LOGIN" | "RETENTION"
            | "CONTINUOUS" | "DICTIONARY" | "AGGREGATE",
        ) => Some((Tier::Risky, "DROP")),
        ("TRUNCATE", second) if !second.is_empty() => Some((Tier::Destructive, "TRUNCATE")),
        ("DETACH", "DELETE") => Some((Tier::Destructive, "DETACH DELETE")),
        ("MERGE", _) => says("DELETE").then_some((Tier::Destructive, "MERGE DELETE")),
        ("DELETE", "") => None,
        ("DELETE", second) if is_route(second) => None,
        ("DELETE", _) if is_bounded(words) => Some((Tier::Risky, "DELETE")),
        ("DELETE", _) => Some((Tier::Destructive, "DELETE without WHERE")),
        ("UPDATE", second) if !second.is_empty() && says("SET") => {
            (!is_bounded(words)).then_some((Tier::Destructive, "UPDATE without WHERE"))
        }
        ("ALTER", "TABLE") => {
            // What stood in a column stands nowhere else.
            let column = words
                .windows(2)
                .any(|pair| matches!(pair, [drop, column] if drop == "DROP" && column == "COLUMN"));
            if column
                || says("PARTITION") && (says("DROP") || says("TRUNCATE"))
                || says("DELETE") && !is_bounded(words)
            {
                Some((Tier::Destructive, "ALTER TABLE DROP"))
            } else {
                (says("DROP") || says("DELETE")).then_some((Tier::Risky, "ALTER TABLE DROP"))
            }
        }
        ("PURGE", "BINARY" | "MASTER" | "TABLE" | "RECYCLEBIN" | "DBA_RECYCLEBIN" | "INDEX")
        | ("RESET", "MASTER" | "SLAVE" | "REPLICA" | "BINARY")
        | ("REMOVE", "TABLE" | "DATABASE" | "NAMESPACE") => Some((Tier::Destructive, "PURGE")),
        ("INSERT", "OVERWRITE") => Some((Tier::Destructive, "INSERT OVERWRITE")),
        ("VACUUM", _) if says("RETAIN") && says("0") => Some((Tier::Destructive, "VACUUM")),
        ("KILL" | "DETACH" | "REVOKE", second) if !second.is_empty() => {
            Some((Tier::Risky, "REVOKE"))
        }
        _ => None,
    }
}

/// `DELETE /users/5`: a request, and no comment of a statement.
fn is_route(word: &str) -> bool {
    let first = word.strip_prefix('/').and_then(|rest| rest.chars().next());
    first.is_some_and(|first| first.is_alphanumeric() || matches!(first, ':' | '{' | '_'))
}

/// Returns true if a `WHERE` or `LIMIT` lets through less than everything.
fn is_bounded(words: &[String]) -> bool {
    let is_bound = |word: &String| matches!(word.as_str(), "WHERE" | "LIMIT");
    let Some(at) = words.iter().position(is_bound) else {
        return false;
    };
    let condition: Vec<&str> = words
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .map(|word| word.trim_matches(['(', ')', ',', '"']))
        .filter(|word| !word.is_empty())
        .take_while(|word| !matches!(*word, "RETURNING" | "ORDER" | "LIMIT"))
        .collect();
    // One of several that is always true is enough; of some that go together all must be.
    !condition
        .split(|word| *word == "OR")
        .any(|all| all.split(|word| *word == "AND").all(is_always_true))
}

/// Returns true if a condition lets through every row, or as good as every.
fn is_always_true(condition: &[&str]) -> bool {
    match condition {
        [] | ["TRUE" | "1"] | ["NOT", ..] => true,
        [_, "IS", "NOT", "NULL"] | [_, ">" | ">=", "0" | "-1"] | [_, "LIKE", "'%'"] => true,
        [left, "=", right] => left == right,
        [one] => {
            one.split_once('=')
                .is_some_and(|(left, right)| left == right)
                || [">0", ">=0", ">-1"].iter().any(|end| one.ends_with(end))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_inside_others_and_bounds() {
        let tier = |text: &str| statement_tier(text).map(|(tier, _)| tier);
        for text in [
            "drop table x",
            "/* all */ TRUNCATE x",
            "-- all of it\ndelete from x",
            "WITH a AS (SELECT 1) DELETE FROM x",
            "DO $$ BEGIN DROP TABLE x",
            "EXPLAIN ANALYZE DELETE FROM x",
            "DELETE x",
            "delete from x where 1 = 1",
            "delete from x where id > 0",
            "update x set a = 1",
            "ALTER TABLE x DROP PARTITION p",
            "MATCH (n) DETACH DELETE n",
            "alter table x drop column y",
            "create or replace table x as select 1",
            "DO $$ BEGIN EXECUTE format('DROP TABLE %I', t); END $$",
        ] {
            assert_eq!(tier(text), Some(Tier::Destructive), "{text}");
        }
        for text in [
            "delete from x where id = 7",
            "alter table x drop constraint y",
            "drop index i",
        ] {
            assert_eq!(tier(text), Some(Tier::Risky), "{text}");
        }
        for text in [
            "select 'drop table x'",
            "explain delete from x",
            "create table drops (id int)",
            "update x set a = 1 where id = 2",
            "create function f() as $$ delete from x",
            "drop",
        ] {
            assert_eq!(tier(text), None, "{text}");
        }
    }
}
