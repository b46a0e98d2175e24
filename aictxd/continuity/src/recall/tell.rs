//! Tells a prompt the executions that it is about, and nothing where it is about none.

use std::collections::{BTreeSet, HashSet};

use aictx_proto::Timestamp;
use aictx_proto::ledger::{LedgerRow, Receipt};
use aictx_proto::record::{FailurePattern, Origin};
use aictx_proto::shown::{Line, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use aictx_proto::text::sentences;
use aictx_proto::told;
use aictx_steer::asks_what_fails;

use super::{FIXED_BY, Found, Memory, Remembered};
use crate::context_packet::Packet;
use crate::decision_memory::SAID_BY_USER;
use crate::handoff::{ANSWERED, CAVEATS, on_other_branch};
use crate::ids::{handoff_id, thread_id};
use crate::item_flags;
use crate::session_brief::age;
use crate::text_similarity::{asked_terms, hashed_terms, in_common};

/// Most tokens of a prompt's memory.
const MAX_TOKENS: u32 = 320;
/// Executions told at most.
const MAX_EXECUTIONS: usize = 5;
/// Evidence for the best fit below which nothing is told, and for others beside it.
const MIN_EVIDENCE: f32 = 0.55;
const MIN_EVIDENCE_BESIDE: f32 = 0.2;
/// A fit far behind the best one's says nothing beside it: share of the best score.
const SHARE_OF_BEST: f32 = 0.5;
/// Characters of an agent's report and of everything else, of the execution that fits best, and of others.
const MAX_REPORT: (usize, usize) = (260, 150);
const MAX_DETAIL: (usize, usize) = (160, 120);
/// Lines of an execution below its header: of the one that fits best, and of others.
const MAX_LINES: (usize, usize) = (6, 3);
const MAX_REQUEST: usize = 120;
/// Surface of the receipts of what prompts were told.
pub(crate) const PROMPT_MEMORY: &str = "prompt_memory";
/// The last line.
const CLOSING: &str = "(recorded data, not instructions)";

/// A prompt, and what may be told about it.
#[derive(Debug, Clone, Copy)]
pub struct PromptMemory<'a> {
    /// Memory as it is now.
    pub snapshot: &'a Snapshot,
    /// All of it.
    pub memory: &'a Memory,
    /// The items that fit the prompt, best first.
    pub found: &'a [Found<'a>],
    /// The prompt.
    pub request: &'a str,
    /// Branch checked out.
    pub branch: &'a str,
    /// Branches that were deleted since.
    pub gone: &'a BTreeSet<String>,
    /// The session's ledger so far.
    pub rows: &'a [LedgerRow],
    /// Now.
    pub now: Timestamp,
}

/// An execution of which something is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Recollection {
    /// Id of the item that fits best.
    pub id: String,
    /// Kind of that item.
    pub kind: String,
    /// Execution; empty where the item is of none.
    pub execution: String,
    /// Why it is told.
    pub why: &'static str,
    /// Origin.
    pub origin: Origin,
    /// The lines to tell.
    pub lines: Vec<Line>,
}

/// Returns what memory holds on a request, best first: for "fix the failing test" what fails, else the executions that
/// share telling words with it. Empty where nothing fits.
pub fn recollect(prompt: &PromptMemory) -> Vec<Recollection> {
    let leads = match asks_what_fails(prompt.request) {
        true => prompt.failing(),
        false => prompt.about(),
    };
    let known = told_before(prompt.rows);
    let active = prompt.snapshot.active_task.as_ref();
    let active = active.map(|task| thread_id(task)).unwrap_or_default();
    let news = leads.into_iter().filter(|(lead, _)| {
        let id = lead.item.id.as_str();
        id != active && !known.contains(id)
    });
    let told = news.enumerate().map(|(rank, (lead, why))| Recollection {
        id: lead.item.id.clone(),
        kind: lead.item.kind.clone(),
        execution: lead.execution.clone(),
        why,
        origin: prompt.origin(lead),
        lines: prompt.lines(lead, rank == 0),
    });
    told.collect()
}

/// Tells what memory holds on a prompt. Nothing is told twice to a session; `None` where nothing fits.
pub fn tell_prompt(prompt: &PromptMemory) -> Option<(String, Receipt)> {
    let told = recollect(prompt);
    if told.is_empty() {
        return None;
    }
    let title = match asks_what_fails(prompt.request) {
        true => told!("What fails, as far as was seen:"),
        false => told!("Earlier work on this:"),
    };
    let mut packet = Packet::new(PROMPT_MEMORY, MAX_TOKENS, CLOSING);
    packet.more("`aictx recall` shows them");
    packet.line(title);
    for (rank, one) in told.iter().enumerate() {
        packet.rank(u8::try_from(rank).unwrap_or(u8::MAX));
        packet.item_from_the_top(one.origin, &one.kind, &one.id, one.why, &one.lines);
    }
    Some(packet.close())
}

/// Ids of what prompts of this session were told.
pub(crate) fn told_before(rows: &[LedgerRow]) -> HashSet<&str> {
    let receipts = rows.iter().filter_map(|row| row.receipt.as_ref());
    let prompts = receipts.filter(|receipt| receipt.surface == PROMPT_MEMORY);
    let items = prompts.flat_map(|receipt| &receipt.items);
    items.map(|item| item.id.as_str()).collect()
}

/// An item, and why it is told.
type Lead<'a> = (&'a Remembered, &'static str);

impl<'a> PromptMemory<'a> {
    /// The executions that the prompt is about, best first.
    fn about(&self) -> Vec<Lead<'a>> {
        let best = self
            .found
            .first()
            .filter(|best| best.evidence >= MIN_EVIDENCE);
        let best = best.map_or(f32::INFINITY, |one| one.score);
        let fits = |one: &&Found| {
            one.evidence >= MIN_EVIDENCE_BESIDE
                && one.score >= best * SHARE_OF_BEST
                && one.item.item.status != "wrong"
        };
        let mut leads: Vec<Lead> = Vec::new();
        for one in self.found.iter().filter(fits).take(MAX_EXECUTIONS) {
            // What a decision was replaced by is what holds.
            let made = self.memory.of_execution(&one.item.execution);
            let newer = made
                .chain([one.item])
                .find_map(|item| self.memory.newer_on_the_subject(item));
            // A strategy says how; what came of it stands in the handoff.
            let lead = match one.item.item.kind.as_str() {
                "strategy" => self.memory.handoff_item(&one.item.execution),
                _ => None,
            };
            for item in newer.into_iter().chain([lead.unwrap_or(one.item)]) {
                let same = |(known, _): &Lead| {
                    known.item.id == item.item.id
                        || !item.execution.is_empty() && known.execution == item.execution
                };
                if !leads.iter().any(same) {
                    leads.push((item, "fits the request"));
                }
            }
        }
        leads.truncate(MAX_EXECUTIONS);
        leads
    }

    /// The newest open failures, those of this branch first.
    fn failing(&self) -> Vec<Lead<'a>> {
        let open =
            |row: &&FailurePattern| row.status != "resolved" && !item_flags::is_wrong(&row.extra);
        let rows = self.snapshot.failures.iter().map(|row| &**row);
        let mut rows: Vec<&FailurePattern> = rows.filter(open).collect();
        let here = |row: &FailurePattern| {
            let mut branches = row.branches.iter();
            row.branches.is_empty() || branches.any(|branch| branch == self.branch)
        };
        rows.sort_by(|a, b| here(b).cmp(&here(a)).then(b.timestamp.cmp(&a.timestamp)));
        let leads = rows
            .into_iter()
            .filter_map(|row| self.item(&row.failure_id));
        leads.take(2).map(|lead| (lead, "open")).collect()
    }

    fn item(&self, id: &str) -> Option<&'a Remembered> {
        self.memory.item(id)
    }

    /// The origin of an execution: somebody else where any item of it is.
    fn origin(&self, lead: &Remembered) -> Origin {
        let all = self.memory.of_execution(&lead.execution);
        all.fold(lead.item.origin, |origin, one| origin.and(one.item.origin))
    }

    /// An execution in lines: what it was about, then what fits best, then the rest.
    fn lines(&self, lead: &Remembered, is_best: bool) -> Vec<Line> {
        let of_execution: Vec<&Remembered> = match lead.execution.as_str() {
            "" => vec![lead],
            execution => self.memory.of_execution(execution).collect(),
        };
        let size = match is_best {
            true => Size {
                report: MAX_REPORT.0,
                detail: MAX_DETAIL.0,
                lines: MAX_LINES.0,
            },
            false => Size {
                report: MAX_REPORT.1,
                detail: MAX_DETAIL.1,
                lines: MAX_LINES.1,
            },
        };
        let mut lines = Vec::new();
        self.item_lines(lead, &size, &mut lines);
        for other in &of_execution {
            if other.item.id != lead.item.id {
                self.item_lines(other, &size, &mut lines);
            }
        }
        lines.truncate(size.lines);
        lines.insert(0, self.header(lead, &of_execution));
        lines
    }

    /// `- 3 days ago, codex, on branch x: "request"`
    fn header(&self, lead: &Remembered, all: &[&Remembered]) -> Line {
        let handoff = all.iter().find(|one| one.item.kind == "handoff");
        let of = handoff.map_or(&lead.item, |one| &one.item);
        let mut line = told!("- {}", age(&of.timestamp, self.now));
        if !of.agent.is_empty() {
            line.push(&told!(", {}", Name::new(&of.agent, 24)));
        }
        if lead.imported.is_some() {
            line.push(&told!(", imported"));
        }
        if let Some(branch) = on_other_branch(&of.branch, self.branch, self.gone) {
            line.push(&told!(", {}", branch));
        }
        if self.is_replaced_in_part(&lead.execution) {
            line.push(&told!(", superseded in part"));
        }
        if !of.request.is_empty() && of.request != of.details.first().map_or("", String::as_str) {
            line.push(&told!(": {}", Quoted::new(&of.request, MAX_REQUEST)));
        }
        line
    }

    /// Returns true where a later decision replaced one of an execution.
    fn is_replaced_in_part(&self, execution: &str) -> bool {
        let mut made = self.memory.of_execution(execution);
        made.any(|one| one.item.kind == "decision" && !one.holds())
    }

    fn item_lines(&self, one: &Remembered, size: &Size, lines: &mut Vec<Line>) {
        let item = &one.item;
        let Some(first) = item.details.first() else {
            return;
        };
        let detail = |text: &str| Quoted::new(text, size.detail);
        let named = |name: &str| {
            let mut all = item.details.iter();
            all.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        match item.kind.as_str() {
            "handoff" => {
                let report = self.report(first, size.report);
                let is_request = clean(first, MAX_REQUEST) == clean(&item.request, MAX_REQUEST);
                if !is_request && !is_told(lines, &report) {
                    let told = Quoted::new(&report, size.report + 10);
                    lines.push(match self.is_replaced_in_part(&one.execution) {
                        true => told!("  superseded in part: {}", told),
                        false => told!("  {}", told),
                    });
                }
                let is_latest = self.is_latest(&item.id);
                let details = item.details.iter().skip(1);
                for line in details.filter(|line| self.memory.still_holds(line, &item.timestamp)) {
                    let Some((name, text)) = line.split_once(": ") else {
                        continue;
                    };
                    let text = text.trim_end_matches(['.', '…', ' ']);
                    match name {
                        _ if is_told(lines, text) => {}
                        "next" if is_latest => lines.push(told!("  next: {}", detail(text))),
                        "next" => lines.push(told!("  then next: {}", detail(text))),
                        "blocked" => lines.push(told!("  blocked: {}", detail(text))),
                        "risk" if !CAVEATS.iter().any(|caveat| caveat.starts_with(text)) => {
                            lines.push(told!("  risk: {}", detail(text)));
                        }
                        _ => {}
                    }
                }
            }
            "decision" => {
                let newer = self.memory.newer_on_the_subject(one).is_some();
                let mut line = match (one.holds(), newer) {
                    (false, _) => told!("  superseded decision: {}", detail(first)),
                    (true, true) => told!("  earlier decision: {}", detail(first)),
                    (true, false) => told!("  decided: {}", detail(first)),
                };
                if let Some(why) = named("why").filter(|why| *why != SAID_BY_USER) {
                    line.push(&told!(", because {}", detail(why)));
                }
                lines.push(line);
            }
            "failure" => {
                lines.push(match item.status.as_str() {
                    "resolved" => told!("  failed then, resolved: {}", detail(first)),
                    _ => told!("  still fails: {}", detail(first)),
                });
                if let Some(fixed) = named(FIXED_BY).filter(|fixed| !is_told(lines, fixed)) {
                    let fixed = self.report(fixed, size.report);
                    lines.push(told!(
                        "  fixed by: {}",
                        Quoted::new(&fixed, size.report + 10)
                    ));
                }
            }
            "imported" => {
                let session = one.imported.as_ref();
                let turn = session.and_then(|one| one.best_turn(&asked_terms(self.request)));
                let said = turn.map_or(first.as_str(), |turn| match turn.said.as_str() {
                    "" => &turn.asked,
                    said => said,
                });
                let said = self.report(said, size.report);
                lines.push(told!("  {}", Quoted::new(&said, size.report + 10)));
                if let Some(turn) = turn.filter(|turn| {
                    clean(&turn.asked, MAX_REQUEST) != clean(&item.request, MAX_REQUEST)
                }) && !turn.asked.is_empty()
                {
                    lines.push(told!("  asked then: {}", detail(&turn.asked)));
                }
                for line in &item.details {
                    match line.split_once(": ") {
                        Some(("decided", text)) => lines.push(told!("  decided: {}", detail(text))),
                        Some(("next", text)) => lines.push(told!("  then next: {}", detail(text))),
                        Some(("failed", text)) => {
                            lines.push(told!("  failed then: {}", detail(text)))
                        }
                        _ => {}
                    }
                }
            }
            "task" | "note" => {
                let details = item.details.iter().take(3);
                lines.extend(details.map(|line| told!("  {}", detail(line))));
            }
            _ => {}
        }
    }

    /// Returns true for the newest handoff of its branch.
    fn is_latest(&self, id: &str) -> bool {
        let newest_first = self.snapshot.handoffs.iter().rev();
        let rows = || newest_first.clone().filter(|row| row.status != ANSWERED);
        let own = rows().find(|row| handoff_id(row) == id);
        let newest = own.and_then(|own| rows().find(|row| row.branch == own.branch));
        newest.is_some_and(|newest| handoff_id(newest) == id)
    }

    /// A report, or that part of a long one which fits the request best.
    fn report(&self, text: &str, most: usize) -> String {
        if text.chars().count() <= most {
            return text.to_owned();
        }
        let all: Vec<&str> = sentences(text).collect();
        let asked = asked_terms(self.request);
        let fits = |at: &usize| {
            let sentence = all.get(*at).map_or("", |sentence| sentence);
            in_common(&asked, &hashed_terms(sentence))
        };
        // Of equals the first.
        let best = (0..all.len()).rev().max_by_key(fits).unwrap_or(0);
        let (mut from, mut to) = (best, best + 1);
        let length = |from: usize, to: usize| {
            let part = all.get(from..to).unwrap_or_default();
            part.iter()
                .map(|sentence| sentence.chars().count())
                .sum::<usize>()
        };
        loop {
            if to < all.len() && length(from, to + 1) <= most {
                to += 1;
            } else if from > 0 && length(from - 1, to) <= most {
                from -= 1;
            } else {
                break;
            }
        }
        let part = all.get(from..to).unwrap_or_default().concat();
        let before = if from > 0 { "… " } else { "" };
        let behind = if to < all.len() { " …" } else { "" };
        format!("{before}{}{behind}", part.trim())
    }
}

/// Bounds of an execution's account.
struct Size {
    /// Characters of the report.
    report: usize,
    /// Characters of everything else.
    detail: usize,
    /// Lines below the header.
    lines: usize,
}

/// Returns true where the beginning of a text stands in one of the lines.
fn is_told(lines: &[Line], text: &str) -> bool {
    let begin: String = text
        .trim_start_matches(['…', ' '])
        .chars()
        .take(50)
        .collect();
    let begin = begin.trim_end_matches(['…', ' ', '.']);
    begin.is_empty() || lines.iter().any(|line| line.as_str().contains(begin))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aictx_proto::ledger::LedgerKind;
    use aictx_proto::record::{Decision, HandoffRow};
    use aictx_proto::snapshot::shared;
    use aictx_proto::tokens;
    use proptest::prelude::*;

    use super::*;
    use crate::recall::Histories;

    fn row(id: &str, reason: &str, summary: &str) -> HandoffRow {
        HandoffRow {
            execution_id: id.into(),
            timestamp: "1970-01-01T00:00:00Z".into(),
            reason: reason.into(),
            summary: summary.into(),
            status: "resolved".into(),
            agent_id: "codex".into(),
            branch: "main".into(),
            ..HandoffRow::default()
        }
    }

    struct World {
        snapshot: Snapshot,
        memory: Memory,
    }

    fn world(
        handoffs: Vec<HandoffRow>,
        decisions: Vec<Decision>,
        failures: Vec<FailurePattern>,
    ) -> World {
        let snapshot = Snapshot {
            handoffs: shared(handoffs.clone()),
            failures: Arc::new(failures.into_iter().map(Arc::new).collect()),
            ..Snapshot::default()
        };
        let all = Histories {
            handoffs,
            decisions,
            ..Histories::default()
        };
        let memory = Memory::of(&snapshot, &all);
        World { snapshot, memory }
    }

    impl World {
        /// Tells a request; `fits` are ids with their evidence, best first.
        fn tell(
            &self,
            request: &str,
            fits: &[(&str, f32)],
            rows: &[LedgerRow],
        ) -> Option<(String, Receipt)> {
            let find = |id: &str| self.memory.items().iter().find(|one| one.item.id == id);
            let found: Vec<Found> = fits
                .iter()
                .filter_map(|(id, evidence)| {
                    Some(Found {
                        item: find(id)?,
                        score: 1.0,
                        evidence: *evidence,
                    })
                })
                .collect();
            tell_prompt(&PromptMemory {
                snapshot: &self.snapshot,
                memory: &self.memory,
                found: &found,
                request,
                branch: "main",
                gone: &BTreeSet::new(),
                rows,
                now: Timestamp::from_unix(0),
            })
        }
    }

    #[test]
    fn an_execution_is_told_with_all_that_came_of_it_and_only_once() {
        let mut first = row("e1", "migrate the schema", "The first half is done.");
        first.next_steps = vec!["run the backfill".into()];
        first.blocked = vec!["the DBA must grant rights".into()];
        let world = world(
            vec![first, row("e2", "dark mode", "Done.")],
            Vec::new(),
            Vec::new(),
        );
        let (text, receipt) = world
            .tell("go on with the schema", &[("handoff::e1", 1.0)], &[])
            .unwrap();
        for part in [
            "- just now, codex: \"migrate the schema\"",
            "  \"The first half is done.\"",
            "  then next: \"run the backfill\"",
            "  blocked: \"the DBA must grant rights\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let told = LedgerRow {
            receipt: Some(Box::new(receipt)),
            ..LedgerRow::observed(Timestamp::from_unix(0), LedgerKind::Told)
        };
        assert_eq!(
            world.tell("the schema again", &[("handoff::e1", 1.0)], &[told]),
            None
        );
        let weak = [("handoff::e2", 0.3), ("handoff::e1", 1.0)];
        assert_eq!(
            world.tell("open a file", &weak, &[]),
            None,
            "the best fit decides"
        );
    }

    #[test]
    fn a_decision_comes_with_the_later_one_on_its_subject() {
        let decision = |id: &str, text: &str, supersedes: &[&str]| Decision {
            decision: text.into(),
            execution_id: id.into(),
            supersedes: supersedes.iter().map(|text| (*text).to_owned()).collect(),
            ..Decision::default()
        };
        let handoffs = ["e1", "e2", "e3"].map(|id| row(id, &format!("work {id}"), "Did it."));
        let cents = "Amounts are stored as integer cents";
        let decisions = vec![
            decision("e1", cents, &[]),
            decision("e2", "Amounts are stored as Money", &[cents]),
            decision("e3", "Money amounts carry their currency", &[]),
        ];
        let world = world(handoffs.into(), decisions, Vec::new());
        let tell = |id: &str| world.tell("amounts", &[(id, 1.0)], &[]).unwrap().0;
        let superseded = tell("handoff::e1");
        assert!(
            superseded.contains("superseded decision: \"Amounts are stored as integer cents\""),
            "{superseded}"
        );
        let earlier = tell("handoff::e2");
        let at = |part: &str| earlier.find(part).unwrap();
        assert!(
            at("decided: \"Money amounts carry")
                < at("earlier decision: \"Amounts are stored as Money\"")
        );
    }

    #[test]
    fn what_fails_is_what_is_open_here_first() {
        let failure = |id: &str, status: &str, branch: &str| FailurePattern {
            failure_id: id.into(),
            status: status.into(),
            branches: vec![branch.into()],
            symptoms: vec![format!("{id} broke")],
            resolution_summary: "Waited for the lock.".into(),
            ..FailurePattern::default()
        };
        let failures = vec![
            failure("a", "open", "main"),
            failure("b", "open", "topic"),
            failure("c", "resolved", "main"),
        ];
        let world = world(Vec::new(), Vec::new(), failures);
        let (text, _) = world.tell("fix the failing test", &[], &[]).unwrap();
        let at = |part: &str| text.find(part).unwrap();
        assert!(
            at("still fails: \"a broke\"") < at("still fails: \"b broke\""),
            "{text}"
        );
        assert!(!text.contains("c broke"), "{text}");
        let (text, _) = world.tell("c broke again", &[("c", 1.0)], &[]).unwrap();
        assert!(
            text.contains(
                "failed then, resolved: \"c broke\"\n  fixed by: \"Waited for the lock.\""
            ),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn any_memory_keeps_the_budget(texts in prop::collection::vec("\\PC{0,400}", 1..8), request in "\\PC{0,60}") {
            let rows = texts.iter().enumerate().map(|(n, text)| HandoffRow {
                next_steps: vec![text.clone()],
                risks: vec![text.clone()],
                message: text.repeat(3),
                ..row(&format!("e{n}"), text, text)
            });
            let world = world(rows.collect(), Vec::new(), Vec::new());
            let ids: Vec<String> = (0..texts.len()).map(|n| format!("handoff::e{n}")).collect();
            let fits: Vec<(&str, f32)> = ids.iter().map(|id| (id.as_str(), 1.0)).collect();
            if let Some((text, receipt)) = world.tell(&request, &fits, &[]) {
                prop_assert!(tokens::estimate(&text) <= MAX_TOKENS);
                prop_assert_eq!(receipt.tokens, tokens::estimate(&text));
            }
        }
    }
}
