//! One module per group of commands.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_proto::identity::Caller;

use super::Answer;
use super::arguments::{CallerOptions, Command, CommandLine, Internal};
use super::backend::Backend;
use super::error::CliError;
use super::terminal_text::Paint;

pub mod continuity;
pub mod daemon;
pub mod doctor;
pub mod execution;
pub mod failures;
pub mod finalize;
pub mod flow;
pub mod guard;
pub mod hook;
pub mod map;
pub mod mcp;
pub mod memory;
pub mod portability;
pub mod probe;
pub mod recall;
pub mod repository;
pub mod run;
pub mod run_execution;
pub mod setup;
pub mod ticket;
pub mod view;

/// Runs a command.
///
/// # Errors
/// What the user must hear.
pub fn run(line: CommandLine, paint: Paint) -> Result<Answer, CliError> {
    let backend = Backend::from_env();
    match line.command {
        Command::Install(options) => setup::install(&backend, &options, line.json),
        Command::Init(options) => setup::init(&backend, &options, line.json),
        Command::Clean(options) => setup::clean(&backend, &options, line.json),
        Command::Uninstall(options) => setup::uninstall(&backend, &options, line.json),
        Command::Doctor(options) => doctor::doctor(&backend, &options, line.json, paint),
        Command::Resume(options) => continuity::resume(&backend, options),
        Command::Finalize(options) => finalize::finalize(&backend, *options),
        Command::Next(options) => memory::next(&backend, options),
        Command::Prepare(options) => memory::prepare(&backend, options),
        Command::Task(command) => memory::task(&backend, command, paint),
        Command::Ticket(command) => ticket::ticket(&backend, command, paint),
        Command::Flow(command) => flow::flow(&backend, *command, line.json, paint),
        Command::Run(options) => run::run(&backend, *options, line.json, paint),
        Command::Intake(options) => run::intake(&backend, options),
        Command::Docs(command) => run::docs(&backend, &command),
        Command::Log(options) => memory::log(&backend, options, paint),
        Command::Why(options) => match options.verdict.clone() {
            Some(id) => guard::verdicts(&backend, &options.at, id, paint),
            None if options.verdicts => {
                guard::verdicts(&backend, &options.at, String::new(), paint)
            }
            None => memory::why(&backend, options, paint),
        },
        Command::Memory(command) => memory::memory(&backend, command, paint),
        Command::View(options) => view::view(&backend, &options),
        Command::Advanced => Ok(view::advanced()),
        Command::Pin(options) => memory::pin(&backend, options),
        Command::Wrong(options) => memory::wrong(&backend, options),
        Command::Forget(item) => memory::forget(&backend, item),
        Command::Suggest(options) => memory::suggest(&backend, options),
        Command::Reuse(options) => memory::reuse(&backend, options),
        Command::Reflect(at) => memory::reflect(&backend, &at),
        Command::Report(command) => memory::report(&backend, &command),
        Command::Recall(options) => recall::recall(&backend, options, paint),
        Command::Import(options) => recall::import(&backend, options, paint),
        Command::Preview(options) => recall::preview(&backend, options, paint),
        Command::Remember(options) => recall::remember(&backend, options),
        Command::Portability(command) => portability::portability(&backend, &command),
        Command::Messages(options) => memory::messages(&backend, options),
        Command::Internal(Internal::RunExecution(options)) => {
            run_execution::run(&backend, *options, line.json)
        }
        Command::Internal(Internal::Execution(command)) => {
            execution::execution(&backend, command, line.json)
        }
        Command::Internal(Internal::Boot { at }) => memory::boot(&backend, &at),
        Command::Internal(Internal::Packet {
            task,
            task_type,
            at,
        }) => memory::packet(&backend, &at, task, task_type),
        Command::Internal(Internal::Compact { apply, at }) => memory::compact(&backend, &at, apply),
        Command::Guard(options) => continuity::guard(&backend, options, paint),
        Command::Steer(options) => guard::steer(&backend, options, paint),
        Command::Who(at) => guard::who(&backend, &at, paint),
        Command::Claim(options) => guard::claim(&backend, options, paint),
        Command::Trust(options) => guard::trust(&backend, options, line.json, paint),
        Command::Hook(options) if hook::is_probe(&options) => {
            probe::probe(&backend, &options, paint)
        }
        Command::Hook(options) => Ok(hook::hook(&options)),
        Command::Mcp(options) => mcp::mcp(&backend, options, line.json),
        Command::Status => daemon::overview(&backend, paint),
        Command::Repo(command) => repository::repo(&backend, &command),
        Command::Session(command) => repository::session(&backend, &command, paint),
        Command::Failures(command) => failures::failures(&backend, command, paint),
        Command::Map(command) => map::map(&backend, command, paint),
        Command::Daemon(command) => daemon::daemon(&backend, &command, paint),
        Command::Signals(command) => daemon::signals(&backend, &command, line.json),
        Command::Eval(command) => daemon::eval(&backend, &command, line.json),
        Command::Scrub => daemon::scrub(&backend, line.json),
        Command::Version => daemon::version(&backend),
    }
}

/// An absolute path as the wire wants it: `~` and the working directory filled in, `.` and `..`
/// resolved as written, nothing required to exist.
fn absolute(path: &Path) -> Result<String, CliError> {
    let home = std::env::home_dir();
    let cwd = std::env::current_dir();
    let full = if let (Ok(rest), Some(home)) = (path.strip_prefix("~"), home) {
        home.join(rest)
    } else if path.is_absolute() {
        path.to_owned()
    } else {
        cwd.map_err(|e| CliError::io("the working directory", &e))?
            .join(path)
    };
    let text = normal(&full).into_os_string();
    text.into_string().map_err(|raw| {
        CliError::usage(format!(
            "{} is not valid UTF-8, which paths of repositories must be",
            Path::new(&raw).display()
        ))
    })
}

/// Drops `.`, resolves `..` only where it is harmless: behind a link it means something else, so
/// it is left to the system then.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if !out.is_symlink() && out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The working directory, or nothing when there is none (deleted, not UTF-8): it only helps to
/// read relative paths.
fn working_directory() -> String {
    std::env::current_dir()
        .ok()
        .and_then(|cwd| cwd.into_os_string().into_string().ok())
        .unwrap_or_default()
}

/// An id for one call that no other has.
fn request_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!(
        "{}-{}",
        now.unwrap_or_default().as_nanos(),
        std::process::id()
    )
}

/// Returns the caller's identity from the flags, the known variables and our parent.
fn caller(options: CallerOptions) -> Caller {
    caller_from(options, |name| std::env::var_os(name))
}

fn caller_from<S: AsRef<OsStr>>(
    options: CallerOptions,
    variable: impl Fn(&str) -> Option<S>,
) -> Caller {
    let text = |name: &str| Some(variable(name)?.as_ref().to_string_lossy().into_owned());
    Caller {
        agent_id: options.agent_id,
        adapter_id: options.adapter_id,
        session_id: options.session_id,
        env: Caller::environment(text),
        parent_pid: std::os::unix::process::parent_id(),
        via: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_absolute_without_being_there() {
        assert_eq!(
            absolute(Path::new("/no/such/./x/../y")).unwrap(),
            "/no/such/y"
        );
        assert_eq!(absolute(Path::new("/../..")).unwrap(), "/../..");
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(Path::new(".")).unwrap(), here.to_str().unwrap());
        let home = std::env::home_dir().unwrap();
        assert_eq!(
            absolute(Path::new("~/x")).unwrap(),
            home.join("x").to_str().unwrap()
        );
        assert_eq!(
            absolute(Path::new("~x")).unwrap(),
            here.join("~x").to_str().unwrap()
        );
    }

    #[test]
    fn only_known_variables_leave_the_process() {
        let get = |name: &str| match name {
            "CODEX_CI" => Some("1"),
            "TMUX_PANE" => Some(""),
            "PATH" => Some("/bin"),
            _ => None,
        };
        let options = CallerOptions {
            session_id: "s".into(),
            ..CallerOptions::default()
        };
        let caller = caller_from(options, get);
        assert_eq!(caller.env.len(), 1);
        assert_eq!(caller.env["CODEX_CI"], "1");
        assert_eq!(caller.session_id, "s");
        assert_ne!(caller.parent_pid, 0);
    }
}
