//! The engine against a simulated repository: no clock, no disk, no process.

use std::collections::BTreeMap;

use aictx_proto::flow::{
    AgentError, ErrorClass, FlowReason, FlowStatus, TurnKind, TurnOutcome, TurnReport, Usage,
};

use super::engine::{Activity, FlowError, GitFacts, Judgement, Resume, Survey};
use super::state::{Asked, CheckResult, Dispatched, Flow};
use crate::ticket::{Entry, FileName, Queue};

const AGENTS: &[&str] = &["codex", "claude"];
const READY: &str = "---\nagent: codex\ndone: false\n---\nDo it\n";
const BROKEN: &str = "---\nagent: codex\ndone: false\ntitle: \"a\nx: y: z\n---\nDo it\n";

/// A repository with tickets, and a flow.
struct Repo {
    flow: Flow,
    tickets: BTreeMap<String, String>,
    dirty: Vec<String>,
    head: u32,
    branch: String,
    replies: u32,
    edits: u32,
    failing: bool,
    untrusted: bool,
    now: i64,
    kinds: Vec<TurnKind>,
}

impl Repo {
    fn new(tickets: &[&str]) -> Self {
        let named =
            |(at, text): (usize, &&str)| (format!("TICKET-{:03}.md", at + 1), (*text).to_owned());
        let mut flow = Flow::new("flw".into(), "/r".into(), "/r".into(), 0);
        flow.branch = "main".into();
        Self {
            flow,
            tickets: tickets.iter().enumerate().map(named).collect(),
            dirty: Vec::new(),
            head: 1,
            branch: "main".into(),
            replies: 0,
            edits: 0,
            failing: false,
            untrusted: false,
            now: 1_000,
            kinds: Vec::new(),
        }
    }

    fn queue(&self) -> Queue {
        let entry = |(name, text): (&String, &String)| {
            let name = FileName::parse(name).unwrap();
            Entry::read(name, text.clone().into_bytes(), AGENTS)
        };
        Queue::new("tickets", self.tickets.iter().map(entry).collect(), vec![])
    }

    fn git(&self) -> GitFacts {
        GitFacts {
            branch: self.branch.clone(),
            head: format!("c{}", self.head),
            dirty: self.dirty.clone(),
        }
    }

    fn fingerprint(&self) -> String {
        format!(
            "{} {} {:?} {:?}",
            self.head, self.edits, self.dirty, self.tickets
        )
    }

    fn look(&mut self) {
        let (queue, untrusted) = (self.queue(), self.untrusted);
        let survey = Survey {
            queue: &queue,
            claims: &[],
            git: Some(self.git()),
            has_worktree: true,
            disk_is_full: false,
            replies: self.replies,
            fingerprint: self.fingerprint(),
            signal: self.fingerprint(),
            quota_until: &|_| None,
            lanes: &[],
            is_trusted: &|_| !untrusted,
        };
        self.flow.look(&survey, self.now);
    }

    fn edit(&mut self, file: &str, from: &str, to: &str) {
        let text = self.tickets.get_mut(file).unwrap();
        *text = text.replace(from, to);
    }

    fn finish(&mut self, file: &str) {
        self.edit(file, "done: false", "done: true");
    }

    /// Lets the flow go on until it rests, waits or has had so many turns. The agent is a function.
    fn run(&mut self, turns: usize, agent: &mut dyn FnMut(&mut Self, TurnKind) -> TurnReport) {
        let before = self.kinds.len();
        loop {
            match self.flow.activity() {
                Activity::Look if self.kinds.len() - before == turns => return,
                Activity::Look => self.look(),
                Activity::Launch => self.flow.launched(self.now),
                Activity::Attend => {
                    let kind = self.flow.turn.as_ref().unwrap().kind;
                    self.kinds.push(kind);
                    let report = agent(self, kind);
                    self.now += 10;
                    self.flow.collected(report, None, self.now - 10, self.now);
                }
                Activity::Archive => self.flow.archived(None, String::new()),
                Activity::Judge => self.judge(),
                Activity::Sleep(_) | Activity::Rest | Activity::Lane => return,
            }
            // The state is all there is: it survives being written and read at every step.
            let text = serde_json::to_string(&self.flow).unwrap();
            assert_eq!(serde_json::from_str::<Flow>(&text).unwrap(), self.flow);
        }
    }

    fn judge(&mut self) {
        let file = self.flow.turn.as_ref().unwrap().file.clone();
        let queue = self.queue();
        let entry = queue.find(&file);
        let mut facts = Judgement {
            is_there: entry.is_some(),
            done: entry.is_some_and(Entry::is_done),
            agent: entry
                .and_then(|entry| entry.ticket.as_ref())
                .map_or_else(|| "codex".to_owned(), |ticket| ticket.agent.clone()),
            findings: entry
                .map(|entry| {
                    entry
                        .findings
                        .iter()
                        .filter(|f| f.code.severity() == aictx_proto::methods::Severity::Error)
                        .map(|f| f.message.clone())
                        .collect()
                })
                .unwrap_or_default(),
            git: Some(self.git()),
            fingerprint: self.fingerprint(),
            ..Judgement::default()
        };
        if self.failing && facts.done {
            self.edit(&file, "done: true", "done: false");
            facts.done = false;
            facts.checks = vec![CheckResult {
                command: "make test".into(),
                exit: Some(2),
                ..CheckResult::default()
            }];
            facts.fingerprint = self.fingerprint();
        }
        facts.signal = self.fingerprint();
        self.flow.judged(&facts, self.now);
    }

    fn resume(&mut self) -> Result<(), FlowError> {
        let signal = self.fingerprint();
        self.flow.resume(&Resume::default(), "main", &signal, false)
    }
}

fn ok() -> TurnReport {
    TurnReport {
        outcome: TurnOutcome::Ok,
        error: None,
        text: "done".into(),
        session: "s1".into(),
        usage: Usage {
            input: 10,
            ..Usage::default()
        },
    }
}

fn failed(class: ErrorClass) -> TurnReport {
    TurnReport {
        outcome: TurnOutcome::Error,
        error: Some(AgentError {
            class,
            text: "it failed".into(),
            resets_at: None,
        }),
        ..ok()
    }
}

fn works(repo: &mut Repo, _: TurnKind) -> TurnReport {
    let file = repo.flow.turn.as_ref().unwrap().file.clone();
    repo.head += 1;
    repo.finish(&file);
    ok()
}

fn paused(repo: &Repo) -> Option<FlowReason> {
    assert_eq!(repo.flow.status, FlowStatus::Paused);
    assert!(repo.flow.question().is_some(), "a pause asks");
    repo.flow.reason_code
}

#[test]
fn two_tickets_are_two_turns_and_the_flow_completes() {
    let mut repo = Repo::new(&[READY, READY]);
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
    assert_eq!(repo.kinds, [TurnKind::Work, TurnKind::Work]);
    assert_eq!((repo.flow.turns, repo.flow.finished.len()), (2, 2));
    assert_eq!(repo.flow.usage.input, 20);
}

#[test]
fn all_done_with_every_turn_used_completes() {
    let mut repo = Repo::new(&[READY]);
    repo.flow.caps.turns = 1;
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn an_agent_that_never_commits_is_asked_twice_and_a_commit_by_hand_costs_no_turn() {
    let mut repo = Repo::new(&[READY]);
    repo.run(9, &mut |repo, kind| {
        if kind == TurnKind::Work {
            repo.finish("TICKET-001.md");
            repo.dirty = vec!["src/a.rs".into()];
        }
        ok()
    });
    assert_eq!(
        repo.kinds,
        [TurnKind::Work, TurnKind::Commit, TurnKind::Commit]
    );
    assert_eq!(paused(&repo), Some(FlowReason::CommitRequired));
    assert_eq!(repo.flow.details, ["src/a.rs"]);
    assert_eq!(
        repo.resume(),
        Err(FlowError::NoSignal {
            reason: FlowReason::CommitRequired
        })
    );
    (repo.dirty, repo.head) = (vec![], 2);
    repo.resume().unwrap();
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn the_commit_gate_outlives_a_failure_and_a_question() {
    let mut repo = Repo::new(&[READY]);
    repo.run(1, &mut |repo, _| {
        repo.finish("TICKET-001.md");
        repo.dirty = vec!["a".into()];
        ok()
    });
    repo.run(1, &mut |_, _| failed(ErrorClass::Network));
    assert_eq!(repo.flow.reason_code, Some(FlowReason::NetworkWait));
    assert_eq!(repo.flow.turns, 1, "a failure of the network is no turn");
    repo.flow.woken(repo.now + 1_000);
    // A question inside of the turn that commits.
    repo.look();
    repo.flow.launched(repo.now);
    assert_eq!(repo.flow.turn.as_ref().unwrap().kind, TurnKind::Commit);
    repo.flow.collected(ok(), None, repo.now, repo.now);
    repo.flow.archived(
        Some(Dispatched {
            seq: 1,
            pauses: true,
            title: "Which key?".into(),
        }),
        String::new(),
    );
    repo.judge();
    assert_eq!(paused(&repo), Some(FlowReason::UserPause));
    assert_eq!(repo.flow.reason, "Which key?");
    repo.resume().unwrap();
    repo.run(1, &mut |repo, kind| {
        assert_eq!(kind, TurnKind::Commit);
        repo.dirty.clear();
        ok()
    });
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn what_was_changed_before_the_ticket_has_not_to_be_committed() {
    let mut repo = Repo::new(&[READY]);
    repo.dirty = vec!["notes.txt".into()];
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn a_broken_frontmatter_is_repaired_three_times_then_the_flow_pauses() {
    let mut repo = Repo::new(&[READY]);
    repo.run(9, &mut |repo, _| {
        repo.tickets.insert("TICKET-001.md".into(), BROKEN.into());
        ok()
    });
    assert_eq!(repo.kinds.len(), 4);
    assert_eq!(repo.kinds.last(), Some(&TurnKind::RepairFrontmatter));
    assert_eq!(paused(&repo), Some(FlowReason::NeedsUserFix));
    // Repaired by hand: the flow goes on with work.
    repo.tickets.insert("TICKET-001.md".into(), READY.into());
    repo.resume().unwrap();
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn a_repair_keeps_the_model_and_the_conversation_of_the_ticket() {
    let mut repo = Repo::new(&["---\nagent: codex\nmodel: big\ndone: false\n---\n"]);
    let good = repo.tickets["TICKET-001.md"].clone();
    repo.run(1, &mut |repo, _| {
        repo.tickets.insert("TICKET-001.md".into(), BROKEN.into());
        ok()
    });
    repo.run(1, &mut |repo, kind| {
        let turn = repo.flow.turn.as_ref().unwrap();
        assert_eq!(
            (kind, turn.model.as_str(), turn.resume.as_str()),
            (TurnKind::RepairFrontmatter, "big", "s1")
        );
        repo.tickets.insert("TICKET-001.md".into(), good.clone());
        ok()
    });
    assert_eq!(repo.flow.ticket.as_ref().unwrap().gates.lint_turns, 0);
}

#[test]
fn a_ticket_that_loses_its_agent_pauses_at_once() {
    let mut repo = Repo::new(&[READY]);
    repo.run(9, &mut |repo, _| {
        repo.edit("TICKET-001.md", "agent: codex\n", "");
        ok()
    });
    assert_eq!(repo.kinds.len(), 1);
    assert_eq!(paused(&repo), Some(FlowReason::NeedsUserFix));
}

#[test]
fn the_network_is_tried_five_times_with_growing_delays() {
    let mut repo = Repo::new(&[READY]);
    let mut delays = Vec::new();
    for _ in 0..5 {
        repo.run(1, &mut |_, _| failed(ErrorClass::Network));
        let due = repo.flow.due_at.unwrap();
        delays.push(due - repo.now);
        repo.now = due;
        repo.flow.woken(due);
    }
    assert!(
        delays.is_sorted() && delays[0] >= 5 && delays[4] <= 360,
        "{delays:?}"
    );
    repo.run(1, &mut |_, _| failed(ErrorClass::Network));
    assert_eq!(paused(&repo), Some(FlowReason::InfraError));
    assert_eq!(repo.flow.turns, 0);
}

#[test]
fn a_limit_of_use_waits_until_its_end_and_counts_no_turn() {
    let mut repo = Repo::new(&[READY]);
    let until = repo.now + 7_200;
    repo.run(1, &mut |_, _| {
        let mut report = failed(ErrorClass::Quota);
        report.error.as_mut().unwrap().resets_at = Some(until);
        report
    });
    assert_eq!(repo.flow.status, FlowStatus::Waiting);
    assert!((until..=until + 60).contains(&repo.flow.due_at.unwrap()));
    repo.flow.woken(until - 1);
    assert_eq!(repo.flow.status, FlowStatus::Waiting);
    assert_eq!(
        (repo.flow.turns, repo.flow.ticket.as_ref().unwrap().turns),
        (0, 0)
    );
}

#[test]
fn errors_end_where_a_person_can_act() {
    for (class, turns, reason) in [
        (ErrorClass::Auth, 1, FlowReason::AuthRequired),
        (ErrorClass::Config, 1, FlowReason::NeedsUserFix),
        (ErrorClass::Unknown, 1, FlowReason::InfraError),
        (ErrorClass::ContextOverflow, 2, FlowReason::InfraError),
        (ErrorClass::SessionMissing, 2, FlowReason::InfraError),
        (ErrorClass::AgentBug, 3, FlowReason::AgentCrash),
    ] {
        let mut repo = Repo::new(&[READY]);
        repo.run(9, &mut |_, _| failed(class));
        assert_eq!(
            (paused(&repo), repo.kinds.len()),
            (Some(reason), turns),
            "{class}"
        );
    }
}

#[test]
fn notes_in_the_ticket_are_progress_and_two_idle_turns_pause() {
    let mut repo = Repo::new(&[READY]);
    let mut notes = 0;
    repo.run(4, &mut |repo, _| {
        notes += 1;
        repo.edit("TICKET-001.md", "Do it", &format!("Do it\nnote {notes}"));
        ok()
    });
    assert_eq!(repo.flow.status, FlowStatus::Running);
    repo.run(9, &mut |_, _| ok());
    assert_eq!(repo.kinds.len(), 6);
    assert_eq!(paused(&repo), Some(FlowReason::LoopNoProgress));
    assert!(repo.resume().is_err());
    let signal = repo.fingerprint();
    let force = Resume {
        force: true,
        ..Resume::default()
    };
    repo.flow.resume(&force, "main", &signal, false).unwrap();
    assert_eq!(repo.flow.status, FlowStatus::Running);
}

#[test]
fn done_without_any_change_of_the_code_completes() {
    let mut repo = Repo::new(&[READY]);
    repo.run(9, &mut |repo, _| {
        repo.finish("TICKET-001.md");
        ok()
    });
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn failing_checks_are_repaired_three_times() {
    let mut repo = Repo::new(&[READY]);
    repo.failing = true;
    repo.run(9, &mut works);
    assert_eq!(repo.kinds.len(), 4);
    assert_eq!(repo.kinds[1..], [TurnKind::VerifyFix; 3]);
    assert_eq!(paused(&repo), Some(FlowReason::VerifyFailed));
    assert!(repo.tickets["TICKET-001.md"].contains("done: false"));
}

#[test]
fn checks_that_nobody_trusts_ask_before_any_work() {
    let mut repo = Repo::new(&["---\nagent: codex\ndone: false\nverify: [make test]\n---\n"]);
    repo.untrusted = true;
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(paused(&repo), Some(FlowReason::ApprovalNeeded));
    repo.untrusted = false;
    repo.resume().unwrap();
    repo.run(1, &mut works);
}

#[test]
fn limits_pause_and_can_be_raised() {
    let mut repo = Repo::new(&[READY]);
    repo.flow.caps.ticket_turns = 2;
    let mut busy = |repo: &mut Repo, _: TurnKind| {
        repo.edits += 1;
        ok()
    };
    repo.run(9, &mut busy);
    assert_eq!(paused(&repo), Some(FlowReason::MaxTurnsTicket));
    let signal = repo.fingerprint();
    let more = Resume {
        turns: 1,
        ..Resume::default()
    };
    repo.flow.resume(&more, "main", &signal, false).unwrap();
    repo.run(9, &mut busy);
    assert_eq!(repo.kinds.len(), 3);
    let mut repo = Repo::new(&[READY]);
    repo.flow.caps.tokens = Some(15);
    repo.run(9, &mut busy);
    assert_eq!(
        (paused(&repo), repo.kinds.len()),
        (Some(FlowReason::BudgetExhausted), 2)
    );
}

#[test]
fn a_stop_is_taken_in_every_state_and_can_be_resumed() {
    let mut repo = Repo::new(&[READY]);
    repo.look();
    repo.flow.launched(repo.now);
    repo.flow.ask(Asked::Stop, "", repo.now).unwrap();
    assert_eq!(repo.flow.status, FlowStatus::Stopping);
    let mut report = ok();
    report.outcome = TurnOutcome::Interrupted;
    repo.flow
        .collected(report, Some(FlowReason::UserStop), 1, 2);
    repo.flow.archived(None, String::new());
    repo.judge();
    assert_eq!(repo.flow.status, FlowStatus::Stopped);
    repo.resume().unwrap();
    repo.run(1, &mut |_, _| failed(ErrorClass::Quota));
    assert_eq!(repo.flow.status, FlowStatus::Waiting);
    repo.flow.ask(Asked::Stop, "", repo.now).unwrap();
    assert_eq!(repo.flow.status, FlowStatus::Stopped);
    repo.resume().unwrap();
    repo.run(1, &mut |_, _| failed(ErrorClass::Auth));
    repo.flow.ask(Asked::Stop, "", repo.now).unwrap();
    assert_eq!(repo.flow.status, FlowStatus::Stopped);
    assert!(repo.flow.question().is_none());
    repo.resume().unwrap();
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
    assert!(repo.flow.ask(Asked::Stop, "", 1).is_err());
}

#[test]
fn a_host_that_is_gone_repeats_its_turn_until_the_limit() {
    let mut repo = Repo::new(&[READY]);
    repo.look();
    for attempt in 1..=3 {
        assert_eq!(repo.flow.turn.as_ref().unwrap().attempt, attempt);
        repo.flow.launched(repo.now);
        repo.flow.lost("", repo.now);
    }
    assert_eq!(paused(&repo), Some(FlowReason::AgentCrash));
}

#[test]
fn another_branch_pauses_until_it_is_accepted() {
    let mut repo = Repo::new(&[READY]);
    repo.branch = "other".into();
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(paused(&repo), Some(FlowReason::BranchChanged));
    let accept = Resume {
        accept_branch: true,
        ..Resume::default()
    };
    repo.flow.resume(&accept, "other", "", false).unwrap();
    repo.run(9, &mut works);
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn a_ticket_that_is_removed_or_for_a_person_needs_no_turn() {
    let mut repo = Repo::new(&[READY, "---\nagent: user\ndone: false\n---\n"]);
    repo.run(1, &mut |repo, _| {
        repo.tickets.remove("TICKET-001.md");
        ok()
    });
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(paused(&repo), Some(FlowReason::UserPause));
    repo.finish("TICKET-002.md");
    repo.resume().unwrap();
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(repo.flow.status, FlowStatus::Completed);
}

#[test]
fn tickets_that_wait_for_open_ones_pause_with_their_names() {
    let mut repo = Repo::new(&[
        "---\nagent: codex\ndone: false\nafter: [2]\n---\n",
        "---\nagent: codex\ndone: false\nafter: [1]\n---\n",
    ]);
    repo.run(9, &mut |_, _| panic!("no turn"));
    assert_eq!(paused(&repo), Some(FlowReason::DependencyBlocked));
    assert_eq!(repo.flow.details.len(), 2);
}

#[test]
fn what_is_done_without_its_checks_is_proven_without_an_agent() {
    const CHECKED: &str = "---\nagent: codex\ndone: false\nverify: [make test]\n---\nDo it\n";
    // In another ticket's turn, by a person, after an error: each time the checks run.
    let mut repo = Repo::new(&[READY, CHECKED]);
    repo.failing = true;
    repo.look();
    repo.finish("TICKET-002.md");
    repo.flow.launched(repo.now);
    repo.finish("TICKET-001.md");
    repo.flow.collected(ok(), None, 1, 2);
    repo.flow.archived(None, String::new());
    repo.failing = false;
    repo.judge();
    repo.failing = true;
    repo.look();
    let turn = repo.flow.turn.clone().unwrap();
    assert_eq!(
        (turn.kind, turn.file.as_str()),
        (TurnKind::Verify, "TICKET-002.md")
    );
    assert_eq!(repo.flow.activity(), Activity::Judge);
    repo.judge();
    assert!(repo.tickets["TICKET-002.md"].contains("done: false"));
    repo.look();
    assert_eq!(repo.flow.turn.clone().unwrap().kind, TurnKind::VerifyFix);
    assert_eq!(repo.flow.turns, 1, "a proof is no turn of an agent");
}

#[test]
fn an_agent_cannot_take_the_checks_out_of_its_ticket() {
    let mut repo =
        Repo::new(&["---\nagent: codex\ndone: false\nverify: [make test]\n---\nDo it\n"]);
    repo.run(1, &mut |repo, _| {
        repo.edit("TICKET-001.md", "verify: [make test]\n", "");
        ok()
    });
    let ticket = repo.flow.ticket.clone().unwrap();
    assert_eq!(ticket.checks.unwrap()[0].command, "make test");
    // A person may.
    repo.flow
        .pause(FlowReason::UserPauseRequest, "", vec![], "", 0);
    repo.resume().unwrap();
    repo.look();
    assert_eq!(repo.flow.ticket.clone().unwrap().checks, Some(vec![]));
}
