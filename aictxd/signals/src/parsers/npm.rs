//! npm, pnpm and yarn.
//!
//! Yields what the package manager itself complains about; that a script failed is told only when
//! the script's own output says nothing. Samples: 33, 99, 118, 119, 120.

use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["yarn", "pnpm"],
    needles: &[
        "npm error",
        "npm ERR!",
        "ERR_PNPM_",
        "ELIFECYCLE",
        "error Command failed with exit code",
        "➤ YN",
        "error Couldn't find",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let line = lines.get(at);
        let end = lines
            .after(at, if npm_text(line).is_some() { 400 } else { 0 })
            .take_while(|(number, line)| {
                // Old versions put an empty line of their own between.
                npm_text(line).is_some()
                    || (line.is_empty() && npm_text(lines.get(number + 1)).is_some())
            })
            .count()
            + at;
        if end > at {
            findings.extend(npm(context, lines, at, end));
            lines.claim(at..end);
            at = end;
            continue;
        }
        if lines.is_free(at)
            && let Some(finding) =
                pnpm(context, lines, at, line).or_else(|| yarn(context, at, line))
        {
            findings.push(finding);
            lines.claim(at..at + 1);
        }
        at += 1;
    }
    findings
}

fn npm_text(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("npm error")
        .or_else(|| line.strip_prefix("npm ERR!"))?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix(' ')
}

/// One run of `npm error` lines.
fn npm(context: &Context, lines: &Lines, from: usize, to: usize) -> Option<Finding> {
    let mut code = "";
    let mut message: Option<(usize, &str)> = None;
    let mut script = None;
    for (at, line) in lines.after(from, to - from) {
        let text = npm_text(line).unwrap_or_default().trim();
        if let Some(word) = text.strip_prefix("code ")
            && code.is_empty()
        {
            code = word.trim();
            continue;
        }
        if text.starts_with("Failed at the ") || text.starts_with("Lifecycle script ") {
            script = script.or(Some((at, text)));
            continue;
        }
        if message.is_none() && !is_detail(text) {
            message = Some((at, text));
        }
    }
    let (at, text) = match script {
        Some(told) => told,
        None => message?,
    };
    let text = without_code(text, code);
    let missing = text.starts_with("Missing script");
    let lifecycle =
        script.is_some() || code == "ELIFECYCLE" || code.starts_with(|c: char| c.is_ascii_digit());
    let phase = if missing || lifecycle {
        "runtime"
    } else {
        "build"
    };
    let finding = context
        .find(at, "javascript", phase, text)
        .tool("npm")
        .code(code);
    Some(if lifecycle {
        finding.wrapper()
    } else {
        finding
    })
}

/// Lines that say where and how, not what.
fn is_detail(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    text.is_empty()
        || matches!(
            word,
            "errno"
                | "syscall"
                | "path"
                | "dest"
                | "cwd"
                | "command"
                | "signal"
                | "location"
                | "workspace"
                | "cmd"
                | "file"
        )
        || text.starts_with("A complete log of this run")
        || text.starts_with("Exit status ")
        || text.starts_with("This is probably not a problem with npm")
        || (text.contains('@') && text.contains(": `"))
}

/// `ERESOLVE unable to …`, `404 Not Found`, `enoent Could not …` without the code.
fn without_code<'t>(text: &'t str, code: &str) -> &'t str {
    let Some((word, rest)) = text.split_once(' ') else {
        return text;
    };
    let same = word.eq_ignore_ascii_case(code)
        || code.strip_prefix('E').is_some_and(|code| word == code)
        || (code == "EJSONPARSE" && word == "JSON.parse");
    if same && !code.is_empty() { rest } else { text }
}

fn pnpm(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let text = line.trim_start();
    let text = text
        .strip_prefix("Error: ")
        .filter(|rest| rest.starts_with("ERR_PNPM_"))
        .unwrap_or(text);
    let bracketed = text.trim_start_matches('[');
    if bracketed.starts_with("ELIFECYCLE") {
        let message = bracketed
            .trim_start_matches("ELIFECYCLE")
            .trim_start_matches([']', ' ']);
        return Some(
            context
                .find(at, "javascript", "runtime", message)
                .tool("pnpm")
                .code("ELIFECYCLE")
                .wrapper(),
        );
    }
    if !text.starts_with("ERR_PNPM_") {
        return None;
    }
    let (code, message) = text.split_once(' ').unwrap_or((text, ""));
    let mut message = message.trim().to_owned();
    if message.is_empty() {
        let (_, told) = lines
            .after(at + 1, 3)
            .find(|(_, next)| !next.trim().is_empty())?;
        told.trim()
            .trim_start_matches("× ")
            .clone_into(&mut message);
    }
    let script = code.contains("RUN_FIRST_FAIL") || code.contains("LIFECYCLE");
    let missing = code.contains("NO_SCRIPT");
    let phase = if script || missing {
        "runtime"
    } else {
        "build"
    };
    let finding = context
        .find(at, "javascript", phase, &message)
        .tool("pnpm")
        .code(code);
    Some(if script { finding.wrapper() } else { finding })
}

fn yarn(context: &Context, at: usize, line: &str) -> Option<Finding> {
    if let Some(rest) = line.strip_prefix("➤ ") {
        let (code, text) = rest.split_once(": ")?;
        let message = text.trim_start_matches(['│', '┌', '└', ' ']);
        let failed = text.contains("Error")
            || text.contains("not found")
            || text.contains("couldn't")
            || text.contains("can't");
        let code = code.trim();
        return (code.starts_with("YN") && code != "YN0000" && failed).then(|| {
            context
                .find(at, "javascript", "build", message)
                .tool("yarn")
                .code(code)
        });
    }
    let text = line.strip_prefix("error ")?;
    if text.starts_with("Command failed with exit code") {
        let finding = context.find(at, "javascript", "runtime", text).tool("yarn");
        return Some(finding.wrapper());
    }
    let known = context.runs(&["yarn"]) || text.starts_with("Couldn't find ");
    let command = text.starts_with("Command \"");
    let phase = if command { "runtime" } else { "build" };
    known.then(|| context.find(at, "javascript", phase, text).tool("yarn"))
}
