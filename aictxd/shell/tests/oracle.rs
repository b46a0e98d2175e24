//! The reader of command lines against another parser, tree-sitter-bash.
//!
//! Programs that both must read the same way are generated; of command lines that people wrote,
//! every program the other one finds must be found too.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aictx_shell::RedirectKind;
use proptest::prelude::*;
use tree_sitter::{Node, Parser};

/// Commands of a text: words of each command, targets of redirections; sorted, because the order of
/// nested commands is a matter of taste. `$` stands for a word that holds an expansion.
#[derive(Debug, PartialEq, Eq, Default)]
struct Read {
    commands: Vec<Vec<String>>,
    redirects: Vec<String>,
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    parser
}

/// The other parser's reading; `None` when it sees an error.
fn theirs(text: &str) -> Option<Read> {
    let tree = parser().parse(text, None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut read = Read::default();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        match node.kind() {
            "command" => {
                let mut words = Vec::new();
                let mut cursor = node.walk();
                for (at, child) in node.children(&mut cursor).enumerate() {
                    let field = node.field_name_for_child(u32::try_from(at).unwrap());
                    if matches!(field, Some("name" | "argument")) {
                        words.push(word(child, text));
                    }
                }
                read.commands.push(words);
            }
            "file_redirect" => {
                if let Some(target) = node.child_by_field_name("destination") {
                    read.redirects.push(word(target, text));
                }
            }
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    read.commands.sort();
    read.redirects.sort();
    Some(read)
}

/// A word as the program would see it.
fn word(node: Node, text: &str) -> String {
    let raw = &text[node.byte_range()];
    let expands = raw.contains(['$', '`']) || raw.starts_with("<(");
    if expands && !raw.starts_with('\'') {
        return "$".to_owned();
    }
    let mut out = String::new();
    let mut chars = raw.chars();
    while let Some(next) = chars.next() {
        match next {
            '\'' => out.extend(chars.by_ref().take_while(|next| *next != '\'')),
            '"' => out.extend(chars.by_ref().take_while(|next| *next != '"')),
            '\\' => out.extend(chars.next()),
            next => out.push(next),
        }
    }
    out
}

fn ours(text: &str) -> Read {
    let script = aictx_shell::parse(text);
    assert!(!script.undecided && !script.unclosed, "{text}");
    let shown = |word: &aictx_shell::Word| {
        if word.unknown {
            "$".to_owned()
        } else {
            word.text.to_string()
        }
    };
    let mut read = Read::default();
    for command in &script.commands {
        // Only redirections and assignments: the other parser has other nodes for those.
        if !command.words.is_empty() && !matches!(command.name(), "for" | "case") {
            read.commands
                .push(command.words.iter().map(shown).collect());
        }
        for redirect in &command.redirects {
            if matches!(
                redirect.kind,
                RedirectKind::Read | RedirectKind::Write | RedirectKind::Append
            ) {
                read.redirects.push(shown(&redirect.target));
            }
        }
    }
    read.commands.sort();
    read.redirects.sort();
    read
}

fn simple_word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,6}",
        1 => "-[a-z]{1,3}",
        1 => "--[a-z]{2,5}=[a-z]{1,3}",
        1 => "[a-z]{1,3}/[a-z]{1,3}\\.[a-z]{2}",
        1 => "'[a-z ;|&#$(]{1,8}'",
        1 => "\"[a-z ;|&#(']{1,8}\"",
        1 => "[a-z]{1,2}'[a-z ]{1,3}'[a-z]{1,2}",
        1 => "[a-z]{1,2}\\\\[ ;&|][a-z]{1,2}",
        1 => Just("$HOME".to_owned()),
        1 => Just("\"${NAME}\"".to_owned()),
        1 => Just("${NAME:-x}".to_owned()),
    ]
}

fn simple_command() -> impl Strategy<Value = String> {
    (
        "pq[a-z]{1,4}x",
        proptest::collection::vec(simple_word(), 0..4),
        prop_oneof![
            5 => Just(""), 1 => Just(" > out"), 1 => Just(" >> 'a b'"), 1 => Just(" < in"),
            1 => Just(" 2> err"), 1 => Just(" > $LOG"),
        ],
    )
        .prop_map(|(name, words, redirect)| {
            let mut text = name;
            for word in words {
                text.push(' ');
                text.push_str(&word);
            }
            text + redirect
        })
}

fn program() -> impl Strategy<Value = String> {
    simple_command().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (
                inner.clone(),
                inner.clone(),
                prop_oneof![
                    Just("; "),
                    Just(" && "),
                    Just(" || "),
                    Just(" | "),
                    Just("\n"),
                    Just(" & "),
                    Just(" &&\n"),
                    Just(" |\n"),
                    Just(" # words; more\n"),
                ]
            )
                .prop_map(|(a, b, sign)| format!("{a}{sign}{b}")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.clone().prop_map(|a| format!("{{ {a}; }}")),
            inner.clone().prop_map(|a| format!("pout a$( {a} )b")),
            inner.clone().prop_map(|a| format!("pout \"x $( {a} ) y\"")),
            inner.clone().prop_map(|a| format!("pdiff <( {a} ) f")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("if {a}; then {b}; else pelse; fi")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("while {a}; do {b}; done")),
            inner
                .clone()
                .prop_map(|a| format!("for v in a b; do {a}; done")),
            inner
                .clone()
                .prop_map(|a| format!("case $x in a|b) {a} ;; *) pnone ;; esac")),
            inner.clone().prop_map(|a| format!("name() {{ {a}; }}")),
            inner.clone().prop_map(|a| format!("X=1 {a}")),
            inner.clone().prop_map(|a| format!("Y=$( {a} )")),
            inner.prop_map(|a| format!("! {a}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        max_global_rejects: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_read_the_same(text in program()) {
        // The other parser takes a brace behind `!` for a program; behind an assignment only a
        // simple command may stand.
        let odd = |head: &str| {
            text.split(head).skip(1).any(|rest| !rest.starts_with('p'))
        };
        prop_assume!(!odd("! ") && !odd("X=1 "));
        let Some(want) = theirs(&text) else {
            return Err(TestCaseError::reject("no shell text"));
        };
        prop_assert_eq!(ours(&text), want, "{}", text);
    }
}

/// Programs that the reader takes off, because they run what follows.
const TAKEN_OFF: &[&str] = &[
    "sudo", "env", "time", "timeout", "nohup", "nice", "stdbuf", "command", "exec", "builtin",
    "xargs", "parallel", "npx", "bundle", "uv", "yarn", "poetry", "busybox", "doas", "pnpm", "for",
];

#[test]
fn what_people_write() {
    let sets = [
        include_str!("../../guard/tests/risk/files.jsonl"),
        include_str!("../../guard/tests/risk/git.jsonl"),
        include_str!("../../guard/tests/risk/packages.jsonl"),
    ];
    let (mut seen, mut commands) = (0, 0);
    let mut wrong = Vec::new();
    for line in sets.iter().flat_map(|set| set.lines()) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["command"].as_str().unwrap();
        let Some(want) = theirs(text) else {
            continue;
        };
        // PowerShell's brackets are no function.
        if text.starts_with("iex (") {
            continue;
        }
        seen += 1;
        let script = aictx_shell::parse(text);
        for words in &want.commands {
            commands += 1;
            let Some(name) = words.first().filter(|name| *name != "$") else {
                continue;
            };
            let base = name.rsplit(['/', '\\']).next().unwrap();
            let found = script.commands.iter().any(|command| {
                command
                    .words
                    .first()
                    .is_some_and(|word| word.text == name.as_str())
            });
            if !found && !TAKEN_OFF.contains(&base) {
                wrong.push(format!("{name}: {text:?}"));
            }
        }
    }
    println!("{seen} texts, {commands} commands");
    assert!(seen > 900, "{seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
