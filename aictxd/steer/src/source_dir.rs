//! "Don't touch the source": which directory that is.

use super::clause::Clause;
use super::path_role::AFTER_NAME;
use super::word_class::Class;

/// Returns true if the word at `at` means all the code that is not tests or documents: "the source", "the source
/// code", and not the source of something.
pub(super) fn is_source(clause: &Clause, at: usize) -> bool {
    const SOURCE: &[&str] = &[
        "source",
        "sources",
        "quellcode",
        "quelltext",
        "fuente",
        "fonte",
        "codigo-fonte",
        "源码",
        "源代码",
        "ソース",
        "ソースコード",
    ];
    let word = |at: usize| clause.items.get(at).map(|i| i.text.as_str());
    let behind = match word(at + 1) {
        Some("code" | "files" | "tree") => at + 2,
        _ => at + 1,
    };
    let ends = clause.items.get(behind).is_none_or(|i| {
        i.set.meets(AFTER_NAME)
            || i.has(Class::NegEnd)
            || matches!(i.text.as_str(), "は" | "を" | "に")
    });
    word(at).is_some_and(|word| SOURCE.contains(&word)) && ends
}

/// Returns the directory of the repository's code.
pub(super) fn source_directory(exists: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    ["src", "source", "sources", "lib"]
        .into_iter()
        .find(|directory| exists(directory))
}
