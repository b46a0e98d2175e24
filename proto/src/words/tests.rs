use super::*;
use proptest::prelude::*;

fn all(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    terms(text.as_bytes(), |t| found.push(t.to_owned()));
    found
}

#[test]
fn identifiers_fall_into_parts() {
    for (text, parts) in [
        (
            "MigrationAutodetector",
            "migrat autodetect migrationautodetect",
        ),
        ("HTTPServer", "http serv httpserv"),
        ("parseURLs", "pars url parseurl"),
        ("snake_case_name", "snak cas nam snakecasenam"),
        ("__init__", "init"),
        ("sha256sum", "sha 256 sum sha256sum"),
        ("utf8", "utf utf8"),
        ("SCREAMING_CASE", "scream cas screamingcas"),
        ("a b1 x", "b1"),
        ("12345 1234567 0x7f", "12345 0x7f"),
        ("foo.bar/baz-qux", "foo bar baz qux"),
        ("d41d8cd98f00b204e9800998ecf8427e", ""),
    ] {
        assert_eq!(all(text).join(" "), parts, "{text}");
    }
}

#[test]
fn forms_of_a_word_meet() {
    for forms in [
        &["cache", "caches", "cached", "caching"][..],
        &["parse", "parser", "parsers", "parsing", "parsed"],
        &["dependency", "dependencies"],
        &["class", "classes"],
        &["call", "calls", "called", "calling"],
        &["run", "running", "runs"],
        &["validate", "validation", "validator", "validating"],
        &["error", "errors", "err"],
        &["compress", "compression", "compressed"],
        &["apply", "applies", "applied"],
        &["box", "boxes"],
        &["add", "added", "adding"],
        &["status"],
        &["watcher", "watch", "watches", "watching"],
    ] {
        let stems: Vec<String> = forms.iter().map(|f| stem(f)).collect();
        assert!(stems.iter().all(|s| *s == stems[0]), "{forms:?} {stems:?}");
    }
    assert_ne!(stem("string"), stem("str"));
    assert_ne!(stem("status"), stem("stat"));
}

#[test]
fn other_alphabets() {
    assert_eq!(all("Größe_ändern Straße"), ["größe", "ändern", "straße"]);
    assert_eq!(all("设置 cacheKey"), ["设置", "cach", "key", "cachekei"]);
    let mut found = Vec::new();
    terms(b"good \xff\xfebytes\xc3 here", |t| found.push(t.to_owned()));
    assert_eq!(found, ["good", "byt", "her"]);
}

#[test]
fn weights_of_words() {
    assert_eq!(weight(&stem("the")), 0.0);
    assert_eq!(weight(&stem("fixes")), 0.2);
    assert_eq!(weight(&stem("scheduler")), 1.0);
    assert!(is_long_enough(&stem("ui")) && is_long_enough("key"));
    assert!(!is_long_enough("py") && !is_long_enough("la"));
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        terms(&bytes, |t| {
            assert!(t.len() >= 2 && t.len() <= 3 * MAX_WORD);
            assert!(!t.chars().any(|c| c.is_ascii_uppercase() || c == '_'));
        });
    }

    #[test]
    fn any_text_is_the_sum_of_its_words(words in proptest::collection::vec("[a-zA-Z0-9_é]{1,20}", 0..20)) {
        let apart: Vec<String> = words.iter().flat_map(|w| all(w)).collect();
        prop_assert_eq!(all(&words.join(" ")), apart.clone());
        prop_assert_eq!(all(&words.join("(+)")), apart);
    }

    #[test]
    fn stems_only_shorten(word in "[a-z]{1,20}") {
        let short = stem(&word);
        prop_assert!(!short.is_empty() && short.len() <= word.len());
    }
}
