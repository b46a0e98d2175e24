//! Programs that only seem to take something away: against doubles of a service, in a transaction that
//! is taken back, or told not to do it.

use super::scan::{Asked, Find as _};

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
fn throws_to_take_back(tight: &Asked) -> bool {
    let mut thrown = tight.found("thrownewError(").take(16);
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

/// Returns true if a program, given with and without blanks, leaves files and trees as they are.
pub(super) fn files(text: &Asked, tight: &Asked) -> bool {
    // A double in the place of what deletes.
    let patched = ["patch('", "patch(\""].iter().any(|start| {
        tight.found(start).take(16).any(|(at, _)| {
            let rest = tight.get(at + start.len()..).unwrap_or_default();
            let name = rest.split(['\'', '"']).next().unwrap_or_default();
            ["rmtree", "remove", "unlink", "rmdir"]
                .iter()
                .any(|end| name.ends_with(end))
        })
    });
    let says = |words: &[&str]| words.iter().any(|word| text.holds(word));
    patched || says(&DOUBLES_OF_FILES) || (tight.holds("noop:true") && !defines(text))
}

/// A default that a definition gives says nothing of its calls.
fn defines(text: &Asked) -> bool {
    let ways = ["def ", "function ", "=>", "lambda "];
    ways.iter().any(|way| text.holds(way))
}

/// Returns true if it leaves rows, and things at services, as they are.
pub(super) fn elsewhere(text: &Asked, tight: &Asked) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| text.holds(word));
    let told = |(not, done): &(&str, &str)| tight.holds(not) && !tight.holds(done);
    let not_done = || {
        NOT_DONE.iter().any(told) && !defines(text) && {
            // As often as something is deleted.
            let marks: usize = NOT_DONE.iter().map(|(not, _)| tight.count(not)).sum();
            let deletions: usize = ["delete", "terminate", "purge", "destroy", "drop"]
                .iter()
                .map(|verb| tight.count(verb))
                .sum();
            marks >= deletions
        }
    };
    // What is taken back, and nothing else is kept.
    let back = || {
        (text.holds("ActiveRecord::Rollback") && text.holds(".transaction"))
            || ((tight.holds(".rollback()") || tight.holds("::rollBack()"))
                && !tight.holds("commit"))
            || (tight.holds("Repo.rollback(") && tight.holds("Repo.transaction("))
            || tight.holds("set_rollback(True)")
            || (tight.holds("transaction(") && throws_to_take_back(tight))
    };
    // A database that lives only while the program runs.
    let fleeting = || {
        let connects =
            || text.count("onnect(") + text.count("create_engine(") - text.count("isconnect(");
        ((text.holds(":memory:") || says(&["'sqlite://'", "\"sqlite://\""])) && connects() <= 1)
            || (text.holds(":ets.") && !says(&["Repo.", "query", "Ecto", "Redix"]))
            || (text.holds("duckdb.sql(") && connects() == 0)
    };
    // The text of a query that is not run.
    let shown = || {
        [".del().toString()", ".del().toSQL()"]
            .iter()
            .any(|way| tight.holds(way))
            && !says(&["await", ".then("])
    };
    not_done() || back() || fleeting() || shown() || says(DOUBLES)
}
