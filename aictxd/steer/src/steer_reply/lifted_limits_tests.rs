//! Messages that end a limit, set one, or do neither.

use aictx_proto::Timestamp;

use super::*;

fn say(message: &str) -> SteerReply {
    steer(&SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    })
    .unwrap()
}

/// The limits after these messages, one after the other.
fn after(messages: &[&str]) -> SteerState {
    let mut state = SteerState::default();
    for (at, message) in (0..).zip(messages) {
        state.apply(&say(message), Timestamp::from_unix(at), None);
    }
    state
}

/// Code waits for a lock; what people may give as well is waited for by the agent.
#[test]
fn what_somebody_gives_is_no_part_of_a_program() {
    for message in [
        "wait for my response before you change src/a.rs",
        "wait for my ack before you edit src/a.rs",
        "wait for the response from the client before touching src/a.rs",
    ] {
        assert_eq!(
            say(message).suggested_updates.forbidden_paths,
            ["src/a.rs"],
            "{message}"
        );
    }
    let code = say("wait for the lock before writing to src/a.rs");
    assert!(code.suggested_updates.forbidden_paths.is_empty());
}

/// Permission for what a scope left out needs no name.
#[test]
fn the_source_too_ends_a_scope_of_tests() {
    for message in [
        "you may change the source too",
        "ok you can also edit the source code now",
        "feel free to touch the rest of the code too",
        "you may edit everything else too",
        "ya puedes tocar también el código fuente",
        "du darfst jetzt auch den Quellcode ändern",
        "tu peux aussi modifier le code source",
        "源代码也可以改了",
        "ソースコードも変更していいよ",
    ] {
        let state = after(&["only change the tests", message]);
        assert!(state.allowed_paths.is_empty(), "{message}: {state:?}");
        // What was forbidden by name stays so.
        let state = after(&["only change the tests", "don't touch README.md", message]);
        assert_eq!(state.forbidden_paths, ["README.md"], "{message}");
        assert!(state.allowed_paths.is_empty(), "{message}");
    }
    for message in [
        "you may not change the source",
        "may I change the source?",
        "don't change the source",
        "you may also edit docs/guide.md",
        "the source is a mess",
    ] {
        let state = after(&["only change the tests", message]);
        assert!(
            state.allowed_paths.contains(&"tests".to_owned()),
            "{message}: {state:?}"
        );
    }
}

/// To leave a place is neither to leave it alone nor to be let in.
#[test]
fn leaving_a_place_changes_no_limit() {
    for message in [
        "you can leave services/api now",
        "you may leave services/api now and go on with services/web",
        "du kannst services/api jetzt verlassen",
    ] {
        assert!(after(&[message]).is_empty(), "{message}");
        let state = after(&["don't touch services/api", message]);
        assert_eq!(state.forbidden_paths, ["services/api"], "{message}");
    }
    for message in [
        "leave services/api alone",
        "please leave services/api as it is",
    ] {
        assert_eq!(after(&[message]).forbidden_paths, ["services/api"]);
    }
}

/// Statements of habit are no prohibitions.
#[test]
fn what_nobody_does_these_days_may_be_done() {
    for message in [
        "nobody touches src/legacy these days so clean it up",
        "no one edits src/legacy any more so remove it",
        "nobody touches src/legacy any longer, so please tidy it up",
        "no one has touched src/legacy in years, delete it",
        "noone touches lib/compat these days so feel free to refactor it",
    ] {
        let state = after(&[message]);
        assert!(state.forbidden_paths.is_empty(), "{message}: {state:?}");
    }
    for message in [
        "nobody touches src/legacy",
        "no one should edit src/legacy",
        "nobody touches src/legacy in this branch pls",
        "I froze it, so don't touch src/legacy",
    ] {
        assert_eq!(
            after(&[message]).forbidden_paths,
            ["src/legacy"],
            "{message}"
        );
    }
}

#[test]
fn limits_are_lifted_by_name_of_the_limit() {
    for message in [
        "ignore what i said about migrations, you're free to edit them now",
        "vergiss die Einschränkung von vorhin",
        "之前说的限制取消",
        "さっきの制限はもう忘れて",
    ] {
        let state = after(&["don't touch migrations/", message]);
        assert!(state.is_empty(), "{message}: {state:?}");
    }
}

#[test]
fn limits_in_words_that_were_not_known() {
    let only = |message: &str| say(message).suggested_updates.only_paths;
    assert_eq!(only("fica só em src/ui, nada além disso"), ["src/ui"]);
    assert_eq!(only("src/ui の中だけ変更して"), ["src/ui"]);
    let forbidden = |message: &str| say(message).suggested_updates.forbidden_paths;
    assert_eq!(forbidden("pls dont mess w/ src/a.ts"), ["src/a.ts"]);
    assert_eq!(forbidden("do it w/o changing src/a.py"), ["src/a.py"]);
    for message in [
        "nur Tests, keine Änderungen am Quellcode",
        "keine Änderungen am Schema",
    ] {
        assert_eq!(say(message).classification, "scope_constraint", "{message}");
    }
    assert_ne!(
        say("keine Änderungen nötig").classification,
        "scope_constraint"
    );
    // "a/b" stays a path.
    assert_eq!(forbidden("don't touch w/x.rs"), ["w/x.rs"]);
}

/// Waiting for a word is a limit and no halt; an order is neither.
#[test]
fn to_wait_with_one_file_stops_nothing_else() {
    for (message, classification) in [
        (
            "warte auf meine Freigabe, bevor du src/a.py änderst",
            "scope_constraint",
        ),
        (
            "src/a.py を変更する前に私の承認を待って",
            "scope_constraint",
        ),
        (
            "antes de tocar src/a.py espera mi aprobación",
            "scope_constraint",
        ),
        (
            "stop. before you change src/a.py wait for me",
            "cancellation",
        ),
        ("wait for CI before changing src/a.py", "priority_change"),
    ] {
        assert_eq!(say(message).classification, classification, "{message}");
    }
    // It holds until somebody says so, and nothing else is held up.
    let state = after(&["before you touch src/a.py, ask me", "fix src/b.py"]);
    assert_eq!(state.forbidden_paths, ["src/a.py"]);
    let state = after(&[
        "before you touch src/a.py, ask me",
        "ok, you may edit src/a.py now",
    ]);
    assert_eq!(
        state,
        SteerState {
            since: state.since,
            source: state.source.clone(),
            latest: state.latest.clone(),
            ..SteerState::default()
        }
    );
}

/// An order that follows from what nobody does is about what was named there.
#[test]
fn what_nobody_edits_may_be_removed() {
    for message in [
        "no one edits src/a.py any more so remove it",
        "no one edits src/a.py, so remove it",
    ] {
        let reply = say(message);
        assert_eq!(reply.classification, "new_requirement", "{message}");
        assert_eq!(
            reply.suggested_updates.ordered_paths,
            ["src/a.py"],
            "{message}"
        );
        assert!(
            reply.suggested_updates.forbidden_paths.is_empty(),
            "{message}"
        );
    }
    assert!(
        say("src/a.py は変えなくていいです")
            .suggested_updates
            .ordered_paths
            .is_empty()
    );
}

/// Naming the referent clarifies; calling it wrong corrects.
#[test]
fn what_was_spoken_of_is_made_clear() {
    for (message, classification) in [
        ("我说的是登录页，不是注册页", "clarification"),
        ("我指的是测试环境，不是生产", "clarification"),
        ("不对，我说的是登录页", "agent_correction"),
        ("你理解错了，我要的是登录页", "agent_correction"),
    ] {
        assert_eq!(say(message).classification, classification, "{message}");
    }
}

/// A contrast to what was done limits nothing; a limit beside a correction does.
#[test]
fn a_correction_is_no_limit() {
    for (message, classification) in [
        ("I said rename, don't delete", "agent_correction"),
        (
            "ich hab gesagt umbenennen, nicht löschen",
            "agent_correction",
        ),
        (
            "そんなこと頼んでないよ、リネームだけって言ったよね",
            "agent_correction",
        ),
        ("no, don't touch", "scope_constraint"),
        ("違う、公開APIは変えないで", "scope_constraint"),
        ("that's wrong, don't touch src/a.py", "scope_constraint"),
        ("you broke it, don't change anything", "scope_constraint"),
    ] {
        assert_eq!(say(message).classification, classification, "{message}");
    }
}

/// Japanese verbs run together with what is done ahead, for good, or to somebody's liking.
#[test]
fn japanese_verbs_run_together() {
    for (message, classification) in [
        ("package.json はそのままにしといて", "scope_constraint"),
        ("型チェックも通るか見といて", "validation_change"),
        ("バグを直しといて", "task"),
        ("テストより先に型エラーを片付けちゃって", "priority_change"),
        ("他の言語ファイルも同じように更新しといて", "scope_change"),
        (
            "フラグを増やすより設定を分けたほうがよくない？",
            "strategy_change",
        ),
        ("AよりBが速い？", "question"),
        ("テストも一緒に書いといて", "new_requirement"),
        ("それで問題ないです", "continuation"),
        ("急ぎではないので大丈夫", "side_comment"),
        ("そこ消すとログインできなくなるよ", "risk_warning"),
        ("ログインできなくなるバグを直して", "task"),
        ("この話は忘れて", "cancellation"),
        ("コミットを忘れてエラーになった？", "question"),
        ("設定はいじらないようにお願いします", "scope_constraint"),
        ("処理はいつ終わる？", "question"),
        ("はい、そのブランチは消して", "approval"),
        ("配列にしたら？", "strategy_change"),
        ("配列にしたら落ちるバグを直して", "task"),
        ("負荷試験もやっといて", "validation_change"),
        ("テストを先にやって", "priority_change"),
        ("再帰はやめてループにしてください", "strategy_change"),
        ("落ちないようにして", "new_requirement"),
        ("OK、次のステップへ", "continuation"),
        ("次へボタンを大きくして", "new_requirement"),
        ("テストも直していいですよ", "scope_change"),
        ("テストも直してください", "new_requirement"),
        ("同じ対応を batch にもお願いします", "scope_change"),
        ("同じ処理が二回走るバグを直して", "task"),
        (
            "待ってください、先に確認したいことがあります",
            "cancellation",
        ),
        ("待って、先にビルドを直して", "priority_change"),
    ] {
        let reply = say(message);
        assert_eq!(
            reply.classification, classification,
            "{message}: {:?}",
            reply.reasons
        );
    }
}

/// To wait, and to wait with one thing; a list that goes on, and "wait"; what is only remarked, and what is not.
#[test]
fn what_is_to_wait() {
    for (message, classification) in [
        ("no wait don't run that", "cancellation"),
        ("don't run it", "cancellation"),
        ("wait don't touch src/a.py", "scope_constraint"),
        ("don't run the tests", "validation_change"),
        ("等等，先别提交", "cancellation"),
        ("支持 json、yaml 等等", "new_requirement"),
        ("bin the whole thing", "cancellation"),
        ("let's stop there for tonight", "cancellation"),
        (
            "参考までに、このライブラリは来年サポートが切れます",
            "side_comment",
        ),
        ("fyi, update src/a.py too", "new_requirement"),
        ("fyi, don't touch src/a.py", "scope_constraint"),
        (
            "only the affected package needs testing",
            "validation_change",
        ),
        ("only admins should see the button", "new_requirement"),
    ] {
        let reply = say(message);
        assert_eq!(
            reply.classification, classification,
            "{message}: {:?}",
            reply.reasons
        );
    }
}

/// "Wait, before that do A": the work goes on, with something else first.
#[test]
fn who_says_wait_and_names_what_is_first_stops_nothing() {
    for message in [
        "wait, before that fix the failing lint",
        "espera, primero arregla el lint",
        "attends, corrige d'abord le lint",
        "warte, behebe zuerst den Lint-Fehler",
        "等等，先修 lint",
    ] {
        assert_eq!(say(message).classification, "priority_change", "{message}");
    }
    for message in [
        "wait",
        "wait, I first need to look",
        "stop, first I want to see the plan",
        "wait for my go before the first change",
        "stop. before you change src/a.py wait for me",
    ] {
        assert_eq!(say(message).classification, "cancellation", "{message}");
    }
}
