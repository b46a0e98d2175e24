//! Interpreters: where their programs stand on a command line, and what in them deletes trees.

/// An interpreter, the options behind which a program stands, and what in it deletes trees.
#[derive(Debug)]
pub(in super::super) struct Interpreter {
    pub(in super::super) name: &'static str,
    pub(in super::super) options: &'static [&'static str],
    pub(in super::super) deletes: &'static [&'static str],
}

/// Calls that delete a tree in programs for Node and what takes its modules.
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
            "sh.rm(",
            "rmtree as ",
        ],
    },
    Interpreter {
        name: "rust-script",
        options: &["-e", "--expr"],
        deletes: &["remove_dir_all("],
    },
    Interpreter {
        name: "vim",
        options: &[],
        deletes: &["call delete(", "fn.delete("],
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
            "fs.remove(",
            "fse.remove(",
            "require('del')",
            "require(\"del\")",
            "from 'del'",
            "from \"del\"",
            "shelljs').rm(",
            "shelljs\").rm(",
            "shell.rm(",
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
        // With what is deleted behind them: the names alone stand in patterns and imports.
        deletes: &[
            "rmtree(",
            "rmtree ",
            "rmtree'",
            "rmtree\"",
            "rmtree$",
            "rmtree@",
            "remove_tree(",
            "remove_tree ",
            "remove_tree'",
            "remove_tree\"",
            "remove_tree$",
            "remove_tree@",
        ],
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
        options: &["-e", "--eval"],
        deletes: &["delete-tree", "delete-dir"],
    },
    Interpreter {
        name: "bb",
        options: &["-e", "--eval"],
        deletes: &["delete-tree", "delete-dir"],
    },
    Interpreter {
        name: "kotlinc",
        options: &["-e", "-expression"],
        deletes: &["deleteRecursively("],
    },
    Interpreter {
        name: "dart",
        options: &[],
        deletes: &["recursive:true", "recursive: true"],
    },
    Interpreter {
        name: "ocaml",
        options: &["-e"],
        deletes: &["FileUtil.rm ~recurse"],
    },
    Interpreter {
        name: "guile",
        options: &["-c"],
        deletes: &["delete-file-recursively"],
    },
    Interpreter {
        name: "racket",
        options: &["-e", "--eval"],
        deletes: &["delete-directory/files"],
    },
    Interpreter {
        name: "raku",
        options: &["-e"],
        deletes: &["rmtree", "rm-rf"],
    },
    Interpreter {
        name: "crystal",
        options: &["eval"],
        deletes: &["rm_rf", "rm_r(", "rm_r "],
    },
    Interpreter {
        name: "nim",
        options: &["--eval:", "--eval", "-e"],
        deletes: &["removeDir("],
    },
    Interpreter {
        name: "sbcl",
        options: &["--eval"],
        deletes: &["delete-directory"],
    },
    Interpreter {
        name: "ecl",
        options: &["--eval", "-eval"],
        deletes: &["delete-directory"],
    },
    Interpreter {
        name: "clisp",
        options: &["-x"],
        deletes: &["delete-directory"],
    },
    Interpreter {
        name: "octave",
        options: &["--eval"],
        deletes: &["confirm_recursive_rmdir", "rmdir("],
    },
    Interpreter {
        name: "matlab",
        options: &["-batch", "-r"],
        deletes: &["rmdir("],
    },
    Interpreter {
        name: "erl",
        options: &["-eval"],
        deletes: &["del_dir_r("],
    },
    Interpreter {
        name: "janet",
        options: &["-e"],
        deletes: &["\"rm\" \"-r"],
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
            "Filesystem->remove(",
            "Filesystem)->remove(",
            "Filesystem())->remove(",
        ],
    },
];
