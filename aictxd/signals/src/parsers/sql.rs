//! Command-line clients of databases: psql, sqlite3, mysql.

use super::shape::{digits, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[
        "psql",
        "sqlite3",
        "mysql",
        "mariadb",
        "pg_dump",
        "createdb",
        "dropdb",
        "pg_restore",
    ],
    needles: &["psql:", "ERROR 1", "ERROR 2", "near line "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let client = |names: &[&str]| context.runs(names);
    lines.each(|lines, at, line| {
        let find =
            |tool: &str, message: &str| context.find(at, "unknown", "runtime", message).tool(tool);
        if client(&["sqlite3"]) || line.contains(" near line ") {
            return sqlite(context, at, line);
        }
        if let Some(rest) = line.strip_prefix("ERROR ")
            && let Some((number, rest)) = digits(rest)
        {
            // `ERROR 1064 (42000) at line 1: text`, with the file in newer versions.
            let (head, message) = rest.split_once(": ")?;
            let _ = head.strip_prefix(" (")?;
            return Some(find("mysql", message).code(number));
        }
        if let Some(rest) = line.strip_prefix("psql:") {
            let rest = rest.trim_start();
            if let Some(place) = location(rest) {
                let message = place
                    .rest
                    .strip_prefix("ERROR: ")
                    .or_else(|| place.rest.strip_prefix("FATAL: "))?
                    .trim_start();
                return Some(find("psql", message).place(
                    context,
                    place.path,
                    place.line,
                    place.column,
                ));
            }
            let message = rest
                .strip_prefix("error: ")
                .or_else(|| rest.strip_prefix("FATAL: "))
                .unwrap_or(rest)
                .trim_start();
            return Some(find("psql", message));
        }
        if client(&["psql"]) || lines.get(at + 1).starts_with("LINE ") {
            let message = line
                .strip_prefix("ERROR:  ")
                .or_else(|| line.strip_prefix("FATAL:  "))?;
            return Some(find("psql", message));
        }
        None
    })
}

/// `Error: in prepare, no such table: nope`, `Parse error near line 2: text`, `Runtime error …`.
fn sqlite(context: &Context, at: usize, line: &str) -> Option<Finding> {
    for start in ["Parse error", "Runtime error", "Error"] {
        let Some(rest) = line.strip_prefix(start) else {
            continue;
        };
        let message = match rest.strip_prefix(" near line ") {
            Some(rest) => rest.split_once(": ")?.1,
            None => rest.strip_prefix(": ").or_else(|| {
                rest.strip_prefix(" in ")
                    .and_then(|rest| rest.split_once(": ").map(|(_, text)| text))
            })?,
        };
        let message = message.strip_prefix("in prepare, ").unwrap_or(message);
        return Some(
            context
                .find(at, "unknown", "runtime", message)
                .tool("sqlite3"),
        );
    }
    None
}
