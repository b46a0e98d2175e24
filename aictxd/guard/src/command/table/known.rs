//! All that the tables know of a program, by its name.

use std::sync::LazyLock;

use aictx_shell::ByName;

use super::rules::{BY_PROGRAM, NONE};
use super::{INTERPRETERS, Interpreter, Rules, Traits, VALUED, traits};

/// Entry of a program in all tables: looked up once a call instead of table by table.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Program {
    /// The lists that hold it.
    pub(in super::super) traits: Traits,
    /// Entry as an interpreter.
    pub(in super::super) interpreter: Option<&'static Interpreter>,
    /// The calls of it that are known by verbs and options.
    pub(in super::super) rules: &'static Rules,
    /// Its global options that take the next word.
    pub(in super::super) valued: &'static [&'static str],
}

impl Default for Program {
    fn default() -> Self {
        Self {
            traits: Traits::default(),
            interpreter: None,
            rules: &NONE,
            valued: &[],
        }
    }
}

/// A program of which nothing is known.
static NOBODY: LazyLock<Program> = LazyLock::new(Program::default);

/// By name, and what is known of a program under any number behind its name.
struct Known {
    named: ByName<Program>,
    numbered: ByName<Program>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut map: ByName<Program> = ByName::default();
    for (name, traits) in traits() {
        map.entry(name).or_default().traits = traits;
    }
    for known in INTERPRETERS {
        map.entry(known.name).or_default().interpreter = Some(known);
    }
    for (name, rules) in BY_PROGRAM.iter() {
        map.entry(name).or_default().rules = rules;
    }
    for (name, options) in VALUED {
        map.entry(name).or_default().valued = options;
    }
    let numbered: ByName<Program> = map
        .iter()
        .filter(|(_, known)| known.interpreter.is_some() || !known.rules.is_empty())
        .map(|(name, known)| (*name, Program::default().numbered(known)))
        .collect();
    let mut named = map.clone();
    for (name, known) in &mut named {
        if let Some(plain) = without_number(name) {
            let plain = map.get(plain).copied().unwrap_or_default();
            *known = known.numbered(&plain);
        }
    }
    Known { named, numbered }
});

impl Program {
    /// The same where its name is that of `plain` with a number behind it: `python3.12` is `python`, `helm3` is
    /// `helm`.
    fn numbered(self, plain: &Self) -> Self {
        let rules = match self.rules.is_empty() {
            true => plain.rules,
            false => self.rules,
        };
        Self {
            interpreter: plain.interpreter,
            rules,
            ..self
        }
    }
}

/// Returns a name without the number behind it.
fn without_number(name: &str) -> Option<&str> {
    let numbered = |last: char| last.is_ascii_digit() || last == '.';
    name.ends_with(numbered)
        .then(|| name.trim_end_matches(numbered))
}

/// Returns the entry of a program.
pub(in super::super) fn program(name: &str) -> &'static Program {
    let numbered = || KNOWN.numbered.get(without_number(name)?);
    let known = KNOWN.named.get(name).or_else(numbered);
    known.unwrap_or(&NOBODY)
}

/// Nothing is known.
pub(in super::super) fn nobody() -> &'static Program {
    &NOBODY
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers behind a name are those of a version, unless a table knows it with them.
    #[test]
    fn versions_of_programs() {
        for (name, interpreter, rules) in [
            ("python", true, false),
            ("python3.12", true, false),
            ("helm", false, true),
            ("helm3", false, true),
            ("nobody", false, false),
            ("nobody3", false, false),
            ("", false, false),
            ("3", false, false),
        ] {
            let known = program(name);
            assert_eq!(known.interpreter.is_some(), interpreter, "{name}");
            assert_eq!(!known.rules.is_empty(), rules, "{name}");
        }
        assert!(program("git").valued.contains(&"-C"));
        assert!(program("psql").traits.has(Traits::SQL));
    }
}
