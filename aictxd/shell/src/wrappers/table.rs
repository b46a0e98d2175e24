//! The programs that run other programs.

use std::sync::LazyLock;

use super::super::{ByName, Names};

/// A prefix that runs the rest of its words as a command.
pub(super) struct Prefix {
    pub(super) name: &'static str,
    /// First operand that must follow (`run` of `uv run`); empty for none.
    pub(super) verb: &'static [&'static str],
    /// Options that take the next word as their value.
    pub(super) valued: &'static [&'static str],
    /// Operands of its own before the command (`timeout 5`).
    pub(super) operands: usize,
}

const fn prefix(name: &'static str, valued: &'static [&'static str], operands: usize) -> Prefix {
    Prefix {
        name,
        verb: &[],
        valued,
        operands,
    }
}

const fn runner(name: &'static str, verb: &'static [&'static str]) -> Prefix {
    Prefix {
        name,
        verb,
        valued: &[
            "--with",
            "--extra",
            "--group",
            "--python",
            "-p",
            "--package",
            "--directory",
            "--project",
        ],
        operands: 0,
    }
}

/// Options of GNU parallel that take the next word.
const PARALLEL_VALUED: &[&str] = &[
    "-j",
    "--jobs",
    "-P",
    "--max-procs",
    "-a",
    "--arg-file",
    "-n",
    "--max-args",
    "-N",
    "-L",
    "--max-lines",
    "-I",
    "-C",
    "--colsep",
    "-d",
    "--delimiter",
    "-E",
    "-s",
    "-S",
    "--sshlogin",
    "--slf",
    "--sshloginfile",
    "--joblog",
    "--results",
    "--delay",
    "--timeout",
    "--retries",
    "--halt",
    "--halt-on-error",
    "--tmpdir",
    "--tagstring",
    "--block",
    "--recend",
    "--recstart",
    "--header",
    "--rpl",
    "--load",
    "--memfree",
    "--memsuspend",
    "--nice",
    "--workdir",
    "--wd",
    "--env",
    "--basefile",
    "--return",
    "--trc",
    "--id",
    "--semaphorename",
    "--profile",
    "-J",
    "--seqreplace",
    "--limit",
    "--shellquote-with",
];

/// Options of launchers of parallel programs that take the next word.
const MPI_VALUED: &[&str] = &[
    "-n",
    "-np",
    "-H",
    "--host",
    "-host",
    "-hostfile",
    "--hostfile",
    "-machinefile",
    "-f",
    "-ppn",
    "--map-by",
    "--bind-to",
    "-x",
];

/// Runners whose command is put together to a line for a shell, so that one word may hold all of it.
pub(super) const LINE_RUNNERS: &[&str] = &["parallel", "env_parallel", "parset", "sem", "rush"];
/// Separators between their command and the inserted words.
pub(super) const LINE_SOURCES: &[&str] = &[":::", "::::", ":::+", "::::+"];

static PREFIXES: &[Prefix] = &[
    prefix("busybox", &[], 0),
    prefix("toybox", &[], 0),
    prefix("pkexec", &["--user"], 0),
    prefix("gosu", &[], 1),
    prefix("shx", &[], 0),
    prefix("runuser", &["-u", "--user", "-g", "-G"], 0),
    prefix(
        "screen",
        &["-S", "-c", "-L", "-t", "-p", "-dmS", "-mdS", "-dS", "-mS"],
        0,
    ),
    prefix("su-exec", &[], 1),
    prefix("setpriv", &["--reuid", "--regid", "--groups"], 0),
    prefix("fakeroot", &["-l", "-s", "-i"], 0),
    prefix("chroot", &[], 1),
    prefix("arch-chroot", &["-u"], 1),
    prefix("unshare", &[], 0),
    prefix("nsenter", &["-t", "--target"], 0),
    prefix("taskset", &[], 1),
    prefix("chrt", &[], 1),
    prefix("numactl", &[], 0),
    prefix("prlimit", &[], 0),
    prefix("systemd-run", &["-p", "-u", "--unit", "--property"], 0),
    prefix("systemd-inhibit", &[], 0),
    prefix("chronic", &[], 0),
    prefix("noglob", &[], 0),
    prefix("nocorrect", &[], 0),
    prefix("setarch", &[], 1),
    prefix("linux32", &[], 0),
    prefix("linux64", &[], 0),
    prefix("faketime", &["-f"], 1),
    prefix("proxychains", &["-f"], 0),
    prefix("proxychains4", &["-f"], 0),
    prefix("torsocks", &[], 0),
    prefix("torify", &[], 0),
    prefix("dbus-run-session", &["--config-file"], 0),
    prefix("firejail", &[], 0),
    prefix("flatpak-spawn", &[], 0),
    prefix("cpulimit", &["-l", "-p", "-e"], 0),
    prefix("trickle", &["-d", "-u"], 0),
    prefix("tsp", &[], 0),
    prefix("aa-exec", &["-p"], 0),
    prefix("sem", PARALLEL_VALUED, 0),
    prefix("run0", &["-u", "--user", "-D"], 0),
    prefix("sg", &[], 1),
    prefix("strace", &["-o", "-e", "-s", "-p"], 0),
    prefix(
        "srun",
        &[
            "-A", "-c", "-D", "-d", "-e", "-G", "-i", "-J", "-m", "-N", "-n", "-o", "-p", "-q",
            "-t", "-w", "-x",
        ],
        0,
    ),
    prefix(
        "salloc",
        &["-A", "-c", "-G", "-J", "-N", "-n", "-p", "-q", "-t", "-w"],
        0,
    ),
    prefix("mpirun", MPI_VALUED, 0),
    prefix("mpiexec", MPI_VALUED, 0),
    prefix("aprun", &["-n", "-N", "-d", "-j"], 0),
    prefix("jsrun", &["-n", "-a", "-c", "-g", "-r"], 0),
    prefix("qrsh", &["-l", "-q", "-P", "-pe"], 0),
    prefix(
        "chpst",
        &["-u", "-U", "-b", "-e", "-n", "-m", "-o", "-p"],
        0,
    ),
    prefix("setuidgid", &[], 1),
    prefix("s6-setuidgid", &[], 1),
    prefix("envuidgid", &[], 1),
    prefix("envdir", &[], 1),
    prefix(
        "softlimit",
        &[
            "-a", "-c", "-d", "-f", "-m", "-n", "-o", "-p", "-r", "-s", "-t",
        ],
        0,
    ),
    prefix("dumb-init", &[], 0),
    prefix("tini", &["-p"], 0),
    prefix("catatonit", &[], 0),
    prefix("valgrind", &[], 0),
    prefix("heaptrack", &["-o"], 0),
    prefix("daemonize", &["-c", "-p", "-l", "-o", "-e", "-u"], 0),
    prefix("cgexec", &["-g"], 0),
    prefix("uftrace", &[], 0),
    prefix("retry", &["-t", "-d", "--times", "--delay"], 0),
    prefix("ltrace", &["-o", "-e", "-s"], 0),
    prefix("rlwrap", &[], 0),
    prefix("cross-env", &[], 0),
    prefix("dotenv", &["-f", "-e"], 0),
    prefix("sshpass", &["-p", "-f", "-e"], 0),
    prefix("arch", &[], 0),
    prefix("wsl", &["-d", "-u", "--cd"], 0),
    prefix("parallel", PARALLEL_VALUED, 0),
    prefix("env_parallel", PARALLEL_VALUED, 0),
    prefix("parset", PARALLEL_VALUED, 1),
    prefix(
        "rush",
        &[
            "-j", "--jobs", "-n", "-i", "--infile", "-d", "-D", "-r", "-t", "-v", "-T",
        ],
        0,
    ),
    runner("podman", &["unshare"]),
    runner("buildah", &["unshare"]),
    prefix("coproc", &[], 0),
    prefix("flock", &["-w", "-E", "--timeout"], 1),
    prefix("entr", &[], 0),
    prefix("winpty", &[], 0),
    runner("mise", &["exec", "x"]),
    runner("asdf", &["exec"]),
    runner("chef", &["exec"]),
    runner("op", &["run"]),
    runner("doppler", &["run"]),
    runner("dotenvx", &["run"]),
    runner("pipx", &["run"]),
    runner("pixi", &["run"]),
    runner("hermit", &["exec"]),
    runner("perf", &["stat", "record", "trace"]),
    runner("rr", &["record"]),
    runner("flux", &["run", "submit", "alloc", "batch"]),
    runner("lerna", &["exec"]),
    runner("nx", &["exec"]),
    runner("zellij", &["run"]),
    runner("nix", &["shell", "develop"]),
    runner("toolbox", &["run"]),
    runner("rtx", &["exec", "x"]),
    runner("infisical", &["run"]),
    runner("chamber", &["exec"]),
    runner("teller", &["run"]),
    runner("sops", &["exec-env"]),
    Prefix {
        operands: 1,
        ..runner("machinectl", &["shell"])
    },
    Prefix {
        operands: 1,
        ..runner("distrobox", &["enter"])
    },
    Prefix {
        operands: 1,
        ..runner("direnv", &["exec"])
    },
    Prefix {
        operands: 1,
        ..runner("aws-vault", &["exec"])
    },
    Prefix {
        valued: &["-n", "-p", "--name", "--prefix", "--cwd"],
        ..runner("conda", &["run"])
    },
    Prefix {
        valued: &["-n", "-p", "--name", "--prefix", "--cwd"],
        ..runner("mamba", &["run"])
    },
    Prefix {
        valued: &["-n", "-p", "--name", "--prefix", "--cwd"],
        ..runner("micromamba", &["run"])
    },
    runner("bun", &["x"]),
    prefix(
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
            "--host", "--chdir",
        ],
        0,
    ),
    prefix("doas", &["-u", "-C"], 0),
    prefix("env", &["-u", "--unset", "-C", "--chdir"], 0),
    prefix("nohup", &[], 0),
    prefix("setsid", &[], 0),
    prefix("time", &["-o", "-f", "--output", "--format"], 0),
    prefix("nice", &["-n", "--adjustment"], 0),
    prefix("ionice", &["-c", "-n", "-p"], 0),
    prefix("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    prefix("gtimeout", &["-s", "-k"], 1),
    prefix("command", &[], 0),
    prefix("builtin", &[], 0),
    prefix("exec", &["-a"], 0),
    prefix("stdbuf", &["-i", "-o", "-e"], 0),
    prefix("unbuffer", &[], 0),
    prefix("caffeinate", &["-t", "-w"], 0),
    prefix("xvfb-run", &["-n", "-s", "-e", "-f"], 0),
    prefix(
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
            "--replace",
        ],
        0,
    ),
    prefix("npx", &["-p", "--package"], 0),
    prefix("bunx", &[], 0),
    prefix("pnpx", &[], 0),
    runner("bun", &["x"]),
    runner("uv", &["run"]),
    runner("uvx", &[]),
    runner("poetry", &["run"]),
    runner("pipenv", &["run"]),
    runner("pdm", &["run"]),
    runner("rye", &["run"]),
    runner("hatch", &["run"]),
    runner("bundle", &["exec"]),
    runner("pnpm", &["exec", "dlx"]),
    runner("npm", &["exec", "x"]),
    runner("yarn", &["exec", "dlx"]),
];

/// Wrappers that fetch the program behind them, if need be in the version named with it.
pub(super) const FETCHING: &[&str] = &["npx", "bunx", "pnpx", "bun", "pnpm", "npm", "yarn", "uvx"];

pub(super) const SSH_VALUED: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
    "-R", "-S", "-W", "-w",
];

/// Programs that run the text behind one of their options.
pub(super) static TEXTS: &[(&str, &[&str])] = &[
    ("su", &["-c", "--command", "--session-command", "-lc"]),
    ("runuser", &["-c", "--command"]),
    ("env", &["-S", "--split-string"]),
    (
        "script",
        &["-c", "--command", "-qc", "-qec", "-ec", "-qefc", "-aqc"],
    ),
    ("repo", &["-c", "-pc", "-cp"]),
    ("west", &["-c"]),
    ("sbatch", &["--wrap"]),
    ("just", &["-c", "--command"]),
    ("entr", &["-s", "-cs", "-rs", "-crs", "-rcs"]),
    ("chokidar", &["-c", "--command"]),
    ("flock", &["-c", "--command"]),
    ("npx", &["-c", "--call"]),
    ("npm", &["-c", "--call"]),
    ("nix-shell", &["--run", "--command"]),
    ("nodemon", &["-x", "--exec"]),
    ("watchexec", &["-x", "--exec"]),
    ("bazel", &["--run_under"]),
];

/// The same on another machine.
pub(super) static REMOTE_TEXTS: &[(&str, &[&str])] = &[
    ("vagrant", &["-c", "--command"]),
    ("gcloud", &["--command"]),
    ("fly", &["-C", "--command"]),
    ("flyctl", &["-C", "--command"]),
    ("ansible", &["-a", "--args"]),
    ("wrangler", &["--run"]),
];

/// Programs whose every operand is a command line of its own.
pub(super) const LINES: &[&str] = &[
    "watch",
    "concurrently",
    "hyperfine",
    "run-p",
    "watchman-make",
];

/// Prefixes by name: every command is looked up.
pub(super) static PREFIX_OF: LazyLock<ByName<&'static Prefix>> = LazyLock::new(|| {
    PREFIXES
        .iter()
        .map(|prefix| (prefix.name, prefix))
        .collect()
});

/// Names of all programs that [`follow`] knows besides the prefixes, in lower case.
pub(super) static FOLLOWED: LazyLock<Names> = LazyLock::new(|| {
    let texts = TEXTS.iter().chain(REMOTE_TEXTS).map(|(name, _)| *name);
    SHELLS
        .iter()
        .chain(LINES)
        .copied()
        .chain(texts)
        .chain([
            "eval",
            "trap",
            "alias",
            "powershell",
            "pwsh",
            "cmd",
            "git",
            "ssh",
            "find",
            "fd",
            "fdfind",
            "sudo",
            "doas",
            "su",
        ])
        .collect()
});

/// Shells that read commands from `-c` or their standard input.
pub const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "yash",
    "posh", "osh", "nu", "xonsh", "elvish",
];

/// The same, to be asked of every command.
pub(super) static IS_SHELL: LazyLock<Names> = LazyLock::new(|| SHELLS.iter().copied().collect());

/// Names of all programs that [`follow`] knows, prefixes or not.
pub(in super::super) fn known() -> impl Iterator<Item = &'static str> {
    PREFIX_OF.keys().chain(FOLLOWED.iter()).copied()
}
