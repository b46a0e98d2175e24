//! Which remembered failures matter: for a task, for a file, for a command, for an error at hand
//! (spec/memory-repomap-setup.md §5.7).

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use aictx_proto::Timestamp;
use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::{LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::record::FailurePattern;
use aictx_proto::text::{clean, printable};
use aictx_proto::tokens;
use aictx_proto::words;

use crate::capsule::age;
use crate::memo::same_check;

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
    patterns: &'a [Arc<FailurePattern>],
    query: &FailureQuery<'_>,
    now: Timestamp,
) -> Vec<(f64, &'a FailurePattern)> {
    let asked = asked(query.task);
    // Bit by bit, which of the question's terms a pattern has.
    let having: Vec<u64> = if asked.is_empty() {
        vec![0; patterns.len()]
    } else {
        let has = |terms: &Terms| {
            let bits = asked.iter().enumerate();
            bits.filter(|(_, (hash, _))| terms.binary_search(hash).is_ok())
                .fold(0, |mask, (at, _)| mask | 1 << at)
        };
        terms_of(patterns).iter().map(|terms| has(terms)).collect()
    };
    let all = patterns.len().max(1) as f64;
    let telling: Vec<f64> = asked
        .iter()
        .enumerate()
        .map(|(at, (_, weight))| {
            let having = having.iter().filter(|mask| *mask >> at & 1 == 1).count() as f64;
            // 1 for a term of one pattern, towards 0 for a term of all.
            let rarity = ((all + 1.0) / (having + 1.0)).ln() / ((all + 1.0) / 2.0).ln().max(0.7);
            EACH_WORD * rarity.min(1.0) * weight
        })
        .collect();
    let near: Vec<&str> = query.paths.iter().filter_map(|p| directory(p)).collect();
    let mut found: Vec<(f64, &FailurePattern)> = Vec::new();
    for (pattern, mask) in patterns.iter().zip(having) {
        let shared = telling.iter().enumerate();
        let shared = shared.filter(|(at, _)| mask >> at & 1 == 1);
        let words: f64 = shared.map(|(_, telling)| telling).sum();
        let score = words.min(ALL_WORDS) + score(pattern, query, &near, now);
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

/// The directory of a path, if it is in one.
fn directory(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(directory, _)| directory)
}

/// Everything but the words.
fn score(pattern: &FailurePattern, query: &FailureQuery<'_>, near: &[&str], now: Timestamp) -> f64 {
    let mut score = 0.0;
    let known = || {
        let all = pattern.related_paths.iter().chain(&pattern.files_involved);
        all.filter(|path| !path.is_empty())
    };
    if known().any(|path| query.paths.contains(path) || mentions(query.task, path)) {
        score += EXACT_FILE;
    } else if known().any(|path| directory(path).is_some_and(|d| near.contains(&d))) {
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

/// Hashes of the terms of a text, sorted.
type Terms = [u64];

/// Terms of a question that are looked for.
const MAX_ASKED: usize = 64;

/// The terms of a question with their weights, the weightiest first.
fn asked(text: &str) -> Vec<(u64, f64)> {
    let mut found: Vec<(u64, f64)> = Vec::new();
    find_terms(text, |term| {
        let hash = hash(term);
        if !found.iter().any(|(known, _)| *known == hash) {
            found.push((hash, f64::from(words::weight(term))));
        }
    });
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(MAX_ASKED);
    found
}

fn find_terms(text: &str, mut found: impl FnMut(&str)) {
    static STEMS: LazyLock<Vec<String>> =
        LazyLock::new(|| COMMON.iter().map(|c| words::stem(c).to_owned()).collect());
    words::terms(text.as_bytes(), |term| {
        if term.len() > 2 && !STEMS.iter().any(|c| c == term) {
            found(term);
        }
    });
}

/// FNV-1a with 64 bits: the same in every process.
fn hash(term: &str) -> u64 {
    term.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Rows whose terms are remembered: two snapshots of the largest failure memory.
const MAX_REMEMBERED: usize = 12_000;

/// The terms of each pattern. Rows are shared between snapshots, so that the terms of one are found
/// once; a row that is held weakly keeps its address to itself.
fn terms_of(patterns: &[Arc<FailurePattern>]) -> Vec<Arc<Terms>> {
    type Known = HashMap<usize, (Weak<FailurePattern>, Arc<Terms>)>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() + patterns.len() > MAX_REMEMBERED {
        known.retain(|_, (row, _)| row.strong_count() > 0);
    }
    if known.len() + patterns.len() > MAX_REMEMBERED {
        known.clear();
    }
    let of = |pattern: &Arc<FailurePattern>| {
        let address = Arc::as_ptr(pattern).addr();
        if let Some((_, terms)) = known.get(&address) {
            return Arc::clone(terms);
        }
        let mut found = Vec::new();
        find_terms(&haystack(pattern), |term| found.push(hash(term)));
        found.sort_unstable();
        found.dedup();
        let terms: Arc<Terms> = found.into();
        known.insert(address, (Arc::downgrade(pattern), Arc::clone(&terms)));
        terms
    };
    patterns.iter().map(of).collect()
}

/// What is known of the errors that a command just ended with, for the agent that ran it: when it
/// was seen, what fixed it, what did not. At most three lines; nothing when nothing is known.
pub fn known_failure(
    patterns: &[Arc<FailurePattern>],
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
    let mut known: Vec<&FailurePattern> = patterns.iter().map(|p| &**p).filter(is_it).collect();
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
    use aictx_proto::snapshot::shared;

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
        let patterns = shared(patterns);
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
            known_failure(&shared([known.clone()]), std::slice::from_ref(&event), now).unwrap();
        assert_eq!(receipt.items[0].id, known.failure_id);
        assert_eq!(
            told,
            "Seen before, as recorded in this repository (1x, last 2 days ago, still open): \"boom [31m\"\nRecorded as what did not: \"raised the timeout\""
        );
        known.status = "resolved".into();
        known.resolution_summary = "closed the \"pool\"".into();
        let told = known_failure(&shared([known.clone()]), &[event], now)
            .unwrap()
            .0;
        assert_eq!(told.lines().count(), 3);
        assert!(
            told.contains("Recorded as what fixed it: \"closed the 'pool'\""),
            "{told}"
        );
        assert_eq!(known_failure(&shared([known]), &[], now), None);
    }
}
