//! Too few descriptors, disks that are full or cannot be written, by place.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Load, Outcome, Size};
use crate::{TestEnv, program, wait_until};
use rustix::process::{Resource, Rlimit, setrlimit};

/// A daemon with few descriptors, which other connections hold: events go to the spool meanwhile.
pub fn descriptors(size: Size) -> Outcome {
    let mut env = TestEnv::new();
    env.set("AICTX_HOOK_TIMEOUT_MS", "2000");
    let repository = env.repository("demo");
    let mut command = env.command(program("aictxd"));
    command.args(["run", "--detach"]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let few = || {
        let limit = Rlimit {
            current: Some(72),
            maximum: Some(72),
        };
        Ok(setrlimit(Resource::Nofile, limit)?)
    };
    // SAFETY: between fork and exec only one system call is made.
    let mut daemon = unsafe { command.pre_exec(few) }.spawn().unwrap();
    wait_until("the daemon serves", || env.is_served());
    let load = Load::new(&env, &repository);
    let mut held = Vec::new();
    let times = load.under(size, |random| {
        held.truncate(usize::try_from(random.below(40)).unwrap_or(0));
        for _ in 0..random.below(60) {
            held.extend(std::os::unix::net::UnixStream::connect(env.socket()));
        }
        std::thread::sleep(random.pause(60));
        true
    });
    drop(held);
    let outcome = load.compare(times);
    env.stop_daemon();
    let _ = daemon.wait();
    outcome
}

/// A file system of its own below a directory, where this user may mount one.
struct Mount<'p>(&'p Path);

impl<'p> Mount<'p> {
    fn small(at: &'p Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs"])
            .arg(at)
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self(at))
    }

    /// Covers the file system by a view of it that cannot be written: what is open already stays
    /// writable, and would keep the file system itself from changing.
    fn cover_read_only(&self) -> Self {
        for arguments in [&["--bind"][..], &["-o", "remount,ro,bind"]] {
            let mut mount = Command::new("mount");
            mount.args(arguments).arg(self.0);
            if arguments == ["--bind"] {
                mount.arg(self.0);
            }
            assert!(mount.status().unwrap().success(), "{arguments:?}");
        }
        Self(self.0)
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// Fills a file system to the last byte.
fn fill(ballast: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(ballast).unwrap();
    let block = [0; 4096];
    while file.write_all(&block).is_ok() {}
    while file.write_all(&block[..1]).is_ok() {}
}

/// Which place is on the bad disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    /// The repository.
    Repository,
    /// The state directory.
    State,
    /// Both.
    Both,
}

/// Fault of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// No space is left.
    Full,
    /// Nothing can be written.
    ReadOnly,
}

/// Events come while a disk is bad; then it is good again. `None` where nothing can be mounted.
pub fn disk(size: Size, bad: Bad, how: How, with_daemon: bool) -> Option<Outcome> {
    let mut env = TestEnv::new();
    env.set("AICTX_HOOK_TIMEOUT_MS", "5000");
    let disk = env.path().join("disk");
    let mount = Mount::small(&disk)?;
    if bad != Bad::Repository {
        env.set("XDG_STATE_HOME", &disk.join("state").to_string_lossy());
    }
    let name = match bad {
        Bad::State => "demo",
        Bad::Repository | Bad::Both => "disk/demo",
    };
    let repository = env.repository(name);
    if with_daemon {
        env.aictx(&repository, &["daemon", "start"]).ok();
    } else {
        env.set("AICTX_NO_DAEMON", "1");
    }
    let load = Load::new(&env, &repository);
    let ballast = disk.join("ballast");
    let cover = match how {
        How::Full => {
            fill(&ballast);
            None
        }
        How::ReadOnly => Some(mount.cover_read_only()),
    };
    std::thread::scope(|scope| {
        for agent in 0..size.agents {
            let load = &load;
            scope.spawn(move || load.session(&format!("agent{agent}"), size.events));
        }
    });
    match cover {
        Some(cover) => drop(cover),
        None => fs::remove_file(&ballast).unwrap(),
    }
    let outcome = load.compare(1);
    env.stop_daemon();
    drop(mount);
    Some(outcome)
}
