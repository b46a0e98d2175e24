//! The one error of the command line: what went wrong, how it is called, what to do next.

use std::ffi::c_int;
use std::fmt;
use std::io;

use aictx_proto::rpc::{
    CONFLICT, INTERNAL, INVALID_PARAMS, NO_REPOSITORY, NOT_FOUND, RpcError, UNAVAILABLE,
};
use serde_json::{Value, json};

use super::terminal_text::{Paint, clean};

/// Exit status of a wrong command line.
pub const USAGE_STATUS: c_int = 2;
/// Exit status of `daemon status` when there is no daemon.
pub const NOT_RUNNING_STATUS: c_int = 3;
const OTHER_STATUS: c_int = 1;
/// Exit statuses of commands that tell failures apart.
const NOT_FOUND_STATUS: c_int = 3;
const CONFLICT_STATUS: c_int = 4;
const NO_DAEMON_STATUS: c_int = 6;
const INTERNAL_STATUS: c_int = 9;

/// Kind of failure; decides the exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The command line is wrong.
    Usage,
    /// A method reported it; the name is the wire's `data.kind`.
    Method(String),
    /// There is no daemon, and none was asked to be started.
    NotRunning,
    /// Neither a daemon nor `aictxd once` could be had.
    NoDaemon,
    /// The daemon did not answer, or not in time.
    NoAnswer,
    /// A file or stream of ours failed.
    Io,
    /// Whoever reads our output has seen enough.
    BrokenPipe,
}

/// A failure on its way to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    /// Kind.
    pub kind: Kind,
    /// A lower-case fragment that names the thing and the cause.
    pub message: String,
    /// The next step; empty when there is none.
    pub hint: String,
    /// Exit status, where it is not that of the kind.
    pub exit: Option<c_int>,
}

impl CliError {
    /// The same with the exit statuses that commands about work have: scripts tell by them why nothing was done
    /// (docs/tickets.md#exit-statuses).
    #[must_use]
    pub fn of_work(mut self) -> Self {
        self.exit = match &self.kind {
            Kind::NoDaemon | Kind::NoAnswer => Some(NO_DAEMON_STATUS),
            Kind::Method(name) if name == NOT_FOUND.kind || name == NO_REPOSITORY.kind => {
                Some(NOT_FOUND_STATUS)
            }
            Kind::Method(name) if name == CONFLICT.kind => Some(CONFLICT_STATUS),
            Kind::Method(name) if name == UNAVAILABLE.kind => Some(NO_DAEMON_STATUS),
            Kind::Method(name) if name == INTERNAL.kind => Some(INTERNAL_STATUS),
            _ => None,
        };
        self
    }

    /// A failure without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: String::new(),
            exit: None,
        }
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Something went wrong with `what`.
    pub fn io(what: impl fmt::Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(Kind::BrokenPipe, "");
        }
        Self::new(Kind::Io, format!("{what}: {error}"))
    }

    /// Name for programs: `error.code` of the JSON form.
    pub fn code(&self) -> &str {
        match &self.kind {
            Kind::Usage => "usage",
            Kind::Method(name) => name,
            Kind::NotRunning => "not_running",
            Kind::NoDaemon => "no_daemon",
            Kind::NoAnswer => "no_answer",
            Kind::Io => "io",
            Kind::BrokenPipe => "broken_pipe",
        }
    }

    /// Exit status.
    pub fn status(&self) -> c_int {
        if let Some(status) = self.exit {
            return status;
        }
        match &self.kind {
            Kind::BrokenPipe => 0,
            Kind::Usage => USAGE_STATUS,
            Kind::Method(name) if name == INVALID_PARAMS.kind => USAGE_STATUS,
            Kind::NotRunning => NOT_RUNNING_STATUS,
            _ => OTHER_STATUS,
        }
    }

    /// The JSON form.
    pub fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code(), "message": self.message });
        if let (false, Some(members)) = (self.hint.is_empty(), error.as_object_mut()) {
            members.insert("hint".to_owned(), self.hint.clone().into());
        }
        json!({ "ok": false, "error": error })
    }

    /// The form for people.
    pub fn to_text(&self, paint: Paint) -> String {
        let mut text = format!("{} {}\n", paint.red("aictx:"), clean(&self.message));
        if !self.hint.is_empty() {
            text.push_str(&format!("{} {}\n", paint.bold("hint:"), clean(&self.hint)));
        }
        text
    }
}

impl From<RpcError> for CliError {
    fn from(error: RpcError) -> Self {
        let kind = if error.data.kind.is_empty() {
            aictx_proto::rpc::error_code(error.code)
                .unwrap_or(INTERNAL)
                .kind
                .to_owned()
        } else {
            error.data.kind
        };
        Self {
            kind: Kind::Method(kind),
            message: error.message,
            hint: error.data.hint,
            exit: None,
        }
    }
}

/// Turns the argument parser's complaint into ours. `None` when it is no complaint but a request
/// for help or the version.
pub fn from_parser(error: &clap::Error) -> Option<CliError> {
    use clap::error::ErrorKind;
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        return None;
    }
    let rendered = error.render().to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Some(missing_command(&rendered));
    }
    let mut message = String::new();
    let mut hints = Vec::new();
    for line in rendered.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(tip.to_owned());
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            hints.push(format!("usage: {usage}"));
        } else if !line.starts_with("For more information") && hints.is_empty() {
            if !message.is_empty() {
                message.push(' ');
            }
            message.push_str(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    if let Some((one, other)) = conflict(error) {
        message = format!("{one} and {other} are mutually exclusive");
    }
    Some(CliError::usage(message).hint(hints.join("; ")))
}

/// Two options that were given and exclude each other.
fn conflict(error: &clap::Error) -> Option<(&str, &str)> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) if name.starts_with("--") => name.split([' ', '=']).next(),
        _ => None,
    };
    let (one, other) = named(ContextKind::PriorArg).zip(named(ContextKind::InvalidArg))?;
    let both = Some((one.min(other), one.max(other)));
    both.filter(|_| error.kind() == ErrorKind::ArgumentConflict)
}

/// Error of a command line that lacks a subcommand, instead of the whole help.
fn missing_command(help: &str) -> CliError {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let named = usage.unwrap_or_default();
    let named = named.split(['<', '[']).next().unwrap_or_default().trim();
    if named.is_empty() || named == "aictx" {
        return CliError::usage("a command is missing").hint("`aictx --help` lists them");
    }
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let listed = listed.filter_map(|line| line.split_whitespace().next());
    let listed: Vec<&str> = listed.filter(|name| *name != "help").collect();
    CliError::usage(format!("`{named}` needs a command behind it")).hint(format!(
        "one of {}; see `{named} --help`",
        listed.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let status = |kind| CliError::new(kind, "x").status();
        assert_eq!(status(Kind::Usage), 2);
        assert_eq!(status(Kind::NotRunning), 3);
        assert_eq!(status(Kind::BrokenPipe), 0);
        assert_eq!(status(Kind::NoAnswer), 1);
        assert_eq!(status(Kind::Method("invalid_params".into())), 2);
        assert_eq!(status(Kind::Method("no_repository".into())), 1);
    }

    #[test]
    fn errors_of_methods_keep_their_name_and_hint() {
        let error = CliError::from(RpcError::new(NO_REPOSITORY, "/x is gone").hint("look"));
        assert_eq!(
            error.to_json().to_string(),
            r#"{"ok":false,"error":{"code":"no_repository","message":"/x is gone","hint":"look"}}"#
        );
        let plain = error.to_text(Paint::off());
        assert_eq!(plain, "aictx: /x is gone\nhint: look\n");
    }

    #[test]
    fn errors_without_data_are_named_by_their_number() {
        let error: RpcError =
            serde_json::from_str(r#"{"code":-32601,"message":"Method not found"}"#).unwrap();
        assert_eq!(CliError::from(error).code(), "method_not_found");
    }

    #[test]
    fn a_broken_pipe_is_success() {
        let error = CliError::io("standard output", &io::ErrorKind::BrokenPipe.into());
        assert_eq!(error.status(), 0);
    }

    #[test]
    fn terminal_sequences_in_messages_are_shown_not_obeyed() {
        let text = CliError::usage("a\u{1b}[2Jb").to_text(Paint::off());
        assert!(!text.contains('\u{1b}'));
    }
}
