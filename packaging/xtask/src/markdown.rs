//! `docs/reference.md`: the commands and the environment variables.

use std::fmt::Write;

use aictx_client::cli::environment::VARIABLES;
use aictx_client::cli::help::{EXIT_STATUSES, GROUPS};
use clap::{Arg, Command};

/// The whole page.
pub(crate) fn page(command: &Command) -> String {
    let mut out = String::from(
        "<!-- Written by `cargo xtask reference`; edit aictx-client/src/cli/arguments.rs and environment.rs. -->\n\
         # Reference\n\n\
         Every command takes `--json` (one line of JSON on standard output, errors included: \
         `{\"ok\":false,\"error\":{\"code\",\"message\",\"hint\"}}`) and `--no-color`.\n",
    );
    for group in GROUPS {
        let _ = write!(out, "\n## {}\n", group.title);
        for name in group.commands {
            let shown = visible(command).find(|child| child.get_name() == *name);
            shown.into_iter().for_each(|child| section(child, &mut out));
        }
    }
    out.push_str("\n## Exit statuses\n\n| status | meaning |\n|---|---|\n");
    for (status, meaning) in EXIT_STATUSES {
        let _ = writeln!(out, "| {status} | {meaning} |");
    }
    out.push_str("\n## Environment variables\n\n| variable | meaning |\n|---|---|\n");
    for variable in VARIABLES {
        let _ = writeln!(out, "| `{}` | {} |", variable.name, variable.meaning);
    }
    out
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set())
}

fn section(command: &Command, out: &mut String) {
    let children: Vec<&Command> = visible(command).collect();
    if !children.is_empty() {
        for child in children {
            section(child, out);
        }
        return;
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_about().map(ToString::to_string);
    let _ = write!(
        out,
        "\n### `{name}`\n\n{}.\n\n```\n{usage}\n```\n",
        about.unwrap_or_default()
    );
    let rows: Vec<String> = command
        .get_arguments()
        .filter(|a| !a.is_hide_set() && !a.is_global_set() && a.get_id() != "help")
        .map(row)
        .collect();
    if !rows.is_empty() {
        let _ = write!(
            out,
            "\n| argument | meaning |\n|---|---|\n{}\n",
            rows.join("\n")
        );
    }
}

fn row(argument: &Arg) -> String {
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|v| !v.is_hide_set())
        .map(|v| format!("`{}`", v.get_name()))
        .collect();
    let takes_value = argument.get_action().takes_values();
    let mut help = argument
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    if takes_value && !values.is_empty() {
        let _ = write!(help, ": {}", values.join(", "));
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|v| v.to_string_lossy().into_owned())
        .filter(|v| !v.is_empty())
        .collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(help, " (default `{}`)", defaults.join(" "));
    }
    format!(
        "| `{}` | {} |",
        spelling(argument),
        help.replace('|', "\\|")
    )
}

fn spelling(argument: &Arg) -> String {
    let mut out = argument.to_string().replace('|', "\\|");
    if let (Some(short), Some(_)) = (argument.get_short(), argument.get_long()) {
        out = format!("-{short}, {out}");
    }
    out
}
