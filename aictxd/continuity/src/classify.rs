//! What kind of task a text speaks of: whole words and their stems, never substrings.

/// A task type and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskType {
    /// One of the types of spec/lifecycle.md §4, or `documentation`; `unknown` without evidence.
    pub name: String,
    /// 0.35 for unknown, up to 0.95.
    pub confidence: f64,
    /// Where it comes from: `explicit_task_type`, `heuristic` or `unknown_fallback`.
    pub source: &'static str,
    /// `text:<type>:<word>`, at most 8.
    pub signals: Vec<String>,
}

/// Word stems and weights of each type. A word counts when it begins with a stem marked `*`, or
/// equals one that is not. Verbs of intent weigh more than nouns that any task may mention.
const STEMS: &[(&str, &[(&str, u32)])] = &[
    (
        "bug_fixing",
        &[
            ("fix*", 4),
            ("bug*", 4),
            ("crash*", 4),
            ("regress*", 3),
            ("broken", 3),
            ("debug*", 3),
            ("error*", 2),
            ("fail*", 2),
            ("failing", 2),
            ("repair*", 3),
            ("wrong", 2),
            ("leak*", 2),
            ("panic*", 2),
            ("deadlock*", 2),
        ],
    ),
    (
        "testing",
        &[
            ("test", 2),
            ("tests", 2),
            ("testing", 3),
            ("coverage", 3),
            ("pytest", 2),
            ("flaky", 2),
            ("assert*", 1),
        ],
    ),
    (
        "refactoring",
        &[
            ("refactor*", 4),
            ("rename*", 4),
            ("cleanup", 3),
            ("restructur*", 4),
            ("reorganiz*", 3),
            ("simplif*", 3),
            ("extract*", 2),
            ("split*", 2),
            ("dedup*", 3),
            ("inline", 2),
        ],
    ),
    (
        "performance",
        &[
            ("performance", 4),
            ("latency", 3),
            ("slow*", 3),
            ("optimi*", 4),
            ("throughput", 3),
            ("bottleneck*", 3),
            ("faster", 3),
            ("speed*", 2),
            ("benchmark*", 2),
            ("profil*", 2),
        ],
    ),
    (
        "architecture",
        &[
            ("architect*", 4),
            ("migrat*", 3),
            ("redesign*", 4),
            ("subsystem*", 2),
            ("boundar*", 2),
            ("decoupl*", 3),
        ],
    ),
    (
        "documentation",
        &[
            ("docs", 4),
            ("documentation", 4),
            ("document*", 3),
            ("readme", 4),
            ("changelog", 3),
            ("quickstart", 3),
            ("tutorial*", 3),
            ("typo*", 2),
            ("docstring*", 3),
        ],
    ),
    (
        "feature_work",
        &[
            ("feature*", 3),
            ("implement*", 3),
            ("add", 2),
            ("adds", 2),
            ("adding", 2),
            ("introduc*", 2),
            ("support*", 2),
            ("endpoint*", 2),
            ("create*", 2),
            ("build*", 1),
            ("allow*", 1),
        ],
    ),
];

/// Classifies a request; `explicit` wins when it is not empty.
pub fn classify(explicit: &str, text: &str) -> TaskType {
    let explicit = explicit.trim();
    if !explicit.is_empty() {
        return TaskType {
            name: explicit.to_owned(),
            confidence: 1.0,
            source: "explicit_task_type",
            signals: vec![format!("explicit:{explicit}")],
        };
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .take(2_000)
        .collect();
    let mut signals = Vec::new();
    let mut best: (u32, &str) = (0, "unknown");
    let mut second = 0;
    for (name, stems) in STEMS {
        let mut score = 0;
        for (stem, weight) in *stems {
            let hit = words.iter().find(|word| match stem.strip_suffix('*') {
                Some(prefix) => word.starts_with(prefix),
                None => *word == stem,
            });
            if let Some(word) = hit {
                score += weight;
                signals.push(format!("text:{name}:{word}"));
            }
        }
        if score > best.0 {
            second = best.0;
            best = (score, name);
        } else {
            second = second.max(score);
        }
    }
    signals.truncate(8);
    if best.0 == 0 {
        return TaskType {
            name: "unknown".to_owned(),
            confidence: 0.35,
            source: "unknown_fallback",
            signals,
        };
    }
    let margin = f64::from(best.0 - second);
    let confidence = (0.45 + 0.05 * f64::from(best.0) + 0.03 * margin).min(0.95);
    TaskType {
        name: best.1.to_owned(),
        confidence: (confidence * 100.0).round() / 100.0,
        source: "heuristic",
        signals,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w10_substrings_do_not_mislead() {
        for (text, want) in [
            ("Fix login token refresh", "bug_fixing"),
            ("bump to latest version", "unknown"),
            ("inspect the file system watcher", "unknown"),
            ("port to linux", "unknown"),
            ("respect user locale", "unknown"),
            ("update README", "documentation"),
            ("write a quickstart section in the README", "documentation"),
            ("refactor the parser", "refactoring"),
            ("make startup faster", "performance"),
            ("add a delete endpoint", "feature_work"),
            ("", "unknown"),
        ] {
            assert_eq!(classify("", text).name, want, "{text}");
        }
        assert_eq!(classify("chore", "fix it").name, "chore");
    }
}
