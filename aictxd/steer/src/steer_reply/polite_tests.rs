//! Orders in the form of questions, and questions that look like them.

use super::*;

fn label(message: &str) -> String {
    let params = SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    };
    steer(&params).unwrap().classification
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
