//! `hook_latency`: what a hook costs, beside what it could cost at best.
//!
//! All candidates take turns in one run, so that a busy machine is busy for all of them: the floor
//! (a static C program that does nothing but the round trip, against an echo server), `/bin/true`,
//! the real client against the real daemon, and, when its interpreter is named, the ancestor's
//! hook script. Prints a table of whole-process wall times; judges nothing.
//!
//! ```text
//! cargo run --release -p aictx-tests --bin hook_latency -- \
//!     --aictx PATH --aictxd PATH [--runs 1000] [--cc COMPILER] [--ancestor-python PATH]
//! … --adapters   # every agent's dialect beside Claude Code's, and nothing else
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aictx_tests::session::before_command;
use aictx_tests::{TestEnv, wait_until};
use serde_json::json;

mod adapters;

/// A command that both guards look at and let pass.
const GUARDED: &str = "sed -i s/a/b/ calc.py && python -m pytest -q";

const FLOOR: &str = include_str!("../../../benches/floor.c");

struct Options {
    aictx: PathBuf,
    aictxd: PathBuf,
    runs: usize,
    ancestor: Option<PathBuf>,
    /// Only every agent's dialect beside Claude Code's.
    adapters: bool,
    /// Compiler of the floor; the first that works of musl-gcc and cc when not named.
    cc: Option<String>,
}

fn options() -> Options {
    let mut args = std::env::args().skip(1);
    let mut options = Options {
        aictx: PathBuf::new(),
        aictxd: PathBuf::new(),
        runs: 1_000,
        ancestor: None,
        adapters: false,
        cc: None,
    };
    while let Some(name) = args.next() {
        if name == "--adapters" {
            options.adapters = true;
            continue;
        }
        let value = args
            .next()
            .unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--aictx" => options.aictx = fs::canonicalize(value).unwrap(),
            "--aictxd" => options.aictxd = fs::canonicalize(value).unwrap(),
            "--runs" => options.runs = value.parse().unwrap(),
            "--cc" => options.cc = Some(value),
            "--ancestor-python" => options.ancestor = Some(PathBuf::from(value)),
            other => panic!("unknown option {other}"),
        }
    }
    assert!(
        options.aictx.exists() && options.aictxd.exists(),
        "--aictx and --aictxd are needed"
    );
    options
}

/// One thing to time: a program, its arguments, its input.
struct Candidate {
    name: &'static str,
    program: PathBuf,
    args: Vec<String>,
    input: PathBuf,
    every: usize,
    /// Talks to this socket instead of the daemon's.
    socket: Option<PathBuf>,
    times: Vec<Duration>,
}

impl Candidate {
    fn run(&mut self, env: &TestEnv, directory: &Path) {
        let mut command = env.command(&self.program);
        command
            .args(&self.args)
            .current_dir(directory)
            .stdin(File::open(&self.input).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(socket) = &self.socket {
            command.env("AICTX_SOCKET", socket);
        }
        let started = Instant::now();
        let status = command.status().unwrap();
        self.times.push(started.elapsed());
        assert!(status.success(), "{} failed", self.name);
    }
}

fn quantile(times: &mut [Duration], q: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * q).round() as usize]
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Compiles the floor, statically: by musl when there is one (the smallest C start-up), else by the
/// system's compiler.
fn floor(directory: &Path, cc: Option<&str>) -> (PathBuf, String) {
    let source = directory.join("floor.c");
    fs::write(&source, FLOOR).unwrap();
    let program = directory.join("floor");
    for compiler in cc.map_or(vec!["musl-gcc", "cc"], |cc| vec![cc]) {
        let built = Command::new(compiler)
            .args(["-O2", "-static", "-o"])
            .arg(&program)
            .arg(&source)
            .stderr(Stdio::null())
            .status();
        if built.is_ok_and(|status| status.success()) {
            return (program, format!("{compiler} -O2 -static"));
        }
    }
    panic!("no C compiler that links statically");
}

/// Answers every line with itself, one connection after the other.
fn echo_server(socket: &Path) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut line = Vec::new();
            let _ = BufReader::new(&stream).read_until(b'\n', &mut line);
            let _ = (&stream).write_all(&line);
        }
    });
}

/// The ancestor's own PreToolUse hook script, as its `init` writes it.
fn ancestor_script(env: &TestEnv, python: &Path, repository: &Path) -> PathBuf {
    let bin = python.parent().unwrap();
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let status = env
        .command(bin.join("aictx"))
        .env("PATH", &path)
        .args(["install", "--yes", "--no-mcp"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the ancestor's install failed");
    let status = env
        .command(bin.join("aictx"))
        .env("PATH", &path)
        .args(["init", "--yes", "--no-mcp", "--repo"])
        .arg(repository)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the ancestor's init failed");
    repository.join(".claude/hooks/aictx_pre_tool_use.py")
}

fn main() {
    let options = options();
    let mut env = TestEnv::new();
    env.unset("AICTX_HOOK_TIMEOUT_MS");
    env.set("AICTX_DAEMON", &options.aictxd.to_string_lossy());
    let repo = env.plain_repository("demo");
    let init = json!({ "repo": repo, "runners": ["claude"], "program": options.aictx });
    let run = env.with_input(
        env.command(&options.aictxd).args(["once", "init"]),
        init.to_string().as_bytes(),
    );
    assert_eq!(run.status, 0, "{run:?}");
    let mut daemon = env
        .command(&options.aictxd)
        .args(["run", "--detach"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut word = String::new();
    BufReader::new(daemon.stdout.take().unwrap())
        .read_line(&mut word)
        .unwrap();

    if options.adapters {
        adapters::measure(&env, &options.aictx, &repo, options.runs);
        let _ = daemon.kill();
        let _ = daemon.wait();
        return;
    }
    let payload = env.path().join("payload.json");
    let text = before_command(&repo, "bench", GUARDED);
    fs::write(&payload, text.to_string()).unwrap();
    let echo = env.path().join("echo");
    echo_server(&echo);
    // Each candidate has a server of its own, used once a turn: all of them have slept equally
    // long when they are woken.
    let other_echo = env.path().join("echo2");
    echo_server(&other_echo);
    let (floor_program, floor_name) = floor(env.path(), options.cc.as_deref());

    let candidate = |name, program: &Path, args: &[&str], every| Candidate {
        name,
        program: program.to_owned(),
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        input: payload.clone(),
        every,
        socket: None,
        times: Vec::new(),
    };
    let mut candidates = vec![
        candidate(
            "floor (C, static)",
            &floor_program,
            &[echo.to_str().unwrap()],
            1,
        ),
        candidate("/bin/true", Path::new("/bin/true"), &[], 1),
        candidate(
            "aictx hook claude",
            &options.aictx,
            &["hook", "claude", "PreToolUse"],
            1,
        ),
    ];
    candidates.push(Candidate {
        socket: Some(other_echo),
        ..candidate(
            "the same, echo server",
            &options.aictx,
            &["hook", "claude", "PreToolUse"],
            1,
        )
    });
    if let Some(python) = &options.ancestor {
        let other = env.plain_repository("ancestor");
        let script = ancestor_script(&env, python, &other);
        let bin = python.parent().unwrap().to_string_lossy().into_owned();
        let old_path = std::env::var("PATH").unwrap_or_default();
        env.set("PATH", &format!("{bin}:{old_path}"));
        env.set("CLAUDE_PROJECT_DIR", &other.to_string_lossy());
        let payload_there = env.path().join("ancestor.json");
        let text = before_command(&other, "bench", GUARDED);
        fs::write(&payload_there, text.to_string()).unwrap();
        candidates.push(Candidate {
            input: payload_there,
            ..candidate(
                "ancestor's hook script",
                python,
                &[script.to_str().unwrap()],
                40,
            )
        });
    }
    for warm in 0..20 {
        for candidate in &mut candidates {
            if warm % candidate.every == 0 {
                candidate.run(&env, &repo);
            }
            candidate.times.clear();
        }
    }
    for turn in 0..options.runs {
        for candidate in &mut candidates {
            if turn % candidate.every == 0 {
                candidate.run(&env, &repo);
            }
        }
    }
    println!(
        "whole process, wall time, {} interleaved runs; floor built by `{floor_name}`",
        options.runs
    );
    println!(
        "{:<28}{:>10}{:>10}{:>10}{:>9}",
        "", "p50 us", "p90 us", "p99 us", "x floor"
    );
    let floor_p50 = us(quantile(&mut candidates[0].times.clone(), 0.5));
    let mut hook_p50 = 0.0;
    for candidate in &mut candidates {
        let at = |c: &mut Candidate, q| us(quantile(&mut c.times, q));
        let p50 = at(candidate, 0.5);
        if candidate.name.starts_with("aictx") {
            hook_p50 = p50;
        }
        let (p90, p99) = (at(candidate, 0.9), at(candidate, 0.99));
        println!(
            "{:<28}{p50:>10.0}{p90:>10.0}{p99:>10.0}{:>9.2}",
            candidate.name,
            p50 / floor_p50
        );
        if candidate.name.starts_with("ancestor") {
            println!("{:<28}{:>10.0} x the hook", "  that is", p50 / hook_p50);
        }
    }

    // Eight sessions at once, each in its own loop.
    let each = options.runs / 4;
    let barrier = Barrier::new(8);
    let all: Vec<Duration> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|n| {
                let (env, repo, options, barrier, candidates) =
                    (&env, &repo, &options, &barrier, &candidates);
                scope.spawn(move || {
                    let input = env.path().join(format!("payload-{n}.json"));
                    let text = before_command(repo, &format!("bench-{n}"), "cargo test -p core");
                    fs::write(&input, text.to_string()).unwrap();
                    let mut own = Candidate {
                        name: "aictx",
                        program: options.aictx.clone(),
                        args: candidates[2].args.clone(),
                        input,
                        every: 1,
                        socket: None,
                        times: Vec::new(),
                    };
                    barrier.wait();
                    (0..each).for_each(|_| own.run(env, repo));
                    own.times
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap())
            .collect()
    });
    print_times("8 sessions at once", all);

    // While somebody makes directories in a large tree as fast as the disk allows and has it taken in.
    let large = env.plain_repository("large");
    // No two files alike: what was parsed once is known by its content.
    let source = |file: usize| -> String {
        let one = |n| {
            format!("/// Adds {n}.\npub fn add_{file}_{n}(v: u64) -> u64 {{\n    v + {n}\n}}\n")
        };
        (0..40).map(one).collect()
    };
    for d in 0..400 {
        let dir = large.join(format!("d{}/e{d}", d % 20));
        fs::create_dir_all(&dir).unwrap();
        (0..50).for_each(|f| fs::write(dir.join(format!("f{f}.rs")), source(d * 50 + f)).unwrap());
    }
    // What is there already is no part of either row.
    let settle = || {
        aictx_tests::rpc(&env.socket(), "init", &json!({ "repo": large }));
        aictx_tests::rpc(&env.socket(), "map.refresh", &json!({ "repo": large }))
    };
    settle();
    let mut made = 0;
    let during = meanwhile(&mut candidates[2], &env, &repo, options.runs, || {
        let dir = large.join(format!("new{made}"));
        (0..30).for_each(|i| fs::create_dir_all(dir.join(format!("x{i}/y"))).unwrap());
        let _ = aictx_tests::rpc(&env.socket(), "init", &json!({ "repo": large }));
        made += 1;
    });
    print_times("directories made, taken in", during);

    // While nothing but a cold index runs: everything is parsed, again and again.
    settle();
    let mut parsed = Vec::new();
    let during = meanwhile(&mut candidates[2], &env, &repo, options.runs, || {
        let params = json!({ "repo": large, "full": true });
        let answer = aictx_tests::rpc(&env.socket(), "map.refresh", &params);
        parsed.push(answer["result"]["files_reparsed"].as_u64().unwrap());
    });
    assert!(
        parsed.iter().all(|&files| files >= 20_000),
        "not everything was parsed: {parsed:?}"
    );
    let hooks = during.len();
    print_times("a cold index runs", during);
    println!("  {hooks} hooks; files parsed: {parsed:?}");

    let status = env.status();
    println!("\ninside the daemon (histogram upper bounds)");
    for method in status
        .methods
        .iter()
        .filter(|m| m.method.starts_with("hook"))
    {
        println!(
            "{:<28}{:>10}{:>21} us p50{:>8} us p99",
            method.method, method.calls, method.p50_us, method.p99_us
        );
    }
    println!(
        "resident: {:.1} MiB; CPU so far: {} ms",
        status.rss_bytes as f64 / 1048576.0,
        status.cpu_ms
    );
    start_up(&options);
    let _ = daemon.kill();
    let _ = daemon.wait();
}

/// Times of at least `runs` hooks while `work` is done over and over by another thread, and of as
/// many more as it takes for it to be done once from its beginning to its end.
fn meanwhile(
    hook: &mut Candidate,
    env: &TestEnv,
    repo: &Path,
    runs: usize,
    mut work: impl FnMut() + Send,
) -> Vec<Duration> {
    let (busy, done) = (AtomicBool::new(true), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            while busy.load(Ordering::Relaxed) {
                work();
                done.store(true, Ordering::Relaxed);
            }
        });
        hook.times.clear();
        // A worker that broke is heard of when the scope ends.
        while hook.times.len() < runs || !done.load(Ordering::Relaxed) && !worker.is_finished() {
            hook.run(env, repo);
        }
        busy.store(false, Ordering::Relaxed);
        std::mem::take(&mut hook.times)
    })
}

fn print_times(name: &str, mut times: Vec<Duration>) {
    let mut at = |q| us(quantile(&mut times, q));
    let (p50, p90, p99) = (at(0.5), at(0.9), at(0.99));
    println!("{name:<28}{p50:>10.0}{p90:>10.0}{p99:>10.0}");
}

/// From spawn to the first answered `hello`, and resident memory with one small repository.
fn start_up(options: &Options) {
    let env = TestEnv::new();
    let repo = env.plain_repository("small");
    let run = env.with_input(
        env.command(&options.aictxd).args(["once", "init"]),
        json!({ "repo": repo }).to_string().as_bytes(),
    );
    assert_eq!(run.status, 0, "{run:?}");
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..20 {
        let started = Instant::now();
        let mut daemon = env
            .command(&options.aictxd)
            .args(["run", "--detach"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut word = String::new();
        BufReader::new(daemon.stdout.take().unwrap())
            .read_line(&mut word)
            .unwrap();
        let answer = aictx_tests::rpc(&env.socket(), "hello", &json!({}));
        assert_eq!(answer["result"]["name"], "aictxd");
        times.push(started.elapsed());
        wait_until("the repository is open", || {
            !env.status().repositories.is_empty()
        });
        resident = env.status().rss_bytes;
        let _ = daemon.kill();
        let _ = daemon.wait();
        let _ = UnixStream::connect(env.socket());
    }
    println!(
        "start to first answer: {:.1} ms p50, {:.1} ms worst of 20; resident with one small repository: {:.1} MiB",
        us(quantile(&mut times, 0.5)) / 1e3,
        us(quantile(&mut times, 1.0)) / 1e3,
        resident as f64 / 1048576.0
    );
}
