//! Slips, by what the programs print.

use crate::{never_began, parse};

#[test]
fn what_was_typed_wrong_says_nothing_of_the_code() {
    for (command, exit, output) in [
        (
            "pytest --tb=shrt",
            4,
            "ERROR: usage: pytest [options] [file_or_dir] [...]\npytest: error: argument --tb: invalid choice: 'shrt' (choose from auto, long)\n  inifile: None\n  rootdir: /r\n",
        ),
        (
            "pytest -k",
            4,
            "ERROR: usage: pytest [options] [file_or_dir]\npytest: error: argument -k: expected one argument\n",
        ),
        (
            "cargo test --bogus",
            1,
            "error: unexpected argument '--bogus' found\n\n  tip: to pass '--bogus' as a value, use '-- --bogus'\n\nUsage: cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]\n\nFor more information, try '--help'.\n",
        ),
        (
            "npx jest --nope",
            1,
            "● Unrecognized CLI Parameter:\n\n  Unrecognized option \"nope\".\n\n  CLI Options Documentation:\n  https://jestjs.io/docs/cli\n\n",
        ),
        (
            "npx vitest run --nope",
            1,
            "CACError: Unknown option `--nope`\n",
        ),
        (
            "go test -bogus ./...",
            2,
            "flag provided but not defined: -bogus\nusage: go test [build/test flags] [packages]\nRun 'go help test' and 'go help testflag' for details.\n",
        ),
        ("node --bogus --test", 9, "node: bad option: --bogus\n"),
        (
            "make -Z test",
            2,
            "make: invalid option -- 'Z'\nUsage: make [options] [target] ...\nOptions:\n  -b, -m                      Ignored for compatibility.\n",
        ),
        (
            "vendor/bin/phpunit --bogus",
            1,
            "PHPUnit 10.1 by Sebastian Bergmann and contributors.\n\nUnknown option \"--bogus\"\n",
        ),
        (
            "bundle exec rspec --bogus",
            1,
            "invalid option: --bogus\n\nPlease use --help for a listing of valid options\n",
        ),
        (
            "./gradlew test --bogus",
            1,
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nProblem configuring task :test from command line.\n> Unknown command-line option '--bogus'.\n",
        ),
        ("cargo tset", 101, "error: no such command: `tset`\n"),
        ("yarn tset", 1, "error Command \"tset\" not found.\n"),
        (
            "mypy --bogus .",
            2,
            "usage: mypy [-h] [-v] [-V]\nmypy: error: unrecognized arguments: --bogus\n",
        ),
        (
            "python manage.py test --bogus",
            2,
            "usage: manage.py test [-h]\nmanage.py test: error: unrecognized arguments: --bogus\n",
        ),
    ] {
        let events = parse(command, Some(exit), output.as_bytes()).events;
        assert!(
            !events.is_empty() && events.iter().all(never_began),
            "{command}: {events:?}"
        );
    }
    for (command, exit, output) in [
        // The recipe's fault, the program's own, a test's.
        (
            "make test",
            2,
            "error: unexpected argument '--bogus' found\nmake: *** [Makefile:2: test] Error 2\n",
        ),
        ("npm test", 1, "CACError: Unknown option `--nope`\n"),
        (
            "python tools/gen.py --dry",
            2,
            "usage: gen.py [-h]\ngen.py: error: argument --dry: expected one argument\n",
        ),
        (
            "./cli --dry",
            2,
            "error: unexpected argument '--dry' found\n",
        ),
        (
            "pytest -q --x",
            1,
            "FAILED tests/test_cli.py::test_x - SystemExit: unrecognized option --x\n1 failed in 0.01s\n",
        ),
    ] {
        let events = parse(command, Some(exit), output.as_bytes()).events;
        assert!(
            !events.is_empty() && !events.iter().all(never_began),
            "{command}: {events:?}"
        );
    }
}

/// Output of the programs alone.
const SLIPS: &[(&str, i32, &str)] = &[
    (
        "dotnet test --bogus",
        1,
        "MSBUILD : error MSB1001: Unknown switch.\n    Full command line: '/usr/share/dotnet/dotnet msbuild'\nSwitch: --bogus\n\nFor switch syntax, type \"MSBuild -help\"\n",
    ),
    (
        "dotnet tset",
        1,
        "Could not execute because the specified command or file was not found.\nPossible reasons for this include:\n  * You intended to execute a .NET program, but dotnet-tset does not exist.\n",
    ),
    (
        "dotnet test nosuch.csproj",
        1,
        "MSBUILD : error MSB1009: Project file does not exist.\nSwitch: nosuch.csproj\n",
    ),
    (
        "dotnet test --logger",
        1,
        "Required argument missing for option: '--logger'.\n\nDescription:\n  .NET Test Driver\n",
    ),
    (
        "go test --bogus ./...",
        2,
        "flag provided but not defined: -bogus\nusage: go test [build/test flags] [packages]\n",
    ),
    (
        "go test -bogus",
        1,
        "flag provided but not defined: -bogus\nUsage of /tmp/go-build1/b001/x.test:\nFAIL\tx\t0.002s\nFAIL\n",
    ),
    (
        "go test -count=x ./...",
        2,
        "invalid value \"x\" for flag -count: parse error\nusage: go test [packages]\n",
    ),
    (
        "go tset ./...",
        2,
        "go tset: unknown command\nRun 'go help' for usage.\n",
    ),
    (
        "go test ./nosuch/...",
        1,
        "# ./nosuch/...\npattern ./nosuch/...: lstat ./nosuch/: no such file or directory\nFAIL\t./nosuch/... [setup failed]\nFAIL\n",
    ),
    (
        "go test ./nosuch",
        1,
        "# ./nosuch\nstat /r/nosuch: directory not found\nFAIL\t./nosuch [setup failed]\nFAIL\n",
    ),
    (
        "./gradlew tset",
        1,
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'tset' not found in root project 'demo'. Some candidates are: 'test'.\n\nBUILD FAILED in 1s\n",
    ),
    (
        "gradle --bogus test",
        1,
        "Unknown command-line option '--bogus'.\n\nUSAGE: gradle [option...] [task...]\n",
    ),
    (
        "gradle test --tests NoSuch",
        1,
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> No tests found for given includes: [NoSuch](--tests filter)\n\nBUILD FAILED in 1s\n",
    ),
    (
        "gradle :nosuch:test",
        1,
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nProject 'nosuch' not found in root project 'demo'.\n",
    ),
    (
        "mvn tset",
        1,
        "[INFO] BUILD FAILURE\n[ERROR] Unknown lifecycle phase \"tset\". You must specify a valid lifecycle phase -> [Help 1]\n",
    ),
    (
        "mvn test --bogus",
        1,
        "Unable to parse command line options: Unrecognized option: --bogus\n\nusage: mvn [options]\n",
    ),
    (
        "mvn -pl nosuch test",
        1,
        "[ERROR] [ERROR] Could not find the selected project in the reactor: nosuch @ \n",
    ),
    (
        "mvn test -Dtest=NoSuch",
        1,
        "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project demo: No tests matching pattern \"NoSuch\" were executed! -> [Help 1]\n",
    ),
    (
        "swift test --bogus",
        64,
        "error: Unknown option '--bogus'\nUsage: swift test [<options>]\n",
    ),
    (
        "swift tset",
        1,
        "error: unable to invoke subcommand: /usr/bin/swift-tset (No such file or directory)\n",
    ),
    (
        "swift test",
        1,
        "error: Could not find Package.swift in this directory or any of its parent directories.\n",
    ),
    (
        "swift test --filter",
        64,
        "error: Missing value for '--filter <filter>'\nHelp:  --filter <filter>\n",
    ),
    (
        "mix test --bogus",
        1,
        "** (Mix) Could not invoke task \"test\": 1 error found!\n--bogus : Unknown option\n",
    ),
    (
        "mix tset",
        1,
        "** (Mix) The task \"tset\" could not be found. Did you mean \"test\"?\n",
    ),
    (
        "mix test test/nosuch_test.exs",
        1,
        "Paths given to \"mix test\" did not match any directory/file: test/nosuch_test.exs\n",
    ),
    (
        "sbt tset",
        1,
        "[error] Not a valid command: tset (similar: set)\n[error] Not a valid key: tset (similar: test)\n[error] tset\n[error]     ^\n",
    ),
    (
        "sbt test --bogus",
        1,
        "[error] Expected ID character\n[error] Not a valid command: -- (similar: -)\n[error] --bogus\n[error]   ^\n",
    ),
    (
        "ctest --bogus",
        1,
        "CMake Error: Unknown argument: --bogus\n",
    ),
    ("ctest -R", 1, "CMake Error: '-R' requires an argument\n"),
    (
        "ctest --test-dir nosuch",
        1,
        "Failed to change working directory to \"/r/nosuch\" : No such file or directory\n",
    ),
    (
        "vendor/bin/phpunit tests/NoSuch.php",
        1,
        "PHPUnit 11.0.1 by Sebastian Bergmann and contributors.\n\nTest file \"tests/NoSuch.php\" not found\n",
    ),
    (
        "phpunit --filter",
        2,
        "PHPUnit 10\n\nOption \"--filter\" requires an argument\n",
    ),
    (
        "rspec spec/nosuch_spec.rb",
        1,
        "An error occurred while loading ./spec/nosuch_spec.rb.\nFailure/Error: __send__(method, file)\n\nLoadError:\n  cannot load such file -- /r/spec/nosuch_spec.rb\n\n0 examples, 0 failures, 1 error occurred outside of examples\n",
    ),
    (
        "npx jest --bogus",
        1,
        "● Unrecognized CLI Parameter:\n\n  Unrecognized option \"bogus\".\n\n  CLI Options Documentation:\n",
    ),
    (
        "npx jest nosuch",
        1,
        "No tests found, exiting with code 1\nPattern: nosuch - 0 matches\n",
    ),
    (
        "npx vitest run --bogus",
        1,
        "CACError: Unknown option `--bogus`\n    at Command.checkUnknownOptions\n",
    ),
    (
        "npx vitest run nosuch",
        1,
        "No test files found, exiting with code 1\n\nfilter: nosuch\n",
    ),
    (
        "npx mocha --bogus",
        1,
        "✖ ERROR: Error: Unknown argument: bogus\n",
    ),
    (
        "npx playwright test nosuch",
        1,
        "Error: No tests found.\nMake sure that arguments are regular expressions matching test files.\n",
    ),
    (
        "deno test --bogus",
        1,
        "error: unexpected argument '--bogus' found\n\nUsage: deno test [OPTIONS] [files]...\n",
    ),
    ("bun test --bogus", 1, "error: Invalid Argument '--bogus'\n"),
    (
        "bun test nosuch",
        1,
        "The following filters did not match any test files:\n nosuch\n",
    ),
    (
        "cargo test --test nosuch",
        101,
        "error: no test target named `nosuch` in default-run packages\n",
    ),
    (
        "cargo nextest run nosuch",
        4,
        "     Summary [   0.000s] 0 tests run: 0 passed, 3 skipped\nerror: no tests to run\n",
    ),
    (
        "pytest tests/test_calc.py::nosuch",
        4,
        "ERROR: not found: /r/tests/test_calc.py::nosuch\n(no match in any of [<Module test_calc.py>])\n\nno tests ran in 0.01s\n",
    ),
    (
        "rake tset",
        1,
        "rake aborted!\nDon't know how to build task 'tset' (See the list of available tasks with `rake --tasks`)\n",
    ),
    ("composer tset", 1, "  Command \"tset\" is not defined.  \n"),
    (
        "flutter test --bogus",
        64,
        "Could not find an option named \"--bogus\".\n\nRun 'flutter -h' (or 'flutter <command> -h') for available flutter commands and options.\n",
    ),
    (
        "zig build tset",
        1,
        "error: no step named 'tset'\n  access the help menu with 'zig build -h'\n",
    ),
    (
        "bazel test //nosuch:all",
        1,
        "ERROR: Skipping '//nosuch:all': no such package 'nosuch': BUILD file not found\n",
    ),
    ("meson test nosuch", 1, "ERROR: Test 'nosuch' not found\n"),
    (
        "just tset",
        1,
        "error: Justfile does not contain recipe `tset`\n",
    ),
    (
        "lein tset",
        1,
        "'tset' is not a task. See 'lein help'.\n\nDid you mean this?\n         test\n",
    ),
    (
        "cabal test --bogus",
        1,
        "cabal: unrecognized 'test' option `--bogus'\n",
    ),
    (
        "dune tset",
        1,
        "dune: unknown command `tset'. Must be one of ...\n",
    ),
    (
        "vendor/bin/behat --bogus",
        1,
        "  The \"--bogus\" option does not exist.  \n",
    ),
    (
        "bats --bogus",
        1,
        "Error: Bad command line option '--bogus'\n",
    ),
];

/// Whatever exit status is known, none of these runs began.
pub(super) fn are_slips(calls: &[(&str, i32, &str)]) {
    for (command, exit, output) in calls {
        for exit in [Some(*exit), None] {
            let events = parse(command, exit, output.as_bytes()).events;
            assert!(
                events.iter().all(never_began) && (exit.is_none() || !events.is_empty()),
                "{command}: {events:?}"
            );
        }
    }
}

#[test]
fn every_runner_is_understood_when_it_was_called_wrongly() {
    are_slips(SLIPS);
}

#[test]
fn faults_that_sound_like_slips_are_faults() {
    for (command, output) in [
        (
            "gradle test",
            "* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report\n\nBUILD FAILED in 1s\n",
        ),
        (
            "cargo run -- --bogus",
            "error: unexpected argument '--bogus' found\n",
        ),
        (
            "go run . --bogus",
            "flag provided but not defined: -bogus\nUsage of app:\nexit status 2\n",
        ),
        ("node cli.js --bogus", "error: unknown option '--bogus'\n"),
        (
            "go vet ./...",
            "# x\n./a.go:3:5: invalid argument: index 5 out of bounds [0:3]\n",
        ),
        (
            "make test",
            "Error: test 'login' not found in suite\nmake: *** [Makefile:2: test] Error 1\n",
        ),
        (
            "npm run build",
            "error TS5023: Unknown compiler option '--foo'.\n",
        ),
        (
            "pytest tests/test_cli.py --tb=short",
            "E   SystemExit: unrecognized arguments: --tb\nFAILED tests/test_cli.py::test_x - SystemExit: 2\n1 failed in 0.1s\n",
        ),
        (
            "bundle exec rspec",
            "LoadError:\n  cannot load such file -- billing/tax\n0 examples, 0 failures, 1 error occurred outside of examples\n",
        ),
        (
            "dotnet test",
            "/r/A.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/r/A.csproj]\n",
        ),
        (
            "mix test",
            "** (Mix) The task \"ecto.setup\" could not be found\n",
        ),
        (
            "rake test",
            "rake aborted!\nDon't know how to build task 'db:seed' (See the list)\n",
        ),
        (
            "ctest",
            "The following tests FAILED:\n\t  1 - unit (Failed)\nErrors while running CTest\n",
        ),
    ] {
        let events = parse(command, Some(1), output.as_bytes()).events;
        assert!(
            !events.is_empty() && !events.iter().all(never_began),
            "{command}: {events:?}"
        );
    }
}
