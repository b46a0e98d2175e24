//! Limits over several messages, what the model was taught, and what a message says of checks.

#![allow(clippy::disallowed_methods)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use aictx_proto::methods::{SteerParams, SteerReply};
use aictx_proto::{RepoPath, Timestamp};
use aictx_steer::{SteerState, steer, steer_in};

fn params(message: &str) -> SteerParams {
    SteerParams {
        message: message.to_owned(),
        current_action: "edit".to_owned(),
        ..SteerParams::default()
    }
}

fn ask(message: &str) -> SteerReply {
    steer(&params(message)).unwrap()
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

/// "The source" is a directory of the repository, when it has one of a usual name; of something else it is none.
#[test]
fn the_source_is_a_directory() {
    let in_src = |message: &str| {
        let reply = steer_in(&params(message), &|name| name == "src").unwrap();
        assert_eq!(reply.classification, "scope_constraint", "{message}");
        reply.suggested_updates.forbidden_paths == ["src"]
    };
    for message in [
        "don't touch the source",
        "don't touch the source code, only the docs",
        "no toques el código fuente",
        "fass den Quellcode nicht an",
        "别动源码",
        "ソースは触らないで",
    ] {
        assert!(in_src(message), "{message}");
    }
    assert!(!in_src("don't touch the source of the event"));
    let elsewhere = ask("don't touch the source");
    assert_eq!(
        elsewhere.suggested_updates.forbidden_paths,
        Vec::<String>::new()
    );
}

/// "The restriction" is the last one, "all limits" are all.
#[test]
fn a_limit_is_lifted_by_what_it_is_called() {
    let after = |messages: &[&str]| {
        let mut state = SteerState::default();
        for (at, message) in (0..).zip(messages) {
            state.apply(&ask(message), Timestamp::from_unix(at), None);
        }
        state.forbidden_paths
    };
    let limits = ["don't touch src/a.py", "don't touch src/b.py"];
    let [first, second] = limits;
    assert_eq!(
        after(&[first, second, "remove that restriction"]),
        ["src/a.py"]
    );
    for all in [
        "remove all restrictions",
        "drop the limits",
        "quita todas las restricciones",
        "lève toutes les restrictions",
        "entferne alle Einschränkungen",
        "remova todas as restrições",
        "取消所有限制",
        "すべての制限を解除して",
    ] {
        assert!(after(&[first, second, all]).is_empty(), "{all}");
    }
}
