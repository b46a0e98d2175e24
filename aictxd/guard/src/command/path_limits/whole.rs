//! Tools that take all files of their kind where they run, when nobody names any.

use std::sync::LazyLock;

use aictx_proto::path::{Located, RepoPath};
use aictx_shell::{Names, Word};

use super::{MAX_WORDS, limit_there, touched};
use crate::command::options::{has_option, operands_of};
use crate::command::symlinks::Last;
use crate::command::{Call, Judge};

/// One such tool.
struct Whole {
    names: &'static [&'static str],
    /// Verbs of which the first operand must be one, where there are some.
    verbs: &'static [&'static str],
    /// Options of which one must be given, where there are some.
    with: &'static [&'static str],
    /// Extensions of the files it writes; any, if empty.
    endings: &'static [&'static str],
    /// It takes the whole project, wherever in it it runs.
    project: bool,
}

const fn whole(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    with: &'static [&'static str],
    endings: &'static [&'static str],
) -> Whole {
    Whole {
        names,
        verbs,
        with,
        endings,
        project: false,
    }
}

/// The same of a tool that looks for its project above.
const fn project(of: Whole) -> Whole {
    Whole {
        project: true,
        ..of
    }
}

const PYTHON: &[&str] = &[".py", ".pyi", ".ipynb"];
const SCRIPTS: &[&str] = &[
    ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte",
];
const WEB: &[&str] = &[
    ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".json", ".jsonc", ".css", ".html", ".md",
    ".graphql",
];

/// Tools that write without a path. `black`, `prettier`, `gofmt` and `rustfmt` do not: they are not
/// among them.
static TOOLS: &[Whole] = &[
    whole(&["ruff"], &["format"], &[], PYTHON),
    whole(&["ruff"], &["check"], &["--fix", "--fix-only"], PYTHON),
    whole(
        &["eslint", "oxlint", "standard", "ts-standard", "xo"],
        &[],
        &["--fix"],
        SCRIPTS,
    ),
    whole(
        &["biome"],
        &["format", "check", "lint", "ci"],
        &["--write", "--apply", "--fix"],
        WEB,
    ),
    whole(&["deno"], &["fmt"], &[], WEB),
    project(whole(&["cargo"], &["fmt", "fix"], &[], &[".rs"])),
    project(whole(&["cargo"], &["clippy"], &["--fix"], &[".rs"])),
    whole(&["go"], &["fmt", "fix"], &[], &[".go"]),
    whole(&["golangci-lint"], &["run", "fmt"], &["--fix"], &[".go"]),
    whole(
        &["rubocop"],
        &[],
        &[
            "-a",
            "-A",
            "-x",
            "--autocorrect",
            "--autocorrect-all",
            "--auto-correct",
        ],
        &[".rb", ".rake", ".gemspec"],
    ),
    whole(&["standardrb"], &[], &["--fix"], &[".rb", ".rake"]),
    whole(&["terraform", "tofu"], &["fmt"], &[], &[".tf", ".tfvars"]),
    project(whole(&["mix"], &["format"], &[], &[".ex", ".exs", ".heex"])),
    project(whole(&["dotnet"], &["format"], &[], &[".cs", ".vb", ".fs"])),
    whole(&["dart"], &["fix"], &["--apply"], &[".dart"]),
    whole(
        &["swiftlint"],
        &[],
        &["--fix", "--autocorrect"],
        &[".swift"],
    ),
    whole(&["ktlint"], &[], &["-F", "--format"], &[".kt", ".kts"]),
    whole(&["php-cs-fixer"], &["fix"], &[], &[".php"]),
    whole(&["phpcbf", "pint"], &[], &[], &[".php"]),
    whole(&["buf"], &["format"], &["-w", "--write"], &[".proto"]),
    whole(&["nix"], &["fmt"], &[], &[".nix"]),
    whole(&["gleam"], &["format"], &[], &[".gleam"]),
    whole(&["taplo"], &["fmt", "format"], &[], &[".toml"]),
    project(whole(
        &["gradle", "gradlew"],
        &["spotlessApply", "ktlintFormat"],
        &[],
        &[],
    )),
    project(whole(
        &["mvn", "mvnw"],
        &["spotless:apply", "fmt:format"],
        &[],
        &[],
    )),
];

/// Options that let such a tool tell what it would do.
const TELLS: &[&str] = &[
    "--check",
    "-check",
    "--check-formatted",
    "--diff",
    "-diff",
    "--dry-run",
    "--verify-no-changes",
    "--test",
    "--list",
    "-l",
];

/// All of these programs: every call is looked up.
static PROGRAMS: LazyLock<Names> = LazyLock::new(|| {
    let programs = TOOLS.iter().flat_map(|tool| tool.names);
    programs.copied().collect()
});

/// Judges a tool that is given no path.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let (name, arguments) = (call.name, call.arguments());
    if !PROGRAMS.contains(name) {
        return;
    }
    let mut known = TOOLS.iter().filter(|tool| tool.names.contains(&name));
    let operands = operands_of(call.program.valued, arguments).words;
    let tool = known.find(|tool| {
        let verb = tool.verbs.is_empty()
            || operands
                .first()
                .is_some_and(|verb| tool.verbs.contains(verb));
        verb && (tool.with.is_empty() || has_option(arguments, tool.with))
    });
    let tells = arguments
        .iter()
        .take(MAX_WORDS)
        .any(|word| TELLS.contains(&word.text.as_str()));
    let Some(tool) = tool.filter(|_| !tells) else {
        return;
    };
    // `cargo fmt -- src/a.rs`
    let given = operands.get(usize::from(!tool.verbs.is_empty())..);
    let given = given.unwrap_or_default().iter().take(MAX_WORDS);
    let paths: Vec<Word> = given
        .filter(|word| is_path(judge, call, word))
        .map(|word| Word::plain(*word))
        .collect();
    if !paths.is_empty() {
        touched(judge, call, &paths, name);
        return;
    }
    let dir = call.command.dir.as_deref();
    let way = judge.way(dir, ".", Last::Followed);
    let here = match way.located() {
        Some(Located::Inside(_)) if tool.project => RepoPath::parse(".").ok(),
        Some(Located::Inside(path)) => Some(path.clone()),
        _ => None,
    };
    let Some(here) = here else {
        if let Some(limit) = limit_there(judge, &way) {
            judge.off_limits(&limit, name, ".");
        }
        return;
    };
    let facts = judge.facts;
    let limit = facts
        .limit(&here)
        .or_else(|| facts.limit_among(&here, tool.endings));
    if let Some(limit) = limit {
        judge.off_limits(&limit, name, here.as_str());
    }
}

/// Returns true if an operand names something that is there, or could only be a path.
fn is_path(judge: &Judge, call: Call, text: &str) -> bool {
    // `./...` is all that is below.
    if text.ends_with("...") {
        return false;
    }
    let way = judge.way(call.command.dir.as_deref(), text, Last::Followed);
    let there = match way.located() {
        Some(Located::Inside(path)) => judge.facts.path(path).exists,
        _ => None,
    };
    there == Some(true) || text.contains(['/', '*']) || text == "."
}
