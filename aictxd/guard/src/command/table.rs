//! What is known about programs, all data. Calls that are known by verbs and options stand in
//! `table/rules.rs`.

use std::collections::HashMap;
use std::sync::LazyLock;

mod rules;

pub(super) use rules::Rule;

/// Rules by program; almost every command line is about programs that have none.
static BY_PROGRAM: LazyLock<HashMap<&'static str, Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut map: HashMap<&str, Vec<&Rule>> = HashMap::new();
    for rule in rules::RULES {
        for program in rule.program.split('|') {
            map.entry(program).or_default().push(rule);
        }
    }
    map
});

/// The rules about a program, in the order of the table.
pub(super) fn rules_of(program: &str) -> impl Iterator<Item = &'static Rule> {
    BY_PROGRAM.get(program).into_iter().flatten().copied()
}

/// Programs whose words are data: nothing is run or written because of what they say.
pub(super) const DATA: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "jq", "yq",
    "cat", "less", "more", "head", "tail", "ls", "man", "which", "type", "diff", "wc", "sort",
    "uniq", "cut", "tr", "test", "[", "[[", "export", "alias", "cd", "pwd", "sleep", "true",
    "false", ":", "for", "case", "select", "in",
];

/// Programs that fetch from elsewhere.
pub(super) const DOWNLOADERS: &[&str] = &[
    "curl",
    "wget",
    "fetch",
    "http",
    "https",
    "aria2c",
    "iwr",
    "Invoke-WebRequest",
];

/// Programs that turn data into something that cannot be read from the line.
pub(super) const DECODERS: &[&str] = &[
    "base64", "base32", "xxd", "openssl", "gpg", "gunzip", "zcat", "uudecode", "rev",
];

/// Directories that a build or installation makes again (spec/guard.md §4.2).
pub(super) const REGENERABLE: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "__pycache__",
    ".venv",
    "venv",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".parcel-cache",
    ".angular",
    ".gradle",
    ".eggs",
    "bower_components",
    "htmlcov",
    ".hypothesis",
];

/// File names made again by running the program.
pub(super) const REGENERABLE_FILES: &[&str] = &["*.pyc", "*.pyo", "*.class", "*.o", ".DS_Store"];

/// Directories whose content nobody expects to stay.
pub(super) const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/dev/shm",
    "/private/var/folders",
    "/var/folders",
];

/// Names of disks below `/dev`.
pub(super) const DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "loop", "dm-",
];

/// Programs that make or wipe file systems.
pub(super) const FORMATTERS: &[&str] = &[
    "mkfs",
    "wipefs",
    "blkdiscard",
    "mkswap",
    "sgdisk",
    "sfdisk",
    "fdisk",
    "parted",
    "newfs",
];

/// Programs that overwrite what they delete.
pub(super) const SHREDDERS: &[&str] = &["shred", "srm", "wipe"];

/// Clients that run the statements they are given.
pub(super) const SQL_CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "sqlcmd",
    "duckdb",
    "clickhouse-client",
    "clickhouse",
    "cqlsh",
    "bq",
    "pgcli",
    "mycli",
    "snowsql",
    "usql",
    "cockroach",
    "wrangler",
    "sqlplus",
    "isql",
];

/// Interpreters, the options behind which a program stands, and what in it deletes trees.
pub(super) struct Interpreter {
    pub(super) name: &'static str,
    pub(super) options: &'static [&'static str],
    pub(super) deletes: &'static [&'static str],
}

pub(super) static INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        name: "python",
        options: &["-c"],
        deletes: &["rmtree(", "removedirs(", "send2trash("],
    },
    Interpreter {
        name: "pypy",
        options: &["-c"],
        deletes: &["rmtree(", "removedirs("],
    },
    Interpreter {
        name: "node",
        options: &["-e", "--eval", "-p", "--print"],
        deletes: &[
            "rmSync(",
            "rmdirSync(",
            "fs.rm(",
            "rimraf",
            "promises.rm(",
            "removeSync(",
        ],
    },
    Interpreter {
        name: "bun",
        options: &["-e", "--eval"],
        deletes: &["rmSync(", "rmdirSync(", "fs.rm(", "rimraf"],
    },
    Interpreter {
        name: "deno",
        options: &["eval"],
        deletes: &["Deno.remove(", "Deno.removeSync("],
    },
    Interpreter {
        name: "ruby",
        options: &["-e"],
        deletes: &[
            "rm_rf",
            "rm_r(",
            "rm_r ",
            "remove_dir",
            "remove_entry",
            "rmtree",
        ],
    },
    Interpreter {
        name: "perl",
        options: &["-e", "-E"],
        deletes: &["rmtree", "remove_tree"],
    },
    Interpreter {
        name: "php",
        options: &["-r"],
        deletes: &[
            "File::deleteDirectory",
            "->deleteDirectory",
            "->cleanDirectory",
        ],
    },
];

/// Ways in which an interpreter's program runs another one.
pub(super) const SHELL_CALLS: &[&str] =
    &["system", "subprocess", "popen", "exec", "spawn", "`", "%x"];

/// Deletions that such a call may hold.
pub(super) const SHELLED_DELETES: &[&str] = &[
    "rm -rf",
    "rm -fr",
    "rm -r ",
    "'rm', '-",
    "\"rm\", \"-",
    "rm --recursive",
];

/// Global options of programs that take the next word, so that the verb behind them is found.
pub(super) static VALUED: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
        ],
    ),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--kubeconfig",
            "--cluster",
            "--user",
            "-s",
            "--server",
            "-l",
            "-f",
        ],
    ),
    (
        "helm",
        &["-n", "--namespace", "--kube-context", "--kubeconfig"],
    ),
    (
        "docker",
        &[
            "-H",
            "--host",
            "--context",
            "-c",
            "--config",
            "-l",
            "--log-level",
            "-f",
            "--file",
            "-p",
            "--project-name",
        ],
    ),
    ("docker-compose", &["-f", "--file", "-p", "--project-name"]),
    ("podman", &["--connection", "-c", "--url"]),
    (
        "aws",
        &["--profile", "--region", "--endpoint-url", "--output"],
    ),
    ("gcloud", &["--project", "--account", "--configuration"]),
    ("gsutil", &["-o", "-u"]),
    (
        "npm",
        &[
            "--prefix",
            "-w",
            "--workspace",
            "--registry",
            "--otp",
            "--tag",
            "-C",
        ],
    ),
    ("pnpm", &["--filter", "-F", "-C", "--dir"]),
    (
        "cargo",
        &["--manifest-path", "-p", "--package", "--config", "-C"],
    ),
    ("alembic", &["-c", "-n", "-x", "--config", "--name"]),
    ("pulumi", &["-C", "--cwd", "-s", "--stack"]),
    ("make", &["-C", "-f", "-j"]),
];
