use super::*;
use crate::history::{Change, Commit};
use crate::index_view::Field;
use crate::index_view::memory::{MemoryFile, MemoryView};
use crate::parse::{Limits, Parser};
use proptest::prelude::*;

fn tree(files: &[(&str, &str)]) -> MemoryView {
    let mut parser = Parser::new();
    let files = files.iter().map(|(path, text)| {
        let bytes = text.as_bytes().to_vec();
        MemoryFile::read(&mut parser, (*path).to_owned(), bytes, &Limits::default())
    });
    MemoryView::new(files.collect())
}

fn small() -> MemoryView {
    tree(&[
        (
            "src/cache/disk.rs",
            "//! Disk cache.\n/// Keeps blobs on disk.\npub struct DiskCache { root: u8 }\nimpl DiskCache { pub fn evict_oldest(&self) {} }\n",
        ),
        (
            "src/cache/memory.rs",
            "use crate::cache::disk::DiskCache;\n/// Keeps blobs in memory.\npub struct MemoryCache;\nfn evict() { /* cache cache cache eviction policy */ }\n",
        ),
        (
            "src/lib.rs",
            "mod cache;\nmod server;\npub fn start() { server::listen() }\n",
        ),
        (
            "src/server.rs",
            "/// Listens on a socket and serves the cache.\npub fn listen() { accept_connection(); }\nfn accept_connection() {}\n",
        ),
        (
            "tests/server.rs",
            "#[test]\nfn listens() { listen(); accept_connection(); }\n",
        ),
        (
            "docs/cache.md",
            "# Cache\n\nThe cache evicts the oldest blobs.\n",
        ),
        ("Cargo.toml", "[package]\nname = \"small\"\n"),
    ])
}

fn past() -> History {
    let commit = |message: &str, paths: &[&str]| Commit {
        hash: "h".into(),
        time: 1,
        message: message.into(),
        changes: paths
            .iter()
            .map(|p| Change {
                path: (*p).into(),
                from: None,
                status: 'M',
            })
            .collect(),
    };
    History::new(&[
        commit("Answer health probes of the balancer", &["src/server.rs"]),
        commit("Bump dependencies", &["Cargo.toml"]),
        commit(
            "server: time out idle clients",
            &["src/server.rs", "src/lib.rs"],
        ),
    ])
}

fn paths(view: &MemoryView, history: &History, text: &str) -> Vec<String> {
    let query = Query {
        text,
        active: &[],
        limit: 5,
    };
    rank(view, history, &query)
        .into_iter()
        .map(|h| view.path(h.file).to_owned())
        .collect()
}

#[test]
fn words_lead_to_files() {
    let view = small();
    let none = History::default();
    assert_eq!(paths(&view, &none, "disk blobs")[0], "src/cache/disk.rs");
    assert_eq!(
        paths(&view, &none, "the socket listener")[0],
        "src/server.rs"
    );
}

#[test]
fn what_is_named_wins() {
    let view = small();
    let none = History::default();
    for (text, first) in [
        (
            "evict from cache cache cache docs/cache.md",
            "docs/cache.md",
        ),
        (
            "the eviction policy of the memory cache as in DiskCache",
            "src/cache/disk.rs",
        ),
        (
            "memory cache eviction: `evict_oldest` is slow",
            "src/cache/disk.rs",
        ),
        ("cache eviction in tests/server.rs", "tests/server.rs"),
        (
            "cache: why server.rs cannot be `accept_connection`",
            "src/server.rs",
        ),
        ("cache eviction policy, see Cargo.toml", "Cargo.toml"),
    ] {
        assert_eq!(paths(&view, &none, text)[0], first, "{text}");
    }
}

#[test]
fn the_past_knows_words_that_no_file_has() {
    let view = small();
    let text = "health probes fail behind the balancer";
    assert!(paths(&view, &History::default(), text).is_empty());
    let query = Query {
        text,
        active: &[],
        limit: 5,
    };
    let hits = rank(&view, &past(), &query);
    assert_eq!(view.path(hits[0].file), "src/server.rs");
    assert!(
        hits[0]
            .reasons
            .iter()
            .any(|r| r.name == "repo_map:history_match" && r.value > 0.0)
    );
}

#[test]
fn scores_reasons_and_symbols() {
    let view = small();
    let query = Query {
        text: "evict the oldest blobs from disk",
        active: &[],
        limit: 10,
    };
    let hits = rank(&view, &past(), &query);
    assert_eq!(view.path(hits[0].file), "src/cache/disk.rs");
    let symbol = view.symbol(hits[0].file, hits[0].symbols[0].0).unwrap();
    assert_eq!(symbol.name, "evict_oldest");
    for pair in hits.windows(2) {
        assert!(pair[0].raw >= pair[1].raw && pair[0].score >= pair[1].score);
    }
    for hit in &hits {
        assert!(hit.score <= 1000 && hit.symbols.len() <= MAX_SYMBOLS);
        assert!(hit.reasons.iter().all(|r| r.name.starts_with("repo_map:")));
        let sum: f32 = hit.reasons.iter().map(|r| r.value).sum();
        assert!((sum - hit.raw).abs() < 0.5, "{sum} {}", hit.raw);
    }
}

#[test]
fn active_files_come_forward() {
    let view = small();
    let none = History::default();
    let file = view.file_at("src/lib.rs").unwrap();
    let ask = |active: &[(FileId, f32)]| {
        let query = Query {
            text: "cache",
            active,
            limit: 10,
        };
        let hits = rank(&view, &none, &query);
        hits.iter().find(|h| h.file == file).map_or(0.0, |h| h.raw)
    };
    assert!(ask(&[(file, 1.0)]) > ask(&[]) + 0.5);
}

#[test]
fn nothing_asked_nothing_found() {
    let (view, history) = (small(), past());
    for text in ["", " \n\t", "the of and", "!?", "\u{1F980}"] {
        assert_eq!(paths(&view, &history, text), [""; 0], "{text:?}");
    }
    assert!(paths(&tree(&[]), &history, "cache").is_empty());
    let query = Query {
        text: "cache",
        active: &[],
        limit: 0,
    };
    assert!(rank(&view, &history, &query).is_empty());
}

#[test]
fn a_gigantic_question_is_answered() {
    let view = small();
    let text = "evict DiskCache src/cache/disk.rs a::b::c ".repeat(50_000);
    assert_eq!(paths(&view, &past(), &text)[0], "src/cache/disk.rs");
}

#[test]
fn views_of_different_size_share_no_state() {
    let (big, none) = (small(), History::default());
    let one = tree(&[("a.rs", "fn cache() {}")]);
    for _ in 0..3 {
        assert_eq!(paths(&one, &none, "cache"), ["a.rs"]);
        assert_eq!(paths(&big, &none, "listen on a socket")[0], "src/server.rs");
    }
}

#[test]
fn a_file_is_named_as_people_paste_it() {
    let view = small();
    let none = History::default();
    for name in [
        "./docs/cache.md",
        "docs/cache.md:3",
        "docs/cache.md:3:12",
        "docs/../docs/cache.md",
        "docs\\cache.md",
        "a/docs/cache.md",
        "b/docs/cache.md",
        "/home/user/small/docs/cache.md",
        "/home/user/small/docs/cache.md:3",
        "C:\\small\\docs\\cache.md",
        "small/docs/cache.md#L3",
    ] {
        for text in [
            format!("evict from the DiskCache server cache, see {name}"),
            format!("{name}: evict from the DiskCache server cache"),
        ] {
            assert_eq!(paths(&view, &none, &text)[0], "docs/cache.md", "{text}");
        }
    }
    let text = "/home/user/small/Cargo.toml: DiskCache";
    assert_eq!(paths(&view, &none, text)[0], "Cargo.toml");
    // Somebody else's.
    let text = "other/Cargo.toml DiskCache";
    assert_eq!(paths(&view, &none, text)[0], "src/cache/disk.rs");
}

#[test]
fn tests_and_documents_come_after_sources_unless_they_are_asked_for() {
    let view = tree(&[
        ("src/cache.rs", "fn evict() {}"),
        (
            "tests/evict_cache.rs",
            "fn evict_cache() { evict(); cache() }",
        ),
        ("docs/cache.md", "Evict from the cache: evict, cache."),
    ]);
    let first = |text: &str| {
        let query = Query {
            text,
            active: &[],
            limit: 3,
        };
        let mut hits = rank(&view, &History::default(), &query);
        sources_first(&view, text, &mut hits);
        view.path(hits[0].file).to_owned()
    };
    for (text, expected) in [
        ("evict from the cache", "src/cache.rs"),
        ("the test of evict cache is flaky", "tests/evict_cache.rs"),
        ("explain evict cache in the documentation", "docs/cache.md"),
        ("evict cache as docs/cache.md says", "docs/cache.md"),
    ] {
        assert_eq!(first(text), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_question_is_answered_the_same_way_again(text in "[a-zA-Z0-9_./:`() \n#-]{0,200}|\\PC{0,80}") {
        let (view, history) = (small(), past());
        let query = Query { text: &text, active: &[], limit: 4 };
        let first = rank(&view, &history, &query);
        prop_assert_eq!(&first, &rank(&view, &history, &query));
        prop_assert!(first.len() <= 4);
        prop_assert!(first.iter().all(|h| h.raw.is_finite()));
        let _ = view.frequency(Field::Body, &view.term(&text));
    }
}
