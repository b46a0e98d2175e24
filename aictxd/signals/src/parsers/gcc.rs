//! GCC, Clang and their drivers.
//!
//! Yields `path:l:c: error: text`; an error inside a system header is placed where the repository
//! asked for it. Samples: 60–63, 68, 70, 103, 132.

use super::shape::{At, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["gcc", "g++", "cc", "c++", "clang", "clang++"],
    needles: &[": error: ", ": fatal error: ", ": warning: "],
    read,
};

/// Files that other compilers of the same dress own.
const FOREIGN: &[&str] = &[
    "py", "pyi", "java", "kt", "kts", "swift", "go", "rs", "ts", "tsx", "js", "jsx", "mjs",
    "scala", "ex", "exs", "sh", "bash", "rb", "php", "cs", "fs", "tex", "sql", "yml", "yaml",
    "json", "toml", "bat", "zig", "nim", "hs", "ml", "dart",
];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        // Two words that every such line has, before anything is parsed.
        let colon = line.find("error: ").or_else(|| line.find("warning: "))?;
        if colon == 0 {
            return None;
        }
        match location(line.trim_start()) {
            Some(place) => placed(context, lines, at, place),
            None => driver(context, at, line),
        }
    })
}

fn placed(context: &Context, lines: &Lines, at: usize, place: At) -> Option<Finding> {
    let name = place.path.rsplit(['/', '\\']).next()?;
    if name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| FOREIGN.contains(&extension))
    {
        return None;
    }
    let (warning, text) = if let Some(text) = place.rest.strip_prefix("error: ") {
        (false, text)
    } else if let Some(text) = place.rest.strip_prefix("fatal error: ") {
        (false, text)
    } else {
        (true, place.rest.strip_prefix("warning: ")?)
    };
    let (message, code) = trailing(text, '[', ']')
        .filter(|(_, code)| code.starts_with("-W"))
        .unwrap_or((text, ""));
    let finding = context
        .find(at, "c_cpp", "build", message)
        .code(code)
        .warning_if(warning);
    let asked = if warning || context.place(place.path).local {
        None
    } else {
        asked_from(context, lines, at)
    };
    let place = asked.unwrap_or(place);
    Some(finding.place(context, place.path, place.line, place.column))
}

/// Finds the place that instantiated the failed template: GCC says so above, Clang below.
fn asked_from<'t>(context: &Context, lines: &Lines<'t>, at: usize) -> Option<At<'t>> {
    let own = |place: &At| context.place(place.path).local;
    let from = at.saturating_sub(40);
    let above: Vec<&str> = lines.after(from, at - from).map(|(_, line)| line).collect();
    let above = above
        .iter()
        .rev()
        .take_while(|line| !line.contains(": error: "))
        .filter_map(|line| location(line))
        .find(|place| place.rest.contains("required from here") && own(place));
    above.or_else(|| {
        lines
            .after(at + 1, 60)
            .map(|(_, line)| line)
            .take_while(|line| !line.contains(": error: "))
            .filter_map(location)
            .find(|place| place.rest.starts_with("note: in instantiation") && own(place))
    })
}

/// `c++: fatal error: Killed signal terminated program cc1plus`.
fn driver(context: &Context, at: usize, line: &str) -> Option<Finding> {
    let (program, rest) = line.split_once(": ")?;
    let name = program.rsplit('/').next()?;
    let name = name
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim_end_matches('-');
    let name = name.rsplit('-').next()?;
    if !matches!(
        name,
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "cc1" | "cc1plus" | "cpp" | "emcc"
    ) {
        return None;
    }
    let text = rest
        .strip_prefix("fatal error: ")
        .or_else(|| rest.strip_prefix("error: "))?;
    if text.starts_with("linker command failed")
        || text.starts_with("ld returned")
        || text.starts_with("linking")
    {
        return None;
    }
    // `cc1: error: text [-Werror=x]`.
    let (message, code) = trailing(text, '[', ']')
        .filter(|(_, code)| code.starts_with("-W"))
        .unwrap_or((text, ""));
    Some(context.find(at, "c_cpp", "build", message).code(code))
}
