//! Steer against messages: the shared cases, and sets that were written before the rules were run
//! on them.

#![allow(clippy::disallowed_methods)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use aictx_proto::methods::{SteerParams, SteerReply};
use aictx_proto::{RepoPath, Timestamp};
use aictx_steer::{SteerState, steer};

fn ask(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        current_action: "edit".to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

/// Returns right and total by language of `language|classification|message` lines; prints the misses.
fn rates(name: &str, set: &str) -> BTreeMap<String, (u32, u32)> {
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for line in set.lines().filter(|l| !l.starts_with('#')) {
        let Some((language, rest)) = line.split_once('|') else {
            continue;
        };
        let (want, message) = rest.split_once('|').unwrap();
        let reply = ask(message);
        let count = counts.entry(language.to_owned()).or_default();
        count.1 += 1;
        if reply.classification == want {
            count.0 += 1;
        } else {
            println!(
                "{name} {language}: {message:?} is {want}, read as {} ({}) {:?}",
                reply.classification, reply.language, reply.reasons
            );
        }
    }
    counts
}

/// The model knows its training set. Its figures on unseen messages are for
/// `examples/blind.rs` to say.
#[test]
fn what_was_taught_is_known() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/model/messages");
    let mut sets = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let set = std::fs::read_to_string(&path).unwrap();
        sets += 1;
        for (language, (right, all)) in rates(&name, &set) {
            // The shared cases have single messages in other languages.
            let enough = all < 5 || right * 100 >= all * 85;
            assert!(enough, "{name}, {language}: {right} of {all}");
        }
    }
    assert!(sets >= 10, "{sets} sets");
}

/// One line of the shared cases.
#[derive(serde::Deserialize)]
struct Case {
    id: String,
    group: String,
    message: String,
    call: Call,
    better: Better,
}

#[derive(serde::Deserialize)]
struct Call {
    current_action: String,
    #[serde(default)]
    paths: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Better {
    classification: String,
    decision: String,
    forbidden_paths: Option<Vec<String>>,
    allowed_paths: Option<Vec<String>>,
    required_paths: Option<Vec<String>>,
    validation_paths: Option<Vec<String>>,
    discarded_related_paths: Option<Vec<String>>,
    constraint_note: Option<String>,
    #[serde(default)]
    also: Vec<String>,
}

/// Returns the fault of the answer to `case`.
fn judge(case: &Case, first_prompt: bool) -> Option<String> {
    let answer = steer(&SteerParams {
        message: case.message.clone(),
        current_action: case.call.current_action.clone(),
        paths: case.call.paths.clone(),
        first_prompt,
        ..SteerParams::default()
    });
    let better = &case.better;
    let halted = answer
        .as_ref()
        .is_ok_and(|r| r.classification == "cancellation");
    assert!(
        !halted || better.classification == "cancellation",
        "{}: work halted for nothing",
        case.id
    );
    let Ok(reply) = answer else {
        return (better.classification != "error").then(|| "error".to_owned());
    };
    if (&reply.classification, &reply.decision) != (&better.classification, &better.decision) {
        return Some(format!(
            "{}/{} {:?}",
            reply.classification, reply.decision, reply.reasons
        ));
    }
    let updates = &reply.suggested_updates;
    for (want, got, name) in [
        (
            &better.forbidden_paths,
            &updates.forbidden_paths,
            "forbidden",
        ),
        (&better.allowed_paths, &updates.allowed_paths, "allowed"),
        (&better.required_paths, &updates.required_paths, "required"),
        (
            &better.validation_paths,
            &updates.validation_paths,
            "validation",
        ),
        (
            &better.discarded_related_paths,
            &updates.discarded_paths,
            "discarded",
        ),
    ] {
        if let Some(want) = want
            && want != got
        {
            return Some(format!("{name}: {got:?} for {want:?}"));
        }
    }
    if let Some(want) = &better.constraint_note
        && !updates
            .constraint_note
            .as_ref()
            .is_some_and(|n| n.contains(want.as_str()))
    {
        return Some(format!("note: {:?} for {want}", updates.constraint_note));
    }
    let missing = better
        .also
        .iter()
        .find(|a| !reply.labels.iter().any(|l| l.classification == **a));
    missing.map(|a| format!("label {a} missing"))
}

#[test]
fn shared_cases() {
    let cases: Vec<Case> = include_str!("messages/cases.jsonl")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    for told in [true, false] {
        let mut wrong = Vec::new();
        for case in &cases {
            if let Some(why) = judge(case, told && case.group == "first_prompt") {
                println!(
                    "{} {:?}: {why}",
                    case.id,
                    case.message.chars().take(80).collect::<String>()
                );
                wrong.push(&case.id);
            }
        }
        let right = cases.len() - wrong.len();
        println!(
            "shared cases, first prompts told: {told}: {right}/{}",
            cases.len()
        );
        assert!(right * 100 >= cases.len() * 96, "{wrong:?}");
    }
}

/// Returns the effect of the message on paths, in the words of `limits.txt`.
fn outcome(reply: &SteerReply) -> (&'static str, String) {
    let updates = &reply.suggested_updates;
    let named = |name, list: &[String]| (!list.is_empty()).then(|| (name, list.join(" ")));
    named("forbid", &updates.forbidden_paths)
        .or_else(|| named("only", &updates.only_paths))
        .or_else(|| named("lift", &updates.lifted_paths))
        .or_else(|| named("require", &updates.required_paths))
        .unwrap_or_else(|| {
            let kind = match reply.classification.as_str() {
                "scope_constraint" => "forbid",
                "cancellation" => "stop",
                "unknown" if reply.decision == "ask_user" => "ask",
                _ => "free",
            };
            (kind, String::new())
        })
}

/// Returns true if `got` is as good as `want`: what is free may be lifted, asked for, or asked about.
fn is_wanted(want: (&str, &str), reply: &SteerReply) -> bool {
    let (kind, paths) = outcome(reply);
    let forbids = reply.suggested_updates.forbidden_paths.is_empty();
    match want.0 {
        "free" => forbids && !matches!(kind, "only" | "stop" | "forbid" | "require"),
        "work" => forbids && !matches!(kind, "only" | "stop" | "forbid"),
        "ask" => kind == "ask" && reply.decision == "ask_user",
        "stop" => kind == "stop",
        _ => (kind, paths.as_str()) == want,
    }
}

/// Lines of a set that are not understood as they are meant, of how many.
fn misunderstood(set: &str) -> (usize, usize) {
    let (mut wrong, mut all) = (0, 0);
    for line in set.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let parts: Vec<&str> = line.splitn(4, '|').collect();
        let [_, kind, paths, message] = parts[..] else {
            unreachable!("{line}");
        };
        all += 1;
        let reply = ask(message);
        if !is_wanted((kind, paths), &reply) {
            wrong += 1;
            println!(
                "{line}\n    {:?} {}/{} {:?}",
                outcome(&reply),
                reply.classification,
                reply.decision,
                reply.reasons
            );
        }
    }
    (wrong, all)
}

/// Limits by language: every line must be right, for the
/// guard enforces it.
#[test]
fn limits_are_never_turned_around() {
    assert_eq!(misunderstood(include_str!("messages/limits.txt")).0, 0);
}

/// "Change nothing yet" ends with consent or an order to change something, and with nothing else.
#[test]
fn nothing_is_changed_until_somebody_lets_go() {
    let lets_go = |message: &str| {
        let mut state = SteerState::default();
        let now = Timestamp::from_unix(1_700_000_000);
        state.apply(&ask("No changes until I confirm"), now, None);
        assert_eq!(state.forbidden_paths, ["**"]);
        state.apply(&ask(message), now, None);
        state.forbidden_paths.is_empty()
    };
    let mut wrong = Vec::new();
    for message in [
        "Good. Now fix it.",
        "good, now fix it",
        "I confirm",
        "Confirmed.",
        "ok, go ahead",
        "approved",
        "yes, do it",
        "sounds good, implement it",
        "Fix the parser",
        "Only edit src/a.py",
        "Confirmado",
        "adelante",
        "Je confirme",
        "vas-y",
        "Ich bestätige",
        "genehmigt",
        "mach weiter",
        "aprovado",
        "确认",
        "继续",
        "承認します",
        "続けて",
        "yes please",
        "go ahead and implement it",
        "now fix the bug",
        "looks right, make the change",
        "apply it",
        "sounds good, apply the change to src/a.py",
        "that plan works for me. Start with src/a.py and then run the tests",
        "good plan, execute it",
        "thanks. Can you correct the add function?",
        "great, use the second option",
        "vale, haz el cambio",
        "gracias. ¿Puedes corregir la función?",
        "passt, setz es um",
        "danke. Kannst du die Funktion korrigieren?",
        "parfait, fais la modification",
        "merci. Peux-tu corriger la fonction ?",
        "ótimo, faz a mudança",
        "好的，就这么改",
        "いいね、その変更をして",
        "you may edit everything now",
        "lo confirmo",
        "pode seguir",
        "我确认",
        "批准",
        "开始吧",
        "進めてください",
    ] {
        if !lets_go(message) {
            wrong.push(message);
        }
    }
    for message in [
        "not yet, but you may continue reading",
        "no go",
        "keep reading",
        "go through src/a.py and explain",
        "analyze src/a.py",
        "ok, but first explain the plan",
        "write a summary of what you found",
        "what would the change look like?",
        "can you show me the change first?",
        "could you explain the change?",
        "looks right, but wait with the change",
        "sounds good, but what does it cost?",
        "don't make the change yet",
        "¿qué cambiarías?",
        "was würdest du ändern?",
        "que changerais-tu ?",
        "what would you change?",
        "you misread the second test",
        "don't touch docs either",
        "pas encore",
        "noch nicht",
        "aún no",
        "ainda não",
        "还没有，继续看",
        "まだです",
        "make a plan first",
        "please confirm what you found",
        "ok, but explain src/a.py first",
        "todavía no, pero sigue leyendo",
        "pas encore, continue à lire",
        "noch nicht, aber lies weiter",
        "ainda não, mas continue lendo",
        "还不行，先继续看",
        "まだです、読み進めてください",
        "nice",
        "stop",
    ] {
        if lets_go(message) {
            wrong.push(message);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    // What was said of one request only ends with the next that goes on from there.
    let mut state = SteerState::default();
    let now = Timestamp::from_unix(1_700_000_000);
    state.apply(
        &ask("Don't change anything, just explain the parser"),
        now,
        None,
    );
    state.apply(&ask("And what does the lexer do?"), now, None);
    assert_eq!(state.forbidden_paths, ["**"]);
    state.apply(&ask("use a dict instead"), now, None);
    assert!(state.forbidden_paths.is_empty());
    let mut state = SteerState::default();
    state.apply(&ask("No changes until I confirm"), now, None);
    state.apply(&ask("use a dict instead"), now, None);
    assert_eq!(state.forbidden_paths, ["**"]);
    let mut state = SteerState::default();
    state.apply(&ask("No changes until I confirm"), now, None);
    state.apply(&ask("you may edit src/a.py"), now, None);
    let may = |path: &str| state.verdict(&RepoPath::parse(path).unwrap()).is_none();
    assert!(may("src/a.py") && !may("src/b.py"));
}

#[test]
fn limits_blind_sets() {
    for set in [
        include_str!("messages/limits-blind.txt"),
        include_str!("messages/limits-blind-two.txt"),
    ] {
        let (wrong, all) = misunderstood(set);
        println!("limits: {} of {all}", all - wrong);
        assert!(wrong * 10 <= all, "{wrong} of {all}");
    }
}

/// What people type at an agent in the middle of its work, short and sloppy.
#[test]
fn chat_is_understood() {
    for (language, (right, all)) in rates("chat", include_str!("messages/chat.txt")) {
        assert!(right * 10 >= all * 9, "{language}: {right} of {all}");
    }
}

#[test]
fn whether_checks_are_wanted_is_understood() {
    for (message, skips) in [
        ("skip the tests", Some(true)),
        ("don't run the tests", Some(true)),
        ("no need to run the test suite", Some(true)),
        ("fix it without running the tests", Some(true)),
        ("don't skip the tests", Some(false)),
        ("run the full test suite before you finish", Some(false)),
        ("only run the unit tests", Some(false)),
        ("run pytest instead of tox", Some(false)),
        ("pas besoin de lancer les tests", Some(true)),
        ("lance les tests", Some(false)),
        ("sáltate los tests", Some(true)),
        ("ejecuta los tests", Some(false)),
        ("Tests sind nicht nötig", Some(true)),
        ("Überspringe die Tests nicht", Some(false)),
        ("pule os testes", Some(true)),
        ("rode os testes", Some(false)),
        ("不用跑测试", Some(true)),
        ("运行所有测试", Some(false)),
        ("テストは不要です", Some(true)),
        ("テストを実行して", Some(false)),
        ("never commit without tests", Some(false)),
        ("no commits without tests please", Some(false)),
        ("don't commit until the tests pass", Some(false)),
        ("nie ohne Tests committen", Some(false)),
        ("ne commite jamais sans les tests", Some(false)),
        ("add a test for it", None),
        ("don't touch the tests", None),
    ] {
        let reply = ask(message);
        assert_eq!(reply.suggested_updates.skip_validation, skips, "{message}");
    }
}
