//! Coverage of a check by command lines that passed: the one notion of "this run covers that check".

use super::Check;
use super::compare::{covers, is_whole, meets};
use super::test_run::TestRun;

/// Coverage of a wanted check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    /// Nothing of it: other tests, or no tests at all.
    Nothing,
    /// Some of its tests.
    Part,
    /// All of it, as far as a reasonable person would ask.
    Whole,
}

impl Check {
    /// Returns the coverage of a check by the command lines that `passed`. Several count together: a check of two
    /// suites is whole when each of them passed.
    ///
    /// This asks less than [`Check::proves`], which decides about failures: all directories of tests of a project
    /// are its tests here, though a test may lie elsewhere.
    pub fn coverage<'c>(&self, passed: impl IntoIterator<Item = &'c Self>) -> Coverage {
        let passed: Vec<&Self> = passed.into_iter().collect();
        if passed.iter().any(|one| one.proves(self)) {
            return Coverage::Whole;
        }
        let ran = || passed.iter().flat_map(|one| &one.runs).filter(|r| !r.dry);
        let whole = |want: &TestRun| ran().any(|run| covers(run, want) || is_whole(run, want));
        let of_one = |want: &TestRun| {
            // Of several files each may have had a run of its own.
            let mut each = want.chosen.iter().map(|one| TestRun {
                chosen: vec![one.clone()],
                ..want.clone()
            });
            if whole(want) || (want.chosen.len() > 1 && each.all(|one| whole(&one))) {
                Coverage::Whole
            } else if ran().any(|run| meets(run, want)) {
                Coverage::Part
            } else {
                Coverage::Nothing
            }
        };
        let parts: Vec<Coverage> = self.runs.iter().map(of_one).collect();
        match parts.iter().min() {
            Some(Coverage::Whole) => Coverage::Whole,
            // The half of what it consists of is a part of it.
            Some(_) if parts.iter().any(|part| *part > Coverage::Nothing) => Coverage::Part,
            _ => Coverage::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(check: &str, passed: &[&str]) -> Coverage {
        let passed: Vec<Check> = passed.iter().map(|one| Check::of(one)).collect();
        Check::of(check).coverage(&passed)
    }

    #[test]
    fn what_a_reasonable_person_takes_for_the_whole() {
        for (check, passed) in [
            ("pytest", &["pytest -q -x --maxfail 2"][..]),
            ("pytest", &["python -m pytest"]),
            ("pytest", &["uv run pytest -n auto"]),
            ("pytest", &["poetry run python -m pytest -vv --tb short"]),
            ("pytest", &["pytest tests"]),
            ("pytest", &["pytest ./tests/ -q"]),
            (
                "pytest",
                &["pytest --cov=src --cov-report term --junitxml out.xml"],
            ),
            ("pytest", &["timeout 300 env CI=1 pytest -q 2>&1 | tail -5"]),
            ("pytest tests/test_a.py::test_x", &["pytest"]),
            (
                "pytest tests/test_a.py::test_x",
                &["pytest tests/test_a.py"],
            ),
            (
                "pytest tests/a tests/b",
                &["pytest tests/a", "pytest tests/b"],
            ),
            ("pytest && ruff check .", &["pytest", "ruff check ."]),
            ("cargo test && pytest -q", &["cargo test", "pytest"]),
            ("cargo test", &["cargo nextest run"]),
            ("cargo nextest run", &["cargo test"]),
            ("cargo test", &["cargo test --workspace --jobs 2 --locked"]),
            ("npm test", &["npm run test"]),
            ("npm test", &["yarn test"]),
            ("npm test", &["bun run test"]),
            ("yarn run test", &["pnpm test"]),
            (
                "go test ./...",
                &["go test -count 1 -timeout 60s -race ./..."],
            ),
            ("go test ./pkg/a", &["go test ./..."]),
            ("make test", &["make -j4 test"]),
            ("mvn test", &["./mvnw -q verify"]),
            ("bundle exec rspec", &["rspec spec"]),
            ("npx mocha", &["mocha --reporter dot --timeout 5000"]),
            ("npx jest", &["jest --ci --reporters default"]),
            ("./ci.sh", &["bash ci.sh"]),
            ("./ci.sh", &["sh -e ./ci.sh"]),
            ("scripts/check", &["cd scripts && ./check"]),
            ("scripts/check --all", &["./scripts/check --all"]),
        ] {
            assert_eq!(
                coverage(check, passed),
                Coverage::Whole,
                "{check} {passed:?}"
            );
        }
    }

    #[test]
    fn a_part_is_told_as_a_part() {
        for (check, passed) in [
            ("pytest", &["pytest tests/test_a.py::test_x"][..]),
            ("pytest", &["pytest tests/unit"]),
            ("pytest", &["pytest -k login"]),
            ("pytest", &["pytest --lf"]),
            ("pytest tests", &["pytest tests/test_a.py"]),
            ("pytest tests/a tests/b", &["pytest tests/a"]),
            ("cargo test && pytest", &["pytest"]),
            ("cargo test", &["cargo test -p one"]),
            ("cargo test", &["cargo test --lib"]),
            ("cargo test -p one -p two", &["cargo test -p one"]),
            ("go test ./...", &["go test"]),
            ("go test ./...", &["go test ."]),
            ("go test ./...", &["go test ./pkg"]),
            ("npm test", &["npm test -- src/a.test.ts"]),
            ("npm test", &["npm run test:e2e"]),
            ("npx jest", &["jest -t adds"]),
        ] {
            assert_eq!(
                coverage(check, passed),
                Coverage::Part,
                "{check} {passed:?}"
            );
        }
    }

    #[test]
    fn others_are_nothing_of_it() {
        for (check, passed) in [
            ("pytest tests/test_a.py", &["pytest tests/test_b.py"][..]),
            (
                "pytest tests/test_a.py::test_x",
                &["pytest tests/test_a.py::test_y"],
            ),
            ("pytest", &["cargo test"]),
            ("pytest", &["pytest --collect-only"]),
            ("pytest", &["ls tests"]),
            ("pytest", &["cd other && pytest"]),
            ("npm test", &["npm run lint"]),
            ("go test ./pkg", &["go test ./pkg/sub"]),
            ("./ci.sh", &["./deploy.sh"]),
            ("./ci.sh", &["cat ci.sh"]),
            ("./ci.sh", &["bash -n ci.sh"]),
            ("./ci.sh", &["sub/ci.sh"]),
            ("./ci.sh", &["./ci.sh --help"]),
            ("./ci.sh", &[]),
        ] {
            assert_eq!(
                coverage(check, passed),
                Coverage::Nothing,
                "{check} {passed:?}"
            );
        }
    }
}
