//! Docker: the daemon, the builder, compose. Samples: 90, 131.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};
use crate::substring::{Needle, starts_with_any};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["docker", "docker-compose", "podman", "buildah"],
    needles: &[
        "failed to solve: ",
        "Cannot connect to the Docker daemon",
        "Error response from daemon: ",
        "docker: Error",
    ],
    read,
};

static UNREACHABLE: Needle = Needle::new("Cannot connect to the Docker daemon");

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let docker = context.runs(&["docker", "docker-compose", "podman"]);
    lines.each(|lines, at, line| {
        let text = line
            .strip_prefix("ERROR: ")
            .or_else(|| line.strip_prefix("error: "))
            .or_else(|| line.strip_prefix("docker: "))
            .unwrap_or(line);
        if text.starts_with("failed to solve: ") {
            // `Dockerfile:7` stands above, over the lines of the file.
            let from = at.saturating_sub(40);
            let place = lines
                .after(from, at - from)
                .filter_map(|(_, line)| location(line))
                .filter(|place| {
                    place.rest.is_empty() && place.path.to_lowercase().contains("dockerfile")
                })
                .last();
            let finding = context.find(at, "docker", "build", text);
            return Some(match place {
                Some(place) => finding.place(context, place.path, place.line, ""),
                None => finding,
            });
        }
        if UNREACHABLE.is_in(text) {
            let build = context.run.command.contains("build");
            return Some(context.find(at, "docker", if build { "build" } else { "runtime" }, text));
        }
        let daemon = text.strip_prefix("Error response from daemon: ");
        let told = starts_with_any(
            text,
            &[
                "unable to prepare context",
                "invalid reference format",
                "failed to ",
                "no such service",
                "no configuration file provided",
                "open ",
                "Error: ",
            ],
        );
        let marked = text.len() != line.len() && !line.starts_with("ERROR: ");
        if daemon.is_some() || (docker && (told || marked)) {
            let message = daemon.unwrap_or(text);
            let build = context.run.command.contains("build");
            return Some(context.find(
                at,
                "docker",
                if build { "build" } else { "runtime" },
                message,
            ));
        }
        None
    })
}
