//! Tickets as Work State: a claimed ticket is the thread of its worktree and branch.

use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::ledger::{LedgerKind, LedgerRow, Outcome};
use aictx_proto::record::{Thread, TicketLink};
use aictx_proto::shown::{Line, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_proto::told;
use aictx_shell::{Joined, hides_status, is_untested, normalise_command};
use serde_json::json;

use super::branch::{Checkout, active_thread};
use super::commands::Act;
use super::patch::add;
use super::{MAX_TEXT, task_id};

/// A ticket that is to be claimed.
#[derive(Debug, Clone, Copy)]
pub struct ClaimOf<'a> {
    /// The ticket and who claims it.
    pub link: &'a TicketLink,
    /// Goal.
    pub goal: &'a str,
    /// First step; empty when the ticket names none.
    pub next_action: &'a str,
    /// Files that it names.
    pub files: &'a [String],
}

/// Threads that are claims of this user, each with its ticket.
pub fn claimed_tickets(snapshot: &Snapshot) -> impl Iterator<Item = (&Arc<Thread>, &TicketLink)> {
    let own = snapshot
        .threads
        .iter()
        .filter(|thread| thread.origin.is_own());
    own.filter(|thread| thread.status == "in_progress")
        .filter_map(|thread| {
            let link = thread
                .ticket
                .as_ref()
                .filter(|link| !link.claim.is_empty())?;
            Some((thread, link))
        })
}

/// The claim of a ticket.
pub fn held_ticket<'s>(
    snapshot: &'s Snapshot,
    id: &str,
) -> Option<(&'s Arc<Thread>, &'s TicketLink)> {
    claimed_tickets(snapshot).find(|(_, link)| link.id == id)
}

/// The thread of the ticket that is worked on in this worktree on this branch.
pub fn ticket_at_hand(snapshot: &Snapshot, checkout: &Checkout) -> Option<Arc<Thread>> {
    // Most repositories have none, and then nobody asks which thread is active.
    claimed_tickets(snapshot).next()?;
    let active = active_thread(snapshot, checkout).thread?;
    let link = active.ticket.as_ref()?;
    (active.origin.is_own() && !link.claim.is_empty()).then_some(active)
}

/// A ticket at hand in one line.
pub fn ticket_line(thread: &Thread, link: &TicketLink) -> Line {
    told!(
        "Ticket at hand: {} ({}), claimed by {}: {}",
        link.number,
        Name::new(&link.file, 120),
        Name::new(&link.holder, 80),
        Quoted::new(&thread.goal, 160)
    )
}

/// Makes a ticket the active thread of this worktree and branch. The thread that worked on it before goes on.
pub fn claim_ticket(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    claim: &ClaimOf<'_>,
    now: Timestamp,
) -> (Thread, Effects) {
    let of = |thread: &&Arc<Thread>| {
        let own = thread.origin.is_own() && thread.status != "resolved";
        own && thread
            .ticket
            .as_ref()
            .is_some_and(|link| link.id == claim.link.id)
    };
    let before = snapshot.threads.iter().find(of);
    let mut thread = match before {
        Some(thread) => (**thread).clone(),
        None => Thread {
            task_id: free_id(snapshot, claim),
            goal: clean(claim.goal, MAX_TEXT),
            created_at: now.to_string(),
            ..Thread::default()
        },
    };
    "in_progress".clone_into(&mut thread.status);
    if thread.next_action.is_empty() {
        thread.next_action = clean(claim.next_action, MAX_TEXT);
    }
    add(&mut thread.active_files, claim.files.to_vec(), 12);
    add(
        &mut thread.recommended_commands,
        claim.link.verify.clone(),
        8,
    );
    thread.ticket = Some(claim.link.clone());
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    let event = if before.is_some() {
        "resumed"
    } else {
        "started"
    };
    let patch = json!({ "goal": thread.goal, "ticket": claim.link.id });
    let effects = act.save(&mut thread, event, &patch, true);
    (thread, effects)
}

/// An id for the thread of a ticket that no other thread has.
fn free_id(snapshot: &Snapshot, claim: &ClaimOf<'_>) -> String {
    let named = task_id(&format!(
        "ticket {:03} {}",
        claim.link.number,
        clean(claim.goal, 48)
    ));
    let taken = |id: &str| super::find_thread(snapshot, id).is_some();
    match taken(&named) {
        false => named,
        true => format!(
            "ticket-{:03}-{}",
            claim.link.number,
            crate::ids::short_hash(&[&claim.link.id])
        ),
    }
}

/// Lets go of a claimed ticket: its thread waits.
pub fn release_ticket(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    thread: &Thread,
    now: Timestamp,
) -> Effects {
    left(
        snapshot,
        checkout,
        caller,
        thread,
        "paused",
        (&[], &[]),
        now,
    )
}

/// Closes the thread of a ticket that is done. `verified` and `unverified` say how far that was seen.
pub fn finish_ticket(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    thread: &Thread,
    seen: (&[String], &[String]),
    now: Timestamp,
) -> Effects {
    left(snapshot, checkout, caller, thread, "resolved", seen, now)
}

fn left(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    thread: &Thread,
    status: &str,
    (verified, unverified): (&[String], &[String]),
    now: Timestamp,
) -> Effects {
    let mut thread = thread.clone();
    status.clone_into(&mut thread.status);
    if let Some(link) = &mut thread.ticket {
        link.claim.clear();
    }
    let cleaned = |list: &[String]| list.iter().map(|text| clean(text, MAX_TEXT)).collect();
    add(&mut thread.verified, cleaned(verified), 12);
    add(&mut thread.unverified, cleaned(unverified), 12);
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    act.save(&mut thread, "closed", &json!({ "status": status }), true)
}

/// Tells for each command if it was seen to pass in a session after its last edit of something that is tested: the whole
/// command, or a part of a list joined by `&&`.
pub fn passed_since_edit(rows: &[LedgerRow], commands: &[String]) -> Vec<bool> {
    let wanted: Vec<String> = commands.iter().map(|c| normalise_command(c)).collect();
    let mut seen = vec![false; commands.len()];
    for row in rows {
        let writes = matches!(row.kind, LedgerKind::Edit | LedgerKind::Command);
        if writes && row.paths.iter().any(|path| !is_untested(path)) {
            seen.fill(false);
        }
        if row.kind != LedgerKind::Command || row.outcome == Outcome::Unknown {
            continue;
        }
        let passed = row.outcome == Outcome::Passed && !hides_status(&row.command);
        let ran = parts(&row.command);
        for (seen, wanted) in seen.iter_mut().zip(&wanted) {
            if ran.contains(wanted) {
                *seen = passed;
            }
        }
    }
    seen
}

/// A command line, and the commands that it is a list of if all of them must pass.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![normalise_command(line)];
    let script = aictx_shell::parse(line);
    let whole = |joined: Joined| matches!(joined, Joined::First | Joined::And);
    let is_list = script
        .commands
        .iter()
        .all(|part| part.depth == 0 && whole(part.joined));
    if is_list && !script.undecided && script.commands.len() > 1 {
        // None of them holds the joint: what is quoted or nested has another depth or another number of parts.
        let pieces: Vec<&str> = line.split("&&").collect();
        if pieces.len() == script.commands.len() {
            parts.extend(pieces.into_iter().map(normalise_command));
        }
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(kind: LedgerKind, command: &str, outcome: Outcome, paths: &[&str]) -> LedgerRow {
        LedgerRow {
            kind,
            command: command.to_owned(),
            outcome,
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..LedgerRow::default()
        }
    }

    #[test]
    fn a_check_counts_until_something_tested_is_edited_or_it_fails() {
        let wanted = ["cargo test -p a".to_owned(), "make lint".to_owned()];
        let ran = |command: &str, outcome| row(LedgerKind::Command, command, outcome, &[]);
        let edit = |path| row(LedgerKind::Edit, "", Outcome::Unknown, &[path]);
        let mut rows = vec![ran("cargo test -p a 2>&1 | tail -5", Outcome::Unknown)];
        assert_eq!(passed_since_edit(&rows, &wanted), [false, false]);
        rows.push(ran("make lint && cargo test -p a", Outcome::Passed));
        assert_eq!(passed_since_edit(&rows, &wanted), [true, true]);
        rows.push(edit(".aictx/tickets/TICKET-001.md"));
        assert_eq!(passed_since_edit(&rows, &wanted), [true, true]);
        rows.push(ran("make  lint", Outcome::Failed));
        assert_eq!(passed_since_edit(&rows, &wanted), [true, false]);
        rows.push(edit("src/a.rs"));
        assert_eq!(passed_since_edit(&rows, &wanted), [false, false]);
        for hidden in [
            "make lint || true",
            "echo 'x && make lint && y'",
            "make lint; true",
            "echo make lint",
        ] {
            rows.push(ran(hidden, Outcome::Passed));
            assert_eq!(
                passed_since_edit(&rows, &wanted),
                [false, false],
                "{hidden}"
            );
        }
    }
}
