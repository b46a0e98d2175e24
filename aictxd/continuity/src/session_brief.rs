//! The session capsule: what an agent is told when a session begins.
//!
//! Facts, in the order in which they matter, each labelled with where it comes from. Stored prose
//! is quoted ([`aictx_proto::shown`]): it is data that a pull request could have changed, never an
//! instruction. The whole text stays below [`MAX_TOKENS`], and a receipt in the session's ledger says
//! what was told and what was left out.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::identity::Identity;
use aictx_proto::ledger::{LedgerKind, LedgerRow, Receipt};
use aictx_proto::methods::AtWork;
use aictx_proto::record::{Handoff, LifecycleEvent, Origin, files};
use aictx_proto::shown::{Code, Line, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_proto::told;
use serde_json::Value;

use self::lines::{CLOSING, newest};
use crate::active_run::ActiveRun;
use crate::context_packet::Packet;
use crate::file_suggestions;
use crate::handoff::blocked_command;
use crate::ledger_facts::{Observation, open_rows};
use crate::preferences::{self, is_muted};
use crate::project::Project;
use crate::recall::{PROMPT_MEMORY, told_before};
use crate::relevance::{Context, Hand, wrong_handoff};
use crate::session::{Touch, touch};

pub(crate) use self::lines::{age, came_back};

mod lines;
mod memory;
#[cfg(test)]
mod tests;

/// Bound of the capsule in tokens, as [`aictx_proto::tokens::estimate`] counts them.
pub(crate) const MAX_TOKENS: u32 = 800;
/// Bound of the capsule after a compaction: the context is needed for the work itself.
const MAX_TOKENS_COMPACT: u32 = 500;
/// Lines of each kind.
const MAX_FAILURES: usize = 3;
const MAX_DECISIONS: usize = 3;
const MAX_EARLIER: usize = 1;
const MAX_RULES: usize = 3;
const MAX_OTHERS: usize = 2;

/// Ranks of a capsule's parts; the highest number goes first.
mod rank {
    pub(super) const LAST: u8 = 1;
    pub(super) const TASK: u8 = 2;
    pub(super) const CHECK: u8 = 3;
    pub(super) const OPEN: u8 = 4;
    pub(super) const BESIDE: u8 = 5;
    pub(super) const DECIDED: u8 = 6;
    pub(super) const OLDER: u8 = 7;
    pub(super) const GUESS: u8 = 8;
}

/// Paths of the user's limits that are told again.
const MAX_LIMITS: usize = 12;

/// A session that begins, goes on or was compacted.
#[derive(Debug, Clone, Copy)]
pub struct SessionStart<'a> {
    /// Whose.
    pub identity: &'a Identity,
    /// Repository.
    pub project: &'a Project,
    /// `startup`, `resume`, `clear`, `compact` or `fork`.
    pub source: &'a str,
    /// Branch checked out.
    pub branch: &'a str,
    /// The session's ledger so far.
    pub rows: &'a [LedgerRow],
    /// Other sessions that are open in the repository, newest first.
    pub others: &'a [AtWork],
    /// Its prompts will bring what memory holds on them, so the start need not guess.
    pub told_at_prompts: bool,
    /// Now.
    pub now: Timestamp,
}

/// The capsule, and the session counted. A user who muted messages still has the agent told: only
/// the banner line is left out.
pub fn session_start(snapshot: &Snapshot, start: &SessionStart) -> (String, Effects) {
    let mut touched = touch(snapshot, start.identity, start.now);
    touched.mark_banner(start.now);
    let context = Context::load(
        snapshot,
        start.project,
        Observation::of(open_rows(start.rows)).asked.goal(),
        "",
        Hand::default(),
        start.now,
    );
    let capsule = Capsule {
        context: &context,
        start,
        touched: &touched,
    };
    let (text, receipt) = match start.source {
        // The session's own context is gone: bring back what it was doing.
        "compact" => capsule.after_compaction(),
        // The transcript still holds the first capsule, and an agent drops a text that it already
        // has; what is new since then is told with the time, which makes the text a new one.
        "resume" => capsule.resumed(),
        _ => capsule.opening(),
    };
    let event = LifecycleEvent {
        schema_version: "1.0".to_owned(),
        event_type: "resume_called".to_owned(),
        timestamp: start.now.to_string(),
        source: "hook".to_owned(),
        agent_id: start.identity.agent_id.clone(),
        adapter_id: start.identity.adapter_id.clone(),
        session_id: start.identity.session_id.clone(),
        ..LifecycleEvent::default()
    };
    let effects = vec![
        touched.effect(),
        Effect::AppendRows {
            file: files::LIFECYCLE_EVENTS.to_owned(),
            rows: vec![crate::stale_sessions::row(&event)],
            order: KeyOrder::Sorted,
        },
        Effect::Ledger {
            session_id: start.identity.session_id.clone(),
            row: Box::new(LedgerRow {
                receipt: Some(Box::new(receipt)),
                ..LedgerRow::observed(start.now, LedgerKind::Told)
            }),
        },
    ];
    (text, effects)
}

/// Most tokens of what a session that goes on with earlier work is told.
const MAX_TOKENS_ONWARD: u32 = 300;

/// Tells a session whose user only says to go on where the last handoff of the project stands. `None` where there is
/// none, or this session was told of it at an earlier prompt.
pub fn tell_where_it_stands(
    snapshot: &Snapshot,
    start: &SessionStart,
) -> Option<(String, Receipt)> {
    let now = start.now;
    let context = Context::load(snapshot, start.project, "", "", Hand::default(), now);
    let handoff = context.handoff?;
    let id = format!("handoff::{}", handoff.source_execution_id);
    if told_before(start.rows).contains(id.as_str()) {
        return None;
    }
    let touched = touch(snapshot, start.identity, now);
    let capsule = Capsule {
        context: &context,
        start,
        touched: &touched,
    };
    let mut packet = Packet::new(PROMPT_MEMORY, MAX_TOKENS_ONWARD, CLOSING);
    capsule.memory(&mut packet);
    Some(capsule.close(packet))
}

/// Longest command that is told, in characters.
const MAX_COMMAND: usize = 400;

/// `aictx · claude@demo · session #3 · awake`
pub(crate) fn banner(touched: &Touch, branch: &str) -> Line {
    let mut line = told!(
        "aictx · {} · session #{} · awake",
        Name::new(&touched.agent_label, 80),
        touched.number
    );
    if !branch.is_empty() {
        line.push(&told!(" · branch {}", Name::new(branch, 80)));
    }
    line
}

/// A capsule being written.
struct Capsule<'c> {
    context: &'c Context<'c>,
    start: &'c SessionStart<'c>,
    touched: &'c Touch,
}

impl Capsule<'_> {
    fn packet(&self, budget: u32) -> Packet {
        let mut packet = Packet::new("session_start", budget, CLOSING);
        if !is_muted(&self.context.snapshot.preferences) {
            packet.line(banner(self.touched, self.start.branch));
        }
        packet
    }

    fn opening(&self) -> (String, Receipt) {
        let mut packet = self.packet(MAX_TOKENS);
        let is_first = self.context.handoff.is_none();
        if is_first {
            self.repository(&mut packet);
            packet.line(match wrong_handoff(self.context.snapshot) {
                Some(_) => told!("Every handoff recorded here was marked as wrong."),
                None => told!("No handoff is recorded here yet."),
            });
        }
        packet.rank(rank::BESIDE);
        self.others(&mut packet);
        let brief = self.start.told_at_prompts && !is_first;
        match brief {
            true => self.last_in_a_line(&mut packet),
            false => self.memory(&mut packet),
        }
        self.run(&mut packet, |run| vec![run.line()]);
        let project = self.start.project;
        packet.rank(rank::GUESS);
        let snapshot = self.context.snapshot;
        let (left, _) =
            file_suggestions::left_to_do(snapshot, self.start.branch, &project.checkout.gone);
        let files = file_suggestions::capsule_line(&project.map, left.trim().is_empty());
        if let Some(files) = files.filter(|_| !brief) {
            let why = "the map ranks them for what was left to do, or for the repository";
            let id = clean(files.as_str(), 160);
            let line = told!("Likely entry points: {}", files);
            packet.item(Origin::Own, "map", &id, why, &[line]);
        }
        packet.rank(rank::CHECK);
        if let Some((command, source)) = project.canonical_check(self.context.snapshot) {
            let mut line = told!("Tests: {}", Code::new(&command, MAX_COMMAND));
            for further in project.further_checks(&command) {
                line.push(&told!(", {}", Code::new(&further, MAX_COMMAND)));
            }
            packet.item(Origin::Own, "check", &clean(&command, 160), source, &[line]);
        }
        preferences::tell(&self.context.snapshot.preferences, &mut packet);
        self.close(packet)
    }

    fn resumed(&self) -> (String, Receipt) {
        let mut packet = self.packet(MAX_TOKENS);
        packet.line(told!("Session resumed at {}.", self.start.now));
        // When this session was heard of before: what others left later is news to it.
        let mut before = self.start.rows.iter().rev();
        let before =
            before.find(|row| !matches!(row.kind, LedgerKind::SessionStart | LedgerKind::Told));
        let left_off = before.map_or(Timestamp::from_unix(0), |row| row.at);
        let own = &self.start.identity.session_id;
        let news = self.context.handoff.filter(|handoff| {
            handoff.session_id != *own
                && Timestamp::parse(&handoff.updated_at).is_some_and(|at| at > left_off)
        });
        if news.is_some() {
            packet.line(told!("Another session has worked here since:"));
            self.memory(&mut packet);
        } else {
            session_so_far(&mut packet, self.start.rows);
        }
        self.run(&mut packet, |run| vec![run.line()]);
        self.close(packet)
    }

    /// The least that puts the session back on its ground: its goal, what it edited, what fails, what
    /// was decided, what is off limits.
    fn after_compaction(&self) -> (String, Receipt) {
        let mut packet = self.packet(MAX_TOKENS_COMPACT);
        packet.line(told!(
            "Context was compacted at {}. This session so far, as observed:",
            self.start.now
        ));
        self.limits(&mut packet);
        session_so_far(&mut packet, self.start.rows);
        self.run(&mut packet, ActiveRun::lines);
        self.work_state(&mut packet);
        self.decisions(&mut packet);
        preferences::tell(&self.context.snapshot.preferences, &mut packet);
        self.close(packet)
    }

    /// Adds lines of the active run.
    fn run(&self, packet: &mut Packet, lines: impl Fn(&ActiveRun) -> Vec<Line>) {
        if let Some(run) = &self.start.project.run {
            packet.rank(rank::TASK);
            run.tell(packet, &lines(run));
        }
    }

    /// Adds the user's limits in this session: they are enforced all the same, but an agent that
    /// knows does not run against it.
    fn limits(&self, packet: &mut Packet) {
        let newest = self.start.rows.iter().rev().find_map(|r| r.limits.as_ref());
        let Some(limits) = newest else {
            return;
        };
        let list = |name: &str| -> Vec<Name> {
            let entries = limits.get(name).and_then(Value::as_array);
            let entries = entries.into_iter().flatten().filter_map(Value::as_str);
            entries
                .take(MAX_LIMITS)
                .map(|e| Name::new(e, 120))
                .collect()
        };
        let (forbidden, allowed) = (list("forbidden_paths"), list("allowed_paths"));
        let mut lines = Vec::new();
        if !forbidden.is_empty() {
            let named = Line::join(&forbidden, ", ");
            let mut line = told!("Not to be edited, the user said: {}", named);
            let excepted = list("excepted_paths");
            if !excepted.is_empty() {
                line.push(&told!(" (but {} may)", Line::join(excepted, ", ")));
            }
            lines.push(line);
        }
        if !allowed.is_empty() {
            lines.push(told!(
                "Nothing but these is to be edited, the user said: {}",
                Line::join(&allowed, ", ")
            ));
        }
        if !lines.is_empty() {
            let paths = Line::join([forbidden, allowed].concat(), ", ");
            packet.item(
                Origin::Own,
                "limits",
                &clean(paths.as_str(), 160),
                "the user set them in this session",
                &lines,
            );
        }
    }

    fn close(&self, mut packet: Packet) -> (String, Receipt) {
        for (kind, id, why) in &self.context.left_out {
            packet.leave_out(kind, id, why);
        }
        for (_, pattern) in self.context.failures.iter().skip(MAX_FAILURES) {
            packet.leave_out("failure", &pattern.failure_id, "limit");
        }
        for found in self.context.decisions.iter().skip(MAX_DECISIONS) {
            packet.leave_out("decision", found.id(), "limit");
        }
        packet.close()
    }

    /// Adds a description of the repository, for a session that has nothing else.
    fn repository(&self, packet: &mut Packet) {
        let project = self.start.project;
        let mut line = told!("Repository: {}", Name::new(&project.name, 80));
        let languages = project.languages();
        if !languages.is_empty() {
            let names = languages.iter().map(|name| Name::new(name, 40));
            line.push(&told!(" ({})", Line::join(names, ", ")));
        }
        let headline = project.headline();
        if !headline.is_empty() {
            line.push(&told!("; README: {}", Quoted::new(&headline, 120)));
        }
        packet.line(line);
        if !project.directories.is_empty() {
            let names = project.directories.iter().map(|d| Name::new(d, 40));
            packet.line(told!("Top level: {}", Line::join(names, ", ")));
        }
    }

    /// Adds other live sessions: two that edit the same should know of each other before they begin.
    fn others(&self, packet: &mut Packet) {
        for other in self.start.others.iter().take(MAX_OTHERS) {
            let id: String = other.session_id.chars().take(8).collect();
            let place = match other.worktree == self.start.project.root {
                true => "",
                false => ", in another worktree",
            };
            let mut line = told!(
                "Also at work here ({}, session {}, heard of {}{})",
                Name::new(&other.runner, 24),
                Name::new(&id, 8),
                age(&other.last_seen_at, self.start.now),
                place,
            );
            if !other.request.is_empty() {
                line.push(&told!(": {}", Quoted::new(&other.request, 120)));
            }
            if !other.files.is_empty() {
                let files: Vec<String> = other.files.iter().rev().cloned().collect();
                line.push(&told!("; edited {}", newest(&files)));
            }
            packet.item(
                Origin::Own,
                "session",
                &other.session_id,
                "open beside this one",
                &[line],
            );
        }
    }
}

/// Adds this session's own work: its open execution, else all of it.
fn session_so_far(packet: &mut Packet, rows: &[LedgerRow]) {
    let open = Observation::of(open_rows(rows));
    let seen = if open.is_empty() {
        Observation::of(rows)
    } else {
        open
    };
    let mut tell = |kind: &str, title: &'static str, said: Line| {
        let (id, line) = (clean(said.as_str(), 160), told!("{}: {}", title, said));
        packet.item(Origin::Own, kind, &id, "this session's own ledger", &[line]);
    };
    if !seen.asked.goal().is_empty() {
        tell(
            "request",
            "Request",
            told!("{}", Quoted::new(seen.asked.goal(), 300)),
        );
    }
    if let Some(latest) = seen.asked.latest() {
        tell(
            "request",
            "Asked for last",
            told!("{}", Quoted::new(latest, 200)),
        );
    }
    for rule in seen.kept.iter().rev().take(MAX_DECISIONS) {
        tell(
            "rule",
            "To be kept, as its user said",
            told!("{}", Quoted::new(rule, 200)),
        );
    }
    if !seen.files_edited.is_empty() {
        tell("edited", "Edited", newest(&seen.files_edited));
    }
    if !seen.files_opened.is_empty() {
        tell("read", "Read", newest(&seen.files_opened));
    }
    for failure in seen.open_failures.iter().rev().take(MAX_FAILURES) {
        tell(
            "failing",
            "Failing",
            told!("{}", Quoted::new(&failure.line(), 300)),
        );
    }
    let mut tests = seen.since_edit.iter().rev();
    if let Some(passed) = tests.find(|p| seen.validated && seen.tests.contains(&p.command)) {
        let said = told!("{}", Code::new(&passed.command, 120));
        tell("passing", "Passing since the last edit", said);
    }
}

/// The next step somebody named; else what is in the way.
pub(crate) fn next_action(handoff: &Handoff) -> Option<Line> {
    if let Some(step) = handoff.next_steps.iter().find(|s| !s.trim().is_empty()) {
        return Some(told!("{}", Quoted::new(step, 220)));
    }
    let blocked = handoff.blocked.iter().find(|s| !s.trim().is_empty())?;
    Some(match blocked_command(blocked) {
        Some(command) => told!("make {} pass", Code::new(&command, 200)),
        None => told!("resolve {}", Quoted::new(blocked, 200)),
    })
}
