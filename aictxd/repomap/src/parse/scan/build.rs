//! Build files: Make, Just, Dockerfiles, CMake.

use crate::facts::Kind;
use crate::parse::fact_builder::{Draft, New, slice};

use super::{indent, lines};

struct Found<'a> {
    kind: Kind,
    name: &'a [u8],
    signature: &'a [u8],
    line: u32,
}

fn add(found: &Found<'_>, draft: &mut Draft) -> Option<u32> {
    draft.push(&New {
        kind: found.kind,
        name: found.name,
        signature: found.signature,
        container: None,
        line: found.line,
        end_line: found.line,
        exported: true,
        declared_only: false,
    })
}

/// A target and what belongs to it: until a line that is not indented.
#[derive(Default)]
struct Open {
    index: Option<u32>,
    last: u32,
}

impl Open {
    fn close(&mut self, draft: &mut Draft) {
        let last = self.last;
        if let Some(it) = self.index.take().and_then(|at| draft.get_mut(at)) {
            it.end_line = last.max(it.line);
        }
    }
}

/// Makefiles and justfiles: targets are started, variables are set.
pub(in crate::parse) fn make(source: &[u8], draft: &mut Draft) {
    let mut open = Open::default();
    let mut comment: Option<(usize, usize)> = None;
    let mut continued = false;
    let mut defining = false;
    for (number, start, line) in lines(source) {
        let text = line.trim_ascii();
        let was_continued = std::mem::replace(&mut continued, text.ends_with(b"\\"));
        if text.is_empty() {
            comment = None;
            continue;
        }
        if defining {
            defining = !text.starts_with(b"endef");
            open.last = number;
            continue;
        }
        if indent(line) > 0 || was_continued {
            open.last = number;
            continue;
        }
        if text.starts_with(b"#") {
            comment = Some((comment.map_or(start, |(from, _)| from), start + line.len()));
            continue;
        }
        open.close(draft);
        open.last = number;
        let above = comment.take();
        if let Some(rest) = [&b"include "[..], b"-include ", b"import ", b"mod "]
            .iter()
            .find_map(|it| text.strip_prefix(*it))
        {
            let rest = rest.trim_ascii();
            draft.import(rest.strip_prefix(b"'").unwrap_or(rest), number);
            continue;
        }
        let text = text.strip_prefix(b"export ").unwrap_or(text);
        let text = text.strip_prefix(b"@").unwrap_or(text);
        let word = text
            .iter()
            .position(|c| !(c.is_ascii_alphanumeric() || b"_-./%$(){}".contains(c)))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(word).unwrap_or((text, b""));
        let after = rest.trim_ascii_start();
        let sets = [&b"="[..], b":=", b"?=", b"+=", b"::=", b"!="]
            .iter()
            .any(|it| after.starts_with(it));
        // `a b: c` and, with parameters, `a b="c":`.
        let colon = memchr::memchr(b':', rest);
        defining = name == b"define";
        let kind = match () {
            () if defining => Kind::Macro,
            // Settings of just.
            () if matches!(name, b"set" | b"alias" | b"unexport") => continue,
            () if sets => Kind::Variable,
            () if colon.is_some() => Kind::Entrypoint,
            () => continue,
        };
        let name = if kind == Kind::Macro { after } else { name };
        // `.PHONY` is none, and `%.o` and `$(x)` are patterns.
        if name.first().is_none_or(|c| matches!(c, b'.' | b'%' | b'$')) {
            continue;
        }
        let signature = text.split(|&c| c == b'#').next().unwrap_or(text);
        let signature = signature.strip_suffix(b"\\").unwrap_or(signature);
        open.index = add(
            &Found {
                kind,
                name,
                signature,
                line: number,
            },
            draft,
        );
        let doc = memchr::memmem::find(text, b"## ").and_then(|at| text.get(at..));
        let doc = doc.or(above.map(|(from, to)| slice(source, from..to)));
        if let (Some(index), Some(doc)) = (open.index, doc) {
            draft.document(index, doc);
        }
    }
    open.close(draft);
}

/// Dockerfiles: stages, and what a container runs.
pub(in crate::parse) fn docker(source: &[u8], draft: &mut Draft) {
    let mut open = Open::default();
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let words: Vec<&[u8]> = text
            .split(u8::is_ascii_whitespace)
            .filter(|it| !it.is_empty())
            .take(8)
            .collect();
        let starts = |word: &[u8]| {
            words
                .first()
                .is_some_and(|it| it.eq_ignore_ascii_case(word))
        };
        if starts(b"FROM") {
            open.close(draft);
            let image = words.iter().skip(1).find(|it| !it.starts_with(b"--"));
            let image = image.copied().unwrap_or(b"");
            let named = words.iter().position(|it| it.eq_ignore_ascii_case(b"AS"));
            let name = named.and_then(|at| words.get(at + 1)).copied();
            draft.import(image, number);
            open.index = add(
                &Found {
                    kind: Kind::Section,
                    name: name.unwrap_or(image),
                    signature: text,
                    line: number,
                },
                draft,
            );
        } else if starts(b"ARG") || starts(b"ENV") {
            let name = words.get(1).copied().unwrap_or(b"");
            let name = name.split(|&c| c == b'=').next().unwrap_or(name);
            add(
                &Found {
                    kind: Kind::Variable,
                    name,
                    signature: text,
                    line: number,
                },
                draft,
            );
        } else if starts(b"ENTRYPOINT") || starts(b"CMD") {
            add(
                &Found {
                    kind: Kind::Entrypoint,
                    name: words.first().copied().unwrap_or(b""),
                    signature: text,
                    line: number,
                },
                draft,
            );
        }
        open.last = number;
    }
    open.close(draft);
}

/// CMake: targets, functions, macros, options.
pub(in crate::parse) fn cmake(source: &[u8], draft: &mut Draft) {
    let mut open: Vec<u32> = Vec::new();
    let mut comment: Option<(usize, usize)> = None;
    for (number, start, line) in lines(source) {
        let text = line.trim_ascii();
        if text.starts_with(b"#") {
            comment = Some((comment.map_or(start, |(from, _)| from), start + line.len()));
            continue;
        }
        let above = comment.take();
        let Some(bracket) = memchr::memchr(b'(', text) else {
            continue;
        };
        let (command, rest) = text.split_at_checked(bracket).unwrap_or((text, b""));
        let command = command.trim_ascii().to_ascii_lowercase();
        let name = rest
            .split(|c| c.is_ascii_whitespace() || matches!(c, b'(' | b')' | b'"'))
            .find(|it| !it.is_empty())
            .unwrap_or(b"");
        let kind = match command.as_slice() {
            b"function" => Kind::Function,
            b"macro" => Kind::Macro,
            b"add_executable" | b"add_custom_target" => Kind::Entrypoint,
            b"add_library" => Kind::Module,
            b"project" => Kind::Section,
            b"option" => Kind::Variable,
            b"add_test" => Kind::Test,
            b"add_subdirectory" | b"include" => {
                draft.import(name, number);
                continue;
            }
            b"endfunction" | b"endmacro" => {
                if let Some(it) = open.pop().and_then(|at| draft.get_mut(at)) {
                    it.end_line = number;
                }
                continue;
            }
            _ => continue,
        };
        let name = if kind == Kind::Test && name == b"NAME" {
            let words = rest.split(|c| c.is_ascii_whitespace() || matches!(c, b'(' | b')'));
            words.filter(|it| !it.is_empty()).nth(1).unwrap_or(name)
        } else {
            name
        };
        let index = add(
            &Found {
                kind,
                name,
                signature: text,
                line: number,
            },
            draft,
        );
        if let (Some(index), Some((from, to))) = (index, above) {
            draft.document(index, slice(source, from..to));
        }
        if let Some(index) = index
            && matches!(command.as_slice(), b"function" | b"macro")
            && open.len() < 16
        {
            open.push(index);
        }
    }
}
