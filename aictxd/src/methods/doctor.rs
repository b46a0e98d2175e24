//! `doctor`: what keeps aictx from working here, and what fixes it. Reads, and changes nothing.
//!
//! What only a client can see (whether a daemon answers, how fast) is added by the client.

use std::fs;
use std::path::Path;

use aictx_proto::methods::{Check, CheckStatus, DoctorParams, DoctorReply};
use aictx_proto::rpc::RpcError;
use aictx_runners::merge::{After, install};
use aictx_runners::plan::{Detected, Edit, Scope};
use serde_json::{Value, json};

use super::init::{EXCLUDED, Site, portable};
use crate::app::App;
use crate::setup::around::{Around, holds_ours};
use crate::setup::files::{self, Bounds};
use crate::spool;

/// Memory above this size is worth a word: bytes.
const LARGE_MEMORY: u64 = 250 * 1024 * 1024;
/// Most files counted for its size.
const MAX_COUNTED: usize = 50_000;
/// Fewer watches than this are not enough for a large repository.
const FEW_WATCHES: u64 = 65_536;
/// Events that wait in the spool without a daemon coming by.
const MANY_WAITING: u64 = 100;
/// Examples of one finding.
const MAX_EXAMPLES: usize = 5;

pub(super) fn doctor(app: &App, params: &DoctorParams) -> Result<DoctorReply, RpcError> {
    let site = Site::find(app, &params.repo, false).ok();
    let worktree = site
        .as_ref()
        .map(|site| site.worktree.to_string_lossy().into_owned());
    let around = Around::new(
        &params.surroundings,
        worktree.as_deref().unwrap_or_default(),
    )?;
    let mut checks = vec![Check {
        summary: format!("aictx {}", aictx_proto::VERSION),
        details: json!({ "version": aictx_proto::VERSION }),
        ..check("cli_version", CheckStatus::Ok)
    }];
    checks.push(initialised(site.as_ref(), &params.repo));
    if let Some(site) = &site
        && site.memory().is_dir()
    {
        checks.push(registered(app, site));
        checks.push(hidden(site));
        checks.push(readable(app, site));
        checks.push(journal(site));
        checks.push(size(site));
        checks.push(lifecycle(app, site));
    }
    let agents = around.choose(&[])?;
    if agents.is_empty() {
        checks.push(Check {
            summary: "no coding agent was found".to_owned(),
            ..check("agents", CheckStatus::Unknown)
        });
    }
    for agent in &agents {
        checks.push(hooks(agent, &around, site.as_ref()));
    }
    checks.push(delivery(app));
    checks.extend(watches());
    let mut reply = DoctorReply {
        repo: site.map_or(String::new(), |site| site.scope()),
        version: aictx_proto::VERSION.to_owned(),
        mode: "general".to_owned(),
        checks,
        ..DoctorReply::default()
    };
    reply.conclude();
    Ok(reply)
}

fn check(name: &str, status: CheckStatus) -> Check {
    Check {
        name: name.to_owned(),
        status,
        details: json!({}),
        ..Check::default()
    }
}

fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn initialised(site: Option<&Site>, given: &str) -> Check {
    let name = "repo_initialized";
    match site {
        Some(site) if site.memory().is_dir() => Check {
            summary: if site.is_outside() {
                format!("its memory lies outside, in {}", site.shown_memory())
            } else {
                ".aictx is there".to_owned()
            },
            ..check(name, CheckStatus::Ok)
        },
        Some(site) => Check {
            summary: "this repository has no .aictx: nothing is remembered here".to_owned(),
            recommended_action: "initialise the repository".to_owned(),
            command: command(&["aictx", "init", &site.scope()]),
            ..check(name, CheckStatus::Error)
        },
        None => Check {
            summary: format!("{given} is in no repository"),
            recommended_action: "run this in a git repository".to_owned(),
            ..check(name, CheckStatus::Error)
        },
    }
}

fn registered(app: &App, site: &Site) -> Check {
    let name = "repo_registered";
    if app.registry.contains(&site.root) {
        return Check {
            summary: "registered; hooks are heard here".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    Check {
        summary: "not registered: hooks are not heard here".to_owned(),
        recommended_action: "register the repository".to_owned(),
        command: command(&["aictx", "repo", "add", &site.scope()]),
        safe: true,
        ..check(name, CheckStatus::Error)
    }
}

/// Whether git leaves the memory alone, unless somebody wants it committed.
fn hidden(site: &Site) -> Check {
    let name = "git_hides_memory";
    let rules = [
        site.exclude(),
        Some(site.root.join(".gitignore")),
        Some(site.memory().join(".gitignore")),
    ];
    let says_so = |file: &Path| {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().any(|line| {
            let line = line.trim();
            line == EXCLUDED || line.trim_matches('/') == ".aictx" || line.starts_with(".aictx/*")
        })
    };
    let by_choice = site.is_outside() || portable::is_chosen(site, None);
    if site.common_dir.is_none() || by_choice || rules.iter().flatten().any(|file| says_so(file)) {
        return Check {
            summary: "git does not see .aictx".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    Check {
        summary: "git shows .aictx as untracked".to_owned(),
        recommended_action: "let init hide it".to_owned(),
        command: command(&["aictx", "init", &site.scope()]),
        safe: true,
        ..check(name, CheckStatus::Warning)
    }
}

fn readable(app: &App, site: &Site) -> Check {
    let name = "state_readable";
    let host = match app.hosts.open(&site.root) {
        Ok(host) => host,
        Err(error) => {
            return Check {
                summary: error.message,
                recommended_action: if error.data.hint.is_empty() {
                    "see the message".to_owned()
                } else {
                    error.data.hint
                },
                ..check(name, CheckStatus::Error)
            };
        }
    };
    let snapshot = host.snapshot();
    if snapshot.issues.is_empty() {
        return Check {
            summary: "every file of memory can be read".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    let examples: Vec<String> = snapshot
        .issues
        .iter()
        .take(MAX_EXAMPLES)
        .map(|issue| issue.warning())
        .collect();
    Check {
        summary: format!("{} problems in files of memory", snapshot.issues.len()),
        details: json!({ "count": snapshot.issues.len(), "examples": examples }),
        recommended_action: "repair or remove the files that are named; the rest is used"
            .to_owned(),
        ..check(name, CheckStatus::Warning)
    }
}

/// What interrupted commits and unreadable files left.
fn journal(site: &Site) -> Check {
    let name = "journal";
    let count = |directory: &str| {
        fs::read_dir(site.memory().join(directory))
            .map_or(0, |entries| entries.flatten().take(MAX_COUNTED).count())
    };
    let (rest, aside) = (count("journal"), count("quarantine"));
    let details = json!({ "journal": rest, "quarantine": aside });
    if aside > 0 {
        return Check {
            summary: format!("{aside} files could not be read and were set aside"),
            details,
            recommended_action: "look at .aictx/quarantine; what is in there is not used"
                .to_owned(),
            ..check(name, CheckStatus::Warning)
        };
    }
    Check {
        summary: if rest == 0 {
            "nothing was interrupted".to_owned()
        } else {
            format!("{rest} intents wait; the next write finishes them")
        },
        details,
        ..check(name, CheckStatus::Ok)
    }
}

fn size(site: &Site) -> Check {
    let mut left = MAX_COUNTED;
    let bytes = bytes_below(&site.memory(), 16, &mut left);
    let large = bytes > LARGE_MEMORY;
    Check {
        summary: format!("memory takes {} MiB", bytes / (1024 * 1024)),
        details: json!({ "bytes": bytes, "complete": left > 0 }),
        recommended_action: if large {
            "look at what is large in .aictx; archive/ may be moved elsewhere".to_owned()
        } else {
            String::new()
        },
        ..check(
            "memory_size",
            if large {
                CheckStatus::Warning
            } else {
                CheckStatus::Ok
            },
        )
    }
}

fn bytes_below(directory: &Path, depth: usize, left: &mut usize) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let Ok(meta) = entry.path().symlink_metadata() else {
            continue;
        };
        if meta.is_file() {
            sum += meta.len();
        } else if meta.is_dir() && depth > 0 {
            sum += bytes_below(&entry.path(), depth - 1, left);
        }
    }
    sum
}

fn lifecycle(app: &App, site: &Site) -> Check {
    let name = "lifecycle_status";
    let Ok(host) = app.hosts.open(&site.root) else {
        return check(name, CheckStatus::Unknown);
    };
    let status = aictx_continuity::lifecycle_status(&host.snapshot(), "", "", app.now());
    let gaps = status
        .get("warnings")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if gaps == 0 {
        return Check {
            summary: "every session that began has ended".to_owned(),
            details: status,
            ..check(name, CheckStatus::Ok)
        };
    }
    Check {
        summary: format!("{gaps} sessions or tasks were left open"),
        details: status,
        recommended_action: "look at what they left".to_owned(),
        command: command(&["aictx", "log", "--repo", &site.scope()]),
        ..check(name, CheckStatus::Warning)
    }
}

/// How a file stands to what would be installed.
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

fn hooks(agent: &Detected, around: &Around, site: Option<&Site>) -> Check {
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
    Check {
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
    }
}

/// Events that did not arrive.
fn delivery(app: &App) -> Check {
    let name = "hooks_delivered";
    let lost = fs::metadata(app.locations.lost_counter()).map_or(0, |meta| meta.len());
    let waiting = spool::waiting(&app.locations.spool());
    let details = json!({ "lost": lost, "waiting": waiting });
    if lost > 0 {
        return Check {
            summary: format!("{lost} hook events were lost since the counter was made"),
            details,
            recommended_action: format!(
                "see why no daemon could be reached (`aictx daemon logs`), then remove {}",
                app.locations.lost_counter().display()
            ),
            ..check(name, CheckStatus::Warning)
        };
    }
    if waiting > MANY_WAITING {
        return Check {
            summary: format!("{waiting} hook events wait for a daemon"),
            details,
            recommended_action: "start the daemon".to_owned(),
            command: command(&["aictx", "daemon", "start"]),
            safe: true,
            ..check(name, CheckStatus::Warning)
        };
    }
    Check {
        summary: "no hook event was lost".to_owned(),
        details,
        ..check(name, CheckStatus::Ok)
    }
}

/// The system's limits for watching; nothing where there are none.
fn watches() -> Option<Check> {
    let read = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
        text.trim().parse().ok()
    };
    let most = read("max_user_watches")?;
    let details =
        json!({ "max_user_watches": most, "max_user_instances": read("max_user_instances") });
    let few = most < FEW_WATCHES;
    Some(Check {
        summary: format!("the system allows {most} watched directories"),
        details,
        recommended_action: if few {
            "allow more, or large repositories are polled once a minute".to_owned()
        } else {
            String::new()
        },
        command: if few {
            command(&["sudo", "sysctl", "fs.inotify.max_user_watches=524288"])
        } else {
            Vec::new()
        },
        ..check(
            "watch_limit",
            if few {
                CheckStatus::Warning
            } else {
                CheckStatus::Ok
            },
        )
    })
}
