//! `doctor`: what keeps aictx from working here, and what fixes it. Reads, and changes nothing.
//!
//! What only a client can see (whether a daemon answers, how fast) is added by the client.

use aictx_proto::methods::{Check, CheckStatus, DoctorParams, DoctorReply};
use aictx_proto::rpc::RpcError;
use serde_json::{Value, json};

use super::init::Site;
use crate::app::App;
use crate::permissions::{Cause, Obstacle};
use crate::setup::agent_detection::Around;

mod agents;
mod memory;
mod repository;
mod system;

/// Examples of one finding.
const MAX_EXAMPLES: usize = 5;

pub(super) fn doctor(app: &App, params: &DoctorParams) -> Result<DoctorReply, RpcError> {
    let site = Site::find(app, &params.repo, false).ok();
    let worktree = site.as_ref().map(|site| site.worktree.as_path());
    let around = Around::at(&params.surroundings, worktree)?;
    let mut checks = vec![Check {
        summary: format!("aictx {}", aictx_proto::VERSION),
        details: json!({ "version": aictx_proto::VERSION }),
        ..check("cli_version", CheckStatus::Ok)
    }];
    checks.push(repository::initialised(site.as_ref(), &params.repo));
    let mut snapshot = None;
    if let Some(site) = &site
        && site.memory().is_dir()
    {
        checks.push(repository::registered(app, site));
        checks.push(repository::hidden(site));
        checks.extend(repository::shared(site));
        checks.push(repository::writable(site));
        checks.extend(repository::git_writable(site));
        checks.push(repository::readable(app, site));
        checks.push(repository::journal(site));
        checks.push(repository::size(site));
        checks.push(memory::lifecycle(app, site));
        checks.push(memory::capture(app, site));
        snapshot = app.hosts.open(&site.root).ok().map(|host| host.snapshot());
        checks.extend(snapshot.as_deref().map(memory::contracts));
        checks.extend(snapshot.as_deref().map(memory::duplicates));
        checks.push(memory::quality(app, site));
    }
    let initialised = site.as_ref().filter(|site| site.memory().is_dir());
    checks.push(repository::policies(app, initialised));
    let there = around.choose(&[])?;
    if there.is_empty() {
        checks.push(Check {
            summary: "no coding agent was found".to_owned(),
            ..check("agents", CheckStatus::Unknown)
        });
    }
    for agent in &there {
        let (found, registered) = agents::hooks(agent, &around, site.as_ref());
        checks.push(found);
        if registered {
            checks.push(agents::trust(agent, &around, snapshot.as_deref()));
        }
    }
    if !there.is_empty() {
        checks.push(agents::server(&there, &around, site.as_ref()));
    }
    checks.extend(agents::leftovers(app, &around, site.as_ref()));
    checks.extend(system::state_writable(app));
    checks.push(system::delivery(app));
    checks.extend(system::orphans(app));
    checks.extend(system::watches());
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

/// A check of files that cannot be written.
fn obstructed(name: &str, status: CheckStatus, obstacle: &Obstacle) -> Check {
    Check {
        summary: obstacle.summary(),
        details: json!({ "file": obstacle.file, "directory": obstacle.directory }),
        recommended_action: match obstacle.cause {
            Cause::Foreign => "take the files back",
            Cause::Protected => "allow writing",
            Cause::ReadOnlyMount => "mount it writable, or have nothing recorded here",
        }
        .to_owned(),
        command: obstacle.remedy(),
        ..check(name, status)
    }
}

fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Evidence of which a few are enough.
fn examples(all: &[String]) -> Value {
    let few: Vec<&String> = all.iter().take(MAX_EXAMPLES).collect();
    json!({ "count": all.len(), "examples": few })
}
