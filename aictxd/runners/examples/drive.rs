//! Drives an agent through one turn in the current directory, with the prompt from standard input:
//! `drive AGENT LINES [model=M] [reasoning=R] [resume=ID] [new=UUID] [full] [git=DIRECTORY]… [seconds=N] [-- PROGRAM ARGUMENT…]`.
//! The agent's standard output is kept in the file LINES; the report is printed. After N seconds the agent is ended.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use aictx_proto::time::Timestamp;
use aictx_runners::driver::{Approval, Exit, TurnSettings, driver};
use jiff::tz::TimeZone;

/// Time zones of the system.
fn zones(name: &str) -> Option<TimeZone> {
    if name.is_empty() {
        return TimeZone::try_system().ok();
    }
    TimeZone::get(name).ok()
}

fn main() {
    let mut args: Vec<String> = env::args().skip(1).collect();
    let exec = match args.iter().position(|arg| arg == "--") {
        Some(at) => args.split_off(at).split_off(1),
        None => Vec::new(),
    };
    let value = |name: &str| {
        args.iter()
            .find_map(|arg| arg.strip_prefix(name))
            .unwrap_or("")
    };
    let driver = driver(args.first().unwrap()).unwrap();
    let mut launch = driver.launch(&TurnSettings {
        model: value("model="),
        reasoning: value("reasoning="),
        resume: value("resume="),
        new_session: value("new="),
        approval: if args.iter().any(|arg| arg == "full") {
            Approval::Full
        } else {
            Approval::Workspace
        },
        exec: &exec,
    });
    let git_dirs = args.iter().filter_map(|arg| arg.strip_prefix("git="));
    let git_dirs: Vec<&str> = git_dirs.collect();
    if !git_dirs.is_empty() {
        driver.allow_commits(&mut launch, &git_dirs);
    }
    let seconds = value("seconds=").parse().unwrap_or(300);
    let mut prompt = Vec::new();
    io::stdin().read_to_end(&mut prompt).unwrap();
    let now = env::var("NOW").ok().and_then(|now| now.parse().ok());
    let now = now.unwrap_or_else(|| {
        Timestamp::parse(&jiff::Timestamp::now().to_string())
            .unwrap()
            .unix()
    });

    let mut child = Command::new(&launch.program)
        .args(&launch.args)
        .envs(launch.env)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An agent that never reads it has ended.
    let _ = child.stdin.take().unwrap().write_all(&prompt);
    let mut reader = driver.reader();
    reader.set_zones(zones);
    let mut lines = fs::File::create(args.get(1).unwrap()).unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let mut stderr = child.stderr.take().unwrap();
    let stderr = thread::spawn(move || {
        let mut all = Vec::new();
        stderr.read_to_end(&mut all).unwrap();
        String::from_utf8_lossy(&all).into_owned()
    });
    let stdout = thread::spawn(move || {
        for line in stdout.split(b'\n') {
            let line = line.unwrap();
            lines
                .write_all(&line)
                .and_then(|()| lines.write_all(b"\n"))
                .unwrap();
            if let Some(progress) = reader.line(&String::from_utf8_lossy(&line), now) {
                eprintln!("{progress:?}");
            }
        }
        reader
    });
    let until = Instant::now() + Duration::from_secs(seconds);
    let (status, interrupted) = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break (status, false);
        }
        if Instant::now() > until {
            // Agents start themselves again as a child.
            let group = format!("-{}", child.id());
            Command::new("kill")
                .args(["-KILL", "--", &group])
                .status()
                .unwrap();
            break (child.wait().unwrap(), true);
        }
        thread::sleep(Duration::from_millis(20));
    };
    let (reader, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    let tail = stderr
        .get(stderr.ceil_char_boundary(stderr.len().saturating_sub(4096))..)
        .unwrap();
    let exit = Exit {
        code: status.code(),
        signal: status.signal(),
    };
    let report = reader.finish(exit, tail, interrupted, now);
    let line = serde_json::json!({
        "exit": {"code": exit.code, "signal": exit.signal}, "stderr": tail,
        "interrupted": interrupted, "now": now, "report": report,
    });
    println!("{line}");
}
