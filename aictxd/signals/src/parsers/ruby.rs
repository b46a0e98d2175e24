//! Ruby: uncaught exceptions and syntax errors; Bundler and Rake.
//!
//! Samples: 73, 74, 78, 124.

use super::shape::{At, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["ruby", "bundle", "bundler", "rake", "rails", "irb"],
    needles: &[
        "Error)",
        "Exception)",
        ":in `",
        ":in '",
        "syntax error",
        "Could not find gem ",
        "rake aborted!",
        "Bundler could not find",
        "Bundler::",
        "Could not find ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut outer: Option<usize> = None;
    let mut findings = lines.each(|lines, at, line| {
        if line.starts_with([' ', '\t']) {
            return None;
        }
        if let Some(finding) =
            bundler(context, lines, at, line).or_else(|| rake(context, lines, at, line))
        {
            return Some(finding);
        }
        if let Some(text) = line.strip_prefix("ruby: ")
            && start(line).is_none()
        {
            let (message, class) = trailing(text, '(', ')').filter(|(_, class)| is_class(class))?;
            return Some(context.find(at, "ruby", "runtime", message).code(class));
        }
        let place = start(line)?;
        let (finding, uncaught) = ruby(context, lines, at, place)?;
        // An exception right behind the frames of another one is its cause.
        let cause = uncaught
            && outer.is_some_and(|outer| {
                lines.after(outer + 1, at - outer - 1).all(|(_, line)| {
                    line.starts_with([' ', '\t']) || line.trim().is_empty() || start(line).is_none()
                }) && lines.get(at - 1).starts_with("\tfrom ")
            });
        if uncaught {
            outer = outer.filter(|_| cause).or(Some(at));
        }
        Some(finding.cause_if(cause))
    });
    // Causes stand behind their outer error, whichever line they are on.
    for nth in 1..findings.len() {
        let at = findings.get(nth - 1).map_or(0, |before| before.at);
        if let Some(finding) = findings.get_mut(nth)
            && !finding.event.role.is_empty()
        {
            finding.at = at;
        }
    }
    findings
}

/// `path:3:in …`, `path:3: …`, with the program in front that newer Rubies print.
fn start(line: &str) -> Option<At<'_>> {
    let line = line.strip_prefix("ruby: ").unwrap_or(line);
    if let Some(place) = location(line) {
        return Some(place);
    }
    // `-e:1:in`, whose rest follows without a blank.
    let from = line.find(":in ")?;
    let (path, number) = line.get(..from)?.rsplit_once(':')?;
    super::shape::digits(number).filter(|(_, rest)| rest.is_empty())?;
    let path = path.trim_start_matches("<internal:").trim_end_matches('>');
    Some(At {
        path,
        line: number,
        column: "",
        rest: line.get(from + 1..)?,
    })
}

fn ruby(context: &Context, lines: &Lines, at: usize, place: At) -> Option<(Finding, bool)> {
    let rest = place.rest;
    if let Some(from) = rest.find("syntax error").filter(|from| *from < 12) {
        let message = rest.get(from..)?;
        let told = context
            .find(
                at,
                "ruby",
                "runtime",
                message.trim_end_matches(" (SyntaxError)"),
            )
            .code("SyntaxError");
        return (place.path.ends_with(".rb") || context.runs(&["ruby"])).then(|| {
            (
                told.place(context, place.path, place.line, place.column),
                true,
            )
        });
    }
    let text = if rest.starts_with("in ") {
        let quote = rest.find("': ").map(|end| end + 3)?;
        rest.get(quote..)?
    } else {
        place.path.ends_with(".rb").then_some(rest)?
    };
    let (message, class) = match trailing(text, '(', ')').filter(|(_, class)| is_class(class)) {
        Some(parts) => parts,
        None => {
            // The class may close a message of several lines.
            let closed = lines
                .after(at + 1, 12)
                .take_while(|(_, next)| !next.starts_with("\tfrom "))
                .find_map(|(_, next)| {
                    trailing(next, '(', ')').filter(|(_, class)| is_class(class))
                });
            let quoted = rest.starts_with("in ");
            match closed {
                Some((_, class)) if quoted => (text, class),
                _ => return None,
            }
        }
    };
    let message = if message.is_empty() { class } else { message };
    let finding = context.find(at, "ruby", "runtime", message).code(class);
    let own = context.place(place.path);
    let internal =
        place.path.starts_with('<') || place.path.starts_with("/usr/lib/ruby") || !own.local;
    let from = lines
        .after(at + 1, 200)
        .filter_map(|(_, next)| start(next.strip_prefix("\tfrom ")?))
        .find(|frame| context.place(frame.path).local && !frame.path.starts_with("/usr/lib/"));
    let place = if internal {
        from.unwrap_or(place)
    } else {
        place
    };
    Some((
        finding.place(context, place.path, place.line, place.column),
        true,
    ))
}

fn is_class(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_'))
}

fn bundler(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let told = line.starts_with("Could not find gem ")
        || line.starts_with("Bundler could not find ")
        || (line.starts_with("Could not find ") && line.contains(" in any of the sources"))
        || (line.starts_with("Could not find ") && line.contains("locally installed gems"))
        || line.starts_with("Your Ruby version is ")
        || line.starts_with("Could not locate Gemfile");
    if told {
        return Some(context.find(at, "ruby", "build", line).tool("bundler"));
    }
    // A conflict is told in a paragraph.
    if line.starts_with("Could not find compatible versions") {
        let reason = lines
            .after(at + 1, 12)
            .map(|(_, next)| next.trim())
            .skip_while(|next| next.is_empty())
            .take_while(|next| !next.is_empty());
        return Some(
            context
                .find(at, "ruby", "build", &super::shape::joined(reason))
                .tool("bundler"),
        );
    }
    let rest = line.strip_prefix("[!] There was an error parsing `Gemfile`: ")?;
    Some(
        context
            .find(at, "ruby", "build", rest)
            .tool("bundler")
            .place(context, "Gemfile", "", ""),
    )
}

/// `rake aborted!` and why; a task that ran a failing command is told only when nothing else is.
fn rake(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    if !matches!(
        line,
        "rake aborted!" | "rails aborted!" | "bin/rails aborted!"
    ) {
        return None;
    }
    let text = lines.get(at + 1).trim();
    let (class, message) = match text.split_once(": ") {
        Some((class, message)) if is_class(class) => (class, message),
        _ => ("", text),
    };
    let command = text.starts_with("Command failed with status");
    let finding = context
        .find(
            at,
            "ruby",
            if command { "build" } else { "runtime" },
            message,
        )
        .tool("rake")
        .code(class);
    let place = lines
        .after(at + 2, 40)
        .take_while(|(_, next)| !next.starts_with("Tasks: "))
        .filter_map(|(_, next)| start(next.trim_start()))
        .find(|frame| context.place(frame.path).local && !frame.path.starts_with("/usr/lib/"));
    let finding = match place {
        Some(place) => finding.place(context, place.path, place.line, ""),
        None => finding,
    };
    Some(if command { finding.wrapper() } else { finding })
}
