//! The engine of flows: a reducer over [`Flow`], without clock, disk or process.
//!
//! ```text
//! activity(flow)          what has to be done next; it follows from the state alone, so that after a crash
//!                         the same is done again
//! look                    queue, git, replies → a turn, a pause, or the end
//! launched, collected,    the phases of a turn
//! archived, judged
//! ask, resume, woken      what people and timers want
//! ```

use aictx_proto::flow::{
    CommitBy, Conversation, ErrorClass, FlowReason, FlowStatus, InboxState, TurnKind, TurnOutcome,
    TurnPhase, TurnReport, Usage,
};

use aictx_proto::methods::{Severity, TicketState};

use super::state::{
    Asked, CheckResult, Dispatched, FinishedTicket, Flow, InboxItem, Lane, LaneStep, MAX_DETAILS,
    MAX_INBOX, MAX_REASON, PinnedCheck, Retries, TicketAtHand, Turn,
};
use crate::ticket::fields::{Check, USER};
use crate::ticket::{Claim, Entry, Gate, Next, Queue};

/// Delays after a limit of use whose end is not known, in seconds; the last one repeats.
const QUOTA_DELAYS: [i64; 3] = [15 * 60, 30 * 60, 60 * 60];
/// Seconds added to the end of a limit of use, at most.
const QUOTA_JITTER: i64 = 60;
/// First and longest delay after a failure of the network, in seconds.
const NETWORK_DELAYS: (i64, i64) = (5, 300);
/// Seconds after which lanes are looked at even if nobody told of them.
const LANE_WAIT: i64 = 600;
/// Seconds after which tickets that other flows work on are looked at again.
const OTHERS_WAIT: i64 = 30;
/// Beginning of the name under which a flow claims tickets.
pub const HOLDER: &str = "flow ";
/// Longest answer that the next turn is given, in bytes.
const MAX_ANSWER: usize = 8 * 1024;
/// Fresh conversations of a ticket after one that could not go on.
const MAX_FRESH: u32 = 1;

/// Work of a flow that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Look at the tickets and choose.
    Look,
    /// Start the agent.
    Launch,
    /// Begin or merge a lane.
    Lane,
    /// Wait for the agent.
    Attend,
    /// Archive what the agent left for the person.
    Archive,
    /// Look at what the agent did, and run the checks.
    Judge,
    /// Wait until a time, in seconds since the Unix epoch.
    Sleep(i64),
    /// Nothing, until somebody wants something.
    Rest,
}

/// State of git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitFacts {
    /// Branch; empty on a detached HEAD.
    pub branch: String,
    /// Commit; empty on an unborn branch.
    pub head: String,
    /// Changed and untracked paths, memory left out.
    pub dirty: Vec<String>,
}

/// Facts on which the next turn is decided.
pub struct Survey<'a> {
    /// The tickets.
    pub queue: &'a Queue,
    /// Tickets that others work on.
    pub claims: &'a [Claim],
    /// Git; nothing outside of it.
    pub git: Option<GitFacts>,
    /// The worktree is there.
    pub has_worktree: bool,
    /// Little space is left.
    pub disk_is_full: bool,
    /// Highest reply that there is.
    pub replies: u32,
    /// Digest of everything that counts as progress.
    pub fingerprint: String,
    /// Digest of what a resume looks for changes in.
    pub signal: String,
    /// End of a limit of use of an agent, where one is known.
    pub quota_until: &'a dyn Fn(&str) -> Option<i64>,
    /// Status of the flow of each lane, in the order of the lanes.
    pub lanes: &'a [FlowStatus],
    /// A check may be run.
    pub is_trusted: &'a dyn Fn(&str) -> bool,
}

/// Facts about what a turn did.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    /// The ticket's file could be found.
    pub is_there: bool,
    /// The ticket is done.
    pub done: bool,
    /// Its agent, as the file says now.
    pub agent: String,
    /// Findings in its frontmatter, each a line.
    pub findings: Vec<String>,
    /// Results of checks; they run while the ticket is done.
    pub checks: Vec<CheckResult>,
    /// Git; nothing outside of it.
    pub git: Option<GitFacts>,
    /// Output of hooks that refused the daemon's commit.
    pub commit_output: String,
    /// Changed paths outside the ticket's scope.
    pub out_of_scope: Vec<String>,
    /// Open acceptance criteria.
    pub unticked: Vec<String>,
    /// Digest of everything that counts as progress.
    pub fingerprint: String,
    /// Digest of what a resume looks for changes in.
    pub signal: String,
}

/// A resume as asked for.
#[derive(Debug, Clone, Default)]
pub struct Resume {
    /// Also where nothing changed since the pause.
    pub force: bool,
    /// The branch there is now becomes the flow's.
    pub accept_branch: bool,
    /// More turns.
    pub turns: u32,
    /// More tokens.
    pub tokens: u64,
    /// More cost in US dollars.
    pub cost_usd: f64,
    /// More seconds.
    pub seconds: u64,
}

/// Refused wishes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// The flow has ended for good.
    #[error("flow {id} is {status}; `aictx flow start` begins a new one")]
    Ended {
        /// Flow.
        id: String,
        /// Status.
        status: FlowStatus,
    },
    /// Nothing changed since the pause.
    #[error(
        "nothing changed since the flow paused ({}): reply, edit the ticket or the code, commit, or use --force",
        .reason.code()
    )]
    NoSignal {
        /// Reason of the pause.
        reason: FlowReason,
    },
    /// It works already.
    #[error("flow {id} is {status} already")]
    Already {
        /// Flow.
        id: String,
        /// Status.
        status: FlowStatus,
    },
}

impl Flow {
    /// Returns true if the flow has not come to an end.
    pub fn is_open(&self) -> bool {
        use FlowStatus::{Completed, Failed, Stopped, Superseded};
        !matches!(self.status, Completed | Failed | Stopped | Superseded)
    }

    /// Work that comes next.
    pub fn activity(&self) -> Activity {
        match self.status {
            FlowStatus::Running | FlowStatus::Stopping => {
                match self.turn.as_ref().map(|turn| turn.phase) {
                    None if self.lane_step.is_some() => Activity::Lane,
                    None | Some(TurnPhase::Settled) => Activity::Look,
                    Some(TurnPhase::Prepared) => Activity::Launch,
                    Some(TurnPhase::Launched) => Activity::Attend,
                    Some(TurnPhase::Collected) => Activity::Archive,
                    Some(TurnPhase::Outboxed) => Activity::Judge,
                }
            }
            FlowStatus::Waiting => Activity::Sleep(self.due_at.unwrap_or_default()),
            _ => Activity::Rest,
        }
    }

    /// The item of the inbox that the flow waits for.
    pub fn question(&self) -> Option<&InboxItem> {
        let mut items = self.inbox.iter().rev();
        items.find(|item| item.state == InboxState::Open)
    }

    /// Stops working until a person acts, and asks.
    pub fn pause(
        &mut self,
        reason: FlowReason,
        text: &str,
        details: Vec<String>,
        signal: &str,
        now: i64,
    ) {
        self.status = FlowStatus::Paused;
        signal.clone_into(&mut self.paused_at);
        self.set_reason(reason, text, details);
        self.asked = None;
        self.close_inbox(InboxState::Obsolete, "another question took its place");
        let number = self.inbox.iter().map(InboxItem::number).max().unwrap_or(0) + 1;
        self.inbox.push(InboxItem {
            id: format!("{}.{number}", self.flow_id),
            reason,
            title: self.reason.clone(),
            dispatch: match reason {
                FlowReason::UserPause => self.dispatch_seq,
                _ => 0,
            },
            state: InboxState::Open,
            at: now,
            resolution: String::new(),
        });
        let surplus = self.inbox.len().saturating_sub(MAX_INBOX);
        self.inbox.drain(..surplus);
    }

    fn set_reason(&mut self, reason: FlowReason, text: &str, mut details: Vec<String>) {
        self.reason_code = Some(reason);
        let line = text.lines().next().unwrap_or_default();
        self.reason = line.chars().take(MAX_REASON).collect();
        details.truncate(MAX_DETAILS);
        self.details = details;
        self.due_at = None;
    }

    fn wait(&mut self, reason: FlowReason, text: &str, until: i64) {
        self.status = FlowStatus::Waiting;
        self.set_reason(reason, text, Vec::new());
        self.due_at = Some(until);
    }

    fn run(&mut self) {
        self.status = FlowStatus::Running;
        self.reason_code = None;
        self.reason.clear();
        self.details.clear();
        self.paused_at.clear();
        self.due_at = None;
        self.finished_at = None;
    }

    fn end(&mut self, status: FlowStatus, now: i64) {
        self.run();
        self.status = status;
        self.asked = None;
        self.finished_at = Some(now);
        self.close_inbox(InboxState::Obsolete, status.name());
    }

    /// Gives every open question an end.
    pub fn close_inbox(&mut self, state: InboxState, resolution: &str) {
        let open = |item: &&mut InboxItem| item.state == InboxState::Open;
        for item in self.inbox.iter_mut().filter(open) {
            item.state = state;
            resolution.clone_into(&mut item.resolution);
        }
    }

    /// Chooses what comes next; `settings` of a turn that results are the ticket's own.
    pub fn look(&mut self, survey: &Survey<'_>, now: i64) {
        (self.turn, self.lane_step) = (None, None);
        if self.done_before.is_none() {
            let done = survey.queue.entries.iter().filter(|entry| entry.is_done());
            self.done_before = Some(done.map(|entry| entry.id.clone()).collect());
        }
        if self.take_asked(&survey.signal, now) {
            return;
        }
        if !survey.has_worktree {
            self.end(FlowStatus::Failed, now);
            self.set_reason(
                FlowReason::WorktreeMissing,
                &format!("{} is gone", self.worktree),
                Vec::new(),
            );
            return;
        }
        let branch = survey.git.as_ref().map_or("", |git| git.branch.as_str());
        if branch != self.branch {
            let text = format!(
                "the branch is `{branch}`; the flow works on `{}`",
                self.branch
            );
            return self.pause(
                FlowReason::BranchChanged,
                &text,
                vec![],
                &survey.signal,
                now,
            );
        }
        let duplicates = survey.queue.findings(Gate::Run);
        if !duplicates.is_empty() {
            let lines = duplicates
                .iter()
                .map(|f| format!("{}: {}", f.file, f.message));
            let text = "tickets have the same number or id";
            return self.pause(
                FlowReason::NeedsUserFix,
                text,
                lines.collect(),
                &survey.signal,
                now,
            );
        }
        if self.options.lanes > 1 && self.look_at_lanes(survey, now) {
            return;
        }
        let Some(entry) = self.choose(survey, now) else {
            return;
        };
        if let Some(turn) = self.next_turn(entry, survey, now) {
            self.last_turn = turn.n;
            self.run();
            self.turn = Some(turn);
        }
    }

    /// Chooses the next step of lanes; false where there is none and the worktree of the flow is free for work.
    fn look_at_lanes(&mut self, survey: &Survey<'_>, now: i64) -> bool {
        // In the order of the tickets, so that a later one never gets ahead of an earlier one.
        if let (Some(lane), Some(FlowStatus::Completed)) =
            (self.lanes.first(), survey.lanes.first())
        {
            self.lane_step = Some(LaneStep::Merge(lane.clone()));
            self.run();
            return true;
        }
        let is_free = |entry: &&Entry| {
            let state = survey.queue.state(entry, survey.claims);
            let is_wanted = self.options.until == 0 || entry.file.number() <= self.options.until;
            let mut lanes = self.lanes.iter();
            state == TicketState::Ready && is_wanted && lanes.all(|lane| lane.ticket_id != entry.id)
        };
        let next = survey.queue.entries.iter().find(is_free);
        let isolated = next.filter(|entry| entry.ticket.as_ref().is_some_and(|t| t.is_isolated));
        let capacity = usize::try_from(self.options.lanes).unwrap_or(usize::MAX);
        if let Some(entry) =
            isolated.filter(|_| self.lanes.len() < capacity && self.ticket.is_none())
        {
            self.lane_step = Some(LaneStep::Open {
                ticket_id: entry.id.clone(),
                file: entry.file.as_str().to_owned(),
            });
            self.run();
            return true;
        }
        if self.lanes.is_empty() {
            return false;
        }
        let states = self.lanes.iter().zip(survey.lanes);
        let details = states.map(|(lane, status)| format!("{}: {status}", lane.file));
        let details = details.collect();
        self.wait(
            FlowReason::LaneWait,
            "tickets are worked on in lanes",
            now + LANE_WAIT,
        );
        self.details = details;
        true
    }

    /// The flow of a lane was begun.
    pub fn lane_opened(&mut self, lane: Lane) {
        self.lane_step = None;
        self.lanes.push(lane);
        self.lanes.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// The work of a lane is on the branch; `finished` and what it used are the lane's.
    pub fn lane_merged(&mut self, flow_id: &str, lane: &Self) {
        self.lane_step = None;
        self.lanes.retain(|own| own.flow_id != flow_id);
        self.finished.extend(lane.finished.iter().cloned());
        self.usage.add(lane.usage);
        self.turns = self.turns.saturating_add(lane.turns);
        self.seconds = self.seconds.saturating_add(lane.seconds);
    }

    /// A step of a lane cannot be done.
    pub fn lane_refused(&mut self, text: &str, details: Vec<String>, signal: &str, now: i64) {
        self.lane_step = None;
        self.pause(FlowReason::MergeConflict, text, details, signal, now);
    }

    fn take_asked(&mut self, signal: &str, now: i64) -> bool {
        match self.asked.take() {
            Some(Asked::Stop) => {
                self.end(FlowStatus::Stopped, now);
                self.set_reason(FlowReason::UserStop, "stopped on request", Vec::new());
                true
            }
            Some(Asked::Pause) => {
                let reason = FlowReason::UserPauseRequest;
                self.pause(reason, "paused on request", vec![], signal, now);
                true
            }
            None => false,
        }
    }

    /// The ticket at hand or the next one; none where the flow paused or ended instead.
    fn choose<'q>(&mut self, survey: &Survey<'q>, now: i64) -> Option<&'q Entry> {
        if let Some(at_hand) = &self.ticket {
            let entry = survey.queue.entries.iter();
            let mut entries = entry.filter(|entry| entry.id == at_hand.id);
            let entry = entries
                .next()
                .or_else(|| survey.queue.find(&at_hand.file))
                .filter(|entry| entry.file.as_str() == at_hand.file || entry.id == at_hand.id);
            match entry {
                Some(entry) if entry.is_done() => {
                    if self.is_unproven(entry) {
                        return Some(entry);
                    }
                    let left = self.uncommitted(survey.git.as_ref());
                    if let (false, Some(ticket)) = (left.is_empty(), &mut self.ticket) {
                        ticket.gates.commit = left;
                        return Some(entry);
                    }
                    self.finish_ticket();
                }
                Some(entry) => return Some(entry),
                None => self.ticket = None,
            }
        }
        let signal = &survey.signal;
        // Tickets that were done on the side have to be proven as well.
        let aside = survey
            .queue
            .entries
            .iter()
            .find(|entry| self.was_done_aside(entry));
        if let Some(entry) = aside {
            self.ticket = Some(at_hand(entry, survey));
            if self.is_unproven(entry) {
                return Some(entry);
            }
            self.finish_ticket();
            return self.choose(survey, now);
        }
        if !self.only.is_empty() {
            let mut entries = survey.queue.entries.iter();
            let own = entries.find(|entry| entry.id == self.only && !entry.is_done());
            if own.is_none() {
                self.end(FlowStatus::Completed, now);
                return None;
            }
        }
        let next = match self.only.as_str() {
            "" => survey.queue.next(survey.claims),
            only => survey
                .queue
                .entries
                .iter()
                .find(|entry| entry.id == only)
                .map_or(Next::Empty, Next::Ready),
        };
        match next {
            Next::Ready(entry) | Next::Invalid(entry)
                if self.options.until > 0 && entry.file.number() > self.options.until =>
            {
                self.end(FlowStatus::Completed, now);
                None
            }
            Next::Ready(entry) => {
                self.ticket = Some(at_hand(entry, survey));
                Some(entry)
            }
            Next::Invalid(entry) => {
                let path = survey.queue.path(entry.file.as_str());
                let lines = entry
                    .findings
                    .iter()
                    .map(|f| format!("{path}: {}", f.message));
                let text = format!("{path} cannot be read as a ticket");
                self.pause(
                    FlowReason::NeedsUserFix,
                    &text,
                    lines.collect(),
                    signal,
                    now,
                );
                None
            }
            Next::Waiting => {
                let open = survey.queue.entries.iter().filter(|entry| !entry.is_done());
                let line = |entry: &Entry| {
                    let claim = survey.claims.iter().find(|claim| claim.ticket == entry.id);
                    match claim {
                        Some(claim) => format!("{} is claimed by {}", entry.file, claim.holder),
                        None => {
                            let by = survey.queue.blocked_by(entry);
                            format!("{} waits for {}", entry.file, by.join(", "))
                        }
                    }
                };
                let text = "every open ticket is claimed or waits for another one";
                let details: Vec<String> = open.map(line).collect();
                // Another flow finishes by itself; a person has to be asked.
                let is_flow = |claim: &Claim| claim.holder.starts_with(HOLDER);
                if survey.claims.iter().any(is_flow) {
                    self.wait(
                        FlowReason::LaneWait,
                        "another flow works on what is left",
                        now + OTHERS_WAIT,
                    );
                    self.details = details;
                    return None;
                }
                self.pause(FlowReason::DependencyBlocked, text, details, signal, now);
                None
            }
            Next::Done => {
                self.end(FlowStatus::Completed, now);
                None
            }
            Next::Empty => {
                self.pause(
                    FlowReason::NoTickets,
                    "there are no tickets",
                    vec![],
                    signal,
                    now,
                );
                None
            }
        }
    }

    /// Returns true if a ticket is done, has checks, and they have not run since.
    fn is_unproven(&self, entry: &Entry) -> bool {
        let ticket = entry.ticket.as_ref();
        let has_checks = ticket.is_some_and(|ticket| !ticket.verify.is_empty());
        let pinned = self
            .ticket
            .as_ref()
            .and_then(|ticket| ticket.checks.as_ref());
        let has_checks = has_checks
            || !self.options.verify.is_empty()
            || pinned.is_some_and(|checks| !checks.is_empty());
        entry.is_done()
            && has_checks
            && self
                .ticket
                .as_ref()
                .is_some_and(|ticket| ticket.verified != Some(true))
    }

    /// Returns true if a ticket was done since the flow began, and not as its own.
    fn was_done_aside(&self, entry: &Entry) -> bool {
        let before = self.done_before.as_deref().unwrap_or_default();
        let is_wanted = self.options.until == 0 || entry.file.number() <= self.options.until;
        entry.is_done()
            && is_wanted
            && self.only.is_empty()
            && !before.contains(&entry.id)
            && self.finished.iter().all(|ticket| ticket.id != entry.id)
            && self.lanes.iter().all(|lane| lane.ticket_id != entry.id)
    }

    /// The next turn of the ticket at hand; none where a limit or a missing answer forbids one.
    fn next_turn(&mut self, entry: &Entry, survey: &Survey<'_>, now: i64) -> Option<Turn> {
        let signal = survey.signal.clone();
        let ready = match self.obstacle(entry, survey) {
            None => true,
            Some((reason, text, details)) => {
                self.pause(reason, &text, details, &signal, now);
                false
            }
        };
        let is_proof = self.is_unproven(entry);
        let ticket = self.ticket.as_mut().filter(|_| ready)?;
        if ticket.checks.is_none() {
            ticket.checks = Some(pinned(entry));
        }
        let kind = match is_proof {
            true => TurnKind::Verify,
            false => ticket.next_kind(),
        };
        // A repair keeps what the ticket said while it could be read.
        if let Some(now) = entry.ticket.as_ref().filter(|_| is_valid(entry)) {
            now.agent.clone_into(&mut ticket.agent);
            now.model.clone_into(&mut ticket.model);
            now.reasoning.clone_into(&mut ticket.reasoning);
        }
        let (agent, model) = (ticket.agent.clone(), ticket.model.clone());
        if let Some(until) = (survey.quota_until)(&agent).filter(|until| *until > now) {
            let text = format!("`{agent}` has reached a limit of use");
            self.wait(FlowReason::QuotaWait, &text, until);
            return None;
        }
        let profile = format!("{agent} {model}");
        let keeps = ticket.session_profile == profile
            && (self.options.conversation == Conversation::Ticket
                || kind == TurnKind::RepairFrontmatter);
        if !keeps {
            ticket.leave_session();
        }
        ticket.session_profile = profile;
        Some(Turn {
            n: self.last_turn + 1,
            kind,
            // Checks need no agent.
            phase: match is_proof {
                true => TurnPhase::Outboxed,
                false => TurnPhase::Prepared,
            },
            attempt: 1,
            ticket_id: ticket.id.clone(),
            file: entry.file.as_str().to_owned(),
            driver: match self.options.driver.is_empty() {
                true => agent.clone(),
                false => self.options.driver.clone(),
            },
            agent,
            model,
            reasoning: ticket.reasoning.clone(),
            resume: ticket.session.clone(),
            replies: survey.replies,
            started_at: now,
            ended_at: if is_proof { now } else { 0 },
            head_before: survey
                .git
                .as_ref()
                .map_or_else(String::new, |git| git.head.clone()),
            tree_before: String::new(),
            interrupted: None,
            report: is_proof.then(|| TurnReport {
                outcome: TurnOutcome::Ok,
                error: None,
                text: String::new(),
                session: String::new(),
                usage: Usage::default(),
            }),
            dispatch: None,
            dispatch_problem: String::new(),
        })
    }

    fn obstacle(
        &self,
        entry: &Entry,
        survey: &Survey<'_>,
    ) -> Option<(FlowReason, String, Vec<String>)> {
        let at_hand = self.ticket.as_ref()?;
        let plain = |reason, text: String| Some((reason, text, Vec::new()));
        if survey.disk_is_full {
            return plain(FlowReason::DiskFull, "the disk is nearly full".to_owned());
        }
        if !is_valid(entry) && at_hand.gates.lint.is_empty() {
            let lines = entry.findings.iter().map(|f| f.message.clone());
            let text = format!("{} cannot be read as a ticket", entry.file);
            return Some((FlowReason::NeedsUserFix, text, lines.collect()));
        }
        if let Some(ticket) = &entry.ticket {
            if ticket.agent == USER && !ticket.done {
                let text = format!(
                    "{} is yours: do it, then `aictx ticket done {}`",
                    entry.file,
                    entry.file.number()
                );
                return plain(FlowReason::UserPause, text);
            }
            let checks = ticket.verify.iter().map(|check| &check.command);
            let pinned = at_hand.checks.iter().flatten().map(|check| &check.command);
            let mut checks = checks.chain(&self.options.verify).chain(pinned);
            if let Some(command) = checks.find(|command| !(survey.is_trusted)(command)) {
                let text = format!(
                    "{} wants to run `{command}`, which was not trusted yet",
                    entry.file
                );
                return plain(FlowReason::ApprovalNeeded, text);
            }
        }
        if self.is_unproven(entry) {
            return None;
        }
        if self.turns >= self.caps.turns {
            return plain(
                FlowReason::MaxTurns,
                format!("{} of {} turns are used", self.turns, self.caps.turns),
            );
        }
        let gates = &at_hand.gates;
        let (cap, used) = match at_hand.next_kind() {
            TurnKind::Commit => (self.caps.commit, gates.commit_turns),
            TurnKind::RepairFrontmatter => (self.caps.lint, gates.lint_turns),
            TurnKind::VerifyFix => (self.caps.verify_fix, gates.verify_turns),
            TurnKind::Work | TurnKind::Verify => (self.caps.ticket_turns, at_hand.turns),
        };
        if used >= cap {
            let (reason, text, details) = match at_hand.next_kind() {
                TurnKind::Commit => (
                    FlowReason::CommitRequired,
                    match gates
                        .commit_output
                        .lines()
                        .find(|line| !line.trim().is_empty())
                    {
                        Some(line) => {
                            format!("{} is done, and committing it failed: {line}", entry.file)
                        }
                        None => {
                            format!("{} is done, and its changes are not committed", entry.file)
                        }
                    },
                    gates
                        .commit
                        .iter()
                        .map(String::as_str)
                        .chain(gates.commit_output.lines())
                        .map(str::to_owned)
                        .collect(),
                ),
                TurnKind::RepairFrontmatter => (
                    FlowReason::NeedsUserFix,
                    format!("{} still cannot be read as a ticket", entry.file),
                    gates.lint.clone(),
                ),
                TurnKind::VerifyFix => {
                    let check = gates.verify.clone().unwrap_or_default();
                    (
                        FlowReason::VerifyFailed,
                        format!("`{}` still fails", check.command),
                        check.tail.lines().map(str::to_owned).collect(),
                    )
                }
                TurnKind::Work | TurnKind::Verify => (
                    FlowReason::MaxTurnsTicket,
                    format!("{} has had {used} of {cap} turns", entry.file),
                    Vec::new(),
                ),
            };
            return Some((reason, text, details));
        }
        let (text, limit) = self.spent(entry)?;
        plain(
            FlowReason::BudgetExhausted,
            format!("{text} of {limit} are used"),
        )
    }

    /// The first limit of tokens, cost or time that is reached: used, and the limit.
    fn spent(&self, entry: &Entry) -> Option<(String, String)> {
        let at_hand = self.ticket.as_ref()?;
        let limit_of = |name: &str| -> Option<f64> {
            let budget = &entry.ticket.as_ref()?.budget;
            let (_, value) = budget.iter().find(|(key, _)| key == name)?;
            value.trim_start_matches('$').parse().ok()
        };
        let over = |used: f64, limit: Option<f64>| limit.filter(|limit| used >= *limit);
        #[expect(clippy::cast_precision_loss, reason = "a limit, compared and shown")]
        let (all, own) = (self.usage.tokens() as f64, at_hand.usage.tokens() as f64);
        #[expect(clippy::cast_precision_loss, reason = "a limit, compared and shown")]
        let flow_tokens = self.caps.tokens.map(|tokens| tokens as f64);
        let cost = self.usage.cost_usd.unwrap_or_default();
        let own_cost = at_hand.usage.cost_usd.unwrap_or_default();
        if let Some(limit) = over(f64::from(at_hand.turns), limit_of("turns")) {
            return Some((format!("{} turns", at_hand.turns), format!("{limit}")));
        }
        for (used, limit) in [(all, flow_tokens), (own, limit_of("tokens"))] {
            if let Some(limit) = over(used, limit) {
                return Some((format!("{used} tokens"), format!("{limit}")));
            }
        }
        for (used, limit) in [(cost, self.caps.cost_usd), (own_cost, limit_of("cost"))] {
            if let Some(limit) = over(used, limit) {
                return Some((format!("${used:.2}"), format!("${limit:.2}")));
            }
        }
        let limit = self.caps.seconds.filter(|limit| self.seconds >= *limit)?;
        Some((format!("{} s", self.seconds), format!("{limit} s")))
    }

    /// The agent was started: the turn counts from now on.
    pub fn launched(&mut self, now: i64) {
        let Some(turn) = &mut self.turn else { return };
        if turn.phase != TurnPhase::Prepared {
            return;
        }
        turn.phase = TurnPhase::Launched;
        turn.started_at = now;
        let kind = turn.kind;
        self.turns = self.turns.saturating_add(1);
        if let Some(ticket) = &mut self.ticket {
            *ticket.counter(kind) += 1;
        }
    }

    /// The chosen turn cannot be started.
    pub fn refused(&mut self, reason: FlowReason, text: &str, signal: &str, now: i64) {
        self.turn = None;
        self.pause(reason, text, Vec::new(), signal, now);
    }

    /// The host of a launched turn is gone without a trace: it is started once more, or the flow pauses.
    pub fn lost(&mut self, signal: &str, now: i64) {
        self.retries.crash += 1;
        if self.retries.crash > self.caps.crash {
            self.turn = None;
            let text = "the agent went away again and again";
            return self.pause(FlowReason::AgentCrash, text, vec![], signal, now);
        }
        if let Some(turn) = &mut self.turn {
            turn.phase = TurnPhase::Prepared;
            turn.attempt += 1;
            let kind = turn.kind;
            self.turns = self.turns.saturating_sub(1);
            if let Some(ticket) = &mut self.ticket {
                let counter = ticket.counter(kind);
                *counter = counter.saturating_sub(1);
            }
        }
    }

    /// The agent has ended.
    pub fn collected(
        &mut self,
        report: TurnReport,
        interrupted: Option<FlowReason>,
        started: i64,
        now: i64,
    ) {
        let Some(turn) = &mut self.turn else { return };
        turn.phase = TurnPhase::Collected;
        turn.started_at = started;
        turn.ended_at = now;
        turn.interrupted = interrupted.or(turn.interrupted);
        self.usage.add(report.usage);
        let seconds = u64::try_from(now - started).unwrap_or(0);
        self.seconds = self.seconds.saturating_add(seconds);
        if let Some(ticket) = &mut self.ticket {
            ticket.usage.add(report.usage);
        }
        turn.report = Some(report);
    }

    /// The dispatch of the turn is in the archive, or cannot be.
    pub fn archived(&mut self, dispatch: Option<Dispatched>, problem: String) {
        let Some(turn) = &mut self.turn else { return };
        turn.phase = TurnPhase::Outboxed;
        if let Some(dispatch) = &dispatch {
            self.dispatch_seq = self.dispatch_seq.max(dispatch.seq);
        }
        turn.dispatch = dispatch;
        turn.dispatch_problem = problem;
    }

    /// Takes in what a turn did, and decides: a failure stops before a pause, a pause before a repair, a repair
    /// before the next turn.
    pub fn judged(&mut self, facts: &Judgement, now: i64) {
        let Some(turn) = self.turn.take() else { return };
        let report = turn.report.clone();
        let outcome = report
            .as_ref()
            .map_or(TurnOutcome::Crashed, |report| report.outcome);
        if outcome == TurnOutcome::Ok {
            self.retries = Retries::default();
            self.reply_seq = self.reply_seq.max(turn.replies);
        }
        self.take_state_of_ticket(&turn, facts, outcome);
        let signal = facts.signal.as_str();
        if facts.checks.iter().any(|check| check.interrupted) {
            // They are run again by the next look.
            if !self.take_asked(signal, now) {
                self.run();
            }
            return;
        }
        if !turn.dispatch_problem.is_empty() {
            let text = turn.dispatch_problem.clone();
            return self.pause(FlowReason::NeedsUserFix, &text, vec![], signal, now);
        }
        if let Some(dispatch) = turn.dispatch.as_ref().filter(|dispatch| dispatch.pauses) {
            let title = dispatch.title.clone();
            return self.pause(FlowReason::UserPause, &title, vec![], signal, now);
        }
        if outcome != TurnOutcome::Ok {
            return self.after_failure(&turn, outcome, signal, now);
        }
        if self.take_asked(signal, now) {
            return;
        }
        if !facts.is_there {
            self.ticket = None;
        }
        if !facts.findings.is_empty() && facts.agent.is_empty() {
            let text = format!("{} names no agent any more", turn.file);
            let details = facts.findings.clone();
            return self.pause(FlowReason::NeedsUserFix, &text, details, signal, now);
        }
        if self.options.strict
            && let Some((reason, text, details)) = strictly(facts)
        {
            return self.pause(reason, text, details, signal, now);
        }
        let idle = self.ticket.as_ref().map_or(0, |ticket| ticket.idle_turns);
        if idle >= self.caps.idle_turns {
            if let Some(ticket) = &mut self.ticket {
                ticket.idle_turns = 0;
            }
            let text = format!("{idle} turns changed nothing");
            return self.pause(FlowReason::LoopNoProgress, &text, vec![], signal, now);
        }
        self.run();
    }

    fn take_state_of_ticket(&mut self, turn: &Turn, facts: &Judgement, outcome: TurnOutcome) {
        let left = match facts.done {
            true => self.uncommitted(facts.git.as_ref()),
            false => Vec::new(),
        };
        let Some(ticket) = &mut self.ticket else {
            return;
        };
        if let Some(report) = &turn.report {
            // A conversation in which the agent did nothing may not have been kept, and it needs the full prompt.
            let has_begun = outcome == TurnOutcome::Ok
                || !report.text.is_empty()
                || report.usage.tool_calls > 0;
            if has_begun && !report.session.is_empty() {
                report.session.clone_into(&mut ticket.session);
            }
            if !report.text.is_empty() {
                ticket.last_answer = tail(&report.text, MAX_ANSWER).to_owned();
            }
        }
        let changed = ticket.fingerprint != facts.fingerprint;
        facts.fingerprint.clone_into(&mut ticket.fingerprint);
        let may_be_idle = outcome == TurnOutcome::Ok && turn.kind != TurnKind::RepairFrontmatter;
        ticket.idle_turns = match changed || facts.done || !may_be_idle {
            true => 0,
            false => ticket.idle_turns + 1,
        };
        ticket.gates.lint = facts.findings.clone();
        if facts.findings.is_empty() {
            ticket.gates.lint_turns = 0;
        }
        if facts.checks.iter().any(|check| check.interrupted) {
            ticket.verified = None;
            return;
        }
        if let Some(failed) = facts.checks.iter().find(|check| !check.passed()) {
            ticket.verified = Some(false);
            ticket.gates.verify = Some(failed.clone());
        } else if facts.done {
            ticket.verified = (!facts.checks.is_empty()).then_some(true);
            if ticket.verified.is_some() {
                ticket.gates.verify = None;
            }
        } else {
            ticket.verified = None;
        }
        if facts.done && facts.checks.iter().all(CheckResult::passed) {
            ticket.gates.commit = left;
            facts
                .commit_output
                .clone_into(&mut ticket.gates.commit_output);
        } else if !facts.done {
            ticket.gates.commit.clear();
        }
    }

    fn after_failure(&mut self, turn: &Turn, outcome: TurnOutcome, signal: &str, now: i64) {
        if self.take_asked(signal, now) {
            return;
        }
        let error = turn
            .report
            .as_ref()
            .and_then(|report| report.error.as_ref());
        // Some agents try again in silence; what they waited for is known when they are interrupted.
        let is_known = error
            .is_some_and(|error| matches!(error.class, ErrorClass::Quota | ErrorClass::Network));
        if let Some(reason) = turn.interrupted
            && !(reason == FlowReason::Stall && is_known)
        {
            return self.after_interruption(reason, signal, now);
        }
        let class = match (error, outcome) {
            (Some(error), _) => error.class,
            (None, _) => ErrorClass::AgentBug,
        };
        let text = error.map_or("the agent ended without a report", |error| {
            error.text.as_str()
        });
        let lines = || text.lines().map(str::to_owned).collect::<Vec<_>>();
        match class {
            ErrorClass::Quota => {
                self.refund(turn.kind);
                let step = usize::try_from(self.retries.quota).unwrap_or(usize::MAX);
                let last = QUOTA_DELAYS.len() - 1;
                let delay = QUOTA_DELAYS.get(step.min(last)).copied().unwrap_or(900);
                self.retries.quota += 1;
                let until = error.and_then(|error| error.resets_at);
                // Spread over a minute, so that flows of one account do not all come back at once.
                let jitter = jitter(&self.flow_id, turn.n, QUOTA_JITTER);
                let until = until
                    .filter(|at| *at > now)
                    .map_or(now + delay, |at| at + jitter);
                self.wait(FlowReason::QuotaWait, text, until);
            }
            ErrorClass::Network => {
                self.refund(turn.kind);
                self.retries.network += 1;
                if self.retries.network > self.caps.network {
                    self.retries.network = 0;
                    return self.pause(FlowReason::InfraError, text, lines(), signal, now);
                }
                let (first, longest) = NETWORK_DELAYS;
                let delay = first
                    .saturating_mul(1 << (self.retries.network - 1).min(16))
                    .min(longest);
                let delay = delay + jitter(&self.flow_id, turn.n, delay / 5);
                self.wait(FlowReason::NetworkWait, text, now + delay);
            }
            ErrorClass::Auth => self.pause(FlowReason::AuthRequired, text, lines(), signal, now),
            ErrorClass::ContextOverflow | ErrorClass::SessionMissing => {
                let ticket = self.ticket.as_mut();
                let again = ticket.is_some_and(|ticket| {
                    ticket.leave_session();
                    ticket.gates.fresh_turns += 1;
                    ticket.gates.fresh_turns <= MAX_FRESH
                });
                match again {
                    true => self.run(),
                    false => self.pause(FlowReason::InfraError, text, lines(), signal, now),
                }
            }
            ErrorClass::Config => self.pause(FlowReason::NeedsUserFix, text, lines(), signal, now),
            ErrorClass::AgentBug => {
                self.retries.crash += 1;
                match self.retries.crash > self.caps.crash {
                    true => {
                        self.retries.crash = 0;
                        self.pause(FlowReason::AgentCrash, text, lines(), signal, now);
                    }
                    false => self.run(),
                }
            }
            ErrorClass::Unknown => {
                self.pause(FlowReason::InfraError, text, lines(), signal, now);
            }
        }
    }

    fn after_interruption(&mut self, reason: FlowReason, signal: &str, now: i64) {
        let text = match reason {
            FlowReason::BudgetExhausted => "a turn reached a limit and was interrupted",
            FlowReason::Stall => "the agent was silent and idle, and was interrupted",
            FlowReason::MaxTurnsTicket => "a turn took too long and was interrupted",
            // The machine went down, or somebody ended the agent.
            _ => return self.run(),
        };
        if reason == FlowReason::Stall {
            self.retries.crash += 1;
            if self.retries.crash <= self.caps.crash {
                return self.run();
            }
            self.retries.crash = 0;
        }
        self.pause(reason, text, vec![], signal, now);
    }

    /// Takes a turn back that was no work of the agent.
    fn refund(&mut self, kind: TurnKind) {
        self.turns = self.turns.saturating_sub(1);
        if let Some(ticket) = &mut self.ticket {
            let counter = ticket.counter(kind);
            *counter = counter.saturating_sub(1);
        }
    }

    /// Paths that the ticket changed and nobody committed.
    fn uncommitted(&self, git: Option<&GitFacts>) -> Vec<String> {
        let (Some(git), Some(ticket)) = (git, &self.ticket) else {
            return Vec::new();
        };
        if self.options.commit == CommitBy::Nobody {
            return Vec::new();
        }
        let strict = self.options.strict_commit;
        let mine = |path: &&String| strict || !ticket.baseline.contains(path);
        git.dirty.iter().filter(mine).cloned().collect()
    }

    fn finish_ticket(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.finished.push(FinishedTicket {
                id: ticket.id,
                file: ticket.file,
                title: ticket.title,
                verified: ticket.verified,
                turns: ticket.turns,
                usage: ticket.usage,
            });
        }
    }

    /// A person wants the flow to pause or stop. Without a turn under way it does so at once.
    ///
    /// # Errors
    /// The flow has ended.
    pub fn ask(&mut self, what: Asked, signal: &str, now: i64) -> Result<(), FlowError> {
        if !self.is_open() {
            return Err(self.ended());
        }
        self.asked = Some(what);
        let at_work = self.turn.is_some()
            && matches!(self.status, FlowStatus::Running | FlowStatus::Stopping);
        if at_work {
            if what == Asked::Stop {
                self.status = FlowStatus::Stopping;
            }
            return Ok(());
        }
        if self.status == FlowStatus::Paused && what == Asked::Pause {
            self.asked = None;
            return Ok(());
        }
        self.take_asked(signal, now);
        Ok(())
    }

    /// A person wants the flow to go on.
    ///
    /// # Errors
    /// It has ended for good, works already, or paused for a reason that nothing has changed since.
    pub fn resume(
        &mut self,
        wish: &Resume,
        branch: &str,
        signal: &str,
        replied: bool,
    ) -> Result<(), FlowError> {
        match self.status {
            FlowStatus::Completed | FlowStatus::Superseded => return Err(self.ended()),
            FlowStatus::Running | FlowStatus::Stopping => {
                return Err(FlowError::Already {
                    id: self.flow_id.clone(),
                    status: self.status,
                });
            }
            _ => {}
        }
        if let Some(reason) = self.reason_code
            && self.status == FlowStatus::Paused
            && reason.needs_signal()
            && !wish.force
            && !replied
            && self.paused_at == signal
        {
            return Err(FlowError::NoSignal { reason });
        }
        if wish.accept_branch {
            branch.clone_into(&mut self.branch);
        }
        self.raise(wish);
        self.close_inbox(InboxState::Answered, "resumed");
        self.asked = None;
        self.retries = Retries::default();
        self.turn = None;
        self.run();
        Ok(())
    }

    fn raise(&mut self, wish: &Resume) {
        let more = |cap: &mut u32, by: u32| *cap = cap.saturating_add(by);
        match self.reason_code {
            Some(FlowReason::MaxTurns) => more(&mut self.caps.turns, wish.turns),
            Some(FlowReason::MaxTurnsTicket) => more(&mut self.caps.ticket_turns, wish.turns),
            _ if wish.turns > 0 => more(&mut self.caps.turns, wish.turns),
            _ => {}
        }
        if let Some(tokens) = &mut self.caps.tokens {
            *tokens = tokens.saturating_add(wish.tokens);
        }
        if let Some(cost) = &mut self.caps.cost_usd {
            *cost += wish.cost_usd.max(0.0);
        }
        if let Some(seconds) = &mut self.caps.seconds {
            *seconds = seconds.saturating_add(wish.seconds);
        }
        // A person has looked: each gate may try again.
        if let Some(ticket) = &mut self.ticket {
            let gates = &mut ticket.gates;
            (gates.lint_turns, gates.commit_turns) = (0, 0);
            (gates.verify_turns, gates.fresh_turns) = (0, 0);
            ticket.checks = None;
        }
    }

    /// The time that a waiting flow waited for has come.
    pub fn woken(&mut self, now: i64) {
        if self.status == FlowStatus::Waiting && self.due_at.is_none_or(|due| due <= now) {
            self.run();
        }
    }

    /// Another flow takes its place.
    pub fn supersede(&mut self, by: &str, now: i64) {
        self.turn = None;
        self.end(FlowStatus::Superseded, now);
        by.clone_into(&mut self.superseded_by);
    }

    fn ended(&self) -> FlowError {
        FlowError::Ended {
            id: self.flow_id.clone(),
            status: self.status,
        }
    }
}

impl TicketAtHand {
    /// Purpose of the next turn.
    pub fn next_kind(&self) -> TurnKind {
        if !self.gates.lint.is_empty() {
            TurnKind::RepairFrontmatter
        } else if self.gates.verify.is_some() {
            TurnKind::VerifyFix
        } else if !self.gates.commit.is_empty() {
            TurnKind::Commit
        } else {
            TurnKind::Work
        }
    }

    fn counter(&mut self, kind: TurnKind) -> &mut u32 {
        match kind {
            TurnKind::Work | TurnKind::Verify => &mut self.turns,
            TurnKind::RepairFrontmatter => &mut self.gates.lint_turns,
            TurnKind::Commit => &mut self.gates.commit_turns,
            TurnKind::VerifyFix => &mut self.gates.verify_turns,
        }
    }
}

impl InboxItem {
    /// Number in its flow.
    pub fn number(&self) -> u32 {
        let number = self
            .id
            .rsplit_once('.')
            .and_then(|(_, number)| number.parse().ok());
        number.unwrap_or(0)
    }
}

/// A ticket as it is taken up.
fn at_hand(entry: &Entry, survey: &Survey<'_>) -> TicketAtHand {
    let ticket = entry.ticket.as_ref();
    let git = survey.git.as_ref();
    TicketAtHand {
        id: entry.id.clone(),
        file: entry.file.as_str().to_owned(),
        title: ticket.map_or_else(String::new, |ticket| ticket.label(&entry.file)),
        agent: ticket.map_or_else(String::new, |ticket| ticket.agent.clone()),
        baseline: git.map_or_else(Vec::new, |git| git.dirty.clone()),
        head: git.map_or_else(String::new, |git| git.head.clone()),
        checks: Some(pinned(entry)),
        fingerprint: survey.fingerprint.clone(),
        ..TicketAtHand::default()
    }
}

fn pinned(entry: &Entry) -> Vec<PinnedCheck> {
    let checks = entry.ticket.iter().flat_map(|ticket| &ticket.verify);
    let check = |check: &Check| PinnedCheck {
        command: check.command.clone(),
        timeout: check.timeout.clone(),
    };
    checks.map(check).collect()
}

fn is_valid(entry: &Entry) -> bool {
    let mut findings = entry.findings.iter();
    entry.ticket.is_some() && !findings.any(|f| f.code.severity() == Severity::Error)
}

/// Finding for which a strict flow pauses.
fn strictly(facts: &Judgement) -> Option<(FlowReason, &'static str, Vec<String>)> {
    if !facts.out_of_scope.is_empty() {
        let text = "paths outside the ticket's scope were changed";
        return Some((FlowReason::ScopeViolation, text, facts.out_of_scope.clone()));
    }
    let text = "the ticket is done, and criteria are not ticked";
    (facts.done && !facts.unticked.is_empty())
        .then(|| (FlowReason::NeedsUserFix, text, facts.unticked.clone()))
}

/// A number below `bound` that differs between flows and turns and is always the same for one.
fn jitter(flow: &str, turn: u32, bound: i64) -> i64 {
    let sum = flow.bytes().fold(u64::from(turn), |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    i64::try_from(sum % 1_000_000).unwrap_or(0) % bound.max(1)
}

/// The end of a text, from a character on.
fn tail(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.get(at..).unwrap_or_default()
}
