//! Statements for databases: how they reach a client.

use aictx_proto::path::Located;
use aictx_shell::Word;

use super::stdin_source::{piped_files, piped_texts, told, told_file};
use super::{Call, Judge, Kind, MAX_TEXT, Tier, destructive_names, options, script_targets};

mod statement;
mod whole;

pub(super) use statement::{statement_tier, writes};
use whole::{called_function, is_of, is_taken_back, made_by};

/// Bytes of statements that are looked at.
const MAX_STATEMENTS: usize = 64 * 1024;
/// Words of a statement in which a second one is looked for.
const MAX_WORDS: usize = 4096;
/// Tables made by one text that are remembered.
const MAX_MADE: usize = 64;

/// Judges what a client is given: words, standard input, files.
pub(super) fn client(judge: &mut Judge, call: Call, name: &str) {
    let arguments = call.arguments();
    // What lives only while it runs cannot be lost.
    if is_fleeting(call, name) {
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

/// Returns true if a client works on a database in memory, and reaches for no other.
fn is_fleeting(call: Call, name: &str) -> bool {
    let arguments = call.arguments();
    let mut value = false;
    let mut named = arguments.iter().filter(|word| {
        let takes = matches!(word.text.as_str(), "-c" | "-cmd" | "-init" | "-f" | "-s");
        let is_value = std::mem::replace(&mut value, takes);
        !is_value && !word.text.starts_with('-')
    });
    let memory = match named.next() {
        Some(word) => word.text == ":memory:",
        None => name == "duckdb",
    };
    let reaches = |text: &str| {
        let lower = text.to_ascii_lowercase();
        ["attach", ".open", ".shell", ".system", ".restore"]
            .iter()
            .any(|way| lower.contains(way))
    };
    memory
        && !arguments.iter().any(|word| reaches(&word.text))
        && !piped_texts(call).iter().any(|text| reaches(text))
        && files(call).is_empty()
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
    if !text.contains(['\\', '.', '\'']) && !text.contains("PROGRAM") && !text.contains("system") {
        return;
    }
    // `select 'drop table ' || name from … \gexec`: what it gives is run.
    let ran = [
        r"\gexec",
        "sp_executesql",
        "EXECUTE IMMEDIATE",
        "EXEC(",
        "EXEC (",
    ];
    if ran.iter().any(|way| text.contains(way)) && prints_statements(text) {
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
            for script in super::inline_code::literals(program).into_iter().take(4) {
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
fn files<'s>(call: Call<'s>) -> Vec<&'s Word<'s>> {
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
    if let Some(text) = script_targets::written(call, file) {
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
    } else {
        judge.quietly(Kind::DatabaseWrite);
    }
    let worst = restores(call, &file.text).max(destructive_names::promised_by_file(&file.text));
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
        && super::inline_code::literals(text).iter().any(|text| {
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
    if is_taken_back(client, text) {
        return;
    }
    let mut made: Vec<String> = Vec::new();
    if let Some((tier, verb)) = called_function(text) {
        let verb = format!("{client}: {verb}");
        judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        if tier >= Tier::Destructive {
            return;
        }
    }
    // Another connection has other tables.
    let one_connection = !text.contains("\\c");
    for statement in text.split(';').flat_map(between_orders) {
        if made.len() < MAX_MADE && one_connection {
            made.extend(made_by(statement));
        }
        if judge.minded.has(Kind::DatabaseWrite) && writes(statement) {
            judge.quietly(Kind::DatabaseWrite);
        }
        if let Some((tier, verb)) = statement_tier(statement)
            && !is_of(statement, &made)
        {
            let verb = format!("{client}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
            if tier >= Tier::Destructive {
                return;
            }
        }
    }
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

/// Returns true if a line is for the client itself. Some words are orders only where a statement may begin.
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
