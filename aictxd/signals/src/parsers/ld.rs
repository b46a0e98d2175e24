//! Linkers: GNU ld, gold, lld, mold and Apple's.
//!
//! Yields undefined and doubly defined symbols and missing libraries. Samples: 52, 64.

use super::shape::{At, digits, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["ld", "ld.lld", "lld", "mold"],
    needles: &[
        "undefined reference to ",
        "multiple definition of ",
        "cannot find -l",
        "unable to find library",
        "undefined symbol: ",
        "duplicate symbol",
        "Undefined symbols for architecture",
        "cannot find lib",
        "library not found for",
        "library '",
        ": cannot find ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    // Built once: a search set up anew for every line costs more than reading the line.
    let wordings = [
        "undefined reference to ",
        "multiple definition of ",
        "cannot find ",
        "lld: error: ",
        "mold: ",
        "Undefined symbols for architecture ",
        "ld: ",
    ]
    .map(memchr::memmem::Finder::new);
    lines.each(|lines, at, line| {
        if !wordings
            .iter()
            .any(|wording| wording.find(line.as_bytes()).is_some())
        {
            return None;
        }
        for wording in ["undefined reference to ", "multiple definition of "] {
            if let Some(start) = line.find(wording) {
                let message = line.get(start..)?.split("; ").next()?;
                let place = object_place(line.get(..start)?);
                return Some(found(context, at, message, place));
            }
        }
        if let Some(start) = line
            .find("cannot find ")
            .filter(|_| line.contains("ld") && line.contains(": cannot find "))
        {
            return Some(found(context, at, line.get(start..)?, None));
        }
        if let Some((_, message)) = line
            .split_once("lld: error: ")
            .or_else(|| line.split_once("mold: error: "))
            .or_else(|| line.split_once("mold: fatal: "))
        {
            let place = lines.after(at + 1, 3).find_map(|(_, next)| {
                let rest = next
                    .strip_prefix(">>> referenced by ")
                    .or_else(|| next.strip_prefix(">>> defined at "))?;
                Some(match location(rest) {
                    Some(place) => place,
                    None => bare(rest.split(' ').next()?),
                })
            });
            return Some(found(context, at, message, place));
        }
        if line.starts_with("Undefined symbols for architecture ") {
            let symbol = lines.get(at + 1).trim().split(", referenced").next()?;
            return Some(found(context, at, &format!("{line} {symbol}"), None));
        }
        let text = line.strip_prefix("ld: ")?;
        let known = text.starts_with("library ")
            || text.contains("duplicate symbol")
            || text.starts_with("framework ");
        known.then(|| found(context, at, text, None))
    })
}

fn found(context: &Context, at: usize, message: &str, place: Option<At>) -> Finding {
    let finding = context.find(at, "c_cpp", "build", message).tool("ld");
    match place.filter(|place| !place.path.ends_with(".o") && !place.path.ends_with(".a")) {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    }
}

fn bare(path: &str) -> At<'_> {
    At {
        path,
        line: "",
        column: "",
        rest: "",
    }
}

/// The source in `/usr/bin/ld: main.o:main.c:(.text+0x11): ` or `/r/main.c:1: `.
fn object_place(before: &str) -> Option<At<'_>> {
    let text = before.trim_end_matches([' ', ':']);
    let text = text.rsplit(": ").next()?;
    if let Some((path, _)) = text.split_once(":(.") {
        let path = path.rsplit(':').next()?;
        return Some(bare(path));
    }
    let (path, line) = text.rsplit_once(':')?;
    let path = path.rsplit(".o:").next()?;
    digits(line)?;
    Some(At {
        path,
        line,
        column: "",
        rest: "",
    })
}
