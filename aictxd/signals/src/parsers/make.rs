//! make and ninja.
//!
//! That a recipe failed is told only when its own output says nothing, with the last line it
//! printed; what make itself finds wrong is told always. Samples: 71.

use super::shape::{all_of, digits};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["*** ", "ninja: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if let Some(text) = line.strip_prefix("ninja: ") {
            if let Some(text) = text
                .strip_prefix("error: ")
                .or_else(|| text.strip_prefix("fatal: "))
            {
                let finding = context.find(at, "make", "build", text).tool("ninja");
                return Some(if text.ends_with("subcommand failed") {
                    finding.wrapper()
                } else {
                    finding
                });
            }
            return text.starts_with("build stopped").then(|| {
                context
                    .find(at, "make", "build", text)
                    .tool("ninja")
                    .wrapper()
            });
        }
        let (head, text) = line.split_once("*** ")?;
        let head = head.trim_end_matches([' ', ':']);
        let program = head.split('[').next().unwrap_or(head);
        let own = matches!(
            program.rsplit('/').next()?,
            "make" | "gmake" | "mingw32-make"
        );
        if text.starts_with("Waiting for unfinished jobs") || text.ends_with("(ignored)") {
            return None;
        }
        if !own {
            // `Makefile:2: *** missing separator.  Stop.`
            let (path, number) = head.rsplit_once(':')?;
            digits(number).filter(|(_, rest)| rest.is_empty())?;
            let message = stopped(text)?;
            return Some(
                context
                    .find(at, "make", "build", message)
                    .place(context, path, number, ""),
            );
        }
        if let Some(message) = stopped(text) {
            return Some(context.find(at, "make", "build", message));
        }
        recipe(context, lines, at, text)
    })
}

fn stopped(text: &str) -> Option<&str> {
    let text = text.trim_end().strip_suffix("Stop.")?.trim_end();
    Some(text.strip_suffix('.').unwrap_or(text))
}

/// `[Makefile:3: deploy] Error 3`, `[deploy] Error 3`, `[x.o] Segmentation fault`.
fn recipe(context: &Context, lines: &Lines, at: usize, text: &str) -> Option<Finding> {
    let (inside, result) = text.strip_prefix('[')?.split_once("] ")?;
    let (place, target) = inside
        .split_once(": ")
        .map_or((None, inside), |(place, target)| {
            (place.rsplit_once(':'), target)
        });
    let code = result
        .strip_prefix("Error ")
        .filter(|code| all_of(code, |c| c.is_ascii_digit()))
        .unwrap_or(result);
    let said = lines
        .all()
        .get(..at)?
        .iter()
        .rev()
        .take(50)
        .map(|line| line.trim())
        .find(|line| {
            !line.is_empty()
                && !line.contains("*** [")
                && !line.contains(": Entering directory")
                && !line.contains(": Leaving directory")
        });
    let message = match said {
        Some(said) => format!("{target}: {said}"),
        None => format!("{target}: {result}"),
    };
    let finding = context
        .find(at, "make", "build", &message)
        .code(code)
        .wrapper();
    Some(match place {
        Some((path, number)) => finding.place(context, path, number, ""),
        None => finding,
    })
}
