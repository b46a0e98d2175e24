//! Forty-odd shapes that sessions have, and what their ends ask about.

use std::sync::Arc;

use aictx_proto::ledger::{BACKGROUND, LedgerRow, Provenance};
use aictx_shell::{hides_status, is_test_command};
use aictx_signals::{Run, judged};

use super::*;

/// A worktree tested by pytest, with a web part that npm tests.
struct Shop;

impl Ground for Shop {
    fn text(&self, path: &str) -> Option<Arc<str>> {
        let text = match path {
            "tests/test_misc.py" => "from shop import tax\n",
            "shop/tax.py" => "def round_up(x):\n    pass\n",
            "web/src/cart.test.ts" => "import { total } from './cart'\n",
            _ => return None,
        };
        Some(text.into())
    }

    fn check(&self, path: &str) -> Option<FileCheck> {
        let check = |command: &str, ran: &str| {
            Some(FileCheck {
                command: command.to_owned(),
                ran: ran.to_owned(),
            })
        };
        match path.starts_with("web/") {
            true => check("cd web && npm test", "cd web && vitest run"),
            false => check("python -m pytest", ""),
        }
    }
}

fn row(kind: LedgerKind) -> LedgerRow {
    LedgerRow::observed(Timestamp::from_unix(1), kind)
}

fn asks(text: &str) -> LedgerRow {
    LedgerRow {
        text: text.into(),
        ..row(LedgerKind::Prompt)
    }
}

fn edits(path: &str) -> LedgerRow {
    LedgerRow {
        paths: vec![path.into()],
        ..row(LedgerKind::Edit)
    }
}

/// A command as a hook records it.
fn ran(command: &str, exit: i32, output: &str) -> LedgerRow {
    let known = exit != 0 || !hides_status(command);
    let (outcome, errors) = judged(&Run {
        command,
        exit_status: known.then_some(exit),
        stdout: output.as_bytes(),
        stderr: b"",
        root: "/r",
        cwd: "/r",
    });
    LedgerRow {
        command: command.into(),
        outcome,
        errors,
        test: is_test_command(command),
        exit_status: known.then_some(exit),
        ..row(LedgerKind::Command)
    }
}

/// One that said nothing and ended well.
fn ok(command: &str) -> LedgerRow {
    ran(command, 0, "")
}

fn writes(command: &str, path: &str) -> LedgerRow {
    LedgerRow {
        paths: vec![path.into()],
        ..ok(command)
    }
}

/// The agent says that all went well.
fn reported() -> LedgerRow {
    LedgerRow {
        provenance: Provenance::Explicit,
        ..row(LedgerKind::Finalized)
    }
}

fn open(rows: Vec<LedgerRow>) -> Unchecked {
    let mut all = vec![asks("fix the tax")];
    all.extend(rows);
    unchecked_edits(&all, &Shop)
}

const TAX: &str = "shop/tax.py";
const PASS: &str = "3 passed in 0.01s\n";
const FAIL: &str = "FAILED tests/test_tax.py::test_x - assert 0\n1 failed, 2 passed in 0.01s\n";

#[test]
fn ends_of_turns_that_ask_nothing() {
    for (shape, rows) in [
        ("only looked", vec![ok("cat shop/tax.py"), ok("git log")]),
        ("docs only", vec![edits("README.md"), edits("docs/use.md")]),
        (
            "a licence and settings of git",
            vec![edits("LICENSE"), edits(".gitignore")],
        ),
        (
            "an edit that failed",
            vec![LedgerRow {
                outcome: Outcome::Failed,
                ..edits(TAX)
            }],
        ),
        (
            "taken back by checkout",
            vec![edits(TAX), ok("git checkout -- shop/tax.py")],
        ),
        (
            "taken back by restore",
            vec![edits(TAX), ok("git restore .")],
        ),
        (
            "nothing inside of the repository",
            vec![row(LedgerKind::Edit)],
        ),
        ("tested", vec![edits(TAX), ok("pytest -q")]),
        (
            "tested and reported",
            vec![edits(TAX), ok("pytest -q"), reported()],
        ),
        (
            "a check runs in the background",
            vec![
                edits(TAX),
                LedgerRow {
                    outcome: Outcome::Unknown,
                    source: BACKGROUND.into(),
                    ..ok("pytest -q")
                },
            ],
        ),
        (
            "tested, then the README",
            vec![edits(TAX), ok("pytest -q"), edits("README.md")],
        ),
        (
            "tested, then laid out",
            vec![edits(TAX), ok("pytest -q"), writes("black shop", TAX)],
        ),
        (
            "tested, then committed",
            vec![edits(TAX), ok("pytest -q"), ok("git commit -qam x")],
        ),
        (
            "tested, then looked",
            vec![edits(TAX), ok("pytest"), ok("git diff"), ok("ls")],
        ),
        (
            "by another name",
            vec![edits(TAX), ok("uv run python -m pytest -x")],
        ),
        ("by tox", vec![edits(TAX), ok("tox -q")]),
        ("by nox", vec![edits(TAX), ok("nox -s tests")]),
        ("by make", vec![edits(TAX), ok("make test")]),
        (
            "by a script of the project",
            vec![
                edits(TAX),
                LedgerRow {
                    ran: "pytest -q".into(),
                    test: true,
                    ..ok("./ci.sh")
                },
            ],
        ),
        (
            "in a container",
            vec![edits(TAX), ok("docker compose run --rm web pytest")],
        ),
        (
            "in a running container",
            vec![
                edits(TAX),
                ok("docker compose exec -T web python -m pytest -q"),
            ],
        ),
        (
            "with variables and a time limit",
            vec![edits(TAX), ok("CI=1 PYTHONPATH=. timeout 300 pytest -q")],
        ),
        (
            "behind an install",
            vec![edits(TAX), ok("pip install -e . || pip install .; pytest")],
        ),
        (
            "in a login shell",
            vec![
                edits(TAX),
                ok("bash -lc 'source .venv/bin/activate; pytest -q'"),
            ],
        ),
        (
            "in a group",
            vec![edits(TAX), ok("(export CI=1; pytest -q)")],
        ),
        (
            "through a pipe, with its output",
            vec![edits(TAX), ran("pytest -q 2>&1 | tail -5", 0, PASS)],
        ),
        (
            "through a pipe that keeps its status",
            vec![edits(TAX), ok("set -o pipefail; pytest -q | tail -5")],
        ),
        (
            "with a word behind it, and its output",
            vec![edits(TAX), ran("pytest -q; echo done", 0, PASS)],
        ),
        (
            "the status kept",
            vec![
                edits(TAX),
                ok("pytest -q; rc=$?; docker compose down; exit $rc"),
            ],
        ),
        (
            "coverage",
            vec![edits(TAX), ok("coverage run -m pytest && coverage report")],
        ),
        (
            "watched once",
            vec![edits("web/src/cart.ts"), ok("cd web && npx vitest run")],
        ),
        (
            "the test of the file",
            vec![edits(TAX), ok("pytest tests/test_tax.py")],
        ),
        (
            "a test that mentions it",
            vec![edits(TAX), ok("pytest tests/test_misc.py -q")],
        ),
        (
            "by a name in it",
            vec![edits(TAX), ok("pytest -k round_up")],
        ),
        (
            "its own test, edited too",
            vec![
                edits("tests/test_new.py"),
                edits(TAX),
                ok("pytest tests/test_new.py"),
            ],
        ),
        (
            "two files, two runs",
            vec![
                edits(TAX),
                ok("pytest tests/test_tax.py"),
                edits("shop/cart.py"),
                ok("pytest tests/test_cart.py"),
            ],
        ),
        (
            "failed, mended, passed",
            vec![edits(TAX), ran("pytest", 1, FAIL), edits(TAX), ok("pytest")],
        ),
        (
            "failed, mended, that one passed",
            vec![
                edits(TAX),
                ran("pytest", 1, FAIL),
                edits(TAX),
                ok("pytest tests/test_tax.py::test_x"),
            ],
        ),
        (
            "passed, then called wrongly",
            vec![
                edits(TAX),
                ok("pytest"),
                ran(
                    "pytest nosuch.py",
                    4,
                    "ERROR: file or directory not found: nosuch.py\n",
                ),
            ],
        ),
        (
            "another agent's tests of a sub-agent's edit",
            vec![
                LedgerRow {
                    agent_id: "sub".into(),
                    ..edits(TAX)
                },
                ok("pytest"),
            ],
        ),
        (
            "from below",
            vec![
                edits(TAX),
                LedgerRow {
                    cwd: "tests".into(),
                    ..ok("pytest")
                },
            ],
        ),
        (
            "the part's check from within it",
            vec![
                edits("web/src/cart.ts"),
                LedgerRow {
                    cwd: "web".into(),
                    ..ok("npm test")
                },
            ],
        ),
        (
            "the part's check as yarn calls it",
            vec![edits("web/src/cart.ts"), ok("cd web && yarn run test")],
        ),
        (
            "watched, and stopped",
            vec![
                edits("web/src/cart.ts"),
                ran(
                    "cd web && timeout 30 npx vitest",
                    124,
                    " Test Files  1 passed (1)\n      Tests  3 passed (3)\n\n PASS  Waiting for file changes...\n",
                ),
            ],
        ),
        (
            "a log of it kept",
            vec![edits(TAX), ok("pytest -q > out.log 2>&1")],
        ),
    ] {
        let Unchecked {
            files, given_up, ..
        } = open(rows);
        // Whether they were taken back, the worktree says; here they were.
        let left: Vec<&String> = files.iter().filter(|f| !given_up.contains(f)).collect();
        assert_eq!(left, [""; 0], "{shape}");
    }
}

#[test]
fn ends_of_turns_that_ask() {
    for (shape, rows) in [
        ("not tested", vec![edits(TAX)]),
        (
            "seen to fail, and reported as a success",
            vec![edits(TAX), ran("pytest -q", 1, FAIL), reported()],
        ),
        ("tested before", vec![ok("pytest"), edits(TAX)]),
        (
            "only linted",
            vec![edits(TAX), ok("ruff check . && mypy .")],
        ),
        (
            "only compiled",
            vec![edits(TAX), ok("python -m py_compile shop/tax.py")],
        ),
        (
            "in the background",
            vec![
                edits(TAX),
                LedgerRow {
                    outcome: Outcome::Unknown,
                    ..ok("pytest")
                },
            ],
        ),
        (
            "left behind",
            vec![edits(TAX), ok("pytest -q > out.log 2>&1 &")],
        ),
        (
            "its status swallowed",
            vec![edits(TAX), ok("pytest -q || true")],
        ),
        (
            "a word behind it",
            vec![edits(TAX), ok("pytest -q >/dev/null; echo done")],
        ),
        (
            "through a pipe without a word",
            vec![edits(TAX), ok("pytest -q | tail -0")],
        ),
        ("failed", vec![edits(TAX), ran("pytest", 1, FAIL)]),
        (
            "failed, whatever it ended with",
            vec![edits(TAX), ran("pytest || true", 0, FAIL)],
        ),
        (
            "passed, then failed",
            vec![edits(TAX), ok("pytest"), ran("pytest", 1, FAIL)],
        ),
        ("collected", vec![edits(TAX), ok("pytest --collect-only")]),
        (
            "none ran",
            vec![
                edits(TAX),
                ran("pytest -k nosuch", 5, "3 deselected in 0.01s\n"),
            ],
        ),
        (
            "a case of another file",
            vec![edits(TAX), ok("pytest tests/test_cart.py::test_x")],
        ),
        (
            "another language",
            vec![edits(TAX), ok("cd web && npm test")],
        ),
        (
            "another part",
            vec![
                edits(TAX),
                LedgerRow {
                    cwd: "web".into(),
                    ..ok("pytest")
                },
            ],
        ),
        (
            "brought back",
            vec![
                edits(TAX),
                ok("git stash"),
                ok("pytest"),
                ok("git stash pop"),
            ],
        ),
        (
            "by a sub-agent",
            vec![LedgerRow {
                agent_id: "sub".into(),
                ..edits(TAX)
            }],
        ),
        (
            "by a command",
            vec![writes("sed -i s/a/b/ shop/tax.py", TAX)],
        ),
        (
            "behind its tests",
            vec![writes("pytest && sed -i s/a/b/ shop/tax.py", TAX)],
        ),
        (
            "what is needed",
            vec![ok("pytest"), edits("requirements.txt")],
        ),
    ] {
        assert_eq!(open(rows).files.len(), 1, "{shape}");
    }
}

#[test]
fn what_was_tested_of_it_is_told() {
    let open = |rows| open(rows).partly;
    let other = "pytest tests/test_cart.py";
    assert_eq!(open(vec![edits(TAX), ok(other)]), other);
    assert_eq!(open(vec![ok(other), edits(TAX)]), "");
    assert_eq!(open(vec![edits(TAX)]), "");
    assert_eq!(open(vec![edits(TAX), ok(other), ok("pytest")]), "");
}

#[test]
fn what_was_taken_back_is_no_edit() {
    let rows = [
        edits(TAX),
        edits("shop/cart.py"),
        ok("git checkout -- shop/tax.py"),
        ok("pytest tests/test_cart.py"),
    ];
    let at = |changed: &[&str]| {
        let mut seen = Observation::of(&rows);
        seen.settle(&Checkout {
            changed_files: Some(changed.iter().map(|file| (*file).to_owned()).collect()),
            ..Checkout::default()
        });
        seen.standing(Some(
            &changed.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>(),
        ))
    };
    assert_eq!(at(&["shop/cart.py"]), ["shop/cart.py"]);
    // Git shows it as changed: it was not this that was taken back.
    assert_eq!(at(&["shop/cart.py", TAX]).len(), 2);
    // What was committed is clean, too.
    let rows = [
        edits(TAX),
        ok("git commit -qam x"),
        ok("git checkout -q main"),
    ];
    assert_eq!(Observation::of(&rows).standing(Some(&[])), [TAX]);
    let rows = [edits(TAX), ok("git restore ."), edits(TAX)];
    assert_eq!(Observation::of(&rows).standing(Some(&[])), [TAX]);
}
