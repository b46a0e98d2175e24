//! Tables of programs. Calls that are known by verbs and options stand in
//! `table/rules.txt`.

use aictx_shell::ByName;

mod interpreters;
mod known;
mod programs;
mod rules;

pub(super) use interpreters::*;
pub(super) use known::{Program, nobody, program};
pub(super) use programs::*;
pub(super) use rules::{Rule, Rules};

/// Programs whose words are data: nothing is run or written because of what they say.
const DATA: &[&str] = &[
    "echo",
    "printf",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "jq",
    "yq",
    "cat",
    "bat",
    "less",
    "more",
    "head",
    "tail",
    "ls",
    "man",
    "which",
    "type",
    "diff",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "test",
    "[",
    "[[",
    "export",
    "local",
    "declare",
    "alias",
    "cd",
    "pwd",
    "sleep",
    "true",
    "false",
    ":",
    "for",
    "case",
    "select",
    "in",
    // Of zsh and fish.
    "print",
    "string",
    "math",
    "count",
    "contains",
    "set_color",
];

/// In which lists a program stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits(u16);

impl Traits {
    /// Its words are only data.
    pub(super) const DATA: Self = Self(1);
    /// It sends to other machines.
    pub(super) const SENDS: Self = Self(2);
    /// Its operands are files, tests or names of people's own.
    pub(super) const NAMES: Self = Self(4);
    /// Arguments behind its `--` are for the project's own program.
    pub(super) const OWN: Self = Self(8);
    /// It runs the statements it is given.
    pub(super) const SQL: Self = Self(16);
    /// PowerShell or `cmd` know it.
    pub(super) const WINDOWS: Self = Self(32);

    /// It is handed command lines as values.
    pub(super) const HANDED: Self = Self(64);
    /// It is a shell.
    pub(super) const SHELL: Self = Self(128);
    /// It deletes or wipes.
    pub(super) const DELETES: Self = Self(256);

    /// Those that tell nothing of what its words are.
    const OTHERS: u16 = Self::HANDED.0 | Self::SHELL.0 | Self::DELETES.0;

    /// Returns true if it stands in any list that tells what its words are.
    pub(super) fn any(self) -> bool {
        self.0 & !Self::OTHERS != 0
    }

    /// Returns true if it stands in the list of `other`.
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The lists that hold each program.
fn traits() -> ByName<Traits> {
    let mut map: ByName<Traits> = ByName::default();
    let windows: Vec<&str> = super::windows::names().collect();
    let handed: Vec<&str> = super::command_valued_options::names().collect();
    for (names, traits) in [
        (DATA, Traits::DATA),
        (super::secrets::SENDERS, Traits::SENDS),
        (super::verb_heuristics::NAMES, Traits::NAMES),
        (super::unknown_wrapper::OWN, Traits::OWN),
        (SQL_CLIENTS, Traits::SQL),
        (windows.as_slice(), Traits::WINDOWS),
        (handed.as_slice(), Traits::HANDED),
        (aictx_shell::SHELLS, Traits::SHELL),
        (super::delete::PROGRAMS, Traits::DELETES),
        (SHREDDERS, Traits::DELETES),
        (FORMATTERS, Traits::DELETES),
    ] {
        for name in names {
            map.entry(name).or_default().0 |= traits.0;
        }
    }
    map
}

/// Programs that fetch from elsewhere.
pub(super) const DOWNLOADERS: &[&str] = &[
    "curl",
    "wget",
    "fetch",
    "http",
    "https",
    "aria2c",
    "xh",
    "httpie",
    "lynx",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "iwr",
    "irm",
    "Invoke-WebRequest",
    "Invoke-RestMethod",
];

/// Programs that turn data into something that cannot be read from the line.
pub(super) const DECODERS: &[&str] = &[
    "base64", "base32", "xxd", "openssl", "gpg", "gunzip", "zcat", "uudecode", "rev",
];

/// Directories that a build or installation makes again.
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
    ".output",
    ".vite",
    ".astro",
    ".docusaurus",
    ".expo",
    ".dart_tool",
    ".terraform",
    ".build",
    ".cache",
    ".nyc_output",
    ".ipynb_checkpoints",
    ".sass-cache",
    ".stack-work",
    ".zig-cache",
    "zig-cache",
    "zig-out",
    "dist-newstyle",
    "elm-stuff",
    "storybook-static",
    "playwright-report",
    "test-results",
    "coverage",
    "DerivedData",
    "Pods",
    "obj",
    "_build",
    "_site",
    ".pytype",
    ".yarn-cache",
    ".pnpm-store",
    ".webpack",
    ".rollup.cache",
    "tmp",
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
pub(super) const REGENERABLE_FILES: &[&str] = &[
    "*.pyc",
    "*.pyo",
    "*.class",
    "*.o",
    "*.obj",
    "*.gcda",
    "*.gcno",
    "*.log",
    "*.tmp",
    "*.temp",
    "*.swp",
    "*.orig",
    "*.rej",
    "*.tsbuildinfo",
    "*~",
    ".DS_Store",
    "Thumbs.db",
    ".coverage",
    ".eslintcache",
    "coverage.xml",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lockb",
    "npm-debug.log",
];

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
    "mke2fs",
    "mkdosfs",
    "mkntfs",
    "mkfatfs",
];

/// Programs that overwrite what they delete.
pub(super) const SHREDDERS: &[&str] = &["shred", "srm", "wipe"];

/// Clients that run the statements they are given.
pub(super) const SQL_CLIENTS: &[&str] = &[
    "psql",
    "db2",
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
    "cypher-shell",
    "litecli",
    "trino",
    "presto",
    "beeline",
    "hive",
    "spark-sql",
    "impala-shell",
    "vsql",
    "edgedb",
    "surreal",
    "mssql-cli",
    "Invoke-Sqlcmd",
    "invoke-sqlcmd",
    "influx",
];

/// The global options of a program that take the next word.
pub(super) fn valued(program: &str) -> &'static [&'static str] {
    VALUED
        .iter()
        .find(|(known, _)| *known == program)
        .map_or(&[], |(_, options)| options)
}

/// Global options of programs that take the next word, so that the verb behind them is found.
static VALUED: &[(&str, &[&str])] = &[
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
    (
        "redis-cli",
        &["-n", "-h", "-p", "-a", "-u", "-s", "--user", "--pass"],
    ),
    ("terraform", &["-chdir"]),
    ("gh", &["-R", "--repo", "--hostname"]),
    ("heroku", &["-a", "--app", "-r", "--remote"]),
    ("fly", &["-a", "--app", "-c", "--config"]),
    ("flyctl", &["-a", "--app", "-c", "--config"]),
    ("az", &["--subscription", "-o", "--output"]),
    ("oc", &["-n", "--namespace", "--context"]),
    ("systemctl", &["-H", "-M", "--host"]),
    ("dotnet", &["--project"]),
    ("mvn", &["-f", "-pl", "-P", "-s"]),
    ("gradle", &["-p", "-b", "-x"]),
    ("goose", &["-dir"]),
    (
        "migrate",
        &["-path", "-database", "-source", "--path", "--database"],
    ),
    ("vercel", &["--token", "-t", "--scope", "-S", "--cwd"]),
    ("wrangler", &["-c", "--config", "-e", "--env"]),
    ("firebase", &["-P", "--project", "--token"]),
    ("prisma", &["--schema"]),
    ("hg", &["-R", "--cwd", "--config"]),
    ("vault", &["-address", "-namespace"]),
    ("helmfile", &["-f", "-e", "-l"]),
    ("svn", &["--username", "--password"]),
];
