//! Django's management commands: system checks and command errors.

use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["SystemCheckError: ", "CommandError: ", "Unknown command: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut checking = false;
    let mut errors = false;
    lines.each(|_, at, line| {
        let find = |message: &str| {
            context
                .find(at, "python", "runtime", message)
                .tool("django")
        };
        if line.contains("SystemCheckError: System check identified") {
            checking = true;
            return None;
        }
        if let Some(text) = line.strip_prefix("CommandError: ") {
            return Some(find(text).code("CommandError"));
        }
        if line.starts_with("Unknown command: ") {
            return Some(find(line.trim_end_matches('.')));
        }
        if !checking {
            return None;
        }
        if line.ends_with("S:") && !line.contains(' ') {
            errors = matches!(line, "ERRORS:" | "CRITICALS:");
            return None;
        }
        let (object, rest) = line.split_once(": (")?;
        let (code, message) = rest.split_once(") ")?;
        let known = code.contains('.') && !code.contains(' ') && !object.starts_with(' ');
        known.then(|| {
            find(&format!("{object}: {message}"))
                .code(code)
                .warning_if(!errors)
        })
    })
}
