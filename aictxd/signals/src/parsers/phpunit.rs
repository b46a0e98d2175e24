//! PHPUnit and Pest.
//!
//! Yields one event a numbered error or failure. Samples: 81.

use super::shape::{digits, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "by Sebastian Bergmann",
        "There was 1 ",
        "There were ",
        "FAILURES!",
        "ERRORS!",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    let mut counted = true;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        if line.starts_with("There was ") || line.starts_with("There were ") {
            // Risky, skipped and incomplete tests, warnings and notices are no failures.
            counted = line.contains(" error") || line.contains(" failure");
        }
        let Some(test) = numbered(line).filter(|_| counted && lines.is_free(head)) else {
            continue;
        };
        let end = lines
            .after(at, 400)
            .find(|(_, next)| {
                numbered(next).is_some()
                    || *next == "--"
                    || next.starts_with("FAILURES!")
                    || next.starts_with("ERRORS!")
                    || next.starts_with("Tests: ")
            })
            .map_or(lines.len().min(at + 400), |(end, _)| end);
        findings.push(failure(context, lines, head, end, test));
        lines.claim(head..end);
        at = end;
    }
    findings
}

/// `1) PriceTest::testTotal with data set "one" (1, 2)`.
fn numbered(line: &str) -> Option<&str> {
    let (_, rest) = digits(line)?;
    let rest = rest.strip_prefix(") ")?;
    rest.contains("::").then_some(rest.trim())
}

fn failure(context: &Context, lines: &Lines, head: usize, end: usize, test: &str) -> Finding {
    let body = || {
        lines
            .after(head + 1, end - head - 1)
            .map(|(_, line)| line.trim_end())
    };
    let mut told = body().filter(|line| !line.is_empty());
    let first = told.next().unwrap_or("failed");
    let (code, message) = match first.split_once(": ") {
        Some((class, message)) if is_class(class) => {
            (class.rsplit('\\').next().unwrap_or(class), message)
        }
        _ => ("", first),
    };
    // A message of the author stands before the assertion.
    let assertion = told.next().filter(|line| {
        code.is_empty()
            && line.starts_with("Failed asserting that ")
            && !first.starts_with("Failed asserting")
    });
    let message = match assertion {
        Some(assertion) => format!("{message} {assertion}"),
        None => message.to_owned(),
    };
    let finding = context
        .find(head, "php", "test", &message)
        .tool("phpunit")
        .code(code)
        .test(test);
    let places = || {
        body()
            .filter_map(location)
            .filter(|place| place.rest.is_empty() && place.path.ends_with(".php"))
    };
    let own = places().find(|place| context.place(place.path).local);
    match own.or_else(|| places().next()) {
        Some(place) => finding.place(context, place.path, place.line, ""),
        None => finding,
    }
}

fn is_class(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\\' | b'_'))
}
