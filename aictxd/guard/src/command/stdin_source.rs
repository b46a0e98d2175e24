//! Sources of standard input, or of a script, elsewhere on the line: through a pipe, from a
//! file, out of a substitution.

use aictx_shell::{RedirectKind, Script, SimpleCommand, Word};

use super::{Call, Judge, inline_code, script_targets};

/// `awk '{print "rm " $1}' list | sh`: the words of the program before become commands, and their
/// operands come from what it reads.
pub(super) fn generated(judge: &mut Judge, call: Call) {
    let Some(feeder) = call.feeder() else {
        return;
    };
    let writes = matches!(
        feeder.name(),
        "awk"
            | "gawk"
            | "mawk"
            | "sed"
            | "gsed"
            | "perl"
            | "python"
            | "python3"
            | "ruby"
            | "node"
            | "jq"
            | "php"
    );
    let many = feeder.fed && matches!(feeder.name(), "echo" | "printf");
    if many {
        judge.fed_script(&printed(feeder), call.command.remote);
    }
    if !writes {
        return;
    }
    for word in feeder.arguments().iter().take(16) {
        if word.text.len() > 4096 {
            continue;
        }
        for text in inline_code::literals(&word.text) {
            judge.fed_script(&text, call.command.remote);
        }
        for part in word
            .text
            .split(['/', '|', '#'])
            .filter(|part| part.contains(' '))
            .take(8)
        {
            judge.fed_script(part, call.command.remote);
        }
    }
}

/// A script on standard input, from a file or from what a substitution prints.
pub(super) fn piped_script(judge: &mut Judge, call: Call) {
    for file in piped_files(call).into_iter().take(8) {
        if file.inner.is_some() {
            printed_script(judge, call, file);
        } else {
            script_targets::piped(judge, call, file);
        }
    }
}

/// A script that a substitution prints: `sh -c "$(cat x.sh)"`, `bash <(echo …)`.
pub(super) fn printed_script(judge: &mut Judge, call: Call, word: &Word) {
    let remote = call.command.remote;
    if let Some(text) = told(call, word) {
        judge.inner_script(text, remote);
    } else if let Some(file) = told_file(call, word) {
        script_targets::piped(judge, call, file);
    } else if let Some([one]) = call.script.commands.get(word.range())
        && matches!(one.name(), "echo" | "printf")
    {
        judge.inner_script(&printed(one), remote);
    }
}

/// Files whose text reaches standard input: `< x`, `cat x |`, `zcat x |`.
pub(super) fn piped_files<'s>(call: Call<'s>) -> Vec<&'s Word<'s>> {
    let redirects = call.command.redirects.iter();
    let mut out: Vec<&Word> = redirects
        .filter(|redirect| redirect.kind == RedirectKind::Read)
        .map(|redirect| &redirect.target)
        .collect();
    // What only passes it on leaves it as it is.
    let mut from = call.feeder();
    for _ in 0..4 {
        let Some(feeder) = from else { break };
        // Others leave most of it, at least.
        let leaves = matches!(feeder.name(), "head" | "tail" | "sed" | "grep" | "tac");
        let prints = leaves
            || matches!(
                feeder.name(),
                "cat"
                    | "zcat"
                    | "gzcat"
                    | "bzcat"
                    | "xzcat"
                    | "zstdcat"
                    | "gunzip"
                    | "gzip"
                    | "xz"
                    | "bzip2"
                    | "zstd"
                    | "pv"
                    | "envsubst"
                    | "tee"
                    | "dos2unix"
                    | "iconv"
            );
        if !prints {
            break;
        }
        let reads = feeder.redirects.iter();
        let reads = reads.filter(|redirect| redirect.kind == RedirectKind::Read);
        out.extend(reads.map(|redirect| &redirect.target));
        if feeder.name() != "tee" {
            let words = feeder.arguments().iter();
            let words = words.filter(|word| !word.text.starts_with('-'));
            // Before the file stand a number of lines, a script, a pattern.
            let files = words.filter(|word| !leaves || word.text.contains(['.', '/']));
            out.extend(files.filter(|word| !leaves || !word.quoted));
        }
        from = feeder
            .piped_from
            .and_then(|at| call.script.commands.get(at));
    }
    out
}

/// The text that `$(cat <<'EOF' …)` puts in.
pub(super) fn told<'c>(call: Call<'c>, word: &Word) -> Option<&'c str> {
    match call.script.commands.get(word.range())? {
        [one] if one.name() == "cat" => one.stdin_text(),
        _ => None,
    }
}

/// The file whose text `$(cat x)` puts in.
pub(super) fn told_file<'c>(call: Call<'c>, word: &Word) -> Option<&'c Word<'c>> {
    match call.script.commands.get(word.range())? {
        [one] if one.name() == "cat" => one.arguments().first(),
        [one] if one.words.is_empty() => {
            let redirect = one.redirects.first()?;
            (redirect.kind == RedirectKind::Read).then_some(&redirect.target)
        }
        _ => None,
    }
}

/// Text from a here-document, or from an `echo` or `cat <<` before the pipe.
pub(super) fn piped_texts(call: Call) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    out.extend(call.command.stdin_text().map(str::to_owned));
    if let Some(feeder) = call.feeder() {
        match feeder.name() {
            "echo" | "printf" => out.push(printed(feeder)),
            "sleep" | "true" | ":" | "wait" => {
                printed_before(call, call.command.piped_from.unwrap_or_default(), &mut out);
            }
            // `… | cat - more |`: what came before goes through.
            "cat" | "tee" | "pv" | "envsubst" if feeder.stdin_text().is_none() => {
                let before = feeder
                    .piped_from
                    .and_then(|at| call.script.commands.get(at));
                if let Some(before) =
                    before.filter(|before| matches!(before.name(), "echo" | "printf"))
                {
                    out.push(printed(before));
                }
            }
            _ => out.extend(feeder.stdin_text().map(str::to_owned)),
        }
    }
    out
}

/// Returns true if a text orders a store of keys to forget all of them.
pub(super) fn is_flush(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["flushall", "flushdb", "flush_all"]
        .iter()
        .any(|order| text.contains(order))
}

/// Returns true if something of a line prints such an order.
pub(super) fn prints_flush(script: &Script) -> bool {
    let mut commands = script.commands.iter().take(256);
    commands.any(|command| {
        matches!(command.name(), "echo" | "printf")
            && command.arguments().iter().any(|word| is_flush(&word.text))
    })
}

/// `(echo …; sleep 1) |`: what was printed before the command at `at` that prints nothing.
fn printed_before(call: Call, at: usize, out: &mut Vec<String>) {
    let before = call.script.commands.get(..at).unwrap_or_default();
    let printed_one = |command: &&SimpleCommand| {
        matches!(command.name(), "echo" | "printf" | "sleep") && command.piped_from.is_none()
    };
    for command in before.iter().rev().take_while(printed_one).take(16) {
        if command.name() != "sleep" {
            out.push(printed(command));
        }
    }
}

/// Returns the output of `echo` or `printf`, with line breaks for their escapes. `printf` starts its format
/// again for each word, so that words are lines of their own when the format says so.
pub(super) fn printed(command: &SimpleCommand) -> String {
    let mut separator = " ";
    let mut words: Vec<&str> = Vec::new();
    for word in command.arguments() {
        match word.text.as_str() {
            "-e" | "-n" | "-ne" | "-en" | "%s" => {}
            "%s\\n" | "%b\\n" => separator = "\n",
            text => words.push(text),
        }
    }
    unescaped(&words.join(separator))
}

/// A text with its escapes put in: `\\n`, `\\x72`, `\\162`.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let digits = |text: &str, radix: u32, most: usize| {
            let count = text
                .chars()
                .take(most)
                .take_while(|c| c.is_digit(radix))
                .count();
            let value = text
                .get(..count)
                .and_then(|text| u32::from_str_radix(text, radix).ok());
            value.and_then(char::from_u32).map(|c| (c, count))
        };
        let (read, skip) = match rest.chars().next() {
            Some('n') => (Some('\n'), 1),
            Some('t') => (Some('\t'), 1),
            Some('x') => match digits(rest.get(1..).unwrap_or_default(), 16, 2) {
                Some((c, count)) => (Some(c), count + 1),
                None => (None, 0),
            },
            Some('0'..='7') => match digits(rest, 8, 4) {
                Some((c, count)) => (Some(c), count),
                None => (None, 0),
            },
            _ => (None, 0),
        };
        out.push(read.unwrap_or('\\'));
        rest = rest.get(skip..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
