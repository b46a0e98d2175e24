//! Checks that never began: the tool, its project or what it was told to check is not there, or it was called
//! wrongly.

use aictx_proto::event::ErrorEvent;

/// What tools say then. Each names what the tool itself misses, not what the code misses.
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

/// Whether an error says that its command could not begin to check anything: what ran says nothing
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
    if crate::slip::is_slip(message, &event.command) {
        return true;
    }
    // The module that was to run: an import that fails has its class.
    let module = event.code.is_empty() && message.starts_with("No module named ");
    module || is_missing(message)
}

/// Whether a line says so of what there has to be for a check to begin. A file of the project that nothing makes
/// is a fault of the project.
pub(crate) fn is_missing(line: &str) -> bool {
    !line.contains("needed by") && MISSING.iter().any(|text| line.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert!(began(command, exit, output), "{command}: {output}");
        }
    }
}
