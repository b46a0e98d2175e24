//! Files that a `Makefile` includes.

use std::borrow::Cow;
use std::sync::Arc;

/// Files of one `Makefile` that are put in.
const MAX_FILES: usize = 8;
/// Bytes of all of them.
const MAX_BYTES: usize = 256 * 1024;

/// A text with the files in it that it includes, and that those include. `read` gives what is known of one.
pub(super) fn put_in(text: &str, read: impl Fn(&str) -> Option<Arc<str>>) -> Cow<'_, str> {
    let mut names: Vec<String> = included(text).map(str::to_owned).collect();
    if names.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    let mut at = 0;
    while let Some(name) = names.get(at).filter(|_| at < MAX_FILES) {
        if let Some(more) = read(name).filter(|more| out.len() + more.len() < MAX_BYTES) {
            out.push('\n');
            out.push_str(&more);
            for name in included(&more) {
                if names.len() < MAX_FILES && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        at += 1;
    }
    Cow::Owned(out)
}

/// The names behind `include`; those that variables and patterns make are not known.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start_matches(' ');
            let verbs = ["include ", "-include ", "sinclude "];
            verbs.iter().find_map(|verb| line.strip_prefix(verb))
        })
        .flat_map(|names| {
            names
                .split(" #")
                .next()
                .unwrap_or_default()
                .split_whitespace()
        })
        .filter(|name| !name.contains(['$', '*', '?', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_put_in_once() {
        let read = |name: &str| match name {
            "a.mk" => Some(Arc::from("a:\ninclude a.mk b.mk\n")),
            "b.mk" => Some(Arc::from("b:\n-include a.mk\n")),
            _ => None,
        };
        assert_eq!(put_in("x:\n\tinclude a.mk\n", read), "x:\n\tinclude a.mk\n");
        let text = put_in("include a.mk $(X).mk none.mk # b\nx:\n", read);
        assert_eq!(text.matches("a:").count(), 1, "{text}");
        assert_eq!(text.matches("b:").count(), 1, "{text}");
    }
}
