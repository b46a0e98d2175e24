//! What git says about a worktree, asked without letting the repository run anything.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use aictx_proto::snapshot::GitState;
use tokio::process::Command;

/// git may take this long; a huge or broken repository must not hold a session's end.
const DEADLINE: Duration = Duration::from_millis(800);
/// Most paths kept of each list.
const MAX_PATHS: usize = 200;

/// Branch, head and dirt of the worktree, `.aictx` left out.
pub async fn state(worktree: &Path) -> GitState {
    if !worktree.join(".git").exists() {
        return GitState {
            reason: "not_git_repo".into(),
            ..GitState::default()
        };
    }
    let mut command = Command::new("git");
    command
        // A hostile .git/config must not make git run anything for us.
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "--no-pager",
        ])
        .args([
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=normal",
        ])
        .args(["--", ".", ":(exclude).aictx"])
        .current_dir(worktree)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let error = |kind: &str| GitState {
        reason: format!("git_state_error:{kind}"),
        ..GitState::default()
    };
    match tokio::time::timeout(DEADLINE, command.output()).await {
        Err(_) => error("timeout"),
        Ok(Err(_)) => error("git_not_found"),
        Ok(Ok(output)) if !output.status.success() => error("refused"),
        Ok(Ok(output)) => parse(&output.stdout),
    }
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
            let Some(path) = record.splitn(fields, ' ').last() else {
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

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
