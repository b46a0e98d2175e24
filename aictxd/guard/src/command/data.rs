//! Text that a program runs: statements for databases, programs for interpreters, scripts for
//! shells and containers.

use std::sync::LazyLock;

use aictx_signals::shell::{ByName, SimpleCommand, Word};

use super::table::{DECODERS, DOWNLOADERS, INTERPRETERS, Interpreter, Traits};
use super::{Call, Judge, Kind, Level, Tier, code};

/// Bytes of statements that are looked at.
const MAX_TEXT: usize = 64 * 1024;

/// Whether the call runs what was just fetched.
pub(super) fn runs_download(call: Call) -> bool {
    let name = call.command.name();
    let arguments = call.arguments();
    let shell = is_shell(name);
    if shell || interpreter(name).is_some() {
        if reads_program_from_stdin(name, arguments) && call.fed_by(DOWNLOADERS) {
            return true;
        }
    } else if !matches!(name, "eval" | "source" | ".") {
        return false;
    }
    arguments
        .iter()
        .any(|word| word.inner.is_some() && call.holds_output_of(word, DOWNLOADERS))
        && (shell || matches!(name, "eval" | "source" | ".") || !is_data_argument(arguments))
}

/// `python script.py "$(curl …)"` passes the text on; only `-c` runs it.
fn is_data_argument(arguments: &[Word]) -> bool {
    arguments
        .first()
        .is_none_or(|word| !word.text.starts_with('-') && word.inner.is_none())
}

pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish"
    )
}

/// Interpreters by name; every call is looked up, some more than once.
static INTERPRETER_OF: LazyLock<ByName<&'static Interpreter>> = LazyLock::new(|| {
    INTERPRETERS
        .iter()
        .map(|known| (known.name, known))
        .collect()
});

pub(super) fn interpreter(name: &str) -> Option<&'static Interpreter> {
    // `python3.12` is `python`.
    let plain = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    INTERPRETER_OF.get(plain).copied()
}

/// Neither a script nor a program on the line is given.
fn reads_program_from_stdin(name: &str, arguments: &[Word]) -> bool {
    let mut program = false;
    for word in arguments {
        let text = word.text.as_str();
        if text == "-" || text == "/dev/stdin" {
            return true;
        }
        if text == "--" {
            continue;
        }
        if !text.starts_with('-') {
            // `bash -s arg` and `sh -x -` read standard input all the same.
            program = true;
            break;
        }
        if is_shell(name) && !text.starts_with("--") && text.contains('s') {
            return true;
        }
        if matches!(
            text,
            "-c" | "-e" | "-m" | "-r" | "-E" | "-p" | "--eval" | "--version" | "--print"
        ) {
            return false;
        }
    }
    !program
}

/// Programs that run text.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    let arguments = call.arguments();
    // What lives only while it runs cannot be lost.
    let memory = |word: &Word| word.text == ":memory:";
    if call.traits.has(Traits::SQL) {
        if arguments.iter().any(memory) {
            return;
        }
        for word in arguments.iter().take(256) {
            statements(judge, call, name, option_value(&word.text));
        }
        for text in piped_texts(call) {
            statements(judge, call, name, &text);
        }
    } else if is_shell(name) {
        if reads_program_from_stdin(name, arguments) && call.command.piped_from.is_some() {
            if call.fed_by(DECODERS) {
                judge.undecidable(Level::Destructive, name, &[]);
            }
            for text in piped_texts(call)
                .into_iter()
                .filter(|_| call.feeder().is_some())
            {
                judge.inner_script(&text, call.command.remote);
            }
        }
    } else if matches!(name, "at" | "batch") {
        for text in piped_texts(call) {
            judge.inner_script(&text, call.command.remote);
        }
    } else if let Some(known) = interpreter(name) {
        programs(judge, call, known);
    } else if matches!(name, "redis-cli" | "valkey-cli") {
        let flushes = |text: &String| {
            let text = text.to_ascii_lowercase();
            text.contains("flushall") || text.contains("flushdb")
        };
        // A script for the server says `call('FLUSHALL')`.
        let scripted = |word: &Word| word.text.contains("call(") && flushes(&word.text);
        if piped_texts(call).iter().any(flushes) || arguments.iter().any(scripted) {
            let verb = "flush of a database";
            judge.hit(Some(call), Kind::DatabaseWrite, Tier::Destructive, verb, []);
        }
    } else if matches!(name, "mongo" | "mongosh") {
        let drops = |text: &str| {
            let text: String = text.split_whitespace().collect();
            text.contains("dropDatabase(")
                || text.contains(".drop(")
                || text.contains(".drop()")
                || text.contains("deleteMany({})")
                || text.contains(".remove({})")
        };
        let texts = piped_texts(call);
        if arguments.iter().any(|word| drops(&word.text)) || texts.iter().any(|text| drops(text)) {
            let verb = "drop in a database";
            judge.hit(Some(call), Kind::DatabaseWrite, Tier::Destructive, verb, []);
        }
    } else if matches!(
        name,
        "docker"
            | "podman"
            | "nerdctl"
            | "docker-compose"
            | "podman-compose"
            | "kubectl"
            | "oc"
            | "k"
    ) {
        container(judge, call);
    } else if matches!(name, "rails" | "artisan" | "rake") {
        // `rails runner 'code'`
        let verb = arguments.first().map_or("", |word| word.text.as_str());
        if matches!(verb, "runner" | "r") {
            for word in arguments.iter().skip(1).take(4) {
                code::judge(judge, call, name, &word.text);
            }
        }
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

/// Text from a here-document, or from an `echo` or `cat <<` before the pipe.
pub(super) fn piped_texts(call: Call) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    out.extend(call.command.stdin_text().map(str::to_owned));
    if let Some(feeder) = call.feeder() {
        match feeder.name() {
            "echo" | "printf" => out.push(printed(feeder)),
            _ => out.extend(feeder.stdin_text().map(str::to_owned)),
        }
    }
    out
}

/// Options behind which a program takes a statement.
const STATEMENT_OPTIONS: &[&str] = &[
    "-c",
    "-e",
    "-q",
    "-Q",
    "-s",
    "--command",
    "--execute",
    "--query",
    "--sql",
    "--statement",
    "--eval",
    "--exec",
    "-x",
];

/// Statements for a database that reach a program no table calls a client: `--sql 'DROP TABLE x'`,
/// `tool db execute <<< 'DROP TABLE x'`.
pub(super) fn judge_statements(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    let arguments = call.arguments();
    // Statements have several words.
    let spaced = |word: &Word| word.text.contains(' ');
    let given = call.command.stdin_text().is_some() || call.command.piped_from.is_some();
    if call.traits.has(Traits::SQL)
        || matches!(name, "git" | "gh" | "glab" | "tee" | "sed" | "awk")
        || (!given && !arguments.iter().any(spaced))
    {
        return;
    }
    for pair in arguments.windows(2).take(256) {
        let [option, value] = pair else {
            continue;
        };
        if STATEMENT_OPTIONS.contains(&option.text.as_str()) && value.text.contains(' ') {
            statements(judge, call, name, &value.text);
        }
    }
    let about = |text: &str| {
        [
            "sql",
            "db",
            "database",
            "query",
            "dbshell",
            "dbconsole",
            "execute",
        ]
        .iter()
        .any(|word| text == *word || (!text.contains(' ') && text.ends_with(word)))
    };
    let takes = about(name) || arguments.iter().take(4).any(|word| about(&word.text));
    if takes {
        // `turso db shell app 'DROP TABLE x'`
        for word in arguments.iter().skip(1).take(16) {
            if word.quoted && word.text.contains(' ') {
                statements(judge, call, name, &word.text);
            }
        }
        for text in piped_texts(call) {
            statements(judge, call, name, &text);
        }
    }
}

/// What `echo` or `printf` print, with line breaks for their escapes. `printf` starts its format
/// again for each word, so that words are lines of their own when the format says so.
pub(super) fn printed(command: &SimpleCommand) -> String {
    let mut separator = " ";
    let mut words: Vec<&str> = Vec::new();
    for word in command.arguments() {
        match word.text.as_str() {
            "-e" | "-n" | "-ne" | "-en" | "%s" => {}
            "%s\\n" | "%b\\n" => separator = "\n",
            text => words.push(text),
        }
    }
    words.join(separator).replace("\\n", "\n")
}

/// Judges SQL statements one by one.
fn statements(judge: &mut Judge, call: Call, client: &str, text: &str) {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    for statement in text.get(..end).unwrap_or_default().split(';') {
        if let Some((tier, verb)) = statement_tier(statement) {
            let verb = format!("{client}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
            if tier >= Tier::Destructive {
                return;
            }
        }
    }
}

pub(super) fn statement_tier(statement: &str) -> Option<(Tier, &'static str)> {
    let mut words = statement
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .map(str::to_ascii_uppercase);
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    let mut bounded = || {
        let mut words = words
            .by_ref()
            .skip_while(|word| word != "WHERE" && word != "LIMIT");
        // `WHERE true` bounds nothing.
        words.next().is_some()
            && !matches!(
                words.next().as_deref(),
                Some("TRUE" | "1" | "1=1" | "'1'='1'" | "NOT")
            )
    };
    match (first.as_str(), second.as_str()) {
        ("DROP", "DATABASE" | "TABLE" | "SCHEMA" | "KEYSPACE" | "OWNED" | "TABLESPACE") => {
            Some((Tier::Destructive, "DROP"))
        }
        (
            "DROP",
            "INDEX" | "VIEW" | "COLUMN" | "USER" | "ROLE" | "FUNCTION" | "TYPE" | "SEQUENCE",
        ) => Some((Tier::Risky, "DROP")),
        ("TRUNCATE", second) if !second.is_empty() => Some((Tier::Destructive, "TRUNCATE")),
        ("DELETE", "FROM") if bounded() => Some((Tier::Risky, "DELETE")),
        ("DELETE", "FROM") => Some((Tier::Destructive, "DELETE without WHERE")),
        ("UPDATE", _) if !second.is_empty() => {
            let rest: Vec<String> = words.collect();
            let updates = rest.iter().any(|word| word == "SET");
            let bounded = rest.iter().any(|word| word == "WHERE" || word == "LIMIT");
            (updates && !bounded).then_some((Tier::Destructive, "UPDATE without WHERE"))
        }
        ("ALTER", "TABLE") => words
            .any(|word| word == "DROP")
            .then_some((Tier::Risky, "ALTER TABLE DROP")),
        _ => None,
    }
}

/// A program on the line or in a here-document.
fn programs(judge: &mut Judge, call: Call, known: &Interpreter) {
    let arguments = call.arguments();
    let mut texts: Vec<String> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if known.options.contains(&word.text.as_str()) {
            texts.extend(words.next().map(|program| program.text.clone()));
        } else if let Some(text) = known
            .options
            .iter()
            .find_map(|option| word.text.strip_prefix(option))
            .filter(|text| !text.is_empty() && word.quoted)
        {
            texts.push(text.to_owned());
        }
    }
    if reads_program_from_stdin(call.command.name(), arguments) {
        texts.extend(piped_texts(call));
    }
    for text in &texts {
        let run = code::without_printed(text);
        if known.deletes.iter().any(|call| run.contains(call)) {
            let verb = format!("{} deletes a tree", known.name);
            judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
        } else {
            code::judge(judge, call, known.name, text);
        }
    }
    // `python manage.py flush`: the script is the program.
    let script = arguments
        .iter()
        .position(|word| !word.text.starts_with('-'));
    if let Some((at, word)) = script.and_then(|at| Some((at, arguments.get(at)?)))
        && let Some(name) = word.text.rsplit('/').next()
    {
        let rest = arguments.get(at + 1..).unwrap_or_default();
        judge.rules(call, name, rest);
        // `artisan tinker --execute=…`
        if let Some(code) = rest
            .iter()
            .find_map(|word| word.text.strip_prefix("--execute="))
        {
            code::judge(judge, call, known.name, code);
        }
    }
}

/// Options of `exec` and `run` that take the next word.
const CONTAINER_VALUED: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--mount",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "-m",
    "--memory",
    "--cpus",
    "--platform",
    "--index",
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "--add-host",
    "--restart",
    "--gpus",
    "--ulimit",
    "--tmpfs",
    "--volumes-from",
    "--detach-keys",
    "--pull",
    "--shm-size",
    "--device",
    "--image",
];

/// `docker exec box psql -c …`: what runs inside is judged as on another machine.
fn container(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let Some(at) = arguments
        .iter()
        .position(|word| matches!(word.text.as_str(), "exec" | "run"))
    else {
        return;
    };
    // Options, then the container, then what runs in it.
    let mut rest = arguments.get(at + 1..).unwrap_or_default().iter();
    let mut named = false;
    let mut text = String::new();
    while let Some(word) = rest.next() {
        let shown = word.text.as_str();
        if text.is_empty() && shown.starts_with('-') {
            if !named && CONTAINER_VALUED.contains(&shown) {
                rest.next();
            }
            continue;
        }
        if !named {
            named = true;
            continue;
        }
        text.push('\'');
        text.push_str(&shown.replace('\'', "'\\''"));
        text.push_str("' ");
    }
    // What stands in the command line's own here-document goes to the program inside.
    if let Some(body) = call.command.stdin_text() {
        let end = (0..64)
            .map(|nth| format!("END{nth}"))
            .find(|end| !body.contains(end.as_str()));
        match end {
            Some(end) => text.push_str(&format!("<<'{end}'\n{body}\n{end}\n")),
            None => judge.undecidable(Level::Destructive, call.command.name(), &[]),
        }
    }
    if !text.is_empty() {
        judge.inner_script(&text, true);
    }
}
