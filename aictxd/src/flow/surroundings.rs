//! Facts that a flow decides on: the tickets, git and the context documents of its worktree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_continuity::claimed_tickets;
use aictx_files::untrusted::{self, Links, ReadError};
use aictx_proto::effect::Effects;
use aictx_proto::rpc::RpcError;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::hex;
use aictx_work::flow::dispatch::{DISPATCH_DIR, DISPATCH_FILE, MAX_DISPATCH};
use aictx_work::flow::engine::{GitFacts, HOLDER};
use aictx_work::flow::prompt::Doc;
use aictx_work::flow::state::{Flow, Turn};
use aictx_work::ticket::edit::MAX_TICKET;
use aictx_work::ticket::{Changes, Claim, Entry, Queue};
use sha2::{Digest, Sha256};

use super::flow_files::{DIRECTORY, TICKET_COPY};
use super::supervisor::FlowsError;
use super::worktree;
use crate::app::App;
use crate::hosts::Place;
use crate::methods::TICKETS as LOOKS_AT;
use crate::ticket_files::TicketFiles;

/// Bytes of a context document.
const MAX_DOC: u64 = 64 * 1024;

/// The tickets, docs and git of a flow's worktree.
pub(super) struct Surroundings {
    pub(super) queue: Queue,
    pub(super) claims: Vec<Claim>,
    pub(super) git: Option<GitFacts>,
    pub(super) tree: String,
    /// Digest of everything that counts as progress.
    pub(super) fingerprint: String,
    /// Digest of that and of a dispatch that waits to be corrected.
    pub(super) signal: String,
    pub(super) docs: Vec<(Doc, String)>,
}

impl Surroundings {
    pub(super) fn of(app: &App, flow: &Flow) -> Result<Self, FlowsError> {
        let worktree = Path::new(&flow.worktree);
        let place = place(flow);
        let host = app.hosts.open(&place.root).map_err(FlowsError::Method)?;
        let files = TicketFiles::of(app, &place, Arc::clone(&host));
        let queue = files
            .and_then(|files| files.read())
            .map_err(FlowsError::Method)?;
        let holder = holder(flow);
        let snapshot = host.snapshot();
        let database = app.flows.database()?;
        // A flow that has ended, or is not known any more, works on nothing.
        let is_dead = |holder: &str| {
            let flow = holder.strip_prefix(HOLDER).map(|id| database.get(id));
            flow.is_some_and(|flow| !flow.ok().flatten().is_some_and(|flow| flow.is_open()))
        };
        let claims = claimed_tickets(&snapshot)
            .filter(|(_, link)| link.holder != holder && !is_dead(&link.holder));
        let claims = claims.map(|(_, link)| Claim {
            ticket: link.id.clone(),
            holder: link.holder.clone(),
            at: link.claimed_at.clone(),
        });
        let claims = claims.collect();
        let git = worktree::facts(worktree);
        if git.is_none() && (!flow.base_head.is_empty() || worktree.join(".git").exists()) {
            return Err(FlowsError::Git(worktree.to_owned()));
        }
        let tree = match &git {
            Some(_) => worktree::tree(worktree, &scratch(app, flow)?).unwrap_or_default(),
            None => String::new(),
        };
        let read = |doc: Doc| {
            let path = Path::new(CONTEXT).join(doc.file_name());
            let text = read_inside(worktree, &path, MAX_DOC).ok()?;
            (!text.trim().is_empty()).then_some((doc, text))
        };
        let docs: Vec<_> = Doc::ALL.iter().filter_map(|doc| read(*doc)).collect();
        let fingerprint = fingerprint(flow, git.as_ref(), &tree, &queue, &docs);
        Ok(Self {
            queue,
            claims,
            git,
            tree,
            signal: signal_of(flow, &fingerprint),
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
            signal: String::new(),
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

/// Returns true if a ticket's Work State is a flow's, and open.
pub(super) fn is_claimed(app: &App, flow: &Flow, ticket_id: &str) -> Result<bool, FlowsError> {
    let host = app.hosts.open(Path::new(&flow.repo));
    let snapshot = host.map_err(FlowsError::Method)?.snapshot();
    let holder = holder(flow);
    let mut claims = claimed_tickets(&snapshot);
    Ok(claims.any(|(_, link)| link.id == ticket_id && link.holder == holder))
}

/// Name under which a flow claims tickets.
pub fn holder(flow: &Flow) -> String {
    format!("{HOLDER}{}", flow.flow_id)
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

/// Digest of progress and of what lies in the place of a dispatch.
fn signal_of(flow: &Flow, fingerprint: &str) -> String {
    let directory = Path::new(&flow.worktree)
        .join(DIRECTORY)
        .join(&flow.flow_id);
    let text = untrusted::read(&directory.join(DISPATCH_FILE), MAX_DISPATCH as u64);
    let mut digest = Sha256::new();
    digest.update(fingerprint);
    digest.update(text.unwrap_or_default());
    let entries = untrusted::entries(&directory.join(DISPATCH_DIR));
    let mut names: Vec<_> = entries
        .into_iter()
        .flatten()
        .map(|entry| entry.name)
        .collect();
    names.sort();
    for name in names {
        digest.update(name.as_encoded_bytes());
    }
    hex(&digest.finalize())
}

/// Digest of what a resume looks for changes in: what counts as progress, and the replies.
///
/// # Errors
/// The tickets cannot be read.
pub fn signal(app: &App, flow: &Flow) -> Result<(String, Option<GitFacts>), FlowsError> {
    let around = Surroundings::of(app, flow)?;
    Ok((around.signal, around.git))
}

/// Place of a ticket's file as its agent sees it.
pub(super) struct TicketPlace {
    /// Path, relative to the worktree.
    pub(super) path: String,
    /// It is a copy: the tickets lie outside of the worktree, where a confined agent may not write.
    pub(super) is_copy: bool,
}

impl TicketPlace {
    pub(super) fn of(app: &App, flow: &Flow, file: &str) -> Self {
        let place = place(flow);
        let host = app.hosts.open(&place.root);
        let directory = host.and_then(|host| {
            let files = TicketFiles::of(app, &place, Arc::clone(&host))?;
            Ok(host.root.join(files.directory))
        });
        let within = directory.ok().and_then(|directory| {
            let within = directory.strip_prefix(&place.worktree).ok()?;
            Some(within.join(file).to_string_lossy().into_owned())
        });
        Self {
            is_copy: within.is_none(),
            path: within
                .unwrap_or_else(|| format!("{DIRECTORY}/{}/{TICKET_COPY}/{file}", flow.flow_id)),
        }
    }
}

fn place(flow: &Flow) -> Place {
    Place {
        root: PathBuf::from(&flow.repo),
        worktree: PathBuf::from(&flow.worktree),
    }
}

/// Writes what an agent made of the copy of its ticket into the ticket; returns what is in the way, where somebody
/// changed that, too.
pub(super) async fn give_back(
    app: &Arc<App>,
    flow: &Flow,
    turn: &Turn,
    digest: String,
) -> Result<Option<String>, FlowsError> {
    let copy = TicketPlace::of(app, flow, &turn.file);
    let path = Path::new(&flow.worktree).join(&copy.path);
    let read = read_inside(
        Path::new(&flow.worktree),
        Path::new(&copy.path),
        MAX_TICKET as u64,
    );
    let text = match read {
        Ok(text) if copy.is_copy => text,
        Ok(_) => return Ok(None),
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Ok(Some(format!("{}: {error}", path.display()))),
    };
    let place = place(flow);
    let host = app.hosts.open(&place.root).map_err(FlowsError::Method)?;
    let (own, file) = (Arc::clone(app), turn.file.clone());
    let desk = Arc::clone(&host);
    let decide = move |_: &Snapshot| {
        let decide = || -> Result<(Option<String>, Effects), RpcError> {
            let files = TicketFiles::of(&own, &place, desk)?;
            let queue = files.read()?;
            let now = queue.find(&file).map_or("", |entry| entry.text.as_str());
            if now == text || digest_of(&text) == digest {
                return Ok((None, Effects::new()));
            }
            if digest_of(now) != digest {
                let why = format!(
                    "{file} was changed by the agent and by somebody else; the agent's is {}",
                    path.display()
                );
                return Ok((Some(why), Effects::new()));
            }
            let mut changes = Changes::default();
            changes.writes.insert(file, text);
            Ok((None, files.write(&changes)?))
        };
        match decide() {
            Ok((problem, effects)) => (Ok(problem), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    };
    let written = host
        .write_looking_at(Some(LOOKS_AT.to_owned()), decide)
        .await;
    let (problem, _) = written.map_err(FlowsError::Method)?;
    problem.map_err(FlowsError::Method)
}

/// Reads a text of a worktree; a link that leads out of it is an error.
pub(super) fn read_inside(worktree: &Path, path: &Path, limit: u64) -> Result<String, ReadError> {
    let bytes = untrusted::Directory::open(worktree)?.read(path, Links::Inside, limit)?;
    String::from_utf8(bytes).map_err(|_| ReadError::NotText)
}

/// Digest of the text of a ticket.
pub(super) fn digest_of(text: &str) -> String {
    hex(&Sha256::digest(text))
}
