//! Test runs held against each other: which includes which.

use super::test_run::TestRun;

/// Options of which several make a run larger: each names a package, or a file of tests.
const ADDING: &[&str] = &[
    "-p",
    "--package",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--project",
    "--testsuite",
];
/// Options that choose tests by their names, one way or another.
const CHOOSING: &[&str] = &[
    "-k",
    "-t",
    "-run",
    "--testNamePattern",
    "--filter",
    "-E",
    "-g",
    "--grep",
    "script",
];

/// Directories that hold the tests of a project, by their whole names.
const OF_TESTS: &[&str] = &["test", "tests", "spec", "specs", "__tests__", "t"];

/// The same for two runs exactly when each covers the other.
pub(super) fn class(run: &TestRun) -> String {
    let mut name = run.tool.to_owned();
    if !run.dir.is_empty() {
        name.push_str(" in ");
        name.push_str(&run.dir);
    }
    if !everything(run) {
        let mut chosen = run.chosen.clone();
        chosen.sort_unstable();
        chosen.dedup();
        for one in chosen {
            name.push(' ');
            name.push_str(one.strip_prefix("./").unwrap_or(&one));
        }
    }
    let mut narrowed = run.narrowed.clone();
    narrowed.sort_unstable();
    for (option, value) in narrowed {
        name.push(' ');
        name.push_str(&option);
        if !value.is_empty() {
            name.push('=');
            name.push_str(&value);
        }
    }
    name
}

/// Returns true if `run` includes everything that `want` runs.
pub(super) fn covers(run: &TestRun, want: &TestRun) -> bool {
    is_alike(run, want)
        && less_narrowed(run, want)
        && (everything(run)
            || (!want.chosen.is_empty()
                && want
                    .chosen
                    .iter()
                    .all(|one| run.chosen.iter().any(|all| includes(run.tool, all, one))))
            || (of_one_package(run) && of_one_package(want)))
}

/// Returns true if `run` is all that `want` asks for though it names where the tests are: `pytest tests` of `pytest`.
pub(super) fn is_whole(run: &TestRun, want: &TestRun) -> bool {
    let of_tests = |one: &str| OF_TESTS.contains(&one.strip_prefix("./").unwrap_or(one));
    is_alike(run, want)
        && less_narrowed(run, want)
        && run.tool != "go"
        && !run.chosen.is_empty()
        && run.chosen.iter().all(|one| of_tests(one))
        && everything(want)
}

/// Returns true if `run` ran some of the tests of `want`: its part, or one of several things that both name.
pub(super) fn meets(run: &TestRun, want: &TestRun) -> bool {
    let apart = || {
        let both = |one: &str, other: &str| {
            includes(run.tool, one, other) || includes(run.tool, other, one)
        };
        let named = |one: &str| want.chosen.iter().any(|other| both(one, other));
        !(everything(run) || everything(want) || run.chosen.iter().any(|one| named(one)))
    };
    is_alike(run, want) && !apart() && !differs(run, want)
}

fn is_alike(run: &TestRun, want: &TestRun) -> bool {
    !run.dry && run.tool == want.tool && run.dir == want.dir
}

/// Returns true if both are narrowed to things of a kind, and to none in common.
fn differs(run: &TestRun, want: &TestRun) -> bool {
    let kinds = ADDING.iter().chain(CHOOSING);
    kinds.into_iter().any(|kind| {
        let of = |run: &TestRun| run.narrowed.iter().any(|(name, _)| name == kind);
        let shared = |choice| want.narrowed.contains(choice);
        let own = run.narrowed.iter().filter(|(name, _)| name == kind);
        of(run) && of(want) && !own.into_iter().any(shared)
    })
}

/// Returns true if whatever makes `run` smaller makes `want` smaller, too.
fn less_narrowed(run: &TestRun, want: &TestRun) -> bool {
    let by = |name: &str, of: &TestRun| of.narrowed.iter().any(|(n, _)| n == name);
    let smaller = run
        .narrowed
        .iter()
        .filter(|(name, _)| !ADDING.contains(&&**name));
    let mut larger = want
        .narrowed
        .iter()
        .filter(|(name, _)| ADDING.contains(&&**name));
    let mut adding = ADDING.iter().filter(|name| by(name, run));
    smaller.into_iter().all(|choice| want.narrowed.contains(choice))
        // Of what it names something is named there, and nothing else is.
        && adding.all(|name| by(name, want))
        && larger.all(|choice| !by(&choice.0, run) || run.narrowed.contains(choice))
}

fn everything(run: &TestRun) -> bool {
    match run.tool {
        // Without a word it tests the package that it stands in.
        "go" => {
            let whole = |one: &str| matches!(one, "./..." | "..." | "all");
            run.chosen.iter().any(|one| whole(one))
        }
        _ => run.chosen.is_empty() || run.chosen.iter().any(|one| matches!(&**one, "." | "./...")),
    }
}

/// Returns true if it tests the one package that it stands in: `go test`, `go test .`.
fn of_one_package(run: &TestRun) -> bool {
    run.tool == "go" && run.chosen.iter().all(|one| matches!(&**one, "." | "./"))
}

/// Returns true if operand `all` includes operand `one`.
fn includes(tool: &str, all: &str, one: &str) -> bool {
    let all = all.strip_prefix("./").unwrap_or(all);
    let one = one.strip_prefix("./").unwrap_or(one);
    if all == one {
        return true;
    }
    if tool == "cargo" {
        // A filter runs every test whose name holds it.
        return one.contains(all);
    }
    let deep = all.strip_suffix("/...");
    if tool == "go" {
        // One package, or all below it.
        let below = deep.and_then(|deep| one.strip_prefix(deep));
        return below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    let all = deep.unwrap_or(all);
    one.strip_prefix(all).is_some_and(|rest| {
        rest.starts_with('/') || rest.starts_with("::") || rest.starts_with('[')
    })
}
