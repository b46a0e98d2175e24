//! The agents: whether hooks are registered, whether they may run, and what another program of the
//! same name left there.

use std::path::Path;

use aictx_proto::methods::{Check, CheckStatus};
use aictx_proto::snapshot::Snapshot;
use aictx_runners::merge::{After, install};
use aictx_runners::plan::{Allowed, Detected, Edit, Scope};
use aictx_runners::python_aictx;
use serde_json::{Value, json};

use super::{check, command, examples};
use crate::app::App;
use crate::methods::init::Site;
use crate::methods::mcp;
use crate::setup::Carrier;
use crate::setup::agent_detection::{Around, holds_ours};
use crate::setup::files::{self, Bounds};
use crate::setup::ledger::Ledger;

/// State of a file compared with the planned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Missing,
    Broken,
    Outdated,
    Current,
}

fn standing(edit: &Edit, bounds: &Bounds) -> Standing {
    let found = match files::read(Path::new(&edit.file), bounds) {
        Ok(found) => found,
        Err(_) => return Standing::Broken,
    };
    match install(&edit.file, found.text.as_deref(), &edit.content, false) {
        Err(_) => Standing::Broken,
        Ok(outcome) if outcome.after == After::Unchanged => Standing::Current,
        Ok(_) if holds_ours(edit, bounds) => Standing::Outdated,
        Ok(_) => Standing::Missing,
    }
}

/// Checks that an agent's hooks are registered and current.
pub(super) fn hooks(agent: &Detected, around: &Around, site: Option<&Site>) -> (Check, bool) {
    let name = format!("hooks_{}", agent.agent);
    let mut places = vec![("user", Scope::User, around.user_bounds())];
    if let Some(site) = site {
        for (word, shared) in [("local", false), ("shared", true)] {
            places.push((word, Scope::Repository { shared }, site.bounds(&[])));
        }
    }
    let mut found = Vec::new();
    for (word, scope, bounds) in &places {
        for edit in around.hook_files(agent.agent, *scope) {
            found.push((*word, standing(&edit, bounds), edit.file));
        }
    }
    let best = found.iter().map(|(_, standing, _)| *standing).max();
    let listed: Vec<Value> = found
        .iter()
        .map(|(word, standing, file)| {
            let standing = match standing {
                Standing::Missing => "missing",
                Standing::Broken => "unreadable",
                Standing::Outdated => "outdated",
                Standing::Current => "registered",
            };
            json!({ "level": word, "file": file, "state": standing })
        })
        .collect();
    let details = json!({ "evidence": agent.evidence, "files": listed });
    let install = command(&["aictx", "install", "--agents", agent.agent, "--yes"]);
    let title = agent.title;
    let (status, summary, action, command) = match best {
        Some(Standing::Current) => (CheckStatus::Ok, "hooks are registered", "", Vec::new()),
        Some(Standing::Outdated) => (
            CheckStatus::Warning,
            "hooks are registered, but not as this version does it",
            "register them anew",
            install,
        ),
        Some(Standing::Broken) => (
            CheckStatus::Error,
            "its settings cannot be read, so no hooks can be registered",
            "repair the file that is named",
            Vec::new(),
        ),
        Some(Standing::Missing) => (
            CheckStatus::Warning,
            "no hooks are registered",
            "register them",
            install,
        ),
        None => (
            CheckStatus::Ok,
            "takes rules and tools, and no hooks by default",
            "",
            Vec::new(),
        ),
    };
    let check = Check {
        name,
        status,
        summary: format!("{title}: {summary}"),
        details,
        recommended_action: if action.is_empty() {
            String::new()
        } else {
            format!("{title}: {action}")
        },
        safe: !command.is_empty(),
        command,
    };
    let registered = matches!(best, Some(Standing::Current | Standing::Outdated));
    (check, registered)
}

/// Checks that an agent runs its registered hooks: by its own files, else by
/// what was heard of it.
pub(super) fn trust(agent: &Detected, around: &Around, memory: Option<&Snapshot>) -> Check {
    let name = format!("trust_{}", agent.agent);
    let Allowed {
        trusted,
        off,
        evidence,
    } = around.allowed(agent.agent);
    let heard = memory.is_some_and(|memory| {
        let mut handoffs = memory
            .handoffs
            .iter()
            .filter(|handoff| handoff.origin.is_own());
        let mut executions = memory.executions.iter();
        handoffs.any(|row| row.agent_id == agent.agent)
            || executions.any(|row| row.agent_id == agent.agent)
    });
    let title = agent.title;
    let details = json!({ "evidence": evidence, "heard": heard, "trusted": trusted });
    let probe = command(&["aictx", "hook", "probe", agent.agent]);
    if let Some(setting) = off {
        return Check {
            name,
            summary: format!("{title}: all hooks are switched off by {setting}"),
            details,
            recommended_action: format!("{title}: take that setting out"),
            ..check("", CheckStatus::Error)
        };
    }
    match (trusted, heard) {
        (Some(false), _) => Check {
            name,
            summary: format!(
                "{title}: its hooks are not approved, and it skips them without a word"
            ),
            details,
            recommended_action: around.approval(agent.agent).join("; "),
            command: probe,
            ..check("", CheckStatus::Warning)
        },
        (Some(true), _) => Check {
            name,
            summary: format!("{title}: its hooks may run"),
            details,
            ..check("", CheckStatus::Ok)
        },
        (None, true) => Check {
            name,
            summary: format!("{title}: its hooks have run here"),
            details,
            ..check("", CheckStatus::Ok)
        },
        (None, false) => Check {
            name,
            summary: format!("{title}: nothing was heard of it here yet"),
            details,
            ..check("", CheckStatus::Unknown)
        },
    }
}

/// Checks that agents have a working entry for the MCP server. None at all may be
/// what the user wanted.
pub(super) fn server(agents: &[Detected], around: &Around, site: Option<&Site>) -> Check {
    let standing = mcp::standing(around, agents, site);
    let places = || standing.global.files.iter().chain(&standing.repo.files);
    let of = |state: &str| places().filter(|entry| entry.state == state).count();
    let check = |status, summary: String| Check {
        summary,
        details: json!({ "global": standing.global, "repo": standing.repo }),
        ..check("mcp", status)
    };
    let again = |check: Check, action: &str| Check {
        recommended_action: action.to_owned(),
        command: command(&["aictx", "mcp", "install"]),
        safe: true,
        ..check
    };
    let (broken, unreadable, registered) = (of("broken"), of("unreadable"), of("registered"));
    if broken > 0 {
        let summary = format!("{broken} MCP entries start a program that is not there");
        let check = check(CheckStatus::Error, summary);
        return again(check, "write the entries of the MCP server anew");
    }
    if unreadable > 0 {
        let summary = format!("{unreadable} files for MCP entries cannot be read");
        return Check {
            recommended_action: "repair the files that are named".to_owned(),
            ..check(CheckStatus::Warning, summary)
        };
    }
    if let Some(off) = places().find(|entry| entry.state == "off") {
        let summary = format!(
            "the entry for {} in {} is switched off; that agent has no tools of aictx",
            off.agent, off.file
        );
        return check(CheckStatus::Ok, summary);
    }
    if registered + of("yours") == 0 {
        let summary = "no agent has the tools of aictx; `aictx mcp install` offers them";
        return check(CheckStatus::Unknown, summary.to_owned());
    }
    let summary = format!("{registered} MCP entries start a program that is there");
    check(CheckStatus::Ok, summary)
}

/// Entries of the Python program of the same name: hooks that run twice, and servers that are gone.
pub(super) fn leftovers(app: &App, around: &Around, site: Option<&Site>) -> Option<Check> {
    let mut found = Vec::new();
    let mut ledger = Ledger::open(&app.locations.state, false).ok()?;
    let mut look = |scope: Scope, bounds: Bounds| {
        let mut carrier = Carrier::new(&mut ledger, bounds, Path::new(""), true);
        for place in python_aictx::places(scope, &around.paths) {
            let change = carrier.take_ancestor(&place);
            found.extend(change.map(|change| change.path));
        }
    };
    look(Scope::User, around.user_bounds());
    if let Some(site) = site {
        look(Scope::Repository { shared: true }, site.bounds(&[]));
    }
    let first = found.first()?;
    let in_repository = site.is_some_and(|site| Path::new(first).starts_with(&site.worktree));
    let verb = if in_repository { "init" } else { "install" };
    Some(Check {
        summary: format!("the Python aictx left entries in {} files", found.len()),
        details: examples(&found),
        recommended_action: "take them out, or both programs run".to_owned(),
        command: command(&["aictx", verb, "--replace-ancestor", "--yes"]),
        ..check("ancestor", CheckStatus::Warning)
    })
}
