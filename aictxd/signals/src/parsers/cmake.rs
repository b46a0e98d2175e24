//! CMake and CTest.
//!
//! Yields `CMake Error at path:l (command):` with its first paragraph, and failed tests of CTest
//! with the first line they printed. Samples: 67, 69.

use super::shape::{digits, joined};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "CMake Error",
        "***Failed",
        "***Timeout",
        "***Exception",
        "***Not Run",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if line.contains(" Test ") && line.contains("***") {
            return ctest(context, lines, at, line);
        }
        let rest = line.strip_prefix("CMake Error")?;
        if let Some(text) = rest.strip_prefix(": ") {
            return Some(context.find(at, "c_cpp", "build", text).tool("cmake"));
        }
        let paragraph: Vec<&str> = lines
            .after(at + 1, 30)
            .map(|(_, next)| next)
            .skip_while(|next| next.trim().is_empty())
            .take_while(|next| !next.trim().is_empty() && next.starts_with(' '))
            .collect();
        let message = joined(paragraph);
        let rest = rest
            .strip_prefix(" at ")
            .or_else(|| rest.strip_prefix(" in "))?;
        let head = rest.split(" (").next()?.trim_end_matches(':');
        let (path, number) = head
            .rsplit_once(':')
            .filter(|(_, number)| digits(number).is_some())
            .unwrap_or((head, ""));
        let message = if message.is_empty() { line } else { &message };
        Some(
            context
                .find(at, "c_cpp", "build", message)
                .tool("cmake")
                .place(context, path, number, ""),
        )
    })
}

/// `1/2 Test #1: checksum .....***Failed    0.00 sec`, then what the test printed.
fn ctest(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let (_, rest) = line.split_once(" Test ")?;
    let (_, rest) = rest.split_once(": ")?;
    let (name, status) = rest.split_once("***")?;
    let name = name.trim_end_matches(['.', ' ']);
    let output = lines
        .after(at + 1, 200)
        .map(|(_, next)| next.trim())
        .take_while(|next| {
            !next.starts_with("Start ")
                && !next.contains(" Test ")
                && !next.contains("% tests passed")
        });
    let output: Vec<&str> = output.filter(|next| !next.is_empty()).collect();
    if output
        .iter()
        .any(|next| next.starts_with("[  FAILED  ]") || next.contains("panicked at"))
    {
        // The test's own framework says more.
        return None;
    }
    let status = status.split("  ").next().unwrap_or(status);
    let status = status
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ')
        .trim_end_matches(" sec")
        .trim_end();
    let message = output.first().copied().unwrap_or(status);
    Some(
        context
            .find(at, "c_cpp", "test", message)
            .tool("ctest")
            .test(name),
    )
}
