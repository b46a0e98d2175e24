//! The container in a question like `Type::method`, and what stands around a definition.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::facts::Kind;
use crate::index_view::{FileId, Symbol, View};
use crate::tree::Tree;

/// How what is around a definition matches the container that was asked for, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Around {
    /// It is in that, or none was asked for.
    Name,
    /// The same in other case.
    Case,
    /// A name around it has it.
    Part,
    /// Its file is named so, as a module is.
    File,
    /// The path has it.
    Path,
    /// It belongs to a type of another file, and its own file speaks of that name.
    Mentioned,
}

/// A container that is asked for.
pub(super) struct Container<'a> {
    /// The last of its names; empty where none is asked for.
    name: &'a str,
    folded: String,
    /// Files that have the name's words.
    mentions: OnceCell<HashSet<FileId>>,
}

impl<'a> Container<'a> {
    pub(super) fn new(written: &'a str) -> Self {
        let name = written.rsplit(['.', ':', '#', '/']).next().unwrap_or("");
        Self {
            name,
            folded: name.to_lowercase(),
            mentions: OnceCell::new(),
        }
    }

    /// How a definition's surroundings match; nothing where it is elsewhere.
    pub(super) fn around(&self, tree: &Tree, file: FileId, symbol: &Symbol<'_>) -> Option<Around> {
        if self.name.is_empty() {
            return Some(Around::Name);
        }
        let around = super::container_of(tree, file, symbol);
        let nearest = match around.rsplit('.').next() {
            Some("") | None => owner_in(symbol.signature, symbol.name),
            Some(nearest) => nearest,
        };
        // What a generic type is made for is no part of its name.
        let nearest = nearest.split('<').next().unwrap_or("").trim_end();
        let nearest_folded = nearest.to_lowercase();
        let path = tree.path(file).to_lowercase();
        let module = || {
            let mut parts = path.rsplit('/');
            let name = parts.next().unwrap_or("");
            let stem = name.split('.').next().unwrap_or(name);
            stem == self.folded || parts.next().is_some_and(|parent| parent == self.folded)
        };
        if nearest == self.name {
            Some(Around::Name)
        } else if nearest_folded == self.folded {
            Some(Around::Case)
        } else if nearest_folded.contains(&self.folded)
            || around.to_lowercase().contains(&self.folded)
        {
            Some(Around::Part)
        } else if module() {
            Some(Around::File)
        } else if path.contains(&self.folded) {
            Some(Around::Path)
        } else {
            let stray = symbol.kind == Kind::Method && around.is_empty() && nearest.is_empty();
            (stray && self.is_mentioned(tree, file)).then_some(Around::Mentioned)
        }
    }

    fn is_mentioned(&self, tree: &Tree, file: FileId) -> bool {
        let all = || super::references::with_words(tree, self.name);
        let files = self.mentions.get_or_init(|| all().into_iter().collect());
        files.contains(&file)
    }
}

/// The type that the signature of a definition outside its type names: `void Type::name(…)`,
/// `func (t *Type) Name(…)`. Empty where it names none.
fn owner_in<'s>(signature: &'s str, name: &str) -> &'s str {
    let before = |separator: &str| {
        let qualified = format!("{separator}{name}");
        let head = signature.get(..signature.find(&qualified)?)?;
        Some(head.trim_end_matches(|c: char| c == ')' || c.is_whitespace()))
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let receiver = || {
        let list = signature.strip_prefix("func (")?.split(')').next()?;
        // What the type is made for stands in brackets.
        Some(list.split('[').next().unwrap_or(list).trim_end())
    };
    let head = receiver().or_else(|| before("::")).unwrap_or("");
    let head = match head.strip_suffix('>') {
        Some(inner) => inner.split('<').next().unwrap_or(""),
        None => head,
    };
    let start = head
        .rfind(|c: char| !is_part(c))
        .map_or(0, |at| at + head.get(at..).map_or(1, first_len));
    head.get(start..).unwrap_or("")
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_name_the_type_of_what_stands_outside_it() {
        let cases = [
            ("void Store::get(int key)", "get", "Store"),
            ("int a::b::Store::get() const", "get", "Store"),
            ("T Store<T>::get()", "get", "Store"),
            ("func (s *Store) Get(key string) error", "Get", "Store"),
            ("func (Store) Get()", "Get", "Store"),
            ("func (s Store[K, V]) Get() K", "Get", "Store"),
            ("func Get()", "Get", ""),
            ("pub fn get(&self)", "get", ""),
            ("é::get", "get", "é"),
            ("»::get", "get", ""),
            ("", "get", ""),
        ];
        for (signature, name, owner) in cases {
            assert_eq!(owner_in(signature, name), owner, "{signature}");
        }
    }
}
