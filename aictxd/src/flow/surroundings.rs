//! What a flow decides on: the tickets, git and the context documents of its worktree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_continuity::claimed_tickets;
use aictx_files::untrusted;
use aictx_proto::text::hex;
use aictx_work::flow::engine::GitFacts;
use aictx_work::flow::prompt::Doc;
use aictx_work::flow::state::{Flow, Turn};
use aictx_work::ticket::{Claim, Entry, Queue};
use sha2::{Digest, Sha256};

use super::supervisor::FlowsError;
use super::worktree;
use crate::app::App;
use crate::hosts::Place;
use crate::ticket_files::TicketFiles;

/// Bytes of a context document.
const MAX_DOC: u64 = 64 * 1024;

/// The tickets, docs and git of a flow's worktree.
pub(super) struct Surroundings {
    pub(super) queue: Queue,
    pub(super) claims: Vec<Claim>,
    pub(super) git: Option<GitFacts>,
    pub(super) tree: String,
    pub(super) fingerprint: String,
    pub(super) docs: Vec<(Doc, String)>,
}

impl Surroundings {
    pub(super) fn of(app: &App, flow: &Flow) -> Result<Self, FlowsError> {
        let worktree = Path::new(&flow.worktree);
        let place = Place {
            root: PathBuf::from(&flow.repo),
            worktree: worktree.to_owned(),
        };
        let host = app.hosts.open(&place.root).map_err(FlowsError::Method)?;
        let files = TicketFiles::of(app, &place, Arc::clone(&host));
        let queue = files
            .and_then(|files| files.read())
            .map_err(FlowsError::Method)?;
        let holder = holder(flow);
        let snapshot = host.snapshot();
        let claims = claimed_tickets(&snapshot).filter(|(_, link)| link.holder != holder);
        let claims = claims.map(|(_, link)| Claim {
            ticket: link.id.clone(),
            holder: link.holder.clone(),
            at: link.claimed_at.clone(),
        });
        let claims = claims.collect();
        let git = worktree::facts(worktree);
        let tree = match &git {
            Some(_) => worktree::tree(worktree, &scratch(app, flow)?).unwrap_or_default(),
            None => String::new(),
        };
        let context = worktree.join(CONTEXT);
        let read = |doc: Doc| {
            let text = untrusted::read_text(&context.join(doc.file_name()), MAX_DOC).ok()?;
            (!text.trim().is_empty()).then_some((doc, text))
        };
        let docs: Vec<_> = Doc::ALL.iter().filter_map(|doc| read(*doc)).collect();
        let fingerprint = fingerprint(flow, git.as_ref(), &tree, &queue, &docs);
        Ok(Self {
            queue,
            claims,
            git,
            tree,
            fingerprint,
            docs,
        })
    }

    pub(super) fn none() -> Self {
        Self {
            queue: Queue::default(),
            claims: Vec::new(),
            git: None,
            tree: String::new(),
            fingerprint: String::new(),
            docs: Vec::new(),
        }
    }

    pub(super) fn entry(&self, turn: &Turn) -> Option<&Entry> {
        let mut entries = self.queue.entries.iter();
        let same = entries.find(|entry| entry.id == turn.ticket_id);
        same.or_else(|| {
            let mut entries = self.queue.entries.iter();
            entries.find(|entry| entry.file.as_str() == turn.file)
        })
    }
}

/// Directory of the context documents, relative to the worktree.
pub const CONTEXT: &str = ".aictx/context";

/// Name under which a flow claims tickets.
pub fn holder(flow: &Flow) -> String {
    format!("flow {}", flow.flow_id)
}

pub(super) fn scratch(app: &App, flow: &Flow) -> Result<PathBuf, FlowsError> {
    let path = app.flows.directory(&flow.flow_id);
    aictx_files::private::directory(&path).map_err(|source| FlowsError::Folder {
        path: path.clone(),
        source,
    })?;
    Ok(path)
}

/// Digest of everything that counts as progress: code, tickets, context documents.
fn fingerprint(
    flow: &Flow,
    git: Option<&GitFacts>,
    tree: &str,
    queue: &Queue,
    docs: &[(Doc, String)],
) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update(text.len().to_le_bytes());
        digest.update(text);
    };
    match git {
        Some(git) => {
            add(&git.head);
            add(tree);
        }
        // Nothing tells what changed: every turn counts.
        None => add(&flow.last_turn.to_string()),
    }
    for entry in &queue.entries {
        add(entry.file.as_str());
        add(&entry.text);
    }
    for (_, text) in docs {
        add(text);
    }
    hex(&digest.finalize())
}

/// Digest of what a resume looks for changes in: what counts as progress, and the replies.
///
/// # Errors
/// The tickets cannot be read.
pub fn signal(app: &App, flow: &Flow) -> Result<(String, Option<GitFacts>), FlowsError> {
    let around = Surroundings::of(app, flow)?;
    Ok((around.fingerprint, around.git))
}

pub(super) fn ticket_path(app: &App, flow: &Flow, file: &str) -> String {
    let place = Place {
        root: PathBuf::from(&flow.repo),
        worktree: PathBuf::from(&flow.worktree),
    };
    let host = app.hosts.open(&place.root);
    let files = host.and_then(|host| TicketFiles::of(app, &place, host));
    match files {
        Ok(files) => format!("{}/{file}", files.directory),
        Err(_) => format!(".aictx/tickets/{file}"),
    }
}
