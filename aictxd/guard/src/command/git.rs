//! git calls whose meaning depends on more than verbs and options.

mod settings;
mod sweeps;

use aictx_proto::path::RepoPath;
use aictx_shell::Word;

use super::path_target::Touch;
use super::{Call, Judge, Kind, Level, MAX_BACK, Tier, command_valued_options, has_option, table};

/// Judges one call of git.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let Some(at) = verb_at(arguments) else {
        return;
    };
    let (global, rest) = arguments.split_at_checked(at).unwrap_or((arguments, &[]));
    // An alias given on the line can be any shell command.
    for (name, value) in global
        .iter()
        .filter_map(|word| word.text.split_once('='))
        .take(16)
    {
        if let Some(script) = value.strip_prefix('!') {
            judge.inner_script(script, call.command.remote);
        } else if command_valued_options::is_run_by_git(name) && value.contains(' ') {
            judge.fed_script(value, call.command.remote);
        } else if name.starts_with("alias.") {
            judge.inner_script(&format!("git {value}"), call.command.remote);
        }
    }
    let Some((verb, words)) = rest.split_first() else {
        return;
    };
    if verb.unknown {
        judge.undecidable(Level::Caution, "git", arguments);
        return;
    }
    if super::options::asks_for_help(words) {
        return;
    }
    sweeps::judge(judge, call, global, &verb.text, words);
    match verb.text.as_str() {
        "reset" => reset(judge, call, words),
        // `co` is what almost everybody calls it.
        "checkout" | "co" => checkout(judge, call, words),
        "restore" => restore(judge, call, words),
        "push" => push(judge, call, words),
        "clean" => {
            // The only thing that keeps it from deleting without `-f`.
            let unlocked = global
                .iter()
                .any(|word| word.text.eq_ignore_ascii_case("clean.requireForce=false"));
            if unlocked && !has_option(words, &["-n", "--dry-run", "-i"]) {
                let tier = Tier::Destructive;
                judge.hit(Some(call), Kind::Delete, tier, "git clean", operands(words));
            }
        }
        "config" => {
            settings::judge(judge, call, words);
        }
        "clone" => cloned(judge, call, words),
        "branch" => branches(judge, call, words),
        "tag" => tags(judge, call, words),
        "fetch" => fetch(judge, call, words),
        "apply" => {
            // `git diff | git apply -R`: what was changed is changed back.
            let from = call.feeder().filter(|feeder| feeder.name() == "git");
            let all = from.is_some_and(|git| says(git.arguments(), "diff"));
            if all && has_option(words, &["-R", "--reverse"]) {
                let (kind, verb) = (Kind::DiscardChanges, "git apply -R");
                judge.hit(Some(call), kind, Tier::Destructive, verb, operands(words));
            }
        }
        "stash" => stash(judge, call, words),
        "rm" if !has_option(words, &["-n", "--dry-run", "--cached"]) => judge.risk.deletes = true,
        _ => {}
    }
}

/// The words of the calls of git that stand before a call, the nearest first.
fn earlier<'s>(call: Call<'s>) -> impl Iterator<Item = &'s [Word<'s>]> {
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    let gits = before.iter().rev().take(MAX_BACK);
    gits.filter(|command| command.name() == "git")
        .map(|command| command.arguments())
}

fn says(words: &[Word], text: &str) -> bool {
    words.iter().any(|word| word.text == text)
}

/// Branches deleted as they are listed, merged or not: commits that nothing else holds are among them.
fn branches(judge: &mut Judge, call: Call, words: &[Word]) {
    let forced = has_option(words, &["-D"]) || (says(words, "-d") && says(words, "-f"));
    let taken = call.command.fed || words.iter().any(|word| word.unknown);
    if !forced || !taken {
        return;
    }
    let listed = earlier(call).find(|words| {
        let verb = words.first().map_or("", |word| word.text.as_str());
        matches!(verb, "branch" | "for-each-ref") && !has_option(words, &["-D", "-d"])
    });
    let chosen = |words: &[Word]| words.iter().any(|word| word.text.starts_with("--merged"));
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    // What had its counterpart deleted was merged there, as a rule.
    let gone = before.iter().rev().take(MAX_BACK).any(|command| {
        let mut words = command.arguments().iter();
        words.any(|word| word.text.contains("gone"))
    });
    if !gone && listed.is_some_and(|words| !chosen(words)) {
        let verb = "git branch -D of what is listed";
        judge.hit(
            Some(call),
            Kind::RewriteHistory,
            Tier::Destructive,
            verb,
            [],
        );
    }
}

/// `git tag -l 'v0.*' | xargs git tag -d`: many, of which none is kept elsewhere, as far as is known.
fn tags(judge: &mut Judge, call: Call, words: &[Word]) {
    let taken = call.command.fed || words.iter().any(|word| word.unknown);
    if !taken || !has_option(words, &["-d", "--delete"]) {
        return;
    }
    let listed = earlier(call).any(|words| {
        let verb = words.first().map_or("", |word| word.text.as_str());
        verb == "tag" && !has_option(words, &["-d", "--delete"])
    });
    if listed {
        let (kind, verb) = (Kind::RewriteHistory, "git tag -d of what is listed");
        judge.hit(Some(call), kind, Tier::Destructive, verb, []);
    }
}

/// `git fetch --force origin main:main`: branches of one's own are set to others, whatever they held.
fn fetch(judge: &mut Judge, call: Call, words: &[Word]) {
    let forced = has_option(words, &["-f", "--force"]);
    // The first one is where it comes from.
    let refs: Vec<&str> = operands(words)
        .skip(1)
        .filter(|text| {
            let (from, to) = text.split_once(':').unwrap_or_default();
            let own =
                !to.is_empty() && !to.starts_with("refs/remotes/") && !to.starts_with("refs/tags/");
            own && (forced || from.starts_with('+'))
        })
        .collect();
    if !refs.is_empty() {
        let (kind, verb) = (Kind::RewriteHistory, "git fetch over branches");
        judge.hit(Some(call), kind, Tier::Destructive, verb, refs);
    }
}

/// What was put aside on the same line is thrown away: that is how changes are discarded.
fn stash(judge: &mut Judge, call: Call, words: &[Word]) {
    let verb = words.first().map_or("", |word| word.text.as_str());
    if !matches!(verb, "drop" | "clear") {
        return;
    }
    let last = earlier(call).find_map(|words| {
        let (git, rest) = words.split_first()?;
        let verb = rest.iter().find(|word| !word.text.starts_with('-'));
        (git.text == "stash").then(|| verb.map_or("push", |word| word.text.as_str()))
    });
    if matches!(last, Some("push" | "save" | "create" | "store")) {
        let verb = format!("git stash {verb}");
        let kind = Kind::DiscardChanges;
        judge.hit(Some(call), kind, Tier::Destructive, &verb, operands(words));
    } else {
        let shown = format!("git stash {verb}");
        judge.ask(Kind::DiscardChanges, &shown, operands(words));
    }
}

/// `git clone url dir`
fn cloned(judge: &mut Judge, call: Call, words: &[Word]) {
    const VALUED: &[&str] = &[
        "-b",
        "--branch",
        "-c",
        "--config",
        "--depth",
        "--filter",
        "-j",
        "--jobs",
        "-o",
        "--origin",
        "--reference",
        "--template",
        "-u",
        "--upload-pack",
    ];
    let mut rest = words.iter();
    let mut named = Vec::new();
    while let Some(word) = rest.next() {
        if VALUED.contains(&word.text.as_str()) {
            rest.next();
        } else if !word.text.starts_with('-') {
            named.push(word);
        }
    }
    if let Some(into) = named.get(1) {
        judge.write_target(call, into, "git clone", Touch::Create);
    }
}

/// Place of the verb behind global options.
fn verb_at(arguments: &[Word]) -> Option<usize> {
    let valued = table::valued("git");
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

fn operands<'w>(words: &'w [Word]) -> impl Iterator<Item = &'w str> {
    words
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| !text.starts_with('-'))
}

fn reset(judge: &mut Judge, call: Call, words: &[Word]) {
    for option in ["--hard", "--merge", "--keep"] {
        if has_option(words, &[option]) {
            let verb = format!("git reset {option}");
            let shown: Vec<&str> = operands(words).collect();
            // Nothing to lose, and HEAD stays where it is.
            if judge.is_clean(call, None) && shown.iter().all(|commit| *commit == "HEAD") {
                judge.note(Kind::DiscardChanges, true, &verb, shown);
            } else {
                let tier = Tier::Destructive;
                judge.hit(Some(call), Kind::DiscardChanges, tier, &verb, shown);
            }
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
        let kind = Kind::RewriteHistory;
        judge.hit(Some(call), kind, Tier::Risky, "git reset", [commit]);
    }
}

impl Judge<'_> {
    /// Returns true if the paths (or the whole tree) certainly hold nothing that is not committed.
    fn is_clean(&self, call: Call, paths: Option<&[&Word]>) -> bool {
        let elsewhere = call.arguments().iter().any(|word| {
            matches!(word.text.as_str(), "-C" | "--git-dir" | "--work-tree")
                || word.text.starts_with("--git-dir=")
                || word.text.starts_with("--work-tree=")
        });
        if elsewhere || call.command.remote || call.command.dir.is_none() {
            return false;
        }
        match paths {
            None => self.facts.path(&RepoPath::root()).dirty == Some(false),
            Some(paths) => {
                !paths.is_empty()
                    && paths.iter().all(|word| {
                        !word.text.contains(['*', '?', '['])
                            && self.known(call, word).dirty == Some(false)
                    })
            }
        }
    }

    /// Files are taken from a commit or the index.
    fn overwrite_files(&mut self, call: Call, verb: &str, paths: &[&Word], tier: Tier) {
        let shown: Vec<&str> = paths.iter().map(|word| word.text.as_str()).collect();
        if self.is_clean(call, Some(paths)) {
            self.note(Kind::DiscardChanges, true, verb, shown);
        } else {
            self.hit(Some(call), Kind::DiscardChanges, tier, verb, shown);
        }
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
        let (kind, verb) = (Kind::DiscardChanges, "git checkout --force");
        judge.hit(Some(call), kind, Tier::Destructive, verb, operands(words));
        return;
    }
    if creates {
        return;
    }
    if let Some(dashes) = words.iter().position(|word| word.text == "--") {
        let paths: Vec<&Word> = words.get(dashes + 1..).unwrap_or_default().iter().collect();
        if !paths.is_empty() || call.command.fed {
            judge.overwrite_files(call, "git checkout --", &paths, Tier::Destructive);
        }
        return;
    }
    if words
        .iter()
        .any(|word| word.text.starts_with("--pathspec-from-file"))
    {
        let (kind, verb) = (Kind::DiscardChanges, "git checkout of files");
        judge.hit(Some(call), kind, Tier::Destructive, verb, []);
        return;
    }
    let named: Vec<&Word> = words
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .collect();
    let pathspec = |text: &str| {
        matches!(text, "." | "*" | ":/" | "..")
            || text.starts_with("./")
            || text.starts_with("../")
            || text.starts_with(":(")
            || text.ends_with('/')
            || text.contains('*')
    };
    // A branch that is here comes before a file of its name; of one that is elsewhere git takes the file, or
    // asks. A file that is not there is put back.
    if let [only] = named.as_slice()
        && !only.unknown
        && judge.facts.has_branch(&only.text) == Some(true)
    {
        return;
    }
    let first = named
        .first()
        .map(|word| (judge.known(call, word).exists, looks_like_file(&word.text)));
    let one = matches!(first, Some((Some(true), _) | (_, true)));
    if one || named.len() > 1 || named.iter().any(|word| pathspec(&word.text)) {
        // One side of a conflict is taken: what it held is there, half of it.
        let sides = has_option(words, &["--ours", "--theirs", "-m", "--merge"]);
        let pattern = |word: &&Word| word.text.contains(['*', '?', '[']);
        let put_back = named.len() == 1
            && matches!(first, Some((Some(false), true)))
            && !named.iter().any(pattern);
        let tier = if sides || put_back {
            Tier::Risky
        } else {
            Tier::Destructive
        };
        judge.overwrite_files(call, "git checkout of files", &named, tier);
    }
}

/// A name with an ending that branches do not have.
pub(super) fn looks_like_file(text: &str) -> bool {
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
    let from = words.iter().any(|word| {
        matches!(word.text.as_str(), "-s" | "--source") || word.text.starts_with("--source=")
    });
    if !staged || worktree {
        let paths: Vec<&Word> = words
            .iter()
            .filter(|word| !word.text.starts_with('-'))
            .collect();
        if from {
            let shown = paths.iter().map(|word| word.text.as_str());
            let tier = Tier::Destructive;
            judge.hit(Some(call), Kind::DiscardChanges, tier, "git restore", shown);
        } else {
            judge.overwrite_files(call, "git restore", &paths, Tier::Destructive);
        }
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
                .any(|option| super::options::is_option(&word.text, option))
        };
        if let Some(option) = words
            .iter()
            .take_while(|word| word.text != "--")
            .find(exact)
        {
            let verb = format!("git push {}", option.text);
            let deletes = matches!(options.first(), Some(&"-d" | &"--prune"));
            let kind = if deletes {
                Kind::RemoteDelete
            } else {
                Kind::RewriteHistory
            };
            judge.hit(Some(call), kind, Tier::Destructive, &verb, operands(words));
            return;
        }
    }
    // `+ref` forces, `:ref` deletes; the first operand is the remote.
    let refs: Vec<&str> = operands(words)
        .filter(|text| (text.starts_with('+') || text.starts_with(':')) && text.len() > 1)
        .collect();
    if !refs.is_empty() {
        let verb = "git push of a forced or deleted ref";
        judge.hit(
            Some(call),
            Kind::RewriteHistory,
            Tier::Destructive,
            verb,
            refs,
        );
    } else if has_option(words, &["--force-with-lease", "--force-if-includes"]) {
        let (kind, verb) = (Kind::RewriteHistory, "git push --force-with-lease");
        judge.hit(Some(call), kind, Tier::Risky, verb, operands(words));
    }
}
