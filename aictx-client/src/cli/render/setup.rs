//! Renders installations, removals and diagnoses.

use aictx_proto::methods::{
    AgentChosen, Check, CheckStatus, DoctorReply, FileChange, InitReply, InstallReply, PersonStep,
    RemovalReply,
};
use aictx_proto::text::shell_line;

use crate::cli::terminal_text::{Paint, clean, table};

/// Returns true if something becomes of a file.
pub fn changes(action: &str) -> bool {
    !matches!(action, "unchanged" | "skipped" | "kept")
}

fn files(list: &[FileChange]) -> String {
    let rows: Vec<Vec<String>> = list
        .iter()
        .map(|file| {
            let reason = if file.action == "skipped" {
                String::new()
            } else {
                clean(&file.reason)
            };
            vec![clean(&file.action), clean(&file.path), reason]
        })
        .collect();
    table(&rows, 2)
}

fn diffs(list: &[FileChange]) -> String {
    let shown = list.iter().filter(|file| !file.diff.is_empty());
    shown
        .map(|file| format!("\n{}\n{}", clean(&file.path), clean(&file.diff)))
        .collect()
}

fn steps(list: &[PersonStep]) -> String {
    let mut out = String::new();
    for step in list {
        out.push_str(&format!(
            "\n{}: {}\n",
            clean(&step.agent),
            clean(&step.without)
        ));
        for how in &step.how {
            out.push_str(&format!("  - {}\n", clean(how)));
        }
    }
    out
}

fn agents(list: &[AgentChosen]) -> String {
    let rows: Vec<Vec<String>> = list
        .iter()
        .map(|agent| vec![clean(&agent.title), clean(&agent.evidence)])
        .collect();
    table(&rows, 2)
}

/// `aictx install`, before it is done: which files.
pub fn brief(reply: &InstallReply) -> String {
    let parts = [
        ("agents", agents(&reply.agents)),
        ("files", files(&reply.files)),
    ];
    let said = parts.iter().filter(|(_, text)| !text.is_empty());
    said.map(|(title, text)| format!("{title}\n{text}"))
        .collect()
}

/// `aictx mcp install`.
pub fn files_only(reply: &InstallReply) -> String {
    let mut out = brief(reply);
    if reply.dry_run {
        out.push_str(&diffs(&reply.files));
        out.push_str("\nnothing was written\n");
    }
    out
}

/// `aictx install`.
pub fn install(reply: &InstallReply) -> String {
    let mut out = files_only(reply);
    if reply.dry_run {
        return out;
    }
    out.push_str(&steps(&reply.steps));
    if !reply.agents.is_empty() {
        out.push_str(
            "\nnext: `aictx init` in a repository; hooks do nothing where that was not done\n",
        );
    }
    out
}

/// `aictx init`.
pub fn init(reply: &InitReply) -> String {
    let mut out = format!("{}\n{}", clean(&reply.repo), files(&reply.files));
    if reply.dry_run {
        out.push_str(&diffs(&reply.files));
        out.push_str("\nnothing was written\n");
        return out;
    }
    if reply.portable {
        out.push_str(
            "  what is remembered goes through git: commit .gitignore, .gitattributes and .aictx\n",
        );
    }
    if reply.registered {
        out.push_str("  registered with the daemon\n");
    }
    let earlier: u64 = reply.earlier.iter().map(|one| one.sessions).sum();
    if earlier > 0 {
        let agents = reply.earlier.iter().map(|one| clean(&one.agent));
        let agents: Vec<String> = agents.collect();
        let agents = match agents.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => agents.concat(),
        };
        out.push_str(&format!(
            "  {earlier} earlier session{} of {agents} found: `aictx import --dry-run`\n",
            if earlier == 1 { "" } else { "s" }
        ));
    }
    // Only Claude Code has personal settings in a repository; the others have the user's.
    let without = reply.agents.iter().filter(|agent| {
        !agent.user_hooks && agent.agent != "cline" && (reply.stealth || agent.agent != "claude")
    });
    let without: Vec<String> = without.map(|agent| clean(&agent.title)).collect();
    if !without.is_empty() {
        out.push_str(&format!(
            "  {} {} not registered yet: `aictx install` does it for all repositories\n",
            without.join(", "),
            if without.len() == 1 { "is" } else { "are" }
        ));
    }
    out.push_str(&steps(&reply.steps));
    out
}

/// `aictx clean` and `aictx uninstall`.
pub fn removal(reply: &RemovalReply) -> String {
    let mut out = files(&reply.files);
    if out.is_empty() {
        out.push_str("there was nothing to take out\n");
    }
    for place in &reply.archived {
        out.push_str(&format!("what was remembered is in {}\n", clean(place)));
    }
    if !reply.verified.is_empty() {
        let rows: Vec<Vec<String>> = reply
            .verified
            .iter()
            .map(|file| {
                let word = if file.identical {
                    "as before"
                } else {
                    "differs"
                };
                vec![word.to_owned(), clean(&file.path), clean(&file.reason)]
            })
            .collect();
        out.push_str(&format!("verified\n{}", table(&rows, 2)));
    }
    if reply.dry_run {
        out.push_str(&diffs(&reply.files));
        out.push_str("nothing was done\n");
    }
    out
}

/// `aictx doctor`.
pub fn doctor(reply: &DoctorReply, paint: Paint) -> String {
    let mut out = format!(
        "AICTX doctor: {}\nversion {}, mode {}\n",
        status(reply.status, paint),
        clean(&reply.version),
        clean(&reply.mode)
    );
    for check in &reply.checks {
        out.push_str(&format!(
            "- {}: {} — {}\n",
            clean(&check.name),
            status(check.status, paint),
            clean(&check.summary)
        ));
        out.push_str(&evidence(check));
    }
    if !reply.action_plan.is_empty() {
        out.push_str("\nrecommended\n");
        for step in &reply.action_plan {
            out.push_str(&format!("- {}", clean(&step.action)));
            if !step.command.is_empty() {
                out.push_str(&format!(": {}", clean(&shell_line(&step.command))));
            }
            out.push('\n');
        }
    }
    out
}

fn evidence(check: &Check) -> String {
    if matches!(check.status, CheckStatus::Ok | CheckStatus::Unknown) {
        return String::new();
    }
    let texts = |name: &str| {
        let list = check.details.get(name).and_then(|v| v.as_array());
        list.into_iter().flatten()
    };
    let examples =
        texts("examples").filter_map(|text| Some(format!("    {}\n", clean(text.as_str()?))));
    let files = texts("files").filter_map(|file| {
        let word = |name: &str| file.get(name).and_then(|v| v.as_str());
        Some(format!(
            "    {}: {}\n",
            clean(word("file")?),
            clean(word("state")?)
        ))
    });
    examples.chain(files).collect()
}

fn status(status: CheckStatus, paint: Paint) -> String {
    match status {
        CheckStatus::Error => paint.red(status.as_str()),
        CheckStatus::Warning => paint.yellow(status.as_str()),
        CheckStatus::Ok | CheckStatus::Unknown => status.as_str().to_owned(),
    }
}
