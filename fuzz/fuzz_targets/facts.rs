//! A file of any content in any language gives facts that hold together.
#![no_main]

use aictx_repomap::facts::{MAX_DEFINITIONS, MAX_DOC, MAX_IMPORTS, MAX_NAME, MAX_SIGNATURE};
use aictx_repomap::parse::{Language, Limits, Parser};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (language, bytes) = input;
    let language = Language::ALL[usize::from(language) % Language::ALL.len()];
    let _ = Language::of("a", bytes);
    let facts = Parser::new().parse("a", Some(language), bytes, &Limits::default());
    assert!(facts.definitions.len() <= MAX_DEFINITIONS && facts.imports.len() <= MAX_IMPORTS);
    let lines = bytes.split(|&c| c == b'\n').count();
    for (at, it) in facts.definitions.iter().enumerate() {
        let name = facts.get(it.name);
        assert!(!name.is_empty() && name.len() <= MAX_NAME);
        assert!(facts.get(it.signature).chars().count() <= MAX_SIGNATURE);
        assert!(facts.get(it.doc).chars().count() <= MAX_DOC);
        assert!(it.line >= 1 && it.line <= it.end_line && it.end_line as usize <= lines);
        assert!(it.container.is_none_or(|of| (of as usize) < at));
    }
    for it in &facts.imports {
        assert!(!facts.get(it.module).is_empty());
    }
});
