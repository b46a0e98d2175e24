//! Slips in patterns and in the names of files of settings, by what the programs print.

use crate::{never_began, parse};

const SLIPS: &[(&str, i32, &str)] = &[
    (
        "go test -run '('",
        1,
        "testing: invalid regexp for element 0 of -test.run (\"(\"): error parsing regexp: missing closing ): `(`\nexit status 1\nFAIL\tx\t0.002s\n",
    ),
    (
        "go test -v ./... -run='TestA/('",
        1,
        "testing: invalid regexp for element 1 of -test.run (\"(\"): error parsing regexp: missing closing ): `(`\nFAIL\tx\t0.003s\ntesting: invalid regexp for element 1 of -test.run (\"(\"): error parsing regexp: missing closing ): `(`\nFAIL\tx/sub\t0.002s\nFAIL\n",
    ),
    (
        "go test -bench '*'",
        1,
        "testing: invalid regexp for element 0 of -test.bench (\"*\"): error parsing regexp: missing argument to repetition operator: `*`\nexit status 1\nFAIL\tx\t0.002s\n",
    ),
    (
        r"go test -run '\d('",
        1,
        "testing: invalid regexp for element 0 of -test.run (\"\\\\d(\"): error parsing regexp: missing closing ): `\\d(`\nexit status 1\nFAIL\tx\t0.002s\n",
    ),
    (
        "npx jest --config nosuch",
        1,
        "Usage: jest [--config=<pathToConfigFile>] [TestPathPattern]\n\nOptions:\n  -b, --bail                        Exit the test suite immediately after `n`\n                                    number of failing tests.           [boolean]\n\nDocumentation: https://jestjs.io/\n\nThe --config option requires a JSON string literal, or a file path with one of these extensions: .js, .ts, .mjs, .cjs, .json.\nExample usage: jest --config ./jest.config.js\n",
    ),
    (
        "npx jest --config nosuch.js",
        1,
        "Error: Can't find a root directory while resolving a config file path.\nProvided path to resolve: nosuch.js\ncwd: /r\n    at resolveConfigPath (/r/node_modules/jest-config/build/resolveConfigPath.js:123:11)\n",
    ),
    (
        "npx jest --rootDir nosuch",
        1,
        "● Validation Error:\n\n  Directory nosuch in the rootDir option was not found.\n\n  Configuration Documentation:\n",
    ),
    (
        "npx jest -t '('",
        1,
        "FAIL ./a.test.js\n  ● Test suite failed to run\n\n    SyntaxError: Invalid regular expression: /(/i: Unterminated group\n        at new RegExp (<anonymous>)\n\n      at eventHandler (node_modules/jest-circus/build/eventHandler.js:252:33)\n\nTest Suites: 1 failed, 1 total\nTests:       0 total\n",
    ),
    (
        "npx vitest run --config nosuch.ts",
        1,
        "failed to load config from /r/nosuch.ts\n\n⎯⎯⎯⎯⎯⎯⎯ Startup Error ⎯⎯⎯⎯⎯⎯⎯⎯\nError: Build failed with 1 error:\n\n[UNRESOLVED_ENTRY] Cannot resolve entry module nosuch.ts.\n\n    at aggregateBindingErrorsIntoJsError (file:///r/node_modules/rolldown/dist/shared/error.mjs:50:18)\n",
    ),
    (
        "npx mocha --config nosuch.js",
        1,
        "file:///r/node_modules/mocha/lib/errors.js:344\n  var err = new Error(message);\n            ^\n\nError: Unable to read/parse nosuch.js: Error: Cannot find module 'nosuch.js'\nRequire stack:\n- /r/node_modules/mocha/lib/cli/config.cjs\n    at createUnparsableFileError (file:///r/node_modules/mocha/lib/errors.js:344:13)\n",
    ),
    (
        "npx mocha -g '('",
        1,
        "/r/node_modules/mocha/lib/mocha.cjs:563\n    this.options.grep = new RegExp(arg[1] || arg[0], arg[2]);\n                        ^\n\nSyntaxError: Invalid regular expression: /(/: Unterminated group\n    at new RegExp (<anonymous>)\n    at Mocha.grep (/r/node_modules/mocha/lib/mocha.cjs:563:25)\n",
    ),
    (
        "tox -e nosuch",
        254,
        "ROOT: HandledError| provided environments not found in configuration file:\nnosuch\n",
    ),
    ("tox -e py99x", 1, "ERROR: unknown environment 'py99x'\n"),
    (
        "tox -c nosuch.ini",
        254,
        "ROOT: HandledError| config file nosuch.ini does not exist\n",
    ),
    (
        "nox -s nosuch",
        3,
        "nox > Error while collecting sessions.\nnox > Sessions not found: nosuch\n",
    ),
    (
        "ctest",
        1,
        "*********************************\nNo test configuration file found!\n*********************************\nUsage\n\n  ctest [options]\n\n",
    ),
    (
        "cd build && ctest --output-on-failure -j4",
        1,
        "*********************************\nNo test configuration file found!\n*********************************\nUsage\n\n  ctest [options]\n\n",
    ),
    (
        "pytest -c nosuch.ini",
        4,
        "ERROR: Config file '/r/nosuch.ini' not found. Check your '-c/--config-file' option.\n\n",
    ),
    (
        "pytest -k '('",
        4,
        "collected 1 item\n\n============================ no tests ran in 0.00s =============================\nERROR: Wrong expression passed to '-k': (: at column 2: expected not OR left parenthesis OR identifier; got end of input\n\n",
    ),
    (
        "pytest -p nosuch",
        4,
        "ERROR: Error importing plugin \"nosuch\": No module named 'nosuch'\n\n",
    ),
    (
        "pytest --rootdir nosuch",
        4,
        "ERROR: Directory '/r/nosuch' not found. Check your '--rootdir' option.\n\n",
    ),
    (
        "pytest -W foo:",
        4,
        "ERROR: while parsing the following warning configuration:\n\n  foo:\n\nThis error occurred:\n\ninvalid action: 'foo'\n\n",
    ),
    (
        "pytest -o bad",
        4,
        "ERROR: -o/--override-ini expects option=value style (got: 'bad').\n\n",
    ),
];

#[test]
fn a_pattern_or_a_file_of_settings_that_was_typed_wrong_is_a_slip() {
    super::tests::are_slips(SLIPS);
}

#[test]
fn patterns_and_settings_of_the_project_are_its_own() {
    for (command, output) in [
        // The code's own patterns, beside others that were typed.
        (
            "npx jest -t 'parses'",
            "FAIL ./a.test.js\n  ● parses a\n\n    SyntaxError: Invalid regular expression: /(/: Unterminated group\n        at new RegExp (<anonymous>)\n      at Object.<anonymous> (a.test.js:3:5)\n\nTests:       1 failed, 1 total\n",
        ),
        (
            "go test -run TestA ./...",
            "panic: regexp: Compile(`(`): error parsing regexp: missing closing ): `(`\n\ngoroutine 1 [running]:\nx.init()\n\t/r/a.go:5 +0x1d\nFAIL\tx\t0.002s\nFAIL\n",
        ),
        (
            "go run . '('",
            "invalid regexp (\"(\"): missing closing )\nexit status 1\n",
        ),
        (
            "npx mocha",
            "Error: Unable to read/parse .mocharc.js: SyntaxError: Unexpected token '}'\n",
        ),
        (
            "npx mocha --config .mocharc.js",
            "Error: Unable to read/parse .mocharc.js: SyntaxError: Unexpected token '}'\n",
        ),
        (
            "npx vitest run --config vitest.config.ts",
            "failed to load config from /r/vitest.config.ts\n\nError: Cannot find module '@vitejs/plugin-react'\n",
        ),
        (
            "npx jest",
            "● Validation Error:\n\n  Directory lib in the roots[0] option was not found.\n\n",
        ),
        (
            "pytest",
            "ERROR: Error importing plugin \"xdist\": No module named 'xdist'\n",
        ),
        (
            "tox -e py311",
            "py311: exit 1 (0.20 seconds) /r> pytest\n  py311: FAIL code 1 (0.30=setup[0.05]+cmd[0.25] seconds)\n  evaluation failed :( (0.40 seconds)\n",
        ),
        (
            "make test",
            "testing: invalid regexp for element 0 of -test.run (\"(\"): error parsing regexp: missing closing ): `(`\nexit status 1\nFAIL\tx\t0.002s\nmake: *** [Makefile:2: test] Error 1\n",
        ),
    ] {
        let events = parse(command, Some(1), output.as_bytes()).events;
        assert!(
            !events.is_empty() && !events.iter().all(never_began),
            "{command}: {events:?}"
        );
    }
}
