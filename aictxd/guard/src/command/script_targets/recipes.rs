//! The commands behind a name in a `Makefile`, a `justfile`, a `package.json`, a Cargo alias.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Targets of one call that are followed, with what they depend on.
const MAX_TARGETS: usize = 64;
/// Bytes of commands taken from one file.
const MAX_COMMANDS: usize = 64 * 1024;
/// Times that variables are put into each other.
const MAX_ROUNDS: usize = 4;

/// One target: what it needs and what it runs.
#[derive(Debug, Default)]
struct Target<'t> {
    needs: Vec<&'t str>,
    lines: Vec<&'t str>,
}

/// The recipe lines of `wanted` (or of the first target) and of what they depend on.
pub(super) fn make(text: &str, wanted: &[&str]) -> Option<String> {
    let joined = text.replace("\\\n", " ");
    let mut targets: HashMap<&str, Target> = HashMap::new();
    let mut variables: HashMap<&str, Cow<str>> = HashMap::new();
    let mut first = None;
    let mut open: Vec<&str> = Vec::new();
    let mut lines = joined.lines();
    while let Some(line) = lines.next() {
        if let Some(head) = line.strip_prefix("define ") {
            let name = head.trim_end_matches([' ', '=', ':', '?', '+']).trim();
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|line| line.trim() != "endef")
                .collect();
            variables.insert(name, Cow::Owned(body.join("\n")));
            continue;
        }
        if let Some(command) = line.strip_prefix('\t') {
            for name in &open {
                if let Some(target) = targets.get_mut(name) {
                    target.lines.push(command);
                }
            }
            continue;
        }
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = assignment(line) {
            variables.insert(name, Cow::Borrowed(value));
            continue;
        }
        let Some((names, needs)) = line.split_once(':') else {
            continue;
        };
        let (needs, command) = needs.split_once(';').unwrap_or((needs, ""));
        open = names.split_whitespace().take(MAX_TARGETS).collect();
        if first.is_none() {
            let usual = |name: &&str| !name.starts_with('.') && !name.contains('%');
            first = open.iter().copied().find(usual);
        }
        for name in &open {
            let target = targets.entry(name).or_default();
            target
                .needs
                .extend(needs.trim_start_matches(':').split_whitespace());
            if !command.trim().is_empty() {
                target.lines.push(command.trim());
            }
        }
    }
    let mut todo: Vec<&str> = if wanted.is_empty() {
        let goal = variables.get(".DEFAULT_GOAL").map(Cow::as_ref);
        goal.or(first).into_iter().collect()
    } else {
        wanted.iter().rev().copied().collect()
    };
    let lines = collect(&targets, &mut todo)?;
    let mut out = String::new();
    for line in lines {
        let text = put_in(&line, &variables);
        // Every line has a shell of its own; a variable may hold several.
        for line in text.lines() {
            let command = line.trim_start_matches(['@', '-', '+', ' ', '\t']);
            let signs = line.get(..line.len() - command.len()).unwrap_or_default();
            out.push('(');
            out.push_str(command);
            // How it ends does not matter.
            if signs.contains('-') && !command.is_empty() {
                out.push_str(" || true");
            }
            out.push_str("\n)\n");
        }
        if out.len() > MAX_COMMANDS {
            break;
        }
    }
    Some(out)
}

/// A line of a recipe, with the target that it is run for.
struct Line<'t> {
    text: &'t str,
    target: &'t str,
    /// Stem of a pattern's `%`.
    stem: &'t str,
}

/// Lines of the targets in `todo` and of what they need, each once.
fn collect<'t>(
    targets: &HashMap<&'t str, Target<'t>>,
    todo: &mut Vec<&'t str>,
) -> Option<Vec<Line<'t>>> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut lines = Vec::new();
    while let Some(name) = todo.pop() {
        if seen.len() >= MAX_TARGETS || !seen.insert(name) {
            continue;
        }
        let exact = targets.get(name).map(|target| (target, ""));
        let Some((target, stem)) = exact.or_else(|| by_pattern(targets, name)) else {
            continue;
        };
        lines.extend(target.lines.iter().map(|text| Line {
            text,
            target: name,
            stem,
        }));
        todo.extend(target.needs.iter().copied());
    }
    (!lines.is_empty()).then_some(lines)
}

/// The pattern (`%.o`) that fits a name best, and what its `%` stands for.
fn by_pattern<'a, 't>(
    targets: &'a HashMap<&'t str, Target<'t>>,
    name: &'t str,
) -> Option<(&'a Target<'t>, &'t str)> {
    let fitting = targets.iter().filter_map(|(pattern, target)| {
        let (start, end) = pattern.split_once('%')?;
        let stem = name.strip_prefix(start)?.strip_suffix(end)?;
        (!stem.is_empty() && !target.lines.is_empty()).then_some((target, stem))
    });
    fitting.min_by_key(|(_, stem)| stem.len())
}

/// `NAME = value` in its forms.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name
        .trim_end_matches([':', '?', '+', '!'])
        .trim()
        .trim_start_matches("export ")
        .trim();
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    plain.then_some((name, value.trim()))
}

/// Replaces `$(NAME)`, `${NAME}`, `$@`, `$*` and `$$`; what is not known stays a variable of the shell.
fn put_in(line: &Line, variables: &HashMap<&str, Cow<str>>) -> String {
    let mut text = line.text.to_owned();
    for _ in 0..MAX_ROUNDS {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut changed = false;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let close = match rest.chars().next() {
                Some('(') => ')',
                Some('{') => '}',
                Some('$') => {
                    out.push_str("$$");
                    rest = rest.get(1..).unwrap_or_default();
                    continue;
                }
                other => {
                    out.push_str(match other {
                        Some('@') => line.target,
                        Some('*') if !line.stem.is_empty() => line.stem,
                        _ => "${AUTOMATIC}",
                    });
                    let length = other.map_or(0, char::len_utf8);
                    rest = rest.get(length..).unwrap_or_default();
                    continue;
                }
            };
            let Some(end) = rest.find(close) else {
                break;
            };
            let name = rest.get(1..end).unwrap_or_default();
            rest = rest.get(end + 1..).unwrap_or_default();
            // `$(call NAME,…)`
            let name = match name.strip_prefix("call ") {
                Some(called) => called.split(',').next().unwrap_or_default().trim(),
                None => name,
            };
            match variables.get(name).map(Cow::as_ref).or(built_in(name)) {
                Some(value) => {
                    out.push_str(value);
                    changed = true;
                }
                // Kept out of the next round by its own spelling.
                None => out.push_str("\u{1}UNKNOWN\u{2}"),
            }
        }
        out.push_str(rest);
        text = out;
        if !changed || text.len() > MAX_COMMANDS {
            break;
        }
    }
    text.replace("$$", "$")
        .replace('\u{1}', "${")
        .replace('\u{2}', "}")
}

fn built_in(name: &str) -> Option<&'static str> {
    match name {
        "RM" => Some("rm -f"),
        "MAKE" => Some("make"),
        "CURDIR" | "PWD" => Some("."),
        _ => None,
    }
}

/// The lines of recipes in a `justfile`.
pub(super) fn just(text: &str, wanted: &[&str]) -> Option<String> {
    let mut recipes: HashMap<&str, Target> = HashMap::new();
    let mut open: Option<&str> = None;
    let mut first = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = open.and_then(|name| recipes.get_mut(name)) {
                recipe
                    .lines
                    .push(line.trim().trim_start_matches(['@', '-']));
            }
            continue;
        }
        open = None;
        if line.starts_with('#') || line.contains(":=") {
            continue;
        }
        let Some((head, needs)) = line.split_once(':') else {
            continue;
        };
        let Some(name) = head.trim_start_matches('@').split_whitespace().next() else {
            continue;
        };
        first = first.or(Some(name));
        open = Some(name);
        recipes.entry(name).or_default().needs = needs.split_whitespace().collect();
    }
    // Words behind the recipe are its arguments.
    let mut todo: Vec<&str> = wanted.first().copied().or(first).into_iter().collect();
    let lines = collect(&recipes, &mut todo)?;
    let mut out = String::new();
    for Line { text, .. } in lines {
        // `{{name}}` is put in by just.
        out.push_str(&text.replace("{{", "${").replace("}}", "}"));
        out.push('\n');
    }
    Some(out)
}

/// The scripts of some names in `package.json`, with what runs before and after each; `given` is what the
/// call hands on to them. A name with a `*` at its end stands for all that begin so.
pub(super) fn package(text: &str, names: &[&str], given: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    // Deno calls them tasks.
    let scripts = value.get("scripts").or_else(|| value.get("tasks"))?;
    let scripts = scripts.as_object()?;
    let mut out = String::new();
    let mut add = |name: &str, given: &str| {
        let script = scripts.get(name);
        // Composer has lists of lines, Deno may say more than the line.
        let one = script.map(|script| script.get("command").unwrap_or(script));
        let lines = match one {
            Some(serde_json::Value::Array(lines)) => lines.as_slice(),
            one => one.map(std::slice::from_ref).unwrap_or_default(),
        };
        for line in lines.iter().filter_map(serde_json::Value::as_str) {
            if out.len() + line.len() < MAX_COMMANDS {
                out.push_str(&by_name(line));
                out.push_str(given);
                out.push('\n');
            }
        }
    };
    for name in names.iter().take(MAX_TARGETS) {
        if let Some(start) = name.strip_suffix('*') {
            let start = start.trim_end_matches('*');
            let all = scripts.keys().filter(|name| name.starts_with(start));
            all.take(MAX_TARGETS).for_each(|name| add(name, given));
            continue;
        }
        add(&format!("pre{name}"), "");
        add(name, given);
        add(&format!("post{name}"), "");
    }
    (!out.is_empty()).then_some(out)
}

/// `@php x` and `@other` of Composer: a program, or another script of the same file.
fn by_name(line: &str) -> Cow<'_, str> {
    let Some(called) = line.strip_prefix('@') else {
        return Cow::Borrowed(line);
    };
    let programs = ["php ", "composer "];
    match programs.iter().any(|program| called.starts_with(program)) {
        true => Cow::Borrowed(called),
        false => Cow::Owned(format!("composer {called}")),
    }
}

/// Resolves an alias of cargo.
pub(super) fn cargo_alias(text: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[alias]";
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| inside) else {
            continue;
        };
        if key.trim().trim_matches('"') == name {
            let words = value.replace(['[', ']', '"', '\'', ','], " ");
            let words: Vec<&str> = words.split_whitespace().collect();
            return Some(format!("cargo {}", words.join(" ")));
        }
    }
    None
}

/// Files of one `Makefile` that are put in.
const MAX_INCLUDED: usize = 8;
/// Bytes of all of them.
const MAX_INCLUDED_BYTES: usize = 256 * 1024;

/// A text with the files in it that it includes, and that those include. `read` gives what is known of one.
pub(super) fn with_includes(text: &str, read: impl Fn(&str) -> Option<Arc<str>>) -> Cow<'_, str> {
    let mut names: Vec<String> = included(text).map(str::to_owned).collect();
    if names.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    let mut at = 0;
    while let Some(name) = names.get(at).filter(|_| at < MAX_INCLUDED) {
        if let Some(more) = read(name).filter(|more| out.len() + more.len() < MAX_INCLUDED_BYTES) {
            out.push('\n');
            out.push_str(&more);
            for name in included(&more) {
                if names.len() < MAX_INCLUDED && !names.iter().any(|known| known == name) {
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
    fn make_with_variables_and_needs() {
        let text = "OUT := build\nall: clean ; echo all\n.PHONY: clean\nclean: deep\n\t@rm -rf $(OUT) $(NOPE) $$X\ndeep:\n\tcd sub && $(RM) x\n";
        assert_eq!(
            make(text, &["clean"]).unwrap(),
            "(rm -rf build ${UNKNOWN} $X\n)\n(cd sub && rm -f x\n)\n"
        );
        assert!(make(text, &[]).unwrap().starts_with("(echo all\n)"));
        assert_eq!(make(text, &["none"]), None);
        let text = "define R\n@rm -rf x\ngit clean -fdx\nendef\n%.no: x\n\trm -rf $* $@ $$@\nx:\n\t$(R)\n\t$(call R,a)\n.DEFAULT_GOAL = x\n";
        assert_eq!(
            make(text, &["a.no"]).unwrap().lines().next(),
            Some("(rm -rf a a.no $@")
        );
        assert_eq!(
            make(text, &[]).unwrap(),
            "(rm -rf x\n)\n(git clean -fdx\n)\n".repeat(2)
        );
        assert_eq!(
            make("A = $(B)\nB = $(A)\nx:\n\techo $(A)\n", &["x"]).map(|text| text.len() < 60),
            Some(true)
        );
    }

    #[test]
    fn scripts_just_and_aliases() {
        assert_eq!(
            package(
                r#"{"scripts":{"prebuild":"a","build":"b"}}"#,
                &["build"],
                " 'c'"
            )
            .unwrap(),
            "a\nb 'c'\n"
        );
        let several = r#"{"scripts":{"a":"1","b:x":"2","b:y":"3"}}"#;
        assert_eq!(package(several, &["a", "b:*"], "").unwrap(), "1\n2\n3\n");
        assert_eq!(package("{", &["x"], ""), None);
        let lists = r#"{"scripts":{"a":["@b","@php c",1]},"tasks":{}}"#;
        assert_eq!(package(lists, &["a"], "").unwrap(), "composer b\nphp c\n");
        let tasks = r#"{"tasks":{"a":{"command":"b"},"c":"d"}}"#;
        assert_eq!(package(tasks, &["a", "c"], "").unwrap(), "b\nd\n");
        assert_eq!(
            just("a x='1': b\n  @rm {{x}}\nb:\n  ls\n", &["a", "2"]).unwrap(),
            "rm ${x}\nls\n"
        );
        assert_eq!(
            cargo_alias("[alias]\nx = [\"run\", \"--bin\"]\n", "x").unwrap(),
            "cargo run --bin"
        );
    }

    #[test]
    fn includes_are_put_in_once() {
        let read = |name: &str| match name {
            "a.mk" => Some(Arc::from("a:\ninclude a.mk b.mk\n")),
            "b.mk" => Some(Arc::from("b:\n-include a.mk\n")),
            _ => None,
        };
        assert_eq!(
            with_includes("x:\n\tinclude a.mk\n", read),
            "x:\n\tinclude a.mk\n"
        );
        let text = with_includes("include a.mk $(X).mk none.mk # b\nx:\n", read);
        assert_eq!(text.matches("a:").count(), 1, "{text}");
        assert_eq!(text.matches("b:").count(), 1, "{text}");
    }
}
