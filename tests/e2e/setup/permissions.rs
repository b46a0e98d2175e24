//! Files that the user may not write: each failure and `doctor` name the command that heals.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aictx_tests::program;
use serde_json::Value;

/// `nobody`, whom root plays: root itself may write everything.
const OTHER: u32 = 65_534;

/// A user with a repository, and no daemon.
struct User {
    _dir: tempfile::TempDir,
    base: PathBuf,
    repo: PathBuf,
    is_root: bool,
}

impl User {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        for name in ["home", "run", "state", "cache", "repo"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        fs::set_permissions(base.join("run"), fs::Permissions::from_mode(0o700)).unwrap();
        let user = Self {
            _dir: dir,
            repo: base.join("repo"),
            base,
            is_root,
        };
        if is_root {
            assert!(run(Command::new("chown")
                .args(["-R", "65534:65534"])
                .arg(&user.base)));
        }
        let git = user.as_user("git", &["init", "-q", "."]);
        assert!(git.status.success(), "{git:?}");
        let init = user.aictx(&["init", "--yes", "--agents", "none"]);
        assert!(init.status.success(), "{init:?}");
        user
    }

    fn as_user(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(&self.repo);
        for (name, directory) in [
            ("HOME", "home"),
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            command.env(name, self.base.join(directory));
        }
        command.env("AICTX_NO_DAEMON", "1");
        if self.is_root {
            command.uid(OTHER).gid(OTHER);
        }
        command.output().unwrap()
    }

    fn aictx(&self, arguments: &[&str]) -> Output {
        self.as_user(program("aictx"), arguments)
    }

    fn finalize(&self) -> Output {
        // Another work each time: what was finalized before is not written again.
        let now = std::time::SystemTime::now();
        let now = now.duration_since(std::time::UNIX_EPOCH).unwrap();
        let summary = format!("done {}", now.as_nanos());
        self.aictx(&["finalize", "--status", "success", "--summary", &summary])
    }

    fn check(&self, name: &str) -> Value {
        let report = self.aictx(&["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["name"] == name);
        found.cloned().unwrap_or_default()
    }

    /// Heals by the command that `doctor` names; its words.
    fn heal(&self, name: &str) -> Vec<String> {
        let check = self.check(name);
        assert_ne!(check["status"], "ok", "{check}");
        let words: Vec<String> = serde_json::from_value(check["command"].clone()).unwrap();
        let by = words.iter().position(|word| word != "sudo").unwrap();
        let (program, arguments) = words[by..].split_first().unwrap();
        assert!(run(Command::new(program).args(arguments)), "{words:?}");
        words
    }
}

fn run(command: &mut Command) -> bool {
    command.status().unwrap().success()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_read_only_tree_can_be_resumed_and_is_healed_by_the_command_that_is_named() {
    let user = User::new();
    assert!(user.finalize().status.success());
    assert!(run(Command::new("chmod")
        .args(["-R", "a-w"])
        .arg(&user.repo)));
    let resumed = user.aictx(&["resume"]);
    assert!(resumed.status.success(), "{resumed:?}");
    let text = String::from_utf8_lossy(&resumed.stdout).into_owned();
    assert!(text.contains("nothing can be recorded here"), "{text}");
    let failed = user.finalize();
    let memory = user.repo.join(".aictx");
    let heals = format!("chmod -R u+rwX {}", memory.display());
    assert!(
        !failed.status.success() && said(&failed).contains(&heals),
        "{failed:?}"
    );
    assert_eq!(user.heal("memory_writable").join(" "), heals);
    assert!(user.finalize().status.success());
    assert_eq!(user.check("git_writable")["status"], "warning");
    user.heal("git_writable");
    assert_eq!(user.check("git_writable"), Value::Null);
}

#[test]
fn what_root_left_behind_is_given_back_by_the_command_that_is_named() {
    let user = User::new();
    if !user.is_root {
        // Nobody else can make files of another user.
        return;
    }
    assert!(user.finalize().status.success());
    let chown = |path: &Path| run(Command::new("chown").args(["-R", "0:0"]).arg(path));
    for (place, check) in [
        ("repo/.aictx/journal", "memory_writable"),
        ("repo/.aictx/continuity", "memory_writable"),
        ("repo/.git/refs", "git_writable"),
        ("state", "state_writable"),
    ] {
        assert!(chown(&user.base.join(place)), "{place}");
        if check == "memory_writable" {
            let failed = said(&user.finalize());
            assert!(failed.contains("sudo chown -R 65534 "), "{place}: {failed}");
        }
        let words = user.heal(check);
        assert_eq!(words[..4], ["sudo", "chown", "-R", "65534"], "{place}");
        assert!(user.finalize().status.success(), "{place}");
    }
}
