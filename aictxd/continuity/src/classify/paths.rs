//! What a path says about the work, by the customs of many languages.

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Tests and their data.
    Test,
    /// Documentation.
    Docs,
    /// Benchmarks and load tests.
    Performance,
    /// Records of decisions about the design.
    Architecture,
    /// Anything else with an ending of a program.
    Code,
    /// Configuration, data, unknown.
    Other,
}

/// Endings that are neither programs nor documentation.
const DATA: &[&str] = &[
    "json",
    "yaml",
    "yml",
    "toml",
    "lock",
    "ini",
    "cfg",
    "conf",
    "txt",
    "csv",
    "xml",
    "env",
    "properties",
    "svg",
    "png",
];
const DOCS: &[&str] = &["md", "mdx", "rst", "adoc", "asciidoc"];

/// What `path` is for.
pub(super) fn kind(path: &str) -> Kind {
    let lower = path.replace('\\', "/").to_lowercase();
    let mut segments: Vec<&str> = lower.split('/').filter(|s| !s.is_empty()).collect();
    let Some(name) = segments.pop() else {
        return Kind::Other;
    };
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let has = |names: &[&str]| segments.iter().any(|s| names.contains(s));
    let original = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let original = original.rsplit_once('.').map_or(original, |(stem, _)| stem);
    if has(&[
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "perf",
        "loadtest",
        "load-tests",
    ]) || stem.starts_with("bench_")
        || stem.ends_with("_bench")
        || stem.ends_with(".bench")
    {
        Kind::Performance
    } else if has(&[
        "test",
        "tests",
        "spec",
        "specs",
        "__tests__",
        "__snapshots__",
        "e2e",
        "testdata",
        "fixtures",
        "androidtest",
        "cypress",
    ]) || stem.starts_with("test_")
        || stem.starts_with("test-")
        || [
            "_test",
            "_tests",
            "_spec",
            ".test",
            ".spec",
            ".e2e",
            "-test",
            "_unittest",
        ]
        .iter()
        .any(|end| stem.ends_with(end))
        || original.ends_with("Test")
        || original.ends_with("Tests")
        || original.ends_with("Spec")
        || matches!(stem, "conftest" | "test" | "tests")
    {
        Kind::Test
    } else if has(&["adr", "adrs", "architecture", "rfcs"])
        || matches!(stem, "architecture" | "design")
    {
        Kind::Architecture
    } else if DOCS.contains(&ending)
        || has(&["docs", "doc", "documentation"])
        || matches!(name, "license" | "authors" | "readme")
    {
        Kind::Docs
    } else if ending.is_empty()
        || DATA.contains(&ending)
        || segments.iter().any(|s| s.starts_with('.'))
    {
        Kind::Other
    } else {
        Kind::Code
    }
}
