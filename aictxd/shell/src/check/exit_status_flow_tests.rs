use super::*;

#[test]
fn the_last_command_is_the_status_of_the_line() {
    for line in [
        "make; pytest",
        "(cd a; pytest)",
        "bash -lc 'cd a; pytest'",
        "npm ci || npm install; npm test",
        "make || true; pytest -q",
        "npm start & sleep 5; npm test",
        "{ cd a; pytest; }",
        "cd a; npm run build; pytest",
        "(cd a; pytest) 2>&1",
        "timeout 60 sh -c 'cd a; pytest -x'",
        "cd a; (pytest)",
        "pytest -q || exit 1; echo ok",
        "pytest || { echo bad; exit 1; }; echo ok",
        "pytest a && pytest b",
        "make; pytest a && pytest b",
        "set -e; pytest; echo done",
        "set -euo pipefail\nnpm test | tail -3\necho done",
        "set -o pipefail; pytest | tail",
        "bash -o pipefail -c 'pytest | tail'",
        "bash -ec 'pytest; echo done'",
        "pytest; exit $?",
        "pytest; rc=$?; docker compose down; exit $rc",
        "pytest | tail -3; exit ${PIPESTATUS[0]}",
        "cd a &&\n  pytest",
        "#!/bin/sh\n# Checks all.\nset -e\npytest  # fast\n\nruff check .\n",
        "cd a && # there\npytest",
        "yes | pytest",
        "echo 'a; b'; pytest",
        "ls \"a; b\" > out 2>&1; pytest &> log",
    ] {
        assert_eq!(shows_tests(line), Some(true), "{line}");
    }
}

#[test]
fn what_follows_may_swallow_it() {
    for line in [
        "pytest; echo done",
        "pytest | tail",
        "pytest || true",
        "pytest a; pytest b",
        "pytest a || true; pytest b",
        "pytest || pytest --lf",
        "make || pytest",
        "pytest &",
        "pytest & wait",
        "#!/bin/sh\npytest\necho done # all\n",
        "(pytest; true)",
        "(pytest) | tail",
        "a || (pytest)",
        "bash -c 'pytest; echo'",
        "bash -c 'pytest' || true",
        "(pytest || exit 1; echo ok) || true",
        "set -e; pytest && echo ok; echo done",
        "set -e; pytest | tail",
        "pytest; rc=$?; exit 0",
        "pytest; rc=$?; pytest b; exit $rc",
        "pytest; echo; exit $?",
        "make -i test",
        "! pytest; make",
        "echo $(pytest); pytest",
        "find . -exec pytest {} +; pytest",
        "pytest || exit 0; echo",
        "pytest | tail -3; rc=$?; exit $rc",
    ] {
        assert_ne!(shows_tests(line), Some(true), "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_taken(line in "(pytest|a|;|&&|\\|\\||\\||&|\\(|\\)|\\{ |\\}|'|\"|`|\\\\|\n|#| |set -e|exit \\$\\?){0,16}") {
        let _ = shows_tests(&line);
    }
}
