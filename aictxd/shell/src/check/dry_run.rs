//! Test runs that run no tests: they list them, compile them, or only explain themselves.

use crate::Word;

/// Options that mean this to every runner that knows them.
const ALL: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "--list",
    "--list-tests",
    "--listTests",
    "--collect-only",
    "--dry-run",
    "--dryRun",
    "--just-print",
    "--recon",
    "--no-run",
    "--show-only",
    "--showConfig",
    "--showconfig",
];
/// Options that mean something else to others. Properties of Java count with their values.
const OF_TOOLS: &[(&str, &[&str])] = &[
    (
        "pytest",
        &[
            "--co",
            "--fixtures",
            "--fixtures-per-test",
            "--funcargs",
            "--markers",
            "--setup-plan",
            "--setup-only",
            "--cache-show",
            "-V",
            "-VV",
        ],
    ),
    ("jest", &["--clearCache", "--init"]),
    ("go", &["-list", "-c", "-n"]),
    ("gradle", &["-m"]),
    (
        "maven",
        &[
            "-DskipTests",
            "-DskipTests=true",
            "-Dmaven.test.skip",
            "-Dmaven.test.skip=true",
            "-v",
        ],
    ),
    ("make", &["--question", "--touch"]),
    ("ctest", &["-N"]),
    ("dotnet", &["-t"]),
    (
        "phpunit",
        &["--list-suites", "--list-groups", "--list-test-files"],
    ),
    (
        "tox",
        &["-l", "-a", "--listenvs", "--listenvs-all", "--notest"],
    ),
    ("nox", &["-l"]),
    ("bats", &["-c", "--count"]),
    ("prove", &["-D", "--dry"]),
    ("cucumber", &["-d"]),
    ("rake", &["-n", "-T", "-P", "--tasks", "--prereqs"]),
    ("just", &["-n", "-l", "-s", "--show"]),
    ("task", &["-n", "-l", "--dry", "--list-all", "--summary"]),
    ("turbo", &["--dry"]),
    ("swift", &["-l"]),
];
/// Words behind a runner's name, or behind its verb, that stand for something else than a run.
const VERBS: &[(&str, &[&str])] = &[
    ("nextest", &["list", "show-config", "archive", "self"]),
    ("vitest", &["list", "init"]),
    ("tox", &["list", "config", "devenv"]),
    ("swift", &["list"]),
];

/// Returns true if a run of a tool with these arguments (all of them, verbs too) runs no tests.
pub(super) fn runs_nothing(tool: &str, arguments: &[Word]) -> bool {
    let own = |table: &'static [(&str, &[&str])], tool: &str| {
        let found = table.iter().find(|(name, _)| *name == tool);
        found.map_or(&[][..], |(_, words)| words)
    };
    let options = own(OF_TOOLS, tool);
    let idle = |word: &Word| {
        let text = word.text.as_str();
        let name = match text.starts_with("-D") {
            true => text,
            false => text.split('=').next().unwrap_or(text),
        };
        text.starts_with('-')
            && (ALL.contains(&name)
                || options.contains(&name)
                || (tool == "make" && makes_nothing(text)))
    };
    let mut operands = arguments.iter().map(|word| word.text.as_str());
    let nextest = arguments
        .iter()
        .any(|word| word.text == "nextest" && tool == "cargo");
    let verbs = own(VERBS, if nextest { "nextest" } else { tool });
    arguments.iter().any(idle)
        || operands
            .find(|text| !text.starts_with(['-', '+']) && !matches!(*text, "nextest" | "test"))
            .is_some_and(|text| verbs.contains(&text))
}

/// `-n`, `-q` and `-t` of make, alone or among other letters (`-kn`).
fn makes_nothing(text: &str) -> bool {
    let letters = text.trim_start_matches('-');
    // These take what follows them as their value.
    let valued = letters.starts_with(['C', 'f', 'I', 'j', 'l', 'o', 'W', 'O', 'E']);
    !text.starts_with("--")
        && !valued
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && letters.contains(['n', 'q', 't'])
}
