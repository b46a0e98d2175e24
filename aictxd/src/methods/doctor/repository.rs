//! The repository: whether it is known, what git sees of it, whether its memory can be read.

use std::path::Path;

use aictx_files::untrusted;
use aictx_proto::methods::{Check, CheckStatus};
use aictx_proto::record::files;
use aictx_proto::snapshot::ReadIssue;
use serde_json::json;

use super::{MAX_EXAMPLES, check, command, examples, obstructed};
use crate::app::App;
use crate::methods::init::portable::MAX_RULES;
use crate::methods::init::{EXCLUDED, Site, portable};
use crate::permissions::{Files, Obstacle};
use crate::policy;

/// Memory above this size is worth a word: bytes.
const LARGE_MEMORY: u64 = 250 * 1024 * 1024;
/// Most files counted for its size.
const MAX_COUNTED: usize = 50_000;

pub(super) fn initialised(site: Option<&Site>, given: &str) -> Check {
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

pub(super) fn registered(app: &App, site: &Site) -> Check {
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

/// Checks that git ignores the memory, unless somebody wants it committed.
pub(super) fn hidden(site: &Site) -> Check {
    let name = "git_hides_memory";
    let rules = [
        site.exclude(),
        Some(site.root.join(".gitignore")),
        Some(site.memory().join(".gitignore")),
    ];
    let says_so = |file: &Path| {
        let text = untrusted::read_text(file, MAX_RULES).unwrap_or_default();
        text.lines().any(|line| {
            let line = line.trim();
            line == EXCLUDED
                || line.trim_matches('/') == ".aictx"
                || line.trim_start_matches('/').starts_with(".aictx/*")
        })
    };
    let by_choice = site.is_outside() || portable::is_chosen(site, None);
    if by_choice && !site.is_outside() {
        return Check {
            summary: "git sees of .aictx what is shared".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    if site.common_dir.is_none() || by_choice || rules.iter().flatten().any(|file| says_so(file)) {
        return Check {
            summary: "git does not see .aictx".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    Check {
        summary: "git shows .aictx as untracked".to_owned(),
        recommended_action: "let init hide it".to_owned(),
        command: command(&["aictx", "init", "--agents", "none", &site.scope()]),
        safe: true,
        ..check(name, CheckStatus::Warning)
    }
}

/// Checks that this user can write the memory.
pub(super) fn writable(site: &Site) -> Check {
    let name = "memory_writable";
    match Obstacle::find(&site.memory(), Files::Every) {
        Some(obstacle) => obstructed(name, CheckStatus::Error, &obstacle),
        None => Check {
            summary: "every file of memory can be written".to_owned(),
            ..check(name, CheckStatus::Ok)
        },
    }
}

/// Git's own files that keep this user's git from working: what root left behind.
pub(super) fn git_writable(site: &Site) -> Option<Check> {
    let obstacle = Obstacle::find(site.common_dir.as_deref()?, Files::Git)?;
    Some(obstructed("git_writable", CheckStatus::Warning, &obstacle))
}

pub(super) fn readable(app: &App, site: &Site) -> Check {
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
    // Finds ledgers that are not this user's.
    host.store.ledgers();
    let snapshot = host.snapshot();
    if snapshot.issues.is_empty() {
        return Check {
            summary: "every file of memory can be read".to_owned(),
            ..check(name, CheckStatus::Ok)
        };
    }
    let is_foreign = |issue: &&ReadIssue| issue.code == ReadIssue::CAME_WITH_REPOSITORY;
    let foreign: Vec<&ReadIssue> = snapshot.issues.iter().filter(is_foreign).collect();
    if foreign.len() == snapshot.issues.len() {
        let told = foreign.iter().take(MAX_EXAMPLES);
        let told = told.map(|issue| format!("{}: {}", issue.file, issue.detail));
        return Check {
            summary: match foreign.len() {
                1 => "1 file in .aictx is not yours and is ignored".to_owned(),
                n => format!("{n} files in .aictx are not yours and are ignored"),
            },
            details: json!({ "count": foreign.len(), "examples": told.collect::<Vec<_>>() }),
            recommended_action: "remove them if you do not need them".to_owned(),
            ..check(name, CheckStatus::Warning)
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

/// Checks for remains of interrupted commits and for unreadable files.
pub(super) fn journal(site: &Site) -> Check {
    let name = "journal";
    let count = |directory: &str| {
        untrusted::entries(&site.memory().join(directory))
            .map_or(0, |entries| entries.take(MAX_COUNTED).count())
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

pub(super) fn size(site: &Site) -> Check {
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
    for entry in untrusted::entries(directory).into_iter().flatten() {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let path = directory.join(entry.name);
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if meta.is_file() {
            sum += meta.len();
        } else if meta.is_dir() && depth > 0 {
            sum += bytes_below(&path, depth - 1, left);
        }
    }
    sum
}

/// Checks git's rules for shared memory, and that nothing else is shared.
pub(super) fn shared(site: &Site) -> Option<Check> {
    let name = "portable_continuity";
    let tracked = portable::tracked(site);
    if !portable::is_chosen(site, None) {
        if tracked.is_empty() {
            return None;
        }
        return Some(Check {
            summary: format!(
                "git tracks {} files of memory, which was not chosen to be shared",
                tracked.len()
            ),
            details: examples(&tracked),
            recommended_action: "share what is worth sharing, or take them out of git: \
                                 `git rm -r --cached .aictx`"
                .to_owned(),
            command: share(site),
            ..check(name, CheckStatus::Warning)
        });
    }
    let mut missing = portable::missing_rules(site);
    if !missing.is_empty() {
        missing.truncate(MAX_EXAMPLES);
        return Some(Check {
            summary: "memory goes through git, and git's rules for it are not in place".to_owned(),
            details: examples(&missing),
            recommended_action: "write them anew".to_owned(),
            command: share(site),
            // Taking whole histories out of git is for who asks for it.
            safe: !tracked.iter().any(|file| files::travels(file)),
            ..check(name, CheckStatus::Warning)
        });
    }
    let private: Vec<String> = tracked
        .into_iter()
        .filter(|file| !files::is_shared(file))
        .collect();
    if private.iter().any(|file| files::travels(file)) {
        return Some(Check {
            summary: "git tracks whole histories, in which merges collide".to_owned(),
            details: examples(&private),
            recommended_action: "let init share single records instead".to_owned(),
            command: share(site),
            ..check(name, CheckStatus::Warning)
        });
    }
    if private.is_empty() {
        return Some(Check {
            summary: "memory goes through git, and only what is meant to".to_owned(),
            ..check(name, CheckStatus::Ok)
        });
    }
    Some(Check {
        summary: format!(
            "git tracks {} files that are for this machine",
            private.len()
        ),
        details: examples(&private),
        recommended_action: "take them out of git: `git rm --cached` with their names".to_owned(),
        ..check(name, CheckStatus::Warning)
    })
}

/// The command that lets memory go through git.
fn share(site: &Site) -> Vec<String> {
    command(&[
        "aictx",
        "init",
        "--agents",
        "none",
        "--portable-continuity",
        &site.scope(),
    ])
}

/// Checks that the rules that people wrote can be used; outside of repositories the user's own.
pub(super) fn policies(app: &App, site: Option<&Site>) -> Check {
    let name = "policy";
    let (problems, theirs) = match site {
        Some(site) => (
            app.policy_problems(&site.root),
            policy::of_repository(app, &site.root),
        ),
        None => {
            let user = policy::of_user(app).err();
            let user = user.map(|error| error.to_string()).unwrap_or_default();
            let problems = policy::Problems {
                user,
                ..policy::Problems::default()
            };
            (problems, policy::RepositoryPolicy::default())
        }
    };
    let told: Vec<String> = [problems.user, problems.repository]
        .into_iter()
        .filter(|problem| !problem.is_empty())
        .collect();
    let details = json!({
        "user": app.user_policy,
        "repository": site.map(|site| policy::file(app, &site.root)),
        "trusted": theirs.trusted, "examples": told,
    });
    if !told.is_empty() {
        return Check {
            summary: "a policy cannot be read, so what it says now does not hold".to_owned(),
            details,
            recommended_action: "repair the file that is named".to_owned(),
            ..check(name, CheckStatus::Error)
        };
    }
    let untrusted = !theirs.text.is_empty() && !theirs.trusted;
    Check {
        summary: if untrusted {
            "the repository's policy is not trusted: it can only make verdicts stricter"
        } else {
            "every policy can be read"
        }
        .to_owned(),
        details,
        ..check(name, CheckStatus::Ok)
    }
}
