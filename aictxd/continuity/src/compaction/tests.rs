use super::*;
use proptest::prelude::*;

const NOW: i64 = 1_000 * 86_400;

fn days_ago(days: i64) -> String {
    Timestamp::from_unix(NOW - days * 86_400).to_string()
}

fn run(file: &str, rows: &[Value]) -> Vec<Fate> {
    let rule = RULES.iter().find(|r| r.file == file).unwrap();
    let known = Known {
        is_gone: &|path| path.starts_with("gone/"),
        now: Timestamp::from_unix(NOW),
    };
    rule.fates(rows, &known)
}

#[test]
fn w_p4_open_failures_are_never_archived_however_old_or_many() {
    let row = |n: i64, status: &str| json!({ "signature": "s", "status": status, "timestamp": days_ago(400 + n) });
    let mut rows: Vec<Value> = (0..700).map(|n| row(n, "open")).collect();
    rows.push(json!({ "signature": "t", "timestamp": days_ago(900) }));
    rows.extend((0..5).map(|n| row(n, "resolved")));
    let fates = run(files::FAILURE_PATTERNS, &rows);
    assert!(fates[..701].iter().all(|f| *f == Fate::Keep));
    use Fate::{Archive, Keep};
    assert_eq!(
        fates[701..],
        [Keep, Keep, Keep, Archive, Archive],
        "the newest three"
    );
    let recent = vec![json!({ "status": "resolved", "timestamp": days_ago(89) }); 9];
    assert!(
        run(files::FAILURE_PATTERNS, &recent)
            .iter()
            .all(|f| *f == Keep)
    );
}

#[test]
fn w5_decisions_go_only_when_named_as_superseded_or_when_old_and_about_nothing() {
    let decision = |text: &str, path: &str, days: i64| {
        json!({
            "decision": text, "related_paths": [path], "subsystem": "core",
            "timestamp": days_ago(days), "execution_id": text,
        })
    };
    let mut rows = vec![
        decision("a", "gone/a.rs", 181),
        decision("b", "gone/a.rs", 179),
        decision("c", "src/a.rs", 900),
        decision("d", "gone/a.rs", 900),
        decision("e", "src/a.rs", 1),
        decision("f", "src/a.rs", 0),
    ];
    rows[3]["pinned"] = json!(true);
    let replaced = decision_id(&Decision::deserialize(&rows[4]).unwrap());
    rows[5]["supersedes"] = json!([replaced]);
    use Fate::{Archive, Keep};
    assert_eq!(
        run(files::DECISIONS, &rows),
        [Archive, Keep, Keep, Keep, Archive, Keep]
    );
    let twice = [decision("x", "p", 3), decision("x", "p", 2)];
    assert_eq!(run(files::DECISIONS, &twice), [Fate::Duplicate, Keep]);
}

#[test]
fn the_best_of_old_strategies_stay() {
    let row = |n: i64, kind: &str, area: &str| {
        json!({
            "task_id": format!("e{n}"), "task_type": kind, "area_id": area,
            "timestamp": days_ago(31 + n),
        })
    };
    let mut rows: Vec<Value> = (0..40).map(|n| row(n, "bug_fixing", "src")).collect();
    rows.push(row(90, "testing", "src"));
    rows.push(rows[0].clone());
    let fates = run(files::STRATEGIES, &rows);
    let kept = |f: &[Fate]| f.iter().filter(|f| **f == Fate::Keep).count();
    // Of the same row twice, the later place counts as the newer one.
    assert_eq!((fates[0], fates[41]), (Fate::Duplicate, Fate::Keep));
    assert_eq!(kept(&fates[..40]), 19);
    assert_eq!(
        (fates[19], fates[20], fates[40]),
        (Fate::Keep, Fate::Archive, Fate::Keep)
    );
}

#[test]
fn executions_go_by_age_and_undated_ones_stay() {
    let rows = [
        json!({ "timestamp": days_ago(61) }),
        json!({ "timestamp": "yesterday" }),
        json!({ "timestamp": days_ago(61), "pinned": true }),
        json!({ "timestamp": days_ago(59) }),
    ];
    use Fate::{Archive, Keep};
    assert_eq!(
        run(files::EXECUTION_LOGS, &rows),
        [Archive, Keep, Keep, Keep]
    );
    assert_eq!(
        run(files::HANDOFFS, &rows),
        [Keep; 4],
        "readers look at them"
    );
    let telemetry: Vec<Value> = (0..501)
        .map(|_| json!({ "recorded_at": days_ago(90) }))
        .collect();
    let fates = run(files::AGENT_EXECUTION_LOG, &telemetry);
    assert_eq!((fates[0], fates[1]), (Archive, Keep));
}

#[test]
fn learnings_said_again_are_duplicates() {
    let rows: Vec<Value> = (0..150)
        .map(|n| json!({ "summary": format!("s{}", n % 120) }))
        .collect();
    let fates = run("memory/workflow_learnings.jsonl", &rows);
    let count = |fate| fates.iter().filter(|f| **f == fate).count();
    assert_eq!(
        (
            count(Fate::Keep),
            count(Fate::Duplicate),
            count(Fate::Archive)
        ),
        (100, 30, 20)
    );
}

#[test]
fn every_rule_has_words() {
    let all = rules();
    assert_eq!(all.as_object().unwrap().len(), RULES.len());
}

proptest! {
    /// Whatever rows hold: one fate each, pinned ones stay, and a second pass finds nothing.
    #[test]
    fn compacting_twice_is_compacting_once(
        seeds in prop::collection::vec((0_u8..6, 0_i64..1_200, 0_u8..4, any::<bool>()), 0..80),
        which in 0_usize..RULES.len(),
    ) {
        let rows: Vec<Value> = seeds.iter().map(|(name, days, kind, pinned)| {
            let status = ["open", "resolved", "", "x"][usize::from(*kind)];
            json!({
                "decision": format!("d{name}"), "summary": format!("s{name}"), "status": status,
                "signature": format!("g{name}"), "task_id": format!("e{name}"),
                "task_type": status, "area_id": format!("a{kind}"), "timestamp": days_ago(*days),
                "related_paths": [if *days % 2 == 0 { "gone/x" } else { "src/x" }],
                "pinned": pinned,
            })
        }).collect();
        let file = RULES[which].file;
        let fates = run(file, &rows);
        prop_assert_eq!(fates.len(), rows.len());
        for (row, fate) in rows.iter().zip(&fates) {
            prop_assert!(row["pinned"] == false || *fate == Fate::Keep);
        }
        let left: Vec<Value> = rows.into_iter().zip(fates)
            .filter_map(|(row, fate)| (fate == Fate::Keep).then_some(row)).collect();
        prop_assert!(run(file, &left).iter().all(|f| *f == Fate::Keep));
    }
}
