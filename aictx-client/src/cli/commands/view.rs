//! `view`: what is remembered on one page, and `advanced`: the commands beyond the daily ones.

use std::fs;

use aictx_proto::methods::{MEMORY_VIEW, ViewParams, ViewReply};
use clap::CommandFactory;
use serde_json::{Value, json};

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::{CommandLine, View};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;

/// Commands of every day, which `advanced` leaves out.
const DAILY: [&str; 7] = [
    "install",
    "init",
    "resume",
    "finalize",
    "clean",
    "uninstall",
    "advanced",
];

/// `aictx view`.
pub(super) fn view(backend: &Backend, options: &View) -> Result<Answer, CliError> {
    let params = ViewParams {
        repo: absolute(&options.at.repo)?,
        write: options.output.is_none(),
    };
    let reply: ViewReply = parse(backend.call(MEMORY_VIEW, &params)?)?;
    let shown = if options.mermaid {
        &reply.mermaid
    } else {
        &reply.markdown
    };
    let mut view = json!({
        "format": if options.mermaid { "mermaid" } else { "markdown" },
        "content": shown, "generated_at": reply.generated_at,
        "markdown_path": reply.markdown_path, "mermaid_path": reply.mermaid_path,
    });
    let mut answer = Answer {
        text: shown.clone(),
        ..Answer::default()
    };
    match &options.output {
        Some(file) => {
            fs::write(file, shown).map_err(|e| CliError::io(file.display(), &e))?;
            aictx_proto::json::set(&mut view, "markdown_path", file.to_string_lossy());
            answer.text = format!("wrote {}\n", file.display());
        }
        None => answer.notes = format!("wrote {}\n", reply.markdown_path),
    }
    answer.value = json!({ "ok": true, "view": view, "summary": reply.summary });
    Ok(answer)
}

/// `aictx advanced`.
pub(super) fn advanced() -> Answer {
    let line = CommandLine::command();
    let commands: Vec<(String, String)> = line
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && !DAILY.contains(&command.get_name()))
        .map(|command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        })
        .collect();
    let mut text =
        String::from("Every day: aictx install, init, resume, finalize. Beyond them:\n\n");
    for (name, about) in &commands {
        text.push_str(&format!("  {name:<12} {about}\n"));
    }
    text.push_str("\n`aictx COMMAND --help` shows the options of each\n");
    let listed = commands.iter();
    let listed: Vec<Value> = listed
        .map(|(name, about)| json!({ "name": name, "about": about }))
        .collect();
    Answer {
        value: json!({ "commands": listed }),
        text,
        ..Answer::default()
    }
}
