//! Failed tests of the JVM as Surefire, Failsafe, and JUnit's own runners print them.
//!
//! Yields one event a test; the list at the end is read only when the details are missing.
//! Samples: 58.

use super::java::{exception, own_frame};
use super::shape::digits;
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "<<< FAILURE!",
        "<<< ERROR!",
        "JUnit Jupiter:",
        "JUnit Vintage:",
        "JUnit version ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        let Some((test, skip)) = surefire(line)
            .map(|test| (test, 0))
            .or_else(|| console(lines, head))
            .or_else(|| junit4(line).map(|test| (test, 0)))
        else {
            continue;
        };
        let Some((told, text)) = lines
            .after(head + 1 + skip, 3)
            .find(|(_, next)| !next.trim().is_empty() && !next.trim().starts_with("MethodSource"))
        else {
            continue;
        };
        let text = text.trim();
        let text = text.strip_prefix("=> ").unwrap_or(text);
        let (class, message) = exception(text).unwrap_or(("", text));
        let end = lines
            .after(told + 1, 400)
            .find(|(_, next)| {
                next.trim().is_empty()
                    || next.starts_with("[ERROR]")
                    || next.starts_with("[INFO]")
                    || junit4(next).is_some()
            })
            .map_or(lines.len().min(told + 400), |(end, _)| end);
        let place = lines
            .after(told + 1, end.saturating_sub(told + 1))
            .find_map(|(_, next)| own_frame(next));
        let finding = context
            .find(head, "java", "test", message)
            .code(class)
            .test(&test);
        findings.push(match place {
            Some((file, number)) => finding.place(context, file, number, ""),
            None => finding,
        });
        lines.claim(head..end);
        at = end.max(at);
    }
    if findings.is_empty() {
        return lines.each(|_, at, line| listed(context, at, line));
    }
    findings
}

/// `[ERROR] com.acme.T.method -- Time elapsed: 0.01 s <<< FAILURE!` and older forms.
fn surefire(line: &str) -> Option<String> {
    memchr::memchr(b'<', line.as_bytes())?;
    if !(line.contains("<<< FAILURE!") || line.contains("<<< ERROR!"))
        || line.contains("Tests run:")
    {
        return None;
    }
    let text = line.strip_prefix("[ERROR] ").unwrap_or(line).trim_start();
    let name = text
        .split(" -- Time elapsed")
        .next()?
        .split("  Time elapsed")
        .next()?
        .split(" Time elapsed")
        .next()?
        .trim();
    if let Some((method, class)) = name.split_once('(')
        && let Some(class) = class.strip_suffix(')')
        && class.contains('.')
    {
        return Some(format!("{class}.{method}"));
    }
    (!name.is_empty()).then(|| name.to_owned())
}

/// `  JUnit Jupiter:CalcTest:adds()` of the console launcher; the exception follows behind `=>`.
fn console(lines: &Lines, at: usize) -> Option<(String, usize)> {
    let text = lines.get(at).trim_start();
    let rest = text
        .strip_prefix("JUnit Jupiter:")
        .or_else(|| text.strip_prefix("JUnit Vintage:"))?;
    let (told, _) = lines
        .after(at + 1, 3)
        .find(|(_, next)| next.trim_start().starts_with("=> "))?;
    Some((rest.replacen(':', ".", 8), told - at - 1))
}

/// `1) testAdds(com.acme.CalcTest)`.
fn junit4(line: &str) -> Option<String> {
    let (_, rest) = digits(line)?;
    let (method, class) = rest.strip_prefix(") ")?.split_once('(')?;
    let class = class.strip_suffix(')')?;
    (!method.contains(' ') && !class.contains(' ') && !class.contains(','))
        .then(|| format!("{class}.{method}"))
}

/// `[ERROR]   LedgerTest.overdraft:28 » NullPointer text`.
fn listed(context: &Context, at: usize, line: &str) -> Option<Finding> {
    let text = line.strip_prefix("[ERROR]   ")?.trim();
    let (head, message) = text.split_once(' ')?;
    let (name, rest) = head.split_once(':')?;
    let (number, _) = digits(rest)?;
    let (class, _) = name.split_once('.')?;
    let message = message.trim_start_matches(['»', ' ']);
    Some(context.find(at, "java", "test", message).test(name).place(
        context,
        &format!("{class}.java"),
        number,
        "",
    ))
}
