//! Recognisers: one module a tool. Each says when it applies and what it yields.
//!
//! A new tool is a new file with one [`Recogniser`] and one entry in [`ALL`].

use aictx_proto::event::ErrorEvent;
use aictx_proto::path::{Located, locate};
use aictx_proto::text::clean;
use aictx_shell::SimpleCommand;

use crate::{Run, fingerprint};

mod collect;
mod lines;
pub(crate) mod shape;

mod biome;
mod black;
mod c_assert;
mod cmake;
mod composer;
mod csharp;
mod curl;
mod deno;
mod django;
mod docker;
mod doctest;
mod dotnet_test;
mod elixir;
mod esbuild;
mod eslint;
mod eslint_json;
mod flake8;
mod gcc;
mod generic;
mod git;
mod github;
mod go;
mod go_test;
mod golangci;
mod gradle;
mod gtest;
mod java;
mod javac;
mod jest;
mod kotlin;
mod kubectl;
mod ld;
mod lua;
mod make;
mod maven;
mod minitest;
mod mocha;
mod msvc;
mod mypy;
mod node;
mod node_test;
mod npm;
mod perl;
mod php;
mod phpcs;
mod phpunit;
mod pip;
mod playwright;
mod prettier;
mod pylint;
mod pyright;
mod pytest;
mod python;
mod rspec;
mod rubocop;
mod ruby;
mod ruff;
mod rust;
mod sanitizer;
mod shellcheck;
mod shells;
mod sql;
mod surefire;
mod swift;
mod terraform;
mod tsc;
mod vitest;
mod webpack;

pub(crate) use collect::collect;
pub(crate) use generic::{died, fallback, slipped};
pub(crate) use lines::{Finding, Lines};
pub(crate) use shape::split_location;

/// Findings of one recogniser in one stream; what comes after is not looked at, because
/// [`MAX_EVENTS`] are kept in the end.
pub(crate) const MAX_FINDINGS: usize = 64;

const MAX_MESSAGE: usize = 500;
const MAX_CODE: usize = 80;
const MAX_TEST: usize = 300;
const MAX_FILE: usize = 400;
const MAX_COMMAND: usize = 4_000;

/// One tool's recogniser.
pub(crate) struct Recogniser {
    /// Programs of a command line that make it worth reading the text.
    pub(crate) programs: &'static [&'static str],
    /// Texts one of which stands in every output that matters, in any case of letters as written
    /// here. All recognisers' are looked for in one pass, so clean output costs one pass.
    pub(crate) needles: &'static [&'static str],
    /// Reads the lines; claims those that no later recogniser should look at.
    pub(crate) read: fn(&Context, &mut Lines) -> Vec<Finding>,
}

/// All recognisers, the most specific first: what one claims, the later ones do not see.
pub(crate) static ALL: &[&Recogniser] = &[
    &pytest::RECOGNISER,
    &doctest::RECOGNISER,
    &jest::RECOGNISER,
    &vitest::RECOGNISER,
    &playwright::RECOGNISER,
    &mocha::RECOGNISER,
    &node_test::RECOGNISER,
    &go_test::RECOGNISER,
    &surefire::RECOGNISER,
    &gradle::RECOGNISER,
    &dotnet_test::RECOGNISER,
    &rspec::RECOGNISER,
    &minitest::RECOGNISER,
    &phpunit::RECOGNISER,
    &gtest::RECOGNISER,
    &cmake::RECOGNISER,
    &sanitizer::RECOGNISER,
    &c_assert::RECOGNISER,
    &github::RECOGNISER,
    &tsc::RECOGNISER,
    &pyright::RECOGNISER,
    &mypy::RECOGNISER,
    &flake8::RECOGNISER,
    &ruff::RECOGNISER,
    &pylint::RECOGNISER,
    &black::RECOGNISER,
    &pip::RECOGNISER,
    &biome::RECOGNISER,
    &eslint_json::RECOGNISER,
    &eslint::RECOGNISER,
    &prettier::RECOGNISER,
    &esbuild::RECOGNISER,
    &webpack::RECOGNISER,
    &deno::RECOGNISER,
    &rust::RECOGNISER,
    &golangci::RECOGNISER,
    &go::RECOGNISER,
    &javac::RECOGNISER,
    &maven::RECOGNISER,
    &kotlin::RECOGNISER,
    &csharp::RECOGNISER,
    &msvc::RECOGNISER,
    &swift::RECOGNISER,
    &gcc::RECOGNISER,
    &ld::RECOGNISER,
    &elixir::RECOGNISER,
    &rubocop::RECOGNISER,
    &phpcs::RECOGNISER,
    &php::RECOGNISER,
    &composer::RECOGNISER,
    &ruby::RECOGNISER,
    &shellcheck::RECOGNISER,
    &node::RECOGNISER,
    &java::RECOGNISER,
    &python::RECOGNISER,
    &npm::RECOGNISER,
    &terraform::RECOGNISER,
    &django::RECOGNISER,
    &docker::RECOGNISER,
    &kubectl::RECOGNISER,
    &sql::RECOGNISER,
    &perl::RECOGNISER,
    &lua::RECOGNISER,
    &curl::RECOGNISER,
    &git::RECOGNISER,
    &shells::RECOGNISER,
    &make::RECOGNISER,
];

/// Context of a recogniser besides the text.
pub(crate) struct Context<'a> {
    pub(crate) run: &'a Run<'a>,
    /// Directory the tool ran in, `cd` words of the command applied.
    cwd: String,
    /// Programs of the command line.
    programs: Vec<String>,
}

/// A path as a tool printed it, after resolution.
pub(crate) struct Place {
    /// Repository-relative when `local`, else as printed; empty for what is no file
    /// (`<string>`).
    pub(crate) file: String,
    /// It is the repository's own code.
    pub(crate) local: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(run: &'a Run<'a>) -> Self {
        let script = aictx_shell::parse(run.command);
        let dir = script
            .commands
            .iter()
            .rev()
            .find_map(|command| command.dir.as_deref().filter(|dir| !dir.is_empty()));
        let cwd = match dir {
            Some(dir) if dir.starts_with('/') => dir.to_owned(),
            Some(dir) if !dir.starts_with('~') && !run.cwd.is_empty() => {
                format!("{}/{dir}", run.cwd)
            }
            _ => run.cwd.to_owned(),
        };
        let programs = script.commands.iter().map(program).collect();
        Self { run, cwd, programs }
    }

    /// Returns true if the command line runs one of these programs (`python -m x` counts as `x` too).
    pub(crate) fn runs(&self, names: &[&str]) -> bool {
        self.programs.iter().any(|program| {
            program
                .split(' ')
                .any(|part| names.iter().any(|name| is_version_of(part, name)))
        })
    }

    /// The program that the command line runs, where it is one.
    pub(crate) fn program(&self) -> Option<&str> {
        match self.programs.as_slice() {
            [program] if !program.is_empty() => Some(program),
            _ => None,
        }
    }

    /// Resolves a path printed by a tool.
    pub(crate) fn place(&self, raw: &str) -> Place {
        let raw = without_scheme(raw.trim());
        let pseudo = raw.starts_with(['<', '[', '(']) && !raw.contains('/');
        // Code given on the command line, and code inside the interpreter.
        let inline = matches!(raw, "-e" | "-" | "-c") || raw.starts_with("<internal:");
        if pseudo
            || inline
            || raw.is_empty()
            || raw.starts_with("node:")
            || raw.starts_with("internal/")
        {
            return Place {
                file: String::new(),
                local: false,
            };
        }
        if self.run.root.is_empty() && (raw.starts_with('/') || self.cwd.is_empty()) {
            let system = ["/usr/", "/lib/", "/opt/", "/rustc/", "/nix/", "/snap/"];
            let file = raw.strip_prefix("./").unwrap_or(raw).replace('\\', "/");
            return Place {
                local: !file.starts_with("../")
                    && !file.split('/').any(is_foreign_directory)
                    && !system.iter().any(|start| raw.starts_with(start)),
                file,
            };
        }
        if let Some(inside) = inside_drive(self.run.root, raw) {
            return Place {
                local: !inside.split('/').any(is_foreign_directory),
                file: inside,
            };
        }
        let located = match locate(self.run.root, "", &self.cwd) {
            // Some tools print paths from the top of the project wherever they run.
            Located::Inside(cwd)
                if !cwd.is_root() && raw.starts_with(&format!("{}/", cwd.as_str())) =>
            {
                locate(self.run.root, "", raw)
            }
            _ => locate(self.run.root, &self.cwd, raw),
        };
        match located {
            Located::Inside(path) => Place {
                local: !path.segments().any(is_foreign_directory),
                file: path.as_str().to_owned(),
            },
            Located::Outside(_) => Place {
                file: raw.replace('\\', "/"),
                local: false,
            },
        }
    }

    /// A new finding of this run.
    pub(crate) fn find(&self, at: usize, toolchain: &str, phase: &str, message: &str) -> Finding {
        Finding::new(at, self.event(toolchain, phase, message))
    }

    /// A new event of this run.
    pub(crate) fn event(&self, toolchain: &str, phase: &str, message: &str) -> ErrorEvent {
        ErrorEvent {
            toolchain: toolchain.to_owned(),
            phase: phase.to_owned(),
            severity: "error".to_owned(),
            message: clean(message, MAX_MESSAGE),
            exit_code: self.run.exit_status.unwrap_or(0).into(),
            ..ErrorEvent::default()
        }
    }
}

/// `file:///a/b` and `file:/a/b` as `/a/b`; a drive letter loses the slash before it.
fn without_scheme(raw: &str) -> &str {
    let Some(rest) = raw.strip_prefix("file:") else {
        return raw;
    };
    let path = match rest.strip_prefix("//") {
        Some(path) => path,
        None => rest,
    };
    match path.strip_prefix('/') {
        Some(drive) if drive.as_bytes().get(1) == Some(&b':') => drive,
        _ => path,
    }
}

/// A path on a drive below a root on the same drive; names compare without case there.
fn inside_drive(root: &str, raw: &str) -> Option<String> {
    let drive = |text: &str| text.as_bytes().get(1) == Some(&b':');
    if !drive(root) || !drive(raw) {
        return None;
    }
    let (root, raw) = (root.replace('\\', "/"), raw.replace('\\', "/"));
    let root = root.trim_end_matches('/');
    let head = raw.get(..root.len())?;
    let rest = raw.get(root.len()..)?.strip_prefix('/')?;
    head.eq_ignore_ascii_case(root).then(|| rest.to_owned())
}

/// The lines of a text, without the prefixes of a runner of several tasks if one ran.
pub(crate) fn lines_of<'t>(context: &Context, text: &'t str) -> Lines<'t> {
    const RUNNERS: &[&str] = &[
        "pnpm",
        "turbo",
        "lerna",
        "nx",
        "docker-compose",
        "concurrently",
    ];
    const MARKS: &[&str] = &[
        "workspace projects",
        "Packages in scope",
        "lerna notice",
        "ERR_PNPM_RECURSIVE",
    ];
    let lines = Lines::new(text);
    let compose = context.run.command.contains("docker compose");
    let head = text.get(..text.floor_char_boundary(4_096)).unwrap_or(text);
    if compose || context.runs(RUNNERS) || MARKS.iter().any(|mark| head.contains(mark)) {
        return lines.without_tasks();
    }
    lines
}

/// Program name and, for `python -m x`, the module.
fn program(command: &SimpleCommand) -> String {
    let mut out = command.name().to_owned();
    if out.starts_with("python") || out == "py" {
        let mut arguments = command.arguments().iter();
        if arguments.any(|word| word.text == "-m")
            && let Some(module) = arguments.next()
        {
            out.push(' ');
            out.push_str(&module.text);
        }
    }
    out
}

/// `python3.11` is a version of `python`.
fn is_version_of(program: &str, name: &str) -> bool {
    program.strip_prefix(name).is_some_and(|rest| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-')
    })
}

/// Directories inside a repository that hold other people's code.
fn is_foreign_directory(segment: &str) -> bool {
    matches!(
        segment,
        "site-packages"
            | "dist-packages"
            | "node_modules"
            | ".venv"
            | "venv"
            | ".tox"
            | ".nox"
            | "vendor"
            | "gems"
            | ".cargo"
            | ".pnpm"
    )
}

/// Applies the bounds of the format and computes the identity.
pub(crate) fn finish(context: &Context, mut event: ErrorEvent) -> ErrorEvent {
    if event.message.is_empty() {
        // A head whose text was cut away still says that something failed.
        let text = if event.code.is_empty() {
            "failed"
        } else {
            &event.code
        };
        event.message = clean(text, MAX_MESSAGE);
    }
    event.command = clean(context.run.command, MAX_COMMAND);
    event.code = clean(&event.code, MAX_CODE);
    event.test = clean(&event.test, MAX_TEST);
    event.file = clean(&event.file, MAX_FILE);
    event.fingerprint = fingerprint::fingerprint(&event, context.run.root);
    event
}

/// Splits `Class: text` as Python prints exceptions; the class without its module. Text that does
/// not start with a class gives an empty one.
pub(crate) fn split_class(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let class = name.rsplit('.').next().unwrap_or_default();
    let is_class = class.starts_with(|c: char| c.is_uppercase())
        || (name.contains('.') && class.starts_with(|c: char| c.is_alphabetic()));
    match rest.strip_prefix(':') {
        Some(message) if is_class && (message.is_empty() || message.starts_with(' ')) => {
            (class, message.trim())
        }
        None if is_class && rest.is_empty() && looks_like_exception(class) => (class, ""),
        _ => ("", text),
    }
}

/// Returns true if a bare word is the name of an exception.
fn looks_like_exception(class: &str) -> bool {
    [
        "Error",
        "Exception",
        "Interrupt",
        "Exit",
        "Warning",
        "Iteration",
        "Timeout",
        "Failed",
    ]
    .iter()
    .any(|ending| class.ends_with(ending))
        || class.len() > 2 && class.bytes().any(|byte| byte.is_ascii_lowercase())
}
