use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects};
use aictx_proto::methods::{
    Gate, HypothesisStatus, LearningKind, RepoAction, RunCloseParams, RunEntry, RunOverride,
    RunStartParams, RunStatus,
};
use aictx_proto::snapshot::GitState;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::gate::Artifact;
use super::handoff::handoff;
use super::id::RunId;
use super::ledger::{Ledger, rows, text};
use super::operation::{Act, Actor, Closing, start};
use super::state::{Run, RunFiles, fold};
use super::{RunError, closeout, gate, id, inference, task_mirror};

const NOW: i64 = 1_796_000_000;

/// The files of one run, with effects applied as a store would.
struct Scene {
    id: RunId,
    files: RunFiles,
    now: i64,
}

impl Scene {
    fn started(request: &str) -> Self {
        let params = RunStartParams {
            request: request.to_owned(),
            ..RunStartParams::default()
        };
        let id = RunId::parse("demo").unwrap();
        let mut scene = Self {
            id: id.clone(),
            files: RunFiles::default(),
            now: NOW,
        };
        let now = Timestamp::from_unix(NOW);
        scene.apply(start(&id, &params, None, &GitState::default(), &[], now).unwrap());
        scene
    }

    fn apply(&mut self, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::AppendRows { file, rows, .. } => {
                    let at = Ledger::ALL
                        .iter()
                        .position(|l| file.ends_with(l.file()))
                        .unwrap();
                    for row in rows {
                        self.files.ledgers[at].extend(format!("{row}\n").bytes());
                    }
                }
                Effect::ReplaceJson { file, value, .. } if file.ends_with("problem.json") => {
                    self.files.problem = Some(value.to_string().into_bytes());
                }
                Effect::ReplaceJson { value, .. } => {
                    self.files.closeouts.push(value.to_string().into_bytes());
                }
                _ => {}
            }
        }
    }

    fn run(&self) -> Run {
        fold(self.id.clone(), &self.files)
    }

    fn act<T>(&mut self, operate: impl FnOnce(&Act<'_>) -> T) -> T {
        self.now += 1;
        let actor = Actor {
            agent: "codex".to_owned(),
            session: "s1".to_owned(),
        };
        operate(&Act {
            run: &self.run(),
            actor: &actor,
            now: Timestamp::from_unix(self.now),
        })
    }

    fn add(&mut self, entry: &RunEntry) -> Result<String, RunError> {
        let (row, _, effects) = self.act(|act| act.add(entry))?;
        self.apply(effects);
        Ok(text(&row, "id").to_owned())
    }

    fn close(&mut self, closing: &RunCloseParams) -> Result<Closing, RunError> {
        let done = self.act(|act| act.close(closing, &|_| Artifact::Tracked))?;
        if let Closing::Closed { effects, .. } = &done {
            self.apply(effects.clone());
        }
        Ok(done)
    }
}

fn hypothesis(text: &str) -> RunEntry {
    RunEntry::Hypothesis {
        text: text.to_owned(),
        confidence: None,
        predicts: String::new(),
    }
}

fn resolve(id: &str, status: HypothesisStatus, note: &str) -> RunEntry {
    RunEntry::Resolve {
        id: id.to_owned(),
        status,
        note: note.to_owned(),
    }
}

fn evidence(about: &str, text: &str) -> RunEntry {
    RunEntry::Evidence {
        text: text.to_owned(),
        hypothesis: about.to_owned(),
        supports: None,
        file: String::new(),
    }
}

fn learning(action: RepoAction, path: &str, reason: &str) -> RunEntry {
    RunEntry::Learning {
        learning: LearningKind::TestGap,
        summary: "it needs a test".to_owned(),
        repo_action: action,
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn closing() -> RunCloseParams {
    RunCloseParams {
        summary: "Done".to_owned(),
        verification: vec!["cargo test".to_owned()],
        no_risks: true,
        ..RunCloseParams::default()
    }
}

fn gates(run: &Run, closing: &RunCloseParams) -> Vec<Gate> {
    let missing = gate::missing(run, closing, &|path| match path {
        "tracked" => Artifact::Tracked,
        "untracked" => Artifact::Untracked,
        "../out" => Artifact::Outside,
        _ => Artifact::Missing,
    });
    missing.into_iter().map(|missing| missing.gate).collect()
}

#[test]
fn ids_of_runs_stay_in_their_directory() {
    for good in ["a", "20261120T231743Z-fix-it", "A.b_c-1", &"x".repeat(96)] {
        assert_eq!(RunId::parse(good).unwrap().as_str(), good);
    }
    for bad in [
        "",
        ".",
        "..",
        "../../evil",
        "a/b",
        "a..b",
        "-a",
        ".a",
        "a\0",
        "a b",
        "a.",
        "ä",
        "ACTIVE",
        "active",
        "a\\b",
        &"x".repeat(97),
    ] {
        assert!(RunId::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn ids_are_made_of_time_and_request() {
    let now = Timestamp::parse("2026-11-20T23:17:43Z").unwrap();
    let of = |request: &str| RunId::of_request(request, now).to_string();
    assert_eq!(
        of("Fix overlay keep_geom_type!"),
        "20261120T231743Z-fix-overlay-keep-geom-type"
    );
    assert_eq!(of("修复"), "20261120T231743Z-agent-run");
    let long = of(&"word ".repeat(30));
    assert!(long.len() <= 17 + 48 && !long.ends_with('-'), "{long}");
    assert!(RunId::parse(&long).is_ok());
}

#[test]
fn intents_are_inferred_from_whole_words() {
    for (request, wanted) in [
        ("Commit and ship it", "landing"),
        ("profile the hot loop", "performance"),
        ("fix overlay keep_geom_type routing", "debug"),
        ("update the README", "docs"),
        ("Add a landing page", "implementation"),
        ("the relationship of users", "investigation"),
        ("docker compose", "investigation"),
        ("the prefix of the address", "investigation"),
        ("who calls this", "investigation"),
        ("", "investigation"),
    ] {
        assert_eq!(inference::intent(request), wanted, "{request}");
    }
    assert_eq!(
        inference::target_properties("verify the agent workflow benchmark"),
        ["discoverability", "performance", "verification"]
    );
    assert_eq!(
        inference::target_properties("x"),
        ["task-specific correctness"]
    );
}

#[test]
fn b5_the_whole_path_from_start_to_closeout() {
    let mut scene = Scene::started("fix overlay routing");
    assert_eq!(scene.run().said("intent"), "debug");
    assert_eq!(
        scene.add(&hypothesis("doc fanout outranks files")).unwrap(),
        "H001"
    );
    let summary = scene.run().summary();
    assert_eq!(summary["open_hypotheses"][0]["id"], "H001");
    assert_eq!(
        scene.add(&evidence("H001", "it ranks below")).unwrap(),
        "E001"
    );
    scene
        .add(&resolve("H001", HypothesisStatus::Accepted, "seen"))
        .unwrap();
    assert_eq!(
        scene
            .add(&learning(RepoAction::Test, "tests/a.py", ""))
            .unwrap(),
        "L001"
    );
    let Closing::Closed { stem, closeout, .. } = scene.close(&closing()).unwrap() else {
        panic!("it is closed")
    };
    assert_eq!(
        (stem.as_str(), &closeout["summary"]),
        ("closeout", &json!("Done"))
    );
    assert_eq!(closeout["learning"][0]["repo_action"], "test");
    assert_eq!(closeout["open_hypotheses"], json!([]));
    assert!(closeout::markdown(&closeout).contains("\n## Summary\n\nDone\n"));
    assert_eq!(scene.run().status, RunStatus::Closed);
    let row = &scene.run().evidence[0];
    assert_eq!((text(row, "actor"), text(row, "session")), ("codex", "s1"));
}

#[test]
fn a_learning_without_artifact_needs_a_reason() {
    let mut scene = Scene::started("x");
    let refused = scene.add(&learning(RepoAction::None, "", " "));
    assert_eq!(refused, Err(RunError::ReasonRequired));
    assert_eq!(
        scene.add(&learning(RepoAction::Lint, "", "")),
        Err(RunError::PathRequired)
    );
}

#[test]
fn each_gate_refuses_by_itself() {
    let mut scene = Scene::started("x");
    assert_eq!(gates(&scene.run(), &closing()), []);
    let none = RunCloseParams::default();
    assert_eq!(
        gates(&scene.run(), &none),
        [Gate::Verification, Gate::Risks, Gate::Summary]
    );
    let unverified = RunCloseParams {
        verification: vec![" ".to_owned()],
        unverified: "no machine at hand".to_owned(),
        ..closing()
    };
    assert_eq!(gates(&scene.run(), &unverified), []);
    scene.add(&hypothesis("open")).unwrap();
    assert_eq!(gates(&scene.run(), &closing()), [Gate::Hypotheses]);
    let carried = |ids: &[&str]| RunCloseParams {
        carry: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..closing()
    };
    assert_eq!(gates(&scene.run(), &carried(&["H001"])), []);
    assert_eq!(
        gates(&scene.run(), &carried(&["H001", "H002"])),
        [Gate::Hypotheses]
    );
    scene
        .add(&resolve("H001", HypothesisStatus::Blocked, ""))
        .unwrap();
    for (action, path, reason, is_missing) in [
        (RepoAction::Test, "tracked", "", false),
        (RepoAction::Test, "untracked", "", true),
        (RepoAction::Docs, "gone", "", true),
        (RepoAction::Docs, "../out", "", true),
        (RepoAction::None, "", "short", true),
        (RepoAction::None, "", "too rare to matter", false),
    ] {
        let mut scene = Scene::started("x");
        scene.add(&learning(action, path, reason)).unwrap();
        let found = gates(&scene.run(), &closing());
        assert_eq!(found == [Gate::Learning], is_missing, "{path}{reason}");
        let over = |reason: &str| RunCloseParams {
            overrides: vec![RunOverride {
                gate: Gate::Learning,
                reason: reason.to_owned(),
            }],
            ..closing()
        };
        assert_eq!(gates(&scene.run(), &over("accepted by the owner")), []);
        assert_eq!(gates(&scene.run(), &over("short")), [Gate::Learning]);
    }
}

#[test]
fn verification_by_a_command_of_the_run_takes_its_result_from_the_ledger() {
    let mut scene = Scene::started("x");
    let verify = |exit_code| RunEntry::Verify {
        command: "cargo test".to_owned(),
        exit_code,
        duration_ms: 5,
        output_sha256: "00".to_owned(),
    };
    scene.add(&verify(1)).unwrap();
    let by_id = RunCloseParams {
        verification: vec!["C001".to_owned()],
        ..closing()
    };
    assert_eq!(gates(&scene.run(), &by_id), [Gate::Verification]);
    assert_eq!(
        gates(&scene.run(), &closing()),
        [Gate::Verification],
        "the same command line"
    );
    scene.add(&verify(0)).unwrap();
    assert_eq!(gates(&scene.run(), &closing()), []);
    let Closing::Closed { closeout, .. } = scene.close(&closing()).unwrap() else {
        panic!("it is closed")
    };
    assert_eq!(closeout["verified_by"][0]["id"], "C002");
}

#[test]
fn d51_d53_a_closed_run_is_immutable_and_closed_once() {
    let mut scene = Scene::started("x");
    scene.close(&closing()).unwrap();
    let refused = scene.add(&hypothesis("late"));
    assert!(matches!(
        refused,
        Err(RunError::NotOpen {
            status: RunStatus::Closed,
            ..
        })
    ));
    assert!(matches!(
        scene.close(&closing()).unwrap(),
        Closing::Already { .. }
    ));
    let other = RunCloseParams {
        summary: "Other".to_owned(),
        ..closing()
    };
    assert!(matches!(scene.close(&other), Err(RunError::NotOpen { .. })));
    assert!(scene.act(|act| act.park("", None)).is_err());
    assert!(scene.act(|act| act.abandon("no")).is_err());
    let reopened = scene.act(|act| act.reopen("one more case")).unwrap();
    scene.apply(reopened);
    assert_eq!(scene.run().status, RunStatus::Open);
    scene.add(&hypothesis("more")).unwrap();
    scene
        .add(&resolve("H001", HypothesisStatus::Rejected, "no"))
        .unwrap();
    let Closing::Closed { stem, .. } = scene.close(&other).unwrap() else {
        panic!("it is closed again")
    };
    assert_eq!(stem, "closeout-002");
    assert_eq!(scene.run().closeouts.len(), 2);
    assert_eq!(scene.run().status, RunStatus::Closed);
}

#[test]
fn parking_and_resuming_are_idempotent() {
    let mut scene = Scene::started("x");
    for _ in 0..2 {
        let effects = scene.act(|act| act.park("lunch", None)).unwrap();
        scene.apply(effects);
        assert_eq!(
            (scene.run().status, scene.run().events.len()),
            (RunStatus::Parked, 1)
        );
    }
    assert!(matches!(
        scene.add(&hypothesis("x")),
        Err(RunError::NotOpen { .. })
    ));
    assert!(matches!(
        scene.act(|act| act.reopen("")),
        Err(RunError::WrongState { .. })
    ));
    for _ in 0..2 {
        let effects = scene.act(|act| act.resume()).unwrap();
        scene.apply(effects);
        assert_eq!(
            (scene.run().status, scene.run().events.len()),
            (RunStatus::Open, 2)
        );
    }
    let link = RunEntry::Link {
        to: aictx_proto::methods::LinkKind::Ticket,
        target: "TICKET-003".to_owned(),
    };
    scene.add(&link).unwrap();
    scene.add(&link).unwrap();
    assert_eq!(scene.run().events.len(), 3);
    scene.add(&evidence("", "seen")).unwrap();
    assert_eq!(text(&scene.run().evidence[0], "ticket"), "TICKET-003");
}

#[test]
fn later_ends_of_a_hypothesis_win_and_notes_accumulate() {
    let mut scene = Scene::started("x");
    scene.add(&hypothesis("a")).unwrap();
    scene
        .add(&resolve("H001", HypothesisStatus::Accepted, "one"))
        .unwrap();
    scene
        .add(&resolve("H001", HypothesisStatus::Rejected, "two"))
        .unwrap();
    scene
        .add(&resolve("H001", HypothesisStatus::Rejected, "two"))
        .unwrap();
    let run = scene.run();
    assert_eq!(run.hypotheses[0].status, HypothesisStatus::Rejected);
    assert_eq!(run.hypotheses[0].notes, ["one", "two"]);
    assert_eq!(
        scene.add(&resolve("H002", HypothesisStatus::Accepted, "")),
        Err(RunError::UnknownHypothesis("H002".to_owned()))
    );
    assert_eq!(
        scene.add(&resolve("H001", HypothesisStatus::Open, "")),
        Err(RunError::ResolvedOpen)
    );
    let reopens = br#"{"event": "add", "id": "H001", "status": "open", "text": "a", "timestamp": "2026-11-20T23:17:43Z"}"#;
    scene.files.ledgers[0].extend(reopens);
    assert_eq!(scene.run().hypotheses[0].status, HypothesisStatus::Open);
}

#[test]
fn d56_ledgers_of_the_python_tool_and_damaged_ones_are_read() {
    let python = "\u{feff}{\"event\": \"add\", \"hypothesis\": null, \"id\": \"E007\", \"text\": \"s\\u00e9en\", \"timestamp\": \"2026-11-20T23:17:43Z\"}\r\n\
        \n[1]\nnot json\n{\"id\": \"E009\"}\n{\"event\": \"add\", \"id\": \"E010\", \"te";
    let mut issues = Vec::new();
    let rows = rows(Ledger::Evidence, python.as_bytes(), &mut issues);
    assert_eq!((rows.len(), text(&rows[0], "text")), (2, "séen"));
    let lines: Vec<usize> = issues.iter().map(|issue| issue.line).collect();
    assert_eq!(lines, [3, 4, 6]);
    assert!(
        issues[2]
            .to_string()
            .starts_with("evidence.jsonl:6: the line ends in the middle")
    );
    let mut files = RunFiles::default();
    files.ledgers[1] = python.as_bytes().to_vec();
    let run = fold(RunId::parse("r").unwrap(), &files);
    assert_eq!(
        run.next_id(Ledger::Evidence),
        "E010",
        "what is torn was never given out"
    );
    assert_eq!((run.request(), run.status), ("", RunStatus::Open));
    assert!(run.issues.iter().any(|issue| issue.file == "problem.json"));
}

#[test]
fn only_news_of_observed_commands_are_recorded() {
    let mut scene = Scene::started("x");
    let mut see = |command: &str, failed| {
        let effects = scene.act(|act| act.observe(command, failed));
        let count = effects.len();
        scene.apply(effects);
        count
    };
    assert_eq!(see("make", false), 0);
    assert_eq!(see("make", true), 1);
    assert_eq!(see("make", true), 0);
    assert_eq!(see("make", false), 1);
    assert_eq!(see("make", false), 0);
    let run = scene.run();
    assert_eq!(text(&run.commands[0], "origin"), "observed");
    assert_eq!(run.failing(), Vec::<&str>::new());
}

#[test]
fn a_handoff_tells_what_is_open_what_is_dead_and_what_fails() {
    let mut scene = Scene::started("make the cache faster");
    scene.add(&hypothesis("locks are held too long")).unwrap();
    scene.add(&evidence("H001", "perf shows futex")).unwrap();
    scene.add(&hypothesis("the disk is slow")).unwrap();
    scene
        .add(&resolve(
            "H002",
            HypothesisStatus::Rejected,
            "tmpfs is as slow",
        ))
        .unwrap();
    let effects = scene.act(|act| act.observe("cargo bench", true));
    scene.apply(effects);
    let git = GitState {
        available: true,
        branch: "main".to_owned(),
        head: "0123456789abcdef".to_owned(),
        unstaged: vec!["src/a.rs".to_owned()],
        ..GitState::default()
    };
    let told = |bytes| handoff(&scene.run(), &git, &|_| Artifact::Tracked, bytes);
    let all = told(0);
    let at = |part: &str| {
        all.text
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {}", all.text))
    };
    assert!(
        at("Request: make the cache faster")
            < at("H001: locks are held too long (E001: perf shows futex)")
    );
    assert!(at("H001:") < at("H002: the disk is slow (tmpfs is as slow)"));
    assert!(at("H002:") < at("Commands that still fail:\n- cargo bench"));
    assert!(at("Next: make `cargo bench` pass") < at("- src/a.rs"));
    assert!(
        all.text
            .contains("branch main, HEAD 0123456789ab, 1 changed path")
    );
    assert_eq!(told(0), all);
    for bytes in [200, 300, 500, 900] {
        assert!(told(bytes).text.len() <= bytes, "{bytes}");
        assert!(!told(bytes).text.is_empty());
    }
}

#[test]
fn the_mirror_says_what_holds_and_what_does_not() {
    let mut scene = Scene::started("x");
    scene.add(&hypothesis("holds")).unwrap();
    scene.add(&hypothesis("does not")).unwrap();
    scene.add(&hypothesis("maybe")).unwrap();
    scene.add(&evidence("H001", "seen")).unwrap();
    scene
        .add(&resolve("H001", HypothesisStatus::Accepted, ""))
        .unwrap();
    scene
        .add(&resolve("H002", HypothesisStatus::Rejected, "tried"))
        .unwrap();
    let patch = task_mirror::patch(&scene.run(), true);
    assert_eq!(patch["current_hypothesis"], "maybe");
    assert_eq!(
        patch["verified"]["add"],
        json!(["holds (H001 demo; E001: seen)"])
    );
    assert_eq!(patch["discarded_hypotheses"]["set"][0]["reason"], "tried");
    assert_eq!(
        patch["discarded_hypotheses"]["set"][0]["evidence"],
        "H002 demo"
    );
    scene
        .add(&resolve("H001", HypothesisStatus::Rejected, "after all"))
        .unwrap();
    let patch = task_mirror::patch(&scene.run(), false);
    assert_eq!(patch["verified"]["add"], json!([]));
    assert!(
        patch["verified"]["remove"]
            .as_array()
            .unwrap()
            .contains(&json!("holds (H001 demo; E001: seen)"))
    );
    assert_eq!(
        patch["discarded_hypotheses"]["add"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

fn any_row() -> impl Strategy<Value = String> {
    let id = prop_oneof!["H00[0-9]", "E[0-9]{1,4}", "[a-zH]{0,3}"];
    let event = prop_oneof![Just("add"), Just("resolve"), Just("note"), Just("?")];
    let status = prop_oneof![Just("open"), Just("accepted"), Just("rejected"), Just("x")];
    let row = (id, event, status, ".{0,12}").prop_map(|(id, event, status, text)| {
        json!({ "id": id, "event": event, "status": status, "text": text, "timestamp": text })
            .to_string()
    });
    prop_oneof![8 => row, 1 => ".{0,30}"]
}

proptest! {
    #[test]
    fn a_fold_never_panics_and_ids_are_new(lines in proptest::collection::vec(any_row(), 0..40)) {
        let mut files = RunFiles::default();
        for ledger in &mut files.ledgers {
            *ledger = lines.join("\n").into_bytes();
        }
        let run = fold(RunId::parse("r").unwrap(), &files);
        let next = run.next_id(Ledger::Hypotheses);
        let number = id::number('H', next).unwrap();
        for line in &lines {
            let row: Value = serde_json::from_str(line).unwrap_or_default();
            let there = id::number('H', row["id"].as_str().unwrap_or_default());
            prop_assert!(there.is_none_or(|there| there < number));
        }
        let mut ids: Vec<&str> = run.hypotheses.iter().map(|h| h.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), run.hypotheses.len());
        let told = handoff(&run, &GitState::default(), &|_| Artifact::Missing, 1_000);
        prop_assert!(told.text.len() <= 1_000);
    }

    #[test]
    fn a_fold_of_more_rows_is_that_of_fewer_and_then_the_rest(
        lines in proptest::collection::vec(any_row(), 1..20), cut in 0_usize..20,
    ) {
        let fold_of = |lines: &[String]| {
            let mut files = RunFiles::default();
            files.ledgers[0] = lines.join("\n").into_bytes();
            fold(RunId::parse("r").unwrap(), &files)
        };
        let cut = cut.min(lines.len());
        let (before, after) = (fold_of(&lines[..cut]), fold_of(&lines));
        // What was there stays, in its place; only its state moves on.
        for (one, other) in before.hypotheses.iter().zip(&after.hypotheses) {
            prop_assert_eq!(&one.id, &other.id);
            prop_assert!(other.notes.starts_with(&one.notes));
        }
        prop_assert!(before.hypotheses.len() <= after.hypotheses.len());
    }

    #[test]
    fn checked_ids_are_plain_names(id in ".{0,100}") {
        if let Ok(id) = RunId::parse(&id) {
            prop_assert!(!id.as_str().contains(['/', '\\', '\0']) && !id.as_str().starts_with('.'));
        }
    }
}
