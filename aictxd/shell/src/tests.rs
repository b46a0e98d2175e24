use proptest::prelude::*;

use super::*;

/// Commands as `word word`, one text a command.
fn lines(text: &str) -> Vec<String> {
    parse(text)
        .commands
        .iter()
        .map(|command| {
            command
                .words
                .iter()
                .map(|word| word.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

#[test]
fn separators_quotes_and_comments() {
    assert_eq!(
        lines("a 1; b '2;3' && c \"x && y\" || d\\ e | f & g # h ; i\nj"),
        ["a 1", "b 2;3", "c x && y", "d e", "f", "g", "j"]
    );
    assert_eq!(lines("r''m -rf \"x y\""), ["rm -rf x y"]);
    assert_eq!(lines("rm \\\n  -rf out"), ["rm -rf out"]);
    assert_eq!(lines("a#b c"), ["a#b c"]);
    assert!(lines("  \n # only words\n").is_empty());
}

#[test]
fn pipes_and_joints() {
    let script = parse("a | b && c | d");
    let from: Vec<_> = script.commands.iter().map(|c| c.piped_from).collect();
    assert_eq!(from, [None, Some(0), None, Some(2)]);
    let joined: Vec<_> = script.commands.iter().map(|c| c.joined).collect();
    assert_eq!(
        joined,
        [Joined::First, Joined::Pipe, Joined::And, Joined::Pipe]
    );
    let script = parse("curl x | (cat; sh)");
    assert_eq!(script.commands[1].piped_from, Some(0));
}

#[test]
fn redirects() {
    let script = parse("cmd >out 2>&1 2>>err <in &>both >/dev/null");
    assert_eq!(script.commands[0].words.len(), 1);
    let found: Vec<_> = script.commands[0]
        .redirects
        .iter()
        .map(|r| (r.kind, r.target.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (RedirectKind::Write, "out"),
            (RedirectKind::Duplicate, "1"),
            (RedirectKind::Append, "err"),
            (RedirectKind::Read, "in"),
            (RedirectKind::Write, "both"),
            (RedirectKind::Write, "/dev/null"),
        ]
    );
    assert_eq!(parse("> data.db").commands[0].redirects.len(), 1);
    assert!(parse("[[ a > b ]] && x").commands[0].redirects.is_empty());
    assert_eq!(lines("(( i > 3 )) && x"), ["x"]);
}

#[test]
fn heredocs_are_data_unless_a_shell_reads_them() {
    let script = parse("cat <<'EOF' > f\nrm -rf /\nEOF\necho done");
    assert_eq!(script.commands.len(), 2);
    assert_eq!(script.commands[0].stdin_text(), Some("rm -rf /\n"));
    assert_eq!(
        lines("bash <<-EOF\n\trm -rf /\n\tEOF\nls"),
        ["bash", "rm -rf /", "ls"]
    );
    assert_eq!(
        lines("cat <<EOF\n$(rm x) `ls` text\nEOF"),
        ["cat", "rm x", "ls"]
    );
    assert_eq!(lines("cat <<'EOF'\n$(rm x)\nEOF"), ["cat"]);
    assert_eq!(
        lines("sudo rm x <<EOF"),
        ["rm x"],
        "never closed, still unwrapped"
    );
    assert_eq!(lines("sh <<< 'rm y'"), ["sh", "rm y"]);
}

#[test]
fn substitutions_run_first_and_make_words_unknown() {
    let script = parse("echo $(rm -rf a) `ls` \"$(id)\" ${X:-$(pwd)} $HOME '$(no)'");
    assert_eq!(
        script
            .commands
            .iter()
            .map(SimpleCommand::name)
            .collect::<Vec<_>>(),
        ["rm", "ls", "id", "pwd", "echo"]
    );
    let echo = script.commands.last().unwrap();
    let unknown: Vec<_> = echo.arguments().iter().map(|w| w.unknown).collect();
    assert_eq!(unknown, [true, true, true, true, true, false]);
    assert_eq!(echo.words[1].inner, Some((0, 1)));
    assert_eq!(lines("diff <(sort a) <(sort b)").len(), 3);
    assert_eq!(lines("echo $((1 + (2)))"), ["echo $((1 + (2)))"]);
}

#[test]
fn wrappers_are_taken_off() {
    for text in [
        "sudo rm -rf x",
        "sudo -u bob -- rm -rf x",
        "env A=1 B=2 rm -rf x",
        "A=1 nohup nice -n 5 timeout -k 1 10 rm -rf x",
        "command rm -rf x",
        "/usr/bin/sudo /bin/rm -rf x",
        "time exec rm -rf x",
        "! { rm -rf x; }",
        "if true; then rm -rf x; fi",
        "(rm -rf x)",
        "sh -c 'rm -rf x'",
        "bash -lc \"rm -rf x\"",
        "sudo bash -c 'env sh -c \"rm -rf x\"'",
        "eval rm '-rf x'",
        "ssh -p 22 host rm -rf x",
        "ssh host 'cd /srv && rm -rf x'",
        "env -S 'rm -rf x'",
        "su -c 'rm -rf x' bob",
        "trap 'rm -rf x' EXIT",
        "f() { rm -rf x; }; f",
        "function f { rm -rf x; }; f",
        "function f() { rm -rf x; }; f",
        "for i in 1 2; do rm -rf x; done",
        "case $a in b) rm -rf x ;; esac",
        "find . -name y -exec rm -rf x {} +",
    ] {
        let script = parse(text);
        assert!(
            script
                .commands
                .iter()
                .any(|c| c.name() == "rm" && c.words[1].text == "-rf" && c.words[2].text == "x"),
            "{text}: {script:?}"
        );
        assert!(!script.undecided, "{text}");
    }
    let script = parse("find . -type f | xargs -n 1 rm");
    assert!(script.commands[1].fed && script.commands[1].name() == "rm");
    assert!(
        parse("ssh h 'rm x'")
            .commands
            .iter()
            .any(|c| c.remote && c.name() == "rm")
    );
    assert_eq!(lines("command -v rm"), ["command -v rm"]);
}

#[test]
fn directories_are_followed() {
    let dirs = |text: &str| -> Vec<Option<String>> {
        parse(text).commands.into_iter().map(|c| c.dir).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        dirs("a; cd x && b; (cd y; c); d"),
        [
            some(""),
            some(""),
            some("x"),
            some("x"),
            some("x/y"),
            some("x")
        ]
    );
    assert_eq!(dirs("cd /t; a"), [some(""), some("/t")]);
    assert_eq!(dirs("cd $X; a"), [some(""), None]);
    assert_eq!(dirs("cd; a"), [some(""), some("~")]);
}

#[test]
fn hostile_nesting_stays_within_its_limits() {
    let bounded = |text: &str| {
        let script = parse(text);
        let commands = script.commands.len();
        assert!(
            commands <= MAX_COMMANDS + usize::from(MAX_DEPTH),
            "{commands}"
        );
        let words = script.commands.iter().map(|command| command.words.len());
        // `find -exec find -exec …` shows its words at every level.
        let words: usize = words.sum();
        assert!(words <= MAX_WORDS * (usize::from(MAX_DEPTH) + 2), "{words}");
        let depth = script.commands.iter().map(|command| command.depth).max();
        assert!(depth.unwrap_or_default() <= MAX_DEPTH + 1, "{depth:?}");
    };
    for open in [
        "$(",
        "(",
        "{ ",
        "`",
        "\"$(",
        "${x:-",
        "bash -c '",
        "sudo ",
        "find -exec ",
        "((",
        "<(",
        "$'",
    ] {
        let text = open.repeat(1000);
        bounded(&text);
        bounded(&open.repeat(30_000));
    }
    assert!(parse(&"$(".repeat(1000)).undecided);
    assert!(parse(&"x".repeat(MAX_INPUT + 1)).undecided);
    assert!(parse(&"x;".repeat(MAX_COMMANDS + 1)).undecided);
    bounded(&"<<a ".repeat(16_000));
    bounded(&"<<a\n".repeat(13_000));
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,200}") {
        parse(&text);
    }

    #[test]
    fn never_panics_on_shell_like_text(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("$("), Just(")"), Just("`"), Just("'"), Just("\""), Just("\\"), Just("<<E\n"),
                Just("E\n"), Just("|"), Just("&&"), Just(";"), Just("\n"), Just("rm "), Just("sh -c "),
                Just("${"), Just("}"), Just("$'"), Just(" "), Just("é"), Just("find -exec "), Just("2>"),
            ],
            0..40,
        )
    ) {
        parse(&parts.concat());
    }

    /// Words without special characters come out as they went in.
    #[test]
    fn plain_words_are_kept(words in proptest::collection::vec("[a-z][a-z0-9./-]{0,8}", 1..6)) {
        let text = format!("prog {}", words.join("  "));
        let script = parse(&text);
        let got: Vec<_> = script.commands[0].arguments().iter().map(|w| w.text.to_string()).collect();
        prop_assert_eq!(got, words);
    }
}

/// The last command of a text.
fn last_of(text: &str) -> SimpleCommand<'_> {
    analyse(text, Dialect::Posix).commands.pop().unwrap()
}

/// Commands of [`analyse`] as `word word`.
#[test]
fn a_value_with_blanks_becomes_words_unless_it_is_quoted() {
    let words = |command: &SimpleCommand| -> Vec<String> {
        let texts = command.words.iter().map(|word| word.text.to_string());
        texts.collect()
    };
    let last = last_of;
    let one = last("for o in 'rm -f' ls; do $o x; done");
    assert_eq!(words(&one.split().unwrap()), ["rm", "-f", "x"]);
    assert_eq!(words(&one.variant(0)), ["ls", "x"]);
    let other = last("for o in ls 'rm -f'; do $o x; done");
    assert_eq!(other.split(), None);
    assert_eq!(words(&other.variant(0)), ["rm", "-f", "x"]);
    let quoted = last("for o in ls 'a b'; do rm \"$o\"; done");
    assert_eq!(quoted.split(), None);
    assert_eq!(words(&quoted.variant(0)), ["rm", "a b"]);
}

fn told(text: &str) -> Vec<String> {
    analyse(text, Dialect::Posix)
        .commands
        .iter()
        .map(|command| {
            let words: Vec<&str> = command
                .words
                .iter()
                .map(|word| word.text.as_str())
                .collect();
            words.join(" ")
        })
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn values_that_the_text_gives() {
    for (text, want) in [
        ("D=/; rm -rf $D", "rm -rf /"),
        ("D='a b'; rm $D", "rm a b"),
        ("D='a b'; rm \"$D\"", "rm a b"),
        ("A=x; B=$A/y; rm ${B}", "rm x/y"),
        ("A=(rm -rf src); \"${A[@]}\"", "rm -rf src"),
        ("rm -rf $(pwd)", "rm -rf ."),
        ("$(echo rm) -rf src", "rm -rf src"),
        ("`echo rm` x", "rm x"),
        ("T=$(mktemp -d); rm -rf \"$T\"", "rm -rf /tmp/mktemp.new"),
        ("rm -rf \"$(mktemp -d)\"", "rm -rf /tmp/mktemp.new"),
        ("A=x; B=\"$A/y\"; rm \"$B\"", "rm x/y"),
        ("T=\"$(pwd)/a\"; rm -rf \"$T\"", "rm -rf ./a"),
        (
            "T=\"$(mktemp -d)\"; rm -rf \"$T\"",
            "rm -rf /tmp/mktemp.new",
        ),
        ("r{m,} -rf x", "rm r -rf x"),
        ("rm a{1,2}b", "rm a1b a2b"),
        ("{rm,-rf,src}", "rm -rf src"),
        ("rm {a,{b,c}}", "rm a b c"),
        ("rm '{a,b}' {} a{b}c ${x}", "rm {a,b} {} a{b}c ${x}"),
        ("$'\\x72\\155' $'a\\tb'", "rm a\tb"),
        ("rm \\\r\n x", "rm x"),
        ("export D=/srv; rm $D", "rm /srv"),
        ("trap 'rm $D' EXIT; D=x", "rm x"),
        ("echo $((1 + $(rm x)))", "rm x"),
        ("echo $((rm x); ls)", "rm x"),
        ("case $x in rm) ls;; (mv|cp) rm x;; esac", "rm x"),
        ("for ((i=0; i<3; i++)); do rm x; done", "rm x"),
        ("select f in a b; do rm x; done", "rm x"),
    ] {
        let got = told(text);
        assert!(got.iter().any(|one| one == want), "{text}: {got:?}");
    }
    assert_eq!(told("case $x in rm) ls;; shutdown) true;; esac").len(), 3);
    assert_eq!(
        parse("D=/; rm $D").commands[1].words[1].text,
        "$D",
        "only when asked for"
    );
}

#[test]
fn several_values() {
    let last = last_of;
    let command = last("for f in a b; do rm \"$f/x\"; done");
    assert_eq!(command.words[1].text, "a/x");
    assert_eq!(command.words[1].others.as_ref(), ["b/x"]);
    assert_eq!(command.variant(0).words[1].text, "b/x");
    assert!(last("for f in *; do rm $f; done").fed);
    assert!(last("while read f; do rm $f; done").fed);
    // A branch may or may not be taken.
    let command = last("D=/; if x; then D=a; fi; rm $D");
    assert_eq!(
        (
            command.words[1].text.as_str(),
            command.words[1].others.as_ref()
        ),
        ("/", &["a".to_owned()][..])
    );
    let command = last("D=/; D=a; rm $D");
    assert!(command.words[1].others.is_empty() && command.words[1].carried);
}

#[test]
fn words_of_a_script_and_separators() {
    let last = |text: &str| told(text).pop().unwrap();
    for (text, want) in [
        ("set -- rm -rf src; \"$@\"", "rm -rf src"),
        ("set -- a 'b c'; x \"${@}\" $2", "x a b c b c"),
        ("set -- a b c; shift 2; x $1", "x c"),
        ("set -- a; f() { x $1; }", "x $1"),
        ("y && set -- a; x $1", "x $1"),
        ("sh -c 'x \"$2\" \"$1\"' _ a b", "x b a"),
        ("IFS=,; a='x,y z'; $a", "x y z"),
        ("x${IFS}y$IFS", "x y"),
        ("x \"a${IFS}b\"", "x a${IFS}b"),
        ("a='x '; ${a}y", "x y"),
        ("read -r a b <<< 'x y z'; $a $b", "x y z"),
        ("IFS=: read -ra a <<< 'x:y'; \"${a[@]}\"", "x y"),
    ] {
        assert_eq!(last(text), want, "{text}");
    }
}

#[test]
fn a_script_inside_reads_what_its_shell_reads() {
    let text = "echo a | ssh h 'cd b && psql; x <<< c' < f";
    let script = analyse(text, Dialect::Posix);
    let psql = script.commands.iter().find(|one| one.name() == "psql");
    let psql = psql.unwrap();
    assert_eq!(psql.piped_from, Some(0));
    assert_eq!(psql.redirects[0].target.text, "f");
    let x = script.commands.last().unwrap();
    assert_eq!((x.piped_from, x.redirects.len()), (None, 1));
    // What `xargs` reads is gone.
    let script = analyse("echo a | xargs sh -c 'psql'", Dialect::Posix);
    assert_eq!(script.commands.last().unwrap().piped_from, None);
}

/// A long value is not put in without end.
#[test]
fn values_put_in_are_bounded() {
    let members = format!("'{}' ", "x".repeat(4000)).repeat(32);
    let text = format!("a=({members})\n{}", "echo \"${a[@]}\"\n".repeat(3000));
    let script = analyse(&text, Dialect::Posix);
    let words = script.commands.iter().flat_map(|command| &command.words);
    let bytes: usize = words.map(|word| word.text.len()).sum();
    assert!(script.undecided && bytes <= 4 * MAX_INPUT, "{bytes}");
}

#[test]
fn text_for_windows_shells() {
    let names = |text: &str| -> Vec<String> {
        analyse(text, Dialect::Windows)
            .commands
            .iter()
            .map(|command| {
                let words: Vec<&str> = command
                    .words
                    .iter()
                    .map(|word| word.text.as_str())
                    .collect();
                words.join(" ")
            })
            .collect()
    };
    assert_eq!(
        names("Remove-Item .\\src -Recurse"),
        ["Remove-Item .\\src -Recurse"]
    );
    assert_eq!(names("iex (iwr x)"), ["iwr x", "iex $(…)"]);
    assert_eq!(names("ls | % { Remove-Item $_ }")[2], "Remove-Item $_");
    assert_eq!(names("d^el /q x"), ["del /q x"]);
    assert_eq!(
        told("powershell -Command \"Remove-Item -Recurse .\\src\"")[1],
        "Remove-Item -Recurse .\\src"
    );
    assert_eq!(told("cmd /c 'rd /s /q src'")[1], "rd /s /q src");
}

#[test]
fn what_is_too_deep_is_read_flat() {
    for (open, close) in [("echo $(", ")"), ("( ", " )"), ("echo \"$(", ")\"")] {
        let text = format!("{}rm -rf /{}", open.repeat(1000), close.repeat(1000));
        let script = analyse(&text, Dialect::Posix);
        assert!(script.undecided);
        let found = script.commands.iter().any(|command| command.name() == "rm");
        assert!(found, "{open}");
    }
}

#[test]
fn unclosed_text_is_told() {
    for text in ["a 'b", "a \"b", "a $(b", "(a", "a $'b", "echo \"$(a"] {
        assert!(parse(text).unclosed, "{text}");
    }
    for text in [
        "a 'b'",
        "(a)",
        "a $(b) \"c\"",
        "case x in a) b;; esac",
        "f() { a; }",
    ] {
        assert!(!parse(text).unclosed, "{text}");
    }
}

/// Nothing is read more often than a few times, however it is nested.
#[test]
fn work_is_bounded() {
    for part in [
        "((",
        "$((",
        "{a,",
        "`",
        "$(",
        "\"$(",
        "case x in ",
        "A=(",
        "eval '",
        "<<a\n",
        "trap 'x' ",
        "for f in ",
        "${a:-",
    ] {
        let text = part.repeat(400_000 / part.len());
        let script = analyse(&text, Dialect::Posix);
        assert!(script.commands.len() <= MAX_COMMANDS, "{part}");
        let words: usize = script
            .commands
            .iter()
            .map(|command| command.words.len())
            .sum();
        assert!(words <= 2 * MAX_WORDS, "{part}: {words}");
    }
}

#[test]
fn an_assignment_holds_where_the_shell_makes_it_last() {
    for (line, is_lasting) in [
        ("HOME=/tmp/f; rm -rf \"$HOME\"", true),
        ("export HOME=/tmp/f; rm -rf \"$HOME\"", true),
        ("HOME=/tmp/f ./t.sh; rm -rf \"$HOME\"", false),
        ("HOME=/tmp/f rm -rf \"$HOME\"", false),
        ("false && HOME=/tmp/f; rm -rf \"$HOME\"", false),
        ("if x; then HOME=/tmp/f; fi; rm -rf \"$HOME\"", false),
        ("HOME=/tmp/f & rm -rf \"$HOME\"", false),
        ("echo x | HOME=/tmp/f; rm -rf \"$HOME\"", false),
    ] {
        let script = analyse(line, Dialect::default());
        let command = script.commands.iter().rfind(|one| one.name() == "rm");
        let word = command.unwrap().words.last().unwrap();
        let values = std::iter::once(word.text.as_str()).chain(word.others.iter().map(|o| &**o));
        let values: Vec<&str> = values.collect();
        assert_eq!(!values.contains(&"$HOME"), is_lasting, "{line}: {values:?}");
    }
}
