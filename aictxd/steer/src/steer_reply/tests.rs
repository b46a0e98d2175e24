use aictx_proto::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::path_limits::{SteerVerdict, covers};

fn say(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

/// guard-weaknesses 1.14: words of stopping and of fault that order nothing.
#[test]
fn weakness_14_words_are_not_orders() {
    for message in [
        "add a pause button",
        "fix the wrong total",
        "don't stop",
        "Implement a wait-for-element helper",
        "why does the build stop at step 3?",
        "here is the log:\n```\nstop\n```",
        "> stop working\nwhat does this mean?",
        "rename `stop` to `halt`",
        "the 'Stop' button is too small",
        "if the tests fail, stop",
        "the test says stop",
        "log output:\n2024-01-01 10:00:00 stop requested",
        "le bouton d'arrêt est trop petit",
        "el botón de pausa debería ser rojo",
        "der Stopp-Button ist zu klein",
        "按钮的自动停用逻辑要支持配置",
        "停止ボタンを追加して",
    ] {
        let reply = say(message);
        assert_ne!(
            reply.classification, "cancellation",
            "{message}: {:?}",
            reply.reasons
        );
    }
}

/// guard-weaknesses 1.15: what the person forbids is kept and answers the guard's question.
#[test]
fn weakness_15_limits_are_kept_until_lifted() {
    let now = Timestamp::from_unix(1_000);
    let mut state = SteerState::default();
    assert!(state.apply(
        &say("don't touch src/auth.py or anything under vendor/"),
        now,
        None
    ));
    assert_eq!(state.forbidden_paths, ["src/auth.py", "vendor"]);
    assert_eq!(
        state.verdict(&path("vendor/lib/a.c")),
        Some(SteerVerdict::Forbidden("vendor".into()))
    );
    assert_eq!(state.verdict(&path("src/login.py")), None);
    assert!(
        !state.apply(&say("nice work"), now, None),
        "praise changes nothing"
    );

    state.apply(&say("you can edit src/auth.py again"), now, None);
    assert_eq!(state.verdict(&path("src/auth.py")), None);
    state.apply(&say("you may edit vendor/lib/a.c"), now, None);
    assert_eq!(state.verdict(&path("vendor/lib/a.c")), None, "an exception");
    assert!(state.verdict(&path("vendor/lib/b.c")).is_some());

    state.apply(&say("only edit files under src/ui"), now, None);
    assert_eq!(state.verdict(&path("src/ui/a.ts")), None);
    assert_eq!(
        state.verdict(&path("src/api/a.ts")),
        Some(SteerVerdict::OutsideAllowed)
    );
    state.apply(&say("you may also edit src/api/a.ts"), now, None);
    assert_eq!(state.verdict(&path("src/api/a.ts")), None);

    let stored = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<SteerState>(&stored).unwrap(), state);
}

/// A later order lifts a limit, and a permission holds against what stood before it.
#[test]
fn a_later_order_lifts_what_stood_in_its_way() {
    let now = Timestamp::from_unix(1_000);
    let after = |first: &str, then: &str| {
        let mut state = SteerState::default();
        state.apply(&say(first), now, None);
        state.apply(&say(then), now, None);
        state
    };
    for (first, then, file) in [
        (
            "Refactor tax.py. Don't touch store.py.",
            "Now fix the bug in store.py",
            "store.py",
        ),
        (
            "Don't touch store.py",
            "Please update store.py to use the new function",
            "store.py",
        ),
        (
            "Don't touch the tests for now.",
            "Ok now fix the tests",
            "tests/test_a.py",
        ),
        (
            "Don't touch the tests.",
            "Add a test for PT to tests/test_store.py",
            "tests/test_store.py",
        ),
        ("Only change tax.py", "now also fix store.py", "store.py"),
        (
            "Just fix tax.py, nothing else.",
            "thanks. Now please add docs in docs/api.md",
            "docs/api.md",
        ),
    ] {
        assert_eq!(
            after(first, then).verdict(&path(file)),
            None,
            "{first} {then}"
        );
    }
    let state = after(
        "Don't touch store.py",
        "Fix the bug in tax.py that store.py triggers",
    );
    assert!(
        state.verdict(&path("store.py")).is_some(),
        "it is only named"
    );
    let state = after("Don't touch store.py", "Why does store.py fail?");
    assert!(state.verdict(&path("store.py")).is_some());
    assert!(after("Only change tax.py", "Great. Next: write tests for it").moved_on);
    let updates =
        say("Do not change the tests. Wait, you may touch the tests now").suggested_updates;
    assert!(updates.forbidden_paths.is_empty(), "{updates:?}");
}

#[test]
fn exceptions_take_the_other_role() {
    let updates = say("don't touch src except src/a.py").suggested_updates;
    assert_eq!(updates.forbidden_paths, ["src"]);
    assert_eq!(updates.lifted_paths, ["src/a.py"]);
    let mut state = SteerState::default();
    state.take(&updates);
    assert_eq!(state.verdict(&path("src/a.py")), None);
    assert!(state.verdict(&path("src/b.py")).is_some());

    let updates = say("don't edit anything except docs/guide.md").suggested_updates;
    assert_eq!(updates.only_paths, ["docs/guide.md"]);
    let updates = say("you may change src/a.py, but nothing else").suggested_updates;
    assert_eq!(updates.only_paths, ["src/a.py"]);
    let updates = say("only touch src/ui except src/ui/gen").suggested_updates;
    assert_eq!(updates.only_paths, ["src/ui"]);
    assert_eq!(updates.forbidden_paths, ["src/ui/gen"]);
}

#[test]
fn paths_of_every_language_and_spelling() {
    for (message, want) in [
        (
            "don't edit a.rs, b.rs and c/d.go",
            &["a.rs", "b.rs", "c/d.go"][..],
        ),
        (
            "please leave `Makefile` and \"src/a b.py\" alone",
            &["Makefile", "src/a b.py"],
        ),
        ("no toques nada de src/pagos", &["src/pagos"]),
        ("ne touche pas au dossier vendor", &["vendor"]),
        ("fass den Ordner vendor nicht an", &["vendor"]),
        ("não mexa em **/*.lock", &["**/*.lock"]),
        (
            "不要改src/auth.py和src/login.py",
            &["src/auth.py", "src/login.py"],
        ),
        ("src/auth.pyは触らないで", &["src/auth.py"]),
        ("「src/auth.py」を変更しないでください", &["src/auth.py"]),
        ("don't touch tests", &["tests"]),
        ("don't touch the test plan", &[]),
        ("don't touch and/or change it", &[]),
        ("don't edit https://example.test/guide/a.md", &[]),
    ] {
        let reply = say(message);
        assert_eq!(
            reply.classification, "scope_constraint",
            "{message}: {:?}",
            reply.reasons
        );
        assert_eq!(reply.suggested_updates.forbidden_paths, want, "{message}");
    }
}

/// Limits that are too wide stand in the way of the work.
#[test]
fn nothing_is_forbidden_that_was_only_mentioned() {
    for message in [
        "just fix the typo in README.md",
        "The bug only happens in src/cart.py, please fix it",
        "the docs say don't edit generated.ts",
        "do not remove the comment in src/a.py, just move it",
        "I can't edit src/a.py because the file is open elsewhere",
        "you don't need to touch src/a.py",
        "no need to change src/a.py",
        "src/a.py should not import src/b.py",
        "only run tests/test_a.py",
        "use only the helpers of src/utils.py",
        "don't use eval in src/parser.js",
        "Only authenticated users should see src/pages/admin.tsx",
    ] {
        let updates = say(message).suggested_updates;
        assert!(
            updates.forbidden_paths.is_empty() && updates.only_paths.is_empty(),
            "{message}: {updates:?}"
        );
    }
}

#[test]
fn only_clear_words_lift_every_limit() {
    let lifts = |message: &str| say(message).suggested_updates.lift_all;
    assert!(lifts("you can now edit everything"));
    assert!(lifts("you can edit anything again"));
    assert!(lifts("forget the restrictions"));
    assert!(!lifts("the billing code is in scope again"));
    assert!(!lifts("you can continue"));
}

#[test]
fn names_that_the_repository_knows_are_paths() {
    let params = SteerParams {
        message: "don't touch the billing code".into(),
        ..SteerParams::default()
    };
    assert!(
        steer(&params)
            .unwrap()
            .suggested_updates
            .forbidden_paths
            .is_empty()
    );
    let reply = steer_in(&params, &|name| name == "billing").unwrap();
    assert_eq!(reply.suggested_updates.forbidden_paths, ["billing"]);
}

#[test]
fn what_is_found_at_any_depth_holds_below_it() {
    let forbids = |entry: &str, file: &str| covers(entry, &path(file));
    assert!(forbids("**/migrations", "src/web/migrations/2.sql"));
    assert!(forbids("**/migrations", "Migrations/2.sql"));
    assert!(forbids("**/store.py", "src/store.py") && forbids("**/*.sql", "a/b.SQL"));
    assert!(!forbids("**/store.py", "src/bookstore.py"));
}

#[test]
fn what_was_crossed_before_is_told() {
    let reply = steer(&SteerParams {
        message: "don't touch src/auth".into(),
        current_action: "finalize".into(),
        edited_paths: vec!["src/auth/login.py".into(), "src/b.py".into()],
        ..SteerParams::default()
    })
    .unwrap();
    assert_eq!(
        reply.suggested_updates.already_violated,
        ["src/auth/login.py"]
    );
    assert!(reply.flags.contains(&"already_violated".to_owned()));
}

#[test]
fn a_first_prompt_is_a_task_and_still_limits() {
    let reply = steer(&SteerParams {
        message: "Add paging to the list, but don't touch src/auth.py".into(),
        first_prompt: true,
        ..SteerParams::default()
    })
    .unwrap();
    assert_eq!(
        (reply.classification.as_str(), reply.decision.as_str()),
        ("task", "continue")
    );
    assert_eq!(reply.suggested_updates.forbidden_paths, ["src/auth.py"]);
}

#[test]
fn the_end_of_a_long_message_counts() {
    let message = format!(
        "{}\n{}\nplease stop",
        "This is what I saw in it. ".repeat(800),
        "The table has these rows. ".repeat(800)
    );
    let reply = say(&message);
    assert_eq!(reply.classification, "cancellation");
    assert!(reply.flags.contains(&"message_truncated".to_owned()));
}

#[test]
fn absolute_paths_of_the_repository_become_relative() {
    let reply = steer(&SteerParams {
        repo: "/r/repo".into(),
        message: "don't touch /r/repo/src/a.py or /etc/hosts".into(),
        ..SteerParams::default()
    })
    .unwrap();
    assert_eq!(
        reply.suggested_updates.forbidden_paths,
        ["src/a.py", "/etc/hosts"]
    );
    assert_eq!(reply.flags, ["path_outside_repo"]);
}

#[test]
fn an_unknown_language_is_said_to_be_unknown() {
    let reply = say("rör inte det där just nu snälla");
    assert_eq!(
        (reply.classification.as_str(), reply.decision.as_str()),
        ("unknown", "ask_user")
    );
    assert_eq!(reply.language, "und");
}

#[test]
fn a_faint_guess_is_not_heeded() {
    for message in ["well, dunno, perhaps", "fixtures", "--verbose"] {
        let reply = say(message);
        assert_eq!(
            (reply.classification.as_str(), reply.decision.as_str()),
            ("unknown", "ask_user"),
            "{message}"
        );
    }
}

#[test]
fn empty_messages_are_an_error() {
    for message in ["", "  \n\t"] {
        let params = SteerParams {
            message: message.into(),
            ..SteerParams::default()
        };
        assert_eq!(steer(&params), Err(SteerError::EmptyMessage));
    }
}

#[test]
fn what_is_only_named_in_a_row_halts_nothing() {
    for message in [
        "Add commands to start, stop, and restart the server",
        "the player needs play, pause, and stop buttons",
        "support start, stop and status in the CLI",
        "Implement lock, wait, and notify for the monitor",
        "baue starten, stoppen, und neu starten ein",
        "ajoute démarrer, arrêter, et redémarrer",
        "加上启动、停止和重启命令",
        "開始、停止、再開のボタンを追加して",
    ] {
        let reply = say(message);
        assert_ne!(
            reply.classification, "cancellation",
            "{message}: {:?}",
            reply.reasons
        );
    }
    for message in [
        "ok, stop, and tell me what you have",
        "no, wait, that's wrong",
        "that's wrong, stop, and revert it",
        "run the linter. stop, and tell me why",
    ] {
        assert_eq!(say(message).classification, "cancellation", "{message}");
    }
}

#[test]
fn what_is_not_to_be_published_may_be_edited() {
    for message in [
        "don't deploy src/app to prod",
        "don't publish docs/internal.md",
        "nicht pushen: src/app.py",
    ] {
        let updates = say(message).suggested_updates;
        assert!(updates.forbidden_paths.is_empty(), "{message}: {updates:?}");
    }
    let updates = say("don't edit or publish docs/internal.md").suggested_updates;
    assert_eq!(updates.forbidden_paths, ["docs/internal.md"]);
}

#[test]
fn to_wait_with_the_changes_lets_nobody_go() {
    for message in [
        "warte mit den Änderungen, bis ich den Plan gesehen habe",
        "espera con los cambios hasta que lo apruebe",
        "wait with the refactoring",
    ] {
        assert!(!say(message).suggested_updates.lets_go, "{message}");
    }
}

/// Requirements of the product have the words of orders to stop or to go on.
#[test]
fn how_something_runs_is_no_order_to_stop() {
    for message in [
        "der Worker darf nach dem Timeout nicht weitermachen",
        "der Scheduler soll bei SIGTERM nicht weitermachen",
        "the worker must not continue after a timeout",
        "the consumer should stop when the broker is gone",
        "the retry loop must never continue past three attempts",
        "le worker ne doit pas continuer après le timeout",
        "el worker no debe seguir después del timeout",
        "o worker não deve continuar depois do timeout",
        "worker 超时之后不应该继续执行",
        "ワーカーはタイムアウト後に処理を続けてはいけない",
        "サーバーはSIGTERMを受けたら停止するべき",
    ] {
        let reply = say(message);
        assert_eq!(reply.classification, "new_requirement", "{message}");
        assert!(!reply.suggested_updates.lets_go, "{message}");
    }
    for message in [
        "du darfst nicht weitermachen",
        "nicht weitermachen",
        "you must not continue",
        "we must stop here",
        "tu ne dois pas continuer",
        "no debes seguir",
        "不能继续了",
        "これ以上続けてはいけない",
    ] {
        assert_eq!(say(message).classification, "cancellation", "{message}");
    }
}

/// "Not yet": nothing is to be changed until somebody says so.
#[test]
fn nothing_is_changed_before_it_may_be() {
    for message in [
        "まだコードを書かないで",
        "まだ実装しないで",
        "まだ何も変更しないで",
        "変更する前に私の承認を待って",
        "編集する前に私の確認を待ってください",
        "私がOKと言うまで書かないで",
        "改之前先等我确认",
        "ainda não mexe em nada",
        "还不要开始写",
        "noch nicht implementieren",
        "fang noch nicht an",
        "don't start yet",
        "ne commence pas encore",
    ] {
        let updates = say(message).suggested_updates;
        assert_eq!(updates.forbidden_paths, ["**"], "{message}");
        assert!(updates.until_told && !updates.lets_go, "{message}");
    }
    for message in [
        "コードを書いて",
        "まだ対応していないエンドポイントを実装して",
        "src/a.py にテストを書いて",
        "まだバグが残ってる",
        "まだテストが通らない",
        "it doesn't work yet",
        "that's not fixed yet",
        "don't add the index yet",
        "das ist noch nicht fertig",
        "it builds, yet the tests fail",
        "the endpoint isn't implemented yet, please add it",
    ] {
        let updates = say(message).suggested_updates;
        assert!(updates.forbidden_paths.is_empty(), "{message}");
    }
}

#[test]
fn a_limit_goes_on_in_clauses_without_a_verb() {
    for (message, forbidden) in [
        ("Don't touch tests/. docs/ neither.", "tests docs"),
        ("Don't touch tests/, and not docs/ either", "tests docs"),
        (
            "Don't edit src/a.py, and the same goes for src/b.py",
            "src/a.py src/b.py",
        ),
        (
            "Do not edit vendor/ or docs/. Same for scripts/release.sh",
            "vendor docs scripts/release.sh",
        ),
        ("Fass tests/ nicht an, und docs/ auch nicht", "tests docs"),
        (
            "Lass tests/ in Ruhe. Das gleiche gilt für docs/.",
            "tests docs",
        ),
        ("No toques tests/, y docs/ tampoco", "tests docs"),
        ("Ne touche pas à tests/, et docs/ non plus", "tests docs"),
        ("Não mexa em tests/, e docs/ também não", "tests docs"),
        ("不要修改 tests/，docs/ 也不要", "tests docs"),
        ("tests/ は触らないで。docs/ も。", "tests docs"),
        ("Don't touch tests/. Update docs/ too.", "tests"),
        ("Fix src/a.py. And src/b.py too.", ""),
    ] {
        let updates = say(message).suggested_updates;
        assert_eq!(updates.forbidden_paths.join(" "), forbidden, "{message}");
    }
    let only = say("Only edit src/a.py. src/b.py too.").suggested_updates;
    assert_eq!(only.only_paths, ["src/a.py", "src/b.py"]);
}

#[test]
fn a_limit_in_a_polite_question_is_one() {
    for message in [
        "Can you fix the login without touching tests/?",
        "Is it possible to fix this without changing tests/?",
        "¿Puedes arreglar el login sin tocar tests/?",
        "Kannst du den Login reparieren, ohne tests/ anzufassen?",
        "Peux-tu corriger le login sans toucher à tests/ ?",
        "Você pode corrigir o login sem mexer em tests/?",
        "能不能在不改 tests/ 的情况下修复登录？",
        "tests/ を変えずにログインを直してくれますか？",
    ] {
        let updates = say(message).suggested_updates;
        assert_eq!(updates.forbidden_paths, ["tests"], "{message}");
    }
    for message in [
        "Why does it pass without changing tests/?",
        "How did you fix it without touching tests/?",
    ] {
        let updates = say(message).suggested_updates;
        assert!(updates.forbidden_paths.is_empty(), "{message}");
    }
}

#[test]
fn a_message_that_limits_may_order_work() {
    for (message, orders) in [
        ("Make login ignore case. Do not touch a.py.", true),
        ("Convert tokens to strings; never change a.py", true),
        ("Fix login without touching tests/", true),
        ("Corrige le login sans toucher aux tests.", true),
        ("修复登录，但不要修改 tests/。", true),
        ("Do not touch a.py.", false),
        ("Fass tests/ nicht an, und docs/ auch nicht", false),
        ("You may edit src/auth.py now", false),
        ("Only edit src/auth.py", false),
        ("Run the tests, but don't change anything", false),
    ] {
        let updates = say(message).suggested_updates;
        assert_eq!(updates.orders_work, orders, "{message}");
    }
}

fn label(message: &str) -> String {
    say(message).classification
}

#[test]
fn who_asks_for_work_politely_asks_no_question() {
    for text in [
        "can you fix the login?",
        "can you fix the login? it is slow",
        "could you fix the flaky login test? it fails on ci",
        "¿puedes arreglar el login? va lento",
        "peux-tu corriger le login ? il est lent",
        "kannst du den login reparieren? der ist langsam",
        "pode arrumar o login? tá lento",
        "能修一下登录吗？",
        "ログイン直してくれる？",
        "ログイン直してもらえますか？",
        "ログインが重いんだけど直してくれる？",
    ] {
        assert_eq!(label(text), "task", "{text}");
    }
    for text in [
        "could you add a test for that?",
        "would you mind renaming the helper?",
        "will you update the readme?",
        "podrías añadir un test?",
        "tu peux ajouter un test ?",
        "kannst du noch einen test schreiben?",
        "consegue adicionar um teste?",
        "可以帮我加个测试吗？",
        "テスト追加してくれない？",
    ] {
        assert_eq!(label(text), "new_requirement", "{text}");
    }
}

#[test]
fn what_only_asks_for_words_or_for_more_than_work_is_what_it_was() {
    for text in [
        "can you see the error?",
        "can you explain how to add a test?",
        "could this change break the api?",
        "tu peux m'expliquer comment corriger ça ?",
        "me puedes decir cómo se añade un test?",
        "kannst du mir zeigen wie man das repariert?",
        "能解释一下怎么修复吗？",
        "どうやって直してくれたの？",
        "können wir das morgen machen?",
    ] {
        assert_eq!(label(text), "question", "{text}");
    }
    assert_eq!(
        label("can you move accessibility up the list"),
        "priority_change"
    );
    assert_eq!(label("could you write it as one query?"), "strategy_change");
}

#[test]
fn quoted_text_never_steers() {
    let reply = say("The issue says: \"do not touch src/auth.py and stop running the tests now\"");
    assert_eq!(reply.decision, "ask_user");
    assert_eq!(reply.suggested_updates, SteerUpdates::default());
}

#[test]
fn a_title_in_brackets_is_no_log() {
    let of = |message: &str| {
        let reply = say(message);
        (reply.classification, reply.flags)
    };
    for log in [
        "[12:30:01] stop the server",
        "[2026-01-02T10:00:00Z] do not touch a.py",
        "[    0.523411] stop",
        "[1/4] Resolving packages, do not touch a.py",
    ] {
        assert_eq!(of(log).1, ["quoted_text_ignored"], "{log}");
    }
    for own in [
        "[12.x] Add an option for the port",
        "[2.0] Add an option for the port",
    ] {
        assert_eq!(of(own), ("new_requirement".to_owned(), vec![]), "{own}");
    }
}

proptest! {
    /// Whatever is said: an answer, within its bounds, and spans that lie in the message.
    #[test]
    fn any_text_has_an_answer(message in "\\PC{0,200}", edited in "\\PC{0,40}") {
        prop_assume!(!message.trim().is_empty());
        let reply = steer(&SteerParams {
            message: message.clone(),
            edited_paths: vec![edited],
            ..SteerParams::default()
        }).unwrap();
        prop_assert!(reply.summary.chars().count() <= 220);
        prop_assert!(reply.agent_instruction.chars().count() <= 320);
        prop_assert!(reply.labels.len() <= MAX_LABELS + 1);
        for label in &reply.labels {
            prop_assert!(message.get(label.span.0 as usize..label.span.1 as usize).is_some());
        }
    }

    /// Pieces of real messages in any order and mix.
    #[test]
    fn any_mix_of_pieces_has_an_answer(pieces in proptest::collection::vec(
        prop::sample::select(vec![
            "stop", "don't", "touch", "src/a.py", ",", "`x", "```", "\n", "> q", "不要改", "触らないで", "\"", "'", "if", "no",
            "except", "?", "and", "only", "C:\\a\\b", "../x", "*.rs", "let's", "¿", "«", "»", "a/b/", "—", "👍", "ß", "İ", "ｓｔｏｐ",
        ]), 1..40)) {
        let _ = steer(&SteerParams { message: pieces.join(" "), ..SteerParams::default() });
        let _ = steer(&SteerParams { message: pieces.concat(), ..SteerParams::default() });
    }

    /// A prohibition holds until it is lifted, whatever the path.
    #[test]
    fn forbidding_and_lifting_are_inverse(name in "[a-z]{2,8}/[a-z]{2,8}\\.rs") {
        let mut state = SteerState::default();
        state.apply(&say(&format!("do not edit {name}")), Timestamp::from_unix(1), None);
        let path = RepoPath::parse(&name).unwrap();
        prop_assert!(state.verdict(&path).is_some());
        state.apply(&say(&format!("you can edit {name} again")), Timestamp::from_unix(2), None);
        prop_assert_eq!(state.verdict(&path), None);
    }
}
