//! Command lines compared, by examples.

use super::*;

#[test]
fn checking_changes_nothing() {
    for yes in [
        "python -m pytest -q 2>&1 | tail -5",
        "cd web && npm run build",
        "cargo clippy --all-targets -- -D warnings && cargo fmt --check",
        "make lint test",
        "ruff check src; black --check .",
        "npx tsc --noEmit",
        "git diff --stat",
    ] {
        assert!(only_checks(yes), "{yes}");
    }
    for no in [
        "rm -rf build",
        "git push --force origin main",
        "git add -A && git commit -qm x",
        "git checkout -q main",
        "npm install",
        "npm run deploy",
        "make clean",
        "ruff check --fix src",
        "black .",
        "cargo build > log.txt",
        "pytest -q; rm -rf dist",
        "curl https://example.org | sh",
        "python app.py",
        "pytest $(cat",
    ] {
        assert!(!only_checks(no), "{no}");
    }
}

#[test]
fn files_that_are_shown() {
    for (command, want) in [
        ("cat a.py src/b.py", "a.py src/b.py"),
        ("sed -n '1,40p' a.py", "1,40p a.py"),
        ("head -40 a.py | grep x && tail -n 5 b.py", "a.py 5 b.py"),
        ("cat <<'EOF' > a.py\nx\nEOF", ""),
        ("sed -i s/a/b/ a.py", ""),
        ("rm a.py", ""),
    ] {
        assert_eq!(viewed(command).join(" "), want, "{command}");
    }
}

#[test]
fn looking_is_neither_changing_nor_checking() {
    for yes in [
        "rg -n 'def add' src | head -5",
        "cd src && ls -la",
        "git status --short; git -C sub log --oneline -3",
        "sed -n 1,40p a.py 2>/dev/null",
        "find . -name '*.py' | xargs grep -l add",
        "find . -name '*.py' -exec wc -l {} +",
        "X=1 cat a.txt",
        "timeout 5 cat a.txt",
    ] {
        assert!(only_looks(yes), "{yes}");
    }
    for no in [
        "cargo build",
        "pytest -q | tail -3",
        "sed -i s/a/b/ a.py",
        "cat a > b",
        "find . -name '*.pyc' -delete",
        "find . -name '*.py' -exec black {} +",
        "find . | xargs rm",
        "git commit -m x",
        "git -C sub push",
        "echo $(make)",
        "python app.py",
        "cd src && make",
    ] {
        assert!(!only_looks(no), "{no}");
    }
}

#[test]
fn test_commands_by_their_words() {
    for yes in [
        "docker compose run --rm web pytest -q",
        "docker compose exec app npm test",
        "docker exec api go test ./...",
        "./runtest --single unit/sort",
        "./tests/runtests.py admin_views",
        "python tests/runtests.py",
        "bin/test",
        "scripts/test --fast",
        "bash tests/run.sh",
        "yarn workspace api test",
        "zig build test",
        "cargo llvm-cov nextest",
        "cargo llvm-cov --html",
        "cargo hack test --each-feature",
        "cargo miri test",
        "cmake --build build --target test",
        "R CMD check .",
        "Rscript -e 'devtools::test()'",
        "julia --project -e 'using Pkg; Pkg.test()'",
        "pytest",
        "python -m pytest -q || python -c x",
        "python3.11 -m unittest -v",
        "make test",
        "make -j4 test-unit",
        "npm test",
        "npm run test:unit",
        "pnpm -r test",
        "yarn test",
        "tox -e py311",
        "go test ./...",
        "cargo test",
        "cargo +nightly test",
        "cargo nextest run",
        "dotnet test",
        "mix test",
        "python test_calc.py",
        "./test_all.sh",
        "npx jest",
        "vitest run",
        "node --test",
        "deno test",
        "bun test",
        "mvn -q clean verify",
        "./gradlew :app:test",
        "ctest --output-on-failure",
        "vendor/bin/phpunit",
        "bundle exec rspec",
        "bin/rails test",
        "swift test",
        "nox",
        "just test",
        "uv run pytest -x",
        "poetry run python -m pytest",
        "cd sub && FOO=1 pytest",
        "timeout 60 pytest -q 2>&1 | tail -5",
        "bash -c 'pytest -q'",
        "coverage run -m pytest",
        "python manage.py test",
        "ruby test/cart_test.rb",
        "pnpm vitest run packages/a",
        "pnpm exec jest",
        "yarn jest --watch=false",
        "yarn playwright test",
        "bun x vitest",
        "pnpm -r test",
        "turbo run test --filter=web",
        "npx nx run-many --target=test",
        "nx test web",
        "composer test",
        "php artisan test --filter Cart",
        "dune runtest",
        "stack test",
        "lein test",
        "bats tests/",
        "ng test --watch=false",
        "make -j4 -C lib test",
        "make -f build.mk test",
        "cargo test list",
        "mvn test -DskipTests=false",
        "ctest -V",
        "go test -v -run TestA ./...",
    ] {
        assert!(is_test_command(yes), "{yes}");
    }
    for no in [
        "docker compose up -d",
        "docker run pytest",
        "docker exec web sh -c 'ls tests'",
        "docker build -t test .",
        "kubectl run test --image=pytest",
        "docker compose run web python manage.py migrate",
        "/usr/bin/test -f a.txt",
        "test -f a.txt",
        "bin/testdata",
        "scripts/run.sh",
        "bash tools/run.sh",
        "yarn workspace test build",
        "zig build",
        "cargo llvm-cov report",
        "cargo hack check",
        "cmake --build build --target install",
        "R CMD build .",
        "Rscript -e 'plot(1)'",
        "julia -e 'using Pkg; Pkg.add(\"A\")'",
        "echo pytest",
        "cat test_foo.py",
        "git add tests",
        "grep -rn pytest .",
        "pip install pytest",
        "npm install",
        "cargo build",
        "go build ./...",
        "ls test",
        "make build",
        "python -c 'import pytest'",
        "git commit -m 'make test'",
        "vim test_x.py",
        "cargo run test",
        "mvn package",
        "",
        "python app.py",
        "pnpm vite build",
        "pnpm add -D vitest",
        "yarn add jest",
        "bun install vitest",
        "nx run-many --target=build",
        "turbo run build",
        "php artisan migrate",
        "playwright install",
        "yarn playwright install",
    ] {
        assert!(!is_test_command(no), "{no}");
    }
}

#[test]
fn runs_without_tests_are_none_and_prove_nothing() {
    for (dry, real) in [
        ("pytest --collect-only -q", "pytest -q"),
        ("python -m pytest --co", "python -m pytest"),
        ("pytest --version", "pytest"),
        ("pytest -h", "pytest"),
        ("pytest --setup-plan tests", "pytest tests"),
        ("uv run pytest --fixtures", "pytest"),
        ("cargo test --no-run", "cargo test"),
        ("cargo test -- --list", "cargo test"),
        ("cargo nextest list", "cargo test"),
        ("go test -list . ./...", "go test ./..."),
        ("go test -c", "go test"),
        ("npx jest --listTests", "jest"),
        ("npm test -- --listTests", "npm test"),
        ("vitest list", "vitest run"),
        ("make -n test", "make test"),
        ("make -kn test", "make test"),
        ("make test --dry-run", "make test"),
        ("mvn verify -DskipTests", "mvn verify"),
        ("./gradlew test --dry-run", "./gradlew test"),
        ("ctest -N", "ctest"),
        ("dotnet test --list-tests", "dotnet test"),
        ("playwright test --list", "playwright test"),
        ("rspec --dry-run", "rspec"),
        ("tox list", "tox"),
    ] {
        assert!(!is_test_command(dry) && is_test_command(real), "{dry}");
        assert!(!same_check(dry, real), "{dry}");
        assert_eq!(check_class(dry), None, "{dry}");
        // What cannot even be listed can be, once it runs.
        assert!(same_check(dry, dry) && same_check(real, dry), "{dry}");
        assert!(only_checks(dry), "{dry}");
    }
}

#[test]
fn statuses_that_say_nothing_of_what_was_run() {
    for hidden in [
        "pytest -q || true",
        "pytest -q &",
        "pytest -q > out.txt 2>&1 &",
        "bash -c 'pytest &'",
        "pytest | tail -1",
        "pytest; echo done",
        "(pytest -q || true) > log.txt 2>&1",
        "bash -c 'pytest >/dev/null 2>&1; true'",
        "timeout 60 sh -c 'pytest || true'",
        "eval 'pytest | tail -1'",
        "(cd a && pytest; true)",
        "echo $(pytest)",
        "find . -name 'test_*.py' -exec pytest {} \\;",
        "cd a; pytest; cd ..",
        "cd a || pytest",
        "cd a; pytest | tail",
        "for d in a b; do cd $d; pytest; done",
        "if true; then cd a; pytest; fi",
        "cd a; make -i test",
        "cd a; pytest || true",
        "export OUT=$(pytest); echo $OUT",
        "source ./run_tests.sh; echo done",
        "cd a || exit 0; pytest",
        "(pytest); echo done",
        "(cd a && pytest); cd ..",
        "bash -c pytest; echo done",
        "eval pytest; echo done",
        "echo start; (pytest); echo done",
        "cd a; (pytest; true)",
        "cd a; bash -c 'pytest; true'",
        "cd a && pytest & echo started",
        "t() (pytest); t; echo done",
        "! pytest; echo done",
        "xargs pytest < list; echo done",
        "sudo -u ci pytest; echo done",
        "coverage run -m pytest; echo done",
        "setsid -f pytest",
        "setsid --fork bash -c pytest",
        "systemd-run --user pytest -q",
        "docker run -d image pytest",
        "docker run -itd image pytest",
        "podman exec --detach web pytest",
        "docker compose run -d web pytest",
    ] {
        assert!(hides_status(hidden), "{hidden}");
    }
    for plain in [
        "pytest -q",
        "cd a && pytest 2>&1",
        "echo 'a & b'",
        "(cd a && pytest)",
        "bash -lc 'cd a && pytest -q'",
        "timeout 60 pytest -k \"$(git diff --name-only | head -1)\"",
        "pytest $(find tests -name 'test_*.py' | head -3)",
        "time pytest",
        "cd a; pytest",
        "cd a || exit 1; pytest -q",
        "export CI=1; cd a; pytest && ruff check",
        "source .venv/bin/activate; pytest",
        "CI=1; pytest",
        "cd a\npytest -q",
        "echo testing; pytest",
        "cd a; timeout 60 pytest",
        "cd a; npm run build; pytest",
        "make; pytest",
        "(cd a; pytest)",
        "bash -lc 'cd a; pytest'",
        "npm ci || npm install; npm test",
        "setsid pytest",
        "systemd-run --user --wait pytest -q",
        "systemd-run --scope pytest",
        "docker run --rm -it image pytest -d",
        "docker compose run --rm web pytest",
    ] {
        assert!(!hides_status(plain), "{plain}");
    }
}

#[test]
fn normal_form() {
    for (raw, want) in [
        ("  pytest   -q ", "pytest -q"),
        ("FOO=1 BAR=2 pytest -q", "pytest -q"),
        ("pytest -q 2>&1 | tail -n 5", "pytest -q"),
        ("pytest -q 2>/dev/null | tee out.txt | head", "pytest -q"),
        ("cd sub && pytest 'a b'", "cd sub && pytest 'a b'"),
        ("cd sub && pytest \"a b\"", "cd sub && pytest 'a b'"),
        ("a | b", "a | b"),
        ("make x > log", "make x > log"),
        ("echo $(ls  a)", "echo $(ls a)"),
    ] {
        assert_eq!(normalise_command(raw), want, "{raw}");
        assert_eq!(normalise_command(want), want, "idempotent {want}");
    }
}

#[test]
fn classes_of_test_commands() {
    for same in [
        &[
            "pytest -q",
            "python -m pytest",
            "uv run pytest 2>&1 | tail -3",
            "pytest .",
        ][..],
        &["cargo test", "cargo nextest run", "RUST_LOG=x cargo test"],
        &[
            "pytest tests/a.py tests/b.py",
            "pytest -x tests/b.py tests/a.py",
        ],
        &["go test ./...", "go test -v ./..."],
        &["npm test", "npm run test"],
    ] {
        let classes: Vec<_> = same.iter().map(|command| check_class(command)).collect();
        assert!(
            classes
                .iter()
                .all(|class| class.is_some() && *class == classes[0]),
            "{classes:?}"
        );
    }
    assert_ne!(check_class("pytest -k a"), check_class("pytest -k b"));
    assert_ne!(check_class("cd a && pytest"), check_class("pytest"));
    assert_eq!(check_class("ls"), None);
}

#[test]
fn a_larger_run_covers_a_smaller_one() {
    for (passed, failed) in [
        ("pytest -q", "pytest -q"),
        ("pytest -q 2>&1 | tail -3", "pytest -q"),
        ("pytest", "pytest tests/test_a.py"),
        ("python -m pytest -q", "pytest tests/test_a.py::test_x -x"),
        ("pytest tests", "pytest tests/test_a.py"),
        ("pytest tests/test_a.py", "pytest tests/test_a.py::test_x"),
        ("pytest -k foo", "pytest tests/a.py -k foo"),
        ("cargo test", "cargo test -p x parses"),
        ("cargo test parse", "cargo test parse::ints"),
        ("cargo nextest run", "cargo test"),
        ("go test ./...", "go test ./pkg/a"),
        ("go test ./pkg/...", "go test ./pkg/a"),
        ("uv run pytest", "pytest tests/a.py"),
        ("make build", "make  build"),
    ] {
        assert!(same_check(passed, failed), "{passed} / {failed}");
    }
    for (passed, failed) in [
        ("pytest tests/test_a.py", "pytest"),
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
        ("pytest -k foo", "pytest"),
        ("pytest --lf", "pytest"),
        ("cd sub && pytest", "pytest"),
        ("cargo test", "pytest"),
        ("cargo test --lib", "cargo test"),
        ("cargo build", "cargo test"),
        ("ls", "pytest"),
        ("make test", "make build"),
    ] {
        assert!(!same_check(passed, failed), "{passed} / {failed}");
    }
}

#[test]
fn a_failed_test_is_proven_by_running_it_alone() {
    for (failed, test, file, passed) in [
        (
            "pytest",
            "tests/a.py::test_x",
            "tests/a.py",
            "pytest tests/a.py::test_x",
        ),
        (
            "pytest tests",
            "test_x",
            "tests/a.py",
            "python -m pytest -q tests/a.py",
        ),
        (
            "pytest",
            "tests/a.py::test_x",
            "tests/a.py",
            "pytest -k test_x",
        ),
        ("pytest", "", "tests/a.py", "pytest tests"),
        (
            "cargo test -p kv",
            "store::tests::sets",
            "",
            "cargo test -p kv sets",
        ),
        ("cargo test", "sets", "", "cargo nextest run sets"),
        ("go test ./...", "TestAdd", "pkg/a_test.go", "go test ./pkg"),
        (
            "go test ./...",
            "TestAdd",
            "pkg/a_test.go",
            "go test ./pkg -run '^TestAdd$'",
        ),
        (
            "npx jest",
            "sum > adds",
            "src/sum.test.js",
            "jest src/sum.test.js -t adds",
        ),
    ] {
        let one = Check::of(failed).of_one(test, file).unwrap();
        assert!(Check::of(passed).proves(&one), "{failed} / {passed}");
        assert!(Check::of(failed).proves(&one), "{failed}");
        assert!(
            !same_check(passed, failed),
            "a part is not the whole: {passed}"
        );
    }
    for (failed, test, file, passed) in [
        (
            "pytest",
            "tests/a.py::test_x",
            "tests/a.py",
            "pytest tests/a.py::test_y",
        ),
        (
            "pytest",
            "tests/a.py::test_x",
            "tests/a.py",
            "pytest tests/a.py -k test_y",
        ),
        (
            "pytest",
            "tests/a.py::test_x",
            "tests/a.py",
            "pytest --co tests/a.py::test_x",
        ),
        ("cargo test", "sets", "", "cargo test gets"),
        (
            "go test ./...",
            "TestAdd",
            "pkg/a_test.go",
            "go test ./other",
        ),
        (
            "npx jest",
            "sum > adds",
            "src/sum.test.js",
            "jest src/sub.test.js",
        ),
    ] {
        let one = Check::of(failed).of_one(test, file).unwrap();
        assert!(!Check::of(passed).proves(&one), "{failed} / {passed}");
    }
    assert_eq!(Check::of("pytest").of_one("", ""), None);
    assert_eq!(Check::of("make build").of_one("x", "a.c"), None);
}

#[test]
fn a_change_to_the_root_goes_without_saying() {
    for (line, want) in [
        ("cd /r && pytest -q", "pytest -q"),
        ("cd '/r' && pytest -q", "pytest -q"),
        ("cd \"/r/\"; pytest -q", "pytest -q"),
        ("cd . && pytest -q", "pytest -q"),
        ("cd /r/sub && pytest", "cd /r/sub && pytest"),
        ("cd /r", "cd /r"),
        ("cd /r || exit", "cd /r || exit"),
        ("cd /r &", "cd /r &"),
        ("cd /r && ", "cd /r && "),
        ("pytest", "pytest"),
        ("cdr", "cdr"),
    ] {
        assert_eq!(at_root(line, "/r"), want, "{line}");
    }
    assert!(same_check("cd . && pytest", "pytest"));
    assert!(same_check("cd ./sub && pytest", "cd sub && pytest"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_accepted(one in ".{0,80}", two in "(pytest|cargo|test|-k|a|/|::|;| |\\||2>&1|'){0,12}") {
        is_test_command(&one);
        same_check(&one, &two);
        proptest::prop_assert!(same_check(&one, &one));
        proptest::prop_assert!(same_check(&two, &two));
        let once = normalise_command(&two);
        proptest::prop_assert_eq!(normalise_command(&once), once);
    }
}

#[test]
fn a_linter_that_mends_what_it_finds_proves_what_it_looked_for() {
    for (passed, failed) in [
        ("ruff check --fix .", "ruff check ."),
        ("npx eslint . --fix", "npx eslint ."),
        ("black .", "black --check ."),
        ("cargo fmt", "cargo fmt --check"),
        ("prettier --write src", "prettier --check src"),
    ] {
        assert!(same_check(passed, failed), "{passed} {failed}");
    }
    for (passed, failed) in [
        ("ruff check src --fix", "ruff check ."),
        ("black .", "ruff check ."),
        ("cargo build", "cargo clippy"),
    ] {
        assert!(!same_check(passed, failed), "{passed} {failed}");
    }
}
