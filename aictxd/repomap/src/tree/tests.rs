//! A tree over segments says the same as the naive view.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::index_view::memory::{MemoryFile, MemoryView};
use crate::indexer::index_contents;
use crate::parse::{Limits, Parser};
use crate::segment::{Damage, merge};
use crate::words;

const SOURCES: [(&str, &str); 8] = [
    (
        "src/lib.rs",
        "//! Things.\npub mod parse;\n/// Adds two numbers.\npub fn add_numbers(a: i32, b: i32) -> i32 { a + b }\n",
    ),
    (
        "src/parse.rs",
        "use crate::add_numbers;\npub struct HttpParser { state: u8 }\nimpl HttpParser { pub fn next_token(&mut self) -> Option<u8> { add_numbers(1, 2); None } }\n",
    ),
    (
        "app/main.py",
        "import os\nfrom app import util\n\nclass Server:\n    \"\"\"Serves requests.\"\"\"\n    def handle_request(self, request):\n        return util.reply(request)\n",
    ),
    (
        "app/util.py",
        "def reply(request):\n    # the request is echoed\n    return request\n",
    ),
    (
        "README.md",
        "# Title\n\nWords about parsing.\n\n## Install\n",
    ),
    (
        "tests/test_app.py",
        "from app.main import Server\n\ndef test_server():\n    assert Server().handle_request(1) == 1\n",
    ),
    (
        "notes.txt",
        "plain words about the HttpParser and nothing else",
    ),
    ("data.bin", "\u{0}\u{0}binary"),
];

fn naive(files: &[(String, Vec<u8>)]) -> MemoryView {
    let mut parser = Parser::new();
    let mut read = |f: &(String, Vec<u8>)| {
        MemoryFile::read(&mut parser, f.0.clone(), f.1.clone(), &Limits::default())
    };
    MemoryView::new(files.iter().map(&mut read).collect())
}

/// Everything that a view says, with every term of every file.
fn dump(view: &dyn View, files: &[(String, Vec<u8>)]) -> BTreeMap<String, String> {
    let mut said = BTreeMap::new();
    let mut terms = std::collections::BTreeSet::new();
    for (path, bytes) in files {
        words::terms(bytes, |t| {
            terms.insert(t.to_owned());
        });
        words::terms(path.as_bytes(), |t| {
            terms.insert(t.to_owned());
        });
    }
    for file in (0..view.files()).map(FileId) {
        let lengths = Field::ALL.map(|field| view.lengths(field)[file.0 as usize]);
        let symbols: Vec<_> = (0..view.symbol_count(file))
            .map(|n| format!("{:?}", view.symbol(file, n)))
            .collect();
        let line = format!(
            "{:?} {} {lengths:?} {symbols:?} imports {:?} by {:?}",
            view.class(file),
            view.language(file),
            view.imports(file),
            view.importers(file),
        );
        assert_eq!(view.file_at(view.path(file)), Some(file));
        said.insert(view.path(file).to_owned(), line);
    }
    for field in Field::ALL {
        said.insert(
            format!("{field:?}"),
            format!("{:.4}", view.mean_length(field)),
        );
        for term in &terms {
            let mut found = Vec::new();
            let at = view.term(term);
            view.postings(field, &at, &mut |some| found.extend_from_slice(some));
            found.sort_unstable();
            assert_eq!(view.frequency(field, &at) as usize, found.len());
            if !found.is_empty() {
                said.insert(format!("{field:?} {term}"), format!("{found:?}"));
            }
        }
    }
    for name in ["add_numbers", "HttpParser", "reply", "nothing"] {
        let mut found = Vec::new();
        view.symbols_named(name, &mut |file, number| {
            found.push((file, number));
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        said.insert(format!("named {name}"), format!("{found:?}"));
    }
    said
}

/// The first thing that two views say differently.
fn difference(
    a: &dyn View,
    b: &dyn View,
    files: &[(String, Vec<u8>)],
) -> Option<(String, Option<String>, Option<String>)> {
    let (a, b) = (dump(a, files), dump(b, files));
    let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
    let key = keys.into_iter().find(|key| a.get(*key) != b.get(*key))?;
    Some((key.clone(), a.get(key).cloned(), b.get(key).cloned()))
}

fn sources() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = SOURCES
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect();
    files.sort();
    files
}

#[test]
fn segments_say_what_the_naive_view_says() {
    let files = sources();
    let tree = index_contents(files.clone(), 1 << 20, &mut |_| {});
    assert_eq!(difference(&tree, &naive(&files), &files), None);
}

#[test]
fn damage_anywhere_is_noticed_and_never_a_panic() {
    let tree = index_contents(sources(), 1 << 20, &mut |_| {});
    let whole = tree.segments()[0].bytes().to_vec();
    assert!(Segment::from_bytes(whole.clone()).is_ok());
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        // Only the padding between sections is nobody's.
        if let Ok(segment) = Segment::from_bytes(bytes) {
            assert_eq!(segment.docs(), tree.segments()[0].docs());
        }
        assert!(Segment::from_bytes(whole[..at].to_vec()).is_err());
    }
    assert_eq!(
        Segment::from_bytes(b"elf".to_vec()).unwrap_err(),
        Damage::Foreign
    );
}

proptest! {
    #[test]
    fn sections_of_any_content_are_refused_or_survived(
        pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..9), 25),
        docs in 0_usize..3,
        symbols in 0_usize..4,
    ) {
        // Lengths that fit each other get past the first gate.
        let sizes = [
            docs * 20, docs * 4, docs * 4, docs * 16, (docs + 1) * 4, (docs + 1) * 4, symbols * 4,
            symbols * 4, symbols * 4, symbols * 2, symbols, (symbols + 1) * 4, symbols * 4, 8, 5, 8,
            8, 20, 8, 4, 7, 8, 6, 8, 30,
        ];
        let mut bytes = Vec::new();
        for (piece, size) in pieces.iter().zip(sizes) {
            bytes.extend((size as u16).to_le_bytes());
            bytes.extend(piece.iter().copied().cycle().chain(std::iter::repeat(0)).take(if piece.is_empty() { 0 } else { size }));
            if piece.is_empty() {
                bytes.extend(std::iter::repeat_n(0, size));
            }
        }
        let segment = Segment::sealed(&bytes).unwrap();
        for doc in 0..segment.docs() {
            let _ = (segment.id(doc), segment.outcome(doc), segment.imports(doc).count());
            for symbol in segment.symbols_of(doc) {
                let _ = (segment.symbol(symbol), segment.doc_of_symbol(symbol));
            }
        }
        let _ = segment.find_name("a").map(|n| segment.symbols_named(n).count());
        for field in Field::ALL {
            let _ = segment.postings(field, segment.find_term("a").unwrap_or(0)).count();
        }
        let merged = merge(&[&segment, &segment], true, &|_, doc| doc == 0);
        prop_assert!(Segment::from_bytes(merged).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Documents spread over several segments, some of them dead, merged or not, make no difference.
    #[test]
    fn how_documents_are_spread_makes_no_difference(
        spread in proptest::collection::vec(0_usize..3, SOURCES.len()),
        dead in proptest::collection::vec(any::<bool>(), SOURCES.len()),
        merged: bool,
    ) {
        let files = sources();
        let one = index_contents(files.clone(), 1 << 20, &mut |_| {});
        let whole = &one.segments()[0];
        // Three segments, each with its documents, by merging the one with itself in part.
        let parts: Vec<Arc<Segment>> = (0..3)
            .map(|n| merge(&[whole], false, &|_, doc| spread[doc as usize] == n))
            .map(|bytes| Arc::new(Segment::from_bytes(bytes).unwrap()))
            .collect();
        let segments = if merged {
            let parts: Vec<&Segment> = parts.iter().map(Arc::as_ref).collect();
            vec![Arc::new(Segment::from_bytes(merge(&parts, true, &|_, _| true)).unwrap())]
        } else {
            parts
        };
        let kept: Vec<_> = files.iter().zip(&dead).filter(|(_, dead)| !**dead).map(|(f, _)| f.clone()).collect();
        let rows = one.rows().iter().zip(&dead).filter(|(_, dead)| !**dead).map(|(row, _)| {
            let find = |(n, segment): (usize, &Arc<Segment>)| {
                Some(Place { segment: n as u32, doc: segment.find(&row.id)? })
            };
            Row { place: segments.iter().enumerate().find_map(find), ..*row }
        }).collect();
        let paths = Arc::new(Paths::new(kept.iter().map(|(path, _)| path.as_bytes())));
        let tree = Tree::new(paths, rows, segments, Arc::default());
        prop_assert_eq!(tree.pending(), 0);
        let tree = tree.with_graph(Arc::new(crate::links::build(&tree, &crate::manifest::Manifests::of(kept.iter().map(|(p, b)| (&**p, &**b))), &std::sync::atomic::AtomicBool::new(false))));
        prop_assert_eq!(difference(&tree, &naive(&kept), &kept), None);
    }
}
