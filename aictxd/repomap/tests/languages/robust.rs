//! Whatever stands in a file, reading it ends with facts that hold together.

use std::time::{Duration, Instant};

use aictx_repomap::facts::{
    Facts, Kind, MAX_DEFINITIONS, MAX_DOC, MAX_IMPORTS, MAX_NAME, MAX_SIGNATURE, Outcome,
};
use aictx_repomap::parse::{self, Language, Limits, Parser};
use proptest::prelude::*;

use super::sources;

fn slow() -> Limits {
    Limits {
        deadline: Duration::from_secs(20),
        ..Limits::default()
    }
}

fn named(name: &str) -> Language {
    Language::named(name).unwrap()
}

fn parse(language: &str, source: &str) -> Facts {
    Parser::new().parse("a", Some(named(language)), source.as_bytes(), &slow())
}

/// Checks the invariants of facts.
fn hold(facts: &Facts, lines: u32) {
    assert!(facts.definitions.len() <= MAX_DEFINITIONS);
    assert!(facts.imports.len() <= MAX_IMPORTS);
    let mut exported = Vec::new();
    for (at, it) in facts.definitions.iter().enumerate() {
        let name = facts.get(it.name);
        assert!(!name.is_empty() && name.len() <= MAX_NAME, "{it:?}");
        assert_eq!(name.len(), it.name.len as usize);
        assert_eq!(facts.get(it.signature).len(), it.signature.len as usize);
        assert_eq!(facts.get(it.doc).len(), it.doc.len as usize);
        assert!(facts.get(it.signature).chars().count() <= MAX_SIGNATURE);
        assert!(facts.get(it.doc).chars().count() <= MAX_DOC);
        assert!(1 <= it.line && it.line <= it.end_line, "{it:?}");
        assert!(it.end_line <= lines, "{it:?} of {lines}");
        if let Some(of) = it.container {
            assert!((of as usize) < at, "{it:?}");
            assert!(!it.exported || exported[of as usize], "{it:?}");
        }
        exported.push(it.exported);
    }
    for it in &facts.imports {
        let module = facts.get(it.module);
        assert!(!module.is_empty() && module.len() == it.module.len as usize);
        assert!(1 <= it.line && it.line <= lines);
    }
}

fn lines(source: &[u8]) -> u32 {
    source.split(|&c| c == b'\n').count() as u32
}

/// Pieces of sources, cut and put together anew: nearer to what breaks readers than noise.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let sources: Vec<Vec<u8>> = sources().into_iter().map(|(_, source)| source).collect();
    let piece = (0..sources.len(), any::<prop::sample::Index>(), 0..200_usize).prop_map(
        move |(of, at, length)| {
            let source = &sources[of];
            let from = at.index(source.len());
            source[from..source.len().min(from + length)].to_vec()
        },
    );
    let noise = prop::collection::vec(any::<u8>(), 0..20);
    prop::collection::vec(prop_oneof![4 => piece, 1 => noise], 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes(source in prop::collection::vec(any::<u8>(), 0..400), pieces in pieces()) {
        let mut parser = Parser::new();
        for source in [source, pieces] {
            for language in Language::ALL {
                let facts = parser.parse("a", Some(language), &source, &slow());
                hold(&facts, lines(&source));
                let again = parser.parse("a", Some(language), &source, &slow());
                prop_assert_eq!(facts, again, "{}", language);
            }
        }
    }

    #[test]
    fn any_name(path in ".{0,40}", head in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Language::of(&path, &head);
        let _ = parse::is_private(&path);
    }
}

#[test]
fn samples_cut_anywhere() {
    let mut parser = Parser::new();
    for (name, source) in sources() {
        let language = Language::of(&name, &source);
        for cut in (0..source.len()).step_by(1 + source.len() / 40) {
            let facts = parser.parse(&name, language, &source[..cut], &slow());
            hold(&facts, lines(&source[..cut]));
        }
    }
}

#[test]
fn line_breaks_and_marks_change_nothing() {
    let mut parser = Parser::new();
    for (name, source) in sources() {
        let language = Language::of(&name, &source);
        let facts = parser.parse(&name, language, &source, &slow());
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend_from_slice(&source);
        assert_eq!(
            parser.parse(&name, language, &marked, &slow()),
            facts,
            "{name}"
        );
        if name == "CMakeLists.txt" || name == "Makefile" {
            continue;
        }
        let text = String::from_utf8(source.clone()).unwrap();
        let windows = parser.parse(
            &name,
            language,
            text.replace('\n', "\r\n").as_bytes(),
            &slow(),
        );
        let seen = |facts: &Facts| -> Vec<(String, u32, Kind)> {
            let all = facts.definitions.iter();
            all.map(|it| (facts.get(it.name).to_owned(), it.line, it.kind))
                .collect()
        };
        assert_eq!(seen(&windows), seen(&facts), "{name}");
    }
}

#[test]
fn deep_nesting() {
    let mut parser = Parser::new();
    let quick = Limits {
        deadline: Duration::from_millis(100),
        ..Limits::default()
    };
    // A parser may need its time for the deepest; what it then gives is walked at any depth.
    for (depth, limits) in [(100_000, quick), (2_000, slow())] {
        for language in Language::ALL {
            for (open, close) in [("(", ")"), ("{", "}"), ("<a>", "</a>")] {
                let source = format!("x = {}{}\n", open.repeat(depth), close.repeat(depth));
                let source = &source.as_bytes()[..source.len().min(1 << 19)];
                // Many on one line would be taken for data.
                let source: Vec<u8> = source
                    .chunks(100)
                    .flat_map(|chunk| chunk.iter().copied().chain([b'\n']))
                    .collect();
                let started = Instant::now();
                let facts = parser.parse("a", Some(language), &source, &limits);
                hold(&facts, lines(&source));
                assert!(started.elapsed() < Duration::from_secs(30), "{language}");
            }
        }
    }
}

#[test]
fn outcomes() {
    let mut parser = Parser::new();
    let limits = Limits::default();
    let rust = Some(named("rust"));
    let mut outcome = |path: &str, language, source: &[u8]| {
        let facts = parser.parse(path, language, source, &limits);
        assert!(facts.definitions.is_empty());
        facts.outcome
    };
    assert_eq!(
        outcome("a/.env.local", rust, b"fn a() {}"),
        Outcome::Private
    );
    assert_eq!(outcome("a.rs", rust, b"fn a() {}\0"), Outcome::Binary);
    assert_eq!(
        outcome("a.rs", rust, &vec![b' '; (1 << 20) + 1]),
        Outcome::TooLarge
    );
    assert_eq!(outcome("a.txt", None, b"text"), Outcome::TextOnly);
    let generated = b"// Code generated by x. DO NOT EDIT.\nfn a() {}\n";
    assert_eq!(outcome("a.rs", rust, generated), Outcome::Generated);
    let minified = format!("fn a() {{}} {}", "x();".repeat(1_000));
    assert_eq!(
        outcome("a.rs", rust, minified.as_bytes()),
        Outcome::Generated
    );
    assert_eq!(outcome("a.rs", rust, b""), Outcome::Parsed);

    for path in [
        ".env",
        "x/.env.prod",
        "a.pem",
        "tls/server.KEY",
        "id_rsa",
        "id_ed25519.pub",
    ] {
        assert!(parse::is_private(path), "{path}");
    }
    for path in [
        "id_generator.py",
        "src/keys.rs",
        "environment.rs",
        "id_map.rs",
        "pem.rs",
    ] {
        assert!(!parse::is_private(path), "{path}");
    }
}

#[test]
fn a_late_parse_is_read_by_lines() {
    let limits = Limits {
        deadline: Duration::ZERO,
        ..Limits::default()
    };
    let mut parser = Parser::whole();
    let body = "    let x = a + b * c;\n".repeat(300);
    let source = format!("/// Says it.\npub fn hello() {{\n{body}}}\nstruct A;\nuse a::b;\n");
    let facts = parser.parse("a.rs", Some(named("rust")), source.as_bytes(), &limits);
    assert_eq!(facts.outcome, Outcome::Deadline);
    let names: Vec<_> = facts
        .definitions
        .iter()
        .map(|it| facts.get(it.name))
        .collect();
    assert_eq!(names, ["hello", "A"]);
    assert_eq!(facts.get(facts.definitions[0].doc), "Says it.");
    assert_eq!(facts.definitions[0].end_line, 303);

    let source = format!("static int\nhello(int a)\n{{\n{body}}}\nint other(void) {{\n{body}}}\n");
    let facts = parser.parse("a.c", Some(named("c")), source.as_bytes(), &limits);
    assert_eq!(facts.get(facts.definitions.last().unwrap().name), "other");
    // The parser is as good as new.
    let facts = parser.parse("a.c", Some(named("c")), b"int main(void) {}", &slow());
    assert_eq!(
        (facts.outcome, facts.definitions.len()),
        (Outcome::Parsed, 1)
    );
}

#[test]
fn limits() {
    let many = "fn a() {}\n".repeat(MAX_DEFINITIONS + 5);
    let facts = parse("rust", &many);
    assert_eq!((facts.definitions.len(), facts.cut), (MAX_DEFINITIONS, 5));
    let imports = "use a::b;\n".repeat(MAX_IMPORTS + 5);
    assert_eq!(parse("rust", &imports).imports.len(), MAX_IMPORTS);
    let long = format!("fn {}() {{}}\nfn b() {{}}\n", "a".repeat(MAX_NAME + 1));
    assert_eq!(parse("rust", &long).definitions.len(), 1);
    let title = format!("# {}\n\ntext\n", "ä".repeat(MAX_NAME));
    let facts = parse("markdown", &title);
    assert_eq!(
        facts.get(facts.definitions[0].name),
        "ä".repeat(MAX_NAME / 2)
    );
    let headings = "# a\n".repeat(50);
    assert_eq!(parse("markdown", &headings).definitions.len(), 30);
    let keys = "{\n\"a\": 1,\n".to_owned() + &"\"b\": {\"c\": 1},\n".repeat(60) + "}";
    let facts = parse("json", &keys);
    assert_eq!((facts.definitions.len(), facts.cut), (40, 81));
}

#[test]
fn invalid_text_keeps_its_names() {
    let facts = Parser::new().parse(
        "a.rs",
        Some(named("rust")),
        b"fn a\xff() {}\nfn good() {}\n",
        &slow(),
    );
    hold(&facts, 3);
    let names: Vec<_> = facts
        .definitions
        .iter()
        .map(|it| facts.get(it.name))
        .collect();
    assert!(names.contains(&"good"), "{names:?}");
}
