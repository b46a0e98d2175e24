//! What is known about programs: the reviewed part of the command classifier, all data.

use super::Tier;
use super::Tier::{Destructive as D, Risky as R};

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

/// Shell calls inside an interpreter's program.
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

/// A call that is worth a word by its verbs and options alone.
pub(super) struct Rule {
    pub(super) program: &'static str,
    /// Leading operands; `a|b` are alternatives, a trailing `*` stands for any ending.
    pub(super) verbs: &'static [&'static str],
    /// One of these options must be given; none needed when empty.
    pub(super) with: &'static [&'static str],
    /// Any of these options makes it harmless.
    pub(super) unless: &'static [&'static str],
    pub(super) tier: Tier,
}

const fn rule(
    program: &'static str,
    verbs: &'static [&'static str],
    with: &'static [&'static str],
    unless: &'static [&'static str],
    tier: Tier,
) -> Rule {
    Rule {
        program,
        verbs,
        with,
        unless,
        tier,
    }
}

const DRY: &[&str] = &["-n", "--dry-run"];
const DRY_LONG: &[&str] = &["--dry-run", "--help"];

/// Every rule that matches counts; the worst decides.
pub(super) static RULES: &[Rule] = &[
    rule("git", &["clean"], &["-f", "--force"], DRY, D),
    rule(
        "git",
        &["filter-branch|filter-repo"],
        &[],
        &["--analyze"],
        D,
    ),
    rule("git", &["reflog", "expire|delete"], &[], DRY, D),
    rule(
        "git",
        &["switch"],
        &["-f", "--force", "--discard-changes"],
        &[],
        D,
    ),
    rule("git", &["read-tree"], &["--reset"], &["-n"], D),
    rule("git", &["stash", "drop|clear"], &[], &[], R),
    rule(
        "git",
        &["rebase"],
        &[],
        &[
            "--abort",
            "--continue",
            "--skip",
            "--quit",
            "--edit-todo",
            "--show-current-patch",
        ],
        R,
    ),
    rule("git", &["branch"], &["-D"], &[], R),
    rule("git", &["branch"], &["-f", "--force"], &[], R),
    rule(
        "git",
        &["checkout-index"],
        &["-f", "-a", "--force", "--all"],
        &[],
        R,
    ),
    rule(
        "git",
        &["tag"],
        &["-d", "--delete", "-f", "--force"],
        &[],
        R,
    ),
    rule("git", &["update-ref"], &["-d"], &[], R),
    rule("git", &["worktree", "remove"], &["-f", "--force"], &[], R),
    rule("git", &["submodule", "deinit"], &[], &[], R),
    rule("git", &["gc"], &["--prune=now", "--prune=all"], &[], R),
    rule("git", &["prune"], &[], DRY, R),
    rule("git", &["rm"], &["-r"], &["-n", "--dry-run", "--cached"], R),
    rule("terraform|tofu|terragrunt", &["destroy"], &[], &[], D),
    rule(
        "terraform|tofu|terragrunt",
        &["apply"],
        &["-destroy"],
        &[],
        D,
    ),
    rule(
        "terraform|tofu|terragrunt",
        &["state|workspace", "rm|delete"],
        &[],
        &["-dry-run"],
        D,
    ),
    rule("pulumi", &["destroy"], &[], &["--preview-only"], D),
    rule(
        "cdk|cdktf|sst|serverless|sls",
        &["destroy|remove"],
        &[],
        &[],
        D,
    ),
    rule("kubectl|oc", &["delete"], &[], DRY_LONG, D),
    rule("kubectl|oc", &["drain"], &[], DRY_LONG, R),
    rule("kubectl|oc", &["replace"], &["--force"], DRY_LONG, R),
    rule("helm", &["uninstall|delete|del"], &[], DRY_LONG, D),
    rule("docker|podman", &["system|volume", "prune"], &[], &[], D),
    rule("docker|podman", &["volume", "rm|remove"], &[], &[], D),
    rule(
        "docker|podman",
        &["compose", "down|rm"],
        &["-v", "--volumes"],
        &[],
        D,
    ),
    rule(
        "docker-compose|podman-compose",
        &["down|rm"],
        &["-v", "--volumes"],
        &[],
        D,
    ),
    rule(
        "docker|podman",
        &["image|container|network|builder|buildx", "prune"],
        &[],
        &[],
        R,
    ),
    rule(
        "docker|podman",
        &["rm|rmi|kill"],
        &["-f", "--force"],
        &[],
        R,
    ),
    rule("docker|podman", &["push"], &[], &[], R),
    rule("aws", &["s3", "rm"], &["--recursive"], &["--dryrun"], D),
    rule("aws", &["s3", "rb"], &[], &[], D),
    rule("aws", &["s3", "sync"], &["--delete"], &["--dryrun"], R),
    rule(
        "aws",
        &["*", "delete-*|terminate-*|purge-*|deregister-*"],
        &[],
        &["--dry-run"],
        D,
    ),
    rule("gsutil", &["rm"], &["-r", "-R"], &[], D),
    rule("gsutil", &["rb"], &[], &[], D),
    rule("gcloud|az", &["*", "delete"], &[], &[], D),
    rule("gcloud|az", &["*", "*", "delete"], &[], &[], D),
    rule("gcloud|az", &["*", "*", "*", "delete"], &[], &[], D),
    rule("gcloud", &["storage", "rm"], &["-r", "--recursive"], &[], D),
    rule(
        "rclone",
        &["purge|delete|sync"],
        &[],
        &["--dry-run", "-n"],
        D,
    ),
    rule(
        "doctl|linode-cli|flyctl|fly|heroku|vercel|netlify|railway",
        &["*destroy|delete|remove|rm|*:destroy|*:delete"],
        &[],
        &[],
        D,
    ),
    rule(
        "doctl|flyctl|fly|linode-cli",
        &["*", "destroy|delete"],
        &[],
        &[],
        D,
    ),
    rule(
        "gh",
        &["repo|release|run|secret|ssh-key|variable", "delete"],
        &[],
        &[],
        D,
    ),
    rule("gh", &["release", "create"], &[], &[], R),
    rule("alembic", &["downgrade"], &[], &["--sql"], D),
    rule("flyway", &["clean|undo"], &[], &[], D),
    rule("liquibase", &["rollback*|drop-all|dropAll"], &[], &[], D),
    rule(
        "rails|rake",
        &[
            "db:drop*|db:reset|db:rollback|db:migrate:reset|db:migrate:down|db:schema:load|db:purge|db:truncate_all",
        ],
        &[],
        &[],
        D,
    ),
    rule("prisma", &["migrate", "reset"], &[], &[], D),
    rule(
        "prisma",
        &["db", "push"],
        &["--force-reset", "--accept-data-loss"],
        &[],
        D,
    ),
    rule(
        "sequelize|sequelize-cli",
        &["db:drop|db:migrate:undo*"],
        &[],
        &[],
        D,
    ),
    rule("knex", &["migrate:rollback|migrate:down"], &[], &[], D),
    rule("typeorm", &["schema:drop|migration:revert"], &[], &[], D),
    rule("supabase", &["db", "reset"], &[], &[], D),
    rule(
        "manage.py|django-admin",
        &["flush|reset_db|sqlflush"],
        &[],
        &[],
        D,
    ),
    rule(
        "manage.py|django-admin",
        &["migrate", "*", "zero"],
        &[],
        &["--plan"],
        D,
    ),
    rule(
        "php",
        &[
            "artisan",
            "migrate:fresh|migrate:reset|migrate:rollback|migrate:refresh|db:wipe",
        ],
        &[],
        &["--pretend"],
        D,
    ),
    rule(
        "diesel",
        &["database|migration", "reset|revert|redo"],
        &[],
        &[],
        D,
    ),
    rule(
        "sqlx",
        &["database|migrate|db", "drop|reset|revert"],
        &[],
        &[],
        D,
    ),
    rule(
        "ecto|mix",
        &["ecto.drop|ecto.reset|ecto.rollback"],
        &[],
        &[],
        D,
    ),
    rule("goose|migrate", &["down*|reset|drop"], &[], &[], D),
    rule("goose|migrate", &["*", "*", "down*|reset"], &[], &[], D),
    rule("dropdb|dropuser", &[], &[], &["--help"], D),
    rule(
        "redis-cli",
        &["flushall|flushdb|FLUSHALL|FLUSHDB"],
        &[],
        &[],
        D,
    ),
    rule("mysqladmin", &["drop"], &[], &[], D),
    rule(
        "npm|pnpm|yarn|bun|vsce|ovsx|lerna",
        &["publish"],
        &[],
        DRY_LONG,
        R,
    ),
    rule("npm|pnpm|yarn", &["npm", "publish"], &[], DRY_LONG, R),
    rule("npm|pnpm", &["unpublish"], &[], DRY_LONG, D),
    rule("npm|pnpm", &["deprecate"], &[], DRY_LONG, R),
    rule("cargo", &["publish"], &[], &["-n", "--dry-run"], R),
    rule("cargo", &["yank"], &[], &[], R),
    rule("cargo", &["clean"], &[], &[], Tier::Plain),
    rule("twine|flit", &["upload|publish"], &[], &[], R),
    rule(
        "poetry|uv|hatch|pdm|maturin",
        &["publish|upload"],
        &[],
        DRY_LONG,
        R,
    ),
    rule("gem", &["push|yank"], &[], &[], R),
    rule("mvn|mvnw|gradle|gradlew", &["deploy|publish"], &[], &[], R),
    rule("dotnet", &["nuget", "push|delete"], &[], &[], R),
    rule(
        "goreleaser",
        &["release"],
        &[],
        &["--snapshot", "--skip-publish"],
        R,
    ),
    rule(
        "rsync",
        &[],
        &[
            "--delete",
            "--delete-after",
            "--delete-before",
            "--delete-during",
            "--delete-excluded",
            "--remove-source-files",
        ],
        DRY,
        R,
    ),
    rule("crontab", &[], &["-r"], &[], D),
    rule("shutdown|reboot|halt|poweroff", &[], &[], &[], R),
    rule("systemctl", &["poweroff|reboot|halt"], &[], &[], R),
    rule("zfs|zpool", &["destroy"], &[], &["-n"], D),
    rule("lvremove|vgremove|pvremove", &[], &[], &[], D),
    rule("btrfs", &["subvolume", "delete"], &[], &[], D),
    rule(
        "apt|apt-get|dnf|yum|brew|pacman",
        &["purge|autoremove"],
        &[],
        &["-s", "--dry-run"],
        R,
    ),
    rule("userdel|groupdel", &[], &[], &[], R),
    rule("chattr", &[], &["-R"], &[], R),
    rule("hdfs|hadoop", &["*"], &["-rmr", "-skipTrash"], &[], D),
    rule(
        "vault",
        &["kv|secrets", "destroy|delete|disable"],
        &[],
        &[],
        D,
    ),
    rule("etcdctl", &["del"], &["--prefix", "--from-key"], &[], D),
    rule("kafka-topics|kafka-topics.sh", &[], &["--delete"], &[], D),
];
