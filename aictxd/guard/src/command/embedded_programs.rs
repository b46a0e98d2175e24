//! Text that a program runs: statements for databases, programs for interpreters, scripts for
//! shells and containers.

use aictx_shell::{SimpleCommand, Word, is_shell};

use super::options::value_of;
pub(super) use super::sql::statement_tier;
use super::sql::{self, statements};
use super::stdin_source::{generated, piped_script, piped_texts, printed, printed_script};
use super::table::{self, DECODERS, DOWNLOADERS, Interpreter, Traits};
use super::{Call, Judge, Kind, Level, Tier, containers, inline_code, interpreter_argv};

/// Returns true if the call runs what was just fetched.
pub(super) fn runs_download(call: Call) -> bool {
    let name = call.name;
    let arguments = call.arguments();
    let shell = call.program.traits.has(Traits::SHELL);
    if shell || call.program.interpreter.is_some() {
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

pub(super) fn interpreter(name: &str) -> Option<&'static Interpreter> {
    table::program(name).interpreter
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
    let name = call.name;
    let arguments = call.arguments();
    // `deno run -`
    let reads = |word: &Word| word.text == "-";
    if name == "deno" && arguments.iter().take(16).any(reads) {
        for text in piped_texts(call) {
            inline_code::judge(judge, call, "deno", &text);
        }
    }
    let of_jenkins = |word: &Word| word.text.ends_with("jenkins-cli.jar");
    if name == "java" && arguments.iter().take(16).any(of_jenkins) {
        for text in piped_texts(call) {
            inline_code::judge(judge, call, "groovy", &text);
        }
        return;
    }
    if call.program.traits.has(Traits::SQL) {
        sql::client(judge, call, name);
    } else if call.program.traits.has(Traits::SHELL) {
        // `bash -n` only looks whether it could be read.
        let reads = !super::has_option(arguments, &["-n"]);
        if reads && reads_program_from_stdin(name, arguments) && call.command.piped_from.is_some() {
            if call.fed_by(DECODERS) {
                judge.undecidable(Level::Destructive, name, &[]);
            }
            for text in piped_texts(call)
                .into_iter()
                .filter(|_| call.feeder().is_some())
            {
                judge.inner_script(&text, call.command.remote);
            }
            generated(judge, call);
        }
        if reads && reads_program_from_stdin(name, arguments) {
            piped_script(judge, call);
        }
        // `… | xargs bash -c`: what is listed is the script.
        let is_script_option = |word: &Word| {
            let letters = word.text.strip_prefix('-').unwrap_or_default();
            letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        if call.command.fed && arguments.last().is_some_and(is_script_option) {
            judge.undecidable(Level::Destructive, name, arguments);
        }
        // `bash <(echo …)`
        if let Some(word) = arguments.first().filter(|word| word.inner.is_some()) {
            printed_script(judge, call, word);
        }
        let decoded = |word: &Word| word.inner.is_some() && call.holds_output_of(word, DECODERS);
        if arguments.iter().any(decoded) {
            judge.undecidable(Level::Destructive, name, &[]);
        }
    } else if matches!(name, "source" | ".") {
        let Some(file) = arguments.first() else {
            return;
        };
        if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0") {
            for text in piped_texts(call) {
                judge.inner_script(&text, call.command.remote);
            }
        } else if file.inner.is_some() {
            printed_script(judge, call, file);
        }
    } else if matches!(name, "at" | "batch" | "parallel") {
        for text in piped_texts(call) {
            judge.inner_script(&text, call.command.remote);
        }
    } else if let Some(known) = call.program.interpreter {
        programs(judge, call, known);
    } else if matches!(name, "redis-cli" | "valkey-cli") {
        let flushes = |text: &str| {
            let text = text.to_ascii_lowercase();
            text.contains("flushall") || text.contains("flushdb")
        };
        // A script from a file is known by its name only.
        let promised = value_of(arguments, &["--eval"])
            .and_then(|file| super::destructive_names::promised_by_file(&file.text));
        if let Some(tier) = promised {
            let verb = "script for a database";
            judge.hit(Some(call), Kind::DatabaseWrite, tier, verb, []);
        }
        // A script for the server says `call('FLUSHALL')`.
        let scripted = |word: &Word| {
            let says = |words: &[&str]| words.iter().any(|said| word.text.contains(said));
            word.text.contains("call(")
                && (flushes(&word.text)
                    || (says(&["keys'", "KEYS'", "scan'", "SCAN'", "keys\"", "KEYS\""])
                        && says(&[
                            "'del'", "'DEL'", "'unlink'", "'UNLINK'", "\"del\"", "\"DEL\"",
                        ])))
        };
        if piped_texts(call).iter().any(|text| flushes(text)) || arguments.iter().any(scripted) {
            let verb = "flush of a database";
            judge.hit(Some(call), Kind::DatabaseWrite, Tier::Destructive, verb, []);
        }
    } else if matches!(name, "mongo" | "mongosh") {
        let texts = piped_texts(call);
        let given = arguments.iter().map(|word| word.text.as_str());
        let worst = given
            .chain(texts.iter().map(String::as_str))
            .filter_map(mongo_tier)
            .max();
        if let Some(tier) = worst {
            let verb = "deletion in a database";
            judge.hit(Some(call), Kind::DatabaseWrite, tier, verb, []);
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
        containers::judge(judge, call);
    } else {
        consoles(judge, call, name, arguments);
    }
}

/// Returns the tier of a script for MongoDB.
fn mongo_tier(text: &str) -> Option<Tier> {
    // What is explained is not done; what stands beside it is.
    if text.contains(".explain(") {
        let pieces = text
            .split([';', '\n'])
            .filter(|piece| !piece.contains(".explain("));
        return pieces.filter_map(mongo_tier).max();
    }
    let text: String = text.split_whitespace().collect();
    let has = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    if has(&[
        "dropDatabase(",
        ".drop(",
        ".deleteMany({})",
        ".deleteMany()",
        ".remove({})",
        ".remove()",
        "dropAllUsers",
        "dropAllRoles",
        "dropDatabase:1",
        "\"dropDatabase\":1",
        "{drop:'",
        "{drop:\"",
        "{\"drop\":\"",
        "{'drop':'",
        ".deleteMany({_id:{$exists:true}})",
        ".updateMany({}",
        ".update({},",
    ]) {
        Some(Tier::Destructive)
    } else if has(&[
        ".deleteMany(",
        ".deleteOne(",
        ".remove(",
        ".dropIndex",
        ".dropUser(",
        ".dropRole(",
        ".shutdownServer(",
        "findOneAndDelete(",
        "renameCollection(",
    ]) {
        Some(Tier::Risky)
    } else {
        None
    }
}

/// Programs of a framework that take code: `rails runner 'code'`, `manage.py shell <<< 'code'`.
fn consoles(judge: &mut Judge, call: Call, name: &str, arguments: &[Word]) {
    let language = match name {
        "rails" | "rake" | "irb" | "pry" => "ruby",
        "artisan" | "console" | "psysh" | "wp" | "drush" => "php",
        "manage.py" | "django-admin" | "flask" | "ipython" | "bpython" | "frappe" | "bench" => {
            "python"
        }
        "iex" | "mix" => "elixir",
        "jshell" => "jshell",
        "tclsh" | "expect" => "tclsh",
        _ => return,
    };
    let verb = arguments
        .iter()
        .map(|word| word.text.as_str())
        .find(|text| !text.starts_with('-'))
        .unwrap_or_default();
    // Whatever is done there is taken back at its end.
    if name == "rails" && arguments.iter().any(|word| word.text == "--sandbox") {
        return;
    }
    if name == "iex" {
        for text in piped_texts(call) {
            inline_code::judge(judge, call, language, &text);
        }
    }
    match verb {
        "runner" | "r" | "eval" | "eval-file" | "php:eval" | "ev" => {
            for word in arguments.iter().skip(1).take(4) {
                inline_code::judge(judge, call, language, &word.text);
            }
        }
        "dbshell" | "dbconsole" | "db" => {
            for text in piped_texts(call) {
                sql::given(judge, call, name, &text);
            }
            sql::printed_deletions(judge, call, name);
        }
        _ => {}
    }
    if let Some(code) = value_of(arguments, &["-c", "--command", "--execute", "-e"])
        && matches!(
            verb,
            "shell" | "shell_plus" | "tinker" | "console" | "c" | "run"
        ) | matches!(name, "expect" | "iex" | "ipython" | "bpython")
    {
        inline_code::judge(judge, call, language, &code.text);
        if name == "expect"
            && let Some((_, spawned)) = code.text.split_once("spawn ")
        {
            judge.inner_script(spawned.split(['\n', ';']).next().unwrap_or_default(), false);
        }
    }
    if name == "expect" {
        for text in piped_texts(call) {
            let lines = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("spawn "));
            for line in lines.take(16) {
                judge.inner_script(line, call.command.remote);
            }
        }
    }
    if matches!(
        verb,
        "" | "shell" | "shell_plus" | "console" | "c" | "tinker" | "runner" | "-" | "run"
    ) {
        for text in piped_texts(call) {
            inline_code::judge(judge, call, language, &text);
        }
    }
}

/// Options behind which a program takes a statement.
const STATEMENT_OPTIONS: &[&str] = &[
    "-c",
    "-e",
    "-q",
    "-Q",
    "--command",
    "--execute",
    "--query",
    "--sql",
    "--statement",
    "--query-string",
    "--sql-statement",
    "--query-statement",
    "--eval",
    "--exec",
    "-x",
];

/// Statements for a database that reach a program no table calls a client: `--sql 'DROP TABLE x'`,
/// `tool db execute <<< 'DROP TABLE x'`.
pub(super) fn judge_statements(judge: &mut Judge, call: Call) {
    let name = call.name;
    let arguments = call.arguments();
    // Statements have several words.
    let spaced = |word: &Word| word.text.contains(' ');
    let given = call.command.stdin_text().is_some() || call.command.piped_from.is_some();
    // Of almost every command this is all that is asked.
    if !given && !arguments.iter().any(spaced) {
        return;
    }
    if call.program.traits.has(Traits::SQL)
        || call.program.interpreter.is_some()
        || matches!(name, "git" | "gh" | "glab" | "tee" | "sed" | "awk")
        // Examples are called by sentences: `-e 'DELETE /users removes one'`.
        || matches!(name, "rspec" | "cucumber" | "behave" | "parallel_rspec" | "turbo_tests")
        || only_reads_statements(call)
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

/// Returns true if a program looks at statements and runs none, and nobody reads what it prints of them.
fn only_reads_statements(call: Call) -> bool {
    const READERS: &[&str] = &[
        "sql-formatter",
        "sqlformat",
        "sqlfluff",
        "sqlfmt",
        "sqlparse",
        "sql-lint",
        "pg_format",
        "pgformatter",
        "prettier",
    ];
    let is_read = |command: &SimpleCommand| command.piped_from == Some(call.segment);
    READERS.contains(&call.name) && !call.script.commands.iter().any(is_read)
}

/// A program on the line or in a here-document.
fn programs(judge: &mut Judge, call: Call, known: &Interpreter) {
    let arguments = call.arguments();
    let mut texts: Vec<String> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match interpreter_argv::program_in(known, word) {
            Some("") => texts.extend(words.next().map(|program| program.text.to_string())),
            Some(program) => texts.push(program.to_owned()),
            None => {}
        }
    }
    if reads_program_from_stdin(call.name, arguments) {
        texts.extend(piped_texts(call));
    }
    // `python3 <(echo …)`
    if let Some(word) = arguments.first().filter(|word| word.inner.is_some())
        && let Some([one]) = call.script.commands.get(word.range())
    {
        let printed = matches!(one.name(), "echo" | "printf").then(|| printed(one));
        texts.extend(printed.or_else(|| one.stdin_text().map(str::to_owned)));
    }
    // `-MLWP::Simple`, `-rfileutils`: what it uses stands outside of it.
    let modules: String = arguments
        .iter()
        .filter(|word| word.text.starts_with("-M") || word.text.starts_with("-r"))
        .take(8)
        .map(|word| format!("{} ", word.text))
        .collect();
    for text in &mut texts {
        if !modules.is_empty() && matches!(known.name, "perl" | "ruby") {
            text.insert_str(0, &modules);
        }
        inline_code::judge(judge, call, known.name, text);
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
        consoles(judge, call, name, rest);
        // `artisan tinker --execute=…`
        if let Some(code) = rest
            .iter()
            .find_map(|word| word.text.strip_prefix("--execute="))
        {
            inline_code::judge(judge, call, known.name, code);
        }
    }
}
