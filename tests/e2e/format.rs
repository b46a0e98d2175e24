//! The table of `docs/format.md`, compared with what a scripted history leaves on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aictx_tests::TestEnv;
use serde_json::Value;

/// Members by file, below `.aictx/`.
pub(crate) type Members = BTreeMap<String, BTreeSet<String>>;

/// A row of the table.
struct Row {
    pattern: String,
    both: BTreeSet<String>,
    here: BTreeSet<String>,
    python: BTreeSet<String>,
}

fn names(cell: &str) -> BTreeSet<String> {
    let names = cell.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// The rows of one of the tables: of five columns, or of two (the Python program's own files).
fn table(columns: usize) -> Vec<Row> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/format.md");
    let text = fs::read_to_string(docs).unwrap();
    let (_, section) = text.split_once("## Files and members").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    let cells = lines.map(|line| line.trim_matches('|').split('|').collect::<Vec<_>>());
    let cell = |cells: &[&str], at: usize| names(cells.get(at).copied().unwrap_or_default());
    cells
        .filter(|cells| cells.len() == columns)
        .map(|cells| Row {
            pattern: cell(&cells, 0).pop_first().unwrap(),
            both: if columns == 5 {
                cell(&cells, 1)
            } else {
                BTreeSet::new()
            },
            here: cell(&cells, 2),
            python: cell(&cells, 3),
        })
        .collect()
}

/// The row of a file: one of its very name before one with an asterisk.
fn row_of<'r>(rows: &'r [Row], file: &str) -> Option<&'r Row> {
    let fits = |row: &&Row| {
        row.pattern.split_once('*').is_some_and(|(before, behind)| {
            file.len() >= before.len() + behind.len()
                && file.starts_with(before)
                && file.ends_with(behind)
        })
    };
    let exact = rows.iter().find(|row| row.pattern == file);
    let longest = || rows.iter().filter(fits).max_by_key(|row| row.pattern.len());
    exact.or_else(longest)
}

/// The members at the top of each file's document or rows.
pub(crate) fn members(memory: &Path) -> Members {
    let mut found = Members::new();
    let mut directories = vec![memory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path
                .strip_prefix(memory)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let all = found.entry(name.clone()).or_default();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let documents: Vec<&str> = match name.rsplit_once('.') {
                Some((_, "jsonl")) => text.lines().collect(),
                Some((_, "json")) => vec![&text],
                _ => Vec::new(),
            };
            for document in documents {
                let value: Value = serde_json::from_str(document).unwrap();
                all.extend(
                    value
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| name.clone()),
                );
            }
        }
    }
    found
}

/// Runs a history that leaves every kind of file. `goal` is the option for the task.
pub(crate) fn run_history(
    repo: &Path,
    scratch: &Path,
    goal: &str,
    run: &dyn Fn(&[&str]) -> String,
) {
    let execution = |id: &str, report: &[&str]| {
        let prepared = run(&[
            "internal",
            "execution",
            "prepare",
            goal,
            "fix the failing auth test",
            "--agent-id",
            "codex",
            "--execution-id",
            id,
        ]);
        let file = scratch.join(format!("{id}.json"));
        fs::write(&file, prepared).unwrap();
        let common = [
            "internal",
            "execution",
            "finalize",
            "--prepared",
            file.to_str().unwrap(),
            "--files-opened",
            "src/app/auth.py",
            "--files-edited",
            "src/app/auth.py",
            "--commands-executed",
            "python -m pytest -q",
            "--tests-executed",
            "python -m pytest -q",
        ];
        run(&[&common, report].concat());
    };
    fs::create_dir_all(repo.join("src/app")).unwrap();
    fs::write(
        repo.join("src/app/auth.py"),
        "def add(a, b):\n    return a - b\n",
    )
    .unwrap();
    execution(
        "e1",
        &[
            "--result-summary",
            "still fails",
            "--notable-errors",
            "AssertionError: 1 != 2",
            "--decision-json",
            r#"{"decision": "Sessions stay in one module", "rationale": "single source", "related_paths": ["src/app/auth.py"], "subsystem": "auth"}"#,
            "--semantic-json",
            r#"{"name": "auth", "description": "login", "entry_points": ["src/app/auth.py"], "fragile_areas": ["token expiry"]}"#,
        ],
    );
    execution(
        "e2",
        &[
            "--success",
            "--validated-learning",
            "--result-summary",
            "fixed",
        ],
    );
    run(&["task", "start", "rework sessions", "--task-id", "t1"]);
    let patch = r#"{"next_action": "write the tests", "active_files": ["src/app/auth.py"], "verified": ["it builds"], "discarded_hypotheses": ["it was the clock"], "risks": ["tokens"]}"#;
    run(&["task", "update", "--json-patch", patch]);
    run(&["task", "close", "--status", "resolved"]);
    run(&["map", "refresh", "--full"]);
}

/// Files and members that the tables do not have.
pub(crate) fn undocumented(found: &Members, is_python: bool) -> Vec<String> {
    let (rows, own) = (table(5), table(2));
    assert!(rows.len() > 25 && own.len() > 5, "the tables are read");
    let mut missing = Vec::new();
    for (file, members) in found {
        match row_of(&rows, file) {
            Some(row) => {
                let alone = if is_python { &row.python } else { &row.here };
                let new = members
                    .iter()
                    .filter(|name| !row.both.contains(*name) && !alone.contains(*name));
                missing.extend(new.map(|name| format!("{file}: {name}")));
            }
            None if is_python && row_of(&own, file).is_some() => {}
            None => missing.push(file.clone()),
        }
    }
    missing
}

#[test]
fn the_table_names_what_is_written_and_nothing_else() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let run = |arguments: &[&str]| env.aictx(&repo, arguments).ok().stdout;
    run_history(&repo, env.path(), "--task", &run);
    // Single files of areas are kept up where there are some.
    let areas = repo.join(".aictx/area_memory/areas");
    fs::create_dir_all(&areas).unwrap();
    fs::write(
        areas.join("src-app--f2cd6bd7.json"),
        r#"{"area_id": "src/app"}"#,
    )
    .unwrap();
    // A check that fails and passes again.
    let script = repo.join("check.sh");
    for (line, status) in [
        ("echo 'AssertionError: 1 != 2'; exit 1", 1),
        ("echo '1 passed'", 0),
    ] {
        fs::write(&script, line).unwrap();
        let wrapped = [
            "internal",
            "run-execution",
            "--task",
            "fix the auth test",
            "--agent-id",
            "codex",
            "--",
            "sh",
            "check.sh",
        ];
        assert_eq!(env.aictx(&repo, &wrapped).status, status);
    }
    // Edits that no test covers, under a contract.
    let task = "fix the auth test in src/app/auth.py";
    run(&["task", "start", task, "--task-id", "t2"]);
    run(&["resume", "--task", task]);
    run(&[
        "finalize",
        "--task",
        task,
        "--status",
        "success",
        "--summary",
        "done",
        "--files-edited",
        "src/app/auth.py",
    ]);
    run(&["ticket", "new", "--title", "Rework sessions"]);
    run(&["ticket", "claim"]);
    run(&["internal", "compact", "--apply"]);
    let mut found = members(&repo.join(".aictx"));
    found.retain(|file, _| !file.starts_with('.') && !file.starts_with("journal"));
    assert_eq!(undocumented(&found, false), Vec::<String>::new());

    let mut promised = Vec::new();
    for row in table(5) {
        let of_row = found.iter().filter(|(file, _)| {
            row_of(&table(5), file).is_some_and(|found| found.pattern == row.pattern)
        });
        let seen: BTreeSet<&String> = of_row.flat_map(|(_, members)| members).collect();
        let unseen = row
            .both
            .iter()
            .chain(&row.here)
            .filter(|name| !seen.contains(name));
        promised.extend(unseen.map(|name| format!("{}: {name}", row.pattern)));
    }
    assert_eq!(promised, Vec::<String>::new(), "promised, and not written");
}
