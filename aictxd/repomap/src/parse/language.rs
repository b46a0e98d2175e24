//! Which language a file is in, by its name and first bytes.

use std::fmt;
use std::sync::OnceLock;

use super::fact_builder::{Draft, head};
use super::languages;
use super::line_patterns;
use super::lines::Patterns;
use super::scan;
use super::table::{Spec, Table};

/// How a language is read.
pub(super) enum Reader {
    /// With a grammar.
    Tree(&'static Spec),
    /// By a scanner of its own.
    Scan(fn(&[u8], &mut Draft)),
    /// Line by line.
    Lines(&'static Patterns),
    /// What the scanner finds is in another language.
    Embedded(Find),
}

/// Finds what is written in another language.
pub(super) type Find = fn(&[u8], &mut Draft) -> Option<(Language, Vec<tree_sitter::Range>)>;

/// One language: its names and how it is read.
struct Entry {
    name: &'static str,
    /// Names of whole files, in lower case; one that ends in `*` is a beginning, one with `/` the
    /// end of a path, and one that ends in `/` a directory, for which suffixes count as well.
    files: &'static [&'static str],
    /// Suffixes, in lower case.
    suffixes: &'static [&'static str],
    /// Programs named after `#!`.
    programs: &'static [&'static str],
    reader: Reader,
}

/// A language. Two that are called the same may be read differently: `package.json` is JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const fn entry(name: &'static str, suffixes: &'static [&'static str], reader: Reader) -> Entry {
    Entry {
        name,
        files: &[],
        suffixes,
        programs: &[],
        reader,
    }
}

impl Entry {
    const fn files(self, files: &'static [&'static str]) -> Self {
        Self { files, ..self }
    }

    const fn programs(self, programs: &'static [&'static str]) -> Self {
        Self { programs, ..self }
    }
}

use Reader::{Embedded, Lines, Scan, Tree};

// Cached facts name a language by its place here: a new entry raises `super::VERSION`.
static ENTRIES: &[Entry] = &[
    // Files with a name of their own come first.
    entry("json", &[], Scan(scan::json::package)).files(&["package.json"]),
    entry("yaml", &["yml", "yaml"], Scan(scan::yaml::workflow)).files(&[
        ".github/workflows/",
        ".circleci/",
        ".gitlab-ci.yml",
    ]),
    entry("yaml", &[], Scan(scan::yaml::compose)).files(&[
        "docker-compose.yml",
        "docker-compose.yaml",
        "compose.yml",
        "compose.yaml",
    ]),
    // Languages.
    entry("rust", &["rs"], Tree(&languages::rust::SPEC)),
    entry(
        "python",
        &["py", "pyi", "pyw"],
        Tree(&languages::python::SPEC),
    )
    .files(&["sconstruct", "sconscript"])
    .programs(&["python", "pypy"]),
    entry(
        "javascript",
        &["js", "mjs", "cjs", "jsx"],
        Tree(&languages::javascript::SPEC),
    )
    .programs(&["node", "nodejs", "bun"]),
    entry(
        "typescript",
        &["ts", "mts", "cts"],
        Tree(&languages::typescript::SPEC),
    )
    .programs(&["deno", "ts-node", "tsx"]),
    entry("tsx", &["tsx"], Tree(&languages::typescript::TSX)),
    entry("go", &["go"], Tree(&languages::go::SPEC)),
    entry("c", &["c", "h"], Tree(&languages::c::SPEC)),
    entry(
        "cpp",
        &[
            "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh",
        ],
        Tree(&languages::c::CPP),
    ),
    entry("java", &["java"], Tree(&languages::java::SPEC)),
    entry("kotlin", &["kt", "kts"], Tree(&languages::kotlin::SPEC)),
    entry("csharp", &["cs", "csx"], Tree(&languages::csharp::SPEC)),
    entry(
        "ruby",
        &["rb", "rake", "gemspec", "ru"],
        Tree(&languages::ruby::SPEC),
    )
    .files(&[
        "rakefile",
        "gemfile",
        "guardfile",
        "vagrantfile",
        "podfile",
        "brewfile",
        "fastfile",
    ])
    .programs(&["ruby", "jruby"]),
    entry(
        "php",
        &["php", "phtml", "php5"],
        Tree(&languages::php::SPEC),
    )
    .programs(&["php"]),
    entry("swift", &["swift"], Tree(&languages::swift::SPEC)).programs(&["swift"]),
    entry(
        "scala",
        &["scala", "sc", "sbt"],
        Tree(&languages::scala::SPEC),
    )
    .programs(&["scala"]),
    entry("lua", &["lua"], Tree(&languages::lua::SPEC)).programs(&["lua", "luajit"]),
    entry(
        "bash",
        &["sh", "bash", "zsh", "ksh", "bats"],
        Tree(&languages::bash::SPEC),
    )
    .files(&[
        ".bashrc",
        ".bash_profile",
        ".zshrc",
        ".profile",
        "pkgbuild",
        "configure.ac",
    ])
    .programs(&["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"]),
    entry("elixir", &["ex", "exs"], Tree(&languages::elixir::SPEC)).programs(&["elixir"]),
    entry("haskell", &["hs"], Tree(&languages::haskell::SPEC)).programs(&["runhaskell", "stack"]),
    entry("ocaml", &["mli"], Tree(&languages::ocaml::INTERFACE)),
    entry("ocaml", &["ml"], Tree(&languages::ocaml::SPEC)).programs(&["ocaml"]),
    entry("zig", &["zig", "zon"], Tree(&languages::zig::SPEC)),
    entry("dart", &["dart"], Tree(&languages::dart::SPEC)).programs(&["dart"]),
    entry("r", &["r"], Tree(&languages::r::SPEC))
        .files(&[".rprofile"])
        .programs(&["rscript", "r"]),
    entry("julia", &["jl"], Tree(&languages::julia::SPEC)).programs(&["julia"]),
    entry("hcl", &["tf", "hcl", "tfvars"], Tree(&languages::hcl::SPEC)),
    entry("proto", &["proto"], Tree(&languages::proto::SPEC)),
    // Formats.
    entry(
        "markdown",
        &["md", "markdown", "mdx", "mkd"],
        Scan(scan::prose::markdown),
    ),
    entry("restructuredtext", &["rst"], Scan(scan::prose::rst)),
    entry(
        "asciidoc",
        &["adoc", "asciidoc"],
        Scan(scan::prose::asciidoc),
    ),
    entry(
        "json",
        &["json", "jsonc", "json5", "webmanifest"],
        Scan(scan::json::read),
    ),
    entry("toml", &["toml"], Scan(scan::toml::read)).files(&["pipfile"]),
    entry("ini", &["ini", "cfg"], Scan(scan::toml::read)).files(&[
        ".editorconfig",
        ".gitconfig",
        ".gitmodules",
    ]),
    entry("yaml", &["yaml", "yml"], Scan(scan::yaml::read)).files(&[".clang-format"]),
    entry("css", &["css"], Scan(scan::style::read)),
    entry("scss", &["scss", "sass", "less"], Scan(scan::style::read)),
    entry(
        "html",
        &["html", "htm", "xhtml"],
        Embedded(scan::markup::html),
    ),
    entry(
        "xml",
        &[
            "xml", "csproj", "fsproj", "vbproj", "props", "targets", "xsd", "plist",
        ],
        Scan(scan::markup::xml),
    ),
    entry("vue", &["vue"], Embedded(scan::markup::component)),
    entry("svelte", &["svelte"], Embedded(scan::markup::component)),
    entry("astro", &["astro"], Embedded(scan::markup::astro)),
    entry("makefile", &["mk", "mak", "just"], Scan(scan::build::make))
        .files(&["makefile*", "gnumakefile", "justfile", ".justfile"])
        .programs(&["make", "just"]),
    entry("dockerfile", &["dockerfile"], Scan(scan::build::docker))
        .files(&["dockerfile*", "containerfile*"]),
    entry("cmake", &["cmake"], Scan(scan::build::cmake)).files(&["cmakelists.txt"]),
    // Line by line.
    entry("sql", &["sql", "ddl", "pgsql"], Lines(&line_patterns::SQL)),
    entry(
        "graphql",
        &["graphql", "gql", "graphqls"],
        Lines(&line_patterns::GRAPHQL),
    ),
    entry("perl", &["pl", "pm", "t"], Lines(&line_patterns::PERL)).programs(&["perl"]),
    entry("erlang", &["erl", "hrl"], Lines(&line_patterns::ERLANG)).programs(&["escript"]),
    entry(
        "clojure",
        &["clj", "cljs", "cljc", "edn"],
        Lines(&line_patterns::CLOJURE),
    ),
    entry("nim", &["nim", "nims"], Lines(&line_patterns::NIM)),
    entry(
        "powershell",
        &["ps1", "psm1", "psd1"],
        Lines(&line_patterns::POWERSHELL),
    )
    .programs(&["pwsh"]),
    entry(
        "groovy",
        &["groovy", "gradle"],
        Lines(&line_patterns::GROOVY),
    )
    .files(&["jenkinsfile*"])
    .programs(&["groovy"]),
    entry(
        "objective-c",
        &["m", "mm"],
        Lines(&line_patterns::OBJECTIVE_C),
    ),
    entry("fish", &["fish"], Lines(&line_patterns::FISH)).programs(&["fish"]),
    entry(
        "fsharp",
        &["fs", "fsi", "fsx"],
        Lines(&line_patterns::FSHARP),
    ),
    entry(
        "fortran",
        &["f90", "f95", "f03", "f08", "f", "for"],
        Lines(&line_patterns::FORTRAN),
    ),
    entry("solidity", &["sol"], Lines(&line_patterns::SOLIDITY)),
    entry(
        "lisp",
        &["lisp", "cl", "el", "scm", "rkt"],
        Lines(&line_patterns::LISP),
    ),
    entry("nix", &["nix"], Lines(&line_patterns::NIX)),
    entry("vim", &["vim"], Lines(&line_patterns::VIM)).files(&[".vimrc"]),
    entry(
        "pascal",
        &["pas", "pp", "dpr"],
        Lines(&line_patterns::PASCAL),
    ),
    entry("tcl", &["tcl"], Lines(&line_patterns::TCL)).programs(&["tclsh"]),
    entry("awk", &["awk"], Lines(&line_patterns::AWK)).programs(&["awk", "gawk"]),
    entry("d", &["d"], Lines(&super::lines::ANY)),
    entry("crystal", &["cr"], Lines(&super::lines::ANY)),
    entry("elm", &["elm"], Lines(&line_patterns::ELM)),
    entry("thrift", &["thrift"], Lines(&line_patterns::THRIFT)),
];

const COUNT: usize = ENTRIES.len();
const _: () = assert!(COUNT <= 256, "ids are bytes");

impl Language {
    /// Every language, once for each way of reading it.
    #[allow(clippy::indexing_slicing, reason = "worked out while compiling")]
    pub const ALL: [Language; COUNT] = {
        let mut all = [Language(0); COUNT];
        let mut at = 0;
        while at < COUNT {
            all[at] = Language(at as u8);
            at += 1;
        }
        all
    };

    /// Its place in the table; the same until [`super::VERSION`] changes.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The language at a place of the table.
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) < COUNT).then_some(Self(number))
    }

    /// Its name: `rust`, `python`, `csharp`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The language called `name`; of several the usual one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().rfind(|it| it.name() == name)
    }

    /// The language of a file: by its whole name, the program that its first line names, its suffix.
    /// `head` is the start of the file, a few thousand bytes if there are as many.
    pub fn of(path: &str, head: &[u8]) -> Option<Self> {
        let path = path.to_ascii_lowercase();
        let file = path.rsplit('/').next().unwrap_or(&path);
        let suffix = file.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        let find =
            |test: &dyn Fn(&Entry) -> bool| Self::ALL.into_iter().find(|it| test(it.entry()));
        let found = find(&|entry| {
            entry.files.iter().any(|name| {
                if let Some(start) = name.strip_suffix('*') {
                    file.starts_with(start)
                } else if name.ends_with('/') {
                    let at = path.find(name);
                    at.is_some_and(|at| {
                        at == 0 || path.get(..at).is_some_and(|it| it.ends_with('/'))
                    }) && entry.suffixes.contains(&suffix)
                } else if name.contains('/') {
                    path.ends_with(name)
                } else {
                    file == *name
                }
            })
        });
        if found.is_some() {
            return found;
        }
        let by_suffix = || {
            find(&|entry| {
                !entry.files.iter().any(|it| it.ends_with('/')) && entry.suffixes.contains(&suffix)
            })
        };
        if let Some(program) = shebang(head) {
            let found = find(&|entry| {
                entry
                    .programs
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(program))
            });
            // `node` runs TypeScript too, and what ends in `.ts` is that.
            if found.is_some() && !matches!(suffix, "ts" | "mts" | "cts" | "tsx") {
                return found;
            }
        }
        match suffix {
            "" => None,
            "h" if is_cpp(head) => Self::named("cpp"),
            // Translations of Qt.
            "ts" if head.trim_ascii_start().starts_with(b"<") => Self::named("xml"),
            _ => by_suffix(),
        }
    }

    /// Returns true if it is text for people, which has long lines.
    pub(super) fn is_prose(self) -> bool {
        matches!(self.name(), "markdown" | "restructuredtext" | "asciidoc")
    }

    pub(super) fn reader(self) -> &'static Reader {
        &self.entry().reader
    }

    /// The table of a language with a grammar, made when it is first asked for.
    /// The grammar that files of this language are parsed with, where there is one.
    pub fn grammar(self) -> Option<tree_sitter::Language> {
        self.table().map(|table| table.grammar.clone())
    }

    pub(super) fn table(self) -> Option<&'static Table> {
        static TABLES: [OnceLock<Table>; COUNT] = [const { OnceLock::new() }; COUNT];
        let Reader::Tree(spec) = self.reader() else {
            return None;
        };
        let table = TABLES.get(usize::from(self.0))?;
        Some(table.get_or_init(|| Table::new(spec)))
    }

    fn entry(self) -> &'static Entry {
        // There is an entry for each: they are made of the list itself.
        static NONE: Entry = entry("", &[], Scan(|_, _| {}));
        ENTRIES.get(usize::from(self.0)).unwrap_or(&NONE)
    }
}

/// The program that a first line names: `#!/usr/bin/env -S python3.12 -u` is `python`.
fn shebang(start: &[u8]) -> Option<&str> {
    let line = start.strip_prefix(b"#!")?;
    let line = head(line, 200).split(|&c| c == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|it| !it.starts_with('-') && !it.contains('='))?;
    }
    let program = program.rsplit('/').next()?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')))
}

/// Returns true if a header is one of C++.
fn is_cpp(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head(start, 16_384));
    text.lines().any(|line| {
        let line = line.trim_start();
        let starts = |words: &[&str]| words.iter().any(|it| line.starts_with(it));
        starts(&[
            "namespace ",
            "template <",
            "template<",
            "class ",
            "public:",
            "private:",
            "protected:",
            "using ",
            "constexpr ",
            "virtual ",
            "enum class ",
            "explicit ",
            "friend ",
        ]) && !line.starts_with("class_")
            || line.starts_with("#include <") && {
                let name = line.get(10..).unwrap_or("").split('>').next().unwrap_or("");
                !name.is_empty() && !name.contains('.') && !name.contains('/')
            }
            || line.contains("std::")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, head: &str) -> &'static str {
        Language::of(path, head.as_bytes()).map_or("", Language::name)
    }

    #[test]
    fn languages() {
        assert_eq!(of("a/b.rs", ""), "rust");
        assert_eq!(of("a/B.PY", ""), "python");
        assert_eq!(of("a/tool", "#!/usr/bin/env python3\n"), "python");
        assert_eq!(of("a/tool", "#!/usr/bin/env -S node --x\n"), "javascript");
        assert_eq!(of("a/tool.ts", "#!/usr/bin/env node\n"), "typescript");
        assert_eq!(of("a/b.tsx", ""), "tsx");
        assert_eq!(of("a.h", "#ifndef A\nint a(void);\n"), "c");
        assert_eq!(of("a.h", "#include <vector>\n"), "cpp");
        assert_eq!(of("a.h", "namespace a {\n"), "cpp");
        assert_eq!(of("a.h", "#include <stdio.h>\n"), "c");
        assert_eq!(of("README.md", ""), "markdown");
        assert_eq!(of("noext", "plain"), "");
        assert_eq!(of("", ""), "");
        let package = Language::of("web/package.json", b"");
        assert_ne!(package, Language::of("web/other.json", b""));
        let ci = Language::of(".github/workflows/ci.yml", b"");
        assert_ne!(ci, Language::of("ci.yml", b""));
        assert_eq!(Language::named("json"), Language::of("a.json", b""));
    }
}
