//! MSBuild and the compilers under it (C#, F#, Visual Basic, NuGet, analysers).
//!
//! Yields `path(l,c): error CS0103: text [project]` and `project : error NU1101: text`; repeats in
//! the summary merge. Samples: 113, 116, 117.

use super::shape::{At, paren_location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["dotnet", "msbuild"],
    needles: &[
        "error CS",
        "error FS",
        "error BC",
        "error NU",
        "error MSB",
        "error CA",
        "error IDE",
        "error NETSDK",
        "error SA",
        "error RZ",
        "error xUnit",
        "error IL",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let text = line.trim_start();
        // Parallel builds number their projects: `1>path…`.
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
                    path,
                    line: "",
                    column: "",
                    rest,
                })
            })?;
        let (warning, code, message) = coded(place.rest)?;
        let message = match message.rsplit_once(" [") {
            Some((message, project))
                if project
                    .trim_end_matches(']')
                    .split("::")
                    .next()
                    .is_some_and(|path| path.ends_with("proj") || path.ends_with(".sln")) =>
            {
                message
            }
            _ => message,
        };
        let finding = context
            .find(at, "dotnet", "build", message.trim())
            .code(code)
            .warning_if(warning);
        let path = if place.path.contains(['.', '/', '\\']) {
            place.path
        } else {
            ""
        };
        Some(finding.place(context, path, place.line, place.column))
    })
}

/// `error CS0103: text`.
fn coded(text: &str) -> Option<(bool, &str, &str)> {
    let (warning, rest) = match text.strip_prefix("error ") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("warning ")?),
    };
    let (code, message) = rest.split_once(':')?;
    let letters = code.bytes().take_while(u8::is_ascii_alphabetic).count();
    let good = letters >= 2
        && letters < code.len()
        && code.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
    (good && !code.starts_with("LNK") && !code.starts_with("TS") && !code.starts_with("CVT"))
        .then_some((warning, code, message.trim()))
}
