//! What a question asks for: its terms with weights, and the files and names that it mentions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::commit_message;
use crate::words;

use super::weights::Weights;

mod named;

/// Longest question that is read, in bytes; the rest does not count.
pub(super) const MAX_QUESTION: usize = 32 * 1024;
/// Most different terms that are looked up, the weightiest first.
pub(super) const MAX_TERMS: usize = 160;
/// Most mentions of files and of names that are looked up, each.
const MAX_MENTIONS: usize = 48;

/// A term of the question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// As [`words::terms`] makes it.
    pub(super) text: String,
    /// What it counts, before any idf.
    pub(super) weight: f32,
    /// What it counts in the first line alone.
    pub(super) title: f32,
}

/// Something that the question names exactly.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    /// As written; a path without `.` and `..`, with `/` between its parts and in front where it is
    /// absolute.
    pub(super) text: String,
    /// 1 in the first line, less below it.
    pub(super) weight: f32,
    /// It can be nothing but a name: in backticks, with `_` or `::`, in camelCase, called.
    pub(super) certain: bool,
}

/// A question, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Question {
    /// Terms, weightiest first.
    pub(super) terms: Vec<Term>,
    /// Terms of the scope in front of the title, as in `feat(cli): …` or `cli: …`.
    pub(super) scope: Vec<String>,
    /// Paths, file names and directories.
    pub(super) paths: Vec<Mention>,
    /// Identifiers.
    pub(super) names: Vec<Mention>,
    /// The question is about tests, documentation, configuration and dependencies: 0 or 1, between
    /// for weak signs.
    pub(super) asks: [f32; 3],
}

/// Short forms that programmers use for words, both as they are written.
static SHORT: &[(&str, &str)] = &[
    ("config", "configuration"),
    ("auth", "authentication"),
    ("auth", "authorization"),
    ("msg", "message"),
    ("dir", "directory"),
    ("env", "environment"),
    ("repo", "repository"),
    ("cmd", "command"),
    ("arg", "argument"),
    ("param", "parameter"),
    ("impl", "implementation"),
    ("doc", "documentation"),
    ("dep", "dependency"),
    ("db", "database"),
    ("ctx", "context"),
    ("fn", "function"),
    ("func", "function"),
    ("opt", "option"),
    ("spec", "specification"),
    ("lib", "library"),
    ("init", "initialize"),
    ("conn", "connection"),
    ("req", "request"),
    ("resp", "response"),
    ("res", "response"),
    ("num", "number"),
    ("str", "string"),
    ("int", "integer"),
    ("tmp", "temporary"),
    ("temp", "temporary"),
    ("prev", "previous"),
    ("info", "information"),
    ("attr", "attribute"),
    ("sync", "synchronize"),
    ("async", "asynchronous"),
    ("exec", "execute"),
    ("util", "utility"),
    ("stats", "statistics"),
    ("ref", "reference"),
    ("ws", "websocket"),
    ("val", "value"),
    ("var", "variable"),
    ("char", "character"),
    ("pkg", "package"),
    ("mod", "module"),
    ("proc", "process"),
    ("ext", "extension"),
    ("cert", "certificate"),
    ("perm", "permission"),
    ("addr", "address"),
    ("alloc", "allocate"),
    ("buf", "buffer"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("iter", "iterator"),
    ("gen", "generate"),
    ("del", "delete"),
    ("expr", "expression"),
    ("stmt", "statement"),
    ("decl", "declaration"),
    ("def", "definition"),
    ("desc", "description"),
    ("app", "application"),
    ("ui", "interface"),
    ("ts", "typescript"),
    ("js", "javascript"),
    ("py", "python"),
    ("admin", "administrator"),
    ("ci", "workflow"),
    ("deps", "manifest"),
    ("async", "await"),
    ("autocomplete", "completion"),
    ("regex", "regexp"),
];

/// The same as stems.
static STEMS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let stems = |(short, long): &(&str, &str)| (words::stem(short), words::stem(long));
    SHORT.iter().map(stems).collect()
});

static TESTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "bench",
    "benchmark",
    "benchmarks",
    "unittest",
    "flaky",
    "spec",
    "specs",
    "fuzz",
];
static DOCS: &[&str] = &[
    "doc",
    "docs",
    "documentation",
    "readme",
    "changelog",
    "typo",
    "typos",
    "document",
    "website",
    "tutorial",
    "guide",
    "comment",
];
static CONFIG: &[&str] = &[
    "ci",
    "build",
    "deps",
    "dependencies",
    "dependency",
    "bump",
    "workflow",
    "workflows",
    "release",
    "version",
    "upgrade",
    "lint",
    "msrv",
    "docker",
    "makefile",
    "cmake",
    "nix",
    "lockfile",
    "chore",
    "cargo",
    "npm",
    "dependabot",
    "renovate",
    "actions",
    "packaging",
];

/// What a term counts so far: in all, and in the first line.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    all: f32,
    title: f32,
}

impl Sum {
    fn add(&mut self, weight: f32, title: bool) {
        self.all += weight;
        if title {
            self.title += weight;
        }
    }
}

/// Reads a question.
pub(super) fn read(text: &str, weights: &Weights) -> Question {
    let mut end = text.len().min(MAX_QUESTION);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = commit_message::clean(text.get(..end).unwrap_or(""));
    let mut question = Question::default();
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let silent = words::function_words(&text);
    let level = |term: &str| match silent {
        Some(silent) if silent.contains(term) => 0.0,
        _ => words::weight(term),
    };
    let (title, body) = text.split_once('\n').unwrap_or((&text, ""));
    let title = scoped(title, &mut question, weights, &mut sums);
    let mut before = String::new();
    for (part, weight, first) in [(title, 1.0, true), (body, weights.body_text, false)] {
        before.clear();
        for token in part.split_whitespace() {
            named::mention(token, weight, &mut question);
        }
        words::terms(part.as_bytes(), |term| {
            let base = level(term);
            if base > 0.0 {
                sums.entry(term.to_owned())
                    .or_default()
                    .add(weight * base, first);
            }
            // Two words in prose may be one in code.
            if base > 0.0 && !before.is_empty() && before.len() + term.len() <= words::MAX_WORD {
                let joined = words::stem(&format!("{before}{term}"));
                sums.entry(joined)
                    .or_default()
                    .add(weight * weights.pairs, first);
            }
            before.clear();
            if base > 0.0 {
                before.push_str(term);
            }
        });
    }
    let asks = [(TESTS, 0), (DOCS, 1), (CONFIG, 2)];
    for (words, at) in asks {
        let mut found: f32 = 0.0;
        let first = title_words(&text);
        if first.iter().any(|w| words.contains(&w.as_str())) {
            found = 1.0;
        }
        if let Some(ask) = question.asks.get_mut(at) {
            *ask = found;
        }
    }
    if weights.short > 0.0 {
        let mut more: Vec<(String, Sum)> = Vec::new();
        for (short, long) in STEMS.iter() {
            match (sums.get(short), sums.get(long)) {
                (Some(w), None) => more.push((long.clone(), *w)),
                (None, Some(w)) => more.push((short.clone(), *w)),
                _ => {}
            }
        }
        for (term, weight) in more {
            let to = sums.entry(term).or_default();
            to.all = to.all.max(weight.all * weights.short);
            to.title = to.title.max(weight.title * weights.short);
        }
    }
    let again = |sum: f32| match sum > 1.0 {
        true => 1.0 + (sum - 1.0) * weights.again,
        false => sum,
    };
    question.terms = sums
        .into_iter()
        .map(|(text, sum)| Term {
            text,
            // A word said again counts less each time.
            weight: again(sum.all),
            title: again(sum.title),
        })
        .collect();
    // Stable: equal weights stay in the order of terms.
    question.terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    question.terms.truncate(MAX_TERMS);
    question.paths.truncate(MAX_MENTIONS);
    question.names.truncate(MAX_MENTIONS);
    question
}

fn title_words(text: &str) -> Vec<String> {
    let title = text.lines().next().unwrap_or("");
    title
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Takes the scope off a title: `feat(cli): add` and `lib/cli: add`.
fn scoped<'a>(
    title: &'a str,
    question: &mut Question,
    weights: &Weights,
    sums: &mut BTreeMap<String, Sum>,
) -> &'a str {
    let bracketed = title
        .strip_prefix('[')
        .and_then(|t| t.split_once(']'))
        .filter(|(s, _)| s.len() <= 40);
    let colon = title
        .split_once(": ")
        .filter(|(s, _)| s.len() <= 48 && s.split(' ').count() <= 3);
    let Some((scope, rest)) = bracketed.or(colon) else {
        return title;
    };
    let scope = match scope.split_once('(') {
        Some((_, inner)) => inner,
        None => scope,
    };
    // A compiler puts the file that it complains of in front: `src/net.rs:45:12: error: …`.
    for token in scope.split_whitespace() {
        named::file(token, &mut question.paths);
    }
    words::terms(scope.as_bytes(), |term| {
        question.scope.push(term.to_owned());
        let base = words::weight(term);
        if base > 0.0 {
            sums.entry(term.to_owned())
                .or_default()
                .add(base * weights.scope_text, true);
        }
    });
    question.scope.sort();
    question.scope.dedup();
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Question {
        read(text, &Weights::default())
    }

    fn weight(question: &Question, term: &str) -> f32 {
        let found = question.terms.iter().find(|t| t.text == term);
        found.map_or(0.0, |t| t.weight)
    }

    #[test]
    fn titles_count_more_than_bodies_and_plain_words_less() {
        let question = question("fix the scheduler\n\nThe queue full of jobs.");
        assert!(weight(&question, "schedul") > weight(&question, "queu"));
        assert!(weight(&question, "queu") > weight(&question, "fix"));
        assert_eq!(weight(&question, "the"), 0.0);
        assert!(weight(&question, "queuful") > 0.0);
    }

    #[test]
    fn scopes_are_taken_off_titles() {
        for (text, scope) in [
            ("feat(cli): add it", "cli"),
            ("lib/cli: add it", "cli lib"),
            ("[cli] add it", "cli"),
            ("add it to the cli for good: now", ""),
            ("add it", ""),
        ] {
            assert_eq!(question(text).scope.join(" "), scope, "{text}");
        }
    }

    #[test]
    fn mentions_are_seen() {
        let question = question(
            "Move a/b.rs, `run_all` and Parser::next out of main.c (see CamelCase) in the Core.",
        );
        let texts = |all: &[Mention]| {
            let mut texts: Vec<String> = all.iter().map(|m| m.text.clone()).collect();
            texts.sort();
            texts.join(" ")
        };
        assert_eq!(texts(&question.paths), "a/b.rs main.c");
        let certain: Vec<Mention> = question
            .names
            .iter()
            .filter(|m| m.certain)
            .cloned()
            .collect();
        assert_eq!(texts(&certain), "CamelCase Parser next run_all");
        assert!(
            question
                .names
                .iter()
                .any(|m| m.text == "Core" && !m.certain)
        );
    }

    #[test]
    fn what_is_asked_for() {
        assert_eq!(question("Update the README").asks, [0.0, 1.0, 0.0]);
        assert_eq!(question("flaky test of the queue").asks, [1.0, 0.0, 0.0]);
        assert_eq!(question("bump serde").asks, [0.0, 0.0, 1.0]);
    }
}
