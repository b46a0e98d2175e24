//! Whatever lies in the place of a file that a repository controls: the daemon answers, stays small,
//! and other repositories do not notice.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use aictx_tests::session::{after_command, before_command, edited, end, prompt, start};
use aictx_tests::{Daemon, TestEnv, exchange, program, wait_until};
use serde_json::{Value, json};

/// Longest answer about the sick repository; hooks have a second, `doctor` waits for git.
const SICK: Duration = Duration::from_secs(15);
/// Longest answer about the healthy one meanwhile. Builds that are not optimised on busy machines
/// take their time; what hangs takes longer.
const HEALTHY: Duration = Duration::from_secs(4);
/// Most memory of the daemon, in MiB.
const MAX_RESIDENT: u64 = 300;

/// Places that are made hostile together, by what they have in common.
const PLACES: &[&[&str]] = &[
    &[".git"],
    &[".git/HEAD"],
    &[".git/config"],
    &[".git/config.worktree", ".git/commondir"],
    &[".git/index"],
    &[".git/info/exclude", ".git/info/attributes"],
    &[".git/packed-refs", ".git/logs/HEAD", ".git/refs/heads/main"],
    &[
        ".git/worktrees/other/gitdir",
        ".git/worktrees/other/HEAD",
        ".git/objects/info/alternates",
    ],
    &[".gitignore"],
    &[
        ".gitattributes",
        "src/.gitattributes",
        "src/.gitignore",
        "src/.ignore",
    ],
    &[".ignore", ".aictxignore", ".gitmodules"],
    &[
        "package.json",
        "Cargo.toml",
        "go.mod",
        "pyproject.toml",
        "tsconfig.json",
        "Makefile",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        "requirements.txt",
        "justfile",
        "Taskfile.yml",
        "README.md",
        "calc.py",
        "test_calc.py",
        "run.sh",
        "demo.csproj",
        ".gitlab-ci.yml",
        ".github/workflows/ci.yml",
        "src/package.json",
        "src/go.mod",
    ],
    &[
        "CLAUDE.md",
        "AGENTS.md",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
        ".cursor/hooks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        "opencode.json",
        ".github/copilot-instructions.md",
    ],
    &[".aictx"],
    &[".aictx/format.json"],
    &[".aictx/policy.toml", ".aictx/.gitignore"],
    &[
        ".aictx/continuity/handoff.json",
        ".aictx/continuity/handoffs.jsonl",
        ".aictx/continuity/portability.json",
        ".aictx/continuity/session.json",
        ".aictx/continuity/decisions.jsonl",
        ".aictx/continuity/semantic_repo.json",
        ".aictx/continuity/resume_capsule.json",
        ".aictx/continuity/resume_capsule.md",
        ".aictx/continuity/contracts/index.json",
        ".aictx/continuity/continuity_metrics.json",
        ".aictx/metrics/agent_execution_log.jsonl",
        ".aictx/metrics/execution_logs.jsonl",
        ".aictx/metrics/verdicts.jsonl",
        ".aictx/metrics/contract_compliance.jsonl",
        ".aictx/failure_memory/failure_patterns.jsonl",
        ".aictx/failure_memory/failure_index.json",
        ".aictx/strategy_memory/strategies.jsonl",
        ".aictx/area_memory/areas.json",
        ".aictx/memory/user_preferences.json",
        ".aictx/memory/source/note.md",
        ".aictx/tasks/active.json",
        ".aictx/tasks/threads/t.json",
        ".aictx/state.json",
        ".aictx/tasks/threads/t.events.jsonl",
        ".aictx/repo_map/config.json",
        ".aictx/repo_map/manifest.json",
        ".aictx/repo_map/status.json",
    ],
    &[
        ".aictx/sessions/s.jsonl",
        ".aictx/sessions/other.jsonl",
        ".aictx/journal/1.json",
        ".aictx/.lock",
    ],
    &[
        ".aictx/continuity",
        ".aictx/sessions",
        ".aictx/journal",
        ".aictx/tasks",
        ".aictx/archive",
        ".aictx/quarantine",
    ],
];

/// Something that is no ordinary file.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Pipe,
    Socket,
    Directory,
    /// A link to an endless device.
    Endless,
    /// A link to a file that claims to be regular and empty.
    Process,
    Loop,
    /// A terabyte that takes no room.
    Sparse,
    /// Nobody may read it, except for the administrator.
    Locked,
}

impl Kind {
    /// Puts it in a place, whatever was there.
    fn plant(self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let meta = fs::symlink_metadata(path);
        match meta {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(path).unwrap(),
            Ok(_) => fs::remove_file(path).unwrap(),
            Err(_) => {}
        }
        match self {
            Self::Pipe => {
                let made = Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }
            Self::Socket => {
                // Names of sockets are short.
                let short = tempfile::tempdir().unwrap();
                let made = short.path().join("s");
                drop(UnixListener::bind(&made).unwrap());
                fs::rename(made, path).unwrap();
            }
            Self::Directory => fs::create_dir(path).unwrap(),
            Self::Endless => symlink("/dev/zero", path).unwrap(),
            Self::Process => symlink("/proc/self/mem", path).unwrap(),
            Self::Loop => symlink(path.file_name().unwrap(), path).unwrap(),
            Self::Sparse => fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
            Self::Locked => {
                fs::write(path, "x").unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            }
        }
    }
}

/// One daemon, a healthy repository, and a sick one after the other.
struct Ward {
    env: TestEnv,
    daemon: Daemon,
    healthy: PathBuf,
    kind: Kind,
}

impl Ward {
    fn new(kind: Kind) -> Self {
        let env = TestEnv::new();
        let healthy = env.repository("healthy");
        let daemon = env.daemon();
        let ward = Self {
            env,
            daemon,
            healthy,
            kind,
        };
        ward.hook(&start(&ward.healthy, "h", "startup"));
        ward
    }

    /// The answer to one request, which must come in time.
    #[track_caller]
    fn ask(&self, method: &str, params: &Value, within: Duration) -> Value {
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let stream = UnixStream::connect(self.env.socket()).unwrap();
        let started = Instant::now();
        let answer = exchange(stream, &line.to_string());
        let took = started.elapsed();
        let answer = answer.unwrap_or_else(|e| panic!("{:?}: {method}: {e}", self.kind));
        assert!(took < within, "{:?}: {method} took {took:?}", self.kind);
        serde_json::from_str(&answer).unwrap()
    }

    fn hook(&self, payload: &Value) -> Value {
        self.ask(
            "hook",
            &json!({ "runner": "claude", "payload": payload }),
            SICK,
        )
    }

    /// A repository with a session at work in it.
    fn admit(&self, number: usize) -> PathBuf {
        let repo = self.env.plain_repository(&format!("sick{number}"));
        fs::create_dir(repo.join("src")).unwrap();
        fs::write(repo.join("src/lib.py"), "def two(): return 2\n").unwrap();
        let params = json!({ "repo": repo, "runners": ["claude"], "program": program("aictx") });
        self.ask("init", &params, SICK);
        let session = format!("s{number}");
        self.hook(&start(&repo, &session, "startup"));
        self.hook(&prompt(&repo, &session, "fix add in calc.py"));
        self.hook(&edited(&repo, &session, "calc.py"));
        repo
    }

    /// Returns the requests of a session and its user to a sick repository.
    fn requests(&self, repo: &Path, number: usize) -> Vec<(&'static str, Value)> {
        let session = format!("s{number}");
        let late = format!("late{number}");
        let hook = |payload: Value| ("hook", json!({ "runner": "claude", "payload": payload }));
        vec![
            hook(prompt(
                repo,
                &session,
                "now fix src/lib.py and package.json as well",
            )),
            hook(before_command(
                repo,
                &session,
                "make test && bash run.sh && git checkout -- .",
            )),
            hook(after_command(
                repo,
                &session,
                "pytest -q",
                "1 passed in 0.1s",
            )),
            hook(edited(repo, &session, "src/lib.py")),
            hook(start(repo, &late, "startup")),
            ("resume", json!({ "repo": repo, "task": "fix add" })),
            (
                "map.query",
                json!({ "repo": repo, "text": "add two numbers", "wait_ms": 500 }),
            ),
            ("doctor", json!({ "repo": repo })),
            ("portability.status", json!({ "repo": repo })),
            ("memory.list", json!({ "repo": repo })),
            ("status", json!({})),
            hook(end(repo, &session)),
            (
                "finalize",
                json!({ "repo": repo, "status": "success", "summary": "done" }),
            ),
            (
                "init",
                json!({ "repo": repo, "runners": ["claude"], "program": program("aictx") }),
            ),
            ("clean", json!({ "repo": repo, "force": true })),
        ]
    }

    /// Asks all of it while somebody works in the healthy repository.
    fn examine(&self, number: usize, places: &[&str]) {
        let repo = self.admit(number);
        for place in places {
            self.kind.plant(&repo.join(place));
        }
        for (method, params) in self.requests(&repo, number) {
            self.ask_meanwhile(method, params, &format!("{places:?}"));
        }
    }

    /// Asks something about a sick repository while somebody works in the healthy one.
    fn ask_meanwhile(&self, method: &'static str, params: Value, place: &str) {
        let what = format!("{:?} in {place}: {method} {params}", self.kind);
        std::thread::scope(|scope| {
            let (done, is_done) = mpsc::channel();
            scope.spawn(move || {
                let _ = self.ask(method, &params, SICK);
                let _ = done.send(());
            });
            let payload = before_command(&self.healthy, "h", "git status");
            let params = json!({ "runner": "claude", "payload": payload });
            self.ask("hook", &params, HEALTHY);
            assert!(is_done.recv_timeout(SICK).is_ok(), "{what}");
        });
        let resident = resident(self.daemon.pid());
        assert!(resident < MAX_RESIDENT, "{resident} MiB after {what}");
    }
}

/// A mounted file system whose server never answers; gone when dropped.
struct DeadMount {
    path: PathBuf,
    _server: fs::File,
}

impl DeadMount {
    /// Mounts it over a directory; nothing where that is not allowed.
    fn over(path: &Path) -> Option<Self> {
        let server = fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/fuse")
            .ok()?;
        let options = "fd=0,rootmode=40000,user_id=0,group_id=0";
        let mounted = Command::new("mount")
            .args(["-i", "-t", "fuse", "-o", options, "none"])
            .arg(path)
            .stdin(server.try_clone().unwrap())
            .output()
            .ok()?;
        mounted.status.success().then(|| Self {
            path: path.to_owned(),
            _server: server,
        })
    }
}

impl Drop for DeadMount {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.path).status();
        assert!(unmounted.unwrap().success());
    }
}

#[test]
fn a_file_system_that_hangs_stops_nobody() {
    let mut ward = Ward::new(Kind::Directory);
    let sick = ward.admit(0);
    let Some(mount) = DeadMount::over(&sick) else {
        eprintln!("nothing can be mounted here");
        return;
    };
    let mut requests = ward.requests(&sick, 0);
    let elsewhere = format!("cp README.md {0}/x && cat {0}/src/lib.py", sick.display());
    let elsewhere = before_command(&ward.healthy, "h", &elsewhere);
    let elsewhere = ("hook", json!({ "runner": "claude", "payload": elsewhere }));
    requests.push(elsewhere);
    requests.push(("repo.list", json!({})));
    // A local repository whose files lead there.
    let leads = ward.admit(1);
    fs::remove_file(leads.join(".git/HEAD")).unwrap();
    symlink(sick.join("HEAD"), leads.join(".git/HEAD")).unwrap();
    fs::create_dir_all(leads.join(".git/info")).unwrap();
    let _ = fs::remove_file(leads.join(".git/info/exclude"));
    symlink(sick.join("exclude"), leads.join(".git/info/exclude")).unwrap();
    symlink(sick.join("ignore"), leads.join(".gitignore")).unwrap();
    requests.extend(ward.requests(&leads, 1).into_iter().take(8));
    fs::create_dir_all(ward.healthy.join("sub")).unwrap();
    fs::write(
        ward.healthy.join("sub/.git"),
        format!("gitdir: {}\n", sick.display()),
    )
    .unwrap();
    let below = start(&ward.healthy.join("sub"), "below", "startup");
    requests.push(("hook", json!({ "runner": "claude", "payload": below })));
    for (method, params) in requests {
        ward.ask_meanwhile(method, params, "dead");
    }
    // So it is for one that starts while the server is dead.
    stop(&mut ward.daemon);
    ward.daemon = ward.env.daemon();
    ward.ask_meanwhile("status", json!({}), "dead");
    ward.ask_meanwhile("doctor", json!({ "repo": sick }), "dead");
    drop(mount);
    let again = ward.ask("resume", &json!({ "repo": sick, "task": "fix add" }), SICK);
    assert!(again["result"].is_object(), "{again}");
    stop(&mut ward.daemon);
}

/// Resident memory in MiB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().split_whitespace().next().unwrap();
    kib.parse::<u64>().unwrap() / 1024
}

fn nothing_stops(kind: Kind) {
    let mut ward = Ward::new(kind);
    for (number, places) in PLACES.iter().enumerate() {
        ward.examine(number, places);
    }
    stop(&mut ward.daemon);
}

/// Ends a daemon by SIGTERM.
fn stop(daemon: &mut Daemon) {
    let pid = rustix::process::Pid::from_child(&daemon.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    wait_until("the daemon ends", || {
        daemon.child.try_wait().unwrap().is_some()
    });
}

#[test]
fn pipes_stop_nobody() {
    nothing_stops(Kind::Pipe);
}

#[test]
fn sockets_stop_nobody() {
    nothing_stops(Kind::Socket);
}

#[test]
fn directories_stop_nobody() {
    nothing_stops(Kind::Directory);
}

#[test]
fn links_to_endless_devices_stop_nobody() {
    nothing_stops(Kind::Endless);
}

#[test]
fn links_to_files_of_processes_stop_nobody() {
    nothing_stops(Kind::Process);
}

#[test]
fn links_in_a_circle_stop_nobody() {
    nothing_stops(Kind::Loop);
}

#[test]
fn files_without_end_stop_nobody() {
    nothing_stops(Kind::Sparse);
}

#[test]
fn files_that_nobody_may_read_stop_nobody() {
    nothing_stops(Kind::Locked);
}
