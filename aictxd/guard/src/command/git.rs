//! git calls whose meaning depends on more than verbs and options.

use aictx_signals::shell::Word;

use super::{Call, Judge, Tier, has_option, table};

/// Judges one call of git.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let Some(at) = verb_at(arguments) else {
        return;
    };
    let (global, rest) = arguments.split_at_checked(at).unwrap_or((arguments, &[]));
    // An alias given on the line can be any shell command.
    if let Some(alias) = global.iter().find_map(|word| word.text.split_once("=!")) {
        judge.inner_script(alias.1, call.command.remote);
    }
    let Some((verb, words)) = rest.split_first() else {
        return;
    };
    if verb.unknown {
        judge.undecidable(call.segment, "git", arguments);
        return;
    }
    match verb.text.as_str() {
        "reset" => reset(judge, call, words),
        "checkout" => checkout(judge, call, words),
        "restore" => restore(judge, call, words),
        "push" => push(judge, call, words),
        _ => {}
    }
}

/// Place of the verb behind global options.
fn verb_at(arguments: &[Word]) -> Option<usize> {
    let valued = table::VALUED
        .iter()
        .find(|(program, _)| *program == "git")
        .map_or(&[] as &[&str], |(_, options)| options);
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if !word.text.starts_with('-') {
            return Some(at);
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    None
}

fn operands(words: &[Word]) -> impl Iterator<Item = &str> {
    words
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| !text.starts_with('-'))
}

fn reset(judge: &mut Judge, call: Call, words: &[Word]) {
    for (option, tier) in [
        ("--hard", Tier::Destructive),
        ("--merge", Tier::Destructive),
        ("--keep", Tier::Destructive),
    ] {
        if has_option(words, &[option]) {
            judge.destructive(
                call.segment,
                tier,
                &format!("git reset {option}"),
                operands(words),
            );
            return;
        }
    }
    let named = has_option(words, &["--soft", "--mixed"]);
    let commit = operands(words).next().filter(|first| {
        let moves = first.contains(['~', '^']) || first.contains("@{") || is_commit_id(first);
        moves || (named && *first != "HEAD")
    });
    let paths = words.iter().any(|word| word.text == "--") || operands(words).count() > 1;
    if let Some(commit) = commit.filter(|_| !paths) {
        judge.destructive(call.segment, Tier::Risky, "git reset", [commit]);
    }
}

fn is_commit_id(text: &str) -> bool {
    (7..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn checkout(judge: &mut Judge, call: Call, words: &[Word]) {
    let creates = has_option(
        words,
        &["-b", "-B", "--orphan", "-t", "--track", "--detach"],
    );
    if has_option(words, &["-f", "--force"]) {
        judge.destructive(
            call.segment,
            Tier::Destructive,
            "git checkout --force",
            operands(words),
        );
        return;
    }
    if creates {
        return;
    }
    if let Some(dashes) = words.iter().position(|word| word.text == "--") {
        let paths = words.get(dashes + 1..).unwrap_or_default();
        if !paths.is_empty() {
            let shown = paths.iter().map(|word| word.text.as_str());
            judge.destructive(call.segment, Tier::Destructive, "git checkout --", shown);
        }
        return;
    }
    let named: Vec<&str> = operands(words).collect();
    let pathspec = |text: &str| {
        matches!(text, "." | "*" | ":/" | "..")
            || text.starts_with("./")
            || text.starts_with("../")
            || text.starts_with(":(")
    };
    if named.len() > 1 || named.iter().any(|text| pathspec(text)) {
        judge.destructive(
            call.segment,
            Tier::Destructive,
            "git checkout of files",
            named,
        );
    } else if named.first().is_some_and(|text| looks_like_file(text)) {
        judge.destructive(call.segment, Tier::Risky, "git checkout of files", named);
    }
}

/// A name with an ending that branches do not have.
fn looks_like_file(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "py", "rs", "js", "ts", "tsx", "jsx", "go", "java", "kt", "rb", "php", "c", "h", "cc",
        "cpp", "hpp", "cs", "swift", "md", "txt", "toml", "json", "yml", "yaml", "lock", "html",
        "css", "sh", "sql", "xml", "cfg", "ini",
    ];
    text.rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}

fn restore(judge: &mut Judge, call: Call, words: &[Word]) {
    let staged = has_option(words, &["-S", "--staged"]);
    let worktree = has_option(words, &["-W", "--worktree"]);
    if !staged || worktree {
        judge.destructive(
            call.segment,
            Tier::Destructive,
            "git restore",
            operands(words),
        );
    }
}

fn push(judge: &mut Judge, call: Call, words: &[Word]) {
    if has_option(words, &["-n", "--dry-run"]) {
        return;
    }
    for options in [
        &["-f", "--force"][..],
        &["--mirror"],
        &["-d", "--delete"],
        &["--prune"],
    ] {
        let exact = |word: &&Word| {
            options
                .iter()
                .any(|option| super::is_option(&word.text, option))
        };
        if let Some(option) = words
            .iter()
            .take_while(|word| word.text != "--")
            .find(exact)
        {
            let verb = format!("git push {}", option.text);
            judge.destructive(call.segment, Tier::Destructive, &verb, operands(words));
            return;
        }
    }
    // `+ref` forces, `:ref` deletes; the first operand is the remote.
    let refs: Vec<&str> = operands(words)
        .filter(|text| (text.starts_with('+') || text.starts_with(':')) && text.len() > 1)
        .collect();
    if !refs.is_empty() {
        judge.destructive(
            call.segment,
            Tier::Destructive,
            "git push of a forced or deleted ref",
            refs,
        );
    } else if has_option(words, &["--force-with-lease", "--force-if-includes"]) {
        judge.destructive(
            call.segment,
            Tier::Risky,
            "git push --force-with-lease",
            operands(words),
        );
    }
}
