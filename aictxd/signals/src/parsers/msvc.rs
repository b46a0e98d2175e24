//! Microsoft's compiler and linker.
//!
//! Yields `path(l): error C2065: text` and `x.obj : error LNK2019: text`. Samples: 133, 134.

use super::shape::{At, paren_location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["cl", "link", "lib"],
    needles: &["error C", "error LNK", "error D", "error RC", "error BK"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let text = line.trim_start();
        let text = match text.split_once('>') {
            Some((number, rest))
                if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                rest.trim_start()
            }
            _ => text,
        };
        let place = paren_location(text)
            .filter(|place| coded(place.rest).is_some())
            .or_else(|| {
                let (path, rest) = text.split_once(" : ")?;
                coded(rest)?;
                Some(At {
                    path: path.trim(),
                    line: "",
                    column: "",
                    rest,
                })
            })?;
        let (warning, code, message) = coded(place.rest)?;
        // MSBuild appends the project.
        let message = message
            .rsplit_once(" [")
            .filter(|(_, tail)| tail.ends_with("proj]"))
            .map_or(message, |(message, _)| message);
        let path = if place.path.contains('.') {
            place.path
        } else {
            ""
        };
        Some(
            context
                .find(at, "c_cpp", "build", message)
                .tool("msvc")
                .code(code)
                .warning_if(warning)
                .place(context, path, place.line, place.column),
        )
    })
}

fn coded(text: &str) -> Option<(bool, &str, &str)> {
    let text = text
        .strip_prefix("fatal ")
        .or_else(|| text.strip_prefix("Command line "))
        .unwrap_or(text);
    let (warning, rest) = match text.strip_prefix("error ") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("warning ")?),
    };
    let (code, message) = rest.split_once(':')?;
    let code = code.trim();
    let number = ["LNK", "RC", "BK", "CVT", "C", "D"]
        .iter()
        .find_map(|start| code.strip_prefix(start))?;
    (number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((
        warning,
        code,
        message.trim(),
    ))
}
