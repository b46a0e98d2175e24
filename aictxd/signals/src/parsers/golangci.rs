//! golangci-lint and staticcheck.
//!
//! Yields `path.go:l:c: text (linter)`; the linter is the code. Samples: 126.

use super::shape::{all_of, is_letter_code, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: PROGRAMS,
    needles: &[
        "(errcheck)",
        "(staticcheck)",
        "(govet)",
        "(unused)",
        "(gosimple)",
        "(ineffassign)",
        "(typecheck)",
        "(revive)",
        "(gocritic)",
        "(gofmt)",
        "(goimports)",
        "(misspell)",
        "(gosec)",
        "(stylecheck)",
        "(SA",
        "(S1",
        "(ST1",
        "(U1000)",
    ],
    read,
};

const PROGRAMS: &[&str] = &["golangci-lint", "staticcheck"];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let place = location(line).filter(|place| place.path.ends_with(".go"))?;
        let (message, linter) = trailing(place.rest, '(', ')')?;
        if !all_of(linter, |c| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let tool = if is_letter_code(linter) {
            "staticcheck"
        } else {
            "golangci-lint"
        };
        Some(
            context
                .find(at, "go", "lint", message)
                .tool(tool)
                .code(linter)
                .place(context, place.path, place.line, place.column),
        )
    })
}
