//! Programs that only seem to take something away: against doubles of a service, in a transaction that
//! is taken back, or told not to do it.

/// Doubles that stand in for services and databases.
const DOUBLES: &[&str] = &[
    "import mongomock",
    "import fakeredis",
    "from fakeredis",
    "from moto import",
    "import moto",
    "'mongodb-memory-server'",
    "\"mongodb-memory-server\"",
    "'ioredis-mock'",
    "\"ioredis-mock\"",
    "'pg-mem'",
    "\"pg-mem\"",
    "import responses",
    "unittest.mock",
    "from unittest import mock",
    "jest.mock(",
    "vi.mock(",
    "botocore.stub",
    "MockTransport",
    "import respx",
    "requests_mock",
    "import httpretty",
    "aioresponses",
    "require('nock')",
    "require(\"nock\")",
    "from 'nock'",
    "from \"nock\"",
    "msw/node",
    "sinon.stub(",
    "webmock",
    "Http::fake(",
    "Queue::fake(",
    "Bus::fake(",
    "DB::pretend(",
];
/// Doubles that stand in for the file system.
const DOUBLES_OF_FILES: [&str; 6] = [
    "Storage::fake(",
    "pyfakefs",
    "'mock-fs'",
    "\"mock-fs\"",
    "'memfs'",
    "\"memfs\"",
];
/// Ways to be told not to do it, each with the way to be told the opposite; without blanks.
const NOT_DONE: [(&str, &str); 7] = [
    ("dry_run=\"All\"", "dry_run=False"),
    ("dry_run='All'", "dry_run=False"),
    ("dryRun:'All'", "dryRun:false"),
    ("DryRun=True", "DryRun=False"),
    ("dry_run=True", "dry_run=False"),
    ("dryRun:true", "dryRun:false"),
    ("DryRun:true", "DryRun:false"),
];

/// `throw new Error("rollback …")`: an error that says what it is for.
fn throws_to_take_back(tight: &str) -> bool {
    let mut thrown = tight.match_indices("thrownewError(").take(16);
    thrown.any(|(at, way)| {
        let said = tight.get(at + way.len()..).unwrap_or_default();
        let said = said
            .split(')')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        said.contains("rollback") || said.contains("rolledback") || said.contains("dryrun")
    })
}

/// What is only seeming.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pretended {
    /// Files and trees stay.
    pub(super) files: bool,
    /// Rows, and things at services.
    pub(super) elsewhere: bool,
}

impl Pretended {
    /// Of a program and the same without blanks.
    pub(super) fn of(text: &str, tight: &str) -> Self {
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        // A default that a definition gives says nothing of its calls.
        let defines = says(&["def ", "function ", "=>", "lambda "]);
        let told = |(not, done): &(&str, &str)| tight.contains(not) && !tight.contains(done);
        // As often as something is deleted.
        let marks: usize = NOT_DONE
            .iter()
            .map(|(not, _)| tight.matches(not).count())
            .sum();
        let deletions: usize = ["delete", "terminate", "purge", "destroy", "drop"]
            .iter()
            .map(|verb| tight.matches(verb).count())
            .sum();
        let not_done = !defines && marks >= deletions && NOT_DONE.iter().any(told);
        let noop = tight.contains("noop:true") && !defines;
        // What is taken back, and nothing else is kept.
        let back = (text.contains("ActiveRecord::Rollback") && text.contains(".transaction"))
            || ((tight.contains(".rollback()") || tight.contains("::rollBack()"))
                && !tight.contains("commit"))
            || (tight.contains("Repo.rollback(") && tight.contains("Repo.transaction("))
            || tight.contains("set_rollback(True)")
            || (tight.contains("transaction(") && throws_to_take_back(tight));
        // A database that lives only while the program runs.
        let connects = text.matches("onnect(").count() + text.matches("create_engine(").count()
            - text.matches("isconnect(").count();
        let fleeting = ((text.contains(":memory:") || says(&["'sqlite://'", "\"sqlite://\""]))
            && connects <= 1)
            || (text.contains(":ets.") && !says(&["Repo.", "query", "Ecto", "Redix"]))
            || (text.contains("duckdb.sql(") && connects == 0);
        // A double in the place of what deletes.
        let patched = ["patch('", "patch(\""].iter().any(|start| {
            tight.match_indices(start).take(16).any(|(at, _)| {
                let rest = tight.get(at + start.len()..).unwrap_or_default();
                let name = rest.split(['\'', '"']).next().unwrap_or_default();
                ["rmtree", "remove", "unlink", "rmdir"]
                    .iter()
                    .any(|end| name.ends_with(end))
            })
        });
        // The text of a query that is not run.
        let shown = [".del().toString()", ".del().toSQL()"]
            .iter()
            .any(|way| tight.contains(way))
            && !says(&["await", ".then("]);
        Self {
            files: noop || patched || says(&DOUBLES_OF_FILES),
            elsewhere: not_done || back || fleeting || shown || says(DOUBLES),
        }
    }
}
