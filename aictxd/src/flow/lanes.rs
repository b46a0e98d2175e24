//! Lanes: tickets that are worked on at once, each by a flow of its own in a worktree of its own.
//!
//! A lane's branch is put on top of the parent's when it is done, in the order of the tickets: as a fast-forward,
//! else after a rebase in the lane's worktree. Where that cannot be, both stay as they are and the parent asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_proto::flow::FlowStatus;
use aictx_work::flow::engine::Activity;
use aictx_work::flow::state::{Flow, Lane, LaneStep};

use super::database::DatabaseError;
use super::supervisor::{FlowsError, blocking};
use super::{surroundings, worktree};
use crate::app::App;

/// Statuses of the lanes of a flow, in their order.
pub(super) fn statuses(app: &App, flow: &Flow) -> Result<Vec<FlowStatus>, FlowsError> {
    let database = app.flows.database()?;
    let mut all = Vec::new();
    for lane in &flow.lanes {
        let own = database.get(&lane.flow_id)?;
        // One that nobody knows any more cannot go on.
        all.push(own.map_or(FlowStatus::Failed, |own| own.status));
    }
    Ok(all)
}

/// Does the step of a lane that a flow asks for.
pub(super) async fn step(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let started = blocking(app, move |app| match &flow.lane_step {
        Some(LaneStep::Open { ticket_id, file }) => open(app, &flow, ticket_id, file),
        Some(LaneStep::Merge(lane)) => merge(app, &flow, lane).map(|()| None),
        None => Ok(None),
    });
    if let Some(flow_id) = started.await? {
        app.flows.ensure(app, &flow_id);
    }
    Ok(())
}

fn open(app: &App, flow: &Flow, ticket_id: &str, file: &str) -> Result<Option<String>, FlowsError> {
    let stem = file.trim_end_matches(".md");
    let parent = app.flows.directory(&flow.flow_id).join("lanes");
    aictx_files::private::directory(&parent).map_err(|source| FlowsError::Folder {
        path: parent.clone(),
        source,
    })?;
    let path = parent.join(stem);
    let branch = format!("aictx/{}/{stem}", flow.flow_id);
    let now = app.now().unix();
    let flow_id = format!("{}-{}", flow.flow_id, stem.to_ascii_lowercase());
    let main = Path::new(&flow.worktree);
    // A daemon that died in between finds what it made.
    if !path.join(".git").exists()
        && let Err(error) = worktree::add(main, &path, &branch)
    {
        return refuse(app, flow, &format!("{}: {error}", path.display())).map(|()| None);
    }
    let mut own = Flow::new(
        flow_id.clone(),
        flow.repo.clone(),
        path.to_string_lossy().into_owned(),
        now,
    );
    own.branch.clone_from(&branch);
    own.base_head = worktree::facts(&path).map_or_else(String::new, |git| git.head);
    own.options = flow.options.clone();
    own.options.lanes = 1;
    own.caps = flow.caps.clone();
    own.lane_of.clone_from(&flow.flow_id);
    ticket_id.clone_into(&mut own.only);
    match app.flows.database()?.insert(&own) {
        Ok(()) | Err(DatabaseError::Taken(_)) => {}
        Err(error) => return Err(error.into()),
    }
    app.flows.share_environment(&flow.flow_id, &flow_id);
    let lane = Lane {
        ticket_id: ticket_id.to_owned(),
        file: file.to_owned(),
        flow_id: flow_id.clone(),
        worktree: own.worktree,
        branch,
    };
    app.flows.update(app, &flow.flow_id, |flow, events| {
        if flow.activity() == Activity::Lane {
            events.push(format!("lane {file}: flow {}", lane.flow_id));
            flow.lane_opened(lane.clone());
        }
        ((), None)
    })?;
    Ok(Some(flow_id))
}

fn merge(app: &App, flow: &Flow, lane: &Lane) -> Result<(), FlowsError> {
    let (main, own) = (Path::new(&flow.worktree), PathBuf::from(&lane.worktree));
    if own.exists() {
        if let Err(error) = worktree::put_on_top(main, &own, &flow.branch, &lane.branch) {
            let said = error.to_string();
            let lines = said.lines().filter(|line| !line.starts_with("hint:"));
            let lines: Vec<&str> = lines.collect();
            let text = format!(
                "{} (branch {}) cannot be put on top of {}\n{}",
                lane.file,
                lane.branch,
                flow.branch,
                lines.join("\n")
            );
            return refuse(app, flow, &text);
        }
        worktree::remove(main, &own, &lane.branch);
    }
    let done = app.flows.database()?.get(&lane.flow_id)?;
    app.flows.update(app, &flow.flow_id, |flow, events| {
        if flow.activity() == Activity::Lane {
            events.push(format!("lane {} is merged", lane.file));
            match &done {
                Some(done) => flow.lane_merged(&lane.flow_id, done),
                None => flow.lanes.retain(|own| own.flow_id != lane.flow_id),
            }
        }
        ((), None)
    })?;
    Ok(())
}

fn refuse(app: &App, flow: &Flow, said: &str) -> Result<(), FlowsError> {
    let (signal, _) = surroundings::signal(app, flow)?;
    let now = app.now().unix();
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    let text = lines
        .iter()
        .find(|line| !line.is_empty())
        .cloned()
        .unwrap_or_default();
    app.flows.update(app, &flow.flow_id, |flow, _| {
        if flow.activity() == Activity::Lane {
            flow.lane_refused(&text, lines.clone(), &signal, now);
        }
        ((), None)
    })?;
    Ok(())
}
