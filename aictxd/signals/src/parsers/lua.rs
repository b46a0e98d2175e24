//! Lua and LuaJIT. Samples: 98.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["lua", "luajit", "luac"],
    needles: &["lua: ", "lua5", "luajit: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let (program, text) = line.split_once(": ")?;
        let name = program.rsplit('/').next()?;
        if !name.starts_with("lua") || name.contains(' ') || name.contains(".lua") {
            return None;
        }
        // The place of code given on the command line has brackets, and no file.
        let inline = text
            .strip_prefix("(command line):")
            .and_then(super::shape::digits)
            .and_then(|(_, rest)| rest.strip_prefix(": "));
        if let Some(message) = inline {
            return Some(context.find(at, "lua", "runtime", message));
        }
        Some(match location(text) {
            Some(place) => context.find(at, "lua", "runtime", place.rest).place(
                context,
                place.path,
                place.line,
                place.column,
            ),
            None => context.find(at, "lua", "runtime", text),
        })
    })
}
