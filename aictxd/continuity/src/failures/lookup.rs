//! Which remembered failures matter: for a task, for a file, for a command, for an error at hand
//! (spec/memory-repomap-setup.md §5.7).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use aictx_proto::Timestamp;
use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::{LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::record::FailurePattern;
use aictx_proto::text::{clean, printable};
use aictx_proto::tokens;
use aictx_proto::words;

use crate::capsule::age;
use crate::memo::{self, Memo, same_check};

/// Weights of the spec, in its order.
const EXACT_FILE: f64 = 6.0;
const SAME_DIRECTORY: f64 = 2.0;
const NAMED: f64 = 6.0;
const EACH_WORD: f64 = 2.0;
const ALL_WORDS: f64 = 8.0;
const SAME_AREA: f64 = 2.0;
const SAME_TASK_TYPE: f64 = 1.0;
const OFTEN: f64 = 1.0;
const RECENT: f64 = 1.0;
/// A command that is the same check; the spec knows no such question, a file is the nearest.
const SAME_COMMAND: f64 = 6.0;
/// Below this nothing is shown: type and area alone load nothing.
const LEAST: f64 = 4.0;
/// Occurrences that count as often, and seconds that count as recent.
const MANY: u64 = 3;
const FORTNIGHT: u64 = 14 * 86_400;
/// Most lines said about a failure that came back.
const MAX_LINES: usize = 3;
/// And most tokens.
const MAX_TOKENS: u32 = 400;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailureQuery<'a> {
    /// The task in words.
    pub task: &'a str,
    /// Kind of task, empty when unknown.
    pub task_type: &'a str,
    /// Area, empty when unknown.
    pub area: &'a str,
    /// Files edited or named, relative to the repository.
    pub paths: &'a [String],
    /// A command about to be run.
    pub command: &'a str,
}

/// Patterns that have to do with a question, best first, with their scores; deterministic.
pub fn find_failures<'a>(
    patterns: &'a [FailurePattern],
    query: &FailureQuery<'_>,
    now: Timestamp,
) -> Vec<(f64, &'a FailurePattern)> {
    let asked = terms(query.task);
    // Only the question's terms are looked for, so only their spread matters.
    let texts: Vec<Arc<BTreeSet<String>>> = if asked.is_empty() {
        Vec::new()
    } else {
        patterns.iter().map(|p| terms(&haystack(p))).collect()
    };
    let all = patterns.len().max(1) as f64;
    let rarity: BTreeMap<&str, f64> = asked
        .iter()
        .map(|term| {
            let having = texts.iter().filter(|text| text.contains(term)).count() as f64;
            // 1 for a term of one pattern, towards 0 for a term of all.
            let rarity = ((all + 1.0) / (having + 1.0)).ln() / ((all + 1.0) / 2.0).ln().max(0.7);
            (
                term.as_str(),
                rarity.min(1.0) * f64::from(words::weight(term)),
            )
        })
        .collect();
    let mut found: Vec<(f64, &FailurePattern)> = Vec::new();
    for (at, pattern) in patterns.iter().enumerate() {
        let text = texts.get(at);
        let shared = rarity
            .iter()
            .filter(|(term, _)| text.is_some_and(|text| text.contains(**term)));
        let words: f64 = shared.map(|(_, telling)| EACH_WORD * telling).sum();
        let score = words.min(ALL_WORDS) + score(pattern, query, now);
        if score >= LEAST {
            found.push((score, pattern));
        }
    }
    found.sort_by(|a, b| {
        let later = || b.1.timestamp.cmp(&a.1.timestamp);
        let by_id = || a.1.failure_id.cmp(&b.1.failure_id);
        b.0.total_cmp(&a.0).then_with(later).then_with(by_id)
    });
    found
}

/// Everything but the words.
fn score(pattern: &FailurePattern, query: &FailureQuery<'_>, now: Timestamp) -> f64 {
    let mut score = 0.0;
    let known: Vec<&String> = pattern
        .related_paths
        .iter()
        .chain(&pattern.files_involved)
        .filter(|path| !path.is_empty())
        .collect();
    let named = |path: &&String| query.paths.contains(path) || mentions(query.task, path);
    let directory = |path: &str| path.rsplit_once('/').map(|(d, _)| d.to_owned());
    if known.iter().any(named) {
        score += EXACT_FILE;
    } else if query.paths.iter().any(|path| {
        let near = directory(path);
        near.is_some() && known.iter().any(|known| directory(known) == near)
    }) {
        score += SAME_DIRECTORY;
    }
    let codes = pattern.error_codes.iter().map(String::as_str);
    let tests = pattern.error_events.iter().map(|e| e.test.as_str());
    if codes.chain(tests).any(|name| mentions(query.task, name)) {
        score += NAMED;
    }
    if !query.command.is_empty() && same_check(query.command, &pattern.failed_command) {
        score += SAME_COMMAND;
    }
    let same = |a: &str, b: &str| !a.is_empty() && a != "unknown" && a == b;
    score += if same(query.area, &pattern.area_id) {
        SAME_AREA
    } else {
        0.0
    };
    if same(query.task_type, &pattern.task_type) {
        score += SAME_TASK_TYPE;
    }
    if score > 0.0 || !query.task.is_empty() {
        score += if pattern.occurrences >= MANY {
            OFTEN
        } else {
            0.0
        };
        let seen = Timestamp::parse(&pattern.timestamp);
        if seen.is_some_and(|seen| now.since(seen) < FORTNIGHT) {
            score += RECENT;
        }
    }
    score
}

/// Whether a text names something that is long enough to be a name.
fn mentions(text: &str, name: &str) -> bool {
    name.len() >= 4 && text.contains(name)
}

fn haystack(pattern: &FailurePattern) -> String {
    let mut text = format!(
        "{} {} {} {}",
        pattern.error_text,
        pattern.failed_command,
        pattern.attempted_fix_summary,
        pattern.resolution_summary
    );
    let lists = [
        &pattern.symptoms,
        &pattern.related_paths,
        &pattern.error_codes,
    ];
    for item in lists.into_iter().flatten() {
        text.push(' ');
        text.push_str(item);
    }
    text
}

/// Words that every failure has say nothing of any.
const COMMON: [&str; 8] = [
    "fail", "failed", "failure", "error", "fix", "bug", "test", "tests",
];

fn terms(text: &str) -> Arc<BTreeSet<String>> {
    static KNOWN: LazyLock<Memo<String, Arc<BTreeSet<String>>>> = LazyLock::new(Memo::new);
    if !memo::is_short(text) {
        return Arc::new(find_terms(text));
    }
    KNOWN.get(text, |text| Arc::new(find_terms(text)))
}

fn find_terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    words::terms(text.as_bytes(), |term| {
        if term.len() > 2 && !COMMON.iter().any(|c| words::stem(c) == term) {
            terms.insert(term.to_owned());
        }
    });
    terms
}

/// What is known of the errors that a command just ended with, for the agent that ran it: when it
/// was seen, what fixed it, what did not. At most three lines; nothing when nothing is known.
pub fn known_failure(
    patterns: &[FailurePattern],
    events: &[ErrorEvent],
    now: Timestamp,
) -> Option<(String, Receipt)> {
    let is_it = |p: &&FailurePattern| {
        events.iter().any(|event| {
            !event.fingerprint.is_empty()
                && (event.fingerprint == p.signature
                    || p.error_fingerprints.contains(&event.fingerprint))
        })
    };
    let mut known: Vec<&FailurePattern> = patterns.iter().filter(is_it).collect();
    // One that was solved helps more than one that was not.
    known.sort_by_key(|p| {
        (
            p.resolution_summary.is_empty(),
            std::cmp::Reverse(&p.timestamp),
        )
    });
    let pattern = known.first()?;
    let mut lines = vec![format!(
        "Seen before, as recorded in this repository ({}x, last {}, {}): \"{}\"",
        pattern.occurrences.max(1),
        age(&pattern.timestamp, now),
        if pattern.status == "resolved" {
            "resolved then"
        } else {
            "still open"
        },
        clean(
            &printable(pattern.symptoms.first().unwrap_or(&pattern.error_text)),
            160
        )
    )];
    if !pattern.resolution_summary.is_empty() {
        lines.push(format!(
            "Recorded as what fixed it: \"{}\"",
            clean(&printable(&pattern.resolution_summary), 200).replace('"', "'")
        ));
    }
    let tried = pattern
        .failed_attempts
        .iter()
        .find(|tried| !tried.is_empty() && **tried != pattern.resolution_summary);
    if let Some(tried) = tried {
        lines.push(format!(
            "Recorded as what did not: \"{}\"",
            clean(&printable(tried), 200).replace('"', "'")
        ));
    }
    lines.truncate(MAX_LINES);
    let mut text = lines.join("\n");
    while lines.len() > 1 && tokens::estimate(&text) > MAX_TOKENS {
        lines.pop();
        text = lines.join("\n");
    }
    let tokens = tokens::estimate(&text);
    let others = known.iter().skip(1).map(|p| LeftOut {
        kind: "failure".to_owned(),
        id: p.failure_id.clone(),
        why: "limit".to_owned(),
    });
    let receipt = Receipt {
        surface: "failure".to_owned(),
        tokens,
        budget: MAX_TOKENS,
        items: vec![ToldItem {
            kind: "failure".to_owned(),
            id: pattern.failure_id.clone(),
            tokens,
            why: "the same error was seen before".to_owned(),
        }],
        left_out: others.take(MAX_LEFT_OUT).collect(),
    };
    Some((text, receipt))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(id: &str, text: &str, file: &str) -> FailurePattern {
        FailurePattern {
            failure_id: format!("failure::{id}"),
            signature: id.to_owned(),
            error_text: text.to_owned(),
            symptoms: vec![text.to_owned()],
            related_paths: vec![file.to_owned()],
            failed_command: "pytest -q".to_owned(),
            status: "open".to_owned(),
            occurrences: 1,
            ..FailurePattern::default()
        }
    }

    fn ids(found: &[(f64, &FailurePattern)]) -> Vec<String> {
        found.iter().map(|(_, p)| p.signature.clone()).collect()
    }

    #[test]
    fn files_words_and_commands_find_what_they_should() {
        let mut patterns = vec![
            pattern(
                "a",
                "KeyError: session_token missing in cache",
                "src/cache.py",
            ),
            pattern("b", "TypeError: cannot add str to int", "src/sum.py"),
            pattern("c", "AssertionError: widget overlaps", "ui/widget.py"),
        ];
        patterns[2].error_codes = vec!["E0308".into()];
        let now = Timestamp::from_unix(0);
        let ask = |query: FailureQuery<'_>| ids(&find_failures(&patterns, &query, now));
        let paths = ["src/sum.py".to_owned()];
        assert_eq!(
            ask(FailureQuery {
                paths: &paths,
                ..FailureQuery::default()
            }),
            ["b"]
        );
        let task = "the session token is missing from the cache";
        assert_eq!(
            ask(FailureQuery {
                task,
                ..FailureQuery::default()
            }),
            ["a"]
        );
        assert_eq!(
            ask(FailureQuery {
                task: "what is E0308",
                ..FailureQuery::default()
            }),
            ["c"]
        );
        let command = "python -m pytest";
        let by_command = ask(FailureQuery {
            command,
            ..FailureQuery::default()
        });
        assert_eq!(by_command.len(), 3);
        // W-F: type and area alone load nothing.
        let general = FailureQuery {
            task_type: "bug_fixing",
            area: "src",
            ..FailureQuery::default()
        };
        assert!(ask(general).is_empty());
        assert!(
            ask(FailureQuery {
                task: "fix the failing test",
                ..FailureQuery::default()
            })
            .is_empty()
        );
    }

    #[test]
    fn a_failure_that_comes_back_is_told_in_three_lines() {
        let mut known = pattern("f1", "boom \u{1b}[31m", "a.py");
        let event = ErrorEvent {
            fingerprint: "f1".into(),
            ..ErrorEvent::default()
        };
        let now = Timestamp::from_unix(200_000);
        known.timestamp = Timestamp::from_unix(100).to_string();
        known.failed_attempts = vec!["raised the timeout".into()];
        let (told, receipt) =
            known_failure(&[known.clone()], std::slice::from_ref(&event), now).unwrap();
        assert_eq!(receipt.items[0].id, known.failure_id);
        assert_eq!(
            told,
            "Seen before, as recorded in this repository (1x, last 2 days ago, still open): \"boom [31m\"\nRecorded as what did not: \"raised the timeout\""
        );
        known.status = "resolved".into();
        known.resolution_summary = "closed the \"pool\"".into();
        let told = known_failure(&[known.clone()], &[event], now).unwrap().0;
        assert_eq!(told.lines().count(), 3);
        assert!(
            told.contains("Recorded as what fixed it: \"closed the 'pool'\""),
            "{told}"
        );
        assert_eq!(known_failure(&[known], &[], now), None);
    }
}
