//! Git state of a worktree, read without letting the repository run anything.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aictx_artifacts::root::find_repository;
use aictx_files::{child, untrusted};
use aictx_proto::snapshot::GitState;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

mod status_cache;
mod tracked_below;

pub use self::status_cache::Answers;
use self::status_cache::{Ground, Trouble};
pub use self::tracked_below::TrackedBelow;
use crate::app::{App, Mode};

/// git may take this long; a huge or broken repository must not hold a session's end.
const DEADLINE: Duration = Duration::from_millis(800);
/// git may take this long to list what it tracks, for somebody who asked for it.
const LISTING_DEADLINE: Duration = Duration::from_secs(2);
/// Most bytes of an answer of git.
const MAX_OUTPUT: usize = 32 * 1024 * 1024;
/// Longest configuration of git that is looked into, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;

/// Arguments of `git status`.
const STATUS: [&str; 6] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=normal",
    // Submodules have a configuration of their own.
    "--ignore-submodules=dirty",
];
/// Most paths kept of each list.
const MAX_PATHS: usize = 200;

/// Before what git's answer rests on is worked out: whoever waited for the answer goes on first.
const QUIET: Duration = Duration::from_millis(200);

/// Branch, head and dirt of the worktree, `.aictx` left out. The daemon asks git only where the answer
/// does not follow from the one before.
pub async fn state(app: &Arc<App>, worktree: &Path) -> GitState {
    if app.mode == Mode::Once {
        return ask(worktree).await;
    }
    let (app_, at) = (Arc::clone(app), worktree.to_owned());
    let known = tokio::task::spawn_blocking(move || app_.git.state(&at));
    if let Ok(Some(state)) = known.await {
        if app.git.is_deaf(worktree) {
            get_ready(app, worktree);
        }
        return state;
    }
    let state = ask(worktree).await;
    get_ready(app, worktree);
    state
}

/// Works out soon what git's answer about a worktree rests on, unless that is known.
pub fn get_ready(app: &Arc<App>, worktree: &Path) {
    if app.mode == Mode::Once || !is_git(worktree) || !app.git.begin(worktree) {
        return;
    }
    let (app_, worktree) = (Arc::clone(app), worktree.to_owned());
    app.after_reply(async move {
        let (ground, took) = tokio::select! {
            _ = app_.stopped() => (Err(Trouble::Unsettled), Duration::ZERO),
            learnt = learn(&app_, &worktree) => learnt,
        };
        app_.git.learnt(&worktree, ground, took);
    });
}

async fn learn(app: &Arc<App>, worktree: &Path) -> (Result<Ground, Trouble>, Duration) {
    tokio::time::sleep(QUIET).await;
    let listener = match app.watcher.get() {
        Some(watcher) => watcher.listen(worktree).await,
        None => None,
    };
    let (began, started) = (Instant::now(), SystemTime::now());
    let Ok(output) = run(worktree, &["--ignored=matching"]).await else {
        return (Err(Trouble::Unfit), began.elapsed());
    };
    let at = worktree.to_owned();
    let ground = tokio::task::spawn_blocking(move || {
        Ground::of(&at, parse(&output), &ignored_in(&output), started)
    });
    let mut ground = ground.await.unwrap_or(Err(Trouble::Unfit));
    let took = began.elapsed();
    if let (Ok(ground), Some(listener), Some(watcher)) = (&mut ground, listener, app.watcher.get())
    {
        let unwatched = watcher.unwatched(worktree, ground.places(worktree)).await;
        if unwatched.is_some_and(|unwatched| unwatched.is_empty()) {
            ground.is_told_by(listener);
        }
    }
    (ground, took)
}

/// Directories that `git status --ignored=matching` names as ignored.
fn ignored_in(bytes: &[u8]) -> HashSet<Vec<u8>> {
    let records = bytes.split(|b| *b == 0);
    let directory = |record: &[u8]| Some(record.strip_prefix(b"! ")?.strip_suffix(b"/")?.to_vec());
    records.filter_map(directory).collect()
}

async fn ask(worktree: &Path) -> GitState {
    if !is_git(worktree) {
        return GitState {
            reason: "not_git_repo".into(),
            ..GitState::default()
        };
    }
    match run(worktree, &[]).await {
        Ok(output) => parse(&output),
        Err(kind) => GitState {
            reason: format!("git_state_error:{kind}"),
            ..GitState::default()
        },
    }
}

fn is_git(worktree: &Path) -> bool {
    worktree.join(".git").exists()
}

/// Runs `git status`; what it prints, or what went wrong.
async fn run(worktree: &Path, more: &[&str]) -> Result<Vec<u8>, &'static str> {
    let end = tokio::time::Instant::now() + DEADLINE;
    let filters = tokio::time::timeout_at(end, own_filters(worktree));
    let filters = filters.await.map_err(|_| "timeout")?.ok_or("refused")?;
    let mut command = git(worktree);
    command
        .args(STATUS)
        .args(more)
        .args(["--", ".", ":(exclude).aictx"]);
    switch_off(&mut command, &filters);
    match tokio::time::timeout_at(end, said(&mut command)).await {
        Err(_) => Err("timeout"),
        Ok(Err(_)) => Err("git_not_found"),
        Ok(Ok((bytes, Some(0)))) => Ok(bytes),
        Ok(Ok(_)) => Err("refused"),
    }
}

/// Runs a command that ends with the future. Gives what it said and its exit status; none when it
/// was ended by a signal, or here because it said too much.
#[expect(
    clippy::disallowed_methods,
    reason = "callers have a deadline, and the output is bounded"
)]
async fn said(command: &mut Command) -> io::Result<(Vec<u8>, Option<i32>)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = stdout.take(MAX_OUTPUT as u64);
        stdout.read_to_end(&mut bytes).await?;
    }
    if bytes.len() >= MAX_OUTPUT {
        // One that has ended already said more than is looked at all the same.
        let _ = child.start_kill();
        child.wait().await?;
        return Ok((bytes, None));
    }
    let status = child.wait().await?;
    Ok((bytes, status.code()))
}

fn git(worktree: &Path) -> Command {
    let mut command = Command::from(command(worktree));
    command.kill_on_drop(true);
    command
}

/// A git process that runs nothing else: no hooks, no monitor, no transport. Filters are dealt
/// with by [`switch_off`]; `git log` runs none.
pub fn command(worktree: &Path) -> std::process::Command {
    child::git(worktree)
}

/// Returns true if one commit is an ancestor of another; `None` when git did not answer within that time. A
/// commit that is not here any more is in nobody's past.
pub fn is_ancestor(worktree: &Path, commit: &str, of: &str, within: Duration) -> Option<bool> {
    let is_id = |id: &str| id.len() >= 40 && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_id(commit) || !is_id(of) {
        return Some(false);
    }
    let mut command = command(worktree);
    command.args(["merge-base", "--is-ancestor", commit, of]);
    let status = child::output(&mut command, child::Limits::new(within, 0))
        .ok()?
        .status?;
    // 1: it is not; 128: it is not here.
    Some(status.code()? == 0)
}

/// Files of memory in git's index, relative to `.aictx`: none where git refuses or is not installed.
/// `None` when it did not answer in time.
pub fn tracked_memory(worktree: &Path) -> Option<Vec<String>> {
    if !is_git(worktree) {
        return Some(Vec::new());
    }
    let mut command = command(worktree);
    command.args(["ls-files", "-z", "--", ".aictx"]);
    let limits = child::Limits::new(LISTING_DEADLINE, MAX_OUTPUT);
    let Ok(output) = child::output(&mut command, limits) else {
        return Some(Vec::new());
    };
    output.status?;
    let names = output.bytes.split(|byte| *byte == 0);
    let names = names.filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(".aictx/"));
    Some(names.map(str::to_owned).collect())
}

/// Those of some files of a worktree that are in git's index; none outside of git. `None` when git did not answer.
pub fn tracked(worktree: &Path, files: &[String]) -> Option<Vec<String>> {
    if files.is_empty() || !is_git(worktree) {
        return Some(Vec::new());
    }
    let mut command = command(worktree);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args(["ls-files", "-z", "--"]).args(files);
    let limits = child::Limits::new(LISTING_DEADLINE, MAX_OUTPUT);
    let output = child::output(&mut command, limits).ok()?;
    let names = output.is_success().then_some(output.bytes)?;
    let names = names.split(|byte| *byte == 0);
    let names = names.filter_map(|name| std::str::from_utf8(name).ok());
    Some(
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

/// Takes files of memory, relative to `.aictx`, out of git's index and leaves them where they are; returns
/// false where git did not.
pub fn untrack(worktree: &Path, files: &[String]) -> bool {
    let mut command = command(worktree);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args(["rm", "--cached", "--force", "--quiet", "--"]);
    command.args(files.iter().map(|file| format!(".aictx/{file}")));
    let limits = child::Limits::new(LISTING_DEADLINE, MAX_OUTPUT);
    child::output(&mut command, limits).is_ok_and(|output| output.is_success())
}

/// Names of the filter drivers that the repository's own configuration defines: `git status` would
/// run their programs on changed files. The user's own (`git lfs install`) are trusted. `None` when
/// they cannot all be told.
async fn own_filters(worktree: &Path) -> Option<Vec<String>> {
    if !may_define_filters(worktree) {
        return Some(Vec::new());
    }
    let mut command = git(worktree);
    command.args(["config", "--includes", "--show-scope", "--name-only", "-z"]);
    command.args(["--get-regexp", r"^filter\..*\.(clean|process)$"]);
    match said(&mut command).await.ok()? {
        // 1: there are none.
        (names, Some(0 | 1)) => Some(filters_in(&names)),
        _ => None,
    }
}

/// Returns true if the repository's configuration could define a filter driver, here or in a file that it
/// includes: most speak of neither, and then git need not be asked. In doubt it could.
fn may_define_filters(worktree: &Path) -> bool {
    let Ok(found) = find_repository(worktree) else {
        return true;
    };
    let (Some(git), Some(common)) = (found.git_dir, found.common_dir) else {
        return true;
    };
    // A linked worktree that its repository does not know: git would follow it all the same.
    if git == common && git.join("commondir").exists() {
        return true;
    }
    let files = [
        common.join("config"),
        common.join("config.worktree"),
        git.join("config.worktree"),
    ];
    files
        .iter()
        .any(|file| says(file, &[b"filter", b"include"]))
}

/// Returns true if a file of configuration has one of some words, or cannot be read.
fn says(file: &Path, words: &[&[u8]]) -> bool {
    match untrusted::read(file, MAX_CONFIG) {
        Ok(bytes) => {
            let text = bytes.to_ascii_lowercase();
            let mut words = words.iter();
            words.any(|word| memchr::memmem::find(&text, word).is_some())
        }
        Err(error) => !error.is_missing(),
    }
}

/// Reads scope and name in turn.
fn filters_in(bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut records = bytes.split(|b| *b == 0).map(String::from_utf8_lossy);
    while let (Some(scope), Some(key)) = (records.next(), records.next()) {
        let name = key
            .strip_prefix("filter.")
            .and_then(|k| k.rsplit_once('.'))
            .map(|(name, _)| name.to_owned());
        if let Some(name) = name
            && !matches!(scope.as_ref(), "global" | "system")
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Makes filters copy, by environment: names may hold any character.
fn switch_off(command: &mut Command, filters: &[String]) {
    let settings = [("clean", ""), ("process", ""), ("required", "false")];
    let mut count = 0;
    for name in filters {
        for (member, value) in settings {
            command.env(
                format!("GIT_CONFIG_KEY_{count}"),
                format!("filter.{name}.{member}"),
            );
            command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
}

/// Reads `git status --porcelain=v2 --branch -z`. Unknown lines are ignored.
pub fn parse(bytes: &[u8]) -> GitState {
    let mut state = GitState {
        available: true,
        ..GitState::default()
    };
    let mut records = bytes.split(|b| *b == 0).map(String::from_utf8_lossy);
    while let Some(record) = records.next() {
        if let Some(head) = record.strip_prefix("# branch.oid ") {
            state.head = if head == "(initial)" {
                String::new()
            } else {
                head.to_owned()
            };
        } else if let Some(branch) = record.strip_prefix("# branch.head ") {
            state.branch = branch.to_owned();
        } else if let Some(path) = record.strip_prefix("? ") {
            keep(&mut state.untracked, path, &mut state.truncated);
        } else {
            // `1 XY …8 fields… path`, `2 XY …9 fields… path` + the old path as its own record,
            // `u XY …10 fields… path`.
            let fields = match record.chars().next() {
                Some('1') => 9,
                Some('2') => 10,
                Some('u') => 11,
                _ => continue,
            };
            if fields == 10 {
                records.next();
            }
            let status: Vec<char> = record.chars().skip(2).take(2).collect();
            let Some(path) = record.splitn(fields, ' ').nth(fields - 1) else {
                continue;
            };
            if status.first().is_some_and(|c| *c != '.') {
                keep(&mut state.staged, path, &mut state.truncated);
            }
            if status.get(1).is_some_and(|c| *c != '.') {
                keep(&mut state.unstaged, path, &mut state.truncated);
            }
        }
    }
    state
}

fn keep(list: &mut Vec<String>, path: &str, truncated: &mut bool) {
    if path.is_empty() {
        return;
    }
    if list.len() < MAX_PATHS {
        list.push(path.to_owned());
    } else {
        *truncated = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_with_blanks_renames_and_the_first_commit() {
        let state = parse(
            b"# branch.oid (initial)\0# branch.head main\0\
              1 .M N... 100644 100644 100644 aaa bbb src/\xc3\xb1and\xc3\xba file.txt\0\
              2 R. N... 100644 100644 100644 aaa bbb R100 new name.rs\0old name.rs\0\
              u UU N... 1 2 3 4 a b c both.txt\0? un tracked\0",
        );
        assert_eq!((state.branch.as_str(), state.head.as_str()), ("main", ""));
        assert_eq!(state.unstaged, ["src/ñandú file.txt", "both.txt"]);
        assert_eq!(state.staged, ["new name.rs", "both.txt"]);
        assert_eq!(state.untracked, ["un tracked"]);
    }

    #[test]
    fn records_that_end_early_name_no_path() {
        let state = parse(b"1 MM N... 100644\0? \0u UU N... 1 2 3 4 a b c \0");
        assert!(state.staged.is_empty() && state.unstaged.is_empty());
        assert!(state.untracked.is_empty());
    }

    #[test]
    fn a_hostile_configuration_runs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let run = |args: &[&str]| {
            let mut git = std::process::Command::new("git");
            let git = git.args(["-c", "user.name=t", "-c", "user.email=t@t"]);
            assert!(git.args(args).current_dir(root).status().unwrap().success());
        };
        run(&["init", "-q", "."]);
        std::fs::write(root.join(".gitattributes"), "* filter=a.b=c\n").unwrap();
        std::fs::write(root.join("file"), "one").unwrap();
        run(&["add", "-A"]);
        run(&["commit", "-q", "-m", "x"]);
        let config = root.join(".git/config");
        let mark = root.join("mark").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&config).unwrap();
        let text =
            format!("{text}\n[include]\n\tpath = more\n[filter \"a.b=c\"]\n\trequired = true\n");
        std::fs::write(&config, text).unwrap();
        let more = format!("[filter \"a.b=c\"]\n\tclean = touch {mark}; cat\n");
        std::fs::write(root.join(".git/more"), more).unwrap();
        std::fs::write(root.join("file"), "two").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let state = runtime.block_on(ask(root));
        assert!(state.available, "{}", state.reason);
        assert_eq!(state.unstaged, ["file"]);
        assert!(!root.join("mark").exists(), "the filter ran");
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
