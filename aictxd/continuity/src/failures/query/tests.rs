use aictx_proto::snapshot::shared;

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
    // W-F6: the directory of a file that is named says nothing of the others there.
    for task in ["add logging to src/export.py", "rename a file in src"] {
        let task = FailureQuery {
            task,
            paths: &["src/export.py".to_owned()],
            area: "src",
            task_type: "feature_work",
            ..FailureQuery::default()
        };
        assert!(ask(task).is_empty(), "{task:?}");
    }
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
fn wm5_a_word_counts_once_and_an_unknown_area_is_none() {
    let once = pattern("a", "session_token is missing", "src/cache.py");
    let mut often = pattern("b", "session_token is missing", "src/cache.py");
    often.symptoms = vec!["session_token is missing, session_token".to_owned(); 3];
    let mut elsewhere = pattern("c", "ui overlaps", "lib/widget.py");
    elsewhere.area_id = "unknown".to_owned();
    let others = (0..30).map(|n| pattern(&format!("other{n}"), &format!("odd{n}"), ""));
    let patterns = shared([once, often, elsewhere].into_iter().chain(others));
    let query = FailureQuery {
        task: "the session token is missing, where does the session token go",
        area: "unknown",
        ..FailureQuery::default()
    };
    let found = find_failures(&patterns, &query, Timestamp::from_unix(0));
    let scores: Vec<f64> = found.iter().map(|(score, _)| *score).collect();
    assert_eq!(scores.len(), 2, "{scores:?}");
    assert!((scores[0] - scores[1]).abs() < 1e-9, "{scores:?}");
    // A word of two letters is one, too.
    let short = FailureQuery {
        task: "why does the ui overlap with the widget",
        ..FailureQuery::default()
    };
    let found = find_failures(&patterns, &short, Timestamp::from_unix(0));
    assert_eq!(ids(&found), ["c"]);
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
    let (told, receipt) = known_failure(
        &shared([known.clone()]),
        std::slice::from_ref(&event),
        &[],
        now,
    )
    .unwrap();
    assert_eq!(receipt.items[0].id, known.failure_id);
    assert_eq!(
        told,
        "Seen before, as recorded in this repository (1x, last 2 days ago, still open): \"boom\"\nRecorded as tried without success: \"raised the timeout\""
    );
    known.status = "resolved".into();
    known.resolution_summary = "closed the \"pool\"".into();
    let told = known_failure(&shared([known.clone()]), &[event], &[], now)
        .unwrap()
        .0;
    assert_eq!(told.lines().count(), 3);
    assert!(
        told.contains("Recorded as what fixed it: \"closed the 'pool'\""),
        "{told}"
    );
    assert_eq!(known_failure(&shared([known]), &[], &[], now), None);
}
