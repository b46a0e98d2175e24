//! Swift: the compiler, XCTest, and traps at run time. Samples: 137.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["swift", "swiftc", "xcodebuild"],
    needles: &[".swift:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let place = location(line.trim_start()).filter(|place| place.path.ends_with(".swift"));
        let Some(place) = place else {
            // Package errors have no place.
            let text = line
                .strip_prefix("error: ")
                .filter(|_| context.runs(&["swift", "swiftc"]))?;
            let own = !matches!(
                text,
                "fatalError"
                    | "emit-module command failed with exit code 1 (use -v to see invocation)"
            );
            return own.then(|| context.find(at, "swift", "build", text));
        };
        if let Some(text) = place.rest.strip_prefix("Fatal error: ") {
            return Some(
                context
                    .find(at, "swift", "runtime", text)
                    .code("Fatal error")
                    .place(context, place.path, place.line, place.column),
            );
        }
        let (warning, text) = match place.rest.strip_prefix("error: ") {
            Some(text) => (false, text),
            None => (true, place.rest.strip_prefix("warning: ")?),
        };
        // XCTest: `Suite.test : XCTAssertEqual failed: …`.
        if let Some((test, message)) = text.split_once(" : ").filter(|(test, _)| {
            test.contains('.') && (!test.contains(' ') || test.starts_with("-["))
        }) {
            return Some(context.find(at, "swift", "test", message).test(test).place(
                context,
                place.path,
                place.line,
                place.column,
            ));
        }
        Some(
            context
                .find(at, "swift", "build", text)
                .warning_if(warning)
                .place(context, place.path, place.line, place.column),
        )
    })
}
