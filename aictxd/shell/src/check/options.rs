//! Options of test runners: which take the next word, and which make a run smaller.

/// Options that take the next word, where that matters for finding the operands.
const VALUED: &[&str] = &[
    "-k",
    "-m",
    "-c",
    "-p",
    "-n",
    "-W",
    "-o",
    "--tb",
    "--maxfail",
    "--rootdir",
    "--deselect",
    "--ignore",
    "--package",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--features",
    "--profile",
    "--target",
    "--manifest-path",
    "--exclude",
    "-j",
    "-E",
    "--filter-expr",
    "-t",
    "-run",
    "--testNamePattern",
    "--prefix",
    "--filter",
    "--color",
    "--cov",
    "-C",
    "-f",
    "--durations",
    "--timeout",
    "-w",
    "--workspace-root",
    "--config",
];
/// The same of single tools.
const VALUED_BY: &[(&str, &[&str])] = &[
    (
        "pytest",
        &[
            "--cov-report",
            "--cov-config",
            "--cov-fail-under",
            "--junitxml",
            "--junit-xml",
            "--junit-prefix",
            "--log-level",
            "--log-cli-level",
            "--log-file",
            "--import-mode",
            "--dist",
            "--numprocesses",
            "--maxprocesses",
            "--reruns",
            "--reruns-delay",
            "--confcutdir",
            "--basetemp",
            "--durations-min",
            "--verbosity",
            "--capture",
            "--show-capture",
            "--ignore-glob",
            "-r",
        ],
    ),
    (
        "go",
        &[
            "-p",
            "-count",
            "-timeout",
            "-parallel",
            "-cpu",
            "-tags",
            "-coverprofile",
            "-coverpkg",
            "-covermode",
            "-skip",
            "-vet",
            "-shuffle",
            "-ldflags",
            "-gcflags",
            "-mod",
            "-outputdir",
        ],
    ),
    (
        "cargo",
        &[
            "--jobs",
            "--target-dir",
            "--message-format",
            "--cargo-profile",
            "--test-threads",
            "--retries",
            "--config-file",
            "--tool-config-file",
            "--partition",
            "--run-ignored",
        ],
    ),
    (
        "mocha",
        &[
            "-R",
            "--reporter",
            "--require",
            "-r",
            "--ui",
            "-u",
            "--retries",
            "--extension",
            "--spec",
            "-g",
            "--grep",
            "--file",
        ],
    ),
    (
        "jest",
        &[
            "--reporters",
            "--coverageReporters",
            "--maxWorkers",
            "--testTimeout",
            "--env",
            "--coverageDirectory",
            "--outputFile",
            "--rootDir",
        ],
    ),
    (
        "vitest",
        &[
            "--reporter",
            "--pool",
            "--environment",
            "--outputFile",
            "--root",
            "-r",
        ],
    ),
    (
        "playwright",
        &["--reporter", "--workers", "--retries", "--project"],
    ),
    (
        "rspec",
        &[
            "--format",
            "--require",
            "-r",
            "--seed",
            "--order",
            "-e",
            "--tag",
        ],
    ),
    ("ctest", &["--test-dir", "-j", "-R", "-E", "-L", "-LE"]),
    (
        "phpunit",
        &["--bootstrap", "--log-junit", "--testsuite", "--group"],
    ),
];

/// Options that make a run smaller.
const NARROWING: &[&str] = &[
    "-k",
    "-m",
    "--deselect",
    "--ignore",
    "--lf",
    "--last-failed",
    "--sw",
    "--stepwise",
    "--nf",
    "-p",
    "--package",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--lib",
    "--bins",
    "--doc",
    "--exclude",
    "-E",
    "--filter-expr",
    "--filter",
    "-t",
    "-run",
    "--testNamePattern",
    "--skip",
    "--onlyChanged",
    "-o",
    "--changed",
    "-short",
];
/// The same of single tools.
const NARROWING_BY: &[(&str, &[&str])] = &[
    ("go", &["-skip"]),
    ("cargo", &["--partition"]),
    ("pytest", &["--ignore-glob"]),
    ("mocha", &["-g", "--grep", "--spec"]),
    (
        "playwright",
        &["--project", "-g", "--grep", "--only-changed"],
    ),
    ("rspec", &["-e", "--tag", "--only-failures"]),
    ("ctest", &["-R", "-E", "-L", "-LE", "--rerun-failed"]),
    ("phpunit", &["--testsuite", "--group"]),
];

fn of_tool(list: &[(&str, &[&str])], tool: &str, option: &str) -> bool {
    let mut own = list.iter().filter(|(of, _)| *of == tool);
    own.any(|(_, options)| options.contains(&option))
}

/// Returns true if an option of a tool takes the next word.
pub(super) fn is_valued(tool: &str, option: &str) -> bool {
    VALUED.contains(&option) || of_tool(VALUED_BY, tool, option)
}

/// Returns true if an option of a tool makes its run smaller.
pub(super) fn narrows(tool: &str, option: &str) -> bool {
    let setting = match tool {
        // `-p no:cacheprovider` and `-o x=y` are settings, not choices.
        "pytest" => matches!(option, "-p" | "-o" | "-t" | "-E"),
        // So many packages at once.
        "go" => option == "-p",
        _ => false,
    };
    !setting && (NARROWING.contains(&option) || of_tool(NARROWING_BY, tool, option))
}
