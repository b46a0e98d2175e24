//! Statements for databases: which of them take something away, and how they reach a client.

use aictx_proto::path::Located;
use aictx_signals::shell::Word;

use super::given::{piped_files, piped_texts, told, told_file};
use super::{Call, Judge, Kind, MAX_TEXT, Tier, called, options, promises};

/// Bytes of statements that are looked at.
const MAX_STATEMENTS: usize = 64 * 1024;
/// Words of a statement in which a second one is looked for.
const MAX_WORDS: usize = 4096;

/// Judges what a client is given: words, standard input, files.
pub(super) fn client(judge: &mut Judge, call: Call, name: &str) {
    let arguments = call.arguments();
    // What lives only while it runs cannot be lost.
    if arguments.iter().any(|word| word.text == ":memory:") {
        return;
    }
    for word in arguments.iter().take(256) {
        given(judge, call, name, option_value(&word.text));
        if let Some(text) = word.inner.and_then(|_| told(call, word)) {
            given(judge, call, name, text);
        }
    }
    for text in piped_texts(call) {
        given(judge, call, name, &text);
    }
    printed_deletions(judge, call, name);
    for file in files(call).into_iter().take(8) {
        from_file(judge, call, name, file);
    }
}

/// `--command=text`, `-ctext` and plain words.
fn option_value(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix("--") {
        return rest.split_once('=').map_or("", |(_, value)| value);
    }
    match text.strip_prefix("-c").or_else(|| text.strip_prefix("-e")) {
        Some(rest) if !rest.is_empty() => rest,
        _ => text,
    }
}

/// Statements and the client's own orders in one text.
pub(super) fn given(judge: &mut Judge, call: Call, client: &str, text: &str) {
    statements(judge, call, client, text);
    for (call_of, tier) in CALLS {
        if text.contains(call_of) {
            let verb = format!("{client}: {}", call_of.trim_end_matches('('));
            judge.hit(Some(call), Kind::DatabaseWrite, *tier, &verb, []);
        }
    }
    if !text.contains(['\\', '.']) && !text.contains("PROGRAM") && !text.contains("system") {
        return;
    }
    // `select 'drop table ' || name from … \gexec`: what it gives is run.
    if text.contains(r"\gexec") && prints_statements(text) {
        printed(judge, call, client);
    }
    for line in text.lines().take(256) {
        let line = line.trim_start();
        let order = [r"\!", ".shell ", ".system ", "system "]
            .iter()
            .find_map(|order| line.strip_prefix(order));
        if let Some(command) = order {
            judge.inner_script(command, call.command.remote);
        } else if line.starts_with(".restore ") {
            let verb = format!("{client} .restore");
            judge.hit(
                Some(call),
                Kind::DatabaseWrite,
                Tier::Destructive,
                &verb,
                [],
            );
        } else if let Some(file) = [r"\i ", r"\ir ", ".read ", "source ", r"\. "]
            .iter()
            .find_map(|order| line.strip_prefix(order))
        {
            let file = file.trim().trim_end_matches([';', '\'', '"']);
            from_file(judge, call, client, &Word::plain(file));
        }
        if let Some((_, program)) = line.split_once("PROGRAM ") {
            for script in super::code::literals(program).into_iter().take(4) {
                judge.inner_script(&script, call.command.remote);
            }
        }
    }
}

/// Functions of databases that take something away while they are selected.
const CALLS: &[(&str, Tier)] = &[
    ("lo_unlink(", Tier::Destructive),
    ("drop_chunks(", Tier::Destructive),
    ("pg_drop_replication_slot(", Tier::Destructive),
    ("drop_hypertable(", Tier::Destructive),
    ("master_drop_all_shards(", Tier::Destructive),
    ("pg_terminate_backend(", Tier::Risky),
    ("cron.unschedule(", Tier::Risky),
];

/// Files of statements: `-f x`, `--file=x`, `< x`, `cat x |`.
fn files(call: Call<'_>) -> Vec<&Word> {
    let arguments = call.arguments();
    let mut out: Vec<&Word> = arguments
        .windows(2)
        .filter_map(|pair| match pair {
            [option, file]
                if matches!(
                    option.text.as_str(),
                    "-f" | "--file" | "-i" | "--queries-file" | "-init" | "-y"
                ) =>
            {
                Some(file)
            }
            _ => None,
        })
        .collect();
    out.extend(piped_files(call));
    let given = call
        .command
        .redirects
        .iter()
        .map(|redirect| &redirect.target);
    let words = arguments.iter().chain(given);
    let words = words.filter(|word| word.inner.is_some());
    out.extend(words.filter_map(|word| told_file(call, word)));
    out
}

/// A file of statements: by what its name says, and by what it says itself as far as that is known. A
/// text of the repository never makes the verdict milder.
fn from_file(judge: &mut Judge, call: Call, client: &str, file: &Word) {
    if file.unknown || file.text.is_empty() || file.text == "/dev/null" {
        return;
    }
    if let Some(text) = called::written(call, file) {
        statements(judge, call, client, &text);
        return;
    }
    let text = match judge.place.locate(call.command.dir.as_deref(), &file.text) {
        Some(Located::Inside(path)) if !call.command.remote && judge.facts.has_texts() => judge
            .facts
            .text(&path)
            .filter(|text| text.len() <= MAX_TEXT),
        _ => None,
    };
    if let Some(text) = text {
        let shown = format!("{client} {}", file.text);
        let by = judge.called.speak_for(shown);
        statements(judge, call, client, &text);
        judge.called.restore(by);
    }
    let worst = restores(call, &file.text).max(promises::promised_by_file(&file.text));
    if let Some(tier) = worst {
        let verb = format!("{client} of a file");
        let shown = [file.text.as_str()];
        judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, shown);
    }
}

/// What a backup is put over, unless it is there to be tried with.
fn restores(call: Call, file: &str) -> Option<Tier> {
    let lower = file.to_ascii_lowercase();
    let packed = [".sql.gz", ".sql.bz2", ".sql.xz", ".sql.zst"];
    let backup = lower.contains("backup") || packed.iter().any(|end| lower.ends_with(end));
    let for_trying = |word: &Word| {
        let text = word.text.to_ascii_lowercase();
        let tried = [
            "dev",
            "test",
            "local",
            "tmp",
            "scratch",
            "sandbox",
            "staging",
            "127.0.0.1",
        ];
        tried.iter().any(|name| text.contains(name))
    };
    backup.then(|| match call.arguments().iter().any(for_trying) {
        true => Tier::Risky,
        false => Tier::Destructive,
    })
}

/// `manage.py sqlflush | psql`: what the program before prints is there to delete.
pub(super) fn printed_deletions(judge: &mut Judge, call: Call, client: &str) {
    let prints = |word: &Word| {
        [
            "sqlflush",
            "sqlclear",
            "sqlreset",
            "sql:drop",
            "sql-drop",
            "--drop",
            "--clean",
            "--add-drop-database",
        ]
        .contains(&word.text.as_str())
    };
    let Some(feeder) = call.feeder() else {
        return;
    };
    let writes = |word: &Word| prints_statements(&word.text);
    if feeder
        .arguments()
        .iter()
        .any(|word| prints(word) || writes(word))
    {
        printed(judge, call, client);
    }
}

/// `select 'drop table ' || name from …`: what it prints are statements.
fn prints_statements(text: &str) -> bool {
    text.len() < 4096
        && super::code::literals(text).iter().any(|text| {
            // `'truncate ' || name`: what is put behind it is its object.
            let object = if text.ends_with(' ') { "x" } else { "" };
            let statement = format!("{text}{object}");
            statement_tier(&statement).is_some_and(|(tier, _)| tier >= Tier::Destructive)
        })
}

fn printed(judge: &mut Judge, call: Call, client: &str) {
    let verb = format!("{client} of printed deletions");
    judge.hit(
        Some(call),
        Kind::DatabaseWrite,
        Tier::Destructive,
        &verb,
        [],
    );
}

/// Judges SQL statements one by one.
pub(super) fn statements(judge: &mut Judge, call: Call, client: &str, text: &str) {
    if options::is_harmless(call.arguments()) {
        return;
    }
    let mut end = text.len().min(MAX_STATEMENTS);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    if matches!(client, "psql" | "sqlite3" | "pgcli" | "litecli") && is_taken_back(text) {
        return;
    }
    if let Some((tier, verb)) = called_function(text) {
        let verb = format!("{client}: {verb}");
        judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        if tier >= Tier::Destructive {
            return;
        }
    }
    for statement in text.split(';').flat_map(between_orders) {
        if let Some((tier, verb)) = statement_tier(statement) {
            let verb = format!("{client}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
            if tier >= Tier::Destructive {
                return;
            }
        }
    }
}

/// What a function takes away that the same text defines and calls.
fn called_function(text: &str) -> Option<(Tier, &'static str)> {
    if !text.contains("$$") {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let (_, rest) = lower
        .split_once("function ")
        .or_else(|| lower.split_once("procedure "))?;
    let (name, rest) = rest.split_once('(')?;
    let name = name.trim();
    let (_, rest) = rest.split_once("$$")?;
    let (body, after) = rest.split_once("$$")?;
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

/// The statements of one piece: a client's own orders (`\c app`, `.headers on`, `USE app`, `GO`) end
/// with their line.
fn between_orders(piece: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(piece);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let mut at = 0;
        let mut first = true;
        for line in text.split_inclusive('\n') {
            if is_order(line, first) {
                rest = text.get(at + line.len()..);
                return text.get(..at);
            }
            at += line.len();
            first &= line.trim().is_empty();
        }
        Some(text)
    })
}

/// Whether a line is for the client itself. Some words are orders only where a statement may begin.
fn is_order(line: &str, first: bool) -> bool {
    let line = line.trim();
    if line.starts_with('\\') {
        return true;
    }
    if let Some(order) = line.strip_prefix('.') {
        return order.starts_with(|first: char| first.is_ascii_alphabetic());
    }
    let mut words = line.split_ascii_whitespace();
    let order = words.next().unwrap_or_default();
    if order.eq_ignore_ascii_case("go") {
        return words.count() <= 1;
    }
    first
        && [
            "use",
            "delimiter",
            "set",
            "connect",
            "conn",
            "prompt",
            "spool",
            "whenever",
        ]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(order))
}

/// One transaction, and its end is that nothing happened. Elsewhere some statements end one.
fn is_taken_back(text: &str) -> bool {
    let mut words = text
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|word| !word.is_empty());
    let is = |word: &str, one: &str| word.eq_ignore_ascii_case(one);
    words.next().is_some_and(|first| is(first, "BEGIN"))
        && words
            .clone()
            .next_back()
            .is_some_and(|last| is(last, "ROLLBACK"))
        && !text.contains('\\')
        && !words.any(|word| {
            ["COMMIT", "END", "BEGIN", "PROGRAM", "DO"]
                .iter()
                .any(|one| is(word, one))
        })
}

/// What one statement takes away.
pub(super) fn statement_tier(statement: &str) -> Option<(Tier, &'static str)> {
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
fn worst_inside(words: &[String]) -> Option<(Tier, &'static str)> {
    let trimmed: Vec<String> = words
        .iter()
        .map(|word| {
            let word = word.trim_matches(['(', ')', '\'', '"', '`', ',', '$']);
            // `EXECUTE format('DROP TABLE …`
            let last = word.rsplit(['(', '\'', '"']).next();
            last.unwrap_or_default().to_owned()
        })
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

/// Whether a `WHERE` or `LIMIT` lets through less than everything.
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

/// Whether a condition lets through every row, or as good as every.
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
