use proptest::prelude::*;

use super::*;

#[test]
fn w10_substrings_do_not_mislead() {
    for (text, want) in [
        ("Fix login token refresh", "bug_fixing"),
        ("bump to latest version", "unknown"),
        ("inspect the file system watcher", "investigation"),
        ("port to linux", "unknown"),
        ("respect user locale", "unknown"),
        ("update README", "documentation"),
        ("write a quickstart section in the README", "documentation"),
        ("refactor the parser", "refactoring"),
        ("make startup faster", "performance"),
        ("add a delete endpoint", "feature_work"),
        ("move the fixtures out of the way", "refactoring"),
        ("add tests for the address parser", "testing"),
        ("fix typo in the docs", "documentation"),
        ("fix(auth): handle slow token refresh", "bug_fixing"),
        // What is said to happen is no request, and a request may come last.
        (
            "The request model drops None defaults. Repair it",
            "bug_fixing",
        ),
        (
            "The job splits its input in two. Please document that.",
            "documentation",
        ),
        ("", "unknown"),
    ] {
        assert_eq!(classify("", text).name, want, "{text}");
    }
    assert_eq!(classify("chore", "fix it").name, "chore");
}

#[test]
fn who_looks_into_it_to_mend_it_mends() {
    for (text, want) in [
        (
            "Throttling drops the last event. Find out why and fix it.",
            "bug_fixing",
        ),
        ("investigate the leak, then resolve it", "bug_fixing"),
        (
            "Analyze the failing job and repair what you find",
            "bug_fixing",
        ),
        ("averigua por qué falla y corrígelo", "bug_fixing"),
        ("trouve pourquoi et corrige", "bug_fixing"),
        ("finde heraus warum und behebe es", "bug_fixing"),
        ("descubra por que falha e corrija", "bug_fixing"),
        ("调查为什么超时并修复", "bug_fixing"),
        ("原因を調べて直して", "bug_fixing"),
        // Others only look.
        ("investigate why the fix failed", "investigation"),
        ("find out why the fix and the test differ", "investigation"),
        ("find out who fixes it", "investigation"),
        ("why does the parser resolve names twice?", "investigation"),
        ("find out why but don't fix it", "investigation"),
        ("find out why, and do not fix it yet", "investigation"),
        ("调查一下为什么，不要修复", "investigation"),
        ("原因を調べて、直してはいけない", "investigation"),
    ] {
        assert_eq!(classify("", text).name, want, "{text}");
    }
}

#[test]
fn what_is_not_to_be_done_is_no_task() {
    for (text, want) in [
        (
            "don't fix anything, just tell me why it crashes",
            "analysis",
        ),
        ("Do not fix the crash yet, explain it", "analysis"),
        ("ne corrige rien, explique-moi le calcul", "analysis"),
        ("Behebe nichts, erkläre mir den Ablauf", "analysis"),
        ("não corrija, explique o fluxo", "analysis"),
        ("不要修复，解释一下", "analysis"),
        ("修正しないで説明して", "analysis"),
        ("don't forget to add tests", "testing"),
        ("fix the crash, don't add tests", "bug_fixing"),
    ] {
        assert_eq!(classify("", text).name, want, "{text}");
    }
}

#[test]
fn symptoms_in_seven_languages_ask_for_a_mending() {
    for (text, want) in [
        (
            "users get logged out after 60s, they shouldn't",
            "bug_fixing",
        ),
        ("I get an error message on login", "bug_fixing"),
        ("improve error messages", "feature_work"),
        ("improve error handling in the parser", "feature_work"),
        ("improve the performance of the parser", "performance"),
        ("El total está mal", "bug_fixing"),
        ("explícame cómo funciona el caché", "analysis"),
        ("Le total est faux", "bug_fixing"),
        ("Die Rechnung wird falsch berechnet", "bug_fixing"),
        ("Räum den Parser auf", "refactoring"),
        ("Der Raum ist neu", "unknown"),
        ("O total está errado", "bug_fixing"),
        ("总价不对", "bug_fixing"),
        ("合計がおかしい", "bug_fixing"),
    ] {
        assert_eq!(classify("", text).name, want, "{text}");
    }
}

#[test]
fn what_is_said_to_be_broken_is_to_be_mended_whatever_it_is() {
    for text in [
        "cache eviction removes the wrong entry",
        "documentation build crashes",
        "the refactor breaks login",
        "refactor breaks login",
        "the tests fail",
        "tests are failing on CI",
        "tests fail",
        "unit tests still fail on Windows",
        "CI is red since yesterday",
        "the e2e suite is broken",
        "the build is slow and fails",
        "slow query returns wrong rows",
        "cache returns wrong value",
        "the benchmark panics",
        "new endpoint returns incorrect totals",
        "The migration fails on Postgres 16",
        "dark mode toggle does not work",
        "the optimization broke sorting",
        "moving a card crashes the app",
        "on CI, the integration tests hang",
        "Los tests fallan",
        "las pruebas fallan en CI",
        "la documentación no funciona",
        "Les tests échouent",
        "les tests ne passent plus",
        "Die Tests schlagen fehl",
        "Die Tests schlagen auf CI fehl",
        "der neue Export stürzt ab",
        "os testes falham",
        "os testes estão falhando no CI",
        "测试失败了",
        "单元测试不通过",
        "缓存报错",
        "テストが失敗している",
        "CIでテストが落ちる",
    ] {
        assert_eq!(classify("", text).name, "bug_fixing", "{text}");
    }
    for (text, want) in [
        ("add a test for the crash", "testing"),
        ("add a test that fails without the patch", "testing"),
        (
            "write tests for what happens when the upload fails",
            "testing",
        ),
        ("cache the results so that nothing breaks", "performance"),
        ("document how the parser fails", "documentation"),
        (
            "refactor the parser, it hangs together badly",
            "refactoring",
        ),
        ("investigate why the build fails", "investigation"),
        ("why does the build fail?", "investigation"),
        ("show a banner when the payment fails", "feature_work"),
        ("add retries: the upload fails sometimes", "feature_work"),
        ("docs: the build crashes on old Node", "documentation"),
        ("the page loads slowly", "performance"),
        ("add tests that cover the leak", "testing"),
        ("añade una prueba cuando falla el login", "testing"),
        ("ajoute un test quand la requête échoue", "testing"),
        ("füge einen Test hinzu, wenn der Export abbricht", "testing"),
        ("为失败的请求编写测试", "testing"),
        ("失敗する場合のテストを書いて", "testing"),
    ] {
        assert_eq!(classify("", text).name, want, "{text}");
    }
}

#[test]
fn w10_paths_of_every_layout_count_when_words_do_not() {
    for (path, want) in [
        ("tests/test_a.py", "testing"),
        ("pkg/server/handler_test.go", "testing"),
        ("web/src/Button.spec.tsx", "testing"),
        ("app/src/test/java/LoginTest.java", "testing"),
        ("spec/models/user_spec.rb", "testing"),
        ("README.md", "documentation"),
        ("benches/parse.rs", "performance"),
        ("docs/adr/0001-queue.md", "architecture"),
        ("src/latest.rs", "unknown"),
        ("src/inspect.py", "unknown"),
        ("src/contest.py", "unknown"),
    ] {
        let found = provisional("", "carry on", [path]);
        assert_eq!(found.name, want, "{path}");
        assert!(found.ambiguous, "a path alone is never sure: {path}");
    }
}

#[test]
fn w10_a_docs_task_stays_one_whatever_its_summary_says() {
    let files = ["README.md".to_owned()];
    let last = observed(&Observed {
        request: "document the install steps",
        summary: "updated the summary and the output section, fixed formatting",
        files_edited: &files,
        ..Observed::default()
    });
    assert_eq!(last.name, "documentation", "{last:?}");
}

#[test]
fn w18_the_final_type_keeps_a_clear_request() {
    let errors = ["TypeError: x is undefined".to_owned()];
    let files = ["src/login.ts".to_owned(), "src/login.test.ts".to_owned()];
    let request = "add a dark mode toggle";
    let last = observed(&Observed {
        request,
        summary: "added the toggle and tests",
        errors: &errors,
        files_edited: &files,
        ..Observed::default()
    });
    let prepared = classify("", request);
    assert_eq!(prepared.name, "feature_work");
    assert_eq!(effective(&prepared, &last).name, "feature_work", "{last:?}");
}

#[test]
fn what_was_seen_decides_where_words_do_not() {
    let files = ["tests/test_a.py".to_owned()];
    let seen = Observed {
        request: "carry on",
        files_edited: &files,
        ..Observed::default()
    };
    let found = observed(&seen);
    assert_eq!((found.name.as_str(), found.phase), ("testing", "observed"));
    assert!(found.score_breakdown["testing"] > 0, "{found:?}");
    let nothing = observed(&Observed::default());
    assert_eq!(
        (nothing.name.as_str(), nothing.source),
        ("unknown", "observed_unknown")
    );
    let prepared = classify("", "fix it");
    assert_eq!(effective(&prepared, &nothing).name, "bug_fixing");
}

#[test]
fn the_result_has_the_fields_of_the_format() {
    let value = serde_json::to_value(classify("", "fix the crash")).unwrap();
    let keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "task_type",
            "source",
            "fallback",
            "confidence",
            "signals",
            "evidence",
            "ambiguous"
        ]
    );
}

proptest! {
    #[test]
    fn any_text_has_a_type(text in "\\PC{0,300}", path in "\\PC{0,40}") {
        let found = provisional("", &text, [path.as_str()]);
        prop_assert!((0.35..=0.95).contains(&found.confidence));
        prop_assert!(found.signals.len() <= MAX_SIGNALS);
        prop_assert!(found.name == "unknown" || aictx_steer::TASK_TYPES.contains(&found.name.as_str()));
    }
}

#[test]
fn what_is_broken_is_to_be_mended_in_whatever_words() {
    let mut wrong = Vec::new();
    for (want, text) in [
        ("bug_fixing", "the tests fail"),
        ("bug_fixing", "tests are failing on CI"),
        ("bug_fixing", "Les tests échouent"),
        ("bug_fixing", "Die Tests schlagen fehl"),
        ("bug_fixing", "los tests fallan"),
        ("bug_fixing", "os testes falham"),
        ("bug_fixing", "测试失败了"),
        ("bug_fixing", "テストが失敗している"),
        ("bug_fixing", "cache returns wrong value"),
        ("bug_fixing", "stale cache bug"),
        ("bug_fixing", "the token count is wrong"),
        ("bug_fixing", "slow query returns wrong rows"),
        ("bug_fixing", "documentation build crashes"),
        ("bug_fixing", "refactor breaks login"),
        ("bug_fixing", "cache eviction returns the wrong entry"),
        ("bug_fixing", "cache eviction removes the wrong entry"),
        ("bug_fixing", "CI is failing on main"),
        ("bug_fixing", "le test échoue"),
        ("bug_fixing", "die Tests schlagen fehl"),
        ("bug_fixing", "profile avatar upload fails"),
        ("bug_fixing", "the tokenizer crashes on empty input"),
        ("bug_fixing", "the design page throws an error"),
        ("bug_fixing", "the docs generator no longer works"),
        ("bug_fixing", "the benchmark panics on startup"),
        ("bug_fixing", "Der Cache liefert falsche Werte"),
        ("bug_fixing", "la caché devuelve valores incorrectos"),
        ("bug_fixing", "o cache retorna valores errados"),
        ("bug_fixing", "缓存返回了错误的值"),
        ("bug_fixing", "キャッシュが間違った値を返す"),
        ("bug_fixing", "architecture diagram export hangs"),
        ("bug_fixing", "the test runner segfaults"),
        ("testing", "add a test for the crash"),
        ("testing", "write tests for the parser"),
        ("testing", "write a test that fails when the cache is stale"),
        ("performance", "the page loads slowly"),
        ("performance", "the build is slow"),
        ("performance", "queries take too long"),
        ("documentation", "document why the parser crashes on tabs"),
        ("documentation", "Documentation: fix typos in the guide"),
        ("feature_work", "add retry when the upload fails"),
        ("feature_work", "show an error when login fails"),
        ("refactoring", "rename the crash handler"),
        ("investigation", "find out why the cache is slow"),
        ("refactoring", "simplify the code that breaks lines"),
        ("feature_work", "add a broken-link checker"),
    ] {
        let found = classify("", text);
        if found.name != want {
            wrong.push(format!(
                "{want} != {}: {text} {:?}",
                found.name, found.signals
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
