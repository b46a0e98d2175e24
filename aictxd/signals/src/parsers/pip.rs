//! pip and uv: what cannot be installed.
//!
//! Applies by the wording of pip's own errors, wherever pip was started from. Samples: 18, 131.

use super::shape::joined;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["pip", "pip3", "uv", "pipx"],
    needles: &[
        "No matching distribution found for ",
        "ResolutionImpossible",
        "Could not open requirements file",
        "Invalid requirement: ",
        "subprocess-exited-with-error",
        "Could not install packages due to",
        "Could not build wheels for ",
        "Failed to build installable wheels",
        "requires a different Python",
        "externally-managed-environment",
        "No solution found when resolving",
    ],
    read,
};

/// Starts of lines behind `ERROR: ` that pip prints.
const KNOWN: &[&str] = &[
    "No matching distribution found for ",
    "Cannot install ",
    "Could not open requirements file",
    "Invalid requirement: ",
    "Could not install packages due to",
    "Could not build wheels for ",
    "Failed to build installable wheels",
    "Failed building wheel for ",
    "Package ",
    "Ignored the following",
    "THESE PACKAGES DO NOT MATCH THE HASHES",
    "Hash",
    "Directory ",
    "File ",
    "You must give at least one requirement",
    "Double requirement given",
    "Error [",
    "HTTP error ",
    "Operation cancelled",
];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let installer = context.runs(&["pip", "pip3", "pipx"]);
    let mut built = false;
    lines.each(|lines, at, line| {
        let tool = if context.runs(&["uv"]) { "uv" } else { "pip" };
        let message = if let Some(text) = line.strip_prefix("ERROR: ") {
            let known = KNOWN.iter().any(|start| text.starts_with(start));
            let remark = text == "Exception:"
                || text.starts_with("Could not find a version that satisfies")
                || text.starts_with("ResolutionImpossible")
                || text.starts_with("Ignored the following");
            // What failed to build was told at the head of the block.
            let again = built
                && (text.starts_with("Failed building wheel for ")
                    || text.starts_with("Could not build wheels for ")
                    || text.starts_with("Failed to build installable wheels"));
            if remark || again || !(known || installer) {
                return None;
            }
            text.to_owned()
        } else if line.trim() == "error: subprocess-exited-with-error" {
            built = true;
            let (_, told) = lines
                .after(at + 1, 4)
                .find(|(_, next)| next.trim_start().starts_with("× "))?;
            told.trim_start().trim_start_matches("× ").to_owned()
        } else if line.trim() == "error: externally-managed-environment" {
            "externally-managed-environment".to_owned()
        } else if line
            .trim_start()
            .starts_with("× No solution found when resolving")
        {
            let reason = lines.after(at + 1, 12).map(|(_, next)| next.trim_start());
            joined(
                reason
                    .take_while(|next| !next.is_empty() && !next.starts_with("hint:"))
                    .map(|next| next.trim_start_matches(['╰', '─', '▶', ' '])),
            )
        } else if tool == "uv"
            && let Some(text) = line.strip_prefix("error: ")
        {
            text.to_owned()
        } else {
            return None;
        };
        Some(context.find(at, "python", "build", &message).tool(tool))
    })
}
