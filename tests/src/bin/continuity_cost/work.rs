//! Work of agents in the benchmark: a repository, and pieces of work in it, the same in every run.

use std::fs;
use std::path::Path;

use aictx_tests::TestEnv;
use aictx_tests::session::{after_command, before_command, edited, end, prompt, start};
use serde_json::{Value, json};

/// Source files of the repository.
const SOURCES: usize = 400;

const AREAS: &[&str] = &[
    "auth",
    "billing",
    "cache",
    "catalog",
    "checkout",
    "config",
    "export",
    "import",
    "inbox",
    "indexer",
    "ledger",
    "mailer",
    "metrics",
    "parser",
    "queue",
    "render",
    "router",
    "scheduler",
    "search",
    "storage",
];
const VERBS: &[&str] = &[
    "fix",
    "refactor",
    "speed up",
    "add a test for",
    "document",
    "simplify",
    "harden",
    "extend",
    "review",
    "rename",
];
const THINGS: &[&str] = &[
    "the retry loop when the connection drops half way",
    "rounding of amounts below one cent",
    "the empty answer after a timeout",
    "how duplicates are found in large batches",
    "the date filter across time zones",
    "reading of files with Windows line ends",
    "the limit on attachments",
    "the order of results with equal scores",
    "error messages for missing settings",
    "the lock that is held during uploads",
    "paging past the last page",
    "names with accents in the address book",
    "the migration from version three",
];
const ENDINGS: &[&str] = &[
    "so that the nightly job passes",
    "as reported by two customers",
    "before the release",
    "without changing the public interface",
    "and keep the old behaviour behind a flag",
    "because the last change broke it",
    "for the mobile client",
];

/// Numbers without a pattern, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    pub(crate) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

pub(crate) fn source(n: usize) -> String {
    let area = AREAS[n % AREAS.len()];
    format!("src/{area}/{area}_{}.py", n / AREAS.len())
}

/// One piece of work.
pub(crate) struct Work {
    pub(crate) session: String,
    pub(crate) task: String,
    pub(crate) read: Vec<String>,
    pub(crate) edited: String,
    pub(crate) test: String,
    pub(crate) success: bool,
    pub(crate) summary: String,
    pub(crate) next: String,
    /// Decision, now and then.
    pub(crate) decision: Option<String>,
}

impl Work {
    pub(crate) fn new(n: usize, dice: &mut Dice) -> Self {
        let first = dice.below(SOURCES);
        let near = |dice: &mut Dice| source((first + AREAS.len() * dice.below(20)) % SOURCES);
        let area = AREAS[first % AREAS.len()];
        let (verb, thing) = (dice.one(VERBS), dice.one(THINGS));
        let success = dice.below(6) != 0;
        let done = if success { "Done" } else { "Not done yet" };
        Self {
            session: format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
                n * 2_654_435_761 % 0xffff_ffff,
                dice.below(0xffff),
                dice.below(0xfff),
                dice.below(0xfff),
                n
            ),
            task: format!("{verb} {thing} in {area} {}", dice.one(ENDINGS)),
            read: vec![source(first), near(dice)],
            edited: source(first),
            test: format!("python -m pytest -q tests/{area}"),
            success,
            summary: format!(
                "{done}: {thing} in {area}. The cause was {}; changed {} and checked {}.",
                dice.one(THINGS),
                source(first),
                dice.one(ENDINGS)
            ),
            next: format!("look at {} {}", dice.one(THINGS), dice.one(ENDINGS)),
            decision: n.is_multiple_of(8).then(|| {
                let (thing, ending) = (dice.one(THINGS), dice.one(ENDINGS));
                format!("{thing} is dealt with in {area} alone, {ending} ({n})")
            }),
        }
    }

    pub(crate) fn resume(&self, repo: &Path) -> Value {
        json!({ "repo": repo, "task": self.task, "caller": { "session_id": self.session } })
    }

    pub(crate) fn finalize(&self, repo: &Path) -> Value {
        let mut report = json!({
            "repo": repo, "status": if self.success { "success" } else { "failure" },
            "summary": self.summary, "task": self.task, "files_opened": self.read,
            "files_edited": [self.edited], "commands_executed": [self.test],
            "tests_executed": [self.test], "next_steps": [self.next],
            "caller": { "session_id": self.session },
        });
        if !self.success {
            let test = self.edited.replace("src/", "tests/");
            let error = format!("FAILED {test}::test_it - AssertionError: {}", self.next);
            report["notable_errors"] = json!([error]);
        }
        if let Some(decision) = &self.decision {
            let because = "two places would drift apart";
            report["decisions"] = json!([{
                "decision": decision, "rationale": because, "related_paths": [self.edited],
            }]);
        }
        report
    }

    pub(crate) fn guard(&self, repo: &Path) -> Value {
        json!({
            "repo": repo, "action": "edit", "paths": [self.edited], "intent": self.task,
            "caller": { "session_id": self.session },
        })
    }

    /// The same as hooks tell it: some thirty events.
    pub(crate) fn events(&self, repo: &Path) -> Vec<Value> {
        let mut events = vec![
            start(repo, &self.session, "startup"),
            prompt(repo, &self.session, &self.task),
        ];
        for round in 0..6 {
            let look = format!("sed -n 1,80p {}", self.read[round % 2]);
            events.push(before_command(repo, &self.session, &look));
            events.push(after_command(repo, &self.session, &look, "import os\n"));
            events.push(edited(repo, &self.session, &self.edited));
            events.push(after_command(
                repo,
                &self.session,
                &self.test,
                "4 passed in 0.1s",
            ));
        }
        events.push(end(repo, &self.session));
        events
    }
}

/// Puts its sources into a repository.
pub(crate) fn fill(env: &TestEnv, repo: &Path) {
    for n in 0..SOURCES {
        let path = repo.join(source(n));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = format!("def step_{n}(value):\n    return value + {n}\n");
        fs::write(path, text).unwrap();
    }
    let workflow = repo.join(".github/workflows/test.yml");
    fs::create_dir_all(workflow.parent().unwrap()).unwrap();
    fs::write(
        workflow,
        "jobs:\n  test:\n    steps:\n      - run: python -m pytest -q\n",
    )
    .unwrap();
    env.git(repo, &["add", "-A"]);
    env.git(repo, &["commit", "-q", "-m", "sources"]);
}

/// Failure rows as the ancestor appends them: a new row for every time a failure is seen.
pub(crate) fn ancestor_failures(count: usize, dice: &mut Dice) -> String {
    let mut out = String::new();
    for n in 0..count {
        let file = source(dice.below(SOURCES));
        let error = format!("AssertionError: {} {}", dice.one(THINGS), dice.one(ENDINGS));
        let signature = format!(
            "pytest:test_failure:{}:{}",
            file.replace('/', "_"),
            n % 1_500
        );
        let row = json!({
            "failure_id": format!("failure::{signature}"), "signature": signature,
            "failure_signature": signature, "task_type": "bug_fixing", "area_id": "src",
            "subsystem": "src", "error_text": error, "failed_command": "python -m pytest -q",
            "files_involved": [file], "related_paths": [file], "attempted_fix_summary": "",
            "failed_attempts": [], "status": if n % 3 == 0 { "resolved" } else { "open" },
            "resolved_by": "", "resolved_by_execution_id": "", "occurrences": 1,
            "previous_occurrences": 0, "last_execution_id": format!("cli-finalize-{n}"),
            "symptoms": [error], "ineffective_commands": ["python -m pytest -q"],
            "error_events": [], "toolchains": ["pytest"], "phases": ["test"], "error_codes": [],
            "error_fingerprints": [signature], "resolution_hint": "", "session": n,
            "timestamp": format!("2026-0{}-{:02}T10:00:00Z", 1 + n % 6, 1 + n % 28),
        });
        out.push_str(&row.to_string());
        out.push('\n');
    }
    out
}

/// A line of several commands, of a hundred bytes or so.
pub(crate) const LINE: &str = "(cd web && FOO=1 npm run build -- --x=\"$Y\" 2>&1 | tail -n 5); \
    for f in a b; do cat \"$f\"; done; git commit -m \"a $(date)\"\n";

/// Returns a command that agents run all the time.
pub(crate) fn ordinary_command(n: usize) -> String {
    format!("cd src && python -m pytest -q tests/{n} 2>&1 | tail -n 20")
}

/// 4 KB full of commands.
pub(crate) fn long_command() -> String {
    LINE.repeat(4_096 / LINE.len())
}

/// Commands each twice as long as the one before, up to that.
pub(crate) fn growing_commands() -> Vec<String> {
    (0..6).map(|times| LINE.repeat(1 << times)).collect()
}
