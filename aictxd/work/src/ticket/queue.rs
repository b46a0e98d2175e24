//! The tickets of a directory in order: who is whose, who waits for whom, what is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aictx_proto::methods::{TicketFinding, TicketRow, TicketState};
use aictx_proto::text::hex;
use sha2::{Digest, Sha256};

use super::changes::Changes;
use super::fields::{Reference, Ticket};
use super::file_name::FileName;
use super::finding::{Code, Finding, Place};
use super::frontmatter::Frontmatter;

/// Files in a directory of tickets that are none and belong there.
const COMPANIONS: &[&str] = &["AGENTS.md", "ingest_state.json", ".gitignore"];

/// Purpose of a lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Work on the queue begins: everything must be right.
    Start,
    /// Work is under way: only what makes the order ambiguous counts.
    Run,
}

/// A file of the directory as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub file: FileName,
    /// Its text; empty where it is none.
    pub text: String,
    /// Fields, where the frontmatter could be read.
    pub ticket: Option<Ticket>,
    /// Findings in the text.
    pub findings: Vec<Finding>,
    /// Identity: as written, else made of the path.
    pub id: String,
}

impl Entry {
    /// Reads a file. `agents` are the names of known agents.
    pub fn read(file: FileName, bytes: Vec<u8>, agents: &[&str]) -> Self {
        let made = derived_id(&file);
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Self::broken(file, not_text(&error)),
        };
        let (ticket, findings) = match Frontmatter::of(&text) {
            Ok(front) => {
                let (ticket, findings) = Ticket::of(&front, agents);
                (Some(ticket), findings)
            }
            Err(finding) => (None, vec![finding]),
        };
        let id = ticket.as_ref().map(|ticket| ticket.ticket_id.clone());
        Self {
            id: id.filter(|id| !id.is_empty()).unwrap_or(made),
            file,
            text,
            ticket,
            findings,
        }
    }

    /// A file that could not be read.
    pub fn unreadable(file: FileName, why: &str) -> Self {
        Self::broken(file, Finding::new(Code::Unreadable, Place::default(), why))
    }

    fn broken(file: FileName, finding: Finding) -> Self {
        Self {
            id: derived_id(&file),
            file,
            text: String::new(),
            ticket: None,
            findings: vec![finding],
        }
    }

    /// Returns true if the ticket is done; one that cannot be read is not.
    pub fn is_done(&self) -> bool {
        self.ticket.as_ref().is_some_and(|ticket| ticket.done)
    }

    /// The first item of a list of tasks in the text that is not ticked off; empty where there is none.
    pub fn first_task(&self) -> &str {
        let item = |line: &'_ str| {
            let rest = line
                .trim_start()
                .strip_prefix(['-', '*', '+'])
                .map(str::trim_start);
            rest.and_then(|rest| rest.strip_prefix("[ ]")).is_some()
        };
        let line = self
            .text
            .lines()
            .find(|line| item(line))
            .unwrap_or_default();
        line.split_once(']').map_or("", |(_, task)| task.trim())
    }

    fn after(&self) -> &[Reference] {
        self.ticket.as_ref().map_or(&[], |ticket| &ticket.after)
    }
}

/// The id of a ticket that has none in its text: it changes with the name.
fn derived_id(file: &FileName) -> String {
    let digest = hex(&Sha256::digest(format!("tickets/{file}")));
    format!("tkt_auto_{}", digest.get(..32).unwrap_or_default())
}

fn not_text(error: &std::string::FromUtf8Error) -> Finding {
    let at = error.utf8_error().valid_up_to();
    let before = error.as_bytes().get(..at).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before
        .iter()
        .rev()
        .take_while(|byte| **byte != b'\n')
        .count()
        + 1;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let place = Place {
        line: number(line),
        column: number(column),
    };
    Finding::new(Code::Unreadable, place, format!("byte {at} is not UTF-8"))
}

/// Claim of a ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// Id of the ticket.
    pub ticket: String,
    /// For people.
    pub holder: String,
    /// Time of the claim.
    pub at: String,
}

/// The ticket to be worked on next, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next<'q> {
    /// This one.
    Ready(&'q Entry),
    /// This one comes next and cannot be read.
    Invalid(&'q Entry),
    /// Open tickets wait for others, or somebody works on them.
    Waiting,
    /// All tickets are done.
    Done,
    /// There is no ticket.
    Empty,
}

/// The tickets of a directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    /// The directory, relative to the repository.
    pub directory: String,
    /// Files by number, then by name.
    pub entries: Vec<Entry>,
    /// Names of files that are no tickets.
    pub foreign: Vec<String>,
    by_id: HashMap<String, usize>,
    by_number: BTreeMap<u64, usize>,
}

impl Queue {
    /// Orders the files of a directory.
    pub fn new(directory: &str, mut entries: Vec<Entry>, foreign: Vec<String>) -> Self {
        entries.sort_by(|a, b| {
            let by_name = || a.file.as_str().cmp(b.file.as_str());
            a.file.number().cmp(&b.file.number()).then_with(by_name)
        });
        let (mut by_id, mut by_number) = (HashMap::new(), BTreeMap::new());
        for (at, entry) in entries.iter().enumerate() {
            by_id.entry(entry.id.clone()).or_insert(at);
            by_number.entry(entry.file.number()).or_insert(at);
        }
        let is_foreign = |name: &String| !COMPANIONS.contains(&name.as_str());
        Self {
            directory: directory.to_owned(),
            foreign: foreign.into_iter().filter(is_foreign).collect(),
            entries,
            by_id,
            by_number,
        }
    }

    /// The queue as it is after changes.
    #[must_use]
    pub fn after(&self, changes: &Changes, agents: &[&str]) -> Self {
        let stays = |entry: &&Entry| {
            let name = entry.file.as_str();
            !changes.removes.contains(name) && !changes.writes.contains_key(name)
        };
        let kept = self.entries.iter().filter(stays).cloned();
        let written = changes.writes.iter().filter_map(|(name, text)| {
            let text = text.clone().into_bytes();
            Some(Entry::read(FileName::parse(name)?, text, agents))
        });
        Self::new(
            &self.directory,
            kept.chain(written).collect(),
            self.foreign.clone(),
        )
    }

    /// Path of a file, relative to the repository.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.directory)
    }

    /// Largest number; 0 without tickets.
    pub fn last_number(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.file.number())
    }

    /// The first ticket of a number.
    pub fn numbered(&self, number: u64) -> Option<&Entry> {
        self.entries.get(*self.by_number.get(&number)?)
    }

    /// The ticket that a text names: by number, file name (with or without `.md`) or id.
    pub fn find(&self, text: &str) -> Option<&Entry> {
        self.entries.get(self.position(text)?)
    }

    fn position(&self, text: &str) -> Option<usize> {
        let text = text.trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.by_number.get(&text.parse().ok()?).copied();
        }
        if let Some(at) = self.by_id.get(text) {
            return Some(*at);
        }
        let name = FileName::parse(text).or_else(|| FileName::parse(&format!("{text}.md")))?;
        let is_it = |entry: &Entry| entry.file.as_str().eq_ignore_ascii_case(name.as_str());
        let exact = self.entries.iter().position(is_it);
        // A bare number in the form of a name.
        exact.or_else(|| match name.suffix() {
            "" => self.by_number.get(&name.number()).copied(),
            _ => None,
        })
    }

    /// Names of the tickets that must be done before this one and are not.
    pub fn blocked_by(&self, entry: &Entry) -> Vec<String> {
        let open = entry
            .after()
            .iter()
            .filter_map(|reference| match self.find(&reference.text) {
                Some(before) if before.is_done() => None,
                Some(before) => Some(before.file.stem().to_owned()),
                None => Some(reference.text.clone()),
            });
        open.collect()
    }

    /// State of a ticket.
    pub fn state(&self, entry: &Entry, claims: &[Claim]) -> TicketState {
        if entry.is_done() {
            TicketState::Done
        } else if claims.iter().any(|claim| claim.ticket == entry.id) {
            TicketState::Claimed
        } else if entry.ticket.is_none() {
            TicketState::Invalid
        } else if !self.blocked_by(entry).is_empty() {
            TicketState::Blocked
        } else {
            TicketState::Ready
        }
    }

    /// A ticket as it is told.
    pub fn row(&self, entry: &Entry, claims: &[Claim]) -> TicketRow {
        let claim = claims.iter().find(|claim| claim.ticket == entry.id);
        let claim = claim.filter(|_| !entry.is_done());
        let none = Ticket::default();
        let ticket = entry.ticket.as_ref().unwrap_or(&none);
        TicketRow {
            number: entry.file.number(),
            id: entry.id.clone(),
            file: self.path(entry.file.as_str()),
            state: self.state(entry, claims),
            title: ticket.label(&entry.file),
            goal: ticket.goal.clone(),
            agent: ticket.agent.clone(),
            blocked_by: match entry.is_done() {
                true => Vec::new(),
                false => self.blocked_by(entry),
            },
            claimed_by: claim.map(|claim| claim.holder.clone()).unwrap_or_default(),
            claimed_at: claim.map(|claim| claim.at.clone()).unwrap_or_default(),
            verify: ticket
                .verify
                .iter()
                .map(|check| check.command.clone())
                .collect(),
            scope: ticket.scope.clone(),
        }
    }

    /// The ticket with the lowest number that could be worked on now.
    pub fn next(&self, claims: &[Claim]) -> Next<'_> {
        for entry in &self.entries {
            match self.state(entry, claims) {
                TicketState::Ready => return Next::Ready(entry),
                TicketState::Invalid => return Next::Invalid(entry),
                _ => {}
            }
        }
        if self.entries.is_empty() {
            Next::Empty
        } else if self.entries.iter().all(Entry::is_done) {
            Next::Done
        } else {
            Next::Waiting
        }
    }

    /// Everything that is wrong, files in order.
    pub fn findings(&self, gate: Gate) -> Vec<TicketFinding> {
        let mut found: Vec<(usize, Finding)> = Vec::new();
        self.duplicates(&mut found);
        if gate == Gate::Start {
            for (at, entry) in self.entries.iter().enumerate() {
                found.extend(entry.findings.iter().map(|finding| (at, finding.clone())));
            }
            self.references(&mut found);
        }
        found.sort_by_key(|(at, finding)| (*at, finding.place));
        let of = |(at, finding): (usize, Finding)| {
            let entry = self.entries.get(at)?;
            Some(finding.of(&self.path(entry.file.as_str())))
        };
        let mut told: Vec<TicketFinding> = found.into_iter().filter_map(of).collect();
        if gate == Gate::Start {
            told.extend(
                self.foreign
                    .iter()
                    .map(|name| foreign(&self.path(name), name)),
            );
        }
        told
    }

    /// Findings in one ticket, and between it and others.
    pub fn findings_of(&self, name: &FileName) -> Vec<TicketFinding> {
        let path = self.path(name.as_str());
        let mut all = self.findings(Gate::Start);
        all.retain(|finding| finding.file == path);
        all
    }

    fn duplicates(&self, found: &mut Vec<(usize, Finding)>) {
        let mut numbers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut ids: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            numbers.entry(entry.file.number()).or_default().push(at);
            ids.entry(&entry.id).or_default().push(at);
        }
        let names = |all: &[usize]| {
            let names = all.iter().filter_map(|at| self.entries.get(*at));
            names
                .map(|entry| entry.file.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        for (number, all) in numbers.iter().filter(|(_, all)| all.len() > 1) {
            let message = format!("number {number:03} is used by {}", names(all));
            let finding = |at: &usize| {
                (
                    *at,
                    Finding::new(Code::NumberTwice, Place::default(), message.clone()),
                )
            };
            found.extend(all.iter().map(finding));
        }
        for (id, all) in ids.iter().filter(|(_, all)| all.len() > 1) {
            let message = format!("`ticket_id` {id} is used by {}", names(all));
            let finding = |at: &usize| {
                (
                    *at,
                    Finding::new(Code::IdTwice, Place::default(), message.clone()),
                )
            };
            found.extend(all.iter().map(finding));
        }
    }

    fn references(&self, found: &mut Vec<(usize, Finding)>) {
        for (at, entry) in self.entries.iter().enumerate() {
            for reference in entry.after() {
                let (code, why) = match self.find(&reference.text) {
                    None => (Code::AfterUnknown, "names no ticket"),
                    Some(other) if other.file.number() > entry.file.number() => (
                        Code::AfterLater,
                        "comes later in the queue, so the order reads wrongly",
                    ),
                    Some(_) => continue,
                };
                let message = format!("`{}` {why}", reference.text);
                found.push((at, Finding::new(code, reference.place, message)));
            }
        }
        for cycle in self.cycles() {
            let name = |at: &usize| self.entries.get(*at).map_or("", |entry| entry.file.stem());
            let path: Vec<&str> = cycle.iter().chain(cycle.first()).map(name).collect();
            let message = format!("these wait for each other: {}", path.join(" → "));
            let (Some(first), Some(second)) = (cycle.first(), cycle.get(1).or(cycle.first()))
            else {
                continue;
            };
            let references = self.entries.get(*first).map_or(&[][..], Entry::after);
            let named = references
                .iter()
                .find(|r| self.position(&r.text) == Some(*second));
            let place = named.map(|reference| reference.place).unwrap_or_default();
            found.push((*first, Finding::new(Code::AfterCycle, place, message)));
        }
    }

    /// Circles of tickets that wait for each other, each once, from its first ticket on. Time: O(tickets × circles).
    fn cycles(&self) -> Vec<Vec<usize>> {
        let waits: Vec<Vec<usize>> = self
            .entries
            .iter()
            .map(|entry| {
                entry
                    .after()
                    .iter()
                    .filter_map(|r| self.position(&r.text))
                    .collect()
            })
            .collect();
        let mut left: BTreeSet<usize> = (0..waits.len()).collect();
        let mut cycles = Vec::new();
        loop {
            // Whoever waits for nobody who is left is in no circle.
            loop {
                let before = left.len();
                let waiting = |at: &usize| {
                    waits
                        .get(*at)
                        .is_some_and(|all| all.iter().any(|to| left.contains(to)))
                };
                let still: BTreeSet<usize> = left.iter().copied().filter(waiting).collect();
                left = still;
                if left.len() == before {
                    break;
                }
            }
            let Some(start) = left.first().copied() else {
                return cycles;
            };
            let (mut path, mut at) = (Vec::new(), start);
            while !path.contains(&at) {
                path.push(at);
                let next = waits
                    .get(at)
                    .and_then(|all| all.iter().find(|to| left.contains(to)));
                at = next.copied().unwrap_or(at);
            }
            let from = path.iter().position(|known| *known == at).unwrap_or(0);
            let mut cycle = path.split_off(from);
            let least = cycle
                .iter()
                .enumerate()
                .min_by_key(|(_, at)| **at)
                .map_or(0, |(n, _)| n);
            cycle.rotate_left(least);
            left.retain(|at| !cycle.contains(at));
            cycles.push(cycle);
        }
    }
}

/// A file that is no ticket: either its name is nearly one, or it does not belong there.
fn foreign(path: &str, name: &str) -> TicketFinding {
    let is_meant = name
        .get(.."ticket".len())
        .is_some_and(|head| head.eq_ignore_ascii_case("ticket"));
    let (code, message) = match is_meant {
        true => (
            Code::FileName,
            "a ticket is named TICKET-<three digits or more><suffix>.md",
        ),
        false => (
            Code::ForeignFile,
            "this file is no ticket; move it out of the directory",
        ),
    };
    Finding::new(code, Place::default(), message).of(path)
}
