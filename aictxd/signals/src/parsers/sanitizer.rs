//! Sanitizers of GCC and Clang.
//!
//! Yields the kind of the error with the place of the summary or of the first frame of ours.
//! Samples: 65.

use super::shape::{At, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["Sanitizer: ", ": runtime error: ", "== Memcheck"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let findings = lines.each(|lines, at, line| {
        if let Some(place) = location(line)
            && let Some(text) = place.rest.strip_prefix("runtime error: ")
        {
            let finding = context
                .find(at, "c_cpp", "runtime", text)
                .code("UndefinedBehaviorSanitizer");
            return Some(finding.place(context, place.path, place.line, place.column));
        }
        if line.starts_with("==")
            && let Some(finding) = valgrind(context, lines, at, line)
        {
            return Some(finding);
        }
        let rest = line
            .split_once("ERROR: ")
            .or_else(|| line.split_once("WARNING: "))
            .map(|(_, rest)| rest)?;
        let (name, text) = rest.split_once(": ")?;
        if !name.ends_with("Sanitizer") || name.contains(' ') {
            return None;
        }
        let kind = text
            .split(" on address ")
            .next()?
            .split(" on unknown address ")
            .next()?
            .split(" on 0x")
            .next()?
            .split(" (pid")
            .next()?
            .trim_end();
        let finding = context.find(at, "c_cpp", "runtime", kind).code(name);
        let body = || {
            lines
                .after(at + 1, 300)
                .map(|(_, line)| line)
                .take_while(|line| !line.contains("ERROR: "))
        };
        let summary = body().find_map(|line| {
            let (_, rest) = line.strip_prefix("SUMMARY: ")?.split_once(": ")?;
            // `kind path:5 in main`, and the older `kind (path:5:3) in main`.
            let words = rest.split_whitespace().rev();
            words
                .filter_map(|word| location(word.trim_matches(['(', ')'])))
                .find(|place| place.rest.is_empty())
        });
        let own = |place: &At| context.place(place.path).local;
        let frame = body()
            .filter(|line| line.trim_start().starts_with('#'))
            .filter_map(|line| location(line.rsplit(' ').next()?))
            .find(own);
        let place = summary.filter(own).or(frame).or(summary);
        Some(match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        })
    });
    if !findings.is_empty() {
        // The shadow memory and its legend mean nothing to anybody else.
        let from = findings
            .iter()
            .map(|finding| finding.at)
            .min()
            .unwrap_or_default();
        let last = lines
            .after(from, 600)
            .filter(|(_, line)| line.starts_with("SUMMARY: ") || line.contains("==ABORTING"))
            .last();
        if let Some((end, _)) = last {
            lines.claim(from..end + 1);
        }
    }
    findings
}

/// `==9179== Invalid read of size 4` and the first frame of ours below it.
fn valgrind(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    const KINDS: &[&str] = &[
        "Invalid read of size",
        "Invalid write of size",
        "Invalid free()",
        "Mismatched free()",
        "Conditional jump or move depends",
        "Use of uninitialised value",
        "Jump to the invalid address",
        "Syscall param ",
    ];
    let told = |line: &'_ str| -> Option<String> {
        let (_, rest) = line.strip_prefix("==")?.split_once("==")?;
        Some(rest.to_owned())
    };
    let text = told(line)?;
    let text = text.trim();
    let lost = text.contains(" are definitely lost in loss record");
    if !lost && !KINDS.iter().any(|kind| text.starts_with(kind)) {
        return None;
    }
    let finding = context.find(at, "c_cpp", "runtime", text).tool("valgrind");
    let place = lines
        .after(at + 1, 30)
        .map(|(_, next)| next)
        .take_while(|next| told(next).is_some_and(|text| !text.trim().is_empty()))
        .filter_map(|next| location(next.strip_suffix(')')?.rsplit_once('(')?.1))
        .find(|place| context.place(place.path).local);
    Some(match place {
        Some(place) => finding.place(context, place.path, place.line, ""),
        None => finding,
    })
}
