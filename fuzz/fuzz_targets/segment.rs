//! A segment whose sections hold anything is refused or answers every question without a panic.
#![no_main]

use aictx_repomap::segment::{Segment, merge};
use aictx_repomap::index_view::Field;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &str)| {
    let (bytes, word) = input;
    let Ok(segment) = Segment::sealed(bytes) else {
        return;
    };
    for doc in 0..segment.docs().min(50) {
        let id = segment.id(doc).unwrap_or_default();
        let _ = (segment.find(&id), segment.language(doc), segment.outcome(doc), segment.cut(doc));
        for symbol in segment.symbols_of(doc).take(50) {
            let _ = segment.symbol(symbol);
            assert!(segment.doc_of_symbol(symbol) < segment.docs());
        }
        let _ = segment.imports(doc).take(50).count();
    }
    if let Some(name) = segment.find_name(word) {
        let _ = segment.symbols_named(name).take(50).count();
    }
    if let Some(term) = segment.find_term(word) {
        for field in Field::ALL {
            let _ = segment.postings(field, term).take(500).count();
        }
    }
    if segment.docs() < 50 && segment.symbols() < 500 {
        let _ = merge(&[&segment, &segment], false, &|_, doc| doc % 2 == 0);
    }
});
