//! Checks that never began: the tool, its project or what it was told to check is not there, or it was called
//! wrongly.

use aictx_proto::event::ErrorEvent;

/// Messages of tools that did not start. Each names what the tool itself misses, not what the code misses.
const MISSING: &[&str] = &[
    "No rule to make target",
    "no makefile found",
    "could not find `Cargo.toml`",
    "no such command: `",
    "did not match any packages",
    "Could not read package.json",
    "Missing script: ",
    "Couldn't find a package.json",
    "No package.json ",
    "go.mod file not found",
    "does not contain main module",
    "there is no POM in this directory",
    "does not contain a Gradle build",
    "file or directory not found: ",
    "unrecognized arguments: ",
    "Could not locate Gemfile",
    "No Rakefile found",
    "No justfile found",
    "No Taskfile found",
    "Specify a project or solution file",
    "Could not find a Mix.Project",
    "Composer could not find a composer.json",
    "No tox.ini or setup.cfg",
    "Could not find Package.swift",
    "No test configuration file found",
    "provided environments not found in configuration file",
    "HandledError| config file ",
    "Project file does not exist",
    // Nothing is called so, or nothing is there to be tested.
    "No tests found",
    "No test files found",
    "No tests matching pattern",
    "no tests to run",
    "did not match any test files",
    "[error] Not a valid command: ",
];

/// Returns true if an error says that its command could not begin to check anything: what ran says nothing
/// about the code.
pub fn never_began(event: &ErrorEvent) -> bool {
    let message = event.message.as_str();
    if !event.test.is_empty() {
        return false;
    }
    if event.toolchain == "shell" {
        // The program itself, not one that it calls.
        let not_there = [
            "command not found",
            "not found",
            "No such file or directory",
        ];
        return message.split_once(": ").is_some_and(|(program, rest)| {
            // It never came to where it was to run.
            let lost = program == "cd" && rest.ends_with("No such file or directory");
            lost || not_there.contains(&rest) && event.command.contains(program)
        });
    }
    if crate::usage_error::is_slip(message, &event.command) {
        return true;
    }
    if event.file.is_empty() && was_asked_for(event) {
        return true;
    }
    // The module that was to run: an import that fails has its class.
    let module = event.code.is_empty() && message.starts_with("No module named ");
    module || is_missing(message)
}

/// The test that unittest makes up for a module that it cannot load.
const MADE_UP: &str = "unittest.loader._FailedTest.";

/// Takes the made-up test out of an error that says of a module named on the command line that it is not there:
/// no test ran.
pub(crate) fn without_made_up(event: &mut ErrorEvent) {
    if event.test.starts_with(MADE_UP) && was_asked_for(event) {
        event.test.clear();
        event.file.clear();
        event.line.clear();
        event.phase = "runtime".to_owned();
    }
}

/// Returns true if what is missing is a module that the command line names itself: `unittest nosuch`,
/// `mocha --require nosuch`.
fn was_asked_for(event: &ErrorEvent) -> bool {
    const LACKS: &[&str] = &[
        "No module named ",
        "Cannot find module ",
        "Cannot find package ",
    ];
    let lacks = LACKS.iter().find_map(|text| {
        let (_, rest) = event.message.split_once(text)?;
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        rest.get(1..)?.split_once(quote).map(|(module, _)| module)
    });
    let Some(module) = lacks.filter(|module| !module.is_empty()) else {
        return false;
    };
    let script = aictx_shell::parse(&event.command);
    let mut words = script.commands.iter().flat_map(|part| part.arguments());
    words.any(|word| {
        let text = word.text.rsplit('=').next().unwrap_or(&word.text);
        // `tests.unit.test_a` asks for `tests`, too.
        let rest = text.strip_prefix(module);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns true if a line says so of what there has to be for a check to begin. A file of the project that nothing
/// makes is a fault of the project.
pub(crate) fn is_missing(line: &str) -> bool {
    !line.contains("needed by") && MISSING.iter().any(|text| line.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_MODULE: &str = "E\n======================================================================\nERROR: nosuch (unittest.loader._FailedTest.nosuch)\n----------------------------------------------------------------------\nImportError: Failed to import test module: nosuch\nTraceback (most recent call last):\n  File \"/usr/lib/python3.12/unittest/loader.py\", line 137, in loadTestsFromName\n    module = __import__(module_name)\nModuleNotFoundError: No module named 'nosuch'\n\n\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n";

    #[test]
    fn a_module_that_is_not_there_is_no_failed_test() {
        let parsed = crate::parse("python -m unittest nosuch", Some(1), NO_MODULE.as_bytes());
        assert_eq!(
            (parsed.tests.failed, parsed.tests.failed_tests.len()),
            (0, 0)
        );
        assert!(
            parsed
                .events
                .iter()
                .all(|event| event.phase != "test" && event.test.is_empty())
        );
        let parsed = crate::parse("python -m unittest tests.a", Some(1), NO_MODULE.as_bytes());
        assert_eq!(parsed.tests.failed, 1);
    }

    #[test]
    fn tools_without_a_project_never_began() {
        let began = |command: &str, exit: i32, output: &str| {
            let events = crate::parse(command, Some(exit), output.as_bytes()).events;
            assert!(!events.is_empty(), "{output}");
            !events.iter().all(never_began)
        };
        for (command, exit, output) in [
            (
                "make test",
                2,
                "make: *** No rule to make target 'test'.  Stop.",
            ),
            (
                "make",
                2,
                "make: *** No targets specified and no makefile found.  Stop.",
            ),
            (
                "cargo test",
                101,
                "error: could not find `Cargo.toml` in `/r` or any parent directory",
            ),
            (
                "npm test",
                254,
                "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/r/package.json'",
            ),
            ("npm test", 1, "npm error Missing script: \"test\""),
            (
                "go test ./...",
                1,
                "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
            ),
            (
                "pytest tests/nosuch.py",
                4,
                "ERROR: file or directory not found: tests/nosuch.py\n\nno tests ran in 0.00s",
            ),
            (
                "python -m pytest",
                1,
                "/usr/bin/python: No module named pytest",
            ),
            ("pytest", 127, "bash: line 1: pytest: command not found"),
            (
                "./run_tests.sh",
                127,
                "bash: ./run_tests.sh: No such file or directory",
            ),
            ("just test", 1, "error: No justfile found"),
            ("python -m unittest nosuch", 1, NO_MODULE),
            ("python3 -m unittest -v nosuch.TestA", 1, NO_MODULE),
            (
                "npx mocha --require nosuch",
                1,
                "Error: Cannot find module 'nosuch'\nRequire stack:\n- /r/node_modules/mocha/lib/cli/run.js\n",
            ),
            (
                "mocha --require=nosuch test",
                1,
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nosuch' imported from /r/x.js\n",
            ),
        ] {
            assert!(!began(command, exit, output), "{command}: {output}");
        }
        for (command, exit, output) in [
            (
                "make",
                2,
                "make: *** No rule to make target 'foo.c', needed by 'foo.o'.  Stop.",
            ),
            (
                "python -m pytest",
                1,
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import nosuch\nModuleNotFoundError: No module named 'nosuch'",
            ),
            (
                "./run_tests.sh",
                127,
                "./run_tests.sh: line 3: foo: command not found",
            ),
            (
                "pytest",
                1,
                "FAILED tests/a.py::test_x - assert 0 == 4\n1 failed in 0.01s",
            ),
            // A module of the project imports what is not there.
            ("python -m unittest tests.test_a", 1, NO_MODULE),
            ("python -m unittest", 1, NO_MODULE),
            (
                "npx mocha --require ts-node/register",
                1,
                "Error: Cannot find module './nosuch'\nRequire stack:\n- /r/test/a.js\n",
            ),
        ] {
            assert!(began(command, exit, output), "{command}: {output}");
        }
    }
}
