//! Intent and target properties of a request, by whole words.

/// Intents by their words, in the order in which they are looked for.
const INTENTS: &[(&str, &[&str])] = &[
    (
        "landing",
        &["commit", "commits", "land", "lands", "ship", "ships"],
    ),
    (
        "performance",
        &[
            "profile",
            "profiling",
            "benchmark",
            "benchmarks",
            "optimize",
            "optimise",
            "optimization",
            "performance",
            "slow",
            "faster",
        ],
    ),
    (
        "debug",
        &[
            "bug", "bugs", "debug", "fix", "fixes", "wrong", "fail", "fails", "failing", "failed",
            "failure", "broken", "crash", "crashes",
        ],
    ),
    (
        "docs",
        &["doc", "docs", "documentation", "readme", "changelog"],
    ),
    (
        "implementation",
        &["add", "build", "create", "implement", "improve", "support"],
    ),
];
/// Intent of a request without any of these words.
const OTHER: &str = "investigation";

/// Target properties by their words.
const PROPERTIES: &[(&str, &[&str])] = &[
    (
        "discoverability",
        &[
            "intake",
            "discover",
            "discoverability",
            "agent",
            "agents",
            "workflow",
            "workflows",
        ],
    ),
    (
        "performance",
        &[
            "perf",
            "performance",
            "profile",
            "profiling",
            "benchmark",
            "benchmarks",
            "slow",
            "latency",
        ],
    ),
    (
        "verification",
        &[
            "test",
            "tests",
            "verify",
            "verification",
            "contract",
            "contracts",
        ],
    ),
];
/// Property of a request without any of these words.
const DEFAULT_PROPERTY: &str = "task-specific correctness";

fn words(request: &str) -> Vec<String> {
    let split = request.split(|c: char| !c.is_alphanumeric());
    split
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Infers what kind of work a request asks for.
pub fn intent(request: &str) -> &'static str {
    let words = words(request);
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let found = INTENTS.iter().find(|(_, list)| says(list));
    found.map_or(OTHER, |(intent, _)| intent)
}

/// Infers which properties a request is about.
pub fn target_properties(request: &str) -> Vec<&'static str> {
    let words = words(request);
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let mut found: Vec<&str> = PROPERTIES
        .iter()
        .filter(|(_, list)| says(list))
        .map(|(property, _)| *property)
        .collect();
    if found.is_empty() {
        found.push(DEFAULT_PROPERTY);
    }
    found
}
