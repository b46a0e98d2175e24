//! `ticket.*`.

use std::path::Path;
use std::sync::Arc;

use aictx_continuity::{
    Checkout, ClaimOf, claim_ticket, claimed_tickets, finish_ticket, held_ticket,
    passed_since_edit, release_ticket, ticket_at_hand,
};
use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::identity::Identity;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::{Severity, TicketList, TicketParams, TicketReply, TicketState};
use aictx_proto::record::{Thread, TicketLink};
use aictx_proto::rpc::{CONFLICT, INTERNAL, INVALID_PARAMS, NOT_FOUND, REFUSED, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::hex;
use aictx_work::ticket::operations::Draft;
use aictx_work::ticket::{Changes, Claim, Entry, Gate, Next, Queue, TicketError};
use sha2::{Digest, Sha256};

use super::place;
use crate::app::App;
use crate::hosts::{Host, Place};
use crate::ticket_files::{TicketFiles, agents, read_elsewhere};
use crate::worktree_facts;

/// Name under which operations on tickets wait for each other: they look at the files.
pub(crate) const LOOKS_AT: &str = "tickets";

/// A command that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    New,
    Insert,
    Move,
    Edit,
    Set,
    Done,
    Reopen,
    Remove,
    Claim,
    Release,
    Import,
    Repair,
}

/// The tickets of a place, and the memory that says who works on them.
struct Desk {
    place: Place,
    host: Arc<Host>,
    files: TicketFiles,
}

impl Desk {
    fn of(app: &App, repo: &str) -> Result<Self, RpcError> {
        let place = place(app, repo)?;
        let host = app.hosts.open(&place.root)?;
        let files = TicketFiles::of(app, &place, Arc::clone(&host))?;
        Ok(Self { place, host, files })
    }
}

fn claims(snapshot: &Snapshot) -> Vec<Claim> {
    let all = claimed_tickets(snapshot).map(|(_, link)| Claim {
        ticket: link.id.clone(),
        holder: link.holder.clone(),
        at: link.claimed_at.clone(),
    });
    all.collect()
}

/// `ticket.list`.
pub(super) fn list(app: &App, params: &TicketParams) -> Result<TicketList, RpcError> {
    let desk = Desk::of(app, &params.repo)?;
    let queue = desk.files.read()?;
    let claims = claims(&desk.host.snapshot());
    let wanted: fn(TicketState) -> bool = match params.filter.as_str() {
        "" | "all" => |_| true,
        "open" => |state| state != TicketState::Done,
        "done" => |state| state == TicketState::Done,
        "ready" => |state| state == TicketState::Ready,
        other => {
            return Err(RpcError::new(
                INVALID_PARAMS,
                format!("`filter` cannot be `{other}`"),
            ));
        }
    };
    let rows = queue.entries.iter().map(|entry| queue.row(entry, &claims));
    let mut findings = queue.findings(Gate::Start);
    findings.retain(|finding| finding.severity == Severity::Error);
    Ok(TicketList {
        count: queue.entries.len(),
        tickets: rows.filter(|row| wanted(row.state)).collect(),
        findings,
        directory: desk.files.directory,
        ..TicketList::default()
    })
}

/// `ticket.show`.
pub(super) fn show(app: &App, params: &TicketParams) -> Result<TicketReply, RpcError> {
    let desk = Desk::of(app, &params.repo)?;
    let queue = desk.files.read()?;
    let snapshot = desk.host.snapshot();
    let entry = match params.ticket.trim() {
        "" => at_hand(app, &desk, &snapshot, &queue)?,
        named => queue.pick(named).map_err(refused)?,
    };
    let row = queue.row(entry, &claims(&snapshot));
    Ok(TicketReply {
        message: format!("{} {}", row.number, row.title),
        findings: queue.findings_of(&entry.file),
        digest: digest(&entry.text),
        text: Some(entry.text.clone()),
        tickets: vec![row],
        ..TicketReply::default()
    })
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// The ticket that is worked on in this worktree on this branch.
fn at_hand<'q>(
    app: &App,
    desk: &Desk,
    snapshot: &Snapshot,
    queue: &'q Queue,
) -> Result<&'q Entry, RpcError> {
    let checkout = worktree_facts::checkout(app, &desk.place, snapshot);
    let thread = ticket_at_hand(snapshot, &checkout);
    let link = thread.as_ref().and_then(|thread| thread.ticket.as_ref());
    link.and_then(|link| queue.find(&link.id)).ok_or_else(|| {
        RpcError::new(NOT_FOUND, "no ticket is claimed here")
            .hint("name one by number, file name or id; `aictx ticket claim` takes the next one")
    })
}

/// `ticket.next`.
pub(super) fn next(app: &App, params: &TicketParams) -> Result<TicketReply, RpcError> {
    let desk = Desk::of(app, &params.repo)?;
    let queue = desk.files.read()?;
    let snapshot = desk.host.snapshot();
    let claims = claims(&snapshot);
    if let Ok(entry) = at_hand(app, &desk, &snapshot, &queue) {
        let row = queue.row(entry, &claims);
        return Ok(TicketReply {
            message: format!("at hand: {} ({}): {}", row.number, row.file, row.title),
            tickets: vec![row],
            ..TicketReply::default()
        });
    }
    let (entry, message) = match queue.next(&claims) {
        Next::Ready(entry) => (Some(entry), "next"),
        Next::Invalid(entry) => (Some(entry), "next, but it cannot be read"),
        Next::Waiting => (
            None,
            "every open ticket is claimed or waits for another one",
        ),
        Next::Done => (None, "all tickets are done"),
        Next::Empty => (
            None,
            "there are no tickets; `aictx ticket new --title TEXT` writes one",
        ),
    };
    let rows: Vec<_> = entry
        .map(|entry| queue.row(entry, &claims))
        .into_iter()
        .collect();
    Ok(TicketReply {
        message: match rows.first() {
            Some(row) => format!("{message}: {} ({}): {}", row.number, row.file, row.title),
            None => message.to_owned(),
        },
        findings: entry
            .map(|entry| queue.findings_of(&entry.file))
            .unwrap_or_default(),
        tickets: rows,
        ..TicketReply::default()
    })
}

/// `ticket.lint`; with `fix` the files are repaired first.
pub(super) async fn lint(app: &Arc<App>, params: TicketParams) -> Result<TicketList, RpcError> {
    let gate = match params.gate.as_str() {
        "" | "start" => Gate::Start,
        "run" => Gate::Run,
        other => {
            return Err(RpcError::new(
                INVALID_PARAMS,
                format!("`gate` cannot be `{other}`"),
            ));
        }
    };
    let (repo, mut repaired) = (params.repo.clone(), Vec::new());
    if params.fix {
        (_, repaired) = carry_out(app, params, Change::Repair).await?;
    }
    let app = Arc::clone(app);
    let look = move || {
        let desk = Desk::of(&app, &repo)?;
        let queue = desk.files.read()?;
        Ok(TicketList {
            count: queue.entries.len(),
            findings: queue.findings(gate),
            directory: desk.files.directory,
            repaired,
            ..TicketList::default()
        })
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))
}

/// Input of an operation, read under the repository's lock.
struct Act<'a> {
    snapshot: &'a Snapshot,
    queue: &'a Queue,
    claims: &'a [Claim],
    checkout: &'a Checkout,
    identity: &'a Identity,
    params: &'a TicketParams,
    /// The session's ledger.
    rows: &'a [LedgerRow],
    now: Timestamp,
}

/// Decision of an operation.
#[derive(Default)]
struct Decided {
    changes: Changes,
    effects: Effects,
    /// Ids of the tickets that it is about.
    about: Vec<String>,
    /// Claim of those afterwards; `None` where it stays.
    claim: Option<Claimed>,
    reply: TicketReply,
}

/// Claim of a ticket after an operation.
enum Claimed {
    By(Claim),
    ByNobody,
}

/// Every command that changes something.
pub(super) async fn change(
    app: &Arc<App>,
    params: TicketParams,
    what: Change,
) -> Result<TicketReply, RpcError> {
    Ok(carry_out(app, params, what).await?.0)
}

/// Carries out a command; also gives the files that it wrote, or would write.
async fn carry_out(
    app: &Arc<App>,
    params: TicketParams,
    what: Change,
) -> Result<(TicketReply, Vec<String>), RpcError> {
    let (app_, repo) = (Arc::clone(app), params.repo.clone());
    let open = move || Desk::of(&app_, &repo);
    let desk = tokio::task::spawn_blocking(open).await;
    let desk = desk.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))?;
    let host = Arc::clone(&desk.host);
    let identity = app.identify(&params.caller, &desk.place.worktree);
    let git = match what {
        // The Work State remembers what was changed in the worktree.
        Change::Claim | Change::Release | Change::Done => {
            Some(crate::git::state(app, &desk.place.worktree).await)
        }
        _ => None,
    };
    let (app, now) = (Arc::clone(app), app.now());
    let decide = move |snapshot: &Snapshot| {
        let mut checkout = worktree_facts::checkout(&app, &desk.place, snapshot);
        if let Some(git) = &git {
            checkout = checkout.with_git(git);
        }
        let decide = || -> Result<((TicketReply, Vec<String>), Effects), RpcError> {
            let queue = desk.files.read()?;
            let claims = claims(snapshot);
            let rows = match what {
                Change::Done => desk.host.store.read_ledger(&identity.session_id).rows,
                _ => Vec::new(),
            };
            let act = Act {
                snapshot,
                queue: &queue,
                claims: &claims,
                checkout: &checkout,
                identity: &identity,
                params: &params,
                rows: &rows,
                now,
            };
            let decided = act.decide(what)?;
            let names = decided.changes.writes.keys();
            let written = names.map(|name| queue.path(name)).collect();
            if params.dry_run {
                return Ok(((decided.reply, written), Effects::new()));
            }
            let mut effects = desk.files.write(&decided.changes)?;
            let changed = !decided.changes.is_empty() || !decided.effects.is_empty();
            let after = queue.after(&decided.changes, &agents());
            let claims = claims_after(claims, &decided);
            let about: Vec<&Entry> = decided
                .about
                .iter()
                .filter_map(|id| after.find(id))
                .collect();
            let mut reply = decided.reply;
            reply.tickets = about
                .iter()
                .map(|entry| after.row(entry, &claims))
                .collect();
            if !about.is_empty() {
                let mut findings = after.findings(Gate::Start);
                findings.retain(|found| reply.tickets.iter().any(|row| row.file == found.file));
                reply.findings = findings;
            }
            reply.changed = changed;
            effects.extend(decided.effects);
            Ok(((reply, written), effects))
        };
        match decide() {
            Ok((reply, effects)) => (Ok(reply), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    };
    let (reply, redacted) = host
        .write_looking_at(Some(LOOKS_AT.to_owned()), decide)
        .await?;
    let (mut reply, written) = reply?;
    if !redacted.is_empty() {
        let warning = "a secret was replaced in what was written";
        reply.warnings.push(warning.to_owned());
    }
    Ok((reply, written))
}

/// The claims as they are after an operation.
fn claims_after(mut claims: Vec<Claim>, decided: &Decided) -> Vec<Claim> {
    if let Some(claim) = &decided.claim {
        claims.retain(|known| !decided.about.contains(&known.ticket));
        if let Claimed::By(claim) = claim {
            claims.push(claim.clone());
        }
    }
    claims
}

impl Act<'_> {
    fn decide(&self, what: Change) -> Result<Decided, RpcError> {
        match what {
            Change::New => self.create(),
            Change::Insert => self.insert(),
            Change::Move => self.moved(),
            Change::Edit => self.edit(),
            Change::Set => self.set(),
            Change::Done => self.done(),
            Change::Reopen => self.reopen(),
            Change::Remove => self.remove(),
            Change::Claim => self.claim(),
            Change::Release => self.release(),
            Change::Import => self.import(),
            Change::Repair => Ok(self.repair()),
        }
    }

    /// The ticket that is named, else the one at hand.
    fn named(&self) -> Result<&Entry, RpcError> {
        match self.params.ticket.trim() {
            "" => self.at_hand().ok_or_else(|| {
                RpcError::new(NOT_FOUND, "no ticket is claimed here")
                    .hint("name one by number, file name or id")
            }),
            named => self.queue.pick(named).map_err(refused),
        }
    }

    fn at_hand(&self) -> Option<&Entry> {
        let thread = ticket_at_hand(self.snapshot, self.checkout)?;
        self.queue.find(&thread.ticket.as_ref()?.id)
    }

    /// On whose behalf it is done.
    fn holder(&self) -> &str {
        match self.params.holder.trim() {
            "" => &self.identity.agent_id,
            name => name,
        }
    }

    fn who(&self) -> (&str, &str, &str) {
        let identity = self.identity;
        (
            &identity.agent_id,
            &identity.adapter_id,
            &identity.session_id,
        )
    }

    /// Returns true if a claim is the caller's own.
    fn holds(&self, link: &TicketLink) -> bool {
        link.holder == self.holder() && link.worktree == self.checkout.worktree
    }

    /// The claim of a ticket, if the caller may end it.
    fn own_claim(&self, entry: &Entry) -> Result<Option<&Arc<Thread>>, RpcError> {
        let Some((thread, link)) = held_ticket(self.snapshot, &entry.id) else {
            return Ok(None);
        };
        let named = !self.params.claim.is_empty() && self.params.claim == link.claim;
        if named || self.params.force || self.holds(link) {
            return Ok(Some(thread));
        }
        let error = RpcError::new(
            CONFLICT,
            format!(
                "{} is claimed by {} since {}",
                self.queue.path(entry.file.as_str()),
                link.holder,
                link.claimed_at
            ),
        );
        Err(error.hint(
            "`--as NAME` acts for the holder, `--claim ID` names the claim, `--force` overrides it",
        ))
    }

    fn draft<'d>(&'d self, id: &'d str) -> Draft<'d> {
        let params = self.params;
        Draft {
            id,
            title: &params.title,
            agent: &params.agent,
            goal: &params.goal,
            after: &params.after,
            verify: &params.verify,
            scope: &params.scope,
            body: params.body.as_deref(),
        }
    }

    fn create(&self) -> Result<Decided, RpcError> {
        let id = new_id("tkt_")?;
        let made = self.queue.create(&self.draft(&id), self.params.number);
        let (file, changes) = made.map_err(refused)?;
        let path = self.queue.path(file.as_str());
        let there = self
            .queue
            .numbered(file.number())
            .filter(|_| changes.is_empty());
        Ok(Decided {
            about: vec![there.map_or(id, |there| there.id.clone())],
            reply: said(match changes.is_empty() {
                true => format!("{path} says so already"),
                false => format!("wrote {path}"),
            }),
            changes,
            ..Decided::default()
        })
    }

    fn insert(&self) -> Result<Decided, RpcError> {
        let id = new_id("tkt_")?;
        let anchors = (self.params.insert_before, self.params.insert_after);
        let inserted = self
            .queue
            .insert(&self.draft(&id), anchors, self.params.count, self.claims);
        let (file, changes) = inserted.map_err(refused)?;
        let message = match &file {
            Some(file) => format!("wrote {}", self.queue.path(file.as_str())),
            None => {
                let first = anchors
                    .0
                    .unwrap_or_else(|| anchors.1.unwrap_or_default() + 1);
                match self.params.count.max(1) {
                    1 => format!("number {first} is free"),
                    count => format!("numbers {first} to {} are free", first + count - 1),
                }
            }
        };
        Ok(Decided {
            about: file.map(|_| id).into_iter().collect(),
            reply: TicketReply {
                renamed: changes.renames.clone(),
                ..said(message)
            },
            changes,
            ..Decided::default()
        })
    }

    fn moved(&self) -> Result<Decided, RpcError> {
        let range = self.params.range.unwrap_or_default();
        let changes = self.queue.moved(range, self.claims).map_err(refused)?;
        let moving = self
            .queue
            .numbered(range.first)
            .map(|entry| entry.id.clone());
        Ok(Decided {
            about: moving.into_iter().collect(),
            reply: TicketReply {
                renamed: changes.renames.clone(),
                ..said(counted(
                    changes.renames.len(),
                    "file was renamed",
                    "files were renamed",
                ))
            },
            changes,
            ..Decided::default()
        })
    }

    fn edit(&self) -> Result<Decided, RpcError> {
        let entry = self.named()?;
        let digest = digest(&entry.text);
        if !self.params.digest.is_empty() && self.params.digest != digest {
            let file = self.queue.path(entry.file.as_str());
            return Err(refused(TicketError::Stale { file }));
        }
        let (body, text) = (self.params.body.as_deref(), self.params.text.as_deref());
        let changes = self.queue.replaced(entry, body, text).map_err(refused)?;
        Ok(self.edited(entry, changes))
    }

    fn edited(&self, entry: &Entry, changes: Changes) -> Decided {
        let path = self.queue.path(entry.file.as_str());
        Decided {
            about: vec![entry.id.clone()],
            reply: said(match changes.is_empty() {
                true => format!("{path} is so already"),
                false => format!("changed {path}"),
            }),
            changes,
            ..Decided::default()
        }
    }

    fn set(&self) -> Result<Decided, RpcError> {
        if self.params.values.is_empty() {
            return Err(RpcError::new(INVALID_PARAMS, "say what to set: key=value"));
        }
        let entries = match self.params.ticket.trim() {
            "" => vec![self.named()?],
            named => self.queue.pick_all(named).map_err(refused)?,
        };
        let mut decided = Decided::default();
        for entry in entries {
            // An id of its own is the one thing that makes a claim lose its ticket.
            let renames = self
                .params
                .values
                .iter()
                .any(|value| value.trim_start().starts_with("ticket_id"));
            if renames && held_ticket(self.snapshot, &entry.id).is_some() {
                let path = self.queue.path(entry.file.as_str());
                return Err(RpcError::new(
                    CONFLICT,
                    format!("{path} is claimed; release it before its id changes"),
                ));
            }
            let changes = self
                .queue
                .set(entry, &self.params.values)
                .map_err(refused)?;
            decided.about.push(entry.id.clone());
            decided.changes.merge(changes);
        }
        let count = decided.changes.writes.len();
        decided.reply = said(counted(count, "ticket was changed", "tickets were changed"));
        Ok(decided)
    }

    fn done(&self) -> Result<Decided, RpcError> {
        let entry = self.named()?;
        let thread = self.own_claim(entry)?;
        let changes = self.queue.set_done(entry, true).map_err(refused)?;
        let ticket = entry.ticket.clone().unwrap_or_default();
        let verify: Vec<String> = ticket
            .verify
            .into_iter()
            .map(|check| check.command)
            .collect();
        let (verified, mut unverified) = proofs(self.rows, &verify);
        let warnings = match changes.is_empty() && thread.is_none() {
            true => Vec::new(),
            false => unverified.clone(),
        };
        let evidence = self.params.evidence.trim();
        if !evidence.is_empty() {
            unverified.push(format!("Reported: {evidence}"));
        }
        let effects = thread.map(|thread| {
            let seen = (verified.as_slice(), unverified.as_slice());
            finish_ticket(
                self.snapshot,
                self.checkout,
                self.who(),
                thread,
                seen,
                self.now,
            )
        });
        let path = self.queue.path(entry.file.as_str());
        Ok(Decided {
            about: vec![entry.id.clone()],
            reply: TicketReply {
                task_id: thread
                    .map(|thread| thread.task_id.clone())
                    .unwrap_or_default(),
                warnings,
                ..said(
                    match (
                        changes.is_empty(),
                        unverified.is_empty() && !verify.is_empty(),
                    ) {
                        (true, _) => format!("{path} is done already"),
                        (false, true) => format!("{path} is done and verified"),
                        (false, false) => format!("{path} is done, unverified"),
                    },
                )
            },
            changes,
            claim: thread.map(|_| Claimed::ByNobody),
            effects: effects.unwrap_or_default(),
        })
    }

    fn reopen(&self) -> Result<Decided, RpcError> {
        let entry = self.named()?;
        let changes = self.queue.set_done(entry, false).map_err(refused)?;
        Ok(self.edited(entry, changes))
    }

    fn remove(&self) -> Result<Decided, RpcError> {
        let entry = self.named()?;
        let changes = self
            .queue
            .removed(entry, self.claims, self.params.force)
            .map_err(refused)?;
        Ok(Decided {
            reply: said(format!("removed {}", self.queue.path(entry.file.as_str()))),
            effects: match held_ticket(self.snapshot, &entry.id) {
                Some((thread, _)) => {
                    release_ticket(self.snapshot, self.checkout, self.who(), thread, self.now)
                }
                None => Effects::new(),
            },
            changes,
            ..Decided::default()
        })
    }

    fn claim(&self) -> Result<Decided, RpcError> {
        let entry = match (self.params.ticket.trim(), self.at_hand()) {
            ("", Some(entry))
                if held_ticket(self.snapshot, &entry.id)
                    .is_some_and(|(_, link)| self.holds(link)) =>
            {
                entry
            }
            ("", _) => match self.queue.next(self.claims) {
                Next::Ready(entry) | Next::Invalid(entry) => entry,
                _ => {
                    return Err(RpcError::new(NOT_FOUND, "no ticket is ready")
                        .hint("`aictx ticket list --open` says what they wait for"));
                }
            },
            (named, _) => self.queue.pick(named).map_err(refused)?,
        };
        let path = self.queue.path(entry.file.as_str());
        let about = vec![entry.id.clone()];
        if let Some((thread, link)) = held_ticket(self.snapshot, &entry.id)
            && self.holds(link)
            && !entry.is_done()
        {
            return Ok(Decided {
                about,
                reply: TicketReply {
                    claim: link.claim.clone(),
                    task_id: thread.task_id.clone(),
                    ..said(format!("{path} is yours since {}", link.claimed_at))
                },
                ..Decided::default()
            });
        }
        let claims = match self.params.force {
            true => &[],
            false => self.claims,
        };
        self.queue.check_claimable(entry, claims).map_err(refused)?;
        let ticket = entry.ticket.clone().unwrap_or_default();
        let files: Vec<String> = ticket
            .context
            .iter()
            .map(|file| file.path.clone())
            .collect();
        let link = TicketLink {
            id: entry.id.clone(),
            file: path.clone(),
            number: entry.file.number(),
            verify: ticket
                .verify
                .iter()
                .map(|check| check.command.clone())
                .collect(),
            scope: ticket.scope.clone(),
            holder: self.holder().to_owned(),
            worktree: self.checkout.worktree.clone(),
            claimed_at: self.now.to_string(),
            claim: new_id("clm_")?,
        };
        let claim = ClaimOf {
            link: &link,
            goal: &ticket.label(&entry.file),
            next_action: entry.first_task(),
            files: &files,
        };
        let (thread, effects) =
            claim_ticket(self.snapshot, self.checkout, self.who(), &claim, self.now);
        Ok(Decided {
            claim: Some(Claimed::By(Claim {
                ticket: link.id.clone(),
                holder: link.holder.clone(),
                at: link.claimed_at.clone(),
            })),
            about,
            effects,
            reply: TicketReply {
                claim: link.claim.clone(),
                task_id: thread.task_id,
                ..said(format!("{path} is yours"))
            },
            ..Decided::default()
        })
    }

    fn release(&self) -> Result<Decided, RpcError> {
        let entry = self.named()?;
        let thread = self.own_claim(entry)?;
        let path = self.queue.path(entry.file.as_str());
        Ok(Decided {
            about: vec![entry.id.clone()],
            reply: said(match thread {
                Some(_) => format!("{path} is free"),
                None => format!("{path} is claimed by nobody"),
            }),
            claim: thread.map(|_| Claimed::ByNobody),
            effects: thread
                .map(|thread| {
                    release_ticket(self.snapshot, self.checkout, self.who(), thread, self.now)
                })
                .unwrap_or_default(),
            ..Decided::default()
        })
    }

    fn import(&self) -> Result<Decided, RpcError> {
        let other = read_elsewhere(Path::new(&self.params.path))?;
        let imported = self.queue.imported(&other, self.params.agent.trim());
        let imported = imported.map_err(refused)?;
        let all = self.queue.after(&imported.changes, &agents());
        let ids = imported
            .files
            .iter()
            .filter_map(|file| all.pick(file.as_str()).ok());
        let mut message = counted(imported.files.len(), "ticket", "tickets");
        message.push_str(if self.params.dry_run {
            " would be imported"
        } else {
            " imported"
        });
        if !imported.known.is_empty() {
            message.push_str(&format!(", {} here already", imported.known.len()));
        }
        Ok(Decided {
            about: ids.map(|entry| entry.id.clone()).collect(),
            reply: TicketReply {
                renamed: imported.changes.renames.clone(),
                ..said(message)
            },
            changes: imported.changes,
            ..Decided::default()
        })
    }

    fn repair(&self) -> Decided {
        let mut new = || new_id("tkt_").unwrap_or_default();
        Decided {
            changes: self.queue.repaired(&agents(), &mut new),
            ..Decided::default()
        }
    }
}

/// Splits the checks of a ticket into those that were seen to pass and the others, as texts for people.
fn proofs(rows: &[LedgerRow], verify: &[String]) -> (Vec<String>, Vec<String>) {
    let seen = passed_since_edit(rows, verify);
    let (mut verified, mut unverified) = (Vec::new(), Vec::new());
    for (command, seen) in verify.iter().zip(seen) {
        match seen {
            true => verified.push(format!("Verify passed: {command}")),
            false => unverified.push(format!(
                "`{command}` was not seen to pass after the last edit"
            )),
        }
    }
    if verify.is_empty() {
        unverified.push("the ticket names no check (`verify`)".to_owned());
    }
    (verified, unverified)
}

/// The ticket that an execution worked on, and what was seen of its checks.
#[derive(Debug, Clone)]
pub(super) struct Worked {
    id: String,
    verify: Vec<String>,
    verified: Vec<String>,
    unverified: Vec<String>,
}

impl Worked {
    /// Of the thread at hand, while the execution's rows are at hand, too.
    pub(super) fn of(snapshot: &Snapshot, checkout: &Checkout, rows: &[LedgerRow]) -> Option<Self> {
        let thread = ticket_at_hand(snapshot, checkout)?;
        let link = thread.ticket.as_ref()?;
        let (verified, unverified) = proofs(rows, &link.verify);
        Some(Self {
            id: link.id.clone(),
            verify: link.verify.clone(),
            verified,
            unverified,
        })
    }
}

/// Closes the ticket that an execution worked on if it succeeded and its checks were seen to pass; says otherwise what
/// was not seen. One that somebody marked as done is closed as it is.
pub(super) async fn settle(
    app: &Arc<App>,
    place: &Place,
    host: &Arc<Host>,
    identity: &Identity,
    worked: Worked,
    success: bool,
) -> Result<Option<String>, RpcError> {
    let files = TicketFiles::of(app, place, Arc::clone(host))?;
    let (app_, place, identity, now) =
        (Arc::clone(app), place.clone(), identity.clone(), app.now());
    let decide = move |snapshot: &Snapshot| {
        let decide = || -> Result<(Option<String>, Effects), RpcError> {
            let queue = files.read()?;
            let (Some(entry), Some((thread, _))) =
                (queue.find(&worked.id), held_ticket(snapshot, &worked.id))
            else {
                return Ok((None, Effects::new()));
            };
            let path = queue.path(entry.file.as_str());
            let is_proven = worked.unverified.is_empty() && !worked.verify.is_empty();
            let why = worked.unverified.join("; ");
            if !(entry.is_done() || success && is_proven) {
                let told = success.then(|| format!("{path} stays open, unverified: {why}"));
                return Ok((told, Effects::new()));
            }
            let changes = queue.set_done(entry, true).map_err(refused)?;
            let mut effects = files.write(&changes)?;
            let checkout = worktree_facts::checkout(&app_, &place, snapshot);
            let who = (
                identity.agent_id.as_str(),
                identity.adapter_id.as_str(),
                identity.session_id.as_str(),
            );
            let seen = (worked.verified.as_slice(), worked.unverified.as_slice());
            effects.extend(finish_ticket(snapshot, &checkout, who, thread, seen, now));
            let told = match is_proven {
                true => format!("{path} is done and verified"),
                false => format!("{path} is done, unverified: {why}"),
            };
            Ok((Some(told), effects))
        };
        match decide() {
            Ok((told, effects)) => (Ok(told), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    };
    host.write_looking_at(Some(LOOKS_AT.to_owned()), decide)
        .await?
        .0
}

fn said(message: String) -> TicketReply {
    TicketReply {
        message,
        ..TicketReply::default()
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}

/// An id that nobody else has.
fn new_id(prefix: &str) -> Result<String, RpcError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| RpcError::new(INTERNAL, format!("no random numbers: {e}")))?;
    Ok(format!("{prefix}{}", hex(&bytes)))
}

fn refused(error: TicketError) -> RpcError {
    let text = error.to_string();
    match error {
        TicketError::NoSuch(_) => {
            RpcError::new(NOT_FOUND, text).hint("`aictx ticket list` shows what there is")
        }
        TicketError::Argument(_) => RpcError::new(INVALID_PARAMS, text),
        TicketError::Exists { .. } => {
            RpcError::new(CONFLICT, text).hint("`aictx ticket insert` makes room for another one")
        }
        TicketError::Claimed { .. } => RpcError::new(CONFLICT, text)
            .hint("`aictx ticket release N --force` takes the claim away"),
        TicketError::Stale { .. } => RpcError::new(CONFLICT, text).hint("read it again"),
        TicketError::Done { .. } => {
            RpcError::new(REFUSED, text).hint("`aictx ticket reopen N` makes it open again")
        }
        TicketError::Edit { .. } => RpcError::new(REFUSED, text)
            .hint("`aictx ticket lint --fix` repairs what it can without a guess"),
        TicketError::Needed { .. } => {
            RpcError::new(REFUSED, text).hint("take the reference out first, or use --force")
        }
        _ => RpcError::new(REFUSED, text),
    }
}
