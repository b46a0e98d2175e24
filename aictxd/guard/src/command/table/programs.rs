//! What is searched for in programs for interpreters.

/// Interpreters, the options behind which a program stands, and what in it deletes trees.
pub(in super::super) struct Interpreter {
    pub(in super::super) name: &'static str,
    pub(in super::super) options: &'static [&'static str],
    pub(in super::super) deletes: &'static [&'static str],
}

/// What deletes a tree in programs for Node and what takes its modules.
const NODE_DELETES: &[&str] = &[
    "rmSync(",
    "rmdirSync(",
    "fs.rm(",
    "'rimraf'",
    "\"rimraf\"",
    "rimraf(",
];

pub(in super::super) static INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        name: "python",
        options: &["-c"],
        deletes: &[
            "rmtree(",
            "import rmtree",
            "removedirs(",
            "rmdir_r(",
            "rm_rf(",
        ],
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
            "'rimraf'",
            "\"rimraf\"",
            "rimraf(",
            "promises.rm(",
            "removeSync(",
            "emptyDirSync(",
            "emptyDir(",
        ],
    },
    Interpreter {
        name: "bun",
        options: &["-e", "--eval"],
        deletes: NODE_DELETES,
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
        name: "Rscript",
        options: &["-e"],
        deletes: &["unlink("],
    },
    Interpreter {
        name: "lua",
        options: &["-e"],
        deletes: &["rmtree(", "removedir("],
    },
    Interpreter {
        name: "go",
        options: &[],
        deletes: &["os.RemoveAll("],
    },
    Interpreter {
        name: "tclsh",
        options: &[],
        deletes: &["file delete -force"],
    },
    Interpreter {
        name: "nodejs",
        options: &["-e", "--eval", "-p", "--print"],
        deletes: &[
            "rmSync(",
            "rmdirSync(",
            "fs.rm(",
            "'rimraf'",
            "\"rimraf\"",
            "rimraf(",
            "promises.rm(",
            "removeSync(",
        ],
    },
    Interpreter {
        name: "swift",
        options: &["-e"],
        deletes: &["removeItem("],
    },
    Interpreter {
        name: "java",
        options: &[],
        deletes: &["deleteDirectory(", "deleteRecursively("],
    },
    Interpreter {
        name: "kotlin",
        options: &["-e"],
        deletes: &["deleteRecursively("],
    },
    Interpreter {
        name: "elixir",
        options: &["-e", "--eval"],
        deletes: &["File.rm_rf"],
    },
    Interpreter {
        name: "zx",
        options: &["-e", "--eval"],
        deletes: &["rmSync(", "fs.rm(", "fs.remove("],
    },
    Interpreter {
        name: "ts-node",
        options: &["-e", "--eval"],
        deletes: NODE_DELETES,
    },
    Interpreter {
        name: "tsx",
        options: &["-e", "--eval"],
        deletes: NODE_DELETES,
    },
    Interpreter {
        name: "groovy",
        options: &["-e"],
        deletes: &["deleteDir(", "deleteDirectory("],
    },
    Interpreter {
        name: "jshell",
        options: &[],
        deletes: &["deleteDirectory(", "deleteRecursively("],
    },
    Interpreter {
        name: "scala",
        options: &["-e"],
        deletes: &["deleteRecursively(", "deleteDirectory(", "os.remove.all("],
    },
    Interpreter {
        name: "clojure",
        options: &["-e", "--eval", "-M"],
        deletes: &["delete-tree", "delete-dir"],
    },
    Interpreter {
        name: "bb",
        options: &["-e", "--eval"],
        deletes: &["delete-tree", "delete-dir"],
    },
    Interpreter {
        name: "julia",
        options: &["-e", "-E"],
        deletes: &[],
    },
    Interpreter {
        name: "ghc",
        options: &["-e"],
        deletes: &["removeDirectoryRecursive", "removePathForcibly"],
    },
    Interpreter {
        name: "R",
        options: &["-e"],
        deletes: &["unlink("],
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
pub(in super::super) const SHELL_CALLS: &[&str] = &[
    "system",
    "subprocess",
    "popen",
    "exec",
    "spawn",
    "`",
    "%x",
    "passthru",
    "proc_open",
    "Open3",
    "Bun.$",
    "$`",
    "Deno.Command",
    "Process.run",
    "do shell script",
    "Popen",
    "start_process",
    "call-process",
    "(shell ",
    "(sh ",
    "shell-command",
];

/// Calls that empty a database or delete many of its rows; without blanks.
pub(in super::super) const ROW_DELETES: &[&str] = &[
    ".objects.all().delete(",
    ".objects.all()._raw_delete(",
    ".delete_all",
    ".destroy_all",
    "drop_all(",
    "dropDatabase(",
    ".drop_database(",
    ".drop_collection(",
    ".flushall(",
    ".flushdb(",
    ".flushAll(",
    ".flushDb(",
    ".flush_all(",
    "deleteMany({})",
    "deleteMany()",
    "delete_many({})",
    ".remove({})",
    "destroy({where:{}",
    "truncate:true",
    "sync({force:true})",
    "sequelize.drop(",
    "synchronize(true)",
    ".dropSchema(",
    ".dropTable(",
    ".dropAllTables(",
    ".deleteAll(",
    ").del()",
    "Schema::drop",
    "drop_table",
    ".truncate()",
    "::truncate()",
    "query()->delete()",
    ".query.delete()",
    ".query(User).delete()",
    "Repo.delete_all",
    "call_command('flush'",
    "call_command(\"flush\"",
    "call_command('reset_db'",
    "Artisan::call('migrate:fresh'",
    "Artisan::call('db:wipe'",
    "Rake::Task['db:drop']",
    "Rake::Task[\"db:drop\"]",
    "indices.delete(",
    "delete_by_query(",
    "collection.drop()",
    "purge_database(",
];

/// Ways to list many files.
pub(in super::super) const LISTINGS: &[&str] = &[
    "listdir",
    "glob",
    "walk(",
    "iterdir",
    "scandir",
    "readdir",
    "Dir[",
    "opendir",
    "rglob",
    "Dir.each",
    "Dir.children",
    "list.files",
    "<*",
    "contentsOfDirectory",
    "WalkDir",
    "filepath.Walk",
];

/// Ways to delete a file, the name behind them.
pub(in super::super) const UNLINKS: &[&str] = &[
    "os.remove(",
    "os.Remove(",
    "(os.remove,",
    "os.unlink(",
    "(os.unlink,",
    ".unlink(",
    "unlink ",
    "unlink(",
    "unlinkSync(",
    "File.delete(",
    "File.delete ",
    "File.unlink(",
    "fs.unlink(",
    "rm_f",
    "FileUtils.rm(",
    "FileUtils.rm ",
    "\"unlink\"",
    "'unlink'",
    "Deno.remove",
    "file.remove(",
    "Files.delete(",
    "Files.deleteIfExists(",
    "file delete ",
    "rmSync(",
    "removeItem(",
    "delete-file ",
];

/// Ways to fetch text.
pub(in super::super) const FETCHES: &[&str] = &[
    "urlopen",
    "requests.get",
    "fetch(",
    "Net::HTTP",
    "open-uri",
    "http.get",
    "https.get",
    "httpx.get",
    "LWP::",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "urllib",
    "socket.create_connection",
    ".recv(",
    "URI.open",
    "axios.get",
];

/// Ways to run text as a program.
pub(in super::super) const EVALUATIONS: &[&str] = &[
    "exec(",
    "eval(",
    "(eval)",
    "compile(",
    "Function(",
    "instance_eval",
    "runInThisContext(",
    "eval ",
];

/// Connections that hand a shell to somebody else: the one and the other.
pub(in super::super) const SOCKETS: &[&str] = &[
    "socket",
    "net.connect",
    "TCPSocket",
    "fsockopen",
    "Socket(",
    "/inet/tcp/",
];
/// See [`SOCKETS`].
pub(in super::super) const HANDED_OVER: &[&str] =
    &["/bin/sh", "/bin/bash", "pty.spawn", "cmd.exe", "dup2("];

/// Requests that delete something at a service; without blanks.
pub(in super::super) const REQUESTS: &[&str] = &[
    "requests.delete(",
    "httpx.delete(",
    "axios.delete(",
    "session.delete(",
    "http.delete(",
    "got.delete(",
    "Net::HTTP::Delete",
    "RestClient.delete",
    "HTTParty.delete",
    "Faraday.delete",
    "method:'DELETE'",
    "method:\"DELETE\"",
    "method='DELETE'",
    "method=\"DELETE\"",
    "request('DELETE'",
    "request(\"DELETE\"",
    "'DELETE','http",
    "\"DELETE\",\"http",
    "CURLOPT_CUSTOMREQUEST,'DELETE'",
    ".delete('http",
    ".delete(\"http",
];

/// Libraries that talk to clouds, and their calls that delete.
pub(in super::super) const SERVICES: &[&str] = &[
    "boto3",
    "google.cloud",
    "googleapiclient",
    "azure.",
    "kubernetes",
    "@aws-sdk",
    "aws-sdk",
    "Aws::",
    "@google-cloud",
    "pymongo",
    "elasticsearch",
    "stripe",
    "github",
    "Octokit",
    "octokit",
    "openstack",
    "digitalocean",
    "firebase_admin",
    "firebase-admin",
    "paramiko",
];
/// See [`SERVICES`].
pub(in super::super) const SERVICE_DELETES: &[&str] = &[
    ".delete(",
    ".delete_",
    ".deleteObject",
    ".deleteBucket",
    ".terminate",
    ".purge",
    ".destroy(",
    ".drop(",
    ".drop_",
    ".remove(",
    ".del(",
];

/// Ways to make a directory of one's own.
pub(in super::super) const TEMPORARY_MAKERS: &[&str] = &[
    "mkdtemp",
    "TemporaryDirectory",
    "tmpdir",
    "gettempdir",
    "tempdir",
    "mkstemp",
    "NamedTemporaryFile",
    "Tempfile",
    "MkdirTemp",
    "tempfile",
];
