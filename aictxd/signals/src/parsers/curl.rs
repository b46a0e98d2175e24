//! curl. Samples: 94.

use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["curl: ("],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let (code, rest) = digits(line.strip_prefix("curl: (")?)?;
        let message = rest.strip_prefix(") ")?;
        Some(
            context
                .find(at, "unknown", "runtime", message)
                .tool("curl")
                .code(code),
        )
    })
}
