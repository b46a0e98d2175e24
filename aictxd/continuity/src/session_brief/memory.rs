//! What of memory a capsule tells.

use aictx_proto::record::{Decision, FailurePattern, Handoff, HandoffRow, Origin};
use aictx_proto::shown::{Code, Line, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_proto::told;

use super::lines::{MAX_FILES, age, came_back};
use super::{Capsule, MAX_DECISIONS, MAX_EARLIER, MAX_FAILURES, MAX_RULES, next_action, rank};
use crate::context_packet::Packet;
use crate::decision_memory::user_rules;
use crate::handoff::{ANSWERED, blocked_command, on_other_branch, summary_as_of_now};
use crate::ids::decision_id;
use crate::item_flags;
use crate::origin::marked;
use crate::relevance::wrong_handoff;
use crate::resume::{carryover_gaps, dirty_text};

impl Capsule<'_> {
    /// Everything that is remembered, newest and most important first.
    pub(super) fn memory(&self, packet: &mut Packet) {
        let now = self.start.now;
        let open: Vec<&FailurePattern> = self.context.failures.iter().map(|(_, p)| *p).collect();
        if let Some(handoff) = self.context.handoff {
            let id = format!("handoff::{}", handoff.source_execution_id);
            let mut lines = self.handoff_lines(handoff, &open);
            if wrong_handoff(self.context.snapshot).is_some() {
                lines.insert(0, told!("The last handoff was marked as wrong; before it:"));
            }
            packet.rank(rank::LAST);
            packet.item_from_the_top(handoff.origin, "handoff", &id, "the last one", &lines);
            if let Some((row, later)) = of_another_session(self.context.snapshot, handoff) {
                let failures = &self.context.snapshot.failures;
                let summary = summary_as_of_now(&row.summary, &row.timestamp, failures);
                let when = if later { "Since then" } else { "Before that" };
                let mut line = told!(
                    "{} ({}, {}, {}{}): {}",
                    when,
                    Name::new(&row.agent_id, 40),
                    Name::new(&row.status, 24),
                    age(&row.timestamp, now),
                    self.elsewhere(&row.branch),
                    Quoted::new(summary.as_ref().unwrap_or(&row.summary), 160)
                );
                if let Some(step) = row.next_steps.iter().find(|s| !s.trim().is_empty()) {
                    line.push(&told!("; then next: {}", Quoted::new(step, 160)));
                }
                let id = format!("handoff::{}", row.execution_id);
                packet.rank(if later { rank::BESIDE } else { rank::OLDER });
                let why = "the last one of another session";
                packet.item(row.origin, "handoff", &id, why, &[line]);
            }
        }
        packet.rank(rank::TASK);
        self.work_state(packet);
        packet.rank(rank::OPEN);
        for gap in carryover_gaps(self.context).iter().take(2) {
            let next = gap["next_action"]
                .as_str()
                .or(gap["summary"].as_str())
                .unwrap_or_default();
            let line = told!("Not yet proven: {}", marked(next, Quoted::new, 160));
            let id = format!(
                "handoff::{}",
                gap["source_execution_id"].as_str().unwrap_or_default()
            );
            packet.item(
                Origin::of(gap),
                "handoff",
                &id,
                "an earlier contract still wants it",
                &[line],
            );
        }
        for pattern in open.iter().take(MAX_FAILURES) {
            let line = self.failure_line(pattern);
            packet.item(
                pattern.origin,
                "failure",
                &pattern.failure_id,
                "open",
                &[line],
            );
        }
        if open.len() > MAX_FAILURES {
            packet.line(told!("({} more open failures)", open.len() - MAX_FAILURES));
        }
        packet.rank(rank::DECIDED);
        self.decisions(packet);
    }

    /// The last work in a line, and what was pinned: the prompts bring the rest.
    pub(super) fn last_in_a_line(&self, packet: &mut Packet) {
        let Some(handoff) = self.context.handoff else {
            return;
        };
        let status = match handoff.status.as_str() {
            "" => "outcome not recorded",
            status => status,
        };
        // They hold whatever is asked for: the newest, and those that somebody wrote down.
        let rules = user_rules(&self.context.snapshot.decisions).enumerate();
        let rules = rules.filter(|(at, rule)| *at == 0 || rule.execution_id.is_empty());
        let rules: Vec<&Decision> = rules.map(|(_, rule)| rule).take(MAX_RULES).collect();
        let mut line = told!(
            "Last handoff ({}, {}, {}{}): {}",
            Name::new(&handoff.agent_id, 40),
            Name::new(status, 24),
            age(&handoff.updated_at, self.start.now),
            self.elsewhere(&handoff.branch),
            Quoted::new(&handoff.summary, 80)
        );
        // Rules need the room more.
        let is_news = !handoff.reason.is_empty() && handoff.reason != handoff.summary;
        if is_news && rules.is_empty() {
            line.push(&told!("; asked: {}", Quoted::new(&handoff.reason, 60)));
        }
        let id = format!("handoff::{}", handoff.source_execution_id);
        packet.rank(rank::LAST);
        packet.item(handoff.origin, "handoff", &id, "the last one", &[line]);
        packet.rank(rank::TASK);
        self.work_state(packet);
        packet.rank(rank::DECIDED);
        let decisions = self.context.decisions.iter();
        let pinned = decisions.filter(|found| item_flags::is_pinned(&found.decision.extra));
        for found in pinned.take(MAX_DECISIONS) {
            let line = told!("Decided: {}", Quoted::new(&found.decision.decision, 160));
            packet.item(
                found.decision.origin,
                "decision",
                found.id(),
                "pinned",
                &[line],
            );
        }
        for rule in rules {
            let line = told!("Rule: {}", Quoted::new(&rule.decision, 80));
            let id = decision_id(rule);
            packet.item(rule.origin, "decision", &id, "a rule of the user", &[line]);
        }
        packet.line(told!(
            "What memory holds on a request comes with it; `aictx recall WORDS` finds more."
        ));
    }

    /// `, on branch x` for what was done on another branch than this one.
    fn elsewhere(&self, branch: &str) -> Line {
        on_other_branch(branch, self.start.branch, &self.start.project.checkout.gone)
            .map(|branch| told!(", {}", branch))
            .unwrap_or_default()
    }

    fn handoff_lines(&self, handoff: &Handoff, open: &[&FailurePattern]) -> Vec<Line> {
        let mut lines = Vec::new();
        let status = match handoff.status.as_str() {
            "" => told!("outcome not recorded"),
            status => told!("{}", Name::new(status, 24)),
        };
        let who = match handoff.agent_id.as_str() {
            "" => told!("an agent"),
            who => told!("{}", Name::new(who, 40)),
        };
        lines.push(told!(
            "Last handoff ({}, {}, {}{}): {}",
            who,
            status,
            age(&handoff.updated_at, self.start.now),
            self.elsewhere(&handoff.branch),
            Quoted::new(&handoff.summary, 240)
        ));
        if !handoff.reason.is_empty() && handoff.reason != handoff.summary {
            lines.push(told!(
                "  Request then: {}",
                Quoted::new(&handoff.reason, 160)
            ));
        }
        // What stands below as an open failure is not said twice.
        let shown = |item: &&String| {
            let command = blocked_command(item);
            open.iter()
                .take(MAX_FAILURES)
                .any(|p| command == Some(clean(&p.failed_command, 100)))
        };
        for item in handoff.blocked.iter().filter(|i| !shown(i)).take(2) {
            lines.push(told!("  Blocked: {}", Quoted::new(item, 220)));
        }
        // "Resolve this" says nothing beside the line that says what is in the way.
        let is_news = |next: &Line| {
            let mut blocked = handoff.blocked.iter().filter(|i| !shown(i)).take(2);
            !blocked.any(|item| *next == told!("resolve {}", Quoted::new(item, 200)))
        };
        if let Some(next) = next_action(handoff).filter(is_news) {
            lines.push(told!("  Next: {}", next));
        }
        for risk in handoff.risks.iter().take(2) {
            lines.push(told!("  Risk: {}", Quoted::new(risk, 160)));
        }
        let gone = crate::file_anchors::missing(
            &handoff.recommended_starting_points,
            &self.start.project.presents,
        );
        let starts = handoff.recommended_starting_points.iter();
        let paths = starts.take(MAX_FILES).map(|p| {
            // It may be on another branch: nobody removed it for all we know.
            let now = crate::file_anchors::now_at(p, &self.start.project.presents);
            let mark = if gone.contains(&p) {
                told!(" (not in this checkout)")
            } else if now == p {
                Line::default()
            } else {
                told!(" (now {})", Name::new(now, 120))
            };
            told!("{}{}", Name::new(p, 120), mark)
        });
        let paths = Line::join(paths, ", ");
        if !paths.is_empty() {
            lines.push(told!("  Start from: {}", paths));
        }
        // Taken back, or worked on.
        let changed = self.context.handoff_dirt(handoff);
        if !changed.is_empty() {
            let changed = Quoted::new(&changed.join("; "), 300);
            lines.push(told!("  Not as it was left: {}", changed));
        }
        lines
    }

    pub(super) fn work_state(&self, packet: &mut Packet) {
        let active = &self.context.active;
        let Some(task) = active.thread.as_ref().or(active.recent.as_ref()) else {
            if let Some(skipped) = &active.skipped {
                let text = |name: &str| skipped[name].as_str().unwrap_or_default().to_owned();
                let line = told!(
                    "A task waits on branch {}: {}",
                    Name::new(&text("saved_branch"), 80),
                    Name::new(&text("task_id"), 80)
                );
                packet.item(
                    Origin::of(skipped),
                    "task",
                    &format!("task::{}", text("task_id")),
                    "other_branch",
                    &[line],
                );
            }
            return;
        };
        if task.goal.trim().is_empty() {
            return;
        }
        let ticket = task.ticket.as_ref().filter(|link| !link.claim.is_empty());
        let name = match (active.thread.is_some(), ticket) {
            (true, Some(link)) => told!(
                "Ticket {} at hand ({})",
                link.number,
                Name::new(&link.file, 120)
            ),
            (true, None) => told!("Active task"),
            (false, _) => told!("Task left {}", Name::new(&task.status, 40)),
        };
        let mut lines = vec![told!("{}: {}", name, Quoted::new(&task.goal, 160))];
        if !task.next_action.trim().is_empty() {
            lines.push(told!("  Next: {}", Quoted::new(&task.next_action, 160)));
        }
        if let Some(last) = task.discarded_hypotheses.last() {
            let said = last["hypothesis"].as_str().unwrap_or_default();
            lines.push(told!("  Discarded: {}", Quoted::new(said, 120)));
        }
        packet.item(
            task.origin,
            "task",
            &format!("task::{}", task.task_id),
            &task.status,
            &lines,
        );
    }

    fn failure_line(&self, pattern: &FailurePattern) -> Line {
        let what = pattern.symptoms.first().unwrap_or(&pattern.error_text);
        let mut line = told!(
            "Open failure (seen {}x, {}): {}",
            pattern.occurrences.max(1),
            age(&pattern.timestamp, self.start.now),
            Quoted::new(what, 200)
        );
        if !pattern.failed_command.is_empty() {
            line.push(&told!(" [{}]", Code::new(&pattern.failed_command, 100)));
        }
        if let Some(branches) = only_on_others(pattern, self.start.branch) {
            line.push(&told!(", {}", branches));
        }
        line.push(&came_back(pattern));
        line.push(&dirty_text(&self.context.dirt(&pattern.anchors)));
        line
    }

    /// The most relevant and newest first.
    pub(super) fn decisions(&self, packet: &mut Packet) {
        let current = self.context.decisions.iter().take(MAX_DECISIONS);
        let earlier = self.context.earlier_decisions.iter().take(MAX_EARLIER);
        let current = current.map(|found| ("Decided", found));
        for (name, found) in current.chain(earlier.map(|found| ("Earlier decision", found))) {
            let dirty = dirty_text(&self.context.dirt(&found.decision.anchors));
            let when = age(&found.decision.timestamp, self.start.now);
            let what = Quoted::new(&found.decision.decision, 160);
            let line = told!("{} ({}): {}{}", name, when, what, dirty);
            let why = found.reasons().join(", ");
            packet.item(found.decision.origin, "decision", found.id(), &why, &[line]);
        }
    }
}

/// `on branch x`, for a failure that was seen on other branches only.
fn only_on_others(pattern: &FailurePattern, here: &str) -> Option<Line> {
    let first = pattern.branches.first()?;
    let is_elsewhere = !here.is_empty() && pattern.branches.iter().all(|branch| branch != here);
    is_elsewhere.then(|| told!("on branch {}", Name::new(first, 80)))
}

/// The newest handoff that another session left, and whether it is newer than this one, as where somebody
/// goes back to a branch: sessions that work side by side must not hide each other.
fn of_another_session<'a>(
    snapshot: &'a Snapshot,
    handoff: &Handoff,
) -> Option<(&'a HandoffRow, bool)> {
    let rows = &snapshot.handoffs;
    let place = |wanted: &dyn Fn(&HandoffRow) -> bool| rows.iter().rposition(|row| wanted(row));
    let wrong = wrong_handoff(snapshot).map(|wrong| &wrong.source_execution_id);
    let other = place(&|row| {
        row.execution_id != handoff.source_execution_id
            && row.status != ANSWERED
            && !item_flags::is_wrong(&row.extra)
            && wrong != Some(&row.execution_id)
            && !row.session_id.is_empty()
            && row.session_id != handoff.session_id
    })?;
    let own = place(&|row| row.execution_id == handoff.source_execution_id);
    Some((rows.get(other)?, own.is_some_and(|own| own < other)))
}
